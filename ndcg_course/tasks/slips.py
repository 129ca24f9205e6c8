"""Known wrong answers to a task: a function of their own, or keywords that make the reference wrong."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any


@dataclass(frozen=True)
class TaskSlip:
    """A known wrong answer to one task. `changes` are keywords of the reference that make it wrong."""

    name: str
    wrong: Callable[..., Any] | None = None
    sentence: str = ""
    place: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    rarity: int = 1


def slip(
    name: str, wrong: Callable[..., Any] | None = None, sentence: str = "", place: str = "", **changes: Any
) -> TaskSlip:
    """A slip of a task: a wrong function, or keywords that make the reference wrong.

    The sentence and the place come from `ndcg_lib.slips` where the name is known there. With neither a function nor
    keywords, the changes of that slip are used too; the task's reference must then be made by `by_recipe`.

    >>> slip("natural-log", base=2.718281828).changes
    {'base': 2.718281828}
    """
    from ndcg_lib.slips import SLIPS

    known = SLIPS.get(name)
    if known is None:
        if not sentence or (wrong is None and not changes):
            raise ValueError(f"slip {name!r} is not in ndcg_lib.slips: give it a sentence, and a function or keywords")
        return TaskSlip(name, wrong, sentence, place, changes)
    if wrong is None and not changes:
        changes = dict(known.changes)
    return TaskSlip(name, wrong, sentence or known.sentence, place or known.page, changes, known.rarity)


def library(quantity: str, without: Sequence[str] = (), *, scored: bool = False) -> list[TaskSlip]:
    """Every slip of `ndcg_lib.slips` that reaches a quantity, the most frequent ones first; for `by_recipe`.

    Where a task gives no scores, the slips about them are told as what they do to a list.

    >>> [s.name for s in library("cg")][:2]
    ['list-from-the-end', 'list-sorted-first']
    """
    from ndcg_lib.slips import SLIPS

    reaching = [s for s in SLIPS.values() if quantity in s.quantities and not s.same_as and s.name not in without]
    known = (slip(s.name) for s in sorted(reaching, key=lambda s: s.rarity))
    if scored:
        return list(known)
    told = {
        "ndcg": _WITHOUT_SCORES | {"roles-swapped": _orders_alike},
        "mean": _WITHOUT_SCORES | {"roles-swapped": _orders_alike},
    }
    return [told.get(quantity, _WITHOUT_SCORES).get(s.name, _itself)(s) for s in known]


def other_quantities(quantity: str) -> list[TaskSlip]:
    """Another quantity in place of the one that is asked, for `by_recipe`; what `library` knows already is left out.

    >>> [s.name for s in other_quantities("dcg")]
    ['idcg-for-dcg', 'ndcg-for-dcg', 'loss-for-dcg']
    """
    known = {"cg": (), "dcg": ("cg",), "idcg": ("cg",), "ndcg": ("dcg", "cg")}[quantity]
    return [
        TaskSlip(
            f"{other}-for-{quantity}",
            sentence=f"Your numbers are those of {told}, and {quantity.upper()} is asked.",
            changes={"quantity": other},
            rarity=2,
        )
        for other, told in _OTHERS.items()
        if other not in (quantity, *known)
    ]


_OTHERS = {
    "cg": "CG, the plain sum",
    "dcg": "DCG, with a discount for each rank",
    "idcg": "IDCG, of the best order",
    "ndcg": "NDCG, divided by the ideal",
    "loss": "IDCG minus DCG, what the list has lost",
}


def _orders_alike(known: TaskSlip) -> TaskSlip:
    """In a quotient this has two causes that give the same numbers: an ideal that is not sorted, a list that is."""
    sentence = (
        "The order makes no difference in your numbers. The ideal list is sorted, best first; the returned list stays"
        " as it is."
    )
    return replace(
        known, name="list-sorted-first", sentence=sentence, place="chapters/the-ideal-ranking#ideal-definition"
    )


def _itself(known: TaskSlip) -> TaskSlip:
    return known


def sums_apart(quantity: str, reference: Callable[..., Any]) -> list[TaskSlip]:
    """Ways to add up the gains first and to divide the sum by logarithms, for a reference made by `by_recipe`.

    For NDCG, a quotient at each rank and the mean of them.
    """
    if quantity == "ndcg":
        return _QUOTIENTS if list(inspect.signature(reference).parameters)[:2] == ["grades", "k"] else []
    if quantity not in ("dcg", "idcg"):
        return []

    def total(of: str, *args: Any, **data: Any) -> float:
        given = [*args, *data.values()]
        items = next(value for value in given if isinstance(value, list))
        k = given[-1] if isinstance(given[-1], int) else len(items)
        logs = [math.log2(i + 1) for i in range(1, min(k, len(items)) + 1)]
        gains = reference(*given, discount="none", ideal_discount="none")
        as_given = math.log2(k + 1) if k else 0.0
        return float(gains / {"all": sum(logs), "last": logs[-1], "k": as_given}[of]) if logs else 0.0

    says = "You add up the gains first and divide the sum by "
    return [
        TaskSlip(name, partial(total, of), says + told + " Each gain has a divisor of its own.", rarity=2)
        for name, of, told in (
            ("sum-over-logs", "all", "the sum of the logarithms."),
            ("sum-over-last-log", "last", "the logarithm of the last rank."),
            ("sum-over-log-of-k", "k", "the logarithm of k + 1."),
        )
    ]


def _mean_of_quotients(grades: list[float], k: int | None = None) -> float:
    quotients = [a / b for a, b in zip(grades[:k], sorted(grades, reverse=True), strict=False) if b]
    return sum(quotients) / len(quotients) if quotients else 0.0


_QUOTIENTS = [
    TaskSlip(
        "mean-of-quotients",
        _mean_of_quotients,
        "You divide rank by rank and take the mean. Add up both lists first, with discounts, and divide once.",
        rarity=2,
    )
]


def short_tables(reference: Callable[..., Any]) -> list[TaskSlip]:
    """A table of discounts that ends before the list does, and `zip` with it, for a reference that takes k.

    >>> from ndcg_course.tasks.recipe import by_recipe
    >>> [s.wrong([1] * 9, None) for s in short_tables(by_recipe("cg", "grades", "k"))]
    [4.0, 5.0, 9.0]
    """
    names = list(inspect.signature(reference).parameters)
    if "k" not in names:
        return []
    at = names.index("k")

    def cut(most: int, *args: Any) -> float:
        given = [*args, *[None] * (at + 1 - len(args))]
        given[at] = most if given[at] is None else min(given[at], most)
        return float(reference(*given))

    says = "Only the first {} ranks count, whatever k is. Does a table of discounts end there?"
    return [
        TaskSlip(f"table-of-{n}", partial(cut, n), says.format(word), rarity=2)
        for n, word in ((4, "four"), (5, "five"), (10, "ten"))
    ]


_WITHOUT_SCORES: dict[str, Callable[[TaskSlip], TaskSlip]] = {
    "ranking-ascending": lambda known: replace(
        known,
        name="list-from-the-end",
        sentence="Your numbers are those of the list read from its end. The first document stands at rank 1.",
    ),
    "roles-swapped": lambda known: replace(
        known,
        name="list-sorted-first",
        sentence="Your numbers are those of a list put best first before anything is added up. It is taken in the order"
        " in which it was returned.",
        place="chapters/two-rankings#why-position-matters",
    ),
}


def slipped(reference: Callable[..., Any], slips: Sequence[TaskSlip]) -> Callable[..., Any]:
    """The reference with the changes of the slips, or the one slip's own wrong function.

    >>> slipped(sorted, [slip("backwards", sentence="…", reverse=True)])([1, 2])
    [2, 1]
    """
    if len(slips) == 1 and slips[0].wrong is not None:
        return slips[0].wrong
    changes: dict[str, Any] = {}
    for one in slips:
        changes |= one.changes
    return partial(reference, **changes)
