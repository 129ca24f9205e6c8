"""One explanation: the grader says of a wrong function what its check says, and gives no input of the run away."""

import re
import sys

import pytest
from hostile.course import ROOT, notebook
from wrong_answers.cells import read, verdict_on_cell

from ndcg_course.explain.answer import LOCAL_SEED
from ndcg_course.grade import marking
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.submissions import Job
from ndcg_course.make.proof import codes
from ndcg_course.tasks import assignments, task_named
from ndcg_course.tasks.task import FunctionTask

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
HELD = {task.name: held.name for held in assignments().values() for task in held.tasks}
WRONG = [
    c for name in ("wrong", "blind") for c in read(f"cells_{name}.txt") if type(task_named(c.task)) is FunctionTask
]


def marked(task, code, folder):
    cells = [
        re.sub(r"(?m)^student_id = .*", 'student_id = "demo"', cell)
        for cell in codes(ROOT / f"solutions/{HELD[task]}.ipynb")
    ]
    path = folder / "a.ipynb"
    path.write_text(notebook(*cells, code), "utf8")
    return marking.mark(Job("ana", "a", str(path)), Settings("a seed"))["tasks"][task]


def says_the_same(cell, folder):
    """Where a call was stopped, the grader does not wait for it once more; and no notebook has the library there."""
    mark, verdict = marked(cell.task, cell.code, folder), verdict_on_cell(cell)
    if mark["status"] != "wrong" or verdict.fault in ("loop", "slow") or "ndcg_lib" in cell.code:
        return mark["status"] != "right" or verdict.passed
    return mark["sentences"] == verdict.sentences and mark["slips"] == list(verdict.slips)


OBJECTS = [cell for cell in WRONG if "of your own" in cell.says or "should be raised" in cell.says]


@pytest.mark.parametrize("cell", [*OBJECTS, *WRONG[5::60]], ids=lambda cell: cell.name)
def test_the_grader_says_what_the_check_says(cell, tmp_path):
    assert says_the_same(cell, tmp_path)


@pytest.mark.weekly
def test_the_grader_says_what_the_check_says_of_every_stored_answer(tmp_path):
    assert [cell.name for cell in WRONG if not says_the_same(cell, tmp_path)] == []


def test_a_line_of_the_code_is_found_without_being_run_outside(tmp_path):
    code = "def cg_at(grades, k=None):\n    if k is None:\n        k = 10\n    return sum(grades[:k])\n"
    assert "in the line `k = 10`" in " ".join(marked("cg_at", code, tmp_path)["sentences"])


def test_what_a_function_saw_of_the_run_is_not_told(tmp_path):
    """It notes all that it is asked, in memory and in a file, and tells it in its error."""
    code = "seen = []\ndef cg_at(grades, k=None):\n    seen.append(list(grades))\n"
    code += "    open('seen.txt', 'a').write(repr(grades))\n"
    code += "    raise ValueError(repr(seen)[-90:] + open('seen.txt').read()[-90:])\n"
    told = " ".join(marked("cg_at", code, tmp_path)["sentences"])
    public = [case.args[0] for case in task_named("cg_at").cases(LOCAL_SEED)]
    lists = [found for found in re.findall(r"\[[\d., ]*\]", told) if found != "[]"]
    assert lists and all(any(repr(args)[1:-1] in found for args in public) or found in repr(public) for found in lists)


def test_a_judge_runs_nothing_of_a_wrong_function(tmp_path):
    code = "def sentinel_in_code(x):\n    return x + 1\n\n\ndef dcg_at(grades, k=None):\n"
    code += "    return sentinel_in_code(sum(grades[:k])) * 7 % 3\n"
    run = []

    def hear(event, args):
        if event == "exec" and listening and "sentinel_in_code" in f"{args[0].co_names}{args[0].co_consts}":
            run.append(args)

    listening = True
    sys.addaudithook(hear)
    told = marked("dcg_at", code, tmp_path)
    listening = False
    assert told["status"] == "wrong" and not run
