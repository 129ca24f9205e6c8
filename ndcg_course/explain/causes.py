"""Finds what explains the wrong answers of a function: memory, a slip, another definition, what they have in common."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ndcg_course.explain.faults import FAULTS, Pattern, close, fault, is_number, pattern, remembered, said
from ndcg_course.explain.gate import earned
from ndcg_course.explain.messages import Example, Property, Verdict
from ndcg_course.explain.outcome import Outcome, call_text, listed, show, show_both, with_article
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import FROM_DESCRIPTION, Case, FunctionTask
from ndcg_lib.choices import text_of
from ndcg_lib.engine import AT, Recipe, recipe_of
from ndcg_lib.identification.edges import departures, explained
from ndcg_lib.identification.quotients import fitting, tabulated

SEEN = {"constant", "as-given"}  # says what came back, and no cause
NO_VALUE = {"error", "none", "finite"}  # what such a call gave neither supports a cause nor rules it out


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
        """Put into the verdict what explains the wrong answers, where such a sentence has earned its words."""
        if (repeated := remembered(self.cases, self.outcomes)) is not None:
            self._tell_memory(verdict, *repeated)
        elif (slip := self._one_slip()) is not None and earned("slip", self.task.name):
            self._tell_slips(verdict, [slip], "slip")
        elif (slip := self._broken_guard()) is not None and earned("guard", self.task.name):
            self._tell_slips(verdict, [slip], "guard")
        elif (slips := self._definition()) and earned("definition", self.task.name):
            self._tell_slips(verdict, slips, "definition")
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
        verdict.fault = verdict.cause = "state-kept"
        verdict.sentences = [said("state-kept", f": `{self.call(first)}` gives {before} at first and {after} later")]

    def _tell_slips(self, verdict: Verdict, slips: Sequence[TaskSlip], kind: str) -> None:
        """The slip, or all that make up a definition; and where the function raised although they would not."""
        verdict.slips = tuple(slip.name for slip in slips if slip.name not in FAULTS)
        verdict.fault = next((slip.name for slip in slips if slip.name in FAULTS), "")
        verdict.cause, verdict.sentences = kind, [slip.sentence for slip in slips]
        verdict.place = next((slip.place for slip in slips if slip.place), verdict.place)
        raised = [
            i
            for i in self.bad
            if (self.faults[i].code in NO_VALUE and self._slipped(slips, i).finite)
            or (self.faults[i].code == "no-error" and self._slipped(slips, i).error)
        ]
        if raised:
            verdict.sentences.append(self._besides(min(raised, key=self.size)))
        self._show_smallest(verdict, [i for i in self.bad if i not in raised])

    def _besides(self, i: int) -> str:
        """What is wrong with one call, beside what explains the others."""
        told = f"Besides, for `{self.call(i)}` it {self.faults[i].sentence}"
        return told if told.endswith("?") else told + "."

    def _tell_property(self, verdict: Verdict) -> None:
        i = min(self.bad, key=lambda i: (self._rank(i), self.faults[i].code == "value", self.size(i)))
        wrong, verdict.fault = self.faults[i], self.faults[i].code
        same = self._pattern()
        if only := self._only_the_example():
            verdict.fault, verdict.sentences = "only-example", [only]
        elif same is not None:
            verdict.fault, verdict.sentences = same.name, [same.sentence]
            verdict.cause = "" if same.name in SEEN else same.name
        elif wrong.sentence and (wrong.code != "order" or self._only_in_order()):
            told = f"For `{self.call(i)}` your function {wrong.sentence}"
            if wrong.code == "loop" and self._only_long_ones_fail(i):
                verdict.fault, told = "slow", said("slow")
            verdict.sentences = [told if told.endswith((".", "?")) else told + "."]
        if not verdict.sentences:
            n = len(self.bad)
            told = f"{n} of {len(self.cases)} answers are" if n > 1 else f"One of {len(self.cases)} answers is"
            verdict.sentences = [self._where() or f"{told} not right yet."]
        elif not same and verdict.fault != "slow" and (where := self._where()):
            verdict.sentences.append(where)
        if out := self._out_of_range():
            verdict.sentences.append(out)
        shown = [j for j in self.bad if self.faults[j].code == wrong.code and self._rank(j) == self._rank(i)]
        if wrong.code in ("value", "order", "shape", "finite", "no-error"):
            self._show_smallest(verdict, shown)
            self._tell_other_fault(verdict, {wrong.code, "value", "order", "shape"})
        else:
            verdict.case = i

    def _only_long_ones_fail(self, i: int) -> bool:
        """Whether the one call that was stopped has as long a list as any, and the others before it were right."""
        lengths = [max((len(arg) for arg in c.args if isinstance(arg, (list, dict))), default=0) for c in self.cases]
        right = any(_is_something(target) for j, target in enumerate(self.targets) if j != i)
        return self.bad == [i] and right and lengths[i] == max(lengths)

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
        found = pattern([self.outcomes[i] for i in valued], [self.targets[i] for i in valued])
        return found if found is not None and (found.name in SEEN or earned(found.name, self.task.name)) else None

    def _rank(self, i: int) -> int:
        """The place of the case's family: what fails in the main one is told first."""
        order = [family.name for family in self.task.families]
        return order.index(self.cases[i].family) if self.cases[i].family in order else 0

    def _tell_other_fault(self, verdict: Verdict, known: set[str]) -> None:
        """Where wrong values are told, an error or a None in another place still deserves a word."""
        others = [i for i in self.bad if self.faults[i].code not in known]
        if others and "no-error" not in known:
            verdict.sentences.append(self._besides(min(others, key=lambda i: (self._rank(i), self.size(i)))))

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

    def _one_slip(self) -> TaskSlip | None:
        """The first slip that explains the answers. One wrong answer rules out most of them, in one calculation."""
        tried = list(self.task.slips)
        many = getattr(self.task.reference, "many", None)
        at = next((i for i in self.bad if is_number(self.outcomes[i].value) and self.outcomes[i].finite), None)
        if many and at is not None and not self.targets[at].error:
            at_once = [slip for slip in tried if slip.wrong is None]
            values = many(self.cases[at].args, [dict(slip.changes) for slip in at_once])
            asked = self.outcomes[at].value
            gives = dict(zip([slip.name for slip in at_once], values, strict=True))
            tried = [slip for slip in tried if close(asked, gives.get(slip.name, asked), self.task.tolerance)]
        return next((slip for slip in tried if self._explained([slip])), None)

    def _definition(self) -> list[TaskSlip]:
        """What the search behind `nd.which(function)` finds in the answers to a task on NDCG."""
        finite = [i for i, outcome in enumerate(self.outcomes) if outcome.finite and not self.targets[i].error]
        values = [(self.cases[i].args, self.outcomes[i].value) for i in finite if self.targets[i].value]
        found = definitions(self.task, values)
        return next((slips for slips in found if self._explained(slips)), [])

    def _explained(self, slips: Sequence[TaskSlip]) -> bool:
        """Whether every returned value is the wrong one of that case, and some of them are not right.

        A value that is not finite proves nothing, unless a refusal is asked. A call that raised or gave None returned
        no value. At least half of the calls must have returned one.
        """
        returned, evidence = 0, 0
        first = self.bad[-4:]  # wrong answers rule out most explanations at once
        for i in itertools.chain(first, (i for i in range(len(self.cases)) if i not in first)):
            outcome = self.outcomes[i]
            if outcome.error == "Stopped":
                return False
            if outcome.error or outcome.type == "NoneType" or (isinstance(outcome.value, float) and not outcome.finite):
                continue
            returned += 1
            wrong = self._slipped(slips, i)
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
        return evidence >= 1 and 2 * returned >= len(self.cases)

    def _broken_guard(self) -> TaskSlip | None:
        """A slip that shows only where it has no value, as a division by zero does: exactly there the answers fail."""
        failures = {"ZeroDivisionError", "FloatingPointError", ""}
        if len(self.bad) == len(self.cases) or any(
            self.faults[i].code not in ("finite", "error") or self.outcomes[i].error not in failures for i in self.bad
        ):
            return None
        return next((slip for slip in self.task.slips if self._is_guard(slip)), None)

    def _is_guard(self, slip: TaskSlip) -> bool:
        """Whether a slip has no value exactly where the answers fail, and is right elsewhere."""
        bad = set(self.bad)
        return all(
            not self._slipped([slip], i).finite
            if i in bad
            else close(self._slipped([slip], i).value, self.targets[i].value, self.task.tolerance)
            for i in range(len(self.cases))
        )

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


FEWEST, MOST = 4, 8  # answers that the search is asked with
CHEAPEST, TRIED, AT_ONCE = 500, 20, 3
ENDS = {"k": "at k", "none": "at its end", "less": "one rank before k", "more": "one rank after k"}
UNLIKE = {
    "gain": "A grade g counts {} in your list and {} in your ideal",
    "discount": "The discount is {} in your list and {} in your ideal",
    "cut": "Your list ends {} and your ideal {}",
}


def definitions(task: FunctionTask, answers: Sequence[tuple[list[Any], float]]) -> Iterator[list[TaskSlip]]:
    """The definitions that give these NDCGs for these arguments, as slips of the task, the fewest at once first."""
    asked: Any = task.reference
    if getattr(asked, "recipe", "") != "ndcg":
        return
    whole = {repr(args): (args, value) for args, value in answers if len(args) == len(asked.takes) and None not in args}
    largest = sorted(whole.values(), key=lambda one: -len(repr(one[0])))[:MOST]
    if len(largest) < FEWEST or not all(is_number(value) for _, value in largest):
        return
    inputs, values = zip(*largest, strict=True)
    alone = [asked.sheet([args]) for args in inputs]
    found = fitting(np.array(values), tabulated(asked.sheet(inputs), alone, "judged" not in asked.takes, asked.right))
    recipes = dict.fromkeys(recipe_of(asked.right, **match.changes) for match in found[:CHEAPEST])
    slips = _changes(task, asked.right)
    told = [named for recipe in recipes if 0 < len(named := _named(slips, recipe, asked.right)) <= AT_ONCE]
    yield from sorted(told, key=lambda named: (len(named), sum(slip.rarity for slip in named)))[:TRIED]


def _changes(task: FunctionTask, right: Recipe) -> list[tuple[TaskSlip, dict[str, Any]]]:
    """What each slip of the task changes of the definition, those of the most first."""
    slips = (s for s in task.slips if s.wrong is None and s.changes and "quantity" not in s.changes)
    made = [(slip, departures(recipe_of(right, **slip.changes), right)) for slip in slips]
    return sorted(made, key=lambda one: (-len(one[1]), one[0].rarity))


def _named(slips: Sequence[tuple[TaskSlip, dict[str, Any]]], recipe: Recipe, right: Recipe) -> list[TaskSlip]:
    """The slips that together make a definition; else the one choice in which list and ideal differ; or nothing."""
    differs = departures(recipe, right)
    found, left = explained(differs, slips)
    return found if not left else _unlike(recipe, *differs) if len(differs) == 1 else []


def _unlike(recipe: Recipe, name: str) -> list[TaskSlip]:
    """The list and the ideal have this choice, and each its own level of it."""
    choice = name.removeprefix("ideal_")
    if choice not in UNLIKE:
        return []
    here, there = (recipe[AT[side]] for side in (choice, f"ideal_{choice}"))
    words = [ENDS.get(getattr(level, "key", ""), "") or text_of(choice, level) for level in (here, there)]
    told = said("unlike-sides", UNLIKE[choice].format(*words))
    return [TaskSlip("unlike-sides", sentence=told, changes={name: recipe[AT[name]]})]
