"""Precision, recall, AP, reciprocal rank, RBP and ERR against hand numbers and against their definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ndcg_lib as nd

HITS_AT_1_2_4_6_13 = [1.0, 0.8, 0.0, 0.2, 0.0, 0.7, 0, 0, 0, 0, 0, 0, 0.3, 0]  # relevant at ranks 1, 2, 4, 6, 13
GRADES = st.lists(st.integers(0, 4), min_size=1, max_size=12)
CUT_OFFS = st.one_of(st.none(), st.integers(1, 15))


def test_average_precision_of_the_list_in_the_notes():
    assert nd.average_precision(HITS_AT_1_2_4_6_13) == pytest.approx(0.760256410256410, abs=1e-14)
    by_hand = (1 + 1 + Fraction(3, 4) + Fraction(4, 6) + Fraction(5, 13)) / 5
    assert nd.average_precision(HITS_AT_1_2_4_6_13) == pytest.approx(float(by_hand), abs=1e-15)


def test_missed_documents_count_in_average_precision_and_recall():
    assert nd.average_precision([1, 0, 1], judged=[1, 0, 1, 1]) == pytest.approx((1 + 2 / 3) / 3)
    assert nd.recall([1, 0, 1], judged=[1, 0, 1, 1]) == pytest.approx(2 / 3)
    assert nd.recall([1, 0, 1], k=2, judged={"a": 1, "b": 0, "c": 1, "d": 1}) == pytest.approx(1 / 3)
    assert nd.average_precision([1, 0, 1], k=2) == 0.5  # two relevant documents, though one is below the cut


def test_a_list_shorter_than_k_is_not_excused():
    assert nd.precision([1, 1], k=5) == 0.4


def test_the_threshold_decides_what_is_relevant():
    grades = [1, 3, 2, 0]
    assert nd.precision(grades) == 0.75
    assert nd.precision(grades, relevant=2) == 0.5
    assert nd.reciprocal_rank(grades) == 1.0
    assert nd.reciprocal_rank(grades, relevant=2) == 0.5
    assert nd.average_precision(grades, relevant=3) == 0.5
    assert nd.recall(grades, k=2, judged=[1, 3, 2, 0, 3], relevant=2) == pytest.approx(1 / 3)


def test_reciprocal_rank_without_a_hit_above_the_cut_off_is_0():
    assert nd.reciprocal_rank([0, 0, 1], k=2) == 0.0


def test_the_document_at_rank_1_takes_1_minus_p_of_rbp():
    assert nd.rbp([1, 0, 0], persistence=0.8) == pytest.approx(0.2)
    assert nd.rbp([0, 1, 0, 1], persistence=0.5) == pytest.approx(0.5 * (0.5 + 0.125))
    assert nd.rbp([1, 1], persistence=0) == 1.0
    assert nd.rbp([3, 1], persistence=0.5, max_grade=3) == pytest.approx(0.5 * (1 + 0.5 / 3))


def test_err_by_hand():
    # grades 3, 0, 1 on a scale to 3: R = 7/8, 0, 1/8; the third document is reached with probability 1/8
    assert nd.err([3, 0, 1], max_grade=3) == pytest.approx(7 / 8 + (1 / 8) * (1 / 8) / 3)
    assert nd.err([2, 2], max_grade=4) == pytest.approx(3 / 16 + (13 / 16) * (3 / 16) / 2)


def test_a_good_document_behind_a_perfect_one_is_hardly_worth_anything_in_err():
    assert nd.err([4, 4], max_grade=4) - nd.err([4, 0], max_grade=4) < 0.03


@given(GRADES, CUT_OFFS)
def test_precision_is_the_binary_cumulative_gain_over_k(grades, k):
    assert nd.precision(grades, k) == pytest.approx(nd.cg(grades, k, gain="binary") / (k or len(grades)))


@given(GRADES, st.lists(st.integers(0, 4), max_size=6), CUT_OFFS)
def test_definitions_word_for_word(grades, missed, k):
    judged = grades + missed
    relevant_ranks = [i for i, grade in enumerate(grades, start=1) if grade > 0 and (k is None or i <= k)]
    wanted = sum(grade > 0 for grade in judged)
    precisions = [sum(grade > 0 for grade in grades[:i]) / i for i in relevant_ranks]
    assert nd.average_precision(grades, k, judged=judged) == pytest.approx(sum(precisions) / wanted if wanted else 0)
    assert nd.recall(grades, k, judged=judged) == pytest.approx(len(relevant_ranks) / wanted if wanted else 0)
    assert nd.reciprocal_rank(grades, k) == pytest.approx(1 / relevant_ranks[0] if relevant_ranks else 0)
    assert nd.rbp(grades, k, persistence=0.7) == pytest.approx(sum(0.3 * 0.7 ** (i - 1) for i in relevant_ranks))
    reached, expected = 1.0, 0.0
    for i, grade in enumerate(grades[:k], start=1):
        stop = (2**grade - 1) / 2**4
        expected += reached * stop / i
        reached *= 1 - stop
    assert nd.err(grades, k, max_grade=4) == pytest.approx(expected)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5), CUT_OFFS)
def test_rows_give_what_each_row_gives(rows, k):
    calls = [
        lambda g: nd.precision(g, k),
        lambda g: nd.recall(g, k, judged=g),
        lambda g: nd.average_precision(g, k),
        lambda g: nd.reciprocal_rank(g, k),
        lambda g: nd.rbp(g, k),
        lambda g: nd.err(g, k, max_grade=3),
    ]
    for call in calls:
        assert call(np.array(rows)) == pytest.approx([call(row) for row in rows])


def test_a_query_without_a_relevant_document():
    assert nd.recall([0, 0]) == nd.average_precision([0, 0]) == nd.reciprocal_rank([0, 0]) == nd.err([0, 0]) == 0.0
    assert nd.recall([0, 0], empty=1.0) == nd.average_precision([0, 0], empty=1.0) == 1.0
    assert np.isnan(nd.average_precision([0, 0], empty="skip"))
    with pytest.raises(ValueError, match="no judged document is relevant"):
        nd.recall([0, 0], empty="raise")


def test_an_empty_list_has_found_nothing():
    assert [nd.precision([]), nd.reciprocal_rank([]), nd.rbp([]), nd.err([]), nd.recall([], judged=[1])] == [0.0] * 5


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: nd.precision([1, float("nan")]), r"grades\[1\] is nan"),
        (lambda: nd.precision([1], k=0), "k is 0"),
        (lambda: nd.precision([1], relevant=0), "relevant is 0"),
        (lambda: nd.recall([1, 1], judged=[1]), "2 relevant documents were returned but judged holds 1"),
        (lambda: nd.rbp([1], persistence=1), "persistence is 1"),
        (lambda: nd.rbp([1], persistence=True), "persistence is True"),
        (lambda: nd.err([3], max_grade=2), "max_grade is 2 but there is a grade of 3"),
        (lambda: nd.err([3], max_grade=float("nan")), "max_grade is nan"),
        (lambda: nd.err([2000]), "too large"),
    ],
)
def test_wrong_input_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
