"""The marks that a person gives: a page with a field per answer, the list that it writes, and the list read back."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.explain.outcome import listed
from ndcg_course.grade.gradebook import Mark, harmless, number, table, unquoted
from ndcg_course.grade.pages import page, soft, visible
from ndcg_course.tasks import task_named
from ndcg_course.tasks.task import Task
from ndcg_lib.grid import POLICY, Html, tag

HEAD = ["student", "task", "mark", "max", "comment"]
NEAR = 0.6  # the share of runs of three words that makes two texts nearly equal


Marks = dict[tuple[str, str], Mark]


def read(paths: Iterable[Path], codes: Mapping[str, str] | None = None) -> Marks:
    """The marks in some lists, one per tutor; lines without a mark are left open.

    `codes` are the students behind the codes of an anonymous page. Two lists may not give one answer two marks.
    """
    marks: Marks = {}
    for path in paths:
        for line, key, mark in _lines(path, codes or {}):
            if marks.setdefault(key, mark) != mark:
                raise ValueError(
                    f"{path}, line {line}: a second mark for {key[0]} in {key[1]}: {mark.points:g} here,"
                    f" {marks[key].points:g} before"
                )
    return marks


def _lines(path: Path, codes: Mapping[str, str]) -> Iterable[tuple[int, tuple[str, str], Mark]]:
    for line, row in table_in(path, ("student", "task", "mark")):
        where, given = f"{path}, line {line}", row["mark"]
        if not given:
            continue
        try:
            task = task_named(row["task"])
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        points = _number(given)
        if points is None or not 0 <= points <= task.points:
            raise ValueError(f"{where}: the mark is {given!r}; {task.name} has 0 to {task.points} points")
        student, comment = unquoted(row["student"]), unquoted(row.get("comment", ""))
        yield line, (codes.get(student, student), task.name), Mark(points, comment)


def table_in(path: Path, asked: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a table that somebody made with a spreadsheet, and their numbers; columns may be cut by ; or ,."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not UTF-8 text; save it as 'CSV UTF-8'") from None
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=";" if first.count(";") > first.count(",") else ",")
    heads = [name.strip().lower() for name in reader.fieldnames or []]
    lacking = [name for name in asked if name not in heads]
    if lacking:
        raise ValueError(f"{path}, line 1: the column {lacking[0]!r} is missing; asked are {listed(asked)}")
    reader.fieldnames = heads
    for row in reader:
        yield reader.line_num, {name: (row[name] or "").strip() for name in heads}


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def as_csv(waiting: Iterable[tuple[str, str]], marks: Mapping[tuple[str, str], Mark], names: Mapping[str, str]) -> str:
    """The list to fill in, with the marks that are known; `names` may put codes in the place of students."""
    rows = [HEAD]
    waiting = set(waiting)
    most = {task: str(task_named(task).points) for task in {task for _, task in {*waiting, *marks}}}
    for student, task in [*sorted(waiting), *sorted(set(marks) - waiting)]:
        mark = marks.get((student, task))
        points, comment = (number(mark.points), mark.comment) if mark else ("", "")
        rows.append([names.get(student, student), task, points, most[task], comment])
    return table(rows)


def codes_of(students: Iterable[str], seed: str) -> dict[str, str]:
    """A code for each student, which says nothing without the seed.

    >>> codes_of(["ana"], "seed")["ana"]
    'S-3e58e384'
    """
    return {s: f"S-{hashlib.sha256(f'{seed}/{s}'.encode('utf8', 'replace')).hexdigest()[:8]}" for s in students}


class Box(NamedTuple):
    """One text, and all who handed it in."""

    text: str
    students: list[str]
    pictures: Sequence[str] = ()


def boxes(answers: Iterable[tuple[str, str, Sequence[str]]]) -> list[list[Box]]:
    """The answers in groups that nearly agree; equal ones, blanks and capitals aside, are one box.

    >>> [[box.students for box in group] for group in boxes([("a", "No.", ()), ("b", "no. ", ()), ("c", "Yes", ())])]
    [[['a', 'b']], [['c']]]
    """
    equal: dict[tuple[str, ...], Box] = {}
    for student, text, pictures in answers:
        key = (" ".join(text.casefold().split()), *pictures)
        equal.setdefault(key, Box(text, [], pictures)).students.append(student)
    groups: list[tuple[set[str], list[Box]]] = []
    for box in sorted(equal.values(), key=lambda box: (-len(box.students), box.text)):
        words = re.findall(r"\w+", box.text.casefold())
        runs = {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}
        near = next((g for g in groups if len(g[0] & runs) >= NEAR * len(g[0] | runs)), None)
        if near is None:
            groups.append((runs, [box]))
        else:
            near[1].append(box)
    return [group for _, group in groups]


def page_to_mark(
    answers: Sequence[tuple[Task, Sequence[tuple[str, Mapping[str, Any]]]]],
    marks: Mapping[tuple[str, str], Mark],
    output: Path,
    names: Mapping[str, str],
) -> Html:
    """The texts and pictures that a person marks, task by task, with a field per answer and a rubric per task.

    The only script is the one below; the policy of the page lets no other run.
    """
    parts = [HOW]
    for task, told in answers:
        items = [_item(str(item)) for item in getattr(task, "look_for", ())]
        head = tag("h2", f"{task.name}, up to {task.points} points")
        more = tag("p", tag("button", "Add an item", class_="more"))
        given = {"data_task": task.name, "data_most": task.points}
        parts.append(tag("section", head, "\n", tag("ul", items), "\n", more, class_="rubric", **given))
        found = boxes((student, str(mark.get("text", "")), mark.get("pictures", ())) for student, mark in told)
        for group in found:
            if len(group) > 1:
                parts.append(soft(f"{len(group)} answers that nearly agree:"))
            parts += [_box(task, box, marks, output, names) for box in group]
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"{POLICY}; img-src data:; script-src 'sha256-{digest}'"
    return page("To mark by hand", *parts, tag("script", SCRIPT), policy=policy)


def _item(name: str) -> Html:
    field = tag("input", class_="name", aria_label="item", value=name, size=50)
    worth = tag("input", class_="worth", aria_label="points", type="number", step=0.25, value="")
    return tag("li", field, " ", worth, " points")


def _box(task: Task, box: Box, marks: Mapping[tuple[str, str], Mark], output: Path, names: Mapping[str, str]) -> Html:
    called = [names.get(student, student) for student in box.students]
    mark = next((marks[s, task.name] for s in box.students if (s, task.name) in marks), None)
    who = ", ".join(called[:8]) + (f" and {len(called) - 8} more" if len(called) > 8 else "")
    points = {"type": "number", "min": 0, "max": task.points, "step": "any"}
    field = tag("input", class_="mark", **points, value=f"{mark.points:g}" if mark else "")
    comment = tag("input", class_="comment", size=40, value=mark.comment if mark else "")
    return tag(
        "section",
        tag("p", tag("strong", who), f" ({len(called)} equal answers)" if len(called) > 1 else ""),
        tag("pre", visible(box.text) or "(see the notebook)"),
        [_picture(output / name, f"{task.name}, {who}") for name in box.pictures],
        tag("p", class_="ticks"),
        tag("p", tag("label", "Points ", field), f" of {task.points} ", tag("label", "Comment ", comment)),
        class_="answer", data_task=task.name, data_students=json.dumps([harmless(name) for name in called]),
    )  # fmt: skip


def _picture(file: Path, what: str) -> Html:
    try:
        data = base64.b64encode(file.read_bytes()).decode()
    except OSError:
        return tag("p", f"The picture {file.name} is missing.")
    return tag("p", tag("img", src=f"data:image/png;base64,{data}", alt=f"The picture for {what}"))


HOW = Html("""<p>Write points beside each answer, or tick the items of the rubric; an item that is renamed or gets other
points changes in every answer at once. Then save the list, and run the same command with <code>--marks</code> and its
name.</p><p><button id="save">Save the list of marks</button> <span id="state" role="status"></span></p>""")
SCRIPT = Html(Path(__file__).with_name("byhand.js").read_text("utf8"))
