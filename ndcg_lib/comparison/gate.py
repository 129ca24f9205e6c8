"""May this run replace the baseline? One answer of four: not worse, worse, cannot tell, not comparable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ndcg_lib.comparison import significance
from ndcg_lib.comparison.coverage import Fault, coverage
from ndcg_lib.comparison.difference import counted
from ndcg_lib.comparison.loss import LEVEL, Loss, blind, loss, moved, needed, seen
from ndcg_lib.files.plain import NAMED, Twice, named, show
from ndcg_lib.grid import finite, fixed, markdown
from ndcg_lib.runs.evaluation import Evaluation
from ndcg_lib.runs.saved import Record, as_baseline, as_record, measured
from ndcg_lib.types import Array

NOT_WORSE, WORSE, UNSURE, APART = "not worse", "worse", "cannot tell", "not comparable"
EXIT = {NOT_WORSE: 0, WORSE: 1, UNSURE: 3, APART: 4}
HALF = 0.5
"""A query that had as much and has 0 fails by itself: of 80 repeats of one system that came in none."""
SMALLEST = 10
"""The fewest queries of a slice that are tested."""

WORST = 5

Unsure: TypeAlias = Literal["pass", "mean", "block"]


@dataclass(frozen=True, eq=False)
class Row:
    """One measure, on all queries or on a slice."""

    measure: str
    where: str
    per_query: dict[str, float]
    limit: float
    typical: float
    found: Loss
    p: float  # how often a loss at the limit makes such a mean, corrected for all rows
    verdict: str

    @property
    def differences(self) -> Array:
        """Of each query, the run minus the baseline."""
        return np.array(list(self.per_query.values()))

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.differences.mean())

    @property
    def n(self) -> int:
        """How many queries there are."""
        return len(self.per_query)

    @property
    def place(self) -> str:
        """The measure, and the slice."""
        return f"{self.measure} in {self.where}" if self.where else self.measure

    def __str__(self) -> str:
        mean, low, high, limit, many = self.cells()
        return f"{self.place}: {mean}, at least {low}, at most {high} (limit {limit}); {many} moved: {self.verdict}"

    def cells(self) -> list[str]:
        """The mean, its bounds, the limit, and how many queries moved, in words."""
        numbers = (fixed(value, sign="+") for value in (self.mean, self.found.low, self.found.high))
        return [*numbers, f"-{self.limit:g}", f"{moved(self.differences)} of {counted(self.n)}"]

    def worst(self) -> list[tuple[str, float]]:
        """The queries that lost most."""
        lost = sorted((value, query) for query, value in self.per_query.items() if value < 0)
        return [(query, value) for value, query in lost[:WORST]]

    def power(self, alpha: float) -> tuple[float, int]:
        """The limit from which on such a change passes if it loses nothing, and the queries that this limit takes."""
        d = self.differences
        shape = float(d.std(ddof=1)), self.typical, moved(d) / self.n, alpha
        return seen(self.n, *shape), needed(self.limit, *shape)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "measure": self.measure, "slice": self.where or None, "n": self.n, "moved": moved(self.differences),
            "mean": self.mean, "low": finite(self.found.low), "high": finite(self.found.high), "limit": self.limit,
            "p_within": self.found.p_within, "p_beyond": self.p, "verdict": self.verdict, "worst": dict(self.worst()),
        }  # fmt: skip


class Collapse(NamedTuple):
    """A query that had half of what there is, and has nothing."""

    query: str
    measure: str
    was: float
    now: float


@dataclass(frozen=True)
class Answer:
    """The verdict, and all that it rests on."""

    verdict: str
    alpha: float
    faults: list[Fault] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    collapsed: list[Collapse] = field(default_factory=list)
    lists: tuple[str, ...] = ()  # the queries whose lists are not the baseline's

    def exit(self, unsure: Unsure = "mean") -> int:
        """The exit code. Where nothing can be told a mean beyond its limit blocks ("mean"), or none does, or all do."""
        beyond = any(row.verdict == UNSURE and not row.where and row.mean < -row.limit for row in self.rows)
        lets = unsure == "pass" or (unsure == "mean" and not beyond)
        return 0 if self.verdict == UNSURE and lets else EXIT[self.verdict]

    def headline(self) -> str:
        """The verdict in a line."""
        if self.verdict == APART:
            return f"{self.verdict}: the two do not answer the same questions"
        if not self.lists and self.verdict == NOT_WORSE:
            return f"{self.verdict}: every ranking is the baseline's"
        head = {NOT_WORSE: "every loss is within its limit", WORSE: "a loss is above its limit",
                UNSURE: "a loss above the limit is not shown, and not ruled out"}[self.verdict]  # fmt: skip
        if self.collapsed:
            others = ", and a loss is above its limit" if any(row.verdict == WORSE for row in self.rows) else ""
            head = f"{counted(len({each.query for each in self.collapsed}))} lost all{others}"
        return f"{self.verdict}: {head}"

    def details(self) -> list[str]:
        """What was found, coverage first."""
        said = [str(fault) for fault in self.faults]
        if self.lists and self.rows:
            some = named(self.lists) if len(self.lists) <= NAMED else ""
            said.append(f"lists: {counted(len(self.lists))} with another order{some}")
        said += map(str, self.rows)
        said += [f"query {show(q)}: {m} {fixed(was)} -> {fixed(now)}" for q, m, was, now in self.collapsed]
        for row in self.rows:
            if row.verdict == WORSE:
                lost = ", ".join(f"{show(query)} {fixed(value, sign='+')}" for query, value in row.worst())
                said.append(f"lost most in {row.place}: {lost}")
        unsure = {
            row: row.power(self.alpha) for row in self.rows if row.verdict == UNSURE and not row.where and row.n > 1
        }
        if self.verdict == UNSURE and unsure:
            row = max(unsure, key=lambda row: unsure[row][1])
            least, many = unsure[row]
            if many > row.n:
                said.append(
                    f"With {counted(row.n)}, a change of this kind that loses nothing passes in four of five cases"
                    f" from a limit of {least:.3f} on; a limit of {row.limit:g} takes {many:,} queries."
                )
        return said

    def __str__(self) -> str:
        return "\n".join([self.headline(), *(f"  {each}" for each in self.details())])

    def to_markdown(self) -> str:
        """For the summary of a pull request: the verdict, a table of the measures, and what else was found."""
        cells = [[row.place, *row.cells(), row.verdict] for row in self.rows]
        head = ["", "difference", "at least", "at most", "limit", "moved", "verdict"]
        rows = set(map(str, self.rows))
        rest = "\n".join(f"- {each}" for each in self.details() if each not in rows)
        return "\n\n".join(filter(None, [f"**{self.headline()}**", markdown([head, *cells]) if cells else "", rest]))

    def as_dict(self, unsure: Unsure = "mean") -> dict[str, Any]:
        """For JSON."""
        return {
            "verdict": self.verdict, "exit": self.exit(unsure), "alpha": self.alpha,
            "test": "t and Hall's t against the limit",
            "correction": "Holm", "seed": None, "faults": [each._asdict() for each in self.faults], "lists": self.lists,
            "collapsed": [each._asdict() for each in self.collapsed], "rows": [row.as_dict() for row in self.rows],
        }  # fmt: skip


def gate(
    qrels: Any,
    baseline: Any,
    run: Any,
    limits: Mapping[str, float] | None = None,
    *,
    alpha: float | None = None,
    slices: Mapping[str, Iterable[Any]] | None = None,
    **options: Any,
) -> Answer:
    """May a run replace a baseline? First what must agree, then the queries that lost all, then each loss by its limit.

    `baseline` is a file of `ndcg gate save`, which holds measures and limits, or another run with `limits`, the loss
    of the mean that is allowed in each measure. A loss is tested against its limit in both directions, each at `alpha`
    (0.05); what worsens is corrected for all measures and slices (Holm). `slices` are named groups of queries: a slice
    can fail, and need not be proven. `options` are those of `evaluate`.

    >>> qrels = {f"q{at}": {"a": 1} for at in range(60)}
    >>> good, bad = ({query: documents for query in qrels} for documents in (["a", "b"], ["b", "a"]))
    >>> print(gate(qrels, good, bad, {"rr": 0.02}).headline())
    worse: a loss is above its limit
    >>> print(gate(qrels, good, {"q1": ["a"]}, {"rr": 0.02}).faults[0])
    lost: 59 queries of 60 without results (q0, q2, q3, q4, q5, q6, q7, q8, q9, q10 and 49 more)
    """
    saved, level = isinstance(baseline, (Record, Evaluation)), LEVEL if alpha is None else alpha
    if not (limits is None and saved) and not (isinstance(limits, Mapping) and limits):
        raise ValueError("give limits, such as {'nDCG@10': 0.02}: the loss of the mean that is allowed")
    if saved:
        old = as_record(baseline)
        if limits is not None:
            old = as_baseline(old, limits, level)
        elif alpha is not None:
            raise ValueError("the baseline holds limits and alpha: give limits as well to change alpha")
    else:
        old = as_baseline(measured(qrels, baseline, measures=list(limits or {}), **options), limits or {}, level)
    if not old.limits:
        raise ValueError("the baseline has no limits: make it with ndcg gate save, or give limits")
    formats = {name: options[name] for name in ("qrels_format", "run_format") if name in options}
    if saved and (more := options.keys() - formats.keys() - {"progress"}):
        raise ValueError(f"the baseline holds all that decides a value: leave out {', '.join(sorted(more))}")
    try:
        new = measured(qrels, run, measures=old.columns, **formats)
    except Twice as error:
        return Answer(APART, old.alpha, [Fault("repeated", str(error), (), True)])
    if slices is not None and (
        not isinstance(slices, Mapping) or any(isinstance(each, str) for each in slices.values())
    ):
        raise ValueError("slices are groups of queries by name: pass {'long': ['51', '52']}")
    groups = {name: list(map(str, each)) for name, each in (slices or {}).items()}
    if slices is not None and not any(query in old.lines for each in groups.values() for query in each):
        raise ValueError("the slices hold no query of the baseline: give lines of a query and the name of its slice")
    return answer(old, new, groups)


def answer(old: Record, new: Record, slices: Mapping[str, list[str]]) -> Answer:
    """The answer for two measured runs."""
    faults = coverage(old, new)
    if any(fault.stops for fault in faults):
        return Answer(APART, old.alpha, faults)
    lists = tuple(query for query, line in old.lines.items() if line.ranking != new.lines[query].ranking)
    unknown = tuple(dict.fromkeys(q for each in slices.values() for q in each if q not in old.lines))
    if unknown:
        faults.append(Fault("slice", f"{counted(len(unknown))} that the baseline has not", unknown, False))
    tested: list[tuple[str, str, dict[str, float], float, Loss]] = []
    collapsed: list[Collapse] = []
    for measure, limit in old.limits.items():
        was, now = old.values(measure), new.values(measure)
        both = {query: now[query] - value for query, value in was.items() if query in now}
        if not both:
            raise ValueError(f"no query has a value in {measure}, so there is no loss")
        typical = float(np.mean([was[query] for query in both]))
        collapsed += [Collapse(q, measure, was[q], now[q]) for q in both if was[q] >= HALF and now[q] == 0]
        groups = {"": both} | {name: {q: both[q] for q in each if q in both} for name, each in slices.items()}
        for name, each in groups.items():
            if len(each) >= (SMALLEST if name else 1):
                found = loss(np.array(list(each.values())), limit, typical, old.alpha)
                tested.append((measure, name, each, typical, found))
            elif measure == next(iter(old.limits)):
                faults.append(Fault("slice", f"{name} has {counted(len(each))}, and {SMALLEST} are tested", (), False))
    if not lists and all(not any(each.values()) for _, _, each, _, _ in tested):
        return Answer(NOT_WORSE, old.alpha, faults)
    corrected = significance.holm(np.array([found.p_beyond for *_, found in tested])).tolist()
    rows = []
    for (measure, name, each, typical, found), p in zip(tested, corrected, strict=True):
        limit, mean = old.limits[measure], float(np.mean(list(each.values())))
        word = WORSE if p <= old.alpha and mean < -limit else NOT_WORSE if found.low > -limit else UNSURE
        rows.append(Row(measure, name, each, limit, typical, found, p, word))
    words = {row.verdict for row in rows if not row.where or row.verdict == WORSE}
    verdict = WORSE if WORSE in words or collapsed else UNSURE if UNSURE in words else NOT_WORSE
    return Answer(verdict, old.alpha, faults, rows, collapsed, lists)


def promise(record: Record, like: Record | None = None) -> list[str]:
    """What a baseline can show with its limits, said when it is made; `like` is a run that differs as changes do."""
    said = []
    for measure, limit in record.limits.items():
        was = record.values(measure)
        typical = float(np.mean(list(was.values())))
        least = blind(len(was), typical, record.alpha)
        text = f"{measure}: mean {fixed(typical)} on {counted(len(was))}. "
        text += (
            f"A limit of {limit:g} is less than they can show: {least:.3f} if nothing moves." if least > limit
            else f"A limit of {limit:g} can be shown if little moves."
        )  # fmt: skip
        if like is not None:
            now = like.values(measure)
            each = {query: now[query] - value for query, value in was.items() if query in now}
            row = Row(measure, "", each, limit, typical, Loss(0, 0, 0, 0), 1, "")
            least, many = row.power(record.alpha)
            d, share = row.differences, 100 * moved(row.differences) / row.n
            text += (
                f" If changes are like this one (sd {d.std(ddof=1):.3f}, {share:.0f} % move), a harmless"
                f" one passes in four of five cases from a limit of {least:.3f} on; {limit:g} takes {many:,} queries."
            )
        said.append(text)
    empty = [query for query, line in record.lines.items() if not line.results]
    flat = [query for query, line in record.lines.items() if line.results > 1 == line.scores]
    for which, what in ((empty, "without results"), (flat, "whose first results all have the same score")):
        if which:
            said.append(f"{counted(len(which))} {what}{named(which)}: the gate cannot notice when they stay so.")
    return said
