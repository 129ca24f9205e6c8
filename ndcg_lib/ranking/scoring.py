"""DCG and ideal DCG of a block of queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.checks import shown
from ndcg_lib.choices import Gain
from ndcg_lib.core import ndcg
from ndcg_lib.exact import LARGEST_SAFE, LARGEST_SAFE_EXPONENT, SMALLEST_SAFE, same_scale, shift_against_overflow
from ndcg_lib.ranking.ids import by_id, repeated
from ndcg_lib.ranking.pool import Pool, best_first, no_better
from ndcg_lib.ranking.table import Block, Table
from ndcg_lib.ranking.ties import arranged, dcg_by_score
from ndcg_lib.ranking.worth import Levels, Values, Worth, worth_of
from ndcg_lib.types import Array


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is asked of all queries, to be answered block by block."""

    table: Table
    pool: Pool | None
    discounts: Array
    ties: str
    gain: Gain
    allow_negative: bool

    def block(self, block: Block) -> tuple[Array, Array]:
        """DCG and ideal DCG of the rows of a block."""
        lowest, highest, lowest_score = self.checked(block)
        try:
            worth, best = self.worth_and_ideal(block, lowest, highest)
        except ValueError as error:
            self.explain(block, error)
        idcg = best[:, : len(self.discounts)] @ self.discounts[: best.shape[1]]
        if not block.grades.size:
            return np.zeros_like(idcg), idcg
        scores, worth, decides = arranged(block.scores, worth, self.ties, self.order_by_id(block))
        return dcg_by_score(scores, lowest_score, worth, self.discounts[: scores.shape[1]], decides), idcg

    def checked(self, block: Block) -> tuple[Any, Any, Any]:
        """The lowest and the highest grade and the lowest score, if all of them can be used."""
        if not block.grades.size:
            return 0, 0, 0
        lowest, highest, lowest_score = block.grades.min(), block.grades.max(), block.scores.min()
        if not (highest < math.inf and (lowest >= 0 or (self.allow_negative and lowest > -math.inf))):
            self.table.refuse_grades(self.allow_negative)
        if lowest_score != lowest_score:
            self.table.refuse_scores()
        return lowest, highest, lowest_score

    def worth_and_ideal(self, block: Block, lowest: Any, highest: Any) -> tuple[Worth, Array]:
        """The worth of the documents, and the gains of the ideal order, best first."""
        grades, length = block.grades, block.grades.shape[1]
        if self.pool is None:
            shift = self.shift(grades, grades) if highest > LARGEST_SAFE_EXPONENT else 0.0
            worth = worth_of(grades, lowest, highest, self.gain, shift, self.allow_negative)
            best = worth.best(min(len(self.discounts), length))[:, ::-1]
            if isinstance(worth, Levels) and isinstance(self.gain, str):
                return worth, best  # gains from 0 to 2^63 need no scaling
        else:
            judged, there = self.pool.block(block.rows)
            shift = self.shift(judged, grades)
            worth = worth_of(grades, lowest, highest, self.gain, shift, self.allow_negative)
            best = best_first(judged, there, self.gain, shift, self.allow_negative)
            no_better(worth.best(length)[:, ::-1], best)
            if self.allow_negative and (grades.min(axis=1, initial=0) < judged.min(axis=1, initial=0)).any():
                raise ValueError("judged lacks a negative grade that was returned")
        largest = abs(best[:, :1])
        if ((largest > LARGEST_SAFE) | ((largest > 0) & (largest < SMALLEST_SAFE))).any():
            plain, best = same_scale(worth.plain(), best)
            return Values(plain), best
        return worth, best

    def shift(self, judged: NDArray[Any], returned: NDArray[Any]) -> Any:
        """The powers of two by which exponential gains are divided."""
        return shift_against_overflow(judged.astype(np.float64), self.gain, returned.astype(np.float64))

    def order_by_id(self, block: Block) -> NDArray[np.intp] | None:
        """The positions by id where there are ids, each id once."""
        if block.ids is None:
            return None
        order = by_id(block.ids)
        twice = repeated(block.ids, order)
        if twice:
            row, first, second = twice
            place = self.place(block.row_numbers(self.table.rows)[row])
            raise ValueError(
                f"{place}the id {shown(block.ids[row, first])} is there twice, as number {first + 1} and number"
                f" {second + 1} of the documents: give each document once"
            )
        return order

    def explain(self, block: Block, error: ValueError) -> NoReturn:
        """Raise what the heart says of the first wrong row, and which row it is."""
        for row, grades in zip(block.row_numbers(self.table.rows), block.grades, strict=True):
            judged = None if self.pool is None else self.pool.row(row)
            try:
                ndcg(grades, judged=judged, gain=self.gain, allow_negative=self.allow_negative)
            except ValueError as found:
                raise ValueError(f"{self.place(row)}{found}") from None
        raise error

    def place(self, row: int) -> str:
        """The beginning of a message about a row."""
        return "" if self.table.single else f"row {row}: "
