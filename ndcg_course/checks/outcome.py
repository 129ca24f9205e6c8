"""What one call of a student's function gave."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SLOW = 0.1  # seconds for one call


class Odd:
    """Stands for a value of a type that no task asks for. It equals nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "…"


ODD = Odd()


@dataclass
class Outcome:
    """A value in plain Python and its type, or the error; and what else was seen."""

    value: Any = None
    type: str = ""
    error: str = ""
    message: str = ""
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


def from_wire(coded: Mapping[str, Any]) -> Outcome:
    """An outcome from what `wire.encode` made. Anything malformed becomes an odd value, never an error.

    >>> from_wire({"type": "numpy.float32", "number": 0.5})
    Outcome(value=0.5, type='numpy.float32', error='', message='', line='', seconds=0.0, printed='', changed=None)
    """
    kind = coded.get("type") if isinstance(coded, Mapping) else None
    return Outcome(value=_plain(coded), type=kind if isinstance(kind, str) else "unknown")


def _plain(coded: Any) -> Any:
    if not isinstance(coded, Mapping):
        return ODD
    if coded.get("type") == "NoneType":
        return None
    if coded.get("type") == "ellipsis":
        return ...
    number, text, items, pairs = (coded.get(key) for key in ("number", "text", "items", "pairs"))
    if type(number) in (bool, int, float):
        return number
    if number in ("nan", "inf", "-inf"):
        return float(number)
    if isinstance(text, str):
        return text
    if isinstance(items, list):
        return [_plain(item) for item in items]
    if isinstance(pairs, list):
        return {_key(pair[0]): _plain(pair[1]) for pair in pairs if isinstance(pair, list) and len(pair) == 2}
    return ODD


def _key(coded: Any) -> Any:
    key = _plain(coded)
    return key if isinstance(key, (str, int, float)) else repr(key)
