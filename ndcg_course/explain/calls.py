"""Calls a student's function: with a time limit, and with eyes on what it prints, raises and changes."""

from __future__ import annotations

import builtins
import contextlib
import copy
import io
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ndcg_course.explain.forbidden import refusing
from ndcg_course.explain.outcome import SLOW, Outcome, seen

LONGEST_CALL = 2.0  # seconds of the processor, so that a busy machine says the same as an idle one
LONGEST_CHECK = 4.0
PATIENCE = 3  # times as long a call may wait, for a processor that others use or for nothing
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
    watch = _Watch(LONGEST_CHECK)
    for args in inputs:
        outcomes.append(call(function, args, seconds))
        if outcomes[-1].seconds > SLOW and not outcomes[-1].error and retries:  # or was the machine busy?
            retries -= 1
            outcomes[-1].seconds = min(outcomes[-1].seconds, call(function, args, seconds).seconds)
        if outcomes[-1].error == "Stopped" or watch.over():
            break
    return outcomes


def call(function: Callable[..., Any], args: Sequence[Any], seconds: float = LONGEST_CALL) -> Outcome:
    """What one call gives. The function gets a copy of the arguments.

    >>> call(lambda x: 1 / x, [0]).error
    'ZeroDivisionError'
    """
    mine = copy.deepcopy(list(args))
    printed = io.StringIO()
    started = time.process_time()
    try:
        with contextlib.redirect_stdout(printed), _nobody_there():
            outcome: Outcome = within(seconds, lambda: seen(function(*mine)))
    except Stopped:
        outcome = Outcome(error="Stopped", message=f"{seconds:g} s")
    except (Exception, SystemExit, RecursionError) as error:
        name = "ValueError" if isinstance(error, ValueError) else type(error).__name__  # one of their own is as good
        outcome = Outcome(error=name, message=str(error)[:200], line=_line_of(error, function), says=str(error)[:500])
    outcome.seconds = time.process_time() - started
    outcome.printed = printed.getvalue()[:200]
    outcome.changed = mine if _differs(mine, list(args)) else None
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
    outcome.changed = mine if _differs(mine, list(args)) else None
    return outcome


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Nobody sees what is printed, and nobody is asked to type."""
    with contextlib.redirect_stdout(io.StringIO()), _nobody_there():
        yield


class InputAsked(Exception):
    """The function waits for someone to type."""


@contextlib.contextmanager
def _nobody_there() -> Iterator[None]:
    """A check asks nobody to type, refuses what a grader refuses, and leaves out warnings of our lines."""

    def ask(prompt: object = "") -> str:
        raise InputAsked

    before, builtins.input = builtins.input, ask
    try:
        with warnings.catch_warnings(), refusing():
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


# The code that clears up after a stop may not be stopped itself.
_LIBRARIES = (os.path.dirname(contextlib.__file__), Path(np.__file__).parents[1], Path(__file__).parents[1])
_SPARED = ("<frozen", *map(str, _LIBRARIES))


class _Watch:
    """Says when so many seconds of the processor are over, or a few times as many by the clock."""

    def __init__(self, seconds: float):
        self.work, self.wait = time.process_time() + seconds, time.perf_counter() + PATIENCE * seconds

    def over(self) -> bool:
        """Whether they are."""
        return time.process_time() > self.work or time.perf_counter() > self.wait


class Stopped(BaseException):
    """Raised inside a call that took too long. No Exception, so that `except Exception` does not catch it."""


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """What the call gives; Stopped, raised inside it, where it takes longer.

    >>> within(1, lambda: 2)
    2
    """
    if sys.platform not in ("win32", "emscripten") and threading.current_thread() is threading.main_thread():
        way = _by_alarm
    else:
        way = _by_monitoring if sys.version_info >= (3, 12) else _by_tracing
    tell = sys.unraisablehook

    def tell_others(lost: Any) -> None:  # a stop that met a finalizer is lost, and comes again
        if lost.exc_type is not Stopped:
            tell(lost)

    sys.unraisablehook = tell_others
    try:
        return way(seconds, call)
    finally:
        sys.unraisablehook = tell


def _by_alarm(seconds: float, call: Callable[[], Any]) -> Any:
    armed, watch = True, _Watch(seconds)

    def ring(number: int, frame: FrameType | None) -> None:
        if armed and watch.over():
            raise Stopped

    before = signal.signal(signal.SIGALRM, ring)
    try:
        # It rings again and again, for a loop with `except:` in it.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
        return call()
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _by_monitoring(seconds: float, call: Callable[[], Any]) -> Any:
    watch: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    tool, thread, clock = 4, threading.get_ident(), _Watch(seconds)
    events = (watch.events.PY_START, watch.events.JUMP, watch.events.LINE)

    def look(code: CodeType, *place: int) -> None:
        if clock.over() and threading.get_ident() == thread and not code.co_filename.startswith(_SPARED):
            raise Stopped

    if watch.get_tool(tool) is not None:  # a debugger is at work: then without a limit
        return call()
    watch.use_tool_id(tool, "ndcg_lib")
    try:
        for event in events:
            watch.register_callback(tool, event, look)
        watch.set_events(tool, sum(events))
        return call()
    finally:
        watch.set_events(tool, 0)
        for event in events:
            watch.register_callback(tool, event, None)
        watch.free_tool_id(tool)


def _by_tracing(seconds: float, call: Callable[[], Any]) -> Any:
    watch, before = _Watch(seconds), sys.gettrace()

    def look(frame: FrameType, event: str, arg: Any) -> Any:
        if watch.over() and not frame.f_code.co_filename.startswith(_SPARED):
            raise Stopped
        return look

    sys.settrace(look)
    try:
        return call()
    finally:
        sys.settrace(before)
