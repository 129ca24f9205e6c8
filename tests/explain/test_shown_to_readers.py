"""What a notebook and a page show beside a verdict: a student's own data, which terms of a sum are right, the place."""

import json
import re
import sys
from base64 import b64decode
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from ndcg_course import check, own
from ndcg_course.explain.cards import Own
from ndcg_course.explain.page import MARK, as_data, sums
from ndcg_course.explain.record import path, record
from ndcg_course.tasks import task_named, tasks


def seen(data):
    return BeautifulSoup(Own(data)._repr_html_(), "html.parser")


def area(path):
    """Of the shape that an SVG path of H, V and M encloses, in dots of 8 by 7."""
    corners = []
    for step, numbers in re.findall(r"([MHV])([\d ]+)", path):
        x, y = corners[-1] if corners else (0, 0)
        given = [int(number) for number in numbers.split()]
        corners.append({"M": tuple(given), "H": (given[0], y), "V": (x, given[0])}[step])
    return abs(sum(a * d - b * c for (a, b), (c, d) in pairwise([*corners, corners[0]]))) / 2 / 56


def test_own_grades_are_pages_in_their_order_with_the_readers_who_get_there():
    shown = seen({"grades": [3, 0, None, 5], "k": 3})
    rows = [[cell.get_text() for cell in row.find_all("td")] for row in shown.find_all("tr")[1:]]
    assert [row[0] for row in rows] == ["1", "2", "3", "k = 3: nothing below counts", "4"]
    assert rows[0][1] == "Descale a kettle in five steps" and rows[2][2] == "not judged"
    pips = [[of["style"].endswith("#0072b2") for of in row.select("span span")] for row in shown.find_all("tr")]
    assert [(sum(row), len(row)) for row in pips if row] == [(3, 3), (0, 3), (5, 5)]
    pictures = shown.find_all("img")
    assert [picture["alt"].split()[0] for picture in pictures] == ["100", "63", "50", "43"]  # 100 / log2(rank + 1)
    for picture, readers, helps in zip(pictures, (100, 63, 50, 43), (True, False, False, False), strict=True):
        drawn = BeautifulSoup(b64decode(picture["src"].partition(",")[2]), "html.parser")
        assert [area(one["d"]) for one in drawn.find_all("path")] == [readers, 100 - readers]
        assert (drawn.find("circle")["fill"] != "none") == helps


def test_other_data_are_shown_in_short_and_as_text():
    text = seen({"judged": [2, 0], "n": "<b>", "xs": [0.5, 1]}).get_text("|")
    assert "judged|, in any order:" in text and "n| = <b>" in text and "xs| = 0.5, 1" in text
    table = seen({"rows": [[1, 2], [3, 4]]})
    assert [row.get_text(" ") for row in table.find_all("tr")] == ["1 1 2", "2 3 4"]
    few, many = ({"of": {f"q{i}": i for i in range(n)}} for n in (3, 5))
    assert seen(few).find("ul") is None
    assert seen(many).find("p").get_text() == "of, a dictionary:"
    assert [one.get_text() for one in seen(many).find_all("li")] == [
        "'q0': 0",
        "'q1': 1",
        "'q2': 2",
        "and 2 more, up to 'q4'",
    ]
    assert seen({"k": 3}).find("table") is None and seen({"grades": [1, 2]}).find("td", colspan=True) is None


def on_the_page(value, typed, tries):
    """What a page is told at this try of a wrong sum."""
    record.forget()
    data = own("dcg_by_hand", "ana")
    for more in range(tries - 1):
        check("dcg_by_hand", value + 50 + more, student_id="ana")
    line = as_data(check("dcg_by_hand", value, student_id="ana"), data, typed)
    record.forget()
    return json.loads(line.removeprefix(MARK))


def test_a_page_marks_the_wrong_term_from_the_second_try_on():
    data, task = own("dcg_by_hand", "ana"), task_named("dcg_by_hand")
    right = [
        f"{grade / d:.3f}" for grade, d in zip(data["grades"], (1, 1.58496, 2, 2.32193, 2.58496, 2.80735), strict=False)
    ]
    right = right[: data["k"]]
    wrong = task.target(data) + 1.5
    off = [right[0], str(float(right[1]) + 0.005).replace(".", ","), *right[2:]]
    first, second = (on_the_page(wrong, off, tries) for tries in (1, 2))
    assert first["terms"] == [] and second["terms"] == [True, False, *[True] * (len(right) - 2)] and not second["said"]
    assert (second["wrong"], second["status"], second["noted"]["task"]) == (2, "wrong", "dcg_by_hand")
    assert on_the_page(wrong, ["x", "", right[2].replace(".", ",")], 2)["terms"][:3] == [False, None, True]
    told = on_the_page(wrong, right, 1)
    assert told["terms"] == [True] * len(right) and "add them up again" in told["said"]
    assert on_the_page(wrong, [], 2)["terms"] == on_the_page(task.target(data), off, 2)["terms"] == []


def test_a_page_has_fields_for_terms_where_the_answer_is_their_sum_alone():
    assert sums(task_named("dcg_by_hand")) == "grades"
    assert {name for name, task in tasks().items() if sums(task)} >= {"cg_by_hand", "sheet_dcg"}
    assert not any(sums(task_named(name)) for name in ("ndcg_by_hand", "swap_loss", "cg_at", "which_gain", "enough"))


@pytest.mark.parametrize(
    ("system", "asked", "home"),
    [
        ("linux", {}, ".local/share"),
        ("linux", {"XDG_DATA_HOME": "kept"}, "kept"),
        ("darwin", {}, "Library/Application Support"),
        ("win32", {}, "AppData/Roaming"),
        ("win32", {"APPDATA": "roams"}, "roams"),
    ],
)
def test_the_record_lies_where_the_system_keeps_such_files(system, asked, home, monkeypatch):
    for name in ("PYTEST_CURRENT_TEST", "NDCG_PROGRESS", "XDG_DATA_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    base = Path(home) if asked else Path.home() / home
    assert path().is_relative_to(base) and path().suffix == ".json"
    monkeypatch.setenv("NDCG_PROGRESS", "off")
    assert path() is None
    monkeypatch.setenv("NDCG_PROGRESS", "mine.json")
    assert path() == Path("mine.json")
    monkeypatch.delenv("NDCG_PROGRESS")
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert path() is None, "a mark does not hang on what was done before"
