"""Solve an exam from what is printed on it, and hold the marking scheme against that.

This folder imports nothing of the kit: it knows English sentences and arithmetic. It takes the logarithms and the gain
from the paper, as somebody with a pencil does, so a key that needs more digits than the paper gives is found as well.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from typing import Any, NamedTuple

from .words import Answer, Pencil, Unsolvable, readings

CLOSE = 0.002  # what a right way with the logarithms of the paper may be off
BLOCKS = {"p", "h1", "h2", "h3", "div", "tr", "table", "li", "section", "title"}
NUMBER = r"-?\d+(?:\.\d+)?"
SHAPES = {"<": rf"({NUMBER})", "[": rf"((?:{NUMBER}|–)(?:, (?:{NUMBER}|–))+)", "{": rf"({NUMBER}(?: {NUMBER})+)"}


# ---- the paper ----


class _Text(HTMLParser):
    """A page as text: a line for each block, and a bar between the cells of a table."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.silent += tag == "style"
        self.said.append("\n" if tag in BLOCKS else "")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag == "style"
        self.said.append("\n" if tag in BLOCKS else " | " if tag in ("td", "th") else "")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.said.append(data.replace("\n", " "))


def text_of(page: str) -> str:
    """The text of a page of HTML.

    >>> text_of("<h1>Exam</h1><p>One <b>list</b></p><table><tr><td>k</td><td>3</td></tr></table>").split()
    ['Exam', 'One', 'list', 'k', '|', '3', '|']
    """
    reader = _Text()
    reader.feed(page)
    return "".join(reader.said)


def plain(text: str) -> str:
    """On one line, with the minus of a keyboard."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).replace("−", "-").replace("|", " ")).strip()


class Asked(NamedTuple):
    """A part of the paper: the words of its question, its own, and its points."""

    stem: str
    words: str
    points: int


def asked(paper: str) -> dict[str, Asked]:
    """The parts of a paper by their names, 1a and the like."""
    held: dict[str, Asked] = {}
    pieces = re.split(r"(?m)^[ ]*(\d+)\. +(.*?) +\((\d+) points?\)[ ]*$", paper.replace("|", " "))
    for number, _, points, body in zip(*(pieces[i::4] for i in (1, 2, 3, 4)), strict=True):
        stem, *parts = re.split(r"(?m)^[ ]*([a-f])\) ", body)
        if not parts:
            held[number] = Asked("", plain(stem), int(points))
            continue
        for letter, words in zip(parts[::2], parts[1::2], strict=True):
            said = re.fullmatch(r"(.*) \((\d+)\)", plain(words))
            if not said:
                raise Unsolvable(f"part {number}{letter} does not end with its points")
            held[number + letter] = Asked(plain(stem), said[1], int(said[2]))
        if sum(one.points for name, one in held.items() if name.rstrip("abcdef") == number) != int(points):
            raise Unsolvable(f"the points of question {number} do not add up")
    return held


def _value(text: str) -> Any:
    """A number, a list, a row of a table, or a word."""
    cells = re.split(r", | ", text.strip())
    if not all(re.fullmatch(f"{NUMBER}|–", cell) for cell in cells):
        return text.strip()
    values = [None if cell == "–" else float(cell) for cell in cells]
    return values if len(values) > 1 else values[0]


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    """A sentence with its slots as a regular expression."""
    made = ""
    for piece in re.split(r"(<\w+>|\[\w+\]|\{\w+\}|…)", sentence):
        if re.fullmatch(r"<\w+>|\[\w+\]|\{\w+\}", piece):
            made += SHAPES[piece[0]].replace("(", f"(?P<{piece[1:-1]}>", 1)
        else:
            made += ".*?" if piece == "…" else re.escape(piece).replace(r"\ ", r"\s*")
    return re.compile(made)


def _own(words: str, text: str) -> dict[str, Any] | None:
    """What stands on the paper where the words of a teacher's own question have braces."""
    names: list[str] = []
    made = ""
    for piece in re.split(r"(\{\w+[^{}]*\})", words.replace("{{", "").replace("}}", "")):
        if slot := re.fullmatch(r"\{(\w+)[^{}]*\}", piece):
            names.append(slot[1])
            made += r"(.+?)\s*"
        else:
            made += "".join(re.escape(letter) + r"\s*" for letter in plain(re.sub(r"[\s*$`\\^|]|---+", "", piece)))
    found = re.fullmatch(r"\s*" + made, text)
    if not found:
        return None
    values: dict[str, list[Any]] = {}
    for name, said in zip(names, found.groups(), strict=True):
        values.setdefault(name, []).append(_value(said))
    return {
        name: one[0] if len(one) == 1 or all(other == one[0] for other in one) else one for name, one in values.items()
    }


def answer(pencil: Pencil, words: str, own: Sequence[tuple[str, str]] = ()) -> Answer | None:
    """What is right for these words; None where nobody can compute it, as where a sentence is asked for."""
    found: list[Any] = []
    for sentence, meaning in readings(pencil):
        if match := _pattern(sentence).search(words):
            found.append(meaning(**{name: _value(said) for name, said in match.groupdict().items()}))
    for template, reading in own:
        if (values := _own(template, words)) is not None:
            plainly = {name: getattr(math, name) for name in ("log2", "sqrt", "log", "ceil", "floor", "isclose")}
            known = {name: getattr(pencil, name) for name in ("gain", "cg", "dcg", "idcg", "ndcg", "d")}
            try:
                found.append(eval(reading, {**plainly, **known, **values}))
            except Exception as error:
                raise Unsolvable(f"its reading {reading!r} fails: {type(error).__name__}: {error}") from None
    if not found:
        return None
    if len(found) > 1 or found[0] is None:
        raise Unsolvable("its words can be read in two ways" if found[1:] else "its words contradict its numbers")
    return found[0] if isinstance(found[0], Answer) else Answer(found[0])


# ---- the marking scheme ----


class Row(NamedTuple):
    """A line of the marking scheme."""

    kind: str  # right, mistake, goes on, reason, says
    answer: str
    points: int
    remark: str


def marked(scheme: str) -> dict[str, list[Row]]:
    """The rows of each part of a marking scheme, from its text."""
    held: dict[str, list[Row]] = {}
    for line in scheme.splitlines():
        if head := re.match(r"\s*(\d+[a-f]?): ", line):
            held[head[1]] = rows = []
        cells = [cell.strip().replace("−", "-") for cell in line.split(" | ")]
        if cells[0] in ("right", "mistake", "goes on", "reason", "says"):
            rows.append(Row(cells[0], cells[1], int(cells[2]), cells[3]))
    return held


def check(paper: str, scheme: str, own: Sequence[tuple[str, str]] = ()) -> list[str]:
    """What the marking scheme says otherwise than the paper; empty where both agree. Both are given as text."""
    pencil = Pencil(plain(paper))
    parts, told = asked(paper), marked(scheme)
    if list(parts) != list(told):
        return [f"the paper asks {', '.join(parts)}, and the scheme marks {', '.join(told)}"]
    found: list[str] = []
    for name, part in parts.items():
        try:
            found += [f"{name}: {one}" for one in _differences(pencil, name, parts, told, own)]
        except Unsolvable as error:
            found.append(f"{name}: {error}")
        except (ValueError, TypeError, IndexError, StopIteration, ZeroDivisionError) as error:
            found.append(f"{name}: {part.words!r} cannot be worked out: {type(error).__name__}: {error}")
    return found


def _differences(
    pencil: Pencil, name: str, parts: dict[str, Asked], told: dict[str, list[Row]], own: Sequence[tuple[str, str]]
) -> Iterator[str]:
    part, rows = parts[name], told[name]
    whole = f"{part.stem} {part.words}".strip()
    solved = answer(pencil, whole, own)
    rights = [row for row in rows if row.kind == "right"]
    if sum(row.points for row in rows if row.kind in ("right", "reason", "says")) != part.points:
        yield f"the scheme does not give {part.points} points"
    if len(rights) != (solved is not None):
        yield (
            "the scheme has a key, and nobody can compute it" if rights else "the scheme has no key, and there is one"
        )
    if solved is None or not rights:
        yield from _sayings(pencil, whole, rows)
        return
    right = rights[0]
    if not _agrees(right.answer, solved.value):
        yield f"the key is {right.answer}, and the words give {_told(solved.value)}"
    if re.fullmatch(r"-0(\.0+)?", right.answer) or (right.remark and not _exact(right.answer, right.remark)):
        yield f"the key {right.answer} with its tolerance takes what is wrong"
    for row in rows:
        if row.kind == "mistake" and (row.points * 2 > right.points or _agrees(row.answer, _number(right.answer))):
            yield f"the mistake {row.answer} is too near to the key, or has too many points"
        if row.kind == "goes on":
            yield from _goes_on(pencil, name, parts, told, row, own)
        if row.kind == "reason" and solved.before_after:
            said = re.match(rf"({NUMBER}) before, ({NUMBER}) after", row.remark)
            if not said or any(
                abs(float(a) - b) > CLOSE for a, b in zip(said.groups(), solved.before_after, strict=True)
            ):
                yield f"the reason says {row.remark[:40]!r}, and the words give {_told(solved.before_after)}"
    yield from _sayings(pencil, whole, rows)


def _number(text: str) -> Any:
    return float(text) if re.fullmatch(NUMBER, text) else text


def _exact(key: str, remark: str) -> bool:
    """Whether a tolerance goes with three decimals, and is small."""
    off = re.fullmatch(rf"or off by ({NUMBER})", remark)
    return off is not None and len(key.partition(".")[2]) >= 3 and float(off[1]) <= CLOSE


def _agrees(key: str, value: Any) -> bool:
    """Whole numbers and words exactly, decimals as near as the paper's logarithms bring somebody."""
    if isinstance(value, str) or not re.fullmatch(NUMBER, key):
        return bool(key == value)
    return bool(abs(float(key) - value) <= (CLOSE if "." in key else 1e-9))


def _told(value: Any) -> str:
    if isinstance(value, tuple):
        return " and ".join(map(_told, value))
    return value if isinstance(value, str) else f"{value:.4g}"


def _goes_on(
    pencil: Pencil, name: str, parts: dict[str, Asked], told: dict[str, list[Row]], row: Row,
    own: Sequence[tuple[str, str]],
) -> Iterator[str]:  # fmt: skip
    """A carried error: what is right after a mistake in an earlier part."""
    after = re.fullmatch(rf"after ({NUMBER}) in (\w+)", row.remark)
    if not after or (after[1], "mistake") not in [(one.answer, one.kind) for one in told.get(after[2], [])]:
        yield f"{row.remark!r} names no mistake of an earlier part"
        return
    number = name.rstrip("abcdef")
    have: dict[str, Any] = {}
    for other, part in parts.items():
        if other.rstrip("abcdef") == number and other < name:
            solved = answer(pencil, f"{part.stem} {part.words}", own)
            measure = re.match(r"What is (\w+)@", part.words)
            have[measure[1] if measure else other] = float(after[1]) if other == after[2] else solved and solved.value
    if not parts[name].words.startswith("What is NDCG@") or not {"DCG", "IDCG"} <= set(have):
        yield "nobody knows how it goes on from an earlier part"
    elif not _agrees(row.answer, follows := have["DCG"] / have["IDCG"]):
        yield f"after {after[1]} in {after[2]} the scheme has {row.answer}, and {follows:.3f} follows"


def _sayings(pencil: Pencil, whole: str, rows: Sequence[Row]) -> Iterator[str]:
    """The numbers in what a written answer has to say."""
    grades, number = SHAPES["["], SHAPES["<"]
    for row in rows:
        if row.kind != "says" or not re.search(r"\d", row.remark):
            continue
        if said := re.search(rf"for example {grades} with {number}, and {grades} with {number}", row.remark):
            one, first, other, second = map(_value, said.groups())
            size = re.search(rf"two lists of {number} documents", whole)
            fine = size and len(one) == len(other) == float(size[1]) and sum(one) == sum(other) and set(one) <= {0, 1}
            fine = fine and abs(pencil.ndcg(one) - first) + abs(pencil.ndcg(other) - second) < CLOSE and first > second
        elif said := re.search(
            rf"0 lies in the interval from {number} to {number};.*a lead of {number} lies", row.remark
        ):
            low, high, lead = map(float, said.groups())
            fine = f"from {said[1]} to {said[2]}" in whole and low <= 0 <= high and low <= lead <= high
        elif said := re.search(rf"{grades} is in its own best order", row.remark):
            held = _value(said[1])
            fine = f"with the grades {said[1]}, in this order" in whole and sorted(held, reverse=True) == held
        else:
            fine = False
        if not fine:
            yield f"the scheme wants {row.remark!r}, and the paper does not say so"
