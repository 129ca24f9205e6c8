"""The search behind `which`: read the values, try all candidates, keep what fits and is needed, order by likelihood."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import as_cutoff
from ndcg_lib.detective.answers import Answers, Fit, Found
from ndcg_lib.detective.candidates import ACCIDENTS, Candidate, candidates, side_by_side
from ndcg_lib.detective.levels import Situation
from ndcg_lib.detective.observations import (
    FITS,
    LAST_DIGIT_OFF,
    NO_FIT,
    ROUNDED,
    Observation,
    fits,
    loosened,
    observations,
    share_by_accident,
)
from ndcg_lib.recipes.kitchen import Kitchen
from ndcg_lib.recipes.queries import Queries
from ndcg_lib.types import Array

COST_OF_FIT = (0.0, 1.0, 2.5, 6.0)
COST_UP_TO_1 = {"ndcg": 0.0, "dcg": 4.0, "idcg": 5.0, "cg": 5.5}
COST_ABOVE_1 = {"dcg": 0.0, "ndcg": 0.5, "idcg": 1.0, "cg": 1.5}
"""For reading a value as this quantity, where none is named."""
KNOWN = (-0.4, -2.5)
"""For a definition that a known library has, as a convention or with a slip built in."""
MANY, VERY_MANY = 3_000, 100_000
"""Documents in all, from which on pairs of slips are left out; and slips under unusual conventions."""


def which(
    value: Any,
    grades: Any = None,
    k: Any = None,
    judged: Any = None,
    scores: Any = None,
    digits: int | None = None,
    *,
    ids: Any = None,
    qrels: Any = None,
    run: Any = None,
    y_true: Any = None,
    y_score: Any = None,
    quantity: str | None = None,
    limit: int = 10,
) -> Answers:
    """The conventions and slips that give this value for these grades, the likeliest first.

    `value` is a number (or text, which keeps its zeros: "0.50"), a list with a number per query or per k, or a mapping
    from query to number, or such as {"dcg": 9.35, "idcg": 2.06}. `grades` are in ranked order, or in any order beside
    `scores`, which is what `y_true` and `y_score` mean. Several rows are several queries, and a single value is then
    their mean, of the NDCG or of the `quantity` that is named. In place of grades, `qrels` and `run` take {query:
    {document: grade}} and {query: {document: score}}, or one query of them; the results may also be a list of
    documents, best first. `digits` are the decimals that count; without it, as many as the value shows. `quantity` says
    what the value is: "ndcg", "dcg", "idcg", "cg" or "mean".

    >>> answers = which(0.785, [3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2])
    >>> answers[0].name
    'linear gain, discount 1/log2(i+1), ideal over all judged documents'
    >>> which(0.7992, [1, 2, 3, 3], k=4, judged=[1, 2, 3, 3, 3, 3])[0].libraries[0]
    'sklearn'
    >>> print(str(which(0.123, [3, 2, 3, 0, 1, 2]))[:20])
    0.123: nothing fits,
    """
    if y_true is not None or y_score is not None:
        if grades is not None or scores is not None or y_true is None:
            raise ValueError("y_true and y_score stand in place of grades and scores: give both, and not those")
        grades, scores = y_true, y_score
    queries = _queries(grades, judged, scores, ids, qrels, run)
    cutoffs = [as_cutoff(one) for one in k] if isinstance(k, (list, tuple)) else [as_cutoff(k)]
    if not cutoffs:
        raise ValueError("k is an empty list: give a cut-off, or leave it out")
    seen = observations(value, digits, quantity, cutoffs, queries)
    found = _Search(seen, queries).found()
    if not found.fitting and digits is None and loosened(seen) != seen:
        found = _Search(loosened(seen), queries).found()
    return Answers(found, value, limit)


def _queries(grades: Any, judged: Any, scores: Any, ids: Any, qrels: Any, run: Any) -> Queries:
    if (qrels is None) != (run is None):
        raise ValueError("qrels and run belong together: give both, or grades")
    if (grades is None) == (qrels is None):
        raise ValueError("give either grades, or y_true and y_score, or qrels and run")
    queries = Queries.of(grades, judged, scores, ids) if qrels is None else Queries.of_run(qrels, run)
    if not queries.there.any() and not queries.judged_there.any():
        raise ValueError("there are no grades: give the grades of the returned documents in ranked order")
    return queries


class _Reading(NamedTuple):
    """One way to take the values: what they are, what it costs to take them so, how far to search."""

    seen: list[Observation]
    cost: float
    pairs: bool
    only_if_nothing: bool = False  # only where no convention fits so far


class _Search:
    """Tries candidates on the same observations and keeps those that fit."""

    def __init__(self, seen: list[Observation], queries: Queries):
        self.seen = seen
        self.queries = queries
        self.kitchens = {o.k: Kitchen(queries, o.k) for o in seen}
        self.fitting: list[Fit] = []
        self.nearest: list[Fit] = []
        self.tried = 0

    def found(self) -> Found:
        for reading in _readings(self.seen, self.queries):
            if reading.only_if_nothing and any(not fit.fit and not fit.candidate.slips for fit in self.fitting):
                continue
            situation = _situation(reading.seen, self.queries)
            few = self.queries.there.size > VERY_MANY
            self._try(candidates(situation, pairs=reading.pairs, few=few), reading, situation)
            if not self._well_fitting() and "ndcg" in situation.quantities:
                sides = side_by_side(situation, reading.seen, self.kitchens)
                self._try([candidate for candidate, _ in sides], reading, situation, [many for _, many in sides])
        fitting = self._well_fitting() or [fit for fit in self.fitting if len(fit.candidate.slips) < 2]
        needed = _needed(fitting)
        told = {id(fit) for fit in needed}
        left = [fit for fit in fitting if fit.libraries and id(fit) not in told]
        once: dict[Any, Fit] = {}
        for fit in sorted(needed, key=lambda fit: (fit.cost, fit.difference)):
            once.setdefault((fit.candidate.recipe, fit.candidate.slips), fit._replace(also=_also(fit, left)))
        nearest = min(self.nearest, key=lambda fit: fit.difference, default=None)
        return Found(list(once.values()), self.queries, self.seen, self.tried, nearest)

    def _well_fitting(self) -> list[Fit]:
        return [fit for fit in self.fitting if fit.fit < LAST_DIGIT_OFF]

    def _try(
        self, tried: list[Candidate], reading: _Reading, situation: Situation, accidental: Sequence[float] = ()
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
            libraries = candidate.known_as(situation)
            reported = seen[0].quantity in ("ndcg", "mean")  # libraries report no other quantity
            known = KNOWN[min(len(candidate.slips), 1)] if libraries and reported else 0.0
            cost = candidate.cost + reading.cost + known + COST_OF_FIT[how]
            accidents = accidental[at] if accidental else by_accident(candidate.cost, how)
            if how == ROUNDED or accidents <= ACCIDENTS:
                self.fitting.append(
                    Fit(candidate, seen, predicted[at], float(off[at]), how, cost, accidents, libraries)
                )
        simple = np.array([np.nan if len(candidate.slips) > 1 else 0.0 for candidate in tried]) + off
        if np.isfinite(simple).any():
            at = int(np.nanargmin(simple))
            self.nearest.append(Fit(tried[at], seen, predicted[at], float(off[at]), NO_FIT, reading.cost, 0.0, ()))
        self.tried += len(tried)

    def _predictions(self, tried: Sequence[Candidate], seen: Sequence[Observation]) -> Array:
        """What each candidate gives for each observation."""
        recipes = [candidate.recipe for candidate in tried]
        table = np.empty((len(tried), len(seen)))
        known: dict[Any, Array] = {}
        for column, o in enumerate(seen):
            if (o.k, o.quantity) not in known:
                known[o.k, o.quantity] = self.kitchens[o.k].values(recipes, o.quantity)
            values = known[o.k, o.quantity]
            if o.query is None and o.quantity != "mean":
                values = values[:, self.queries.judged_there.any(axis=1)].mean(axis=1, keepdims=True)
            table[:, column] = values[:, o.query or 0]
        return table


def _readings(seen: list[Observation], queries: Queries) -> Iterator[_Reading]:
    """The quantities that the values can be."""
    pairs = queries.there.size < MANY
    if any(o.query is None for o in seen):
        yield _Reading([_as_mean(o, "mean") for o in seen], 0.0, pairs)
        if not any(o.quantity for o in seen) and max(o.value for o in seen) > 1 + 1e-9:
            for quantity in ("dcg", "idcg", "cg"):
                yield _Reading([_as_mean(o, quantity) for o in seen], COST_ABOVE_1[quantity], pairs)
    elif all(o.quantity for o in seen):
        yield _Reading(seen, 0.0, pairs)
    elif max(o.value for o in seen) > 1 + 1e-9:
        for quantity, cost in COST_ABOVE_1.items():
            yield _Reading([o._replace(quantity=quantity) for o in seen], cost, pairs and quantity in ("dcg", "ndcg"))
    else:
        for quantity, cost in COST_UP_TO_1.items():
            reading = [o._replace(quantity=quantity) for o in seen]
            yield _Reading(reading, cost, pairs and quantity == "ndcg", only_if_nothing=quantity != "ndcg")


def _as_mean(o: Observation, otherwise: str) -> Observation:
    """A mean NDCG is a quantity of its own; the mean of another one is not."""
    return o._replace(quantity={"": otherwise, "ndcg": "mean"}.get(o.quantity, o.quantity))


def _situation(seen: list[Observation], queries: Queries) -> Situation:
    cutoffs = {o.k for o in seen}
    k = None if None in cutoffs else max(k for k in cutoffs if k is not None)
    return Situation(queries, k, tuple({o.quantity: None for o in seen}))


def _by_accident(
    tried: Sequence[Candidate], predicted: Array, seen: Sequence[Observation]
) -> Callable[[float, int], float]:
    """How many candidates up to some cost would fit such values by accident."""
    with np.errstate(over="ignore"):
        _, first = np.unique(predicted.round(9), axis=0, return_index=True)
    costs = np.sort([tried[at].cost for at in first.tolist()])
    shares = [share_by_accident(predicted, seen, how) for how in range(len(FITS))]
    return lambda cost, how: shares[how] * float(np.searchsorted(costs, cost, side="right"))


def _also(fit: Fit, left: list[Fit]) -> tuple[str, ...]:
    """The libraries that differ in a choice which is of no account here, so that what they give fits as well."""
    if fit.candidate.slips or fit.candidate.sides:
        return ()
    core = _core(fit)
    alike = [
        other
        for other in left
        if other.seen == fit.seen
        and (_core(other) == core or np.allclose(other.predicted, fit.predicted, 0, 1e-12, equal_nan=True))
    ]
    named = dict.fromkeys(library for other in alike for library in other.libraries)
    return tuple(library for library in named if library not in fit.libraries)


def _core(fit: Fit) -> list[str]:
    """What two libraries must share to be told in one sentence."""
    named = {level.choice: level.name for level in fit.candidate.levels}
    return [named.get(choice, "") for choice in ("gain", "discount", "cut", "scale", "unreturned", "rows")]


def _needed(fitting: list[Fit]) -> list[Fit]:
    """What explains something: a departure is not needed where the same without it fits as well."""
    best = {(f.seen[0].quantity, f.candidate.key()): f.fit for f in fitting if not f.candidate.sides}
    return [
        f
        for f in fitting
        if all(best.get((f.seen[0].quantity, less), NO_FIT) > f.fit for less in f.candidate.simpler())
    ]
