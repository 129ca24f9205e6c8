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
Letters: TypeAlias = NDArray[np.uint8]

PADDING = 24  # bytes around a text, so that whole words can be read beside every token
SPACE, TAB, NEWLINE, MINUS = b" \t\n-"
LONG = 64  # bytes of an id that are mixed word by word

_FIRST = np.array([2 ** (8 * count) - 1 for count in range(9)], np.uint64)  # the first bytes of a word
_LAST = np.array([2**64 - 2 ** (64 - 8 * count) for count in range(9)], np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_POWERS = 10 ** np.arange(18, dtype=np.int64)
_LONG_FLOATS = bool(np.finfo(np.longdouble).nmant >= 63)  # holds every int64; not so everywhere
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

    @staticmethod
    def joined(parts: Iterable[Ids]) -> Ids:
        """The ids of several texts, one after the other, and nothing else of the texts.

        >>> Ids.joined([Ids.of([b"d1", b"d22"]), Ids.of([b"d3"])]).at()
        [b'd1', b'd22', b'd3']
        """
        texts, sizes = [], [np.empty(0, np.int64)]
        for ids in parts:
            size = ids.end - ids.start
            place = np.arange(int(size.sum())) + np.repeat(ids.start - np.cumsum(size) + size, size)
            texts.append(np.frombuffer(ids.text, np.uint8)[place].tobytes())
            sizes.append(size)
        size = np.concatenate(sizes)
        end = PADDING + np.cumsum(size)
        return Ids(padded(b"".join(texts)), end - size, end)

    def __len__(self) -> int:
        return len(self.start)

    def at(self, rows: Any = slice(None)) -> list[bytes]:
        """Some of the ids, or all."""
        spans = zip(self.start[rows].tolist(), self.end[rows].tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]

    def take(self, rows: Ints | slice) -> Ids:
        """Some of the ids, in the same text."""
        return Ids(self.text, self.start[rows], self.end[rows])

    @cached_property
    def keys(self) -> Words:
        """A number for each id, the same for the same bytes; that two ids share one is next to impossible.

        >>> one, two, again = Ids.of([b"d1", b"d2", b"d1"]).keys
        >>> bool(one == again), bool(one == two)
        (True, False)
        """
        size = self.end - self.start
        mixed = size.astype(np.uint64) * _MIX
        for offset in range(0, min(int(size.max(initial=0)), LONG), 8):
            rows: Any = slice(None) if size.min() > offset else np.flatnonzero(size > offset)
            mixed[rows] = _stirred(mixed[rows], self.words(offset, rows))
        for row in np.flatnonzero(size > LONG).tolist():
            mixed[row] = hash(self.text[self.start[row] : self.end[row]]) & 0xFFFFFFFFFFFFFFFF
        return mixed * _MIX

    def words(self, offset: int, rows: Any = slice(None)) -> Words:
        """Eight bytes of each id from this offset on; 0 where it ends before."""
        start, end = self.start[rows] + offset, self.end[rows]
        left, words = end - start, words_of(self.text)
        least = int(left.min())
        word: Words = words[start if least >= 0 else np.minimum(start, end)]
        if least < 8:
            word &= _FIRST.take(left, mode="clip")
        return word

    def same(self, other: Ids) -> NDArray[np.bool_]:
        """Whether each id is that of the other at the same place.

        >>> Ids.of([b"d1", b"d2"]).same(Ids.of([b"d1", b"d20"])).tolist()
        [True, False]
        """
        size = self.end - self.start
        equal: NDArray[np.bool_] = size == other.end - other.start
        for offset in range(0, int(size.max(initial=0)), 8):
            equal &= self.words(offset) == other.words(offset)
        return equal


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
        if not len(self.value):
            return np.zeros(1, np.int64)
        size = self.query.end - self.query.start
        same = size[1:] == size[:-1]
        for offset in range(0, int(size.max()), 8):
            word = self.query.words(offset)
            same &= word[1:] == word[:-1]
        return np.concatenate(([0], np.flatnonzero(~same) + 1, [len(size)]))


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
    text = padded(text if text.endswith(b"\n") else text + b"\n")
    letters, columns = np.frombuffer(text, np.uint8), len(kind.columns)
    spans = _single_separators(letters, columns) or _any_whitespace(letters, columns)
    if spans is None:
        return None
    (query, document, number) = ((spans[0][:, at] + 1, spans[1][:, at]) for at in (0, 2, kind.value_column))
    if (letters[query[0]] == ord(plain.COMMENT)).any():
        return None
    value = _numbers(text, *number, kind)
    return value if value is None else Lines(Ids(text, *query), Ids(text, *document), value)


def _single_separators(letters: Letters, columns: int) -> tuple[Ints, Ints] | None:
    """The byte before and behind each column, where one space or tab separates them, as in nearly all files."""
    blanks = letters <= SPACE
    blank = np.flatnonzero(blanks)[PADDING - 1 : -PADDING]  # with the newline before the first line
    rows = len(blank) // columns
    two = blanks[PADDING:-PADDING] & blanks[PADDING - 1 : -PADDING - 1]
    if not rows or len(blank) != rows * columns + 1 or two.any():
        return None
    before, end = blank[:-1].reshape(rows, columns), blank[1:].reshape(rows, columns)
    tabs = rows * (columns - 1) - int(np.count_nonzero(letters == SPACE))
    if (tabs and tabs != np.count_nonzero(letters == TAB)) or (letters[end[:, -1]] != NEWLINE).any():
        return None  # so that nothing else stands for a blank, and no newline but at the end of a line
    return before, end


def _any_whitespace(letters: Letters, columns: int) -> tuple[Ints, Ints] | None:
    """Lines with any whitespace that C knows: runs of spaces, carriage returns, blank lines."""
    blank = (letters == SPACE) | (letters - TAB <= 4)
    before = np.flatnonzero(blank[:-1] & ~blank[1:])
    end = np.flatnonzero(~blank[:-1] & blank[1:]) + 1
    rows = len(before) // columns
    if not rows or len(before) != rows * columns:
        return None
    befores, ends = before.reshape(rows, columns), end.reshape(rows, columns)
    newlines = np.flatnonzero(letters == NEWLINE)
    line = newlines.searchsorted(befores[:, 0], "right")
    if (line != newlines.searchsorted(befores[:, -1], "right")).any() or (line[1:] == line[:-1]).any():
        return None
    return befores, ends


def _numbers(text: bytes, start: Ints, end: Ints, kind: Kind) -> NDArray[np.float64] | None:
    """The numbers between start and end; None where one of them is none. Eight digits are read as one word.

    The point is taken for a digit 0 and removed afterwards. Digits / 10^decimals is rounded once where both are floats
    without a rounding; where they are not, in the longest float of this machine. What is in doubt, Python reads.
    """
    negative = np.frombuffer(text, np.uint8)[start] == MINUS
    size = end - start - negative
    words, longest, shortest = words_of(text), int(size.max()), int(size.min())
    good = (size > 0) & (size <= 24)
    total, behind = np.zeros(len(end), np.int64), np.full(len(end), -1)
    for step in range(min(-(-longest // 8), 3)):
        word = words[end - 8 * (step + 1)] ^ _ZEROS
        if shortest < 8 * (step + 1):
            word &= _LAST.take(size - 8 * step, mode="clip")
        points = word ^ _POINT
        points = ~(((points & _LOW7) + _LOW7) | points | _LOW7)  # 0x80 in each byte that is a point
        if points.any():
            here = points != 0
            good &= ~here | ((behind < 0) & (points & (points - np.uint64(1)) == 0))
            place = (points.astype(np.float64).view(np.int64) >> 52) - 1023  # 8 * byte + 7
            behind = np.where(here, 8 * step + 7 - (place >> 3), behind)
            word &= ~((points >> np.uint64(7)) * np.uint64(255))
        good &= ((word + _TO_TOP) | word) & _TOP == 0
        word = ((word * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
        word = ((word * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
        eight = ((word * np.uint64(42949672960001)) >> np.uint64(32)).view(np.int64)
        if step == 2:
            good &= eight < 100
            eight = np.where(eight < 100, eight, 0)
        total += eight * 10 ** (8 * step)
    pointed = behind >= 0
    good &= (~pointed | (size > 1)) & (behind < 18)
    least, most = int(behind.min()), int(behind.max())
    power: Any = 10**least if 0 <= least == most < 18 else _POWERS.take(behind, mode="clip")
    digits = total - 9 * power * (total // (10 * power))  # 12 0 5 is 12 * 10 + 5
    if least < 0:
        digits = np.where(pointed, digits, total)
    value: NDArray[np.float64] = digits / power
    if digits.max() > 2**53:
        quotient = digits.astype(np.longdouble) / power
        value = quotient.astype(np.float64)
        good &= (digits <= 2**53) | (_LONG_FLOATS & (np.abs(quotient - value) * 2 != np.spacing(value)))
    np.negative(value, out=value, where=negative)
    for row in np.flatnonzero(~good).tolist():
        exact = plain.number_of(text[start[row] : end[row]], kind)
        if exact is None:
            return None
        value[row] = exact
    return value


def _stirred(mixed: Words, word: Words) -> Words:
    mixed = (mixed ^ word) * _MIX
    mixed ^= mixed >> np.uint64(32)
    return mixed


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
