"""Whose NDCG is this function? It is called on a few lists, and all answers together name what it computes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ndcg_lib.identification.calling import Call, Stopped, call
from ndcg_lib.identification.card import Card
from ndcg_lib.identification.edges import Asked, expected, know, not_known
from ndcg_lib.identification.quotients import Match, fits, fitting, tables
from ndcg_lib.identification.styles import Probe, Style, formed, framed, numbers, role, styles
from ndcg_lib.types import Preset

SECONDS = 1.0
"""For one call."""
FLAT = 3
"""With fewer different answers a function says nothing of what it is asked."""
LIKELY, CLOSE = 3, 1.0
"""How many ways to call are searched deeply, and by how much they may be less likely than the likeliest."""
FAR, TRIED = 6.0, 12
"""A story that costs more makes the search go deep; so many of the cheapest are tried on other lists."""
COLUMNS = 8
BESIDE: tuple[Preset, ...] = ("trec_eval", "sklearn")
"""The tools that a card shows a difference to, if none is named."""


class Trial:
    """A function, what it was asked, and what was seen on the way."""

    def __init__(self, function: Callable[..., Any]):
        self.function, self.calls, self.k_as_list = function, 0, False
        self.changes, self.printed = False, False
        self.errors = dict[str, Style]()
        self.flat: Any = (None, None, [])
        self.columns: dict[str, str] = {}
        self.ways, self.why, self.given = styles(function)

    def ask(self, style: Style, probes: Sequence[Probe], k: Any = ..., without: str = "") -> Call:
        """One call with one or several queries; `without`: the last of them has no "results" or no "judgements"."""
        cut = probes[0].k if k is ... else k
        keywords = {} if not style.k or cut is None else {style.k: [cut] if self.k_as_list else cut}
        args: list[Any] = []
        while True:
            args = [self._part(style, atom, probes, without) for atom in style.atoms]
            first = next((p for p in self.given if p.name == style.k), None)
            if keywords and first is not None and first.kind is first.POSITIONAL_ONLY:
                args, keywords = [*args, *keywords.values()], {}
            self.calls += 1
            made = call(self.function, args, keywords, seconds=SECONDS)
            if not (style.form in ("pandas", "polars") and self._learns(made.error)):
                break
        self.changes, self.printed = self.changes or made.changed is not None, self.printed or bool(made.printed)
        return made

    def _part(self, style: Style, atom: str, probes: Sequence[Probe], without: str) -> Any:
        every: list[Any] = [style.view.atoms(p) for p in probes]
        if without and (atom in "UIE") == (without == "results"):
            every[-1] = None
        if style.form in ("pandas", "polars"):
            return framed(atom, every, self.columns, style.form)
        return formed(atom, [a and a[atom] for a in every], style.form)

    def _learns(self, error: BaseException | None) -> bool:
        """Whether the error names a column that was missing, and it can be told what it should hold."""
        words = re.findall(r"['\"]([^'\"]+)['\"]", str(error)) if isinstance(error, Exception) else []
        new = {word: role(word) for word in words if role(word) and word not in self.columns}
        if not new or len(self.columns) + len(new) > COLUMNS:
            return False
        self.columns |= new
        return True

    def value(self, style: Style, p: Probe, k: Any = ...) -> Any:
        """The number, or what happened instead."""
        made = self.ask(style, [p], k)
        found = numbers(made.value, made.printed)
        if style.place in found:
            return found[style.place]
        return told(made.error) if made.error else f"{type(made.value).__name__}, no number"

    def identify(self) -> tuple[Style | None, Any, list[Match]]:
        """The way to call and the definitions that give all answers, the most usual pair; else a way that works."""
        worked: dict[Any, tuple[Style, Any]] = {}
        found: list[Any] = []
        for as_list in (False, True) if any(s.k for s in self.ways) else (False,):
            self.k_as_list = as_list
            for style in self.ways:
                if any(w[:3] == style.sees for w in worked) or (found and min(m[0] for m in found) <= style.cost):
                    continue
                if not self._answers(style, worked, found):
                    return None, None, []
            if worked:
                break
        likely = sorted(worked.values(), key=lambda w: w[0].cost)
        best = self._holds(found)
        for style, f in likely[:LIKELY] if not best or best[0] > FAR else ():
            if style.cost > likely[0][0].cost + CLOSE:
                break
            found += [(m.cost + style.cost, len(found) + n, style, f, m)
                      for n, m in enumerate(fitting(f, tables(style, deep=True))[:8])]  # fmt: skip
        best = best if best and best[0] <= FAR else self._holds(found)
        answer: tuple[Style | None, Any, list[Match]] = self.flat
        if best:
            answer = best[2], best[3], [best[4]]
        elif likely:
            answer = *likely[0], []
        unlikely = self.flat[0] and answer[0] and self.flat[0].cost + CLOSE < answer[0].cost
        return self.flat if unlikely else answer

    def _holds(self, found: list[Any]) -> Any:
        """The cheapest that is right on lists that it was not found by, too."""
        for one in sorted(found, key=lambda one: one[:2])[:TRIED]:
            style, match = one[2], one[4]
            if all(self._right(style, match, p) for p in style.view.held):
                return one
        return None

    def _right(self, style: Style, match: Match, p: Probe) -> bool:
        value = self.value(style, p)
        return isinstance(value, float) and bool(fits(expected(style, match.recipe, [p]), value, match.slack))

    def _answers(self, style: Style, worked: dict[Any, Any], found: list[Any]) -> bool:
        """Ask the core in this style, and keep what fits. False where it will not finish."""
        made = self.ask(style, [style.view.core[0]])
        outcomes = [numbers(made.value, made.printed)]
        if isinstance(made.error, Stopped) and told(made.error) in self.errors:  # a second time
            return False
        if not outcomes[0]:
            self.errors.setdefault(told(made.error) or f"it returns {type(made.value).__name__}", style)
            return True
        for p in style.view.core[1:]:
            made = self.ask(style, [p])
            outcomes.append(numbers(made.value, made.printed))
        for place in sorted(set.intersection(*map(set, outcomes)), key=lambda w: ("ndcg" not in w.lower(), w)):
            f = np.array([answer[place] for answer in outcomes])
            placed = style._replace(place=place)
            if len({*f.round(9).tolist()}) < FLAT:  # ids of the wrong kind, for example: nothing is found, and all is 0
                self.flat = self.flat if self.flat[0] else (placed, f, [])
            elif np.isfinite(f).sum() >= 4:
                worked[*style.sees, place] = placed, f
                found += [(m.cost + style.cost, len(found) + n, placed, f, m)
                          for n, m in enumerate(fitting(f, tables(placed))[:8])]  # fmt: skip
        return True


def told(error: BaseException | None) -> str:
    """An error in a line."""
    if isinstance(error, Stopped):
        return "it had not finished after a second"
    return f"{type(error).__name__}: {str(error)[:80]}" if error else ""


def computed_by(function: Callable[..., Any], beside: Sequence[str] = BESIDE) -> Card:
    """What a function computes, as a card.

    >>> def gain_of_first(grades, k=10):
    ...     return sum(g / (i + 1) for i, g in enumerate(grades[:k]))
    >>> computed_by(gain_of_first).verdict
    'DCG with gain g; discount 1/i.'
    """
    trial = Trial(function)
    card = Card(getattr(function, "__name__", "function"))
    found: Any = trial.identify() if trial.ways else (None, None, [])
    style, f, matches = found
    if style is None:
        why = trial.why or next(iter(trial.errors), "no number came back")
        card.status, card.verdict, card.calls = "uncallable", f"I cannot call it: {why}.", trial.calls
        return card
    card.called = style.words()
    asked = Asked(trial, style, f, card)
    if matches:
        know(asked, matches[0], beside)
    else:
        not_known(asked)
    again = trial.value(style, style.view.core[0])
    if repr(again) != repr(float(f[0])) and not (isinstance(again, float) and math.isclose(again, f[0], rel_tol=1e-12)):
        later = f"{again:.6g}" if isinstance(again, float) else again
        sentence = f"The same call gives {f[0]:.6g} at first and {later} later: it keeps something, or is random."
        mend = "let it keep nothing between calls: no list outside of it, no default such as x=[], no random order"
        card.warn(sentence, "state-kept", mend)
    if trial.changes:
        card.warn("It changes what it is given.", "input-changed", "sort a copy: sorted(x) instead of x.sort()")
    if trial.printed and style.place != "what it prints last":
        card.lines.append("It also prints.")
    card.calls = trial.calls
    return card
