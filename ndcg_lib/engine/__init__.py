"""The one engine. Rankings are columns with an entry per document, and every quantity is a small function of others.

The right definition takes the default of every choice, a convention takes other options and a slip a wrong level:
nothing else tells the three apart.
"""

from ndcg_lib.engine import of_ndcg as of_ndcg
from ndcg_lib.engine import of_others as of_others
from ndcg_lib.engine.columns import SAFE, as_number, gains, runs, within
from ndcg_lib.engine.sheet import (
    AT,
    FACTORS,
    QUANTITIES,
    RIGHT,
    Recipe,
    Sheet,
    factor,
    factors,
    following,
    reach,
    recipe_of,
)

__all__ = [
    "AT",
    "FACTORS",
    "QUANTITIES",
    "RIGHT",
    "SAFE",
    "Recipe",
    "Sheet",
    "as_number",
    "factor",
    "factors",
    "following",
    "gains",
    "reach",
    "recipe_of",
    "runs",
    "within",
]
