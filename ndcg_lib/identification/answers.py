"""What `which` gives back: the explanations as data, as JSON and as a text to read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from ndcg_lib.checks import as_cutoff
from ndcg_lib.choices import explained
from ndcg_lib.engine import AT, factor, recipe_of
from ndcg_lib.grid import Html, finite, fixed, frame, html, joined, tag
from ndcg_lib.identification.candidates import VIEWS, Candidate, Level
from ndcg_lib.identification.card import Card
from ndcg_lib.identification.functions import BESIDE, computed_by
from ndcg_lib.identification.rankings import rankings
from ndcg_lib.identification.reported import EXACTLY, FITS, NO_FIT, ROUNDED, Reported, reported
from ndcg_lib.identification.search import NO_STORY, Fit, Search, Values
from ndcg_lib.types import Preset

KINDS = ("convention", "slip", "slips")
EXACT = 1e-9
COINCIDENCE, ON_SIDES = 0.05, 0.01
"""The chance from which on an answer may be a coincidence, and the first line says so; of one on two sides, sooner."""
FIRST = 4
"""How many of the answers are to be told apart."""
FEW_VALUES = 5
"""How many values are explained one by one where nothing explains them together."""
DIGITS = 3
NAMED = 3
"""How many other levels of a choice are named; of more, their number."""
MANY_OF = {"discount": "discounts", "ties": "orders of ties", "cut": "cut-offs"}
SMALL_RANKINGS: tuple[Any, ...] = (
    *(([0, 1], [], None), ([0, 2], [], None), ([2, 3, 1], [], None)),
    *(([0, 2, 1], [3], None), ([2, 0, 3, 1], [3], 2), ([1, 0, 2, 3, 1, 0, 2], [3, 2], 5)),
)
"""To tell answers apart: grades, what was judged beside them, and k; the shortest first."""


@dataclass(frozen=True)
class Answer:
    """One explanation of the value. `rivals` counts the other candidates that fit as well and are needed to do so.

    `alike` holds what the data cannot tell from a convention: by choice, the other levels that give the same value.
    """

    kind: str  # "convention", "slip", or "slips" for several at once
    name: str
    value: Any
    difference: float
    rivals: int
    sentence: str
    chance: float  # that a random value of this form has an explanation as simple
    reading: str  # how the value was read
    quantity: str
    slips: tuple[str, ...]
    choices: Mapping[str, Any]
    libraries: tuple[str, ...]
    alike: Mapping[str, list[Any]]

    def as_dict(self) -> dict[str, Any]:
        """The answer for JSON.

        >>> from ndcg_lib import which
        >>> which(0.961, [3, 2, 3, 0, 1, 2])[0].as_dict()["reading"]
        'from 0.9605 to 0.9615'
        """
        names = ("kind", "name", "value", "difference", "rivals", "sentence", "chance", "reading", "alike")
        fields = {name: getattr(self, name) for name in names}
        return {name: finite(field) for name, field in fields.items()}


class Answers(Sequence[Answer]):
    """The explanations, best first. Printed, they are a text; empty, the text says what came nearest.

    `chance` is how often a random value of this form has an explanation as simple as the first, over everything that
    was tried. `reason` says what the data alone explain, such as that every order is ideal. `nearest` is the convention
    that comes nearest. Where nothing gives several values together, `apart` explains them one by one.
    """

    def __init__(self, search: Search, value: Any, limit: int):
        self._found = tuple(_answer(fit, search, np.ndim(value) == 0) for fit in search.fitting[:limit])
        self.tried = search.tried
        self.fitting = len(search.fitting)
        self.chance = min((answer.chance for answer in self), default=None)
        self.reason = reason(search)
        near = search.nearest
        self.nearest = None if near is None else _answer(near, search, np.ndim(value) == 0)
        alone = search.seen if not self and 1 < len(search.seen) <= FEW_VALUES else []
        self.apart = [Answers(Search([one], search.rankings), one.value, limit) for one in alone]
        self._search = search

    @overload
    def __getitem__(self, at: int) -> Answer: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Answer]: ...
    def __getitem__(self, at: int | slice) -> Answer | Sequence[Answer]:
        return self._found[at]

    def __len__(self) -> int:
        return len(self._found)

    @property
    def tell_apart(self) -> str:
        """The smallest extra data that would separate the first answers; empty where there is nothing to separate.

        >>> from ndcg_lib import which
        >>> which(1.0, [0, 1], k=2).tell_apart.partition(":")[0]
        'To tell the first answers apart, ask for the value of the ranking 0, 2, 1 with 3 judged but not returned'
        """
        return telling_apart(self._search.fitting[: min(len(self), FIRST)], self._search)

    def rows(self) -> list[dict[str, Any]]:
        """A row per answer.

        >>> from ndcg_lib import which
        >>> which(0.5, [0, 0, 1]).rows()[0]["kind"]
        'convention'
        """
        return [answer.as_dict() for answer in self]

    def frame(self) -> Any:
        """The rows as a data frame of pandas, or of Polars where that is installed alone."""
        return frame([{name: each for name, each in row.items() if name != "alike"} for row in self.rows()])

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False)

    def _repr_html_(self) -> Html:
        rows = [[str(at), _value_of(each), _named(each), each.sentence] for at, each in enumerate(self._shown(), 1)]
        said = [self._headline(), *self._below()]
        table = html([["", "value", "answer", "which is"], *rows]) if rows else None
        first, *rest = (tag("p", line.strip()) for line in said)
        return joined(first, table, [one._repr_html_() for one in self.apart], rest)

    def as_dict(self) -> dict[str, Any]:
        """The answers with what is said of all of them, for JSON.

        >>> from ndcg_lib import which
        >>> sorted(which(0.5, [0, 0, 1]).as_dict())
        ['answers', 'apart', 'chance', 'fitting', 'nearest', 'reason', 'tried']
        """
        return {
            "answers": self.rows(),
            "chance": self.chance,
            "tried": self.tried,
            "fitting": self.fitting,
            "reason": self.reason,
            "nearest": self.nearest and self.nearest.as_dict(),
            "apart": [{"value": str(one._search.seen[0]), **one.as_dict()} for one in self.apart],
        }

    def __str__(self) -> str:
        lines = [self._headline()]
        for number, answer in enumerate(self._shown(), start=1):
            lines += [f"{number:3}. {_value_of(answer)}: {_named(answer)}", f"     {answer.sentence}"]
        lines += ["One by one:", *map(str, self.apart)] if self.apart else []
        return "\n".join([*lines, *self._below()])

    __repr__ = __str__

    def _shown(self) -> Sequence[Answer]:
        """The answers that are printed: the likely ones, or all where the value has all its digits."""
        likely = sum(answer.chance < NO_STORY for answer in self)
        return self[:] if any(o.exact for o in self._search.seen) else self[: likely or FIRST]

    def _below(self) -> list[str]:
        """How many answers are not shown, and what would tell the first ones apart."""
        more = self.fitting - len(self._shown())
        told = [f"     … and {more:,} more, less likely or by accident."] * (more > 0)
        return told + [self.tell_apart] * bool(self.tell_apart)

    def _headline(self) -> str:
        seen = self._search.seen
        asked = ", ".join(map(str, seen[:3])) + (", …" if len(seen) > 3 else "")
        near = self.nearest
        nearest = near and f"The nearest convention gives {_digits(near.value)}: {near.name}."
        said: list[Any] = [self.reason] if self.reason else []
        if self.chance is None:
            together = " together" if len(seen) > 1 else ""
            said += [f"nothing fits{together}, of {self.tried:,} definitions tried.", nearest]
        elif self._search.says_nothing:
            kind = "definition" if self._search.situation.every_order_is_ideal else "convention"
            said.append(f"So every {kind} gives this value.")
        elif self._search.situation.grades.max() > 0 and self.chance > (
            ON_SIDES if self._search.fitting[0].candidate.sides else COINCIDENCE
        ):
            more = "" if min(o.digits for o in seen) > 6 else "more digits, or "
            other = "another" if len(seen) > 1 else "a second"
            said.append(f"what fits may be a coincidence. {in_words(self.chance)} would find such a story:")
            said += [f"give {more}{other} value.", nearest]
        else:
            likely = sum(fit.chance <= COINCIDENCE for fit in self._search.fitting)
            fit = "fits, and no other does" if self.fitting == 1 else "fit"
            ambiguous = ", so the value is ambiguous" if likely > FIRST else ""
            said.append(f"{self.fitting:,} of {self.tried:,} definitions {fit}{ambiguous}.")
            said.append(f"{in_words(self.chance)} would find such a story." if self.chance else "")
        if self.reason:
            said[1] = said[1][0].upper() + said[1][1:]
        return f"{asked}: {' '.join(filter(None, said))}"


@overload
def which(value: Callable[..., Any], *, beside: Sequence[Preset] = ...) -> Card: ...
@overload
def which(
    value: Any, grades: Any = ..., k: Any = ..., judged: Any = ..., scores: Any = ..., digits: int | None = ..., *,
    ids: Any = ..., qrels: Any = ..., run: Any = ..., y_true: Any = ..., y_score: Any = ...,
    quantity: str | None = ..., limit: int = ..., beside: Sequence[Preset] = ...,
) -> Answers: ...  # fmt: skip
@explained
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
    beside: Sequence[Preset] = BESIDE,
) -> Answers | Card:
    """The conventions and slips that give this value for these grades, the likeliest first; or what a function is.

    `value` is a number (or text, which keeps its zeros: "0.50"), a list with a number per query or per k, or a
    mapping from query to number, or such as {"dcg": 9.35, "idcg": 2.06}. `grades` are in ranked order, or in any
    order beside `scores`, which is what `y_true` and `y_score` mean. Several rows are several queries, and a single
    value is then their mean, of the NDCG or of the `quantity` that is named. In place of grades, `qrels` and `run`
    take {query: {document: grade}} and {query: {document: score}}, or one query of them, the names of files, or data
    frames; the results may also be a list of documents, best first. `digits` are the decimals that count; without it,
    as many as the value shows. `quantity` says what the value is: "ndcg", "dcg", "idcg", "cg" or "mean".

    A function in place of a value is called on a few lists, on copies and with a limit of time, in this process; the
    card says what it computes, what it does where definitions differ, and the smallest difference to tools `beside`.

    >>> answers = which(0.785, [3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2])
    >>> answers[0].name
    'linear gain, discount 1/log2(i+1), ideal over all judged documents'
    >>> which(0.7992, [1, 2, 3, 3], k=4, judged=[1, 2, 3, 3, 3, 3])[0].libraries[0]
    'sklearn'
    >>> print(str(which(0.1234567, [3, 2, 3, 0, 1, 2]))[:24])
    0.1234567: nothing fits,
    >>> print(str(which(lambda grades, k: sum(grades[:k]))).partition(" with ")[0])
    <lambda>: DCG
    """
    if callable(value):
        given = (grades, k, judged, scores, digits, ids, qrels, run, y_true, y_score, quantity)
        if any(one is not None for one in given):
            raise ValueError("a function is asked by itself: leave out grades, k and what belongs to a value")
        return computed_by(value, beside)
    if y_true is not None or y_score is not None:
        if grades is not None or scores is not None or y_true is None:
            raise ValueError("y_true and y_score stand in place of grades and scores: give both, and not those")
        grades, scores = y_true, y_score
    lists = rankings(grades, judged, scores, ids, qrels, run)
    cutoffs = [as_cutoff(one) for one in (k if isinstance(k, (list, tuple)) else [k])]
    if not cutoffs:
        raise ValueError("k is an empty list: give a cut-off, or leave it out")
    return Answers(Search(reported(value, digits, quantity, cutoffs, lists), lists), value, limit)


def in_words(chance: float) -> str:
    """How many random values, in words.

    >>> in_words(0.9), in_words(0.26), in_words(0.00123)
    ('Most random values', 'One in four random values', 'One in 810 random values')
    """
    if chance > 0.7:
        return "Most random values"
    if chance < 1e-9:
        return "Fewer than one in a billion random values"
    number = round(1 / chance)
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    rounded = round(number, 2 - len(str(number)))
    return f"One in {words[max(number, 2) - 2] if number <= 10 else f'{rounded:,}'} random values"


def reason(search: Search) -> str:
    """What the data alone say about such a value, in sentences; empty where they say nothing."""
    s, values, said = search.situation, [o.value for o in search.seen], []
    if any(map(math.isnan, values)):
        where = (
            "and here a query has none"
            if s.without_gain
            else "but every query here has one: look for a nan in grades or scores"
        )
        said.append(f"0 divided by 0 gives nan, as where no document has a gain, {where}.")
    if any(map(math.isinf, values)):
        said.append("Only a division by 0 gives infinity: 1/log2(i) at rank 1, or a DCG over an ideal without a gain.")
    if search.says_nothing and s.every_order_is_ideal:
        grades = " and ".join(f"{grade:g}" for grade in np.unique(s.grades))
        because = "there is only one document" if s.longest == 1 else f"all grades of a query are equal ({grades})"
        said.append(f"Every order is ideal, because {because}.")
    elif search.says_nothing:
        said.append("The best documents stand first already, and none was missed.")
    elif search.fitting and s.grades.max() <= 0 and not said:
        said.append("No document has a gain, so the value is what was agreed on for such a query.")
    elif 1 + EXACT < max(values) < math.inf and search.above_1:
        said.append("NDCG passes 1 only if list and ideal differ in more than the order, or a document counts twice.")
    if s.k is not None and s.k > s.longest and search.fitting:
        said.append(f"k = {s.k} is beyond the list, so nothing is cut off.")
    return " ".join(said)


def telling_apart(rivals: Sequence[Fit], search: Search) -> str:
    """One sentence: what to ask for, and who would give what. Empty for a single answer."""
    if len(rivals) < 2:
        return ""
    best, classes = ("", [""]), 1
    for words, values in _questions([fit.candidate for fit in rivals], search, rivals[0].seen):
        gives = [fixed(value, DIGITS) for value in values.tolist()]
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


def _answer(fit: Fit, search: Search, single: bool) -> Answer:
    candidate = fit.candidate
    numbers = [float(number) for number in fit.predicted]
    alike = search.alike(fit)
    return Answer(
        kind=KINDS[min(max(len(candidate.slips), bool(candidate.sides)), 2)],
        name=candidate.name(),
        value=numbers[0] if len(numbers) == 1 and single else numbers,
        difference=fit.difference,
        rivals=sum(other.fit <= fit.fit for other in search.fitting) - 1,
        sentence=_sentence(fit, alike, sure=search.says_nothing),
        chance=fit.chance,
        reading=_reading(fit),
        quantity=fit.seen[0].quantity,
        slips=tuple(slip.name for slip in candidate.slips),
        choices={level.choice: level.name for level in candidate.levels},
        libraries=fit.tools + fit.also,
        alike={choice: [level.name for level in levels] for choice, levels in alike.items()},
    )


def differences(first: Answers, second: Answers, names: tuple[str, str]) -> list[str]:
    """Every choice and slip in which the best answers to two questions about the same lists differ, the largest first.

    A cause is as large as the mean change of a query's value where it alone is exchanged, in the one and in the other.
    """
    fits = [each._search.fitting[0] for each in (first, second)]
    values, quantity, (k, its_k) = first._search.values, fits[0].seen[0].quantity, (fit.seen[0].k for fit in fits)
    one, other = (fit.candidate for fit in fits)
    levels = [{level.choice: level for level in each.levels} for each in (one, other)]
    told = [{choice: level.name for choice, level in each.items()} for each in levels]
    for each, asked in zip(told, (k, its_k), strict=True):
        each["cut"] = asked or "none" if each.get("cut", "k") == "k" else each["cut"]
    if k != its_k:  # two cut-offs were asked for
        other = other._replace(recipe=recipe_of(other.recipe, cut=told[1]["cut"], ideal_cut=told[1]["cut"]))
    causes: dict[str, list[str] | None] = {}  # what each changes of a recipe; None: how the lists are put together
    for choice in (choice for choice, name in told[0].items() if told[1].get(choice, name) != name):
        parts = [part for each in levels if choice in each for part in each[choice].changes]
        label = f"{choice} ({told[0][choice]} and {told[1][choice]})"
        causes[label] = None if choice in VIEWS else ["cut", "ideal_cut"] if choice == "cut" else parts
    for name, here, there in ((names[0], one, other), (names[1], other, one)):
        causes |= {f"{slip.name} ({name} alone)": [*slip.changes] for slip in here.slips if slip not in there.slips}
        if here.sides and not there.sides:
            causes[f"list and ideal by two definitions ({name} alone)"] = [*AT]

    def size(cause: str) -> float:
        changes, moved = causes[cause], list[float]()
        for mine, its in ((one, other), (other, one)):
            recipe = list(mine.recipe)
            for part in changes or ():
                at = AT[factor(part)]
                recipe[at] = its.recipe[at]
            mixed = mine._replace(recipe=tuple(recipe), view=mine.view if changes else its.view)
            table = values.of([mine, mixed], quantity, k)
            moved.append(float(np.nanmean(abs(table[0] - table[1]))))
        return sum(moved)

    sizes = {cause: size(cause) for cause in causes}
    return [cause for cause in sorted(sizes, key=lambda each: (-sizes[each], each)) if sizes[cause] > EXACT]


def _reading(fit: Fit) -> str:
    o = fit.seen[0]
    if len(fit.seen) == 1 and fit.fit == EXACTLY:
        return f"exactly {o.text}"
    if len(fit.seen) == 1 and fit.fit == ROUNDED and o.digits <= 6:
        low, high = (fixed(o.value + half * 10.0**-o.digits, o.digits + 1) for half in (-0.5, 0.5))
        return f"from {low} to {high}"
    return FITS[fit.fit]


def _sentence(fit: Fit, alike: Mapping[str, list[Level]], *, sure: bool) -> str:
    parts = [fit.candidate.sentence(fit.seen)]
    if fit.tools:
        parts.append(f"So {'does' if len(fit.tools) == 1 else 'do'} {_listed(fit.tools)}.")
    if fit.also:
        give = "gives" if len(fit.also) == 1 else "give"
        parts.append(f"{_listed(fit.also)}, defined otherwise, {give} the same with these data and digits.")
    told = [
        f"{len(levels)} other {MANY_OF.get(choice, choice)}"
        if len(levels) > NAMED
        else ", ".join(level.words for level in levels if level.words)
        for choice, levels in alike.items()
    ]
    if any(told):
        parts.append(f"These data cannot tell it from: {'; '.join(filter(None, told))}.")
    if any(o.exact for o in fit.seen):
        parts.append(f"The value is read as {_reading(fit)}.")
    elif ROUNDED < fit.fit < NO_FIT:
        parts.append(f"The value fits {FITS[fit.fit]}.")
    if fit.chance > COINCIDENCE and not sure:
        parts.append(f"{in_words(fit.chance)} would find one as simple.")
    return " ".join(parts)


def _listed(tools: tuple[str, ...]) -> str:
    named = [*tools[:4], *([f"{len(tools) - 4} more"] if len(tools) > 4 else [])]
    return f"{'; '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]


def _value_of(answer: Answer) -> str:
    off = f", off by {answer.difference:.1g}" if answer.difference > EXACT else ""
    return _digits(answer.value) + off


def _named(answer: Answer) -> str:
    return answer.kind + ("" if answer.kind == "convention" else f" {answer.name}")


def _digits(value: Any) -> str:
    numbers = value if isinstance(value, list) else [value]
    return ", ".join(f"{number:.6g}" for number in numbers[:6]) + (", …" if len(numbers) > 6 else "")
