"""What a class wrote, as points: carried errors by the marking scheme, and what each question was worth."""

from __future__ import annotations

import csv
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcg_course.make.exam import MINUTES, Exam, as_csv, columns, page
from ndcg_course.make.exam.questions import CLOSE, Part

POINTS = re.compile(r"(\d+)\s*p")  # 3p: three points that a person gave, whatever was typed


@dataclass(frozen=True)
class Marked:
    """The points of a student for each part, and the mistake that was seen in it."""

    student: str
    version: str
    points: tuple[int, ...]
    slips: tuple[str, ...]
    minutes: float | None = None  # until the paper came back, where somebody noted it

    @property
    def total(self) -> int:
        """The points of the paper."""
        return sum(self.points)


def read(file: Path, exam: Exam) -> list[Marked]:
    """The answers of a class, as answers.csv has them."""
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{file}: cannot be read as UTF-8 text ({type(error).__name__}); save it as CSV UTF-8"
        ) from None
    rows = list(csv.reader(text.splitlines(), delimiter=";" if ";" in text.partition("\n")[0] else ","))
    wanted = ["student", "version", *columns(next(iter(exam.versions.values())))]
    head = [cell.strip() for cell in rows[0]] if rows else []
    if head not in (wanted, [*wanted, MINUTES]):
        raise ValueError(f"{file}, line 1: the columns must be {', '.join(wanted)}, as in the answers.csv of this exam")
    held: dict[str, Marked] = {}
    for line, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        student, version, *cells = (cell.strip() for cell in row)
        where = f"{file}, line {line}"
        if not student or len(row) != len(head):
            raise ValueError(f"{where}: {student or 'nobody'} has {len(row)} cells, and there are {len(head)} columns")
        if student in held:
            raise ValueError(f"{where}: {student} stands there twice; delete one of the two lines")
        if version not in exam.versions:
            raise ValueError(f"{where}: there is no version {version!r}, only {', '.join(exam.versions)}")
        try:
            held[student] = _marked(student, version, exam.versions[version], dict(zip(head[2:], cells, strict=True)))
        except ValueError as error:
            raise ValueError(f"{where}, {error}") from None
    if not held:
        raise ValueError(f"{file}: nobody stands in it yet")
    return list(held.values())


def _marked(student: str, version: str, parts: Sequence[Part], cells: Mapping[str, str]) -> Marked:
    points, slips = [], []
    for part in parts:
        got, slip = _typed(part, parts, cells) if part.key else (0, "")
        if part.lines:
            most = part.points - part.typed
            cell = cells[f"{part.name} words (0-{most})"].removesuffix("p").strip() or "0"
            if not cell.isdecimal() or int(cell) > most:
                raise ValueError(f"{part.name}: {cell!r} is no number of points from 0 to {most}")
            got += int(cell)
        points.append(got)
        slips.append(slip)
    if typed := cells.get(MINUTES):
        if (minutes := number(typed)) is None or not 0 < minutes < 1000:
            raise ValueError(f"{MINUTES}: {typed!r} is no number of minutes; leave it empty where nobody noted it")
        return Marked(student, version, tuple(points), tuple(slips), minutes)
    return Marked(student, version, tuple(points), tuple(slips))


def _typed(part: Part, parts: Sequence[Part], cells: Mapping[str, str]) -> tuple[int, str]:
    """The points of a typed answer, and the mistake that it shows."""
    cell = cells[part.name]
    if by_hand := POINTS.fullmatch(cell):
        if int(by_hand[1]) > part.typed:
            raise ValueError(f"{part.name}: {cell!r} is more than the {part.typed} points that it has")
        return int(by_hand[1]), ""
    value = number(cell)
    if value is None or number(part.key) is None:
        if value is None and cell and number(part.key) is not None:
            raise ValueError(f"{part.name}: {cell!r} is no number, and no points as in 2p")
        return (part.typed, "") if cell and cell.casefold() == part.key.casefold() else (0, cell)
    if _near(value, number(part.key), part.tolerance):
        return part.typed, ""
    if part.follows:
        earlier = {one.name[-1]: number(cells.get(one.name, "")) for one in parts if one.number == part.number}
        known = {letter: have for letter, have in earlier.items() if have is not None}
        try:
            if _near(value, eval(part.follows, dict(known)), CLOSE):
                return part.typed, ""
        except (NameError, ZeroDivisionError):
            pass
    for wrong, told in part.mistakes:
        if _near(value, number(wrong), part.tolerance):
            return part.typed // 2, told
    return 0, cell


def _near(value: float, right: float | None, slack: float) -> bool:
    return right is not None and abs(value - right) <= slack + 1e-9


def number(text: str) -> float | None:
    """A number as it is typed, with a comma or a point; None for anything else.

    >>> number("−0,393"), number("rises")
    (-0.393, None)
    """
    try:
        return float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        return None


# ---- what it says about the questions ----


def statistics_of(exam: Exam, marked: Sequence[Marked]) -> list[dict[str, Any]]:
    """For each part how hard it was, how well it tells students apart, and what stood there most often instead."""
    parts = next(iter(exam.versions.values()))
    held = []
    for i, part in enumerate(parts):
        got = [float(one.points[i]) for one in marked]
        rest = [float(one.total - one.points[i]) for one in marked]
        slips = Counter(one.slips[i] for one in marked if one.slips[i])
        most = slips.most_common(1)
        told = f"{most[0][0]} ({most[0][1]} of {len(marked)})" if most else ""
        varies = len(set(got)) > 1 and len(set(rest)) > 1
        held.append(
            {
                "name": part.name, "question": part.question, "title": part.title, "points": part.points,
                "share": statistics.mean(got) / part.points,
                "apart": f"{statistics.correlation(got, rest):.2f}" if varies else "–", "slip": told,
            }
        )  # fmt: skip
    return held


def minutes_of(marked: Sequence[Marked]) -> str:
    """The minutes after which half of the papers were back; "" where nobody noted them."""
    held = [one.minutes for one in marked if one.minutes is not None]
    return f"{statistics.median(held):g}" if held else ""


def sheet(exam: Exam, marked: Sequence[Marked]) -> list[tuple[object, ...]]:
    """The sheet to publish: the paper and its parts, nobody's name, and no word that a student wrote."""
    items, total = statistics_of(exam, marked), sum(part.points for part in next(iter(exam.versions.values())))
    told = {text for parts in exam.versions.values() for part in parts for _, text in part.mistakes}
    share = statistics.mean(one.total for one in marked) / total
    rows: list[tuple[object, ...]] = [
        ("part", "question", "title", "points", "students", "share", "apart", "slip", MINUTES)
    ]
    rows.append(("all", "", "the whole paper", total, len(marked), f"{share:.2f}", "", "", minutes_of(marked)))
    for item in items:
        slip = item["slip"] if item["slip"].rpartition(" (")[0] in told else ""
        start = (item["name"], item["question"], item["title"], item["points"], len(marked))
        rows.append((*start, f"{item['share']:.2f}", item["apart"], slip, ""))
    return rows


def files(exam: Exam, marked: Sequence[Marked]) -> dict[str, str]:
    """The marks, the questions as rows, and a page for the teacher."""
    items = statistics_of(exam, marked)
    names = [part.name for part in next(iter(exam.versions.values()))]
    total = sum(item["points"] for item in items)
    rows = [("student", "version", *names, "points", "of")]
    rows += [(one.student, one.version, *map(str, one.points), str(one.total), str(total)) for one in marked]
    mean = f"{statistics.mean(one.total for one in marked):.1f}"
    return {
        "marks.csv": as_csv(rows),
        "items.csv": as_csv(sheet(exam, marked)),
        "results.html": page(
            "results.html",
            title=exam.title,
            students=len(marked),
            mean=mean,
            total=total,
            items=items,
            minutes=minutes_of(marked),
            given=exam.minutes,
        ),
    }


def report(exam: Exam, marked: Sequence[Marked]) -> str:
    """The questions with their statistics, a line each."""
    items = statistics_of(exam, marked)
    total = sum(item["points"] for item in items)
    mean = statistics.mean(one.total for one in marked)
    lines = [f"{len(marked)} papers, on average {mean:.1f} of {total} points", ""]
    lines.append(f"{'part':<5}{'share':>6}{'tells apart':>13}   question, and what stood there most often instead")
    lines += [
        f"{item['name']:<5}{item['share']:>6.2f}{item['apart']:>13}   {item['question']}"
        + (f": {item['slip']}" if item["slip"] else "")
        for item in items
    ]
    return "\n".join(lines)
