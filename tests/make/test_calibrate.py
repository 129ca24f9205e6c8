"""What was measured is what is drawn: wrong answers that change ask for `ndcg exercises calibrate` once more."""

import hashlib
import json
import re
import warnings
from pathlib import Path

import pytest

from ndcg_course.make import calibrate
from ndcg_course.tasks import tasks
from ndcg_course.tasks.task import ValueTask

ROOT = Path(__file__).parents[2]
SO_FAR = {
    "cg_with_loop": "0b98e8afb0f0",
    "discount_list": "ca72b49b7b40",
    "leads": "c02d66e0e991",
    "dcg_by_hand": "10381d939f3b",
    "exponential_gains": "11d1f8d4dbd2",
    "gains_by_table": "dcff22905d77",
    "idcg_of_query": "c63626eb84be",
    "sheet_ndcg": "f56e7934e309",
    "precision_by_hand": "a9c368f8ee3c",
    "first_hit": "253b5d760be9",
    "rank_biased": "d311065032a9",
    "swap_pay": "1377b8663d9e",
    "merged_mean": "c3ef19860e85",
    "mean_lead": "f72bb54775d5",
    "enough": "80b5a1f1cb82",
}


@pytest.fixture(scope="module")
def drawn():
    with warnings.catch_warnings(action="ignore"):
        return {task.name: answers for task, _, answers in calibrate._drawn(ROOT, [*SO_FAR])}


@pytest.mark.parametrize("name", SO_FAR)
def test_wrong_answers_are_those_that_were_measured(name, drawn):
    if isinstance(tasks()[name], ValueTask):
        told = [(one.student, one.cause, f"{one.value:.9g}", one.term and f"{one.term:.9g}") for one in drawn[name]]
    else:  # without what versions of Python write otherwise
        told = [(one.causes, re.sub(r"[\s()'\"]", "", one.code), len(one.lines)) for one in drawn[name]]
    found = hashlib.sha256(repr(told).encode()).hexdigest()[:12]
    assert found == SO_FAR[name], "run `ndcg exercises calibrate`, read what it lists, and store this"


def test_the_report_counts_what_was_told_and_what_is_closed():
    report = calibrate.Report()
    for task, true, told in (("a", 40, 40), ("b", 1, 6)):
        for number in range(told):
            report.note("kind", task, number < true)
    report.measured.update({"b": 6, "a": 40})
    report.functions = calibrate.Tally(answers=5, named=3, seconds=[0.3, 0.1, 0.2])
    report.functions.words.update([4, 9, 9])
    report.numbers = calibrate.Tally(answers=2, pens=1, invented=1)
    kind, functions, numbers, seconds = calibrate.told(report)
    assert kind.split() == ["kind", "41", "of", "46", "true;", "closed", "for", "1", "of", "2", "tasks"]
    assert functions.endswith('"named": 3, "shown": 0, "false": 0, "words": 9}') and '"invented": 1' in numbers
    assert seconds.endswith("median, 95 %, worst: 0.200, 0.200, 0.300")
    kept = json.loads(report.text())
    assert kept["kinds"] == {"kind": {"a": [40, 40], "b": [1, 6]}} and kept["measured"] == {"a": 40, "b": 6}
