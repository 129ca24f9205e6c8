"""A bar on the terminal for work that is counted: how many, how fast, how long still."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Any


class Counter:
    """Called with how many are done and how many there are; shows nothing where nobody watches."""

    def __init__(self) -> None:
        self.shown: Any = None
        self.task: Any = None
        self.began = time.monotonic()
        self.watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, done: int, total: int) -> None:
        """So many are done."""
        if not self.watched or not total:
            return
        if self.shown is None:
            self._show(total)
        rate = done / max(time.monotonic() - self.began, 1e-9)
        self.shown.update(self.task, completed=done, rate=f"{rate:.0f}/s")

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.shown is not None:
            self.shown.stop()

    def _show(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.shown = Progress(
            TextColumn("marking"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.shown.add_task("marking", total=total, rate="")
        self.shown.start()
