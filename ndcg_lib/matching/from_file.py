"""A run from a TREC file. Its lines are read in blocks of whole queries; only the judged documents are kept."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import numpy as np

from ndcg_lib.choices import Ties
from ndcg_lib.concurrency import in_order
from ndcg_lib.files.decimals import Ints
from ndcg_lib.files.ids import Ids
from ndcg_lib.files.plain import RUN, duplicate_message
from ndcg_lib.files.source import Block, Source, blocks
from ndcg_lib.files.tokens import Lines, read_lines
from ndcg_lib.matching.hits import Gathering, Hits, Matched
from ndcg_lib.matching.judgements import CollisionError, Judgements
from ndcg_lib.matching.rows import find


class ScatteredError(Exception):
    """The lines of a query do not stand together."""


@dataclass(frozen=True)
class Piece:
    """What a block holds: its queries, how many documents each returned, and the hits."""

    names: list[bytes]
    query: Ints  # the number of each query among the judged ones, or -1
    returned: Ints
    disordered: Ints
    hits: Hits
    comments: int


def match_file(source: Source, judgements: Judgements, ties: Ties) -> Matched:
    """The judged documents that the run in a file returned."""
    judgements.prepare()
    try:
        return _query_by_query(source, judgements, ties)
    except ScatteredError:
        from ndcg_lib.matching.scattered import match_scattered

        return match_scattered(source, judgements, ties)


def check_hits(judgements: Judgements, judgement: Ints, documents: Ids) -> None:
    """The fingerprints agree; so must the ids."""
    if not judgements.documents.take(judgement).same(documents).all():
        raise CollisionError


def _query_by_query(source: Source, judgements: Judgements, ties: Ties) -> Matched:
    seen: set[bytes] = set()
    gathering = Gathering(len(judgements))
    with closing(in_order(lambda block: _piece(block, judgements, ties), blocks(source))) as pieces:
        for piece in pieces:
            if not seen.isdisjoint(piece.names) or len(set(piece.names)) < len(piece.names):
                raise ScatteredError
            seen.update(piece.names)
            known = piece.query >= 0
            gathering.returned[piece.query[known]] = piece.returned[known]
            gathering.strangers += [piece.names[at].decode() for at in np.flatnonzero(~known)]
            gathering.reordered += int(np.count_nonzero(known[piece.disordered]))
            gathering.pieces.append(piece.hits)
            gathering.comments += piece.comments
    if not seen:
        raise ValueError(f"{source.name} holds no results: all its lines are blank or comments")
    return gathering.matched()


def _piece(block: Block, judgements: Judgements, ties: Ties) -> Piece:
    lines = read_lines(block, RUN)
    if not len(lines):
        none = np.empty(0, np.int64)
        return Piece([], none, none, none, Hits.none(), lines.comments)
    bounds = lines.groups()
    names = lines.queries.take(bounds[:-1]).all_bytes()
    query = np.array([judgements.number.get(name, -1) for name in names])
    found = find(judgements, query, bounds, lines.documents.fingerprints(judgements.seed), lines.value)
    _refuse_twice(lines, found.twice)
    check_hits(judgements, found.judgement, lines.documents.take(found.row))
    members = found.members(ties)
    place = found.places(ties, members, lines.documents.take(members))
    hits = found.hits(judgements, place)
    return Piece(names, query, np.diff(bounds), found.disordered, hits, lines.comments)


def _refuse_twice(lines: Lines, rows: tuple[int, int] | None) -> None:
    if rows is None:
        return
    first, second = rows
    document = lines.documents.at(second)
    if lines.documents.at(first) != document or lines.queries.at(first) != lines.queries.at(second):
        raise CollisionError
    numbers = (int(lines.number[first]), int(lines.number[second]))
    raise ValueError(duplicate_message(lines.block.file, numbers, lines.queries.at(second), document))
