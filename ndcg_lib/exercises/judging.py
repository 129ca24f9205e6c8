"""Compares outcomes with targets, and looks for what explains the differences. No student code runs here."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ndcg_lib.exercises.comparing import Fault, close, described, fault
from ndcg_lib.exercises.outcome import Outcome
from ndcg_lib.exercises.task import BuildTask, Case, FunctionTask, Slip, TextTask, ValueTask
from ndcg_lib.exercises.verdict import COLLECTED, OPEN, RIGHT, WRONG, Example, Property, Verdict

SLOW = 0.1  # seconds per call
PATIENCE = 0.15  # seconds for the search for two slips at once


def judge_function(task: FunctionTask, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on a function from what it gave for the cases; there may be fewer outcomes than cases."""
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    if not outcomes or all(outcome.value is ... for outcome in outcomes):
        verdict.status = OPEN
        return verdict
    return _Findings(task, cases, outcomes).tell(verdict)


class _Findings:
    """What is known about the outcomes of one function."""

    def __init__(self, task: FunctionTask, cases: Sequence[Case], outcomes: Sequence[Outcome]):
        self.task = task
        self.cases = cases[: len(outcomes)]
        self.outcomes = list(outcomes)
        self.complete = len(outcomes) >= len(cases)
        known: dict[str, Outcome] = {}
        self.targets = [known.setdefault(json.dumps(c.args), task.target(c.args)) for c in self.cases]
        self.faults = [
            fault(o, t, task.tolerance) for o, t in zip(self.outcomes, self.targets, strict=True)
        ]  # fmt: skip
        self.bad = [i for i, wrong in enumerate(self.faults) if wrong]
        self._wrong: dict[tuple[str, int], Outcome] = {}

    def tell(self, verdict: Verdict) -> Verdict:
        changed = min((i for i, o in enumerate(self.outcomes) if o.changed is not None), key=self._size, default=None)
        verdict.properties = self._properties()
        earned = sum(part.points for part in verdict.properties if part.passed)
        if not self.bad and changed is None:
            verdict.status, verdict.points = RIGHT, earned
            verdict.tried = self._tried()
            verdict.notes = self._notes()
            return verdict
        verdict.points = earned
        if not self.bad and changed is not None:
            verdict.points = max(0, earned - 1)
            verdict.properties.append(Property("the input stays as it was", 1, False))
            self._tell_changed(verdict, changed)
            return verdict
        self._explain(verdict)
        if changed is not None:
            verdict.sentences.append("It also changes the list that it is given: work on a copy.")
        return verdict

    def _explain(self, verdict: Verdict) -> None:
        task = self.task
        if (repeated := self._state()) is not None:
            first, again = repeated
            verdict.fault = "state-kept"
            asked = self._asked(first)
            verdict.sentences = [
                f"Your function remembers earlier calls: `{asked}` gives {show(self.outcomes[first].value)} at first and"
                f" {show(self.outcomes[again].value)} later. Start from new variables in every call; a default such as"
                " `total=[]` or a global is kept from call to call."
            ]
            return
        found = (self._single_slips() or self._broken_guards())[:1]
        pair = () if found else self._pair_of_slips()
        if found or pair:
            named = found or list(pair)
            verdict.slips = tuple(slip.name for slip in named)
            verdict.sentences = _together([slip.sentence for slip in named])
            if any(slip.place for slip in named):
                verdict.place = next(slip.place for slip in named if slip.place)
            raised = [i for i in self.bad if self.outcomes[i].error and not self._slip_fails(named, i)]
            if raised:
                verdict.sentences.append(f"And for `{self._asked(raised[0])}` it {self._sentence(raised[0])}.")
            shown = [i for i in self.bad if i not in raised] or self.bad
            self._example(verdict, min(shown, key=lambda i: self._size(i)))
            return
        at = min(self.bad, key=lambda i: (self._fault(i).code == "value", self._size(i)))
        verdict.fault = self._fault(at).code
        verdict.sentences = list(self._general(at, verdict))
        if self._fault(at).code in ("value", "order", "shape", "finite", "no-error"):
            self._example(verdict, at)
        verdict.case = at
        if task.low is not None or task.high is not None:
            self._tell_range(verdict)

    def _general(self, at: int, verdict: Verdict) -> Iterator[str]:
        """What can be said without knowing the slip."""
        wrong = self._fault(at)
        kinds = {self._fault(i).code for i in self.bad}
        if wrong.code not in ("value", "order", "shape"):
            yield f"For `{self._asked(at)}` your function {wrong.sentence}" + ("" if wrong.sentence[-1] in ".?" else ".")
            if where := self._only_in_families():
                yield where
            return
        kind, pattern = self._pattern()
        if pattern:
            verdict.fault = kind
            yield pattern
        elif kinds == {"order"}:
            yield f"Your function {wrong.sentence}."
        elif wrong.sentence:
            yield f"For `{self._asked(at)}` your function {wrong.sentence}."
        if where := self._only_in_families():
            yield where
        elif not pattern and not wrong.sentence:
            yield f"{len(self.bad)} of {len(self.cases)} answers are not right, and they fit no mistake known here."

    def _pattern(self) -> tuple[str, str]:
        """Rounding, a constant factor or answer: what relates all the numbers to their targets."""
        pairs = [
            (o.value, t.value)
            for o, t in zip(self.outcomes, self.targets, strict=True)
            if not o.error and not t.error
        ]  # fmt: skip
        if len(pairs) < 3:
            return "", ""
        if not all(_is_number(a) and _is_number(b) for a, b in pairs):
            return self._constant([a for a, _ in pairs], [b for _, b in pairs])
        for digits in range(6):
            if all(abs(a - round(b, digits)) < 1e-9 for a, b in pairs):
                places = f"{digits} decimals" if digits else "whole numbers"
                return "rounded", f"Your numbers are right but rounded to {places}. Return them unrounded; round only what you show."
            if all(abs(a - math.trunc(b * 10**digits) / 10**digits) < 1e-9 for a, b in pairs):
                return "cut-short", f"Your numbers are right but cut off after {digits} decimals. Return them as they are."
        ratios = [a / b for a, b in pairs if abs(b) > 1e-9]
        still = all(abs(a) < 1e-9 for a, b in pairs if abs(b) <= 1e-9)
        if len(ratios) > 3 and still and max(ratios) - min(ratios) < 1e-6 * abs(ratios[0]) and len({b for _, b in pairs}) > 2:
            factor = sum(ratios) / len(ratios)
            if abs(factor - 100) < 1e-6:
                return "percent", "Your numbers are percentages; the share itself is asked, 0.5 and not 50."
            if abs(factor) > 1e-9:
                return "factor", f"Each of your numbers is {show(factor)} times the target."
        return self._constant([a for a, _ in pairs], [b for _, b in pairs])

    def _constant(self, given: list[Any], targets: list[Any]) -> tuple[str, str]:
        if all(a == given[0] for a in given) and any(b != targets[0] for b in targets):
            return "constant", f"Your function returns {show(given[0])} for every input. It has to be computed from the arguments."
        shown = [i for i, case in enumerate(self.cases) if case.family == SHOWN]
        rest = [i for i, case in enumerate(self.cases) if case.family != SHOWN]
        if shown and rest and not any(i in self.bad for i in shown) and all(i in self.bad for i in rest):
            return "only-example", "Your function is right for the example in its description, and for no other input."
        return "", ""

    def _only_in_families(self) -> str:
        """Says where it fails, if whole families are right."""
        failing = {self.cases[i].family for i in self.bad}
        passing = [f.name for f in self.task.families if f.name not in failing]
        if passing and len(failing) < len(self.task.families):
            return f"It is right for {_and(passing)}, but not for {_and(sorted(failing, key=self._place_of))}."
        return ""

    def _place_of(self, family: str) -> int:
        return next((i for i, f in enumerate(self.task.families) if f.name == family), 0)

    def _tell_range(self, verdict: Verdict) -> None:
        low, high = self.task.low, self.task.high
        for i in sorted(self.bad, key=self._size):
            value = self.outcomes[i].value
            if _is_number(value) and math.isfinite(value):
                if high is not None and value > high * (1 + 1e-9):
                    verdict.sentences.append(f"`{self._asked(i)}` gives {show(value)}; it can never be more than {high:g}.")
                    return
                if low is not None and value < low - 1e-9:
                    verdict.sentences.append(f"`{self._asked(i)}` gives {show(value)}; it can never be less than {low:g}.")
                    return

    def _tell_changed(self, verdict: Verdict, at: int) -> None:
        mine, args = self.outcomes[at].changed, self.cases[at].args
        before, after = next((a, b) for a, b in zip(args, mine, strict=False) if _unequal(a, b))
        verdict.fault = "input-changed"
        verdict.sentences = [
            "Your numbers are right, but the function changes the list that it is given:"
            f" after `{self._asked(at)}` the list {show(before)} has become {show(after)}. Whoever calls it a second time"
            " gets another answer. `sorted(x)` makes a new list; `x.sort()` changes x."
        ]

    def _state(self) -> tuple[int, int] | None:
        """Two calls with the same arguments and different answers."""
        seen: dict[str, int] = {}
        for i, case in enumerate(self.cases):
            first = seen.setdefault(json.dumps(case.args), i)
            a, b = self.outcomes[first], self.outcomes[i]
            if first != i and a.finite and b.finite and not close(a.value, b.value, 1e-9):
                return first, i
        return None

    def _single_slips(self) -> list[Slip]:
        return [slip for slip in self.task.slips if self._explains([slip])]

    def _pair_of_slips(self) -> tuple[Slip, ...]:
        combinable = [slip for slip in self.task.slips if slip.changes and slip.wrong is None]
        pairs = sorted(itertools.combinations(combinable, 2), key=lambda pair: pair[0].rarity + pair[1].rarity)
        end = time.perf_counter() + PATIENCE
        for a, b in pairs:
            if time.perf_counter() > end:
                break
            if not a.changes.keys() & b.changes.keys() and self._explains([a, b]):
                return (a, b)
        return ()

    def _explains(self, slips: list[Slip]) -> bool:
        """Whether every returned value is that of the slips, and some of them is not right.

        Values that are not finite prove nothing, and a call that raised returned no value.
        """
        evidence = returned = 0
        for i in self._telling_first():
            outcome = self.outcomes[i]
            if outcome.error:
                if outcome.error == "Stopped":
                    return False
                continue
            returned += 1
            wrong = self._slipped(slips, i)
            if not outcome.finite:
                if wrong.finite:
                    return False
                continue
            if wrong.error or not wrong.finite or not close(outcome.value, wrong.value, self.task.tolerance):
                return False
            target = self.targets[i]
            evidence += bool(target.error) or not close(wrong.value, target.value, self.task.tolerance)
        return evidence > 0 and 2 * returned >= len(self.cases)

    def _broken_guards(self) -> list[Slip]:
        """Slips that show only as nan or an error where there is an answer, as a division by zero does."""
        if any(self._fault(i).code not in ("finite", "error") for i in self.bad) or len(self.bad) == len(self.cases):
            return []
        return [
            slip
            for slip in self.task.slips
            if all(self._slip_fails([slip], i) and self._same_failure(i) for i in self.bad)
            and all(i in self.bad or not self._slip_fails([slip], i) for i in range(len(self.cases)))
        ]

    def _same_failure(self, i: int) -> bool:
        outcome = self.outcomes[i]
        return outcome.error == "ZeroDivisionError" or (not outcome.error and not outcome.finite) or (
            outcome.error == self._wrong_error(i)
        )

    def _wrong_error(self, i: int) -> str:
        return next((o.error for (_, at), o in self._wrong.items() if at == i and o.error), "ZeroDivisionError")

    def _slip_fails(self, slips: Sequence[Slip], i: int) -> bool:
        wrong = self._slipped(list(slips), i)
        return bool(wrong.error) or not wrong.finite

    def _telling_first(self) -> list[int]:
        """All cases, a few wrong ones first, so that most slips are ruled out at once."""
        first = self.bad[-4:]
        return first + [i for i in range(len(self.cases)) if i not in first]

    def _slipped(self, slips: list[Slip], i: int) -> Outcome:
        key = ("+".join(slip.name for slip in slips), i)
        if key not in self._wrong:
            self._wrong[key] = self.task.wrong(slips, self.cases[i].args)
        return self._wrong[key]

    def _properties(self) -> list[Property]:
        """All or nothing per family, and nothing without the first."""
        failing = {self.cases[i].family for i in self.bad}
        reached = {case.family for case in self.cases} if not self.complete else {f.name for f in self.task.families}
        passed = {f.name for f in self.task.families if f.name in reached and f.name not in failing}
        main = self.task.families[0].name in passed and SHOWN not in failing
        return [Property(f.name, f.points, main and f.name in passed) for f in self.task.families if f.points or f.name]

    def _tried(self) -> str:
        families = _and([f.name for f in self.task.families])
        return f"{len(self.cases)} calls ({families})"

    def _notes(self) -> list[str]:
        notes = []
        if any(outcome.printed for outcome in self.outcomes):
            notes.append("It also prints; that does no harm.")
        slowest = max(range(len(self.outcomes)), key=lambda i: self.outcomes[i].seconds)
        if self.outcomes[slowest].seconds > SLOW or not self.complete:
            notes.append(
                f"It is slow: a list of {_longest(self.cases[slowest].args)} takes it more than"
                f" {SLOW:g} s, where a millionth is enough. Is something computed again and again?"
            )
        return notes

    def _example(self, verdict: Verdict, i: int) -> None:
        verdict.case = i
        verdict.example = example(self.task, self.cases[i].args, self.outcomes[i], self.targets[i])

    def _asked(self, i: int) -> str:
        return asked(self.task.name, self.cases[i].args)

    def _sentence(self, i: int) -> str:
        return self._fault(i).sentence or "gives another value"

    def _fault(self, i: int) -> Fault:
        wrong = self.faults[i]
        assert wrong is not None
        return wrong

    def _size(self, i: int) -> tuple[int, str]:
        text = json.dumps(self.cases[i].args)
        return len(text), text


SHOWN = "the example in the description"


def example(task: FunctionTask, args: Sequence[Any], outcome: Outcome, target: Outcome) -> Example:
    """The case as text, both answers with enough digits to differ."""
    wanted = f"a {target.error}" if target.error else None
    got = f"{outcome.error}" if outcome.error else None
    left, right = show_both(target.value, outcome.value)
    return Example(asked(task.name, args), wanted or left, got or right)


def judge_value(task: ValueTask, data: Mapping[str, Any], outcome: Outcome) -> Verdict:
    """The verdict on a value for the student's own data."""
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    if outcome.value is ...:
        verdict.status = OPEN
        return verdict
    target = Outcome(value=task.target(data))
    wrong = fault(outcome, target, 1e-12, task.tolerance)
    if wrong is None:
        verdict.status, verdict.points = RIGHT, task.points
        verdict.sentences = [task.why(**data)] if task.why else []
        return verdict
    if wrong.code not in ("value", "order"):
        verdict.sentences = [f"`{task.name}` {_as_variable(wrong.sentence)}."]
        return verdict
    slips = _value_slips(task, data, outcome.value)
    if task.options:
        chosen = next((option for option in task.options if close(option, outcome.value, 0)), None)
        if chosen is None:
            among = _and([repr(option) for option in task.options], "or")
            verdict.sentences = [f"{show(outcome.value)} is none of the answers to choose from: {among}."]
            return verdict
        verdict.slips, verdict.sentences = (chosen,), [task.options[chosen]]
    elif slips:
        verdict.slips = tuple(slip.name for slip in slips)
        verdict.sentences = _together([slip.sentence for slip in slips])
        verdict.place = next((slip.place for slip in slips if slip.place), task.place)
        verdict.example = _elsewhere(task, slips)
    else:
        verdict.sentences = [_near(task, target.value, outcome.value) or wrong.sentence.capitalize() or "This is not the value, and it fits no mistake known here."]
    if task.kind == "predict" and task.why:
        verdict.notes.append(task.why(**data))
    return verdict


def judge_built(task: BuildTask, outcome: Outcome) -> Verdict:
    """The verdict on something built: the first condition that it breaks."""
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    value = outcome.value
    if value is ...:
        verdict.status = OPEN
        return verdict
    if outcome.type == "NoneType":
        verdict.sentences = [f"`{task.name}` is `None`."]
        return verdict
    held: list[bool] = []
    for condition in task.conditions:
        try:
            held.append(all(held) and bool(condition.holds(value)))
        except Exception:  # whatever the student built, it does not meet the condition
            held.append(False)
    verdict.properties = [Property(c.name, c.points, ok) for c, ok in zip(task.conditions, held, strict=True)]
    verdict.points = sum(part.points for part in verdict.properties if part.passed)
    numbers = _said(task, value) if held[0] else ""
    if all(held):
        verdict.status = RIGHT
        verdict.sentences = [numbers] if numbers else []
        return verdict
    broken = task.conditions[held.index(False)]
    verdict.slips = (broken.name,)
    verdict.sentences = [broken.sentence, *([numbers] if numbers else [])]
    return verdict


def judge_text(task: TextTask, outcome: Outcome) -> Verdict:
    """A text is collected; only its length is looked at."""
    verdict = Verdict(task.name, COLLECTED, 0, task.points, place=task.place)
    if outcome.value is ... or (isinstance(outcome.value, str) and not outcome.value.strip(" .\n…")):
        verdict.status = OPEN
        return verdict
    if not isinstance(outcome.value, str):
        verdict.status = WRONG
        verdict.sentences = [f"`{task.name}` is {described(outcome)}; a text in quotes is asked."]
        return verdict
    n = len(outcome.value.split())
    if n < task.words:
        verdict.status = WRONG
        verdict.sentences = [f"{n} word{'' if n == 1 else 's'} so far. Write two or three sentences, with a number or a case in them."]
        return verdict
    verdict.sentences = [f"{n} words. A person reads this and gives the points."]
    return verdict


def asked(name: str, args: Sequence[Any]) -> str:
    """The call as one would type it.

    >>> asked("f", [[1, 2], None])
    'f([1, 2], None)'
    """
    return f"{name}({', '.join(map(repr, args))})"


def show(value: Any, digits: int = 4) -> str:
    """A value for a sentence.

    >>> show(0.65762), show([1, 0.5]), show("A")
    ('0.6576', '[1, 0.5]', "'A'")
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, list, dict)):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(show(v, digits) for v in value[:12]) + (", …]" if len(value) > 12 else "]")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {show(v, digits)}" for k, v in value.items()) + "}"
    if isinstance(value, int) or not math.isfinite(value) or (value == int(value) and abs(value) < 1e12):
        return str(value)
    return f"{value:.{digits}f}".rstrip("0") if abs(value) >= 0.001 else f"{value:.{digits}g}"


def show_both(target: Any, yours: Any) -> tuple[str, str]:
    """Both values, with as many digits as it takes to see the difference.

    >>> show_both(0.65761, 0.65764)
    ('0.65761', '0.65764')
    """
    for digits in range(4, 16):
        left, right = show(target, digits), show(yours, digits)
        if left != right:
            break
    return left, right


def _value_slips(task: ValueTask, data: Mapping[str, Any], value: Any) -> list[Slip]:
    for slip in task.slips:
        if _answers(task, task.wrong([slip], data), value):
            return [slip]
    combinable = [slip for slip in task.slips if slip.changes and slip.wrong is None]
    for a, b in itertools.combinations(combinable, 2):
        if not a.changes.keys() & b.changes.keys() and _answers(task, task.wrong([a, b], data), value):
            return [a, b]
    return []


def _answers(task: ValueTask, wrong: Any, value: Any) -> bool:
    return wrong is not None and close(value, wrong, 1e-12, task.tolerance)


def _elsewhere(task: ValueTask, slips: Sequence[Slip]) -> Example | None:
    """The slip on other data: with the student's own, the target would be the answer."""
    if task.options or task.kind == "predict":
        return None
    data = task.data("another list")
    wrong, target = task.wrong(slips, data), task.target(data)
    if wrong is None or isinstance(target, str):
        return None
    left, right = show_both(target, wrong)
    return Example(", ".join(f"{name} = {show(value)}" for name, value in data.items()), left, right, own=False)


def _near(task: ValueTask, target: Any, value: Any) -> str:
    if not (_is_number(target) and _is_number(value)) or task.decimals is None:
        return ""
    if abs(value - 100 * target) <= 100 * task.tolerance:
        return "This is the answer as a percentage; give it as a share, such as 0.5 for 50 %."
    if abs(value - target) <= 6 * task.tolerance:
        return (
            "Close, but not to the last decimal asked: were the terms rounded or cut off before adding? Keep four or"
            " more decimals until the end."
        )
    return ""


def _as_variable(sentence: str) -> str:
    return sentence.replace("returns", "is", 1).replace("still is", "still holds", 1).replace("Is a `return` missing?", "").rstrip(". ")


def _said(task: BuildTask, value: Any) -> str:
    try:
        return task.says(value) if task.says else ""
    except Exception:  # the numbers of a half-right answer may not exist
        return ""


def _longest(args: Sequence[Any]) -> int:
    return max((len(a) for a in args if isinstance(a, (list, dict))), default=1)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _unequal(a: Any, b: Any) -> bool:
    try:
        return bool(a != b)
    except ValueError:
        return True


def _and(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" {word} " + names[-1]


def _together(sentences: Sequence[str]) -> list[str]:
    """Two slips in the words of both."""
    if len(sentences) == 1:
        return list(sentences)
    return ["Two things at once explain your numbers.", *(f"{i}. {words}" for i, words in enumerate(sentences, start=1))]
