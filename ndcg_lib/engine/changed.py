"""One wrong definition, and what it computes: the right one with some levels of the table of choices changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ndcg_lib.engine import QUANTITIES, following, reach, recipe_of
from ndcg_lib.inputs import of_rows


@dataclass(frozen=True, eq=False)
class Slip:
    """One wrong definition, with the words for the student and the place in the book where it is put right."""

    name: str
    family: str
    quantity: str  # where it shows first: cg, dcg, idcg, ndcg or mean
    belief: str  # in the learner's words
    sentence: str  # to the student
    why: str
    page: str
    example: Mapping[str, Any]  # a call on which right and wrong differ
    changes: Mapping[str, Any]  # of the right definition: levels of the table of choices
    same_as: str = ""  # another slip that gives the same values on every input
    rarity: int = 2  # 1: met everywhere, 2: often, 3: now and then
    choice: bool = False  # right under another convention, a slip only where this one is asked
    quantities: tuple[str, ...] = field(init=False)  # which of them it can change

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "quantities", reach(self.changes))
        except ValueError as error:
            raise ValueError(f"slip {self.name}: {error}") from None
        object.__setattr__(self, "example", MappingProxyType(dict(self.example)))
        object.__setattr__(self, "changes", MappingProxyType(dict(self.changes)))

    def __call__(self, grades: Any, k: int | None = None, **keywords: Any) -> Any:
        """The wrong value. Keywords as in `value`.

        >>> from ndcg_lib.slips import SLIPS
        >>> SLIPS["k-ignored"]([4, 2, 5, 3, 5], 3, quantity="cg")
        19.0
        """
        return value(grades, k, changes=self.changes, **({"quantity": self.quantity} | keywords))

    def right(self, grades: Any, k: int | None = None, **keywords: Any) -> Any:
        """The right value on the same input.

        >>> from ndcg_lib.slips import SLIPS
        >>> SLIPS["k-ignored"].right([4, 2, 5, 3, 5], 3, quantity="cg")
        11.0
        """
        return value(grades, k, **({"quantity": self.quantity} | keywords))

    def on_example(self) -> tuple[Any, Any]:
        """The right and the wrong value on the slip's own example.

        >>> from ndcg_lib.slips import SLIPS
        >>> SLIPS["k-ignored"].on_example()
        (11.0, 19.0)
        """
        return self.right(**self.example), self(**self.example)


def value(
    grades: Any,
    k: int | None = None,
    *,
    judged: Any = None,
    scores: Any = None,
    ids: Any = None,
    quantity: str = "ndcg",
    changes: Mapping[str, Any] | None = None,
    **choices: Any,
) -> Any:
    """CG, DCG, IDCG, NDCG or mean NDCG with some levels of the definition changed; without changes the right value.

    `grades` are in ranked order, or in any order beside `scores`; None is an unjudged document, several rows are
    several queries. `choices` are those of a Convention, and unjudged="removed" and negative="clipped".

    >>> value([3, 2, 0], quantity="dcg", changes={"discount": "none"})
    5.0
    >>> value([[1, 0], []], judged=[[1], [1]], quantity="mean")
    0.5
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity is {quantity!r}: it can be {', '.join(QUANTITIES)}")
    sheet, single = of_rows(grades, k, judged, scores, ids)
    with np.errstate(all="ignore"):
        values = sheet(quantity, recipe_of(following(**choices), **(changes or {})))
    return float(np.ravel(values)[0]) if single or quantity == "mean" else values


def by_name(slips: tuple[Slip, ...]) -> Mapping[str, Slip]:
    """The slips by name; a name that comes twice is refused when the module is imported.

    >>> from ndcg_lib.slips import SLIPS
    >>> by_name((SLIPS["natural-log"], SLIPS["natural-log"]))
    Traceback (most recent call last):
    ValueError: slip natural-log comes twice
    """
    table: dict[str, Slip] = {}
    for slip in slips:
        if slip.name in table:
            raise ValueError(f"slip {slip.name} comes twice")
        table[slip.name] = slip
    return MappingProxyType(table)
