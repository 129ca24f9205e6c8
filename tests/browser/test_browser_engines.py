"""What must work in every engine: Chromium, Firefox and WebKit read, run, stop, check and play, also offline."""

from __future__ import annotations

import functools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import engines
import pytest
from core_practice import PAGES, earlier, wrong_and_right
from file_server import SUB_PATH, Files, Server
from live_page import CHAPTER, CONNECTED
from test_browser_site import AXE, BEGIN

from ndcg_course.notebook import solutions

ENGINES = ["Chromium", *(pytest.param(name, marks=pytest.mark.sweep) for name in ("Firefox", "WebKit"))]
ASSIGNMENT = "assignments/cumulative-gain.html"
CELL = """
  await until(() => document.documentElement.dataset.live);
  const cells = [...document.querySelectorAll(".bd-article div.cell")].filter((cell) => one(".live-bar", cell));
  const cell = cells.find((cell) => one(".cell_input pre", cell).textContent.includes(wanted));
  const outputs = () => [...cell.querySelectorAll(".cell_output:not([hidden])")];
  const shown = () => outputs().map((output) => output.innerText).join(" ").trim();
  const status = () => one(".live-status", cell).textContent;
  const ended = () => until(() => /after|Stopped|did not|Run again/.test(status()) && one(".live-stop", cell).hidden);
  const write = (code) => {
    if (!one(".live-edit", cell).hidden) one(".live-edit", cell).click();
    const area = one("textarea", cell);
    area.focus();
    area.value = code;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const begin = () => { one(".live-status", cell).textContent = ""; one(".live-run", cell).click(); };
  const run = async () => {
    begin();
    await ended();
    return [status(), shown()];
  };
"""


DESK = """
  await until(() => document.documentElement.dataset.place === "yes");
  location.hash = "#task-cg-at";
  const card = one("#task-cg-at").closest("section"), area = one("textarea", card), said = one(".place-message", card);
  await until(() => !card.hidden);
  const write = async (code) => {
    area.value = code;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    said.textContent = "";
    [...card.querySelectorAll("button")].find(({ textContent }) => textContent === "Check").click();
    await until(() => said.textContent && !one("[aria-disabled]", card));
    return said.innerText;
  };
"""


class NoCache(Files):
    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # so that nothing comes out of the browser's own cache unasked
        super().end_headers()


class Reader:
    """One engine and a server of its own, on a host name on which a browser may keep the book."""

    def __init__(self, engine: Any, site: Path) -> None:
        self.engine, self.site = engine, site
        self.open_server(0)
        self.port = self.server.server_port
        self.book = f"http://book.localhost:{self.port}{SUB_PATH}"

    def open_server(self, port: int) -> None:
        self.server = Server(("127.0.0.1", port), functools.partial(NoCache, directory=str(self.site)))
        self.server.asked = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close_server(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def read(self, name: str) -> None:
        self.leave()
        self.engine.goto(self.book + name)

    def until(self, there: Callable[[], Any], otherwise: str) -> None:
        begun = time.monotonic()
        while not there():
            assert time.monotonic() - begun < engines.PATIENCE, otherwise
            time.sleep(0.1)

    def leave(self) -> None:
        """WebKit stays for ever with a service worker whose page was left while it was being registered."""
        self.engine.do("""
          const registered = async () => navigator.serviceWorker.getRegistrations();
          return location.protocol !== "http:" || until(async () => (await registered()).every(({ active }) => active));
        """)

    def cell(self, body: str, wanted: str = "") -> Any:
        """What the script gives about the first cell with this code."""
        return self.engine.do(f"const wanted = {json.dumps(wanted)}; {CELL} {body}")

    def desk(self, body: str) -> Any:
        """What the script gives about a task of an assignment."""
        return self.engine.do(f"{DESK} {body}")

    def runs(self, code: str, wanted: str = "") -> str:
        status, shown = self.cell(f"write({json.dumps(code)}); return run();", wanted)
        assert status.startswith("Done after"), (status, shown)
        return str(shown)


@pytest.fixture(scope="module", params=ENGINES)
def reader(request: pytest.FixtureRequest, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    if not (site / "_static" / "pyodide" / "pyodide.asm.wasm").exists():
        pytest.skip("the tests of the engines are left out: the book was built without the runtime")
    with engines.started(request.param, request, tmp_path_factory.mktemp("engine")) as engine:
        reader = Reader(engine, site)
        yield reader
        reader.close_server()


def test_a_chapter_is_drawn_with_its_letters_and_formulas(reader: Reader) -> None:
    reader.read("chapters/ndcg.html")
    seen = reader.engine.do("""
      await document.fonts.ready;
      const colour = (selector) => getComputedStyle(one(selector)).color;
      return [
        [...document.fonts].some((font) => font.family.includes("Book Text") && font.status === "loaded"),
        one("math mfrac").getBoundingClientRect().height > 24, one("article h1").innerText.includes("NDCG"),
        document.documentElement.scrollWidth <= innerWidth, colour("mi.ideal") !== colour("math"),
      ];
    """)
    assert seen == [True] * 5


def test_a_cell_runs_is_changed_fails_draws_and_is_stopped(reader: Reader) -> None:
    reader.read(CHAPTER)
    before = reader.cell("return shown();")
    status, shown = reader.cell("return run();")
    assert status.startswith("Done after") and shown == before
    reader.cell("one('.live-status', cell).textContent = ''; write('import ndcg_lib as nd\\nnd.cg([1, 2, 5], k=3)');")
    reader.engine.press("Shift", "Enter")
    assert reader.cell("await ended(); return shown();") == "8.0"
    status, shown = reader.cell("write('x = 1\\nx.nothing()'); return run();")
    assert "error" in status and "line 2" in shown and "AttributeError" in shown
    reader.runs("from ndcg_lib import plots\nplots.bars({'gain': [3, 1]}, title='The first')")
    assert reader.cell("return one('.live-output svg[role=img]', cell).getBoundingClientRect().width > 100;")
    reader.runs("n = 0\nwhile n < 10_000_000:\n    n += 1")  # until the loop is compiled to the last degree
    reader.cell("write('while True: pass'); begin(); await until(() => status() === 'Running.');")
    running = reader.engine.workers() if isinstance(reader.engine, engines.WebKit) else set()
    stop = "await pause(500); one('.live-stop', cell).click(); await ended(); return status();"
    assert "Stopped" in reader.cell(stop)
    assert reader.runs("6 * 7") == "42"
    if running:
        gone = "A worker that was stopped goes on: the endless loop keeps a processor busy while the page is open."
        reader.until(lambda: running - reader.engine.workers(), gone)


@pytest.mark.sweep
def test_a_function_in_the_box_is_named_and_one_without_end_is_left(reader: Reader) -> None:
    reader.read("reference/whose-ndcg.html")
    assert "ideal the first k returned" in reader.cell("return (await run())[1];")
    assert "DCG with gain g; discount none" in reader.runs("def my_ndcg(g, k):\n    return sum(g[:k])")
    endless = reader.runs("def ndcg(grades):\n    while True:\n        pass")
    assert "I cannot call it: it had not finished after a second" in endless


@pytest.mark.sweep
def test_a_page_after_the_first_has_python_at_hand_stop_leaves_it_alive_and_no_network_is_needed(
    reader: Reader,
) -> None:
    reader.read(CHAPTER)
    assert reader.cell("return run();")[0].startswith("Done after")
    reader.engine.do("""
      const { bytes } = JSON.parse(one("#live-page").textContent).python;
      const places = [...Object.keys(bytes).map((name) => `../_static/pyodide/${name}`), "../offline.json"];
      const kept = (place) => caches.match(new URL(place, location.href), { ignoreSearch: true });
      return until(async () => (await Promise.all(places.map(kept))).every(Boolean));
    """)
    reader.read("chapters/discounting.html")
    reader.cell("await until(() => document.documentElement.dataset.python === 'ready');")  # nobody pressed anything
    told = reader.cell("""
      const told = [];
      new MutationObserver(() => told.push(status())).observe(one(".live-status", cell), { childList: true });
      write("x = 6");
      await run();
      write("while True: pass");
      begin();
      await until(() => status() === "Running.");
      one(".live-stop", cell).click();
      await ended();
      told.push(status());
      write("'x' in globals()");
      return [...told, (await run())[1]];
    """)
    assert "Starting Python." not in told
    assert any(words.startswith("Stopped") for words in told)
    if not isinstance(reader.engine, engines.WebKit):  # it does not know the way, and Python starts anew
        assert told[-1] == "True", told
    reader.read(CHAPTER)  # of the path, whose next pages are kept
    reader.engine.do("return until(() => document.documentElement.dataset.shelf === 'whole');")
    reader.close_server()
    try:
        for name in ("chapters/discounting.html", "chapters/the-ideal-ranking.html", CHAPTER):  # the next of the path
            reader.read(name)
            assert reader.engine.do("return document.querySelectorAll('article h1').length;") == 1, name
        assert reader.runs("import ndcg_lib as nd\nnd.cg([1, 2, 3])") == "6.0"
    finally:
        reader.open_server(reader.port)


def test_an_assignment_is_checked_and_kept(reader: Reader) -> None:
    reader.read(ASSIGNMENT)
    assert "Not yet: cg_at" in reader.desk("return write('def cg_at(grades, k=None):\\n    return sum(grades)');")
    assert "Right: cg_at" in reader.desk("return write('def cg_at(grades, k=None):\\n    return sum(grades[:k])');")
    reader.read(ASSIGNMENT)
    assert "grades[:k]" in reader.desk("return area.value;")


LOSSES = Path(__file__).with_name("losses_here.js")


@pytest.mark.sweep
def test_no_letter_is_lost_in_the_storage_of_this_engine(reader: Reader) -> None:
    reader.read(ASSIGNMENT)
    table = reader.engine.do(LOSSES.read_text("utf8"))
    assert {case: lost for case, (_, lost) in table.items() if lost} == {}
    assert table["full 1"][0] and table["refused 2"][0] and not table["fine 2"][0], "the faults reached the store"


def test_the_playground_is_played_by_keyboard(reader: Reader) -> None:
    reader.read("playground.html")
    value = "one('ndcg-playground').shadowRoot.querySelector('.now-value').textContent"
    handles = "one('ndcg-playground').shadowRoot?.querySelectorAll('.returned .handle')"
    before = reader.engine.do(f"(await until(() => {handles}?.[3])).focus(); return {value};")
    reader.engine.press("ArrowUp")
    assert reader.engine.do(f"return {value};") != before


def test_dark_is_dark(reader: Reader) -> None:
    reader.read("index.html")
    reader.engine.do("localStorage.setItem('mode', 'dark');")
    reader.read(CHAPTER)
    dark = "until(() => getComputedStyle(document.body).backgroundColor.includes('22, 24, 27'))"
    assert reader.engine.do(f"return {dark};")
    reader.engine.do("localStorage.setItem('mode', 'light');")


@pytest.mark.sweep
def test_a_cell_runs_in_the_notebook(reader: Reader) -> None:
    reader.read(ASSIGNMENT)
    link = "[...document.links].find((link) => link.textContent.includes('open it as a notebook'))"
    reader.engine.goto(reader.engine.do(f"return {link}.href;"))
    assert reader.engine.do(f"""
      await until(() => one("{CONNECTED}"));
      const {{ content }} = jupyterapp.shell.currentWidget;
      const open = ({{ model }}) => model.type === "code" && !model.sharedModel.source.startsWith("#"); // not folded
      const at = content.widgets.findIndex(open);
      content.activeCellIndex = at;
      await until(() => content.activeCell === content.widgets[at] && content.activeCell.isAttached);
      jupyterapp.commands.execute("notebook:run-cell");
      return until(() => content.activeCell.model.executionCount);
    """)


WALK = """
  await until(() => document.documentElement.dataset.place === "yes");
  const anchor = `task-${task.replaceAll("_", "-")}`;
  location.hash = `#${anchor}`;
  const card = one(`#${anchor}`).closest("section");
  await until(() => !card.hidden && one(".place-sheet", card));
  const put = (field, text) => { field.value = text; field.dispatchEvent(new Event("input", { bubbles: true })); };
  const lay = (group, grades) => {
    const cards = () => group.querySelectorAll("li");
    while (cards().length < grades.length) one(":scope > button", group).click();
    while (cards().length > grades.length) cards()[0].lastChild.click();
    grades.forEach((grade, i) => put(one("input", cards()[i]), grade));
  };
  const lists = () => [...card.querySelectorAll(".place-sheet [role=group]")];
  if (typeof answer === "string") put(one(".place-sheet :is(textarea, .place-number)", card), answer);
  else for (const [name, grades] of Object.entries(answer))
    lay(lists().find((group) => group.getAttribute("aria-label").startsWith(name)), grades);
"""
CHECKED = """
  const said = one(".place-message", card);
  said.textContent = "";
  [...card.querySelectorAll("button")].find(({ textContent }) => textContent === "Check").click();
  await until(() => one(".ndcg-check, pre", said) && !one("[aria-disabled]", card));
  scrollTo({ top: 0, behavior: "instant" }); // what lies half below the bar is too small for axe
  await pause(60); // those who watch the sizes of things have been told
  (BEGIN)([]);
  return [said.checkVisibility(), said.innerText.trim(), await window.barriers];
"""


@pytest.mark.weekly
@pytest.mark.parametrize("assignment", [one for one, names in PAGES.items() if names])
def test_a_student_who_errs_walks_the_core_practice(reader: Reader, assignment: str) -> None:
    """Each task wrong, then right; what is said is seen, and bars nobody."""
    reader.read(f"assignments/{assignment.split('-', 1)[1]}.html")
    reader.engine.do(f"localStorage.clear(); {AXE}")
    write = "const [task, answer] = {}; {}"
    for task in PAGES[assignment]:
        answers = wrong_and_right(task, assignment)
        for other in earlier(task, assignment, answers):
            reader.engine.do(write.format(json.dumps([other, solutions()[other]]), WALK))
        for answer, wanted in zip(answers, ("Not yet: ", "Right: |Collected: "), strict=True):
            written = write.format(json.dumps([task, answer]), WALK)
            seen, told, barriers = reader.engine.do(written + CHECKED.replace("BEGIN", BEGIN))
            assert seen and re.match(f"({wanted}){task}", told), told
            assert barriers == [], task
