"""From results to a row per student: which attempt counts, what a person has marked, what lateness costs."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.grade.lateness import Rules
from ndcg_course.tasks import assignment_named
from ndcg_course.tasks.draw import tidy_id
from ndcg_course.tasks.task import Task

OTHER, MOST_OF_ONE_TIME = "another assignment", 2
UNTRIED = {"none": "no tries are noted in it", "others": "the tries in it are of another id, or were changed"}
WORST_FIRST = ("not graded", "unreadable", "no notebook", OTHER, "crashed", "stopped", "graded")

# A cell may be cut at another separator than ours, and a spreadsheet takes signs of full width for plain ones.
FORMULA = r"(?=[\s'\"]*[=+\-@%|\uff1d\uff0b\uff0d\uff20\u2212]|[ ']*[\t\r])"
CUT = r"(^|[,;\t\r\n|])"


class Mark(NamedTuple):
    """Points for one task of one student, with words for the student."""

    points: float
    comment: str = ""


@dataclass
class Row:
    """A student."""

    student: str
    results: list[dict[str, Any]] = field(default_factory=list)  # the attempts that count, one per assignment
    others: list[dict[str, Any]] = field(default_factory=list)  # the attempts that do not
    points: dict[str, float | None] = field(default_factory=dict)  # None: not known, which is not 0
    total: float | None = None
    machine: float | None = None  # what the check gave
    by_hand: float | None = None  # what a person gave
    marked: set[str] = field(default_factory=set)  # tasks that a person has marked
    waiting: int = 0  # tasks that still wait for a person
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
    notes: list[tuple[str, ...]] = field(default_factory=list)  # student, file, what to look at
    said: list[str] = field(default_factory=list)  # options that were taken over from before, or changed
    seal: str = ""  # of all that the marks hang on

    @cached_property
    def out_of(self) -> int:
        """The points of all tasks."""
        return sum(task.points for task in self.tasks)

    def csv(self) -> str:
        """grades.csv."""
        head = ["student", *(task.name for task in self.tasks), "machine", "by hand", "to mark"]
        head += ["total", "max", "status", "late", "seal"]
        body = [
            [
                row.student,
                *(number(row.points.get(task.name)) for task in self.tasks),
                number(row.machine),
                number(row.by_hand),
                str(row.waiting or ""),
                number(row.total),
                str(self.out_of),
                row.status,
                row.late,
                self.seal,
            ]
            for row in self.rows
        ]
        return table([head, *body])


def make(
    results: Iterable[dict[str, Any]],
    marks: Mapping[tuple[str, str], Mark],
    rules: Rules,
    *,
    attempts: str = "newest",
    typed_ids: str = "refuse",
    roster: Mapping[str, str] | None = None,
    assignment: str = "",
) -> Gradebook:
    """The gradebook of a run; of one assignment, where it was named, whatever could be read."""
    students: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        students.setdefault(result["student"], []).append(result)
    names = [assignment] if assignment else _counted(students)
    holders = {_folded(identity) for identity in (roster or {}).values()}
    tasks = [task for name in names for task in assignment_named(name).tasks]
    rows = [
        _row(student, own, names, marks, rules, attempts, holders if typed_ids == "count" else None)
        for student, own in sorted(students.items(), key=lambda item: (item[0].casefold(), item[0]))
    ]
    return Gradebook(tasks, rows, [note for row in rows for note in _notes(row)])


def _counted(students: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """The assignments that count: what a few handed in beside or in place of them changes nothing for the others."""
    held = Counter(name for own in students.values() for name in {r["assignment"] for r in own if "tasks" in r})
    most = max(held.values(), default=0)
    return sorted(name for name, n in held.items() if 2 * n >= most)


def _folded(identity: str) -> str:
    try:
        return tidy_id(identity)
    except ValueError:
        return identity


def _notes(row: Row) -> Iterator[tuple[str, ...]]:
    """What a teacher should know about how a row came about."""
    for result in row.results:
        rivals = [r for r in row.others if r["assignment"] == result["assignment"] and r["time"] == result["time"]]
        if rivals and "tasks" in rivals[0]:
            told = f"{len(rivals) + 1} files of one time; of the last two by name the one that earns more counts"
            told += f" ({number(result['points'])} points; the others {', '.join(number(r['points']) for r in rivals)})"
            yield row.student, result["file"], told
        if result.get("held") and result["held"] != result.get("seal"):
            told = f"made from another build of the assignment (seal {result['held']}, now {result['seal']})"
            yield row.student, result["file"], told
        if result.get("untried"):
            yield (
                row.student,
                result["file"],
                f"{UNTRIED[result['untried']]}: choices and predictions earn as at the last try",
            )
        if result.get("typed"):
            right = [name for name, told in result["tasks"].items() if told.get("typed_points")]
            told = f"the notebook sets the id {result['typed']!r}, and {result['id']!r} is the student's own"
            yield (
                row.student,
                result["file"],
                told + (f"; right for it: {', '.join(right)} (--typed-ids count lets it count)" if right else ""),
            )


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
    """The text, with an apostrophe before what a spreadsheet would compute, also behind a separator.

    >>> harmless("@SUM(A1)"), harmless("ana"), harmless("ana;=1")
    ("'@SUM(A1)", 'ana', "ana;'=1")
    """
    return re.sub(CUT + FORMULA, r"\1'", cell)


def unquoted(cell: str) -> str:
    """What `harmless` was given.

    >>> unquoted(harmless("=1;'+2"))
    "=1;'+2"
    """
    return re.sub(f"{CUT}'{FORMULA}", r"\1", cell)


def _row(
    student: str,
    own: Sequence[dict[str, Any]],
    counted: Sequence[str],
    marks: Mapping[tuple[str, str], Mark],
    rules: Rules,
    attempts: str,
    holders: Collection[str] | None,
) -> Row:
    """The row of a student; `holders` are the ids of others, or None where a typed id shall not count at all."""
    row = Row(student)
    own = [_astray(r) if "tasks" in r and r["assignment"] not in counted else r for r in own]

    def earned(result: Mapping[str, Any]) -> float:
        points = sum(_points(told, result, holders) for told in result["tasks"].values())
        return points * rules.of(student, result["assignment"]).factor(result["time"])

    def newest(result: Mapping[str, Any]) -> tuple[Any, ...]:
        return result["time"], earned(result), result["attempt"], result["file"]

    for assignment in dict.fromkeys(r["assignment"] for r in own if "tasks" in r):
        tried = [r for r in own if r["assignment"] == assignment and "tasks" in r]
        tried.sort(key=lambda r: (r["time"], r["attempt"], r["file"]))
        times = [r["time"] for r in tried]
        # Many files of guesses would find what is right.
        too_many = [r for i, r in enumerate(tried) if times[i + 1 :].count(r["time"]) >= MOST_OF_ONE_TIME]
        tried = [r for r in tried if r not in too_many]
        row.others += too_many
        tried.sort(key=newest if attempts == "newest" else lambda r: (earned(r), *newest(r)))
        row.results.append(tried[-1])
        row.others += tried[:-1]
    unread = [r for r in own if "tasks" not in r]
    row.others += unread
    row.platform_id = next((r["platform_id"] for r in own if r.get("platform_id")), "")
    statuses = {r["status"] for r in row.results} | ({r["status"] for r in unread} if not row.results else set())
    statuses |= {r["status"] for r in unread if r["status"] == "not graded"}
    reached = total = 0.0
    for result in row.results:
        rule = rules.of(student, result["assignment"])
        factor = rule.factor(result["time"])
        row.hours_late = max(row.hours_late, rule.hours(result["time"]))
        row.late_mark = row.late_mark or bool(result["late_mark"])
        for name, told in result["tasks"].items():
            points: float | None = _points(told, result, holders)
            if (mark := marks.get((student, name))) is not None:
                points = mark.points
                row.by_hand = (row.by_hand or 0) + points
                row.marked.add(name)
            elif told["status"] == "collected" or told["status"] == "problem":
                points = None
                row.waiting += 1
            else:
                row.machine = (row.machine or 0) + (points or 0)
            row.points[name] = points
            reached += points or 0
            total += (points or 0) * factor
    if row.results:
        row.reached, row.total, row.machine = reached, round(total, 2), row.machine or 0.0
    row.status = ", ".join(sorted(statuses, key=lambda s: WORST_FIRST.index(s) if s in WORST_FIRST else 0)) or "graded"
    return row


def _points(told: Mapping[str, Any], result: Mapping[str, Any], holders: Collection[str] | None) -> float:
    """What the check gives for a task. An answer that is right for an id that was typed counts, unless the teacher says
    otherwise, or that id is another student's."""
    points: float = told["points"]
    counts = holders is not None and result.get("typed") not in holders
    return points + told.get("typed_points", 0) if counts else points


def _astray(result: dict[str, Any]) -> dict[str, Any]:
    """A result that does not count, because it is of another assignment."""
    reason = f"it holds the tasks of {result['assignment']}"
    return {key: value for key, value in result.items() if key != "tasks"} | {"status": OTHER, "reason": reason}


# ---- no number moves without its line ----


HEAD = ["student", "task", "old", "new", "why"]
SHOWN = 40  # lines of a table in a terminal; the file has all


class Change(NamedTuple):
    """A number that was written before and is another one now; `told` where the teacher or the student did it."""

    student: str
    task: str
    old: str
    new: str
    why: str
    told: bool


class Asked(ValueError):
    """Numbers would change that nobody has asked to change: nothing is written until somebody does."""

    def __init__(self, changes: Sequence[Change], file: Path):
        rows = [HEAD, *(list(change[:5]) for change in changes[:SHOWN])]
        wide = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            "  ".join(cell.ljust(size) for cell, size in zip(row, [*wide, 0], strict=True)).rstrip() for row in rows
        ]
        more = [f"and {len(changes) - SHOWN} more, in {file}"] if len(changes) > SHOWN else []
        head = f"{len(changes)} numbers that were written before would change, and nothing was written:"
        super().__init__("\n".join([head, *lines, *more, "Run the same command with --accept if they shall."]))


def numbers(book: Gradebook, rules: Rules) -> dict[str, Any]:
    """The numbers of a gradebook, with what each was made from, as they are kept."""
    return {
        row.student: {
            "total": row.total,
            "max": book.out_of,
            "waiting": row.waiting,
            "tasks": {task: [points, task in row.marked] for task, points in row.points.items()},
            "from": {
                result["assignment"]: [
                    result["sha256"][:16], result["draw"], result["seal"],
                    rules.of(row.student, result["assignment"]).factor(result["time"]), result["id"],
                ]
                for result in row.results
            },
            "files": sorted({result["sha256"][:16] for result in [*row.results, *row.others]}),
            "points": {name: mark["out_of"] for result in row.results for name, mark in result["tasks"].items()},
        }
        for row in book.rows
    }  # fmt: skip


def between(old: Mapping[str, Any], new: Mapping[str, Any], *, regraded: bool) -> list[Change]:
    """What differs, student by student."""
    found = [change for student in old for change in _of_student(student, old[student], new.get(student), regraded)]
    return sorted(found)


def as_csv(changes: Sequence[Sequence[str]]) -> str:
    """A table of changes, with the number of the run."""
    return table([["run", *HEAD], *changes])


def _of_student(
    student: str, old: Mapping[str, Any], new: Mapping[str, Any] | None, regraded: bool
) -> Iterator[Change]:
    if new is None:
        if old["total"] is not None:
            yield Change(student, "total", _total(old), "", "no longer among what was handed in", False)
        return
    origin = {name: (old["from"].get(name), new["from"].get(name)) for name in {**old["from"], **new["from"]}}
    file = any((a or [0])[0] != (b or [0])[0] for a, b in origin.values())
    draw = any(a and b and a[1] != b[1] for a, b in origin.values())
    built = any(a and b and a[2] != b[2] for a, b in origin.values())
    anew = any(b and b[0] not in old["files"] for _, b in origin.values())
    had = [(a[4], b[4]) for a, b in origin.values() if a and b and not file and len(a) > 4]
    ids = next((pair for pair in had if pair[0] != pair[1]), None)
    # Marking again asks for other points by new inputs; never for another attempt, id, or rule about lateness.
    told = (file and anew) or (draw and regraded and not built and not file and not ids)
    why = "handed in anew" if file and anew else "another attempt counts" if file else ""
    why = why or (f"the numbers of the id {ids[1]}, and no longer of {ids[0]}" if ids else "")
    why = why or ("marked again with new inputs" if draw and not built else "")
    lines = []
    for task in {**old["tasks"], **new["tasks"]}:
        (before, hand), (after, by_hand) = old["tasks"].get(task, [None, False]), new["tasks"].get(task, [None, False])
        if before == after:
            continue
        worth = old["points"].get(task), new["points"].get(task)
        if by_hand:
            reason = "mark by hand"
        elif worth[0] != worth[1] and built:
            reason = f"points of {task}: {number(worth[0]) or 'none'} before, {number(worth[1]) or 'none'} now"
        elif hand:
            reason = "the mark by hand is gone"
        else:
            reason = why or ("the assignment was built anew" if built else "a rule for ids, or the grading itself")
        lines.append(Change(student, task, number(before), number(after), reason, told or by_hand or before is None))
    yield from lines
    if (old["total"], old["max"]) != (new["total"], new["max"]):
        late = [(a[3], b[3]) for a, b in origin.values() if a and b and a[3] != b[3]]
        reasons = list(dict.fromkeys(line.why for line in lines))
        reasons += [f"lateness leaves {_percent(late[0][0])} before, {_percent(late[0][1])} now"] if late else []
        reasons += ["other points in all"] if old["max"] != new["max"] else []
        agreed = all(line.told for line in lines) and (not late or (file and anew)) and (old["max"] == new["max"])
        yield Change(
            student, "total", _total(old), _total(new), "; ".join(reasons) or why or "the grading itself",
            old["total"] is None or (agreed and bool(reasons or told)),
        )  # fmt: skip


def _total(of: Mapping[str, Any]) -> str:
    return "" if of["total"] is None else f"{number(of['total'])} of {of['max']}"


def _percent(factor: float) -> str:
    return f"{100 * factor:g} %"
