"""NDCG of many queries at once, where scores rank the documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, Unpack

import numpy as np
from numpy.typing import NDArray

from ndcg_lib import dense
from ndcg_lib.checks import as_cutoff, as_grades, as_numbers, as_pool, defined, in_single, shown
from ndcg_lib.choices import Bound, ByGrade, bind
from ndcg_lib.convention import as_convention, of_lists
from ndcg_lib.core import ndcg
from ndcg_lib.engine import AT, Recipe, Sheet, as_number, following, recipe_of, runs, within
from ndcg_lib.formula import discounts
from ndcg_lib.formula import ndcg as ndcg_of
from ndcg_lib.inputs import sheet
from ndcg_lib.types import Array, ConventionLike, Empty, Grades, OfScores, Value

Numbers = NDArray[Any]

WHOLE_FLOATS = 2**53  # up to here every whole number has a float of its own
AT_ONCE = 1 << 18  # documents that the engine gets at once


@of_lists("scores")
def ndcg_scores(
    grades: Grades,
    scores: Grades,
    k: int | None = None,
    *,
    judged: Any = None,
    ids: Any = None,
    offsets: Any = None,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfScores],
) -> Value:
    """NDCG@k of each row, where the documents of a row come in any order and the highest score ranks first.

    `ties` says what equal scores mean: "average" is the mean over all orders of the tied; "order" and "reverse" go by
    position, "best" and "worst" by gain, "id" and "id-descending" by `ids`. Rows of different length come as flat
    lists that `offsets` part. `judged` holds all judged grades of each query, the returned ones included; without it
    the row is all there is.

    >>> ndcg_scores([[3, 0, 1], [0, 2, 1]], [[0.9, 0.2, 0.4], [0.7, 0.7, 0.7]], k=1)
    array([1. , 0.5])
    >>> ndcg_scores([3, 0, 1], [0.5, 0.5, 0.1], k=1, ties="worst")
    0.0
    """
    recipe = following(**choices)
    ties = recipe[AT["ties"]].key
    if ties in ("id", "id-descending") and ids is None:
        raise ValueError(f"ties={ties!r} needs the ids of the documents: pass ids=…, or ties='average' or 'order'")
    g, s = _table(grades, "grades"), _scores(scores, recipe[AT["score_precision"]].key == "single")
    if g.shape != s.shape:
        raise ValueError(
            f"grades has shape {g.shape} but scores has {s.shape}: give each document one grade and one score"
        )
    table = Table.of(g, s, ids, offsets)
    pools = None
    if judged is not None and recipe[AT["ideal"]].key == "judged":
        pools = _pools(judged, table.rows, table.single, allow_negative)
    k = as_cutoff(k)
    discounts(1, recipe[AT["discount"]])
    with np.errstate(over="ignore", invalid="ignore"):
        dcg, idcg = _sides(table, pools, k, recipe, allow_negative)
    defined(dcg, idcg, recipe[AT["empty"]])
    values = ndcg_of(dcg, idcg, as_number(recipe[AT["empty"]]))
    return float(values[0]) if table.single else values


def mean(values: Any, *, empty: Empty | None = None, convention: ConventionLike = None) -> float:
    """The mean over queries. With empty="skip", queries that have no value are left out; else nan makes the mean nan.

    >>> mean([1.0, 0.0, 0.5])
    0.5
    >>> mean(ndcg_scores([[1, 0], [0, 0]], [[2, 1], [2, 1]], empty="skip"), empty="skip")
    1.0
    """
    try:
        numbers = as_numbers(values, "values")
    except ValueError as error:  # what checks say of the grades of documents is true of the values of queries
        raise ValueError(str(error).replace("document", "query").replace("grade", "value")) from None
    if numbers.ndim != 1:
        raise ValueError(f"values has shape {numbers.shape}: pass one value per query")
    if np.isinf(numbers).any():
        raise ValueError(
            f"values[{int(np.argmax(np.isinf(numbers)))}] is infinite: pass values of NDCG, or nan for none"
        )
    if empty is None:
        empty = as_convention(convention).empty if convention is not None else 0.0
    bind("empty", empty)
    if isinstance(empty, str) and empty == "skip":
        numbers = numbers[~np.isnan(numbers)]
    if not numbers.size:
        raise ValueError("no query has a value, so there is no mean: check that there are relevant documents at all")
    return float(np.mean(numbers))


class Table(NamedTuple):
    """Documents in one flat list, those of query i from offsets[i] to offsets[i + 1]; and what they were given as."""

    grades: Numbers
    scores: Numbers
    names: NDArray[np.intp] | None  # the ids by their order
    offsets: NDArray[np.intp]
    given: tuple[Numbers, Numbers]
    width: int | None  # the length of the rows, where all are full
    single: bool

    @staticmethod
    def of(g: Numbers, s: Numbers, ids: Any, offsets: Any) -> Table:
        """A table of rows, or of a flat list with offsets; a list is one row."""
        ids = None if ids is None else _array(ids, "ids")
        if ids is not None and ids.shape != g.shape:
            raise ValueError(f"ids has shape {ids.shape} but grades has {g.shape}: give each document one id")
        single = g.ndim == 1 and offsets is None
        rows, width = (1, len(g)) if g.ndim == 1 else g.shape
        if offsets is not None:
            starts, width = _offsets(offsets, g), None
        else:
            starts = np.arange(rows + 1) * width
        names = None if ids is None else _numbered(ids.ravel(), starts, width, single)
        return Table(g.ravel(), s.ravel(), names, starts, (g, s), width, single)

    @property
    def rows(self) -> int:
        """How many queries there are."""
        return len(self.offsets) - 1

    def check(self, allow_negative: bool) -> None:
        """Refuse a wrong grade or a score that is nan, with its place in what was given."""
        g, s = self.given
        as_grades(g, allow_negative=allow_negative)
        if np.isnan(s).any():
            place = ", ".join(map(str, np.argwhere(np.isnan(s))[0].tolist()))
            raise ValueError(
                f"scores[{place}] is nan. A document without a score has no rank: leave it out, or rank it last with"
                " the score -inf"
            )


class Pools(NamedTuple):
    """The judged grades of all queries in one flat list."""

    grades: Array
    offsets: NDArray[np.intp]


def _sides(
    table: Table, pools: Pools | None, k: int | None, recipe: Recipe, allow_negative: bool
) -> tuple[Array, Array]:
    """DCG and ideal DCG of each query, both divided by one power of 2 where gains are huge."""
    level = recipe[AT["gain"]]
    lengths, sizes = np.diff(table.offsets), None if pools is None else np.diff(pools.offsets)
    dcg, idcg = np.zeros(table.rows), np.zeros(table.rows)
    one_table = sizes is None or (table.width and sizes.size and sizes[0] and (sizes == sizes[0]).all())
    if isinstance(level, Bound) and one_table:
        try:
            for length in np.unique(lengths).tolist():
                some = slice(None) if table.width is not None else np.flatnonzero(lengths == length)
                dcg[some], idcg[some] = _dense(table, pools, some, length, k, recipe)
            return dcg, idcg
        except dense.UnusualError:
            pass
    table.check(allow_negative)
    for start, end in _parts(lengths if sizes is None else lengths + sizes):
        try:
            dcg[start:end], idcg[start:end] = _by_engine(table, pools, start, end, k, recipe, allow_negative)
        except ValueError as error:
            _explain(table, pools, start, level, allow_negative, error)
    return dcg, idcg


def _dense(
    table: Table, pools: Pools | None, rows: Any, length: int, k: int | None, recipe: Recipe
) -> tuple[Array, Array]:
    """Both sides of queries of equal length by the fast form."""
    ties = recipe[AT["ties"]].key
    columns = (table.grades, table.scores, table.names if ties in ("id", "id-descending") else None)
    if isinstance(rows, slice):
        g, s, names = (x if x is None else x.reshape(table.rows, length) for x in columns)
    else:
        places = table.offsets[rows][:, None] + np.arange(length)
        g, s, names = (x if x is None else x[places] for x in columns)
    judged = None if pools is None else pools.grades.reshape(table.rows, -1)
    most = length if judged is None else max(length, judged.shape[1])
    d = discounts(min(k or most, most), recipe[AT["discount"]])
    return dense.sides(g, s, d, recipe[AT["gain"]], ties, names, judged)  # type: ignore[arg-type]


def _parts(sizes: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Queries cut into parts of about AT_ONCE documents."""
    start, ends = 0, np.cumsum(sizes)
    while start < len(sizes):
        before = ends[start] - sizes[start]
        end = max(start + 1, int(ends.searchsorted(before + AT_ONCE, "right")))
        yield start, end
        start = end


def _by_engine(
    table: Table, pools: Pools | None, start: int, end: int, k: int | None, recipe: Recipe, allow_negative: bool
) -> tuple[Array, Array]:
    part = slice(table.offsets[start], table.offsets[end])
    query = np.repeat(np.arange(end - start), np.diff(table.offsets[start : end + 1]))
    g = table.grades[part].astype(np.float64)
    judged_query, judged = query, g
    if pools is not None:
        judged_query = np.repeat(np.arange(end - start), np.diff(pools.offsets[start : end + 1]))
        judged = pools.grades[pools.offsets[start] : pools.offsets[end]]
    if isinstance(gain := recipe[AT["gain"]], ByGrade):
        gain(g, allow_negative)
    names = None if table.names is None else table.names[part]
    score = table.scores[part].astype(np.float64)
    made = sheet(query, g, judged_query, judged, end - start, k, score=score, name=names)
    if pools is not None:
        _refuse_better(made, recipe)
    return made("dcg_sum", recipe), made("idcg_sum", recipe)


def _refuse_better(made: Sheet, recipe: Recipe) -> None:
    """Refuse judgements that lack returned documents: NDCG could pass 1, or miss a negative grade."""
    of, g = made("ideal_list", recipe_of(recipe, ideal="returned"))
    of_best, best = made("ideal_list", recipe)
    place = np.searchsorted(of_best, of) + within(*runs(of))  # type: ignore[no-untyped-call]
    known = place < np.searchsorted(of_best, of, "right")
    beside = np.zeros_like(g)
    beside[known] = best[place[known]]
    given, lowest, lowest_judged = made.given, *np.zeros((2, made.given["queries"]))
    np.minimum.at(lowest, given["query"], given["grade"])
    np.minimum.at(lowest_judged, given["judged_query"], given["judged_grade"])
    if (g > beside).any() or (lowest < lowest_judged).any():
        raise ValueError("judged must hold every judged document once, the returned ones included")


def _explain(
    table: Table, pools: Pools | None, start: int, gain: Any, allow_negative: bool, error: ValueError
) -> NoReturn:
    """Raise what `ndcg` says of the first wrong row, and which row it is."""
    for row in range(start, table.rows):
        grades = table.grades[table.offsets[row] : table.offsets[row + 1]]
        judged = None if pools is None else pools.grades[pools.offsets[row] : pools.offsets[row + 1]]
        try:
            ndcg(grades, judged=judged, gain=getattr(gain, "source", None) or gain.key, allow_negative=allow_negative)
        except ValueError as found:
            raise ValueError(f"{'' if table.single else f'row {row}: '}{found}") from None
    raise error


def _pools(judged: Any, rows: int, single: bool, allow_negative: bool) -> Pools:
    """The pool of a table or a list of lists, one per query; for a single ranking, of one list."""
    if isinstance(judged, np.ndarray) and judged.ndim == 2 and len(judged) == rows and not single:
        table = as_pool(judged, allow_negative=allow_negative)
        return Pools(table.ravel(), np.arange(rows + 1) * table.shape[1])
    if not single and (isinstance(judged, (str, bytes, Mapping)) or not np.iterable(judged)):
        raise ValueError(f"judged is of type {type(judged).__name__}: give a list of judged grades for each query")
    lists = [judged] if single else list(judged)
    if len(lists) != rows:
        raise ValueError(
            f"judged has {len(lists)} rows but there are {rows} queries: give a list of judged grades for each query"
        )
    pools = []
    for row, part in enumerate(lists):
        try:
            pools.append(as_pool(part, allow_negative=allow_negative))
            if pools[-1].ndim != 1:
                raise ValueError(f"judged has shape {pools[-1].shape}: pass one list of judged grades for one ranking")
        except ValueError as error:
            raise ValueError(f"{'' if single else f'row {row}: '}{error}") from None
    return Pools(np.concatenate([np.empty(0), *pools]), np.cumsum([0, *map(len, pools)]))


def _numbered(ids: Any, offsets: NDArray[np.intp], width: int | None, single: bool) -> NDArray[np.intp]:
    """The ids by their order within their query, each there once."""
    sizes = np.diff(offsets)
    try:
        if width is not None:
            order = np.argsort(ids.reshape(-1, width), axis=1).ravel() + np.repeat(offsets[:-1], width)
        else:
            query = np.repeat(np.arange(len(sizes)), sizes)
            order = np.lexsort((np.unique(ids, return_inverse=True)[1], query))
    except TypeError:
        raise ValueError("the ids cannot be put in order: pass texts only, or numbers only") from None
    ordered, names = ids[order], np.empty(len(ids), np.intp)
    names[order] = np.arange(len(ids))
    again = ordered[1:] == ordered[:-1]
    again[offsets[1:-1][(offsets[1:-1] > 0) & (offsets[1:-1] < len(ids))] - 1] = False
    if again.any():
        first, second = sorted(order[np.argmax(again) :][:2].tolist())
        row = int(offsets.searchsorted(first, "right")) - 1
        numbers = f"as number {first - offsets[row] + 1} and number {second - offsets[row] + 1} of the documents"
        place = "" if single else f"row {row}: "
        raise ValueError(f"{place}the id {shown(ids[first])} is there twice, {numbers}: give each document once")
    return names


def _table(values: Any, name: str) -> Numbers:
    """The values in their own type, in one or two dimensions."""
    if isinstance(values, np.ma.MaskedArray):
        return as_numbers(values, name)
    try:
        array = np.asarray(values)
    except Exception:
        return as_numbers(values, name)
    return array if array.dtype.kind in "fiub" and 1 <= array.ndim <= 2 else as_numbers(values, name)


def _scores(values: Any, single: bool) -> Numbers:
    """The scores in their own type: whole numbers too large for a float stay apart, as their ranks; or in single."""
    try:
        array = _table(values, "scores")
    except ValueError as error:  # what checks say of grades is true of scores
        raise ValueError(str(error).replace("grade", "score")) from None
    if single:
        return in_single(array)
    whole, wide = array.dtype.kind in "iu", array.dtype.itemsize
    large = array.size and (array.max() > WHOLE_FLOATS or array.min() < -WHOLE_FLOATS) if whole and wide == 8 else False
    if wide > 8 or large:
        return array if np.isnan(array).any() else np.unique(array, return_inverse=True)[1].reshape(array.shape)
    kept_all_digits = isinstance(values, np.ndarray) and values.dtype != object
    if array.dtype != np.float64 or kept_all_digits or not array.size or np.abs(array).max() < WHOLE_FLOATS:
        return array
    originals = np.asarray(values, dtype=object)
    try:
        rank_of = {score: rank for rank, score in enumerate(sorted(set(originals.flat)))}
    except TypeError:
        return array
    nan = np.isnan(array).any()
    return array if nan else np.array([rank_of[score] for score in originals.flat]).reshape(array.shape)


def _offsets(values: Any, grades: Numbers) -> NDArray[np.intp]:
    """Where each query begins in a flat list, and the end of the last."""
    offsets = _array(values, "offsets")
    if grades.ndim != 1:
        raise ValueError("offsets part one flat list: pass grades and scores with one dimension")
    if offsets.ndim != 1 or not offsets.size or offsets.dtype.kind not in "iu":
        raise ValueError("offsets must be a list of whole numbers: where each query begins, and the end of the last")
    offsets = offsets.astype(np.intp)
    if offsets[0] != 0 or offsets[-1] != len(grades) or (np.diff(offsets) < 0).any():
        raise ValueError(
            f"offsets go from {offsets[0]} to {offsets[-1]}: they must begin with 0, never fall, and end with the"
            f" number of documents, {len(grades)}"
        )
    return offsets


def _array(values: Any, name: str) -> Numbers:
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has rows of different length: give one value for each place of grades") from None
