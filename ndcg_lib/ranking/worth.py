"""What the documents of a block are worth: a few levels with a gain each where possible, else a gain per document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.choices import Gain
from ndcg_lib.core import gains
from ndcg_lib.ranking.sorting import Keys, largest
from ndcg_lib.types import Array

MOST_LEVELS = 64

Some: TypeAlias = slice | NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Levels:
    """Each document has the number of a level; a level with a higher number has no lower gain."""

    numbers: NDArray[Any]
    gain_of: Array

    @property
    def bits(self) -> int:
        """How many bits of a sort key the number of a level takes."""
        return (len(self.gain_of) - 1).bit_length()

    def tag(self, keys: Keys, rows: Some = slice(None)) -> None:
        """Write the level of each document into the lowest bits of its key."""
        keys |= self.numbers[rows]

    def read(self, keys: Keys, rows: Some = slice(None)) -> Array:
        """The gains that tagged keys carry, in the order of the keys."""
        return self.gain_of.take(keys & ((1 << self.bits) - 1))

    def best(self, count: int) -> Array:
        """The `count` highest gains of each row, ascending."""
        return self.gain_of.take(largest(self.numbers.astype(np.int32), count))

    def arranged(self, order: NDArray[np.intp]) -> Levels:
        """The same documents, each row in another order."""
        return Levels(np.take_along_axis(self.numbers, order, axis=1), self.gain_of)

    def backwards(self) -> Levels:
        """The worth by positions from the end: a level needs no position."""
        return self

    def upside_down(self) -> Levels:
        """The same documents; the lowest gain has the highest level."""
        return Levels(len(self.gain_of) - 1 - self.numbers, self.gain_of[::-1])

    def plain(self) -> Array:
        """The gain of each document."""
        return self.gain_of.take(self.numbers)


@dataclass(frozen=True, eq=False)
class Values:
    """Each document has its own gain. Its key carries the position of the document, by which the gain is found."""

    values: Array
    bits: int = 0

    def tag(self, keys: Keys, rows: Some = slice(None)) -> None:
        """Nothing but the position, which the sorter writes."""

    def read(self, keys: Keys, rows: Some = slice(None)) -> Array:
        """The gains of the positions that keys carry, in the order of the keys."""
        values = self.values[rows]
        length = values.shape[1]
        places = keys & ((1 << (length - 1).bit_length()) - 1)
        places += (np.arange(len(values)) * length)[:, None]
        gains_there: Array = values.ravel().take(places)
        return gains_there

    def best(self, count: int) -> Array:
        """The `count` highest gains of each row, ascending."""
        values = self.values.copy()
        if values.min() < 0:
            return largest(values, count)
        # the bits of such floats are in their order, and numpy sorts equal integers faster
        best: Array = largest(values.view(np.int64), count).view(np.float64)
        return best

    def arranged(self, order: NDArray[np.intp]) -> Values:
        """The same documents, each row in another order."""
        return Values(np.take_along_axis(self.values, order, axis=1))

    def backwards(self) -> Values:
        """The worth by positions from the end."""
        return Values(self.values[:, ::-1])

    def plain(self) -> Array:
        """The gain of each document."""
        return self.values


Worth: TypeAlias = Levels | Values


def worth_of(
    grades: NDArray[Any], lowest: Any, highest: Any, gain: Gain, shift: Any = 0.0, allow_negative: bool = False
) -> Worth:
    """The worth of a block of finite grades between the lowest and the highest.

    >>> worth_of(np.array([[3, 0, 3]]), 0, 3, "exponential").gain_of
    array([0., 1., 3., 7.])
    >>> worth_of(np.array([[0.5, 0.0]]), 0.0, 0.5, "linear").values
    array([[0.5, 0. ]])
    """
    if not grades.size:
        return Levels(grades.astype(np.int64), np.zeros(1))
    numbers = _small_whole(grades, lowest, highest) if isinstance(shift, float) else None
    if numbers is None:
        return Values(gains_once(grades.astype(np.float64), gain, shift, allow_negative))
    if isinstance(gain, str):
        return Levels(numbers, gains(np.arange(float(highest) + 1), gain))
    there = np.flatnonzero(np.bincount(numbers.ravel()))
    gain_of = gains(there.astype(np.float64), gain, allow_negative=allow_negative)
    by_gain = np.argsort(gain_of, kind="stable")
    renumbered = np.zeros(int(there[-1]) + 1, dtype=np.int64)
    renumbered[there[by_gain]] = np.arange(len(there))
    return Levels(renumbered.take(numbers), gain_of[by_gain])


def gains_once(grades: Array, gain: Gain, shift: Any = 0.0, allow_negative: bool = False) -> Array:
    """The gains; a mapping or a function is asked once for each grade.

    >>> gains_once(np.array([[2.0, 0.5, 2.0]]), {2: 10, 0.5: 1})
    array([[10.,  1., 10.]])
    """
    if isinstance(gain, str):
        return gains(grades, gain, shift)
    distinct, which = np.unique(grades, return_inverse=True)
    return gains(distinct, gain, allow_negative=allow_negative).take(which).reshape(grades.shape)


def _small_whole(grades: NDArray[Any], lowest: Any, highest: Any) -> NDArray[Any] | None:
    if not 0 <= lowest <= highest < MOST_LEVELS:
        return None
    if grades.dtype == np.int64:
        return grades
    numbers = grades.astype(np.int8)
    return numbers if grades.dtype.kind != "f" or (numbers == grades).all() else None
