"""What the pages ask: guesses that are kept, numbers to type, orders, lines to find, small figures."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from sweeps import some_of

import kit

WRITTEN = {file: file.read_text("utf8") for file in sorted((kit.ROOT / "book").glob("*/*.md"))}


def pages_with(pattern: str) -> list[str]:
    """The pages in whose source something stands."""
    found = [file for file, text in WRITTEN.items() if re.search(pattern, text, re.MULTILINE)]
    return [file.relative_to(kit.ROOT / "book").with_suffix(".html").as_posix() for file in found]


TYPED, ORDERED, EXHIBITS = (
    pages_with(r"^- \[=\]"),
    pages_with(r"^1\. .*\n2\. .*\n3\. "),
    pages_with(r"^:::+\{exhibit\}"),
)
GUESSES = pages_with(r"^:::+\{prediction\}\n(:.*\n)*:guess:")
FIGURES = pages_with(r"^:::+\{playground\}\n(:.*\n)*:measure:")


@pytest.fixture
def page(watched: Any, site: Path) -> Any:
    watched.page.emulate_media(reduced_motion="reduce")
    yield watched.page
    assert watched.wrong == []


@pytest.mark.parametrize("address", some_of(TYPED))
def test_each_typed_number_is_judged_and_each_known_slip_named(page: Any, book: str, address: str) -> None:
    page.goto(book + address)
    quizzes = page.locator(".quiz.typed").all()
    assert quizzes
    for quiz in quizzes:
        field, says = quiz.get_by_label("Your answer"), quiz.locator(".quiz-says")
        cases = quiz.locator(".quiz-case").all()
        quiz.locator("summary").click()
        for case in cases:
            written = case.locator(".quiz-value").inner_text()
            field.fill(written.replace(".", ","))
            field.press("Enter")
            right = "right" in case.get_attribute("class")
            assert says.inner_text().startswith("Yes." if right else "Not quite."), (written, says.inner_text())
            assert says.inner_text()[-12:] in case.inner_text(), "the feedback of this number"
        field.fill("123456.7")
        quiz.get_by_role("button", name="Check").click()
        assert says.inner_text().startswith("Not quite.")


@pytest.mark.parametrize("address", some_of(ORDERED))
def test_an_order_is_restored_by_its_buttons(page: Any, book: str, address: str) -> None:
    page.goto(book + address)
    for quiz in page.locator(".quiz.ordered").all():
        right = [text.strip() for text in quiz.locator(".quiz-answer ol > li").all_text_contents()]
        words = quiz.locator(".quiz-order > li > p")
        quiz.get_by_role("button", name="Check").click()
        assert quiz.locator(".quiz-says").inner_text().startswith("Not quite.")
        for to, text in enumerate(right):
            while (at := [word.strip() for word in words.all_text_contents()].index(text)) > to:
                up = quiz.locator(".quiz-order > li").nth(at).get_by_role("button").first
                up.press("Enter")
        quiz.get_by_role("button", name="Check").click()
        assert quiz.locator(".quiz-says").inner_text().startswith("Yes.")
        quiz.locator(".quiz-order").scroll_into_view_if_needed()
        box = [quiz.locator(".quiz-order > li").nth(i).bounding_box() for i in (0, -1)]
        page.mouse.move(box[0]["x"] + 60, box[0]["y"] + 10)
        page.mouse.down()
        page.mouse.move(box[1]["x"] + 60, box[1]["y"] + box[1]["height"] / 2, steps=9)
        page.mouse.up()
        assert words.last.text_content().strip() == right[0], "dragged to the end"


@pytest.mark.parametrize("address", some_of(EXHIBITS))
def test_the_line_that_cannot_be_right_is_found_by_a_click(page: Any, book: str, address: str) -> None:
    page.goto(book + address)
    for exhibit in page.locator(".quiz.exhibit").all():
        wrong, right = exhibit.locator(".quiz-answer.wrong"), exhibit.locator(".quiz-answer.right")
        wrong.first.locator("summary").press("Enter")
        assert "This line is right." in wrong.first.inner_text()
        for line in right.all():
            line.locator("summary").click()
        words = f"Found with {1 + right.count()} of"  # the browser tells of a fold a moment after it opened
        expect(exhibit.locator(".quiz-says").last).to_contain_text(words, timeout=300_000)


@pytest.mark.parametrize("address", pages_with(r"^:::+\{claims\}"))
def test_the_first_verdict_opened_is_the_bet(page: Any, book: str, address: str) -> None:
    page.goto(book + address)
    score, cards = page.locator(".bet-score"), page.locator(".quiz.bet")
    left = cards.count()
    cards.nth(0).locator(".right summary").click()
    cards.nth(1).locator(".wrong summary").first.press("Enter")
    cards.nth(1).locator(".right summary").click()
    assert score.inner_text() == f"1 of 2 bets won, {left - 2} to go."
    cards.last.scroll_into_view_if_needed()
    assert score.is_visible() and score.bounding_box()["y"] > 0, "the score goes with the reader"


@pytest.mark.parametrize("address", some_of(GUESSES))
def test_a_guess_is_kept_and_stands_where_the_page_tells(page: Any, book: str, address: str) -> None:
    page.goto(book + address)
    told = page.locator(".guess-told").first
    assert not told.is_visible()
    guess = page.locator("ndcg-guess").first
    for words in guess.locator(".guess-words").all():
        words.locator("button").first.press("Enter")
    for slider in guess.locator("input[type=range]").all():
        slider.press("ArrowRight")
    for field in guess.locator("input:not([type=range])").all():
        field.fill("0.5")
    if (go := guess.get_by_role("button", name="That is my guess")).count():
        go.press("Enter")
    said = guess.locator("b").inner_text()
    assert told.inner_text() == f"You guessed {said}."
    page.reload()
    assert told.inner_text() == f"You guessed {said}.", "kept"
    guess.get_by_role("button", name="Guess again").click()
    assert not told.is_visible() and guess.locator("button").count()


@pytest.mark.parametrize("address", some_of(FIGURES))
def test_a_small_figure_keeps_its_bet_and_shows_the_truth_beside_it(page: Any, book: str, address: str) -> None:
    page.goto(book + address)
    for element in page.locator("ndcg-ranking").all():
        measure = element.get_attribute("measure")
        told = element.locator(".frame").inner_text()
        later = {"readers": "CG", "cg": "DCG", "dcg": "NDCG"}.get(measure)
        assert later is None or later not in element.locator(".fig").inner_text(), "nothing before its page"
        if element.get_attribute("guess"):
            assert element.locator(".formula").is_hidden(), "out of sight until the bet is made"
            slider = element.locator(".slide input")
            slider.press("ArrowLeft")
            said = element.locator("output").inner_text()
            element.locator("[data-key=go]").press("Enter")
            assert f"You said {said}. It is " in element.locator(".frame").inner_text()
            page.reload()
            assert f"You said {said}. It is " in element.locator(".frame").inner_text(), "kept"
            told = element.locator(".frame").inner_text()
        first, shelf = element.locator(".cards .grab").first, element.locator(".shelf .put")
        if shelf.count():
            element.locator(".shelf").scroll_into_view_if_needed()
            title, box = shelf.first.locator(".title").inner_text(), element.locator(".stage").bounding_box()
            shelf.first.hover()
            page.mouse.down()
            page.mouse.move(box["x"] + 80, box["y"] + box["height"] - 5, steps=8)
            page.mouse.up()
            assert element.locator(".cards .title").last.inner_text() == title, "dragged in, below the others"
        else:
            first.press("End")
        assert element.locator(".frame").inner_text() != told


B, MINE = [0, 3, 2, 1, 0], [2, 0, 3, 1, 0]
CORE = ("two-rankings", "cumulative-gain", "discounting", "the-ideal-ranking", "ndcg", "ndcg-bounds")


def grades(element: Any) -> list[int]:
    named = element.locator(".cards .grab").evaluate_all("cards => cards.map(card => card.getAttribute('aria-label'))")
    return [int(re.findall(r"Grade (\d)", words)[0]) for words in named]


@pytest.mark.parametrize("name", CORE)
def test_the_core_has_one_list_which_is_the_readers_once_there_is_one(page: Any, book: str, name: str) -> None:
    page.goto(f"{book}chapters/{name}.html")
    element, needs_another = page.locator("ndcg-ranking").first, name == "the-ideal-ranking"
    known = ([1], "engine C") if needs_another else (B, "engine B")
    whose, button = element.locator(".whose"), element.locator(".whose button")
    assert (grades(element), whose.inner_text().strip()) == (known[0], f"This is the list of {known[1]}.")
    page.evaluate(f"localStorage.setItem('ndcg-guesses', JSON.stringify({{ 'book/order': {MINE} }}))")
    page.reload()
    mine, theirs = (MINE, "Your order from before: 2 0 3 1 0."), (known[0], f"This is the list of {known[1]}.")
    first, second = (theirs, mine) if needs_another else (mine, theirs)
    for shown, words in (first, second, first):
        assert grades(element) == shown and whose.inner_text().startswith(words)
        button.press("Enter")
    button.press("Enter")
    element.locator(".cards .grab").first.press("End")
    if name not in (
        "the-ideal-ranking",
        "ndcg-bounds",
        "ndcg",
    ):  # there, a card moves once the bet is made, or shuffled
        page.reload()
        assert grades(element) == [*shown[1:], shown[0]]


def test_the_goal_and_the_bet_are_about_the_list_that_is_shown(page: Any, book: str) -> None:
    """The oracle is the printed formula; a list that one move cannot better begins with the page's own."""
    dcg = lambda found: sum(g / math.log2(i + 2) for i, g in enumerate(found))  # noqa: E731
    best = [3, 2, 1, 0, 0]
    for order in (MINE, best):
        page.goto(book + "chapters/discounting.html")
        page.evaluate(f"localStorage.setItem('ndcg-guesses', JSON.stringify({{ 'book/order': {order} }}))")
        page.reload()
        element = page.locator("ndcg-ranking")
        shown = grades(element)
        assert shown == (order if order != best else B)
        rest = [(card, shown[:i] + shown[i + 1 :]) for i, card in enumerate(shown)]
        most = max(dcg([*left[:to], card, *left[to:]]) for card, left in rest for to in range(5))
        asked = float(re.findall(r"Reach DCG ([\d.]+)", element.locator(".told").inner_text())[0])
        assert 0 <= most - asked < 0.011 and asked > dcg(shown)
    page.evaluate(f"localStorage.setItem('ndcg-guesses', JSON.stringify({{ 'book/order': {MINE[::-1]} }}))")
    page.goto(book + "chapters/ndcg.html")
    element = page.locator("ndcg-ranking").first
    element.locator("[data-key=go]").press("Enter")
    after = [2, *(g for g in MINE[::-1] if g != 2)]  # Vinegar at rank 1
    told = f"It is {dcg(after) / dcg(best):.3f}."
    assert told in element.locator(".frame").inner_text()
    element.locator(".cards .grab").first.press("End")
    page.reload()  # the bet is about the list at which it was made
    assert grades(element) == MINE[::-1] and told in element.locator(".frame").inner_text()


def test_a_goal_is_reached_in_one_move_and_can_be_failed(page: Any, book: str) -> None:
    page.goto(book + "chapters/discounting.html")
    element = page.locator("ndcg-ranking[goal][moves='1']")
    element.locator(".cards .grab").nth(1).press("ArrowUp")
    element.locator(".cards .grab").nth(1).press("End")  # the best order, with one move too many
    assert "start again" in element.locator(".told").inner_text() and "✓" not in element.locator(".frame").inner_text()
    element.get_by_role("button", name="Start again").click()
    element.locator(".cards .grab").first.press("End")
    assert element.locator(".told").inner_text().startswith("✓")


def test_a_cut_is_pulled_and_kept_for_the_next_visit(page: Any, book: str) -> None:
    page.goto(book + "chapters/cumulative-gain.html")
    element = page.locator("ndcg-ranking[cut]")
    formula = element.locator(".formula .line")
    assert "".join(formula.inner_text().split()) == "CG@3=0+3+2=5"
    element.get_by_role("slider", name="Cut-off k").press("ArrowRight")
    assert "".join(formula.inner_text().split()) == "CG@4=0+3+2+1=6"
    page.reload()
    assert "".join(formula.inner_text().split()) == "CG@4=0+3+2+1=6"


def test_shuffles_heap_up(page: Any, book: str) -> None:
    page.goto(book + "chapters/ndcg-bounds.html")
    element = page.locator("ndcg-ranking[play=shuffle]")
    element.get_by_role("button", name="A hundred times").click()
    element.get_by_role("button", name="Shuffle", exact=True).press("Enter")
    assert "101 shuffles" in element.locator(".frame").inner_text()
    assert element.locator(".heap circle").count() == 101


def test_ten_results_are_graded_and_a_single_grade_turns_the_engines_round(watched: Any, book: str) -> None:
    """The oracle is the printed formula and, for kappa, the table of counts with squared weights."""
    page = watched.page
    page.goto(book + "chapters/the-verdict.html")
    box = page.locator("ndcg-grading")
    rows = [
        row.split("\t")
        for row in box.locator("tbody tr").evaluate_all(
            "rows => rows.map(r => [...r.cells].map(c => c.textContent.trim()).join('\\t'))"
        )
    ]
    mine = dict(zip([row[0] for row in rows], [0, 3, 1, 0, 2, 0, 1, 2, 0, 1], strict=True))

    def leads() -> dict[str, float]:
        best = sorted(mine.values(), reverse=True)[:5]
        dcg = lambda grades: sum(g / math.log2(i + 2) for i, g in enumerate(grades))  # noqa: E731
        lists = {
            name: [mine[row[0]] for row in sorted((r for r in rows if r[at] != "–"), key=lambda r: int(r[at]))]
            for name, at in (("A", 2), ("B", 3))
        }
        return {name: dcg(grades) / dcg(best) for name, grades in lists.items()}

    def told() -> tuple[str, dict[str, float]]:
        found = {line.split()[1]: float(line.split()[-1]) for line in box.locator(".ten-race p").all_inner_texts()}
        return max(found, key=found.__getitem__), found

    for title, grade in mine.items():
        box.get_by_role("group", name=f"Your grade for {title}", exact=True).get_by_role(
            "button", name=str(grade)
        ).click()
    winner, found = told()
    assert found == {name: pytest.approx(value, abs=6e-4) for name, value in leads().items()}
    seen = np.zeros((4, 4))
    for row in rows:
        seen[mine[row[0]], int(row[4])] += 1
    apart = np.subtract.outer(range(4), range(4)) ** 2
    kappa = 1 - (apart * seen).sum() / (apart * np.outer(seen.sum(1), seen.sum(0)) / 10).sum()
    assert f"Your kappa is {kappa:.2f} with the first judge".replace("-", "−") in box.inner_text()
    title, grade = re.search(r"Give “(.+)” a (\d) instead of", box.inner_text()).groups()
    box.get_by_role("group", name=f"Your grade for {title}", exact=True).get_by_role("button", name=grade).click()
    mine[title] = int(grade)
    assert told()[0] != winner and told()[1] == {
        name: pytest.approx(value, abs=6e-4) for name, value in leads().items()
    }
    assert watched.wrong == []


def test_the_sheet_to_print_has_the_rules_that_were_fixed(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/the-verdict.html")
    page.locator("ndcg-sheet select").first.select_option("4")
    sheet = page.locator(".printed-sheet")
    expect(sheet).to_contain_text("k = 4")
    assert "{" not in sheet.inner_text()


def test_a_range_may_begin_below_zero(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/the-verdict.html")
    slider = page.locator("ndcg-guess input")
    assert [slider.get_attribute(name) for name in ("min", "max", "step")] == ["-0.2", "0.2", "0.01"]


def test_what_was_filled_in_on_page_6_is_ticked_where_the_core_ends(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/five-notes.html")
    give = page.locator("ndcg-by-hand[of=six]").get_by_role("button", name="Show me the next one")
    while give.is_visible():
        give.click()
    page.goto(book + "chapters/ndcg-bounds.html")
    assert page.locator("ndcg-ticked li.found").all_text_contents() == ["list 3, six documents, done"]
    assert page.locator("ndcg-ticked li").count() == 7
    assert watched.wrong == []
