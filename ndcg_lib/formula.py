"""The formula, as the book prints it: gain, discount, CG, DCG, IDCG, NDCG.

`g` holds gains and `d` discounts, rank 1 first. A table of gains holds a list per row, and gives a number per row.
What callers write is checked before it comes here; what no formula of this kind can say goes to `engine`.
"""

from functools import lru_cache

import numpy as np

from ndcg_lib.choices import Bound, Level
from ndcg_lib.types import Array, Value


def gains(grades: Array, gain: Level) -> Array:
    """g_i, what the grade at rank i is worth."""
    g: Array = gain(grades)
    return g


def discounts(n: int, discount: Level) -> Array:
    """d_1 … d_n, what each rank is worth."""
    if n <= 1000 and isinstance(discount, Bound):
        return first_discounts(discount)[:n]
    d: Array = discount(np.arange(1.0, n + 1))
    return d


def cg(g: Array, k: int | None) -> Value:
    """CG@k = g_1 + g_2 + … + g_k."""
    return total(g[..., :k])


def dcg(g: Array, d: Array, k: int | None) -> Value:
    """DCG@k = g_1 d_1 + g_2 d_2 + … + g_k d_k."""
    g = g[..., :k]
    return total(g * d[: g.shape[-1]])


def ideal(g: Array) -> Array:
    """The gains of all judged documents, best first."""
    return np.sort(g)[..., ::-1]


def ndcg(dcg: Value, idcg: Value, empty: float) -> Value:
    """NDCG@k = DCG@k / IDCG@k, and `empty` where the ideal is 0."""
    value = np.where(idcg == 0, empty, dcg / np.where(idcg == 0, 1, idcg))
    return np.where((value > 1 - 2e-15) & (value < 1 + 1e-12), 1.0, value)  # only rounding keeps it from 1


def total(x: Array) -> Value:
    """x_1 + x_2 + … + x_n, strictly one after the other: so equal lists have equal sums, to the last bit."""
    return np.add.accumulate(x, axis=-1).T[-1] if x.shape[-1] else x.sum(axis=-1)


@lru_cache(64)
def first_discounts(discount: Bound) -> Array:
    """The discounts of the first 1000 ranks, kept: their logarithms cost more than the rest of a short NDCG."""
    d: Array = discount(np.arange(1.0, 1001))
    d.flags.writeable = False
    return d
