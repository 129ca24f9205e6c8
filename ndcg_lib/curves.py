"""Every quantity at every rank, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from ndcg_lib import formula
from ndcg_lib.checks import as_cutoff, as_grades, as_pool, defined, no_better_than_ideal
from ndcg_lib.convention import takes
from ndcg_lib.core import DISCOUNT, EMPTY, IDEAL, sides
from ndcg_lib.engine import as_number, following
from ndcg_lib.types import Array, ConventionLike, Grades, Judged, OfNdcg


@dataclass(frozen=True, eq=False)
class Curve:
    """One array per quantity; element i - 1 belongs to rank i. Below the end of a list its grades are nan."""

    rank: Array
    grade: Array
    gain: Array
    discount: Array
    contribution: Array
    cg: Array
    dcg: Array
    ideal_grade: Array
    ideal_gain: Array
    ideal_contribution: Array
    idcg: Array
    ndcg: Array

    def __len__(self) -> int:
        return len(self.rank)


@takes("ndcg")
def curve(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfNdcg],
) -> Curve:
    """CG, DCG, IDCG and NDCG at the ranks 1 to k, or to the end of the longer list.

    >>> curve([2, 3, 1, 3, 0]).ndcg.round(3)
    array([0.667, 0.796, 0.745, 0.899, 0.899])
    """
    recipe = following(**choices)
    returned = as_grades(grades, allow_negative=allow_negative)
    if returned.ndim != 1:
        raise ValueError(f"grades has {returned.ndim} dimensions: curve and working take one ranking at a time")
    known = judged is not None and recipe[IDEAL].key == "judged"
    pool = as_pool(judged, allow_negative=allow_negative, beside=returned) if known else returned
    with np.errstate(over="ignore", invalid="ignore"):
        g, pool_gain, exponent = sides(returned, pool, recipe, allow_negative)
        order = np.argsort(-pool_gain, kind="stable")
        no_better_than_ideal(g, pool_gain[order])
        n = max(len(g), len(pool))
        n = min(as_cutoff(k) or n, n)
        d = formula.discounts(n, recipe[DISCOUNT])
        gains, ideal_gains = _padded(g, n, 0.0), _padded(pool_gain[order], n, 0.0)
        dcg, idcg = (d * gains).cumsum(), (d * ideal_gains).cumsum()
        defined(dcg, idcg, recipe[EMPTY])

        def plain(x: Array) -> Array:
            return x if exponent is None else np.ldexp(x, exponent[0])

        return Curve(
            rank=np.arange(1.0, n + 1),
            grade=_padded(returned, n),
            gain=_padded(plain(g), n),
            discount=np.array(d),
            contribution=plain(d * gains),
            cg=plain(gains.cumsum()),
            dcg=plain(dcg),
            ideal_grade=_padded(pool[order], n),
            ideal_gain=_padded(plain(pool_gain[order]), n),
            ideal_contribution=plain(d * ideal_gains),
            idcg=plain(idcg),
            ndcg=np.asarray(formula.ndcg(dcg, idcg, as_number(recipe[EMPTY]))),
        )


def _padded(values: Array, n: int, below: float = np.nan) -> Array:
    return np.pad(values[:n], (0, max(0, n - len(values))), constant_values=below)
