"""Read judgements and runs into dictionaries."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, NoReturn, TypeAlias

from ndcg_lib.files import plain, tables
from ndcg_lib.files.fast import read_lines
from ndcg_lib.files.plain import QRELS, RUN, Kind
from ndcg_lib.files.source import Progress, Source, open_source

Format: TypeAlias = Literal["trec", "csv", "tsv", "json", "jsonl", "parquet"] | str

ENDINGS = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet",
}  # fmt: skip
FORMATS = ("trec", *dict.fromkeys(ENDINGS.values()))
READERS = {
    "json": tables.read_json, "jsonl": tables.read_json_lines, "csv": tables.read_csv, "tsv": tables.read_csv,
    "parquet": tables.read_parquet,
}  # fmt: skip


def read_qrels(file: Any, format: Format | None = None) -> dict[str, dict[str, float]]:
    """The judgements in a file: {query: {document: grade}}, whole grades as int.

    A TREC file has four columns (query, iteration, document, grade). A name that ends in .csv, .tsv, .json, .jsonl or
    .parquet, or `format`, says that it is something else; any of them may be gzipped. Blank lines, and lines that
    begin with #, hold nothing. A bad line is an error that names it. A folder as BEIR has them stands for its
    qrels/test.tsv.

    >>> import io
    >>> read_qrels(io.BytesIO(b"51 0 d7 3\\n51 0 d9 0\\n"))
    {'51': {'d7': 3, 'd9': 0}}
    """
    table = _read(file, QRELS, format)
    return {query: {d: int(g) if g == int(g) else g for d, g in graded.items()} for query, graded in table.items()}


def read_run(file: Any, format: Format | None = None) -> dict[str, dict[str, float]]:
    """The results in a file: {query: {document: score}}, in the order of the file.

    A TREC file has six columns (query, Q0, document, rank, score, tag); like trec_eval this reads the score and not
    the rank. Otherwise as `read_qrels`.

    >>> import io
    >>> read_run(io.BytesIO(b"51 Q0 d7 1 12.5 me\\n51 Q0 d9 2 11.25 me\\n"))
    {'51': {'d7': 12.5, 'd9': 11.25}}
    """
    return {query: dict(results) for query, results in _read(file, RUN, format).items()}


def format_of(source: Source, kind: Kind, format: Format | None) -> str:
    """The format that was asked for, or that the name of the file says."""
    if format is not None:
        if format not in FORMATS:
            raise ValueError(f"format is {format!r}: it can be {', '.join(FORMATS)}")
        return format
    stem, ending = os.path.splitext(source.name.lower())
    if ending == ".gz":
        ending = os.path.splitext(stem)[1]
    named = "parquet" if source.start(4) == b"PAR1" else ENDINGS.get(ending, "trec")
    return "trec" if named == "tsv" and _has_trec_columns(source, kind) else named


@dataclass
class Input:
    """Judgements or a run in whatever form they come: a TREC file stays a file, anything else becomes a table."""

    kind: Kind
    name: str
    source: Source | None = None
    table: tables.Table | None = None
    frame: Any = None
    kept: dict[str, Any] = field(default_factory=dict)  # what was made of it for one run serves the next

    @staticmethod
    def open(data: Any, kind: Kind, format: Format | None = None, progress: Progress | None = None) -> Input:
        """A file name, a stream, a data frame or a dictionary."""
        is_file = isinstance(data, (str, bytes)) or hasattr(data, "__fspath__") or hasattr(data, "read")
        if tables.is_frame(data):
            return Input(kind, kind.name, frame=data)
        if not is_file:
            return Input(kind, kind.name, table=tables.as_table(data, kind, kind.name))
        found = Input(kind, "", open_source(_within(data, kind), progress))
        assert found.source is not None
        found.name = found.source.name
        with ExitStack() as stack:
            stack.push(found)
            format = format_of(found.source, kind, format)
            if format != "trec":
                found.table = READERS[format](found.source, kind)
            else:
                stack.pop_all()
        return found

    def __enter__(self) -> Input:
        return self

    def __exit__(self, *_: object) -> None:
        if self.source is not None:
            self.source.close()

    def as_table(self) -> tables.Table:
        """All of it in dictionaries."""
        if self.table is None and self.frame is not None:
            self.table = tables.as_table(self.frame, self.kind, self.name)
        if self.table is None:
            assert self.source is not None
            self.table = _trec(self.source, self.kind)
        return self.table


def table_of(data: Any, kind: Kind, format: Format | None, *, again: bool = False) -> dict[str, dict[str, float]]:
    """All that somebody passed, with names as text; `again`, where it was read before."""
    if again and hasattr(data, "read"):
        raise ValueError("this reads the documents again, and a stream can be read once: pass the name of the file")
    with Input.open(data, kind, format) as found:
        return {str(q): {str(d): value for d, value in each.items()} for q, each in found.as_table().items()}


def _within(path: Any, kind: Kind) -> Any:
    """The file that is meant by a folder as BEIR ships its collections: the judgements of the test split in it."""
    if hasattr(path, "read") or not os.path.isdir(path):
        return path
    folder = os.path.join(os.fsdecode(path), "qrels")
    splits = sorted(name for name in os.listdir(folder) if name.endswith(".tsv")) if os.path.isdir(folder) else []
    if kind is RUN or not splits:
        inside = "the run" if kind is RUN else "the judgements: as BEIR has them, they are in qrels/*.tsv"
        raise ValueError(f"{os.fsdecode(path)} is a folder: name the file with {inside}")
    if len(splits) > 1 and "test.tsv" not in splits:
        raise ValueError(f"{folder} holds {', '.join(splits)}: name one of these files")
    return os.path.join(folder, "test.tsv" if "test.tsv" in splits else splits[0])


def _read(file: Any, kind: Kind, format: Format | None) -> tables.Table:
    with Input.open(file, kind, format) as found:
        return found.as_table()


def _trec(source: Source, kind: Kind) -> tables.Table:
    table: dict[str, dict[str, float]] = {}
    count = 0
    for text, first_line in source.blocks(kind):
        lines = read_lines(text, kind, source.name, first_line)
        documents, values = [name.decode() for name in lines.document.at()], lines.value.tolist()
        for query, (start, end) in zip(lines.query.at(lines.bounds[:-1]), pairwise(lines.bounds.tolist()), strict=True):
            results = zip(documents[start:end], values[start:end], strict=True)
            table.setdefault(query.decode(), {}).update(results)
        count += len(values)
    if not table:
        raise ValueError(f"{source.name} holds nothing: all its lines are blank or comments")
    if sum(map(len, table.values())) < count:
        refuse_by_plain(source, kind)
    return table


def refuse_by_plain(source: Source, kind: Kind) -> NoReturn:
    """What the plain reader says of a file that the fast one does not trust."""
    blocks = source.blocks(kind)
    plain.refuse_twice((line for text, at in blocks for line in plain.read(text, kind, source.name, at)), source.name)
    raise ValueError(f"{source.name}: two document ids cannot be told apart: change one letter of an id")


def _has_trec_columns(source: Source, kind: Kind) -> bool:
    """Whether the first line is one of a TREC file: MS MARCO calls its judgements .tsv, and they have no header."""
    words = source.start(4096).split(b"\n", 1)[0].split()
    return len(words) == len(kind.columns) and plain.number_of(words[kind.value_column], kind) is not None
