"""The source pages of the book, taken apart for the tests."""

from __future__ import annotations

import re
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1] / "book"
PAGES = sorted([*BOOK.glob("[a-z]*.md"), *BOOK.glob("[a-z]*/*.md")])
CHAPTERS = sorted((BOOK / "chapters").glob("*.md"))

FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
CODE_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^(`{3,})(?!\{(?:math|glossary)\}).*?^\1$", re.DOTALL | re.MULTILINE)
ROLE_WITH_TARGET = re.compile(r"\{(?:eval|holds|blank|noted|sealed|printed|py:\w+|doc|ref|download)\}`[^`]*`")
ROLE = re.compile(r"\{[\w:-]+\}`([^`<]*)[^`]*`")
INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)|<https?://[^>]*>|https?://\S+")
OPTION = re.compile(r"^:[a-z-]+:.*$", re.MULTILINE)
LABEL = re.compile(r"^\([a-z0-9-]+\)=\s*$", re.MULTILINE)
GIVEN = re.compile(r"^:(?:guess|goal|truth|grades|missed):.*$", re.MULTILINE)  # what a field or a figure is given
COMMENT = re.compile(r"^%.*$|<!--.*?-->", re.MULTILINE | re.DOTALL)
DECIMAL = re.compile(r"(?<![\w.,:/-])-?\d+\.\d+(?![\w.]*\d)%?")
MATH = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)


def name(page: Path) -> str:
    return page.relative_to(BOOK).with_suffix("").as_posix()


def blank(match: re.Match[str]) -> str:
    """As many line breaks as the match had, so that line numbers stay true."""
    return " " + "\n" * match[0].count("\n")


def prose(page: Path) -> str:
    """What a person typed for people to read: no code, no computed numbers, no addresses."""
    text = page.read_text("utf8")
    for pattern in (FRONT, COMMENT, FENCE, LABEL, GIVEN, ROLE_WITH_TARGET):
        text = pattern.sub(blank, text)
    text = ROLE.sub(r"\1", text)
    text = INLINE_CODE.sub(" ", text)
    return LINK.sub(lambda match: match[1] or " ", text)


def box(page: Path, kind: str) -> list[str]:
    """The contents of the boxes of one kind."""
    pattern = re.compile(rf"^(:{{3,}})\{{{kind}\}}([^\n]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
    return [match[2] + "\n" + match[3] for match in pattern.finditer(page.read_text("utf8"))]


def cells(page: Path) -> list[tuple[str, str]]:
    """The code cells: tags and source."""
    found = []
    for match in CODE_CELL.finditer(page.read_text("utf8")):
        tags = re.search(r"^:tags: \[(.*)\]$", match[1], re.MULTILINE)
        found.append((tags[1] if tags else "", OPTION.sub("", match[1]).strip()))
    return found
