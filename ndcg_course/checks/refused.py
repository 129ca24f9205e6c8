"""What an answer cannot use while it is graded, refused in the same words by the check in the notebook.

Only the standard library is needed, so that a grader can run this file where nothing else of the kit is.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any


class Unavailable(RuntimeError):
    """An answer asked for something that it does not get while it is graded."""


PLACES = {
    ("threading", "Thread.start"): "threads are",
    ("subprocess", "Popen.__init__"): "other programs are",
    ("multiprocessing.process", "BaseProcess.start"): "other processes are",
    ("asyncio", "run"): "`asyncio.run` is",
    ("asyncio", "Runner.run"): "`asyncio.Runner` is",
}  # by module and name: what to say; only what is loaded can be used


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Whatever is not available raises.

    >>> import threading
    >>> with refusing():
    ...     threading.Thread(target=print).start()
    Traceback (most recent call last):
    ...
    ndcg_course.checks.refused.Unavailable: threads are not available while you are graded
    """
    kept: list[tuple[Any, str, Any]] = []
    try:
        for (module, path), what in PLACES.items():
            holder: Any = sys.modules.get(module)
            *outer, name = path.split(".")
            for part in outer:
                holder = getattr(holder, part, None)
            if holder is not None and hasattr(holder, name):
                kept.append((holder, name, getattr(holder, name)))
                setattr(holder, name, _refuse(what))
        yield
    finally:
        for holder, name, before in reversed(kept):
            setattr(holder, name, before)


def _refuse(what: str) -> Callable[..., None]:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise Unavailable(f"{what} not available while you are graded")

    return refuse
