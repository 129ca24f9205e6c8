"""The Python of assignment 11: what its tasks draw and compute."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe
from ndcg_course.tasks.slips import TaskSlip, library, slipped


def _one_found(relevant: int, k: int, *, ideal: str = "judged", discount: Any = "modern", cut: bool = True) -> float:
    pool = [1] * (relevant if ideal == "judged" else 1)
    return 1 / float(nd.idcg(pool, k if cut else None, discount=discount))


def _one_of_many(draw: Draw) -> dict[str, Any]:
    k = draw.integer(4, 20)
    return {"relevant": k + draw.integer(1, 3), "k": k}


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


def _measured(draw: Draw, n: int) -> list[Any]:
    judged = draw.measured(n)
    return [draw.sample(judged, draw.integer(1, n)), judged, draw.integer(1, n + 1)]


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


DOCUMENTS = ["d1", "D1", "d2", "d10", "a", "A", "b", "B", "c", "C", "e", "E", "f", "g", "h", "H"]


def _files(draw: Draw, n: int, *, scores: str = "one digit", missing: bool = False) -> list[Any]:
    """The lines of a file of judgements and of a run, and a cut-off."""
    qrels, run = [], []
    queries = ["q1", "Q1", "q2", "q3", "q4"][: 1 + n % 4 + missing]
    gone = draw.choice(queries) if missing else ""
    for query in queries:
        known = draw.sample(DOCUMENTS, n // 2 + 3)
        top = 12 if scores == "any" else 3
        qrels += [f"{query} 0 {document} {draw.integer(0, top)}" for document in known]
        found = draw.sample([*known, "new"], n // 2 + 2)
        if scores == "any":
            worth: list[float] = [draw.choice(draw.scores(6)) for _ in found]
        else:
            worth = draw.sample([9.5, 8, 7.25, 6.5, 5, 4.25, 3.5, 2, 1.5, 0.5], len(found))
            worth = [x * 10 if i % 2 and scores == "two digits" else x for i, x in enumerate(worth)]
        rows = enumerate(zip(found, worth, strict=False), start=1)
        run += [f"{query} Q0 {name} {rank} {score:g} tag" for rank, (name, score) in rows] if query != gone else []
    return [qrels, run, draw.integer(1, n // 2 + 3)]


def _mean_of_files(
    qrels: Sequence[str], run: Sequence[str], k: int, *, read: str = "numbers", silent: str = "zero", ties: int = 1
) -> float:
    """Mean NDCG@k over the judged queries, from the lines of the two files; the keywords are ways to get it wrong."""
    values = []
    if not all(isinstance(line, str) for line in [*qrels, *run]):
        raise TypeError("a line is a text")
    rows = [line.split() for line in qrels]
    for query in dict.fromkeys(row[0] for row in rows):
        judged = {row[2]: int(row[3]) for row in rows if row[0] == query}
        found = [(row[4], row[2]) for row in map(str.split, run) if row[0] == query]
        if not found and silent == "out":
            continue
        order = sorted(found, key=lambda pair: pair[1], reverse=ties == 1)
        if read == "numbers":
            order.sort(key=lambda pair: float(pair[0]), reverse=True)
        elif read == "whole":
            order.sort(key=lambda pair: int(float(pair[0])), reverse=True)
        else:
            order.sort(key=lambda pair: pair[0], reverse=True)
        grades = [judged.get(document, 0) for _, document in order]
        values.append(float(nd.ndcg(grades, k, judged=list(judged.values()))) if grades else 0.0)
    return sum(values) / len(values) if values else 0.0


@cache
def _wrong_programs() -> tuple[TaskSlip, ...]:
    """What the known slips make of NDCG@k of a query, where it differs from the right one and the others."""
    queries = [_some_query(Draw("wrong programs", number)) for number in range(40)]
    seen, programs = [[_by_program(None, query) for query in queries]], []
    for slip in library("ndcg"):
        values = [_by_program(slip, query) for query in queries]
        if all(max(abs(a - b) for a, b in zip(values, other, strict=True)) >= 0.01 for other in seen):
            seen.append(values)
            programs.append(slip)
    return tuple(programs)


def _some_query(draw: Draw) -> list[Any]:
    judged = draw.grades(draw.integer(1, 8), 5)
    return [draw.sample(judged, draw.integer(1, len(judged))), judged, draw.integer(1, 8)]


def _by_program(slip: TaskSlip | None, query: Sequence[Any]) -> float:
    """What a wrong program gives, or the right one; -1 where it breaks off."""
    try:
        value = float(slipped(_NDCG, [slip] if slip else [])(*query))
    except (ArithmeticError, ValueError, LookupError, TypeError):
        return -1.0
    return value if math.isfinite(value) else -1.0


def _are_tests(answer: Any) -> bool:
    from ndcg_course.tasks.reading import grades_in  # which reads this module

    return (
        isinstance(answer, list)
        and 1 <= len(answer) <= 6
        and all(
            isinstance(test, list)
            and len(test) == 4
            and all(grades_in(grades, length=(1, 8), between=(0, 5), whole=True) for grades in test[:2])
            and type(test[2]) is int
            and 1 <= test[2] <= 10
            and isinstance(test[3], (int, float))
            and not isinstance(test[3], bool)
            and all(test[0].count(grade) <= test[1].count(grade) for grade in test[0])
            for test in answer
        )
    )


def _passes(slip: TaskSlip | None, tests: Sequence[Sequence[Any]]) -> bool:
    return all(abs(_by_program(slip, test[:3]) - test[3]) <= 0.0015 for test in tests)


def _stopped(tests: Sequence[Sequence[Any]]) -> int:
    """How many of the wrong programs do not pass the tests."""
    return sum(not passes for passes in _survey(json.dumps(tests)))


@lru_cache(maxsize=64)
def _survey(tests: str) -> list[bool]:
    return [_passes(slip, json.loads(tests)) for slip in _wrong_programs()]
