"""From outcomes to a verdict, for each kind of task. No student code runs here."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from ndcg_course.checks.codec import ODD
from ndcg_course.checks.diagnosis import Diagnosis, together
from ndcg_course.checks.faults import close, fault, said
from ndcg_course.checks.outcome import SLOW, Outcome
from ndcg_course.checks.patterns import is_number
from ndcg_course.checks.verdict import COLLECTED, OPEN, RIGHT, WRONG, Example, Property, Verdict
from ndcg_course.checks.words import described, listed, show, show_both
from ndcg_course.tasks.task import BuildTask, Case, FunctionTask, TaskSlip, TextTask, ValueTask, different


def judge_function(task: FunctionTask, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on a function from what it gave for the cases; there may be fewer outcomes than cases."""
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    if not outcomes or all(outcome.value is ... for outcome in outcomes):
        verdict.status = OPEN
        return verdict
    found = Diagnosis(task, cases, outcomes)
    verdict.properties = found.properties()
    verdict.points = sum(part.points for part in verdict.properties if part.passed)
    changed = found.changed()
    if found.bad or changed is not None:
        verdict.points = max(0, min(verdict.points, task.points - 1))  # whatever is wrong costs a point
    if found.bad:
        found.explain(verdict)
        if changed is not None:
            verdict.sentences.append(
                "`x.sort()` and `x.reverse()` change x itself and return `None`; `sorted(x)` returns a new list."
                if verdict.fault == "none"
                else "It also changes what it is given: work on a copy."
            )
    elif changed is not None:
        verdict.properties.append(Property("the arguments stay as they were", 1, False))
        verdict.fault, verdict.sentences = "input-changed", [_changed(found, changed)]
    else:
        verdict.status = RIGHT
        verdict.tried = f"{len(found.cases)} calls: {'; '.join(family.name for family in task.families)}"
    verdict.notes = _notes(found)
    return verdict


def judge_value(task: ValueTask, data: Mapping[str, Any], outcome: Outcome) -> Verdict:
    """The verdict on a value for the student's own data."""
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    if outcome.value is ...:
        verdict.status = OPEN
        return verdict
    target = Outcome(value=task.target(data))
    wrong = fault(outcome, target, 1e-12, task.tolerance)
    why = [task.why(**data)] if task.why else []
    if wrong is None:
        verdict.status, verdict.points, verdict.sentences = RIGHT, task.points, why
        return verdict
    verdict.fault = wrong.code
    if wrong.code not in ("value", "order", "shape"):
        verdict.sentences = [_of_a_variable(task.name, wrong.sentence)]
        if task.options and wrong.code == "type":
            verdict.sentences = [_among(task, show(outcome.value) if outcome.value is not ODD else described(outcome))]
        return verdict
    if task.options:
        _judge_choice(task, outcome.value, verdict)
    elif slips := _one_slip(task, data, outcome.value):
        _tell_slips(task, slips, target.value, verdict)
    elif near := _near(task, target.value, outcome.value) or _of_another(task, data, outcome.value):
        verdict.sentences = [near]
    elif slips := _two_slips(task, data, outcome.value):
        _tell_slips(task, slips, target.value, verdict)
    else:
        told = _of_a_variable(task.name, wrong.sentence) if wrong.sentence else ""
        verdict.sentences = [told or _unexplained(target.value, outcome.value)]
    if task.kind == "predict" and verdict.slips:
        verdict.notes += why
    return verdict


def _tell_slips(task: ValueTask, slips: Sequence[TaskSlip], target: Any, verdict: Verdict) -> None:
    verdict.slips, verdict.fault = tuple(slip.name for slip in slips), ""
    verdict.sentences = together([slip.sentence for slip in slips])
    verdict.place = next((slip.place for slip in slips if slip.place), task.place)
    verdict.example = _elsewhere(task, slips, target)


def judge_built(task: BuildTask, outcome: Outcome) -> Verdict:
    """The verdict on something built: the first condition that it breaks."""
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    value = outcome.value
    if value is ...:
        verdict.status = OPEN
        return verdict
    if outcome.type == "NoneType":
        verdict.fault, verdict.sentences = "none", [f"`{task.name}` is `None`."]
        return verdict
    held: list[bool] = []
    for condition in task.conditions:
        try:
            held.append(all(held) and bool(condition.holds(value)))
        except Exception:  # whatever was built, it does not meet the condition
            held.append(False)
    verdict.properties = [Property(c.name, c.points, ok) for c, ok in zip(task.conditions, held, strict=True)]
    verdict.points = sum(part.points for part in verdict.properties if part.passed)
    numbers = _numbers(task, value) if held[0] else []
    if all(held):
        verdict.status, verdict.sentences = RIGHT, numbers
        return verdict
    broken = task.conditions[held.index(False)]
    verdict.slips, verdict.sentences = (broken.name,), [broken.says, *(numbers if held[0] else [_form(outcome)])]
    return verdict


def judge_text(task: TextTask, outcome: Outcome) -> Verdict:
    """A text is collected; only its length is looked at."""
    verdict = Verdict(task.name, COLLECTED, 0, task.points, place=task.place)
    if outcome.value is ... or (isinstance(outcome.value, str) and not outcome.value.strip(" .\n…")):
        verdict.status = OPEN
    elif not isinstance(outcome.value, str):
        verdict.status = WRONG
        verdict.sentences = [f"`{task.name}` is {described(outcome)}; a text in quotes is asked."]
    elif (n := len(outcome.value.split())) < task.words:
        verdict.status = WRONG
        told = f"{n} word{'' if n == 1 else 's'} so far."
        verdict.sentences = [f"{told} Write two or three sentences, with a number or a case in them."]
    else:
        verdict.sentences = [f"{n} words. A person reads this and gives the points."]
    return verdict


def _form(outcome: Outcome) -> str:
    """What was built, where it has not the form that is asked."""
    value = outcome.value
    if not isinstance(value, dict):
        return f"Yours is {described(outcome)}" + (f": {show(value)}." if isinstance(value, list) else ".")
    parts = [f"{key!r} is {show(item)}" for key, item in list(value.items())[:4]]
    return f"In yours, {listed(parts)}." if parts else "Yours is empty."


def _changed(found: Diagnosis, i: int) -> str:
    before, after = next(
        (a, b) for a, b in zip(found.cases[i].args, found.outcomes[i].changed, strict=False) if repr(a) != repr(b)
    )
    kind = "dictionary" if isinstance(before, dict) else "list"
    became = f"after `{found.call(i)}` the {kind} {show(before)} has become {show(after)}"
    advice = "`dict(x)` makes a copy; `del x[…]`, `x.pop(…)` and `x.setdefault(…)` change x."
    return said(
        "input-changed",
        f": {became}, and the next calculation with it goes wrong",
        *([advice] if kind == "dictionary" else []),
    )


def _notes(found: Diagnosis) -> list[str]:
    notes = []
    printed = any(outcome.printed for outcome in found.outcomes)
    if printed and not found.bad:
        notes.append("It also prints; that does no harm.")
    slowest = max(range(len(found.outcomes)), key=lambda i: found.outcomes[i].seconds)
    outcome = found.outcomes[slowest]
    if not outcome.error and (outcome.seconds > SLOW or not found.complete):
        n = max((len(arg) for arg in found.cases[slowest].args if isinstance(arg, (list, dict))), default=1)
        notes.append(
            f"It is slow: a list of {n} takes it more than a tenth of a second, and a thousandth is plenty. Is"
            " something computed again and again?"
        )
    return notes


def _judge_choice(task: ValueTask, value: Any, verdict: Verdict) -> None:
    chosen = next((option for option in task.options if close(option, value, 0)), None)
    if chosen is None:
        verdict.sentences = [_among(task, show(value))]
    else:
        verdict.slips, verdict.sentences, verdict.fault = (chosen,), [task.options[chosen]], ""


def _among(task: ValueTask, given: str) -> str:
    return f"{given} is none of the answers to choose from: {listed([repr(o) for o in task.options], 'or')}."


def _one_slip(task: ValueTask, data: Mapping[str, Any], value: Any) -> list[TaskSlip]:
    return next(([slip] for slip in task.slips if _gives(task, [slip], data, value)), [])


def _two_slips(task: ValueTask, data: Mapping[str, Any], value: Any) -> list[TaskSlip]:
    """Two slips at once; not for a whole number, which fits some two by chance."""
    if task.decimals is None or not is_number(value) or value == round(value):
        return []
    combinable = [slip for slip in task.slips if slip.changes and slip.wrong is None]
    disjoint = ([a, b] for a, b in itertools.combinations(combinable, 2) if not a.changes.keys() & b.changes.keys())
    return next((pair for pair in disjoint if _gives(task, pair, data, value)), [])


def _gives(task: ValueTask, slips: Sequence[TaskSlip], data: Mapping[str, Any], value: Any) -> bool:
    wrong = task.wrong(slips, data)
    return wrong is not None and close(value, wrong, 1e-12, task.tolerance)


def _elsewhere(task: ValueTask, slips: Sequence[TaskSlip], mine: Any) -> Example | None:
    """The slip on other data: with the student's own, the target would be the answer."""
    if task.kind == "predict" or task.figure is not None:
        return None
    others = (task.data(f"another list {n}") for n in range(20))
    data = next((other for other in others if different(task.target(other), mine, task.tolerance)), None)
    if data is None or isinstance(mine, str):
        return None
    wrong, target = task.wrong(slips, data), task.target(data)
    if wrong is None:
        return None
    left, right = show_both(target, wrong)
    return Example(", ".join(f"{name} = {show(value)}" for name, value in data.items()), left, right, own=False)


def _near(task: ValueTask, target: Any, value: Any) -> str:
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
    return ""


def _unexplained(target: Any, value: Any) -> str:
    if not (is_number(target) and is_number(value)):
        return "This is not the answer, and no mistake known here gives it."
    return f"This is too {'large' if value > target else 'small'}, and no mistake known here gives it."


def _of_another(task: ValueTask, data: Mapping[str, Any], value: Any) -> str:
    """Whether it is the answer to the data that everybody sees before the own id is put in."""
    if task.decimals is None or not is_number(value):
        return ""
    others = task.data("demo")
    if others == data or abs(value - task.target(others)) > task.tolerance:
        return ""
    return 'This is the answer to the data of the id "demo". Yours are others: run the cell that shows them again.'


def _of_a_variable(name: str, sentence: str) -> str:
    for word, instead in (("returns ", "is "), ("still returns ", "still is ")):
        if sentence.startswith(word):
            sentence = instead + sentence.removeprefix(word)
    return f"`{name}` {sentence.removesuffix(' Is a `return` missing?').rstrip('.')}."


def _numbers(task: BuildTask, value: Any) -> list[str]:
    try:
        told = task.says(value) if task.says else ""
    except Exception:  # the numbers of a half-right answer may not exist
        return []
    return [told] if told else []
