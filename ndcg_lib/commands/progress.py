"""A bar on the terminal for what takes longer than a second."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0


class Bar:
    """Called with a name, how much is done and how much there is; shows nothing where nobody watches.

    What is done are the bytes of a file, or, where it is `counted`, things of which it says how many take a second.
    """

    def __init__(self, *, counted: bool = False) -> None:
        self.began = time.monotonic()
        self.counted = counted
        self.shown: Any = None
        self.tasks: dict[str, Any] = {}
        self.watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, name: str, done: int, size: int | None) -> None:
        """So much has been done."""
        passed = time.monotonic() - self.began
        if self.shown is None:
            if not self.watched or passed < PATIENCE:
                return
            self._show()
        if name not in self.tasks:
            from ndcg_lib.files.plain import show

            self.tasks[name] = self.shown.add_task(show(os.path.basename(name)), total=size, rate="")
        self.shown.update(self.tasks[name], completed=done, rate=f"{done / max(passed, 1e-9):.0f}/s")

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.shown is not None:
            self.shown.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self.shown = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            *([MofNCompleteColumn(), TextColumn("{task.fields[rate]}")] if self.counted else [DownloadColumn()]),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.shown.start()
