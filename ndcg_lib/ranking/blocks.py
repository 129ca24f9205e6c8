"""Queries cut into blocks: of equal length, so that they form a table, and small enough to stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# A few arrays of this many numbers fit into a second-level cache; and below 128 KiB an array is reused memory, where
# larger ones may be fetched anew from the system, page by page, each time.
DOCUMENTS_PER_BLOCK = 16_000

Lengths: TypeAlias = NDArray[np.intp]
Rows: TypeAlias = slice | NDArray[np.intp]
Take: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]


def dense_blocks(rows: int, length: int, judged: Lengths | None = None) -> Iterator[tuple[Rows, Take]]:
    """Blocks of a full table: which rows, and how to take them from an array of its shape.

    `judged`, how many other documents a row brings along, counts where it is more.

    >>> [rows for rows, take in dense_blocks(3, 8_000)]
    [slice(0, 2, None), slice(2, 3, None)]
    """
    if judged is None:
        step = _rows_per_block(length)
        for start in range(0, rows, step):
            part = slice(start, min(start + step, rows))
            yield part, itemgetter(part)
    else:
        for some, _ in _rows_of_equal_length(np.full(rows, length), judged):
            yield some, itemgetter(some)


def masked_blocks(mask: NDArray[np.bool_], judged: Lengths | None = None) -> Iterator[tuple[Rows, Take]]:
    """Blocks of the documents that a mask marks, rows of equal length together; to take from a flat array.

    >>> mask = np.array([[True, False, True], [False, True, False]])
    >>> [(rows.tolist(), take(np.arange(6)).tolist()) for rows, take in masked_blocks(mask)]
    [([1], [[4]]), ([0], [[0, 2]])]
    """
    for rows, length in _rows_of_equal_length(np.count_nonzero(mask, axis=1), judged):
        columns = np.nonzero(mask[rows])[1].reshape(len(rows), length)
        yield rows, itemgetter(columns + rows[:, None] * mask.shape[1])


def offset_blocks(offsets: Lengths, judged: Lengths | None = None) -> Iterator[tuple[Rows, Take]]:
    """Blocks of the queries that offsets part from each other, those of equal length together; from a flat array.

    >>> [(rows.tolist(), take(np.arange(3)).tolist()) for rows, take in offset_blocks(np.array([0, 1, 3]))]
    [([0], [[0]]), ([1], [[1, 2]])]
    """
    for rows, length in _rows_of_equal_length(np.diff(offsets), judged):
        yield rows, itemgetter(offsets[rows][:, None] + np.arange(length))


def _rows_of_equal_length(lengths: Lengths, judged: Lengths | None) -> Iterator[tuple[NDArray[np.intp], int]]:
    width = lengths if judged is None else np.maximum(lengths, judged)
    order = np.lexsort((width, lengths))
    start = 0
    while start < len(order):
        length = lengths[order[start]]
        rows = order[start : start + _rows_per_block(width[order[start]])]
        rows = rows[: np.searchsorted(lengths[rows], length, side="right")]
        rows = rows[: _rows_per_block(width[rows[-1]])]  # the last is the widest
        yield rows, int(length)
        start += len(rows)


def _rows_per_block(length: int) -> int:
    return max(1, DOCUMENTS_PER_BLOCK // max(1, length))
