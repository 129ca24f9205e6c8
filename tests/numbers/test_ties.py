"""What equal scores mean: every rule against all the orders that the scores leave open, one by one."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import draws

import ndcg_lib as nd

GAINS: list[Any] = ["linear", "exponential", "binary", {0: 0, 1: 5, 3: 2}]  # in the last, grade 1 is the best
DISCOUNTS: list[Any] = ["modern", "original", "reciprocal", "none", lambda i: 0.5**i, lambda i: float(i <= 2)]
TINY = 5e-324


def open_orders(scores: Any) -> Iterator[list[int]]:
    """Every order of the documents that goes by falling score."""
    groups = [[i for i, s in enumerate(scores) if s == score] for score in sorted(set(scores), reverse=True)]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield list(itertools.chain.from_iterable(parts))


def values_of_open_orders(grades: Any, scores: Any, k: Any, **choices: Any) -> list[float]:
    return [nd.ndcg([grades[i] for i in order], k, **choices) for order in open_orders(scores)]


def in_order(grades: Any, scores: Any, rank_in_tie: Any, k: Any, **choices: Any) -> float:
    order = sorted(range(len(grades)), key=lambda i: (-scores[i], rank_in_tie[i]))
    return float(nd.ndcg([grades[i] for i in order], k, **choices))


GRADE = st.integers(0, 4) | st.sampled_from([0.25, 0.6, 1 / 3, 70, 1e6])
SCORE = st.sampled_from([0.0, -0.0, 1.0, 1 + 2.0**-52, 1 - 2.0**-53, TINY, -TINY, -3.5, math.inf, -math.inf])
LIST = st.lists(st.tuples(GRADE, SCORE), min_size=1, max_size=6)
CHOICES = {"gain": st.sampled_from(["linear", "binary", math.sqrt]), "discount": st.sampled_from(DISCOUNTS)}


@draws(80)
@given(documents=LIST, missed=st.lists(GRADE, max_size=3), k=st.none() | st.integers(1, 8), **CHOICES)
def test_every_rule_among_scores_that_floats_can_hardly_tell_apart(
    documents: Any, missed: Any, k: Any, gain: Any, discount: Any
) -> None:
    grades, scores = [g for g, _ in documents], [s for _, s in documents]
    n = len(grades)
    choices = {"judged": grades + missed, "gain": gain, "discount": discount}
    ids = [f"d{7 * i % 11}" for i in range(n)]
    by_id = [sorted(ids).index(name) for name in ids]
    open_values = values_of_open_orders(grades, scores, k, **choices)
    expected = {
        "average": math.fsum(open_values) / len(open_values),
        "best": max(open_values),
        "worst": min(open_values),
        "order": in_order(grades, scores, range(n), k, **choices),
        "reverse": in_order(grades, scores, range(n, 0, -1), k, **choices),
        "id": in_order(grades, scores, by_id, k, **choices),
        "id-descending": in_order(grades, scores, [-rank for rank in by_id], k, **choices),
    }
    for ties, value in expected.items():
        got = nd.ndcg_scores(grades, scores, k, ties=ties, ids=ids, **choices)
        assert math.isclose(got, value, rel_tol=1e-12), ties


def averaged_dcg(grades: Any, scores: Any, discounts: Any) -> float:
    """The mean over all orders, group by group: mean gain times the discounts of the ranks it takes."""
    terms, rank = [], 0
    for score in sorted(set(scores), reverse=True):
        gains = [g for g, s in zip(grades, scores, strict=True) if s == score]
        terms.append(math.fsum(gains) / len(gains) * math.fsum(discounts[rank : rank + len(gains)]))
        rank += len(gains)
    return math.fsum(terms)


@pytest.mark.parametrize("length", [7, 100, 251, 600])
@pytest.mark.parametrize("k", [1, 10, 90, None])
def test_the_average_of_long_lists_with_few_and_many_ties(length: int, k: int | None) -> None:
    rng = np.random.default_rng(length)
    half_normal = np.abs(rng.normal(size=length))
    for digits in (0, 1, 3, 16):
        for grades in (rng.integers(0, 5, length), rng.random(length)):
            for discount in ("modern", "reciprocal", lambda i: 0.9**i):
                scores = half_normal.round(digits)
                d = nd.discounts(length, discount)[:k]
                ideal = math.fsum(np.sort(grades)[::-1][: len(d)] * d)
                expected = averaged_dcg(grades.tolist(), scores.tolist(), d.tolist()) / ideal
                assert math.isclose(nd.ndcg_scores(grades, scores, k, discount=discount), expected, rel_tol=1e-12), (
                    digits,
                    discount,
                )


@pytest.mark.parametrize("k", [1, 4, 10, 29, None])
def test_the_average_of_many_rows_each_with_groups_of_its_own(k: int | None) -> None:
    rng = np.random.default_rng(8)
    levels = rng.integers(1, 40, (200, 1))
    grades, scores = rng.integers(0, 5, (200, 30)), rng.integers(0, levels, (200, 30)) / levels
    d = nd.discounts(30)[:k]
    ideal = np.sort(grades)[:, ::-1][:, : len(d)] @ d
    expected = [averaged_dcg(g, s, d.tolist()) for g, s in zip(grades.tolist(), scores.tolist(), strict=True)] / ideal
    np.testing.assert_allclose(nd.ndcg_scores(grades, scores, k), expected, rtol=1e-12, atol=0)


def test_a_tie_far_down_keeps_its_digits_under_a_steep_discount() -> None:
    grades, scores = [0] * 58 + [0, 1], [*range(60, 1, -1), 2]
    value = nd.ndcg_scores(grades, scores, discount=lambda i: 0.5**i)
    assert value == pytest.approx((0.5**59 + 0.5**60) / 2 / 0.5, rel=1e-14, abs=0)


def test_a_tie_at_the_top_of_a_very_long_list_keeps_its_digits() -> None:
    grades, scores = np.zeros(300_000, dtype=int), np.arange(300_000)
    grades[-1], scores[-2] = 1, 299_999
    assert nd.ndcg_scores(grades, scores) == pytest.approx((1 + nd.discounts(2)[1]) / 2, rel=1e-14, abs=0)


@pytest.mark.parametrize("step", [2.0**-53, 2.0**-52, 1e-9])
def test_scores_that_differ_in_the_last_digit_are_not_tied(step: float) -> None:
    grades = np.arange(40) % 5
    scores = 1 - np.random.default_rng(3).permutation(40) * step
    assert nd.ndcg_scores(grades, scores) == pytest.approx(nd.ndcg(grades[np.argsort(-scores)]), rel=1e-14, abs=0)
    assert nd.ndcg_scores(grades / 3, scores, 7, ties="order") == pytest.approx(
        nd.ndcg(grades[np.argsort(-scores)], 7), rel=1e-14
    )


def test_near_and_true_ties_in_one_list_beside_a_list_without() -> None:
    scores = [[1, 1 - 2.0**-53, 1 - 2.0**-53, 1 - 2.0**-52], [4, 3, 2, 1]]
    grades = [[0, 3, 1, 2], [0, 3, 1, 2]]
    d = nd.discounts(4)
    ideal = nd.idcg([3, 2, 1])
    expected = [(2 * (d[1] + d[2]) + 2 * d[3]) / ideal, nd.ndcg([0, 3, 1, 2])]
    np.testing.assert_allclose(nd.ndcg_scores(grades, scores), expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, object])
def test_whole_scores_that_no_float_can_tell_apart_are_not_tied(dtype: Any) -> None:
    scores = np.array([2**60, 2**60 + 2, 2**60 + 1], dtype=dtype)
    assert nd.ndcg_scores([0, 3, 1], scores) == 1.0
    assert nd.ndcg_scores([0, 3, 1], scores, ties="order") == 1.0
    assert nd.ndcg_scores([0, 3, 1], scores.tolist()) == 1.0


def test_whole_scores_beside_a_float_in_a_list_are_not_tied() -> None:
    assert nd.ndcg_scores([3, 1, 0], [2**60 + 1, 2**60, 0.5], k=1) == 1.0
    assert nd.ndcg_scores([3, 1, 0], [10**30 + 1, 10**30, 7], k=1) == 1.0


def test_scores_of_more_than_double_precision_are_ranked_as_they_are() -> None:
    higher = np.nextafter(np.longdouble(1), np.longdouble(2))
    scores = np.array([1, higher], dtype=np.longdouble)
    assert nd.ndcg_scores([0, 1], scores, k=1) == 1.0


def test_scores_of_single_precision_are_ranked_as_they_are() -> None:
    scores = np.array([1, 1 + 2.0**-23, 1 + 2.0**-22], dtype=np.float32)
    assert nd.ndcg_scores([0, 1, 3], scores) == 1.0
    assert nd.ndcg_scores([0, 1, 3], np.float32([0.1, 0.1 + 1e-12, 0.2]), k=2, ties="best") == 1.0


@pytest.mark.parametrize("ids", [["d2", "d10", "d1"], [2, 10, 1], np.array(["d2", "d10", "d1"], dtype=object)], ids=str)
def test_ids_order_as_texts_or_as_numbers(ids: Any) -> None:
    numbers = not isinstance(ids[0], str)
    ascending = [0, 1, 2] if numbers else [0, 2, 1]  # grades of ids in their order: "d1", "d10", "d2"
    grades = [1, 2, 0]
    assert nd.ndcg_scores(grades, [7, 7, 7], ties="id", ids=ids) == nd.ndcg(ascending)
    assert nd.ndcg_scores(grades, [7, 7, 7], ties="id-descending", ids=ids) == nd.ndcg(ascending[::-1])


def test_trec_eval_breaks_ties_by_descending_id() -> None:
    value = nd.ndcg_scores([3, 0, 1], [1, 1, 1], ids=["a", "b", "c"], convention="trec_eval")
    assert round(value, 4) == 0.6885
    with pytest.raises(ValueError, match="needs the ids of the documents: pass ids="):
        nd.ndcg_scores([3, 0, 1], [1, 1, 1], convention="trec_eval")


@pytest.mark.parametrize("ties", ["average", "id"])
def test_a_repeated_id_is_refused_by_name(ties: str) -> None:
    ids = [["a", "b", "c"], ["x", "y", "x"]]
    with pytest.raises(ValueError, match="row 1: the id 'x' is there twice, as number 1 and number 3"):
        nd.ndcg_scores([[1, 0, 2]] * 2, [[3, 2, 1]] * 2, ids=ids, ties=ties)
    with pytest.raises(ValueError, match=r"^the id 7 is there twice, as number 2 and number 3 "):
        nd.ndcg_scores([1, 0, 2], [3, 2, 1], ids=[9, 7, 7], ties=ties)


def test_the_same_id_in_two_queries_is_fine() -> None:
    assert nd.ndcg_scores([[1, 0]] * 2, [[1, 1]] * 2, 1, ids=[["a", "b"]] * 2, ties="id")[0] == 1
    flat = nd.ndcg_scores([1, 0, 1], [1, 1, 1], 1, ids=["a", "b", "b"], offsets=[0, 2, 3], ties="id")
    assert flat.tolist() == [1, 1]
