"""Assignment 8: which NDCG is it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe


def _order(scores: dict[str, float], *, ties: str = "later", best: str = "high") -> list[str]:
    """The ids by score; the keywords are ways to get the order wrong."""
    documents = list(scores)
    if ties == "later":
        documents = sorted(documents, reverse=best == "high")
    elif ties == "earlier":
        documents = sorted(documents, reverse=best != "high")
    elif ties == "reverse":
        documents = documents[::-1]
    if best == "ids":
        return sorted(scores, reverse=True)
    return sorted(documents, key=lambda document: -scores[document] if best == "high" else scores[document])


def _scores(draw: Draw, n: int, *, ties: bool = True, levels: Sequence[float] = ()) -> list[Any]:
    documents = draw.shuffled([f"d{i}" for i in range(1, n + 4)])
    levels = levels or ([0.1, 0.4, 0.9] if ties else [i / 8 for i in range(n + 3)])
    worth = [draw.choice(levels) for _ in documents] if ties else draw.shuffled(levels)
    return [dict(zip(documents, worth, strict=False))]


def _shared(grades: list[float], scores: list[float], *, by: str) -> float:
    """Ways in which documents with equal scores get one discount, all of them wrong."""
    d = nd.discounts(len(grades) + 1)
    total, rank = 0.0, 1
    for place, score in enumerate(sorted(set(scores), reverse=True), start=1):
        group = [grade for grade, other in zip(grades, scores, strict=True) if other == score]
        last = rank + len(group) - 1
        worth = {
            "first": d[rank - 1],
            "last": d[last - 1],
            "middle": 1 / math.log2((rank + last) / 2 + 1),
            "place": d[place - 1],
            "place-mean": d[place - 1] / len(group),
            "all": d[rank - 1 : last].sum(),
            "divisors": len(group) / (1 / d[rank - 1 : last]).sum(),
        }[by]
        total += sum(group) * float(worth)
        rank = last + 1
    return total


def _conventions(returned: Sequence[float], judged: Sequence[float], k: int) -> dict[str, float]:
    pairs: list[tuple[Any, Any]] = [(g, i) for g in ("linear", "exponential") for i in ("judged", "returned")]
    return {
        f"{gain} gain, ideal {ideal}": float(nd.ndcg(returned, k, judged=judged, gain=gain, ideal=ideal))
        for gain, ideal in pairs
    }


def _found(*, way: str, gain: str = "", ideal: str = "") -> dict[str, str]:
    named = way.replace(" gain, ideal", "").split()
    other = {"linear": "exponential", "exponential": "linear", "judged": "returned", "returned": "judged"}
    return {"gain": other[named[0]] if gain else named[0], "ideal": other[named[1]] if ideal else named[1]}


def _report(draw: Draw) -> dict[str, Any]:
    returned = draw.shuffled([3, 2, 1, 0])
    return {"returned": returned, "judged": draw.shuffled([*returned, 3, 2]), "k": 4}


def _means(queries: Sequence[Sequence[float]]) -> dict[str, float]:
    rules: dict[str, Any] = {"zero": 0.0, "one": 1.0, "skip": "skip"}
    return {
        name: float(nd.mean([nd.ndcg(grades, empty=rule) for grades in queries], empty=rule))
        for name, rule in rules.items()
    }


def _run_mean(
    qrels: dict[str, dict[str, float]],
    run: dict[str, list[str]],
    *,
    over: str = "judged",
    ideal: Any = "judged",
    count: str = "judged",
) -> float:
    values, every = [], [grade for judged in qrels.values() for grade in judged.values()]
    if over == "position":
        run = dict(zip(qrels, run.values(), strict=False))
    for query, judged in qrels.items():
        if over == "run" and query not in run:
            continue
        grades = [judged.get(document, 0) for document in run.get(query, [])]
        if over == "one" and query not in run:
            values.append(1.0)
            continue
        known = every if ideal == "pooled" else [*judged.values()]
        of: Any = "judged" if ideal == "pooled" else ideal
        values.append(float(nd.ndcg(grades, judged=known, ideal=of)) if grades else 0.0)
    if count.startswith("halves"):
        return reduce(lambda mean, value: (mean + value) / 2, [0.0, *values] if count == "halves-from-0" else values)
    number = len(run) if count == "run" else len(set(qrels) | set(run)) if count == "all" else len(values)
    return sum(values) / number if number else 0.0


_TIED = by_recipe("dcg", "grades", "scores")
_MEAN = by_recipe("mean", "grades", "judged")


def _mean_by(qrels: dict[str, dict[str, float]], run: dict[str, list[str]], **changes: Any) -> Any:
    """The mean over the judged queries, with a slip of the library."""
    lists = [[judged.get(document, 0) for document in run.get(query, [])] for query, judged in qrels.items()]
    return _MEAN(lists, [list(judged.values()) for judged in qrels.values()], **changes)


def _measured(draw: Draw, n: int) -> list[Any]:
    names = ["d", "D", "d1", "d2", "d10", "D2", "x", "X", "x9", "y", "z", "Z", "Z1"]
    qrels = {
        q: dict(zip(draw.sample(names, n + 1), draw.measured(n + 1 - (q == "q1")), strict=False))
        for q in ("q1", "Q1", "q2")
    }
    return [qrels, {q: draw.sample(names, n + 1) for q in ("q1", "Q1", "q9")}]


def _qrels_and_run(
    draw: Draw, n: int, *, missing: bool = False, strange: bool = False, same: bool = False
) -> list[Any]:
    qrels, run = {}, {}
    for q in range(1, draw.integer(2, 4) + 1):
        documents = [f"d{i}" for i in range(1, n + 4)]
        qrels[f"q{q}"] = {document: draw.choice([0, 1, 2, 3]) for document in documents} | {"d1": draw.integer(1, 3)}
        run[f"q{q}"] = draw.sample([*documents, "new"], draw.integer(2, n + 3))
    if same:
        qrels["q1"] = {"d1": 1}
        qrels["q3"], run["q3"] = qrels["q2"], run["q2"]
    if missing:
        del run[f"q{draw.integer(1, len(run))}"]
    if strange:
        run["x"] = ["d1", "d2"]
    return [qrels, run]


def _are_judged(value: Any) -> bool:
    return all(value[name].count(grade) <= value["judged"].count(grade) for name in ("a", "b") for grade in value[name])


def _both(value: Any, ideal: Any) -> tuple[float, float]:
    a, b = (float(nd.ndcg(value[name], 5, judged=value["judged"], ideal=ideal)) for name in ("a", "b"))
    return a, b
