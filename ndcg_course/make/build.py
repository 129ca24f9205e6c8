"""All that `ndcg exercises build` makes of the sources of the assignments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ndcg_course.make import files, source, syllabus
from ndcg_course.tasks import assignment_named


def build(root: Path, only: Sequence[str] = ()) -> dict[Path, str]:
    """Every generated file with its text. Nothing is written."""
    made: dict[Path, str] = {}
    with files.sources(root, only) as texts:
        for name, text in texts.items():
            assignment = assignment_named(name)
            solutions = {cell.task: source.solved_code(cell) for cell in text.cells if cell.role == "answer"}
            facts = json.dumps(files.facts(text), indent=1, ensure_ascii=False)
            made[root / files.TASKS / f"{name}.json"] = facts + "\n"
            made[root / "exercises" / f"{name}.ipynb"] = files.as_json(files.notebook(text, assignment, solved=False))
            made[root / "solutions" / f"{name}.ipynb"] = files.as_json(files.notebook(text, assignment, solved=True))
            made[root / "book" / "assignments" / f"{files.slug(name)}.md"] = files.page(text, assignment)
            made[root / files.SOLUTIONS / f"{name}.json"] = files.as_json(solutions)
        if not only and (root / "book" / "teaching").is_dir():
            made[root / "book" / "teaching" / "syllabus.md"] = syllabus.page(root)
    return made
