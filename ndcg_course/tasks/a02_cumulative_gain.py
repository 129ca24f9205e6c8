"""Assignment 2: cumulative gain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
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


def _cg(grades: list[float], k: int, *, start: int = 0, miss: int = 0, cut: bool = True, order: str = "given",
        take: str = "sum") -> float:  # fmt: skip
    """CG@k; the keywords are ways to get it wrong."""
    grades = sorted(grades, reverse=True) if order == "best" else grades
    first = grades[start : k + miss] if cut else grades[start:]
    return {"sum": sum(first), "mean": sum(first) / max(len(first), 1), "last": first[-1] if first else 0}[take]


LONG_LIST = [[1, 0, 2] * 10]  # a cut-off that nobody asked for shows here
FIRST_LOST = "Rank 1 is left out: ranks are counted from 1, Python's places from 0."

CG_BY_HAND = ValueTask(
    name="cg_by_hand",
    kind="compute",
    minutes=3,
    place="chapters/cumulative-gain#cg-definition",
    draw=lambda draw: {"grades": draw.shuffled([5, 4, 3, 1, 1, 0, 2]), "k": draw.integer(3, 5)},
    reference=_cg,
    slips=[
        slip("k-ignored", cut=False),
        slip("k-one-less", miss=-1),
        slip("k-one-more", miss=1),
        slip("first-lost", sentence=FIRST_LOST, start=1),
        slip("terms-averaged", take="mean"),
        slip("last-term-only", take="last"),
        slip("list-sorted-first", sentence="You put the best documents first before you added. The list is taken as it"
             " was returned.", order="best"),
    ],
    hints=(
        "Cover everything below rank k with your hand.",
        "Add up what is left, grade by grade.",
        "For the grades 4, 2, 5, 3 and k = 3 it is 4 + 2 + 5 = 11.",
    ),
)  # fmt: skip


def _graded(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 2, 3, 5]) for _ in range(n + 2)], draw.integer(1, n + 1)]


def _fractions(draw: Draw, n: int) -> list[Any]:
    return [[draw.integer(0, 9) / 4 for _ in range(n + 1)]]


CG_AT = FunctionTask(
    name="cg_at",
    kind="implement",
    minutes=5,
    place="chapters/cumulative-gain#cg-definition",
    reference=by_recipe("cg", "grades", "k"),
    families=[
        Family("k within the list", points=1, draw=_graded, times=20),
        Family("without k", points=1, draw=lambda draw, n: [draw.grades(n + 1)], cases=[LONG_LIST], times=8),
        Family("k beyond the list", points=0, draw=lambda draw, n: [draw.grades(n), n + draw.integer(1, 12)], times=8),
        Family("fractional grades", points=0, draw=lambda draw, n: [*_fractions(draw, n), n], times=8),
        Family("an empty list", points=0, cases=[[[]], [[], 3]]),
    ],
    low=0,
    slips=[*library("cg", without=["list-not-cut"]), slip("first-lost", lambda grades, k=None: sum(grades[1:k]), FIRST_LOST),
        slip("largest-only", lambda grades, k=None: max(grades[:k], default=0), "That is the largest of the first k grades:"
             " `max`, where a sum is asked."),
        slip("equal-grades-merged", lambda grades, k=None: sum(set(grades[:k])), "Equal grades count once in your function: a"
             " set forgets repetitions."),
        slip("divided-by-k", lambda grades, k=None: sum(grades[:k]) / k if k else sum(grades), "You divide by k: that is the"
             " mean per rank, and CG is the sum."),
        slip("k-always-3", lambda grades, k=None: sum(grades[:3]), "Your function adds up three grades, whatever k is.")],
    hints=(
        "Two steps: take the first k grades, then add.",
        "A slice stops by itself where the list ends. What does it do with `None`?",
        "`sum(grades[:k])`: with `k=None` the slice is the whole list.",
    ),
)  # fmt: skip


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


CG_CURVE = FunctionTask(
    name="cg_curve",
    kind="implement",
    minutes=5,
    place="chapters/cumulative-gain#cg-rank-by-rank",
    reference=_curve,
    families=[
        Family("whole grades", points=1, draw=lambda draw, n: [draw.grades(n + 1, 5)], times=16),
        Family("fractional grades", points=1, draw=_fractions),
        Family("an empty list", points=0, cases=[[[]]]),
    ],
    slips=[
        slip("not-added-up", sentence="Your list holds what each rank brings, not what the ranks up to it bring"
             " together.",
             step="none"),
        slip("terms-averaged", step="mean"),
        slip("running-maximum", sentence="Your list holds the best grade so far, not the sum so far.", step="max"),
        slip("begins-with-zero", sentence="Your list begins with a 0, one value too many: the first value belongs to"
             " rank 1 and is the first grade.", start="zero"),
        slip("one-rank-late", sentence="Each of your values lacks its own rank: the value at rank i goes up to rank i,"
             " included.", start="before"),
        slip("from-the-end", sentence="Your sums go from each rank to the end of the list; asked are those from the top"
             " down to the rank.", start="end"),
    ],
    hints=(
        "For 3, 0, 2 the three sums are 3, then 3 + 0, then 3 + 0 + 2.",
        "Keep a running total, and append it to a new list after each grade.",
        "`total` begins at 0; for each grade: `total = total + grade`, then `sums.append(total)`.",
    ),
)  # fmt: skip

CG_WITH_LOOP = FunctionTask(
    name="cg_with_loop",
    kind="repair",
    minutes=5,
    place="chapters/cumulative-gain#cg-definition",
    reference=_cg,
    families=[
        Family("k within the list", points=1, draw=_graded, times=20),
        Family("k beyond the list", points=1, draw=lambda draw, n: [draw.grades(n + 1), n + draw.integer(2, 5)]),
    ],
    low=0,
    slips=[
        slip("first-lost", sentence=FIRST_LOST, start=1),
        slip("k-ignored", cut=False),
        slip("k-one-less", miss=-1),
        slip("k-one-more", miss=1),
        slip("terms-averaged", take="mean"),
        slip("last-term-only", take="last"),
        slip("places-added", sentence="You add up the places 0, 1, …, and not the grades at these places.",
             wrong=lambda grades, k: sum(range(k))),
        slip("first-skipped-one-more", sentence="Your numbers go from rank 2 to rank k + 1: the right number of"
             " ranks, one too late.", wrong=lambda grades, k: sum(grades[1 : k + 1])),
    ],
    hints=(
        "Take [3, 2] and k = 2, and write down which `i` the loop goes through.",
        "`range(k)` gives 0, 1, …, k − 1: the places of the first k items.",
        "There may be fewer than k grades. `grades[:k]` holds the first k, or all there are.",
    ),
)  # fmt: skip


def _swapped(draw: Draw) -> dict[str, Any]:
    grades = draw.shuffled([5, 4, 3, 2, 1, 0])
    k = draw.integer(3, 4)
    first = draw.integer(1, k)
    second = draw.choice([rank for rank in range(1, 7) if rank != first])
    return {"grades": grades, "k": k, "ranks": sorted([first, second])}


def _after_swap(grades: list[float], k: int, ranks: list[int]) -> str:
    change = _moved(grades, ranks)
    before, after = sum(grades[:k]), sum(change[:k])
    return "rises" if after > before else "falls" if after < before else "stays"


def _moved(grades: list[float], ranks: list[int]) -> list[float]:
    a, b = (rank - 1 for rank in ranks)
    moved = list(grades)
    moved[a], moved[b] = moved[b], moved[a]
    return moved


AFTER_A_SWAP = ValueTask(
    name="after_a_swap",
    kind="predict",
    minutes=3,
    place="chapters/cumulative-gain#cg-ignores-order",
    draw=_swapped,
    reference=_after_swap,
    options={
        "rises": "CG@k rises only if a better document comes up from below rank k.",
        "falls": "CG@k falls only if a document of the first k changes places with a worse one from below.",
        "stays": "CG@k stays only if both documents stand within the first k before and after.",
    },
    why=lambda grades, k, ranks: (
        f"CG@{k} is {sum(grades[:k])} before the swap and {sum(_moved(grades, ranks)[:k])} after it."
    ),
    hints=(
        "Draw a line below rank k. On which side of it do the two documents stand?",
        "A sum does not mind the order of what it adds.",
        "If one of them stands below the line, compare their two grades.",
    ),
)


def _one_useless(draw: Draw) -> dict[str, Any]:
    grades = draw.shuffled([5, 4, 3, 2, 1, 1])
    grades.insert(draw.integer(2, 4), 0)
    return {"grades": grades}


USELESS_RANK = ValueTask(
    name="useless_rank",
    kind="read",
    minutes=3,
    place="chapters/cumulative-gain#cg-rank-by-rank",
    draw=_one_useless,
    reference=lambda grades, of="zero", miss=0: grades.index({"zero": 0, "best": max(grades)}[of]) + 1 + miss,
    slips=[
        slip("k-one-less", sentence="That is the rank before the flat piece. The flat piece leads to the rank that"
             " brings nothing.", miss=-1),
        slip("k-one-more", sentence="At this rank the curve rises again.", miss=1),
        slip("steepest", sentence="That is the rank with the steepest step: it brings most.", of="best"),
    ],
    figure=lambda grades: Steps(list(accumulate(grades)), "rank", "CG", "CG rank by rank, for seven documents"),
    why=lambda grades: f"CG@{grades.index(0)} and CG@{grades.index(0) + 1} are both"
         f" {sum(grades[: grades.index(0)])}: the grade"
    " between them is 0.",
    hints=(
        "What does the curve do at a document that is worth nothing?",
        "Look for the piece that is level.",
        "The level piece ends at the rank that you look for.",
    ),
)  # fmt: skip


def _reported(draw: Draw) -> dict[str, Any]:
    grades = draw.shuffled([4, 3, 3, 2, 1, 0])
    k = draw.integer(3, 4)
    how = draw.choice(["first k", "all", "mean"])
    return {"grades": grades, "k": k, "reported": round(_totals(grades, k)[how], 3)}


def _totals(grades: Sequence[float], k: int) -> dict[str, float]:
    return {"first k": sum(grades[:k]), "all": sum(grades), "mean": sum(grades[:k]) / k}


WHICH_TOTAL = ValueTask(
    name="which_total",
    kind="choose",
    minutes=4,
    place="chapters/which-measure#cg-and-precision",
    draw=_reported,
    candidates=lambda grades, k, reported: list(_totals(grades, k).values()),
    reference=lambda grades, k, reported: next(
        how for how, total in _totals(grades, k).items() if abs(total - reported) < 0.001
    ),
    options={
        "first k": "The sum of the first k grades is another number. Add them up.",
        "all": "The sum of all six grades is another number. Add them up.",
        "mean": "The sum of the first k grades, divided by k, is another number.",
    },
    why=lambda grades, k, reported: "; ".join(f"{how}: {total:g}" for how, total in _totals(grades, k).items()) + ".",
    hints=(
        "Three numbers can be computed from this list. Compute all three.",
        "A mean cannot be larger than the best grade.",
        "Add the first k grades; then all six; then divide the first sum by k.",
    ),
)


def _is_pair(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list)
        and len(value[name]) == 5
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and 0 <= g <= 3 for g in value[name])
        for name in ("better", "worse")
    )


BLIND_PAIR = BuildTask(
    name="blind_pair",
    kind="counterexample",
    minutes=5,
    place="chapters/cumulative-gain#cg-ignores-order",
    conditions=[
        Condition("two rankings of five grades from 0 to 3", _is_pair, "Two lists of five grades from 0 to 3 are asked:"
                  ' `{"better": […], "worse": […]}`.', broken_by={"better": [1]}, points=0),
        Condition("the same documents", lambda v: sorted(v["better"]) == sorted(v["worse"]), "The two lists do not"
             " hold the same grades: use the same five, in another order.",
                  broken_by={"better": [3, 0, 0, 0, 0], "worse": [2, 0, 0, 0, 0]}),
        Condition("better by at least 1 in DCG@5", lambda v: nd.dcg(v["better"]) >= nd.dcg(v["worse"]) + 1, "For"
             " CG@5 the two are equal, but the list that you call better is not better by 1 once ranks are discounted.",
                  broken_by={"better": [1, 0, 0, 0, 0], "worse": [0, 1, 0, 0, 0]}),
    ],
    says=lambda v: f"CG@5 is {nd.cg(v['better']):g} for both; DCG@5 is {nd.dcg(v['better']):.3f} and"
    f" {nd.dcg(v['worse']):.3f}." if sorted(v["better"]) == sorted(v["worse"]) else "",
    hints=(
        "What would annoy you most as a reader: where would the good documents stand?",
        "Take one list, and turn it upside down.",
        "Put two 3s on top of one list and at the end of the other; the rest are 0.",
    ),
)  # fmt: skip

WHAT_CG_MISSES = TextTask(
    name="what_cg_misses",
    kind="explain",
    minutes=5,
    place="chapters/cumulative-gain#cg-ignores-order",
    look_for=("the order within the first k does not matter to CG", "why it matters to a reader, with a case"),
    hints=(
        "Look at your two rankings of the task before.",
        "Who reads down to rank 5, and who stops after the first?",
        "Say what CG@5 calls equal, and which of the two a reader would rather have, and why.",
    ),
)

ASSIGNMENT = Assignment(
    name="02-cumulative-gain",
    tasks=(
        CG_BY_HAND,
        CG_AT,
        CG_CURVE,
        CG_WITH_LOOP,
        AFTER_A_SWAP,
        USELESS_RANK,
        WHICH_TOTAL,
        BLIND_PAIR,
        WHAT_CG_MISSES,
    ),
)
