"""An exam on paper: two versions with data of their own, the marking scheme, the key, and a sheet for the answers."""

from __future__ import annotations

import csv
import io
import itertools
import tomllib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.make.bank.items import key_of, shown
from ndcg_course.make.bank.words import as_html, as_line
from ndcg_course.tasks import task_named
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import ValueTask
from ndcg_course.tasks.worth import taught

VERSIONS = ("A", "B")
LOGS = "The logarithms to base 2 of 3, 5, 6 and 7 are 1.585, 2.322, 2.585 and 2.807."
RULES = (
    "A point is a minute. Show how you get there: a right way with a slip in the sums loses one point. Give three"
    " decimals unless a whole number or a word is asked. The gain is {}, and the gain at rank i is"
    f" divided by $\\log_2(i+1)$. {LOGS}"
)


ROOM = 400  # millimetres to write in, so that a long exam has four pages too


class Asked(NamedTuple):
    """A question about the data of a drawn task, in the words of an exam. Its points are its minutes."""

    task: str
    points: int
    title: str
    words: str


def _asked() -> tuple[str, list[Asked], list[Asked]]:
    """What exam.toml holds: the words above the sheet, its questions, and the others."""
    held = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf8"))
    return held["sheet"], [Asked(**one) for one in held["one_list"]], [Asked(**one) for one in held["pool"]]


SHEET_WORDS, SHEET, POOL = _asked()


def _share(draw: Draw) -> tuple[str, list[str]]:
    n, percent = draw.integer(5, 7), draw.integer(61, 89)
    words = (
        f"Somebody reads an NDCG of 0.{percent} as “{percent} % of the results are relevant”. Write down two lists of"
        f" {n} documents with yes-or-no grades that hold equally many relevant ones and differ in NDCG. Which has more,"
        " and why?"
    )
    return words, [
        "two lists with equally many relevant documents, in another order",
        "the one with them nearer to the top has more, because discounts fall with the rank; the share sees no rank",
    ]


def _claim(draw: Draw) -> tuple[str, list[str]]:
    questions, high = draw.integer(30, 90), draw.integer(4, 9)
    words = (
        f"On {questions} questions B leads A by 0.02 in NDCG@10; the interval reaches from −0.0{high - 3} to 0.0{high}."
        " Write the sentence that a report may hold, and name two things that somebody needs to get the same number."
    )
    return words, [
        f"a difference is not shown: zero lies in the interval, and so does a lead of 0.0{high}; not “equally good”",
        "two of: the convention (gain, discount, ideal), what an empty question counts, the run files, the judgements",
    ]


def _perfect(draw: Draw) -> tuple[str, list[str]]:
    judged = [3, draw.integer(1, 2), 2, draw.integer(1, 3), 0]
    words = (
        f"For a question the grades {shown(judged)} were judged. An engine returned two documents with the grades 3, 1,"
        " and a tool prints NDCG@5 = 1. What did the tool do? What must the denominator hold, and is the right value"
        " above or below 1?"
    )
    return words, [
        "it made the ideal from the returned list, which is in its own best order",
        "the denominator holds the best five of all judged documents, so the right value is below 1",
    ]


class Written(NamedTuple):
    """A question that is answered in words, about a page of the book; `make` gives its words and its key."""

    page: str
    points: int
    title: str
    make: Callable[[Draw], tuple[str, list[str]]]


WRITTEN = {
    "share": Written("chapters/ndcg", 5, "A number, read aloud", _share),
    "claim": Written("chapters/comparing-systems", 5, "What may be said", _claim),
    "perfect": Written("chapters/the-ideal-ranking", 4, "A perfect value", _perfect),
}


def page_of(name: str) -> str:
    """The page of the book that a question is about."""
    return WRITTEN[name].page if name in WRITTEN else task_named(name).place.partition("#")[0]


@dataclass(frozen=True)
class Part:
    """A question of the paper. A `key` of several lines is that of a written answer, with equal points for each."""

    name: str  # 1a
    task: str
    title: str
    words: str
    points: int
    key: tuple[str, ...]
    tolerance: float = 0.0
    carried: str = ""  # what the answer is for a student whose earlier answers were wrong
    mistakes: tuple[tuple[str, str], ...] = ()  # numbers with what is behind them
    data: Any = None


def papers(seed: str, minutes: int, units: Container[str] = ()) -> dict[str, list[Part]]:
    """The parts of each version: the same questions, with other data; about these chapters, or about all."""
    chosen = _chosen(seed, minutes, units)
    made: dict[str, list[Part]] = {}
    seen: dict[str, set[str]] = {}
    for version in VERSIONS:
        made[version] = _sheet(seed, version, seen)
        for number, name in enumerate(chosen, start=2):
            if name in WRITTEN:
                _, points, title, make = WRITTEN[name]
                for turn in itertools.count():
                    words, key = make(Draw("exam", name, seed, version, turn))
                    if words not in seen.setdefault(name, set()):
                        break
                seen[name].add(words)
                made[version].append(Part(str(number), name, title, words, points, tuple(key)))
            else:
                asked = next(one for one in POOL if one.task == name)
                made[version].append(_part(str(number), asked, _data(asked.task, seed, version, seen)))
    return made


def _chosen(seed: str, minutes: int, units: Container[str]) -> list[str]:
    """One question in words and some of the others, in drawn order, that take all of the minutes."""
    sizes = {asked.task: asked.points for asked in POOL} | {name: asked.points for name, asked in WRITTEN.items()}
    sizes = {name: points for name, points in sizes.items() if not units or page_of(name) in units}
    draw = Draw("exam", seed)
    words = [name for name in WRITTEN if name in sizes]
    first = [draw.choice(words)] if words else []
    ways = {sum(asked.points for asked in SHEET) + sum(sizes[name] for name in first): first}
    for name in draw.shuffled([name for name in sizes if name not in first]):
        ways = {total + sizes[name]: [*way, name] for total, way in ways.items()} | ways
    if minutes not in ways:
        near = min(ways, key=lambda total: abs(total - minutes))
        raise ValueError(
            f"there is no exam of {minutes} minutes; the tasks make one of {near}, and of up to {max(ways)}"
            + (", because the exam asks about the units in course.toml alone" if units else "")
        )
    return draw.shuffled(ways[minutes])


def _data(name: str, seed: str, version: str, seen: dict[str, set[str]]) -> dict[str, Any]:
    """Data that stand in no notebook as it is handed out and not in the other version."""
    task = task_named(name)
    assert isinstance(task, ValueTask)
    known = seen.setdefault(name, {key_of(task.data("demo"))})
    for turn in range(100):
        data = task.data(f"exam {seed} {version} {turn}")
        if key_of(data) not in known:
            known.add(key_of(data))
            return data
    raise ValueError(f"task {name}: its data have too few forms for an exam")


def _part(name: str, asked: Asked, data: Mapping[str, Any], carried: str = "") -> Part:
    task = task_named(asked.task)
    assert isinstance(task, ValueTask)
    wrong = [(shown(task.wrong([slip], data), task.decimals), slip.sentence) for slip in task.slips]
    key = shown(task.target(data), task.decimals)
    return Part(
        name, asked.task, asked.title, _filled(asked.words, data), asked.points, (key,), task.tolerance, carried,
        tuple(wrong), data,
    )  # fmt: skip


def _sheet(seed: str, version: str, seen: dict[str, set[str]]) -> list[Part]:
    data = _data(SHEET[0].task, seed, version, seen)
    parts = [
        _part(f"1{letter}", asked, data, "1b / 1c" if letter == "d" else "")
        for letter, asked in zip("abcd", SHEET, strict=True)
    ]
    return [Part(**{**vars(parts[0]), "words": _filled(SHEET_WORDS, data) + "\n\n" + parts[0].words}), *parts[1:]]


def _filled(words: str, data: Mapping[str, Any]) -> str:
    return words.format(**{name: shown(value) for name, value in data.items()})


# ---- what is printed ---------------------------------------------------------------------------------------------

STYLE = (
    "@page{size:A4;margin:16mm 18mm}body{font:10.5pt/1.35 Georgia,serif;color:#000;margin:0}h1{font-size:15pt;margin:0}"
    "h2{font-size:11pt;margin:4mm 0 1mm}p{margin:1mm 0}table{border-collapse:collapse;width:100%}td,th{border:.3pt"
    " solid #555;padding:.6mm 1.5mm;text-align:left;vertical-align:top}.part{break-inside:avoid}.points{float:right}"
    ".head{display:flex;justify-content:space-between;border-bottom:1pt solid #000;padding:2mm 0}"
    "ol{list-style:lower-alpha}"
)


def page(title: str, body: str) -> str:
    """A page of HTML that needs nothing else and prints on A4."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def head(title: str, *facts: str) -> str:
    """The title, and the line for a name."""
    return f"<h1>{escape(title)}</h1><div class=head><span>Name</span><span>{escape(' · '.join(facts))}</span></div>"


def paper(parts: Sequence[Part], version: str, title: str) -> str:
    """A version as it is handed out."""
    total = sum(part.points for part in parts)
    body = head(title, f"version {version}", f"{total} points", f"{total} minutes") + as_html(
        RULES.format(taught().label)
    )
    for part in parts:
        number, letter = part.name.rstrip("abcd"), part.name[-1] if part.name[-1].isalpha() else ""
        points = sum(one.points for one in parts if one.name.rstrip("abcd") == number)
        title_ = f"<h2>{number}. {part.title}<span class=points>{points} points</span></h2>" if part.title else ""
        *before, last = part.words.split("\n\n")
        asked = (
            f"<b>{letter})</b> {as_line(last)}<span class=points>({part.points})</span>" if letter else as_line(last)
        )
        words = "".join(f"<p>{one}</p>" for one in [*map(as_line, before), asked])
        room = f"<div style='height:{min(6.5, ROOM / total) * part.points:.1f}mm'></div>"
        body += f"<div class=part data-part={part.name} data-points={part.points}>{title_}{words}{room}</div>"
    return page(f"{title}, version {version}", body)


def scheme(made: Mapping[str, Sequence[Part]], title: str) -> str:
    """How to mark: keys, what each mistake is worth, and what is right after a mistake before."""
    body = f"<h1>{escape(title)}: marking scheme</h1>" + as_html(
        "A right answer with its way has all points, a right way with one slip in the sums all but one. An answer with"
        " one of the mistakes named here has half of the points, rounded down. **A mistake is paid for once:** where an"
        " answer goes on from an earlier one, it is right if it follows from what the student has."
    )
    for parts in zip(*made.values(), strict=True):
        first = parts[0]
        body += f"<h2>{first.name} {first.title}<span class=points>{first.points} points</span></h2>"
        if len(first.key) > 1:
            keys = [(f"{points} points", line) for points, line in zip(_split(first), first.key, strict=True)]
            body += _table([("", "The answer says"), *keys])
            continue
        rows = [("", *(f"Version {version}" for version in made)), ("key", *(part.key[0] for part in parts))]
        if first.carried:
            rows.append(
                (
                    f"goes on: {first.carried}",
                    *(_carried(part, made[version]) for version, part in zip(made, parts, strict=True)),
                )
            )
        for i, (_, sentence) in enumerate(first.mistakes):
            rows.append((f"{first.points // 2} points: {sentence}", *(part.mistakes[i][0] for part in parts)))
        body += _table(rows)
    return page(f"{title}: marking scheme", body)


def _split(part: Part) -> list[int]:
    """The points of each line of a written answer; the first ones have what does not divide."""
    whole, rest = divmod(part.points, len(part.key))
    return [whole + (i < rest) for i in range(len(part.key))]


def _carried(part: Part, parts: Sequence[Part]) -> str:
    """What is right for those who made one of the named mistakes before."""
    above, below = (next(one for one in parts if one.name == name) for name in part.carried.split(" / "))
    b, c = float(above.key[0]), float(below.key[0])
    ways = [f"{value} / {c:.3f} = {float(value) / c:.3f}" for value, _ in above.mistakes]
    ways += [f"{b:.3f} / {value} = {b / float(value):.3f}" for value, _ in below.mistakes]
    return "; ".join(ways)


def _table(rows: Iterable[Sequence[str]]) -> str:
    return (
        "<table>"
        + "".join(f"<tr>{''.join(f'<td>{as_line(cell)}</td>' for cell in row)}</tr>" for row in rows)
        + "</table>"
    )


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as a CSV that spreadsheets open."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def files(seed: str, minutes: int, title: str, units: Container[str] = ()) -> dict[str, str]:
    """All that is handed out and kept, by the names of the files."""
    made = papers(seed, minutes, units)
    rows: list[tuple[object, ...]] = [("version", "part", "task", "points", "key", "tolerance", "carried")]
    rows += [(version, part.name, part.task, part.points, " | ".join(part.key), f"{part.tolerance:g}", part.carried)
             for version, parts in made.items() for part in parts]  # fmt: skip
    return {f"exam-{version}.html": paper(parts, version, title) for version, parts in made.items()} | {
        "marking.html": scheme(made, title),
        "key.csv": as_csv(rows),
        "answers.csv": as_csv([("student", "version", *(part.name for part in made["A"]))]),
    }
