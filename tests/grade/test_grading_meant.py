"""What a student meant: an accident beside an answer costs nothing, and a mistake costs its task once."""

import ast
import os
import random
import re
import time
import zipfile

import pytest
from hostile.course import NAME, notebook, solved

from ndcg_course.grade import carrying, marking, pages, process, submissions, workers
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.run import Options, run
from ndcg_course.grade.submissions import Job
from ndcg_course.tasks import assignment_named
from ndcg_course.tasks.task import FunctionTask

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
ACCIDENTS = {
    "a package that is not here": "from tqdm import tqdm",
    "two of them": "import numpy, pandas",
    "a question to nobody": "answer = input()",
    "what cannot be unpacked": "low, high = 1",
    "a folder of elsewhere": "%cd /content",
    "a newer Python": "f\"{'a'f'b' !\"",
    "a bracket left open": "x = {",
    "a definition half written": "def broken(:\n    pass",
    "a return outside": "return 3",
    "an error of their own": "class Mine(Exception): pass\nraise Mine('x')",
    "a loop that fails": "for i in range(3):\n    1 / (1 - i)",
    "an await of nothing": "import asyncio\nawait asyncio.sleep(0)",
    "a block": "with open('/no/such/file') as file:\n    text = file.read()",
    "an empty cell for an answer": "mine_later = ...\nmine_later(3)",
}


SHORT = Limits(call=0.2, task=0.4, cell=0.5, submission=2.0)


def marked(tmp_path, cells, assignment=NAME, **settings):
    (tmp_path / "a.ipynb").write_text(notebook(*cells), "utf8")
    return marking.mark(Job("ana", "a", str(tmp_path / "a.ipynb")), Settings("a seed", assignment, **settings))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return marked(tmp_path_factory.mktemp("whole"), solved("06-ndcg"), "06-ndcg")


@pytest.mark.parametrize("accident", ACCIDENTS.values(), ids=ACCIDENTS)
def test_an_accident_between_any_two_statements_costs_no_point(accident, whole, tmp_path):
    drawn = random.Random(accident)
    cells = []
    for cell in solved("06-ndcg"):
        lines = cell.splitlines()
        begins = [
            min([one.lineno, *(d.lineno for d in getattr(one, "decorator_list", ()))]) for one in ast.parse(cell).body
        ]
        at = drawn.choice([0, *(line - 1 for line in begins[1:])])
        cells.append("\n".join([*lines[:at], accident, *lines[at:]]))
    told = marked(tmp_path, cells, "06-ndcg")
    assert told["points"] == whole["points"] and told["status"] == "graded"
    assert "left out" in told["cells"]["1"]


def test_a_package_that_is_not_here_is_named(tmp_path):
    told = marked(
        tmp_path,
        ["import seaborn.objects, os\nfrom tqdm.auto import tqdm\ndef cg_at(g, k=None):\n    return sum(g[:k])"],
    )
    assert "`tqdm.auto` is not here while you are graded: `from tqdm.auto import tqdm`" in told["cells"]["1"]
    assert told["tasks"]["cg_at"]["points"] == 2


def test_a_file_that_a_cell_writes_can_be_imported(tmp_path):
    cells = ["%%writefile helper.py\ndef first(g, k):\n    return sum(g[:k])", "from helper import first"]
    told = marked(tmp_path, [*cells, "def cg_at(g, k=None):\n    return first(g, k)"])
    assert told["tasks"]["cg_at"]["points"] == 2 and not told["cells"]


FAULTS = {
    "wrong": "def {name}(*args, **named):\n    return 0.123",
    "missing": "del {name}",
    "no function": "{name} = 3",
    "left open": "{name} = ...",
    "an error": "def {name}(*args):\n    raise KeyError",
    "one argument less": "def {name}():\n    return 1",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("assignment", ["06-ndcg", "04-what-a-grade-is-worth"])
def test_a_mistake_costs_its_task_once_whatever_its_kind(fault, assignment, tmp_path):
    functions = [task for task in assignment_named(assignment).tasks if type(task) is FunctionTask]
    cells = solved(assignment)
    right = marked(tmp_path, cells, assignment)
    for task in functions[:3]:
        told = marked(tmp_path, [*cells, FAULTS[fault].format(name=task.name)], assignment)
        lost = {name for name, mark in told["tasks"].items() if mark["points"] < right["tasks"][name]["points"]}
        same = fault == "left open"  # the cell as it was handed out stands a second time below: the answer counts
        assert lost == (set() if same else {task.name}), (task.name, lost)


def test_a_definition_in_a_cell_that_ended_before_is_no_answer_left_out(tmp_path):
    told = marked(tmp_path, ["while True: pass\ndef cg_at(g, k=None):\n    return sum(g[:k])"], limits=SHORT)
    mark = told["tasks"]["cg_at"]
    assert mark["status"] == "wrong" and mark["sentences"] == [
        "Cell 1 holds your `cg_at`, and it did not run as far as that."
    ]


ODD = [None, [], {}, "x", [[1]], {"a": [1]}, [None], 3, [1, "x"], -1.5]


def test_what_a_right_function_is_asked_with_by_a_student_never_ends_the_marking():
    drawn = random.Random("odd")
    for assignment in (
        "02-cumulative-gain",
        "04-what-a-grade-is-worth",
        "06-ndcg",
        "09-awkward-cases",
        "14-comparing-systems",
    ):
        for task in assignment_named(assignment).tasks:
            for _ in range(12 if isinstance(task, FunctionTask) else 0):
                args = [drawn.choice(ODD) for _ in range(drawn.randint(0, 4))]
                with_codes = [process.codec.encode(arg) for arg in args]
                assert {"error", "value"} & carrying.right_answer(task, with_codes).keys()


# ---- clocks ---------------------------------------------------------------------------------------


class Leaps:
    """A clock that leaps at each look, as that of a machine that was put to sleep again and again."""

    def __init__(self, real):
        self.real, self.at = real, 0.0

    def __getattr__(self, name):
        return getattr(self.real, name)

    def monotonic(self):
        self.at += 1000.0
        return self.real.monotonic() + self.at


def test_a_machine_that_stands_still_costs_nobody_a_point(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(process, "time", Leaps(process.time))
    assert marked(tmp_path, solved("06-ndcg"), "06-ndcg") == whole


def test_what_sleeps_is_stopped_by_the_same_limits_as_what_computes(tmp_path):
    told = marked(
        tmp_path,
        ["import time\ndef cg_at(g, k=None):\n    time.sleep(99)"],
        limits=Limits(call=0.4, task=3.0, submission=8.0),
    )
    assert told["tasks"]["cg_at"]["fault"] == "loop"


# ---- what a class is read from ----------------------------------------------------------------------


def test_a_class_that_is_replaced_during_the_run_gives_nobody_another_s_mark(tmp_path, monkeypatch):
    def archive(students):
        with zipfile.ZipFile(tmp_path / "in.zip", "w") as file:
            for name in students:
                file.writestr(f"{name}/a.ipynb", notebook(f"# {name}", "def cg_at(g, k=None):\n    return sum(g[:k])"))

    archive(["ben", "cy", "dee"])
    real, seen = marking.mark, []

    def mark(job, settings):
        seen.append(job)
        if len(seen) == 2:
            archive(["ana", "ben", "cy", "dee"])
        return real(job, settings)

    monkeypatch.setattr(marking, "mark", mark)
    run(Options(tmp_path / "in.zip", tmp_path / "out", seed="s"))
    lines = (tmp_path / "out/grades.csv").read_text("utf8").splitlines()
    assert [line.count("not graded") for line in lines[1:]] == [0, 1, 1]
    run(Options(tmp_path / "in.zip", tmp_path / "out"))
    assert "not graded" not in (tmp_path / "out/grades.csv").read_text("utf8")


def test_letters_that_take_long_to_put_in_order_are_cut_first(tmp_path):
    many = "a" + "\u0301\u0316" * 400_000
    told = marked(tmp_path, [f'student_id = "{many}"', "def cg_at(g, k=None):\n    return sum(g[:k])"])
    assert told["tasks"]["cg_at"]["points"] == 2 and told["id"] == "demo"
    assert len(submissions.tidy(many)) <= 200


def test_names_that_a_student_chooses_never_take_another_s_row_or_page(tmp_path):
    given = ["ana", " ana", "ana [2]", "ana  ", "ana [2]'"]
    for name in given:
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "a.ipynb").write_text(notebook("cg_at = 1"))
    students = {job.student for job in submissions.find(tmp_path / "in").jobs}
    assert len(students) == len(given) == len(set(pages.file_names(students).values()))


def test_no_page_and_no_explanation_holds_what_a_terminal_obeys(tmp_path):
    from ndcg_course.grade.replay import explain

    raw = "\x1b]52;c;eA==\x07\x1b[8m\x9b2J\u202e"
    (tmp_path / "in/ana").mkdir(parents=True)
    text = notebook(f"def cg_at(g, k=None):  # {raw}\n    return '{raw}'", f"what_cg_misses = '''{raw} order'''")
    (tmp_path / "in/ana/a.ipynb").write_text(text, "utf8")
    run(Options(tmp_path / "in", tmp_path / "out"))
    found = [explain(tmp_path / "out", "ana", "cg_at")]
    found += [file.read_text("utf8") for file in (tmp_path / "out").rglob("*.*") if file.suffix in (".html", ".csv")]
    assert not [text for text in found if re.search(pages.UNSHOWN.replace("\\x0b-", "\\x0e-"), text)]


# ---- a class beside what cannot be judged, a busy machine, and what is shipped ----------------------


def students(folder, texts):
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "a.ipynb").write_text(text, "utf8")
    return folder


def test_a_submission_that_cannot_be_judged_in_time_costs_itself_alone(tmp_path, monkeypatch):
    right = notebook("def cg_at(g, k=None):\n    return sum(g[:k])")
    place = students(tmp_path / "in", {"ana": right, "slow": notebook("while True: pass"), "zoe": right})
    late = workers.Worker.late
    monkeypatch.setattr(workers.Worker, "late", lambda self: late(self) or (self.job and self.job.student == "slow"))
    book = run(Options(place, tmp_path / "out", seed="s", assignment=NAME, limits=SHORT, workers=1))
    assert [row.status for row in book.rows] == ["graded", "not graded", "graded"]
    assert book.rows[1].others[0]["reason"] == workers.TOO_LONG
    monkeypatch.undo()
    assert [row.status for row in run(Options(place, tmp_path / "out")).rows] == ["graded"] * 3
    spent = process.Spent(os.getpid())
    began, used = spent.processor(), time.process_time()
    while time.process_time() < used + 0.05:
        pass
    assert spent.processor() - began >= 0.05


def test_what_the_machine_was_too_busy_to_tell_is_marked_again_alone(tmp_path, monkeypatch):
    right = notebook("def cg_at(g, k=None):\n    return sum(g[:k])")
    place = students(tmp_path / "in", {name: right for name in ("ana", "ben")})
    real, tried, busy = marking.mark, [], {"ana", "ben"}

    def mark(job, settings):
        tried.append(job.student)
        monkeypatch.setattr(process, "NET", -1 if job.student in busy else 20)
        try:
            return real(job, settings)
        finally:
            monkeypatch.setattr(process, "NET", 20)
            if len(tried) > 4:
                busy.clear()

    monkeypatch.setattr(marking, "mark", mark)
    book = run(Options(place, tmp_path / "out", seed="s", assignment=NAME))
    assert {row.status for row in book.rows} == {"not graded"} and book.rows[0].others[0]["reason"] == marking.UNSURE
    assert {row.status for row in run(Options(place, tmp_path / "out")).rows} == {"graded"}
    assert tried == ["ana", "ben", "ana", "ben", "ana", "ben", "ana"]
