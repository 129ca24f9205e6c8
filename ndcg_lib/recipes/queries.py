"""Rankings side by side, padded to one width, a row per query: what recipes are evaluated on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import as_grades, as_numbers
from ndcg_lib.types import Array

Flags: TypeAlias = NDArray[np.bool_]
Row: TypeAlias = "Sequence[Any] | NDArray[Any]"


@dataclass(frozen=True, eq=False)
class Queries:
    """What is known about one or more queries. Places without a document hold 0 and are marked in `there`."""

    grades: Array
    there: Flags
    unjudged: Flags
    again: Flags
    judged: Array
    judged_there: Flags
    scores: Array | None = None
    id_order: Array | None = None
    single: bool = True
    names: tuple[Any, ...] = ()

    @property
    def returned(self) -> NDArray[np.int_]:
        """How many documents each query returned."""
        counts: NDArray[np.int_] = self.there.sum(axis=1)
        return counts

    def blocks(self, size: int) -> list[Queries]:
        """The queries in blocks of about `size` documents.

        >>> [len(block.grades) for block in Queries.of([[1, 0], [1, 0], [0, 1]]).blocks(4)]
        [2, 1]
        """
        width = max(self.grades.shape[1], self.judged.shape[1], 1)
        step = max(1, size // width)
        if len(self.grades) <= step:
            return [self]
        return [self._rows(slice(start, start + step)) for start in range(0, len(self.grades), step)]

    def with_missed_last(self) -> Queries:
        """The judged documents that were not returned stand behind the list, with one score for all that is lowest.

        >>> Queries.of([0, 3], judged=[3, 3, 0]).with_missed_last().grades.tolist()
        [[0.0, 3.0, 3.0]]
        """
        missed = [_without(*row) for row in zip(self.judged, self.judged_there, self._listed(), strict=True)]
        grades, more = _padded(missed, float)
        nothing = np.zeros_like(more)
        scores = -np.arange(self.there.shape[1], dtype=float) + np.zeros(self.there.shape)
        scores = scores if self.scores is None else self.scores
        lowest = np.where(self.there, scores, np.inf).min(axis=1, initial=0.0) - 1
        order = self.id_order
        return replace(
            self,
            grades=np.hstack([self.grades, grades]),
            there=np.hstack([self.there, more]),
            unjudged=np.hstack([self.unjudged, nothing]),
            again=np.hstack([self.again, nothing]),
            scores=np.hstack([scores, np.broadcast_to(lowest[:, None], more.shape)]),
            id_order=None if order is None else np.hstack([order, nothing.astype(float)]),
        )

    def joined(self) -> Queries:
        """All queries as one.

        >>> two = Queries.of([[0, 1], [1, 0]], scores=[[1, 3], [4, 2]]).joined()
        >>> two.grades.tolist(), two.scores.tolist()
        ([[0.0, 1.0, 1.0, 0.0]], [[1.0, 3.0, 4.0, 2.0]])
        """
        here, judged = self.there, self.judged_there
        return replace(
            self,
            **{name: getattr(self, name)[here][None] for name in ("grades", "there", "unjudged", "again")},
            judged=self.judged[judged][None],
            judged_there=judged[judged][None],
            scores=None if self.scores is None else self.scores[here][None],
            id_order=None,
            single=True,
            names=(0,),
        )

    def _listed(self) -> list[Array]:
        """The grades of the judged documents in each list."""
        listed = self.there & ~self.unjudged & ~self.again
        return [row[flags] for row, flags in zip(self.grades, listed, strict=True)]

    def _rows(self, rows: slice) -> Queries:
        parts: dict[str, Any] = {name: getattr(self, name) for name in _PER_QUERY}
        cut: dict[str, Any] = {name: None if part is None else part[rows] for name, part in parts.items()}
        return replace(self, single=False, **cut)

    @staticmethod
    def of(grades: Any, judged: Any = None, scores: Any = None, ids: Any = None) -> Queries:
        """Queries from lists: one ranking, or one per row; None among the grades is an unjudged document.

        >>> Queries.of([[3, None, 1], [2]], judged=[[3, 1, 1], [2]]).judged.tolist()
        [[3.0, 1.0, 1.0], [2.0, 0.0, 0.0]]
        """
        single = not is_rows(grades)
        if single and (is_rows(judged) or is_rows(scores)):
            raise ValueError("judged or scores has several rows but grades is one ranking: give a row for each ranking")
        rows = [list(grades)] if single else [list(row) for row in grades]
        pools = _beside(judged, rows, single, "judged")
        score_rows = _beside(scores, rows, single, "scores", same_length=True)
        id_rows = _beside(ids, rows, single, "ids", same_length=True)
        return _assemble(rows, pools, score_rows, id_rows, single, tuple(range(len(rows))))

    @staticmethod
    def of_run(qrels: Any, run: Any) -> Queries:
        """Queries from judgements and results: {query: {document: grade}} and {query: {document: score}}.

        The results of a query may also be a list of documents, best first, or of (document, score) pairs; the
        judgements a list or set of the relevant documents. Without query names both are one query.

        >>> Queries.of_run({"a": 1, "b": 0}, ["b", "x", "a"]).grades.tolist()
        [[0.0, 0.0, 1.0]]
        """
        single = not (isinstance(qrels, Mapping) and any(not _is_number(value) for value in qrels.values()))
        names = [0] if single else [*qrels, *_strangers(qrels, run)]
        by_query = {0: (qrels, run)} if single else {name: (qrels.get(name), run.get(name)) for name in names}
        rows: list[list[Any]] = []
        pools: list[Any] = []
        score_rows: list[Any] = []
        id_rows: list[list[Any]] = []
        for judgements, results in by_query.values():
            known = _as_judgements(judgements)
            found = _as_results(results)
            id_rows.append([document for document, _ in found])
            rows.append([known.get(document) for document, _ in found])
            score_rows.append([score for _, score in found])
            pools.append(list(known.values()))
        scored = any(score is not None for row in score_rows for score in row)
        return _assemble(rows, pools, score_rows if scored else None, id_rows, single, tuple(by_query))


_PER_QUERY = ("grades", "there", "unjudged", "again", "judged", "judged_there", "scores", "id_order", "names")


def is_rows(values: Any) -> bool:
    """Whether these are several lists and not one.

    >>> is_rows([[1, 0], [2]]), is_rows([1, 0]), is_rows(None)
    (True, False, False)
    """
    if values is None or isinstance(values, (str, Mapping)):
        return False
    return any(isinstance(row, (Sequence, np.ndarray, Mapping)) and not isinstance(row, str) for row in values)


def _beside(
    values: Any, rows: list[list[Any]], single: bool, name: str, *, same_length: bool = False
) -> list[Any] | None:
    if values is None:
        return None
    if isinstance(values, Mapping):
        values = list(values.values())
    beside = [values] if single else list(values)
    if len(beside) != len(rows):
        raise ValueError(f"{name} has {len(beside)} rows but grades has {len(rows)}: give one row for each ranking")
    for at, (row, other) in enumerate(zip(rows, beside, strict=True)):
        if same_length and len(other) != len(row):
            place = "" if single else f" of row {at}"
            raise ValueError(f"{name}{place} has {len(other)} entries but grades has {len(row)}: give one per document")
    return [list(row.values()) if isinstance(row, Mapping) else row for row in beside]


def _assemble(
    rows: list[list[Any]],
    pools: list[Any] | None,
    score_rows: list[Any] | None,
    id_rows: list[Any] | None,
    single: bool,
    names: tuple[Any, ...],
) -> Queries:
    unjudged, there = _padded([[grade is None for grade in row] for row in rows], bool)
    cleaned = [as_grades([0 if g is None else g for g in row], "grades", allow_negative=True) for row in rows]
    grades, _ = _padded(cleaned, float)
    again = _padded([_seen_before(row) for row in id_rows], bool)[0] if id_rows else np.zeros_like(there)
    if pools is None:
        known = there & ~unjudged & ~again
        judged_rows: list[Any] = [row[flags] for row, flags in zip(grades, known, strict=True)]
    else:
        judged_rows = [as_grades([] if pool is None else list(pool), "judged", allow_negative=True) for pool in pools]
    judged, judged_there = _padded(judged_rows, float)
    scores = None
    if score_rows is not None:
        scores = _padded([as_numbers(list(row), "scores") if len(row) else [] for row in score_rows], float)[0]
        if np.isnan(scores).any():
            raise ValueError("scores holds nan: a document without a score has no rank; leave it out")
    id_order = _padded([_ranks(row) for row in id_rows], float)[0] if id_rows else None
    return Queries(grades, there, unjudged, again, judged, judged_there, scores, id_order, single, names)


def _without(judged: Array, there: Flags, listed: Array) -> list[float]:
    """The judged grades without those of the list."""
    left = Counter(judged[there].tolist())
    left.subtract(listed.tolist())
    return sorted((+left).elements(), reverse=True)


def _padded(rows: Sequence[Any], kind: type) -> tuple[NDArray[Any], Flags]:
    width = max((len(row) for row in rows), default=0)
    values: NDArray[Any] = np.zeros((len(rows), width), dtype=kind)
    there = np.zeros((len(rows), width), dtype=bool)
    for at, row in enumerate(rows):
        values[at, : len(row)] = row
        there[at, : len(row)] = True
    return values, there


def _seen_before(row: Sequence[Any]) -> list[bool]:
    seen: set[Any] = set()
    flags = []
    for document in row:
        flags.append(document in seen)
        seen.add(document)
    return flags


def _ranks(row: Sequence[Any]) -> list[int]:
    """The place of each id in ascending order, compared as text."""
    place = {document: at for at, document in enumerate(sorted({str(document) for document in row}))}
    return [place[str(document)] for document in row]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))


def _strangers(qrels: Mapping[Any, Any], run: Any) -> list[Any]:
    if not isinstance(run, Mapping):
        raise ValueError("qrels has several queries but run is one list: give {query: results}")
    return [query for query in run if query not in qrels]


def _as_judgements(judgements: Any) -> dict[Any, Any]:
    if judgements is None:
        return {}
    return dict(judgements) if isinstance(judgements, Mapping) else dict.fromkeys(judgements, 1)


def _as_results(results: Any) -> list[tuple[Any, Any]]:
    if results is None:
        return []
    if isinstance(results, Mapping):
        return list(results.items())
    return [tuple(entry) if isinstance(entry, (tuple, list)) else (entry, None) for entry in results]
