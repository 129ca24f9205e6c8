"""Reported values: how many digits count, of which quantity, of which query, at which cut-off; and what fits them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.engine import QUANTITIES
from ndcg_lib.identification.rankings import Rankings
from ndcg_lib.types import Array

FITS = ("exactly", "to the digits given", "to single precision", "cut off instead of rounded", "")
EXACTLY, ROUNDED, SINGLE_PRECISION, CUT_OFF, NO_FIT = range(len(FITS))
DOUBLE, SINGLE = 1e-9, 3e-7
"""How far off a number of full length may be, which another order of adding up or single precision explains."""
FEW = 2
"""A value with fewer decimals, such as 1.0 or 0.5, may also be an exact number."""
EDGES = np.concatenate([[0, 0.25, 0.5, 0.75, 1, 2, 4, 8, 16, 25, 50, 75], 100 * 2.0 ** np.arange(99)])
"""A random value is drawn evenly between two of these, and up to 1 also between 0 and 1."""


class Reported(NamedTuple):
    """A reported value. `query` is a row, or None for the mean; `quantity` is empty where it was not named."""

    value: float
    digits: int
    quantity: str
    query: int | None
    k: int | None
    text: str
    exact: bool = False  # whether it may also be meant exactly

    @property
    def unit(self) -> float:
        """How far apart two reported values are at least."""
        return max(10.0**-self.digits, 2 * SINGLE * max(1.0, abs(self.value)))

    def cells(self, closely: bool) -> tuple[float, float]:
        """Between which values, counted in units, a random one of this size lies; the first is left out."""
        at = int(np.searchsorted(EDGES[1:-1], abs(self.value)))
        low, high = EDGES[at : at + 2] if closely or EDGES[at + 1] > 1 else (0.0, 1.0)
        before = math.floor(low / self.unit * (1 + 1e-12)) if low else -1
        last = math.floor(high / self.unit * (1 + 1e-12))
        return (before, last) if before < last else self.cells(closely=False)  # without digits none lies so close

    @property
    def measure(self) -> str:
        """The name of the quantity with its cut-off."""
        name = "NDCG" if self.quantity == "mean" else self.quantity.upper()
        name = f"mean {name}" if self.query is None else name
        return name if self.k is None else f"{name}@{self.k}"

    def __str__(self) -> str:
        return f"{self.text} as {self.measure}" if self.quantity else self.text


def reported(
    value: Any, digits: int | None, quantity: str | None, cutoffs: Sequence[int | None], lists: Rankings
) -> list[Reported]:
    """The reported values one by one.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> [str(o) for o in reported({"dcg": 9.35, "idcg": "2.06"}, None, None, [7], rankings([1, 0]))]
    ['9.35 as DCG@7', '2.06 as IDCG@7']
    """
    if isinstance(value, Mapping) and not value:
        raise ValueError("value is an empty mapping: pass a number, or {'dcg': …, 'idcg': …}")
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 17):
        raise ValueError(f"digits is {digits!r}: pass how many decimals of the value count, 0 to 17")
    if isinstance(value, Mapping) and (lists.single or not set(value) <= set(lists.names)):
        parts = (reported(part, digits, _quantity(name), cutoffs, lists) for name, part in value.items())
        return [one for part in parts for one in part]
    name = "" if quantity is None else _quantity(quantity)
    if isinstance(value, Mapping):
        placed = [(one, lists.names.index(query), cutoffs[0]) for query, one in value.items()]
    else:
        placed = _placed(value, cutoffs, lists)
    return [
        Reported(number, _decimals(str(one)) if digits is None else digits, name, query, k, str(one), exact)
        for one, query, k in placed
        for number in [_number(one)]
        for exact in [digits is None and _decimals(str(one)) < FEW]
    ]


def fits(predicted: Array, seen: Sequence[Reported]) -> NDArray[np.int_]:
    """How each row of predictions fits the reported values: an index into FITS, or NO_FIT. The worst one counts.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> seen = reported(0.989, None, None, [None], rankings([1, 0]))
    >>> fits(np.array([[0.98943], [0.9899], [0.9871]]), seen).tolist()
    [1, 3, 4]
    """
    values = np.array([o.value for o in seen])
    unit = 10.0 ** -np.array([o.digits for o in seen], dtype=float)
    scale = np.maximum(1.0, np.abs(values))
    with np.errstate(invalid="ignore"):
        off = np.abs(predicted - values)
        further = (predicted - values) * np.where(values < 0, -1, 1)
        same = (np.isnan(predicted) & np.isnan(values)) | (predicted == values)
        missed = (np.isfinite(predicted) != np.isfinite(values)) & ~same
        tests = [
            (off <= DOUBLE * scale) & np.array([o.exact for o in seen]),
            (off <= np.maximum(unit * (0.5 + 1e-6), DOUBLE * scale)) | same,
            off <= SINGLE * scale,
            (further >= 0) & (further < unit * (1 - 1e-6)) & (unit > 9e-7) & (unit < 0.02),
        ]
    result = np.full(predicted.shape, NO_FIT)
    for index in reversed(range(len(tests))):
        result[tests[index] & ~missed] = index
    worst: NDArray[np.int_] = result.max(axis=1)
    return worst


class Chance:
    """How many of the values that could have been reported are explained, up to some cost.

    Every candidate explains the values that its own number could be read as. So the share of the explained among all
    values of this form is how often a random one has an explanation that costs no more: over everything that was
    searched, and the same for any number that is asked for.
    """

    def __init__(self, seen: Sequence[Reported]):
        self.finite = [at for at, o in enumerate(seen) if math.isfinite(o.value)]
        self.seen = [seen[at] for at in self.finite]
        self._cells: list[Array] = []
        self._costs: list[Array] = []

    def add(self, predicted: Array, costs: Array, cost_of_fit: Sequence[float]) -> None:
        """Count what the numbers of some candidates, a row each, could be read as."""
        unit, exact = np.array([o.unit for o in self.seen]), all(o.exact for o in self.seen)
        with np.errstate(invalid="ignore", over="ignore"):
            x = predicted[:, self.finite] / unit
            usable = (np.abs(x) < 1e15).all(axis=1)
            exactly = (np.abs(x - np.round(x)) * unit <= DOUBLE).all(axis=1)
        cut = any(not o.exact and o.digits <= 6 for o in self.seen)
        for cells, how, which in (
            (np.round(x - 1e-6), ROUNDED, usable),
            (np.round(x + 1e-6), ROUNDED, usable),
            (np.round(x), EXACTLY, usable & exactly & exact),
            (np.trunc(x + np.copysign(1e-6, x)), CUT_OFF, usable & cut),
        ):
            self._cells.append(cells[which])
            self._costs.append(costs[which] + cost_of_fit[how])

    def up_to(self, costs: Array) -> Array:
        """The chance that a random value has an explanation that costs no more than each of these."""
        chances = np.zeros(len(costs))
        if not self.seen or not len(costs):
            return chances
        cells, of = np.concatenate(self._cells), np.concatenate(self._costs)
        order = np.argsort(of, kind="stable")
        sign = [-1 if o.value < 0 else 1 for o in self.seen]
        for closely in (False, True):
            low, high = np.array([o.cells(closely) for o in self.seen], dtype=float).T
            rows = order[((cells * sign > low) & (cells * sign <= high)).all(axis=1)[order]]
            _, first = np.unique(cells[rows][:, 0] if len(sign) == 1 else cells[rows], axis=0, return_index=True)
            explained = np.searchsorted(np.sort(of[rows][first]), costs + 1e-9, side="right")
            chances = np.maximum(chances, np.minimum(explained / np.prod(high - low), 1.0))
        return chances


def _placed(value: Any, cutoffs: Sequence[int | None], lists: Rankings) -> list[Any]:
    """Each number with its row and its cut-off."""
    rows = len(lists.names)
    if not isinstance(value, (list, tuple, np.ndarray)):
        if len(cutoffs) > 1:
            raise ValueError(f"k has {len(cutoffs)} cut-offs but value is one number: give a value for each k")
        return [(value, 0 if lists.single else None, cutoffs[0])]
    if len(cutoffs) > 1 and len(value) == len(cutoffs):
        return [part for one, k in zip(value, cutoffs, strict=True) for part in _placed(one, [k], lists)]
    if len(cutoffs) == 1 and len(value) == rows:
        return [(one, row, cutoffs[0]) for row, one in enumerate(value)]
    per = f"{len(cutoffs)} for the cut-offs" if len(cutoffs) > 1 else f"{rows} for the queries"
    raise ValueError(f"value has {len(value)} numbers: give one, or {per}")


def _number(value: Any) -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"value is {value!r}, not a number: pass the number that is to be explained") from None


def _decimals(text: str) -> int:
    try:
        exponent = Decimal(text.strip()).as_tuple().exponent
    except InvalidOperation:
        return 17
    return max(0, -exponent) if isinstance(exponent, int) else 17


def _quantity(name: Any) -> str:
    known = str(name).lower()
    if known not in QUANTITIES:
        raise ValueError(f"quantity is {name!r}: it can be {', '.join(QUANTITIES)}")
    return known
