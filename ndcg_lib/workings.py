"""The hand calculation: a row per rank, and the sums written out with their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from ndcg_lib import rendering
from ndcg_lib.checks import as_cutoff
from ndcg_lib.choices import takes
from ndcg_lib.convention import Convention
from ndcg_lib.curves import Curve, curve
from ndcg_lib.types import ConventionLike, Grades, Judged, OfNdcg


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
        return rendering.sums(self)

    def text(self) -> str:
        """A table in plain text, then the sums."""
        return rendering.text(self)

    def markdown(self) -> str:
        """A Markdown table, then the sums."""
        return rendering.markdown(self)

    def html(self) -> str:
        """An HTML table with its convention as the caption, then the sums."""
        return rendering.html(self)

    def latex(self) -> str:
        """The sums as LaTeX, aligned at the equals signs; put it between dollar signs or in a display."""
        return rendering.latex(self)

    __str__ = text
    __repr__ = text
    _repr_html_ = html

    def _last(self, name: str) -> float:
        values = getattr(self.curve, name)
        return float(values[-1]) if len(values) else 0.0


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
