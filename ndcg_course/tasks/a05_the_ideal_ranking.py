"""Assignment 5: the ideal ranking."""

from __future__ import annotations

import math
from collections.abc import Mapping
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


def _ideal(
    judged: list[float], k: int | None = None, *, order: str = "best", cut: str = "after", miss: int = 0
) -> list[float]:
    """The ideal list; the keywords are ways to get it wrong."""
    limit = len(judged) if k is None else max(k + miss, 0)
    pool = judged[:limit] if cut == "before" else judged
    if order == "distinct":
        pool = sorted(set(pool), reverse=True)
    elif order == "best":
        pool = sorted(pool, reverse=True)
    elif order == "ascending":
        pool = sorted(pool)
    elif order == "reversed":
        pool = pool[::-1]
    return pool if cut == "never" else pool[:limit]


def _distinct_grades(draw: Draw, n: int) -> list[Any]:
    return [draw.shuffled(range(n + 1))]


def _repeated(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 2, 2, 3]) for _ in range(n + 2)]]


def _fractions(draw: Draw, n: int) -> list[Any]:
    return [[draw.integer(0, 10) / 4 for _ in range(n + 1)]]


def _repeated_or_fractions(draw: Draw, n: int) -> list[Any]:
    return _repeated(draw, n) if draw.integer(0, 1) else _fractions(draw, n)


def _with_k(draw: Draw, n: int) -> list[Any]:
    judged = [draw.choice([0, 1, 2, 2, 3]) for _ in range(n + 2)]
    return [judged, draw.integer(1, n + 1)]


def _k_beyond(draw: Draw, n: int) -> list[Any]:
    return [draw.grades(n), n + draw.integer(1, 4)]


BEST_FIRST = FunctionTask(
    name="best_first",
    kind="implement",
    minutes=4,
    place="chapters/the-ideal-ranking#ideal-definition",
    reference=_ideal,
    families=[
        Family("grades that all differ", draw=_distinct_grades),
        Family("grades that repeat, and fractions", draw=_repeated_or_fractions),
    ],
    slips=[
        slip("ideal-not-sorted", order="given"),
        slip("ideal-ascending", order="ascending"),
        slip("ideal-distinct", order="distinct"),
        slip("ideal-reversed", sentence="Your list is the given one backwards. The best order depends on the grades,"
             " not on where a document stood.", order="reversed"),
    ],
    hints=(
        "Take five grades on paper and write them best first. What did you look at to decide which comes next?",
        "Python has a function that returns a new sorted list. It begins with the smallest, unless you tell it"
        " otherwise.",
        "`sorted(judged, reverse=True)` is a new list with the largest first; it leaves `judged` alone.",
    ),
)  # fmt: skip

IDEAL_TOP = FunctionTask(
    name="ideal_top",
    kind="implement",
    minutes=5,
    place="chapters/the-ideal-ranking#first-sort-then-cut",
    reference=_ideal,
    families=[
        Family("the first k of the ideal list", points=1, draw=_with_k, times=20),
        Family("k beyond the list", points=1, draw=_k_beyond, times=8),
    ],
    slips=[
        slip("ideal-cut-before-sorting", cut="before"),
        slip("k-ignored", cut="never"),
        slip("k-one-less", miss=-1),
        slip("k-one-more", miss=1),
        slip("ideal-ascending", order="ascending"),
        slip("ideal-not-sorted", order="given"),
        slip("ideal-distinct", order="distinct"),
        slip("last-of-the-ideal", sentence="Your list holds the last k of the ideal list, its worst ones.",
             wrong=lambda judged, k: sorted(judged, reverse=True)[-k:]),
        slip("rest-of-the-ideal", sentence="Your list holds what comes after the first k, and not the first k.",
             wrong=lambda judged, k: sorted(judged, reverse=True)[k:]),
    ],
    hints=(
        "Two things happen to the list: it is sorted, and it is cut. Try both orders on [0, 1, 3] with k = 2.",
        "`some_list[:k]` is its first k items; where there are fewer than k, it is all of them.",
        "Call your `best_first`, then cut what it returns.",
    ),
)  # fmt: skip


def _hand_data(draw: Draw) -> dict[str, Any]:
    return {
        "judged": draw.shuffled([draw.integer(3, 5), draw.integer(2, 4), draw.integer(1, 3), draw.integer(1, 2), 0]),
        "k": 3,
    }


def _hand(judged: list[float], k: int, *, order: str = "best", cut: str = "after", shift: int = 1, base: float = 2,
          gain: str = "linear", discount: str = "log") -> float:  # fmt: skip
    total = 0.0
    for i, grade in enumerate(_ideal(judged, k, order=order, cut=cut), start=1):
        worth = 2**grade - 1 if gain == "exponential" else grade
        below = {"log": math.log(max(i + shift, 2), base), "rank": i, "none": 1}[discount]
        total += worth / below
    return total


IDCG_BY_HAND = ValueTask(
    name="idcg_by_hand",
    kind="compute",
    minutes=6,
    worth=2,
    place="chapters/the-ideal-ranking#ideal-definition",
    draw=_hand_data,
    reference=_hand,
    decimals=3,
    slips=[
        slip("ideal-not-sorted", order="given"),
        slip("ideal-cut-before-sorting", cut="before"),
        slip("k-ignored", cut="never"),
        slip("ideal-ascending", order="ascending"),
        slip("natural-log", base=math.e),
        slip("original-for-modern", shift=0),
        slip("no-discount", discount="none"),
        slip("reciprocal-discount", discount="rank"),
        slip("exponential-for-linear", gain="exponential"),
    ],
    hints=(
        "Write the five grades best first. Only the first k of them count.",
        "Rank 1 counts in full, rank 2 is divided by log2(3) = 1.585, rank 3 by log2(4) = 2.",
        "For the grades 2, 1, 0 it would be 2/1 + 1/1.585 + 0/2 = 2.631.",
    ),
)  # fmt: skip

IDCG_AT = FunctionTask(
    name="idcg_at",
    kind="implement",
    minutes=8,
    place="chapters/the-ideal-ranking#ideal-definition",
    reference=by_recipe("idcg", "judged", "k"),
    families=[
        Family("grades in any order, with k", points=2, draw=_with_k, times=20),
        Family("without k", points=1, draw=lambda d, n: [d.grades(n + 1)], cases=[[[1, 0, 2] * 10]], times=8),
        Family("fractional grades", points=1, draw=lambda d, n: [*_fractions(d, n), d.integer(1, n)], times=8),
        Family("no document, or none with a gain", points=0, cases=[[[]], [[0, 0]], [[0], 3]]),
    ],
    low=0,
    slips=library("idcg", without=["ideal-from-top-k", "ideal-not-cut"]),
    hints=(
        "DCG of which list? Once you have that list, nothing new is needed.",
        "`ideal_top(judged, k)` gives the list; then add up grade / log2(rank + 1), with ranks from 1.",
        "`for i, grade in enumerate(ideal_top(judged, k), start=1)` gives rank and grade together.",
    ),
)  # fmt: skip


RETURNED_TWICE = "Your ideal holds the returned documents twice: they are among the judged already."


def _pool(judged: Mapping[str, float], returned: list[str], k: int, source: str) -> list[float]:
    grades = [judged.get(document, 0) for document in returned]
    return {
        "judged": list(judged.values()),
        "returned": grades,
        "top": grades[:k],
        "short": sorted(judged.values(), reverse=True)[: len(returned)],
        "twice": [*judged.values(), *grades],
        "missed": [grade for document, grade in judged.items() if document not in returned],
    }[source]


def _idcg_of_query(
    returned: list[str], judged: Mapping[str, float], k: int, *, source: str = "judged", **wrong: Any
) -> float:
    return _hand(_pool(judged, returned, k, source), k, **wrong)


def _query(draw: Draw, n: int, *, unjudged: bool = False, few: bool = False) -> list[Any]:
    documents = [f"d{i}" for i in range(1, n + 4)]
    judged = {document: draw.choice([0, 1, 2, 3, 3]) for document in documents}
    returned = draw.sample(documents, 1 if few else draw.integer(2, n + 2))
    if unjudged:
        returned.insert(draw.integer(0, len(returned)), "new")
    k = len(returned) + draw.integer(1, 2) if few else draw.integer(2, n + 2)
    return [returned, judged, k]


IDCG_OF_QUERY = FunctionTask(
    name="idcg_of_query",
    kind="repair",
    minutes=6,
    place="chapters/the-ideal-ranking#all-judged-or-returned",
    reference=_idcg_of_query,
    families=[
        Family("more judged than returned", points=1, draw=_query, times=20),
        Family("fewer returned than k", points=1, draw=lambda d, n: _query(d, n, few=True)),
        Family("a returned document that nobody judged", points=1, draw=lambda d, n: _query(d, n, unjudged=True)),
    ],
    low=0,
    slips=[
        slip("ideal-from-returned", source="returned"),
        slip("ideal-from-top-k", source="top"),
        slip("ideal-cut-at-list", source="short"),
        slip("ideal-not-sorted", order="given"),
        slip("ideal-ascending", order="ascending"),
        slip("ideal-distinct", order="distinct"),
        slip("ideal-cut-before-sorting", cut="before"),
        slip("k-ignored", cut="never"),
        slip("natural-log", base=math.e),
        slip("no-discount", discount="none"),
        slip("rank-too-late", shift=2),
        slip("returned-twice", sentence=RETURNED_TWICE, source="twice"),
        slip("ideal-of-the-missed", sentence="Your ideal holds only the documents that were not returned.",
             source="missed"),
        slip("exponential-for-linear", gain="exponential"),
    ],
    hints=(
        "Which documents could have been returned? The code asks only those that were.",
        "`judged.values()` holds the grades of all judged documents, in no useful order.",
        "Sort all of `judged.values()` with the best first, cut at k, then add up with the discount.",
    ),
)  # fmt: skip


def _one_more(draw: Draw) -> dict[str, Any]:
    judged = draw.shuffled([3, 3, 2, draw.integer(1, 2), draw.integer(0, 1)])
    return {"judged": judged, "k": draw.integer(3, 4), "added": draw.integer(0, 3)}


def _effect(judged: list[float], k: int, added: float) -> str:
    before, after = nd.idcg(judged, k), nd.idcg([*judged, added], k)
    return "rises" if after > before else "stays"


ONE_MORE = ValueTask(
    name="one_added",
    kind="predict",
    minutes=3,
    place="chapters/the-ideal-ranking#ideal-definition",
    draw=_one_more,
    reference=_effect,
    options={
        "rises": "The new document is no better than those that fill the first k ranks of the ideal list, so it changes"
        " nothing there.",
        "falls": "IDCG is a sum, not a mean: a document more cannot lower it. The ideal list takes it up only where it is"
        " better.",
        "stays": "The new document is better than one of the first k of the ideal list, and takes a rank there.",
    },
    why=lambda judged, k, added: (
        f"IDCG@{k} is {nd.idcg(judged, k):.3f} with {len(judged)} judged documents and"
        f" {nd.idcg([*judged, added], k):.3f} with {len(judged) + 1}: the first {k} of the ideal list have the grades"
        f" {', '.join(map(str, sorted([*judged, added], reverse=True)[:k]))} now."
    ),
    hints=(
        "Where in the ideal list does the new document go?",
        "Is that place among the first k ranks, and is anything else there now?",
        "Write down both ideal lists, cut at k, and compare them.",
    ),
)


def _curve_data(draw: Draw) -> dict[str, Any]:
    useful = draw.integer(3, 6)
    return {"judged": draw.shuffled([draw.integer(1, 3) for _ in range(useful)] + [0] * (9 - useful))}


IDEAL_FLAT = ValueTask(
    name="ideal_flat_from",
    kind="read",
    minutes=4,
    place="chapters/the-ideal-ranking#ideal-definition",
    draw=_curve_data,
    reference=lambda judged, miss=0, of="gain": {"gain": sum(g > 0 for g in judged), "all": len(judged),
                                                  "top": sum(g == max(judged) for g in judged),
                                                  "none": sum(g == 0 for g in judged)}[of] + miss,
    slips=[
        slip("k-one-more", sentence="That is the first rank at which nothing is added; asked is the last one at which"
             " something is.", miss=1),
        slip("k-one-less", sentence="The curve still rises a little after this rank.", miss=-1),
        slip("counts-all", sentence="That is the number of judged documents; the curve is flat long before.", of="all"),
        slip("counts-the-top", sentence="That is the number of documents with the best grade. Lower grades bring"
             " gain too.",
             of="top"),
        slip("counts-the-useless", sentence="That is the length of the flat part.", of="none"),
    ],
    figure=lambda judged: Steps(
        [nd.idcg(judged, k) for k in range(1, len(judged) + 1)], "cut-off k", "IDCG@k", "IDCG@k over the cut-off k"
    ),
    why=lambda judged: f"{sum(g > 0 for g in judged)} of the {len(judged)} judged documents have a gain: once they are"
    " all on the list, there is nothing left to add.",
    hints=(
        "Go along the curve from the left. Where does it stop rising?",
        "The last rise is the step to the rank that you look for.",
        "Each judged document with a grade above 0 makes one step.",
    ),
)  # fmt: skip


def _is_pair(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list)
        and 0 < len(value[name]) <= 100
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and 0 <= g <= 100 for g in value[name])
        for name in ("returned", "judged")
    )


def _all_judged(value: Any) -> bool:
    rest = list(value["judged"])
    for grade in value["returned"]:
        if grade not in rest:
            return False
        rest.remove(grade)
    return True


FOOLED = BuildTask(
    name="fooled",
    kind="counterexample",
    minutes=6,
    place="chapters/the-ideal-ranking#all-judged-or-returned",
    conditions=[
        Condition("two lists of grades", _is_pair, "Two lists of grades are asked, none empty, no grade negative:"
                  ' `{"returned": […], "judged": […]}`.', broken_by={"returned": []}, points=0),
        Condition("all returned documents are judged", _all_judged, "A returned document is missing among the judged:"
                  " each grade of `returned` has to stand in `judged` as well.",
                  broken_by={"returned": [1], "judged": [3, 3]}, points=0),
        Condition("perfect against the returned list", lambda v: nd.ndcg(v["returned"]) == 1,
                  "Against its own documents the list is not perfect: its grades must come best first, and one of them"
                  " must be above 0.", broken_by={"returned": [1, 3], "judged": [1, 3, 3, 3, 3, 3]}),
        Condition("below a half against all judged", lambda v: nd.ndcg(v["returned"], judged=v["judged"]) < 0.5,
                  "Against all judged documents NDCG is still 0.5 or more.",
                  broken_by={"returned": [3], "judged": [3, 1]}),
    ],
    says=lambda v: f"Ideal from the returned list: NDCG = {nd.ndcg(v['returned']):.3f}. Ideal from all judged:"
    f" NDCG = {nd.ndcg(v['returned'], judged=v['judged']):.3f}.",
    hints=(
        "A list of one document is always in the best order.",
        "What would have to be missing for the ideal to be much larger?",
        "Return one document with a low grade; leave several with a high grade unreturned.",
    ),
)  # fmt: skip

WHY_ALL_JUDGED = TextTask(
    name="why_all_judged",
    kind="explain",
    minutes=5,
    place="chapters/the-ideal-ranking#all-judged-or-returned",
    worth=2,
    look_for=(
        "names a system that misses good documents and is not punished",
        "gives a number or a list that shows it",
    ),
    hints=(
        "Think of a system that returns one document only.",
        "Compare it with a system that returns five good ones in nearly the best order.",
        "Say what each of them scores under both ideals, and which you would rather use.",
    ),
)

ASSIGNMENT = Assignment(
    name="05-the-ideal-ranking",
    tasks=(
        BEST_FIRST,
        IDEAL_TOP,
        IDCG_BY_HAND,
        IDCG_AT,
        ONE_MORE,
        IDEAL_FLAT,
        IDCG_OF_QUERY,
        FOOLED,
        WHY_ALL_JUDGED,
    ),
)
