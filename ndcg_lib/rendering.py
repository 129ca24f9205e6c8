"""A Working as text, Markdown, HTML and LaTeX. All rounding of the hand calculation happens here."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from ndcg_lib.choices import Bound, text_of

if TYPE_CHECKING:
    from ndcg_lib.workings import Working

BEYOND = ">1e308"
"""What stands for a number that a float cannot hold; NDCG has a value all the same."""
ASSUMED = "assumed: nothing else was judged"
"""What a value takes for granted whose ideal is over all judged documents, and that was not told them."""
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
    assumed = "" if work.judged_given or work.convention.ideal != "judged" else f"; {ASSUMED}"
    card = escape(work.convention.definition() + assumed)
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
    return lambda x: "-" if math.isnan(x) else BEYOND if math.isinf(x) else f"{x:.{decimals}f}"


def _short(decimals: int) -> Callable[[float], str]:
    """Rounded, without the zeros that say nothing: 3, 1.5, 0.631."""
    fixed = _fixed(decimals)

    def show(x: float) -> str:
        text = fixed(x)
        return text.rstrip("0").rstrip(".") if "." in text else text

    return show


def _k(work: Working) -> int:
    return work.convention.k or len(work.curve)


def _value(work: Working, undefined: str = "undefined") -> str:
    return undefined if math.isnan(work.ndcg) else f"{work.ndcg:.{work.decimals}f}"


def _term(work: Working, gain: float, i: int) -> str:
    short, level = _short(work.decimals), work.convention.levels["discount"]
    if isinstance(level, Bound) and level.option.under:
        return f"{short(gain)}/{short(1 / float(work.curve.discount[i]))}"
    return f"{short(gain)} x {short(float(work.curve.discount[i]))}"


def _fraction(work: Working, grade: float, gain: float, i: int) -> str:
    """A term in LaTeX: the gain, and what the table of choices says that the discount does to it at this rank."""
    short, rank = _short(work.decimals), i + 1
    worth, level = work.convention.levels["gain"], work.convention.levels["discount"]
    spelled = isinstance(worth, Bound) and worth.option.spelled
    text = text_of("gain", worth, "latex", g=short(grade)) if spelled else short(gain)
    bare = f"({text})" if spelled else text
    if not isinstance(level, Bound):
        return rf"{bare} \cdot {short(float(work.curve.discount[i]))}"
    if rank < level.first:
        return bare
    under, times = (
        text_of("discount", level, field, i=rank, next=rank + 1, before=rank - 1) for field in ("under", "times")
    )
    if under:
        return rf"\frac{{{text}}}{{{under}}}"
    return rf"{bare} \cdot {times}" if times else bare
