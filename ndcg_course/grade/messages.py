"""What a student is told about a task. No word of it comes from a hidden input or from what was returned for one.

The sentences of a check in the notebook quote calls and values. There the inputs are the student's to see; here they
are not, and a function can return its own arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from ndcg_course.explain.faults import FAULTS, said
from ndcg_course.explain.messages import OPEN, RIGHT, Verdict
from ndcg_course.explain.outcome import Outcome, listed, with_article
from ndcg_course.grade.claims import LIMIT
from ndcg_course.tasks.task import FunctionTask, Task

UNAVAILABLE = (
    "Your code uses threads, other programs or `asyncio.run`. They are not available while you are graded; do the same"
    " without them."
)


def by_tries(task: Task, wrong: int | None, points: float) -> list[str]:
    """What to say of a right answer after so many wrong ones; None where the notebook does not hold how many.

    >>> from ndcg_course.tasks import task_named
    >>> by_tries(task_named("which_gain"), 1, 0.5)
    ['Right at try 2, which earns 0.5 of 1 point.']
    """
    worth = f"{points:g} of {task.points} point{'' if task.points == 1 else 's'}"
    if wrong is None:
        told = f"No tries are noted in your notebook, so it counts as at the last try: {worth}."
        return [told, "Hand it in as Jupyter saved it, with what its checks have shown."]
    if not wrong:
        return []
    if task.kind == "predict":
        return [f"Your first answer was another one, and it is the one that counts: {worth}."]
    return [f"Right at try {wrong + 1}, which earns {worth}."]


def sentences(task: Task, verdict: Verdict, outcomes: Sequence[Outcome]) -> list[str]:
    """What to say about the answer to a task.

    >>> from ndcg_course.tasks import task_named
    >>> task = task_named("best_first")
    >>> sentences(task, Verdict("best_first", "wrong", 0, 2, fault="none"), [])
    ['Your function returns `None`. Is a `return` missing?']
    """
    if not isinstance(task, FunctionTask):
        return list(verdict.sentences)
    if verdict.status in (RIGHT, OPEN):
        return []
    told: list[str] = []
    known = {slip.name: slip.sentence for slip in task.slips}
    slips = [known[name] for name in verdict.slips if name in known]
    errors = [outcome.error for outcome in outcomes if outcome.error not in ("", "Stopped", "Crash")]
    stopped = [outcome.message for outcome in outcomes if outcome.error == "Stopped"]
    if slips:
        told += slips
    elif verdict.fault == "error":
        if "Unavailable" in errors:
            told.append(UNAVAILABLE)
        elif errors:  # one type: a list of them could spell a hidden input
            told.append(f"Your function raises {with_article(errors[0])} for at least one input.")
    elif verdict.fault == "loop" and LIMIT not in stopped:
        told.append("The time for the whole notebook was over before your function had answered everything.")
    elif verdict.fault in FAULTS:
        told.append(said(verdict.fault))
    if any(outcome.error == "Crash" for outcome in outcomes):
        told.append("Your function ended the whole process, or took more memory than there is.")
    if LIMIT in stopped and verdict.fault != "loop":
        told.append("At least one call was stopped: it took too long.")
    passed = [part.name for part in verdict.properties if part.passed]
    failed = [part.name for part in verdict.properties if not part.passed]
    if passed and failed:
        told.append(f"It is right for {listed(passed)}, but not for {listed(failed)}.")
    return told or ["Your function gives other values than those asked."]
