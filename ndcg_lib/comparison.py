"""Two or more runs against the same judgements, query by query."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from ndcg_lib.checks import shown
from ndcg_lib.evaluation import Evaluation, Job, Options, shows_options
from ndcg_lib.types import Array

EQUAL = 1e-12
DRAWS = 10_000


@dataclass(frozen=True, eq=False)
class Difference:
    """One run minus another in one measure, for the queries that count in both."""

    run: str
    other: str
    measure: str
    per_query: dict[str, float]

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(np.mean(self._values))

    @property
    def better(self) -> int:
        """In how many queries the run is better."""
        return int(np.count_nonzero(self._values > EQUAL))

    @property
    def worse(self) -> int:
        """In how many queries the run is worse."""
        return int(np.count_nonzero(self._values < -EQUAL))

    @property
    def equal(self) -> int:
        """In how many queries there is no difference."""
        return len(self.per_query) - self.better - self.worse

    @cached_property
    def p(self) -> float:
        """How often a mean difference of this size would come by chance, if each query could as well go the other way.

        A two-sided randomisation test (Fisher; Smucker, Allan and Carterette, 2007): all ways to flip the signs, or
        10,000 of them, always the same, where there are more.
        """
        values = self._values[self._values != 0]
        observed = abs(values.sum()) * (1 - EQUAL)
        if 2 ** min(len(values), 60) <= DRAWS:
            signs = 1 - 2 * ((np.arange(2 ** len(values))[:, None] >> np.arange(len(values))) & 1)
            return float(np.mean(abs(signs @ values) >= observed))
        random = np.random.default_rng(0)
        extreme = sum(abs(random.choice([-1.0, 1.0], len(values)) @ values) >= observed for _ in range(DRAWS))
        return float((extreme + 1) / (DRAWS + 1))

    def __str__(self) -> str:
        return (
            f"{self.run} against {self.other}: {self.measure} {self.mean:+.4f}, better in {self.better} queries, worse"
            f" in {self.worse}, equal in {self.equal} (p = {self.p:.2g})"
        )

    @property
    def _values(self) -> Array:
        return np.array(list(self.per_query.values()), dtype=np.float64)


class Comparison(dict[str, Evaluation]):
    """The evaluation of each run by its name, and the differences between them."""

    def difference(self, run: str, other: str, measure: str | None = None) -> Difference:
        """A run minus another, in the first measure if none is named.

        >>> runs = {"old": {"51": ["b", "a"]}, "new": {"51": ["a", "b"]}}
        >>> compare({"51": {"a": 1}}, runs, k=1).difference("new", "old").per_query
        {'51': 1.0}
        """
        for name in (run, other):
            if name not in self:
                raise ValueError(f"there is no run {shown(name)}: the runs are {', '.join(map(shown, self))}")
        measure = next(iter(self[run])) if measure is None else measure
        ours, theirs = self[run].per_query(measure), self[other].per_query(measure)
        both = {query: ours[query] - theirs[query] for query in ours if query in theirs}
        if not both:
            raise ValueError(f"{run} and {other} have no query in common")
        return Difference(run, other, measure, both)

    def differences(self) -> list[Difference]:
        """Every run against the first, in every measure."""
        first, *others = self
        return [self.difference(run, first, measure) for run in others for measure in self[first]]

    def __str__(self) -> str:
        width = max(map(len, self))
        headings = [column.heading for column in next(iter(self.values())).columns]
        lines = ["  ".join([" " * width, *headings])]
        for name, evaluation in self.items():
            numbers = [f"{mean:{len(heading)}.4f}" for heading, mean in zip(headings, evaluation.values(), strict=True)]
            lines.append("  ".join([f"{name:<{width}}", *numbers]))
        lines += [str(difference) for difference in self.differences()]
        lines.append(next(iter(self.values())).convention.card())
        return "\n".join([*lines, *(f"{name}: {evaluation.report}" for name, evaluation in self.items())])

    __repr__ = __str__


@shows_options
def compare(
    qrels: Any,
    runs: Mapping[str, Any] | Sequence[Any],
    k: int | Sequence[int] | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Several runs against the same judgements: each as in `evaluate`, and query by query against each other.

    `runs` is {name: run}, or a list of file names.

    >>> qrels = {"51": {"a": 3, "b": 1}, "52": {"c": 1}}
    >>> old = {"51": {"b": 0.9, "a": 0.3}, "52": {"x": 0.9, "c": 0.8}}
    >>> print(compare(qrels, {"old": old, "new": {"51": {"a": 7.0, "b": 2.0}, "52": {"c": 1.5}}}).differences()[0])
    new against old: ndcg +0.2862, better in 2 queries, worse in 0, equal in 0 (p = 0.5)
    """
    with Job.of(qrels, k, options) as job:
        return Comparison({name: replace(job.evaluate(run), name=name) for name, run in names_of(runs).items()})


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
