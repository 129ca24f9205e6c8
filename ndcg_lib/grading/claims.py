"""Lines from a student's process are claims: what in them has the exact form that was agreed becomes an outcome."""

from __future__ import annotations

import builtins
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ndcg_lib.exercises.outcome import ODD, Outcome, from_wire

LONGEST_LINE = 64_000
DEEPEST = 7
# A name of a class or an error is chosen by the student, and could carry a hidden input out: only known ones pass.
ERRORS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
ERRORS |= {"Stopped", "LinAlgError", "InvalidOperation", "StatisticsError"}
TYPES = {
    "int", "float", "bool", "str", "list", "tuple", "dict", "NoneType", "ellipsis", "set", "frozenset", "function",
    "generator", "map", "filter", "zip", "range", "type", "complex", "method", "builtin_function_or_method",
    "list_iterator", "reversed", "bytes", "dict_keys", "dict_values", "dict_items", "module", "slice",
}  # fmt: skip
NUMPY = re.compile(r"numpy\.(ndarray|bool_?|u?int(8|16|32|64)|float(16|32|64|128)|str_?|object)")


def read(line: bytes) -> dict[str, Any]:
    """A line as a dictionary; ValueError where it is anything else.

    >>> read(b'{"ready": true}')
    {'ready': True}
    """
    if len(line) > LONGEST_LINE:
        raise ValueError("a line is too long")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError, MemoryError):
        raise ValueError("a line is no JSON") from None
    if type(message) is not dict:
        raise ValueError("a line is no object")
    return message


def error_name(name: object) -> str:
    """The type of an error, where it is one that everybody has.

    >>> error_name("KeyError"), error_name("[3, 1, 2]")
    ('KeyError', 'Exception')
    """
    return name if isinstance(name, str) and name in ERRORS else "Exception"


def outcome(claim: Mapping[str, Any]) -> Outcome:
    """The outcome that a line claims. Neither text of an error nor time is taken over.

    >>> outcome({"value": {"type": "int", "number": 3}}).value
    3
    >>> outcome({"error": "ValueError", "message": "[3, 1, 2]"})
    Outcome(value=None, type='NoneType', error='ValueError', message='', line='', seconds=0.0, printed='', changed=None)
    """
    if "error" in claim:
        name = error_name(claim["error"])
        return Outcome(error=name, message="its time limit" if name == "Stopped" else "")
    coded = claim.get("value")
    found = from_wire(coded) if isinstance(coded, dict) and _sound(coded, 0) else Outcome(value=ODD, type="object")
    if not (found.type in TYPES or NUMPY.fullmatch(found.type)):
        found.type = "object"
    found.printed = "x" if claim.get("printed") is True else ""
    found.changed = [] if claim.get("changed") is True else None
    return found


def _sound(coded: Any, depth: int) -> bool:
    """Whether a coded value has the agreed form all through."""
    if type(coded) is not dict or depth > DEEPEST or type(coded.get("type")) is not str:
        return False
    if not set(coded) <= {"type", "number", "text", "items", "pairs"} or len(coded) > 2:
        return False
    if "number" in coded:
        number = coded["number"]
        return number in ("nan", "inf", "-inf") if type(number) is str else _small(number)
    if "text" in coded:
        return type(coded["text"]) is str
    if "items" in coded:
        return type(coded["items"]) is list and all(_sound(item, depth + 1) for item in coded["items"])
    if "pairs" in coded:
        pairs = coded["pairs"]
        return type(pairs) is list and all(
            type(pair) is list and len(pair) == 2 and all(_sound(part, depth + 1) for part in pair) for pair in pairs
        )
    return True


def _small(number: Any) -> bool:
    if type(number) is int:
        return abs(number) < 2**53
    return type(number) is bool or (type(number) is float and math.isfinite(number))
