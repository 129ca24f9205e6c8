"""The core practice, with the answers of a student who errs: each task wrong, then right."""

from __future__ import annotations

import re
from typing import Any

import nbformat
from wrong_answers.cells import read, solved

import kit
from ndcg_course.notebook import solutions
from ndcg_course.tasks import assignments

PRACTICE = re.compile(r"(?m)^:practice: (.*)$")
CORE = {
    name
    for page in (kit.ROOT / "book").rglob("*.md")
    for name in " ".join(PRACTICE.findall(page.read_text("utf8"))).split()
}
PAGES = {one: [task.name for task in many.tasks if task.name in CORE] for one, many in assignments().items()}
ERRS: dict[str, Any] = {  # of what is built, chosen and written; of functions the stored ones, of numbers the sign
    "fooled": {"returned": [3], "judged": [3, 1]},
    "rises_with_k": {"Your list": [3, 2, 1, 0, 0]},
    "found_convention": "found_convention = {'gain': 'exponential', 'ideal': 'exponential'}",
    "blind_to_junk": {"short": [3, 1], "long": [0, 0, 0, 3, 1]},
    "for_the_paper": "B is better.",
}


def wrong_and_right(task: str, assignment: str) -> tuple[Any, Any]:
    """The answer of a student who errs, and that of the solutions, as each is written in the page."""
    right = solved(assignment)[task]
    if callable(right):
        return next(cell.code for cell in read("cells_wrong.txt") if cell.task == task), solutions()[task]
    if task not in ERRS:
        return f"{-right:.3f}", f"{right:.3f}"
    if isinstance(ERRS[task], dict):
        return ERRS[task], right if isinstance(right, dict) else {"Your list": right}
    return ERRS[task], right if isinstance(right, str) else f"{task} = {right!r}"


def earlier(task: str, assignment: str, answers: tuple[Any, ...]) -> list[str]:
    """The tasks whose own functions these answers call; what stands in their cells from the start is there unasked."""
    codes = {one.name: solutions()[one.name] for one in assignments()[assignment].tasks}
    cells = nbformat.read(kit.ROOT / "exercises" / f"{assignment}.ipynb", as_version=4).cells
    given = "\n".join(cell.source for cell in cells)
    makes = {one: re.findall(r"(?m)^def (\w+)", code) for one, code in codes.items() if one != task}
    own = {one: [name for name in names if name == one or f"def {name}(" not in given] for one, names in makes.items()}
    return [one for one, names in own.items() if any(re.search(rf"\b{name}\(", str(answers)) for name in names)]
