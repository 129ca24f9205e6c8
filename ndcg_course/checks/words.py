"""Inputs and values as text, short and with as many digits as it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def call_text(name: str, args: Sequence[Any]) -> str:
    """The call as one would type it.

    >>> call_text("f", [[1, 2], None])
    'f([1, 2], None)'
    """
    return f"{name}({', '.join(map(repr, args))})"


def show(value: Any, digits: int = 4) -> str:
    """A value for a sentence.

    >>> show(0.65762), show([1, 0.5]), show("A"), show(2.0)
    ('0.6576', '[1, 0.5]', "'A'", '2.0')
    """
    if isinstance(value, list):
        return "[" + ", ".join(show(v, digits) for v in value[:12]) + (", …]" if len(value) > 12 else "]")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {show(v, digits)}" for key, v in value.items()) + "}"
    if not isinstance(value, float) or not math.isfinite(value) or value == int(value):
        return repr(value)
    return f"{value:.{digits}f}".rstrip("0") if abs(value) >= 0.001 else f"{value:.{digits}g}"


def show_both(target: Any, yours: Any) -> tuple[str, str]:
    """Both values, with as many digits as it takes to see the difference.

    >>> show_both(0.65761, 0.65764)
    ('0.65761', '0.65764')
    """
    for digits in range(4, 16):
        left, right = show(target, digits), show(yours, digits)
        if left != right:
            break
    return left, right


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return ", ".join(names[:-1]) + f" {word} {names[-1]}" if len(names) > 1 else names[0]
