"""A convention: every choice that changes the number, in one frozen value; and the presets of known libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ndcg_lib.checks import as_base, as_cutoff, shown
from ndcg_lib.choices import (
    Discount,
    Empty,
    Gain,
    Ties,
    as_choice,
    as_empty,
    check_discount,
    check_gain,
    nearest,
)
from ndcg_lib.presets import PRESETS

_ABOUT = ("name", "stands_for")
_ALSO_CALLED = {
    "scikit-learn": "sklearn",
    "scikit": "sklearn",
    "ndcg_score": "sklearn",
    "järvelin-kekäläinen": "jarvelin-kekalainen",
    "jk": "jarvelin-kekalainen",
    "lgbm": "lightgbm",
    "xgb": "xgboost",
}


@dataclass(frozen=True)
class Convention:
    """One definition of NDCG. Pass it as `convention=` wherever the keywords are.

    >>> print(Convention(gain="exponential", k=10))
    NDCG@10: gain 2^g - 1; discount 1/log2(i+1); ideal over all judged; no relevant document: 0; ties averaged; \
judged but no results: 0; mean over queries
    """

    gain: Gain = "linear"
    discount: Discount = "modern"
    base: float = 2
    ideal: str = "judged"
    k: int | None = None
    ties: Ties = "average"
    empty: Empty = 0.0
    missing: str = "zero"
    averaging: str = "mean"
    name: str = ""
    stands_for: str = ""

    def __post_init__(self) -> None:
        for choice in ("ideal", "ties", "missing", "averaging"):
            as_choice(choice, getattr(self, choice))
        check_gain(self.gain)
        check_discount(self.discount)
        as_empty(self.empty)
        as_cutoff(self.k)
        as_base(self.base)
        if isinstance(self.gain, Mapping):  # a copy: what the caller does to the mapping later changes no convention
            object.__setattr__(self, "gain", dict(self.gain))

    def choices(self) -> dict[str, Any]:
        """The choices by name, as keywords.

        >>> Convention(k=5).choices()["k"]
        5
        """
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _ABOUT}

    def but(self, **changes: Any) -> Convention:
        """The same convention with some choices changed.

        >>> CONVENTIONS["sklearn"].but(k=10).k
        10
        """
        return replace(self, **changes)

    def card(self) -> str:
        """The convention in one line.

        >>> CONVENTIONS["trec_eval"].card()[:40]
        'NDCG: gain g; discount 1/log2(i+1); idea'
        """
        ties, missing = _TIES_TEXT[self.ties], "0" if self.missing == "zero" else _WORDS[self.missing]
        return f"{self.definition()}; {ties}; judged but no results: {missing}; mean over queries"

    def definition(self) -> str:
        """What matters for a single ranking: the card without ties and averaging.

        >>> CONVENTIONS["burges"].but(k=5).definition()
        'NDCG@5: gain 2^g - 1; discount 1/log2(i+1); ideal over all judged; no relevant document: 0'
        """
        at = "" if self.k is None else f"@{self.k}"
        return (
            f"NDCG{at}: gain {_gain_text(self.gain)}; discount {_discount_text(self.discount, self.base)}; "
            f"ideal over {'all judged' if self.ideal == 'judged' else 'the returned list'}; "
            f"no relevant document: {_number_or_word(self.empty)}"
        )

    __str__ = card


def as_convention(convention: Convention | str) -> Convention:
    """A convention by itself or by the name of its preset.

    >>> as_convention("sklearn").gain
    'linear'
    """
    if isinstance(convention, Convention):
        return convention
    if isinstance(convention, str) and convention in CONVENTIONS:
        return CONVENTIONS[convention]
    raise ValueError(_no_such(convention))


def _no_such(convention: object) -> str:
    near = nearest(convention, CONVENTIONS, _ALSO_CALLED)
    guess = f" Did you mean {near!r}?" if near else ""
    return (
        f"there is no convention {shown(convention)}.{guess} The presets are {', '.join(CONVENTIONS)};"
        " Convention(…) makes another"
    )


class _UnknownName(KeyError):
    __str__ = Exception.__str__  # KeyError shows the repr of its message


class _Presets(dict[str, Convention]):
    def __missing__(self, name: object) -> Convention:
        raise _UnknownName(_no_such(name))


_TIES_TEXT = {
    "average": "ties averaged",
    "order": "ties in the order given",
    "reverse": "ties in reverse order",
    "best": "ties best first",
    "worst": "ties worst first",
    "id": "ties by ascending id",
    "id-descending": "ties by descending id",
}
_WORDS = {"skip": "left out", "raise": "an error"}


def _number_or_word(empty: Empty) -> str:
    return _WORDS[empty] if isinstance(empty, str) else f"{as_empty(empty):g}"


def _gain_text(gain: Gain) -> str:
    if isinstance(gain, str):
        return {"linear": "g", "exponential": "2^g - 1", "binary": "1 if g > 0"}[gain]
    if callable(gain):
        return f"by {getattr(gain, '__name__', 'a function')}"
    try:
        return str(dict(gain))
    except Exception:  # what it maps to may be anything until a grade asks for it
        return shown(gain)


def _discount_text(discount: Discount, base: float) -> str:
    if callable(discount):
        return f"by {getattr(discount, '__name__', 'a function')}"
    log = f"log{as_base(base):g}"
    return {
        "modern": f"1/{log}(i+1)",
        "original": f"1/max(1, {log}(i))",
        "reciprocal": "1/i",
        "none": "none",
    }[discount]


CONVENTIONS: dict[str, Convention] = _Presets(
    (name, Convention(**choices, name=name, stands_for=whom)) for name, (choices, whom) in PRESETS.items()
)
"""The presets by name; `stands_for` says whose definition it is."""
