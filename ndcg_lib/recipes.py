"""A recipe: one definition of NDCG, right or wrong, with one level for each thing that can differ; and its value.

`core` holds the definition. A recipe is for the definitions beside it: what other tools do, and what goes wrong. A
recipe without any change gives the values of `core`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.choices import NAMES
from ndcg_lib.core import discounts, gains
from ndcg_lib.queries import Flags, Queries
from ndcg_lib.types import Array

QUANTITIES = ("cg", "dcg", "idcg", "ndcg", "mean")
"""What a recipe gives: `mean` is the mean NDCG over the queries."""


class Recipe(NamedTuple):
    """One level for each factor. The names of all levels are in `LEVELS`."""

    ranking: str = "scores"  # what puts the documents in order
    precision: str = "double"  # of the scores
    roles: str = "right"
    ties: str = "average"
    duplicates: str = "once"
    unjudged: str = "zero"
    values: str = "grades"  # what the gains of the list are made from
    negative: str = "kept"
    fractions: str = "kept"
    regrade: str = ""  # what else happens to a grade before its gain
    gain: Any = "linear"
    discount: Any = "modern"
    base: float = 2
    cut: Any = "k"
    ideal: str = "judged"  # whose documents the ideal list holds
    ideal_order: str = "sorted"
    ideal_gain: Any = "linear"
    ideal_discount: Any = "modern"
    ideal_base: float = 2
    ideal_cut: Any = "k"
    adding: str = "sum"
    rounding: str = ""
    divide: str = "idcg"
    empty: Any = 0.0
    missing: str = "zero"
    strangers: str = "skip"  # queries with results but without judgements
    averaging: str = "mean"
    result: str = ""

    @staticmethod
    def following(
        *,
        gain: Any = "linear",
        discount: Any = "modern",
        base: float = 2,
        ideal: str = "judged",
        ties: str = "average",
        empty: Any = 0.0,
        missing: str = "zero",
        unjudged: str = "zero",
        negative: str = "kept",
    ) -> Recipe:
        """The recipe of a convention.

        >>> Recipe.following(gain="exponential").ideal_gain
        'exponential'
        """
        gain = _hashable(gain)
        return Recipe(
            gain=gain, ideal_gain=gain, discount=discount, ideal_discount=discount, base=base, ideal_base=base,
            ideal=ideal, ties=ties, empty=empty, missing=missing, unjudged=unjudged,
            negative=negative,
        )  # fmt: skip

    def but(self, changes: Mapping[str, Any]) -> Recipe:
        """The same recipe with some levels changed.

        >>> Recipe().but({"cut": "none"}).cut
        'none'
        """
        return self._replace(**changes)


WRONG_GAINS: dict[str, Callable[[Array], Array]] = {
    "power": np.exp2,
    "half-power": lambda g: np.exp2(g - 1),
    "log": lambda g: np.log2(1 + np.maximum(g, 0)),
    "square": lambda g: g * g,
}
WRONG_DISCOUNTS: dict[str, Callable[[Array, float], Array]] = {
    "late": lambda i, base: np.log(base) / np.log(i + 2),
    "next": lambda i, base: 1 / (i + 1),
    "multiplied": lambda i, base: np.log(i + 1) / np.log(base),
    "unguarded": lambda i, base: np.where(i == 1, 0.0, np.log(base) / np.log(np.maximum(i, 2))),
    "outside": lambda i, base: np.where(i == 1, 1.0, np.log(base) / np.log(np.maximum(i, 2))),
    "one-plus-log": lambda i, base: 1 / (1 + np.log(i) / np.log(base)),
}
REGRADES: dict[str, Callable[[Array], Array]] = {
    "": lambda g: g,
    "one-higher": lambda g: g + 1,
    "one-lower": lambda g: g - 1,
    "zero-as-one": lambda g: np.where(g == 0, 1.0, g),
}
LEVELS: dict[str, tuple[Any, ...]] = {
    "ranking": ("scores", "ascending", "given"),
    "precision": ("double", "single"),
    "roles": ("right", "swapped"),
    "ties": NAMES["ties"],
    "duplicates": ("once", "counted"),
    "unjudged": ("zero", "removed"),
    "values": ("grades", "scores"),
    "negative": ("kept", "clipped"),
    "fractions": ("kept", "cut"),
    "regrade": tuple(REGRADES),
    "gain": (*NAMES["gain"], "presence", *WRONG_GAINS),
    "discount": (*NAMES["discount"], *WRONG_DISCOUNTS),
    "cut": ("k", "none", "less", "more", "list"),
    "ideal": ("judged", "first", "returned", "top", "perfect"),
    "ideal_order": ("sorted", "ascending", "given", "distinct"),
    "adding": ("sum", "mean", "last"),
    "rounding": ("", "terms", "terms-cut", "discounts", "logs", "parts"),
    "divide": ("idcg", "cg", "max-grade", "discounts", "k", "nothing", "upside-down"),
    "missing": ("zero", "skip"),
    "strangers": ("skip", "zero"),
    "averaging": ("mean", "ratio-of-means", "sum"),
    "result": ("", "rounded", "cut", "percent"),
}
"""Every level with a name. A cut can also be a number; a rounding carries its digits, as in `terms-2`."""

_ORDER = ("ranking", "precision", "roles", "ties", "duplicates", "unjudged")
_GRADES = ("negative", "fractions", "regrade")
_LIST_GAINS = (*_ORDER, *_GRADES, "values", "gain")
_LIST = (*_LIST_GAINS, "discount", "base", "cut", "adding", "rounding")
_IDEAL_GAINS = ("roles", "duplicates", "unjudged", *_GRADES, "ideal", "ideal_order", "ideal_gain")
_IDEAL = (*_IDEAL_GAINS, "ideal_discount", "ideal_base", "ideal_cut", "adding", "rounding")
_FINISH = ("rounding", "divide", "empty", "missing", "strangers", "averaging", "result")


def _picker(factors: tuple[str, ...]) -> itemgetter[Any]:
    return itemgetter(*map(Recipe._fields.index, factors))


_ORDER_OF, _LIST_GAINS_OF, _LIST_OF = map(_picker, (_ORDER, _LIST_GAINS, _LIST))
_IDEAL_GAINS_OF, _IDEAL_OF, _FINISH_OF = map(_picker, (_IDEAL_GAINS, _IDEAL, _FINISH))
_IDEAL_OF_TOP_OF = _picker((*_IDEAL_GAINS, *_ORDER, "cut"))


class Kitchen:
    """The values of recipes on the same queries. What two recipes share is computed once."""

    def __init__(self, queries: Queries, k: int | None = None):
        self.queries = queries
        self.k = k
        self._done: dict[Any, Any] = {}

    def value(self, recipe: Recipe, quantity: str = "ndcg") -> Any:
        """One quantity: a float for one query and for the mean, else an array with a value per query.

        >>> round(Kitchen(Queries.of([3, 2, 3, 0, 1, 2])).value(Recipe()), 3)
        0.961
        """
        values = self.values([recipe], quantity)[0]
        return float(values[0]) if self.queries.single or quantity == "mean" else values

    def values(self, recipes: Sequence[Recipe], quantity: str = "ndcg") -> Array:
        """One quantity of many recipes: a row per recipe, with a value per query or the one mean.

        >>> Kitchen(Queries.of([[1, 0], [0, 1]])).values([Recipe(), Recipe(discount="none")], "dcg").round(3).tolist()
        [[1.0, 0.631], [1.0, 1.0]]
        """
        if quantity not in QUANTITIES:
            raise ValueError(f"quantity is {quantity!r}: it can be {', '.join(QUANTITIES)}")
        table = np.empty((len(recipes), 1 if quantity == "mean" else len(self.queries.grades)))
        alike: dict[Any, list[int]] = {}
        for at, recipe in enumerate(recipes):
            alike.setdefault(_FINISH_OF(recipe), []).append(at)
        with np.errstate(all="ignore"):
            for rows in alike.values():
                table[rows] = self._finished([recipes[at] for at in rows], quantity)
        return table

    def _finished(self, recipes: list[Recipe], quantity: str) -> Array:
        """The values of recipes that finish alike: with the same division, averaging and rounding."""
        finish = recipes[0]
        if quantity in ("cg", "dcg", "idcg"):
            part = {"cg": self._cg, "dcg": self._dcg, "idcg": self._idcg}[quantity]
            return _rounded(np.array([part(recipe) for recipe in recipes]), finish.result)
        top = np.array([self._dcg(recipe) for recipe in recipes])
        bottom = np.array([self._bottom(recipe) for recipe in recipes])
        if finish.rounding.startswith("parts"):
            top, bottom = (np.round(part, _digits(finish.rounding)) for part in (top, bottom))
        if finish.divide == "upside-down":
            top, bottom = bottom, top
        empty = np.nan if finish.empty == "skip" else finish.empty
        values = np.where(bottom == 0, empty, top / bottom)
        if quantity == "mean":
            values = self._averaged(values, top, bottom, finish)[:, None]
        return _rounded(values, finish.result)

    def _averaged(self, values: Array, top: Array, bottom: Array, finish: Recipe) -> Array:
        """One number for all queries, per row."""
        strange = ~self.queries.judged_there.any(axis=1)
        missing = (self.queries.returned == 0) & ~strange
        values = np.where(missing | strange, 0.0, values)
        counted = np.ones(values.shape, dtype=bool)
        if finish.strangers == "skip":
            counted &= ~strange
        if finish.missing == "skip":
            counted &= ~missing
        if finish.empty == "skip":
            counted &= ~np.isnan(values)
        if finish.averaging == "ratio-of-means":
            return np.asarray(np.where(counted, top, 0).sum(axis=1) / np.where(counted, bottom, 0).sum(axis=1))
        sums: Array = np.where(counted, values, 0.0).sum(axis=1)
        return sums if finish.averaging == "sum" else sums / counted.sum(axis=1)

    def _once(self, key: Any, compute: Callable[..., Any], *arguments: Any) -> Any:
        if key not in self._done:
            self._done[key] = compute(*arguments)
        return self._done[key]

    def _cg(self, recipe: Recipe) -> Array:
        return self._list_sum(recipe, "none", "")

    def _dcg(self, recipe: Recipe) -> Array:
        return self._once(_LIST_OF(recipe), self._list_sum, recipe, recipe.discount, recipe.rounding)  # type: ignore[no-any-return]

    def _idcg(self, recipe: Recipe) -> Array:
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

    def _bottom(self, recipe: Recipe) -> Array:
        if recipe.divide in ("idcg", "upside-down"):
            return self._idcg(recipe)
        if recipe.divide == "nothing":
            return np.ones(len(self.queries.grades))
        if recipe.divide == "cg":
            return self._cg(recipe)
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
        d = np.round(d, _digits(rounding))
    if rounding.startswith("logs"):
        d = 1 / np.round(1 / d, _digits(rounding))
    terms = g * d
    if rounding.startswith("terms-cut"):
        terms = np.trunc(terms * 10 ** _digits(rounding)) / 10 ** _digits(rounding)
    elif rounding.startswith("terms"):
        terms = np.round(terms, _digits(rounding))
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


def _rounded(values: Array, result: str) -> Array:
    if result.startswith("rounded"):
        return np.round(values, _digits(result))
    if result.startswith("cut"):
        values = np.trunc(values * 10 ** _digits(result)) / 10 ** _digits(result)
    return values * 100 if result == "percent" else values


def _digits(level: str) -> int:
    return int(level.rsplit("-", 1)[1])


def _hashable(gain: Any) -> Any:
    if not isinstance(gain, Mapping):
        return gain
    table = dict(gain)

    def gain_of(grade: float) -> float:
        if grade not in table:
            known = ", ".join(map(str, table))
            raise ValueError(f"grade {grade:g} is not in the gain mapping, which knows only {known}: add it")
        return float(table[grade])

    return gain_of
