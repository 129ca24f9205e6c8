"""Stops a call that takes too long: by an alarm where there are signals, else by watching its lines.

Python cannot stop a loop inside a C function, such as `sum(itertools.count())`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

# The code that clears up after a stop may not be stopped itself.
_LIBRARIES = (os.path.dirname(contextlib.__file__), Path(np.__file__).parents[1], Path(__file__).parents[1])
_SPARED = ("<frozen", *map(str, _LIBRARIES))


class Stopped(BaseException):
    """Raised inside a call that took too long. No Exception, so that `except Exception` does not catch it."""


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """What the call gives; Stopped, raised inside it, where it takes longer.

    >>> within(1, lambda: 2)
    2
    """
    if sys.platform not in ("win32", "emscripten") and threading.current_thread() is threading.main_thread():
        return _by_alarm(seconds, call)
    if sys.version_info >= (3, 12):
        return _by_monitoring(seconds, call)
    return _by_tracing(seconds, call)


def _by_alarm(seconds: float, call: Callable[[], Any]) -> Any:
    armed = True

    def ring(number: int, frame: FrameType | None) -> None:
        if armed:
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
    tool, thread, end = 4, threading.get_ident(), time.perf_counter() + seconds
    events = (watch.events.PY_START, watch.events.JUMP, watch.events.LINE)

    def look(code: CodeType, *place: int) -> None:
        if time.perf_counter() > end and threading.get_ident() == thread and not code.co_filename.startswith(_SPARED):
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
    end, before = time.perf_counter() + seconds, sys.gettrace()

    def look(frame: FrameType, event: str, arg: Any) -> Any:
        if time.perf_counter() > end and not frame.f_code.co_filename.startswith(_SPARED):
            raise Stopped
        return look

    sys.settrace(look)
    try:
        return call()
    finally:
        sys.settrace(before)
