"""What the checks make of answers that were written before their outcome was looked at: rejected, named, shown.

python tests/benchmarks/answers.py [TASK …]

`fresh_wrong.txt` holds functions, `fresh_by_hand.txt` numbers: task, the true mistake, and how the number came about,
with the data of the task by name. "named" says what is wrong; whether that is the true mistake, a person has to read:
the label stands beside the first sentence. "thought" says what is wrong with a quantity in a line, proved by a run;
"shown" marks a line or a row of the case, or shows the steps.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from wrong_answers.cells import FOLDER, Cell, verdict_on_cell

from ndcg_course.explain.answer import verdict_on
from ndcg_course.tasks import task_named

FACTS = {"error", "no-error", "none", "type", "unnamed", "loop", "slow", "kept", "random", "argument-unused"}
FACTS |= {"changed-in-loop", "constant", "as-given", "only-example", "input-changed"}


def kind(verdict: Any) -> str:
    """How much a verdict on a wrong answer says."""
    if verdict.passed:
        return "accepted"
    if verdict.cause.startswith(("thought", "likely")):
        return "thought"
    if verdict.cause and verdict.cause != "line":
        return "named"
    if verdict.fault in FACTS:
        return "fact"
    rows = verdict.example.rows if verdict.example else None
    shown = verdict.line or (rows and (rows.marked is not None or not verdict.example.own))
    return "shown" if shown else "generic"


def answers() -> Iterator[tuple[str, str, Any]]:
    """The task, the true mistake, and the verdict."""
    for block in (FOLDER / "fresh_wrong.txt").read_text("utf8").split("## ")[1:]:
        head, _, code = block.partition("\n")
        task, _, label = head.partition(" | ")
        if not sys.argv[1:] or task in sys.argv[1:]:
            yield task, label, verdict_on_cell(Cell(task, "", code))
    for line in (FOLDER / "fresh_by_hand.txt").read_text("utf8").splitlines():
        name, label, given = line.split(" | ", 2)
        if not sys.argv[1:] or name in sys.argv[1:]:
            data = task_named(name).data("demo")  # type: ignore[attr-defined]
            names = {"math": math, "log2": math.log2, "log": math.log, "r": lambda x: round(x, 3)} | data
            yield name, label, verdict_on(task_named(name), eval(given, names), "demo")


if __name__ == "__main__":
    counts = Counter[str]()
    for task, label, verdict in answers():
        counts[kind(verdict)] += 1
        print(f"{kind(verdict):8}  {task} | {label} | {' '.join(verdict.sentences)[:100]}")
    print(dict(counts))
