"""All assignments and tasks by name. A module in `tasks/` that defines ASSIGNMENT is an assignment."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from ndcg_lib.exercises import tasks as modules
from ndcg_lib.exercises.task import Assignment, Task


@cache
def assignments() -> Mapping[str, Assignment]:
    """The assignments by name, in the order of the book.

    >>> list(assignments())[0]
    '02-cumulative-gain'
    """
    found: list[Assignment] = [
        importlib.import_module(f"{modules.__name__}.{module.name}").ASSIGNMENT
        for module in pkgutil.iter_modules(modules.__path__)
        if module.name.startswith("a")
    ]
    return {assignment.name: assignment for assignment in sorted(found, key=lambda a: a.name)}


@cache
def tasks() -> Mapping[str, Task]:
    """The tasks of all assignments by name.

    >>> "best_first" in tasks()
    True
    """
    known: dict[str, Task] = {}
    for assignment in assignments().values():
        for task in assignment.tasks:
            if task.name in known:
                raise ValueError(f"two tasks are called {task.name}: a name may stand once in all assignments")
            known[task.name] = task
    return known


def task_named(name: str) -> Task:
    """The task of that name, or an error with the nearest name.

    >>> task_named("best_first").kind
    'implement'
    """
    if name in tasks():
        return tasks()[name]
    raise ValueError(f"there is no task {name!r}{_nearest(name, tasks())}")


def assignment_named(name: str) -> Assignment:
    """The assignment of that name, or an error with the nearest name.

    >>> assignment_named("05-the-ideal-ranking").tasks[0].name
    'best_first'
    """
    if name in assignments():
        return assignments()[name]
    raise ValueError(f"there is no assignment {name!r}{_nearest(name, assignments())}")


def assignment_of(task_name: str) -> str:
    """The name of the assignment that a task belongs to.

    >>> assignment_of("best_first")
    '05-the-ideal-ranking'
    """
    return next(a.name for a in assignments().values() if any(task.name == task_name for task in a.tasks))


def _nearest(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f". Did you mean {near[0]!r}?" if near else f": there are {', '.join(known)}"
