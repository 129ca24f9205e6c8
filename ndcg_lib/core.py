"""The heart: gain, discount, CG, DCG, IDCG and NDCG, line for line as the book writes them.

`grades` are the grades of the returned documents in ranked order. A list is one ranking and gives one number; a
two-dimensional array is one ranking per row and gives one number per row.
"""

import numpy as np

from ndcg_lib.checks import as_cutoff, as_floats, as_grades, as_length, as_pool, no_better_than_ideal, refuses_overflow
from ndcg_lib.choices import Discount, Empty, Gain, as_choice, by_function, by_rank, follows_convention, unknown
from ndcg_lib.exact import exp2m1, log, ratio, remembered, same_scale, shift_against_overflow, total
from ndcg_lib.types import Array, ConventionLike, Grades, Judged, Value

# fmt: off


def gains(grades: Grades, gain: Gain = "linear", shift: float | Array = 0.0, allow_negative: bool = True) -> Array:
    """g_i, what the grade at rank i is worth. A `shift` divides the exponential gain by 2**shift (see `exact`).

    >>> gains([3, 2, 0], "exponential")
    array([7., 3., 0.])
    """
    g = as_floats(grades, allow_negative)
    if not isinstance(gain, str):
        return by_function(g, gain, allow_negative)       # a mapping, or a function of the grade
    if gain == "linear":
        return g
    if gain == "exponential":
        return exp2m1(g, shift)                           # 2^grade - 1
    return (g > 0).astype(float) if gain == "binary" else unknown("gain", gain)


@remembered
def discounts(n: int, discount: Discount = "modern", base: float = 2) -> Array:
    """d_1 … d_n, what each rank is worth.

    >>> discounts(3)
    array([1.        , 0.63092975, 0.5       ])
    """
    i = np.arange(1.0, as_length(n) + 1)
    if not isinstance(discount, str):
        return by_rank(n, discount)                       # a function of the rank
    if discount == "modern":
        return 1 / log(i + 1, base)
    if discount == "original":                            # Järvelin & Kekäläinen: 1 up to rank b, then 1/log_b i
        return 1 / np.maximum(1, log(i, base))
    if discount == "reciprocal":
        return 1 / i
    return np.ones(n) if discount == "none" else unknown("discount", discount)


@follows_convention
@refuses_overflow
def cg(grades: Grades, k: int | None = None, *, gain: Gain = "linear", allow_negative: bool = False,
       convention: ConventionLike = None) -> Value:
    """Cumulative gain: CG@k = g_1 + g_2 + … + g_k.

    >>> cg([4, 2, 5, 3, 5], k=3)
    11.0
    """
    g = gains(as_grades(grades, allow_negative=allow_negative), gain, allow_negative=allow_negative)
    return total(g[..., : as_cutoff(k)])


@follows_convention
@refuses_overflow
def dcg(grades: Grades, k: int | None = None, *, gain: Gain = "linear", discount: Discount = "modern",
        base: float = 2, allow_negative: bool = False, convention: ConventionLike = None) -> Value:
    """Discounted cumulative gain: DCG@k = g_1 d_1 + g_2 d_2 + … + g_k d_k.

    >>> round(dcg([4, 2, 5, 3, 5], k=3), 3)
    7.762
    """
    g = gains(as_grades(grades, allow_negative=allow_negative), gain, allow_negative=allow_negative)
    return _discounted(g[..., : as_cutoff(k)], discount, base)


@follows_convention
@refuses_overflow
def idcg(judged: Judged, k: int | None = None, *, gain: Gain = "linear", discount: Discount = "modern",
         base: float = 2, allow_negative: bool = False, convention: ConventionLike = None) -> Value:
    """Ideal DCG: the DCG@k of all judged documents, best first. First everything is sorted, then cut at k.

    >>> round(idcg([4, 2, 5, 3, 5], k=3), 3)
    10.155
    """
    g = gains(as_pool(judged, allow_negative=allow_negative), gain, allow_negative=allow_negative)
    best = np.sort(g)[..., ::-1]
    return _discounted(best[..., : as_cutoff(k)], discount, base)


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
    returned, k = as_grades(grades, allow_negative=allow_negative), as_cutoff(k)
    beyond = as_choice("ideal", ideal) == "judged" and judged is not None  # the ideal looks beyond the list
    pool = as_pool(judged, allow_negative=allow_negative, beside=returned) if beyond else returned
    shift = shift_against_overflow(pool, gain, returned)
    g = gains(returned, gain, shift, allow_negative)
    best = np.sort(gains(pool, gain, shift, allow_negative) if beyond else g)[..., ::-1]
    if beyond:
        no_better_than_ideal(g, best)
    g, best = same_scale(g, best)
    return ratio(_discounted(g[..., :k], discount, base), _discounted(best[..., :k], discount, base), empty)


def _discounted(g: Array, discount: Discount, base: float) -> Value:
    return total(g * discounts(g.shape[-1], discount, base))
