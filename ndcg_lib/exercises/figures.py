"""Small plots as SVG text: the same on every machine, readable in grey and dark, with the numbers as a text beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 220, 44, 34, 12


@dataclass
class Steps:
    """One value per rank, as joined points."""

    values: Sequence[float]
    xlabel: str
    ylabel: str
    title: str

    def text(self) -> str:
        """The values by rank, for a terminal and for a screen reader."""
        return f"{self.title}. " + ", ".join(f"{i}: {v:.2f}" for i, v in enumerate(self.values, start=1))

    def html(self) -> str:
        """The plot, with its values as its description."""
        top = max(max(self.values), 1e-9) * 1.08
        n = len(self.values)

        def x(i: float) -> float:
            return round(LEFT + (WIDTH - LEFT - 12) * (i - 0.5) / n, 1)

        def y(v: float) -> float:
            return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * v / top, 1)

        points = " ".join(f"{x(i)},{y(v)}" for i, v in enumerate(self.values, start=1))
        dots = "".join(f'<circle cx="{x(i)}" cy="{y(v)}" r="3.5"/>' for i, v in enumerate(self.values, start=1))
        ranks = "".join(
            f'<text x="{x(i)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{i}</text>' for i in range(1, n + 1)
        )
        step = _tidy_step(top)
        ticks = "".join(
            f'<text x="{LEFT - 6}" y="{y(v) + 4}" text-anchor="end">{v:g}</text>'
            f'<line x1="{LEFT}" x2="{WIDTH - 12}" y1="{y(v)}" y2="{y(v)}" stroke-opacity="0.25"/>'
            for v in (round(step * j, 6) for j in range(int(top / step) + 1))
        )
        return (
            f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" style="max-width:{WIDTH}px;width:100%" '
            'fill="currentColor" stroke="currentColor" font-size="12" font-family="sans-serif">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.text())}</desc>"
            f'<g stroke="none">{ranks}<text x="{WIDTH / 2}" y="{HEIGHT - 4}" text-anchor="middle">{escape(self.xlabel)}</text>'
            f'<text x="4" y="{TOP}" text-anchor="start">{escape(self.ylabel)}</text></g>'
            f'<g stroke-width="1"><g>{ticks.replace("<text", chr(60) + "text stroke=" + chr(34) + "none" + chr(34))}</g></g>'
            f'<polyline points="{points}" fill="none" stroke-width="2"/>{dots}</svg>'
        )

    __str__ = text
    __repr__ = text
    _repr_html_ = html


def _tidy_step(top: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives about five lines."""
    step = 1e-6
    factors = (2, 2.5, 2)
    turn = 0
    while top / step > 7:
        step *= factors[turn % 3]
        turn += 1
    return step
