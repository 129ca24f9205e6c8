"""What explains a number that was worked out by hand: a slip, told only where chance would hardly give it."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ndcg_course.checks.alterations import Alteration, alterations
from ndcg_course.checks.faults import close, said
from ndcg_course.checks.patterns import Relation, is_number, relations
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import TaskSlip, ValueTask
from ndcg_lib.slips import SLIPS

ONE_IN = 25  # answers that are wrong for another reason, of which fewer may fit a slip
SIMULATED = 250


def cause(task: ValueTask, data: Mapping[str, Any], value: Any) -> list[TaskSlip]:
    """The slip, or two, that gives this value, and that few other mistakes would give; else none."""
    candidates = list(_candidates(task, data))
    fitting = [slips for slips, wrong in candidates if close(value, wrong, 1e-12, task.tolerance)]
    if not fitting or task.kind != "compute":  # elsewhere the words only say what the answer is
        return fitting[0] if fitting else []
    return next((slips for slips in _told(task, data, candidates) if slips in fitting), [])


def told(task: ValueTask, data: Mapping[str, Any]) -> list[list[TaskSlip]]:
    """The slips that may be named: together they fit fewer than one in so many answers wrong for another reason."""
    return list(_told(task, data, _candidates(task, data)))


def _told(
    task: ValueTask, data: Mapping[str, Any], candidates: Iterable[tuple[list[TaskSlip], Any]]
) -> Iterator[list[TaskSlip]]:
    target = task.target(data)
    wrong = sorted(value for value in _simulated(task, data) if abs(value - target) > task.tolerance)
    allowed = len(wrong) / ONE_IN
    for slips, gives in candidates:
        hits = bisect_right(wrong, gives + task.tolerance) - bisect_left(wrong, gives - task.tolerance)
        if hits <= allowed:
            allowed -= hits
            yield slips


def _candidates(task: ValueTask, data: Mapping[str, Any]) -> Iterator[tuple[list[TaskSlip], Any]]:
    """The slips with their values, the likeliest first; of several with one value, the first."""
    seen: list[Any] = [task.target(data)]
    # Two of the library are two choices in one definition; a task's own are readings of the whole question.
    combinable = [slip for slip in task.slips if slip.changes and slip.wrong is None and slip.name in SLIPS]
    pairs = [[a, b] for a, b in itertools.combinations(combinable, 2) if not a.changes.keys() & b.changes.keys()]
    alone = [*task.slips, *task.further, *(_in_general(task, data) if task.kind == "compute" else [])]
    for slips in [*([slip] for slip in alone), *(pairs if task.decimals else [])]:
        value = task.wrong(slips, data)
        if value is None or (is_number(value) and not math.isfinite(value)):
            continue
        if len(slips) == 2 and is_number(value) and value == round(value):  # fits some two by chance
            continue
        if not any(close(value, known, 1e-12, task.tolerance) for known in seen):
            seen.append(value)
            yield slips, value


def _in_general(task: ValueTask, data: Mapping[str, Any]) -> Iterator[TaskSlip]:
    """What can go wrong with any data: another part of a list, a number one off, one more step after the last."""
    names, values = list(data), list(data.values())
    for altered in alterations(values):

        def wrong(altered: Alteration = altered, **given: Any) -> Any:
            return task.reference(**dict(zip(names, altered.args(list(given.values())), strict=True)))

        if altered.name in _ON_PAPER:
            yield TaskSlip(altered.name, wrong, _of_one(altered.sentence))
    counts = [name if isinstance(value, int) else f"len({name})" for name, value in data.items()]
    steps = [words.format(count) for count in counts for words in _LAST_STEP] if task.decimals else []
    for step in relations(data, task.target(data)):

        def more(step: Relation = step, **given: Any) -> Any:
            return step.of(task.reference(**given), given)

        if step.words in steps:
            yield TaskSlip(step.code, more, _of_one(said(step.code, step.words)))


_ON_PAPER = {"first-item-lost", "last-item-lost", "items-reversed", "items-sorted-down"} | {
    "number-one-more",
    "number-one-less",
    "lists-swapped",
    "one-list-for-both",
}
_LAST_STEP = ("the target times `{}`", "the target divided by `{}`")  # others fit by chance too often


def _of_one(sentence: str) -> str:
    """The words about a function's answers, of one number.

    >>> _of_one("Each of your numbers is the target times `k`.")
    'Your number is the answer times `k`.'
    """
    sentence = sentence.replace("Each of your numbers is", "Your number is").replace("the target", "the answer")
    sentence = sentence.replace("Your answers are those for", "Your number is that for")
    return sentence.partition(". ")[0].removesuffix(".") + "."  # no ranges and sets, which paper has not


def _simulated(task: ValueTask, data: Mapping[str, Any]) -> Iterator[float]:
    """Answers with mistakes in adding, copying and rounding, as chance makes them."""
    target, draw = task.target(data), Draw(task.name, "mistakes", repr(data))
    for _ in range(SIMULATED):
        value = mistaken(task, data, target, draw)
        if value is not None:
            yield value


def mistaken(task: ValueTask, data: Mapping[str, Any], target: Any, draw: Draw) -> float | None:
    """One such answer.

    >>> from ndcg_course.tasks import task_named
    >>> task = task_named("cg_by_hand")
    >>> mistaken(task, task.data("demo"), task.target(task.data("demo")), Draw("a mistake"))
    23.0
    """
    if not is_number(target):
        return None
    kind = draw.choice(["adding", "adding", "copying", "copying", "rounding", "digits"])
    places = task.decimals or 0
    if kind == "copying":
        lists = [name for name, given in data.items() if isinstance(given, list) and given and is_number(given[0])]
        if not lists:
            return None
        name = draw.choice(lists)
        copied, at = list(data[name]), draw.integer(0, len(data[name]) - 1)
        copied[at] = max(0, (copied[at] or 0) + draw.choice([-2, -1, 1, 2]))
        value: Any = task.wrong((), {**data, name: copied})
        return round(float(value), places) if is_number(value) and math.isfinite(value) else None
    if kind == "rounding" and places:
        return round(float(target) + draw.choice([-1, 1]) * draw.integer(2, 40) * 10.0**-places, places)
    if kind == "digits":
        text = f"{abs(target):0{places + 2}.{places}f}"
        at = draw.integer(0, len(text) - 2)
        swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return float(swapped)
    step = draw.choice([1, 1, 1, 2, 2, 3, 10]) * 10.0 ** -draw.integer(0, places)
    return round(float(target) + draw.choice([-1, 1]) * step, places)


def another(task: ValueTask, data: Mapping[str, Any], value: Any) -> str:
    """What the number is, where that can be said without a guess at how it came about."""
    target = task.target(data)
    if not (is_number(target) and is_number(value)) or task.decimals is None:
        return ""
    share = 0 < target <= 1
    if share and abs(value - 100 * target) <= 100 * task.tolerance:
        return "This is the answer as a percentage; give it as a share, such as 0.5 for 50 %."
    for digits in range(task.decimals):
        if abs(value - round(target, digits)) < 1e-9:
            said = {0: "a whole number", 1: "one decimal"}.get(digits, f"{digits} decimals")
            return f"Right as far as it goes, but it is rounded to {said}: {task.decimals} decimals are asked."
    if abs(value - target) <= 6 * task.tolerance:
        return (
            "Close, but not to the last decimal asked: were the terms rounded or cut off before adding? Keep four or"
            " more decimals until the end."
        )
    if abs(value + target) <= task.tolerance:
        return "The number is right but for its sign."
    if share and abs(value - (1 - target)) <= task.tolerance:
        return "This is 1 minus the answer: what is missing, not what is there."
    if share and abs(value - 1 / target) <= task.tolerance:
        return "This is 1 divided by the answer: the quotient stands upside down."
    others = task.data("demo")
    if others != data and abs(value - task.target(others)) <= task.tolerance:
        return 'This is the answer to the data of the id "demo". Yours are others: run the cell that shows them again.'
    return ""


def unexplained(target: Any, value: Any) -> str:
    """What is left to say: in which direction, and that the place is to be looked for."""
    if not (is_number(target) and is_number(value)):
        return "This is not the answer, and no mistake known here gives it."
    size = "large" if value > target else "small"
    return f"This is too {size}, and no mistake known here gives it for certain: compare your working line by line."
