"""A search over small wrong programs: none of them may pass a check."""

import pytest
from wrong_answers.cells import solved

from ndcg_course.explain import calls
from ndcg_course.explain.changes import Code
from ndcg_course.explain.faults import fault
from ndcg_course.make.files import run
from ndcg_course.notebook import solutions
from ndcg_course.tasks import assignments
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import FunctionTask

FUNCTIONS = [(a.name, t) for a in assignments().values() for t in a.tasks if isinstance(t, FunctionTask)]
SURVIVORS: dict[str, str] = {}  # small programs that pass and are not right: by task and line, why they may


def solution_of(assignment, task):
    names = dict(solved(assignment))
    run([solutions()[task.name]], names)
    return Code.of(names[task.name])


def first_wrong(task, function, inputs):
    """An input that the function answers wrongly."""
    for args in inputs:
        outcome = calls.call(function, args, 0.3)
        if fault(outcome, task.target(args), task.tolerance) or outcome.changed is not None:
            return args
    return None


def survivor(task, code, shown, others):
    function = code.compiled()
    if function is None or first_wrong(task, function, shown) is not None:
        return None
    return first_wrong(task, function, others)


@pytest.mark.weekly  # with two changes at once; one at a time, test_survivors.py looks at in each proof of a commit
@pytest.mark.parametrize(("assignment", "task"), FUNCTIONS, ids=lambda value: getattr(value, "name", ""))
def test_no_small_wrong_program_passes(assignment, task):
    code = solution_of(assignment, task)
    shown = sorted((case.args for case in task.cases("check")), key=lambda args: -len(repr(args)))
    others = [case.args for n in range(12) for case in task.cases(f"other {n}")]
    changes = [code.told(change) for change in code.changes() if survivor(task, code, shown, others)]
    draw, number = Draw(task.name, "pairs"), sum(1 for _ in code.changes())
    firsts = {draw.integer(0, number - 1) for _ in range(12)}
    for at, change in enumerate(code.changes()):
        if at in firsts:
            for n, second in enumerate(code.changes()):
                if n % 12 == at % 12 and survivor(task, code, shown, others):
                    changes.append((code.told(change), code.told(second)))
    assert not [change for change in changes if f"{task.name}: {change}" not in SURVIVORS]
