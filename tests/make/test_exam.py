"""The exam, and the tests before and after a course: what is handed out, what is right, and what a report says."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pdf
import pytest
from click.testing import CliRunner

from ndcg_course.commands.exam import command
from ndcg_course.make import concepts, exam
from ndcg_course.tasks import tasks
from ndcg_course.tasks.task import ValueTask

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ["1", "2", "autumn 2026"]


def d(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def dcg(grades: Any, k: int | None = None, gain: Any = float, discount: Any = d) -> float:
    return sum(gain(grade) * discount(rank) for rank, grade in enumerate(list(grades)[:k], start=1))


def ndcg(grades: Any, k: int | None = None, judged: Any = None, gain: Any = float) -> float:
    return dcg(grades, k, gain) / dcg(sorted(judged or grades, reverse=True), k, gain)


def moved(grades: list[float], a: int, b: int) -> list[float]:
    other = list(grades)
    other[a - 1], other[b - 1] = other[b - 1], other[a - 1]
    return other


def way(before: float, after: float) -> str:
    return "stays" if math.isclose(before, after) else "rises" if after > before else "falls"


def nearest(ways: dict[str, float], reported: float) -> str:
    return min(ways, key=lambda name: abs(ways[name] - reported))


def empty_rule(queries: list[list[int]], reported: float) -> str:
    values = [ndcg(one) for one in queries if any(one)]
    sums = {"zero": sum(values) / 3, "one": (sum(values) + 1) / 3, "skip": sum(values) / len(values)}
    return nearest(sums, reported)


BY_HAND: dict[str, Any] = {
    "sheet_cg": lambda returned, judged, k: sum(returned[:k]),
    "sheet_dcg": lambda returned, judged, k: dcg(returned, k),
    "sheet_idcg": lambda returned, judged, k: dcg(sorted(judged, reverse=True), k),
    "sheet_ndcg": lambda returned, judged, k: ndcg(returned, k, judged),
    "swap_loss": lambda grades: dcg(grades) - dcg(moved(grades, 2, 3)),
    "which_gain": lambda grades, reported: nearest(
        {
            "linear": ndcg(grades),
            "exponential": ndcg(grades, gain=lambda g: 2**g - 1),
            "binary": ndcg(grades, gain=lambda g: g > 0),
        },
        reported,
    ),
    "which_discount": lambda grades, reported: nearest(
        {
            "modern": dcg(grades),
            "none": sum(grades),
            "reciprocal": dcg(grades, discount=lambda i: 1 / i),
            "original": dcg(grades, discount=lambda i: 1 / max(1, math.log2(i))),
        },
        reported,
    ),
    "condensed_by_hand": lambda grades: dcg([grade for grade in grades if grade is not None]),
    "precision_by_hand": lambda grades, k, lowest: sum(grade >= lowest for grade in grades[:k]) / k,
    "swap_pay": lambda grades, a, b: abs(ndcg(grades) - ndcg(moved(grades, a, b))),
    "mean_of_parts": lambda parts: sum(n * mean for n, mean in parts) / sum(n for n, _ in parts),
    "enough": lambda sd, lead: math.ceil((2.8 * sd / lead) ** 2),
    "wrong_line": lambda returned, terms: max(
        range(1, len(terms) + 1), key=lambda i: abs(returned[i - 1] * d(i) - terms[i - 1])
    ),
    "dcg_exponential": lambda grades, k: dcg(grades, k, gain=lambda g: 2**g - 1),
    "mean_lead": lambda A, B: sum(b - a for a, b in zip(A, B, strict=True)) / len(A),
    "one_added": lambda judged, k, added: way(
        dcg(sorted(judged, reverse=True), k), dcg(sorted([*judged, added], reverse=True), k)
    ),
    "beyond_the_list": lambda returned, judged: way(ndcg(returned, 3, judged), ndcg(returned, 10, judged)),
    "after_a_swap": lambda grades, k, ranks: way(sum(grades[:k]), sum(moved(grades, *ranks)[:k])),
    "empty_rule": empty_rule,
    "ndcg_by_hand": ndcg,
    "after_a_change": lambda grades, change: way(
        ndcg(grades), ndcg([2 * g if change == "doubled" else g + 1 for g in grades])
    ),
}


def every_part() -> list[exam.Part]:
    """All questions that there are, in both versions."""
    return [part for seed in SEEDS for parts in exam.papers(seed, 94).values() for part in parts]


def test_every_key_is_what_arithmetic_gives() -> None:
    seen = set()
    for part in every_part():
        if part.task not in exam.WRITTEN:
            seen.add(part.task)
            answer = BY_HAND[part.task](**part.data)
            if isinstance(answer, str):
                assert part.key == (answer,), part
            else:
                assert abs(float(part.key[0]) - answer) <= max(part.tolerance, 1e-9), (part, answer)
    assert seen == set(BY_HAND) == {asked.task for asked in [*exam.SHEET, *exam.POOL]}


@pytest.mark.parametrize("minutes", [30, 45, 60, 90])
@pytest.mark.parametrize("seed", SEEDS)
def test_points_and_minutes_add_up_on_the_paper(seed: str, minutes: int) -> None:
    made = exam.files(seed, minutes, "Exam")
    for version in exam.VERSIONS:
        page = made[f"exam-{version}.html"]
        assert sum(map(int, re.findall(r"data-points=(\d+)", page))) == minutes
        assert sum(map(int, re.findall(r"class=points>(\d+) points", page))) == minutes
        assert f"{minutes} points · {minutes} minutes" in page
    rows = list(csv.DictReader(io.StringIO(made["key.csv"])))
    assert [sum(int(row["points"]) for row in rows if row["version"] == v) for v in "AB"] == [minutes, minutes]
    assert made["answers.csv"].split() == [
        ",".join(["student,version", *(r["part"] for r in rows if r["version"] == "A")])
    ]


def test_versions_ask_the_same_of_other_numbers_and_nothing_that_was_published() -> None:
    published = "\n".join(file.read_text("utf8") for folder in ("solutions", "book/chapters", "book/notes")
                          for file in sorted((ROOT / folder).glob("*.md")))  # fmt: skip
    plain = re.sub(r"\W+", " ", published)
    for seed in SEEDS:
        made = exam.papers(seed, 94)
        for a, b in zip(made["A"], made["B"], strict=True):
            assert (a.name, a.task, a.points, a.title) == (b.name, b.task, b.points, b.title)
            assert a.words != b.words or a.data != b.data
            for part in (a, b):
                words = re.sub(r"\W+", " ", part.words).strip()
                assert len(words) < 12 or words not in plain, part
                if part.data is not None:
                    task = tasks()[part.task]
                    assert isinstance(task, ValueTask) and part.data != task.data("demo")
    assert exam.files("1", 60, "E") == exam.files("1", 60, "E") != exam.files("2", 60, "E")


def test_data_with_few_forms_are_never_those_of_the_notebooks() -> None:
    task = tasks()["which_gain"]
    assert isinstance(task, ValueTask)
    drawn = [exam._data("which_gain", str(seed), "A", {}) for seed in range(80)]
    assert task.data("demo") not in drawn and len({str(data) for data in drawn}) < 20


def test_a_mistake_is_paid_for_once() -> None:
    made = exam.papers("1", 60)
    page = exam.scheme(made, "Exam")
    for parts in made.values():
        b, c, quotient = parts[1], parts[2], parts[3]
        assert quotient.carried == "1b / 1c"
        undiscounted = sum(b.data["returned"][: b.data["k"]])
        assert f"{undiscounted:.3f} / {float(c.key[0]):.3f} = {undiscounted / float(c.key[0]):.3f}" in page


def test_an_exam_of_other_minutes_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no exam of 5 minutes; the tasks make one of \d\d, and of up to \d+$"):
        exam.papers("1", 5)


def test_an_exam_asks_about_the_chapters_that_are_taught(tmp_path: Path) -> None:
    for name in ("book", "solutions", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "course.toml").write_text('units = ["two-rankings", "discounting", "the-ideal-ranking", "ndcg"]\n')
    given = ["-o", str(tmp_path / "exam"), "--no-pdf", "--root", str(tmp_path), "--minutes"]
    assert CliRunner().invoke(command, [*given, "34"], catch_exceptions=False).exit_code == 0
    asked = {row["task"] for row in csv.DictReader((tmp_path / "exam" / "key.csv").open())}
    about = {exam.page_of(name).removeprefix("chapters/") for name in asked - {one.task for one in exam.SHEET}}
    assert about and about <= {"discounting", "the-ideal-ranking", "ndcg"}
    with pytest.raises(ValueError, match=r"up to \d\d, because the exam asks about the units in course\.toml alone"):
        CliRunner().invoke(command, [*given, "60"], catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.skipif(pdf.browser() is None, reason="no browser that prints")
@pytest.mark.parametrize("minutes", ["60", "100"])
def test_the_exam_has_at_most_four_pages(tmp_path: Path, minutes: str) -> None:
    from pypdf import PdfReader

    given = ["-o", str(tmp_path), "--seed", "pages", "--minutes", minutes, "--root", str(ROOT)]
    CliRunner().invoke(command, given, catch_exceptions=False)
    for version in exam.VERSIONS:
        pages = PdfReader(tmp_path / f"exam-{version}.pdf").pages
        assert len(pages) <= 4
        assert [round(float(side) / 72 * 25.4) for side in pages[0].mediabox[2:]] == [210, 297]
    assert (tmp_path / "marking.pdf").exists()
    with pytest.raises(ValueError, match="exists: choose another folder"):
        CliRunner().invoke(command, [*given, "--no-pdf"], catch_exceptions=False)


# ---- before and after the course -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forms() -> list[list[Any]]:
    return [concepts.form(ROOT, "s", name) for name in concepts.FORMS]


def test_two_forms_ask_twelve_ideas_with_other_numbers(forms: list[list[Any]]) -> None:
    pre, post = forms
    for one, other, slip in zip(pre, post, concepts.CONCEPTS.values(), strict=True):
        assert slip in one.slips and set(one.slips) == set(other.slips) and one.stem != other.stem
        assert len({answer.text for answer in one.answers}) == 4
    for form in forms:
        assert len(form) == 12 and Counter(concepts.key(form)) == dict.fromkeys("abcd", 3)
    items = list(concepts.CONCEPTS)
    ideal = pre[items.index("one_of_many")]
    assert ideal.answers[ideal.slips.index("ideal-from-returned")].text == "1.000"
    relevant, k = (int(re.search(rf"{name}: (\d+)", ideal.stem)[1]) for name in ("relevant", "k"))  # type: ignore[index]
    assert ideal.right.text == f"{1 / sum(d(i) for i in range(1, min(relevant, k) + 1)):.3f}"


def test_the_report_is_what_one_gets_by_hand(forms: list[list[Any]]) -> None:
    pre, post = (concepts.key(form) for form in forms)
    errs = [
        concepts.LETTERS[item.slips.index(slip)]
        for item, slip in zip(forms[0], concepts.CONCEPTS.values(), strict=True)
    ]

    def wrote(key: list[str], right: set[int], wrong: list[str] | None = None) -> list[str]:
        return [k if i in right else (wrong[i - 1] if wrong else "") for i, k in enumerate(key, start=1)]

    before = {student: wrote(pre, {1, 2, 3}, errs) for student in "wxyz"} | {"only before": wrote(pre, set())}
    after = {
        "w": wrote(post, set(range(1, 13))),
        "x": wrote(post, set(range(1, 12))),
        "y": wrote(post, {*range(2, 9), 12}),
        "z": wrote(post, set(range(2, 9))),
    }
    told = concepts.report(before, after, forms)
    assert "4 students wrote both tests; 1 wrote one, and are left out" in told
    # after: 12, 11, 8 and 7 right, mean 9.5; before: 3. (9.5 - 3) / (12 - 3) = 0.72
    assert "mean before 3.00 of 12, after 9.50; normalised gain 0.72" in told
    line = {row.split()[0]: row.split()[1:] for row in told.splitlines()[4:]}
    # item 1: right 1, 1, 0, 0; the rest 11, 10, 8, 7: deviations 2, 1, -1, -2, so r = 3 / (1 * sqrt(10)) = 0.95
    assert line["1"][:3] == ["1.00", "0.50", "0.95"]
    # item 12: right 1, 0, 1, 0; the rest 11, 11, 7, 7: r = 0
    assert line["12"][:3] == ["0.00", "0.50", "0.00"]
    assert line["2"][:3] == ["1.00", "1.00", "-"], "all are right, so it tells nobody apart"
    assert line["12"][3:] == ["only-one-test:", "4,", "0"] and line["1"][3:] == ["k-ignored:", "0,", "0"]


HEAD = "student," + ",".join(map(str, range(1, 13)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,1,2\nx,a,b", "line 1: the columns must be student, 1, 2, … 12"),
        (f"{HEAD}\nx" + ",a" * 11, "line 2: 11 answers of x; there are 12 items"),
        (f"{HEAD}\nx{',a' * 11},e", "line 2, item 12: 'e' is none of a, b, c, d"),
        (f"{HEAD}\nx{',a' * 12}\n\nx{',b' * 12}", "line 4: x stands there twice"),
        ("", "line 1: the columns must be"),
    ],
)
def test_a_dirty_list_of_answers_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)):
        concepts.answers(tmp_path / "a.csv")


def test_answers_are_read_as_spreadsheets_write_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + f"{HEAD.replace(',', ';')}\r\nZo\xeb{'; A' * 11};\r\n".encode())
    assert concepts.answers(tmp_path / "a.csv") == {"Zoë": ["a"] * 11 + [""]}
    (tmp_path / "b.csv").write_bytes("student\nZo\xeb".encode("latin-1"))
    with pytest.raises(ValueError, match="save it as CSV UTF-8"):
        concepts.answers(tmp_path / "b.csv")


def test_the_command_writes_a_test_in_all_formats_and_reports(tmp_path: Path) -> None:
    run = CliRunner()
    for name in concepts.FORMS:
        given = ["--seed", "s", "--test", name, "-o", str(tmp_path / name), "--no-pdf", "--root", str(ROOT)]
        assert run.invoke(command, given, catch_exceptions=False).exit_code == 0
        key = [row["key"] for row in csv.DictReader((tmp_path / name / "key.csv").open())]
        sheet = (tmp_path / name / "answers.csv").read_text()
        rows = [",".join(["ana", *key]), ",".join(["bo", *["" if name == "pre" else k for k in key]])]
        (tmp_path / f"{name}.csv").write_text(sheet + "\n".join(rows))
        assert {"moodle.xml", "gift.txt", "qti21.zip", "qti12-canvas.zip", "bank.txt"} < {
            file.name for file in (tmp_path / name).iterdir()
        }
    done = run.invoke(command, ["--seed", "s", "--gain", str(tmp_path / "pre.csv"), str(tmp_path / "post.csv")])
    assert "mean before 6.00 of 12, after 12.00; normalised gain 1.00" in done.output
