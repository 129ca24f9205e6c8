"""What one call of a function gave, a student's or our own, whether two calls gave the same, and values as text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ndcg_course.explain.codec import ODD, decode, encode

SLOW = 0.1  # seconds for one call


@dataclass
class Outcome:
    """A value in plain Python and its type, or the error; and what else was seen."""

    value: Any = None
    type: str = ""
    error: str = ""
    message: str = ""
    says: str | None = None  # the text of an error, to be compared and never told; None where nobody knows it
    line: str = ""
    seconds: float = 0.0
    printed: str = ""
    changed: Any = None  # the arguments as the call left them, where it changed them

    def __post_init__(self) -> None:
        self.type = self.type or type(self.value).__name__

    @property
    def finite(self) -> bool:
        """Whether a value came back that has no nan and no infinity in it.

        >>> Outcome(0.5).finite, Outcome([1, math.nan]).finite, Outcome(error="KeyError").finite
        (True, False, False)
        """
        return not self.error and all_finite(self.value)


def all_finite(value: Any) -> bool:
    """Whether there is a value, without nan or infinity.

    >>> all_finite([1, 2.5]), all_finite([1, math.inf]), all_finite(None)
    (True, False, False)
    """
    if isinstance(value, (list, tuple)):
        return all(map(all_finite, value))
    if isinstance(value, Mapping):
        return all(map(all_finite, value.values()))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is not None and value is not ODD and value is not ...


def seen(value: Any) -> Outcome:
    """The outcome of a call that returned this value: a copy of it in plain Python, and the name of its type.

    >>> from fractions import Fraction
    >>> seen(Fraction(1, 2)).value, seen(Fraction(1, 2)).type
    (0.5, 'fractions.Fraction')
    """
    kind = type(value)
    if kind is float or (kind is int and abs(value) < 2**53):  # nearly always
        return Outcome(value=value, type=kind.__name__)
    coded = encode(value)
    return Outcome(value=decode(coded), type=coded["type"])


def answer(function: Callable[..., Any], args: Sequence[Any]) -> Outcome:
    """What one of our own functions gives for a copy of the arguments.

    >>> answer(sum, [[1, 2]]).value
    3
    """
    copied = json.loads(json.dumps(list(args)))
    try:
        value = function(*copied)
    except (ArithmeticError, ValueError, IndexError, KeyError, TypeError) as error:
        return Outcome(error=type(error).__name__, message=str(error))
    changed = copied if copied != list(args) else None
    return Outcome(value=ODD if value is None else value, type=type(value).__name__, changed=changed)


def different(a: Any, b: Any, least: float) -> bool:
    """Whether two answers are at least so far apart; a list, in one of its places.

    >>> different(0.5, 0.51, 0.005), different([1, 2], [1, 3], 0.0), different("A", "A", 0.0)
    (True, True, False)
    """
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) != len(b) or any(different(x, y, least) for x, y in zip(a, b, strict=True))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) > least
    return bool(a != b)


def unlike(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes differ in a way that a student's check shows."""
    if a.error or b.error or not a.finite or not b.finite:
        return (a.error or a.finite) != (b.error or b.finite)
    return different(a.value, b.value, 1e-5) or (a.changed is None) != (b.changed is None)


def call_text(name: str, args: Sequence[Any]) -> str:
    """The call as one would type it.

    >>> call_text("f", [[1, 2], None])
    'f([1, 2], None)'
    """
    return f"{name}({', '.join(map(repr, args))})"


def show(value: Any, digits: int = 4) -> str:
    """A value for a sentence.

    >>> show(0.65762), show([1, 0.5]), show("A"), show(2.0)
    ('0.6576', '[1, 0.5]', "'A'", '2.0')
    """
    if isinstance(value, list):
        return "[" + ", ".join(show(v, digits) for v in value[:12]) + (", …]" if len(value) > 12 else "]")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {show(v, digits)}" for key, v in value.items()) + "}"
    if not isinstance(value, float) or not math.isfinite(value) or value == int(value):
        return repr(value)
    if abs(value) < 0.001:
        return f"{value:.{digits}g}"
    text = f"{value:.{digits}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def show_both(target: Any, yours: Any) -> tuple[str, str]:
    """Both values, with as many digits as it takes to see the difference.

    >>> show_both(0.65761, 0.65764)
    ('0.65761', '0.65764')
    """
    for digits in range(4, 16):
        left, right = show(target, digits), show(yours, digits)
        if left != right:
            break
    return left, right


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return ", ".join(names[:-1]) + f" {word} {names[-1]}" if len(names) > 1 else names[0]


def described(outcome: Outcome) -> str:
    """What came back, by its type, in words.

    >>> described(Outcome(value=[1, 2], type="list")), described(Outcome(value="0.5", type="str"))
    ('a list of 2', "the text '0.5'")
    """
    value = outcome.value
    if outcome.type == "NoneType":
        return "`None`"
    if value is ...:
        return "`...`"
    if isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, (int, float)):
        return f"the number {value:.6g}"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, list):
        name = {"list": "a list", "tuple": "a tuple", "numpy.ndarray": "an array"}.get(outcome.type)
        return f"{name or of_type(outcome.type)} of {len(value)}"
    if isinstance(value, dict):
        return f"a dictionary of {len(value)}"
    words = {
        "set": "a set (it forgets order and repetitions)",
        "type": "a class",
        "int": "a number too large to compare",
        "function": "a function",
        "coroutine": "a coroutine: leave out `async`",
    }
    if outcome.type in words:
        return words[outcome.type]
    if outcome.type.endswith(("Error", "Exception")):
        return f"{of_type(outcome.type)} where it should be raised: write `raise` in place of `return`"
    return of_type(outcome.type)


def of_type(name: str) -> str:
    """A value by its type; where Python does not bring it along without its name, since no grader lets that through.

    >>> of_type("enumerate"), of_type("__main__.Answer"), of_type("fractions.Fraction")
    ('an enumerate', 'an object of a class of your own', 'an object')
    """
    if name.startswith("__main__."):
        return "an object of a class of your own"
    return with_article("object" if "." in name else name)


def with_article(word: str) -> str:
    """A name with "a" or "an".

    >>> with_article("IndexError"), with_article("set")
    ('an IndexError', 'a set')
    """
    return f"{'an' if word[:1].lower() in 'aeio' or word.startswith('Unb') else 'a'} {word}"
