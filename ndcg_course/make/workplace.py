"""What the page of an assignment carries: its notebook, and of each task what a place to write needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ndcg_course.explain.cards import TITLES
from ndcg_course.explain.page import sums
from ndcg_course.tasks import assignments
from ndcg_course.tasks.task import Assignment, BuildTask, FunctionTask, Task, TextTask, ValueTask


def carried(assignment: Assignment, notebook: Mapping[str, Any]) -> dict[str, Any]:
    """For the script of the page: tasks with their kind of field, and the student's notebook.

    >>> from ndcg_course.tasks import assignment_named
    >>> carried(assignment_named("03-discounting"), {"cells": []})["tasks"]
    []
    """
    sources = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}
    tasks = [_task(task, sources) for task in assignment.tasks if _answer(task) in sources]
    everywhere = sorted(name for one in assignments().values() for task in one.tasks for name in (task.name, *task.was))
    made = {"name": assignment.name, "tasks": tasks, "notebook": notebook, "all": everywhere}
    return made | ({"titles": TITLES} if any(task["widget"] == "cards" for task in tasks) else {})


def widget(task: Task) -> str:
    """The kind of field that an answer is written in.

    >>> from ndcg_course.tasks import task_named
    >>> [widget(task_named(name)) for name in ("cg_at", "cg_by_hand", "rises_with_k", "wrong_line", "which_gain")]
    ['code', 'number', 'cards', 'line', 'choice']
    """
    if isinstance(task, FunctionTask):
        return "code"
    if isinstance(task, TextTask):
        return "words"
    if isinstance(task, BuildTask):
        return "cards" if lists(task) else "code"
    assert isinstance(task, ValueTask)
    data = task.data("demo")
    if task.options:
        return "choice"
    if type(task.target(data)) not in (int, float):
        return "code"
    return "line" if "terms" in data else "number"


def lists(task: Task) -> dict[str, str]:
    """The parts of an answer that is built of lists of grades: each "list" or "number"; "" where it is one list."""
    if not isinstance(task, BuildTask) or task.has_data:
        return {}
    wrong = [condition.broken_by for condition in task.conditions]
    shape = max((one for one in wrong if isinstance(one, dict)), key=len, default=None)
    parts = {"": wrong[0]} if shape is None else shape
    kinds = {name: "list" if _grades(part) else "number" if type(part) is int else "" for name, part in parts.items()}
    return kinds if all(kinds.values()) else {}


def _grades(part: Any) -> bool:
    return isinstance(part, list) and all(type(item) in (int, float) for item in part)


def _answer(task: Task) -> str:
    return f"answer-{task.name}".replace("_", "-")[:60]


def _task(task: Task, sources: Mapping[str, str]) -> dict[str, Any]:
    source = sources[_answer(task)]
    given, cut, rest = source.rpartition(f"\n\n\ndef {task.name}(")
    asked = [text for name, text in sources.items() if name.startswith(f"text-{task.name}".replace("_", "-")[:60])]
    kind = widget(task)
    made: dict[str, Any] = {
        "id": task.name,
        "cell": _answer(task),
        "widget": kind,
        "points": task.points,
        "byHand": task.by_hand,
        "bet": task.kind == "predict",
        "given": given,
        "starter": f"def {task.name}({rest}" if cut else source,
        "hints": [*task.hints],
        "was": [*task.was],
        "of": hashlib.sha256(json.dumps([asked, source, kind]).encode()).hexdigest()[:12],
        "options": [*task.options] if isinstance(task, ValueTask) else [],
    }
    if kind in ("line", "number") and isinstance(task, ValueTask):
        made |= {"data": task.data("demo"), "sum": sums(task), "beside": task.beside, "term": task.term or 0}
    return made | ({"lists": lists(task)} if kind == "cards" else {})
