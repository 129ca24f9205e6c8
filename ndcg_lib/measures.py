"""Other measures of a ranking, on the same grades in ranked order: precision, recall, AP, reciprocal rank, RBP, ERR.

`grades` and `judged` are those of NDCG. A document is relevant from the grade `relevant` on; without it, every grade
above 0 is. The engine computes them, as it does for whole runs in `evaluate`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ndcg_lib.checks import as_cutoff, as_grades, as_number, as_pool, shown
from ndcg_lib.engine import SAFE, following
from ndcg_lib.inputs import of_table
from ndcg_lib.types import Array, Empty, Grades, Judged, Value


def precision(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Precision: the share of the first k documents that are relevant. A list shorter than k is not excused.

    >>> precision([3, 0, 1, 0, 2], k=4)
    0.5
    >>> precision([3, 0, 1], k=4)
    0.5
    """
    return _of_engine("precision", grades, k, relevant=as_relevant(relevant))


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
    return _of_engine("recall", grades, k, judged, empty, relevant=as_relevant(relevant))


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
    return _of_engine("average_precision", grades, k, judged, empty, relevant=as_relevant(relevant))


def reciprocal_rank(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Reciprocal rank: 1 / rank of the first relevant document, and 0 without one. Its mean over queries is MRR.

    >>> reciprocal_rank([0, 0, 2, 3])
    0.3333333333333333
    """
    return _of_engine("reciprocal_rank", grades, k, relevant=as_relevant(relevant))


def rbp(grades: Grades, k: int | None = None, *, persistence: float = 0.8, max_grade: float | None = None) -> Value:
    """Rank-biased precision (Moffat and Zobel 2008): the reader looks at the next document with probability p.

    RBP = (1 - p) (r_1 + r_2 p + r_3 p^2 + …), with r_i = 1 for a relevant document; with `max_grade` r_i is
    grade / max_grade. What stands below the list counts as useless, so this is the lower bound of the measure.

    >>> round(rbp([1, 0, 1], persistence=0.5), 4)
    0.625
    """
    g, p = as_grades(grades), as_persistence(persistence)
    return _of_engine("rbp", g, k, persistence=p, max_grade=None if max_grade is None else as_top(max_grade, g))


def err(grades: Grades, k: int | None = None, *, max_grade: float | None = None) -> Value:
    """Expected reciprocal rank (Chapelle et al. 2009): the reader stops at rank i with probability R_i.

    R_i = (2^grade - 1) / 2^max_grade, and ERR = sum over i of R_i / i times the probability to get that far.
    `max_grade` is the top of the scale of grades; without it, the largest grade in the list.

    >>> err([1, 1], max_grade=1)
    0.625
    """
    g = as_grades(grades)
    return _of_engine("err", g, k, top_grade=as_top_of_err(as_top(max_grade, g)))


def as_relevant(relevant: Any) -> float | None:
    """The lowest grade that counts as relevant; None: every grade above 0 is.

    >>> as_relevant(2)
    2.0
    """
    return _above_0("relevant", relevant, "the lowest grade that counts as relevant, above 0")


def as_max_grade(max_grade: Any) -> float | None:
    """The top of the scale of grades, if it was given.

    >>> as_max_grade(3)
    3.0
    """
    return _above_0("max_grade", max_grade, "the top of the scale of grades, a number above 0")


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


def as_top(max_grade: Any, grades: Array) -> float:
    """The top of the scale of some grades: what was given, if no grade lies above, or the largest of them.

    >>> as_top(None, np.array([1.0, 3.0]))
    3.0
    """
    largest = float(grades.max(initial=0.0))
    top = largest if max_grade is None else as_max_grade(max_grade) or 0.0
    if top < largest:
        raise ValueError(f"max_grade is {top:g} but there is a grade of {largest:g}: pass the top of the scale")
    return top or 1.0


def as_top_of_err(top: float) -> float:
    """A top of the scale of which 2^top is a number.

    >>> as_top_of_err(3.0)
    3.0
    """
    if top > SAFE:
        raise ValueError(f"the top of the scale is {top:g}, too large for ERR: divide the grades by their maximum")
    return top


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


def _above_0(name: str, value: Any, what: str) -> float | None:
    number = None if isinstance(value, (bool, np.bool_)) else as_number(value)
    if value is not None and (number is None or not 0 < number < math.inf):
        raise ValueError(f"{name} is {shown(value)}: pass {what}")
    return number
