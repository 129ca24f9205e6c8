"""On a train: what was read and run once works without a network; with one, nothing old is shown."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from file_server import SUB_PATH, Files, Server, publish, put
from live_page import CHAPTER, CONNECTED, Cell, Desk

HOST = "book.example"  # on the host of this machine itself, nothing is kept


class Train:
    """A reader's browser, and a server that can be out of reach."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.handler: type[Files] = Files
        self.now = SimpleNamespace(build=1, name="", fault="", lists={}, over=threading.Event())  # what Builds serves
        self.server = self.serve(0)
        self.port = self.server.server_port
        self.book = f"http://{HOST}:{self.port}{SUB_PATH}"

    def serve(self, port: int) -> Server:
        server: Any = Server(("127.0.0.1", port), functools.partial(self.handler, directory=str(self.folder)))
        server.asked, server.now = [], self.now
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def into_the_tunnel(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def out_of_the_tunnel(self) -> None:
        self.server = self.serve(self.port)

    def read(self, name: str) -> None:
        self.page.goto(self.book + name)

    def settled(self, state: str = "whole", page: Any = None) -> None:
        """Wait until the page says that it has done with keeping."""
        (page or self.page).wait_for_function("state => document.documentElement.dataset.shelf === state", arg=state)

    def kept(self, name: str) -> None:
        """Wait until the browser has this file on its shelf."""
        there = "async (address) => !!(await caches.match(address, { ignoreSearch: true }))"
        for _ in range(600):
            if self.page.evaluate(there, self.book + name):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{name} is not kept")


@pytest.fixture
def train(live: Any, site: Path, chromium: tuple[Any, dict[str, Any]], tmp_path: Path) -> Iterator[Train]:
    pages = tmp_path / "site"
    shutil.copytree(site, pages, ignore=shutil.ignore_patterns("lite", "_downloads"))
    (pages / "lite").symlink_to(site / "lite")
    server = Train(None, pages)
    kind, how = chromium
    rules = f"--host-resolver-rules=MAP {HOST} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    trusted = f"--unsafely-treat-insecure-origin-as-secure=http://{HOST}:{server.port}"  # as if it were https
    arguments = [argument for argument in how["args"] if "host-resolver" not in argument]
    context = kind.launch_persistent_context(tmp_path / "profile", **{**how, "args": [*arguments, rules, trusted]})
    context.set_default_timeout(180_000)
    server.page = context.pages[0]
    yield server
    context.close()
    server.into_the_tunnel()


def everything_of(train: Train) -> dict[str, Any]:
    """The list of what a browser keeps."""
    listed: dict[str, Any] = json.loads((train.folder / "offline.json").read_text("utf8"))
    return listed


def test_unasked_a_browser_keeps_what_was_opened_and_the_next_pages_of_the_path(train: Train) -> None:
    train.read("index.html")
    train.settled()
    pages = "caches.keys().then((all) => caches.open(all[0])).then((shelf) => shelf.keys())"
    kept = {
        url.removeprefix(train.book) for url in train.page.evaluate(f"{pages}.then((all) => all.map((x) => x.url))")
    }
    path = ["index.html", "chapters/two-rankings.html", CHAPTER]
    assert {name for name in kept if name.endswith(".html")} == {"offline.html", *path}
    train.into_the_tunnel()
    for name in path:
        train.read(name)
        style = "getComputedStyle(document.querySelector('.bd-main')).display"
        assert train.page.evaluate(style) != "block", f"{name} without its styles"
    train.page.wait_for_function("document.documentElement.dataset.live")
    train.read("chapters/ndcg.html")
    assert "not kept" in train.page.inner_text(".keep-absent")
    train.page.wait_for_function("document.querySelectorAll('.keep-pages a').length === 4")
    train.page.click(f".keep-pages a[href$='{CHAPTER}']")
    train.page.wait_for_function("document.querySelector('article h1')")


def test_what_was_run_works_without_a_network_and_nothing_old_is_shown(train: Train) -> None:
    train.read(CHAPTER)
    train.kept("offline.json")
    Cell(train.page).run()
    train.kept("_static/pyodide/pyodide.asm.wasm.packed")
    train.kept("_static/pyodide/pyodide.mjs")

    train.into_the_tunnel()
    train.page.reload()
    cell = Cell(train.page).run()
    assert cell.well
    cell.edit("import ndcg_lib as nd\nnd.cg([1, 2, 3])").run()
    assert cell.output.strip() == "6.0"

    # A new publication is seen at once, and what it says is what the next tunnel shows.
    file = train.folder / CHAPTER
    put(file, file.read_text("utf8").replace("<h1>", "<h1>New: "))
    publish(train.folder)
    train.out_of_the_tunnel()
    train.read(CHAPTER)
    assert train.page.locator("h1").first.inner_text().startswith("New: ")
    train.settled()
    train.into_the_tunnel()
    train.read(CHAPTER)
    assert train.page.locator("h1").first.inner_text().startswith("New: ")
    train.out_of_the_tunnel()


def test_the_second_start_takes_the_unpacked_file_through_the_service_worker(train: Train) -> None:
    """Chromium keeps the compiled code of such a file, and of none that a page unpacks."""
    train.read(CHAPTER)
    train.kept("offline.json")
    Cell(train.page).run()
    train.kept("_static/pyodide/pyodide.asm.wasm")
    train.page.reload()
    assert Cell(train.page).run().well
    asked = train.page.workers[0].evaluate(
        "performance.getEntriesByType('resource').filter((e) => e.workerStart).map(({ name }) => name.split('/').pop())"
    )
    assert "pyodide.asm.wasm" in asked and "pyodide.asm.wasm.packed" not in asked
    sent = [name for name, _ in train.server.asked]
    assert "_static/pyodide/pyodide.asm.wasm" not in sent, "three times as many bytes"


def test_python_can_be_kept_ahead_of_a_journey_and_everything_can_be_removed(train: Train, tmp_path: Path) -> None:
    train.read("offline.html")
    train.settled()
    train.read("lite/notebooks/index.html?path=chapters/two-rankings.ipynb")
    train.into_the_tunnel()
    train.read("lite/notebooks/index.html?path=chapters/two-rankings.ipynb")
    assert "not kept" in train.page.inner_text(".keep-absent")
    train.out_of_the_tunnel()
    train.read("offline.html")
    train.page.click(".keep-all")
    train.page.wait_for_function("document.querySelector('.keep-status').textContent.includes('notebooks included')")
    train.into_the_tunnel()
    for name in everything_of(train)["titles"]:
        train.read(name)
        assert train.page.locator("article h1").count() == 1, name
        style = "getComputedStyle(document.querySelector('.bd-main')).display"
        assert train.page.evaluate(style) != "block", f"{name} without its styles"
    train.read("search.html?q=discount")
    train.page.wait_for_selector(".bd-search-container .found a")
    train.read(CHAPTER)
    assert Cell(train.page).run().well
    desk = Desk(train.page, f"{train.book}assignments/cumulative-gain.html")
    assert "Right: cg_at" in desk.check("cg_at", "def cg_at(grades, k=None):\n    return sum(grades[:k])")
    assert "sum(grades[:k])" in desk.save(tmp_path).read_text("utf8"), "homework is saved without a network"
    train.read("lite/notebooks/index.html?path=chapters/two-rankings.ipynb")
    train.page.locator(CONNECTED).wait_for(state="attached")
    train.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    counted = "jupyterapp.shell.currentWidget.content.widgets.map(({ model }) => model.executionCount).filter(Boolean)"
    train.page.wait_for_function(f"{counted}.length > 4")
    train.out_of_the_tunnel()
    train.read("offline.html")
    train.page.click(".keep-none")
    train.page.wait_for_function("document.querySelector('.keep-status').textContent.includes('removed')")
    train.read(CHAPTER)
    assert Cell(train.page).run().well
    train.settled("nothing")
    assert train.page.evaluate("caches.keys()") == [], "nothing is kept again until it is asked for, nor is Python"


def test_what_is_removed_while_it_is_being_kept_does_not_come_back(train: Train) -> None:
    """In the same tab and in a second one, which keeps the same book at the same time."""
    second = train.page.context.new_page()
    second.goto(train.book + CHAPTER)
    train.read("offline.html")
    train.page.wait_for_function("!document.querySelector('.keep-status').textContent.includes('needs JavaScript')")
    train.page.eval_on_selector(".keep-none", "button => button.click()")
    train.page.wait_for_function("document.querySelector('.keep-status').textContent.includes('removed')")
    for page in (train.page, second):
        train.settled("nothing", page)
    assert train.page.evaluate("caches.keys()") == []
    assert train.page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    assert "removed" in train.page.inner_text(".keep-status")


def test_what_another_tab_removes_does_not_come_back_with_what_this_one_fetches(train: Train) -> None:
    """Python fetches more while it runs; and a tab may be about to put pages on a shelf that is just being removed."""
    running = train.page.context.new_page()
    running.goto(train.book + CHAPTER)
    Cell(running).run()
    train.read("offline.html")
    train.kept("offline.json")
    late = train.page.context.new_page()
    late.add_init_script("""
      const open = CacheStorage.prototype.open, later = new Promise((go) => (window.goOn = go));
      CacheStorage.prototype.open = async function (name) {
        window.waits = true;
        await later;
        return open.call(this, name);
      };""")
    late.goto(train.book + CHAPTER)
    late.wait_for_function("window.waits")
    train.page.click(".keep-none")
    train.page.wait_for_function("document.querySelector('.keep-status').textContent.includes('removed')")
    late.evaluate("goOn()")
    assert Cell(running).edit("import matplotlib.pyplot as plt\nplt.plot([1]);").run().well
    train.settled("nothing", late)
    assert train.page.evaluate("caches.keys()") == []
    running.reload()
    assert Cell(running).run().well
    assert train.page.evaluate("caches.keys()") == []


def test_pages_are_kept_when_python_has_started(train: Train) -> None:
    train.page.add_init_script("""document.addEventListener("readystatechange", () => {
      if (document.readyState === "interactive") document.documentElement.dataset.python = "starting";
    })""")
    train.read(CHAPTER)
    train.settled("waits")
    assert "offline.html" not in [name for name, _ in train.server.asked]
    train.page.evaluate("document.documentElement.dataset.python = 'ready'")
    train.kept("offline.html")


def test_on_this_machine_nothing_is_kept(live: Any, book: str) -> None:
    live.page.goto(book + CHAPTER)
    Cell(live.page).run()
    assert live.page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    assert not [name for name in live.page.evaluate("caches.keys()") if name.startswith("ndcg-pages")]


def test_a_page_that_is_left_at_once_leaves_nothing_and_one_that_is_read_is_kept(train: Train) -> None:
    train.page.clock.install()
    train.page.clock.pause_at(time.time() + 60)
    train.read(CHAPTER)
    train.page.clock.run_for(2_900)
    assert train.page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    train.page.clock.resume()
    train.kept("offline.json")


class Builds(Files):
    """Build after build of one site; each page, script and style says of which it is. One request fails."""

    server: Any
    STAMPS: ClassVar[dict[str, str]] = {
        ".html": "{0}<!-- {1} -->",
        ".js": "(globalThis.of ??= []).push({1});\n{0}",
        ".mjs": "(globalThis.of ??= []).push({1});\n{0}",
        ".css": "{0}\n.of-{1} {{ color: red }}\n",
    }

    def of_build(self, name: str) -> bytes:
        data = Path(self.directory, name).read_bytes()
        stamp = self.STAMPS.get(Path(name).suffix)
        if stamp is None or name == "offline.js":
            return data
        text = data.decode().replace("<html ", f'<html data-of="{self.server.now.build}" ', 1)
        return stamp.format("{0}", self.server.now.build).replace("{0}", text).encode()

    def listed(self) -> bytes:
        if self.server.now.build not in self.server.now.lists:
            listed = json.loads(Path(self.directory, "offline.json").read_text("utf8"))
            for name in listed["files"]:
                listed["files"][name] = hashlib.sha256(self.of_build(name)).hexdigest()[:16]
            self.server.now.lists[self.server.now.build] = json.dumps(
                listed | {"build": f"b{self.server.now.build}"}
            ).encode()
        return bytes(self.server.now.lists[self.server.now.build])

    def do_GET(self) -> None:
        name = urlsplit(self.path).path.removeprefix(SUB_PATH) or "index.html"
        fault = self.server.now.fault if name == self.server.now.name else ""
        self.server.asked.append((name, 0))
        if not Path(self.directory, name).is_file():
            return self.send_error(404)
        data = self.listed() if name == "offline.json" else self.of_build(name)
        if fault == "slow":
            self.server.now.over.wait(7)  # longer than offline_worker.js waits for the network
        self.send_response(503 if fault == "503" else 200)
        self.send_header("Content-Type", self.guess_type(name))
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if fault == "cut" else data)
        self.close_connection = True


OF = """async () => {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const names = rules.map((rule) => rule.selectorText ?? "");
  const sheets = names.filter((name) => name.startsWith(".of-")).map((name) => Number(name.slice(4)));
  return [Number(document.documentElement.dataset.of), [...new Set([...(globalThis.of ?? []), ...sheets])]];
}"""


@pytest.mark.parametrize("first", [0, *(pytest.param(more, marks=pytest.mark.weekly) for more in (1, 2))])
def test_never_a_page_of_one_build_with_a_script_of_another(train: Train, first: int) -> None:
    """Build after build is published, each with a fault at one request: of each file in turn, in three ways."""

    def read(note: str) -> int:
        with contextlib.suppress(Exception):  # a page that breaks off may not come to its end
            train.page.goto(train.book + CHAPTER, wait_until="load")
        build, parts = train.page.evaluate(OF)
        seen.append((note, build, parts))
        assert set(parts) <= {build}, seen[-1]
        return int(build)

    seen: list[Any] = []
    train.into_the_tunnel()
    train.handler = Builds
    train.out_of_the_tunnel()
    train.page.set_default_timeout(30_000)
    read("the first")
    train.settled()
    read("whole")
    train.settled()
    names = [*dict.fromkeys(name for name, _ in train.server.asked), *everything_of(train)["files"]]
    shown = [
        name
        for name in dict.fromkeys(names)
        if name in train.page.content() or name in (CHAPTER, "offline.json", "offline.js")
    ]
    for number, name in enumerate(shown):
        train.now.build += 1
        train.now.name, train.now.fault = name, ("slow", "503", "cut")[(number + first) % 3]
        note = f"{train.now.fault} {name}"
        read(note)
        train.into_the_tunnel()
        assert read(f"{note}, then no network") < train.now.build + 1
        train.out_of_the_tunnel()
        train.now.name = ""
        assert read(f"after {note}") == train.now.build
        train.settled()
    print("\n".join(map(str, seen)))
