"""Assignment 9: awkward cases."""

from __future__ import annotations

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
    slip,
)


def _dcg(grades: list[float], discount: str = "modern") -> float:
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
        elif rule == "number":
            kept.append(int(grade))
        elif rule != "leave-out":
            raise ValueError(f"{grade!r} is no grade")
    return kept


def _with(draw: Draw, n: int, strange: Any) -> list[Any]:
    grades = [draw.choice([0, 1, 2, 3, 0.5]) for _ in range(n + 1)]
    if strange != "nothing":
        grades.insert(draw.integer(0, len(grades)), strange)
    return [grades]


CHECKED_GRADES = FunctionTask(
    name="checked_grades",
    kind="implement",
    minutes=6,
    place="chapters/awkward-grades#not-a-number",
    reference=_checked,
    families=[
        Family("grades that are well", points=1, draw=lambda draw, n: _with(draw, n, "nothing"), times=10),
        Family("a grade that is None", points=1, draw=lambda draw, n: _with(draw, n, None), times=6),
        Family("a grade below 0", points=1, draw=lambda draw, n: _with(draw, n, -draw.integer(1, 3)), times=6),
        Family("a grade that is a text", points=1, draw=lambda draw, n: _with(draw, n, draw.choice(["2", "good"])), times=6),
        Family("no document", points=0, cases=[[[]]]),
    ],
    slips=[
        slip("none-as-zero", sentence="Where nobody judged, your function puts a 0. That is a decision about the document; here it"
             " must be refused.", none="zero"),
        slip("none-left-out", sentence="Where nobody judged, your function leaves the document out, and all later ones move up.",
             none="leave-out"),
        slip("negative-clipped", sentence="A grade below 0 becomes 0 in your function. Here it must be refused.", negative="zero"),
        slip("negative-kept", sentence="A grade below 0 passes through your function. Here it must be refused.", negative="keep"),
        slip("text-kept", sentence="A text passes through your function. It is not a number, even if it looks like one.", text="keep"),
    ],
    hints=(
        "What kinds of things may stand in the list, and which of them are numbers from 0?",
        "`isinstance(grade, (int, float))` tells whether it is a number. Ask that before you compare it with 0.",
        "`raise ValueError(\"…\")` in a loop over the grades; after the loop all is well.",
    ),
)  # fmt: skip


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


def _repeated(draw: Draw, n: int) -> list[Any]:
    names = [f"d{i}" for i in range(1, n + 3)]
    return [[draw.choice(names) for _ in range(n + 4)]]


FIRST_PLACES = FunctionTask(
    name="first_places",
    kind="implement",
    minutes=4,
    place="chapters/awkward-cases#duplicates",
    reference=_first_places,
    families=[
        Family("documents that come again", points=1, draw=_repeated, times=16),
        Family("each document once", points=1, draw=lambda draw, n: [draw.shuffled([f"d{i}" for i in range(n + 2)])], times=8),
        Family("no document", points=0, cases=[[[]]]),
    ],
    slips=[
        slip("last-place-kept", sentence="You keep the last place of a document. A reader meets it at the first.", keep="last"),
        slip("repeated-left-out", sentence="A document that comes twice is missing altogether in your list.", keep="single"),
        slip("order-lost", sentence="Your list is sorted by name. The order of the ranking has to stay.", keep="sorted"),
        slip("only-neighbours", sentence="You remove a repetition only where it follows directly.", keep="neighbours"),
    ],
    hints=(
        "Go through the list from the top. What do you have to remember?",
        "A set forgets the order. A dictionary keeps the order in which its keys came.",
        "`list(dict.fromkeys(documents))` does it; a loop with a set of what was seen does, too.",
    ),
)  # fmt: skip


def _once(
    documents: list[str], judged: dict[str, float], *, again: str = "moved-up", discount: str = "modern"
) -> float:
    if again == "moved-up":
        documents = list(dict.fromkeys(documents))
    gains, seen = [], set()
    for document in documents if again != "last" else documents[::-1]:
        gains.append(judged.get(document, 0) if document not in seen or again == "counted" else 0)
        seen.add(document)
    return _dcg(gains if again != "last" else gains[::-1], discount)


def _run(draw: Draw, n: int, *, repeat: bool = True, strange: bool = False) -> list[Any]:
    names = [f"d{i}" for i in range(1, n + 3)]
    judged = {name: draw.choice([0, 1, 2, 3]) for name in names}
    documents = [draw.choice(names) for _ in range(n + 3)] if repeat else draw.shuffled(names)
    if strange:
        documents.insert(draw.integer(0, len(documents)), "new")
    return [documents, judged]


DCG_COUNTED_ONCE = FunctionTask(
    name="dcg_counted_once",
    kind="repair",
    minutes=6,
    place="chapters/awkward-cases#duplicates",
    reference=_once,
    families=[
        Family("documents that come again", points=2, draw=_run, times=18),
        Family("each document once", points=1, draw=lambda draw, n: _run(draw, n, repeat=False), times=6),
        Family("a document that nobody judged", points=1, draw=lambda draw, n: _run(draw, n, strange=True), times=6),
        Family("no document", points=0, cases=[[[], {"a": 1}]]),
    ],
    low=0,
    slips=[
        slip("duplicates-counted", again="counted"),
        slip("duplicate-keeps-its-rank", sentence="Where a document comes again, it brings nothing in your function, but it keeps its rank. Here the later"
             " documents move up.", again="nothing"),
        slip("last-place-counts", sentence="You credit the last place of a document. A reader meets it at the first.", again="last"),
        slip("no-discount", discount="none"),
        slip("original-for-modern", discount="original"),
        slip("order-of-the-judged", sentence="You go through the judged documents in their order, and not through the list that was returned.",
             wrong=lambda documents, judged: _dcg(list(judged.values()), "modern")),
    ],
    hints=(
        "Which list should the loop go through?",
        "You have a function that keeps each document at its first place.",
        "`enumerate(first_places(documents), start=1)` gives the ranks after the repetitions are gone.",
    ),
)  # fmt: skip


def _condensed(grades: list[Any], *, unjudged: str = "removed", discount: str = "modern") -> float:
    if unjudged == "removed":
        grades = [grade for grade in grades if grade is not None]
    if unjudged == "cut":
        grades = grades[: grades.index(None)]
    return _dcg([1 if grade is None and unjudged == "one" else grade or 0 for grade in grades], discount)


def _with_gaps(draw: Draw) -> dict[str, Any]:
    grades: list[Any] = draw.shuffled([3, 2, 1, draw.integer(1, 3)])
    for _ in range(2):
        grades.insert(draw.integer(1, 3), None)
    return {"grades": grades}


CONDENSED_BY_HAND = ValueTask(
    name="condensed_by_hand",
    kind="compute",
    minutes=5,
    worth=2,
    place="chapters/awkward-cases#unjudged-documents",
    draw=_with_gaps,
    reference=_condensed,
    decimals=3,
    slips=[
        slip("unjudged-kept", unjudged="zero"),
        slip("unjudged-as-one", sentence="You gave the documents that nobody judged a grade of 1.", unjudged="one"),
        slip("stops-at-unjudged", sentence="You stopped at the first document that nobody judged.", unjudged="cut"),
        slip("no-discount", discount="none"),
        slip("original-for-modern", discount="original"),
        slip("reciprocal-discount", discount="reciprocal"),
    ],
    hints=(
        "Write the list again without the documents that nobody judged. Which ranks do the others have now?",
        "Four documents are left, at the ranks 1 to 4.",
        "For 2, None, 1 it would be 2/1 + 1/1.58496 = 2.631.",
    ),
)


def _short_list(draw: Draw) -> dict[str, Any]:
    more = draw.choice([[0, 0], [2, 1], [0, 1], [0, 0, 0], [1, 0]])
    returned = draw.shuffled([3, 2, 1])
    return {"returned": returned, "judged": draw.shuffled([*returned, *more])}


BEYOND_THE_LIST = ValueTask(
    name="beyond_the_list",
    kind="predict",
    minutes=3,
    place="chapters/awkward-cases#k-beyond-the-list",
    draw=_short_list,
    reference=lambda returned, judged: "falls" if any(sorted(judged, reverse=True)[3:]) else "stays",
    options={
        "rises": "Nothing is added to DCG below rank 3, as no document stands there. So it cannot rise.",
        "falls": "IDCG grows only if judged documents with a gain are left for its ranks 4 to 10. Here there are none.",
        "stays": "DCG stays, but IDCG has ranks 4 to 10 to fill, and there are judged documents with a gain for them.",
    },
    why=lambda returned, judged: (
        f"NDCG@3 is {nd.ndcg(returned, 3, judged=judged):.3f}, NDCG@10 is {nd.ndcg(returned, 10, judged=judged):.3f}."
    ),
    hints=(
        "What does DCG do when the cut-off goes beyond the end of the list? What does IDCG do?",
        "Write down the ideal list for k = 3 and for k = 10.",
        "Are there judged documents with a gain that the first three ideal ranks do not hold?",
    ),
)


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
    if ends == "turned":
        upwards = sorted(zip(scores, grades, strict=True))
        return [_dcg([grade for _, grade in upwards], discount), best]
    return {"both": [worst, best], "swapped": [best, worst], "worst": [worst, worst], "best": [best, best]}[ends]


def _tied(draw: Draw, n: int) -> list[Any]:
    grades = [draw.choice([0, 1, 2, 3]) for _ in range(n + 2)]
    return [grades, [draw.choice([0.2, 0.5, 0.7]) for _ in grades]]


def _untied(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 2, 3]) for _ in range(n + 2)], draw.shuffled([i / 8 for i in range(n + 2)])]


TIE_RANGE = FunctionTask(
    name="tie_range",
    kind="implement",
    minutes=8,
    place="chapters/awkward-grades#ties-in-scores",
    reference=_range,
    families=[
        Family("equal scores", points=2, draw=_tied, times=18),
        Family("scores that all differ", points=1, draw=_untied, times=8),
        Family("no document", points=0, cases=[[[], []]]),
    ],
    slips=[
        slip("range-turned", sentence="You give the largest value first. The smallest comes first.", ends="swapped"),
        slip("scores-ignored", sentence="Your range is that of all orders. Documents with different scores cannot change places.", order="any"),
        slip("no-discount", discount="none"),
        slip("original-for-modern", discount="original"),
        slip("ranking-ascending", order="low"),
        slip("whole-list-turned", sentence="Your smallest value is that of the whole list turned round. Only documents with equal scores may change"
             " places.", ends="turned"),
        slip("worst-twice", sentence="Both of your values are the smallest one.", ends="worst"),
        slip("best-twice", sentence="Both of your values are the largest one.", ends="best"),
    ],
    hints=(
        "Within a group of equal scores: which order gives the largest sum, which the smallest?",
        "Sort by score first, from high to low; within equal scores by grade, once upwards and once downwards.",
        "`key=lambda pair: (-score, grade)` for the worst order, `(-score, -grade)` for the best.",
    ),
    valid=lambda grades, scores: len(grades) == len(scores),
)  # fmt: skip


def _forms(grades: list[float]) -> dict[str, float]:
    return {
        "exact": nd.ndcg(grades),
        "truncated": nd.ndcg([int(g) for g in grades]),
        "rounded": nd.ndcg([int(g + 0.5) for g in grades]),
    }


def _fractional(draw: Draw) -> dict[str, Any]:
    grades = draw.choice(
        [[1.4, 2.6, 0.8, 1.9], [0.7, 1.6, 2.9, 1.2], [1.8, 0.6, 2.7, 3.0], [2.3, 0.9, 2.8, 1.7], [0.6, 1.7, 1.2, 2.8]]
    )
    grades = draw.shuffled(grades)
    return {"grades": grades, "reported": round(_forms(grades)[draw.choice(["exact", "truncated", "rounded"])], 3)}


WHAT_HAPPENED = ValueTask(
    name="what_happened_to_fractions",
    kind="choose",
    minutes=5,
    place="chapters/awkward-grades#fractional-grades",
    draw=_fractional,
    candidates=lambda grades, reported: list(_forms(grades).values()),
    reference=lambda grades, reported: min(_forms(grades), key=lambda form: abs(_forms(grades)[form] - reported)),
    options={
        "exact": "With the grades as they are, NDCG is another number.",
        "truncated": "With the fractions cut off, NDCG is another number.",
        "rounded": "With the grades rounded to whole numbers, NDCG is another number.",
    },
    why=lambda grades, reported: "; ".join(f"{form}: {value:.3f}" for form, value in _forms(grades).items()) + ".",
    hints=(
        "Three lists of grades, three values. Compute each.",
        "`int(g)` cuts off a fraction; `int(g + 0.5)` rounds.",
        "One of the three NDCG values is the reported one.",
    ),
)


def _some_numbers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and 2 <= len(value) <= 5
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and -3 <= g <= 3 for g in value)
    )


def _quotient(value: list[float]) -> float:
    best = _dcg(sorted(value, reverse=True))
    return _dcg(value) / best if abs(best) > 1e-9 else 0.0


ABOVE_ONE = BuildTask(
    name="above_one",
    kind="counterexample",
    minutes=5,
    place="chapters/awkward-grades#negative-grades",
    conditions=[
        Condition("two to five numbers from -3 to 3", _some_numbers, "A list of two to five numbers from -3 to 3 is asked.",
                  broken_by=[9], points=0),
        Condition("a negative grade", lambda v: min(v) < 0, "No grade is negative. Then DCG cannot be larger than IDCG.",
                  broken_by=[1, 2], points=0),
        Condition("DCG / IDCG above 1", lambda v: _quotient(v) > 1 + 1e-9, "DCG / IDCG is not above 1 for this list.",
                  broken_by=[2, -1]),
    ],
    says=lambda v: f"DCG is {_dcg(v):.3f}, IDCG is {_dcg(sorted(v, reverse=True)):.3f}, the quotient {_quotient(v):.3f}.",
    hints=(
        "What if IDCG is itself below 0?",
        "If every grade is negative, the worse order has the sum that is further from 0.",
        "Two negative grades, the worse one first.",
    ),
)  # fmt: skip

UNJUDGED_OR_BAD = TextTask(
    name="unjudged_or_bad",
    kind="explain",
    minutes=5,
    place="chapters/awkward-cases#unjudged-documents",
    worth=2,
    look_for=(
        "says that an unjudged document may be good, and that 0 punishes a system that finds new ones",
        "reports the number or share of unjudged documents, or both values",
        "proposes to judge the missing documents",
    ),
    hints=(
        "Who decided which documents were judged?",
        "Which number would show a reader how much is unknown?",
        "Name two values that you would report side by side.",
    ),
)

ASSIGNMENT = Assignment(
    name="09-awkward-cases",
    tasks=(
        CHECKED_GRADES,
        FIRST_PLACES,
        DCG_COUNTED_ONCE,
        CONDENSED_BY_HAND,
        BEYOND_THE_LIST,
        TIE_RANGE,
        WHAT_HAPPENED,
        ABOVE_ONE,
        UNJUDGED_OR_BAD,
    ),
)
