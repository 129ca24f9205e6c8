"""Frames of pandas, Polars, DuckDB, PySpark and Dask: their own engine ranks the rows, with narwhals between them.

Only the judged documents come here, each with its place in the run; what they are worth, the one engine computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import shown
from ndcg_lib.files.plain import QRELS, RUN, Kind, show
from ndcg_lib.files.tables import columns_of
from ndcg_lib.runs.hits import Hits, Judgements, Matched, Wanted

try:
    nw: Any = import_module("narwhals")
except ImportError as error:
    raise ImportError("frames need narwhals: pip install narwhals") from error


# ---- frames as they come ----


class Tables(NamedTuple):
    """A run and its judgements with the columns query, doc, score and query, doc, grade."""

    run: Any
    qrels: Any
    query: str  # what the judgements call the query
    eager: bool


def opened(qrels: Any, run: Any) -> Tables:
    """The two frames under the names used here; rows whose score is no number stand in no rank, on any engine."""
    judged, of_judged = _named(qrels, QRELS)
    found, of_found = _named(run, RUN)
    ours, theirs = judged.collect_schema(), found.collect_schema()
    for what, name, other in zip(("query", "doc"), of_judged, of_found, strict=False):
        kinds = [dtype.is_integer() or dtype for dtype in (ours[what], theirs[what])]
        if kinds[0] != kinds[1]:
            raise ValueError(
                f"the column {show(name)} of qrels is of type {ours[what]} and {show(other)} of run of type"
                f" {theirs[what]}, so that nothing would be found: cast one of them to the type of the other"
            )
    eager = isinstance(nw.from_native(qrels), nw.DataFrame)
    return Tables(found.filter(_is_number("score")), judged, of_judged[0], eager)


def _named(data: Any, kind: Kind) -> tuple[Any, list[str]]:
    try:
        frame = nw.from_native(data)
    except TypeError:
        raise ValueError(
            f"{kind.name} is of type {type(data).__name__}: pass a frame of pandas, Polars, DuckDB, PySpark or Dask"
        ) from None
    if frame.implementation.is_pyarrow():
        raise ValueError(f"{kind.name} is a table of pyarrow, which has no windows: pass polars.from_arrow(table)")
    schema = frame.collect_schema()
    names = [schema.names()[at] for at in columns_of(schema.names(), kind, kind.name)]
    texts = (nw.Categorical, nw.Enum)
    ids = [nw.col(name).cast(nw.String) if schema[name] in texts else nw.col(name) for name in names]
    value = ids[2].cast(nw.Float64)
    frame = frame.lazy() if frame.implementation.is_polars() else frame
    return frame.select(query=ids[0], doc=ids[1], **{kind.value: value}), names


def _is_number(column: str) -> Any:
    """Polars and DuckDB tell null from nan, pandas does not; DuckDB puts nan first, pandas last. So neither stays."""
    return ~(nw.col(column).is_null() | nw.col(column).is_nan())


def here(frame: Any) -> dict[str, Any]:
    """The columns of a frame as arrays, computed now."""
    native = frame.to_native()
    if hasattr(native, "fetchnumpy"):  # DuckDB
        return dict(native.fetchnumpy())
    if hasattr(native, "toPandas"):  # Spark
        frame = nw.from_native(native.toPandas())
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect(**{"engine": "streaming"} if frame.implementation.is_polars() else {})  # which needs less
    return {name: frame[name].to_numpy() for name in frame.columns}


def check(qrels: Any, run: Any) -> None:
    """Refuse what would give a wrong number without a word: no number, no name, a document twice in a query.

    Both frames are read once by their own engine; a frame of any library means the same by a missing number, whether
    the library calls it null or nan and wherever it would rank it.
    """
    for data, kind in ((qrels, QRELS), (run, RUN)):
        frame = _named(data, kind)[0]
        good = _is_number(kind.value) & ~nw.col("query").is_null() & ~nw.col("doc").is_null()
        good = good & (nw.col(kind.value).abs() < math.inf) if kind is QRELS else good
        bad = here(frame.filter(~good).head(1))
        if len(bad["query"]):
            query, doc, value = (bad[name][0] for name in ("query", "doc", kind.value))
            raise ValueError(
                f"{kind.name}, query {shown(query)}, document {shown(doc)}: the {kind.value} is {shown(value)}. Every"
                f" row needs a query, a document and a number: fill it in, or leave the row out"
            )
        sizes = frame.group_by("query").agg(nw.col("doc").n_unique(), rows=nw.len())
        if frame.implementation.is_dask():  # its count of different values adds up over partitions
            sizes = frame.group_by("query", "doc").agg(rows=nw.len()).with_columns(doc=nw.lit(1))
        for query in here(sizes.filter(nw.col("doc") < nw.col("rows")).head(1))["query"].tolist():
            documents = frame.filter(nw.col("query") == query).group_by("doc").agg(times=nw.len())
            twice = here(documents.filter(nw.col("times") > 1).head(1))
            doc, times = twice["doc"][0], twice["times"][0]
            raise ValueError(
                f"{kind.name}: document {shown(doc)} comes {times} times in query {shown(query)}: keep one of the rows"
            )


def parts(qrels: Any, run: Any, count: int) -> Iterator[tuple[Any, Any]]:
    """The same two frames in `count` parts of whole queries, one after the other, so that memory stays bounded.

    Only the names of the judged queries are held here. What is asked of each part is asked of all of them:

        values = [nd.evaluate(*part, k=10).per_query() for part in frames.parts(qrels, run, 8)]
    """
    if count < 1:
        raise ValueError(f"count is {count}: pass how many parts to make, at least 1")
    ours, theirs = (nw.from_native(data) for data in (qrels, run))
    judged, names = _named(qrels, QRELS)
    other = _named(run, RUN)[1][0]
    queries = sorted(here(judged.select("query").unique())["query"].tolist())
    cuts = sorted({queries[len(queries) * at // count] for at in range(1, count)}) if queries else []
    for low, high in zip([None, *cuts], [*cuts, None], strict=True):
        part = []
        for frame, name in ((ours, names[0]), (theirs, other)):
            frame = frame if low is None else frame.filter(nw.col(name) >= low)
            part.append((frame if high is None else frame.filter(nw.col(name) < high)).to_native())
        yield part[0], part[1]


def whole_queries(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Dask has no windows, so there each partition, which then holds whole queries, is computed with pandas."""

    def call(qrels: Any, run: Any, *arguments: Any) -> Any:
        if not (hasattr(qrels, "map_partitions") and hasattr(run, "map_partitions")):
            return compute(qrels, run, *arguments)
        count = max(qrels.npartitions, run.npartitions)
        pairs = ((qrels, QRELS), (run, RUN))
        sides = [frame.shuffle(_named(frame._meta, kind)[1][0], npartitions=count) for frame, kind in pairs]
        meta = compute(qrels._meta, run._meta, *arguments)
        dask = import_module("dask.dataframe")
        return dask.map_partitions(compute, *sides, *arguments, meta=meta, align_dataframes=False)

    return call


# ---- ranks ----


def ranked(run: Any, single: bool, depth: int | None) -> Any:
    """The documents with `above`: how many of their query have a higher score. With a depth, only the first ranks."""
    if single:
        run = run.with_columns(score=nw.col("score").cast(nw.Float32).cast(nw.Float64))
    run = run.with_columns(above=nw.col("score").rank("min", descending=True).over("query"))
    run = run.with_columns(above=nw.col("above").cast(nw.Int64) - 1)
    return run if depth is None else run.filter(nw.col("above") < depth)


def takes(qrels: Any, run: Any, ties: str) -> bool:
    """Whether `match` can rank these two: frames of one library, with a rule for ties that needs no order of rows."""
    if ties in ("order", "reverse"):
        return False
    try:
        kinds = [nw.from_native(data).implementation for data in (qrels, run)]
    except TypeError:
        return False
    known = ("pandas", "polars", "duckdb", "pyspark", "dask")
    return kinds[0] is kinds[1] and kinds[0].name.lower() in known


def match(qrels: Any, run: Any, wanted: Wanted) -> tuple[Judgements, Matched]:
    """What a run returned of what was judged: a row per judged document comes here, and no other."""
    tables = opened(qrels, run)
    check(qrels, run)
    rows, returned = (here(nw.from_native(ask(qrels, run, wanted))) for ask in (_judged_rows, _sizes))
    found, at = np.unique(rows["query"], return_inverse=True)
    names = found.tolist()
    rows_in_order = here(nw.from_native(qrels).select(tables.query))[tables.query].tolist() if tables.eager else ()
    number = {name: n for n, name in enumerate(dict.fromkeys(rows_in_order or names))}
    query = np.array([number[name] for name in names], np.int64)[at]
    order = np.argsort(query, kind="stable")
    bounds = query[order].searchsorted(np.arange(len(number) + 1))
    judged = Judgements([str(name) for name in number], bounds, rows["grade"].astype(np.float64)[order])
    matched = Matched(np.full(len(number), -1, np.int64))
    for name, size, near, own in zip(*(returned[n].tolist() for n in ("query", "size", "near", "own")), strict=True):
        if name in number:
            matched.returned[number[name]] = size
            matched.near_ties += int(near)
            matched.own += int(own)
        else:
            matched.strangers.append(str(name))
    hit = order[rows["above"][order] >= 0]
    above, tied, place = (rows[name].astype(np.int64)[hit] for name in ("above", "tied", "place"))
    matched.pieces.append(Hits(query[hit], rows["grade"].astype(np.float64)[hit], above, tied, place))
    return judged, matched


@whole_queries
def _judged_rows(qrels: Any, run: Any, wanted: Wanted) -> Any:
    """A row per judged document, with its place in the run; -1 where the run lacks it."""
    tables = opened(qrels, run)
    found = ranked(tables.run, wanted.single, wanted.depth).with_columns(tied=nw.lit(1), place=nw.lit(0))
    found = found.with_columns(nw.col("tied").sum().over("query", "above"))
    if wanted.ties in ("id", "id-descending"):
        # cum_count() of a column that it is also ordered by is wrong on pandas: a sum of ones is right on all
        place = nw.col("_one").cum_sum(reverse=wanted.ties == "id-descending").over("query", "above", order_by="_name")
        found = found.with_columns(_one=nw.lit(1), _name=nw.col("doc").cast(nw.String)).with_columns(place=place - 1)
    places = ["above", "tied", "place"]
    rows = tables.qrels.join(found.select("query", "doc", *places), on=["query", "doc"], how="left")
    return rows.select("query", "grade", *(nw.col(name).fill_null(-1).cast(nw.Int64) for name in places)).to_native()


@whole_queries
def _sizes(qrels: Any, run: Any, wanted: Wanted) -> Any:
    """How many documents the run returned for each of its queries, and how many tie in single precision only."""
    run = opened(qrels, run).run
    same = nw.col("query").cast(nw.String) == nw.col("doc").cast(nw.String)
    run = run.with_columns(own=nw.when(same).then(nw.lit(1)).otherwise(nw.lit(0)) if wanted.own else nw.lit(0))
    if not wanted.single:
        return run.group_by("query").agg(nw.col("own").sum(), size=nw.len()).with_columns(near=nw.lit(0)).to_native()
    run = run.with_columns(single=nw.col("score").cast(nw.Float32))
    ends = {"low": nw.col("score").min(), "high": nw.col("score").max()}
    tied = run.group_by("query", "single").agg(nw.col("own").sum(), size=nw.len(), **ends)
    tied = tied.with_columns(near=nw.when(nw.col("low") < nw.col("high")).then(nw.col("size")).otherwise(nw.lit(0)))
    return tied.group_by("query").agg(nw.col("size", "near", "own").sum()).to_native()
