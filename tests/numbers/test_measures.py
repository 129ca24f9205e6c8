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


def test_average_precision_at_k_counts_the_relevant_documents_below_the_cut():
    assert nd.average_precision([1, 0, 1], k=2) == 0.5
    assert nd.recall([1, 0, 1], k=2, judged={"a": 1, "b": 0, "c": 1, "d": 1}) == pytest.approx(1 / 3)


def test_the_document_at_rank_1_takes_1_minus_p_of_rbp():
    assert nd.rbp([1, 0, 0], persistence=0.8) == pytest.approx(0.2)
    assert nd.rbp([0, 1, 0, 1], persistence=0.5) == pytest.approx(0.5 * (0.5 + 0.125))
    assert nd.rbp([1, 1], persistence=0) == 1.0
    assert nd.rbp([3, 1], persistence=0.5, max_grade=3) == pytest.approx(0.5 * (1 + 0.5 / 3))


def test_err_by_hand():
    # grades 3, 0, 1 on a scale to 3: R = 7/8, 0, 1/8; the third document is reached with probability 1/8
    assert nd.err([3, 0, 1], max_grade=3) == pytest.approx(7 / 8 + (1 / 8) * (1 / 8) / 3)
    assert nd.err([2, 2], max_grade=4) == pytest.approx(3 / 16 + (13 / 16) * (3 / 16) / 2)


@given(
    GRADES,
    st.lists(st.integers(0, 4), max_size=6),
    CUT_OFFS,
    st.sampled_from([None, 0.5, 1, 2, 3, 4]),
    st.sampled_from([0.0, 0.5, 0.7, 0.95]),
)
def test_definitions_word_for_word(grades, missed, k, relevant, persistence):
    judged, least = grades + missed, relevant or 0.1
    ranks = [i for i, grade in enumerate(grades, start=1) if grade >= least and (k is None or i <= k)]
    total = sum(grade >= least for grade in judged)
    precisions = [sum(grade >= least for grade in grades[:i]) / i for i in ranks]
    reached, expected = 1.0, 0.0
    for i, grade in enumerate(grades[:k], start=1):
        stop = (2**grade - 1) / 2**4
        expected += reached * stop / i
        reached *= 1 - stop
    at = "" if k is None else f"@{k}"
    wanted = {
        f"p{at}": len(ranks) / (k or len(grades)),
        f"ap{at}": sum(precisions) / total if total else 0,
        f"recall{at}": len(ranks) / total if total else 0,
        f"rr{at}": 1 / ranks[0] if ranks else 0,
        f"err{at}": expected,
    }
    with_judged = {"judged": judged, "relevant": relevant}
    functions = [
        nd.precision(grades, k, relevant=relevant),
        nd.average_precision(grades, k, **with_judged),
        nd.recall(grades, k, **with_judged),
        nd.reciprocal_rank(grades, k, relevant=relevant),
        nd.err(grades, k, max_grade=4),
    ]
    assert functions == pytest.approx(list(wanted.values()), abs=1e-12)
    hits = [i for i, grade in enumerate(grades[:k]) if grade > 0]
    assert nd.rbp(grades, k, persistence=persistence) == pytest.approx(
        sum((1 - persistence) * persistence**i for i in hits)
    )
    wanted[f"rbp{at}"] = sum((1 - persistence) * persistence ** (i - 1) for i in ranks)
    qrels = {"q": {f"d{at}": grade for at, grade in enumerate(judged)}}
    run = {"q": [f"d{at}" for at in range(len(grades))]}
    said = "" if relevant is None else f"rel={relevant}"
    inside = {f"rbp{at}": f"p={persistence},{said}", f"err{at}": "max=4"}
    asked = {name: f"{name.removesuffix(at)}({inside.get(name, said)}){at}" for name in wanted}
    result = nd.evaluate(qrels, run, measures=list(asked.values()))
    assert {name: result[text] for name, text in asked.items()} == pytest.approx(wanted, abs=1e-12)


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
        (lambda: nd.precision([1], relevant="2"), "relevant is '2': pass"),
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
