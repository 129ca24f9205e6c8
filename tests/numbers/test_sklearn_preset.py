"""What scikit-learn documents of ndcg_score, held against the preset that stands for it.

Its examples, and the properties that its own tests and its user guide publish, with lists of our own.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import ndcg_lib as nd

rng = np.random.default_rng(7)


def score(grades: object, scores: object, k: int | None = None, convention: str = "sklearn") -> float:
    """ndcg_score(y_true, y_score, k=k): the mean over the rows."""
    return float(np.mean(nd.ndcg_scores(grades, scores, k, convention=convention)))


# --- the examples of its page of reference: five documents of grades 10, 0, 0, 1, 5

GRADES = [[10, 0, 0, 1, 5]]


@pytest.mark.parametrize(
    ("scores", "k", "value"),
    [
        ([0.1, 0.2, 0.3, 4, 70], None, 0.69),
        ([0.05, 1.1, 1.0, 0.5, 0.0], None, 0.49),
        ([0.05, 1.1, 1.0, 0.5, 0.0], 4, 0.35),
        ([10, 0, 0, 1, 5], 4, 1.0),
        ([1, 0, 0, 0, 1], 1, 0.75),
    ],
)
def test_an_example_of_the_page_of_ndcg_score(scores: list[float], k: int | None, value: float) -> None:
    printed = score(GRADES, [scores], k)
    assert math.floor(printed * 100) / 100 == value


def test_the_example_with_ties_ignored_takes_the_later_of_two_equal_documents() -> None:
    assert score(GRADES, [[1, 0, 0, 0, 1]], 1, "sklearn_ignore_ties") == 0.5


def test_the_dcg_of_the_example_follows_from_the_formula() -> None:
    ranked = [5, 1, 0, 0, 10]
    by_hand = 5 / math.log2(2) + 1 / math.log2(3) + 10 / math.log2(6)
    assert nd.dcg(ranked, convention="sklearn") == pytest.approx(by_hand)
    assert round(by_hand, 2) == 9.50


# --- properties


@pytest.mark.parametrize("k", [None, 1, 3, 6])
def test_it_lies_between_0_and_1_and_sorting_by_the_grades_gives_1(k: int | None) -> None:
    grades = rng.integers(0, 5, (30, 6))
    grades[:, 0] = 1  # each row has something relevant
    values = nd.ndcg_scores(grades, rng.random((30, 6)), k, convention="sklearn")
    assert (values >= 0).all()
    assert (values <= 1).all()
    assert score(grades, grades, k) == pytest.approx(1, abs=1e-12)


def test_it_is_the_quotient_of_two_dcgs_of_which_the_lower_is_that_of_the_grades_themselves() -> None:
    grades, scores = rng.integers(0, 4, 8), rng.permutation(8)
    ranked = grades[np.argsort(-scores)]
    quotient = nd.dcg(ranked, convention="sklearn") / nd.dcg(sorted(grades, reverse=True), convention="sklearn")
    assert score(grades, scores) == pytest.approx(quotient, abs=1e-12)


def test_only_the_order_of_the_scores_counts() -> None:
    grades, scores = rng.integers(0, 4, 9), rng.random(9)
    assert score(grades, np.exp(3 * scores) - 7) == pytest.approx(score(grades, scores), abs=1e-12)


def test_the_order_of_the_rows_does_not_count_tied_or_not() -> None:
    grades, scores = rng.integers(0, 4, 9), rng.integers(0, 3, 9)
    order = rng.permutation(9)
    assert score(grades[order], scores[order]) == pytest.approx(score(grades, scores), abs=1e-12)


@pytest.mark.parametrize("k", [None, 1, 2, 4])
def test_ties_count_as_the_mean_over_all_ways_to_break_them(k: int | None) -> None:
    grades, scores = [2, 0, 3, 1], [0.4, 0.4, 0.4, 0.1]
    ways = [[*first, 1] for first in itertools.permutations([2, 0, 3])]
    mean = np.mean([nd.ndcg(way, k, judged=grades, convention="sklearn") for way in ways])
    assert score(grades, scores, k) == pytest.approx(mean, abs=1e-12)


def test_a_constant_score_is_worth_the_mean_gain_times_the_sum_of_the_discounts() -> None:
    grades = [4, 0, 1, 1, 2]
    expected = np.mean(grades) * nd.discounts(5).sum() / nd.idcg(grades)
    assert score(grades, np.ones(5)) == pytest.approx(expected, abs=1e-12)


def test_without_ties_ignore_ties_changes_nothing() -> None:
    grades, scores = rng.integers(0, 5, (20, 7)), rng.random((20, 7))
    assert score(grades, scores, 3) == pytest.approx(score(grades, scores, 3, "sklearn_ignore_ties"), abs=1e-12)


def test_a_cut_off_beyond_the_row_is_the_whole_row() -> None:
    grades, scores = rng.integers(0, 5, 6), rng.random(6)
    assert score(grades, scores, 50) == score(grades, scores)


def test_a_row_without_a_relevant_document_counts_0_in_the_mean() -> None:
    assert score([[0, 0, 0], [0, 2, 1]], [[3, 2, 1], [1, 3, 2]]) == 0.5


def test_grades_may_be_fractions() -> None:
    expected = (0.25 + 0.5 / math.log2(3)) / (0.5 + 0.25 / math.log2(3))
    assert score([0.25, 0.5], [2, 1]) == pytest.approx(expected, abs=1e-12)


def test_a_negative_grade_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        score([1, -1, 0], [3, 2, 1])


def test_a_score_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="nan"):
        score([1, 2, 0], [3, math.nan, 1])
