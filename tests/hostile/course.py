"""A class of attackers and their honest neighbours, written to disk as submissions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hostile.attacks import ATTACKS, LOOT, ZERO
from ndcg_course.explain import tries
from ndcg_course.tasks import assignments

ROOT = Path(__file__).parents[2]
NAME = "02-cumulative-gain"


def noted(cells: Sequence[str], wrong: Mapping[str, Sequence[str]] | None = None) -> list[dict[str, Any]]:
    """The tries of a student who checked each answer once and had it right, but for the wrong ones that are given."""
    code = "\n".join(cells)
    named = re.findall(r"""(?m)^student_id[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|(\d+))""", code)
    student = next((part for part in named[-1] if part), "demo") if named else "demo"
    known = {task.name for held in assignments().values() for task in held.tasks} & {*re.findall(r"\w+", code)}
    before = {name: [tries.fingerprint(one) for one in given] for name, given in (wrong or {}).items()}
    return [tries.sealed(student[:200], name, 0, before.get(name, []), True) for name in sorted(known)]


def notebook(*cells: str, wrong: Mapping[str, Sequence[str]] | None = None) -> str:
    """The text of a notebook with these code cells, as Jupyter saves it after they were checked."""
    made = [
        {"cell_type": "code", "id": str(i), "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
        for i, cell in enumerate(cells)
    ]
    about = {"ndcg": {"tries": noted(cells, wrong)}}
    return json.dumps({"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5})


def solved(assignment: str = NAME) -> list[str]:
    """The code cells with right answers."""
    content = json.loads((ROOT / "solutions" / f"{assignment}.ipynb").read_text("utf8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def neighbour(number: int) -> str:
    """An honest notebook, which also holds a word that nobody else may see."""
    return notebook(f"secret = 'NEIGHBOUR-{number}-SECRET'", *solved())


def attacker(name: str, places: Mapping[str, object]) -> str:
    """The notebook of an attack, with the places filled in."""
    attack = ATTACKS[name]
    code, after = attack.code, attack.after
    for word, value in places.items():
        code, after = code.replace(f"<{word}>", str(value)), after.replace(f"<{word}>", str(value))
    answers = solved() if attack.honest else [ZERO]
    # Loot is told before and after the answers: some attacks take it only once they are called.
    return notebook(code, *answers, *([] if attack.honest else [LOOT]), *([after] if after else []))


def write_class(folder: Path, names: list[str], places: Mapping[str, object], *, every: int = 6) -> list[str]:
    """Write the attackers, with an honest neighbour after every few of them; the names of the neighbours."""
    neighbours = []
    for number, name in enumerate(names):
        if number % every == 0:
            neighbours.append(f"{name[:1]}-honest-{number:03}")
            _put(folder, neighbours[-1], neighbour(number))
        _put(folder, name, attacker(name, places))
    return neighbours


def _put(folder: Path, student: str, text: str) -> None:
    (folder / student).mkdir(parents=True)
    (folder / student / f"{NAME}.ipynb").write_text(text, "utf8")
