"""NDCG of many queries at once, where scores rank the documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndcg_lib.checks import as_cutoff, as_numbers
from ndcg_lib.choices import Discount, Empty, Gain, Ties, as_choice, as_empty, check_gain, follows_convention
from ndcg_lib.convention import as_convention
from ndcg_lib.core import discounts
from ndcg_lib.exact import ratio
from ndcg_lib.ranking.pool import Pool
from ndcg_lib.ranking.scoring import Scoring
from ndcg_lib.ranking.table import Table
from ndcg_lib.types import ConventionLike, Grades, Value

ROUNDING = 1e-15  # the ideal order, its gains added in another way, is this close to 1


@follows_convention
def ndcg_scores(
    grades: Grades,
    scores: Grades,
    k: int | None = None,
    *,
    ties: Ties = "average",
    judged: Any = None,
    ids: Any = None,
    mask: Any = None,
    offsets: Any = None,
    gain: Gain = "linear",
    discount: Discount = "modern",
    base: float = 2,
    ideal: str = "judged",
    empty: Empty = 0.0,
    allow_negative: bool = False,
    convention: ConventionLike = None,
) -> Value:
    """NDCG@k of each row, where the documents of a row come in any order and the highest score ranks first.

    `ties` says what equal scores mean: "average" is the mean over all orders of the tied; "order" and "reverse" go by
    position, "best" and "worst" by gain, "id" and "id-descending" by `ids`. Rows of different length come padded, with
    a `mask` that is True where there is a document, or as flat lists that `offsets` part. `judged` holds all judged
    grades of each query, the returned ones included; without it the row is all there is.

    >>> ndcg_scores([[3, 0, 1], [0, 2, 1]], [[0.9, 0.2, 0.4], [0.7, 0.7, 0.7]], k=1)
    array([1. , 0.5])
    >>> ndcg_scores([3, 0, 1], [0.5, 0.5, 0.1], k=1, ties="worst")
    0.0
    """
    check_gain(gain)
    table = Table.of(grades, scores, ids, mask, offsets)
    if as_choice("ties", ties) in ("id", "id-descending") and ids is None:
        raise ValueError(f"ties={ties!r} needs the ids of the documents: pass ids=…, or ties='average' or 'order'")
    looks_beyond = as_choice("ideal", ideal) == "judged" and judged is not None
    pool = Pool.of(judged, table.rows, table.single, allow_negative) if looks_beyond else None
    judged_lengths = None if pool is None else pool.lengths
    longest = max(table.longest, 0 if judged_lengths is None else int(judged_lengths.max(initial=0)))
    d = discounts(min(as_cutoff(k) or longest, longest), discount, base)
    scoring = Scoring(table, pool, d, ties, gain, allow_negative)
    dcg, idcg = np.zeros(table.rows), np.zeros(table.rows)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in table.blocks(judged_lengths):
            dcg[block.rows], idcg[block.rows] = scoring.block(block)
    values = ratio(dcg, idcg, empty)
    values[abs(values - 1) < ROUNDING] = 1.0
    return float(values[0]) if table.single else values


def mean(values: Any, *, empty: Empty | None = None, convention: ConventionLike = None) -> float:
    """The mean over queries. With empty="skip", queries that have no value are left out; else nan makes the mean nan.

    >>> mean([1.0, 0.0, 0.5])
    0.5
    >>> mean(ndcg_scores([[1, 0], [0, 0]], [[2, 1], [2, 1]], empty="skip"), empty="skip")
    1.0
    """
    try:
        numbers = as_numbers(values, "values")
    except ValueError as error:  # what checks say of the grades of documents is true of the values of queries
        raise ValueError(str(error).replace("document", "query").replace("grade", "value")) from None
    if numbers.ndim != 1:
        raise ValueError(f"values has shape {numbers.shape}: pass one value per query")
    if np.isinf(numbers).any():
        raise ValueError(
            f"values[{int(np.argmax(np.isinf(numbers)))}] is infinite: pass values of NDCG, or nan for none"
        )
    if empty is None:
        empty = as_convention(convention).empty if convention is not None else 0.0
    as_empty(empty)
    if isinstance(empty, str) and empty == "skip":
        numbers = numbers[~np.isnan(numbers)]
    if not numbers.size:
        raise ValueError("no query has a value, so there is no mean: check that there are relevant documents at all")
    return float(np.mean(numbers))
