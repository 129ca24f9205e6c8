"""All judgements, grouped by query: what the ideal is made of, and what the rows of a run are looked up in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from ndcg_lib.files.decimals import Ints, Words
from ndcg_lib.files.ids import Ids
from ndcg_lib.files.plain import QRELS, duplicate_message
from ndcg_lib.files.source import Source, blocks
from ndcg_lib.files.tokens import Lines, read_lines
from ndcg_lib.types import Array

_STEP = 0xD1342543DE82EF95


class CollisionError(Exception):
    """Two different ids have the same fingerprint: begin again with another seed."""


@dataclass(frozen=True)
class Judgements:
    """Judgement number j is a document and its grade; those of query i have the numbers bounds[i] to bounds[i + 1]."""

    queries: list[str]
    bounds: Ints
    grade: Array
    documents: Ids
    seed: int = 0
    comments: int = 0

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def number(self) -> dict[bytes, int]:
        """The number of each query."""
        return {_encoded(name): number for number, name in enumerate(self.queries)}

    @cached_property
    def fingerprint(self) -> Words:
        """The fingerprints of the documents."""
        return self.documents.fingerprints(self.seed)

    def prepare(self) -> None:
        """Compute now what threads would compute at the same time."""
        _ = self.number, self.fingerprint

    @cached_property
    def query(self) -> Ints:
        """The query of each judgement."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))


def read_judgements(source: Source, seed: int = 0) -> Judgements:
    """The judgements of a TREC qrels file; a document judged twice in a query is an error."""
    number: dict[bytes, int] = {}
    query, grade, line, documents, comments = [], [], [], [], 0
    for lines in _all_lines(source):
        comments += lines.comments
        if not len(lines):
            continue
        bounds = lines.groups()
        names = lines.queries.take(bounds[:-1]).all_bytes()
        query.append(np.repeat([number.setdefault(name, len(number)) for name in names], np.diff(bounds)))
        grade.append(lines.value)
        line.append(lines.number)
        documents.append(lines.documents.packed())
    of_query = np.concatenate(query)
    order = np.argsort(of_query, kind="stable")
    bounds = of_query[order].searchsorted(np.arange(len(number) + 1))
    judgements = Judgements(
        [name.decode() for name in number],
        bounds,
        np.concatenate(grade)[order],
        Ids.joined(documents).take(order),
        seed,
        comments,
    )
    _refuse_twice(judgements, source.name, np.concatenate(line)[order])
    return judgements


def judgements_of(qrels: Mapping[Any, Mapping[Any, float]], *, with_documents: bool = True) -> Judgements:
    """The judgements of a dictionary whose grades have been checked.

    >>> judgements_of({"51": {"d7": 3, "d9": 0}, "52": {"d7": 1}}).bounds
    array([0, 2, 3])
    """
    sizes = [len(documents) for documents in qrels.values()]
    return Judgements(
        [str(query) for query in qrels],
        np.cumsum([0, *sizes]),
        np.fromiter(chain.from_iterable(documents.values() for documents in qrels.values()), float, sum(sizes)),
        Ids.of(_encoded(document) for documents in qrels.values() if with_documents for document in documents),
    )


def _encoded(name: Any) -> bytes:
    return str(name).encode("utf-8", "surrogatepass")


def by_group(fingerprint: Words, group: Ints, size: Ints) -> Words:
    """Fingerprints that differ between groups."""
    return fingerprint ^ np.repeat((group.astype(np.uint64) + np.uint64(1)) * np.uint64(_STEP), size)


def twice(key: Words) -> tuple[int, int] | None:
    """The first row whose key has come before, and where it came.

    >>> twice(np.array([7, 5, 7, 5], dtype=np.uint64)), twice(np.array([7, 5], dtype=np.uint64))
    ((0, 2), None)
    """
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    sorter = key.argsort(kind="stable")
    again = np.flatnonzero(key[sorter[1:]] == key[sorter[:-1]])
    earliest = again[sorter[again + 1].argmin()]
    return int(sorter[earliest]), int(sorter[earliest + 1])


def _all_lines(source: Source) -> Iterator[Lines]:
    some = False
    for block in blocks(source):
        lines = read_lines(block, QRELS)
        some |= len(lines) > 0
        yield lines
    if not some:
        raise ValueError(f"{source.name} holds no judgements: all its lines are blank or comments")


def _refuse_twice(judgements: Judgements, file: str, line: Ints) -> None:
    pair = twice(by_group(judgements.fingerprint, np.arange(len(judgements)), np.diff(judgements.bounds)))
    if pair is None:
        return
    first, second = pair
    document = judgements.documents.at(second)
    query = int(judgements.query[second])
    if judgements.documents.at(first) != document or int(judgements.query[first]) != query:
        raise CollisionError
    lines = (int(line[first]), int(line[second]))
    raise ValueError(duplicate_message(file, lines, judgements.queries[query], document))
