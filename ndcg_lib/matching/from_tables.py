"""A run from dictionaries. Only the judged documents are looked up, or only the documents at the top."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ndcg_lib.checks import as_number, shown
from ndcg_lib.choices import Ties
from ndcg_lib.files.plain import show
from ndcg_lib.matching.hits import Hits, Matched

Results = Mapping[Any, float]

SHORT = 30  # documents that are sooner compared one by one than put into an array


def match_tables(
    qrels: Mapping[Any, Mapping[Any, float]],
    run: Mapping[Any, Results],
    ties: Ties,
    depth: int | None = None,
    zero_counts: bool = False,
) -> Matched:
    """The judged documents that a run returned; with a depth, those of the first `depth` ranks at least.

    Documents of grade 0 need not be looked up unless they can count for something.

    >>> match_tables({"q": {"a": 1, "b": 0}}, {"q": {"x": 9.5, "a": 7.0}}, "average").hits.above
    array([1])
    """
    of_hits, grades, above, tied, place = list[int](), list[float](), list[int](), list[int](), list[int]()
    returned = np.full(len(qrels), -1, dtype=np.int64)
    for number, (query, judged) in enumerate(qrels.items()):
        results = run.get(query)
        if results is None:
            continue
        returned[number] = len(results)
        scores, ordered = _scores(results, query)
        down_to = len(scores) if len(scores) <= SHORT else depth
        if down_to is not None and down_to <= max(len(judged), SHORT) and down_to:
            found = _at_the_top(judged, results, scores, ordered, min(down_to, len(scores)))
        else:
            found = _anywhere(judged, results, scores, ordered, zero_counts)
        of_hits += [number] * len(found.documents)
        grades += [judged[document] for document in found.documents]
        above += found.above
        tied += found.tied
        place += _places(results, found, ties) if max(found.tied, default=1) > 1 else [0] * len(found.documents)
    whole = (np.array(column, dtype=np.int64) for column in (of_hits, above, tied, place))
    query_of, *ranks = whole
    hits = Hits(query_of, np.array(grades, dtype=np.float64), *ranks)
    if (hits.place > 0).any():
        hits = hits.take(np.lexsort((hits.place, hits.above, hits.query)))
    return Matched(hits, returned, [str(query) for query in run if query not in qrels])


class _Found(NamedTuple):
    """The hits of a query, best first."""

    documents: list[Any]
    above: list[int]
    tied: list[int]


def _at_the_top(judged: Results, results: Results, scores: list[float], ordered: list[float], depth: int) -> _Found:
    """The hits among the first `depth` ranks and all that tie with the last of these."""
    last, count = ordered[depth - 1], depth
    while count < len(ordered) and ordered[count] == last:
        count += 1
    top = ordered[:count]
    if scores[:count] == top:
        documents = [document for document in islice(results, count) if document in judged]
    else:
        documents = [document for document, score in results.items() if score >= last and document in judged]
        documents.sort(key=results.__getitem__, reverse=True)
    values = [results[document] for document in documents]
    return _Found(documents, [top.index(value) for value in values], [top.count(value) for value in values])


def _anywhere(
    judged: Results, results: Results, scores: list[float], ordered: list[float], zero_counts: bool
) -> _Found:
    """All hits."""
    documents = [document for document, grade in judged.items() if (grade or zero_counts) and document in results]
    if not documents:
        return _Found([], [], [])
    negative = -np.array(ordered, dtype=np.float64)
    values = np.array([-results[document] for document in documents], dtype=np.float64)
    above = negative.searchsorted(values, "left")
    tied = negative.searchsorted(values, "right") - above
    best_first = np.argsort(above, kind="stable")
    rows = best_first.tolist()
    return _Found([documents[row] for row in rows], above[best_first].tolist(), tied[best_first].tolist())


def _places(results: Results, found: _Found, ties: Ties) -> list[int]:
    """The number of each hit among the documents with its score, in the order asked for."""
    same: dict[float, list[Any]] = {
        results[document]: [] for document, size in zip(found.documents, found.tied, strict=True) if size > 1
    }
    for document, score in results.items():
        if score in same:
            same[score].append(document)
    for documents in same.values():
        if ties in ("id", "id-descending"):
            documents.sort(key=str)
        if ties in ("reverse", "id-descending"):
            documents.reverse()
    place = {document: at for documents in same.values() for at, document in enumerate(documents)}
    return [place.get(document, 0) for document in found.documents]


def _scores(results: Results, query: Any) -> tuple[list[float], list[float]]:
    """The scores as they come, and highest first. Every one is a number."""
    scores = list(results.values())
    try:
        total = sum(scores)  # fails on text; a nan shows in the sum
        if type(total) in (float, int) and (total - total == 0 or not any(map(math.isnan, scores))):
            return scores, _highest_first(scores)
    except (TypeError, ValueError, OverflowError):
        pass
    numbers = []
    for document, value in results.items():
        number = as_number(value)
        if number is None or math.isnan(number):
            _refuse(query, document, value)
        numbers.append(number)
    return numbers, _highest_first(numbers)


def _highest_first(scores: list[float]) -> list[float]:
    if len(scores) < 100 or scores[:9] == sorted(scores[:9], reverse=True):
        return sorted(scores, reverse=True)  # at once where they are so already
    return np.sort(np.array(scores, dtype=np.float64))[::-1].tolist()  # type: ignore[no-any-return]


def _refuse(query: Any, document: Any, value: Any) -> NoReturn:
    raise ValueError(
        f"run, query {show(str(query))}, document {show(str(document))}: score {shown(value)} is not a number"
    )
