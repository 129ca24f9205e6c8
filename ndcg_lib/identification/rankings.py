"""What `which` is told about the lists, and the other ways in which tools put them together."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing, suppress
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.engine import Sheet
from ndcg_lib.files import plain
from ndcg_lib.files.plain import QRELS, RUN, Kind
from ndcg_lib.files.reading import READERS, Input, format_of
from ndcg_lib.files.source import open_source
from ndcg_lib.files.tables import is_frame
from ndcg_lib.inputs import of_rows, of_run


class Rankings(NamedTuple):
    """The columns of the engine with the names of the queries."""

    columns: dict[str, Any]
    names: tuple[Any, ...]
    single: bool = True

    @property
    def sizes(self) -> list[int]:
        """How many documents each query returned."""
        sizes: list[int] = self.columns["returned"].tolist()
        return sizes

    def sheet(self, k: int | None) -> Sheet:
        """What the engine computes on.

        >>> rankings([3, 2, 3, 0, 1, 2]).sheet(None)("ndcg").round(3).tolist()
        [0.961]
        """
        return Sheet(**self.columns | {"k": k})

    def missed_last(self) -> Rankings:
        """The judged documents that were not returned stand behind the list, all with one score below the lowest.

        >>> rankings([0, 3], judged=[3, 3, 0]).missed_last().columns["grade"].tolist()
        [0.0, 3.0, 3.0]
        """
        c, queries = self.columns, self.columns["queries"]
        listed = Counter[Any]()
        for query, grade in zip(c["query"][self.known()].tolist(), c["grade"][self.known()].tolist(), strict=True):
            listed[query, grade] += 1
        pool = zip(c["judged_query"].tolist(), c["judged_grade"].tolist(), strict=True)
        missed = sorted((Counter(pool) - listed).elements(), key=lambda one: -one[1])
        query, grade = (np.array(column) for column in zip(*missed, strict=True)) if missed else (np.empty(0, int),) * 2
        score = -np.arange(len(c["query"]), dtype=float) if c["score"] is None else c["score"]
        lowest = np.zeros(queries)
        np.minimum.at(lowest, c["query"], score)
        more = {"query": query, "grade": grade, "score": lowest[query] - 1, "name": np.full(len(query), -1)}
        more |= {"again": np.zeros(len(query), bool), "unknown": np.zeros(len(query), bool)}
        joined = {
            name: np.concatenate([column, more[name]])
            for name, column in {**c, "score": score}.items()
            if name in more and column is not None
        }
        order = np.argsort(joined["query"], kind="stable")
        made = {name: column[order] for name, column in joined.items()}
        made["returned"] = np.bincount(made["query"], minlength=queries)
        return self._replace(columns=c | made)

    def joined(self) -> Rankings:
        """All queries as one.

        >>> rankings([[0, 1], [1, 0]], scores=[[1, 3], [4, 2]]).joined().sheet(None)("dcg").round(3).tolist()
        [1.631]
        """
        one = {name: np.zeros_like(self.columns[name]) for name in ("query", "judged_query")}
        counts = {name: self.columns[name].sum(keepdims=True) for name in ("returned", "judged_count")}
        return Rankings(self.columns | one | counts | {"queries": 1, "name": None}, (0,), self.single)

    def known(self) -> Any:
        """Which documents are judged, and not there a second time."""
        flags = np.ones(len(self.columns["query"]), bool)
        for name in ("again", "unknown"):
            flags &= True if self.columns[name] is None else ~self.columns[name]
        return flags


def rankings(
    grades: Any, judged: Any = None, scores: Any = None, ids: Any = None, qrels: Any = None, run: Any = None
) -> Rankings:
    """Rankings from lists, or from judgements and results by query.

    >>> rankings(None, qrels={"q": {"a": 1}}, run={"q": ["b", "a"]}).names
    ('q',)
    """
    if (qrels is None) != (run is None):
        raise ValueError("qrels and run belong together: give both, or grades")
    if (grades is None) == (qrels is None):
        raise ValueError("give either grades, or y_true and y_score, or qrels and run")
    if qrels is None:
        sheet, single = of_rows(grades, None, judged, scores, ids)
        names = list(range(sheet.given["queries"]))
    else:
        sheet, single, names = of_run(*(_as_given(data, kind) for data, kind in ((qrels, QRELS), (run, RUN))))
    if not len(sheet.given["grade"]) and not len(sheet.given["judged_grade"]):
        raise ValueError("there are no grades: give the grades of the returned documents in ranked order")
    return Rankings(sheet.given, tuple(names), single)


def _as_given(data: Any, kind: Kind) -> Any:
    """What a file or a data frame holds; a document that comes twice in a run is part of what is to be explained."""
    if not (isinstance(data, (str, bytes)) or hasattr(data, "__fspath__") or hasattr(data, "read") or is_frame(data)):
        return data
    if kind is QRELS or is_frame(data):
        with Input.open(data, kind) as found:
            return found.as_table()
    with closing(open_source(data)) as source:
        format = format_of(source, kind, None)
        if format == "trec":
            results: dict[str, list[Any]] = {}
            for line in plain.read(source.text(), kind, source.name):
                results.setdefault(line.query.decode(), []).append((line.document.decode(), line.value))
            return results
        with suppress(ValueError, RecursionError):  # which the reader will say better
            if format == "json" and isinstance(lists := json.loads(source.text()), dict):
                return lists
        return READERS[format](source, kind)
