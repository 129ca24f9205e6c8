"""The core practice in JupyterLab, from the pack that students get, by keyboard alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from core_practice import PAGES, earlier, wrong_and_right
from live_page import jupyter

import kit
from ndcg_course.make import release
from ndcg_course.notebook import solutions

NOTEBOOK = "jupyterapp.shell.currentWidget"
READY = f"""(name) => globalThis.jupyterapp && {NOTEBOOK}?.context?.path === name && {NOTEBOOK}.content.widgets.length
  && {NOTEBOOK}.sessionContext.session?.kernel?.status === "idle" """
SHOWN = f"""(at) => {NOTEBOOK}.content.widgets[at].model.outputs.toJSON().map((one) =>
  one.text ?? one.data?.["text/plain"] ?? one.evalue ?? "").flat().join("")"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The pack in a folder of its own, opened in JupyterLab; its address, and the folder."""
    folder, packages = tmp_path_factory.mktemp("pack"), tmp_path_factory.mktemp("packages")
    release.write(kit.ROOT, packages / "pack.zip")
    shutil.unpack_archive(packages / "pack.zip", folder)
    for wheel in folder.glob("ndcg_*.whl"):
        shutil.unpack_archive(wheel, packages, "zip")
    with jupyter(folder, packages) as address:
        yield address, folder


def as_code(task: str, answer: Any, given: str) -> str:
    """The cell in which this answer stands, below what was given in it."""
    if isinstance(answer, dict):
        return f"{task} = {answer.get('Your list', answer)!r}"
    if re.match(rf"{task} = |(.*\n)*def ", answer):
        return given + answer
    number = re.fullmatch(r"[-\d.]+", answer)
    return f"{task} = {answer if number else repr(answer)}"


class Walk:
    """A notebook that is gone through with the keys alone."""

    def __init__(self, page: Any, name: str, cells: list[Any]) -> None:
        self.page, self.name, self.ids = page, name, [cell["id"] for cell in cells]
        self.given = {cell["id"]: "".join(cell["source"]) for cell in cells}

    def to(self, identity: str) -> int:
        """The number of the cell, chosen now."""
        at = self.ids.index(identity)
        while (here := self.page.evaluate(f"{NOTEBOOK}.content.activeCellIndex")) != at:
            self.page.keyboard.press("ArrowDown" if at > here else "ArrowUp")
        return at

    def write(self, identity: str, code: str) -> None:
        self.to(identity)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)
        self.page.keyboard.press("Escape")

    def run(self, identity: str) -> str:
        """What the cell shows, once it has run."""
        at = self.to(identity)
        self.page.evaluate(f"{NOTEBOOK}.content.widgets[{at}].model.executionCount = null")
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(f"{NOTEBOOK}.content.widgets[{at}].model.executionCount")
        self.page.wait_for_function(READY, arg=self.name)
        return str(self.page.evaluate(SHOWN, at))


@pytest.mark.weekly
@pytest.mark.parametrize("assignment", [one for one, names in PAGES.items() if names])
def test_a_student_who_errs_walks_the_core_practice_in_jupyterlab(
    pack: tuple[str, Path], watched: Any, assignment: str
) -> None:
    """Each task wrong, then right, as the page has it."""
    address, folder = pack
    name = f"notebooks/{assignment}.ipynb"
    cells = json.loads((folder / name).read_text("utf8"))["cells"]
    page = watched.page
    page.goto(f"{address}lab/tree/{name}?reset")
    page.wait_for_function(READY, arg=name)
    page.locator(".jp-StatusBar-Widget >> text=| Idle").first.wait_for(state="attached")  # what is run before is lost
    walk = Walk(page, name, cells)
    page.locator(".jp-Notebook").first.focus()
    for cell in cells:
        if cell["cell_type"] != "code" or not re.match("code-start|answer-", cell["id"]):
            continue
        walk.run(cell["id"])  # what is given in it is there for the cells below
    for task in PAGES[assignment]:
        answer, check = (f"{kind}-{task}".replace("_", "-")[:60] for kind in ("answer", "check"))
        given, cut, _ = walk.given[answer].rpartition(f"\n\n\ndef {task}(")
        answers = wrong_and_right(task, assignment)
        for other in earlier(task, assignment, answers):
            walk.write(place := f"answer-{other}".replace("_", "-")[:60], solutions()[other])
            walk.run(place)
        for written, wanted in zip(answers, ("Not yet: ", "Right: |Collected: "), strict=True):
            walk.write(answer, as_code(task, written, given + cut[:3]))
            assert walk.run(answer) == "" or not isinstance(written, str)
            told = walk.run(check)
            assert re.match(f"({wanted}){task}", told.strip()), told
