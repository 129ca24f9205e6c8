"""What a notebook calls: check, hint, solution, own, figure, progress. Answers are found by their names."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ndcg_course.checks.record import record
from ndcg_course.checks.trying import verdict_on
from ndcg_course.checks.verdict import OPEN, PROBLEM, WRONG, Said, Standing, Verdict
from ndcg_course.checks.words import with_article
from ndcg_course.tasks import assignment_named, assignments, task_named
from ndcg_course.tasks.task import Task, ValueTask, tidy_id

SOLUTIONS = Path(__file__).with_name("solutions")
_MISSING = object()


def check(name: str | Callable[..., Any] = "", value: Any = _MISSING, *, student_id: object = None) -> Verdict:
    """The verdict on one answer, which is found in the notebook by the name of its task.

    >>> best_first = lambda judged: sorted(judged, reverse=True)
    >>> check("best_first", best_first).passed
    True
    """
    if not isinstance(name, str):
        name, value = getattr(name, "__name__", ""), name
    if not name:
        told = 'Which task is meant? Put its name in quotes, as in `check("cg_at")`.'
        return Verdict("no task", PROBLEM, 0, 0, [told])
    names = sys._getframe(1).f_globals
    try:
        task, student = task_named(name), _student(student_id, names)
    except ValueError as error:
        return Verdict(name, PROBLEM, 0, 0, [_sentence(error)])
    if value is _MISSING:
        value = names.get(name, _MISSING)
    if value is _MISSING:
        told = f"There is no `{name}` in this notebook yet: run the cell above, and keep the name as it is."
        return Verdict(name, PROBLEM, 0, task.points, [told], notes=_cell_before(name))
    verdict = verdict_on(task, value, student)
    verdict.notes += _cell_before(name)
    if isinstance(task, ValueTask) and student_id is None and "student_id" not in names and not verdict.passed:
        verdict.notes.append('There is no `student_id` in this notebook, so the numbers are those of the id "demo".')
    return _kept(task, student, value, verdict)


def hint(name: str, step: int | None = None) -> Said:
    """The next of the three hints for a task, or the one of that number.

    >>> hint("best_first").text().startswith("Hint 1 of 3")
    True
    """
    try:
        task, student = task_named(name), _student(None, sys._getframe(1).f_globals)
        if step is not None and (
            isinstance(step, bool) or not isinstance(step, int) or not 1 <= step <= len(task.hints)
        ):
            raise ValueError(f"step is {step!r}: there are hints 1 to {len(task.hints)}")
    except ValueError as error:
        return Said([_sentence(error)])
    seen = int(record.of(student).get(name, {}).get("hints", 0))
    at = step or min(seen + 1, len(task.hints))
    record.note(student, name, hints=max(seen, at))
    rest = "" if at < len(task.hints) else f' That was the last; `solution("{name}", really=True)` shows a solution.'
    return Said([f"Hint {at} of {len(task.hints)}: {task.hints[at - 1]}{rest}"])


def solution(name: str, really: bool = False) -> Said:
    """A solution of the task: once it is passed, or on the explicit wish `really=True`.

    >>> solution("fooled").text()
    'Passed tasks show their solution. To see it before: `solution("fooled", really=True)`.'
    """
    try:
        task, student = task_named(name), _student(None, sys._getframe(1).f_globals)
    except ValueError as error:
        return Said([_sentence(error)])
    if not really and record.of(student).get(name, {}).get("points", 0) < task.points:
        return Said([f'Passed tasks show their solution. To see it before: `solution("{name}", really=True)`.'])
    text = solutions().get(name)
    if text is None:
        return Said(["This copy of the kit comes without solutions; your teacher has them."])
    return Said(["One solution; yours may differ and be as good."], code=text)


class Trouble(ValueError):
    """A wrong name or id; a notebook shows its message alone, without our lines of code."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def own(name: str, student_id: object = None) -> dict[str, Any]:
    """Your own data for a task, drawn from your id.

    >>> sorted(own("cg_by_hand", "demo"))
    ['grades', 'k']
    """
    task, student = _value_task(name, student_id, sys._getframe(1).f_globals)
    return task.data(student)


def figure(name: str, student_id: object = None) -> Any:
    """The plot of a task, drawn from your own data.

    >>> print(figure("useless_rank", "demo").title)
    CG rank by rank, for seven documents
    """
    task, student = _value_task(name, student_id, sys._getframe(1).f_globals)
    if task.figure is None:
        raise Trouble(f"Task {name} has no plot.")
    return task.figure(**task.data(student))


def progress(name: str | None = None) -> Standing | Said:
    """Where you stand in all assignments, or task by task in one.

    >>> "02-cumulative-gain" in progress().text()
    True
    """
    try:
        student = _student(None, sys._getframe(1).f_globals)
        chosen = [assignment_named(name)] if name else list(assignments().values())
    except ValueError as error:
        return Said([_sentence(error)])
    return Standing(student, chosen, record.of(student), by_task=name is not None)


@cache
def solutions() -> Mapping[str, str]:
    """The solution of each task as text, if this copy has them."""
    found: dict[str, str] = {}
    for file in SOLUTIONS.glob("*.json"):
        found |= json.loads(file.read_text("utf8"))
    return found


def _kept(task: Task, student: str, value: Any, verdict: Verdict) -> Verdict:
    """The verdict, noted in the record; nbgrader, which looks for errors, gets one."""
    if verdict.status == OPEN:
        if os.environ.get("NBGRADER_EXECUTION"):
            raise AssertionError(verdict.text())
        return verdict
    news: dict[str, Any] = {"tries": 1, "points": verdict.points, "status": verdict.status}
    if task.kind == "predict":
        entry = record.of(student).get(task.name, {})
        if "first" not in entry:
            news["first"] = repr(value)[:80]
            if verdict.status == WRONG:
                verdict.notes.insert(
                    0, "Your prediction is noted. That it was not right is what makes it useful: now find out why."
                )
        elif verdict.passed and entry["first"] != repr(value)[:80]:
            verdict.notes.insert(0, f"Your first prediction was {entry['first']}.")
    record.note(student, task.name, **news)
    if os.environ.get("NBGRADER_EXECUTION") and verdict.status in (WRONG, PROBLEM):
        raise AssertionError(verdict.text())
    return verdict


def _cell_before(name: str) -> list[str]:
    """A word about an answer cell that broke off: what is checked is then an older answer."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    result = getattr(shell, "last_execution_result", None)
    error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
    cell = str(getattr(getattr(result, "info", None), "raw_cell", ""))
    if error is None or name not in cell:
        return []
    return [f"The cell that ran before ended with {with_article(type(error).__name__)}: its answer does not count yet."]


def _value_task(name: str, student_id: object, names: Mapping[str, Any]) -> tuple[ValueTask, str]:
    try:
        task, student = task_named(name), _student(student_id, names)
    except ValueError as error:
        raise Trouble(_sentence(error)) from None
    if not isinstance(task, ValueTask):
        raise Trouble(f"Task {name} has no data of its own.")
    return task, student


def _student(given: object, names: Mapping[str, Any]) -> str:
    chosen = given if given is not None else names.get("student_id", "demo")
    return tidy_id("demo" if chosen is ... else chosen)


def _sentence(error: ValueError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text[-1] in ".?" else ".")
