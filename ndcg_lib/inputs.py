"""What callers give, lists, rows of any lengths and dictionaries, as the columns of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndcg_lib.checks import as_cutoff, as_grades, as_numbers
from ndcg_lib.engine import Sheet


def sheet(
    query: Any, grade: Any, judged_query: Any, judged_grade: Any, queries: int, k: int | None = None, **more: Any
) -> Sheet:
    """The columns of the returned and of the judged documents, sorted by query, with what follows from them.

    `more` may hold `score`, `name` (numbers in the order of the ids), `again` and `unknown` (flags of the documents
    that come twice, or that nobody judged), and what other measures need: `relevant`, `persistence`, `max_grade`,
    `top_grade`. A reader that keeps only the hits gives `hits_only`, `returned` and the quantity `order` itself.
    """
    given = {"query": query, "grade": grade, "judged_query": judged_query, "judged_grade": judged_grade}
    given |= dict.fromkeys(("score", "name", "again", "unknown", "relevant", "max_grade"))
    counts = {
        "judged_count": np.bincount(judged_query, minlength=queries),
        "returned": np.bincount(query, minlength=queries),
        "top_grade": float(judged_grade.max(initial=0)) or 1.0,
    }
    return Sheet(**given | counts | {"queries": queries, "k": k, "hits_only": False, "persistence": 0.8} | more)


def of_table(grades: Any, k: int | None = None, judged: Any = None) -> Sheet:
    """Checked tables of grades in ranked order, a query per row; one-dimensional ones are one query."""
    pool = grades if judged is None else judged
    (rows, n), (_, m) = np.atleast_2d(grades).shape, np.atleast_2d(pool).shape
    query, judged_query = np.repeat(np.arange(rows), n), np.repeat(np.arange(rows), m)
    return sheet(query, grades.ravel(), judged_query, pool.ravel(), rows, k)


def of_rows(
    grades: Any, k: Any = None, judged: Any = None, scores: Any = None, ids: Any = None, *, allow_negative: bool = True
) -> tuple[Sheet, bool]:
    """One ranking or rows of any lengths, and whether it is one.

    None among the grades is an unjudged document; `judged` and each of its rows may be a mapping from document to
    grade. With `ids` documents may come twice.

    >>> made, single = of_rows([[3, None, 1], [2]], judged=[[3, 1, 1], [2]])
    >>> made("ndcg").round(3).tolist(), single
    ([0.847, 1.0], False)
    """
    single = not is_rows(grades)
    if single and (is_rows(judged) or is_rows(scores)):
        raise ValueError("judged or scores has several rows but grades is one ranking: give a row for each ranking")
    rows = [list(grades)] if single else [list(row) for row in grades]
    query = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    flat = [grade for row in rows for grade in row]
    unknown = np.array([grade is None for grade in flat], dtype=bool)
    grade = as_grades([0 if grade is None else grade for grade in flat], allow_negative=allow_negative)
    score: Any = _beside(scores, rows, single, "scores")
    if score is not None:
        score = as_numbers(score, "scores") if score else np.empty(0)
        if np.isnan(score).any():
            raise ValueError("scores holds nan: a document without a score has no rank; leave it out")
    names = _beside(ids, rows, single, "ids")
    again = name = None
    if names is not None:
        again = _seen_before(query.tolist(), names)
        name = np.unique([str(name) for name in names], return_inverse=True)[1]
    if judged is None:
        known = ~unknown if again is None else ~unknown & ~again
        judged_query, judged_grade = query[known], grade[known]
    else:
        pools = _pools(judged, single, len(rows), allow_negative)
        judged_query = np.repeat(np.arange(len(rows)), [len(pool) for pool in pools])
        judged_grade = np.concatenate([np.empty(0), *pools])
    more = {
        "score": score,
        "name": name,
        "again": again if again is not None and again.any() else None,
        "unknown": unknown if unknown.any() else None,
    }
    return sheet(query, grade, judged_query, judged_grade, len(rows), as_cutoff(k), **more), single


def of_run(qrels: Any, run: Any, k: Any = None) -> tuple[Sheet, bool, list[Any]]:
    """{query: {document: grade}} and {query: {document: score}}, document by document; also the names of the queries.

    The results of a query may also be a list of documents, best first, or of (document, score) pairs; the judgements a
    list or set of the relevant documents. Without names of queries both are one query.

    >>> made, single, names = of_run({"a": 1, "b": 0}, ["b", "x", "a"])
    >>> made("ndcg").tolist()
    [0.5]
    >>> of_run(["a"], ["b", "x", "a"])[0]("dcg").tolist()
    [0.5]
    """
    single = not (isinstance(qrels, Mapping) and any(not _is_number(value) for value in qrels.values()))
    if not single and not isinstance(run, Mapping):
        raise ValueError("qrels has several queries but run is one list: give {query: results}")
    names = [0] if single else [*qrels, *(query for query in run if query not in qrels)]
    grades, pools, scores, ids = [], [], [], []
    for name in names:
        judgements, results = (qrels, run) if single else (qrels.get(name), run.get(name))
        known = dict(judgements or {}) if isinstance(judgements, Mapping) else dict.fromkeys(judgements or (), 1)
        found = list(results.items()) if isinstance(results, Mapping) else [_as_pair(r) for r in results or ()]
        grades.append([known.get(document) for document, _ in found])
        pools.append(list(known.values()))
        scores.append([score for _, score in found])
        ids.append([document for document, _ in found])
    scored = any(score is not None for row in scores for score in row)
    return of_rows(grades, k, pools, scores if scored else None, ids)[0], single, names


def is_rows(values: Any) -> bool:
    """Whether these are several lists and not one.

    >>> is_rows([[1, 0], [2]]), is_rows([1, 0]), is_rows(None)
    (True, False, False)
    """
    if values is None or isinstance(values, (str, Mapping)):
        return False
    return any(isinstance(row, (Sequence, np.ndarray, Mapping)) and not isinstance(row, str) for row in values)


def _beside(values: Any, rows: list[list[Any]], single: bool, what: str) -> list[Any] | None:
    if values is None:
        return None
    beside = [values] if single else list(values)
    if len(beside) != len(rows):
        raise ValueError(f"{what} has {len(beside)} rows but grades has {len(rows)}: give one row for each ranking")
    for at, (row, other) in enumerate(zip(rows, beside, strict=True)):
        if len(other) != len(row):
            place = "" if single else f" of row {at}"
            raise ValueError(f"{what}{place} has {len(other)} entries but grades has {len(row)}: give one per document")
    return [one for row in beside for one in row]


def _pools(judged: Any, single: bool, rows: int, allow_negative: bool) -> list[Any]:
    pools = [judged] if single else list(judged.values() if isinstance(judged, Mapping) else judged)
    if len(pools) != rows:
        raise ValueError(f"judged has {len(pools)} rows but grades has {rows}: give one row for each ranking")
    lists = [list(pool.values()) if isinstance(pool, Mapping) else [] if pool is None else list(pool) for pool in pools]
    return [as_grades(pool, "judged", allow_negative=allow_negative) for pool in lists]


def _seen_before(query: list[int], names: list[Any]) -> Any:
    seen: set[Any] = set()
    flags = []
    for document in zip(query, names, strict=True):
        flags.append(document in seen)
        seen.add(document)
    return np.array(flags, dtype=bool)


def _as_pair(result: Any) -> tuple[Any, Any]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result, None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))
