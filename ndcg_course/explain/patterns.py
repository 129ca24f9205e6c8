"""What relates all the answers to their targets, whatever the task: rounding, a factor, a constant, memory."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ndcg_course.explain.faults import close, said
from ndcg_course.explain.outcome import Outcome
from ndcg_course.explain.words import show
from ndcg_course.tasks.task import Case


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
