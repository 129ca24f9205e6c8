"""`ndcg grade`: a class."""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ndcg_lib.commands import terminal
from ndcg_lib.commands.cli import FINE, NO, WRONG

if TYPE_CHECKING:
    from ndcg_course.tasks.task import Assignment


@click.command(name="grade")
@click.argument("submissions", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Where to write.")
@click.option("--assignment", metavar="NAME", help="The assignment; else each notebook's own.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes; as many as there are cores.")
@click.option("--attempts", type=click.Choice(["newest", "best"]), help="Which attempt counts; else the newest.")
@click.option("--due", metavar="TIME", help="When it is due, as 2026-11-18T23:59+01:00, or none.")
@click.option("--late", metavar="RULE", help="What lateness costs, as 10%/day,max 50%.")
@click.option("--extensions", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="CSV: student, until,"
              " and perhaps assignment: who has more time.")  # fmt: skip
@click.option("--accept", is_flag=True, help="Change numbers that were written before, as the table said.")
@click.option("--worksheet", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="The grading worksheet"
              " that Moodle exports: for the times, and to be filled in.")  # fmt: skip
@click.option("--only", multiple=True, metavar="STUDENT", help="Mark this student only; repeat for more.")
@click.option("--regrade", is_flag=True, help="Mark again, with new inputs; with --only, with the same.")
@click.option("--marks", multiple=True, type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Marks"
              " given by hand; repeat for each tutor's list.")  # fmt: skip
@click.option("--anonymous/--names", default=None, help="Codes in the place of names on the page to mark by hand.")
@click.option("--export", "forms", multiple=True, metavar="FORM", help="canvas, moodle, nbgrader, all or none.")
@click.option("--title", metavar="TEXT", help="The name of the assignment in Canvas.")
@click.option("--points", type=click.FloatRange(0, 10000, min_open=True), help="The points possible in Canvas.")
@click.option("--book", metavar="ADDRESS", help="Where the book is published, for links on the pages of feedback.")
@click.option("--ids", type=click.Choice(["notebook", "folder"]), help="Whose own numbers: the id"
              " that the notebook sets, or the student's name.")  # fmt: skip
@click.option("--roster", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="CSV: student, id.")
@click.option("--typed-ids", type=click.Choice(["count", "refuse"]), help="Whether an answer counts that is right for"
              " the id that a student typed, where a roster says another.")  # fmt: skip
@click.option("--compare", multiple=True, metavar="DIR", type=click.Path(exists=True), help="Look for likeness with"
              " the work in this folder, too.")  # fmt: skip
@click.option("--explain", nargs=2, metavar="STUDENT TASK", help="Show the first case that failed, in what was graded"
              " into SUBMISSIONS.")  # fmt: skip
@click.option("--autograder", type=click.Path(path_type=Path, dir_okay=False), metavar="ZIP", help="Write the"
              " autograder for Gradescope here; needs --assignment.")  # fmt: skip
@click.option("--seed", metavar="TEXT", help="Draw the inputs from this.")
@click.option("--magics", type=click.Choice(["auto", "always", "never"]), help="Run cells in IPython;"
              " auto: where a line needs it.")  # fmt: skip
@click.option("--allow", "packages", multiple=True, metavar="PACKAGE", help="A package that notebooks may import.")
@click.option("--deadline", type=click.FloatRange(1, 3600), metavar="S", help="Seconds per submission; 15.")
@click.option("--memory", type=click.IntRange(64, 65536), metavar="MB", help="Memory per submission; 512.")
@click.option("--unsafe", is_flag=True, help="Run without a sandbox, where there is none. Marks can be faked then.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def command(
    submissions: Path | None,
    output: Path | None,
    assignment: str | None,
    explain: tuple[str, str] | None,
    autograder: Path | None,
    seed: str | None,
    marks: tuple[Path, ...],
    forms: tuple[str, ...],
    packages: tuple[str, ...],
    compare: tuple[str, ...],
    due: str | None,
    late: str | None,
    jobs: int | None,
    deadline: float | None,
    memory: int | None,
    unsafe: bool,
    as_json: bool,
    **others: Any,
) -> int:
    """Mark the notebooks in SUBMISSIONS, a folder or the zip of Moodle or Canvas.

    What is marked is kept: the same command goes on where it was stopped, and options that are left out are those of
    the run before. The exit code is 1 when a submission needs
    a person's eyes: a crash, a file that cannot be read, a stop at the deadline.

    \b
    Examples:
      ndcg grade submissions/ -o marks/
      ndcg grade moodle.zip -o marks/ --worksheet Grades.csv --due 2026-11-18T23:59 --late "10%/day" --export moodle
      ndcg grade -o marks/ --marks anna.csv --marks ben.csv
      ndcg grade marks/ --explain "Ana Lima" cg_at
    """
    from ndcg_course.grade import exports
    from ndcg_course.grade.changes import Asked
    from ndcg_course.grade.lateness import Lateness
    from ndcg_course.grade.limits import Limits
    from ndcg_course.grade.replay import explain as explained
    from ndcg_course.grade.run import Options, plain_seed, run
    from ndcg_course.tasks import assignment_named
    from ndcg_lib.commands.progress import Bar

    if explain:
        folder = output or submissions
        if folder is None:
            raise click.UsageError("give the folder that was graded into", click.get_current_context())
        terminal.say(explained(folder, *explain))
        return FINE
    if autograder:
        from ndcg_course.grade.gradescope import autograder as made_for_gradescope

        if not assignment:
            raise click.UsageError("give --assignment with --autograder", click.get_current_context())
        drawn = plain_seed(seed) if seed else secrets.token_hex(8)
        whole = assignment_named(assignment)
        autograder.write_bytes(made_for_gradescope(whole.name, drawn, unsafe=unsafe))
        terminal.say(f"Upload this to Gradescope: {autograder} ({_points(whole)})")
        return FINE
    if output is None:
        raise click.UsageError("give -o, where to write", click.get_current_context())
    if submissions is None and not marks:
        raise click.UsageError("give SUBMISSIONS, or --marks", click.get_current_context())
    chosen = tuple(dict.fromkeys(form for given in forms for form in ([*exports.FORMS] if given == "all" else [given])))
    for form in chosen:
        if form not in (*exports.FORMS, "none"):
            raise ValueError(f"--export {form}: it can be {', '.join(exports.FORMS)}, all or none")
    for package in packages:
        if package.partition(".")[0] in ("ndcg_lib", "ndcg_course", "sklearn", "ir_measures", "pytrec_eval", "ranx"):
            raise ValueError(f"--allow {package}: it answers the tasks")
    limits: dict[str, Any] = {
        "submission": deadline,
        "cell": deadline and min(5.0, deadline),
        "memory": memory and memory << 20,
    }
    given = {name: value for name, value in limits.items() if value is not None}
    asked = {"assignment": assignment, "due": due, "late": late, **others}
    for line in _from_the_course(asked):
        terminal.complain(f"ndcg grade: {line}")
    assignment, due, late = (asked.pop(name) for name in ("assignment", "due", "late"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    options = Options(
        submissions,
        output,
        seed=plain_seed(seed) if seed else None,
        assignment=assignment,
        lateness=Lateness.of(None if due == "none" else due, late) if due or late else None,
        marks=marks,
        forms=tuple(form for form in chosen if form != "none") if chosen else None,
        compare=compare or None,
        workers=jobs or cores,
        locked=not unsafe,
        packages=tuple(sorted(set(packages))) or None,
        limits=Limits(**given) if given else None,
        **asked,
    )
    try:
        with Bar(counted=True) as bar:
            marked = run(options, partial(bar, "marking"))
    except Asked as error:
        terminal.complain(f"ndcg grade: {error}")
        return WRONG
    except KeyboardInterrupt:
        terminal.complain("ndcg grade: stopped. What is marked is kept, and the same command goes on there")
        raise
    statuses = Counter(row.status for row in marked.rows)
    eyes = sum(n for status, n in statuses.items() if status != "graded")
    for line in marked.said:
        terminal.complain(f"ndcg grade: {line}")
    if as_json:
        told = {"students": len(marked.rows), "out_of": marked.out_of, "statuses": dict(sorted(statuses.items()))}
        told["waiting"] = sum(bool(row.waiting) for row in marked.rows)
        terminal.say(json.dumps({**told, "output": str(output)}, ensure_ascii=False))
    else:
        totals = [row.total for row in marked.rows if row.total is not None]
        mean = f", mean {sum(totals) / len(totals):.1f} of {marked.out_of} points" if totals else ""
        terminal.say(terminal.bold(f"{len(marked.rows)} students{mean}"))
        terminal.say(", ".join(f"{n} {status}" for status, n in sorted(statuses.items())))
        if waiting := sum(bool(row.waiting) for row in marked.rows):
            terminal.say(
                f"{waiting} wait for a person's marks: {output / 'to-mark.html'}; their totals are without them"
            )
        terminal.say(f"Marks: {output / 'grades.csv'}; what to teach next: {output / 'summary.html'}")
    return NO if eyes else FINE


def _points(assignment: Assignment) -> str:
    """What Gradescope asks for: the points of the program, and those that a person gives."""
    from ndcg_course import course

    without = course.load().given(assignment.name).without
    tasks = [task for task in assignment.tasks if task.name not in without]
    by_hand = sum(task.points for task in tasks if task.by_hand)
    return f"autograder points: {sum(task.points for task in tasks) - by_hand}; by hand: {by_hand}"


def _from_the_course(asked: dict[str, Any]) -> list[str]:
    """Fill in what no option says and the course file here or above does; what was filled in, in a line.

    The file is read whole for each run; a number that was written before changes by it only when the teacher agrees.
    """
    from ndcg_course import course

    if (file := course.find(Path.cwd())) is None:
        return []
    taught = course.load(file.parent)
    named = [*taught.assignments]
    found = {"assignment": named[0] if len(named) == 1 else "", "roster": taught.roster, "book": taught.address}
    found["extensions"] = taught.extensions
    taken = {key: value for key, value in found.items() if value and asked[key] is None}
    asked |= taken | {"course": taught, "dates": taught.dates()}
    shown = [f"--{key} {value.name if isinstance(value, Path) else value}" for key, value in taken.items()]
    if asked["due"] is None:
        shown += [f"{name} {rule.told()}" for name, rule in taught.dates().items()]
    return [f"from {course.FILE}: {', '.join(shown)}"] if shown else []
