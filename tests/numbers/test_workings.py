"""The hand calculation and the curve: what is shown is what the library computes, rounded only on display."""

import math
import re

import numpy as np
import pytest

import ndcg_lib as nd

WIKIPEDIA = [3, 2, 3, 0, 1, 2]
CHOICES = [
    {},
    {"gain": "exponential"},
    {"discount": "original"},
    {"discount": "original", "base": 10},
    {"discount": "reciprocal"},
    {"discount": "none"},
    {"discount": lambda i: 0.8 ** (i - 1)},
    {"gain": {0: 0, 1: 1, 2: 5, 3: 9}, "base": 10},
    {"ideal": "returned"},
]


@pytest.mark.parametrize("choices", CHOICES)
@pytest.mark.parametrize("k", [None, 1, 3, 6, 8, 20])
def test_the_curve_holds_at_each_rank_what_the_four_functions_give_there(choices, k):
    judged = [*WIKIPEDIA, 3, 2]
    curve = nd.curve(WIKIPEDIA, k, judged=judged, **choices)
    sums = {name: value for name, value in choices.items() if name != "ideal"}
    pool = WIKIPEDIA if choices.get("ideal") == "returned" else judged
    assert len(curve) == min(k or 99, len(pool))
    for i in range(len(curve)):
        assert curve.cg[i] == pytest.approx(nd.cg(WIKIPEDIA, i + 1, gain=sums.get("gain", "linear")))
        assert curve.dcg[i] == pytest.approx(nd.dcg(WIKIPEDIA, i + 1, **sums), rel=1e-13)
        assert curve.idcg[i] == pytest.approx(nd.idcg(pool, i + 1, **sums), rel=1e-13)
        assert curve.ndcg[i] == pytest.approx(nd.ndcg(WIKIPEDIA, i + 1, judged=judged, **choices), rel=1e-13)


def test_below_the_end_of_the_returned_list_grades_are_missing_and_sums_stay():
    curve = nd.curve([1], judged=[1, 2, 3])
    assert curve.grade.tolist()[0] == 1 and np.isnan(curve.grade[1:]).all()
    assert curve.dcg.tolist() == [1, 1, 1] and curve.ideal_grade.tolist() == [3, 2, 1]


def test_the_curve_takes_one_ranking_and_keeps_its_input():
    with pytest.raises(ValueError, match="one ranking"):
        nd.curve([[3, 2], [1, 0]])
    grades = np.array([0.0, 3, 2])
    nd.curve(grades, judged=grades)
    assert grades.tolist() == [0, 3, 2]


def test_the_working_shows_the_hand_calculation_of_the_ideal_over_everything_judged():
    lines = str(nd.working(WIKIPEDIA, k=6, judged=[*WIKIPEDIA, 3, 2])).splitlines()
    assert lines[0].split("  ")[0] == "rank" and len(lines) == 1 + 6 + 3
    assert lines[2].split() == ["2", "d2", "2", "2", "0.631", "1.262", "5", "4.262", "3", "4.893", "0.871"]
    assert lines[-3] == (
        "DCG@6 = 3/1 + 2/1.585 + 3/2 + 0/2.322 + 1/2.585 + 2/2.807 = 3 + 1.262 + 1.5 + 0 + 0.387 + 0.712 = 6.861"
    )
    assert lines[-1] == "NDCG@6 = 6.861 / 8.74 = 0.785"


@pytest.mark.parametrize("choices", CHOICES)
def test_every_form_ends_with_the_value_of_the_library(choices):
    work = nd.working(WIKIPEDIA, k=4, judged=[*WIKIPEDIA, 3], decimals=6, **choices)
    value = f"{nd.ndcg(WIKIPEDIA, k=4, judged=[*WIKIPEDIA, 3], **choices):.6f}"
    for shown in (work.text(), work.markdown(), work.html(), work.latex()):
        assert re.search(rf"NDCG@4.* = {value}\b", shown), shown
    assert (work.cg, work.dcg, work.idcg, work.ndcg) == tuple(
        getattr(work.curve, name)[-1] for name in ("cg", "dcg", "idcg", "ndcg")
    )


def test_rounding_is_for_display_only():
    work = nd.working([2, 3, 1, 3, 0], decimals=1)
    assert "NDCG@5 = 5.7 / 6.3 = 0.9" in str(work)
    assert work.ndcg == pytest.approx(0.899003663156412, rel=1e-12)
    assert "NDCG@5 = 5.68482 / 6.32347 = 0.89900" in str(work.to(5))
    thirds = nd.working([3, 2], discount=lambda i: 1 / (2 * i - 1), decimals=2)
    assert thirds.sums()[0] == "DCG@2 = 3 x 1 + 2 x 0.33 = 3 + 0.67 = 3.67"


def test_latex_writes_the_formula_of_the_convention():
    assert r"\frac{2^{3}-1}{\log_{2} 3}" in nd.working([0, 3], gain="exponential").latex()
    original = nd.working([2, 3, 1], discount="original").latex()
    assert r"= 2 + \frac{3}{\log_{2} 2} + \frac{1}{\log_{2} 3} =" in original
    assert r"\frac{1}{3}" in nd.working([2, 3, 1], discount="reciprocal").latex()


def test_html_is_escaped_and_its_table_can_be_read_aloud():
    html = nd.working([1, 0], documents=["<script>", "a & b"]).html()
    assert "<script>" not in html and "&lt;script&gt;" in html and "a &amp; b" in html
    assert "<caption>" in html and 'scope="col"' in html and 'scope="row"' in html


def test_markdown_keeps_its_columns_when_a_name_holds_a_pipe():
    rows = nd.working([1], documents=["a|b"]).markdown().splitlines()[:3]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


@pytest.mark.parametrize(
    ("more", "assumed"), [({}, True), ({"k": 2}, True), ({"judged": [3, 2, 0]}, False), ({"ideal": "returned"}, False)]
)
def test_the_result_says_what_it_assumes_about_the_judged(more, assumed):
    work = nd.working([3, 0, 2], **more)
    for shown in (work.html(), work.text(), work.markdown()):
        assert shown.count("assumed: nothing else was judged") == assumed


def test_the_ends_of_the_working():
    assert nd.working([0, 0]).sums()[-1] == "NDCG@2 = 0 / 0 = 0.000"
    assert nd.working([0, 0], empty=math.nan).sums()[-1].endswith("undefined")
    assert nd.working([3], k=10, judged=[3, 2]).sums()[-1].startswith("NDCG@10 = 3 / 4.262")
    with pytest.raises(ValueError, match="no rank"):
        nd.working([])


@pytest.mark.parametrize("decimals", [-1, 16, 2.0, None])
def test_decimals_must_be_a_small_whole_number(decimals):
    with pytest.raises(ValueError, match="decimals"):
        nd.working([1], decimals=decimals)


def test_names_are_one_for_each_grade_and_none_twice():
    with pytest.raises(ValueError, match="2 documents for 3 grades"):
        nd.working([1, 2, 3], documents=["a", "b"])
    with pytest.raises(ValueError, match="'a' is returned twice, at ranks 1 and 3"):
        nd.working([1, 2, 3], documents=["a", "b", "a"])


def test_graded_turns_a_returned_list_into_grades():
    judged = {"d1": 3, "d2": 0, "d3": 2}
    grades = nd.graded(["d3", "d9", "d1"], judged)
    assert grades == [2, 0, 3]
    assert nd.graded(["d3", "d9", "d1"], judged, unjudged=0.5) == [2, 0.5, 3]
    assert nd.ndcg(grades, judged=judged) == pytest.approx((2 + 3 / 2) / (3 + 2 / math.log2(3)))
    with pytest.raises(ValueError, match="twice"):
        nd.graded(["d3", "d3"], judged)
    with pytest.raises(ValueError, match="documents"):
        nd.graded("d3", judged)
