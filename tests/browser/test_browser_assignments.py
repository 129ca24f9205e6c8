"""Assignments done in the page: the same words as in a notebook, and the file that is handed in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from live_page import Cell, Desk, points
from test_browser_site import AXE, BEGIN, CUT_OFF, SETTLED

import kit
from ndcg_course import check
from ndcg_course.notebook import solutions

WRONG = "def cg_at(grades, k=None):\n    return sum(grades)"
RIGHT = "def cg_at(grades, k=None):\n    return sum(grades[:k])"


@pytest.fixture
def desk(live: Any, book: str) -> Desk:
    return Desk(live.page, book + "assignments/cumulative-gain.html")


def words(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def test_wrong_and_right_answers_get_the_words_of_a_notebook(desk: Desk, live: Any, book: str) -> None:
    assert "Not attempted" in desk.check("cg_at")
    told = desk.check("cg_at", WRONG)
    names: dict[str, Any] = {}
    exec(WRONG, names)
    said = check("cg_at", names["cg_at"]).text()
    assert said.startswith("Not yet: cg_at")
    for line in said.splitlines()[:5]:
        assert words(line) in words(told)
    card = desk.open("cg_at")
    assert str(card.locator(".place-message a").first.get_attribute("href")).startswith(book + "chapters/")
    assert "Line 2" in desk.check("cg_at", "def cg_at(grades, k=None):\n    return 1 /")
    assert "Right: cg_at, 2 of 2 points." in desk.check("cg_at", RIGHT + "  # mine")
    assert "2 of 2 points" in card.locator(".place-points").inner_text()
    assert "2 tries" in card.locator(".place-tries").inner_text(), "what does not run is no try"
    assert "2 of 14" in words(desk.page.locator(".place-sum").inner_text())
    assert live.wrong == []


def test_hints_cards_plots_and_a_sum_term_by_term(desk: Desk) -> None:
    card = desk.open("cg_by_hand")
    assert card.locator(".ndcg-own img").count() == 7, "lights for each page"
    card.locator(".place-term").nth(0).fill("3")
    card.locator(".place-term").nth(1).fill("4")
    assert "Not yet" in desk.check("cg_by_hand", "12") and card.locator(".place-mark", has_text="look").count() == 0
    assert "Not yet" in desk.check("cg_by_hand", "11")
    assert [mark.strip() for mark in card.locator(".place-mark").all_inner_texts()][:3] == [
        "✓ right",
        "✗ look here",
        "",
    ]
    before = card.locator(".place-yours").inner_text()
    desk.check("cg_by_hand", "10")
    card.get_by_role("button", name="New numbers").click()
    card.get_by_text("your new numbers").wait_for()
    assert card.locator(".place-yours").inner_text() != before, "after three wrong tries"
    card.get_by_role("button", name="Hint 1 of 3").click()
    desk.page.reload()
    desk = Desk(desk.page)
    card = desk.open("cg_by_hand")
    assert (
        "Hint 1." in card.locator(".place-tips").inner_text()
        and card.locator(".place-term").nth(1).input_value() == "4"
    )
    assert card.get_by_role("button", name="Hint 2 of 3").is_visible()
    assert desk.open("useless_rank").locator(".place-yours svg[role=img]").count() == 1


def test_a_list_is_built_of_cards_by_keyboard(desk: Desk) -> None:
    card = desk.open("blind_pair")
    better, worse = card.get_by_role("group", name="better"), card.get_by_role("group", name="worse")
    for group in (better, worse):
        group.get_by_role("button", name="One page more").press("Enter")
        group.get_by_role("button", name="One page more").press("Enter")
        group.get_by_label("Grade at rank 1").fill("3")
    worse.locator(".place-card").first.press("ArrowDown")
    assert desk.page.evaluate("document.activeElement.getAttribute('aria-label')").endswith("move it.")
    assert worse.locator("input").nth(1).input_value() == "3"
    assert "blind_pair" in desk.check("blind_pair")
    worse.locator(".place-card").nth(1).drag_to(worse.locator(".place-card").first)
    assert worse.locator("input").first.input_value() == "3", "dragged"


def test_answers_are_saved_as_the_notebook_that_the_grader_takes(desk: Desk, live: Any, tmp_path: Path) -> None:
    desk.check("cg_at", RIGHT)
    desk.write("cg_by_hand", "13")
    desk.write("useless_rank", "99")
    desk.write("what_cg_misses", "It does not see the order.")
    live.page.context.set_offline(True)
    file = desk.save(tmp_path)
    live.page.context.set_offline(False)
    assert file.name == "02-cumulative-gain.ipynb"
    saved = nbformat.read(file, as_version=4)
    nbformat.validate(saved)
    given = nbformat.read(kit.ROOT / "exercises" / file.name, as_version=4)
    assert [cell.id for cell in saved.cells] == [cell.id for cell in given.cells]
    assert [cell.metadata for cell in saved.cells] == [cell.metadata for cell in given.cells]
    assert [entry["task"] for entry in saved.metadata.ndcg.tries] == ["cg_at"], "the tries go along"
    changed = {
        now.id: now.source for now, was in zip(saved.cells, given.cells, strict=True) if now.source != was.source
    }
    answers = {
        "cg-at": RIGHT,
        "cg-by-hand": "cg_by_hand = 13",
        "useless-rank": "useless_rank = 99",
        "what-cg-misses": 'what_cg_misses = r"""\nIt does not see the order.\n"""',
    }
    assert changed == {f"answer-{task}": code for task, code in answers.items()}
    marks = points(file, tmp_path)
    assert (marks["cg_at"], marks["cg_by_hand"], marks["useless_rank"], marks["cg_curve"]) == (2, 2, 0, 0)


def test_a_saved_notebook_is_read_back_on_another_machine(desk: Desk, tmp_path: Path) -> None:
    desk.check("cg_at", RIGHT)
    file = desk.save(tmp_path)
    desk.page.evaluate("Storage.prototype.setItem = () => {}; localStorage.clear()")
    desk.page.reload()
    desk = Desk(desk.page)
    assert "your code here" in desk.text("cg_at")
    assert desk.give(kit.ROOT / "README.md") == "This file is not a notebook."
    other = kit.ROOT / "exercises" / "03-discounting.ipynb"
    assert desk.give(other) == "This is the notebook of another assignment."
    assert desk.give(file).startswith("1 answer came from 02-cumulative-gain.ipynb.")
    assert desk.text("cg_at") == RIGHT
    assert "1 try" in desk.open("cg_at").locator(".place-tries").inner_text()
    again = nbformat.read(desk.save(tmp_path), as_version=4)
    assert [entry["task"] for entry in again.metadata.ndcg.tries] == ["cg_at"], "the tries have come along"
    desk.page.reload()
    assert Desk(desk.page).text("cg_at") == RIGHT, "and kept here from now on"


def test_an_own_id_has_own_numbers_and_they_are_remembered(desk: Desk) -> None:
    before = desk.open("cg_by_hand").locator(".place-yours").inner_text()
    desk.page.get_by_label("Your id").fill("ana")
    desk.page.get_by_label("Your id").press("Tab")
    mine = "before => document.querySelector('.place-task:not([hidden]) .place-yours').innerText !== before"
    desk.page.wait_for_function(mine, arg=before, timeout=300_000)
    desk.page.wait_for_function("Object.keys(localStorage).some((key) => key.startsWith('ndcg:own'))")
    desk.page.reload()
    desk.page.wait_for_function(mine, arg=before)
    assert "python" not in desk.page.evaluate("({ ...document.documentElement.dataset })"), "without Python"


def test_what_was_kept_by_the_number_of_a_cell_comes_along(live: Any, book: str) -> None:
    desk = Desk(live.page, book + "assignments/cumulative-gain.html")
    live.page.evaluate(
        """now => {
          localStorage.clear();
          const { tasks } = JSON.parse(document.getElementById("workplace").textContent);
          const old = { of: tasks.find(({ id }) => id === "cg_at").starter, now, other: "def cg_at(): pass" };
          localStorage.setItem("ndcg:cell:assignments/cumulative-gain:4", JSON.stringify(old));
        }""",
        RIGHT,
    )
    live.page.goto("about:blank")  # where nothing is put back
    desk = Desk(live.page, book + "assignments/cumulative-gain.html")
    assert desk.text("cg_at") == RIGHT
    assert "1 earlier version" in desk.open("cg_at").locator(".place-before").inner_text()


def test_an_answer_can_be_tried_on_the_page_of_all_assignments(live: Any, book: str) -> None:
    live.page.goto(book + "assignments.html")
    cell = Cell(live.page, "def cg_at(")
    assert "Not yet: cg_at" in cell.run(by_keyboard=True).output
    cell.edit(cell.area.input_value().replace("sum(grades)", "sum(grades[:k])")).run()
    assert "Right: cg_at" in cell.output


def test_two_tabs_of_one_assignment_lose_nothing(desk: Desk, live: Any) -> None:
    tab = live.page.context.new_page()
    there = Desk(tab, live.page.url)
    desk.write("cg_at", "one = 1")
    there.open("cg_at")
    tab.wait_for_function("document.querySelector('.place-task:not([hidden]) textarea').value === 'one = 1'")
    tab.evaluate("""() => { // a third tab writes in the same moment: what a page puts itself it does not hear
      const [key, text] = Object.entries(localStorage).find(([key]) => key.includes("cg_at")), log = JSON.parse(text);
      Object.assign(log, { tab: "third", saw: 1, rev: 2, now: { ...log.now, text: "two = 2" } });
      localStorage.setItem(`${key}3`, JSON.stringify(log));
    }""")
    there.write("cg_at", "three = 3")
    tab.reload()
    card = Desk(tab).open("cg_at")
    assert "Both are kept" in card.inner_text()
    card.get_by_role("button", name="Take that one").click()
    assert Desk(tab).text("cg_at") == "two = 2"
    tab.reload()
    card = Desk(tab).open("cg_at")
    assert "Both are kept" not in card.inner_text() and "earlier version" in card.inner_text()


def test_where_nothing_can_be_kept_it_is_said_with_the_notebook_beside_it(live: Any, book: str, tmp_path: Path) -> None:
    live.page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
    )
    desk = Desk(live.page, book + "assignments/cumulative-gain.html")
    assert "no room left" in live.page.locator(".place-aloud").inner_text()
    leaves = "() => { const event = new Event('beforeunload', { cancelable: true }); return !dispatchEvent(event) }"
    assert not live.page.evaluate(leaves)
    desk.write("cg_at", RIGHT)
    assert live.page.evaluate(leaves), "leaving is asked about"
    with live.page.expect_download() as download:
        live.page.get_by_role("button", name="Save the notebook").click()
    download.value.save_as(tmp_path / "saved.ipynb")
    assert RIGHT in {cell.source for cell in nbformat.read(tmp_path / "saved.ipynb", as_version=4).cells}


def test_a_changed_task_shows_the_earlier_answer(desk: Desk, live: Any) -> None:
    desk.write("cg_at", RIGHT)
    live.page.route(
        "**/cumulative-gain.html*",
        lambda route: route.fulfill(
            response=(answer := route.fetch()), body=re.sub(r'"of": "\w', '"of": "x', answer.text())
        ),
    )
    live.page.reload()
    card = Desk(live.page).open("cg_at")
    assert "This task has changed; your earlier answer is here" in card.inner_text()
    assert card.locator("textarea").input_value() == RIGHT
    card.get_by_role("button", name="Keep it").click()
    assert "has changed" not in card.inner_text()


def test_by_keyboard_alone_tab_leaves_every_field(desk: Desk) -> None:
    card = desk.open("cg_at")
    area = card.locator("textarea")
    area.focus()
    area.press("Control+End")
    area.press("Enter")
    assert area.input_value().endswith("return ...\n"), "after a return one step less"
    area.press("Control+]")
    assert area.input_value().endswith("\n    ")
    area.press("Tab")
    assert desk.page.evaluate("document.activeElement.textContent") == "Check"
    assert area.input_value().endswith("\n    "), "Tab has written into the answer"
    seen = []
    for _ in range(400):
        desk.page.keyboard.press("Tab")
        seen.append(desk.page.evaluate("document.activeElement === document.body"))
    assert any(seen), "the whole page is walked through"


FIELDS = ("cumulative-gain", "hand-calculation")  # between them each kind of field


@pytest.mark.parametrize("assignment", FIELDS)
def test_no_task_has_a_barrier_that_axe_sees(live: Any, book: str, assignment: str) -> None:
    """Each task and the end, written and empty, by day and by night, on a desk and on a phone."""
    page = live.page
    desk = Desk(page, f"{book}assignments/{assignment}.html")
    page.evaluate(AXE)
    found: dict[str, list[str]] = {}
    steps = page.locator(".place-steps a")
    for at in range(steps.count()):
        steps.nth(at).click()
        page.mouse.move(0, 0)
        if at == 0:
            page.locator(".place-task:not([hidden]) .place-acts button", has_text="Hint").click()
        for width, theme in ((1280, "light"), (320, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.evaluate(SETTLED)
            page.evaluate(BEGIN, [])
            for barrier in [*page.evaluate("() => window.barriers"), *page.evaluate(CUT_OFF)]:
                found.setdefault(barrier, []).append(f"step {at + 1} {theme} {width}")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"step {at + 1} is {wide} wide"
        if at == 0 and assignment == "cumulative-gain":
            desk.write("cg_at", WRONG)
            desk.page.reload()
            page.evaluate(AXE)
    assert not found, "\n".join(f"{what}: {where}" for what, where in found.items())


def test_an_erring_student_walks_by_keyboard_alone(live: Any, book: str, tmp_path: Path) -> None:
    page, keys = live.page, live.page.keyboard
    Desk(page, book + "assignments/cumulative-gain.html")

    def to(what: str) -> None:
        """Tab, until the focus is there."""
        for _ in range(60):
            if page.evaluate("what => document.activeElement.matches(what)", what):
                return
            keys.press("Tab")
        raise AssertionError(f"no Tab leads to {what}")

    def told(word: str) -> None:
        said = page.locator(".place-task:not([hidden]) .ndcg-check", has_text=word)
        said.wait_for(timeout=300_000)

    def check(word: str) -> None:
        to(".place-acts button:not([hidden])")
        keys.press("Enter")
        told(word)

    def go_on() -> None:
        to(".place-next")
        keys.press("Enter")
        page.wait_for_function("document.activeElement.matches('h2')")

    to(".place-number")
    keys.type("12")
    keys.press("Enter")
    told("Not yet: cg_by_hand")
    keys.press("Control+a")
    keys.type("13")
    keys.press("Enter")
    told("Right: cg_by_hand")
    go_on()
    to("textarea")
    keys.press("Control+a")
    keys.type("def cg_at(grades, k=None):\nreturn sum(grades)", delay=2)  # Enter indents by itself
    check("Not yet: cg_at")
    keys.press("Shift+Tab")
    assert page.evaluate("document.activeElement.matches('textarea')"), "the code is one step back"
    keys.press("Control+End")
    keys.press("Backspace")
    keys.type("[:k])")
    check("Right: cg_at")
    go_on()
    while not page.locator(".place-task:not([hidden]) .place-number").count():
        go_on()
    to(".place-number")
    keys.type("99")
    keys.press("Enter")
    told("Not yet: useless_rank")
    page.evaluate("location.hash = '#hand-in'")
    to(".place-end .place-go")
    with page.expect_download() as download:
        keys.press("Enter")
    download.value.save_as(tmp_path / "saved.ipynb")
    codes = {cell.id: cell.source for cell in nbformat.read(tmp_path / "saved.ipynb", as_version=4).cells}
    assert codes["answer-cg-at"] == RIGHT and codes["answer-cg-by-hand"] == "cg_by_hand = 13"


def test_what_is_given_above_is_there_although_nothing_was_answered(live: Any, book: str) -> None:
    desk = Desk(live.page, f"{book}assignments/ndcg.html")
    assert "Right: ndcg_of_query" in desk.check("ndcg_of_query", solutions()["ndcg_of_query"])


def test_a_number_beside_the_answer_says_where_to_begin_and_is_handed_in(live: Any, book: str, tmp_path: Path) -> None:
    desk = Desk(live.page, f"{book}assignments/hand-calculation.html")
    for task, beside in (("sheet_dcg", "Term of rank 2, grade 3"), ("sheet_ndcg", "DCG@5")):
        card = desk.write(task, "0.5")
        card.get_by_label(beside, exact=True).fill("1.25")
        assert f"{beside.split(',')[0].lower()} is not right yet: begin there" in desk.check(task).lower()
    cells = {cell.id: cell.source for cell in nbformat.read(desk.save(tmp_path), as_version=4).cells}
    assert cells["answer-sheet-dcg"].startswith("sheet_dcg = [1.25, 0.5]  # ")
    assert cells["answer-sheet-ndcg"] == "sheet_ndcg = [1.25, 0.5]"
