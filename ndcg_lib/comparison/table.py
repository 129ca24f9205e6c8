"""Is one system better than another? Values query by query, their differences, and what chance would do to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any, Literal, NamedTuple, TypeAlias, Unpack

import numpy as np

from ndcg_lib import plots
from ndcg_lib.checks import shown
from ndcg_lib.comparison import significance
from ndcg_lib.comparison.difference import Difference, counted, p_text
from ndcg_lib.comparison.scrutiny import Bounds, Changes, Conclusions, Materials, bounds, changes, mean_of, read_at_once
from ndcg_lib.comparison.significance import EQUAL, FEW
from ndcg_lib.comparison.systems import given, merged, names_of, repeats_of
from ndcg_lib.files.plain import named
from ndcg_lib.grid import Grid, Html, finite, fixed, frame, html, interval, joined, latex, markdown, tags, text
from ndcg_lib.plots import Chart
from ndcg_lib.runs.evaluation import Evaluation, Job, Options, shows_options
from ndcg_lib.runs.names import Column
from ndcg_lib.types import Array

Correction: TypeAlias = Literal["holm", "tukey"] | None


class Settings(NamedTuple):
    """How differences are judged."""

    against: str | None = None
    correction: Correction = "holm"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def checked(self, names: Iterable[str]) -> Settings:
        """These settings, if they can be followed."""
        if self.against is not None and self.against not in (known := list(names)):
            raise ValueError(f"against is {shown(self.against)}: the systems are {', '.join(map(shown, known))}")
        if self.correction not in ("holm", "tukey", None):
            raise ValueError(f"correction is {shown(self.correction)}: it can be 'holm', 'tukey' or None")
        if not 0.5 <= self.confidence < 1:
            raise ValueError(f"confidence is {shown(self.confidence)}: pass a number such as 0.95")
        if self.resamples < 100:
            raise ValueError(f"resamples is {shown(self.resamples)}: pass at least 100; 10,000 is usual")
        return self


class Comparison(Mapping[str, Evaluation]):
    """The evaluation of each system by its name, and the differences between them. Printed, it is a table.

    The value of a system that was run several times is the mean over its runs, query by query; `repeats` has each.
    """

    def __init__(
        self, repeats: Mapping[str, list[Evaluation]], settings: Settings, materials: Materials | None = None
    ) -> None:
        self._systems = {name: merged(name, each) for name, each in repeats.items()}
        self.settings = settings.checked(self)
        self.materials = materials
        self.measures = [m for m in next(iter(self.values())) if all(m in list(each) for each in self.values())]
        self._runs = repeats
        if not self.measures:
            raise ValueError("the systems have no measure in common: evaluate all of them with the same measures")

    def __getitem__(self, name: str) -> Evaluation:
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def repeats(self) -> dict[str, dict[str, Array]]:
        """The mean of each run of the systems that were run several times, by measure."""
        return {
            name: {measure: np.array([each[measure] for each in runs]) for measure in self.measures}
            for name, runs in self._runs.items()
            if len(runs) > 1
        }

    @cached_property
    def pairs(self) -> list[Difference]:
        """All pairs, or all systems against one, in every measure; corrected among those of the same measure."""
        base = self.settings.against
        chosen = [(later, earlier) for earlier, later in combinations(self, 2)]
        if base is not None:
            chosen = [(name, base) for name in self if name != base]
        return [one for measure in self.measures for one in self._differences(measure, chosen)]

    def difference(self, run: str, other: str, measure: str | None = None) -> Difference:
        """A system minus another, in the first measure if none is named.

        >>> runs = {"old": {"51": ["b", "a"]}, "new": {"51": ["a", "b"]}}
        >>> compare({"51": {"a": 1}}, runs, k=1).difference("new", "old").per_query
        {'51': 1.0}
        """
        for name in (run, other):
            if name not in self:
                raise ValueError(f"there is no run {shown(name)}: the runs are {', '.join(map(shown, self))}")
        measure = self.measures[0] if measure is None else measure
        if measure not in self.measures:
            raise ValueError(f"{measure} was not computed, but {', '.join(self.measures)}")
        for one in self.pairs if run != other else ():
            if one.measure == measure and {one.run, one.other} == {run, other}:
                return one if one.run == run else -one
        return self._differences(measure, [(run, other)])[0]

    def differences(self) -> list[Difference]:
        """Every system against the first, or the one that was named, in every measure."""
        base = self.settings.against or next(iter(self))
        return [self.difference(name, base, measure) for name in self if name != base for measure in self.measures]

    def _differences(self, measure: str, pairs: list[tuple[str, str]]) -> list[Difference]:
        """The pairs of one measure, tested at once."""
        if not pairs:
            return []
        values = {name: each.per_query(measure) for name, each in self.items()}
        common = set.intersection(*map(set, values.values()))
        if all(len(each) == len(common) for each in values.values()):
            tested = self._tested(values, pairs)
        else:  # every pair on the queries that count in both
            tested = [self._tested({name: values[name] for name in pair}, [pair])[0] for pair in pairs]
        p, correction = np.array([each[1] for each in tested]), self.settings.correction if len(pairs) > 1 else None
        corrected, family = p, ""
        if correction == "holm":
            corrected, family = significance.holm(p), f"Holm's correction for {len(pairs)} pairs"
        elif correction == "tukey":
            if not common:
                raise ValueError("Tukey's correction needs queries that count in all systems, and there is none")
            table, places = _table(values, common)
            at = [(places[run], places[other]) for run, other in pairs]
            corrected = significance.tukey(table, at, self.settings.resamples, self.settings.seed)
            family = f"Tukey's HSD for {len(values)} systems"
        return [
            Difference(*pair, measure, per_query, float(one), float(c), interval, self.settings.confidence, family)
            for pair, (per_query, one, interval), c in zip(pairs, tested, corrected, strict=True)
        ]

    def _tested(
        self, values: Mapping[str, dict[str, float]], pairs: list[tuple[str, str]]
    ) -> list[tuple[dict[str, float], float, tuple[float, float]]]:
        """For each pair the differences, the p-value and the interval, on the queries that count in all systems."""
        how, first = self.settings, next(iter(values.values()))
        common = [query for query in first if all(query in each for each in values.values())]
        if not common:
            raise ValueError(f"{' and '.join(map(str, values))} have no query in common")
        table, places = _table(values, common)
        at = [(places[run], places[other]) for run, other in pairs]
        p = significance.randomisation(table, at, how.resamples, how.seed)
        found = []
        for (one, other), chance in zip(at, p, strict=True):
            difference = table[:, one] - table[:, other]
            largest = max(1.0, float(abs(table[:, [one, other]]).max()))
            ends = significance.interval(difference, how.confidence, largest)
            found.append((dict(zip(common, difference.tolist(), strict=True)), float(chance), ends))
        return found

    def column(self, measure: str) -> Column:
        """All that decides a measure."""
        return next(one for one in next(iter(self.values())).columns if one.key == measure)

    @cached_property
    def bounds(self) -> dict[str, dict[str, Bounds]]:
        """For each system and measure with a cut-off: how much was judged, and what the rest could do to the value."""
        have = self._materials()
        found: dict[str, dict[str, Bounds]] = {}
        for name, runs in have.runs.items():
            for measure in (m for m in self.measures if self.column(m).k):
                each = [
                    bounds(have, run, one.per_query(measure), self.column(measure))
                    for run, one in zip(runs, self._runs[name], strict=True)
                ]
                found.setdefault(name, {})[measure] = mean_of(each)
        return found

    def changed(
        self, n: int = 3, run: str | None = None, other: str | None = None, measure: str | None = None
    ) -> Changes:
        """The queries that moved most, with both lists and the exchange of two documents that does most of it.

        >>> runs = {"old": {"51": ["b", "a"]}, "new": {"51": ["a", "b"]}}
        >>> print(compare({"51": {"a": 1}}, runs, k=1).changed())
        query 51: ndcg@1 1.0000 of new, 0.0000 of old (+1.0000)
        rank  new  grade  old  grade
        1       a      1    b      -
        One exchange does +1.0000 of it: new has a (grade 1) at rank 1 and b (not judged) at rank 2, old at\
 rank 2 and at rank 1.
        """
        one = self._pair(run, other, measure)
        most = sorted(one.per_query, key=lambda query: -abs(one.per_query[query]))[:n]
        values = self[one.run].per_query(one.measure), self[one.other].per_query(one.measure)
        return changes(self._materials(), (one.run, one.other), values, self.column(one.measure), most)

    def under(
        self, run: str | None = None, other: str | None = None, *, k: Sequence[int] = (5, 10, 20, 100), **choices: Any
    ) -> Conclusions:
        """What would be concluded of two systems with each of several choices of a convention, and at each cut-off.

        Without choices: three gains and two discounts.

        >>> runs = {"old": {"51": ["b", "a"]}, "new": {"51": ["a", "b"]}}
        >>> compare({"51": {"a": 1}}, runs, k=1).under(k=[1, 2], gain=["linear", "exponential"])
        new > old in 4 of 4; beyond chance (p < 0.05) in none
        """
        one, have = self._pair(run, other, None), self._materials()
        choices = choices or {"gain": ("linear", "exponential", "binary"), "discount": ("modern", "original")}
        levels = {name: each if isinstance(each, (list, tuple)) else (each,) for name, each in choices.items()}
        asked, rows = self.column(one.measure), []
        for combination in product(*levels.values()):
            chosen = dict(zip(levels, combination, strict=True))
            measures = [replace(asked.but(**chosen), k=cut) for cut in k]
            options: Any = {**have.options, "measures": measures}
            pair = {name: have.runs[name] for name in (one.run, one.other)}
            again = compare(have.qrels, pair, correction=None, seed=self.settings.seed, **options)
            for cut, measure in zip(k, measures, strict=True):
                found = again.difference(one.run, one.other, measure.key)
                rows.append({**chosen, "k": cut, "difference": found.mean, "p": found.p})
        return Conclusions(one.run, one.other, rows, (*levels, "k"), 1 - self.settings.confidence)

    def _pair(self, run: str | None, other: str | None, measure: str | None) -> Difference:
        if len(self) < 2:
            raise ValueError("this needs two systems, and there is one")
        names = [name for name in self if name not in (run, other)]
        other = other or self.settings.against or names[0]
        return self.difference(run or next(name for name in names if name != other), other, measure)

    def _materials(self) -> Materials:
        if self.materials is None:
            raise ValueError("this looks at the documents: compare runs with judgements, not values of queries")
        return self.materials

    def plot(self, kind: Literal["differences", "intervals", "curves", "heat"] | None = None) -> Chart:
        """A figure: the `differences` of the first pair by query, the `intervals` of all pairs, or their `heat` map.

        `curves` shows the first measure of each system from k = 1 on, with intervals as bands. Without a kind: the
        differences of two systems, the intervals of more.
        """
        pairs = [one for one in self.pairs if one.measure == self.measures[0]]
        kind = kind or ("differences" if len(pairs) == 1 else "intervals")
        measure, column = self.measures[0], self.column(self.measures[0])
        if kind == "curves":
            return self._curves(column, range(1, (column.k or 20) + 1))
        first = self._pair(None, None, None)
        n, sure = len(pairs), [one for one in pairs if one.shown]
        if kind == "differences":
            title = f"{first.run} is ahead on {first.better} of {first.n} queries, {first.other} on {first.worse}"
            return plots.differences(first.per_query, title=title, names=(first.run, first.other), measure=measure)
        title = f"{len(sure)} of {n} differences are beyond chance" if n > 1 else first.sentence().partition(":")[0]
        if kind == "intervals":
            rows = {f"{one.run} - {one.other}": (one.mean, *one.interval) for one in pairs}
            blue = [label for label, one in zip(rows, pairs, strict=True) if one.shown]
            return plots.intervals(rows, title=title, shown=blue, xlabel=f"difference in {measure}")
        if kind != "heat":
            raise ValueError(f"kind is {shown(kind)}: it can be differences, intervals, curves or heat")
        values = {(one.run, one.other): one.mean for one in pairs}
        return plots.heat(list(self), values, title=title, shown=[(one.run, one.other) for one in sure])

    def _curves(self, measure: Column, cuts: range) -> Chart:
        have, series = self._materials(), dict[str, list[tuple[float, float, float]]]()
        options: Any = {**have.options, "measures": [replace(measure, k=k, asked="") for k in cuts]}
        again = compare(have.qrels, have.runs, **options)
        for name, each in again.items():
            ends = [significance.interval(values, self.settings.confidence) for values in each.table.T]
            series[name] = [(value, *end) for value, end in zip(each.values(), ends, strict=True)]
        best = {max(again, key=lambda name: again[name][m]) for m in again.measures}
        title = (
            f"{best.pop()} is ahead at every k"
            if len(best) == 1
            else f"Who is ahead depends on k: {', '.join(sorted(best))}"
        )
        return plots.bands(series, title=title, x=cuts, ylabel=f"{replace(measure, k=None)}@k")

    def rows(self) -> list[dict[str, Any]]:
        """A row per pair and measure, for a frame of any library."""
        return [one.as_dict() for one in self.pairs]

    def frame(self) -> Any:
        """The rows as a data frame of pandas, or of Polars where that is installed alone."""
        return frame(self.rows())

    def _repr_html_(self) -> Html:
        return joined(map(html, self.tables()), tags("p", self.notes()))

    def as_dict(self) -> dict[str, Any]:
        """All of it for JSON; `bounds`: how much of the top was judged, and what the rest could make of the mean."""
        runs: list[dict[str, Any]] = []
        for name, each in self.items():
            means = {measure: finite(each[measure]) for measure in each}
            runs.append({"run": name, "mean": means, "queries": len(each.queries), "report": each.report})
            looked = {m: self.bounds[name][m] for m in self._looked_into()}
            runs[-1]["bounds"] = {
                m: {key: finite(getattr(one, key)) for key in ("judged", "worst", "best")} for m, one in looked.items()
            }
            if name in self.repeats:
                runs[-1]["repeats"] = {measure: means.tolist() for measure, means in self.repeats[name].items()}
        settings = {**self.settings._asdict(), "convention": next(iter(self.values())).convention.card()}
        return {**settings, "runs": runs, "differences": self.rows()}

    def tables(self) -> list[Grid]:
        """What a paper would print: the systems, and the pairs."""
        headings = [column.heading for column in next(iter(self.values())).columns if column.key in self.measures]
        spreads = [f"sd over runs, {heading}" for heading in headings]
        systems = [[name, *(fixed(each[m]) for m in self.measures)] for name, each in self.items()]
        shares = self._shares()
        for measure in self._looked_into():
            each = {name: self.bounds[name][measure] for name in self}
            share = shares.get(measure)
            headings += [f"Judged@{share.k}"] if share else []
            open_ = any(one.best - one.worst > EQUAL for one in each.values())
            headings += [f"{self.column(measure)} if its top were judged"] * open_
            for row, one in zip(systems, each.values(), strict=True):
                reach = f"{fixed(one.worst)} to {fixed(one.best)}" if one.best == one.best else ""
                row += [*([fixed(one.judged)] if share else []), *([reach] * open_)]
        if self.repeats:
            headings += spreads
            for row in systems:
                spread = self.repeats.get(row[0])
                row += [fixed(spread[m].std(ddof=1)) if spread else "" for m in self.measures]
        corrected = {"holm": "p, Holm", "tukey": "p, Tukey"}.get(self.settings.correction or "", "")
        many = corrected if len(self.pairs) > len(self.measures) else ""
        rows = [
            {
                "": f"{d.run} - {d.other}" + (f", {d.measure}" if len(self.measures) > 1 else ""),
                "difference": fixed(d.mean, sign="+"),
                f"{100 * d.confidence:.3g} % interval": interval(*d.interval),
                "p": p_text(d.p).removeprefix("p ").removeprefix("= "),
                **({many: p_text(d.p_corrected).removeprefix("p ").removeprefix("= ")} if many else {}),
                "effect": f"{d.effect:+.2f}" if d.effect == d.effect else "",
                **{name: str(getattr(d, name)) for name in ("better", "worse", "equal")},
            }
            for d in self.pairs
        ]
        pairs = [list(rows[0]), *(list(row.values()) for row in rows)] if rows else []
        return [[["", *headings], *systems], *filter(None, [pairs])]

    def notes(self) -> list[str]:
        """What must stand below the tables: the tests, the convention, and what was missing."""
        how = self.settings
        n = sorted({d.n for d in self.pairs})
        queries = counted(n[0]) if len(n) == 1 else f"{n[0]} to {n[-1]} queries" if n else ""
        tests = (
            f"{queries}; two-sided paired randomisation test, {how.resamples:,} resamples, seed {how.seed}; interval:"
            " Student's, or Hall's for skewed values where that is wider."
        )
        lines = [*self.uneven(), tests, *self._warnings()] if self.pairs else []
        if any(each.report for each in self.values()):
            cards = {card: None for each in self.values() for card in each.cards()}
            cards |= {share.card(): None for share in self._shares().values()}
            reports: dict[str, list[str]] = {}
            for name, each in self.items():
                reports.setdefault(each.report, []).append(name)
            lines += [*cards, *(f"{', '.join(names)}: {report}" for report, names in reports.items() if report)]
        return lines

    def uneven(self) -> list[str]:
        """What must be said of means over different queries: which system lacks which, and the means on the others.

        >>> runs = {"old": {"51": ["a"], "52": ["x", "b"]}, "new": {"51": ["a"]}}
        >>> print(*compare({"51": {"a": 1}, "52": {"b": 1}}, runs, measures="rr", convention="pytrec_eval").uneven())
        The means are of different queries: new lacks 1 query (52). On the 1 query of all, rr is 1.0000\
 (old), 1.0000 (new).
        """
        every = dict.fromkeys(query for each in self.values() for query in each.queries)
        lacks = {name: [query for query in every if query not in set(each.queries)] for name, each in self.items()}
        if not any(lacks.values()):
            return []
        told = [f"{name} lacks {counted(len(each))}{named(each)}" for name, each in lacks.items() if each]
        said = f"The means are of different queries: {'; '.join(told)}."
        common = [query for query in every if not any(query in each for each in lacks.values())]
        if not common:
            return [said]
        means = []
        for measure in self.measures:
            values = {name: each.per_query(measure) for name, each in self.items()}
            each = ", ".join(
                f"{fixed(float(np.mean([v[query] for query in common])))} ({name})" for name, v in values.items()
            )
            means.append(f"{measure} is {each}")
        return [f"{said} On the {counted(len(common))} of all, {'; '.join(means)}."]

    def _warnings(self) -> list[str]:
        """What was corrected, and what so few queries or resamples cannot tell."""
        how, n, pairs = self.settings, max(one.n for one in self.pairs), len(self.pairs) // len(self.measures)
        lines = []
        if pairs > 1:
            each = ", measure by measure" if len(self.measures) > 1 else ""
            lines.append(f"{self.pairs[0].family or f'{pairs} pairs without a correction'}{each}.")
        elif len(self.measures) > 1:
            lines.append(f"p is of each measure alone, without a correction for {len(self.measures)} of them.")
        drawn = n > significance.EXACT or how.correction == "tukey"
        least = max(0.5 ** (n - 1), 1 / (how.resamples + 1) if drawn else 0.0)
        least = min(1.0, least * pairs) if how.correction == "holm" else least
        if least > 1 - how.confidence:
            many = f", {pairs} pairs" if pairs > 1 else ""
            made = f"{counted(n)}{many} and {how.resamples:,} resamples"
            lines.append(f"Nothing can be shown: p is {least:.2g} or more with {made}.")
        few = [f"{one.run} - {one.other}, {one.measure}" for one in self.pairs if one.few]
        if few:
            which = "; ".join(few) if len(few) <= 3 else f"{len(few)} of {len(self.pairs)} rows"
            lines.append(f"Fewer than {FEW} queries differ, too few for the interval to be trusted: {which}.")
            fewest = significance.fewest(1 - how.confidence)
            if any(one.n - one.equal < min(fewest, one.n) for one in self.pairs):
                lines[-1] += f" Where fewer than {fewest} differ, it reaches further than Student's."
        return lines

    def _looked_into(self) -> list[str]:
        """The measures whose bounds are printed: with a cut-off, of what can be read again in a moment."""
        have = self.materials
        inputs = (have.qrels, *chain(*have.runs.values())) if have else ()
        at_once = inputs and all(map(read_at_once, inputs))
        columns = [self.column(measure) for measure in self.measures] if at_once else []
        return [one.key for one in columns if one.k and one.measure != "judged"]

    def _shares(self) -> dict[str, Column]:
        """Beside which measures the share of the judged is printed: once where several are cut alike."""
        told, found = set(map(self.column, self.measures)), dict[str, Column]()
        for measure in self._looked_into():
            share = Column("judged", self.column(measure).k, self.column(measure).convention)
            if share not in told:
                found[measure] = share
                told.add(share)
        return found

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return "\n\n".join([*map(markdown, self.tables()), *self.notes()])

    def to_latex(self) -> str:
        """The tables in LaTeX, with the rules of the package booktabs."""
        return "\n\n".join([*map(latex, self.tables()), *(f"% {note}" for note in self.notes())])

    def __str__(self) -> str:
        return "\n\n".join([*map(text, self.tables()), "\n".join(self.notes())]).rstrip()

    __repr__ = __str__


def _table(values: Mapping[str, Mapping[str, float]], queries: Iterable[str]) -> tuple[Array, dict[str, int]]:
    """A row per query and a column per system, and which column is whose."""
    chosen = list(queries)
    table = np.array([[each[query] for each in values.values()] for query in chosen])
    return table, {name: at for at, name in enumerate(values)}


@shows_options
def compare(
    qrels: Any,
    runs: Mapping[str, Any] | Sequence[Any] | None = None,
    k: int | Sequence[int] | None = None,
    *,
    against: str | None = None,
    correction: Correction = "holm",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    **options: Unpack[Options],
) -> Comparison:
    """Systems against each other: each as in `evaluate`, and query by query what chance would do to the differences.

    `runs` is {name: run}, or a list of file names; a list of runs under one name is one system that was run several
    times. Without `runs` the first argument holds what was measured elsewhere: {name: {query: value}}, or results of
    `evaluate` by name. All pairs are compared, or all systems `against` one; `correction` for many pairs is "holm",
    "tukey" or None.

    >>> qrels = {"51": {"a": 3, "b": 1}, "52": {"c": 1}}
    >>> old = {"51": {"b": 0.9, "a": 0.3}, "52": {"x": 0.9, "c": 0.8}}
    >>> print(compare(qrels, {"old": old, "new": {"51": {"a": 7.0, "b": 2.0}, "52": {"c": 1.5}}}).pairs[0])
    new against old: ndcg +0.2862, better in 2 queries, worse in 0, equal in 0 (p = 0.5)
    """
    settings = Settings(against, correction, confidence, resamples, seed)
    if runs is None:
        return Comparison(given(qrels, options), settings)
    named = names_of(runs)
    with Job.of(qrels, k, options) as job:
        evaluated = {name: [job.evaluate(run) for run in repeats_of(each)] for name, each in named.items()}
    materials = Materials(qrels, {name: repeats_of(run) for name, run in named.items()}, {**options})
    return Comparison(evaluated, settings, materials)
