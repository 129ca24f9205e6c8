"""Code cells of the book, run and changed in the page."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_page import CHAPTER, Cell
from sweeps import PARTS

import kit


@pytest.fixture
def chapter(live: Any, book: str) -> Any:
    live.page.goto(book + CHAPTER)
    return live


def test_a_cell_runs_and_an_edit_of_it_runs_and_is_kept(chapter: Any) -> None:
    cell = Cell(chapter.page)
    code, shown = cell.place.locator(".cell_input pre").inner_text().strip(), cell.output.strip()
    assert cell.run().well
    assert cell.output.strip() == shown, "as the book has it"
    cell.edit("import ndcg_lib as nd\nfilms = [1, 2, 5, 3, 5]\nnd.cg(films, k=3)").run(by_keyboard=True)
    assert cell.output.strip() == "8.0"
    chapter.page.reload()
    cell = Cell(chapter.page, "films = [1, 2, 5, 3, 5]").run()
    assert cell.output.strip() == "8.0", "the edit is there after a reload"
    cell.button("Reset").click()
    assert cell.area.input_value().strip() == code
    assert cell.output.strip() == shown, "Reset shows what the book had"
    chapter.page.reload()
    assert Cell(chapter.page).button("Edit").is_visible(), "nothing of the edit is kept after Reset"
    # A private window keeps large files on the shelf alone; worker.mjs asks the other cache first.
    assert [line for line in chapter.wrong if "ERR_CACHE_MISS" not in line] == []


def test_a_cell_in_the_middle_has_what_the_cells_above_it_define(chapter: Any) -> None:
    last = chapter.page.locator(".live-run").count() - 1
    assert Cell(chapter.page, nth=last).run().well
    # An edit above counts for the cells below it, run or not.
    first = Cell(chapter.page)
    shown = first.output
    first.edit(f"{first.place.locator('.cell_input pre').inner_text()}\nhere = 'changed'")
    assert Cell(chapter.page, nth=last).edit("here").run().output.strip() == "'changed'"
    assert first.output == shown, "the output of a cell changes when that cell is run, not before"


@pytest.fixture
def served(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The chapter, as `kit.py serve` serves it."""
    monkeypatch.setattr(kit, "SITE", site)
    server = kit.Server(("127.0.0.1", 0), kit.Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{CHAPTER}"
    server.shutdown()
    server.server_close()


AT_ONCE = """async (wait) => {
  const cell = document.querySelector(".bd-article div.cell:has(.live-bar)");
  const line = cell.querySelector(".live-status");
  const comes = (wanted) => new Promise((go) => {
    const look = new MutationObserver(() => wanted.test(line.textContent) && go(look.disconnect(), line.textContent));
    look.observe(line, { childList: true });
  });
  const running = comes(/^Running/), ended = comes(/after|Stopped|did not|Run again/);
  cell.querySelector(".live-run").click();
  await running;
  for (const from = performance.now(); performance.now() - from < wait; ) await new Promise((go) => setTimeout(go));
  cell.querySelector(".live-stop").click();
  await ended;
  return line.textContent;
}"""


def test_a_stop_right_after_the_start_keeps_what_was_computed(live: Any, served: str) -> None:
    """Python's own loop has the word then, and takes no stop that is meant for the reader's code."""
    live.page.goto(served)
    cell = Cell(live.page)
    cell.edit("x = 6").run()
    cell.edit("while True: pass")
    for wait in range(20):
        assert "still there" in live.page.evaluate(AT_ONCE, wait), f"after {wait} ms"
    assert cell.edit("x").run().output.strip() == "6"


def test_python_can_be_stopped_while_it_starts(chapter: Any) -> None:
    cell = Cell(chapter.page)
    cell.button("Run").click()
    cell.button("Stop").click()
    assert "Stopped" in cell.wait().status
    assert cell.run().well


def test_the_price_of_the_first_run_is_said_before_one_presses(chapter: Any, site: Path) -> None:
    cost = chapter.page.locator(".live-cost").first
    chapter.page.wait_for_function("document.querySelector('.live-cost').textContent")
    wasm = (site / "_static" / "pyodide" / "pyodide.asm.wasm.packed").stat().st_size / 1e6
    told = re.fullmatch(r"First run: (\d+) MB, ≈ (\d+) s at ([\d.]+) Mbit/s", cost.inner_text())
    assert told, cost.inner_text()
    size, seconds, rate = map(float, told.groups())
    assert size > wasm and seconds > (size - 0.5) * 8 / rate, "the size is rounded"
    for width in (390, 320):
        chapter.page.set_viewport_size({"width": width, "height": 844})
        assert cost.evaluate("cost => cost.scrollWidth <= cost.clientWidth"), f"cut off at {width}"
        assert cost.evaluate("cost => cost.clientHeight <= cost.parentElement.firstElementChild.offsetHeight")
    Cell(chapter.page).run()
    assert cost.inner_text() == ""
    chapter.page.evaluate("""async () => {
      const { bytes } = JSON.parse(document.querySelector("#live-page").textContent).python;
      const kept = (name) => caches.match(new URL(`../_static/pyodide/${name}`, location.href));
      while (!(await Promise.all(Object.keys(bytes).map(kept))).every(Boolean))
        await new Promise((go) => setTimeout(go, 50));
    }""")
    chapter.page.reload()
    chapter.page.wait_for_function("document.documentElement.dataset.python === 'ready'")
    assert Cell(chapter.page).run().well, "what ran on the page before has started by itself"


def test_loading_python_shows_how_many_bytes_have_come(chapter: Any, site: Path) -> None:
    cell = Cell(chapter.page)
    cell.place.locator(".live-progress").evaluate("""bar => {
      window.seen = [];
      new MutationObserver(() => window.seen.push([bar.value, bar.max])).observe(bar, { attributes: true });
    }""")
    cell.place.locator(".live-status").evaluate("""status => {
      window.said = [];
      new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true });
    }""")
    cell.run()
    seen = chapter.page.evaluate("window.seen")
    values, most = [value for value, _ in seen], seen[-1][1]
    assert values == sorted(values) and values[-1] == most
    assert len(set(values)) > 5, "it moves"
    large = ("pyodide.asm.wasm.packed", "python_stdlib.zip")
    assert most > sum((site / "_static" / "pyodide" / name).stat().st_size for name in large)
    assert f"Loading Python, {most / 1e6:.0f} MB, once." in chapter.page.evaluate("window.said")
    assert cell.place.locator(".live-progress").is_hidden()


def test_cells_work_on_a_phone(live: Any, book: str) -> None:
    live.page.set_viewport_size({"width": 360, "height": 640})
    live.page.goto(book + CHAPTER)
    cell = Cell(live.page).edit(f"import ndcg_lib as nd\nmovies = [4, 2, 5, 3, 5]\n'{'long ' * 40}'").run()
    assert cell.well and cell.output.strip().startswith("'long long")
    cell.edit("import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);").run()
    assert cell.place.locator(".live-output img").bounding_box()["width"] <= 360
    assert live.page.evaluate("document.documentElement.scrollWidth") <= 360
    for word in ("Run", "Reset"):
        box = cell.button(word).bounding_box()
        assert box["height"] >= 24 and box["x"] >= 0 and box["x"] + box["width"] <= 360


def test_typing_code(chapter: Any) -> None:
    cell = Cell(chapter.page).edit("")
    for line in ("def f(x):", "return x"):
        cell.area.press_sequentially(line)
        cell.area.press("Enter")
    assert cell.area.input_value() == "def f(x):\n    return x\n"
    cell.area.press_sequentially("if 1:")
    cell.area.press("Enter")
    cell.area.press("Backspace")
    assert cell.area.input_value().endswith("if 1:\n"), "Backspace takes a whole step of indentation"
    cell.area.press("Control+]")
    cell.area.press_sequentially("y")
    assert cell.area.input_value().endswith("\n    y"), "Control and ] indents"
    cell.area.press("Control+[")
    assert cell.area.input_value().endswith("\ny")
    cell.area.press("Control+z")
    assert cell.area.input_value().endswith("\n    y"), "undo takes an indentation back"
    colours = cell.place.locator(".cell_input pre span.k").all_inner_texts()
    assert colours == ["def", "return", "if"]
    cell.place.get_by_role("button", name="Indent more").click()
    assert cell.area.input_value().endswith("\n        y"), "the visible key indents, too"
    cell.area.press("Tab")
    assert chapter.page.evaluate("document.activeElement.tagName") == "BUTTON", "Tab leaves"


def test_python_is_fetched_once_for_all_pages(
    live: Any, chromium: tuple[Any, dict[str, Any]], book: str, server: Any, tmp_path: Path
) -> None:
    kind, how = chromium
    context = kind.launch_persistent_context(tmp_path, **how)  # a private window keeps no large files
    page = context.pages[0]
    fetched = []
    for name in (CHAPTER, "chapters/discounting.html"):
        server.asked.clear()
        page.goto(book + name)
        page.locator(".live-run:visible").first.click()
        page.wait_for_function("[...document.querySelectorAll('.live-status')].some(s => /after/.test(s.textContent))")
        fetched.append([name for name, size in server.asked if size > 200_000])
    context.close()
    assert "_static/pyodide/pyodide.asm.wasm.packed" in fetched[0]
    assert "_static/pyodide/pyodide.asm.wasm" not in fetched[0], "three times as many bytes"
    assert not [name for name in fetched[0] if "matplotlib" in name], "only what draws needs it"
    assert fetched[1] == [], "these came over the line again"


@pytest.mark.parametrize("part", PARTS)
def test_every_cell_of_every_page_runs(
    live: Any, chromium: tuple[Any, dict[str, Any]], book: str, site: Path, tmp_path: Path, part: slice
) -> None:
    """Each page from top to bottom, in the browser's Python, in which other versions stand than in the build's."""
    kind, how = chromium
    context = kind.launch_persistent_context(tmp_path, **how)  # keeps the compiled Python for the next page
    context.set_default_timeout(120_000)
    page = context.pages[0]
    run_all = """async () => {
      const wrong = [];
      for (const fold of document.querySelectorAll("details")) fold.open = true;
      for (const bar of document.querySelectorAll(".live-bar[role=group]")) {
        const status = bar.querySelector(".live-status"), stop = bar.querySelector(".live-stop");
        bar.querySelector(".live-run").click();
        while (!(/after|did not/.test(status.textContent) && stop.hidden))
          await new Promise(go => setTimeout(go, 10));
        // What a {pycell} comes to is for the reader to find out, an error included.
        if (status.textContent.startsWith("Done") || bar.closest(".pycell")) continue;
        const output = bar.closest(".cell").querySelector(".live-output");
        wrong.push([bar.ariaLabel, status.textContent, output?.innerText].join(" "));
      }
      return wrong;
    }"""
    files = [file for file in sorted(site.rglob("*.html")) if 'id="live-page"' in file.read_text("utf8")]
    wrong, counts = {}, {}
    for name in [file.relative_to(site).as_posix() for file in files][part]:
        page.goto(book + name)
        counts[name] = int(page.evaluate("document.documentElement.dataset.live ?? '0'"))
        if found := page.evaluate(run_all):
            wrong[name] = found
    context.close()
    assert wrong == {}
    assert [name for name in counts if not counts[name]] == [], "pages whose cells do not live"
    assert sum(file.parent.name == "chapters" for file in files) > 12


OLD = """([code, now]) => {
  localStorage.clear();
  const key = (n) => `ndcg:cell:${location.pathname.split("/").slice(-2).join("/").replace(".html", "")}:${n}`;
  localStorage.setItem(key(1), JSON.stringify({ of: code, now, other: "'theirs'" }));
  localStorage.setItem(key(7), JSON.stringify({ of: "gone = 1", now: "gone = 2" }));
}"""


def test_an_edit_is_known_by_its_code_and_none_is_lost(chapter: Any, book: str) -> None:
    """Kept by the number of a cell, at an address of another book, or made of code that the book no longer has."""
    page = chapter.page
    cell = Cell(page)
    page.evaluate(OLD, [cell.place.locator(".cell_input pre").inner_text().strip(), "'mine'"])
    page.reload()
    cell = Cell(page)
    assert cell.area.input_value() == "'mine'", "the number is not asked"
    left = page.locator(".live-left")
    left.locator("summary").click()
    assert left.locator("pre").all_inner_texts() == ["gone = 2"]
    cell.edit("'new'")
    page.evaluate("""() => { // the same host, another book
      for (const [key, text] of Object.entries(localStorage))
        if (key.startsWith("ndcg:work")) localStorage.setItem(key.replace("some", "other"), text.replace("new", "not"));
    }""")
    page.reload()
    assert Cell(page).area.input_value() == "'new'"
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator(".progress-forget").evaluate("button => button.click()")
    page.wait_for_function("!document.querySelector('.live-left')")
    assert Cell(page).button("Edit").is_visible(), "forgotten, although the page still knew it"


def test_two_tabs_of_one_chapter_lose_nothing(chapter: Any) -> None:
    cell, tab = Cell(chapter.page), chapter.page.context.new_page()
    tab.goto(chapter.page.url)
    there = Cell(tab)
    cell.edit("one = 1")
    there.area.wait_for()
    assert there.area.input_value() == "one = 1", "what nobody works on follows"
    tab.evaluate("""() => { // a third tab writes in the same moment: what a page puts itself it does not hear
      const [key, text] = Object.entries(localStorage).find(([, text]) => text.includes("one = 1"));
      const log = JSON.parse(text);
      Object.assign(log, { tab: "third", saw: 1, rev: 2, now: { ...log.now, text: "two = 2" } });
      localStorage.setItem(`${key}3`, JSON.stringify(log));
    }""")
    there.edit("three = 3")
    tab.reload()
    there = Cell(tab)
    there.place.get_by_role("button", name="Take the other one").click()
    assert there.area.input_value() == "two = 2"
    tab.reload()
    assert Cell(tab).place.locator(".live-asked").count() == 0
