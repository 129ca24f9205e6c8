"""What chance alone would do to differences between systems: tests, intervals and power, over one table of values.

A table has a row per query and a column per system and measure. Signs are flipped for all columns at once, since a
flipped difference is the difference of two flipped columns: one product of matrices serves all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from ndcg_lib.types import Array

EQUAL = 1e-12
"""Values of a query this close are equal: they differ by rounding alone."""
FEW = 10
"""With fewer queries that differ, intervals hold the true mean less often than they say."""
EXACT = 15
"""Up to so many queries that differ, all ways to flip the signs are counted."""
CELLS = 1 << 20
"""How many resampled values are held at once."""

Pairs: TypeAlias = Sequence[tuple[int, int]]
"""The columns of the table that are compared: the first minus the second."""

_NODES = np.polynomial.legendre.leggauss(100)


def randomisation(table: Array, pairs: Pairs, resamples: int = 10_000, seed: int = 0) -> Array:
    """The two-sided p-value of each pair by the paired randomisation test (Fisher; Smucker, Allan, Carterette 2007).

    If two systems are equally good, each query could as well have gone the other way. The p-value is the share of the
    ways to flip the signs of the differences that make a mean at least as far from 0. All ways are counted up to 15
    queries that differ; beyond, `resamples` ways are drawn, and the observed one is added.

    Under this hypothesis p is uniform. It says more than that the means are equal: of 43 differences that lean far to
    one side around a mean of 0 (exponential ones), p was at most 0.05 in 7 % of the samples, of 10 in 10 %.

    >>> randomisation(np.array([[0.5, 0.2], [0.4, 0.3], [0.9, 0.6]]), [(0, 1)])
    array([0.25])
    """
    differences = [table[:, one] - table[:, other] for one, other in pairs]
    differing = [each[~(abs(each) <= EQUAL)] for each in differences]
    p = np.array([_exact(each) if len(each) <= EXACT else np.nan for each in differing])
    drawn = [at for at, each in enumerate(differing) if len(each) > EXACT]
    if drawn:
        sums = np.concatenate([2 * flips @ table - table.sum(axis=0) for flips in _flips(len(table), resamples, seed)])
        for at in drawn:
            one, other = pairs[at]
            extreme = abs(sums[:, one] - sums[:, other]) >= _observed(differences[at])
            p[at] = (np.count_nonzero(extreme) + 1) / (resamples + 1)
            p[at] += 0 * differences[at].sum()  # nan where a value is nan
    return p


def _exact(differs: Array) -> float:
    signs = 1 - 2 * ((np.arange(2 ** len(differs))[:, None] >> np.arange(len(differs))) & 1)
    return float(np.mean(abs(signs @ differs) >= _observed(differs))) + 0 * float(differs.sum())


def _observed(difference: Array) -> float:
    """The size of the sum, less what rounding may take from a sum of the same terms in another order."""
    return abs(float(difference.sum())) - 1e-10 * float(abs(difference).sum())


def _flips(n: int, resamples: int, seed: int) -> Iterator[Array]:
    """Blocks of rows of n coins, 0 or 1."""
    random, width = np.random.default_rng(seed), -(-n // 8)
    for rows in _blocks(resamples, n):
        bits = np.frombuffer(random.bytes(rows * width), np.uint8).reshape(rows, width)
        yield np.unpackbits(bits, axis=1, count=n).astype(np.float64)


def _blocks(resamples: int, width: int) -> Iterator[int]:
    """Numbers of rows that together are all resamples."""
    most = max(CELLS // max(width, 1), 1)
    yield from (min(most, resamples - start) for start in range(0, resamples, most))


def interval(difference: Array, confidence: float = 0.95, largest: float = 1.0) -> tuple[float, float]:
    """The wider at each end of Student's interval and of that for skewed values (Hall 1992), without a seed.

    The skewness of fewer than 10 values says little, and Student's stands alone. Where so few of the queries differ
    that no test shows anything, or all by the same, it reaches as far as Student's does with two queries more, one in
    either direction, as far off as the furthest that was seen (so Agresti and Coull treat rare events); and to 0, where
    they are too few for any test to show a difference. Where none differs, the ends are the share of queries, differing
    by `largest`, of which one would mostly be seen.

    >>> low, high = interval(np.zeros(43))
    >>> round(low, 3), round(high, 3)
    (-0.067, 0.067)
    """
    n, differ, tail = len(difference), int(np.count_nonzero(~(abs(difference) <= EQUAL))), (1 - confidence) / 2
    if n == 1:  # tells nothing of others
        return -math.inf, math.inf
    if not differ:
        unseen = largest * (1 - (1 - confidence) ** (1 / n))
        return -unseen, unseen
    ends = [one_sided(difference, tail, skewed=skewed) for skewed in (False, True)[: 2 if n >= FEW else 1]]
    if differ < min(fewest(1 - confidence), n) or np.ptp(difference) <= EQUAL:
        furthest = abs(difference).max()
        ends.append(one_sided(np.append(difference, [furthest, -furthest]), tail))
    if differ < fewest(1 - confidence):
        ends.append((0.0, 0.0))
    lows, highs = zip(*ends, strict=True)
    return min(lows), max(highs)


def one_sided(difference: Array, tail: float, *, skewed: bool = False) -> tuple[float, float]:
    """The lowest and the highest mean that are not ruled out, each at this level: Student's, or Hall's if skewed.

    >>> low, high = one_sided(np.array([1.0, 2.0, 3.0]), 0.025)
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    >>> low, high = one_sided(np.array([0.0, 0.0, 0.0, 3.0]), 0.025, skewed=True)
    >>> round(low, 2), round(high, 2)
    (-0.83, 8.4)
    """
    n, mean = len(difference), float(difference.mean())
    if n < 2:
        return math.nan, math.nan
    t, error = t_quantile(tail, n - 1), float(difference.std(ddof=1)) / math.sqrt(n)
    a = float(((difference - mean) ** 3).mean()) / float(difference.std()) ** 3 / math.sqrt(n) if error > EQUAL else 0.0

    def back(t: float) -> float:
        """The t that Hall's formula, t + a t^2 / 3 + a^2 t^3 / 27 + a / 6, turns into this one."""
        if not skewed or abs(a) < 1e-9:
            return t
        inner = 1 + a * (t - a / 6)
        return 3 / a * (math.copysign(abs(inner) ** (1 / 3), inner) - 1)

    return mean - back(t) * error, mean - back(-t) * error


def t_test(difference: Array) -> tuple[float, float]:
    """Student's t of paired differences, and its two-sided p-value.

    >>> t, p = t_test(np.array([1.0, 2.0, 3.0, 2.0]))
    >>> round(t, 3), round(p, 4)
    (4.899, 0.0163)
    """
    n, mean = len(difference), float(difference.mean())
    if n < 2 or abs(difference - mean).max() <= EQUAL:
        return (0.0, 1.0) if abs(mean) <= EQUAL else (math.nan, math.nan)
    t = mean / float(difference.std(ddof=1)) * math.sqrt(n)
    return t, min(1.0, 2 * t_tail(abs(t), n - 1))


def t_tail(t: float, df: int, shift: float = 0.0) -> float:
    """The probability that Student's t lies above a value; of the noncentral t with a shift.

    >>> round(t_tail(2.0, 10), 5)
    0.03669
    """
    share, spread = _chi(df)
    with_shift = [math.erfc((t * s - shift) / math.sqrt(2)) / 2 for s in spread]
    return float(np.dot(share, with_shift))


@cache
def _chi(df: int) -> tuple[Array, list[float]]:
    """Values of an estimated standard deviation over the true one, and their probabilities, for sums over them."""
    reach = 12 / math.sqrt(2 * df)
    low, high = max(0.0, 1 - reach), 1 + reach
    node, weight = _NODES
    s = (low + high) / 2 + (high - low) / 2 * node
    density = (df - 1) * np.log(s) - df * s**2 / 2
    share = weight * np.exp(density - density.max())
    return share / share.sum(), s.tolist()


@cache
def t_quantile(tail: float, df: int) -> float:
    """The value that Student's t exceeds with this probability, below one half.

    >>> round(t_quantile(0.025, 42), 3)
    2.018
    """
    return _root(lambda t: tail - t_tail(t, df), 1e6)


def power(effect: float, n: int, level: float = 0.05) -> float:
    """The probability that n queries show a true difference of `effect` standard deviations (two-sided paired t).

    >>> round(power(0.5, 34), 3)
    0.808
    """
    shift, t = effect * math.sqrt(n), t_quantile(level / 2, n - 1)
    return t_tail(t, n - 1, shift) + t_tail(t, n - 1, -shift)


def fewest(level: float = 0.05) -> int:
    """The number of queries from which on a test can show anything: with one sign for all, p is 2 / 2^n.

    >>> fewest()
    6
    """
    return 1 + math.ceil(-math.log2(level) - EQUAL)


@cache
def detectable(n: int, power_: float = 0.8, level: float = 0.05) -> float:
    """The smallest true difference, in standard deviations, that n queries show with this probability.

    >>> round(detectable(50), 3)
    0.404
    """
    return _root(lambda effect: power(effect, n, level) - power_, 1e3) if n > 1 else math.inf


def queries_needed(effect: float, power_: float = 0.8, level: float = 0.05) -> int | None:
    """How many queries show a true difference of `effect` standard deviations with this probability; None: none do.

    >>> queries_needed(0.5)
    34
    """
    if not abs(effect) > EQUAL:
        return None
    low, high = 1, 2
    while power(effect, high, level) < power_:
        low, high = high, 2 * high
        if high > 10**9:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(effect, middle, level) >= power_ else (middle, high)
    return high


def _root(rises: Callable[[float], float], high: float) -> float:
    """Where a function that rises from below 0 is 0."""
    low = 0.0
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) >= 0 else (middle, high)
    return high


def holm(p: Array) -> Array:
    """p-values corrected for their number (Holm 1979): the smallest times their count, the next times one less, …

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


def tukey(table: Array, pairs: Pairs, resamples: int = 10_000, seed: int = 0) -> Array:
    """p-values corrected for all pairs at once: Tukey's HSD by randomisation (Sakai 2014; Carterette 2012).

    If all systems are equally good, the values of a query could as well have come in any other order. The p-value is
    the share of random orders within the queries that make the best mean at least as far from the worst. That asks
    for systems that vary alike: where one of six varied four times as much as the others, 9 % of the families had a
    false alarm in place of 5 % (Holm's correction: 3 %).

    >>> tukey(np.array([[0.9, 0.1], [0.8, 0.2]] * 8), [(0, 1)]).round(3).tolist()
    [0.0]
    """
    random, (n, systems) = np.random.default_rng(seed), table.shape
    sums = np.zeros((resamples, systems))
    together = max(n // 50, 1)  # of many queries, a few share what is drawn, and are put into a new order each time
    for group in np.array_split(table, -(-n // together)):
        drawn = np.zeros((-(-resamples // together), systems))
        for query in group:
            drawn += random.permuted(np.tile(query, (len(drawn), 1)), axis=1)
        sums += random.permuted(drawn[random.integers(0, len(drawn), resamples)], axis=1)
    reach = np.ptp(sums, axis=1)
    observed = [_observed(table[:, one] - table[:, other]) for one, other in pairs]
    return np.array([(np.count_nonzero(reach >= size) + 1) / (resamples + 1) for size in observed])
