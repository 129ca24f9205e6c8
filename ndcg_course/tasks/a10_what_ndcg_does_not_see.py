"""Assignment 10: what NDCG does not see, and the measures that do."""

from __future__ import annotations

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
    slip,
)


def _short_and_long(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list)
        and 0 < len(value[name]) <= 8
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and 0 <= g <= 3 for g in value[name])
        for name in ("short", "long")
    )


def _three_more_useless(value: Any) -> bool:
    useful = [[grade for grade in sorted(value[name]) if grade > 0] for name in ("short", "long")]
    return useful[0] == useful[1] and value["long"].count(0) >= value["short"].count(0) + 3


BLIND_TO_JUNK = BuildTask(
    name="blind_to_junk",
    kind="counterexample",
    minutes=4,
    place="chapters/what-ndcg-does-not-see#bad-documents",
    conditions=[
        Condition("two lists of at most eight grades from 0 to 3", _short_and_long, "Two lists of at most eight grades from 0 to 3 are"
                  ' asked, none empty: `{"short": […], "long": […]}`.', broken_by={"short": []}, points=0),
        Condition("a document with a gain", lambda v: max(v["short"]) > 0, "No document of `short` has a gain, so its NDCG is 0 whatever"
                  " follows.", broken_by={"short": [0], "long": [0, 0, 0, 0]}, points=0),
        Condition("three more without a gain", _three_more_useless, "`long` does not hold the useful documents of `short` and at least three"
                  " more of grade 0.", broken_by={"short": [3, 1], "long": [3, 1, 0]}),
        Condition("the same NDCG", lambda v: abs(nd.ndcg(v["short"]) - nd.ndcg(v["long"])) < 1e-9, "Their NDCG is not the same: a useless document"
                  " above a useful one costs something.", broken_by={"short": [3, 1], "long": [0, 0, 0, 3, 1]}),
    ],
    says=lambda v: f"NDCG: {nd.ndcg(v['short']):.3f} and {nd.ndcg(v['long']):.3f}. Share of useful documents:"
    f" {sum(g > 0 for g in v['short']) / len(v['short']):.2f} and {sum(g > 0 for g in v['long']) / len(v['long']):.2f}.",
    hints=(
        "Where must a useless document stand so that no useful one loses its rank?",
        "What does a gain of 0 add to a sum?",
        "Take any list and put zeros at its end.",
    ),
)  # fmt: skip


def _precision(
    grades: list[float], k: int, lowest: float, *, over: str = "k", at: str = "least", cut: bool = True
) -> float:
    read = grades[:k] if cut else grades
    hits = sum(grade >= lowest if at == "least" else grade > lowest if at == "above" else grade > 0 for grade in read)
    relevant = sum(grade >= lowest for grade in grades)
    return hits / {"k": k, "list": len(grades), "relevant": max(relevant, 1), "nothing": 1}[over]


PRECISION_BY_HAND = ValueTask(
    name="precision_by_hand",
    kind="compute",
    minutes=4,
    place="chapters/which-measure#other-measures",
    draw=lambda draw: {"grades": draw.shuffled([3, 3, 2, 2, 1, 1, 0, draw.integer(0, 3)]), "k": draw.integer(5, 7), "lowest": 2},
    reference=_precision,
    decimals=3,
    slips=[
        slip("any-grade-counts", sentence="You counted every document with a grade above 0. Relevant is only what has at least the grade"
             " `lowest`.", at="any"),
        slip("above-the-lowest", sentence="You counted only grades above `lowest`. The grade `lowest` itself counts, too.", at="above"),
        slip("divided-by-the-list", sentence="You divided by the length of the list. Precision at k divides by k.", over="list"),
        slip("recall-for-precision", sentence="You divided by the number of relevant documents. That is recall.", over="relevant"),
        slip("not-divided", sentence="That is the number of relevant documents among the first k. Precision is their share.", over="nothing"),
    ],
    hints=(
        "Look at the first k documents only. Which of them are relevant?",
        "Count those with a grade of at least `lowest`.",
        "Divide by k.",
    ),
)  # fmt: skip


def _hits(draw: Draw) -> dict[str, Any]:
    gap, first = draw.integer(1, 3), draw.integer(1, 2)
    hits = [0] * 8
    hits[first - 1] = hits[first + gap] = hits[first + gap + 2] = 1
    return {"hits": hits}


def _nth(hits: list[int], *, of: int = 2, miss: int = 0) -> int:
    return [rank for rank, hit in enumerate(hits, start=1) if hit][of - 1] + miss


SECOND_HIT = ValueTask(
    name="second_hit",
    kind="read",
    minutes=3,
    place="chapters/which-measure#other-measures",
    draw=_hits,
    reference=_nth,
    slips=[
        slip("first-hit", sentence="There stands the first relevant document.", of=1),
        slip("third-hit", sentence="There stands the third relevant document.", of=3),
        slip("k-one-less", sentence="The curve still falls to this rank; it rises to the next one.", miss=-1),
        slip("k-one-more", sentence="The rise is one rank earlier.", miss=1),
    ],
    figure=lambda hits: Steps(
        [sum(hits[:k]) / k for k in range(1, len(hits) + 1)],
        "cut-off k",
        "precision at k",
        "Precision over the cut-off k",
    ),
    why=lambda hits: "The judgements were " + ", ".join(map(str, hits)) + ".",
    hints=(
        "What does precision do at a relevant document, and what at another?",
        "It rises, or stays at 1, where a relevant document comes. It falls, or stays at 0, elsewhere.",
        "Find the first relevant document, then the next rank at which the curve rises.",
    ),
)


def _first_hit(hits: list[int], *, of: str = "first", form: str = "reciprocal", miss: int = 0) -> float:
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit]
    if not ranks:
        return 0.0
    rank = {"first": ranks[0], "last": ranks[-1]}[of] + miss
    return {
        "reciprocal": 1 / max(rank, 1),
        "rank": float(rank),
        "log": float(nd.discounts(rank)[-1]),
        "sum": sum(1 / r for r in ranks),
    }[form]


def _binary(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 0, 1]) for _ in range(n + 2)]]


FIRST_HIT = FunctionTask(
    name="first_hit",
    kind="implement",
    minutes=4,
    place="chapters/which-measure#other-measures",
    reference=_first_hit,
    families=[
        Family("lists with a relevant document", points=2, draw=lambda draw, n: [[*_binary(draw, n)[0], 1]], times=18),
        Family("no relevant document", points=1, cases=[[[0, 0]], [[]], [[0]]]),
    ],
    low=0,
    high=1,
    slips=[
        slip("last-hit", sentence="You take the last relevant document, not the first.", of="last"),
        slip("rank-itself", sentence="That is the rank of the first relevant document, not 1 divided by it.", form="rank"),
        slip("rank-from-zero-plus", sentence="Your ranks are one too large.", miss=1),
        slip("discount-of-the-rank", sentence="You divide by a logarithm. The reciprocal rank is 1 divided by the rank itself.", form="log"),
        slip("place-itself", sentence="That is Python's place of the first relevant document, counted from 0, and not 1 divided by its rank.",
             wrong=lambda hits: hits.index(1)),
        slip("share-of-relevant", sentence="That is the share of relevant documents in the list, whatever their ranks.",
             wrong=lambda hits: sum(hits) / len(hits)),
        slip("all-hits-added", sentence="You add up over all relevant documents. Only the first one counts.", form="sum"),
    ],
    hints=(
        "Which rank has the first 1? Ranks are counted from 1.",
        "Go through the list with `enumerate(hits, start=1)`, and return at the first hit.",
        "`return 1 / rank` inside the loop; after it, `return 0.0`.",
    ),
)  # fmt: skip


def _average(
    hits: list[int], relevant: int, *, over: str = "relevant", at: str = "hits", found: str = "so-far"
) -> float:
    ranks = [rank for rank, hit in enumerate(hits, start=1) if hit or at == "all"]
    late = {"so-far": 0, "before": 1}
    values = [(sum(hits[: rank - late[found]]) if found in late else 1) / rank for rank in ranks]
    divisor = {"relevant": relevant, "found": sum(hits), "list": len(hits), "nothing": 1}[over]
    return sum(values) / divisor if divisor else 0.0


def _hits_and_relevant(draw: Draw, n: int) -> list[Any]:
    hits = [draw.choice([0, 1]) for _ in range(n + 2)]
    return [hits, sum(hits) + draw.integer(1, 3)]


def _all_found(draw: Draw, n: int) -> list[Any]:
    hits = [1, *(draw.choice([0, 1]) for _ in range(n + 1))]
    return [hits, sum(hits)]


AVERAGE = FunctionTask(
    name="average_of_precisions",
    kind="implement",
    minutes=7,
    place="chapters/which-measure#average-precision",
    reference=_average,
    families=[
        Family("not all were found", points=2, draw=_hits_and_relevant, times=18),
        Family("all were found", points=1, draw=_all_found),
        Family("nothing relevant", points=0, cases=[[[0, 0], 0], [[0], 3], [[], 0]]),
    ],
    low=0,
    high=1,
    slips=[
        slip("divided-by-found", sentence="You divide by the number of relevant documents that were returned. Those that were missed count as well.", over="found"),
        slip("divided-by-the-list", sentence="You divide by the length of the list.", over="list"),
        slip("precision-at-every-rank", sentence="You add up precision at every rank. Only the ranks of relevant documents count.", at="all"),
        slip("counted-too-late", sentence="At a relevant document you count those before it only. It is one of those found so far.", found="before"),
        slip("not-divided-at-all", sentence="You add up the precisions and do not divide by the number of relevant documents.", over="nothing"),
        slip("reciprocal-ranks-added", sentence="You add up 1 divided by the rank. At the second relevant document two have been found, not one.", found="one"),
    ],
    hints=(
        "Do it on paper for 1, 0, 1: at rank 1 precision is 1/1, at rank 3 it is 2/3.",
        "Keep a count of relevant documents found so far; at each of them add count / rank.",
        "Divide by `relevant` in the end, and guard against 0.",
    ),
    valid=lambda hits, relevant: sum(hits) <= relevant,
)  # fmt: skip


def _rbp(hits: list[int], p: float, *, scale: str = "1-p", power: int = -1) -> float:
    total = sum(hit * p ** (rank + power) for rank, hit in enumerate(hits, start=1))
    reached = sum(p**i for i in range(len(hits)))
    return total * {"1-p": 1 - p, "none": 1.0, "p": p, "list": 1 / reached if reached else 0.0}[scale]


def _hits_and_p(draw: Draw, n: int) -> list[Any]:
    return [[draw.choice([0, 1, 1]) for _ in range(n + 1)], draw.choice([0.5, 0.8, 0.9, 0.95])]


RANK_BIASED = FunctionTask(
    name="rank_biased",
    kind="implement",
    minutes=5,
    place="chapters/which-measure#other-measures",
    reference=_rbp,
    families=[
        Family("hits and misses", points=2, draw=_hits_and_p, times=18),
        Family("no document", points=0, cases=[[[], 0.8]]),
    ],
    low=0,
    high=1,
    slips=[
        slip("not-scaled", sentence="The factor 1 - p is missing: your values can be above 1.", scale="none"),
        slip("power-one-late", sentence="Your powers begin with p. Rank 1 is always read, so its power is 0.", power=0),
        slip("power-one-early", sentence="Your powers begin with p to the power of -1. Rank 1 is always read, so its power is 0.", power=-2),
        slip("scaled-by-p", sentence="You multiply by p where 1 - p is asked.", scale="p"),
        slip("p-turned-round", sentence="You take 1 - p for the probability to go on, and p for that to stop.",
             wrong=lambda hits, p: _rbp(hits, 1 - p)),
        slip("p-times-the-rank", sentence="You multiply p by the rank minus 1. It is a power: p times itself.",
             wrong=lambda hits, p: (1 - p) * sum(hit * p * (rank - 1) for rank, hit in enumerate(hits, start=1))),
        slip("misses-counted", sentence="Every document counts in your sum, the misses too.",
             wrong=lambda hits, p: _rbp([1] * len(hits), p)),
        slip("scaled-by-the-list", sentence="You divide by what this list could reach at most. The factor is 1 - p, whatever the length.", scale="list"),
    ],
    hints=(
        "With which probability does the reader reach rank 1, rank 2, rank 3?",
        "1, p, p times p: the power is the rank minus 1.",
        "Sum of `hit * p ** (rank - 1)`, times `(1 - p)`.",
    ),
)  # fmt: skip

DOES_IT_HELP = ValueTask(
    name="does_it_help",
    kind="predict",
    minutes=4,
    place="chapters/what-ndcg-does-not-see#repairs-judged",
    draw=lambda draw: {
        "good": draw.integer(2, 5),
        "ideal": draw.choice(["each list, sorted", "the good documents only"]),
    },
    reference=lambda good, ideal: "no" if ideal == "each list, sorted" else "yes",
    options={
        "yes": "Each list is its own ideal here: the list with the bad document at its end is sorted already, so both have 1.",
        "no": "The ideal holds the good documents only, so the bad one lowers DCG and not IDCG.",
    },
    why=lambda good, ideal: (
        f"B has a DCG of {float(nd.dcg([1] * good + [-1], allow_negative=True)):.3f}. Its own sorted list has the same,"
        f" the good documents alone have {nd.dcg([1] * good):.3f}."
    ),
    hints=(
        "Write down the list of B, and its ideal list.",
        "Is the list of B sorted?",
        "If the ideal equals the list, the quotient is 1, whatever the grades.",
    ),
)

QUESTIONS = {
    "Of the ten results on the first page, how many are of use?": "precision",
    "Did the search find all the patents that could be in our way?": "recall",
    "How far must a person go down to the one page that they want?": "reciprocal rank",
    "Are the better of the good films above the less good ones?": "NDCG",
}

WHICH_MEASURE = ValueTask(
    name="which_measure",
    kind="choose",
    minutes=3,
    place="chapters/which-measure#choosing-a-measure",
    draw=lambda draw: {"question": draw.choice(list(QUESTIONS))},
    reference=lambda question: QUESTIONS[question],
    options={
        "NDCG": "NDCG looks at the order of graded documents. The question is not about that order.",
        "precision": "Precision is the share of useful documents among the first k. The question asks for something else.",
        "recall": "Recall is the share of all useful documents that were found. The question asks for something else.",
        "reciprocal rank": "The reciprocal rank looks at the first useful document alone. The question needs more than that, or something else.",
    },
    hints=(
        "What would change the answer to the question: a missed document, a useless one, a better order?",
        "Precision looks at useless documents, recall at missed ones, reciprocal rank at the first hit, NDCG at the order of grades.",
        "Say the question again with the name of each measure in it, and see which sentence is true.",
    ),
)

SECOND_NUMBER = TextTask(
    name="second_number",
    kind="explain",
    minutes=5,
    place="chapters/which-measure#choosing-a-measure",
    worth=2,
    look_for=(
        "names a change that NDCG@10 cannot see (useless documents at the end, documents beyond rank 10, sameness of the results)",
        "names a second number that sees it",
        "says for whom it matters",
    ),
    hints=(
        "Your first task of this assignment shows one such change.",
        "What happens below rank 10, and who would notice?",
        "Name the number that would fall while NDCG@10 stays.",
    ),
)

ASSIGNMENT = Assignment(
    name="10-what-ndcg-does-not-see",
    tasks=(
        BLIND_TO_JUNK,
        PRECISION_BY_HAND,
        SECOND_HIT,
        FIRST_HIT,
        AVERAGE,
        RANK_BIASED,
        DOES_IT_HELP,
        WHICH_MEASURE,
        SECOND_NUMBER,
    ),
)
