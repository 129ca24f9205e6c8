"""What explains a number that was worked out by hand: a slip, told only where chance would hardly give it."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ndcg_course.explain.alterations import Alteration, alterations
from ndcg_course.explain.faults import close, said
from ndcg_course.explain.patterns import Relation, is_number, numbers_in, relations
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import ValueTask
from ndcg_lib.slips import SLIPS

ONE_IN = 25  # answers that are wrong for another reason, of which fewer may fit a slip
SIMULATED = 250
COARSE = 20
FEW_STEPS = 4  # of a working; of more, most are parts of a sum


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
    if task.decimals:
        yield from _other_units(task, data, counts)
        yield from _on_the_way(task, data, counts)


def _other_units(task: ValueTask, data: Mapping[str, Any], counts: Sequence[str]) -> Iterator[TaskSlip]:
    """The answer with its decimal point moved, or with a number that multiplies where it has to divide."""
    for factor, words in {10: "ten times the target", 0.1: "a tenth of the target"}.items():

        def moved(factor: float = factor, **given: Any) -> Any:
            return factor * task.reference(**given)

        yield TaskSlip("result-changed", moved, _of_one(said("result-changed", words)))
    known = numbers_in(data)
    for count, power in itertools.product([count for count in counts if known.get(count)], (2, -2)):

        def twice(count: str = count, power: int = power, **given: Any) -> Any:
            return task.reference(**given) * numbers_in(given)[count] ** power

        if abs(task.target(data) * known[count] ** power) < COARSE * task.tolerance:
            continue  # so near to 0 that much else gives it
        done = ("multiplied", "divide") if power > 0 else ("divided", "multiply")
        told = f"Your number is {done[0]} by `{count}`, where you have to {done[1]}."
        yield TaskSlip("result-changed", twice, told)


def _on_the_way(task: ValueTask, data: Mapping[str, Any], counts: Sequence[str]) -> Iterator[TaskSlip]:
    """A step of the working in place of the answer, or with another last step."""
    steps = list(task.working(**data))[:-1] if task.working else []
    for at, step in reversed(list(enumerate(steps))[-2 if len(steps) > FEW_STEPS else 0 :]):

        def stopped(at: int = at, **given: Any) -> Any:
            return _step(task, given, at)

        if len(steps) <= FEW_STEPS:
            yield TaskSlip("step-alone", stopped, said("step-alone", f'the step "{step}"'))
        for count, more in itertools.product(counts if at >= len(steps) - 2 else (), (0, 1, -1)):

            def over(at: int = at, count: str = count, more: int = more, **given: Any) -> Any:
                return _step(task, given, at) / (numbers_in(given)[count] + more)

            by = f"`{count}`" if not more else f"`{count} {'+' if more > 0 else '-'} 1`"
            yield TaskSlip("step-divided", over, said("step-divided", f'the step "{step}"', by))


def _step(task: ValueTask, given: Mapping[str, Any], at: int) -> float:
    assert task.working is not None
    return list(task.working(**given).values())[at]


def place(task: ValueTask, data: Mapping[str, Any], value: Any) -> str:
    """What gives this number if all the rest is right, where one place alone can give it, and chance hardly would.

    >>> from ndcg_course.tasks import task_named
    >>> task = task_named("dcg_by_hand")
    >>> place(task, task.data("demo"), 4.923 - 0.631)
    'Your number comes out if place 2 of `grades` is read as 0 and all else is right: look there first.'
    """
    if not task.decimals or not is_number(value):
        return ""
    places = list(_in_one_place(task, data))
    values = sorted(gives for _, _, gives in places)
    if not values or 2 * task.tolerance * len(values) * ONE_IN > values[-1] - values[0]:
        return ""
    found: dict[tuple[str, int], str] = {}
    for at, words, gives in places:
        if close(value, gives, 1e-12, task.tolerance):
            found.setdefault(at, words)
    where = next(iter(found.values()), "")
    return f"Your number comes out if {where} and all else is right: look there first." if len(found) == 1 else ""


def _in_one_place(task: ValueTask, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, int], str, float]]:
    """One number that is read wrongly, or one divisor that is that of another rank: place, words, answer."""
    for name, given in data.items():
        if not isinstance(given, list) or len(given) > LONGEST_SUM or not all(isinstance(item, int) for item in given):
            continue
        for at, item in enumerate(given):
            told = f"place {at + 1} of `{name}`"
            for read in (item + 1, item - 1, item + 2, item - 2, 0):
                wrong = task.wrong((), {**data, name: [*given[:at], read, *given[at + 1 :]]})
                if 0 <= read != item and is_number(wrong) and (at or read in (0, item)):  # 1 more is an adding mistake
                    yield (name, at), f"{told} is read as {read}", wrong
        for at, term in enumerate(_terms(task, data, name)):
            for words, factor in _other_divisors(at + 1).items() if term else ():
                gives = task.target(data) + (factor - 1) * term
                yield (name, at), f"the divisor of rank {at + 1} is {words}", gives


def _terms(task: ValueTask, data: Mapping[str, Any], name: str) -> list[float]:
    """What each item brings, if the answer is their sum and each rank has the modern discount."""

    def of(items: Sequence[float]) -> list[Any]:
        alone = [[item if i == at else 0 for i in range(len(items))] for at, item in enumerate(items)]
        return [task.wrong((), {**data, name: one}) for one in alone]

    terms, ones = of(data[name]), of([1] * len(data[name]))
    if not all(map(is_number, [*terms, *ones])) or abs(sum(terms) - task.target(data)) > 1e-9:
        return []
    discounted = all(abs(one * math.log2(rank + 1) - ones[0]) < 1e-9 or not one for rank, one in enumerate(ones, 1))
    return terms if ones[0] and discounted else []


def _other_divisors(rank: int) -> dict[str, float]:
    divisors = {i: math.log2(i + 1) for i in (rank - 1, rank, rank + 1) if i}
    others = {f"that of rank {i}": divisors[rank] / divisor for i, divisor in divisors.items() if i != rank}
    return others | ({"forgotten": divisors[rank]} if rank > 1 else {})


LONGEST_SUM = 12
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
    for digits in range(1, task.decimals):
        if abs(value - round(target, digits)) < 1e-9:
            said = {1: "one decimal"}.get(digits, f"{digits} decimals")
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
