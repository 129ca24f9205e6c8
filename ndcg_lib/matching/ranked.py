"""Measures of every query at once, from the hits: a document that nobody judged has no gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_lib.choices import Gain
from ndcg_lib.convention import Convention
from ndcg_lib.core import discounts, gains
from ndcg_lib.exact import LARGEST_SAFE, LARGEST_SAFE_EXPONENT, SMALLEST_SAFE, ratio
from ndcg_lib.files.decimals import Flags, Ints
from ndcg_lib.files.plain import show
from ndcg_lib.matching.hits import Hits, Matched
from ndcg_lib.matching.judgements import Judgements
from ndcg_lib.matching.tied import Group, expected_ap_sum, expected_err, expected_rr
from ndcg_lib.types import Array


@dataclass(frozen=True)
class Ranked:
    """A run beside its judgements under a convention. Every measure gives one value for each judged query."""

    judgements: Judgements
    matched: Matched
    convention: Convention
    relevant: float | None = None  # the lowest grade that counts as relevant; None: every grade above 0
    persistence: float = 0.8
    max_grade: float | None = None

    def cg(self, k: int | None) -> Array:
        """Cumulative gain."""
        return self._sums(self._plain_gains(), np.ones(self._ranks(k)))

    def dcg(self, k: int | None) -> Array:
        """Discounted cumulative gain."""
        return self._sums(self._plain_gains(), self._discounts(k))

    def ndcg(self, k: int | None) -> Array:
        """DCG / IDCG, and what the convention says where there is no gain."""
        discount = self._discounts(k)
        dcg, idcg = self._sums(self.gain_of_hits, discount), self._ideal(discount)
        values = np.asarray(ratio(dcg, idcg, self._empty))
        values[abs(values - 1) < 1e-15] = 1.0
        return values

    def precision(self, k: int | None) -> Array:
        """The share of relevant documents among the first k, or in the whole list."""
        among = self.matched.returned if k is None else np.full(len(self.judgements), k)
        return self._relevant_within(k) / np.maximum(among, 1)

    def recall(self, k: int | None) -> Array:
        """The share of the relevant documents that is among the first k."""
        return self._share(self._relevant_within(k))

    def average_precision(self, k: int | None) -> Array:
        """The precision at the rank of each relevant document, over all relevant documents."""
        rows = np.flatnonzero(self.is_hit_relevant)
        rank, query = self.hits.above[rows] + 1, self.hits.query[rows]
        first = np.flatnonzero(np.diff(query, prepend=-1))
        so_far = np.arange(1, len(rows) + 1) - np.repeat(first, np.diff(first, append=len(rows)))
        sums = self._bincount(query, np.where(rank <= self._ranks(k), so_far / rank, 0.0))
        return self._share(self._expected(sums, expected_ap_sum, k))

    def reciprocal_rank(self, k: int | None) -> Array:
        """1 / rank of the first relevant document."""
        rows = np.flatnonzero(self.is_hit_relevant)
        first = rows[np.flatnonzero(np.diff(self.hits.query[rows], prepend=-1))]
        rank = self.hits.above[first] + 1
        values = np.zeros(len(self.judgements))
        values[self.hits.query[first]] = np.where(rank <= self._ranks(k), 1 / rank, 0.0)
        return self._expected(values, expected_rr, k)

    def rbp(self, k: int | None) -> Array:
        """Rank-biased precision: (1 - p) times the sum of p^(rank - 1) over the relevant documents."""
        worth = self.is_hit_relevant.astype(float)
        if self.max_grade is not None:
            worth = np.maximum(self.hits.grade, 0) / self._top_grade()
        patience = np.power(float(self.persistence), np.arange(self._ranks(k)))
        return (1 - self.persistence) * self._sums(worth, patience)

    def err(self, k: int | None) -> Array:
        """Expected reciprocal rank, with the largest grade of all judgements as the top of the scale."""
        top = self._top_grade()
        stop = (np.exp2(np.maximum(self.hits.grade, 0)) - 1) / 2.0**top
        values = np.zeros(len(self.judgements))
        for query, groups in self._groups(np.flatnonzero(stop > 0), stop):
            values[query] = expected_err(groups, self._ranks(k))
        return values

    @cached_property
    def hits(self) -> Hits:
        """The hits in the order of the convention; `tied` stays above 1 only where ties are averaged."""
        hits, ties = self.matched.hits, self.convention.ties
        one = np.ones(len(hits), np.int64)
        if ties == "average" or not (hits.tied > 1).any():
            return hits
        if ties not in ("best", "worst"):
            return replace(hits, above=hits.above + hits.place, tied=one)
        gain = self._gains(hits.grade, hits.query)
        best_first = np.lexsort((-hits.grade, -gain, hits.above, hits.query))
        hits = hits.take(best_first)
        new = (np.diff(hits.query, prepend=-1) != 0) | (np.diff(hits.above, prepend=-1) != 0)
        start = np.flatnonzero(new)
        size = np.diff(start, append=len(hits))
        place = np.arange(len(hits)) - np.repeat(start, size)
        if ties == "worst":  # the documents without a gain first, the best at the end
            place = hits.tied - 1 - place
        hits = replace(hits, above=hits.above + place, tied=one)
        return hits.take(np.lexsort((hits.above, hits.query)))

    @cached_property
    def is_relevant(self) -> Flags:
        """Which judgements are of relevant documents."""
        return _is_relevant(self.judgements.grade, self.relevant)

    @cached_property
    def is_hit_relevant(self) -> Flags:
        """Which hits are relevant."""
        return _is_relevant(self.hits.grade, self.relevant)

    @cached_property
    def wanted(self) -> Ints:
        """How many relevant documents each query has."""
        return self._of_queries(np.add, self.is_relevant.astype(np.int64))

    @cached_property
    def gain_of_hits(self) -> Array:
        """The gains of the hits, in the scale of their query."""
        return self._gains(self.hits.grade, self.hits.query)

    @cached_property
    def gain_of_judged(self) -> Array:
        """The gains of all judgements, in the scale of their query."""
        return self._gains(self.judgements.grade, self.judgements.query)

    @cached_property
    def without_gain(self) -> Flags:
        """The queries whose ideal is 0."""
        if self.convention.ideal == "returned":
            return np.asarray(self._bincount(self.hits.query, self.gain_of_hits) == 0)
        return np.asarray(self._of_queries(np.maximum, self.gain_of_judged) == 0)

    @cached_property
    def _shift(self) -> Ints | None:
        """By query, the power of two that keeps huge gains finite and tiny ones apart from 0; None: none needed."""
        largest = self._of_queries(np.maximum, self.judgements.grade)
        if self.convention.gain == "exponential":
            unsafe, exponent = largest > LARGEST_SAFE_EXPONENT, largest
        else:
            gain = self._of_queries(np.maximum, _gains(self.judgements.grade, self.convention.gain, 0.0))
            unsafe = (gain > LARGEST_SAFE) | ((gain < SMALLEST_SAFE) & (gain > 0))
            exponent = np.frexp(gain)[1]
        return np.where(unsafe, exponent, 0) if unsafe.any() else None

    def _gains(self, grade: Array, query: Ints) -> Array:
        shift = 0.0 if self._shift is None else self._shift[query]
        if self.convention.gain == "exponential":
            return _gains(grade, "exponential", shift)
        gain = self._refuse_negative(grade, _gains(grade, self.convention.gain, 0.0), query)
        return gain if self._shift is None else np.ldexp(gain, -shift)

    def _plain_gains(self) -> Array:
        return self._refuse_negative(
            self.hits.grade, _gains(self.hits.grade, self.convention.gain, 0.0), self.hits.query
        )

    def _top_grade(self) -> float:
        largest = float(self.judgements.grade.max(initial=0))
        top = largest if self.max_grade is None else self.max_grade
        if top < largest:
            raise ValueError(f"max_grade is {top:g} but there is a grade of {largest:g}: pass the top of the scale")
        if top > LARGEST_SAFE_EXPONENT:
            raise ValueError(f"the top of the scale is {top:g}, too large for ERR: divide the grades by their maximum")
        return top or 1.0

    @property
    def _empty(self) -> Any:
        return math.nan if self.convention.empty in ("raise", "skip") else self.convention.empty

    def _ideal(self, discount: Array) -> Array:
        """The DCG of all judged documents, best first, or of the returned ones."""
        gain, query = self.gain_of_judged, self.judgements.query
        if self.convention.ideal == "returned":
            gain, query = self.gain_of_hits, self.hits.query
        rows = np.flatnonzero(gain > 0)
        rows = rows[np.lexsort((-gain[rows], query[rows]))]
        first = np.flatnonzero(np.diff(query[rows], prepend=-1))
        rank = np.arange(len(rows)) - np.repeat(first, np.diff(first, append=len(rows)))
        counts = np.flatnonzero(rank < len(discount))
        rows = rows[counts]
        return self._bincount(query[rows], gain[rows] * discount[rank[counts]])

    def _sums(self, worth: Array, weights: Array) -> Array:
        """Σ worth × weight of the rank, from the first rank on, with the expected weight where documents are tied."""
        weight = np.zeros(len(self.hits))
        counts = np.flatnonzero(self.hits.above < len(weights))
        weight[counts] = weights[self.hits.above[counts]]
        tied = np.flatnonzero(self.hits.tied > 1)
        if len(tied):
            above, size = self.hits.above[tied], self.hits.tied[tied]
            sums = np.concatenate(([0.0], np.cumsum(weights)))
            last = len(weights)
            weight[tied] = (sums[np.minimum(above + size, last)] - sums[np.minimum(above, last)]) / size
        return self._bincount(self.hits.query, worth * weight)

    def _bincount(self, query: Ints, values: Array) -> Array:
        """The sum of the values of each query, one after the other, so that equal lists have equal sums."""
        return np.bincount(query, values, len(self.judgements)).astype(np.float64, copy=False)

    def _of_queries(self, combine: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        """Combine what belongs to the judgements of each query; 0 for a query without any."""
        starts = self.judgements.bounds[:-1]
        some = np.flatnonzero(np.diff(self.judgements.bounds))
        combined = np.zeros(len(self.judgements), dtype=values.dtype)
        if len(some):
            combined[some] = combine.reduceat(values, starts[some])
        return combined

    def _relevant_within(self, k: int | None) -> Array:
        return self._sums(self.is_hit_relevant.astype(float), np.ones(self._ranks(k)))

    def _share(self, sums: Array) -> Array:
        return np.where(self.wanted == 0, self._empty, sums / np.maximum(self.wanted, 1))

    def _ranks(self, k: int | None) -> int:
        longest = int(max(self.matched.returned.max(initial=0), np.diff(self.judgements.bounds).max(initial=0)))
        return longest if k is None else min(k, longest)

    def _discounts(self, k: int | None) -> Array:
        return discounts(self._ranks(k), self.convention.discount, self.convention.base)

    def _expected(self, values: Array, expected: Callable[[list[Group], int], float], k: int | None) -> Array:
        """Put the expected value where relevant documents are tied."""
        relevant = self.is_hit_relevant
        tied = np.zeros(len(self.judgements), dtype=bool)
        tied[self.hits.query[relevant & (self.hits.tied > 1)]] = True
        if tied.any():
            rows = np.flatnonzero(relevant & tied[self.hits.query])
            for query, groups in self._groups(rows, relevant.astype(float)):
                values[query] = expected(groups, self._ranks(k))
        return values

    def _groups(self, rows: Ints, worth: Array) -> Iterator[tuple[int, list[Group]]]:
        """The groups of tied documents of each query, from the first rank on."""
        hits = self.hits.take(rows)
        value = worth[rows]
        new = (np.diff(hits.query, prepend=-1) != 0) | (np.diff(hits.above, prepend=-1) != 0)
        edges = [*np.flatnonzero(new).tolist(), len(rows)]
        query, groups = -1, list[Group]()
        for start, end in pairwise(edges):
            if int(hits.query[start]) != query:
                if groups:
                    yield query, groups
                query, groups = int(hits.query[start]), []
            groups.append((int(hits.above[start]), int(hits.tied[start]), value[start:end]))
        if groups:
            yield query, groups

    def _refuse_negative(self, grade: Array, gain: Array, query: Ints) -> Array:
        if gain.min(initial=0) < 0:
            at = int(gain.argmin())
            raise ValueError(
                f"the gain of grade {grade[at]:g} is {gain[at]:g} (query"
                f" {show(self.judgements.queries[int(query[at])])}): a gain below 0 breaks the bounds 0 and 1, give"
                " gains from 0"
            )
        return gain


def _gains(grade: Array, gain: Gain, shift: Any) -> Array:
    """The gains; what is below 0 (spam, broken pages) has none under a named gain, as in trec_eval."""
    return gains(np.maximum(grade, 0) if isinstance(gain, str) else grade, gain, shift)


def _is_relevant(grade: Array, relevant: float | None) -> Flags:
    return np.asarray(grade > 0 if relevant is None else grade >= relevant)
