"""What leaves the site: parts of a chapter as HTML in one file, fonts of the book inside, for slides and handouts."""

from __future__ import annotations

import base64
import importlib.util
import mimetypes
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from _ext.blocks import mixed
from _ext.look import IDEAS, variables
from _ext.maths import CHARACTERS, mathml
from _ext.weight import cut
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from ndcg_course import course
from ndcg_course.make.chapters import Answer, Question, whole_book
from ndcg_lib import grid
from ndcg_lib.grid import Html, joined, tag, tags

BOOK = Path(__file__).resolve().parents[1]
ROOT = BOOK.parent
FACES = {  # as in _static/book.css
    "text": 'font-family: "Book Text"', "text-italic": 'font-family: "Book Text"; font-style: italic',
    "text-bold": 'font-family: "Book Text"; font-weight: 600 800', "code": 'font-family: "Book Code"',
}  # fmt: skip
POLICY = f"{grid.POLICY}; img-src data:; font-src data:"
BARE = re.compile(r"\[\]\(([^)]*)\)")
LINK = re.compile(r'<a href="(?!https?:)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
STRONG = re.compile(r"<strong>([^<]*)</strong>")
TARGET = re.compile(r"^\(([\w-]+)\)=\n+#+ (.+)$", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z*`$“\"])")


@cache
def titles() -> dict[str, str]:
    """What a link without words shows: the heading at each anchor, and the title of each page."""
    found: dict[str, str] = {}
    for _, name in whole_book(ROOT):
        text = (BOOK / f"{name}.md").read_text("utf8") if (BOOK / f"{name}.md").exists() else ""
        found |= {f"#{anchor}": heading for anchor, heading in TARGET.findall(text)}
        if first := re.search(r"^# (.+)$", text, re.MULTILINE):
            found[name] = first[1]
            if name.startswith(("chapters/", "notes/", "reference/")):  # pages link to each other without the folder
                found[f"{name.rpartition('/')[2]}.md"] = first[1]
    return found


def _math(content: str, options: dict[str, bool]) -> str:
    return mathml(content, "block" if options.get("display_mode") else "inline")


def _role(self: object, tokens: list, i: int, *rest: object) -> str:  # type: ignore[type-arg]
    words = re.sub(r"\s*<.*?>$", "", tokens[i].content)
    return tag("code", words) if tokens[i].meta["name"].startswith("py:") else joined(words)


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": True}).enable("table").use(myst_role_plugin)
    reader.use(dollarmath_plugin, renderer=_math, allow_labels=False, double_inline=True)
    reader.add_render_rule("myst_role", _role)
    return reader


def _coloured(found: re.Match[str]) -> str:
    word = found[1].lower()
    return tag("strong", found[1], class_=IDEAS[word]) if word in IDEAS else found[0]


def block(text: str) -> Html:
    """Markdown of a page as HTML: links into the book become their words, ideas get their colour."""
    text = BARE.sub(lambda found: titles().get(found[1].rpartition("/")[2], "the book"), text)
    return Html(STRONG.sub(_coloured, LINK.sub(r"\1", _markdown().render(text))))


def inline(text: str) -> Html:
    """The same for a line that is no paragraph of its own."""
    return Html(re.sub(r"^<p>|</p>\s*$", "", block(" ".join(text.split()))))


@cache
def pages() -> Environment:
    """What is made of templates: the pieces of a deck, and the page for an address at which there is none."""
    held = Environment(loader=FileSystemLoader(BOOK / "_paper"), autoescape=True, undefined=StrictUndefined)
    held.filters |= {"inline": inline, "block": block}
    return held


@cache
def pieces() -> Any:
    """The templates of a deck, as functions of the same names."""
    return pages().get_template("pieces.html").module


def sentences(text: str, room: int) -> str:
    """The first whole sentences that fit into so many characters; one that leads to what stands below is left out."""
    kept = ""
    parts = SENTENCE.split(" ".join(text.split()))
    for sentence in parts[1:] if parts[0][:1].islower() else parts:
        if sentence.endswith(":"):
            break
        if kept and len(kept) + len(sentence) > room:
            break
        kept = f"{kept} {sentence}".strip()
    return kept


def symbols(text: str, most: int = 5) -> list[tuple[str, str, str]]:
    """The formulas that a text needs, from the book's table of notation: symbol, how it is read, what it is."""
    table = (BOOK / "reference" / "notation.md").read_text("utf8")
    rows = [re.split(r" ?\| ", line.strip("| ")) for line in table.splitlines() if line.startswith("| $")]
    words = {"g_i": r"\bg_i|\bgains?\b", "d_i": r"\bd_i|\bdiscounts?\b"}
    found: list[tuple[str, str, str]] = []
    for symbol, read, meaning, *_ in reversed(rows):  # a symbol is explained by those that stand above it
        name = re.sub(r"\\mathrm\{(\w+)\}@k", r"\1", symbol.strip("$"))
        if name in words or name.isupper():
            named = re.compile(words.get(name, rf"(?<![A-Z]){name}\b"))
            if len(named.findall(text)) > 1 or any(named.search(said) for *_, said in found):
                found.insert(0, (symbol, read, meaning))
    return found[-most:]


def formulas(text: str, most: int = 5, row: str | None = None) -> Html:
    """These formulas as a table, with the class `row`; nothing where the text needs none."""
    rows = [tag("tr", tags("td", map(inline, cells)), class_=row) for cells in symbols(text, most)]
    return tag("table", tag("tbody", rows)) if rows else Html()


def shown(question: Question) -> list[Answer]:
    """The answers as a class sees them: numbers by their size, words in an order that does not give them away."""
    if question.kind == "number" and all(re.fullmatch(r"[\d.−-]+", answer.text) for answer in question.answers):
        return sorted(question.answers, key=lambda answer: float(answer.text.replace("−", "-")))
    answers = mixed(question.answers, question.stem)
    return answers[1:] + answers[:1] if answers == list(question.answers) and question.kind == "order" else answers


def figure(svg: str) -> Html:
    """A figure as wide as its place."""
    return Html(re.sub(r"max-width:[^;\"]*;?", "", svg, count=1))


def imprint(convention: str | None = None) -> str:
    """Whose course it is, under which licence, and what it or a chapter computes if that is not what the book does."""
    taught = course.load(ROOT)
    told = taught.computes() if convention is None else convention
    return " · ".join(filter(None, (taught.title, taught.licence or "CC BY 4.0", taught.address, told)))


def logo() -> Html:
    """The picture of the course, in the file itself, if it has one. Its title stands beside it in words."""
    if not (picture := course.load(ROOT).logo):
        return Html()
    kind = mimetypes.guess_type(picture.name)[0] or "image/webp"
    data = base64.b64encode(picture.read_bytes()).decode()
    return tag("img", class_="logo", alt="", src=f"data:{kind};base64,{data}")


@cache
def style() -> str:
    """The faces and colours of the book, fonts included."""
    faces = {how: (BOOK / "_static" / "fonts" / f"{name}.woff2").read_bytes() for name, how in FACES.items()}
    with tempfile.TemporaryDirectory() as folder:
        package = importlib.util.find_spec("ziamath")
        font = Path(str(package.origin if package else "")).parent / "fonts" / "STIXTwoMath-Regular.ttf"
        cut(font, Path(folder, "math.woff2"), CHARACTERS)
        faces['font-family: "Book Math"'] = Path(folder, "math.woff2").read_bytes()
    rules = [
        f'@font-face {{ {how}; src: url("data:font/woff2;base64,{base64.b64encode(font).decode()}") }}'
        for how, font in faces.items()
    ]
    return "\n".join([*rules, f":root {{ {variables('light')} }}"])


def document(title: str, sheet: str, body: Html, more: str = "", policy: str | None = POLICY) -> Html:
    """A whole file with one of the sheets of paper; `more` is style before it."""
    own = (BOOK / "_paper" / sheet).read_text("utf8")
    whole = Html(f"{more}\n{style()}\n{own}")
    return grid.page(f"{title} · {course.load(ROOT).title}", whole, body, policy=policy)
