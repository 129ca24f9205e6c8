"""What other tools print for each query: trec_eval -q, ir_measures, ranx, CSV and JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from ndcg_lib.files.plain import show
from ndcg_lib.files.source import open_source
from ndcg_lib.files.tables import COLUMNS

Values: TypeAlias = dict[str, dict[str, str]]
"""{measure: {query: value}}; a value is text, which keeps how many digits it was given with."""

OVERALL = {"all", "mean", "amean", "average"}
"""What tools call the row of the mean."""
SEVERAL = "{} holds the values of several runs: ask ndcg eval -q for one run at a time"
_NAME = re.compile(r"(?i)(n?d?cg|map|m?ap\b|p[@_(]|r@|r_|recall|recip|m?rr|rbp|err|rprec|bpref|infap|hit|succ|judged)")


def read_values(file: Any) -> Values:
    """The values of each query, by measure; the name of the measure is "" where the file does not say it.

    >>> import io
    >>> read_values(io.BytesIO(b"ndcg_cut_10 \\t51\\t0.6131\\nndcg_cut_10 \\tall\\t0.6131\\n"))
    {'ndcg@10': {'51': '0.6131'}}
    """
    source = open_source(file)
    try:
        text = source.text().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{source.name} is not text in UTF-8") from None
    finally:
        source.close()
    rows = _of_json(text, source.name) if text.lstrip()[:1] in ("{", "[") else _of_lines(text, source.name)
    found: Values = {}
    for measure, query, value in rows:
        if query.lower() in OVERALL or not _is_number(value):
            continue
        values = found.setdefault(measure_name(measure), {})
        if query in values:
            raise ValueError(f"{source.name}: query {show(query)} comes twice in {measure or 'the file'}")
        values[query] = value
    if not found:
        raise ValueError(
            f"{source.name} holds no values of queries: give the output of trec_eval -q or ir_measures, a CSV file with"
            " a column of queries, or JSON such as {measure: {query: value}}"
        )
    return found


def measure_name(name: str) -> str:
    """The name of a measure as this library writes it, as far as it is known.

    >>> measure_name("ndcg_cut_10"), measure_name("nDCG@10"), measure_name("P_5")
    ('ndcg@10', 'ndcg@10', 'p@5')
    """
    return re.sub(r"(_cut)?[_.@](\d+)$", r"@\2", name.strip().lower())


def _of_json(text: str, name: str) -> Iterator[tuple[str, str, str]]:
    try:
        data = json.loads(text, parse_float=str, parse_int=str)
    except ValueError as error:
        raise ValueError(f"{name}: not JSON ({error})") from None
    if isinstance(data, dict) and isinstance(data.get("runs"), list):  # of ndcg eval -q --json
        runs = [run["per_query"] for run in data["runs"] if "per_query" in run]
        data = runs[0] if runs else {}
        if len(runs) > 1:
            raise ValueError(SEVERAL.format(name))
    for outer, inner in data.items() if isinstance(data, dict) else ():
        if not isinstance(inner, dict):
            yield "", outer, str(inner)
            continue
        for key, value in inner.items():
            yield (outer, key, str(value)) if _NAME.match(outer) else (key, outer, str(value))


def _of_lines(text: str, name: str) -> Iterator[tuple[str, str, str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines and not any(map(_is_number, re.split(r"[\s,;]+", lines[0].strip()))):
        delimiter = max("\t,;", key=lines[0].count)
        if delimiter in lines[0]:
            yield from _of_columns(
                [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)], name
            )
            return
    head = lines[0].split() if lines else []
    if head and all(_NAME.match(cell) and not _is_number(cell) for cell in head):  # the table of ndcg eval -q
        rows = [line.split() for line in lines[1:]]
        if any(len(row) == len(head) + 2 and all(map(_is_number, row[2:])) for row in rows):
            raise ValueError(SEVERAL.format(name))
        rows = [row for row in rows if len(row) == len(head) + 1 and all(map(_is_number, row[1:]))]
        for query, *values in rows[:-1]:  # the last is the mean
            yield from ((measure, query, value) for measure, value in zip(head, values, strict=True))
        return
    for number, line in enumerate(lines, 1):
        cells = line.replace(",", " ").split()
        if OVERALL & {cell.lower() for cell in cells[:2]}:
            continue
        if len(cells) == 2:
            yield "", cells[0], cells[1]
        elif len(cells) == 3:
            yield (cells[0], cells[1], cells[2]) if _NAME.match(cells[0]) else (cells[1], cells[0], cells[2])
        else:
            raise ValueError(f"{name}, line {number}: {len(cells)} columns, but measure, query and value are expected")


def _of_columns(rows: list[list[str]], name: str) -> Iterator[tuple[str, str, str]]:
    """A header, and a row per query, or per query and measure."""
    head = [cell.lower() for cell in rows[0]]
    query = _place(head, COLUMNS["query"])
    if query is None:
        raise ValueError(f"{name}: no column of queries among {', '.join(map(show, head))}: call it query")
    measure, value = _place(head, ("measure", "metric")), _place(head, ("value", "score"))
    for row in rows[1:]:
        if len(row) == len(head) and measure is not None and value is not None:
            yield row[measure], row[query], row[value]
        elif len(row) == len(head):
            yield from ((head[at], row[query], cell) for at, cell in enumerate(row) if at != query)


def _place(head: list[str], names: Iterable[str]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
