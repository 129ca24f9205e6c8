"""How long a reader waits for live Python, and what it weighs: the built site in Chromium, three times each.

Build the book first (python3 kit.py book --no-serve), and let nothing else run. Everything comes from this machine, so
a slower line adds the time that its bytes take: they are in the table, as sent by a server that compresses with gzip.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "book"), str(ROOT / "tests" / "browser")]
from file_server import BLOCKED, SUB_PATH, Files, Server  # noqa: E402

from ndcg_course.make import printing  # noqa: E402

PAGE = "chapters/cumulative-gain.html"
NOTEBOOK = "lite/notebooks/index.html?path=02-cumulative-gain.ipynb"
PACKED = (".whl", ".zip", ".woff2", ".png")
DONE = "(word) => [...document.querySelectorAll('.live-status')].some(s => s.textContent.startsWith(word))"
OUTPUT = "[...document.querySelectorAll('.jp-OutputArea-output')].some(output => output.innerText.length > 9)"
FIGURE = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);"
Times = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, default=ROOT / "book" / "_build" / "html")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    server = Server(("127.0.0.1", 0), functools.partial(Files, directory=str(options.site)))
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    book = f"http://127.0.0.1:{server.server_port}{SUB_PATH}"
    times: Times = {}
    weights: dict[str, list[str]] = {}
    for _ in range(options.times):
        with tempfile.TemporaryDirectory() as profile:
            for visit in ("cold", "warm"):  # warm: the browser was closed in between
                with Browser(profile) as page:
                    measure_page(page, book, visit, times, weights, server)
        with tempfile.TemporaryDirectory() as profile:
            for visit in ("cold", "warm"):
                with Browser(profile) as page:
                    measure_notebook(page, book, visit, times, weights, server)
    print(f"load of this machine at the end: {os.getloadavg()[0]:.1f}\n")
    print(f"{'seconds':44}{'best':>8}{'median':>8}{'worst':>8}")
    for what, each in times.items():
        print(f"{what:44}{min(each):8.2f}{statistics.median(each):8.2f}{max(each):8.2f}")
    print(f"\n{'weight, cold':44}{'files':>8}{'MB':>8}{'gzip':>8}")
    for what, names in weights.items():
        files = [options.site / name.split("?")[0] for name in names]
        sizes, sent = zip(*map(weight, (file for file in files if file.is_file())), strict=True)
        print(f"{what:44}{len(sizes):8}{sum(sizes) / 1e6:8.1f}{sum(sent) / 1e6:8.1f}")


class Browser:
    """A Chromium with this profile; nothing outside can be reached."""

    def __init__(self, profile: str) -> None:
        self.profile = profile

    def __enter__(self) -> Any:
        self.driver = sync_playwright().start()
        root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        arguments = ["--disable-gpu", f"--host-resolver-rules={BLOCKED}", *root]
        kind = self.driver.chromium
        self.context = kind.launch_persistent_context(self.profile, executable_path=printing.browser(), args=arguments)
        self.context.set_default_timeout(120_000)
        return self.context.pages[0]

    def __exit__(self, *error: object) -> None:
        self.context.close()
        self.driver.stop()


def measure_page(page: Any, book: str, visit: str, times: Times, weights: dict[str, list[str]], server: Server) -> None:
    server.asked.clear()
    begun = time.perf_counter()
    page.goto(book + PAGE)
    note(times, f"page, {visit}: all there", begun)
    page.wait_for_timeout(500)
    if visit == "cold":
        weights.setdefault("a chapter", [name for name, _ in server.asked])
    cell = page.locator(".bd-article div.cell").filter(has=page.locator(".live-run:visible")).first
    begun = time.perf_counter()
    cell.locator(".live-run").click()
    page.wait_for_function(DONE, arg="Done after", polling=10)
    note(times, f"page, {visit}: first result, Python started", begun)
    if visit == "cold":
        weights.setdefault("a chapter and Python", [name for name, _ in server.asked])
    cell.locator(".live-edit").click()
    for what, code, done in (
        ("edit and run again", "import ndcg_lib as nd\nnd.ndcg([3, 2, 0, 1])", "0.98"),
        ("first figure of matplotlib", FIGURE, ""),
        ("second figure", FIGURE, ""),
    ):
        cell.locator("textarea").fill(code)
        cell.locator(".live-output").evaluate("output => { output.textContent = '' }")
        # By the page's own clock, from the key to the output.
        took = cell.evaluate(
            """(cell, text) => new Promise((told) => {
              const output = cell.querySelector(".live-output"), begun = performance.now();
              new MutationObserver(() => {
                const there = text ? output.innerText.includes(text) : output.querySelector("img");
                if (there) told(performance.now() - begun);
              }).observe(output, { childList: true, subtree: true, attributes: true });
              const key = new KeyboardEvent("keydown", { key: "Enter", shiftKey: true, cancelable: true });
              cell.querySelector("textarea").dispatchEvent(key);
            })""",
            done,
        )
        times.setdefault(f"page, {visit}: {what}", []).append(took / 1000)
        page.wait_for_function("cell => cell.querySelector('.live-stop').hidden", arg=cell.element_handle(), polling=10)
    if visit == "cold":
        weights.setdefault("a chapter, Python and matplotlib", [name for name, _ in server.asked])
    page.evaluate("localStorage.clear()")  # else the next visit begins with the edited cell


def measure_notebook(
    page: Any, book: str, visit: str, times: Times, weights: dict[str, list[str]], server: Server
) -> None:
    server.asked.clear()
    begun = time.perf_counter()
    page.goto(book + NOTEBOOK)
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    note(times, f"JupyterLite, {visit}: notebook there", begun)
    page.locator(".lm-MenuBar-item", has_text="Run").first.click()
    page.locator(".lm-Menu-item", has_text="Run All Cells").first.click()
    page.wait_for_function(OUTPUT, polling=50)
    note(times, f"JupyterLite, {visit}: first output", begun)
    if visit == "cold":
        weights.setdefault("a notebook in JupyterLite", [name for name, _ in server.asked])


def note(times: Times, what: str, begun: float) -> None:
    times.setdefault(what, []).append(time.perf_counter() - begun)


def weight(file: Path) -> tuple[int, int]:
    data = file.read_bytes()
    return len(data), len(data) if file.suffix in PACKED else len(gzip.compress(data, 6))


if __name__ == "__main__":
    main()
