"""Inputs and values as text, short and with as many digits as it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ndcg_course.explain.outcome import Outcome


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
    return f"{value:.{digits}f}".rstrip("0") if abs(value) >= 0.001 else f"{value:.{digits}g}"


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
