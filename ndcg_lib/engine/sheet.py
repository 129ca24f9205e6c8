"""What computes: quantities, each a small function of others, and the definition under which they are asked for.

A function's arguments name what it needs: other quantities, what a reader gave, or choices of the table. Each quantity
is computed once for all definitions that agree in the choices that it needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from ndcg_lib.choices import Bound, Level, bind
from ndcg_lib.definition import CHOICE_OF, CHOICES, PARAMETERS, TABLE
from ndcg_lib.types import Array

Recipe: TypeAlias = tuple[Level, ...]
"""One level for each of FACTORS."""

FACTORS = tuple(name for c in CHOICES for name in ((c.name, f"ideal_{c.name}") if c.twice else (c.name,)))
"""The choices by name; where a slip may choose otherwise for the ideal, `ideal_…` follows."""
AT = {name: place for place, name in enumerate(FACTORS)}
RIGHT: Recipe = tuple(
    bind(name, TABLE[name if name in TABLE else name.removeprefix("ideal_")].default, wrong=True) for name in FACTORS
)
"""The textbook's definition."""
QUANTITIES = ("cg", "dcg", "idcg", "ndcg", "mean")
"""What is reported: `mean` is the mean NDCG over the queries."""
NODES: dict[str, Node] = {}
SWITCHES: list[int] = []
"""The places of the choices that decide which quantities are needed at all."""


class Node:
    """A quantity: how it is computed, and from what. One `by_choice` is the quantity that its choices name."""

    branch: Callable[[Recipe], Any]
    """The levels that decide which quantities are needed."""

    def __init__(self, compute: Callable[..., Any], name: str = "", inputs: tuple[str, ...] = ()) -> None:
        self.name, self.compute = name or compute.__name__, compute
        self.inputs = inputs or tuple(inspect.signature(compute).parameters)
        self.by_choice = self.elementwise = False
        self._picks: dict[Any, Callable[[Recipe], Any]] = {}
        NODES[self.name] = self

    def levels(self, recipe: Recipe) -> Any:
        """The levels of a definition that the quantity depends on in the end."""
        branch = Node.branch(recipe)
        if branch not in self._picks:
            self._picks[branch] = picker(factors(self.name, recipe))
        return self._picks[branch](recipe)


def picker(names: Iterable[str]) -> Callable[[Recipe], Any]:
    """Picks the levels of some choices out of a definition.

    >>> picker(["discount", "gain"])(RIGHT)
    (linear, modern(2))
    """
    places = sorted(AT[name] for name in names)
    return itemgetter(*places) if places else lambda recipe: ()


def factors(name: str, recipe: Recipe = RIGHT) -> frozenset[str]:
    """The choices that a quantity depends on under a definition.

    >>> sorted(factors("cg") - factors("dcg")), "ties" in factors("idcg")
    ([], False)
    """
    return _factors(name, Node.branch(recipe))


@cache
def _factors(name: str, branch: tuple[Level, ...]) -> frozenset[str]:
    if name in AT:
        return frozenset({name})
    node = NODES.get(name)
    if node is None:
        return frozenset()
    names = list(node.inputs)
    if node.by_choice:
        switches = dict(zip(SWITCHES, branch, strict=True))
        names.append(node.compute(*(switches[AT[n]] for n in node.inputs)))
    return frozenset().union(*[_factors(n, branch) for n in names])


def quantity(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Make a quantity of a function whose arguments are names of quantities and of choices."""
    Node(compute)
    return compute


def by_choice(compute: Callable[..., str]) -> Callable[..., str]:
    """Make a quantity of a function of choices that gives the name of another one."""
    node = Node(compute)
    node.by_choice = True
    SWITCHES.extend({AT[name] for name in node.inputs}.difference(SWITCHES))
    Node.branch = itemgetter(*SWITCHES)
    return compute


def reach(changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Which reported quantities a change of some choices can reach.

    >>> reach({"ideal_cut": "none"})
    ('idcg', 'ndcg', 'mean')
    """
    changed = {factor(name) for name in changes}
    after = recipe_of(**changes)
    return tuple(name for name in QUANTITIES if (factors(name) | factors(name, after)) & changed)


class Sheet:
    """The quantities of some rankings: what `inputs` or a reader gave, and what was computed from it so far."""

    def __init__(self, **given: Any) -> None:
        self.given: dict[str, Any] = given
        self.done: dict[Any, Any] = {}

    def __call__(self, name: str, recipe: Recipe = RIGHT) -> Any:
        """One quantity under one definition: a value per query, or whatever the quantity is."""
        if name in self.given:
            return self.given[name]
        node = NODES[name]
        if node.by_choice:
            return self(node.compute(*[recipe[AT[n]] for n in node.inputs]), recipe)
        key = (name, node.levels(recipe))
        if key not in self.done:
            self.done[key] = node.compute(*[recipe[AT[n]] if n in AT else self(n, recipe) for n in node.inputs])
        return self.done[key]

    def many(self, name: str, recipes: Sequence[Recipe]) -> Array:
        """A row per definition. The last steps, element by element, are taken for all definitions at once."""
        node = NODES[name]
        if not node.elementwise:
            return np.array([self(name, recipe) for recipe in recipes]).reshape(len(recipes), -1)
        chosen = [n for n in node.inputs if n in AT]
        parts = {n: self.many(n, recipes) for n in node.inputs if n not in AT}
        pick = picker(chosen)
        alike: dict[Any, list[int]] = {}
        for row, recipe in enumerate(recipes):
            alike.setdefault(pick(recipe), []).append(row)
        out = np.empty((len(recipes), self.given["queries"]))
        for rows in alike.values():
            levels = {n: recipes[rows[0]][AT[n]] for n in chosen}
            out[rows] = node.compute(*[levels[n] if n in levels else parts[n][rows] for n in node.inputs])
        return out


def recipe_of(recipe: Recipe = RIGHT, /, **changes: Any) -> Recipe:
    """A definition with some levels changed, each on its side alone, as slips do it; parameters go by their name.

    >>> recipe_of(gain="exponential")[AT["gain"]], recipe_of(ideal_base=10)[AT["ideal_discount"]]
    (exponential, modern(10))
    """
    levels = list(recipe)
    for name, level in changes.items():
        at = AT[factor(name)]
        try:
            levels[at] = _changed(name, levels[at], level)
        except TypeError:  # a mapping cannot be remembered
            levels[at] = _changed.__wrapped__(name, levels[at], level)
    return tuple(levels)


@lru_cache(10_000, typed=True)
def _changed(name: str, before: Level, level: Any) -> Level:
    """The level that a change makes of another one, which keeps its parameters."""
    kept = before.parameters if isinstance(before, Bound) else {}
    if name not in AT:
        kept = kept and kept | {name.removeprefix("ideal_"): level}
        level = getattr(before, "key", before)
    return bind(factor(name), level, kept, wrong=True)


def following(**choices: Any) -> Recipe:
    """The definition of a convention: the choices of a caller, checked, with both sides of the quotient alike.

    >>> following(gain="exponential", base=10)[AT["ideal_discount"]]
    modern(10)
    """
    if not choices:
        return RIGHT
    try:
        return _following(tuple(choices), *choices.values())
    except TypeError:  # a mapping cannot be remembered
        return _following.__wrapped__(tuple(choices), *choices.values())


@lru_cache(512, typed=True)
def _following(names: tuple[str, ...], *values: Any) -> Recipe:
    choices = dict(zip(names, values, strict=True))
    parameters = {name: choices.pop(name) for name in list(choices) if name in PARAMETERS}
    levels = list(RIGHT)
    for name in {*choices, *(CHOICE_OF[p] for p in parameters)}:
        level = bind(name, choices.get(name, TABLE[name].default), parameters)
        for side in (name, f"ideal_{name}"):
            if side in AT:
                levels[AT[side]] = level
    return tuple(levels)


@cache
def factor(name: str) -> str:
    """The factor that a choice or a parameter belongs to."""
    side = "ideal_" if name not in AT and name.startswith("ideal_") else ""
    plain = name.removeprefix(side)
    factor = name if name in AT else side + CHOICE_OF.get(plain, plain)
    if factor not in AT:
        raise ValueError(f"there is no choice {name!r}: there are {', '.join((*FACTORS, *PARAMETERS))}")
    return factor
