"""A returned value as plain JSON that keeps its type: what passes from the student's side to the judge.

Only the standard library is needed, so that a grader can run this file where nothing else of the kit is.
"""

from __future__ import annotations

import math
from typing import Any

LONGEST = 2000  # of a text, in characters, and of a list, in items


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
    if value is None or value is ... or depth > 4:
        return coded
    if isinstance(value, str):
        return coded | {"text": str(value)[:LONGEST]}
    if isinstance(value, dict):
        pairs = list(value.items())[:LONGEST]
        return coded | {"pairs": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in pairs]}
    if isinstance(value, (list, tuple)):
        return coded | {"items": [encode(item, depth + 1) for item in value[:LONGEST]]}
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
