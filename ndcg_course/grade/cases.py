"""The tasks of a run, with what is worked out for them kept: all students of a run get the same calls."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

from ndcg_course.explain import judge as judging
from ndcg_course.explain.messages import Verdict
from ndcg_course.explain.outcome import Outcome
from ndcg_course.tasks import assignment_named
from ndcg_course.tasks.slips import TaskSlip
from ndcg_course.tasks.task import Case, FunctionTask, Task

MOST_JUDGED, LONGEST_KEY = 100, 50_000  # different answers to one task that are kept, and bytes of one


class Known(FunctionTask):
    """A function task that works out each answer once: all students of a run get the same calls."""

    def cases(self, seed: object) -> list[Case]:
        """The calls of the run."""
        cases: list[Case] = vars(self).get("known_cases") or super().cases(seed)
        return cases

    def know(self, seed: str) -> None:
        """Draw the calls, and keep room for their answers."""
        cases = super().cases(seed)
        vars(self).update(known_cases=cases, known_args={id(case.args) for case in cases}, known={}, judged={})

    def target(self, args: Sequence[Any]) -> Outcome:
        """The right answer."""
        return self._kept(id(args), args, lambda: super(Known, self).target(args))

    def wrong(self, slips: Sequence[TaskSlip], args: Sequence[Any]) -> Outcome:
        """What someone gives who makes these slips."""
        key = (id(args), *(slip.name for slip in slips))
        return self._kept(key, args, lambda: super(Known, self).wrong(slips, args))

    def _kept(self, key: Any, args: Sequence[Any], work: Callable[[], Outcome]) -> Outcome:
        known: dict[Any, Outcome] = vars(self)["known"]
        if key in known:
            return known[key]
        outcome = work()
        if id(args) in vars(self)["known_args"] and len(known) < 200_000:
            known[key] = outcome
        return outcome


def judge(task: Task, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict; what another student of the run has answered before is not judged anew."""
    judged: dict[bytes, Verdict] | None = vars(task).get("judged")
    try:
        key = marshal.dumps([tuple(vars(outcome).values()) for outcome in outcomes], 2)  # 1, 1.0 and True differ
    except ValueError:  # a value of a type that no task asks for
        judged = None
    if judged is None or len(key) > LONGEST_KEY:
        return judging.judge(task, cases, outcomes)
    if key not in judged:
        if len(judged) >= MOST_JUDGED:
            judged.clear()
        judged[key] = judging.judge(task, cases, outcomes)
    return judged[key]


@lru_cache(maxsize=16)
def tasks_of(name: str, seed: str) -> tuple[Task, ...]:
    """The tasks of an assignment."""
    return tuple(_knowing(task, seed) if type(task) is FunctionTask else task for task in assignment_named(name).tasks)


def _knowing(task: FunctionTask, seed: str) -> Known:
    known = Known(**{part.name: getattr(task, part.name) for part in fields(task)})
    known.know(seed)
    return known


@lru_cache(maxsize=16)
def cases_of(name: str, seed: str) -> dict[str, list[Case]]:
    """The calls of a run, by task."""
    return {task.name: list(task.cases(seed)) for task in tasks_of(name, seed) if task.calls}


@lru_cache(maxsize=4096)
def data_of(name: str, student_id: str) -> dict[str, Any]:
    """A student's own data, by task."""
    return {task.name: task.data(student_id) for task in tasks_of(name, "") if task.has_data}
