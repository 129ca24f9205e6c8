"""A bar on the terminal for what takes longer than a second."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0


class Bar:
    """Called with the name of a file, the bytes read and its size; shows nothing where nobody watches."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.shown: Any = None
        self.tasks: dict[str, Any] = {}
        self.watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, name: str, done: int, size: int | None) -> None:
        """So much of this file has been read."""
        if self.shown is None:
            if not self.watched or time.monotonic() - self.began < PATIENCE:
                return
            self._show()
        if name not in self.tasks:
            from ndcg_lib.files.plain import show

            self.tasks[name] = self.shown.add_task(show(os.path.basename(name)), total=size)
        self.shown.update(self.tasks[name], completed=done)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.shown is not None:
            self.shown.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        self.shown = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.shown.start()
