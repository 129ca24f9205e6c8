"""A browser and the built site behind a plain file server: under a sub-path, and with every outside host blocked.

Without Chromium, Chrome or Edge these tests are skipped, as the report of the run says.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from file_server import BLOCKED, SUB_PATH, Files, Server, patient

import kit
from ndcg_course.make import printing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            if item.path.name != "test_browser_engines.py":  # the short list, in each engine that is there
                item.add_marker(pytest.mark.sweep)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    """What a failed test saw: a picture and what the page complained of, in a folder that the report names."""
    report = yield
    watched = getattr(item, "funcargs", {}).get("watched")
    if report.when == "call" and report.failed and watched:
        folder = kit.BUILD / "failed-in-a-browser" / re.sub(r"\W+", "-", item.name)[:100]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "console.txt").write_text("\n".join([watched.page.url, *watched.wrong]), "utf8")
        with contextlib.suppress(Exception):  # of a page that is gone there is no picture
            watched.page.screenshot(path=folder / "page.png", timeout=20_000)
        report.sections.append(("what the browser showed", str(folder)))
    return report


@pytest.fixture(scope="session")
def built() -> Path:
    """The built site; NDCG_BUILT_SITE names another folder, such as an unpacked release."""
    named = os.environ.get("NDCG_BUILT_SITE")
    try:
        return Path(named) if named else kit.build(sys.executable).parent
    except SystemExit as stopped:
        pytest.fail(f"the book does not build ({stopped})")


@pytest.fixture(scope="session")
def site(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for a busy machine."""
    live = (built / "_static" / "pyodide" / "pyodide.asm.wasm").exists()
    return patient(built, tmp_path_factory.mktemp("site") / "html") if live else built


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[Server]:
    running = Server(("127.0.0.1", 0), functools.partial(Files, directory=str(site)))
    running.asked = []
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()


@pytest.fixture(scope="session")
def book(server: Server) -> str:
    """The address of the site."""
    return f"http://127.0.0.1:{server.server_port}{SUB_PATH}"


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Any, dict[str, Any]]]:
    """What starts a browser, and how."""
    from playwright import sync_api

    program = printing.browser()
    if program is None:
        pytest.skip("there is no Chromium, Chrome or Edge")
    arguments = ["--disable-gpu", f"--host-resolver-rules={BLOCKED}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium refuses its sandbox to root, as in a container
    with sync_api.sync_playwright() as driver:
        yield driver.chromium, {"executable_path": program, "args": arguments}


@pytest.fixture(scope="session")
def browser(chromium: tuple[Any, dict[str, Any]]) -> Iterator[Any]:
    kind, how = chromium
    started = kind.launch(**how)
    yield started
    started.close()


class Watched:
    """A page, with all that it asked for and complained of."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.asked: list[str] = []
        self.wrong: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        page.on("pageerror", lambda error: self.wrong.append(f"script error: {error}"))
        page.on("console", lambda line: self.wrong.append(f"console: {line.text}") if line.type == "error" else None)

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # else the test has gone on to another page
            self.wrong.append(f"not fetched: {request.url} ({request.failure})")

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.wrong.append(f"not there: {response.url} ({response.status})")

    def outside(self, book: str) -> list[str]:
        inside = (book, "data:", "blob:")
        return [address for address in self.asked if not address.startswith(inside)]


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    """A fresh profile: nothing kept, nothing cached."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(180_000)
    yield Watched(context.new_page())
    context.close()


@pytest.fixture
def live(site: Path, watched: Watched) -> Watched:
    """The same, where the site has Python with it."""
    if not (site / "_static" / "pyodide" / "pyodide.asm.wasm").exists():
        pytest.skip("the tests of live cells are left out: the book was built without the runtime")
    return watched
