"""Finds what explains the wrong answers of a function: memory, slips, altered arguments, a pattern, a property."""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ndcg_course.explain.alterations import Alteration, alterations
from ndcg_course.explain.faults import close, fault, said
from ndcg_course.explain.messages import Example, Property, Verdict
from ndcg_course.explain.outcome import Outcome, answer
from ndcg_course.explain.patterns import Pattern, Relation, fits_some, is_number, pattern, relation, remembered
from ndcg_course.explain.words import call_text, listed, show, show_both, with_article
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import FROM_DESCRIPTION, Case, FunctionTask

NO_VALUE = {"error", "none", "finite"}  # what such a call gave neither supports a cause nor rules it out
FEW = 6  # wrong answers, among which one value may stand for a special case
MOST_PAIRS = 1500  # of slips that are tried; a number and not a time, so that a slow machine says the same


class Diagnosis:
    """The outcomes of one function beside their targets."""

    def __init__(self, task: FunctionTask, cases: Sequence[Case], outcomes: Sequence[Outcome]):
        self.task = task
        self.outcomes = outcomes
        self.cases = cases[: len(outcomes)]
        self.complete = len(outcomes) >= len(cases)
        known: dict[str, Outcome] = {}
        self.targets: list[Outcome] = []
        for case in self.cases:
            key = repr(case.args)
            if key not in known:
                known[key] = task.target(case.args)
            self.targets.append(known[key])
        self.faults = {
            i: wrong
            for i, (outcome, target) in enumerate(zip(outcomes, self.targets, strict=True))
            if (wrong := fault(outcome, target, task.tolerance))
        }
        self.bad = list(self.faults)
        self._wrong: dict[tuple[tuple[str, ...], int], Outcome] = {}

    def properties(self) -> list[Property]:
        """Each family with its points: all or nothing, and nothing without the first."""
        failing = {self.cases[i].family for i in self.bad}
        tried = {case.family for case in self.cases}
        passed = {f.name for f in self.task.families if f.name not in failing and (self.complete or f.name in tried)}
        main = self.task.families[0].name in passed and FROM_DESCRIPTION not in failing
        return [Property(f.name, f.points, main and f.name in passed) for f in self.task.families]

    def changed(self) -> int | None:
        """The smallest case in which the function changed its arguments."""
        seen = (i for i, outcome in enumerate(self.outcomes) if outcome.changed is not None)
        return min(seen, key=self.size, default=None)

    def explain(self, verdict: Verdict) -> None:
        """Put into the verdict what explains the wrong answers."""
        if (repeated := remembered(self.cases, self.outcomes)) is not None:
            self._tell_memory(verdict, *repeated)
        elif slips := (self._one_slip() or self._broken_guard()):
            self._tell_slips(verdict, slips)
        elif (pattern := self._pattern()) is None and (altered := self._altered()) is not None:
            verdict.fault = altered.name
            self._tell_numbers(verdict, altered.sentence, wrong=partial(self._with, altered))
        elif (found := self._related()) is not None:
            verdict.fault = found.code
            self._tell_numbers(verdict, said(found.code, found.words), wrong=lambda i: self.targets[i])
        elif slips := self._two_slips():
            self._tell_slips(verdict, slips)
        elif pattern is None and (both := self._altered_and_slipped()) is not None:
            change, slip = both
            verdict.slips, verdict.fault, verdict.place = (slip.name,), change.name, slip.place or verdict.place
            sentences = together([change.sentence, slip.sentence])
            self._tell_numbers(verdict, *sentences, wrong=partial(self._with, change, slips=[slip]))
        elif pattern is None and (step := self._slipped_and_related()) is not None:
            slip, found = step
            verdict.slips, verdict.fault, verdict.place = (slip.name,), found.code, slip.place or verdict.place
            words = said(found.code, found.words).replace("the target", "that").replace("those asked", "those")
            self._tell_numbers(verdict, *together([slip.sentence, words]), wrong=partial(self._slipped, [slip]))
        else:
            self._tell_property(verdict)

    def example(self, i: int) -> Example:
        """A case with target and answer as text."""
        return example(self.task, self.cases[i], self.outcomes[i], self.targets[i])

    def call(self, i: int) -> str:
        """The call of a case."""
        return call_text(self.task.name, self.cases[i].args)

    def size(self, i: int) -> tuple[int, str]:
        """How large a case is to read."""
        text = json.dumps(self.cases[i].args)
        return len(text), text

    # ---- what is told -----------------------------------------------------------------------

    def _tell_memory(self, verdict: Verdict, first: int, again: int) -> None:
        before, after = show_both(self.outcomes[first].value, self.outcomes[again].value)
        verdict.fault = "state-kept"
        verdict.sentences = [said("state-kept", f": `{self.call(first)}` gives {before} at first and {after} later")]

    def _tell_slips(self, verdict: Verdict, slips: Sequence[TaskSlip]) -> None:
        verdict.slips = tuple(slip.name for slip in slips)
        verdict.place = next((slip.place for slip in slips if slip.place), verdict.place)
        self._tell_numbers(
            verdict, *together([slip.sentence for slip in slips]), wrong=lambda i: self._slipped(slips, i)
        )

    def _tell_numbers(self, verdict: Verdict, *sentences: str, wrong: Callable[[int], Outcome]) -> None:
        """What gives the returned values; and where the function raised although that would not."""
        verdict.sentences = list(sentences)
        raised = [
            i
            for i in self.bad
            if (self.faults[i].code in NO_VALUE and wrong(i).finite)
            or (self.faults[i].code == "no-error" and wrong(i).error)
        ]
        if raised:
            i = min(raised, key=self.size)
            told = f"Besides, for `{self.call(i)}` it {self.faults[i].sentence}"
            verdict.sentences.append(told if told.endswith("?") else told + ".")
        self._show_smallest(verdict, [i for i in self.bad if i not in raised])

    def _tell_property(self, verdict: Verdict) -> None:
        i = min(self.bad, key=lambda i: (self._rank(i), self.faults[i].code == "value", self.size(i)))
        wrong, verdict.fault = self.faults[i], self.faults[i].code
        same = self._pattern()
        if only := self._only_the_example():
            verdict.fault, verdict.sentences = "only-example", [only]
        elif same is not None:
            verdict.fault, verdict.sentences = same.name, [same.sentence]
        elif wrong.sentence and (wrong.code != "order" or self._only_in_order()):
            told = f"For `{self.call(i)}` your function {wrong.sentence}"
            if wrong.code == "loop" and len(self.bad) == 1 and i > 5:
                told += f" The {i} calls before it were right: it may be slow and not endless. Does it try all orders?"
            verdict.sentences = [told if told.endswith((".", "?")) else told + "."]
        where = "" if same else self._where()
        if where:
            verdict.sentences.append(where)
        elif not verdict.sentences:
            n = len(self.bad)
            told = f"{n} of {len(self.cases)} answers are" if n > 1 else f"One of {len(self.cases)} answers is"
            verdict.sentences = [f"{told} not right, and no mistake known here gives these numbers."]
        if out := self._out_of_range():
            verdict.sentences.append(out)
        shown = [j for j in self.bad if self.faults[j].code == wrong.code and self._rank(j) == self._rank(i)]
        if wrong.code in ("value", "order", "shape", "finite", "no-error"):
            self._show_smallest(verdict, shown)
            self._tell_other_fault(verdict, {wrong.code, "value", "order", "shape"})
        else:
            verdict.case = i

    def _only_in_order(self) -> bool:
        return {wrong.code for wrong in self.faults.values()} == {"order"}

    def _pattern(self) -> Pattern | None:
        """What relates all answers to their targets, where all are values."""
        kinds = {wrong.code for wrong in self.faults.values()}
        if not kinds & {"value", "order", "shape"} or kinds - {"value", "order", "shape"} - NO_VALUE:
            return None
        valued = [i for i, outcome in enumerate(self.outcomes) if outcome.finite]
        if 2 * len(valued) < len(self.cases):
            return None
        for at, arg in enumerate(self.cases[valued[0]].args):
            if isinstance(arg, list) and all(self.outcomes[i].value in self.cases[i].args[at : at + 1] for i in valued):
                return Pattern("as-given", said("as-given", f"argument {at + 1}"))
        return pattern([self.outcomes[i] for i in valued], [self.targets[i] for i in valued])

    def _rank(self, i: int) -> int:
        """The place of the case's family: what fails in the main one is told first."""
        order = [family.name for family in self.task.families]
        return order.index(self.cases[i].family) if self.cases[i].family in order else 0

    def _tell_other_fault(self, verdict: Verdict, known: set[str]) -> None:
        """Where wrong values are told, an error or a None in another place still deserves a word."""
        others = [i for i in self.bad if self.faults[i].code not in known]
        if others and "no-error" not in known:
            i = min(others, key=lambda i: (self._rank(i), self.size(i)))
            told = f"Besides, for `{self.call(i)}` it {self.faults[i].sentence}"
            verdict.sentences.append(told if told.endswith("?") else told + ".")

    def _show_smallest(self, verdict: Verdict, among: Sequence[int]) -> None:
        among = among or self.bad
        full = [i for i in among if [] not in self.cases[i].args and {} not in self.cases[i].args]
        verdict.case = min(full or among, key=self.size)
        verdict.example = self.example(verdict.case)

    def _where(self) -> str:
        """Which families fail, if others are right and ask for more than nothing."""
        failing = {self.cases[i].family for i in self.bad}
        tried = {case.family for case in self.cases}
        order = [family.name for family in self.task.families if family.name in tried]
        good, bad = [name for name in order if name not in failing], [name for name in order if name in failing]
        worth = {case.family for case, target in zip(self.cases, self.targets, strict=True) if _is_something(target)}
        if order[0] in failing and not worth & set(good):
            return ""
        return f"It is right for {listed(good)}, but not for {listed(bad)}." if good and bad else ""

    def _only_the_example(self) -> str:
        shown = {i for i, case in enumerate(self.cases) if case.family == FROM_DESCRIPTION}
        others = {json.dumps(o.value, default=str) for i, o in enumerate(self.outcomes) if i not in shown}
        if shown and not shown & set(self.bad) and len(others) == 1 and self.outcomes[self.bad[0]].finite:
            return said("only-example", show(self.outcomes[self.bad[0]].value))
        return ""

    def _out_of_range(self) -> str:
        low, high = self.task.low, self.task.high
        for i in sorted(self.bad, key=self.size):
            value = self.outcomes[i].value
            if not is_number(value) or not self.outcomes[i].finite:
                continue
            if high is not None and value > high * (1 + 1e-9):
                return f"`{self.call(i)}` gives {show(value)}, and no list can have more than {high:g}."
            if low is not None and value < low - 1e-9:
                return f"`{self.call(i)}` gives {show(value)}, and no list can have less than {low:g}."
        return ""

    # ---- slips ------------------------------------------------------------------------------

    def _one_slip(self) -> list[TaskSlip]:
        return self._first_explaining([[slip] for slip in self.task.slips])

    def _two_slips(self) -> list[TaskSlip]:
        combinable = [slip for slip in self.task.slips if slip.changes and slip.wrong is None]
        pairs = sorted(itertools.combinations(combinable, 2), key=lambda pair: pair[0].rarity + pair[1].rarity)
        disjoint = ([a, b] for a, b in pairs if not a.changes.keys() & b.changes.keys())
        return self._first_explaining(list(itertools.islice(disjoint, MOST_PAIRS)), least=2)

    def _first_explaining(self, tried: list[list[TaskSlip]], least: int = 1) -> list[TaskSlip]:
        """The first that explains the answers. One wrong answer rules out most of them, in one calculation."""
        many = getattr(self.task.reference, "many", None)
        at = next((i for i in self.bad if is_number(self.outcomes[i].value) and self.outcomes[i].finite), None)
        if many and at is not None and not self.targets[at].error:
            at_once = [slips for slips in tried if all(slip.wrong is None for slip in slips)]
            changes = [{name: level for slip in slips for name, level in slip.changes.items()} for slips in at_once]
            values = many(self.cases[at].args, changes)
            asked = self.outcomes[at].value
            gives = dict(zip(map(id, at_once), values, strict=True))
            tried = [slips for slips in tried if close(asked, gives.get(id(slips), asked), self.task.tolerance)]
        return next((slips for slips in tried if self._explained(partial(self._slipped, slips), least)), [])

    def _altered(self) -> Alteration | None:
        """Arguments in another form whose right answers are the returned ones, in two cases at least."""
        widest = max((case.args for case in self.cases), key=len)
        found = (a for a in alterations(widest) if self._explained(partial(self._with, a), least=2))
        return next(found, None)

    def _altered_and_slipped(self) -> tuple[Alteration, TaskSlip] | None:
        """One of each at once; a wrong answer rules out nearly all of them."""
        at = min((i for i in self.bad if self.outcomes[i].finite), key=self.size, default=None)
        if at is None or self._only_in_order():
            return None
        widest = max((case.args for case in self.cases), key=len)
        likely = (a for a in alterations(widest) if not a.name.startswith("items-sorted"))  # another quantity, rather
        for altered, slip in itertools.product(likely, self.task.slips):
            gives = partial(self._with, altered, slips=[slip])
            if not gives(at).finite or not close(self.outcomes[at].value, gives(at).value, self.task.tolerance):
                continue
            if self._explained(gives, least=3) and self._says_something(altered):
                return altered, slip
        return None

    def _says_something(self, altered: Alteration) -> bool:
        """Whether the right answers still differ when the arguments were altered, so that it may be one of two."""
        left, asked = ({repr(of(i).value) for i in self.bad} for of in (partial(self._with, altered), self._target))
        return len(left) >= min(3, len(asked))

    def _target(self, i: int) -> Outcome:
        return self.targets[i]

    def _related(self, of: Callable[[int], Outcome] | None = None) -> Relation | None:
        """One more step, after which all right answers, or those with a slip, are the returned ones."""
        cases = [i for i, outcome in enumerate(self.outcomes) if outcome.finite and not self.targets[i].error]
        if 2 * len(cases) < len(self.cases):
            return None
        if of is not None and not self._pairs([i for i in cases if i in self.faults][-2:], of, fitting=True):
            return None
        return relation(self._pairs(cases, of or self._target), self.task.tolerance)

    def _pairs(self, cases: Sequence[int], of: Callable[[int], Outcome], fitting: bool = False) -> list[Any]:
        """The returned answers beside those of a slip, with the arguments; none, if nothing makes one of the other."""
        pairs = [
            (self.outcomes[i].value, aim.value, self._given(i))
            for i, aim in ((i, of(i)) for i in cases)
            if aim.finite and self.targets[i].value != []  # an empty list may have a rule of its own
        ]
        return pairs if not fitting or any(fits_some(pairs, self.task.tolerance)) else []

    def _slipped_and_related(self) -> tuple[TaskSlip, Relation] | None:
        for slip in self.task.slips:
            if (found := self._related(partial(self._slipped, [slip]))) is not None:
                return slip, found
        return None

    def _given(self, i: int) -> dict[str, Any]:
        """The arguments of a case by name."""
        names = list(inspect.signature(self.task.reference).parameters)
        return dict(zip(names, self.cases[i].args, strict=False))

    def _with(self, alteration: Alteration, i: int, slips: Sequence[TaskSlip] = ()) -> Outcome:
        try:
            args = alteration.args(self.cases[i].args)
            return self.task.wrong(slips, args) if slips else answer(self.task.reference, args)
        except (TypeError, ValueError, LookupError):  # what is in the list cannot be sorted, or cut to a whole number
            return Outcome(error="ValueError")

    def _explained(self, wrong_of: Callable[[int], Outcome], least: int = 1) -> bool:
        """Whether every returned value is the wrong one of that case, and some of them are not right.

        A value that is not finite proves nothing, unless a refusal is asked. A call that raised or gave None returned
        no value. At least half of the calls must have returned one.
        """
        returned, evidence, different = 0, 0, set[str]()
        first = self.bad[-4:]  # wrong answers rule out most explanations at once
        for i in itertools.chain(first, (i for i in range(len(self.cases)) if i not in first)):
            outcome = self.outcomes[i]
            if outcome.error == "Stopped":
                return False
            if outcome.error or outcome.type == "NoneType" or (isinstance(outcome.value, float) and not outcome.finite):
                continue
            returned += 1
            wrong = wrong_of(i)
            if not outcome.finite or not wrong.finite:
                target = self.targets[i]
                if outcome.finite and not target.error and close(outcome.value, target.value, self.task.tolerance):
                    continue  # a guard of their own, where the slip has no value
                if outcome.finite and target.error and wrong.error == target.error:
                    continue  # no refusal, which is told apart
                if outcome.finite or wrong.finite or wrong.error == "ValueError":
                    return False
                continue
            if not close(outcome.value, wrong.value, self.task.tolerance):
                return False
            target = self.targets[i]
            if target.error or not close(wrong.value, target.value, self.task.tolerance):
                evidence += 1
                different.add(repr(wrong.value))
        if least > 1 and evidence > FEW and len(different) == 1:  # one value for all of them fits many a cause
            return False
        return evidence >= least and 2 * returned >= len(self.cases)

    def _broken_guard(self) -> list[TaskSlip]:
        """A slip that shows only where it has no value, as a division by zero does: exactly there the answers fail."""
        failures = {"ZeroDivisionError", "FloatingPointError", ""}
        if len(self.bad) == len(self.cases) or any(
            self.faults[i].code not in ("finite", "error") or self.outcomes[i].error not in failures for i in self.bad
        ):
            return []
        return next(([slip] for slip in self.task.slips if self._is_guard([slip])), [])

    def _is_guard(self, slips: Sequence[TaskSlip]) -> bool:
        """Whether a slip has no value exactly where the answers fail, and is right elsewhere."""
        bad = set(self.bad)
        return all(
            self._fails(slips, i)
            if i in bad
            else close(self._slipped(slips, i).value, self.targets[i].value, self.task.tolerance)
            for i in range(len(self.cases))
        )

    def _fails(self, slips: Sequence[TaskSlip], i: int) -> bool:
        return not self._slipped(slips, i).finite

    def _slipped(self, slips: Sequence[TaskSlip], i: int) -> Outcome:
        key = (tuple(slip.name for slip in slips), i)
        if key not in self._wrong:
            self._wrong[key] = self.task.wrong(slips, self.cases[i].args)
        return self._wrong[key]


def example(task: FunctionTask, case: Case, outcome: Outcome, target: Outcome) -> Example:
    """A case as text, both answers with enough digits to differ."""
    left, right = show_both(target.value, outcome.value)
    return Example(
        call_text(task.name, case.args),
        with_article(target.error) if target.error else left,
        with_article(outcome.error) if outcome.error else right,
    )


def _is_something(target: Outcome) -> bool:
    """Whether more than 0, nothing or an empty list is asked."""
    values = target.value if isinstance(target.value, (list, tuple)) else [target.value]
    return bool(target.error) or any(values)


def together(sentences: Sequence[str]) -> list[str]:
    """The words of one slip, or of two at once.

    >>> together(["A.", "B."])
    ['Two things at once explain your numbers.', '1. A.', '2. B.']
    """
    if len(sentences) == 1:
        return list(sentences)
    return [
        "Two things at once explain your numbers.",
        *(f"{i}. {words}" for i, words in enumerate(sentences, start=1)),
    ]
