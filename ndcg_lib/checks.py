"""Bad input gets a ValueError that says what, where and what to do. A number is never made from garbage."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.types import Array, Grades, Judged, Value

TOO_LARGE = "the gains are too large to add up: divide the grades by their maximum"


def as_grades(values: Grades, name: str = "grades", *, allow_negative: bool = False) -> Array:
    """The values as float64 in one or two dimensions, every one a finite grade.

    >>> as_grades([3, 2, 0.6])
    array([3. , 2. , 0.6])
    """
    grades = as_numbers(values, name)
    if not grades.size:
        return grades
    lowest, highest = np.minimum.reduce(grades, axis=None), np.maximum.reduce(grades, axis=None)
    if not (lowest >= 0 or (allow_negative and lowest > -math.inf)) or not highest < math.inf:
        _refuse_grades(grades, name, allow_negative)
    return grades


def as_pool(judged: Judged | None, *, allow_negative: bool = False, beside: Array | None = None) -> Array:
    """The grades of all judged documents, in any order; a mapping from document to grade gives its values.

    >>> as_pool({"d1": 3, "d2": 0})
    array([3., 0.])
    """
    values: Any = list(judged.values()) if isinstance(judged, Mapping) else judged
    pool = as_grades(values, "judged", allow_negative=allow_negative)
    if beside is not None and (pool.ndim != beside.ndim or pool.shape[:-1] != beside.shape[:-1]):
        raise ValueError(
            f"judged has shape {pool.shape} but grades has {beside.shape}: give one row of judged grades for each"
            " ranking"
        )
    if allow_negative and beside is not None:
        unjudged = beside.min(axis=-1, initial=0) < pool.min(axis=-1, initial=0)
        if unjudged.any():
            raise ValueError(
                "grades holds a negative grade that judged lacks: judged must hold every judged document, the returned"
                " ones included"
            )
    return pool


def as_numbers(values: Any, name: str) -> Array:
    """The values as float64 in one or two dimensions; NaN and infinity are still allowed.

    >>> as_numbers([True, 2.5], "grades")
    array([1. , 2.5])
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array: pass {name}.compressed(), with offsets= of ndcg_scores for rows")
    try:
        array: NDArray[Any] = np.asarray(values)
    except Exception as error:  # an array-like may raise anything
        if "inhomogeneous" not in str(error):
            raise ValueError(f"{name} cannot be read as a list of grades: {_words(error)}") from error
        raise ValueError(
            f"the rows of {name} differ in length: pass one ranking, or rows of equal length; ndcg_scores takes"
            " ragged rows one after another, with offsets="
        ) from None
    if array.ndim == 0:
        raise ValueError(f"{name} is of type {type(values).__name__}: pass a list with a grade per document")
    if array.ndim > 2:
        raise ValueError(
            f"{name} has {array.ndim} dimensions: pass a list (one ranking) or a table with a ranking per row"
        )
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        return _one_by_one(values, array, name)
    return array.astype(np.float64, copy=False)


def as_cutoff(k: Any) -> int | None:
    """The cut-off: None for the whole list, or a whole number from 1.

    >>> as_cutoff(10), as_cutoff(None)
    (10, None)
    """
    if k is None or (type(k) is int and k >= 1):
        return k
    number = _whole("k", k, "pass how many ranks count, or None for all")
    if number < 1:
        raise ValueError(f"k is {number}, but at least one rank must count: pass k >= 1, or None for all")
    return number


def as_length(n: Any) -> int:
    """A number of ranks: a whole number from 0.

    >>> as_length(10)
    10
    """
    number = _whole("n", n, "pass the number of ranks")
    if number < 0:
        raise ValueError(f"n is {number}: the number of ranks cannot be below 0")
    return number


def as_number(value: Any) -> float | None:
    """A real number of any type as a float, or None if it is none. Text is never read as a number.

    >>> from fractions import Fraction
    >>> as_number(Fraction(1, 4)), as_number("3")
    (0.25, None)
    """
    if isinstance(value, _NO_NUMBERS) or (isinstance(value, np.ndarray) and value.ndim):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except Exception:  # whatever its __float__ raises, it is no number
        return None


def in_single(scores: Any) -> Array:
    """Scores as single precision keeps them. What it cannot hold is infinite.

    >>> in_single([1, 1 + 1e-9, -1e300]).tolist()
    [1.0, 1.0, -inf]
    """
    with np.errstate(over="ignore"):
        return np.asarray(scores, dtype=np.float64).astype(np.float32).astype(np.float64)


def shown(value: Any) -> str:
    """A value for an error message: in one line, and not too long.

    >>> shown(3.0), shown(0.1 + 0.2), shown("exp")
    ('3', '0.30000000000000004', "'exp'")
    """
    try:
        if isinstance(value, (float, np.floating)):
            short = f"{value:g}"
            return short if float(short) == value or value != value else repr(float(value))
        plain = value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufcUS" else value
        text = " ".join(repr(plain).split())
    except Exception:  # a broken __repr__ must not hide what is wrong
        text = f"of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def finite(value: Value) -> Value:
    """A float or an array, or an error where a sum overflowed.

    >>> finite(np.float64(2.5))
    2.5
    """
    if np.ndim(value) == 0:
        if math.isfinite(value):
            return float(value)
    elif np.isfinite(value).all():
        return value
    raise ValueError(TOO_LARGE)


def defined(dcg: Value, idcg: Value, empty: Any) -> None:
    """Refuse a quotient that means nothing: of sums that overflowed, of a negative ideal, of an ideal of 0 if asked so.

    >>> defined(np.float64(1.0), np.float64(2.0), None)
    """
    if not (np.isfinite(dcg).all() and np.isfinite(idcg).all()):
        raise ValueError(TOO_LARGE)
    if (idcg < 0).any():
        first = np.atleast_1d(idcg)[np.atleast_1d(idcg) < 0][0]
        raise ValueError(
            f"the ideal DCG{_of_row(idcg < 0)} is below 0 ({first:g}), so DCG / IDCG measures nothing:"
            " shift or clip the negative grades"
        )
    if getattr(empty, "key", None) == "raise" and (idcg == 0).any():
        raise ValueError(
            f"no judged document{_of_row(idcg == 0)} has a gain, so NDCG is undefined: drop the query, or pass"
            " empty=0.0, 1.0, nan or 'skip'"
        )


def _of_row(wrong: Any) -> str:
    return f" of row {int(np.argmax(wrong))}" if np.size(wrong) > 1 else ""


def no_better_than_ideal(returned: Array, best: Array) -> None:
    """Refuse a `judged` that lacks returned documents: NDCG could pass 1. `best` holds the judged gains, best first.

    >>> no_better_than_ideal(np.array([0.0, 3.0]), np.array([3.0, 1.0]))
    """
    returned, judged = np.sort(returned)[..., ::-1], np.zeros_like(returned)
    n = min(returned.shape[-1], best.shape[-1])
    judged[..., :n] = best[..., :n]
    too_good = returned > judged
    if not too_good.any():
        return
    at = np.unravel_index(int(np.argmax(too_good)), returned.shape)
    row = f" of row {at[0]}" if returned.ndim == 2 else ""
    raise ValueError(
        f"the returned list{row} is better than its ideal: number {at[-1] + 1} of its gains, best first, is"
        f" {shown(returned[at])}; of the judged it is {shown(judged[at])}. judged must hold every judged document"
        " once, the returned ones included, and no document may be returned twice"
    )


_NO_NUMBERS = (str, bytes, bytearray, complex, np.complexfloating, np.timedelta64, np.datetime64)


def _one_by_one(values: Any, array: NDArray[Any], name: str) -> Array:
    """Fractions, decimals, huge integers, and what is no number."""
    # numpy turns a list with one text in it into texts: the message must show what was really given
    originals = np.asarray(values, dtype=object) if array.dtype.kind in "OSUc" else array
    flat = (originals if originals.shape == array.shape else array).ravel()
    grades = np.array([_grade(value, _at(name, array, i)) for i, value in enumerate(flat)], dtype=np.float64)
    return grades.reshape(array.shape)


def _grade(value: Any, place: str) -> float:
    number = as_number(value)
    if number is None:
        raise ValueError(
            f"{place} is {shown(value)}, not a number: give every document a grade, or leave the document out"
        )
    if math.isinf(number) and not isinstance(value, float):
        raise ValueError(f"{place} is too large for a float: divide the grades by their maximum")
    return number


def _whole(name: str, value: Any, remedy: str) -> int:
    message = f"{name} is {shown(value)}, not a whole number: {remedy}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except Exception:  # whatever its __index__ raises, it is no whole number
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            message = f"{name} is {float(value)!r}: pass it without the decimal point, {int(value)}"
        raise ValueError(message) from None


def _refuse_grades(grades: Array, name: str, allow_negative: bool) -> None:
    wrong = ~np.isfinite(grades)
    if not allow_negative:
        wrong |= grades < 0
    i = int(np.argmax(wrong))
    value, place = grades.flat[i], _at(name, grades, i)
    if np.isnan(value):
        remedy = "NDCG has no value for an unknown grade: leave the document out, or give it a grade"
    elif np.isinf(value):
        remedy = "A grade must be finite: give it a number"
    else:
        remedy = (
            "A negative grade breaks the bounds 0 and 1: shift the grades so that the worst is 0, or pass"
            " allow_negative=True"
        )
    raise ValueError(f"{place} is {value:g}. {remedy}")


def _at(name: str, array: NDArray[Any], flat_index: int) -> str:
    index = np.unravel_index(flat_index, array.shape)
    return f"{name}[{', '.join(str(int(i)) for i in index)}]"


def _words(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
