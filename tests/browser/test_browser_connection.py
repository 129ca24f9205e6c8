"""Python for the page over connections that break, stall and dawdle: every load ends, and the next Run goes on."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from file_server import SUB_PATH, Files, Server
from live_page import CHAPTER, CONNECTED, Cell


class Faulty(Files):
    """Serves all files well but one, whose first answer stops half-way."""

    def translate_path(self, path: str) -> str:
        plain = super().translate_path(path)
        server: Any = self.server
        return str(server.instead.get(Path(plain).name, plain))

    def copyfile(self, source: Any, outputfile: Any) -> None:
        server: Any = self.server
        name = self.path.partition("?")[0].rpartition("/")[2]
        if server.stalls and server.stalls in name:
            server.stalls = ""
            data = source.read()
            outputfile.write(data[: len(data) // 2])  # and stalls
            outputfile.flush()
            server.over.wait(60)
            return
        super().copyfile(source, outputfile)

    def do_GET(self) -> None:
        """Answer a question for the rest of a file, as hosts of pages do."""
        wanted = self.headers.get("Range")
        if wanted is None:
            return super().do_GET()
        data = Path(self.translate_path(self.path)).read_bytes()
        first = int(wanted.removeprefix("bytes=").removesuffix("-"))
        self.send_response(206)
        self.send_header("Content-Type", self.guess_type(self.path))
        self.send_header("Content-Length", str(len(data) - first))
        self.end_headers()
        self.wfile.write(data[first:])
        server: Any = self.server
        server.rest.append(first)

    def end_headers(self) -> None:
        server: Any = self.server
        if server.policy:
            self.send_header("Content-Security-Policy", server.policy)
        super().end_headers()


@pytest.fixture
def faulty(live: Any, site: Path) -> Iterator[Any]:
    server: Any = Server(("127.0.0.1", 0), functools.partial(Faulty, directory=str(site)))
    server.asked, server.rest, server.stalls = [], [], ""
    server.over, server.instead, server.policy = threading.Event(), {}, ""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    live.page.goto(f"http://127.0.0.1:{server.server_port}{SUB_PATH}{CHAPTER}")
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()


def test_what_came_before_the_connection_broke_is_not_asked_for_again(live: Any, faulty: Any, site: Path) -> None:
    faulty.stalls = "pyodide.asm.wasm"
    cell = Cell(live.page).run()
    faulty.over.set()
    assert cell.well or cell.run().well
    half = (site / "_static/pyodide/pyodide.asm.wasm.packed").stat().st_size // 2
    assert faulty.rest == [half]


@pytest.mark.parametrize("missing", ["in the browser", "on the host"])
def test_where_a_packed_file_is_of_no_use_the_plain_one_is_taken(
    live: Any, faulty: Any, site: Path, tmp_path: Path, missing: str
) -> None:
    if missing == "on the host":
        faulty.instead["pyodide.asm.wasm.packed"] = tmp_path / "nothing"
    else:
        given = (site / "_static/pyodide/pyodide.packed.mjs").read_text("utf8")
        faulty.instead["pyodide.packed.mjs"] = tmp_path / "old-browser.mjs"
        (tmp_path / "old-browser.mjs").write_text(f"delete self.DecompressionStream;\n{given}", "utf8")
    assert Cell(live.page).run().well
    assert "_static/pyodide/pyodide.asm.wasm" in [name for name, _ in faulty.asked]


POLICY = re.compile(r"`Content-Security-Policy: (.+?)`")


@pytest.mark.parametrize("notebooks", [True, False])
def test_with_the_policy_that_readme_names_everything_works(live: Any, faulty: Any, notebooks: bool) -> None:
    told = Path(__file__).parents[2].joinpath("README.md").read_text("utf8")
    (policy,) = POLICY.findall(told)
    other, plain = re.findall(r"need `(.+?)` in place of `(.+?)`", told)[0]
    faulty.policy = policy if notebooks else policy.replace(plain, other)
    assert plain in policy
    book = f"http://127.0.0.1:{faulty.server_port}{SUB_PATH}"
    live.page.goto(f"{book}{CHAPTER}")
    cell = Cell(live.page).edit("import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);").run()
    assert cell.well, cell.status
    live.page.goto(f"{book}index.html")
    live.page.wait_for_selector("ndcg-ten .one .grab")
    live.page.goto(f"{book}playground.html")
    live.page.wait_for_selector("ndcg-playground .now-value")
    live.page.goto(f"{book}search.html?q=discount")
    live.page.wait_for_selector(".bd-search-container .found a")
    if notebooks:
        live.page.goto(f"{book}lite/notebooks/index.html?path=chapters/two-rankings.ipynb")
        live.page.locator(CONNECTED).wait_for(state="attached")
    refused = [line for line in live.wrong if "Content Security Policy" in line]
    assert [line for line in refused if notebooks or "Evaluating a string" not in line] == [], (
        "the driver evaluates strings"
    )
