"""The check in a notebook and the grader are one rule in two processes: whoever passes the one has the points.

The check cannot run the grader's own child: in a browser, on Windows and on macOS there is none. It runs in the
notebook with the same judge, the same limits and the same refusals; here answers by hand and by chance go to both.
"""

import ast
import random
import re

import pytest
from hostile.course import ROOT, notebook
from wrong_answers.cells import read, solved

from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.forbidden import noticed
from ndcg_course.grade import marking
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.submissions import Job
from ndcg_course.make.files import run
from ndcg_course.make.proof import codes
from ndcg_course.tasks import assignments
from ndcg_course.tasks.task import FunctionTask

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
HELD = {task.name: held.name for held in assignments().values() for task in held.tasks}
BY_HAND = [(cell.task, cell.code) for name in ("wrong", "right", "blind") for cell in read(f"cells_{name}.txt")]


def altered(code, drawn):
    """The code with one thing in it changed: a number, a comparison, an operation, or the order of two arguments."""
    tree = ast.parse(code)
    kinds = (ast.Constant, ast.Compare, ast.BinOp, ast.Call)
    at = [one for one in ast.walk(tree) if isinstance(one, kinds) and type(getattr(one, "value", 0)) in (int, float)]
    node = drawn.choice(at) if at else None
    if isinstance(node, ast.Constant):
        node.value += drawn.choice([-1, 1, 2])
    elif isinstance(node, ast.Compare):
        node.ops[0] = drawn.choice([ast.Lt(), ast.LtE(), ast.Gt(), ast.Eq()])
    elif isinstance(node, ast.BinOp):
        node.op = drawn.choice([ast.Add(), ast.Sub(), ast.Mult(), ast.Div()])
    elif isinstance(node, ast.Call):
        node.args.reverse()
    return ast.unparse(tree)


def by_chance(drawn, many):
    """Solutions of functions with one thing changed, by task."""
    found = []
    for name, tasks in assignments().items():
        cells = codes(ROOT / f"solutions/{name}.ipynb")
        for task in (task for task in tasks.tasks if isinstance(task, FunctionTask)):
            own = next(cell for cell in cells if re.search(rf"(?m)^def {task.name}\b", cell))
            found += [(task.name, altered(own, drawn)) for _ in range(many)]
    return found


def surprises(answers, folder):
    """The answers for which a student reads another number of points below the check than on the page of the grader."""
    found = []
    settings = Settings("a seed", limits=Limits(call=0.5, task=1.0))
    for number, (task, code) in enumerate(answers):
        assignment = HELD[task]
        names = dict(solved(assignment))
        run([code], names)
        held = next(one for one in assignments()[assignment].tasks if one.name == task)
        told = verdict_on(held, names[task], "demo").points
        if any("no points then" in note for note in noticed(names)):
            told = 0  # the check says so below its points
        path = folder / f"{number}.ipynb"
        cells = [
            re.sub(r"(?m)^student_id = .*", 'student_id = "demo"', cell)
            for cell in codes(ROOT / f"solutions/{assignment}.ipynb")
        ]
        path.write_text(notebook(*cells, code), "utf8")
        mark = marking.mark(Job("ana", "a", str(path)), settings)["tasks"][task]
        if told != mark["points"]:
            found.append((task, told, mark["points"], mark["status"], code, mark["sentences"][:1]))
    return found


def test_the_points_of_an_answer_are_those_that_its_check_foretold(tmp_path):
    drawn = random.Random(30)
    assert surprises(drawn.sample(BY_HAND, 12) + drawn.sample(by_chance(drawn, 1), 8), tmp_path) == []


@pytest.mark.weekly
def test_the_points_of_every_answer_by_hand_and_of_many_by_chance_are_foretold(tmp_path):
    assert surprises(BY_HAND + by_chance(random.Random(31), 6), tmp_path) == []
