"""What is asked of an evaluation: measures by name, each with its cut-off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ndcg_lib.checks import as_cutoff, shown
from ndcg_lib.choices import nearest

NAMES = {
    "ndcg": "NDCG",
    "dcg": "DCG",
    "cg": "CG",
    "p": "P",
    "recall": "Recall",
    "ap": "AP",
    "rr": "RR",
    "rbp": "RBP",
    "err": "ERR",
}
"""The measures by name; their means over queries are also known as MAP and MRR."""

_ALSO = {
    "precision": "p",
    "prec": "p",
    "r": "recall",
    "average_precision": "ap",
    "map": "ap",
    "reciprocal_rank": "rr",
    "recip_rank": "rr",
    "mrr": "rr",
}
_WITH_K = ("ndcg", "dcg", "cg", "p", "recall")  # a k given for all goes to these; the others read the whole list
_SPEC = re.compile(r"([a-z_]+)(?:@(.*))?")


class Column(NamedTuple):
    """A measure and its cut-off."""

    measure: str
    k: int | None

    @property
    def key(self) -> str:
        """The name in results.

        >>> Column("ndcg", 10).key, Column("ap", None).key
        ('ndcg@10', 'ap')
        """
        return self.measure if self.k is None else f"{self.measure}@{self.k}"

    @property
    def heading(self) -> str:
        """The name in tables.

        >>> Column("recall", 100).heading
        'Recall@100'
        """
        return NAMES[self.measure] + ("" if self.k is None else f"@{self.k}")


def as_columns(measures: str | Iterable[str], k: Any, default_k: int | None = None) -> list[Column]:
    """The measures asked for: "ndcg@10" has its own cut-off, "ndcg" takes each k.

    >>> [column.key for column in as_columns(["ndcg", "ap", "p@5"], [10, 20])]
    ['ndcg@10', 'ndcg@20', 'ap', 'p@5']
    """
    each: Sequence[Any] = k if isinstance(k, (list, tuple, range)) else [k]
    cutoffs = [as_cutoff(one) for one in each]
    if not cutoffs:
        raise ValueError("k is an empty list: pass one or more cut-offs, or None for the whole list")
    if cutoffs == [None]:
        cutoffs = [default_k]
    columns = [
        column
        for one in ([measures] if isinstance(measures, str) else measures)
        for column in _columns_of(one, cutoffs)
    ]
    if not columns:
        raise ValueError(f"no measure is asked for: pass some of {', '.join(NAMES)}")
    return list(dict.fromkeys(columns))


def _columns_of(spec: Any, cutoffs: list[int | None]) -> list[Column]:
    match = _SPEC.fullmatch(spec.strip().lower()) if isinstance(spec, str) else None
    name = _ALSO.get(match[1], match[1]) if match else ""
    if not match or name not in NAMES:
        near = nearest(spec, NAMES, _ALSO)
        guess = f" Did you mean {near!r}?" if near else ""
        raise ValueError(
            f"there is no measure {shown(spec)}.{guess} The measures are {', '.join(NAMES)}, also as ndcg@10"
        )
    if match[2] is None:
        return [Column(name, k) for k in (cutoffs if name in _WITH_K else [None])]
    if not re.fullmatch(r"[1-9][0-9]{0,17}", match[2]):
        raise ValueError(f"the cut-off in {shown(spec)} is not a whole number from 1: write it like ndcg@10")
    return [Column(name, int(match[2]))]
