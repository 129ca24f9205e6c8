"""Judgements and runs in whatever form they come: a TREC file stays a file, anything else becomes a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from ndcg_lib.choices import Ties
from ndcg_lib.files.plain import Kind, show
from ndcg_lib.files.reading import Format, format_of, read_table
from ndcg_lib.files.source import Progress, Source, open_source
from ndcg_lib.files.tables import Table, as_table, is_frame
from ndcg_lib.matching.from_file import match_file
from ndcg_lib.matching.from_tables import match_tables
from ndcg_lib.matching.hits import Matched
from ndcg_lib.matching.judgements import CollisionError, Judgements, judgements_of, read_judgements

SEEDS = 8


@dataclass
class Input:
    """A TREC file that is still to be read, or a table."""

    kind: Kind
    name: str
    source: Source | None = None
    table: Table | None = None
    _judgements: dict[int, Judgements] = field(default_factory=dict)

    @staticmethod
    def open(data: Any, kind: Kind, format: Format | None = None, progress: Progress | None = None) -> Input:
        """A file name, a stream, a data frame or a dictionary."""
        if isinstance(data, Mapping) or is_frame(data):
            return Input(kind, kind.name, table=as_table(data, kind, kind.name))
        if not isinstance(data, (str, bytes)) and not hasattr(data, "__fspath__") and not hasattr(data, "read"):
            as_table(data, kind, kind.name)
        source = open_source(data, progress)
        try:
            format = format_of(source, kind, format)
            if format == "trec":
                return Input(kind, source.name, source)
            table = read_table(source, kind, format)
        except BaseException:
            source.close()
            raise
        source.close()
        return Input(kind, source.name, table=table)

    def __enter__(self) -> Input:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.source is not None:
            self.source.close()

    def as_table(self) -> Table:
        """All of it in dictionaries."""
        if self.table is None:
            assert self.source is not None
            self.table = read_table(self.source, self.kind, "trec")
        return self.table

    def judgements(self, seed: int, *, with_documents: bool) -> Judgements:
        """The judgements; they are read once."""
        if seed not in self._judgements:
            if self.source is not None and with_documents:
                self._judgements[seed] = read_judgements(self.source, seed)
            else:
                made = judgements_of(self.as_table(), with_documents=with_documents)
                if not with_documents:
                    return made
                self._judgements[seed] = Judgements(made.queries, made.bounds, made.grade, made.documents, seed)
        return self._judgements[seed]


def match(
    qrels: Input, run: Input, ties: Ties, depth: int | None = None, zero_counts: bool = False
) -> tuple[Judgements, Matched]:
    """What the run returned of what was judged; of a table perhaps only what stands among the first `depth`."""
    if run.source is None:
        qrels_table, run_table = qrels.as_table(), run.as_table()
        judgements = qrels.judgements(0, with_documents=False)
        matched = match_tables(qrels_table, run_table, ties, depth, zero_counts)
    else:
        judgements, matched = _match_file(qrels, run.source, ties)
    if not len(judgements):
        raise ValueError(f"{qrels.name} holds no queries")
    if matched.strangers and (matched.returned < 0).all():
        theirs, ours = show(matched.strangers[0]), show(judgements.queries[0])
        raise ValueError(
            f"no query of {run.name} is judged in {qrels.name}: its queries are like {theirs!r}, the judged ones like"
            f" {ours!r}{_of_type(qrels, run)}"
        )
    return judgements, matched


def _match_file(qrels: Input, source: Source, ties: Ties) -> tuple[Judgements, Matched]:
    for seed in range(SEEDS):
        try:
            judgements = qrels.judgements(seed, with_documents=True)
            return judgements, match_file(source, judgements, ties)
        except CollisionError:
            continue
    raise ValueError(f"{source.name}: the document ids cannot be told apart by their fingerprints")


def _of_type(qrels: Input, run: Input) -> str:
    """Say so where the one has 51 and the other "51"."""
    types = [type(next(iter(each.table))).__name__ for each in (run, qrels) if each.table]
    return f" (of type {types[0]} and {types[1]})" if len(set(types)) == 2 else ""
