"""`ndcg grade`: a class."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import click

from ndcg_lib import terminal
from ndcg_lib.cli import FINE, NO


@click.command(name="grade")
@click.argument("submissions", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, file_okay=False), help="Where to write.")
@click.option("--assignment", default="", metavar="NAME", help="The assignment; else each notebook's own.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes; as many as there are cores.")
@click.option("--attempts", type=click.Choice(["newest", "best"]), default="newest", help="Which attempt counts.")
@click.option("--due", metavar="TIME", help="When it is due, as 2026-11-18T23:59+01:00.")
@click.option("--late", metavar="RULE", help="What lateness costs, as 10%/day,max 50%.")
@click.option("--only", multiple=True, metavar="STUDENT", help="Mark this student only; repeat for more.")
@click.option("--regrade", is_flag=True, help="Mark again, with new inputs; with --only, with the same.")
@click.option("--marks", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Marks given by hand.")
@click.option("--export", "forms", multiple=True, metavar="FORM", help="canvas, moodle, gradescope, nbgrader or all.")
@click.option("--ids", type=click.Choice(["notebook", "folder"]), default="notebook", help="Whose own numbers: the id"
              " that the notebook sets, or the student's name.")  # fmt: skip
@click.option("--roster", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="CSV: student, id.")
@click.option("--seed", metavar="TEXT", help="Draw the inputs from this.")
@click.option("--magics", type=click.Choice(["auto", "always", "never"]), default="auto", help="Run cells in IPython;"
              " auto: where a line needs it.")  # fmt: skip
@click.option("--allow", "packages", multiple=True, metavar="PACKAGE", help="A package that notebooks may import.")
@click.option("--deadline", type=click.FloatRange(1, 3600), default=10.0, metavar="S", help="Seconds per submission.")
@click.option("--memory", type=click.IntRange(64, 65536), default=512, metavar="MB", help="Memory per submission.")
@click.option("--scheduler", default="", metavar="ADDRESS", help="The scheduler of a dask cluster.")
@click.option("--unsafe", is_flag=True, help="Run without a sandbox, where there is none. Marks can be faked then.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def command(
    submissions: Path | None,
    output: Path,
    assignment: str,
    jobs: int | None,
    attempts: str,
    due: str | None,
    late: str | None,
    only: tuple[str, ...],
    regrade: bool,
    marks: Path | None,
    forms: tuple[str, ...],
    ids: str,
    roster: Path | None,
    seed: str | None,
    magics: str,
    packages: tuple[str, ...],
    deadline: float,
    memory: int,
    scheduler: str,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Mark the notebooks in SUBMISSIONS, a folder or the zip of Moodle or Canvas.

    What is marked is kept: the same command goes on where it was stopped. The exit code is 1 when a submission needs
    a person's eyes: a crash, a file that cannot be read, a stop at the deadline.

    \b
    Examples:
      ndcg grade submissions/ -o marks/
      ndcg grade moodle.zip -o marks/ --due 2026-11-18T23:59 --late "10%/day,max 50%" --export moodle
      ndcg grade -o marks/ --marks marks/to-mark.csv
    """
    from ndcg_course.commands.counting import Counter as Bar
    from ndcg_course.grading import exports
    from ndcg_course.grading.lateness import Lateness
    from ndcg_course.grading.limits import Limits
    from ndcg_course.grading.run import Options, plain_seed, run

    if submissions is None and marks is None:
        raise click.UsageError("give SUBMISSIONS, or --marks", click.get_current_context())
    chosen = tuple(dict.fromkeys(form for given in forms for form in ([*exports.FORMS] if given == "all" else [given])))
    for form in chosen:
        if form not in exports.FORMS:
            raise ValueError(f"--export {form}: it can be {', '.join(exports.FORMS)} or all")
    for package in packages:
        if package.partition(".")[0] in ("ndcg_lib", "ndcg_course", "sklearn", "ir_measures", "pytrec_eval", "ranx"):
            raise ValueError(f"--allow {package}: it answers the tasks")
    options = Options(
        submissions=submissions,
        output=output,
        seed=plain_seed(seed) if seed else None,
        assignment=assignment,
        ids=ids,
        roster=roster,
        attempts=attempts,
        lateness=Lateness.of(due, late),
        only=only,
        regrade=regrade,
        marks=marks,
        forms=chosen,
        workers=jobs or len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else jobs or os.cpu_count() or 1,
        scheduler=scheduler,
        locked=not unsafe,
        magics=magics,
        packages=tuple(sorted(set(packages))),
        limits=Limits(submission=deadline, cell=min(5.0, deadline), memory=memory << 20),
    )
    with Bar() as bar:
        book = run(options, bar)
    statuses = Counter(row.status for row in book.rows)
    eyes = sum(n for status, n in statuses.items() if status not in ("graded", "to mark"))
    if as_json:
        told = {"students": len(book.rows), "out_of": book.out_of, "statuses": dict(sorted(statuses.items()))}
        terminal.say(json.dumps({**told, "output": str(output)}, ensure_ascii=False))
    else:
        totals = [row.total for row in book.rows if row.total is not None]
        mean = f", mean {sum(totals) / len(totals):.1f} of {book.out_of} points" if totals else ""
        terminal.say(terminal.bold(f"{len(book.rows)} students{mean}"))
        terminal.say(", ".join(f"{n} {status}" for status, n in sorted(statuses.items())))
        if waiting := sum("to mark" in row.status for row in book.rows):
            terminal.say(
                f"{waiting} wait for a person's marks: {output / 'to-mark.html'}; their totals are without them"
            )
        terminal.say(f"Marks: {output / 'grades.csv'}; what to teach next: {output / 'summary.html'}")
    return NO if eyes else FINE
