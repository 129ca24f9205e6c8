"""A second, slow NDCG in 50 decimal digits, written from the definition and sharing no code with the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from mpmath import mp, mpf

mp.dps = 50


def exact(number: Any) -> mpf:
    """The number as it is: a float by its bits, a fraction or a decimal by its digits."""
    if isinstance(number, Fraction):
        return mpf(number.numerator) / number.denominator
    return mpf(str(number)) if isinstance(number, Decimal) else mpf(number)


def gain(grade: Any, definition: str | Mapping[Any, Any] | Callable[[Any], Any] = "linear") -> mpf:
    """What a grade is worth."""
    if definition == "linear":
        return exact(grade)
    if definition == "exponential":
        return _two_to_the_minus_one(grade)
    if definition == "binary":
        return mpf(grade > 0)
    return exact(definition[grade] if isinstance(definition, Mapping) else definition(grade))  # type: ignore[operator]


def discount(rank: int, definition: str | Callable[[int], Any] = "modern", base: float = 2) -> mpf:
    """What a rank is worth."""
    if definition == "none":
        return mpf(1)
    if definition == "reciprocal":
        return 1 / mpf(rank)
    if definition == "modern":
        return mpmath.ln(exact(base)) / _ln(rank + 1)
    if definition == "original":
        return mpf(1) if rank <= base else mpmath.ln(exact(base)) / _ln(rank)
    return exact(definition(rank))  # type: ignore[operator]


def cg(grades: Sequence[Any], k: int | None = None, gains: Any = "linear") -> mpf:
    """The sum of the gains of the first k."""
    return mpmath.fsum(gain(grade, gains) for grade in list(grades)[:k])


def dcg(
    grades: Sequence[Any], k: int | None = None, gains: Any = "linear", discounts: Any = "modern", base: float = 2
) -> mpf:
    """The sum of gain times discount over the first k."""
    return _weighted([gain(grade, gains) for grade in grades], k, discounts, base)


def idcg(
    judged: Sequence[Any], k: int | None = None, gains: Any = "linear", discounts: Any = "modern", base: float = 2
) -> mpf:
    """The same for all judged documents in the best possible order."""
    return _weighted(sorted((gain(grade, gains) for grade in judged), reverse=True), k, discounts, base)


def ndcg(
    grades: Sequence[Any],
    k: int | None = None,
    judged: Sequence[Any] | None = None,
    gains: Any = "linear",
    discounts: Any = "modern",
    base: float = 2,
) -> mpf | None:
    """The quotient, or None where no judged document has a gain."""
    ideal = idcg(grades if judged is None else judged, k, gains, discounts, base)
    return dcg(grades, k, gains, discounts, base) / ideal if ideal else None


def _weighted(gains: list[mpf], k: int | None, discounts: Any, base: float) -> mpf:
    cut = gains[:k]
    if isinstance(discounts, str):
        return mpmath.fdot(cut, _discounts(200 * -(-len(cut) // 200), discounts, base)[: len(cut)])
    return mpmath.fdot(cut, [discount(rank, discounts, base) for rank in range(1, len(cut) + 1)])


@cache
def _discounts(n: int, definition: str, base: float) -> list[mpf]:
    return [discount(rank, definition, base) for rank in range(1, n + 1)]


@cache
def _ln(number: int) -> mpf:
    return mpmath.ln(number)


@cache
def _two_to_the_minus_one(grade: Any) -> mpf:
    return mpmath.expm1(exact(grade) * mpmath.ln(2))
