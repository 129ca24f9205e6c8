"""The Python of assignment 6: what its tasks draw and compute."""

from __future__ import annotations

import math
from functools import reduce
from itertools import accumulate
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe

_RATIO = by_recipe("ndcg", "grades", "k")


def _from_worst(grades: list[float], k: int | None = None) -> float:
    best, worst = nd.idcg(grades, k), nd.dcg(sorted(grades), k)
    return float((nd.dcg(grades, k) - worst) / (best - worst)) if best > worst else 0.0


def _query(draw: Draw, n: int, *, top: int = 3) -> list[Any]:
    judged = [draw.choice([0, 1, 2, top, top]) for _ in range(n + 4)]
    returned = draw.sample(judged, draw.integer(2, n + 3))
    return [returned, judged, draw.integer(1, n + 3)]


def _measured(draw: Draw, n: int) -> list[Any]:
    judged = draw.measured(n)
    return [draw.sample(judged, draw.integer(1, n)), judged, draw.integer(1, n + 1)]


def _few(draw: Draw, n: int) -> list[Any]:
    judged = [draw.choice([1, 2, 3, 3]) for _ in range(n + 3)]
    return [draw.sample(judged, 1), judged, draw.integer(2, n + 2)]


def _curve(grades: list[float], *, ideal: str = "judged", step: str = "ndcg", start: int = 1) -> list[float]:
    n = len(grades)
    ranks = range(start, n + start)
    if step == "dcg":
        return [nd.dcg(grades, k) if k else 0.0 for k in ranks]
    if step == "rank":
        return [g / best if best else 0.0 for g, best in zip(grades, sorted(grades, reverse=True), strict=True)]
    if step == "constant":
        return [nd.ndcg(grades) for _ in ranks]
    if ideal == "top":
        return [nd.ndcg(grades[:k]) for k in ranks]
    if ideal == "whole":
        best = nd.idcg(grades)
        return [nd.dcg(grades, k) / best if best else 0.0 for k in ranks]
    values = [float(nd.ndcg(grades, k)) if k else 0.0 for k in ranks]
    if step == "running":
        return [total / k for k, total in enumerate(accumulate(values), start=1)]
    if step == "halved":
        return list(accumulate(values, _middle))
    if step == "neighbours":
        return [_middle(a, b) for a, b in zip([*values[:1], *values], values, strict=False)]
    return values


def _dip(draw: Draw) -> dict[str, Any]:
    while True:
        grades = [draw.integer(0, 3) for _ in range(7)]
        curve = [round(float(x), 3) for x in nd.curve(grades).ndcg]
        lowest = curve.index(min(curve))
        if curve.count(curve[lowest]) == 1 and 0 < lowest < 6 and curve[lowest] > 0:
            return {"curve": curve}


def _change(draw: Draw) -> dict[str, Any]:
    ends = draw.choice([[0, 1], [0, 2], [1, 2]])  # the first is below the last, so that the list is not its own ideal
    grades = [ends[0], *draw.shuffled([*range(4), 3])[:4], ends[1]]
    return {"grades": grades, "change": draw.choice(["doubled", "one more"])}


def _changed(grades: list[float], change: str) -> list[float]:
    return [grade * 2 for grade in grades] if change == "doubled" else [grade + 1 for grade in grades]


def _middle(a: float, b: float) -> float:
    return (a + b) / 2


def _mean(queries: list[list[float]], k: int, *, how: str) -> float:
    """Ways to put the queries together that are no mean of NDCG."""
    if how == "joined":
        return float(nd.ndcg([grade for q in queries for grade in q], k))
    values = [float(nd.dcg(q, k) if how in ("dcg", "pooled") else nd.ndcg(q, k)) for q in queries]
    ordered, n = sorted(values), len(values)
    if how == "pooled":
        best = float(nd.idcg([grade for q in queries for grade in q], k))
        return sum(values) / n / best if best else 0.0
    if how == "cut-offs":
        return sum(float(nd.ndcg(q, j)) for q in queries for j in range(1, k + 1)) / n / k
    if how.startswith("halved"):
        return reduce(_middle, [0.0, *values] if how == "halved-from-0" else values)
    return {
        "dcg": sum(values) / n,
        "sum": sum(values),
        "median": (ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        "best": ordered[-1],
        "worst": ordered[0],
        "first": values[0] / n,
    }[how]


def _queries(draw: Draw, n: int, *, empty: bool = False, same: bool = False) -> list[Any]:
    queries = [[draw.choice([0, 1, 2, 3]) for _ in range(draw.integer(2, n + 3))] for _ in range(draw.integer(2, 4))]
    queries = [[1, *q] if not any(q) else q for q in queries]
    if same:
        queries += queries[:2]
    if empty:
        queries.insert(draw.integer(0, len(queries)), [0] * draw.integer(1, 3))
    return [queries, draw.integer(1, n + 2)]


def _chance(documents: int, *, how: str = "mean") -> float:
    worth = [1 / math.log2(i + 1) for i in range(1, documents + 1)]
    return {
        "mean": sum(worth) / documents,
        "middle": 1 / math.log2((documents + 1) / 2 + 1),
        "half": 0.5,
        "last": worth[-1],
        "share": 1 / documents,
        "reciprocal": sum(1 / i for i in range(1, documents + 1)) / documents,
    }[how]


_DCG = by_recipe("dcg", "grades")


def _chance_by(documents: int, **changes: Any) -> float:
    """NDCG of a random order, with a slip of the library: the mean of what each rank brings."""
    return float(_DCG([1] * documents, **changes)) / documents
