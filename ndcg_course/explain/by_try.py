"""What of a verdict is told at which wrong try: what is right and the direction, the place, then the concept.

The verdict itself is the same for notebook, page and grader; a check that is asked for the first time keeps part of it
back. The direction of a number is told once, so that no search by halves finds it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ndcg_course.explain.faults import is_number
from ndcg_course.explain.messages import WRONG, Verdict
from ndcg_course.tasks.task import BuildTask, FunctionTask, Task, ValueTask

FIRST, SECOND = 1, 2
IN_THE_CODE = ("small-change", "thought", "line")  # what is told of a line of the student's
PLACES = {
    "gain": "what each grade is worth",
    "grades": "what each grade is worth",
    "discount": "what each rank is divided by",
    "logarithm": "what each rank is divided by",
    "ideal": "the best order, and which documents it is made of",
    "cut-off": "how many documents count",
    "normalising": "the last step, the quotient",
    "adding up": "how the terms are put together",
    "mean over queries": "how the queries are put together",
    "ties": "the order of the documents",
    "ranking": "the order of the documents",
    "documents": "which documents count",
    "no relevant document": "what happens where nothing is relevant",
    "rounding": "where digits are lost",
}
DIRECTION = re.compile(r"\b(?:is|are) too (?:large|small)\b(?:, and no mistake known here gives it for certain)?")
# What Python itself would say, or what has nothing to do with the concept, is told at once.
AT_ONCE = re.compile(r"\braises\b|`def …`|what it is given|`None`|right values in|^Besides")
NOT_YET = "This is not the answer yet."


def tell(task: Task, verdict: Verdict, data: Mapping[str, Any] | None, value: Any, nth: int) -> None:
    """Keep back what is not to be told at the nth wrong try."""
    verdict.nth = nth
    if verdict.status != WRONG:
        return
    if nth == FIRST and not isinstance(task, BuildTask):
        verdict.place = task.place  # that of a cause says which it is
    if isinstance(task, FunctionTask) and nth <= SECOND:
        _of_function(verdict, nth)
    elif isinstance(task, ValueTask) and not task.options and data is not None:
        _of_value(task, verdict, data, value, nth)


def _of_function(verdict: Verdict, nth: int) -> None:
    if nth == FIRST and verdict.example:
        verdict.example = verdict.example._replace(rows=None)  # they show the place
    if not (verdict.slips or verdict.fault in IN_THE_CODE):
        return  # an error, a type, a loop: what Python itself would say
    at_once = [told for told in verdict.sentences if AT_ONCE.search(told)]
    shown, part = verdict.example, place_of(verdict.slips)
    if nth == FIRST:
        told = (
            "For this call it gives something else than what is asked."
            if shown
            else "Some answers are not those asked."
        )
    elif not verdict.slips:
        return  # the line is the place
    elif part or (shown and shown.rows):
        told = f"Look at {part}." if part else "Look at the first row that is marked."
    else:
        told = "Follow this call through your code, line by line: where does it leave the way?"
    verdict.sentences = at_once or [told]


def _of_value(task: ValueTask, verdict: Verdict, data: Mapping[str, Any], value: Any, nth: int) -> None:
    if getattr(verdict, "form", "") or not _is_near_a_value(verdict):
        return  # the right number in another form, or no number
    target = task.target(data)
    caused = bool(verdict.slips or getattr(verdict, "cause", ""))
    if nth == FIRST:
        verdict.example = None
        told = [] if caused else [told for told in verdict.sentences if "known here" not in told and told != NOT_YET]
        if not any(map(DIRECTION.search, told)):
            told = ["One step is not right yet, and the others are."] * caused + told + direction(target, value)
        verdict.sentences = told or [NOT_YET]
        return
    if nth == SECOND:
        verdict.example = None
    if nth == SECOND and caused:
        part = place_of(verdict.slips)
        verdict.sentences = [f"Look at {part}." if part else _steps(data)]
        return
    verdict.sentences = [
        DIRECTION.sub(lambda found: found[0].split()[0] + " not right yet", told) for told in verdict.sentences
    ]
    if nth == SECOND and not any(" place " in told or "term" in told for told in verdict.sentences):
        verdict.sentences = [NOT_YET, _steps(data)]


def place_of(slips: tuple[str, ...]) -> str:
    """The part of a definition that a slip gets wrong, in words; "" where the slip is the task's own.

    >>> place_of(("natural-log",))
    'what each rank is divided by'
    """
    from ndcg_lib.slips import SLIPS

    known = [SLIPS[name].family for name in slips if name in SLIPS]
    return PLACES[known[0]] if known else ""


def direction(target: Any, value: Any) -> list[str]:
    """Whether a number is too large or too small; nothing for what is none."""
    if not (is_number(target) and is_number(value)) or target == value:
        return []
    return [f"The number is too {'large' if value > target else 'small'}."]


def _steps(data: Mapping[str, Any]) -> str:
    if any(isinstance(given, list) for given in data.values()):
        return "Go through it rank by rank: is each term right, and does each one count once?"
    return "Write down step by step what you do, and look at each step by itself."


def _is_near_a_value(verdict: Verdict) -> bool:
    return verdict.fault not in ("none", "dots", "type", "finite")
