"""A sentence about a cause is said only where it was measured to be true, on wrong answers whose cause is known."""

import ast
import json
from pathlib import Path

import pytest
from wrong_answers.cells import Cell, read, verdict_on_cell

from ndcg_course.explain import gate
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.repairs import Change, best
from ndcg_course.make import calibrate, drawn_answers
from ndcg_course.make.files import root_from
from ndcg_course.notebook import solutions
from ndcg_course.tasks import task_named, tasks
from ndcg_course.tasks.task import FunctionTask, ValueTask

ROOT = root_from(Path(__file__).parents[1])
KEPT = json.loads((ROOT / calibrate.FILE).read_text("utf8"))
BY_NUMBER = [t for t in tasks().values() if isinstance(t, ValueTask) and t.kind == "compute" and not t.options]
FUNCTIONS = [t for t in tasks().values() if isinstance(t, FunctionTask)]


@pytest.mark.parametrize("task", [*FUNCTIONS, *BY_NUMBER], ids=lambda task: task.name)
def test_every_task_was_measured(task):
    assert KEPT["measured"].get(task.name), "run `ndcg exercises calibrate`, which measures the new task"


def test_on_answers_that_set_no_threshold_hardly_a_cause_is_false():
    functions, numbers = KEPT["held_out"]["functions"], KEPT["held_out"]["numbers"]
    assert functions["false"] <= 0.003 * functions["answers"]
    assert numbers["false"] <= 0.003 * numbers["answers"] and numbers["invented"] <= 0.03 * numbers["pens"]


def test_a_message_is_short():
    assert KEPT["held_out"]["functions"]["words"] <= 16 and KEPT["held_out"]["numbers"]["words"] <= 16


@pytest.mark.parametrize(
    ("of_kind", "earned"),
    [
        ({}, False),  # nobody measured it
        ({"other": (9, 9)}, False),  # too rarely
        ({"other": (40, 40)}, True),
        ({"other": (90, 100)}, False),
        ({"other": (400, 400), "this": (2, 6)}, False),  # true elsewhere, and not here
        ({"other": (90, 100), "this": (60, 60)}, True),  # true here, and less so elsewhere
    ],
)
def test_a_kind_of_sentence_is_earned_by_what_was_true(of_kind, earned):
    with gate.using({"kind": of_kind}):
        assert gate.earned("kind", "this") == earned


@pytest.mark.parametrize("cell", read("cells_wrong.txt")[::18], ids=lambda cell: cell.name)
def test_no_cause_passes_a_closed_gate(cell):
    with gate.using({}):
        verdict = verdict_on_cell(cell)
    assert not verdict.cause and not verdict.slips and verdict.sentences


def test_no_cause_of_a_number_passes_a_closed_gate():
    task = task_named("dcg_by_hand")
    number = next(n for n in drawn_answers.numbers(task, 1, 14) if n.cause != "pen")
    with gate.using({}):
        verdict = verdict_on(task, number.value, number.student)
    assert verdict.status == "wrong" and not verdict.cause and not verdict.slips


def test_who_draws_the_answers_shares_no_code_with_who_explains_them():
    tree = ast.parse(Path(drawn_answers.__file__).read_text("utf8"))
    taken = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [module for module in taken if "explain" in module]


@pytest.mark.parametrize("task", FUNCTIONS[::9], ids=lambda task: task.name)
def test_a_drawn_program_differs_from_the_right_one_in_the_lines_that_are_named(task):
    right = solutions()[task.name]
    plain = [line.strip() for line in ast.unparse(ast.parse(right)).splitlines()]
    for program in drawn_answers.programs(task, [right]):
        assert f"def {task.name}(" in program.code
        assert all(line in program.code and line not in plain for line in program.lines)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["idcg_at", "leads", "ndcg_by_hand"])
def test_the_table_is_what_a_measurement_gives(name):
    again = calibrate.measured(ROOT, [name])
    kept = {kind: tuple(rows[name]) for kind, rows in KEPT["kinds"].items() if name in rows}
    assert {kind: rows[name] for kind, rows in again.kinds.items()} == kept, "run `ndcg exercises calibrate`"


def test_what_draws_at_random_does_not_hear_that_it_remembers():
    code = "import random\ndef dcg_at(grades, k=None):\n    return random.random()\n"
    text = verdict_on_cell(Cell("dcg_at", "", code)).text()
    assert "different values for the same call" in text and "random" in text


def test_a_return_in_the_loop_is_told_with_its_line():
    code = "def cg_at(grades, k=None):\n    total = 0\n    for grade in grades[:k]:\n        total += grade\n"
    told = verdict_on_cell(Cell("cg_at", "", code + "        return total\n    return 0\n")).text()
    assert "ends in its first round" in told and "`return total`" in told


def test_a_total_that_nothing_changes_is_told():
    code = (
        "def idcg_at(judged, k=None):\n    total = 0\n    for rank, grade in enumerate(sorted(judged)[::-1][:k], 1):\n"
    )
    told = verdict_on_cell(
        Cell("idcg_at", "", code + "        gain = grade / log2(rank + 1)\n    return total\n")
    ).text()
    assert "`total` is 0 from beginning to end" in told


def test_an_argument_is_missed_only_where_the_answer_needs_it():
    code = "def idcg_of_query(returned, judged, k):\n    return sum(sorted(judged.values())[-k:]) + 0.5\n"
    assert "does not use" not in verdict_on_cell(Cell("idcg_of_query", "", code)).text()
    told = verdict_on_cell(Cell("idcg_of_query", "", code.replace("[-k:]", "[-3:]"))).text()
    assert "does not use `k`" in told


def test_one_value_for_all_has_a_place_in_the_code_too():
    code = "def first_hit(hits):\n    return 0 if 1 in hits else 1 / (hits.index(1) + 1)\n"
    with gate.using(None):
        verdict = verdict_on_cell(Cell("first_hit", "", code))
    assert verdict.line.startswith("return 0 if 1 in hits")


def test_changes_that_help_in_one_place_are_told_from_those_in_many():
    one, other = (Change("too-large", "a", "a", span=span) for span in (((1, 0), (1, 5)), ((1, 4), (1, 5))))
    far, same = other._replace(kind="order", span=((1, 7), (1, 9))), other._replace(kind="order")
    assert [best(found).kind for found in ([one, other], [one, same], [one, far])] == [
        "thought: counting",
        "place: counting",
        "likely: counting",
    ]
