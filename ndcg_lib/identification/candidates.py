"""What `which` tries: every convention of the table of choices, every slip under the usual ones, and pairs of slips.

A candidate costs the more, the less common and the more contrived it is. Costs order the answers; whether a candidate
fits is for `search` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ndcg_lib import choices
from ndcg_lib.engine import AT, SAFE, Recipe, factors, reach, recipe_of
from ndcg_lib.identification.rankings import Rankings
from ndcg_lib.identification.reported import Reported
from ndcg_lib.presets import PRESETS, TOOLS
from ndcg_lib.slips import SLIPS, Slip

SLIP_COST = {1: 4.0, 2: 5.0, 3: 6.0}
ALSO_A_CHOICE = -1.0
"""For a slip that gives what a convention gives: it is met as either."""

PAIR = 1.0
TWO_DEFINITIONS = 3.0
DEAREST_CONVENTION = 5.0
DEAREST_PAIR = 9.0
DEAREST_SIDE = 7.0
CONVENTIONS_UNDER_A_SLIP = 60
CONVENTIONS_UNDER_A_PAIR = 10
"""How contrived a candidate may be. Slips are tried under the most usual conventions only."""

USUAL_CUTS = {10: 1.0, 5: 1.5, 20: 2.0, 32: 2.0, 100: 2.0, 1000: 2.0}
ANOTHER_CUT = 2.5
NOT_ASKED = 2.5
"""What a cut-off costs more where another one was asked for."""

NOT_TRIED = {"result-rounded", "result-rounded-3", "result-rounded-4", "result-whole", "k-default-10"}
"""What the digits of the value and the choice of the cut-off cover."""

ANY = "any"
"""The name of a level that the data cannot tell from the others of its choice."""

Key: TypeAlias = tuple[tuple[Any, ...], tuple[str, ...]]


class Level(NamedTuple):
    """One way to choose. The cost is 0 for the textbook's way and grows the less common the level is."""

    choice: str
    name: Any
    cost: float
    words: str
    changes: Mapping[str, Any]
    needs: str = "always"
    plain: Any = None  # the same without a parameter

    def reaches(self, quantities: Sequence[str]) -> bool:
        """Whether the choice matters for one of these quantities."""
        reached = VIEWS[self.choice] if self.choice in VIEWS else reach(self.changes)
        return bool(set(reached) & set(quantities))


VIEWS = {"unreturned": ("cg", "dcg", "ndcg", "mean"), "rows": ("mean",)}
"""Choices of tools that put the lists together otherwise (see `rankings`), with the quantities that they reach."""
OTHER_LISTS = (
    Level("unreturned", "absent", 0, "", {}, "missed"),
    Level("unreturned", "last", 4.2, "judged documents that were not returned put behind the list", {}, "missed"),
    Level("rows", "each", 0, "", {}, "several scored"),
    Level("rows", "joined", 3, "all queries ranked as one list", {}, "several scored"),
)


@lru_cache(1)
def table() -> tuple[Level, ...]:
    """The levels of all choices, the textbook's first; a new option of the table is known here the same day."""
    levels = []
    for choice, bound, cost, words, changes, needs in choices.levels():
        assert isinstance(bound, choices.Bound)
        plain = bound is choices.bind(choice, bound.key)
        levels.append(Level(choice, bound.key if plain else repr(bound), cost, words, changes, needs, bound.key))
    return (*levels, *OTHER_LISTS)


@lru_cache(1)
def textbook() -> dict[str, Any]:
    """The name of each choice's first level."""
    return {level.choice: level.name for level in reversed(table())}


class Situation:
    """What was given and asked, as far as it decides which choices can matter."""

    def __init__(self, lists: Rankings, k: int | None, quantities: tuple[str, ...]):
        self.lists, self.k, self.quantities = lists, k, quantities
        self.given = lists.columns

    def asked_for(self, *quantities: str) -> Situation:
        """The same, asked for other quantities."""
        other = Situation.__new__(Situation)
        vars(other).update(vars(self), quantities=quantities)
        return other

    @cached_property
    def longest(self) -> int:
        """The length of the longest list, returned or ideal."""
        return int(max(self.given["returned"].max(initial=0), self.given["judged_count"].max(initial=0)))

    @cached_property
    def grades(self) -> Any:
        """All grades, returned and judged."""
        return np.concatenate([self.given["grade"], self.given["judged_grade"]])

    @cached_property
    def small(self) -> bool:
        """Whether 2^grade is a number that can be added up."""
        return bool(self.grades.max(initial=0) <= SAFE)

    @cached_property
    def needs(self) -> dict[str, bool]:
        """What is true of the data: a level that needs something else makes no difference here."""
        g, ndcg = self.given, bool({"ndcg", "mean"} & set(self.quantities))
        graded = bool(((self.grades != 0) & (self.grades != 1)).any())
        judged, returned = g["judged_count"] > 0, g["returned"] > 0
        gained = np.bincount(g["judged_query"], g["judged_grade"] > 0, g["queries"]) > 0
        double, single = self._tied(np.float64), self._tied(np.float32)
        return {
            "always": True,
            "graded": graded,
            "exponents": graded and self.small,
            "missed": self._missed(),
            "tied": double or single,
            "tied ids": (double or single) and g["name"] is not None,
            "tied in single": single and not double,
            "empty": bool((judged & ~gained).any()),
            "missing": bool((judged & ~returned).any()),
            "strangers": not self.lists.single and not judged.all(),
            "several scored": len(self.lists.names) > 1 and g["score"] is not None,
            "unjudged": g["unknown"] is not None,
            "negative": bool((self.grades < 0).any()),
            "fractions": bool((self.grades % 1 != 0).any()),
            "ndcg": ndcg,
            "k": self.k is not None and self.k < self.longest,
        }

    def _missed(self) -> bool:
        """Whether the judged are others than the returned."""
        g = self.given
        known = self.lists.known()
        sides = ((g["query"][known], g["grade"][known]), (g["judged_query"], g["judged_grade"]))
        listed, judged = (sorted(zip(q[v != 0].tolist(), v[v != 0].tolist(), strict=True)) for q, v in sides)
        return bool(listed != judged)

    def _tied(self, kind: type) -> bool:
        """Whether documents with the same score have different grades."""
        g, seen = self.given, dict[Any, float]()
        if g["score"] is None:
            return False
        rows = zip(g["query"].tolist(), g["score"].astype(kind).tolist(), g["grade"].tolist(), strict=True)
        return any(seen.setdefault((query, score), grade) != grade for query, score, grade in rows)


class Candidate(NamedTuple):
    """A recipe with the levels and slips that made it."""

    recipe: Recipe
    levels: tuple[Level, ...]
    slips: tuple[Slip, ...]
    cost: float
    view: str = ""  # how the lists are put together, if not as given
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

    def sentence(self, seen: Sequence[Reported]) -> str:
        """What this candidate says of the values that were seen."""
        if self.sides:
            return f"In the list: {self.sides[0].sentence(seen)} In the ideal: {self.sides[1].sentence(seen)}"
        if not self.slips:
            return f"{seen[0].measure} with {self.words()}."
        told = " ".join(slip.sentence.replace("Your ", "The ", 1) for slip in self.slips)
        return f"{told} For the rest: {self.unusual()}." if self.unusual() else told

    def allows(self, slip: Slip) -> bool:
        """Whether the slip can be made here and leaves something of every unusual choice."""
        for level in self.levels:
            if level.cost and level.changes and level.changes.keys() <= slip.changes.keys():
                return False
        asked = slip.example.get("base", 2)
        return bool(asked == 2 or (*getattr(self.recipe[AT["discount"]], "values", ()), 2)[0] >= asked)

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
                instead = level.plain if level.plain not in (None, level.name) else textbook()[level.choice]
                yield (*chosen[:at], instead, *chosen[at + 1 :]), slips

    def known_as(self, situation: Situation) -> tuple[str, ...]:
        """The tools that compute this, as far as the data can tell."""
        if self.sides:
            return ()
        slips = " + ".join(slip.name for slip in self.slips)
        named = [level for level in self.levels if level.name != ANY]
        return tuple(
            tool
            for tool, (choices, built_in) in tools().items()
            if built_in == slips and all(_level_of(choices, level.choice, situation) == level.name for level in named)
        )


def tools() -> dict[str, tuple[Mapping[str, Any], str]]:
    """Who computes what: the choices of each tool that differ from the textbook's, and the slip that it has built in.

    >>> list(tools())[:3]
    ['textbook', 'jarvelin-kekalainen', 'burges']
    """
    return {name: (choices, "") for name, (choices, _) in PRESETS.items()} | TOOLS


def _level_of(choices: Mapping[str, Any], choice: str, situation: Situation) -> Any:
    """What a tool chooses. A k that is given wins over its own, and one beyond the lists cuts nothing."""
    if choice != "cut":
        return choices.get(choice, textbook()[choice])
    k = choices.get("k")
    return "k" if k is None or situation.k is not None or k >= situation.longest else k


def levels(situation: Situation) -> dict[str, list[Level]]:
    """The choices that matter in a situation, each with its levels.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> situation = Situation(rankings([3, 0]), None, ("ndcg",))
    >>> [level.name for level in levels(situation)["gain"]][:3]
    ['linear', 'exponential', 'binary']
    """
    holds, by_choice = situation.needs, dict[str, list[Level]]()
    for level in table():
        if holds[level.needs]:
            by_choice.setdefault(level.choice, []).append(level)
    if not holds["graded"]:
        present = " and ".join(f"{grade:g}" for grade in np.unique(situation.grades))
        words = f"any gain (the grades are {present})"
        by_choice["gain"] = [by_choice["gain"][0]._replace(name=ANY, words=words)]
    by_choice["cut"] = [
        level._replace(words=level.words and f"{level.words} = {situation.k}") for level in by_choice["cut"]
    ] + list(_cuts(situation))
    return by_choice


def _cuts(s: Situation) -> Iterator[Level]:
    """The cut-offs that would change something: the defaults of tools, and small ones."""
    for k in sorted({*range(1, min(s.longest, 21)), *(k for k in USUAL_CUTS if k < s.longest)} - {s.k}):
        cost = USUAL_CUTS.get(k, ANOTHER_CUT) + (0 if s.k is None else NOT_ASKED)
        yield Level("cut", k, cost, f"cut at {k}", {"cut": k, "ideal_cut": k})


def conventions(situation: Situation) -> Iterator[Candidate]:
    """Every combination of the choices that matter here, as long as it is not too contrived.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> next(conventions(Situation(rankings([3, 0]), 1, ("idcg",)))).name()
    'linear gain, discount 1/log2(i+1)'
    """
    chosen = []
    for choice, options in levels(situation).items():
        reached = [level for level in options if level.reaches(situation.quantities)]
        if len(reached) > 1 or (reached and choice in ("gain", "discount")):
            chosen.append(reached)
    for combination in product(*chosen):
        cost = sum(level.cost for level in combination)
        if cost <= DEAREST_CONVENTION:
            changes = {name: value for level in combination for name, value in level.changes.items()}
            view = next((level.name for level in combination if level in OTHER_LISTS and level.cost), "")
            yield Candidate(recipe_of(**changes), combination, (), cost, view)


def candidates(situation: Situation, *, pairs: bool = True, few: bool = False) -> list[Candidate]:
    """All candidates, conventions first, each recipe once. `few` tries slips under the most usual conventions only.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> candidates(Situation(rankings([3, 2, 3, 0, 1, 2]), None, ("ndcg",)))[0].name()
    'linear gain, discount 1/log2(i+1)'
    """
    found = list(conventions(situation))
    seen = {(candidate.recipe, candidate.view) for candidate in found}
    slips = [slip for slip in SLIPS.values() if _tried(slip, situation)]
    cost = {slip: SLIP_COST[slip.rarity] + (ALSO_A_CHOICE if slip.same_as else 0.0) for slip in slips}
    singles = [((slip,), slip.changes, cost[slip]) for slip in slips]
    doubles = [
        ((a, b), {**a.changes, **b.changes}, cost[a] + cost[b] + PAIR)
        for a, b in combinations(slips if pairs else (), 2)
        if cost[a] + cost[b] <= DEAREST_PAIR and not a.changes.keys() & b.changes.keys()
    ]
    usual = sorted(found, key=lambda c: c.cost)[: CONVENTIONS_UNDER_A_PAIR if few else CONVENTIONS_UNDER_A_SLIP]
    for departures, under in ((singles, usual), (doubles, usual[:CONVENTIONS_UNDER_A_PAIR])):
        for convention in under:
            possible = {slip for slip in slips if convention.allows(slip)}
            for made, changes, dearer in departures:
                if possible.issuperset(made):
                    recipe = recipe_of(convention.recipe, **changes)
                    if (recipe, convention.view) not in seen or (len(made) == 1 and made[0].same_as):
                        seen.add((recipe, convention.view))
                        found.append(convention._replace(recipe=recipe, slips=made, cost=convention.cost + dearer))
    return found


def _tried(slip: Slip, s: Situation) -> bool:
    if slip.choice or slip.name in NOT_TRIED or not set(s.quantities) & set(slip.quantities):
        return False
    if s.given["score"] is None and ("values" in slip.changes or "roles" in slip.changes):
        return False
    if "exponential" in slip.changes.values() and not s.small:
        return False
    return slip.quantity != "mean" or "mean" in s.quantities


def merged(top: Candidate, bottom: Candidate) -> Candidate:
    """The list of one candidate over the ideal of another."""
    levels = list(bottom.recipe)
    for name in (name for name in factors("dcg") if f"ideal_{name}" in AT or name not in factors("idcg")):
        levels[AT[name]] = top.recipe[AT[name]]
    cost = top.cost + bottom.cost + (TWO_DEFINITIONS if unlike(tuple(levels)) else PAIR)
    return Candidate(tuple(levels), (), (*top.slips, *bottom.slips), cost, sides=(top, bottom))


def unlike(recipe: Recipe) -> bool:
    """Whether gain or discount are others in the list than in the ideal."""
    return any(recipe[AT[name]] != recipe[AT[f"ideal_{name}"]] for name in ("gain", "discount"))
