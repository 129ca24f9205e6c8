"""What leaves the site: parts of a chapter as HTML in one file, fonts of the book inside, for slides and handouts."""

from __future__ import annotations

import base64
import html
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
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from ndcg_course import course
from ndcg_course.make.chapters import Answer, Question, whole_book

BOOK = Path(__file__).resolve().parents[1]
ROOT = BOOK.parent
FACES = {  # as in _static/book.css
    "text": 'font-family: "Book Text"', "text-italic": 'font-family: "Book Text"; font-style: italic',
    "text-bold": 'font-family: "Book Text"; font-weight: 600 800', "code": 'font-family: "Book Code"',
}  # fmt: skip
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
    name, words = tokens[i].meta["name"], html.escape(re.sub(r"\s*<.*?>$", "", tokens[i].content))
    return f"<code>{words}</code>" if name.startswith("py:") else words


@cache
def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": True}).enable("table").use(myst_role_plugin)
    reader.use(dollarmath_plugin, renderer=_math, allow_labels=False, double_inline=True)
    reader.add_render_rule("myst_role", _role)
    return reader


def _tidy(shown: str) -> str:
    """Links into the book become their words; ideas get their colour."""
    shown = LINK.sub(r"\1", shown)
    return STRONG.sub(
        lambda found: (
            f'<strong class="{IDEAS[word]}">{found[1]}</strong>' if (word := found[1].lower()) in IDEAS else found[0]
        ),
        shown,
    )


def block(text: str) -> str:
    """Markdown of a page as HTML."""
    text = BARE.sub(lambda found: titles().get(found[1].rpartition("/")[2], "the book"), text)
    return _tidy(_markdown().render(text))


def inline(text: str) -> str:
    """The same for a line that is no paragraph of its own."""
    return re.sub(r"^<p>|</p>\s*$", "", block(" ".join(text.split())))


@cache
def pieces() -> Any:
    """The templates of a deck, as functions of the same names."""
    held = Environment(loader=FileSystemLoader(BOOK / "_paper"), autoescape=True, undefined=StrictUndefined)
    held.filters |= {"inline": lambda text: Markup(inline(text)), "block": lambda text: Markup(block(text))}
    return held.get_template("pieces.html").module


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


def formulas(text: str, most: int = 5, row: str = "") -> str:
    """These formulas as a table; "" where the text needs none. `row` stands in the tag of each row."""
    rows = [f"<tr{row}><td>{'</td><td>'.join(map(inline, cells))}</td></tr>" for cells in symbols(text, most)]
    return f"<table><tbody>{''.join(rows)}</tbody></table>" if rows else ""


def shown(question: Question) -> list[Answer]:
    """The answers as a class sees them: numbers by their size, words in an order that does not give them away."""
    if question.kind == "number" and all(re.fullmatch(r"[\d.−-]+", answer.text) for answer in question.answers):
        return sorted(question.answers, key=lambda answer: float(answer.text.replace("−", "-")))
    answers = mixed(question.answers, question.stem)
    return answers[1:] + answers[:1] if answers == list(question.answers) and question.kind == "order" else answers


def figure(svg: str) -> str:
    """A figure as wide as its place."""
    return re.sub(r"max-width:[^;\"]*;?", "", svg, count=1)


def imprint(convention: str | None = None) -> str:
    """Whose course it is, under which licence, and what it or a chapter computes if that is not what the book does."""
    taught = course.load(ROOT)
    told = taught.computes() if convention is None else convention
    return " · ".join(filter(None, (taught.title, taught.licence or "CC BY 4.0", taught.address, told)))


def logo() -> str:
    """The picture of the course, in the file itself; "" if it has none. Its title stands beside it in words."""
    if not (picture := course.load(ROOT).logo):
        return ""
    kind = mimetypes.guess_type(picture.name)[0] or "image/webp"
    return f'<img class="logo" alt="" src="data:{kind};base64,{base64.b64encode(picture.read_bytes()).decode()}">'


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


def document(title: str, sheet: str, body: str, more: str = "") -> str:
    """A whole file: nothing in it comes from elsewhere."""
    own = (BOOK / "_paper" / sheet).read_text("utf8")
    title = html.escape(f"{title} · {course.load(ROOT).title}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{more}<style>\n{style()}\n{own}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
