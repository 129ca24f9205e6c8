"""The staircase of NDCG, dragged; and a model that is trained in the page."""

from __future__ import annotations

from typing import Any

from live_page import Cell

PAGE = "chapters/learning-to-rank.html"


def test_the_staircase_is_dragged_and_says_what_its_table_says(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + PAGE)
    figure = page.locator("ndcg-staircase")
    slider, says = figure.get_by_role("slider"), figure.locator(".says")
    steps = [row[-5:] for row in figure.locator("tbody tr").all_text_contents()]
    for score, step in ((-0.5, 0), (0.5, 1), (1.5, 2), (2.5, 3), (3.5, 3), (3.95, 3), (4.05, 4), (5, 4)):
        slider.fill(str(score))
        assert says.inner_text().endswith(f"NDCG {steps[step]}"), score
    assert figure.locator(".order").inner_text().startswith("Five steps")
    slider.press("Home")
    assert figure.locator(".order").inner_text().endswith("Five steps")
    slider.fill("4")
    assert "as high as Prices" in says.inner_text()
    assert watched.wrong == []


def test_a_model_is_trained_in_the_page(live: Any, book: str) -> None:
    page = live.page
    page.goto(book + PAGE)
    assert Cell(page, "def lists").run().well  # Python, and the runs, are there now
    cell = Cell(page, "known, new = lists").run()
    assert cell.well and "array([" in cell.output
    cell.edit("weights = learning.train(known, learning.lambdarank, rounds=30)\nweights.round(2)").run()
    assert cell.well
