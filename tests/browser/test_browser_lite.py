"""An assignment opened as a notebook in JupyterLite, done to its end and handed in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from live_page import CONNECTED, points

import kit

NAME = "02-cumulative-gain"
SOLUTIONS = json.loads((kit.ROOT / "ndcg_course" / "solutions" / f"{NAME}.json").read_text("utf8"))
GIVEN = json.loads((kit.ROOT / "exercises" / f"{NAME}.ipynb").read_text("utf8"))["cells"]
IN_WORDS = "what_cg_misses"  # marked by a person


class Notebook:
    """A notebook in JupyterLite, as a student handles it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        page.locator(CONNECTED).wait_for(state="attached")

    def cell(self, identity: str) -> Any:
        """A cell by its id in the file; scrolled to, as those out of sight are not drawn."""
        place = self.page.locator(".jp-Notebook .jp-Cell").nth([cell["id"] for cell in GIVEN].index(identity))
        place.scroll_into_view_if_needed()
        return place

    def write(self, identity: str, code: str) -> None:
        self.cell(identity).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(code)

    def choose(self, menu: str, entry: str) -> None:
        self.page.locator(".lm-MenuBar-item", has_text=menu).first.click()
        self.page.locator(".lm-Menu-item", has_text=entry).first.click()

    def run_cell(self, identity: str) -> str:
        before = self.cell(identity).locator(".jp-InputPrompt").inner_text()
        self.cell(identity).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        return self.output(identity, before)

    def output(self, identity: str, before: str = "") -> str:
        """What the cell shows, once it has run (again)."""
        place = self.cell(identity)
        self.page.wait_for_function(
            "([cell, before]) => { const now = cell.querySelector('.jp-InputPrompt').innerText;"
            " return now !== before && /\\d/.test(now) }",
            arg=[place.element_handle(), before],
        )
        return "\n".join(place.locator(".jp-OutputArea-output").all_inner_texts())


@pytest.fixture
def lite(live: Any, site: Path, book: str) -> Any:
    assert (site / "lite").is_dir(), "the book was built with live cells and without JupyterLite"
    live.everything = []  # also what the workers ask for
    live.page.context.on("request", lambda request: live.everything.append(request.url))
    live.page.goto(f"{book}assignments/cumulative-gain.html")
    live.page.locator("summary", has_text="About this assignment").click()
    live.page.get_by_role("link", name="open it as a notebook").click()
    return live


def test_an_assignment_is_done_to_its_end_and_handed_in(lite: Any, book: str, tmp_path: Path) -> None:
    notebook = Notebook(lite.page)
    for task, code in SOLUTIONS.items():
        notebook.write(f"answer-{task.replace('_', '-')}", code)
    notebook.choose("Run", "Run All Cells")
    for task in SOLUTIONS:
        said = notebook.output(f"check-{task.replace('_', '-')}")
        assert said.startswith("Collected" if task == IN_WORDS else f"Right: {task}"), said
    shown = notebook.output(GIVEN[-1]["id"])
    assert "12 of 14" in " ".join(shown.split()), "the progress of this notebook"

    with lite.page.expect_download() as download:
        notebook.choose("File", "Download")
    download.value.save_as(tmp_path / "saved.ipynb")
    saved = nbformat.read(tmp_path / "saved.ipynb", as_version=4)
    nbformat.validate(saved)
    given = points(tmp_path / "saved.ipynb", tmp_path)
    assert given.pop(IN_WORDS) is None
    assert sum(filter(None, given.values())) == 12

    origin = re.match(r"https?://[^/]+/", book)[0]
    assert [address for address in lite.everything if not address.startswith((origin, "data:", "blob:"))] == []
    assert any(address.endswith("_static/pyodide/pyodide.asm.wasm.packed") for address in lite.everything), (
        "the Python of the pages"
    )
    assert not [address for address in lite.everything if address.startswith(f"{book}lite/") and ".wasm" in address]


@pytest.mark.sweep
def test_wrong_answers_hints_figures_matplotlib_and_a_record_that_lasts(lite: Any) -> None:
    notebook = Notebook(lite.page)
    notebook.write("answer-cg-at", "def cg_at(grades, k=None):\n    return sum(grades)")
    notebook.choose("Run", "Run All Cells")
    assert notebook.output("check-cg-at").startswith("Not yet: cg_at")
    assert notebook.output("code-cg-by-hand").startswith("grades: "), "the numbers of one's own"
    notebook.cell("code-useless-rank").locator("svg[role=img]").wait_for()
    notebook.write("code-cg-by-hand", 'hint("cg_at")')
    assert "Hint 1 of 3" in notebook.run_cell("code-cg-by-hand")
    notebook.write("code-cg-by-hand", "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()")
    assert "Warning" not in notebook.run_cell("code-cg-by-hand")
    notebook.cell("code-cg-by-hand").locator(".jp-OutputArea-output img").wait_for()
    notebook.write("code-cg-by-hand", "%pip install pandas")
    refused = notebook.run_cell("code-cg-by-hand").strip().splitlines()
    assert "pandas" in refused[-1] and "a browser installs nothing" in refused[-1] and len(refused) < 4, refused
    notebook.choose("Kernel", "Interrupt")
    lite.page.get_by_text("Interrupt does not reach Python in a browser. Restart stops it").first.wait_for()
    assert lite.page.locator("#to-the-book").get_attribute("href").endswith("/assignments/cumulative-gain.html")
    lite.page.reload()
    notebook = Notebook(lite.page)
    notebook.run_cell("code-start")
    notebook.write("code-cg-by-hand", 'hint("cg_at")')
    assert "Hint 2 of 3" in notebook.run_cell("code-cg-by-hand"), "the record outlives the kernel"
