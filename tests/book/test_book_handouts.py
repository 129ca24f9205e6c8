"""The handouts: two pages with questions and no answer, the key apart, and a card of one page."""

from __future__ import annotations

import re
from pathlib import Path

import handouts
import pytest
from book_pages import BOOK
from pypdf import PdfReader
from sweeps import A_QUARTER_NOW

from ndcg_course.make import printing
from ndcg_course.make.chapters import Chapter, chapters, outlines

REPO = BOOK.parent
needs_browser = pytest.mark.skipif(printing.browser() is None, reason="no Chromium, Chrome or Edge on this machine")


def words(text: str) -> str:
    """Letters and digits alone: a page breaks lines where it likes."""
    return re.sub(r"\W", "", text)


def plain(page: str) -> str:
    return words(re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", page, flags=re.DOTALL))


def told(chapter: Chapter) -> list[str]:
    """What only the key may say: each feedback without a formula in it."""
    answers = [answer for question in chapter.questions for answer in question.answers]
    return [words(answer.feedback) for answer in answers if "$" not in answer.feedback and "[" not in answer.feedback]


def test_questions_stand_in_the_handout_and_answers_in_the_key() -> None:
    (chapter,) = chapters(REPO, ["chapters/discounting"])
    sheet, key = (plain(handouts.handout(chapter, key)) for key in (False, True))
    for question in chapter.questions:
        assert words(question.stem) in sheet
    assert words("What is DCG@3 of the grades 4, 2, 5?") in sheet
    assert not [feedback for feedback in told(chapter) if feedback in sheet]
    assert all(feedback in key for feedback in told(chapter))
    assert "7762" in key and "7762" not in sheet  # 4 + 2 × 0.631 + 5 × 0.5
    assert "3323" in key and "3323" not in sheet  # the sum of the table that is to be filled in
    for belief in chapter.boxes("misconception"):
        assert words(belief.title) in sheet and words(belief.text) not in sheet


def test_a_cell_is_emptied_where_it_was_worked_out() -> None:
    table = handouts.block("| rank | gain | worth |\n|---|---|---|\n| 2 | 3 | 1.893 |\n| 3 | 2 | 2 × 0.5 = 1 |\n")
    emptied = handouts._emptied(table)
    assert "1.893" not in emptied and "0.5" not in emptied and emptied.count(handouts.BLANK) == 2
    assert "<td>3</td>" in emptied and "worth" in emptied


def test_the_card_names_formulas_conventions_and_pitfalls() -> None:
    card = plain(handouts.card())
    for said in (
        "normalised DCG",
        "Say which you took",
        "exponential",
        "lightgbm",
        "The log of a program has base 2.",
        "The cut-off is for my list only.",
    ):
        assert words(said) in card


def pages_of(file: Path) -> list[str]:
    return [page.extract_text() for page in PdfReader(file).pages]


@pytest.mark.sweep
@needs_browser
def test_the_command_prints_two_pages_with_a_key_and_the_card_on_one(tmp_path: Path) -> None:
    assert handouts.main(["ndcg", "-o", str(tmp_path)]) == 0
    assert len(pages_of(tmp_path / "ndcg.pdf")) == 2
    assert words("Answers") in words("".join(pages_of(tmp_path / "ndcg-key.pdf")))
    assert len(pages_of(tmp_path / "reference-card.pdf")) == 1
    assert len(list(tmp_path.glob("*.pdf"))) == 3


@pytest.mark.sweep
def test_no_chapter_gives_an_answer_away() -> None:
    for chapter in chapters(REPO, [chapter.name for chapter in outlines(REPO)]):
        sheet = plain(handouts.handout(chapter))
        assert not [feedback for feedback in told(chapter) if len(feedback) > 25 and feedback in sheet], chapter.name


@pytest.mark.parametrize("part", A_QUARTER_NOW)
@needs_browser
def test_each_chapter_has_two_pages_and_no_answer_on_them(tmp_path: Path, part: slice) -> None:
    program = printing.needed("tests")
    for chapter in chapters(REPO, [chapter.name for chapter in outlines(REPO)][part]):
        handouts.printed(chapter.title, handouts.handout(chapter), tmp_path / "a.pdf", 2, program, chapter.convention)
        sheet = PdfReader(tmp_path / "a.pdf")
        assert round(float(sheet.pages[0].mediabox.width) / 72 * 25.4) == 210, chapter.name  # A4
        assert len(sheet.pages) == 2, chapter.name
        printed = words("".join(pages_of(tmp_path / "a.pdf")))
        long_enough = [feedback for feedback in told(chapter) if len(feedback) > 25]
        assert not [feedback for feedback in long_enough if feedback in printed], chapter.name
