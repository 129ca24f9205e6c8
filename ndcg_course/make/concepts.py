"""A test before the course and one after it: twelve items, each about one misconception, in two parallel forms."""

from __future__ import annotations

import csv
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ndcg_course.make import exam, files
from ndcg_course.make.bank.items import Item, evenly, key_of, of_value
from ndcg_course.make.bank.words import as_line
from ndcg_course.tasks import task_named
from ndcg_course.tasks.task import ValueTask

FORMS = ("pre", "post")
LETTERS = "abcd"
CONCEPTS = {  # a task, and the misconception that its item is about; they need no computer, only the right idea
    "cg_by_hand": "k-ignored", "dcg_by_hand": "no-discount", "swap_loss": "only-one-moved",
    "dcg_exponential": "linear-for-exponential", "idcg_by_hand": "ideal-cut-before-sorting",
    "one_of_many": "ideal-from-returned", "ndcg_by_hand": "ideal-from-top-k", "random_baseline": "one-half",
    "condensed_by_hand": "unjudged-kept", "precision_by_hand": "any-grade-counts", "mean_of_parts": "mean-of-means",
    "alarm": "only-one-test",
}  # fmt: skip
TYPED = re.compile(r"\s*(Work it out on paper[^.]*|Type the \w+ with three decimals|Three decimals)\.|; three decimals")


def form(root: Path, seed: str, name: str) -> list[Item]:
    """The items of a form; the other one asks the same of other numbers."""
    made: list[Item] = []
    with files.sources(root) as sources:
        home = {task: source for source in sources.values() for task in source.facts}
        for group, slip in CONCEPTS.items():
            task = task_named(group)
            assert isinstance(task, ValueTask)
            seeds = {key_of(task.data("demo")): ""}  # a form takes the first data that are new, the other the second
            for turn in range(40):
                seeds.setdefault(key_of(task.data(f"{seed} {turn}")), f"{seed} {turn}")
            item = of_value(task, home[group], list(seeds.values())[1 + FORMS.index(name)])[1]
            kept = ["", slip, *[other for other in item.slips if other not in ("", slip)][:2]]
            answers = tuple(item.answers[item.slips.index(one)] for one in kept)
            label, stem = f"{name}-{len(made) + 1:02d}", TYPED.sub("", item.stem)
            item = replace(item, name=label, group=label, kind="choose", stem=stem, answers=answers, slips=tuple(kept))
            made.append(item)
    return evenly(made, f"{seed} {name}")


def key(items: Sequence[Item]) -> list[str]:
    """The letters of the right answers."""
    return [LETTERS[item.slips.index("")] for item in items]


def printed(items: Sequence[Item], title: str) -> str:
    """The form on paper."""
    body = exam.head(title, f"{len(items)} questions", "25 minutes")
    body += "<p>Circle one letter for each question. Where you cannot compute it, choose what you hold for likely.</p>"
    for i, item in enumerate(items, start=1):
        answers = "".join(f"<li>{as_line(answer.text)}</li>" for answer in item.answers)
        body += f"<div class=part data-part={i}><h2>{i}</h2>{as_line(item.stem)}<ol>{answers}</ol></div>"
    return exam.page(title, body)


def key_csv(items: Sequence[Item]) -> str:
    """The key, and for each item the misconception with the letter that shows it."""
    rows: list[tuple[object, ...]] = [("item", "key", "misconception", "letter")]
    for i, (item, right) in enumerate(zip(items, key(items), strict=True), start=1):
        slip = list(CONCEPTS.values())[i - 1]
        rows.append((i, right, slip, LETTERS[item.slips.index(slip)]))
    return exam.as_csv(rows)


def answers(file: Path, count: int = len(CONCEPTS)) -> dict[str, list[str]]:
    """The letters of each student: a CSV with the columns student, 1, 2, …; an empty cell is no answer."""
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
    for i, slip in enumerate(CONCEPTS.values()):
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
