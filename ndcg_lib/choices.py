"""The choices a caller can make: gain, discount, empty, and the convention that bundles them."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Literal, NoReturn, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ndcg_lib.types import Array

Gain: TypeAlias = Literal["linear", "exponential", "binary"] | str | Mapping[Any, float] | Callable[[float], float]
Discount: TypeAlias = Literal["modern", "original", "reciprocal", "none"] | str | Callable[[int], float]
Empty: TypeAlias = float | Literal["skip", "raise"] | str
Ties: TypeAlias = Literal["average", "order", "reverse", "best", "worst", "id", "id-descending"] | str

NAMES: dict[str, tuple[str, ...]] = {
    "gain": ("linear", "exponential", "binary"),
    "discount": ("modern", "original", "reciprocal", "none"),
    "ideal": ("judged", "returned"),
    "ties": ("average", "order", "reverse", "best", "worst", "id", "id-descending"),
    "empty": ("skip", "raise"),
    "missing": ("zero", "skip", "raise"),
    "averaging": ("mean",),
}
ALSO = {"gain": ", a mapping from grade to gain, or a function", "discount": ", or a function of the rank",
        "empty": ", or the number that stands for such a query (0.0, 1.0, nan)"}  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")


def unknown(choice: str, given: object) -> NoReturn:
    """Refuse a name that no choice has, with the names that there are."""
    names = NAMES[choice]
    near = difflib.get_close_matches(str(given), names, n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{choice} is {given!r}.{guess} It can be {', '.join(map(repr, names))}{ALSO.get(choice, '')}")


def as_empty(empty: Empty) -> float:
    """The number that stands for a query without any gain; a skipped query has none, so nan.

    >>> as_empty(0.0), as_empty("skip")
    (0.0, nan)
    """
    if empty == "skip":
        return math.nan
    if isinstance(empty, (int, float, np.number)) and not isinstance(empty, bool) and not math.isinf(empty):
        return float(empty)
    unknown("empty", empty)


def by_function(grades: Array, gain: Gain) -> Array:
    """The gains by a mapping or a function, asked once for each grade.

    >>> by_function(np.array([2.0, 0.0]), {0: 0, 1: 1, 2: 10})
    array([10.,  0.])
    """
    if isinstance(gain, str) or not (callable(gain) or isinstance(gain, Mapping)):
        unknown("gain", gain)
    flat = grades.ravel().tolist()
    value_of = {grade: _gain_of(grade, gain, flat) for grade in dict.fromkeys(flat)}
    return np.array([value_of[grade] for grade in flat], dtype=np.float64).reshape(grades.shape)


def by_rank(n: int, discount: Callable[[int], float]) -> Array:
    """The discounts of ranks 1 to n by a function.

    >>> by_rank(3, lambda i: 0.5 ** (i - 1))
    array([1.  , 0.5 , 0.25])
    """
    return np.array([_finite(discount(i), f"the discount at rank {i}") for i in range(1, n + 1)], dtype=np.float64)


def follows_convention(function: Callable[P, R]) -> Callable[P, R]:
    """Let `convention=` fill in every keyword (and k) that the caller did not give.

    A keyword that is given beside a convention wins over it.
    """
    parameters = list(inspect.signature(function).parameters)
    accepted = frozenset(parameters)
    k_position = parameters.index("k")

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        given = keywords.pop("convention", None) if keywords else None
        if given is not None:
            from ndcg_lib.convention import as_convention

            chosen = {name: value for name, value in as_convention(given).choices().items() if name in accepted}
            if len(args) > k_position:
                del chosen["k"]
            keywords = chosen | keywords
        return function(*args, **keywords)

    return call


def _gain_of(grade: float, gain: Mapping[Any, float] | Callable[[float], float], flat: list[float]) -> float:
    place = f"grades[{flat.index(grade)}] is {grade:g}"
    if callable(gain):
        return _finite(gain(grade), f"{place}, and its gain")
    if grade not in gain:
        known = ", ".join(f"{key:g}" if isinstance(key, (int, float)) else repr(key) for key in gain)
        raise ValueError(f"{place}, but the gain mapping knows only {known}: add this grade to it")
    return _finite(gain[grade], f"{place}, and its gain")


def _finite(value: Any, what: str) -> float:
    if isinstance(value, (int, float, np.number)) and math.isfinite(value):
        return float(value)
    raise ValueError(f"{what} is {value!r}: it must be a finite number")
