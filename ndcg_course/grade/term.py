"""One gradebook over the assignments of a course: weights, the lowest left out, marks by hand, a final mark."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.grade import byhand, exports, gradebook, pages, submissions
from ndcg_course.grade.gradebook import Asked, Change, number, table
from ndcg_course.grade.journal import Record, write
from ndcg_lib.grid import Html, tag

EXCUSED = "excused"


class Item(NamedTuple):
    """What counts: an assignment that was graded, or something that was marked elsewhere."""

    name: str
    most: float
    weight: float
    seal: str = ""


@dataclass
class Term:
    """The items, and by student the points in each: None where the student is excused, nothing where none came in."""

    items: list[Item]
    points: dict[str, dict[str, float | None]] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    drop: int = 0

    def final(self, student: str) -> tuple[float | None, list[str]]:
        """The final mark, of 100, and the items that were left out of it as the lowest.

        What did not come in is 0; of items that are equally low the heavier one is left out.

        >>> Term([Item("a", 10, 1), Item("b", 4, 3)], {"ana": {"a": 5.0, "b": 4.0}}, drop=1).final("ana")
        (100.0, ['a'])
        """
        own = self.points[student]
        counted = [item for item in self.items if own.get(item.name, 0.0) is not None]
        share = {item.name: (own.get(item.name) or 0.0) / item.most for item in counted}
        lowest = sorted(counted, key=lambda item: (share[item.name], -item.weight, item.name))
        out = [item.name for item in lowest[: min(self.drop, max(0, len(counted) - 1))]]
        kept = [item for item in counted if item.name not in out]
        weight = math.fsum(item.weight for item in kept)
        if not weight:
            return None, out
        return round(100 * math.fsum(item.weight * share[item.name] for item in kept) / weight, 2), out


def read(folders: Sequence[Path], weights: Mapping[str, float], hand: Sequence[Path] = (), drop: int = 0) -> Term:
    """The numbers that were written into these folders, and those of lists of marks by hand."""
    term, seen = Term([], drop=drop), dict[str, Path]()
    for folder in folders:
        record = Record.read(folder / "run.json")
        if not record.numbers:
            raise ValueError(f"{folder}: no class was graded into this folder")
        name = " + ".join(sorted({held for row in record.numbers.values() for held in row["from"]})) or folder.name
        if name in seen:
            raise ValueError(f"{folder}: {name} is in {seen[name]} already")
        seen[name] = folder
        most = next(row["max"] for row in record.numbers.values())
        term.items.append(Item(name, most or 1, weights.get(name, 1.0), record.seal))
        for student, row in record.numbers.items():
            if row["total"] is not None:
                term.points.setdefault(student, {})[name] = row["total"]
                term.waiting[student] = term.waiting.get(student, 0) + row["waiting"]
            term.points.setdefault(student, {})
    for file in hand:
        _by_hand(file, term, weights)
    unknown = sorted(weights.keys() - {item.name for item in term.items})
    if unknown and not folders:
        raise ValueError(f"there is no item {unknown[0]!r}")
    return term


def _by_hand(file: Path, term: Term, weights: Mapping[str, float]) -> None:
    """Take over a list of student, item, points and max; `excused` in place of points counts the item for nothing."""
    for line, row in byhand.table_in(file, ("student", "item", "points", "max")):
        student, name, where = submissions.tidy(row["student"]), row["item"], f"{file}, line {line}"
        item = next((item for item in term.items if item.name == name), None)
        try:
            most = float(row["max"]) if row["max"] else item.most if item else math.nan
            points = None if row["points"] == EXCUSED else float(row["points"].replace(",", "."))
        except ValueError:
            raise ValueError(f"{where}: points and max are numbers, or points is {EXCUSED}") from None
        if not 0 < most < math.inf or (points is not None and not 0 <= points <= most):
            raise ValueError(f"{where}: {row['points'] or 'nothing'} of {row['max'] or 'nothing'} is no mark")
        if student not in term.points:
            raise ValueError(f"{where}: no student is called {student!r}")
        if item is None:
            term.items.append(Item(name, most, weights.get(name, 1.0)))
        elif item.most != most:
            raise ValueError(f"{where}: {name} has {number(item.most)} points above, and {number(most)} here")
        term.points[student][name] = points


def put(term: Term, output: Path, *, accept: bool = False) -> Record:
    """Write the gradebook; where a final mark that was written before would change, only if that is accepted."""
    record = Record.read(output / "run.json")
    finals = {student: term.final(student) for student in sorted(term.points, key=str.casefold)}
    new = {
        student: {"final": final, "items": {name: points for name, points in term.points[student].items()}}
        for student, (final, _) in finals.items()
    }
    found = list(_changes(record.numbers, new))
    if found and not accept:
        write(output / "would-change.csv", gradebook.as_csv([[str(record.runs + 1), *one[:5]] for one in found]))
        raise Asked(found, output / "would-change.csv")
    (output / "would-change.csv").unlink(missing_ok=True)
    if new != record.numbers:
        record.runs += 1
        record.changes += [[str(record.runs), *change[:5]] for change in found]
    record.numbers, record.settings = new, {"drop": term.drop, "items": [list(item) for item in term.items]}
    head = ["student", *(item.name for item in term.items), "left out", "to mark", "final"]
    rows = [
        [student, *(_shown(term, student, item) for item in term.items), ", ".join(out),
         str(term.waiting.get(student) or ""), number(final)]
        for student, (final, out) in finals.items()
    ]  # fmt: skip
    write(output / "gradebook.csv", table([head, *rows]))
    write(output / "gradebook.html", _page(term, head, rows))
    record.seal = hashlib.sha256(json.dumps(record.settings, sort_keys=True).encode()).hexdigest()[:12]
    totals = [[student, "", "", "", "", number(final)] for student, (final, _) in finals.items()]
    above = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Final"],
        exports.points_possible("100", record.seal),
    ]
    write(output / "canvas.csv", table([*above, *totals]))
    write(
        output / "moodle.csv",
        table([["Full name", "Final", "seal"], *([row[0], row[5], record.seal] for row in totals)]),
    )
    if record.changes:
        write(output / "changes.csv", gradebook.as_csv(record.changes))
    record.write()
    return record


def _shown(term: Term, student: str, item: Item) -> str:
    points = term.points[student].get(item.name, 0.0)
    return EXCUSED if points is None else number(points) if item.name in term.points[student] else ""


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[Change]:
    for student, before in old.items():
        after = new.get(student, {"final": None, "items": {}})
        if before["final"] != after["final"]:
            moved = [
                name
                for name in {**before["items"], **after["items"]}
                if before["items"].get(name) != after["items"].get(name)
            ]
            gone = "no longer in any folder" if student not in new else ""
            why = gone or (f"other points in {', '.join(moved)}" if moved else "other weights, items or drop")
            yield Change(student, "final", number(before["final"]), number(after["final"]), why, False)


def _page(term: Term, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    about = [
        f"{item.name}: {number(item.most)} points, weight {item.weight:g}{f', seal {item.seal}' if item.seal else ''}"
        for item in term.items
    ]
    told = tag("p", f"{'; '.join(about)}. Of each student the lowest {term.drop} are left out.")
    return pages.page("The course in numbers", told, pages.plain(head, rows, range(1, len(head))))
