"""The card of a function: what it computes, as data, as text, and as a table in a notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ndcg_lib.engine import Recipe
from ndcg_lib.grid import Html, joined, tag, tags


@dataclass
class Card:
    """What was found of a function. Printed, it is a text; `identified` says whether a definition was found.

    `status` is "identified", "partly", "unknown" or "uncallable"; `slips` are the mistakes by name, `edges` what
    happens where definitions differ, `same` the presets that it equals on all lists, and `beside` the smallest
    difference to each tool.
    """

    function: str
    status: str = "unknown"
    verdict: str = ""
    called: str = ""
    quantity: str = ""
    slips: list[str] = field(default_factory=list)
    edges: dict[str, str] = field(default_factory=dict)
    same: list[str] = field(default_factory=list)
    beside: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    calls: int = 0
    recipe: Recipe | None = field(default=None, repr=False, compare=False)

    @property
    def identified(self) -> bool:
        """Whether a definition gives all its numbers."""
        return self.status == "identified"

    def warn(self, sentence: str, slip: str, mend: str = "") -> None:
        """A mistake: what it does, and in a line how to mend it."""
        self.slips.append(slip)
        self.lines.append(f"! {sentence}" + (f" To mend it, {mend}." if mend else ""))

    def as_dict(self) -> dict[str, Any]:
        """The card for JSON.

        >>> Card("f", verdict="NDCG.").as_dict()["verdict"]
        'NDCG.'
        """
        return {name: value for name, value in asdict(self).items() if name != "recipe"}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Card:
        """The card that `as_dict` told of.

        >>> str(Card.of(Card("f", verdict="NDCG.").as_dict()))
        'f: NDCG.'
        """
        return cls(**told)

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def __str__(self) -> str:
        called = [f"Called with {self.called}."] if self.called else []
        return "\n".join([f"{self.function}: {self.verdict}", *(f"  {line}" for line in called + self.lines)])

    __repr__ = __str__

    def _repr_html_(self) -> Html:
        first, *rest = str(self).split("\n")
        return joined(tag("p", tag("strong", first)), tag("ul", tags("li", map(str.strip, rest))))
