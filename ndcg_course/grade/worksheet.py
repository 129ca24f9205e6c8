"""Moodle's grading worksheet, in any language: read for the times of handing in, and filled in place.

Moodle names its columns in the language of whoever downloads. They are known here by what they hold: numbered
participants, a maximum that is the same for all beside the grade, and two columns that differ in a word in brackets.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
DAY = re.compile(r"(?P<day>\d{1,2})\.?\s+(?:de\s+)?(?P<month>[^\W\d]+)\.?,?\s+(?:de\s+)?(?P<year>\d{4})")
MONTH_FIRST = re.compile(r"(?P<month>[^\W\d]+)\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})")
DIGITS = re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})")
CLOCK = re.compile(r"(\d{1,2})[:.](\d{2})(?:[:.]\d{2})?(?:\s*([ap])\.?\s?m\b)?", re.IGNORECASE)
MONTHS = (
    "jan ene gen", "feb fev", "mar maa", "apr avr abr", "may mai mei mag", "jun juin giu", "jul juil lug",
    "aug aou ago", "sep set", "oct okt ott out", "nov", "dec dez dic",
)  # fmt: skip


@dataclass(frozen=True)
class Worksheet:
    """The text of a worksheet, and where in it each field stands."""

    text: str
    rows: tuple[tuple[tuple[int, int], ...], ...]
    participant: int
    grade: int
    most: int
    submitted: int | None
    comments: int | None

    @classmethod
    def of(cls, data: bytes | str) -> Worksheet:
        """Read a worksheet; a ValueError names what is missing in it."""
        text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
        rows = _fields(text)
        values = [[_value(text[a:b]) for a, b in row] for row in rows]
        head, body = (values[0], values[1:]) if values else ([], [])
        body = [row for row in body if len(row) == len(head)]
        columns = {i: [row[i] for row in body] for i in range(len(head))}
        participant = next((i for i in columns if _numbered(columns[i])), None)
        changed = _changed({i: name for i, name in enumerate(head) if all(map(_time_or_nothing, columns[i]))})
        before = range((changed or [0])[0])
        most = next((i for i in reversed(before) if i and _one_number(columns[i])), None)
        if participant is None or not changed or most is None:
            lacking = "participants" if participant is None else "maximum grades" if changed else "times of grades"
            raise ValueError(
                f"--worksheet: no column of {lacking} was found among {', '.join(head)[:200] or 'nothing'}; download"
                " the grading worksheet from Moodle's assignment, and give it as it is"
            )
        after = changed[-1] + 1
        return cls(
            text,
            tuple(tuple(row) for row in rows),
            participant,
            most - 1,
            most,
            changed[0] if len(changed) > 1 else None,
            after if after < len(head) else None,
        )

    def people(self) -> dict[str, int]:
        """The row of each participant, by number."""
        found = {}
        for i, row in enumerate(self.rows[1:], start=1):
            if len(row) > self.participant and (match := re.search(r"(\d+)$", self.value(i, self.participant))):
                found[match[1]] = i
        return found

    def value(self, row: int, column: int) -> str:
        """What stands in a field."""
        a, b = self.rows[row][column]
        return _value(self.text[a:b])

    def times(self) -> dict[str, float]:
        """When each participant handed in."""
        if self.submitted is None:
            raise ValueError("--worksheet: there is no column for the time of the submission in it")
        found = {}
        for number, row in self.people().items():
            told = self.value(row, self.submitted)
            if any(c.isdigit() for c in told):
                found[number] = moment(told)
        return found

    def filled(self, grades: Mapping[str, tuple[float, str]]) -> str:
        """The worksheet with a share of the maximum and a comment for each participant; nothing else differs."""
        people, parts, at = self.people(), [], 0
        edits: list[tuple[tuple[int, int], str]] = []
        for number, (share, comment) in grades.items():
            if number in people:
                row, most = people[number], self.value(people[number], self.most)
                points = f"{share * float(most.replace(',', '.')):.2f}"
                edits.append((self.rows[row][self.grade], points.replace(".", ",") if "," in most else points))
                if self.comments is not None:  # read as HTML, by a reader to which a backslash before a quote is no end
                    told = escape(comment, quote=False).replace("\\", "&#92;")
                    edits.append((self.rows[row][self.comments], told))
        for (a, b), new in sorted(edits):
            parts += [self.text[at:a], '"' + new.replace('"', '""') + '"' if re.search(r'[",;\s]', new) else new]
            at = b
        return "".join([*parts, self.text[at:]])


def moment(told: str) -> float:
    """The time that a worksheet tells, in the time zone of this machine.

    >>> moment("Wednesday, 18 November 2026, 11:59 PM") == moment("Mittwoch, 18. November 2026, 23:59")
    True
    """
    clock = next((m for m in CLOCK.finditer(told)), None)
    date = DIGITS.search(told) or DAY.search(told) or MONTH_FIRST.search(told)
    month = _month(date["month"]) if date else None
    if clock is None or date is None or month is None:
        raise ValueError(f"--worksheet: the time {told!r} cannot be read; download it with Moodle in English")
    hour = int(clock[1])
    if clock[3]:
        hour = hour % 12 + 12 * (clock[3].lower() == "p")
    return time.mktime((int(date["year"]), month, int(date["day"]), hour, int(clock[2]), 0, 0, 0, -1))


def _month(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    plain = unicodedata.normalize("NFKD", word.casefold()).encode("ascii", "ignore").decode()
    for letters in (4, 3):
        for number, starts in enumerate(MONTHS, start=1):
            if plain[:letters] in starts.split():
                return number
    return None


def _fields(text: str) -> list[list[tuple[int, int]]]:
    """Where each field stands, by row; the mark of the byte order is no part of the first."""
    rows: list[list[tuple[int, int]]] = []
    row: list[tuple[int, int]] = []
    at = 1 if text.startswith("\ufeff") else 0
    between = max(",;\t", key=text.partition("\n")[0].count)
    field = re.compile(rf'("(?:[^"]|"")*"|[^{between}\r\n]*)({between}|\r\n|\n|\r|$)')
    while at < len(text):
        match = field.match(text, at)
        if match is None:
            raise ValueError("--worksheet: a field with quotes does not end")
        row.append(match.span(1))
        at = match.end()
        if match[2] != between:
            rows.append(row)
            row = []
    return rows + ([row] if row else [])


def _value(field: str) -> str:
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def _numbered(cells: list[str]) -> bool:
    found = [re.fullmatch(r"\D*?(\d+)", cell) for cell in cells]
    return bool(cells) and all(found) and len({match[1] for match in found if match}) == len(cells)


def _one_number(cells: list[str]) -> bool:
    return len(set(cells)) == 1 and NUMBER.fullmatch(cells[0]) is not None


def _time_or_nothing(cell: str) -> bool:
    return cell in ("", "-") or re.search(r"\d{4}|\d.*\d", cell) is not None


def _changed(heads: Mapping[int, str]) -> list[int]:
    """The two columns whose heads differ in their end alone, "Last modified (…)"; one where it stands alone.

    Others of that kind may stand before them, as what a school keeps of its students. Some languages have no brackets.
    """
    stems: dict[str, list[int]] = {}
    for i, name in heads.items():
        if match := re.fullmatch(r"(.+?)\s*[(（].+[)）]", name):
            stems.setdefault(match[1], []).append(i)
    words = {i: name.split()[:-1] for i, name in heads.items()}
    pairs = [columns[-2:] for columns in stems.values() if len(columns) > 1]
    pairs += [[i, j] for j in words for i in words if i < j and len(words[j]) > 1 and words[i] == words[j]]
    return max(pairs or stems.values(), key=lambda columns: columns[-1], default=[])
