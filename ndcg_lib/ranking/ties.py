"""DCG where scores rank the documents, and some scores are equal."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.ranking.sorting import Keys, Number, exact_keys, fast_keys, floats_keep, is_short, largest
from ndcg_lib.ranking.worth import Levels, Some, Worth
from ndcg_lib.types import Array

# what decides among equal scores: all orders alike, the higher level, the first document, or the last one
Decides: TypeAlias = Literal["average", "level", "first", "last"]

# no discount grows with the rank, so in a list this short the difference of two sums of discounts keeps 12 digits
FEW_RANKS = 2000


def arranged(
    scores: NDArray[Any], worth: Worth, ties: str, by_id: NDArray[np.intp] | None
) -> tuple[NDArray[Any], Worth, Decides]:
    """The documents of each row so that one of few things decides among equal scores.

    >>> from ndcg_lib.ranking.worth import Values
    >>> scores, worth, decides = arranged(np.array([[0.7, 0.7]]), Values(np.array([[3.0, 1.0]])), "best", None)
    >>> worth.plain(), decides
    (array([[1., 3.]]), 'last')
    """
    if ties == "average":
        return scores, worth, "average"
    if ties in ("order", "reverse"):
        return scores, worth, "first" if ties == "order" else "last"
    if ties in ("best", "worst") and isinstance(worth, Levels):
        return scores, worth if ties == "best" else worth.upside_down(), "level"
    order = by_id if ties in ("id", "id-descending") and by_id is not None else np.argsort(worth.plain(), axis=1)
    scores, worth = np.take_along_axis(scores, order, axis=1), worth.arranged(order)
    return scores, worth, "first" if ties in ("id", "worst") else "last"


def dcg_by_score(scores: NDArray[Any], lowest: Any, worth: Worth, discounts: Array, decides: Decides) -> Array:
    """The DCG of each row, highest score first.

    >>> from ndcg_lib.ranking.worth import Values
    >>> worth = Values(np.array([[3.0, 0.0, 1.0]]))
    >>> dcg_by_score(np.array([[0.7, 0.7, 0.7]]), 0.7, worth, np.array([1.0, 0.5]), "average")  # 4/3 times 1.5
    array([2.])
    """
    (rows, length), k = scores.shape, len(discounts)
    if decides == "first":
        worth = worth.backwards()
    sorter = Sorter(scores, lowest, worth, decides)
    keys = sorter.keys()
    top = largest(keys, min(length, k + 1))  # one more than counts, to see a tie across the cut-off
    agree = sorter.agree(top) if sorter.may_tie(top) else np.zeros((rows, 0), dtype=bool)
    in_doubt = np.flatnonzero(agree.any(axis=1))
    if len(in_doubt) < rows:
        dcg = worth.read(top[:, top.shape[1] - k :]) @ discounts[::-1]
        some: Some = in_doubt
    else:
        dcg, some = np.empty(rows), slice(None)
    if not in_doubt.size:
        return dcg
    keys = keys[some]
    if not is_short(length, min(length, k + 1)):
        keys.sort(axis=1)
    keys, ascending, tied = sorter.settled(keys, agree[some] if top.shape[1] == length else sorter.agree(keys), some)
    if decides == "average":
        dcg[some] = expected_dcg(worth.read(keys, some), ascending, tied, discounts)
    else:
        dcg[some] = worth.read(keys[:, length - k :], some) @ discounts[::-1]
    return dcg


class Sorter:
    """Makes the sort keys of a block, and knows when to doubt them."""

    def __init__(self, scores: NDArray[Any], lowest: Any, worth: Worth, decides: Decides) -> None:
        self.scores, self.lowest, self.worth = scores, lowest, worth
        self.bits = worth.bits
        self.positions = None
        if decides in ("first", "last") or not worth.bits:
            positions = np.arange(scores.shape[1])
            self.positions = (positions[::-1] if decides == "first" else positions) << worth.bits
            self.bits += (scores.shape[1] - 1).bit_length()
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

    def settled(self, keys: Keys, agree: NDArray[np.bool_], rows: Some) -> tuple[Keys, Keys, NDArray[np.bool_]]:
        """The sorted keys of some rows, put right where scores differ by less than a tag.

        Beside them the sorted scores, and which neighbours are tied.
        """
        if not self.fast:
            return keys, keys >> self.bits, agree
        scores = self.scores[rows]
        ascending = fast_keys(scores, self.lowest, 0)
        ascending.sort(axis=1)
        tied = ascending[:, 1:] == ascending[:, :-1]
        near = np.flatnonzero((agree > tied).any(axis=1))
        if near.size:
            keys[near] = np.sort(self._tagged(exact_keys(scores[near], self.bits), _rows_of(rows, near)), axis=1)
        return keys, ascending, tied

    def _tagged(self, keys: Keys, rows: Some = slice(None)) -> Keys:
        self.worth.tag(keys, rows)
        if self.positions is not None:
            keys |= self.positions
        return keys


def expected_dcg(gains: Array, scores: Keys, tied: NDArray[np.bool_], discounts: Array) -> Array:
    """The mean DCG over all orders of the tied (McSherry and Najork, 2008). Rows ascend by score.

    Tied documents that take the ranks a to b bring their mean gain times the discounts of a to b, up to the cut-off.

    >>> tied = np.array([[False, True]])
    >>> expected_dcg(np.array([[0.0, 1.0, 3.0]]), np.array([[2, 5, 5]]), tied, np.array([1.0, 0.5]))
    array([3.])
    """
    k, cut = len(discounts), gains.shape[1] - len(discounts)
    if cut:  # below the group that crosses the cut-off nothing counts
        reach = int(np.argmax((scores[:, : cut + 1] == scores[:, cut : cut + 1]).any(axis=0)))
        gains, tied = gains[:, reach:], tied[:, reach:]
    rows, length = gains.shape
    begins = np.ones(gains.shape, dtype=bool)
    np.logical_not(tied, out=begins[:, 1:])
    begin = np.flatnonzero(begins)
    row_begin = np.concatenate(([0], np.count_nonzero(begins, axis=1).cumsum()[:-1]))
    discount = np.zeros(length)
    discount[length - k :] = discounts[::-1]
    brought = np.add.reduceat(gains.ravel(), begin)
    brought *= _sums_of_groups(discount, rows, begin, row_begin)
    brought /= _steps(begin, gains.size)
    return np.add.reduceat(brought, row_begin)


def _sums_of_groups(discount: Array, rows: int, begin: NDArray[np.intp], row_begin: NDArray[np.intp]) -> Array:
    sums = np.cumsum(discount)
    if len(discount) > FEW_RANKS:
        in_groups: Array = np.add.reduceat(_repeated(discount, rows), begin)
        return in_groups
    before = _repeated(np.concatenate(([0.0], sums[:-1])), rows).take(begin)
    steps = _steps(before, sums[-1])
    steps[row_begin[1:] - 1] += sums[-1]  # there the next group begins a row, and before it is 0
    return steps


def _steps(start: NDArray[Number], end: Any) -> NDArray[Number]:
    """From each number to the next, and from the last to the end."""
    steps = np.empty_like(start)
    np.subtract(start[1:], start[:-1], out=steps[:-1])
    steps[-1] = end - start[-1]
    return steps


def _repeated(row: Array, rows: int) -> Array:
    return np.broadcast_to(row, (rows, len(row))).ravel()


def _rows_of(some: Some, places: NDArray[np.intp]) -> NDArray[np.intp]:
    return places if isinstance(some, slice) else some[places]
