"""The marks that a person gives: a list to fill in, and the list read back. No mark that was given is lost."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ndcg_course.tasks import task_named


class Mark(NamedTuple):
    """Points for one task of one student, with words for the student."""

    points: float
    comment: str = ""


HEAD = ["student", "task", "mark", "max", "comment"]


def read(path: Path) -> dict[tuple[str, str], Mark]:
    """The marks in a list; lines without a mark are left open."""
    from ndcg_course.grading.gradebook import unquoted

    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not UTF-8 text; save it as 'CSV UTF-8'") from None
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    lacking = [name for name in ("student", "task", "mark") if name not in (reader.fieldnames or [])]
    if lacking:
        raise ValueError(f"{path}, line 1: the column {lacking[0]!r} is missing; asked are student, task and mark")
    marks: dict[tuple[str, str], Mark] = {}
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        given = (row["mark"] or "").strip()
        if not given:
            continue
        try:
            task = task_named((row["task"] or "").strip())
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        points = _number(given, delimiter)
        if points is None or not 0 <= points <= task.points:
            raise ValueError(f"{where}: the mark is {given!r}; {task.name} has 0 to {task.points} points")
        key = (unquoted((row["student"] or "").strip()), task.name)
        mark = Mark(points, (row.get("comment") or "").strip())
        if key in marks and marks[key] != mark:
            raise ValueError(f"{where}: a second mark for {key[0]} in {task.name}")
        marks[key] = mark
    return marks


def as_csv(open_tasks: Mapping[tuple[str, str], int], marks: Mapping[tuple[str, str], Mark]) -> str:
    """The list to fill in, with the marks that are known."""
    from ndcg_course.grading.gradebook import number, table

    rows = [HEAD]
    for (student, task), most in sorted(open_tasks.items()):
        mark = marks.get((student, task))
        rows.append([student, task, number(mark.points) if mark else "", str(most), mark.comment if mark else ""])
    for student, task in sorted(set(marks) - set(open_tasks)):
        mark = marks[student, task]
        rows.append([student, task, number(mark.points), str(task_named(task).points), mark.comment])
    return table(rows)


def _number(text: str, delimiter: str) -> float | None:
    try:
        value = float(text.replace(",", ".") if delimiter == ";" else text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
