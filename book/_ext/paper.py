"""The pages of the built site as one document for paper: title page, contents, numbers, answers and worksheets.

A browser cannot say on which page of the print an anchor will stand. So the document is printed with a gap for each
page number, the numbers are read from the PDF, and it is printed again.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from _ext.sheets import BOOK, ROOT, imprint, logo, style
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

import ndcg_lib
from ndcg_course import course
from ndcg_course.make.chapters import contents

SIZES = {"a4": ("210mm 297mm", "20mm 24mm 22mm", 10.5), "6x9": ("6in 9in", "17mm 16mm 18mm", 9.3)}
GAP = "000"  # as wide as most page numbers
COLUMNS = 12  # a table with more is cut into several
LEFT_OUT = re.compile(r"teaching/|(?:offline|playground|reference/(?:api|licences))$")  # for teachers, or a screen
AIDS = re.compile(r"\s*(?:check|check_all|recall|missing|progress|hint|another|from ndcg_course import)\b")
ROOM = '<div class="room"></div>' * 4
SCREEN = "script, button, form, .headerlink, ndcg-guess, .toctree-wrapper, details.hide, .peers-filter, ndcg-questions"


class Pages:
    """All pages in the order of the contents, with one namespace for their anchors."""

    def __init__(self, site: Path) -> None:
        self.listed = [(part, name) for part, name in contents(ROOT) if not LEFT_OUT.match(name)]
        self.names = {name for _, name in self.listed}
        self.soups = {name: _article(site / f"{name}.html") for name in self.names}
        self.ids = {name: {tag["id"] for tag in soup.find_all(id=True)} for name, soup in self.soups.items()}
        self.titles = {name: soup.h1.get_text().rstrip("#") for name, soup in self.soups.items() if soup.h1}
        self.numbers = dict(self._numbers())
        self.figures: list[tuple[str, str, str]] = []  # label, title, anchor
        self.tables: list[tuple[str, str, str]] = []
        self.answers: list[str] = []

    def _numbers(self) -> Iterator[tuple[str, str]]:
        """1, 2, … for what teaches, W1, W2, … for worksheets, A, B, … for the reference at the end."""
        counts = {"": 0, "W": 0, "A": 0}
        for _, name in self.listed:
            kind = "W" if name.startswith("assignments/") else "" if self.soups[name].select_one(".page-meta") else "A"
            if name != "assignments":
                counts[kind] += 1
                yield name, chr(64 + counts[kind]) if kind == "A" else f"{kind}{counts[kind]}"

    def anchor(self, name: str, fragment: str = "") -> str:
        return f"{name.replace('/', '-')}--{fragment}"

    def body(self) -> str:
        """All of it in order; contents and lists come first, so they are made last."""
        parts, last = [], ""
        for part, name in self.listed:
            if part != last:
                parts.append(f'<section class="part" id="part-{_plain(part)}"><h1>{html.escape(part)}</h1></section>')
                last = part
            parts.append(self._page(name))
        answers = f'<section class="page answers" id="answers"><h1>Answers</h1>{"".join(self.answers)}</section>'
        return self._front() + "".join(parts) + answers

    def _page(self, name: str) -> str:
        soup, number = self.soups[name], self.numbers.get(name, "")
        for tag in soup.select(SCREEN):
            tag.decompose()
        if name.startswith("assignments/"):
            _worksheet(soup)
        self._links(name, soup)
        for tag in soup.find_all(id=True):
            tag["id"] = self.anchor(name, tag["id"])
        self._questions(name, soup)
        for table in soup.select("table"):
            _cut(table)
        self._captions(name, soup)
        for fold in soup.select("details"):
            fold.name, title = "div", fold.find("summary")
            if title:
                title.name, title["class"] = "p", ["fold-title"]
        if soup.h1:
            soup.h1.insert(0, _made(f'<span class="number">{number}</span> ' if number else ""))
        place = f'<section class="page page-{_plain(name)}" id="{self.anchor(name)}">'
        return f"{place}{soup.decode_contents()}</section>"

    def _links(self, name: str, soup: Tag) -> None:
        """A link into the book says the page; one to a place that is not on paper is its words."""
        for link in soup.find_all("a", href=True):
            if re.match(r"\w+:", link["href"]):
                continue
            path, _, fragment = link["href"].partition("#")
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            page = beside.removesuffix(".html") if path else name
            if page not in self.ids or fragment not in {"", *self.ids[page]} or "download" in link.attrs:
                link.unwrap()
                continue
            link["href"] = "#" + self.anchor(page, fragment)
            there = f' <span class="at">(page {self._gap(page, fragment)})</span>'
            link.insert_after(_made(there))

    def _gap(self, page: str, fragment: str = "") -> str:
        return f'<a class="n" href="#{self.anchor(page, fragment)}">{GAP}</a>'

    def _questions(self, name: str, soup: Tag) -> None:
        """Questions stay where they are; what is right, and why, goes to the end of the book."""
        told = []
        for n, quiz in enumerate(soup.select(".quiz"), start=1):
            said = []
            for letter, fold in zip("ABCDEFGH", quiz.select("details.quiz-answer"), strict=False):
                feedback = fold.select_one(".quiz-feedback")
                text = feedback.decode_contents() if feedback else ""
                if "key" in fold["class"]:
                    said.append(text)
                    room = "" if quiz.select_one(".quiz-order") else "<p>Answer: <span class=blank></span></p>"
                    fold.replace_with(_made(room))
                else:
                    if "bet" not in quiz["class"] or "right" in fold["class"]:
                        said.append(f"<div><b>{letter}</b> {text}</div>")
                    words = fold.summary.decode_contents() if fold.summary else ""
                    fold.replace_with(_made(f"<p class=option><b>{letter}</b> {words}</p>"))
            label = quiz.select_one(".quiz-number")
            quiz["id"] = self.anchor(name, f"question-{n}")
            if label and said:
                label.append(
                    BeautifulSoup(
                        f' <span class="at">answer: page {self._gap("answers", name + str(n))}</span>', "html.parser"
                    )
                )
                there = f"{label.strong.get_text() if label.strong else ''} (page {self._gap(name, f'question-{n}')})"
                place = self.anchor("answers", name + str(n))
                told.append(f'<div class="told" id="{place}"><p><b>{there}</b></p>{"".join(said)}</div>')
        if told:
            number = self.numbers.get(name, "")
            self.answers.append(f"<h2>{number} {html.escape(self.titles[name])}</h2>{''.join(told)}")

    def _captions(self, name: str, soup: Tag) -> None:
        """Numbers for figures and for tables of results, which the lists at the front name."""
        number, figures, tables = self.numbers.get(name, ""), 0, 0
        for figure in soup.select("figure.nd-figure"):
            caption = figure.find("figcaption")
            if caption:
                figures += 1
                label = f"Figure {number}.{figures}"
                figure["id"] = self.anchor(name, f"figure-{figures}")
                self.figures.append((label, caption.get_text(), figure["id"]))
                caption.insert(0, _made(f"<b>{label}</b> "))
        for table in soup.select("table"):
            cells = table.select("tbody td")
            if sum(bool(re.search(r"\d\.\d", cell.get_text())) for cell in cells) < 4 or table.find_parent("table"):
                continue
            tables += 1
            label = f"Table {number}.{tables}"
            heading = table.find_previous(["h2", "h1", "h3"])
            title = table.caption.get_text() if table.caption else heading.get_text() if heading else self.titles[name]
            table["id"] = self.anchor(name, f"table-{tables}")
            self.tables.append((label, title, table["id"]))
            if table.caption is None:
                table.insert(0, _made("<caption></caption>"))
                table.caption.string = title
            table.caption.insert(0, _made(f"<b>{label}</b> "))

    def _front(self) -> str:
        config = (BOOK / "_config.yml").read_text("utf8")
        author, year = (
            found[1] if (found := re.search(rf'^{key}: "?(.*?)"?$', config, re.MULTILINE)) else ""
            for key in ("author", "copyright")
        )
        title = html.escape(course.load(ROOT).title)
        lines, last = [], ""
        for part, name in self.listed:
            if part != last:
                lines.append(f'<p class="toc-part"><a href="#part-{_plain(part)}">{html.escape(part)}</a></p>')
                last = part
            lines.append(_line(self.numbers.get(name, ""), self.titles[name], self.anchor(name)))
        lines.append(_line("", "Answers", "answers"))
        lists = "".join(
            f"<section class=list><h1>{heading}</h1>{''.join(_line(*entry) for entry in entries)}</section>"
            for heading, entries in (("Figures", self.figures), ("Tables of results", self.tables))
        )
        return (
            f'<section class="cover">{logo()}<h1>{title}</h1>'
            '<p class="about">CG, DCG, IDCG and NDCG,<br>by hand and in code</p>'
            f'<p class="author">{author}</p></section>'
            f'<section class="imprint"><p>{year}, version {ndcg_lib.__version__}.</p>'
            f"<p>{html.escape(imprint())}</p></section>"
            f'<section class="toc"><h1>Contents</h1>{"".join(lines)}</section>{lists}'
        )


def _line(label: str, title: str, anchor: str) -> str:
    return (
        f'<p class="line"><span class="label">{label}</span><span>{html.escape(title)}</span><span class="dots"></span>'
        f'<a class="n" href="#{anchor}">{GAP}</a></p>'
    )


def _plain(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower())


def _made(text: str) -> BeautifulSoup:
    return BeautifulSoup(text, "html.parser")


def _article(file: Path) -> Any:
    soup = _made(file.read_text("utf8")).select_one("article.bd-article")
    if soup is None:
        raise SystemExit(f"pdf: {file} is not a page of the book")
    return soup


def _worksheet(soup: Tag) -> None:
    """An assignment with room to write: without the cells that only a computer answers, and what they said."""
    for cell in soup.select("div.cell"):
        code = cell.select_one(".cell_input")
        text = code.get_text() if code else ""
        if found := AIDS.match(text):
            section, before = cell.find_parent("section"), cell.find_previous_sibling()
            if "check_all" in found[0] and section is not None and not section.h1:
                section.decompose()  # what is done with the notebook at the end
            elif "recall" in found[0] and before is not None and before.name == "p":
                before.decompose()
            elif text.lstrip().startswith("check("):
                cell.insert_after(_made(ROOM))
            cell.decompose()
    for paragraph in soup.find_all("p"):
        if paragraph.select_one("a.download, a.open-notebook") or 'hint("name")' in paragraph.get_text():
            paragraph.decompose()


def _cut(table: Tag) -> None:
    """A table that is too wide for paper as several, each with the first column."""
    rows = [row.find_all(["th", "td"], recursive=False) for row in table.find_all("tr")]
    width = max(map(len, rows), default=0)
    if width <= COLUMNS or any(cell.has_attr("colspan") for row in rows for cell in row):
        return
    for first in range(width - (width - 2) % 8 - 1, 8, -8):
        piece = _made(str(table)).table
        assert piece is not None
        for row in piece.find_all("tr"):
            for i, cell in enumerate(row.find_all(["th", "td"], recursive=False)):
                if i and not first <= i < first + 8:
                    cell.decompose()
        table.insert_after(piece)
    for row in rows:
        for cell in row[9:]:
            cell.decompose()


def document(pages: Pages, size: str) -> str:
    """The whole book as HTML with its style for this paper."""
    paper, margin, letters = SIZES[size]
    body = pages.body()
    heads = "".join(
        f".page-{_plain(name)} {{ page: p-{_plain(name)} }}\n"
        f"@page p-{_plain(name)}:left {{ @top-left {{ content: {_css(pages.titles[name])} }} }}\n"
        f"@page p-{_plain(name)}:right {{ @top-right {{ content: {_css(pages.titles[name])} }} }}\n"
        for _, name in pages.listed
    )
    own = (BOOK / "_paper" / "book.css").read_text("utf8")
    sheet = f"@page {{ size: {paper}; margin: {margin} }}\n:root {{ --letters: {letters}pt }}\n{own}\n{heads}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>'
        f"{html.escape(course.load(BOOK.parent).title)}</title>"
        f"<style>{style()}\n{sheet}</style></head><body>{body}</body></html>\n"
    )


def _css(text: str) -> str:
    return '"' + text.replace("\\", "").replace('"', "”") + '"'


def with_numbers(text: str, found: Mapping[str, int]) -> str:
    """Each gap filled with the page on which its anchor stands."""
    return re.sub(
        r'(<a class="n" href="#([^"]*)">)[^<]*',
        lambda gap: f"{gap[1]}{found.get(html.unescape(gap[2]), '–')}",
        text,
    )


def places(printed: Path) -> dict[str, int]:
    """On which page each anchor of a printed document stands."""
    reader = PdfReader(printed)
    return {
        unquote(name.lstrip("/")): number + 1
        for name, target in reader.named_destinations.items()
        if (number := reader.get_destination_page_number(target)) is not None
    }
