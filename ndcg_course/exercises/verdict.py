"""The verdict on one answer, and how it is shown: the same words in plain text and in HTML."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

RIGHT, WRONG, OPEN, COLLECTED, PROBLEM = "right", "wrong", "not attempted", "collected", "problem"


class Example(NamedTuple):
    """One case: what was asked, and the two answers as text."""

    asked: str
    target: str
    yours: str
    own: bool = True  # False: another list than the student's own, and the slip's answer for it


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
    fault: str = ""  # what is wrong in general, where it is no slip of the task: rounded, input-changed, loop, …
    example: Example | None = None
    properties: list[Property] = field(default_factory=list)
    tried: str = ""
    notes: list[str] = field(default_factory=list)
    place: str = ""
    case: int | None = None  # the index of the case in the example

    @property
    def passed(self) -> bool:
        """Whether the answer has all its points."""
        return self.status == RIGHT

    def as_dict(self, *, with_case: bool = True) -> dict[str, Any]:
        """The verdict as plain JSON; without the case, nothing of a hidden input is in it.

        >>> Verdict("t", "right", 1, 1).as_dict()["status"]
        'right'
        """
        told = {
            "task": self.task,
            "status": self.status,
            "points": self.points,
            "out_of": self.out_of,
            "slips": list(self.slips),
            "fault": self.fault,
            "properties": [part._asdict() for part in self.properties],
            "sentences": self.sentences,
            "place": self.place,
        }
        if with_case and self.example is not None:
            told["example"] = self.example._asdict()
        return told

    def text(self) -> str:
        """The verdict in plain text."""
        lines = [self._headline(), *(f"  {s}" for s in self.sentences)]
        if self.example:
            lines += [f"    {label:<7} {words}" for label, words in self._rows()]
        lines += [f"  {line}" for line in self._after()]
        return "\n".join(lines)

    def html(self) -> str:
        """The verdict in HTML. Colour only repeats what the words say."""
        parts = [f"<p><strong>{escape(self._headline())}</strong></p>"]
        parts += [f"<p>{_marked(s)}</p>" for s in self.sentences]
        if self.example:
            rows = "".join(
                f'<tr><th scope="row" style="text-align:left">{escape(label)}</th>'
                f'<td style="text-align:left"><code>{escape(words)}</code></td></tr>'
                for label, words in self._rows()
            )
            parts.append(f"<table>{rows}</table>")
        parts += [f"<p>{_linked(line, self.place)}</p>" for line in self._after()]
        style = f"border-left:0.3em solid {_COLOURS[self.status]};padding-left:0.8em"
        kind = f"ndcg-check ndcg-{self.status.replace(' ', '-')}"
        return f'<div class="{kind}" role="status" style="{style}">{"".join(parts)}</div>'

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _headline(self) -> str:
        worth = f"{_points(self.points)} of {_points(self.out_of)} point{'' if self.out_of == 1 else 's'}"
        return {
            RIGHT: f"Right: {self.task}, {worth}.",
            WRONG: f"Not yet: {self.task}, {worth}.",
            OPEN: f"Not attempted: {self.task}, {worth}.",
            COLLECTED: f"Collected: {self.task}, up to {_points(self.out_of)} point{'' if self.out_of == 1 else 's'}.",
            PROBLEM: f"Not checked: {self.task}.",
        }[self.status]

    def _rows(self) -> list[tuple[str, str]]:
        assert self.example is not None
        yours = "yours" if self.example.own else "slip"
        return [("case", self.example.asked), ("target", self.example.target), (yours, self.example.yours)]

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
                lines.append(f"Read on in the book: {where(self.place)}.")
            lines.append(f'For a hint: `hint("{self.task}")`.')
        return lines


_COLOURS = {RIGHT: "#1a7f37", WRONG: "#b35900", OPEN: "#6e7781", COLLECTED: "#0969da", PROBLEM: "#b35900"}


def where(place: str) -> str:
    """A place in the book, in words.

    >>> where("chapters/the-ideal-ranking#first-sort-then-cut")
    '"The ideal ranking", at "first sort then cut"'
    """
    page, _, anchor = place.partition("#")
    title, section = (part.replace("-", " ").replace("ndcg", "NDCG") for part in (page.rpartition("/")[2], anchor))
    return f'"{title[:1].upper()}{title[1:]}"' + (f', at "{section}"' if section else "")


def address(place: str) -> str:
    """Where the place is to be opened: below NDCG_BOOK, the address or folder of the built book; "" without it."""
    base, (page, _, anchor) = os.environ.get("NDCG_BOOK", ""), place.partition("#")
    return f"{base.rstrip('/')}/{page}.html" + (f"#{anchor}" if anchor else "") if base and page else ""


def _linked(line: str, place: str) -> str:
    words, link = where(place) if place else "", address(place)
    if link and words in line:
        before, _, after = line.partition(words)
        return f'{_marked(before)}<a href="{escape(link)}">{escape(words)}</a>{_marked(after)}'
    return _marked(line)


def _marked(text: str) -> str:
    """`code` as HTML. Stars stay: they are powers in a student's code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _points(points: float) -> str:
    return f"{points:g}"
