"""Where lines come from: a path, a gzip file, a stream or a pipe, in blocks of whole lines."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np

from ndcg_lib.files import plain
from ndcg_lib.files.plain import RUN, Kind

BLOCK = 1 << 20
LARGEST_STEP = 8 * BLOCK
MOST_ROWS = 1 << 20
"""Of one query: its lines are held together, and so little of a packed file can be so many."""
MOST_TEXT = 1 << 28
"""Of a packed file that is read as a whole, unpacked: CSV, JSON, Parquet."""
LONGEST_LINE = 1 << 24
NEAR = 1 << 16
IN_MEMORY = 1 << 26

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with the name of a file, the bytes read so far, and its size where this is known."""


def check_rows(rows: int, name: str, query: str, where: str = "") -> None:
    """Refuse a query that is longer than anybody can mean.

    >>> check_rows(10, "run.txt", "51")
    """
    if rows > MOST_ROWS:
        many = f"has more than {MOST_ROWS:,} lines, more than are read of one query"
        raise ValueError(f"{name}: the query {query[:60]!r}{where} {many}: cut its list")


@dataclass
class Source:
    """A file that can be read, also a second time: to name two lines, or where the lines of a query are scattered."""

    name: str
    stream: BinaryIO
    size: int | None = None
    progress: Progress | None = None
    owned: bool = True
    packed: BinaryIO | None = field(default=None, repr=False)

    def close(self) -> None:
        """Close what this source opened."""
        for stream in (self.stream, self.packed):
            if self.owned and stream is not None:
                stream.close()

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        pieces, left = [], size
        try:
            while left and (piece := self.stream.read(left)):
                pieces.append(_bytes(piece, self.name))
                left -= len(piece)
        except EOFError:
            raise ValueError(f"{self.name}: the gzip data end in the middle: the file is cut short") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{self.name}: the gzip data are damaged ({error})") from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
        if self.progress is not None and pieces:
            self.progress(self.name, (self.packed or self.stream).tell(), self.size)
        return b"".join(pieces)

    def blocks(self, kind: Kind) -> Iterator[tuple[bytes, int]]:
        """Whole lines from the beginning on, with the number of the first; the lines of a query together if possible.

        >>> list(open_source(io.BytesIO(b"a 0 d1 1\\na 0 d2 1")).blocks(plain.QRELS))
        [(b'a 0 d1 1\\na 0 d2 1', 1)]
        """
        text, before, line, step = self.start(), b"", 1, BLOCK
        while len(piece := self.read(step)) == step:
            text += piece
            cut = _before_last_query(text)
            if cut:
                yield text[:cut], line
                line += int(np.count_nonzero(np.frombuffer(text, np.uint8, cut) == ord("\n")))
                before = text[max(cut - NEAR, 0) : cut]
            elif len(text) > LONGEST_LINE and b"\n" not in text:
                raise ValueError(f"{self.name}, line {line}: longer than {LONGEST_LINE >> 20} MiB: not a file of lines")
            else:
                self._check_rows(text, line)
            text, step = text[cut:], BLOCK if cut else min(2 * step, LARGEST_STEP)
        text += piece
        if not _before_last_query(text):
            self._check_rows(text, line)
        if not text and line == 1:
            raise ValueError(f"{self.name} is empty")
        if kind is RUN and text[-1:] not in b"\n":
            _refuse_cut_short(before + text, self.name, line + text.count(b"\n"))
        yield text, line

    def _check_rows(self, text: bytes, line: int) -> None:
        """Refuse lines of one query, if they are too many."""
        query = (text[:1000].split() or [b""])[0]
        check_rows(text.count(b"\n"), self.name, query.decode("utf-8", "replace"), f" at line {line}")

    def text(self) -> bytes:
        """All of it."""
        pieces, left = [self.start()], MOST_TEXT
        while piece := self.read(BLOCK):
            pieces.append(piece)
            left -= len(piece)
            if left < 0 and self.packed is not None:
                size = f"more than {MOST_TEXT >> 20:,} MiB when unpacked"
                raise ValueError(f"{self.name}: {size}: unpack it, or give TREC lines, which are read in pieces")
        if not (text := b"".join(pieces)):
            raise ValueError(f"{self.name} is empty")
        return text

    def start(self, size: int = 3) -> bytes:
        """The first bytes, without the mark of UTF-8 that some editors put there."""
        self.stream.seek(0)
        start = self.read(size)
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise ValueError(f"{self.name} is UTF-16 text: save it as UTF-8")
        return start.removeprefix(b"\xef\xbb\xbf")


def open_source(file: Any, progress: Progress | None = None) -> Source:
    """Open a path, or take a binary stream; gzip is known by its first bytes.

    >>> open_source(io.BytesIO(b"51 Q0 d1 1 0.5 me")).name
    'the stream'
    """
    if hasattr(file, "read"):
        stream = file.buffer if isinstance(file, io.TextIOBase) and hasattr(file, "buffer") else file
        name, owned, size = str(getattr(stream, "name", "the stream")), False, None
        name = "standard input" if name in ("<stdin>", "0") else name
    else:
        name, owned = os.fsdecode(file), True
        stream = open(file, "rb")  # noqa: SIM115 - the Source closes it
        size = os.fstat(stream.fileno()).st_size or None
    source = Source(name, cast(BinaryIO, stream), size, progress, owned)
    try:
        if not source.stream.seekable():
            _keep(source)
        head = _bytes(source.stream.read(2), name)
        source.stream.seek(0)
    except BaseException as error:
        source.close()
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, error.strerror, name) from None
        raise
    if head == b"\x1f\x8b":
        source.packed = source.stream
        source.stream = cast(BinaryIO, gzip.GzipFile(fileobj=source.packed, mode="rb"))
    return source


def _keep(source: Source) -> None:
    """A pipe cannot be read a second time, so its bytes are kept, on the disk where they are many."""
    kept = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the Source closes it
    while piece := source.stream.read(BLOCK):
        kept.write(_bytes(piece, source.name))
        if source.progress is not None:
            source.progress(source.name, kept.tell(), None)
    source.close()
    kept.seek(0)
    source.stream, source.owned, source.progress = cast(BinaryIO, kept), True, None


def _bytes(piece: object, name: str) -> bytes:
    if not isinstance(piece, bytes):
        raise ValueError(f"{name} is a stream of text: open it in binary mode")
    return piece


def _before_last_query(text: bytes) -> int:
    """Where the lines of the last query begin: they may go on in the next block. 0 where there is no other query.

    >>> _before_last_query(b"a 1\\nb 1\\nb 2\\nb"), _before_last_query(b"a 1\\na 2")
    (4, 0)
    """
    end = text.rfind(b"\n") + 1
    low, high = 0, text.rfind(b"\n", 0, max(end - 1, 0)) + 1
    query = text[high:end].split(None, 1)[:1]
    while low < high:  # if the lines of a query do not stand together, this shows later
        middle = (low + high) // 2
        line = text.rfind(b"\n", 0, middle) + 1
        if text[line : text.find(b"\n", line)].split(None, 1)[:1] == query:
            high = line
        else:
            low = text.find(b"\n", middle) + 1
    return high


def _refuse_cut_short(text: bytes, file: str, number: int) -> None:
    """Refuse a run whose last line has no newline and ends like a piece of the line before: it was cut in the tag."""
    lines = [words for line in text.split(b"\n") if (words := line.split()) and not words[0].startswith(plain.COMMENT)]
    ends_with_a_line = [len(words) for words in lines[-2:]] == [len(RUN.columns)] * 2
    if not ends_with_a_line or lines[-1] != text.rpartition(b"\n")[2].split():
        return
    before, last = lines[-2][-1], lines[-1][-1]
    if last != before and before.startswith(last):
        raise ValueError(
            f"{file}, line {number}: the file seems to be cut short: it ends with"
            f' "{plain.show(last)}" where the line before has "{plain.show(before)}", without a newline'
        )
