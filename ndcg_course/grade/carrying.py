"""One slip costs its task once: what calls a function that failed is run again with the right one in its place."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

from ndcg_course.explain.codec import decode
from ndcg_course.explain.messages import OPEN, RIGHT, WRONG
from ndcg_course.explain.outcome import Outcome, listed, unlike
from ndcg_course.grade.session import Answers, Batch, Right
from ndcg_course.tasks.task import Case, FunctionTask, Task

Marks = dict[str, dict[str, Any]]


async def carry_on(
    marks: Marks,
    tasks: Sequence[Task],
    cases: Mapping[str, Sequence[Case]],
    cells: Sequence[str],
    ask: Callable[[Sequence[Batch], Right], Awaitable[Answers]],
    judge: Callable[[FunctionTask, Answers], dict[str, Any]],
) -> None:
    """Judge again what calls a function that failed; a mark that grows takes the place of the one before."""
    functions = {task.name: task for task in tasks if isinstance(task, FunctionTask)}
    wrong = [name for name in functions if marks[name]["status"] in (WRONG, OPEN)]
    if not any(marks[name]["status"] == WRONG for name in wrong[1:]):
        return
    code = re.sub(r"(?m)^[ \t]*>>>.*$", "", "\n".join(cells))
    called = {name for name in wrong if re.search(rf"""(?<!["'\w])(?<!def ){name}\b(?!["'])""", code)}
    batches = []
    for place, name in enumerate(wrong):
        # Only those that come before it, or two functions could each be right by the other.
        before = [one for one in wrong[:place] if one in called and not says_the_same(functions[name], functions[one])]
        if before and marks[name]["status"] == WRONG:
            given = {one: [*inspect.signature(functions[one].reference).parameters] for one in before}
            batches.append(Batch(name, [case.args for case in cases[name]], given=given))
    if not batches:
        return
    answers = await ask(batches, lambda name, coded: right_answer(functions[name], coded))
    for batch in batches:
        replaced = sorted(answers.given.get(batch.task, ()))
        again = judge(functions[batch.task], answers)
        if replaced and again["points"] > marks[batch.task]["points"]:
            parts = {"your": [n for n in replaced if marks[n]["status"] != OPEN]}
            parts["a right"] = [n for n in replaced if n not in parts["your"]]
            told = " and ".join(f"{whose} {listed([f'`{n}`' for n in own])}" for whose, own in parts.items() if own)
            told = f"given {told}, in whose place the right one was put."
            start = "Right, " if again["status"] == RIGHT else "Looked at again, "
            again["sentences"] = [start + told, *again["sentences"]]
            marks[batch.task] = marks[batch.task] | again | {"given": replaced}


def right_answer(task: FunctionTask, coded: Sequence[Any]) -> dict[str, Any]:
    """The right answer for arguments that a child sends, where they are such as a task has; else an error."""
    args = [decode(one) for one in coded]
    if len(args) > 8 or not _modest(args):
        return {"error": "ValueError"}
    try:
        outcome = task.target(args)
    except Exception as error:  # of a type that the reference is never asked with, as it comes from a student
        outcome = Outcome(error=type(error).__name__)
    return {"error": outcome.error} if outcome.error else {"value": outcome.value}


def _modest(value: Any, depth: int = 0) -> bool:
    """Whether a value is made of some plain numbers and short texts."""
    if isinstance(value, (list, dict)):
        items = value if isinstance(value, list) else [*value, *value.values()]
        return depth < 4 and len(items) <= 500 and all(_modest(item, depth + 1) for item in items)
    if isinstance(value, (int, float)):
        return math.isfinite(value) and abs(value) <= 10_000
    return value is None or (isinstance(value, str) and len(value) <= 100)


_same: dict[tuple[str, str], bool] = {}


def says_the_same(task: FunctionTask, other: FunctionTask) -> bool:
    """Whether the one function is the other, perhaps with arguments in another order or left out.

    A call of the other shows nothing then.
    """
    key = task.name, other.name
    if key not in _same:
        _same[key] = _is_the_same(task, other)
    return _same[key]


def _is_the_same(task: FunctionTask, other: FunctionTask) -> bool:
    calls = [case.args for case in task.cases("the same")][:30]
    orders = [order for n in range(1, len(calls[0]) + 1) for order in permutations(range(len(calls[0])), n)]
    return any(
        all(
            max(order) < len(args) and not unlike(other.target([args[i] for i in order]), task.target(args))
            for args in calls
        )
        for order in orders
    )
