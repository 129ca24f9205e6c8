"""Marks one submission: reads it, has it answered in the sandbox, judges the answers. Runs in a worker process."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ndcg_course.checks import starters
from ndcg_course.checks.outcome import Outcome
from ndcg_course.checks.verdict import COLLECTED, OPEN, PROBLEM, WRONG, Verdict
from ndcg_course.grading import notebooks, similarity, telling
from ndcg_course.grading.known import cases_of, data_of, tasks_of
from ndcg_course.grading.limits import Limits
from ndcg_course.grading.process import CRASHED, REFUSED, STOPPED, Broken, Zygote, ignore_signals_of_children
from ndcg_course.grading.session import Answers, Batch, ask
from ndcg_course.tasks.task import Case, FunctionTask, Task, TextTask, tidy_id

GRADED, UNREADABLE, FAILED = "graded", "unreadable", "not graded"
CRASH_STATUS = {STOPPED: "stopped", CRASHED: "crashed", REFUSED: "crashed"}
REASONS = {
    STOPPED: "took longer than it may",
    CRASHED: "ended its process",
    REFUSED: "sent what is no answer, or left too much in its folder",
}


@dataclass(frozen=True)
class Settings:
    """What decides the marks of a run, besides the notebooks."""

    seed: str
    assignment: str = ""  # "": each notebook's own
    ids: str = "notebook"  # whose numbers a student has: the id in the notebook, or the name of the submission
    locked: bool = True
    magics: str = "auto"
    packages: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Job:
    """One notebook to mark."""

    student: str
    file: str  # as it is shown, from the folder of submissions on
    path: str
    member: int | None = None
    attempt: int = 0
    time: float = 0.0
    late_mark: bool = False
    platform_id: str = ""
    roster_id: str = ""


_zygotes: dict[tuple[Any, ...], Zygote] = {}


def mark(job: Job, settings: Settings) -> dict[str, Any]:
    """The result of one submission. Whatever goes wrong with it is a result too."""
    try:
        data = notebooks.load(job.path, job.member, settings.limits)
    except notebooks.Unreadable as error:
        return _result(job, "", "", UNREADABLE, str(error))
    digest = hashlib.sha256(data).hexdigest()
    try:
        notebook = notebooks.parse(data, settings.limits)
        name = settings.assignment or notebooks.assignment_of(notebook, job.file)
        if not name:
            return _result(job, digest, "", UNREADABLE, "no task of any assignment is in it")
        return _marked(job, digest, name, notebook, settings)
    except notebooks.Unreadable as error:
        return _result(job, digest, settings.assignment, UNREADABLE, str(error))
    except Broken as error:
        return _result(job, digest, settings.assignment, FAILED, str(error))
    except Exception as error:  # a mistake of ours may not cost the others their marks
        if os.environ.get("NDCG_TRACEBACK"):
            raise
        return _result(job, digest, settings.assignment, FAILED, f"a mistake of ndcg itself, {type(error).__name__}")


def digest(job: Job, settings: Settings) -> str:
    """The fingerprint of a submission's bytes; "" where they cannot be read."""
    try:
        return hashlib.sha256(notebooks.load(job.path, job.member, settings.limits)).hexdigest()
    except notebooks.Unreadable:
        return ""


def failed(job: Job, reason: str) -> dict[str, Any]:
    """The result of a submission that could not be marked; the same command tries again."""
    return _result(job, "", "", FAILED, reason)


def key_of(result: Mapping[str, Any]) -> tuple[str, str, int]:
    """What makes a result the result of one submission."""
    return result["student"], result["file"], result["attempt"]


def _marked(job: Job, digest: str, name: str, notebook: notebooks.Notebook, settings: Settings) -> dict[str, Any]:
    tasks = tasks_of(name, settings.seed)
    student_id = _student_id(job, notebook, settings)
    data = data_of(name, student_id)
    cases = {task.name: cases_of(name, settings.seed)[task.name] for task in tasks if task.calls}
    batches = [
        Batch(task.name, [case.args for case in cases[task.name]] if task.calls else None, isinstance(task, TextTask))
        for task in tasks
    ]
    # Values before functions: once it was called, a notebook could hide what it was called with in a value.
    batches.sort(key=lambda batch: batch.calls is not None)
    answers = _asked(notebook, data, batches, settings)
    marks = {}
    for task in tasks:
        own = cases.get(task.name) or [Case([data[task.name]])] if task.name in (cases | data) else [Case([])]
        mark = _mark_of(task, own, answers, notebook.pictures_of(task.name) if task.by_hand else [])
        if mark["status"] == WRONG and not mark["points"] and starters.stands_in(task, notebook.cells):
            mark |= {"status": OPEN, "slips": [], "fault": "", "sentences": []}  # the slip is the task's own
        marks[task.name] = mark
    status = CRASH_STATUS.get(answers.ended, GRADED) if answers.ended else GRADED
    result = _result(job, digest, name, status, _reason(answers))
    result["tasks"] = marks
    result["points"] = _total(mark["points"] for mark in marks.values())
    result["id"] = student_id
    result["cells"] = {str(index + 1): error for index, error in sorted(answers.cells.items())[:50]}
    result["shape"] = similarity.fingerprint(notebook.cells, name)
    return result


def _reason(answers: Answers) -> str:
    """Why a notebook was not judged to its end, and in which cells or tasks."""
    if not answers.ended:
        return ""
    places = [f"cell {i + 1}" for i, error in answers.cells.items() if error in REASONS and i >= 0] + [*answers.lost]
    return REASONS[answers.ended] + (f" in {', '.join(places[:5])}" if places else "")


def _mark_of(task: Task, cases: Sequence[Case], answers: Answers, pictures: Sequence[str]) -> dict[str, Any]:
    outcomes = answers.outcomes[task.name]
    if task.name in answers.missing:
        verdict = Verdict(task.name, OPEN, 0, task.points, place=task.place)
    else:
        try:
            verdict = task.judge(cases, outcomes)
        except Exception as error:
            told = [f"This answer could not be judged ({type(error).__name__}); a person looks at it."]
            verdict = Verdict(task.name, PROBLEM, 0, task.points, told, place=task.place)
    if pictures:
        verdict = Verdict(task.name, COLLECTED, 0, task.points, place=task.place)
    lost = answers.lost.get(task.name, "")
    said = telling.sentences(task, verdict, outcomes)
    if not task.calls and outcomes and outcomes[0].error in ("Stopped", "Crash"):
        said = ["The notebook ended before this answer could be read."]
    mark: dict[str, Any] = {
        "status": lost or verdict.status,
        "points": verdict.points,
        "out_of": task.points,
        "slips": list(verdict.slips),
        "fault": verdict.fault,
        "sentences": said,
        "place": verdict.place,
        "properties": [[part.name, part.points, part.passed] for part in verdict.properties],
        "calls": _calls(task, cases, outcomes, verdict.passed) if task.name not in answers.missing else {},
    }
    if task.by_hand and verdict.status == COLLECTED:
        mark["text"] = outcomes[0].value if outcomes and isinstance(outcomes[0].value, str) else ""
        if pictures:
            mark["pictures"] = list(pictures)
    return mark


def _calls(task: Task, cases: Sequence[Case], outcomes: Sequence[Outcome], all_right: bool) -> dict[str, list[str]]:
    """Each call's verdict, by family: right, wrong, or the type of the error."""
    if not isinstance(task, FunctionTask):
        return {}
    from ndcg_course.checks.faults import fault

    told: dict[str, list[str]] = {}
    if all_right:
        for case in cases:
            told.setdefault(case.family, []).append("right")
        return told
    for case, outcome in zip(cases, outcomes, strict=False):
        wrong = fault(outcome, task.target(case.args), task.tolerance)
        word = "right" if wrong is None else outcome.error or ("wrong" if wrong.code == "value" else wrong.code)
        told.setdefault(case.family, []).append(word)
    return told


def _asked(
    notebook: notebooks.Notebook, data: Mapping[str, Any], batches: Sequence[Batch], settings: Settings
) -> Answers:
    magics = settings.magics == "always" or (settings.magics == "auto" and notebook.magics)
    key = (settings.limits, settings.locked, magics, settings.packages, os.getpid(), threading.get_ident())
    for attempt in (1, 2):
        zygote = _zygotes.get(key)
        try:
            if zygote is None:
                ignore_signals_of_children()
                zygote = Zygote(settings.limits, locked=settings.locked, magics=magics, packages=settings.packages)
                _zygotes[key] = zygote
            return ask(zygote, notebook.cells, data, batches, settings.limits)
        except Broken:
            _zygotes.pop(key, None)
            if attempt == 2:
                raise
    raise AssertionError("unreachable")


def close() -> None:
    """End the clean processes of this worker."""
    while _zygotes:
        _zygotes.popitem()[1].close()


def _result(job: Job, digest: str, assignment: str, status: str, reason: str) -> dict[str, Any]:
    return {
        "student": job.student,
        "file": job.file,
        "attempt": job.attempt,
        "sha256": digest,
        "time": job.time,
        "late_mark": job.late_mark,
        "platform_id": job.platform_id,
        "assignment": assignment,
        "status": status,
        "reason": reason,
    }


def _student_id(job: Job, notebook: notebooks.Notebook, settings: Settings) -> str:
    given = job.roster_id or (job.student if settings.ids == "folder" else notebook.student_id)
    try:
        return tidy_id(given)
    except ValueError:
        return "demo"


def _total(points: Any) -> float:
    total = round(sum(points), 9)
    return int(total) if total == int(total) else total
