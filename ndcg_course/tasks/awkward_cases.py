"""The Python of assignment 9: what its tasks draw and compute."""

from __future__ import annotations

from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe


def _dcg(grades: list[float], discount: Any = "modern") -> float:
    return float(nd.dcg(grades, discount=discount, allow_negative=True)) if grades else 0.0


def _checked(grades: list[Any], *, negative: str = "refuse", text: str = "refuse", none: str = "refuse") -> list[Any]:
    kept: list[Any] = []
    for grade in grades:
        kind, rule = "fine", ""
        if grade is None:
            kind, rule = "none", none
        elif isinstance(grade, str):
            kind, rule = "text", text
        elif grade < 0:
            kind, rule = "negative", negative
        if kind == "fine" or rule == "keep":
            kept.append(grade)
        elif rule == "zero":
            kept.append(0)
        elif rule != "leave-out":
            raise ValueError(f"{grade!r} is no grade")
    return kept


def _with(draw: Draw, n: int, strange: Any) -> list[Any]:
    grades = [draw.choice([0, 1, 2, 3, 0.5]) for _ in range(n + 1)]
    if strange != "nothing":
        grades.insert(draw.integer(0, len(grades)), strange)
    return [grades]


def _first_places(documents: list[str], *, keep: str = "first") -> list[str]:
    if keep == "last":
        return list(dict.fromkeys(documents[::-1]))[::-1]
    if keep == "single":
        return [document for document in documents if documents.count(document) == 1]
    if keep == "sorted":
        return sorted(set(documents))
    if keep == "neighbours":
        return [d for i, d in enumerate(documents) if i == 0 or documents[i - 1] != d]
    return list(dict.fromkeys(documents))


def _once(
    documents: list[str], judged: dict[str, float], *, again: str = "moved-up", discount: str = "modern"
) -> float:
    if again == "moved-up":
        documents = list(dict.fromkeys(documents))
    if again == "last-place":
        documents = list(dict.fromkeys(documents[::-1]))[::-1]
    gains, seen = [], set()
    for document in documents if again != "last" else documents[::-1]:
        gains.append(judged.get(document, 0) if document not in seen or again == "counted" else 0)
        seen.add(document)
    return _dcg(gains if again != "last" else gains[::-1], discount)


_DCG = by_recipe("dcg", "grades")


def _once_by(documents: list[str], judged: dict[str, float], **changes: Any) -> Any:
    """DCG with each document at its first place, with a slip of the library."""
    return _DCG([judged.get(document, 0) for document in dict.fromkeys(documents)], **changes)


def _run(draw: Draw, n: int, *, repeat: bool = True, strange: bool = False) -> list[Any]:
    names = [f"d{i}" for i in range(1, n + 2)] + ["D1"]
    judged = {name: draw.choice([0, 1, 2, 3]) for name in names}
    documents = [draw.choice(names) for _ in range(n + 3)] if repeat else draw.shuffled(names)
    if strange:
        documents.insert(draw.integer(0, len(documents)), "new")
    return [documents, judged]


def _short_list(draw: Draw) -> dict[str, Any]:
    more = draw.choice([[0, 0], [2, 1], [0, 1], [0, 0, 0], [1, 0]])
    returned = draw.shuffled([3, 2, 1])
    return {"returned": returned, "judged": draw.shuffled([*returned, *more])}


def _range(
    grades: list[float], scores: list[float], *, ends: str = "both", order: str = "scores", discount: str = "modern"
) -> list[float]:
    def dcg(sign: int) -> float:
        pairs = sorted(
            zip(scores, grades, strict=True),
            key=lambda pair: ({"scores": -1, "low": 1, "any": 0}[order] * pair[0], sign * pair[1]),
        )
        return _dcg([grade for _, grade in pairs], discount)

    worst, best = dcg(1), dcg(-1)
    if ends == "given":
        both = [sorted(zip(scores, grades, strict=True), key=lambda pair: -pair[0]) for _ in range(2)]
        both[0] = sorted(zip(scores[::-1], grades[::-1], strict=True), key=lambda pair: -pair[0])
        return sorted(_dcg([grade for _, grade in order], discount) for order in both)
    if ends == "turned":
        upwards = sorted(zip(scores, grades, strict=True))
        return [_dcg([grade for _, grade in upwards], discount), best]
    return {"both": [worst, best], "swapped": [best, worst], "worst": [worst, worst], "best": [best, best]}[ends]


def _range_by(grades: list[float], scores: list[float], **changes: Any) -> Any:
    """The smallest and the largest DCG, with a slip of the library."""
    pairs = list(zip(scores, grades, strict=True))
    orders = (sorted(pairs, key=lambda pair: (-pair[0], sign * pair[1])) for sign in (1, -1))
    return [_DCG([grade for _, grade in order], **changes) for order in orders]


def _fractional(draw: Draw) -> dict[str, Any]:
    grades = draw.choice(
        [[1.4, 2.6, 0.8, 1.9], [0.7, 1.6, 2.9, 1.2], [1.8, 0.6, 2.7, 3.0], [2.3, 0.9, 2.8, 1.7], [0.6, 1.7, 1.2, 2.8]]
    )
    return {"grades": draw.shuffled(grades)}


def _quotient(value: list[float]) -> float:
    best = _dcg(sorted(value, reverse=True))
    return _dcg(value) / best if abs(best) > 1e-9 else 0.0
