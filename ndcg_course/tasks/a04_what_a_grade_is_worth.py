"""Assignment 4: what a grade is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def _gain(grade: float, form: str) -> float:
    """The exponential gain; the other forms are ways to get it wrong."""
    return {
        "exponential": lambda: 2**grade - 1,
        "linear": lambda: grade,
        "power": lambda: 2**grade,
        "exponent": lambda: 2 ** (grade - 1),
        "square": lambda: grade**2,
        "times": lambda: 2 * grade - 1,
        "binary": lambda: float(grade > 0),
        "natural": lambda: math.exp(grade) - 1,
        "swapped": lambda: grade**2 - 1,
        "flipped": lambda: float(2 ^ (grade - 1)) if isinstance(grade, int) else math.nan,
    }[form]()


def _gains(grades: list[float], *, form: str = "exponential") -> list[float]:
    return [_gain(grade, form) for grade in grades]


EXPONENTIAL_GAINS = FunctionTask(
    name="exponential_gains",
    kind="implement",
    minutes=4,
    place="chapters/what-a-grade-is-worth#linear-and-exponential",
    reference=_gains,
    families=[
        Family("whole grades", points=1, draw=lambda draw, n: [draw.grades(n + 1, 4)], times=12),
        Family("fractional grades", points=1, draw=lambda draw, n: [[draw.integer(0, 12) / 4 for _ in range(n + 1)]]),
        Family("no document", points=0, cases=[[[]]]),
    ],
    slips=[
        slip("linear-for-exponential", form="linear"),
        slip("power-without-minus-one", form="power"),
        slip("minus-one-in-exponent", form="exponent"),
        slip("grade-squared", form="square"),
        slip("grades-binarised", form="binary"),
        slip("twice-the-grade", sentence="Your numbers are twice the grade, minus 1. A power is asked: 2 times itself, as"
             " often as the grade says.", form="times"),
        slip("base-and-exponent-swapped", sentence="Your numbers are the grade squared, minus 1: base and exponent have"
             " changed places.", form="swapped"),
        slip("not-a-power", sentence="In Python `2^grade` is no power: it works on the bits of both numbers. A power is"
             " written `2**grade`.", form="flipped"),
        slip("power-of-e", sentence="Your numbers are powers of e, not of 2.", form="natural"),
    ],
    hints=(
        "Grade 3: 2 times 2 times 2, and then 1 less.",
        "In Python a power is written with two stars.",
        "`[2**grade - 1 for grade in grades]` has one gain for each grade.",
    ),
)  # fmt: skip


def _dcg(grades: list[float], k: int, *, form: str = "exponential", cut: bool = True, discount: str = "modern",
         base: float = 2) -> float:  # fmt: skip
    gains = [_gain(grade, form) for grade in grades]
    d = nd.discounts(len(gains), discount, base)
    return float(sum((gains[:k] if cut else gains) * (d[:k] if cut else d)))


DCG_EXPONENTIAL = ValueTask(
    name="dcg_exponential",
    kind="compute",
    minutes=6,
    worth=2,
    place="chapters/what-a-grade-is-worth#linear-and-exponential",
    draw=lambda draw: {
        "grades": [*draw.shuffled([draw.integer(2, 3), 2, draw.integer(1, 3)]), draw.integer(1, 3)],
        "k": 3,
    },
    reference=_dcg,
    decimals=3,
    slips=[
        slip("linear-for-exponential", form="linear"),
        slip("power-without-minus-one", form="power"),
        slip("minus-one-in-exponent", form="exponent"),
        slip("grade-squared", form="square"),
        slip("k-ignored", cut=False),
        slip("original-for-modern", discount="original"),
        slip("no-discount", discount="none"),
        slip("natural-log", base=math.e),
    ],
    hints=(
        "First turn the three grades into gains, then divide each by its logarithm.",
        "A grade of 3 has the gain 7, a 2 has 3, a 1 has 1.",
        "For the grades 2, 0, 1 it would be 3/1 + 0/1.58496 + 1/2 = 3.5.",
    ),
)


def _by_table(grades: list[str], worth: dict[str, float], *, missing: str = "raise", form: str = "") -> list[float]:
    unknown = [grade for grade in grades if grade not in worth]
    if unknown and missing == "raise":
        raise ValueError(f"no grade {unknown[0]}")
    if missing == "left-out":
        return [worth[grade] for grade in grades if grade in worth]
    gains = [worth.get(grade, 0) for grade in grades]
    if form == "sorted":
        return sorted(gains, reverse=True)
    return [2**gain - 1 for gain in gains] if form == "exponential" else gains


def _words(draw: Draw, n: int, *, unknown: bool = False) -> list[Any]:
    scale = ["bad", "fair", "good", "perfect"]
    worth = dict(zip(scale, sorted(draw.sample([0, 1, 2, 3, 5, 8], 4)), strict=True))
    grades = [draw.choice(scale) for _ in range(n + 1)]
    if unknown:
        grades.insert(draw.integer(0, len(grades)), "excellent")
    return [grades, worth]


GAINS_BY_TABLE = FunctionTask(
    name="gains_by_table",
    kind="implement",
    minutes=5,
    place="chapters/what-a-grade-is-worth#choosing-gain-values",
    reference=_by_table,
    families=[
        Family("grades of the table", points=1, draw=_words, times=12),
        Family("a grade that the table lacks", points=1, draw=lambda draw, n: _words(draw, n, unknown=True)),
        Family("no document", points=0, cases=[[[], {"bad": 0}]]),
    ],
    slips=[
        slip("unknown-as-zero", sentence="A grade that the table lacks counts 0 in your function. A typing error in a grade"
             " would then go unnoticed.", missing="zero"),
        slip("unknown-left-out", sentence="A grade that the table lacks is left out by your function, so that all later"
             " documents move up a rank.", missing="left-out"),
        slip("gains-sorted", sentence="Your gains are sorted. They belong to the documents and stay in their order.",
             form="sorted"),
        slip("exponential-for-linear", form="exponential"),
    ],
    hints=(
        "A dictionary answers two questions: what belongs to a key, and whether a key is there.",
        "`grade in worth` tells whether the table has it; `raise ValueError(\"…\")` refuses.",
        "Look each grade up with `worth[grade]`, after checking that all of them are there.",
    ),
)  # fmt: skip


def _grades_and_k(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 2, 2, 3]) for _ in range(n + 2)], draw.integer(1, n + 2)]


def _capped(grades: list[float], k: int) -> float:
    best = nd.idcg(grades, k)
    return min(1.0, float(nd.dcg(grades, k, gain="exponential") / best)) if best else 0.0


SAME_ON_BOTH_SIDES = FunctionTask(
    name="same_on_both_sides",
    kind="repair",
    minutes=6,
    place="chapters/what-a-grade-is-worth#same-gain-on-both-sides",
    reference=by_recipe("ndcg", "grades", "k", gain="exponential"),
    families=[
        Family("whole grades", points=2, draw=_grades_and_k, times=24),
        Family("no document with a gain", points=1, cases=[[[0, 0], 2], [[0], 1], [[], 3]]),
    ],
    low=0,
    high=1,
    slips=[
        *library("ndcg", without=["ideal-not-sorted"]),
        slip(
            "capped-at-one",
            _capped,
            "Your values are those of the given code, cut down to 1 where they were above it. What"
            " makes them too large is still there.",
        ),
    ],
    hints=(
        "Compare the two lines: what is added up above, what below?",
        "`gains` and `grades` differ by one word, and that is the whole mistake.",
        "The ideal list is the sorted list of gains.",
    ),
)


def _ndcg(grades: Sequence[float], gain: str) -> float:
    return float(nd.ndcg(grades, gain=gain))


FORMS = ("linear", "exponential", "binary")


def _reported(draw: Draw) -> dict[str, Any]:
    grades = draw.choice([[1, 3, 0, 2], [0, 3, 1, 2], [2, 0, 3, 1], [1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1]])
    return {"grades": grades, "reported": round(_ndcg(grades, draw.choice(FORMS)), 3)}


WHICH_GAIN = ValueTask(
    name="which_gain",
    kind="choose",
    minutes=5,
    place="chapters/what-a-grade-is-worth#linear-and-exponential",
    draw=_reported,
    candidates=lambda grades, reported: [_ndcg(grades, form) for form in FORMS],
    reference=lambda grades, reported: min(FORMS, key=lambda form: abs(_ndcg(grades, form) - reported)),
    options={
        "linear": "With the grade as the gain, NDCG of this list is another number.",
        "exponential": "With 2**grade - 1 as the gain, NDCG of this list is another number.",
        "binary": "With 1 for each grade above 0, NDCG of this list is another number.",
    },
    why=lambda grades, reported: "; ".join(f"{form}: {_ndcg(grades, form):.3f}" for form in FORMS) + ".",
    hints=(
        "Three numbers can be computed from this list; one of them is the reported one.",
        "`discounted` from the task before adds up gains; divide by the same sum over the sorted gains.",
        "Do it for the grades, for 2**grade - 1, and for 0 and 1.",
    ),
)

WHEN_EQUAL = ValueTask(
    name="when_equal",
    kind="predict",
    minutes=3,
    place="chapters/what-a-grade-is-worth#equal-when-binary",
    draw=lambda draw: {"scale": draw.choice([[0, 1], [0, 2], [0, 1, 2], [0, 1, 3], [1, 2], [0, 3]])},
    reference=lambda scale: "same" if len([grade for grade in scale if grade > 0]) == 1 and 0 in scale else "different",
    options={
        "same": "With two different gains above 0, the exponential gain puts them in another proportion, and the value changes.",
        "different": "With only one grade besides 0, each gain is a factor that all relevant documents share. It cancels.",
    },
    why=lambda scale: (
        "The gains of this scale: linear "
        + ", ".join(f"{g}" for g in scale)
        + "; exponential "
        + ", ".join(f"{2**g - 1}" for g in scale)
        + "."
    ),
    hints=(
        "Write the gains of your scale in both forms, one below the other.",
        "Is one row the other one, times a number?",
        "A common factor cancels in NDCG. A different proportion does not.",
    ),
)


def _two_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list)
        and len(value[name]) == 4
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and g in range(4) for g in value[name])
        for name in ("a", "b")
    )


GAINS_DISAGREE = BuildTask(
    name="gains_disagree",
    kind="counterexample",
    minutes=6,
    place="chapters/what-a-grade-is-worth#what-exponential-emphasises",
    conditions=[
        Condition("two lists of four whole grades from 0 to 3", _two_lists, "Two lists of four whole grades from 0 to 3 are"
                  ' asked: `{"a": […], "b": […]}`.', broken_by={"a": [4]}, points=0),
        Condition("b leads with the linear gain", lambda v: nd.dcg(v["b"]) > nd.dcg(v["a"]) + 1e-9,
                  "With the linear gain, b does not have the larger DCG@4.",
                  broken_by={"a": [3, 3, 3, 3], "b": [0, 0, 0, 0]}),
        Condition("a leads with the exponential gain",
                  lambda v: nd.dcg(v["a"], gain="exponential") > nd.dcg(v["b"], gain="exponential") + 1e-9,
                  "With the exponential gain, a does not have the larger DCG@4.",
                  broken_by={"a": [0, 0, 0, 0], "b": [3, 3, 3, 3]}),
    ],
    says=lambda v: f"Linear: a {nd.dcg(v['a']):.3f}, b {nd.dcg(v['b']):.3f}. Exponential:"
    f" a {nd.dcg(v['a'], gain='exponential'):.3f}, b {nd.dcg(v['b'], gain='exponential'):.3f}.",
    hints=(
        "The exponential gain loves one high grade; the linear gain counts several middling ones for more.",
        "Give `a` a single 3. What must `b` have so that it is ahead with the linear gain?",
        "Three 2s bring 3.1 after the discount if rank 1 is left to a 0; a 3 on top brings 3, or 7.",
    ),
)  # fmt: skip


def _table(draw: Draw) -> dict[str, Any]:
    low, times = draw.integer(1, 2), draw.integer(4, 9)
    return {"gains": [0, low, draw.integer(low + 1, low * times - 1), low * times]}


READ_THE_GAIN = ValueTask(
    name="read_the_gain",
    kind="read",
    minutes=3,
    place="chapters/what-a-grade-is-worth#choosing-gain-values",
    draw=_table,
    reference=lambda gains, of="ratio": {
        "ratio": gains[-1] // gains[1],
        "grades": len(gains) - 1,
        "difference": gains[-1] - gains[1],
        "middle": gains[-1] - gains[2],
    }[of],
    slips=[
        slip("ratio-of-grades", sentence="That is the proportion of the grades. Asked is that of their gains.", of="grades"),
        slip("difference-of-gains", sentence="That is the difference of the two gains, not how often one goes into the other.",
             of="difference"),
        slip("step-to-the-top", sentence="That is the last step of the curve.", of="middle"),
    ],
    figure=lambda gains: Steps(gains, "step of the scale", "gain", "What each step of the scale is worth, beginning with grade 0"),
    why=lambda gains: f"The highest grade is worth {gains[-1]}, grade 1 is worth {gains[1]}.",
    hints=(
        "The first dot belongs to grade 0, the second to grade 1, the last to the highest grade.",
        "Read the gain of the last dot and that of the second.",
        "Divide the one by the other.",
    ),
)  # fmt: skip

WHICH_FOR_THE_SHOP = TextTask(
    name="which_for_the_shop",
    kind="explain",
    minutes=5,
    place="chapters/what-a-grade-is-worth#what-exponential-emphasises",
    worth=2,
    look_for=(
        "exponential where one excellent document matters most, linear where several good ones add up",
        "a reason from the readers, not from habit or from a tool's default",
        "a proportion in numbers, such as 7 to 1 against 3 to 1",
    ),
    hints=(
        "In which of the two places is a second good document worth as much as the first?",
        "How many documents of grade 1 replace one of grade 3 in each form?",
        "Say for each place which proportion is nearer to what its visitors do.",
    ),
)

ASSIGNMENT = Assignment(
    name="04-what-a-grade-is-worth",
    tasks=(
        EXPONENTIAL_GAINS,
        DCG_EXPONENTIAL,
        GAINS_BY_TABLE,
        SAME_ON_BOTH_SIDES,
        WHICH_GAIN,
        WHEN_EQUAL,
        GAINS_DISAGREE,
        READ_THE_GAIN,
        WHICH_FOR_THE_SHOP,
    ),
)
