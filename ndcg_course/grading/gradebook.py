"""From results to a row per student: which attempt counts, what a person has marked, what lateness costs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ndcg_course.grading.handmarks import Mark
from ndcg_course.grading.lateness import Lateness
from ndcg_course.tasks import assignment_named
from ndcg_course.tasks.task import Task

TO_MARK = "to mark"
WORST_FIRST = ("not graded", "unreadable", "no notebook", "crashed", "stopped", TO_MARK, "graded")


@dataclass
class Row:
    """A student."""

    student: str
    results: list[dict[str, Any]] = field(default_factory=list)  # the attempts that count, one per assignment
    others: list[dict[str, Any]] = field(default_factory=list)  # the attempts that do not
    points: dict[str, float | None] = field(default_factory=dict)  # None: not known, which is not 0
    total: float | None = None
    reached: float | None = None  # before lateness
    hours_late: float = 0.0
    late_mark: bool = False
    status: str = "graded"
    platform_id: str = ""

    @property
    def late(self) -> str:
        """Hours, or yes where the platform says so and no due time is known."""
        return f"{self.hours_late:g}" if self.hours_late else "yes" if self.late_mark else ""


@dataclass
class Gradebook:
    """All students, and the tasks of the assignments that were found."""

    tasks: list[Task]
    rows: list[Row]

    @property
    def out_of(self) -> int:
        """The points of all tasks."""
        return sum(task.points for task in self.tasks)

    def csv(self) -> str:
        """grades.csv."""
        head = ["student", *(task.name for task in self.tasks), "total", "max", "status", "late"]
        body = [
            [
                row.student,
                *(number(row.points.get(task.name)) for task in self.tasks),
                number(row.total),
                str(self.out_of),
                row.status,
                row.late,
            ]
            for row in self.rows
        ]
        return table([head, *body])


def make(
    results: Iterable[dict[str, Any]],
    marks: Mapping[tuple[str, str], Mark],
    lateness: Lateness,
    *,
    attempts: str = "newest",
) -> Gradebook:
    """The gradebook of a run."""
    students: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        students.setdefault(result["student"], []).append(result)
    names = sorted({r["assignment"] for own in students.values() for r in own if "tasks" in r})
    tasks = [task for name in names for task in assignment_named(name).tasks]
    rows = [
        _row(student, own, tasks, marks, lateness, attempts)
        for student, own in sorted(students.items(), key=lambda item: (item[0].casefold(), item[0]))
    ]
    return Gradebook(tasks, rows)


def number(value: float | None) -> str:
    """A number for a table; nothing where there is none.

    >>> number(2.0), number(1.25), number(None)
    ('2', '1.25', '')
    """
    return "" if value is None else f"{round(value, 2):g}"


def table(rows: Iterable[Sequence[str]]) -> str:
    """CSV in which no cell is a formula for a spreadsheet.

    >>> table([["=1+1", "a,b"]])
    '\\'=1+1,"a,b"\\r\\n'
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([[harmless(cell) for cell in row] for row in rows])
    return out.getvalue()


def harmless(cell: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would compute.

    >>> harmless("@SUM(A1)"), harmless("ana")
    ("'@SUM(A1)", 'ana')
    """
    return f"'{cell}" if cell.lstrip(" '").startswith(("=", "+", "-", "@", "\t", "\r", "|", "%")) else cell


def unquoted(cell: str) -> str:
    """What `harmless` was given.

    >>> unquoted(harmless("=1"))
    '=1'
    """
    return cell[1:] if cell.startswith("'") and harmless(cell[1:]) == cell else cell


def _row(
    student: str,
    own: Sequence[dict[str, Any]],
    tasks: Sequence[Task],
    marks: Mapping[tuple[str, str], Mark],
    lateness: Lateness,
    attempts: str,
) -> Row:
    row = Row(student)
    for assignment in dict.fromkeys(r["assignment"] for r in own if "tasks" in r):
        tried = [r for r in own if r["assignment"] == assignment and "tasks" in r]
        order = _by_time if attempts == "newest" else lambda r: (r["points"] * lateness.factor(r["time"]), *_by_time(r))
        tried.sort(key=order)
        row.results.append(tried[-1])
        row.others += tried[:-1]
    unread = [r for r in own if "tasks" not in r]
    row.others += unread
    row.platform_id = next((r["platform_id"] for r in own if r.get("platform_id")), "")
    statuses = {r["status"] for r in row.results} | ({r["status"] for r in unread} if not row.results else set())
    statuses |= {r["status"] for r in unread if r["status"] == "not graded"}
    reached = total = 0.0
    for result in row.results:
        factor = lateness.factor(result["time"])
        row.hours_late = max(row.hours_late, lateness.hours(result["time"]))
        row.late_mark = row.late_mark or bool(result["late_mark"])
        for name, told in result["tasks"].items():
            points: float | None = told["points"]
            if (mark := marks.get((student, name))) is not None:
                points = mark.points
            elif told["status"] == "collected" or told["status"] == "problem":
                points = None
                statuses.add(TO_MARK)
            row.points[name] = points
            reached += points or 0
            total += (points or 0) * factor
    if row.results:
        row.reached, row.total = reached, round(total, 2)
    statuses = statuses - {"graded"} if TO_MARK in statuses else statuses
    row.status = ", ".join(sorted(statuses, key=lambda s: WORST_FIRST.index(s) if s in WORST_FIRST else 0)) or "graded"
    return row


def _by_time(result: Mapping[str, Any]) -> tuple[Any, ...]:
    return result["time"], result["attempt"], result["file"]
