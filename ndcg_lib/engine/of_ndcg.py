"""The quantities of NDCG: the list, the ideal, and their quotient."""
# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False, disallow-untyped-calls=False
# (the arguments of a quantity are names of quantities and of choices, and their types follow from the names)

from __future__ import annotations

from typing import Any

import numpy as np

from ndcg_lib.checks import in_single
from ndcg_lib.choices import Bound
from ndcg_lib.engine.columns import (
    SAFE,
    as_number,
    counting,
    digits,
    gains,
    largest,
    limits,
    per_query,
    placed,
    rounded,
    runs,
    weights,
    within,
)
from ndcg_lib.engine.sheet import NODES, Node, by_choice, quantity
from ndcg_lib.formula import discounts, ndcg

# ---- the list ----


@quantity
def scale(query, grade, judged_query, judged_grade, queries, gain):
    """The power of 2 by which all gains of a query are divided so that sums keep their digits; None: nothing is."""
    exponential = getattr(gain, "key", "") == "exponential"
    sides = [(query, grade), (judged_query, judged_grade)]
    if not exponential:
        sides = [(q, np.abs(g if isinstance(gain, Bound) else gains(g, gain, query=q))) for q, g in sides]
    top = np.maximum(*(largest(q, g, queries) for q, g in sides))
    if isinstance(gain, Bound) and not exponential:
        top = gains(top, gain)
    tiny, huge = (top > 0) & (top < 2.0**-SAFE), top > (SAFE if exponential else 2.0**SAFE)
    exponents = np.where(huge & exponential, np.ceil(top), np.frexp(top)[1])
    return np.where(tiny | huge, exponents, 0).astype(int) if (tiny | huge).any() else None


def scaled(x, scale):
    """Numbers as if their gains were divided by the same power of 2."""
    return x if scale is None else np.ldexp(x, -scale)


def unscaled(x, scale):
    """Sums as they are, whatever power of 2 their gains were divided by."""
    return x if scale is None else np.ldexp(x, scale)


@quantity
def listed(query, again, unknown, duplicates, unjudged):
    """The returned documents that take a rank, as rows and queries."""
    rows = np.arange(len(query))
    rows = rows if again is None or duplicates.key != "once" else rows[~again]
    rows = rows if unknown is None or unjudged.key != "removed" else rows[~unknown[rows]]
    return rows, query[rows]


@quantity
def order(listed, query, grade, score, name, gain, ranking, score_precision, roles, ties):
    """The documents in ranked order: their rows, queries, documents above, and documents that share their score."""
    rows, _ = listed
    place = np.arange(len(query))
    key: Any = place
    if score is not None:
        key = -(in_single(score) if score_precision.key == "single" else score)
    if roles.key == "swapped":
        key = -grade
    elif ranking.key != "scores":
        key = place if ranking.key == "given" else -key
    tie = ties.option.function
    second = place
    if tie is not None:
        worth = grade if isinstance(gain, Bound) else gains(grade, gain, query=query)
        second = tie(place, worth, place if name is None else name)
    rows = rows[np.lexsort((second[rows], key[rows], query[rows]))]
    return rows, query[rows], *placed(query[rows], key[rows], ties.key == "average" and key is not place)


@quantity
def top_values(grade, score, roles, values, negative, fractions, regrade):
    """What the gains of the list are made from."""
    by_score = score is not None and (values.key == "scores") != (roles.key == "swapped")
    return regraded(score if by_score else grade, negative, fractions, regrade)


def regraded(values, negative, fractions, regrade):
    """Grades as a level of negative, fractions or regrade turns them into others."""
    values = np.trunc(values) if fractions.key == "cut" else values
    return regrade.option.function(np.maximum(values, 0.0) if negative.key == "clipped" else values)


@quantity
def judged_values(judged_grade, negative, fractions, regrade):
    """What the gains of the ideal are made from."""
    return regraded(judged_grade, negative, fractions, regrade)


@quantity
def listed_gains(query, top_values, unknown, gain, scale):
    """The gains of the returned documents, in the order given."""
    return of_known(gains(top_values, gain, None if scale is None else scale[query], query), unknown, gain)


def of_known(g, unknown, gain):
    """Gains of presence: nobody says of an unjudged document that it is there."""
    return g * ~unknown if unknown is not None and getattr(gain, "key", "") == "presence" else g


@quantity
def top_gains(order, listed_gains):
    """The gains in ranked order."""
    return listed_gains[order[0]]


@quantity
def held(order, queries, returned, hits_only):
    """How many documents stand in each list."""
    return returned if hits_only else np.bincount(order[1], minlength=queries)


def added(query, g, w, queries, limit, above, adding, rounding):
    """The terms of each query, put together."""
    terms = g * w
    if adding.key == "last":
        terms = np.where(above == limit[query] - 1, terms, 0.0)
    sums = per_query(query, rounded(terms, rounding, "terms"), queries)
    return sums / np.maximum(limit, 1) if adding.key == "mean" else sums


def rank_weights(n, discount, rounding):
    """The discounts, rounded where a level says so."""
    d = rounded(discounts(int(n), discount), rounding, "discounts")
    return 1 / rounded(1 / d, rounding, "logs") if digits(rounding)[0] == "logs" else d


@quantity
def top_limit(cut, k, held, returned):
    """How many ranks of the list count."""
    return limits(cut, k, held, returned)


@quantity
def top_terms(order, top_gains, hits_only):
    """Query, gain, rank and size of the tie of each document. Where all documents are there, the tied share a mean."""
    _, query, above, tied = order
    if hits_only or not (tied > 1).any():
        return query, top_gains, above, tied
    start, size = runs(query, above)
    rank = within(*runs(query))
    return query, np.repeat(np.add.reduceat(top_gains, start) / size, size), rank, np.ones_like(rank)


@quantity
def top_weights(top_terms, top_limit, discount, rounding):
    """What the rank of each document of the list is worth."""
    query, _, above, tied = top_terms
    return weights(above, tied, top_limit[query], rank_weights(top_limit.max(initial=0), discount, rounding))


@quantity
def cg_sum(top_terms, top_limit, queries, adding):
    """The sum of the gains, scaled."""
    query, g, above, tied = top_terms
    w = counting(top_limit, query, above, tied)
    return added(query, g, w, queries, top_limit, above, adding, "")


@quantity
def dcg_sum(top_terms, top_weights, top_limit, queries, adding, rounding):
    """The discounted sum over the list, scaled."""
    query, g, above, _ = top_terms
    return added(query, g, top_weights, queries, top_limit, above, adding, rounding)


# ---- the ideal ----


@quantity
def first_k(order, top_limit):
    """The returned documents that count, as rows and queries."""
    some = within(*runs(order[1])) < top_limit[order[1]]
    return order[0][some], order[1][some]


@by_choice
def ideal_gains(ideal, roles):
    """Whose documents the ideal list holds."""
    if ideal.key == "top":
        return "gains_of_top"
    return "gains_of_listed" if ideal.key == "returned" or roles.key == "swapped" else "gains_of_judged"


@quantity
def gains_of_returned(top_values, unknown, query, scale, ideal_gain):
    """What the ideal pays for the returned documents, in the order given."""
    return of_known(gains(top_values, ideal_gain, None if scale is None else scale[query], query), unknown, ideal_gain)


@quantity
def gains_of_top(first_k, gains_of_returned):
    """Query and gain of the returned documents that count."""
    rows, of = first_k
    return of, gains_of_returned[rows]


@quantity
def gains_of_listed(listed, gains_of_returned):
    """Query and gain of the returned documents."""
    rows, of = listed
    return of, gains_of_returned[rows]


@quantity
def gains_of_judged(judged_query, judged_values, k, queries, returned, scale, ideal, ideal_gain):
    """Query and gain of the judged documents, or of those among them that a wrong ideal holds."""
    of, shift = judged_query, None if scale is None else scale[judged_query]
    g = gains(judged_values, ideal_gain, shift, of)
    if ideal.key == "first" and k is not None:
        some = within(*runs(of)) < k
        return of[some], g[some]
    if ideal.key == "perfect":
        length = int(k or returned.max(initial=0))
        return np.repeat(np.arange(queries), length), np.repeat(largest(of, g, queries), length)
    return of, g


@quantity
def ideal_list(ideal_gains, ideal_order):
    """Query and gain of the documents of the ideal, best first."""
    of, g = ideal_gains
    if ideal_order.key != "given":
        rows = np.lexsort((g if ideal_order.key == "ascending" else -g, of))
        of, g = of[rows], g[rows]
    if ideal_order.key == "distinct":
        start, _ = runs(of, g)
        of, g = of[start], g[start]
    return of, g


@quantity
def ideal_limit(ideal_cut, k, ideal_list, queries, returned):
    """How many ranks of the ideal count."""
    return limits(ideal_cut, k, np.bincount(ideal_list[0], minlength=queries), returned)


@quantity
def ideal_rank(ideal_list):
    """How many documents of the ideal stand above each of them."""
    return within(*runs(ideal_list[0]))


@quantity
def idcg_sum(ideal_list, ideal_rank, ideal_limit, queries, ideal_discount, adding, rounding):
    """The discounted sum over the ideal, scaled."""
    query, g = ideal_list
    d = rank_weights(ideal_limit.max(initial=0), ideal_discount, rounding)
    w = weights(ideal_rank, np.ones_like(ideal_rank), ideal_limit[query], d)
    return added(query, g, w, queries, ideal_limit, ideal_rank, adding, rounding)


# ---- the quotient ----


@by_choice
def bottom(divide):
    """What the DCG is divided by, scaled as it is."""
    return {"cg": "cg_sum", "max-grade": "largest_gain", "discounts": "discount_sum", "k": "rank_count",
            "nothing": "one"}.get(divide.key, "idcg_sum")  # fmt: skip


@quantity
def largest_gain(ideal_list, queries):
    """The largest gain of each query."""
    query, g = ideal_list
    return largest(query, g, queries)


@quantity
def discount_sum(top_terms, top_weights, top_limit, queries, scale, adding):
    """The sum of the discounts of the list."""
    return scaled(added(top_terms[0], 1.0, top_weights, queries, top_limit, top_terms[2], adding, ""), scale)


@quantity
def rank_count(top_limit, scale):
    """The number of ranks that count."""
    return scaled(top_limit.astype(float), scale)


@quantity
def one(queries, scale):
    """Nothing to divide by."""
    return scaled(np.ones(queries), scale)


@quantity
def quotient(dcg_sum, bottom, divide, empty, parts):
    """DCG / IDCG, with the chosen number where the ideal is 0."""
    top, under = rounded(dcg_sum, parts, "rounded"), rounded(bottom, parts, "rounded")
    if divide.key == "upside-down":
        top, under = under, top
    with np.errstate(all="ignore"):
        return ndcg(top, under, as_number(empty))


def told(values, result):
    """Values as they are given."""
    if result.key == "percent":
        return values * 100
    return rounded(values, result, "rounded", "cut")


for _name in ("cg", "dcg", "idcg"):
    Node(unscaled, f"plain_{_name}", (f"{_name}_sum", "scale"))
    Node(told, _name, (f"plain_{_name}", "result")).elementwise = True
Node(told, "ndcg", ("quotient", "result")).elementwise = NODES["quotient"].elementwise = True


@quantity
def counted(quotient, returned, judged_count, missing, strangers, empty):
    """Which queries count in the mean, and what each is worth there."""
    strange, without = judged_count == 0, (returned == 0) & (judged_count > 0)
    counts = ~((strange & (strangers.key == "skip")) | (without & (missing.key == "skip")))
    values = np.where(strange | without, 0.0, quotient)
    return counts & ~np.isnan(values) if getattr(empty, "key", "") == "skip" else counts, values


@quantity
def mean(counted, plain_dcg, bottom, scale, averaging, result):
    """The mean NDCG over the queries."""
    counts, values = counted
    if averaging.key == "ratio-of-means":
        return told(plain_dcg[counts].sum() / unscaled(bottom, scale)[counts].sum(), result)
    return told(values[counts].sum() / (1 if averaging.key == "sum" else counts.sum()), result)
