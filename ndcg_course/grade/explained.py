"""Tells of a wrong function what its check tells: its answers to the inputs of the check, in a process of their own.

The inputs of a run are nobody's to know, so that no sentence may come from them. Those of a check are everybody's: a
process that has seen no others can give nothing away, and what is said of it is what the notebook and the page say.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from ndcg_course.explain.answer import LOCAL_SEED, first_word, last_word, public
from ndcg_course.explain.messages import WRONG
from ndcg_course.explain.outcome import Outcome
from ndcg_course.explain.repairs import SHORT, Repair, Trial, best, texts, told
from ndcg_course.explain.shown import Shown
from ndcg_course.grade.cases import tasks_of
from ndcg_course.grade.session import Answers, Batch
from ndcg_course.tasks.task import FunctionTask

Ask = Callable[[Sequence[Batch]], Awaitable[Answers]]
MOST_PASSING = 40  # changes that are right for the first input, and are tried with all others
MOST_DEEP = 60  # lines of code that are searched: what is longer than this has no one place


async def explain(
    assignment: str, marks: dict[str, Any], wrong: Collection[str], cells: Sequence[str], ask: Ask
) -> None:
    """Put into the marks of these tasks what their checks say."""
    tasks = [one for one in tasks_of(assignment, LOCAL_SEED) if one.name in wrong and isinstance(one, FunctionTask)]
    if not tasks:
        return
    shown = {task.name: Shown.in_cells(task.name, cells) for task in tasks}
    cases = {task.name: public(task, shown[task.name]) for task in tasks}
    asked = [Batch(task.name, [case.args for case in cases[task.name]], open=True) for task in tasks]
    answers = await ask(asked)
    for task in tasks:
        if task.name in answers.missing | answers.lost.keys():
            continue
        assert isinstance(task, FunctionTask)
        outcomes = _seen(answers.outcomes[task.name], cases[task.name])
        verdict, trial = first_word(task, shown[task.name], cases[task.name], outcomes)
        if verdict.status != WRONG:
            continue  # the inputs of the run alone have found it
        repaired = await _repair(trial, shown[task.name], ask) if trial is not None else None
        last_word(task, shown[task.name], verdict, trial, repaired)
        parts = {"slips": list(verdict.slips), "fault": verdict.fault, "sentences": verdict.sentences}
        marks[task.name] |= parts | {"place": verdict.place}


def _seen(outcomes: Sequence[Outcome], cases: Sequence[Any]) -> list[Outcome]:
    """The outcomes as a check has them: none after a call that was stopped."""
    kept = []
    for outcome, case in zip(outcomes, cases, strict=False):
        unknown = outcome.changed is not None and len(outcome.changed) != len(case.args)
        kept.append(replace(outcome, changed=[None for _ in case.args]) if unknown else outcome)
        if outcome.error == "Stopped":
            break
    return kept


async def _repair(trial: Trial, shown: Shown, ask: Ask) -> Repair | None:
    """The search of the check; the changes are made here, and tried where the notebook is."""
    code = shown.code()
    if code is None or len(code.lines) > MOST_DEEP:
        return None
    changed = texts(code)
    first = await _tried(shown.name, changed, [(n, 0) for n in range(len(changed))], trial, ask)
    passing = [n for n, outcome in enumerate(first) if trial.right(0, outcome)][:MOST_PASSING]
    if not passing:
        return None
    trial.go_beyond()
    calls = [(n, i) for n in passing for i in range(len(trial.inputs))]
    outcomes = await _tried(shown.name, changed, calls, trial, ask)
    wrong = {n for (n, i), outcome in zip(calls, outcomes, strict=True) if not trial.right(i, outcome)}
    return best(told(code, [n for n in passing if n not in wrong]))


async def _tried(
    name: str, changed: Sequence[str], calls: Sequence[tuple[int, int]], trial: Trial, ask: Ask
) -> Sequence[Outcome]:
    inputs = [[n, trial.inputs[i]] for n, i in calls]
    answers = await ask([Batch(name, inputs, codes=changed, seconds=SHORT, open=True)])
    return [Outcome(error="Stopped")] * len(calls) if name in answers.missing else answers.outcomes[name]
