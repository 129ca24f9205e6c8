"""A Working as text, Markdown, HTML and LaTeX. All rounding of the hand calculation happens here."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ndcg_lib.workings import Working

HEADINGS = (
    "rank", "document", "grade", "gain", "discount", "contribution", "CG", "DCG", "ideal grade", "IDCG", "NDCG",
)  # fmt: skip


def text(work: Working) -> str:
    """Columns of equal width, numbers to the right."""
    rows = [HEADINGS, *_cells(work)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *sums(work)])


def markdown(work: Working) -> str:
    """A pipe table, numbers to the right."""
    rule = [":--" if heading == "document" else "--:" for heading in HEADINGS]
    rows = [HEADINGS, rule, *([cell.replace("|", "\\|").replace("<", "&lt;") for cell in row] for row in _cells(work))]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return table + "\n\n" + "  \n".join(sums(work)) + "\n"


def html(work: Working) -> str:
    """A table that screen readers can walk through and narrow screens can scroll."""
    head = "".join(f'<th scope="col">{heading}</th>' for heading in HEADINGS)
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(cell)}</th>' if column == 0 else f"<td>{escape(cell)}</td>"
            for column, cell in enumerate(row)
        )
        + "</tr>"
        for row in _cells(work)
    )
    card = escape(work.convention.definition())
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in sums(work))
    return (
        f'<div class="ndcg-working" role="region" aria-label="Working" tabindex="0" style="overflow-x: auto">\n'
        f"<table>\n<caption>{card}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f"</div>\n{lines}"
    )


def sums(work: Working) -> list[str]:
    """DCG, IDCG and NDCG as sums and a quotient of rounded numbers."""
    c = work.curve
    short = _short(work.decimals)
    lines = []
    for name, gain, contribution, total in (
        ("DCG", c.gain, c.contribution, work.dcg),
        ("IDCG", c.ideal_gain, c.ideal_contribution, work.idcg),
    ):
        shown = [i for i in range(len(c)) if not math.isnan(gain[i])]
        terms = [_term(work, float(gain[i]), i) for i in shown]
        values = [short(float(contribution[i])) for i in shown]
        steps = [" + ".join(terms) or "0"] + ([" + ".join(values)] if terms != values else []) + [short(total)]
        lines.append(f"{name}@{_k(work)} = " + " = ".join(dict.fromkeys(steps)))
    return [*lines, f"NDCG@{_k(work)} = {short(work.dcg)} / {short(work.idcg)} = {_value(work)}"]


def latex(work: Working) -> str:
    """The sums with their fractions, in an `aligned` block."""
    c = work.curve
    short = _short(work.decimals)
    lines = []
    for name, grade, gain, total in (
        ("DCG", c.grade, c.gain, work.dcg),
        ("IDCG", c.ideal_grade, c.ideal_gain, work.idcg),
    ):
        terms = [_fraction(work, float(grade[i]), float(gain[i]), i) for i in range(len(c)) if not math.isnan(gain[i])]
        lines.append(rf"\mathrm{{{name}@{_k(work)}}} &= {' + '.join(terms) or '0'} = {short(total)}")
    value = _value(work, undefined=r"\text{undefined}")
    quotient = rf"\frac{{{short(work.dcg)}}}{{{short(work.idcg)}}}"
    lines.append(rf"\mathrm{{NDCG@{_k(work)}}} &= {quotient} = {value}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _cells(work: Working) -> list[list[str]]:
    c, exact, short = work.curve, _fixed(work.decimals), _short(work.decimals)
    return [
        [
            f"{i + 1}",
            work.documents[i] if i < len(work.documents) else "-",
            short(c.grade[i]),
            short(c.gain[i]),
            exact(c.discount[i]),
            exact(c.contribution[i]),
            short(c.cg[i]),
            exact(c.dcg[i]),
            short(c.ideal_grade[i]),
            exact(c.idcg[i]),
            exact(c.ndcg[i]),
        ]
        for i in range(len(c))
    ]


def _fixed(decimals: int) -> Callable[[float], str]:
    return lambda x: "-" if math.isnan(x) else f"{x:.{decimals}f}"


def _short(decimals: int) -> Callable[[float], str]:
    """Rounded, without the zeros that say nothing: 3, 1.5, 0.631."""

    def show(x: float) -> str:
        if math.isnan(x):
            return "-"
        rounded = f"{x:.{decimals}f}"
        return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded

    return show


def _k(work: Working) -> int:
    return work.convention.k or len(work.curve)


def _value(work: Working, undefined: str = "undefined") -> str:
    return undefined if math.isnan(work.ndcg) else f"{work.ndcg:.{work.decimals}f}"


def _is_log(work: Working) -> bool:
    return work.convention.discount in ("modern", "original")


def _term(work: Working, gain: float, i: int) -> str:
    short = _short(work.decimals)
    if _is_log(work):
        return f"{short(gain)}/{short(1 / float(work.curve.discount[i]))}"
    return f"{short(gain)} x {short(float(work.curve.discount[i]))}"


def _fraction(work: Working, grade: float, gain: float, i: int) -> str:
    short, rank, base = _short(work.decimals), i + 1, work.convention.base
    gain_text = f"2^{{{short(grade)}}}-1" if work.convention.gain == "exponential" else short(gain)
    if work.convention.discount == "modern":
        return rf"\frac{{{gain_text}}}{{\log_{{{base:g}}} {rank + 1}}}"
    bare = f"({gain_text})" if work.convention.gain == "exponential" else gain_text
    if work.convention.discount == "original":
        return bare if rank < base else rf"\frac{{{gain_text}}}{{\log_{{{base:g}}} {rank}}}"
    if work.convention.discount == "reciprocal":
        return rf"\frac{{{gain_text}}}{{{rank}}}"
    return bare if work.convention.discount == "none" else rf"{bare} \cdot {short(float(work.curve.discount[i]))}"
