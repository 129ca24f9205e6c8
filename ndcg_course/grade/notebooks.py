"""Takes the code out of a notebook that anyone may have written."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.inside.slim import slim
from ndcg_course.grade.inside.zygote import FEW
from ndcg_course.tasks import assignments

STUDENT_ID = re.compile(r"""^student_id[ \t]*=[ \t]*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|(\d{1,40}))""", re.MULTILINE)
IMPORT = re.compile(r"\bfrom\s+([\w.]+)\s+import\b|\bimport\s+([\w., ]+)")
MAGIC = re.compile(r"^[ \t]*(%|!|\?\w)|^[ \t]*[\w.]+\?{1,2}[ \t]*$|=[ \t]*[%!]\w", re.MULTILINE)

SMALL = frozenset(name.partition(".")[0] for name in FEW.split())
LARGE = 1 << 20  # bytes of a notebook; of a larger one a process of its own takes out what is marked
BLOCK = 1 << 18
SLIM = Path(__file__).with_name("inside") / "slim.py"
LARGEST_PICTURE, MOST_PIXELS = 200_000, 4_000_000


@dataclass(frozen=True)
class Limits:
    """Seconds, bytes and tries for one submission."""

    call: float = 2.0
    task: float = 4.0  # for all calls of one task together, once one of them had to be stopped twice
    cell: float = 5.0
    submission: float = 15.0
    memory: int = 512 << 20
    folder: int = 32 << 20  # what it may leave in its temporary folder
    files: int = 200
    notebook: int = 64 << 20  # the largest notebook that is read, with its outputs
    code: int = 1 << 20  # and the longest code in it
    cells: int = 1000
    restarts: int = 5  # after a crash, for what comes behind it

    @property
    def rlimits(self) -> dict[str, int]:
        """What the kernel enforces.

        >>> Limits().rlimits["CORE"]
        0
        """
        return {
            "CPU": int(self.submission) + 2,
            "FSIZE": 1 << 20,
            "CORE": 0,
            "NOFILE": 64,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
        }


class Unreadable(ValueError):
    """This is no notebook, or one that is refused; says why."""


class Changed(ValueError):
    """Another file stands in the place of the one that was found."""

    def __init__(self) -> None:
        super().__init__("the file was changed or replaced during the run; the same command takes the new one")


@dataclass(frozen=True)
class Notebook:
    """The code cells, in their order, and the pictures that they showed when the notebook was saved."""

    cells: tuple[str, ...]
    pictures: tuple[tuple[int, str], ...] = ()  # of which cell; base64
    seal: str = ""  # of the assignment as it was built when this was handed out
    tries: tuple[Any, ...] = ()  # what is noted of them, as `explain.tries` says; by whomever

    @property
    def magics(self) -> bool:
        """Whether there are lines for IPython."""
        return any(MAGIC.search(cell) for cell in self.cells)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the code."""
        return frozenset(re.findall(r"\w+", "\n".join(self.cells)))

    @property
    def imports_more(self) -> bool:
        """Whether a module is named that a small clean process has not loaded.

        >>> Notebook(("from math import log2",)).imports_more, Notebook(("import numpy as np",)).imports_more
        (False, True)
        """
        found = {word for one in IMPORT.findall("\n".join(self.cells)) for word in re.findall(r"\w+", "".join(one))}
        return bool((found & sys.stdlib_module_names) - SMALL or self.words & {"numpy", "importlib", "__import__"})

    @property
    def student_id(self) -> str:
        """The id that the notebook sets, the last one; "" without any."""
        found = [match for cell in self.cells for match in STUDENT_ID.finditer(cell)]
        return next((part for part in found[-1].groups() if part is not None), "") if found else ""

    def pictures_of(self, task: str) -> list[str]:
        """The pictures below the cells that name a task, the last two."""
        named = {i for i, cell in enumerate(self.cells) if re.search(rf"\b{re.escape(task)}\b", cell)}
        return [picture for i, picture in self.pictures if i in named][-2:]


@dataclass
class Loaded:
    """The bytes of a submission as they were when they were read, and their fingerprint."""

    file: Any  # a copy of them, in memory or without a name on the disk
    size: int
    digest: str

    def slimming(self, limits: Limits, *, locked: bool = True) -> subprocess.Popen[bytes]:
        """A process that takes out what is marked; its answer comes through its output."""
        self.file.rollover()  # a process reads no file in memory
        self.file.seek(0)
        word = "locked" if locked and not sandbox.missing() else "open"
        command = [sys.executable, "-I", "-S", "-B", str(SLIM), str(2 * limits.memory), word]
        with self.file:
            return subprocess.Popen(
                command, stdin=self.file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/"
            )

    def text(self, limits: Limits) -> bytes:
        """The notebook, or what is marked of a large one."""
        if self.size <= LARGE:
            with self.file:
                self.file.seek(0)
                whole: bytes = self.file.read()
            return whole
        with self.slimming(limits) as process:
            try:
                assert process.stdout is not None
                return slimmed(process.stdout, limits)
            finally:
                process.kill()


def slimmed(stream: Any, limits: Limits) -> bytes:
    """What was taken out of a large notebook, as it comes out of the process that did it."""
    most = limits.code * 6 + (8 << 20)
    data: bytes = stream.read(most + 1)
    if not 0 < len(data) <= most:
        raise Unreadable("reading it takes more time or memory than a notebook may")
    return data


def load(path: str, member: int | None, limits: Limits, stamp: str = "") -> Loaded:
    """A file, or a member of a zip, as it is now. Only a plain file is read, and not more than the limit.

    With the stamp that it was found with, another file in its place is refused.
    """
    if member is not None:
        return _from_zip(path, member, limits, stamp)
    with _plain(path) as file:
        loaded = _copied(file, limits)
    if stamp not in ("", f"{loaded.size}\0{loaded.digest}"):
        raise Changed
    return loaded


def stamp_of_file(path: str, limits: Limits) -> str:
    """What tells a file from another in its place: its size and its checksum; "" where it is not read anyway."""
    try:
        with _plain(path) as file:
            if os.fstat(file.fileno()).st_size > limits.notebook:
                return ""
            digest, size = hashlib.sha256(), 0
            while block := file.read(BLOCK):
                digest.update(block)
                size += len(block)
            return f"{size}\0{digest.hexdigest()}"
    except (Unreadable, OSError):
        return ""


def _plain(path: str) -> Any:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        fd = os.open(path, flags)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    file = os.fdopen(fd, "rb")
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        file.close()
        raise Unreadable("this is no plain file")
    return file


def stamp_of(info: zipfile.ZipInfo) -> str:
    """What tells a member of a zip from another in its place: name, size and checksum."""
    return f"{info.filename}\0{info.file_size}\0{info.CRC}"


def parse(data: bytes, limits: Limits) -> Notebook:
    """The notebook in these bytes.

    >>> parse(b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}', Limits()).cells
    ('x = 1',)
    """
    try:
        content = _content(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("this is not UTF-8 text") from None
    except (ValueError, RecursionError, MemoryError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"this is no notebook: the JSON is broken{where}") from None
    if content == {"broken": True}:
        raise Unreadable("this is no notebook: the JSON is broken, or this is not UTF-8 text")
    taken = slim(content)
    cells = taken.get("cells")
    if cells is None:
        raise Unreadable("this is no notebook: no cells in it")
    codes = [cell["source"] for cell in cells]
    if sum(map(len, codes)) > limits.code:
        raise Unreadable(f"the code is longer than {limits.code >> 10} kB")
    if len(codes) > limits.cells:
        raise Unreadable(f"there are more than {limits.cells} code cells")
    kept = [cell for cell in cells if cell["source"].strip()]
    shown = [(i, picture) for i, cell in enumerate(kept) for picture in _pictures(cell)]
    ours = taken["metadata"]["ndcg"]
    codes = [cell["source"] for cell in kept]
    return Notebook(tuple(codes), tuple(shown), ours.get("seal", ""), tuple(ours.get("tries", ())))


def assignment_of(notebook: Notebook, name: str) -> str:
    """The assignment that a notebook answers: the one with most of its tasks in it, else the one in the file's name.

    >>> assignment_of(Notebook(("def best_first(judged): ...",)), "x.ipynb")
    '05-the-ideal-ranking'
    """
    counted = {name: tasks_in(notebook, name) for name in _names()}
    best = max(counted, key=lambda name: counted[name])
    if counted[best]:
        return best
    return next((known for known in counted if known in name), "")


def tasks_in(notebook: Notebook, assignment: str) -> int:
    """How many tasks of an assignment are named in a notebook."""
    return len(_names()[assignment] & notebook.words) if assignment else 0


@cache
def _names() -> Mapping[str, frozenset[str]]:
    """The names of the tasks, by assignment."""
    return {name: frozenset(task.name for task in held.tasks) for name, held in assignments().items()}


def _pictures(cell: Mapping[str, Any]) -> Iterator[str]:
    """The PNG pictures among a cell's outputs, of a size that a page can show. No other kind: SVG can hold a script."""
    for output in cell["outputs"]:
        text = "".join(output["data"]["image/png"].split())
        if not 0 < len(text) < LARGEST_PICTURE:
            continue
        try:
            picture = base64.b64decode(text, validate=True)
        except ValueError:
            continue
        width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
        if picture[:16] == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" and 0 < width * height < MOST_PIXELS:
            yield text


def _from_zip(path: str, member: int, limits: Limits, stamp: str) -> Loaded:
    try:
        status = os.stat(path)
        members = (archive := _archive(path, status.st_mtime_ns, status.st_size)).infolist()
    except (OSError, zipfile.BadZipFile):
        raise Changed from None
    if member >= len(members) or stamp not in ("", stamp_of(members[member])):
        raise Changed
    info = members[member]
    if info.file_size > limits.notebook:
        raise Unreadable(_too_large(limits))
    try:
        with archive.open(info) as file:
            return _copied(file, limits)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("this member of the zip cannot be unpacked") from None
    except Exception as error:  # zlib.error and its relatives
        raise Unreadable(f"this member of the zip cannot be unpacked ({type(error).__name__})") from None


@lru_cache(maxsize=2)
def _archive(path: str, changed: int, size: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(Path(path).read_bytes()) if size < 8 << 20 else path)


def _copied(file: Any, limits: Limits) -> Loaded:
    copy, digest, size = tempfile.SpooledTemporaryFile(max_size=LARGE), hashlib.sha256(), 0  # noqa: SIM115 (returned)
    while block := file.read(BLOCK):
        size += len(block)
        if size > limits.notebook:
            raise Unreadable(_too_large(limits))
        digest.update(block)
        copy.write(block)
    return Loaded(copy, size, digest.hexdigest())


def _too_large(limits: Limits) -> str:
    return f"larger than {limits.notebook >> 20} MB; clear the outputs of the notebook, save it, and hand it in anew"


def _content(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of more digits than Python reads; no code cell has one
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 30 else 0)
