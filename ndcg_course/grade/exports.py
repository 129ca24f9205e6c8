"""The marks in the forms that other programs read."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from ndcg_course.grade.gradebook import Gradebook, Row, number, table
from ndcg_course.grade.worksheet import Worksheet

FORMS = ("canvas", "moodle", "nbgrader")
SLIPS = "slips"  # names of mistakes alone; all does not mean it, since it may leave the course
FEW = 3  # what fewer students did could point at one of them


def files(book: Gradebook, page_of: Callable[[Row], str], kept: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of the chosen forms, by their place in the output; `kept` are the options of the run."""
    made: dict[str, bytes] = {}
    if "canvas" in kept["forms"]:
        made["exports/canvas.csv"] = canvas(book, kept["title"], kept["points"]).encode("utf8", "replace")
    if "nbgrader" in kept["forms"]:
        made["exports/nbgrader.csv"] = nbgrader(book).encode("utf8", "replace")
    if SLIPS in kept["forms"]:
        made["exports/slips.json"] = slips(book).encode()
    if "moodle" in kept["forms"]:
        made["exports/moodle-feedback.zip"] = moodle_feedback(book, page_of)
        if kept["worksheet"] is None:
            book.said.append(
                "Moodle takes marks in its own grading worksheet alone: download it from the assignment, and give it"
                " with --worksheet Grades.csv"
            )
        else:
            made["exports/moodle.csv"] = moodle(book, Worksheet.of(kept["worksheet"]))
    return made


def canvas(book: Gradebook, title: str, points: float | None) -> str:
    """For the import of the Canvas gradebook: a column for the assignment, and its points possible."""
    head = title or " + ".join(dict.fromkeys(_assignments(book))) or "assignment"
    rows = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", head],
        points_possible(number(points or book.out_of), book.seal),
    ]
    scale = points / book.out_of if points and book.out_of else 1.0
    for row in book.rows:
        total = None if row.total is None else row.total * scale
        rows.append([_without_id(row), row.platform_id, "", "", "", number(total)])
    return table(rows)


def points_possible(points: str, seal: str) -> list[str]:
    """The second row of a file for Canvas, which reads no other cell of it than the points: the seal stands there.

    >>> points_possible("12", "0a1b")
    ['    Points Possible', '', '', '', 'seal 0a1b', '12']
    """
    return ["    Points Possible", "", "", "", f"seal {seal}", points]


def moodle(book: Gradebook, worksheet: Worksheet) -> bytes:
    """The worksheet that was downloaded, with grades and comments; nothing else in it differs."""
    grades = {
        row.platform_id: (row.total / book.out_of, f"{comments(row)} Seal {book.seal}.")
        for row in book.rows
        if row.platform_id and row.total is not None and book.out_of
    }
    lacking = [row.student for row in book.rows if row.total is not None and row.platform_id not in worksheet.people()]
    if lacking:
        book.said.append(f"not in Moodle's worksheet, so without a grade there: {', '.join(lacking)}")
    return worksheet.filled(grades).encode("utf-8", "surrogateescape")


def moodle_feedback(book: Gradebook, page_of: Callable[[Row], str]) -> bytes:
    """For "Upload multiple feedback files in a zip": a folder per student, whose name Moodle made and takes apart."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in book.rows:
            if row.platform_id:
                name = re.sub(r"[_/\\:*?\"<>|\x00-\x1f]", " ", _without_id(row)).strip(" .~") or "student"
                info = zipfile.ZipInfo(f"{name}_{row.platform_id}_assignfeedback_file_/feedback.html")
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(info, page_of(row).encode("utf8", "replace"))
    return out.getvalue()


def slips(book: Gradebook) -> str:
    """How many students made which known mistake: names of mistakes, no person, no code, nothing of fewer than three.

    The guide shows it where it lies beside course.toml.
    """
    made: dict[str, set[str]] = {}
    known = {slip.name for task in book.tasks for slip in task.slips}
    for row in book.rows:
        for result in row.results:
            for mark in result["tasks"].values():
                for name in known.intersection(mark["slips"]):
                    made.setdefault(name, set()).add(row.student)
    counted = {name: len(made[name]) for name in sorted(made) if len(made[name]) >= FEW}
    students = sum(any(row.results) for row in book.rows)
    return json.dumps({"students": students, "slips": counted}, indent=1) + "\n"


def nbgrader(book: Gradebook) -> str:
    """The columns of nbgrader's own export, and the seal behind them."""
    head = "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score"
    rows = [[*head.split(","), "max_score", "seal"]]
    points = {task.name: task.points for task in book.tasks}
    for row in book.rows:
        for result in row.results:
            raw = sum(row.points[task] or 0 for task in result["tasks"])
            share = row.total / row.reached if row.reached and row.total is not None else 1.0
            when = datetime.fromtimestamp(result["time"], UTC).strftime("%Y-%m-%d %H:%M:%S") if result["time"] else ""
            most = sum(points[task] for task in result["tasks"])
            scores = [number(raw), number(raw - raw * share), number(raw * share), str(most), book.seal]
            rows.append([result["assignment"], "", when, row.student, "", "", "", *scores])
    return table(rows)


def comments(row: Row) -> str:
    """What a student reads beside the grade: each task with its points, what is wrong in it, and what lateness cost."""
    told = [] if row.status == "graded" else [f"{row.status[:1].upper()}{row.status[1:]}."]
    for result in row.results:
        for name, mark in result["tasks"].items():
            points = row.points[name]
            worth = f"{number(points)} of {mark['out_of']}" if points is not None else "a person still reads it"
            said = " ".join(mark["sentences"]) if mark["status"] == "wrong" or mark.get("given") else ""
            said = "Not attempted." if mark["status"] == "not attempted" else said
            told.append(f"{name}: {worth}{f'. {said}' if said else '.'}")
    if row.total is not None and row.reached is not None and abs(row.total - row.reached) > 0.005:
        told.append(f"{number(row.reached - row.total)} taken off for {row.late} hours late.")
    return " ".join(told)[:4000]


def _without_id(row: Row) -> str:
    return row.student.removesuffix(f" ({row.platform_id})")


def _assignments(book: Gradebook) -> list[str]:
    return [result["assignment"] for row in book.rows for result in row.results]
