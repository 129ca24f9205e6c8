"""Finds what explains the wrong answers of a function: memory, a slip, two slips, a pattern, a property that fails."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

from ndcg_lib.exercises.comparing import close, fault
from ndcg_lib.exercises.outcome import Outcome
from ndcg_lib.exercises.patterns import is_number, pattern, remembered
from ndcg_lib.exercises.showing import call_text, listed, show, show_both
from ndcg_lib.exercises.task import SHOWN, Case, FunctionTask, Slip
from ndcg_lib.exercises.verdict import Example, Property, Verdict

MOST_PAIRS = 800  # of slips that are tried; a number and not a time, so that a slow machine says the same


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
            key = json.dumps(case.args)
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
        main = self.task.families[0].name in passed and SHOWN not in failing
        return [Property(f.name, f.points, main and f.name in passed) for f in self.task.families]

    def changed(self) -> int | None:
        """The smallest case in which the function changed its arguments."""
        seen = (i for i, outcome in enumerate(self.outcomes) if outcome.changed is not None)
        return min(seen, key=self.size, default=None)

    def explain(self, verdict: Verdict) -> None:
        """Put into the verdict what explains the wrong answers."""
        if (repeated := remembered(self.cases, self.outcomes)) is not None:
            self._tell_memory(verdict, *repeated)
        elif slips := (self._one_slip() or self._broken_guard() or self._two_slips()):
            self._tell_slips(verdict, slips)
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
        verdict.sentences = [
            f"Your function remembers earlier calls: `{self.call(first)}` gives {before} at first and {after} later."
            " Begin with new variables in every call. A global, or a default such as `total=[]`, lives on from call"
            " to call."
        ]

    def _tell_slips(self, verdict: Verdict, slips: Sequence[Slip]) -> None:
        verdict.slips = tuple(slip.name for slip in slips)
        verdict.sentences = together([slip.sentence for slip in slips])
        verdict.place = next((slip.place for slip in slips if slip.place), verdict.place)
        raised = [i for i in self.bad if self.outcomes[i].error and not self._fails(slips, i)]
        if raised:
            i = min(raised, key=self.size)
            verdict.sentences.append(f"Besides, for `{self.call(i)}` it {self.faults[i].sentence}.")
        self._show_smallest(verdict, [i for i in self.bad if i not in raised])

    def _tell_property(self, verdict: Verdict) -> None:
        kinds = {wrong.code for wrong in self.faults.values()}
        i = min(self.bad, key=lambda i: (self.faults[i].code == "value", self.size(i)))
        wrong, verdict.fault = self.faults[i], self.faults[i].code
        same = pattern(self.outcomes, self.targets) if kinds <= {"value", "order", "shape"} else None
        if only := self._only_the_example():
            verdict.fault, verdict.sentences = "only-example", [only]
        elif same is not None:
            verdict.fault, verdict.sentences = same.name, [same.sentence]
        elif wrong.sentence:
            told = f"For `{self.call(i)}` your function {wrong.sentence}"
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
        shown = [j for j in self.bad if self.faults[j].code == wrong.code]
        if wrong.code in ("value", "order", "shape", "finite", "no-error"):
            self._show_smallest(verdict, shown)
        else:
            verdict.case = i

    def _show_smallest(self, verdict: Verdict, among: Sequence[int]) -> None:
        verdict.case = min(among or self.bad, key=self.size)
        verdict.example = self.example(verdict.case)

    def _where(self) -> str:
        """Which families fail, if others are right."""
        failing = {self.cases[i].family for i in self.bad}
        tried = {case.family for case in self.cases}
        order = [family.name for family in self.task.families if family.name in tried]
        good, bad = [name for name in order if name not in failing], [name for name in order if name in failing]
        return f"It is right for {listed(good)}, but not for {listed(bad)}." if good and bad else ""

    def _only_the_example(self) -> str:
        shown = {i for i, case in enumerate(self.cases) if case.family == SHOWN}
        if shown and not shown & set(self.bad) and len(self.bad) >= 0.8 * (len(self.cases) - len(shown)):
            distinct = {json.dumps(self.outcomes[i].value, default=str) for i in self.bad}
            if len(distinct) <= 2:
                return "Your function is right for the example in its description, and for hardly any other input."
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

    def _one_slip(self) -> list[Slip]:
        return next(([slip] for slip in self.task.slips if self._explained_by([slip])), [])

    def _two_slips(self) -> list[Slip]:
        combinable = [slip for slip in self.task.slips if slip.changes and slip.wrong is None]
        pairs = sorted(itertools.combinations(combinable, 2), key=lambda pair: pair[0].rarity + pair[1].rarity)
        disjoint = ((a, b) for a, b in pairs if not a.changes.keys() & b.changes.keys())
        tried = itertools.islice(disjoint, MOST_PAIRS)
        return next(([a, b] for a, b in tried if self._explained_by([a, b])), [])

    def _explained_by(self, slips: Sequence[Slip]) -> bool:
        """Whether every returned value is that of the slips, and at least one of them is not right.

        A value that is not finite proves nothing, and a call that raised returned no value.
        """
        returned = evidence = 0
        first = self.bad[-4:]  # wrong answers rule out most slips at once
        for i in (*first, *(i for i in range(len(self.cases)) if i not in first)):
            outcome = self.outcomes[i]
            if outcome.error == "Stopped":
                return False
            if outcome.error:
                continue
            returned += 1
            wrong = self._slipped(slips, i)
            if not outcome.finite or not wrong.finite:
                if outcome.finite or wrong.finite:
                    return False
                continue
            if not close(outcome.value, wrong.value, self.task.tolerance):
                return False
            target = self.targets[i]
            evidence += bool(target.error) or not close(wrong.value, target.value, self.task.tolerance)
        return evidence > 0 and 2 * returned >= len(self.cases)

    def _broken_guard(self) -> list[Slip]:
        """A slip that shows only where it has no value, as a division by zero does: exactly there the answers fail."""
        failures = {"ZeroDivisionError", "FloatingPointError", ""}
        if len(self.bad) == len(self.cases) or any(
            self.faults[i].code not in ("finite", "error") or self.outcomes[i].error not in failures for i in self.bad
        ):
            return []
        bad = set(self.bad)
        return next(
            (
                [slip]
                for slip in self.task.slips
                if all(self._fails([slip], i) == (i in bad) for i in range(len(self.cases)))
            ),
            [],
        )

    def _fails(self, slips: Sequence[Slip], i: int) -> bool:
        return not self._slipped(slips, i).finite

    def _slipped(self, slips: Sequence[Slip], i: int) -> Outcome:
        key = (tuple(slip.name for slip in slips), i)
        if key not in self._wrong:
            self._wrong[key] = self.task.wrong(slips, self.cases[i].args)
        return self._wrong[key]


def example(task: FunctionTask, case: Case, outcome: Outcome, target: Outcome) -> Example:
    """A case as text, both answers with enough digits to differ."""
    left, right = show_both(target.value, outcome.value)
    return Example(
        call_text(task.name, case.args),
        f"a {target.error}" if target.error else left,
        f"a {outcome.error}" if outcome.error else right,
    )


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
