"""Every quantity at every rank, in one call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_lib.checks import as_cutoff, as_grades, as_pool, finite, no_better_than_ideal
from ndcg_lib.choices import Discount, Empty, Gain, follows_convention, unknown
from ndcg_lib.core import discounts, gains
from ndcg_lib.exact import ratio
from ndcg_lib.types import Array, ConventionLike, Grades, Judged


@dataclass(frozen=True, eq=False)
class Curve:
    """One array per quantity; element i - 1 belongs to rank i. Below the end of a list its grades are nan."""

    rank: Array
    grade: Array
    gain: Array
    discount: Array
    contribution: Array
    cg: Array
    dcg: Array
    ideal_grade: Array
    ideal_gain: Array
    ideal_contribution: Array
    idcg: Array
    ndcg: Array

    def __len__(self) -> int:
        return len(self.rank)


@follows_convention
def curve(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    gain: Gain = "linear",
    discount: Discount = "modern",
    base: float = 2,
    ideal: str = "judged",
    empty: Empty = 0.0,
    allow_negative: bool = False,
    convention: ConventionLike = None,
) -> Curve:
    """CG, DCG, IDCG and NDCG at the ranks 1 to k, or to the end of the longer list.

    >>> curve([2, 3, 1, 3, 0]).ndcg.round(3)
    array([0.667, 0.796, 0.745, 0.899, 0.899])
    """
    if ideal not in ("judged", "returned"):
        unknown("ideal", ideal)
    returned = as_grades(grades, allow_negative=allow_negative)
    if returned.ndim != 1:
        raise ValueError(f"grades has {returned.ndim} dimensions: curve and working take one ranking at a time")
    known = judged is not None and ideal == "judged"
    pool = as_pool(judged, allow_negative=allow_negative, beside=returned) if known else returned
    g, pool_gain = (gains(x, gain, allow_negative=allow_negative) for x in (returned, pool))
    order = np.argsort(-pool_gain, kind="stable")
    no_better_than_ideal(np.sort(g)[::-1], pool_gain[order])
    n = min(as_cutoff(k) or max(len(g), len(pool)), max(len(g), len(pool)))
    d = discounts(n, discount, base)
    contribution, ideal_contribution = d * _zero_to(g, n), d * _zero_to(pool_gain[order], n)
    with np.errstate(over="ignore"):
        cg, dcg, idcg = (finite(x.cumsum()) for x in (_zero_to(g, n), contribution, ideal_contribution))
    return Curve(
        rank=np.arange(1.0, n + 1),
        grade=_nan_to(returned, n),
        gain=_nan_to(g, n),
        discount=d,
        contribution=contribution,
        cg=cg,
        dcg=dcg,
        ideal_grade=_nan_to(pool[order], n),
        ideal_gain=_nan_to(pool_gain[order], n),
        ideal_contribution=ideal_contribution,
        idcg=idcg,
        ndcg=np.asarray(ratio(dcg, idcg, empty)),
    )


def _zero_to(values: Array, n: int) -> Array:
    return np.pad(values[:n], (0, max(0, n - len(values))))


def _nan_to(values: Array, n: int) -> Array:
    return np.pad(values[:n], (0, max(0, n - len(values))), constant_values=np.nan)
