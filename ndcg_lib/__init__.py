"""NDCG, exact and explicit: every choice that changes the number is a keyword.

>>> import ndcg_lib as nd
>>> round(nd.ndcg([3, 2, 3, 0, 1, 2]), 3)
0.961
"""

from ndcg_lib.convention import CONVENTIONS, Convention
from ndcg_lib.core import cg, dcg, discounts, gains, idcg, ndcg
from ndcg_lib.curves import Curve, curve
from ndcg_lib.workings import Working, graded, working

__version__ = "0.1.0"

__all__ = [
    "CONVENTIONS",
    "Convention",
    "Curve",
    "Working",
    "cg",
    "curve",
    "dcg",
    "discounts",
    "gains",
    "graded",
    "idcg",
    "ndcg",
    "working",
]
