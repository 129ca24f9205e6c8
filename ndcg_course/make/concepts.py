"""A test before the course and one after it: twelve ideas that one can hold before it, in two parallel forms."""

from __future__ import annotations

import csv
import statistics
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ndcg_course.make import exam
from ndcg_course.make.bank.items import Item, evenly
from ndcg_course.make.bank.words import as_line
from ndcg_course.make.chapters import Answer

FORMS = ("pre", "post")
LETTERS = "abcd"


@cache
def ideas() -> list[dict[str, Any]]:
    """The ideas, with the page of the book that each belongs to, and both forms of its question."""
    held: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("ideas.toml").read_text("utf8"))["idea"]
    return held


def form(seed: str, name: str) -> list[Item]:
    """The items of a form, their answers in an order that the seed draws."""
    made = []
    for number, idea in enumerate(ideas(), start=1):
        stem, *texts = idea[name]
        label = f"{name}-{number:02d}"
        answers = tuple(
            Answer(text, i == 0, "" if i == 0 else f"Right is: {texts[0]}.") for i, text in enumerate(texts)
        )
        slips = ("", idea["name"], "other", "another")
        made.append(Item(label, idea["page"], label, f"Question {number}", "choose", stem, answers, slips=slips))
    return evenly(made, f"{seed} {name}")


def key(items: Sequence[Item]) -> list[str]:
    """The letters of the right answers."""
    return [LETTERS[item.slips.index("")] for item in items]


def printed(items: Sequence[Item], title: str) -> str:
    """The form on paper."""
    told = [
        {"stem": as_line(item.stem), "answers": [as_line(answer.text) for answer in item.answers]} for item in items
    ]
    return exam.page("test.html", title=title, items=told)


def key_csv(items: Sequence[Item]) -> str:
    """The key, and for each item the misconception with the letter that shows it."""
    rows: list[tuple[object, ...]] = [("item", "key", "misconception", "letter")]
    for i, (item, right) in enumerate(zip(items, key(items), strict=True), start=1):
        slip = ideas()[i - 1]["name"]
        rows.append((i, right, slip, LETTERS[item.slips.index(slip)]))
    return exam.as_csv(rows)


def answers(file: Path) -> dict[str, list[str]]:
    """The letters of each student: a CSV with the columns student, 1, 2, …; an empty cell is no answer."""
    count = len(ideas())
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{file}: cannot be read as UTF-8 text ({type(error).__name__}); save it as CSV UTF-8"
        ) from None
    rows = list(csv.reader(text.splitlines(), delimiter=";" if ";" in text.partition("\n")[0] else ","))
    wanted = ["student", *map(str, range(1, count + 1))]
    if not rows or [cell.strip().lower() for cell in rows[0]] != wanted:
        raise ValueError(f"{file}, line 1: the columns must be {', '.join(wanted[:3])}, … {count}, as in answers.csv")
    held: dict[str, list[str]] = {}
    for line, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        student, *given = (cell.strip() for cell in row)
        if len(given) != count or not student:
            raise ValueError(
                f"{file}, line {line}: {len(given)} answers of {student or 'nobody'}; there are {count} items"
            )
        if student in held:
            raise ValueError(f"{file}, line {line}: {student} stands there twice; delete one of the two lines")
        letters = [cell.lower() for cell in given]
        if bad := [(i, cell) for i, cell in enumerate(letters, start=1) if cell not in ("", *LETTERS)]:
            raise ValueError(
                f"{file}, line {line}, item {bad[0][0]}: {bad[0][1]!r} is none of {', '.join(LETTERS)}, and not empty"
            )
        held[student] = letters
    return held


def report(before: Mapping[str, list[str]], after: Mapping[str, list[str]], forms: Sequence[Sequence[Item]]) -> str:
    """Gain of the class, and of each item how hard it is, how well it tells students apart, and who still errs."""
    both = sorted(set(before) & set(after))
    if len(both) < 2:
        raise ValueError(f"{len(both)} students wrote both tests: compare the names in the column student")
    count = len(forms[0])
    right = [[[a == k for a, k in zip(held[student], key(items), strict=True)] for student in both]
             for held, items in zip((before, after), forms, strict=True)]  # fmt: skip
    means = [statistics.mean(sum(row) for row in rows) for rows in right]
    gain = (
        f"{(means[1] - means[0]) / (count - means[0]):.2f}" if means[0] < count else "not defined: all was known before"
    )
    alone = len(set(before) ^ set(after))
    lines = [
        f"{len(both)} students wrote both tests" + (f"; {alone} wrote one, and are left out" if alone else ""),
        f"mean before {means[0]:.2f} of {count}, after {means[1]:.2f}; normalised gain {gain}", "",
        f"{'item':<5}{'before':>7}{'after':>7}{'tells apart':>13}   the misconception, chosen before and after",
    ]  # fmt: skip
    for i, slip in enumerate(idea["name"] for idea in ideas()):
        shares = [statistics.mean(row[i] for row in rows) for rows in right]
        letters = [LETTERS[items[i].slips.index(slip)] for items in forms]
        chose = [
            sum(held[student][i] == letter for student in both)
            for held, letter in zip((before, after), letters, strict=True)
        ]
        apart = _with_the_rest([row[i] for row in right[1]], [sum(row) - row[i] for row in right[1]])
        told = "-" if apart is None else f"{apart:.2f}"
        lines.append(f"{i + 1:<5}{shares[0]:>7.2f}{shares[1]:>7.2f}{told:>13}   {slip}: {chose[0]}, {chose[1]}")
    return "\n".join(lines)


def _with_the_rest(item: Sequence[bool], rest: Sequence[int]) -> float | None:
    """The correlation of an item with the score in all others; None where one of the two does not vary."""
    if len(set(item)) < 2 or len(set(rest)) < 2:
        return None
    return statistics.correlation([float(one) for one in item], [float(one) for one in rest])
