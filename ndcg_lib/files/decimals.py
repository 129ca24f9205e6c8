"""Decimal numbers in a block of bytes, all at once: the same floats as Python's own `float`, several times faster.

Eight digits are read as one 64-bit number. The point is taken for a digit 0 and removed afterwards, and the whole
number is divided by its power of ten with the remainder, so that the rounding is right to the last bit. What does not
fit this pattern (an exponent, more than 18 digits) is left to the caller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.types import Array

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

PADDING = 32  # bytes that must precede the first number of a block

_ZEROS, _TOP, _LOW7, _TO_TOP, _POINT = (np.uint64(0x0101010101010101 * byte) for byte in (0x30, 0x80, 0x7F, 0x76, 0x1E))
_ALL = 2**64 - 1
_KEEP = np.array([_ALL << 8 * (8 - count) & _ALL for count in range(8)] + [_ALL], dtype=np.uint64)
_POWERS = 10 ** np.arange(19, dtype=np.int64)
_FLOAT_POWERS = _POWERS.astype(np.float64)
_EXACT = 2.0**53


def parse(text: NDArray[np.uint8], words: Words, start: Ints, end: Ints) -> tuple[Array, Flags]:
    """The numbers at text[start:end], and which of them could be read.

    `words` are the overlapping little-endian 8-byte words of the text.

    >>> text = np.frombuffer(b" " * PADDING + b"-12.5 x", np.uint8)
    >>> words = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))
    >>> parse(text, words, np.array([PADDING, PADDING + 6]), np.array([PADDING + 5, PADDING + 7]))
    (array([-12.5,   nan]), array([ True, False]))
    """
    first = text[start]
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    start = start + signed if signed.any() else start
    size = end - start
    digits, decimals, good = _digits(words, end, size)
    value = digits.astype(np.float64)
    if decimals.any() or not good.all():
        decimals = np.where(good, decimals, 0)
        value, surely = _divided(digits, value, decimals)
        good &= surely
    value = np.where(negative, -value, value)
    return value if good.all() else np.where(good, value, np.nan), good


def _digits(words: Words, end: Ints, size: Ints) -> tuple[Ints, Ints, Flags]:
    """All digits as one whole number, the count of those behind the point, and where this worked."""
    longest = int(size.max(initial=0))
    good = size > 0
    if longest > 24:
        good &= size <= 24
    total = np.zeros(len(end), dtype=np.int64)
    behind = np.full(len(end), -1)
    for step in range(min(-(-longest // 8), 3)):
        word = words[end - 8 * (step + 1)] ^ _ZEROS
        word &= _KEEP[np.clip(size - 8 * step, 0, 8)] if size.min() < 8 * (step + 1) else _KEEP[8]
        points = word ^ _POINT
        points = ~(((points & _LOW7) + _LOW7) | points | _LOW7)  # 0x80 in each byte that is a point
        if points.any():
            good &= (points & (points - np.uint64(1))) == 0
            here = points != 0
            good &= ~here | (behind < 0)
            position = (points.astype(np.float64).view(np.int64) >> 52) - 1023  # 8 * byte + 7
            behind = np.where(here, 8 * step + 7 - (position >> 3), behind)
            word &= ~((points >> np.uint64(7)) * np.uint64(255))
        good &= ((word + _TO_TOP) | word) & _TOP == 0
        value = _eight_digits(word)
        if step == 2:
            good &= value < 100
            value = np.where(value < 100, value, 0)
        total += value * 10 ** (8 * step)
    pointed = behind >= 0
    good &= ~pointed | (size > 1)
    if not pointed.any():
        return total, np.zeros(len(end), dtype=np.int64), good
    good &= behind < 18
    decimals = np.where(good & pointed, behind, 0)
    whole, fraction = _divmod(total, decimals)
    return np.where(pointed, whole * _POWERS[decimals] + fraction, total), decimals, good


def _divmod(total: Ints, decimals: Ints) -> tuple[Ints, Ints]:
    """Cut at the digit that stands for the point: 12 0 5 is 12 and 5."""
    least = int(decimals.min())
    power = 10 ** (least + 1) if least == int(decimals.max()) else _POWERS[decimals + 1]
    whole = total // power
    return whole, total - whole * power


def _eight_digits(word: Words) -> Ints:
    word = (word * np.uint64(2561)) >> np.uint64(8)
    word &= np.uint64(0x00FF00FF00FF00FF)
    word = (word * np.uint64(6553601)) >> np.uint64(16)
    word &= np.uint64(0x0000FFFF0000FFFF)
    return ((word * np.uint64(42949672960001)) >> np.uint64(32)).view(np.int64)


def _divided(digits: Ints, approximate: Array, decimals: Ints) -> tuple[Array, Flags]:
    """digits / 10^decimals, rounded once; False where the last bit is in doubt."""
    power = _FLOAT_POWERS[decimals]
    quotient: Array = approximate / power
    if approximate.max(initial=0) < _EXACT:
        return quotient, np.ones(len(digits), dtype=bool)  # one division of two exact numbers
    product, error = _product(quotient, power)
    rest = (approximate - product) - error + (digits - approximate.astype(np.int64))
    correction = rest / power
    doubt = np.abs(correction) * 2.0**-48
    low, high = quotient + (correction - doubt), quotient + (correction + doubt)
    return low, low == high


def _product(x: Array, y: Array) -> tuple[Array, Array]:
    """x * y exactly, as a rounded product and its error (Dekker, 1971)."""
    product = x * y
    x_high, x_low = _split(x)
    y_high, y_low = _split(y)
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _split(x: Array) -> tuple[Array, Array]:
    scaled = x * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - x)
    return high, x - high
