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

from _ext.look import in_colours
from _ext.weight import cut
from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError

from ndcg_lib.grid import Html, tag

CHARACTERS = {
    *map(ord, "±·×÷…′″←→⇒⇔∀∃∈∉∏∑−∓∗√∞∧∨∩∪∣∥∼≈≠≡≤≥⊂⊆⋅⋮⋯⌈⌉⌊⌋⏞⏟⟨⟩ℎ"), *range(0x20, 0x7F), *range(0x391, 0x3AA),
    *range(0x3B1, 0x3CA), *range(0x1D434, 0x1D468), *range(0x1D6FC, 0x1D71C),
}  # fmt: skip
"""Letters (upright and italic), digits, Greek and common signs; any other comes from the reader's own fonts."""
ITALIC = {**{chr(65 + i): 0x1D434 + i for i in range(26)}, **{chr(97 + i): 0x1D44E + i for i in range(26)}, "h": 0x210E}
ONE = re.compile(r"<mi[^>]*>(.)</mi>")

ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|align\*?|gather\*?|gathered)\}")
FUNCTION = re.compile(
    r"(<msub><mi>(?:log|ln)</mi>(?:<mrow>(?:(?!<mrow>).)*?</mrow>|<m[in]>[^<]*</m[in]>)</msub>|(?<!<msub>)<mi>(?:log|ln)</mi>)"
    r"(?=<m[in]>|<msub><mi>)"
)


def mathml(latex: str, display: str) -> str:
    """The formula as a MathML element that also carries its LaTeX, for copying."""
    element = convert(ALIGNED.sub(r"\\\1{split}", latex), display=display)
    element = FUNCTION.sub(r'\1<mspace width="0.167em"/>', element)
    open_tag, body = re.fullmatch(r"(<math[^>]*>)(.*)</math>", element, re.DOTALL).groups()  # type: ignore[union-attr]
    note = tag("annotation", latex.strip(), encoding="application/x-tex")
    return "".join([open_tag, tag("semantics", Html(in_colours(body)), note), "</math>"])


def inline(translator: Any, node: Any) -> None:
    translator.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def block(translator: Any, node: Any) -> None:
    number = tag("span", f"({node['number']})", class_="eqno") if node.get("number") else None
    formula, name = Html(mathml(node.astext(), "block")), node["ids"][0] if node["ids"] else None
    translator.body += [tag("div", formula, number, class_="math-block", id=name), "\n"]
    raise SkipNode


def add_font(app: Any, error: Exception | None) -> None:
    """Write the font, cut down to what stands in pages and scripts, beside the other static files of the built book."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    target, files = (
        static / "math.woff2",
        [*Path(app.outdir).rglob("*.html"), *static.glob("*.js"), *static.glob("live-*/*.mjs")],
    )
    texts = [html.unescape(file.read_text("utf8")) for file in files if "lite" not in file.parts]
    letters = {ITALIC[letter] for text in texts for letter in ONE.findall(text) if letter in ITALIC}
    used = CHARACTERS & {*range(0x20, 0x7F), *letters, *(ord(sign) for text in texts for sign in {*text})}
    package = importlib.util.find_spec("ziamath")
    if package is None or package.origin is None:
        raise ExtensionError("maths: the font is missing; pip install ziamath")
    cut(Path(package.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf", target, used)


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    app.connect("build-finished", add_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
