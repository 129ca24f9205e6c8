"""DCG where scores rank the documents, and some scores are equal."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.ranking.sorting import Keys, exact_keys, fast_keys, floats_keep, is_short, largest
from ndcg_lib.ranking.worth import Some, Worth
from ndcg_lib.types import Array


def arranged(
    scores: NDArray[Any], worth: Worth, ties: str, by_id: NDArray[np.intp] | None
) -> tuple[NDArray[Any], Worth]:
    """The documents of each row so that, of equal scores, the last goes first.

    >>> from ndcg_lib.ranking.worth import Values
    >>> arranged(np.array([[0.7, 0.7]]), Values(np.array([[3.0, 1.0]])), "best", None)[1].plain()
    array([[1., 3.]])
    """
    if ties in ("average", "reverse"):
        return scores, worth
    backwards = itemgetter((slice(None), slice(None, None, -1)))
    if ties == "order":
        return backwards(scores), worth.arranged(backwards)
    order = by_id if ties in ("id", "id-descending") and by_id is not None else np.argsort(worth.plain(), axis=1)
    if ties in ("id", "worst"):
        order = backwards(order)

    def arrange(table: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(table, order, axis=1)

    return arrange(scores), worth.arranged(arrange)


def dcg_by_score(scores: NDArray[Any], lowest: Any, worth: Worth, discounts: Array, averaged: bool) -> Array:
    """The DCG of each row, highest score first. Of equal scores the last goes first, or their orders are averaged.

    >>> from ndcg_lib.ranking.worth import Values
    >>> worth = Values(np.array([[3.0, 0.0, 1.0]]))
    >>> dcg_by_score(np.array([[0.7, 0.7, 0.7]]), 0.7, worth, np.array([1.0, 0.5]), True)  # 4/3 times 1.5
    array([2.])
    """
    length, k = scores.shape[1], len(discounts)
    sorter = Sorter(scores, lowest, worth, with_positions=not averaged)
    keys = sorter.keys()
    top = largest(keys, min(length, k + 1))  # one more than counts, to see a tie across the cut-off
    dcg: Array = worth.read(top[:, top.shape[1] - k :]) @ discounts[::-1]
    if not sorter.may_tie(top):
        return dcg
    rows = np.flatnonzero(sorter.agree(top).any(axis=1))
    tied = keys[rows]
    if not is_short(length, min(length, k + 1)):
        tied.sort(axis=1)
    tied, ascending = sorter.settled(tied, rows)
    if averaged:
        dcg[rows] = expected_dcg(worth.read(tied, rows), ascending, discounts)
    else:
        dcg[rows] = worth.read(tied[:, length - k :], rows) @ discounts[::-1]
    return dcg


class Sorter:
    """Makes the sort keys of a block, and knows when to doubt them."""

    def __init__(self, scores: NDArray[Any], lowest: Any, worth: Worth, with_positions: bool) -> None:
        self.scores, self.lowest, self.worth = scores, lowest, worth
        self.with_positions = with_positions or not worth.bits
        self.bits = worth.bits + ((scores.shape[1] - 1).bit_length() if self.with_positions else 0)
        self.fast = floats_keep(scores, lowest)

    def keys(self) -> Keys:
        """A key for each document: first its score, then its position where that decides, then its worth."""
        if self.fast:
            return self._tagged(fast_keys(self.scores, self.lowest, self.bits))
        return self._tagged(exact_keys(self.scores, self.bits))

    def may_tie(self, keys: Keys) -> bool:
        """Whether neighbours may be tied; the last of a row and the first of the next count too, which is faster."""
        flat = keys.ravel()
        differences = (flat[1:] ^ flat[:-1]).view(np.uint64)
        return bool(differences.size and differences.min() < 1 << self.bits)

    def agree(self, keys: Keys) -> NDArray[np.bool_]:
        """Whether neighbours agree in all that the key holds of their scores."""
        return (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) < 1 << self.bits

    def settled(self, keys: Keys, rows: NDArray[np.intp]) -> tuple[Keys, Keys]:
        """The sorted keys of some rows, put right where scores differ by less than a tag; and their sorted scores."""
        if not self.fast:
            return keys, keys >> self.bits
        scores = self.scores[rows]
        ascending = fast_keys(scores, self.lowest, 0)
        ascending.sort(axis=1)
        near = np.flatnonzero((self.agree(keys) > (ascending[:, 1:] == ascending[:, :-1])).any(axis=1))
        if near.size:
            keys[near] = np.sort(self._tagged(exact_keys(scores[near], self.bits), rows[near]), axis=1)
        return keys, ascending

    def _tagged(self, keys: Keys, rows: Some = slice(None)) -> Keys:
        self.worth.tag(keys, rows)
        if self.with_positions:
            keys |= np.arange(keys.shape[1]) << self.worth.bits
        return keys


def expected_dcg(gains: Array, scores: Keys, discounts: Array) -> Array:
    """The mean DCG over all orders of the tied (McSherry and Najork, 2008). Rows ascend by score.

    Tied documents that take the ranks a to b bring their mean gain times the discounts of a to b, up to the cut-off.

    >>> expected_dcg(np.array([[0.0, 1.0, 3.0]]), np.array([[2, 5, 5]]), np.array([1.0, 0.5]))
    array([3.])
    """
    k, cut = len(discounts), gains.shape[1] - len(discounts)
    if cut:  # below the group that crosses the cut-off nothing counts
        reach = int(np.argmax((scores[:, : cut + 1] == scores[:, cut : cut + 1]).any(axis=0)))
        gains, scores = gains[:, reach:], scores[:, reach:]
    rows, length = gains.shape
    first = np.ones(gains.shape, dtype=bool)
    np.not_equal(scores[:, 1:], scores[:, :-1], out=first[:, 1:])
    starts = np.flatnonzero(first)
    row_starts = np.searchsorted(starts, np.arange(rows) * length)
    discount = np.zeros(length)
    discount[length - k :] = discounts[::-1]
    brought = np.add.reduceat(gains.ravel(), starts)
    brought *= _sums_of_groups(discount, rows, starts, row_starts)
    brought /= np.diff(starts, append=gains.size)
    return np.add.reduceat(brought, row_starts)


def _sums_of_groups(discount: Array, rows: int, starts: NDArray[np.intp], row_starts: NDArray[np.intp]) -> Array:
    sums = np.cumsum(discount)
    counting = discount[discount > 0]
    if counting[0] * 1000 < sums[-1]:  # differences of sums would lose digits
        in_groups: Array = np.add.reduceat(np.tile(discount, rows), starts)
        return in_groups
    before = np.tile(np.concatenate(([0.0], sums[:-1])), rows).take(starts)
    after = np.roll(before, -1)
    after[row_starts - 1] = sums[-1]
    after -= before
    return after
