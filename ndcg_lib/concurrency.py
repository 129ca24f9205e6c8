"""Work on several things at once, and take the results in order."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")

MOST_THREADS = 4


def in_order(work: Callable[[Thing], Result], things: Iterable[Thing]) -> Generator[Result, None, None]:
    """work(thing) for each thing, by a few threads: numpy lets other threads run while it computes.

    Close it if not all results are taken.

    >>> list(in_order(abs, [-1, 2]))
    [1, 2]
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(processors, MOST_THREADS)
    if threads == 1 or sys.platform == "emscripten":  # a browser has no threads
        yield from map(work, things)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for thing in things:
                waiting.append(pool.submit(work, thing))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
