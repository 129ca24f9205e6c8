"""Expected values over all orders of tied documents, for the measures in which a document counts by what is above it.

A group of n documents with the same score takes the ranks above + 1 to above + n; every order of them is equally
likely (McSherry and Najork, 2008).
"""

from __future__ import annotations

import numpy as np

from ndcg_lib.types import Array

Group = tuple[int, int, Array]  # documents above, documents in the group, and the values of its relevant documents


def expected_ap_sum(groups: list[Group], k: int) -> float:
    """The sum of the precisions at the ranks of the relevant documents, up to rank k.

    >>> expected_ap_sum([(0, 2, np.ones(1))], k=2)  # rank 1 or rank 2, precision 1 or 1/2
    0.75
    """
    total, found = 0.0, 0
    for above, size, values in groups:
        relevant = len(values)
        before = np.arange(min(size, max(k - above, 0)), dtype=float)  # documents of the group above this rank
        others = before * (relevant - 1) / max(size - 1, 1)
        total += float(np.sum(relevant / size * (found + 1 + others) / (above + 1 + before)))
        found += relevant
    return total


def expected_rr(groups: list[Group], k: int) -> float:
    """1 / rank of the first relevant document, 0 where this is below rank k.

    >>> expected_rr([(1, 2, np.ones(1))], k=3)  # 1/2 or 1/3
    0.41666666666666663
    """
    above, size, values = groups[0]
    value, none_yet = 0.0, 1.0
    for before in range(min(size - len(values) + 1, max(k - above, 0))):
        here = len(values) / (size - before)
        value += none_yet * here / (above + 1 + before)
        none_yet *= 1 - here
    return value


def expected_err(groups: list[Group], k: int) -> float:
    """The sum of P(the reader stops here) / rank, where a value is the probability to stop at that document.

    >>> expected_err([(0, 2, np.array([0.5]))], k=2)  # stops at rank 1 or rank 2 with probability 1/4 each
    0.375
    """
    total, arrives = 0.0, 1.0
    for above, size, stop in groups:
        ranks = min(size, max(k - above, 0))
        if ranks:
            goes_on = _mean_product(1 - stop, size, ranks)
            total += arrives * float(np.sum((goes_on[:-1] - goes_on[1:]) / np.arange(above + 1, above + ranks + 1)))
        arrives *= float(np.prod(1 - stop))
    return total


def _mean_product(factors: Array, size: int, draws: int) -> Array:
    """The mean product of 0, 1, … draws documents of a group; the documents without a factor have factor 1."""
    mean = np.ones(len(factors) + 1)  # of j of the factors
    for count, factor in enumerate(factors, 1):
        j = np.arange(1, count + 1)
        mean[1 : count + 1] = (count - j) / count * np.where(j < count, mean[1 : count + 1], 0) + j / count * (
            factor * mean[:count]
        )
    drawn = np.zeros(len(factors) + 1)  # the chance that j of the factors are among the documents drawn
    drawn[0] = 1.0
    means = [1.0]
    left = len(factors) - np.arange(len(factors) + 1)
    for draw in range(draws):
        chance = left / (size - draw)
        drawn[1:] = drawn[1:] * (1 - chance[1:]) + drawn[:-1] * chance[:-1]
        drawn[0] *= 1 - chance[0]
        means.append(float(drawn @ mean))
    return np.array(means)
