"""The Python of assignment 2: what its tasks draw and compute."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from ndcg_course.tasks.draw import Draw


def _cg(grades: list[float], k: int, *, start: int = 0, miss: int = 0, cut: bool = True, order: str = "given",
        take: str = "sum") -> float:  # fmt: skip
    """CG@k; the keywords are ways to get it wrong."""
    grades = sorted(grades, reverse=True) if order == "best" else grades
    first = grades[start : k + miss] if cut else grades[start:]
    return {"sum": sum(first), "mean": sum(first) / max(len(first), 1), "last": first[-1] if first else 0}[take]


def _curve(grades: list[float], *, step: str = "sum", start: str = "first") -> list[float]:
    totals = list(accumulate(grades))
    if step == "none":
        totals = list(grades)
    elif step == "mean":
        totals = [total / i for i, total in enumerate(totals, start=1)]
    elif step == "max":
        totals = list(accumulate(grades, max))
    if start == "zero":
        return [0, *totals]
    if start == "before":
        return [0, *totals][:-1]
    if start == "end":
        return list(accumulate(grades[::-1]))[::-1]
    return totals


def _one_useless(draw: Draw) -> dict[str, Any]:
    grades = draw.shuffled([5, 4, 3, 2, 1, 1])
    grades.insert(draw.integer(2, 4), 0)
    return {"grades": grades}
