"""Figures in the book's style: a finding as title, direct labels, one colour per idea, alt text from the data.

matplotlib is loaded with the first figure. A figure is drawn as SVG whose text takes the colour of the page, so that
it can be read in light and in dark mode. The last line of a notebook cell shows it.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from ndcg_lib.grid import Html, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "gain": "#0072b2",
    "discount": "#b84f00",
    "contribution": "#007a5a",
    "ideal": "#9c4a91",
    "returned": "#6e6e6e",
}
"""One colour per idea, in the whole book, legible on white as a line and as small text.

A page can set its own by CSS variables of the same names (`--gain`, `--discount`, …), as the book does in dark mode.
"""

_OTHERS = ("#8f1d4f", "#006d77", "#7a5200", "#3d4f9f", "#4d6600")  # for series that are none of these ideas
_PAGE_COLOUR = "#010203"  # stands for the text colour of the page
_ON_GAIN = "#010204"  # stands for the colour of text on a full box
_ON_PALE = "#010101"  # on a pale one: as good as black, which matplotlib would leave out
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)), (0, (8, 3)))
_MARKERS = ("o", "s", "^", "D", "v")
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ndcg",
    "font.family": "sans-serif",
    "font.size": 10.5,
    "text.color": _PAGE_COLOUR,
    "axes.edgecolor": _PAGE_COLOUR,
    "axes.labelcolor": _PAGE_COLOUR,
    "xtick.color": _PAGE_COLOUR,
    "ytick.color": _PAGE_COLOUR,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "lines.linewidth": 2,
    "lines.markersize": 5,
}


@dataclass(frozen=True)
class Chart:
    """A drawn figure: `title` states the finding, `alt` says with numbers what one would see."""

    svg: str
    title: str
    alt: str

    def __repr__(self) -> str:
        return f"{self.title}: {self.alt}"

    def _repr_html_(self) -> Html:
        return tag("figure", tag("figcaption", self.title), Html(self.svg), class_="nd-figure")


def show(fig: Figure, *, title: str, alt: str) -> Chart:
    """Any matplotlib figure as a chart of the book. Make the figure with `figure()`, so that it has the style.

    >>> fig, ax = figure(height=1.5)
    >>> line = ax.plot([1, 2, 3], [1, 0.631, 0.5])
    >>> show(fig, title="The discount falls", alt="The discount falls from 1 at rank 1 to 0.5 at rank 3.").title
    'The discount falls'
    """
    import matplotlib

    drawn = io.StringIO()
    with matplotlib.rc_context(_STYLE):
        fig.savefig(drawn, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    return Chart(_for_the_page(drawn.getvalue(), alt), title, alt)


def figure(panels: int = 1, *, height: float = 2.4, width: float = 4.0) -> tuple[Figure, Any]:
    """An empty figure in the book's style, with one axes or a column of `panels` axes that share the ranks.

    >>> fig, ax = figure()
    >>> [float(inches) for inches in fig.get_size_inches()]
    [4.0, 2.4]
    """
    try:
        import matplotlib
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("a figure needs matplotlib: pip install matplotlib") from missing
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        fig = Figure(figsize=(width, height), layout="constrained")
        axes = fig.subplots(panels, 1, sharex=True)
        for ax in fig.axes:
            ax.patch.set_alpha(0)
    return fig, axes


def ranking(lists: Mapping[str, Sequence[float]], *, title: str, k: int | None = None, alt: str = "") -> Chart:
    """Ranked lists as rows of boxes: the grade in the box, the darker the better; a dashed line after rank k.

    >>> chart = ranking({"A": [3, 0, 1], "B": [0, 3, 1]}, title="The same documents in two orders")
    >>> chart.alt
    'Grades by rank. A: 3, 0, 1. B: 0, 3, 1.'
    """
    _something(lists)
    fig, ax = figure(height=0.35 + 0.55 * len(lists))
    from matplotlib.patches import FancyBboxPatch

    best = max((g for grades in lists.values() for g in grades), default=1) or 1
    longest = max(len(grades) for grades in lists.values())
    for row, (label, grades) in enumerate(lists.items()):
        ax.text(0.35, row, label, ha="right", va="center", fontweight="bold")
        for rank, grade in enumerate(grades, start=1):
            depth = max(grade, 0) / best
            box = FancyBboxPatch(
                (rank - 0.38, row - 0.3), 0.76, 0.6, boxstyle="round,pad=0,rounding_size=0.08", linewidth=1,
                edgecolor=COLOURS["gain"], facecolor=(*_rgb(COLOURS["gain"]), depth),
            )  # fmt: skip
            ax.add_patch(box)
            ink = _PAGE_COLOUR if depth <= 0.55 else _ON_PALE if depth < 0.85 else _ON_GAIN
            ax.text(rank, row, f"{grade:g}", ha="center", va="center", color=ink, fontsize=12)
    for rank in range(1, longest + 1):
        ax.text(rank, -0.5, str(rank), ha="center", va="bottom", fontsize=8.5)
    ax.text(0.35, -0.5, "rank", ha="right", va="bottom", fontsize=8.5)
    if k is not None:
        ax.axvline(k + 0.5, color=_PAGE_COLOUR, linestyle=(0, (4, 3)), linewidth=1)
    ax.set(xlim=(-0.6, longest + 0.55), ylim=(len(lists) - 0.55, -0.8))
    ax.axis("off")
    rows = [f"{label}: {_listed(grades)}." for label, grades in lists.items()]
    cut = [f"A dashed line marks the cut-off after rank {k}."] if k is not None else []
    return show(fig, title=title, alt=alt or " ".join(["Grades by rank.", *rows, *cut]))


def bars(series: Mapping[str, Sequence[float]], *, title: str, start: int = 1, digits: int = 3, alt: str = "") -> Chart:
    """One panel of bars per series, rank by rank, each bar with its value. A key of COLOURS gets its colour.

    >>> chart = bars({"gain": [3, 2], "discount": [1, 0.631]}, title="A gain counts for less at rank 2")
    >>> chart.alt
    'Bars by rank. gain: 3, 2. discount: 1, 0.631.'
    """
    _something(series)
    fig, _ = figure(len(series), height=0.3 + 1.05 * len(series))
    colours = _colours(series)
    for ax, (label, values) in zip(fig.axes, series.items(), strict=True):
        ranks = range(start, start + len(values))
        ax.bar(ranks, values, color=colours[label], width=0.7)
        for rank, value in zip(ranks, values, strict=True):
            ax.annotate(_number(value, digits), (rank, max(value, 0)), (0, 2), textcoords="offset points",
                        ha="center", va="bottom", fontsize=9 if len(values) <= 8 else 7.5)  # fmt: skip
        ax.set_ylim(min(0, *values) * 1.25, max(1e-9, *values) * 1.35)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="x", length=0)
        ax.set_title(label, loc="left", fontsize=10, color=colours[label], fontweight="bold", pad=2)
        ax.set_xticks(list(ranks))
    fig.axes[-1].set_xlabel("rank")
    parts = [f"{label}: {_listed(values, digits)}." for label, values in series.items()]
    return show(fig, title=title, alt=alt or " ".join(["Bars by rank.", *parts]))


def lines(
    series: Mapping[str, Sequence[float]], *, title: str, x: Sequence[float] | None = None, xlabel: str = "rank",
    ylabel: str = "", log_x: bool = False, from_zero: bool = True, height: float = 2.7, alt: str = "",
) -> Chart:  # fmt: skip
    """One line per series, labelled at its end. A key of COLOURS gets its colour. x begins at 1 unless given.

    >>> chart = lines({"modern": [1, 0.631, 0.5], "reciprocal": [1, 0.5, 0.333]}, title="1/i falls faster")
    >>> chart.alt
    'Lines over rank 1 to 3. modern: 1, 0.631, 0.5. reciprocal: 1, 0.5, 0.333.'
    """
    _something(series)
    fig, ax = figure(height=height)
    colours = _colours(series)
    ends: list[tuple[float, str, str]] = []
    at: Sequence[float] = ()
    for number, (label, values) in enumerate(series.items()):
        at = list(range(1, len(values) + 1)) if x is None else x
        colour = colours[label]
        marker = _MARKERS[number % len(_MARKERS)] if len(values) <= 15 else ""
        ax.plot(at, values, color=colour, linestyle=_DASHES[number % len(_DASHES)], marker=marker)
        ends.append((float(values[-1]), label, colour))
    if log_x:
        ax.set_xscale("log")
    if from_zero:
        low, high = ax.get_ylim()
        ax.set_ylim(min(0.0, low) if low < 0 else 0.0, high)
    if not log_x and len(at) <= 15:
        ax.set_xticks(list(at)[:: 2 if len(at) > 12 else 1])
    _label_ends(ax, at[-1], ends)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    parts = [f"{label}: {_course(at, values)}." for label, values in series.items()]
    return show(fig, title=title, alt=alt or " ".join([f"Lines over {xlabel} {at[0]:g} to {at[-1]:g}.", *parts]))


def differences(
    values: Mapping[str, float] | Sequence[float], *, title: str, names: tuple[str, str] = ("B", "A"),
    measure: str = "", alt: str = "",
) -> Chart:  # fmt: skip
    """One bar per query, sorted: how far the first of two systems is ahead, in blue, or behind; a line for the mean.

    >>> differences([0.2, -0.1, 0.0, 0.3], title="B is ahead on two of four questions").alt
    'Sorted differences of 4 queries, B minus A: from -0.1 to 0.3, mean 0.1. B is ahead on 2, A on 1, equal 1.'
    """
    bars = sorted(values.values() if isinstance(values, Mapping) else values)
    _something({"values": bars})
    fig, ax = figure(height=2.4, width=4.6)
    up, down, mean = sum(x > 0 for x in bars), sum(x < 0 for x in bars), sum(bars) / len(bars)
    ax.bar(range(1, len(bars) + 1), bars, width=0.8, color=[COLOURS["gain" if x > 0 else "discount"] for x in bars])
    ax.axhline(0, color=_PAGE_COLOUR, linewidth=0.8)
    ax.axhline(mean, color=_PAGE_COLOUR, linewidth=1, linestyle=(0, (4, 3)))
    ends = [(mean, f"mean {mean:+.3f}", _PAGE_COLOUR)]
    _label_ends(ax, len(bars) + 0.6, ends)
    for x, side, colour, text in (
        (0.03, "left", "discount", f"{names[1]} ahead on {down}"),
        (0.97, "right", "gain", f"{names[0]} ahead on {up}"),
    ):
        y, at = (0.98, "top") if side == "left" else (0.04, "bottom")
        ax.text(x, y, text, transform=ax.transAxes, ha=side, va=at, color=COLOURS[colour], fontweight="bold")
    ax.set(xlabel="queries, sorted", ylabel=f"{names[0]} minus {names[1]}" + (f", {measure}" if measure else ""))
    told = f"from {_number(bars[0])} to {_number(bars[-1])}, mean {_number(mean)}"
    counted = f"{names[0]} is ahead on {up}, {names[1]} on {down}, equal {len(bars) - up - down}."
    said = f"Sorted differences of {len(bars)} queries, {names[0]} minus {names[1]}: {told}. {counted}"
    return show(fig, title=title, alt=alt or said)


def intervals(
    rows: Mapping[str, tuple[float, float, float]], *, title: str, shown: Iterable[str] | None = None,
    xlabel: str = "difference", alt: str = "",
) -> Chart:  # fmt: skip
    """A forest of intervals, a point with both ends in each row; blue are those `shown`, or that leave out 0.

    >>> intervals({"B - A": (0.1, 0.02, 0.18), "C - A": (0.01, -0.05, 0.07)}, title="C is not shown to differ").alt
    'Intervals. B - A: 0.1, from 0.02 to 0.18. C - A: 0.01, from -0.05 to 0.07.'
    """
    _something(rows)
    fig, ax = figure(height=0.75 + 0.3 * len(rows), width=4.6)
    sure = {label for label, (_, low, high) in rows.items() if low > 0 or high < 0} if shown is None else set(shown)
    for row, (label, (middle, low, high)) in enumerate(rows.items()):
        colour = COLOURS["gain" if label in sure else "returned"]
        ax.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
        ax.plot([middle], [row], "o", color=colour)
    ax.axvline(0, color=_PAGE_COLOUR, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlabel=xlabel)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    said = [f"{label}: {_number(m)}, from {_number(low)} to {_number(high)}." for label, (m, low, high) in rows.items()]
    return show(fig, title=title, alt=alt or " ".join(["Intervals.", *said]))


def bands(
    series: Mapping[str, Sequence[tuple[float, float, float]]], *, title: str, x: Sequence[float], xlabel: str = "k",
    ylabel: str = "", alt: str = "",
) -> Chart:  # fmt: skip
    """One line per series with its band: at each x the value, and how low and how high it may be.

    >>> bands({"A": [(0.5, 0.4, 0.6), (0.6, 0.5, 0.7)]}, x=[5, 10], title="A rises with k").alt
    'Lines with bands over k 5 to 10. A: 0.5, 0.6; band from 0.4, 0.5 to 0.6, 0.7.'
    """
    _something(series)
    fig, ax = figure(height=2.9, width=4.6)
    colours, ends, said = _colours(series), list[tuple[float, str, str]](), list[str]()
    for number, (label, points) in enumerate(series.items()):
        value, low, high = zip(*points, strict=True)
        ax.fill_between(x, low, high, color=colours[label], alpha=0.16, linewidth=0)
        ax.plot(x, value, color=colours[label], linestyle=_DASHES[number % len(_DASHES)])
        ends.append((value[-1], label, colours[label]))
        said.append(f"{label}: {_course(x, value)}; band from {_course(x, low)} to {_course(x, high)}.")
    _label_ends(ax, x[-1], ends)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return show(
        fig, title=title, alt=alt or " ".join([f"Lines with bands over {xlabel} {x[0]:g} to {x[-1]:g}.", *said])
    )


def heat(
    names: Sequence[str], differences: Mapping[tuple[str, str], float], *, title: str,
    shown: Iterable[tuple[str, str]] | None = None, alt: str = "",
) -> Chart:  # fmt: skip
    """All pairs: the row minus the column, blue where the row is ahead; only what is `shown` has a colour.

    >>> heat(["A", "B"], {("B", "A"): 0.12}, title="B is ahead of A").alt
    'Row minus column. B - A: +0.120, shown.'
    """
    _something({"differences": list(differences.values())})
    from matplotlib.patches import Rectangle

    sure = set(differences if shown is None else shown)
    fig, ax = figure(height=0.9 + 0.42 * len(names), width=1.2 + 0.62 * len(names))
    most = max(map(abs, differences.values())) or 1.0
    for (one, other), value in differences.items():
        for row, column, sign in ((one, other, 1), (other, one, -1)):
            x, y, number = names.index(column), names.index(row), sign * value + 0.0  # no -0
            depth = abs(value) / most if (one, other) in sure else 0.0
            colour = COLOURS["gain" if number > 0 else "discount"]
            ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=(*_rgb(colour), depth), linewidth=0))
            ink = _PAGE_COLOUR if depth <= 0.55 else _ON_PALE if depth < 0.85 else _ON_GAIN
            ax.text(x, y, f"{number:+.3f}", ha="center", va="center", color=ink, fontsize=8)
    places = range(len(names))
    ax.set_xticks(places, list(names), rotation=40, ha="left", rotation_mode="anchor")
    ax.set_yticks(places, list(names))
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5))
    for spine in ax.spines.values():
        spine.set_visible(False)
    said = [f"{a} - {b}: {v:+.3f}, {'shown' if (a, b) in sure else 'not shown'}." for (a, b), v in differences.items()]
    return show(fig, title=title, alt=alt or " ".join(["Row minus column.", *said]))


def _something(series: Mapping[str, Sequence[Any]]) -> None:
    if not series or not all(len(values) for values in series.values()):
        raise ValueError("there is nothing to draw: give at least one name with a list of numbers that is not empty")


def _label_ends(ax: Axes, x: float, ends: list[tuple[float, str, str]]) -> None:
    """Write each label beside the end of its line, moved apart where they would touch."""
    low, high = ax.get_ylim()
    apart = 0.075 * (high - low)
    y = float("-inf")
    for value, label, colour in sorted(ends):
        y = max(value, y + apart)
        ax.annotate(label, (x, y), (7, 0), textcoords="offset points", va="center", color=colour, fontweight="bold",
                    annotation_clip=False)  # fmt: skip


def _for_the_page(svg: str, alt: str) -> str:
    """The bare <svg> element: text in the page's colour, identifiers that no other figure of the page has, a name."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    svg = svg.replace(_PAGE_COLOUR, "currentColor").replace(_ON_GAIN, "var(--on-gain, #ffffff)")
    for name, colour in [*COLOURS.items(), *((f"other-{i}", colour) for i, colour in enumerate(_OTHERS, start=1))]:
        svg = svg.replace(colour, f"var(--{name}, {colour})")
    own = "nd" + hashlib.sha256((alt + svg).encode()).hexdigest()[:8]
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{own}-", svg)
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])  # type: ignore[index]
    style = f"width:100%;max-width:{width / 10.5:.1f}rem;fill:currentColor"
    named = str(tag("svg", role="img", aria_label=alt, style=style)).removesuffix("></svg>")
    return svg.replace("<svg", named, 1).replace("\n", " ").strip()


def _colours(series: Iterable[str]) -> dict[str, str]:
    """The colour of each series: its idea's own, or the next of the others."""
    others = cycle(_OTHERS)
    return {label: COLOURS.get(label) or next(others) for label in series}


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}"


def _listed(values: Sequence[float], digits: int = 3) -> str:
    return ", ".join(_number(value, digits) for value in values)


def _course(at: Sequence[float], values: Sequence[float]) -> str:
    """All values of a short line; of a long one where it begins, turns and ends."""
    if len(values) <= 10:
        return _listed(values)
    low, high = min(values), max(values)
    said = {0: "begins at", len(values) - 1: "ends at"}
    where = {list(values).index(low): "lowest", list(values).index(high): "highest"}
    parts = [f"{word} {_number(values[i])}" for i, word in said.items()]
    parts += [f"{word} {_number(values[i])} at {at[i]:g}" for i, word in where.items() if i not in said]
    return ", ".join(parts)
