"""NDCG and other measures where the rows are: pandas, Polars, DuckDB, PySpark and Dask, with narwhals between them.

A frame comes in and a frame of the same library goes out; a lazy frame stays lazy, so that the engine decides how much
memory it takes. What an option means is read from the table of choices: its functions are called with columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple, Unpack

import numpy as np

from ndcg_lib.checks import shown
from ndcg_lib.choices import Bound, ByGrade, ByRank, Level
from ndcg_lib.engine import AT, Recipe, as_number
from ndcg_lib.files.plain import QRELS, RUN, Kind, show
from ndcg_lib.files.tables import columns_of
from ndcg_lib.measures import Column
from ndcg_lib.runs.evaluation import Options, asked, shows_options
from ndcg_lib.runs.hits import Hits, Judgements, Matched, Wanted

try:
    nw: Any = import_module("narwhals")
except ImportError as error:
    raise ImportError("frames need narwhals: pip install 'ndcg-lib[frames]'") from error


# ---- columns as numpy sees them ----


class Cells(np.lib.mixins.NDArrayOperatorsMixin):
    """A column of a frame as numpy sees it, so that the functions of the table of choices work on it as on arrays."""

    def __init__(self, expression: Any, *, flags: bool = False) -> None:
        self.expression = when(expression, 1.0, 0.0) if flags else expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), where: Any = True) -> Any:
        """numpy asks for a function of numbers, element by element."""
        x, *more = (each.expression if isinstance(each, Cells) else float(each) for each in inputs)
        if ufunc not in UFUNCS or method != "__call__":
            return NotImplemented
        made = UFUNCS[ufunc](x, *more)
        if isinstance(made, Cells):
            return made
        if not out:
            return Cells(made)
        old = out[0].expression
        out[0].expression = made if where is True else when(where.expression > 0, made, old)
        return out[0]

    def __array_function__(self, function: Any, types: Any, arguments: Any, more: Any) -> Any:
        """numpy asks for a function of whole arrays."""
        return FUNCTIONS[function](*arguments) if function in FUNCTIONS else NotImplemented


def when(condition: Any, then: Any, otherwise: Any) -> Any:
    """One expression or another, row by row; what is unknown takes the second."""
    then, otherwise = (each if isinstance(each, nw.Expr) else nw.lit(each) for each in (then, otherwise))
    return nw.when(condition).then(then).otherwise(otherwise)


def larger(x: Any, y: Any) -> Any:
    """The larger of a column and a number, whichever comes first."""
    column, number = (x, y) if isinstance(x, nw.Expr) else (y, x)
    return when(column > number, column, number)


def expm1(x: Any) -> Any:
    """e^x - 1 without the loss of digits near 0 (W. Kahan's way)."""
    e = x.exp()
    return when(e == 1.0, x, (e - 1.0) * x / e.log())


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: lambda x, y: x + y,
    np.subtract: lambda x, y: x - y,
    np.multiply: lambda x, y: x * y,
    np.divide: lambda x, y: (nw.lit(x) if isinstance(x, float) else x) / y,
    np.power: lambda x, y: (nw.lit(x) if isinstance(x, float) else x) ** y,
    np.exp2: lambda x: nw.lit(2.0) ** x,
    np.expm1: expm1,
    np.log2: lambda x: x.log(2),
    np.log: lambda x: x.log(),
    np.maximum: larger,
    np.greater: lambda x, y: Cells(x > y, flags=True),
    np.less: lambda x, y: Cells(x < y, flags=True),
}
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.ones_like: lambda x, *_: Cells(x.expression * 0.0 + 1.0),
    np.empty_like: lambda x, *_: Cells(x.expression),
}


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
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
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
        twice = here(frame.group_by("query", "doc").agg(times=nw.len()).filter(nw.col("times") > 1).head(1))
        if len(twice["query"]):
            query, doc, times = (twice[name][0] for name in ("query", "doc", "times"))
            raise ValueError(
                f"{kind.name}: document {shown(doc)} comes {times} times in query {shown(query)}: keep one of the rows"
            )


def parts(qrels: Any, run: Any, count: int) -> Iterator[tuple[Any, Any]]:
    """The same two frames in `count` parts of whole queries, one after the other, so that memory stays bounded.

    Only the names of the judged queries are held here. What is asked of each part is asked of all of them:

        values = [frames.per_query(*part, k=10) for part in frames.parts(qrels, run, 8)]
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


def counted(frame: Any, within: list[str], by: list[str], name: str, *, from_last: bool = False) -> Any:
    """A frame with the place, from 1, of each row within others, in ascending order of columns or from the last."""
    # cum_count() of a column that it is also ordered by is wrong on pandas: a sum of ones is right on all
    place = nw.col("_one").cum_sum(reverse=from_last).over(*within, order_by=by)
    return frame.with_columns(_one=nw.lit(1)).with_columns(place.alias(name)).drop("_one")


def ordered(frame: Any, ties: str, name: str = "rank") -> Any:
    """A frame with the rank that a rule for ties gives; where ties are averaged, any of the ranks of the tie."""
    if ties in ("order", "reverse"):
        raise ValueError(
            f"ties is {ties!r}, but the rows of a frame stand in no order: break ties by 'id', 'id-descending',"
            " 'best' or 'worst', or let them be averaged"
        )
    by = [nw.col("doc").cast(nw.String)]
    if ties in ("best", "worst"):
        by = [nw.col(name) * (-1.0 if ties == "best" else 1.0) for name in ("gain", "grade")]
    sign = -1 if ties == "id-descending" else 1
    keys = {f"_{at}": key for at, key in enumerate([nw.col("above") * sign, *(by if ties != "average" else [])])}
    return counted(frame.with_columns(**keys), ["query"], list(keys), name, from_last=sign < 0).drop(*keys)


def by_table(level: Level, column: str, values: Callable[[], list[float]]) -> Any:
    """What the table of choices, or a function of the caller's, makes of a column."""
    if isinstance(level, Bound):
        return level(Cells(nw.col(column))).expression
    known = values()
    found = nw.lit(math.nan)
    for value, worth in zip(known, level(np.array(known)), strict=True):
        found = when(nw.col(column) == value, float(worth), found)
    return found


def with_gains(qrels: Any, gain: Level) -> Any:
    """Judgements with their gains. A grade below 0 has none by name; a function is asked for each grade there is."""
    if isinstance(gain, Bound):
        qrels = qrels.with_columns(grade=when(nw.col("grade") < 0, 0.0, nw.col("grade")))
    grades: list[float] = []
    if isinstance(gain, ByGrade):
        grades = sorted(here(qrels.select("grade").unique())["grade"].tolist())
        wrong = [grade for grade in grades if float(gain(np.array([grade]))[0]) < 0]
        if wrong:
            raise ValueError(f"the gain of grade {shown(wrong[0])} is below 0, out of the bounds: give gains from 0")
    return qrels.with_columns(gain=by_table(gain, "grade", lambda: grades))


# ---- a value per query ----


HERE = ("ndcg", "dcg", "cg", "p", "recall", "ap", "rr", "rbp", "err")  # the measures of a `Plan`


@shows_options
def per_query(qrels: Any, run: Any, k: Any = None, **options: Unpack[Options]) -> Any:
    """NDCG@k and other measures of each judged query: a frame of the library that the two frames are of.

    Measures, choices and `convention` are those of `nd.evaluate`, and so are the values; the columns are called
    ndcg@10 and so on, behind the column of the query. Nothing is computed before the engine is asked to, and nothing
    is checked: see `check`. The rows stand in no order.

    >>> import polars
    >>> qrels = polars.DataFrame({"query": [51, 51, 52], "doc": ["a", "b", "c"], "grade": [3, 1, 1]})
    >>> run = polars.LazyFrame({"query": [51, 51], "doc": ["b", "a"], "score": [0.9, 0.3]})
    >>> per_query(qrels.lazy(), run, k=10).sort("query").collect()["ndcg@10"].round(3).to_list()
    [0.797, 0.0]
    """
    convention, columns, chosen = asked(k, options)
    for choice in ("missing", "empty"):
        if getattr(convention, choice) == "raise":
            raise ValueError(f"a frame is not read before it is asked for, so {choice} cannot be 'raise': pass 'skip'")
    ties = getattr(convention.recipe[AT["ties"]], "key", "")
    for column in columns:
        if column.measure not in HERE or column.relevant or column.persistence:
            raise ValueError(f"{column.heading} is not computed where the rows are: nd.evaluate computes it")
        if column.measure == "err" and (ties == "average" or chosen["max_grade"] is None):
            raise ValueError(
                "ERR of a frame needs max_grade=, the top of the scale, and a rule for ties other than 'average':"
                " nd.evaluate has neither need"
            )
    return _per_query(qrels, run, convention.recipe, tuple(columns), chosen)


@whole_queries
def _per_query(qrels: Any, run: Any, recipe: Recipe, columns: tuple[Column, ...], options: Any) -> Any:
    tables = opened(qrels, run)
    plan = Plan(recipe, columns, options)
    found = plan.values(with_gains(tables.qrels, plan.gain), tables.run).rename({"query": tables.query})
    return (found.collect() if tables.eager and isinstance(found, nw.LazyFrame) else found).to_native()


class Plan:
    """What to compute for some columns under a convention: sums over the rows of a query, then quotients of them."""

    def __init__(self, recipe: Recipe, columns: tuple[Column, ...], options: Any) -> None:
        levels = {name: recipe[at] for name, at in AT.items()}
        self.gain, self.discount = levels["gain"], levels["discount"]
        self.ties, self.ideal, self.missing = (levels[name].key for name in ("ties", "ideal", "missing"))
        self.single = levels["score_precision"].key == "single"
        self.empty, self.skips = as_number(levels["empty"]), getattr(levels["empty"], "key", "") == "skip"
        self.columns, self.options = columns, options
        self.scan = [c for c in columns if c.measure in ("ap", "rr", "err")]  # depend on what stands above
        cutoffs = [c.k for c in columns]
        self.depth = None if None in cutoffs or self.ideal == "returned" else max(k for k in cutoffs if k is not None)
        self.worths = {"one None": self.worth("one", None)}  # what the rank of a document is worth, by name
        self.sums = {"wanted": nw.col("relevant")}  # over the judged documents of a query
        for k in {columns[0].k, *(c.k for c in columns if c.measure == "ndcg")}:
            self.sums[f"idcg {k}"] = nw.col("gain") * self.worth("discount", k, "best")
        for c in columns:
            self.sums |= {c.key: self.term(c)} if c not in self.scan else {}

    def term(self, c: Column) -> Any:
        """What a document adds to a measure."""
        kind = {"ndcg": "discount", "dcg": "discount", "rbp": "patience"}.get(c.measure, "one")
        what, top = nw.col("gain" if c.measure in ("ndcg", "dcg", "cg") else "relevant"), self.options["max_grade"]
        if c.measure == "rbp" and top is not None:
            what = when(nw.col("grade") <= top, nw.col("grade") / float(top), math.nan)
        self.worths[f"{kind} {c.k}"] = self.worth(kind, c.k)
        return what * nw.col(f"{kind} {c.k}")

    def worth(self, kind: str, k: int | None, rank: str = "rank") -> Any:
        """What a rank is worth, and nothing after rank k."""
        worth = nw.lit(1.0)
        if kind == "discount":
            if isinstance(self.discount, ByRank) and k is None:
                raise ValueError("a discount by a function is asked for each rank up to k: pass k")
            worth = by_table(self.discount, rank, lambda: [float(i) for i in range(1, int(k or 0) + 1)])
        elif kind == "patience":
            worth = (float(self.options["persistence"]) ** Cells(nw.col(rank) - 1)).expression
        return worth if k is None else when(nw.col(rank) <= k, worth, 0.0)

    def values(self, judged: Any, run: Any) -> Any:
        """A frame with a row per judged query that counts, and a column per measure."""
        least = self.options["relevant"]
        relevant = nw.col("grade") > 0 if least is None else nw.col("grade") >= least
        judged = judged.with_columns(relevant=when(relevant, 1.0, 0.0))
        placed = ranked(run, self.single, self.depth)
        if self.scan or self.ties in ("best", "worst"):
            placed = placed.join(judged, on=["query", "doc"], how="left")
            placed = placed.with_columns(nw.col("gain", "grade", "relevant").fill_null(0.0))
        placed = ordered(placed, self.ties).with_columns(**self.worths)
        if self.ties == "average":
            placed = placed.with_columns(*(nw.col(name).mean().over("query", "above") for name in self.worths))
        rows = judged.join(placed.select("query", "doc", "above", *self.worths), on=["query", "doc"], how="left")
        rows = rows.with_columns(*(nw.col(name).fill_null(0.0) for name in self.worths))
        if self.ideal == "returned":
            rows = rows.with_columns(gain=when(nw.col("above").is_null(), 0.0, nw.col("gain")))
        rows = counted(rows.with_columns(_best=nw.col("gain") * -1.0), ["query"], ["_best"], "best")
        found = summed(rows, self.sums)
        if self.scan:
            found = found.join(self.scanned(placed), on="query", how="left")
            found = found.with_columns(*(nw.col(c.key).fill_null(0.0) for c in self.scan))
        whole_list = any(c.measure == "p" and c.k is None for c in self.columns)
        if whole_list or self.missing != "zero" or self.empty != 0:
            found = found.join(run.group_by("query").agg(returned=nw.len()), on="query", how="left")
            found = found.with_columns(nw.col("returned").fill_null(0))
        else:
            found = found.with_columns(returned=nw.lit(1))  # what returned nothing counts 0 in any case
        return self.quotients(found)

    def scanned(self, placed: Any) -> Any:
        """The sums of measures that ask what stands above a document; a tie is taken over all of its orders."""
        tied = nw.col("above") if self.ties == "average" else nw.col("rank") - 1
        tie, k, rank = ["query", "above"], {c: c.k or math.inf for c in self.scan}, nw.col("rank")
        top = self.options["max_grade"]  # asked for by ERR alone
        stop = nw.lit(0.0) if top is None else (nw.lit(2.0) ** nw.col("grade") - 1.0) / 2.0 ** float(top)
        placed = placed.with_columns(above=tied, one=nw.lit(1.0), stop=stop)
        placed = placed.with_columns(
            n=nw.col("one").sum().over(*tie),
            r=nw.col("relevant").sum().over(*tie),
            upto=nw.col("relevant").cum_sum().over("query", order_by="rank"),
            goes_on=(1.0 - nw.col("stop")).log(),
        )
        placed = placed.with_columns(before=nw.col("upto").max().over(*tie), j=rank - nw.col("above") - 1)
        n, r, j = nw.col("n"), nw.col("r"), nw.col("j")
        none_here = 1.0 - r / (n - j)
        placed = placed.with_columns(before=nw.col("before") - r, none=when(none_here > 0, none_here, 1.0).log())
        placed = placed.with_columns(
            none_yet=nw.col("none").cum_sum().over(*tie, order_by="rank"),
            arrives=nw.col("goes_on").cum_sum().over("query", order_by="rank"),
        )
        slope = (r - 1.0) / when(n > 1, n - 1.0, 1.0)
        first = (nw.col("before") == 0) & (j <= n - r)
        worth = {
            "ap": r / n * (nw.col("before") + 1.0 + j * slope) / rank,
            "rr": when(first, (nw.col("none_yet") - nw.col("none")).exp() * r / (n - j) / rank, 0.0),
            "err": (nw.col("arrives") - nw.col("goes_on")).exp() * nw.col("stop") / rank,
        }
        return summed(placed, {c.key: when(rank <= k[c], worth[c.measure], 0.0) for c in self.scan})

    def quotients(self, found: Any) -> Any:
        """The values, of the queries that count."""
        returned, none = nw.col("returned"), nw.col(f"idcg {self.columns[0].k}") == 0
        if self.missing == "skip":
            found = found.filter(returned > 0)
        if self.skips:
            found = found.filter(~(none & (returned > 0) if self.ideal == "returned" else none))
        values = {}
        for c in self.columns:
            under = {"ndcg": nw.col(f"idcg {c.k}"), "recall": nw.col("wanted"), "ap": nw.col("wanted")}.get(c.measure)
            value = nw.col(c.key)
            if under is not None:
                value = when(under > 0, value / under, self.empty)
            elif c.measure == "p":
                value = value / (float(c.k) if c.k else when(returned > 0, returned, 1))
            elif c.measure == "rbp":
                value = value * (1.0 - self.options["persistence"])
            values[c.key] = when(returned > 0, value, 0.0)
        return found.select("query", **values)


def summed(rows: Any, terms: dict[str, Any]) -> Any:
    """The sums of some terms over the rows of each query."""
    names = {f"_{at}": name for at, name in enumerate(terms)}
    rows = rows.select("query", **dict(zip(names, terms.values(), strict=True)))
    return rows.group_by("query").agg(*(nw.col(name).sum() for name in names)).rename(names)


# ---- for `nd.evaluate`: the engine of the frames ranks, and that of the library computes ----


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
    check(qrels, run)
    rows, returned = (here(nw.from_native(ask(qrels, run, wanted))) for ask in (_judged_rows, _sizes))
    tables = opened(qrels, run)
    names = rows["query"].tolist()
    rows_in_order = here(nw.from_native(qrels).select(tables.query))[tables.query].tolist() if tables.eager else ()
    number = {name: at for at, name in enumerate(dict.fromkeys(rows_in_order or sorted(set(names))))}
    query = np.fromiter(map(number.__getitem__, names), np.int64, len(names))
    order = np.argsort(query, kind="stable")
    bounds = query[order].searchsorted(np.arange(len(number) + 1))
    judged = Judgements([str(name) for name in number], bounds, rows["grade"].astype(np.float64)[order])
    matched = Matched(np.full(len(number), -1, np.int64))
    for name, size, near, own in zip(*(returned[n].tolist() for n in ("query", "size", "near", "own")), strict=True):
        if name in number:
            matched.returned[number[name]] = size
            matched.near_ties += int(near)
            matched.own += int(own) * wanted.own
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
        found = ordered(found, wanted.ties).with_columns(place=nw.col("rank") - nw.col("above") - 1)
    places = ["above", "tied", "place"]
    rows = tables.qrels.join(found.select("query", "doc", *places), on=["query", "doc"], how="left")
    return rows.select("query", "grade", *(nw.col(name).fill_null(-1).cast(nw.Int64) for name in places)).to_native()


@whole_queries
def _sizes(qrels: Any, run: Any, wanted: Wanted) -> Any:
    """How many documents the run returned for each of its queries, and how many tie in single precision only."""
    run = opened(qrels, run).run
    run = run.with_columns(own=when(nw.col("query").cast(nw.String) == nw.col("doc").cast(nw.String), 1, 0))
    if not wanted.single:
        return run.group_by("query").agg(nw.col("own").sum(), size=nw.len()).with_columns(near=nw.lit(0)).to_native()
    run = run.with_columns(single=nw.col("score").cast(nw.Float32))
    ends = {"low": nw.col("score").min(), "high": nw.col("score").max()}
    tied = run.group_by("query", "single").agg(nw.col("own").sum(), size=nw.len(), **ends)
    tied = tied.with_columns(near=when(nw.col("low") < nw.col("high"), nw.col("size"), 0))
    return tied.group_by("query").agg(nw.col("size", "near", "own").sum()).to_native()
