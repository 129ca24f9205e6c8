"""What CG, DCG, IDCG and NDCG mean: which documents are ideal, what is cut, and what each choice does."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ndcg_lib as nd

RANKING = [3, 2, 3, 0, 1, 2]  # six returned documents
JUDGED = [*RANKING, 3, 2]  # a 3 and a 2 were judged but not returned


def close(value: Any, right: Any) -> bool:
    return bool(np.allclose(np.asarray(value, float), np.asarray(right, float), rtol=1e-12, atol=0))


class ArrayLike:
    """Like a data frame's column: it gives itself as an array."""

    def __init__(self, values: list[int]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(self.values, dtype=dtype)


class Column:
    """Like a column of a library without numpy: a length, and items by position."""

    def __init__(self, values: list[int]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> int:
        return self.values[i]


# --- the ideal order and the cut-off


@pytest.mark.parametrize("k", [np.int64(3), np.uint8(3), np.array(3)])
def test_any_integer_type_is_a_cut_off(k: Any) -> None:
    assert nd.ndcg(RANKING, k) == nd.ndcg(RANKING, 3)


# --- gain


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f2", "f4", "f8", "g", "O"])
def test_gains_of_an_array_of_any_type_are_exact(dtype: str) -> None:
    grades = np.array([12, 3, 0], dtype=dtype)
    assert nd.gains(grades, "exponential").tolist() == [4095, 7, 0]
    assert nd.dcg(grades, gain="exponential") == nd.dcg([4095, 7, 0])
    assert nd.gains(grades).dtype == np.float64


def test_a_gain_function_is_asked_once_for_each_grade() -> None:
    asked: list[float] = []
    nd.dcg([2, 0, 2, 1, 0], gain=lambda grade: asked.append(grade) or grade)  # type: ignore[func-returns-value]
    assert asked == [2, 0, 1]


def test_gains_of_any_number_type_are_taken() -> None:
    fractions = {0: Fraction(0), 1: Decimal("0.5"), 2: np.float32(1), 3: True}
    assert nd.gains(RANKING, fractions).tolist() == [1, 1, 1, 0, 0.5, 1]


@pytest.mark.parametrize(
    "make",
    [
        tuple,
        np.array,
        lambda g: np.array(g, dtype=np.float32),
        lambda g: np.array(g, dtype=np.uint8),
        lambda g: np.array(g, dtype=object),
        lambda g: np.array([0, *g, 0])[1:-1],
        lambda g: np.array(g[::-1])[::-1],
        lambda g: np.array([g, g])[0],
        np.ma.array,
        lambda g: [Fraction(x) for x in g],
        lambda g: [Decimal(x) for x in g],
        lambda g: [np.int8(x) for x in g],
        ArrayLike,
        Column,
    ],
)
def test_any_sequence_of_numbers_is_a_ranking(make: Callable[[list[int]], Any]) -> None:
    assert nd.ndcg(make(RANKING), 4, judged=make(JUDGED)) == nd.ndcg(RANKING, 4, judged=JUDGED)
    assert nd.cg(make(RANKING)) == 11


def test_truth_values_are_grades_0_and_1() -> None:
    assert nd.ndcg([True, False, True]) == nd.ndcg([1, 0, 1])
    assert nd.dcg(np.array([True, True])) == nd.dcg([1, 1])


def test_grades_of_mixed_types_keep_their_values() -> None:
    mixed = [Fraction(3, 5), Decimal("0.6"), 0.6, np.float64(0.6)]
    assert nd.gains(mixed).tolist() == [0.6] * 4


def test_float32_grades_are_added_in_double_precision() -> None:
    grades = np.full(3000, 0.1, dtype=np.float32)
    assert close(nd.cg(grades), 3000 * float(np.float32(0.1)))


# --- exponential gain of large grades


@pytest.mark.parametrize("grade", [1024, 1e5, 1e308])
@pytest.mark.parametrize("function", [nd.cg, nd.dcg, nd.idcg])
def test_exponential_dcg_of_large_grades_is_refused_in_words(function: Any, grade: float) -> None:
    with pytest.raises(ValueError, match=r"exponential gain 2\^.*too large.*gain='linear'"):
        function([grade, 0], gain="exponential")
    assert math.isfinite(function([900, 0], gain="exponential"))


def test_huge_linear_grades_are_right_or_refused_and_never_inf() -> None:
    assert nd.ndcg([1e308, 1e308, 1e308]) == 1
    assert close(nd.ndcg([0, 1e308, 1e308], judged=[1e308] * 5 + [0]), nd.ndcg([0, 1, 1], judged=[1] * 5 + [0]))
    for function in (nd.cg, nd.dcg, nd.idcg):
        with pytest.raises(ValueError, match="too large to add up: divide the grades by their maximum"):
            function([1e308] * 5)
        with pytest.raises(ValueError, match="too large to add up"):
            function([[1, 1, 1], [1e308, 1e308, 1e308]])
        assert function([1e308]) == 1e308


# --- discount and base


def test_discounts_and_gains_belong_to_the_caller() -> None:
    nd.discounts(5)[:] = 0
    nd.gains([1, 2, 3])[:] = 0
    assert nd.discounts(5)[0] == 1
    assert nd.ndcg([1, 2, 3]) < 1


def test_the_discount_of_a_rank_does_not_depend_on_the_length_of_the_list() -> None:
    for discount in ("modern", "original", "reciprocal", "none"):
        assert nd.discounts(1500, discount, 3)[:1000].tolist() == nd.discounts(1000, discount, 3).tolist()
        assert nd.discounts(7, discount, 3).tolist() == nd.discounts(1000, discount, 3)[:7].tolist()


# --- no relevant document


def test_a_query_without_a_relevant_document_can_be_an_error() -> None:
    with pytest.raises(ValueError, match=r"no judged document has a gain.*empty=0.0"):
        nd.ndcg([0, 0], empty="raise")
    with pytest.raises(ValueError, match="no judged document of row 1 has a gain"):
        nd.ndcg([[1, 0], [0, 0]], empty="raise")
    assert nd.ndcg([1, 0], empty="raise") == 1


def test_empty_says_nothing_about_a_list_that_missed_everything() -> None:
    assert nd.ndcg([0, 0], judged=[0, 0, 3], empty=1.0) == 0
    assert nd.ndcg([], judged=[3], empty=1.0) == 0
    assert nd.ndcg([0, 3], k=1, empty=1.0) == 0


# --- rows


def test_one_row_is_still_one_value_per_row() -> None:
    assert nd.ndcg([[1, 0]]).tolist() == [1]
    assert nd.ndcg(np.zeros((0, 3))).tolist() == []
    assert nd.ndcg([[], []], empty=1.0).tolist() == [1, 1]


def test_one_ranking_gives_a_python_float() -> None:
    for value in (nd.cg([3, 1]), nd.dcg([3, 1]), nd.idcg([3, 1]), nd.ndcg([3, 1]), nd.ndcg([]), nd.dcg([])):
        assert type(value) is float


def test_the_layout_of_an_array_does_not_matter() -> None:
    rows = np.array([[3, 0, 2, 1], [0, 1, 0, 3], [2, 2, 0, 0]])
    for same in (np.asfortranarray(rows), rows.astype(np.float32), np.repeat(rows, 2, axis=1)[:, ::2]):
        assert nd.ndcg(same, 3).tolist() == [nd.ndcg(row, 3) for row in rows.tolist()]


# --- negative grades, if the caller allows them


def test_negative_grades_count_if_they_are_allowed() -> None:
    assert close(nd.dcg([1, -1], allow_negative=True), 1 - 1 / math.log2(3))
    assert nd.ndcg([-1, 1], allow_negative=True) < 0
    assert nd.ndcg([1, -1], allow_negative=True) == 1
    assert nd.ndcg([2, 0], gain={0: -1, 2: 3}, allow_negative=True) == 1
    assert nd.gains([-1, 1], "exponential").tolist() == [-0.5, 1]


def test_a_number_of_numpy_is_named_as_a_number() -> None:
    for number in (np.float64(-0.1234567890123), np.float32(-0.5), np.int8(-3)):
        with pytest.raises(ValueError, match=rf"^grades\[1\] is {number:g}\."):
            nd.dcg(np.array([1, number]))
        with pytest.raises(ValueError, match=f"^k is {number.item()!r}[, ]"):
            nd.dcg([1], number)


def test_negative_grades_whose_ideal_is_below_0_have_no_ndcg() -> None:
    with pytest.raises(ValueError, match=r"ideal DCG is below 0.*measures nothing"):
        nd.ndcg([-2, -1], allow_negative=True)
    with pytest.raises(ValueError, match="ideal DCG of row 1 is below 0"):
        nd.ndcg([[1, 0], [-2, -1]], allow_negative=True)
    with pytest.raises(ValueError, match="ideal DCG is below 0"):  # and no overflow on the way
        nd.ndcg([1] + [-1e308] * 9, allow_negative=True)
