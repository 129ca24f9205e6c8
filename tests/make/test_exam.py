"""The exam: a solver that shares nothing with it works each paper from its print; a teacher's wishes come true."""

from __future__ import annotations

import ast
import csv
import io
import itertools
import json
import math
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ndcg_course.commands.exam import command
from ndcg_course.make import exam
from ndcg_course.make.chapters import contents
from ndcg_course.make.exam import marking, questions, solver
from ndcg_course.make.exam.solver import text_of
from ndcg_lib.definition import TABLE

ROOT = Path(__file__).resolve().parents[2]
KNOWN = questions.load()
CORE = [f"chapters/{name}" for name in ("two-rankings", "cumulative-gain", "discounting", "the-ideal-ranking", "ndcg")]
LENGTHS = (30, 45, 60, 75, 90, 120)
COURSES: tuple[tuple[str, ...], ...] = ((), tuple(CORE), (*CORE, "chapters/ndcg-bounds", "chapters/which-measure"))


def drawn(seed: str = "1", minutes: int = 60, **more: Any) -> exam.Exam:
    return exam.made(exam.Wish(seed, minutes, **more), KNOWN)[0]


def problems(made: exam.Exam) -> list[str]:
    """What the solver says about the papers, from the text that is printed."""
    scheme = text_of(exam.scheme(made)).split(": marking scheme, version ")
    return [
        problem
        for version, marks in zip(made.versions, scheme[-len(made.versions) :], strict=True)
        for problem in solver.check(text_of(exam.paper(made, version)), marks)
    ]


@pytest.fixture
def gain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    option = TABLE["gain"].option(request.param)
    monkeypatch.setattr(questions, "taught", lambda: option)
    monkeypatch.setattr(exam, "taught", lambda: option)
    return str(request.param)


# ---- the solver --------------------------------------------------------------------------------------------------


def test_the_solver_imports_nothing_but_python() -> None:
    for file in Path(solver.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf8"))):
            if isinstance(node, ast.ImportFrom):
                assert (node.level == 1 and node.module == "words") or node.module in sys.stdlib_module_names | {
                    "collections.abc", "html.parser",
                }  # fmt: skip
            if isinstance(node, ast.Import):
                assert {name.name for name in node.names} <= sys.stdlib_module_names


@pytest.mark.parametrize("gain", ["linear", "exponential", "binary"], indirect=True)
def test_a_dozen_papers_are_solved(gain: str) -> None:
    for i, units in enumerate(COURSES):
        assert problems(drawn(f"{gain} {i}", LENGTHS[i + 1], units=units)) == []


@pytest.mark.sweep
@pytest.mark.parametrize("gain", ["linear", "exponential", "binary"], indirect=True)
def test_four_hundred_papers_are_solved(gain: str) -> None:
    for i in range(67):  # two versions each, for three gains: 402
        made = drawn(f"weekly {gain} {i}", LENGTHS[i % 5], units=COURSES[i % 3])
        assert problems(made) == [], made.seed


@pytest.mark.sweep
def test_every_question_has_ten_cases_and_every_objective_ten_questions() -> None:
    held: dict[str, int] = {}
    for name, question in KNOWN.items():
        held[question.objective] = held.get(question.objective, 0) + 1
        seen: set[str] = set()
        for i in range(10):
            parts = questions.drawn(question, 1, "forms", i, seen=seen)
            made = exam.Exam("E", "s", 1, {"A": parts})
            assert problems(made) == [], name
        assert len(seen) == 10, name
    assert min(held.values()) >= 10 and len(held) == 8


def spoilt(part: questions.Part) -> list[questions.Part]:
    """The part with one thing wrong in its marking."""
    held = []
    if part.key:
        value = marking.number(part.key)
        if value is None:
            held.append(replace(part, key={"rises": "falls", "falls": "stays", "yes": "no"}.get(part.key, "linear?")))
        else:
            step = 0.01 if "." in part.key else 1
            held += [replace(part, key=f"{value + step:.{3 if '.' in part.key else 0}f}")]
            held += [replace(part, key=f"-{part.key}".replace("--", ""))]
        if part.tolerance:
            held.append(replace(part, tolerance=0.1))
            held.append(replace(part, mistakes=((f"{value + 0.001:.3f}", "nearly"),)))  # type: ignore[operator]
    if part.lines and re.search(r"\d", part.lines[0][1]):
        changed = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), part.lines[0][1], count=1)
        held.append(replace(part, lines=((part.lines[0][0], changed), *part.lines[1:])))
    if part.follows:
        held.append(replace(part, follows="c / b"))
    return [*held, replace(part, points=part.points + 1)] if part.key else held


def test_whatever_is_wrong_in_a_marking_scheme_is_found_and_named() -> None:
    for name, question in KNOWN.items():
        parts = questions.drawn(question, 1, "spoilt", seen=set())
        paper = text_of(exam.paper(exam.Exam("E", "s", 1, {"A": parts}), "A"))
        for i, part in enumerate(parts):
            for wrong in spoilt(part):
                marks = exam.Exam("E", "s", 1, {"A": [*parts[:i], wrong, *parts[i + 1 :]]})
                found = solver.check(paper, text_of(exam.scheme(marks)))
                assert found and found[0].startswith(part.name), (name, wrong)


TURNED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.GtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
OTHER = {"cg": "dcg", "dcg": "cg", "idcg": "dcg", "ndcg": "dcg", "min": "max", "max": "min", "sorted": "list"}


def faults(key: str) -> list[str]:
    """The expression of a key with one thing wrong: sign, rounding, one more or less, measure, k, gain, discount."""
    found = {f"-({key})", f"({key}) + 1", f"round({key}, 2)", f"round({key}, 1)"}
    size = len(list(ast.walk(ast.parse(key, mode="eval"))))
    for at, how in itertools.product(range(size), range(5)):
        tree = ast.parse(key, mode="eval")
        node: Any = list(ast.walk(tree))[at]
        named = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if isinstance(node, ast.BinOp | ast.BoolOp) and how == 0:
            node.op = TURNED.get(type(node.op), type(node.op))()
        elif isinstance(node, ast.BinOp) and how == 1:
            node.left, node.right = node.right, node.left
        elif isinstance(node, ast.Compare) and how == 0:
            node.ops[0] = TURNED.get(type(node.ops[0]), type(node.ops[0]))()
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and how < 2:
            node.value += (1, -1)[how]
        elif named in OTHER and how == 0:
            node.func.id = OTHER[named]
        elif named.endswith("cg") and how in (1, 2) and len(node.args) > 1:  # k is left out, or one too many
            node.args[1:2] = [ast.BinOp(node.args[1], ast.Add(), ast.Constant(1))] if how == 1 else []
        elif named in ("dcg", "ndcg") and how == 3 and "gain" not in {word.arg for word in node.keywords}:
            node.keywords.append(ast.keyword("gain", ast.Constant("exponential")))
        elif named == "dcg" and how == 4 and "discount" not in {word.arg for word in node.keywords}:
            node.keywords.append(ast.keyword("discount", ast.Constant("original")))
        found.add(ast.unparse(tree))
    return sorted(found - {ast.unparse(ast.parse(key, mode="eval"))})


def caught(name: str, i: int, fault: str) -> str:
    """What becomes of a key with this fault: caught by the solver, missed, no paper, or the same in each case."""
    right = KNOWN[name]
    wrong = replace(right, parts=(*right.parts[:i], replace(right.parts[i], key=fault), *right.parts[i + 1 :]))
    for turn in range(8):
        try:
            made, sound = (questions.drawn(one, 1, "fault", turn, seen=set()) for one in (wrong, right))
        except ValueError:
            return "no paper"
        one = exam.Exam("E", "s", 1, {"A": made})
        if solver.check(text_of(exam.paper(one, "A")), text_of(exam.scheme(one))):
            return "caught"
        keys = [marking.number(part.key) for part in (made[i], sound[i])]
        apart = made[i].key != sound[i].key if None in keys else abs(keys[0] - keys[1]) > 0.0021  # type: ignore
        if apart and made[i].words == sound[i].words and made[i].stem == sound[i].stem:
            return "missed"
    return "the same"


@pytest.mark.sweep
def test_a_fault_in_the_key_of_any_question_is_found_by_the_solver() -> None:
    drawn_faults = [(name, i, fault) for name, question in KNOWN.items()
                    for i, part in enumerate(question.parts)
                    if part.key for fault in faults(part.key)]  # fmt: skip
    found = {one: caught(*one) for one in drawn_faults}
    assert [one for one, what in found.items() if what == "missed"] == []
    assert sum(what == "caught" for what in found.values()) > 0.7 * len(found)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [  # the sign of the swap, as it was once asked; a document that nobody judged
        ("By how much does DCG of the whole list change? Give the sign: a rise is positive.", "Is it good?", "no"),
        ("with the grades 3, 2, in", "with the grades 4, 2, in", "none like it was judged"),
    ],
)
def test_a_paper_whose_words_do_not_hold_is_not_solved(old: str, new: str, says: str) -> None:
    swap = "In a list with the grades 4, 2, 5, 0, the documents at the ranks 2 and 3 change places. By how much does"
    swap += " DCG of the whole list change? Give the sign: a rise is positive."
    perfect = "For a question documents with the grades 3, 2, 1, 2, 0 were judged. An engine returned two of them, with"
    perfect += " the grades 3, 2, in this order. A tool prints NDCG@3 = 1. What is the right NDCG@3?"
    pencil = solver.Pencil("The gain is the grade. The logarithms to base 2 of 3 and 5 are 1.585 and 2.322.")
    answer = solver.answer(pencil, swap)
    assert answer and answer.value == pytest.approx(3 * (1 / 1.585 - 1 / 2)), "4, 2, 5, 0 becomes 4, 5, 2, 0: a rise"
    assert (told := solver.answer(pencil, perfect)) and told.value == pytest.approx(
        4.262 / (3 + 2 / 1.585 + 1), abs=1e-3
    )
    if says == "no":
        assert solver.answer(pencil, swap.replace(old, new)) is None
    else:
        with pytest.raises(solver.Unsolvable, match=says):
            solver.answer(pencil, perfect.replace(old, new))


# ---- what is handed out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minutes", [30, 60, 94])
def test_points_and_minutes_add_up_on_the_paper(minutes: int) -> None:
    made = drawn("sums", minutes)
    for version in exam.VERSIONS:
        page = exam.paper(made, version)
        assert sum(map(int, re.findall(r"data-points=(\d+)", page))) == minutes
        assert sum(map(int, re.findall(r"\((\d+) points\)</h2>", page))) == minutes
        assert f"{minutes} points · {minutes} minutes" in page
    assert exam.files(drawn("1")) == exam.files(drawn("1")) != exam.files(drawn("2"))
    for a, b in zip(made.versions["A"], made.versions["B"], strict=True):
        assert (a.name, a.question, a.points) == (b.name, b.question, b.points)
        assert a.stem + a.words != b.stem + b.words or not KNOWN[a.question].words, a


def test_questions_speak_to_a_person_and_stand_on_pages_that_there_are() -> None:
    there = {name for _, name in contents(ROOT)}
    for name, question in KNOWN.items():
        assert question.page in there, name
        parts = questions.drawn(question, 1, "words", seen=set())
        assert all(len(part.key.partition(".")[2]) == (3 if part.tolerance else 0) for part in parts), name
        printed = exam.Exam("E", "s", 1, {"A": parts})
        assert not re.search(r"[\[\]{}_$]|None|-0\.000", text_of(exam.paper(printed, "A") + exam.scheme(printed))), name


def test_a_short_course_has_an_exam_of_an_hour() -> None:
    made = drawn("short", 60, units=CORE)
    assert {KNOWN[part.question].page for part in made.versions["A"]} <= set(CORE)
    with pytest.raises(ValueError, match=r"no exam of 500 minutes.*up to \d+, because the exam asks about the units"):
        drawn("short", 500, units=CORE)
    with pytest.raises(ValueError, match=r"no exam of 5 minutes; the questions make one of \d\d, and of up to \d+$"):
        drawn("short", 5)


def test_what_was_asked_does_not_come_again_until_there_is_nothing_else() -> None:
    past: list[dict[str, Any]] = []
    asked: list[set[str]] = []
    told = ""
    while not told:
        made, told = exam.made(exam.Wish(f"term {len(past)}", 60), KNOWN, past)
        fresh = {part.question for part in made.versions["A"]} - {exam.FIRST}
        if not told:
            assert not fresh & set().union(*asked, set()), "a question came again, and others were left"
        asked.append(fresh)
        past.append(exam.entry(made))
    words = [one for entry in past for one in entry["words"]]
    assert len(past) >= 4 and len(words) == len(set(words)) and "earlier exams may come again" in told
    again, _ = exam.made(exam.Wish("term 0", 60), KNOWN, past)
    assert {part.question for part in again.versions["A"]} - {exam.FIRST} == asked[0], "the same seed is the same exam"


def test_questions_are_chosen_and_left_out_by_name() -> None:
    made = drawn("names", 60, ask=["perfect", "share"], without=["one_list", "claim"])
    asked = {part.question for part in made.versions["A"]}
    assert {"perfect", "share"} <= asked and not {"one_list", "claim"} & asked
    kept = [part.words for part in made.versions["A"] if part.question == "perfect"]
    other = drawn("names", 30, ask=["perfect"])
    assert kept == [part.words for part in other.versions["A"] if part.question == "perfect"], "asked for is locked"
    with pytest.raises(ValueError, match="there is no question 'perfct'"):
        drawn(ask=["perfct"])
    with pytest.raises(ValueError, match="'share' is asked for and left out"):
        drawn(ask=["share"], without=["share"])


OWN = """[[question]]
name = "halves"
title = "Halves"
points = 3
draw = { grades = "grades(4)" }
need = "sum(grades) > 2"
words = "A list has the grades {grades}. Each rank keeps *half* of what the one before keeps. What is the sum?"
key = "sum(g / 2**i for i, g in enumerate(grades))"
reading = "grades[0] + grades[1] / 2 + grades[2] / 4 + grades[3] / 8"

[[question]]
name = "essay"
title = "In your words"
points = 5
words = "Why does a search engine for spare parts want another cut-off?"
lines = [[5, "who buys spare parts looks at all of them"]]
"""


def own(tmp_path: Path, text: str = OWN) -> CliRunner:
    (tmp_path / "mine.toml").write_text(text)
    return CliRunner()


def given(tmp_path: Path, *more: str) -> list[str]:
    return ["-o", str(tmp_path / "exam"), "--no-pdf", "--root", str(ROOT), *more]


def test_a_teacher_s_own_questions_are_asked_and_checked_like_the_others(tmp_path: Path) -> None:
    more = ["--own", str(tmp_path / "mine.toml"), "--ask", "halves", "--ask", "essay"]
    done = own(tmp_path).invoke(command, given(tmp_path, *more), catch_exceptions=False)
    assert done.exit_code == 0 and "Halves" in (tmp_path / "exam" / "exam-A.html").read_text()
    for old, new, says in [
        ("/ 8", "/ 4", r"question 'halves' \(\d+\): the key is .*, and the words give"),
        ('reading = "grades[0]', 'reading = "grade', "its reading .* fails: NameError"),
        ("reading", "readng", "there is no key 'readng'"),
        ('name = "essay"', 'name = "share"', "there is a question 'share' already"),
        ('key = "sum(', 'key = "summ(', "question 'halves', need: NameError"),
        ("points = 5", "points = 0", "question 'essay': points are a whole number"),
    ]:
        (tmp_path / "mine.toml").write_text(OWN.replace(old, new))
        with pytest.raises(ValueError, match=says):
            CliRunner().invoke(command, [*given(tmp_path, *more), "--overwrite"], catch_exceptions=False)


def test_the_command_keeps_a_history_gives_each_student_a_version_and_lists(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("student,id\nAna Lima,1\nBo,2\nZoë,3\n")
    past = tmp_path / "history.json"
    more = ["--minutes", "30", "--roster", str(tmp_path / "roster.csv"), "--history", str(past)]
    assert CliRunner().invoke(command, given(tmp_path, *more), catch_exceptions=False).exit_code == 0
    sheet = list(csv.reader((tmp_path / "exam" / "answers.csv").open()))
    assert [row[:2] for row in sheet[1:]] == [["Ana Lima", "001-Ana-Lima"], ["Bo", "002-Bo"], ["Zoë", "003-Zoë"]]
    pages = [(tmp_path / "exam" / f"exam-{row[1]}.html").read_text() for row in sheet[1:]]
    assert "Name Ana Lima" in pages[0] and len(set(pages)) == 3
    (entry,) = json.loads(past.read_text())["exams"]
    assert entry["questions"][0] == exam.FIRST
    listed = CliRunner().invoke(command, ["--list", "--root", str(ROOT), "--history", str(past)]).output.splitlines()
    assert len(listed) == len(KNOWN) and "asked 1 times" in listed[0]
    (tmp_path / "roster.csv").write_text("student\nBo\nBo\n")
    with pytest.raises(ValueError, match="two lines have the same student"):
        CliRunner().invoke(command, given(tmp_path, *more, "--overwrite"), catch_exceptions=False)


@pytest.mark.slow
def test_the_print_has_at_most_four_pages_and_is_what_is_solved(tmp_path: Path) -> None:
    from pypdf import PdfReader

    asked = ["-o", str(tmp_path / "exam"), "--seed", "pages", "--minutes", "100", "--root", str(ROOT)]
    CliRunner().invoke(command, asked, catch_exceptions=False)
    if not (tmp_path / "exam" / "exam-A.pdf").exists():
        pytest.skip("no browser that prints")
    for version in exam.VERSIONS:
        pages = PdfReader(tmp_path / "exam" / f"exam-{version}.pdf").pages
        assert len(pages) <= 4
        assert [round(float(side) / 72 * 25.4) for side in pages[0].mediabox[2:]] == [210, 297]
    with pytest.raises(ValueError, match="exists: choose another folder"):
        CliRunner().invoke(command, [*asked, "--no-pdf"], catch_exceptions=False)


# ---- what a class wrote ------------------------------------------------------------------------------------------


def part(name: str, points: int, key: str = "", **more: Any) -> questions.Part:
    return questions.Part(name, "q" + name, "T", "", "W", points, key, **more)


def by_hand() -> exam.Exam:
    """DCG 4, IDCG 5, NDCG 0.8; a word with its why; and a sentence."""
    parts = [
        part("1a", 4, "4.000", tolerance=0.002, mistakes=(("6.000", "not discounted"),)),
        part("1b", 4, "5.000", tolerance=0.002, mistakes=(("8.000", "not cut"),)),
        part("1c", 2, "0.800", tolerance=0.002, follows="a / b"),
        part("2", 3, "stays", lines=((2, "1 before, 1 after: same"),), reason=True),
        part("10", 2, lines=((2, "something"),)),
    ]
    return exam.Exam("E", "s", 15, {"A": parts})


@pytest.mark.parametrize(
    ("cells", "points"),
    [
        (["4", "5,001", "0.8", "Stays", "2", "1"], [4, 4, 2, 3, 1]),
        (["6", "5", "1.2", "stays", "", ""], [2, 4, 2, 1, 0]),  # 6 / 5: paid for once
        (["6", "8", "0.75", "rises", "2", "2"], [2, 2, 2, 2, 2]),
        (["6", "5", "0.8", "", "", ""], [2, 4, 2, 0, 0]),  # right, though not from what was written
        (["6", "5", "0.9", "", "", ""], [2, 4, 0, 0, 0]),
        (["", "5", "1.2", "", "", ""], [0, 4, 0, 0, 0]),
        (["3p", "7", "0.571", "1p", "", ""], [3, 0, 0, 1, 0]),  # a hand-given cell is no number to go on from
        (["4", "0", "9", "", "", ""], [4, 0, 0, 0, 0]),
        (["4.0021", "4.998", "0.8", "", "", ""], [0, 4, 2, 0, 0]),
    ],
)
def test_typed_answers_become_the_points_of_the_marking_scheme(
    tmp_path: Path, cells: list[str], points: list[int]
) -> None:
    head = ["student", "version", "1a", "1b", "1c", "2", "2 words (0-2)", "10 words (0-2)"]
    (tmp_path / "a.csv").write_text(";".join(head) + "\n" + ";".join(["ana", "A", *cells]) + "\n")
    (marked,) = marking.read(tmp_path / "a.csv", by_hand())
    assert list(marked.points) == points


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("ana,A,x,,,,,", "line 2, 1a: 'x' is no number, and no points as in 2p"),
        ("ana,A,5p,,,,,", "1a: '5p' is more than the 4 points"),
        ("ana,A,,,,,3,", "2: '3' is no number of points from 0 to 2"),
        ("ana,C,,,,,,", "there is no version 'C', only A"),
        ("ana,A,1", "ana has 3 cells, and there are 8 columns"),
        ("ana,A,,,,,,\nana,A,,,,,,", "line 3: ana stands there twice"),
        ("", "nobody stands in it yet"),
    ],
)
def test_a_dirty_sheet_is_refused_with_its_line(tmp_path: Path, row: str, says: str) -> None:
    (tmp_path / "a.csv").write_text(f"student,version,1a,1b,1c,2,2 words (0-2),10 words (0-2)\n{row}\n")
    with pytest.raises(ValueError, match=re.escape(says)):
        marking.read(tmp_path / "a.csv", by_hand())
    (tmp_path / "a.csv").write_text("student,version,1a\n")
    with pytest.raises(ValueError, match="line 1: the columns must be student, version, 1a, 1b"):
        marking.read(tmp_path / "a.csv", by_hand())


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_marking_says_how_hard_a_question_was_and_keeps_it_in_the_history(tmp_path: Path) -> None:
    held = by_hand()
    (tmp_path / "exam.json").write_text(held.json())
    (tmp_path / "h.json").write_text(exam.as_history([exam.entry(held)]))
    rows = ["ana,A,4,5,0.8,stays,2,2,41", "bo,A,6,5,1.2,stays,0,0,", "cy,A,6,8,0.75,Cy was here,0,0,55"]
    (tmp_path / "a.csv").write_text(
        "student,version,1a,1b,1c,2,2 words (0-2),10 words (0-2),minutes\n" + "\n".join(rows) + "\n"
    )
    asked = ["mark", str(tmp_path / "a.csv"), "-o", str(tmp_path / "out"), "--history", str(tmp_path / "h.json")]
    told = CliRunner().invoke(command, asked, catch_exceptions=False).output
    assert told.startswith("3 papers, on average 10.0 of 15 points")  # 15, 9, 6
    line = next(row.split() for row in told.splitlines() if row.startswith("1a"))
    # points 4, 2, 2 of 4; the rest 11, 7, 4: deviations 4/3, -2/3, -2/3 and 11/3, -1/3, -10/3: r = 0.93
    first, rest = [4 / 3, -2 / 3, -2 / 3], [11 / 3, -1 / 3, -10 / 3]
    r = sum(a * b for a, b in zip(first, rest, strict=True)) / math.sqrt(
        sum(a * a for a in first) * sum(b * b for b in rest)
    )
    assert line[1:3] == ["0.67", f"{r:.2f}"] and "not discounted (2 of 3)" in told
    (entry,) = json.loads((tmp_path / "h.json").read_text())["exams"]
    assert entry["results"][0]["share"] == pytest.approx(2 / 3)
    marks = list(csv.reader(io.StringIO((tmp_path / "out" / "marks.csv").read_text())))
    assert marks[1] == ["ana", "A", "4", "4", "2", "3", "2", "15", "15"]
    assert "not discounted (2 of 3)" in (tmp_path / "out" / "results.html").read_text()
    sheet = list(csv.DictReader(io.StringIO(text := (tmp_path / "out" / "items.csv").read_text())))
    assert (sheet[0]["part"], sheet[0]["students"], sheet[0]["share"], sheet[0]["minutes"]) == (
        "all",
        "3",
        "0.67",
        "48",
    )
    assert not re.search("ana|bo,|cy|Cy was here", text)
    # by hand: ana has all; bo 2, 4, 2 (from what was written before), 1, 0; cy 2, 2, 2, 0, 0
    assert [row["points"] for row in sheet] == ["15", "4", "4", "2", "3", "2"]
    assert [row["share"] for row in sheet] == ["0.67", "0.67", "0.83", "1.00", "0.44", "0.33"]
    assert [row["slip"] for row in sheet] == ["", "not discounted (2 of 3)", "not cut (1 of 3)", "", "", ""]
    assert sheet[3]["apart"] == "–" and {row["students"] for row in sheet} == {"3"}
    page = (tmp_path / "out" / "results.html").read_text()
    assert "after 48 of" in page and "Untested with a class" in page and "Cy was here" in page
    (tmp_path / "h.json").write_text('{"exams": []}')
    with pytest.raises(ValueError, match="does not know the exam of the seed 's'"):
        CliRunner().invoke(command, ["mark", str(tmp_path / "a.csv"), *asked[4:]], catch_exceptions=False)


def test_a_case_that_was_asked_is_drawn_anew_and_one_that_rounding_hides_is_none() -> None:
    made = drawn("cases", 30)
    past = [{**exam.entry(made), "seed": "another", "questions": []}]
    again, _ = exam.made(exam.Wish("cases", 30), KNOWN, past)
    words = {f"{part.stem} {part.words}" for parts in made.versions.values() for part in parts}
    assert not words & {f"{part.stem} {part.words}" for parts in again.versions.values() for part in parts}
    near = questions.Asked(2, "What is {a}?", "a", wrong=[("a + 0.004", "nearly"), ("a + 1", "far")])
    one = questions.Question("q", "Q", draw={"a": "whole(1, 3) / 7"}, parts=(near,))
    (part,) = questions.drawn(one, 1, "s", seen=set())
    assert [told for _, told in part.mistakes] == ["far"], "a typed answer may be off by 0.002"
    with pytest.raises(ValueError, match="question 'q': no new case in 400 draws"):
        questions.drawn(replace(one, draw={"a": "whole(1, 3) / 1000"}), 1, "s", seen=set())


def test_words_that_can_be_read_in_two_ways_are_not_solved() -> None:
    pencil = solver.Pencil("The gain is the grade.")
    with pytest.raises(solver.Unsolvable, match="read in two ways"):
        solver.answer(pencil, "What is 3?", [("What is {a}?", "a"), ("What is {b}?", "2 * b")])
