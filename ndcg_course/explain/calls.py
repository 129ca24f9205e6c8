"""Calls a student's function as the library does, refuses what a grader refuses, and keeps what was seen."""

from __future__ import annotations

import contextlib
import copy
import io
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ndcg_course.explain.forbidden import refusing
from ndcg_course.explain.outcome import SLOW, Outcome, seen
from ndcg_lib.identification import calling
from ndcg_lib.identification.calling import LONGEST_CALL, Stopped, Watch, differs, nobody_there, within

LONGEST_CHECK = 4.0
SHORT_LIST, LONGEST_OF_SHORT = 10, 0.7  # what is not done with so few items after so many seconds does not end
LONGEST_LINE = 160  # characters of the student's code in a message


def call_all(
    function: Callable[..., Any], inputs: Sequence[Sequence[Any]], seconds: float = LONGEST_CALL
) -> list[Outcome]:
    """The outcomes of the calls, one after the other; it ends early after a call that had to be stopped.

    >>> [outcome.value for outcome in call_all(max, [[[1, 3]], [[2]]])]
    [3, 2]
    """
    outcomes: list[Outcome] = []
    retries = 3
    watch = Watch(LONGEST_CHECK)
    for args in inputs:
        outcomes.append(call(function, args, _limit(args, seconds)))
        if outcomes[-1].seconds > SLOW and not outcomes[-1].error and retries:  # or was the machine busy?
            retries -= 1
            outcomes[-1].seconds = min(outcomes[-1].seconds, call(function, args, seconds).seconds)
        if outcomes[-1].error == "Stopped" or watch.over():
            break
    return outcomes


def _limit(args: Sequence[Any], seconds: float) -> float:
    short = all(len(arg) <= SHORT_LIST for arg in args if isinstance(arg, (list, dict)))
    return min(seconds, LONGEST_OF_SHORT) if short and sys.platform != "emscripten" else seconds


def call(function: Callable[..., Any], args: Sequence[Any], seconds: float = LONGEST_CALL) -> Outcome:
    """What one call gives. The function gets a copy of the arguments.

    >>> call(lambda x: 1 / x, [0]).error
    'ZeroDivisionError'
    """
    with refusing():
        made = calling.call(function, args, seconds=seconds, read=seen)
    error = made.error
    if error is None:
        outcome: Outcome = made.value
    elif isinstance(error, Stopped):
        outcome = Outcome(error="Stopped", message=f"{seconds:g} s")
    else:
        name = "ValueError" if isinstance(error, ValueError) else type(error).__name__  # one of their own is as good
        outcome = Outcome(error=name, message=str(error)[:200], line=_line_of(error, function), says=str(error)[:500])
    outcome.seconds, outcome.printed, outcome.changed = made.seconds, made.printed[:200], made.changed
    return outcome


def tried(function: Callable[..., Any], args: Sequence[Any], seconds: float) -> Outcome:
    """The outcome in short, for one of many variants of a function; they are all called `alone`.

    >>> tried(max, [[1, 3]], 1).value
    3
    """
    mine = copy.deepcopy(list(args))
    try:
        outcome: Outcome = within(seconds, lambda: seen(function(*mine)))
    except Stopped:
        return Outcome(error="Stopped")
    except (Exception, SystemExit, RecursionError) as error:
        name = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        return Outcome(error=name, says=str(error)[:500])
    outcome.changed = mine if differs(mine, list(args)) else None
    return outcome


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Nobody sees what is printed, and nobody is asked to type."""
    with contextlib.redirect_stdout(io.StringIO()), nobody_there(), refusing():
        yield


def _line_of(error: BaseException, function: Callable[..., Any]) -> str:
    """The line of the student's code that raised."""
    code = getattr(function, "__code__", None)
    for entry in reversed(traceback.extract_tb(error.__traceback__)):
        if code is not None and entry.filename == code.co_filename:
            line = (entry.line or "").strip()
            return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " …"
    return ""
