"""The places where floating point needs care: the logarithm, 2^g - 1, sums, huge and tiny gains, and the quotient."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import TOO_LARGE, as_base
from ndcg_lib.choices import Empty, as_empty
from ndcg_lib.types import Array, Value

LARGEST_SAFE_EXPONENT = 900  # 2^900 leaves room to add up 2^100 of them
LARGEST_SAFE, SMALLEST_SAFE = 2.0**LARGEST_SAFE_EXPONENT, 2.0**-LARGEST_SAFE_EXPONENT
REMEMBERED_RANKS = 1000

P = ParamSpec("P")


def log(x: Array, base: float) -> Array:
    """The logarithm to a base; to base 2 without a rounding at the powers of 2.

    >>> log(np.array([2.0, 8.0]), 2)
    array([1., 3.])
    """
    return np.log2(x) if type(base) in (int, float) and base == 2 else np.log(x) / math.log(as_base(base))


def remembered(discounts: Callable[P, Array]) -> Callable[P, Array]:
    """The same discounts, kept for the first ranks: their logarithms cost more than all the rest of a short NDCG.

    >>> remembered(lambda n, discount, base: np.ones(n))(3, "none", 2)
    array([1., 1., 1.])
    """
    compute: Any = discounts

    @lru_cache(maxsize=64)
    def first_ranks(discount: str, base: float) -> Any:
        return compute(REMEMBERED_RANKS, discount, base)

    @wraps(discounts)
    def first(n: Any, discount: Any = "modern", base: Any = 2) -> Any:
        if type(n) is int and 0 <= n <= REMEMBERED_RANKS and type(discount) is str and type(base) in (int, float):
            return first_ranks(discount, base)[:n].copy()
        return compute(n, discount, base)

    return cast(Callable[P, Array], first)


def total(x: Array) -> Value:
    """x_1 + x_2 + … + x_n along the ranks, strictly one after the other.

    So the same gains give the same bits, whatever follows them and however many rankings are summed at once: the
    ideal order has NDCG 1.0 and not 0.9999999999999999.

    >>> total(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([3., 3.])
    """
    return np.add.accumulate(x, axis=-1).T[-1] if x.shape[-1] else x.sum(axis=-1)


def exp2m1(x: Array, shift: float | Array = 0.0) -> Array:
    """2^x - 1, divided by 2^shift: without the loss of digits near 0, and with a word instead of an overflow.

    >>> exp2m1(np.array([0.0, 1.0, 3.0]))
    array([0., 1., 7.])
    """
    scaled = x if isinstance(shift, float) and shift == 0 else x - shift
    if x.size and np.maximum.reduce(scaled, axis=None) > LARGEST_SAFE_EXPONENT:
        raise ValueError(
            f"the exponential gain 2^{x.max():g} - 1 is too large to add up. NDCG can still be computed (ndcg scales"
            " both sides); for CG and DCG use gain='linear' or smaller grades"
        )
    y: Array = np.exp2(scaled) - np.exp2(-shift)
    small = x < 1
    np.expm1(x * math.log(2), out=y, where=small)
    return y if scaled is x else np.multiply(y, np.exp2(-shift), out=y, where=small)


def shift_against_overflow(pool: Array, gain: object, returned: Array | None = None) -> float | Array:
    """The power of two by which each ranking's exponential gains are divided so that huge grades stay finite.

    >>> shift_against_overflow(np.array([3.0, 2.0]), "exponential")
    0.0
    >>> shift_against_overflow(np.array([[3.0, 2.0], [5000.0, 4999.0]]), "exponential")
    array([[   0.],
           [5000.]])
    """
    if not isinstance(gain, str) or gain != "exponential":
        return 0.0
    largest = pool.max(axis=-1, keepdims=True, initial=0)
    if returned is not None and returned is not pool:
        largest = np.maximum(largest, returned.max(axis=-1, keepdims=True, initial=0))
    return np.where(largest > LARGEST_SAFE_EXPONENT, largest, 0.0) if (largest > LARGEST_SAFE_EXPONENT).any() else 0.0


def same_scale(g: Array, best: Array) -> tuple[Array, Array]:
    """Both lists of gains divided by one power of two where a sum could overflow, or lose digits next to 0.

    The quotient stays what it is. `best` comes best first.

    >>> same_scale(np.array([0.0, 2.0**1023]), np.array([2.0**1023, 0.0]))
    (array([0. , 0.5]), array([0.5, 0. ]))
    """
    if best.ndim == 1 and best.size and SMALLEST_SAFE < best[0] < LARGEST_SAFE and best[-1] > -LARGEST_SAFE:
        return g, best
    largest = np.abs(best).max(axis=-1, keepdims=True, initial=0)
    unsafe = (largest > LARGEST_SAFE) | (largest < SMALLEST_SAFE)
    if not unsafe.any():
        return g, best
    exponent = np.where(unsafe, np.frexp(largest)[1], 0)
    return np.ldexp(g, -exponent), np.ldexp(best, -exponent)


def ratio(dcg: Value, idcg: Value, empty: Empty = 0.0) -> Value:
    """DCG / IDCG, with the chosen answer where the ideal is 0.

    >>> ratio(1.0, 2.0), ratio(0.0, 0.0), ratio(0.0, 0.0, empty=1.0)
    (0.5, 0.0, 1.0)
    """
    nothing = as_empty(empty)
    if isinstance(idcg, np.ndarray):
        return _ratios(dcg, idcg, empty, nothing)
    if idcg > 0 and dcg <= idcg < math.inf:
        return float(dcg / idcg)
    return float(_ratios(np.asarray([dcg]), np.asarray([idcg]), empty, nothing)[0])


def _ratios(dcg: Array, idcg: Array, empty: Empty, nothing: float) -> Array:
    if not (np.isfinite(dcg).all() and np.isfinite(idcg).all()):
        raise ValueError(TOO_LARGE)
    if (idcg < 0).any():
        raise ValueError(
            f"the ideal DCG{_place(idcg < 0)} is below 0 ({idcg[idcg < 0][0]:g}), so DCG / IDCG measures nothing:"
            " shift or clip the negative grades"
        )
    without = idcg == 0
    if isinstance(empty, str) and empty == "raise" and without.any():
        raise ValueError(
            f"no judged document{_place(without)} has a gain, so NDCG is undefined: drop the query, or pass"
            " empty=0.0, 1.0, nan or 'skip'"
        )
    values = np.full(idcg.shape, nothing)
    np.divide(dcg, idcg, out=values, where=~without)
    # the same documents added in another order may exceed the ideal by a rounding error
    return np.where((values > 1) & (values < 1 + 1e-12), 1.0, values)


def _place(wrong: NDArray[np.bool_]) -> str:
    return f" of row {int(np.argmax(wrong))}" if wrong.size > 1 else ""
