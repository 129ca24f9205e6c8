"""A run in a TREC file whose queries do not stand together.

The file is read three times, so that little of it must be kept: to count the lines of each query; to put the score and
a fingerprint of each document where its query begins; and, for the ids of the hits and of tied documents, once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.choices import Ties
from ndcg_lib.concurrency import in_order
from ndcg_lib.files.decimals import Ints, Words
from ndcg_lib.files.ids import Ids
from ndcg_lib.files.plain import RUN, duplicate_message
from ndcg_lib.files.source import Source, blocks
from ndcg_lib.files.tokens import Lines, read_lines
from ndcg_lib.matching.hits import Gathering, Matched
from ndcg_lib.matching.judgements import CollisionError, Judgements
from ndcg_lib.matching.numbering import Numbering
from ndcg_lib.matching.rows import Found, find
from ndcg_lib.types import Array

AT_ONCE = 1 << 17  # rows to rank at a time


def match_scattered(source: Source, judgements: Judgements, ties: Ties) -> Matched:
    """The judged documents that the run in a file returned."""
    rows = _by_query(source, judgements.seed)
    query = np.array([judgements.number.get(name, -1) for name in rows.names])
    gathering = Gathering(len(judgements))
    gathering.returned[query[query >= 0]] = np.diff(rows.bounds)[query >= 0]
    gathering.comments = rows.comments
    gathering.strangers = [rows.names[at].decode() for at in np.flatnonzero(query < 0)]
    parts = []
    for first, last in _batches(rows.bounds):
        start, end = int(rows.bounds[first]), int(rows.bounds[last])
        bounds = rows.bounds[first : last + 1] - start
        found = find(judgements, query[first:last], bounds, rows.fingerprint[start:end], rows.score[start:end])
        gathering.reordered += int(np.count_nonzero(query[first:last][found.disordered] >= 0))
        parts.append(_Part.of(found, rows.place[start:end], ties))
    del rows
    known = _second_look(source, np.unique(np.concatenate([part.needed for part in parts])))
    for part in parts:
        known.refuse_twice(part)
        known.check_hits(judgements, part)
        place = part.found.places(ties, part.members, known.documents_of(part.members))
        gathering.pieces.append(part.found.hits(judgements, place))
    return gathering.matched()


@dataclass(frozen=True)
class _Rows:
    """All lines by query: those of query i are bounds[i] to bounds[i + 1]. `place` is their place in the file."""

    names: list[bytes]
    bounds: Ints
    fingerprint: Words
    score: Array
    place: NDArray[np.uint32]
    comments: int


@dataclass(frozen=True)
class _Part:
    """What was found among the lines of some queries; lines are meant by their place in the file."""

    found: Found
    hits: Ints
    members: Ints  # of the groups of tied documents
    twice: Ints

    @staticmethod
    def of(found: Found, place: NDArray[np.uint32], ties: Ties) -> _Part:
        """Keep only what is needed later on."""
        twice = np.array(found.twice or (), dtype=np.int64)
        whole = place.astype(np.int64)
        return _Part(replace(found, order=None), whole[found.row], whole[found.members(ties)], whole[twice])

    @property
    def needed(self) -> Ints:
        """The lines whose ids must be seen."""
        return np.concatenate((self.hits, self.members, self.twice))


@dataclass(frozen=True)
class _Known:
    """The ids of some lines."""

    file: str
    place: Ints
    queries: Ids
    documents: Ids
    number: Ints

    def documents_of(self, place: Ints) -> Ids:
        """The documents of some of the lines."""
        return self.documents.take(self.place.searchsorted(place))

    def check_hits(self, judgements: Judgements, part: _Part) -> None:
        """The fingerprints agree; so must the ids."""
        if not judgements.documents.take(part.found.judgement).same(self.documents_of(part.hits)).all():
            raise CollisionError

    def refuse_twice(self, part: _Part) -> None:
        """Two lines of a query with the same document are an error."""
        if not len(part.twice):
            return
        first, second = self.place.searchsorted(part.twice).tolist()
        query, document = self.queries.at(second), self.documents.at(second)
        if (self.queries.at(first), self.documents.at(first)) != (query, document):
            raise CollisionError
        lines = (int(self.number[first]), int(self.number[second]))
        raise ValueError(duplicate_message(self.file, lines, query, document))


def _lines(source: Source) -> Iterator[Lines]:
    with closing(in_order(lambda block: read_lines(block, RUN), blocks(source))) as lines:
        yield from lines


def _by_query(source: Source, seed: int) -> _Rows:
    numbering, comments = Numbering(), 0
    of_blocks: list[NDArray[np.int32]] = []
    for lines in _lines(source):
        comments += lines.comments
        of_blocks.append(_numbers(lines, numbering))
    counts = np.zeros(len(numbering.names), np.int64)
    for numbers in of_blocks:
        counts += np.bincount(numbers, minlength=len(counts))
    bounds = np.append(0, np.cumsum(counts))
    fingerprint, score = np.empty(bounds[-1], np.uint64), np.empty(bounds[-1])
    place = np.empty(bounds[-1], np.uint32)
    free, row = bounds[:-1].copy(), 0
    of_blocks.reverse()
    for lines in _lines(source):
        numbers = of_blocks.pop()
        order = np.argsort(numbers, kind="stable")
        here = np.bincount(numbers, minlength=len(free))
        some = np.flatnonzero(here)
        size = here[some]
        target = np.repeat(free[some] - np.cumsum(size) + size, size) + np.arange(len(order))
        fingerprint[target] = lines.documents.fingerprints(seed)[order]
        score[target] = lines.value[order]
        place[target] = row + order
        free += here
        row += len(order)
    return _Rows(numbering.names, bounds, fingerprint, score, place, comments)


def _numbers(lines: Lines, numbering: Numbering) -> NDArray[np.int32]:
    """The number of the query of each line."""
    if not len(lines):
        return np.empty(0, np.int32)
    bounds = lines.groups()
    return np.repeat(numbering.numbers(lines.queries.take(bounds[:-1])).astype(np.int32), np.diff(bounds))


def _batches(bounds: Ints) -> Iterator[tuple[int, int]]:
    """Queries in lots of not too many lines."""
    first = 0
    while first < len(bounds) - 1:
        last = max(first + 1, int(bounds.searchsorted(bounds[first] + AT_ONCE, "right")) - 1)
        yield first, last
        first = last


def _second_look(source: Source, needed: Ints) -> _Known:
    """The ids of the lines that are needed."""
    queries, documents, numbers = [Ids.of([])], [Ids.of([])], [needed[:0]]
    row = 0
    for lines in _lines(source):
        here = needed[needed.searchsorted(row) : needed.searchsorted(row + len(lines))] - row
        queries.append(lines.queries.take(here).packed())
        documents.append(lines.documents.take(here).packed())
        numbers.append(lines.number[here])
        row += len(lines)
    return _Known(source.name, needed, Ids.joined(queries), Ids.joined(documents), np.concatenate(numbers))
