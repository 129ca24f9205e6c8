"""Small plots as SVG text: the same on every machine, readable in grey and in the dark, with the numbers in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 460, 220, 44, 12, 36, 26


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

    def html(self) -> str:
        """The plot, with its values as its description."""
        step = _round_step(max(self.values, default=0))
        points = [(self._x(i), self._y(value)) for i, value in enumerate(self.values, start=1)]
        ranks = [_label(self._x(i), HEIGHT - BOTTOM + 16, i, "middle") for i in range(1, len(self.values) + 1)]
        heights = [round(step * j, 6) for j in range(int(self._top() / step) + 1)]
        ticks = [_label(LEFT - 6, self._y(v) + 4, f"{v:g}", "end") for v in heights]
        grid = [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{self._y(v)}" y2="{self._y(v)}"/>' for v in heights]
        axes = [_label(WIDTH / 2, HEIGHT - 4, self.xlabel, "middle"), _label(4, 14, self.ylabel, "start")]
        line = " ".join(f"{x},{y}" for x, y in points)
        dots = [f'<circle cx="{x}" cy="{y}" r="3.5"/>' for x, y in points]
        return (
            f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" style="max-width:{WIDTH}px;width:100%" '
            f'fill="currentColor" font-size="12" font-family="sans-serif">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.text())}</desc>"
            f"{''.join(ranks + ticks + axes)}"
            f'<g stroke="currentColor" stroke-opacity="0.25">{"".join(grid)}</g>'
            f'<polyline points="{line}" fill="none" stroke="currentColor" stroke-width="2"/>{"".join(dots)}</svg>'
        )

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _top(self) -> float:
        return max([*self.values, 1e-9]) * 1.05

    def _x(self, rank: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (rank - 0.5) / len(self.values), 1)

    def _y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / self._top(), 1)


def _label(x: float, y: float, words: object, anchor: str) -> str:
    return f'<text x="{round(x, 1)}" y="{round(y, 1)}" text-anchor="{anchor}">{escape(str(words))}</text>'


def _round_step(top: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives at most seven lines."""
    step = 0.01
    for factor in cycle((2, 2.5, 2)):
        if top <= 7 * step:
            break
        step *= factor
    return step
