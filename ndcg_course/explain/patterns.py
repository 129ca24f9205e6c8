"""What relates all the answers to their targets, whatever the task: rounding, a factor, a constant, memory."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
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


# ---- what was done with the right answer, or with something given beside it ------------------------

Given = Mapping[str, Any]  # the arguments by name
EVIDENCE = 3  # wrong answers, with other numbers each, that a relation has to explain


class Relation(NamedTuple):
    """What was made of a right answer: None where it cannot be made."""

    code: str
    words: str
    of: Callable[[Any, Given], Any]


def relations(given: Given, target: Any) -> Iterator[Relation]:
    """What may have been done with answers of this form.

    >>> [r.words for r in relations({"grades": [1, 2]}, 0.5)][:2]
    ['the square of the target', 'the square root of the target']
    """
    if is_number(target):
        yield from (Relation("result-changed", words, partial(_alone, of)) for words, of in _OF_A_NUMBER.items())
        for name in numbers_in(given):
            for words, joined in _WITH_A_NUMBER.items():
                yield Relation("result-changed", words.format(f"`{name}`"), partial(_joined, joined, name))
    elif isinstance(target, (list, tuple)):
        yield from (Relation("list-changed", words, partial(_alone, of)) for words, of in _OF_A_LIST.items())
        for name, items in given.items():
            if isinstance(items, (list, dict)):
                yield Relation("places-given", f" of `{name}`", partial(_at_places, name))


def _alone(of: Callable[[Any], Any], target: Any, given: Given) -> Any:
    return of(target)


def _joined(joined: Callable[[float, Any], float], name: str, target: float, given: Given) -> float:
    return joined(target, numbers_in(given)[name])


def _at_places(name: str, target: Sequence[Any], given: Given) -> list[int]:
    return _places(target, list(given[name]))


def relation(pairs: Sequence[tuple[Any, Any, Given]], tolerance: float) -> Relation | None:
    """What was done with all the right answers to give the returned ones, if one thing explains them.

    >>> found = relation([(v * 2 / len(g), v * 2, {"g": g}) for v, g in [(1, [1]), (2, [1, 2]), (3, [1, 2, 3])]], 1e-6)
    >>> found
    >>> found = relation([(v / len(g), v, {"g": g}) for v, g in [(5, [1, 1]), (2, [1] * 4), (3, [1] * 3)]], 1e-6)
    >>> found.words
    'the target divided by `len(g)`'
    """
    wrong = [pair for pair in pairs if not close(pair[0], pair[1], tolerance)]
    if len({repr(value) for value, _, _ in wrong}) < EVIDENCE:
        return None
    first = max(wrong, key=lambda pair: len(repr(pair[1])))
    return next(fits_some([first, *wrong, *pairs], tolerance), None)


def fits_some(pairs: Sequence[tuple[Any, Any, Given]], tolerance: float) -> Iterator[Relation]:
    """What was done with all of some right answers."""
    for tried in relations(pairs[0][2], pairs[0][1]) if pairs else ():
        if all(_fits(tried, pair, tolerance) for pair in pairs):
            yield tried


def _fits(tried: Relation, pair: tuple[Any, Any, Given], tolerance: float) -> bool:
    value, target, given = pair
    try:
        return close(value, tried.of(target, given), tolerance)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return False


def numbers_in(given: Given) -> dict[str, float]:
    """The numbers that stand in the arguments, by how one would write them."""
    found: dict[str, float] = {}
    for name, value in given.items():
        if is_number(value):
            found[name] = value
        elif isinstance(value, (list, dict)):
            found[f"len({name})"] = len(value)
            found[f"2 ** len({name})"] = 2.0 ** len(value)
            items = list(value.values()) if isinstance(value, dict) else value
            if items and all(map(is_number, items)):
                found |= {f"sum({name})": sum(items), f"max({name})": max(items), f"{name}[0]": items[0]}
                found[f"how many of `{name}` are not 0"] = sum(item != 0 for item in items)
    lengths = [len(value) for value in given.values() if isinstance(value, list)]
    if lengths and isinstance(given.get("k"), int):
        found["min(k, len)"] = min(given["k"], lengths[0])
    return found


_OF_A_NUMBER: dict[str, Callable[[float], float]] = {
    "the square of the target": lambda b: b * b,
    "the square root of the target": math.sqrt,
    "the target without its sign": abs,
    "the target times 2": lambda b: 2 * b,
    "half the target": lambda b: b / 2,
    "the target, but 1 where it is more": lambda b: min(b, 1),
    "the target, but 0 where it is less": lambda b: max(b, 0),
    "the logarithm of the target": math.log2,
}
_WITH_A_NUMBER: dict[str, Callable[[float, Any], float]] = {
    "the target divided by {}": lambda b, s: b / s,
    "the target times {}": lambda b, s: b * s,
    "the target plus {}": lambda b, s: b + s,
    "the target minus {}": lambda b, s: b - s,
    "{} minus the target": lambda b, s: s - b,
}
_OF_A_LIST: dict[str, Callable[[list[Any]], Any]] = {
    "the running sums of those asked": lambda b: list(accumulate(b)),
    "the running means of those asked": lambda b: [total / n for n, total in enumerate(accumulate(b), start=1)],
    "the steps between the items of those asked": lambda b: [y - x for x, y in zip([0, *b], b, strict=False)],
    "those asked, from the end": lambda b: b[::-1],
    "those asked, sorted from low to high": sorted,
    "those asked, sorted from high to low": lambda b: sorted(b, reverse=True),
    "those asked, with equal items once": lambda b: list(dict.fromkeys(b)),
    "those asked, without their zeros": lambda b: [item for item in b if item != 0],
    "those asked, without the first item": lambda b: b[1:],
    "those asked, without the last item": lambda b: b[:-1],
    "the first item alone of those asked": lambda b: b[:1],
    "the last item alone of those asked": lambda b: b[-1:],
    "those asked, with a 0 before them": lambda b: [0, *b],
    "those asked, with a 1 before them": lambda b: [1, *b],
    "those asked, with a 0 after them": lambda b: [*b, 0],
    "those asked one place later, behind a 0": lambda b: [0, *b[:-1]],
    "those asked one place later, behind a 1": lambda b: [1, *b[:-1]],
    "those asked, divided by their sum": lambda b: [item / sum(b) for item in b],
    "those asked, divided by their largest item": lambda b: [item / max(b) for item in b],
    "those asked, divided by their length": lambda b: [item / len(b) for item in b],
    "those asked, each item divided by its place": lambda b: [item / n for n, item in enumerate(b, start=1)],
    "those asked, each item times its place": lambda b: [item * n for n, item in enumerate(b, start=1)],
    "those asked, squared item by item": lambda b: [item * item for item in b],
    "those asked, each item without its sign": lambda b: [abs(item) for item in b],
    "the largest item of those asked, again and again": lambda b: [max(b)] * len(b),
}


def _places(target: Sequence[Any], items: list[Any]) -> list[int]:
    """Where the items that are asked stand among those given, those that are equal in turn."""
    left = list(enumerate(items))
    return [left.pop([other for _, other in left].index(item))[0] for item in target]


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
