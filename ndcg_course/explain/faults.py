"""What can be wrong with an answer, in one vocabulary for check and grader: one value against its target, or all."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ndcg_course.explain.outcome import Outcome, described, show, with_article
from ndcg_course.tasks.task import Case

NUMBERS = (int, float)


FAULTS = {
    "none": "Your function returns `None`. {Is a `return` missing?}",
    "dots": "Your function still returns `...`.",
    "type": "Your function returns {another type than the one asked, for at least one input}.",
    "finite": "Your function returns {a value that is no finite number, for at least one input}.",
    "loop": "Your function had not finished in its time, and was stopped. Does a loop never end?",
    "slow": "Your function is right for short lists, and a long one takes too much time. Does it try all orders?",
    "no-error": "Your function {returns something where there is no answer; an error is asked there}.",
    "unnamed": "Your function {raises an error that does not name its cause}. Write what is wrong into its text.",
    "shape": "Your function returns {a list of another length than the one asked}.",
    "order": "Your function returns the right values in {another} order.",
    "state-kept": "Your function gives different values for the same call{}. Does it draw at random, or does a global,"
    " or a default such as `total=[]`, live on from call to call?",
    "input-changed": "Your answers are right, but the function changes what it is given{}."
    " {`sorted(x)` makes a new list; `x.sort()`, `x.reverse()` and `x.pop()` change x.}",
    "rounded": "Your numbers are right, but rounded{}. Return all digits; round when you print.",
    "cut-short": "Your numbers are right, but cut {off}. Return all digits; `int` and `//` drop them.",
    "percent": "Your numbers are percentages; the share itself is asked, 0.5 and not 50.",
    "sign": "Your numbers have the wrong sign: each is minus the target.",
    "sign-in-places": "Your numbers are right but for their sign, which is wrong in some places.",
    "factor": "Each of your numbers is {the same factor} times the target.",
    "shifted": "Each of your numbers is {the same amount away from} the target.",
    "one-minus": "Your numbers are 1 minus the target: what is missing, not what is there.",
    "inverse": "Your numbers are 1 divided by the target. Is a quotient upside down, or a bracket missing?",
    "unlike-sides": "{List and ideal follow two definitions}: compute both alike.",
    "thought": "{A small change in one line makes} your answers right.",
    "line": "{A small change in one line makes} your answers right.",
    "changed-in-loop": "A loop runs over {a list} and changes it at the same time, so that it jumps over items. Let it"
    " run over a copy, as in `for item in list(items)`.",
    "return-in-loop": "A loop ends in its first round, because a `return` stands in it{}. Is it indented too far?",
    "kept": "Your code writes into {something outside of it}, which lives on and comes back for other arguments.",
    "random": "Your code draws at random, with {a generator}: the same arguments have to give the same answer.",
    "stays-0": "In your code, {a variable} is 0 from beginning to end: nothing changes it.",
    "argument-unused": "Your code does not use {one of its arguments}.",
    "constant": "Your function returns {the same} for every input that was tried. Does it use its arguments?",
    "as-given": "Your function returns {what it is given}, unchanged.",
    "only-example": "Your function is right for the example in its description, and gives {the same} for every other"
    " input.",
}  # by code; what stands in braces is said where the detail is not known or not to be told


def said(code: str, *details: str) -> str:
    """The words for a fault, with its details in the places of the general ones.

    >>> said("factor", "2"), said("factor")
    ('Each of your numbers is 2 times the target.', 'Each of your numbers is the same factor times the target.')
    """
    places = iter(details)
    return re.sub(r"\{(.*?)\}", lambda general: next(places, general[1]), FAULTS[code])


class Fault(NamedTuple):
    """What is wrong with one answer: a code for the diagnosis, and what goes on after "Your function …"."""

    code: str
    sentence: str


def _fault(code: str, *details: str) -> Fault:
    return Fault(code, said(code, *details).removeprefix("Your function ").removesuffix("."))


def fault(outcome: Outcome, target: Outcome, tolerance: float, absolute: float = 0.0) -> Fault | None:
    """What is wrong with an outcome, or None. The sentence goes on after "Your function …".

    >>> fault(Outcome(value=2), Outcome(value=2.0), 1e-9)
    >>> fault(Outcome(type="NoneType"), Outcome(value=2.0), 1e-9).code
    'none'
    """
    if target.error:
        return _unless_raised(outcome, target)
    if outcome.error == "Stopped":
        return _fault("loop")
    if outcome.error:
        return Fault("error", _raised(outcome))
    return _value_fault(outcome, target.value, tolerance, absolute)


def close(a: Any, b: Any, tolerance: float, absolute: float = 0.0) -> bool:
    """Whether two plain values are equal within the tolerance, part by part. What is not finite is equal to nothing.

    >>> close([1, 0.5], [1.0, 0.5000001], 2e-6), close(math.nan, math.nan, 1), close(1.0, math.inf, 1)
    (True, False, False)
    >>> close("Rises ", "rises", 0), close(["d1"], ["D1"], 0)
    (True, False)
    """
    if type(a) in NUMBERS and type(b) in NUMBERS and a == b:  # nearly always
        return math.isfinite(a)
    if isinstance(b, bool) or isinstance(a, bool):
        return isinstance(a, (bool, int)) and isinstance(b, (bool, int)) and a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= max(absolute, 1e-9, tolerance * abs(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        same = (
            x == y if isinstance(y, str) else close(x, y, tolerance, absolute)  # a name in a list is no typed word
            for x, y in zip(a, b, strict=False)
        )
        return len(a) == len(b) and all(same)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(close(a[key], b[key], tolerance, absolute) for key in b)
    if isinstance(a, str) and isinstance(b, str):
        return a.strip().casefold() == b.strip().casefold()
    return a is None and b is None


def _unless_raised(outcome: Outcome, target: Outcome) -> Fault | None:
    wanted = target.error
    if outcome.error == wanted:
        unnamed = target.says is not None and outcome.says is not None and target.says not in outcome.says
        return _fault("unnamed", f"raises {outcome.error} without naming {target.says!r}") if unnamed else None
    if outcome.error == "Stopped":
        return _fault("loop")
    if outcome.type.endswith(("Error", "Exception")):
        return _fault("no-error", f"returns {described(outcome)}")
    got = _plainly_raised(outcome) if outcome.error else f"returns {described(outcome)}"
    return _fault("no-error", f"{got}; {with_article(wanted)} should be raised, because there is no answer")


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
        return _fault("none", *(["It prints its answer; `return` it too."] if outcome.printed else []))
    if value is ...:
        return _fault("dots")
    if isinstance(target, bool):
        if isinstance(value, bool) or (type(value) in (int, float) and value in (0, 1)):
            return None if bool(value) == target else Fault("value", "")
        return _fault("type", f"{described(outcome)}; `True` or `False` is asked")
    if isinstance(target, (int, float)):
        if isinstance(value, (bool, str, list, dict)) or not isinstance(value, (int, float)):
            return _fault("type", f"{described(outcome)}, but one number is asked{_way_out(outcome, target)}")
        if not math.isfinite(value):
            return _fault("finite", f"{value}, which is no number to compare: numpy gives it for a division by 0")
    elif isinstance(target, (list, tuple)):
        return _list_fault(outcome, list(target), tolerance, absolute)
    elif isinstance(target, Mapping):
        if not isinstance(value, Mapping):
            return _fault("type", f"{described(outcome)}, but a dictionary is asked")
        if value.keys() != target.keys():
            return _fault("shape", f"a dictionary with the keys {_few(value)}; asked are {_few(target)}")
    elif isinstance(target, str) and not isinstance(value, str):
        return _fault("type", f"{described(outcome)}, but a text in quotes is asked")
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
        advice = "; `list(…)` makes one of it" if outcome.type == "pandas.Series" else ""
        return _fault("type", f"{described(outcome)}, but a list is asked{advice}")
    if len(value) != len(target):
        return _fault("shape", f"{described(outcome)}; asked is a list of {len(target)}")
    if close(value, target, tolerance, absolute):
        return None
    flat = [item for item in value if not isinstance(item, list)]
    if any(isinstance(item, float) and not math.isfinite(item) for item in flat):
        odd = next(item for item in flat if isinstance(item, float) and not math.isfinite(item))
        return _fault("finite", f"a list with {odd} in it: numpy gives that for a division by 0")
    if target and _is_numeric(target) and not _is_numeric(value):
        return _fault("type", f"a list with {_first_other(value)} in it, but a list of numbers is asked")
    if target and all(isinstance(item, str) for item in target) and not all(isinstance(item, str) for item in value):
        other = next(item for item in value if not isinstance(item, str))
        return _fault("type", f"a list with {_of_kind(other)} in it, but a list of texts is asked")
    if _sorted(value) is not None and close(_sorted(value), _sorted(target), tolerance, absolute):
        backwards = close(value[::-1], target, tolerance, absolute)
        return _fault("order", "the reverse" if backwards else "another")
    return Fault("value", "")


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


class Pattern(NamedTuple):
    """Its code, for the teacher's statistics, and the sentence to the student."""

    name: str
    sentence: str


def _pattern(code: str, *details: str) -> Pattern:
    return Pattern(code, said(code, *details))


def pattern(outcomes: Sequence[Outcome], targets: Sequence[Outcome]) -> Pattern | None:
    """The pattern of the returned values, if they have one.

    >>> given = [Outcome(value=v) for v in (0.33, 0.67, 0.14)]
    >>> pattern(given, [Outcome(value=v) for v in (1 / 3, 2 / 3, 1 / 7)]).name
    'rounded'
    """
    pairs = [(o.value, t.value) for o, t in zip(outcomes, targets, strict=True) if not o.error and not t.error]
    if len(pairs) < 3:
        return None
    if constant := _constant(pairs):
        return constant
    numbers = _one_by_one(pairs)
    return _of_numbers(numbers) if numbers else None


def _of_numbers(pairs: Sequence[tuple[float, float]]) -> Pattern | None:
    if all(abs(a - b) < 1e-9 for a, b in pairs):
        return None
    return _rounded(pairs) or _scaled(pairs) or _shifted(pairs) or _turned(pairs) or _signs(pairs)


def _one_by_one(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[float, float]]:
    """The numbers beside their targets, those of lists too; none if something else is among them."""
    single: list[tuple[float, float]] = []
    for value, target in pairs:
        if is_number(value) and is_number(target):
            single.append((value, target))
        elif isinstance(value, list) and isinstance(target, (list, tuple)) and len(value) == len(target):
            if not all(map(is_number, [*value, *target])):
                return []
            single += zip(value, target, strict=True)
        else:
            return []
    return single


def remembered(cases: Sequence[Case], outcomes: Sequence[Outcome]) -> tuple[int, int] | None:
    """Two calls with the same arguments that gave different values."""
    first_call: dict[str, int] = {}
    for i, case in enumerate(cases):
        first = first_call.setdefault(json.dumps(case.args), i)
        a, b = outcomes[first], outcomes[i]
        if first != i and a.finite and b.finite and not close(a.value, b.value, 1e-9):
            return first, i
    return None


def is_number(value: Any) -> bool:
    """Whether it is a number, and no True or False.

    >>> is_number(1.5), is_number(True)
    (True, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _rounded(pairs: Sequence[tuple[float, float]]) -> Pattern | None:
    for digits in range(6):
        after = f"{digits} decimal{'' if digits == 1 else 's'}"
        rounded = all(abs(a - round(b, digits)) < 1e-9 for a, b in pairs)
        if all(abs(a - math.trunc(b * 10**digits) / 10**digits) < 1e-9 for a, b in pairs) and not (digits and rounded):
            return _pattern("cut-short", f"off after {after}" if digits else "to whole numbers")
        if rounded:
            return _pattern("rounded", f" to {after}" if digits else " to whole numbers")
    return None


def _scaled(pairs: Sequence[tuple[float, float]]) -> Pattern | None:
    ratios = [a / b for a, b in pairs if abs(b) > 1e-9]
    if any(abs(a) > 1e-9 for a, b in pairs if abs(b) <= 1e-9) or len(ratios) < 4 or len({b for _, b in pairs}) < 3:
        return None
    factor = sum(ratios) / len(ratios)
    if abs(factor) < 1e-9 or max(abs(ratio - factor) for ratio in ratios) > 1e-6 * abs(factor):
        return None
    if abs(factor - 100) < 1e-4:
        return _pattern("percent")
    if abs(factor + 1) < 1e-6:
        return _pattern("sign")
    return _pattern("factor", show(factor))


def _shifted(pairs: Sequence[tuple[float, float]]) -> Pattern | None:
    """The same difference everywhere."""
    steps = [a - b for a, b in pairs]
    step = sum(steps) / len(steps)
    if len({b for _, b in pairs}) < 3 or abs(step) < 1e-6 or max(abs(s - step) for s in steps) > 1e-6:
        return None
    return _pattern("shifted", f"{show(abs(step))} {'more' if step > 0 else 'less'} than")


def _turned(pairs: Sequence[tuple[float, float]]) -> Pattern | None:
    """1 minus the target, or 1 divided by it."""
    some = [(a, b) for a, b in pairs if abs(b) > 1e-9]
    if len({b for _, b in some}) < 3:
        return None
    if all(abs(a - (1 - b)) < 1e-6 for a, b in some):
        return _pattern("one-minus")
    if all(abs(a * b - 1) < 1e-6 for a, b in some):
        return _pattern("inverse")
    return None


def _signs(pairs: Sequence[tuple[float, float]]) -> Pattern | None:
    """The right size everywhere, and the wrong sign in some places."""
    wrong = {b for a, b in pairs if abs(a + b) < 1e-9 < abs(b)}
    return _pattern("sign-in-places") if len(wrong) > 2 and all(abs(abs(a) - abs(b)) < 1e-9 for a, b in pairs) else None


def _constant(pairs: Sequence[tuple[Any, Any]]) -> Pattern | None:
    if all(a == pairs[0][0] for a, _ in pairs) and any(b != pairs[0][1] for _, b in pairs):
        return _pattern("constant", show(pairs[0][0]))
    return None
