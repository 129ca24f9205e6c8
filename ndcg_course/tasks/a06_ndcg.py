"""Assignment 6: NDCG."""

from __future__ import annotations

import math
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.plots import Steps
from ndcg_course.tasks.task import (
    Assignment,
    BuildTask,
    Condition,
    Family,
    FunctionTask,
    TextTask,
    ValueTask,
    by_recipe,
    library,
    slip,
)

_RATIO = by_recipe("ndcg", "grades", "k")

NDCG_BY_HAND = ValueTask(
    name="ndcg_by_hand",
    kind="compute",
    minutes=7,
    worth=2,
    place="chapters/ndcg#ndcg-definition",
    draw=lambda draw: {"grades": draw.shuffled([3, draw.integer(2, 3), 2, 1, draw.integer(0, 1)]), "k": 3},
    reference=_RATIO,
    decimals=3,
    slips=[
        slip("ideal-from-top-k"),
        slip("k-ignored"),
        slip("not-normalised"),
        slip("ideal-not-cut"),
        slip("upside-down"),
        slip("original-for-modern"),
        slip("no-discount"),
        slip("divided-by-cg"),
        slip("exponential-for-linear"),
    ],
    hints=(
        "Two sums are needed: one over the list as it is, one over the best order of all five.",
        "First sort all five grades, then take three of them for the ideal.",
        "For the grades 0, 1, 0 with k = 2: DCG is 1/1.58496 = 0.63093, IDCG is 1, and NDCG is 0.631.",
    ),
)


def _with_k(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 2, 2, 3]) for _ in range(n + 3)], draw.integer(1, n + 2)]


def _from_worst(grades: list[float], k: int | None = None) -> float:
    best, worst = nd.idcg(grades, k), nd.dcg(sorted(grades), k)
    return float((nd.dcg(grades, k) - worst) / (best - worst)) if best > worst else 0.0


NDCG_AT = FunctionTask(
    name="ndcg_at",
    kind="implement",
    minutes=8,
    place="chapters/ndcg#ndcg-definition",
    reference=by_recipe("ndcg", "grades", "k"),
    families=[
        Family("the first k ranks", points=2, draw=_with_k, times=24),
        Family("without k", points=1, draw=lambda draw, n: [draw.grades(n + 2)], cases=[[[1, 0, 2] * 10]], times=10),
        Family(
            "fractional grades",
            points=1,
            draw=lambda d, n: [[d.integer(0, 12) / 4 for _ in range(n + 2)], d.integer(1, n + 1)],
            cases=[[[0.25, 0.5, 0.0], 1]],  # IDCG below 1
        ),
        Family("no document with a gain", points=1, cases=[[[0, 0, 0]], [[0], 1], [[]], [[0, 0], 5]]),
    ],
    low=0,
    high=1,
    slips=[
        *library("ndcg"),
        slip(
            "scaled-from-the-worst",
            _from_worst,
            "You measure from the worst order: that gives 0 to it. NDCG is the quotient of DCG and IDCG, without"
            " subtracting.",
        ),
        slip(
            "ideal-of-threes",
            lambda grades, k=None: nd.dcg(grades, k) / nd.dcg([3] * len(grades), k) if grades else 0.0,
            "Your ideal holds a 3 at every rank. It is made from the grades that there are.",
        ),
    ],
    hints=(
        "`dcg_of` is there already. Of which two lists do you need it?",
        "`sorted(grades, reverse=True)` is the ideal list; pass it with the same k.",
        "If the ideal sum is 0, return 0.0 instead of dividing.",
    ),
)


def _query(draw: Draw, n: int) -> list[Any]:
    judged = [draw.choice([0, 1, 2, 3, 3]) for _ in range(n + 4)]
    returned = draw.sample(judged, draw.integer(2, n + 3))
    return [returned, judged, draw.integer(1, n + 3)]


def _few(draw: Draw, n: int) -> list[Any]:
    judged = [draw.choice([1, 2, 3, 3]) for _ in range(n + 3)]
    return [draw.sample(judged, 1), judged, draw.integer(2, n + 2)]


NDCG_OF_QUERY = FunctionTask(
    name="ndcg_of_query",
    kind="implement",
    minutes=6,
    place="chapters/ndcg#any-ranking-any-k",
    reference=by_recipe("ndcg", "grades", "judged", "k"),
    families=[
        Family("more judged than returned", points=2, draw=_query, times=24),
        Family("fewer returned than k", points=1, draw=_few, times=12),
        Family("no judged document with a gain", points=1, cases=[[[0], [0, 0], 2], [[0, 0], [0, 0, 0], 1]]),
    ],
    low=0,
    high=1,
    slips=[
        *library("ndcg"),
        slip(
            "returned-twice",
            lambda grades, judged, k: nd.ndcg(grades, k, judged=[*grades, *judged]),
            "Your ideal holds the returned documents twice: they are among the judged already.",
        ),
    ],
    hints=(
        "Which of the two lists does the ideal come from?",
        "The returned list keeps its order. The judged list is sorted; then both are cut at k.",
        "It is `ndcg_at` with `judged` in the place of `grades` inside `sorted`.",
    ),
    valid=lambda grades, judged, k: all(grades.count(g) <= judged.count(g) for g in grades),
)


def _curve(grades: list[float], *, ideal: str = "judged", step: str = "ndcg", start: int = 1) -> list[float]:
    n = len(grades)
    ranks = range(start, n + start)
    if step == "dcg":
        return [nd.dcg(grades, k) if k else 0.0 for k in ranks]
    if step == "constant":
        return [nd.ndcg(grades) for _ in ranks]
    if ideal == "top":
        return [nd.ndcg(grades[:k]) for k in ranks]
    if ideal == "whole":
        best = nd.idcg(grades)
        return [nd.dcg(grades, k) / best if best else 0.0 for k in ranks]
    return [nd.ndcg(grades, k) if k else 0.0 for k in ranks]


NDCG_CURVE = FunctionTask(
    name="ndcg_curve",
    kind="implement",
    minutes=4,
    place="chapters/ndcg#curve-over-k",
    reference=_curve,
    families=[
        Family("whole grades", points=2, draw=lambda draw, n: [draw.grades(n + 2)], times=16),
        Family("no document, or none with a gain", points=0, cases=[[[]], [[0, 0]]]),
    ],
    slips=[
        slip("ideal-from-top-k", ideal="top"),
        slip("ideal-not-cut", ideal="whole"),
        slip("not-normalised", step="dcg"),
        slip("one-value-for-all", sentence="All your values are NDCG of the whole list; asked is one for each cut-off.",
             step="constant"),
        slip("begins-with-zero", sentence="Your first value belongs to k = 0; the list begins with k = 1.", start=0),
        slip("begins-with-two", sentence="Your first value belongs to k = 2; the list begins with k = 1.", start=2),
    ],
    hints=(
        "It is one number for each cut-off. You have a function that gives one such number.",
        "`range(1, len(grades) + 1)` gives the cut-offs from 1 to the end.",
        "Collect `ndcg_at(grades, k)` for each of these k in a list.",
    ),
)  # fmt: skip


def _dip(draw: Draw) -> dict[str, Any]:
    while True:
        grades = [draw.integer(0, 3) for _ in range(7)]
        curve = [round(float(x), 3) for x in nd.curve(grades).ndcg]
        lowest = curve.index(min(curve))
        if curve.count(curve[lowest]) == 1 and 0 < lowest < 6 and curve[lowest] > 0:
            return {"curve": curve}


LOWEST_AT = ValueTask(
    name="lowest_at",
    kind="read",
    minutes=3,
    place="chapters/ndcg#curve-over-k",
    draw=_dip,
    reference=lambda curve, of="min", miss=0: curve.index(min(curve) if of == "min" else max(curve)) + 1 + miss,
    slips=[
        slip("k-one-less", sentence="One rank later the curve is lower still.", miss=-1),
        slip("k-one-more", sentence="The curve has begun to rise again here.", miss=1),
        slip("highest", sentence="That is where the curve is highest.", of="max"),
    ],
    figure=lambda curve: Steps(curve, "cut-off k", "NDCG@k", "NDCG@k over the cut-off k"),
    why=lambda curve: "The values are " + ", ".join(f"{value:.3f}" for value in curve) + ".",
    hints=(
        "The curve falls where a rank brings less than the ideal has there.",
        "Look for the lowest dot.",
        "The description of the plot gives the value at each k.",
    ),
)


def _five(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 5
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and 0 <= g <= 3 for g in value)
    )


RISES_WITH_K = BuildTask(
    name="rises_with_k",
    kind="counterexample",
    minutes=5,
    place="chapters/ndcg#curve-over-k",
    conditions=[
        Condition("five grades from 0 to 3", _five, "A list of five grades from 0 to 3 is asked.",
                  broken_by=[1, 2], points=0),
        Condition("a document with a gain", lambda v: max(v) > 0, "No document has a gain, so NDCG is 0 for every k.",
                  broken_by=[0, 0, 0, 0, 0], points=0),
        Condition("NDCG@5 above NDCG@3", lambda v: nd.ndcg(v, 5) > nd.ndcg(v, 3), "NDCG@5 is not larger than NDCG@3 for"
                  " this list.", broken_by=[3, 2, 1, 0, 0]),
        Condition("by at least 0.2", lambda v: nd.ndcg(v, 5) >= nd.ndcg(v, 3) + 0.2, "NDCG@5 is larger, but by"
                  " less than 0.2.", broken_by=[0, 1, 3, 0, 1]),
    ],
    says=lambda v: f"NDCG@3 is {nd.ndcg(v, 3):.3f}, NDCG@5 is {nd.ndcg(v, 5):.3f}.",
    hints=(
        "What must the first three ranks lack, and where must it come?",
        "A good document at rank 4 or 5 is in the ideal top 3 already; in DCG it counts only from there on.",
        "Put the zeros first.",
    ),
)  # fmt: skip


def _change(draw: Draw) -> dict[str, Any]:
    grades = draw.choice([[1, 3, 0, 2], [0, 2, 3, 1], [2, 0, 3, 1], [1, 2, 0, 3]])
    return {"grades": grades, "change": draw.choice(["doubled", "one more"])}


def _changed(grades: list[float], change: str) -> list[float]:
    return [grade * 2 for grade in grades] if change == "doubled" else [grade + 1 for grade in grades]


AFTER_A_CHANGE = ValueTask(
    name="after_a_change",
    kind="predict",
    minutes=3,
    place="chapters/ndcg-bounds#comparable-across-queries",
    draw=_change,
    reference=lambda grades, change: "stays" if change == "doubled" else "rises",
    options={
        "rises": "A factor is in DCG and in IDCG, and cancels.",
        "falls": "Neither of the two changes makes the list worse compared with its ideal.",
        "stays": "Adding 1 to each grade gives even the worst documents a gain, so their order matters less.",
    },
    why=lambda grades, change: (
        f"NDCG is {nd.ndcg(grades):.3f} before and {nd.ndcg(_changed(grades, change)):.3f} after. Where a scale begins"
        " matters, how wide its steps are does not."
    ),
    hints=(
        "Write NDCG as a fraction. What does the change do to its upper part, what to its lower?",
        "A factor comes out of both sums. What does an added 1 do to them?",
        "Adding 1 adds the same amount to DCG and IDCG. What does that do to a fraction below 1?",
    ),
)


def _mean(
    queries: list[list[float]], k: int | None, *, how: str = "mean", ideal: str = "judged", empty: str = "zero"
) -> float:
    if how == "ratio":
        best = sum(nd.idcg(q, k) for q in queries)
        return float(sum(nd.dcg(q, k) for q in queries) / best) if best else 0.0
    if how == "joined":
        return float(nd.ndcg([grade for q in queries for grade in q], k))
    if how == "dcg":
        return sum(float(nd.dcg(q, k)) for q in queries) / len(queries)
    values = [nd.ndcg(q[:k] if ideal == "top" else q, k) for q in queries if empty != "dropped" or any(q)]
    if empty == "one":
        values = [value if any(q) else 1.0 for value, q in zip(values, queries, strict=True)]
    if how == "median":
        ordered = sorted(values)
        return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2 if ordered else 0.0
    if not values or how == "sum":
        return float(sum(values))
    return float({"mean": sum(values) / len(values), "best": max(values), "first": values[0] / len(values)}[how])


def _queries(draw: Draw, n: int, *, empty: bool = False) -> list[Any]:
    queries = [[draw.choice([0, 1, 2, 3]) for _ in range(draw.integer(2, n + 3))] for _ in range(draw.integer(2, 4))]
    queries = [[1, *q] if not any(q) else q for q in queries]
    if empty:
        queries.insert(draw.integer(0, len(queries)), [0] * draw.integer(1, 3))
    return [queries, draw.integer(1, n + 2)]


MEAN_NDCG = FunctionTask(
    name="mean_ndcg",
    kind="repair",
    minutes=5,
    place="chapters/ndcg#mean-over-queries",
    reference=_mean,
    families=[
        Family("queries with something to find", points=2, draw=_queries, times=16),
        Family("a query with nothing to find", points=1, draw=lambda draw, n: _queries(draw, n, empty=True), times=10),
    ],
    low=0,
    high=1,
    slips=[
        slip("ratio-of-means", how="ratio"),
        slip("sum-over-queries", how="sum"),
        slip("empty-dropped", empty="dropped"),
        slip("one-for-empty", empty="one"),
        slip("ideal-from-top-k", ideal="top"),
        slip("median", sentence="Your numbers are medians; asked is the mean.", how="median"),
        slip("k-ignored", wrong=lambda queries, k: _mean(queries, None)),
        slip("divided-by-k", sentence="You divide by k, not by the number of queries.",
             wrong=lambda queries, k: _mean(queries, k, how="sum") / k),
        slip("weighted-by-length", sentence="Longer lists weigh more in your mean. Each query counts alike.",
             wrong=lambda queries, k: sum(float(nd.ndcg(q, k)) * len(q) for q in queries) / sum(map(len, queries))),
        slip("mean-of-dcg", sentence="Your numbers are the mean of DCG: the queries are not divided by their ideals.", how="dcg"),
        slip("best-query-only", sentence="Your numbers are those of the best query alone.", how="best"),
        slip("first-query-only", sentence="Only the first query counts in your function. Does a `return` stand inside the"
             " loop?", how="first"),
        slip("queries-joined", sentence="You join the lists of all queries into one. Each query is a ranking of its own.",
             how="joined"),
    ],
    hints=(
        "What weight does a query with many good documents get in the code as it is?",
        "Each query first gets its own NDCG; then these are averaged.",
        "The sum of `ndcg_at(grades, k)` over the queries, divided by the number of queries.",
    ),
)  # fmt: skip


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


RANDOM_BASELINE = ValueTask(
    name="random_baseline",
    kind="compute",
    minutes=5,
    worth=2,
    place="chapters/ndcg-bounds#random-order",
    draw=lambda draw: {"documents": draw.integer(8, 30)},
    reference=_chance,
    decimals=3,
    slips=[
        slip("middle-rank", sentence="That is the discount of the middle rank. The mean of the discounts is larger, as"
             " the curve is bent.", how="middle"),
        slip("one-half", sentence="A half would be right if the discount fell in a straight line to 0.", how="half"),
        slip("last-rank", sentence="That is NDCG if the document stands last.", how="last"),
        slip("chance-of-first", sentence="That is the chance that the document stands first. At the other ranks it"
             " brings something, too.", how="share"),
        slip("reciprocal-discount", how="reciprocal"),
    ],
    why=lambda documents: f"Chance alone reaches {_chance(documents):.3f} here. A system should be compared with that,"
    " not with 0.",
    hints=(
        "IDCG is 1. What is NDCG if the document stands at rank 1, at rank 2, at rank i?",
        "Each rank is equally likely, so it is a mean over the ranks.",
        "The sum of 1/log2(i + 1) over all ranks, divided by their number.",
    ),
)  # fmt: skip

WHAT_TO_COMPARE = TextTask(
    name="what_to_compare",
    kind="explain",
    minutes=5,
    place="chapters/ndcg-bounds#comparable-across-queries",
    worth=2,
    look_for=(
        "says no, and that the same range is not the same scale",
        "names something that differs between query sets: number of relevant documents, judging depth, convention",
        "proposes to compare both systems on the same queries",
    ),
    hints=(
        "What did a random order reach in the task before, and on what did that depend?",
        "What else may differ between your evaluation and the paper's?",
        "Which comparison would be safe?",
    ),
)

ASSIGNMENT = Assignment(
    name="06-ndcg",
    tasks=(
        NDCG_BY_HAND,
        NDCG_AT,
        NDCG_OF_QUERY,
        NDCG_CURVE,
        LOWEST_AT,
        RISES_WITH_K,
        AFTER_A_CHANGE,
        MEAN_NDCG,
        RANDOM_BASELINE,
        WHAT_TO_COMPARE,
    ),
)
