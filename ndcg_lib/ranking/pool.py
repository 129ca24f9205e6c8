"""The judged grades of every query, more for one and fewer for another, for the ideal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import as_pool
from ndcg_lib.choices import Gain
from ndcg_lib.ranking.blocks import Rows
from ndcg_lib.ranking.worth import gains_once
from ndcg_lib.types import Array


@dataclass(frozen=True, eq=False)
class Pool:
    """The judged grades of all queries in one flat list, and where each query begins."""

    grades: Array
    offsets: NDArray[np.intp]

    @staticmethod
    def of(judged: Any, rows: int, single: bool, allow_negative: bool = False) -> Pool:
        """The pool of a table or a list of lists, one per query; for a single ranking, of one list.

        >>> Pool.of([[3, 1, 1], {"d1": 2}], rows=2, single=False).offsets
        array([0, 3, 4])
        """
        if isinstance(judged, np.ndarray) and judged.ndim == 2 and len(judged) == rows and not single:
            table = as_pool(judged, allow_negative=allow_negative)
            return Pool(table.ravel(), np.arange(rows + 1) * table.shape[1])
        if not single and (isinstance(judged, (str, bytes, Mapping)) or not np.iterable(judged)):
            raise ValueError(f"judged is of type {type(judged).__name__}: give a list of judged grades for each query")
        lists = [judged] if single else list(judged)
        if len(lists) != rows:
            raise ValueError(
                f"judged has {len(lists)} rows but there are {rows} queries: give a list of judged grades for"
                " each query"
            )
        pools = [_row_of(part, "" if single else f"row {row}: ", allow_negative) for row, part in enumerate(lists)]
        return Pool(np.concatenate([np.empty(0), *pools]), np.cumsum([0, *map(len, pools)]))

    @property
    def lengths(self) -> NDArray[np.intp]:
        """How many judged documents each query has."""
        return np.diff(self.offsets)

    def block(self, rows: Rows) -> tuple[Array, NDArray[np.bool_]]:
        """The grades of some queries in a table, filled up with 0; and where there is a document."""
        starts, ends = self.offsets[:-1][rows], self.offsets[1:][rows]
        places = starts[:, None] + np.arange((ends - starts).max(initial=0))
        there = places < ends[:, None]
        grades = np.zeros(places.shape)
        grades[there] = self.grades[places[there]]
        return grades, there

    def row(self, row: int) -> Array:
        """The judged grades of one query."""
        return self.grades[self.offsets[row] : self.offsets[row + 1]]


def best_first(grades: Array, there: NDArray[np.bool_], gain: Gain, shift: Any, allow_negative: bool) -> Array:
    """The gains of a block of a pool, each row best first and then 0.

    >>> best_first(np.array([[1.0, 3.0], [2.0, 0.0]]), np.array([[True, True], [True, False]]), "linear", 0.0, False)
    array([[3., 1.],
           [2., 0.]])
    """
    values = np.full(grades.shape, -np.inf)
    if isinstance(gain, str):
        np.copyto(values, gains_once(grades, gain, shift), where=there)
    else:
        values[there] = gains_once(grades[there], gain, allow_negative=allow_negative)
    values = np.sort(values, axis=1)[:, ::-1]
    return np.where(np.isneginf(values), 0.0, values)


def no_better(returned: Array, best: Array) -> None:
    """Refuse a block of which some returned list is better than its ideal; both come best first.

    >>> no_better(np.array([[2.0, 0.0]]), np.array([[3.0]]))
    """
    both = min(returned.shape[1], best.shape[1])
    if (returned[:, :both] > best[:, :both]).any() or (returned[:, both:] > 0).any():
        raise ValueError("a returned list is better than its ideal")


def _row_of(judged: Any, place: str, allow_negative: bool) -> Array:
    try:
        pool = as_pool(judged, allow_negative=allow_negative)
        if pool.ndim != 1:
            raise ValueError(f"judged has shape {pool.shape}: pass one list of judged grades for one ranking")
    except ValueError as error:
        raise ValueError(f"{place}{error}") from None
    return pool
