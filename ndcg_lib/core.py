"""The heart: gain, discount, CG, DCG, IDCG and NDCG, line for line as the book writes them.

`grades` are the grades of the returned documents in ranked order. A list is one ranking and gives one number; a
two-dimensional array is one ranking per row and gives one number per row.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ndcg_lib.checks import as_base, as_cutoff, as_grades, as_pool, finite, no_better_than_ideal
from ndcg_lib.choices import Discount, Empty, Gain, by_function, by_rank, follows_convention, unknown
from ndcg_lib.exact import exp2m1, ratio, shift_against_overflow
from ndcg_lib.types import Array, ConventionLike, Grades, Judged, Value

# fmt: off


def gains(grades: Array, gain: Gain = "linear", shift: float = 0.0) -> Array:
    """g_i, what each grade is worth. A `shift` divides the exponential gain by 2**shift (see `exact`)."""
    if gain == "linear":
        return grades
    if gain == "exponential":
        return exp2m1(grades, shift)                      # 2^grade - 1
    if gain == "binary":
        return (grades > 0).astype(float)
    return by_function(grades, gain)


def discounts(n: int, discount: Discount = "modern", base: float = 2) -> Array:
    """d_1 … d_n, what each rank is worth."""
    i = np.arange(1.0, n + 1)
    if discount == "modern":
        return 1 / _log(i + 1, base)
    if discount == "original":                            # Järvelin & Kekäläinen: no discount before rank b
        return 1 / np.maximum(1, _log(i, base))
    if discount == "reciprocal":
        return 1 / i
    if discount == "none":
        return np.ones(n)
    return by_rank(n, discount) if callable(discount) else unknown("discount", discount)


@follows_convention
def cg(grades: Grades, k: int | None = None, *, gain: Gain = "linear", allow_negative: bool = False,
       convention: ConventionLike = None) -> Value:
    """Cumulative gain: CG@k = g_1 + g_2 + … + g_k.

    >>> cg([4, 2, 5, 3, 5], k=3)
    11.0
    """
    g = gains(as_grades(grades, allow_negative=allow_negative), gain)
    return finite(g[..., : as_cutoff(k)].sum(axis=-1))


@follows_convention
def dcg(grades: Grades, k: int | None = None, *, gain: Gain = "linear", discount: Discount = "modern",
        base: float = 2, allow_negative: bool = False, convention: ConventionLike = None) -> Value:
    """Discounted cumulative gain: DCG@k = g_1 d_1 + g_2 d_2 + … + g_k d_k.

    >>> round(dcg([4, 2, 5, 3, 5], k=3), 3)
    7.762
    """
    g = gains(as_grades(grades, allow_negative=allow_negative), gain)
    return finite(_discounted_sum(g, as_cutoff(k), discount, base))


@follows_convention
def idcg(judged: Judged, k: int | None = None, *, gain: Gain = "linear", discount: Discount = "modern",
         base: float = 2, allow_negative: bool = False, convention: ConventionLike = None) -> Value:
    """Ideal DCG: the DCG@k of all judged documents, best first. First everything is sorted, then cut.

    >>> round(idcg([4, 2, 5, 3, 5], k=3), 3)
    10.155
    """
    g = gains(as_pool(judged, allow_negative=allow_negative), gain)
    return finite(_discounted_sum(_best_first(g), as_cutoff(k), discount, base))


@follows_convention
def ndcg(grades: Grades, k: int | None = None, *, judged: Judged | None = None, gain: Gain = "linear",
         discount: Discount = "modern", base: float = 2, ideal: str = "judged", empty: Empty = 0.0,
         allow_negative: bool = False, convention: ConventionLike = None) -> Value:
    """Normalised DCG: NDCG@k = DCG@k / IDCG@k.

    `judged` holds the grades of all judged documents of the query, the returned ones included. Without it the
    returned list is all there is. `empty` is the answer where no judged document has a gain.

    >>> round(ndcg([3, 2, 3, 0, 1, 2]), 3)
    0.961
    >>> round(ndcg([3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2]), 3)  # a 3 and a 2 were missed
    0.785
    """
    if ideal not in ("judged", "returned"):
        unknown("ideal", ideal)
    returned, k = as_grades(grades, allow_negative=allow_negative), as_cutoff(k)
    missed_some = judged is not None and ideal == "judged"
    pool = as_pool(judged, allow_negative=allow_negative, beside=returned) if missed_some else returned
    shift = shift_against_overflow(pool, gain)
    g = gains(returned, gain, shift)
    best = _best_first(gains(pool, gain, shift) if missed_some else g)
    if missed_some:
        no_better_than_ideal(_best_first(g), best)
    return ratio(_discounted_sum(g, k, discount, base), _discounted_sum(best, k, discount, base), empty)


def _discounted_sum(g: Array, k: int | None, discount: Discount, base: float) -> Value:
    g = g[..., :k]
    n = g.shape[-1]
    return g @ (_remembered(n, discount, base) if n <= 1000 and type(discount) is str else discounts(n, discount, base))


def _best_first(g: Array) -> Array:
    return np.sort(g, axis=-1)[..., ::-1]


def _log(x: Array, base: float) -> Array:
    return np.log2(x) if base == 2 else np.log(x) / np.log(as_base(base))


_remembered = lru_cache(maxsize=64)(discounts)
