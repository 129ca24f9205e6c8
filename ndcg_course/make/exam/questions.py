"""The questions of the exam and a teacher's own: words, a drawn case, and the key that the library gives."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.worth import taught

TURNS = 400  # draws until a case has all that a question needs
CLOSE = 0.002  # what a typed decimal may be off
_QUESTION = {"name", "objective", "page", "title", "draw", "need", "words", "points", "parts"}
_PART = {"points", "words", "key", "decimals", "wrong", "compare", "why", "lines", "follows", "reading"}


@dataclass(frozen=True)
class Asked:
    """A part of a question, as its file has it: expressions over the case."""

    points: int
    words: str = ""
    key: str = ""
    decimals: int = 3
    wrong: Sequence[tuple[str, str]] = ()
    compare: Sequence[str] = ()
    why: Sequence[tuple[str, str]] = ()
    lines: Sequence[tuple[int, str]] = ()
    follows: str = ""
    reading: str = ""  # of a teacher's own question: the same from the printed numbers, by plain arithmetic


@dataclass(frozen=True)
class Question:
    """A question as its file has it."""

    name: str
    title: str
    page: str = ""  # of the book; "" is asked in every course
    objective: str = ""
    words: str = ""  # what stands above the parts
    draw: Mapping[str, str] = field(default_factory=dict)
    need: str = "True"
    parts: tuple[Asked, ...] = ()

    @property
    def points(self) -> int:
        """The points of all parts, which are its minutes."""
        return sum(part.points for part in self.parts)


@dataclass(frozen=True)
class Part:
    """A part of a paper: what is printed, and what is right."""

    name: str  # 1a
    question: str
    title: str
    stem: str  # above the first part of a question
    words: str
    points: int
    key: str = ""
    tolerance: float = 0.0
    mistakes: tuple[tuple[str, str], ...] = ()  # a value, and what is behind it
    lines: tuple[tuple[int, str], ...] = ()  # what a written answer says, with its points
    reason: bool = False  # the lines are those of "say why"
    follows: str = ""  # how the key comes out of earlier parts: b / c

    @property
    def number(self) -> str:
        """The number of its question on the paper."""
        return self.name.rstrip("abcdef")

    @property
    def typed(self) -> int:
        """The points of the typed answer."""
        return self.points - sum(points for points, _ in self.lines)


def load(own: Path | None = None) -> dict[str, Question]:
    """All questions by name, with those of a teacher's own file."""
    held = _read(Path(__file__).with_name("questions.toml"), readings=False)
    for name, question in (_read(own, readings=True) if own else {}).items():
        if name in held:
            raise ValueError(f"{own}: there is a question {name!r} already; give yours another name")
        held[name] = question
    return held


def _read(file: Path, *, readings: bool) -> dict[str, Question]:
    try:
        said = tomllib.loads(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{file}: this cannot be read as TOML: {error}") from None
    held: dict[str, Question] = {}
    for number, one in enumerate(said.get("question", []), start=1):
        where = f"{file.name}, question {one.get('name', number)!r}"
        single = {name: one.pop(name) for name in [*one] if name in _PART - {"words", "points"}}
        parts = one.pop("parts", None) or [{"points": one.pop("points", 0), "words": one.pop("words", ""), **single}]
        unknown = [*set(one) - _QUESTION, *(name for part in parts for name in set(part) - _PART)]
        if unknown:
            raise ValueError(f"{where}: there is no key {unknown[0]!r}")
        for needed in ("name", "title"):
            if not one.get(needed):
                raise ValueError(f"{where}: give it a {needed}")
        if one["name"] in held:
            raise ValueError(f"{where}: two questions have this name")
        made = tuple(Asked(**part) for part in parts)
        for part in made:
            _sound(part, where, readings=readings)
        held[one["name"]] = Question(**one, parts=made)
    return held


def _sound(part: Asked, where: str, *, readings: bool) -> None:
    if not isinstance(part.points, int) or part.points < 1:
        raise ValueError(f"{where}: points are a whole number from 1 on")
    if not part.words:
        raise ValueError(f"{where}: a part has no words")
    if not part.key and not part.lines:
        raise ValueError(f"{where}: give a key, or lines that say what a written answer must hold")
    if readings and part.key and not part.reading:
        raise ValueError(
            f"{where}: give a reading too, which computes the answer from the numbers in the words, without the key"
        )


# ---- a case, and its values ----


def _vocabulary(draw: Draw) -> dict[str, Any]:
    """What an expression may say beside the names of its case."""
    gain = taught().key

    def cg(grades: Sequence[float], k: int | None = None) -> float:
        return float(nd.dcg(grades, k, gain=gain, discount="none"))

    def dcg(grades: Sequence[float], k: int | None = None, gain: Any = gain, discount: Any = "modern") -> float:
        return float(nd.dcg(grades, k, gain=gain, discount=discount)) if grades else 0.0

    def ndcg(grades: Sequence[float], k: int | None = None, judged: Any = None, gain: Any = gain) -> float:
        return float(nd.ndcg(grades, k, judged=judged, gain=gain))

    def way(before: float, after: float) -> str:
        return "stays" if math.isclose(before, after, abs_tol=1e-12) else "rises" if after > before else "falls"

    def swapped(grades: Sequence[float], a: int, b: int) -> list[float]:
        other = list(grades)
        other[a - 1], other[b - 1] = other[b - 1], other[a - 1]
        return other

    def apart(values: Sequence[float], least: float) -> bool:
        return all(abs(one - other) > least for one, other in itertools.combinations(values, 2))

    return {
        "grades": draw.grades, "whole": draw.integer, "pick": draw.choice, "some": draw.sample,
        "shuffled": draw.shuffled, "hundredths": lambda low, high: draw.integer(low, high) / 100,
        "thousandths": lambda low, high: draw.integer(low, high) / 1000,
        "text": lambda value: f"{value:.3f}" if round(value, 2) != round(value, 6) else f"{value:.2f}",
        "gain": lambda grade: cg([grade]), "cg": cg, "dcg": dcg, "ndcg": ndcg, "way": way, "swapped": swapped,
        "idcg": lambda judged, k=None: dcg(sorted(judged, reverse=True), k),
        "d": lambda rank: dcg([0] * (rank - 1) + [1], gain="linear"),
        "orders": lambda grades: [list(one) for one in itertools.permutations(grades)], "apart": apart,
        "log2": math.log2, "sqrt": math.sqrt,
    }  # fmt: skip


def drawn(question: Question, number: int, *seed: object, seen: set[str]) -> list[Part]:
    """The parts of a question with a case that was not seen before, under this number on the paper."""
    for turn in range(TURNS):
        known = _vocabulary(Draw("exam", question.name, *seed, turn))
        at = "draw"
        try:
            for at, expression in question.draw.items():
                known[at] = eval(expression, known)
            at = "need"
            if not eval(question.need, known):
                continue
            parts = [_part(question, i, number, known) for i in range(len(question.parts))]
        except _Redraw:
            continue
        except Exception as error:
            raise ValueError(f"question {question.name!r}, {at}: {type(error).__name__}: {error}") from None
        words = " ".join(f"{part.stem} {part.words}" for part in parts)
        if words not in seen or not question.draw:
            seen.add(words)
            return parts
    raise ValueError(f"question {question.name!r}: no new case in {TURNS} draws; let it draw from more, or need less")


class _Redraw(Exception):
    """The case has an answer that cannot be marked fairly."""


def _part(question: Question, i: int, number: int, known: dict[str, Any]) -> Part:
    asked = question.parts[i]
    name = f"{number}{'abcdef'[i]}" if len(question.parts) > 1 else str(number)
    key, tolerance = "", 0.0
    mistakes: tuple[tuple[str, str], ...] = ()
    if asked.key:
        value = eval(asked.key, known)
        key, tolerance = _shown(value, asked.decimals)
        mistakes = _mistakes(asked, value, tolerance, known)
    lines = tuple((points, _filled(text, known)) for points, text in asked.lines)
    if asked.why:
        before, after = (_plain(eval(one, known)) for one in asked.compare)
        said = next(text for condition, text in asked.why if eval(condition, known))
        lines = ((asked.points - 1, f"{before} before, {after} after: {said}"),)
    return Part(
        name, question.name, question.title, _filled(question.words, known) if i == 0 or question.words else "",
        _filled(asked.words, known), asked.points, key, tolerance, mistakes, lines, bool(asked.why), asked.follows,
    )  # fmt: skip


def _mistakes(asked: Asked, value: Any, tolerance: float, known: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The values of known mistakes, as far as they differ from the key and from each other."""
    held: list[tuple[float, str, str]] = []
    for expression, told in asked.wrong:
        wrong = float(eval(expression, known))
        if all(abs(wrong - other) > max(3 * tolerance, 1e-9) for other in [value, *(one for one, *_ in held)]):
            whole = asked.decimals == 0 and abs(wrong - round(wrong)) < 1e-9
            held.append((wrong, f"{wrong:.0f}" if whole else f"{wrong:.3f}", told))
    return tuple((text, told) for _, text, told in held)


def _shown(value: Any, decimals: int) -> tuple[str, float]:
    """A key as it is printed, and what a typed answer may be off."""
    if isinstance(value, str):
        return value, 0.0
    if decimals == 0 and abs(value - round(value)) < 1e-9:
        return str(round(value)), 0.0
    if abs(value) < 0.005:
        raise _Redraw  # its sign and its size are lost in the rounding
    return f"{value:.3f}", CLOSE


def _plain(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 1e-9 else f"{value:.3f}"


def _filled(words: str, known: Mapping[str, Any]) -> str:
    """Words with their case; an expression may stand in a brace."""
    made, rest = "", words.replace("{{", "\0").replace("}}", "\1")
    while "{" in rest:
        before, _, rest = rest.partition("{")
        slot, _, rest = rest.partition("}")
        expression, _, form = slot.partition(":")
        value = eval(expression, dict(known))
        made += before + (format(value, form) if form else _read_aloud(value))
    return (made + rest).replace("\0", "{").replace("\1", "}")


def _read_aloud(value: Any) -> str:
    """A value of the case as somebody would write it."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_read_aloud, value))
    if value is None:
        return "–"
    return (f"{value:.10g}" if isinstance(value, float) else str(value)).replace("-", "−")
