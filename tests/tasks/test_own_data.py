"""Own data: no answer is to be had from a neighbour, and none stands in the data themselves.

Who tries to read it off knows nothing of the task: places in the data, and what one glance gives of a list.
"""

import json

import pytest

from ndcg_course.tasks import tasks

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


def test_what_is_chosen_is_not_the_same_for_nearly_everybody():
    found = {}
    for task in VALUES:
        answers = [spelled(task.target(task.data(student))) for student in IDS[:60]]
        if (most := max(map(answers.count, answers))) > 0.8 * len(answers):
            found[task.name] = most
    assert found == {}
