"""Every file of a start × every way in which a file does not come: each ends in words, and the next Run goes on.

The files are those that a start without a fault asks for. In one walk, each of them is spoilt in turn and whole again
for the next: so a file that one Run does not heal stops the walk.
"""

from __future__ import annotations

import functools
import random
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import engines
import pytest
from file_server import SUB_PATH, Files, Server
from live_page import CHAPTER

import kit

DEADLINE = b"20_000"  # milliseconds of silence, as they are, where the walk waits for them
RULES = "script-src 'unsafe-inline' 'wasm-unsafe-eval' {0}; connect-src {0}; worker-src {0}"
PICTURE = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);"
LOOK = """
  const cell = await until(() => one(".bd-article div.cell:has(.live-bar)"));
  const status = () => one(".live-status", cell).textContent;
"""
RUN = f"""{LOOK}
  one(".live-status", cell).textContent = "";
  one(".live-run", cell).click();
  await until(() => /after|Stopped|did not|Run again/.test(status()) && one(".live-stop", cell).hidden);
  return status();
"""
# A start begins with nothing at hand, and keeps nothing: each asks for each file.
AFRESH = """
  await until(() => document.documentElement.dataset.live);
  const fetched = performance.getEntriesByType("resource").map(({ name }) => name);
  const { python } = await import(fetched.find((name) => name.endsWith("/python.mjs")));
  python.stop();
  localStorage.setItem("ndcg:keep-nothing", "yes");
"""


class Spoilt(Files):
    """Spoils one file in one way, as long as the server says so."""

    server: Any

    def do_GET(self) -> None:
        name = urlsplit(self.path).path.rpartition("/")[2]
        spoil = self.SPOIL.get(self.server.fault) if name == self.server.name else None
        if spoil is None:
            return super().do_GET()
        self.server.hit.add(name)
        spoil(self, Path(self.translate_path(self.path)).read_bytes())

    def answer(self, data: bytes, status: int = 200, kind: str = "", size: int = 0) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind or self.guess_type(self.path))
        self.send_header("Content-Length", str(size or len(data)))
        super().end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def end_headers(self) -> None:
        name = urlsplit(self.path).path.rpartition("/")[2]
        if rules := self.server.rules.get(name, self.server.rules.get("")):
            self.send_header("Content-Security-Policy", rules)
        for header, value in kit.ALONE.items() if self.server.alone else ():
            self.send_header(header, value)
        self.send_header("Cache-Control", "no-store")  # so that each file is asked for in each start
        super().end_headers()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        patience = DEADLINE if self.server.waits else b"900_000"
        self.server.asked.append((urlsplit(self.path).path.removeprefix(SUB_PATH), len(data)))
        outputfile.write(data.replace(b"PATIENCE = 900000", b"PATIENCE = " + patience))

    def cut(self, data: bytes) -> None:
        self.answer(data[: len(data) // 2], size=len(data))
        self.connection.shutdown(2)

    def stall(self, data: bytes) -> None:
        self.answer(data[: len(data) // 2], size=len(data))
        self.server.over.wait(120)

    def silent(self, data: bytes) -> None:
        self.server.over.wait(120)

    def damaged(self, data: bytes) -> None:
        self.answer(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))

    SPOIL: ClassVar[dict[str, Callable[[Any, bytes], None]]] = {
        "cut": cut,
        "stall": stall,
        "silent": silent,
        "404": lambda self, data: self.answer(b"<!DOCTYPE html><title>None</title>", 404, "text/html"),
        "500": lambda self, data: self.answer(b"Internal Server Error", 500, "text/plain"),
        "damaged": damaged,
        "portal": lambda self, data: self.answer(b"<!DOCTYPE html><title>Hello</title>", 200, "text/html"),
    }  # fmt: skip


class Walk:
    def __init__(self, engine: Any, site: Path) -> None:
        self.engine = engine
        self.server: Any = Server(("127.0.0.1", 0), functools.partial(Spoilt, directory=str(site)))
        self.server.asked, self.server.waits, self.server.alone = [], False, False
        self.server.over = threading.Event()
        self.heal()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.book = f"http://127.0.0.1:{self.server.server_port}{SUB_PATH}"

    def heal(self) -> None:
        self.server.name, self.server.fault, self.server.hit, self.server.rules = "", "", set(), {}
        self.server.over.set()

    def spoil(self, file: str, fault: str, files: list[str]) -> None:
        self.heal()
        self.server.over.clear()
        self.server.name, self.server.fault = file.rpartition("/")[2], fault
        if fault == "refused":
            others = " ".join(self.book + other for other in [*files, *self.scripts] if other != file)
            holder = CHAPTER if file.endswith(("runtime.json", "worker.mjs")) else "worker.mjs"
            self.server.rules = {holder.rpartition("/")[2]: RULES.format(others)}

    def open(self) -> None:
        self.engine.goto(self.book + CHAPTER)

    def files(self, code: str = "") -> list[str]:
        """What a whole start asks for, in order."""
        self.heal()
        self.server.waits = False
        self.open()
        self.engine.do("return until(() => document.documentElement.dataset.live);")
        self.scripts = [name for name, _ in self.server.asked if name.endswith(("js", ".css"))]  # of the page itself
        self.server.asked.clear()
        self.write(code)
        assert self.run().startswith("Done after")
        return list(
            dict.fromkeys(name for name, _ in self.server.asked if re.match(r"_static/(live-\w+|pyodide)/", name))
        )

    def write(self, code: str) -> None:
        if code:
            self.engine.do(f"""{LOOK}
              if (!one(".live-edit", cell).hidden) one(".live-edit", cell).click();
              const area = one("textarea", cell);
              area.value = {code!r};
              area.dispatchEvent(new Event("input", {{ bubbles: true }}));
            """)

    def run(self) -> str:
        return str(self.engine.do(AFRESH + RUN))


ENGINES = ["Chromium", *(pytest.param(name, marks=pytest.mark.weekly) for name in ("Firefox", "WebKit"))]


@pytest.fixture(scope="module", params=ENGINES)
def walk(request: pytest.FixtureRequest, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    if not (site / "_static" / "pyodide" / "pyodide.asm.wasm").exists():
        pytest.skip("the book was built without the runtime")
    with engines.started(request.param, request, tmp_path_factory.mktemp("engine")) as engine:
        walking = Walk(engine, site)
        yield walking
        walking.server.over.set()
        walking.server.shutdown()
        walking.server.server_close()


FAULTS = [*Spoilt.SPOIL, "refused"]


def spoil_each(walk: Walk, fault: str, files: list[str], others: list[str]) -> None:
    """Each of these files spoilt in turn, and whole again for the next."""
    walk.server.waits = fault in ("stall", "silent")
    walk.open()
    table, wrong = {}, []
    for file in files:
        walk.spoil(file, fault, others)
        of_the_page = fault == "refused" and file.endswith(("runtime.json", "worker.mjs"))
        if of_the_page:
            walk.open()  # these rules are of the page
        words = table[file] = walk.run()
        if file.endswith(".packed") and fault in ("404", "500"):
            well = words.startswith("Done after")  # the plain file is taken instead
        else:
            hit = "refuse" in words if fault == "refused" else walk.server.hit
            well = hit and "Run again" in words
        if not well:
            wrong.append(file)
        if of_the_page:
            walk.heal()
            walk.open()
    walk.heal()
    healed = walk.run()
    print("\n".join(f"{type(walk.engine).__name__} {fault} {file}: {words}" for file, words in table.items()), healed)
    assert not wrong, [(file, table[file]) for file in wrong]
    assert healed.startswith("Done after"), table


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_befalls_a_file_of_a_start_ends_in_words_and_the_next_run_goes_on(walk: Walk, fault: str) -> None:
    files = walk.files()
    spoil_each(walk, fault, files, files)


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_befalls_a_script_of_the_page_is_said_and_loading_again_heals_it(walk: Walk, fault: str) -> None:
    walk.heal()
    walk.server.asked.clear()
    walk.server.waits = fault in ("stall", "silent")
    walk.open()
    walk.engine.do("return until(() => document.documentElement.dataset.live);")
    files = list(dict.fromkeys(name for name, _ in walk.server.asked if re.search(r"live-\w+/\w+\.mjs$", name)))
    page = CHAPTER.rpartition("/")[2]
    for file in files:
        walk.spoil(file, fault, files)
        if fault == "refused":
            others = " ".join(walk.book + other for other in files if other != file)
            walk.server.rules = {page: f"script-src 'unsafe-inline' {others}"}
        walk.engine.do(f"setTimeout(() => (location.href = '{walk.book}{CHAPTER}?{fault}={file}'));")
        absent = "document.querySelector('.live-absent:has(button)')"
        engines.once_there(walk.engine, f"return until(() => {absent});")
        walk.heal()
        walk.engine.do(f"setTimeout(() => {absent}.lastChild.click());")
        engines.once_there(walk.engine, "return until(() => document.documentElement.dataset.live);")


STRICT = [
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline'",
    "connect-src 'none'",
    "worker-src 'none'",
    "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; connect-src https://elsewhere.example",
]


@pytest.mark.parametrize("policy", STRICT)
def test_a_policy_that_is_too_strict_is_named_and_without_it_python_runs(walk: Walk, policy: str) -> None:
    walk.heal()
    walk.server.waits, walk.server.rules = False, {"": policy}
    walk.open()
    words = walk.engine.do(RUN)
    assert "Content-Security-Policy" in words and "Run again" in words, words
    walk.heal()
    walk.open()
    assert walk.engine.do(RUN).startswith("Done after")


LOOP = "while True: pass"
WILD = {
    "endless loop": LOOP,
    "recursion": "import sys\nsys.setrecursionlimit(100_000)\ndef f(n): return f(n + 1)\nf(0)",
    "memory": "x = b'x'\nwhile True: x += x",
    "flood": "while True: print('x' * 1000)",
    "thread": f"import threading\nthreading.Thread(target=print).start()\n{LOOP}",
    "input": "input('Who? ')",
    "waiting": "import asyncio\nawait asyncio.sleep(1e6)",
    "its worker closed": f"import js\njs.close()\n{LOOP}",
}


@pytest.mark.parametrize("alone", [True, False], ids=["asked", "ended"])
@pytest.mark.parametrize("wild", WILD)
def test_each_run_that_goes_wrong_is_stopped_or_ends_and_the_next_one_runs(walk: Walk, wild: str, alone: bool) -> None:
    """Stop comes at drawn moments; where Python can be asked, what was computed before stays."""
    walk.heal()
    walk.server.alone, walk.server.waits = alone, False
    walk.open()
    draw = random.Random(f"33 {wild}")
    for _ in range(3):
        walk.write("kept = 6")
        assert walk.engine.do(RUN).startswith("Done after")
        walk.write(WILD[wild])
        words = walk.engine.do(f"""{LOOK}
          one(".live-status", cell).textContent = "";
          one(".live-run", cell).click();
          await until(() => status() === "Running." || one(".live-stop", cell).hidden);
          await pause({draw.uniform(0, 400):.0f});
          if (!one(".live-stop", cell).hidden) one(".live-stop", cell).click();
          await until(() => one(".live-stop", cell).hidden);
          return status();
        """)
        assert re.match(r"Stopped|Ended with an error", words), words
        walk.write("kept * 7" if "still there" in words or words.startswith("Ended") else "6 * 7")
        assert walk.engine.do(RUN).startswith("Done after")
        assert walk.engine.do(f"{LOOK} return one('.live-output', cell).innerText.trim();") == "42"
        if wild == "endless loop" and alone and not isinstance(walk.engine, engines.WebKit):
            assert "still there" in words


@pytest.mark.weekly
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_befalls_a_file_of_the_first_figure_ends_in_words_and_the_next_run_goes_on(
    walk: Walk, fault: str
) -> None:
    before = walk.files("1")
    files = walk.files(PICTURE)
    spoil_each(walk, fault, [file for file in files if file not in before], files)
