"""What a run was asked to do, kept in run.json: a later run that leaves an option out uses it again, and says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ndcg_course.grading.journal import write

# Options that change a number or a page, with what holds where they were never given.
KEPT: dict[str, Any] = {
    "lateness": None, "attempts": "newest", "typed_ids": "count", "roster": None, "worksheet": None, "forms": [],
    "title": "", "points": None, "book": "", "compare": [], "anonymous": False,
}  # fmt: skip
NAMES = {"lateness": "--due and --late", "typed_ids": "--typed-ids", "forms": "--export"}
LONG = ("roster", "worksheet")  # too long to be said


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

    @classmethod
    def read(cls, path: Path) -> Record:
        """The record of a folder; an empty one where none is."""
        if not path.is_file():
            return cls(path)
        try:
            told = json.loads(path.read_text("utf8"))
            found = cls(path, **told)
            if not isinstance(found.settings["seed"], str) or not isinstance(found.options, dict):
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f"{path}: this cannot be read; move the folder away to grade anew, or restore the file"
            ) from None
        return found

    def write(self) -> None:
        """Put it on the disk."""
        told = {key: value for key, value in vars(self).items() if key != "path"}
        write(self.path, json.dumps(told, indent=1, sort_keys=True) + "\n")

    def take(self, given: Mapping[str, Any]) -> list[str]:
        """Take over the options that were given now; what is kept from before, and what changes, in a line each."""
        said = []
        for name, default in KEPT.items():
            new, old = json.loads(json.dumps(given.get(name))), self.options.get(name, default)
            label = NAMES.get(name, f"--{name}")
            if new is None:
                self.options[name] = old
                if old != default:
                    said.append(f"{label} as before{_shown(name, old)}")
            elif new != old and name in self.options:
                said.append(f"{label} changes{_shown(name, old, 'from')}{_shown(name, new, 'to')}")
            self.options[name] = self.options.get(name, default) if new is None else new
        return said


def _shown(name: str, value: Any, word: str = "") -> str:
    if name in LONG:
        return ""
    if name == "lateness":
        from ndcg_course.grading.lateness import Lateness

        value = Lateness(**(value or {})).told()
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f" {word} {text or 'nothing'}" if word else f": {text}"
