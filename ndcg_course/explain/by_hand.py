"""What explains a number that was worked out by hand: a cause where chance would hardly give it, else the place."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ndcg_course.explain.faults import close
from ndcg_course.explain.gate import earned
from ndcg_course.explain.outcome import Outcome
from ndcg_course.explain.patterns import is_number
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import ValueTask

ONE_IN = 60  # answers that are wrong for another reason, of which fewer may fit a cause
SIMULATED = 250
SURE = "both"  # the kind of a sentence that two wrong numbers bear out


class Cause(NamedTuple):
    """What may have given a number: the kind of sentence, the slip or the name of the form, and its values."""

    kind: str
    slip: TaskSlip
    value: Any
    term: float | None = None  # what it makes of the number that is asked beside the answer
    sure: bool = False  # both numbers are wrong, and it gives both

    def within(self, task: ValueTask) -> float:
        """What a number may be off that is said to come from it; one with too few decimals is exactly that."""
        return 1e-9 if self.slip.name == "few-decimals" else task.tolerance


def cause(task: ValueTask, data: Mapping[str, Any], value: Any, term: Any = None) -> Cause | None:
    """What gives this value, and few other mistakes would give; a term that fits too makes it sure."""
    candidates = list(_candidates(task, data))
    fitting = [one for one in candidates if close(value, one.value, 1e-12, one.within(task))]
    if not fitting or task.kind != "compute":  # elsewhere the words only say what the answer is
        return fitting[0] if fitting else None
    if term is not None:
        right = task.term_of(data)
        candidates = [one for one in candidates if one.term is not None and abs(term - one.term) <= task.part_off]
        fitting = [one for one in fitting if one in candidates]
        sure = [one for one in fitting if one.term is not None and abs(one.term - right) > task.part_off]
        if sure and all(one.slip.name == sure[0].slip.name for one in fitting) and earned(SURE, task.name):
            return sure[0]._replace(sure=True)
    return next((one for one in _told(task, data, candidates) if one in fitting), None)


def told(task: ValueTask, data: Mapping[str, Any]) -> list[Cause]:
    """What may be named: together it fits fewer than one in so many answers that are wrong for another reason."""
    return list(_told(task, data, _candidates(task, data)))


def _told(task: ValueTask, data: Mapping[str, Any], candidates: Iterable[Cause]) -> Iterator[Cause]:
    target = task.target(data)
    wrong = sorted(value for value in _simulated(task, data) if abs(value - target) > task.tolerance)
    allowed = len(wrong) / ONE_IN
    for one in candidates:
        hits = bisect_right(wrong, one.value + task.tolerance) - bisect_left(wrong, one.value - task.tolerance)
        if hits <= allowed and earned(one.kind, task.name):
            allowed -= hits
            yield one


def _candidates(task: ValueTask, data: Mapping[str, Any]) -> Iterator[Cause]:
    """The causes with their values, the likeliest first; of several with one value, the first."""
    seen: list[Any] = [task.target(data)]
    for kind, slip in _all(task, data):
        value = task.wrong([slip], data)
        if value is None or (is_number(value) and not math.isfinite(value)):
            continue
        if not any(close(value, known, 1e-12, task.tolerance) for known in seen):
            seen.append(value)
            of = task.data("demo") if slip.name == "demo" else data
            yield Cause(kind, slip, value, task.term_of(of, [slip] if kind in ("paper", "rare") else ()))


def _all(task: ValueTask, data: Mapping[str, Any]) -> Iterator[tuple[str, TaskSlip]]:
    yield from (("paper", slip) for slip in task.slips)
    if task.kind == "compute":
        yield from (("form", slip) for slip in _forms(task, data))
        yield from (("rare", slip) for slip in task.further)


def _forms(task: ValueTask, data: Mapping[str, Any]) -> Iterator[TaskSlip]:
    """The answer in another form: a percentage, its sign, upside down, with too few decimals, another's."""
    target = task.target(data)
    if not is_number(target) or task.decimals is None:
        return

    def form(name: str, value: float) -> TaskSlip:
        return TaskSlip(name, lambda **given: value, _FORMS[name])

    if 0 < target <= 1:
        yield form("percentage", 100 * target)
        yield form("rest", 1 - target)
        yield form("upside-down", 1 / target)
    yield form("signed", -target)
    for digits in range(task.decimals - 1, 0, -1):
        yield form("few-decimals", round(target, digits))
    if (others := task.data("demo")) != data:
        yield form("demo", task.target(others))


_FORMS = {
    "percentage": "This is the answer as a percentage; give it as a share, such as 0.5 for 50 %.",
    "rest": "This is 1 minus the answer: what is missing, not what is there.",
    "upside-down": "This is 1 divided by the answer: the quotient stands upside down.",
    "signed": "The number is right but for its sign.",
    "few-decimals": "Right as far as it goes, but rounded too early: more decimals are asked.",
    "demo": 'This is the answer to the data of the id "demo". Yours are others: run the cell that shows them again.',
}


def _simulated(task: ValueTask, data: Mapping[str, Any]) -> Iterator[float]:
    """Answers with mistakes in adding, counting, copying and rounding, as chance makes them."""
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
    15.0
    """
    if not is_number(target):
        return None
    kind = draw.choice(["adding", "adding", "counting", "copying", "copying", "rounding", "digits"])
    places = task.decimals or 0
    counts = [
        value if isinstance(value, int) else len(value) for value in data.values() if isinstance(value, (int, list))
    ]
    if kind == "counting" and counts and max(counts) > 1:
        n, more = max(2, draw.choice(counts)), draw.choice([-2, -1, 1, 2])
        return round(float(target + (more / n if places and abs(target) <= 1 else more)), places)
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
    step = draw.choice([1, 1, 1, 2, 2, 3, 5, 10]) * 10.0 ** -draw.integer(0, places)
    return round(float(target) + draw.choice([-1, 1]) * step, places)


def unexplained(task: ValueTask, data: Mapping[str, Any], value: Any, term: Any = None) -> list[str]:
    """What is left to say: the direction, and where to look; a term beside the sum says in which of them."""
    target = task.target(data)
    if not (is_number(target) and is_number(value)):
        return ["This is not the answer yet."]
    if task.decimals is None and value != int(value):
        return ["A whole number is asked: what is to be done with the fraction?"]
    size = "large" if value > target else "small"
    if term is not None:
        of_rank = f"{task.beside[:1].upper()}{task.beside[1:]} is"
        whole = "sum" if task.term is not None else "result"
        if abs(value - target) <= task.tolerance:
            return [f"The {whole} is right. {of_rank} not: how is it worked out?"]
        if abs(term - task.term_of(data)) <= task.part_off:
            then = "look at the other terms, then add again" if whole == "sum" else "look at the steps after it"
            return [f"{of_rank} right, and the {whole} is too {size}: {then}."]
        return [f"{of_rank} not right yet: begin there."]
    told = [f"This is too {size}: go through your working step by step."]
    if task.decimals and abs(value - target) <= 6 * task.tolerance:
        told = ["Close, but not to the last decimal asked: keep four or more decimals until the end."]
    if task.beside:
        told.append(f"Type two numbers, {task.beside} too, as in `{task.name} = [1.5, 4.25]`: they show where to look.")
    return told


def as_pair(task: ValueTask, outcome: Outcome) -> Sequence[float] | None:
    """What is asked beside the answer, and the answer, where both were given."""
    value = outcome.value
    if not task.beside or not isinstance(value, list) or len(value) != 2 or not all(map(is_number, value)):
        return None
    if task.decimals and outcome.type == "tuple" and all(isinstance(item, int) for item in value):
        return None  # a number with a comma for its point
    return value
