"""The measures of a ranking by name, and those other than CG, DCG and NDCG as functions of the grades in ranked order.

`grades` and `judged` are those of NDCG. A document is relevant from the grade `relevant` on; without it, every grade
above 0 is. The engine computes all of them, also for whole runs in `evaluate`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import as_cutoff, as_grades, as_number, as_pool, shown
from ndcg_lib.choices import explained
from ndcg_lib.engine import SAFE, following
from ndcg_lib.inputs import of_table
from ndcg_lib.types import Array, Empty, Grades, Judged, Value


class Measure(NamedTuple):
    """A measure: its name, the quantity of the engine, what its value depends on, and what it is in words.

    Measures that take no k for all read the whole list, unless they are asked for as in AP@100. A condensed list is
    the list without the documents that nobody judged. What `needs` names has no default, for the reason behind it.
    """

    heading: str
    quantity: str
    about: str
    takes: str = ""  # besides what every measure of a list takes, as in `EVERY`
    takes_k: bool = False
    cut: bool = True  # whether it has a cut-off at all
    condensed: bool = False
    quotient: bool = False  # whether a query with nothing relevant has no value of its own
    needs: str = ""


GAINS = "gain discount base p ideal"
EVERY = "empty ties score_precision missing"
MEASURES = {
    "ndcg": Measure("nDCG", "ndcg", "DCG over the ideal DCG", GAINS, takes_k=True, quotient=True),
    "ndcg'": Measure("nDCG'", "ndcg", "the same without unjudged documents", GAINS, takes_k=True, condensed=True,
                     quotient=True),
    "dcg": Measure("DCG", "dcg", "discounted gains added up", "gain discount base p", takes_k=True),
    "cg": Measure("CG", "cg", "gains added up", "gain", takes_k=True),
    "p": Measure("P", "precision", "share of the ranks that are relevant", "rel", takes_k=True),
    "recall": Measure("Recall", "recall", "share of the relevant that is found", "rel", takes_k=True, quotient=True),
    "f": Measure("F", "f_measure", "harmonic mean of precision and recall", "rel beta", takes_k=True),
    "relp": Measure("RelP", "relative_precision", "precision by the best possible", "rel", takes_k=True, quotient=True),
    "success": Measure("Success", "success", "1 if a relevant one is found", "rel", takes_k=True),
    "hits": Measure("Hits", "precision", "number of relevant documents found", "rel", takes_k=True),
    "judged": Measure("Judged", "judged_share", "share of the documents that somebody judged", takes_k=True),
    "ap": Measure("AP", "average_precision", "precision at the relevant, averaged", "rel", quotient=True),
    "rr": Measure("RR", "reciprocal_rank", "1 / rank of the first relevant", "rel"),
    "rprec": Measure("Rprec", "r_precision", "precision at the number of relevant", "rel", cut=False, quotient=True),
    "setap": Measure("SetAP", "set_precision", "precision times recall", "rel", cut=False, quotient=True),
    "bpref": Measure("bpref", "bpref", "relevant before judged irrelevant", "rel", cut=False, quotient=True),
    "infap": Measure("infAP", "inferred_ap", "AP inferred from a sampled pool", "rel", cut=False, quotient=True),
    "rbp": Measure("RBP", "rbp", "rank-biased precision", "p rel max",
                   needs="p: ir_measures takes 0.8, others 0.9 or 0.95"),
    "err": Measure("ERR", "err", "expected reciprocal rank", "max",
                   needs="max: gdeval takes 4, others the largest grade of the file, so that the value moves with it"),
}  # fmt: skip
READS_ZEROS = {"ndcg'", "judged", "bpref", "infap"}
"""What looks at judged documents that are not relevant."""
_ABOVE_0 = {
    "relevant": "the lowest grade that counts as relevant, above 0",
    "max_grade": "the top of the scale of grades, a number above 0",
    "beta": "how many times as much recall weighs, a number above 0",
}


@explained
def precision(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Precision: the share of the first k documents that are relevant. A list shorter than k is not excused.

    >>> precision([3, 0, 1, 0, 2], k=4)
    0.5
    >>> precision([3, 0, 1], k=4)
    0.5
    """
    return _of_engine("precision", grades, k, relevant=above_0("relevant", relevant))


@explained
def recall(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    relevant: float | None = None,
    empty: Empty = 0.0,
) -> Value:
    """Recall: the share of the relevant judged documents that stand among the first k.

    >>> recall([3, 0, 1, 0, 2], k=3, judged=[3, 0, 1, 0, 2, 1])
    0.5
    """
    return _of_engine("recall", grades, k, judged, empty, relevant=above_0("relevant", relevant))


@explained
def average_precision(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    relevant: float | None = None,
    empty: Empty = 0.0,
) -> Value:
    """Average precision: the precision at the rank of each relevant document, added up, over all relevant documents.

    A relevant document that was not returned adds 0, and the sum is divided by the number of all relevant judged
    documents, also at k.

    >>> average_precision([1, 0, 1])
    0.8333333333333333
    >>> average_precision([1, 0, 1], judged=[1, 0, 1, 1, 1])
    0.41666666666666663
    """
    return _of_engine("average_precision", grades, k, judged, empty, relevant=above_0("relevant", relevant))


@explained
def reciprocal_rank(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Reciprocal rank: 1 / rank of the first relevant document, and 0 without one. Its mean over queries is MRR.

    >>> reciprocal_rank([0, 0, 2, 3])
    0.3333333333333333
    """
    return _of_engine("reciprocal_rank", grades, k, relevant=above_0("relevant", relevant))


@explained
def rbp(grades: Grades, k: int | None = None, *, persistence: float = 0.8, max_grade: float | None = None) -> Value:
    """Rank-biased precision (Moffat and Zobel 2008): the reader looks at the next document with probability p.

    RBP = (1 - p) (r_1 + r_2 p + r_3 p^2 + …), with r_i = 1 for a relevant document; with `max_grade` r_i is
    grade / max_grade. What stands below the list counts as useless, so this is the lower bound of the measure.

    >>> round(rbp([1, 0, 1], persistence=0.5), 4)
    0.625
    """
    g, p = as_grades(grades), as_persistence(persistence)
    return _of_engine("rbp", g, k, persistence=p, max_grade=None if max_grade is None else top_of(g, max_grade))


@explained
def err(grades: Grades, k: int | None = None, *, max_grade: float | None = None) -> Value:
    """Expected reciprocal rank (Chapelle et al. 2009): the reader stops at rank i with probability R_i.

    R_i = (2^grade - 1) / 2^max_grade, and ERR = sum over i of R_i / i times the probability to get that far.
    `max_grade` is the top of the scale of grades; without it, the largest grade in the list.

    >>> err([1, 1], max_grade=1)
    0.625
    """
    g = as_grades(grades)
    return _of_engine("err", g, k, top_grade=top_of(g, max_grade, err=True))


def above_0(name: str, value: Any) -> float | None:
    """A number above 0 if it was given: the lowest relevant grade, or the top of the scale.

    >>> above_0("relevant", 2), above_0("max_grade", None)
    (2.0, None)
    """
    number = None if isinstance(value, (bool, np.bool_)) else as_number(value)
    if value is not None and (number is None or not 0 < number < math.inf):
        raise ValueError(f"{name} is {shown(value)}: pass {_ABOVE_0[name]}")
    return number


def as_persistence(persistence: Any) -> float:
    """The probability that the reader of RBP looks on.

    >>> as_persistence(0.8)
    0.8
    """
    number = None if isinstance(persistence, (bool, np.bool_)) else as_number(persistence)
    if number is None or not 0 <= number < 1:
        raise ValueError(
            f"persistence is {shown(persistence)}: pass the probability of looking on, at least 0 and below 1"
        )
    return number


def top_of(grades: Array, max_grade: Any, *, err: bool = False) -> float:
    """The top of the scale of some grades: what was given, if no grade lies above, or the largest of them.

    >>> top_of(np.array([1.0, 3.0]), None)
    3.0
    """
    largest = float(grades.max(initial=0.0))
    top = largest if max_grade is None else above_0("max_grade", max_grade) or 0.0
    if top < largest:
        raise ValueError(f"max_grade is {top:g} but there is a grade of {largest:g}: pass the top of the scale")
    if err and top > SAFE:  # 2^top must be a number
        raise ValueError(f"the top of the scale is {top:g}, too large for ERR: divide the grades by their maximum")
    return top or 1.0


def _of_engine(
    measure: str, grades: Any, k: Any, judged: Judged | None = None, empty: Empty = 0.0, **given: Any
) -> Value:
    """A measure of one ranking, or of one per row."""
    g = as_grades(grades)
    sheet = of_table(g, as_cutoff(k), None if judged is None else as_pool(judged, beside=g))
    sheet.given |= given
    recipe = following(empty=empty)
    if measure in ("recall", "average_precision"):
        hits, wanted = sheet("relevant_hits", recipe), sheet("wanted", recipe)
        found = np.bincount(sheet("order", recipe)[1], hits, len(wanted))
        if (found > wanted).any():
            at = int(np.argmax(found > wanted))
            raise ValueError(
                f"{found[at]:g} relevant documents were returned but judged holds {wanted[at]:g}: judged must hold"
                " every judged document once, the returned ones included, and no document may be returned twice"
            )
        if empty == "raise" and (wanted == 0).any():
            raise ValueError("no judged document is relevant: drop the query, or pass empty=0.0, 1.0, nan or 'skip'")
    values = np.asarray(sheet(measure, recipe), dtype=np.float64)
    return float(values[0]) if g.ndim == 1 else values
