"""The three places where floating point needs care: 2^g - 1, its overflow, and the quotient."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.choices import Empty, as_empty
from ndcg_lib.types import Array, Value

LARGEST_SAFE_EXPONENT = 900  # 2^900 leaves room to add up 2^100 of them


def exp2m1(x: Array, shift: float = 0.0) -> Array:
    """2^x - 1, divided by 2^shift: without the loss of digits near 0, and with a word instead of an overflow.

    >>> exp2m1(np.array([0.0, 1.0, 3.0]))
    array([0., 1., 7.])
    """
    if x.size and not shift and x.max() > LARGEST_SAFE_EXPONENT:
        raise ValueError(
            f"the exponential gain 2^{x.max():g} - 1 is too large to add up. NDCG can still be computed (ndcg scales"
            " both sides); for CG and DCG use gain='linear' or smaller grades"
        )
    y: Array = np.where(x < 1, np.expm1(np.minimum(x, 1) * math.log(2)) * 2.0**-shift, np.exp2(x - shift) - 2.0**-shift)
    return y


def shift_against_overflow(pool: Array, gain: object) -> float:
    """The power of two by which the exponential gain must be divided so that huge grades stay finite.

    >>> shift_against_overflow(np.array([3.0, 2.0]), "exponential")
    0.0
    """
    if gain != "exponential" or not pool.size:
        return 0.0
    largest = float(pool.max())
    return largest if largest > LARGEST_SAFE_EXPONENT else 0.0


def ratio(dcg: Value, idcg: Value, empty: Empty = 0.0) -> Value:
    """DCG / IDCG, with the chosen answer where the ideal is 0.

    >>> ratio(1.0, 2.0), ratio(0.0, 0.0), ratio(0.0, 0.0, empty=1.0)
    (0.5, 0.0, 1.0)
    """
    if np.ndim(idcg):
        return _ratios(dcg, idcg, empty)
    if idcg > 0 and dcg <= idcg < math.inf:
        return float(dcg / idcg)
    return float(_ratios(np.asarray([dcg]), np.asarray([idcg]), empty)[0])


def _ratios(dcg: Array, idcg: Array, empty: Empty) -> Array:
    if not (np.isfinite(dcg).all() and np.isfinite(idcg).all()):
        raise ValueError("the gains are too large to add up: divide the grades by their maximum")
    if (idcg < 0).any():
        row = _place(idcg < 0, len(idcg))
        raise ValueError(
            f"the ideal DCG{row} is below 0 ({idcg[idcg < 0][0]:g}), so DCG / IDCG measures nothing: shift or clip the"
            " negative grades"
        )
    nothing = idcg == 0
    if nothing.any() and empty == "raise":
        raise ValueError(
            f"no judged document{_place(nothing, len(idcg))} has a gain, so NDCG is undefined: drop the query, or pass"
            " empty=0.0, 1.0, nan or 'skip'"
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(nothing, as_empty(empty), dcg / idcg)
    # the same documents added in another order may exceed the ideal by a rounding error
    return np.where((values > 1) & (values < 1 + 1e-12), 1.0, values)


def _place(wrong: NDArray[np.bool_], rows: int) -> str:
    return f" of row {int(np.argmax(wrong))}" if rows > 1 else ""
