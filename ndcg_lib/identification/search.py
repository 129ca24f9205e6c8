"""The search behind `which`: read the values, try all candidates, keep what fits and is needed, order by likelihood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.engine import Recipe, Sheet
from ndcg_lib.identification.candidates import (
    DEAREST_SIDE,
    Candidate,
    Level,
    Situation,
    candidates,
    merged,
    pairs,
    tools,
    unlike,
)
from ndcg_lib.identification.rankings import Rankings
from ndcg_lib.identification.reported import NO_FIT, SINGLE_PRECISION, Chance, Reported, fits
from ndcg_lib.types import Array

COST_OF_FIT = (-2.0, 0.0, 1.0, 2.5)
COST_UP_TO_1 = {"ndcg": 0.0, "dcg": 4.0, "idcg": 5.0, "cg": 5.5}
COST_ABOVE_1 = {"dcg": 0.0, "ndcg": 0.5, "idcg": 1.0, "cg": 1.5}
"""For reading a value as this quantity, where none is named."""
KNOWN = (-1.0, -2.5)
"""For a definition that a known tool has, as a convention or with a slip built in."""
SIDES = 100.0
"""What it costs to let list and ideal follow definitions of their own: nothing else may fit, and all alike count."""
MANY, VERY_MANY = 3_000, 100_000
"""Documents in all, from which on pairs of slips are left out; and slips under unusual conventions."""
BLOCK, KEPT = 20_000, 4_000_000
"""Documents from which on not all is kept that candidates share, and for how many at a time, counted by candidate."""
NO_STORY = 0.5
"""The chance from which on an answer on two sides is no explanation."""


class Fit(NamedTuple):
    """A candidate that fits, and how."""

    candidate: Candidate
    seen: list[Reported]
    predicted: Array
    difference: float
    fit: int
    cost: float
    tools: tuple[str, ...]
    chance: float = np.nan  # that a random value has an explanation as simple
    also: tuple[str, ...] = ()  # tools that differ from it and give the same here


class Values:
    """What candidates give for the rankings. What they share is computed once."""

    def __init__(self, rankings: Rankings):
        self.rankings = rankings
        self._sheets: dict[Any, Sheet] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Values, (self.rankings,)

    def of(self, tried: Sequence[Candidate], quantity: str, k: int | None) -> Array:
        """A row per candidate, with a value per query or the one mean."""
        views = [candidate.view for candidate in tried]
        table = np.empty((len(tried), 1 if quantity == "mean" else len(self.rankings.names)))
        for view in dict.fromkeys(views):
            rows = [at for at, other in enumerate(views) if other == view]
            asked = "ndcg" if view == "joined" and quantity == "mean" else quantity
            table[rows] = self._many([tried[at].recipe for at in rows], asked, k, view)
        return table

    def _many(self, recipes: Sequence[Recipe], quantity: str, k: int | None, view: str) -> Array:
        lists = self.rankings
        if view:
            lists = lists.joined() if view == "joined" else lists.missed_last()
        sheet = self._sheets.setdefault((k, view), lists.sheet(k))
        documents, parts = sum(lists.sizes), []
        step = len(recipes) if documents <= BLOCK else max(1, KEPT // documents)
        with np.errstate(all="ignore"):
            for start in range(0, len(recipes), step):
                parts.append(sheet.many(quantity, recipes[start : start + step]))
                if documents > BLOCK:
                    sheet.done.clear()
        return np.concatenate(parts)


class Reading(NamedTuple):
    """One way to take the values: what they are, what it costs to take them so, whether pairs of slips are tried."""

    seen: list[Reported]
    cost: float
    deep: bool
    only_if_nothing: bool = False  # only where no convention fits so far


class Search:
    """Tries candidates on the same values and keeps those that fit and are needed, best first.

    What is tried depends on what fits: pairs of slips where no convention does, and definitions on both sides where
    nothing does. Each comes after all that was tried before it, so that the chance of an answer counts all of that.
    """

    def __init__(self, seen: list[Reported], rankings: Rankings):
        self.seen = seen
        self.rankings = rankings
        self.values = Values(rankings)
        self.tried = 0
        self.nearest: Fit | None = None
        self._fits: list[Fit] = []
        self._chance = Chance(seen)
        size = sum(rankings.sizes)
        cutoffs = [o.k for o in seen]
        k = None if None in cutoffs else max(k for k in cutoffs if k is not None)
        self.situation = Situation(rankings, k, ())
        tried = []
        for reading in _readings(seen, size < MANY):
            if not (reading.only_if_nothing and self._by_convention()):
                asked = self.situation.asked_for(*dict.fromkeys(o.quantity for o in reading.seen))
                found = candidates(asked, few=size > VERY_MANY)
                self._try(found, reading, asked)
                tried.append((reading, asked, found))
        for reading, asked, found in tried:
            if reading.deep and not self._by_convention():
                self._try(pairs(asked, found), reading, asked)
        for reading, asked, _ in tried:
            if "ndcg" in asked.quantities and "cg" not in asked.quantities and not self._fits:
                self._try_sides(reading, asked)
        self.fitting = self._told()

    @property
    def says_nothing(self) -> bool:
        """Whether the value is 1 because the documents stand in the best order, so that every convention gives it."""
        of_ndcg = bool(self.fitting) and self.fitting[0].seen[0].quantity in ("ndcg", "mean")
        return of_ndcg and self.situation.this_order_is_ideal and all(o.value in (1, 100) for o in self.seen)

    @property
    def above_1(self) -> bool:
        """Whether the value, if it is above 1, is likely an NDCG, and neither a percentage nor a DCG."""
        first = [fit.candidate for fit in self.fitting[:3] if fit.seen[0].quantity in ("ndcg", "mean")]
        told = [{level.name for level in c.levels} | {slip.name for slip in c.slips} for c in first]
        return any(names.isdisjoint(("percent", "not-normalised")) for names in told)

    def alike(self, fit: Fit) -> dict[str, list[Level]]:
        """For each choice of a convention the other levels that give the same values: no data here tell them apart."""
        found = dict[str, list[Level]]()
        if fit.candidate.slips or fit.candidate.sides or self.says_nothing:
            return found
        predicted = np.reshape([other.predicted for other in self._fits], (-1, len(self.seen)))
        same = np.isclose(predicted, fit.predicted, 0, 1e-12, equal_nan=True).all(axis=1)
        for other in (self._fits[at] for at in np.flatnonzero(same).tolist()):
            if other.seen == fit.seen and not (other.candidate.slips or other.candidate.sides):
                pairs = zip(fit.candidate.levels, other.candidate.levels, strict=True)
                departing = [level for own, level in pairs if level.name != own.name]
                if len(departing) == 1:
                    found.setdefault(departing[0].choice, []).append(departing[0])
        return found

    def _by_convention(self) -> bool:
        return any(not fit.candidate.slips and not fit.candidate.sides for fit in self._fits)

    def _told(self) -> list[Fit]:
        chances = self._chance.up_to(np.array([fit.cost for fit in self._fits]))
        fitting = [fit._replace(chance=float(chance)) for fit, chance in zip(self._fits, chances, strict=True)]
        needed = _needed([fit for fit in fitting if not fit.candidate.sides or fit.chance < NO_STORY])
        told = {id(fit) for fit in needed}
        left = [fit for fit in fitting if fit.tools and id(fit) not in told]
        once: dict[Any, Fit] = {}
        for fit in sorted(needed, key=lambda fit: (fit.cost, fit.candidate.cost, fit.difference)):
            c = fit.candidate
            once.setdefault((c.recipe, c.view, c.slips), fit._replace(also=_also(fit, left)))
        best = list(once.values())
        if any(o.exact for o in self.seen) and best:  # what is written comes before what may be meant exactly
            first = min(best, key=lambda fit: fit.cost - COST_OF_FIT[fit.fit])
            best.sort(key=lambda fit: fit is not first)
        return best

    def _try(self, tried: list[Candidate], reading: Reading, situation: Situation) -> None:
        if not tried:
            return
        seen = reading.seen
        predicted = self._predictions(tried, seen)
        named: dict[Any, tuple[str, ...]] = {}
        if seen[0].quantity in ("ndcg", "mean"):  # tools report no other quantity
            named = tools(situation, [level.choice for level in tried[0].levels])
        known = [named.get(c.key(), ()) if len(c.slips) < 2 else () for c in tried]
        costs = [c.cost + (KNOWN[len(c.slips)] if by else 0.0) for c, by in zip(tried, known, strict=True)]
        for at, how, cost, off in self._fitting(predicted, np.array(costs) + reading.cost, seen):
            self._fits.append(Fit(tried[at], seen, predicted[at], off, how, cost, known[at]))
        near = np.abs(predicted[: sum(not c.slips for c in tried)] - [o.value for o in seen]).max(axis=1)
        if np.isfinite(near).any():  # conventions come first
            at = int(np.nanargmin(near))
            if self.nearest is None or near[at] < self.nearest.difference:
                self.nearest = Fit(tried[at], seen, predicted[at], float(near[at]), NO_FIT, 0.0, ())

    def _fitting(self, predicted: Array, costs: Array, seen: list[Reported]) -> Iterator[tuple[int, int, float, float]]:
        """Which rows fit, how, what that costs, and how far off they are; all of them count for the chance."""
        self._chance.add(predicted, costs, COST_OF_FIT)
        self.tried += len(predicted)
        with np.errstate(all="ignore"):  # a quotient may be infinite, and so may the value that is asked about
            fit = fits(predicted, seen)
            off = np.abs(predicted - [o.value for o in seen]).max(axis=1)
        for at in np.flatnonzero(fit < NO_FIT).tolist():
            how = int(fit[at])
            yield at, how, float(costs[at]) + COST_OF_FIT[how], float(off[at])

    def _predictions(self, tried: Sequence[Candidate], seen: Sequence[Reported]) -> Array:
        """What each candidate gives for each reported value."""
        table = np.empty((len(tried), len(seen)))
        known: dict[Any, Array] = {}
        for column, o in enumerate(seen):
            if (o.k, o.quantity) not in known:
                known[o.k, o.quantity] = self.values.of(tried, o.quantity, o.k)
            values = known[o.k, o.quantity]
            if o.query is None and o.quantity != "mean":
                values = values[:, self.rankings.columns["judged_count"] > 0].mean(axis=1, keepdims=True)
            table[:, column] = values[:, o.query or 0]
        return table

    def _try_sides(self, reading: Reading, situation: Situation) -> None:
        """Candidates whose list and whose ideal follow definitions of their own, at most one slip each."""
        seen = reading.seen
        (lists, tops), (ideals, bottoms) = (self._side(part, situation, seen) for part in ("dcg", "idcg"))
        table = np.empty((len(lists), len(ideals), len(seen)))
        with np.errstate(all="ignore"):
            for at, o in enumerate(seen):
                top, bottom = tops[:, None, at], bottoms[None, :, at]
                table[:, :, at] = {"dcg": top, "idcg": bottom}.get(o.quantity, top / bottom)
        slips = [[len(c.slips) for c in side] for side in (lists, ideals)]
        costs = SIDES + np.minimum(1, np.add.outer(*slips)).ravel()
        for at, how, cost, off in self._fitting(table.reshape(-1, len(seen)), costs, seen):
            made = merged(lists[at // len(ideals)], ideals[at % len(ideals)])
            if how != SINGLE_PRECISION and (made.slips or unlike(made.recipe)):
                self._fits.append(Fit(made, seen, table.reshape(-1, len(seen))[at], off, how, cost, ()))

    def _side(self, part: str, situation: Situation, seen: Sequence[Reported]) -> tuple[list[Candidate], Array]:
        """What can stand on one side of the quotient, each set of values once, with a column for each value seen."""
        side = [c for c in candidates(situation.asked_for(part)) if c.cost <= DEAREST_SIDE and not c.view]
        side.sort(key=lambda c: c.cost)
        values = np.stack([self.values.of(side, part, o.k)[:, o.query or 0] for o in seen], axis=-1)
        with np.errstate(over="ignore"):
            rounded = values.round(9)
        _, first = np.unique(np.where(np.isfinite(rounded), rounded, values), axis=0, return_index=True)
        kept = np.sort(first)
        return [side[at] for at in kept.tolist()], values[kept]


def _readings(seen: list[Reported], deep: bool) -> Iterator[Reading]:
    """The quantities that the values can be."""
    above_1 = max(o.value for o in seen) > 1 + 1e-9
    named = all(o.quantity for o in seen)
    if any(o.query is None for o in seen):
        yield Reading([_as_mean(o, "mean") for o in seen], 0.0, deep)
        if not any(o.quantity for o in seen) and above_1:
            for quantity in ("dcg", "idcg", "cg"):
                yield Reading([_as_mean(o, quantity) for o in seen], COST_ABOVE_1[quantity], deep)
    elif named:
        yield Reading(seen, 0.0, deep)
    else:
        for quantity, cost in (COST_ABOVE_1 if above_1 else COST_UP_TO_1).items():
            taken = [o._replace(quantity=quantity) for o in seen]
            in_pairs = deep and (quantity == "ndcg" or (above_1 and quantity == "dcg"))
            yield Reading(taken, cost, in_pairs, only_if_nothing=not above_1 and quantity != "ndcg")


def _as_mean(o: Reported, otherwise: str) -> Reported:
    """A mean NDCG is a quantity of its own; the mean of another one is not."""
    return o._replace(quantity={"": otherwise, "ndcg": "mean"}.get(o.quantity, o.quantity))


def _also(fit: Fit, left: list[Fit]) -> tuple[str, ...]:
    """The tools that differ in a choice which is of no account here, so that what they give fits as well."""
    if fit.candidate.slips or fit.candidate.sides:
        return ()
    core = _core(fit)
    alike = [
        other
        for other in left
        if other.seen == fit.seen
        and (_core(other) == core or np.allclose(other.predicted, fit.predicted, 0, 1e-12, equal_nan=True))
    ]
    named = dict.fromkeys(tool for other in alike for tool in other.tools)
    return tuple(tool for tool in named if tool not in fit.tools)


def _core(fit: Fit) -> list[str]:
    """What two tools must share to be told in one sentence."""
    named: Mapping[str, Any] = {level.choice: level.name for level in fit.candidate.levels}
    return [named.get(choice, "") for choice in ("gain", "discount", "cut", "result", "unreturned", "rows")]


def _needed(fitting: list[Fit]) -> list[Fit]:
    """What explains something: a departure is not needed where the same without it fits as well."""
    best = {(f.seen[0].quantity, f.candidate.key()): f.fit for f in fitting if not f.candidate.sides}
    return [
        f
        for f in fitting
        if all(best.get((f.seen[0].quantity, less), NO_FIT) > f.fit for less in f.candidate.simpler())
    ]
