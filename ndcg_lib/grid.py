"""Tables of words and numbers, as text, Markdown and LaTeX. The first row holds the headings."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from html import escape
from typing import Any, TypeAlias

Grid: TypeAlias = Sequence[Sequence[str]]
LARGE = 1e15
DECIMALS = 4
"""Of a value of a measure, wherever one is printed."""


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


def html(rows: Grid) -> str:
    """A table for a notebook.

    >>> html([["", "value"], ["a", "1"]])
    '<table><thead><tr><th></th><th>value</th></tr></thead><tbody><tr><th>a</th><td>1</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    cells = ((f"<th>{escape(row[0])}</th>", *(f"<td>{escape(cell)}</td>" for cell in row[1:])) for row in rows[1:])
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


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
