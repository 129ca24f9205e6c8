"""The marks in the forms that other programs read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from ndcg_course.grading.gradebook import Gradebook, Row, number, table

FORMS = ("canvas", "moodle", "gradescope", "nbgrader")


def files(book: Gradebook, names: Mapping[str, str], forms: tuple[str, ...]) -> dict[str, str]:
    """The files of the chosen forms, by their place in the output."""
    made: dict[str, str] = {}
    if "canvas" in forms:
        made["exports/canvas.csv"] = canvas(book)
    if "moodle" in forms:
        made["exports/moodle.csv"] = moodle(book)
    if "nbgrader" in forms:
        made["exports/nbgrader.csv"] = nbgrader(book)
    if "gradescope" in forms:
        for row in book.rows:
            made[f"exports/gradescope/{names[row.student]}/results.json"] = gradescope(row)
    return made


def canvas(book: Gradebook) -> str:
    """For the import of the Canvas gradebook: a column for the assignment, and its points possible."""
    title = " + ".join(dict.fromkeys(_assignments(book))) or "assignment"
    rows = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title],
        ["    Points Possible", "", "", "", "", str(book.out_of)],
    ]
    rows += [[row.student, row.platform_id, "", "", "", number(row.total)] for row in book.rows]
    return table(rows)


def moodle(book: Gradebook) -> str:
    """A grading worksheet for Moodle."""
    rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Feedback comments"]]
    for row in book.rows:
        identifier = f"Participant {row.platform_id}" if row.platform_id else ""
        name = row.student.removesuffix(f" ({row.platform_id})")
        rows.append([identifier, name, number(row.total), str(book.out_of), _comments(row)])
    return table(rows)


def nbgrader(book: Gradebook) -> str:
    """The columns of nbgrader's own export."""
    head = "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score"
    rows = [[*head.split(","), "max_score"]]
    points = {task.name: task.points for task in book.tasks}
    for row in book.rows:
        for result in row.results:
            raw = sum(row.points[task] or 0 for task in result["tasks"])
            share = row.total / row.reached if row.reached and row.total is not None else 1.0
            when = datetime.fromtimestamp(result["time"], UTC).strftime("%Y-%m-%d %H:%M:%S") if result["time"] else ""
            most = sum(points[task] for task in result["tasks"])
            scores = [number(raw), number(raw - raw * share), number(raw * share), str(most)]
            rows.append([result["assignment"], "", when, row.student, "", "", "", *scores])
    return table(rows)


def gradescope(row: Row) -> str:
    """A results.json of Gradescope."""
    tests = [
        {
            "name": name,
            "score": row.points.get(name) or 0,
            "max_score": told["out_of"],
            "output": "\n".join(told["sentences"]),
            "output_format": "text",
            "visibility": "visible",
        }
        for result in row.results
        for name, told in result["tasks"].items()
    ]
    score = row.total or 0
    return json.dumps({"score": score, "output": row.status, "output_format": "text", "tests": tests}, indent=1) + "\n"


def _assignments(book: Gradebook) -> list[str]:
    return [result["assignment"] for row in book.rows for result in row.results]


def _comments(row: Row) -> str:
    told = [
        f"{name}: {' '.join(told['sentences'])}"
        for result in row.results
        for name, told in result["tasks"].items()
        if told["status"] == "wrong" and told["sentences"]
    ]
    return " ".join([*([f"{row.status[:1].upper()}{row.status[1:]}."] if row.status != "graded" else []), *told])[:2000]
