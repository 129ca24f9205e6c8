"""Is a loss within its limit? Both directions are tested against the limit, in closed form: nothing is drawn.

Student's t, and t for skewed values (Hall 1992), of the differences run - baseline. "Not worse" asks both, and where
fewer than 20 queries moved also with one query more that loses all: a change that touched few queries says little
about the others. "Worse" asks Hall's, which sees losses that lean to one side, with such a query below 10.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ndcg_lib.comparison.difference import POWER
from ndcg_lib.comparison.significance import EQUAL, FEW, detectable, one_sided, t_tail
from ndcg_lib.types import Array

LEVEL = 0.05
SPARSE = 20
"""With fewer queries that moved, a loss in few others could well be missed."""
MOST = 10**5


class Loss(NamedTuple):
    """How far the true mean may lie on either side, and how rarely a mean at the limit makes what was seen."""

    low: float  # "not worse" if the limit lies below
    high: float  # "worse" if it lies above
    p_within: float
    p_beyond: float


def loss(differences: Array, limit: float, typical: float, alpha: float = LEVEL) -> Loss:
    """The differences against a limit; `typical` is what a query has that may be lost: the mean of the baseline.

    >>> steady = np.tile([0.01, -0.01, 0.0, 0.02], 15)
    >>> found = loss(steady, 0.02, 0.7)
    >>> round(found.low, 3), round(found.high, 3), found.p_within < 0.001
    (0.003, 0.007, True)
    >>> round(loss(np.append(np.zeros(49), -0.01), 0.02, 0.7).low, 3)  # one query moved: 49 say nothing of others
    -0.037
    """
    d = np.asarray(differences, dtype=np.float64)
    if len(d) < 2:
        return Loss(-math.inf, math.inf, 1.0, 1.0)
    below = [(d, False), (d, True)]
    above = below[1:] if len(d) >= FEW else below[:]
    alike = np.ptp(d) <= EQUAL
    if alike or moved(d) < min(SPARSE, len(d)):  # a query more that loses all
        below.append((np.append(d, -typical), False))
    if alike or moved(d) < min(FEW, len(d)):  # or gains as much
        above.append((np.append(d, typical), True))
    return Loss(
        min(one_sided(each, alpha, skewed=skewed)[0] for each, skewed in below),
        max(one_sided(each, alpha, skewed=skewed)[1] for each, skewed in above),
        max(_tail(each + limit, skewed) for each, skewed in below),
        max(_tail(-(each + limit), skewed) for each, skewed in above),
    )


def moved(differences: Array) -> int:
    """How many queries differ.

    >>> moved(np.array([0.0, 0.2, -0.1]))
    2
    """
    return int(np.count_nonzero(~(abs(differences) <= EQUAL)))


def _tail(d: Array, skewed: bool) -> float:
    """How often a true mean of 0 or less makes a mean as high as this."""
    n, mean = len(d), float(d.mean())
    error = float(d.std(ddof=1)) / math.sqrt(n)
    if error <= EQUAL:
        return 0.0 if mean > EQUAL else 1.0
    t = mean / error
    if skewed:
        a = float(((d - mean) ** 3).mean()) / float(d.std()) ** 3 / math.sqrt(n)
        t += a * t * t / 3 + a * a * t**3 / 27 + a / 6
    return t_tail(t, n - 1) if t >= 0 else 1 - t_tail(-t, n - 1)


def blind(n: int, typical: float, alpha: float = LEVEL) -> float:
    """The smallest limit within which n queries can show a loss to be, if none of them moves.

    >>> round(blind(50, 0.7), 3), round(blind(200, 0.7), 3)
    (0.037, 0.009)
    """
    return -loss(np.zeros(n), 0.0, typical, alpha).low


def seen(n: int, sd: float, typical: float, share: float = 1.0, alpha: float = LEVEL) -> float:
    """The limit from which on a change that loses nothing passes in four of five cases.

    `share` is how many of the queries such a change moves.

    >>> round(seen(50, 0.12, 0.7), 3), round(seen(50, 0.06, 0.7, share=0.05), 3)
    (0.043, 0.055)
    """
    if n < 2:
        return math.inf
    if n * share >= 1.5 * SPARSE:
        return max(detectable(n, POWER, 2 * alpha) * sd, blind(n, typical, alpha))
    return detectable(n, POWER, 2 * alpha) * math.hypot(sd, typical / math.sqrt(n)) + typical / n


def needed(limit: float, sd: float, typical: float, share: float = 1.0, alpha: float = LEVEL) -> int:
    """How many queries let a change that loses nothing pass this limit in four of five cases; 100,000 stand for more.

    >>> needed(0.02, 0.18, 0.7), needed(0.02, 0.06, 0.7, share=0.05)
    (503, 165)
    """
    low, high = 1, 10
    while seen(high, sd, typical, share, alpha) > limit and high < MOST:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if seen(middle, sd, typical, share, alpha) > limit else (low, middle)
    return high
