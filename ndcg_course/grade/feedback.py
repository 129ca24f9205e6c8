"""What a student gets back: a page with each task, what is wrong in it, and where to read on."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ndcg_course.explain.messages import where
from ndcg_course.grade.gradebook import Gradebook, Mark, Row, number
from ndcg_course.grade.lateness import Rules
from ndcg_course.grade.pages import bar, marked, page, visible
from ndcg_course.sealed import title_of

TOLD = {
    "unreadable": "The file could not be read, so nothing was marked:",
    "no notebook": "There was no notebook in what you handed in.",
    "not graded": "The grading itself failed here; your teacher has been told, and it will be repeated.",
    "crashed": "Your notebook ended its process. What could be read without that part is marked below.",
    "stopped": "Your notebook took longer than it may. What could be read until then is marked below.",
    "another assignment": "What you handed in answers another assignment, so it was not marked here.",
}
WORDS = {
    "right": "Right",
    "wrong": "Not yet",
    "not attempted": "Not attempted",
    "collected": "Read by a person",
    "problem": "Looked at by a person",
}


def feedback(row: Row, book: Gradebook, marks: Mapping[tuple[str, str], Mark], rules: Rules, base: str = "") -> str:
    """The page of one student; `base` is the address of the published book."""
    parts = []
    told = "; ".join({rules.of(row.student, r["assignment"]).told(): 1 for r in row.results})
    if row.total is not None:
        parts.append(f'<p class="score">{number(row.total)} of {book.out_of} points</p>{bar(row.total, book.out_of)}')
    if row.total is not None and row.reached is not None and abs(row.total - row.reached) > 0.005:
        parts.append(f"<p>{number(row.reached)} before the deduction for {row.late} hours: {told}.</p>")
    if row.waiting:
        parts.append("<p>A person still reads part of it; points for that are added later.</p>")
    for status, words in TOLD.items():
        if status in row.status:
            reasons = {r["reason"] for r in row.others if r["status"] == status == "unreadable"}
            why = f" {'; '.join(sorted(reasons))}. Hand in the .ipynb that Jupyter saves." if reasons else ""
            parts.append(f"<p>{words}{escape(why)}</p>")
    for result in row.results:
        parts += _cells(result)
        for name, told in result["tasks"].items():
            parts.append(_task(name, told, row.points.get(name), marks.get((row.student, name)), base))
    parts.append(f'<p class="soft">Made from what has the seal {book.seal}.</p>')
    return page(f"Feedback for {row.student}", parts)


def _cells(result: Mapping[str, Any]) -> list[str]:
    told = [f"cell {cell}: {_ended(error)}" for cell, error in result.get("cells", {}).items()]
    return [f"<p>Not every code cell ran as it stands. {marked('; '.join(told[:8]))}.</p>"] if told else []


def _ended(error: str) -> str:
    return {
        "Stopped": "took too long",
        "stopped": "took too long",
        "crashed": "ended the process",
        "Unavailable": "uses threads, other programs or asyncio.run, which are not available while you are graded",
    }.get(error, error)


def _task(name: str, told: Mapping[str, Any], points: float | None, mark: Mark | None, base: str) -> str:
    right = told["status"] == "right"
    worth = f"{number(points)} of {told['out_of']}" if points is not None else f"up to {told['out_of']}"
    lines = [
        f'<header><h2 class="task">{escape(title_of(name))}</h2><span class="state">'
        f"{escape(WORDS.get(told['status'], 'Not finished'))}, {worth} point{'' if told['out_of'] == 1 else 's'}"
        f'</span></header><p class="soft"><code>{escape(name)}</code></p>',
    ]
    if mark is None or told["status"] != "problem":
        lines += [f"<p>{marked(sentence)}</p>" for sentence in told["sentences"]]
    if told["properties"] and not right and told["status"] != "not attempted":
        rows = "".join(
            f"<li>{escape(part)}: {f'{number(worth_)} earned' if passed else f'0 of {number(worth_)}'}</li>"
            for part, worth_, passed in told["properties"]
        )
        lines.append(f"<ul>{rows}</ul>")
    if code := told.get("code"):
        lines.append(
            f'<details><summary>Your answer</summary><pre class="code">{escape(visible(code))}</pre></details>'
        )
    if mark and mark.comment:
        lines.append(f"<p>{escape(mark.comment)}</p>")
    if not right and told["place"] and told["status"] not in ("collected",):
        page_, _, anchor = told["place"].partition("#")
        link = f"{base.rstrip('/')}/{page_}.html" + (f"#{anchor}" if anchor else "") if base else ""
        words = escape(where(told["place"]))
        lines.append(
            '<p class="soft">Read on in the book: '
            + (f'<a href="{escape(link)}">{words}</a>' if link else words)
            + ".</p>"
        )
    return f'<section class="{"right" if right else "not"}">{"".join(lines)}</section>'
