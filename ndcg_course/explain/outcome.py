"""What one call of a student's function gave."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ndcg_course.explain.codec import ODD, decode, encode

SLOW = 0.1  # seconds for one call


@dataclass
class Outcome:
    """A value in plain Python and its type, or the error; and what else was seen."""

    value: Any = None
    type: str = ""
    error: str = ""
    message: str = ""
    says: str | None = None  # the text of an error, to be compared and never told; None where nobody knows it
    line: str = ""
    seconds: float = 0.0
    printed: str = ""
    changed: Any = None  # the arguments as the call left them, where it changed them

    def __post_init__(self) -> None:
        self.type = self.type or type(self.value).__name__

    @property
    def finite(self) -> bool:
        """Whether a value came back that has no nan and no infinity in it.

        >>> Outcome(0.5).finite, Outcome([1, math.nan]).finite, Outcome(error="KeyError").finite
        (True, False, False)
        """
        return not self.error and all_finite(self.value)


def all_finite(value: Any) -> bool:
    """Whether there is a value, without nan or infinity.

    >>> all_finite([1, 2.5]), all_finite([1, math.inf]), all_finite(None)
    (True, False, False)
    """
    if isinstance(value, (list, tuple)):
        return all(map(all_finite, value))
    if isinstance(value, Mapping):
        return all(map(all_finite, value.values()))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is not None and value is not ODD and value is not ...


def seen(value: Any) -> Outcome:
    """The outcome of a call that returned this value: a copy of it in plain Python, and the name of its type.

    >>> from fractions import Fraction
    >>> seen(Fraction(1, 2)).value, seen(Fraction(1, 2)).type
    (0.5, 'fractions.Fraction')
    """
    kind = type(value)
    if kind is float or (kind is int and abs(value) < 2**53):  # nearly always
        return Outcome(value=value, type=kind.__name__)
    coded = encode(value)
    return Outcome(value=decode(coded), type=coded["type"])
