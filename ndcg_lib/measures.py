"""Other measures of a ranking, on the same grades in ranked order: precision, recall, AP, reciprocal rank, RBP, ERR.

`grades` and `judged` are those of NDCG. A document is relevant from the grade `relevant` on; without it, every grade
above 0 is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import as_cutoff, as_grades, as_pool
from ndcg_lib.choices import Empty, as_empty
from ndcg_lib.types import Array, Grades, Judged, Value


def precision(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Precision: the share of the first k documents that are relevant. A list shorter than k is not excused.

    >>> precision([3, 0, 1, 0, 2], k=4)
    0.5
    >>> precision([3, 0, 1], k=4)
    0.5
    """
    hits, k = _hits(grades, relevant), as_cutoff(k)
    n = k or hits.shape[-1]
    return _plain(hits[..., :k].sum(axis=-1) / n) if n else _plain(np.zeros(hits.shape[:-1]))


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
    hits = _hits(grades, relevant)
    return _share(hits[..., : as_cutoff(k)].sum(axis=-1), _wanted(hits, judged, relevant), empty)


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
    hits = _hits(grades, relevant)
    ranks = np.arange(1, hits.shape[-1] + 1)
    at_each_hit = hits * hits.cumsum(axis=-1) / ranks
    return _share(at_each_hit[..., : as_cutoff(k)].sum(axis=-1), _wanted(hits, judged, relevant), empty)


def reciprocal_rank(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Reciprocal rank: 1 / rank of the first relevant document, and 0 without one. Its mean over queries is MRR.

    >>> reciprocal_rank([0, 0, 2, 3])
    0.3333333333333333
    """
    hits = _hits(grades, relevant)[..., : as_cutoff(k)]
    if not hits.shape[-1]:
        return _plain(np.zeros(hits.shape[:-1]))
    return _plain(np.where(hits.any(axis=-1), 1 / (hits.argmax(axis=-1) + 1), 0.0))


def rbp(grades: Grades, k: int | None = None, *, persistence: float = 0.8, max_grade: float | None = None) -> Value:
    """Rank-biased precision (Moffat and Zobel 2008): the reader looks at the next document with probability p.

    RBP = (1 - p) (r_1 + r_2 p + r_3 p^2 + …), with r_i = 1 for a relevant document; with `max_grade` r_i is
    grade / max_grade. What stands below the list counts as useless, so this is the lower bound of the measure.

    >>> round(rbp([1, 0, 1], persistence=0.5), 4)
    0.625
    """
    if not _is_number(persistence) or not 0 <= persistence < 1:
        raise ValueError(f"persistence is {persistence!r}: pass the probability of looking on, at least 0 and below 1")
    g = as_grades(grades)
    worth = (g > 0).astype(float) if max_grade is None else g / _as_max_grade(max_grade, g)
    worth = worth[..., : as_cutoff(k)]
    return _plain((1 - persistence) * (worth @ (float(persistence) ** np.arange(worth.shape[-1]))))


def err(grades: Grades, k: int | None = None, *, max_grade: float | None = None) -> Value:
    """Expected reciprocal rank (Chapelle et al. 2009): the reader stops at rank i with probability R_i.

    R_i = (2^grade - 1) / 2^max_grade, and ERR = sum over i of R_i / i times the probability to get that far.
    `max_grade` is the top of the scale of grades; without it, the largest grade in the list.

    >>> err([1, 1], max_grade=1)
    0.625
    """
    g = as_grades(grades)
    top = _as_max_grade(float(g.max(initial=0.0)) if max_grade is None else max_grade, g)
    if top > 900:
        raise ValueError(f"max_grade is {top:g}: 2^{top:g} is too large, divide the grades by their maximum")
    stop = ((np.exp2(g) - 1) / 2.0**top)[..., : as_cutoff(k)]
    arrive = np.cumprod(np.concatenate([np.ones((*stop.shape[:-1], 1)), 1 - stop[..., :-1]], axis=-1), axis=-1)
    return _plain((stop * arrive[..., : stop.shape[-1]] / np.arange(1, stop.shape[-1] + 1)).sum(axis=-1))


def _hits(grades: Grades, relevant: float | None) -> NDArray[np.bool_]:
    return _is_relevant(as_grades(grades), relevant)


def _is_relevant(grades: Array, relevant: float | None) -> NDArray[np.bool_]:
    if relevant is None:
        return grades > 0
    if not _is_number(relevant) or relevant <= 0:
        raise ValueError(f"relevant is {relevant!r}: pass the lowest grade that counts as relevant, above 0")
    return grades >= relevant


def _wanted(hits: NDArray[np.bool_], judged: Judged | None, relevant: float | None) -> NDArray[np.int_]:
    """How many relevant documents there are."""
    found: NDArray[np.int_] = hits.sum(axis=-1)
    if judged is None:
        return found
    wanted: NDArray[np.int_] = _is_relevant(as_pool(judged, beside=hits.astype(float)), relevant).sum(axis=-1)
    if np.any(found > wanted):
        raise ValueError(
            f"{int(np.max(found))} relevant documents were returned but judged holds {int(np.min(wanted))}: judged must"
            " hold every judged document once, the returned ones included, and no document may be returned twice"
        )
    return wanted


def _share(part: Any, whole: Any, empty: Empty) -> Value:
    """part / whole, with the chosen answer where there is no relevant document."""
    if empty == "raise" and np.any(whole == 0):
        raise ValueError("no judged document is relevant: drop the query, or pass empty=0.0, 1.0, nan or 'skip'")
    instead = 0.0 if empty == "raise" else as_empty(empty)
    return _plain(np.where(whole == 0, instead, part / np.maximum(whole, 1)))


def _as_max_grade(max_grade: Any, grades: Array) -> float:
    largest = float(grades.max(initial=0.0))
    if not _is_number(max_grade):
        raise ValueError(f"max_grade is {max_grade!r}: pass the top of the scale of grades, a number")
    if max_grade < largest:
        raise ValueError(f"max_grade is {max_grade:g} but there is a grade of {largest:g}: pass the top of the scale")
    return float(max_grade) or 1.0


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(value)


def _plain(value: Any) -> Value:
    return float(value) if np.ndim(value) == 0 else value
