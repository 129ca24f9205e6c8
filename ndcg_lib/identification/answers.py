"""What `which` gives back: the explanations as data, as JSON and as a text to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcg_lib.identification.candidates import Candidate
from ndcg_lib.identification.rankings import rankings
from ndcg_lib.identification.reported import FITS, Reported
from ndcg_lib.identification.search import Fit, Search, Values, find

WORDS = {"convention": "convention", "slip": "slip", "slips": "slips"}
"""The kinds of an answer as keys of the JSON, and the words that are printed."""
EXACT = 1e-9
WORTH_SAYING, WORTH_A_WORD = 0.5, 0.05
"""How many accidental fits of this kind must be expected for it to be said; and to be mentioned of a lone answer."""
FIRST = 4
"""How many of the answers are to be told apart."""
DIGITS = 3
SMALL_RANKINGS: tuple[tuple[list[int], list[int], int | None], ...] = (
    ([0, 1], [], None),
    ([0, 2], [], None),
    ([2, 3, 1], [], None),
    ([0, 2, 1], [3], None),
    ([2, 0, 3, 1], [3], 2),
    ([1, 0, 2, 3, 1, 0, 2], [3, 2], 5),
)
"""To tell answers apart: grades, what was judged beside them, and k; the shortest first."""


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

    def __init__(self, search: Search, value: Any, limit: int):
        super().__init__(_answer(fit, search, value) for fit in search.fitting[:limit])
        self.tried = search.tried
        self.fitting = len(search.fitting)
        self._search = search

    @property
    def tell_apart(self) -> str:
        """The smallest extra data that would separate the first answers; empty where there is nothing to separate.

        >>> from ndcg_lib import which
        >>> which(1.0, [0, 1], k=2).tell_apart.partition(":")[0]
        'To tell the first answers apart, ask for the value of the ranking 0, 2, 1 with 3 judged but not returned'
        """
        fitting = self._search.fitting[: len(self)]
        return telling_apart(
            ([fit for fit in fitting if fit.accidents < WORTH_SAYING] or fitting)[:FIRST], self._search
        )

    def as_dicts(self) -> list[dict[str, Any]]:
        """The answers for JSON.

        >>> from ndcg_lib import which
        >>> which(0.5, [0, 0, 1]).as_dicts()[0]["kind"]
        'convention'
        """
        return [answer.as_dict() for answer in self]

    def __str__(self) -> str:
        seen = self._search.seen
        asked = ", ".join(map(str, seen[:3])) + (", …" if len(seen) > 3 else "")
        if not self:
            near = self._search.nearest
            nearest = f" The nearest is {_shown(near.predicted.tolist())}: {near.candidate.name()}." if near else ""
            return f"{asked}: nothing fits, of {self.tried:,} definitions tried.{nearest}"
        fit = "fits" if self.fitting == 1 else "fit"
        lines = [f"{asked}: {self.fitting:,} of {self.tried:,} definitions {fit}{self._surprise()}."]
        shown = [answer for answer in self if answer.accidents < WORTH_SAYING] or list(self)
        for number, answer in enumerate(shown, start=1):
            named = WORDS[answer.kind] + ("" if answer.kind == "convention" else f" {answer.name}")
            off = f", off by {answer.difference:.1g}" if answer.difference > EXACT else ""
            lines += [f"{number:3}. {_shown(answer.value)}{off}: {named}", f"     {answer.sentence}"]
        if self.fitting > len(shown):
            lines.append(f"     … and {self.fitting - len(shown):,} more, less likely or by accident.")
        return "\n".join([*lines, self.tell_apart] if self.tell_apart else lines)

    __repr__ = __str__

    def _surprise(self) -> str:
        likely = [fit for fit in self._search.fitting if not fit.accidents >= WORTH_SAYING]
        if not likely:
            return ", no more than by accident"
        alone = ", and no other does" if self.fitting == 1 else ""
        ambiguous = ", so the value is ambiguous" if len(likely) > FIRST else ""
        by_chance = likely[0].accidents
        chance = (
            f"; of definitions as simple, about {by_chance:.1g} would by accident" if by_chance >= WORTH_A_WORD else ""
        )
        return alone + ambiguous + chance


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
    y_true: Any = None,
    y_score: Any = None,
    quantity: str | None = None,
    limit: int = 10,
) -> Answers:
    """The conventions and slips that give this value for these grades, the likeliest first.

    `value` is a number (or text, which keeps its zeros: "0.50"), a list with a number per query or per k, or a mapping
    from query to number, or such as {"dcg": 9.35, "idcg": 2.06}. `grades` are in ranked order, or in any order beside
    `scores`, which is what `y_true` and `y_score` mean. Several rows are several queries, and a single value is then
    their mean, of the NDCG or of the `quantity` that is named. In place of grades, `qrels` and `run` take {query:
    {document: grade}} and {query: {document: score}}, or one query of them; the results may also be a list of
    documents, best first. `digits` are the decimals that count; without it, as many as the value shows. `quantity` says
    what the value is: "ndcg", "dcg", "idcg", "cg" or "mean".

    >>> answers = which(0.785, [3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2])
    >>> answers[0].name
    'linear gain, discount 1/log2(i+1), ideal over all judged documents'
    >>> which(0.7992, [1, 2, 3, 3], k=4, judged=[1, 2, 3, 3, 3, 3])[0].libraries[0]
    'sklearn'
    >>> print(str(which(0.1234567, [3, 2, 3, 0, 1, 2]))[:24])
    0.1234567: nothing fits,
    """
    if y_true is not None or y_score is not None:
        if grades is not None or scores is not None or y_true is None:
            raise ValueError("y_true and y_score stand in place of grades and scores: give both, and not those")
        grades, scores = y_true, y_score
    return Answers(find(value, grades, k, judged, scores, digits, ids, qrels, run, quantity), value, limit)


def telling_apart(rivals: Sequence[Fit], search: Search) -> str:
    """One sentence: what to ask for, and who would give what. Empty for a single answer."""
    if len(rivals) < 2:
        return ""
    best, classes = ("", [""]), 1
    for words, values in _questions([fit.candidate for fit in rivals], search, rivals[0].seen):
        gives = [f"{value:.{DIGITS}f}" for value in values.tolist()]
        if len(set(gives)) > classes:
            best, classes = (words, gives), len(set(gives))
        if classes == len(rivals):
            break
    if classes < 2:
        return "No small example tells the first answers apart."
    gives = [f"answer {number} gives {value}" for number, value in enumerate(best[1], start=1)]
    return f"To tell the first answers apart, ask for {best[0]}: {', '.join(gives)}."


def _questions(rivals: list[Candidate], search: Search, seen: Sequence[Reported]) -> Iterator[tuple[str, Any]]:
    """What could be asked, and what each of the rivals would answer."""
    first, lists, values = seen[0], search.rankings, search.values
    row = first.query or 0
    one = "ndcg" if {"ndcg", "mean"} & {o.quantity for o in seen} else first.quantity  # to ask of a single query
    known = {(o.k, o.quantity) for o in seen}
    if first.query is not None:
        for quantity in ("dcg", "idcg", "ndcg"):
            if (first.k, quantity) not in known:
                yield f"the {quantity.upper()}", values.of(rivals, quantity, first.k)[:, row]
    else:
        if (first.k, "mean") not in known:
            yield "the mean NDCG", values.of(rivals, "mean", first.k)[:, 0]
        for query in [at for at, size in enumerate(lists.sizes) if size][:20]:
            words = f"the value of query {lists.names[query]!r} alone"
            yield words, values.of(rivals, one, first.k)[:, query]
    quantity, asked = ("mean", "mean NDCG") if first.query is None else (first.quantity, "value")
    for k in range(1, min(max(lists.sizes), 20) + 1):
        if (k, quantity) not in known:
            yield f"the {asked} at k = {k}", values.of(rivals, quantity, k)[:, row]
    for grades, missed, cutoff in SMALL_RANKINGS:
        words = f"the value of the ranking {', '.join(map(str, grades))}"
        words += f" with {' and '.join(map(str, missed))} judged but not returned" if missed else ""
        words += "" if cutoff is None else f", at k = {cutoff}"
        small = Values(rankings(grades, [*grades, *missed]))
        yield words, small.of(rivals, one, cutoff)[:, 0]


def _answer(fit: Fit, search: Search, value: Any) -> Answer:
    candidate = fit.candidate
    numbers = [float(number) for number in fit.predicted]
    return Answer(
        kind=list(WORDS)[min(max(len(candidate.slips), bool(candidate.sides)), 2)],
        name=candidate.name(),
        value=numbers[0] if len(numbers) == 1 and np.ndim(value) == 0 else numbers,
        difference=fit.difference,
        rivals=sum(other.fit <= fit.fit for other in search.fitting) - 1,
        sentence=_sentence(fit),
        quantity=fit.seen[0].quantity,
        fit=FITS[fit.fit],
        slips=tuple(slip.name for slip in candidate.slips),
        choices={level.choice: level.name for level in candidate.levels},
        libraries=fit.tools + fit.also,
        accidents=fit.accidents,
    )


def _sentence(fit: Fit) -> str:
    parts = [fit.candidate.sentence(fit.seen)]
    if fit.tools:
        parts.append(f"So {'does' if len(fit.tools) == 1 else 'do'} {_listed(fit.tools)}.")
    if fit.also:
        alike = "gives" if len(fit.also) == 1 else "give"
        parts.append(f"{_listed(fit.also)}, defined otherwise, {alike} the same with these data and digits.")
    if fit.fit:
        parts.append(f"The value fits {FITS[fit.fit]}.")
    if fit.accidents >= WORTH_SAYING:
        parts.append(f"Of definitions as simple as this, about {max(1, round(fit.accidents))} would fit by accident.")
    return " ".join(parts)


def _listed(tools: tuple[str, ...]) -> str:
    named = [*tools[:4], *([f"{len(tools) - 4} more"] if len(tools) > 4 else [])]
    return f"{'; '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]


def _shown(value: Any) -> str:
    numbers = value if isinstance(value, list) else [value]
    return ", ".join(f"{number:.6g}" for number in numbers[:6]) + (", …" if len(numbers) > 6 else "")
