"""No number moves without its line: what a run would change in the marks that were written before, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.grade.gradebook import Gradebook, number, table
from ndcg_course.grade.lateness import Rules

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
