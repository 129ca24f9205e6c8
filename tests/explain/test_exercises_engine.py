"""The parts of a check: calls with a time limit, values on the wire, draws, comparison, the record, the sources."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import types
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ndcg_course
from ndcg_course import own
from ndcg_course.explain import calls
from ndcg_course.explain.answer import smallest
from ndcg_course.explain.codec import ODD, decode, encode
from ndcg_course.explain.faults import FAULTS, close, said
from ndcg_course.explain.judge import judge
from ndcg_course.explain.outcome import Outcome, seen
from ndcg_course.explain.record import Record, path
from ndcg_course.make import files, source
from ndcg_course.make.source import SourceError
from ndcg_course.tasks import task_named, tasks
from ndcg_course.tasks.draw import Draw, tidy_id
from ndcg_course.tasks.reading import assignment_from, grades_in
from ndcg_course.tasks.slips import slip
from ndcg_course.tasks.task import Family, FunctionTask, ValueTask
from ndcg_lib.slips import SLIPS

# ---- calls ------------------------------------------------------------------------------------


def spin():
    while True:
        pass


def spin_stubbornly():
    while True:
        try:
            while True:
                pass
        except BaseException:
            if time.perf_counter() > spin_stubbornly.until:
                raise


def in_a_thread(function):
    kept = []
    thread = threading.Thread(target=lambda: kept.append(function()))
    thread.start()
    thread.join()
    return kept[0]


def test_a_loop_that_catches_everything_is_stopped_too():
    spin_stubbornly.until = time.perf_counter() + 0.5
    assert calls.call(spin_stubbornly, [], 0.2).error == "Stopped"


def test_an_endless_loop_is_stopped_where_there_are_no_signals():
    assert in_a_thread(lambda: calls.call(spin, [], 0.2)).error == "Stopped"


class SlowToGo:
    def __del__(self):
        spin()


class WrongToGo:
    def __del__(self):
        raise ValueError


def test_a_stop_that_meets_a_finalizer_comes_again_without_a_word(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: told.append(lost.exc_type))
    made = []

    def function():
        SlowToGo()
        made.append("the stop was lost")
        WrongToGo()
        spin()

    assert calls.call(function, [], 0.2).error == "Stopped"
    assert (made, told) == (["the stop was lost"], [ValueError])


def test_the_watch_ends_with_the_call():
    before = sys.gettrace()
    assert in_a_thread(lambda: calls.call(max, [[1, 2]], 0.05)).value == 2
    assert sys.gettrace() is before
    calls.call(max, [[1, 2]], 0.05)
    time.sleep(0.1)  # an alarm that was left armed would ring here
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_the_second_call_is_not_made_after_a_loop():
    made = []

    def loop(x):
        made.append(x)
        spin()

    assert len(calls.call_all(loop, [[1], [2]], 0.1)) == len(made) == 1


def test_what_a_call_changes_prints_and_raises_is_seen():
    def function(grades):
        print("hello")
        grades.pop()
        raise KeyError("d7")

    outcome = calls.call(function, [[1, 2]])
    assert (outcome.error, outcome.message, outcome.printed) == ("KeyError", "'d7'", "hello\n")
    assert outcome.changed == [[1]]
    assert outcome.line == 'raise KeyError("d7")'


def test_the_arguments_of_the_next_call_are_not_touched():
    args = [[3, 1]]
    calls.call(lambda grades: grades.sort(), args)
    assert args == [[3, 1]]


# ---- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (2, 2),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (np.array(0.5), 0.5),
        (np.int64(3), 3),
        (Fraction(1, 2), 0.5),
        (Decimal("0.5"), 0.5),
        (True, True),
        (np.bool_(True), True),
        ("text", "text"),
        ([1, (2.5, "a")], [1, [2.5, "a"]]),
        (np.array([[1, 2]]), [[1, 2]]),
        ({"d1": 3}, {"d1": 3}),
        (10**400, None),
        (None, None),
    ],
)
def test_a_value_survives_the_wire(value, plain):
    outcome = seen(value)
    assert repr(decode(json.loads(json.dumps(encode(value))))) == repr(outcome.value)
    if plain is None:
        assert not outcome.finite
    else:
        assert outcome.value == plain
        assert type(outcome.value) is type(plain)


@pytest.mark.parametrize(
    "coded",
    [
        *(None, 3, {}, {"number": "1e5"}, {"items": 3}, {"pairs": [1]}, {"type": "x"}, {"type": 5}),
        *({"type": "int", "number": 2**60}, {"type": "int", "number": 0, "text": "0"}, {"type": "str", "text": 0}),
    ],
)
def test_a_forged_value_is_no_answer(coded):
    assert decode(coded) is ODD


def test_an_object_that_equals_everything_is_no_answer():
    class Equal:
        __eq__ = lambda self, other: True  # noqa: E731
        __hash__ = object.__hash__

    outcome = seen(Equal())
    assert not close(outcome.value, 1.0, 1e-9)
    assert outcome.type == "test_exercises_engine.Equal"


def test_a_number_that_lies_about_its_value_is_taken_by_its_float():
    class Half(float):
        def __sub__(self, other):
            return 0.0

        __rsub__ = __sub__

    assert not close(seen(Half(0.5)).value, 0.7, 1e-9)


# ---- draws ------------------------------------------------------------------------------------


def test_draws_are_pinned():
    draw = Draw("pinned", 1)
    assert [draw.integer(0, 99) for _ in range(6)] == PINNED
    assert Draw("pinned", 1).integer(0, 99) != Draw("pinned", 2).integer(0, 99)


PINNED = [57, 4, 75, 7, 59, 98]


def test_every_number_is_about_as_frequent():
    draw = Draw("fair")
    seen = [draw.integer(1, 6) for _ in range(6000)]
    assert all(850 < seen.count(face) < 1150 for face in range(1, 7))


@pytest.mark.parametrize("bad", ["", "   ", None, ["a"], 1.5, True, "x" * 300])
def test_a_wrong_id_is_refused(bad):
    with pytest.raises(ValueError, match="id"):
        tidy_id(bad)


# ---- tasks ------------------------------------------------------------------------------------


def test_partial_credit_needs_the_first_family():
    task = FunctionTask(
        name="double", kind="implement", minutes=1, place="", hints=("a", "b", "c"), reference=lambda x: 2 * x,
        families=[
            Family("whole", points=2, cases=[[1], [2]]),
            Family("half", points=1, cases=[[0.5]]),
            Family("zero", points=1, cases=[[0]]),
        ],
    )  # fmt: skip
    cases = task.cases("x")

    def points(function):
        return judge(task, cases, calls.call_all(function, [case.args for case in cases])).points

    assert points(lambda x: 2 * x) == 4
    assert points(lambda x: 2 * int(x)) == 3
    assert points(lambda x: 0) == 0  # right for zero by luck


def test_what_is_not_finished_in_time_is_judged_on_what_there_is():
    task = tasks()["cg_at"]
    cases = task.cases("x")
    outcomes = calls.call_all(lambda grades, k=None: sum(grades[:k]), [case.args for case in cases])
    assert judge(task, cases, outcomes).passed
    assert judge(task, cases, outcomes[:20]).passed
    assert "slow" in judge(task, cases, outcomes[:20]).text()
    assert judge(task, cases, outcomes[:1]).points < task.points


def test_inputs_are_plain_json_and_differ_with_the_seed():
    for task in tasks().values():
        cases = [case.args for case in task.cases("one")]
        assert json.loads(json.dumps(cases)) == cases
        if isinstance(task, FunctionTask):
            assert cases != [case.args for case in task.cases("two")]


def test_a_slip_without_words_is_refused():
    with pytest.raises(ValueError, match="give it a sentence"):
        slip("no-such-slip")


def test_data_without_a_difference_are_refused():
    task = ValueTask(
        name="blind", kind="compute", minutes=1, place="", hints=("a", "b", "c"), draw=lambda draw: {"x": 1},
        reference=lambda x, by=1: x * by, slips=[slip("twice", sentence="Twice.", by=1.0)],
    )  # fmt: skip
    with pytest.raises(ValueError, match="no data found"):
        task.data("demo")


def test_the_smallest_arguments_still_fail():
    assert smallest([[3, 1, 2, 0], 3], lambda args: sum(args[0]) >= 2 and args[1] >= 1) == [[2], 1]


# ---- the record -------------------------------------------------------------------------------


def test_the_record_is_kept_and_merged(tmp_path, monkeypatch):
    monkeypatch.setenv("NDCG_PROGRESS", str(tmp_path / "deep" / "progress.json"))
    first, second = Record(), Record()
    first.note("ana", "cg_at", tries=1, points=1)
    second.note("ana", "cg_curve", tries=1, points=2)
    first.note("ana", "cg_at", tries=1, points=0)
    entries = Record().of("ana")
    assert entries["cg_at"] == {"tries": 2, "points": 1}
    assert entries["cg_curve"]["points"] == 2


def test_two_notebooks_work_on_the_same_task(tmp_path, monkeypatch):
    monkeypatch.setenv("NDCG_PROGRESS", str(tmp_path / "progress.json"))
    first, second = Record(), Record()
    first.note("ana", "cg_at", tries=1, points=1, status="wrong")
    second.note("ana", "cg_at", tries=1, points=2, status="right")
    first.note("ana", "cg_curve", tries=1, points=1)
    assert Record().of("ana")["cg_at"] == {"tries": 2, "points": 2, "status": "right"}


def test_two_kernels_that_note_at_once_lose_nothing(tmp_path, monkeypatch):
    from ndcg_course.explain.record import Record

    monkeypatch.setenv("NDCG_PROGRESS", str(tmp_path / "record.json"))

    def note(kernel):
        own = Record()
        for number in range(15):
            own.note("ana", f"{kernel}-{number}", tries=1)

    kernels = [threading.Thread(target=note, args=(kernel,)) for kernel in range(4)]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join()
    assert len(Record().of("ana")) == 60


def test_in_a_browser_a_record_is_kept_without_a_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("NDCG_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr("sys.platform", "emscripten")
    monkeypatch.setitem(sys.modules, "fcntl", types.ModuleType("fcntl"))  # it is there, with nothing in it
    Record().note("ana", "cg_at", tries=1)
    assert Record().of("ana") == {"cg_at": {"tries": 1}}
    assert [file.name for file in tmp_path.iterdir()] == ["progress.json"], "nothing else among the reader's notebooks"


def test_numbers_in_the_record_that_are_none_are_left_out(tmp_path, monkeypatch):
    file = tmp_path / "progress.json"
    file.write_text('{"students": {"ana": {"cg_at": {"points": "many", "tries": null}}}}', "utf8")
    monkeypatch.setenv("NDCG_PROGRESS", str(file))
    record = Record()
    record.note("ana", "cg_at", tries=1, points=1)
    assert record.of("ana")["cg_at"] == {"tries": 1, "points": 1}


def test_a_record_that_cannot_be_read_or_written_stops_nothing(tmp_path, monkeypatch):
    file = tmp_path / "progress.json"
    file.write_text('{"students": {"ana": [', "utf8")
    monkeypatch.setenv("NDCG_PROGRESS", str(file))
    assert Record().of("ana") == {}
    monkeypatch.setenv("NDCG_PROGRESS", str(tmp_path / "progress.json" / "below-a-file"))
    record = Record()
    record.note("ana", "cg_at", points=1)
    assert record.of("ana")["cg_at"]["points"] == 1


def test_a_page_can_keep_the_record_itself():
    record = Record()
    record.note("ana", "cg_at", points=2)
    other = Record()
    other.load(record.as_json())
    assert other.of("ana") == {"cg_at": {"points": 2}}
    other.load("nonsense")


def test_tests_leave_no_record():
    assert "PYTEST_CURRENT_TEST" in os.environ
    assert path() is None


# ---- sources ----------------------------------------------------------------------------------

TEXT = """---
jupytext: {}
---

# A title

```{code-cell} python
x = 1
```

(cg_at)=
## Add

```{code-cell} python
def cg_at(grades, k=None):
    ### BEGIN SOLUTION
    return sum(grades[:k])
    #~ return sum(grades)
    ### END SOLUTION
```

```{code-cell} python
check("cg_at")
```
"""


def test_a_source_is_read_into_cells():
    cells = source.read("x", TEXT).cells
    assert [cell.role for cell in cells] == ["text", "code", "text", "answer", "check"]
    assert cells[3].task == "cg_at"
    task = tasks()["cg_at"]
    assert source.solved_code(cells[3]).splitlines()[1:] == ["    return sum(grades[:k])"]
    assert source.student_code(cells[3], task).splitlines()[1:] == ["    return sum(grades)"]
    assert "#~" not in source.solved_code(cells[3], markers=True)


def test_dots_stand_where_there_is_no_starter():
    cell = source.read("x", TEXT.replace("    #~ return sum(grades)\n", "")).cells[3]
    assert source.student_code(cell, tasks()["cg_at"]).splitlines()[-2:] == ["    # your code here", "    return ..."]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("---\njupytext", "jupytext", "line 1: the header"),
        ("# A title", "A title", "no title"),
        ("    ### END SOLUTION\n", "", "END SOLUTION' is missing"),
        ("    ### BEGIN SOLUTION\n", "    ### BEGIN SOLUTION\n    ### BEGIN SOLUTION\n", "out of place"),
        ('check("cg_at")\n```\n', "", "line 22: this block is never closed"),
        ("(cg_at)=", "(cg_at)=\n(cg_curve)=", "two tasks in one text cell"),
    ],
)
def test_a_source_with_a_fault_is_refused_with_its_place(before, after, says):
    assert before in TEXT
    with pytest.raises(SourceError, match=says.replace("(", r"\(")):
        for cell in source.read("x", TEXT.replace(before, after)).cells:
            if cell.role == "answer":
                source.student_code(cell, tasks()["cg_at"])


FACTS = """
```{task}
kind = "implement"
minutes = 5
place = "chapters/cumulative-gain#cg-definition"
reference = "lambda grades, k: sum(grades[:k])"
library = "cg"
hints = ["Cut.", "Add.", "Cut, then add."]

[slips]
upside-down = {says = "That is the mean.", wrong = "lambda grades, k: sum(grades[:k]) / k"}

[[families]]
name = "whole grades"
draw = "lambda draw, n: [draw.grades(n + 1), n]"
```
"""


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("(cg_at)=\n", "", "before the first label"),
        ("### BEGIN SOLUTION", "", "cg_at without a cell with a solution"),
        ('check("cg_at")', "1", "cg_at without a check"),
        (FACTS, "", "cg_at without its facts"),
        (FACTS, FACTS + FACTS, "cg_at has its facts twice"),
        ("minutes = 5", "minutes =", "the block at line"),
    ],
)
def test_a_task_has_each_of_its_parts_once(before, after, says):
    source.read("x", TEXT + FACTS).check()
    with pytest.raises(SourceError, match=says):
        source.read("x", (TEXT + FACTS).replace(before, after)).check()


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("minutes = 5", "minuts = 5", "no fact 'minuts' here; did you mean 'minutes'"),
        ('"implement"', '"implemnt"', "kind is 'implemnt'"),
        ("sum(grades[:k])\"", "summ(grades[:k]\"", "reference = .* is no Python"),
        ('lambda draw, n: [draw.grades(n + 1), n]', "by_recip", "did you mean 'by_recipe'"),
        ('draw = "lambda', 'drew = "lambda', "no fact 'drew' here; did you mean 'draw'"),
        ("upside-down = {says = \"That is the mean.\", wrong = ", "mean = {worng = ", "'mean' is not in"),
        ('"Add.", ', "", "2 hints, but a task has three"),
    ],
)  # fmt: skip
def test_a_fact_with_a_fault_is_refused_with_its_task(before, after, says):
    assert before in FACTS
    facts = source.read("x", TEXT + FACTS.replace(before, after)).facts
    with pytest.raises(ValueError, match=f"^solutions/99-x.md, task cg_at: .*{says}"):
        assignment_from("99-x", facts)


@pytest.mark.parametrize("bad", [[], [1] * 5, [4], [-1], [True], ["1"], [None], [math.nan], [0.5], (1,), None, 1])
def test_lists_of_grades_are_asked_for_in_their_bounds(bad):
    assert grades_in([3, 0, 1, 2], length=(1, 4), whole=True)
    assert not grades_in(bad, length=(1, 4), whole=True)
    assert not grades_in({"a": [1], "b": bad}, "a", "b", length=(1, 4), whole=True)
    assert not grades_in({"a": [1]}, "a", "b")


def test_python_in_quotes_makes_the_task():
    task = assignment_from("99-x", source.read("x", TEXT + FACTS).facts).tasks[0]
    assert task.reference([3, 2, 1], 2) == 5
    assert task.slips[-1].wrong([3, 2, 1], 2) == 2.5
    assert task.slips[-1].place == SLIPS["upside-down"].page
    assert [len(case.args[0]) for case in task.cases("x")][:2] == [2, 3]


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_can_be_said_with_its_details_and_without(code):
    told, general = said(code, "[7, 7]", "[7, 7]"), said(code)
    assert not {"{", "}"} & set(told + general)
    assert "[7, 7]" not in general
    assert general[0].isupper() and general[-1] in ".?"


IMPORTS = [f"from {package} import check, own" for package in ("ndcg_course", "ndcg_course.exercises")]


@pytest.mark.parametrize("imports", IMPORTS)
def test_a_notebook_finds_its_names_also_where_they_were_before(imports):
    names = {}
    exec(imports, names)
    assert names["own"]("cg_by_hand", "demo") == own("cg_by_hand", "demo")
    assert names["check"]("cg_by_hand", ..., student_id="demo").status == "not attempted"


@pytest.mark.parametrize("imports", [*IMPORTS, "from ndcg_lib.exercises import check, own"])
def test_grading_stands_in_for_each_place_that_a_notebook_imports_from(imports):
    code = (
        "from ndcg_course.grade.inside import kit\n"
        "kit.install({}, {'cg_by_hand': {'k': 3}})\n"
        f"{imports}\nprint(own('cg_by_hand'), check('cg_by_hand'))"
    )
    assert python(code) == "{'k': 3} None"


def test_the_course_loads_when_a_name_is_used():
    assert python("import sys, ndcg_course; print('numpy' in sys.modules, 'check' in dir(ndcg_course))") == "False True"
    with pytest.raises(AttributeError, match="chek"):
        ndcg_course.chek  # noqa: B018


def python(code):
    """What another Python prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_cells_give_what_a_kernel_gives():
    outputs = files.run(["print('a')\n{'b': 1}", "x = 3", "x"])
    assert outputs[0][0]["text"] == ["a\n"]
    assert outputs[0][1]["data"] == {"text/plain": ["{'b': 1}"]}
    assert outputs[1] == []
    with pytest.raises(files.CellError, match="code cell 2 raises ZeroDivisionError"):
        files.run(["1", "1 / 0"])


def test_a_slip_is_not_named_on_one_returned_value():
    task = task_named("cg_at")
    cases = task.cases("demo")
    known = next(slip for slip in task.slips if slip.name == "k-ignored")
    at = next(i for i, case in enumerate(cases) if task.wrong([known], case.args).value != task.target(case.args).value)
    outcomes = [Outcome(error="KeyError", message="0") for _ in cases]
    outcomes[at] = task.wrong([known], cases[at].args)
    assert judge(task, cases, outcomes).slips == ()
    assert judge(task, cases, [task.wrong([known], case.args) for case in cases]).slips == ("k-ignored",)
