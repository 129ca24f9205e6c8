"""The quantities of the other measures, from the same columns."""
# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False, disallow-untyped-calls=False
# (the arguments of a quantity are names of quantities and of choices, and their types follow from the names)

from __future__ import annotations

import numpy as np

from ndcg_lib.engine.columns import as_number, counting, per_query, runs, weights, within
from ndcg_lib.engine.sheet import quantity


@quantity
def relevant_hits(order, grade, relevant):
    """1 for each document in ranked order that is relevant."""
    g = grade[order[0]]
    return (g > 0 if relevant is None else g >= relevant) * 1.0


@quantity
def wanted(judged_query, judged_grade, relevant, queries):
    """How many relevant documents each query has."""
    return np.bincount(judged_query, judged_grade > 0 if relevant is None else judged_grade >= relevant, queries)


def share(sums, wanted, empty):
    """A sum over the relevant documents, divided by how many there are."""
    return np.where(wanted == 0, as_number(empty), sums / np.maximum(wanted, 1))


@quantity
def found(order, relevant_hits, top_limit, queries):
    """How many relevant documents stand among the ranks that count."""
    return per_query(order[1], relevant_hits * counting(top_limit, *order[1:]), queries)


@quantity
def precision(found, k, returned):
    """The share of the ranks up to k that hold a relevant document."""
    return found / np.maximum(returned if k is None else k, 1)


@quantity
def recall(found, wanted, empty):
    """The share of the relevant documents that were found."""
    return share(found, wanted, empty)


@quantity
def f_measure(found, k, returned, wanted, beta):
    """The harmonic mean of precision and recall, in which recall weighs beta squared."""
    out_of = beta**2 * wanted + (returned if k is None else k)
    return (1 + beta**2) * found / np.maximum(out_of, 1)


@quantity
def relative_precision(found, k, returned, wanted, empty):
    """The precision by the largest that is possible."""
    return share(found, np.minimum(wanted, returned if k is None else k), empty)


@quantity
def set_precision(found, returned, wanted, empty):
    """Precision times recall."""
    return share(found * found / np.maximum(returned, 1), wanted, empty)


@quantity
def rbp(order, relevant_hits, grade, top_limit, queries, persistence, max_grade):
    """Rank-biased precision: the reader goes on with probability `persistence`."""
    worth = relevant_hits if max_grade is None else np.maximum(grade[order[0]], 0) / max_grade
    patience = float(persistence) ** np.arange(top_limit.max(initial=0))
    w = weights(order[2], order[3], top_limit[order[1]], patience)
    return (1 - persistence) * per_query(order[1], worth * w, queries)


@quantity
def groups(order, relevant_hits, top_limit):
    """Relevant documents by tie: query, above, size, how many relevant, relevant before, ranks that count."""
    rows = np.flatnonzero(relevant_hits)
    query, above, size = (column[rows] for column in order[1:])
    start, many = runs(query, above)
    before = np.cumsum(many) - many
    first, n = runs(query[start])
    before = before - np.repeat(before[first], n)
    counts = np.clip(top_limit[query[start]] - above[start], 0, size[start])
    return query[start], above[start], size[start], many, before, counts


@quantity
def average_precision(groups, wanted, empty, queries):
    """Expected over all orders of the tied: (r/n) Σ_j (before + 1 + j (r-1)/(n-1)) / (above + 1 + j)."""
    query, above, n, r, before, m = groups
    h = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, (above + n).max(initial=0) + 1))))
    inverse = np.where(n == 1, (m > 0) / (above + 1), h[above + m] - h[above])
    slope = (r - 1) / np.maximum(n - 1, 1)
    at_each = (before + 1) * inverse + slope * (m - (above + 1) * inverse)
    return share(per_query(query, r / n * at_each, queries), wanted, empty)


def first_hit(groups, queries, worth):
    """What the rank of the first relevant document is worth, expected over all orders of the tied."""
    start, _ = runs(groups[0])
    query, above, n, r, _, m = (column[start] for column in groups)
    value, none_yet = np.zeros(len(query)), np.ones(len(query))
    for j in range(int((n - r + 1).max(initial=0))):
        here = np.clip(r / np.maximum(n - j, 1), 0, 1)
        value += np.where(j < m, none_yet * here * worth(above + 1 + j), 0.0)
        none_yet = none_yet * (1 - here)
    return per_query(query, value, queries)


@quantity
def reciprocal_rank(groups, queries):
    """1 / rank of the first relevant document."""
    return first_hit(groups, queries, lambda rank: 1 / rank)


@quantity
def success(groups, queries):
    """1 where a relevant document stands among the ranks that count; of the tied, the chance that one does."""
    return first_hit(groups, queries, np.ones_like)


@quantity
def r_precision(order, relevant_hits, wanted, queries, empty):
    """The precision at rank R, where R is the number of relevant documents."""
    w = counting(np.rint(wanted).astype(np.int64), *order[1:])
    return share(per_query(order[1], relevant_hits * w, queries), wanted, empty)


@quantity
def judged_share(order, top_limit, returned, k, queries):
    """The share of the documents shown, at most k of them, that somebody judged."""
    shown = returned if k is None else np.minimum(returned, k)
    return per_query(order[1], counting(top_limit, *order[1:]), queries) / np.maximum(shown, 1)


@quantity
def bpref(order, relevant_hits, hole, judged_query, judged_hole, wanted, queries, empty):
    """How many judged documents that are not relevant stand above each relevant one (Buckley and Voorhees 2004)."""
    others = np.bincount(judged_query, ~judged_hole, queries) - wanted
    before, tied = above_and_tied(order, ~hole[order[0]] - relevant_hits)
    most, out_of = (column[order[1]] for column in (wanted, np.maximum(np.minimum(others, wanted), 1)))
    kept = relevant_hits * (1 - clipped_mean(before, tied, most) / out_of)
    return share(per_query(order[1], kept, queries), wanted, empty)


def above_and_tied(order, counts):
    """For each document in order, the sum of `counts` above its tie, and in its tie."""
    sums, (start, size), (first, many) = np.concatenate(([0.0], np.cumsum(counts))), runs(*order[1:3]), runs(order[1])
    above = np.repeat(sums[start], size) - np.repeat(sums[first], many)
    return above, np.repeat(sums[start + size] - sums[start], size)


def clipped_mean(before, tied, most):
    """The mean of min(before + j, most) over j = 0 … tied."""
    free = np.clip(most - before, 0, tied)
    return np.minimum(before, most) + (free * (free + 1) / 2 + (tied - free) * free) / (tied + 1)


@quantity
def inferred_ap(order, relevant_hits, hole, wanted, queries, empty):
    """AP inferred from a sample of the pool (Yilmaz and Aslam 2006), with the small number of trec_eval."""
    if (order[3] > 1).any():
        raise ValueError("infAP reads one order, and scores tie: choose ties='id-descending', as trec_eval does")
    known = ~hole[order[0]] * 1.0
    relevant, judged, pool = (above_and_tied(order, counts)[0] for counts in (relevant_hits, known, known * 0 + 1))
    precision = (1 + pool * (relevant + 1e-5) / (judged + 2e-5)) / (order[2] + 1)
    return share(per_query(order[1], relevant_hits * precision, queries), wanted, empty)


@quantity
def err(order, grade, top_limit, queries, top_grade):
    """Expected reciprocal rank: the reader stops at a document with probability (2^grade - 1) / 2^top_grade."""
    stop = (np.exp2(np.maximum(grade[order[0]], 0)) - 1) / 2.0**top_grade
    rows = np.flatnonzero(stop > 0)
    query, above, size, stop = order[1][rows], order[2][rows], order[3][rows], stop[rows]
    out = np.zeros(queries)
    if (size == 1).all():  # no ties: one pass over the hits of each query
        number = within(*runs(query))
        arrives = np.ones(queries)
        for j in range(int(number.max(initial=-1)) + 1):
            at = np.flatnonzero(number == j)
            seen = above[at] < top_limit[query[at]]
            out[query[at]] += np.where(seen, arrives[query[at]] * stop[at] / (above[at] + 1), 0.0)
            arrives[query[at]] *= 1 - stop[at]
        return out
    share_that_arrives, last = 1.0, -1
    for start, many in zip(*(x.tolist() for x in runs(query, above)), strict=True):
        q, a, n, s = int(query[start]), int(above[start]), int(size[start]), stop[start : start + many]
        share_that_arrives, last = (1.0 if q != last else share_that_arrives), q
        m = min(n, max(int(top_limit[q]) - a, 0))
        if m:
            goes_on = mean_product(1 - s, n, m)
            stops = (goes_on[:-1] - goes_on[1:]) / np.arange(a + 1, a + m + 1)
            out[q] += share_that_arrives * float(np.sum(stops))
        share_that_arrives *= float(np.prod(1 - s))
    return out


def mean_product(factors, size, draws):
    """The mean product of 0, 1, … draws documents of a group; documents without a factor have factor 1."""
    mean = np.ones(len(factors) + 1)
    for count, factor in enumerate(factors, 1):
        j = np.arange(1, count + 1)
        with_it = j / count * factor * mean[:count]
        mean[1 : count + 1] = (count - j) / count * np.where(j < count, mean[1 : count + 1], 0) + with_it
    drawn, means, left = np.zeros(len(factors) + 1), [1.0], len(factors) - np.arange(len(factors) + 1)
    drawn[0] = 1.0
    for draw in range(draws):
        chance = left / (size - draw)
        drawn[1:] = drawn[1:] * (1 - chance[1:]) + drawn[:-1] * chance[:-1]
        drawn[0] *= 1 - chance[0]
        means.append(float(drawn @ mean))
    return np.array(means)
