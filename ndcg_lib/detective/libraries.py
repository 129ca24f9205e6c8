"""Who computes what: the known implementations as levels of the choices that `candidates` tries.

The presets of `CONVENTIONS` come first; the table adds what no Convention can say. Measured with the versions named.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ndcg_lib.convention import CONVENTIONS


class Library(NamedTuple):
    """An implementation: the levels that differ from the textbook, and the slips that it has built in."""

    name: str
    levels: Mapping[str, Any]
    slips: frozenset[str] = frozenset()


_ORDERED = {"ties": "order"}
_ROWS = {"ideal": "returned"}  # an array interface never sees what was not returned
_SINGLE = {"scores": "single"}
_IN_SINGLE_PRECISION = ("torchmetrics", "xgboost", "xgboost_linear")
_TABLE = (
    Library("trec_eval without -c", {"ties": "id-descending", "missing": "skip"}),
    Library("trec_eval of fractional grades", {"ties": "id-descending", "fractions": "cut"}),
    Library("ranx of fractional grades", _ORDERED | {"fractions": "cut"}),
    Library("torchmetrics 1.9, function given several rows", _ROWS | _SINGLE | {"rows": "joined"}),
    Library("xgboost, ndcg-", _ROWS | _ORDERED | _SINGLE | {"gain": "exponential", "cut": 32}),
    Library("rax 0.4", _ROWS | _ORDERED | _SINGLE | {"gain": "exponential"}),
    Library("allRank 1.4", _ROWS | _ORDERED | _SINGLE | {"gain": "exponential", "empty": 1.0}),
    Library("rankereval 0.2", _ROWS | _ORDERED | {"empty": "skip"}),
    Library("recommenders, raw", _ORDERED | {"empty": "skip", "cut": 10}),
    Library("recommenders, exp", _ORDERED | {"gain": "exponential", "empty": "skip", "cut": 10}),
    Library("recommenders, default", _ORDERED | {"empty": "skip", "cut": 10}, frozenset({"judged-means-relevant"})),
    Library("pyspark, from Python", _ORDERED | {"gain": "binary"}),
    Library("replay 0.22", _ORDERED | {"gain": "binary"}),
    Library("recpack 0.3", _ORDERED | {"gain": "binary"}),
    Library("rectools, default", _ORDERED | {"gain": "binary", "empty": "skip"}, frozenset({"ideal-all-perfect"})),
    Library("recbole 1.2", _ORDERED | {"gain": "binary"}, frozenset({"ideal-cut-at-list"})),
)


@lru_cache(maxsize=1)
def libraries() -> tuple[Library, ...]:
    """All of them, the presets first.

    >>> [library.name for library in libraries()][:3]
    ['textbook', 'jarvelin-kekalainen', 'burges']
    """
    textbook = CONVENTIONS["textbook"].choices()
    presets = []
    for name, preset in CONVENTIONS.items():
        levels = {choice: level for choice, level in preset.choices().items() if level != textbook[choice]}
        if "k" in levels:
            levels["cut"] = levels.pop("k")
        if levels.pop("base", 2) != 2:
            levels["discount"] = f"original, base {preset.base:g}"
        if name in _IN_SINGLE_PRECISION:
            levels |= _SINGLE
        presets.append(Library(name, levels))
    return (*presets, *_TABLE)
