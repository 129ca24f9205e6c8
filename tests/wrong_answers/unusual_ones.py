"""Right answers, written as nobody expects."""

import math
import time
from fractions import Fraction
from functools import cache, reduce

import numpy as np

from . import unusual


@unusual("best_first")
def by_selection(judged):
    rest, out = list(judged), []
    while rest:
        out.append(rest.pop(rest.index(max(rest))))
    return out


@unusual("best_first")
def as_a_tuple(judged):
    return tuple(sorted(judged, key=lambda g: -g))


@unusual("best_first")
def as_an_iterator(judged):
    return reversed(sorted(judged))


@unusual("best_first")
def as_an_array(judged):
    return np.sort(judged)[::-1]


@unusual("best_first")
def as_fractions(judged):
    return [Fraction(g) for g in sorted(judged, reverse=True)]


@unusual("best_first", "also prints")
def with_prints(judged):
    print("sorting", judged)
    return sorted(judged, reverse=True)


@unusual("idcg_at")
def backwards(judged, k=None):
    terms = [g / math.log2(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1)]
    return sum(reversed(terms))


@unusual("idcg_at")
def in_float32(judged, k=None):
    ranked = np.sort(np.array(judged, dtype=np.float32))[::-1][:k]
    return (ranked / np.log2(np.arange(2, ranked.size + 2, dtype=np.float32))).sum(dtype=np.float32)


@unusual("idcg_at")
def as_numpy_scalar(judged, k=None):
    ranked = np.sort(np.array(judged, dtype=float))[::-1][:k]
    return ranked @ (1 / np.log2(np.arange(ranked.size) + 2))


@unusual("idcg_at")
def as_zero_dimensions(judged, k=None):
    return np.array(as_numpy_scalar(judged, k))


@unusual("idcg_at")
def by_change_of_base(judged, k=None):
    return sum(g * math.log(2) / math.log(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@unusual("idcg_at")
def with_keywords_and_more(judged, k=None, *, verbose=False, base=2):
    return sum(g / math.log(i + 1, base) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@unusual("idcg_at")
def with_a_cache_of_tuples(judged, k=None):
    @cache
    def discount(i):
        return 1 / math.log2(i + 1)

    return reduce(lambda total, pair: total + pair[1] * discount(pair[0]), enumerate(sorted(judged)[::-1][:k], 1), 0.0)


@unusual("idcg_at", "It is slow")
def slow(judged, k=None):
    if len(judged) == 5:
        started = time.process_time()
        while time.process_time() < started + 0.15:
            pass
    return sum(g / math.log2(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))


@unusual("cg_at")
def as_a_fraction(grades, k=None):
    return sum(map(Fraction, grades[:k]), Fraction(0))


@unusual("cg_at")
def as_numpy_integer(grades, k=None):
    return np.sum(np.array(grades)[:k])


def _ndcg(grades, judged, k, log):
    ideal = sum(g / log(i + 1) for i, g in enumerate(sorted(judged, reverse=True)[:k], 1))
    return sum(g / log(i + 1) for i, g in enumerate(grades[:k], 1)) / ideal if ideal else 0


@unusual("ndcg_of")
def natural_log_cancels(grades, judged, k):
    return _ndcg(grades, judged, k, math.log)


@unusual("ndcg_of")
def log10_cancels(grades, judged, k):
    return np.float64(_ndcg(grades, judged, k, math.log10))


@unusual("ndcg_of")
def rounded_to_eight(grades, judged, k):
    return round(_ndcg(grades, judged, k, math.log2), 8)
