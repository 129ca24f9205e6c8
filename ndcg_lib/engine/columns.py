"""Sums, runs and weights over columns with an entry per document."""
# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False, disallow-untyped-calls=False
# (the arguments of a quantity are names of quantities and of choices, and their types follow from the names)

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ndcg_lib.choices import Bound, ByGrade, Level

SAFE = 900  # gains up to 2^900 leave room to add up 2^100 of them


def runs(*columns):
    """Where equal neighbours begin, and how many there are."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.logical_or.reduce([c[1:] != c[:-1] for c in columns])
    start = np.flatnonzero(new)
    return start, np.diff(start, append=len(new))


def within(start, size):
    """0, 1, 2 … in each run."""
    return np.arange(size.sum()) - np.repeat(start, size)


def per_query(query, values, queries):
    """The sum of each query, strictly one after the other, so that equal lists have equal sums, to the bit."""
    return np.bincount(query, values, queries).astype(float, copy=False)


def largest(query, values, queries):
    """The largest value of each query, at least 0."""
    out = np.zeros(queries)
    np.maximum.at(out, query, values)
    return out


@cache
def digits(level):
    """What a level does and to how many digits: "terms-2" rounds terms to hundredths."""
    kind, _, count = str(getattr(level, "key", level)).rpartition("-")
    return (kind, 10.0 ** int(count)) if count.isdigit() else ("", 1.0)


def rounded(x, level, kind, cut=""):
    """Rounded or cut, if the level says so of this kind of part."""
    what, power = digits(level)
    if what == kind:
        return np.round(x * power) / power
    return np.trunc(x * power) / power if what == (cut or f"{kind}-cut") else x


def gains(grade: Any, gain: Level, shift: Any = None, query: Any = None) -> Any:
    """What grades are worth, divided by 2^shift. `query` says in a message which list a grade stands in."""
    if isinstance(gain, ByGrade):
        g: Any = gain(grade, query=query)
        return g if shift is None else np.ldexp(g, -shift)
    if shift is None:
        return gain(grade)
    if gain.key == "exponential":
        return np.ldexp(gain(grade, np.maximum(shift, 0)), np.maximum(-shift, 0))
    return np.ldexp(gain(grade), -shift)


def placed(query, key, averaged):
    """How many documents of the query stand above, and how many share the place; sorted by query, then key."""
    first, length = runs(query)
    rank = within(first, length)
    if not averaged:
        return rank, np.ones_like(rank)
    start, size = runs(query, key)
    return np.repeat(rank[start], size), np.repeat(size, size)


def counting(limit, query, above, tied):
    """Which documents stand among the ranks up to the limit of their query; of the tied, the share that does."""
    return weights(above, tied, limit[query], np.ones(limit.max(initial=0)))


def weights(above, tied, limit, d):
    """The mean discount over the ranks that a document may have, up to the limit of its query."""
    w = np.where(above < limit, d[np.minimum(above, len(d) - 1)], 0.0) if len(d) else np.zeros(len(above))
    some = np.flatnonzero(tied > 1)
    if len(some):
        sums, a, t, limit = np.concatenate(([0.0], np.cumsum(d))), above[some], tied[some], limit[some]
        w[some] = (sums[np.minimum(a + t, limit)] - sums[np.minimum(a, limit)]) / t
    return w


def limits(cut, k, held, returned):
    """How many ranks count, per query."""
    key = cut.key if isinstance(cut, Bound) else ""
    if key == "none":
        return held
    if not key:
        return np.minimum(held, int(cut))
    if key == "list":
        return np.minimum(held, np.minimum(held if k is None else k, returned))
    return np.minimum(held, (held if k is None else k) + {"k": 0, "less": -1, "more": 1}[key])


def as_number(empty: Level) -> float:
    """The number that stands for a query without any gain."""
    key = empty.key if isinstance(empty, Bound) else empty
    return key if isinstance(key, float) else np.nan
