"""Mistakes that any function can make with what it is given: they are those of the right answer to other arguments.

Who returns inside a loop answers for the first item alone; who begins a range at 1 answers for the list without it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

FIXED_NUMBERS = (10, 5, 3, 2, 1)
FIXED_SHARES = (0.5, 0.8, 0.9)


class Alteration(NamedTuple):
    """A name for the teacher's statistics, a sentence for the student, and the arguments that were used in fact."""

    name: str
    sentence: str
    args: Callable[[Sequence[Any]], list[Any]]


_OF_LISTS: tuple[tuple[str, str, Callable[[list[Any]], list[Any]]], ...] = (
    (
        "first-item-only",
        "Your answers are those for the first item of {list} alone. Does a `return` stand inside the loop?",
        lambda items: items[:1],
    ),
    (
        "last-item-lost",
        "Your answers are those for {list} without its last item. Does a range or slice end one too early?",
        lambda items: items[:-1],
    ),
    (
        "first-item-lost",
        "Your answers are those for {list} without its first item. Python counts places from 0.",
        lambda items: items[1:],
    ),
    (
        "items-distinct",
        "Your answers are those for {list} with equal items counted once. Is there a set or a dictionary on the way?",
        lambda items: [item for i, item in enumerate(items) if item not in items[:i]],
    ),
    (
        "items-sorted-down",
        "Your answers are those for {list} sorted from high to low, as if its order did not matter.",
        lambda items: sorted(items, reverse=True),
    ),
    (
        "items-sorted-up",
        "Your answers are those for {list} sorted from low to high, as if its order did not matter.",
        sorted,
    ),
    ("items-reversed", "Your answers are those for {list} read from its end.", lambda items: items[::-1]),
    (
        "items-cut-to-whole",
        "Your answers are those for {list} with the fractions cut off. Is there an `int` or a `//`?",
        lambda items: [int(item) for item in items],
    ),
    (
        "zeros-left-out",
        "Your answers are those for {list} without its zeros, so that later items move up.",
        lambda items: [item for item in items if item != 0],
    ),
)
_ORDER = {1: "first", 2: "second", 3: "third", 4: "fourth"}


def alterations(args: Sequence[Any]) -> Iterator[Alteration]:
    """What may have happened to arguments of this form.

    >>> [a.name for a in alterations([[1, 2], 3])][:2]
    ['first-item-only', 'last-item-lost']
    >>> next(alterations([[5, 7], 1])).args([[5, 7], 1])
    [[5], 1]
    """
    lists = [at for at, arg in enumerate(args) if isinstance(arg, list)]
    for name, sentence, change in _OF_LISTS:
        for places in _choices(lists):
            told = "the list" if len(lists) == 1 else "both lists" if len(places) > 1 else f"the {_nth(places[0])} list"
            yield Alteration(name, sentence.format(list=told), _on(places, change))
    numbers = [at for at, arg in enumerate(args) if isinstance(arg, int) and not isinstance(arg, bool)]
    for at in numbers:
        told = "the number" if len(numbers) == 1 else f"the {_nth(at)} argument"
        for step, word in ((1, "more"), (-1, "less")):
            told_step = f"Your answers are those for one {word} than {told} that is given."
            yield Alteration(f"number-one-{word}", told_step, _on([at], partial(operator.add, step)))
        yield Alteration("number-unused", f"Your answers do not depend on {told} that is given.", _on([at], _nothing))
        for fixed in FIXED_NUMBERS:
            told_fixed = f"Your answers are those for {fixed}, whatever number is given."
            yield Alteration("number-fixed", told_fixed, _on([at], partial(_always, fixed)))
            if at == len(args) - 1:
                told_filled = f"Where no number is given, your function takes {fixed}."
                yield Alteration("number-by-default", told_filled, _filled(len(args), fixed))
    for at in (at for at, arg in enumerate(args) if isinstance(arg, float)):
        for share in FIXED_SHARES:
            told_fixed = f"Your answers are those for {share}, whatever number is given."
            yield Alteration("number-fixed", told_fixed, _on([at], partial(_always, share)))
    if len(lists) == 2:
        for kept, other in (lists, lists[::-1]):
            told = f"Your answers are those for the {_nth(kept)} list in the place of both."
            yield Alteration("one-list-for-both", told, partial(_same, kept, other))
        swapped = "Your answers are those for the two lists in each other's place."
        yield Alteration("lists-swapped", swapped, _swapped(lists))


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


def _filled(length: int, number: int) -> Callable[[Sequence[Any]], list[Any]]:
    return lambda args: [*args, number] if len(args) == length - 1 else list(args)


def _swapped(lists: list[int]) -> Callable[[Sequence[Any]], list[Any]]:
    def swap(args: Sequence[Any]) -> list[Any]:
        a, b = lists
        other = list(args)
        other[a], other[b] = other[b], other[a]
        return other

    return swap
