"""All assignments and tasks by name: each as `ndcg exercises build` has made it from its source, in NN-name.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ndcg_course.tasks.task import Assignment, Task

_unpacked: dict[str, Mapping[str, Mapping[str, Any]]] = {}  # from sources that are read right now


def names() -> list[str]:
    """The names of all assignments, in the order of the book.

    >>> names()[0]
    '02-cumulative-gain'
    """
    folder = Path(__file__).parent
    return sorted({*_unpacked, *_packed(folder.stat().st_mtime_ns if folder.is_dir() else 0)})


@lru_cache(maxsize=1)
def _packed(changed: int) -> list[str]:
    """The names in the folder as it was changed last: each page of a class asks for them."""
    return [f.name[:-5] for f in _folder().iterdir() if f.name.endswith(".json")]


def _folder() -> Any:
    folder = Path(__file__).parent
    if folder.is_dir():
        return folder
    from importlib import resources  # a wheel that is not unpacked

    return resources.files(__name__)


@cache
def _facts(name: str) -> Mapping[str, Mapping[str, Any]]:
    if name in _unpacked:
        return _unpacked[name]
    found: dict[str, dict[str, Any]] = json.loads((_folder() / f"{name}.json").read_text("utf8"))
    return found


def facts_of(name: str) -> Mapping[str, Mapping[str, Any]]:
    """What is known of the tasks of an assignment, as it was made or is read right now."""
    return _facts(name)


@cache
def _loaded(name: str) -> Assignment:
    from ndcg_course.tasks.reading import assignment_from

    return assignment_from(name, _facts(name))


@contextmanager
def read_from(sources: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[None]:
    """Take these assignments from their sources, and not as they were made last."""
    before = dict(_unpacked)
    _unpacked.update(sources)
    _facts.cache_clear()
    _loaded.cache_clear()
    try:
        yield
    finally:
        _unpacked.clear()
        _unpacked.update(before)
        _facts.cache_clear()
        _loaded.cache_clear()


def assignments() -> Mapping[str, Assignment]:
    """The assignments by name, in the order of the book.

    >>> list(assignments())[0]
    '02-cumulative-gain'
    """
    return {name: _loaded(name) for name in names()}


def tasks() -> Mapping[str, Task]:
    """The tasks of all assignments by name.

    >>> "best_first" in tasks()
    True
    """
    return {task.name: task for assignment in assignments().values() for task in assignment.tasks}


def task_named(name: str) -> Task:
    """The task of that name, or an error with the nearest name. No other assignment is loaded.

    >>> task_named("best_first").kind
    'implement'
    """
    for assignment in names():
        if name in _facts(assignment):
            return next(task for task in _loaded(assignment).tasks if task.name == name)
    raise ValueError(f"there is no task {name!r}{nearest(name, [task for a in names() for task in _facts(a)])}")


def assignment_named(name: str) -> Assignment:
    """The assignment of that name, or an error with the nearest name.

    >>> assignment_named("05-the-ideal-ranking").tasks[0].name
    'best_first'
    """
    if name in names():
        return _loaded(name)
    raise ValueError(f"there is no assignment {name!r}{nearest(name, names())}")


def refuse_one_name_twice() -> None:
    """Answers are found by their names, so that a name may stand once in all assignments."""
    home: dict[str, str] = {}
    for assignment in names():
        for task in _facts(assignment):
            if task in home:
                raise ValueError(f"two tasks are called {task}, in {home[task]} and {assignment}: rename one")
            home[task] = assignment


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known: the nearest one, or all of them."""
    import difflib  # only for a wrong name

    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f". Did you mean {near[0]!r}?"
    return (
        f": there are {', '.join(names)}"
        if len(names) <= 20
        else f" among {len(names)}; `ndcg exercises list` names them"
    )
