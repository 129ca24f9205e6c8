"""Small plots as SVG text: the same on every machine, readable in grey and in the dark, with the numbers in words."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from ndcg_course.grade.inside import kit
from ndcg_lib.grid import Html, joined, tag

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 460, 220, 44, 12, 36, 26
BOX = f"0 0 {WIDTH} {HEIGHT}"
LETTERS = {"fill": "currentColor", "font_size": 12, "font_family": "sans-serif"}


@dataclass
class Steps:
    """One value per rank, as joined points."""

    values: Sequence[float]
    xlabel: str
    ylabel: str
    title: str

    def text(self) -> str:
        """The values by rank, for a terminal and for a screen reader.

        >>> Steps([1, 1.5], "k", "IDCG@k", "IDCG@k grows").text()
        'IDCG@k grows. IDCG@k at k 1 to 2: 1.00, 1.50'
        """
        values = ", ".join(f"{value:.2f}" for value in self.values)
        return f"{self.title}. {self.ylabel} at {self.xlabel} 1 to {len(self.values)}: {values}"

    def html(self) -> Html:
        """The plot, with its values as its description."""
        step = _round_step(max(self.values, default=0))
        points = [(self._x(i), self._y(value)) for i, value in enumerate(self.values, start=1)]
        ranks = [_label(self._x(i), HEIGHT - BOTTOM + 16, i, "middle") for i in range(1, len(self.values) + 1)]
        heights = [round(step * j, 6) for j in range(int(self._top() / step) + 1)]
        ticks = [_label(LEFT - 6, self._y(v) + 4, f"{v:g}", "end") for v in heights]
        grid = [tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=self._y(v), y2=self._y(v)) for v in heights]
        axes = [_label(WIDTH / 2, HEIGHT - 4, self.xlabel, "middle"), _label(4, 14, self.ylabel, "start")]
        faint = tag("g", grid, stroke="currentColor", stroke_opacity=0.25)
        words = [tag("title", self.title), tag("desc", self.text()), ranks, ticks, axes]
        style = f"max-width:{WIDTH}px;width:100%"
        return tag("svg", words, faint, _joined(points), _dots(points), role="img", viewBox=BOX, style=style, **LETTERS)

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _top(self) -> float:
        return max([*self.values, 1e-9]) * 1.05

    def _x(self, rank: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (rank - 0.5) / len(self.values), 1)

    def _y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / self._top(), 1)


class Axes(kit.Axes):
    """Axes that show what was drawn on them."""

    def in_words(self) -> str:
        """What is drawn, for a terminal and for who does not see it."""
        drawn = [f"{len(one['x'])} {'bars' if one['form'] == 'bar' else 'points'}" for one in self["drawn"]]
        return ". ".join([self["labels"].get("title", "Axes"), ", ".join(drawn) or "nothing is drawn"])

    def svg(self) -> Html:
        """The figure. What is not numbers is set side by side in the order in which it comes."""
        shapes = [*(shape for one in self["drawn"] for shape in self._marks(one))]
        shapes += [self._line(one["along"], one["at"], one["low"], one["high"], 3) for one in self["intervals"]]
        for side, value in self["lines"]:
            other = "x" if side == "y" else "y"
            shapes.append(self._line(other, value, *self._ends(other), 1))
        below, beside = (self["labels"].get(name, "") for name in "xy")
        words = [_label(WIDTH / 2, HEIGHT - 4, below, "middle"), _label(4, 14, beside, "start")]
        words += [_label(LEFT - 6, self._at("y", value) + 4, f"{value:.3g}", "end") for value in self._ends("y")]
        named = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria_label": self.in_words()}
        return tag("svg", words, shapes, **named, viewBox=BOX, style="width:100%", **LETTERS)

    def html(self) -> Html:
        """The figure below its title."""
        caption = tag("figcaption", self["labels"].get("title", ""))
        return tag("figure", caption, self.svg(), style=f"margin:0;max-width:{WIDTH}px")

    __repr__ = in_words
    _repr_html_ = html

    def _marks(self, one: Mapping[str, Any]) -> Iterator[Html]:
        along, points = one["along"] or "y", [*zip(one["x"], one["y"], strict=False)]
        if one["form"] == "bar":
            for point in points:
                at, tip = point[along == "x"], point[along == "y"]
                yield self._line(along, at, one["base"], tip, 8, 0.45)
        elif one["form"] == "line":
            yield _joined((self._at("x", x), self._at("y", y)) for x, y in points)
        else:
            yield _dots((self._at("x", x), self._at("y", y)) for x, y in points)

    def _line(self, along: str, at: Any, low: Any, high: Any, width: float, opacity: float = 1) -> Html:
        """A line along one axis, at a place of the other."""
        other = "x" if along == "y" else "y"
        ends = {f"{along}1": self._at(along, low), f"{along}2": self._at(along, high)}
        ends |= {f"{other}{end}": self._at(other, at) for end in "12"}
        return tag("line", **ends, stroke="currentColor", stroke_width=width, stroke_opacity=opacity)

    def _at(self, side: str, value: Any) -> float:
        low, high = self._ends(side)
        share = (self._number(side, value) - low) / (high - low)
        if side == "x":
            return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share, 1)

    def _number(self, side: str, value: Any) -> float:
        names = list(dict.fromkeys(name for one in self["drawn"] for name in one[side] if isinstance(name, str)))
        return float(names.index(value) if value in names else value)

    def _ends(self, side: str) -> tuple[float, float]:
        if side in self["limits"]:
            low, high = self["limits"][side]
            return low, high
        shown = [value for one in self["drawn"] for value in one[side]]
        shown += [one["base"] for one in self["drawn"] if one["along"] == side]
        shown += [
            one[end] for one in self["intervals"] for end in (("low", "high") if one["along"] == side else ("at",))
        ]
        shown += [value for along, value in self["lines"] if along == side]
        found = [self._number(side, value) for value in shown] or [0.0, 1.0]
        room = (max(found) - min(found) or 1) / 20
        return min(found) - room, max(found) + room


@dataclass
class Page:
    """A page in one file."""

    lines: Sequence[str]
    figure: Axes

    def html(self) -> Html:
        """A link that saves it, with the figure inside."""
        picture = f"data:image/svg+xml;base64,{b64encode(self.figure.svg().encode()).decode()}"
        page = "\n".join(self.lines).replace("figure.svg", picture)
        file = f"data:text/html;charset=utf-8;base64,{b64encode(page.encode()).decode()}"
        return tag("p", tag("a", "Save the page", download="page.html", href=file))

    _repr_html_ = html


def page_of(lines: Sequence[str], figure: Axes) -> Page:
    """The page of these lines as a file to save, with the figure where it says `figure.svg`.

    >>> 'download="page.html"' in page_of(["<h1>A or B?</h1>"], Axes()).html()
    True
    """
    if not isinstance(figure, Axes) or not all(isinstance(line, str) for line in lines):
        raise ValueError("page_of(lines, figure) takes a list of texts, and axes that were drawn on")
    return Page(lines, figure)


def _label(x: float, y: float, words: object, anchor: str) -> Html:
    return tag("text", words, x=round(x, 1), y=round(y, 1), text_anchor=anchor)


def _joined(points: Iterable[tuple[float, float]]) -> Html:
    line = " ".join(f"{x},{y}" for x, y in points)
    return tag("polyline", points=line, fill="none", stroke="currentColor", stroke_width=2)


def _dots(points: Iterable[tuple[float, float]]) -> Html:
    return joined(tag("circle", cx=x, cy=y, r=3.5) for x, y in points)


def _round_step(top: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives at most seven lines."""
    step = 0.01
    for factor in cycle((2, 2.5, 2)):
        if top <= 7 * step:
            break
        step *= factor
    return step
