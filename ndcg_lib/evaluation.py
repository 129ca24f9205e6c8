"""Evaluate a run against judgements: files, dictionaries or data frames in, one number per measure and query out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ndcg_lib.checks import as_number, shown
from ndcg_lib.choices import Discount, Empty, Gain, Ties
from ndcg_lib.columns import Column, as_columns
from ndcg_lib.convention import Convention, as_convention
from ndcg_lib.files.decimals import Flags
from ndcg_lib.files.plain import QRELS, RUN, show
from ndcg_lib.files.reading import Format
from ndcg_lib.files.source import Progress
from ndcg_lib.matching.inputs import Input, match
from ndcg_lib.matching.judgements import Judgements
from ndcg_lib.matching.ranked import Ranked
from ndcg_lib.matching.report import report, some_of
from ndcg_lib.types import Array, ConventionLike

METHODS = {
    "ndcg": "ndcg",
    "dcg": "dcg",
    "cg": "cg",
    "p": "precision",
    "recall": "recall",
    "ap": "average_precision",
    "rr": "reciprocal_rank",
    "rbp": "rbp",
    "err": "err",
}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, float]):
    """The mean of each measure by its name, and behind it the value of each query."""

    name: str
    convention: Convention
    columns: list[Column]
    queries: list[str]  # those that count: a query that the convention leaves out is not among them
    table: Array = field(repr=False)  # a row per query, a column per measure
    report: str  # what was missing, empty or ignored, in one line

    def __getitem__(self, measure: str) -> float:
        return float(np.mean(self.table[:, self._at(measure)]))

    def __iter__(self) -> Iterator[str]:
        return iter([column.key for column in self.columns])

    def __len__(self) -> int:
        return len(self.columns)

    def per_query(self, measure: str | None = None) -> dict[str, float]:
        """The value of each query that counts; of the first measure where none is named.

        >>> evaluate({"51": {"a": 3, "b": 1}}, {"51": {"a": 0.9}}, measures="p@2").per_query()
        {'51': 0.5}
        """
        at = 0 if measure is None else self._at(measure)
        return dict(zip(self.queries, self.table[:, at].tolist(), strict=True))

    def __str__(self) -> str:
        width = max(len(column.heading) for column in self.columns)
        means = [f"{column.heading:<{width}}  {self[column.key]:.4f}" for column in self.columns]
        return "\n".join([*means, self.convention.card(), self.report])

    __repr__ = __str__

    def _at(self, measure: str) -> int:
        if measure not in list(self):
            raise KeyError(f"{measure} was not computed, but {', '.join(self)}")
        return list(self).index(measure)


def evaluate(
    qrels: Any,
    run: Any,
    k: int | Sequence[int] | None = None,
    *,
    measures: str | Iterable[str] = "ndcg",
    convention: ConventionLike = None,
    gain: Gain | None = None,
    discount: Discount | None = None,
    base: float | None = None,
    ideal: str | None = None,
    ties: Ties | None = None,
    empty: Empty | None = None,
    missing: str | None = None,
    relevant: float | None = None,
    persistence: float = 0.8,
    max_grade: float | None = None,
    qrels_format: Format | None = None,
    run_format: Format | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """NDCG@k and other measures of a run, for each judged query and on average.

    `qrels` and `run` are file names (TREC, CSV, TSV or JSON, also gzipped), data frames, or dictionaries
    {query: {document: grade}} and {query: {document: score}}. `measures` are names such as "ndcg", "dcg", "cg", "p",
    "recall", "ap", "rr", "rbp" and "err", with a cut-off of their own ("ap@100") or without; the first five then take
    each `k`, the others read the whole list. A document counts as relevant from the grade `relevant` on, or if its
    grade is above 0.

    Documents are ranked by score, never by the rank column of a file, and scores are 64-bit floats. Grades stay as they
    are: trec_eval and ranx cut 0.6 to 0, and some libraries round scores to 32 bits; this does not. A grade below 0
    (TREC marks spam so) has no gain. Queries of the run without judgements are left out. How many queries were missing,
    empty or left out stands in `report`.

    >>> result = evaluate({"51": {"a": 3, "b": 1}, "52": {"c": 1}}, {"51": {"b": 0.9, "a": 0.3}}, k=10)
    >>> print(result)
    NDCG@10  0.3984
    NDCG@10: gain g; discount 1/log2(i+1); ideal over all judged; no relevant document: 0; ties averaged; \
judged but no results: 0; mean over queries
    2 judged queries. 1 judged query returned nothing: counted 0.
    >>> result.per_query()
    {'51': 0.7967075809905066, '52': 0.0}
    """
    job = Job.of(
        k,
        measures=measures,
        convention=convention,
        choices={"gain": gain, "discount": discount, "base": base, "ideal": ideal, "ties": ties, "empty": empty,
                 "missing": missing},
        relevant=relevant,
        persistence=persistence,
        max_grade=max_grade,
    )  # fmt: skip
    with (
        Input.open(qrels, QRELS, qrels_format, progress) as judged,
        Input.open(run, RUN, run_format, progress) as found,
    ):
        return job.evaluate(judged, found)


@dataclass(frozen=True)
class Job:
    """What is asked about each run."""

    convention: Convention
    columns: list[Column]
    relevant: float | None = None
    persistence: float = 0.8
    max_grade: float | None = None

    @staticmethod
    def of(
        k: Any = None,
        *,
        measures: str | Iterable[str] = "ndcg",
        convention: ConventionLike = None,
        choices: Mapping[str, Any] | None = None,
        relevant: float | None = None,
        persistence: float = 0.8,
        max_grade: float | None = None,
    ) -> Job:
        """A job from the keywords of `evaluate`; `choices` that are not None win over the convention."""
        chosen = Convention() if convention is None else as_convention(convention)
        changes = {name: value for name, value in (choices or {}).items() if value is not None}
        if changes:
            chosen = chosen.but(**changes, name="", stands_for="")
        columns = as_columns(measures, k, chosen.k)
        cutoffs = {column.k for column in columns if column.measure == "ndcg"}
        chosen = chosen.but(k=cutoffs.pop() if len(cutoffs) == 1 else None)
        return Job(chosen, columns, _relevant(relevant), _persistence(persistence), _scale(max_grade))

    def evaluate(self, qrels: Input, run: Input) -> Evaluation:
        """Every column for every judged query."""
        ties = self.convention.ties
        zero_counts = not isinstance(self.convention.gain, str)
        judgements, matched = match(qrels, run, ties, self._depth(), zero_counts)
        if self._depth() is not None and not len(matched.hits):
            matched = match(qrels, run, ties, None, zero_counts)[1]  # is nothing at the top, or nothing at all?
        ranked = Ranked(judgements, matched, self.convention, self.relevant, self.persistence, self.max_grade)
        values = {column: getattr(ranked, METHODS[column.measure])(column.k) for column in self.columns}
        missing, empty, counted = self._accounts(judgements, ranked)
        for column in values.values():
            column[missing] = 0.0
        names = [name for name, counts in zip(judgements.queries, counted.tolist(), strict=True) if counts]
        return Evaluation(
            run.name,
            self.convention,
            self.columns,
            names,
            np.column_stack([values[column][counted] for column in self.columns]),
            report(judgements, matched, self.convention, missing, empty),
        )

    def _depth(self) -> int | None:
        """How far down a run must be read, where this is known beforehand."""
        cutoffs = [column.k for column in self.columns]
        if None in cutoffs or self.convention.ideal == "returned":
            return None
        return max(k for k in cutoffs if k is not None)

    def _accounts(self, judgements: Judgements, ranked: Ranked) -> tuple[Flags, Flags, Flags]:
        """Which queries returned nothing, which have nothing relevant, and which count."""
        missing = ranked.matched.returned <= 0
        empty = ranked.without_gain
        if self.convention.ideal == "returned" or self.convention.empty not in ("skip", "raise"):
            empty = empty & ~missing
        for choice, flags, what in (("missing", missing, "returned nothing"), ("empty", empty, "no relevant document")):
            if getattr(self.convention, choice) == "raise" and flags.any():
                names = some_of(show(judgements.queries[at]) for at in np.flatnonzero(flags).tolist())
                raise ValueError(f"{what} for the judged query {names}, and {choice}='raise' makes this an error")
        counted = np.ones(len(judgements), dtype=bool)
        if self.convention.missing == "skip":
            counted &= ~missing
        if self.convention.empty == "skip":
            counted &= ~empty
        if not counted.any():
            raise ValueError(
                "no query has a value, so there is no mean: all judged queries returned nothing or have no relevant"
                " document, and the convention leaves them out"
            )
        return missing, empty, counted


def _relevant(value: Any) -> float | None:
    number = as_number(value)
    if value is not None and (number is None or not 0 < number < math.inf):
        raise ValueError(f"relevant is {shown(value)}: pass the lowest grade that counts as relevant, above 0")
    return number


def _persistence(value: Any) -> float:
    number = as_number(value)
    if number is None or not 0 <= number < 1:
        raise ValueError(f"persistence is {shown(value)}: pass the probability of looking on, at least 0 and below 1")
    return number


def _scale(value: Any) -> float | None:
    number = as_number(value)
    if value is not None and (number is None or not 0 < number < math.inf):
        raise ValueError(f"max_grade is {shown(value)}: pass the top of the scale of grades, a number above 0")
    return number
