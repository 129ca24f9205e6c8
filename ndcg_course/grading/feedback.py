"""What a student gets back: a page with each task, what is wrong in it, and where to read on."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ndcg_course.checks.verdict import address, where
from ndcg_course.grading.gradebook import TO_MARK, Gradebook, Row, number
from ndcg_course.grading.handmarks import Mark
from ndcg_course.grading.lateness import Lateness
from ndcg_course.grading.pages import bar, marked, page

TOLD = {
    "unreadable": "The file could not be read, so nothing was marked. Hand in the .ipynb that Jupyter saves.",
    "no notebook": "There was no notebook in what you handed in.",
    "not graded": "The grading itself failed here; your teacher has been told, and it will be repeated.",
    "crashed": "Your notebook ended its process. What could be read without that part is marked below.",
    "stopped": "Your notebook took longer than it may. What could be read until then is marked below.",
}
WORDS = {
    "right": "Right",
    "wrong": "Not yet",
    "not attempted": "Not attempted",
    "collected": "Read by a person",
    "problem": "Looked at by a person",
}


def feedback(row: Row, book: Gradebook, marks: Mapping[tuple[str, str], Mark], lateness: Lateness) -> str:
    """The page of one student."""
    parts = []
    if row.total is not None:
        parts.append(f'<p class="score">{number(row.total)} of {book.out_of} points</p>{bar(row.total, book.out_of)}')
    if row.total is not None and row.reached is not None and abs(row.total - row.reached) > 0.005:
        parts.append(f"<p>{number(row.reached)} before the deduction for {row.late} hours: {lateness.told()}.</p>")
    if TO_MARK in row.status:
        parts.append("<p>A person still reads part of it; points for that are added later.</p>")
    for status, words in TOLD.items():
        if status in row.status:
            parts.append(f"<p>{words}</p>")
    for result in row.results:
        parts += _cells(result)
        parts += [_task(name, told, marks.get((row.student, name))) for name, told in result["tasks"].items()]
    return page(f"Feedback for {row.student}", parts)


def _cells(result: Mapping[str, Any]) -> list[str]:
    told = [f"cell {cell}: {_ended(error)}" for cell, error in result.get("cells", {}).items()]
    return [f"<p>Not every code cell ran to its end. {escape('; '.join(told[:8]))}.</p>"] if told else []


def _ended(error: str) -> str:
    return {"Stopped": "took too long", "stopped": "took too long", "crashed": "ended the process"}.get(error, error)


def _task(name: str, told: Mapping[str, Any], mark: Mark | None) -> str:
    right = told["status"] == "right"
    points = mark.points if mark else None if told["status"] in ("collected", "problem") else told["points"]
    worth = f"{number(points)} of {told['out_of']}" if points is not None else f"up to {told['out_of']}"
    lines = [
        f'<header><h2 class="task">{escape(name)}</h2><span class="state">'
        f"{escape(WORDS.get(told['status'], 'Not finished'))}, {worth} point{'' if told['out_of'] == 1 else 's'}"
        "</span></header>",
    ]
    if mark is None or told["status"] != "problem":
        lines += [f"<p>{marked(sentence)}</p>" for sentence in told["sentences"]]
    if mark and mark.comment:
        lines.append(f"<p>{escape(mark.comment)}</p>")
    if not right and told["place"] and told["status"] not in ("collected",):
        words, link = escape(where(told["place"])), address(told["place"])
        lines.append(
            '<p class="soft">Read on in the book: '
            + (f'<a href="{escape(link)}">{words}</a>' if link else words)
            + ".</p>"
        )
    return f'<section class="{"right" if right else "not"}">{"".join(lines)}</section>'
