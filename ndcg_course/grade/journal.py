"""What a run keeps: its results, a line each, whole and safe before the next submission is taken; what it was asked.

A later run that leaves an option out uses it again, and says so.
"""

from __future__ import annotations

import base64
import contextlib
import filecmp
import hashlib
import hmac
import json
import marshal
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ndcg_course.grade import options
from ndcg_course.grade.lateness import Lateness

SEAL = b', "seal": "'


class Journal:
    """The file results.jsonl of a run. Each line has a seal, so that one that was changed is not believed."""

    def __init__(self, path: Path, seed: str):
        self.path = path
        self._key = seed.encode()
        self.results: list[dict[str, Any]] = []
        self._file: Any = None
        self._shared: dict[bytes, Any] = {}

    def load(self) -> None:
        """Read what is there. A last line that was cut off by a kill is dropped; another broken line is an error."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            self._read(file)

    def _read(self, file: BinaryIO) -> None:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                os.truncate(self.path, file.tell() - len(line))
                return
            body, _, seal = line.rpartition(SEAL)
            if not hmac.compare_digest(seal, self._seal(body)):
                raise ValueError(
                    f"{self.path}, line {number}{what_is_odd(line)}: this line was changed after it was written, or by"
                    " an earlier version; restore it, or pass --regrade to mark anew"
                )
            self.results.append(self._slim(json.loads(body + b"}")))

    def add(self, result: dict[str, Any]) -> None:
        """Write a result, and come back when the disk has it."""
        self._put_pictures(result)
        if self._file is None:
            self._file = self.path.open("ab", buffering=0)
        data = memoryview(self.as_line(result))
        with naming(self.path):
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        self.results.append(self._slim(result))

    def finish(self, results: list[dict[str, Any]]) -> None:
        """Put the file into its final order, whole or not at all."""
        self.close()
        self.results = results
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            with naming(self.path), beside.open("wb") as file:
                file.writelines(map(self.as_line, results))
                file.flush()
                os.fsync(file.fileno())
            if not self.path.is_file() or not filecmp.cmp(beside, self.path, shallow=False):
                os.replace(beside, self.path)
        finally:
            beside.unlink(missing_ok=True)

    def as_line(self, result: Mapping[str, Any]) -> bytes:
        """A result as a line, with its seal.

        >>> Journal(Path("results.jsonl"), "seed").as_line({"student": "ana"})[:20]
        b'{"student": "ana", "'
        """
        body = json.dumps(result, ensure_ascii=True).encode()[:-1]
        return body + SEAL + self._seal(body)

    def _seal(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, "sha256").hexdigest()[:32].encode() + b'"}\n'

    def _put_pictures(self, result: dict[str, Any]) -> None:
        """Pictures go into files of their own, and their names into the result."""
        for mark in result.get("tasks", {}).values():
            for i, picture in enumerate(mark.get("pictures", ())):
                data = base64.b64decode(picture)
                name = f"pictures/{hashlib.sha256(data).hexdigest()[:32]}.png"
                write(self.path.parent / name, data)
                mark["pictures"][i] = name

    def _slim(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result, with what many students have alike held once, so that a large course fits into little memory."""
        if "tasks" in result:
            result["tasks"] = {sys.intern(task): self._once(mark) for task, mark in result["tasks"].items()}
            result["cells"] = self._once(result["cells"])
        own = ("student", "file", "sha256")
        return {
            sys.intern(key): self._once(value) if type(value) is str and key not in own else value
            for key, value in result.items()
        }

    def _once(self, value: Any) -> Any:
        key = hashlib.blake2b(marshal.dumps(value, 2), digest_size=16).digest()
        return self._shared.setdefault(key, value)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """An error of the disk says of which file it is, and that nothing is lost."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno, f"{error.strerror}; what is marked is kept, the same command goes on", path
        ) from None


def what_is_odd(line: bytes) -> str:
    """Whose line it is, and what cannot be true in it, as far as that can be seen.

    >>> what_is_odd(b'{"student": "ana", "tasks": {"cg_at": {"points": 99}}}')
    ' (ana, cg_at has 99 of 2 points)'
    """
    from ndcg_course.tasks import tasks

    try:
        told = json.loads(line)
        student, marks = told["student"], told.get("tasks", {})
    except (ValueError, KeyError, TypeError, AttributeError):
        return " (it is no result)"
    for name, mark in marks.items() if isinstance(marks, dict) else ():
        points = mark.get("points") if isinstance(mark, dict) else None
        if name not in tasks():
            return f" ({student}, there is no task {name})"
        if not isinstance(points, (int, float)) or not 0 <= points <= tasks()[name].points:
            return f" ({student}, {name} has {points} of {tasks()[name].points} points)"
    return f" ({student})"


def write(path: Path, data: bytes | str, *, safe: bool = True) -> None:
    """Write a file whole or not at all, and leave one alone that is already so.

    What can be made again from other files need not be safe from a loss of power.
    """
    data = data.encode("utf8", "replace") if isinstance(data, str) else data
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    try:
        with naming(path), beside.open("wb") as file:
            file.write(data)
            if safe:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@dataclass
class Record:
    """The file run.json."""

    path: Path
    settings: dict[str, Any] = field(default_factory=dict)  # of the marking; others may not mix with them
    options: dict[str, Any] = field(default_factory=dict)
    draw: int = 0  # of the inputs: grows with each run that marks something after a run that was finished
    open: str = ""  # "run" or "regrade" as long as it is not finished
    lines: int = 0  # of results
    made: list[str] = field(default_factory=list)  # the exports that were written
    place: str = ""  # of the submissions
    notes: list[list[str]] = field(default_factory=list)  # student, file, what to look at
    numbers: dict[str, Any] = field(default_factory=dict)  # that were written last, by student
    changes: list[list[str]] = field(default_factory=list)  # of numbers that had been written, run by run
    seal: str = ""  # of all that those numbers hang on
    runs: int = 0

    @classmethod
    def read(cls, path: Path) -> Record:
        """The record of a folder; an empty one where none is."""
        if not path.is_file():
            return cls(path)
        try:
            told = json.loads(path.read_text("utf8"))
            if not hmac.compare_digest(told.pop("checksum"), _checksum(told)):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(
                f"{path}: this was changed after it was written, or by an earlier version; restore the file, or move"
                " the folder away to grade anew"
            ) from None
        return cls(path, **told)

    def write(self) -> None:
        """Put it on the disk."""
        told = {key: value for key, value in vars(self).items() if key != "path"}
        held = sorted((told | {"checksum": _checksum(told)}).items())
        lines = (f"{json.dumps(key)}: {json.dumps(value, sort_keys=True)}" for key, value in held)
        write(self.path, "{\n" + ",\n".join(lines) + "\n}\n")  # a line each; indented, it takes much memory and time

    def take(self, given: Mapping[str, Any]) -> list[str]:
        """Take over the options that were given now; what is kept from before, and what changes, in a line each."""
        said = []
        for name, default in options.KEPT.items():
            new, old = json.loads(json.dumps(given.get(name))), self.options.get(name, default)
            label = options.said(name)
            if new is None:
                self.options[name] = old
                if old != default and name != "dates":
                    said.append(f"{label} as before{_shown(name, old)}")
            elif new != old and name in self.options:
                said.append(f"{label} changes{_shown(name, old, 'from')}{_shown(name, new, 'to')}")
            self.options[name] = self.options.get(name, default) if new is None else new
        return said


def _checksum(told: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _shown(name: str, value: Any, word: str = "") -> str:
    if options.is_brief(name):
        return ""
    if name == "lateness":
        value = Lateness(**(value or {})).told()
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f" {word} {text or 'nothing'}" if word else f": {text}"
