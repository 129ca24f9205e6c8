"""What an answer earns at the try that it was: as the notebook says it, and by a clear rule where it says nothing."""

import json

import pytest
from hostile.course import notebook

from ndcg_course import notebook as student
from ndcg_course.explain import tries
from ndcg_course.explain.record import record
from ndcg_course.grade import gradebook, marking
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.lateness import Rules
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.submissions import Job
from ndcg_course.tasks import assignment_named, task_named

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
NAME = "04-what-a-grade-is-worth"
FEW = [task for task in assignment_named(NAME).tasks if task.shares != (1.0,)]


def right(task, who="ana"):
    return task.target(task.data(who))


def options(task, who="ana"):
    """The right answer, and wrong ones of the same kind."""
    wrong = list(task.options) or [1, 2, 3, 4, 5, 6]
    return right(task, who), [one for one in wrong if one != right(task, who)]


def handed_in(answers, noted, who="ana"):
    """A notebook with these answers, and what its outputs say of tries."""
    codes = [f'student_id = "{who}"', *(f"{name} = {value!r}" for name, value in answers.items())]
    content = json.loads(notebook(*codes))
    content["metadata"] = {}
    content["cells"][-1]["outputs"] = [
        {"output_type": "execute_result", "data": {}, "metadata": {"ndcg": {"tries": noted}}, "execution_count": 1}
    ]
    return content


def graded(tmp_path, content):
    path = tmp_path / "ana.ipynb"
    path.write_text(json.dumps(content), "utf8")
    return marking.mark(Job("ana", path.name, str(path), None, 0.0), Settings("s", NAME))


def points(told):
    return {task.name: told["tasks"][task.name]["points"] for task in FEW}


@pytest.mark.parametrize("before", range(4))
def test_the_grader_gives_what_the_check_gave(before, tmp_path):
    """A student answers wrongly so often, then rightly; the outputs of the checks are what the grader reads."""
    record.forget()
    answers, earned, verdict = {}, {}, None
    for task in FEW:
        answer, wrong = options(task)
        for one in [*wrong[:before], answer]:
            verdict = student.check(task.name, one, student_id="ana")
        answers[task.name], earned[task.name] = answer, verdict.points
    told = graded(tmp_path, handed_in(answers, verdict.noted))
    assert points(told) == earned
    assert all(earned[task.name] == task.earned(min(before, len(options(task)[1]))) for task in FEW)
    record.forget()


def forged(entries):
    return {
        "none": [],
        "changed": [entry | {"wrong": []} for entry in entries],
        "of another": [tries.sealed("ben", task.name, 0, [], True) for task in FEW],
        "rubbish": [None, 7, {}, {"task": FEW[0].name}, [[]], {"task": "x" * 5000}],
    }


@pytest.mark.parametrize("how", forged([]))
def test_taking_the_tries_out_or_forging_them_does_not_pay(how, tmp_path):
    entries = [tries.sealed("ana", task.name, 0, [f"0-{n}" for n in range(5)], True) for task in FEW]
    told = graded(tmp_path, handed_in({task.name: right(task) for task in FEW}, forged(entries)[how]))
    assert points(told) == {task.name: task.points * task.shares[-1] for task in FEW}
    assert "No tries are noted" in told["tasks"][FEW[0].name]["sentences"][0]
    notes = gradebook.make([told], {}, Rules({}, {})).notes
    assert any("tries" in note[2] for note in notes), "the teacher is told whose file says nothing"


def test_older_outputs_take_no_try_away_and_an_answer_never_checked_is_a_first_one(tmp_path):
    task, *others = FEW
    most = [tries.sealed("ana", task.name, 0, ["0-a"] * n, n == 2) for n in (2, 0, 1)]
    told = graded(tmp_path, handed_in({one.name: right(one) for one in FEW}, most))
    assert points(told) == {task.name: task.earned(2)} | {one.name: one.points for one in others}
    assert told["tasks"][task.name]["tries"] == 3


def test_an_answer_to_new_numbers_is_judged_by_them(tmp_path):
    task = task_named("dcg_exponential")
    noted = [tries.sealed("ana", task.name, 1, ["0-a", "0-b", "0-c"], True)]
    for draw, worth in ((1, 2), (0, 0)):
        told = graded(tmp_path, handed_in({task.name: task.target(task.data("ana", draw))}, noted))
        assert told["tasks"][task.name]["points"] == worth
    told = graded(tmp_path, handed_in({task.name: task.target(task.data("ana", 1))}, []))
    assert told["tasks"][task.name]["points"] == 0, "numbers that the file does not speak of are not the student's"


def test_a_large_file_keeps_its_tries(tmp_path):
    task = FEW[0]
    content = handed_in({task.name: right(task)}, [tries.sealed("ana", task.name, 0, ["0-a"], True)])
    content["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (2 << 20)}]
    assert graded(tmp_path, content)["tasks"][task.name]["points"] == task.earned(1)
