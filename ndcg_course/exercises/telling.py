"""What is said apart from verdicts: hints, solutions, and where one stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ndcg_course.exercises.task import Assignment
from ndcg_course.exercises.verdict import _marked


@dataclass
class Said:
    """Sentences, and code that belongs to them."""

    sentences: list[str]
    code: str = ""

    def text(self) -> str:
        """In plain text."""
        return "\n".join([*self.sentences, *([self.code] if self.code else [])])

    def html(self) -> str:
        """In HTML."""
        code = f"<pre><code>{escape(self.code)}</code></pre>" if self.code else ""
        return (
            '<div class="ndcg-said" role="status">'
            + "".join(f"<p>{_marked(s)}</p>" for s in self.sentences)
            + code
            + "</div>"
        )

    __str__ = text
    __repr__ = text
    _repr_html_ = html


@dataclass
class Standing:
    """Points and tasks, per assignment or per task."""

    student: str
    assignments: Sequence[Assignment]
    entries: Mapping[str, Mapping[str, Any]]
    by_task: bool = False

    def rows(self) -> list[tuple[str, str, str]]:
        """A row per assignment, or per task."""
        if self.by_task:
            return [
                (
                    task.name,
                    self._state(task.name, task.points, task.by_hand),
                    f"{self._points(task.name):g} of {task.points}",
                )
                for assignment in self.assignments
                for task in assignment.tasks
            ]
        return [
            (
                assignment.name,
                f"{sum(self._done(t.name, t.points, t.by_hand) for t in assignment.tasks)} of"
                f" {len(assignment.tasks)} tasks",
                f"{sum(self._points(t.name) for t in assignment.tasks):g} of {assignment.points}",
            )
            for assignment in self.assignments
        ]

    def text(self) -> str:
        """A table in plain text."""
        rows = self.rows()
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([f"Progress of {self.student}", *lines, self._total()])

    def html(self) -> str:
        """A table in HTML."""
        body = "".join(
            f'<tr><th scope="row"'
            f' style="text-align:left">{escape(name)}</th><td>{escape(state)}</td><td>{escape(points)}</td></tr>'
            for name, state, points in self.rows()
        )
        head = "".join(
            f'<th scope="col">{word}</th>' for word in ("task" if self.by_task else "assignment", "passed", "points")
        )
        caption = f"<caption>Progress of {escape(self.student)}</caption>"
        return (
            f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(self._total())}</p>"
        )

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _total(self) -> str:
        tasks = [task for assignment in self.assignments for task in assignment.tasks]
        by_hand = sum(task.points for task in tasks if task.by_hand)
        told = f"{sum(self._points(t.name) for t in tasks):g} of {sum(t.points for t in tasks)} points"
        return told + (f"; {by_hand} of them are given by a person." if by_hand else ".")

    def _points(self, name: str) -> float:
        return float(self.entries.get(name, {}).get("points", 0))

    def _done(self, name: str, points: int, by_hand: bool) -> bool:
        return self._state(name, points, by_hand) in ("passed", "collected")

    def _state(self, name: str, points: int, by_hand: bool) -> str:
        entry = self.entries.get(name, {})
        if not entry.get("tries"):
            return "not attempted"
        if by_hand:
            return "collected" if entry.get("status") == "collected" else "not yet"
        return "passed" if self._points(name) >= points else "not yet"
