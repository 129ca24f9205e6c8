"""Why a task got its points: the inputs are drawn again from the kept seed, and the notebook answers them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ndcg_course.explain.faults import fault
from ndcg_course.explain.outcome import Outcome, call_text, show, show_both, with_article
from ndcg_course.grade import gradebook, marking, notebooks, submissions
from ndcg_course.grade.cases import cases_of, data_of, tasks_of
from ndcg_course.grade.journal import Journal, Record
from ndcg_course.grade.lateness import Rules
from ndcg_course.grade.pages import visible
from ndcg_course.grade.session import Batch
from ndcg_course.tasks.task import BuildTask, Case, Condition, FunctionTask, Task, TextTask, ValueTask


def explain(output: Path, student: str, task_name: str) -> str:
    """The first case that failed, what was expected and what was given, and the student's code. For the teacher."""
    record = Record.read(output / "run.json")
    if not record.settings:
        raise ValueError(f"{output}: no class was graded into this folder")
    settings, student = marking.Settings.of(record.settings), submissions.tidy(student)
    journal = Journal(output / "results.jsonl", settings.seed)
    journal.load()
    own = [result for result in journal.results if result["student"] == student]
    if not own:
        names = ", ".join(sorted({result["student"] for result in journal.results})[:20])
        raise ValueError(f"no student is called {student!r}; there are {names}")
    kept = record.options
    book = gradebook.make(
        journal.results, {}, Rules.kept(kept), attempts=kept["attempts"], typed_ids=kept["typed_ids"],
        roster=kept["roster"] or {},
    )  # fmt: skip
    counted = next(row.results for row in book.rows if row.student == student)
    result = next((result for result in counted if task_name in result["tasks"]), None)
    if result is None:
        raise ValueError(f"{student} has no marks for {task_name!r}: {own[0]['status']}")
    found = submissions.find(Path(record.place), leave_out=output)
    job = next((job for job in found.jobs if marking.key_of(result) == (job.student, job.file, job.attempt)), None)
    if job is None or marking.digest(job, settings) != result["sha256"]:
        raise ValueError(f"{result['file']} is not in {record.place} as it was graded")
    loaded = notebooks.load(job.path, job.member, settings.limits)
    notebook = notebooks.parse(loaded.text(settings.limits), settings.limits)
    name, seed = result["assignment"], marking.inputs_of(settings, result["draw"])
    task = next(task for task in tasks_of(name, seed) if task.name == task_name)
    data = data_of(name, result["id"])
    cases = cases_of(name, seed)[task_name] if task.calls else [Case([data[task_name]] if task_name in data else [])]
    batch = Batch(task_name, [case.args for case in cases] if task.calls else None, isinstance(task, TextTask))
    try:
        answers = marking.asked(notebook, data, [batch], settings)
    finally:
        marking.close()
    mark = result["tasks"][task_name]
    head = f"{student}, {task_name}: {mark['points']:g} of {mark['out_of']} points, {mark['status']}"
    lines = [head, *mark["sentences"]]
    if task_name in answers.missing:
        lines.append(f"Nothing in the notebook is called {task_name} after its cells have run.")
    else:
        lines += _first_wrong(task, cases, answers.outcomes[task_name])
    ended = [f"cell {i + 1}: {error}" for i, error in sorted(answers.cells.items())]
    lines += [f"Cells that did not run to their end: {', '.join(ended)}"] if ended else []
    code = marking.code_of(task_name, notebook.cells) or "(no cell defines it)"
    return visible("\n".join([*lines, "", code]).replace("\r\n", "\n"))


def _first_wrong(task: Task, cases: list[Case], outcomes: list[Outcome]) -> list[str]:
    if isinstance(task, FunctionTask):
        for number, (case, outcome) in enumerate(zip(cases, outcomes, strict=False), start=1):
            target = task.target(case.args)
            wrong = fault(outcome, target, task.tolerance)
            if wrong is None and outcome.changed is None:
                continue
            expected, given = show_both(target.value, outcome.value)
            return [
                f"call {number} of {len(cases)} ({case.family}): {call_text(task.name, case.args)}",
                f"expected: {with_article(target.error) if target.error else expected}",
                f"given:    {with_article(outcome.error) if outcome.error else given}"
                + (", and the arguments are changed" if outcome.changed is not None else ""),
            ]
        return [f"All {len(outcomes)} calls are right."]
    given = f"given:    {outcomes[0].error or show(outcomes[0].value)}"
    if isinstance(task, ValueTask):
        data = cases[0].args[0]
        shown = ", ".join(f"{name} = {show(value)}" for name, value in data.items())
        return [f"data:     {shown}", f"expected: {show(task.target(data))}", given]
    if isinstance(task, BuildTask):
        held = (_holds(c, outcomes[0].value, cases[0].args) for c in task.conditions)
        broken = next((c for c, ok in zip(task.conditions, held, strict=True) if not ok), None)
        return [f"expected: {broken.says}" if broken else "All conditions hold.", given]
    return [given]


def _holds(condition: Condition, value: Any, own: list[Any]) -> bool:
    try:
        return bool(condition.holds(value, *own))
    except Exception:  # whatever was built, it does not meet the condition
        return False
