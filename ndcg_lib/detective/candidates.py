"""What `which` tries: every convention, every slip under the usual ones, and pairs of slips.

A candidate costs the more, the less common and the more contrived it is. Costs order the answers; whether a candidate
fits is for `detective` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ndcg_lib.detective.levels import ANY, DEFAULTS, Level, Situation, levels, within_reach_of_2
from ndcg_lib.detective.libraries import Library, libraries
from ndcg_lib.detective.observations import CUT_OFF, NO_FIT, ROUNDED, Observation, fits, share_by_accident
from ndcg_lib.recipes.kitchen import Kitchen
from ndcg_lib.recipes.recipe import Recipe
from ndcg_lib.recipes.slip import Slip, reach
from ndcg_lib.slips import SLIPS

SLIP_COST = {1: 4.0, 2: 5.0, 3: 6.0}
ALSO_A_CHOICE = -1.0
"""For a slip that gives what a convention gives: it is met as either."""

PAIR = 1.0
TWO_DEFINITIONS = 3.0
DEAREST_CONVENTION = 5.0
DEAREST_PAIR = 9.0
DEAREST_SIDE = 7.0
ACCIDENTS, ACCIDENTS_ON_SIDES = 0.5, 0.1
"""How many accidental fits may be expected before a loose fit, or one on two sides, stops to be an explanation."""
CONVENTIONS_UNDER_A_SLIP = 60
CONVENTIONS_UNDER_A_PAIR = 10
"""How contrived a candidate may be. Slips are tried under the most usual conventions only."""

NOT_TRIED = {"result-rounded", "result-rounded-3", "result-rounded-4", "result-whole", "k-default-10"}
"""What the digits of the value and the choice of the cut-off cover."""


Key: TypeAlias = tuple[tuple[Any, ...], tuple[str, ...]]


class Departure(NamedTuple):
    """One slip or two, and what they change together."""

    slips: tuple[Slip, ...]
    changes: Mapping[str, Any]
    cost: float


class Candidate(NamedTuple):
    """A recipe with the levels and slips that made it."""

    recipe: Recipe
    levels: tuple[Level, ...]
    slips: tuple[Slip, ...]
    cost: float
    sides: tuple[Candidate, ...] = ()  # where list and ideal follow definitions of their own

    def name(self) -> str:
        """The choices of a convention; the slips, and what else departs from the textbook."""
        if self.sides:
            return f"{self.sides[0].name()}; over an ideal with {self.sides[1].name()}"
        if not self.slips:
            return self.words()
        names = " + ".join(slip.name for slip in self.slips)
        return f"{names}, with {self.unusual()}" if self.unusual() else names

    def words(self) -> str:
        """The choices, in words."""
        return ", ".join(level.words for level in self.levels if level.words)

    def unusual(self) -> str:
        """The choices that depart from the textbook, in words."""
        return ", ".join(level.words for level in self.levels if level.words and level.cost)

    def sentence(self, seen: Sequence[Observation]) -> str:
        """What this candidate says of the values that were seen."""
        if self.sides:
            return f"In the list: {self.sides[0].sentence(seen)} In the ideal: {self.sides[1].sentence(seen)}"
        if not self.slips:
            return f"{seen[0].measure} with {self.words()}."
        told = " ".join(slip.sentence.replace("Your ", "The ", 1) for slip in self.slips)
        return f"{told} For the rest: {self.unusual()}." if self.unusual() else told

    def allows(self, slip: Slip) -> bool:
        """Whether the slip can be made here and leaves something of every unusual choice."""
        undone = any(level.cost and level.undone_by(slip.changes) for level in self.levels)
        return self.recipe.base >= slip.example.get("base", 2) and not undone

    def under(self, departure: Departure) -> Candidate:
        """The same with one slip or two."""
        recipe = self.recipe.but(departure.changes)
        return Candidate(recipe, self.levels, departure.slips, self.cost + departure.cost)

    def key(self) -> Key:
        """What makes the candidate: the names of its levels and slips."""
        return tuple(level.name for level in self.levels), tuple(slip.name for slip in self.slips)

    def simpler(self) -> Iterator[Key]:
        """The candidates with one departure less."""
        chosen, slips = self.key()
        for at in range(len(slips)):
            yield chosen, (*slips[:at], *slips[at + 1 :])
        for at, level in enumerate(self.levels):
            if level.cost:
                instead = level.instead_of or DEFAULTS[level.choice].name
                yield (*chosen[:at], instead, *chosen[at + 1 :]), slips

    def known_as(self, situation: Situation) -> tuple[str, ...]:
        """The libraries that compute this, as far as the data can tell."""
        if self.sides:
            return ()
        slips = {slip.name for slip in self.slips}
        return tuple(
            library.name
            for library in libraries()
            if library.slips == slips
            and all(
                _level_of(library, level.choice, situation) == level.name for level in self.levels if level.name != ANY
            )
        )


def _level_of(library: Library, choice: str, situation: Situation) -> Any:
    """What a library chooses. A k that is given wins over its own, and one beyond the lists cuts nothing."""
    level = library.levels.get(choice, DEFAULTS[choice].name)
    if choice == "cut" and (situation.k is not None or (level != "asked" and level >= situation.longest)):
        return "asked"
    return level


def candidates(situation: Situation, *, pairs: bool = True, few: bool = False) -> list[Candidate]:
    """All candidates, conventions first, each recipe once. `few` tries slips under the most usual conventions only.

    >>> from ndcg_lib.recipes.queries import Queries
    >>> candidates(Situation(Queries.of([3, 2, 3, 0, 1, 2]), None, ("ndcg",)))[0].name()
    'linear gain, discount 1/log2(i+1)'
    """
    found: list[Candidate] = []
    seen: set[Recipe] = set()

    def add(candidate: Candidate) -> None:
        known_otherwise = len(candidate.slips) == 1 and candidate.slips[0].same_as
        if candidate.recipe not in seen or known_otherwise:
            seen.add(candidate.recipe)
            found.append(candidate)

    for convention in conventions(situation):
        add(convention)
    slips = [slip for slip in SLIPS.values() if _tried(slip, situation)]
    singles = [Departure((slip,), slip.changes, _cost(slip)) for slip in slips]
    doubles = list(_pairs(singles)) if pairs else []
    usual = sorted(found, key=lambda c: c.cost)[: CONVENTIONS_UNDER_A_PAIR if few else CONVENTIONS_UNDER_A_SLIP]
    for departures, under in ((singles, usual), (doubles, usual[:CONVENTIONS_UNDER_A_PAIR])):  # singles first
        for convention in under:
            possible = {slip for slip in slips if convention.allows(slip)}
            for departure in departures:
                if possible.issuperset(departure.slips):
                    add(convention.under(departure))
    return found


def conventions(situation: Situation) -> Iterator[Candidate]:
    """Every combination of the choices that matter here, as long as it is not too contrived.

    >>> from ndcg_lib.recipes.queries import Queries
    >>> [c.name() for c in conventions(Situation(Queries.of([3, 0]), 1, ("idcg",)))][0]
    'linear gain, discount 1/log2(i+1)'
    """
    asked = set(situation.quantities)
    chosen = []
    for choice, options in levels(situation).items():
        reached = [level for level in options if asked & set(reach(level.changes))]
        if len(reached) > 1 or (reached and choice in ("gain", "discount")):
            chosen.append(reached)
    for combination in product(*chosen):
        cost = sum(level.cost for level in combination)
        if cost <= DEAREST_CONVENTION:
            changes = {name: value for level in combination for name, value in level.changes.items()}
            yield Candidate(Recipe().but(changes), combination, (), cost)


def side_by_side(
    situation: Situation, seen: Sequence[Observation], kitchens: Mapping[int | None, Kitchen]
) -> list[tuple[Candidate, float]]:
    """Candidates that fit, whose list and whose ideal follow definitions of their own, at most one slip each.

    With each comes how many as simple as it would fit by accident.
    """
    quotient = next((o for o in seen if o.quantity == "ndcg"), None)
    if quotient is None:
        return []
    lists, ideals = (_side(part, situation, seen, kitchens) for part in ("dcg", "idcg"))
    tops, bottoms = (
        kitchens[quotient.k].values([c.recipe for c in side], part)[:, quotient.query or 0]
        for side, part in ((lists, "dcg"), (ideals, "idcg"))
    )
    with np.errstate(all="ignore"):
        table = (tops[:, None] / bottoms[None, :]).reshape(-1, 1)
        costs = np.add.outer([c.cost for c in lists], [c.cost for c in ideals]).ravel()
    distinct = len(np.unique(tops)) * len(np.unique(bottoms)) / max(1, len(costs))
    fit = fits(table, [quotient])
    merged: list[tuple[Candidate, float]] = []
    for how in (ROUNDED, CUT_OFF):
        share = share_by_accident(table, [quotient], how) * distinct
        for at in np.flatnonzero(fit == how).tolist():
            accidents = share * float(np.count_nonzero(costs <= costs[at]))
            if accidents <= ACCIDENTS_ON_SIDES:
                merged.append((_merged(lists[at // len(ideals)], ideals[at % len(ideals)]), accidents))
    once: dict[Any, tuple[Candidate, float]] = {}
    for candidate, accidents in sorted(merged, key=lambda found: found[0].cost):
        if candidate.slips or _unlike(candidate.recipe):
            once.setdefault((candidate.recipe.but(_TIES_APART), candidate.slips), (candidate, accidents))
    return list(once.values())[:200]


def _side(
    part: str, situation: Situation, seen: Sequence[Observation], kitchens: Mapping[int | None, Kitchen]
) -> list[Candidate]:
    """What can stand on one side of the quotient: what fits the values of that side, where they were given."""
    side = [c for c in candidates(situation._replace(quantities=(part,)), pairs=False) if c.cost <= DEAREST_SIDE]
    own = [o for o in seen if o.quantity == part]
    for o in own:
        values = kitchens[o.k].values([c.recipe for c in side], part)[:, o.query or 0]
        good = np.flatnonzero(fits(values[:, None], [o]) < NO_FIT - 1)
        side = [side[at] for at in good.tolist()]
    return side


_OF_THE_LIST = ("ranking", "precision", "ties", "values", "gain", "discount", "base", "cut")


def _merged(top: Candidate, bottom: Candidate) -> Candidate:
    recipe = bottom.recipe.but({name: getattr(top.recipe, name) for name in _OF_THE_LIST})
    cost = top.cost + bottom.cost + (TWO_DEFINITIONS if _unlike(recipe) else PAIR)
    return Candidate(recipe, (), (*top.slips, *bottom.slips), cost, (top, bottom))


_TIES_APART = {"ties": "average", "precision": "double"}


def _unlike(recipe: Recipe) -> bool:
    """Whether gain or discount are others in the list than in the ideal."""
    return any(getattr(recipe, name) != getattr(recipe, f"ideal_{name}") for name in ("gain", "discount", "base"))


def _tried(slip: Slip, s: Situation) -> bool:
    if slip.choice or slip.name in NOT_TRIED or not set(s.quantities) & set(slip.quantities):
        return False
    if s.queries.scores is None and ("values" in slip.changes or "roles" in slip.changes):
        return False
    if "exponential" in slip.changes.values() and not within_reach_of_2(s.queries):
        return False
    return slip.quantity != "mean" or "mean" in s.quantities


def _cost(slip: Slip) -> float:
    return SLIP_COST[slip.rarity] + (ALSO_A_CHOICE if slip.same_as else 0.0)


def _pairs(singles: Sequence[Departure]) -> Iterator[Departure]:
    for first, second in combinations(singles, 2):
        if first.cost + second.cost <= DEAREST_PAIR and not first.changes.keys() & second.changes.keys():
            cost = first.cost + second.cost + PAIR
            yield Departure(first.slips + second.slips, {**first.changes, **second.changes}, cost)
