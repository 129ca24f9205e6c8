"""From the facts that the source of an assignment gives about a task to the task.

The facts are plain data (`build.source` has them from TOML). What stands in quotes at `draw`, `reference`, `wrong`,
`holds`, `valid`, `names`, `ways`, `working` and `figure` is Python that gives a function: a name of the assignment's
module, or a lambda.
`why` and the `says` of a built answer are texts with Python in braces.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.plots import Steps
from ndcg_course.tasks.recipe import by_recipe
from ndcg_course.tasks.slips import TaskSlip, library, other_quantities, short_tables, slip, sums_apart
from ndcg_course.tasks.task import (
    Assignment,
    BuildTask,
    Condition,
    Family,
    FunctionTask,
    ReportTask,
    Task,
    TextTask,
    ValueTask,
)
from ndcg_course.tasks.worth import OWN, by_course, follows, named

Facts = Mapping[str, Any]
_TYPES = {"families": FunctionTask, "conditions": BuildTask, "look_for": TextTask, "ways": ReportTask}
_FUNCTIONS = ("draw", "reference", "valid", "names", "ways", "figure", "holds", "wrong", "working")
_TEXTS = {"why": "", "says": "answer"}  # texts with Python in braces, and the name of the one argument
_IN_FACTS = {"worth": "points"}


def assignment_from(name: str, facts: Mapping[str, Facts]) -> Assignment:
    """The assignment, with its tasks in the order of its source."""
    scope: dict[str, Any] = {f.__name__: f for f in (math, by_recipe, grades_in, Steps)} | {"nd": nd}
    module = f"{__package__}.{name.partition('-')[2].replace('-', '_')}"
    if importlib.util.find_spec(module):
        scope |= vars(importlib.import_module(module))
    found: dict[str, Any] = {}
    for task, given in facts.items():
        try:
            found[task] = _task(task, given, scope, found)
        except (ValueError, TypeError, KeyError, NameError, SyntaxError, AttributeError) as error:
            told = str(error).removeprefix(f"task {task}: ")
            raise ValueError(f"solutions/{name}.md, task {task}: {told}") from None
    return Assignment(name, tuple(found.values()))


def grades_in(
    answer: Any,
    *names: str,
    length: tuple[int, int] = (1, 10),
    between: tuple[float, float] = (0, 3),
    whole: bool = False,
) -> bool:
    """Whether an answer is a list of grades, or a dictionary with such a list under each of the names.

    >>> grades_in([3, 0.5]), grades_in({"a": [1], "b": [4]}, "a", "b"), grades_in([True])
    (True, False, False)
    """
    if names:
        lists = [answer.get(name) for name in names] if isinstance(answer, dict) else [None]
        return all(grades_in(found, length=length, between=between, whole=whole) for found in lists)
    return (
        isinstance(answer, list)
        and length[0] <= len(answer) <= length[1]
        and all(isinstance(g, (int, float)) and not isinstance(g, bool) for g in answer)
        and all(between[0] <= g <= between[1] and (g == int(g) or not whole) for g in answer)
    )


def _task(name: str, facts: Facts, scope: Mapping[str, Any], others: Mapping[str, Any]) -> Task:
    kind = next((kind for mark, kind in _TYPES.items() if mark in facts), ValueTask)
    known = {_IN_FACTS.get(field.name, field.name) for field in fields(kind)} - {"name"}
    _refuse_unknown(facts, known - {"further"} | {"slips", "library", "without", "scored", "recipe"})
    given = {key: _read(key, value, scope) for key, value in facts.items()}
    rare = {name: dict(changes) for name, changes in facts.get("slips", {}).items() if changes.get("rare")}
    given["slips"] = {name: changes for name, changes in given.get("slips", {}).items() if name not in rare}
    given["slips"] = _slips(given, scope)
    own = [
        _slip(name, {key: value for key, value in changes.items() if key != "rare"}, scope)
        for name, changes in rare.items()
    ]
    if "recipe" in facts:
        names, recipe = {one.name for one in given["slips"]}, _read("reference", facts["recipe"], scope)
        given["slips"] += [] if kind is not FunctionTask else _apart(given, recipe)
        rest = [one for one in _known(given["library"], given.get("without", ())) if one.name not in names]
        if kind is FunctionTask:
            given["slips"] += [_of_arguments(one, recipe) for one in rest]
        else:
            given["further"] = [_of_values(one, recipe) for one in rest] + _apart(given, recipe)
    elif "library" in facts:
        given["slips"] += _apart(given, given["reference"])
    if kind is FunctionTask and given.get("library") in ("dcg", "idcg", "ndcg", "mean"):
        given["slips"] += short_tables(given["reference"])
    if own:
        given["further"] = [*own, *given.get("further", [])]
    for key in ("library", "without", "scored", "recipe"):
        given.pop(key, None)
    if kind is FunctionTask:
        given["families"] = [_record(Family, family, scope) for family in facts["families"]]
    if kind is BuildTask:
        given["conditions"] = [_record(Condition, condition, scope) for condition in facts["conditions"]]
    if (gains := facts.get("gains", OWN)) != OWN:
        named(given, gains)
        if follows(gains):
            by_course(given, gains)
    if "sheet" in facts:
        given["sheet"] = lambda: [others[other] for other in facts["sheet"]]
    if "points" in given:
        given["worth"] = given.pop("points")
    return kind(name=name, **given)  # type: ignore[no-any-return]


def _record(kind: Any, facts: Facts, scope: Mapping[str, Any]) -> Any:
    known = kind._fields if hasattr(kind, "_fields") else [field.name for field in fields(kind)]
    _refuse_unknown(facts, known)
    return kind(**{key: value if key == "says" else _read(key, value, scope) for key, value in facts.items()})


def _slips(given: Facts, scope: Mapping[str, Any]) -> list[TaskSlip]:
    quantity, without, scored = given.get("library"), given.get("without", ()), given.get("scored", False)
    known = _known(quantity, without, scored) if quantity and "recipe" not in given else []
    own = [_slip(name, dict(changes), scope) for name, changes in given.get("slips", {}).items()]
    mine, theirs = {one.name for one in own}, {one.name for one in known}
    first = [one for one in own if one.name in theirs]  # the task's words for what the library knows too
    return first + [one for one in known if one.name not in mine] + [one for one in own if one.name not in theirs]


def _known(quantity: str, without: Sequence[str] = (), scored: bool = False) -> list[TaskSlip]:
    others = [] if quantity == "mean" else other_quantities(quantity)
    return library(quantity, without, scored=scored) + [one for one in others if one.name not in without]


def _apart(given: Facts, recipe: Any) -> list[TaskSlip]:
    return sums_apart(given["library"], recipe) if getattr(recipe, "recipe", None) == given["library"] else []


def _of_arguments(known: TaskSlip, recipe: Callable[..., Any]) -> TaskSlip:
    """A slip of the library for a function: what the recipe makes of its arguments."""
    return replace(known, changes={}, wrong=partial(recipe, **known.changes))


def _of_values(known: TaskSlip, recipe: Callable[..., Any]) -> TaskSlip:
    """A slip of the library for a value: what the recipe makes of the task's data, taken in their order."""
    return replace(known, wrong=lambda **data: recipe(*data.values(), **known.changes))


def _slip(name: str, changes: dict[str, Any], scope: Mapping[str, Any]) -> TaskSlip:
    wrong = _read("wrong", changes.pop("wrong", None), scope)
    return slip(name, wrong, changes.pop("says", ""), changes.pop("place", ""), **changes)


def _read(key: str, value: Any, scope: Mapping[str, Any]) -> Any:
    """A fact as the task takes it: Python in quotes becomes a function."""
    if key in _TEXTS:
        return _text(key, value, scope)
    if isinstance(value, str) and (key == "cases" or (key == "broken_by" and value.startswith("lambda own"))):
        return _python(key, value, scope)
    if key not in _FUNCTIONS or not isinstance(value, str):
        return value
    function = _python(key, value, scope)
    if not callable(function):
        raise ValueError(f"{key} = {value!r} gives no function: put a name of the assignment's module, or a lambda")
    return function


def _text(key: str, text: str, scope: Mapping[str, Any]) -> Callable[..., str]:
    """A function that fills in what stands in braces: the data of a task, or the answer."""
    mark = "'''" if text.endswith('"') or '"""' in text else '"""'
    code = compile(f"f{mark}{text}{mark}", f"<{key}>", "eval")

    def said(*answers: Any, **data: Any) -> str:
        names = dict(zip([_TEXTS[key]], answers, strict=True)) if answers else data
        return str(eval(code, {**scope, **names}))

    return said


def _python(key: str, text: str, scope: Mapping[str, Any]) -> Any:
    try:
        return eval(f"({text}\n)", dict(scope))
    except NameError as error:
        raise ValueError(f"{key} = {text!r}: {error}{_nearest(str(error.name), scope)}") from None
    except SyntaxError as error:
        raise ValueError(f"{key} = {text!r} is no Python: {error.msg}") from None


def _refuse_unknown(facts: Facts, known: Iterable[str]) -> None:
    for key in facts:
        if key not in known:
            raise ValueError(f"there is no fact {key!r} here{_nearest(key, known)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    import difflib  # only for a wrong name

    near = difflib.get_close_matches(name, [*known], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
