"""What a student gets back: a page with each task, what is wrong in it, and where to read on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ndcg_course.explain.messages import marked, where
from ndcg_course.grade.gradebook import Gradebook, Mark, Row, number
from ndcg_course.grade.lateness import Rules
from ndcg_course.grade.pages import bar, page, soft, visible
from ndcg_course.sealed import title_of
from ndcg_lib.grid import Html, tag, tags

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


def feedback(row: Row, book: Gradebook, marks: Mapping[tuple[str, str], Mark], rules: Rules, base: str = "") -> Html:
    """The page of one student; `base` is the address of the published book."""
    parts: list[object] = []
    told = "; ".join({rules.of(row.student, r["assignment"]).told(): 1 for r in row.results})
    if row.total is not None:
        parts.append(tag("p", f"{number(row.total)} of {book.out_of} points", class_="score"))
        parts.append(bar(row.total, book.out_of))
    if row.total is not None and row.reached is not None and abs(row.total - row.reached) > 0.005:
        parts.append(tag("p", f"{number(row.reached)} before the deduction for {row.late} hours: {told}."))
    if row.waiting:
        parts.append(tag("p", "A person still reads part of it; points for that are added later."))
    for status, words in TOLD.items():
        if status in row.status:
            reasons = {r["reason"] for r in row.others if r["status"] == status == "unreadable"}
            why = f" {'; '.join(sorted(reasons))}. Hand in the .ipynb that Jupyter saves." if reasons else ""
            parts.append(tag("p", words + why))
    for result in row.results:
        parts.append(_cells(result))
        for name, told in result["tasks"].items():
            parts.append(_task(name, told, row.points.get(name), marks.get((row.student, name)), base))
    parts.append(soft(f"Made from what has the seal {book.seal}."))
    return page(f"Feedback for {row.student}", *parts)


def _cells(result: Mapping[str, Any]) -> Html | None:
    told = [f"cell {cell}: {_ended(error)}" for cell, error in result.get("cells", {}).items()]
    return tag("p", "Not every code cell ran as it stands. ", marked("; ".join(told[:8])), ".") if told else None


def _ended(error: str) -> str:
    return {
        "Stopped": "took too long",
        "stopped": "took too long",
        "crashed": "ended the process",
        "Unavailable": "uses threads, other programs or asyncio.run, which are not available while you are graded",
    }.get(error, error)


def _task(name: str, told: Mapping[str, Any], points: float | None, mark: Mark | None, base: str) -> Html:
    right = told["status"] == "right"
    worth = f"{number(points)} of {told['out_of']}" if points is not None else f"up to {told['out_of']}"
    state = f"{WORDS.get(told['status'], 'Not finished')}, {worth} point{'' if told['out_of'] == 1 else 's'}"
    title = tag("h2", title_of(name), class_="task")
    lines: list[object] = [tag("header", title, tag("span", state, class_="state")), soft(tag("code", name))]
    if mark is None or told["status"] != "problem":
        lines += [tag("p", marked(sentence)) for sentence in told["sentences"]]
    if told["properties"] and not right and told["status"] != "not attempted":
        earned = (
            f"{part}: {f'{number(worth_)} earned' if passed else f'0 of {number(worth_)}'}"
            for part, worth_, passed in told["properties"]
        )
        lines.append(tag("ul", tags("li", earned)))
    if code := told.get("code"):
        lines.append(tag("details", tag("summary", "Your answer"), tag("pre", visible(code), class_="code")))
    if mark and mark.comment:
        lines.append(tag("p", mark.comment))
    if not right and told["place"] and told["status"] not in ("collected",):
        page_, _, anchor = told["place"].partition("#")
        link, words = f"{base.rstrip('/')}/{page_}.html" + (f"#{anchor}" if anchor else ""), where(told["place"])
        lines.append(soft("Read on in the book: ", tag("a", words, href=link) if base else words, "."))
    return tag("section", lines, class_="right" if right else "not")
