"""Finds the place of a mistake in a student's code: the small change after which its answers are right.

It is a proof and no guess: every answer is computed again with the change, and those to inputs beyond the cases too.
What is told is a thought about the quantity, and the place; what is meant there is left to the student.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ndcg_course.explain import calls
from ndcg_course.explain.changes import Code
from ndcg_course.explain.faults import fault
from ndcg_course.explain.outcome import Outcome
from ndcg_course.explain.thoughts import Change
from ndcg_course.tasks.task import Case, FunctionTask

MOST = 1000  # changes that are tried; a number and not a time, so that a slow machine says the same
MOST_WRONG = 6  # answers that show whether a change helps
MOST_HANGING = 4
FRESH = "beyond the cases"  # the seed of the inputs on which a change has to hold as well
_SHORT = 0.1  # seconds for a call that may loop
_RAISED = ("error", "none", "finite")


class Repair(NamedTuple):
    """The most telling change, and whether all others that help concern the same quantity, or the same line."""

    change: Change
    one_thought: bool
    one_line: bool


def repair(
    task: FunctionTask,
    function: Callable[..., Any],
    cases: Sequence[Case],
    faults: dict[int, Any],
    changing: bool = False,
) -> Repair | None:
    """The change after which the answers are right, those beyond the cases too; calls that raised may go on to raise.

    So may an answer that changes its arguments: that is told apart.
    """
    read = Code.of(function)
    if read is None:
        return None
    bad = [i for i in faults if faults[i].code not in _RAISED] or list(faults)
    order = [*sorted(bad, key=lambda i: len(repr(cases[i].args)))[:MOST_WRONG], *range(len(cases))]
    trial = _Trial(task, cases, list(dict.fromkeys(order)), faults, len(bad), changing)
    found: list[Change] = []
    with calls.alone():
        for at, draft in enumerate(read.changes()):
            if at >= MOST or trial.hanging > MOST_HANGING:
                break
            if trial.passes(read):
                found.append(read.told(draft))
    if not found:
        return None
    best = min(found, key=lambda change: change.rank)
    return Repair(
        best, all(other.concept == best.concept for other in found), all(other.line == best.line for other in found)
    )


class _Trial:
    """Whether changed code is right, case by case, and on inputs that were no cases."""

    def __init__(
        self,
        task: FunctionTask,
        cases: Sequence[Case],
        order: Sequence[int],
        faults: dict[int, Any],
        bad: int,
        changing: bool,
    ):
        self.task, self.cases, self.order, self.faults = task, cases, order, faults
        self.targets = [task.target(case.args) for case in cases]
        self.values = 2 * sum(wrong.code in ("value", "order", "shape") for wrong in faults.values()) > len(faults)
        self.sample = min(bad, MOST_WRONG)
        self.changing = changing
        self.hanging = 0

    def passes(self, read: Code) -> bool:
        """Whether all is right with what stands there now."""
        function = read.compiled()
        if function is None:
            return False
        right = 0
        for n, i in enumerate(self.order):
            outcome = calls.tried(function, self.cases[i].args, _SHORT)
            if outcome.error == "Stopped":
                self.hanging += 1
                return False
            right += self._right(i, outcome)
            if right <= n and (n >= self.sample - 1 or not right):
                return False
        return all(self._holds(function, case.args) for case in self.task.cases(FRESH))

    def _holds(self, function: Callable[..., Any], args: Sequence[Any]) -> bool:
        target, outcome = self.task.target(args), calls.tried(function, args, _SHORT)
        wrong = fault(outcome, target, self.task.tolerance)
        return wrong is None or (self.values and wrong.code in (*_RAISED, "no-error", "unnamed"))

    def _right(self, i: int, outcome: Outcome) -> bool:
        wrong = fault(outcome, self.targets[i], self.task.tolerance)
        if wrong is None:
            return outcome.changed is None or self.changing
        if i not in self.faults or not self.values:
            return False
        return self.faults[i].code in _RAISED and wrong.code in _RAISED  # told apart, beside what explains the values
