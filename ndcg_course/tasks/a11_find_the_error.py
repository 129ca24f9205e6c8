"""Assignment 11: find the error, on disputes that really happened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
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


def _one_found(relevant: int, k: int, *, ideal: str = "judged", discount: str = "modern", cut: bool = True) -> float:
    pool = [1] * (relevant if ideal == "judged" else 1)
    return 1 / float(nd.idcg(pool, k if cut else None, discount=discount))


ONE_OF_MANY = ValueTask(
    name="one_of_many",
    kind="compute",
    minutes=5,
    worth=2,
    place="chapters/the-ideal-ranking#all-judged-or-returned",
    draw=lambda draw: (lambda k: {"relevant": k + draw.integer(1, 3), "k": k})(draw.integer(4, 20)),  # noqa: PLC3002
    reference=_one_found,
    decimals=3,
    slips=[
        slip("ideal-from-returned", ideal="returned"),
        slip("ideal-not-cut", cut=False),
        slip("original-for-modern", discount="original"),
        slip("no-discount", discount="none"),
        slip("reciprocal-discount", discount="reciprocal"),
    ],
    hints=(
        "DCG is 1. Which documents are in the ideal list, and how many of its ranks count?",
        "The first k ranks of the ideal list all hold a document of grade 1.",
        "1 divided by the sum of the discounts of the ranks 1 to k.",
    ),
)

CAUSES = ("duplicate", "off by one", "returned ideal", "other gain")


def _suspect(returned: Sequence[float], judged: Sequence[float], cause: str) -> float:
    if cause == "duplicate":
        return float(nd.dcg([*returned, returned[0]]) / nd.idcg(judged))
    if cause == "off by one":
        return float(nd.ndcg(returned, judged=judged, discount="original"))
    if cause == "returned ideal":
        return float(nd.ndcg(returned))
    return float(nd.ndcg(returned, judged=judged, gain="exponential"))


def _report(draw: Draw) -> dict[str, Any]:
    returned = draw.choice([[1, 3, 0, 2], [2, 0, 3, 1], [1, 2, 0, 3], [2, 3, 1, 0]])
    judged = draw.shuffled([*returned, 3, 2])
    return {
        "returned": returned,
        "judged": judged,
        "reported": round(_suspect(returned, judged, draw.choice(CAUSES)), 3),
    }


CAUSE = ValueTask(
    name="cause",
    kind="choose",
    minutes=8,
    worth=2,
    place="chapters/which-ndcg#disputes",
    draw=_report,
    candidates=lambda returned, judged, reported: [_suspect(returned, judged, cause) for cause in CAUSES],
    reference=lambda returned, judged, reported: min(
        CAUSES, key=lambda cause: abs(_suspect(returned, judged, cause) - reported)
    ),
    options={
        "duplicate": "With the first document counted once more at the end of the list, the value is another one.",
        "off by one": "With each discount taken from the rank above, so that ranks 1 and 2 count in full, the value is another one.",
        "returned ideal": "With the ideal from the returned documents, the value is another one.",
        "other gain": "With the exponential gain on both sides, the value is another one.",
    },
    why=lambda returned, judged, reported: (
        "; ".join(f"{cause}: {_suspect(returned, judged, cause):.3f}" for cause in CAUSES)
        + f". Right is {nd.ndcg(returned, judged=judged):.3f}."
    ),
    hints=(
        "Compute the right value first. Is the reported one larger or smaller?",
        "Each cause is one small change of your program. Make the four changes, one after the other.",
        "Duplicate: the first document once more at the end. Off by one: log2(i), and 1 for rank 1.",
    ),
)


def _query(draw: Draw, n: int) -> list[Any]:
    judged = [draw.choice([0, 1, 2, 3, 3]) for _ in range(n + 4)]
    return [draw.sample(judged, draw.integer(2, n + 3)), judged, draw.integer(1, n + 3)]


CUT_BOTH = FunctionTask(
    name="cut_both",
    kind="repair",
    minutes=5,
    place="chapters/the-ideal-ranking#first-sort-then-cut",
    reference=by_recipe("ndcg", "grades", "judged", "k"),
    families=[
        Family("more judged than returned", points=2, draw=_query, times=24),
        Family("no judged document with a gain", points=1, cases=[[[0], [0, 0], 2], [[0, 0], [0, 0, 0], 1]]),
    ],
    low=0,
    high=1,
    slips=[
        *library("ndcg"),
        slip(
            "capped-at-one",
            lambda grades, judged, k: min(1.0, nd.dcg(grades) / nd.idcg(judged, k)) if any(judged) else 0.0,
            "Your values are those of the given code, cut down to 1 where they were above it. What makes them too large"
            " is still there.",
        ),
    ],
    hints=(
        "Which of the two lists is cut, and which is not?",
        "`top` is cut at k. What about `grades`?",
        "`grades[:k]` in the last line.",
    ),
    valid=lambda grades, judged, k: all(grades.count(g) <= judged.count(g) for g in grades),
)

KEEP_THE_GRADES = FunctionTask(
    name="keep_the_grades",
    kind="repair",
    minutes=4,
    place="chapters/what-a-grade-is-worth#equal-when-binary",
    reference=by_recipe("ndcg", "grades", "k"),
    families=[
        Family(
            "grades from 0 to 3",
            points=2,
            draw=lambda d, n: [[d.choice([0, 1, 2, 3]) for _ in range(n + 3)], d.integer(1, n + 2)],
            times=24,
        ),
        Family(
            "fractional grades",
            points=1,
            draw=lambda d, n: [[d.integer(0, 12) / 4 for _ in range(n + 2)], d.integer(1, n + 1)],
        ),
        Family("no document with a gain", points=0, cases=[[[0, 0], 2], [[], 1]]),
    ],
    low=0,
    high=1,
    slips=[
        *library("ndcg", without=["ideal-not-sorted"]),
        slip(
            "binary-over-linear",
            sentence="The list has binary gains in your function, and the ideal has the grades.",
            gain="binary",
        ),
        slip(
            "linear-over-binary",
            sentence="The list has the grades in your function, and the ideal has binary gains.",
            ideal_gain="binary",
        ),
    ],
    hints=(
        "Print `gains` for the grades 3, 2, 1. What has become of them?",
        "The gain is to be the grade itself.",
        "`gains = grades`; the two lines below are right.",
    ),
)


def _scored(draw: Draw, n: int) -> list[Any]:
    grades = [draw.choice([0, 1, 2, 3]) for _ in range(n + 2)]
    return [grades, draw.shuffled([round(0.3 + 1.3 * i, 2) for i in range(n + 2)])]


THREE_AT_ONCE = FunctionTask(
    name="three_at_once",
    kind="implement",
    minutes=8,
    place="chapters/what-a-grade-is-worth#gain-knows-no-rank",
    reference=by_recipe("ndcg", "grades", "scores"),
    families=[
        Family("scores that all differ", points=3, draw=_scored, times=28),
        Family("no document with a gain", points=0, cases=[[[0, 0], [0.2, 0.4]], [[0], [1.0]]]),
    ],
    low=0,
    high=1,
    slips=[
        *library("ndcg", without=["scores-as-gains"], scored=True),
        slip(
            "scores-over-grades",
            lambda grades, scores: nd.dcg(sorted(scores, reverse=True)) / nd.idcg(grades) if any(grades) else 0.0,
            "The list is paid by its scores in your function, and only the ideal by its grades.",
        ),
    ],
    hints=(
        "The scores are for one thing only. Which?",
        "Sort the documents by score, and write down their grades in that order.",
        "`sorted(zip(scores, grades), reverse=True)` pairs them; the ideal is the sorted list of grades, with the same discount.",
    ),
    valid=lambda grades, scores: len(grades) == len(scores) == len(set(scores)),
)


def _rows(draw: Draw) -> dict[str, Any]:
    return {
        "grades": draw.choice(
            [[0, 0, 1, 0, 1], [2, 1, 0, 0, 1], [1, 0, 2, 0, 1], [0, 1, 3, 1, 0], [3, 0, 1, 0, 0], [0, 1, 0, 2, 2]]
        )
    }


ROWS_REVERSED = ValueTask(
    name="rows_reversed",
    kind="predict",
    minutes=3,
    place="chapters/awkward-grades#ties-in-scores",
    draw=_rows,
    reference=lambda grades: (
        "stays"
        if abs(nd.dcg(grades) - nd.dcg(grades[::-1])) < 1e-9
        else "rises"
        if nd.dcg(grades[::-1]) > nd.dcg(grades)
        else "falls"
    ),
    options={
        "rises": "From the end, the better documents do not come earlier here.",
        "falls": "From the end, the better documents do not come later here.",
        "stays": "NDCG is the same from both ends only if the list reads the same from both ends, or by chance.",
    },
    why=lambda grades: (
        f"NDCG is {nd.ndcg(grades):.3f} for the rows as they are and {nd.ndcg(grades[::-1]):.3f} from the end."
    ),
    hints=(
        "All scores are equal, so the order of the rows is the ranking.",
        "Write the list backwards. Where do the documents with a gain stand now?",
        "Compare the discounts of their ranks before and after.",
    ),
)


def _is_case(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(
            isinstance(value.get(name), list)
            and 0 < len(value[name]) <= 10
            and all(isinstance(g, (int, float)) and not isinstance(g, bool) and g in range(6) for g in value[name])
            for name in ("returned", "judged")
        )
        and isinstance(value.get("k"), int)
        and not isinstance(value["k"], bool)
        and 1 <= value["k"] <= 10
    )


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


SHARP_TEST = BuildTask(
    name="sharp_test",
    kind="counterexample",
    minutes=8,
    place="chapters/which-ndcg#disputes",
    conditions=[
        Condition("two lists of whole grades and a cut-off", _is_case, "Two lists of at most ten whole grades from 0 to 5 and a k from 1 to 10 are"
                  ' asked: `{"returned": […], "judged": […], "k": …}`.', broken_by={"returned": [1]}, points=0),
        Condition("all returned documents are judged", lambda v: all(v["returned"].count(g) <= v["judged"].count(g) for g in v["returned"]),
                  "A returned grade is missing among the judged.", broken_by={"returned": [3], "judged": [1], "k": 1}, points=0),
        Condition("the three ideals differ",
                  lambda v: _told_apart(v, "right", "ideal from the returned list", "ideal from its first k"),
                  "The three ideals do not give three values: a good document must be missing, and another must be returned below rank k.",
                  broken_by={"returned": [3, 1], "judged": [3, 1], "k": 2}),
        Condition("gain and discount differ, too", _told_apart, "The ideals are told apart, but two of the five definitions are still closer than 0.01.",
                  broken_by={"returned": [0, 0, 1, 1], "judged": [0, 0, 1, 1, 1, 1, 1], "k": 3}),
    ],
    says=lambda v: "; ".join(f"{name}: {value:.3f}" for name, value in _definitions(v).items()) + ".",
    hints=(
        "What must `judged` have that `returned` lacks, so that the ideal over all judged is another one?",
        "What must stand below rank k in `returned`, so that its first k are not its best k?",
        "Grades that differ tell the gains apart; a good document at rank 2 tells the discounts apart.",
    ),
)  # fmt: skip


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
    grades = draw.choice(sharp)
    return {"grades": draw.shuffled(grades), "reported": _ways(grades)[draw.choice(["exact", "term", "logarithm"])]}


ROUNDED_WHERE = ValueTask(
    name="rounded_where",
    kind="choose",
    minutes=5,
    place="chapters/discounting#dcg-by-hand",
    draw=_article,
    candidates=lambda grades, reported: list(_ways(grades).values()),
    reference=lambda grades, reported: min(_ways(grades), key=lambda way: abs(_ways(grades)[way] - reported)),
    options={
        "exact": "The exact sum, rounded at the end, has another second decimal.",
        "term": "Terms that are rounded first add up to another second decimal.",
        "logarithm": "With logarithms of two decimals the sum has another second decimal.",
    },
    why=lambda grades, reported: "; ".join(f"{way}: {value:.2f}" for way, value in _ways(grades).items()) + ".",
    hints=(
        "Sort the grades, and compute the sum in the three ways.",
        "`round(x, 2)` rounds; the question is what x is.",
        "The logarithms of two decimals are 1, 1.58, 2, 2.32 and 2.58.",
    ),
)

BUG_REPORT = TextTask(
    name="bug_report",
    kind="explain",
    minutes=6,
    place="reference/convention-card",
    worth=2,
    look_for=(
        "gives the input: grades returned, grades judged, k",
        "gives the value that came out and the value that should, with its convention",
        "gives the sum or the reason for the right value",
    ),
    hints=(
        "What would you need to repeat it yourself?",
        "Input, output, expected output, reason: one sentence each.",
        "Write DCG and IDCG with their numbers.",
    ),
)

ASSIGNMENT = Assignment(
    name="11-find-the-error",
    tasks=(
        ONE_OF_MANY,
        CAUSE,
        CUT_BOTH,
        KEEP_THE_GRADES,
        THREE_AT_ONCE,
        ROWS_REVERSED,
        SHARP_TEST,
        ROUNDED_WHERE,
        BUG_REPORT,
    ),
)
