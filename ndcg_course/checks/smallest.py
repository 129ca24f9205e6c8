"""Makes a failing case smaller, so that the difference can be seen at a glance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

PATIENCE = 0.08  # seconds


def smallest(args: Sequence[Any], still_fails: Callable[[list[Any]], bool]) -> list[Any]:
    """The smallest arguments found by leaving out items and lowering numbers, on which it still fails.

    >>> smallest([[3, 1, 2, 0], 3], lambda args: len(args[0]) > 1)
    [[0, 0], 0]
    """
    best, end = list(args), time.perf_counter() + PATIENCE
    while time.perf_counter() < end:
        for candidate in _smaller(best):
            if time.perf_counter() > end:
                return best
            if still_fails(candidate):
                best = candidate
                break
        else:
            return best
    return best


def _smaller(args: Sequence[Any]) -> Iterator[list[Any]]:
    for at, value in enumerate(args):
        for less in _less(value):
            yield [*args[:at], less, *args[at + 1 :]]


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, list):
        if len(value) > 1:
            for i in reversed(range(len(value))):
                yield value[:i] + value[i + 1 :]
        for i, item in enumerate(value):
            if not isinstance(item, list):
                for less in _less(item):
                    yield [*value[:i], less, *value[i + 1 :]]
    elif isinstance(value, int) and value > 0:
        yield from sorted({v for v in (0, 1, value - 1) if v < value})
    elif isinstance(value, float) and value > 0 and value != int(value):
        yield float(int(value))
