"""Assignment 3: discounting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.plots import Steps
from ndcg_course.tasks.task import (
    Assignment,
    Family,
    FunctionTask,
    TextTask,
    ValueTask,
    by_recipe,
    library,
    slip,
)

_ONE_OFF = "Your ranks are one off: the first document gets the discount of another rank."


def _worth(i: int, *, form: str = "modern", base: float = 2, shift: int = 0) -> float:
    """The discount of rank i; the keywords are ways to get it wrong."""
    rank = i + shift
    if form == "modern":
        return math.log(base) / math.log(max(rank + 1, base))
    if form == "original":
        return 1 / max(1.0, math.log(max(rank, 1), base))
    if form == "one-plus-log":
        return 1 / (1 + math.log(rank, base))
    if form == "multiplied":
        return math.log(rank + 1, base)
    return {"reciprocal": 1 / rank, "next": 1 / (rank + 1), "none": 1.0, "halved": 0.5 ** (rank - 1)}[form]


def _discounts(n: int, *, base: float = 2, **wrong: Any) -> list[float]:
    if base != 2:
        return [1 / math.log(i + 1, base) for i in range(1, n + 1)]
    return [_worth(i, **wrong) for i in range(1, n + 1)]


DISCOUNT_LIST = FunctionTask(
    name="discount_list",
    kind="implement",
    minutes=4,
    place="chapters/discounting#why-a-discount",
    reference=_discounts,
    families=[
        Family("the first ranks", points=2, draw=lambda draw, n: [n + draw.integer(1, 5)]),
        Family("no rank", points=0, cases=[[0]]),
    ],
    low=0,
    slips=[
        slip("natural-log", base=math.e),
        slip("common-log", base=10),
        slip("rank-too-late", shift=1),
        slip("original-for-modern", form="original"),
        slip("one-plus-log", form="one-plus-log"),
        slip("reciprocal-discount", form="reciprocal"),
        slip("reciprocal-of-next", form="next"),
        slip("discount-multiplied", form="multiplied"),
        slip("halved-each-rank", sentence="Your numbers are halved from rank to rank.", form="halved"),
    ],
    hints=(
        "Write down the ranks first: 1, 2, 3 and so on. What is added to each before the logarithm is taken?",
        "`math.log2(i + 1)` is the logarithm; the discount is 1 divided by it.",
        "`range(1, n + 1)` gives the ranks from 1 to n.",
    ),
)


def _sum(
    grades: list[float], k: int | None = None, *, base: float = 2, rounding: int | None = None, **wrong: Any
) -> float:
    worth = _discounts(len(grades), base=base, **wrong)
    terms = [grade * d for grade, d in zip(grades[:k], worth, strict=False)]
    return sum(terms if rounding is None else [round(term, rounding) for term in terms])


DCG_BY_HAND = ValueTask(
    name="dcg_by_hand",
    kind="compute",
    minutes=6,
    worth=2,
    place="chapters/discounting#dcg-by-hand",
    draw=lambda draw: {"grades": [*draw.shuffled([3, 2, 1, draw.integer(1, 3)]), draw.integer(1, 3)], "k": 4},
    reference=_sum,
    decimals=3,
    slips=[
        slip("k-ignored", wrong=lambda grades, k: _sum(grades)),
        slip("k-one-less", wrong=lambda grades, k: _sum(grades, k - 1)),
        slip("natural-log", base=math.e),
        slip("common-log", base=10),
        slip("original-for-modern", form="original"),
        slip("reciprocal-discount", form="reciprocal"),
        slip("no-discount", form="none"),
        slip("discount-multiplied", form="multiplied"),
    ],
    hints=(
        "Four documents count. Each brings its grade divided by a logarithm.",
        "Rank 1 is divided by 1, rank 2 by 1.58496, rank 3 by 2, rank 4 by 2.32193.",
        "For the grades 1, 1, 0, 0 it would be 1/1 + 1/1.58496 = 1.631.",
    ),
)


def _with_k(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 2, 2, 3]) for _ in range(n + 2)], draw.integer(1, n + 1)]


def _fractions(draw: Draw, n: int) -> list[Any]:
    return [[draw.integer(0, 12) / 4 for _ in range(n + 1)], draw.integer(1, n + 1)]


def _terms(grades: list[float], k: int | None) -> list[float]:
    return [grade * d for grade, d in zip(grades[:k], _discounts(len(grades)), strict=False)]


def _sum_times_sum(grades: list[float], k: int | None = None) -> float:
    return sum(grades[:k]) * sum(_discounts(len(grades[:k])))


def _rank_of_the_first_equal(grades: list[float], k: int | None = None) -> float:
    return sum(grade * _worth(grades.index(grade) + 1) for grade in grades[:k])


def _weighted_mean(grades: list[float], k: int | None = None) -> float:
    return sum(_terms(grades, k)) / sum(_discounts(len(grades[:k])))


DCG_AT = FunctionTask(
    name="dcg_at",
    kind="implement",
    minutes=8,
    place="chapters/discounting#dcg-by-hand",
    reference=by_recipe("dcg", "grades", "k"),
    families=[
        Family("the first k ranks", points=2, draw=_with_k, times=20),
        Family("without k", points=1, draw=lambda draw, n: [draw.grades(n + 1)], cases=[[[1, 0, 2] * 10]], times=8),
        Family("fractional grades", points=1, draw=_fractions, times=8),
        Family("k beyond the list", points=1, draw=lambda draw, n: [draw.grades(n), n + draw.integer(1, 4)], times=8),
        Family("no document", points=0, cases=[[[]], [[], 3]]),
    ],
    low=0,
    slips=[
        *library("dcg", without=["list-not-cut"]),
        slip(
            "sum-times-sum",
            _sum_times_sum,
            "You multiply the sum of the grades by the sum of the discounts. Each grade has a discount of its own.",
        ),
        slip(
            "rank-of-the-first-equal",
            _rank_of_the_first_equal,
            "Equal grades all get the discount of the first of them: `index` finds only the first place.",
        ),
        slip(
            "largest-only",
            lambda grades, k=None: max(_terms(grades, k), default=0),
            "That is the largest term alone: `max`, where a sum is asked.",
        ),
        slip(
            "divided-by-discounts",
            _weighted_mean,
            "You divide by the sum of the discounts: that is a weighted mean. DCG is the sum alone.",
        ),
    ],
    hints=(
        "It is CG@k with one thing more: each grade is made smaller before it is added.",
        "`zip(grades, discounts)` gives each grade with its discount.",
        "Cut the grades at k first, then add up grade times discount.",
    ),
)


def _zero_based(grades: list[float], *, shift: int = 0, form: str = "modern", base: float = 2) -> float:
    return _sum(grades, shift=shift, form=form) if base == 2 else _sum(grades, base=base)


DCG_FROM_ZERO = FunctionTask(
    name="dcg_from_zero",
    kind="repair",
    minutes=5,
    place="chapters/why-a-logarithm#ranks-one-and-two",
    reference=_zero_based,
    families=[
        Family("whole grades", points=2, draw=lambda draw, n: [draw.grades(n + 2)], times=16),
        Family("fractional grades", points=1, draw=lambda draw, n: [[draw.integer(0, 12) / 4 for _ in range(n + 1)]]),
    ],
    low=0,
    slips=[
        slip("rank-from-zero", shift=-1),
        slip("rank-too-late", shift=1),
        slip(
            "first-rank-lost", wrong=lambda grades: sum(g * _worth(i) for i, g in enumerate(grades, start=1) if i > 1)
        ),
        slip("natural-log", base=math.e),
        slip("common-log", base=10),
        slip("no-discount", form="none"),
        slip("one-plus-log", form="one-plus-log"),
        slip("reciprocal-discount", form="reciprocal"),
        slip("discount-multiplied", form="multiplied"),
    ],
    hints=(
        "Which `i` belongs to the first document, and which logarithm should it be divided by?",
        "`enumerate(grades)` counts from 0, so rank 1 has i = 0. What must be added to make log2 give 1 there?",
        "Either `enumerate(grades, start=1)` with `log2(i + 1)`, or no start and `log2(i + 2)`; no `max` is needed.",
    ),
)


def _original(
    grades: list[float], base: float, *, form: str = "original", fixed: float = 0, clip: bool = True
) -> float:
    used = fixed or base
    if form == "modern":
        return sum(grade / math.log(i + 1, used) for i, grade in enumerate(grades, start=1))
    if form == "log-of-next":
        return sum(grade / max(1.0, math.log(i + 1, used)) for i, grade in enumerate(grades, start=1))
    if not clip:  # rank 1 stands before the sum, and nothing else is spared
        return sum(grade / (math.log(i, used) if i > 1 else 1) for i, grade in enumerate(grades, start=1))
    return sum(grade * _worth(i, form=form, base=used) for i, grade in enumerate(grades, start=1))


ORIGINAL_DCG = FunctionTask(
    name="original_dcg",
    kind="implement",
    minutes=7,
    place="chapters/why-a-logarithm#modern-and-original",
    reference=_original,
    families=[
        Family("base 2", points=1, draw=lambda draw, n: [draw.grades(n + 2), 2], times=14),
        Family("other bases", points=2, draw=lambda draw, n: [draw.grades(n + 6), draw.choice([3, 4, 10])], times=16),
        Family("no document", points=0, cases=[[[], 2]]),
    ],
    low=0,
    slips=[
        slip("modern-for-original", form="modern"),
        slip("weight-above-one", clip=False),
        slip("base-ignored", sentence="Your numbers are those of base 2, whatever base is asked.", fixed=2),
        slip("base-always-e", sentence="Your logarithms are natural ones, whatever base is asked.", fixed=math.e),
        slip(
            "log-of-next",
            sentence="You take the logarithm of the rank plus 1. The original form takes that of the rank itself.",
            form="log-of-next",
        ),
        slip("no-discount", form="none"),
        slip("reciprocal-discount", form="reciprocal"),
        slip(
            "first-ranks-left-out",
            sentence="Ranks below the base are left out in your function. They count in full.",
            wrong=lambda grades, base: sum(
                grade / math.log(i, base) for i, grade in enumerate(grades, start=1) if i >= base
            ),
        ),
    ],
    hints=(
        "Which ranks have a logarithm below 1? What are they divided by?",
        "`max(1, …)` keeps the divisor from falling below 1.",
        "`log(i) / log(base)` is the logarithm of i to that base; `enumerate(grades, start=1)` gives the ranks.",
    ),
)


def _loss(grades: list[float], *, sign: int = 1, form: str = "modern", base: float = 2, part: str = "both") -> float:
    d = _discounts(3, base=base, form=form) if form != "original" else _discounts(3, form=form)
    _, second, third = grades[:3]
    change = {"both": second - third, "second": second, "third": third}[part]
    return sign * change * (d[1] - d[2])


SWAP_LOSS = ValueTask(
    name="swap_loss",
    kind="compute",
    minutes=5,
    place="chapters/discounting#one-swap",
    draw=lambda draw: {"grades": draw.sample(range(6), 4)},
    reference=_loss,
    decimals=3,
    slips=[
        slip("sign-turned", sentence="That is by how much DCG rises; asked is by how much it falls.", sign=-1),
        slip("natural-log", base=math.e),
        slip("no-discount", sentence="Without a discount nothing changes at all; DCG has one.", form="none"),
        slip("only-one-moved", sentence="That is what the document from rank 2 loses. The one from rank 3"
             " gains something.", part="second"),
        slip("original-for-modern", form="original"),
        slip("whole-grades", sentence="That is the difference of the two grades. Each counts only with its discount.",
             wrong=lambda grades: grades[1] - grades[2]),
    ],
    hints=(
        "Only two terms of the sum change. Write down these two before and after the swap.",
        "Before: second × 0.63093 + third × 0.5. After: third × 0.63093 + second × 0.5.",
        "The difference of the grades, times the difference of the discounts.",
    ),
)  # fmt: skip


def _forms(grades: Sequence[float]) -> dict[str, float]:
    return {form: nd.dcg(grades, discount=form) for form in ("modern", "original", "reciprocal", "none")}


def _report(draw: Draw) -> dict[str, Any]:
    grades = draw.shuffled([3, 3, 2, 2, 1, 0])
    form = draw.choice(["modern", "original", "reciprocal", "none"])
    return {"grades": grades, "reported": round(_forms(grades)[form], 3)}


WHICH_DISCOUNT = ValueTask(
    name="which_discount",
    kind="choose",
    minutes=5,
    place="chapters/why-a-logarithm#modern-and-original",
    draw=_report,
    candidates=lambda grades, reported: list(_forms(grades).values()),
    reference=lambda grades, reported: min(_forms(grades), key=lambda form: abs(_forms(grades)[form] - reported)),
    options={
        "modern": "With 1/log2(i+1) the DCG is another number. Rank 2 would keep 0.631 of its gain.",
        "original": "With 1/max(1, log2(i)) the DCG is another number. Ranks 1 and 2 would count in full.",
        "reciprocal": "With 1/i the DCG is another number. Rank 2 would count half.",
        "none": "Without a discount the value would be the plain sum of the grades.",
    },
    why=lambda grades, reported: "; ".join(f"{form}: {value:.3f}" for form, value in _forms(grades).items()) + ".",
    hints=(
        "Four numbers can be computed from this list. Your functions from above give two of them.",
        "Is it the plain sum? Is it a number with a simple fraction?",
        "Compare with `dcg_at(grades)` and `original_dcg(grades, 2)`, then with the sum of grade / rank.",
    ),
)

BASE_CHANGES = ValueTask(
    name="base_changes",
    kind="predict",
    minutes=3,
    place="chapters/why-a-logarithm#log-base",
    draw=lambda draw: {"grades": draw.shuffled([3, 2, 2, 1, 0]), "discount": draw.choice(["modern", "original"])},
    reference=lambda grades, discount: "only DCG" if discount == "modern" else "both",
    options={
        "neither": "The base changes each divisor, so at least the sum changes.",
        "only DCG": "In the original form the base also says how many ranks count in full, so it does not cancel.",
        "only NDCG": "NDCG is made from two DCG values. If it differs, they differ.",
        "both": "In the modern form each term changes by the same factor, in DCG and in IDCG. A quotient does not"
        " see it.",
    },
    why=lambda grades, discount: (
        f"With base 2 and with base e: DCG {nd.dcg(grades, discount=discount):.3f} and"
        f" {nd.dcg(grades, discount=discount, base=math.e):.3f}, NDCG {nd.ndcg(grades, discount=discount):.3f} and"
        f" {nd.ndcg(grades, discount=discount, base=math.e):.3f}."
    ),
    hints=(
        "What is ln(x) compared with log2(x): more, less, by a factor, by a sum?",
        "A factor that is the same at every rank can be taken out of a sum. Can `max(1, …)` be taken out?",
        "Compute both values for [1, 3] with both bases.",
    ),
)


def _some_curve(draw: Draw) -> dict[str, Any]:
    half, top = draw.integer(3, 8), draw.choice([1, 2, 4, 10])
    power = math.log(2) / math.log(half)
    return {"discounts": [round(top * i**-power, 3) for i in range(1, 11)]}


HALF_WORTH = ValueTask(
    name="half_worth",
    kind="read",
    minutes=3,
    place="chapters/why-a-logarithm#discounts-compared",
    draw=_some_curve,
    reference=lambda discounts, miss=0, part=0.5: (
        next((i for i, d in enumerate(discounts, start=1) if d <= part * discounts[0]), 10) + miss
    ),
    slips=[
        slip("k-one-less", sentence="At this rank more than half is left.", miss=-1),
        slip("k-one-more", sentence="Half is gone one rank earlier.", miss=1),
        slip("half-lost-twice", sentence="You looked for the rank where three quarters are left.", part=0.75),
    ],
    figure=lambda discounts: Steps(discounts, "rank", "discount", "A discount over the ranks"),
    why=lambda discounts: "The discounts are " + ", ".join(f"{d:g}" for d in discounts) + ".",
    hints=(
        "Rank 1 is worth 1. Which height is half of that?",
        "Go along the curve from the left until it is no longer above that height.",
        'The numbers of the curve are in its description, and in `own("half_worth")`.',
    ),
)

WHY_A_DISCOUNT = TextTask(
    name="why_a_discount",
    kind="explain",
    minutes=5,
    place="chapters/why-a-logarithm#why-not-reciprocal",
    worth=2,
    look_for=(
        "says that 1/i falls faster, with a number for some rank",
        "says what this does to the comparison of rankings (the top decides more, the tail less)",
        "names a situation in which readers stop early",
    ),
    hints=(
        "Compare 1/10 with the discount of rank 10 that the logarithm gives.",
        "Take two lists that differ at ranks 9 and 10 only. Which discount sees the difference better?",
        "Who looks at the first result only?",
    ),
)

ASSIGNMENT = Assignment(
    name="03-discounting",
    tasks=(
        DISCOUNT_LIST,
        DCG_BY_HAND,
        DCG_AT,
        DCG_FROM_ZERO,
        ORIGINAL_DCG,
        SWAP_LOSS,
        WHICH_DISCOUNT,
        BASE_CHANGES,
        HALF_WORTH,
        WHY_A_DISCOUNT,
    ),
)
