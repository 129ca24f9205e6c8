"""The two sides of the quotient: every list side over every divisor whose quotients are a function's answers.

Both sides are tabulated by the one engine for the same probes, and the pairs are found in the middle: for a list side
the divisor that it needs is looked up. So several departures at the same time need no search of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.definition import TABLE
from ndcg_lib.engine import RIGHT, Recipe, Sheet, recipe_of
from ndcg_lib.identification.styles import Style, View

Side = dict[str, Any]

GAINS = [o.key for o in TABLE["gain"].options]
OTHER = {"base": (math.e, 10), "p": (0.5, 0.9)}
DISCOUNTS: list[Side] = [
    {"discount": o.key} | more
    for o in TABLE["discount"].options
    for more in ({}, *({p.name: value} for p in o.parameters for value in OTHER[p.name]))
]
BASES: list[Side] = [{"gain": gain} | discount for gain in GAINS for discount in DISCOUNTS]
USUAL = [
    base
    for base in BASES
    if base["gain"] in GAINS[:3] and base["discount"] in ("modern", "original", "reciprocal", "none") and len(base) == 2
]
ROUNDINGS = ("terms-2", "terms-3", "terms-cut-2", "terms-cut-0", "discounts-2", "discounts-3", "logs-2")
TOGETHER: list[Side] = [
    *({"regrade": r} for r in ("one-higher", "one-lower", "zero-as-one")),
    *({"adding": a} for a in ("mean", "last")),
    *({"rounding": r} for r in ROUNDINGS),
]
CUTS: list[Side] = [{"cut": cut} for cut in ("none", "less", "more", 1, 3, 5, 10, 20)]
OF_LIST: list[Side] = [*CUTS, *TOGETHER, {"ranking": "ascending"}, {"ranking": "given"}, {"values": "scores"}]
OF_IDEAL: list[Side] = [
    *({"ideal": i} for i in ("returned", "first", "top", "perfect")),
    *({"ideal_order": o} for o in ("ascending", "given", "distinct")),
    *({"ideal_cut": cut["cut"]} for cut in (*CUTS, {"cut": "list"})),
    *TOGETHER,
]
DIVISORS = {"cg": "cg_sum", "max-grade": "largest_gain", "discounts": "discount_sum", "k": "rank_count",
            "nothing": "one"}  # fmt: skip
SHARED = ("gain", "discount", "base", "p", "cut", "regrade", "adding", "rounding")
OF_RESULT = {"upside-down": 4.0, "parts-2": 4.0, "percent": 0.5, "single": 0.5}
UNLIKE_SIDES, PARAMETER, A_CUT, A_SLIP, UNCOMMON, UNDIVIDED = 2.5, 1.5, 1.7, 4.0, 2.0, 3.0
"""What departures cost. The cheapest story is told."""
MOST = 9999
EXACT, IN_SINGLE = 1e-9, 3e-6


def price(choice: str, level: Any) -> float:
    """What a level of a choice costs.

    >>> price("gain", "linear"), price("gain", "power"), price("base", 10)
    (0.0, 4.0, 1.5)
    """
    choice = choice.removeprefix("ideal_") if choice != "ideal_order" else choice
    if choice in ("base", "p"):
        return PARAMETER
    if level == TABLE[choice].default:
        return 0.0
    if choice == "cut" and isinstance(level, int):
        return A_CUT
    o = TABLE[choice].option(level)
    return A_SLIP if o is None or o.wrong else UNCOMMON if o.cost is None else o.cost


def as_ideal(side: Side) -> Side:
    """The same choices, made for the ideal."""
    return {f"ideal_{name}": level for name, level in side.items()}


def cost_of(a: Side, b: Side) -> float:
    """What a pair of sides costs; inf where the engine has one choice for both and they differ."""
    if b.get("divide") == "nothing":
        return sum(price(n, v) for n, v in a.items()) + UNDIVIDED
    total = sum(price(n, v) for n, v in b.items() if n.removeprefix("ideal_") not in SHARED)
    total += sum(price(n, v) for n, v in a.items() if n not in SHARED)
    for n in SHARED:
        x, y = a.get(n), b.get(f"ideal_{n}", b.get(n))
        if x == y:
            total += price(n, x) if x is not None else 0
        elif n in ("regrade", "adding", "rounding"):
            return math.inf
        else:
            total += UNLIKE_SIDES + sum(price(n, v) for v in (x, y) if v is not None)
    return total


class Match(NamedTuple):
    """A pair of sides whose quotients are the answers."""

    cost: float
    list_side: Side
    ideal_side: Side
    result: str = ""  # percent, upside-down, rounded-3 …, parts-2, single

    @property
    def undivided(self) -> bool:
        """Whether it is a DCG."""
        return self.ideal_side.get("divide") == "nothing"

    @property
    def changes(self) -> Side:
        """What it chooses."""
        special = {"upside-down": {"divide": "upside-down"}, "parts-2": {"parts": "rounded-2"}, "single": {}, "": {}}
        alone = as_ideal({n: v for n, v in self.list_side.items() if n in SHARED[:5]}) if self.undivided else {}
        return self.list_side | alone | self.ideal_side | special.get(self.result, {"result": self.result})

    @property
    def recipe(self) -> Recipe:
        """The definition, as the engine takes it."""
        return recipe_of(**self.changes)

    @property
    def slack(self) -> float:
        """The same, where the last digit of a rounded value may be another."""
        return 1.01 * 10.0 ** -int(self.result[-1]) if self.result[-1:].isdigit() else self.tolerance

    @property
    def tolerance(self) -> float:
        """How far off a value of it may be."""
        return IN_SINGLE if self.result == "single" else EXACT


class Sides(NamedTuple):
    """The DCG of every list side and the divisor of every ideal side, a column for each probe of the core."""

    of_list: list[Side]
    top: Any
    of_ideal: list[Side]
    below: Any


@cache
def sides(kind: str, binary: bool, single: bool, has_k: bool, deep: bool) -> Sides:
    """The two tables for a view; `deep` with two departures on a side."""
    view = View(kind, binary, single)
    core = view.core
    sheet = view.sheet(core, np.array([p.k for p in core]) if has_k else None)
    return tabulated(sheet, [view.sheet([p], p.k if has_k else None) for p in core], kind == "ranked", deep=deep)


def tabulated(sheet: Sheet, alone: Sequence[Sheet], one_list: bool, right: Recipe = RIGHT, deep: bool = False) -> Sides:
    """The two tables of a sheet with several queries, which `alone` has one by one; departures are from `right`."""
    bases = BASES if deep else USUAL
    some_list = [o for o in OF_LIST if sheet.given["score"] is not None or not {"ranking", "values"} & set(o)]
    of_list = [b | o for b in bases for o in some_list] + BASES
    of_ideal = [as_ideal(b) | o for b in bases for o in OF_IDEAL]
    of_ideal += [as_ideal(b) | o for b in BASES for o in ({}, {"ideal": "returned"})]
    if deep:
        of_list += [b | o | more for b in USUAL for o, more in combinations(some_list, 2) if not set(o) & set(more)]
        of_ideal += [
            as_ideal(b) | o | more for b in USUAL for o, more in combinations(OF_IDEAL, 2) if not set(o) & set(more)
        ]
    if one_list:  # it sees one list: its first k are the first k returned
        of_ideal = [side for side in of_ideal if side.get("ideal") != "first"]

    def row(node: str, changes: Side) -> list[float]:
        recipe = recipe_of(right, **changes)
        if changes.get("ideal") in ("first", "perfect"):  # which the engine makes for one k at a time
            return [float(one(node, recipe)[0]) for one in alone]
        return list((sheet(node, recipe) * np.ones(len(alone))).tolist())

    with np.errstate(all="ignore"):
        top, below = np.array([row("dcg", c) for c in of_list]), [row("idcg", c) for c in of_ideal]
        for name, node in DIVISORS.items():
            for b in USUAL if name != "nothing" else [{}]:
                below.append(row(node, b | as_ideal(b)))
                of_ideal.append(as_ideal(b) | {"divide": name})
    return Sides(of_list, top, of_ideal, np.array(below))


def tables(style: Style, deep: bool = False) -> Sides:
    """The two tables for a style."""
    return sides(style.view.kind, style.view.binary, style.view.single, bool(style.k), deep)


def fits(expected: Any, given: float, tolerance: float = EXACT) -> Any:
    """Whether these are the numbers; what is divided by 0 fits whatever stands for it."""
    near = np.abs(expected - given) <= tolerance * max(1, abs(given))
    return near | (~np.isfinite(expected) & (given in (0, 1) or not math.isfinite(given)))


def fitting(answers: Any, both: Sides) -> list[Match]:
    """Every pair of sides whose quotients are these answers, the cheapest first."""
    of_list, top, of_ideal, below = both
    exact = next((d for d in range(2, 8) if np.allclose(answers, answers.round(d), 0, 1e-13)), None)
    with np.errstate(all="ignore"):
        ways = [
            *[(answers, EXACT, ""), (answers / 100, EXACT, "percent"), (1 / answers, EXACT, "upside-down")],
            *[(answers, IN_SINGLE, "single"), (answers, EXACT, "parts-2")],
        ]
    ways[1:1] = [(answers, 0.50001 * 10.0**-exact, f"rounded-{exact}")] if exact else []
    for wanted, tolerance, result in ways:
        if np.isfinite(wanted).sum() < 4 or not wanted.any():
            continue
        if result == "parts-2":
            top, below = top.round(2), below.round(2)
        with np.errstate(all="ignore"):
            i, j = _meeting(top, below, wanted, tolerance)
            for at in range(len(answers)):
                ok = fits(top[i, at] / below[j, at], wanted[at], tolerance)
                i, j = i[ok], j[ok]
        pairs = zip(i[:MOST].tolist(), j[:MOST].tolist(), strict=True)
        more = OF_RESULT.get(result, 1.0 if result else 0.0)
        found = [Match(cost_of(of_list[a], of_ideal[b]) + more, of_list[a], of_ideal[b], result) for a, b in pairs]
        if found := sorted((m for m in found if m.cost < math.inf), key=lambda m: m.cost):
            return found
    return []


def _meeting(top: Any, below: Any, wanted: Any, tolerance: float) -> tuple[Any, Any]:
    """The pairs of sides that agree on one probe: the divisor that a list side needs is looked up."""
    at = int(np.argmax(np.where(np.isfinite(wanted), np.abs(wanted), 0)))
    w, slack = wanted[at], tolerance * max(1, abs(wanted[at]))
    order = np.argsort(below[:, at])
    ends = np.sort([top[:, at] / (w - slack), top[:, at] / (w + slack)], axis=0)
    first, last = (np.searchsorted(below[order, at], ends[n], ("left", "right")[n]) for n in (0, 1))
    many = np.maximum(last - first, 0)
    i = np.repeat(np.arange(len(top)), many)
    return i, order[np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)]


def nearest(answers: Any, style: Style, fewest: int) -> tuple[Match, Any] | None:
    """The pair that gives the most of the answers, at least so many, and which of them."""
    of_list, top, of_ideal, below = tables(style)
    with np.errstate(all="ignore"):
        right = np.array([fits(top[:, None, at] / below[None, :, at], answers[at]) for at in range(len(answers))])
    most = right.sum(0).max()
    if most < fewest:
        return None
    pairs = zip(*(found.tolist()[:MOST] for found in np.nonzero(right.sum(0) == most)), strict=True)
    cost, a, b = min((cost_of(of_list[a], of_ideal[b]), a, b) for a, b in pairs)
    return Match(cost, of_list[a], of_ideal[b]), right[:, a, b]
