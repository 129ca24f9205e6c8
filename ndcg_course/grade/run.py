"""A grading run: what was done stays done, what is missing is marked, and all pages are made from the results."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import ndcg_course
from ndcg_course import sealed
from ndcg_course.course import Course
from ndcg_course.grade import (
    byhand,
    exports,
    facts,
    gradebook,
    marking,
    pages,
    similarity,
    submissions,
    summary,
)
from ndcg_course.grade.byhand import Marks
from ndcg_course.grade.gradebook import OTHER, Gradebook
from ndcg_course.grade.journal import Journal, Record, write
from ndcg_course.grade.lateness import Lateness, Rules
from ndcg_course.grade.marking import FAILED, Settings
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.options import KEPT
from ndcg_course.grade.selftest import works
from ndcg_course.grade.submissions import Job
from ndcg_course.grade.workers import mark
from ndcg_course.grade.worksheet import Worksheet
from ndcg_course.tasks import assignment_named
from ndcg_course.tasks.draw import tidy_id

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Options:
    """What a run is asked to do. None: as in the run before, or as by default."""

    submissions: Path | None
    output: Path
    seed: str | None = None
    assignment: str | None = None
    ids: str | None = None
    typed_ids: str | None = None
    roster: Path | None = None
    worksheet: Path | None = None
    attempts: str | None = None
    lateness: Lateness | None = None
    dates: Mapping[str, Lateness] | None = None  # of the course, by assignment
    extensions: Path | None = None
    accept: bool = False  # numbers that were written before may change
    course: Course | None = None
    only: tuple[str, ...] = ()
    regrade: bool = False
    marks: tuple[Path, ...] = ()
    forms: tuple[str, ...] | None = None
    title: str | None = None
    points: float | None = None
    book: str | None = None
    compare: tuple[str, ...] | None = None
    anonymous: bool | None = None
    workers: int = 0  # processes that mark; 0: this one
    locked: bool = True
    magics: str | None = None
    packages: tuple[str, ...] | None = None
    limits: Limits | None = None
    mark: Callable[..., Iterator[dict[str, Any]]] | None = None  # who marks, where that is not done by processes


def run(options: Options, progress: Progress = lambda done, total: None) -> Gradebook:
    """Mark what is not marked yet, and write everything."""
    output = options.output
    if options.submissions is not None and options.submissions.resolve() == output.resolve():
        raise ValueError(f"{output}: marks cannot be written among what was handed in; take another -o")
    output.mkdir(parents=True, exist_ok=True)
    with _alone(output):
        record, settings = _begin(options)
        before = dict(record.options) if record.numbers else None
        said = record.take(_given(options))
        journal = Journal(output / "results.jsonl", settings.seed)
        journal.load()
        for name in {settings.assignment, *(result["assignment"] for result in journal.results)} - {""}:
            sealed.checked(name, options.course)
        results = list(filter(_of_this_seal, journal.results))
        if options.submissions is not None:
            results, more = _mark_class(options, options.submissions, record, settings, journal, progress, before)
            said += more
        elif not journal.results:
            raise ValueError(f"{output}: there are no results yet; give the folder of submissions")
        elif len(results) < record.lines:
            raise ValueError(
                f"{journal.path}: {record.lines - len(results)} lines are missing, or of an assignment that was built"
                " anew since; give the submissions, too, and they are marked again"
            )
        for name in {result["assignment"] for result in results if "tasks" in result}:
            sealed.checked(name, options.course)
        book, marks = _book(results, options, record, said)
        _asked(book, options, record)
        journal.finish(results)
        record.lines = len(results)
        _write_all(book, marks, results, options, record)
        record.open = ""
        record.write()
        return book


def _of_this_seal(result: Mapping[str, Any]) -> bool:
    """Whether a result was made of the assignment as it is built now."""
    return "tasks" not in result or result.get("seal") == sealed.now(result["assignment"])


def _asked(book: Gradebook, options: Options, record: Record) -> None:
    """Stop where numbers that were written before would change unasked; else keep a line for each that does."""
    rules = Rules.kept(record.options)
    new = gradebook.numbers(book, rules)
    found = gradebook.between(record.numbers, new, regraded=options.regrade)
    asked = [change for change in found if not change.told]
    if asked and not options.accept:
        file = options.output / "would-change.csv"
        write(file, gradebook.as_csv([[str(record.runs + 1), *change[:5]] for change in asked]))
        raise gradebook.Asked(asked, file)
    (options.output / "would-change.csv").unlink(missing_ok=True)
    if found or new != record.numbers or not record.runs:
        record.runs += 1
        record.changes += [[str(record.runs), *change[:5]] for change in found]
    held = sorted({name for student in new.values() for name in student["from"]})
    papers = {name: sealed.now(name) for name in held}
    ruled = {key: record.options[key] for key in ("attempts", "typed_ids", "roster")}
    dates = {name: rules.of("", name).told() for name in held}
    whole = [ndcg_course.__version__, papers, dates, record.options["extensions"], ruled]
    record.seal = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:12]
    record.numbers, book.seal = new, record.seal


def _given(options: Options) -> dict[str, Any]:
    """The options of a run that are kept."""
    given = {name: getattr(options, name) for name in KEPT}
    given["lateness"] = None if options.lateness is None else asdict(options.lateness)
    given["dates"] = None if options.dates is None else {name: asdict(rule) for name, rule in options.dates.items()}
    given["extensions"] = None if options.extensions is None else facts.extensions(options.extensions)
    given["roster"] = None if options.roster is None else facts.roster(options.roster)
    given["worksheet"] = None if options.worksheet is None else Worksheet.of(options.worksheet.read_bytes()).text
    return given


def _begin(options: Options) -> tuple[Record, Settings]:
    """The settings of this run, or those with which it was begun; others may not mix with them."""
    file = options.output / "run.json"
    record = Record.read(file)
    if options.assignment:
        assignment_named(options.assignment)
    if options.regrade and not options.only and record.open != "regrade":
        _put_aside(options.output)
        kept = {name: getattr(record, name) for name in ("options", "made", "numbers", "changes", "runs")}
        record = Record(file, **kept)
        record.open = "regrade"  # killed on the way, the same command goes on with it, and does not begin anew again
    given = {
        "seed": options.seed, "assignment": options.assignment, "ids": "roster" if options.roster else options.ids,
        "magics": options.magics, "packages": options.packages, "limits": options.limits and asdict(options.limits),
    }  # fmt: skip
    given = json.loads(json.dumps({name: value for name, value in given.items() if value is not None}))
    if record.settings and options.submissions is not None:
        given["locked"] = options.locked
        changed = [name for name, value in given.items() if value != record.settings.get(name)]
        if changed:
            raise ValueError(
                f"{file}: this folder was graded with another {changed[0]} ({record.settings.get(changed[0])!r},"
                f" now {given[changed[0]]!r}): take another -o, or --regrade to begin anew"
            )
    if not record.settings:
        record.settings = Settings(seed=secrets.token_hex(8), locked=options.locked).kept() | given
    return record, Settings.of(record.settings)


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


def _mark_class(
    options: Options, place: Path, record: Record, settings: Settings, journal: Journal, progress: Progress,
    options_before: dict[str, Any] | None,
) -> tuple[list[dict[str, Any]], list[str]]:  # fmt: skip
    """Mark what is new among the submissions: all results, and what a teacher should know about them."""
    found = submissions.find(place, leave_out=options.output)
    if not found.jobs and not found.others:
        raise ValueError(f"{place}: there is no notebook in it")
    found = facts.joined(found, record.options, place)
    todo = _todo(found.jobs, journal, options, settings)
    if todo and options.mark is None and (lacking := works(settings)):
        raise ValueError(
            f'the sandbox does not work here: {lacking}. Grade on the book\'s page "Grade a class", in a browser,'
            " or pass --unsafe to run the notebooks as your own programs"
        )
    if todo and not record.open:
        # Whoever has seen feedback, and hands in anew, gets new inputs; a result that was lost gets its own again.
        record.draw += bool(journal.results) and len(journal.results) >= record.lines
        record.open = "run"
    record.notes, record.place = [list(note) for note in found.notes], str(place.resolve())
    # Options that change a number hold from when the numbers are written, which may be refused.
    replace(record, options=record.options if options_before is None else options_before).write()
    before = {marking.key_of(result): result for result in journal.results}
    again = options.only and options.regrade
    unread = [replace(job, draw=record.draw) for job in todo]
    todo = [_drawn(job, before.get(_key(job)), settings, again=bool(again)) for job in unread]
    times = {key: result["time"] for key, result in before.items()}
    _mark_all(todo, settings, options, journal, progress)
    aside = {_key(job) for job in found.jobs if options.only and job not in todo and _is_new(job, before, settings)}
    results = _final(
        [result for result in journal.results if _of_this_seal(result)],
        replace(found, jobs=tuple(job for job in found.jobs if _key(job) not in aside)),
        aside,
    )
    _stop_if_strange(results, settings.assignment)
    facts.stop_if_of_the_download(results, record.options, place)
    now = {marking.key_of(result): result for result in results}
    moved = {key for key in now.keys() & times.keys() if now[key]["time"] != times[key] and before[key] is now[key]}
    return (
        results,
        [
            f"{what}: {facts.few(key[0] for key in keys)}"
            for what, keys in (
                ("no longer among what was handed in, so not counted now", before.keys() - now.keys()),
                ("handed in anew, and left as it was by --only", aside & now.keys()),
                ("the file has another time than before, which counts for lateness and the newest attempt", moved),
            )
            if keys
        ],
    )


def _drawn(job: Job, before: Mapping[str, Any] | None, settings: Settings, *, again: bool) -> Job:
    """The job with the inputs that it had, where the same file is marked again: only what was asked for may move."""
    same = before is not None and (again or before["sha256"] == marking.digest(job, settings))
    return replace(job, draw=before.get("draw", 0)) if before is not None and same else job


def _key(job: Job) -> tuple[str, str, int]:
    return job.student, job.file, job.attempt


def _todo(jobs: Sequence[Job], journal: Journal, options: Options, settings: Settings) -> list[Job]:
    fresh = list(filter(_of_this_seal, journal.results))
    done = {marking.key_of(r): r for r in fresh if r["status"] != FAILED and not r.get("again")}
    if options.only:
        only = {submissions.tidy(name) for name in options.only}
        unknown = only - {job.student for job in jobs}
        if unknown:
            raise ValueError(f"--only {min(unknown)}: no student is called so")
        old = {result["student"] for result in journal.results if not _of_this_seal(result)} - only
        if old - {result["student"] for result in fresh}:
            raise ValueError("--only: an assignment was built anew since all were marked; leave --only out, for all")
        jobs = [job for job in jobs if job.student in only]
        if options.regrade:
            return list(jobs)
    return [job for job in jobs if _is_new(job, done, settings)]


def _is_new(job: Job, done: Mapping[Any, Mapping[str, Any]], settings: Settings) -> bool:
    """Whether this has no mark, or that of other bytes or of another id."""
    before = done.get(_key(job))
    return (
        before is None
        or before["sha256"] != marking.digest(job, settings)
        or bool(job.roster_id and before.get("id") not in (None, tidy_id(job.roster_id)))
    )


def _mark_all(todo: Sequence[Job], settings: Settings, options: Options, journal: Journal, progress: Progress) -> None:
    done = 0
    progress(done, len(todo))
    marked = options.mark or mark
    try:
        unsure = []
        for result in marked(todo, settings, workers=options.workers):
            if result["reason"] == marking.UNSURE:
                unsure.append(marking.key_of(result))
                continue
            journal.add(result)
            done += 1
            progress(done, len(todo))
        alone = [job for job in todo if _key(job) in unsure]  # the machine was too busy to tell
        for result in marked(alone, settings, workers=min(1, options.workers)):
            journal.add(result)
    finally:
        journal.close()


def _final(results: Sequence[dict[str, Any]], found: submissions.Class, aside: Collection[Any]) -> list[dict[str, Any]]:
    """The last result of each submission, in the order of the students; what was handed in without a notebook too.

    The results of what is put aside stay as they are.
    """
    last = {marking.key_of(result): result for result in results}
    others = [Job(student, file, "", platform_id=identity) for student, file, _, identity in found.others]
    for job, (_, _, reason, _) in zip(others, found.others, strict=True):
        last[_key(job)] = marking.failed(job, reason) | {"status": "no notebook"}
    there = {_key(job): job for job in (*others, *found.jobs)}
    kept = [result for key, result in last.items() if key in there or key in aside]
    for result in kept:
        if (now := there.get(marking.key_of(result))) is not None:
            result["time"] = now.time
    return sorted(kept, key=lambda r: (r["student"], r["assignment"], r["file"], r["attempt"]))


def _stop_if_strange(results: Sequence[dict[str, Any]], assignment: str) -> None:
    """Stop before marks are written where most notebooks have nothing to do with the assignment."""
    read = [result for result in results if result["status"] != "no notebook"]
    strange = [result for result in read if result["status"] == OTHER]
    if assignment and 2 * len(strange) > len(read):
        holds = ", ".join(sorted({result["reason"] for result in strange})[:3])
        raise ValueError(
            f"{len(strange)} of {len(read)} notebooks hold no task of {assignment} ({holds}): is it the right"
            " --assignment? No marks were written"
        )


def _book(
    results: list[dict[str, Any]], options: Options, record: Record, said: Sequence[str]
) -> tuple[Gradebook, Marks]:
    """The gradebook, and the marks by hand that are in it. Nothing is written."""
    kept, output = record.options, options.output
    codes_of = byhand.codes_of({result["student"] for result in results}, record.settings["seed"])
    marks = _marks(output, options, {code: student for student, code in codes_of.items()})
    book = gradebook.make(
        results, marks, Rules.kept(kept), attempts=kept["attempts"], typed_ids=kept["typed_ids"],
        roster=kept["roster"] or {}, assignment=record.settings["assignment"],
    )  # fmt: skip
    people = {row.student for row in book.rows}
    lacking = sorted((kept["extensions"] or {}).keys() - people)
    book.notes = [*map(tuple, record.notes), *book.notes]
    book.said = [*said, *([f"--extensions names who has handed in nothing: {facts.few(lacking)}"] if lacking else [])]
    unknown = sorted({student for student, _ in marks} - people)
    if unknown:
        named = " ".join(map(str, options.marks)) or output / "to-mark.csv"
        raise ValueError(f"{named}: no student is called {unknown[0]!r}")
    for folder in kept["compare"]:
        if not Path(folder).exists():
            raise ValueError(f"--compare {folder}: there is no such folder or zip")
    return book, marks


def _write_all(book: Gradebook, marks: Marks, results: list[dict[str, Any]], options: Options, record: Record) -> None:
    output, kept = options.output, record.options
    rules = Rules.kept(kept)
    codes_of = byhand.codes_of({result["student"] for result in results}, record.settings["seed"])
    names = pages.file_names(row.student for row in book.rows)

    def page_of(row: gradebook.Row) -> str:  # one at a time: those of a large course would fill the memory
        return summary.feedback(row, book, marks, rules, kept["book"])

    for row in book.rows:
        write(output / "feedback" / f"{names[row.student]}.html", page_of(row), safe=False)
    write(output / "grades.csv", book.csv())
    chosen = [result for row in book.rows for result in row.results]
    held = {result["assignment"] for result in chosen}
    likeness = similarity.alike(chosen, similarity.elsewhere(kept["compare"], held))
    pairs = [["assignment", "one", "other", "share"]]
    pairs += [[a["assignment"], a["one"], a["other"], f"{a['share']:g}"] for a in likeness.pairs]
    write(output / "alike.csv", gradebook.table(pairs))
    seed, locked = record.settings["seed"], record.settings["locked"]
    answers = []
    for task in book.tasks:
        own = [(row.student, result["tasks"].get(task.name)) for row in book.rows for result in row.results]
        answers.append(
            (task, [(who, mark) for who, mark in own if mark and mark["status"] in ("collected", "problem")])
        )
    waiting = [(student, task.name) for task, given in answers for student, _ in given]
    if waiting or marks:
        codes = codes_of if kept["anonymous"] else {}
        texts = [(task, given) for task, given in answers if given]
        write(output / "to-mark.html", byhand.page_to_mark(texts, marks, output, codes))
        write(output / "to-mark.csv", byhand.as_csv(waiting, marks, codes))
    facts = [
        f"{len(book.rows)} students, {len(results)} submissions; {rules.told(sorted(held))}.",
        f"All that the marks hang on has the seal {record.seal}. The inputs were drawn from the seed {seed}."
        + ("" if locked else " The notebooks ran without a sandbox: these marks can be faked."),
    ]
    write(output / "summary.html", summary.summary(book, likeness, names, facts))
    write(output / "class.html", summary.projected(book))
    made = exports.files(book, page_of, kept)
    for place, text in made.items():
        write(output / place, text, safe=False)
    for place in set(record.made) - made.keys():
        (output / place).unlink(missing_ok=True)  # an old export beside new marks would be believed
    record.made = sorted(made)
    if record.changes:
        write(output / "changes.csv", gradebook.as_csv(record.changes))


def _marks(output: Path, options: Options, codes: Mapping[str, str]) -> Marks:
    """The marks in the list of the output, and over them those of the files that are given."""
    own = output / "to-mark.csv"
    marks = byhand.read([own], codes) if own.is_file() else {}
    return marks | byhand.read(options.marks, codes)


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
