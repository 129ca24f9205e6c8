"""What to ask next: the smallest extra data on which the candidates that fit give different numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ndcg_lib.detective.observations import Observation
from ndcg_lib.recipes.kitchen import Kitchen
from ndcg_lib.recipes.queries import Queries

if TYPE_CHECKING:
    from ndcg_lib.detective.candidates import Candidate

DIGITS = 3
SMALL_RANKINGS: tuple[tuple[list[int], list[int] | None, int | None], ...] = (
    ([0, 1], None, None),
    ([0, 2], None, None),
    ([2, 3, 1], None, None),
    ([0, 2, 1], [0, 2, 1, 3], None),
    ([2, 0, 3, 1], [2, 0, 3, 1, 3], 2),
    ([1, 0, 2, 3, 1, 0, 2], [1, 0, 2, 3, 1, 0, 2, 3, 2], 5),
)
"""Grades, judged (None: the same) and k, the shortest first."""


class Probe(NamedTuple):
    """Something to ask for, and what each candidate would answer."""

    words: str
    values: tuple[float, ...]


def telling_apart(rivals: Sequence[Candidate], queries: Queries, seen: Sequence[Observation]) -> str:
    """One sentence: what to ask for, and who would give what. Empty for a single candidate."""
    if len(rivals) < 2:
        return ""
    best: Probe | None = None
    for probe in _probes(rivals, queries, seen):
        if best is None or _classes(probe.values) > _classes(best.values):
            best = probe
        if _classes(best.values) == len(rivals):
            break
    if best is None or _classes(best.values) < 2:
        return "No small example tells the first answers apart."
    gives = ", ".join(f"answer {number} gives {value:.{DIGITS}f}" for number, value in enumerate(best.values, start=1))
    return f"To tell the first answers apart, ask for {best.words}: {gives}."


def _probes(rivals: Sequence[Candidate], queries: Queries, seen: Sequence[Observation]) -> Iterator[Probe]:
    recipes = [rival.recipe for rival in rivals]
    first = seen[0]
    row = first.query or 0

    def values(kitchen: Kitchen, quantity: str, query: int = 0) -> tuple[float, ...]:
        return tuple(kitchen.values(recipes, quantity)[:, query].tolist())

    one = "ndcg" if {"ndcg", "mean"} & {o.quantity for o in seen} else first.quantity  # to ask of a single query
    known = {(o.k, o.quantity) for o in seen}
    kitchen = Kitchen(queries, first.k)
    if first.query is not None:
        for quantity in ("dcg", "idcg", "ndcg"):
            if (first.k, quantity) not in known:
                yield Probe(f"the {quantity.upper()}", values(kitchen, quantity, row))
    else:
        if (first.k, "mean") not in known:
            yield Probe("the mean NDCG", values(kitchen, "mean"))
        names = [query for query, there in enumerate(queries.there) if there.any()][:20]
        for query in names:
            yield Probe(f"the value of query {queries.names[query]!r} alone", values(kitchen, one, query))
    quantity, asked = ("mean", "mean NDCG") if first.query is None else (first.quantity, "value")
    for k in range(1, min(queries.there.shape[1], 20) + 1):
        if (k, quantity) not in known:
            yield Probe(f"the {asked} at k = {k}", values(Kitchen(queries, k), quantity, row))
    for grades, judged, cutoff in SMALL_RANKINGS:
        words = f"the value of the ranking {', '.join(map(str, grades))}"
        if judged:
            missed = judged[len(grades) :]
            words += f" with {' and '.join(map(str, missed))} judged but not returned"
        words += "" if cutoff is None else f", at k = {cutoff}"
        small = Kitchen(Queries.of(grades, judged), cutoff)
        yield Probe(words, values(small, one))


def _classes(values: Sequence[float]) -> int:
    return len({f"{value:.{DIGITS}f}" for value in values})
