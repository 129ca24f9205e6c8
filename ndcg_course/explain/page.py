"""What a page of the book asks of Python: the verdict as data, and which terms of a sum are right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ndcg_course.explain.faults import is_number
from ndcg_course.explain.messages import WRONG, Verdict
from ndcg_course.tasks import task_named
from ndcg_course.tasks.task import Task, ValueTask

MARK = "ndcg-verdict "  # before the line that is meant for the page
OFF = 0.0011  # what a term with three decimals may be off
PLACE_FROM = 2  # wrong tries, from which on the wrong term is marked


def sums(task: Task) -> str:
    """What holds the items, where the answer is a sum over one list, item by item; else nothing.

    >>> sums(task_named("dcg_by_hand")), sums(task_named("swap_loss"))
    ('grades', '')
    """
    if not isinstance(task, ValueTask) or task.kind != "compute":
        return ""
    data = task.data("demo")
    return next((name for name in data if terms(task, data, name)), "")


def terms(task: ValueTask, data: Mapping[str, Any], name: str) -> list[float]:
    """What each item brings, if the answer is their sum; those that bring nothing at the end are left out.

    >>> task = task_named("dcg_by_hand")
    >>> [round(term, 3) for term in terms(task, {"grades": [3, 1, 2], "k": 2}, "grades")]
    [3.0, 0.631]
    """
    items = data[name]
    if not isinstance(items, list) or not all(type(item) is int for item in items):
        return []
    alone = [[item if i == at else 0 for i in range(len(items))] for at, item in enumerate(items)]
    found = [task.wrong((), {**data, name: one}) for one in alone]
    one = task.wrong((), {**data, name: [1, *[0] * (len(items) - 1)]})  # of a share or a difference it is not 1
    if one != 1 or not all(map(is_number, found)) or abs(sum(found) - task.target(data)) > 1e-9:
        return []
    return found[: data["k"]] if isinstance(data.get("k"), int) else found


def as_data(verdict: Verdict, own: Mapping[str, Any] | None = None, typed: Sequence[str] = ()) -> str:
    """The verdict for a page, in one line; `typed` are the terms that were typed beside the sum."""
    entry = next((entry for entry in verdict.noted if entry["task"] == verdict.task), None)
    wrong = len(entry["wrong"]) if entry else 0
    marks: list[bool | None] = []
    said = ""
    task = task_named(verdict.task) if own and any(typed) else None
    if isinstance(task, ValueTask) and own and verdict.status == WRONG and (name := sums(task)):
        marks = [_is(text, term) for text, term in zip(typed, terms(task, own, name), strict=False)]
        if marks and all(marks):
            said = "Each of your terms is right: add them up again."
        elif wrong < PLACE_FROM:
            marks = []
    told = {
        "status": verdict.status,
        "points": verdict.points,
        "html": verdict.html(),
        "wrong": wrong,
        "draw": entry["draw"] if entry else 0,
        "noted": entry,
        "terms": marks,
        "said": said,
    }
    return MARK + json.dumps(told)


def _is(text: str, term: float) -> bool | None:
    """Whether a typed number is this term; nothing where none was typed."""
    try:
        return abs(float(text.replace(",", ".")) - term) <= OFF if text.strip() else None
    except ValueError:
        return False
