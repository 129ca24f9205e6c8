"""What is shown to a student: verdicts, hints, solutions, progress; the same words in plain text and in HTML."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from ndcg_course.explain.first_wrong_rank import Rows
from ndcg_course.tasks.task import Assignment
from ndcg_lib.grid import Html, joined, tag, tags

if TYPE_CHECKING:
    from ndcg_course import course

RIGHT, WRONG, OPEN, COLLECTED, PROBLEM = "right", "wrong", "not attempted", "collected", "problem"


MOST_SENTENCES = 3
_ENDS = re.compile(r"`[^`]*`|[.?!](?=\s|$)")


def how_many(told: str) -> int:
    """How many sentences stand there; what is between backticks is code.

    >>> how_many("It is right for `a. b`, but not for lists. Why?")
    2
    """
    return max(1, sum(found[0][0] != "`" for found in _ENDS.finditer(told)))


def brief(sentences: Sequence[str]) -> list[str]:
    """No more than a reader takes in at once: the first ones, each as a whole or as far as there is room.

    >>> brief(["One. Two.", "Three. Four."])
    ['One. Two.', 'Three.']
    """
    kept: list[str] = []
    room = MOST_SENTENCES
    for told in sentences:
        ends = [found.end() for found in _ENDS.finditer(told) if found[0][0] != "`"] or [len(told)]
        if room > 0:
            kept.append(told if len(ends) <= room else told[: ends[room - 1]])
        room -= len(ends)
    return kept


class Example(NamedTuple):
    """One case: what was asked, and the two answers as text."""

    asked: str
    target: str
    yours: str
    own: bool = True  # False: another list than the student's own, and the slip's answer for it
    rows: Rows | None = None  # the case rank by rank


class Property(NamedTuple):
    """A part of the task with its points."""

    name: str
    points: float
    passed: bool


@dataclass
class Verdict:
    """What an answer is worth, and what to tell about it."""

    task: str
    status: str
    points: float
    out_of: float
    sentences: list[str] = field(default_factory=list)
    slips: tuple[str, ...] = ()
    cause: str = ""  # the kind of the sentence that states a cause, as it passed the gate
    form: str = ""  # in which the right number was given: a percentage, rounded, …
    line: str = ""  # of the student's code, where it is told or stands for the place
    fault: str = ""  # what is wrong in general, where it is no slip of the task: rounded, input-changed, loop, …
    example: Example | None = None
    properties: list[Property] = field(default_factory=list)
    tried: str = ""
    notes: list[str] = field(default_factory=list)
    place: str = ""
    case: int | None = None  # the index of the case in the example
    again: bool = False  # whether there are other numbers to practise on
    noted: list[dict[str, Any]] = field(default_factory=list)  # the tries, as `explain.tries` says
    nth: int = 0  # which try it was; 0 where nobody counts

    @property
    def passed(self) -> bool:
        """Whether the answer has all its points."""
        return self.status == RIGHT

    def text(self) -> str:
        """The verdict in plain text."""
        lines = [self._headline(), *(f"  {s}" for s in self.sentences)]
        if self.example:
            lines += [f"    {label:<7} {words}" for label, words in self._rows()]
            lines += [f"    {row}" for row in (self.example.rows.text() if self.example.rows else [])]
        lines += [f"  {line}" for line in self._after()]
        return "\n".join(lines)

    def html(self) -> Html:
        """The verdict in HTML. Colour only repeats what the words say."""
        left = {"style": "text-align:left"}
        parts = [tag("p", tag("strong", self._headline())), tags("p", map(marked, self.sentences))]
        if self.example:
            rows = [
                tag("tr", tag("th", label, scope="row", **left), tag("td", tag("code", words), **left))
                for label, words in self._rows()
            ]
            parts += [tag("table", rows), self.example.rows.html() if self.example.rows else Html()]
        parts += [tag("p", _linked(line, self.place)) for line in self._after()]
        style = f"border-left:0.3em solid {_COLOURS[self.status]};padding-left:0.8em"
        return tag("div", parts, class_=f"ndcg-check ndcg-{self.status.replace(' ', '-')}", role="status", style=style)

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _repr_mimebundle_(self, **asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The tries as metadata of the output, the one place of a notebook in which a kernel can put them."""
        return {}, {"ndcg": {"tries": self.noted}} if self.noted else {}

    def _headline(self) -> str:
        worth = f"{_points(self.points)} of {_points(self.out_of)} point{'' if self.out_of == 1 else 's'}"
        worth += f", try {self.nth}" if self.nth > 1 else ""
        return {
            RIGHT: f"Right: {self.task}, {worth}.",
            WRONG: f"Not yet: {self.task}, {worth}.",
            OPEN: f"Not attempted: {self.task}, {worth}.",
            COLLECTED: f"Collected: {self.task}, up to {_points(self.out_of)} point{'' if self.out_of == 1 else 's'}.",
            PROBLEM: f"Not checked: {self.task}.",
        }[self.status]

    def _rows(self) -> list[tuple[str, str]]:
        assert self.example is not None
        if self.example.own:
            return [("case", self.example.asked), ("target", self.example.target), ("yours", self.example.yours)]
        shown = [("example", f"{self.example.asked} (other numbers than yours)"), ("target", self.example.target)]
        return [*shown, ("slip", self.example.yours)] if self.example.yours else shown

    def _after(self) -> list[str]:
        lines = []
        if self.status == WRONG and any(part.passed for part in self.properties):
            good = "; ".join(part.name for part in self.properties if part.passed)
            bad = "; ".join(part.name for part in self.properties if not part.passed)
            if not any(told.startswith("It is right for ") for told in self.sentences):
                lines.append(f"Passed: {good}. Not yet: {bad}.")
        if self.tried:
            lines.append(f"Tried: {self.tried}.")
        lines += self.notes
        if self.status == WRONG:
            if self.place:
                link = address(self.place)
                lines.append(f"Read on in the book: {where(self.place)}" + (f", {link}" if link else "."))
            lines.append(f'For a hint: `hint("{self.task}")`.')
            lines += [f'For new numbers, which count: `another("{self.task}")`.'] * self.again
        return lines


_COLOURS = {RIGHT: "#1a7f37", WRONG: "#b35900", OPEN: "#6e7781", COLLECTED: "#0969da", PROBLEM: "#b35900"}


SECTIONS: dict[str, str] = json.loads(resources.files(__package__).joinpath("sections.json").read_text("utf8"))
"""The headings of the book by place, for whoever has a notebook and no book; written by `ndcg exercises build`."""


def where(place: str) -> str:
    """A place in the book, by the titles that stand there.

    >>> where("chapters/the-ideal-ranking#first-sort-then-cut")
    '"The ideal ranking", "First sort, then cut, and cut both at the same k"'
    """
    page, _, _ = place.partition("#")
    title = page.rpartition("/")[2].replace("-", " ").replace("ndcg", "NDCG")
    named = SECTIONS.get(page, title[:1].upper() + title[1:])
    return f'"{named}"' + (f', "{SECTIONS[place]}"' if place != page and place in SECTIONS else "")


def address(place: str) -> str:
    """Where the place is to be opened: below NDCG_BOOK, the address or folder of the built book.

    Without it the address is that of the course.
    """
    base = os.environ["NDCG_BOOK"] if "NDCG_BOOK" in os.environ else _course().address
    page, _, anchor = place.partition("#")
    if base and page.startswith("chapters/") and _course().units and page not in _course().units:
        return ""  # the site of the course has no such page
    return f"{base.rstrip('/')}/{page}.html" + (f"#{anchor}" if anchor else "") if base and page else ""


@cache
def _course() -> course.Course:
    from ndcg_course import course  # only where an answer leads to a page

    return course.load()


def _linked(line: str, place: str) -> Html:
    words, link = where(place) if place else "", address(place)
    if link and words in line:
        before, _, after = line.partition(words)
        return joined(marked(before), tag("a", words, href=link), marked(after.replace(f", {link}", ".")))
    return marked(line)


def marked(text: str) -> Html:
    """A sentence as HTML: `code` is set as code, all else is text. Stars stay: they are powers in a student's code.

    >>> marked("`a<b` & c")
    '<code>a&lt;b</code> &amp; c'
    """
    return joined(tag("code", part) if at % 2 else part for at, part in enumerate(re.split(r"`([^`]+)`", text)))


def _points(points: float) -> str:
    return f"{points:g}"


@dataclass
class Said:
    """Sentences, and code that belongs to them."""

    sentences: list[str]
    code: str = ""

    def text(self) -> str:
        """In plain text."""
        return "\n".join([*self.sentences, *([self.code] if self.code else [])])

    def html(self) -> Html:
        """In HTML."""
        code = tag("pre", tag("code", self.code)) if self.code else None
        return tag("div", tags("p", map(marked, self.sentences)), code, class_="ndcg-said", role="status")

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

    def html(self) -> Html:
        """A table in HTML."""
        rows = [
            tag("tr", tag("th", name, scope="row", style="text-align:left"), tags("td", told))
            for name, *told in self.rows()
        ]
        head = tags("th", ["task" if self.by_task else "assignment", "passed", "points"], scope="col")
        caption = tag("caption", f"Progress of {self.student}")
        table = tag("table", caption, tag("thead", tag("tr", head)), tag("tbody", rows))
        return joined(table, tag("p", self._total()))

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _total(self) -> str:
        tasks = [task for assignment in self.assignments for task in assignment.tasks]
        by_hand = sum(task.points for task in tasks if task.by_hand)
        told = f"{sum(self._points(t.name) for t in tasks):g} of {sum(t.points for t in tasks)} points"
        told += f"; {by_hand} of them are given by a person." if by_hand else "."
        return told + (' This is practice under the id "demo", not handed in under a name.' * (self.student == "demo"))

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
