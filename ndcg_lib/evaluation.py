"""Evaluate a run against judgements: files, dictionaries or data frames in, one number per measure and query out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeAlias, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import TOO_LARGE
from ndcg_lib.choices import Bound, as_empty, keywords_of, nearest
from ndcg_lib.convention import Convention, as_convention
from ndcg_lib.engine import AT, Recipe, Sheet, gains, runs, within
from ndcg_lib.files.plain import QRELS, RUN, show
from ndcg_lib.files.reading import Format, Input
from ndcg_lib.files.source import Progress
from ndcg_lib.hits import Judgements, Matched, Wanted, match
from ndcg_lib.inputs import sheet
from ndcg_lib.measures import MEASURES, Column, above_0, as_columns, as_persistence, top_of
from ndcg_lib.types import Array, ConventionLike, OfQueries

P = ParamSpec("P")
R = TypeVar("R")

Flags: TypeAlias = NDArray[np.bool_]


class Options(OfQueries, total=False):
    """The keywords of `evaluate` and `compare`: the choices of a convention, and these."""

    measures: str | Iterable[str]
    convention: ConventionLike
    relevant: float | None
    persistence: float
    max_grade: float | None
    qrels_format: Format | None
    run_format: Format | None
    progress: Progress | None


OPTIONS: dict[str, Any] = dict.fromkeys(Options.__annotations__) | {"measures": "ndcg", "persistence": 0.8}
"""Their defaults. None of a choice: as the convention says."""


def shows_options(function: Callable[P, R]) -> Callable[P, R]:
    """Let help and completion show each option with its default."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=d) for name, d in OPTIONS.items()]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return function


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


@shows_options
def evaluate(qrels: Any, run: Any, k: int | Sequence[int] | None = None, **options: Unpack[Options]) -> Evaluation:
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
    with Job.of(qrels, k, options) as job:
        return job.evaluate(run)


@dataclass(frozen=True)
class Job:
    """What is asked about each run, and the judgements."""

    convention: Convention
    columns: list[Column]
    qrels: Input
    options: dict[str, Any]

    @staticmethod
    def of(qrels: Any, k: Any, given: Options) -> Job:
        """A job from the keywords of `evaluate`; choices that are not None win over the convention."""
        for name in given.keys() - OPTIONS.keys():
            near = nearest(name, OPTIONS, {})
            guess = f". Did you mean {near!r}?" if near else ""
            raise TypeError(f"there is no option {name!r}{guess}")
        options: dict[str, Any] = OPTIONS | given
        chosen = Convention() if options["convention"] is None else as_convention(options["convention"])
        changes = {name: options[name] for name in keywords_of("queries") if options[name] is not None}
        if changes:
            chosen = chosen.but(**changes, name="", stands_for="")
        columns = as_columns(options["measures"], k, chosen.k)
        cutoffs = {column.k for column in columns if column.measure == "ndcg"}
        chosen = chosen.but(k=cutoffs.pop() if len(cutoffs) == 1 else None)
        for name in ("relevant", "max_grade"):
            options[name] = above_0(name, options[name])
        options["persistence"] = as_persistence(options["persistence"])
        return Job(chosen, columns, Input.open(qrels, QRELS, options["qrels_format"], options["progress"]), options)

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        self.qrels.__exit__()

    def evaluate(self, run: Any) -> Evaluation:
        """Every column for every judged query."""
        recipe = self.convention.recipe
        zero_counts = not isinstance(recipe[AT["gain"]], Bound)
        cutoffs = [column.k for column in self.columns if column.k is not None]
        all_count = len(cutoffs) < len(self.columns) or self.convention.ideal == "returned"
        depth = None if all_count else max(cutoffs)
        with Input.open(run, RUN, self.options["run_format"], self.options["progress"]) as found:
            wanted = Wanted(self.convention.ties, self.convention.score_precision == "single", depth, zero_counts)
            judged, matched = match(self.qrels, found, wanted)
            if depth is not None and not len(matched.hits.query):  # is nothing at the top, or nothing at all?
                matched = match(self.qrels, found, wanted._replace(depth=None))[1]
        given = {name: self.options[name] for name in ("relevant", "persistence", "max_grade")}
        measures = {column.measure for column in self.columns}
        if measures & {"err", "rbp"}:
            given["top_grade"] = top_of(judged.grade, given["max_grade"], err="err" in measures)
        sheets = {k: sheet_of(judged, matched, recipe, k, given) for k in {c.k for c in self.columns}}
        values = [self._values(sheets[column.k], column.measure, recipe) for column in self.columns]
        missing, empty, counted = self._accounts(judged, matched, sheets[self.columns[0].k]("idcg_sum", recipe) == 0)
        for column in values:
            column[missing] = 0.0
        names = [query for query, counts in zip(judged.queries, counted.tolist(), strict=True) if counts]
        table = np.column_stack([column[counted] for column in values])
        told = report(judged, matched, self.convention, missing, empty)
        return Evaluation(found.name, self.convention, self.columns, names, table, told)

    def _values(self, sheet: Sheet, measure: str, recipe: Recipe) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array(sheet(MEASURES[measure].quantity, recipe), dtype=np.float64)
        if measure in ("cg", "dcg") and not np.isfinite(values).all():
            raise ValueError(TOO_LARGE)
        return values

    def _accounts(self, judged: Judgements, matched: Matched, empty: Flags) -> tuple[Flags, Flags, Flags]:
        """Which queries returned nothing, which have nothing relevant, and which count."""
        missing = matched.returned <= 0
        if self.convention.ideal == "returned" or self.convention.empty not in ("skip", "raise"):
            empty = empty & ~missing
        for choice, flags, what in (("missing", missing, "returned nothing"), ("empty", empty, "no relevant document")):
            if getattr(self.convention, choice) == "raise" and flags.any():
                names = ", ".join(show(judged.queries[at]) for at in np.flatnonzero(flags)[:3].tolist())
                names += f" and {flags.sum() - 3} more" if flags.sum() > 3 else ""
                raise ValueError(f"{what} for the judged query {names}, and {choice}='raise' makes this an error")
        counted = np.ones(len(judged), dtype=bool)
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


def sheet_of(judged: Judgements, matched: Matched, recipe: Recipe, k: int | None, given: dict[str, Any]) -> Sheet:
    """The columns of the engine. A grade below 0 (spam, broken pages) has no gain by name, as in trec_eval."""
    gain, ties = recipe[AT["gain"]], getattr(recipe[AT["ties"]], "key", None)
    hits: tuple[Any, ...] = matched.hits
    query, grade, above, tied, place = hits
    grades: Any = judged.grade
    if isinstance(gain, Bound):
        grade, grades = np.maximum(grade, 0), np.maximum(grades, 0)
    else:
        _refuse_negative(judged, gains(grades, gain))
    if ties in ("best", "worst"):
        rows = np.lexsort((-grade, -gains(grade, gain), above, query))
        query, grade, above, tied = (column[rows] for column in (query, grade, above, tied))
        if len(query):
            place = within(*runs(query, above))  # type: ignore[no-untyped-call]
        place = place if ties == "best" else tied - 1 - place  # the documents without a gain first, the best at the end
    if ties != "average":
        above, tied = above + place, np.ones_like(tied)
    rows = np.lexsort((above, query))
    query, grade, above, tied = (column[rows] for column in (query, grade, above, tied))
    order = (np.arange(len(query)), query, above, tied)
    given = given | {"hits_only": True, "returned": np.maximum(matched.returned, 0), "order": order}
    return sheet(query, grade, judged.query, grades, len(judged), k, **given)


def _refuse_negative(judged: Judgements, gain: Array) -> None:
    if gain.min(initial=0) < 0:
        at = int(gain.argmin())
        raise ValueError(
            f"the gain of grade {judged.grade[at]:g} is {gain[at]:g} (query"
            f" {show(judged.queries[int(judged.query[at])])}): a gain below 0 breaks the bounds 0 and 1, give"
            " gains from 0"
        )


def report(judged: Judgements, matched: Matched, convention: Convention, missing: Flags, empty: Flags) -> str:
    """What a reader of the numbers must know about the data: one line, always."""
    queries, grades_below = len(judged), int(np.count_nonzero(judged.grade < 0))
    sentences = [f"{_count(queries, 'judged query', 'judged queries')}."]
    if missing.any():
        what = _count(int(missing.sum()), "judged query", "judged queries")
        sentences.append(f"{what} returned nothing: {'counted 0' if convention.missing == 'zero' else 'left out'}.")
    if empty.any():
        without = "returned no relevant document" if convention.ideal == "returned" else ""
        what = _count(int(empty.sum()), "query", "queries")
        has = without or ("has no relevant document" if empty.sum() == 1 else "have no relevant document")
        counted = "left out" if convention.empty == "skip" else f"counted {as_empty(convention.empty):g}"
        sentences.append(f"{what} {has}: {counted}.")
    if not missing.any() and not empty.any():
        sentences[0] = sentences[0][:-1] + ", none without results, none without a relevant document."
    if matched.strangers:
        one = len(matched.strangers) == 1
        what = _count(len(matched.strangers), "query", "queries")
        sentences.append(f"{what} of the run {'is' if one else 'are'} not judged: left out.")
    if grades_below and isinstance(convention.gain, str):
        sentences.append(f"{_count(grades_below, 'grade is', 'grades are')} below 0: no gain.")
    if matched.reordered:
        what = _count(matched.reordered, "query", "queries")
        sentences.append(f"The lines of {what} are not in the order of their scores: ranked by score.")
    comments = judged.comments + matched.comments
    if comments:
        sentences.append(f"{_count(comments, 'line begins', 'lines begin')} with #: not read.")
    if not len(matched.hits.query) and (matched.returned > 0).any():
        sentences.append("No returned document is judged: are the document ids the same?")
    return " ".join(sentences)


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
