"""Every quantity at every rank, and the hand calculation: a row per rank, the sums written out with their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from ndcg_lib import formula, grid
from ndcg_lib.checks import as_cutoff, as_grades, as_pool, defined, no_better_than_ideal
from ndcg_lib.choices import Bound, text_of
from ndcg_lib.convention import Convention, takes
from ndcg_lib.core import DISCOUNT, EMPTY, IDEAL, sides
from ndcg_lib.engine import as_number, following
from ndcg_lib.grid import Html, joined, tag, tags
from ndcg_lib.types import Array, ConventionLike, Grades, Judged, OfNdcg

BEYOND = ">1e308"
"""What stands for a number that a float cannot hold; NDCG has a value all the same."""
ASSUMED = "assumed: nothing else was judged"
"""What a value takes for granted whose ideal is over all judged documents, and that was not told them."""
HEADINGS = (
    "rank", "document", "grade", "gain", "discount", "contribution", "CG", "DCG", "ideal grade", "IDCG", "NDCG",
)  # fmt: skip
DOCUMENT = HEADINGS.index("document")


@dataclass(frozen=True, eq=False)
class Curve:
    """One array per quantity; element i - 1 belongs to rank i. Below the end of a list its grades are nan."""

    rank: Array
    grade: Array
    gain: Array
    discount: Array
    contribution: Array
    cg: Array
    dcg: Array
    ideal_grade: Array
    ideal_gain: Array
    ideal_contribution: Array
    idcg: Array
    ndcg: Array

    def __len__(self) -> int:
        return len(self.rank)


@takes("ndcg")
def curve(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfNdcg],
) -> Curve:
    """CG, DCG, IDCG and NDCG at the ranks 1 to k, or to the end of the longer list.

    >>> curve([2, 3, 1, 3, 0]).ndcg.round(3)
    array([0.667, 0.796, 0.745, 0.899, 0.899])
    """
    recipe = following(**choices)
    returned = as_grades(grades, allow_negative=allow_negative)
    if returned.ndim != 1:
        raise ValueError(f"grades has {returned.ndim} dimensions: curve and working take one ranking at a time")
    known = judged is not None and recipe[IDEAL].key == "judged"
    pool = as_pool(judged, allow_negative=allow_negative, beside=returned) if known else returned
    with np.errstate(over="ignore", invalid="ignore"):
        g, pool_gain, exponent = sides(returned, pool, recipe, allow_negative)
        order = np.argsort(-pool_gain, kind="stable")
        no_better_than_ideal(g, pool_gain[order])
        n = max(len(g), len(pool))
        n = min(as_cutoff(k) or n, n)
        d = formula.discounts(n, recipe[DISCOUNT])
        gains, ideal_gains = _padded(g, n, 0.0), _padded(pool_gain[order], n, 0.0)
        dcg, idcg = (d * gains).cumsum(), (d * ideal_gains).cumsum()
        defined(dcg, idcg, recipe[EMPTY])

        def plain(x: Array) -> Array:
            return x if exponent is None else np.ldexp(x, exponent[0])

        return Curve(
            rank=np.arange(1.0, n + 1),
            grade=_padded(returned, n),
            gain=_padded(plain(g), n),
            discount=np.array(d),
            contribution=plain(d * gains),
            cg=plain(gains.cumsum()),
            dcg=plain(dcg),
            ideal_grade=_padded(pool[order], n),
            ideal_gain=_padded(plain(pool_gain[order]), n),
            ideal_contribution=plain(d * ideal_gains),
            idcg=plain(idcg),
            ndcg=np.asarray(formula.ndcg(dcg, idcg, as_number(recipe[EMPTY]))),
        )


def _padded(values: Array, n: int, below: float = np.nan) -> Array:
    return np.pad(values[:n], (0, max(0, n - len(values))), constant_values=below)


@dataclass(frozen=True, eq=False)
class Working:
    """A calculation that can be read. Numbers are exact; `decimals` rounds on display only.

    It prints as text, shows as a table in a notebook, and gives itself as `text()`, `html()`, `markdown()`
    and `latex()`. The exact values are `cg`, `dcg`, `idcg`, `ndcg`, and rank by rank `curve`.
    """

    curve: Curve
    documents: tuple[str, ...]
    convention: Convention
    decimals: int = 3
    judged_given: bool = True

    @property
    def cg(self) -> float:
        """CG at the last rank shown."""
        return self._last("cg")

    @property
    def dcg(self) -> float:
        """DCG at the last rank shown."""
        return self._last("dcg")

    @property
    def idcg(self) -> float:
        """IDCG at the last rank shown."""
        return self._last("idcg")

    @property
    def ndcg(self) -> float:
        """NDCG at the last rank shown."""
        return self._last("ndcg")

    def to(self, decimals: int) -> Working:
        """The same calculation shown with another number of decimals.

        >>> print(working([1, 0]).to(5).sums()[0])
        DCG@2 = 1/1 + 0/1.58496 = 1 + 0 = 1
        """
        return replace(self, decimals=decimals)

    def sums(self) -> list[str]:
        """The lines DCG = …, IDCG = …, NDCG = … with their numbers.

        >>> for line in working([3, 0, 2]).sums():
        ...     print(line)
        DCG@3 = 3/1 + 0/1.585 + 2/2 = 3 + 0 + 1 = 4
        IDCG@3 = 3/1 + 2/1.585 + 0/2 = 3 + 1.262 + 0 = 4.262
        NDCG@3 = 4 / 4.262 = 0.939
        """
        short, lines = _short(self.decimals), []
        for name, total, rows in self._sides():
            terms = [self._term(gain, i) for i, _, gain, _ in rows]
            values = [short(contribution) for *_, contribution in rows]
            steps = [" + ".join(terms) or "0"] + ([" + ".join(values)] if terms != values else []) + [short(total)]
            lines.append(f"{name}@{self._k} = " + " = ".join(dict.fromkeys(steps)))
        return [*lines, f"NDCG@{self._k} = {short(self.dcg)} / {short(self.idcg)} = {self._value()}"]

    def text(self) -> str:
        """A table in plain text, then the sums, and what was assumed."""
        return "\n".join([grid.text([HEADINGS, *self._cells()], [DOCUMENT]), *self.sums(), *self._assumed()])

    def markdown(self) -> str:
        """A Markdown table, then the sums, and what was assumed."""
        below = "  \n".join([*self.sums(), *self._assumed()])
        return grid.markdown([HEADINGS, *self._cells()], DOCUMENT) + "\n\n" + below + "\n"

    def html(self) -> Html:
        """An HTML table with its convention as the caption, then the sums."""
        head = tags("th", HEADINGS, scope="col")
        rows = [tag("tr", tag("th", first, scope="row"), tags("td", rest)) for first, *rest in self._cells()]
        card = tag("caption", "; ".join([self.convention.definition(), *self._assumed()]))
        body = tag("tbody", *(["\n", row] for row in rows), "\n")
        table = tag("table", "\n", card, "\n", tag("thead", tag("tr", head)), "\n", body, "\n")
        frame = {"class_": "ndcg-working", "role": "region", "aria_label": "Working", "tabindex": 0}
        lines = [[tag("p", line), "\n"] for line in self.sums()]
        return joined(tag("div", "\n", table, "\n", **frame, style="overflow-x: auto"), "\n", lines)

    def latex(self) -> str:
        """The sums as LaTeX, aligned at the equals signs; put it between dollar signs or in a display."""
        short, lines = _short(self.decimals), []
        for name, total, rows in self._sides():
            terms = [self._fraction(grade, gain, i) for i, grade, gain, _ in rows]
            lines.append(rf"\mathrm{{{name}@{self._k}}} &= {' + '.join(terms) or '0'} = {short(total)}")
        value = self._value(undefined=r"\text{undefined}")
        quotient = rf"\frac{{{short(self.dcg)}}}{{{short(self.idcg)}}}"
        lines.append(rf"\mathrm{{NDCG@{self._k}}} &= {quotient} = {value}")
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _assumed(self) -> list[str]:
        return [ASSUMED] * (not self.judged_given and self.convention.ideal == "judged")

    def _last(self, name: str) -> float:
        values = getattr(self.curve, name)
        return float(values[-1]) if len(values) else 0.0

    def _sides(self) -> Iterator[tuple[str, float, list[tuple[int, float, float, float]]]]:
        """List and ideal: the name, the sum, and for each document its place, grade, gain and contribution."""
        c = self.curve
        for name, total, *columns in (
            ("DCG", self.dcg, c.grade, c.gain, c.contribution),
            ("IDCG", self.idcg, c.ideal_grade, c.ideal_gain, c.ideal_contribution),
        ):
            rows = zip(range(len(c)), *(column.tolist() for column in columns), strict=True)
            yield name, total, [row for row in rows if not math.isnan(row[2])]

    @property
    def _k(self) -> int:
        return self.convention.k or len(self.curve)

    def _cells(self) -> list[list[str]]:
        c, exact, short = self.curve, _fixed(self.decimals), _short(self.decimals)
        before = [(c.grade, short), (c.gain, short), (c.discount, exact), (c.contribution, exact)]
        columns = [*before, (c.cg, short), (c.dcg, exact), (c.ideal_grade, short), (c.idcg, exact), (c.ndcg, exact)]
        names = [*self.documents, *"-" * len(c)]
        return [[f"{i + 1}", names[i], *(show(values[i]) for values, show in columns)] for i in range(len(c))]

    def _value(self, undefined: str = "undefined") -> str:
        return undefined if math.isnan(self.ndcg) else grid.fixed(self.ndcg, self.decimals)

    def _term(self, gain: float, i: int) -> str:
        short, level = _short(self.decimals), self.convention.levels["discount"]
        if isinstance(level, Bound) and level.option.under:
            return f"{short(gain)}/{short(1 / float(self.curve.discount[i]))}"
        return f"{short(gain)} x {short(float(self.curve.discount[i]))}"

    def _fraction(self, grade: float, gain: float, i: int) -> str:
        """A term in LaTeX: the gain, and what the table of choices says that the discount does to it at this rank."""
        short, rank = _short(self.decimals), i + 1
        worth, level = self.convention.levels["gain"], self.convention.levels["discount"]
        spelled = isinstance(worth, Bound) and worth.option.spelled
        text = text_of("gain", worth, "latex", g=short(grade)) if spelled else short(gain)
        bare = f"({text})" if spelled else text
        if not isinstance(level, Bound):
            return rf"{bare} \cdot {short(float(self.curve.discount[i]))}"
        if rank < level.first:
            return bare
        under, times = (
            text_of("discount", level, field, i=rank, next=rank + 1, before=rank - 1) for field in ("under", "times")
        )
        if under:
            return rf"\frac{{{text}}}{{{under}}}"
        return rf"{bare} \cdot {times}" if times else bare


@takes("ndcg")
def working(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    documents: Sequence[object] | None = None,
    decimals: int = 3,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfNdcg],
) -> Working:
    """The calculation of NDCG@k as one writes it by hand.

    `documents` names the returned documents; without it they are d1, d2, … in ranked order.

    >>> print(working([3, 0, 2]))
    rank  document  grade  gain  discount  contribution  CG    DCG  ideal grade   IDCG   NDCG
       1  d1            3     3     1.000         3.000   3  3.000            3  3.000  1.000
       2  d2            0     0     0.631         0.000   3  3.000            2  4.262  0.704
       3  d3            2     2     0.500         1.000   5  4.000            0  4.262  0.939
    DCG@3 = 3/1 + 0/1.585 + 2/2 = 3 + 0 + 1 = 4
    IDCG@3 = 3/1 + 2/1.585 + 0/2 = 3 + 1.262 + 0 = 4.262
    NDCG@3 = 4 / 4.262 = 0.939
    assumed: nothing else was judged
    """
    if not (isinstance(decimals, int) and 0 <= decimals <= 15):
        raise ValueError(f"decimals is {decimals!r}: pass a whole number from 0 to 15")
    rows = curve(grades, k, judged=judged, allow_negative=allow_negative, **choices)
    if not len(rows):
        raise ValueError("grades is empty: there is no rank to work through")
    convention_used = Convention(k=as_cutoff(k), **choices)
    return Working(rows, _names(documents, len(grades)), convention_used, decimals, judged is not None)


def graded(returned: Sequence[object], judged: Mapping[object, float], *, unjudged: float = 0.0) -> list[float]:
    """The grades of a returned list of documents, in ranked order; a document that nobody judged gets `unjudged`.

    >>> graded(["d2", "d7", "d1"], {"d1": 3, "d2": 1})
    [1, 0.0, 3]
    """
    _names(returned, len(returned))
    return [judged.get(document, unjudged) for document in returned]


def _names(documents: Sequence[object] | None, n: int) -> tuple[str, ...]:
    if documents is None:
        return tuple(f"d{i}" for i in range(1, n + 1))
    if isinstance(documents, str) or len(documents) != n:
        raise ValueError(f"documents names {len(documents)} documents for {n} grades: give one name for each")
    first: dict[object, int] = {}
    for rank, document in enumerate(documents, start=1):
        if first.setdefault(document, rank) != rank:
            raise ValueError(
                f"document {document!r} is returned twice, at ranks {first[document]} and {rank}: a document counts"
                " once, so keep its first place"
            )
    return tuple(map(str, documents))


def _fixed(decimals: int) -> Callable[[float], str]:
    return lambda x: "-" if math.isnan(x) else BEYOND if math.isinf(x) else grid.fixed(x, decimals)


def _short(decimals: int) -> Callable[[float], str]:
    """Rounded, without the zeros that say nothing: 3, 1.5, 0.631."""
    fixed = _fixed(decimals)

    def show(x: float) -> str:
        text = fixed(x)
        return text.rstrip("0").rstrip(".") if "." in text else text

    return show
