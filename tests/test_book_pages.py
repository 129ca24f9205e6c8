"""Each chapter keeps the contract of a page: what it opens with, what it has, how long it is, how it reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from book_pages import CHAPTERS, MATH, PAGES, box, cells, name, prose

PLAIN = re.compile(
    r"\b(simply|just|obviously|obvious|trivial(?:ly)?|powerful|crucial(?:ly)?|leverage|delve|seamless(?:ly)?|state-of-the-art"
    r"|today's world|the user|user-friendly|let's|dive in)\b", re.IGNORECASE,
)  # fmt: skip
FIGURE = re.compile(r"\bplots\.(ranking|bars|lines|show)\(")

each_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=name)
each_page = pytest.mark.parametrize("page", PAGES, ids=name)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_][\w’'-]*", text)


@each_page
def test_the_page_is_written(page: Path) -> None:
    assert "This page is being written." not in page.read_text("utf8")


@each_page
def test_words_that_the_book_does_not_use(page: Path) -> None:
    found = {match[0].lower() for match in PLAIN.finditer(prose(page))}
    assert not found, f"{name(page)}.md: leave out {', '.join(sorted(found))}"


@each_chapter
def test_the_boxes_of_the_contract(page: Path) -> None:
    count = {kind: len(box(page, kind)) for kind in ("prediction", "page-meta", "misconception", "quiz", "summary")}
    assert count["prediction"] == count["page-meta"] == count["summary"] == 1, count
    assert count["misconception"] >= 1, count
    assert 3 <= count["quiz"] <= 5, count
    assert re.search(r"^:::+\{assignment\} [a-z0-9-]+$", page.read_text("utf8"), re.MULTILINE), "no assignment"


@each_chapter
def test_it_opens_with_a_question(page: Path) -> None:
    text = prose(page)
    opening = text[: text.index("{page-meta}")]
    assert "?" in opening and not MATH.search(opening), "begin with a question, not with a formula"


@each_chapter
def test_objectives_are_verbs(page: Path) -> None:
    objectives = re.findall(r"^- (\w+)", box(page, "page-meta")[0], re.MULTILINE)
    assert 2 <= len(objectives) <= 5
    assert not {"understand", "know", "learn", "be"} & set(objectives), "say what the reader can do, not what they know"


@each_chapter
def test_length_and_sentences(page: Path) -> None:
    text = re.sub(r"^(:{3,})\{quiz\}.*?^\1$", " ", prose(page), flags=re.DOTALL | re.MULTILINE)
    text = MATH.sub(" x ", re.sub(r"^:{3,}(\{[a-z-]+\})?|^:[a-z]+:", "", text, flags=re.MULTILINE))
    count = len(words(text))
    assert 900 <= count <= 1500, f"{count} words without the questions"
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    sentences = [s for s in re.split(r"(?<=[.?!:])\s+|\n\s*\n|\n- ", text) if len(words(s)) > 2]
    mean = sum(len(words(s)) for s in sentences) / len(sentences)
    assert mean < 25, f"{mean:.1f} words in a sentence on average"


@each_chapter
def test_cells_are_short_and_figures_are_few(page: Path) -> None:
    figures = 0
    for tags, source in cells(page):
        figures += len(FIGURE.findall(source))
        if "hide-input" in tags:
            assert len(source.splitlines()) <= 8, f"more than 8 lines:\n{source}"
        elif not re.search("remove-cell|remove-input", tags):
            assert 2 <= len(source.splitlines()) <= 8, f"not 2 to 8 lines:\n{source}"
            assert max(map(len, source.splitlines())) <= 76, f"a line of more than 76 characters:\n{source}"
    assert 2 <= figures <= 4, f"{figures} figures"
