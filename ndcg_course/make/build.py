"""All that `ndcg exercises build` makes of the sources of the assignments."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ndcg_course import course, sealed
from ndcg_course.explain import messages, tries
from ndcg_course.make import files, source, syllabus
from ndcg_course.tasks import assignment_named


def build(root: Path, only: Sequence[str] = ()) -> dict[Path, str]:
    """Every generated file with its text. Nothing is written."""
    made: dict[Path, str] = {}
    if headings := _headings(root / "book"):  # what is made below names places by them
        messages.SECTIONS.clear()
        messages.SECTIONS.update(headings)
    with files.sources(root, only) as texts:
        for name, text in texts.items():
            assignment = assignment_named(name)
            solutions = {cell.task: source.solved_code(cell) for cell in text.cells if cell.role == "answer"}
            facts = json.dumps(files.facts(text), indent=1, ensure_ascii=False)
            made[root / files.TASKS / f"{name}.json"] = facts + "\n"
            books = {solved: files.notebook(text, assignment, solved=solved) for solved in (False, True)}
            seal = _sealed(facts, course.load(root), name, books[False])
            made[root / files.SEALED / f"{name}.json"] = files.as_json(seal)
            right = [tries.sealed("demo", task.name, 0, [], True) for task in assignment.tasks if not task.by_hand]
            for solved, folder in ((False, "exercises"), (True, "solutions")):
                about = {"seal": seal["seal"]} | ({"tries": right} if solved else {})
                books[solved]["metadata"] = {**books[solved]["metadata"], "ndcg": about}
                made[root / folder / f"{name}.ipynb"] = files.as_json(books[solved])
            made[root / "book" / "assignments" / f"{files.slug(name)}.md"] = files.page(text, assignment)
            made[root / files.SOLUTIONS / f"{name}.json"] = files.as_json(solutions)
        if not only and (root / "book" / "teaching").is_dir():
            made[root / "book" / "teaching" / "syllabus.md"] = syllabus.page(root)
            made[root / "ndcg_course" / "explain" / "sections.json"] = files.as_json(messages.SECTIONS)
    return made


def _headings(book: Path) -> dict[str, str]:
    """What stands above each page and each place of the chapters; not where the build computes it."""
    found = {}
    for file in sorted(book.glob("chapters/*.md")):
        for label, words in re.findall(r"(?:^\(([a-z0-9-]+)\)=\n)?^##? (.+)$", file.read_text("utf8"), re.MULTILINE):
            page = f"chapters/{file.stem}"
            if (label or page not in found) and not re.search(r"[{$]", words):
                found[f"{page}#{label}" if label else page] = re.sub(r"[*`]", "", words)
    return found


def _sealed(facts: str, taught: course.Course, name: str, notebook: dict[str, Any]) -> dict[str, Any]:
    """The seal of an assignment, with the titles and the code of the notebook that is handed out."""
    texts = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    heads = (re.match(r"## (?:Task \d+: )?(.*)\n\n\*.*`(\w+)`", text) for kind, text in texts if kind == "markdown")
    titles = {head[2]: head[1] for head in heads if head}
    return sealed.made(facts, taught, name, titles, [text for kind, text in texts if kind == "code"])
