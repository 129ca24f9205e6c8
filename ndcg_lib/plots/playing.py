"""A ranking to play with in a notebook: drag the cards, and watch NDCG.

`play` is the first figure of the book as a widget, where the package `anywidget` is installed (`pip install
anywidget`). Elsewhere, and where nothing runs (a notebook that was only opened, an export), it is a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ndcg_lib.convention import CONVENTIONS, Convention
from ndcg_lib.core import cg, dcg, discounts, ndcg

MEASURES = ("readers", "cg", "dcg", "ndcg")
FRONT_END = Path(__file__).with_name("playing.js")  # made of the site's own modules: book/_ext/playground.py


def play(
    grades: Sequence[float],
    *,
    missed: Sequence[float] = (),
    titles: Sequence[str] = (),
    k: int | None = None,
    measure: str = "ndcg",
    convention: str | Convention | None = None,
) -> Any:
    """The ranked list as cards to drag, in a notebook.

    `grades`, `missed` (judged, not returned), `titles`, `k` and `convention` of what it gives can be read after a drag,
    and set, and the cards move. `value` is the measure of the list as it stands.

    >>> w = play([3, 0, 1, 0, 2])
    >>> round(w.value, 3)
    0.897
    """
    if measure not in MEASURES:
        raise ValueError(f"measure is {measure!r}: choose one of {', '.join(MEASURES)}")
    titles = [str(title) for title in titles] or _titles(len(grades) + len(missed))
    if len(titles) != len(grades) + len(missed):
        raise ValueError(f"{len(titles)} titles for {len(grades) + len(missed)} documents: give one for each, or none")
    k = _cut(k, chosen(convention))
    given = {"grades": _plain(grades), "missed": _plain(missed), "titles": titles, "k": k, "measure": measure}
    made = (_widget() or _Table)(convention=convention, **given)
    made._value()  # a grade or k that is none is refused here
    return made


class _List:
    """What widget and table have in common: the value, and how the list looks where nothing runs."""

    grades: Any
    missed: Any
    titles: Any
    k: Any
    measure: Any
    convention: Any

    def _value(self) -> float:
        how = {"k": self.k, "convention": self.convention}
        if self.measure in ("cg", "dcg"):
            return float({"cg": cg, "dcg": dcg}[self.measure](self.grades, **how))
        return float(ndcg(self.grades, judged=[*self.grades, *self.missed], **how))

    def __repr__(self) -> str:
        at = f"@{self.k}" if self.k else ""
        return f"play({list(self.grades)}): {self.measure}{at} {self._value():.3f}"

    def _repr_markdown_(self) -> str:
        most = max(3, *map(int, self.grades or [0]))
        rows = ["| rank | page | grade | readers who arrive |", "|--:|:--|:--|--:|"]
        shares = discounts(len(self.grades), convention=self.convention)
        for rank, (grade, title, share) in enumerate(zip(self.grades, self.titles, shares, strict=False), start=1):
            whole = isinstance(grade, int) and 0 <= grade <= 5
            lights = "●" * int(grade) + "○" * (most - int(grade)) if whole else f"{grade:g}"
            rows.append(f"| {rank} | {title.replace('|', '∣')} | {lights} | {100 * share:.0f} of 100 |")
        left = zip(self.titles[len(self.grades) :], self.missed, strict=True)
        also = ["Judged, not returned: " + ", ".join(f"{title} ({grade:g})" for title, grade in left) + "."]
        at = f"@{self.k}" if self.k else ""
        total = [f"**{self.measure.upper()}{at} = {self._value():.3f}**"] if self.measure != "readers" else []
        return "\n\n".join(["\n".join(rows), *(also if self.missed else []), *total])


class _Table(_List):
    """Where there is no anywidget: the same list, standing still."""

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    @property
    def value(self) -> float:
        return self._value()

    def _repr_markdown_(self) -> str:
        return super()._repr_markdown_() + "\n\n*To drag the cards: `pip install anywidget`, and run this again.*"


@cache
def _widget() -> Any:
    """The class of the widget, made when first asked for; None where there is no anywidget."""
    try:
        import anywidget
        import traitlets as t
    except ImportError:
        return None
    number = t.Union([t.Int(), t.Float()])

    class Play(_List, anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
        _esm = FRONT_END
        cards = t.Dict().tag(sync=True)  # grades, missed and titles, in one message: no view sees half a change
        k = t.Int(None, allow_none=True).tag(sync=True)
        measure = t.Enum(MEASURES, "ndcg").tag(sync=True)
        chosen = t.Dict().tag(sync=True)
        grades, missed, titles = t.List(number), t.List(number), t.List(t.Unicode())
        convention = t.Any(None, allow_none=True)
        value = t.Float(read_only=True)
        _busy = False

        @t.observe("cards")  # type: ignore[untyped-decorator, unused-ignore]
        def _take(self, change: Any) -> None:
            with self.hold_trait_notifications():
                for name in ("grades", "missed", "titles"):
                    setattr(self, name, list(change["new"][name]))

        @t.observe("grades", "missed", "titles", "k", "measure", "convention")  # type: ignore[untyped-decorator, unused-ignore]
        def _follow(self, change: Any) -> None:
            if self._busy:
                return
            self._busy = True
            try:
                found = chosen(self.convention)
                self.k, self.chosen = _cut(self.k, found), found
                self._settle()
            finally:
                self._busy = False

        def _settle(self) -> None:
            before = self.cards.get("grades", [])
            if before != self.grades and sorted(before) == sorted(self.grades):  # Python gave an order: titles go along
                left = list(zip(before, self.titles, strict=False))
                found = [left.pop(next(i for i, one in enumerate(left) if one[0] == grade)) for grade in self.grades]
                self.titles = [title for _, title in found] + self.titles[len(before) :]
            if len(self.titles) != len(self.grades) + len(self.missed):
                self.titles = _titles(len(self.grades) + len(self.missed))
            self.set_trait("value", self._value())
            self.cards = {"grades": self.grades, "missed": self.missed, "titles": self.titles}

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            made = super()._repr_mimebundle_(**kwargs)
            data, about = made if isinstance(made, tuple) else (made, {})
            return {**(data or {}), "text/markdown": self._repr_markdown_(), "text/plain": repr(self)}, about

    return Play


def chosen(convention: str | Convention | None) -> dict[str, Any]:
    """A convention as the front end takes it: what differs from the textbook's.

    >>> chosen("burges")
    {'gain': 'exponential'}
    """
    usual = Convention()
    if isinstance(convention, str) and convention not in CONVENTIONS:
        raise ValueError(f"there is no convention {convention!r}: choose one of {', '.join(CONVENTIONS)}")
    full = CONVENTIONS[convention] if isinstance(convention, str) else convention or usual
    for name in ("gain", "discount"):
        if not isinstance(getattr(full, name), str):
            raise ValueError(f"the cards know a {name} by its name: one that is a function or a table cannot be shown")
    names = ("gain", "discount", "base", "p", "ideal", "empty", "k")
    return {name: getattr(full, name) for name in names if getattr(full, name) != getattr(usual, name)}


def _cut(k: int | None, chosen: dict[str, Any]) -> int | None:
    """The cut-off, where a convention may have one of its own."""
    return min((one for one in (k, chosen.get("k")) if one), default=k)


def _plain(grades: Sequence[float]) -> list[float]:
    """Numbers as JSON has them, those of numpy too."""
    return [grade.item() if hasattr(grade, "item") else grade for grade in grades]


def _titles(count: int) -> list[str]:
    return [f"d{place}" for place in range(1, count + 1)]
