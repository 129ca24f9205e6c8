"""The choices a caller can make: gain, discount, empty, and the convention that bundles them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Literal, NoReturn, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ndcg_lib.checks import as_number, shown
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
ALSO_CALLED: dict[str, dict[str, str]] = {
    "gain": {"2^g-1": "exponential", "2^rel-1": "exponential", "burges": "exponential", "power": "exponential",
             "identity": "linear", "raw": "linear", "presence": "binary", "bool": "binary"},
    "discount": {"log": "modern", "log2": "modern", "ln": "modern", "logarithmic": "modern", "burges": "modern",
                 "jarvelin": "original", "jarvelin-kekalainen": "original", "1/i": "reciprocal",
                 "inverse": "reciprocal", "zipf": "reciprocal", "uniform": "none", "flat": "none"},
    "ideal": {"all": "judged", "corpus": "judged", "qrels": "judged", "list": "returned", "retrieved": "returned"},
    "ties": {"mean": "average", "expected": "average", "input": "order", "stable": "order", "docno": "id-descending"},
    "empty": {"drop": "skip", "ignore": "skip", "nan": "skip", "error": "raise"},
    "missing": {"0": "zero", "drop": "skip", "ignore": "skip", "error": "raise"},
    "averaging": {"average": "mean", "macro": "mean"},
}  # fmt: skip
ALSO = {"gain": ", a mapping from grade to gain, or a function", "discount": ", or a function of the rank",
        "empty": ", or the number that stands for such a query (0.0, 1.0, nan)"}  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")


def as_choice(choice: str, given: Any) -> str:
    """The name of a choice, if there is one of that name.

    >>> as_choice("ideal", "judged")
    'judged'
    """
    if isinstance(given, str) and given in NAMES[choice]:
        return given
    unknown(choice, given)


def unknown(choice: str, given: object) -> NoReturn:
    """Refuse a name that no choice has, with the names that there are and the one that was probably meant."""
    near = nearest(given, NAMES[choice], ALSO_CALLED.get(choice, {}))
    guess = f" Did you mean {near!r}?" if near else ""
    names = ", ".join(map(repr, NAMES[choice]))
    raise ValueError(f"{choice} is {shown(given)}.{guess} It can be {names}{ALSO.get(choice, '')}")


def nearest(given: object, names: Iterable[str], also_called: Mapping[str, str]) -> str | None:
    """The name that was probably meant: by another name of the same thing, by its beginning, or by its letters.

    >>> nearest("exp", NAMES["gain"], {}), nearest("log", NAMES["discount"], {"log": "modern"})
    ('exponential', 'modern')
    """
    import difflib

    word = "none" if given is None else str(given).strip().lower() if isinstance(given, str) else ""
    if not word:
        return None
    names = list(names)
    beginnings = [name for name in names if name.startswith(word) or word.startswith(name)]
    by_letters = difflib.get_close_matches(word[:80], names, n=1)
    return next(iter([*filter(None, [also_called.get(word)]), *beginnings, *by_letters]), None)


def as_empty(empty: Empty) -> float:
    """The number that stands for a query without any gain; a skipped or refused query has none, so nan.

    >>> as_empty(0.0), as_empty("skip")
    (0.0, nan)
    """
    if isinstance(empty, str):
        return math.nan if empty in ("skip", "raise") else unknown("empty", empty)
    number = None if isinstance(empty, (bool, np.bool_)) else as_number(empty)
    return unknown("empty", empty) if number is None or math.isinf(number) else number


def check_gain(gain: Any) -> None:
    """Refuse what is neither the name of a gain nor a mapping nor a function.

    >>> check_gain({0: 0, 1: 10})
    """
    if not (isinstance(gain, Mapping) or callable(gain)):
        as_choice("gain", gain)


def check_discount(discount: Any) -> None:
    """Refuse what is neither the name of a discount nor a function.

    >>> check_discount(lambda i: 1 / i)
    """
    if not callable(discount):
        as_choice("discount", discount)


def by_function(grades: Array, gain: Gain, allow_negative: bool = True) -> Array:
    """The gains by a mapping or a function, asked once for each grade.

    >>> by_function(np.array([2.0, 0.0]), {0: 0, 1: 1, 2: 10})
    array([10.,  0.])
    """
    check_gain(gain)
    flat = grades.ravel().tolist()
    gain_of = {}
    for number, grade in enumerate(flat):
        if grade not in gain_of:
            gain_of[grade] = _gain_of(grade, gain, _place(number, grades), allow_negative)
    return np.array([gain_of[grade] for grade in flat], dtype=np.float64).reshape(grades.shape)


def by_rank(n: int, discount: Discount) -> Array:
    """The discounts of ranks 1 to n by a function: above 0 at rank 1, and never growing.

    >>> by_rank(3, lambda i: 0.5 ** (i - 1))
    array([1.  , 0.5 , 0.25])
    """
    check_discount(discount)
    d = [_result_of(discount, i, f"the discount at rank {i}") for i in range(1, n + 1)]
    for i, (before, here) in enumerate(zip([math.inf, *d], d, strict=False), 1):
        if here < 0 or (here == 0 and i == 1):
            raise ValueError(
                f"the discount at rank {i} is {shown(here)}: it must be above 0 at rank 1, then at least 0"
            )
        if here > before * (1 + 1e-12):
            raise ValueError(
                f"the discount grows from {shown(before)} at rank {i - 1} to {shown(here)} at rank {i}: a later rank"
                " must not count more than an earlier one, or the best documents first are not the ideal order"
            )
    return np.array(d, dtype=np.float64)


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


def _gain_of(grade: float, gain: Any, place: str, allow_negative: bool) -> float:
    what = f"the gain of grade {shown(grade)} ({place})"
    if not isinstance(gain, Mapping):
        value = _result_of(gain, grade, what)
    elif grade in gain:
        value = _finite(gain[grade], what)
    else:
        known = ", ".join(map(shown, gain))
        raise ValueError(
            f"the gain mapping has no grade {shown(grade)} ({place}), it knows {known}: add this grade to it"
        )
    if value < 0 <= grade and not allow_negative:
        raise ValueError(
            f"{what} is {shown(value)}. A negative gain breaks the bounds 0 and 1: give gains from 0, or pass"
            " allow_negative=True"
        )
    return value


def _place(number: int, grades: Array) -> str:
    row, column = divmod(number, grades.shape[-1])
    return f"number {column + 1} of its list" if grades.ndim == 1 else f"number {column + 1} of row {row}"


def _result_of(function: Any, argument: float, what: str) -> float:
    try:
        value = function(argument)
    except Exception as error:
        raise ValueError(f"{what} cannot be computed: the function raises {type(error).__name__}: {error}") from error
    return _finite(value, what, " (is a return missing?)" if value is None else "")


def _finite(value: Any, what: str, hint: str = "") -> float:
    number = as_number(value)
    if number is None or not math.isfinite(number):
        raise ValueError(f"{what} is {shown(value)}: it must be a finite number{hint}")
    return number
