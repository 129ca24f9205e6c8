"""`ndcg exercises`: the assignments, from source to hand-out."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ndcg_lib.cli import FINE, NO
from ndcg_lib.exercises.registry import assignment_named, assignments, task_named
from ndcg_lib.exercises.task import KINDS, ValueTask, tidy_id

_root = click.option(
    "--root", type=click.Path(path_type=Path, file_okay=False, exists=True), help="The checkout of the book."
)


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
def build(names: tuple[str, ...], root: Path | None) -> None:
    """Make notebooks and pages from solutions/*.md.

    Example: ndcg exercises build 05-the-ideal-ranking
    """
    from ndcg_lib.exercises import building

    top = building.root_from((root or Path()).resolve())
    changed = building.write(building.build(top, [assignment_named(name).name for name in names]))
    for path in changed:
        click.echo(path.relative_to(top).as_posix())
    if not changed:
        click.echo("everything is up to date")


@command.command()
@click.argument("names", nargs=-1)
@_root
def verify(names: tuple[str, ...], root: Path | None) -> int:
    """Prove that files, solutions, unsolved notebooks and slips are as they must be.

    Example: ndcg exercises verify
    """
    from ndcg_lib.exercises import building, verifying

    top = building.root_from((root or Path()).resolve())
    found = list(verifying.problems(top, [assignment_named(name).name for name in names]))
    for line in found:
        click.echo(line)
    chosen = [assignment_named(name) for name in names] or list(assignments().values())
    slips = sum(1 for a in chosen for task in a.tasks for _ in verifying.slip_results(task))
    click.echo(
        f"{len(chosen)} assignments, {sum(len(a.tasks) for a in chosen)} tasks, {slips} wrong answers tried:"
        f" {f'{len(found)} problems' if found else 'all as it must be'}"
    )
    return NO if found else FINE


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every slip.")
def list_tasks(as_json: bool) -> None:
    """Name each task with its assignment, kind, points and slips.

    Example: ndcg exercises list --json
    """
    rows = [
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
    width = max(len(str(row["task"])) for row in rows)
    last = ""
    for row in rows:
        if row["assignment"] != last:
            last = str(row["assignment"])
            click.echo(last)
        slips = row["slips"]
        assert isinstance(slips, list)
        click.echo(
            f"  {row['task']:<{width}}  {KINDS[str(row['kind'])]:<22}  {row['points']} points  {len(slips)} slips"
        )
    click.echo(f"{len(rows)} tasks, {sum(a.points for a in assignments().values())} points")


@command.command()
@click.option("--id", "student_id", required=True, help="The id that the student entered.")
@click.option("--task", "task_name", help="One task only.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
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
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The zip to write."
)
@click.option("--with-solutions", is_flag=True, help="Put the solved notebooks in as well.")
@click.option("--overwrite", is_flag=True, help="Replace a zip that exists.")
@_root
def release(output: Path, with_solutions: bool, overwrite: bool, root: Path | None) -> None:
    """Pack what students get: notebooks, library, requirements, one page how to begin.

    Example: ndcg exercises release -o assignments.zip
    """
    from ndcg_lib.exercises import building, packing

    top = building.root_from((root or Path()).resolve())
    if output.exists() and not overwrite:
        raise ValueError(f"{output} exists: choose another name, or pass --overwrite")
    names = packing.write(top, output, with_solutions=with_solutions)
    click.echo(f"{output}: {len(names)} files, {'with' if with_solutions else 'without'} solutions")
