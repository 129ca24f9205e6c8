"""Calls a student's function: with a time limit, and with eyes on what it prints, raises and changes."""

from __future__ import annotations

import builtins
import contextlib
import copy
import io
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ndcg_course.exercises.limits import Stopped, within
from ndcg_course.exercises.outcome import SLOW, Outcome, from_wire
from ndcg_course.exercises.wire import encode

LONGEST_CALL = 2.0  # seconds
LONGEST_CHECK = 4.0
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
    started = time.perf_counter()
    for args in inputs:
        outcomes.append(call(function, args, seconds))
        if outcomes[-1].seconds > SLOW and not outcomes[-1].error and retries:  # or was the machine busy?
            retries -= 1
            outcomes[-1].seconds = min(outcomes[-1].seconds, call(function, args, seconds).seconds)
        if outcomes[-1].error == "Stopped" or time.perf_counter() - started > LONGEST_CHECK:
            break
    return outcomes


def call(function: Callable[..., Any], args: Sequence[Any], seconds: float = LONGEST_CALL) -> Outcome:
    """What one call gives. The function gets a copy of the arguments.

    >>> call(lambda x: 1 / x, [0]).error
    'ZeroDivisionError'
    """
    mine = copy.deepcopy(list(args))
    printed = io.StringIO()
    started = time.perf_counter()
    try:
        with contextlib.redirect_stdout(printed), _nobody_there():
            outcome = from_wire(within(seconds, lambda: encode(function(*mine))))
    except Stopped:
        outcome = Outcome(error="Stopped", message=f"{seconds:g} s")
    except (Exception, SystemExit, RecursionError) as error:
        name = "ValueError" if isinstance(error, ValueError) else type(error).__name__  # one of their own is as good
        outcome = Outcome(error=name, message=str(error)[:200], line=_line_of(error, function))
    outcome.seconds = time.perf_counter() - started
    outcome.printed = printed.getvalue()[:200]
    outcome.changed = mine if _differs(mine, list(args)) else None
    return outcome


class InputAsked(Exception):
    """The function waits for someone to type."""


@contextlib.contextmanager
def _nobody_there() -> Iterator[None]:
    """A check asks nobody to type, and leaves out warnings: numpy's would show our lines."""

    def ask(prompt: object = "") -> str:
        raise InputAsked

    before, builtins.input = builtins.input, ask
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        builtins.input = before


def _differs(mine: list[Any], args: list[Any]) -> bool:
    try:
        return bool(mine != args)
    except ValueError:  # an array where a list was
        return True


def _line_of(error: BaseException, function: Callable[..., Any]) -> str:
    """The line of the student's code that raised."""
    code = getattr(function, "__code__", None)
    for entry in reversed(traceback.extract_tb(error.__traceback__)):
        if code is not None and entry.filename == code.co_filename:
            line = (entry.line or "").strip()
            return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " …"
    return ""
