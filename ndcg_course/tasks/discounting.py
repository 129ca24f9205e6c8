"""The Python of assignment 3: what its tasks draw and compute."""

from __future__ import annotations

import math
from typing import Any

from ndcg_course.tasks.draw import Draw


def _worth(i: int, *, form: str = "modern", base: float = 2, shift: int = 0) -> float:
    """The discount of rank i; the keywords are ways to get it wrong."""
    rank = i + shift
    if form == "modern":
        return math.log(base) / math.log(max(rank + 1, base))
    if form == "original":
        return 1 / max(1.0, math.log(max(rank, 1), base))
    if form == "one-plus-log":
        return 1 / (1 + math.log(rank, base))
    if form == "multiplied":
        return math.log(rank + 1, base)
    return {"reciprocal": 1 / rank, "next": 1 / (rank + 1), "none": 1.0, "halved": 0.5 ** (rank - 1)}[form]


def _discounts(n: int, *, base: float = 2, **wrong: Any) -> list[float]:
    if base != 2:
        return [1 / math.log(i + 1, base) for i in range(1, n + 1)]
    return [_worth(i, **wrong) for i in range(1, n + 1)]


def _sum(
    grades: list[float], k: int | None = None, *, base: float = 2, rounding: int | None = None, **wrong: Any
) -> float:
    worth = _discounts(len(grades), base=base, **wrong)
    terms = [grade * d for grade, d in zip(grades[:k], worth, strict=False)]
    return sum(terms if rounding is None else [round(term, rounding) for term in terms])


def _terms(grades: list[float], k: int | None) -> list[float]:
    return [grade * d for grade, d in zip(grades[:k], _discounts(len(grades)), strict=False)]


def _sum_times_sum(grades: list[float], k: int | None = None) -> float:
    return sum(grades[:k]) * sum(_discounts(len(grades[:k])))


def _rank_of_the_first_equal(grades: list[float], k: int | None = None) -> float:
    return sum(grade * _worth(grades.index(grade) + 1) for grade in grades[:k])


def _weighted_mean(grades: list[float], k: int | None = None) -> float:
    return sum(_terms(grades, k)) / sum(_discounts(len(grades[:k])))


def _zero_based(grades: list[float], *, shift: int = 0, form: str = "modern", base: float = 2) -> float:
    return _sum(grades, shift=shift, form=form) if base == 2 else _sum(grades, base=base)


def _original(
    grades: list[float], base: float, *, form: str = "original", fixed: float = 0, clip: bool = True
) -> float:
    used = fixed or base
    if form == "modern":
        return sum(grade / math.log(i + 1, used) for i, grade in enumerate(grades, start=1))
    if form == "log-of-next":
        return sum(grade / max(1.0, math.log(i + 1, used)) for i, grade in enumerate(grades, start=1))
    if not clip:  # rank 1 stands before the sum, and nothing else is spared
        return sum(grade / (math.log(i, used) if i > 1 else 1) for i, grade in enumerate(grades, start=1))
    return sum(grade * _worth(i, form=form, base=used) for i, grade in enumerate(grades, start=1))


def _loss(
    grades: list[float], *, sign: int = 1, form: str = "modern", base: float = 2, part: str = "both", of: str = ""
) -> float:
    if of and part == "both":  # DCG itself, which does not alter what one document loses
        return _sum(grades if of == "before" else [grades[0], grades[2], grades[1], *grades[3:]])
    d = _discounts(3, base=base, form=form) if form != "original" else _discounts(3, form=form)
    _, second, third = grades[:3]
    change = {"both": second - third, "second": second, "third": third}[part]
    return sign * change * (d[1] - d[2])


def _some_curve(draw: Draw) -> dict[str, Any]:
    half, top = draw.integer(3, 8), draw.choice([1, 2, 3, 4, 5, 6, 8, 10])
    power = math.log(2) / math.log(half)
    return {"discounts": [round(top * i**-power, 3) for i in range(1, 11)]}


def _half_worth_reference(discounts: Any, miss: Any = 0, part: Any = 0.5) -> Any:
    return next((i for i, d in enumerate(discounts, start=1) if d <= part * discounts[0]), 10) + miss
