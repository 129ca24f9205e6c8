"""Judgements and runs that are not TREC files: CSV and TSV with a header, JSON, data frames, dictionaries."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, NoReturn, TypeAlias

import numpy as np

from ndcg_lib.checks import as_number, shown
from ndcg_lib.files.plain import Kind, Twice, check_text, number_of, show, twice_message
from ndcg_lib.files.source import Source, check_rows

Table: TypeAlias = Mapping[Any, Mapping[Any, float]]
Row: TypeAlias = tuple[Any, Any, Any, int]  # query, document, value, and the number of the line

COLUMNS: dict[str, tuple[str, ...]] = {
    "query": ("qid", "query_id", "q_id", "topic", "topic_id", "user_id", "user", "query"),
    "document": ("docno", "doc_id", "document_id", "corpus_id", "item_id", "docid", "pid", "item", "document", "doc"),
    "grade": ("grade", "relevance", "rel", "label", "judgement", "judgment", "rating", "score"),
    "score": ("score", "sim", "similarity", "prediction"),
}
"""What the columns may be called; where several are there, the first counts."""
NOT_HERE_YET = ("collect", "fetchall", "toPandas", "compute")
"""What frames have whose rows are somewhere else: Polars lazy, DuckDB, PySpark, dask."""


def read_csv(source: Source, kind: Kind) -> Table:
    """A table from comma- or tab-separated values, whose first line names the columns."""

    def rows() -> Iterator[Row]:
        records = _records(source)
        line, header = next(records, (1, []))
        places = columns_of([name.strip() for name in header], kind, f"{source.name}, line {line}")
        for line, record in records:
            if len(record) != len(header):
                raise ValueError(
                    f"{source.name}, line {line}: {len(record)} columns, but the header has {len(header)}: is a value"
                    " with a separator in it not quoted, or the line cut short?"
                )
            query, document, value = (record[place].strip() for place in places)
            number = number_of(value.encode(), kind)
            if not query or not document:
                raise ValueError(f"{source.name}, line {line}: the {'document' if query else 'query'} is empty")
            yield query, document, value if number is None else number, line

    return _gathered(rows, kind, source.name, "line")


def read_json(source: Source, kind: Kind) -> Table:
    """A table from JSON: {query: {document: value}}, {query: [document, …]}, or a list of records."""
    text = _text(source)
    try:
        data = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError(f"{source.name} is not a table: it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{source.name}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})") from None
    except _KeyTwiceError as error:
        raise Twice(f"{source.name}{_where_twice(text, error.key)}: give it once") from None
    except ValueError as error:
        raise ValueError(f"{source.name}: {error}") from None
    if isinstance(data, list):
        return _gathered(
            lambda: (_json_record(record, kind, source.name, at, "record") for at, record in enumerate(data, 1)),
            kind, source.name, "record",
        )  # fmt: skip
    for query, entry in data.items() if isinstance(data, dict) else ():
        check_rows(len(entry) if isinstance(entry, (dict, list)) else 0, source.name, query)
        for document, value in entry.items() if isinstance(entry, dict) else ():
            if isinstance(value, bool):
                place = f"{source.name}, query {show(query)}, document {show(document)}"
                raise ValueError(f"{place}: {kind.value} {json.dumps(value)} is not a number")
    return as_table(data, kind, source.name)


def read_json_lines(source: Source, kind: Kind) -> Table:
    """A table from JSON lines, a record in each."""

    def rows() -> Iterator[Row]:
        for line, text in enumerate(_text(source).split("\n"), 1):
            if text.strip():
                try:
                    record = json.loads(text, parse_constant=_no_number, parse_float=_finite)
                except (ValueError, RecursionError) as error:
                    raise ValueError(f"{source.name}, line {line}: not JSON ({error})") from None
                yield _json_record(record, kind, source.name, line, "line")

    return _gathered(rows, kind, source.name, "line")


def read_parquet(source: Source, kind: Kind) -> Table:
    """A table from Parquet, by whichever library that reads it is installed."""
    data = io.BytesIO(source.text())
    for module, function in (("pyarrow.parquet", "read_table"), ("polars", "read_parquet")):
        try:
            reader = getattr(import_module(module), function)
        except ImportError:
            continue
        try:
            frame = reader(data)
        except Exception as error:
            raise ValueError(f"{source.name}: not Parquet ({show(str(error))})") from None
        return _from_frame(frame, kind, source.name)
    raise ValueError(f"{source.name} is Parquet: pip install pyarrow to read it")


def as_table(data: Any, kind: Kind, name: str) -> Table:
    """A table from a dictionary or a data frame, with what it holds checked.

    >>> from ndcg_lib.files.plain import QRELS
    >>> as_table({"q": ["a", "b"]}, QRELS, "qrels")
    {'q': {'a': 1, 'b': 1}}
    """
    if isinstance(data, Mapping):
        return {query: _documents(query, entry, kind, name) for query, entry in data.items()}
    if is_frame(data):
        return _from_frame(data, kind, name)
    raise ValueError(
        f"{name} is of type {type(data).__name__}: pass a file name, {{query: {{document: {kind.value}}}}}, or a data"
        f" frame with the columns query, document and {kind.value}"
    )


def is_frame(data: Any) -> bool:
    """Whether this is a data frame; of a lazy one, to ask itself for its columns would be work."""
    return hasattr(type(data), "columns")


def _documents(query: Any, entry: Any, kind: Kind, name: str) -> Mapping[Any, float]:
    if isinstance(entry, Mapping):
        if kind.value == "score" or set(map(type, entry.values())) <= {int}:
            return entry  # scores are checked where they are used
        return {document: _grade(query, document, value, name) for document, value in entry.items()}
    if isinstance(entry, (list, tuple, set, frozenset)):
        return _from_list(query, entry, kind, name)
    raise ValueError(
        f"{name}, query {show(str(query))}: {shown(entry)} is not a table: pass {{query: {{document: {kind.value}}}}}"
    )


def _from_list(query: Any, entry: Iterable[Any], kind: Kind, name: str) -> Mapping[Any, float]:
    """A ranking, best first, or the relevant documents."""
    documents = list(entry)
    if isinstance(entry, (set, frozenset)) and kind.value == "score":
        raise ValueError(f"{name}, query {show(str(query))}: a set has no order: pass a list, best first")
    table: dict[Any, float] = {}
    for place, document in enumerate(documents):
        if isinstance(document, (list, tuple, dict)) or document is None:
            raise ValueError(f"{name}, query {show(str(query))}: {shown(document)} is not a document id")
        if document in table:
            raise Twice(f"{name}, query {show(str(query))}: document {show(str(document))} comes twice")
        table[document] = float(len(documents) - place) if kind.value == "score" else 1
    return table


def _grade(query: Any, document: Any, value: Any, name: str) -> float:
    number = as_number(value)
    if number is None or not math.isfinite(number):
        raise ValueError(
            f"{name}, query {show(str(query))}, document {show(str(document))}: grade {shown(value)} is not a number"
        )
    return number


def _gathered(rows: Callable[[], Iterable[Row]], kind: Kind, name: str, unit: str) -> Table:
    """Rows put together by query; every value is a number, and no document comes twice in a query."""
    table: dict[Any, dict[Any, float]] = {}
    for query, document, value, place in rows():
        number = value if type(value) is float else as_number(value)
        if number is None or math.isnan(number) or (kind.value == "grade" and math.isinf(number)):
            raise ValueError(
                f"{name}, {unit} {place}: {kind.value} {shown(value)} is not a number (query {show(str(query))},"
                f" document {show(str(document))})"
            )
        documents = table.setdefault(query, {})
        if document in documents:
            first = next(p for q, d, _, p in rows() if (q, d) == (query, document))
            raise Twice(twice_message(name, unit, (first, place), str(query), str(document)))
        documents[document] = number
        if unit != "row":  # of a frame, which is in memory already
            check_rows(len(documents), name, str(query))
    if not table:
        raise ValueError(f"{name} holds no {'results' if kind.value == 'score' else 'judgements'}")
    return table


def columns_of(names: list[str], kind: Kind, place: str) -> list[int]:
    """Where the query, the document and the value are."""
    known = {name.lower().replace("-", "_").replace(" ", "_"): at for at, name in reversed(list(enumerate(names)))}
    found = []
    for what in ("query", "document", kind.value):
        at = next((known[name] for name in COLUMNS[what] if name in known), None)
        if at is None:
            raise ValueError(
                f"{place}: no column for the {what} among {show(', '.join(names))}: name the columns query, document"
                f" and {kind.value}"
            )
        found.append(at)
    return found


def _from_frame(frame: Any, kind: Kind, name: str) -> Table:
    """A table from a data frame of any library."""
    if any(hasattr(frame, method) for method in NOT_HERE_YET):
        frame = _collected(frame, kind, name)
    names = [str(column) for column in getattr(frame, "column_names", getattr(frame, "columns", frame))]
    columns = [_as_list(frame[names[at]]) for at in columns_of(names, kind, name)]
    queries, documents, values = columns
    if {*map(type, queries), *map(type, documents)} <= {str, int} and set(map(type, values)) <= {float, int}:
        table: dict[Any, dict[Any, float]] = {}
        for query, document, value in zip(*columns, strict=True):
            table.setdefault(query, {})[document] = value
        numbers = np.array(values, dtype=np.float64)
        if len(values) == sum(map(len, table.values())) > 0 and np.isfinite(numbers).all():
            return table
    return _gathered(lambda: _frame_rows(columns, name), kind, name, "row")


def _collected(frame: Any, kind: Kind, name: str) -> Any:
    """The three columns of a frame whose rows are not here yet."""
    try:
        narwhals = import_module("narwhals")
    except ImportError:
        if not hasattr(frame, "collect"):
            raise ValueError(f"{name} is of type {type(frame).__name__}: pip install narwhals to read it") from None
        return frame.collect()
    lazy = narwhals.from_native(frame).lazy()
    names = lazy.collect_schema().names()
    chosen = [names[at] for at in columns_of(names, kind, name)]
    asked = lazy.select(*chosen)
    if hasattr(frame, "fetchall"):  # narwhals would ask DuckDB for a table of pyarrow
        rows = asked.to_native().fetchall()
        return {column: [row[at] for row in rows] for at, column in enumerate(chosen)}
    return asked.collect()


def _frame_rows(columns: list[list[Any]], name: str) -> Iterator[Row]:
    for row, (query, document, value) in enumerate(zip(*columns, strict=True)):
        if wrong := [what for what, one in (("query", query), ("document", document)) if _is_missing(one)]:
            raise ValueError(f"{name}, row {row}: the {wrong[0]} is missing")
        yield query, document, value, row


def _is_missing(value: Any) -> bool:
    """None, nan, or the NA of pandas, which cannot even say that it differs from itself."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _as_list(column: Any) -> list[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _json_record(record: Any, kind: Kind, name: str, number: int, unit: str) -> Row:
    place = f"{name}, {unit} {number}"
    if not isinstance(record, dict):
        raise ValueError(f"{place}: {shown(record)} is not a record with query, document and {kind.value}")
    keys = list(record)
    query, document, value = (record[keys[at]] for at in columns_of(keys, kind, place))
    for what, one in (("query", query), ("document", document)):
        if not isinstance(one, (str, int)):
            raise ValueError(f"{place}: the {what} is {shown(one)}, not an id")
    if isinstance(value, bool):
        raise ValueError(f"{place}: {kind.value} {json.dumps(value)} is not a number")
    return str(query), str(document), value, number


def _records(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The records of a CSV file that are not blank, with their line."""
    text = _text(source)
    header = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max("\t,;", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for record in reader:
            if any(field.strip() for field in record):
                yield reader.line_num, record
    except csv.Error as error:
        raise ValueError(f"{source.name}, line {reader.line_num}: {show(str(error))}") from None


def _text(source: Source) -> str:
    data = source.text()
    if b"\0" in data or not data.isascii():
        for line, part in enumerate(data.split(b"\n"), 1):
            check_text(part, f"{source.name}, line {line}")
    return data.decode("utf-8")


class _KeyTwiceError(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _KeyTwiceError(key)
            seen.add(key)
    return table


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _where_twice(text: str, key: str) -> str:
    """The lines of a key that an object holds twice."""
    objects: list[dict[str, int]] = []
    last = ("", 1)
    for token in re.finditer(r'"((?:[^"\\]|\\.)*)"|[{}:]', text):
        if token[0] == "{":
            objects.append({})
        elif token[0] == "}":
            objects.pop()
        elif token[0] == ":":
            name, line = last
            if name in objects[-1] and name == key:
                return f", lines {objects[-1][name]} and {line}: {show(key)} comes twice in the same object"
            objects[-1].setdefault(name, line)
        else:
            last = (json.loads(token[0], strict=False), text.count("\n", 0, token.start()) + 1)
    return f": {show(key)} comes twice in the same object"
