"""A run in a TREC file whose queries do not stand together: all lines are read, then sorted by query.

Of each line only the query, the score and a fingerprint of the document are kept. Where the ids themselves are needed
(to be sure of a hit, or to rank equal scores by id) the file is read a second time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_lib.choices import Ties
from ndcg_lib.concurrency import in_order
from ndcg_lib.files.decimals import Ints, Words
from ndcg_lib.files.ids import Ids
from ndcg_lib.files.plain import RUN, duplicate_message
from ndcg_lib.files.source import Source, blocks
from ndcg_lib.files.tokens import read_lines
from ndcg_lib.matching.hits import Gathering, Matched
from ndcg_lib.matching.judgements import CollisionError, Judgements
from ndcg_lib.matching.rows import Found, find
from ndcg_lib.types import Array

AT_ONCE = 1 << 18  # rows to rank at a time


def match_scattered(source: Source, judgements: Judgements, ties: Ties) -> Matched:
    """The judged documents that the run in a file returned."""
    names, order, bounds, fingerprint, score, comments = _columns(source, judgements.seed)
    query = np.array([judgements.number.get(name, -1) for name in names])
    gathering = Gathering(len(judgements))
    gathering.returned[query[query >= 0]] = np.diff(bounds)[query >= 0]
    gathering.comments = comments
    gathering.strangers = [names[at].decode() for at in np.flatnonzero(query < 0)]
    parts = []
    first = 0
    while first < len(query):
        last = max(first + 1, int(bounds.searchsorted(bounds[first] + AT_ONCE, "right")) - 1)
        rows = order[bounds[first] : bounds[last]]
        found = find(
            judgements, query[first:last], bounds[first : last + 1] - bounds[first], fingerprint[rows], score[rows]
        )
        gathering.reordered += int(np.count_nonzero(query[first:last][found.disordered] >= 0))
        parts.append(_Part(found, rows, rows[found.members(ties)]))
        first = last
    needed = np.unique(np.concatenate([part.needed() for part in parts]))
    known = _second_look(source, needed)
    for part in parts:
        known.refuse_twice(part)
        known.check_hits(judgements, part)
        place = part.found.places(ties, part.members, known.documents_of(part.members))
        gathering.pieces.append(part.found.hits(judgements, place))
    return gathering.matched()


@dataclass(frozen=True)
class _Part:
    """Some whole queries: what was found among their rows, and the places of the rows in the file."""

    found: Found
    rows: Ints
    members: Ints

    def needed(self) -> Ints:
        """The rows of the file whose ids must be seen."""
        twice = self.rows[list(self.found.twice)] if self.found.twice else self.rows[:0]
        return np.concatenate((self.rows[self.found.row], self.members, twice))


@dataclass(frozen=True)
class _Known:
    """The ids of some rows of the file."""

    file: str
    rows: Ints
    queries: Ids
    documents: Ids
    number: Ints

    def documents_of(self, rows: Ints) -> Ids:
        """The documents of some of the rows."""
        return self.documents.take(self.rows.searchsorted(rows))

    def check_hits(self, judgements: Judgements, part: _Part) -> None:
        """The fingerprints agree; so must the ids."""
        documents = self.documents_of(part.rows[part.found.row])
        if not judgements.documents.take(part.found.judgement).same(documents).all():
            raise CollisionError

    def refuse_twice(self, part: _Part) -> None:
        """Two rows of a query with the same document are an error."""
        if part.found.twice is None:
            return
        first, second = (int(self.rows.searchsorted(part.rows[row])) for row in part.found.twice)
        query, document = self.queries.bytes(second), self.documents.bytes(second)
        if (self.queries.bytes(first), self.documents.bytes(first)) != (query, document):
            raise CollisionError
        lines = (int(self.number[first]), int(self.number[second]))
        raise ValueError(duplicate_message(self.file, lines, query, document))


def _columns(source: Source, seed: int) -> tuple[list[bytes], Ints, Ints, Words, Array, int]:
    """The queries; the rows by query and where each query begins among these; the fingerprint and score of each row."""
    number: dict[bytes, int] = {}
    of_rows, fingerprints, scores, comments = [], [], [], 0
    for lines in in_order(lambda block: read_lines(block, RUN), blocks(source)):
        comments += lines.comments
        if not len(lines):
            continue
        bounds = lines.groups()
        names = [number.setdefault(lines.queries.bytes(row), len(number)) for row in bounds[:-1]]
        of_rows.append(np.repeat(np.array(names, np.int32), np.diff(bounds)))
        fingerprints.append(lines.documents.fingerprints(seed))
        scores.append(lines.value)
    of_row = np.concatenate(of_rows)
    of_rows.clear()
    if len(number) <= np.iinfo(np.uint16).max:
        of_row = of_row.astype(np.uint16)  # numpy sorts 16 bits in linear time
    order = np.argsort(of_row, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(of_row, minlength=len(number))))
    return list(number), order, bounds, np.concatenate(fingerprints), np.concatenate(scores), comments


def _second_look(source: Source, needed: Ints) -> _Known:
    """The ids of the rows that are needed."""
    queries, documents, numbers = [Ids.of([])], [Ids.of([])], [needed[:0]]
    row = 0
    for lines in in_order(lambda block: read_lines(block, RUN), blocks(source)):
        here = needed[needed.searchsorted(row) : needed.searchsorted(row + len(lines))] - row
        queries.append(lines.queries.take(here).packed())
        documents.append(lines.documents.take(here).packed())
        numbers.append(lines.number[here])
        row += len(lines)
    return _Known(source.name, needed, Ids.joined(queries), Ids.joined(documents), np.concatenate(numbers))
