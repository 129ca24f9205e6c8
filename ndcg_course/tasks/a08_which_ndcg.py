"""Assignment 8: which NDCG is it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
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
    Slip,
    TextTask,
    ValueTask,
    by_recipe,
    slip,
)


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


def _scores(draw: Draw, n: int, *, ties: bool = True) -> list[Any]:
    documents = draw.shuffled([f"d{i}" for i in range(1, n + 4)])
    levels = [0.1, 0.4, 0.9] if ties else [i / 8 for i in range(n + 3)]
    worth = [draw.choice(levels) for _ in documents] if ties else draw.shuffled(levels)
    return [dict(zip(documents, worth, strict=False))]


TREC_ORDER = FunctionTask(
    name="trec_order",
    kind="implement",
    minutes=5,
    place="chapters/awkward-grades#ties-in-scores",
    reference=_order,
    families=[
        Family("scores that all differ", points=1, draw=lambda draw, n: _scores(draw, n, ties=False), times=10),
        Family("equal scores", points=2, draw=_scores, times=16),
        Family("no document", points=0, cases=[[{}]]),
    ],
    slips=[
        slip("ties-as-given", ties="given"),
        slip("ties-by-earlier-id", sentence="Among equal scores you put the id that comes first in the alphabet first. trec_eval does it"
             " the other way round.", ties="earlier"),
        slip("ties-reversed", ties="reverse"),
        slip("ranking-ascending", best="low"),
        slip("ordered-by-id", sentence="Your order looks at the ids only. The scores come first.", best="ids"),
    ],
    hints=(
        "Two things decide: first the score, and where it is equal the id. Both from high to low.",
        "`sorted` compares pairs by their first part, and where that is equal by their second.",
        "Sort with `key=lambda document: (scores[document], document)` and `reverse=True`.",
    ),
)  # fmt: skip


def _tied(draw: Draw, n: int) -> list[Any]:
    grades = [draw.choice([0, 1, 2, 3]) for _ in range(n + 2)]
    return [grades, [draw.choice([0.2, 0.5, 0.7]) for _ in grades]]


def _untied(draw: Draw, n: int) -> list[Any]:
    grades = [draw.choice([0, 1, 2, 3]) for _ in range(n + 2)]
    return [grades, draw.shuffled([i / 8 for i in range(n + 2)])]


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
        }[by]
        total += sum(group) * float(worth)
        rank = last + 1
    return total


def _sharing(name: str, by: str, sentence: str) -> Slip:
    return slip(name, sentence=sentence, wrong=partial(_shared, by=by))


DCG_OF_TIES = FunctionTask(
    name="dcg_of_ties",
    kind="implement",
    minutes=10,
    place="chapters/awkward-grades#ties-in-scores",
    reference=by_recipe("dcg", "grades", "scores"),
    families=[
        Family("scores that all differ", points=1, draw=_untied, times=12),
        Family("equal scores", points=2, draw=_tied, times=20),
        Family("all scores equal", points=1, draw=lambda d, n: [d.grades(n + 1), [0.5] * (n + 1)]),
        Family("no document", points=0, cases=[[[], []]]),
    ],
    low=0,
    slips=[
        slip("ties-as-given"),
        slip("ties-reversed"),
        slip("ties-best-first"),
        slip("ties-worst-first"),
        slip("ranking-given"),
        slip("ranking-ascending"),
        slip("natural-log"),
        slip("no-discount"),
        slip("original-for-modern"),
        _sharing("tied-share-the-first-rank", "first", "All documents of a group get the discount of its first rank."),
        _sharing("tied-share-the-last-rank", "last", "All documents of a group get the discount of its last rank."),
        _sharing(
            "discount-of-the-mean-rank",
            "middle",
            "A group gets the discount of its mean rank. Asked is the mean of the discounts, which is larger.",
        ),
        _sharing(
            "group-as-one-rank",
            "place",
            "A group of equal scores takes one rank in your function. It takes as many as it has documents.",
        ),
        _sharing(
            "group-as-one-document",
            "place-mean",
            "A group counts as one document with the mean grade, at one rank. It takes as many ranks as it has documents.",
        ),
        _sharing(
            "discounts-not-averaged",
            "all",
            "Each document of a group gets the sum of its discounts. Divide by the number of documents in it.",
        ),
    ],
    hints=(
        "Take three documents with equal scores at ranks 1 to 3. Which discount does each get on average?",
        "Go through the different scores from high to low, and keep the next free rank.",
        "For each group: the sum of its grades, times the mean of the discounts of its ranks.",
    ),
    valid=lambda grades, scores: len(grades) == len(scores),
)


PAIRS = [(gain, ideal) for gain in ("linear", "exponential") for ideal in ("judged", "returned")]


def _value(returned: Sequence[float], judged: Sequence[float], k: int, gain: str, ideal: str) -> float:
    return float(nd.ndcg(returned, k, judged=judged, gain=gain, ideal=ideal))


def _report(draw: Draw) -> dict[str, Any]:
    returned = draw.shuffled([3, 2, 1, 0])
    judged, k = draw.shuffled([*returned, 3, 2]), 4
    gain, ideal = draw.choice(PAIRS)
    return {
        "returned": returned,
        "judged": judged,
        "k": k,
        "reported": round(_value(returned, judged, k, gain, ideal), 3),
    }


def _found(
    returned: list[float], judged: list[float], k: int, reported: float, *, gain: str = "", ideal: str = ""
) -> dict[str, str]:
    pair = min(PAIRS, key=lambda pair: abs(_value(returned, judged, k, *pair) - reported))
    other = {"linear": "exponential", "exponential": "linear", "judged": "returned", "returned": "judged"}
    return {"gain": other[pair[0]] if gain else pair[0], "ideal": other[pair[1]] if ideal else pair[1]}


FOUND_CONVENTION = ValueTask(
    name="found_convention",
    kind="choose",
    minutes=8,
    worth=2,
    place="chapters/which-ndcg#choices-of-a-convention",
    draw=_report,
    candidates=lambda returned, judged, k, reported: [_value(returned, judged, k, *pair) for pair in PAIRS],
    reference=_found,
    decimals=None,
    slips=[
        slip("wrong-gain", sentence="The ideal is right. With this gain the value is another one.", gain="other"),
        slip("wrong-ideal", sentence="The gain is right. With this ideal the value is another one.", ideal="other"),
        slip(
            "both-wrong",
            sentence="Neither the gain nor the ideal gives the reported value.",
            gain="other",
            ideal="other",
        ),
    ],
    why=lambda returned, judged, k, reported: (
        "; ".join(
            f"{gain} gain, ideal {ideal}: {_value(returned, judged, k, gain, ideal):.3f}" for gain, ideal in PAIRS
        )
        + "."
    ),
    hints=(
        "There are four combinations, and each gives one number. Which of them is the reported one?",
        "A function with two arguments, gain and ideal, saves work.",
        "The list keeps its order in all four; the ideal is `judged` or `returned`, turned into gains and sorted.",
    ),
)


def _unnamed_cut(draw: Draw) -> dict[str, Any]:
    grades = draw.choice([[1, 0, 3, 2, 0, 3, 1], [2, 0, 1, 3, 0, 0, 3], [0, 1, 3, 2, 3, 0, 1], [1, 3, 0, 0, 2, 3, 2]])
    curve = [round(float(x), 3) for x in nd.curve(grades).ndcg]
    unique = [value for value in curve if curve.count(value) == 1]
    return {"curve": curve, "reported": draw.choice(unique[1:-1])}


DEFAULT_K = ValueTask(
    name="default_k",
    kind="read",
    minutes=3,
    place="chapters/which-ndcg#choices-of-a-convention",
    draw=_unnamed_cut,
    reference=lambda curve, reported, miss=0, of="k": (
        len(curve) if of == "all" else curve.index(reported) + 1 + miss if of == "k" else curve.index(max(curve)) + 1
    ),
    decimals=None,
    slips=[
        slip("k-one-less", sentence="You counted from 0. The first dot is NDCG@1.", miss=-1),
        slip("k-one-more", sentence="One rank less gives the reported value.", miss=1),
        slip("whole-list", sentence="That is the end of the list; its value is another one.", of="all"),
    ],
    figure=lambda curve, reported: Steps(curve, "cut-off k", "NDCG@k", "NDCG@k over the cut-off k"),
    why=lambda curve, reported: "The values are " + ", ".join(f"{value:.3f}" for value in curve) + ".",
    hints=(
        "Look for the reported height among the dots.",
        "The description of the plot lists the values.",
        "The first value belongs to k = 1.",
    ),
)

RULES: dict[str, float | str] = {"zero": 0.0, "one": 1.0, "skip": "skip"}


def _mean(queries: Sequence[Sequence[float]], rule: str) -> float:
    return float(nd.mean([nd.ndcg(grades, empty=RULES[rule]) for grades in queries], empty=RULES[rule]))


def _with_an_empty_query(draw: Draw) -> dict[str, Any]:
    queries = [draw.shuffled([3, 1, 0]), draw.shuffled([2, 1, 0, 0]), [0, 0, 0]]
    queries = draw.shuffled(queries)
    return {"queries": queries, "reported": round(_mean(queries, draw.choice(list(RULES))), 3)}


EMPTY_RULE = ValueTask(
    name="empty_rule",
    kind="choose",
    minutes=6,
    place="chapters/awkward-cases#no-relevant-document",
    draw=_with_an_empty_query,
    candidates=lambda queries, reported: [_mean(queries, rule) for rule in RULES],
    reference=lambda queries, reported: min(RULES, key=lambda rule: abs(_mean(queries, rule) - reported)),
    options={
        "zero": "Counted as 0, the query pulls the mean down; the reported value is another one.",
        "one": "Counted as 1, the query lifts the mean; the reported value is another one.",
        "skip": "Left out, the mean is over two queries; the reported value is another one.",
    },
    why=lambda queries, reported: "; ".join(f"{rule}: {_mean(queries, rule):.3f}" for rule in RULES) + ".",
    hints=(
        "Compute NDCG of the two queries that have something to find.",
        "Their mean is one candidate. What do a third value of 0, or of 1, make of it?",
        "The sum of both over 2, the sum of both over 3, the sum of both plus 1 over 3.",
    ),
)


def _run_mean(
    qrels: dict[str, dict[str, float]],
    run: dict[str, list[str]],
    *,
    over: str = "judged",
    ideal: str = "judged",
    count: str = "judged",
) -> float:
    values = []
    for query, judged in qrels.items():
        if over == "run" and query not in run:
            continue
        grades = [judged.get(document, 0) for document in run.get(query, [])]
        if over == "one" and query not in run:
            values.append(1.0)
            continue
        if over == "relevant" and not any(judged.values()):
            continue
        values.append(float(nd.ndcg(grades, judged=list(judged.values()), ideal=ideal)) if grades else 0.0)
    number = len(run) if count == "run" else len(set(qrels) | set(run)) if count == "all" else len(values)
    return sum(values) / number if number else 0.0


def _qrels_and_run(draw: Draw, n: int, *, missing: bool = False, strange: bool = False) -> list[Any]:
    qrels, run = {}, {}
    for q in range(1, draw.integer(2, 4) + 1):
        documents = [f"d{i}" for i in range(1, n + 4)]
        qrels[f"q{q}"] = {document: draw.choice([0, 1, 2, 3]) for document in documents} | {"d1": draw.integer(1, 3)}
        run[f"q{q}"] = draw.sample([*documents, "new"], draw.integer(2, n + 3))
    if missing:
        del run[f"q{draw.integer(1, len(run))}"]
    if strange:
        run["x"] = ["d1", "d2"]
    return [qrels, run]


MEAN_OF_RUN = FunctionTask(
    name="mean_of_run",
    kind="repair",
    minutes=6,
    place="chapters/awkward-cases#query-without-results",
    reference=_run_mean,
    families=[
        Family(
            "a judged query without results",
            points=2,
            draw=lambda draw, n: _qrels_and_run(draw, n, missing=True),
            times=14,
        ),
        Family("every query with results", points=1, draw=_qrels_and_run, times=8),
        Family(
            "a query that nobody judged",
            points=1,
            draw=lambda draw, n: _qrels_and_run(draw, n, strange=True, missing=bool(n % 2)),
        ),
    ],
    low=0,
    high=1,
    slips=[
        slip("missing-dropped", over="run"),
        slip(
            "missing-as-one",
            sentence="A query without results counts 1 in your function. Nothing was found, so it is 0.",
            over="one",
        ),
        slip("unjudged-queries-counted", count="all"),
        slip(
            "divided-by-run",
            sentence="You divide by the number of queries in the run, not by that of the judged queries.",
            count="run",
        ),
        slip("ideal-from-returned", ideal="returned"),
        slip("sum-over-queries", wrong=lambda qrels, run: _run_mean(qrels, run) * len(qrels)),
    ],
    hints=(
        "Over which queries does the loop go, and over which should it go?",
        "`run.get(query, [])` is an empty list for a query that the run does not have.",
        "Go through `qrels.items()`, and divide by `len(qrels)`.",
    ),
)


def _three_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list)
        and 0 < len(value[name]) <= 10
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) and 0 <= g <= 100 for g in value[name])
        for name in ("a", "b", "judged")
    )


def _are_judged(value: Any) -> bool:
    return all(value[name].count(grade) <= value["judged"].count(grade) for name in ("a", "b") for grade in value[name])


def _both(value: Any, ideal: str) -> tuple[float, float]:
    a, b = (float(nd.ndcg(value[name], 5, judged=value["judged"], ideal=ideal)) for name in ("a", "b"))
    return a, b


IDEAL_DECIDES = BuildTask(
    name="ideal_decides",
    kind="counterexample",
    minutes=7,
    place="chapters/the-ideal-ranking#all-judged-or-returned",
    conditions=[
        Condition("three lists of at most ten grades", _three_lists, "Three lists of at most ten grades are asked, none empty:"
                  ' `{"a": […], "b": […], "judged": […]}`.', broken_by={"a": [1]}, points=0),
        Condition("all returned documents are judged", _are_judged, "A returned grade is missing among the judged: each grade of a"
                  " and of b has to stand in `judged`, as often as in the list.",
                  broken_by={"a": [1], "b": [2], "judged": [1]}, points=0),
        Condition("a leads against its own list", lambda v: _both(v, "returned")[0] > _both(v, "returned")[1] + 1e-9,
                  "With each system's own list as the ideal, a is not ahead.",
                  broken_by={"a": [1, 2], "b": [2, 1], "judged": [1, 2]}),
        Condition("b leads against all judged", lambda v: _both(v, "judged")[1] > _both(v, "judged")[0] + 1e-9,
                  "With all judged documents as the ideal, b is not ahead.",
                  broken_by={"a": [3], "b": [1, 2], "judged": [3, 2, 1]}),
    ],
    says=lambda v: "Own list: a {:.3f}, b {:.3f}. All judged: a {:.3f}, b {:.3f}.".format(*_both(v, "returned"), *_both(v, "judged")),
    hints=(
        "Which list always has 1 against itself?",
        "Let `a` be one poor document. What would `b` have to return so that it is better, and yet not perfectly sorted?",
        "`b` may return the good documents in a slightly wrong order.",
    ),
)  # fmt: skip

ONE_SENTENCE = TextTask(
    name="one_sentence",
    kind="explain",
    minutes=5,
    place="reference/convention-card",
    worth=2,
    look_for=(
        "names gain, discount, ideal and cut-off",
        "names ties, queries without relevant documents, queries without results",
        "names the tool and its version",
    ),
    hints=(
        "Go through the choices on the convention card.",
        "Which of them made a difference in the tasks above?",
        "End with the tool and its version.",
    ),
)

ASSIGNMENT = Assignment(
    name="08-which-ndcg",
    tasks=(
        TREC_ORDER,
        DCG_OF_TIES,
        FOUND_CONVENTION,
        DEFAULT_K,
        EMPTY_RULE,
        MEAN_OF_RUN,
        IDEAL_DECIDES,
        ONE_SENTENCE,
    ),
)
