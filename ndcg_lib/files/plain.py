"""The reference reader of TREC files: what a line means, and every message about a bad one.

The fast reader takes only blocks whose meaning is beyond doubt and leaves the rest to this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
INFINITY = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
COMMENT = b"#"  # begins a line that trec_eval leaves out as well
SHOWN = 60
NAMED = 10


class Kind(NamedTuple):
    """A kind of file: its columns, which of them is the number, and where. Query and document are columns 0 and 2."""

    name: str
    columns: tuple[str, ...]
    value: str
    value_column: int


RUN = Kind("run", ("query", "Q0", "document", "rank", "score", "tag"), "score", 4)
QRELS = Kind("qrels", ("query", "iteration", "document", "grade"), "grade", 3)
KINDS = {kind.name: kind for kind in (RUN, QRELS)}


class Line(NamedTuple):
    """What a line says, and its number in the file."""

    query: bytes
    document: bytes
    value: float
    number: int


def read(text: bytes, kind: Kind, file: str, first_line: int = 1) -> list[Line]:
    """The lines of a text that are neither blank nor comments; a ValueError names the first bad one."""
    found = []
    for number, line in enumerate(text.split(b"\n"), first_line):
        place, words = f"{file}, line {number}", line.split()
        check_text(line, place)
        if not words or words[0].startswith(COMMENT):
            continue
        if len(words) != len(kind.columns) and not _has_long_tag(words, kind):
            raise ValueError(f"{place}: {_wrong_columns(line, len(words), kind)}")
        token = words[kind.value_column]
        value = number_of(token, kind)
        if value is None:
            what = "is too large for a number" if NUMBER.fullmatch(token) else "is not a number"
            about = f"(query {show(words[0])}, document {show(words[2])})"
            raise ValueError(f'{place}: {kind.value} "{show(token)}" {what} {about}')
        found.append(Line(words[0], words[2], value, number))
    return found


def number_of(token: bytes, kind: Kind) -> float | None:
    """A decimal number, or None. A score may also be infinite; what is too large for a float is not.

    >>> number_of(b"-1.5e3", RUN), number_of(b"1_000", RUN), number_of(b"nan", RUN), number_of(b"1e999", RUN)
    (-1500.0, None, None, None)
    """
    if NUMBER.fullmatch(token):
        return None if math.isinf(value := float(token)) else value
    return float(token) if kind is RUN and INFINITY.fullmatch(token) else None


def show(token: bytes | str) -> str:
    """A token as it can be printed: short, in one line, without control characters."""
    text = token if isinstance(token, str) else token[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    text = UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def check_text(line: bytes, place: str) -> None:
    """Refuse what is not UTF-8 text."""
    if b"\0" in line:
        raise ValueError(f"{place}: a NUL byte: this is not a text file, or it is damaged")
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place}: byte 0x{line[error.start]:02x} is not UTF-8 text: save the file as UTF-8") from None


def named(queries: Sequence[str]) -> str:
    """The names of queries behind a sentence.

    >>> named(["51", "52"]), named([])
    (' (51, 52)', '')
    """
    rest = f" and {len(queries) - NAMED} more" if len(queries) > NAMED else ""
    return f" ({', '.join(map(show, queries[:NAMED]))}{rest})" if queries else ""


class Twice(ValueError):
    """A document, or another name, that comes twice where it may come once."""


def refuse_twice(lines: Iterable[tuple[bytes, bytes, float, int]], file: str) -> None:
    """Name the two lines of a document that comes twice in a query, if there is one."""
    seen: dict[tuple[bytes, bytes], int] = {}
    for query, document, _, number in lines:
        first = seen.setdefault((query, document), number)
        if first != number:
            raise Twice(twice_message(file, "line", (first, number), query, document))


def twice_message(file: str, unit: str, places: tuple[int, int], query: bytes | str, document: bytes | str) -> str:
    """What to say of a document that comes twice in a query."""
    where, what = f"{file}, {unit}s {places[0]} and {places[1]}", f"document {show(document)} comes twice"
    return f"{where}: {what} in query {show(query)}: give each document of a query once"


def _has_long_tag(words: list[bytes], kind: Kind) -> bool:
    """Whether all behind the score is one tag, as trec_eval reads it; where it could be an id with a space, it is not.

    >>> [_has_long_tag(line.split(), RUN) for line in (b"51 Q0 d7 1 12.5 my first run", b"51 Q0 d 7 1 12.5 me")]
    [True, False]
    """
    return kind is RUN and len(words) > 6 and words[3].lstrip(b"-").isdigit() and not NUMBER.fullmatch(words[5])


def _wrong_columns(line: bytes, count: int, kind: Kind) -> str:
    other = next(other for other in KINDS.values() if other is not kind)
    if count == len(other.columns):
        remedy = f"is it a {other.name} file?"
    elif line.lstrip()[:1] in (b"{", b"["):
        remedy = "if this is JSON, say so with format='json' or a name in .json"
    elif count < len(kind.columns) and b"," in line:
        remedy = "if this is CSV, say so with format='csv' or a name in .csv"
    else:
        remedy = "an id holds no space" if count > len(kind.columns) else "is the line cut short?"
    columns = f"{count} column{'s' if count != 1 else ''}, where a {kind.name} file has {len(kind.columns)}"
    return f"{columns} ({' '.join(kind.columns)}): {remedy}"
