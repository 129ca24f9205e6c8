"""Calls a student's function: with a time limit, and with eyes on what it prints, raises and changes."""

from __future__ import annotations

import contextlib
import copy
import io
import signal
import sys
import sysconfig
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ndcg_lib.exercises.outcome import Outcome, from_wire
from ndcg_lib.exercises.wire import encode

LONGEST_CALL = 2.0  # seconds
LONGEST_CHECK = 4.0


class Stopped(BaseException):
    """Raised inside a call that took too long. No Exception, so that `except Exception` does not catch it."""


def call_all(function: Callable[..., Any], inputs: Sequence[Sequence[Any]]) -> list[Outcome]:
    """The outcomes of the calls, one after the other; it ends early after a call that had to be stopped.

    >>> [outcome.value for outcome in call_all(max, [[[1, 3]], [[2]]])]
    [3, 2]
    """
    outcomes: list[Outcome] = []
    started = time.perf_counter()
    for args in inputs:
        outcomes.append(call(function, args))
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
        with contextlib.redirect_stdout(printed), _limited(seconds):
            value = function(*mine)
            coded = encode(value)
        outcome = from_wire(coded)
    except Stopped:
        outcome = Outcome(error="Stopped", message=f"{seconds:g} s")
    except (Exception, SystemExit, RecursionError) as error:
        outcome = Outcome(error=type(error).__name__, message=str(error)[:200], line=_line_of(error, function))
    outcome.seconds = time.perf_counter() - started
    outcome.printed = printed.getvalue()[:200]
    outcome.changed = mine if _differs(mine, list(args)) else None
    return outcome


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
            return (entry.line or "").strip()
    return ""


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise Stopped in the body once the time is over. Python cannot stop a loop inside a C function."""
    if sys.platform not in ("win32", "emscripten") and threading.current_thread() is threading.main_thread():
        yield from _by_alarm(seconds)
    elif sys.version_info >= (3, 12):
        yield from _by_monitoring(seconds)
    else:
        yield from _by_tracing(seconds)


def _by_alarm(seconds: float) -> Iterator[None]:
    armed = True

    def ring(number: int, frame: FrameType | None) -> None:
        if armed:
            raise Stopped

    before = signal.signal(signal.SIGALRM, ring)
    try:
        # It rings again and again, for a loop with `except:` in it.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _by_monitoring(seconds: float) -> Iterator[None]:
    watch: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    end, tool, thread = time.perf_counter() + seconds, 4, threading.get_ident()

    def look(code: CodeType, *place: int) -> None:
        if time.perf_counter() > end and threading.get_ident() == thread and not code.co_filename.startswith(_OURS):
            raise Stopped

    if watch.get_tool(tool) is not None:  # another tool watches: a check is worth more than its time limit
        yield
        return
    watch.use_tool_id(tool, "ndcg_lib")
    try:
        events = watch.events.PY_START | watch.events.JUMP | watch.events.LINE
        for event in (watch.events.PY_START, watch.events.JUMP, watch.events.LINE):
            watch.register_callback(tool, event, look)
        watch.set_events(tool, events)
        yield
    finally:
        watch.set_events(tool, 0)
        watch.free_tool_id(tool)


# Code that unwinds after a stop may not be stopped itself.
_OURS = ("<frozen", sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), str(Path(__file__).parents[1]))


def _by_tracing(seconds: float) -> Iterator[None]:
    end, before = time.perf_counter() + seconds, sys.gettrace()

    def look(frame: FrameType, event: str, arg: Any) -> Any:
        if time.perf_counter() > end:
            raise Stopped
        return look

    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
