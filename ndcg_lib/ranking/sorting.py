"""Sort rows by score with a small number, the tag, riding along: faster than numpy's argsort and a gather.

The bits of a float, read as an integer, are in the order of the floats. So the tag goes into the lowest bits of the
score, and one sort of integers moves both. Scores that differ only in these bits then look tied: whoever finds
neighbours that agree in all other bits must look at the scores themselves, and take `exact_keys` where they differ.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Keys: TypeAlias = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)

WHOLE_FLOATS = 2**53  # up to here every whole number has a float of its own


def floats_keep(scores: NDArray[Any], lowest: Any) -> bool:
    """Whether floats tell all these scores apart.

    >>> floats_keep(np.array([2**53, 2**53 + 1]), 2**53)
    False
    """
    if scores.dtype.kind == "f" or scores.dtype.itemsize <= 4:
        return scores.dtype.itemsize <= 8
    return bool(lowest >= -WHOLE_FLOATS and scores.max() <= WHOLE_FLOATS)


def fast_keys(scores: NDArray[Any], lowest: Any, tag_bits: int) -> Keys:
    """Integers in the order of the scores as floats, the last `tag_bits` bits free for the tag.

    >>> np.unique(fast_keys(np.array([[1.5, -0.0, 0.0, -2.0]]), -2.0, 3), return_inverse=True)[1]
    array([[2, 1, 1, 0]])
    """
    keys: Keys = np.add(scores, 0.0, dtype=np.float64).view(np.int64)  # -0.0 becomes 0.0
    if lowest < 0:
        flip = keys >> 63
        flip &= np.iinfo(np.int64).max
        keys ^= flip  # the bits of negative floats ascend where the floats descend
    keys &= -1 << tag_bits
    return keys


def exact_keys(scores: NDArray[Any], tag_bits: int) -> Keys:
    """Integers in the order of the scores, equal for equal scores alone, the last `tag_bits` bits free for the tag.

    >>> exact_keys(np.array([[2**60, 2**60 + 1]]), 3)
    array([[0, 8]])
    """
    ranks = np.unique(scores, return_inverse=True)[1].reshape(scores.shape)
    return ranks.astype(np.int64) << tag_bits


def largest(table: NDArray[Number], count: int) -> NDArray[Number]:
    """The `count` largest numbers of each row, ascending. The table itself is reordered.

    >>> largest(np.array([[3, 1, 2]]), 2)
    array([[2, 3]])
    """
    length = table.shape[1]
    if is_short(length, count):
        table.sort(axis=1)
        return table[:, length - count :]
    table.partition(length - count, axis=1)
    return np.sort(table[:, length - count :], axis=1)


def is_short(length: int, count: int) -> bool:
    """Whether to sort a whole row is as fast as to part the largest from the rest first.

    >>> is_short(100, 10), is_short(1000, 10)
    (True, False)
    """
    return length <= 250 or 8 * count > length
