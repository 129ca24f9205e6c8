"""Finds the place of a mistake in a student's code: the small change after which its answers are right.

It is a proof and no guess: every answer is computed again with the change, and those to inputs beyond the cases too.
What is told is a thought about the quantity, and the place; what is meant there is left to the student.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ndcg_course.explain import calls
from ndcg_course.explain.faults import fault
from ndcg_course.explain.outcome import Outcome
from ndcg_course.tasks.task import Case, FunctionTask

if TYPE_CHECKING:
    from ndcg_course.explain.changes import Code

MOST = 1000  # changes that are tried; a number and not a time, so that a slow machine says the same
MOST_HANGING = 4
FRESH = "beyond the cases"  # the seed of the inputs on which a change has to hold as well
SHORT = 0.1  # seconds for a call that may loop
_RAISED = ("error", "none", "finite")
LONGEST_PART = 60

THOUGHTS = {
    "too-large": ("counting", "A number is one too large"),
    "too-small": ("counting", "A number is one too small"),
    "begins-late": ("counting", "The counting begins one too late"),
    "begins-early": ("counting", "The counting begins one too early"),
    "ends-early": ("counting", "The counting ends one too early"),
    "ends-late": ("counting", "The counting ends one too late"),
    "runs-high": ("counting", "All ranks are one too high"),
    "runs-low": ("counting", "All ranks are one too low"),
    "range": ("counting", "The counting begins or ends in the wrong place"),
    "slice": ("cut", "The list is cut in the wrong place"),
    "cut": ("cut", "What has to be cut goes on to its end"),
    "falsy": ("condition", "A 0 counts as if nothing were given"),
    "default": ("default", "Where nothing is given, another number is taken than the task says"),
    "order": ("order", "The order is not the one asked"),
    "unordered": ("order", "A set forgets the order"),
    "alias": ("copy", "This is a second name for what is given, and no copy"),
    "log": ("logarithm", "This is another logarithm than the one asked"),
    "function": ("function", "What is done with these numbers is not what is asked"),
    "operator": ("operation", "Two quantities are joined in the wrong way"),
    "turned": ("turned", "Two quantities stand in each other's place"),
    "comparison": ("comparison", "The comparison draws its line in the wrong place"),
    "added": ("loop", "The variable is replaced where it has to go on from what it was"),
    "assign": ("operation", "The variable changes in the wrong way"),
    "into-loop": ("loop", "This happens once, and every round of the loop needs it"),
    "out-of-loop": ("loop", "This happens in every round, and is asked once"),
    "left-out": ("condition", "What should keep its place with a 0 is left out"),
    "kept": ("condition", "What should be left out keeps its place"),
    "condition": ("condition", "The condition picks the wrong cases"),
    "condition-off": ("condition", "The condition leaves out what counts"),
    "zero": ("guard", "Nothing stops a division by 0"),
    "stop": ("loop", "The loop is left, or goes on, in the wrong case"),
    "number": ("number", "This number is not the one asked"),
    "missing": ("step", "Something is still to be done with this quantity"),
    "too-much": ("extra", "Something is done here that nobody asked for"),
    "name": ("name", "Another quantity belongs here"),
    "line": ("extra", "This line does harm"),
    "sequence": ("loop", "Two lines stand in the wrong order"),
}  # by kind of change, the most telling first: which quantity is concerned, and what is wrong with it


class Change(NamedTuple):
    """A small change: its kind, the line, and what stands there."""

    kind: str
    line: str
    old: str
    places: int = 1
    size: int = 0  # of the code after the change
    span: tuple[Any, Any] = ((), ())  # from where to where the code stood that is changed

    @property
    def concept(self) -> str:
        """The quantity that is concerned."""
        return THOUGHTS[self.kind][0]

    @property
    def words(self) -> str:
        """What is wrong, and where: the line, and in it what is concerned if that is short.

        >>> Change("too-large", "return a + b[2]", "b[2]").words
        'A number is one too large: `b[2]` in the line `return a + b[2]`.'
        """
        part = f"`{self.old}` in" if self.old != self.line and len(self.old) <= LONGEST_PART else "see"
        return f"{THOUGHTS[self.kind][1]}: {part} the line `{self.line}`."

    @property
    def place(self) -> str:
        """Where to look, without a word about what is wrong."""
        return f"Look first at the line `{self.line}`: a change there alone makes all your answers right."

    @property
    def rank(self) -> tuple[int, int]:
        """How little it tells: the kind first, then how long the code is that is right."""
        return list(THOUGHTS).index(self.kind) + len(THOUGHTS) * (self.places > 1), self.size


class Repair(NamedTuple):
    """The most telling change, and what it shares with all others that help: the quantity, the place, or the line."""

    change: Change
    one_thought: bool
    one_place: bool
    one_line: bool

    @property
    def kind(self) -> str:
        """Of the sentence about it, for the gate."""
        how = "thought" if self.one_thought else "place" if self.one_place else "likely"
        return f"{how}: {self.change.concept}"


class Trial:
    """By what a change is tried: the cases, the smallest wrong one first, and inputs that were no cases.

    Calls that raised may go on to raise. So may an answer that changes its arguments: that is told apart.
    """

    def __init__(self, task: FunctionTask, cases: Sequence[Case], faults: dict[int, Any], *, changing: bool):
        self.task, self.faults, self.changing = task, faults, changing
        bad = [i for i in faults if faults[i].code not in _RAISED] or list(faults)
        bad.sort(key=lambda i: len(repr(cases[i].args)))
        self.order = list(dict.fromkeys([*bad, *range(len(cases))]))
        self.inputs = [cases[i].args for i in self.order]
        self.targets = [task.target(args) for args in self.inputs]
        self.values = 2 * sum(wrong.code in ("value", "order", "shape") for wrong in faults.values()) > len(faults)

    def go_beyond(self) -> None:
        """From now on with inputs that were no cases."""
        if len(self.inputs) == len(self.order):
            more = [case.args for case in FunctionTask.cases(self.task, FRESH)]
            self.inputs += more
            self.targets += [self.task.target(args) for args in more]

    def right(self, n: int, outcome: Outcome) -> bool:
        """Whether this is right for the nth input, or is told apart."""
        wrong = fault(outcome, self.targets[n], self.task.tolerance)
        if n >= len(self.order):
            return wrong is None or (self.values and wrong.code in (*_RAISED, "no-error", "unnamed"))
        if wrong is None:
            return outcome.changed is None or self.changing
        before = self.faults.get(self.order[n])
        return before is not None and self.values and before.code in _RAISED and wrong.code in _RAISED


def repair(trial: Trial, code: Code | None) -> Repair | None:
    """The change after which all answers are right, here and at once."""
    found: list[Change] = []
    hanging = 0
    with calls.alone():
        for draft in islice(code.changes(), MOST) if code else ():
            function, n = code.compiled(), 0  # type: ignore[union-attr]
            while function is not None:
                if n == len(trial.order):
                    trial.go_beyond()
                outcome = calls.tried(function, trial.inputs[n], SHORT)
                hanging += outcome.error == "Stopped"
                if not trial.right(n, outcome):
                    break
                n += 1
                if n > len(trial.order) and n == len(trial.inputs):
                    found.append(code.told(draft))  # type: ignore[union-attr]
                    break
            if hanging > MOST_HANGING:
                break
    return best(found)


def texts(code: Code) -> list[str]:
    """The code after each change, for whoever runs it elsewhere."""
    return [ast.unparse(code.tree) for _ in islice(code.changes(), MOST)]


def told(code: Code, which: Sequence[int]) -> list[Change]:
    """These changes in words."""
    return [code.told(draft) for n, draft in enumerate(islice(code.changes(), MOST)) if n in which]


def best(found: Sequence[Change]) -> Repair | None:
    """The most telling of the changes that help."""
    if not found:
        return None
    change = min(found, key=lambda one: one.rank)
    start, end = min(one.span[0] for one in found), max(one.span[1] for one in found)
    return Repair(
        change,
        all(one.concept == change.concept for one in found),
        any(one.span == (start, end) for one in found),
        all(one.line == change.line for one in found),
    )
