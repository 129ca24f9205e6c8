"""Calls a function of somebody else: on copies, with a limit, seeing what it prints, raises and changes."""

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
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

LONGEST_CALL = 2.0  # seconds of the processor, so that a busy machine says the same as an idle one
PATIENCE = 1.5
QUEUE = Path("/proc/thread-self/schedstat")


class Call(NamedTuple):
    """What a call gave back or raised, and what else was seen."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    changed: list[Any] | None = None  # the arguments as the call left them, where it changed them
    seconds: float = 0.0  # of the processor


def call(
    function: Callable[..., Any],
    args: Sequence[Any],
    keywords: Mapping[str, Any] | None = None,
    *,
    seconds: float = LONGEST_CALL,
    read: Callable[[Any], Any] = lambda value: value,
) -> Call:
    """What one call gives. The function gets a copy of the arguments; `read` has part in the limit.

    >>> call(lambda x: x.sort(), [[2, 1]]).changed
    [[1, 2]]
    >>> call(lambda x: 1 / x, [0]).error
    ZeroDivisionError('division by zero')
    """
    mine, printed = copy.deepcopy(list(args)), io.StringIO()
    started = time.process_time()
    value, error = None, None
    try:
        with contextlib.redirect_stdout(printed), nobody_there():
            value = within(seconds, lambda: read(function(*mine, **(keywords or {}))))
    except (Exception, SystemExit, Stopped) as raised:
        error = raised
    spent = time.process_time() - started
    return Call(value, error, printed.getvalue(), mine if differs(mine, list(args)) else None, spent)


class InputAsked(Exception):
    """The function waits for someone to type."""


@contextlib.contextmanager
def nobody_there() -> Iterator[None]:
    """Nobody is asked to type, and warnings of other people's lines are left out."""

    def ask(prompt: object = "") -> str:
        raise InputAsked

    before, builtins.input = builtins.input, ask
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        builtins.input = before


def differs(mine: Any, args: Any) -> bool:
    """Whether a call changed what it was given; arrays and frames are compared by what they hold.

    >>> differs([[1, 2]], [[1, 2]]), differs([np.array([1, 2])], [np.array([2, 1])])
    (False, True)
    """
    try:
        return bool(mine != args)
    except (ValueError, TypeError):  # arrays, frames
        return any(_other(a, b) for a, b in zip(mine, args, strict=True)) if len(mine) == len(args) else True


def _other(mine: Any, given: Any) -> bool:
    if type(mine) is not type(given):
        return True
    if isinstance(mine, np.ndarray):
        return mine.shape != given.shape or bool((mine != given).any())
    if hasattr(mine, "equals"):  # a frame
        return not mine.equals(given)
    return differs(mine, given)


# The code that clears up after a stop may not be stopped itself.
_LIBRARIES = (os.path.dirname(contextlib.__file__), Path(np.__file__).parents[1], Path(__file__).parent)
_SPARED = ("<frozen", *map(str, _LIBRARIES))


class Watch:
    """Says when so many seconds of the processor are over, or by the clock PATIENCE times as many twice.

    What this thread waited for a busy machine in the second of them counts for nothing, where the system tells it.
    """

    def __init__(self, seconds: float):
        self.work, self.patience = time.process_time() + seconds, PATIENCE * seconds
        self.wait, self.second = time.perf_counter() + self.patience, 0.0

    def over(self) -> bool:
        """Whether they are."""
        if time.process_time() > self.work:
            return True
        if (now := time.perf_counter()) <= self.wait:
            return False
        self.second = self.second or now - queued()
        self.wait = self.second + queued() + self.patience
        return now > self.wait


def queued() -> float:
    """Seconds for which this thread has waited for a processor that others used; 0 where no one knows (not Linux)."""
    try:
        return int(QUEUE.read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


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
    armed, watch = True, Watch(seconds)

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
    tool, thread, clock = 4, threading.get_ident(), Watch(seconds)
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
    watch, before = Watch(seconds), sys.gettrace()

    def look(frame: FrameType, event: str, arg: Any) -> Any:
        if watch.over() and not frame.f_code.co_filename.startswith(_SPARED):
            raise Stopped
        return look

    sys.settrace(look)
    try:
        return call()
    finally:
        sys.settrace(before)
