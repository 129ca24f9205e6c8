"""The look that all pages share: one palette, which also colours the widgets, and words that look like their formulas.

The colours of ideas by day are those of the figures (ndcg_lib/plots/). A style sheet takes them as CSS variables;
`{light}` and `{dark}` in a sheet of a widget stand for all of them. In the text, an idea that is introduced in bold has
its colour, as in formulas and in the headings of tables, and k is set as in a formula.

The faces in _static/fonts go with the formulas (STIX Two Math). `python book/_ext/look.py STIX PLEX` cuts them anew,
from the folders `files` of the npm packages @fontsource/stix-two-text and @fontsource/ibm-plex-mono.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from _ext.weight import cut
from docutils import nodes
from sphinx.transforms import SphinxTransform

from ndcg_course import course, course_keys
from ndcg_lib import plots
from ndcg_lib.grid import tag

LINKS = course.load().colours
OTHERS = ("#f58bb4", "#4fc3cf", "#e0b04a", "#a5b4ff", "#b5d24a")
LIGHT = {
    **plots.COLOURS, **{f"other-{i}": colour for i, colour in enumerate(plots._OTHERS, start=1)},
    "on-gain": "#fff", "text": "#1f2328", "quiet": "#4f5663", "back": course_keys.BACKS["day"][0],
    "box": course_keys.BACKS["day"][1], "line": "#dcd8cd", "edge": "#767e8a", "link": LINKS.get("day", "#005b8f"),
    "wrong": "#a34200", "right": "#00694d",
}  # fmt: skip
DARK = {
    "gain": "#56b4e9", "discount": "#ff9d5c", "contribution": "#3ecf9f", "ideal": "#e39bd8", "returned": "#a9b1ba",
    **{f"other-{i}": colour for i, colour in enumerate(OTHERS, start=1)},
    "on-gain": "#000", "text": "#e8e6e1", "quiet": "#b6b5ae", "back": course_keys.BACKS["night"][0],
    "box": course_keys.BACKS["night"][1], "line": "#41454b", "edge": "#8f949b", "link": LINKS.get("night", "#6cc0f0"),
    "wrong": "#ff9d5c", "right": "#58d3ae",
}  # fmt: skip
IDEAS = {"gain": "gain", "gains": "gain", "discount": "discount", "discounts": "discount", "discounted": "discount",
         "contribution": "contribution", "ideal": "ideal", "ideal ranking": "ideal"}  # fmt: skip
SYMBOLS = {"g": "gain", "d": "discount", "DCG": "contribution", "IDCG": "ideal"}
SYMBOL = re.compile(rf"<mi>({'|'.join(SYMBOLS)})</mi>")
UPRIGHT = re.compile(r'<mrow>((?:<mi mathvariant="normal">[A-Z]</mi>){2,})</mrow>')
REL = re.compile("<mi>r</mi><mi>e</mi>((?:<msub>)?)<mi>l</mi>")
INDEXED = re.compile(r"(?<!\S)([a-z]_[0-9a-z])(?=[\s.,;)]|$)")
CODE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw)
K = re.compile(r"(?<![\w.$/-])k(?![\w’'-])")
HEADING = re.compile(rf"(<th\b[^>]*)>((?:<p>)?(?:{'|'.join(sorted(IDEAS, key=len, reverse=True))})(?:</p>)?</th>)")


def variables(theme: str) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in {"light": LIGHT, "dark": DARK}[theme].items())


def with_colours(sheet: str) -> str:
    return sheet.replace("{light}", variables("light")).replace("{dark}", variables("dark"))


def in_colours(mathml: str) -> str:
    """Names of several letters become one symbol, also for who hears them, and those of ideas get their colours."""
    mathml = UPRIGHT.sub(lambda found: f"<mi>{re.sub('<.*?>', '', found[1])}</mi>", mathml)
    mathml = REL.sub(r'\1<mi class="word gain">rel</mi>', mathml)
    return SYMBOL.sub(lambda found: f'<mi class="{SYMBOLS[found[1]]}">{found[1]}</mi>', mathml)


MEASURE = re.compile(r"mailto:\w+@\d+")  # ap@100, which docutils takes for somebody's address


class Words(SphinxTransform):
    default_priority = 720

    def apply(self, **options: Any) -> None:
        for strong in self.document.findall(nodes.strong):
            if idea := IDEAS.get(strong.astext().lower()):
                strong["classes"].append(idea)
        for link in list(self.document.findall(nodes.reference)):
            if MEASURE.fullmatch(link.get("refuri", "")):
                link.parent.replace(link, nodes.Text(link.astext()))
        for text in list(self.document.findall(nodes.Text)):
            inside, plain = text.parent, str(text)
            if K.search(plain) and not isinstance(inside, CODE):
                parts: list[nodes.Node] = []
                for i, part in enumerate(re.split(f"({K.pattern})", plain)):
                    parts += [nodes.emphasis("", part, classes=["k"])] if i % 2 else [nodes.Text(part)] if part else []
                inside.replace(text, parts)


def colour_headings(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    faces = (f"_static/fonts/{name}.woff2" for name in ("text", "text-bold", "text-italic", "code"))
    links = [tag("link", rel="preload", href=context["pathto"](face, 1), as_="font", crossorigin="") for face in faces]
    context["metatags"] = context.get("metatags", "") + "".join(f"{link}\n" for link in links)
    if doctree is not None:
        context["body"] = HEADING.sub(
            lambda found: f'{found[1]} data-idea="{IDEAS[re.sub("<.*?>", "", found[2])]}">{found[2]}', context["body"]
        )


def with_formulas(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """g_1 in a docstring is a symbol on the page."""
    for i, line in enumerate(lines):
        if "`" not in line and ">>>" not in line:
            lines[i] = INDEXED.sub(r":math:`\1`", line)


def write_palette(app: Any) -> None:
    if app.builder.format == "html":
        sheet = "".join(f'html[data-theme="{theme}"] {{ {variables(theme)} }}\n' for theme in ("light", "dark"))
        target = Path(app.outdir) / "_static" / "palette.css"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(sheet, "utf8", newline="\n")


SIGNS = {
    *range(0x20, 0x7F),
    *map(ord, "äöüÄÖÜßéèàçñøåôîëïœæÉ\u00a0–—‘’“”„…·×÷−±§°€²³¹½¼¾"),
}  # the math font has the rest


def cut_fonts(text: Path, code: Path) -> None:
    target = Path(__file__).resolve().parents[1] / "_static" / "fonts"
    for name, source in {
        "text": text / "stix-two-text-latin-400-normal.woff2",
        "text-italic": text / "stix-two-text-latin-400-italic.woff2",
        "text-bold": text / "stix-two-text-latin-700-normal.woff2",
        "code": code / "ibm-plex-mono-latin-400-normal.woff2",
    }.items():
        cut(source, target / f"{name}.woff2", SIGNS, ("kern", "liga"))


def setup(app: Any) -> dict[str, bool]:
    app.add_transform(Words)
    app.add_css_file("palette.css")
    app.connect("builder-inited", write_palette)
    app.connect("autodoc-process-docstring", with_formulas)
    app.connect("html-page-context", colour_headings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    cut_fonts(Path(sys.argv[1]), Path(sys.argv[2]))
