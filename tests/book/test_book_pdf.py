"""The book on paper: its page numbers are true, what needs a screen is gone; without a browser, one clear line."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from _ext import paper
from book_pages import BOOK
from bs4 import BeautifulSoup

import kit
from ndcg_course.make import printing

pdf = runpy.run_path(str(BOOK / "pdf.py"))
needs_browser = pytest.mark.skipif(printing.browser() is None, reason="no Chromium, Chrome or Edge on this machine")

WIDTHS = {"a4": 595, "6x9": 432}

PAGE = """<article class="bd-article"><section id="top">
<h1>{title}<a class="headerlink" href="#">#</a></h1>{body}</section></article>"""
META = '<div class="page-meta">Takes 5 minutes.</div>'
QUIZ = """<div class="quiz"><p class="quiz-number"><strong>Question 1.</strong></p><p>Which?</p>
<details class="quiz-answer right"><summary>this</summary>
<div class="quiz-feedback"><p>Because it is so.</p></div></details>
<details class="quiz-answer wrong"><summary>that</summary>
<div class="quiz-feedback"><p>Not that.</p></div></details></div>"""
TASK = """<div class="cell"><div class="cell_input"><pre>answer = ...</pre></div></div>
<div class="cell"><div class="cell_input"><pre>check("answer")</pre></div>
<div class="cell_output"><div class="ndcg-check">Not attempted: answer</div></div></div>"""


@pytest.fixture
def small_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three pages: the first is long and links to the second, which has a question; the third is an assignment."""
    listed = [("Begin", "chapters/one"), ("Begin", "chapters/two"), ("Tasks", "assignments/one")]
    monkeypatch.setattr(paper, "contents", lambda root: listed)
    long = "<p>A word after another, until the page is full.</p>" * 120
    figure = '<figure class="nd-figure"><figcaption>It falls</figcaption><svg viewBox="0 0 9 9"></svg></figure>'
    bodies = {
        "chapters/one": META
        + long
        + '<p>See <a href="two.html#deep">there</a> and <a href="../lost.html">nowhere</a>.</p>',
        "chapters/two": META + long + f'<h2 id="deep">The deep place</h2>{figure}{QUIZ}<a href="one.html#top">back</a>',
        "assignments/one": TASK,
    }
    for name, body in bodies.items():
        file = tmp_path / f"{name}.html"
        file.parent.mkdir(exist_ok=True)
        title = f"Page {name.replace('/', ' ')}"
        file.write_text(PAGE.format(title=title, body=body), "utf8")
    return tmp_path


def test_without_a_browser_one_line_names_what_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, str(BOOK / "pdf.py"), str(tmp_path / "book.pdf")]
    done = subprocess.run(command, env={"CHROME": "no-such-browser"}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("pdf: needs Chromium, Chrome or Edge") and done.stderr.count("\n") == 1
    assert not (tmp_path / "book.pdf").exists()


def test_links_say_the_page_and_answers_stand_at_the_end(small_site: Path) -> None:
    whole = BeautifulSoup(paper.document(paper.Pages(small_site), "a4"), "html.parser")
    one, two = whole.select_one("#chapters-one--"), whole.select_one("#chapters-two--")
    assert one and two
    assert one.h1 and one.h1.get_text(" ", strip=True) == "1 Page chapters one"
    assert "there (page 000)" in one.get_text() and whole.find(id="chapters-two--deep")
    assert "back (page 000)" in two.get_text()
    assert "nowhere" in one.get_text() and not one.find("a", string="nowhere")
    assert two.figcaption and two.figcaption.get_text() == "Figure 2.1 It falls"
    answers = whole.select_one("#answers")
    assert answers and "Because it is so." in answers.get_text() and "Because it is so." not in two.get_text()


def test_an_assignment_is_a_worksheet(small_site: Path) -> None:
    whole = BeautifulSoup(paper.document(paper.Pages(small_site), "a4"), "html.parser")
    sheet = whole.select_one("#assignments-one--")
    assert sheet and "answer = ..." in sheet.get_text() and sheet.select(".room")
    assert "check(" not in sheet.get_text() and "Not attempted" not in whole.get_text()


def test_a_table_too_wide_for_paper_is_cut_and_keeps_its_first_column() -> None:
    cells = "".join(f"<td>c{i}</td>" for i in range(21))
    soup = BeautifulSoup(f"<div><table><tbody><tr>{cells}</tr></tbody></table></div>", "html.parser")
    paper._cut(soup.table)
    rows = [[cell.get_text() for cell in table.find_all("td")] for table in soup.find_all("table")]
    assert all(row[0] == "c0" and len(row) <= paper.COLUMNS for row in rows)
    assert [cell for row in rows for cell in row[1:]] == [f"c{i}" for i in range(1, 21)]


@pytest.mark.slow
@needs_browser
def test_the_printed_page_numbers_are_those_of_the_pages(small_site: Path, tmp_path: Path) -> None:
    from pypdf import PdfReader

    count = pdf["bind"](printing.browser(), small_site, tmp_path / "book.pdf", "6x9")
    texts = [" ".join(page.extract_text().split()) for page in PdfReader(tmp_path / "book.pdf").pages]
    assert len(texts) == count
    (contents,) = (text for text in texts if "Contents" in text)
    second = next(n for n, text in enumerate(texts, start=1) if "2 Page chapters two Takes" in text)
    (deep,) = (n for n, text in enumerate(texts, start=1) if "The deep place" in text)
    assert re.search(rf"Page chapters two\W*{second}\b", contents)
    assert second < deep and f"there (page {deep})" in " ".join(texts)
    assert re.search(rf"\b{deep}\b", texts[deep - 1])  # the number at its foot


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(
    ("size", "part"),
    [
        pytest.param("a4", slice(2, None, 15), marks=pytest.mark.sweep, id="some pages"),
        pytest.param("a4", slice(None), marks=pytest.mark.weekly, id="a4"),
        pytest.param("6x9", slice(None), marks=pytest.mark.weekly, id="6x9"),
    ],
)
def test_the_whole_book_is_a_book(size: str, part: slice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pypdf import PdfReader

    listed_whole = paper.contents(BOOK.parent)
    monkeypatch.setattr(paper, "contents", lambda root: listed_whole[part])
    site = kit.build(sys.executable).parent
    count = pdf["bind"](printing.browser(), site, tmp_path / "book.pdf", size)
    reader = PdfReader(tmp_path / "book.pdf")
    assert round(float(reader.pages[0].mediabox.width)) == WIDTHS[size] and len(reader.pages) == count
    texts = [" ".join(page.extract_text().split()) for page in reader.pages]
    whole = " ".join(texts)
    assert "Not attempted" not in whole and "Show the code" not in whole
    assert str(kit.ROOT) not in whole
    assert "page 000" not in whole and "page –" not in whole
    listed = paper.Pages(site)
    places = paper.places(tmp_path / "book.pdf")
    for name, title in listed.titles.items():
        at = places[listed.anchor(name)]
        assert re.sub(r"\W", "", title) in re.sub(r"\W", "", texts[at - 1]), name
