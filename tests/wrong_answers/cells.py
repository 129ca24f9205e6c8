"""Answers as cells of a notebook: `## task`, the words that the check must say after `#:`, and the code of the cell."""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from ndcg_course.make.files import run, run_fresh
from ndcg_course.make.proof import codes
from ndcg_course.tasks import assignments

FOLDER = Path(__file__).parent
SOLUTIONS = FOLDER.parents[1] / "solutions"


class Cell(NamedTuple):
    task: str
    says: str
    code: str

    @property
    def name(self) -> str:
        return f"{self.task}: {self.says or self.code.splitlines()[-1].strip()}"[:80]


def read(name: str) -> list[Cell]:
    cells = []
    for block in re.split(r"(?m)^## ", (FOLDER / name).read_text("utf8"))[1:]:
        task, _, rest = block.partition("\n")
        says = ""
        if rest.startswith("#: "):
            says, _, rest = rest.removeprefix("#: ").partition("\n")
        cells.append(Cell(task, says, rest.rstrip() + "\n"))
    return cells


@cache
def solved(assignment: str) -> dict[str, Any]:
    """What a notebook holds whose other tasks are solved."""
    names: dict[str, Any] = {"__name__": "__main__"}
    run_fresh(codes(SOLUTIONS / f"{assignment}.ipynb"), names)
    return names


def verdict_on_cell(cell: Cell) -> Any:
    """The verdict that the check below the cell gives, in full; what of it is told at which try: test_by_try.py."""
    assignment = next(a.name for a in assignments().values() if cell.task in [task.name for task in a.tasks])
    names = dict(solved(assignment))
    with patch("ndcg_course.explain.by_try.tell"):
        run([cell.code, f"verdict = check({cell.task!r})"], names)
    return names["verdict"]
