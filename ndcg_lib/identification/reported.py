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

FITS = ("to the digits given", "to single precision", "cut off instead of rounded", "one off in the last digit")
ROUNDED, SINGLE_PRECISION, CUT_OFF, LAST_DIGIT_OFF, NO_FIT = range(len(FITS) + 1)
WIDTHS = (0.5, 0.5, 1.0, 1.5)
"""How far off each fit may be, in units of the last digit."""
DOUBLE, SINGLE = 1e-9, 3e-7
"""How far off a number of full length may be, which another order of adding up or single precision explains."""
FEW, AS_IF = 2, 4
"""A value printed with fewer decimals, such as 1.0 or 0.5, is first taken for a value that has no more."""


class Reported(NamedTuple):
    """A reported value. `query` is a row, or None for the mean; `quantity` is empty where it was not named."""

    value: float
    digits: int
    quantity: str
    query: int | None
    k: int | None
    text: str

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
    return [Reported(*_number(one, digits), name, query, k, str(one)) for one, query, k in placed]


def loosened(seen: Sequence[Reported]) -> list[Reported]:
    """The same, each value with only the decimals that it shows.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> seen = reported(0.5, None, None, [None], rankings([1, 0]))
    >>> seen[0].digits, loosened(seen)[0].digits
    (4, 1)
    """
    return [o._replace(digits=min(o.digits, _decimals(o.text))) for o in seen]


def fits(predicted: Array, seen: Sequence[Reported]) -> NDArray[np.int_]:
    """How each row of predictions fits the reported values: an index into FITS, or NO_FIT. The worst one counts.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> seen = reported(0.989, None, None, [None], rankings([1, 0]))
    >>> fits(np.array([[0.98943], [0.9899], [0.9871]]), seen).tolist()
    [0, 2, 4]
    """
    values = np.array([o.value for o in seen])
    unit = 10.0 ** -np.array([o.digits for o in seen], dtype=float)
    scale = np.maximum(1.0, np.abs(values))
    with np.errstate(invalid="ignore"):
        off = np.abs(predicted - values)
        further = (predicted - values) * np.where(values < 0, -1, 1)
        missed = np.isnan(predicted) != np.isnan(values)
        tests = [
            (off <= np.maximum(unit * (WIDTHS[0] + 1e-6), DOUBLE * scale)) | (np.isnan(predicted) & np.isnan(values)),
            (off <= SINGLE * scale) & (unit <= 1e-6),
            (further >= 0) & (further < unit) & (unit >= 1e-7),
            (off <= WIDTHS[3] * unit) & (unit >= 1e-6) & (unit <= 1e-2),
        ]
    result = np.full(predicted.shape, NO_FIT)
    for index in reversed(range(len(tests))):
        result[tests[index] & ~missed] = index
    worst: NDArray[np.int_] = result.max(axis=1)
    return worst


def share_by_accident(predicted: Array, seen: Sequence[Reported], fit: int = 0) -> float:
    """The share of candidates that would fit such values by accident, from how densely their values lie around.

    >>> from ndcg_lib.identification.rankings import rankings
    >>> seen = reported(0.5, 2, None, [None], rankings([1, 0]))
    >>> round(share_by_accident(np.linspace(0, 1, 1001)[:, None], seen), 2)
    0.01
    """
    share = 1.0
    for column, o in zip(predicted.T, seen, strict=True):
        scale = max(1.0, abs(o.value))
        near = max(WIDTHS[fit] * 10.0**-o.digits, (SINGLE if fit == SINGLE_PRECISION else DOUBLE) * scale)
        far = max(20 * near, 0.05 * scale)
        with np.errstate(invalid="ignore"):
            off = np.abs(column - o.value)
        share *= float(((off > near) & (off <= far)).mean()) * near / (far - near)
    return share


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


def _number(value: Any, digits: int | None) -> tuple[float, int]:
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"value is {value!r}, not a number: pass the number that is to be explained") from None
    if math.isinf(number):
        raise ValueError(f"value is {value!r}: no definition of NDCG gives an infinite number")
    if digits is not None:
        return number, digits
    decimals = _decimals(str(value))
    return number, decimals if decimals >= FEW else AS_IF


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
