"""Bad input gets a ValueError that says what, where and what to do. A number is never made from garbage."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.types import Array, Grades, Judged, Value


def as_grades(values: Grades, name: str = "grades", *, allow_negative: bool = False) -> Array:
    """The values as float64 in one or two dimensions, every one a finite grade.

    >>> as_grades([3, 2, 0.6])
    array([3. , 2. , 0.6])
    """
    grades = as_numbers(values, name)
    if not grades.size:
        return grades
    if (not allow_negative and not np.minimum.reduce(grades, axis=None) >= 0) or not math.isfinite(
        np.add.reduce(grades, axis=None)
    ):
        _refuse_grades(grades, name, allow_negative)
    return grades


def as_pool(judged: Judged | None, *, allow_negative: bool = False, beside: Array | None = None) -> Array:
    """The grades of all judged documents, in any order; a mapping from document to grade gives its values.

    >>> as_pool({"d1": 3, "d2": 0})
    array([3., 0.])
    """
    values = list(judged.values()) if isinstance(judged, Mapping) else judged
    pool = as_grades(values if values is not None else [], "judged", allow_negative=allow_negative)
    if beside is not None and (pool.ndim != beside.ndim or pool.shape[:-1] != beside.shape[:-1]):
        raise ValueError(
            f"judged has shape {pool.shape} but grades has {beside.shape}: give one row of judged grades for each"
            " ranking"
        )
    return pool


def as_numbers(values: Any, name: str) -> Array:
    """The values as float64 in one or two dimensions; NaN and infinity are still allowed."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array: pass {name}.compressed(), or ndcg_scores(…, mask=…) for rows")
    try:
        array: NDArray[Any] = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"the rows of {name} differ in length: pass one ranking, or rows of equal length; ndcg_scores takes"
            " ragged rows with mask= or offsets="
        ) from None
    if array.dtype.kind not in "fiub":
        array = _one_by_one(values, array, name)
    if not 1 <= array.ndim <= 2:
        raise ValueError(
            f"{name} has {array.ndim} dimensions: pass a list (one ranking) or a table with a ranking per row"
        )
    return array.astype(np.float64, copy=False)


def as_cutoff(k: Any) -> int | None:
    """The cut-off: None for the whole list, or a whole number from 1.

    >>> as_cutoff(10), as_cutoff(None)
    (10, None)
    """
    if k is None or (type(k) is int and k >= 1):
        return k
    try:
        if isinstance(k, (bool, np.bool_)):
            raise TypeError
        number = operator.index(k)
    except TypeError:
        raise ValueError(f"k is {k!r}, not a whole number: pass how many ranks count, or None for all") from None
    if number < 1:
        raise ValueError(f"k is {number}, but at least one rank must count: pass k >= 1, or None for all")
    return number


def as_base(base: Any) -> float:
    """The base of the logarithm, above 1.

    >>> as_base(10)
    10.0
    """
    if isinstance(base, (int, float, np.number)) and not isinstance(base, bool) and 1 < base < math.inf:
        return float(base)
    raise ValueError(f"base is {base!r}: the base of the logarithm must be a number above 1")


def finite(value: Value) -> Value:
    """A float or an array, or an error where a sum overflowed."""
    if np.ndim(value) == 0:
        if math.isfinite(value):
            return float(value)
    elif np.isfinite(value).all():
        return value
    raise ValueError("the gains are too large to add up: divide the grades by their maximum")


def no_better_than_ideal(returned: Array, ideal: Array) -> None:
    """Refuse a `judged` that lacks returned documents: NDCG would pass 1. Both sides come best first."""
    n = min(returned.shape[-1], ideal.shape[-1])
    if not (returned[..., :n] > ideal[..., :n]).any() and not (returned[..., n:] > 0).any():
        return
    padded = np.zeros_like(returned)
    padded[..., :n] = ideal[..., :n]
    at = np.unravel_index(int(np.argmax(returned > padded)), returned.shape)
    row = f" of row {at[0]}" if returned.ndim == 2 else ""
    raise ValueError(
        f"the returned list{row} is better than its ideal: number {at[-1] + 1} of its gains, best first, is"
        f" {returned[at]:g}; of the judged it is {padded[at]:g}. judged must hold every judged document once, the"
        " returned ones included, and no document may be returned twice"
    )


def _one_by_one(values: Any, array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim == 0:
        kind = type(values).__name__
        raise ValueError(f"{name} is of type {kind}: pass a list of grades in ranked order")
    flat = np.array([_number(v, _at(name, array, i)) for i, v in enumerate(_originals(values, array))])
    return flat.reshape(array.shape)


def _originals(values: Any, array: NDArray[Any]) -> list[Any]:
    """The elements as they came: numpy turns a list with one text in it into texts only."""
    if array.ndim == 1 and isinstance(values, (list, tuple)):
        return list(values)
    return list(array.ravel())


def _number(value: Any, place: str) -> float:
    if not isinstance(value, (str, bytes, complex)):
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{place} is too large for a float: divide the grades by their maximum") from None
        except (TypeError, ValueError):
            pass
    raise ValueError(f"{place} is {value!r}, not a number: give every document a grade, or leave the document out")


def _refuse_grades(grades: Array, name: str, allow_negative: bool) -> None:
    wrong = ~np.isfinite(grades)
    if not allow_negative:
        wrong |= grades < 0
    if not wrong.any():
        return  # finite grades whose sum overflows: the caller's own sum tells
    i = int(np.argmax(wrong))
    value, place = grades.flat[i], _at(name, grades, i)
    if np.isnan(value):
        remedy = "NDCG has no value for an unknown grade: leave the document out, or give it a grade"
    elif np.isinf(value):
        remedy = "a grade must be finite: give it a number"
    else:
        remedy = (
            "a negative grade breaks the bounds 0 and 1: shift the grades so that the worst is 0, or pass"
            " allow_negative=True"
        )
    raise ValueError(f"{place} is {value:g}. {remedy[0].upper()}{remedy[1:]}")


def _at(name: str, array: NDArray[Any], flat_index: int) -> str:
    index = np.unravel_index(flat_index, array.shape)
    return f"{name}[{', '.join(str(int(i)) for i in index)}]"
