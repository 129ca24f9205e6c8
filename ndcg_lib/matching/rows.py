"""Find the judged documents among the rows of a run, and the rank that the scores give them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_lib.choices import Ties
from ndcg_lib.files.decimals import Ints, Words
from ndcg_lib.files.ids import Ids
from ndcg_lib.matching.hits import Hits
from ndcg_lib.matching.judgements import Judgements, by_group, twice
from ndcg_lib.types import Array

BY_ID = ("id", "id-descending")


@dataclass(frozen=True)
class Found:
    """The hits among some rows. Rows are numbered from 0; `order` is the ranking of the rows, None if as they are."""

    row: Ints
    judgement: Ints
    query: Ints
    first: Ints  # place in the ranking of the first row with the same score
    at: Ints  # place in the ranking
    above: Ints
    tied: Ints
    order: Ints | None
    disordered: Ints  # which groups were not in the order of their scores
    twice: tuple[int, int] | None  # two rows that seem to name the same document

    def members(self, ties: Ties) -> Ints:
        """The rows of all groups of tied documents that hold a hit, group by group, where their ids decide."""
        if ties not in BY_ID:
            return np.empty(0, np.int64)
        first, size = self._groups()
        place = np.arange(int(size.sum())) + np.repeat(first - np.cumsum(size) + size, size)
        return place if self.order is None else self.order[place]

    def places(self, ties: Ties, members: Ints, documents: Ids) -> Ints:
        """The number of each hit among those with its score, in the order asked for; `documents` of the members."""
        if not len(members):
            return self.first + self.tied - 1 - self.at if ties == "reverse" else self.at - self.first
        first, size = self._groups()
        rank = np.empty(len(members), np.int64)
        rank[documents.order(np.repeat(np.arange(len(first)), size))] = np.arange(len(members))
        start = np.cumsum(size) - size
        group = np.minimum(first.searchsorted(self.first), len(first) - 1)
        in_group = self.tied > 1
        place = np.zeros(len(self.row), np.int64)
        member = start[group] + self.at - self.first
        place[in_group] = rank[member[in_group]] - start[group[in_group]]
        return place if ties == "id" else np.where(in_group, self.tied - 1 - place, 0)

    def hits(self, judgements: Judgements, place: Ints) -> Hits:
        """The hits, those of a query together and best first."""
        hits = Hits(self.query, judgements.grade[self.judgement], self.above, self.tied, place)
        group_and_rank = self.first + place
        if (group_and_rank[1:] > group_and_rank[:-1]).all():
            return hits
        return hits.take(np.argsort(group_and_rank, kind="stable"))

    def _groups(self) -> tuple[Ints, Ints]:
        tied = self.tied > 1
        first, at = np.unique(self.first[tied], return_index=True)
        return first, self.tied[tied][at]


def find(judgements: Judgements, query: Ints, bounds: Ints, fingerprint: Words, score: Array) -> Found:
    """Rows bounds[i] to bounds[i+1] belong to judged query number query[i], or to none where this is -1."""
    key = by_group(fingerprint, np.arange(len(query)), np.diff(bounds))
    row, judgement = _judged_rows(judgements, query, key)
    order, disordered = _ranking(bounds, score)
    at = row
    if order is not None:
        score = score[order]
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        at = place[row]
    group = bounds.searchsorted(row, "right") - 1
    first, last = _same_score(score, at, bounds, bounds[group], bounds[group + 1])
    return Found(
        row, judgement, query[group], first, at, first - bounds[group], last - first, order, disordered, twice(key)
    )


def _judged_rows(judgements: Judgements, query: Ints, key: Words) -> tuple[Ints, Ints]:
    """The rows whose key is that of a judgement, and the judgement."""
    judged = np.flatnonzero(query >= 0)
    start, end = judgements.bounds[query[judged]], judgements.bounds[query[judged] + 1]
    size = end - start
    member = np.arange(int(size.sum())) + np.repeat(start - np.cumsum(size) + size, size)
    if not len(member):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    wanted = by_group(judgements.fingerprint[member], judged, size)
    bits = min(max(len(wanted).bit_length() + 5, 12), 24)
    shift = np.uint64(64 - bits)
    perhaps = np.zeros(1 << bits, dtype=bool)  # a first sieve: nearly all rows are of documents that nobody judged
    perhaps[wanted >> shift] = True
    row = np.flatnonzero(perhaps[key >> shift])
    sorter = wanted.argsort()
    wanted = wanted[sorter]
    place = np.minimum(wanted.searchsorted(key[row]), len(wanted) - 1)
    same = wanted[place] == key[row]
    return row[same], member[sorter[place[same]]]


def _ranking(bounds: Ints, score: Array) -> tuple[Ints | None, Ints]:
    """Highest score first within each group, equal scores as they come; None where this is so already."""
    rises = np.flatnonzero(score[1:] > score[:-1]) + 1
    if len(rises):
        starts = bounds.searchsorted(rises)
        rises = rises[bounds[starts] != rises]  # the start of the next group may rise
    if not len(rises):
        return None, np.empty(0, np.int64)
    groups = np.unique(bounds.searchsorted(rises, "right") - 1)
    order = np.arange(len(score))
    for start, end in zip(bounds[groups].tolist(), bounds[groups + 1].tolist(), strict=True):
        order[start:end] = start + _highest_first(score[start:end])
    return order, groups


def _highest_first(score: Array) -> Ints:
    """Equal scores in the order in which they come; without any, the fast sort does."""
    order = np.argsort(-score)
    ranked = score[order]
    return np.argsort(-score, kind="stable") if (ranked[1:] == ranked[:-1]).any() else order


def _same_score(score: Array, at: Ints, bounds: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The first and the last but one place of the rows that share a score with the rows at `at`."""
    first, last = at.copy(), at + 1
    before = score[np.maximum(at - 1, 0)] == score[at]
    behind = score[np.minimum(at + 1, len(score) - 1)] == score[at]
    tied = np.flatnonzero((before & (at > start)) | (behind & (at + 1 < end)))
    if len(tied):
        differs = np.empty(len(score) + 1, dtype=bool)
        differs[1:-1] = score[1:] != score[:-1]
        differs[bounds] = True
        edges = np.flatnonzero(differs)
        edge = edges.searchsorted(at[tied], "right") - 1
        first[tied], last[tied] = edges[edge], edges[edge + 1]
    return first, last
