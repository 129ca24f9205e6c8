"""What the core leaves open of a function, asked with one probe for each choice; and what is said on its card."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple, Protocol

import numpy as np

from ndcg_lib.choices import text_of
from ndcg_lib.convention import as_convention
from ndcg_lib.definition import TABLE
from ndcg_lib.engine import AT, FACTORS, RIGHT, Recipe, following, recipe_of
from ndcg_lib.identification.calling import Call
from ndcg_lib.identification.card import Card
from ndcg_lib.identification.quotients import Match, fits, nearest
from ndcg_lib.identification.styles import LONG, Probe, Style, numbers, only
from ndcg_lib.presets import PRESETS
from ndcg_lib.slips import SLIPS, Slip

Way = tuple[str, Mapping[str, Any]]
"""A rule in words, and what it changes."""

TIES: list[Way] = [(o.text, {"ties": o.key}) for o in TABLE["ties"].options if not str(o.key).startswith("id")]
TIED = (Probe((0, 3, 1, 2), (), 4, (0.9, 0.5, 0.5, 0.5)),
        Probe((1, 0, 2, 3, 0, 2, 1, 0), (), 8, (5, 4, 4, 4, 2, 2, 1, 1)),
        Probe(LONG + LONG[:16], (), 40, (2,) * 12 + (1,) * 28))  # fmt: skip
TIED_ONE = (only(2, 4, 4, (0.9, 0.5, 0.5, 0.5)), only(5, 8, 8, (5, 4, 4, 4, 3, 3, 3, 1)),
            only(20, 40, 40, (2,) * 12 + (1,) * 28))  # fmt: skip
MANY = (Probe((1, 0, 2), (3,), 3), Probe((0, 3, 1), (1,), 3))
MANY_ONE = (only(2, 3), only(3, 3))
WITHOUT_K = (Probe(LONG), Probe((1, 3, 2, 4) * 6))
WITHOUT_K_ONE = tuple(only(at, 24) for at in range(1, 22))
AT_THE_LIST: Way = ("the ideal is cut at the list", {"ideal_cut": "list"})
CUT_AT: list[Way] = [(f"cut at {n}", {"cut": n, "ideal_cut": n}) for n in range(1, 21)]
NOTHING, ONLY_JUDGED = Probe((0, 0, 0), (0,), 3), Probe((2, 1, 0), (1,), 3)
FEWEST = 4
"""On so many lists a definition must be right for "partly"."""
DEAREST = 9.0
"""What a definition may cost that is right on some lists only."""
SWAPPED = 3.9
"""The price of calling a function against the names of its parameters."""
COUNTEREXAMPLES = 250
AS_TOOLS = {"an unjudged document": "keeps its rank", "a document twice": "counts once", "one document": "as the rest"}
"""What a preset does at some edges."""
UNRULY = ", as no rule of the table"
AS_IT_IS = ("as the rest", "as any", "as it is")
MEND = {
    "ideal": "sort the grades of all judged documents, and cut at k after that",
    "ideal_order": "sort all judged grades, the highest first, before you discount",
    "ideal_cut": "cut list and ideal at the same k",
    "cut": "take the first k of the list, and of the ideal as many",
    "gain": "use one gain in list and ideal, either g or 2^g - 1",
    "ideal_gain": "use one gain in list and ideal, either g or 2^g - 1",
    "discount": "divide the gain at rank i by log2(i + 1), counting ranks from 1",
    "ideal_discount": "discount the ideal as you discount the list",
    "regrade": "use the grades as they are",
    "adding": "add up the terms of all ranks",
    "rounding": "round nothing before the end",
    "parts": "round nothing before the end",
    "divide": "divide DCG by the DCG of the ideal order",
    "result": "give back the whole number, and round where it is shown",
    "ranking": "sort by score, the highest first",
    "values": "take the gains from the grades, and only the order from the scores",
}
"""By choice, how a wrong level of it is put right."""


class OnTrial(Protocol):
    """What is asked of a function on trial."""

    given: list[Any]

    def ask(self, style: Style, probes: Sequence[Probe], k: Any = ..., without: str = "") -> Call: ...  # noqa: D102
    def value(self, style: Style, p: Probe, k: Any = ...) -> Any: ...  # noqa: D102


class Asked(NamedTuple):
    """A function with the way it is called, its answers to the core, and its card."""

    trial: OnTrial
    style: Style
    answers: Any
    card: Card


def expected(style: Style, recipe: Recipe, probes: Sequence[Probe], k: Any = ..., whole: bool = False,
             quantity: str = "ndcg") -> float:  # fmt: skip
    """What a definition gives for probes."""
    cut = (probes[0].k if k is ... else k) if style.k else None
    with np.errstate(all="ignore"):
        return float(np.atleast_1d(style.view.sheet(probes, cut, whole)(quantity, recipe))[0])


class Known:
    """A function whose definition is known: what it should give, and what it gives."""

    def __init__(self, asked: Asked, match: Match):
        self.trial, self.style, self.answers, self.card = asked
        self.match, self.recipe = match, match.recipe

    def expected(self, probes: Sequence[Probe], changes: Mapping[str, Any], k: Any = ..., whole: bool = False,
                 recipe: Recipe | None = None, quantity: str = "ndcg") -> float:  # fmt: skip
        """What the definition gives, with some choices changed."""
        return expected(self.style, recipe_of(recipe or self.recipe, **changes), probes, k, whole, quantity)

    def edge(self, about: str, probes: Probe | Sequence[Probe], ways: Sequence[Way], k: Any = ...) -> None:
        """What happens there: one of the ways in words, or the number, or the error."""
        asked: Sequence[Probe] = [probes] if isinstance(probes, Probe) else probes
        pairs = [(p, self.trial.value(self.style, p, k)) for p in asked]
        fit = [words for words, changes in ways if all(self._fits(p, changes, value, k) for p, value in pairs)]
        first = pairs[0][1]
        self.card.edges[about] = fit[0] if fit else shown(first) + UNRULY * bool(ways and isinstance(first, float))

    def _fits(self, p: Probe, changes: Mapping[str, Any], value: Any, k: Any = ...) -> bool:
        tolerance = self.match.tolerance
        return isinstance(value, float) and bool(fits(self.expected([p], changes, k), value, tolerance))

    def single(self) -> None:
        """The edges of one query."""
        view, style, edge = self.style.view, self.style, self.edge
        as_is: list[Way] = [("as it is", {})]
        if not view.single:
            edge("no relevant document", Probe((0, 0, 0), (), 3), [])
            edge("an empty list", Probe((), (2,), 3), [])
            edge("one document", Probe((2,), (), 1), [("as the rest", {})])
        if not view.binary:
            edge("a negative grade", Probe((2, -1, 1), (), 3), [*as_is, ("as 0", {"negative": "clipped"})])
            cut = ("cut to a whole number", {"fractions": "cut"})
            edge("a fractional grade", Probe((1.0, 0.6, 0.0, 1.8), (), 4), [*as_is, cut])
            edge("a grade of 1100", Probe((1100, 3), (), 2), [("as any", {})])
        if style.k:
            beyond = only(2, 3, 6) if view.single else Probe((3, 1, 2), (2, 1), 6)
            edge("k beyond the list", beyond, [("as the rest", {}), AT_THE_LIST])
            if any(p.name == style.k and p.default is not p.empty for p in self.trial.given):
                edge("no k given", WITHOUT_K_ONE if view.single else WITHOUT_K, [("the whole list", {}), *CUT_AT], None)
        if view.kind in ("scored", "run"):
            self._ties()
        if view.kind in ("ids", "run"):
            removed = ("is removed", {"unjudged": "removed"})
            edge("an unjudged document", Probe((None, 3, None, 2), (1,), 4), [("keeps its rank", {}), removed])
        if view.kind == "ids":
            counted = ("counts each time", {"duplicates": "counted"})
            edge("a document twice", Probe((2, 0, 3, 2), (1,), 4, twice=True), [("counts once", {}), counted])

    def _ties(self) -> None:
        lists = [(p.grades, p) for p in (TIED_ONE if self.style.view.single else TIED)]
        told = []
        for _, p in lists:
            self.edge("equal scores", p, TIES)
            told.append(self.card.edges["equal scores"])
        if len({*told}) > 1:  # a sort that keeps no order: what one list shows is chance
            short = told[0] if told[0] == told[1] and "no rule" not in told[0] else ""
            rule = f"{short} in short lists, no fixed rule in long ones"
            self.card.edges["equal scores"] = rule if short else "no fixed rule, the sort decides"
        else:
            self.card.edges["equal scores"] = told[0]

    def several(self) -> None:
        """The edges of several queries at once."""
        if not self.style.several:
            return
        probes = list(MANY_ONE if self.style.view.single else MANY)
        each = [self.trial.value(self.style, p) for p in probes]
        made = self.trial.ask(self.style, probes)
        found = numbers(made.value, made.printed)
        value = found.get(self.style.place)
        edges = self.card.edges
        if made.error or not all(isinstance(v, float) for v in each):
            edges["several queries"] = f"an error ({type(made.error).__name__})" if made.error else "no number"
            return
        if value is None or self.style.place == "['q0']":
            known = list(found.values())[: len(each)]
            same = len(known) == len(each) and all(map(math.isclose, sorted(known), sorted(each)))
            edges["several queries"] = "a value for each" if same else "something else"
            return
        ratio = self.expected(probes, {"averaging": "ratio-of-means"}, quantity="mean")
        ways = [("the mean", sum(each) / 2), ("the sum", sum(each)), ("all DCG over all IDCG", ratio)]
        ways += [("only the first counts", each[0]), ("only the last counts", each[1])]
        how = next((words for words, v in ways if math.isclose(v, value, rel_tol=max(1e-9, self.match.tolerance))), "")
        edges["several queries"] = how or shown(value) + UNRULY
        if how == "the mean":
            self._left_out(probes, each)

    def _left_out(self, probes: list[Probe], each: list[Any]) -> None:
        cases = [] if self.style.view.single else [("a query with nothing relevant, among others", NOTHING, "")]
        if self.style.form in ("query", "pandas", "polars") and self.style.view.kind in ("ids", "run"):
            cases += [("a judged query without results", ONLY_JUDGED, "results"),
                      ("a query without judgements", ONLY_JUDGED, "judgements")]  # fmt: skip
        for about, p, without in cases:
            made = self.trial.ask(self.style, [*probes, p], without=without)
            value = numbers(made.value, made.printed).get(self.style.place)
            ways = [("is left out", sum(each) / 2), ("counts 0", sum(each) / 3), ("counts 1", (sum(each) + 1) / 3)]
            near = [words for words, v in ways if value is not None and math.isclose(v, value, rel_tol=1e-6)]
            error = f"an error ({type(made.error).__name__})" if made.error else "no number"
            self.card.edges[about] = near[0] if near else error if value is None else shown(value)

    def same(self) -> list[str]:
        """The presets that give the same on all lists, for the same input."""
        return [name for name, (choices, _) in PRESETS.items() if self._same(choices)]

    def _same(self, choices: Mapping[str, Any]) -> bool:
        view, edges = self.style.view, self.card.edges
        if self.match.result not in ("", "single") or view.single:
            return False
        theirs = following(**{n: v for n, v in choices.items() if n != "k"})
        scored = view.kind in ("scored", "run")
        ties: Mapping[str, Any] = next((c for words, c in TIES if words == edges.get("equal scores")), {})
        if scored and (not ties or (view.kind == "scored" and str(choices.get("ties")).startswith("id"))):
            return False  # rows without ids have no order by id
        empty = choices.get("empty", 0.0)
        ruled = shown(float(empty)) if isinstance(empty, float) else "nan" if empty == "skip" else "an error"
        if not edges["no relevant document"].startswith(ruled):
            return False
        if any(about in edges and edges[about] != rule for about, rule in AS_TOOLS.items()):
            return False
        probes = [*view.core, *(TIED if scored else ())]
        return all(
            math.isclose(self.expected([p], ties), self.expected([p], {}, recipe=theirs), rel_tol=1e-9) for p in probes
        )

    def parting(self, tool: str) -> Any:
        """The smallest input on which function and tool differ; the tool knows all that was judged."""
        theirs = as_convention(tool).recipe
        ties = TIED[:2] if self.style.view.kind in ("scored", "run") else ()
        nothing = () if self.style.view.single else (Probe((0, 0), (), 2),)
        lists = smallest(bool(self.style.k), self.style.view.binary, self.style.view.single)
        for p in (*lists[:COUNTEREXAMPLES], *(TIED_ONE[:2] if ties and self.style.view.single else ties), *nothing):
            mine, right = self.trial.value(self.style, p), self.expected([p], {}, whole=True, recipe=theirs)
            if not isinstance(mine, float) or not (
                math.isclose(mine, right, rel_tol=1e-6) or mine == right or (math.isnan(mine) and math.isnan(right))
            ):
                return p, mine, right
        return None


@cache
def smallest(cut: bool, binary: bool, single: bool) -> tuple[Probe, ...]:
    """Small inputs, the smallest first.

    >>> smallest(True, False, False)[0]
    Probe(grades=(3,), missed=(), k=1, scores=(), twice=False)
    """
    if single:
        return tuple(
            only(at, n, k) for n in range(1, 9) for at in range(1, n + 1) for k in ((n, n - 1) if cut else (n,)) if k
        )
    lists = [
        Probe(g, missed, k)
        for n in (1, 2, 3)
        for missed in ((), (1,), (3,))
        for g in product((3, 2, 1, 0), repeat=n)
        for k in (range(n + bool(missed), 0, -1) if cut else (n,))
        if any(g)
    ]
    lists.sort(
        key=lambda p: (len(p.grades) + 1.5 * len(p.missed) + (p.k not in (None, len(p.grades))) * 0.4, -sum(p.grades))
    )
    if binary:
        lists = [p._replace(grades=tuple(min(g, 1) for g in p.grades), missed=tuple(min(g, 1) for g in p.missed))
                 for p in lists]  # fmt: skip
    return tuple(dict.fromkeys(lists))


def shown(x: Any) -> str:
    """A value, or what came instead of one."""
    return f"{x:.6g}" if isinstance(x, float) else f"an error ({x})" if "Error" in str(x) else str(x)


def departures(recipe: Recipe, right: Recipe = RIGHT) -> dict[str, Any]:
    """The choices in which a definition departs from another one, with its levels."""
    return {name: recipe[AT[name]] for name in FACTORS if recipe[AT[name]] != right[AT[name]]}


def explained(
    departing: dict[str, Any], slips: Sequence[tuple[Any, dict[str, Any]]]
) -> tuple[list[Any], dict[str, Any]]:
    """Which of these slips, each with the departures that it makes, make departures together; and what is left."""
    found = []
    for slip, made in slips:
        if made and made.items() <= departing.items():
            found.append(slip)
            departing = {name: level for name, level in departing.items() if name not in made}
    return found, departing


@cache
def _slips() -> list[tuple[Slip, dict[str, Any]]]:
    """Every slip of the table with its departures, those with the most first."""
    made = []
    for slip in SLIPS.values():
        start = following(**{n: v for n, v in slip.example.items() if n in ("gain", "discount")})
        if not slip.same_as:
            made.append((slip, departures(recipe_of(start, **slip.changes))))
    return sorted(made, key=lambda one: (-len(one[1]), one[0].rarity))


def definition(m: Match, style: Style) -> str:
    """The choices of a match in one line."""
    r, view, words = m.recipe, style.view, []
    for name in ("gain", "discount"):
        here, there = (text_of(name, r[AT[n]]) for n in (name, f"ideal_{name}"))
        one_side = here == there or m.undivided
        words.append(f"{name} {here}" if one_side else f"{name} {here} in the list and {there} in the ideal")
    if view.binary:
        words[0] = "gain 1 for what is relevant"
    sees = {"ranked": "over the list it is given", "scored": "over the rows it is given"}.get(
        view.kind, "over all judged"
    )
    level = r[AT["ideal"]]
    if not m.undivided:
        words.append(f"ideal {sees if getattr(level, 'key', '') == 'judged' else text_of('ideal', level)}")
    return "; ".join(words)


def not_known(asked: Asked) -> None:
    """What can be said of a function that no definition explains: on which lists one does, what ranks are worth."""
    trial, style, f, card = asked
    card.status = "unknown"
    if len({*f.round(9).tolist()}) < 3:
        card.verdict = (
            f"it gives {', '.join(f'{v:g}' for v in dict.fromkeys(f.tolist()))} for all lists that were tried."
        )
        return
    best, hits = nearest(f, style, FEWEST) or (None, f)
    card.verdict = "I cannot tell: no definition that I know, alone or with slips, gives its numbers."
    if best and best.cost < DEAREST:
        at = int(np.argmin(hits))
        wrong = style.view.core[at]
        card.status = "partly"
        card.verdict = f"partly: on {hits.sum()} of {len(f)} lists {definition(best, style)}; not on all."
        card.lines.append(f"Not for {list(wrong.grades)}" + f", k = {wrong.k}" * bool(style.k) + f": {f[at]:.4g}.")
    one = [trial.value(style, only(i, 6)) for i in range(1, 7)]
    if all(isinstance(v, float) for v in one):
        card.lines.append(f"A single relevant document at rank 1, 2, … 6 gives {', '.join(f'{v:.4g}' for v in one)}.")


def know(asked: Asked, match: Match, beside: Sequence[str]) -> None:
    """Fill in the card of a function whose definition is known."""
    known, card, style = Known(asked, match), asked.card, asked.style
    card.status, card.recipe, card.quantity = "identified", match.recipe, "DCG" if match.undivided else "NDCG"
    card.verdict = f"{card.quantity} with {definition(match, style)}."
    _mistakes(known)
    known.single()
    known.several()
    for about, told in card.edges.items():
        if told not in AS_IT_IS:
            card.lines.append(f"{about if about[0] == 'k' else about[0].upper() + about[1:]}: {told}.")
    card.same = known.same()
    for tool in beside:
        found = known.parting(tool)
        if found and style.view.kind in ("pair", "ids", "run"):  # which see all that was judged, as the tool does
            card.same = [name for name in card.same if name != tool]
        card.beside[tool] = _difference(tool, found, style)
    if card.same:
        names = ", ".join(card.same)
        card.lines.append(f"On all lists that were tried it gives what these presets give for the same input: {names}.")
    card.lines += card.beside.values()


def _mistakes(known: Known) -> None:
    match, card, style = known.match, known.card, known.style
    slips, rest = explained(departures(match.recipe), _slips())
    order = match.recipe[AT["ideal_order"]]
    as_given = style.view.kind == "pair" and getattr(order, "key", "") == "given"
    if as_given:
        card.lines.append(
            "It takes the list of the judged as the ideal, in the order given: it has to come best first."
        )
    for slip in slips:
        if slip.choice or slip.name == "not-normalised" or (as_given and slip.name == "ideal-not-sorted"):
            continue
        sentence = slip.sentence.replace("Your numbers", "Its numbers").replace("Your function", "It")
        changed = [n for n in FACTORS if n in {*slip.changes} or n.removeprefix("ideal_") in {*slip.changes}]
        card.warn(sentence, slip.name, next((MEND[n] for n in changed if n in MEND), ""))
    if style.cost >= SWAPPED and style.view.kind == "scored":
        card.warn("Its parameters' names say the opposite: it ranks by what is called the truth.", "roles-swapped",
                  "sort by the scores, and take the gains from the grades")  # fmt: skip
    told = {"single": "It computes in single precision.", "percent": "It gives percentages."}.get(match.result)
    if told:
        card.lines.append(told)
    rest = {n: v for n, v in rest.items() if n.removeprefix("ideal_") not in ("gain", "discount", "ideal", "divide")}
    rest.pop("result", None)
    if rest:
        words = ", ".join(f"{n.replace('_', ' ')}: {v}" for n, v in rest.items())
        card.warn(f"It departs in {words}.", "departs", next((MEND[n] for n in rest if n in MEND), ""))


def _difference(tool: str, found: Any, style: Style) -> str:
    if not found:
        return f"Beside {tool}: no difference found."
    p, mine, theirs = found
    judged = f" of judged {sorted([*p.grades, *p.missed], reverse=True)}" if p.missed else ""
    k, scores = f", k = {p.k}" * bool(style.k), f", scores {list(p.scores)}" if p.scores else ""
    return f"Beside {tool}: {list(p.grades)}{judged}{k}{scores}: {shown(mine)}, {tool} {shown(theirs)}."
