"""Ids of documents: the order that they give, and the id that is there twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def by_id(ids: NDArray[Any]) -> NDArray[np.intp]:
    """The positions of the documents of each row in the order of their ids.

    >>> by_id(np.array([["d2", "d10", "d1"]]))
    array([[2, 1, 0]])
    """
    try:
        return np.argsort(ids, axis=1)
    except TypeError:
        raise ValueError("the ids cannot be put in order: pass texts only, or numbers only") from None


def repeated(ids: NDArray[Any], order: NDArray[np.intp]) -> tuple[int, int, int] | None:
    """The first row that has an id twice, and the two positions.

    >>> repeated(np.array([["d1", "d2", "d1"]]), np.array([[0, 2, 1]]))
    (0, 0, 2)
    """
    ordered = np.take_along_axis(ids, order, axis=1)
    twice = np.argwhere(ordered[:, 1:] == ordered[:, :-1])
    if not len(twice):
        return None
    row, place = twice[0]
    first, second = sorted(order[row, place : place + 2].tolist())
    return int(row), first, second
