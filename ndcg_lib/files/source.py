"""Where lines come from: a path, a gzip file, a pipe. Blocks of whole lines, with their number in the file."""

from __future__ import annotations

import gzip
import io
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.files.decimals import PADDING

BLOCK = 1 << 20
LONGEST_LINE = 1 << 24
IN_MEMORY = 1 << 26
NEWLINE = ord("\n")

_QUERY = re.compile(rb"\s*\S+\s")  # with the byte behind it, so that query 1 does not begin query 12

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with the name of a file, the bytes read so far, and its size where this is known."""


@dataclass(frozen=True)
class Block:
    """Whole lines of a file, with PADDING bytes before them, the last of these a newline."""

    text: NDArray[np.uint8]
    end: int
    first_line: int
    file: str
    unfinished: bool = False

    @property
    def words(self) -> NDArray[np.uint64]:
        """The overlapping little-endian 8-byte words of the text."""
        return np.ndarray(len(self.text) - 7, "<u8", cast(Any, self.text), strides=(1,))

    def bytes(self) -> bytes:
        """The lines as they are in the file."""
        return self.text[PADDING : self.end].tobytes()

    def part(self, start: int, end: int) -> NDArray[np.uint8]:
        """A piece of the text."""
        return self.text[start:end]


@dataclass
class Source:
    """A file that can be read, also a second time where the lines of a query turn out to be scattered."""

    name: str
    stream: BinaryIO
    size: int | None = None
    progress: Progress | None = None
    owned: bool = True
    packed: BinaryIO | None = field(default=None, repr=False)

    def rewind(self) -> None:
        """Back to the first byte."""
        self.stream.seek(0)

    def close(self) -> None:
        """Close what this source opened."""
        for stream in (self.stream, self.packed):
            if self.owned and stream is not None:
                stream.close()

    def read(self, target: memoryview) -> int:
        """Fill the target as far as there are bytes."""
        got = 0
        try:
            while got < len(target):
                count = cast(io.BufferedReader, self.stream).readinto(target[got:])
                if not count:
                    break
                got += count
        except EOFError:
            raise ValueError(f"{self.name}: the gzip data end in the middle: the file is cut short") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{self.name}: the gzip data are damaged ({error})") from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
        if self.progress is not None and got:
            self.progress(self.name, (self.packed or self.stream).tell(), self.size)
        return got

    def read_all(self) -> bytes:
        """All bytes from here on."""
        pieces = []
        while True:
            piece = bytearray(BLOCK)
            got = self.read(memoryview(piece))
            pieces.append(bytes(piece[:got]))
            if got < BLOCK:
                return b"".join(pieces)


def open_source(file: Any, progress: Progress | None = None) -> Source:
    """Open a path, or take a binary stream; gzip is known by its first bytes.

    >>> open_source(io.BytesIO(b"51 Q0 d1 1 0.5 me")).name
    'the stream'
    """
    if hasattr(file, "read"):
        stream, name = _binary(file), str(getattr(file, "name", "the stream"))
        name, owned, size = ("standard input" if name in ("<stdin>", "0") else name), False, None
    else:
        name, owned = os.fsdecode(file), True
        stream = open(file, "rb", buffering=0)  # noqa: SIM115 - the Source closes it
        size = os.fstat(stream.fileno()).st_size or None
    try:
        return _unpacked(Source(name, cast(BinaryIO, stream), size, progress, owned))
    except BaseException as error:
        if owned:
            stream.close()
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, error.strerror, name) from None
        raise


def _binary(file: Any) -> Any:
    """The bytes behind a text stream, and a stream of bytes itself."""
    return file.buffer if isinstance(file, io.TextIOBase) and hasattr(file, "buffer") else file


def _unpacked(source: Source) -> Source:
    if not source.stream.seekable():
        kept = _kept(source)
        source.close()
        source.stream, source.owned = kept, True
    head = _bytes(source.stream.read(2), source.name)
    source.rewind()
    if head == b"\x1f\x8b":
        source.packed = source.stream
        source.stream = cast(BinaryIO, gzip.GzipFile(fileobj=source.packed, mode="rb"))
    return source


def _kept(source: Source) -> BinaryIO:
    """A pipe cannot be read a second time, so its bytes are kept, on the disk where they are many."""
    kept = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the Source closes it
    while piece := source.stream.read(BLOCK):
        kept.write(_bytes(piece, source.name))
        if source.progress is not None:
            source.progress(source.name, kept.tell(), None)
    source.progress = None
    kept.seek(0)
    return cast(BinaryIO, kept)


def _bytes(piece: object, name: str) -> bytes:
    if not isinstance(piece, bytes):
        raise ValueError(f"{name} is a stream of text: open it in binary mode")
    return piece


def blocks(source: Source, size: int | None = None) -> Iterator[Block]:
    """Blocks of whole lines that end, where possible, with the last line of a query.

    >>> [block.bytes() for block in blocks(open_source(io.BytesIO(b"a 1\\na 2\\nb 1\\nb 2")), size=13)]
    [b'a 1\\na 2\\n', b'b 1\\nb 2\\n']
    """
    source.rewind()
    size = step = max(size or BLOCK, 3)  # as long as the mark that may come first
    rest, first_line, begun = np.empty(0, np.uint8), 1, False
    while True:
        text = np.empty(PADDING + len(rest) + step + 8, np.uint8)
        text[: PADDING - 1] = ord("0")
        text[PADDING - 1] = NEWLINE
        text[-8:] = NEWLINE
        body = PADDING + len(rest)
        text[PADDING:body] = rest
        count = source.read(text[body : body + step].data)
        end = body + count
        if not begun:
            text, end = _without_mark(text, end, source.name)
            begun = True
        if count < step:
            break
        cut = _after_last_line(text, end, source.name, first_line)
        if cut:
            cut = _after_last_query(text, cut)
        if not cut:
            rest, step = text[PADDING:end], 2 * step
            continue
        yield Block(text, cut, first_line, source.name)
        first_line += int(np.count_nonzero(text[PADDING:cut] == NEWLINE))
        rest, step = text[cut:end], size
    if end == PADDING:
        if first_line == 1:
            raise ValueError(f"{source.name} is empty")
        return
    unfinished = bool(text[end - 1] != NEWLINE)
    text[end : end + 8] = NEWLINE
    yield Block(text, end + unfinished, first_line, source.name, unfinished)


def _without_mark(text: NDArray[np.uint8], end: int, name: str) -> tuple[NDArray[np.uint8], int]:
    """Take away the byte order mark that some editors put before the first line."""
    start = text[PADDING : min(PADDING + 3, end)].tobytes()
    if start == b"\xef\xbb\xbf":
        return np.concatenate((text[:PADDING], text[PADDING + 3 :])), end - 3
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(f"{name} is UTF-16 text: save it as UTF-8")
    return text, end


def _after_last_line(text: NDArray[np.uint8], end: int, name: str, first_line: int) -> int:
    """Where the last whole line ends; 0 where there is none."""
    for start in (max(end - 4096, PADDING), PADDING):
        newlines = np.flatnonzero(text[start:end] == NEWLINE)
        if newlines.size:
            return start + int(newlines[-1]) + 1
    if end - PADDING > LONGEST_LINE:
        raise ValueError(f"{name}, line {first_line}: longer than {LONGEST_LINE >> 20} MiB: not a file of lines")
    return 0


def _after_last_query(text: NDArray[np.uint8], end: int) -> int:
    """Where the last but one query ends: the lines of the last one may go on in the next block."""
    reach = 1 << 16
    while True:
        start = max(end - reach, PADDING - 1)
        before = start + np.flatnonzero(text[start : end - 1] == NEWLINE)  # the newline before each line
        if before.size:
            query = _QUERY.match(text[before[-1] + 1 : end].tobytes())
            same = np.ones(len(before), dtype=bool)
            for place, byte in enumerate(query[0][:64] if query else b""):
                same &= text[np.minimum(before + 1 + place, end - 1)] == byte
            others = np.flatnonzero(~same)
            if others.size:
                return int(before[others[-1] + 1]) + 1
        if start == PADDING - 1:
            return 0
        reach *= 4
