"""The fast reader: the lines of a block as arrays, all at once. What it is not sure of, the plain reader reads.

Only numpy, because nothing that was tried is better: Polars takes 1.4 times the processor time for a run of 10,000,000
lines, pyarrow and DuckDB 1.5 times and four times the memory, and none of them is there in a browser.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.files import plain
from ndcg_lib.files.plain import Kind

Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]

PADDING = 16  # bytes around a text, so that whole words can be read beside every token
SPACE, TAB, NEWLINE, MINUS = b" \t\n-"
LONG = 64  # bytes of an id that are mixed word by word

_FIRST = np.array([2 ** (8 * count) - 1 for count in range(9)], np.uint64)  # the first bytes of a word
_LAST = np.array([2**64 - 2 ** (64 - 8 * count) for count in range(9)], np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_ZEROS, _POINT, _LOW7, _TOP, _TO_TOP = (np.uint64(0x0101010101010101 * byte) for byte in (0x30, 0x1E, 0x7F, 0x80, 0x76))


@dataclass(frozen=True)
class Ids:
    """Ids as they stand in a text: from start to end of each."""

    text: bytes
    start: Ints
    end: Ints

    @staticmethod
    def of(ids: Iterable[bytes]) -> Ids:
        """Ids from bytes.

        >>> Ids.of([b"d1", b"d22"]).at([1])
        [b'd22']
        """
        ids = list(ids)
        size = np.array([len(one) for one in ids], np.int64)
        end = PADDING + np.cumsum(size)
        return Ids(padded(b"".join(ids)), end - size, end)

    def __len__(self) -> int:
        return len(self.start)

    def at(self, rows: Any = slice(None)) -> list[bytes]:
        """Some of the ids, or all."""
        spans = zip(self.start[rows].tolist(), self.end[rows].tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]

    def take(self, rows: Ints) -> Ids:
        """Some of the ids, in the same text."""
        return Ids(self.text, self.start[rows], self.end[rows])

    @cached_property
    def keys(self) -> Words:
        """A number for each id, the same for the same bytes; that two ids share one is next to impossible.

        >>> one, two, again = Ids.of([b"d1", b"d2", b"d1"]).keys
        >>> bool(one == again), bool(one == two)
        (True, False)
        """
        size, words = self.end - self.start, words_of(self.text)
        mixed = size.astype(np.uint64) * _MIX
        for offset in range(0, min(int(size.max(initial=0)), LONG), 8):
            rows = slice(None) if (left := size - offset).min() > 0 else np.flatnonzero(left > 0)
            mixed[rows] = (mixed[rows] ^ (words[self.start[rows] + offset] & _FIRST[np.minimum(left[rows], 8)])) * _MIX
            mixed[rows] ^= mixed[rows] >> np.uint64(32)
        for row in np.flatnonzero(size > LONG).tolist():
            mixed[row] = hash(self.text[self.start[row] : self.end[row]]) & 0xFFFFFFFFFFFFFFFF
        return mixed * _MIX


@dataclass(frozen=True)
class Lines:
    """The lines of a block in the order of the file."""

    query: Ids
    document: Ids
    value: NDArray[np.float64]
    comments: int = 0

    @cached_property
    def bounds(self) -> Ints:
        """Where the query changes: group i is made of the lines bounds[i] to bounds[i + 1]."""
        size, words = self.query.end - self.query.start, words_of(self.query.text)
        new = np.ones(len(size) + 1, bool)
        new[1:-1] = size[1:] != size[:-1]
        for offset in range(0, int(size.max(initial=0)), 8):
            some = np.clip(size - offset, 0, 8)
            word = words[self.query.start + np.minimum(offset, size)] & _FIRST[some]
            new[1:-1] |= word[1:] != word[:-1]
        return np.flatnonzero(new) if len(size) else np.zeros(1, np.int64)


def read_lines(text: bytes, kind: Kind, file: str, first_line: int = 1) -> Lines:
    """The lines of a text; a ValueError names the first bad one."""
    return fast(text, kind) or by_plain(text, kind, file, first_line)


def by_plain(text: bytes, kind: Kind, file: str, first_line: int = 1) -> Lines:
    """The lines of a text, read one by one."""
    found = plain.read(text, kind, file, first_line)
    comments = sum(line.lstrip().startswith(plain.COMMENT) for line in text.split(b"\n"))
    values = np.array([line.value for line in found], np.float64)
    return Lines(Ids.of(line.query for line in found), Ids.of(line.document for line in found), values, comments)


def fast(text: bytes, kind: Kind) -> Lines | None:
    """The lines of a text; None where any of them needs a closer look."""
    if b"\0" in text or not (text.isascii() or _is_utf8(text)):
        return None
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    if (lines := _regular(text, kind)) is not None:
        return lines
    rows = [row for line in text.split(b"\n") if (row := line.split())]
    kept = [row for row in rows if not row[0].startswith(plain.COMMENT)]
    tidy = b"".join(b" ".join(row) + b"\n" for row in kept)
    return _regular(tidy, kind, len(rows) - len(kept)) if kept else None


def _regular(text: bytes, kind: Kind, comments: int = 0) -> Lines | None:
    """Lines whose columns are separated by one space or tab each, as nearly all files are."""
    text = padded(text if text.endswith(b"\n") else text + b"\n")
    letters, columns = np.frombuffer(text, np.uint8), len(kind.columns)
    blank = np.flatnonzero(letters <= SPACE)[PADDING - 1 : -PADDING]
    rows = len(blank) // columns
    if not rows or len(blank) != rows * columns + 1 or (np.diff(blank) == 1).any():
        return None
    ends = blank[1:].reshape(rows, columns)
    separators = letters[blank[1:]].reshape(rows, columns)
    inside = separators[:, :-1]
    if (separators[:, -1] != NEWLINE).any() or not ((inside == SPACE) | (inside == TAB)).all():
        return None
    starts = blank[:-1].reshape(rows, columns) + 1
    if (letters[starts[:, 0]] == ord(plain.COMMENT)).any():
        return None
    at = kind.value_column
    value = _numbers(text, starts[:, at], ends[:, at], kind)
    if value is None:
        return None
    return Lines(Ids(text, starts[:, 0], ends[:, 0]), Ids(text, starts[:, 2], ends[:, 2]), value, comments)


def _numbers(text: bytes, start: Ints, end: Ints, kind: Kind) -> NDArray[np.float64] | None:
    """The numbers between start and end; None where one of them is none. Eight digits are read as one word.

    The point is taken for a digit 0 and removed afterwards. A quotient of two whole numbers below 2^53 is rounded once,
    so it is the float that Python reads; what does not fit (an exponent, more digits) is left to Python itself.
    """
    negative = np.frombuffer(text, np.uint8)[start] == MINUS
    size = end - start - negative
    words, good = words_of(text), (size > 0) & (size <= 16)
    total, behind, power = np.zeros(len(end), np.int64), np.full(len(end), -1), 1
    for step in range(2 if size.max() > 8 else 1):
        word = (words[end - 8 * (step + 1)] ^ _ZEROS) & _LAST[np.clip(size - 8 * step, 0, 8)]
        points = word ^ _POINT
        points = ~(((points & _LOW7) + _LOW7) | points | _LOW7)  # 0x80 in each byte that is a point
        here = points != 0
        good &= ~here | ((behind < 0) & (points & (points - np.uint64(1)) == 0))
        place = (points.astype(np.float64).view(np.int64) >> 52) - 1023  # 8 * byte + 7
        behind = np.where(here, 8 * step + 7 - (place >> 3), behind)
        word &= ~((points >> np.uint64(7)) * np.uint64(255))
        good &= ((word + _TO_TOP) | word) & _TOP == 0
        word = ((word * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
        word = ((word * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
        total += ((word * np.uint64(42949672960001)) >> np.uint64(32)).view(np.int64) * power
        power *= 10**8
    good &= (total < 2**53) & ((behind < 0) | (size > 1))
    scale = 10 ** np.maximum(behind, 0)
    whole = total // (10 * scale)
    digits = np.where(behind < 0, total, total - 9 * whole * scale)  # 12 0 5 is 12 * 10 + 5
    value: NDArray[np.float64] = np.where(negative, -1.0, 1.0) * (digits / scale)
    for row in np.flatnonzero(~good).tolist():
        exact = plain.number_of(text[start[row] : end[row]], kind)
        if exact is None:
            return None
        value[row] = exact
    return value


def padded(text: bytes) -> bytes:
    """A text with PADDING around it; the last byte before it ends a line."""
    return b"\n" * PADDING + text + b"\n" * PADDING


def words_of(text: bytes) -> Words:
    """The overlapping little-endian 8-byte words of a text."""
    return np.ndarray(len(text) - 7, "<u8", text, strides=(1,))


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
