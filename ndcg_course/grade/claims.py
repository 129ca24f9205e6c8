"""Lines from a student's process are claims: what in them has the exact form that was agreed becomes an outcome."""

from __future__ import annotations

import builtins
import json
import marshal
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ndcg_course.explain.codec import ODD, decode
from ndcg_course.explain.outcome import Outcome

LONGEST_LINE = 64_000
LONGEST_TOLD = 160  # letters of a line of the student's in a message, as in the check
LONGEST_KEY = 1000  # bytes of a claim that is kept
LIMIT = "its time limit"  # what a call reached that was stopped; else the time of the whole notebook was up
# A name of a class or an error is chosen by the student, and could carry a hidden input out: only known ones pass.
ERRORS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
ERRORS |= {"Stopped", "Unavailable", "LinAlgError", "InvalidOperation", "StatisticsError"}
TYPES = {
    "int", "float", "bool", "str", "list", "tuple", "dict", "NoneType", "ellipsis", "set", "frozenset", "function",
    "generator", "map", "filter", "zip", "range", "type", "complex", "method", "builtin_function_or_method",
    "list_iterator", "reversed", "coroutine", "bytes", "dict_keys", "dict_values", "dict_items", "module", "slice",
    "enumerate", "list_reverseiterator", "tuple_iterator", "bytearray",
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


def known(claim: dict[str, Any]) -> Outcome:
    """The outcome that a line claims; most students claim the same, so that it is kept. It is not to be changed."""
    try:
        key = marshal.dumps(claim, 2)  # 1, 1.0 and True differ
    except ValueError:  # too deep
        return outcome(claim)
    return _kept(key) if len(key) < LONGEST_KEY else outcome(claim)


@lru_cache(maxsize=4096)
def _kept(key: bytes) -> Outcome:
    return outcome(marshal.loads(key))


def openly(claim: Mapping[str, Any], seconds: float) -> Outcome:
    """The same where the inputs are everybody's, and the process has seen no others: the words of an error are told.

    >>> openly({"error": "ValueError", "says": "no grade", "line": "return 1 / x"}, 2).message
    'no grade'
    """
    found = outcome(claim)
    if found.error:
        line = _plain(claim.get("line"))
        if found.error == "EOFError" and "input" in line:
            found.error = "InputAsked"  # as a check says it, which has somebody who could type
        found.line = line if len(line) <= LONGEST_TOLD else line[:LONGEST_TOLD] + " …"
        found.message = f"{seconds:g} s" if found.error == "Stopped" else _plain(found.says)[:200]
    if found.changed is not None and isinstance(left := decode(claim.get("left")), list):
        found.changed = left
    return found


def _plain(told: object) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in told) if type(told) is str else ""


def outcome(claim: Mapping[str, Any]) -> Outcome:
    """The outcome that a line claims. The text of an error may be compared and is never told; no time is taken over.

    >>> outcome({"value": {"type": "int", "number": 3}}).value
    3
    >>> outcome({"error": "ValueError", "message": "[3, 1, 2]"}).message
    ''
    """
    if "error" in claim:
        name = error_name(claim["error"])
        says = claim.get("says")
        said = says if type(says) is str and len(says) <= 500 else None
        return Outcome(error=name, message=LIMIT if name == "Stopped" else "", says=said)
    coded = claim.get("value")
    value = decode(coded)
    told = coded.get("type") if type(coded) is dict and (value is not ODD or len(coded) == 1) else None
    kind = told if type(told) is str else "object"
    if kind.startswith("__main__."):  # a class of the student's
        kind = "__main__.Error" if kind.endswith(("Error", "Exception")) else "__main__.object"
    elif kind not in TYPES | ERRORS and not NUMPY.fullmatch(kind):
        kind = "object"
    found = Outcome(value=value, type=kind)
    found.printed = "x" if claim.get("printed") is True else ""
    found.changed = [] if claim.get("changed") is True else None
    return found
