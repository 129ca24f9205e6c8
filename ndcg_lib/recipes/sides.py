"""The two sides of the quotient: what the list brings, and what the ideal list would, under each recipe."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.core import discounts, gains
from ndcg_lib.recipes.queries import Flags, Queries
from ndcg_lib.recipes.recipe import REGRADES, WRONG_DISCOUNTS, WRONG_GAINS, Recipe
from ndcg_lib.types import Array

_ORDER = ("ranking", "precision", "roles", "ties", "duplicates", "unjudged")
_GRADES = ("negative", "fractions", "regrade")
_LIST_GAINS = (*_ORDER, *_GRADES, "values", "gain")
_LIST = (*_LIST_GAINS, "discount", "base", "cut", "adding", "rounding")
_IDEAL_GAINS = ("roles", "duplicates", "unjudged", *_GRADES, "ideal", "ideal_order", "ideal_gain")
_IDEAL = (*_IDEAL_GAINS, "ideal_discount", "ideal_base", "ideal_cut", "adding", "rounding")


def picker(factors: tuple[str, ...]) -> itemgetter[Any]:
    """Picks the levels of these factors out of a recipe, as a key.

    >>> picker(("gain", "discount"))(Recipe())
    ('linear', 'modern')
    """
    return itemgetter(*map(Recipe._fields.index, factors))


_ORDER_OF, _LIST_GAINS_OF, _LIST_OF = map(picker, (_ORDER, _LIST_GAINS, _LIST))
_IDEAL_GAINS_OF, _IDEAL_OF = map(picker, (_IDEAL_GAINS, _IDEAL))
_IDEAL_OF_TOP_OF = picker((*_IDEAL_GAINS, *_ORDER, "cut"))


class Sides:
    """CG, DCG and IDCG of recipes, a value per query. What two recipes share is computed once."""

    def __init__(self, queries: Queries, k: int | None):
        self.queries = queries
        self.k = k
        self._done: dict[Any, Any] = {}

    def _once(self, key: Any, compute: Callable[..., Any], *arguments: Any) -> Any:
        if key not in self._done:
            self._done[key] = compute(*arguments)
        return self._done[key]

    def cg(self, recipe: Recipe) -> Array:
        """The sum of the gains of the list, per query."""
        return self._list_sum(recipe, "none", "")

    def dcg(self, recipe: Recipe) -> Array:
        """The discounted sum over the list, per query."""
        return self._once(_LIST_OF(recipe), self._list_sum, recipe, recipe.discount, recipe.rounding)  # type: ignore[no-any-return]

    def idcg(self, recipe: Recipe) -> Array:
        """The discounted sum over the ideal list, per query."""
        key = (_IDEAL_OF(recipe), _IDEAL_OF_TOP_OF(recipe) if recipe.ideal == "top" else None)
        return self._once(key, self._ideal_sum, recipe)  # type: ignore[no-any-return]

    def _list_sum(self, recipe: Recipe, discount: Any, rounding: str) -> Array:
        of, g, there = self._list_gains(recipe)
        return self._sum(of, g, there, (discount, recipe.base, rounding), recipe.cut, recipe.adding)

    def _ideal_sum(self, recipe: Recipe) -> Array:
        of, g, there = self._ideal_gains(recipe)
        weights = (recipe.ideal_discount, recipe.ideal_base, recipe.rounding)
        return self._sum(of, g, there, weights, recipe.ideal_cut, recipe.adding)

    def _sum(self, of: Any, g: Array, there: Flags, weights: tuple[Any, float, str], cut: Any, adding: str) -> Array:
        """The sum of the discounted gains up to the cut-off. The sums up to every rank are kept for other cut-offs."""
        running = self._once((of, weights), _running_sums, g, *weights)
        limits = self._once((of, cut), self._limits, cut, there)
        rows = np.arange(len(running))
        total: Array = running[rows, limits]
        if adding == "last":
            total = total - running[rows, np.maximum(limits - 1, 0)]
        return total / np.maximum(limits, 1) if adding == "mean" else total

    def bottom(self, recipe: Recipe) -> Array:
        """What the DCG is divided by, per query."""
        if recipe.divide in ("idcg", "upside-down"):
            return self.idcg(recipe)
        if recipe.divide == "nothing":
            return np.ones(len(self.queries.grades))
        if recipe.divide == "cg":
            return self.cg(recipe)
        if recipe.divide == "max-grade":
            largest: Array = self._ideal_gains(recipe)[1].max(axis=1, initial=0.0)
            return largest
        of, g, there = self._list_gains(recipe)
        if recipe.divide == "k":
            return self._limits(recipe.cut, there).astype(float)
        weights = (recipe.discount, recipe.base, recipe.rounding)
        return self._sum(("ones", of), np.ones_like(g), there, weights, recipe.cut, recipe.adding)

    def _limits(self, cut: Any, there: Flags) -> NDArray[np.int_]:
        """How many ranks count, per query."""
        held: NDArray[np.int_] = there.sum(axis=1)
        if cut == "none":
            return held
        if cut == "list":
            cut = np.minimum(held if self.k is None else self.k, self.queries.returned)
        elif cut in ("k", "less", "more"):
            asked = held if self.k is None else np.full_like(held, self.k)
            cut = asked + {"k": 0, "less": -1, "more": 1}[cut]
        limits: NDArray[np.int_] = np.minimum(held, cut)
        return limits

    def _list_gains(self, recipe: Recipe) -> tuple[Any, Array, Flags]:
        """The gains of the list in ranked order, with a key that stands for them."""
        key = _LIST_GAINS_OF(recipe)
        return (key, *self._once(("gains", key), self._make_list_gains, recipe))

    def _make_list_gains(self, recipe: Recipe) -> tuple[Array, Flags]:
        order, there, groups = self._once(("order", _ORDER_OF(recipe)), self._make_order, recipe)
        values = self._values(recipe, recipe.values)
        g = np.take_along_axis(self._gains(recipe.gain, values, recipe, ~self.queries.unjudged), order, axis=1)
        g = np.where(there, g, 0.0)
        if groups is not None:
            g = (np.bincount(groups.ravel(), weights=g.ravel()) / np.bincount(groups.ravel()))[groups]
        return g, there

    def _ideal_gains(self, recipe: Recipe) -> tuple[Any, Array, Flags]:
        key = ("ideal", _IDEAL_GAINS_OF(recipe) if recipe.ideal != "top" else _IDEAL_OF_TOP_OF(recipe))
        return (key, *self._once(("gains", key), self._make_ideal_gains, recipe))

    def _make_ideal_gains(self, recipe: Recipe) -> tuple[Array, Flags]:
        q = self.queries
        if recipe.ideal in ("judged", "first") and recipe.roles == "right":
            g, there = self._gains(recipe.ideal_gain, q.judged, recipe, q.judged_there), q.judged_there
            if recipe.ideal == "first":
                there = there & (np.arange(there.shape[1]) < self._limits("k", there)[:, None])
        elif recipe.ideal == "perfect":
            g = self._gains(recipe.ideal_gain, q.judged, recipe, q.judged_there)
            length = int(self.k or q.returned.max(initial=0))
            g = np.repeat(np.where(q.judged_there, g, 0.0).max(axis=1, initial=0.0)[:, None], length, axis=1)
            return g, np.ones_like(g, dtype=bool)
        else:
            order, there, _ = self._make_order(recipe if recipe.ideal == "top" else recipe.but({"ranking": "given"}))
            values = self._values(recipe, "grades")
            g = np.take_along_axis(self._gains(recipe.ideal_gain, values, recipe, ~q.unjudged), order, axis=1)
            if recipe.ideal == "top":
                there = there & (np.arange(there.shape[1]) < self._limits(recipe.cut, there)[:, None])
        return _in_ideal_order(np.where(there, g, 0.0), there, recipe.ideal_order)

    def _values(self, recipe: Recipe, source: str) -> Array:
        q = self.queries
        swapped = recipe.roles == "swapped"
        return q.scores if q.scores is not None and (source == "scores") != swapped else q.grades

    def _gains(self, gain: Any, values: Array, recipe: Recipe, judged: Flags) -> Array:
        values = np.trunc(values) if recipe.fractions == "cut" else values
        values = np.maximum(values, 0.0) if recipe.negative == "clipped" else values
        values = REGRADES[recipe.regrade](values)
        if gain == "presence":
            return judged.astype(float)
        if isinstance(gain, str) and gain in WRONG_GAINS:
            return WRONG_GAINS[gain](values)
        return gains(values, gain)

    def _make_order(self, recipe: Recipe) -> tuple[NDArray[np.int_], Flags, NDArray[np.int_] | None]:
        """Which document stands at which rank, where there is one, and which ranks are tied (None: nothing is)."""
        q = self.queries
        there = q.there.copy()
        if recipe.duplicates == "once":
            there &= ~q.again
        if recipe.unjudged == "removed":
            there &= ~q.unjudged
        place = np.broadcast_to(np.arange(there.shape[1], dtype=float), there.shape)
        scores = None if q.scores is None else q.scores.astype(np.float32) if recipe.precision == "single" else q.scores
        key = -q.grades if recipe.roles == "swapped" else place if scores is None else -scores
        if recipe.ranking == "given":
            key = place
        elif recipe.ranking == "ascending":
            key = -key
        second = {
            "average": place, "order": place, "reverse": -place, "best": -q.grades, "worst": q.grades,
            "id": place if q.id_order is None else q.id_order,
            "id-descending": -place if q.id_order is None else -q.id_order,
        }[recipe.ties]  # fmt: skip
        order = np.lexsort((second, key, ~there), axis=-1)
        there = np.take_along_axis(there, order, axis=1)
        if recipe.ties != "average" or key is place:
            return order, there, None
        key = np.take_along_axis(key, order, axis=1)
        fresh = np.ones_like(there)
        fresh[:, 1:] = (key[:, 1:] != key[:, :-1]) | (there[:, 1:] != there[:, :-1])
        return order, there, None if fresh.all() else fresh.ravel().cumsum().reshape(fresh.shape) - 1


def _discounts(n: int, discount: Any, base: float) -> Array:
    if isinstance(discount, str) and discount in WRONG_DISCOUNTS:
        return WRONG_DISCOUNTS[discount](np.arange(1.0, n + 1), base)
    return discounts(n, discount, base)


def _running_sums(g: Array, discount: Any, base: float, rounding: str) -> Array:
    """0 and then the discounted sum up to each rank."""
    d = _discounts(g.shape[1], discount, base)
    if rounding.startswith("discounts"):
        d = np.round(d, digits_of(rounding))
    if rounding.startswith("logs"):
        d = 1 / np.round(1 / d, digits_of(rounding))
    terms = g * d
    if rounding.startswith("terms-cut"):
        terms = np.trunc(terms * 10 ** digits_of(rounding)) / 10 ** digits_of(rounding)
    elif rounding.startswith("terms"):
        terms = np.round(terms, digits_of(rounding))
    sums = np.zeros((g.shape[0], g.shape[1] + 1))
    np.cumsum(terms, axis=1, out=sums[:, 1:])
    return sums


def _in_ideal_order(g: Array, there: Flags, order: str) -> tuple[Array, Flags]:
    if order == "given":
        return g, there
    if order == "distinct":
        return _distinct(g, there)
    sign = 1.0 if order == "ascending" else -1.0
    ranked = sign * np.sort(np.where(there, sign * g, np.inf), axis=1)  # places without a document go last
    held = np.arange(g.shape[1]) < there.sum(axis=1)[:, None]
    return np.where(held, ranked, 0.0), held


def _distinct(g: Array, there: Flags) -> tuple[Array, Flags]:
    sets = [np.unique(row[flags])[::-1] for row, flags in zip(g, there, strict=True)]
    values, held = np.zeros_like(g), np.zeros_like(there)
    for at, row in enumerate(sets):
        values[at, : len(row)], held[at, : len(row)] = row, True
    return values, held


def digits_of(level: str) -> int:
    """The digits that a rounding carries.

    >>> digits_of("terms-2")
    2
    """
    return int(level.rsplit("-", 1)[1])
