"""The values of recipes: quotients, means and rounding over the two sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ndcg_lib.recipes.queries import Queries
from ndcg_lib.recipes.recipe import QUANTITIES, Recipe
from ndcg_lib.recipes.sides import Sides, digits_of, picker
from ndcg_lib.types import Array

BLOCK = 50_000
"""Documents that are computed at a time: what recipes share is kept in memory for one block."""

OF_OTHER_QUERIES = {"unreturned": "last", "rows": "joined"}
"""The levels under which the queries themselves are others."""

_FINISH_OF = picker(("rounding", "divide", "empty", "missing", "strangers", "averaging", "result"))


class Kitchen:
    """The values of recipes on the same queries."""

    def __init__(self, queries: Queries, k: int | None = None):
        self.queries = queries
        self.k = k
        blocks = queries.blocks(BLOCK)
        self._only_block = Sides(queries, k) if len(blocks) == 1 else None
        self._blocks = blocks
        self._others: dict[str, Kitchen] = {}

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
        other: dict[str, list[int]] = {}
        for at, recipe in enumerate(recipes):
            for factor, level in OF_OTHER_QUERIES.items():
                if getattr(recipe, factor) == level:
                    other.setdefault(factor, []).append(at)
                    break
        if not other:
            return self._values(recipes, quantity)
        table = self._values(recipes, quantity)
        for factor, rows in other.items():
            plain = [recipes[at].but({factor: Recipe._field_defaults[factor]}) for at in rows]
            alone = factor == "rows" and quantity == "mean"
            table[rows] = self._other(factor).values(plain, "ndcg" if alone else quantity)
        return table

    def _other(self, factor: str) -> Kitchen:
        """The kitchen for these queries put together otherwise."""
        if factor not in self._others:
            queries = self.queries.with_missed_last() if factor == "unreturned" else self.queries.joined()
            self._others[factor] = Kitchen(queries, self.k)
        return self._others[factor]

    def _values(self, recipes: Sequence[Recipe], quantity: str) -> Array:
        with np.errstate(all="ignore"):
            parts = self._parts(recipes, (quantity,) if quantity in ("cg", "dcg", "idcg") else ("dcg", "bottom"))
            alike: dict[Any, list[int]] = {}
            for at, recipe in enumerate(recipes):
                alike.setdefault(_FINISH_OF(recipe), []).append(at)
            table = np.empty((len(recipes), 1 if quantity == "mean" else len(self.queries.grades)))
            for rows in alike.values():
                table[rows] = self._finished([part[rows] for part in parts], recipes[rows[0]], quantity)
        return table

    def _parts(self, recipes: Sequence[Recipe], names: Sequence[str]) -> list[Array]:
        """The sides, each with a row per recipe and a column per query."""
        if self._only_block is not None:
            return [self._part(self._only_block, name, recipes) for name in names]
        by_block = [[self._part(sides, name, recipes) for name in names] for sides in self._fresh_blocks()]
        return [np.concatenate(columns, axis=1) for columns in zip(*by_block, strict=True)]

    def _fresh_blocks(self) -> Any:
        return (Sides(block, self.k) for block in self._blocks)

    @staticmethod
    def _part(sides: Sides, name: str, recipes: Sequence[Recipe]) -> Array:
        compute = getattr(sides, name)
        return np.array([compute(recipe) for recipe in recipes]).reshape(len(recipes), -1)

    def _finished(self, parts: list[Array], finish: Recipe, quantity: str) -> Array:
        """The values of recipes that finish alike: with the same division, averaging and rounding."""
        if quantity in ("cg", "dcg", "idcg"):
            return _rounded(parts[0], finish.result)
        top, bottom = parts
        if finish.rounding.startswith("parts"):
            top, bottom = (np.round(part, digits_of(finish.rounding)) for part in (top, bottom))
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


def _rounded(values: Array, result: str) -> Array:
    if result.startswith("rounded"):
        return np.round(values, digits_of(result))
    if result.startswith("cut"):
        values = np.trunc(values * 10 ** digits_of(result)) / 10 ** digits_of(result)
    return values * 100 if result == "percent" else values
