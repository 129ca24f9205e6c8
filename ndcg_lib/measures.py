"""The measures of a ranking by name, and those other than CG, DCG and NDCG as functions of the grades in ranked order.

`grades` and `judged` are those of NDCG. A document is relevant from the grade `relevant` on; without it, every grade
above 0 is. The engine computes all of them, also for whole runs in `evaluate`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ndcg_lib.checks import as_cutoff, as_grades, as_number, as_pool, shown
from ndcg_lib.choices import explained, nearest
from ndcg_lib.engine import SAFE, following
from ndcg_lib.files.plain import QRELS, number_of
from ndcg_lib.inputs import of_table
from ndcg_lib.types import Array, Empty, Grades, Judged, Value


class Measure(NamedTuple):
    """A measure: how tables call it, the quantity of the engine, its other names, and whether a k for all is its own.

    Measures that take no k for all read the whole list, unless they are asked for as in ap@100. A condensed list is
    the list without the documents that nobody judged.
    """

    heading: str
    quantity: str
    also: tuple[str, ...] = ()
    takes_k: bool = False
    condensed: bool = False


MEASURES = {
    "ndcg": Measure("NDCG", "ndcg", ("ndcg_cut",), takes_k=True),
    "ndcg'": Measure("NDCG'", "ndcg", ("ndcg_prime", "ndcg_condensed"), takes_k=True, condensed=True),
    "dcg": Measure("DCG", "dcg", takes_k=True),
    "cg": Measure("CG", "cg", takes_k=True),
    "p": Measure("P", "precision", ("precision", "prec"), takes_k=True),
    "recall": Measure("Recall", "recall", ("r",), takes_k=True),
    "success": Measure("Success", "success", ("hit", "hits", "hit_rate"), takes_k=True),
    "judged": Measure("Judged", "judged_share", takes_k=True),
    "ap": Measure("AP", "average_precision", ("average_precision", "map", "map_cut")),
    "rr": Measure("RR", "reciprocal_rank", ("reciprocal_rank", "recip_rank", "mrr")),
    "rprec": Measure("Rprec", "r_precision", ("r_precision", "r-precision")),
    "bpref": Measure("bpref", "bpref"),
    "infap": Measure("infAP", "inferred_ap", ("inferred_ap",)),
    "rbp": Measure("RBP", "rbp"),
    "err": Measure("ERR", "err"),
}
READS_ZEROS = {"ndcg'", "judged", "bpref", "infap"}
"""What looks at judged documents that are not relevant."""
READS_RELEVANT = MEASURES.keys() - {"ndcg", "ndcg'", "dcg", "cg", "judged", "err"}
NO_CUT = {"rprec", "bpref", "infap"}
_ALSO = {other: name for name, measure in MEASURES.items() for other in measure.also}
_ABOVE_0 = {
    "relevant": "the lowest grade that counts as relevant, above 0",
    "max_grade": "the top of the scale of grades, a number above 0",
}
_NAME = re.compile(r"([a-z][a-z_' -]*?) *(?:\((.*)\))? *(?:[@._]? *([0-9].*)|@(.*))?", re.DOTALL)


class Column(NamedTuple):
    """A measure, its cut-off, and what it was asked for with beside that."""

    measure: str
    k: int | None
    relevant: float | None = None
    persistence: float | None = None

    @property
    def key(self) -> str:
        """The name in results.

        >>> Column("ndcg", 10).key, Column("ap", None).key, Column("p", 5, relevant=2).key
        ('ndcg@10', 'ap', 'p(rel=2)@5')
        """
        return self._written(self.measure)

    @property
    def heading(self) -> str:
        """The name in tables.

        >>> Column("recall", 100).heading
        'Recall@100'
        """
        return self._written(MEASURES[self.measure].heading if self.measure in MEASURES else self.measure)

    def _written(self, name: str) -> str:
        said = {"rel": self.relevant, "p": self.persistence}
        inside = ",".join(f"{what}={value:g}" for what, value in said.items() if value is not None)
        return name + (f"({inside})" if inside else "") + ("" if self.k is None else f"@{self.k}")


def as_columns(measures: str | Iterable[str], k: Any, default_k: int | None = None) -> list[Column]:
    """The measures asked for: "ndcg@10" has its own cut-off, "ndcg" takes each k.

    Names may be written as trec_eval and ir_measures write them.

    >>> [column.key for column in as_columns(["ndcg", "ap", "p@5"], [10, 20])]
    ['ndcg@10', 'ndcg@20', 'ap', 'p@5']
    >>> [column.key for column in as_columns(["ndcg_cut.5", "10", "P_5", "recall_100", "nDCG@10", "P(rel=2)@5"], None)]
    ['ndcg@5', 'ndcg@10', 'p@5', 'recall@100', 'p(rel=2)@5']
    """
    each: Sequence[Any] = k if isinstance(k, (list, tuple, range)) else [k]
    cutoffs = [as_cutoff(one) for one in each]
    if not cutoffs:
        raise ValueError("k is an empty list: pass one or more cut-offs, or None for the whole list")
    if cutoffs == [None]:
        cutoffs = [default_k]
    columns: list[Column] = []
    for spec in [measures] if isinstance(measures, str) else measures:
        again = columns[-1:] if isinstance(spec, str) and spec.strip().isdecimal() else []  # ndcg_cut.5,10
        columns += _columns_of(f"{again[0].measure}@{spec}" if again and again[0].k else spec, cutoffs)
    if not columns:
        raise ValueError(f"no measure is asked for: pass some of {', '.join(MEASURES)}")
    return list(dict.fromkeys(columns))


def _columns_of(spec: Any, cutoffs: list[int | None]) -> list[Column]:
    match = _NAME.fullmatch(spec.strip().lower()) if isinstance(spec, str) else None
    word = match[1].rstrip("_") if match else ""
    name = _ALSO.get(word, word)
    if not match or name not in MEASURES:
        near = nearest(spec, MEASURES, _ALSO)
        guess = f" Did you mean {near!r}?" if near else ""
        raise ValueError(
            f"there is no measure {shown(spec)}.{guess} The measures are {', '.join(MEASURES)}, also as ndcg@10"
        )
    asked = _asked(spec, name, match[2] or "")
    name = "ndcg'" if asked.pop("condensed", None) else name
    cut = match[3] or match[4] if match[3] or match[4] is not None else asked.pop("k", None)
    if cut is None:
        return [Column(name, k, **asked) for k in (cutoffs if MEASURES[name].takes_k else [None])]
    if not re.fullmatch(r"[1-9][0-9]{0,17}", str(cut)):
        raise ValueError(f"the cut-off in {shown(spec)} is not a whole number from 1: write it like ndcg@10")
    if name in NO_CUT:
        raise ValueError(f"{shown(spec)}: {MEASURES[name].heading} has no cut-off: write {name}")
    return [Column(name, int(cut), **asked)]


def _asked(spec: str, name: str, inside: str) -> dict[str, Any]:
    """What stands in the parentheses of a name that is written as in ir_measures."""
    found: dict[str, Any] = {}
    for part in filter(None, inside.split(",")):
        key, _, text = (piece.strip() for piece in part.partition("="))
        number = number_of(text.encode(), QRELS)
        value = text if number is None else number
        if key == "rel" and name in READS_RELEVANT:
            found["relevant"] = above_0("relevant", value)
        elif key == "p" and name == "rbp":
            found["persistence"] = as_persistence(value)
        elif key == "cutoff":
            found["k"] = text
        elif key == "judged_only" and name == "ndcg":
            found["condensed"] = text == "true"
        else:
            raise ValueError(
                f"{shown(spec)}: {key!r} is not read in the name of this measure. rel and p are, as in P(rel=2)@5 and"
                " RBP(p=0.8); gain, discount and other choices are options of their own"
            )
    return found


@explained
def precision(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Precision: the share of the first k documents that are relevant. A list shorter than k is not excused.

    >>> precision([3, 0, 1, 0, 2], k=4)
    0.5
    >>> precision([3, 0, 1], k=4)
    0.5
    """
    return _of_engine("precision", grades, k, relevant=above_0("relevant", relevant))


@explained
def recall(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    relevant: float | None = None,
    empty: Empty = 0.0,
) -> Value:
    """Recall: the share of the relevant judged documents that stand among the first k.

    >>> recall([3, 0, 1, 0, 2], k=3, judged=[3, 0, 1, 0, 2, 1])
    0.5
    """
    return _of_engine("recall", grades, k, judged, empty, relevant=above_0("relevant", relevant))


@explained
def average_precision(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    relevant: float | None = None,
    empty: Empty = 0.0,
) -> Value:
    """Average precision: the precision at the rank of each relevant document, added up, over all relevant documents.

    A relevant document that was not returned adds 0, and the sum is divided by the number of all relevant judged
    documents, also at k.

    >>> average_precision([1, 0, 1])
    0.8333333333333333
    >>> average_precision([1, 0, 1], judged=[1, 0, 1, 1, 1])
    0.41666666666666663
    """
    return _of_engine("average_precision", grades, k, judged, empty, relevant=above_0("relevant", relevant))


@explained
def reciprocal_rank(grades: Grades, k: int | None = None, *, relevant: float | None = None) -> Value:
    """Reciprocal rank: 1 / rank of the first relevant document, and 0 without one. Its mean over queries is MRR.

    >>> reciprocal_rank([0, 0, 2, 3])
    0.3333333333333333
    """
    return _of_engine("reciprocal_rank", grades, k, relevant=above_0("relevant", relevant))


@explained
def rbp(grades: Grades, k: int | None = None, *, persistence: float = 0.8, max_grade: float | None = None) -> Value:
    """Rank-biased precision (Moffat and Zobel 2008): the reader looks at the next document with probability p.

    RBP = (1 - p) (r_1 + r_2 p + r_3 p^2 + …), with r_i = 1 for a relevant document; with `max_grade` r_i is
    grade / max_grade. What stands below the list counts as useless, so this is the lower bound of the measure.

    >>> round(rbp([1, 0, 1], persistence=0.5), 4)
    0.625
    """
    g, p = as_grades(grades), as_persistence(persistence)
    return _of_engine("rbp", g, k, persistence=p, max_grade=None if max_grade is None else top_of(g, max_grade))


@explained
def err(grades: Grades, k: int | None = None, *, max_grade: float | None = None) -> Value:
    """Expected reciprocal rank (Chapelle et al. 2009): the reader stops at rank i with probability R_i.

    R_i = (2^grade - 1) / 2^max_grade, and ERR = sum over i of R_i / i times the probability to get that far.
    `max_grade` is the top of the scale of grades; without it, the largest grade in the list.

    >>> err([1, 1], max_grade=1)
    0.625
    """
    g = as_grades(grades)
    return _of_engine("err", g, k, top_grade=top_of(g, max_grade, err=True))


def above_0(name: str, value: Any) -> float | None:
    """A number above 0 if it was given: the lowest relevant grade, or the top of the scale.

    >>> above_0("relevant", 2), above_0("max_grade", None)
    (2.0, None)
    """
    number = None if isinstance(value, (bool, np.bool_)) else as_number(value)
    if value is not None and (number is None or not 0 < number < math.inf):
        raise ValueError(f"{name} is {shown(value)}: pass {_ABOVE_0[name]}")
    return number


def as_persistence(persistence: Any) -> float:
    """The probability that the reader of RBP looks on.

    >>> as_persistence(0.8)
    0.8
    """
    number = None if isinstance(persistence, (bool, np.bool_)) else as_number(persistence)
    if number is None or not 0 <= number < 1:
        raise ValueError(
            f"persistence is {shown(persistence)}: pass the probability of looking on, at least 0 and below 1"
        )
    return number


def top_of(grades: Array, max_grade: Any, *, err: bool = False) -> float:
    """The top of the scale of some grades: what was given, if no grade lies above, or the largest of them.

    >>> top_of(np.array([1.0, 3.0]), None)
    3.0
    """
    largest = float(grades.max(initial=0.0))
    top = largest if max_grade is None else above_0("max_grade", max_grade) or 0.0
    if top < largest:
        raise ValueError(f"max_grade is {top:g} but there is a grade of {largest:g}: pass the top of the scale")
    if err and top > SAFE:  # 2^top must be a number
        raise ValueError(f"the top of the scale is {top:g}, too large for ERR: divide the grades by their maximum")
    return top or 1.0


def _of_engine(
    measure: str, grades: Any, k: Any, judged: Judged | None = None, empty: Empty = 0.0, **given: Any
) -> Value:
    """A measure of one ranking, or of one per row."""
    g = as_grades(grades)
    sheet = of_table(g, as_cutoff(k), None if judged is None else as_pool(judged, beside=g))
    sheet.given |= given
    recipe = following(empty=empty)
    if measure in ("recall", "average_precision"):
        hits, wanted = sheet("relevant_hits", recipe), sheet("wanted", recipe)
        found = np.bincount(sheet("order", recipe)[1], hits, len(wanted))
        if (found > wanted).any():
            at = int(np.argmax(found > wanted))
            raise ValueError(
                f"{found[at]:g} relevant documents were returned but judged holds {wanted[at]:g}: judged must hold"
                " every judged document once, the returned ones included, and no document may be returned twice"
            )
        if empty == "raise" and (wanted == 0).any():
            raise ValueError("no judged document is relevant: drop the query, or pass empty=0.0, 1.0, nan or 'skip'")
    values = np.asarray(sheet(measure, recipe), dtype=np.float64)
    return float(values[0]) if g.ndim == 1 else values
