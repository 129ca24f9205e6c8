"""Marks one submission: reads it, has it answered in the sandbox, judges the answers. Runs in a worker process."""

from __future__ import annotations

import atexit
import json
import os
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ndcg_course import sealed
from ndcg_course.explain import tries
from ndcg_course.explain.messages import COLLECTED, OPEN, PROBLEM, RIGHT, WRONG, Verdict
from ndcg_course.explain.outcome import Outcome
from ndcg_course.explain.shown import stands_in
from ndcg_course.grade import messages, notebooks, similarity
from ndcg_course.grade.carrying import carry_on
from ndcg_course.grade.cases import cases_of, data_of, judge, tasks_of
from ndcg_course.grade.explained import explain
from ndcg_course.grade.gradebook import OTHER
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.process import CRASHED, REFUSED, STOPPED, Broken, Gone, Zygote, ignore_signals_of_children
from ndcg_course.grade.session import Answers, Batch, Right, asking, at_once
from ndcg_course.grade.submissions import Job
from ndcg_course.tasks.draw import tidy_id
from ndcg_course.tasks.task import Case, FunctionTask, Task, TextTask, ValueTask

UNSURE = "the machine was too busy to tell"
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

    def kept(self) -> dict[str, Any]:
        """As it is kept."""
        told: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return told

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Settings:
        """As it was kept.

        >>> Settings.of(Settings("a seed", packages=("scipy",)).kept()).packages
        ('scipy',)
        """
        return cls(**{**kept, "packages": tuple(kept["packages"]), "limits": Limits(**kept["limits"])})


_zygotes: dict[tuple[Any, ...], Zygote] = {}
Begin = Callable[[Settings, bool, bool], Zygote]


def begun_here(settings: Settings, magics: bool, many: bool) -> Zygote:
    """A clean process that this process begins."""
    ignore_signals_of_children()
    return Zygote(settings.limits, locked=settings.locked, magics=magics, many=many, packages=settings.packages)


@dataclass
class Place:
    """Where a judge sits: who begins clean processes for it, and who is told which task it is at."""

    begin: Begin = begun_here
    at: Callable[[str], None] = lambda task: None


here = Place()


def mark(job: Job, settings: Settings) -> dict[str, Any]:
    """The result of one submission, in this process."""
    loaded = taken(job, settings)
    if isinstance(loaded, dict):
        return loaded
    return judged(job, loaded.digest, lambda: loaded.text(settings.limits), settings)


def taken(job: Job, settings: Settings) -> notebooks.Loaded | dict[str, Any]:
    """The bytes of a submission; its result where they cannot be read. Nothing is done with them."""
    try:
        return notebooks.load(job.path, job.member, settings.limits, job.stamp)
    except notebooks.Unreadable as error:
        return _result(job, "", "", UNREADABLE, str(error))
    except notebooks.Changed as error:
        return failed(job, str(error))


def judged(*given: Any) -> dict[str, Any]:
    """The same as `judging`, with a clean process of this machine."""
    return at_once(judging(*given))


async def judging(
    job: Job, digest: str, text: Callable[[], bytes], settings: Settings, lost: Collection[str] = ()
) -> dict[str, Any]:
    """The result of what stands in a submission. Whatever goes wrong with it is a result too.

    Tasks that are `lost` have ended or held up a judge before: they are not judged now.
    """
    try:
        here.at("")
        notebook = notebooks.parse(text(), settings.limits)
        held = notebooks.assignment_of(notebook, job.file)
        name = settings.assignment or held
        if not name:
            return _result(job, digest, "", UNREADABLE, "no task of any assignment is in it")
        if name != held and notebooks.tasks_in(notebook, held) and not notebooks.tasks_in(notebook, name):
            return _result(job, digest, "", OTHER, f"it holds the tasks of {held}")
        return await _marked(job, digest, name, notebook, settings, lost)
    except notebooks.Unreadable as error:
        return _result(job, digest, settings.assignment, UNREADABLE, str(error))
    except Gone:
        return _result(job, digest, settings.assignment, FAILED, UNSURE)
    except Broken as error:
        return _result(job, digest, settings.assignment, FAILED, str(error))
    except Exception as error:  # a mistake of ours may not cost the others their marks
        if os.environ.get("NDCG_TRACEBACK"):
            raise
        return _result(job, digest, settings.assignment, FAILED, f"a mistake of ndcg itself, {type(error).__name__}")


def digest(job: Job, settings: Settings) -> str:
    """The fingerprint of a submission's bytes; "" where they cannot be read."""
    try:
        size, _, known = job.stamp.partition("\0") if job.member is None else ("", "", "")
        return known if size else notebooks.load(job.path, job.member, settings.limits, job.stamp).digest
    except (notebooks.Unreadable, notebooks.Changed):
        return ""


def failed(job: Job, reason: str) -> dict[str, Any]:
    """The result of a submission that could not be marked; the same command tries again."""
    return _result(job, "", "", FAILED, reason)


def key_of(result: Mapping[str, Any]) -> tuple[str, str, int]:
    """What makes a result the result of one submission."""
    return result["student"], result["file"], result["attempt"]


async def _marked(
    job: Job, digest: str, name: str, notebook: notebooks.Notebook, settings: Settings, lost: Collection[str]
) -> dict[str, Any]:
    seed = inputs_of(settings, job.draw)
    tasks, cases = tasks_of(name, seed), cases_of(name, seed)
    student_id = _student_id(job, notebook, settings)
    noted = _noted(notebook, tasks)
    data = _data(name, student_id, tasks, noted)
    batches = [
        Batch(task.name, [case.args for case in cases[task.name]] if task.calls else None, isinstance(task, TextTask))
        for task in tasks
    ]
    # Values before functions: once it was called, a notebook could hide what it was called with in a value.
    batches.sort(key=lambda batch: batch.calls is not None)
    answers = await asked_of(notebook, data, batches, settings)
    typed = _typed_id(student_id, notebook, settings)
    others = _data(name, typed, tasks, noted) if typed else {}
    marks = {}
    again = list[str]()  # tasks that a fault of ours kept from being judged
    for task in tasks:
        own = cases.get(task.name) or [Case([data[task.name]])] if task.name in (cases | data) else [Case([])]
        mark = _mark_of(task, own, answers, notebook.pictures_of(task.name) if task.by_hand else [], lost)
        again += [task.name] if mark["status"] == PROBLEM else []
        if mark["status"] == WRONG and not mark["points"] and stands_in(task, notebook.cells):
            mark |= {"status": OPEN, "slips": [], "fault": "", "sentences": []}  # the slip is the task's own
        if task.name in others and mark["status"] == WRONG:
            theirs = _mark_of(task, [Case([others[task.name]])], answers, [])
            mark |= {key: theirs[key] for key in ("slips", "fault", "sentences", "place")}  # of these numbers
            if theirs["status"] == RIGHT:
                mark["typed_points"] = _by_tries(task, theirs, noted)["points"]
                mark["sentences"] = [f"Right for the id {typed!r} that the notebook sets; yours is {student_id!r}."]
        if task.name in answers.missing and (how := _not_reached(task.name, notebook.cells, answers)):
            mark |= {"status": WRONG, "sentences": [how]}
        marks[task.name] = mark = _by_tries(task, mark, noted)
        if mark["status"] not in (OPEN, COLLECTED) and (code := code_of(task.name, notebook.cells)):
            mark["code"] = code
    try:
        await carry_on(
            marks, tasks, cases, notebook.cells,
            lambda asked, right: asked_of(notebook, {}, asked, settings, right),
            lambda task, found: _again(task, cases[task.name], found),
        )  # fmt: skip
        wrong = [] if answers.ended else [one for one in marks if _is_to_be_explained(marks[one], answers, one)]
        await explain(name, marks, wrong, notebook.cells, lambda asked: asked_of(notebook, data, asked, settings))
    except (Gone, Broken):
        raise
    except Exception:  # a mistake of ours: what was judged before stands, and the next run tries again
        again.append("")
    status = CRASH_STATUS.get(answers.ended, GRADED) if answers.ended else GRADED
    result = _result(job, digest, name, status, _reason(answers))
    result["tasks"] = marks
    result["points"] = _total(mark["points"] for mark in marks.values())
    result |= {"id": student_id, "typed": typed, "draw": job.draw, "seal": sealed.now(name), "held": notebook.seal}
    result["cells"] = {str(i + 1): _left_out(answers, i, notebook.cells) for i in sorted(answers.cells)[:50]}
    result["shape"] = similarity.fingerprint(notebook.cells, name)
    if not noted and any(task.shares != (1.0,) and marks[task.name]["status"] == RIGHT for task in tasks):
        result["untried"] = "others" if notebook.tries else "none"
    return result | ({"again": True} if again else {})


def _is_to_be_explained(mark: Mapping[str, Any], answers: Answers, name: str) -> bool:
    """Whether a check would say more of a wrong function; what does not end is not waited for once more."""
    outcomes = answers.outcomes.get(name, ())
    ended = any(outcome.error in ("Stopped", "Crash", "Unavailable") for outcome in outcomes)
    return bool(mark["status"] == WRONG and mark["calls"] and "given" not in mark and not ended)


def _noted(notebook: notebooks.Notebook, tasks: Sequence[Task]) -> dict[str, tries.Entry]:
    """The tries that the file holds of whoever it says it is by, as they were noted with each check."""
    try:
        writer = tidy_id(notebook.student_id or "demo")
    except ValueError:
        return {}
    names = {task.name for task in tasks}
    return {name: entry for name, entry in tries.of_student(notebook.tries, writer).items() if name in names}


def _data(
    name: str, student_id: str, tasks: Sequence[Task], noted: Mapping[str, tries.Entry]
) -> dict[str, dict[str, Any]]:
    """A student's own data by task, of the draw that was noted last."""
    anew = {
        task.name: task.data(student_id, noted[task.name]["draw"])
        for task in tasks
        if isinstance(task, ValueTask) and task.name in noted and noted[task.name]["draw"] and not task.sheet
    }
    return data_of(name, student_id) | anew


def _by_tries(task: Task, mark: dict[str, Any], noted: Mapping[str, tries.Entry]) -> dict[str, Any]:
    """What a right answer leaves of its points at the try that it was.

    A task that the file says nothing of was never checked, and its answer is the first one. Of a file that says nothing
    of any task nobody knows how many there were: it counts as at the last try, or taking the tries out would pay.
    """
    entry = noted.get(task.name)
    if entry:
        mark = mark | {"tries": len(entry["wrong"]) + (mark["status"] == RIGHT)}
    if mark["status"] != RIGHT or task.shares == (1.0,):
        return mark
    wrong = (len(entry["wrong"]) if entry else 0) if noted else None
    points = task.earned(wrong)
    return mark | {"points": points, "sentences": [*messages.by_tries(task, wrong, points), *mark["sentences"]]}


def _left_out(answers: Answers, index: int, cells: Sequence[str]) -> str:
    """What of a cell did not run, in words: the statements that failed; else the error that ended it."""
    error, lines = answers.cells[index], cells[index].splitlines() if 0 <= index < len(cells) else []
    told = []
    for number in answers.cut.get(index, ())[:5]:
        text = lines[number - 1].strip()[:60].replace("`", "'") if 0 < number <= len(lines) else ""
        module = re.match(r"(?:from|import)\s+([\w.]+)", text)
        if module and "Import" in error + "Import" * (error == "ModuleNotFoundError"):
            told.append(f"`{module[1]}` is not here while you are graded: `{text}` was left out")
        else:
            why = f" ({error})" if not told else ""
            told.append(f"line {number}, `{text}`, failed{why} and was left out")
    return "; ".join(told) or error


def _not_reached(name: str, cells: Sequence[str], answers: Answers) -> str:
    """What a student is told whose notebook defines an answer in a cell that did not come so far; or nothing."""
    written = re.compile(rf"(?m)^(?:def {name}\b|{name}[ \t]{{0,9}}=(?![ \t]*(?:=|\.\.\.)))")
    at = next((i for i in answers.cells if 0 <= i < len(cells) and written.search(cells[i])), None)
    return "" if at is None else f"Cell {at + 1} holds your `{name}`, and it did not run as far as that."


def inputs_of(settings: Settings, draw: int) -> str:
    """The seed of the inputs of a draw."""
    return f"{settings.seed}/{draw}" if draw else settings.seed


def _again(task: Task, cases: Sequence[Case], answers: Answers) -> dict[str, Any]:
    here.at(task.name)
    return _judged(task, cases, answers, [])


def code_of(name: str, cells: Sequence[str]) -> str:
    """The cells that hold the student's answer to a task, for the student's own page."""
    named = (cell for cell in cells if name in cell)
    holding = [cell for cell in named if re.search(rf"(?m)^(?:def {name}\b|{name}[ \t]{{0,9}}=[^=])", cell)]
    return "\n\n".join(holding[-2:])[:3000]


def _reason(answers: Answers) -> str:
    """Why a notebook was not judged to its end, and in which cells or tasks."""
    if not answers.ended:
        return ""
    places = [f"cell {i + 1}" for i, error in answers.cells.items() if error in REASONS and i >= 0] + [*answers.lost]
    return REASONS[answers.ended] + (f" in {', '.join(places[:5])}" if places else "")


def _mark_of(
    task: Task, cases: Sequence[Case], answers: Answers, pictures: Sequence[str], lost: Collection[str] = ()
) -> dict[str, Any]:
    here.at(task.name)
    try:
        if task.name in lost:
            raise TimeoutError
        return _judged(task, cases, answers, pictures)
    except Exception as error:  # a mistake of ours costs this student this task, and the next run tries again
        if os.environ.get("NDCG_TRACEBACK"):
            raise
        how = "ended the judge, or took too long" if task.name in lost else type(error).__name__
        return {
            "status": PROBLEM, "points": 0, "out_of": task.points, "slips": [], "fault": "", "place": task.place,
            "sentences": [f"This answer could not be judged ({how}). It is tried again, or a person looks at it."],
            "properties": [], "calls": {},
        }  # fmt: skip


def _judged(task: Task, cases: Sequence[Case], answers: Answers, pictures: Sequence[str]) -> dict[str, Any]:
    outcomes = [
        outcome if outcome.changed is None else replace(outcome, changed=[None for _ in case.args])
        for case, outcome in zip(cases, answers.outcomes[task.name], strict=False)
    ]  # that a call changed its arguments is known, and into what is not told
    if task.name in answers.missing:
        verdict = Verdict(task.name, OPEN, 0, task.points, place=task.place)
    else:
        verdict = judge(task, cases, outcomes)
    if pictures:
        verdict = Verdict(task.name, COLLECTED, 0, task.points, place=task.place)
    ended = answers.lost.get(task.name, "")
    said = messages.sentences(task, verdict, outcomes)
    if not task.calls and outcomes and outcomes[0].error in ("Stopped", "Crash"):
        said = ["The notebook ended before this answer could be read."]
    mark: dict[str, Any] = {
        "status": ended or verdict.status,
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
    from ndcg_course.explain.faults import fault

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


def asked(*given: Any) -> Answers:
    """The same as `asked_of`, with a clean process of this machine."""
    return at_once(asked_of(*given))


async def asked_of(
    notebook: notebooks.Notebook,
    data: Mapping[str, Any],
    batches: Sequence[Batch],
    settings: Settings,
    right: Right | None = None,
) -> Answers:
    """What the notebook answers, in a clean process of this worker."""
    magics = settings.magics == "always" or (settings.magics == "auto" and notebook.magics)
    many = magics or bool(settings.packages) or notebook.imports_more
    key = (settings.limits, settings.locked, magics, many, settings.packages, os.getpid(), threading.get_ident())
    here.at("")
    for attempt in (1, 2):
        zygote = _zygotes.get(key)
        try:
            if zygote is None:
                _zygotes[key] = zygote = here.begin(settings, magics, many)
            return await asking(zygote, notebook.cells, data, batches, settings.limits, right)
        except Broken:
            _zygotes.pop(key, None)
            if attempt == 2:
                raise
    raise AssertionError("unreachable")


def close() -> None:
    """End the clean processes of this worker."""
    while _zygotes:
        _zygotes.popitem()[1].close()


atexit.register(close)  # however a run ends


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


def _typed_id(student_id: str, notebook: notebooks.Notebook, settings: Settings) -> str:
    """The id that the notebook sets, where it is another than the student's own."""
    if settings.ids == "notebook":
        return ""
    try:
        typed = tidy_id(notebook.student_id)
    except ValueError:
        return ""
    return typed if typed != student_id else ""


def _total(points: Any) -> float:
    total = round(sum(points), 9)
    return int(total) if total == int(total) else total
