"""Hits: the judged documents that a run returned. All measures are computed from them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from ndcg_lib.files.decimals import Ints
from ndcg_lib.types import Array


@dataclass(frozen=True)
class Hits:
    """A judged document in each place: its query, its grade, and where the scores put it.

    `above` documents have a higher score; `tied` documents have the same score, the hit included; it is number
    `place` of these, from 0, in the order that the convention asks for.
    """

    query: Ints
    grade: Array
    above: Ints
    tied: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.query)

    @staticmethod
    def none() -> Hits:
        """No hits."""
        nothing = np.empty(0, np.int64)
        return Hits(nothing, np.empty(0), nothing, nothing, nothing)

    def take(self, rows: Ints) -> Hits:
        """Some of the hits, in the order asked for."""
        return Hits(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass
class Matched:
    """A run beside its judgements: the hits of each query together, best first."""

    hits: Hits
    returned: Ints  # documents that the run returned for each judged query; -1 where the run lacks the query
    strangers: list[str] = field(default_factory=list)  # queries of the run without judgements
    reordered: int = 0  # judged queries whose lines are not in the order of their scores
    comments: int = 0


class Gathering:
    """A run that comes piece by piece."""

    def __init__(self, queries: int) -> None:
        self.returned = np.full(queries, -1, dtype=np.int64)
        self.pieces: list[Hits] = []
        self.strangers: list[str] = []
        self.reordered = 0
        self.comments = 0

    def matched(self) -> Matched:
        """All pieces together."""
        pieces = [Hits.none(), *self.pieces]
        columns = [np.concatenate([getattr(piece, column.name) for piece in pieces]) for column in fields(Hits)]
        return Matched(Hits(*columns), self.returned, self.strangers, self.reordered, self.comments)
