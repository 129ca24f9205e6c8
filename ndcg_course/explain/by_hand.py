"""What explains a number that was worked out by hand: a cause where chance would hardly give it, else the place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ndcg_course.explain.faults import close, is_number
from ndcg_course.explain.gate import earned
from ndcg_course.explain.outcome import Outcome
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import ValueTask

OFTEN = 60  # one in so many answers that are wrong for another reason fits by chance: that is often
SIMULATED = 250
SURE = "both"  # the kind of a sentence that two wrong numbers bear out


class Cause(NamedTuple):
    """What may have given a number: the kind of sentence, the slip or the name of the form, and its values."""

    kind: str
    slip: TaskSlip
    value: Any
    term: float | None = None  # what it makes of the number that is asked beside the answer

    @property
    def is_form(self) -> bool:
        """Whether the number is right, in another form than the one asked, or another's."""
        return self.slip.name.partition(" ")[0] in _FORMS


def cause(task: ValueTask, data: Mapping[str, Any], value: Any, term: Any = None) -> Cause | None:
    """What gives this value, and few other mistakes would give; a term that fits too makes it sure."""
    candidates = list(_candidates(task, data))
    fitting = [one for one in candidates if close(value, one.value, 1e-12, task.tolerance)]
    if not fitting or task.kind != "compute":  # elsewhere the words only say what the answer is
        return fitting[0] if fitting else None
    if term is not None:
        fitting = [one for one in fitting if one.term is not None and abs(term - one.term) <= task.part_off]
        sure = [one for one in fitting if abs(term - task.term_of(data)) > task.part_off]
        if sure and all(one.slip.name == sure[0].slip.name for one in fitting):
            fitting = [sure[0]._replace(kind=SURE)]
    one = _likeliest(task, fitting)
    if one is not None:
        kind = one.slip.name.partition(" ")[0] if one.is_form else one.kind
        one = one._replace(kind=f"{_by_chance(task, data, one, term)}: {kind}")
    return one if one is not None and earned(one.kind, task.name) else None


def _likeliest(task: ValueTask, fitting: Sequence[Cause]) -> Cause | None:
    """The first; none of the rare ones where another gives the same here and something else with other data."""
    first = next(iter(fitting), None)
    if first is None or first.kind != "rare":
        return first
    others = [task.data(f"another {n}") for n in range(3)]
    told = {repr([task.wrong([one.slip], data) for data in others]) for one in fitting}
    return first if len(told) == 1 else None


def _by_chance(task: ValueTask, data: Mapping[str, Any], one: Cause, term: Any) -> str:
    """How often a mistake that has no such cause gives the same numbers."""
    pens = [pen for pen in _simulated(task, data) if abs(pen[0] - task.target(data)) > task.tolerance]
    hits = sum(
        abs(value - one.value) <= task.tolerance
        and (term is None or beside is None or abs(beside - term) <= task.part_off)
        for value, beside in pens
    )
    return "hardly" if not hits else "often" if hits * OFTEN > len(pens) else "rarely"


def _candidates(task: ValueTask, data: Mapping[str, Any]) -> Iterator[Cause]:
    """The causes with their values, the likeliest first."""
    right = task.target(data)
    for kind, slip in _all(task, data):
        value = task.wrong([slip], data)
        if value is None or (is_number(value) and not math.isfinite(value)):
            continue
        if not close(value, right, 1e-12, task.tolerance):
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
    for n, (step, value) in enumerate(list(task.working(**data).items())[:-1] if task.working else ()):
        yield TaskSlip(f"step {n}", lambda value=value, **given: value, _FORMS["step"].format(step))
    if (others := task.data("demo")) != data:
        yield form("demo", task.target(others))


_FORMS = {
    "percentage": "This is the answer as a percentage; give it as a share, such as 0.5 for 50 %.",
    "rest": "This is 1 minus the answer: what is missing, not what is there.",
    "upside-down": "This is 1 divided by the answer: the quotient stands upside down.",
    "signed": "The number is right but for its sign.",
    "step": "This is a step on the way, {}: go on from there.",
    "demo": 'This is the answer to the data of the id "demo". Yours are others: run the cell that shows them again.',
}


def _simulated(task: ValueTask, data: Mapping[str, Any]) -> Iterator[tuple[float, Any]]:
    """Answers with mistakes in adding, counting, copying and rounding, as chance makes them; and what stands beside."""
    target, draw = task.target(data), Draw(task.name, "mistakes", repr(data))
    if not is_number(target):
        return
    beside = task.term_of(data)
    for _ in range(SIMULATED):
        value = mistaken(task, data, target, draw)
        if value is not None:
            yield value, beside
    for copied in _copied(data):
        value = task.wrong((), copied)
        if is_number(value) and math.isfinite(value):
            yield round(float(value), task.decimals or 0), task.term_of(copied)


def _copied(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The data with one number of a list a little off."""
    for name, given in data.items():
        if isinstance(given, list) and given and is_number(given[0]):
            for at, more in itertools.product(range(len(given)), (-2, -1, 1, 2)):
                if (given[at] or 0) + more >= 0:
                    yield {**data, name: [*given[:at], (given[at] or 0) + more, *given[at + 1 :]]}


def mistaken(task: ValueTask, data: Mapping[str, Any], target: float, draw: Draw) -> float | None:
    """One answer with a mistake in adding, counting or rounding.

    >>> from ndcg_course.tasks import task_named
    >>> task = task_named("cg_by_hand")
    >>> mistaken(task, task.data("demo"), task.target(task.data("demo")), Draw("a mistake"))
    14.0
    """
    kind = draw.choice(["adding", "adding", "counting", "rounding", "digits"])
    places = task.decimals or 0
    counts = [
        value if isinstance(value, int) else len(value) for value in data.values() if isinstance(value, (int, list))
    ]
    if kind == "counting" and counts and max(counts) > 1:
        n, more = max(2, draw.choice(counts)), draw.choice([-2, -1, 1, 2])
        return round(float(target + (more / n if places and abs(target) <= 1 else more)), places)
    if kind == "rounding" and places:
        return round(float(target) + draw.choice([-1, 1]) * draw.integer(2, 40) * 10.0**-places, places)
    if kind == "digits":
        text = f"{abs(target):0{places + 2}.{places}f}"
        at = draw.integer(0, len(text) - 2)
        swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return float(swapped)
    step = draw.choice([1, 1, 1, 2, 2, 3, 5, 10]) * 10.0 ** -draw.integer(0, places)
    return round(float(target) + draw.choice([-1, 1]) * step, places)


def form_of(task: ValueTask, data: Mapping[str, Any], value: Any, term: Any) -> str:
    """What is seen of the number itself, whatever made it: right as far as it goes, the number before the last step."""
    target, places = task.target(data), task.decimals or 0
    if not (is_number(target) and is_number(value)) or abs(value - target) <= task.tolerance:
        return ""
    before = None if term is None and not task.part else task.term_of(data)
    if term is not None and abs(term - before) > task.part_off:
        return ""
    if any(abs(value - round(target, digits)) < 1e-9 for digits in range(1, places)):
        return "few-decimals"
    if before is None or not task.working:
        return ""
    if abs(value - before) <= task.tolerance:
        return "a-step-left" if term is None else "given-twice"
    if task.decimals is None and value == math.floor(before):
        return "just-below" if term is None else "rounded-down"
    return ""


_SEEN = {
    "few-decimals": "Right as far as it goes, but rounded too early: more decimals are asked.",
    "given-twice": "Your first number is right, and the second is the same: one step is left between them.",
    "rounded-down": "Your first number is right, and the second lies below it: which way is it rounded here?",
    "a-step-left": "This is {}. Is a step left?",
    "just-below": "The number before it is rounded lies just above this one: which way is it rounded here?",
}


def unexplained(task: ValueTask, data: Mapping[str, Any], value: Any, term: Any = None) -> list[str]:
    """What is left to say: what is seen of the number, or the direction, and where to look."""
    target = task.target(data)
    if not (is_number(target) and is_number(value)):
        return ["This is not the answer yet."]
    if task.decimals is None and value != int(value):
        return ["A whole number is asked: what is to be done with the fraction?"]
    if form := form_of(task, data, value, term):
        return [_SEEN[form].format(task.beside)]
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
