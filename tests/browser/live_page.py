"""A page with live cells, as a reader handles it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ndcg_course.grade import run as grading
from ndcg_course.grade.inside import sandbox

CHAPTER = "chapters/cumulative-gain.html"  # any page whose first visible cell ends in a value
# JupyterLite's note that Python is starting has come and faded; what is run before that is lost on a busy machine.
CONNECTED = ".jp-NotebookKernelStatus-fade:not(.jp-NotebookKernelStatus-info, .jp-NotebookKernelStatus-warn)"


class Cell:
    """One cell of a page, found by a piece of its code; the first that can be seen, without one."""

    def __init__(self, page: Any, code: str = "", nth: int = 0) -> None:
        self.page = page
        cells = page.locator(".bd-article div.cell:has(.live-bar)")
        self.place = cells.filter(has=page.locator(".cell_input pre", has_text=code)).nth(nth)
        self.place = page.locator(f"[data-test-cell='{self._mark()}']")

    def _mark(self) -> str:
        """A name that stays when the code is edited."""
        return str(self.place.evaluate("cell => cell.dataset.testCell ??= String(Math.random())"))

    def button(self, word: str) -> Any:
        return self.place.locator(f".live-{word.lower()}")

    @property
    def area(self) -> Any:
        return self.place.locator("textarea")

    @property
    def status(self) -> str:
        return str(self.place.locator(".live-status").inner_text())

    @property
    def output(self) -> str:
        """What the cell shows now, from its last run or from the build."""
        return "\n".join(self.place.locator(".cell_output:not([hidden])").all_inner_texts())

    def edit(self, code: str) -> Cell:
        if self.button("Edit").is_visible():
            self.button("Edit").click()
        self.area.fill(code)
        return self

    def run(self, *, by_keyboard: bool = False) -> Cell:
        self.place.locator(".live-status").evaluate("status => { status.textContent = '' }")
        if by_keyboard:
            self.area.press("Shift+Enter")
        else:
            self.button("Run").click()
        return self.wait()

    def wait(self) -> Cell:
        self.page.wait_for_function(
            "cell => /after|Stopped|did not|Run again/.test(cell.querySelector('.live-status').textContent)"
            " && cell.querySelector('.live-stop').hidden",
            arg=self.place.element_handle(),
            polling=50,
            timeout=300_000,
        )
        return self

    @property
    def well(self) -> bool:
        return re.match("Done after", self.status) is not None


class Desk:
    """The page of an assignment, as a student works at it: one task at a time."""

    def __init__(self, page: Any, address: str = "") -> None:
        self.page = page
        if address:
            page.goto(address)
        page.wait_for_selector("html[data-place=yes]")

    def open(self, task: str) -> Any:
        """Go to a task by its address; the card of it."""
        self.page.evaluate("name => { location.hash = name }", f"#task-{task.replace('_', '-')}")
        card = self.page.locator(f"section:has(#task-{task.replace('_', '-')})").last
        card.locator(".place-sheet").wait_for()
        return card

    def write(self, task: str, text: str) -> Any:
        card = self.open(task)
        card.locator(".place-sheet :is(textarea, .place-number)").first.fill(text)
        return card

    def text(self, task: str) -> str:
        return str(self.open(task).locator(".place-sheet :is(textarea, .place-number)").first.input_value())

    def check(self, task: str, text: str | None = None) -> str:
        """What is said after Check, after this was written."""
        card = self.open(task) if text is None else self.write(task, text)
        card.get_by_role("button", name=re.compile("Check|bet")).click()
        self.page.wait_for_function(
            "card => !card.querySelector('[aria-disabled]') && card.querySelector('.place-message').textContent",
            arg=card.element_handle(),
            polling=50,
            timeout=300_000,
        )
        return str(card.locator(".place-message").inner_text())

    def save(self, folder: Path) -> Path:
        self.page.evaluate("location.hash = '#hand-in'")
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=re.compile("^Save .*ipynb")).click()
        download.value.save_as(folder / download.value.suggested_filename)
        return Path(folder / download.value.suggested_filename)

    def give(self, file: Path) -> str:
        """What is said after a file was opened."""
        self.page.evaluate("location.hash = '#hand-in'")
        said = self.page.locator(".place-end .place-kept")
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name="Open a saved notebook").click()
        said.evaluate("said => { said.textContent = '' }")
        chooser.value.set_files(file)
        self.page.wait_for_function("document.querySelector('.place-end .place-kept').textContent")
        return str(said.inner_text())


def points(notebook: Path, folder: Path) -> dict[str, float | None]:
    """What `ndcg grade` gives for a notebook that is handed in: points by task."""
    handed_in = folder / "handed-in"
    handed_in.mkdir()
    shutil.copy(notebook, handed_in / "one-student.ipynb")
    marks = grading.run(grading.Options(handed_in, folder / "marks", seed="any", locked=not sandbox.missing()))
    return marks.rows[0].points


@contextlib.contextmanager
def jupyter(folder: Path, packages: Path) -> Iterator[str]:
    """A server of JupyterLab in a folder, with its packages from another; its address, as it prints it."""
    command = ["jupyter", "lab", "--no-browser", "--port=0", "--allow-root", "--IdentityProvider.token=", str(folder)]
    command += ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command += ["--LabApp.expose_app_in_browser=True"]
    settings = {"JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings")}
    environment = os.environ | settings | {"PYTHONPATH": str(packages)}
    server = subprocess.Popen(
        [sys.executable, "-m", *command], env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert server.stderr is not None
    try:
        yield next(found[0] for line in server.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+/", line)))
    finally:
        server.terminate()
        server.communicate()
