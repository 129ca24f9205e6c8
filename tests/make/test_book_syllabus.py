"""The syllabus: its minutes are those of lessons and tasks, and nothing that is taught or asked is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from ndcg_course import course
from ndcg_course.make import concepts, syllabus
from ndcg_course.make.exam import questions
from ndcg_course.tasks import assignments

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "teaching" / "syllabus.md"


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading of the page."""
    text = PAGE.read_text("utf8").partition(f"## {heading}")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in text.splitlines() if line.startswith("| ")][
        2:
    ]


def taken(words: str) -> int:
    """The minutes of the lessons and assignments that a row names, read from their own pages."""
    parts = next(
        (found for found in ("(of each lesson: show)", "(of each lesson: ask and show)") if found in words), ""
    )
    wanted = re.findall(r"ask|show", parts) or ["ask", "show", "do"]
    total = 0
    for name in re.findall(r"\]\(([\w-]+)\.md\)", words):
        lesson = (ROOT / "book" / "teaching" / f"{name}.md").read_text("utf8")
        total += sum(int(re.search(rf"^:{part}: (\d+)$", lesson, re.MULTILINE)[1]) for part in wanted)  # type: ignore[index]
    for name in re.findall(r"\]\(\.\./assignments/([\w-]+)\.md\)", words):
        sheet = (ROOT / "book" / "assignments" / f"{name}.md").read_text("utf8")
        total += sum(map(int, re.findall(r"^\*.*`\w+`.* · about (\d+) minutes\*$", sheet, re.MULTILINE)))
    return total


def test_the_page_is_the_one_that_is_made() -> None:
    assert PAGE.read_text("utf8") == syllabus.page(ROOT), "run `ndcg exercises build`"


@pytest.mark.parametrize("heading", ["One lecture", "Two weeks: four lectures and two labs"])
def test_a_plan_adds_up_and_fits(heading: str) -> None:
    for when, what, minutes in rows(heading):
        assert taken(what) == int(minutes) <= (45 if when == "45 minutes" else 90), when


def test_self_study_counts_every_chapter_and_every_task() -> None:
    *parts, together = rows("Self-study")
    reading = on_pages("minutes")
    assert together[2] == f"{reading} minutes" == f"{added(row[2] for row in parts)} minutes"
    assert together[3] == f"{added(row[3] for row in parts)} minutes"
    assert added([together[3]]) == sum(a.minutes for a in assignments().values()) + on_pages("by-hand")


def on_pages(fact: str) -> int:
    told = [file.read_text("utf8") for file in (ROOT / "book").glob("[cn]*/*.md")]
    return sum(int(found) for text in told for found in re.findall(rf"^:{fact}: (\d+)$", text, re.MULTILINE))


def added(cells: Iterable[str]) -> int:
    return sum(int(cell.split()[0]) for cell in cells if cell != "–")


def test_every_question_of_an_exam_and_every_idea_of_the_test_has_its_chapter() -> None:
    told = "; ".join(row[3] for row in rows("What is learned")).split("; ")
    titles = [asked.title for asked in questions.load().values()]
    for name in [*titles, *(f"*{idea['name']}*" for idea in concepts.ideas())]:
        assert told.count(name) == 1, name


@pytest.mark.parametrize(
    ("when", "name", "part"),
    [("45 minutes", "ndcg", "show"), ("90 minutes", "ndcg", "ask"), ("Lecture 2", "ndcg", "do")],
)
def test_a_plan_that_takes_a_minute_too_long_stops_the_build(
    when: str, name: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = {row[0]: row[1:] for plan in ("One lecture", "Two weeks: four lectures and two labs") for row in rows(plan)}
    most = int(when.split(maxsplit=1)[0]) if when[0].isdigit() else 90
    lesson = syllabus.lessons(ROOT)[name]
    for more in (0, 1):
        took = getattr(lesson, part) + most - taken(plans[when][0]) + more
        longer = syllabus.lessons(ROOT) | {name: lesson._replace(**{part: took})}
        with monkeypatch.context() as patch:
            patch.setattr(syllabus, "lessons", lambda root, longer=longer: longer)
            if not more:
                assert f"| {most} |" in syllabus.page(ROOT)
                continue
            told = f"the plan of {when.lower()} takes {most + 1} minutes and has {most}: shorten a lesson"
            with pytest.raises(ValueError, match=told):
                syllabus.page(ROOT)


def test_a_course_of_a_few_chapters_has_a_plan_of_these(monkeypatch: pytest.MonkeyPatch) -> None:
    few = course.Course(
        units=("chapters/discounting", "chapters/ndcg"), assignments={"06-ndcg": course.Given("06-ndcg")}
    )
    monkeypatch.setattr(course, "load", lambda root: few)
    page = syllabus.page(ROOT)
    assert "discounting.md" in page and "which-ndcg.md" not in page and "assignments/ndcg" in page
    assert "| 0 minutes |" not in page and "Lecture 3" not in page and "Lab 1" not in page
    assert "assignments/discounting" not in page and "| together | 2 | 16 minutes | 51 minutes |" in page
