"""The lines of a block as arrays: where each query and document is, and the number of each line.

Only numpy, because nothing that was tried is better: pyarrow's reader of CSV takes three times the processor time of
the whole evaluation for a run of 10,000,000 lines, and eight times the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.files import decimals, plain
from ndcg_lib.files.decimals import PADDING, Ints
from ndcg_lib.files.ids import Ids
from ndcg_lib.files.plain import DOCUMENT, QUERY, Kind
from ndcg_lib.files.source import NEWLINE, Block
from ndcg_lib.types import Array

SPACE, TAB, CARRIAGE_RETURN = ord(" "), ord("\t"), ord("\r")


@dataclass(frozen=True)
class Lines:
    """The lines of a block in the order of the file."""

    block: Block
    queries: Ids
    documents: Ids
    value: Array
    number: Ints
    comments: int = 0

    def __len__(self) -> int:
        return len(self.value)

    def groups(self) -> Ints:
        """Where the query changes: group i is made of the lines bounds[i] to bounds[i + 1]."""
        return np.append(self.queries.changes(), len(self))


def read_lines(block: Block, kind: Kind) -> Lines:
    """The lines of a block; a ValueError names the first bad one."""
    return checked(fast_lines(block, kind) or plain_lines(block, kind), kind)


def checked(lines: Lines, kind: Kind) -> Lines:
    """The lines, unless the last of them seems to be cut short."""
    if lines.block.unfinished and kind is plain.RUN and len(lines) > 1:
        before, last = _last_word(lines, -2), _last_word(lines, -1)
        if last != before and before.startswith(last):
            raise ValueError(
                f"{lines.block.file}, line {lines.number[-1]}: the file seems to be cut short: it ends with"
                f' "{plain.show(last)}" where the line before has "{plain.show(before)}", without a newline'
            )
    return lines


def plain_lines(block: Block, kind: Kind) -> Lines:
    """The lines of a block, read one by one."""
    found = plain.lines(block.bytes(), kind, block.file, block.first_line)
    spans = np.array([(*line.query, *line.document) for line in found], np.int64).reshape(-1, 4).T + PADDING
    values = np.array([line.value for line in found], np.float64)
    numbers = np.array([line.number for line in found], np.int64)
    comments = sum(line.lstrip().startswith(plain.COMMENT) for line in block.bytes().split(b"\n"))
    return Lines(block, Ids(block.text, *spans[:2]), Ids(block.text, *spans[2:]), values, numbers, comments)


def fast_lines(block: Block, kind: Kind) -> Lines | None:
    """The lines of a block, read all at once; None where any of them needs a closer look."""
    text = block.text[: block.end]
    if int(text.view(np.int8).min()) <= 0 and not _is_utf8_without_nul(block):
        return None
    spans = _single_separators(text, len(kind.columns)) or _any_whitespace(text, len(kind.columns))
    if spans is None:
        return None
    query, document, number = (
        (spans.before[:, column] + 1, spans.end[:, column]) for column in (QUERY, DOCUMENT, kind.value_column)
    )
    if (text[query[0]] == ord(plain.COMMENT)).any():
        return None
    value, done = decimals.parse(text, block.words, *number)
    for row in np.flatnonzero(~done) if not done.all() else ():
        exact = plain.number_of(block.part(int(number[0][row]), int(number[1][row])).tobytes(), kind)
        if exact is None:
            return None
        value[row] = exact
    queries, documents = Ids(block.text, *query), Ids(block.text, *document)
    return Lines(block, queries, documents, value, block.first_line + spans.line)


class Spans(NamedTuple):
    """A row of columns for each line: the byte before each column, the byte behind it, and the line it is in."""

    before: Ints
    end: Ints
    line: Ints


def _single_separators(text: NDArray[np.uint8], columns: int) -> Spans | None:
    """Lines whose columns are separated by one space or tab each, as nearly all files are."""
    blank = text <= SPACE
    if (blank[1:] & blank[:-1]).any():
        return None
    places = np.flatnonzero(blank)
    rows = len(places) // columns
    if rows == 0 or len(places) - 1 != rows * columns:
        return None
    end = places[1:].reshape(rows, columns)
    separators = int(np.count_nonzero(text == SPACE))
    if separators != rows * (columns - 1):
        separators += int(np.count_nonzero(text == TAB))
    if separators != rows * (columns - 1) or (text[end[:, -1]] != NEWLINE).any():
        return None  # so that nothing else stands for a blank, and no newline but at the end of a line
    return Spans(places[:-1].reshape(rows, columns), end, np.arange(rows))


def _any_whitespace(text: NDArray[np.uint8], columns: int) -> Spans | None:
    """Lines with any whitespace that C knows: runs of spaces, carriage returns, blank lines."""
    blank = (text == SPACE) | (text - TAB <= CARRIAGE_RETURN - TAB)
    before = np.flatnonzero(blank[:-1] & ~blank[1:])
    end = np.flatnonzero(~blank[:-1] & blank[1:])[1:] + 1  # without the end of the padding
    rows = len(before) // columns
    if rows == 0 or len(before) != rows * columns:
        return None
    befores, ends = before.reshape(rows, columns), end.reshape(rows, columns)
    newlines = np.flatnonzero(text == NEWLINE)
    line = newlines.searchsorted(befores[:, 0], "right")
    if (line != newlines.searchsorted(befores[:, -1], "right")).any() or (line[1:] == line[:-1]).any():
        return None
    return Spans(befores, ends, line - 1)


def _is_utf8_without_nul(block: Block) -> bool:
    text = block.bytes()
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in text


def _last_word(lines: Lines, row: int) -> bytes:
    behind = lines.block.text[int(lines.documents.end[row]) : lines.block.end].tobytes()
    return behind.split(b"\n", 1)[0].split()[-1]
