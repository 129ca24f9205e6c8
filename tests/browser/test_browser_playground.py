"""The playground by mouse, by buttons and by keyboard; its link, its copies, and what it says aloud."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import ndcg_lib as nd

PAGE = "playground.html"
GRADES, MISSED = [3, 2, 3, 0, 1, 2], [3, 2]
NAMES = ["d1", "d2", "d3", "d4", "d5", "d6"]
ROOT = "document.querySelector('ndcg-playground').shadowRoot"
AXE = """async () => (await axe.run(document.querySelector("ndcg-playground"), {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
})).violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 120)}`))"""


class Playground:
    """What a reader sees and does."""

    def __init__(self, watched: Any) -> None:
        self.page, self.wrong = watched.page, watched.wrong
        self.element = self.page.locator("ndcg-playground")

    def names(self, kind: str = "returned") -> list[str]:
        return self.element.locator(f".{kind} .row .name").all_inner_texts()

    @property
    def ndcg(self) -> str:
        return self.element.locator(".numbers .main dd").inner_text()

    def says(self, words: str) -> None:
        """Wait until it says these words, which it does a moment after what was done."""
        expect(self.element.locator("[role=status]")).to_contain_text(words, timeout=300_000)

    @property
    def focused(self) -> str:
        return self.page.evaluate(
            "document.querySelector('ndcg-playground').shadowRoot.activeElement?.dataset.key ?? ''"
        )

    def button(self, name: str) -> Any:
        return self.element.get_by_role("button", name=name, exact=True)

    def handle(self, name: str) -> Any:
        return self.element.locator(f"[data-drag={name}]")

    def drag(self, name: str, x: float, y: float, end: bool = True) -> None:
        box = self.handle(name).bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move(x, y, steps=8)
        if end:
            self.page.mouse.up()

    def choose(self, group: str, option: str) -> None:
        self.element.get_by_role("group", name=group).get_by_role("radio", name=option, exact=True).check(force=True)


def value(grades: list[float], k: int | None = 6, judged: list[float] | None = None, **choices: Any) -> str:
    return f"{nd.ndcg(grades, k, judged=judged or GRADES + MISSED, **choices):.3f}"


@pytest.fixture
def play(watched: Any, book: str) -> Playground:
    watched.page.emulate_media(reduced_motion="reduce")
    watched.page.goto(book + PAGE)
    return Playground(watched)


def test_it_begins_with_the_list_of_the_page(play: Playground) -> None:
    assert (play.names(), play.names("missed")) == (NAMES, ["d7", "d8"])
    assert play.ndcg == value(GRADES)
    assert play.wrong == []


def test_a_document_is_dragged_up_and_ndcg_follows(play: Playground) -> None:
    target = play.element.locator(".returned .row").nth(1).bounding_box()
    play.drag("d3", target["x"] + 40, target["y"] + 5)
    assert play.names() == ["d1", "d3", "d2", "d4", "d5", "d6"]
    assert play.ndcg == value([3, 3, 2, 0, 1, 2])
    play.says(f"No smell is now at rank 2 of 6. NDCG at 6 is {play.ndcg}, up by 0.015.")


def test_a_missed_document_is_dragged_into_the_list_and_back(play: Playground) -> None:
    play.page.set_viewport_size({"width": 1280, "height": 1400})  # near an edge the page scrolls below the pointer
    target = play.element.locator(".returned .row").nth(3).bounding_box()
    play.drag("d7", target["x"] + 60, target["y"] + 5)
    assert (play.names(), play.names("missed")) == (["d1", "d2", "d3", "d7", "d4", "d5", "d6"], ["d8"])
    assert play.ndcg == value([3, 2, 3, 3, 0, 1, 2])
    target = play.element.locator(".missed .row").first.bounding_box()
    play.drag("d7", target["x"] + 60, target["y"] + 5)
    assert (play.names(), play.names("missed")) == (NAMES, ["d7", "d8"])


def test_escape_lets_go(play: Playground) -> None:
    play.handle("d3").focus()
    target = play.element.locator(".returned .row").first.bounding_box()
    play.drag("d3", target["x"] + 40, target["y"] + 5, end=False)
    play.page.keyboard.press("Escape")
    play.page.mouse.up()
    assert play.names() == NAMES
    play.says("Nothing was moved")


def test_everything_goes_by_buttons(play: Playground) -> None:
    play.button("Move d3 up").click()
    assert play.names()[:3] == ["d1", "d3", "d2"]
    assert play.focused == "up-d3", "the focus goes with the document"
    play.button("Take d3 out of the returned list").click()
    play.button("Return d7, at the last rank that counts").click()
    assert (play.names(), play.names("missed")) == (["d1", "d2", "d4", "d5", "d6", "d7"], ["d8", "d3"])
    assert play.ndcg == value([3, 2, 0, 1, 2, 3])
    play.button("Remove d8").click()
    play.button("Add a document").click()
    assert play.names("missed") == ["d3", "d8"] and play.focused == "grade-d8"
    assert play.ndcg == value([3, 2, 0, 1, 2, 3], judged=[3, 2, 0, 1, 2, 3, 3, 0])
    play.button("Swap ranks 2 and 3 (d2, d4)").click()
    assert play.names()[1:3] == ["d4", "d2"]


def test_everything_goes_by_keyboard(play: Playground) -> None:
    play.handle("d3").focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowUp"):
        play.page.keyboard.press(key)
    assert play.names()[0] == "d3" and play.focused == "handle-d3"
    play.says("It cannot move further.")
    play.page.keyboard.press("End")
    assert play.names()[-1] == "d3"
    play.page.keyboard.press("ArrowRight")
    assert play.names("missed") == ["d7", "d8", "d3"] and play.focused == "handle-d3"
    play.says("No smell is now judged, but not returned. NDCG at 6 is")
    play.page.keyboard.press("ArrowLeft")
    assert play.names()[-1] == "d3"
    for _ in range(5):
        play.page.keyboard.press("Control+z")
    assert play.names() == NAMES
    play.page.keyboard.press("Control+Shift+z")
    assert play.names()[:2] == ["d1", "d3"]


def test_tab_reaches_every_control_and_leaves_at_the_end(play: Playground) -> None:
    play.handle("d1").focus()
    reached = set()
    for _ in range(150):
        if not play.focused and not play.page.evaluate("document.activeElement.matches('ndcg-playground')"):
            break
        reached.add(play.focused)
        play.page.keyboard.press("Tab")
    wanted = "grade-d1 more-d6 down-d2 same-d2 out-d1 back-d7 add undo preset swap-4 gain-linear discount-modern"
    wanted += " ideal-judged empty-0 k base ties"
    assert {*wanted.split(), "Copy as Python"} <= reached
    assert not play.focused


def test_a_grade_is_typed_in_place(play: Playground) -> None:
    field = play.element.get_by_label("Grade of d4", exact=True)
    field.click()
    field.press("Control+a")
    field.press_sequentially("2.5")
    assert play.ndcg == value([3, 2, 3, 2.5, 1, 2], judged=[3, 2, 3, 2.5, 1, 2, 3, 2])
    assert play.focused == "grade-d4"
    play.says("Prices now has the grade 2.5")
    field.press("Control+z")
    assert play.ndcg == value(GRADES), "a number typed key by key is undone at once"
    field.fill("-3")
    play.says("A grade is a number from 0 to 100")
    field.blur()
    assert (field.input_value(), play.ndcg) == ("0", value(GRADES))


@pytest.mark.parametrize(
    ("group", "option", "choices"),
    [
        ("Gain: what a grade is worth", "2^grade − 1", {"gain": "exponential"}),
        ("Gain: what a grade is worth", "1 if above 0", {"gain": "binary"}),
        ("Discount: what a rank is worth", "1 / max(1, log i)", {"discount": "original"}),
        ("Discount: what a rank is worth", "1 / i", {"discount": "reciprocal"}),
        ("Discount: what a rank is worth", "none", {"discount": "none"}),
        ("Ideal list: whose documents it holds", "the returned list", {"ideal": "returned"}),
    ],
)
def test_a_switch_changes_number_and_formula(
    play: Playground, group: str, option: str, choices: dict[str, Any]
) -> None:
    before = play.element.locator(".formula").inner_html()
    play.choose(group, option)
    assert play.ndcg == value(GRADES, **choices)
    assert play.element.locator(".formula").inner_html() != before
    play.says(option)


def test_cut_off_base_table_of_gains_and_an_empty_query(play: Playground) -> None:
    play.element.get_by_label("Cut-off k").select_option("3")
    assert play.ndcg == value(GRADES, 3)
    play.choose("Discount: what a rank is worth", "1 / max(1, log i)")
    play.element.get_by_label("Base of the logarithm").select_option(label="10")
    play.element.get_by_label("Cut-off k").select_option("")
    assert play.ndcg == value(GRADES, None, discount="original", base=10)
    play.choose("Gain: what a grade is worth", "a table")
    play.element.get_by_label("grade 3", exact=True).fill("10")
    assert play.ndcg == value(GRADES, None, discount="original", base=10, gain={0: 0, 1: 1, 2: 2, 3: 10})
    for name in ("d1", "d2", "d3", "d5", "d6", "d7", "d8"):
        play.element.get_by_label(f"Grade of {name}", exact=True).fill("0")
    shown = {"0": "0.000", "1": "1.000", "leave out": "left out", "an error": "an error"}
    for option, words in shown.items():
        play.choose("Nothing relevant: what a query without any gain counts", option)
        assert play.ndcg == words


def test_equal_scores_count_as_chosen(play: Playground) -> None:
    play.button("Tie d2 with d1, above it").click()
    scores = [6, 6, 5, 4, 3, 2]
    options = {"mean over all orders": "average", "worst first": "worst", "by name, descending": "id-descending"}
    for words, ties in options.items():
        play.element.get_by_label("Equal scores (=) count").select_option(label=words)
        told = nd.ndcg_scores(GRADES, scores, 6, judged=GRADES + MISSED, ties=ties, ids=NAMES)
        assert play.ndcg == f"{told:.3f}"


def test_the_libraries_print_what_their_presets_give(play: Playground) -> None:
    rows = play.element.locator(".libraries tbody tr")
    printed = {
        name: re.sub(r"\s.*", "", row.locator("th").inner_text())
        for row in rows.all()
        for name in row.locator("b").all_inner_texts()
    }
    assert list(sorted(printed)) == sorted(nd.CONVENTIONS)
    scores = [6, 5, 4, 3, 2, 1]
    for name, preset in nd.CONVENTIONS.items():
        told = nd.ndcg_scores(GRADES, scores, judged=GRADES + MISSED, ids=NAMES, convention=preset.but(k=6))
        assert printed[name] == f"{told:.3f}", name


def test_tables_bars_swaps_and_the_random_order(play: Playground) -> None:
    work = nd.working(GRADES, judged=GRADES + MISSED)
    shown = [row.locator("td").nth(3).inner_text() for row in play.element.locator(".each-k tbody tr").all()]
    assert shown == [f"{x:.3f}" for x in work.curve.ndcg]
    shown = [bar.inner_text() for bar in play.element.locator(".bar.contribution .number").all()]
    assert shown[:6] == [f"{x:.3f}" for x in work.curve.contribution[:6]]
    wide = [bar.bounding_box()["width"] for bar in play.element.locator(".returned .bar.gain .fill").all()]
    assert wide[0] == pytest.approx(1.5 * wide[1], rel=0.02) and wide[3] == 0
    assert play.element.locator(".swaps .change").nth(1).inner_text() == "+0.015"
    play.element.get_by_label("Ranks apart").select_option("4")
    swapped = [GRADES[4], *GRADES[1:4], GRADES[0], GRADES[5]]
    gained = nd.ndcg(swapped, 6, judged=GRADES + MISSED) - nd.ndcg(GRADES, 6, judged=GRADES + MISSED)
    assert play.element.locator(".swaps .change").first.inner_text() == f"{gained:+.3f}".replace("-", "−")
    play.button("Swap ranks 1 and 5 (d1, d5)").click()
    assert play.names()[:5] == ["d5", "d2", "d3", "d4", "d1"]
    assert play.element.get_by_label("Ranks apart").input_value() == "4"
    play.button("Undo").click()
    random = nd.ndcg_scores(GRADES, [0] * 6, 6, judged=GRADES + MISSED)
    assert play.element.locator(".of-random dd").inner_text() == f"{random:.3f}"


def test_the_address_keeps_the_list_and_a_link_opens_it(play: Playground, book: str) -> None:
    play.button("Move d3 up").click()
    play.choose("Gain: what a grade is worth", "2^grade − 1")
    before = (play.names(), play.ndcg)
    play.button("Copy link").click()
    link = play.element.get_by_label("What was copied").input_value()
    assert play.page.url == link
    play.page.reload()
    assert (play.names(), play.ndcg) == before
    play.page.goto("about:blank")
    play.page.goto(link)
    assert (play.names(), play.ndcg) == before
    play.page.evaluate("location.hash = '#ndcg:r=1-1,2-3'")
    play.page.wait_for_function(
        "document.querySelector('ndcg-playground').shadowRoot.querySelectorAll('.row').length == 2"
    )
    assert play.ndcg == value([1, 3], None, [1, 3])
    assert play.wrong == []


def test_a_damaged_link_says_so_and_shows_the_beginning(play: Playground, book: str) -> None:
    play.page.goto("about:blank")
    play.page.goto(f"{book}{PAGE}#ndcg:r=1-3;g=mauve")
    assert "The link could not be read: gain cannot be mauve." in play.element.locator(".complaint").inner_text()
    assert play.names() == NAMES


def test_copies(play: Playground) -> None:
    copied = play.element.get_by_label("What was copied")
    play.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    play.button("Copy as Python").click()
    assert play.page.evaluate("navigator.clipboard.readText()") == copied.input_value()
    assert "nd.ndcg(grades, k=6, judged=judged)  # 0.785" in copied.input_value()
    play.button("Copy as LaTeX").click()
    assert copied.input_value() == nd.working(GRADES, 6, judged=GRADES + MISSED).latex()
    play.button("Copy as Markdown").click()
    assert copied.input_value().startswith("| rank | document |")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_rows_glide_only_for_those_who_like_motion(play: Playground, motion: str) -> None:
    play.page.emulate_media(reduced_motion=motion)
    moving = play.page.evaluate("""() => {
      const root = document.querySelector("ndcg-playground").shadowRoot;
      root.querySelector('[data-key="up-d3"]').click();
      return root.getAnimations().length;
    }""")
    assert (moving > 0) == (motion == "no-preference")


@pytest.mark.parametrize("width", [1100, 1440])
def test_in_a_wide_window_list_and_result_stand_side_by_side(play: Playground, width: int) -> None:
    play.page.set_viewport_size({"width": width, "height": 900})
    lists, result, first = (play.page.locator(name).first.bounding_box() for name in (".lists", ".aside", ".bars"))
    assert lists["x"] + lists["width"] <= result["x"] and result["x"] + result["width"] <= width
    assert first["height"] < 30, "each of gain, discount and contribution stands in one line"


def test_without_javascript_the_worked_table_stands_there(browser: Any, book: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(book + PAGE)
    table = page.locator("ndcg-playground table")
    assert table.is_visible()
    assert table.locator("tbody tr").count() == 6
    assert f"NDCG@6 = 6.861 / 8.74 = {value(GRADES)}" in page.locator("ndcg-playground").inner_text()
    assert page.get_by_text("Without JavaScript, this table shows").is_visible()
    context.close()


@pytest.mark.parametrize("kind", ["", ' type="module"'])
def test_another_site_embeds_it_with_one_script(watched: Any, site: Path, server: Any, kind: str) -> None:
    """From a page of another host; as a module it also needs that the host lets others read it."""
    source = (site / "_static" / "ndcg-playground.js").read_text("utf8")
    headers = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/javascript"}
    watched.page.route("http://book.example/*", lambda route: route.fulfill(body=source, headers=headers))
    embed = f"""<!doctype html><html lang=en><title>Another site</title><h1>Another site</h1>
      <script src="http://book.example/ndcg-playground.js"{kind}></script>
      <ndcg-playground grades="1 0 2" missed="3" k="3" convention="burges" theme="dark"></ndcg-playground>
      <ndcg-playground grades="1 0"></ndcg-playground>"""
    watched.page.route("http://other.example/*", lambda route: route.fulfill(body=embed, content_type="text/html"))
    watched.page.goto("http://other.example/page")
    first, second = watched.page.locator("ndcg-playground .numbers .main dd").all()
    assert first.inner_text() == value([1, 0, 2], 3, [1, 0, 2, 3], convention="burges")
    assert second.inner_text() == "1.000"
    watched.page.locator("ndcg-playground [data-key=up-d3]").first.click()
    assert first.inner_text() == value([1, 2, 0], 3, [1, 0, 2, 3], convention="burges")
    assert watched.page.url == "http://other.example/page", "an address of another site is left alone"
    assert watched.page.locator("ndcg-playground .dark").count() == 1


def test_it_works_from_the_disk(watched: Any, site: Path) -> None:
    watched.page.goto((site / PAGE).as_uri())
    play = Playground(watched)
    play.button("Move d3 up").click()
    assert play.names()[1] == "d3"
    watched.page.reload()
    assert play.names()[1] == "d3", "the address keeps the list here too"


def test_no_barrier_in_any_state(play: Playground) -> None:
    import axe_playwright_python

    play.page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf8"))
    play.button("Tie d3 with d2, above it").click()
    play.choose("Gain: what a grade is worth", "a table")
    play.element.get_by_label("Cut-off k").select_option("2")
    play.button("Copy as Markdown").click()
    play.element.get_by_label("Grade of d4", exact=True).fill("-1")
    barriers = {}
    for width in (1280, 320):
        play.page.set_viewport_size({"width": width, "height": 800})
        for theme in ("light", "dark"):
            play.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
            assert play.element.locator(".dark").count() == (theme == "dark")
            barriers |= dict.fromkeys(play.page.evaluate(AXE), f"{theme} {width}")
        assert play.page.evaluate("document.documentElement.scrollWidth") <= width
    assert barriers == {}
