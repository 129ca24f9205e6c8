"""The one engine. Rankings are columns with an entry per document, and every quantity is a small function of others.

A function's arguments name what it needs: other quantities, what a reader gave, or choices of the table. Each quantity
is computed once for all definitions that agree in the choices that it needs. The right definition takes the default of
every choice, a convention takes other options and a slip a wrong level: nothing else tells the three apart.
"""
# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False, disallow-untyped-calls=False
# (the arguments of a quantity are names of quantities and of choices, and their types follow from the names)

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from ndcg_lib.checks import in_single
from ndcg_lib.choices import Bound, ByGrade, Level, bind
from ndcg_lib.definition import CHOICE_OF, CHOICES, PARAMETERS, TABLE
from ndcg_lib.formula import discounts, ndcg
from ndcg_lib.types import Array

Recipe: TypeAlias = tuple[Level, ...]
"""One level for each of FACTORS."""

SAFE = 900  # gains up to 2^900 leave room to add up 2^100 of them
FACTORS = tuple(name for c in CHOICES for name in ((c.name, f"ideal_{c.name}") if c.twice else (c.name,)))
"""The choices by name; where a slip may choose otherwise for the ideal, `ideal_…` follows."""
AT = {name: place for place, name in enumerate(FACTORS)}
RIGHT: Recipe = tuple(
    bind(name, TABLE[name if name in TABLE else name.removeprefix("ideal_")].default, wrong=True) for name in FACTORS
)
"""The textbook's definition."""
QUANTITIES = ("cg", "dcg", "idcg", "ndcg", "mean")
"""What is reported: `mean` is the mean NDCG over the queries."""
NODES: dict[str, Node] = {}
SWITCHES: list[int] = []
"""The places of the choices that decide which quantities are needed at all."""


class Node:
    """A quantity: how it is computed, and from what. One `by_choice` is the quantity that its choices name."""

    def __init__(self, compute: Callable[..., Any], name: str = "", inputs: tuple[str, ...] = ()) -> None:
        self.name, self.compute = name or compute.__name__, compute
        self.inputs = inputs or tuple(inspect.signature(compute).parameters)
        self.by_choice = False
        self._picks: dict[Any, Callable[[Recipe], Any]] = {}
        NODES[self.name] = self

    def levels(self, recipe: Recipe) -> Any:
        """The levels of a definition that the quantity depends on in the end."""
        branch = branch_of(recipe)
        if branch not in self._picks:
            self._picks[branch] = picker(factors(self.name, recipe))
        return self._picks[branch](recipe)


def picker(names: Iterable[str]) -> Callable[[Recipe], Any]:
    """Picks the levels of some choices out of a definition.

    >>> picker(["discount", "gain"])(RIGHT)
    (linear, modern(2))
    """
    places = sorted(AT[name] for name in names)
    return itemgetter(*places) if places else lambda recipe: ()


def factors(name: str, recipe: Recipe = RIGHT) -> frozenset[str]:
    """The choices that a quantity depends on under a definition.

    >>> sorted(factors("cg") - factors("dcg")), "ties" in factors("idcg")
    ([], False)
    """
    return _factors(name, branch_of(recipe))


@cache
def _factors(name: str, branch: tuple[Level, ...]) -> frozenset[str]:
    if name in AT:
        return frozenset({name})
    node = NODES.get(name)
    if node is None:
        return frozenset()
    names = list(node.inputs)
    if node.by_choice:
        switches = dict(zip(SWITCHES, branch, strict=True))
        names.append(node.compute(*(switches[AT[n]] for n in node.inputs)))
    return frozenset().union(*[_factors(n, branch) for n in names])


def quantity(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Make a quantity of a function whose arguments are names of quantities and of choices."""
    Node(compute)
    return compute


def by_choice(compute: Callable[..., str]) -> Callable[..., str]:
    """Make a quantity of a function of choices that gives the name of another one."""
    node = Node(compute)
    node.by_choice = True
    SWITCHES.extend({AT[name] for name in node.inputs}.difference(SWITCHES))
    return compute


def reach(changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Which reported quantities a change of some choices can reach.

    >>> reach({"ideal_cut": "none"})
    ('idcg', 'ndcg', 'mean')
    """
    changed = {factor(name) for name in changes}
    after = recipe_of(**changes)
    return tuple(name for name in QUANTITIES if (factors(name) | factors(name, after)) & changed)


class Sheet:
    """The quantities of some rankings: what `inputs` or a reader gave, and what was computed from it so far."""

    def __init__(self, **given: Any) -> None:
        self.given: dict[str, Any] = given
        self.done: dict[Any, Any] = {}

    def __call__(self, name: str, recipe: Recipe = RIGHT) -> Any:
        """One quantity under one definition: a value per query, or whatever the quantity is."""
        if name in self.given:
            return self.given[name]
        node = NODES[name]
        if node.by_choice:
            return self(node.compute(*[recipe[AT[n]] for n in node.inputs]), recipe)
        key = (name, node.levels(recipe))
        if key not in self.done:
            self.done[key] = node.compute(*[recipe[AT[n]] if n in AT else self(n, recipe) for n in node.inputs])
        return self.done[key]

    def many(self, name: str, recipes: Sequence[Recipe]) -> Array:
        """A row per definition. The last steps, element by element, are taken for all definitions at once."""
        node = NODES[name]
        if node.compute not in ELEMENTWISE:
            return np.array([self(name, recipe) for recipe in recipes]).reshape(len(recipes), -1)
        chosen = [n for n in node.inputs if n in AT]
        parts = {n: self.many(n, recipes) for n in node.inputs if n not in AT}
        pick = picker(chosen)
        alike: dict[Any, list[int]] = {}
        for row, recipe in enumerate(recipes):
            alike.setdefault(pick(recipe), []).append(row)
        out = np.empty((len(recipes), self.given["queries"]))
        for rows in alike.values():
            levels = {n: recipes[rows[0]][AT[n]] for n in chosen}
            out[rows] = node.compute(*[levels[n] if n in levels else parts[n][rows] for n in node.inputs])
        return out


def recipe_of(recipe: Recipe = RIGHT, /, **changes: Any) -> Recipe:
    """A definition with some levels changed, each on its side alone, as slips do it; parameters go by their name.

    >>> recipe_of(gain="exponential")[AT["gain"]], recipe_of(ideal_base=10)[AT["ideal_discount"]]
    (exponential, modern(10))
    """
    levels = list(recipe)
    for name, level in changes.items():
        at = AT[factor(name)]
        try:
            levels[at] = _changed(name, levels[at], level)
        except TypeError:  # a mapping cannot be remembered
            levels[at] = _changed.__wrapped__(name, levels[at], level)
    return tuple(levels)


@lru_cache(10_000, typed=True)
def _changed(name: str, before: Level, level: Any) -> Level:
    """The level that a change makes of another one, which keeps its parameters."""
    kept = before.parameters if isinstance(before, Bound) else {}
    if name not in AT:
        kept = kept and kept | {name.removeprefix("ideal_"): level}
        level = getattr(before, "key", before)
    return bind(factor(name), level, kept, wrong=True)


def following(**choices: Any) -> Recipe:
    """The definition of a convention: the choices of a caller, checked, with both sides of the quotient alike.

    >>> following(gain="exponential", base=10)[AT["ideal_discount"]]
    modern(10)
    """
    if not choices:
        return RIGHT
    try:
        return _following(tuple(choices), *choices.values())
    except TypeError:  # a mapping cannot be remembered
        return _following.__wrapped__(tuple(choices), *choices.values())


@lru_cache(512, typed=True)
def _following(names: tuple[str, ...], *values: Any) -> Recipe:
    choices = dict(zip(names, values, strict=True))
    parameters = {name: choices.pop(name) for name in list(choices) if name in PARAMETERS}
    levels = list(RIGHT)
    for name in {*choices, *(CHOICE_OF[p] for p in parameters)}:
        level = bind(name, choices.get(name, TABLE[name].default), parameters)
        for side in (name, f"ideal_{name}"):
            if side in AT:
                levels[AT[side]] = level
    return tuple(levels)


@cache
def factor(name: str) -> str:
    """The factor that a choice or a parameter belongs to."""
    side = "ideal_" if name not in AT and name.startswith("ideal_") else ""
    plain = name.removeprefix(side)
    factor = name if name in AT else side + CHOICE_OF.get(plain, plain)
    if factor not in AT:
        raise ValueError(f"there is no choice {name!r}: there are {', '.join((*FACTORS, *PARAMETERS))}")
    return factor


# ---- tools ----


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


ELEMENTWISE = {quotient, told}
for _name in ("cg", "dcg", "idcg"):
    Node(unscaled, f"plain_{_name}", (f"{_name}_sum", "scale"))
    Node(told, _name, (f"plain_{_name}", "result"))
Node(told, "ndcg", ("quotient", "result"))
branch_of = itemgetter(*SWITCHES)
"""The levels that decide which quantities are needed."""


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


# ---- other measures, from the same columns ----


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
