"""From outcomes to a verdict, for each kind of task. No student code runs here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ndcg_course.explain.by_hand import Cause, as_pair, cause, form_of, unexplained
from ndcg_course.explain.causes import Diagnosis
from ndcg_course.explain.codec import ODD
from ndcg_course.explain.faults import Fault, close, fault, is_number, said
from ndcg_course.explain.first_wrong_rank import Of, Rows, rows, up_to, word_for
from ndcg_course.explain.messages import COLLECTED, OPEN, RIGHT, WRONG, Example, Property, Verdict, brief
from ndcg_course.explain.outcome import SLOW, Outcome, described, different, listed, of_type, show, show_both
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import BuildTask, Case, FunctionTask, Task, TextTask, ValueTask


def judge(task: Task, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    """What the outcomes of a task's cases are worth, and what to say."""
    verdict = _judged(task, cases, outcomes)
    if verdict.status == WRONG:
        verdict.sentences = brief(verdict.sentences)
    return verdict


def _judged(task: Task, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    if isinstance(task, FunctionTask):
        return judge_function(task, cases, outcomes)
    if isinstance(task, ValueTask):
        return judge_value(task, cases[0].args[0], outcomes[0])
    if isinstance(task, BuildTask):
        return judge_built(task, cases[0].args, outcomes[0])
    if isinstance(task, TextTask):
        return judge_text(task, outcomes[0])
    raise TypeError(f"task {task.name} is of type {type(task).__name__}, which nobody can judge")


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
    target, term = Outcome(value=task.target(data)), None
    if (pair := as_pair(task, outcome)) is not None:
        term, outcome = pair[0], Outcome(value=pair[1])
    wrong = fault(outcome, target, 1e-12, task.tolerance)
    if wrong is None and term is not None and abs(term - task.term_of(data)) > task.part_off:
        wrong = Fault("value", "")
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
    elif found := cause(task, data, outcome.value, term):
        _tell_cause(task, found, target.value, verdict)
    else:
        told = [_of_a_variable(task.name, wrong.sentence)] if wrong.sentence else []
        verdict.sentences = told or unexplained(task, data, outcome.value, term)
        verdict.form = form_of(task, data, outcome.value, term)
        verdict.example = _elsewhere(task, [], target.value)
    if task.kind == "predict" and verdict.slips:
        verdict.notes += why
    return verdict


def _tell_cause(task: ValueTask, found: Cause, target: Any, verdict: Verdict) -> None:
    verdict.cause, verdict.sentences = found.kind, [found.slip.sentence]
    if not found.is_form:
        verdict.slips, verdict.fault = (found.slip.name,), ""
        verdict.place = found.slip.place or task.place
        verdict.example = _elsewhere(task, [found.slip], target)
    else:
        verdict.form = found.slip.name


def judge_built(task: BuildTask, own: Sequence[Any], outcome: Outcome) -> Verdict:
    """The verdict on something built, from own data if there are some: the first condition that it breaks."""
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
            held.append(all(held) and bool(condition.holds(value, *own)))
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
        verdict.sentences = [
            f"{n} words. A person reads this and gives the points: for {'; for '.join(task.look_for)}."
        ]
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
    kind = found.outcomes[0].type
    if isinstance(found.outcomes[0].value, list) and kind not in ("list", "tuple", "numpy.ndarray") and not found.bad:
        notes.append(f"It returns {of_type(kind)}: `list(…)` makes a list of it, which can be read twice.")
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


def _elsewhere(task: ValueTask, slips: Sequence[TaskSlip], mine: Any) -> Example | None:
    """An example with other data, and what the slip gives there: with the student's own, it would show the answer."""
    if task.kind == "predict" or task.figure is not None or isinstance(mine, str):
        return None
    others = (task.data(f"another list {n}") for n in range(20))
    data = next((other for other in others if different(task.target(other), mine, task.tolerance)), None)
    wrong = task.wrong(slips, data) if data else None
    if data is None or wrong is None:
        return None
    target = task.target(data)
    left, right = show_both(target, wrong) if slips else (show(target), "")
    asked = ", ".join(f"{name} = {show(value)}" for name, value in data.items())
    return Example(asked, left, right, own=False, rows=_worked(task, data))


def _worked(task: ValueTask, data: Mapping[str, Any]) -> Rows | None:
    """The example in steps, or rank by rank along the list that is added up, as it stands or best first."""
    if task.working:
        steps = task.working(**data)
        return Rows(["step", "value"], [[step, show(value)] for step, value in steps.items()])
    if found := _quotient(task, data):
        return found
    for name, given in data.items():
        if not isinstance(given, list):
            continue

        def of(items: list[Any], name: str = name) -> Any:
            return task.target({**data, name: items})

        given = [item for item in given if item is not None]
        if not all(map(is_number, given)):
            continue
        best = sorted(given, reverse=True)
        try:
            found = rows(given, of, word=word_for(name))
            if len(given) < len(data[name]) and of(given) != of(data[name]):
                continue
            ideal = best != given and of(best) == of(given) and of(best[:1]) < of(best)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # another list has to be as long, for example
            continue
        if found and (found.head[2] != "divisor" or found.rows[0][2] in ("1.0", "–")):
            return found
        if ideal:  # its own order is the best
            return up_to(best, of, word=word_for(name))
        if task.decimals and _grows(of, given):  # a share, of which each item brings a part
            return up_to(given, of, word=word_for(name))
    return None


def _grows(of: Of, items: list[Any]) -> bool:
    try:
        return bool(of([0] * len(items)) == 0 <= of(items[:1]) <= of(items[:-1]) <= of(items))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False


def _quotient(task: ValueTask, data: Mapping[str, Any]) -> Rows | None:
    """NDCG: the DCG of the list beside that of the best order, rank by rank."""
    recipe = getattr(task.reference, "recipe", None)
    if recipe != "ndcg":
        return None
    name, judged = next(iter(data)), data.get("judged")

    def dcg(items: list[Any]) -> Any:
        return task.reference(**{**data, name: items}, quantity="dcg")

    best = sorted(judged or data[name], reverse=True)
    k = data.get("k")
    one, other = rows(data[name][:k], dcg), rows(best[:k], dcg)
    if one is None or other is None or len(one.rows) != len(other.rows):
        return None
    head = [*one.head[:-1], "DCG", "best", *other.head[2:-1], "IDCG"]
    return Rows(head, [[*a, *b[1:]] for a, b in zip(one.rows, other.rows, strict=True)])


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
