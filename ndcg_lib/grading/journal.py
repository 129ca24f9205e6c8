"""The results on disk, a line each. A line is there, whole and safe, before the next submission is taken."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


class Journal:
    """The file results.jsonl of a run."""

    def __init__(self, path: Path):
        self.path = path
        self.results: list[dict[str, Any]] = []
        self._file: Any = None

    def load(self) -> None:
        """Read what is there. A last line that was cut off by a kill is dropped; another broken line is an error."""
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole, _, rest = data.rpartition(b"\n")
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                result = json.loads(line)
                assert isinstance(result, dict) and isinstance(result["student"], str) and "file" in result
            except (ValueError, AssertionError, KeyError):
                raise ValueError(
                    f"{self.path}, line {number}: this is no result; move the folder away to grade anew"
                ) from None
            self.results.append(result)
        if rest:
            with self.path.open("r+b") as file:
                file.truncate(len(data) - len(rest))

    def add(self, results: Iterable[dict[str, Any]]) -> None:
        """Write results, and come back when the disk has them."""
        if self._file is None:
            self._file = self.path.open("ab", buffering=0)
        new = list(results)
        data = memoryview(b"".join(as_line(result) for result in new))
        while data:
            data = data[self._file.write(data) :]
        os.fsync(self._file.fileno())
        self.results += new

    def finish(self, results: list[dict[str, Any]]) -> None:
        """Put the file into its final order, whole or not at all."""
        self.close()
        self.results = results
        write(self.path, b"".join(as_line(result) for result in results))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def as_line(result: Mapping[str, Any]) -> bytes:
    """A result as a line.

    >>> as_line({"student": "ana"})
    b'{"student": "ana"}\\n'
    """
    return json.dumps(result, ensure_ascii=True).encode() + b"\n"


def write(path: Path, data: bytes | str) -> None:
    """Write a file whole or not at all, and leave one alone that is already so."""
    data = data.encode("utf8", "replace") if isinstance(data, str) else data
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
