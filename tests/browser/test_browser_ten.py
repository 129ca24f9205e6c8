"""The story of the first page, played to its end by mouse and by keyboard; the small figures and boxes that ask."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

import ndcg_lib as nd

A, B = [3, 0, 1, 0, 2], [0, 3, 2, 1, 0]
STEPS = ["choose", "add", "leave", "walk", "divide", "play", "hand"]
SHUFFLED = sum(nd.ndcg(list(order)) for order in permutations(A)) / math.factorial(5)
AXE = """async () => (await axe.run(document.querySelector("ndcg-ten"), {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})).violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 120)}`))"""


def shown(value: float) -> str:
    return f"{value:.3f}"


class Story:
    """What a reader sees and does."""

    def __init__(self, watched: Any) -> None:
        self.page, self.wrong = watched.page, watched.wrong
        self.element = self.page.locator("ndcg-ten")
        self.cards = self.element.locator(".figure > .fig .cards .grab")

    def key(self, name: str) -> Any:
        return self.element.locator(f"[data-key={name}]")

    @property
    def text(self) -> str:
        return " ".join(self.element.locator(".body").inner_text().split())

    @property
    def focused(self) -> str:
        return self.page.evaluate("document.querySelector('ndcg-ten').shadowRoot.activeElement?.outerHTML ?? ''")

    def at(self, step: str) -> None:
        self.element.locator(f".body[data-step={step}]").wait_for()
        self.fits(begun=True)

    def fits(self, begun: bool = False) -> None:
        """Question, figure and answer of a step are seen without scrolling."""
        top, bottom, seen = self.page.evaluate("""() => {
          const { top, bottom } = document.querySelector("ndcg-ten").getBoundingClientRect();
          const header = document.querySelector(".bd-header").getBoundingClientRect().bottom;
          return [top - Math.max(0, header), bottom - Math.max(0, header), innerHeight - Math.max(0, header)];
        }""")
        assert bottom - top <= seen and (top >= 0 or not begun), (self.element.locator("h2").inner_text(), top, bottom)

    def titles(self) -> list[str]:
        return self.element.locator(".figure > .fig .cards .title").all_inner_texts()

    def drag(self, card: Any, rows: int) -> None:
        box = card.bounding_box()
        x, y = box["x"] + 30, box["y"] + box["height"] / 2
        row = card.locator("xpath=ancestor::div[contains(@class,'stage')]").bounding_box()["height"] / 5
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y + rows * row, steps=12)
        self.page.mouse.up()

    def slide_to(self, value: float) -> None:
        """By the arrow keys, one step each."""
        slider = self.element.locator(".slide input")
        slider.focus()
        now, step = float(slider.input_value()), float(slider.get_attribute("step"))
        for _ in range(round(abs(value - now) / step)):
            self.page.keyboard.press("ArrowRight" if value > now else "ArrowLeft")


@pytest.fixture
def story(watched: Any, book: str) -> Story:
    watched.page.emulate_media(reduced_motion="reduce")
    watched.page.goto(book + "index.html")
    return Story(watched)


def test_the_first_view_has_two_lists_whose_numbers_follow_a_card(story: Story) -> None:
    engines = story.element.locator(".one")
    numbers = lambda: engines.locator("h3 b").all_inner_texts()  # noqa: E731
    assert numbers() == [shown(nd.ndcg(A)), shown(nd.ndcg(B))]
    assert "normalised discounted cumulative gain" in story.text
    story.drag(engines.nth(1).locator(".grab").first, 4)
    assert numbers() == [shown(nd.ndcg(A)), shown(nd.ndcg([3, 2, 1, 0, 0]))]
    engines.nth(0).locator(".grab").last.focus()
    story.page.keyboard.press("ArrowUp")
    assert numbers()[0] == shown(nd.ndcg([3, 0, 1, 2, 0]))
    story.page.keyboard.press("Home")
    assert numbers()[0] == shown(nd.ndcg([2, 3, 0, 1, 0]))


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_both_lists_and_both_numbers_are_in_the_first_view(story: Story, size: tuple[int, int]) -> None:
    story.page.set_viewport_size({"width": size[0], "height": size[1]})
    story.page.reload()
    for engine in story.element.locator(".one").all():
        box = engine.bounding_box()
        assert box["y"] + box["height"] <= size[1] and box["x"] + box["width"] <= size[0]
    assert story.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def play_to_the_end(story: Story, press: Any, move: Any) -> None:
    """press(locator) and move(title, rows) by mouse or by keys; each step is one view, asked, answered and played."""
    element, act = story.element, press

    def press(button: Any) -> None:
        act(button)
        story.fits()

    story.page.reload()
    press(story.key("choose-B"))
    assert f"A {shown(nd.ndcg(A))} and B {shown(nd.ndcg(B))}" in story.text
    press(story.key("next"))
    story.at("add")
    story.slide_to(9)
    press(story.key("go"))
    assert "You said 9. It is 6." in story.text
    move("prices", -3)
    assert story.titles()[0].startswith("Kettles") and "= 6" in story.text, "the sum never moves"
    press(story.key("next"))
    story.at("leave")
    pulled = element.get_by_label("Readers left at rank 3, of 100")
    pulled.focus()
    story.page.keyboard.press("Home")
    press(element.get_by_role("button", name="That is my curve"))
    assert "You drew 100, 98, 0, 0, 0 (dashed)" in story.text, "nobody comes back"
    assert "100, 63, 50, 43, 39" in story.text
    press(story.key("next"))
    story.at("walk")
    story.slide_to(2.5)
    press(story.key("go"))
    assert f"You said 2.5. It is {shown(nd.dcg(A))}." in story.text
    move("vinegar", -3)
    assert f" {shown(nd.dcg([3, 2, 0, 1, 0]))}" in story.text
    press(story.key("next"))
    story.at("divide")
    move("vinegar", -3)
    move("limescale", -1)
    press(element.get_by_role("button", name="This is my best"))
    assert "Nothing collects more" in story.text and f"IDCG = {shown(nd.idcg(A))}" in story.text
    press(story.key("next"))
    story.at("play")

    move("limescale", -1)
    assert "start again" in story.text.lower() and not element.locator(".ticked").count()
    press(story.key("again"))
    move("prices", 4)
    assert f"✓ {shown(1)} in one move" in story.text
    press(story.key("task-hide"))
    press(element.get_by_role("button", name="Hide Vinegar or citric acid?"))
    assert f"{shown(nd.ndcg(A))} → {shown(nd.ndcg(A[:4]))}" in story.text
    assert shown(nd.ndcg(A[:4], judged=A)) in story.text, "the honest number beside the flattered one"
    press(story.key("task-beat"))
    story.slide_to(0.6)
    press(story.key("go"))
    assert f"You said 0.60. It is {shown(SHUFFLED)}." in story.text
    move("prices", 4)
    assert f"beats the {shown(SHUFFLED)}" in story.text
    assert element.locator(".ticked").count() == 3
    press(story.key("next"))
    story.at("hand")

    grades = [3, 2, 1, 0, 0]  # the list that was left behind
    numbers = {"DCG": nd.dcg(grades), "IDCG": nd.idcg(grades), "NDCG": nd.ndcg(grades)}
    story.key("hand-DCG").fill("6")
    assert "that is CG" in story.text
    for name, value in numbers.items():
        story.key(f"hand-{name}").fill(shown(value).replace(".", ","))
    assert story.text.count("✓ right") == 3
    story.fits()
    act(story.key("next"))  # the end is longer than a view
    element.locator(".body[data-step=end]").wait_for()
    assert (
        "That number is yours now" in story.text and f"{shown(nd.dcg(grades))} / {shown(nd.idcg(grades))}" in story.text
    )
    assert element.locator(".doors a").count() == 3 and element.locator(".share input").input_value().endswith(
        "#beat=32100"
    )
    for said, truth in [("9", "6"), ("2.5", shown(nd.dcg(A))), ("0.60", shown(SHUFFLED))]:
        assert f" {said} {truth}" in story.text
    assert element.locator(".steps .done").count() == len(STEPS) + 1
    assert story.wrong == []


def test_it_is_played_to_the_end_by_mouse(story: Story) -> None:
    story.page.set_viewport_size({"width": 1366, "height": 768})

    def move(card: str, rows: int) -> None:
        story.drag(story.element.locator(f".figure > .fig [data-id={card}] .grab"), rows)

    play_to_the_end(story, lambda button: button.click(), move)


def test_it_is_played_to_the_end_by_keyboard_on_a_phone(story: Story) -> None:
    story.page.set_viewport_size({"width": 390, "height": 844})

    def press(button: Any) -> None:
        button.focus()
        story.page.keyboard.press("Enter")

    def move(card: str, rows: int) -> None:
        story.element.locator(f".figure > .fig [data-id={card}] .grab").focus()
        many = abs(rows) > 1 and "End" if rows == 4 else None
        for _ in range(1 if many else abs(rows)):
            story.page.keyboard.press(many or ("ArrowUp" if rows < 0 else "ArrowDown"))
            assert f'data-id="{card}"' in story.focused or "grab" in story.focused, "the focus goes with the card"

    play_to_the_end(story, press, move)


def test_a_bet_and_a_step_are_there_again_after_a_reload(story: Story) -> None:
    story.key("choose-A").click()
    story.key("next").click()
    story.at("add")
    story.slide_to(12)
    story.key("go").click()
    story.page.reload()
    assert story.page.url.endswith("#add") and "You said 12. It is 6." in story.text
    story.page.go_back()
    story.at("choose")
    assert "NDCG agrees with you" in story.text, "each step has an address"
    story.page.goto(story.page.url.split("#")[0] + "#end")
    story.element.locator(".body[data-step=end]").wait_for()
    story.key("forget").click()
    story.at("choose")
    assert story.element.locator(".steps .done").count() == 0 and "agrees with you" not in story.text


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_everybody_can_use_each_step(story: Story, theme: str, size: tuple[int, int]) -> None:
    page = story.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
    page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf8"))
    bets = {"choose": "A", "add": 3, "leave": [1, 0.9, 0.8, 0.7, 0.6], "walk": 3, "divide": 4.5, "shuffle": 0.5}
    for kept in (False, True):
        if kept:
            guesses = {f"index/ten-{name}": value for name, value in bets.items()}
            page.evaluate("kept => localStorage.setItem('ndcg-guesses', JSON.stringify(kept))", guesses)
        for step in reversed(STEPS):
            page.evaluate("step => { location.hash = step }", step)
            story.at(step)
            assert page.evaluate(AXE) == [], (step, kept)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), step


def test_the_list_of_somebody_is_beaten_in_one_move(story: Story) -> None:
    page = story.page
    page.goto(page.url.split("#")[0] + "#beat=03201")
    story.element.locator(".body[data-step=friend]").wait_for()
    grabbed = story.element.locator(".figure .fig:visible [data-id=prices] .grab")
    grabbed.focus()
    page.keyboard.press("End")
    after = nd.ndcg([3, 2, 0, 1, 0])
    assert f"{shown(nd.ndcg([0, 3, 2, 0, 1]))} → {shown(after)}. You beat it." in story.text


def test_an_address_holds_any_list_its_cut_off_and_its_discount(story: Story) -> None:
    page = story.page
    page.goto(page.url.split("#")[0] + "#beat=5024@3;d=reciprocal;g=exponential")
    page.reload()
    story.element.locator(".body[data-step=friend]").wait_for()
    how = {"k": 3, "discount": "reciprocal", "gain": "exponential"}
    story.element.locator(".figure .fig:visible .grab").nth(3).focus()
    page.keyboard.press("ArrowUp")
    before, after = nd.ndcg([5, 0, 2, 4], **how), nd.ndcg([5, 0, 4, 2], **how)
    assert f"{shown(before)} → {shown(after)}. You beat it." in story.text
    for broken in ("#beat=0000", "#beat=12;d=never", "#beat=123456789"):
        page.goto(page.url.split("#")[0] + broken)
        page.reload()
        story.element.locator(".body[data-step=choose]").wait_for()


def test_an_order_goes_on_to_the_next_page_and_into_an_address(story: Story, book: str) -> None:
    page = story.page
    page.evaluate("localStorage.setItem('ndcg-guesses', JSON.stringify({ 'ndcg/figure': 0.9 }))")  # the bet is made
    page.goto(f"{book}chapters/ndcg.html")
    figure = page.locator("ndcg-ranking").first
    figure.locator(".grab").nth(2).focus()
    page.keyboard.press("Home")
    page.goto(f"{book}chapters/the-ideal-ranking.html")
    page.goto(f"{book}chapters/ndcg.html")
    figure.locator("[data-key=send]").click()
    link = figure.locator(".told a")
    link.wait_for()
    order = [int(x) for x in link.get_attribute("href").rpartition("=")[2]]
    assert order[0] == 2 and f"scores {shown(nd.ndcg(order))}" in link.inner_text()
    page.goto(link.get_attribute("href"))
    page.reload()
    story.element.locator(".body[data-step=friend]").wait_for()
    assert shown(nd.ndcg(order)) in story.text


def test_without_a_script_there_are_the_table_and_the_sum(browser: Any, book: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(book + "index.html")
    text = page.locator("ndcg-ten").inner_text()
    assert all(words in text for words in (shown(nd.dcg(A)), shown(nd.idcg(A)), shown(nd.ndcg(A)), "Vinegar"))
    context.close()
