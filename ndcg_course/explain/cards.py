"""A student's own data as they show themselves: pages in their ranked order, and beside each the readers who get there.

Plain HTML without a script, so that it shows in any notebook, in one that is not trusted yet, in an export and in the
page of the book alike. The lights are pictures: an inline drawing is taken out of a notebook that is not trusted.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from math import log2
from typing import Any

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

    def _repr_html_(self) -> str:
        ranked = next((key for key in RANKED if _graded(self.get(key))), None)
        k = self.get("k") if ranked else None
        parts = []
        for key, value in self.items():
            if key == ranked:
                parts.append(_pages(key, value, k))
            elif key in ANY_ORDER and _graded(value):
                parts.append(f"<p><b>{key}</b>, in any order: {' '.join(map(_grade, value))}</p>")
            else:
                parts.append(_value(key, value))
        return f'<div class="ndcg-own">{"".join(parts)}</div>'


def titles(grades: Sequence[float | None]) -> list[str]:
    """A title for each page: each grade takes its next one.

    >>> titles([3, 0, 3])
    ['Descale a kettle in five steps', 'Kettles: all prices', 'Citric acid: how much, how long']
    """
    left = {grade: iter(names) for grade, names in TITLES.items()}
    return [next(left.get(grade, iter(())), f"Page {rank}") for rank, grade in enumerate(grades, 1)]  # type: ignore[call-overload]


def _graded(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(item is None or type(item) is int for item in value)


def _grade(grade: float | None) -> str:
    if grade is None:
        return "<i>not judged</i>"
    filled = [i < grade for i in range(max(3, int(grade)))]
    pips = "".join(f'<span style="{_PIP}{"background:#0072b2" * on}"></span>' for on in filled)
    return f'<span style="white-space:nowrap"><b>{grade}</b>{pips}</span>'


def _pages(name: str, grades: Sequence[Any], k: Any) -> str:
    rows = "".join(_rows(grades, k))
    heads = "".join(f'<th scope="col" style="{_CELL}">{head}</th>' for head in HEADS)
    caption = f'<caption style="text-align:left"><b>{name}</b>: <i>{QUESTION}</i></caption>'
    table = '<table style="border:0;margin:0 0 .6em">'
    return f"{table}{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _rows(grades: Sequence[Any], k: Any) -> Iterator[str]:
    for rank, (grade, title) in enumerate(zip(grades, titles(grades), strict=True), 1):
        if k == rank - 1:
            line = "border-top:2px dashed;padding:0 8px;text-align:right;background:none;font-size:.85em"
            yield f'<tr style="background:none"><td colspan="4" style="{line}">k = {k}: nothing below counts</td></tr>'
        helps = bool(grade) and (not isinstance(k, int) or rank <= k)
        cells = (str(rank), escape(title), _grade(grade), _lights(rank, helps))
        row = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
        yield f'<tr style="background:none">{row}</tr>'


def _value(name: str, value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        cell = 'style="padding:2px 8px;text-align:right;background:none"'
        rows = ""
        for i, row in enumerate(value, 1):
            cells = "".join(f"<td {cell}>{escape(repr(item))}</td>" for item in row)
            rows += f'<tr style="background:none"><th scope="row" {cell}>{i}</th>{cells}</tr>'
        return f'<table style="border:0"><caption style="text-align:left"><b>{name}</b></caption>{rows}</table>'
    if isinstance(value, dict) and len(value) > FEW:
        first = [f"<li><b>{escape(repr(each))}</b>: {escape(repr(of))}</li>" for each, of in [*value.items()][:FEW]]
        rest = f"<li>and {len(value) - FEW} more, up to {escape(repr([*value][-1]))}</li>"
        return f"<p><b>{name}</b>, a dictionary:</p><ul>{''.join(first)}{rest}</ul>"
    shown = ", ".join(map(repr, value)) if isinstance(value, list) else str(value)
    return f"<p><b>{name}</b> = {escape(shown)}</p>"


@cache
def _lights(rank: int, helps: bool) -> str:
    """A hundred readers set out; those who get to this rank are lit, where the page helps them."""
    here = round(100 / log2(rank + 1))
    full, more = divmod(here, 5)
    lit = "r='2.5' fill='#4be3b0'" if helps else "r='1.9' fill='none' stroke='#ff9d5c'"
    of = "width='8' height='7' patternUnits='userSpaceOnUse'"
    dots = "".join(
        f"<pattern id='{name}' {of}><circle cx='4' cy='3.5' {how}/></pattern>"
        for name, how in (("a", lit), ("b", "r='.8' fill='#46505d'"))
    )
    drawn = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='160' height='35'>{dots}"
        "<rect width='160' height='35' rx='6' fill='#11161d'/>"
        f"<path fill='url(#a)' d='M0 0H{8 * (full + (more > 0))}V{7 * (more or 5)}H{8 * full}V35H0z'/>"
        f"<path fill='url(#b)' d='M160 35H{8 * full}V{7 * more}H{8 * (full + (more > 0))}V0H160z'/></svg>"
    )
    picture = f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"
    told = f'class="dark-light" width="160" height="35" alt="{here} of 100 readers get here"'
    return f'<img {told} src="{picture}">'
