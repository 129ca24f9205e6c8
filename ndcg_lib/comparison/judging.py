"""What to judge next: the unjudged documents that can move a difference, those first that can move it most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib import grid
from ndcg_lib.comparison.difference import Difference, counted
from ndcg_lib.comparison.scrutiny import SHOWN, Materials, _ranked
from ndcg_lib.comparison.table import Comparison

QUERIES = 5
"""How many deciding queries are named."""


class Unjudged(NamedTuple):
    """A document that nobody judged, where the two runs have it, and how far its grade can move the mean difference."""

    query: str
    document: str
    rank: int | None
    other_rank: int | None
    move: float


@dataclass(frozen=True)
class Next:
    """What would decide between two systems: documents to judge, the largest move first, and how many queries.

    `low` and `high` are what the mean difference could be, run - other, if all were judged. `enough` of the documents
    leave at most `limit` to the rest together; in the order of ranks it takes `in_rank_order`. `queries` are those
    whose unjudged documents can move most, and `needed` says how many queries of this kind show the difference in four
    of five comparisons (None: no number does).
    """

    difference: Difference
    limit: float
    low: float
    high: float
    documents: list[Unjudged]
    enough: int
    in_rank_order: int
    queries: dict[str, float]
    needed: int | None

    @property
    def decided(self) -> bool:
        """Whether no grade of an unjudged document can turn the sign of the difference."""
        return self.low > 0 or self.high < 0 or not self.documents

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        one = self.difference
        told: dict[str, Any] = {"run": one.run, "other": one.other, "measure": one.measure, "difference": one.mean}
        own = {name: getattr(self, name) for name in ("limit", "low", "high", "enough", "in_rank_order", "queries")}
        documents = [each._asdict() for each in self.documents]
        return told | own | {"decided": self.decided, "needed": self.needed, "documents": documents}

    def lines(self) -> list[str]:
        """What is said before the documents."""
        one, fixed = self.difference, grid.fixed
        pair = f"{one.run} - {one.other}"
        told = [f"{pair} in {one.measure}: {fixed(one.mean, sign='+')} on {counted(one.n)}."]
        if not self.documents:
            told.append(f"Everything that {one.measure} looks at is judged: more judgements change nothing.")
        else:
            span = f"{fixed(self.low, sign='+')} to {fixed(self.high, sign='+')}"
            turn = "no grade of theirs turns the sign" if self.decided else "their grades can turn the sign"
            many = len(self.documents)
            told.append(f"Unjudged documents that it looks at: {many}. With them it is {span}: {turn}.")
            rest = f"the rest can move the difference by {self.limit:g} at most, together"
            told.append(f"Judge {self.enough} in the order below, and {rest}; by ranks it takes {self.in_rank_order}.")
            most = ", ".join(f"{query} ({fixed(move)})" for query, move in islice(self.queries.items(), QUERIES))
            told.append(f"The queries that decide, with how far each can move the mean: {most}.")
        if one.shown:
            told.append("Over queries of this kind the difference is shown already.")
        elif self.needed:
            more = max(self.needed - one.n, 0)
            size = "A true difference of this size is shown in four of five cases"
            told.append(f"{size} with {self.needed:,} queries: {more:,} more.")
        return told

    def table(self, most: int | None = None) -> grid.Grid:
        """The documents with their ranks and moves."""
        head = ["query", "document", self.difference.run, self.difference.other, "moves by"]
        rows = [[d.query, d.document, *(f"{r}" if r else "-" for r in d[2:4]), grid.fixed(d.move, sign="+")]
                for d in self.documents[:most]]  # fmt: skip
        return [head, *rows]

    def text(self, most: int | None = None) -> str:
        """All of it, with so many documents."""
        shown = [grid.text(self.table(most), (0, 1))] if self.documents and most != 0 else []
        return "\n\n".join(["\n".join(self.lines()), *shown])

    def __str__(self) -> str:
        return self.text(20)

    __repr__ = __str__


def what_next(comparison: Comparison, limit: float = 0.01, run: str | None = None, other: str | None = None) -> Next:
    """Which documents to judge so that it is decided which of two systems is better.

    What one document can move is what the top grade of the collection changes, against no grade. Those come first
    whose grade should do most against a turn of the sign, if it is like the grades beside it. On real runs of which
    half of the judgements were hidden, a quarter fewer judgements than by ranks settled the sign.

    >>> from ndcg_lib import compare
    >>> runs = {"old": {"51": ["b", "a"]}, "new": {"51": ["c", "a"]}}
    >>> found = what_next(compare({"51": {"a": 1, "b": 0}}, runs, k=2))
    >>> [(d.document, round(d.move, 2)) for d in found.documents], found.enough
    ([('c', 0.61)], 1)
    """
    if not limit >= 0:
        raise ValueError(f"limit is {limit}: give how far the unjudged may still move the difference, from 0")
    one, have = comparison._pair(run, other, None), comparison._materials()
    column = comparison.column(one.measure)
    names = (one.run, one.other)
    if any(len(have.runs[name]) > 1 for name in names):
        raise ValueError("a system that was run several times has no one list to judge: compare one of its runs")
    qrels, lists = have.judged(), [have.returned(have.runs[name][0]) for name in names]
    best = max((grade for each in qrels.values() for grade in each.values()), default=0)
    ranks: dict[str, list[dict[str, int]]] = {}
    cases: dict[str, tuple[str, Mapping[str, float]]] = {}
    for query in one.per_query:
        ranks[query] = [
            {document: at for at, document in enumerate(islice(ranked, column.k or SHOWN), 1)}
            for ranked in (_ranked(each.get(query, {}), qrels[query], column.convention) for each in lists)
        ]
        for document in dict.fromkeys([*ranks[query][0], *ranks[query][1]]):
            if document not in qrels[query]:
                cases[f"{len(cases)} {document}"] = query, {document: best}
    moved = _differences(have, qrels, lists, cases, column)
    documents = []
    for (name, (query, _)), value in zip(cases.items(), moved, strict=True):
        document = name.partition(" ")[2]
        move = (value - one.per_query[query]) / one.n
        ours, theirs = ranks[query]
        documents.append(Unjudged(query, document, ours.get(document), theirs.get(document), move))
    low, high = (_end(have, qrels, lists, documents, one, column, best, sign) for sign in (-1, 1))
    hope = {query: _hope(ranks[query], qrels[query], best) for query in one.per_query}

    def closes(d: Unjudged) -> float:
        """How far its grade should bring the end that can still turn the sign."""
        return abs(d.move) * (hope[d.query] if d.move * one.mean > 0 else 1 - hope[d.query])

    documents = sorted((d for d in documents if d.move), key=lambda d: (-closes(d), min(filter(None, d[2:4]))))
    by_rank = sorted(documents, key=lambda d: min(filter(None, d[2:4])))
    queries: dict[str, float] = {}
    for d in documents:
        queries[d.query] = queries.get(d.query, 0.0) + abs(d.move)
    deciding = dict(sorted(queries.items(), key=lambda each: -each[1]))
    enough, in_rank_order = (_enough([abs(d.move) for d in order], limit) for order in (documents, by_rank))
    return Next(one, limit, low, high, documents, enough, in_rank_order, deciding, one.queries_needed())


def _hope(ranks: list[dict[str, int]], grades: Mapping[str, float], best: float) -> float:
    """The grade to expect of an unjudged document of a query, as a share of the best: that of the judged beside it."""
    near = [max(grades[d], 0) / best for each in ranks for d in each if d in grades] if best else []
    return (sum(near) + 0.5) / (len(near) + 2)


def _differences(
    have: Materials, qrels: Any, lists: list[Any], cases: Mapping[str, tuple[str, Mapping[str, float]]], column: Any
) -> list[float]:
    """Run - other of a query, with more judgements in each case."""
    if not cases:
        return []
    judged = {name: {**qrels[query], **more} for name, (query, more) in cases.items()}
    ours, theirs = (
        have.evaluate(judged, {name: each.get(query, {}) for name, (query, _) in cases.items()}, column)
        for each in lists
    )
    return [ours.get(name, 0.0) - theirs.get(name, 0.0) for name in cases]


def _end(
    have: Materials, qrels: Any, lists: list[Any], documents: list[Unjudged], one: Difference, column: Any, best: float,
    sign: int,
) -> float:  # fmt: skip
    """The mean difference if the unjudged are as good as they can be for one side, and worthless for the other."""
    graded: dict[str, tuple[str, dict[str, float]]] = {}
    for d in documents:
        graded.setdefault(d.query, (d.query, {}))[1][d.document] = best if d.move * sign > 0 else 0.0
    values = dict(zip(graded, _differences(have, qrels, lists, graded, column), strict=True))
    ends = [sign * max(sign * values.get(query, now), sign * now) for query, now in one.per_query.items()]
    return float(np.mean(ends))


def _enough(moves: Iterable[float], limit: float) -> int:
    """After how many the rest together moves no more than the limit."""
    left = [0.0, *accumulate(reversed(list(moves)))]
    return len(left) - 1 - max(at for at, rest in enumerate(left) if rest <= limit + 1e-12)
