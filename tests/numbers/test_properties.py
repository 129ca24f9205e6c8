"""What is true of NDCG for every list, and the counterexamples for what is not."""

import copy
import math
from typing import Any

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sweeps import draws

import ndcg_lib as nd

many = draws(100)
GRADE = st.integers(0, 5) | st.floats(0, 6, allow_subnormal=False) | st.sampled_from([0.1, 0.6, 1 / 3])
GRADES = st.lists(GRADE, min_size=1, max_size=40)
CUT = st.none() | st.integers(1, 45)
GAIN = st.sampled_from(["linear", "exponential", "binary", math.sqrt])
LOGARITHMIC = st.sampled_from([("modern", 2), ("modern", math.e), ("original", 2), ("original", 3.5)])
DISCOUNT = LOGARITHMIC | st.sampled_from([("reciprocal", 2), ("none", 2)])
SEED = st.integers(0, 2**32 - 1)


def shuffled(values: list[Any], seed: int) -> list[Any]:
    return [values[i] for i in np.random.default_rng(seed).permutation(len(values))]


@many
@given(grades=GRADES, extra=st.lists(GRADE, max_size=300), seed=SEED, k=CUT, gain=GAIN, discount=DISCOUNT)
def test_ndcg_is_exactly_1_when_the_top_k_is_the_ideal_one(
    grades: Any, extra: Any, seed: int, k: Any, gain: Any, discount: Any
) -> None:
    assume(any(grades))
    judged = sorted(grades + extra, reverse=True)
    k = k or len(judged)
    choices = {"gain": gain, "discount": discount[0], "base": discount[1]}
    assert nd.ndcg(judged, **choices) == 1.0
    assert nd.ndcg(judged, k, judged=shuffled(judged, seed), **choices) == 1.0
    assert nd.ndcg(judged[:k], k, judged=shuffled(judged, seed), **choices) == 1.0
    assert nd.ndcg(judged[:k] + shuffled(judged[k:], seed), k, **choices) == 1.0
    assert nd.ndcg([judged, judged], k, judged=[judged, shuffled(judged, seed)], **choices).tolist() == [1.0, 1.0]
    relevant = [grade for grade in judged if grade > 0]  # zeros that are left out change nothing
    assert nd.ndcg(relevant, judged=shuffled(judged, seed), **choices) == 1.0


def test_ndcg_is_exactly_1_for_long_ideal_lists() -> None:
    for n in (1000, 1001, 5000):
        grades = np.sort(np.random.default_rng(n).random(n))[::-1]
        assert nd.ndcg(grades) == nd.ndcg(list(grades), judged=np.append(grades, np.zeros(77))) == 1.0


@many
@given(
    grades=st.lists(st.integers(0, 5), min_size=2, max_size=30), k=CUT, gain=st.sampled_from(["linear", "exponential"])
)
def test_ndcg_is_1_only_for_the_ideal_sequence_of_grades(grades: Any, k: Any, gain: str) -> None:
    assume(any(grades))
    ideal = sorted(grades, reverse=True)
    assert (nd.ndcg(grades, k, gain=gain) == 1) == (grades[:k] == ideal[:k])


@many
@given(grades=GRADES, k=CUT, gain=GAIN, zeros=st.integers(1, 200), discount=DISCOUNT)
def test_zeros_at_the_end_change_nothing(grades: Any, k: Any, gain: Any, zeros: int, discount: Any) -> None:
    longer = grades + [0] * zeros
    choices = {"gain": gain, "discount": discount[0], "base": discount[1]}
    assert nd.ndcg(longer, k, **choices) == nd.ndcg(grades, k, **choices)
    assert nd.dcg(longer, k, **choices) == nd.dcg(grades, k, **choices)
    assert nd.idcg(longer, k, **choices) == nd.idcg(grades, k, **choices)
    assert nd.cg(longer, k, gain=gain) == nd.cg(grades, k, gain=gain)
    assert nd.ndcg(grades, k, judged=longer, **choices) == nd.ndcg(grades, k, **choices)


@many
@given(grades=GRADES, seed=SEED, k=CUT, gain=GAIN, discount=DISCOUNT)
def test_the_ideal_dcg_is_the_best_dcg_of_any_order(grades: Any, seed: int, k: Any, gain: Any, discount: Any) -> None:
    choices = {"gain": gain, "discount": discount[0], "base": discount[1]}
    best = nd.idcg(grades, k, **choices)
    assert nd.dcg(shuffled(grades, seed), k, **choices) <= best * (1 + 1e-12)
    assert nd.dcg(sorted(grades, reverse=True), k, **choices) == best == nd.idcg(shuffled(grades, seed), k, **choices)


@many
@given(
    rows=st.integers(0, 12).flatmap(
        lambda n: st.lists(st.lists(GRADE, min_size=n, max_size=n), min_size=1, max_size=6)
    ),
    missed=st.lists(GRADE, max_size=3),
    k=CUT,
    gain=GAIN,
    discount=DISCOUNT,
    empty=st.sampled_from([0.0, 1.0]),
)
@example(rows=[[1, 0, 2], [2000, 0, 1999]], missed=[], k=None, gain="exponential", discount=("modern", 2), empty=0.0)
@example(rows=[[1, 0, 2], [1e308, 0, 1e308]], missed=[], k=None, gain="linear", discount=("modern", 2), empty=0.0)
def test_rows_give_the_same_bits_as_one_ranking_at_a_time(
    rows: Any, missed: Any, k: Any, gain: Any, discount: Any, empty: float
) -> None:
    choices = {"gain": gain, "discount": discount[0], "base": discount[1]}
    judged = [row + missed for row in rows]
    alone = [nd.ndcg(row, k, judged=pool, empty=empty, **choices) for row, pool in zip(rows, judged, strict=True)]
    assert nd.ndcg(rows, k, judged=judged, empty=empty, **choices).tolist() == alone
    assert nd.ndcg(rows, k, empty=empty, **choices).tolist() == [
        nd.ndcg(row, k, empty=empty, **choices) for row in rows
    ]
    if all(grade < 900 for row in rows for grade in row):
        assert nd.dcg(rows, k, **choices).tolist() == [nd.dcg(row, k, **choices) for row in rows]
        assert nd.idcg(rows, k, **choices).tolist() == [nd.idcg(row, k, **choices) for row in rows]
        assert nd.cg(rows, k, gain=gain).tolist() == [nd.cg(row, k, gain=gain) for row in rows]


@many
@given(grades=GRADES, k=CUT, gain=GAIN, as_array=st.booleans(), seed=SEED)
def test_the_input_is_left_as_it_was(grades: Any, k: Any, gain: Any, as_array: bool, seed: int) -> None:
    mapping = {grade: 2 * grade for grade in grades}
    judged: Any = dict(enumerate(shuffled(grades, seed)))
    given_grades: Any = np.array(grades, dtype=float) if as_array else list(grades)
    if as_array:
        given_grades.flags.writeable = False  # writing would raise
    before = copy.deepcopy((list(given_grades), judged, mapping))
    for value in (gain, mapping):
        nd.ndcg(given_grades, k, judged=judged, gain=value)
        nd.ndcg(given_grades, k, gain=value)
        nd.idcg(given_grades, k, gain=value)
        nd.dcg(given_grades, k, gain=value)
        nd.cg(given_grades, k, gain=value)
    assert (list(given_grades), judged, mapping) == before
