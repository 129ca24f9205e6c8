"""Robots that know nothing and try: none gets more than a fifth of the points that it did not know at first.

They see what a student sees, the text of a check, and are handed in through the same points.
"""

import re

import pytest
from sweeps import some_of

from ndcg_course import notebook
from ndcg_course.explain.record import record
from ndcg_course.tasks import tasks
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import ValueTask

VALUES = [task for task in tasks().values() if isinstance(task, ValueTask)]
FEW = [task for task in VALUES if task.of_a_few]
BY_HAND = [task for task in VALUES if task.kind == "compute" and not task.options]
IDS = ("ana", "ben", "cem")
MOST = 1 / 5


@pytest.fixture(autouse=True)
def _anew():
    record.forget()
    yield
    record.forget()


def candidates(task):
    """What a robot may choose from: the options, or all answers that others have."""
    others = (task.target(task.data(f"another {n}")) for n in range(8 if not task.options else 0))
    return list(task.options) or list({repr(one): one for one in others}.values())


def chosen(task, student):
    """The points of the first guess, and those in the end, of a robot that tries one option after the other."""
    order = Draw("options", task.name, student).shuffled(candidates(task))
    earned = []
    for option in order:
        verdict = notebook.check(task.name, option, student_id=student)
        earned.append(verdict.points)
        if verdict.passed:
            break
    return earned[0], max(earned)


@pytest.mark.parametrize("ids", some_of([IDS[:1], IDS], one_in=2), ids=len)
def test_trying_options_brings_less_than_a_fifth_of_what_was_not_known(ids):
    unknown = gained = 0.0
    for student in ids:
        for task in FEW:
            first, last = chosen(task, student)
            unknown += task.points - first
            gained += last - first
    assert unknown > 0 and gained <= MOST * unknown, f"{gained:g} of {unknown:g} points"


def halved(task, student, most=40):
    """The points of a robot that halves an interval as long as it is told a direction, then tries what is nearest."""
    low, high, tried, step = 0.0, 64.0, set(), 10.0 ** -(task.decimals or 0)
    names = {"student_id": student}
    for _ in range(most):
        middle = round((low + high) / 2 / step)
        near = (middle + sign * n for n in range(10**6) for sign in (1, -1))
        guess = round(next(n for n in near if n not in tried) * step, task.decimals or 0)
        tried.add(round(guess / step))
        verdict = notebook.check(task.name, guess if task.decimals else int(guess), student_id=student)
        if verdict.passed:
            return verdict.points
        told = verdict.text()
        if re.search("too large", told):
            high = min(high, guess)
        elif re.search("too small", told):
            low = max(low, guess)
        if "another(" in told:  # other numbers: nothing that was learnt holds for them
            exec(f"from ndcg_course.notebook import another; another({task.name!r})", names)
            low, high, tried = 0.0, 64.0, set()
    return 0.0


@pytest.mark.parametrize(  # each check of a number looks for its cause, which takes its time
    "one_in", [pytest.param(5, marks=pytest.mark.sweep), pytest.param(1, marks=pytest.mark.weekly)]
)
def test_halving_an_interval_brings_less_than_a_fifth_of_the_points_by_hand(one_in):
    of, gained, solved = 0, 0.0, []
    for student in IDS[:1] if one_in > 1 else IDS[:2]:
        for task in BY_HAND[::one_in]:
            points = halved(task, student)
            of, gained = of + task.points, gained + points
            solved += [task.name] * bool(points)
    assert gained <= MOST * of, f"{gained:g} of {of} points: {sorted(set(solved))}"


@pytest.mark.parametrize("task", [task for task in BY_HAND if task.decimals], ids=lambda task: task.name)
def test_the_direction_of_a_number_is_told_once(task):
    right = task.target(task.data("ana"))
    told = [
        notebook.check(task.name, round(right + n, 3), student_id="ana").text() for n in (1.123, 2.345, 3.456, 1.789)
    ]
    assert [bool(re.search("too (large|small)", one)) for one in told] == [True, False, False, False]
