"""All assignments and tasks by name. The module `tasks/aNN_name.py` defines the assignment NN-name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache

from ndcg_course.tasks.task import Assignment, Task


def names() -> list[str]:
    """The names of all assignments, in the order of the book.

    >>> names()[0]
    '02-cumulative-gain'
    """
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.removeprefix("a").replace("_", "-") for name in found if name.startswith("a"))


@cache
def _loaded(name: str) -> Assignment:
    module = importlib.import_module(f"{__name__}.a{name.replace('-', '_')}")
    assignment: Assignment = module.ASSIGNMENT
    if assignment.name != name:
        raise ValueError(f"the module of assignment {name} defines {assignment.name}")
    return assignment


@cache
def assignments() -> Mapping[str, Assignment]:
    """The assignments by name, in the order of the book.

    >>> list(assignments())[0]
    '02-cumulative-gain'
    """
    return {name: _loaded(name) for name in names()}


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
    if name in names():
        return _loaded(name)
    raise ValueError(f"there is no assignment {name!r}{_nearest(name, names())}")


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f". Did you mean {near[0]!r}?"
    return (
        f": there are {', '.join(names)}"
        if len(names) <= 20
        else f" among {len(names)}; `ndcg exercises list` names them"
    )
