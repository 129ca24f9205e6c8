"""The cards of nd.play in JupyterLab, Notebook 7 and JupyterLite: dragged, moved by keys, read and set by Python."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from live_page import CONNECTED, jupyter

import kit

pytest.importorskip("anywidget")
NOTEBOOKS = re.compile(r"reading 'schema'|'filebrowser:open-path'")  # what Notebook 7 complains of by itself
CELLS = [
    "import ndcg_lib as nd\n\ntitles = ['Five steps', 'Steam', 'Limescale', 'Prices', 'Vinegar']\n"
    "w = nd.play([3, 0, 1, 0, 2], titles=titles)\nw",
    "print(w.titles, w.value == nd.ndcg(w.grades))",
    "w.grades = [3, 2, 1, 0, 0]",
]  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of JupyterLab in a folder of its own; its address, as it prints it."""
    folder = tmp_path_factory.mktemp("lab")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, folder / "a.ipynb")
    with jupyter(folder, kit.ROOT) as address:
        yield address


def run_cell(page: Any, number: int) -> str:
    """What a cell shows, once it has run."""
    cell = page.locator(".jp-CodeCell").nth(number)
    before = cell.locator(".jp-InputPrompt").inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "([cell, before]) => { const now = cell.querySelector('.jp-InputPrompt').innerText;"
        " return now !== before && /\\d/.test(now) }",
        arg=[cell.element_handle(), before],
    )
    return str(cell.locator(".jp-OutputArea").inner_text())


def order(page: Any) -> list[str]:
    return [text.split("\n")[0] for text in page.locator(".ndcg-play .card .title").all_inner_texts()]


@pytest.mark.parametrize(
    ("front", "ready"),
    [
        ("lab/tree", ".jp-StatusBar-Widget >> text=| Idle"),  # what is run before is lost
        ("notebooks", ".jp-NotebookKernelStatus-fade"),
    ],
)
def test_a_card_is_dragged_and_python_reads_and_sets_the_list(lab: str, front: str, ready: str, watched: Any) -> None:
    page = watched.page
    page.set_default_timeout(40_000)
    page.goto(f"{lab}{front}/a.ipynb")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.locator(ready).first.wait_for(state="attached")
    run_cell(page, 0)
    cards = page.locator(".ndcg-play .card")
    cards.first.wait_for()
    assert order(page) == ["Five steps", "Steam", "Limescale", "Prices", "Vinegar"]

    start, end = (cards.nth(at).locator(".grab").bounding_box() for at in (4, 1))
    page.mouse.move(start["x"] + 30, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + 30, end["y"] + end["height"] / 2, steps=8)
    page.mouse.up()
    dragged = ["Five steps", "Vinegar", "Steam", "Limescale", "Prices"]
    assert f"{dragged} True" in run_cell(page, 1)

    page.locator(".ndcg-play .card .grab", has_text="Prices").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert "['Five steps', 'Prices', 'Vinegar', 'Steam', 'Limescale'] True" in run_cell(page, 1)
    assert page.locator(".jp-CodeCell").count() == len(CELLS), "the keys were the card's, not JupyterLab's"

    run_cell(page, 2)
    assert order(page) == ["Five steps", "Vinegar", "Limescale", "Prices", "Steam"]
    if folder := os.environ.get("NDCG_SHOTS"):  # to be looked at
        name = front.partition("/")[0]
        page.locator(".ndcg-play").screenshot(path=Path(folder, f"play-{name}-day.png"))
        page.evaluate("document.body.dataset.jpThemeLight = 'false'")
        page.locator(".ndcg-play").screenshot(path=Path(folder, f"play-{name}-night.png"))
    assert not [line for line in watched.wrong if "script error" in line and not NOTEBOOKS.search(line)]


def test_the_cards_of_a_page_are_a_widget_in_jupyterlite(live: Any, book: str) -> None:
    page = live.page
    page.goto(f"{book}lite/notebooks/index.html?path=index.ipynb")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.locator(CONNECTED).wait_for(state="attached")
    page.locator(".lm-MenuBar-item", has_text="Run").first.click()
    page.locator(".lm-Menu-item", has_text="Run All Cells").first.click()
    cards = page.locator(".ndcg-play .card")
    cards.first.wait_for()
    page.locator(".ndcg-play .card .grab", has_text="Vinegar").focus()
    page.keyboard.press("Home")
    page.wait_for_function(
        "document.querySelector('.ndcg-play').shadowRoot.querySelector('.card .title').innerText.startsWith('Vinegar')"
    )
    origin = re.match(r"https?://[^/]+/", book)
    assert origin and live.outside(origin[0]) == []
