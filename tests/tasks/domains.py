"""What each task with a function may be asked: its inputs, written from its statement alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks.mutated import Chooser


def _k(c: Chooser) -> int:
    return c.of(1, 2, 4) if c.random is None else c.random.randint(1, 16)


def _optional(c: Chooser, args: list[Any], last: Any) -> list[Any]:
    return args if c.of(True, False) else [*args, last]


def _query(c: Chooser) -> list[Any]:
    returned, missed = c.some(c.grade, 0, 9), c.some(c.grade, 0, 5)
    judged = [*missed, *returned]
    if c.random:
        c.random.shuffle(judged)
    return [returned, judged, _k(c)]


def _judged(c: Chooser, least: int = 0) -> dict[str, float]:
    return {name: c.grade() for name in dict.fromkeys(c.some(c.name, least, 7))}


def _documents(c: Chooser) -> list[str]:
    return c.some(c.name, 0, 9)


def _idcg_of_query(c: Chooser) -> list[Any]:
    judged = _judged(c, 1)
    return [list(dict.fromkeys(_documents(c))), judged, _k(c)]


def _mean_of_run(c: Chooser) -> list[Any]:
    qrels = {query: _judged(c, 1) for query in ("q1", "q2", "q3")[: c.whole(1, 3)]}
    run = {query: list(dict.fromkeys(_documents(c))) for query in ("q1", "q2", "q9") if c.of(True, False)}
    return [qrels, run]


def _scored(c: Chooser, apart: bool = False) -> list[Any] | None:
    grades = c.some(c.grade, 0, 7)
    scores = [c.score() for _ in grades]
    return None if apart and len(set(scores)) < len(scores) else [grades, scores]


def _checked(c: Chooser) -> list[Any]:
    return [c.some(lambda: c.of(c.grade(), c.grade(), c.grade(), None, "2", "good", -1, -0.25, -1e-3), 0, 6)]


def _hits(c: Chooser) -> list[int]:
    return c.some(lambda: c.of(0, 1), 0, 14)


def _precisions(c: Chooser) -> list[Any]:
    hits = _hits(c)
    return [hits, sum(hits) + c.whole(0, 5)]


def _weight(c: Chooser) -> list[Any]:
    grades = c.some(c.grade, 2, 9)
    return [grades, c.of(*range(1, len(grades) + 1)), c.of(*range(1, len(grades) + 1))]


def _value(c: Chooser) -> float:
    return c.of(0, 0.25, 1) if c.random is None else round(c.random.random(), 6)


def _parts(c: Chooser) -> list[Any]:
    def part() -> list[float]:
        questions = c.whole(0, 9)
        return [questions, sum(_value(c) for _ in range(questions))]

    return [c.some(part, 0, 5)]


def _leads(c: Chooser) -> list[Any]:
    questions = [f"q{n}" for n in range(c.whole(0, 7))]
    a: dict[str, float | None] = {}
    b: dict[str, float | None] = {}
    for q in questions:
        if kind := c.of("both", "both", "a", "b", "no", ""):
            if kind == "no":
                a[q] = b[q] = None
            if kind in ("both", "a"):
                a[q] = _value(c)
            if kind in ("both", "b"):
                b[q] = _value(c)
    if c.random:
        c.random.shuffle(questions)
    return [a, b, questions]


def _coins(c: Chooser) -> list[Any]:
    lead = (lambda: c.of(-0.5, 0.25, 0)) if c.random is None else (lambda: round(c.random.uniform(-1, 1), 6))  # type: ignore[union-attr]
    return [c.some(lead, 0, 6)]


def _survivors(c: Chooser) -> list[Any]:
    if c.random is None:
        return [c.some(lambda: c.of(0.001, 0.025, 0.05, 0.3), 0, 4), c.of(0.05, 0.01)]
    limit = c.of(0.05, 0.01, 0.1)
    n = c.whole(1, 8)
    return [[min(1, round(limit / (n - i) * c.of(0.5, 0.999, 1.001, 2), 7)) for i in range(n)], limit]


def _kappa(c: Chooser) -> list[Any] | None:
    ann = c.some(lambda: c.whole(0, 4), 2, 9)
    ben = [c.whole(0, 4) for _ in ann]
    return [ann, ben] if len(set(ann)) > 1 and len(set(ben)) > 1 else None


def _holes(c: Chooser) -> list[Any]:
    return [c.some(lambda: c.of(None, c.grade(), c.grade()), 1, 9), _k(c), c.of(3, 4, 5, 150)]


def _pages(c: Chooser) -> list[Any]:
    chunks = c.some(c.name, 0, 9)
    return [chunks, {page: c.grade() for page in sorted({*chunks, "other"})}]


def _by_table(c: Chooser) -> list[Any]:
    worth = {name: c.grade() for name in dict.fromkeys(c.some(c.name, 1, 6))}
    return [c.some(lambda: c.of(*worth, *worth, *worth, "odd"), 0, 7), worth]


def _queries(c: Chooser) -> list[Any]:
    return [c.some(lambda: c.some(c.grade, 1, 6), 1, 5), _k(c)]


def _files(c: Chooser) -> list[Any]:
    qrels, run = [], []
    for query in ("q1", "Q1", "q2")[: c.whole(1, 3)]:
        qrels += [f"{query} 0 {name} {c.of(0, 1, 3)}" for name in dict.fromkeys(c.some(c.name, 1, 6))]
        found = dict.fromkeys(c.some(c.name, 0, 6))
        run += [f"{query} Q0 {name} {rank} {c.score():g} tag" for rank, name in enumerate(found, start=1)]
    return [qrels, run, _k(c)]


INPUTS: dict[str, Callable[[Chooser], list[Any] | None]] = {
    "cg_at": lambda c: _optional(c, [c.some(c.grade)], _k(c)),
    "cg_curve": lambda c: [c.some(c.grade)],
    "cg_with_loop": lambda c: [c.some(c.grade), _k(c)],
    "discount_list": lambda c: [c.whole(0, 40)],
    "dcg_at": lambda c: _optional(c, [c.some(c.grade)], _k(c)),
    "dcg_from_zero": lambda c: [c.some(c.grade, 1)],
    "original_dcg": lambda c: [c.some(c.grade), c.of(2, 3, 4, 5, 10)],
    "exponential_gains": lambda c: [[min(g, 30) for g in c.some(c.grade)]],
    "gains_by_table": _by_table,
    "same_on_both_sides": lambda c: [[min(g, 30) for g in c.some(c.grade)], _k(c)],
    "best_first": lambda c: [c.some(c.grade)],
    "ideal_top": lambda c: [c.some(c.grade), _k(c)],
    "idcg_at": lambda c: _optional(c, [c.some(c.grade)], _k(c)),
    "idcg_of_query": _idcg_of_query,
    "ndcg_at": lambda c: _optional(c, [c.some(c.grade)], _k(c)),
    "ndcg_of_query": _query,
    "ndcg_curve": lambda c: [c.some(c.grade)],
    "mean_ndcg": _queries,
    "trec_order": lambda c: [{name: c.score() for name in dict.fromkeys(c.some(c.name, 0, 9))}],
    "dcg_of_ties": _scored,
    "mean_of_run": _mean_of_run,
    "checked_grades": _checked,
    "first_places": lambda c: [_documents(c)],
    "dcg_counted_once": lambda c: [_documents(c), _judged(c)],
    "tie_range": _scored,
    "first_hit": lambda c: [_hits(c)],
    "average_of_precisions": _precisions,
    "rank_biased": lambda c: [_hits(c), _value(c) if c.random else c.of(0.5, 0.8)],
    "cut_both": _query,
    "mend_the_mean": _files,
    "three_at_once": lambda c: _scored(c, apart=True),
    "swap_weight": _weight,
    "pair_pull": lambda c: [c.score(), c.score()],
    "merged_mean": _parts,
    "leads": _leads,
    "by_coins": _coins,
    "survivors": _survivors,
    "kappa": _kappa,
    "dcg_bounds": _holes,
    "pool": lambda c: [c.some(lambda: list(dict.fromkeys(_documents(c))), 0, 4), _k(c)],
    "by_pages": _pages,
}
