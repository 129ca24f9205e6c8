"""The pages of the built site as one document for paper: title page, contents, numbers, answers and worksheets.

A browser cannot say on which page of the print an anchor will stand. So the document is printed with a gap for each
page number, the numbers are read from the PDF, and it is printed again.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from _ext.sheets import BOOK, POLICY, ROOT, imprint, logo, style
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

import ndcg_lib
from ndcg_course import course
from ndcg_course.make.chapters import contents
from ndcg_lib import grid
from ndcg_lib.grid import Html, joined, tag

SIZES = {"a4": ("210mm 297mm", "20mm 24mm 22mm", 10.5), "6x9": ("6in 9in", "17mm 16mm 18mm", 9.3)}
GAP = "000"  # as wide as most page numbers
COLUMNS = 12  # a table with more is cut into several
LEFT_OUT = re.compile(r"teaching/|(?:offline|playground|reference/(?:api|licences))$")  # for teachers, or a screen
AIDS = re.compile(r"\s*(?:check|check_all|recall|missing|progress|hint|another|from ndcg_course import)\b")
SCREEN = "script, button, form, .headerlink, ndcg-guess, .toctree-wrapper, details.hide, .peers-filter, ndcg-questions"


class Pages:
    """All pages in the order of the contents, with one namespace for their anchors."""

    def __init__(self, site: Path) -> None:
        self.listed = [(part, name) for part, name in contents(ROOT) if not LEFT_OUT.match(name)]
        self.names = {name for _, name in self.listed}
        self.soups = {name: _article(site / f"{name}.html") for name in self.names}
        self.ids = {name: {one["id"] for one in soup.find_all(id=True)} for name, soup in self.soups.items()}
        self.titles = {name: soup.h1.get_text().rstrip("#") for name, soup in self.soups.items() if soup.h1}
        self.numbers = dict(self._numbers())
        self.figures: list[tuple[str, str, str]] = []  # label, title, anchor
        self.tables: list[tuple[str, str, str]] = []
        self.answers: list[Html] = []

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

    def body(self) -> Html:
        """All of it in order; contents and lists come first, so they are made last."""
        parts, last = [], ""
        for part, name in self.listed:
            if part != last:
                parts.append(tag("section", tag("h1", part), class_="part", id=f"part-{_plain(part)}"))
                last = part
            parts.append(self._page(name))
        answers = tag("section", tag("h1", "Answers"), self.answers, class_="page answers", id="answers")
        return joined(self._front(), parts, answers)

    def _page(self, name: str) -> Html:
        soup, number = self.soups[name], self.numbers.get(name, "")
        for one in soup.select(SCREEN):
            one.decompose()
        if name.startswith("assignments/"):
            _worksheet(soup)
        self._links(name, soup)
        for one in soup.find_all(id=True):
            one["id"] = self.anchor(name, one["id"])
        self._questions(name, soup)
        for table in soup.select("table"):
            _cut(table)
        self._captions(name, soup)
        for fold in soup.select("details"):
            fold.name, title = "div", fold.find("summary")
            if title:
                title.name, title["class"] = "p", ["fold-title"]
        if soup.h1:
            soup.h1.insert(0, _made(tag("span", number, class_="number"), " ") if number else _made())
        return tag("section", _inside(soup), class_=f"page page-{_plain(name)}", id=self.anchor(name))

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
            link.insert_after(_made(" ", tag("span", "(page ", self._gap(page, fragment), ")", class_="at")))

    def _gap(self, page: str, fragment: str = "") -> Html:
        return tag("a", GAP, class_="n", href=f"#{self.anchor(page, fragment)}")

    def _questions(self, name: str, soup: Tag) -> None:
        """Questions stay where they are; what is right, and why, goes to the end of the book."""
        told = []
        for n, quiz in enumerate(soup.select(".quiz"), start=1):
            said = []
            for letter, fold in zip("ABCDEFGH", quiz.select("details.quiz-answer"), strict=False):
                feedback = fold.select_one(".quiz-feedback")
                text = _inside(feedback) if feedback else Html()
                if "key" in fold["class"]:
                    said.append(text)
                    room = tag("p", "Answer: ", tag("span", class_="blank"))
                    fold.replace_with(_made(None if quiz.select_one(".quiz-order") else room))
                else:
                    if "bet" not in quiz["class"] or "right" in fold["class"]:
                        said.append(tag("div", tag("b", letter), " ", text))
                    words = _inside(fold.summary) if fold.summary else None
                    fold.replace_with(_made(tag("p", tag("b", letter), " ", words, class_="option")))
            label = quiz.select_one(".quiz-number")
            quiz["id"] = self.anchor(name, f"question-{n}")
            if label and said:
                gap = self._gap("answers", name + str(n))
                label.append(_made(" ", tag("span", "answer: page ", gap, class_="at")))
                title = label.strong.get_text() if label.strong else ""
                there = tag("b", title, " (page ", self._gap(name, f"question-{n}"), ")")
                place = self.anchor("answers", name + str(n))
                told.append(tag("div", tag("p", there), said, class_="told", id=place))
        if told:
            number = self.numbers.get(name, "")
            self.answers += [tag("h2", f"{number} {self.titles[name]}"), *told]

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
                caption.insert(0, _made(tag("b", label), " "))
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
                table.insert(0, _made(tag("caption")))
                table.caption.string = title
            table.caption.insert(0, _made(tag("b", label), " "))

    def _front(self) -> Html:
        config = (BOOK / "_config.yml").read_text("utf8")
        author, year = (
            found[1] if (found := re.search(rf'^{key}: "?(.*?)"?$', config, re.MULTILINE)) else ""
            for key in ("author", "copyright")
        )
        lines, last = [], ""
        for part, name in self.listed:
            if part != last:
                lines.append(tag("p", tag("a", part, href=f"#part-{_plain(part)}"), class_="toc-part"))
                last = part
            lines.append(_line(self.numbers.get(name, ""), self.titles[name], self.anchor(name)))
        lines.append(_line("", "Answers", "answers"))
        lists = [
            tag("section", tag("h1", heading), [_line(*entry) for entry in entries], class_="list")
            for heading, entries in (("Figures", self.figures), ("Tables of results", self.tables))
        ]
        about = tag("p", "CG, DCG, IDCG and NDCG,", Html("<br>"), "by hand and in code", class_="about")
        title, by = tag("h1", course.load(ROOT).title), tag("p", author, class_="author")
        printed = [tag("p", f"{year}, version {ndcg_lib.__version__}."), tag("p", imprint())]
        return joined(
            tag("section", logo(), title, about, by, class_="cover"),
            tag("section", printed, class_="imprint"),
            tag("section", tag("h1", "Contents"), lines, class_="toc"),
            lists,
        )


def _line(label: str, title: str, anchor: str) -> Html:
    words = [tag("span", label, class_="label"), tag("span", title), tag("span", class_="dots")]
    return tag("p", words, tag("a", GAP, class_="n", href=f"#{anchor}"), class_="line")


def _plain(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower())


def _made(*parts: object) -> BeautifulSoup:
    return BeautifulSoup(joined(*parts), "html.parser")


def _inside(element: Tag) -> Html:
    """What stands in an element of a page."""
    return Html(element.decode_contents())


def _article(file: Path) -> Any:
    soup = BeautifulSoup(file.read_text("utf8"), "html.parser").select_one("article.bd-article")
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
                cell.insert_after(_made([tag("div", class_="room")] * 4))
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
        piece = BeautifulSoup(str(table), "html.parser").table
        assert piece is not None
        for row in piece.find_all("tr"):
            for i, cell in enumerate(row.find_all(["th", "td"], recursive=False)):
                if i and not first <= i < first + 8:
                    cell.decompose()
        table.insert_after(piece)
    for row in rows:
        for cell in row[9:]:
            cell.decompose()


def document(pages: Pages, size: str) -> Html:
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
    return grid.page(course.load(BOOK.parent).title, Html(f"{style()}\n{sheet}"), body, policy=POLICY)


def _css(text: str) -> str:
    return '"' + text.replace("\\", "").replace('"', "”") + '"'


def with_numbers(text: str, found: Mapping[str, int]) -> str:
    """Each gap filled with the page on which its anchor stands."""
    return re.sub(
        r'(<a class="n" href="#([^"]*)">)[^<]*',
        lambda gap: f"{gap[1]}{found.get(unescape(gap[2]), '–')}",
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
