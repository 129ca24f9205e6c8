"""What `which` tries: every convention of the table of choices, every slip under the usual ones, and pairs of slips.

A candidate costs the more, the less common and the more contrived it is. Costs order the answers; whether a candidate
fits is for `search` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ndcg_lib.checks import in_single
from ndcg_lib.choices import bind, text_of
from ndcg_lib.definition import TABLE
from ndcg_lib.engine import AT, SAFE, Recipe, factors, reach, recipe_of
from ndcg_lib.identification.rankings import Rankings
from ndcg_lib.identification.reported import Reported
from ndcg_lib.presets import PRESETS, TOOLS
from ndcg_lib.slips import SLIPS, Slip

SLIP_COST = {1: 4.0, 2: 4.5, 3: 6.0}
ALSO_A_CHOICE = -1.0
"""For a slip that gives what a convention gives: it is met as either."""

PAIR = 1.0
DEAREST_CONVENTION = 5.0
DEAREST_PAIR = 9.0
DEAREST_SIDE = 7.0
CONVENTIONS_UNDER_A_SLIP = 60
CONVENTIONS_UNDER_A_PAIR = 6
"""How contrived a candidate may be. Slips are tried under the most usual conventions only."""

USUAL_CUTS = {10: 1.0, 5: 1.5, 20: 2.0, 32: 2.0, 100: 2.0, 1000: 2.0}
AT_THE_LIST, ANOTHER_CUT = 2.5, 4.6
NOT_ASKED = 2.5
"""What a cut-off costs more where another one was asked for."""

NOT_TRIED = {"result-whole", "k-default-10"}
"""What gives 0 for nearly everything, and what the choice of the cut-off covers."""

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
    for choice in TABLE.values():
        for o in choice.options:
            if o.cost is None or o.wrong:
                continue
            plain = bind(choice.name, o.key)
            tried = {plain: o.cost}
            if o.cost:
                tried |= {bind(choice.name, o.key, {p.name: v}): c for p in o.parameters for v, c in p.tried.items()}
            for level, cost in tried.items():
                name = o.key if level is plain else repr(level)
                changes = {choice.name: level} | ({f"ideal_{choice.name}": level} if choice.twice else {})
                words = text_of(choice.name, level, "words")
                levels.append(Level(choice.name, name, cost, words, changes, o.needs, o.key))
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
    def without_gain(self) -> bool:
        """Whether a query has no gain among its judged documents, or among the first k that it returned."""
        g = self.given
        rank = np.arange(len(g["query"])) - np.searchsorted(g["query"], g["query"])
        counts = rank < (len(rank) if self.k is None else self.k)
        return bool(self.needs["empty"] or (np.bincount(g["query"][counts], g["grade"][counts] > 0) == 0).any())

    @cached_property
    def every_order_is_ideal(self) -> bool:
        """Whether all documents of a query have one grade, and none of them was missed."""
        pairs = zip(self.given["judged_query"].tolist(), self.given["judged_grade"].tolist(), strict=True)
        return self.this_order_is_ideal and len(set(pairs)) == len(np.unique(self.given["judged_query"]))

    @cached_property
    def this_order_is_ideal(self) -> bool:
        """Whether no document stands above a better one, however ties are broken, and none was missed."""
        g = self.given
        if self.needs["missed"] or self.needs["empty"] or g["again"] is not None:
            return False
        score = -np.arange(len(g["query"]), dtype=float) if g["score"] is None else in_single(g["score"])
        order = np.lexsort((g["grade"], -score, g["query"]))  # the worst order of a tie
        grade, query = g["grade"][order], g["query"][order]
        return not ((np.diff(grade) > 0) & (np.diff(query) == 0)).any()

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
        g = self.given
        graded = bool(((self.grades != 0) & (self.grades != 1)).any())
        judged, returned = g["judged_count"] > 0, g["returned"] > 0
        gained = np.bincount(g["judged_query"], g["judged_grade"] > 0, g["queries"]) > 0
        double, single = self._tied(np.asarray), self._tied(in_single)
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
            "k": self.k is not None and self.k < self.longest,
        }

    def _missed(self) -> bool:
        """Whether the judged are others than the returned."""
        g = self.given
        known = self.lists.known()
        sides = ((g["query"][known], g["grade"][known]), (g["judged_query"], g["judged_grade"]))
        listed, judged = (sorted(zip(q[v != 0].tolist(), v[v != 0].tolist(), strict=True)) for q, v in sides)
        return bool(listed != judged)

    def _tied(self, kept: Callable[[Any], Any]) -> bool:
        """Whether documents with the same score have different grades."""
        g, seen = self.given, dict[Any, float]()
        if g["score"] is None:
            return False
        rows = zip(g["query"].tolist(), kept(g["score"]).tolist(), g["grade"].tolist(), strict=True)
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


def tools(situation: Situation, choices: Sequence[str]) -> dict[Key, tuple[str, ...]]:
    """Who computes what, as far as the data can tell: the tools by the key of a candidate that names these choices."""
    found = dict[Key, tuple[str, ...]]()
    for tool, (chosen, built_in) in ({name: (own, "") for name, (own, _) in PRESETS.items()} | TOOLS).items():
        key = tuple(_level_of(chosen, choice, situation) for choice in choices), (built_in,) if built_in else ()
        found[key] = (*found.get(key, ()), tool)
    return found


def _level_of(chosen: Mapping[str, Any], choice: str, situation: Situation) -> Any:
    """What a tool chooses. A k that is given wins over its own, and one beyond the lists cuts nothing."""
    if choice == "gain" and not situation.needs["graded"]:
        return ANY
    if choice != "cut":
        return chosen.get(choice, textbook()[choice])
    k = chosen.get("k")
    return "k" if k is None or situation.k is not None or k >= situation.longest else k


def levels(situation: Situation) -> dict[str, list[Level]]:
    """The choices that matter in a situation, each with its levels.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> situation = Situation(rankings([3, 0]), None, ("ndcg",))
    >>> [level.name for level in levels(situation)["gain"]][:3]
    ['linear', 'exponential', 'binary']
    """
    holds = situation.needs | {"ndcg": bool({"ndcg", "mean"} & set(situation.quantities))}
    by_choice = dict[str, list[Level]]()
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
        at_the_list = s.k is None and (s.given["returned"] == k).all()
        cost = USUAL_CUTS.get(k, AT_THE_LIST if at_the_list else ANOTHER_CUT) + (0 if s.k is None else NOT_ASKED)
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


def candidates(situation: Situation, *, few: bool = False) -> list[Candidate]:
    """Conventions, and single slips under the usual ones; `few` tries slips under the most usual ones only.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> candidates(Situation(rankings([3, 2, 3, 0, 1, 2]), None, ("ndcg",)))[0].name()
    'linear gain, discount 1/log2(i+1)'
    """
    found = list(conventions(situation))
    singles = [((slip,), slip.changes, _cost(slip)) for slip in _slips(situation)]
    return found + _departing(found, singles, CONVENTIONS_UNDER_A_PAIR if few else CONVENTIONS_UNDER_A_SLIP)


def pairs(situation: Situation, found: list[Candidate]) -> list[Candidate]:
    """Two slips at once, under the most usual conventions, where none of the candidates found so far is the same."""
    doubles = [
        ((a, b), {**a.changes, **b.changes}, _cost(a) + _cost(b) + PAIR)
        for a, b in combinations(_slips(situation), 2)
        if _cost(a) + _cost(b) <= DEAREST_PAIR and not a.changes.keys() & b.changes.keys()
    ]
    return _departing(found, doubles, CONVENTIONS_UNDER_A_PAIR)


def _departing(found: list[Candidate], departures: list[Any], under: int) -> list[Candidate]:
    seen = {(candidate.recipe, candidate.view) for candidate in found}
    slips = {slip for departure in departures for slip in departure[0]}
    made = []
    for convention in sorted((c for c in found if not c.slips), key=lambda c: c.cost)[:under]:
        possible = {slip for slip in slips if convention.allows(slip)}
        for together, changes, dearer in departures:
            if possible.issuperset(together):
                recipe = recipe_of(convention.recipe, **changes)
                if (recipe, convention.view) not in seen or (len(together) == 1 and together[0].same_as):
                    seen.add((recipe, convention.view))
                    made.append(convention._replace(recipe=recipe, slips=together, cost=convention.cost + dearer))
    return made


def _cost(slip: Slip) -> float:
    return SLIP_COST[slip.rarity] + (ALSO_A_CHOICE if slip.same_as else 0.0)


def _slips(situation: Situation) -> list[Slip]:
    return [slip for slip in SLIPS.values() if _tried(slip, situation)]


def _tried(slip: Slip, s: Situation) -> bool:
    if slip.choice or slip.name in NOT_TRIED or not set(s.quantities) & set(slip.quantities):
        return False
    if s.given["score"] is None and ("values" in slip.changes or "roles" in slip.changes):
        return False
    if "exponential" in slip.changes.values() and not s.small:
        return False
    if "result" in slip.changes and not {"ndcg", "mean"} & set(s.quantities):
        return False
    if slip.changes.get("empty") is not None and not s.without_gain:
        return False
    return slip.quantity != "mean" or "mean" in s.quantities


def merged(top: Candidate, bottom: Candidate) -> Candidate:
    """The list of one candidate over the ideal of another."""
    levels = list(bottom.recipe)
    for name in (name for name in factors("dcg") if f"ideal_{name}" in AT or name not in factors("idcg")):
        levels[AT[name]] = top.recipe[AT[name]]
    return Candidate(tuple(levels), (), (*top.slips, *bottom.slips), top.cost + bottom.cost, sides=(top, bottom))


def unlike(recipe: Recipe) -> bool:
    """Whether gain or discount are others in the list than in the ideal."""
    return any(recipe[AT[name]] != recipe[AT[f"ideal_{name}"]] for name in ("gain", "discount"))
