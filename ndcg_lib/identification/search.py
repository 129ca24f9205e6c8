"""The search behind `which`: read the values, try all candidates, keep what fits and is needed, order by likelihood."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import as_cutoff
from ndcg_lib.engine import AT, Recipe, Sheet, unscaled
from ndcg_lib.identification.candidates import (
    DEAREST_SIDE,
    Candidate,
    Situation,
    candidates,
    merged,
    unlike,
)
from ndcg_lib.identification.rankings import Rankings, rankings
from ndcg_lib.identification.reported import (
    CUT_OFF,
    FITS,
    LAST_DIGIT_OFF,
    NO_FIT,
    ROUNDED,
    Reported,
    fits,
    loosened,
    reported,
    share_by_accident,
)
from ndcg_lib.types import Array

COST_OF_FIT = (0.0, 1.0, 2.5, 6.0)
COST_UP_TO_1 = {"ndcg": 0.0, "dcg": 4.0, "idcg": 5.0, "cg": 5.5}
COST_ABOVE_1 = {"dcg": 0.0, "ndcg": 0.5, "idcg": 1.0, "cg": 1.5}
"""For reading a value as this quantity, where none is named."""
KNOWN = (-0.4, -2.5)
"""For a definition that a known tool has, as a convention or with a slip built in."""
MANY, VERY_MANY = 3_000, 100_000
"""Documents in all, from which on pairs of slips are left out; and slips under unusual conventions."""
BLOCK = 20_000
"""Documents that are computed at a time: what candidates share is kept in memory for one block."""
ACCIDENTS, ACCIDENTS_ON_SIDES = 0.5, 0.1
"""How many accidental fits may be expected before a loose fit, or one on two sides, stops to be an explanation."""


class Fit(NamedTuple):
    """A candidate that fits, and how."""

    candidate: Candidate
    seen: list[Reported]
    predicted: Array
    difference: float
    fit: int
    cost: float
    accidents: float  # how many candidates as simple as this one would fit such values by accident
    tools: tuple[str, ...]
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
        blocks = lists.blocks(BLOCK)
        with np.errstate(all="ignore"):
            if len(blocks) == 1:
                sheet = self._sheets.setdefault((k, view), lists.sheet(k))
                return sheet.many(quantity, recipes)
            if quantity != "mean":
                return np.hstack([block.sheet(k).many(quantity, recipes) for block in blocks])
            parts = [_parts_of_mean(block.sheet(k), recipes) for block in blocks]
        table = np.concatenate(parts, axis=2)
        return np.array([[_mean(row, recipe)] for row, recipe in zip(table, recipes, strict=True)])


def _parts_of_mean(sheet: Sheet, recipes: Sequence[Recipe]) -> Array:
    """What the mean of each recipe is made from: which queries count, their values, and both sides of the quotient."""
    rows = []
    for recipe in recipes:
        bottom: Any = unscaled(sheet("bottom", recipe), sheet("scale", recipe))  # type: ignore[no-untyped-call]
        rows.append((*sheet("counted", recipe), sheet("plain_dcg", recipe), bottom))
    return np.array(rows)


def _mean(parts: Array, recipe: Recipe) -> float:
    counts, values, tops, bottoms = parts
    given = {"counted": (counts > 0, values), "plain_dcg": tops, "bottom": bottoms, "scale": None}
    return float(Sheet(**given)("mean", recipe))


class Reading(NamedTuple):
    """One way to take the values: what they are, what it costs to take them so, how far to search."""

    seen: list[Reported]
    cost: float
    pairs: bool
    only_if_nothing: bool = False  # only where no convention fits so far


class Search:
    """Tries candidates on the same values and keeps those that fit and are needed, best first."""

    def __init__(self, seen: list[Reported], rankings: Rankings):
        self.seen = seen
        self.rankings = rankings
        self.values = Values(rankings)
        self.tried = 0
        self.nearest: Fit | None = None
        self._fits: list[Fit] = []
        size = sum(rankings.sizes)
        cutoffs = [o.k for o in seen]
        k = None if None in cutoffs else max(k for k in cutoffs if k is not None)
        situation = Situation(rankings, k, ())
        for reading in _readings(seen, size < MANY):
            if reading.only_if_nothing and any(not fit.fit and not fit.candidate.slips for fit in self._fits):
                continue
            asked = situation.asked_for(*dict.fromkeys(o.quantity for o in reading.seen))
            self._try(candidates(asked, pairs=reading.pairs, few=size > VERY_MANY), reading, asked)
            if not self._well_fitting() and "ndcg" in asked.quantities:
                sides = self._side_by_side(asked, reading.seen)
                self._try([candidate for candidate, _ in sides], reading, asked, [many for _, many in sides])
        self.fitting = self._told()

    def _told(self) -> list[Fit]:
        fitting = self._well_fitting() or [fit for fit in self._fits if len(fit.candidate.slips) < 2]
        needed = _needed(fitting)
        told = {id(fit) for fit in needed}
        left = [fit for fit in fitting if fit.tools and id(fit) not in told]
        once: dict[Any, Fit] = {}
        for fit in sorted(needed, key=lambda fit: (fit.cost, fit.difference)):
            c = fit.candidate
            once.setdefault((c.recipe, c.view, c.slips), fit._replace(also=_also(fit, left)))
        return list(once.values())

    def _well_fitting(self) -> list[Fit]:
        return [fit for fit in self._fits if fit.fit < LAST_DIGIT_OFF]

    def _try(
        self, tried: list[Candidate], reading: Reading, situation: Situation, accidental: Sequence[float] = ()
    ) -> None:
        if not tried:
            return
        seen = reading.seen
        predicted = self._predictions(tried, seen)
        fit = fits(predicted, seen)
        off = np.abs(predicted - [o.value for o in seen]).max(axis=1)
        by_accident = _by_accident(tried, predicted, seen)
        for at in np.flatnonzero(fit < NO_FIT).tolist():
            candidate, how = tried[at], int(fit[at])
            tools = candidate.known_as(situation)
            reports = seen[0].quantity in ("ndcg", "mean")  # tools report no other quantity
            known = KNOWN[min(len(candidate.slips), 1)] if tools and reports else 0.0
            cost = candidate.cost + reading.cost + known + COST_OF_FIT[how]
            accidents = accidental[at] if accidental else by_accident(candidate.cost, how)
            if how == ROUNDED or accidents <= ACCIDENTS:
                made = Fit(candidate, seen, predicted[at], float(off[at]), how, cost, accidents, tools)
                self._fits.append(made)
        simple = np.array([np.nan if len(candidate.slips) > 1 else 0.0 for candidate in tried]) + off
        if np.isfinite(simple).any():
            at = int(np.nanargmin(simple))
            if self.nearest is None or off[at] < self.nearest.difference:
                self.nearest = Fit(tried[at], seen, predicted[at], float(off[at]), NO_FIT, reading.cost, 0.0, ())
        self.tried += len(tried)

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

    def _side_by_side(self, situation: Situation, seen: Sequence[Reported]) -> list[tuple[Candidate, float]]:
        """Candidates that fit, whose list and whose ideal follow definitions of their own, at most one slip each.

        With each comes how many as simple as it would fit by accident.
        """
        quotient = next(o for o in seen if o.quantity == "ndcg")
        lists, ideals = (self._side(part, situation, seen) for part in ("dcg", "idcg"))
        tops, bottoms = (
            self.values.of(side, part, quotient.k)[:, quotient.query or 0]
            for side, part in ((lists, "dcg"), (ideals, "idcg"))
        )
        with np.errstate(all="ignore"):
            table = (tops[:, None] / bottoms[None, :]).reshape(-1, 1)
            costs = np.add.outer([c.cost for c in lists], [c.cost for c in ideals]).ravel()
        distinct = len(np.unique(tops)) * len(np.unique(bottoms)) / max(1, len(costs))
        fit = fits(table, [quotient])
        found: list[tuple[Candidate, float]] = []
        for how in (ROUNDED, CUT_OFF):
            share = share_by_accident(table, [quotient], how) * distinct
            for at in np.flatnonzero(fit == how).tolist():
                accidents = share * float(np.count_nonzero(costs <= costs[at]))
                if accidents <= ACCIDENTS_ON_SIDES:
                    found.append((merged(lists[at // len(ideals)], ideals[at % len(ideals)]), accidents))
        once: dict[Any, tuple[Candidate, float]] = {}
        for candidate, accidents in sorted(found, key=lambda found: found[0].cost):
            if candidate.slips or unlike(candidate.recipe):
                apart = [level for name, level in zip(AT, candidate.recipe, strict=True) if name not in OF_TIES]
                once.setdefault((*apart, candidate.slips), (candidate, accidents))
        return list(once.values())[:200]

    def _side(self, part: str, situation: Situation, seen: Sequence[Reported]) -> list[Candidate]:
        """What can stand on one side of the quotient: what fits the values of that side, where they were given."""
        side = [c for c in candidates(situation.asked_for(part), pairs=False) if c.cost <= DEAREST_SIDE and not c.view]
        for o in seen:
            if o.quantity == part:
                values = self.values.of(side, part, o.k)[:, o.query or 0]
                side = [side[at] for at in np.flatnonzero(fits(values[:, None], [o]) < LAST_DIGIT_OFF).tolist()]
        return side


OF_TIES = ("ties", "score_precision")


def find(
    value: Any,
    grades: Any,
    k: Any,
    judged: Any,
    scores: Any,
    digits: int | None,
    ids: Any,
    qrels: Any,
    run: Any,
    quantity: str | None,
) -> Search:
    """Read what was given and search; with the decimals that a value shows where nothing fits it as exact."""
    lists = rankings(grades, judged, scores, ids, qrels, run)
    cutoffs = [as_cutoff(one) for one in k] if isinstance(k, (list, tuple)) else [as_cutoff(k)]
    if not cutoffs:
        raise ValueError("k is an empty list: give a cut-off, or leave it out")
    seen = reported(value, digits, quantity, cutoffs, lists)
    found = Search(seen, lists)
    if not found.fitting and digits is None and loosened(seen) != seen:
        found = Search(loosened(seen), lists)
    return found


def _readings(seen: list[Reported], pairs: bool) -> Iterator[Reading]:
    """The quantities that the values can be."""
    above_1 = max(o.value for o in seen) > 1 + 1e-9
    named = all(o.quantity for o in seen)
    if any(o.query is None for o in seen):
        yield Reading([_as_mean(o, "mean") for o in seen], 0.0, pairs)
        if not any(o.quantity for o in seen) and above_1:
            for quantity in ("dcg", "idcg", "cg"):
                yield Reading([_as_mean(o, quantity) for o in seen], COST_ABOVE_1[quantity], pairs)
    elif named:
        yield Reading(seen, 0.0, pairs)
    else:
        for quantity, cost in (COST_ABOVE_1 if above_1 else COST_UP_TO_1).items():
            taken = [o._replace(quantity=quantity) for o in seen]
            deep = pairs and (quantity == "ndcg" or (above_1 and quantity == "dcg"))
            yield Reading(taken, cost, deep, only_if_nothing=not above_1 and quantity != "ndcg")


def _as_mean(o: Reported, otherwise: str) -> Reported:
    """A mean NDCG is a quantity of its own; the mean of another one is not."""
    return o._replace(quantity={"": otherwise, "ndcg": "mean"}.get(o.quantity, o.quantity))


def _by_accident(
    tried: Sequence[Candidate], predicted: Array, seen: Sequence[Reported]
) -> Callable[[float, int], float]:
    """How many candidates up to some cost would fit such values by accident."""
    with np.errstate(over="ignore"):
        _, first = np.unique(predicted.round(9), axis=0, return_index=True)
    costs = np.sort([tried[at].cost for at in first.tolist()])
    shares = [share_by_accident(predicted, seen, how) for how in range(len(FITS))]
    return lambda cost, how: shares[how] * float(np.searchsorted(costs, cost, side="right"))


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
