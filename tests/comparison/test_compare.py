"""Comparing systems: the statistics against scipy, R and simulation, and what a comparison says of real runs."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from sweeps import draws

import ndcg_lib as nd
from ndcg_lib.comparison import significance
from ndcg_lib.comparison.table import Comparison

TREC = Path(__file__).parents[2] / "book" / "data" / "trec"

# Fisher (1935), The Design of Experiments: Darwin's 15 pairs of plants; 863 of the 32,768 ways reach the sum.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
# R's data set `sleep`: t.test(extra ~ group, paired = TRUE) prints t = -4.0621, p-value = 0.002833 and this interval.
SLEEP = [-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]

values = st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]), min_size=2, max_size=9)


def run(system: str, year: str = "dl19") -> str:
    return str(TREC / f"{system}.{year}.txt.gz")


def pair(difference: Any) -> np.ndarray[Any, Any]:
    """A table whose first column is a difference and whose second is 0."""
    return np.column_stack([difference, np.zeros(len(difference))]).astype(float)


def two(difference: Any, **how: Any) -> Any:
    """The difference of two systems that differ so."""
    return nd.compare({"old": [0.0] * len(difference), "new": list(difference)}, **how).pairs[0]


# ---- the tests, against published values and other implementations ----


def test_drawn_signs_count_what_was_seen_as_one_more_way_so_that_no_p_is_0() -> None:
    # of the ways to flip 30 equal differences two are as far from 0, and 999 draws of a billion ways meet neither
    assert significance.randomisation(pair([0.5] * 30), [(0, 1)], 999)[0] == 1 / 1000


def test_the_randomisation_test_of_darwins_plants_is_fishers() -> None:
    assert two(DARWIN).p == pytest.approx(2 * 863 / 2**15)


def test_the_paired_t_test_is_that_of_r() -> None:
    difference = two(SLEEP)
    assert (round(difference.t, 4), round(difference.t_p, 6)) == (-4.0621, 0.002833)
    assert significance.one_sided(np.array(SLEEP), 0.025) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)


@draws(60)
@given(values, values)
def test_up_to_15_queries_every_way_to_flip_the_signs_counts(a: list[float], b: list[float]) -> None:
    d = [x - y for x, y in zip(a, b, strict=False)]
    ways = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in itertools.product([1, -1], repeat=len(d))
    ]
    expected = np.mean([way >= abs(sum(d)) - 1e-9 for way in ways])
    assert significance.randomisation(pair(d), [(0, 1)])[0] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_more_queries_are_drawn_as_scipy_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    d = random.normal(0.15, 0.5, 43) * (random.random(43) < 0.6)
    theirs = stats.permutation_test((d,), lambda v, axis: v.mean(axis=axis), permutation_type="samples",
                                    n_resamples=20_000, vectorized=True, rng=random)  # fmt: skip
    assert significance.randomisation(pair(d), [(0, 1)], 20_000)[0] == pytest.approx(theirs.pvalue, abs=0.015)
    assert significance.t_test(d) == pytest.approx(tuple(stats.ttest_1samp(d, 0)))
    assert significance.one_sided(d, 0.05) == pytest.approx(tuple(stats.ttest_1samp(d, 0).confidence_interval(0.9)))


@pytest.mark.parametrize("n", [2, 3, 10])
def test_t_and_power_of_a_pair_are_those_of_scipy(n: int) -> None:
    d = SLEEP[:n]
    assert significance.t_test(np.array(d)) == pytest.approx(tuple(stats.ttest_1samp(d, 0)))
    difference, sd = two(d), float(np.std(d, ddof=1))
    assert (difference.mean, difference.sd) == pytest.approx((np.mean(d), sd))
    for much in (0.3, 2.0) if n > 5 else ():  # fewer can show nothing
        shift, edge = much / sd * math.sqrt(n), stats.t.isf(0.025, n - 1)
        expected = stats.nct.sf(edge, n - 1, shift) + np.nan_to_num(stats.nct.cdf(-edge, n - 1, shift))
        assert difference.power(much) == pytest.approx(expected, abs=1e-4)
        later = difference.power(much, 3 * n)
        assert later > difference.power(much)


@draws(12)
@given(st.floats(0.02, 3), st.integers(2, 400), st.sampled_from([0.01, 0.05, 0.1]))
def test_power_is_that_of_the_noncentral_t(effect: float, n: int, level: float) -> None:
    shift, edge = effect * math.sqrt(n), stats.t.isf(level / 2, n - 1)
    expected = stats.nct.sf(edge, n - 1, shift) + np.nan_to_num(stats.nct.cdf(-edge, n - 1, shift))  # nan: scipy's 0
    assert significance.power(effect, n, level) == pytest.approx(expected, abs=1e-5)
    if 0.001 < expected < 0.999:
        assert significance.detectable(n, expected, level) == pytest.approx(effect, rel=1e-3)


@draws(20)
@given(st.floats(0.05, 2))
def test_as_many_queries_are_needed_as_give_the_power_and_no_fewer(effect: float) -> None:
    n = significance.queries_needed(effect)
    assert n is not None
    assert significance.power(effect, n) >= 0.8
    assert n == 2 or significance.power(effect, n - 1) < 0.8


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_multiplies_the_smallest_by_all_the_next_by_one_less(ps: list[float]) -> None:
    expected, reached = {}, 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=lambda at: ps[at])):
        reached = max(reached, min(1.0, ps[at] * (len(ps) - rank)))
        expected[at] = reached
    assert significance.holm(np.array(ps)) == pytest.approx([expected[at] for at in range(len(ps))])


@pytest.mark.parametrize("queries", [6, 260])
def test_tukeys_p_is_the_share_of_orders_that_reach_further(queries: int) -> None:
    random = np.random.default_rng(1)
    table = random.random((queries, 4)) + [0, 0, 0.02, 0.04] * random.random((queries, 1))
    pairs = list(itertools.combinations(range(4), 2))
    rows = [np.ptp(np.array([random.permutation(row) for row in table]).mean(axis=0)) for _ in range(1000)]
    expected = [np.mean(np.array(rows) >= abs(table[:, a].mean() - table[:, b].mean())) for a, b in pairs]
    assert significance.tukey(table, pairs, 20_000) == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("n", [5, 40])
def test_what_has_no_value_has_no_p(n: int) -> None:
    assert np.isnan(significance.randomisation(pair([math.nan] + [0.5] * n), [(0, 1)], 500)[0])


# ---- the tests, by simulation ----


def drawn(kind: str, shape: tuple[int, int], random: np.random.Generator) -> tuple[Any, float]:
    """Differences of queries, a column per simulated comparison, and their true mean."""
    if kind == "nearly all zeros":
        return random.choice([0.5, 0.3], shape) * (random.random(shape) < 0.15), 0.06
    if kind == "mostly zeros":
        return random.normal(0.3, 1, shape) * (random.random(shape) < 0.3), 0.09
    if kind == "skewed, half zeros":
        return random.exponential(1, shape) * (random.random(shape) < 0.5) - 0.2, 0.3
    return random.normal(0.1, 1, shape), 0.1


def test_p_is_uniform_where_nothing_differs() -> None:
    random = np.random.default_rng(5)
    table = random.normal(0, 1, (40, 2000)) * (random.random((40, 2000)) < 0.6)
    p = significance.randomisation(table, [(at, at + 1) for at in range(0, 2000, 2)], 2000)
    assert stats.kstest(p, "uniform").pvalue > 0.001
    for level in (0.01, 0.05, 0.2):
        assert np.mean(p <= level) == pytest.approx(level, abs=3.3 * math.sqrt(level * (1 - level) / 1000) + 0.001)


def test_the_interval_is_the_wider_of_students_and_halls() -> None:
    sparse = np.array([0.0] * 40 + [0.1, 0.2, 0.3, -0.1, 0.9, 0.3])
    student, g = stats.ttest_1samp(sparse, 0).confidence_interval(), stats.skew(sparse) / math.sqrt(len(sparse))
    low, high = two(sparse).interval
    assert low == pytest.approx(student.low)
    t = (sparse.mean() - high) / stats.sem(sparse)
    assert t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6 == pytest.approx(-stats.t(len(sparse) - 1).isf(0.025))
    assert two([-1.0] * 5).interval[1] > -0.3, "p is .06, and so the interval is no point"


def test_where_few_queries_differ_the_interval_is_that_of_two_more() -> None:
    few, enough = ([0.0] * 20 + [0.1, 0.4, -0.2, 0.3, 0.2][:at] for at in (3, 5))
    student = stats.ttest_1samp([*few, 0.4, -0.4], 0).confidence_interval()
    low, high = two(few).interval
    assert low == pytest.approx(student.low) and high >= student.high - 1e-9
    plain = stats.ttest_1samp([*enough, 0.1], 0).confidence_interval()
    assert two([*enough, 0.1]).interval[0] == pytest.approx(plain.low), "6 queries of one sign are seldom chance"


@pytest.mark.parametrize("n", [2, 10, 43])
def test_where_none_differs_the_interval_holds_what_would_mostly_have_been_seen(n: int) -> None:
    """If a share of the queries differs by 1, n queries miss all of them with probability (1 - share)^n."""
    low, high = two([0.0] * n).interval
    assert -low == high and (1 - high) ** n == pytest.approx(0.05)
    assert two([0.0] * n, confidence=0.9).interval[1] < high
    dcg = {"old": [3.0] * n, "new": [3.0] * n}
    assert nd.compare(dcg).pairs[0].interval[1] == pytest.approx(3 * high), "a DCG can differ by more than 1"


def covered(kind: str, n: int, simulations: int) -> float:
    """How often an interval holds the true mean."""
    table, true = drawn(kind, (n, simulations), np.random.default_rng(n))
    ends = [significance.interval(column) for column in table.T]
    return float(np.mean([low <= true <= high for low, high in ends]))


KINDS = ("normal", "mostly zeros", "skewed, half zeros")


@pytest.mark.parametrize(
    ("kind", "n"), [*((kind, 60) for kind in KINDS), ("nearly all zeros", 10), ("nearly all zeros", 20)]
)
def test_intervals_cover_what_they_claim(kind: str, n: int) -> None:
    assert covered(kind, n, 500) > 0.95 - 0.026


@pytest.mark.weekly
@pytest.mark.parametrize("n", [50, 97, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_cover_95_percent_or_a_little_more(kind: str, n: int) -> None:
    assert 0.935 <= covered(kind, n, 6000) <= 0.975


# ---- a comparison ----


QRELS = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 1, "d": 2}, "q3": {"e": 1}}
OLD = {"q1": ["b", "x", "a"], "q2": ["a", "y"], "q3": ["e"]}
NEW = {"q1": ["a", "b"], "q2": ["d", "a"], "q3": ["z", "e"]}


def test_pairs_are_later_minus_earlier_or_all_against_one() -> None:
    three = {"A": [0.1, 0.2], "B": [0.3, 0.1], "C": [0.5, 0.4]}
    assert [(d.run, d.other) for d in nd.compare(three).pairs] == [("B", "A"), ("C", "A"), ("C", "B")]
    against = nd.compare(three, against="B")
    assert [(d.run, d.other) for d in against.pairs] == [("A", "B"), ("C", "B")]
    assert against.pairs[1].mean == pytest.approx(0.25)
    turned = against.difference("B", "C")
    low, high = against.pairs[1].interval
    assert (turned.mean, *turned.interval) == pytest.approx((-0.25, -high, -low))
    assert turned.per_query == pytest.approx({"1": -0.2, "2": -0.3})


def test_values_of_queries_compare_as_the_runs_do() -> None:
    runs = nd.compare(QRELS, {"old": OLD, "new": NEW}, 2)
    table = {name: each.per_query() for name, each in runs.items()}
    for same in (nd.compare(table, measures="ndcg@2"), nd.compare(dict(runs))):
        assert same.pairs[0].as_dict() == runs.pairs[0].as_dict()
        assert str(same.pairs[0]) == str(runs.pairs[0])


def test_queries_that_do_not_count_in_both_are_left_out_of_a_pair() -> None:
    runs = {"all": OLD, "two": {"q1": ["a"], "q2": ["a"]}, "one": {"q1": ["b"]}}
    comparison = nd.compare(QRELS, runs, 2, missing="skip")
    assert {(d.run, d.other): list(d.per_query) for d in comparison.pairs} == {
        ("two", "all"): ["q1", "q2"], ("one", "all"): ["q1"], ("one", "two"): ["q1"],
    }  # fmt: skip


def test_a_system_that_was_run_several_times_has_the_mean_of_each_query() -> None:
    comparison = nd.compare(QRELS, {"old": OLD, "new": [NEW, OLD]}, 2)
    alone = nd.compare(QRELS, {"old": OLD, "new": NEW}, 2)
    assert comparison.pairs[0].values == pytest.approx(alone.pairs[0].values / 2)
    assert comparison.repeats["new"]["ndcg@2"] == pytest.approx([alone["new"]["ndcg@2"], alone["old"]["ndcg@2"]])
    assert "sd over runs" in str(comparison)
    assert comparison.bounds["new"]["ndcg@2"].judged == pytest.approx(
        (alone.bounds["new"]["ndcg@2"].judged + alone.bounds["old"]["ndcg@2"].judged) / 2
    )


@pytest.mark.parametrize("correction", ["holm", "tukey", None])
def test_corrections_make_p_larger_and_none_leaves_it(correction: Any) -> None:
    random = np.random.default_rng(2)
    systems = {name: random.random(30) + 0.1 * at for at, name in enumerate("ABCD")}
    pairs = nd.compare(systems, correction=correction, resamples=4000).pairs
    larger = [d.p_corrected > d.p for d in pairs]
    assert any(larger) if correction else [d.p_corrected for d in pairs] == [d.p for d in pairs]
    assert all(d.p_corrected >= d.p - 0.02 for d in pairs)
    assert nd.compare({name: systems[name] for name in "AB"}, correction=correction).pairs[0].family == ""


def test_what_is_shown_is_shown_beside_the_other_pairs() -> None:
    random = np.random.default_rng(8)
    base = random.random(40)
    systems = {f"s{at}": base + random.normal(0.03 * at, 0.25, 40) for at in range(5)}
    pairs = nd.compare(systems, resamples=2000).pairs
    assert [d.shown for d in pairs] == [d.p_corrected <= 0.05 for d in pairs]
    assert any(d.p < 0.05 < d.p_corrected for d in pairs), "no pair for which it matters"


def test_the_same_seed_gives_the_same_numbers() -> None:
    d = np.random.default_rng(3).normal(0.1, 1, 30)
    assert two(d).as_dict() == two(d).as_dict()
    assert two(d).p != two(d, seed=1).p


@draws(15)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=30))
def test_a_sentence_claims_what_is_shown_and_no_more(d: list[float]) -> None:
    difference = two(d, resamples=500)
    claims = difference.sentence().startswith(
        f"new has a {'higher' if difference.mean > 0 else 'lower'} value than old"
    )
    assert claims is difference.shown is (difference.p_corrected <= 0.05)


@pytest.mark.parametrize("n", range(1, 8))
def test_what_so_few_queries_cannot_show_is_not_promised(n: int) -> None:
    best_case = two([0.1 + 0.01 * at for at in range(n)])
    smallest = np.mean([abs(sum(signs)) == n for signs in itertools.product([1, -1], repeat=n)])
    assert best_case.p == pytest.approx(smallest), "all of one sign is the rarest way"
    can = bool(smallest <= 0.05)
    assert math.isfinite(best_case.mdd) is (best_case.power(10.0) > 0.99) is can
    assert ("nothing can be shown" not in best_case.sentence()) is can
    if n > 1:
        assert best_case.queries_needed(10.0) == 6, "2 of 64 ways are the first below 0.05"


def test_one_query_says_nothing_of_others_and_equal_differences_nothing_of_their_spread() -> None:
    assert two([0.5]).interval == (-math.inf, math.inf)
    alike = two([0.1] * 12)
    assert math.isnan(alike.mdd) and math.isnan(alike.power(0.1)) and "would be shown" not in alike.sentence()


def test_what_may_not_be_trusted_is_said() -> None:
    further = "Where fewer than 6 differ, it reaches further than Student's."
    assert [further in str(nd.compare({"A": [0.0] * 20, "B": [0.1] * n + [0.0] * (20 - n)})) for n in (5, 6)] == [
        True,
        False,
    ]
    few = two([0.0] * 40 + [0.1, 0.2, -0.1, 0.3])
    assert "Only 4 of the queries differ" in few.sentence()
    assert "Only" not in two([0.1, -0.2] * 10).sentence()
    random = np.random.default_rng(4)
    systems = {f"s{at}": random.random(30) for at in range(8)}
    one = min(nd.compare(systems).pairs, key=lambda each: abs(each.mean))
    assert "Taken alone, differences from" in one.sentence(), "of this pair, not of 28"
    assert "Holm's correction for 28 pairs." in str(nd.compare(systems))
    assert "Nothing can be shown: p is 0.14 or more" in str(nd.compare(systems, resamples=200))  # 28 / 201
    assert "Nothing can be shown" not in str(nd.compare(systems, resamples=1000))
    sparse = {"A": [0.0] * 30, "B": [0.0] * 25 + [0.1] * 5, "C": [0.1, 0.2] * 15}
    assert "Fewer than 10 queries differ, too few for the interval to be trusted: B - A, value." in str(
        nd.compare(sparse)
    )


def test_what_stands_below_a_table_by_hand() -> None:
    """Of the four ways to flip the signs of .25 and .5 two reach as far; their sd is .1768."""
    (systems, pairs) = nd.compare({"A": [0.5, 0.5], "B": [0.75, 1.0]}).tables()
    assert systems == [["", "value"], ["A", "0.5000"], ["B", "0.8750"]]
    assert pairs[0] == ["", "difference", "95 % interval", "p", "effect", "better", "worse", "equal"]
    assert pairs[1][:2] + pairs[1][3:] == ["B - A", "+0.3750", "0.5", "+2.12", "2", "0", "0"]
    runs = {"all": OLD, "two": {"q1": ["a"], "q2": ["a"]}, "one": {"q1": ["b"]}}
    uneven = nd.compare(QRELS, runs, 2, missing="skip", resamples=500, seed=3)
    assert uneven.notes()[:4] == [
        "The means are of different queries: two lacks 1 query (q3); one lacks 2 queries (q2, q3). On the 1 query of"
        " all, ndcg@2 is 0.2754 (all), 0.8262 (two), 0.2754 (one).",  # 1 / (3 + .6309), and three times as much
        "1 to 2 queries; two-sided paired randomisation test, 500 resamples, seed 3; interval: Student's, or Hall's for"
        " skewed values where that is wider.",
        "Holm's correction for 3 pairs.",
        "Nothing can be shown: p is 1 or more with 2 queries, 3 pairs and 500 resamples.",
    ]  # fmt: skip
    even = nd.compare(QRELS, {"old": OLD, "new": NEW}, 2, measures=["ndcg", "rr"])
    assert even.notes()[0].startswith("3 queries; two-sided") and len(even.tables()[1]) == 3
    assert [row[0] for row in even.tables()[1]] == ["", "new - old, ndcg@2", "new - old, rr"]
    assert "Judged@2" in even.tables()[0][0] and even.tables()[0][0][1:3] == ["nDCG@2", "RR"]
    full = nd.compare(QRELS, {"one": {"q1": ["a"]}, "two": {"q1": ["b"]}}, 1).tables()[0]
    assert full[0] == ["", "nDCG@1", "Judged@1"], "nothing is open, so nothing is said of what could be"


def test_a_comparison_is_a_table_in_every_form() -> None:
    comparison = nd.compare(QRELS, {"my_old": OLD, "new": NEW}, 2, measures=["ndcg", "rr"])
    printed, marked, typeset = str(comparison), comparison.to_markdown(), comparison.to_latex()
    for d in comparison.pairs:
        assert all(f"{d.mean:+.4f}" in text.replace("$", "") for text in (printed, marked, typeset))
    assert r"my\_old" in typeset and "my_old" in printed
    lines = [line for line in typeset.splitlines() if line.endswith(r"\\")]
    assert all(line.count("&") == lines[0].count("&") for line in lines[:3])
    again = json.loads(comparison.to_json(), parse_constant=pytest.fail)
    assert [row["mean"] for row in again["differences"]] == [d.mean for d in comparison.pairs]
    for run in again["runs"]:
        bounds = {m: (each["judged"], each["worst"], each["best"]) for m, each in run["bounds"].items()}
        assert bounds == {m: (b.judged, b.worst, b.best) for m, b in comparison.bounds[run["run"]].items()}


def test_json_has_no_number_that_json_has_not() -> None:
    undefined = nd.compare({"q": {"a": 0}}, {"old": {"q": ["a"]}, "new": {"q": ["a"]}}, 2, empty=math.nan)
    for comparison in (undefined, nd.compare({"A": [1.0], "B": [0.5]})):
        row = json.loads(comparison.to_json(), parse_constant=pytest.fail)["differences"][0]
        assert row["mdd"] is None and row["t"] is None


def test_a_large_file_is_not_read_a_second_time_to_print(monkeypatch: pytest.MonkeyPatch) -> None:
    again = nd.compare(str(TREC / "qrels.dl19.txt.gz"), {"bm25": run("bm25"), "tasb": run("tasb")}, 5)
    monkeypatch.setattr("ndcg_lib.comparison.scrutiny.LARGE", 59_500)  # bytes: bm25 is larger, the other two are not
    assert "Judged@5" not in str(again)
    assert again.bounds["bm25"]["ndcg@5"].judged == 1, "who asks for them gets them"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}, against="C"), "against is 'C': the systems are 'A', 'B'"),
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}, correction="bonferroni"), "it can be 'holm', 'tukey' or None"),  # type: ignore[arg-type]
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}, confidence=95), "confidence is 95"),
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}, resamples=3), "resamples is 3"),
        (lambda: nd.compare({"A": [], "B": [0.5]}), "A has no values"),
        (lambda: nd.compare({}), "without runs, pass {name: {query: value}}"),
        (lambda: nd.compare(QRELS, {"A": []}), "an empty list of runs"),
        (lambda: nd.compare({"A": {"x": 1.0}, "B": {"y": 1.0}}).pairs, "have no query in common"),
        (lambda: nd.compare({"A": {"x": 1.0}, "B": {"x": 1.0, "y": 1.0}, "C": {"y": 1.0}}).pairs, "no query in common"),
        (
            lambda: nd.compare({q: dict.fromkeys("xyz".replace(q, ""), 1.0) for q in "xyz"}, correction="tukey").pairs,
            "Tukey's correction needs queries that count in all systems",
        ),
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}).changed(), "compare runs with judgements"),
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}).difference("A", "D"), "there is no run 'D'"),
        (lambda: nd.compare({"A": [1.0], "B": [0.5]}).plot("pie"), "kind is 'pie'"),  # type: ignore[arg-type]
        (lambda: nd.compare(QRELS, {"A": OLD, "B": [OLD, NEW]}).changed(), "B was run 2 times"),
    ],
)  # fmt: skip
def test_wrong_wishes(make: Callable[[], Any], expected: str) -> None:
    with pytest.raises(ValueError) as error:
        make()
    assert expected in str(error.value)


# ---- what unjudged documents could do ----

DOCUMENTS = "abcdefg"


@draws(40)
@example({"a": 2}, list(DOCUMENTS), 3, "ndcg", "judged")  # the worst: of two unjudged documents, the lower is good
@example({"a": 1, "g": 2}, ["b", *"acdefg"], 2, "ndcg", "judged")  # the best: neither none nor the top of the scale
@example({"a": 1, "g": 2}, list(DOCUMENTS), 2, "ndcg", "returned")  # g stands below, and in the ideal list
@given(
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1, max_size=5),
    st.permutations(DOCUMENTS), st.integers(1, 4), st.sampled_from(["ndcg", "dcg", "p", "rr", "ap"]),
    st.sampled_from(["judged", "returned"]),
)  # fmt: skip
def test_bounds_are_the_extremes_over_all_grades_of_the_unjudged(
    grades: dict[str, int], order: list[str], k: int, measure: str, ideal: Any
) -> None:
    qrels, results = {"q": grades}, {"q": order}
    levels, unknown = sorted({0, *grades.values()}), [d for d in order[:k] if d not in grades]
    name = f"{measure}@{k}"
    asked: Any = {"measures": name, "ideal": ideal}
    every = [
        nd.evaluate({"q": grades | dict(zip(unknown, some, strict=True))}, results, **asked)[name]
        for some in itertools.product(levels, repeat=len(unknown))
    ]
    found = nd.compare(qrels, {"one": results, "two": results}, **asked).bounds["one"][name]
    assert (found.worst, found.best) == pytest.approx((min(every), max(every)))
    assert found.judged == pytest.approx(1 - len(unknown) / k)


MANY = [(5, 10), (5, 11), (6, 8), (4, 17), (3, 44), (3, 44)]  # grades, and unjudged documents


@pytest.mark.parametrize(("gain", "seed"), [*itertools.product(["linear", "exponential"], range(6))])
def test_bounds_of_many_unjudged_documents_are_the_extremes(gain: Any, seed: int) -> None:
    """Of all falling grades of the unjudged, and of all rising ones, computed by the formula."""
    random, (levels, many) = np.random.default_rng(seed), MANY[seed]
    judged = random.integers(0, levels, 8).astype(float)
    documents = [f"j{at}" if at < 8 else f"u{at}" for at in random.permutation(8 + many)]
    k = max(at for at, document in enumerate(documents) if document[0] == "u") + 1
    worth = (lambda g: 2.0**g - 1) if gain == "exponential" else (lambda g: g)
    falling = np.array([*itertools.combinations_with_replacement(np.arange(levels)[::-1], many)], dtype=float)
    discount = 1 / np.log2(np.arange(k) + 2)
    extremes = []
    for grades in (falling, falling[:, ::-1]):
        of = dict(zip([d for d in documents if d[0] == "u"], grades.T, strict=True))
        of |= {f"j{at}": np.full(len(grades), grade) for at, grade in enumerate(judged)}
        dcg = sum(worth(of[d]) * discount[at] for at, d in enumerate(documents[:k]))
        ideal = -np.sort(-worth(np.column_stack(list(of.values()))), axis=1)[:, :k] @ discount
        extremes.append(np.divide(dcg, ideal, where=ideal > 0, out=np.zeros_like(dcg)))
    qrels = {
        "q": {f"j{at}": grade for at, grade in enumerate(judged)},
        "scale": {f"{grade}": grade for grade in range(levels)},
    }
    runs = {"q": documents, "scale": ["0"]}
    found = nd.compare(qrels, {"A": runs, "B": runs}, k, gain=gain).bounds["A"][f"ndcg@{k}"].per_query["q"]
    assert found == pytest.approx((np.min(extremes), np.max(extremes)))


def test_nothing_above_rank_100_or_without_a_grade_is_bounded() -> None:
    deep = nd.compare({"q": {"a": 1}}, {"A": {"q": ["b", "a"]}, "B": {"q": ["a"]}}, [100, 101]).bounds["A"]
    assert deep["ndcg@100"].best == 1 and math.isnan(deep["ndcg@101"].best) and deep["ndcg@101"].judged == 0.5
    assert deep["ndcg@101"].per_query["q"] == pytest.approx((1 / math.log2(3),) * 2) != deep["ndcg@100"].per_query["q"]
    flat = nd.compare({"q": {"a": 0}}, {"A": {"q": ["b", "a"]}, "B": {"q": ["a"]}}, 2).bounds["A"]["ndcg@2"]
    assert (flat.worst, flat.best) == (0, 0)


def test_what_is_judged_is_what_the_convention_puts_above_the_cut_off() -> None:
    tied = {"q": {"a": 1.0, "b": 1.0, "x": 1.0}}
    for ties, judged in {"id": 1.0, "id-descending": 0.5, "order": 1.0, "average": 2 / 3}.items():
        options: Any = {"measures": "ndcg@2", "ties": ties}
        found = nd.compare({"q": {"a": 1, "b": 0}}, {"A": tied, "B": tied}, **options).bounds["A"]["ndcg@2"]
        assert found.judged == pytest.approx(judged), ties
    near, single = {"q": {"a": 1.0 + 1e-12, "x": 1.0}}, {"ties": "id-descending", "score_precision": "single"}
    for options, judged in (({}, 1.0), (single, 0.0)):
        found = nd.compare({"q": {"a": 1}}, {"A": near, "B": near}, 1, **options).bounds["A"]["ndcg@1"]
        assert found.judged == judged, "the two scores tie in single precision, and x has the larger id"


def test_bounds_stand_beside_the_value_where_something_is_open() -> None:
    table = str(nd.compare(str(TREC / "qrels.dl19.txt.gz"), {"bm25": run("bm25"), "tasb": run("tasb")}, 10))
    rows = {line.split()[0]: line.split() for line in table.splitlines()[1:3]}
    assert rows["bm25"][2] == "1.0000" and rows["tasb"][2] == "0.9023"
    assert "Judged@10: share of the documents that somebody judged" in table
    assert rows["bm25"][3] == rows["bm25"][5] == rows["bm25"][1]
    assert float(rows["tasb"][3]) < float(rows["tasb"][1]) < float(rows["tasb"][5])


# ---- the queries that moved ----


@draws(30)
@given(st.permutations(DOCUMENTS), st.permutations(DOCUMENTS), st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_the_exchange_that_is_named_does_the_most_of_those_in_this_direction(
    ours: list[str], theirs: list[str], grades: list[int]
) -> None:
    judged = dict(zip(DOCUMENTS, grades, strict=True))

    def value(order: list[str]) -> float:
        return nd.ndcg([judged[d] for d in order], 4, judged=judged)

    change = nd.compare({"q": judged}, {"old": {"q": theirs}, "new": {"q": ours}}, 4).changed(1)[0]
    assert (change.ours, change.theirs) == pytest.approx((value(ours), value(theirs)))
    assert [d for d, _ in change.lists["new"]] == list(ours)[:4]
    assert all(grade == judged[d] for d, grade in change.lists["old"])
    sign = 1 if change.difference > 0 else -1
    gains = [0.0]
    for up, down in itertools.permutations(DOCUMENTS, 2):
        at_top = all(min(ours.index(d), theirs.index(d)) < 4 for d in (up, down))
        if ours.index(up) < ours.index(down) and theirs.index(up) > theirs.index(down) and at_top:
            exchange = {up: down, down: up}
            gains.append(sign * (value([exchange.get(d, d) for d in theirs]) - value(theirs)))
    if max(gains) > 1e-9:
        assert f"One exchange does {sign * max(gains):+.4f} of it" in change.swap
        assert str(change).count("\n") == 6
    else:
        assert change.swap == ""


@draws(40)
@given(
    st.lists(st.sampled_from([1.0, 2.0, 2.0 + 1e-9]), min_size=5, max_size=5), st.permutations(DOCUMENTS[:5]),
    st.sampled_from(["order", "reverse", "id", "id-descending", "best", "worst"]),
    st.sampled_from(["double", "single"]),
)  # fmt: skip
def test_the_lists_of_a_change_stand_as_they_were_ranked(
    scores: list[float], order: list[str], ties: Any, precision: Any
) -> None:
    judged = {"a": 2, "b": 0, "c": 1, "d": 3}
    runs = {"old": {"q": dict(zip(order, scores, strict=True))}, "new": {"q": ["d", "a", "c"]}}
    change = nd.compare({"q": judged}, runs, 3, ties=ties, score_precision=precision).changed()[0]
    for name, value in (("new", change.ours), ("old", change.theirs)):
        assert nd.ndcg([grade or 0 for _, grade in change.lists[name]], 3, judged=judged) == pytest.approx(value)
    if change.difference > 0.01:
        assert "One exchange" in change.swap, "a tie that the convention breaks is an order like any other"


def test_the_queries_that_moved_most_come_first() -> None:
    comparison = nd.compare(str(TREC / "qrels.dl19.txt.gz"), {"bm25": run("bm25"), "splade": run("splade")}, 10)
    moved = [abs(x) for x in comparison.pairs[0].per_query.values()]
    for names in (("splade", "bm25"), ("bm25", "splade")):
        found = comparison.changed(4, *names)
        assert [abs(c.difference) for c in found] == pytest.approx(sorted(moved, reverse=True)[:4])
        assert found[0].names == names


# ---- under other choices ----


def test_conclusions_are_those_of_each_choice_alone() -> None:
    qrels, runs = str(TREC / "qrels.dl20.txt.gz"), {name: run(name, "dl20") for name in ("splade", "repllama")}
    said = nd.compare(qrels, runs, 10).under(k=(5, 10), gain=("linear", "exponential"), discount=("modern", "original"))
    for row in said.rows:
        choices = {name: row[name] for name in ("gain", "discount", "k")}
        alone = nd.compare(qrels, runs, **choices).difference("repllama", "splade")
        assert (row["difference"], row["p"]) == pytest.approx((alone.mean, alone.p))
    ahead = sum(row["difference"] > 0 for row in said.rows)
    assert f"in {max(ahead, len(said.rows) - ahead)} of 8" in str(said)
    assert len(said.table().splitlines()) == 9


@pytest.mark.parametrize(
    ("behind", "expected"),
    [
        (lambda row: False, "B > A in 12 of 12; beyond"),
        (lambda row: row["k"] == 5, "B > A in 8 of 12; not with k = 5; beyond"),
        (lambda row: row["k"] == 5 and row["gain"] == "x", "in 10 of 12; not with gain = x and k = 5; beyond"),
        (lambda row: row["k"] > 5 and row["gain"] == "x", "not with gain = x and k = 10 or 20"),
        (lambda row: row["k"] > 5, "A > B in 8 of 12; not with k = 5"),
        (lambda row: f"{row['gain']}{row['base']}{row['k']}" in ("x25", "y310"), "k = 5; gain = y, base = 3, k = 10"),
    ],
)  # fmt: skip
def test_conclusions_say_where_they_do_not_hold(behind: Callable[[Any], bool], expected: str) -> None:
    from ndcg_lib.comparison.scrutiny import Conclusions

    rows: list[dict[str, Any]] = [
        {"gain": gain, "base": base, "k": k, "p": 0.5} for gain in "xy" for base in (2, 3) for k in (5, 10, 20)
    ]
    equal = [{"gain": "x", "k": k, "difference": d, "p": 0.01} for k, d in enumerate((-0.1, -0.1, 0.0, 0.1))]
    told = str(Conclusions("B", "A", equal, ("gain", "k"), 0.05))
    assert told == "A > B in 2 of 4; not with k = 2 or 3; beyond chance (p < 0.05) in 2"
    for row in rows:
        row["difference"] = -0.1 if behind(row) else 0.1
    assert expected in str(Conclusions("B", "A", rows, ("gain", "base", "k"), 0.05))


# ---- published tables ----

MEASURED = {
    "dl19": {"bm25": 0.5058, "bm25-rm3": 0.5216, "tasb": 0.7210, "ada2": 0.7035, "repllama": 0.7384, "splade": 0.7308,
             "bm25-gpt35-1": 0.6799, "bm25-gpt35-2": 0.6737, "bm25-gpt35-3": 0.6827, "bm25-gpt35-4": 0.6938,
             "bm25-gpt35-5": 0.6868},
    "dl20": {"bm25": 0.4796, "bm25-rm3": 0.4896, "tasb": 0.6854, "ada2": 0.6759, "repllama": 0.7195, "splade": 0.7197,
             "bm25-gpt35-1": 0.6385, "bm25-gpt35-2": 0.6177, "bm25-gpt35-3": 0.6185, "bm25-gpt35-4": 0.6255,
             "bm25-gpt35-5": 0.6337},
    "covid": {"bm25": 0.5978, "bm25-rm3": 0.5933, "splade": 0.7220},
    "covid-beir": {"bm25": 0.5947, "bm25-rm3": 0.5927, "splade": 0.7274},
}  # fmt: skip
"""nDCG@10 by trec_eval -c, of the README of the data."""

RANK_LLM = {
    "dl19": {"bm25-vicuna": (0.6682, 0.3617, 0.2617, 0.4531), "splade-vicuna": (0.7459, 0.4582, 0.2974, 0.5549),
             "tasb-vicuna": (0.7551, 0.4320, 0.2915, 0.5158), "ada2-vicuna": (0.7374, 0.4373, 0.2872, 0.5256)},
    "dl20": {"bm25-vicuna": (0.6549, 0.3791, 0.3008, 0.4834), "splade-vicuna": (0.7473, 0.5035, 0.3796, 0.6388),
             "tasb-vicuna": (0.7049, 0.4489, 0.3437, 0.5795), "ada2-vicuna": (0.7210, 0.4651, 0.3636, 0.5943)},
}  # fmt: skip
"""ndcg_cut_10, map_cut_100, recall_20, recall_100: castorini/rank_llm, trec_eval_aggregated_results.jsonl."""

ANSERINI = {
    "dl19": {"bm25": (0.5058, 0.4910), "bm25-rm3": (0.5216, 0.5259)},
    "dl20": {"bm25": (0.4796, 0.5599), "bm25-rm3": (0.4896, 0.6182)},
}
"""nDCG@10, and R@100 with -l 2: castorini/anserini, docs/regressions/regressions-dl19-passage.md and …-dl20-…"""


def printed(system: str, collection: str, measures: list[str], **more: Any) -> tuple[float, ...]:
    """The means to four digits, as trec_eval -c prints them."""
    files = str(TREC / f"qrels.{collection}.txt.gz"), run(system, collection.removesuffix("-beir"))
    return tuple(round(x, 4) for x in nd.evaluate(*files, measures=measures, convention="trec_eval", **more).values())


@pytest.mark.parametrize("collection", MEASURED)
def test_the_measured_table_comes_out_to_four_digits(collection: str) -> None:
    for system, value in MEASURED[collection].items():
        assert printed(system, collection, ["ndcg@10"]) == (value,), system


@pytest.mark.parametrize("collection", RANK_LLM)
def test_the_table_of_rank_llm_comes_out_to_four_digits(collection: str) -> None:
    for system, expected in RANK_LLM[collection].items():
        found = printed(system, collection, ["ndcg@10", "ap@100", "recall@20", "recall@100"])
        assert found == expected, system


@pytest.mark.parametrize("collection", ANSERINI)
def test_the_table_of_anserini_comes_out_to_four_digits(collection: str) -> None:
    for system, expected in ANSERINI[collection].items():
        assert printed(system, collection, ["ndcg@10", "recall(rel=2)@100"]) == expected, system


# ---- figures, gate, boosting ----


@pytest.fixture(scope="module")
def real() -> Comparison:
    runs = {name: run(name) for name in ("bm25", "splade", "tasb")}
    return nd.compare(str(TREC / "qrels.dl19.txt.gz"), runs, 5)


@pytest.mark.parametrize("kind", ["differences", "intervals", "curves", "heat"])
def test_a_figure_says_in_words_what_it_shows(real: Comparison, kind: Any) -> None:
    chart = real.plot(kind)
    first = real.pairs[0]
    assert chart.title and chart.svg.startswith("<svg")
    needed = {
        "differences": [f"ahead on {first.better}", f"on {first.worse}"],
        "intervals": [f"{first.run} - {first.other}", f"{first.mean:.3f}"],
        "curves": ["k 1 to 5", *real],
        "heat": [f"{first.mean:+.3f}, shown", "not shown"],
    }[kind]
    assert all(words in chart.alt for words in needed)


class Booster:
    """The labels and groups of LightGBM's Dataset or XGBoost's DMatrix."""

    def __init__(self, labels: list[float], sizes: list[int]) -> None:
        self.get_label = lambda: np.array(labels)
        self.sizes = np.array(sizes)


class Dataset(Booster):
    def get_group(self) -> Any:
        return self.sizes


class DMatrix(Booster):
    def get_group(self) -> Any:
        return self.sizes

    def get_uint_info(self, name: str) -> Any:
        assert name == "group_ptr"
        return np.append(0, np.cumsum(self.sizes)).astype(np.uint32)


@pytest.mark.parametrize("convention", ["lightgbm", "ignite", "burges"])
def test_any_convention_is_the_evaluation_function_of_a_booster(convention: str) -> None:
    labels, scores, sizes = (
        [3.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1.0],
        np.array([0.1, 0.9, 0.5, 0.2, 0.1, 0.7, 0.7]),
        [3, 2, 2],
    )
    rows = [nd.ndcg_scores(labels[a:b], scores[a:b], 2, convention=convention) for a, b in ((0, 3), (3, 5), (5, 7))]
    expected = nd.mean(rows, convention=convention)
    measure = nd.feval(2, convention=convention)
    assert measure(scores, Dataset(labels, sizes)) == ("ndcg_lib@2", pytest.approx(expected), True)
    assert measure(scores, DMatrix(labels, sizes)) == ("ndcg_lib@2", pytest.approx(expected))
    assert measure(np.array(labels), scores, None, np.array(sizes)) == ("ndcg_lib@2", pytest.approx(expected), True)


@pytest.mark.parametrize(
    ("given", "title"),
    [({}, "ndcg_lib"), ({"k": 5}, "ndcg_lib@5"), ({"k": 5, "name": "mine"}, "mine"), ({"name": "mine"}, "mine")],
)
def test_what_a_booster_prints_is_the_name_that_was_given(given: Any, title: str) -> None:
    measure = nd.feval(**given)
    data = DMatrix([1.0, 0.0], [2])
    told = [measure(np.array([0.1, 0.2]), data), measure([1.0, 0.0], [0.1, 0.2])]
    assert [each[0] for each in told] == [measure.__name__, title] == [title, title]
    assert told[1][1:] == (pytest.approx(1 / math.log2(3)), True), "without groups all labels are of one query"


def test_a_long_tie_of_unjudged_documents_is_not_tried_out_one_by_one() -> None:
    """Its bounds cost the square of its length; what is not known is not printed."""
    qrels, long = {"q": {"d0": 1}}, {"q": {f"d{at}": 1.0 for at in range(20_000)}}
    short = {"q": {f"d{at}": 1.0 for at in range(50)}}
    found = nd.compare(qrels, {"long": long, "short": short}, 10)
    assert math.isnan(found.bounds["long"]["ndcg@10"].best) and found.bounds["short"]["ndcg@10"].best > 0.9
    assert found.bounds["long"]["ndcg@10"].judged == pytest.approx(1 / 20_000)
    assert "nan" not in str(found).lower()


def test_the_share_of_judged_documents_has_one_value() -> None:
    """The column of a comparison, the measure of an evaluation, and the mean over queries by hand."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
    runs = {"old": {"1": ["a", "x", "b"], "2": ["y"]}, "new": {"1": ["a", "b"], "2": ["c", "z", "y", "x"]}}
    compared = nd.compare(qrels, runs, 3, measures=["nDCG", "Judged"])
    for name, by_hand in (("old", (2 / 3 + 0) / 2), ("new", (2 / 2 + 1 / 3) / 2)):
        assert compared.bounds[name]["nDCG@3"].judged == pytest.approx(by_hand)
        assert compared[name]["Judged@3"] == pytest.approx(by_hand)
        assert nd.evaluate(qrels, runs[name], measures="Judged@3")["Judged@3"] == pytest.approx(by_hand)
    assert str(compared).splitlines()[0].count("Judged@3") == 1
    assert "p is of each measure alone, without a correction for 2 of them." in compared.notes()
    assert str(nd.compare(qrels, runs, 3, measures=["nDCG", "P"])).splitlines()[0].count("Judged@3") == 1
