"""Frames of any library, beside dictionaries: the same values, report and refusals.

ENGINES are those that `kit.py test` has; tests/peers/beside_engines.py runs the same on Spark and Dask.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib import import_module
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pytest

import kit
import ndcg_lib as nd
from ndcg_lib.choices import cases
from ndcg_lib.definition import PARAMETERS, PUBLIC, TABLE, Option
from ndcg_lib.measures import MEASURES
from ndcg_lib.runs import frames

Row = tuple[Any, Any, Any]


Engine = Callable[[list[Row], str], Any]  # how rows become a frame


def columns(rows: list[Row], value: str) -> dict[str, list[Any]]:
    return dict(zip(("query", "doc", value), map(list, zip(*rows, strict=True)), strict=True))


DATABASE, NUMBERS = duckdb.connect(), itertools.count()


def in_duckdb(rows: list[Row], value: str) -> Any:
    name = f"{value}s_{next(NUMBERS)}"
    kinds = [{str: "VARCHAR", int: "BIGINT"}[type(one)] for one in rows[0][:2]]
    DATABASE.execute(f"CREATE TABLE {name} (query {kinds[0]}, doc {kinds[1]}, {value} DOUBLE)")
    DATABASE.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    return DATABASE.table(name)


ENGINES: dict[str, Engine] = {
    "pandas": lambda rows, value: pandas.DataFrame(columns(rows, value)),
    "polars": lambda rows, value: polars.DataFrame(columns(rows, value)),
    "lazy": lambda rows, value: polars.LazyFrame(columns(rows, value)),
    "duckdb": in_duckdb,
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
    """Every measure, at a cut-off and on the whole list."""
    said = {name: {"rbp": "RBP(p=0.8)", "err": "ERR(max=3)"}.get(name, name) for name in MEASURES}
    whole = [said[name] for name in MEASURES if name not in ("infap", "hits")]  # infAP reads one order
    return {"measures": [*whole, *(f"{said[name]}@3" for name, each in MEASURES.items() if each.cut)], **convention}


def same(found: nd.evaluation.Evaluation, right: nd.evaluation.Evaluation) -> None:
    rows = dict(zip(found.queries, found.table, strict=True))
    assert set(rows) == set(right.queries)
    np.testing.assert_allclose([rows[query] for query in right.queries], right.table, rtol=0, atol=1e-12)


def beside_the_core(engine: Engine, seed: int, conventions: list[dict[str, Any]]) -> None:
    qrels, run = drawn(seed)
    judged, found = engine(qrels, "grade"), engine(run, "score")
    for convention in conventions:
        right = nd.evaluate(nested(qrels), nested(run), **measured(convention))
        evaluated = nd.evaluate(judged, found, **measured(convention))
        assert evaluated.report == right.report
        if isinstance(judged, (pandas.DataFrame, polars.DataFrame)):
            assert evaluated.queries == right.queries, "in the order of the rows"
        same(evaluated, right)


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
    judged, found = engine(qrels, "grade"), engine(run, "score")
    same(nd.evaluate(judged, found, **own), nd.evaluate(nested(qrels), nested(run), **own))
    with pytest.raises(ValueError, match=r"no grade 0.5 .* add this grade"):
        nd.evaluate(judged, found, gain={0: 0, 1: 1, 2: 2, 3: 3})


@every_engine
def test_a_new_entry_of_the_table_works_on_frames(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever functions of numpy it uses, because a frame gives ranks alone."""
    root = Option("root", "1/sqrt(i)", function=lambda i: 1 / np.sqrt(i))
    monkeypatch.setitem(TABLE, "discount", TABLE["discount"]._replace(options=(*TABLE["discount"].options, root)))
    qrels, run = [("q", "a", 3.0), ("q", "b", 1.0)], [("q", "x", 0.9), ("q", "b", 0.5), ("q", "a", 0.4)]
    found = nd.evaluate(engine(qrels, "grade"), engine(run, "score"), measures="dcg", discount="root")  # type: ignore[arg-type]
    assert found["dcg"] == pytest.approx(1 / 2**0.5 + 3 / 3**0.5)


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
    frames.check(engine(qrels, "grade"), engine(run, "score"))
    for more_judged, more_found, said in BAD:
        judged = engine([*qrels, more_judged] if more_judged else qrels, "grade")
        found = engine([*run, more_found] if more_found else run, "score")
        for refuses in (frames.check, nd.evaluate):
            with pytest.raises(ValueError) as error:
                refuses(judged, found)
            assert str(error.value).startswith(said), (said, str(error.value))


@every_engine
@pytest.mark.parametrize("kind", [str, int])
def test_parts_hold_every_query_once_and_change_no_value(engine: Engine, kind: Callable[[Any], Any]) -> None:
    qrels, run = (
        [(kind(query[1:]), kind(doc[1:]), value) for query, doc, value in rows] for rows in drawn(4, queries=20)
    )
    judged, found = engine(qrels, "grade"), engine(run, "score")
    together, sizes = dict[str, float](), []
    for part in frames.parts(judged, found, 3):
        assert type(part[0]) is type(judged)
        values = nd.evaluate(*part, k=5).per_query()
        assert not together.keys() & values.keys()
        together |= values
        sizes.append(len(values))
    assert together == pytest.approx(nd.evaluate(nested(qrels), nested(run), k=5).per_query(), abs=1e-12)
    assert max(sizes) - min(sizes) <= 1, "the parts are of one size"


@pytest.mark.parametrize("seed", range(3))
def test_the_sql_of_the_chapter_gives_the_values_of_the_library(seed: int) -> None:
    page = (kit.ROOT / "book" / "chapters" / "beyond-one-machine.md").read_text("utf-8")
    text = page.split("```sql\n")[1].split("```")[0]
    qrels, run = drawn(seed, queries=30)
    qrels = [(query, document, max(grade, 0.0)) for query, document, grade in qrels]
    for name, frame in (("qrels", in_duckdb(qrels, "grade")), ("run", in_duckdb(run, "score"))):
        frame.create_view(name, replace=True)
    right = nd.evaluate(nested(qrels), nested(run), 10, ties="id-descending").per_query()
    assert dict(DATABASE.sql(text).fetchall()) == pytest.approx(right, abs=1e-12)


def test_what_a_frame_cannot_give_is_refused_with_the_way_out() -> None:
    qrels, run = (
        polars.DataFrame(columns(rows, value)) for rows, value in zip(drawn(1), ("grade", "score"), strict=True)
    )
    with pytest.raises(ValueError, match=r"of type String and query of run of type Int32.*cast one"):
        nd.evaluate(qrels, run.with_columns(query=polars.lit(51)))
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
    with pytest.raises(ImportError, match=r"pip install narwhals"):
        import_module("ndcg_lib.runs.frames")


class Cells(HTMLParser):
    """The words of the cells of tables, and those around them."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open, self.cells, self.around = list[str](), list[str](), list[str]()
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.cells += [""] * (tag in ("td", "th"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & {*self.open}:
            self.cells[-1] += data
        else:
            self.around.append(data)


QRELS = {f"<q{at}>": {"a": 1, "b": 2, "c": 0} for at in range(3)}
RESULTS: dict[str, Callable[[], Any]] = {
    "evaluation": lambda: nd.evaluate(QRELS, {q: ["c", "a"] for q in QRELS}, measures=["nDCG@2", "RR(rel=2)"]),
    "comparison": lambda: nd.compare(QRELS, {f"<{d}>": {q: [d] for q in QRELS} for d in "abc"}, 1),
    "answers": lambda: nd.which(0.785, [3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2]),
    "no answers": lambda: nd.which(0.1234567, [3, 2, 3, 0, 1, 2]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_as_table_frame_and_json_and_cannot_be_emptied(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = RESULTS[name]()
    shown, printed = Cells(result._repr_html_()), str(result)
    assert not shown.open and (shown.cells or name == "no answers")
    for cell in shown.cells[:60]:  # what the table says stands in the text as well; its headings may be other words
        assert cell in printed or cell in ("", "mean", "value", "answer", "which is"), cell
    for line in shown.around:
        assert line in printed
    assert json.loads(result.to_json(), parse_constant=pytest.fail)
    rows = result.rows()
    for library in (pandas, polars):
        made = result.frame()
        assert isinstance(made, library.DataFrame) and len(made) == len(rows)
        assert not rows or set(made.columns) <= set(rows[0])
        monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ModuleNotFoundError, match="needs pandas or Polars"):
        result.frame()
    assert not isinstance(result, (list, dict))
    for method in ("pop", "sort", "append", "clear", "remove", "update", "reverse", "setdefault"):
        assert not hasattr(result, method)
    with pytest.raises(TypeError):
        result[next(iter(result), 0)] = None
