"""A result as a small text file: values by query, what decides them, and what was there to be measured.

A line per query, to be read in a diff. Fingerprints of judgements and lists let another person see whether the result
belongs to the files at hand, and let the gate see whether something else than the ranking has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import as_number, shown
from ndcg_lib.files.plain import QRELS, RUN
from ndcg_lib.files.reading import table_of
from ndcg_lib.grid import fixed
from ndcg_lib.runs.dialects import as_columns
from ndcg_lib.runs.evaluation import Evaluation, asked, evaluate
from ndcg_lib.runs.names import Column

FORMAT = "ndcg result 1"
DEEP = 10
"""Of a measure without a cut-off, the ranks that are looked at."""


class Line(NamedTuple):
    """A query: its values, and what was there."""

    values: tuple[float | None, ...]  # None: the definition leaves the query out
    results: int
    judged: int  # of all results
    scores: int  # how many different ones among the first ranks
    judgements: str
    ranking: str


@dataclass(frozen=True)
class Record:
    """A run, measured, with fingerprints of what it was measured on."""

    measures: dict[str, str]  # what was asked for, and the string that says all that decides it
    lines: dict[str, Line]
    strangers: tuple[str, ...] = ()  # queries of the run that nobody judged
    limits: dict[str, float] = field(default_factory=dict)  # a baseline's
    alpha: float = 0.05

    @property
    def depth(self) -> int:
        """How far down the measures look."""
        return max(column.k or DEEP for column in self.columns)

    @property
    def columns(self) -> list[Column]:
        """The measures."""
        return [replace(as_columns(full, None)[0], asked=name) for name, full in self.measures.items()]

    @property
    def judgements(self) -> str:
        """The fingerprint of all judgements."""
        return _fingerprint((f"{q} {one.judgements}" for q, one in sorted(self.lines.items())), 16)

    @property
    def run(self) -> str:
        """The fingerprint of all lists."""
        return _fingerprint((f"{q} {one.ranking}" for q, one in sorted(self.lines.items())), 16)

    @property
    def seal(self) -> str:
        """The fingerprint of all that the file holds: values and limits are what was measured and saved."""
        held = (self.measures, self.limits, self.alpha, self.strangers, sorted(self.lines.items()))
        return _fingerprint(map(json.dumps, held), 16)

    def values(self, measure: str) -> dict[str, float]:
        """The value of each query that counts."""
        at = list(self.measures).index(measure)
        return {query: value for query, line in self.lines.items() if (value := line.values[at]) is not None}

    def evaluation(self) -> Evaluation:
        """The result as `evaluate` gave it."""
        found = [(query, line.values) for query, line in self.lines.items() if any(v is not None for v in line.values)]
        table = np.array([[np.nan if v is None else v for v in values] for _, values in found], dtype=np.float64)
        counts = np.array([[v is not None for v in values] for _, values in found])
        report = f"{len(found)} queries of a saved result."
        columns, queries = self.columns, [query for query, _ in found]
        convention = columns[0].convention.but(k=columns[0].k)
        return Evaluation("saved", convention, columns, queries, table, report, self, None, counts)

    def cards(self) -> list[str]:
        """What the values are."""
        return [column.card() for column in self.columns]

    def text(self) -> str:
        """The file."""
        head: dict[str, Any] = {"format": FORMAT, "measures": self.measures}
        head |= {"limits": self.limits, "alpha": self.alpha} if self.limits else {}
        head |= {"judgements": self.judgements, "run": self.run, "all": self.seal, "strangers": self.strangers}
        head["columns"] = ["query", *self.measures, *Line._fields[1:]]
        said = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
        rows = [json.dumps([q, *one.values, *one[1:]], ensure_ascii=False) for q, one in sorted(self.lines.items())]
        return "{" + ",\n ".join(said) + ',\n "queries": [\n' + ",\n".join(rows) + "\n]}\n"


def record_of(text: str, name: str) -> Record:
    """The record in a file's text."""
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise KeyError
        measures, many = data["measures"], len(data["measures"])
        lines = {row[0]: Line(tuple(row[1 : many + 1]), *row[many + 1 :]) for row in data["queries"]}
        made = Record(measures, lines, tuple(data["strangers"]), data.get("limits", {}),
                      data.get("alpha", 0.05))  # fmt: skip
        same = json.loads(made.text()) == data
    except (ValueError, KeyError, TypeError, IndexError):
        raise ValueError(f"{name} is no saved result ({FORMAT}): make one with nd.save or ndcg gate save") from None
    if not same:
        raise ValueError(f"{name} was changed by hand: its fingerprints are not those of its lines; save it anew")
    return made


def measured(qrels: Any, run: Any, **options: Any) -> Record:
    """A run with all that a file keeps of it.

    >>> made = measured({"51": {"a": 1}, "52": {"b": 1}}, {"51": ["a"]}, measures="rr")
    >>> [(query, line.values, line.results) for query, line in made.lines.items()]
    [('51', (1.0,), 1), ('52', (0.0,), 0)]
    """
    judged = table_of(qrels, QRELS, options.pop("qrels_format", None))
    found = table_of(run, RUN, options.pop("run_format", None))
    options.pop("progress", None)
    returned = {query: documents for query, documents in found.items() if query in judged}
    if not returned:  # all are lost, and no convention makes a mean of nothing
        _, columns, _ = asked(options.pop("k", None), options)  # type: ignore[arg-type]
        return _recorded(columns, {}, judged, found)
    result = evaluate(judged, returned, **options)
    return _recorded(result.columns, {m: result.per_query(m) for m in result}, judged, found)


def _recorded(
    columns: list[Column], values: Mapping[str, Any], judged: Mapping[str, Any], found: Mapping[str, Any]
) -> Record:
    measures = {column.key: str(column) for column in columns}
    for column in columns:
        own = next((name for name, value in column.choices().items() if callable(value)), None)
        if own is not None:
            raise ValueError(
                f"{column.key}: {own} is a function, which no file can hold; pass a name or a table of gains"
            )
    depth, lines = max(column.k or DEEP for column in columns), {}
    for query, grades in judged.items():
        ranked = sorted(found.get(query, {}).items(), key=lambda each: (-each[1], each[0]))
        each = [values[name].get(query) if name in values else None for name in measures]
        lines[query] = Line(
            tuple(value if value == value else None for value in each), len(ranked),
            sum(document in grades for document, _ in ranked), len({score for _, score in ranked[:depth]}),
            _fingerprint(sorted(f"{document} {float(grade)!r}" for document, grade in grades.items())),
            _fingerprint(_places(ranked)),
        )  # fmt: skip
    return Record(measures, lines, tuple(query for query in found if query not in judged))


def _places(ranked: list[tuple[str, float]]) -> Iterable[str]:
    """Documents with the rank of the first of their score: scores may change without a change of the order."""
    first = 0
    for _, tied in groupby(ranked, key=lambda each: each[1]):
        documents = [document for document, _ in tied]
        yield from (f"{document} {first}" for document in documents)
        first += len(documents)


def _fingerprint(parts: Iterable[str], digits: int = 8) -> str:
    """Letters that differ if a part does, whatever the file's format or the order of queries."""
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def save(result: Evaluation | Record, file: Any) -> None:
    """Keep a result as a small text file: values by query, what decides them, and fingerprints of what was measured.

    `ndcg verify` checks such a file against judgements and run; `ndcg gate` takes it as a baseline.

    >>> import tempfile
    >>> from ndcg_lib import evaluate, load
    >>> name = tempfile.mkdtemp() + "/result.json"
    >>> save(evaluate({"51": {"a": 1}}, {"51": ["b", "a"]}, measures="rr"), name)
    >>> load(name)["rr"]
    0.5
    """
    Path(file).write_text(as_record(result).text(), "utf8")


def opened(file: Any) -> Record | None:
    """The record in a file; None if it is something else, such as a run."""
    with Path(file).open("rb") as stream:
        if FORMAT.encode() not in stream.read(100):
            return None
    return record_of(Path(file).read_text("utf8"), str(file))


def load(file: Any) -> Evaluation:
    """The result that `save` kept.

    >>> import tempfile
    >>> from ndcg_lib import evaluate
    >>> name = tempfile.mkdtemp() + "/result.json"
    >>> save(evaluate({"51": {"a": 1}}, {"51": ["a"]}, measures="RR(rel=1)"), name)
    >>> load(name).per_query("RR(rel=1)")
    {'51': 1.0}
    """
    return record_of(Path(file).read_text("utf8"), str(file)).evaluation()


def as_record(result: Evaluation | Record) -> Record:
    """What is kept of a result; its judgements and its run are read once more."""
    if isinstance(result, Record):
        return result
    if result.record is not None:
        return result.record  # type: ignore[no-any-return]
    if result.behind is None:
        raise ValueError("this result was not made by evaluate from judgements and a run, so it cannot be saved")
    qrels, run, options = result.behind
    judged = table_of(qrels, QRELS, options["qrels_format"], again=True)
    values = {measure: result.per_query(measure) for measure in result}
    return _recorded(result.columns, values, judged, table_of(run, RUN, options["run_format"], again=True))


class Differs(NamedTuple):
    """Where a saved result is not that of these files."""

    what: str
    queries: tuple[str, ...]


def verify(record: Record, qrels: Any, run: Any, **formats: Any) -> list[Differs]:
    """What a saved result says and these judgements and this run do not bear out; nothing if all of it is so.

    >>> kept = measured({"51": {"a": 1}}, {"51": ["a"]}, measures="rr")
    >>> verify(kept, {"51": {"a": 1}}, {"51": ["a"]}), verify(kept, {"51": {"a": 1}}, {"51": ["b", "a"]})
    ([], [Differs(what='other lists', queries=('51',)), Differs(what='other values', queries=('51',))])
    """
    now = measured(qrels, run, measures=record.columns, **formats)
    every = dict.fromkeys([*record.lines, *now.lines])
    gone = Line((), 0, 0, 0, "", "")
    pairs = {query: (record.lines.get(query, gone), now.lines.get(query, gone)) for query in every}
    found = {
        "other judgements": [q for q, (old, new) in pairs.items() if old.judgements != new.judgements],
        "other lists": [q for q, (old, new) in pairs.items() if old.ranking != new.ranking],
        "other values": [q for q, (old, new) in pairs.items() if not _same(old.values, new.values)],
    }
    return [Differs(what, tuple(queries)) for what, queries in found.items() if queries]


def _same(old: tuple[float | None, ...], new: tuple[float | None, ...]) -> bool:
    """Whether values differ by no more than the last digits that other machines may round otherwise."""
    pairs = zip(old, new, strict=False)
    return len(old) == len(new) and all(
        a == b or (a is not None and b is not None and abs(a - b) < 1e-9) for a, b in pairs
    )


def as_baseline(record: Record, limits: Mapping[str, float], alpha: float) -> Record:
    """A result with the losses that are allowed.

    >>> as_baseline(measured({"51": {"a": 1}}, {"51": ["a"]}, measures="rr"), {"rr": 0.02}, 0.05).limits
    {'rr': 0.02}
    """
    full, found, names = list(record.measures.values()), dict[str, float](), list(record.measures)
    twice = [name for name, each in record.measures.items() if full.count(each) > 1]
    if twice:
        raise ValueError(f"{' and '.join(twice)} are one measure: give it one limit")
    for name, given in limits.items():
        measure, limit = name if name in names else record.evaluation().key_of(name), _number(given)
        if not 0 < limit < np.inf:
            raise ValueError(
                f"the limit of {measure} is {shown(given)}: give the loss that is allowed, above 0 (such as 0.02)"
            )
        if not (values := record.values(measure)):
            raise ValueError(f"no query has a value in {measure}, so there is no mean that could fall")
        if limit >= (mean := float(np.mean(list(values.values())))):
            raise ValueError(
                f"the limit of {measure} is {limit:g} and its mean {fixed(mean)}: a run that lost all would pass; give"
                " a smaller loss (0.02 is two hundredths of the measure, not a share in percent)"
            )
        found[measure] = limit
    if not 0 < _number(alpha) < 0.5:
        raise ValueError(f"alpha is {shown(alpha)}: give how often the gate may be wrong, such as 0.05")
    return replace(record, limits=found, alpha=float(alpha))


def _number(value: Any) -> float:
    number = None if isinstance(value, (bool, np.bool_)) else as_number(value)
    return np.nan if number is None else number
