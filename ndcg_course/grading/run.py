"""A grading run: what was done stays done, what is missing is marked, and all pages are made from the results."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import ndcg_lib
from ndcg_course.grading import (
    exports,
    feedback,
    gradebook,
    handmarks,
    marking,
    pages,
    similarity,
    submissions,
    summary,
)
from ndcg_course.grading.gradebook import Gradebook
from ndcg_course.grading.handmarks import Mark
from ndcg_course.grading.journal import Journal, write
from ndcg_course.grading.lateness import Lateness
from ndcg_course.grading.limits import Limits
from ndcg_course.grading.marking import FAILED, Job, Settings
from ndcg_course.grading.trial import works
from ndcg_course.grading.workers import mark
from ndcg_course.tasks import assignment_named

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Options:
    """What a run is asked to do."""

    submissions: Path | None
    output: Path
    seed: str | None = None
    assignment: str = ""
    ids: str = "notebook"
    roster: Path | None = None
    attempts: str = "newest"
    lateness: Lateness = field(default_factory=Lateness)
    only: tuple[str, ...] = ()
    regrade: bool = False
    marks: Path | None = None
    forms: tuple[str, ...] = ()
    workers: int = 1
    scheduler: str = ""
    locked: bool = True
    magics: str = "auto"
    packages: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


def run(options: Options, progress: Progress = lambda done, total: None) -> Gradebook:
    """Mark what is not marked yet, and write everything."""
    output = options.output
    output.mkdir(parents=True, exist_ok=True)
    with _alone(output):
        settings = _settings(options)
        journal = Journal(output / "results.jsonl")
        journal.load()
        found = submissions.find(options.submissions, leave_out=output) if options.submissions else None
        if found is not None:
            if not found.jobs and not found.others:
                raise ValueError(f"{options.submissions}: there is no notebook in it")
            jobs = _with_roster(found.jobs, options.roster)
            todo = _todo(jobs, journal, options, settings)
            if todo and (lacking := works(settings.limits, locked=settings.locked)):
                raise ValueError(
                    f"the sandbox does not work here: {lacking}. Grade in a container (ndcg_course/grading/Dockerfile),"
                    " or pass --unsafe to run the notebooks as your own programs"
                )
            _mark_all(todo, settings, options, journal, progress)
            results = _final(journal.results, found, options)
            journal.finish(results)
        else:
            results = journal.results
            if not results:
                raise ValueError(f"{output}: there are no results yet; give the folder of submissions")
        book = _write_all(output, results, options, settings)
        _finished(output / "run.json")
        return book


def _settings(options: Options) -> Settings:
    """The settings of this run, or those with which it was begun; others may not mix with them."""
    file = options.output / "run.json"
    if options.assignment:
        assignment_named(options.assignment)
    before: dict[str, Any] = {}
    if file.is_file():
        try:
            before = json.loads(file.read_text("utf8"))
            seed = before["seed"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{file}: this cannot be read; move the folder away to grade anew") from None
        if options.regrade and not options.only and not before.get("unfinished"):
            _put_aside(options.output)
            before, seed = {}, None
    else:
        seed = None
    chosen = Settings(
        seed=options.seed or seed or secrets.token_hex(8),
        assignment=options.assignment,
        ids="roster" if options.roster else options.ids,
        locked=options.locked,
        magics=options.magics,
        packages=options.packages,
        limits=options.limits,
    )
    now = {"version": ndcg_lib.__version__, **asdict(chosen)}
    now = json.loads(json.dumps(now))
    if before and options.submissions is not None:
        changed = [name for name in now if now[name] != before.get(name) and name != "version"]
        if changed:
            raise ValueError(
                f"{file}: this folder was graded with another {changed[0]} ({before.get(changed[0])!r},"
                f" now {now[changed[0]]!r}): take another -o, or --regrade to begin anew"
            )
    if before and options.submissions is None:
        return replace(chosen, seed=before["seed"])
    if options.regrade and not options.only:
        now["unfinished"] = True  # killed on the way, the same command goes on with it, and does not begin anew again
    _write_settings(file, now)
    return chosen


def _write_settings(file: Path, settings: dict[str, Any]) -> None:
    write(file, json.dumps(settings, indent=1, sort_keys=True) + "\n")


def _finished(file: Path) -> None:
    """Note that a `--regrade` is done: the next one begins anew."""
    settings = json.loads(file.read_text("utf8"))
    if settings.pop("unfinished", False):
        _write_settings(file, settings)


def _put_aside(output: Path) -> None:
    """Keep the results of the run before under another name."""
    for name in ("results.jsonl", "run.json"):
        file = output / name
        if file.is_file():
            n = 1
            while (aside := output / "before" / f"{n}-{name}").exists():
                n += 1
            aside.parent.mkdir(exist_ok=True)
            os.replace(file, aside)


def _with_roster(jobs: Sequence[Job], roster: Path | None) -> list[Job]:
    if roster is None:
        return list(jobs)
    import csv

    with roster.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if not {"student", "id"} <= set(reader.fieldnames or []):
            raise ValueError(f"{roster}, line 1: the columns student and id are asked")
        ids = {(row["student"] or "").strip(): (row["id"] or "").strip() for row in reader}
    unknown = sorted({job.student for job in jobs} - ids.keys())
    if unknown:
        raise ValueError(
            f"{roster}: {unknown[0]!r} is not in it" + (f" (and {len(unknown) - 1} more)" if unknown[1:] else "")
        )
    return [replace(job, roster_id=ids[job.student]) for job in jobs]


def _todo(jobs: Sequence[Job], journal: Journal, options: Options, settings: Settings) -> list[Job]:
    done = {marking.key_of(result): result for result in journal.results if result["status"] != FAILED}
    if options.only:
        unknown = [name for name in options.only if name not in {job.student for job in jobs}]
        if unknown:
            raise ValueError(f"--only {unknown[0]}: no student is called so")
        jobs = [job for job in jobs if job.student in options.only]
        if options.regrade:
            return list(jobs)
    return [
        job
        for job in jobs
        if (before := done.get((job.student, job.file, job.attempt))) is None
        or before["sha256"] != marking.digest(job, settings)
    ]


def _mark_all(todo: Sequence[Job], settings: Settings, options: Options, journal: Journal, progress: Progress) -> None:
    done = 0
    progress(done, len(todo))
    try:
        for result in mark(todo, settings, workers=options.workers, scheduler=options.scheduler):
            journal.add(result)
            done += 1
            progress(done, len(todo))
    finally:
        journal.close()


def _final(results: Sequence[dict[str, Any]], found: submissions.Class, options: Options) -> list[dict[str, Any]]:
    """The last result of each submission, in the order of the students; what was handed in without a notebook too."""
    last = {marking.key_of(result): result for result in results}
    for student, file, reason in found.others:
        job = Job(student, file, "")
        last[student, file, 0] = marking.failed(job, reason) | {"status": "no notebook"}
    there = {(job.student, job.file, job.attempt): job for job in found.jobs}
    there_others = {(student, file, 0) for student, file, _ in found.others}
    kept = [result for key, result in last.items() if key in there or key in there_others]
    for result in kept:
        if (now := there.get(marking.key_of(result))) is not None:
            result["time"] = now.time
    return sorted(kept, key=lambda r: (r["student"], r["assignment"], r["file"], r["attempt"]))


def _write_all(output: Path, results: list[dict[str, Any]], options: Options, settings: Settings) -> Gradebook:
    marks = _marks(output, options)
    book = gradebook.make(results, marks, options.lateness, attempts=options.attempts)
    unknown = sorted({student for student, _ in marks} - {row.student for row in book.rows})
    if unknown:
        raise ValueError(f"{options.marks or output / 'to-mark.csv'}: no student is called {unknown[0]!r}")
    names = pages.file_names(row.student for row in book.rows)
    for row in book.rows:
        told = feedback.feedback(row, book, marks, options.lateness)
        write(output / "feedback" / f"{names[row.student]}.html", told, safe=False)
    write(output / "grades.csv", book.csv())
    chosen = [result for row in book.rows for result in row.results]
    alike = similarity.alike(chosen)
    pairs = [["assignment", "one", "other", "share"]]
    pairs += [[a["assignment"], a["one"], a["other"], f"{a['share']:g}"] for a in alike]
    write(output / "alike.csv", gradebook.table(pairs))
    open_tasks = {
        (row.student, task): told["out_of"]
        for row in book.rows
        for result in row.results
        for task, told in result["tasks"].items()
        if told["status"] in ("collected", "problem")
    }
    if open_tasks or marks:
        write(output / "to-mark.html", summary.to_mark(book, output))
        write(output / "to-mark.csv", handmarks.as_csv(open_tasks, marks))
    facts = [
        f"{len(book.rows)} students, {len(results)} submissions; {options.lateness.told()}.",
        f"The inputs were drawn from the seed {settings.seed}."
        + ("" if settings.locked else " The notebooks ran without a sandbox: these marks can be faked."),
    ]
    write(output / "summary.html", summary.summary(book, alike, names, facts))
    for place, text in exports.files(book, names, options.forms).items():
        write(output / place, text, safe=False)
    return book


def _marks(output: Path, options: Options) -> dict[tuple[str, str], Mark]:
    """The marks in the list of the output, and over them those of the file that is given."""
    own = output / "to-mark.csv"
    marks = handmarks.read(own) if own.is_file() else {}
    return marks | (handmarks.read(options.marks) if options.marks else {})


@contextlib.contextmanager
def _alone(output: Path) -> Iterator[None]:
    """Refuse a second run into the same folder."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (output / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{output}: another run is writing there; wait for it, or take another -o") from None
        yield


def plain_seed(text: str) -> str:
    """A seed that can be typed again.

    >>> plain_seed("autumn-2026")
    'autumn-2026'
    """
    if not re.fullmatch(r"[\w.-]{1,64}", text):
        raise ValueError(f"--seed {text}: letters, digits, . - and _ make a seed")
    return text
