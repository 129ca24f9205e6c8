"""Takes the code out of a notebook that anyone may have written."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from ndcg_course.grade.inside.slim import slim
from ndcg_course.grade.inside.zygote import FEW
from ndcg_course.grade.limits import Limits
from ndcg_course.tasks import assignments

STUDENT_ID = re.compile(r"""^student_id[ \t]*=[ \t]*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|(\d{1,40}))""", re.MULTILINE)
IMPORT = re.compile(r"\bfrom\s+([\w.]+)\s+import\b|\bimport\s+([\w., ]+)")
MAGIC = re.compile(r"^[ \t]*(%|!|\?\w)|^[ \t]*[\w.]+\?{1,2}[ \t]*$|=[ \t]*[%!]\w", re.MULTILINE)

SMALL = frozenset(name.partition(".")[0] for name in FEW.split())
LARGE = 1 << 20  # bytes of a notebook; a larger one is read in a process of its own
SLIM = Path(__file__).with_name("inside") / "slim.py"
LARGEST_PICTURE, MOST_PIXELS = 200_000, 4_000_000


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


def load(path: str, member: int | None, limits: Limits, stamp: str = "") -> bytes:
    """The bytes of a file, or of a member of a zip. Only a plain file is read, and not more than the limit.

    With the stamp that it was found with, another file in its place is refused.
    """
    if member is not None:
        return _from_zip(path, member, limits, stamp)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        fd = os.open(path, flags)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    with os.fdopen(fd, "rb") as file:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("this is no plain file")
        if stamp not in ("", stamp_of(about)):
            raise Changed
        return _bounded(file, limits)


def stamp_of(about: os.stat_result | zipfile.ZipInfo) -> str:
    """What tells a file, or a member of a zip, from another in its place: name, size, checksum or time of change."""
    if isinstance(about, zipfile.ZipInfo):
        return f"{about.filename}\0{about.file_size}\0{about.CRC}"
    return f"{about.st_size}\0{about.st_mtime_ns}"


def parse(data: bytes, limits: Limits) -> Notebook:
    """The notebook in these bytes.

    >>> parse(b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}', Limits()).cells
    ('x = 1',)
    """
    if len(data) > LARGE:
        data = _slim(data, limits)
    try:
        content = _content(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("this is not UTF-8 text") from None
    except (ValueError, RecursionError, MemoryError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"this is no notebook: the JSON is broken{where}") from None
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
    seal = taken.get("metadata", {}).get("ndcg", {}).get("seal", "")
    return Notebook(tuple(cell["source"] for cell in kept), tuple(shown), seal)


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


def _slim(data: bytes, limits: Limits) -> bytes:
    """What is marked in a large notebook, taken out in a process of its own."""
    command = [sys.executable, "-I", "-S", "-B", str(SLIM), str(limits.memory)]
    try:
        done = subprocess.run(
            command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        raise Unreadable("reading it takes too long") from None
    if done.returncode == 3:
        raise Unreadable("this is no notebook: the JSON is broken, or this is not UTF-8 text")
    if done.returncode or len(done.stdout) > limits.code * 6 + (8 << 20):
        raise Unreadable("reading it takes more memory than a notebook may")
    return done.stdout


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


def _from_zip(path: str, member: int, limits: Limits, stamp: str) -> bytes:
    try:
        status = os.stat(path)
        members = (archive := _archive(path, status.st_mtime_ns, status.st_size)).infolist()
    except (OSError, zipfile.BadZipFile):
        raise Changed from None
    if member >= len(members) or stamp not in ("", stamp_of(members[member])):
        raise Changed
    info = members[member]
    if info.file_size > limits.notebook:
        raise Unreadable(f"larger than {limits.notebook >> 20} MB")
    try:
        with archive.open(info) as file:
            return _bounded(file, limits)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("this member of the zip cannot be unpacked") from None
    except Exception as error:  # zlib.error and its relatives
        raise Unreadable(f"this member of the zip cannot be unpacked ({type(error).__name__})") from None


@lru_cache(maxsize=2)
def _archive(path: str, changed: int, size: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(Path(path).read_bytes()) if size < 8 << 20 else path)


def _bounded(file: Any, limits: Limits) -> bytes:
    data: bytes = file.read(limits.notebook + 1)
    if len(data) > limits.notebook:
        raise Unreadable(f"larger than {limits.notebook >> 20} MB")
    return data


def _content(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of more digits than Python reads; no code cell has one
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 30 else 0)
