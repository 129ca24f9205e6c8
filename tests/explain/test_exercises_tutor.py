"""What helps after an answer: a cause only where it is known, the case rank by rank, practice, and what is missing."""

import itertools
import math
import re

import pytest
from wrong_answers.cells import Cell, verdict_on_cell

from ndcg_course import another, check, check_all, hint, missing, own, progress, recall
from ndcg_course.explain import calls, gate
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.by_hand import cause, mistaken
from ndcg_course.explain.judge import judge
from ndcg_course.explain.outcome import Outcome, show
from ndcg_course.explain.record import record
from ndcg_course.tasks import task_named, tasks
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import ValueTask
from ndcg_lib.identification import calling
from ndcg_lib.slips import SLIPS

COMPUTED = [t for t in tasks().values() if isinstance(t, ValueTask) and t.kind == "compute" and not t.options]
PREDICTED = [t for t in tasks().values() if isinstance(t, ValueTask) and t.kind == "predict" and t.options]


@pytest.fixture(autouse=True)
def nothing_was_done_before():
    record.forget()
    yield
    record.forget()


def test_mistakes_in_adding_copying_and_rounding_hardly_get_a_cause():
    answers = causes = 0
    for task in COMPUTED:
        for student in "a":
            data, draw = task.data(student), Draw("mistakes of a person", task.name, student)
            for _ in range(12):
                value = mistaken(task, data, task.target(data), draw)
                if value is not None and abs(value - task.target(data)) > task.tolerance:
                    answers += 1
                    causes += bool(cause(task, data, value))
    assert causes <= 0.05 * answers


SUMS = [t for t in COMPUTED if t.beside]


@pytest.mark.parametrize("task", SUMS, ids=lambda task: task.name)
def test_a_term_beside_the_sum_says_in_which_of_them_the_mistake_is(task):
    data = task.data("s-1")
    first, answer, more = round(task.term_of(data), 3), round(task.target(data), 3), 1.234 if task.decimals else 77
    assert check(task.name, [first, answer], student_id="s-1").passed
    beside = task.beside[:1].upper() + task.beside[1:]
    for given, says in (
        ([first, answer + more], rf"{beside} is right, and the (sum|result) is too large"),
        ([first - 7.77, answer - more], f"{beside} is not right yet"),
        ([first + 7.77, answer], "The (sum|result) is right."),
        (answer + more, f"Type two numbers, {task.beside} too"),
    ):
        verdict = check(task.name, given, student_id="s-1")
        assert re.search(says, verdict.text()) and verdict.status == "wrong" and not verdict.cause


def test_a_term_may_stand_there_in_any_way_and_comes_before_what_the_result_looks_like():
    data, task = own("dcg_by_hand", "s-1"), task_named("dcg_by_hand")
    term, answer = round(task.term_of(data), 3), round(task.target(data), 3)
    assert check("dcg_by_hand", (term, answer), student_id="s-1").passed
    assert check("dcg_by_hand", answer, student_id="s-1").passed
    told = check("dcg_by_hand", [term - 7.77, round(answer, 1)], student_id="s-1").text()
    assert "The term of rank 3 is not right yet" in told


@pytest.mark.parametrize("task", SUMS, ids=lambda task: task.name)
def test_a_term_that_fits_makes_a_slip_certain(task):
    data = task.data("s-1")
    slips = [(slip, task.term_of(data, [slip])) for slip in task.slips]
    sure = [(slip, term) for slip, term in slips if term is not None and abs(term - task.term_of(data)) > 0.1]
    assert sure or task.name == "swap_pay"
    named = []
    for slip, term in sure:
        wrong = [round(term, 3), round(task.wrong([slip], data), 3)]
        with gate.using(None):
            named += verdict_on(task, wrong, "s-1").slips
        assert set(named) <= {one.name for one, _ in sure[: sure.index((slip, term)) + 1]}  # or two give both numbers
        assert verdict_on(task, [wrong[0] + 55, wrong[1]], "s-1").slips == ()
    assert bool(named) == bool(sure)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("dcg_by_hand", [1.0, 4.92], "rounded too early"),  # 4.923
        ("enough", [96.8, 96], "which way is it rounded"),  # 97
        ("sampled_rank", [19.33, 19.33], "one step is left"),  # 20.33
        ("enough", 96, "which way is it rounded"),
        ("sampled_rank", 19.33, "This is how many drawn films you expect above it. Is a step left?"),
    ],
)
def test_what_is_seen_of_a_number_is_said_and_no_cause(name, given, says):
    verdict = verdict_on(task_named(name), given, "demo")
    assert says in verdict.text() and verdict.status == "wrong" and not verdict.cause


def _new_and_old(name, data):
    """Both values of which the difference is asked, as one works them out on paper; and what stands beside."""
    if name == "mean_lead":
        return [(sum(data[system]) / 8, sum(data[system])) for system in "BA"]
    grades, (a, b) = data["grades"], (data.get("a", 2), data.get("b", 3))
    turned = [grades[{a: b, b: a}.get(rank, rank) - 1] for rank in range(1, len(grades) + 1)]
    new, old, best = (
        sum(g / math.log2(rank + 1) for rank, g in enumerate(those, start=1))
        for those in (turned, grades, sorted(grades, reverse=True))
    )
    if name == "swap_loss":
        return [(dcg, grades[1] * (0.63093 - 0.5)) for dcg in (new, old)]
    return [(dcg / best, abs(new - old)) for dcg in (new, old)]


@pytest.mark.parametrize(
    ("name", "slips"),
    [
        ("swap_loss", ["dcg-after-the-swap", "dcg-before-the-swap"]),
        ("swap_pay", ["ndcg-after-the-swap", "ndcg-before-the-swap"]),
        ("mean_lead", ["mean-of-b-alone", "mean-of-a-alone"]),
    ],
)
def test_the_new_and_the_old_value_are_no_difference(name, slips):
    task, told = task_named(name), {slip: [] for slip in slips}
    for student in map(str, range(12)):
        for slip, (value, beside) in zip(slips, _new_and_old(name, task.data(student)), strict=True):
            for given in (round(value, 3), [round(beside, 3), round(value, 3)]):
                verdict = verdict_on(task, given, student)
                assert verdict.status == "wrong" and set(verdict.slips) <= {slip}
                told[slip] += verdict.slips
    assert all(len(found) > 18 for found in told.values())


@pytest.mark.parametrize("task", [t for t in COMPUTED if len(t.further) > 9], ids=lambda task: task.name)
def test_the_recipe_of_the_further_slips_is_that_of_the_task(task):
    data = task.data("demo")
    wrong = [task.wrong([slip], data) for slip in task.further]
    rounded = next(value for slip, value in zip(task.further, wrong, strict=True) if slip.name == "result-rounded-4")
    assert rounded == pytest.approx(task.target(data), abs=0.00006)


def test_the_case_is_shown_rank_by_rank_and_its_first_difference_marked():
    verdict = verdict_on_cell(Cell("dcg_at", "", "def dcg_at(grades, k=None):\n    return sum(grades[:k])\n"))
    lines = verdict.text().splitlines()
    head = next(line for line in lines if "rank" in line and "divisor" in line)
    assert "your term" in head
    marked = [line for line in lines if line.strip().startswith("→")]
    assert len(marked) == 1 and marked[0].split()[1:3] == ["2", "1"]
    assert "→ differs" in verdict.html() and '<th scope="col">your term</th>' in verdict.html()


def test_terms_are_shown_only_where_they_add_up():
    ndcg = "def ndcg_at(grades, k=None):\n    return dcg_of(grades, k) / max(dcg_of(sorted(grades), k), 0.5)\n"
    text = verdict_on_cell(Cell("ndcg_at", "", ndcg)).text()
    assert "your term" not in text and "yours so far" in text


def test_an_example_of_another_list_is_labelled():
    text = check("dcg_by_hand", 3.1, student_id="s-1").text()
    assert "(other numbers than yours)" in text and "This is too" in text
    assert str(own("dcg_by_hand", "s-1")["grades"]) not in text


@pytest.mark.parametrize("task", PREDICTED, ids=lambda task: task.name)
def test_a_typing_error_is_no_prediction(task):
    right = task.target(task.data("demo"))
    typed = check(task.name, "rsies", student_id="demo").text()
    assert "none of the answers" in typed and "does not count" in typed
    guess = next(option for option in task.options if option != right)
    check(task.name, guess, student_id="demo")
    text = check(task.name, right, student_id="demo").text()
    assert f"Your first prediction was {guess!r}, and right is {right!r}" in text


def test_hints_follow_the_slip_and_then_the_task():
    for more in (0, 0.0, False):  # three tries, one mistake
        assert [words[:6] for words in hint("dcg_at").sentences][-1].startswith("Hint")
        check("dcg_at", eval(f"lambda grades, k=None: sum(grades[:k]) + {more}"))
    assert [words[:6] for words in hint("dcg_at").sentences] == ["About ", "Hint 3"]


def test_another_one_like_it_has_other_numbers_and_its_own_answer():
    said = another("cg_by_hand").sentences
    practice = "demo, again 1"
    data = own("cg_by_hand", practice)
    assert str(data["grades"]) in said[0] and practice in said[1]
    assert data != own("cg_by_hand", "demo")
    assert check("cg_by_hand", sum(data["grades"][: data["k"]]), student_id=practice).passed
    assert "again 2" in another("cg_by_hand").sentences[1]


def test_a_slip_comes_back_as_a_question_in_the_next_assignment():
    check("dcg_at", lambda grades, k=None: sum(grades[:k]))
    assert "Nothing to repeat" in recall("03-discounting").text()
    question = recall("04-what-a-grade-is-worth").text()
    right, wrong = SLIPS["no-discount"].on_example()
    assert "comes back" in question and show(right, 3) in question and show(wrong, 3) in question
    assert recall("04-what-a-grade-is-worth", right).text().startswith("Right")
    assert recall("04-what-a-grade-is-worth", wrong).text().startswith("Not yet")


def test_all_is_checked_at_once_and_what_is_missing_is_said():
    names = {"__name__": "__main__"}
    code = """
from ndcg_course import check_all, missing, own
def cg_at(grades, k=None):
    return sum(grades[:k])
cg_by_hand = -1
all_of_it = check_all("02-cumulative-gain").text()
lacking = missing("02-cumulative-gain").text()
"""
    exec(code, names)
    rows = {line.split()[0]: line for line in names["all_of_it"].splitlines()[1:-1]}
    assert "passed" in rows["cg_at"] and "not yet" in rows["cg_by_hand"] and "not attempted" in rows["blind_pair"]
    assert "blind_pair" in names["lacking"] and "Not right yet: cg_by_hand." in names["lacking"]
    assert "not handed in under a name" in names["lacking"] and "not handed in under a name" in names["all_of_it"]
    assert "not handed in" not in progress("02-cumulative-gain").text().replace("not handed in under a name", "")
    assert missing("none").text().startswith("There is no assignment")
    assert check_all("none").text().startswith("There is no assignment")


def test_a_task_is_begun_anew(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from ndcg_course.commands.exercises import command

    monkeypatch.setenv("NDCG_PROGRESS", str(tmp_path / "progress.json"))
    check("cg_at", lambda grades, k=None: 0, student_id="s-1")
    assert record.of("s-1")["cg_at"]["tries"] == 1
    told_first = CliRunner().invoke(command, ["reset", "cg_at"]).output
    assert "begun anew" in told_first and "cg_at" not in record.of("s-1")
    assert len(record.tries_at("s-1", "cg_at")["wrong"]) == 1, "what was tried stays noted"
    assert "no record" in CliRunner().invoke(command, ["reset", "cg_at"]).output


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "def cg_at(grades, k=None):\n    sum = 0\n    for g in grades[:k]:\n        sum += g\n    return sum\n",
            "`sum`",
        ),
        (
            "def cg_curve(grades):\n    out, t = [], 0\n    for i in range(len(grades)):\n        t += grades[i]\n"
            "        out.append(t)\n    return out\n",
            "for item in grades",
        ),
        ("def cg_at(grades, k=None):\n    return sum(grades[:k])\n", ""),
    ],
)
def test_what_is_right_and_clumsy_gets_one_remark_and_all_points(code, says):
    verdict = verdict_on_cell(Cell(code[4 : code.index("(")], "", code))
    assert verdict.passed and verdict.points == verdict.out_of
    assert [says in note for note in verdict.notes if "taste" in note] == ([True] if says else [])


@pytest.mark.parametrize("task", [t for t in tasks().values() if t.by_hand], ids=lambda task: task.name)
def test_free_text_has_its_quotes_already_and_a_quotation_mark_breaks_nothing(task):
    from ndcg_course.make import files

    root = files.root_from(files.Path(__file__).parents[1])
    for notebook in (root / "exercises").glob("*.ipynb"):
        given = next((code for code in _codes(notebook) if code.startswith(f"{task.name} = ")), None)
        if given is not None:
            words = 'He said "it\'s a \\ path", and twelve more words follow here to make it long enough, "so".'
            names = {}
            exec(given.replace("...", words), names)
            assert names[task.name].strip() == words
            assert verdict_on(task, names[task.name], "demo").status == "collected"
            exec(given, names)
            assert verdict_on(task, names[task.name], "demo").status == "not attempted"
            return
    raise AssertionError("no notebook asks for it")


def _codes(notebook):
    from ndcg_course.make.proof import codes

    return codes(notebook)


def test_a_call_that_raises_everywhere_names_no_other_place():
    code = "def idcg_at(judged, k=None):\n    best = sorted(judged, reverse=True)[:k]\n"
    code += "    return sum(g / log_2(i + 2) for i, g in enumerate(best))\n"
    verdict = verdict_on_cell(Cell("idcg_at", "", code))
    assert verdict.fault == "error" and "NameError" in verdict.text()


def test_the_place_of_a_mistake_that_nobody_knows_is_told_and_not_the_code():
    code = "def dcg_at(grades, k=None):\n    total = 0\n    for i, g in enumerate(grades[:k]):\n"
    code += "        total += g / log2(i + 2) if i != 3 else g\n    return total\n"
    with gate.using(None):
        verdict = verdict_on_cell(Cell("dcg_at", "", code))
    assert verdict.line == "total += g / log2(i + 2) if i != 3 else g" and verdict.line in verdict.text()
    assert "is meant" not in verdict.text()


@pytest.mark.parametrize("busy", [True, False])
def test_what_is_said_does_not_hang_on_a_busy_machine(monkeypatch, busy):
    monkeypatch.setattr(calls, "LONGEST_CHECK", 0.5)
    clock = itertools.count()  # by which every look is half a second later
    now = [0.0]

    def look():
        now[0] = next(clock) / 2
        return now[0]

    monkeypatch.setattr(calling.time, "perf_counter", look)
    monkeypatch.setattr(calling, "queued", lambda: busy * now[0])  # all of it behind others, or asleep
    assert (len(calls.call_all(sum, [[[1, n]] for n in range(100)])) == 100) == busy


def test_one_value_for_all_inputs_is_no_slip_of_the_list():
    code = "def first_hit(hits):\n    for h in hits:\n        if h == 1:\n            return 1 / 1\n    return 0\n"
    assert "do not depend on the order" not in verdict_on_cell(Cell("first_hit", "", code)).text()


def test_what_is_0_or_1_is_no_cut_to_whole_numbers():
    code = "def average_of_precisions(hits, relevant):\n"
    code += "    return float(relevant > 0 and sum(hits) == relevant and all(hits[:relevant]))\n"
    assert "whole numbers" not in verdict_on_cell(Cell("average_of_precisions", "", code)).text()
    cut = "def first_hit(hits):\n    return int(1 / (hits.index(1) + 1)) if 1 in hits else 0\n"
    assert verdict_on_cell(Cell("first_hit", "", cut)).status == "wrong"


def test_another_quantity_is_named_in_code_and_on_paper():
    code = "def dcg_at(grades, k=None):\n    top = sorted(grades, reverse=True)[:k]\n"
    code += "    return sum(g / log2(i + 2) for i, g in enumerate(top))\n"
    assert verdict_on_cell(Cell("dcg_at", "", code)).slips
    data = own("sheet_idcg", "demo")  # its DCG, by hand: 1 + 3 / 1.58496 + 1 / 2
    assert data["returned"][:5] == [1, 3, 1, 0, 0]
    with gate.using(None):
        assert check("sheet_idcg", 3.393, student_id="demo").slips == ("dcg-for-idcg",)


def test_the_example_of_a_quotient_shows_both_sums_rank_by_rank():
    rows = check("ndcg_by_hand", 0.111, student_id="demo").example.rows
    assert rows.head == ["rank", "grade", "divisor", "term", "DCG", "best", "divisor", "term", "IDCG"]
    dcg, idcg = rows.rows[-1][4], rows.rows[-1][8]
    example = check("ndcg_by_hand", 0.111, student_id="demo").example
    assert abs(float(dcg) / float(idcg) - float(example.target)) < 0.001


def _said(task, code):
    return verdict_on_cell(Cell(task, "", code))


@pytest.mark.parametrize(
    ("task", "code", "row"),
    [
        ("discount_list", "def discount_list(n):\n    return [(i + 1) ** -0.4 for i in range(n)]\n", "2"),
        (
            "mean_of_run",
            "def mean_of_run(qrels, run):\n    return max(ndcg_of(run.get(q, []), qrels[q]) for q in qrels)\n",
            "q2",
        ),
        (
            "three_at_once",
            "def three_at_once(grades, scores):\n    return sum(g * s for g, s in zip(grades, scores)) / 7\n",
            None,
        ),
        (
            "leads",
            "def leads(a, b, questions):\n    return [b.get(q, 0) - a[q] for q in a if a[q] is not None]\n",
            "1",
        ),
    ],
)
def test_the_first_row_that_differs_is_marked_whatever_the_function_takes(task, code, row):
    marked = [line.split() for line in _said(task, code).text().splitlines() if line.strip().startswith("→")]
    assert len(marked) == 1 and row in (None, marked[0][1])


def test_a_refusal_that_lacks_hides_no_cause():
    code = (
        "def merged_mean(parts):\n    return sum(s for n, s in parts) / len(parts) if sum(n for n, s in parts) else 0\n"
    )
    verdict = _said("merged_mean", code)
    assert verdict.slips == ("divided-by-machines",)
    assert "a ValueError should be raised" in verdict.text()


def test_the_text_of_an_error_is_no_place_of_a_mistake():
    code = "def gains_by_table(grades, worth):\n    for g in grades:\n        if not worth.get(g):\n"
    code += "            raise ValueError(f'unknown grade {g}')\n    return [worth[g] for g in grades]\n"
    assert "stands where" not in _said("gains_by_table", code).text()


def test_code_that_is_tried_warns_nobody(recwarn):
    _said("pool", "def pool(lists, depth):\n    return sorted({d for l in lists for d in l})[:depth]\n")
    assert not [w for w in recwarn if issubclass(w.category, SyntaxWarning)]


def test_a_generator_is_right_where_a_list_is_asked_and_told_what_it_is():
    code = "def cg_curve(grades):\n    total = 0\n    for g in grades:\n        total += g\n        yield total\n"
    verdict = _said("cg_curve", code)
    assert verdict.passed and any("It returns a generator" in note for note in verdict.notes)


@pytest.mark.parametrize(("task", "value"), [("precision_by_hand", 0.625), ("condensing", 4.262), ("enough", 1)])
def test_what_fits_two_readings_or_a_count_by_chance_is_no_cause(task, value):
    # the whole list in place of k; DCG with zeros; the root upside down
    assert not check(task, value, student_id="demo").slips


@pytest.mark.parametrize("task", COMPUTED, ids=lambda task: task.name)
def test_every_number_by_hand_gets_an_example_that_is_worked_out(task):
    shown = check(task.name, 123456.7, student_id="s-1")
    assert shown.example is not None and shown.example.rows
    if task.working:
        assert "step" in shown.text() and "(other numbers than yours)" in shown.text()
    for data in map(task.data, "abc") if task.working else ():
        assert abs([*task.working(**data).values()][-1] - task.target(data)) <= task.tolerance


def test_a_fraction_where_a_whole_number_is_asked_is_told_so():
    assert "A whole number is asked" in verdict_on(task_named("cg_by_hand"), 7.5, "demo").text()
    assert "A whole number" not in verdict_on(task_named("cg_by_hand"), 77, "demo").text()


def test_the_order_is_told_where_nothing_else_is_wrong():
    task = task_named("cg_curve")
    cases = task.cases("check")
    sums = [list(itertools.accumulate(case.args[0])) for case in cases]

    def told(*answers):
        return " ".join(judge(task, cases, [Outcome(answer) for answer in answers]).sentences)

    assert "in the reverse order" in told(*(each[::-1] for each in sums))
    assert "order" not in told(*(each[::-1] if len(each) < 4 else [7 + x * x for x in each] for each in sums))


def test_the_answer_to_the_numbers_of_another_id_is_known_where_nobody_asks_twice():
    task = task_named("dcg_by_hand")
    with gate.using(None):
        told = verdict_on(task, round(task.target(task.data("demo")), 3), "s-1").text()
    assert 'This is the answer to the data of the id "demo"' in told
