"""The Python of assignment 5: what its tasks draw and compute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ndcg_course.tasks.draw import Draw


def _ideal(
    judged: list[float], k: int | None = None, *, order: str = "best", cut: str = "after", miss: int = 0
) -> list[float]:
    """The ideal list; the keywords are ways to get it wrong."""
    limit = len(judged) if k is None else max(k + miss, 0)
    pool = judged[:limit] if cut == "before" else judged
    if order == "distinct":
        pool = sorted(set(pool), reverse=True)
    elif order == "best":
        pool = sorted(pool, reverse=True)
    elif order == "ascending":
        pool = sorted(pool)
    elif order == "reversed":
        pool = pool[::-1]
    return pool if cut == "never" else pool[:limit]


def _hand(judged: list[float], k: int, *, order: str = "best", cut: str = "after", shift: int = 1, base: float = 2,
          gain: str = "linear", discount: str = "log") -> float:  # fmt: skip
    total = 0.0
    for i, grade in enumerate(_ideal(judged, k, order=order, cut=cut), start=1):
        worth = 2**grade - 1 if gain == "exponential" else grade
        below = {"log": math.log(max(i + shift, 2), base), "rank": i, "none": 1}[discount]
        total += worth / below
    return total


def _pool(judged: Mapping[str, float], returned: list[str], k: int, source: str) -> list[float]:
    grades = [judged.get(document, 0) for document in returned]
    return {
        "judged": list(judged.values()),
        "returned": grades,
        "top": grades[:k],
        "short": sorted(judged.values(), reverse=True)[: len(returned)],
        "twice": [*judged.values(), *grades],
        "missed": [grade for document, grade in judged.items() if document not in returned],
    }[source]


def _idcg_of_query(
    returned: list[str], judged: Mapping[str, float], k: int, *, source: str = "judged", **wrong: Any
) -> float:
    return _hand(_pool(judged, returned, k, source), k, **wrong)


def _query(draw: Draw, n: int, *, unjudged: bool = False, few: bool = False, top: int = 3) -> list[Any]:
    documents = [f"d{i}" for i in range(1, n + 4)]
    judged = {document: draw.choice([0, 1, 2, top, top]) for document in documents}
    returned = draw.sample(documents, 1 if few else draw.integer(2, n + 2))
    if unjudged:
        returned.insert(draw.integer(0, len(returned)), "new")
    k = len(returned) + draw.integer(1, 2) if few else draw.integer(2, n + 2)
    return [returned, judged, k]


def _one_more(draw: Draw) -> dict[str, Any]:
    judged = draw.shuffled([3, 3, 2, draw.integer(1, 2), draw.integer(0, 1)])
    return {"judged": judged, "k": draw.integer(3, 4), "added": draw.integer(0, 3)}


def _curve_data(draw: Draw) -> dict[str, Any]:
    useful = draw.integer(3, 6)
    return {"judged": draw.shuffled([draw.integer(1, 3) for _ in range(useful)] + [0] * (9 - useful))}


def _ideal_flat_from_reference(judged: Any, miss: Any = 0, of: Any = "gain") -> Any:
    return {
        "gain": sum(g > 0 for g in judged),
        "all": len(judged),
        "top": sum(g == max(judged) for g in judged),
        "none": sum(g == 0 for g in judged),
    }[of] + miss
