"""The syllabus: plans of several lengths, with minutes from the pages, the lessons and the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ndcg_course import course
from ndcg_course.make import concepts
from ndcg_course.make.bank.words import bare
from ndcg_course.make.chapters import PARTS, Chapter, Lesson, lessons, outlines
from ndcg_course.make.exam import questions
from ndcg_course.tasks import assignments
from ndcg_course.tasks.task import Task


class Slot(NamedTuple):
    """A lecture or a lab: how long it is, of which lessons it takes which parts, or which assignments."""

    title: str
    lessons: Sequence[str] = ()
    parts: Sequence[str] = PARTS
    assignments: Sequence[str] = ()
    minutes: int = 90


SINGLE = (
    Slot("45 minutes", ("discounting", "the-ideal-ranking", "ndcg"), ("show",), minutes=45),
    Slot("90 minutes", ("two-rankings", "discounting", "the-ideal-ranking", "ndcg"), ("ask", "show")),
)
WEEKS = (
    Slot("Lecture 1", ("two-rankings", "cumulative-gain", "discounting")),
    Slot("Lab 1", assignments=("cumulative-gain", "discounting")),
    Slot("Lecture 2", ("the-ideal-ranking", "ndcg", "ndcg-bounds")),
    Slot("Lecture 3", ("what-a-grade-is-worth", "why-a-logarithm", "which-ndcg")),
    Slot("Lab 2", assignments=("hand-calculation", "ndcg")),
    Slot("Lecture 4", ("comparing-systems", "judging", "what-to-report")),
)
PAGE = """\
# Syllabus

You have one lecture, two weeks, or students who learn alone. Each plan adds up the minutes that the chapters, the
lessons of this guide and the tasks name. If you change one of these, or the choice in `course.toml`,
`ndcg exercises build` makes this page anew.

## One lecture

{single}

## Two weeks: four lectures and two labs

{weeks}

The exam and the test before and after come from `ndcg exam`.

## If you have less

{less}

## Self-study

{alone}

## What is learned, where it is practised, and what asks for it

The last column names questions of `ndcg exam`, and in italics items of its test before and after the course.

:::{{dropdown}} Every chapter with its objectives, tasks and questions
{learned}
:::
"""


def page(root: Path) -> str:
    """The page of the book."""
    given = course.load(root)
    known = {chapter.name: chapter for chapter in outlines(root)}
    taught = {name.rpartition("/")[2]: known[name] for name in given.in_order(list(known))}
    named = {
        name.partition("-")[2]: [
            task for task in assignments()[name].tasks if task.name not in given.given(name).without
        ]
        for name in given.names(list(assignments()))
    }
    minutes = lessons(root)
    what = "the chapters of the course" if given.units else "the short book"
    return PAGE.format(
        single=_plan(SINGLE, taught, named, minutes), weeks=_plan(WEEKS, taught, named, minutes),
        less=_less(taught, named, minutes), alone=_alone(taught, named, what),
        learned=_learned(taught, named),
    )  # fmt: skip


def _table(rows: Sequence[Sequence[object]]) -> str:
    head, *rest = rows
    lines = [head, ["---"] * len(head), *rest]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _lesson(name: str, chapter: Chapter) -> str:
    return f"[{chapter.title}]({name}.md)"


def _plan(slots: Sequence[Slot], taught: dict[str, Chapter], named: dict[str, list[Task]],
          minutes: dict[str, Lesson]) -> str:  # fmt: skip
    """A row for each slot; one that takes longer than it is stops the build."""
    rows: list[list[object]] = [["when", "what", "minutes"]]
    for slot in slots:
        whats = [_lesson(name, taught[name]) for name in slot.lessons if name in taught]
        total = sum(getattr(minutes[name], part) for name in slot.lessons if name in taught for part in slot.parts)
        for name in slot.assignments:
            if name in named:
                whats.append(f"Assignment: [](../assignments/{name}.md)")
                total += sum(task.minutes for task in named[name])
        if total > slot.minutes:
            raise ValueError(
                f"the plan of {slot.title.lower()} takes {total} minutes and has {slot.minutes}: shorten a lesson in"
                " book/teaching or a task, or change the plan in ndcg_course/make/syllabus.py"
            )
        only = "" if slot.assignments or slot.parts == PARTS else f" (of each lesson: {' and '.join(slot.parts)})"
        if whats:
            rows.append([slot.title, "; ".join(whats) + only, total])
    return _table(rows)


def _less(taught: dict[str, Chapter], named: dict[str, list[Task]], minutes: dict[str, Lesson]) -> str:
    """What can go first, and the minutes that it gives back."""
    lectures = {slot.title: [n for n in slot.lessons if n in taught] for slot in WEEKS if slot.lessons}
    total = {title: sum(minutes[name].minutes for name in held) for title, held in lectures.items()}
    homework = sum(minutes[name].do for held in lectures.values() for name in held)
    labs = {slot.title: [task.minutes for name in slot.assignments for task in named.get(name, ())] for slot in WEEKS}
    third, fourth = "Lecture 3", "Lecture 4"
    rows: list[tuple[str, int, str]] = [
        (third, total[third], "why two tools differ; make it reading"),
        (fourth, total[fourth], "whether a difference is one"),
        ("what is to do in the lectures, as homework", homework, "that you see who stumbles, and where"),
        *((title, sum(held), "nothing but your presence: the check answers at home as well")
          for title, held in labs.items()),
    ]  # fmt: skip
    kept = [(what, f"{minutes} minutes", lost) for what, minutes, lost in rows if minutes]
    return _table([("leave out", "it gives back", "what is lost"), *kept])


def _alone(taught: dict[str, Chapter], named: dict[str, list[Task]], what: str) -> str:
    """The numbered chapters as one row, with their core practice; then all else, part by part, with its assignments."""
    known = {task.name: task for tasks in named.values() for task in tasks}
    rows: list[list[object]] = [["part", "pages", "reading", "practice"]]
    short = [chapter for chapter in taught.values() if chapter.number]
    core = [name for chapter in short for name in chapter.practice if name in known]
    reading = sum(chapter.minutes for chapter in short)
    practice = sum(known[name].minutes for name in core) + sum(chapter.by_hand for chapter in short)
    row = [f"**{what}**, with its core practice", len(short), f"{reading} minutes", f"{practice} minutes"]
    rows.append(row)
    sums = [reading, practice]
    rest = [chapter for chapter in taught.values() if not chapter.number]
    for part in dict.fromkeys(chapter.part for chapter in rest):
        reading = sum(chapter.minutes for chapter in rest if chapter.part == part)
        rows.append([part, sum(chapter.part == part for chapter in rest), f"{reading} minutes", "–"])
        sums[0] += reading
    more = sum(task.minutes for name, task in known.items() if name not in core)
    rows += [["more practice, by assignment", "–", "–", f"{more} minutes"]]
    rows += [["together", len(taught), f"{sums[0]} minutes", f"{sums[1] + more} minutes"]]
    return _table(rows)


def _learned(taught: dict[str, Chapter], named: dict[str, list[Task]]) -> str:
    """The objectives of each chapter, with the tasks that send their readers there and the questions about it."""

    places = {task.name: task.place.partition("#")[0] for one in assignments().values() for task in one.tasks}

    def at(task: str, chapter: Chapter) -> bool:
        return places.get(task) == chapter.name

    asked = questions.load().values()
    rows: list[list[object]] = [["chapter", "objectives", "tasks", "questions"]]
    for name, chapter in taught.items():
        practised = [f"`{task.name}`" for tasks in named.values() for task in tasks if at(task.name, chapter)]
        titles = [one.title for one in asked if one.page == chapter.name]
        titles += [f"*{idea['name']}*" for idea in concepts.ideas() if idea["page"] == chapter.name]
        lesson = _lesson(name, chapter) if chapter.name.startswith("chapters/") else f"[](../{chapter.name}.md)"
        rows.append(
            [lesson, "; ".join(map(bare, chapter.objectives)), ", ".join(practised) or "–", "; ".join(titles) or "–"]
        )
    return _table(rows)
