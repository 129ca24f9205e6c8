"""A returned value as plain JSON that keeps its type, and back: what passes from the student's side to the judge.

Only the standard library is needed, so that a grader can run this file where nothing else of the kit is. What comes
back from there is a claim: `decode` takes exactly the forms that `encode` makes, and everything else is `ODD`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, KeysView, ValuesView
from itertools import islice
from typing import Any

LONGEST = 2000  # of a text, in characters, and of a list, in items
DEEPEST = 5  # of a list in a list in a list


class Odd:
    """Stands for a value of a type that no task asks for. It equals nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "…"


ODD = Odd()


def encode(value: Any, depth: int = 0) -> dict[str, Any]:
    """The value as {"type": …} and one of "number", "text", "items", "pairs"; nothing more for other types.

    >>> encode(0.5), encode([1, "a"])["items"]
    ({'type': 'float', 'number': 0.5}, [{'type': 'int', 'number': 1}, {'type': 'str', 'text': 'a'}])
    >>> encode(float("nan")), encode(None)
    ({'type': 'float', 'number': 'nan'}, {'type': 'NoneType'})
    """
    kind = type(value)
    if (kind is float and math.isfinite(value)) or (kind is int and -(2**53) < value < 2**53):  # nearly always
        return {"type": kind.__name__, "number": value}
    coded: dict[str, Any] = {
        "type": kind.__name__ if kind.__module__ == "builtins" else f"{_package(kind)}.{kind.__name__}"
    }
    if value is None or value is ... or depth >= DEEPEST:
        return coded
    if isinstance(value, str):
        return coded | {"text": str(value)[:LONGEST]}
    if isinstance(value, dict):
        pairs = list(value.items())[:LONGEST]
        return coded | {"pairs": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in pairs]}
    if isinstance(value, (list, tuple, Iterator, KeysView, ValuesView)):  # a generator gives its items in order, too
        return coded | {"items": [encode(item, depth + 1) for item in islice(value, LONGEST)]}
    if _package(kind) == "numpy" and hasattr(value, "tolist"):
        plain = value.tolist()
        if getattr(value, "ndim", 0):
            return coded | {"items": [encode(item, depth + 1) for item in plain[:LONGEST]]}
        inner = encode(plain, depth + 1)
        return (
            inner | {"type": f"numpy.{getattr(value, 'dtype', kind.__name__)}"}
            if not isinstance(plain, bool)
            else inner
        )
    number = _number(value)
    return coded if number is None else coded | {"number": number}


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _number(value: Any) -> Any:
    """A bool, an int of reasonable size, a float, or the name of what is not finite; None where it is no number."""
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**53):
        return value if type(value) in (bool, int) else int(value)
    try:
        number = float(value) if hasattr(type(value), "__float__") or isinstance(value, int) else None
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number is None or math.isfinite(number) else str(number)


def decode(coded: Any) -> Any:
    """The plain value that was coded; ODD, where it is not in the form that `encode` makes.

    >>> decode(encode([1, math.inf, {"a": None}])), decode({"number": 1}), decode(encode({1, 2}))
    ([1, inf, {'a': None}], …, …)
    """
    try:
        return _decoded(coded, 0)
    except _Unsound:
        return ODD


class _Unsound(Exception):
    """A coded value has not the agreed form."""


def _decoded(coded: Any, depth: int) -> Any:
    if type(coded) is not dict or depth > DEEPEST + 1 or type(coded.get("type")) is not str or len(coded) > 2:
        raise _Unsound
    if len(coded) == 1:
        return {"NoneType": None, "ellipsis": ...}.get(coded["type"], ODD)
    form, value = next((form, value) for form, value in coded.items() if form != "type")
    if form == "number":
        return _sound(value)
    if form == "text" and type(value) is str:
        return value
    if form == "items" and type(value) is list:
        return [_decoded(item, depth + 1) for item in value]
    if form == "pairs" and type(value) is list and all(type(pair) is list and len(pair) == 2 for pair in value):
        pairs = [(_decoded(key, depth + 1), _decoded(item, depth + 1)) for key, item in value]
        return {key if isinstance(key, (str, int, float)) else repr(key): item for key, item in pairs}
    raise _Unsound


def _sound(number: Any) -> Any:
    if type(number) is bool or (type(number) is int and abs(number) < 2**53):
        return number
    if type(number) is float and math.isfinite(number):
        return number
    if type(number) is str and number in ("nan", "inf", "-inf"):
        return float(number)
    raise _Unsound
