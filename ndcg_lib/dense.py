"""The fast form for tables: many rows of equal length that scores rank. Whatever is unusual is left to the engine.

The bits of a float, read as an integer, are in the order of the floats. So the lowest bits of a score give way to a tag
(the grade of the document, or its position), and one sort of integers moves both, faster than an argsort and a gather.
Rows in which neighbours agree in all other bits are looked at again, by their scores themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.choices import Bound
from ndcg_lib.engine import SAFE
from ndcg_lib.types import Array

Keys: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = slice | NDArray[np.intp]

DOCUMENTS = 16_000  # per block: a few arrays of this size stay in the cache
LEVELS = 64
FEW_RANKS = 2000  # no discount grows, so in so short a list the difference of two of its sums keeps 12 digits


class UnusualError(Exception):
    """Not for the fast form: a grade below 0, not a number, huge or tiny, or that judged lacks."""


class Worth(NamedTuple):
    """What the documents of a block are worth, by the tag that their keys carry: a level, or a position in the row."""

    tag: NDArray[Any]
    bits: int
    gain: Array  # of each level, ascending; or of each row and position

    def read(self, keys: Keys, rows: Rows = slice(None)) -> Array:
        """The gains of tagged keys."""
        tags = keys & ((1 << self.bits) - 1)
        if self.gain.ndim == 1:
            return self.gain.take(tags)
        gain = self.gain[rows]
        tags += (np.arange(len(gain)) * gain.shape[1])[:, None]
        return gain.ravel().take(tags)

    def tagged(self, keys: Keys, rows: Rows = slice(None)) -> Keys:
        """The keys with the tags of their documents."""
        keys |= self.tag[rows] if self.tag.ndim == 2 else self.tag
        return keys


def sides(
    grades: NDArray[Any],
    scores: NDArray[Any],
    discounts: Array,
    gain: Bound,
    ties: str,
    ids: NDArray[Any] | None = None,
    judged: NDArray[Any] | None = None,
) -> tuple[Array, Array]:
    """DCG and ideal DCG of each row. A row of `judged` holds all judged grades, where the row itself does not.

    >>> sides(np.array([[3, 0, 1]]), np.array([[7, 7, 7]]), np.array([1.0, 0.5]), Bound("gain", "linear"), "best")
    (array([3.5]), array([3.5]))
    """
    rows, n = scores.shape
    dcg, idcg = np.zeros(rows), np.zeros(rows)
    for at in range(0, rows if n else 0, step := max(1, DOCUMENTS // max(n, 1))):
        part = slice(at, at + step)
        names = None if ids is None else ids[part]
        dcg[part], idcg[part] = _block(grades[part], scores[part], discounts[:n], gain, ties, names)
        if judged is not None:
            _refuse_better(grades[part], judged[part])
            idcg[part] = _block(judged[part], None, discounts[: judged.shape[1]], gain, ties, None)[1]
    return dcg, idcg


def _refuse_better(grades: NDArray[Any], judged: NDArray[Any]) -> None:
    """Refuse judged grades among which those of the list cannot be."""
    ours, theirs = (np.sort(table, axis=1)[:, ::-1] for table in (grades, judged))
    both = min(ours.shape[1], theirs.shape[1])
    if (ours[:, :both] > theirs[:, :both]).any() or (ours[:, both:] > 0).any():
        raise UnusualError


def _block(g: NDArray[Any], s: Any, d: Array, gain: Bound, ties: str, ids: Any) -> tuple[Array, Array]:
    """Both sides of some rows; without scores the ideal alone."""
    lowest, highest, n, k = g.min(), g.max(), g.shape[1], len(d)
    s = s if s is None else s.astype(np.float64, copy=False)
    if not (lowest >= 0 and highest < SAFE and (s is None or s.min() == s.min())):
        raise UnusualError
    whole = highest < LEVELS and (g.dtype.kind != "f" or (g == (small := g.astype(np.int8))).all())
    if whole:
        levels = g if g.dtype == np.int64 else g.astype(np.int64) if g.dtype.kind != "f" else small
        of_level = gain(np.arange(float(highest) + 1))
        best = of_level.take(_top(levels.astype(np.int32), k))
    else:
        values = gain(g.astype(np.float64))
        # the bits of such floats are in their order, and numpy sorts equal integers faster
        best = _top(values.view(np.int64).copy(), k).view(np.float64)
        if ((best[:, -1] > 0) & (best[:, -1] < 2.0**-SAFE)).any():
            raise UnusualError
    idcg: Array = best @ d[::-1]
    if s is None:
        return idcg, idcg
    if whole and ties in ("average", "best", "worst"):
        last = int(highest)
        worth = Worth(levels if ties != "worst" else last - levels, last.bit_length(), of_level)
        return _dcg(s, worth if ties != "worst" else worth._replace(gain=of_level[::-1]), d, ties == "average"), idcg
    values = of_level.take(levels) if whole else values
    if ties in ("best", "worst", "id", "id-descending"):
        order = np.argsort(values if ids is None or ties in ("best", "worst") else ids, axis=1, kind="stable")
        s, values = np.take_along_axis(s, order, axis=1), np.take_along_axis(values, order, axis=1)
    positions = np.arange(n)
    if ties in ("order", "id", "worst"):  # the first of the tied is to be the highest
        values, positions = values[:, ::-1], positions[::-1]
    return _dcg(s, Worth(positions, (n - 1).bit_length(), np.ascontiguousarray(values)), d, ties == "average"), idcg


def _dcg(s: Array, worth: Worth, d: Array, averaged: bool) -> Array:
    """The DCG of each row, highest score first."""
    (rows, n), k, bits = s.shape, len(d), worth.bits
    keys = worth.tagged(_keys(s, bits))
    top = _top(keys, min(n, k + 1))  # one more than counts, to see a tie across the cut-off
    flat = top.ravel()
    dcg, doubt = np.empty(rows), np.empty(0, np.intp)
    if ((flat[1:] ^ flat[:-1]).view(np.uint64) >> np.uint64(bits)).min(initial=1) == 0:  # cheaper than row by row
        doubt = np.flatnonzero((top[:, 1:] >> bits == top[:, :-1] >> bits).any(axis=1))
    if len(doubt) < rows:
        dcg = worth.read(top[:, top.shape[1] - k :]) @ d[::-1]
    if not len(doubt):
        return dcg
    some: Rows = doubt if len(doubt) < rows else slice(None)
    keys, ascending = keys[some], _keys(s[some], 0)
    keys.sort(axis=1)
    ascending.sort(axis=1)
    tied = ascending[:, 1:] == ascending[:, :-1]
    near = np.flatnonzero(((keys[:, 1:] >> bits == keys[:, :-1] >> bits) > tied).any(axis=1))
    if len(near):  # scores that differ in the bits of the tag alone: their ranks as keys
        these = near if isinstance(some, slice) else doubt[near]
        ranks = np.unique(s[these], return_inverse=True)[1].reshape(len(near), n)
        keys[near] = np.sort(worth.tagged(ranks << bits, these), axis=1)
    if averaged:
        dcg[some] = _expected(worth.read(keys, some), ascending, tied, d)
    else:
        dcg[some] = worth.read(keys[:, n - k :], some) @ d[::-1]
    return dcg


def _keys(scores: Array, bits: int) -> Keys:
    """Integers in the order of the scores, with room for a tag."""
    keys: Keys = (scores + 0.0).view(np.int64)  # a copy, in which -0.0 is 0.0
    if scores.min(initial=0) < 0:
        keys ^= (keys >> 63) & np.int64(0x7FFF_FFFF_FFFF_FFFF)  # the bits of negative floats ascend as they descend
    keys &= -1 << bits
    return keys


def _top(table: NDArray[Any], count: int) -> NDArray[Any]:
    """The `count` largest of each row, ascending. The table itself is reordered."""
    n = table.shape[1]
    if n <= 250 or 8 * count > n:  # to sort a short row is as fast as to part the largest from the rest first
        table.sort(axis=1)
        return table[:, n - count :]
    table.partition(n - count, axis=1)
    return np.sort(table[:, n - count :], axis=1)


def _expected(gain: Array, scores: Keys, tied: NDArray[np.bool_], d: Array) -> Array:
    """The mean DCG over all orders of the tied (McSherry and Najork, 2008). Rows ascend by score.

    Tied documents that take the ranks a to b bring their mean gain times the discounts of a to b, up to the cut-off.
    """
    k, cut = len(d), gain.shape[1] - len(d)
    if cut:  # below the group that crosses the cut-off nothing counts
        reach = int(np.argmax((scores[:, : cut + 1] == scores[:, cut : cut + 1]).any(axis=0)))
        gain, tied = gain[:, reach:], tied[:, reach:]
    n = gain.shape[1]
    new = np.ones(gain.shape, dtype=bool)
    np.logical_not(tied, out=new[:, 1:])
    start, row_start = np.flatnonzero(new), np.concatenate(([0], np.count_nonzero(new, axis=1).cumsum()[:-1]))
    size = np.diff(start, append=gain.size)
    discount = np.zeros(n)
    discount[n - k :] = d[::-1]
    if n > FEW_RANKS:
        sums = np.add.reduceat(np.broadcast_to(discount, gain.shape).ravel(), start)
    else:
        before, place = np.concatenate(([0.0], np.cumsum(discount))), start % n
        sums = before.take(place + size) - before.take(place)
    return np.add.reduceat(np.add.reduceat(gain.ravel(), start) * sums / size, row_start)
