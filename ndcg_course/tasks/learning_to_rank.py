"""The Python of assignment 12: what its tasks draw and compute."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe


def _a_swap(draw: Draw) -> dict[str, Any]:
    a = draw.integer(1, 2)
    grades = draw.shuffled([0, 1, 2, 3])
    top, low = draw.choice([(3, 0), (3, 1), (2, 0)])
    grades[a - 1 : a] = [low]
    b = a + draw.integer(1, 2)
    grades[b - 1 : b] = [top]
    return {"grades": [*grades, draw.integer(1, 3)], "a": a, "b": b}


def _turned(grades: list[float], a: int, b: int) -> list[float]:
    """The list with the documents at two ranks in each other's place."""
    turned = list(grades)
    turned[a - 1], turned[b - 1] = turned[b - 1], turned[a - 1]
    return turned


def _pay(grades: list[float], a: int, b: int, *, over: str = "idcg", discounts: str = "modern") -> float:
    if over in ("before", "after"):
        return float(nd.ndcg(grades if over == "before" else _turned(grades, a, b)))
    gap = abs(grades[a - 1] - grades[b - 1])
    fall = abs(1 / math.log2(a + 1) - 1 / math.log2(b + 1)) if discounts == "modern" else 1
    return float(gap * fall / {"idcg": nd.idcg(grades), "dcg": nd.dcg(grades), "nothing": 1}[over])


def _a_list(draw: Draw) -> dict[str, Any]:
    return {"grades": [draw.choice([1, 2]), *draw.shuffled([0, 0, draw.integer(1, 2), 3]), draw.choice([0, 1])]}


def _dearest(grades: list[int], *, by: str = "both") -> list[int]:
    pairs: list[tuple[int, int]] = list(combinations(range(1, len(grades) + 1), 2))
    if by == "neighbours":
        pairs = [(a, b) for a, b in pairs if b == a + 1]

    def worth(pair: tuple[int, int]) -> float:
        a, b = pair
        gap, fall = abs(grades[a - 1] - grades[b - 1]), 1 / math.log2(a + 1) - 1 / math.log2(b + 1)
        return {"distance": fall, "grades": gap + b / 100}.get(by, gap * fall)

    best: tuple[int, int] = max(pairs, key=worth)
    return list(best)


def _weight(
    grades: list[float], i: int, j: int, *, over: str = "idcg", sign: bool = False, shift: int = 0,
    item: int = 1, gap: bool = True, logs: bool = False,
) -> float:  # fmt: skip
    if over in ("before", "after"):
        return float(nd.ndcg(grades if over == "before" else _turned(grades, i, j)))
    d = [math.log2(rank + 1 + shift) ** (1 if logs else -1) for rank in range(1, len(grades) + 1)]
    change = (grades[j - item] - grades[i - item] if gap else 1) * (d[i - 1] - d[j - 1])
    under = {"idcg": nd.idcg(grades), "dcg": nd.dcg(grades), "nothing": 1.0}[over]
    return float((change if sign else abs(change)) / under) if under else 0.0


_NDCG = by_recipe("ndcg", "grades")


def _weight_by(grades: list[float], i: int, j: int, **changes: Any) -> float:
    """By how much NDCG changes, with a slip of the library in both values."""
    return abs(float(_NDCG(grades, **changes)) - float(_NDCG(_turned(grades, i, j), **changes)))


def _pull(better: float, worse: float, *, turned: bool = False, what: str = "pull", base: float = math.e) -> float:
    d = worse - better if turned else better - worse
    return {"pull": float(1 / (1 + base**d)), "loss": math.log1p(math.exp(-d)), "distance": d}[what]


def _distance(scores: list[float]) -> float:
    return sum((score - grade) ** 2 for score, grade in zip(scores, [3, 1, 0], strict=True)) / 2
