"""Slopes against finite differences, lambdas against plain loops, and models that must be better than their start.

LightGBM's own lambdas, and its model on the same split: tests/peers/beside_learning.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import learning
import numpy as np
import pytest
import trec

import ndcg_lib as nd

SEEDS = range(10)


def a_list(seed: int, n: int = 9) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    return draw.normal(size=n), draw.integers(0, 4, n).astype(float)


def frozen(scores: Any, grades: Any) -> Callable[[Any, Any], learning.Told]:
    """What LambdaRank descends: the pairwise loss with the pay of the pairs as it was."""
    pay = learning.swaps(scores, grades, 5)
    return lambda s, g: learning.pairwise(s, g, pay)


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes_are_those_of_the_stated_loss(seed: int) -> None:
    scores, grades = a_list(seed)
    losses: dict[str, Callable[[Any, Any], learning.Told]] = {
        "pointwise": learning.pointwise,
        "pairwise": learning.pairwise,
        "lambdarank": frozen(scores, grades),
        "smooth": learning.smooth,
        "smooth, cooler": lambda s, g: learning.smooth(s, g, temperature=0.3),
    }
    step = 1e-6
    for name, loss in losses.items():
        slope = loss(scores, grades)[1]
        moved = [
            (loss(scores + step * e, grades)[0] - loss(scores - step * e, grades)[0]) / (2 * step) for e in np.eye(9)
        ]
        np.testing.assert_allclose(slope, moved, rtol=1e-6, atol=1e-8, err_msg=name)
    assert learning.lambdarank(scores, grades, 5)[1].tolist() == losses["lambdarank"](scores, grades)[1].tolist()


@pytest.mark.parametrize("k", [None, 1, 4])
@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_a_pair_is_paid_what_ndcg_changes_by_when_it_is_swapped(k: int | None, gain: str) -> None:
    for seed in SEEDS:
        scores, grades = a_list(seed)
        pay = learning.swaps(scores, grades, k, gain=gain)
        ranking = np.argsort(-scores)
        for a in range(9):
            for b in range(9):
                after = ranking.copy()
                after[[a, b]] = after[[b, a]]
                change = nd.ndcg(grades[after], k, gain=gain) - nd.ndcg(grades[ranking], k, gain=gain)
                assert pay[ranking[a], ranking[b]] == pytest.approx(abs(change), abs=1e-12)


def test_lambdas_are_those_of_two_loops() -> None:
    for seed in SEEDS:
        scores, grades = a_list(seed)
        pay, right = learning.swaps(scores, grades, 4), np.zeros(9)
        for i in range(9):
            for j in range(9):
                if grades[i] > grades[j]:
                    pull = pay[i, j] / (1 + math.exp(scores[i] - scores[j]))
                    right[i] -= pull
                    right[j] += pull
        np.testing.assert_allclose(learning.lambdarank(scores, grades, 4)[1], right, rtol=0, atol=1e-12)


def test_a_list_without_a_relevant_document_and_far_scores_pull_nothing_and_overflow_nowhere() -> None:
    for loss in (learning.pairwise, learning.lambdarank, learning.smooth):
        value, slope = loss(np.array([1e4, -1e4, 0.0]), np.zeros(3))
        assert math.isfinite(value)
        assert not slope.any()
        value, slope = loss(np.array([1e4, -1e4, 0.0]), np.array([0.0, 3.0, 1.0]))
        assert math.isfinite(value)
        assert np.isfinite(slope).all()


@cache
def held_out(seed: int, loss: learning.Loss) -> tuple[float, float]:
    """NDCG@10 on lists that were not trained on, before and after."""
    known, new, start = learning.drawn(seed), learning.drawn(seed + 1000), (0.0, 0.0, 0.0)
    weights = learning.train(known, loss, start=start, rounds=40)
    qrels = learning.qrels_of(new)
    before, after = (nd.evaluate(qrels, learning.run_of(new, np.array(w)), k=10)["ndcg@10"] for w in (start, weights))
    return before, after


@pytest.mark.parametrize("loss", [learning.pointwise, learning.pairwise, learning.lambdarank, learning.smooth])
def test_held_out_ndcg_improves_on_nine_of_ten_seeds(loss: learning.Loss) -> None:
    pairs = [held_out(seed, loss) for seed in SEEDS]
    assert sum(after > before for before, after in pairs) >= 9


@pytest.mark.parametrize("baseline", [learning.pointwise, learning.pairwise])
def test_lambdarank_is_ahead_where_the_best_are_told_apart_by_something_else(baseline: learning.Loss) -> None:
    ours, theirs = ([held_out(seed, loss)[1] for seed in SEEDS] for loss in (learning.lambdarank, baseline))
    assert sum(a > b for a, b in zip(ours, theirs, strict=True)) >= 9


def test_the_model_of_one_year_ranks_the_next_year_better_than_its_best_system() -> None:
    years = {}
    for year in ("dl19", "dl20"):
        runs = [nd.read_run(trec.run(system, year)) for system in trec.FIRST_STAGE]
        years[year] = learning.rankings(nd.read_qrels(trec.qrels(year)), runs, 20)
    best = max(nd.evaluate(trec.qrels("dl20"), run, k=10)["ndcg@10"] for run in runs)
    watched: list[int] = []
    weights = learning.train(years["dl19"], rounds=20, watch=lambda step, _: watched.append(step))
    assert watched == list(range(1, 21))
    assert nd.evaluate(trec.qrels("dl20"), learning.run_of(years["dl20"], weights), k=10)["ndcg@10"] > best


def test_a_system_that_returned_nothing_for_a_question_says_nothing_of_its_documents() -> None:
    made = learning.rankings({"51": {"a": 1.0}}, [{"51": {"a": 2.0, "b": 1.0}}, {"52": {"c": 1.0}}])
    assert made["51"].features.tolist() == [[1.0, 0.0], [-1.0, 0.0]]
