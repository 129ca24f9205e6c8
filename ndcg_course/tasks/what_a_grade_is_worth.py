"""The Python of assignment 4: what its tasks draw and compute."""

from __future__ import annotations

import math
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw


def _gain(grade: float, form: str) -> float:
    """The exponential gain; the other forms are ways to get it wrong."""
    return {
        "exponential": lambda: 2**grade - 1,
        "linear": lambda: grade,
        "power": lambda: 2**grade,
        "exponent": lambda: 2 ** (grade - 1),
        "square": lambda: grade**2,
        "times": lambda: 2 * grade - 1,
        "binary": lambda: float(grade > 0),
        "natural": lambda: math.exp(grade) - 1,
        "swapped": lambda: grade**2 - 1,
        "flipped": lambda: float(2 ^ (grade - 1)) if isinstance(grade, int) else math.nan,
    }[form]()


def _dcg(grades: list[float], k: int, *, form: str = "exponential", cut: bool = True, discount: Any = "modern",
         base: float = 2) -> float:  # fmt: skip
    gains = [_gain(grade, form) for grade in grades]
    d = nd.discounts(len(gains), discount, base)
    return float(sum((gains[:k] if cut else gains) * (d[:k] if cut else d)))


def _by_table(grades: list[str], worth: dict[str, float], *, missing: str = "raise", form: str = "") -> list[float]:
    unknown = [grade for grade in grades if grade not in worth]
    if unknown and missing == "raise":
        raise ValueError(f"no grade {unknown[0]}")
    if missing == "left-out":
        return [worth[grade] for grade in grades if grade in worth]
    gains = [worth.get(grade, 0) for grade in grades]
    if form == "sorted":
        return sorted(gains, reverse=True)
    return [2**gain - 1 for gain in gains] if form == "exponential" else gains


def _words(draw: Draw, n: int, *, unknown: bool = False) -> list[Any]:
    scale = ["bad", "fair", "good", "perfect"]
    worth = dict(zip(scale, sorted(draw.sample([0, 1, 2, 3, 5, 8], 4)), strict=True))
    grades = [draw.choice(scale) for _ in range(n + 1)]
    if unknown:
        place = {0: 0, 1: len(grades)}.get(n % 3, draw.integer(0, len(grades)))
        grades.insert(place, draw.choice(["excellent", "Good", "", "perfect "]))
    return [grades, worth]


def _capped(grades: list[float], k: int) -> float:
    best = nd.idcg(grades, k)
    return min(1.0, float(nd.dcg(grades, k, gain="exponential") / best)) if best else 0.0


def _table(draw: Draw) -> dict[str, Any]:
    low, times = draw.integer(1, 2), draw.integer(4, 9)
    return {"gains": [0, low, draw.integer(low + 1, low * times - 1), low * times]}


def _read_the_gain_reference(gains: Any, of: Any = "ratio") -> Any:
    return {
        "ratio": gains[-1] // gains[1],
        "grades": len(gains) - 1,
        "difference": gains[-1] - gains[1],
        "middle": gains[-1] - gains[2],
    }[of]
