"""What a check says: to wrong answers as students write them, to right but unusual ones, to every general mistake."""

import itertools
import random
import subprocess
import sys
from itertools import count

import numpy as np
import pytest
from sweeps import some_of

from ndcg_course import check, check_all, hint, missing, own, progress, solution
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.judge import judge
from ndcg_course.explain.outcome import Outcome, show
from ndcg_course.tasks import tasks
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.slips import slipped
from ndcg_course.tasks.task import FunctionTask, ReportTask, ValueTask

NDCG = tasks()["ndcg_of_query"]
BROKEN = Outcome(error="KeyError", message="'d7'")


@pytest.mark.parametrize("name", [name for name, task in tasks().items() if isinstance(task, FunctionTask)])
def test_an_empty_answer_is_not_attempted(name):
    task = tasks()[name]

    def dots(a, b=None, c=None):
        """Described."""
        return ...

    def nothing(a, b=None, c=None):
        """Described."""

    for answer in (..., dots, nothing):
        assert verdict_on(task, answer, "demo").status == "not attempted"


def test_the_example_is_the_smallest_there_is():
    from math import log2

    def only_top_three(judged, k=None):
        return sum(g / log2(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[: min(k or 99, 3)], 1))

    verdict = verdict_on(tasks()["idcg_at"], only_top_three, "demo")
    assert verdict.example.asked in ("idcg_at([1, 1, 1, 1])", "idcg_at([1, 1, 1, 1], 4)")


def test_target_and_yours_stand_beside_each_other():
    text = check("best_first", sorted).text()
    assert "target  [1, 0]" in text
    assert "yours   [0, 1]" in text


def test_the_html_says_the_same_words_and_needs_no_colour():
    verdict = check("best_first", sorted)
    html = verdict._repr_html_()
    assert 'role="status"' in html
    assert "Not yet: best_first" in html
    assert '<th scope="row"' in html
    assert "<script" not in html


def test_what_a_student_wrote_is_shown_as_text():
    verdict = check("cg_at", lambda grades, k=None: "<script>alert(1)</script>")
    assert "<script>" not in verdict.html()
    assert "&lt;script&gt;" in verdict.html()


def test_a_link_into_the_book_where_its_address_is_known(monkeypatch):
    verdict = check("best_first", sorted)
    assert "href" not in verdict.html()
    monkeypatch.setenv("NDCG_BOOK", "../book/")  # before the address of the course
    assert 'href="../book/chapters/the-ideal-ranking.html#ideal-definition"' in verdict.html()


def test_a_value_never_shows_its_target():
    task = tasks()["idcg_by_hand"]
    data = task.data("demo")
    for slip in task.slips:
        verdict = verdict_on(task, task.wrong([slip], data), "demo")
        assert verdict.slips in ((), (slip.name,))
        assert show(task.target(task.data("demo")), 3) not in verdict.text()


@pytest.mark.parametrize(
    "task", [t for t in tasks().values() if isinstance(t, ValueTask) and t.slips], ids=lambda t: t.name
)
def test_a_slip_on_paper_hears_its_own_cause_if_chance_hardly_gives_it_and_never_sees_its_answer(task):
    for student in ("demo", "s-77"):
        data = task.data(student)
        for slip in task.slips:
            verdict = verdict_on(task, task.wrong([slip], data), student)
            shown = verdict.example
            assert shown is None or (not shown.own and shown.target != show(task.target(data)))
            if task.kind == "compute" and not task.options:
                assert verdict.slips in ((slip.name,), ())
                assert not verdict.cause or verdict.cause.startswith("hardly: ")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("5.262", "leave out the quotes"),
        (None, "`None`"),
        ([5.262], "one number is asked"),
        (float("nan"), "no number to compare"),
        ("5,262", "decimals after a point"),
        ((5, 262), "decimals after a point"),
        (-1.0, "This is too small"),
        (999.0, "This is too large"),
        (True, "one number is asked"),
        (lambda: 5.262, "a function"),
    ],
)
def test_a_typed_number_of_a_wrong_kind(value, says):
    assert says in check("idcg_by_hand", value, student_id="demo").text()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda x: 100 * x, "as a share"),
        (lambda x: x + 0.004, "not to the last decimal asked"),
        (lambda x: round(x, 1), "rounded too early"),
        (lambda x: -x, "but for its sign"),
        (lambda x: 1 - x, "1 minus the answer"),
        (lambda x: 1 / x, "upside down"),
    ],
)
def test_a_number_that_is_nearly_right(change, says):
    value = change(tasks()["sheet_ndcg"].target(own("sheet_ndcg", "s-1")))
    assert says in check("sheet_ndcg", value, student_id="s-1").text()


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.array, lambda x: round(x, 3)])
def test_a_typed_number_of_any_right_kind(kind):
    value = tasks()["idcg_by_hand"].target(own("idcg_by_hand", "demo"))
    assert check("idcg_by_hand", kind(value), student_id="demo").passed


def test_values_that_are_not_finite_prove_no_slip():
    verdict = verdict_on(NDCG, lambda grades, judged, k: float("nan"), "demo")
    assert verdict.slips == ()
    assert "nan" in verdict.text()


def test_only_a_division_by_zero_there_is_a_lacking_guard():
    def unguarded(error):
        def ndcg(grades, judged, k):
            if not any(judged):
                raise error
            return NDCG.target([grades, judged, k]).value

        return verdict_on(NDCG, ndcg, "demo").slips

    assert unguarded(ZeroDivisionError("division by zero")) == ("no-zero-guard",)
    assert unguarded(KeyError("d7")) == ()


def test_a_slip_is_named_only_if_every_value_fits():
    task = tasks()["idcg_at"]
    natural = slipped(task.reference, [next(s for s in task.slips if s.name == "natural-log")])
    calls = count()

    def nearly(judged, k=None):
        return natural(judged, k) + (0.01 if next(calls) == 30 else 0)

    verdict = verdict_on(task, nearly, "demo")
    assert verdict.slips == ()
    assert verdict.status == "wrong"


def test_a_nan_in_some_cases_does_not_hide_the_slip_of_the_others():
    task = tasks()["idcg_at"]
    natural = slipped(task.reference, [next(s for s in task.slips if s.name == "natural-log")])
    verdict = verdict_on(task, lambda judged, k=None: float("nan") if len(judged) == 3 else natural(judged, k), "demo")
    assert verdict.slips == ("natural-log",)
    assert "returns nan" in verdict.text()


def test_the_slips_of_a_typed_number_are_five_units_apart():
    task = tasks()["idcg_by_hand"]
    for student in range(50):
        data = task.data(student)
        answers = sorted([task.target(data), *(task.wrong([slip], data) for slip in task.slips)])
        assert min(b - a for a, b in itertools.pairwise(answers)) > 0.005


def test_random_answers_are_no_slip():
    numbers = random.Random(3)
    verdict = verdict_on(NDCG, lambda grades, judged, k: numbers.random(), "demo")
    assert verdict.slips == ()
    assert "different values for the same call" in verdict.text()


def test_a_later_name_is_found_by_its_name():
    names = {"__name__": "__main__"}
    code = "from ndcg_course import check\ncg_by_hand = 1.5\nverdict = check('cg_by_hand')\n"
    exec(code, names)
    assert names["verdict"].status == "wrong"


def test_an_unknown_task_and_a_missing_answer():
    assert "Did you mean 'best_first'" in check("best_frist", 1).text()
    assert "run the cell above" in check("blind_pair").text()


def test_the_id_is_needed_as_text():
    assert "text in quotes" in check("cg_by_hand", 3, student_id=["a"]).text()
    assert "empty" in check("cg_by_hand", 3, student_id="  ").text()


def test_hints_come_one_after_the_other():
    from ndcg_course.explain.record import record

    record.forget()
    told = [hint("ideal_top").text() for _ in range(4)]
    assert [text[:11] for text in told] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert hint("ideal_top", 2).text() == told[1]
    assert "there are hints 1 to 3" in hint("ideal_top", 7).text()
    assert record.of("demo")["ideal_top"]["hints"] == 3  # to look back takes none away


@pytest.mark.parametrize(
    "task, answer",
    [("best_first", ...), ("best_first", lambda judged: judged), ("best_first", 3), ("fooled", "no answer offered"),
     ("no_such_task", 1), ("", 1), ("cg_at", None)],
)  # fmt: skip
def test_nbgrader_which_looks_for_errors_gets_one(task, answer, monkeypatch):
    given = () if answer is None else (answer,)  # without: the notebook has no such name
    assert not check(task, *given).passed
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(AssertionError):
        check(task, *given)


def test_the_answer_to_the_numbers_of_demo_is_known_for_every_task():
    for name, task in tasks().items():
        if isinstance(task, ValueTask) and task.kind == "compute":
            verdict = check(name, task.target(task.data("demo")), student_id="zoe")
            assert verdict.passed or 'of the id "demo"' in verdict.text(), name


def test_exit_in_an_answer_ends_no_kernel():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        told = check("best_first", lambda judged: shell.user_ns["exit"]()).text()
        assert "calls exit()" in told
        names = {"best_first": lambda judged: shell.user_ns["exit"](), "check_all": check_all, "missing": missing}
        for call in ("check_all", "missing"):
            eval(f'{call}("05-the-ideal-ranking")', names)
        assert not getattr(shell, "exit_now", False) and "ask_exit" not in vars(shell)
    finally:
        InteractiveShell.clear_instance()


def test_nbgrader_reads_the_points(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert repr(check("best_first", lambda judged: sorted(judged, reverse=True))) == "2"
    part = check("cg_at", lambda grades, k=5: sum(grades[:k]))
    assert 0 < float(repr(part)) < part.out_of and "Not yet" in part._repr_html_()


def test_under_nbgrader_a_slip_costs_its_task_once_as_it_does_in_ndcg_grade(monkeypatch):
    """`idcg_at` is right, given a right `ideal_top`; a student who reads the check still hears what it gives."""
    code = "def idcg_at(judged, k=None): return sum(g / log2(i + 2) for i, g in enumerate(ideal_top(judged, k)))"
    for first in ("def ideal_top(judged, k): return ...", "def ideal_top(judged, k): return judged[:k]", ""):
        names = {"check": check}
        exec(f"from math import log2\n{first}\n{code}", names)
        before = names.get("ideal_top")
        assert not eval('check("idcg_at")', names).passed
        monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
        assert repr(eval('check("idcg_at")', names)) == "4" and names.get("ideal_top") is before
        monkeypatch.delenv("NBGRADER_EXECUTION")


def test_a_solution_after_a_pass_or_on_the_explicit_wish():
    from ndcg_course.explain.record import record

    record.forget()
    assert "really=True" in solution("best_first").text()
    assert "return sorted(judged, reverse=True)" in solution("best_first", really=True).text()
    check("best_first", lambda judged: sorted(judged, reverse=True))
    assert "return sorted(judged, reverse=True)" in solution("best_first").text()


def test_a_copy_without_solutions_says_so(monkeypatch, tmp_path):
    from ndcg_course import notebook

    monkeypatch.setattr(notebook, "SOLUTIONS", tmp_path / "none")
    notebook.solutions.cache_clear()
    try:
        assert "comes without solutions" in solution("best_first", really=True).text()
        assert "comes without solutions" in solution("best_first").text()
        assert hint("best_first", 3).text().endswith("That was the last.")
    finally:
        notebook.solutions.cache_clear()


def test_progress_counts_what_was_passed():
    from ndcg_course.explain.record import record

    record.forget()
    check("best_first", lambda judged: sorted(judged, reverse=True))
    check("ideal_top", lambda judged, k: judged)
    text = progress("05-the-ideal-ranking").text()
    assert "best_first" in text and "passed" in text
    assert "2 of" in text.splitlines()[-1]
    assert "<caption>" in progress().html()


def test_a_prediction_is_noted_and_its_outcome_told():
    from ndcg_course.explain.record import record

    record.forget()
    task = tasks()["one_added"]
    data = task.data("demo")
    answer = task.target(data)
    guess = next(option for option in task.options if option != answer)
    wrong = check("one_added", guess, student_id="demo")
    assert "Your prediction is noted" in wrong.text()
    assert task.why(**data) in wrong.text()
    right = check("one_added", answer, student_id="demo")
    assert right.passed
    assert f"first prediction was {guess!r}" in right.text()


@pytest.mark.parametrize("task", [t for t in tasks().values() if isinstance(t, ValueTask)], ids=lambda t: t.name)
def test_every_id_gets_data_on_which_the_slips_differ(task):
    drawn = [task.data(f"student {i}") for i in range(40)]
    assert len(set(map(repr, drawn))) > (5 if task.kind in ("compute", "read") else 2)
    if task.kind == "compute":
        answers = [round(task.target(data), 3) for data in drawn]
        assert len(set(answers)) >= 5 and max(map(answers.count, answers)) <= 20, "neighbours would share them"


@pytest.mark.parametrize("task", [t for t in tasks().values() if isinstance(t, ReportTask)], ids=lambda t: t.name)
def test_one_answer_alone_fits_what_is_reported(task):
    for i in range(80):
        data = task.data(f"student {i}")
        reported = data.pop("reported")
        off = sorted(abs(number - reported) for number in task.ways(**data).values())
        assert off[0] <= 0.00051 and off[1] >= 0.009


@pytest.mark.parametrize(
    "task", some_of([t for t in tasks().values() if isinstance(t, FunctionTask)], one_in=6), ids=lambda t: t.name
)
def test_no_cause_is_named_for_the_few_values_that_a_broken_function_returns(task):
    draw, cases = Draw(task.name), task.cases("check")
    for slip in draw.sample(task.applicable(), 1):
        returned = set(draw.sample(range(len(cases)), draw.integer(1, (len(cases) - 1) // 2)))
        outcomes = [task.wrong([slip], c.args) if i in returned else BROKEN for i, c in enumerate(cases)]
        assert not judge(task, cases, outcomes).slips, (slip.name, returned)


def test_the_same_id_gets_the_same_data_everywhere():
    assert own("idcg_by_hand", " Zoë ") == own("idcg_by_hand", "zoë")
    assert own("cg_by_hand", "1234567") == {"grades": [5, 1, 1, 0, 3, 2, 4], "k": 5}


def test_the_example_in_the_docstring_is_tried_too():
    def cg_at(grades, k=None):
        """
        >>> cg_at([4, 2, 5, 3, 5], 3)
        11
        """
        return 11 if grades == [4, 2, 5, 3, 5] else 0

    assert "gives 0 for every other input" in check(cg_at).text()


def test_a_repair_that_nobody_began_does_not_give_the_mistake_away():
    def cg_with_loop(grades, k):
        """CG@k, written as a loop; the gain is the grade.

        >>> cg_with_loop([4, 2, 5, 3, 5], 3)
        11
        """
        # a comment changes nothing
        total = 0
        for i in range(1, k):
            total = total + grades[i]
        return total

    told = check("cg_with_loop", cg_with_loop).text()
    assert told.startswith("Not attempted") and "rank 1" not in told

    def begun(grades, k):
        total = 0
        for i in range(1, k):
            total += grades[i]
        return total

    assert "first-lost" in check("cg_with_loop", begun).slips


def test_tab_offers_the_names_of_the_tasks() -> None:
    code = """
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("from ndcg_course import check")
with provisionalcompleter():
    for line in ('x = check("cg_a', 'check_all("02', 'open("'):
        print([one.text for one in shell.Completer.completions(line, len(line))][:1])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    task, assignment, file = done.stdout.splitlines()
    assert (task, assignment) == ("['cg_at']", "['02-cumulative-gain']") and "cg_" not in file
