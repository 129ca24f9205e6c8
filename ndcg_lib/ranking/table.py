"""Grades and scores side by side: a table with a query per row, or queries of different length in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import as_grades, as_numbers
from ndcg_lib.ranking.blocks import Rows, dense_blocks, masked_blocks, offset_blocks
from ndcg_lib.ranking.sorting import WHOLE_FLOATS

Numbers = NDArray[Any]


class Block(NamedTuple):
    """Some queries with equally many documents."""

    rows: Rows
    grades: Numbers
    scores: Numbers
    ids: Numbers | None

    def row_numbers(self, of: int) -> NDArray[np.intp]:
        """The numbers of these rows among all."""
        return np.arange(of)[self.rows]


@dataclass(frozen=True, eq=False)
class Table:
    """What is known of the documents, in the type it came in; `ids`, `mask` and `offsets` may be missing."""

    grades: Numbers
    scores: Numbers
    ids: Numbers | None
    mask: NDArray[np.bool_] | None
    offsets: NDArray[np.intp] | None
    single: bool

    @staticmethod
    def of(grades: Any, scores: Any, ids: Any = None, mask: Any = None, offsets: Any = None) -> Table:
        """The table of what the caller passed; a list is a table of one row.

        >>> Table.of([3, 0], [0.2, 0.1]).grades
        array([[3, 0]])
        """
        grades, scores = as_table(grades, "grades"), as_scores(scores)
        if grades.shape != scores.shape:
            raise ValueError(
                f"grades has shape {grades.shape} but scores has {scores.shape}: give each document one grade and one"
                " score"
            )
        ids = None if ids is None else as_ids(ids, grades)
        if mask is not None and offsets is not None:
            raise ValueError("both mask and offsets are given: pass mask for a padded table, offsets for a flat list")
        if offsets is not None:
            return Table(grades, scores, ids, None, as_offsets(offsets, grades), False)
        mask = None if mask is None else as_mask(mask, grades)
        if grades.ndim == 2:
            return Table(grades, scores, ids, mask, None, False)
        ids, mask = (None if part is None else part[None] for part in (ids, mask))
        return Table(grades[None], scores[None], ids, mask, None, True)

    @property
    def rows(self) -> int:
        """How many queries there are."""
        return len(self.grades) if self.offsets is None else len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """The largest number of documents of a query."""
        if self.offsets is not None:
            return int(np.diff(self.offsets).max(initial=0))
        return int(self.grades.shape[1])

    def blocks(self, judged: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """The rows block by block; `judged` is how many other documents a row brings along."""
        arrays = [self.grades, self.scores, self.ids]
        if self.offsets is not None:
            parts = offset_blocks(self.offsets, judged)
        elif self.mask is not None:
            parts = masked_blocks(self.mask, judged)
            arrays = [None if array is None else array.ravel() for array in arrays]
        else:
            parts = dense_blocks(len(self.grades), self.longest, judged)
        for rows, take in parts:
            grades, scores, ids = (None if array is None else take(array) for array in arrays)
            yield Block(rows, grades, scores, ids)  # type: ignore[arg-type]

    def refuse_grades(self, allow_negative: bool) -> NoReturn:
        """Say where a grade is wrong. To be called when one is."""
        grades = self.grades if self.mask is None else np.where(self.mask, self.grades, 0)
        as_grades(grades[0] if self.single else grades, allow_negative=allow_negative)
        raise AssertionError("a grade was wrong")

    def refuse_scores(self) -> NoReturn:
        """Say which score is nan. To be called when one is."""
        wrong = np.isnan(self.scores) if self.mask is None else np.isnan(self.scores) & self.mask
        index = np.argwhere(wrong)[0].tolist()
        place = ", ".join(map(str, index[1:] if self.single else index))
        raise ValueError(
            f"scores[{place}] is nan. A document without a score has no rank: leave it out, or rank it last with the"
            " score -inf"
        )


def as_table(values: Any, name: str) -> Numbers:
    """The values in their own type, in one or two dimensions.

    >>> as_table([[1, 2]], "grades").dtype.kind
    'i'
    """
    if isinstance(values, np.ma.MaskedArray):
        return as_numbers(values, name)
    try:
        array = np.asarray(values)
    except Exception:
        return as_numbers(values, name)
    return array if array.dtype.kind in "fiub" and 1 <= array.ndim <= 2 else as_numbers(values, name)


def as_scores(values: Any) -> Numbers:
    """The scores in their own type: whole numbers too large for a float stay apart, as their ranks.

    >>> as_scores([2**60, 2**60 + 1, 0.5]).tolist()
    [1, 2, 0]
    """
    try:
        array = as_table(values, "scores")
    except ValueError as error:  # what checks say of grades is true of scores
        raise ValueError(str(error).replace("grade", "score")) from None
    kept_all_digits = isinstance(values, np.ndarray) and values.dtype != object
    if array.dtype != np.float64 or kept_all_digits or not array.size or np.abs(array).max() < WHOLE_FLOATS:
        return array
    originals = np.asarray(values, dtype=object)
    try:
        rank_of = {score: rank for rank, score in enumerate(sorted(set(originals.flat)))}
    except TypeError:
        return array
    nan = np.isnan(array).any()
    return array if nan else np.array([rank_of[score] for score in originals.flat]).reshape(array.shape)


def as_ids(values: Any, grades: Numbers) -> Numbers:
    """The ids of the documents, texts or numbers, in the shape of the grades.

    >>> as_ids(["d2", "d1"], np.array([3, 0])).tolist()
    ['d2', 'd1']
    """
    ids = _array(values, "ids")
    if ids.shape != grades.shape:
        raise ValueError(f"ids has shape {ids.shape} but grades has {grades.shape}: give each document one id")
    return ids


def as_mask(values: Any, grades: Numbers) -> NDArray[np.bool_]:
    """Which places of the table hold a document.

    >>> as_mask([True, False], np.array([3, 0]))
    array([ True, False])
    """
    mask = _array(values, "mask")
    if mask.dtype != bool or mask.shape != grades.shape:
        raise ValueError(
            f"mask has type {mask.dtype} and shape {mask.shape}: pass True or False for each place of grades, shape"
            f" {grades.shape}, True where there is a document"
        )
    return mask


def as_offsets(values: Any, grades: Numbers) -> NDArray[np.intp]:
    """Where each query begins in a flat list, and the end of the last.

    >>> as_offsets([0, 1, 3], np.array([3, 0, 2]))
    array([0, 1, 3])
    """
    offsets = _array(values, "offsets")
    if grades.ndim != 1:
        raise ValueError("offsets part one flat list: pass grades and scores with one dimension, or mask= for a table")
    if offsets.ndim != 1 or not offsets.size or offsets.dtype.kind not in "iu":
        raise ValueError("offsets must be a list of whole numbers: where each query begins, and the end of the last")
    offsets = offsets.astype(np.intp)
    if offsets[0] != 0 or offsets[-1] != len(grades) or (np.diff(offsets) < 0).any():
        raise ValueError(
            f"offsets go from {offsets[0]} to {offsets[-1]}: they must begin with 0, never fall, and end with the"
            f" number of documents, {len(grades)}"
        )
    return offsets


def _array(values: Any, name: str) -> Numbers:
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has rows of different length: give one value for each place of grades") from None
