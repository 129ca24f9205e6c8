"""Proves the assignments: files, solutions, unsolved notebooks, slips. Each proof gives the problems that it found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.judge import judge
from ndcg_course.explain.messages import COLLECTED, OPEN, RIGHT
from ndcg_course.explain.outcome import Outcome
from ndcg_course.make import source
from ndcg_course.make.build import build
from ndcg_course.make.files import SOLUTIONS, TASKS, read_source, run_fresh, sources
from ndcg_course.tasks import assignment_named
from ndcg_course.tasks.slips import slipped
from ndcg_course.tasks.task import Assignment, BuildTask, FunctionTask, Task, ValueTask

SOME_IDS = ("demo", "1234567", "ana müller", "s-0042", "zoë")


@dataclass
class Report:
    """What verify found, and how much it tried."""

    problems: list[str] = field(default_factory=list)
    assignments: int = 0
    tasks: int = 0
    wrong_answers: int = 0
    rejected: int = 0
    named: int = 0

    def line(self) -> str:
        """The report in one line."""
        found = _counted(len(self.problems), "problem") if self.problems else "all as it must be"
        return (
            f"{_counted(self.assignments, 'assignment')}, {_counted(self.tasks, 'task')}; of {self.wrong_answers} wrong"
            f" answers {self.rejected} are rejected and {self.named} named; {found}"
        )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def verified(root: Path, only: Sequence[str] = ()) -> Report:
    """Everything that is proved about the assignments."""
    report = Report(list(drift(root, only)))
    with sources(root, only) as texts:
        for assignment in map(assignment_named, texts):
            report.assignments += 1
            report.tasks += len(assignment.tasks)
            report.problems += [*solved_and_unsolved(root, assignment), *leaks(root, assignment)]
            for task in assignment.tasks:
                report.problems += right_answers(task)
                for result in wrong_answers(task):
                    report.wrong_answers += 1
                    report.rejected += result.rejected
                    report.named += result.named
                    report.problems += [result.problem(task)] if not (result.rejected and result.named) else []
    return report


def drift(root: Path, only: Sequence[str] = ()) -> Iterator[str]:
    """Generated files that are not what the sources make; without one of them there is nothing to prove."""
    wanted = build(root, only)
    for path, text in wanted.items():
        name = path.relative_to(root).as_posix()
        if not path.is_file():
            raise ValueError(f"{name} is missing: run `ndcg exercises build`")
        elif path.read_text("utf8") != text:
            yield f"{name} differs from its source: run `ndcg exercises build`"
    if not only:
        for pattern in (
            "exercises/*.ipynb",
            "solutions/*.ipynb",
            "book/assignments/*.md",
            f"{SOLUTIONS}/*.json",
            f"{TASKS}/*.json",
        ):
            for path in sorted(root.glob(pattern)):
                if path not in wanted:
                    yield f"{path.relative_to(root).as_posix()} has no source: remove it"


def solved_and_unsolved(root: Path, assignment: Assignment) -> Iterator[str]:
    """Solutions without full points, and unsolved exercises with any."""
    for folder, status in (("solutions", RIGHT), ("exercises", OPEN)):
        file = root / folder / f"{assignment.name}.ipynb"
        if not file.is_file():
            continue
        variables: dict[str, Any] = {"__name__": "__main__"}
        run_fresh(codes(file), variables)
        for task in assignment.tasks:
            verdict = verdict_on(task, variables.get(task.name), "demo")
            wanted = COLLECTED if task.by_hand and status == RIGHT else status
            if verdict.status != wanted:
                yield f"{folder}/{assignment.name}.ipynb: {task.name} is {verdict.status}, not {wanted}"
            elif status == RIGHT and not task.by_hand and verdict.points != task.points:
                yield f"{folder}/{assignment.name}.ipynb: {task.name} gets {verdict.points:g} of {task.points} points"


def leaks(root: Path, assignment: Assignment) -> Iterator[str]:
    """Lines of a solution in a file that students get."""
    text = read_source(root, assignment.name)
    tasks = {task.name: task for task in assignment.tasks}
    given = "\n".join(
        cell.text if cell.role != "answer" else source.student_code(cell, tasks[cell.task]) for cell in text.cells
    )
    files = [
        root / "exercises" / f"{assignment.name}.ipynb",
        root / "book" / "assignments" / f"{assignment.name.split('-', 1)[1]}.md",
    ]
    for file in files:
        if not file.is_file():
            continue
        shown = _texts(file)
        for marker in (source.BEGIN, source.END, source.STARTER):
            if marker in shown:
                yield f"{file.relative_to(root).as_posix()} holds the mark {marker!r}"
        for cell in text.cells:
            for line in source.solution_lines(cell) if cell.role == "answer" else []:
                if line in shown and line not in given:
                    yield f"{file.relative_to(root).as_posix()} holds a line of the solution of {cell.task}: {line}"


class Result(NamedTuple):
    """What became of one wrong answer."""

    slip: str
    rejected: bool
    named: bool

    def problem(self, task: Task) -> str:
        """The line for it, where it was not recognised."""
        return f"task {task.name}: the slip {self.slip} " + (
            "is rejected, but not named" if self.rejected else "passes"
        )


def right_answers(task: Task) -> Iterator[str]:
    """Right answers that do not pass, for several ids."""
    if isinstance(task, FunctionTask):
        if not verdict_on(task, task.reference, "demo").passed:
            yield f"task {task.name}: its own reference does not pass"
    elif isinstance(task, ValueTask):
        for student in SOME_IDS:
            if not verdict_on(task, task.target(task.data(student)), student).passed:
                yield f"task {task.name}: the answer for the id {student} does not pass"


def wrong_answers(task: Task) -> Iterator[Result]:
    """Each slip of a task, and each general mistake: is it rejected, and is it named?"""
    if isinstance(task, FunctionTask):
        for slip in task.applicable():
            verdict = verdict_on(task, slipped(task.reference, [slip]), "demo")
            yield Result(slip.name, not verdict.passed, verdict.slips == (slip.name,))
        for name, outcomes in general_mistakes(task):
            verdict = judge(task, task.cases("check"), outcomes)
            yield Result(name, not verdict.passed, name in (verdict.fault, *verdict.slips))
    elif isinstance(task, ValueTask):
        for student in SOME_IDS:
            data = task.data(student)
            for slip in task.slips:
                verdict = verdict_on(task, task.wrong([slip], data), student)
                named = verdict.slips == (slip.name,) or (task.kind == "compute" and not verdict.slips)
                yield Result(f"{slip.name} (id {student})", not verdict.passed, named)
            for option in (option for option in task.options if option != task.target(data)):
                verdict = verdict_on(task, option, student)
                named = verdict.slips == (option,) and bool(verdict.sentences[0])
                yield Result(f"{option} (id {student})", not verdict.passed, named)
    elif isinstance(task, BuildTask):
        for condition in task.conditions:
            wrong = condition.broken_by(task.data("demo")) if callable(condition.broken_by) else condition.broken_by
            verdict = verdict_on(task, wrong, "demo")
            yield Result(condition.name, not verdict.passed, verdict.slips == (condition.name,))


def general_mistakes(task: FunctionTask) -> Iterator[tuple[str, list[Outcome]]]:
    """Mistakes that any function can have, with the outcomes that they give."""
    cases = task.cases("check")
    right = [task.target(case.args) for case in cases]
    yield "none", [Outcome() for _ in cases]
    yield "type", [Outcome(value="0.5", type="str") for _ in cases]
    yield "error", [Outcome(error="NameError", message="name 'x' is not defined") for _ in cases]
    yield "loop", [Outcome(error="Stopped", message="2 s")]
    if any(isinstance(arg, list) and len(arg) > 1 for case in cases for arg in case.args):
        yield "input-changed", [_changed(case.args, outcome) for case, outcome in zip(cases, right, strict=True)]
    again = {json.dumps(case.args): i for i, case in enumerate(cases)}
    if all(isinstance(outcome.value, (int, float)) for outcome in right):
        late = [
            Outcome(
                value=o.value + 1 if again[json.dumps(c.args)] == i and i > len(cases) - 5 else o.value, type="float"
            )
            for i, (c, o) in enumerate(zip(cases, right, strict=True))
        ]
        yield "state-kept", late


def codes(notebook: Path) -> list[str]:
    """The code cells of a notebook."""
    return ["".join(cell["source"]) for cell in _cells(notebook) if cell["cell_type"] == "code"]


def _cells(notebook: Path) -> list[dict[str, Any]]:
    try:
        cells = json.loads(notebook.read_text("utf8"))["cells"]
        return [cell for cell in cells if cell["cell_type"] and cell["source"] is not None]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        place = f"{notebook.parent.name}/{notebook.name}"
        raise ValueError(f"{place} is not a notebook ({type(error).__name__}): make it again with build") from None


def _changed(args: list[Any], outcome: Outcome) -> Outcome:
    if not any(isinstance(arg, list) and len(arg) > 1 for arg in args):
        return outcome
    changed = [[*arg[::-1], 0] if isinstance(arg, list) else arg for arg in args]
    return Outcome(value=outcome.value, type=outcome.type, error=outcome.error, changed=changed)


def _texts(file: Path) -> str:
    if file.suffix == ".md":
        return file.read_text("utf8")
    cells = _cells(file)
    parts = ["".join(cell["source"]) for cell in cells]
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        parts += ["".join(text) for text in output.get("data", {}).values()] + ["".join(output.get("text", []))]
    return "\n".join(parts)
