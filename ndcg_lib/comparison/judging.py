"""What to judge next: the unjudged documents that can move a difference, those first whose grade settles its sign."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib import grid
from ndcg_lib.comparison.difference import Difference, counted
from ndcg_lib.comparison.scrutiny import SHOWN, Materials, _ranked
from ndcg_lib.comparison.table import Comparison

QUERIES = 5
"""How many deciding queries are named."""
SURE = NormalDist().inv_cdf(0.95)
"""How many standard deviations from 0 a difference has a settled sign, with a chance of 95 %."""
DRAWS, LIKE_ALL = 30, 3.0
"""How often the grades of all unjudged are drawn, and how many documents of all queries count beside those of one."""


class Unjudged(NamedTuple):
    """A document that nobody judged, where the two runs have it, and how far its grade can move the mean difference."""

    query: str
    document: str
    rank: int | None
    other_rank: int | None
    move: float


@dataclass(frozen=True)
class Next:
    """What would decide between two systems: documents to judge, those first that settle most, and how many queries.

    `low` and `high` are what the mean difference could be, run - other, if all were judged; `expected` is what it will
    be if the unjudged are like the judged beside them, and `chance` that it then has this sign. After `likely` of the
    documents the chance should be 95 %. `enough` of them leave at most `limit` to the rest together; in the order of
    ranks it takes `in_rank_order`. `queries` are those whose unjudged documents can move most, and `needed` says how
    many queries of this kind show the difference in four of five comparisons (None: no number does).
    """

    difference: Difference
    limit: float
    low: float
    high: float
    expected: float
    chance: float
    documents: list[Unjudged]
    likely: int
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
        told |= {name: value for name, value in vars(self).items() if name not in ("difference", "documents")}
        return told | {"decided": self.decided, "documents": [each._asdict() for each in self.documents]}

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
            if not self.decided:
                like = f"If they are like the judged beside them, it is {fixed(self.expected, sign='+')} in the end"
                sign = f"this sign is right with a chance of {100 * min(self.chance, 0.999):.3g} %"
                ask = f"; judge {self.likely} in the order below, and ask again, for 95 %" if self.likely else ""
                told.append(f"{like}, and {sign}{ask}.")
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
    whose grade is least certain, counted by what it moves: it is taken to be like the grades beside it. On real runs of
    which half of the judgements were hidden, less than half as many as by ranks settled the sign with a chance of 95 %,
    asked again after every ten. To leave no doubt at all takes far more: even when the true grades chose, it took 51 to
    58 % of what ranks took.

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
    ranks, documents = _unjudged(have, qrels, lists, one, column, best)
    low, high = (_end(have, qrels, lists, documents, one, column, best, sign) for sign in (-1, 1))
    documents = [d for d in documents if d.move]
    drawn = _drawn(ranks, qrels, documents)
    spread = {d: abs(d.move) * float(np.std(grades)) for d, grades in drawn.items()}
    documents.sort(key=lambda d: (-spread[d], min(filter(None, d[2:4]))))
    expected, off = _expected(have, qrels, lists, drawn, one, column)
    off = 0.0 if low > 0 or high < 0 else off  # nothing is left to chance
    chance = NormalDist().cdf(abs(expected) / off) if off else 1.0
    left = np.cumsum([0.0, *(spread[d] ** 2 for d in reversed(documents))])[::-1]  # after 0, 1 ... judgements
    until = int(np.argmax(SURE * off * np.sqrt(left / (left[0] or 1.0)) <= abs(expected)))
    by_rank = sorted(documents, key=lambda d: min(filter(None, d[2:4])))
    queries: dict[str, float] = {}
    for d in documents:
        queries[d.query] = queries.get(d.query, 0.0) + abs(d.move)
    deciding = dict(sorted(queries.items(), key=lambda each: -each[1]))
    enough, in_rank_order = (_enough([abs(d.move) for d in order], limit) for order in (documents, by_rank))
    rest = expected, chance, documents, until, enough, in_rank_order, deciding
    return Next(one, limit, low, high, *rest, one.queries_needed())


def _unjudged(
    have: Materials, qrels: Any, lists: list[Any], one: Difference, column: Any, best: float
) -> tuple[dict[str, list[dict[str, int]]], list[Unjudged]]:
    """The ranks of the documents of each query in both runs, as far as the measure looks; and those nobody judged."""
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
    return ranks, documents


def _drawn(ranks: Mapping[str, list[dict[str, int]]], qrels: Any, documents: list[Unjudged]) -> dict[Unjudged, Any]:
    """Grades that the unjudged may have, a column of draws each, with a stored seed.

    One is like the judged beside it, of the same query and in the same of the two lists. How often these have each
    grade is drawn as well: from few judged nobody knows it well.
    """
    beside = [(query, (d in ours, d in theirs), max(qrels[query][d], 0))
              for query, (ours, theirs) in ranks.items() for d in {**ours, **theirs} if d in qrels[query]]  # fmt: skip
    levels, at = np.unique([0.0, *(grade for *_, grade in beside)], return_inverse=True)
    every = (np.bincount(at) - 0.5) / (len(at) - 0.5 * len(levels))
    seen: dict[Any, Any] = {}
    for (query, side, _), level in zip(beside, at[1:].tolist(), strict=True):
        for group in (query, side):
            seen.setdefault(group, np.zeros(len(levels)))[level] += 1
    rng = np.random.default_rng(0)
    shares: dict[Any, Any] = {}
    drawn = {}
    for d in documents:
        both = d.query, (d.rank is not None, d.other_rank is not None)
        for group in both:
            if group not in shares:
                shares[group] = rng.dirichlet(seen.get(group, 0.0) + LIKE_ALL * every, DRAWS)
        chances = np.cumsum(shares[both[0]] * shares[both[1]] / every, axis=1)
        drawn[d] = levels[(rng.random((DRAWS, 1)) * chances[:, -1:] > chances).sum(axis=1)]
    return drawn


def _expected(
    have: Materials, qrels: Any, lists: list[Any], drawn: Mapping[Unjudged, Any], one: Difference, column: Any
) -> tuple[float, float]:
    """The mean and the standard deviation of the mean difference, if the unjudged have the grades that were drawn."""
    cases: dict[str, tuple[str, dict[str, float]]] = {}
    for d, grades in drawn.items():
        for at, grade in enumerate(grades.tolist()):
            cases.setdefault(f"{at} {d.query}", (d.query, {}))[1][d.document] = grade
    totals = np.full(DRAWS, float(one.n * one.mean))
    for (name, (query, _)), value in zip(cases.items(), _differences(have, qrels, lists, cases, column), strict=True):
        totals[int(name.partition(" ")[0])] += value - one.per_query[query]
    return float(totals.mean() / one.n), float(totals.std() / one.n)


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
