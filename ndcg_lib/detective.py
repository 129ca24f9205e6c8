"""Which NDCG is it? From a number and the grades to the definitions and slips that give this number, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.candidates import Candidate, candidates, side_by_side
from ndcg_lib.checks import as_cutoff
from ndcg_lib.levels import Situation
from ndcg_lib.observations import FITS, NO_FIT, Observation, fits, loosened, observations
from ndcg_lib.queries import Queries
from ndcg_lib.recipes import Kitchen
from ndcg_lib.telling_apart import telling_apart
from ndcg_lib.types import Array

COST_OF_FIT = (0.0, 1.0, 2.5, 6.0)
COST_OF_READING = {"ndcg": 0.0, "mean": 0.0, "dcg": 0.0, "idcg": 1.0, "cg": 1.5}
COST_ASIDE = 4.0
"""For reading a value as DCG that could be an NDCG, and the other way round."""
KNOWN = (-0.4, -2.5)
"""For a definition that a known library has, as a convention or with a slip built in."""
MANY = 3000
"""Documents in all, from which on pairs of slips are left out."""


@dataclass(frozen=True)
class Answer:
    """One explanation of the value. `rivals` counts the other candidates that fit as well."""

    kind: str  # "convention", "slip", or "slips" for two at once
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

    def as_dict(self) -> dict[str, Any]:
        """The answer for JSON.

        >>> sorted(which(0.961, [3, 2, 3, 0, 1, 2])[0].as_dict())
        ['difference', 'kind', 'name', 'rivals', 'sentence', 'value']
        """
        return {name: getattr(self, name) for name in ("kind", "name", "value", "difference", "rivals", "sentence")}


class Answers(list[Answer]):
    """The explanations, best first; `str` of it is a text to read."""

    def __init__(self, answers: Iterable[Answer], found: Found):
        super().__init__(answers)
        self.tried = found.tried
        self.fitting = len(found.fitting)
        self._found = found

    @property
    def tell_apart(self) -> str:
        """The smallest extra data that would separate the first answers; empty where there is nothing to separate.

        >>> "DCG" in which(1.0, [0, 2, 0], k=2).tell_apart
        True
        """
        first = self._found.fitting[: min(len(self), 4)]
        return telling_apart([fit.candidate for fit in first], self._found.queries, first[0].seen) if first else ""

    def as_dicts(self) -> list[dict[str, Any]]:
        """The answers for JSON.

        >>> which(0.5, [0, 0, 1]).as_dicts()[0]["kind"]
        'convention'
        """
        return [answer.as_dict() for answer in self]

    def __str__(self) -> str:
        seen = self._found.seen
        asked = ", ".join(map(str, seen[:3])) + (", …" if len(seen) > 3 else "")
        if not self:
            return f"{asked}: nothing fits, of {self.tried:,} definitions tried. {self._found.nearest}"
        lines = [f"{asked}: {self.fitting:,} of {self.tried:,} definitions fit."]
        for number, answer in enumerate(self, start=1):
            named = "" if answer.kind == "convention" else f": {answer.name}"
            lines += [f"{number:3}. {_shown(answer.value)}  {answer.kind}{named}", f"     {answer.sentence}"]
        if self.fitting > len(self):
            lines.append(f"     … and {self.fitting - len(self):,} more contrived ones.")
        return "\n".join([*lines, self.tell_apart] if self.tell_apart else lines)

    __repr__ = __str__


class Fit(NamedTuple):
    """A candidate that fits, and how."""

    candidate: Candidate
    seen: list[Observation]
    predicted: Array
    difference: float
    fit: int
    cost: float


class Found(NamedTuple):
    """What a search brought."""

    fitting: list[Fit]
    queries: Queries
    seen: list[Observation]
    tried: int
    nearest: str


def which(
    value: Any,
    grades: Any = None,
    k: Any = None,
    judged: Any = None,
    scores: Any = None,
    digits: int | None = None,
    *,
    ids: Any = None,
    qrels: Any = None,
    run: Any = None,
    quantity: str | None = None,
    limit: int = 10,
) -> Answers:
    """The conventions and slips that give this value for these grades, the likeliest first.

    `value` is a number (or text, which keeps its zeros: "0.50"), a list with a number per query or per k, or a mapping
    such as {"dcg": 9.35, "idcg": 2.06}. `grades` are in ranked order, or in any order beside `scores`: pass y_true as
    grades and y_score as scores. Several rows are several queries, and a single value is then their mean. In place of
    grades, `qrels` and `run` take {query: {document: grade}} and {query: {document: score}}, or one query of them; the
    results may also be a list of documents, best first. `digits` are the decimals that count; without it, as many as
    the value shows. `quantity` says what the value is: "ndcg", "dcg", "idcg", "cg" or "mean".

    >>> answers = which(0.785, [3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2])
    >>> answers[0].name
    'linear gain, discount 1/log2(i+1), ideal over all judged documents'
    >>> which(0.7992, [1, 2, 3, 3], k=4, judged=[1, 2, 3, 3, 3, 3])[0].libraries
    ('sklearn', 'torchmetrics')
    >>> which(0.123, [3, 2, 3, 0, 1, 2], quantity="idcg")
    0.123 as IDCG: nothing fits, of 1,130 definitions tried.
    """
    queries = _queries(grades, judged, scores, ids, qrels, run)
    cutoffs = [as_cutoff(one) for one in k] if isinstance(k, (list, tuple)) else [as_cutoff(k)]
    seen = observations(value, digits, quantity, cutoffs, queries)
    found = _search(seen, queries)
    if not found.fitting and digits is None and loosened(seen) != seen:
        found = _search(loosened(seen), queries)
    return Answers([_answer(fit, found, value) for fit in found.fitting[:limit]], found)


def _queries(grades: Any, judged: Any, scores: Any, ids: Any, qrels: Any, run: Any) -> Queries:
    if (qrels is None) != (run is None):
        raise ValueError("qrels and run belong together: give both, or grades")
    if (grades is None) == (qrels is None):
        raise ValueError("give either grades, or qrels and run")
    queries = Queries.of(grades, judged, scores, ids) if qrels is None else Queries.of_run(qrels, run)
    if not queries.there.any() and not queries.judged_there.any():
        raise ValueError("there are no grades: give the grades of the returned documents in ranked order")
    return queries


def _search(seen: list[Observation], queries: Queries) -> Found:
    kitchens = {o.k: Kitchen(queries, o.k) for o in seen}
    fitting: list[Fit] = []
    tried = 0
    nearest: list[Fit] = []
    for reading, cost, pairs in _readings(seen, queries):
        if any(not fit.fit and not fit.candidate.slips for fit in fitting):
            break
        situation = _situation(reading, queries)
        tried += _try(candidates(situation, pairs=pairs), reading, kitchens, cost, fitting, nearest)
        if not any(fit.fit < len(FITS) - 1 for fit in fitting) and "ndcg" in situation.quantities:
            sides = side_by_side(situation, reading, kitchens)
            tried += _try(sides, reading, kitchens, cost, fitting, nearest)
    if any(fit.fit < len(FITS) - 1 for fit in fitting):
        fitting = [fit for fit in fitting if fit.fit < len(FITS) - 1]
    else:
        fitting = [fit for fit in fitting if len(fit.candidate.slips) < 2]
    once: dict[Any, Fit] = {}
    for fit in sorted(_needed(fitting), key=lambda fit: (fit.cost, fit.difference)):
        once.setdefault((fit.candidate.recipe, fit.candidate.slips), fit)
    return Found(list(once.values()), queries, seen, tried, _about(nearest))


def _readings(seen: list[Observation], queries: Queries) -> Iterator[tuple[list[Observation], float, bool]]:
    """The quantities that the values can be, what it costs to read them so, and whether pairs of slips are tried."""
    pairs = queries.there.size < MANY
    if all(o.quantity for o in seen):
        yield [o._replace(quantity="mean") if o.query is None else o for o in seen], 0.0, pairs
        return
    if any(o.query is None for o in seen):
        yield [o._replace(quantity="mean") for o in seen], 0.0, pairs
        return
    beyond = max(o.value for o in seen) > 1 + 1e-9
    for quantity in ("dcg", "ndcg", "idcg", "cg") if beyond else ("ndcg", "dcg", "idcg", "cg"):
        likely = beyond != (quantity == "ndcg")
        cost = COST_OF_READING[quantity] + (0.0 if likely else COST_ASIDE if quantity != "ndcg" else 0.5)
        yield [o._replace(quantity=quantity) for o in seen], cost, pairs and likely and quantity in ("ndcg", "dcg")


def _situation(seen: list[Observation], queries: Queries) -> Situation:
    cutoffs = {o.k for o in seen}
    k = None if None in cutoffs else max(k for k in cutoffs if k is not None)
    return Situation(queries, k, tuple({o.quantity: None for o in seen}))


def _try(
    tried: list[Candidate],
    seen: list[Observation],
    kitchens: Mapping[int | None, Kitchen],
    cost: float,
    fitting: list[Fit],
    nearest: list[Fit],
) -> int:
    """Add the candidates that fit; return how many were tried."""
    predicted = predictions(tried, seen, kitchens)
    fit = fits(predicted, seen)
    off = np.abs(predicted - [o.value for o in seen]).max(axis=1)
    for at in np.flatnonzero(fit < NO_FIT).tolist():
        candidate = tried[at]
        known = KNOWN[min(len(candidate.slips), 1)] if candidate.known_as(seen[0].k) else 0.0
        total = candidate.cost + cost + known + COST_OF_FIT[fit[at]]
        fitting.append(Fit(candidate, seen, predicted[at], float(off[at]), int(fit[at]), total))
    simple = [at for at, candidate in enumerate(tried) if len(candidate.slips) < 2 and np.isfinite(off[at])]
    if simple:
        at = min(simple, key=lambda i: off[i])
        nearest.append(Fit(tried[at], seen, predicted[at], float(off[at]), NO_FIT, tried[at].cost + cost))
    return len(tried)


def predictions(
    tried: Sequence[Candidate], seen: Sequence[Observation], kitchens: Mapping[int | None, Kitchen]
) -> Array:
    """What each candidate gives for each observation."""
    recipes = [candidate.recipe for candidate in tried]
    table = np.empty((len(tried), len(seen)))
    known: dict[Any, Array] = {}
    for column, o in enumerate(seen):
        if (o.k, o.quantity) not in known:
            known[o.k, o.quantity] = kitchens[o.k].values(recipes, o.quantity)
        table[:, column] = known[o.k, o.quantity][:, o.query or 0]
    return table


def _needed(fitting: list[Fit]) -> list[Fit]:
    """What explains something: a departure is not needed where the same without it fits as well."""
    best = {(f.seen[0].quantity, f.candidate.key()): f.fit for f in fitting if not f.candidate.sides}
    return [
        f
        for f in fitting
        if all(best.get((f.seen[0].quantity, less), NO_FIT) > f.fit for less in f.candidate.simpler())
    ]


def _answer(fit: Fit, found: Found, value: Any) -> Answer:
    candidate = fit.candidate
    libraries = candidate.known_as(fit.seen[0].k)
    rivals = sum(other.fit <= fit.fit for other in found.fitting) - 1
    numbers = [float(number) for number in fit.predicted]
    shape: Any = numbers[0] if len(numbers) == 1 and np.ndim(value) == 0 else numbers
    return Answer(
        kind=("convention", "slip", "slips")[min(len(candidate.slips), 2)],
        name=candidate.name(),
        value=shape,
        difference=fit.difference,
        rivals=rivals,
        sentence=_sentence(fit, libraries),
        quantity=fit.seen[0].quantity,
        fit=FITS[fit.fit],
        slips=tuple(slip.name for slip in candidate.slips),
        choices={level.choice: level.name for level in candidate.levels},
        libraries=libraries,
    )


def _sentence(fit: Fit, libraries: tuple[str, ...]) -> str:
    named = libraries[:4] + ((f"{len(libraries) - 4} more",) if len(libraries) > 4 else ())
    parts = [fit.candidate.sentence(fit.seen)]
    if named:
        listed = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
        parts.append(f"So {'do' if len(libraries) > 1 else 'does'} {listed}.")
    if fit.fit:
        parts.append(f"The value fits {FITS[fit.fit]}.")
    return " ".join(parts)


def _about(nearest: list[Fit]) -> str:
    if not nearest:
        return ""
    fit = min(nearest, key=lambda fit: fit.difference)
    return f"The nearest is {_shown(fit.predicted.tolist())}: {fit.candidate.name()}."


def _shown(value: Any) -> str:
    numbers = value if isinstance(value, list) else [value]
    return ", ".join(f"{number:.6g}" for number in numbers[:6]) + (", …" if len(numbers) > 6 else "")
