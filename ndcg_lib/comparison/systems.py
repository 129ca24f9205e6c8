"""The systems of a comparison by name: files, runs that were repeated, values that were measured elsewhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ndcg_lib.checks import as_numbers, shown
from ndcg_lib.convention import Convention, as_convention
from ndcg_lib.runs.dialects import as_columns
from ndcg_lib.runs.evaluation import Evaluation, Options
from ndcg_lib.runs.names import Column


def merged(name: str, runs: list[Evaluation]) -> Evaluation:
    """One evaluation of several runs of a system: the mean of each query that counts in all."""
    if len(runs) == 1:
        return replace(runs[0], name=name)
    queries = [query for query in runs[0].queries if all(query in set(each.queries) for each in runs[1:])]
    rows = [dict(zip(each.queries, each.table, strict=True)) for each in runs]
    table = np.mean([[each[query] for query in queries] for each in rows], axis=0)
    report = f"mean of {len(runs)} runs. {runs[0].report}"
    return replace(runs[0], name=name, queries=queries, table=table, report=report)


def repeats_of(run: Any) -> list[Any]:
    """The runs of a system: a list holds several."""
    if isinstance(run, (list, tuple)):
        if not run:
            raise ValueError("a system has an empty list of runs: give at least one")
        return list(run)
    return [run]


def given(values: Any, options: Options) -> dict[str, list[Evaluation]]:
    """Evaluations, or values of queries, by name."""
    if not isinstance(values, Mapping) or not values:
        raise ValueError("without runs, pass {name: {query: value}}, or {name: evaluation}")
    columns = as_columns(options["measures"], None) if "measures" in options else [Column("value", None)]
    if len(columns) > 1:
        raise ValueError("values of queries are of one measure: name one in measures, or pass evaluations")
    convention = as_convention(options.get("convention") or Convention())
    found: dict[str, list[Evaluation]] = {}
    for name, each in values.items():
        several = isinstance(each, (list, tuple)) and any(isinstance(one, (Mapping, list, tuple)) for one in each)
        for one in each if several else [each]:
            if not isinstance(one, Evaluation):
                numbers = dict(one) if isinstance(one, Mapping) else dict(enumerate(one, 1))
                table = as_numbers(list(numbers.values()), f"values of {name}")[:, None] if numbers else None
                if table is None:
                    raise ValueError(f"{name} has no values: give one per query")
                one = Evaluation(str(name), convention, columns, list(map(str, numbers)), table, "")
            found.setdefault(str(name), []).append(one)
    return found


def names_of(runs: Any) -> dict[str, Any]:
    """The runs by name; files by their last name where these differ.

    >>> names_of(["old/run.txt", "new.txt"])
    {'run.txt': 'old/run.txt', 'new.txt': 'new.txt'}
    """
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
    else:
        paths = [os.fsdecode(run) if isinstance(run, (str, bytes, os.PathLike)) else "" for run in runs]
        names = [os.path.basename(path) for path in paths]
        if len(set(names)) < len(names):
            names = paths
        twice = next((name for name in names if name and names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the run {shown(twice)} is there twice: give each once, or {{name: run}}")
        if "" in names:
            raise ValueError("runs must be {name: run}, or file names that differ")
        named = dict(zip(names, runs, strict=True))
    if not named:
        raise ValueError("there is no run to evaluate")
    return named
