"""What a reader has done is kept and shown, a slider goes through a table, and wide things fit their screens."""

from __future__ import annotations

from typing import Any

from live_page import Desk

CORE = "chapters/what-a-grade-is-worth.html"
SCORE = "document.querySelector('.quiz-score').textContent"


def says(page: Any, words: str) -> None:
    """The score says these words, now or in a moment: a browser tells of a fold after it has opened it."""
    page.wait_for_function(f"(words) => ({SCORE}) === words", arg=words)


def test_the_first_answer_counts_and_looking_up_does_not(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + CORE)
    chosen = page.locator(".quiz:not(.typed, .ordered, .exhibit, .bet)").first
    typed = page.locator(".quiz.typed").first
    many = page.locator(".quiz:not(.exhibit, .bet)").count()
    chosen.locator(".quiz-answer.wrong summary").first.click()
    chosen.locator(".quiz-answer.right summary").click()
    says(page, f"0 of {many} right at the first try, {many - 1} to go.")
    typed.locator("input").fill(typed.locator(".quiz-case.right .quiz-value").text_content())
    typed.get_by_role("button", name="Check").click()
    says(page, f"1 of {many} right at the first try, {many - 2} to go.")
    other = page.locator(".quiz:is(.typed, .ordered)").nth(1)
    other.locator(".quiz-answer.key summary").click()
    says(page, f"1 of {many} right at the first try, {many - 3} to go.")
    page.reload()
    says(page, f"1 of {many} right at the first try, {many - 3} to go.")
    assert chosen.get_attribute("data-said") == "wrong" and other.get_attribute("data-said") == "seen"


def test_pages_read_and_points_are_marked_and_forgotten_by_one_button(live: Any, book: str) -> None:
    page = live.page
    desk = Desk(page, book + "assignments/cumulative-gain.html")
    assert "Right" in desk.check("cg_at", "def cg_at(grades, k=None):\n    return sum(grades[:k])")
    page.goto(book + CORE)
    mark = page.locator(".bd-links a.current .progress-mark")
    assert mark.count() == 0
    page.locator(".prev-next-area").scroll_into_view_if_needed()
    mark.first.wait_for()
    assert mark.first.get_attribute("aria-label") == "read"
    page.goto(book + "assignments.html")
    points = page.locator("[data-tasks~=cg_at]")  # of the core practice, and of the assignment
    everywhere = [point.get_attribute("data-points") for point in points.all()]
    assert points.all_inner_texts() == [f"2 of {points}" for points in everywhere] and len(everywhere) == 2
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator(".progress-forget").click()
    page.wait_for_load_state()
    page.wait_for_function("document.querySelectorAll('.progress-mark').length === 0")
    assert points.all_inner_texts() == everywhere
    assert page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('ndcg')).length") == 0


def test_a_slider_shows_one_row_of_its_table(watched: Any, book: str, browser: Any) -> None:
    page = watched.page
    page.goto(book + CORE)
    slider, rows = page.locator("ndcg-slider input"), page.locator("ndcg-slider tbody tr:visible")
    assert rows.count() == 1 and rows.first.inner_text().split()[-1] == "West"
    slider.press("End")
    assert rows.count() == 1 and rows.first.inner_text().split()[-1] == "East"
    assert "ahead East" in slider.get_attribute("aria-valuetext")
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(book + CORE)
    assert plain.locator("ndcg-slider tbody tr:visible").count() > 10, "without a script, the whole table"
    context.close()


def test_by_keyboard_the_text_comes_at_once(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + CORE)
    where = "at => document.activeElement.closest(at) !== null"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Skip to main content"
    for _ in range(11):  # the name, six rooms, search, day or night, and the text
        page.keyboard.press("Tab")
        assert not page.evaluate(where, "#pst-primary-sidebar"), "the long menu waits behind the text"
        if page.evaluate(where, ".bd-article"):
            break
    assert page.evaluate(where, ".bd-article")
    box = page.locator("#pst-primary-sidebar").bounding_box()
    assert box["x"] < page.locator("article").bounding_box()["x"], "the sidebar stands at its place all the same"


def test_tools_by_cases_have_head_and_first_column_in_sight_and_a_phone_shows_one_tool(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "reference/who-computes-what.html")
    matrix = page.locator(".matrix")
    matrix.evaluate("box => box.scrollTo(400, 300)")
    matrix.scroll_into_view_if_needed()
    edges = """box => {
      const { left, top } = box.getBoundingClientRect(), row = box.querySelectorAll("tbody tr")[20];
      const head = box.querySelector("thead th"), name = row.querySelector("th");
      return [head.getBoundingClientRect().top - top, name.getBoundingClientRect().left - left];
    }"""
    assert all(abs(off) < 3 for off in matrix.evaluate(edges))
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator(".matrix tbody tr:visible").count() == 1
    page.locator(".matrix-choose select").select_option(index=3)
    shown = page.locator(".matrix tbody tr:visible th").inner_text()
    assert shown == page.locator(".matrix-choose option").nth(3).inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_result_of_the_playground_is_in_sight_while_the_list_is(watched: Any, book: str) -> None:
    page = watched.page
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(book + "playground.html")
        page.locator("ndcg-playground .returned .row").first.scroll_into_view_if_needed()
        box = page.locator("ndcg-playground .numbers .main").bounding_box()
        assert 0 <= box["y"] <= height - box["height"]
    page.locator("ndcg-playground [data-key=examples]").select_option("All tied")
    assert page.locator("ndcg-playground .row.tied").count() == 4


def test_watch_keeps_the_minutes_of_a_reader_until_it_is_stopped(watched: Any, book: str) -> None:
    page = watched.page
    page.goto(book + "chapters/ndcg.html")
    assert page.locator(".watch").count() == 0
    page.goto(book + "index.html?watch")
    panel = page.locator(".watch")
    panel.locator("summary").click()
    page.locator("ndcg-ten .one .grab").first.focus()
    page.keyboard.press("ArrowDown")
    panel.get_by_text("moved a card: ").wait_for()
    page.goto(book + "chapters/ndcg.html")
    panel.locator("summary").click()
    rows = panel.locator("tbody tr")
    assert [row.split("\t")[0] for row in rows.all_inner_texts()][1:] == ["NDCG, a share of the ideal", "all pages"]
    assert rows.nth(1).locator("td").nth(1).inner_text() == "9"
    panel.get_by_role("button", name="Stop, and forget it").click()
    page.goto(book + "index.html")
    assert panel.count() == 0 and page.evaluate("localStorage.getItem('ndcg-watch')") is None
    assert watched.wrong == []
