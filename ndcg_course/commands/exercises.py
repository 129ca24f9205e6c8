"""`ndcg exercises`: the assignments, from source to hand-out."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ndcg_course.tasks import assignments, nearest, task_named
from ndcg_course.tasks.draw import tidy_id
from ndcg_course.tasks.task import KINDS, ValueTask
from ndcg_lib.commands.cli import FINE, NO

_root = click.option(
    "--root", type=click.Path(path_type=Path, file_okay=False, exists=True), help="The checkout of the book."
)


_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group(name="exercises")
def command() -> None:
    """The assignments: build them, prove them, hand them out.

    \b
    Examples:
      ndcg exercises list
      ndcg exercises release -o assignments.zip
    """


@command.command()
@click.argument("names", nargs=-1)
@_root
@_json
def build(names: tuple[str, ...], root: Path | None, as_json: bool) -> None:
    """Make notebooks and pages from solutions/*.md; NAMES of assignments, or all.

    Example: ndcg exercises build 05-the-ideal-ranking
    """
    from ndcg_course.make import build as made
    from ndcg_course.make import files

    top = files.root_from((root or Path()).resolve())
    changed = files.write(made.build(top, names))
    written = [path.relative_to(top).as_posix() for path in changed]
    if as_json:
        click.echo(json.dumps({"written": written}))
    else:
        click.echo("\n".join(written) or "everything is up to date")


@command.command()
@click.argument("name")
@_root
def new(name: str, root: Path | None) -> None:
    """Begin the source of an assignment, solutions/NAME.md, with two tasks to change.

    Example: ndcg exercises new 12-comparing-systems
    """
    from ndcg_course.make import files

    top = files.root_from((root or Path()).resolve())
    made = files.begin(top, name).relative_to(top).as_posix()
    click.echo(f"{made}: change it, then run `ndcg exercises build {name}` and `ndcg exercises verify {name}`")


@command.command()
@click.argument("names", nargs=-1)
@_root
@_json
def verify(names: tuple[str, ...], root: Path | None, as_json: bool) -> int:
    """Prove that files, solutions, unsolved notebooks and slips are as they must be; exit code 1 if not.

    Example: ndcg exercises verify
    """
    from ndcg_course.make import files, proof

    report = proof.verified(files.root_from((root or Path()).resolve()), names)
    if as_json:
        click.echo(json.dumps(asdict(report), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join([*report.problems, report.line()]))
    return NO if report.problems else FINE


@command.command()
@click.argument("tasks", nargs=-1)
@_root
@_json
def calibrate(tasks: tuple[str, ...], root: Path | None, as_json: bool) -> None:
    """Measure how often a check names a cause truly, and write the table by which it may; some minutes of processor.

    Wrong programs and numbers with known cause are drawn from every task; one half says which kind of sentence may
    state a cause about which task, the other half is reported. With TASKS, those alone are measured and nothing is
    written.

    Example: ndcg exercises calibrate
    """
    from ndcg_course.make import calibrate as measure
    from ndcg_course.make import files

    top = files.root_from((root or Path()).resolve())
    report = measure.measured(top, [task_named(name).name for name in tasks])
    if not tasks:
        (top / measure.FILE).write_text(report.text(), "utf8")
    if as_json:
        click.echo(report.text())
    else:
        click.echo("\n".join([*measure.told(report), *report.functions.wrongly, *report.numbers.wrongly]))


@command.command()
@click.argument("task")
@_json
def reset(task: str, as_json: bool) -> None:
    """Begin a task anew: its points, hints and first prediction on this machine are forgotten. Wrong tries stay noted.

    Example: ndcg exercises reset cg_at
    """
    from ndcg_course.explain.record import record

    begun = record.reset(task_named(task).name)
    if as_json:
        click.echo(json.dumps({"task": task, "records": begun}))
    else:
        click.echo(f"{task}: begun anew; " + ("its record is gone" if begun else "there was no record of it"))


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the name of every slip.")
def list_tasks(as_json: bool) -> None:
    """Name each task with its assignment, kind, points and slips.

    Example: ndcg exercises list --json
    """
    rows: list[dict[str, Any]] = [
        {
            "assignment": assignment.name,
            "task": task.name,
            "kind": task.kind,
            "points": task.points,
            "by_hand": task.by_hand,
            "minutes": task.minutes,
            "slips": task.slip_names,
        }
        for assignment in assignments().values()
        for task in assignment.tasks
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    width = max(len(row["task"]) for row in rows)
    for name, group in itertools.groupby(rows, key=lambda row: row["assignment"]):
        click.echo(name)
        for row in group:
            facts = f"{KINDS[row['kind']]:<22}  {row['points']} points  {len(row['slips']):>2} slips"
            click.echo(f"  {row['task']:<{width}}  {facts}")
    click.echo(f"{len(rows)} tasks, {sum(a.points for a in assignments().values())} points")


@command.command()
@click.option("--id", "student_id", required=True, help="The id that the student entered.")
@click.option("--task", "task_name", help="One task only.")
@_json
def data(student_id: str, task_name: str | None, as_json: bool) -> None:
    """Show a student's own data, and the answers.

    Example: ndcg exercises data --id 1234567
    """
    tidy_id(student_id)
    tasks = [task_named(task_name)] if task_name else [task for a in assignments().values() for task in a.tasks]
    chosen = [task for task in tasks if isinstance(task, ValueTask)]
    if not chosen:
        raise ValueError(f"task {task_name} has no data of its own: its answer is not a value")
    rows = {}
    for task in chosen:
        own = task.data(student_id)
        rows[task.name] = {"data": own, "answer": task.target(own)}
    if as_json:
        click.echo(json.dumps({"id": tidy_id(student_id), "tasks": rows}, indent=1, ensure_ascii=False))
        return
    for name, row in rows.items():
        click.echo(f"{name}: {row['answer']}\n    {row['data']}")


@command.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The zip to write.")
@click.option(
    "--nbgrader", type=click.Path(path_type=Path, file_okay=False), help="The folder of a course of nbgrader to write."
)
@click.option("--with-solutions", is_flag=True, help="Put the solved notebooks in as well.")
@click.option("--overwrite", is_flag=True, help="Replace what exists.")
@_root
@_json
def release(
    output: Path | None, nbgrader: Path | None, with_solutions: bool, overwrite: bool, root: Path | None, as_json: bool
) -> None:
    """Pack what students get: notebooks, library, requirements, one page how to begin.

    It holds the assignments that course.toml names and, of a book that was built, its pages as notebooks. Where that
    file knows the address of your published book, the feedback of a check links into it, and the page how to begin
    leads to the live pages first.

    --nbgrader writes source/ and nbgrader_config.py instead, for nbgrader's own commands: its machine points are those
    of `ndcg grade`. The kit must be installed where nbgrader runs the notebooks.

    Example: ndcg exercises release -o assignments.zip
    """
    from ndcg_course.make import files, release

    top = files.root_from((root or Path()).resolve())
    if (output is None) == (nbgrader is None):
        raise ValueError("pass either -o ZIP or --nbgrader FOLDER")
    if nbgrader is not None:
        if with_solutions:
            raise ValueError("--nbgrader writes what students get: leave out --with-solutions")
        names = release.write_nbgrader(top, nbgrader, overwrite=overwrite)
        told = f"{nbgrader}: {len(names) - 1} assignments; next: cd {nbgrader} && nbgrader generate_assignment NAME"
        click.echo(json.dumps({"folder": str(nbgrader), "files": names}) if as_json else told)
        return
    assert output is not None
    if output.exists() and not overwrite:
        raise ValueError(f"{output} exists: choose another name, or pass --overwrite")
    names = release.write(top, output, with_solutions=with_solutions)
    if as_json:
        click.echo(json.dumps({"zip": str(output), "files": names}))
    else:
        read = sum(name.endswith(".ipynb") and not name.startswith(("notebooks/", "solutions/")) for name in names)
        pages = f"{read} pages of the book" if read else "no page of the book, which `python3 kit.py book` makes"
        click.echo(f"{output}: {len(names)} files, {'with' if with_solutions else 'without'} solutions; {pages}")


@command.command()
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, file_okay=False), help="The folder.")
@click.option("--format", "name", default="all", help="moodle, qti21, qti12 (Canvas), text, or all.")
@click.option("--variants", default=30, type=click.IntRange(1, 500), help="Of each task with drawn numbers, at most.")
@click.option("--seed", default="1", help="What the numbers are drawn from; the same seed gives the same bank.")
@click.option("--only", type=click.Choice(["quizzes", "tasks"]), help="Leave the other half out.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@_root
@_json
def bank(
    output: Path,
    name: str,
    variants: int,
    seed: str,
    only: str | None,
    overwrite: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Write the questions of the chapters and the drawn tasks for Moodle, Canvas and others.

    A category for each chapter; wrong numbers carry the feedback of the mistake behind them. The chapters are run
    for it, which takes a minute or more.

    Example: ndcg exercises bank -o bank/ --variants 30 --seed 2026 --format moodle
    """
    from ndcg_course.make import bank as kept
    from ndcg_course.make import files
    from ndcg_course.make.bank import formats

    if name != "all" and name not in formats.FORMATS:
        raise ValueError(f"there is no format {name!r}{nearest(name, [*formats.FORMATS, 'all'])}")
    top = files.root_from((root or Path()).resolve())
    if only != "tasks" and not as_json:
        click.echo("running the code of the chapters, for the numbers in their questions …", err=True)
    items, titles = kept.made(top, tidy_id(seed), variants, only)
    names = list(formats.FORMATS) if name == "all" else [name]
    held = {file: data for one in names for file, data in formats.packed(items, titles, one).items()}
    kept.write(output, held, overwrite=overwrite)
    if as_json:
        click.echo(json.dumps({"folder": str(output), "files": list(held), "questions": len(items)}))
    else:
        groups = len({item.group for item in items})
        click.echo(f"{output}: {', '.join(held)}; {len(items)} questions, variants of {groups}")
