"""At the first wrong try what is right and the direction, at the second the place, at the third the concept."""

import re

import pytest

from ndcg_course import notebook
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.record import record
from ndcg_course.tasks import tasks
from ndcg_course.tasks.task import ValueTask

BY_HAND = [task for task in tasks().values() if isinstance(task, ValueTask) and task.kind == "compute"]
FUNCTIONS = {
    "dcg_at": "def dcg_at(grades, k=None):\n    return sum(grades[:k]) + 0 * len({!r})",
    "ideal_top": "def ideal_top(judged, k):\n    return sorted(judged[:k], reverse=True) + 0 * [{!r}]",
}


@pytest.fixture(autouse=True)
def _anew():
    record.forget()
    yield
    record.forget()


def function(code):
    names = {}
    exec(code, names)
    return next(value for name, value in names.items() if callable(value) and name != "__builtins__")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_shows_the_case_then_the_row_then_the_cause(name):
    answers = [function(FUNCTIONS[name].format("a" * n)) for n in range(4)]
    full = verdict_on(tasks()[name], answers[1], "ana")
    cause = full.sentences[0]
    first, second, third, fourth = (notebook.check(name, answer, student_id="ana") for answer in answers)
    assert first.example is not None and first.example.rows is None and cause not in first.text()
    assert second.example == full.example and cause not in second.text() and "try 2" in second.text()
    assert cause in third.text() and cause in fourth.text()


def test_a_case_without_a_cause_shows_its_rows_at_the_second_try():
    codes = [f"def idcg_at(judged, k=None):\n    return sum(judged[:k]) + 0 * len({'a' * n!r})" for n in range(2)]
    first, second = (notebook.check("idcg_at", function(code), student_id="ana") for code in codes)
    assert not first.slips and first.example.rows is None and second.example.rows is not None


def slipped(task):
    """A number that a slip of the task gives, and the words about it."""
    for slip in task.slips:
        value = task.wrong([slip], task.data("ana"))
        verdict = verdict_on(task, value, "ana")
        if verdict.slips:
            return value, verdict
    return None


def test_a_number_is_told_the_direction_then_the_place_then_the_cause_with_other_numbers():
    found = [(task, slipped(task)) for task in [task for task in BY_HAND if task.decimals][::2]]
    told = [(task, *known) for task, known in found if known]
    assert len(told) > len(found) / 2, "the causes of most tasks are sure enough to be told"
    for task, value, full in told:
        by_three_tries(task, value, full)


def by_three_tries(task, value, full):
    far = [task.target(task.data("ana")) + n for n in (17.3, 18.4)]
    first = notebook.check(task.name, value, student_id="ana")
    assert re.search("too (large|small)", first.text()) and full.sentences[0] not in first.text() and not first.example
    record.forget()
    notebook.check(task.name, far[0], student_id="ana")
    second = notebook.check(task.name, value, student_id="ana")
    assert not second.example and full.sentences[0] not in second.text()
    assert re.search("Look at |Go through |step by step", second.text())
    record.forget()
    for one in far:
        assert "another(" not in notebook.check(task.name, one, student_id="ana").text()
    third = notebook.check(task.name, value, student_id="ana")
    assert full.sentences[0] in third.text() and (third.example is None) == (full.example is None)
    assert ("another(" in third.text()) == (not task.sheet)
    record.forget()


def test_the_same_answer_again_is_told_the_same():
    task = tasks()["dcg_by_hand"]
    value = task.target(task.data("ana")) + 1.234
    first = notebook.check(task.name, value, student_id="ana").text()
    assert notebook.check(task.name, value, student_id="ana").text() == first
    assert "too large" in first


def test_what_is_missing_counts_as_a_check():
    names = {"student_id": "ana", "missing": notebook.missing, "which_gain": next(iter(tasks()["which_gain"].options))}
    exec('said = missing("04-what-a-grade-is-worth").text()', names)
    entry = record.tries_at("ana", "which_gain")
    assert entry["right"] or len(entry["wrong"]) == 1
