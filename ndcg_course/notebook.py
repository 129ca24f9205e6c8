"""What a notebook calls: check, hint, own, progress and the like. Answers are found by their names."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ndcg_course.explain import by_try, tries
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.cards import Own
from ndcg_course.explain.forbidden import noticed
from ndcg_course.explain.messages import COLLECTED, OPEN, PROBLEM, WRONG, Said, Standing, Verdict
from ndcg_course.explain.outcome import seen, show, with_article
from ndcg_course.explain.record import record
from ndcg_course.tasks import assignment_named, assignments, task_named
from ndcg_course.tasks.draw import tidy_id
from ndcg_course.tasks.task import FunctionTask, Task, ValueTask

SOLUTIONS = Path(__file__).with_name("solutions")
PRACTICE = 'The id is "demo": this is practice, and is not handed in under a name. Put your own id in the first cell.'
NO_ANSWER = ("none", "dots", "type", "finite")  # what is wrong with a value that is none of those asked for
_MISSING = type("OfThatName", (), {"__repr__": lambda self: "<the answer of that name>"})()


def check(name: str | Callable[..., Any] = "", value: Any = _MISSING, *, student_id: object = None) -> Verdict:
    """The verdict on one answer, which is found in the notebook by the name of its task.

    >>> best_first = lambda judged: sorted(judged, reverse=True)
    >>> check("best_first", best_first).passed
    True
    """
    if not isinstance(name, str):
        name, value = getattr(name, "__name__", ""), name
    verdict = _checked(name, value, student_id, sys._getframe(1).f_globals)
    if not os.environ.get("NBGRADER_EXECUTION"):
        return verdict
    return _told_to_nbgrader(_carried_on(verdict, name, value, student_id, sys._getframe(1).f_globals))


def _checked(name: str, value: Any, student_id: object, names: Mapping[str, Any]) -> Verdict:
    if not name:
        told = 'Which task is meant? Put its name in quotes, as in `check("cg_at")`.'
        return Verdict("no task", PROBLEM, 0, 0, [told])
    try:
        task, student = task_named(name), _student(student_id, names)
    except ValueError as error:
        return Verdict(name, PROBLEM, 0, 0, [_sentence(error)])
    if value is _MISSING:
        value = names.get(name, _MISSING)
    if value is _MISSING:
        told = f"There is no `{name}` in this notebook yet: run the cell above, and keep the name as it is."
        return Verdict(name, PROBLEM, 0, task.points, [told], notes=_cell_before(name))
    _take_up(names)
    verdict = _verdict(task, value, student)
    by_hand = isinstance(task, ValueTask) and task.kind == "compute"
    verdict.notes += _cell_before(name) + noticed(names)
    if task.has_data and student_id is None and "student_id" not in names and not verdict.passed:
        verdict.notes.append('There is no `student_id` in this notebook, so the numbers are those of the id "demo".')
    elif by_hand and verdict.status == WRONG and student != "demo" and _verdict(task, value, "demo").passed:
        told = 'It is right for the numbers of the id "demo": run the cell with your id and those below it again.'
        verdict.sentences, verdict.slips, verdict.example = [told], (), None
    return _kept(task, student, value, verdict)


def _carried_on(verdict: Verdict, name: str, value: Any, student_id: object, names: dict[str, Any]) -> Verdict:
    """As `ndcg grade` counts: what calls a function that failed is asked again with the right one in its place."""
    from ndcg_course.grade.carrying import says_the_same

    value = names.get(name) if value is _MISSING else value
    if verdict.status != WRONG or not isinstance(task := task_named(name), FunctionTask):
        return verdict
    tasks = next(one.tasks for one in assignments().values() if task in one.tasks)
    before = [one for one in tasks[: tasks.index(task)] if isinstance(one, FunctionTask)]
    student = _student(student_id, names)
    failed = [one for one in before if _verdict(one, names.get(one.name, ...), student).status in (WRONG, OPEN)]
    kept = {one.name: names[one.name] for one in failed if one.name in names}
    names |= {one.name: one.reference for one in failed if not says_the_same(task, one)}
    again = _verdict(task, value, student)
    for one in failed:
        names.pop(one.name, None)
    names |= kept
    return again if again.points > verdict.points else verdict


class NoPoints(AssertionError):
    """nbgrader gives nothing for a check that ends in an error. Shown are the words of the verdict alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Points(Verdict):
    """A verdict whose text is its points: what nbgrader reads below a check. Its HTML are the words."""

    def __repr__(self) -> str:
        return f"{self.points!r}"


def _told_to_nbgrader(verdict: Verdict) -> Verdict:
    if verdict.status == COLLECTED:  # a person marks it
        return verdict
    if not verdict.points:
        raise NoPoints(verdict.text())
    return Points(**vars(verdict))


def check_all(name: str) -> Standing | Said:
    """Check every answer of an assignment, and show where you stand in it.

    >>> "not attempted" in check_all("05-the-ideal-ranking").text()
    True
    """
    names = sys._getframe(1).f_globals
    try:
        assignment, student = assignment_named(name), _student(None, names)
    except ValueError as error:
        return Said([_sentence(error)])
    entries = {}
    for task in assignment.tasks:
        if names.get(task.name, ...) is not ...:
            verdict = _kept(task, student, names[task.name], _verdict(task, names[task.name], student))
            if verdict.status != OPEN:
                entries[task.name] = {"tries": 1, "points": verdict.points, "status": verdict.status}
    return Standing(student, [assignment], entries, by_task=True)


def missing(name: str) -> Said:
    """What an assignment still lacks before it is handed in.

    >>> missing("05-the-ideal-ranking").sentences[1][:37]
    'Not attempted: best_first, ideal_top,'
    """
    names = sys._getframe(1).f_globals
    try:
        assignment, student = assignment_named(name), _student(None, names)
    except ValueError as error:
        return Said([_sentence(error)])
    said = [PRACTICE] if student == "demo" else []
    found: dict[str, list[str]] = {}
    for task in assignment.tasks:
        value = names.get(task.name, ...)
        status = OPEN if value is ... else _kept(task, student, value, _verdict(task, value, student)).status
        found.setdefault(status, []).append(task.name)
    for status, words in ((OPEN, "Not attempted"), (WRONG, "Not right yet")):
        if status in found:
            said.append(f"{words}: {', '.join(found[status])}.")
    return Said(said or ["Nothing is missing: save the notebook and hand it in."])


def another(name: str) -> Said:
    """Another one like it: new numbers for a task of your own data, to practise on.

    >>> another("cg_by_hand").sentences[1]
    'Check your answer with `check("cg_by_hand", …, student_id="demo, again 1")`.'
    """
    try:
        task, student = task_named(name), _student(None, sys._getframe(1).f_globals)
    except ValueError as error:
        return Said([_sentence(error)])
    if not isinstance(task, ValueTask):
        return Said([f"Task {name} has no numbers of its own: its check draws them."])
    entry = record.tries_at(student, name)
    if _used_up(task, entry):
        return _new_draw(task, student, entry)
    number = int(record.of(student).get(name, {}).get("again", 0)) + 1
    record.note(student, name, again=number)
    practice = f"{student}, again {number}"
    data = ", ".join(f"{key} = {show(value)}" for key, value in task.data(practice).items())
    return Said(
        [f"Another one like it: {data}.", f'Check your answer with `check("{name}", …, student_id="{practice}")`.']
    )


def _used_up(task: Task, entry: tries.Entry) -> bool:
    """Whether the numbers were tried so often that there are new ones for this task; a sheet keeps its numbers."""
    open_still = isinstance(task, ValueTask) and task.kind == "compute" and not task.sheet and not entry["right"]
    return open_still and tries.at_these_numbers(entry) >= tries.AT_ONE_DRAW and entry["draw"] < tries.MOST_DRAWS


def _new_draw(task: ValueTask, student: str, entry: tries.Entry) -> Said:
    entry = tries.drawn_anew(entry, student)
    record.note(student, task.name, noted=entry)
    data = ", ".join(f"{key} = {show(value)}" for key, value in task.data(student, entry["draw"]).items())
    told = f"They count from now on: put your answer into `{task.name}`, and run its cell and its check again."
    return Said([f"New numbers for `{task.name}`: {data}.", told])


def recall(name: str, answer: object = None) -> Said:
    """A short question about a slip that you made in an assignment before this one.

    >>> recall("02-cumulative-gain").text()
    'Nothing to repeat from the assignments before.'
    """
    from ndcg_lib.slips import SLIPS

    try:
        assignment, student = assignment_named(name), _student(None, sys._getframe(1).f_globals)
    except ValueError as error:
        return Said([_sentence(error)])
    entries, known = record.of(student), assignments()
    before = [task.name for other, part in known.items() if other < assignment.name for task in part.tasks]
    made = [slip for task in before for slip in entries.get(task, {}).get("slips", ()) if slip in SLIPS]
    if not made:
        return Said(["Nothing to repeat from the assignments before."])
    slip = SLIPS[made[-1]]
    right, wrong = slip.on_example()
    if answer is None:
        given = ", ".join(f"{key} = {value}" for key, value in slip.example.items() if key != "quantity")
        offered = " or ".join(show(float(value), 3) for value in sorted((float(right), float(wrong))))
        asked = f"Before you begin, a slip of yours comes back. For {given}: is {slip.quantity.upper()} {offered}?"
        return Said([asked, f'Answer with `recall("{name}", …)`.'])
    if isinstance(answer, (int, float)) and abs(answer - right) <= 0.0051:
        return Said([f"Right. {slip.why}"])
    return Said([f"Not yet. {slip.why}"])


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
    last = f'; `solution("{name}", really=True)` shows a solution.' if name in solutions() else "."
    rest = "" if at < len(task.hints) else f" That was the last{last}"
    return Said([*_about_the_slip(student, name), f"Hint {at} of {len(task.hints)}: {task.hints[at - 1]}{rest}"])


def _about_the_slip(student: str, name: str) -> list[str]:
    """What the slip in the last answer misses, where one was named."""
    from ndcg_lib.slips import SLIPS

    entry = record.of(student).get(name, {})
    late = tries.at_these_numbers(record.tries_at(student, name)) >= tries.AT_ONE_DRAW  # the concept comes third
    made = [slip for slip in entry.get("last", ()) if slip in SLIPS] if entry.get("status") == WRONG and late else []
    return [f"About your last answer: {SLIPS[made[0]].why}"] if made else []


def solution(name: str, really: bool = False) -> Said:
    """A solution of the task: once it is passed, or on the explicit wish `really=True`.

    >>> solution("fooled").text()
    'Passed tasks show their solution. To see it before: `solution("fooled", really=True)`.'
    """
    try:
        task, student = task_named(name), _student(None, sys._getframe(1).f_globals)
    except ValueError as error:
        return Said([_sentence(error)])
    text = solutions().get(name)
    if text is None:
        return Said(["This copy of the kit comes without solutions; your teacher has them."])
    if not really and record.of(student).get(name, {}).get("points", 0) < task.points:
        return Said([f'Passed tasks show their solution. To see it before: `solution("{name}", really=True)`.'])
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
    task, student = _task_with_data(name, student_id, sys._getframe(1).f_globals)
    return Own(task.data(student, record.tries_at(student, name)["draw"]))


def figure(name: str, student_id: object = None) -> Any:
    """The plot of a task, drawn from your own data.

    >>> print(figure("useless_rank", "demo").title)
    CG rank by rank, for seven documents
    """
    task, student = _task_with_data(name, student_id, sys._getframe(1).f_globals)
    if not isinstance(task, ValueTask) or task.figure is None:
        raise Trouble(f"Task {name} has no plot.")
    return task.figure(**task.data(student, record.tries_at(student, name)["draw"]))


def progress(name: str | None = None) -> Standing | Said:
    """Where you stand in all assignments, or task by task in one.

    >>> "02-cumulative-gain" in progress().text()
    True
    """
    try:
        student = _student(None, sys._getframe(1).f_globals)
        from ndcg_course import course

        named = [name] if name else course.load().names(list(assignments()))
        chosen = [assignment_named(one) for one in named]
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
    """The verdict, noted in the record."""
    if verdict.status == OPEN:
        return verdict
    offered = isinstance(task, ValueTask) and task.options
    if (
        task.kind == "predict"
        and verdict.status == WRONG
        and (verdict.fault == "type" or (offered and not verdict.slips))
    ):
        verdict.notes.insert(0, "This does not count as your prediction: write one of the answers offered.")
        return verdict
    before = record.tries_at(student, task.name)
    noted = tries.tried(before, student, value, right=verdict.passed) if _is_a_try(task, verdict) else before
    if verdict.passed and task.shares != (1.0,):
        verdict.points, verdict.nth = task.earned(len(noted["wrong"])), len(noted["wrong"]) + 1
    news: dict[str, Any] = {"tries": 1, "points": verdict.points, "status": verdict.status, "noted": noted}
    news["last"] = list(verdict.slips)
    if verdict.slips:
        news["slips"] = list(verdict.slips)
    if task.kind == "predict":
        entry = record.of(student).get(task.name, {})
        if "first" not in entry:
            news["first"] = repr(value)[:80]
            if verdict.status == WRONG:
                verdict.notes.insert(
                    0, "Your prediction is noted. That it was not right is what makes it useful: now find out why."
                )
        elif verdict.passed and entry["first"] != repr(value)[:80]:
            verdict.notes.insert(0, f"Your first prediction was {entry['first']}, and right is {value!r}.")
    record.note(student, task.name, **news)
    if verdict.status == WRONG and not task.by_hand and not os.environ.get("NBGRADER_EXECUTION"):
        drawn = task.data(student, noted["draw"]) if isinstance(task, ValueTask) else None
        at = max(1, tries.at_these_numbers(noted))
        by_try.tell(task, verdict, drawn, seen(value).value if drawn else None, at)
        verdict.again = _used_up(task, noted)
    verdict.noted = _noted_beside(student, task)
    return verdict


def _is_a_try(task: Task, verdict: Verdict) -> bool:
    """Whether an answer has the form of one: what is none of the options, or no number, is no try."""
    if task.by_hand or verdict.passed or not isinstance(task, ValueTask):
        return not task.by_hand
    return bool(verdict.slips) if task.options else verdict.fault not in NO_ANSWER


def _noted_beside(student: str, task: Task) -> list[tries.Entry]:
    """The tries at all tasks of an assignment, which each of its checks carries: an output that is lost takes none."""
    beside = next((one.tasks for one in assignments().values() if task in one.tasks), (task,))
    found = (record.tries_at(student, one.name) for one in beside)
    return [entry for entry in found if entry["wrong"] or entry["right"] or entry["task"] == task.name]


_taken_up: set[str] = set()


def _take_up(names: Mapping[str, Any]) -> None:
    """What the saved notebook holds of tries, once: a kernel that was started again knows nothing of them."""
    session = os.environ.get("JPY_SESSION_NAME") or str(names.get("__vsc_ipynb_file__", ""))  # of Jupyter, of VS Code
    if session and session not in _taken_up and "PYTEST_CURRENT_TEST" not in os.environ:
        _taken_up.add(session)
        record.found += tries.beside(session)


def _shell() -> Any:
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def _verdict(task: Task, value: Any, student: str) -> Verdict:
    """The verdict; `exit()` in an answer ends that answer, as in plain Python, not the kernel with all its names."""
    shell, draw = _shell(), record.tries_at(student, task.name)["draw"]
    if shell is None or "ask_exit" in vars(shell):
        return verdict_on(task, value, student, draw)
    shell.ask_exit = sys.exit
    try:
        return verdict_on(task, value, student, draw)
    finally:
        del shell.ask_exit


def _cell_before(name: str) -> list[str]:
    """A word about an answer cell that broke off: what is checked is then an older answer."""
    result = getattr(_shell(), "last_execution_result", None)
    error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
    cell = str(getattr(getattr(result, "info", None), "raw_cell", ""))
    if error is None or name not in cell:
        return []
    return [f"The cell that ran before ended with {with_article(type(error).__name__)}: its answer does not count yet."]


def offer_names(shell: Any) -> None:
    """In a notebook, Tab after `check("` offers the names of the tasks, and not those of files."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator, unused-ignore]
    def names(context: Any) -> Any:
        found = re.search(r"\b(\w+)\(\s*[\"']([\w-]*)$", context.text_until_cursor)
        known = assignments()
        about = {"check_all", "missing", "recall", "progress"}  # a whole assignment
        if found is None or found[1] not in about | {"check", "hint", "own", "figure", "another", "solution"}:
            return {"completions": []}
        every = list(known) if found[1] in about else [task.name for one in known.values() for task in one.tasks]
        fitting = [SimpleCompletion(name, type="param") for name in every if name.startswith(found[2])]
        return {"completions": fitting, "matched_fragment": found[2], "suppress": True, "ordered": True}

    shell.Completer.custom_matchers.append(names)


def _task_with_data(name: str, student_id: object, names: Mapping[str, Any]) -> tuple[Task, str]:
    try:
        task, student = task_named(name), _student(student_id, names)
    except ValueError as error:
        raise Trouble(_sentence(error)) from None
    if not task.has_data:
        raise Trouble(f"Task {name} has no data of its own.")
    return task, student


def _student(given: object, names: Mapping[str, Any]) -> str:
    chosen = given if given is not None else names.get("student_id", "demo")
    return tidy_id("demo" if chosen is ... else chosen)


def _sentence(error: ValueError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text[-1] in ".?" else ".")


if getattr(_shell(), "Completer", None) is not None:
    with suppress(ImportError):  # an IPython before 8.6 completes in another way
        offer_names(_shell())
