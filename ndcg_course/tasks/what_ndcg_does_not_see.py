"""The Python of assignment 10: what its tasks draw and compute."""

from __future__ import annotations

from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw


def _three_more_useless(value: Any) -> bool:
    useful = [[grade for grade in sorted(value[name]) if grade > 0] for name in ("short", "long")]
    return useful[0] == useful[1] and value["long"].count(0) >= value["short"].count(0) + 3


def _precision(
    grades: list[float], k: int, lowest: float, *, over: str = "k", at: str = "least", cut: bool = True
) -> float:
    read = grades[:k] if cut else grades
    hits = sum(grade >= lowest if at == "least" else grade > lowest if at == "above" else grade > 0 for grade in read)
    relevant = sum(grade >= lowest for grade in grades)
    return hits / {"k": k, "list": len(grades), "relevant": max(relevant, 1), "nothing": 1}[over]


def _hits(draw: Draw) -> dict[str, Any]:
    """Three hits, none beside another, and what follows after them."""
    gap, first, further = draw.integer(1, 3), draw.integer(1, 2), draw.integer(1, 2)
    third = first + gap + further + 1
    hits = [0] * 10
    for rank in (first, first + gap + 1, third + 1):
        hits[rank - 1] = 1
    return {"hits": hits[: third + 1] + [draw.integer(0, 1) for _ in hits[third + 1 :]]}


def _nth(hits: list[int], *, of: int = 2, miss: int = 0) -> int:
    return [rank for rank, hit in enumerate(hits, start=1) if hit][of - 1] + miss


def _first_hit(hits: list[int], *, of: str = "first", form: str = "reciprocal", miss: int = 0) -> float:
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
    if not ranks:
        return 0.0
    rank = {"first": ranks[0], "last": ranks[-1]}[of] + miss
    return {
        "reciprocal": 1 / max(rank, 1),
        "rank": float(rank),
        "log": float(nd.discounts(rank)[-1]),
        "sum": sum(1 / r for r in ranks),
    }[form]


def _average(
    hits: list[int], relevant: int, *, over: str = "relevant", at: str = "hits", found: str = "so-far"
) -> float:
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit or at == "all"]
    late = {"so-far": 0, "before": 1}
    values = [(sum(hits[: rank - late[found]]) if found in late else 1) / rank for rank in ranks]
    divisor = {"relevant": relevant, "found": sum(hits), "list": len(hits), "nothing": 1}[over]
    return sum(values) / divisor if divisor else 0.0


def _hits_and_relevant(draw: Draw, n: int) -> list[Any]:
    hits = [draw.choice([0, 1]) for _ in range(n + 2)]
    return [hits, sum(hits) + draw.integer(1, 3)]


def _all_found(draw: Draw, n: int) -> list[Any]:
    hits = [1, *(draw.choice([0, 1]) for _ in range(n + 1))]
    return [hits, sum(hits)]


def _rbp(hits: list[int], p: float, *, scale: str = "1-p", power: int = -1) -> float:
    total = sum(hit * p ** (rank + power) for rank, hit in enumerate(hits, start=1))
    reached = sum(p**i for i in range(len(hits)))
    return total * {"1-p": 1 - p, "none": 1.0, "p": p, "list": 1 / reached if reached else 0.0}[scale]


_ASKED = {
    "Of the ten {} on the first page, how many are of use?": "precision",
    "Did the search find all the {} that matter to us?": "recall",
    "Somebody wants one of the {}, and no other: how far down is it?": "reciprocal rank",
    "Are the better of the good {} above the less good ones?": "NDCG",
}
_THINGS = ("patents", "recipes", "films", "flats", "songs", "judgments of courts", "spare parts", "clinical studies")
QUESTIONS = {asked.format(things): name for asked, name in _ASKED.items() for things in _THINGS}
