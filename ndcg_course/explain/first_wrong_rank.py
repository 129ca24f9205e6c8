"""One case rank by rank, the right answer beside the student's: where the two part for the first time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, zip_longest
from typing import Any, NamedTuple

from ndcg_course.explain.codec import ODD
from ndcg_course.explain.faults import is_number
from ndcg_course.explain.outcome import show, show_both
from ndcg_lib.grid import Html, tag, tags

Of = Callable[[list[Any]], Any]  # what a function gives for a list in place of the one in the case
LONGEST = 12
_LACKING = object()


class Rows(NamedTuple):
    """A table: its head, its rows, and the first row in which the two answers differ."""

    head: list[str]
    rows: list[list[str]]
    marked: int | None = None

    def text(self) -> list[str]:
        """In columns."""
        table = [["", *self.head]] + [["→" if i == self.marked else "", *row] for i, row in enumerate(self.rows)]
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]

    def html(self) -> Html:
        """As a table; the first row that differs is marked in words too."""
        body = [
            tag("tr", tag("td", "→ differs" if i == self.marked else ""), tags("td", row))
            for i, row in enumerate(self.rows)
        ]
        head = tag("thead", tag("tr", tags("th", ["", *self.head], scope="col")))
        return tag("table", head, tag("tbody", body))


WORDS = {"ps": "p-value", "leads": "difference", "ann": "Ann", "ben": "Ben", "hits": "hit", "A": "A", "B": "B"}


def word_for(name: str) -> str:
    """What an item of the argument of that name is called at the head of a table.

    >>> word_for("judged"), word_for("ps"), word_for("leads")
    ('grade', 'p-value', 'difference')
    """
    return WORDS.get(name, "grade")


def rows(items: Sequence[Any], right: Of, yours: Of | None = None, word: str = "grade") -> Rows | None:
    """The table of a case; None where there is nothing to tell apart by rank.

    >>> print("\\n".join(rows([3, 2], lambda x: x[0] + x[1] / 2, sum).text()))
       rank  grade  divisor  term  sum  your divisor  your term  your sum
          1      3      1.0   3.0  3.0           1.0          3         3
    →     2      2      2.0   1.0  4.0           1.0          2         5
    """
    if not 1 <= len(items) <= LONGEST:
        return None
    if not is_number(right(list(items))) or not all(map(is_number, items)):
        return None
    terms = _terms(items, right)
    own = _terms(items, yours) if yours else None
    if terms is None or (yours and own is None):
        return up_to(items, right, yours, word) if yours else None
    sums, own_sums = list(accumulate(terms)), list(accumulate(own or []))
    divided = all(not term or item / term >= 1 - 1e-9 for item, term in zip(items, terms, strict=True))
    columns = [[show(item) for item in items], *_columns(items, terms, sums, divided)]
    columns += _columns(items, own, own_sums, divided) if own else []
    head = [*(["divisor"] if divided else []), "term", "sum"]
    heads = [_counted(word), word, *head, *(f"your {word}" for word in (head if own else []))]
    marked = next((i for i in range(len(items)) if own and not _same(terms[i], own[i])), None)
    return Rows(heads, [[str(i), *cells] for i, cells in enumerate(zip(*columns, strict=True), start=1)], marked)


def _counted(word: str) -> str:
    return "rank" if word in ("grade", "hit") else "place"


def _columns(items: Sequence[float], terms: Sequence[float], sums: Sequence[float], divided: bool) -> list[list[str]]:
    divisors = [show(round(i / t, 6)) if i and t else "–" for i, t in zip(items, terms, strict=True)]
    return [*([divisors] if divided else []), list(map(show, terms)), list(map(show, sums))]


def _terms(items: Sequence[float], of: Of) -> list[float] | None:
    """What each item brings, asked with all others 0; None where the answers to these do not add up to the whole."""
    alone = [of([item if j == i else 0 for j in range(len(items))]) for i, item in enumerate(items)]
    if not all(is_number(term) and math.isfinite(term) for term in alone) or not any(alone):
        return None
    ones = [of([int(j == i) for j in range(len(items))]) for i in range(len(items))]
    for parts, whole in ((alone, list(items)), (ones, [1] * len(items))):
        together = of(whole)
        if not all(map(is_number, [*parts, together])) or not _same(sum(parts), together):
            return None
    if of([0] * len(items)) != 0:
        return None
    return alone


def up_to(items: Sequence[Any], right: Of, yours: Of | None = None, word: str = "grade") -> Rows | None:
    """What the two give for the first items alone.

    >>> up_to([3, 1], lambda items: sum(items)).rows
    [['1', '3', '3'], ['2', '1', '4']]
    """
    firsts = [list(items[: i + 1]) for i in range(len(items))]
    pairs = [(right(first), yours(first) if yours else None) for first in firsts]
    if len(pairs) < 2 or sum(is_number(a) for a, _ in pairs) < (2 if yours else len(pairs)):
        return None
    table = []
    for i, (a, b) in enumerate(pairs):
        plain = not yours or _same(a, b) or not is_number(a) or not is_number(b)
        told = (_brief(a), _brief(b)) if plain else show_both(a, b)
        table.append([str(i + 1), _brief(items[i]), *told[: 2 if yours else 1]])
    marked = next((i for i, (a, b) in enumerate(pairs) if yours and not _same(a, b)), None)
    return Rows([_counted(word), word, "right so far", *(["yours so far"] if yours else [])], table, marked)


def places(target: Sequence[Any], given: Any) -> Rows | None:
    """A list that is asked beside the one that was returned.

    >>> places([1, 3], [1, 2, 2]).rows
    [['1', '1', '1'], ['2', '3', '2'], ['3', '–', '2']]
    """
    if not isinstance(given, list) or not 1 <= max(len(target), len(given)) <= LONGEST:
        return None
    pairs = list(zip_longest(target, given, fillvalue=_LACKING))
    table = [[str(i + 1), *("–" if v is _LACKING else show(v) for v in pair)] for i, pair in enumerate(pairs)]
    marked = next((i for i, (a, b) in enumerate(pairs) if not _same(a, b)), None)
    return Rows(["place", "right", "yours"], table, marked)


def apart(names: Sequence[str], right: Of, yours: Of) -> Rows | None:
    """What the two give for each part alone, and for the first parts together, such as the queries of a mean.

    >>> apart(["1", "2"], lambda at: len(at), lambda at: sum(at)).rows
    [['1', '1', '0', '1', '0'], ['2', '1', '1', '2', '1']]
    """
    if not 2 <= len(names) <= LONGEST:
        return None
    found = [(*_both([i], right, yours), *_both(list(range(i + 1)), right, yours)) for i in range(len(names))]
    if not all(is_number(row[2]) for row in found):
        return None
    table = [[name, *(_brief(v) for v in row)] for name, row in zip(names, found, strict=True)]
    marked = next((i for i, row in enumerate(found) if not (_same(*row[:2]) and _same(*row[2:]))), None)
    return Rows(["part", "right alone", "yours alone", "right so far", "yours so far"], table, marked)


def _both(at: list[int], right: Of, yours: Of) -> tuple[Any, Any]:
    return right(at), yours(at)


def _brief(value: Any) -> str:
    """A value in a cell of the table; what is long is not repeated there."""
    return "–" if value is None or value is ODD else show(value) if len(show(value)) <= 20 else "…"


def _same(a: Any, b: Any) -> bool:
    return abs(a - b) <= 1e-6 * max(1.0, abs(a)) if is_number(a) and is_number(b) else bool(a == b)
