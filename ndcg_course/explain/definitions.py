"""The definition behind an answer's numbers: the search of `nd.which(function)`, for a task's fixed way of calling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ndcg_course.explain.faults import said
from ndcg_course.explain.patterns import is_number
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import FunctionTask
from ndcg_lib.choices import text_of
from ndcg_lib.engine import AT, Recipe, recipe_of
from ndcg_lib.identification.edges import departures, explained
from ndcg_lib.identification.quotients import fitting, tabulated

FEWEST, MOST = 4, 8  # answers that the search is asked with
CHEAPEST, TRIED, AT_ONCE = 500, 20, 3
ENDS = {"k": "at k", "none": "at its end", "less": "one rank before k", "more": "one rank after k"}
UNLIKE = {
    "gain": "A grade g counts {} in your list and {} in your ideal",
    "discount": "The discount is {} in your list and {} in your ideal",
    "cut": "Your list ends {} and your ideal {}",
}


def definitions(task: FunctionTask, answers: Sequence[tuple[list[Any], float]]) -> Iterator[list[TaskSlip]]:
    """The definitions that give these NDCGs for these arguments, as slips of the task, the fewest at once first."""
    asked: Any = task.reference
    if getattr(asked, "recipe", "") != "ndcg":
        return
    if getattr(asked, "recipe", "") != "ndcg":
        return
    whole = {repr(args): (args, value) for args, value in answers if len(args) == len(asked.takes) and None not in args}
    largest = sorted(whole.values(), key=lambda one: -len(repr(one[0])))[:MOST]
    if len(largest) < FEWEST or not all(is_number(value) for _, value in largest):
        return
    inputs, values = zip(*largest, strict=True)
    alone = [asked.sheet([args]) for args in inputs]
    found = fitting(np.array(values), tabulated(asked.sheet(inputs), alone, "judged" not in asked.takes, asked.right))
    recipes = dict.fromkeys(recipe_of(asked.right, **match.changes) for match in found[:CHEAPEST])
    slips = _changes(task, asked.right)
    told = [named for recipe in recipes if 0 < len(named := _named(slips, recipe, asked.right)) <= AT_ONCE]
    yield from sorted(told, key=lambda named: (len(named), sum(slip.rarity for slip in named)))[:TRIED]


def _changes(task: FunctionTask, right: Recipe) -> list[tuple[TaskSlip, dict[str, Any]]]:
    """What each slip of the task changes of the definition, those of the most first."""
    slips = (s for s in task.slips if s.wrong is None and s.changes and "quantity" not in s.changes)
    made = [(slip, departures(recipe_of(right, **slip.changes), right)) for slip in slips]
    return sorted(made, key=lambda one: (-len(one[1]), one[0].rarity))


def _named(slips: Sequence[tuple[TaskSlip, dict[str, Any]]], recipe: Recipe, right: Recipe) -> list[TaskSlip]:
    """The slips that together make a definition; else the one choice in which list and ideal differ; or nothing."""
    differs = departures(recipe, right)
    found, left = explained(differs, slips)
    return found if not left else _unlike(recipe, *differs) if len(differs) == 1 else []


def _unlike(recipe: Recipe, name: str) -> list[TaskSlip]:
    """The list and the ideal have this choice, and each its own level of it."""
    choice = name.removeprefix("ideal_")
    if choice not in UNLIKE:
        return []
    here, there = (recipe[AT[side]] for side in (choice, f"ideal_{choice}"))
    words = [ENDS.get(getattr(level, "key", ""), "") or text_of(choice, level) for level in (here, there)]
    told = said("unlike-sides", UNLIKE[choice].format(*words))
    return [TaskSlip("unlike-sides", sentence=told, changes={name: recipe[AT[name]]})]
