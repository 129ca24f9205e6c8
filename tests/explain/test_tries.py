"""What is noted of tries: in the record, in a notebook that a kernel has run, and after it was opened again."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from ndcg_course import course, notebook
from ndcg_course.explain import tries
from ndcg_course.explain.record import Record, record
from ndcg_course.make import source
from ndcg_course.make.pages import Kernel
from ndcg_course.tasks import task_named
from ndcg_course.tasks.reading import assignment_from

OPTIONS = list(task_named("which_gain").options)


def wrong_options(student, task="which_gain"):
    right = task_named(task).target(task_named(task).data(student))
    return [option for option in task_named(task).options if option != right], right


@pytest.fixture(autouse=True)
def _anew():
    record.forget()
    yield
    record.forget()


def asked(name, value, student="ana"):
    return notebook.check(name, value, student_id=student)


def test_the_same_answer_again_is_no_further_try_and_what_is_no_answer_is_none():
    first, second = wrong_options("ana")[0]
    for value in (first, first, "something else", 7, None, ..., second, first):
        asked("which_gain", value)
    assert len(record.tries_at("ana", "which_gain")["wrong"]) == 2
    for value in (3, 3.0, "3", float("nan"), 4):
        asked("cg_by_hand", value)
    assert len(record.tries_at("ana", "cg_by_hand")["wrong"]) == 2


def test_the_points_of_a_choice_fall_and_a_right_answer_keeps_what_it_earned():
    (first, second), right = wrong_options("ana")
    assert asked("which_gain", right, "ben").points in (0, 1)
    assert [asked("which_gain", value).points for value in (first, right, second, right)] == [0, 0.5, 0, 0.5]
    (first, second), right = wrong_options("cem")
    assert [asked("which_gain", value, "cem").points for value in (first, second, right)] == [0, 0, 0]
    assert asked("which_gain", right, "cem").status == "right"


def test_a_prediction_counts_its_first_answer():
    (wrong, *_), right = wrong_options("ana", "one_added")
    assert [asked("one_added", value).points for value in (wrong, right)] == [0, 0]
    right = wrong_options("eve", "one_added")[1]
    assert asked("one_added", right, "eve").points == 1


def test_an_entry_that_was_changed_or_is_another_student_s_counts_as_none():
    asked("which_gain", wrong_options("ana")[0][0])
    entry = record.tries_at("ana", "which_gain")
    forged = [entry | {"wrong": []}, entry | {"draw": 1}, entry | {"task": "which_total"}, entry | {"right": True}]
    forged += [entry | {"wrong": [["0-"]]}, entry | {"draw": True}, {}, None, [], "x", {**entry, "more": 1}]
    assert tries.of_student(forged, "ana") == {}
    assert tries.of_student([entry], "ben") == {}
    assert tries.of_student([*forged, entry], " ANA ") == {"which_gain": entry}


def test_new_numbers_come_after_three_wrong_ones_and_count():
    task = task_named("cg_by_hand")
    before = task.data("ana")
    for value in (1001, 1002, 1003):
        assert "New numbers" not in notebook.another("cg_by_hand").text()
        record.note("demo", "x")
        notebook.check("cg_by_hand", value, student_id="demo")
    assert "New numbers" in notebook.another("cg_by_hand").text()
    after = notebook.own("cg_by_hand", "demo")
    assert after == task.data("demo", 1) != task.data("demo")
    assert notebook.check("cg_by_hand", task.target(after), student_id="demo").passed
    assert task.data("ana") == before
    assert tries.at_these_numbers(record.tries_at("demo", "cg_by_hand")) == 0


def test_a_kernel_notes_them_in_the_outputs_and_goes_on_from_the_saved_file(tmp_path):
    """A real kernel; the second one knows nothing but the file that the first one left."""
    (first, second), right = wrong_options("ana")

    def run(*values):
        book = nbformat.v4.new_notebook()
        codes = ['from ndcg_course import check\nstudent_id = "ana"']
        codes += [f'which_gain = {value!r}\ncheck("which_gain")' for value in values]
        book.cells = [nbformat.v4.new_code_cell(code) for code in codes]
        place = {"metadata": {"path": str(tmp_path)}}
        client = NotebookClient(book, timeout=600, resources=place, kernel_manager_class=Kernel)
        here = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
        client.execute(env=here | {"NDCG_PROGRESS": "off", "JPY_SESSION_NAME": "course/work.ipynb"})
        nbformat.write(book, tmp_path / "work.ipynb")
        return json.loads((tmp_path / "work.ipynb").read_text("utf8"))

    after = run(first, first)
    found = tries.of_student(tries.in_notebook(after), "ana")["which_gain"]
    assert found["wrong"] == [tries.fingerprint(first)] and not found["right"]
    later = run(second, right)
    found = tries.of_student(tries.in_notebook(later), "ana")["which_gain"]
    assert found["wrong"] == [tries.fingerprint(first), tries.fingerprint(second)] and found["right"]
    assert "0 of 1 point" in "".join(later["cells"][-1]["outputs"][0]["data"]["text/plain"])


def test_a_page_gives_back_what_it_found_in_a_notebook():
    asked("which_gain", wrong_options("ana")[0][0])
    kept = json.loads(record.as_json())
    entry = kept["students"]["ana"]["which_gain"]["noted"]
    other = Record()
    other.load(json.dumps({"version": 1, "students": {}, "tries": [None, entry, {"task": []}]}))
    assert other.tries_at("ana", "which_gain") == entry
    assert json.loads(other.as_json())["tries"] == [entry]


def test_the_course_says_what_each_try_earns(tmp_path):
    name, root = "04-what-a-grade-is-worth", Path(__file__).parents[2]
    text = source.read(name, (root / "solutions" / f"{name}.md").read_text("utf8"))
    given = source.as_given(text, course.Given(name), (4, 3, 1))
    made = {task.name: task for task in assignment_from(name, given.facts).tasks}
    assert made["which_gain"].shares == made["read_the_gain"].shares == (1, 0.75, 0.25)
    assert made["when_equal"].shares == (1, 0) and made["dcg_exponential"].shares == made[
        "exponential_gains"
    ].shares == (1,)
    assert "1 point, 0.75 at the second try, then 0.25" in source.heading_facts(made["which_gain"])
    free = {task.shares for task in assignment_from(name, source.as_given(text, course.Given(name), (1,)).facts).tasks}
    assert free == {(1.0,)}, "a course in which tries change nothing"
    (tmp_path / "course.toml").write_text(course.packed(course.Course(tries=(4, 3, 1)), solutions=False))
    assert course.read(tmp_path / "course.toml").tries == (4, 3, 1)
    for wrong in ("[]", "[0]", "[1, 2]", "[2, -1]", "[true]", '"2, 1"', "2"):
        (tmp_path / "course.toml").write_text(f"tries = {wrong}")
        with pytest.raises(course.CourseError, match="line 1: tries is"):
            course.read(tmp_path / "course.toml")
