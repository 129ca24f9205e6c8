"""Tables of words and numbers, as text, Markdown, LaTeX and HTML, and the pieces of which HTML is made.

The first row of a table holds the headings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from html import escape
from typing import Any, TypeAlias

Grid: TypeAlias = Sequence[Sequence[str]]
LARGE = 1e15
DECIMALS = 4
"""Of a value of a measure, wherever one is printed."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def text(rows: Grid, left: Container[int] = (0,)) -> str:
    """Columns of equal width, numbers to the right, the columns with the numbers `left` to the left.

    >>> print(text([["", "NDCG"], ["new", "0.5"]]))
         NDCG
    new   0.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def finite(value: Any) -> Any:
    """A value for JSON, which has neither nan nor infinity.

    >>> finite(0.5), finite([1.0, float("inf")])
    (0.5, [1.0, None])
    """
    if isinstance(value, list):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def fixed(value: float, decimals: int = DECIMALS, sign: str = "") -> str:
    """A number with so many decimals; where a float holds hardly any, its first digits and its size. `sign` may be +.

    >>> fixed(0.96081, 3), fixed(0.5, 2, "+"), fixed(2.0**1000, 3)
    ('0.961', '+0.50', '1.07151e+301')
    """
    return f"{value:{sign}.6g}" if abs(value) >= LARGE else f"{value:{sign}.{decimals}f}"


def interval(low: float, high: float) -> str:
    """The ends of a difference's interval.

    >>> interval(-0.01, 0.25)
    '[-0.0100, +0.2500]'
    """
    return f"[{fixed(low, sign='+')}, {fixed(high, sign='+')}]"


def markdown(rows: Grid, left: int = 0) -> str:
    """A pipe table.

    >>> print(markdown([["run", "NDCG"], ["a|b", "0.5"]]))
    | run | NDCG |
    | :-- | --: |
    | a\\|b | 0.5 |
    """
    rule = [":--" if at == left else "--:" for at in range(len(rows[0]))]
    body = [[cell.replace("|", "\\|").replace("<", "&lt;") for cell in row] for row in rows[1:]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rule, *body])


class Html(str):
    """HTML, as distinct from text. What is put before it makes it text again, and then its own `<` are seen."""

    def __html__(self) -> Html:
        return self

    def __add__(self, other: object) -> Html:
        return joined(self, other)


EMPTY = {"br", "circle", "hr", "img", "input", "line", "link", "meta", "path", "polyline", "rect"}
"""Elements that hold nothing."""


def joined(*parts: object) -> Html:
    """Pieces one after the other: a text is escaped, HTML is taken as it is, a list is taken apart, None is nothing.

    >>> joined("1 < 2", Html("<br>"), ["a", None])
    '1 &lt; 2<br>a'
    """
    return Html("".join(map(_piece, parts)))


def _piece(part: object) -> str:
    if isinstance(part, list | tuple | Iterator):
        return joined(*part)
    return str(part) if hasattr(part, "__html__") else "" if part is None else escape(str(part))


def tag(name: str, /, *inside: object, **attributes: object) -> Html:
    """An element around pieces. Of attributes, `class_` is class, `data_x` is data-x, and None is left out.

    >>> tag("td", "a < b", class_="number", title=None)
    '<td class="number">a &lt; b</td>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    opening = " ".join([name, *(f'{key}="{_quoted(value)}"' for key, value in given.items())])
    return Html(f"<{opening}/>" if name in EMPTY else f"<{opening}>{joined(*inside)}</{name}>")


def _quoted(value: object) -> str:
    return escape(str(value), quote=False).replace('"', "&quot;")


def tags(name: str, items: Iterable[object], /, **attributes: object) -> Html:
    """An element around each of the items.

    >>> tags("li", ["a", "b"])
    '<li>a</li><li>b</li>'
    """
    return joined(tag(name, item, **attributes) for item in items)


def around(name: str, /, **attributes: object) -> tuple[Html, Html]:
    """The beginning and the end of an element whose inside is written by somebody else.

    >>> around("ndcg-slider", label="k")
    ('<ndcg-slider label="k">', '</ndcg-slider>')
    """
    opening, ending = tag(name, "\0", **attributes).split("\0")
    return Html(opening), Html(ending)


def html(rows: Grid) -> Html:
    """A table for a notebook.

    >>> html([["", "value"], ["a", "1"]])
    '<table><thead><tr><th></th><th>value</th></tr></thead><tbody><tr><th>a</th><td>1</td></tr></tbody></table>'
    """
    body = [tag("tr", tag("th", row[0]), tags("td", row[1:])) for row in rows[1:]]
    return tag("table", tag("thead", tag("tr", tags("th", rows[0]))), tag("tbody", body))


def page(title: str, style: Html, *parts: object, policy: str | None = POLICY) -> Html:
    """A whole page that loads nothing from elsewhere; `policy` says what may run and be shown in it.

    >>> "<title>a &lt; b</title>" in page("a < b", Html(""))
    True
    """
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy) if policy else None,
        tag("meta", name="viewport", content="width=device-width"), tag("meta", name="referrer", content="no-referrer"),
        tag("title", title), tag("style", style),
    ]  # fmt: skip
    body = tag("html", "\n", tag("head", head), "\n", tag("body", "\n", parts, "\n"), "\n", lang="en")
    return joined(Html("<!DOCTYPE html>\n"), body, "\n")


def frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a data frame of pandas, or of Polars where that is installed alone."""
    for library in ("pandas", "polars"):
        try:
            return __import__(library).DataFrame(rows)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError("a frame needs pandas or Polars: pip install pandas; rows() gives the same as a list")


def latex(rows: Grid, left: int = 0) -> str:
    """A tabular with the rules of the package booktabs.

    >>> print(latex([["", "NDCG"], ["my_run", "-0.5"]]))
    \\begin{tabular}{lr}
    \\toprule
     & NDCG \\\\
    \\midrule
    my\\_run & $-$0.5 \\\\
    \\bottomrule
    \\end{tabular}
    """
    columns = "".join("l" if at == left else "r" for at in range(len(rows[0])))
    head, *body = (" & ".join(map(_escaped, row)) + r" \\" for row in rows)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}"])


def _escaped(cell: str) -> str:
    """A cell with what LaTeX would take for a command made harmless, and a minus that is one."""
    safe = re.sub(r"[&%$#_{}]", r"\\\g<0>", cell.replace("\\", "/")).replace("~", r"\~{}").replace("^", r"\^{}")
    safe = re.sub(r"(?<![\w.-])-(?=[\d.])| - ", lambda sign: sign[0].replace("-", "$-$"), safe)
    return safe.replace("<", "$<$")
