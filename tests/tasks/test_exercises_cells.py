"""Wrong answers and right but odd ones, run as cells of a notebook whose other tasks are solved."""

import re

import nbformat
import pytest
from nbclient import NotebookClient
from sweeps import some_of
from wrong_answers.cells import Cell, read, verdict_on_cell

from ndcg_course.explain.messages import how_many, where
from ndcg_course.make.pages import Kernel

WRONG = [*read("cells_wrong.txt"), *read("cells_blind.txt")]


@pytest.mark.parametrize("cell", some_of(WRONG, one_in=10), ids=lambda cell: cell.name)
def test_a_wrong_cell_hears_what_is_wrong_with_it(cell):
    verdict = verdict_on_cell(cell)
    assert verdict.status == "wrong" and verdict.points < verdict.out_of
    assert cell.says in verdict.text() and sum(map(how_many, verdict.sentences)) <= 3
    assert where(verdict.place) in verdict.text()
    assert "scores" not in " ".join(verdict.sentences) or "scores" in cell.code, "there are no scores in this task"
    if not verdict.cause and verdict.fault in ("value", "order", "shape"):
        assert verdict.example is not None, "then a case has to show it"


@pytest.mark.parametrize("part", [slice(first, None, 4) for first in range(4)], ids=lambda part: part.start)
def test_a_right_cell_passes_however_it_is_written(part):
    told = [(cell, verdict_on_cell(cell)) for cell in [*read("cells_right.txt"), *read("cells_odd.txt")][part]]
    unlike = [(cell.name, said.text()) for cell, said in told if not said.passed or cell.says not in said.text()]
    assert unlike == []


def test_stars_of_a_students_code_stay():
    code = "def exponential_gains(grades):\n    return 2**grades - 1 + 2**grades\n"
    verdict = verdict_on_cell(Cell("exponential_gains", "", code))
    assert "`return 2**grades - 1 + 2**grades`" in verdict.text()
    assert "<code>return 2**grades - 1 + 2**grades</code>" in verdict.html()


@pytest.mark.parametrize(
    ("task", "code", "asked"),
    [
        ("rank_biased", "def rank_biased(hits, p):\n    return sum(p**i for i in hits)\n", r"\], 0\.\d+\)$"),
        ("ideal_top", "def ideal_top(judged, k):\n    return judged[: k + 1]\n", r"\], [1-9]\)$"),
        ("original_dcg", "def original_dcg(grades, base):\n    return 1 + sum(grades) / base\n", r"\], ([2-9]|10)\)$"),
    ],
)
def test_an_example_keeps_to_what_the_task_can_be_asked(task, code, asked):
    assert re.search(asked, verdict_on_cell(Cell(task, "", code)).example.asked)


def test_equal_scores_are_no_example_where_the_task_has_none():
    code = "def three_at_once(grades, scores):\n    return sum(grades) / 10\n"
    grades, scores = eval(verdict_on_cell(Cell("three_at_once", "", code)).example.asked.removeprefix("three_at_once"))
    assert len(set(scores)) == len(scores) == len(grades)


def test_an_empty_list_alone_names_no_slip_of_other_lists():
    code = """
def first_hit(hits):
    share = sum(hits) / len(hits)
    return 1 / (hits.index(1) + 1) if share else 0
"""
    verdict = verdict_on_cell(Cell("first_hit", "", code))
    assert verdict.slips == () and "ZeroDivisionError" in verdict.text()


def test_one_slow_call_on_a_busy_machine_is_no_slow_function():
    code = """
import time
waits = [0.15]
def cg_at(grades, k=None):
    if len(grades) == 5 and waits:
        time.sleep(waits.pop())
    return sum(grades[:k])
"""
    verdict = verdict_on_cell(Cell("cg_at", "", code))
    assert verdict.passed and "slow" not in verdict.text()


def test_brute_force_is_told_that_it_may_be_slow():
    code = """
from itertools import permutations
from time import sleep
def dcg_of_ties(grades, scores):
    places = range(len(grades))
    sleep(9 * (len(grades) > 5))  # as on a slower machine
    orders = [p for p in permutations(places) if all(scores[p[i]] >= scores[p[i + 1]] for i in places[:-1])]
    return sum(sum(grades[j] / log2(i + 2) for i, j in enumerate(p)) for p in orders) / len(orders)
"""
    text = verdict_on_cell(Cell("dcg_of_ties", "", code)).text()
    assert "right for short lists" in text and "endless" not in text and "never end" not in text


def test_what_a_notebook_shows_after_a_cell_that_broke_off():
    cells = [
        "from ndcg_course import check",
        "def cg_at(grades, k=None):\n    return ...",
        "def cg_at(grades, k=None):\n    return sum(grades(:k))",
        'check("cg_at")',
        "def cg_at(grades, k=None):\n    return float(input('k? '))",
        'check("cg_at")',
        "check(sum)",
        "check()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])
    NotebookClient(notebook, allow_errors=True, timeout=600, kernel_manager_class=Kernel).execute()
    shown = [cell.outputs[0].get("data", {}).get("text/plain", "") if cell.outputs else "" for cell in notebook.cells]
    assert shown[3].startswith("Not attempted: cg_at")
    assert "The cell that ran before ended with a SyntaxError: its answer does not count yet." in shown[3]
    assert "waits for someone to type" in shown[5] and "ended with" not in shown[5]
    assert "There is no task 'sum'" in shown[6]
    assert 'Put its name in quotes, as in `check("cg_at")`' in shown[7]
