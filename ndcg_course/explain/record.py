"""The record of what was done: kept on this machine, per student id.

Where nothing can be written, it lasts as long as Python runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from ndcg_course.explain import tries

Entries = dict[str, dict[str, Any]]


def path() -> Path | None:
    """The file of the record; None where none is kept.

    NDCG_PROGRESS names another file, or "off". Tests and nbgrader keep none: a stored output and a
    mark may not depend on what was done before.
    """
    chosen = os.environ.get("NDCG_PROGRESS")
    if chosen:
        return None if chosen == "off" else Path(chosen)
    if "PYTEST_CURRENT_TEST" in os.environ or "NBGRADER_EXECUTION" in os.environ:  # the latter: what others answered
        return None
    if sys.platform == "emscripten":  # a page keeps it itself; JupyterLite keeps what is put on its drive
        return Path("/drive/ndcg-progress.json") if os.path.isdir("/drive") else None
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "ndcg" / "progress.json"


class Record:
    """Points, tries, hints and first answers, by student and task."""

    def __init__(self) -> None:
        self._students: dict[str, Entries] = {}
        self.found: list[Any] = []  # tries that a saved notebook holds, of whatever id

    def tries_at(self, student: str, task: str) -> tries.Entry:
        """The tries at a task: those noted here, or those that a saved notebook holds, whichever are more."""
        noted = [one for one in self.found if tries.well_formed(one) and one["task"] == task]
        entry = self.of(student).get(task, {}).get("noted")
        known = tries.of_student([*noted, entry], student).get(task)
        return known or tries.begun(student, task)

    def of(self, student: str) -> Entries:
        """The entries of a student by task, those on disk included.

        >>> Record().of("nobody at all")
        {}
        """
        text = self._read()
        self._take(_tries(text))
        for name, entries in _students(text).items():
            mine = self._students.setdefault(name, {})
            for task, entry in entries.items():
                mine[task] = _both(mine.get(task, {}), entry)
        return self._students.setdefault(student, {})

    def note(self, student: str, task: str, **news: Any) -> dict[str, Any]:
        """Put news into the entry of a task and save; `tries` and `points` only grow."""
        with _alone(path()):
            entry = self.of(student).setdefault(task, {})
            for key, value in news.items():
                if key == "tries":
                    entry[key] = entry.get(key, 0) + value
                elif key == "points":
                    entry[key] = max(entry.get(key, 0), value)
                elif key == "first":
                    entry.setdefault(key, value)
                else:
                    entry[key] = value
            self._write()
        return entry

    def reset(self, task: str) -> int:
        """Forget a task for every student on this machine, but for the tries that were noted; how many had begun it."""
        with _alone(path()):
            self.of("")
            held = [found for entries in self._students.values() if (found := entries.pop(task, None)) is not None]
            self._take([entry["noted"] for entry in held if "noted" in entry and entry["noted"]["wrong"]])
            self._write()
        return len(held)

    def as_json(self) -> str:
        """Everything, for a page that keeps it in the browser."""
        kept = {"version": 1, "students": self._students} | ({"tries": self.found} if self.found else {})
        return json.dumps(kept, ensure_ascii=False, sort_keys=True)

    def load(self, text: str) -> None:
        """Take over what `as_json` gave. Anything malformed is left out."""
        for name, entries in _students(text).items():
            self._students.setdefault(name, {}).update(entries)
        self._take(_tries(text))

    def forget(self) -> None:
        """Start anew in memory; the file stays."""
        self._students.clear()
        self.found.clear()

    def _take(self, found: list[Any]) -> None:
        self.found += [one for one in found if one not in self.found]

    def _read(self) -> str:
        file = path()
        try:
            return file.read_text("utf8") if file else ""
        except (OSError, UnicodeDecodeError):
            return ""

    def _write(self) -> None:
        file = path()
        if file is None:
            return
        temporary = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(self.as_json(), "utf8")
            os.replace(temporary, file)
        except OSError:
            pass  # the record is a convenience; an answer is checked without it


@contextmanager
def _alone(file: Path | None) -> Iterator[None]:
    """Between reading and writing no other kernel writes; where nothing can be locked, all goes on without."""
    with ExitStack() as stack:
        with suppress(OSError, ImportError):
            if file is not None and sys.platform != "emscripten":  # whose fcntl has no flock
                file.parent.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context(open(file.with_name(f"{file.name}.lock"), "a"))
                if sys.platform == "win32":
                    import msvcrt

                    msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
                else:
                    import fcntl

                    fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _both(mine: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    """One entry of two: another notebook may have written since. Nothing that was reached is lost."""
    both = mine | written
    for key in ("tries", "points", "hints"):
        numbers = [entry[key] for entry in (mine, written) if isinstance(entry.get(key), (int, float))]
        if numbers:
            both[key] = max(numbers)
        else:
            both.pop(key, None)
    if noted := [entry["noted"] for entry in (mine, written) if _is_noted(entry.get("noted"))]:
        both["noted"] = tries.further(noted[0], noted[-1])
    else:
        both.pop("noted", None)
    return both


def _is_noted(entry: Any) -> bool:
    return isinstance(entry, dict) and tries.well_formed(entry)


def _tries(text: str) -> list[Any]:
    try:
        return [one for one in json.loads(text)["tries"] if isinstance(one, dict) and tries.well_formed(one)]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def _students(text: str) -> dict[str, Entries]:
    try:
        students = json.loads(text)["students"]
        return {
            str(name): {str(task): dict(entry) for task, entry in entries.items()} for name, entries in students.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


record = Record()
