"""What a student calls in a notebook, beside the check of one answer: ids, hints, what is missing, what Tab offers."""

from types import SimpleNamespace

import pytest

import ndcg_course
from ndcg_course import notebook
from ndcg_course.explain.record import record
from ndcg_course.tasks import assignments, task_named
from ndcg_lib.slips import SLIPS


@pytest.fixture(autouse=True)
def _anew():
    record.forget()
    yield
    record.forget()


def told(code, **names):
    """What the last line of a cell shows, in a notebook with these names."""
    names |= {name: getattr(ndcg_course, name) for name in ndcg_course.__all__}
    return eval(code, names)


def test_hints_come_one_by_one_and_the_last_says_so():
    three = [told('hint("best_first")').text() for _ in range(4)]
    assert [text[:11] for text in three] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert ["That was the last" in text for text in three] == [False, False, True, True]
    assert told('hint("best_first", 2)').text() == three[1]
    assert told('hint("best_first")').text() == three[2], "to look back takes no hint away"
    for step in (0, 4, True, 1.0, "1"):
        assert told(f'hint("best_first", {step!r})').text().endswith("there are hints 1 to 3.")


def test_a_name_that_is_missing_is_said_and_nothing_is_noted():
    assert "Which task is meant?" in told("check()").text()
    assert "There is no `cg_at` in this notebook yet" in told('check("cg_at")').text()
    assert "Did you mean 'cg_at'" in told('check("cg_att")').text()
    assert told('check("cg_at")').points == 0 and record.of("demo") == {}


def test_numbers_of_another_id_are_recognised_and_a_missing_id_is_said():
    task = task_named("cg_by_hand")
    ids = [f"student {number}" for number in range(30)]
    of_demo = task.target(task.data("demo"))
    other = next(one for one in ids if task.target(task.data(one)) != of_demo)
    verdict = told('check("cg_by_hand")', cg_by_hand=of_demo, student_id=other)
    assert 'It is right for the numbers of the id "demo"' in verdict.text() and not verdict.passed
    assert "no `student_id`" in told('check("cg_by_hand")', cg_by_hand=of_demo + 1).text()
    assert "no `student_id`" not in told('check("cg_by_hand")', cg_by_hand=of_demo).text()
    assert "no `student_id`" not in told('check("cg_by_hand")', cg_by_hand=of_demo + 1, student_id=other).text()
    assert told('own("cg_by_hand")', student_id=other) == told(f'own("cg_by_hand", "{other}")') == task.data(other)


def test_what_is_missing_is_told_by_name_and_the_practice_id_too():
    right = {task.name: task.reference for task in assignments()["02-cumulative-gain"].tasks if task.calls}
    names = right | {"cg_curve": lambda grades: grades, "student_id": "ana"}
    open_, wrong = told('missing("02-cumulative-gain")', **names).sentences
    assert open_.startswith("Not attempted: ") and "cg_by_hand" in open_ and "cg_at" not in open_
    assert wrong == "Not right yet: cg_curve."
    assert told('missing("02-cumulative-gain")', **names | {"student_id": "demo"}).sentences[0] == notebook.PRACTICE
    standing = told('check_all("02-cumulative-gain")', **names)
    assert {name for name, entry in standing.entries.items() if entry["status"] == "right"} == {*right} - {"cg_curve"}


def test_each_check_carries_the_tries_at_the_other_tasks_of_its_assignment():
    told('check("cg_by_hand", -1, student_id="ana")')
    told('check("useless_rank", -1, student_id="ana")')
    right = task_named("useless_rank")
    value = right.target(right.data("bo"))
    told(f'check("useless_rank", {value!r}, student_id="bo")')
    noted = told('check("cg_at", sum, student_id="ana")').noted
    assert {entry["task"] for entry in noted} == {"cg_by_hand", "useless_rank", "cg_at"}
    noted = told('check("cg_at", sum, student_id="bo")').noted
    assert {entry["task"]: entry["right"] for entry in noted}["useless_rank"]


@pytest.mark.parametrize("name", ["k-ignored", "natural-log"])
def test_a_slip_comes_back_and_two_decimals_are_enough(name):
    slip = SLIPS[name]
    record.note("demo", "cg_at", slips=[slip.name])
    right, wrong = map(float, slip.on_example())
    assert "a slip of yours comes back" in told('recall("03-discounting")').text()
    assert told('recall("02-cumulative-gain")').text() == "Nothing to repeat from the assignments before."
    for answer, says in (
        (right, "Right."),
        (right + 0.005, "Right."),
        (right - 0.006, "Not yet."),
        (wrong, "Not yet."),
    ):
        assert told(f'recall("03-discounting", {answer})').text() == f"{says} {slip.why}"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [('check("cg_', "cg_at"), ("x = hint('best_f", "best_first"), ('progress("02-', "02-cumulative-gain"),
     ('missing("', "02-cumulative-gain"), ('open("cg_', None), ('check(cg_', None), ('solution("cg_at', "cg_at")],
)  # fmt: skip
def test_tab_offers_tasks_or_assignments_by_what_is_called(typed, offered):
    shell = SimpleNamespace(Completer=SimpleNamespace(custom_matchers=[]))
    notebook.offer_names(shell)
    (match,) = shell.Completer.custom_matchers
    found = match(SimpleNamespace(text_until_cursor=typed))
    texts = [one.text for one in found["completions"]]
    assert (offered in texts) if offered else texts == []
    begun = typed.replace("'", '"').rpartition('"')[2]
    assert all(text.startswith(begun) for text in texts)
    if offered:
        assert (found["matched_fragment"], found["suppress"], found["ordered"]) == (begun, True, True)
