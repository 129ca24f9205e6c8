"""A recipe: one definition of NDCG, right or wrong, with one level for each thing that can differ.

`core` holds the definition. A recipe is for the definitions beside it: what other tools do, and what goes wrong. A
recipe without any change gives the values of `core`; `kitchen` computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.choices import NAMES
from ndcg_lib.types import Array

QUANTITIES = ("cg", "dcg", "idcg", "ndcg", "mean")
"""What a recipe gives: `mean` is the mean NDCG over the queries."""


class Recipe(NamedTuple):
    """One level for each factor. The names of all levels are in `LEVELS`."""

    ranking: str = "scores"  # what puts the documents in order
    precision: str = "double"  # of the scores
    roles: str = "right"
    ties: str = "average"
    duplicates: str = "once"
    unjudged: str = "zero"
    unreturned: str = "absent"  # judged documents that the list lacks
    values: str = "grades"  # what the gains of the list are made from
    negative: str = "kept"
    fractions: str = "kept"
    regrade: str = ""  # what else happens to a grade before its gain
    gain: Any = "linear"
    discount: Any = "modern"
    base: float = 2
    cut: Any = "k"
    ideal: str = "judged"  # whose documents the ideal list holds
    ideal_order: str = "sorted"
    ideal_gain: Any = "linear"
    ideal_discount: Any = "modern"
    ideal_base: float = 2
    ideal_cut: Any = "k"
    adding: str = "sum"
    rounding: str = ""
    divide: str = "idcg"
    empty: Any = 0.0
    missing: str = "zero"
    strangers: str = "skip"  # queries with results but without judgements
    rows: str = "each"  # whether each query is a ranking of its own
    averaging: str = "mean"
    result: str = ""

    @staticmethod
    def following(
        *,
        gain: Any = "linear",
        discount: Any = "modern",
        base: float = 2,
        ideal: str = "judged",
        ties: str = "average",
        empty: Any = 0.0,
        missing: str = "zero",
        unjudged: str = "zero",
        negative: str = "kept",
    ) -> Recipe:
        """The recipe of a convention.

        >>> Recipe.following(gain="exponential").ideal_gain
        'exponential'
        """
        gain = _hashable(gain)
        return Recipe(
            gain=gain, ideal_gain=gain, discount=discount, ideal_discount=discount, base=base, ideal_base=base,
            ideal=ideal, ties=ties, empty=empty, missing=missing, unjudged=unjudged,
            negative=negative,
        )  # fmt: skip

    def but(self, changes: Mapping[str, Any]) -> Recipe:
        """The same recipe with some levels changed.

        >>> Recipe().but({"cut": "none"}).cut
        'none'
        """
        return self._replace(**changes)


WRONG_GAINS: dict[str, Callable[[Array], Array]] = {
    "power": np.exp2,
    "half-power": lambda g: np.exp2(g - 1),
    "log": lambda g: np.log2(1 + np.maximum(g, 0)),
    "square": lambda g: g * g,
}
WRONG_DISCOUNTS: dict[str, Callable[[Array, float], Array]] = {
    "late": lambda i, base: np.log(base) / np.log(i + 2),
    "next": lambda i, base: 1 / (i + 1),
    "multiplied": lambda i, base: np.log(i + 1) / np.log(base),
    "unguarded": lambda i, base: np.where(i == 1, 0.0, np.log(base) / np.log(np.maximum(i, 2))),
    "outside": lambda i, base: np.where(i == 1, 1.0, np.log(base) / np.log(np.maximum(i, 2))),
    "one-plus-log": lambda i, base: 1 / (1 + np.log(i) / np.log(base)),
}
REGRADES: dict[str, Callable[[Array], Array]] = {
    "": lambda g: g,
    "one-higher": lambda g: g + 1,
    "one-lower": lambda g: g - 1,
    "zero-as-one": lambda g: np.where(g == 0, 1.0, g),
}
LEVELS: dict[str, tuple[Any, ...]] = {
    "ranking": ("scores", "ascending", "given"),
    "precision": ("double", "single"),
    "roles": ("right", "swapped"),
    "ties": NAMES["ties"],
    "duplicates": ("once", "counted"),
    "unjudged": ("zero", "removed"),
    "unreturned": ("absent", "last"),
    "values": ("grades", "scores"),
    "negative": ("kept", "clipped"),
    "fractions": ("kept", "cut"),
    "regrade": tuple(REGRADES),
    "gain": (*NAMES["gain"], "presence", *WRONG_GAINS),
    "discount": (*NAMES["discount"], *WRONG_DISCOUNTS),
    "cut": ("k", "none", "less", "more", "list"),
    "ideal": ("judged", "first", "returned", "top", "perfect"),
    "ideal_order": ("sorted", "ascending", "given", "distinct"),
    "adding": ("sum", "mean", "last"),
    "rounding": ("", "terms", "terms-cut", "discounts", "logs", "parts"),
    "divide": ("idcg", "cg", "max-grade", "discounts", "k", "nothing", "upside-down"),
    "missing": ("zero", "skip"),
    "strangers": ("skip", "zero"),
    "rows": ("each", "joined"),
    "averaging": ("mean", "ratio-of-means", "sum"),
    "result": ("", "rounded", "cut", "percent"),
}
"""Every level with a name. A cut can also be a number; a rounding carries its digits, as in `terms-2`."""


def _hashable(gain: Any) -> Any:
    if not isinstance(gain, Mapping):
        return gain
    table = dict(gain)

    def gain_of(grade: float) -> float:
        if grade not in table:
            known = ", ".join(map(str, table))
            raise ValueError(f"grade {grade:g} is not in the gain mapping, which knows only {known}: add it")
        return float(table[grade])

    return gain_of
