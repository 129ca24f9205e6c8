"""Behind a comparison: what unjudged documents could do to it, which queries made it, and what other choices say.

Whatever is asked here is answered by evaluating other judgements or other lists, with `evaluate`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from math import inf, nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ndcg_lib import grid
from ndcg_lib.comparison.significance import EQUAL
from ndcg_lib.convention import Convention
from ndcg_lib.files.plain import QRELS, RUN
from ndcg_lib.files.reading import table_of
from ndcg_lib.runs.evaluation import Job
from ndcg_lib.runs.hits import encoded, in_order
from ndcg_lib.runs.names import Column

Table: TypeAlias = Mapping[str, Mapping[str, float]]
Grades: TypeAlias = tuple[float, ...]

DEEPEST = 100
LARGE = 1 << 25
SHOWN = 10


class Materials(NamedTuple):
    """What was compared, to look at it again."""

    qrels: Any
    runs: dict[str, list[Any]]
    options: Mapping[str, Any]

    def judged(self) -> Table:
        """The grades of the documents of each query."""
        return table_of(self.qrels, QRELS, self.options.get("qrels_format"), again=True)

    def returned(self, run: Any) -> Table:
        """The scores of the documents of each query."""
        return table_of(run, RUN, self.options.get("run_format"), again=True)

    def evaluate(self, qrels: Any, run: Any, measure: Column) -> dict[str, float]:
        """The value of each query of other judgements or lists, by the same definition."""
        files = ("qrels_format", "run_format", "progress")
        options: Any = {name: value for name, value in self.options.items() if name not in files}
        with Job.of(qrels, None, options | {"measures": measure}) as job:
            return job.evaluate(run).per_query()


def read_at_once(data: Any) -> bool:
    """Whether data can be read a second time, and fit into memory with all their documents."""
    if isinstance(data, (str, bytes)) or hasattr(data, "__fspath__"):
        return os.path.getsize(data) < LARGE
    return not hasattr(data, "read")


@dataclass(frozen=True)
class Bounds:
    """What a value could be if the unjudged documents above the cut-off were judged: any grade of the collection each.

    `judged` is the measure Judged at the same cut-off: of each query the share of the documents above it that somebody
    judged, and the mean of these.
    """

    judged: float
    worst: float
    best: float
    per_query: dict[str, tuple[float, float]]


def bounds(materials: Materials, run: Any, values: Mapping[str, float], measure: Column) -> Bounds:
    """The bounds of one run. Below rank 100, or with more than 100 unjudged in a tie, only the judged are counted.

    The worst has the top grade or none, and the good ones last, since a value falls towards each end of what one grade
    can be. The best has the good ones first, and is climbed to. No lower top stops the climb: how many documents have
    a grade or a better one weighs on NDCG grade by grade, and where fewer are right for one, they are for a better one.
    """
    qrels, results, k, convention = materials.judged(), materials.returned(run), measure.k or 0, measure.convention
    levels = sorted({0.0, *(grade for each in qrels.values() for grade in each.values() if grade >= 0)})
    lists: dict[str, Mapping[str, float]] = {}
    unknown: dict[str, list[str]] = {}
    per_query = {query: (value, value) for query, value in values.items()}
    for query in values:
        top = _top(results.get(query, {}), qrels[query], measure.k or 0, convention)
        unjudged = [document for document in top if document not in qrels[query]]
        if len(unjudged) > DEEPEST:  # all of a long tie
            k = max(k, len(unjudged))
        if unjudged and k <= DEEPEST and levels[-1] > 0:
            unknown[query], lists[query] = unjudged, results[query] if convention.ideal == "returned" else top

    def tried(asked: Mapping[str, Iterable[Grades]]) -> dict[str, tuple[float, Grades]]:
        """The best of some grades of the unjudged documents; all of them widen the bounds."""
        cases = {
            f"{at} {query}": (query, g) for query, each in asked.items() for at, g in enumerate(dict.fromkeys(each))
        }
        judged = {name: {**qrels[q], **dict(zip(unknown[q], g, strict=True))} for name, (q, g) in cases.items()}
        best: dict[str, tuple[float, Grades]] = {}
        for name, value in materials.evaluate(judged, {n: lists[q] for n, (q, _) in cases.items()}, measure).items():
            query, grades = cases[name]
            low, high = per_query[query]
            per_query[query] = min(low, value), max(high, value)
            best[query] = max(best.get(query, (value, grades)), (value, grades))
        return best

    climbing: dict[str, tuple[float, Grades]] = {query: (-inf, (0.0,) * len(each)) for query, each in unknown.items()}
    if k > DEEPEST:
        climbing = {}
    if climbing:
        tried({query: [g[::-1] for g in _steps(none, [0.0, levels[-1]])] for query, (_, none) in climbing.items()})
    while climbing:
        higher = tried({query: _steps(grades, levels) for query, (_, grades) in climbing.items()})
        climbing = {query: top for query, top in higher.items() if top[0] > climbing[query][0] + EQUAL}
    worst, best = np.mean(list(per_query.values()), axis=0).tolist() if k <= DEEPEST else (nan, nan)
    shares = materials.evaluate(qrels, results, Column("judged", measure.k, convention))
    return Bounds(float(np.mean([shares[query] for query in values])) if values else nan, worst, best, per_query)


def _steps(grades: Grades, levels: list[float]) -> Iterator[Grades]:
    """Falling grades with other numbers of documents that have one level or a better one."""
    for below, level in pairwise(levels):
        for count in range(len(grades) + 1):
            yield (*(max(grade, level) for grade in grades[:count]), *(min(grade, below) for grade in grades[count:]))


def mean_of(each: list[Bounds]) -> Bounds:
    """The bounds of a system that was run several times: the means over its runs."""
    queries = [query for query in each[0].per_query if all(query in one.per_query for one in each)]
    rows = np.mean([[one.per_query[query] for query in queries] for one in each], axis=0).tolist()
    judged, worst, best = np.mean([(one.judged, one.worst, one.best) for one in each], axis=0).tolist()
    return Bounds(judged, worst, best, {query: (low, high) for query, (low, high) in zip(queries, rows, strict=True)})


def _ranked(results: Mapping[str, float], grades: Mapping[str, float], convention: Convention) -> Mapping[str, float]:
    """The documents as the convention ranks them; where it averages over a tie, the tie stands as it came."""
    ties, single = convention.ties, convention.score_precision == "single"
    documents = in_order(list(results), ties, encoded)
    if ties in ("best", "worst"):
        documents.sort(key=lambda document: max(grades.get(document, 0), 0), reverse=ties == "best")
    scores = {d: float(np.float32(results[d])) if single else results[d] for d in documents}
    return {d: results[d] for d in sorted(documents, key=scores.__getitem__, reverse=True)}


def _top(
    results: Mapping[str, float], grades: Mapping[str, float], k: int, convention: Convention
) -> Mapping[str, float]:
    """The first k documents, with those of the same score as the last where a tie has no order of its own."""
    ranked = _ranked(results, grades, convention)
    if convention.ties in ("average", "best", "worst") and len(ranked) > k:
        last = sorted(ranked.values(), reverse=True)[k - 1]
        return {document: score for document, score in ranked.items() if score >= last}
    return dict(islice(ranked.items(), k))


@dataclass(frozen=True)
class Change:
    """One query, both lists, and the exchange of two documents that does most of the difference."""

    query: str
    measure: str
    names: tuple[str, str]
    ours: float
    theirs: float
    lists: dict[str, list[tuple[str, float | None]]]  # documents with their grades; None: nobody judged it
    swap: str

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.theirs

    def __str__(self) -> str:
        run, other = self.names
        values = f"{grid.fixed(self.ours)} of {run}, {grid.fixed(self.theirs)} of {other}"
        head = f"query {self.query}: {self.measure} {values}"
        rows = [["rank", run, "grade", other, "grade"]]
        ours, theirs = self.lists[run], self.lists[other]
        for at in range(max(len(ours), len(theirs))):
            cells = [(ours[at] if at < len(ours) else ("", None)), theirs[at] if at < len(theirs) else ("", None)]
            rows.append([f"{at + 1}", *(text for d, g in cells for text in (d, "-" if g is None else f"{g:g}"))])
        return f"{head} ({grid.fixed(self.difference, sign='+')})\n{grid.text(rows)}\n{self.swap}".rstrip()


class Changes(list[Change]):
    """The queries that moved most."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    __repr__ = __str__


def changes(
    materials: Materials, names: tuple[str, str], values: tuple[Mapping[str, float], Mapping[str, float]],
    measure: Column, queries: list[str],
) -> Changes:  # fmt: skip
    """Some queries of two runs with their lists, and what made the difference."""
    for name in names:
        if len(materials.runs[name]) > 1:
            raise ValueError(f"{name} was run {len(materials.runs[name])} times: compare one of its runs by itself")
    qrels, depth, convention = materials.judged(), measure.k or SHOWN, measure.convention
    tables = [materials.returned(materials.runs[name][0]) for name in names]
    found = Changes()
    for query in queries:
        grades = qrels[query]
        ours, theirs = (_ranked(each.get(query, {}), grades, convention) for each in tables)
        lists = {
            name: [(document, grades.get(document)) for document in islice(each, depth)]
            for name, each in zip(names, (ours, theirs), strict=True)
        }
        value = values[0][query], values[1][query]
        averages = convention.ties == "average"
        swap = _swap(materials, names, measure, grades, ours, theirs, depth, value[0] - value[1], averages)
        found.append(Change(query, measure.key, names, *value, lists, swap))
    return found


def _swap(
    materials: Materials, names: tuple[str, str], measure: Column, grades: Mapping[str, float],
    ours: Mapping[str, float], theirs: Mapping[str, float], depth: int, difference: float,
    averages: bool,
) -> str:  # fmt: skip
    """The two documents in the other order whose exchange brings the other list nearest to ours."""
    near = dict.fromkeys([*islice(ours, depth), *islice(theirs, depth)])
    here, there = ({d: rank for rank, d in enumerate(each, 1)} for each in (ours, theirs))
    shape: Any = dict if averages else list  # in a list every document has a rank of its own
    lists, pairs = {"as it is": shape(theirs)}, dict[str, tuple[str, str]]()
    for up in near:
        for down in near:
            other_way = here.get(up, inf) < here.get(down, inf) and there.get(down, inf) < there.get(up, inf)
            if other_way and grades.get(up) != grades.get(down):
                exchange = {up: down, down: up}
                pairs[f"{len(pairs)}"] = (up, down)
                lists[f"{len(pairs) - 1}"] = shape({exchange.get(d, d): score for d, score in theirs.items()})
    if not pairs:
        return ""
    value = materials.evaluate(dict.fromkeys(lists, grades), lists, measure)
    direction = 1 if difference > 0 else -1
    best = max(pairs, key=lambda name: direction * value[name])
    gain = value[best] - value["as it is"]
    if direction * gain <= 0:
        return ""
    run, other = names
    up, down = pairs[best]
    grade = {d: f"{d} (grade {grades[d]:g})" if d in grades else f"{d} (not judged)" for d in (up, down)}
    at, before = ([f"at rank {ranks[d]}" if d in ranks else "nowhere" for d in (up, down)] for ranks in (here, there))
    return (
        f"One exchange does {grid.fixed(gain, sign='+')} of it: {run} has {grade[up]} {at[0]} and {grade[down]}"
        f" {at[1]}, {other} {before[0]} and {before[1]}."
    )


@dataclass(frozen=True, repr=False)
class Conclusions:
    """What would be concluded of two systems under other choices and cut-offs."""

    run: str
    other: str
    rows: list[dict[str, Any]]
    factors: tuple[str, ...]
    level: float

    def __str__(self) -> str:
        ahead = [row for row in self.rows if row["difference"] > 0]
        first, second, ours = self.run, self.other, ahead
        if len(ahead) * 2 < len(self.rows):
            first, second = second, first
            ours = [row for row in self.rows if row["difference"] < 0]
        sure = sum(row["p"] <= self.level for row in ours)
        text = f"{first} > {second} in {len(ours)} of {len(self.rows)}"
        if not ours or len(ours) < len(self.rows):
            text += f"; not with {self._where([row for row in self.rows if row not in ours])}"
        surely = f"beyond chance (p < {self.level:.2g}) in {sure if sure else 'none'}"
        return f"{text}; {surely}"

    __repr__ = __str__

    def table(self) -> str:
        """A line for each set of choices."""
        rows = [[f"{row[name]}" for name in self.factors] + [grid.fixed(row["difference"], sign="+"), f"{row['p']:.2g}"]
                for row in self.rows]  # fmt: skip
        return grid.text([[*self.factors, "difference", "p"], *rows])

    def _where(self, exceptions: list[dict[str, Any]]) -> str:
        """What the exceptions have in common, if no other row has it; else the exceptions."""
        levels = {name: list(dict.fromkeys(row[name] for row in exceptions)) for name in self.factors}
        some = {name: each for name, each in levels.items() if any(row[name] not in each for row in self.rows)}
        if some and sum(all(row[name] in each for name, each in some.items()) for row in self.rows) == len(exceptions):
            return " and ".join(f"{name} = {' or '.join(map(str, each))}" for name, each in some.items())
        told = [", ".join(f"{name} = {row[name]}" for name in self.factors) for row in exceptions[:3]]
        return "; ".join(told) + (f" and {len(exceptions) - 3} more" if len(exceptions) > 3 else "")
