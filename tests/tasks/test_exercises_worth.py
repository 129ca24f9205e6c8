"""A course with another gain: tasks that ask for a DCG in general follow it, those that name a gain keep theirs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ndcg_course import course
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.messages import RIGHT
from ndcg_course.explain.outcome import different
from ndcg_course.make import build, exam, files, source
from ndcg_course.make.bank import items
from ndcg_course.make.exam import questions
from ndcg_course.make.source import Source
from ndcg_course.tasks import task_named, tasks
from ndcg_course.tasks.task import BuildTask, FunctionTask, Task, ValueTask
from ndcg_lib.convention import Convention

ROOT = Path(__file__).parents[2]


@contextmanager
def a_course(gain: str) -> Iterator[dict[str, Source]]:
    """The sources and tasks of a course with this gain."""
    with pytest.MonkeyPatch.context() as patch:
        told = course.Course(convention=Convention(gain=gain), chosen={"gain": gain} if gain != "linear" else {})
        patch.setattr(course, "load", lambda root=None: told)
        with files.sources(ROOT) as texts:
            yield texts


def solved(texts: dict[str, Source], student: str = "demo") -> dict[str, Any]:
    """What the solutions of all assignments make of the data of a student, by task."""
    values: dict[str, Any] = {}
    for text in texts.values():
        names: dict[str, Any] = {"__name__": "__main__"}
        cells = [source.solved_code(cell) if cell.role == "answer" else cell.text for cell in text.cells
                 if cell.role in ("code", "answer")]  # fmt: skip
        files.run_fresh([cell.replace('student_id = "demo"', f'student_id = "{student}"') for cell in cells], names)
        values |= {task: names[task] for task in text.facts}
    return values


@pytest.fixture(scope="module")
def book() -> tuple[dict[str, Task], dict[str, Any]]:
    """The tasks of the book as it is, and what its solutions give."""
    with a_course("linear") as texts:
        return dict(tasks()), solved(texts)


def follows(task: Task) -> bool:
    return bool(task.gains) and task.gains != "own"


def passes(task: Task, value: Any, student: str = "demo") -> bool:
    verdict = verdict_on(task, value, student)
    return verdict.status == RIGHT and verdict.points == task.points


def test_the_solutions_earn_all_points_and_the_gain_of_the_book_is_refused_where_it_differs(book):
    of_book, answers_of_book = book
    with a_course("exponential") as texts:
        answers, same = solved(texts), []
        for name, task in tasks().items():
            if task.by_hand:
                continue
            assert passes(task, answers[name]), name
            if isinstance(task, BuildTask) or not follows(task):
                assert passes(task, answers_of_book[name]), f"{name} follows the course, and does not say so"
            elif isinstance(task, FunctionTask):
                assert not passes(task, answers_of_book[name]), f"{name} takes the gain of the book"
            elif isinstance(task, ValueTask):
                data, other = task.data("demo"), of_book[name]
                assert isinstance(other, ValueTask)
                if "reported" in data or not different(other.target(data), task.target(data), task.tolerance):
                    same.append(name)
                else:
                    assert not passes(task, other.target(data)), name
        apart = [name for name in same if tasks()[name].decimals is not None]
        assert apart == ["condensing"], "decimals tell the gains apart; this list of demo's has no grade above 1"


@pytest.mark.parametrize("student", ["1", pytest.param("2", marks=pytest.mark.sweep)])
def test_the_solutions_find_the_numbers_of_other_students_too(student):
    """A choice that "demo" gets by one way may ask others for the other."""
    with a_course("exponential") as texts:
        answers = solved(texts, student)
        for name, task in tasks().items():
            assert not isinstance(task, ValueTask) or passes(task, answers[name], student), name


def test_the_numbers_are_those_of_arithmetic():
    with a_course("exponential"):
        sheet = task_named("sheet_ndcg")
        data = sheet.data("1234567")

        def dcg(grades: list[int]) -> float:
            return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades[:5], start=1))

        best = dcg(sorted(data["judged"], reverse=True))
        assert sheet.target(data) == pytest.approx(dcg(data["returned"]) / best)
        assert task_named("sheet_dcg").target(data) == pytest.approx(dcg(data["returned"]))
        assert task_named("swap_loss").target({"grades": [1, 5, 3]}) == pytest.approx((31 - 7) * (d(2) - d(3)))
        assert task_named("dcg_bounds").target([[None, 2], 2, 3]).value == pytest.approx([3 * d(2), 7 + 3 * d(2)])
        assert task_named("idcg_of_query").target([["b"], {"a": 3, "b": 1}, 2]).value == pytest.approx(7 + d(2))
        with_grades = verdict_on(task_named("dcg_at"), lambda grades, k=None: sum(
            grade * d(rank) for rank, grade in enumerate(grades[:k], start=1)), "demo")  # fmt: skip
        assert "the grades themselves" in with_grades.text() and "2^grade − 1" in with_grades.text()


def d(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def test_a_notebook_a_question_and_an_exam_say_which_gain_they_have(tmp_path):
    with a_course("exponential") as texts:
        notebook = build.build(ROOT, ["05-the-ideal-ranking"])
        page = notebook[ROOT / "book" / "assignments" / "the-ideal-ranking.md"]
        assert page.count("gain: 2^grade − 1*") == 6 and "The gain is 2^grade − 1, and rank" in page
        assert "the grade as the gain" not in page and "gain is the grade" not in page
        assert "sum((2**grade - 1) / log2(i + 1)" in notebook[ROOT / "solutions" / "05-the-ideal-ranking.ipynb"]
        assert ">>> idcg_at([0, 3, 1], 1)\n    7.0" in page
        for name, told in {
            "idcg_by_hand": "gain: 2^grade − 1",
            "which_gain": "the gain is the one that the task names",
        }.items():
            task = task_named(name)
            assert isinstance(task, ValueTask)
            home = next(text for text in texts.values() if name in text.facts)
            assert told in items.of_value(task, home, "a seed")[1].stem.lower()
        made, _ = exam.made(exam.Wish("autumn", 60), questions.load())
        assert "The gain is 2^grade − 1" in exam.files(made)["exam-A.html"]
    with a_course("linear"):
        made, _ = exam.made(exam.Wish("autumn", 60), questions.load())
        assert "The gain is the grade" in exam.files(made)["exam-A.html"]
        assert "gain:" not in source.heading_facts(task_named("idcg_by_hand"))


def test_a_fact_that_names_what_a_task_does_not_take_is_refused(tmp_path):
    (tmp_path / "solutions").mkdir()
    text = (ROOT / "solutions" / "05-the-ideal-ranking.md").read_text("utf8")
    text = text.replace('gains = ["judged"]', 'gains = ["juged"]')
    (tmp_path / "solutions" / "05-the-ideal-ranking.md").write_text(text, "utf8")
    told = "task idcg_by_hand: gains names 'juged', but what holds grades is one of judged, k"
    with pytest.raises(ValueError, match=told), files.sources(tmp_path):
        tasks()
