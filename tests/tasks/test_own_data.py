"""Own data: no answer is to be had from a neighbour, and none stands in the data themselves.

Who tries to read it off knows nothing of the task: places in the data, and what one glance gives of a list.
"""

import hashlib
import json

import pytest

from ndcg_course.tasks import assignments, tasks

LEAST = 30
IDS = [f"neighbour {number}" for number in range(120)]
OWN = [task for task in tasks().values() if task.has_data and (not task.sheet or task.sheet()[0] is task)]
VALUES = [task for task in tasks().values() if task.has_data and hasattr(task, "reference")]
DRAWN = [task for task in VALUES if task.kind != "read"]  # what is to be read off a plot stands in it
GLANCES = {
    "length": len,
    "largest": max,
    "smallest": min,
    "first": lambda items: items[0],
    "last": lambda items: items[-1],
    "second": lambda items: items[1],
    "place of the largest": lambda items: items.index(max(items)) + 1,
    "place of the smallest": lambda items: items.index(min(items)) + 1,
}


def spelled(value):
    """A value as text, so that it can be compared and counted."""
    return json.dumps(value, sort_keys=True)


def readings(data, place=""):
    """What stands in the data, by its place, and what a glance at it gives."""
    yield place, data
    if isinstance(data, dict):
        for name, value in data.items():
            yield from readings(value, f"{place}.{name}")
    if isinstance(data, list):
        for name, glance in GLANCES.items():
            try:
                yield f"{place} {name}", glance(data)
            except (TypeError, ValueError, LookupError):
                continue


@pytest.mark.parametrize("task", OWN, ids=lambda task: task.name)
def test_neighbours_have_other_data(task):
    found = {spelled(task.data(student)) for student in IDS}
    assert len(found) >= LEAST, f"{len(found)} different data for {len(IDS)} students"


@pytest.mark.parametrize("task", DRAWN, ids=lambda task: task.name)
def test_no_data_give_the_answer_away(task):
    right, asked = {}, IDS[:25]
    for student in asked:
        data = task.data(student)
        for place, value in readings(data):
            right[place] = right.get(place, 0) + (spelled(value) == spelled(task.target(data)))
    told = [place for place, count in right.items() if count > 0.9 * len(asked)]
    assert not told, f"the answer is {told[0]} of the data"


# What was drawn when it was last changed on purpose: a release in the middle of a term moves nobody's numbers.
DRAWN_SO_FAR = {
    "02-cumulative-gain": "c9bbb3b5772a",
    "03-discounting": "4f01326f7dff",
    "04-what-a-grade-is-worth": "57a78c3eb8a4",
    "05-the-ideal-ranking": "849b2d5c3bd2",
    "06-ndcg": "eb1823f98cb6",
    "07-hand-calculation": "26b6d266e096",
    "08-which-ndcg": "a65c3ff5f89e",
    "09-awkward-cases": "1ca94caec096",
    "10-what-ndcg-does-not-see": "5d13b19438ec",
    "11-find-the-error": "26d2b75e1043",
    "12-learning-to-rank": "13afb0a6c60b",
    "13-beyond-one-machine": "2a2b9999753d",
    "14-comparing-systems": "e6e65f8c18b8",
    "15-judging": "9775c2a95b9f",
    "16-small-project": "28c494710415",
}


def rounded(value):
    """A value without the last digits of its numbers, which another processor may round otherwise."""
    if isinstance(value, dict):
        return {name: rounded(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(held) for held in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


@pytest.mark.parametrize("name", assignments())
def test_numbers_of_students_and_inputs_of_a_run_are_those_of_the_release_before(name):
    drawn = []
    for task in assignments()[name].tasks:
        data = [task.data(f"student {number}") for number in range(20)] if task.has_data else []
        drawn.append(
            [task.name, data, [[case.args, case.family] for case in task.cases("a seed")] if task.calls else []]
        )
    told = hashlib.sha256(spelled(rounded(drawn)).encode()).hexdigest()[:12]
    assert told == DRAWN_SO_FAR[name], "a line of the changelog says whose numbers change; then store this"


def test_what_is_chosen_is_not_the_same_for_nearly_everybody():
    found = {}
    for task in VALUES:
        answers = [spelled(task.target(task.data(student))) for student in IDS[:60]]
        if (most := max(map(answers.count, answers))) > 0.8 * len(answers):
            found[task.name] = most
    assert found == {}
