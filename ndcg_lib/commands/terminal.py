"""Text for the terminal it goes to: colours only where they show, plain letters where there are no others; a bar."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import unicodedata
from types import TracebackType
from typing import Any, TextIO

_PLAIN = {
    "…": "...", "–": "-", "—": "-", "−": "-", "×": "x", "·": ".", "√": "sqrt", "Σ": "sum", "≥": ">=", "≤": "<=",
    "→": "->", "“": '"', "”": '"', "‘": "'", "’": "'", "\N{NO-BREAK SPACE}": " ", "ß": "ss", "•": "*", "│": "|",
    "─": "-", "✓": "ok", "✗": "no", "∞": "inf",
}  # fmt: skip


def say(text: str) -> None:
    """Print a text; bold and dim parts stay so on a terminal that can show them."""
    import click

    stream: TextIO | None = sys.stdout
    if stream is None:
        raise ValueError("the standard output is closed")
    click.echo(plain(text, stream), file=stream, color=in_colour(stream))


def complain(text: str) -> None:
    """Print a line to stderr, whatever its encoding and even if nobody reads it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it may be closed
        sys.stderr.write(plain(text, sys.stderr) + "\n")
        sys.stderr.flush()


def bold(text: str) -> str:
    """A text in bold."""
    return f"\x1b[1m{text}\x1b[0m"


def dim(text: str) -> str:
    """A text that stands back."""
    return f"\x1b[2m{text}\x1b[0m"


def in_colour(stream: Any) -> bool:
    """Whether the stream is a terminal that shows colours, and nobody asked for none (no-color.org)."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def plain(text: str, stream: TextIO) -> str:
    """The text in letters that the stream has.

    >>> import io
    >>> plain("log₂ 3 × 2 → …", io.TextIOWrapper(io.BytesIO(), "ascii"))
    'log2 3 x 2 -> ...'
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_letter(letter, encoding) for letter in text)
    return text


def _letter(letter: str, encoding: str) -> str:
    for candidate in (letter, _PLAIN.get(letter, ""), unicodedata.normalize("NFKD", letter)):
        kept = candidate.encode(encoding, "ignore").decode(encoding)
        if kept:
            return kept
    return "?"


# ---- a bar for what takes longer than a second ----

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
