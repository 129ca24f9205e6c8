"""On a train: what was read and run once works without a network; with one, nothing old is shown."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SUB_PATH, Files, Server
from live_page import Cell

HOST = "book.example"  # on the host of this machine itself, nothing is kept
CHAPTER = "chapters/cumulative-gain.html"
FIRST = "movies = [4, 2, 5, 3, 5]"


class Train:
    """A reader's browser, and a server that can be out of reach."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.server = self.serve(0)
        self.port = self.server.server_port
        self.book = f"http://{HOST}:{self.port}{SUB_PATH}"

    def serve(self, port: int) -> Server:
        server = Server(("127.0.0.1", port), functools.partial(Files, directory=str(self.folder)))
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def into_the_tunnel(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def out_of_the_tunnel(self) -> None:
        self.server = self.serve(self.port)

    def read(self, name: str) -> None:
        self.page.goto(self.book + name)

    def kept(self, name: str) -> None:
        """Wait until the browser has this file on its shelf."""
        self.page.wait_for_function(
            "async (address) => !!(await caches.match(address, { ignoreSearch: true }))", arg=self.book + name
        )


@pytest.fixture
def train(live: Any, site: Path, chromium: tuple[Any, dict[str, Any]], tmp_path: Path) -> Iterator[Train]:
    pages = tmp_path / "site"
    shutil.copytree(site, pages, ignore=shutil.ignore_patterns("lite", "_downloads"))
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


def test_what_was_read_and_run_works_without_a_network_and_is_never_old(train: Train) -> None:
    train.read(CHAPTER)
    train.kept(CHAPTER)
    Cell(train.page, FIRST).run()
    train.kept("_static/pyodide/pyodide.asm.wasm")
    train.kept("_static/pyodide/pyodide.mjs")

    train.into_the_tunnel()
    train.page.reload()
    cell = Cell(train.page, FIRST).run()
    assert cell.output.strip() == "11.0"
    cell.edit("import ndcg_lib as nd\nnd.cg([1, 2, 3])").run()
    assert cell.output.strip() == "6.0"
    assert train.page.locator("article").evaluate("e => getComputedStyle(e).fontSize") != "0px"
    styles = "[...document.styleSheets].filter(sheet => sheet.href).length"
    assert train.page.evaluate(styles) == train.page.locator("link[rel=stylesheet]").count(), "style sheets, too"
    train.page.goto(train.book + "chapters/ndcg.html")
    assert "not read here before" in train.page.inner_text("body")

    # A new publication is seen at once, and what it says is what the next tunnel shows.
    file = train.folder / CHAPTER
    file.write_text(file.read_text("utf8").replace("<h1>", "<h1>New: "), "utf8")
    train.out_of_the_tunnel()
    train.read(CHAPTER)
    assert train.page.locator("h1").first.inner_text().startswith("New: ")
    train.into_the_tunnel()
    train.read(CHAPTER)
    assert train.page.locator("h1").first.inner_text().startswith("New: ")
    train.out_of_the_tunnel()


def test_on_this_machine_nothing_is_kept(live: Any, book: str) -> None:
    live.page.goto(book + CHAPTER)
    Cell(live.page, FIRST).run()
    assert live.page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    assert "ndcg-pages" not in live.page.evaluate("caches.keys()")
