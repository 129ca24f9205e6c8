"""Text for the terminal it goes to: colours only where they show, and plain letters where there are no others."""

from __future__ import annotations

import contextlib
import os
import sys
import unicodedata
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
