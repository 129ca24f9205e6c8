"""What a slip is: a named change of the right recipe, with its words and its place in the book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ndcg_lib.checks import as_cutoff
from ndcg_lib.recipes.kitchen import Kitchen
from ndcg_lib.recipes.queries import Queries
from ndcg_lib.recipes.recipe import QUANTITIES, Recipe

_OF_GRADES = {"negative", "fractions", "regrade"}
_IN_CG = _OF_GRADES | {
    "ranking", "precision", "roles", "ties", "duplicates", "unjudged", "unreturned", "values", "gain", "cut",
    "adding",
}  # fmt: skip
_ON_LIST = _IN_CG | {"discount", "base", "rounding"}
_ON_IDEAL = {"roles", "adding", "rounding"} | _OF_GRADES  # and all whose name begins with ideal


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
    changes: Mapping[str, Any]  # of the right recipe
    same_as: str = ""  # another slip that gives the same values on every input
    rarity: int = 2  # 1: met everywhere, 2: often, 3: now and then
    choice: bool = False  # right under another convention, a slip only where this one is asked
    quantities: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "example", MappingProxyType(dict(self.example)))
        object.__setattr__(self, "changes", MappingProxyType(dict(self.changes)))
        object.__setattr__(self, "quantities", reach(self.changes))

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
    """CG, DCG, IDCG, NDCG or mean NDCG with some levels of its recipe changed; without changes the right value.

    `grades` are in ranked order, or in any order beside `scores`; None is an unjudged document, several rows are
    several queries. `choices` are those of a Convention, and unjudged="removed" and negative="clipped".

    >>> value([3, 2, 0], quantity="dcg", changes={"discount": "none"})
    5.0
    >>> value([[1, 0], []], judged=[[1], [1]], quantity="mean")
    0.5
    """
    recipe = Recipe.following(**choices)
    kitchen = Kitchen(Queries.of(grades, judged, scores, ids), as_cutoff(k))
    return kitchen.value(recipe.but(changes) if changes else recipe, quantity)


def reach(changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Which quantities a change of the recipe can reach.

    >>> reach({"ideal_cut": "none"})
    ('idcg', 'ndcg', 'mean')
    """
    changed = changes.keys()
    if "result" in changed:
        return QUANTITIES
    if changes.get("rounding", "").startswith("parts"):
        return ("ndcg", "mean")
    listed = bool(changed & _ON_LIST)
    ideal = any(name.startswith("ideal") or name in _ON_IDEAL for name in changed)
    reached = {
        "cg": bool(changed & _IN_CG),
        "dcg": listed,
        "idcg": ideal,
        "ndcg": listed or ideal or bool(changed & {"divide", "empty"}),
        "mean": True,
    }
    return tuple(quantity for quantity in QUANTITIES if reached[quantity])
