"""Evaluate a run against judgements: files, dictionaries or data frames in, one number per measure and query out."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import compress
from typing import Any, ParamSpec, TypeAlias, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import TOO_LARGE
from ndcg_lib.choices import Bound, explained, keywords_of, nearest, text_of
from ndcg_lib.convention import Convention, as_convention
from ndcg_lib.engine import AT, Recipe, Sheet, as_number, gains, runs, within
from ndcg_lib.files.plain import QRELS, RUN, named, show
from ndcg_lib.files.reading import Format, Input
from ndcg_lib.files.source import Progress
from ndcg_lib.grid import Html, finite, fixed, frame, html, joined, tags
from ndcg_lib.inputs import sheet
from ndcg_lib.measures import MEASURES, READS_ZEROS, top_of
from ndcg_lib.presets import DIFFERS
from ndcg_lib.runs.dialects import as_columns
from ndcg_lib.runs.hits import (
    Hits,
    Judgements,
    Matched,
    Wanted,
    judgements_of_file,
    judgements_of_table,
    match_file,
    match_tables,
)
from ndcg_lib.runs.names import Column
from ndcg_lib.types import Array, ConventionLike, OfQueries

P = ParamSpec("P")
R = TypeVar("R")

Flags: TypeAlias = NDArray[np.bool_]


class Options(OfQueries, total=False):
    """The keywords of `evaluate` and `compare`: the choices of a convention, and these."""

    measures: str | Iterable[str]
    convention: ConventionLike
    qrels_format: Format | None
    run_format: Format | None
    progress: Progress | None


OPTIONS: dict[str, Any] = dict.fromkeys(Options.__annotations__) | {"measures": "ndcg"}
"""Their defaults. None of a choice: as the convention says."""


def shows_options(function: Callable[P, R]) -> Callable[P, R]:
    """Let help and completion show each option with its default."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=d) for name, d in OPTIONS.items()]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return explained(function)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, float]):
    """The mean of each measure by its name, and behind it the value of each query."""

    name: str
    convention: Convention
    columns: list[Column]
    queries: list[str]  # those that count: a query that the convention leaves out is not among them
    table: Array = field(repr=False)  # a row per query, a column per measure
    report: str  # what was missing, empty or ignored, in one line
    record: Any = None  # of a saved result
    behind: tuple[Any, Any, dict[str, Any]] | None = None  # judgements, run and options, to look at them again
    counts: Flags | None = None  # which value counts, where the measures leave out different queries

    def __getitem__(self, measure: str) -> float:
        return float(np.mean(list(self.per_query(measure).values())))

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
        values = zip(self.queries, self.table[:, at].tolist(), strict=True)
        return dict(values) if self.counts is None else dict(compress(values, self.counts[:, at].tolist()))

    def __str__(self) -> str:
        width = max(len(column.heading) for column in self.columns)
        means = [f"{column.heading:<{width}}  {fixed(self[column.key])}" for column in self.columns]
        return "\n".join([*means, *self.cards(), self.report])

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """A row per query, with the value of each measure; None where a measure leaves the query out."""
        values = [self.per_query(measure) for measure in self]
        return [{"query": q, **{m: each.get(q) for m, each in zip(self, values, strict=True)}} for q in self.queries]

    def frame(self) -> Any:
        """The rows as a data frame of pandas, or of Polars where that is installed alone."""
        return frame(self.rows())

    def to_json(self) -> str:
        """Means, what decides them, and the value of each query, as JSON.

        >>> print(evaluate({"51": {"a": 1}}, {"51": ["a"]}, measures="RR").to_json())
        {"measures": {"RR": "RR"}, "mean": {"RR": 1.0}, "queries": [{"query": "51", "RR": 1.0}], "report": "1 judged\
 query, none without results, none without a relevant document."}
        """
        measures = dict(zip(self, map(str, self.columns), strict=True))
        rows = [{name: finite(value) for name, value in row.items()} for row in self.rows()]
        mean = {measure: finite(value) for measure, value in self.items()}
        found = {"measures": measures, "mean": mean, "queries": rows, "report": self.report}
        return json.dumps(found, ensure_ascii=False)

    def _repr_html_(self) -> Html:
        table = [["", "mean"], *([str(column), fixed(self[column.key])] for column in self.columns)]
        return joined(html(table), tags("p", [*self.cards(), self.report]))

    def cards(self) -> list[str]:
        """What each measure is, a line each."""
        return [column.card() for column in self.columns]

    def key_of(self, measure: str) -> str:
        """The name here of a measure that may be spelt otherwise.

        >>> evaluate({"51": {"a": 1}}, {"51": ["a"]}, measures="RR(rel=2)").key_of("rr(rel=2.0)")
        'RR(rel=2)'
        """
        return list(self)[self._at(measure)]

    def _at(self, measure: str) -> int:
        asked = list(self)
        if measure in asked:
            return asked.index(measure)
        with suppress(ValueError):  # another spelling of the same
            same = as_columns(measure, None, self.convention.but(k=None))
            if len(same) == 1 and same[0] in self.columns:
                return self.columns.index(same[0])
        raise KeyError(f"{measure} was not computed, but {', '.join(self)}")


@shows_options
def evaluate(qrels: Any, run: Any, k: int | Sequence[int] | None = None, **options: Unpack[Options]) -> Evaluation:
    """NDCG@k and other measures of a run, for each judged query and on average.

    `qrels` and `run` are file names (TREC, CSV, TSV or JSON, also gzipped), data frames, or dictionaries
    {query: {document: grade}} and {query: {document: score}}. `measures` are strings that say all that decides a value:
    "nDCG@10", "nDCG(gain=exp,ties=id)@10", "RR(rel=2)@10", "ERR(max=4)@20", "RBP(p=0.8)", and "nDCG'" (of the judged
    documents alone), "DCG", "CG", "P", "Recall", "Success" (hit rate), "Hits", "Judged", "AP", "Rprec", "bpref" and
    "infAP"; small letters do as well. What a string leaves out is as the other keywords say. A name without a cut-off
    takes each `k` if the measure looks at the top of a list, and reads the whole list otherwise. What trec_eval,
    ir_measures and ranx call a measure is read as theirs, or refused where they mean different numbers; with a tool's
    name as `convention` the value is that tool's. A result is found by what was asked for.

    Documents are ranked by score, never by the rank column of a file, and scores are 64-bit floats. Grades stay as they
    are: trec_eval and ranx cut 0.6 to 0, and some libraries round scores to 32 bits; this does not. A grade below 0
    (TREC marks spam so) has no gain. Queries of the run without judgements are left out. How many queries were missing,
    empty or left out stands in `report`.

    >>> result = evaluate({"51": {"a": 3, "b": 1}, "52": {"c": 1}}, {"51": {"b": 0.9, "a": 0.3}}, k=10)
    >>> print(result)
    nDCG@10  0.3984
    nDCG@10: gain g; discount 1/log2(i+1); ideal over all judged; no relevant document: 0; ties averaged; \
judged but no results: 0; mean over queries
    2 judged queries. 1 judged query returned nothing: counted 0.
    >>> result.per_query()
    {'51': 0.7967075809905066, '52': 0.0}
    """
    with Job.of(qrels, k, options) as job:
        return job.evaluate(run)


def asked(k: Any, given: Options) -> tuple[Convention, list[Column], dict[str, Any]]:
    """What the keywords of `evaluate` ask for; choices that are not None win over the convention."""
    for name in given.keys() - OPTIONS.keys():
        near = nearest(name, OPTIONS, {})
        guess = f". Did you mean {near!r}?" if near else ""
        raise TypeError(f"there is no option {name!r}{guess}")
    options: dict[str, Any] = OPTIONS | given
    chosen = Convention() if options["convention"] is None else as_convention(options["convention"])
    changes = {name: options[name] for name in keywords_of("queries") if options[name] is not None}
    if changes:
        chosen = chosen.but(**changes, name="", stands_for="")
    columns = as_columns(options["measures"], k, chosen)
    cutoffs = {column.k for column in columns if column.measure == "ndcg"}
    chosen = chosen.but(k=cutoffs.pop() if len(cutoffs) == 1 else None)
    return chosen, columns, options


@dataclass(frozen=True)
class Job:
    """What is asked about each run, and the judgements."""

    convention: Convention
    columns: list[Column]
    qrels: Input
    options: dict[str, Any]
    data: Any  # what the judgements were read from

    @staticmethod
    def of(qrels: Any, k: Any, given: Options) -> Job:
        """A job from the keywords of `evaluate`."""
        chosen, columns, options = asked(k, given)
        return Job(
            chosen, columns, Input.open(qrels, QRELS, options["qrels_format"], options["progress"]), options, qrels
        )

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        self.qrels.__exit__()

    def evaluate(self, run: Any) -> Evaluation:
        """Every column for every judged query; those of one convention at once."""
        groups: list[tuple[Convention, list[Column]]] = []
        for column in self.columns:
            group = next((columns for other, columns in groups if other == column.convention), None)
            if group is None:
                groups.append((column.convention, [column]))
            else:
                group.append(column)
        with Input.open(run, RUN, self.options["run_format"], self.options["progress"]) as found:
            parts = [self._part(found, *group) for group in groups]
        behind = (self.data, run, self.options)
        if len(parts) == 1:
            queries, table, told = parts[0]
            return Evaluation(found.name, self.convention, self.columns, queries, table, told, None, behind)
        every = list(dict.fromkeys(query for queries, _, _ in parts for query in queries))
        rows = [{query: at for at, query in enumerate(queries)} for queries, _, _ in parts]
        table = np.zeros((len(every), len(self.columns)))
        counts = np.zeros(table.shape, dtype=np.bool_)
        for (_, columns), (_, values, _), row in zip(groups, parts, rows, strict=True):
            at = [place for place, query in enumerate(every) if query in row]
            for number, column in enumerate(columns):
                place = self.columns.index(column)
                table[at, place] = values[[row[every[each]] for each in at], number]
                counts[at, place] = True
        reports = dict.fromkeys(told for _, _, told in parts)
        if len(reports) == 1:
            told = parts[0][2]
        else:
            told = " ".join(f"{columns[0]}: {part[2]}" for (_, columns), part in zip(groups, parts, strict=True))
        return Evaluation(found.name, self.convention, self.columns, every, table, told, None, behind, counts)

    def _part(self, found: Input, convention: Convention, columns: list[Column]) -> tuple[list[str], Array, str]:
        """The columns of one convention: queries that count, values, report."""
        recipe = convention.recipe
        cutoffs = [column.k for column in columns if column.k is not None]
        measures = {column.measure for column in columns}
        zero_counts = not isinstance(recipe[AT["gain"]], Bound) or bool(measures & READS_ZEROS)
        all_count = len(cutoffs) < len(columns) or convention.ideal == "returned" or "ndcg'" in measures
        depth = None if all_count else max(cutoffs)
        by_id = "own" in DIFFERS.get(convention.name, {})
        wanted = Wanted(convention.ties, convention.score_precision == "single", depth, zero_counts, by_id)
        judged, matched = match(self.qrels, found, wanted)
        if depth is not None and not len(matched.hits.query):  # is nothing at the top, or nothing at all?
            matched = match(self.qrels, found, wanted._replace(depth=None))[1]
        sheets: dict[Any, Sheet] = {}
        values = []
        for column in columns:
            condensed = MEASURES[column.measure].condensed
            key = (column.k, condensed, *sorted(column.own.items()))
            if key not in sheets:
                given: dict[str, Any] = {
                    "relevant": None,
                    "max_grade": None,
                    "persistence": 0.8,
                    "beta": 1.0,
                    **column.own,
                }
                if column.measure in ("err", "rbp"):
                    given["top_grade"] = top_of(judged.grade, given["max_grade"], err=column.measure == "err")
                sheets[key] = sheet_of(judged, matched, recipe, column.k, given, condensed=condensed)
            values.append(self._values(sheets[key], column, recipe))
        whole = next(iter(sheets.values()))
        missing, empty, counted = self._accounts(judged, matched, whole("idcg_sum", recipe) == 0, convention)
        for each in values:
            each[missing] = 0.0
        names = [query for query, counts in zip(judged.queries, counted.tolist(), strict=True) if counts]
        k = next((column.k for column in columns if column.measure == "ndcg"), None)
        told = report(judged, matched, convention.but(k=k), missing, empty)
        return names, np.column_stack([each[counted] for each in values]), told

    def _values(self, sheet: Sheet, column: Column, recipe: Recipe) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array(sheet(MEASURES[column.measure].quantity, recipe), dtype=np.float64)
        if column.measure in ("cg", "dcg") and not np.isfinite(values).all():
            raise ValueError(TOO_LARGE)
        return values * (column.k or 1) if column.measure == "hits" else values

    def _accounts(
        self, judged: Judgements, matched: Matched, empty: Flags, convention: Convention
    ) -> tuple[Flags, Flags, Flags]:
        """Which queries returned nothing, which have nothing relevant, and which count."""
        missing = matched.returned <= 0
        if convention.ideal == "returned" or convention.empty not in ("skip", "raise"):
            empty = empty & ~missing
        for choice, flags, what in (("missing", missing, "returned nothing"), ("empty", empty, "no relevant document")):
            if getattr(convention, choice) == "raise" and flags.any():
                names = ", ".join(show(judged.queries[at]) for at in np.flatnonzero(flags)[:3].tolist())
                names += f" and {flags.sum() - 3} more" if flags.sum() > 3 else ""
                raise ValueError(f"{what} for the judged query {names}, and {choice}='raise' makes this an error")
        counted = np.ones(len(judged), dtype=bool)
        if convention.missing == "skip":
            counted &= ~missing
        if convention.empty == "skip":
            counted &= ~empty
        if not counted.any():
            raise ValueError(
                "no query has a value, so there is no mean: all judged queries returned nothing or have no relevant"
                " document, and the convention leaves them out"
            )
        return missing, empty, counted


def sheet_of(
    judged: Judgements, matched: Matched, recipe: Recipe, k: int | None, given: dict[str, Any], *, condensed: bool
) -> Sheet:
    """The columns of the engine. A grade below 0 (spam, broken pages) has no gain by name, as in trec_eval."""
    gain, ties = recipe[AT["gain"]], getattr(recipe[AT["ties"]], "key", None)
    hits: Any = without_unjudged(matched.hits) if condensed else matched.hits
    query, grade, above, tied, place = hits
    returned = np.bincount(query, minlength=len(judged)) if condensed else np.maximum(matched.returned, 0)
    grades: Any = judged.grade
    hole, judged_hole = grade < 0, grades < 0
    if isinstance(gain, Bound):
        grade, grades = np.maximum(grade, 0), np.maximum(grades, 0)
    else:
        _refuse_negative(judged, gains(grades, gain))
    if ties in ("best", "worst"):
        rows = np.lexsort((-grade, -gains(grade, gain), above, query))
        query, grade, above, tied, hole = (column[rows] for column in (query, grade, above, tied, hole))
        if len(query):
            place = within(*runs(query, above))  # type: ignore[no-untyped-call]
        place = place if ties == "best" else tied - 1 - place  # the documents without a gain first, the best at the end
    if ties != "average":
        above, tied = above + place, np.ones_like(tied)
    rows = np.lexsort((above, query))
    query, grade, above, tied, hole = (column[rows] for column in (query, grade, above, tied, hole))
    order = (np.arange(len(query)), query, above, tied)
    given = given | {"hits_only": True, "returned": returned, "order": order, "hole": hole, "judged_hole": judged_hole}
    return sheet(query, grade, judged.query, grades, len(judged), k, **given)


def match(qrels: Input, run: Input, wanted: Wanted) -> tuple[Judgements, Matched]:
    """What the run returned of what was judged."""
    frames = frames_of(qrels, run, wanted)
    if frames is not None:
        judged, matched = frames.match(qrels.frame, run.frame, wanted)
    elif run.table is None and run.source is not None:
        if "file" not in qrels.kept and qrels.table is None and qrels.source is not None:
            qrels.kept["file"] = judgements_of_file(qrels.source)
        elif "file" not in qrels.kept:
            qrels.kept["file"] = judgements_of_table(qrels.as_table(), with_documents=True)
        judged = qrels.kept["file"]
        matched = match_file(run.source, judged, wanted)
    else:
        judged = judgements_of_table(qrels.as_table())
        matched = match_tables(qrels.as_table(), run.as_table(), wanted)
    if not len(judged):
        raise ValueError(f"{qrels.name} holds no queries")
    if matched.strangers and (matched.returned < 0).all():
        types = [type(next(iter(each.table))).__name__ for each in (run, qrels) if each.table]
        apart = f" (of type {types[0]} and {types[1]})" if len(set(types)) == 2 else ""  # 51 and "51"
        theirs, ours = show(matched.strangers[0]), show(judged.queries[0])
        raise ValueError(
            f"no query of {run.name} is judged in {qrels.name}: its queries are like {theirs!r}, the judged ones like"
            f" {ours!r}{apart}"
        )
    return judged, matched


def frames_of(qrels: Input, run: Input, wanted: Wanted) -> Any:
    """The module that ranks frames where they are, if these are two, of one library that it knows."""
    if qrels.frame is None or run.frame is None:
        return None
    try:
        frames = import_module("ndcg_lib.runs.frames")
    except ImportError:  # without narwhals the rows are read into dictionaries
        return None
    return frames if frames.takes(qrels.frame, run.frame, wanted.ties) else None


def without_unjudged(hits: Hits) -> Hits:
    """The hits of the condensed list, in which the documents that nobody judged take no rank (Sakai 2007)."""
    rows = np.lexsort((hits.place, hits.above, hits.query))
    rows = rows[hits.grade[rows] >= 0]
    query, above = hits.query[rows], hits.above[rows]
    if not len(rows):
        return Hits(query, hits.grade[rows], above, above, above)
    (start, size), (first, many) = runs(query, above), runs(query)  # type: ignore[no-untyped-call]
    above = np.repeat(start, size) - np.repeat(first, many)
    return Hits(query, hits.grade[rows], above, np.repeat(size, size), within(start, size))  # type: ignore[no-untyped-call]


def _refuse_negative(judged: Judgements, gain: Array) -> None:
    if gain.min(initial=0) < 0:
        at = int(gain.argmin())
        raise ValueError(
            f"the gain of grade {judged.grade[at]:g} is {gain[at]:g} (query"
            f" {show(judged.queries[int(judged.query[at])])}): a gain below 0 breaks the bounds 0 and 1, give"
            " gains from 0"
        )


def report(judged: Judgements, matched: Matched, convention: Convention, missing: Flags, empty: Flags) -> str:
    """What a reader of the numbers must know about the data, and where the tool of a preset would differ: one line."""
    sentences = [f"{_count(len(judged), 'judged query', 'judged queries')}."]
    tool = convention.stands_for.partition(" ")[0].rstrip(",")

    def say(what: str, count: int, one: str, many: str, then: str, always: bool = True) -> None:
        differs = DIFFERS.get(convention.name, {}).get(what)
        if count and (always or differs):
            aside = f" ({differs.format(tool)})" if differs else ""
            sentences.append(f"{_count(count, one, many)}: {then}{aside}.")

    lost = [judged.queries[at] for at in np.flatnonzero(missing).tolist()] if convention.missing == "skip" else []
    say("missing", int(missing.sum()), "judged query returned nothing", "judged queries returned nothing",
        f"left out{named(lost)}" if lost else "counted 0")  # fmt: skip
    worth = as_number(convention.recipe[AT["empty"]])
    has = "has no relevant document", "have no relevant document"
    has = ("returned no relevant document",) * 2 if convention.ideal == "returned" else has
    say("empty", int(empty.sum()), f"query {has[0]}", f"queries {has[1]}",
        "left out" if convention.empty == "skip" else f"counted {worth:g}")  # fmt: skip
    if not missing.any() and not empty.any():
        sentences[0] = sentences[0][:-1] + ", none without results, none without a relevant document."
    say("strangers", len(matched.strangers), "query of the run is not judged", "queries of the run are not judged",
        "left out")  # fmt: skip
    if isinstance(convention.gain, str):
        say("negative", int(np.count_nonzero(judged.grade < 0)), "grade is below 0", "grades are below 0", "no gain")
    say("fractional", int(np.count_nonzero(judged.grade % 1)), "grade is fractional", "grades are fractional",
        "counted in full", always=False)  # fmt: skip
    say("single", int((matched.returned == 1).sum()), "query returned one document", "queries returned one document",
        "counted", always=False)  # fmt: skip
    for top in (4, 30, 31):
        say(f"above {top}", int((judged.grade > top).sum()), f"grade is above {top}", f"grades are above {top}",
            "counted in full", always=False)  # fmt: skip
    short = (matched.returned > 0) & (matched.returned < (convention.k or 0))
    say("short", int(short.sum()), "query returned fewer than k documents", "queries returned fewer than k documents",
        "counted", always=False)  # fmt: skip
    say("whole", 0 if convention.k else len(judged), "query is read to its end", "queries are read to their end",
        "no cut-off", always=False)  # fmt: skip
    ties = text_of("ties", convention.levels["ties"])
    say("tied", int((matched.hits.tied > 1).sum()), "judged document shares its score",
        "judged documents share their score", ties, always=False)  # fmt: skip
    say("own", matched.own, "document has the id of its query", "documents have the ids of their queries",
        "counted", always=False)  # fmt: skip
    say("nearly", matched.near_ties, "score ties", "scores tie in single precision", ties)
    if matched.reordered:
        what = _count(matched.reordered, "query", "queries")
        sentences += [f"The lines of {what} are not in the order of their scores: ranked by score."]
    say("comments", judged.comments + matched.comments, "line begins with #", "lines begin with #", "not read")
    if not len(matched.hits.query) and (matched.returned > 0).any():
        sentences.append("No returned document is judged: are the document ids the same?")
    return " ".join(sentences)


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
