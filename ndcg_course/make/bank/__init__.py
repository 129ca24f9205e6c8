"""The question bank: the quizzes of the chapters and every drawn task in variants, for learning platforms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ndcg_course import course
from ndcg_course.explain.messages import where
from ndcg_course.make import files
from ndcg_course.make.bank import items
from ndcg_course.make.bank.items import Item
from ndcg_course.make.chapters import chapters, outlines
from ndcg_course.tasks import assignment_named


def made(root: Path, seed: str, variants: int, only: str | None = None) -> tuple[list[Item], dict[str, str]]:
    """The items of the course, and the titles of its chapters by name."""
    given = course.load(root)
    known = {chapter.name: chapter for chapter in outlines(root)}
    names = given.in_order(list(known))
    titles = {name: known[name].numbered for name in known}
    asked: list[Item] = []
    if only != "tasks":
        asked += items.of_quizzes(chapters(root, names))
    if only != "quizzes":
        with files.sources(root) as sources:
            tasks = [
                task
                for name in given.names(list(sources))
                for task in assignment_named(name).tasks
                if task.name not in given.given(name).without
            ]
            asked += items.of_tasks(sources, tasks, seed, variants)
    elsewhere = {item.page: where(item.page).strip('"') for item in asked if item.page not in titles}
    return items.evenly(asked, seed), titles | elsewhere


def write(folder: Path, held: Mapping[str, bytes], *, overwrite: bool) -> None:
    """Write all files into a folder, or none if one of them is there."""
    if not overwrite and (there := [name for name in held if (folder / name).exists()]):
        raise ValueError(f"{folder / there[0]} exists: choose another folder, or pass --overwrite")
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in held.items():
        (folder / name).write_bytes(data)
