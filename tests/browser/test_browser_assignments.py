"""Assignments done in the page: the same words as in a notebook, and the file that is handed in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from live_page import Cell, points

import kit
from ndcg_course import check

WRONG = "def cg_at(grades, k=None):\n    return sum(grades)"
RIGHT = "def cg_at(grades, k=None):\n    return sum(grades[:k])"


@pytest.fixture
def assignment(live: Any, book: str) -> Any:
    live.page.goto(book + "assignments/cumulative-gain.html")
    return live


def words(text: str) -> list[str]:
    return text.split()


def test_wrong_and_right_answers_get_the_words_of_a_notebook(assignment: Any, book: str) -> None:
    answer, verdict = Cell(assignment.page, "def cg_at("), Cell(assignment.page, 'check("cg_at")')
    assert "Not attempted" in verdict.run().output
    answer.edit(WRONG)
    told = verdict.run().output  # the check sees the answer as it stands, run or not
    names: dict[str, Any] = {}
    exec(WRONG, names)
    said = check("cg_at", names["cg_at"]).text()
    assert said.startswith("Not yet: cg_at")
    for line in said.splitlines()[:5]:
        assert " ".join(words(line.replace("`", ""))) in " ".join(words(told))
    link = verdict.place.locator(".live-output a").first
    assert link.get_attribute("href").startswith(book + "chapters/")
    answer.edit(RIGHT)
    assert "Right: cg_at, 2 of 2 points." in verdict.run().output
    tries = assignment.page.evaluate("JSON.parse(localStorage['ndcg:record']).students.demo.cg_at.tries")
    Cell(assignment.page, "progress(").run()
    after = assignment.page.evaluate("JSON.parse(localStorage['ndcg:record']).students.demo.cg_at.tries")
    assert (tries, after) == (2, 2), "a check above runs only when it is asked to"
    assert assignment.wrong == []


def test_hints_own_data_plots_and_progress_work_and_are_kept(assignment: Any) -> None:
    assert "'grades': [" in Cell(assignment.page, 'own("cg_by_hand")').run().output
    plot = Cell(assignment.page, "figure(").run()
    assert plot.place.locator(".live-output svg[role=img]").count() == 1
    Cell(assignment.page, "def cg_at(").edit(RIGHT)
    Cell(assignment.page, 'check("cg_at")').run()
    asked = Cell(assignment.page, 'own("cg_by_hand")').edit('hint("cg_at")')
    assert "Hint 1 of 3" in asked.run().output
    assignment.page.reload()
    assert "Hint 2 of 3" in Cell(assignment.page, 'hint("cg_at")').run().output, "the record outlives the page"
    assert "2 of 14" in " ".join(words(Cell(assignment.page, "progress(").run().output))


def save(page: Any, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers as a notebook").click()
    download.value.save_as(folder / download.value.suggested_filename)
    return Path(folder / download.value.suggested_filename)


def test_answers_are_saved_as_the_notebook_that_the_grader_takes(assignment: Any, tmp_path: Path) -> None:
    Cell(assignment.page, "def cg_at(").edit(RIGHT)
    Cell(assignment.page, "cg_by_hand = ...").edit("cg_by_hand = 13")
    Cell(assignment.page, "useless_rank = ...").edit("useless_rank = 99")
    file = save(assignment.page, tmp_path)
    assert file.name == "02-cumulative-gain.ipynb"
    saved = nbformat.read(file, as_version=4)
    nbformat.validate(saved)
    given = nbformat.read(kit.ROOT / "exercises" / file.name, as_version=4)
    assert [cell.id for cell in saved.cells] == [cell.id for cell in given.cells]
    assert [cell.metadata for cell in saved.cells] == [cell.metadata for cell in given.cells]
    changed = {
        now.id: now.source for now, was in zip(saved.cells, given.cells, strict=True) if now.source != was.source
    }
    answers = {"cg-at": RIGHT, "cg-by-hand": "cg_by_hand = 13", "useless-rank": "useless_rank = 99"}
    assert changed == {f"answer-{task}": code for task, code in answers.items()}
    marks = points(file, tmp_path)
    assert (marks["cg_at"], marks["cg_by_hand"], marks["useless_rank"], marks["cg_curve"]) == (2, 1, 0, 0)


def test_a_saved_notebook_is_read_back_on_another_machine(assignment: Any, book: str, tmp_path: Path) -> None:
    Cell(assignment.page, "def cg_at(").edit(RIGHT)
    file = save(assignment.page, tmp_path)
    assignment.page.evaluate("localStorage.clear()")
    assignment.page.reload()
    assert "your code here" in Cell(assignment.page, "def cg_at(").area.input_value()
    bar = assignment.page.locator(".live-save")

    def open_file(path: Path) -> str:
        with assignment.page.expect_file_chooser() as chooser:
            bar.get_by_role("button", name="Open a saved notebook").click()
        bar.get_by_role("status").evaluate("status => { status.textContent = '' }")
        chooser.value.set_files(path)
        bar.get_by_text("pened").or_(bar.get_by_text("answers are from")).wait_for()
        return str(bar.get_by_role("status").inner_text())

    assert open_file(kit.ROOT / "README.md") == "Not opened: this is not a notebook."
    other = kit.ROOT / "exercises" / "03-discounting.ipynb"
    assert open_file(other) == "Not opened: this is the notebook of another assignment."
    assert open_file(file).startswith("9 answers are from 02-cumulative-gain.ipynb.")
    assert Cell(assignment.page, "def cg_at(").area.input_value() == RIGHT
    assert "Right: cg_at, 2 of 2 points." in Cell(assignment.page, 'check("cg_at")').run().output
    assignment.page.reload()
    assert Cell(assignment.page, "def cg_at(").area.input_value() == RIGHT, "and kept here from now on"


def test_an_answer_can_be_tried_on_the_page_of_all_assignments(live: Any, book: str) -> None:
    live.page.goto(book + "assignments.html")
    cell = Cell(live.page, "def cg_at(")
    assert "Not yet: cg_at" in cell.run(by_keyboard=True).output
    cell.edit(cell.area.input_value().replace("sum(grades)", "sum(grades[:k])")).run()
    assert "Right: cg_at" in cell.output


def test_two_tabs_of_one_assignment_lose_nothing(assignment: Any, book: str) -> None:
    here = Cell(assignment.page, "def cg_at(")
    tab = assignment.page.context.new_page()
    tab.goto(assignment.page.url)
    there = Cell(tab, "def cg_at(")
    tab.evaluate("Document.prototype.hasFocus = () => false")  # every page of playwright thinks that it is in front
    here.edit("one = 1")
    tab.wait_for_function("area => area.value === 'one = 1'", arg=there.area.element_handle())
    tab.evaluate("Document.prototype.hasFocus = () => true")  # as if somebody wrote in both at once
    here.edit("two = 2")
    tab.wait_for_function("Object.values(localStorage).some((kept) => kept.includes('two = 2'))")
    there.edit("three = 3")
    tab.reload()
    there = Cell(tab, "three = 3")
    assert "Both are kept" in there.place.inner_text()
    there.place.get_by_role("button", name="Take the other one").click()
    assert there.area.input_value() == "two = 2"
    tab.reload()
    assert "Both are kept" not in Cell(tab, "two = 2").place.inner_text()
