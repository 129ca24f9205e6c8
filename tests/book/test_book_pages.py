"""Each chapter keeps the contract of a page: what it opens with, and the boxes that a reader can count on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from book_pages import CHAPTERS, MATH, PAGES, box, cells, name, prose

PLAIN = re.compile(
    r"\b(simply|just|obviously|obvious|trivial(?:ly)?|powerful|crucial(?:ly)?|leverage|delve|seamless(?:ly)?|state-of-the-art"
    r"|today's world|the user|user-friendly|let's|dive in)\b", re.IGNORECASE,
)  # fmt: skip

each_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=name)
each_page = pytest.mark.parametrize("page", PAGES, ids=name)


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
    assert count["quiz"] >= 1, count


@each_page
def test_a_guess_is_answered_on_its_page(page: Path) -> None:
    text = page.read_text("utf8")
    asked = re.findall(r"^:::+\{prediction\}\n((?::[a-z]+:.*\n)*)", text, re.MULTILINE)
    keys = re.compile(r"^:key: (\S+)", re.MULTILINE)
    kept = sorted((keys.findall(options) or ["first"])[0] for options in asked if ":guess:" in options)
    told = sorted(words.strip() or "first" for words in re.findall(r"^:::+\{guessed\}(.*)$", text, re.MULTILINE))
    assert kept == told, f"{name(page)}.md keeps the guesses {kept} and tells {told}"


@each_chapter
def test_it_opens_with_a_question(page: Path) -> None:
    text = prose(page)
    opening = text[: text.index("{page-meta}")]
    assert "?" in opening and not MATH.search(opening), "begin with a question, not with a formula"


@each_chapter
def test_objectives_are_verbs(page: Path) -> None:
    objectives = re.findall(r"^- (\w+)", box(page, "page-meta")[0], re.MULTILINE)
    assert objectives
    assert not {"understand", "know", "learn", "be"} & set(objectives), "say what the reader can do, not what they know"


@each_chapter
def test_cells_are_short(page: Path) -> None:
    for tags, source in cells(page):
        if "hide-input" in tags:
            assert len(source.splitlines()) <= 8, f"more than 8 lines:\n{source}"
        elif not re.search("remove-cell|remove-input", tags):
            assert 2 <= len(source.splitlines()) <= 8, f"not 2 to 8 lines:\n{source}"
            assert max(map(len, source.splitlines())) <= 76, f"a line of more than 76 characters:\n{source}"
