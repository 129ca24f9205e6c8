"""How far equal scores, and documents that nobody judged, could move a mean on these data: one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ndcg_lib.comparison.scrutiny import DEEPEST, Materials, bounds, read_at_once
from ndcg_lib.files.plain import show
from ndcg_lib.grid import fixed
from ndcg_lib.runs.evaluation import Evaluation
from ndcg_lib.runs.names import Column

SHOWN = 0.0005
"""What the fourth decimal hardly shows is not said."""
RULES = ("worst", "best", "average", "order", "reverse", "id", "id-descending")
UNBOUNDED = ("judged", "bpref", "infap")
"""What reads documents without a gain, so that best and worst order say nothing of it."""


def lines(results: Mapping[str, Evaluation], *, holes: bool = True) -> list[str]:
    """The sentences of several systems, with the name of each in front where there are several."""
    return [
        f"{show(name)}, {measure}: {said}" if len(results) > 1 else f"{measure}: {said}"
        for name, each in results.items()
        for measure, said in moves(each, holes=holes).items()
    ]


def moves(result: Evaluation, *, holes: bool = True) -> dict[str, str]:
    """The sentence for each measure by its name; those that nothing could move have none. Of ties alone without holes.

    >>> from ndcg_lib import evaluate
    >>> print(moves(evaluate({"51": {"a": 1, "b": 0}}, {"51": {"a": 0.5, "b": 0.5}}, 1))["ndcg@1"])
    2 of 2 results share their score with another: 0.0000 (worst) to 1.0000 (best) by the rule for ties.
    """
    if result.behind is None or not all(map(read_at_once, result.behind[:2])):
        return {}
    qrels, run, options = result.behind
    have = Materials(qrels, {"": [run]}, options)
    judged, returned = have.judged(), have.returned(run)
    have = Materials(judged, {"": [returned]}, {})
    counts = [(list(scores.values()), query) for query, scores in returned.items() if query in judged]
    tied = sum(len(values) - int(np.sum(np.unique(values, return_counts=True)[1] == 1)) for values, _ in counts)
    said = {}
    for column in result.columns:
        told = _ties(have, column, tied, sum(len(values) for values, _ in counts)) if tied else ""
        told += " " * bool(told) + _holes(have, column, result.per_query(column.key)) if holes else ""
        if told.strip():
            said[column.key] = told.strip()
    return said


def _ties(have: Materials, column: Column, tied: int, results: int) -> str:
    rules = [rule for rule in RULES if column.measure not in UNBOUNDED or rule not in ("worst", "best", "average")]
    found = {rule: _mean(have, column.but(ties=rule)) for rule in rules}
    low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    if not found[high] - found[low] >= SHOWN:
        return ""
    return (
        f"{tied:,} of {results:,} results share their score with another: {fixed(found[low])} ({low}) to"
        f" {fixed(found[high])} ({high}) by the rule for ties."
    )


def _holes(have: Materials, column: Column, values: dict[str, float]) -> str:
    if column.k is None or column.k > DEEPEST or column.measure in (*UNBOUNDED, "hits", "ndcg'") or not values:
        return ""
    found = bounds(have, have.runs[""][0], values, column)
    if not found.best - found.worst >= SHOWN:
        return ""
    return (
        f"{100 * (1 - found.judged):.1f} % of the first {column.k} nobody judged: {fixed(found.worst)} to"
        f" {fixed(found.best)} if somebody did."
    )


def _mean(have: Materials, column: Column) -> float:
    values: Any = have.evaluate(have.qrels, have.runs[""][0], column)
    return float(np.mean(list(values.values())))
