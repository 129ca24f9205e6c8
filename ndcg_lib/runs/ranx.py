"""The calls of ranx with its values, or a refusal: change the import to try this library::

    from ndcg_lib.runs.ranx import compare, evaluate  # in place of: from ranx import compare, evaluate

Judgements and runs are dictionaries, or the Qrels and Run of ranx, which need not be installed. The queries of two
dictionaries ranx pairs by place and not by name, so that here they have to stand in the same order; others are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ndcg_lib.checks import shown
from ndcg_lib.comparison import table
from ndcg_lib.comparison.table import Comparison
from ndcg_lib.convention import CONVENTIONS
from ndcg_lib.runs.dialects import ranx
from ndcg_lib.runs.evaluation import Evaluation
from ndcg_lib.runs.evaluation import evaluate as evaluated
from ndcg_lib.types import Array

Nested: TypeAlias = dict[str, dict[str, float]]

KEEPS_ORDER = 15
"""In longer lists numba sorts equal scores as it pleases; a Run that is sorted already says how."""


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Sequence[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = False,
    make_comparable: bool = False,
) -> Any:
    """A number for one metric, a dictionary for several; arrays of the queries with `return_mean=False`.

    `threads` changes nothing, and nothing is saved in the run.

    >>> evaluate({"51": {"a": 3, "b": 1}}, {"51": {"b": 0.9, "a": 0.3}}, ["ndcg@1", "mrr"])
    {'ndcg@1': 0.3333333333333333, 'mrr': 1.0}
    """
    if save_results_in_run:
        raise ValueError("save_results_in_run: nothing is saved in a run here; take what this returns")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    found = _evaluation(qrels, run, names, make_comparable)
    values = {name: np.array(list(found.per_query(name).values())) for name in names}
    each = {name: _summary(value, return_mean, return_std) for name, value in values.items()}
    return each[names[0]] if len(names) == 1 else each


def compare(
    qrels: Any, runs: Iterable[Any], metrics: str | Sequence[str], *, make_comparable: bool = False, **more: Any
) -> Comparison:
    """A comparison of the runs with ranx's values. Its tests are this library's; `t_p` of a pair is ranx's p-value.

    >>> runs = [{"51": {"b": 0.9, "a": 0.3}}, {"51": {"a": 0.9, "b": 0.3}}]
    >>> {name: dict(each) for name, each in compare({"51": {"a": 1}}, runs, "mrr").items()}
    {'run_1': {'mrr': 0.5}, 'run_2': {'mrr': 1.0}}
    """
    if more:
        raise ValueError(
            f"{', '.join(more)}: the table and its tests are this library's; see nd.compare for its options"
        )
    names, runs = [metrics] if isinstance(metrics, str) else list(metrics), list(runs)
    called = {getattr(run, "name", None) or f"run_{at}": run for at, run in enumerate(runs, start=1)}
    if len(called) < len(runs):
        raise ValueError("two runs have the same name, and ranx keeps the last alone: name them apart")
    return table.compare({name: _evaluation(qrels, run, names, make_comparable) for name, run in called.items()})


def _summary(values: Array, mean: bool, std: bool) -> Any:
    if not mean:
        return values
    return {"mean": float(values.mean()), "std": float(values.std())} if std else float(values.mean())


def _evaluation(qrels: Any, run: Any, metrics: list[str], make_comparable: bool) -> Evaluation:
    for name in metrics:  # this library's grammar is not ranx's
        if not isinstance(name, str) or ranx(name) is None:
            raise ValueError(f"ranx has no metric {shown(name)}")
    plain = isinstance(qrels, dict)
    if plain != isinstance(run, dict) or not (plain or (hasattr(qrels, "to_dict") and hasattr(run, "to_dict"))):
        raise ValueError("pass qrels and run as two dictionaries, or as Qrels and Run of ranx")
    judged, found = (qrels, run) if plain else (qrels.to_dict(), run.to_dict())
    if not plain:  # which it sorts by query
        judged = dict(sorted(judged.items()))
        found = {query: found.get(query, {}) for query in judged} if make_comparable else found
    if judged.keys() != found.keys():
        more = "add or leave out queries" if plain else "pass make_comparable=True"
        raise ValueError(f"qrels and run have not the same queries, which ranx refuses: {more}")
    if plain and list(judged) != list(found):
        raise ValueError("qrels and run have their queries in another order, and ranx pairs those of dictionaries by"
                         " place: sort both, or use nd.evaluate")  # fmt: skip
    result = evaluated(judged, found, measures=metrics, convention=CONVENTIONS["ranx_dicts" if plain else "ranx"])
    _refuse(judged, found, certain=getattr(run, "sorted", False) and not make_comparable)  # which sorts again
    return result


def _refuse(judged: Nested, found: Nested, *, certain: bool) -> None:
    """Where ranx gives a number that is not of these data."""
    for query, grades in judged.items():
        if any(grade % 1 for grade in grades.values()):
            raise ValueError(f"qrels, query {query}: a grade is fractional, and ranx cuts 0.6 to 0: use nd.evaluate")
        scores = found[query].values()
        if not certain and len(scores) > KEEPS_ORDER and len(set(scores)) < len(scores):
            raise ValueError(f"run, query {query}: scores are equal in a list of more than {KEEPS_ORDER}, which ranx"
                             " puts in no certain order: use nd.evaluate")  # fmt: skip
