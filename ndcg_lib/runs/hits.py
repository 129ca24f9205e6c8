"""A run beside its judgements: the judged documents that it returned, and the rank that the scores give them.

All measures are computed from these hits; a document that nobody judged has no gain, it only takes a rank.
"""

from __future__ import annotations

import math
import os
import sys
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress, islice
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import as_number, in_single, shown
from ndcg_lib.engine import runs
from ndcg_lib.files.fast import Ids, Ints, Lines, Words, read_lines
from ndcg_lib.files.plain import QRELS, RUN, show
from ndcg_lib.files.reading import refuse_by_plain
from ndcg_lib.files.source import BLOCK, Source
from ndcg_lib.types import Array

Results = Mapping[Any, float]

MOST_THREADS = 4
SHORT = 100  # ranks at the top that are sooner looked at one by one than all judged documents
_STEP = np.uint64(0xD1342543DE82EF95)


class Hits(NamedTuple):
    """A judged document in each place: its query, its grade, and where the scores put it.

    `above` documents have a higher score; `tied` documents have the same score, the hit included; it is number
    `place` of these, from 0, in the order that the rule for ties asks for.
    """

    query: Ints
    grade: Array
    above: Ints
    tied: Ints
    place: Ints


@dataclass(frozen=True)
class Judgements:
    """Judgement number j is a document and its grade; those of query i have the numbers bounds[i] to bounds[i + 1]."""

    queries: list[str]
    bounds: Ints
    grade: Array
    documents: Ids | None = None  # of a file; what comes as a table is looked up there
    comments: int = 0

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def number(self) -> dict[bytes, int]:
        """The number of each query."""
        return {encoded(name): number for number, name in enumerate(self.queries)}

    @cached_property
    def query(self) -> Ints:
        """The query of each judgement."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))


@dataclass
class Matched:
    """What a run returned of what was judged."""

    returned: Ints  # documents that the run returned for each judged query; -1 where the run lacks the query
    pieces: list[Hits] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)  # queries of the run without judgements
    reordered: int = 0  # judged queries whose lines are not in the order of their scores
    comments: int = 0
    near_ties: int = 0  # scores that tie in single precision only
    own: int = 0  # documents with the id of their query

    @cached_property
    def hits(self) -> Hits:
        """All hits, those of a query together."""
        nothing = np.empty(0, np.int64)
        pieces = [Hits(nothing, np.empty(0), nothing, nothing, nothing), *self.pieces]
        return Hits(*map(np.concatenate, zip(*pieces, strict=True)))


def encoded(name: Any) -> bytes:
    """The bytes of a name as a file holds it."""
    return str(name).encode("utf-8", "surrogatepass")


class Wanted(NamedTuple):
    """What decides among the documents, and which of them need not be looked up in a table."""

    ties: str = "average"
    single: bool = False  # scores are compared in single precision
    depth: int | None = None  # only what stands among the first ranks counts
    zero_counts: bool = False  # a document of grade 0 may have a gain
    own: bool = False  # documents with the id of their query are counted


# ---- dictionaries: only the judged documents are looked up, or only the documents at the top ----


def judgements_of_table(qrels: Mapping[Any, Results], *, with_documents: bool = False) -> Judgements:
    """The judgements of a table whose grades have been checked.

    >>> judgements_of_table({"51": {"d7": 3, "d9": 0}, "52": {"d7": 1}}).bounds
    array([0, 2, 3])
    """
    sizes = [len(documents) for documents in qrels.values()]
    grades = chain.from_iterable(documents.values() for documents in qrels.values())
    ids = Ids.of(map(encoded, chain.from_iterable(qrels.values()))) if with_documents else None
    return Judgements([str(query) for query in qrels], np.cumsum([0, *sizes]), np.fromiter(grades, float), ids)


def match_tables(qrels: Mapping[Any, Results], run: Mapping[Any, Results], wanted: Wanted) -> Matched:
    """The judged documents that a run returned; with a depth, those of the first `depth` ranks at least.

    Documents of grade 0 need not be looked up unless they can count for something.

    >>> match_tables({"q": {"a": 1, "b": 0}}, {"q": {"x": 9.5, "a": 7.0}}, Wanted()).hits.above
    array([1])
    """
    counts, grades, aboves, tieds, places = (list[Any]() for _ in Hits._fields)
    returned, near_ties, own = [-1] * len(qrels), 0, 0
    in_turn = wanted.ties in ("order", "reverse", "id", "id-descending")
    for number, (query, judged) in enumerate(qrels.items()):
        results = run.get(query)
        if results is None:
            counts.append(0)
            continue
        returned[number] = len(results)
        own += wanted.own and query in results
        scores, ordered = _scores(results, query)
        if wanted.single:
            near_ties += _near_ties(np.array(ordered), np.zeros(len(ordered), int))
            scores, ordered = (in_single(column).tolist() for column in (scores, ordered))
            results = dict(zip(results, scores, strict=True))
        documents, above, tied = _found(judged, results, scores, ordered, wanted)
        counts.append(len(documents))
        grades += map(judged.__getitem__, documents)
        aboves += above
        tieds += tied
        if in_turn:
            some_tied = max(tied, default=1) > 1
            places += _places(results, documents, tied, wanted.ties) if some_tied else [0] * len(documents)
    places = places if in_turn else [0] * len(tieds)
    ranks = (np.array(column, np.int64) for column in (aboves, tieds, places))
    hits = Hits(np.repeat(np.arange(len(qrels)), counts), np.array(grades, float), *ranks)
    strangers = [str(query) for query in run if query not in qrels]
    return Matched(np.array(returned, np.int64), [hits], strangers, near_ties=near_ties, own=own)


def _near_ties(score: Array, query: Ints) -> int:
    """How many scores tie in single precision with another one of their query that differs."""
    order = np.lexsort((score, query))
    score, query = score[order], query[order]
    start, size = runs(query, in_single(score))  # type: ignore[no-untyped-call]
    return int(size[score[start] != score[start + size - 1]].sum())


def _found(
    judged: Results, results: Results, scores: list[float], ordered: list[float], wanted: Wanted
) -> tuple[list[Any], list[int], list[int]]:
    """The hits, with above and tied; where few ranks count and the run is in order, those at its top are enough."""
    count = wanted.depth
    if count is not None and count <= min(len(scores), SHORT):
        while count < len(ordered) and ordered[count] == ordered[count - 1]:
            count += 1
        top = ordered[:count]
        if scores[:count] == top:
            known = list(map(judged.__contains__, islice(results, count)))
            documents, above = list(compress(results, known)), list(compress(range(count), known))
            if len(set(top)) == count:
                return documents, above, [1] * len(above)
            values = list(compress(top, known))
            return documents, list(map(top.index, values)), list(map(top.count, values))
    documents = [d for d, grade in judged.items() if (grade or wanted.zero_counts) and d in results]
    ascending = ordered[::-1]
    last = [bisect_right(ascending, results[document]) for document in documents]
    tied = [end - bisect_left(ascending, results[d], hi=end) for d, end in zip(documents, last, strict=True)]
    return documents, [len(ordered) - end for end in last], tied


def _places(results: Results, documents: list[Any], tied: list[int], ties: str) -> list[int]:
    """The number of each hit among the documents with its score, in the order asked for."""
    same: dict[float, list[Any]] = {results[d]: [] for d, size in zip(documents, tied, strict=True) if size > 1}
    for document, score in results.items():
        if score in same:
            same[score].append(document)
    place = {document: at for group in same.values() for at, document in enumerate(in_order(group, ties, encoded))}
    return [place.get(document, 0) for document in documents]


def in_order(group: list[Any], ties: str, key: Any = None) -> list[Any]:
    """Tied documents as the rule for ties puts them."""
    group = sorted(group, key=key) if ties in ("id", "id-descending") else group
    return group[::-1] if ties in ("reverse", "id-descending") else group


def _scores(results: Results, query: Any) -> tuple[list[float], list[float]]:
    """The scores as they come, and highest first. Every one is a number."""
    scores = list(results.values())
    try:
        total = sum(scores)  # fails on text; a nan shows in the sum
        good = type(total) in (float, int) and (total - total == 0 or not any(map(math.isnan, scores)))
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        scores = [_score(query, document, value) for document, value in results.items()]
    if len(scores) < 100 or scores[:9] == sorted(scores[:9], reverse=True):
        return scores, sorted(scores, reverse=True)  # at once where they are so already
    return scores, np.sort(np.array(scores, dtype=np.float64))[::-1].tolist()


def _score(query: Any, document: Any, value: Any) -> float:
    number = as_number(value)
    if number is None or math.isnan(number):
        about = f"query {show(str(query))}, document {show(str(document))}"
        raise ValueError(f"run, {about}: score {shown(value)} is not a number")
    return number


# ---- TREC files: blocks of whole queries; only the hits are kept ----


class _ScatteredError(Exception):
    """The lines of a query do not stand together."""


class _DoubtError(Exception):
    """Two documents of a query have one key: probably one document twice; the plain reader knows."""


class _Piece(NamedTuple):
    """What a block holds."""

    names: list[bytes]
    query: Ints  # the number of each query among the judged ones, or -1
    returned: Ints
    reordered: int
    hits: Hits | None
    comments: int
    near_ties: int = 0
    own: int = 0


def judgements_of_file(source: Source) -> Judgements:
    """The judgements of a TREC qrels file; a document judged twice in a query is an error."""
    number: dict[bytes, int] = {}
    blocks = [read_lines(text, QRELS, source.name, line) for text, line in source.blocks(QRELS)]
    query = [
        np.repeat([number.setdefault(name, len(number)) for name in b.query.at(b.bounds[:-1])], np.diff(b.bounds))
        for b in blocks
        if len(b.value)
    ]
    if not number:
        raise ValueError(f"{source.name} holds no judgements: all its lines are blank or comments")
    of_query = np.concatenate(query)
    order = np.argsort(of_query, kind="stable")
    bounds = of_query[order].searchsorted(np.arange(len(number) + 1))
    ids = Ids.joined(block.document for block in blocks).take(order)
    if _has_twice(_apart(ids.keys, np.diff(bounds))):
        refuse_by_plain(source, QRELS)
    grade = np.concatenate([block.value for block in blocks])[order]
    return Judgements([name.decode() for name in number], bounds, grade, ids, sum(b.comments for b in blocks))


def match_file(source: Source, judged: Judgements, wanted: Wanted) -> Matched:
    """The judged documents that the run in a file returned."""
    _ = judged.number, judged.documents and judged.documents.keys  # now, and not in several threads at once
    try:
        return _match_blocks(source.blocks(RUN), source.name, judged, wanted)
    except (_ScatteredError, _DoubtError) as problem:
        if isinstance(problem, _ScatteredError):
            with suppress(ValueError, _DoubtError):  # of lines whose numbers are lost
                return _match_blocks(_gathered(source), source.name, judged, wanted)
    refuse_by_plain(source, RUN)


def _match_blocks(blocks: Iterable[tuple[bytes, int]], name: str, judged: Judgements, wanted: Wanted) -> Matched:
    found, seen = Matched(np.full(len(judged), -1, np.int64)), set[bytes]()
    for piece in _in_turn(lambda text, line: _match_block(read_lines(text, RUN, name, line), judged, wanted), blocks):
        if not seen.isdisjoint(piece.names) or len(set(piece.names)) < len(piece.names):
            raise _ScatteredError
        seen.update(piece.names)
        known = piece.query >= 0
        found.returned[piece.query[known]] = piece.returned[known]
        found.strangers += [piece.names[at].decode() for at in np.flatnonzero(~known)]
        found.reordered += piece.reordered
        found.comments += piece.comments
        found.near_ties += piece.near_ties
        found.own += piece.own
        found.pieces += [] if piece.hits is None else [piece.hits]
    if not seen:
        raise ValueError(f"{name} holds no results: all its lines are blank or comments")
    return found


def _in_turn(work: Callable[[bytes, int], _Piece], blocks: Iterable[tuple[bytes, int]]) -> Iterator[_Piece]:
    """What is made of each block, by a few threads: numpy lets other threads run while it computes."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(processors, MOST_THREADS)
    if threads == 1 or sys.platform == "emscripten":  # a browser has no threads
        yield from (work(*block) for block in blocks)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[_Piece]] = deque()
        for block in blocks:
            waiting.append(pool.submit(work, *block))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _match_block(lines: Lines, judged: Judgements, wanted: Wanted) -> _Piece:
    """The hits among lines that hold whole queries."""
    nothing = np.empty(0, np.int64)
    if not len(lines.value):
        return _Piece([], nothing, nothing, 0, None, lines.comments)
    bounds, score, ties = lines.bounds, lines.value, wanted.ties
    size, near_ties = np.diff(bounds), 0
    own = int(lines.query.same(lines.document).sum()) if wanted.own else 0
    names = lines.query.at(bounds[:-1])
    query = np.array([judged.number.get(name, -1) for name in names])
    if wanted.single:
        rows = np.repeat(query, size)
        near_ties = _near_ties(score[rows >= 0], rows[rows >= 0])
        score = in_single(score)
    key = _apart(lines.document.keys, size)
    if _has_twice(key):
        raise _DoubtError
    row, judgement = _judged_rows(judged, query, key)
    assert judged.documents is not None
    if not lines.document.take(row).same(judged.documents.take(judgement)).all():
        raise _DoubtError
    group = bounds.searchsorted(row, "right") - 1
    rises = np.flatnonzero(score[1:] > score[:-1]) + 1
    rises = rises[bounds[bounds.searchsorted(rises)] != rises]  # the start of the next query may rise
    order, at = None, row
    if len(rises):
        order = np.lexsort((-score, np.repeat(np.arange(len(size)), size)))
        score, at = score[order], np.argsort(order)[row]
    new = np.ones(len(score) + 1, bool)
    np.not_equal(score[1:], score[:-1], out=new[1:-1])
    new[bounds] = True
    edges = np.flatnonzero(new)
    edge = edges.searchsorted(at, "right") - 1
    first, tied = edges[edge], edges[edge + 1] - edges[edge]
    place = at - first
    if ties == "reverse":
        place = tied - 1 - place
    elif ties in ("id", "id-descending"):
        for start in np.unique(first[tied > 1]).tolist():
            same = np.arange(start, edges[edges.searchsorted(start) + 1])
            members = lines.document.at(same if order is None else order[same])
            number = {document: number for number, document in enumerate(in_order(members, ties))}
            for hit in np.flatnonzero(first == start).tolist():
                place[hit] = number[members[at[hit] - start]]
    hits = Hits(query[group], judged.grade[judgement], first - bounds[group], tied, place)
    reordered = np.unique(bounds.searchsorted(rises, "right") - 1)
    return _Piece(names, query, size, int((query[reordered] >= 0).sum()), hits, lines.comments, near_ties, own)


def _judged_rows(judged: Judgements, query: Ints, key: Words) -> tuple[Ints, Ints]:
    """The rows whose key is that of a judgement, and the judgement. `query`: the number of each query here, or -1."""
    assert judged.documents is not None
    here = np.flatnonzero(query >= 0)
    start, size = judged.bounds[query[here]], np.diff(judged.bounds)[query[here]]
    member = np.arange(int(size.sum())) + np.repeat(start - np.cumsum(size) + size, size)
    wanted = judged.documents.keys[member] ^ np.repeat((here.astype(np.uint64) + np.uint64(1)) * _STEP, size)
    bits = min(max(len(wanted).bit_length() + 5, 12), 24)
    shift, sieve = np.uint64(64 - bits), np.zeros(1 << bits, bool)
    sieve[wanted >> shift] = True  # nearly all rows are of documents that nobody judged
    row = np.flatnonzero(sieve[key >> shift])
    if not len(row):
        return row, row
    sorter = wanted.argsort()
    place = np.minimum(wanted[sorter].searchsorted(key[row]), len(wanted) - 1)
    same = wanted[sorter[place]] == key[row]
    return row[same], member[sorter[place[same]]]


def _apart(key: Words, size: Ints) -> Words:
    """Keys that differ between groups of these sizes."""
    return key ^ np.repeat(np.arange(1, len(size) + 1, dtype=np.uint64) * _STEP, size)


def _gathered(source: Source) -> Iterator[tuple[bytes, int]]:
    """The lines of a file, those of a query together, in blocks."""
    lines_of: dict[bytes, bytearray] = {}
    for text, _ in source.blocks(RUN):
        for line in text.split(b"\n"):
            for query in line.split(None, 1)[:1]:
                lines_of.setdefault(query, bytearray()).extend(line + b"\n")
    block = bytearray()
    for lines in lines_of.values():
        block += lines
        if len(block) > BLOCK:
            yield bytes(block), 1
            block.clear()
    yield bytes(block), 1


def _has_twice(key: Words) -> bool:
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())
