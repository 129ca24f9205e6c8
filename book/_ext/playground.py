"""The playground: an element that any page can embed; readers without JavaScript see the worked table.

The sources are the modules in _playground/; in _static/ Jupyter Book would load each of them in every page. They are
put into one script, because Chromium loads no module from the disk: `<script src="…/_static/ndcg-playground.js">`, with
or without type="module", on any site.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from _ext.lists import named
from _ext.look import with_colours
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make import pages
from ndcg_lib.choices import keywords_of
from ndcg_lib.definition import PARAMETERS, TABLE, Choice, Option
from ndcg_lib.grid import Html, around, joined, tag, tags

SOURCES = Path(__file__).resolve().parents[1] / "_playground"
MODULES = ["math", "numbers", "words", "state", "formula", "copies"]
MODULES += ["dom", "lists", "drag", "switches", "tables", "element"]  # these need a page
SCRIPTS = {  # each for the pages that have such a thing
    "playground": MODULES,
    "ranking": [
        "math",
        "numbers",
        "dom",
        "guesses",
        "pages",
        "crowd",
        "towers",
        "ranking",
        "bets",
        "heap",
        "carry",
        "embed",
    ],
    "asks": ["dom", "guesses", "asks"],
    "doing": ["dom", "guesses", "grading", "doing"],
    "questions": ["dom", "numbers", "questions"],
    "staircase": ["dom", "numbers", "staircase"],
}
SCRIPTS["ten"] = [
    *(name for name in SCRIPTS["ranking"] if name not in ("carry", "embed")),
    "ending",
    "story",
    "challenges",
    "ten",
]
SHEETS = {"playground": "playground", "ranking": "ranking", "ten": "ranking"}
SHEETS |= {"questions": "questions", "staircase": "staircase"}

SWITCHES = (*keywords_of("ndcg"), "ties")

COURSE = "course"  # the name of the course's convention among the presets

IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
RENAMED = re.compile(r"^import [^;]* as [^;]*;", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
ASIDE = re.compile(r"(?<=[;{},]) // [^`\"'\n]*$", re.MULTILINE)
SIGN = re.compile(r" (=>|[!=]==|&&|\|\|) (?=\S)")
SPACE = re.compile(r"^[ ]+|\n(?=\n)", re.MULTILINE)


def bundle(name: str = "playground") -> str:
    """The modules of a script as one that leaves no name behind, with the presets of the library and its style."""
    modules = SCRIPTS[name]
    made: dict[str, Any] = {"PRESETS": [] if name == "ten" else libraries()} if "math" in modules else {}
    if name in SHEETS:
        made["STYLE"] = style(with_colours((SOURCES / f"{SHEETS[name]}.css").read_text("utf8")))
    parts = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in made.items()]
    parts += [choices(told=name != "ten")] if "math" in modules else []
    parts += [bare((SOURCES / f"{module}.js").read_text("utf8")) for module in modules]
    return "(() => {\n" + "\n".join(parts) + "})();\n"


def widget() -> str:
    """ndcg_lib/plots/playing.js: the same figure for a notebook, as a module whose default `render` anywidget calls."""
    names = ["math", "numbers", "dom", "pages", "crowd", "towers", "ranking", "play"]
    sheet = style(with_colours((SOURCES / "ranking.css").read_text("utf8")))
    parts = ["const PRESETS = [];", f"const STYLE = {json.dumps(sheet, ensure_ascii=False)};", choices()]
    parts += [bare((SOURCES / f"{name}.js").read_text("utf8")) for name in names]
    return "\n".join([*parts, "export { score };", "export default { render };", ""])


def bare(module: str) -> str:
    """A module without imports, exports, comments, indentation and the spaces around some signs."""
    if RENAMED.search(module):
        raise ValueError("a module may not rename what it imports: in one script each name stands for one thing")
    module = SIGN.sub(r"\1", module)
    return SPACE.sub("", ASIDE.sub("", COMMENT.sub("", EXPORT.sub("", IMPORT.sub("", module)))))


def style(sheet: str) -> str:
    sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    sheet = re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", sheet)).replace(";}", "}").strip()
    return re.sub(r"(?<=[{;])([a-z-]+): ", r"\1:", sheet)


def choices(told: bool = True) -> str:
    """The table of choices as the module choices.js: the function of every option, and its names and texts if told."""
    known = [TABLE[name] for name in SWITCHES if name in TABLE]
    parameters = {
        p.name: {"label": p.label, "value": p.default, "above": p.above, "below": min(p.below, 1e9),
                 "values": sorted({p.default, *p.tried})}
        for p in PARAMETERS.values()
    }  # fmt: skip
    return (
        "const log=(x,base)=>base===2?Math.log2(x):Math.log(x)/Math.log(base);\n"
        + (f"const PARAMETERS={json.dumps(parameters)};\n" if told else "")
        + f"const CHOICES={{{','.join(f'{c.name}:{choice(c, told)}' for c in known)}}};\n"
    )


def choice(choice: Choice, told: bool) -> str:
    arguments = {"gain": "g", "discount": "i", "ties": "place,grade,name"}.get(choice.name, "")
    made = ",".join(
        f"{json.dumps(o.key if isinstance(o.key, str) else f'{o.key:g}')}:{option(o, arguments, told)}"
        for o in choice.options if not o.wrong
    )  # fmt: skip
    title = f"title:{json.dumps(choice.heading)}," if told else ""
    return f"{{{title}options:{{{made}}}}}"


def option(option: Option, arguments: str, told: bool) -> str:
    names = [p.name for p in option.parameters]
    takes = ",".join([arguments, *([f"{{{','.join(names)}}}"] if names else [])])
    fields = {
        "label": json.dumps(option.label, ensure_ascii=False), "text": template(option.text),
        "latex": template(option.latex), "under": template(option.under), "times": template(option.times),
        "spelled": json.dumps(option.spelled), "starts": json.dumps(option.starts), "parameters": json.dumps(names),
        "of": f"({takes})=>{option.js}" if option.js else "",
    }  # fmt: skip
    said = (
        f"{name}:{text}" for name, text in fields.items() if text not in ("", '""', "false") and (told or name == "of")
    )
    return f"{{{','.join(said)}}}"


def template(text: str) -> str:
    """A text of the table as a function of what stands in its braces."""
    if not text:
        return ""
    parts = (
        literal.replace("\\", "\\\\") + (f"${{v.{field}}}" if field else "")
        for literal, field, _, _ in string.Formatter().parse(text)
    )
    return f"(v)=>`{''.join(parts)}`"


def libraries() -> list[dict[str, Any]]:
    """The presets of ndcg_lib as plain data: of the choices, those that differ from the textbook's."""
    usual = nd.Convention()
    choices = ("k", *SWITCHES)
    told = course.load()
    of_course = {COURSE: told.convention} if told.chosen else {}
    return [
        {"name": name, "whom": told.title if name == COURSE else convention.stands_for}
        | {choice: value for choice in choices if (value := getattr(convention, choice)) != getattr(usual, choice)}
        for name, convention in (nd.CONVENTIONS | of_course).items()
    ]


class Playground(SphinxDirective):
    """The element with a list to begin with; between its tags, for want of JavaScript, the content and a table.

    With :measure: it is the small figure of the first page, which shows nothing that stands after that measure.
    """

    has_content = True
    option_spec: ClassVar = {
        "grades": directives.unchanged_required, "missed": directives.unchanged, "k": directives.positive_int,
        "convention": directives.unchanged, "heading": directives.positive_int, "address": directives.flag,
        "titles": directives.unchanged_required, "key": directives.unchanged, "guess": directives.unchanged_required,
        "measure": lambda word: directives.choice(word, ("readers", "cg", "dcg", "ndcg")),
        "truth": directives.unchanged_required, "goal": directives.unchanged_required,
        "list": directives.unchanged_required, "moves": directives.positive_int, "cut": directives.flag,
        "whose": directives.unchanged, "asks": directives.unchanged_required,
        "play": lambda word: directives.choice(word, ("curve", "shuffle")),
    }  # fmt: skip

    def run(self) -> list[nodes.Node]:
        options = {name: "" if value is None else str(value) for name, value in _named(self).items()}
        grades, missed = (_numbers(options.get(name, "")) for name in ("grades", "missed"))
        titles = [title.strip() for title in options.get("titles", "").split(";") if title.strip()]
        if not grades:
            raise self.error("playground needs the option :grades:, as in ':grades: 3 0 1', or :list:")
        if titles and len(titles) != len(grades) + len(missed):
            raise self.error(f"playground: {len(titles)} titles for {len(grades) + len(missed)} grades")
        told = course.load()
        page = pages.as_notebook(Path(self.env.doc2path(self.env.docname)).read_text("utf8"))
        if told.chosen and "convention" not in options and pages.follows(page):
            options["convention"] = COURSE
        convention = told.convention if options.get("convention") == COURSE else options.get("convention")
        try:
            work = nd.working(
                grades, self.options.get("k"), judged=grades + missed, convention=convention,
                documents=titles[: len(grades)] or None,
            )  # fmt: skip
        except ValueError as error:
            raise self.error(f"playground: {error}") from None
        name = "ranking" if "measure" in options else "playground"
        self.env.metadata[self.env.docname][name] = True
        words = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, words)
        measure, k = options.get("measure", "ndcg"), self.options.get("k")
        table = work.html() if measure == "ndcg" else _sum(titles, grades, measure, k, convention)
        return _framed(f"ndcg-{name}", options, words, [table, "\n"], slot=name == "ranking")


class TenMinutes(SphinxDirective):
    """The story of the first page; without JavaScript, the content and the sum of engine A."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["ten"] = True
        words = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, words)
        first = named({"list": "engine A"})
        sum_of_a = nd.working(_numbers(first["grades"]), documents=first["titles"].split("; ")).html()
        return _framed("ndcg-ten", {}, words, [sum_of_a, "\n"], slot=False)


class Questions(SphinxDirective):
    """The differences between two systems, question by question, for taking out; without JavaScript, a table."""

    has_content = True
    option_spec: ClassVar = {"differences": directives.unchanged_required, "texts": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        words = self.options.get("differences", "").split()
        texts = [text.strip() for text in self.options.get("texts", "").split(";") if text.strip()]
        try:
            differences = [float(word) for word in words]
        except ValueError:
            differences = []
        if not differences:
            raise self.error("questions needs the option :differences:, as in ':differences: 0.2 -0.1'")
        if texts and len(texts) != len(words):
            raise self.error(
                f"questions: {len(texts)} :texts: for {len(words)} differences; a text may hold no semicolon"
            )
        self.env.metadata[self.env.docname]["questions"] = True
        holder = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, holder)
        named = texts or range(1, len(words) + 1)
        signed = [f"{x:+.3f}" if abs(x) >= 0.0005 else "0.000" for x in differences]
        rows = zip(named, (x.replace("-", "−") for x in signed), strict=True)
        given = {"differences": " ".join(words), "texts": "; ".join(texts) or None}
        return _framed("ndcg-questions", given, holder, _listed(["question", "B minus A"], rows))


class Staircase(SphinxDirective):
    """NDCG as one score moves past the others, to be dragged; without JavaScript, a table of the steps."""

    has_content = True
    option_spec: ClassVar = dict.fromkeys(("list", "grades", "scores", "titles", "move"), directives.unchanged_required)

    def run(self) -> list[nodes.Node]:
        options = _named(self)
        grades, scores = (_numbers(options.get(name, "")) for name in ("grades", "scores"))
        titles = [title.strip() for title in options.get("titles", "").split(";")]
        at = int(self.options.get("move", "1")) - 1
        if not len(grades) == len(scores) == len(titles) > at >= 0:
            raise self.error("staircase needs as many :grades:, :scores: and :titles:, and :move:, one of their places")
        self.env.metadata[self.env.docname]["staircase"] = True
        others = [(title, score) for i, (title, score) in enumerate(zip(titles, scores, strict=True)) if i != at]
        edges = sorted(score for _, score in others)
        between = [edges[0] - 1, *((a + b) / 2 for a, b in pairwise(edges)), edges[-1] + 1]
        values = [nd.ndcg_scores(grades, [*scores[:at], score, *scores[at + 1 :]]) for score in between]
        given = {"title": titles[at], "score": scores[at], "others": others, "values": [round(v, 6) for v in values]}
        ends = [f"below {edges[0]:g}", *(f"{a:g} to {b:g}" for a, b in pairwise(edges)), f"above {edges[-1]:g}"]
        rows = ((end, f"{v:.3f}") for end, v in zip(ends, values, strict=True))
        holder = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, holder)
        table = _listed([f"score of {titles[at]}", "NDCG"], rows)
        return _framed("ndcg-staircase", {"given": json.dumps(given)}, holder, table)


def _sum(titles: list[str], grades: list[float], measure: str, k: int | None, convention: Any) -> Html:
    """The list as a table of pages and grades and, unless the measure is not known yet, its sum."""
    names = titles or [f"d{rank}" for rank in range(1, len(grades) + 1)]
    pairs = enumerate(zip(names, grades, strict=False), start=1)
    rows = ((i, name, f"{grade:g}") for i, (name, grade) in pairs)
    values = {"cg": (nd.cg, "g"), "dcg": (nd.dcg, ".3f")}
    of, form = values.get(measure, (None, ""))
    total = tag("p", f"{measure.upper()} = {of(grades, k, convention=convention):{form}}") if of else None
    return _listed(["rank", "page", "grade"], rows, total)


def _listed(head: list[str], rows: Iterable[Iterable[object]], below: Html | None = None) -> Html:
    body = tag("tbody", [tag("tr", tags("td", row)) for row in rows])
    return tag("div", tag("table", tag("thead", tag("tr", tags("th", head))), body), below, class_="ndcg-list")


def _framed(
    name: str, given: dict[str, Any], held: nodes.Element, table: object, *, slot: bool = True
) -> list[nodes.Node]:
    """What a directive holds in the element of its script, before the table that stands there without one."""
    opening, ending = around(name, **given)
    begin, end = around("div", slot="question") if slot else ("", "")
    first, last = joined(opening, begin), joined(end, table, ending)
    return [nodes.raw("", first, format="html"), *held.children, nodes.raw("", last, format="html")]


def _named(figure: SphinxDirective) -> dict[str, Any]:
    try:
        return named(figure.options)
    except ValueError as error:
        raise figure.error(str(error)) from None


def _numbers(text: str) -> list[float]:
    return [float(word) if "." in word else int(word) for word in re.findall(r"[\d.]+", text)]


def write_bundles(app: Any) -> None:
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static"
        target.mkdir(parents=True, exist_ok=True)
        for name, script in app.config.page_scripts.items():
            (target / f"ndcg-{name}.js").write_text(script, "utf8", newline="\n")


def add_to_page(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    for name in SCRIPTS:
        if name in app.env.metadata.get(pagename, {}) and app.builder.name != "singlehtml":
            app.add_js_file(f"ndcg-{name}.js", loading_method="defer")
    if "playground" in app.env.metadata.get(pagename, {}):  # its formulas come with its script; a late font moves them
        font = context["pathto"]("_static/math.woff2", 1)
        early = tag("link", rel="preload", href=font, as_="font", crossorigin="")
        context["metatags"] = context.get("metatags", "") + early


def setup(app: Any) -> dict[str, bool]:
    app.add_config_value("page_scripts", {name: bundle(name) for name in SCRIPTS}, "html")  # new ones: all pages anew
    app.add_directive("playground", Playground)
    app.add_directive("ten-minutes", TenMinutes)
    app.add_directive("questions", Questions)
    app.add_directive("staircase", Staircase)
    app.connect("builder-inited", write_bundles)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":  # after a change of the figure, in book/: python -m _ext.playground
    (Path(nd.__file__).parent / "plots" / "playing.js").write_text(widget(), "utf8")
