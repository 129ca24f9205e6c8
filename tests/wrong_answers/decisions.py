"""Wrong and odd answers about the comparison of two systems."""

from itertools import product

import numpy as np

from . import unusual, wrong


@wrong("leads", "leaves out the questions that one system did not answer")
def common_questions_only(a, b, questions):
    return [b[q] - a[q] for q in questions if q in a and q in b and a[q] is not None]


@wrong("leads", "unpaired")
def zip_of_the_values(a, b, questions):
    return [y - x for x, y in zip(a.values(), b.values(), strict=False) if x is not None and y is not None]


@wrong("by_coins", "in one direction only")
def no_abs(leads):
    sums = np.array(list(product([1, -1], repeat=len(leads)))) @ np.array(leads)
    return float(np.mean(sums >= sum(leads) - 1e-9))


@wrong("by_coins", "as if the mean had one coin")
def flips_the_mean(leads):
    mean = sum(leads) / len(leads) if leads else 0
    return sum(abs(sign * mean) >= abs(mean) for sign in (1, -1)) / 2


@wrong("survivors", "luck alone passes some")
def every_small_one(ps, limit):
    return sum(p < limit for p in ps)


@unusual("survivors")
def with_adjusted_values(ps, limit):
    adjusted, highest = [], 0.0
    for i, p in enumerate(sorted(ps)):
        highest = max(highest, p * (len(ps) - i))
        adjusted.append(highest)
    return sum(p < limit for p in adjusted)


@unusual("by_coins")
def by_recursion(leads):
    def sums(rest):
        return [0.0] if not rest else [x + s for s in sums(rest[1:]) for x in (rest[0], -rest[0])]

    found = sums(list(leads))
    return np.mean([abs(s) >= abs(sum(leads)) - 1e-9 for s in found])
