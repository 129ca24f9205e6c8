"""Mistakes that any function can make with what it is given: they are those of the right answer to other arguments.

Who returns inside a loop answers for the first item alone; who begins a range at 1 answers for the list without it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product, takewhile
from typing import Any, NamedTuple

from ndcg_course.explain.faults import said

FIXED_NUMBERS = (10, 5, 3, 2, 1)
FIXED_SHARES = (0.5, 0.8, 0.9)


class Alteration(NamedTuple):
    """A name for the teacher's statistics, a sentence for the student, and the arguments that were used in fact."""

    name: str
    sentence: str
    args: Callable[[Sequence[Any]], list[Any]]


_OF_LISTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "first-item-only": lambda items: items[:1],
    "last-item-only": lambda items: items[-1:],
    "last-item-lost": lambda items: items[:-1],
    "first-item-lost": lambda items: items[1:],
    "items-distinct": lambda items: [item for i, item in enumerate(items) if item not in items[:i]],
    "items-sorted-down": lambda items: sorted(items, reverse=True),
    "items-sorted-up": sorted,
    "items-reversed": lambda items: items[::-1],
    "items-cut-to-whole": lambda items: [int(item) for item in items],
    "first-item-zero": lambda items: [0, *items[1:]],
    "zeros-left-out": lambda items: [item for item in items if item != 0],
    "until-a-zero": lambda items: list(takewhile(bool, items)),
    "until-a-repeat": lambda items: items[: next((i for i, item in enumerate(items) if item in items[:i]), None)],
    "signs-alone": lambda items: [(item > 0) - (item < 0) for item in items],
    "yes-or-no": lambda items: [int(item > 0) for item in items],
}
_BESIDE_A_TABLE: dict[str, Callable[[list[Any], dict[Any, Any]], list[Any]]] = {
    "in-the-tables-order": lambda items, table: [key for key in table if key in items],
    "unknown-left-out": lambda items, table: [item for item in items if item in table],
}
_ORDER = {1: "first", 2: "second", 3: "third", 4: "fourth"}


def alterations(args: Sequence[Any]) -> Iterator[Alteration]:
    """What may have happened to arguments of this form.

    >>> [a.name for a in alterations([[1, 2], 3])][:2]
    ['first-item-only', 'last-item-only']
    >>> next(alterations([[5, 7], 1])).args([[5, 7], 1])
    [[5], 1]
    """
    lists = [at for at, arg in enumerate(args) if isinstance(arg, list)]
    for name, change in _OF_LISTS.items():
        for places in _choices(lists):
            told = "the list" if len(lists) == 1 else "both lists" if len(places) > 1 else f"the {_nth(places[0])} list"
            yield _altered(name, _on(places, change), told)
    tables = [at for at, arg in enumerate(args) if isinstance(arg, dict)]
    for at in tables[:1]:
        yield _altered("first-item-only", _on([at], lambda table: dict(list(table.items())[:1])), "the dictionary")
        yield _altered("last-item-only", _on([at], lambda table: dict(list(table.items())[-1:])), "the dictionary")
        yield _altered("equal-values-once", _on([at], _turned_twice), "the dictionary")
        for place, (name, put) in product(lists, _BESIDE_A_TABLE.items()):
            yield _altered(name, partial(_beside, place, at, put))
    for at in lists:
        yield _altered("equal-values-once", _on([at], _last_of_equals), "the list")
    numbers = [at for at, arg in enumerate(args) if isinstance(arg, int) and not isinstance(arg, bool)]
    for at in numbers:
        told = "the number" if len(numbers) == 1 else f"the {_nth(at)} argument"
        yield _altered("number-one-more", _on([at], partial(operator.add, 1)), told)
        yield _altered("number-one-less", _on([at], partial(operator.add, -1)), told)
        yield _altered("number-unused", _on([at], _nothing), told)
        for fixed in FIXED_NUMBERS:
            yield _altered("number-fixed", _on([at], partial(_always, fixed)), f"{fixed}")
            if at == len(args) - 1:
                yield _altered("number-fixed", partial(_ending, len(args), fixed), f"{fixed}")
                yield _altered("number-by-default", _filled(len(args), fixed), f"{fixed}")
    for at in (at for at, arg in enumerate(args) if isinstance(arg, float)):
        for share in FIXED_SHARES:
            yield _altered("number-fixed", _on([at], partial(_always, share)), f"{share}")
    if len(lists) == 2:
        for kept, other in (lists, lists[::-1]):
            yield _altered("one-list-for-both", partial(_same, kept, other), f"the {_nth(kept)} list")
        yield _altered("lists-swapped", _swapped(lists))


def _altered(code: str, args: Callable[[Sequence[Any]], list[Any]], *details: str) -> Alteration:
    return Alteration(code, said(code, *details), args)


def _nothing(value: Any) -> None:
    return None


def _always(fixed: float, value: Any) -> float:
    return fixed


def _same(kept: int, other: int, args: Sequence[Any]) -> list[Any]:
    return [args[kept] if at == other else arg for at, arg in enumerate(args)]


def _choices(lists: list[int]) -> list[list[int]]:
    return [[at] for at in lists] + ([lists] if len(lists) == 2 else [])


def _nth(at: int) -> str:
    return _ORDER.get(at + 1, f"{at + 1}th")


def _on(places: Sequence[int], change: Callable[[Any], Any]) -> Callable[[Sequence[Any]], list[Any]]:
    return lambda args: [change(arg) if at in places and arg is not None else arg for at, arg in enumerate(args)]


def _ending(length: int, number: int, args: Sequence[Any]) -> list[Any]:
    return [*args[: length - 1], number]


def _filled(length: int, number: int) -> Callable[[Sequence[Any]], list[Any]]:
    return lambda args: [*args, number] if len(args) == length - 1 else list(args)


def _turned_twice(table: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for value, key in {value: key for key, value in table.items()}.items()}


def _last_of_equals(rows: list[Any]) -> list[Any]:
    return [[name, value] for value, name in {value: name for name, value in rows}.items()]


def _beside(
    at: int, table: int, put: Callable[[list[Any], dict[Any, Any]], list[Any]], args: Sequence[Any]
) -> list[Any]:
    return [put(arg, args[table]) if place == at else arg for place, arg in enumerate(args)]


def _swapped(lists: list[int]) -> Callable[[Sequence[Any]], list[Any]]:
    def swap(args: Sequence[Any]) -> list[Any]:
        a, b = lists
        other = list(args)
        other[a], other[b] = other[b], other[a]
        return other

    return swap
