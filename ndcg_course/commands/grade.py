"""`ndcg grade`: a class; and what belongs to it: why a mark is as it is, the course's gradebook, Gradescope."""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ndcg_course.grade.options import TABLE, Option, from_course
from ndcg_lib.commands import terminal
from ndcg_lib.commands.cli import FINE, NO, WRONG

if TYPE_CHECKING:
    from ndcg_course.grade.gradebook import Gradebook
    from ndcg_course.grade.run import Options
    from ndcg_course.tasks.task import Assignment

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
ANSWERS = ("ndcg_lib", "ndcg_course", "sklearn", "ir_measures", "pytrec_eval", "ranx")


class Grade(click.Group):
    """A group whose command without a name of its own marks a class."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name in, where none of ours is there."""
        return super().parse_args(ctx, args if args and args[0] in self.commands else ["class", *args])


@click.group(name="grade", cls=Grade)
def command() -> None:
    """Mark a class."""


def _click(option: Option) -> Any:
    """An option of the table as click takes it."""
    names = [option.name, *option.flags.split(" ")]
    if option.kind == "switch":
        default = None if "/" in option.flags else False
        return click.option(*names, default=default, is_flag=True, help=option.about)
    number: Any = click.FloatRange if isinstance(option.least, float) else click.IntRange
    kinds: dict[str, Any] = {"file": FILE, "files": FILE, "names": str}
    kinds |= {"text": click.Choice(option.words) if option.words else str}
    kinds |= {"number": number(option.least, option.most)} if option.kind == "number" else {}
    several = option.kind in ("names", "files")
    return click.option(
        *names, type=kinds[option.kind], multiple=several, metavar=option.metavar or None, help=option.about
    )


def _with_table(function: Any) -> Any:
    for option in reversed([option for option in TABLE if option.flags]):
        function = _click(option)(function)
    return function


@command.command(name="class")
@click.argument("submissions", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Where to write.")
@_with_table
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def whole_class(submissions: Path | None, output: Path | None, as_json: bool, **given: Any) -> int:
    """Mark the notebooks in SUBMISSIONS, a folder or the zip of Moodle or Canvas.

    What is marked is kept: the same command goes on where it was stopped, and options that are left out are those of
    the run before. The exit code is 1 when a submission needs
    a person's eyes: a crash, a file that cannot be read, a stop at the deadline.

    \b
    Examples:
      ndcg grade submissions/ -o marks/
      ndcg grade moodle.zip -o marks/ --worksheet Grades.csv --due 2026-11-18T23:59 --late "10%/day" --export moodle
      ndcg grade -o marks/ --marks anna.csv --marks ben.csv
      ndcg grade explain marks/ "Ana Lima" cg_at
      ndcg grade book marks/* -o gradebook/
      ndcg grade autograder 02-cumulative-gain autograder.zip
    """
    from ndcg_course.grade.gradebook import Asked
    from ndcg_course.grade.run import run
    from ndcg_lib.commands.terminal import Bar

    if output is None:
        raise click.UsageError("give -o, where to write", click.get_current_context())
    if submissions is None and not given["marks"]:
        raise click.UsageError("give SUBMISSIONS, or --marks", click.get_current_context())
    options = _options(submissions, output, given)
    kept = (0, 0)

    def seen(done: int, of: int) -> None:
        nonlocal kept
        kept = (done, of)
        bar("marking", done, of)

    try:
        with Bar(counted=True) as bar:
            marked = run(options, seen)
    except Asked as error:
        terminal.complain(f"ndcg grade: {error}")
        return WRONG
    except KeyboardInterrupt:
        terminal.complain(f"ndcg grade: stopped; {kept[0]} of {kept[1]} kept; run the same command again to go on")
        raise
    for line in marked.said:
        terminal.complain(f"ndcg grade: {line}")
    return _told(marked, output, as_json=as_json)


def _options(submissions: Path | None, output: Path, given: dict[str, Any]) -> Options:
    """What was typed, and what the course file says where nothing was."""
    from ndcg_course.grade import exports
    from ndcg_course.grade.lateness import Lateness
    from ndcg_course.grade.notebooks import Limits
    from ndcg_course.grade.run import Options, plain_seed

    asked = dict(given)
    forms, packages = asked.pop("forms"), asked.pop("packages")
    chosen = tuple(dict.fromkeys(one for form in forms for one in ([*exports.FORMS] if form == "all" else [form])))
    for form in chosen:
        if form not in (*exports.FORMS, exports.SLIPS, "none"):
            raise ValueError(f"--export {form}: it can be {', '.join(exports.FORMS)}, all, slips or none")
    for package in packages:
        if package.partition(".")[0] in ANSWERS:
            raise ValueError(f"--allow {package}: it answers the tasks")
    due, late, deadline, memory = (asked.pop(name) for name in ("due", "late", "deadline", "memory"))
    limits = {"submission": deadline, "cell": deadline and min(5.0, deadline), "memory": memory and memory << 20}
    limits = {name: value for name, value in limits.items() if value is not None}
    asked |= {"dates": None, "course": None}
    for line in _from_the_course(asked, due):
        terminal.complain(f"ndcg grade: {line}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    seed, workers, unsafe, compare = (asked.pop(name) for name in ("seed", "workers", "unsafe", "compare"))
    return Options(
        submissions,
        output,
        seed=plain_seed(seed) if seed else None,
        lateness=Lateness.of(None if due == "none" else due, late) if due or late else None,
        forms=tuple(form for form in chosen if form != "none") if chosen else None,
        compare=compare or None,
        workers=workers or cores,
        locked=not unsafe,
        packages=tuple(sorted(set(packages))) or None,
        limits=Limits(**limits) if limits else None,
        **asked,
    )


def _from_the_course(asked: dict[str, Any], due: str | None) -> list[str]:
    """Fill in what no option says and the course file here or above does; what was filled in, in a line.

    The file is read whole for each run; a number that was written before changes by it only when the teacher agrees.
    """
    from ndcg_course import course

    if (file := course.find(Path.cwd())) is None:
        return []
    taught = course.load(file.parent)
    taken = {name: value for name, value in from_course(taught).items() if asked[name] is None}
    dates = taken.pop("dates", {})
    asked |= taken | {"course": taught, "dates": dates}
    shown = [f"--{key} {value.name if isinstance(value, Path) else value}" for key, value in taken.items()]
    if due is None:
        shown += [f"{name} {rule.told()}" for name, rule in dates.items()]
    return [f"from {course.FILE}: {', '.join(shown)}"] if shown else []


def _told(marked: Gradebook, output: Path, *, as_json: bool) -> int:
    """Print how the class did; the exit code."""
    statuses = Counter(row.status for row in marked.rows)
    waiting = sum(bool(row.waiting) for row in marked.rows)
    if as_json:
        told = {"students": len(marked.rows), "out_of": marked.out_of, "statuses": dict(sorted(statuses.items()))}
        terminal.say(json.dumps({**told, "waiting": waiting, "output": str(output)}, ensure_ascii=False))
    else:
        totals = [row.total for row in marked.rows if row.total is not None]
        mean = f", mean {sum(totals) / len(totals):.1f} of {marked.out_of} points" if totals else ""
        terminal.say(terminal.bold(f"{len(marked.rows)} students{mean}"))
        terminal.say(", ".join(f"{n} {status}" for status, n in sorted(statuses.items())))
        if waiting:
            terminal.say(
                f"{waiting} wait for a person's marks: {output / 'to-mark.html'}; their totals are without them"
            )
        terminal.say(f"Marks: {output / 'grades.csv'}; what to teach next: {output / 'summary.html'}")
    return NO if set(statuses) - {"graded"} else FINE


@command.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("student")
@click.argument("task")
def explain(folder: Path, student: str, task: str) -> int:
    """Show the first case that failed in TASK of STUDENT, in what was graded into FOLDER.

    Example: ndcg grade explain marks/ "Ana Lima" cg_at
    """
    from ndcg_course.grade.replay import explain as explained

    terminal.say(explained(folder, student, task))
    return FINE


@command.command()
@click.argument("assignment")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--seed", metavar="TEXT", help="Draw the inputs from this.")
@click.option("--unsafe", is_flag=True, help="Run without a sandbox, where there is none. Marks can be faked then.")
def autograder(assignment: str, file: Path, seed: str | None, unsafe: bool) -> int:
    """Write the autograder of ASSIGNMENT for Gradescope to FILE.

    Example: ndcg grade autograder 02-cumulative-gain autograder.zip
    """
    from ndcg_course.grade.gradescope import autograder as made
    from ndcg_course.grade.run import plain_seed
    from ndcg_course.tasks import assignment_named

    whole = assignment_named(assignment)
    file.write_bytes(made(whole.name, plain_seed(seed) if seed else secrets.token_hex(8), unsafe=unsafe))
    terminal.say(f"Upload this to Gradescope: {file} ({_points(whole)})")
    return FINE


@command.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, file_okay=False), help="Where to write.")
@click.option(
    "--marks", multiple=True, type=FILE, help="CSV: student, item, points, max; for what was marked elsewhere."
)
@click.option("--weight", "weights", multiple=True, type=(str, click.FloatRange(0, 1000)), metavar="ITEM N", help="How"
              " much an item counts, where others count 1; else as course.toml says.")  # fmt: skip
@click.option("--drop", type=click.IntRange(0, 20), help="How many of each student's lowest are left out.")
@click.option("--accept", is_flag=True, help="Change final marks that were written before, as the table said.")
def book(
    folders: tuple[Path, ...],
    output: Path,
    marks: tuple[Path, ...],
    weights: tuple[tuple[str, float], ...],
    drop: int | None,
    accept: bool,
) -> int:
    """Put the marks of several assignments, each in its FOLDER, into one gradebook with a final mark.

    Example: ndcg grade book marks/02 marks/06 -o gradebook/ --marks project.csv --weight project 2
    """
    from ndcg_course import course
    from ndcg_course.grade import term
    from ndcg_course.grade.gradebook import Asked

    file = course.find(Path.cwd())
    taught = course.load(file.parent) if file else course.Course()
    counted = {name: given.weight for name, given in taught.assignments.items()} | dict(weights)
    output.mkdir(parents=True, exist_ok=True)
    made = term.read(folders, counted, marks, taught.drop if drop is None else drop)
    try:
        term.put(made, output, accept=accept)
    except Asked as error:
        terminal.complain(f"ndcg grade book: {error}")
        return WRONG
    terminal.say(f"{len(made.points)} students, {len(made.items)} items: {output / 'gradebook.csv'}")
    return FINE


def _points(assignment: Assignment) -> str:
    """What Gradescope asks for: the points of the program, and those that a person gives."""
    from ndcg_course import course

    without = course.load().given(assignment.name).without
    tasks = [task for task in assignment.tasks if task.name not in without]
    by_hand = sum(task.points for task in tasks if task.by_hand)
    return f"autograder points: {sum(task.points for task in tasks) - by_hand}; by hand: {by_hand}"
