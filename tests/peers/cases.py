"""The cases that every implementation is asked: small lists on which the choices of a convention show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

QUERIES = ("q1", "q2")
MIRRORED = ", ids reversed"


@dataclass(frozen=True)
class Query:
    """What a system returned for one query, in the order of the rows, and what was judged but not returned."""

    grades: tuple[float | None, ...]  # None: nobody judged this document
    scores: tuple[float, ...] = ()  # none given: the rows are in ranked order
    missed: tuple[float, ...] = ()
    ids: tuple[str, ...] = ()  # none given: d01, d02, … in the order of the rows
    judged: bool = True

    def row(self) -> tuple[list[float], list[float]]:
        """Grades and scores as an array interface gets them: an unjudged document has the grade 0."""
        return [grade or 0 for grade in self.grades], self._scores()

    def run(self) -> dict[str, float]:
        return dict(zip(self._ids(), self._scores(), strict=True))

    def qrels(self) -> dict[str, float]:
        """The judgements, or nothing at all for a query that nobody judged."""
        returned = {i: grade for i, grade in zip(self._ids(), self.grades, strict=True) if grade is not None}
        missed = {f"m{at:02}": grade for at, grade in enumerate(self.missed, 1)}
        return returned | missed if self.judged else {}

    def _ids(self) -> list[str]:
        return list(self.ids) or [f"d{at:02}" for at in range(1, len(self.grades) + 1)]

    def _scores(self) -> list[float]:
        return [float(score) for score in self.scores or range(len(self.grades), 0, -1)]


@dataclass(frozen=True)
class Case:
    """A question to an implementation: the mean NDCG@k of one or two queries."""

    name: str
    about: str
    queries: tuple[Query, ...]
    k: int | None = None

    def rows(self) -> list[tuple[list[float], list[float]]]:
        return [query.row() for query in self.queries]

    def qrels(self) -> dict[str, dict[str, float]]:
        """The judgements of the queries that have any."""
        found = {name: query.qrels() for name, query in zip(QUERIES, self.queries, strict=False)}
        return {name: judged for name, judged in found.items() if judged}

    def run(self) -> dict[str, dict[str, float]]:
        """The results of the queries that have any."""
        found = {name: query.run() for name, query in zip(QUERIES, self.queries, strict=False)}
        return {name: returned for name, returned in found.items() if returned}

    def mirrored(self) -> Case:
        """The same with the ids of each list the other way round, so that no rule by name can hide a difference."""
        queries = tuple(replace(query, ids=tuple(reversed(query._ids()))) for query in self.queries)
        return replace(self, name=self.name + MIRRORED, about=f"{self.about}; ids the other way round", queries=queries)

    def longest(self) -> int:
        """Stands for the whole list where a tool wants a cut-off."""
        return max(1, *(len(query.grades) + len(query.missed) for query in self.queries))


def ranked(run: Mapping[str, float]) -> list[str]:
    """The documents by score; equal scores in the order of the rows, which is then ours and not the tool's."""
    return sorted(run, key=lambda d: -run[d])


def relevant(qrels: Mapping[str, float]) -> list[str]:
    return [d for d, grade in qrels.items() if grade > 0]


def _one(name: str, about: str, *grades: float | None, k: int | None = None, scores: tuple[float, ...] = (),
         missed: tuple[float, ...] = (), ids: tuple[str, ...] = ()) -> Case:  # fmt: skip
    return Case(name, about, (Query(grades, scores, missed, ids),), k)


_PERFECT = Query((1, 0))
_FORTY = tuple((7 * rank * rank + 3 * rank) % 11 % 4 for rank in range(1, 41))

CASES: dict[str, Case] = {
    case.name: case
    for case in (
        _one("six-grades", "grades 3, 2, 3, 0, 1, 2", 3, 2, 3, 0, 1, 2),
        _one("nine-grades", "grades 3, 2, 2, 1, 2, 1, 0, 0, 1", 3, 2, 2, 1, 2, 1, 0, 0, 1),
        _one("cut-at-3", "grades 4, 2, 5, 3, 5 at k = 3", 4, 2, 5, 3, 5, k=3),
        _one("cut-at-1", "grades 1, 3, 2 at k = 1", 1, 3, 2, k=1),
        _one("yes-and-no", "grades 1, 0, 1, 0, 0", 1, 0, 1, 0, 0),
        _one("worst-first", "grades 0, 1, 2, 3", 0, 1, 2, 3),
        _one("rows-unsorted", "rows not in the order of their scores", 0, 3, 1, 2, scores=(0.1, 0.4, 0.9, 0.2)),
        _one("k-beyond-list", "six documents at k = 10", 3, 2, 3, 0, 1, 2, k=10),
        _one("forty-documents", "forty documents, no cut-off given", *_FORTY),
        _one("missed", "grades 3, 0, 2; a 3 and a 1 were judged and not returned", 3, 0, 2, missed=(3, 1)),
        _one("missed-at-3", "the same at k = 3", 3, 0, 2, missed=(3, 1), k=3),
        _one("unjudged-document", "grades 3 and 2, and between them a document without a grade", 3, None, 2),
        _one("all-tied", "grades 3, 0, 1, all with the same score", 3, 0, 1, scores=(1, 1, 1)),
        _one("all-tied-reversed", "the same rows in reverse order", 1, 0, 3, scores=(1, 1, 1)),
        _one("tied-at-1", "grades 3, 0, 1, all with the same score, at k = 1", 3, 0, 1, scores=(1, 1, 1), k=1),
        _one("tied-by-twos", "two groups of equal scores, ids that are not in the order of the rows",
             1, 0, 3, 2, 0, scores=(0.9, 0.9, 0.9, 0.5, 0.5), ids=("c", "a", "b", "e", "d")),
        _one("nearly-tied", "grades 0 and 1, scores 1 and 1.000000001", 0, 1, scores=(1, 1 + 1e-9),
             ),
        _one("nothing-relevant", "grades 0, 0, 0", 0, 0, 0),
        _one("one-document", "one document of grade 3", 3),
        Case("nothing-returned", "one relevant document was judged, nothing was returned", (Query((), missed=(1,)),)),
        Case("mean-with-irrelevant", "mean of a perfect list and a list of grades 0, 0", (_PERFECT, Query((0, 0)))),
        Case("mean-with-missing", "mean of a perfect list and a judged query that returned nothing",
             (_PERFECT, Query((), missed=(1,)))),
        Case("mean-with-unjudged", "mean of a perfect list and a query that nobody judged",
             (_PERFECT, Query((None, None), judged=False))),
        _one("fractional-grades", "grades 1, 0.6, 0, 0.8", 1.0, 0.6, 0.0, 0.8),
        _one("negative-grade", "grades −1, 0, 1", -1, 0, 1),
    )
}  # fmt: skip
CASES |= {case.name: case for case in [case.mirrored() for case in CASES.values()]}
"""Each case twice, with the ids in both orders."""
