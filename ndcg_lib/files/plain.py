"""One line at a time, in plain Python: what the lines of a TREC file mean, and what is wrong with a bad one.

The fast reader takes only lines whose meaning is beyond doubt and leaves the rest to this module; so every message
about a line has its home here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

TOKEN = re.compile(rb"[^ \t\n\v\f\r]+")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
INFINITY = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
COMMENT = b"#"  # begins a line that trec_eval leaves out as well
SHOWN = 60


@dataclass(frozen=True)
class Kind:
    """The columns of a kind of file."""

    name: str
    columns: tuple[str, ...]

    @property
    def value(self) -> str:
        """What the number of a line is called."""
        return "score" if "score" in self.columns else "grade"

    @property
    def value_column(self) -> int:
        """Where the number of a line is."""
        return self.columns.index(self.value)


RUN = Kind("run", ("query", "Q0", "document", "rank", "score", "tag"))
QRELS = Kind("qrels", ("query", "iteration", "document", "grade"))
KINDS = {kind.name: kind for kind in (RUN, QRELS)}

QUERY, DOCUMENT = 0, 2


class Line(NamedTuple):
    """Where the query and the document of a line are, its number, and the line's place in the file."""

    query: tuple[int, int]
    document: tuple[int, int]
    value: float
    number: int


def lines(text: bytes, kind: Kind, file: str, first_line: int = 1) -> list[Line]:
    """The lines of a text that are neither blank nor comments; a ValueError names the first bad one.

    >>> lines(b"51 Q0 d7 1 0.5 me\\n", RUN, "run.txt")
    [Line(query=(0, 2), document=(6, 8), value=0.5, number=1)]
    """
    found = []
    start = 0
    for number, line in enumerate(text.split(b"\n"), first_line):
        entry = _line(line, start, kind, file, number)
        if entry is not None:
            found.append(entry)
        start += len(line) + 1
    return found


def show(token: bytes | str) -> str:
    """A token as it can be printed: short, in one line, without control characters.

    >>> show(b"WT03\\x1b[1m"), show("d" * 100)[-10:]
    ('WT03\\\\x1b[1m', 'ddddddd...')
    """
    text = token if isinstance(token, str) else token[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    text = UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def number_of(token: bytes, kind: Kind) -> float | None:
    """A decimal number, or None. A score may also be infinite; what is too large for a float is not.

    >>> number_of(b"-1.5e3", RUN), number_of(b"1_000", RUN), number_of(b"nan", RUN), number_of(b"1e999", RUN)
    (-1500.0, None, None, None)
    """
    if NUMBER.fullmatch(token):
        value = float(token)
        return None if math.isinf(value) else value
    return float(token) if kind is RUN and INFINITY.fullmatch(token) else None


def check_line(line: bytes, place: str) -> None:
    """Refuse what is not UTF-8 text."""
    if b"\0" in line:
        raise ValueError(f"{place}: a NUL byte: this is not a text file, or it is damaged")
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place}: byte 0x{line[error.start]:02x} is not UTF-8 text: save the file as UTF-8") from None


def duplicate_message(file: str, lines: tuple[int, int], query: bytes | str, document: bytes | str) -> str:
    """What to say of a document that comes twice in a query.

    >>> duplicate_message("run.txt", (3, 9), "51", "d7")
    'run.txt, lines 3 and 9: document d7 comes twice in query 51: give each document of a query once'
    """
    return (
        f"{file}, lines {lines[0]} and {lines[1]}: document {show(document)} comes twice in query {show(query)}: give"
        " each document of a query once"
    )


def _line(line: bytes, start: int, kind: Kind, file: str, number: int) -> Line | None:
    place = f"{file}, line {number}"
    if b"\0" in line or not line.isascii():
        check_line(line, place)
    tokens = [match.span() for match in TOKEN.finditer(line)]
    if not tokens or line.startswith(COMMENT, tokens[0][0]):
        return None
    if len(tokens) != len(kind.columns):
        raise ValueError(f"{place}: {_wrong_columns(line, len(tokens), kind)}")
    (a, b), (c, d), (e, f) = (tokens[column] for column in (QUERY, DOCUMENT, kind.value_column))
    value = number_of(line[e:f], kind)
    if value is None:
        what = "is too large for a number" if NUMBER.fullmatch(line[e:f]) else "is not a number"
        about = f"(query {show(line[a:b])}, document {show(line[c:d])})"
        raise ValueError(f'{place}: {kind.value} "{show(line[e:f])}" {what} {about}')
    return Line((start + a, start + b), (start + c, start + d), value, number)


def _wrong_columns(line: bytes, count: int, kind: Kind) -> str:
    expected = " ".join(kind.columns)
    columns = f"{count} column{'s' if count != 1 else ''}"
    other = next(other for other in KINDS.values() if other is not kind)
    if count == len(other.columns):
        remedy = f"is it a {other.name} file?"
    elif line.lstrip()[:1] in (b"{", b"["):
        remedy = "if this is JSON, say so with format='json' or a name in .json"
    elif count < len(kind.columns) and (b"," in line):
        remedy = "if this is CSV, say so with format='csv' or a name in .csv"
    elif count > len(kind.columns):
        remedy = "ids and tags hold no spaces"
    else:
        remedy = "is the line cut short?"
    return f"{columns}, where a {kind.name} file has {len(kind.columns)} ({expected}): {remedy}"
