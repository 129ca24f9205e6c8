"""Assignment 7: a hand calculation from CG to NDCG."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.plots import Steps
from ndcg_course.tasks.task import Assignment, TextTask, ValueTask, by_recipe, slip

K = 5


def _sheet(draw: Draw) -> dict[str, Any]:
    """The query of the sheet."""
    middle = [3, draw.integer(0, 2), draw.integer(1, 2), draw.integer(0, 1)]
    returned = [draw.integer(1, 2), *draw.shuffled(middle), draw.integer(2, 3)]
    return {"returned": returned, "judged": draw.shuffled([*returned, 3, draw.integer(2, 3)]), "k": K}


def _sheet_tasks() -> list[ValueTask]:
    return [SHEET_CG, SHEET_DCG, SHEET_IDCG, SHEET_NDCG, SHEET_EXPONENTIAL, SHEET_ORIGINAL]


def _of_the_sheet(quantity: str, **choices: Any) -> Callable[..., Any]:
    recipe = by_recipe(quantity, "grades", "judged", "k", **choices)

    def reference(returned: list[float], judged: list[float], k: int, **changes: Any) -> Any:
        return recipe(returned, judged, k, **changes)

    return reference


def _step(
    name: str, quantity: str, minutes: int, place: str, slips: list[str], hints: tuple[str, str, str], **choices: Any
) -> ValueTask:
    return ValueTask(
        name=name,
        kind="compute",
        minutes=minutes,
        place=place,
        draw=_sheet,
        sheet=_sheet_tasks,
        reference=_of_the_sheet(quantity, **choices),
        decimals=3,
        slips=[slip(known) for known in slips],
        hints=hints,
    )


SHEET_CG = ValueTask(
    name="sheet_cg",
    kind="compute",
    minutes=2,
    place="chapters/cumulative-gain#cg-definition",
    draw=_sheet,
    sheet=_sheet_tasks,
    reference=lambda returned, judged, k, miss=0, of="returned": sum(
        {"returned": returned, "judged": judged}[of][: k + miss]
    ),
    slips=[
        slip("k-ignored", miss=1),
        slip("k-one-less", miss=-1),
        slip(
            "sum-of-judged",
            sentence="You added up all judged grades. CG is about the returned list.",
            of="judged",
            miss=3,
        ),
    ],
    hints=(
        "The cut-off is 5, and the list has six documents.",
        "Add the first five grades of `returned`.",
        "The sixth document does not count.",
    ),
)

SHEET_DCG = _step(
    "sheet_dcg", "dcg", 4, "chapters/discounting#dcg-by-hand",
    ["k-ignored", "natural-log", "original-for-modern", "no-discount", "reciprocal-discount", "exponential-for-linear"],
    (
        "Five terms: each grade divided by the logarithm of its rank plus 1.",
        "Rank 1 is divided by 1, rank 2 by 1.58496, rank 3 by 2, and so on.",
        "A grade of 3 at rank 2 brings 3/1.58496 = 1.89279.",
    ),
)  # fmt: skip

SHEET_IDCG = _step(
    "sheet_idcg", "idcg", 4, "chapters/the-ideal-ranking#ideal-definition",
    ["ideal-from-returned", "ideal-from-top-k", "ideal-not-cut", "ideal-cut-before-sorting", "original-for-modern", "no-discount"],
    (
        "Which documents may stand in the ideal list?",
        "Write all of `judged` best first; the first five count.",
        "Then as for DCG: divide by 1, 1.58496, 2, 2.32193, 2.58496, and add up.",
    ),
)  # fmt: skip

SHEET_NDCG = _step(
    "sheet_ndcg", "ndcg", 2, "chapters/ndcg#ndcg-definition",
    ["ideal-from-returned", "ideal-from-top-k", "not-normalised", "upside-down", "original-for-modern", "no-discount", "k-ignored"],
    (
        "You have both numbers from the tasks before.",
        "DCG@5 divided by IDCG@5.",
        "Keep five digits of both before you divide.",
    ),
)  # fmt: skip

SHEET_EXPONENTIAL = _step(
    "sheet_exponential", "ndcg", 6, "chapters/what-a-grade-is-worth#linear-and-exponential",
    ["linear-for-exponential", "ideal-from-returned", "power-without-minus-one", "exponential-over-linear", "linear-over-exponential"],
    (
        "Turn grades into gains first, in both lists.",
        "A 3 becomes 7, a 2 becomes 3, a 1 stays 1, a 0 stays 0.",
        "Then the same divisions as before, above and below.",
    ),
    gain="exponential",
)  # fmt: skip

SHEET_ORIGINAL = _step(
    "sheet_original", "ndcg", 6, "chapters/why-a-logarithm#modern-and-original",
    ["modern-for-original", "original-over-modern", "modern-over-original", "ideal-from-returned", "no-discount"],
    (
        "Which ranks are not divided at all?",
        "Ranks 1 and 2 count in full; rank 3 is divided by 1.58496, rank 4 by 2, rank 5 by 2.32193.",
        "The same divisors for the returned list and for the ideal.",
    ),
    discount="original",
)  # fmt: skip

LARGER_DISCOUNT = ValueTask(
    name="larger_discount",
    kind="predict",
    minutes=2,
    place="chapters/why-a-logarithm#modern-and-original",
    draw=lambda draw: {"returned": draw.choice([[3, 2, 0, 1], [2, 0, 0, 0], [0, 1, 3, 2], [3, 0, 0, 0], [1, 0, 2, 0]])},
    reference=lambda returned: "original" if any(returned[1:]) else "equal",
    options={
        "original": "Only rank 1 holds a document with a gain here, and both discounts leave rank 1 whole.",
        "modern": "The modern discount is never larger than the original one: it takes the logarithm of a larger number.",
        "equal": "From rank 2 on the original discount is the larger one, and a document with a gain stands there.",
    },
    why=lambda returned: (
        f"DCG is {nd.dcg(returned, discount='original'):.3f} with the original and {nd.dcg(returned):.3f} with the modern discount."
    ),
    hints=(
        "Compare the two discounts rank by rank.",
        "At rank 1 both are 1. At rank 2 one is 1, the other 1/1.58496.",
        "Does any document with a gain stand below rank 1?",
    ),
)

MISPRINTS = (0.018, 0.1, -0.1, 0.27, -0.09)


def _printed(draw: Draw) -> dict[str, Any]:
    returned = draw.shuffled([3, 2, 1, 3, 2])
    terms = [round(float(grade * d), 3) for grade, d in zip(returned, nd.discounts(K), strict=True)]
    wrong = draw.integer(2, K) - 1
    terms[wrong] = round(terms[wrong] + draw.choice(MISPRINTS), 3)
    return {"returned": returned, "terms": terms}


def _off(returned: list[float], terms: list[float]) -> list[float]:
    return [abs(float(grade * d) - term) for grade, d, term in zip(returned, nd.discounts(K), terms, strict=True)]


WRONG_LINE = ValueTask(
    name="wrong_line",
    kind="choose",
    minutes=4,
    place="chapters/the-notes-checked#checks-without-a-computer",
    draw=_printed,
    reference=lambda returned, terms, miss=0: _off(returned, terms).index(max(_off(returned, terms))) + 1 + miss,
    decimals=None,
    slips=[
        slip("k-one-less", sentence="You counted from 0, or the line above. This term is right.", miss=-1),
        slip("k-one-more", sentence="The wrong term stands one rank higher.", miss=1),
    ],
    why=lambda returned, terms: (
        "Right are "
        + ", ".join(f"{float(grade * d):.3f}" for grade, d in zip(returned, nd.discounts(K), strict=True))
        + "."
    ),
    hints=(
        "Divide each grade by the logarithm of its rank, and compare with the term.",
        "Equal grades help: a 3 must bring less at a later rank.",
        "The terms at ranks 1 and 3 are the grade and half of the grade.",
    ),
)


def _list_of_five(draw: Draw) -> dict[str, Any]:
    grades = [*draw.shuffled([3, 2, 0, 1]), draw.integer(1, 3)]
    return {"curve": [round(float(x), 3) for x in nd.curve(grades).dcg]}


FROM_THE_CURVE = ValueTask(
    name="from_the_curve",
    kind="read",
    minutes=3,
    place="chapters/discounting#dcg-by-hand",
    draw=_list_of_five,
    reference=lambda curve, by=2.58496, step=-1: round((curve[step] - curve[step - 1]) * by),
    decimals=None,
    slips=[
        slip("rank-before", sentence="That is the grade of the document before the last.", step=-2, by=2.32193),
        slip(
            "grade-one-more",
            sentence="One grade lower: multiply the last rise of the curve by 2.585.",
            wrong=lambda curve: round((curve[-1] - curve[-2]) * 2.58496) + 1,
        ),
        slip(
            "grade-one-less",
            sentence="One grade higher: the rise is what is left after the discount.",
            wrong=lambda curve: round((curve[-1] - curve[-2]) * 2.58496) - 1,
        ),
    ],
    figure=lambda curve: Steps(curve, "rank", "DCG", "DCG rank by rank"),
    why=lambda curve: f"The last rise is {curve[-1] - curve[-2]:.3f}, and rank 5 keeps {1 / 2.58496:.3f} of a gain.",
    hints=(
        "By how much does the curve rise at the last rank?",
        "This rise is the grade divided by 2.58496.",
        "Multiply the rise by 2.58496, and round.",
    ),
)

IMPOSSIBLE_VALUE = TextTask(
    name="impossible_value",
    kind="explain",
    minutes=4,
    place="chapters/the-notes-checked#checks-without-a-computer",
    worth=2,
    look_for=(
        "a list that is nearly sorted must have an NDCG near 1",
        "a swap of neighbours costs little: difference of gains times difference of discounts",
        "concludes that one of the sums is wrong or of another kind",
    ),
    hints=(
        "What is NDCG of a list in its best order?",
        "What does one swap of neighbours cost at most?",
        "Compare that with what 0.563 says.",
    ),
)

ASSIGNMENT = Assignment(
    name="07-hand-calculation",
    tasks=(
        SHEET_CG,
        SHEET_DCG,
        SHEET_IDCG,
        SHEET_NDCG,
        SHEET_EXPONENTIAL,
        SHEET_ORIGINAL,
        LARGER_DISCOUNT,
        WRONG_LINE,
        FROM_THE_CURVE,
        IMPOSSIBLE_VALUE,
    ),
)
