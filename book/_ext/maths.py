"""Formulas as MathML, made when the book is built: no script, no outside host, and nothing to wait for.

Every browser of the last years draws MathML. The font is STIX Two Math (from the PyPI package ziamath, Open Font
License), cut down to the characters that formulas use.
"""

from __future__ import annotations

import html
import importlib.util
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

CHARACTERS = {
    *range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x370, 0x400), *range(0x2010, 0x2040), *range(0x2070, 0x20A0),
    *range(0x2100, 0x2150), *range(0x2190, 0x21A0), 0x21D2, 0x21D4, *range(0x2200, 0x2300), *range(0x2308, 0x230C),
    0x22EF, 0x23DE, 0x23DF, *range(0x25A0, 0x25B0), *range(0x27E8, 0x27EA), *range(0x2A7D, 0x2A80),
    *range(0x1D400, 0x1D468), *range(0x1D6A4, 0x1D6E2), *range(0x1D6FC, 0x1D71C),
}  # fmt: skip


def mathml(latex: str, display: str) -> str:
    """The formula as a MathML element that also carries its LaTeX, for copying."""
    element = convert(latex, display=display)
    open_tag, body = re.fullmatch(r"(<math[^>]*>)(.*)</math>", element, re.DOTALL).groups()  # type: ignore[union-attr]
    note = f'<annotation encoding="application/x-tex">{html.escape(latex.strip())}</annotation>'
    return f"{open_tag}<semantics>{body}{note}</semantics></math>"


def inline(translator: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    translator.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def block(translator: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    identifier = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(
        f'<div class="math-block"{identifier}>{mathml(node.astext(), "block")}{number}</div>\n'
    )
    raise SkipNode


def add_font(app: Any, error: Exception | None) -> None:
    """Write the cut-down font beside the other static files of the built book."""
    if error or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "math.woff2"
    if target.exists():
        return
    from fontTools import subset

    options = subset.Options(flavor="woff2", layout_features=["*"])
    source = Path(importlib.util.find_spec("ziamath").origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"  # type: ignore[union-attr,arg-type]
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    cutter.subset(font)
    subset.save_font(font, str(target), options)


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    app.connect("build-finished", add_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
