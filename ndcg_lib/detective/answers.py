"""What `which` gives back: the explanations as data, as JSON and as a text to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.detective.candidates import Candidate
from ndcg_lib.detective.observations import FITS, Observation
from ndcg_lib.detective.telling_apart import telling_apart
from ndcg_lib.recipes.queries import Queries
from ndcg_lib.types import Array

KINDS = ("convention", "slip", "slips")
EXACT = 1e-9
WORTH_SAYING, WORTH_A_WORD = 0.5, 0.05
"""How many accidental fits of this kind must be expected for it to be said; and to be mentioned of a lone answer."""
FIRST = 4
"""How many of the answers are to be told apart."""


class Fit(NamedTuple):
    """A candidate that fits, and how."""

    candidate: Candidate
    seen: list[Observation]
    predicted: Array
    difference: float
    fit: int
    cost: float
    accidents: float  # how many candidates as simple as this one would fit such values by accident
    libraries: tuple[str, ...]
    also: tuple[str, ...] = ()  # libraries that differ from it and give the same here


class Found(NamedTuple):
    """What a search brought, best first."""

    fitting: list[Fit]
    queries: Queries
    seen: list[Observation]
    tried: int
    nearest: Fit | None


@dataclass(frozen=True)
class Answer:
    """One explanation of the value. `rivals` counts the other candidates that fit as well and are needed to do so."""

    kind: str  # "convention", "slip", or "slips" for several at once
    name: str
    value: Any
    difference: float
    rivals: int
    sentence: str
    quantity: str
    fit: str
    slips: tuple[str, ...]
    choices: Mapping[str, Any]
    libraries: tuple[str, ...]
    accidents: float  # how many candidates as simple as this one would fit such a value by accident

    def as_dict(self) -> dict[str, Any]:
        """The answer for JSON.

        >>> from ndcg_lib import which
        >>> sorted(which(0.961, [3, 2, 3, 0, 1, 2])[0].as_dict())
        ['difference', 'kind', 'name', 'rivals', 'sentence', 'value']
        """
        fields = {name: getattr(self, name) for name in ("kind", "name", "value", "difference", "rivals", "sentence")}
        return {name: None if field != field else field for name, field in fields.items()}  # JSON has no nan


class Answers(list[Answer]):
    """The explanations, best first. Printed, they are a text; empty, the text says what came nearest."""

    def __init__(self, found: Found, value: Any, limit: int):
        super().__init__(_answer(fit, found, value) for fit in found.fitting[:limit])
        self.tried = found.tried
        self.fitting = len(found.fitting)
        self._found = found

    @property
    def tell_apart(self) -> str:
        """The smallest extra data that would separate the first answers; empty where there is nothing to separate.

        >>> from ndcg_lib import which
        >>> which(1.0, [0, 1], k=2).tell_apart.partition(":")[0]
        'To tell the first answers apart, ask for the value of the ranking 0, 2, 1 with 3 judged but not returned'
        """
        fitting = self._found.fitting[: len(self)]
        first = ([fit for fit in fitting if fit.accidents < WORTH_SAYING] or fitting)[:FIRST]
        return telling_apart([fit.candidate for fit in first], self._found.queries, first[0].seen) if first else ""

    def as_dicts(self) -> list[dict[str, Any]]:
        """The answers for JSON.

        >>> from ndcg_lib import which
        >>> which(0.5, [0, 0, 1]).as_dicts()[0]["kind"]
        'convention'
        """
        return [answer.as_dict() for answer in self]

    def __str__(self) -> str:
        seen = self._found.seen
        asked = ", ".join(map(str, seen[:3])) + (", …" if len(seen) > 3 else "")
        if not self:
            return f"{asked}: nothing fits, of {self.tried:,} definitions tried.{self._nearest()}"
        fit = "fits" if self.fitting == 1 else "fit"
        lines = [f"{asked}: {self.fitting:,} of {self.tried:,} definitions {fit}{self._surprise()}."]
        shown = [answer for answer in self if answer.accidents < WORTH_SAYING] or list(self)
        for number, answer in enumerate(shown, start=1):
            named = "" if answer.kind == "convention" else f" {answer.name}"
            off = f", off by {answer.difference:.1g}" if answer.difference > EXACT else ""
            lines += [f"{number:3}. {_shown(answer.value)}{off}: {answer.kind}{named}", f"     {answer.sentence}"]
        if self.fitting > len(shown):
            lines.append(f"     … and {self.fitting - len(shown):,} more, less likely or by accident.")
        return "\n".join([*lines, self.tell_apart] if self.tell_apart else lines)

    __repr__ = __str__

    def _surprise(self) -> str:
        likely = [fit for fit in self._found.fitting if not fit.accidents >= WORTH_SAYING]
        if not likely:
            return ", no more than by accident"
        alone = ", and no other does" if self.fitting == 1 else ""
        ambiguous = ", so the value is ambiguous" if len(likely) > FIRST else ""
        by_chance = likely[0].accidents
        chance = (
            f"; of definitions as simple, about {by_chance:.1g} would by accident" if by_chance >= WORTH_A_WORD else ""
        )
        return alone + ambiguous + chance

    def _nearest(self) -> str:
        near = self._found.nearest
        return "" if near is None else f" The nearest is {_shown(near.predicted.tolist())}: {near.candidate.name()}."


def _answer(fit: Fit, found: Found, value: Any) -> Answer:
    candidate = fit.candidate
    numbers = [float(number) for number in fit.predicted]
    return Answer(
        kind=KINDS[min(max(len(candidate.slips), bool(candidate.sides)), 2)],
        name=candidate.name(),
        value=numbers[0] if len(numbers) == 1 and np.ndim(value) == 0 else numbers,
        difference=fit.difference,
        rivals=sum(other.fit <= fit.fit for other in found.fitting) - 1,
        sentence=_sentence(fit),
        quantity=fit.seen[0].quantity,
        fit=FITS[fit.fit],
        slips=tuple(slip.name for slip in candidate.slips),
        choices={level.choice: level.name for level in candidate.levels},
        libraries=fit.libraries + fit.also,
        accidents=fit.accidents,
    )


def _sentence(fit: Fit) -> str:
    parts = [fit.candidate.sentence(fit.seen)]
    if fit.libraries:
        parts.append(f"So {'does' if len(fit.libraries) == 1 else 'do'} {_listed(fit.libraries)}.")
    if fit.also:
        alike = "gives" if len(fit.also) == 1 else "give"
        parts.append(f"{_listed(fit.also)}, defined otherwise, {alike} the same with these data and digits.")
    if fit.fit:
        parts.append(f"The value fits {FITS[fit.fit]}.")
    if fit.accidents >= WORTH_SAYING:
        parts.append(f"Of definitions as simple as this, about {max(1, round(fit.accidents))} would fit by accident.")
    return " ".join(parts)


def _listed(libraries: tuple[str, ...]) -> str:
    named = [*libraries[:4], *([f"{len(libraries) - 4} more"] if len(libraries) > 4 else [])]
    return f"{'; '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]


def _shown(value: Any) -> str:
    numbers = value if isinstance(value, list) else [value]
    return ", ".join(f"{number:.6g}" for number in numbers[:6]) + (", …" if len(numbers) > 6 else "")
