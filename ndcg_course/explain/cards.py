"""A student's own data as they show themselves: pages in their ranked order, and beside each the readers who get there.

Plain HTML without a script, so that it shows in any notebook, in one that is not trusted yet, in an export and in the
page of the book alike. The lights are pictures: an inline drawing is taken out of a notebook that is not trusted.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from math import log2
from typing import Any

from ndcg_lib.grid import Html, joined, tag, tags

RANKED, ANY_ORDER = ("grades", "returned"), ("judged",)
FEW = 3  # entries of a long dictionary that are shown
HEADS = ("rank", "page", "grade", "of 100 readers")
QUESTION = "how do I descale a kettle?"
TITLES = {
    0: ("Kettles: all prices", "Scale models of steam engines", "Kettlebells for beginners"),
    1: ("Where limescale comes from", "How hard is your water?", "Limescale in pipes"),
    2: ("Vinegar or citric acid?", "Limescale filters, compared", "How often to descale"),
    3: ("Descale a kettle in five steps", "Citric acid: how much, how long", "Kettle clean again: a film"),
    4: ("Descale it, with pictures", "What the makers of kettles say"),
    5: ("The kettle handbook, chapter 3", "Descaling, step by step, tested"),
}
_CELL = "padding:3px 8px;text-align:left;background:none"
_PIP = "display:inline-block;width:9px;height:15px;margin-left:3px;border:1.5px solid #767e8a;border-radius:3px;"


class Own(dict[str, Any]):
    """The data of a task: a dictionary that shows itself as cards."""

    def _repr_html_(self) -> Html:
        ranked = next((key for key in RANKED if _graded(self.get(key))), None)
        k = self.get("k") if ranked else None
        parts = []
        for key, value in self.items():
            if key == ranked:
                parts.append(_pages(key, value, k))
            elif key in ANY_ORDER and _graded(value):
                spaced = [[" ", _grade(grade)] for grade in value]
                parts.append(tag("p", tag("b", key), ", in any order:", spaced))
            else:
                parts.append(_value(key, value))
        return tag("div", parts, class_="ndcg-own")


def titles(grades: Sequence[float | None]) -> list[str]:
    """A title for each page: each grade takes its next one.

    >>> titles([3, 0, 3])
    ['Descale a kettle in five steps', 'Kettles: all prices', 'Citric acid: how much, how long']
    """
    left = {grade: iter(names) for grade, names in TITLES.items()}
    return [next(left.get(grade, iter(())), f"Page {rank}") for rank, grade in enumerate(grades, 1)]  # type: ignore[call-overload]


def _graded(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(item is None or type(item) is int for item in value)


def _grade(grade: float | None) -> Html:
    if grade is None:
        return tag("i", "not judged")
    filled = [i < grade for i in range(max(3, int(grade)))]
    pips = [tag("span", style=_PIP + "background:#0072b2" * on) for on in filled]
    return tag("span", tag("b", grade), pips, style="white-space:nowrap")


def _pages(name: str, grades: Sequence[Any], k: Any) -> Html:
    head = tag("thead", tag("tr", tags("th", HEADS, scope="col", style=_CELL)))
    caption = tag("caption", tag("b", name), ": ", tag("i", QUESTION), style="text-align:left")
    return tag("table", caption, head, tag("tbody", *_rows(grades, k)), style="border:0;margin:0 0 .6em")


def _rows(grades: Sequence[Any], k: Any) -> Iterator[Html]:
    for rank, (grade, title) in enumerate(zip(grades, titles(grades), strict=True), 1):
        if k == rank - 1:
            line = "border-top:2px dashed;padding:0 8px;text-align:right;background:none;font-size:.85em"
            cut = tag("td", f"k = {k}: nothing below counts", colspan=4, style=line)
            yield tag("tr", cut, style="background:none")
        helps = bool(grade) and (not isinstance(k, int) or rank <= k)
        cells = tags("td", [rank, title, _grade(grade), _lights(rank, helps)], style=_CELL)
        yield tag("tr", cells, style="background:none")


def _value(name: str, value: Any) -> Html:
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        style = "padding:2px 8px;text-align:right;background:none"
        rows = [
            tag("tr", tag("th", i, scope="row", style=style), tags("td", map(repr, row), style=style),
                style="background:none")
            for i, row in enumerate(value, 1)
        ]  # fmt: skip
        return tag("table", tag("caption", tag("b", name), style="text-align:left"), rows, style="border:0")
    if isinstance(value, dict) and len(value) > FEW:
        return joined(tag("p", tag("b", name), ", a dictionary:"), _entries(value))
    shown = ", ".join(map(repr, value)) if isinstance(value, list) else str(value)
    return tag("p", tag("b", name), " = ", shown)


def _entries(held: Any) -> Html:
    """The first entries; where each holds entries of its own, one.

    >>> print(_entries({1: [4, 5, 6, 7], 2: [4]}))
    <ul><li><b>1</b>: <ul><li>4</li><li>5</li><li>6</li><li>and 1 more</li></ul></li><li>and 1 more, up to 2</li></ul>
    """
    if isinstance(held, list):
        shown, last = [tag("li", repr(item)) for item in held[:FEW]], ""
    else:
        nested = any(isinstance(of, (dict, list)) for of in held.values())
        pairs = [*held.items()][: 1 if nested else FEW]
        shown = [tag("li", tag("b", repr(key)), ": ", _entries(of) if nested else repr(of)) for key, of in pairs]
        last = f", up to {[*held][-1]!r}"
    more = [tag("li", f"and {len(held) - len(shown)} more{last}")] * (len(held) > len(shown))
    return tag("ul", shown, more)


@cache
def _lights(rank: int, helps: bool) -> Html:
    """A hundred readers set out; those who get to this rank are lit, where the page helps them."""
    here = round(100 / log2(rank + 1))
    full, more = divmod(here, 5)
    lit = {"r": 2.5, "fill": "#4be3b0"} if helps else {"r": 1.9, "fill": "none", "stroke": "#ff9d5c"}
    of = {"width": 8, "height": 7, "patternUnits": "userSpaceOnUse"}
    dots = [
        tag("pattern", tag("circle", cx=4, cy=3.5, **how), id=name, **of)
        for name, how in (("a", lit), ("b", {"r": 0.8, "fill": "#46505d"}))
    ]
    edge = {"width": 160, "height": 35}
    drawn = tag(
        "svg", dots, tag("rect", **edge, rx=6, fill="#11161d"),
        tag("path", fill="url(#a)", d=f"M0 0H{8 * (full + (more > 0))}V{7 * (more or 5)}H{8 * full}V35H0z"),
        tag("path", fill="url(#b)", d=f"M160 35H{8 * full}V{7 * more}H{8 * (full + (more > 0))}V0H160z"),
        xmlns="http://www.w3.org/2000/svg", **edge,
    )  # fmt: skip
    picture = f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"
    return tag("img", class_="dark-light", **edge, alt=f"{here} of 100 readers get here", src=picture)
