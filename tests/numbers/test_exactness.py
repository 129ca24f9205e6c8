"""The library against the slow oracle: 50 digits, another author's logarithm, no shared code."""

import math
import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ndcg_lib as nd
from ndcg_lib import formula

CASES = 10_000
LONG_CASES = 12  # lists of 5,000 documents
ALLOWED = 1e-12


class Case(NamedTuple):
    grades: list[Any]
    k: int | None
    judged: list[Any] | None
    choices: dict[str, Any]
    ideal: str = "judged"


GRADES: list[Callable[[random.Random], float]] = [
    lambda r: r.randint(0, 1),
    lambda r: r.randint(0, 4),
    lambda r: r.randint(0, 60),
    lambda r: r.randint(0, 10) / 10,
    lambda r: r.randint(0, 9) / 3,
    lambda r: r.uniform(0, 5),
    lambda r: r.random() ** 8,  # many close to 0, where 2^g - 1 loses digits if it is taken literally
]
GAINS: list[Any] = ["linear", "linear", "exponential", "exponential", "binary", lambda g: g * g, math.sqrt]
DISCOUNTS: list[Any] = ["modern", "modern", "original", "original", "reciprocal", "none", lambda i: 0.85 ** (i - 1)]
BASES = [2, 2.0, math.e, 10, 3, 1.5, 1.0001, 64]


def cases(seed: int = 20021010) -> Iterator[Case]:
    r = random.Random(seed)
    for number in range(CASES + LONG_CASES):
        n = 5000 if number >= CASES else r.choice([r.randint(1, 10), r.randint(1, 50), r.randint(1, 200)])
        grade = r.choice(GRADES)
        grades = [grade(r) for _ in range(n)]
        missed = [grade(r) for _ in range(r.choice([0, 3, 50]))]
        judged = r.sample(grades + missed, n + len(missed)) if r.random() < 0.5 else None
        gain: Any = r.choice(GAINS)
        if r.random() < 0.1:
            gain = {g: r.randint(0, 100) / 7 for g in [*grades, *missed]}
        choices = {"gain": gain, "discount": r.choice(DISCOUNTS), "base": r.choice(BASES)}
        k = r.choice([None, 1, r.randint(1, n), n, n + r.randint(1, 20)])
        yield Case(grades, k, judged, choices, r.choice(["judged", "judged", "judged", "returned"]))


def errors(case: Case) -> Iterator[tuple[str, float]]:
    """The relative error of every quantity of one case."""
    grades, k, judged, choices, ideal = case
    pool = grades if judged is None else judged
    gain, discount, base = choices["gain"], choices["discount"], choices["base"]
    yield "cg", _error(nd.cg(grades, k, gain=gain), oracle.cg(grades, k, gain))
    yield "dcg", _error(nd.dcg(grades, k, **choices), oracle.dcg(grades, k, gain, discount, base))
    yield "idcg", _error(nd.idcg(pool, k, **choices), oracle.idcg(pool, k, gain, discount, base))
    right = oracle.ndcg(grades, k, pool if ideal == "judged" else grades, gain, discount, base)
    value = nd.ndcg(grades, k, judged=judged, ideal=ideal, empty=math.nan, **choices)
    yield "ndcg", (0.0 if math.isnan(value) else math.inf) if right is None else _error(value, right)


def _error(value: float, right: oracle.mpf) -> float:
    assert type(value) is float
    return float(abs(oracle.mpf(value) - right) / right) if right else abs(value)


def largest_errors(step: int) -> dict[str, tuple[float, Case]]:
    """The worst case of each quantity."""
    worst: dict[str, tuple[float, Case]] = {}
    for case in islice(cases(), 0, None, step):
        for quantity, error in errors(case):
            if quantity not in worst or not error <= worst[quantity][0]:
                worst[quantity] = error, case
    return worst


@pytest.mark.parametrize("step", [25, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.sweep])])
def test_ten_thousand_random_cases_agree_with_the_oracle(step: int) -> None:
    worst = largest_errors(step)
    assert set(worst) == {"cg", "dcg", "idcg", "ndcg"}
    for quantity, (error, case) in worst.items():
        assert error <= ALLOWED, (quantity, error, case)


@pytest.mark.parametrize("top", [60.5, 899, 901, 1023, 1024, 5000.25, 1e5])
def test_exponential_ndcg_of_large_grades_agrees_with_the_oracle(top: float) -> None:
    r = random.Random(int(top))
    for _ in range(30):
        judged = [top - r.choice([0, 0.25, 1, 2, 3, 20]) for _ in range(r.randint(1, 12))] + [0, 0.5, 1, 2.5]
        grades = r.sample(judged, r.randint(1, len(judged)))
        right = oracle.ndcg(grades, 10, judged, "exponential")
        value = nd.ndcg(grades, 10, judged=judged, gain="exponential")
        if right < 1e-290:  # the true value is all but too small for a float
            assert value < 1e-289
        else:
            assert _error(value, right) <= ALLOWED


def test_rows_with_large_grades_leave_the_other_rows_alone() -> None:
    rows = [[1, 0, 2], [2000, 0, 1999], [1e5, 1e5, 3], [0.001, 0, 0.002], [0, 0, 0]]
    values = nd.ndcg(rows, gain="exponential", empty=1.0)
    for row, value in zip(rows[:-1], values[:-1], strict=True):
        assert _error(float(value), oracle.ndcg(row, gains="exponential")) <= ALLOWED
    assert values[-1] == 1.0


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-200, 1e200, 1e305])
def test_linear_ndcg_of_huge_and_tiny_grades_agrees_with_the_oracle(unit: float) -> None:
    for counts in ([0, 1], [1, 0, 3, 2], [0, 0, 7, 7, 1], [9] * 12):
        grades = [count * unit for count in counts]
        assert _error(nd.ndcg(grades), oracle.ndcg(grades)) <= ALLOWED
    assert nd.ndcg([[0, unit], [1, 0]]).tolist() == [nd.ndcg([0, 1]), 1.0]


def test_grades_beyond_two_to_the_53_agree_with_the_oracle() -> None:
    grades = [2**53 + 2, 2**60, 2**63, 2**70, 10**30, 0, 3]
    assert _error(nd.ndcg(grades), oracle.ndcg(grades)) <= ALLOWED
    assert _error(nd.dcg(grades), oracle.dcg(grades)) <= ALLOWED


def test_exponential_gain_keeps_its_digits_next_to_0() -> None:
    for grade in (1e-300, 1e-17, 1e-9, 0.3, 0.6, 1 - 1e-16, 1.0, 1 + 1e-15, 2.5):
        assert _error(float(nd.gains([grade], "exponential")[0]), oracle.gain(grade, "exponential")) <= 4e-16


def test_exponential_gain_of_whole_grades_is_a_whole_number() -> None:
    assert nd.gains(np.arange(53.0), "exponential").tolist() == [2**g - 1 for g in range(53)]


@given(st.floats(1e-11, 0.5), st.sampled_from([-1, 1]))
def test_only_what_rounding_explains_is_told_as_1(off: float, side: int) -> None:
    """Whatever computes it: a value beside 1 is shown as it is, also where a definition lets it pass 1."""
    value = 1 + side * off
    assert formula.ndcg(np.float64(value), np.float64(1.0), 0.0) == value
    assert formula.ndcg(np.array([1 + 2.0**-52, 1 - 2.0**-53]), np.ones(2), 0.0).tolist() == [1.0, 1.0]
