"""Assignments done in the page: the same words as in a notebook, and the file that is handed in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from live_page import Cell

import kit
from ndcg_lib.exercises import check

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


def test_answers_are_saved_as_the_notebook_that_the_grader_takes(assignment: Any, tmp_path: Path) -> None:
    Cell(assignment.page, "def cg_at(").edit(RIGHT)
    Cell(assignment.page, "cg_by_hand = ...").edit("cg_by_hand = 16")
    with assignment.page.expect_download() as download:
        assignment.page.get_by_role("button", name="Save my answers as a notebook").click()
    assert download.value.suggested_filename == "02-cumulative-gain.ipynb"
    download.value.save_as(tmp_path / "handed-in.ipynb")
    saved = json.loads((tmp_path / "handed-in.ipynb").read_text("utf8"))
    given = json.loads((kit.ROOT / "exercises" / "02-cumulative-gain.ipynb").read_text("utf8"))
    assert [cell["id"] for cell in saved["cells"]] == [cell["id"] for cell in given["cells"]]
    assert [cell["metadata"] for cell in saved["cells"]] == [cell["metadata"] for cell in given["cells"]]
    sources = {cell["id"]: "".join(cell["source"]) for cell in saved["cells"]}
    originals = {cell["id"]: "".join(cell["source"]) for cell in given["cells"]}
    changed = {name: text for name, text in sources.items() if text != originals[name]}
    assert changed == {"answer-cg-at": RIGHT, "answer-cg-by-hand": "cg_by_hand = 16"}
    names: dict[str, Any] = {}
    exec(sources["answer-cg-at"], names)
    assert check("cg_at", names["cg_at"]).passed
