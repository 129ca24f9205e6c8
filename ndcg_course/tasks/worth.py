"""What a grade is worth in the course, for tasks that ask for CG, DCG or NDCG in general.

Such a task names in its facts what holds grades, `gains = ["grades"]`, and its functions get gains there. Its words and
its code say `{gain}`, `gain(grade)`, `gains(grades)` and `{=gain(3) / 2}`, which are spelled out when its source is
read. A task that is about a gain says `gains = "own"`, and keeps the one that it names.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from ndcg_course.tasks.slips import TaskSlip
from ndcg_lib.definition import TABLE, Option
from ndcg_lib.slips import SLIPS

LINEAR = TABLE["gain"].options[0]
OWN = "own"
_CALL = re.compile(r"(?<![\w.])gains?\(")
_VALUE = re.compile(r"\{=([^{}:]+)(:\.\df)?\}")


def taught() -> Option:
    """The gain of the course."""
    from ndcg_course import course

    return TABLE["gain"].option(course.load().convention.gain) or LINEAR


def follows(gains: object) -> bool:
    """Whether a task with this fact computes otherwise than in the book, because the course does."""
    return bool(gains) and gains != OWN and taught() is not LINEAR


def said(gains: object) -> str:
    """What a course with another gain says under the heading of a task, or beside it."""
    if not gains or taught() is LINEAR:
        return ""
    return "the gain is the one that the task names" if gains == OWN else f"gain: {taught().label}"


# ---- numbers -----------------------------------------------------------------------------------------------------


def _python(option: Option, grade: str) -> str:
    """The gain of a grade as Python.

    >>> _python(TABLE["gain"].options[1], "grade")
    '(2**grade - 1)'
    """
    if option is LINEAR:
        return grade
    formula = option.text + (" else 0" if " if " in option.text else "")
    whole = re.sub(r"\bg\b", lambda _: grade if re.fullmatch(r"[\w.]+", grade) else f"({grade})", formula)
    return f"({whole.replace('^', '**')})"


def worth(grade: Any, option: Option) -> Any:
    """The gain of a grade, or of all that stand in a list or below the names of a dictionary.

    >>> worth({"a": [3, None], "b": 2}, TABLE["gain"].options[1])
    {'a': [7, None], 'b': 3}
    """
    if isinstance(grade, dict):
        return {name: worth(one, option) for name, one in grade.items()}
    if isinstance(grade, (list, tuple)):
        return [worth(one, option) for one in grade]
    if isinstance(grade, bool) or not isinstance(grade, (int, float)):
        return grade
    return eval(_python(option, "g"), {"g": grade})


def named(given: Mapping[str, Any], gains: Sequence[str]) -> list[str]:
    """What the functions of a task take; a fact that names anything else is refused."""
    reference = given.get("ways") or given.get("reference")
    if not reference:
        return [*gains][:1]
    names = list(inspect.signature(reference).parameters)
    if other := [name for name in gains if name not in names]:
        raise ValueError(f"gains names {other[0]!r}, but what holds grades is one of {', '.join(names)}")
    return names


def by_course(given: dict[str, Any], gains: Sequence[str]) -> None:
    """Let the functions of a task get gains in place of the grades under these names."""
    reference, names, option = given.get("reference"), named(given, gains), taught()

    def of(function: Callable[..., Any], whole: bool = False) -> Callable[..., Any]:
        def turned(name: str, value: Any) -> Any:
            if name in gains:
                return worth(value, option)
            return {n: turned(n, one) for n, one in value.items()} if whole and isinstance(value, dict) else value

        def args_of(args: Sequence[Any]) -> list[Any]:
            return [turned("" if whole and isinstance(a, dict) else n, a) for n, a in zip(names, args, strict=False)]

        @wraps(function)
        def inner(*args: Any, **data: Any) -> Any:
            return function(*args_of(args), **{name: turned(name, value) for name, value in data.items()})

        if many := getattr(function, "many", None):
            inner.many = lambda args, changes: many(args_of(args), changes)  # type: ignore[attr-defined]
        return inner

    for slips in ("slips", "further"):
        if slips in given:
            given[slips] = [
                replace(slip, wrong=slip.wrong and of(slip.wrong))
                for slip in given[slips]
                if slip.name not in SLIPS or SLIPS[slip.name].family not in ("gain", "grades")
            ]
    if reference and not given.get("options") and "ways" not in given:
        known = "further" if "draw" in given else "slips"
        place, told = SLIPS["linear-for-exponential"].page, _PLAIN.format(option.label)
        given[known] = [*given.get(known, ()), TaskSlip("grades-for-gains", reference, told, place)]
    for name in ("reference", "why", "ways", "figure"):
        if given.get(name):
            given[name] = of(given[name])
    if "conditions" in given:
        form, *others = given["conditions"]  # the first tests the form of the answer, in grades
        given["conditions"] = [form, *(each._replace(holds=of(each.holds, whole=True)) for each in others)]
        if given.get("says"):
            given["says"] = of(given["says"], whole=True)


_PLAIN = "Your numbers are those of the grades themselves. In this course the gain of a grade is {}."


# ---- words and code ----------------------------------------------------------------------------------------------


def spelled(text: str) -> str:
    """The source of an assignment with the gain of the course.

    >>> spelled("the gain is {gain}: sum(gains(grades[:k])), gain(3)/2 = {=gain(3)/2}")
    'the gain is the grade: sum(grades[:k]), 3/2 = 1.5'
    """
    option = taught()

    def value(found: re.Match[str]) -> str:
        return format(
            eval(found[1], {"gain": lambda grade: worth(grade, option), "log2": math.log2}), (found[2] or ":")[1:]
        )

    return "".join(_parts(_VALUE.sub(value, text).replace("{gain}", option.label), option))


def _parts(text: str, option: Option) -> Iterator[str]:
    at = 0
    while call := _CALL.search(text, at):
        depth, end = 1, call.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        inner = "".join(_parts(text[call.end() : end - 1], option))
        yield text[at : call.start()]
        if option is LINEAR:
            yield inner
        elif call[0] == "gains(":
            yield f"[{_python(option, 'grade')[1:-1]} for grade in {inner}]"
        elif inner.isdecimal():
            yield str(worth(int(inner), option))
        else:
            yield _python(option, inner)
        at = end
    yield text[at:]
