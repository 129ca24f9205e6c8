"""The Python of assignment 11: what its tasks draw and compute."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe


def _one_found(relevant: int, k: int, *, ideal: str = "judged", discount: Any = "modern", cut: bool = True) -> float:
    pool = [1] * (relevant if ideal == "judged" else 1)
    return 1 / float(nd.idcg(pool, k if cut else None, discount=discount))


_NDCG = by_recipe("ndcg", "grades", "judged", "k")


def _one_found_by(relevant: int, k: int, **changes: Any) -> float:
    """NDCG of one relevant document on top, with a slip of the library."""
    return float(_NDCG([1] + [0] * (k + 1), [1] * relevant + [0] * (k + 1), k, **changes))


def _causes(returned: Sequence[float], judged: Sequence[float]) -> dict[str, float]:
    return {
        "duplicate": float(nd.dcg([*returned, returned[0]]) / nd.idcg(judged)),
        "off by one": float(nd.ndcg(returned, judged=judged, discount="original")),
        "returned ideal": float(nd.ndcg(returned)),
        "other gain": float(nd.ndcg(returned, judged=judged, gain="exponential")),
    }


def _report(draw: Draw) -> dict[str, Any]:
    returned = draw.choice([[1, 3, 0, 2], [2, 0, 3, 1], [1, 2, 0, 3], [2, 3, 1, 0]])
    return {"returned": returned, "judged": draw.shuffled([*returned, 3, 2])}


def _query(draw: Draw, n: int, *, top: int = 3) -> list[Any]:
    judged = [draw.choice([0, 1, 2, top, top]) for _ in range(n + 4)]
    return [draw.sample(judged, draw.integer(2, n + 3)), judged, draw.integer(1, n + 3)]


def _twins(draw: Draw, n: int) -> list[Any]:
    """Documents with equal scores that have equal grades too, so that their order does not matter."""
    pairs = [(draw.integer(0, 3), round(0.3 + 1.3 * i, 2)) for i in range(n + 1)]
    pairs = draw.shuffled([*pairs, *pairs[:2]])
    return [[grade for grade, _ in pairs], [score for _, score in pairs]]


def _definitions(value: Any) -> dict[str, float]:
    returned, judged, k = value["returned"], value["judged"], value["k"]
    return {
        "right": float(nd.ndcg(returned, k, judged=judged)),
        "ideal from the returned list": float(nd.ndcg(returned, k)),
        "ideal from its first k": float(nd.ndcg(returned[:k], k)),
        "exponential gain": float(nd.ndcg(returned, k, judged=judged, gain="exponential")),
        "original discount": float(nd.ndcg(returned, k, judged=judged, discount="original")),
    }


def _told_apart(value: Any, *names: str) -> bool:
    values = _definitions(value)
    return all(abs(values[a] - values[b]) >= 0.01 for a, b in combinations(names or values, 2))


def _ways(grades: Sequence[float]) -> dict[str, float]:
    ranks = list(enumerate(sorted(grades, reverse=True), start=1))
    return {
        "exact": round(sum(g / math.log2(i + 1) for i, g in ranks), 2),
        "term": round(sum(round(g / math.log2(i + 1), 2) for i, g in ranks), 2),
        "logarithm": round(sum(g / round(math.log2(i + 1), 2) for i, g in ranks), 2),
    }


def _article(draw: Draw) -> dict[str, Any]:
    lists = [
        [a, b, c, d, e]
        for a in range(3, 6)
        for b in range(2, a + 1)
        for c in range(1, b + 1)
        for d in range(1, c + 1)
        for e in range(d + 1)
    ]
    sharp = [grades for grades in lists if len(set(_ways(grades).values())) == 3]
    return {"grades": draw.shuffled(draw.choice(sharp))}


def _rows_reversed_reference(grades: Any) -> Any:
    return (
        "stays"
        if abs(nd.dcg(grades) - nd.dcg(grades[::-1])) < 1e-9
        else "rises"
        if nd.dcg(grades[::-1]) > nd.dcg(grades)
        else "falls"
    )
