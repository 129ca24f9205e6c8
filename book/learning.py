"""Learning to rank in plain numpy: what a model is told about each list, and a linear model that listens.

A loss takes the scores and the grades of one list and gives a number and its slope in each score. NDCG itself is no
such loss, because it is flat wherever no two documents change places. LambdaRank therefore pays each pair of documents
by what NDCG would lose if the two were swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ndcg_lib.core import discounts, gains, idcg
from ndcg_lib.types import Array

Told: TypeAlias = tuple[float, Array]
"""A loss, and its slope in each score."""
Loss: TypeAlias = Callable[[Array, Array], Told]
Results: TypeAlias = Mapping[Any, Mapping[Any, float]]


# ---- what a model is told ----


def pointwise(scores: Array, grades: Array) -> Told:
    """Half the squared distance of each score from its grade: documents are told what they are, one by one.

    >>> pointwise(np.array([2.0, 0.5]), np.array([3.0, 0.0]))
    (0.625, array([-1. ,  0.5]))
    """
    apart = scores - grades
    return float(apart @ apart) / 2, apart


def pairwise(scores: Array, grades: Array, weights: Array | None = None) -> Told:
    """The surprise, log(1 + e^-d), that of two documents the better one is ahead by d: each pair counts alike.

    `weights` says otherwise: how much the pair of documents i and j counts.

    >>> loss, slope = pairwise(np.array([0.0, 0.0]), np.array([3.0, 0.0]))
    >>> round(loss, 3), slope.tolist()
    (0.693, [-0.5, 0.5])
    """
    better, worse = np.nonzero(grades[:, None] > grades)
    ahead = scores[better] - scores[worse]
    weight = np.ones(len(ahead))
    if weights is not None:
        weight = weights[better, worse]
    loss = weight @ np.logaddexp(0, -ahead)
    pull = weight * np.exp(-np.logaddexp(0, ahead))
    up = np.bincount(better, pull, len(scores))
    down = np.bincount(worse, pull, len(scores))
    return float(loss), down.astype(float) - up


def swaps(scores: Array, grades: Array, k: int | None = None, **choices: Any) -> Array:
    """What NDCG@k would change by, if documents i and j changed places: a table with a row and a column for each.

    >>> swaps(np.array([2.0, 1.0, 0.5]), np.array([0.0, 1.0, 3.0])).round(3)[0].tolist()
    [0.0, 0.102, 0.413]
    """
    taken = {name: choices[name] for name in choices.keys() & {"discount", "base", "p"}}
    worth = np.append(discounts(len(scores) if k is None else min(k, len(scores)), **taken), np.zeros(len(scores)))
    rank = np.argsort(np.argsort(-scores, kind="stable"))
    g, d = gains(grades, **{name: choices[name] for name in choices.keys() - taken.keys()}), worth[rank]
    best = idcg(grades, k, **choices)
    return np.abs((g[:, None] - g) * (d[:, None] - d)) / (best or 1.0)


def lambdarank(scores: Array, grades: Array, k: int | None = None, **choices: Any) -> Told:
    """The pairwise loss with each pair paid by what its swap would change; the pay is that of the scores as they are.

    >>> loss, slope = lambdarank(np.array([2.0, 1.0, 0.5]), np.array([0.0, 1.0, 3.0]))
    >>> slope.round(3).tolist()
    [0.412, -0.029, -0.383]
    """
    return pairwise(scores, grades, swaps(scores, grades, k, **choices))


def smooth(scores: Array, grades: Array, temperature: float = 1.0) -> Told:
    """1 minus an NDCG in which a document stands at 1 + the chances of the others to be ahead, so that it has a slope.

    The smaller the temperature, the closer it is to NDCG, and the flatter between the steps.

    >>> loss, slope = smooth(np.array([2.0, 1.0]), np.array([0.0, 3.0]), temperature=0.01)
    >>> round(loss, 3), bool((np.abs(slope) < 1e-9).all())
    (0.369, True)
    """
    ahead = (scores - scores[:, None]) / temperature  # of the row's document, each column's
    chance = np.exp(-np.logaddexp(0, -ahead))
    np.fill_diagonal(chance, 0.0)
    rank = 1 + chance.sum(axis=1)
    best = idcg(grades) or 1.0
    log = np.log2(rank + 1)
    falls = grades / (best * log**2 * (rank + 1) * np.log(2))  # what a rank further down costs
    moves = falls[:, None] * chance * (1 - chance) / temperature
    return 1 - float(np.sum(grades / log)) / best, moves.sum(axis=0) - moves.sum(axis=1)


# ---- lists of documents, and a model ----


class Ranking(NamedTuple):
    """The documents of one query: their names, what is known of each (a row of numbers), and their grades."""

    documents: Sequence[Any]
    features: Array
    grades: Array


def rankings(qrels: Results, runs: Iterable[Results], depth: int | None = None) -> dict[Any, Ranking]:
    """The documents of each query with the score of every system as a feature, in standard deviations from its mean.

    What a system did not return gets its lowest score; what nobody judged has grade 0. With a `depth`, only the first
    documents of each system are there.

    >>> rankings({"51": {"a": 3}}, [{"51": {"a": 9.0, "b": 7.0}}, {"51": {"b": 1.0}}])["51"].features.tolist()
    [[1.0, 0.0], [-1.0, 0.0]]
    """
    runs, made = list(runs), {}
    for query, judged in qrels.items():
        found = [run.get(query, {}) for run in runs]
        tops = [sorted(results, key=results.__getitem__, reverse=True)[:depth] for results in found]
        documents = sorted({document for top in tops for document in top})
        columns = []
        for results in found:
            scores = np.array([results.get(d, min(results.values(), default=0.0)) for d in documents], dtype=float)
            known = np.array(list(results.values()) or [0.0])
            columns.append((scores - known.mean()) / (known.std() or 1.0))
        grades = np.array([max(judged.get(document, 0), 0) for document in documents], dtype=float)
        if documents:
            made[query] = Ranking(documents, np.column_stack(columns), grades)
    return made


def drawn(seed: int, queries: int = 40, documents: int = 30) -> dict[Any, Ranking]:
    """A small made-up set: one feature tells useless documents from the others, another the best from the good.

    >>> drawn(0)["q0"].features.shape
    (30, 2)
    """
    random = np.random.default_rng(seed)
    level = np.array([[0.0, 2.0, 2.0, 2.0], [0.0, -1.5, 0.0, 1.5]])  # of each feature, at each grade
    made = {}
    for number in range(queries):
        grades = random.choice([0, 0, 0, 0, 1, 1, 1, 2, 3], size=documents)
        features = random.normal(size=(documents, 2)) + level[:, grades].T
        made[f"q{number}"] = Ranking(range(documents), features, grades.astype(float))
    return made


def train(
    lists: Mapping[Any, Ranking],
    loss: Loss = lambdarank,
    *,
    rounds: int = 60,
    rate: float = 0.1,
    start: Sequence[float] | None = None,
    watch: Callable[[int, Array], Any] | None = None,
) -> Array:
    """The weights of the features after some rounds, each a step against the mean slope over all lists (by Adam).

    The last weight is a constant, which moves all scores of a model alike: only the pointwise loss needs it.

    >>> train({"q": Ranking(["a", "b"], np.array([[1.0], [0.0]]), np.array([0.0, 1.0]))}, rounds=10).round(1).tolist()
    [-1.0, 0.0]
    """
    tables = [np.column_stack([one.features, np.ones(len(one.grades))]) for one in lists.values()]
    weights = np.zeros(tables[0].shape[1]) if start is None else np.array(start, dtype=float)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, rounds + 1):
        told = [loss(table @ weights, one.grades)[1] @ table for table, one in zip(tables, lists.values(), strict=True)]
        slope = np.mean(told, axis=0)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights = weights - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        if watch is not None:
            watch(step, weights)
    return weights


def run_of(lists: Mapping[Any, Ranking], weights: Array) -> dict[Any, dict[Any, float]]:
    """What the model returns, as `nd.evaluate` takes it.

    >>> run_of({"q": Ranking(["a", "b"], np.array([[1.0], [2.0]]), np.array([0.0, 1.0]))}, np.array([0.5, 0.0]))
    {'q': {'a': 0.5, 'b': 1.0}}
    """
    return {
        query: dict(zip(one.documents, (one.features @ weights[:-1] + weights[-1]).tolist(), strict=True))
        for query, one in lists.items()
    }


def qrels_of(lists: Mapping[Any, Ranking]) -> dict[Any, dict[Any, float]]:
    """The judgements of a made-up set, as `nd.evaluate` takes them.

    >>> qrels_of({"q": Ranking(["a"], np.array([[1.0]]), np.array([2.0]))})
    {'q': {'a': 2.0}}
    """
    return {query: dict(zip(one.documents, one.grades.tolist(), strict=True)) for query, one in lists.items()}
