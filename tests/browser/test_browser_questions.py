"""The questions of a comparison: taken out, put back, tossed, by mouse and by keyboard."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from live_page import Cell

PAGE = "chapters/comparing-systems.html"


@pytest.fixture
def page(watched: Any, book: str) -> Any:
    watched.page.goto(book + PAGE)
    yield watched.page
    assert watched.wrong == []


def leads(page: Any) -> list[float]:
    """The differences as the table beside the bars has them, for those who have no script."""
    rows = page.locator("ndcg-questions tbody tr").all_text_contents()
    return sorted(float(re.search(r"[+−]?\d\.\d{3}$", row)[0].replace("−", "-")) for row in rows)


def mean_of(page: Any) -> float:
    return float(
        re.search(r"by ([+−±]\d\.\d{3})", page.locator("ndcg-questions .says").inner_text())[1].replace("−", "-")
    )


def test_questions_are_taken_out_and_put_back(page: Any) -> None:
    known, figure = leads(page), page.locator("ndcg-questions")
    assert len(known) == 43 and mean_of(page) == pytest.approx(np.mean(known), abs=1e-3)
    for _ in range(3):
        figure.get_by_role("button", name="Take out B’s best").click()
    assert mean_of(page) == pytest.approx(np.mean(known[:-3]), abs=1e-3) and mean_of(page) < 0
    figure.get_by_role("button", name="Put all back").click()
    assert mean_of(page) == pytest.approx(np.mean(known), abs=1e-3)
    bar = figure.get_by_role("group").get_by_role("button").first
    bar.focus()
    bar.press("Enter")
    assert bar.get_attribute("aria-pressed") == "true"
    assert mean_of(page) == pytest.approx(np.mean(known[1:]), abs=1e-3)
    bar.press("ArrowRight")
    page.keyboard.press("Enter")
    assert mean_of(page) == pytest.approx(np.mean(known[2:]), abs=1e-3)


def test_coins_say_what_the_library_says(page: Any) -> None:
    figure = page.locator("ndcg-questions")
    figure.get_by_role("button", name="Toss 10,000 times").click()
    share = float(re.search(r"In (\d+) %", figure.locator(".coins").inner_text())[1])
    told = float(re.search(r"In (\d+) % of the games, coins alone produce", page.locator("article").inner_text())[1])
    assert share == pytest.approx(told, abs=2)


def test_real_runs_are_there_in_a_page(live: Any, book: str) -> None:
    live.page.goto(book + PAGE)
    cell = Cell(live.page, "from trec import qrels, run")
    shown = cell.output.strip()
    assert cell.run().well and cell.output.strip() == shown, "as the book has it"
    assert live.wrong == []
