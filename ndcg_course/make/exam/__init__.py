"""An exam on paper: versions with data of their own, and a scheme that a solver of the print agrees to."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ndcg_course.make.bank.words import as_html, as_line
from ndcg_course.make.exam import solver
from ndcg_course.make.exam.questions import Part, Question, drawn
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.worth import taught
from ndcg_lib import grid
from ndcg_lib.grid import Html, tag

PAGES = Path(__file__).with_name("templates")
VERSIONS = ("A", "B")
FIRST = "one_list"  # asked in every exam, with new grades, unless it is left out
LOGS = (
    "The logarithms to base 2 of 3, 5, 6, 7, 9, 10, 11, 12 and 13 are"
    " 1.585, 2.322, 2.585, 2.807, 3.170, 3.322, 3.459, 3.585 and 3.700."
)
RULES = (
    "A point is a minute. Show how you get there: a right way with a slip in the sums loses one point. Give three"
    " decimals unless a whole number or a word is asked; the last one may be off by 2. You may use a pocket calculator."
    " Where a question names no other, the gain and the discount are these. The gain is {}. The gain at rank i is"
    " divided by $\\log_2(i+1)$, and the whole list means all of its ranks. A list that is given in grades begins with"
    f" rank 1. {LOGS}"
)
MINUTES = "minutes"  # the column of answers.csv that may stay empty: after how many minutes the paper came back
ROOM = 400  # millimetres to write in, so that a long exam has four pages too


@dataclass(frozen=True)
class Wish:
    """What a teacher asks for."""

    seed: str
    minutes: int
    units: Collection[str] = ()  # pages that are taught; none stands for all
    ask: Sequence[str] = ()  # questions that must be there
    without: Collection[str] = ()
    versions: Sequence[str] = VERSIONS
    title: str = "Exam"


@dataclass(frozen=True)
class Exam:
    """An exam as it is kept, to mark it later."""

    title: str
    seed: str
    minutes: int
    versions: Mapping[str, Sequence[Part]]

    def json(self) -> str:
        """The text of exam.json."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, file: Path) -> Exam:
        """An exam.json."""
        try:
            said = json.loads(file.read_text("utf8"))
            made = {name: [Part(**_tuples(part)) for part in parts] for name, parts in said.pop("versions").items()}
            return cls(**said, versions=made)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{file}: this is not the exam.json that `ndcg exam` wrote ({type(error).__name__})"
            ) from None


def _tuples(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(map(tuple, value)) if isinstance(value, list) else value for name, value in part.items()}


def made(wish: Wish, questions: Mapping[str, Question], history: Sequence[Mapping[str, Any]] = ()) -> tuple[Exam, str]:
    """The parts of each version, the same questions with other data; and what the teacher should know of the choice."""
    before = list(itertools.takewhile(lambda one: one["seed"] != wish.seed, history))
    chosen, told = choose(wish, questions, before)
    seen = {words for one in before for words in one["words"]}
    versions: dict[str, list[Part]] = {}
    for version in wish.versions:
        versions[version] = [
            part
            for number, name in enumerate(chosen, start=1)
            for part in drawn(questions[name], number, wish.seed, version, seen=seen)
        ]
    return Exam(wish.title, wish.seed, wish.minutes, versions), told


def choose(
    wish: Wish, questions: Mapping[str, Question], history: Sequence[Mapping[str, Any]] = ()
) -> tuple[list[str], str]:
    """Questions that take all of the minutes, none of which was asked before, as far as there are enough."""
    for name in [*wish.ask, *wish.without]:
        if name not in questions:
            raise ValueError(f"there is no question {name!r}: `ndcg exam --list` names them")
    if both := set(wish.ask) & set(wish.without):
        raise ValueError(f"the question {min(both)!r} is asked for and left out")
    pool = [
        name
        for name, question in questions.items()
        if name in wish.ask
        or (name not in wish.without and (not wish.units or not question.page or question.page in wish.units))
    ]
    fixed = [*([FIRST] if FIRST in pool and FIRST not in wish.ask else []), *wish.ask]
    asked = [set(one["questions"]) for one in history]
    for again in range(len(history) + 1):  # the oldest exams first give their questions back
        old = set().union(*asked[again:])
        fresh = [name for name in pool if name in fixed or name not in old]
        if found := _fill(wish, questions, fixed, fresh):
            told = f"the questions of {again} earlier exams may come again" if again else ""
            return found, told
    ways = _ways(wish, questions, fixed, pool)
    near = min(ways, key=lambda total: abs(total - wish.minutes))
    raise ValueError(
        f"there is no exam of {wish.minutes} minutes; the questions make one of {near}, and of up to {max(ways)}"
        + (", because the exam asks about the units in course.toml alone" if wish.units else "")
    )


def _ways(wish: Wish, questions: Mapping[str, Question], fixed: Sequence[str], pool: Sequence[str]) -> dict[int, Any]:
    draw = Draw("exam", wish.seed)
    rest = [name for name in pool if name not in fixed]
    written = [name for name in rest if any(part.lines for part in questions[name].parts)]
    first = [draw.choice(written)] if written and wish.minutes >= 40 else []
    begun = [*fixed, *first]
    ways = {sum(questions[name].points for name in begun): begun}
    for name in draw.shuffled([name for name in rest if name not in first]):
        ways = {total + questions[name].points: [*way, name] for total, way in ways.items()} | ways
    return ways


def _fill(wish: Wish, questions: Mapping[str, Question], fixed: Sequence[str], pool: Sequence[str]) -> list[str] | None:
    found = _ways(wish, questions, fixed, pool).get(wish.minutes)
    if found is None:
        return None
    head = [name for name in found if name == FIRST]
    return head + Draw("order", wish.seed).shuffled([name for name in found if name != FIRST])


def history(file: Path) -> list[dict[str, Any]]:
    """What earlier exams asked, from the file that keeps it."""
    try:
        held: list[dict[str, Any]] = json.loads(file.read_text("utf8"))["exams"]
        if not all({"seed", "questions", "words"} <= set(one) for one in held):
            raise KeyError("seed")
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{file}: this is not a history that `ndcg exam --history` wrote") from None
    return held


def as_history(exams: Sequence[Mapping[str, Any]]) -> str:
    """The text of a history file."""
    return json.dumps({"exams": list(exams)}, indent=1, ensure_ascii=False) + "\n"


def entry(exam: Exam) -> dict[str, Any]:
    """What a history keeps of an exam."""
    first = next(iter(exam.versions.values()))
    questions = list(dict.fromkeys(part.question for part in first))
    words: dict[tuple[str, str], list[str]] = {}
    for version, parts in exam.versions.items():
        for part in parts:
            words.setdefault((version, part.question), []).append(f"{part.stem} {part.words}")
    return {"seed": exam.seed, "minutes": exam.minutes, "questions": questions,
            "words": [" ".join(one) for one in words.values()]}  # fmt: skip


# ---- what is printed ---------------------------------------------------------------------------------------------


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(PAGES), autoescape=True, undefined=StrictUndefined, trim_blocks=True)


def page(template: str, title: str, **what: object) -> Html:
    """A page that needs nothing else and prints on A4."""
    body = _templates().get_template(template).render(title=title, **what)
    return grid.page(title, Html((PAGES / "page.css").read_text("utf8")), Html(body))


def paper(exam: Exam, version: str, student: str = "") -> str:
    """A version as it is handed out."""
    parts = exam.versions[version]
    total = sum(part.points for part in parts)
    questions: dict[str, dict[str, Any]] = {}
    for part in parts:
        letter = part.name[-1] if part.name[-1].isalpha() else ""
        about = questions.setdefault(part.number, {"title": part.title, "stem": "", "points": 0, "parts": []})
        about["points"] += part.points
        about["stem"] = about["stem"] or (as_html(part.stem) if part.stem else "")
        words = as_html(part.words)
        if letter:
            words = tag("p", tag("b", f"{letter})"), " ", as_line(part.words), f" ({part.points})")
        about["parts"].append({"words": words, "room": f"{min(6.5, ROOM / total) * part.points:.1f}"})
    rules = as_html(RULES.format(taught().label))
    return page(
        "paper.html", title=exam.title, version=version, student=student, total=total, rules=rules,
        questions=list(questions.values()),
    )  # fmt: skip


def scheme(exam: Exam) -> str:
    """How to mark: keys, what each mistake is worth, and what is right after a mistake before."""
    versions = {
        version: [
            {"name": part.name, "title": part.title, "points": part.points, "rows": list(_rows(part, parts))}
            for part in parts
        ]
        for version, parts in exam.versions.items()
    }
    return page("scheme.html", title=exam.title, versions=versions)


def _rows(part: Part, parts: Sequence[Part]) -> Iterable[tuple[object, ...]]:
    if part.key:
        off = f"or off by {part.tolerance:g}" if part.tolerance else ""
        yield "right", part.key, part.typed, off
    for value, told in part.mistakes:
        yield "mistake", value, part.typed // 2, as_line(told)
    for name, value, follows in carried(part, parts):
        yield "goes on", follows, part.typed, f"after {value} in {name}"
    for points, text in part.lines:
        yield "reason" if part.reason else "says", "", points, as_line(text)


def carried(part: Part, parts: Sequence[Part]) -> Iterable[tuple[str, str, str]]:
    """What is right for those who made one of the named mistakes in an earlier part of the question."""
    if not part.follows:
        return
    earlier = {one.name[-1]: one for one in parts if one.number == part.number and one.key and one.name < part.name}
    have = {letter: float(one.key) for letter, one in earlier.items()}
    for letter, one in earlier.items():
        for value, _ in one.mistakes:
            result = eval(part.follows, {**have, letter: float(value)})
            if result != eval(part.follows, dict(have)):
                yield one.name, value, f"{result:.3f}"


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as a CSV that spreadsheets open."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def columns(parts: Sequence[Part]) -> list[str]:
    """The columns of the sheet for the answers: what was typed, or the points that a person gives for words."""
    held = []
    for part in parts:
        held += [part.name] if part.key else []
        held += [f"{part.name} words (0-{part.points - part.typed})"] if part.lines else []
    return held


def files(exam: Exam, students: Mapping[str, str] | None = None) -> dict[str, str]:
    """All that is handed out and kept, by the names of the files; `students` have a version each."""
    rows: list[tuple[object, ...]] = [("version", "part", "question", "points", "key", "tolerance")]
    rows += [(version, part.name, part.question, part.points, part.key or " | ".join(text for _, text in part.lines),
              f"{part.tolerance:g}") for version, parts in exam.versions.items() for part in parts]  # fmt: skip
    names = {version: student for student, version in (students or {}).items()}
    first = next(iter(exam.versions.values()))
    sheet: list[Sequence[object]] = [("student", "version", *columns(first), MINUTES)]
    sheet += [(student, version, *("" for _ in columns(first)), "") for version, student in names.items()]
    return {
        f"exam-{version}.html": paper(exam, version, names.get(version, "")) for version in exam.versions
    } | {"marking.html": scheme(exam), "key.csv": as_csv(rows), "answers.csv": as_csv(sheet),
         "exam.json": exam.json()}  # fmt: skip


def solved(exam: Exam, questions: Mapping[str, Question], texts: Mapping[str, str], marking: str) -> None:
    """Let the solver work each paper from its text; one that it cannot solve is an error with its name."""
    own = [
        (f"{question.words} {part.words}".strip(), part.reading)
        for question in questions.values()
        for part in question.parts
        if part.reading
    ]
    schemes = dict(zip(exam.versions, marking.split(": marking scheme, version ")[-len(exam.versions) :], strict=True))
    for version, text in texts.items():
        if problems := solver.check(text, schemes[version], own):
            name, _, what = problems[0].partition(": ")
            about = {part.name: part.question for part in exam.versions[version]}
            raise ValueError(
                f"version {version}, question {about.get(name, '?')!r} ({name}): {what}. No exam is written; leave the"
                f" question out with --without {about.get(name, 'NAME')}, or mend its words or its key"
            )
