"""The seal of an assignment: a word that is another one as soon as anything is that its marks hang on.

`ndcg exercises build` makes it, with what the grader shows of the notebook that is handed out. Notebooks,
release, marks and their tables carry it, and a run of the grader compares.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from ndcg_course import course
from ndcg_course.course import FILE, Course
from ndcg_course.tasks import assignment_named, facts_of, names
from ndcg_course.tasks.task import ValueTask


def made(facts: str, taught: Course, name: str, titles: Mapping[str, str], cells: Sequence[str]) -> dict[str, Any]:
    """What is kept of a built assignment: its facts as text, what the course chose for it, its titles and its code."""
    given = taught.given(name)
    chosen = {"chosen": dict(taught.chosen), "without": sorted(given.without), "points": dict(given.points)}
    return {"seal": _seal(facts, chosen), **chosen, "titles": dict(titles), "cells": list(cells)}


@cache
def of(name: str) -> Mapping[str, Any]:
    """What was made of an assignment; of one that was never built, nothing."""
    file = resources.files("ndcg_course") / "sealed" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text("utf8")) if file.is_file() else {}
    return found


@cache
def now(name: str) -> str:
    """The seal of an assignment as this copy has it: that of the build, unless tasks or the course changed since."""
    if not (kept := of(name)):
        return ""
    facts = json.dumps(facts_of(name))
    chosen = {
        "chosen": dict(course.load().chosen),
        "without": kept.get("without", []),
        "points": kept.get("points", {}),
    }
    return _seal(facts, chosen)


def checked(name: str, taught: Course | None = None) -> str:
    """The seal of an assignment. A ValueError says what of the course is not in it: marks would be those of neither."""
    kept, taught = of(name), taught or course.load()
    if not kept:
        return ""
    chosen = {key: kept[key] for key in ("chosen", "without", "points")}
    facts = json.dumps(facts_of(name))
    again = "run `ndcg exercises build`, then the same command"
    if _seal(facts, chosen) != kept["seal"]:
        raise ValueError(f"the tasks of {name} were changed after they were built: {again}")
    if dict(taught.chosen) != kept["chosen"]:
        now, then = (_listed(choices) or "the choices of the book" for choices in (taught.chosen, kept["chosen"]))
        raise ValueError(f"{name} was built with {then}, and {FILE} here says {now}: {again}")
    built = {
        tuple(task.tries) for task in assignment_named(name).tasks if isinstance(task, ValueTask) and task.of_a_few
    }
    if name in taught.assignments and built - {tuple(taught.tries)}:
        raise ValueError(f"{FILE} says of tries what is not built yet in {name}: {again}")
    given = taught.given(name)
    if name in taught.assignments and (dict(given.points), sorted(given.without)) != (kept["points"], kept["without"]):
        differ = sorted(set(given.points.items()) ^ set(kept["points"].items()))
        what = [f"points.{task}" for task, _ in differ] + sorted(set(given.without) ^ set(kept["without"]))
        raise ValueError(f"{FILE} says of {name} what is not built yet ({what[0]}): {again}")
    return str(kept["seal"])


def title_of(task: str) -> str:
    """The title of a task, as the heading above it in the notebook; its name where that is not known.

    >>> title_of("no such task")
    'no such task'
    """
    return next((titles[task] for name in names() if task in (titles := of(name).get("titles", {}))), task)


def _seal(facts: str, chosen: Mapping[str, Any]) -> str:
    said = json.dumps([json.loads(facts), chosen], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _listed(choices: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value!r}" for name, value in sorted(choices.items()))
