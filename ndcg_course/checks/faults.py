"""One returned value against one target: equal, or what is wrong with it in a sentence."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from ndcg_course.checks.outcome import Outcome

NUMBERS = (int, float)


class Fault(NamedTuple):
    """What is wrong with one answer: a code for the diagnosis, a sentence for the student."""

    code: str
    sentence: str


def fault(outcome: Outcome, target: Outcome, tolerance: float, absolute: float = 0.0) -> Fault | None:
    """What is wrong with an outcome, or None. The sentence goes on after "Your function …".

    >>> fault(Outcome(value=2), Outcome(value=2.0), 1e-9)
    >>> fault(Outcome(type="NoneType"), Outcome(value=2.0), 1e-9).code
    'none'
    """
    if target.error:
        return _unless_raised(outcome, target.error)
    if outcome.error == "Stopped":
        return _stopped(outcome)
    if outcome.error:
        return Fault("error", _raised(outcome))
    return _value_fault(outcome, target.value, tolerance, absolute)


def close(a: Any, b: Any, tolerance: float, absolute: float = 0.0) -> bool:
    """Whether two plain values are equal within the tolerance, part by part. What is not finite is equal to nothing.

    >>> close([1, 0.5], [1.0, 0.5000001], 2e-6), close(math.nan, math.nan, 1), close(1.0, math.inf, 1)
    (True, False, False)
    """
    if type(a) in NUMBERS and type(b) in NUMBERS and a == b:  # nearly always
        return math.isfinite(a)
    if isinstance(b, bool) or isinstance(a, bool):
        return isinstance(a, (bool, int)) and isinstance(b, (bool, int)) and a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= max(absolute, 1e-9, tolerance * abs(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(close(x, y, tolerance, absolute) for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(close(a[key], b[key], tolerance, absolute) for key in b)
    if isinstance(a, str) and isinstance(b, str):
        return a.strip().casefold() == b.strip().casefold()
    return a is None and b is None


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
        name = {"list": "a list", "tuple": "a tuple", "numpy.ndarray": "an array"}.get(
            outcome.type, with_article(outcome.type)
        )
        return f"{name} of {len(value)}"
    if isinstance(value, dict):
        return f"a dictionary of {len(value)}"
    words = {
        "set": "a set (it forgets order and repetitions)",
        "type": "a class",
        "int": "a number too large to compare",
        "function": "a function",
        "generator": "a generator, which holds no values yet",
        "coroutine": "a coroutine: leave out `async`",
    }
    if outcome.type in words:
        return words[outcome.type]
    if outcome.type.endswith(("Error", "Exception")):
        return f"{with_article(outcome.type)} where it should be raised: write `raise` in place of `return`"
    if outcome.type.startswith("__main__."):
        return f"an object of your class {outcome.type.removeprefix('__main__.')}"
    return with_article(outcome.type)


def with_article(word: str) -> str:
    """A name with "a" or "an".

    >>> with_article("IndexError"), with_article("set")
    ('an IndexError', 'a set')
    """
    return f"{'an' if word[:1].lower() in 'aeio' or word.startswith('Unb') else 'a'} {word}"


def _unless_raised(outcome: Outcome, wanted: str) -> Fault | None:
    if outcome.error == wanted:
        return None
    if outcome.error == "Stopped":
        return _stopped(outcome)
    if outcome.type.endswith(("Error", "Exception")):
        return Fault("no-error", f"returns {described(outcome)}")
    got = _plainly_raised(outcome) if outcome.error else f"returns {described(outcome)}"
    return Fault("no-error", f"{got}; {with_article(wanted)} should be raised, because there is no answer")


def _stopped(outcome: Outcome) -> Fault:
    return Fault("loop", f"had not finished after {outcome.message} and was stopped. Does a loop never end?")


def _raised(outcome: Outcome) -> str:
    what = _plainly_raised(outcome)
    if outcome.error == "SystemExit":
        what = "calls exit(); leave with `return`"
    if outcome.error == "RecursionError":
        what = "calls itself without an end (RecursionError)"
    if outcome.error == "InputAsked":
        what = "waits for someone to type, with `input`; use the arguments instead"
    what += f", in the line `{outcome.line}`" if outcome.line else ""
    advice = _advice(outcome)
    return f"{what}. {advice}" if advice else what


def _plainly_raised(outcome: Outcome) -> str:
    return f"raises {outcome.error}" + (f" ({outcome.message})" if outcome.message else "")


_ADVICE = (
    # error, what its message or line holds, advice
    ("UnboundLocalError", "", "Give the name a first value in the function, before it is used"),
    ("NameError", "", "Is the name spelt as where it is made, and was that cell run?"),
    ("ModuleNotFoundError", "", "The task needs nothing that is not installed: plain Python, `math` or numpy do"),
    (
        "AttributeError",
        "has no attribute 'append'",
        "`x.append(…)` changes x and returns `None`: write no `x =` before it",
    ),
    ("ZeroDivisionError", "log", "The logarithm of 1 is 0: which rank is divided by it?"),
    ("ValueError", "math domain", "There is no logarithm of 0 or less: which rank gives that?"),
    ("ValueError", "expected a positive input", "There is no logarithm of 0 or less: which rank gives that?"),
    ("TypeError", "for ^:", "In Python `^` is no power; `**` is"),
    ("TypeError", "'NoneType'", "Something is `None` there: an argument that was left out, or what `x.sort()` returns"),
    ("TypeError", "object is not callable", "Is a name such as `sum` or `list` used for a value, or are [ ] meant?"),
)


def _advice(outcome: Outcome) -> str:
    of_floats = outcome.message.startswith("float") or sys.version_info >= (3, 14)  # which says the same of integers
    told = outcome.message + (outcome.line if of_floats else "")
    return next((advice for error, holds, advice in _ADVICE if outcome.error == error and holds in told), "")


def _value_fault(outcome: Outcome, target: Any, tolerance: float, absolute: float) -> Fault | None:
    value = outcome.value
    if outcome.type == "NoneType":
        advice = "It prints its answer; `return` it too" if outcome.printed else "Is a `return` missing?"
        return Fault("none", f"returns `None`. {advice}")
    if value is ...:
        return Fault("dots", "still returns `...`")
    if isinstance(target, bool):
        if isinstance(value, bool) or (type(value) in (int, float) and value in (0, 1)):
            return None if bool(value) == target else Fault("value", "")
        return Fault("type", f"returns {described(outcome)}; `True` or `False` is asked")
    if isinstance(target, (int, float)):
        if isinstance(value, (bool, str, list, dict)) or not isinstance(value, (int, float)):
            return Fault("type", f"returns {described(outcome)}, but one number is asked{_way_out(outcome, target)}")
        if not math.isfinite(value):
            return Fault(
                "finite", f"returns {value}, which is no number to compare: numpy gives it for a division by 0"
            )
    elif isinstance(target, (list, tuple)):
        return _list_fault(outcome, list(target), tolerance, absolute)
    elif isinstance(target, Mapping):
        if not isinstance(value, Mapping):
            return Fault("type", f"returns {described(outcome)}, but a dictionary is asked")
        if value.keys() != target.keys():
            return Fault("shape", f"returns a dictionary with the keys {_few(value)}; asked are {_few(target)}")
    elif isinstance(target, str) and not isinstance(value, str):
        return Fault("type", f"returns {described(outcome)}, but a text in quotes is asked")
    return None if close(value, target, tolerance, absolute) else Fault("value", "")


def _way_out(outcome: Outcome, target: float) -> str:
    """How the number comes out of what was returned."""
    value = outcome.value
    if isinstance(value, str):
        comma = ", and write the decimals after a point" if "," in value else ""
        return f"; leave out the quotes or the formatting{comma}"
    if outcome.type == "generator":
        return "; `sum(…)` adds it up, and `yield` is no `return`"
    if isinstance(value, list) and value and _is_numeric(value):
        if outcome.type == "tuple" and len(value) == 2 and all(isinstance(item, int) for item in value):
            return "; Python writes decimals after a point, a comma makes two numbers"
        if len(value) == 1:
            return "; the number alone, without brackets or a comma"
        if math.isclose(sum(value), target, rel_tol=1e-6):
            return "; its items add up to the right one"
    return ""


def _list_fault(outcome: Outcome, target: list[Any], tolerance: float, absolute: float) -> Fault | None:
    value = outcome.value
    if not isinstance(value, list):
        advice = "; `list(…)` makes one of it" if outcome.type in _ITERABLE or "iter" in outcome.type else ""
        return Fault("type", f"returns {described(outcome)}, but a list is asked{advice}")
    if len(value) != len(target):
        return Fault("shape", f"returns {described(outcome)}; asked is a list of {len(target)}")
    if close(value, target, tolerance, absolute):
        return None
    flat = [item for item in value if not isinstance(item, list)]
    if any(isinstance(item, float) and not math.isfinite(item) for item in flat):
        odd = next(item for item in flat if isinstance(item, float) and not math.isfinite(item))
        return Fault("finite", f"returns a list with {odd} in it: numpy gives that for a division by 0")
    if target and _is_numeric(target) and not _is_numeric(value):
        return Fault("type", f"returns a list with {_first_other(value)} in it, but a list of numbers is asked")
    if target and all(isinstance(item, str) for item in target) and not all(isinstance(item, str) for item in value):
        other = next(item for item in value if not isinstance(item, str))
        return Fault("type", f"returns a list with {_of_kind(other)} in it, but a list of texts is asked")
    if _sorted(value) is not None and close(_sorted(value), _sorted(target), tolerance, absolute):
        backwards = close(value[::-1], target, tolerance, absolute)
        return Fault("order", f"returns the right values in {'the reverse' if backwards else 'another'} order")
    return Fault("value", "")


_ITERABLE = (
    "generator",
    "map",
    "zip",
    "filter",
    "enumerate",
    "dict_keys",
    "dict_values",
    "itertools.accumulate",
    "pandas.Series",
)


def _first_other(values: list[Any]) -> str:
    return _of_kind(next(v for v in values if isinstance(v, bool) or not isinstance(v, (int, float))))


def _of_kind(item: Any) -> str:
    """One item of a list, in words."""
    if isinstance(item, (int, float, str)):
        return f"`{item!r}`"
    return {list: "a pair or list", dict: "a dictionary", type(None): "`None`"}.get(type(item), "something else")


def _is_numeric(values: list[Any]) -> bool:
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _sorted(values: list[Any]) -> list[Any] | None:
    try:
        return sorted(values)
    except TypeError:
        return None


def _few(keys: Mapping[Any, Any]) -> str:
    names = [repr(key) for key in list(keys)[:6]]
    return ", ".join(names) + (", …" if len(keys) > 6 else "") if names else "none"
