"""The tests before and after the course: what they ask, and what a report says."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ndcg_course.commands.exam import command
from ndcg_course.make import concepts

ROOT = Path(__file__).resolve().parents[2]
NAMES = [idea["name"] for idea in concepts.ideas()]


@pytest.fixture(scope="module")
def forms() -> list[list[Any]]:
    return [concepts.form("s", name) for name in concepts.FORMS]


def test_two_forms_ask_the_same_ideas_of_somebody_who_has_not_heard_the_terms(forms: list[list[Any]]) -> None:
    for idea, *pair in zip(concepts.ideas(), *forms, strict=True):
        for item in pair:
            assert item.answers[item.slips.index(idea["name"])].feedback and item.page == idea["page"]
            words = " ".join([item.stem, *(answer.text for answer in item.answers)])
            assert len({answer.text for answer in item.answers}) == 4
            assert not re.search(r"\b[NI]?D?CG\b|discount|\bgain\b|[@{}\[\]_$]", words), words
        assert pair[0].stem != pair[1].stem
    for form in forms:
        assert len(form) == 12 and Counter(concepts.key(form)) == dict.fromkeys("abcd", 3)


def test_the_report_is_what_one_gets_by_hand(forms: list[list[Any]]) -> None:
    pre, post = (concepts.key(form) for form in forms)
    errs = [concepts.LETTERS[item.slips.index(slip)] for item, slip in zip(forms[0], NAMES, strict=True)]

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
    assert line["12"][3:] == [f"{NAMES[-1]}:", "4,", "0"] and line["1"][3:] == [f"{NAMES[0]}:", "0,", "0"]


def test_the_gain_of_a_class_is_what_it_learned_of_what_there_was_to_learn() -> None:
    """Hake's normalised gain by hand: from 5 right of 12 to 9, it is 4 of the 7 that were open."""
    forms = [concepts.form("s", name) for name in concepts.FORMS]
    keys = [concepts.key(items) for items in forms]
    held = [
        {who: ["" if at >= right else letter for at, letter in enumerate(key)] for who, right in class_.items()}
        for key, class_ in zip(keys, ({"a": 4, "b": 6, "c": 5}, {"a": 8, "b": 10, "d": 1}), strict=True)
    ]
    told = concepts.report(*held, forms)
    assert told.startswith("2 students wrote both tests; 2 wrote one, and are left out")
    assert "mean before 5.00 of 12, after 9.00; normalised gain 0.57" in told


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
        assert {"moodle.xml", "qti21.zip", "qti12-canvas.zip", "bank.txt"} < {
            file.name for file in (tmp_path / name).iterdir()
        }
    done = run.invoke(command, ["--seed", "s", "--gain", str(tmp_path / "pre.csv"), str(tmp_path / "post.csv")])
    assert "mean before 6.00 of 12, after 12.00; normalised gain 1.00" in done.output
