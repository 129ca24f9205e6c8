"""Frames of any library, beside dictionaries: the same values, without a row that is read before it is asked for.

ENGINES are those that `kit.py test` has; tests/peers/beside_engines.py runs the same on Spark and Dask.
"""

from __future__ import annotations

import itertools
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import duckdb
import narwhals
import numpy as np
import pandas
import polars
import pytest

import kit
import ndcg_lib as nd
from ndcg_lib.choices import cases
from ndcg_lib.definition import PARAMETERS, PUBLIC, TABLE
from ndcg_lib.measures import MEASURES
from ndcg_lib.runs import frames

Row = tuple[Any, Any, Any]
Answer = dict[Any, tuple[float, ...]]


class Engine(NamedTuple):
    """How rows become a frame, and what was computed becomes numbers."""

    make: Callable[[list[Row], str], Any]
    answer: Callable[[Any], list[tuple[Any, ...]]]


def columns(rows: list[Row], value: str) -> dict[str, list[Any]]:
    return dict(zip(("query", "doc", value), map(list, zip(*rows, strict=True)), strict=True))


DATABASE, NUMBERS = duckdb.connect(), itertools.count()


def in_duckdb(rows: list[Row], value: str) -> Any:
    name = f"{value}s_{next(NUMBERS)}"
    kinds = [{str: "VARCHAR", int: "BIGINT"}[type(one)] for one in rows[0][:2]]
    DATABASE.execute(f"CREATE TABLE {name} (query {kinds[0]}, doc {kinds[1]}, {value} DOUBLE)")
    DATABASE.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    return DATABASE.table(name)


ENGINES = {
    "pandas": Engine(lambda rows, value: pandas.DataFrame(columns(rows, value)), lambda f: list(f.itertuples(False))),
    "polars": Engine(lambda rows, value: polars.DataFrame(columns(rows, value)), lambda f: f.rows()),
    "lazy": Engine(lambda rows, value: polars.LazyFrame(columns(rows, value)), lambda f: f.collect().rows()),
    "streaming": Engine(
        lambda rows, value: polars.LazyFrame(columns(rows, value)), lambda f: f.collect(engine="streaming").rows()
    ),
    "duckdb": Engine(in_duckdb, lambda f: f.fetchall()),
}
every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


def drawn(seed: int, queries: int = 12) -> tuple[list[Row], list[Row]]:
    """Judgements and results with ties, some in single precision only, and queries of every awkward kind."""
    draw = random.Random(seed)
    qrels: list[Row] = []
    run: list[Row] = []
    for number in range(queries):
        documents = [f"d{name}" for name in draw.sample(range(100), 16)]
        if number % 6 != 3:  # else nothing returned
            near = 1e-9 if number % 4 == 1 else 0.0
            run += [(f"q{number}", d, draw.randint(0, 4) / 7 + near * draw.randint(0, 2)) for d in documents[:10]]
        if number % 7 != 5:  # else nobody judged
            top = [0] if number % 6 == 2 else [-1, 0, 0, 0.5, 1, 2, 3]
            qrels += [(f"q{number}", d, float(draw.choice(top))) for d in documents[::2]]
    draw.shuffle(qrels)
    draw.shuffle(run)
    return qrels, run


def nested(rows: list[Row]) -> dict[Any, dict[Any, float]]:
    table: dict[Any, dict[Any, float]] = {}
    for query, document, value in rows:
        table.setdefault(query, {})[document] = value
    return table


def asked() -> Iterator[dict[str, Any]]:
    """The textbook's definition, each option of the table and each parameter in turn, and a few mixtures."""
    yield {}
    for name in PUBLIC:
        for option in TABLE[name].options:
            if option.wrong or option.key in ("raise", "order", "reverse"):
                continue
            if option.key != TABLE[name].default:
                yield {name: option.key}
            yield from ({name: option.key, p.name: value} for p in option.parameters for value in p.tried)
    known = [case for case in cases() if case["ties"] not in ("order", "reverse")]
    yield from random.Random(7).sample(known, 6)


def measured(convention: dict[str, Any]) -> dict[str, Any]:
    """Every measure of frames at a cut-off and on the whole list; ERR asks frames for a rule for ties."""
    averaged = convention.get("ties", "average") == "average"
    names = [name for name in frames.HERE if not (averaged and name == "err")]
    return {"measures": [*names, *(f"{name}@3" for name in names)], "max_grade": 3, **convention}


def same(found: Answer, right: nd.evaluation.Evaluation) -> None:
    assert set(found) == set(right.queries)
    values = np.array([found[query] for query in right.queries], dtype=float)
    np.testing.assert_allclose(values, right.table, rtol=0, atol=1e-12)


def as_answer(rows: list[tuple[Any, ...]]) -> Answer:
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: tuple(row[1:]) for row in rows}


def beside_the_core(engine: Engine, seed: int, conventions: list[dict[str, Any]]) -> None:
    qrels, run = drawn(seed)
    judged, found = engine.make(qrels, "grade"), engine.make(run, "score")
    for convention in conventions:
        right = nd.evaluate(nested(qrels), nested(run), **measured(convention))
        made = frames.per_query(judged, found, **measured(convention))
        assert type(made) is type(judged), "the frame is of the library that it came from, and as lazy"
        same(as_answer(engine.answer(made)), right)
        evaluated = nd.evaluate(judged, found, **measured(convention))
        assert evaluated.report == right.report
        if isinstance(judged, (pandas.DataFrame, polars.DataFrame)):
            assert evaluated.queries == right.queries, "in the order of the rows"
        same({name: tuple(row) for name, row in zip(evaluated.queries, evaluated.table, strict=True)}, right)


@every_engine
def test_every_convention_and_measure_gives_the_values_of_the_core(engine: Engine) -> None:
    every = list(asked())
    assert {*PUBLIC, *PARAMETERS} <= {name for one in every for name in one} | {"averaging"}
    beside_the_core(engine, 1, every if engine is ENGINES["polars"] else random.Random(3).sample(every, 8))


@pytest.mark.parametrize("seed", range(2, 8))
def test_drawn_tables(seed: int) -> None:
    beside_the_core(ENGINES["polars"], seed, random.Random(seed).sample(list(asked()), 3))


@every_engine
def test_gains_and_discounts_of_the_callers_own(engine: Engine) -> None:
    qrels, run = drawn(2)
    qrels = [(query, document, max(grade, 0.0)) for query, document, grade in qrels]
    own: dict[str, Any] = {"gain": {0: 1, 0.5: 2, 1: 3, 2: 3.5, 3: 10}, "discount": lambda i: 0.5 ** (i - 1), "k": 4}
    made = frames.per_query(engine.make(qrels, "grade"), engine.make(run, "score"), **own)
    same(as_answer(engine.answer(made)), nd.evaluate(nested(qrels), nested(run), **own))
    with pytest.raises(ValueError, match=r"no grade 0.5 .* add this grade"):
        engine.answer(
            frames.per_query(engine.make(qrels, "grade"), engine.make(run, "score"), gain={0: 0, 1: 1, 2: 2, 3: 3})
        )


BAD: list[tuple[Any, Any, str]] = [  # a row of the judgements, a row of the run, and what is said of them
    (None, ("q1", "d1", math.nan), "run, query 'q1', document 'd1': the score is "),
    (None, ("q1", "d1", None), "run, query 'q1', document 'd1': the score is "),
    (None, ("q1", "d9", 0.5), "run: document 'd9' comes 2 times in query 'q1'"),
    (None, (None, "d1", 0.5), "run, query "),
    (("q1", None, 1.0), None, "qrels, query 'q1', document "),
    (("q1", "d1", math.nan), None, "qrels, query 'q1', document 'd1': the grade is "),
    (("q1", "d1", math.inf), None, "qrels, query 'q1', document 'd1': the grade is inf"),
    (("q1", "d9", 1.0), None, "qrels: document 'd9' comes 2 times in query 'q1'"),
]


@every_engine
def test_what_is_no_number_or_comes_twice_is_refused(engine: Engine) -> None:
    qrels, run = [("q1", "d9", 2.0), ("q2", "d9", 1.0)], [("q1", "d9", 1.0), ("q2", "d9", 0.5)]
    frames.check(engine.make(qrels, "grade"), engine.make(run, "score"))
    for more_judged, more_found, said in BAD:
        judged = engine.make([*qrels, more_judged] if more_judged else qrels, "grade")
        found = engine.make([*run, more_found] if more_found else run, "score")
        for refuses in (frames.check, nd.evaluate):
            with pytest.raises(ValueError) as error:
                refuses(judged, found)
            assert str(error.value).startswith(said), (said, str(error.value))


@every_engine
def test_a_score_that_is_no_number_has_no_rank_wherever_the_engine_sorts_it(engine: Engine) -> None:
    qrels = [("q1", "a", 3.0), ("q1", "b", 1.0)]
    without = [("q1", "x", 0.5), ("q1", "a", 0.25), ("q1", "b", 0.125)]
    for bad in (math.nan, None):
        run = [*without, ("q1", "y", bad), ("q1", "z", bad)]
        made = frames.per_query(engine.make(qrels, "grade"), engine.make(run, "score"))
        assert as_answer(engine.answer(made))["q1"][0] == pytest.approx(nd.ndcg([0, 3, 1]), abs=1e-12)


def test_a_measure_without_a_top_of_the_scale_warns_of_nothing() -> None:
    qrels = pandas.DataFrame(columns([("q", "a", 3), ("q", "b", 1)], "grade"))
    run = pandas.DataFrame(columns([("q", "b", 0.9), ("q", "a", 0.5)], "score"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = frames.per_query(qrels, run, measures=["ap", "rr"])
    assert found[["ap", "rr"]].iloc[0].tolist() == [1, 1]


@every_engine
@pytest.mark.parametrize("kind", [str, int])
def test_parts_hold_every_query_once_and_change_no_value(engine: Engine, kind: Callable[[Any], Any]) -> None:
    qrels, run = (
        [(kind(query[1:]), kind(doc[1:]), value) for query, doc, value in rows] for rows in drawn(4, queries=20)
    )
    judged, found = engine.make(qrels, "grade"), engine.make(run, "score")
    together: list[tuple[Any, ...]] = []
    sizes = []
    for part in frames.parts(judged, found, 3):
        assert type(part[0]) is type(judged)
        rows = engine.answer(frames.per_query(*part, k=5))
        together += rows
        sizes.append(len(rows))
    right = nd.evaluate(nested(qrels), nested(run), k=5)
    same({str(query): value for query, value in as_answer(together).items()}, right)
    assert max(sizes) - min(sizes) <= 1, "the parts are of one size"


@pytest.mark.parametrize("seed", range(3))
def test_the_sql_of_the_chapter_gives_the_values_of_the_library(seed: int) -> None:
    page = (kit.ROOT / "book" / "chapters" / "beyond-one-machine.md").read_text("utf-8")
    text = page.split("```sql\n")[1].split("```")[0]
    qrels, run = drawn(seed, queries=30)
    qrels = [(query, document, max(grade, 0.0)) for query, document, grade in qrels]
    for name, frame in (("qrels", in_duckdb(qrels, "grade")), ("run", in_duckdb(run, "score"))):
        frame.create_view(name, replace=True)
    found = as_answer(DATABASE.sql(text).fetchall())
    same(found, nd.evaluate(nested(qrels), nested(run), 10, ties="id-descending"))


def test_what_a_frame_cannot_give_is_refused_with_the_way_out() -> None:
    qrels, run = (
        polars.DataFrame(columns(rows, value)) for rows, value in zip(drawn(1), ("grade", "score"), strict=True)
    )
    refused: list[tuple[dict[str, Any], str]] = [
        ({"ties": "order"}, "no order: break ties by 'id'"),
        ({"missing": "raise"}, "missing cannot be 'raise': pass 'skip'"),
        ({"measures": "err", "max_grade": 3}, "nd.evaluate"),
        ({"discount": lambda i: 1 / i}, "pass k"),
        ({"gain": {0: 0, 0.5: -1, 1: 1, 2: 2, 3: 3, -1: 0}}, "gain of grade 0.5 is below 0"),
    ]
    for options, said in refused:
        with pytest.raises(ValueError, match=said):
            frames.per_query(qrels, run, **options)
    for nothing in (qrels.to_dicts(), "qrels.txt"):
        with pytest.raises(ValueError, match=r"qrels is of type \w+: pass a frame of pandas"):
            frames.per_query(nothing, run)
    with pytest.raises(ValueError, match=r"of type String and query of run of type Int32.*cast one"):
        frames.per_query(qrels, run.with_columns(query=polars.lit(51)))
    with pytest.raises(ValueError, match="count is 0"):
        next(frames.parts(qrels, run, 0))


def test_evaluate_reads_frames_that_the_engine_cannot_rank_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = drawn(1)
    qrels, run = (pandas.DataFrame(columns(each, value)) for each, value in zip(rows, ("grade", "score"), strict=True))
    right = nd.evaluate(nested(rows[0]), nested(rows[1]), ties="order")
    for judged, found in (
        (qrels, run),
        (nested(rows[0]), run),
        (qrels, polars.DataFrame(columns(rows[1], "score"))),
        (qrels, nested(rows[1])),
    ):
        assert nd.evaluate(judged, found, ties="order").per_query() == right.per_query()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    judged, found = in_duckdb(rows[0], "grade"), in_duckdb(rows[1], "score")
    for given in ((judged, nested(rows[1])), (nested(rows[0]), found)):
        assert nd.evaluate(*given, ties="id").per_query() == nd.evaluate(*map(nested, rows), ties="id").per_query()
    with pytest.raises(ValueError, match="run: no column for the score among query, doc, grade"):
        nd.evaluate(nested(rows[0]), judged)
    monkeypatch.setitem(sys.modules, "narwhals", None)
    monkeypatch.delitem(sys.modules, "ndcg_lib.runs.frames")
    assert nd.evaluate(qrels, run, ties="order").per_query() == right.per_query()
    with pytest.raises(ImportError, match=r"pip install 'ndcg-lib\[frames\]'"):
        import_module("ndcg_lib.runs.frames")


@pytest.mark.parametrize("measure", [*MEASURES, "P(rel=2)@2", "RBP(p=0.5)"])
def test_a_measure_has_the_value_of_evaluate_or_is_refused(measure: str) -> None:
    qrels = polars.DataFrame({"query": ["q"] * 3, "doc": ["a", "b", "c"], "grade": [3, 0, -1]})
    run = polars.DataFrame({"query": ["q"] * 4, "doc": ["b", "c", "x", "a"], "score": [4.0, 3.0, 2.0, 1.0]})
    asked: dict[str, Any] = {"measures": measure, "ties": "id", "max_grade": 3}
    wanted = nd.evaluate(qrels, run, **asked)
    try:
        (value,) = frames.per_query(qrels, run, **asked)[next(iter(wanted))].to_list()
    except ValueError as error:
        assert "nd.evaluate computes it" in str(error)
    else:
        assert value == pytest.approx(next(iter(wanted.values())), abs=1e-12)


@pytest.mark.parametrize(
    "option", [lambda g: g**3, lambda g: 0.5**g, lambda g: 2 - 1 / g, lambda g: np.log2(1 + g * g)]
)
def test_a_new_option_may_compute_with_a_grade_in_any_place(option: Callable[[Any], Any]) -> None:
    grades = [0.5, 1.0, 3.0]
    frame = narwhals.from_native(polars.DataFrame({"grade": grades}))
    found = frame.select(gain=option(frames.Cells(narwhals.col("grade"))).expression)["gain"].to_list()
    assert found == pytest.approx([float(option(grade)) for grade in grades])
