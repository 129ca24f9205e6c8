"""Answers as students write them: wrong ones, each with words that its feedback must hold, and right but unusual ones.

They are written by hand, apart from the slip table, to see what the checks make of what they do not expect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Answer(NamedTuple):
    task: str
    function: Callable[..., Any]
    says: tuple[str, ...] = ()  # words of the feedback

    @property
    def name(self) -> str:
        return self.function.__name__


WRONG: list[Answer] = []
UNUSUAL: list[Answer] = []


def wrong(task: str, *says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        WRONG.append(Answer(task, function, says))
        return function

    return keep


def unusual(task: str, *says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        UNUSUAL.append(Answer(task, function, says))
        return function

    return keep
