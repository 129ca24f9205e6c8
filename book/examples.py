"""The worked examples of five lecture notes and of the founding paper: what was printed, and what is right.

The data file holds inputs and printed text only. Exact values come from the library: `Example.exact`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_lib.core import cg, dcg, discounts, gains, idcg, ndcg
from ndcg_lib.types import Discount, Gain


@dataclass(frozen=True)
class Printed:
    """One printed value: `text` as it stands on `lines` of the note; `right` only where the text is wrong.

    `verdict` is "ok", "wrong", "truncated" (cut off instead of rounded) or "unsupported" (nothing to check it by).

    >>> example("000-q1-regular").printed[-1].text
    '0.989'
    """

    quantity: str
    rank: int
    text: str
    lines: tuple[int, ...]
    verdict: str
    place: str = ""
    right: str = ""
    erratum: str = ""

    @property
    def counted(self) -> bool:
        """Whether the value can be checked at all."""
        return self.verdict != "unsupported"

    @property
    def decimals(self) -> int:
        """How many decimals the text has.

        >>> example("004").value("ndcg", text="0.74545").decimals
        5
        """
        return len(self.text.rstrip("%").partition(".")[2])

    @property
    def value(self) -> float:
        """The printed text as a number.

        >>> example("004-user-table").printed[1].value
        0.6
        """
        if self.text.endswith("%"):
            return float(Decimal(self.text[:-1]) / 100)
        return float(Fraction(self.text))

    def written(self, value: float) -> str:
        """A value in the form of this text: as many decimals, rounded half up; a fraction or a percentage likewise.

        >>> example("000-q1-regular").printed[-1].written(0.978682)
        '0.979'
        """
        if "/" in self.text:
            return str(Fraction(value).limit_denominator(100))
        percent = "%" if self.text.endswith("%") else ""
        return rounded(value * 100 if percent else value, self.decimals) + percent


@dataclass(frozen=True)
class Example:
    """A ranking of a note, the choices it was scored by (in the library's words) and every value printed for it.

    `judged` is None where the ideal order is that of the returned list. `documents` and `grades` are None where the
    note prints a table of discounts only.

    >>> example("004").grades
    (2, 3, 1, 3, 0)
    """

    id: str
    note: str
    title: str
    documents: tuple[str, ...] | None
    grades: tuple[float, ...] | None
    judged: tuple[float, ...] | None
    k: int | None
    gain: Gain
    discount: Discount
    base: float
    printed: tuple[Printed, ...]
    remark: str = ""

    @property
    def choices(self) -> dict[str, Any]:
        """Gain, discount and base as keywords for `dcg`, `idcg`, `ndcg` or `working`.

        >>> example("000-q2-alternative").choices
        {'gain': 'exponential', 'discount': 'modern', 'base': 2}
        """
        return {"gain": self.gain, "discount": self.discount, "base": self.base}

    @property
    def ideal_documents(self) -> tuple[str, ...] | None:
        """The returned documents best first; among equal grades the returned order stays.

        >>> example("001").ideal_documents
        ('C', 'E', 'A', 'D', 'B')
        """
        if self.documents is None or self.grades is None or self.judged is not None:
            return None
        return tuple(self.documents[i] for i in np.argsort(-np.array(self.grades), kind="stable"))

    @property
    def wrong(self) -> tuple[Printed, ...]:
        """The printed values that are not right.

        >>> [(p.text, p.right) for p in example("000-q2-regular").wrong]
        [('8.32', '8.33'), ('8.43', '8.44')]
        """
        return tuple(p for p in self.printed if p.right)

    def exact(self, quantity: str, rank: int | None = None) -> float:
        """What the library computes for a quantity, cut off at a rank (the example's own k if none is given).

        `cg` and `ideal_cg` are sums of grades, as the notes print them, whatever the gain; `log` is the logarithm that
        the note tabulates, of rank + 1 for the modern discount and of the rank for the original one.

        >>> round(example("000-q1-regular").exact("ndcg"), 6)
        0.978682
        """
        if quantity not in _QUANTITIES:
            raise ValueError(f"there is no quantity {quantity!r} to compute: choose {', '.join(_QUANTITIES)}")
        if rank is None:
            rank = self.k if self.k is not None else len(self.grades or ())
        if rank < 1:
            raise ValueError(f"example {self.id!r} has no cut-off of its own: give a rank from 1")
        if quantity not in _OF_A_RANK and self.grades is None:
            raise ValueError(f"example {self.id!r} has no grades: it is a table of {' and '.join(_OF_A_RANK)}")
        return _QUANTITIES[quantity](self, rank)

    def value(self, quantity: str, rank: int | None = None, *, text: str | None = None) -> Printed:
        """The first printed value of a quantity, if need be the one at a rank or with a text.

        >>> example("001").value("dcg", 3).text
        '7.76'
        """
        for p in self.printed:
            if p.quantity == quantity and rank in (None, p.rank) and text in (None, p.text):
                return p
        raise ValueError(f"example {self.id!r} prints no {quantity} with rank={rank}, text={text}")


def examples(note: str | None = None) -> tuple[Example, ...]:
    """All examples, or those of one note: "000" to "004", or "paper" for Järvelin & Kekäläinen (2002).

    >>> sum(p.counted for e in examples("001") for p in e.printed)
    26
    """
    return tuple(e for e in _read()[0].values() if note in (None, e.note))


def example(id: str) -> Example:
    """One example by its id.

    >>> example("003").title
    'Six documents with grades 0 to 3'
    """
    known = _read()[0]
    if id not in known:
        near = [name for name in known if name.startswith(id)] or difflib.get_close_matches(id, known, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no example {id!r}.{guess} The ids are {', '.join(known)}")
    return known[id]


def errata() -> dict[str, str]:
    """The causes of the wrong numbers, as far as known, by the name that `Printed.erratum` gives.

    >>> errata()["N2"]
    'Cut off after two decimals instead of rounded.'
    """
    return dict(_read()[1])


def notes() -> dict[str, str]:
    """What each source is, in one line.

    >>> list(notes())
    ['000', '001', '002', '003', '004', 'paper']
    """
    return dict(_read()[2])


def rounded(value: float, decimals: int) -> str:
    """A number with so many decimals, the way a person rounds: half up, from the decimal number that is shown.

    >>> rounded(2.675, 2), format(2.675, ".2f")
    ('2.68', '2.67')
    """
    return str(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _reciprocal_of_next(rank: int) -> float:
    return 1 / (rank + 1)


def _logarithm(e: Example, rank: int) -> float:
    return float(np.log2(rank) if e.discount == "original" else 1 / _discount(e, rank))


def _discount(e: Example, rank: int) -> float:
    return float(discounts(rank, e.discount, e.base)[-1])


def _contribution(e: Example, grades: tuple[float, ...], rank: int) -> float:
    return float(gains(np.array(grades, float), e.gain)[rank - 1] * _discount(e, rank))


def _best_first(e: Example) -> tuple[float, ...]:
    return tuple(sorted(e.judged or e.grades or (), reverse=True))


def _grades(e: Example) -> tuple[float, ...]:
    return e.grades or ()


# Note 003 proposes a grade below 0, hence allow_negative.
_QUANTITIES: dict[str, Callable[[Example, int], float]] = {
    "cg": lambda e, k: float(cg(_grades(e), k, allow_negative=True)),
    "dcg": lambda e, k: float(dcg(_grades(e), k, **e.choices, allow_negative=True)),
    "idcg": lambda e, k: float(idcg(_best_first(e), k, **e.choices, allow_negative=True)),
    "ndcg": lambda e, k: float(ndcg(_grades(e), k, judged=e.judged, **e.choices, allow_negative=True)),
    "ideal_cg": lambda e, k: float(cg(_best_first(e), k, allow_negative=True)),
    "contribution": lambda e, k: _contribution(e, _grades(e), k),
    "ideal_contribution": lambda e, k: _contribution(e, _best_first(e), k),
    "discount": _discount,
    "log": _logarithm,
}
_OF_A_RANK = ("discount", "log")
_DISCOUNTS: dict[str, Discount] = {"1/(i+1)": _reciprocal_of_next}  # the one that the library has no name for


@lru_cache(maxsize=1)
def _read() -> tuple[dict[str, Example], dict[str, str], dict[str, str]]:
    data = json.loads(Path(__file__).with_name("data").joinpath("examples.json").read_text("utf8"))
    return {entry["id"]: _example(entry) for entry in data["examples"]}, data["errata"], data["notes"]


def _example(entry: dict[str, Any]) -> Example:
    blank = {"documents": None, "grades": None, "judged": None, "k": None}
    values: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in {**blank, **entry}.items()}
    values["discount"] = _DISCOUNTS.get(entry["discount"], entry["discount"])
    values["printed"] = tuple(Printed(**{**p, "lines": tuple(p["lines"])}) for p in entry["printed"])
    return Example(**values)
