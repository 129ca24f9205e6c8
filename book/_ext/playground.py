"""The playground: an element that any page can embed; readers without JavaScript see the worked table.

The sources are the modules in _playground/; in _static/ Jupyter Book would load each of them in every page. They are
put into one script, because Chromium loads no module from the disk: `<script src="…/_static/ndcg-playground.js">`, with
or without type="module", on any site.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import ndcg_lib as nd

SOURCES = Path(__file__).resolve().parents[1] / "_playground"
MODULES = ["math", "numbers", "words", "state", "formula", "copies"]
MODULES += ["dom", "lists", "drag", "switches", "tables", "element"]  # these need a page
FILE = "ndcg-playground.js"

IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
RENAMED = re.compile(r"^import [^;]* as [^;]*;", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
SPACE = re.compile(r"^[ ]+|\n(?=\n)", re.MULTILINE)
TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|`[^`]*`")
NESTED = re.compile(r"\$\{[^}]*`")
QUOTE = re.compile(r"[\"'`]")
REMARK = re.compile(r" // .*$")
JOINED = re.compile(r"(?<=[{}(\[,;])\n|\n(?=[})\].?:])")
CONST = re.compile(r"\bconst (?=[\w{\[])")  # to a script that no one changes, let is the same and shorter
AROUND = re.compile(r" *([=<>{}()\[\],;:?&|]+) *|(?<=[\w)\]]) ([-+*/]) (?=[\w(])")


def bundle(modules: list[str] = MODULES) -> str:
    """The modules as one script that leaves no name behind, with the presets of the library and the style sheet."""
    made = {"PRESETS": libraries(), "STYLE": style((SOURCES / "playground.css").read_text("utf8"))}
    parts = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in made.items()]
    parts += [bare((SOURCES / f"{module}.js").read_text("utf8")) for module in modules]
    return "(() => {\n" + "\n".join(parts) + "})();\n"


def bare(module: str) -> str:
    """A module without imports, exports, comments, indentation, and spaces outside of its texts."""
    if RENAMED.search(module):
        raise ValueError("a module may not rename what it imports: in one script each name stands for one thing")
    lines = SPACE.sub("", COMMENT.sub("", EXPORT.sub("", IMPORT.sub("", module)))).splitlines()
    return JOINED.sub("", "\n".join(map(tight, lines)) + "\n").replace(";}", "}")  # no text holds these two signs


def tight(line: str) -> str:
    """A line without spaces around its signs; as it is where a text holds another text."""
    code, texts = TEXT.split(line), TEXT.findall(line)
    if NESTED.search(line) or QUOTE.search("".join(code)):
        return line
    code = [CONST.sub("let ", AROUND.sub(r"\1\2", REMARK.sub("", part))) for part in code]
    return "".join(part + text for part, text in zip(code, [*texts, ""], strict=True))


def style(sheet: str) -> str:
    sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    sheet = re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", sheet)).replace(";}", "}").strip()
    return re.sub(r"(?<=[{;])([a-z-]+): ", r"\1:", sheet)


def libraries() -> list[dict[str, Any]]:
    """The presets of ndcg_lib as plain data: of the choices, those that differ from the textbook's."""
    usual = nd.Convention()
    choices = ("gain", "discount", "base", "ideal", "k", "ties", "empty")
    return [
        {"name": name, "whom": convention.stands_for}
        | {choice: value for choice in choices if (value := getattr(convention, choice)) != getattr(usual, choice)}
        for name, convention in nd.CONVENTIONS.items()
    ]


class Playground(SphinxDirective):
    """The element with a list to begin with; between its tags, for want of JavaScript, the content and a table."""

    has_content = True
    option_spec: ClassVar = {
        "grades": directives.unchanged_required, "missed": directives.unchanged, "k": directives.positive_int,
        "convention": directives.unchanged, "heading": directives.positive_int, "address": directives.flag,
        "brief": directives.flag,
    }  # fmt: skip

    def run(self) -> list[nodes.Node]:
        options = {name: "" if value is None else str(value) for name, value in self.options.items()}
        grades, missed = (_numbers(options.get(name, "")) for name in ("grades", "missed"))
        if not grades:
            raise self.error("playground needs the option :grades:, as in ':grades: 3 0 1'")
        try:
            work = nd.working(
                grades, self.options.get("k"), judged=grades + missed, convention=options.get("convention")
            )
        except ValueError as error:
            raise self.error(f"playground: {error}") from None
        attributes = " ".join(f'{name}="{value}"' for name, value in options.items())
        self.env.metadata[self.env.docname]["playground"] = True
        words = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, words)
        opening, ending = f"<ndcg-playground {attributes}>", f"{work.html()}\n</ndcg-playground>"
        return [nodes.raw("", opening, format="html"), *words.children, nodes.raw("", ending, format="html")]


def _numbers(text: str) -> list[float]:
    return [float(word) if "." in word else int(word) for word in re.findall(r"[\d.]+", text)]


def write_bundle(app: Any) -> None:
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / FILE
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(app.config.playground_bundle, "utf8", newline="\n")


def add_to_page(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if "playground" in app.env.metadata.get(pagename, {}) and app.builder.name != "singlehtml":
        app.add_js_file(FILE)


def setup(app: Any) -> dict[str, bool]:
    app.add_config_value("playground_bundle", bundle(), "html")  # another bundle writes the pages anew
    app.add_directive("playground", Playground)
    app.connect("builder-inited", write_bundle)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
