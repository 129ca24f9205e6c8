"""What CG, DCG, IDCG and NDCG mean: which documents are ideal, what is cut, and what each choice does."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import oracle
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


def test_the_sums_are_those_of_the_formulas() -> None:
    assert nd.cg([4, 2, 5, 3, 5], k=3) == 11
    assert close(nd.dcg([4, 2, 5, 3, 5], k=3), 4 / math.log2(2) + 2 / math.log2(3) + 5 / math.log2(4))
    assert close(nd.idcg([4, 2, 5, 3, 5], k=3), 5 / math.log2(2) + 5 / math.log2(3) + 4 / math.log2(4))
    assert close(nd.ndcg([4, 2, 5, 3, 5], k=3), nd.dcg([4, 2, 5, 3, 5], k=3) / nd.idcg([4, 2, 5, 3, 5], k=3))


def test_the_ideal_is_made_of_all_judged_documents() -> None:
    assert nd.ndcg(RANKING, judged=JUDGED, k=6) == pytest.approx(0.785002, abs=5e-7)
    assert close(nd.ndcg(RANKING, judged=JUDGED, k=6), nd.dcg(RANKING, 6) / nd.idcg([3, 3, 3, 2, 2, 2, 1, 0], 6))


def test_judged_is_in_any_order_and_may_be_a_mapping_from_document_to_grade() -> None:
    by_document = {f"d{i}": grade for i, grade in enumerate(reversed(JUDGED))}
    assert (
        nd.ndcg(RANKING, judged=by_document)
        == nd.ndcg(RANKING, judged=sorted(JUDGED))
        == nd.ndcg(RANKING, judged=JUDGED)
    )
    assert nd.idcg(by_document) == nd.idcg(JUDGED)


def test_without_judged_the_ideal_is_the_whole_returned_list_and_never_its_top_k() -> None:
    assert close(nd.ndcg([2, 3, 1, 3, 0], k=3), nd.dcg([2, 3, 1]) / nd.dcg([3, 3, 2]))
    assert nd.ndcg([2, 3, 1, 3, 0], k=3) == pytest.approx(0.7455, abs=5e-5)
    assert nd.ndcg([4, 2, 5, 3, 5], k=3) == pytest.approx(0.7644, abs=5e-5)  # the top 3 alone would give 0.9106


def test_everything_is_sorted_before_it_is_cut() -> None:
    assert nd.idcg([0, 0, 0, 3], k=1) == 3
    assert nd.ndcg([1, 0, 0, 3], k=1) == 1 / 3


def test_both_sides_are_cut_at_k() -> None:
    assert close(nd.ndcg(RANKING, k=2, judged=JUDGED), (3 + 2 / math.log2(3)) / (3 + 3 / math.log2(3)))
    assert nd.ndcg([3, 0, 0], k=1, judged=[3, 3, 3]) == 1
    assert nd.ndcg([3, 0, 0], k=2, judged=[3, 3, 3]) < 1


def test_k_beyond_the_list_is_the_whole_list() -> None:
    assert nd.ndcg(RANKING, k=100) == nd.ndcg(RANKING, k=6) == nd.ndcg(RANKING)
    assert nd.dcg(RANKING, k=10**30) == nd.dcg(RANKING)
    assert nd.cg(RANKING, k=7) == 11
    assert nd.idcg(JUDGED, k=100) == nd.idcg(JUDGED)


def test_a_short_list_still_meets_the_ideal_at_k() -> None:
    assert close(nd.ndcg([3], k=3, judged=[3, 3, 3]), 3 / nd.idcg([3, 3, 3]))
    assert close(nd.ndcg([3], judged=[3, 3, 3]), 3 / nd.idcg([3, 3, 3]))


def test_no_cut_is_k_none() -> None:
    assert nd.ndcg(RANKING, None) == nd.ndcg(RANKING, k=None) == nd.ndcg(RANKING, 6)


@pytest.mark.parametrize("k", [np.int64(3), np.uint8(3), np.array(3)])
def test_any_integer_type_is_a_cut_off(k: Any) -> None:
    assert nd.ndcg(RANKING, k) == nd.ndcg(RANKING, 3)


def test_ideal_returned_ignores_what_was_missed() -> None:
    assert nd.ndcg(RANKING, judged=JUDGED, ideal="returned") == nd.ndcg(RANKING) != nd.ndcg(RANKING, judged=JUDGED)


def test_unjudged_documents_count_as_grade_0_in_a_list_longer_than_judged() -> None:
    assert close(nd.ndcg([0, 3, 0, 0], judged=[3]), 1 / math.log2(3))


def test_the_ideal_is_sorted_by_gain_and_not_by_grade() -> None:
    upside_down = {0: 3, 1: 1, 2: 0}
    assert nd.ndcg([0, 1, 2], gain=upside_down) == 1
    assert close(nd.ndcg([2, 1, 0], gain=upside_down), nd.dcg([0, 1, 3]) / nd.dcg([3, 1, 0]))


def test_what_a_hand_calculation_gives() -> None:
    assert nd.ndcg([0, 1]) == pytest.approx(0.630930, abs=5e-7)
    assert nd.ndcg([3, 2, 0, 1]) == pytest.approx(0.985442, abs=5e-7)
    assert nd.ndcg([2, 3, 4, 5, 5], 5) == pytest.approx(0.816704, abs=5e-7)
    assert nd.ndcg([2]) == 1


# --- gain


def test_the_named_gains() -> None:
    grades = [0, 1, 2, 3, 0.5]
    assert nd.gains(grades).tolist() == [0, 1, 2, 3, 0.5]
    assert close(nd.gains(grades, "exponential"), [0, 1, 3, 7, math.sqrt(2) - 1])
    assert nd.gains(grades, "binary").tolist() == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f2", "f4", "f8", "g", "O"])
def test_gains_of_an_array_of_any_type_are_exact(dtype: str) -> None:
    grades = np.array([12, 3, 0], dtype=dtype)
    assert nd.gains(grades, "exponential").tolist() == [4095, 7, 0]
    assert nd.dcg(grades, gain="exponential") == nd.dcg([4095, 7, 0])
    assert nd.gains(grades).dtype == np.float64


def test_the_gain_goes_into_both_sides() -> None:
    assert close(
        nd.ndcg(RANKING, gain="exponential"), nd.dcg(RANKING, gain="exponential") / nd.idcg(RANKING, gain="exponential")
    )
    assert nd.ndcg(RANKING, gain="exponential") == pytest.approx(0.948811, abs=5e-7)
    assert nd.ndcg(RANKING, gain="binary") == pytest.approx(0.974743, abs=5e-7)
    assert nd.cg(RANKING, gain="exponential") == 7 + 3 + 7 + 0 + 1 + 3


@pytest.mark.parametrize(
    "gain", [{0: 0, 1: 1, 2: 10, 3: 100}, lambda g: [0, 1, 10, 100][int(g)]], ids=["mapping", "function"]
)
def test_a_gain_can_be_a_mapping_or_a_function(gain: Any) -> None:
    assert nd.dcg(RANKING, gain=gain) == nd.dcg([100, 10, 100, 0, 1, 10])
    assert nd.ndcg(RANKING, gain=gain, judged=JUDGED) == nd.ndcg(
        [100, 10, 100, 0, 1, 10], judged=[100, 10, 100, 0, 1, 10, 100, 10]
    )


def test_a_gain_function_is_asked_once_for_each_grade() -> None:
    asked: list[float] = []
    nd.dcg([2, 0, 2, 1, 0], gain=lambda grade: asked.append(grade) or grade)  # type: ignore[func-returns-value]
    assert asked == [2, 0, 1]


def test_gains_of_any_number_type_are_taken() -> None:
    fractions = {0: Fraction(0), 1: Decimal("0.5"), 2: np.float32(1), 3: True}
    assert nd.gains(RANKING, fractions).tolist() == [1, 1, 1, 0, 0.5, 1]


def test_linear_gain_of_fractional_grades_is_exact() -> None:
    assert nd.gains([0.6, 0.1, 1 / 3]).tolist() == [0.6, 0.1, 1 / 3]
    assert nd.cg([0.6]) == nd.dcg([0.6]) == nd.idcg([0.6]) == 0.6
    notes_002 = [1.0, 0.6, 0, 0.8, 0, 1.0, 0, 0, 0, 0, 0, 0, 0.2, 0]
    assert nd.ndcg(notes_002) == pytest.approx(0.900761, abs=5e-7)
    assert nd.ndcg(notes_002, discount="original") == pytest.approx(0.844345, abs=5e-7)


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


@pytest.mark.parametrize("top", [900, 1023, 1024, 1100, 5000, 100_000])
def test_exponential_ndcg_stays_right_for_large_grades(top: int) -> None:
    low = nd.ndcg([38, 40, 0], gain="exponential", judged=[40, 38, 39, 0])
    assert close(nd.ndcg([top - 2, top, 0], gain="exponential", judged=[top, top - 2, top - 1, 0]), low)
    assert nd.ndcg([top, 3], gain="exponential") == 1


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


def test_the_smallest_grades_keep_their_ratio() -> None:
    assert nd.ndcg([0, 5e-324]) == nd.ndcg([0, 1])
    assert nd.ndcg([[0, 5e-324], [0, 1], [0, 1e308]]).tolist() == [nd.ndcg([0, 1])] * 3


# --- discount and base


def test_the_named_discounts() -> None:
    ranks = np.arange(1, 11)
    assert close(nd.discounts(10), 1 / np.log2(ranks + 1))
    assert close(nd.discounts(10, "original"), [1, 1, *(1 / np.log2(ranks[2:]))])
    assert close(nd.discounts(10, "original", 3), [1, 1, 1, *(math.log(3) / np.log(ranks[3:]))])
    assert close(nd.discounts(10, "reciprocal"), 1 / ranks)
    assert nd.discounts(10, "none").tolist() == [1] * 10
    assert nd.discounts(3, lambda i: 0.5**i).tolist() == [0.5, 0.25, 0.125]
    assert nd.discounts(0).tolist() == []


def test_discounts_and_gains_belong_to_the_caller() -> None:
    nd.discounts(5)[:] = 0
    nd.gains([1, 2, 3])[:] = 0
    assert nd.discounts(5)[0] == 1
    assert nd.ndcg([1, 2, 3]) < 1


def test_the_discount_of_a_rank_does_not_depend_on_the_length_of_the_list() -> None:
    for discount in ("modern", "original", "reciprocal", "none"):
        assert nd.discounts(1500, discount, 3)[:1000].tolist() == nd.discounts(1000, discount, 3).tolist()
        assert nd.discounts(7, discount, 3).tolist() == nd.discounts(1000, discount, 3)[:7].tolist()


def test_the_discount_goes_into_both_sides() -> None:
    assert close(
        nd.ndcg(RANKING, discount="reciprocal"),
        (3 + 2 / 2 + 3 / 3 + 1 / 5 + 2 / 6) / (3 + 3 / 2 + 2 / 3 + 2 / 4 + 1 / 5),
    )
    assert nd.ndcg(RANKING, discount=lambda i: 1 / (i + 1)) == pytest.approx(0.944593, abs=5e-7)
    assert close(nd.ndcg(RANKING, discount=lambda i: 2 / (i + 1)), nd.ndcg(RANKING, discount=lambda i: 1 / (i + 1)))
    assert nd.ndcg(RANKING, discount="original") == pytest.approx(0.931509, abs=5e-7)
    assert nd.dcg(RANKING, discount="none") == nd.cg(RANKING)
    assert nd.ndcg(RANKING, discount="none") == 1


def test_the_base_cancels_in_modern_ndcg_and_not_in_dcg() -> None:
    dcgs = [nd.dcg(RANKING, base=base) for base in (2, math.e, 10)]
    assert np.round(dcgs, 6).tolist() == [6.861127, 9.898513, 22.79217]
    ndcgs = [nd.ndcg(RANKING, base=base, judged=JUDGED) for base in (2, math.e, 10)]
    assert close(ndcgs, ndcgs[0])
    assert nd.ndcg(RANKING, base=math.e) == pytest.approx(0.960808, abs=5e-7)


def test_the_base_matters_with_the_original_discount() -> None:
    values = [nd.ndcg(RANKING, discount="original", base=base) for base in (2, math.e, 10)]
    assert np.round(values, 6).tolist() == [0.931509, 0.957890, 1.0]


def test_the_base_of_the_original_discount_can_change_which_system_is_better() -> None:
    a = [0, 2, *[0] * 13, 1, 1, 0, 3, 0]
    b = [0, 0, 0, 0, 0, 1, 1, 2, 3, *[0] * 11]
    values = [[round(nd.ndcg(x, discount="original", base=base), 3) for x in (a, b)] for base in (2, 10)]
    assert values == [[0.522, 0.384], [0.856, 1.0]]
    modern = [nd.ndcg(a, base=base) > nd.ndcg(b, base=base) for base in (2, 10)]
    assert modern[0] == modern[1]


def test_the_example_of_the_founding_paper() -> None:
    grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    dcgs = [round(nd.dcg(grades, k, discount="original", base=2), 2) for k in range(1, 11)]
    assert dcgs == [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]


# --- no relevant document


@pytest.mark.parametrize(
    ("empty", "value"), [(0.0, 0.0), (1.0, 1.0), (1, 1.0), (math.nan, math.nan), ("skip", math.nan)]
)
def test_the_answer_for_a_query_without_a_relevant_document(empty: Any, value: float) -> None:
    for grades, judged in (([0, 0], None), ([], None), ([0], [0, 0, 0]), ([], [0])):
        result = nd.ndcg(grades, judged=judged, empty=empty)
        assert type(result) is float
        assert result == value or (math.isnan(result) and math.isnan(value))


def test_no_relevant_document_counts_0_unless_something_else_is_said() -> None:
    assert nd.ndcg([0, 0, 0]) == 0


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


def test_two_dimensions_give_one_value_per_row() -> None:
    rows = [[3, 2, 3], [0, 1, 0], [0, 0, 0]]
    values = nd.ndcg(rows, 2, empty=math.nan)
    assert isinstance(values, np.ndarray)
    assert values[:2].tolist() == [nd.ndcg(rows[0], 2), nd.ndcg(rows[1], 2)]
    assert math.isnan(values[2])
    assert nd.dcg(rows).tolist() == [nd.dcg(row) for row in rows]
    assert nd.idcg(rows, 2).tolist() == [nd.idcg(row, 2) for row in rows]
    assert nd.cg(rows, 1).tolist() == [3, 0, 0]


def test_rows_have_their_own_judged() -> None:
    rows, judged = [[3, 0], [1, 2]], [[3, 0, 3], [2, 1, 0]]
    assert nd.ndcg(rows, judged=judged).tolist() == [nd.ndcg(rows[i], judged=judged[i]) for i in (0, 1)]


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


def test_negative_grades_whose_ideal_is_below_0_have_no_ndcg() -> None:
    with pytest.raises(ValueError, match=r"ideal DCG is below 0.*measures nothing"):
        nd.ndcg([-2, -1], allow_negative=True)
    with pytest.raises(ValueError, match="ideal DCG of row 1 is below 0"):
        nd.ndcg([[1, 0], [-2, -1]], allow_negative=True)
    with pytest.raises(ValueError, match="ideal DCG is below 0"):  # and no overflow on the way
        nd.ndcg([1] + [-1e308] * 9, allow_negative=True)


# --- numbers that other libraries print


@pytest.mark.parametrize(
    ("grades", "k", "linear", "exponential", "binary"),
    [
        ([3, 2, 3, 0, 1, 2], None, 0.9608, 0.9488, 0.9747),
        ([3, 2, 3, 0, 1, 2], 10, 0.9608, 0.9488, 0.9747),
        ([4, 2, 5, 3, 5], 3, 0.7644, 0.5579, 1.0),
        ([4, 2, 5, 3, 5], 5, 0.8992, 0.7616, 1.0),
        ([2, 3, 1, 2, 1, 0, 1], None, 0.9283, 0.8584, 0.9931),
        ([3, 2, 2, 1, 2, 1, 0, 0, 1], None, 0.9894, 0.9906, 0.9911),
        ([1.0, 0.6, 0, 0.8, 0, 1.0, 0, 0, 0, 0, 0, 0, 0.2, 0], None, 0.9008, 0.8942, 0.9091),
        ([2, 3, 1, 3, 0], 3, 0.7455, 0.6129, 1.0),
        ([2, 3, 1, 3, 0], 5, 0.8990, 0.8190, 1.0),
        ([1, 40, 0], None, 0.6457, 0.6309, 1.0),
        ([1, 1100, 0], None, 0.6315, 0.6309, 1.0),
        ([1, 2**60, 0], None, 0.6309, 0.6309, 1.0),
    ],
)
def test_the_three_families_agree_with_thirty_implementations(
    grades: list[float], k: int | None, linear: float, exponential: float, binary: float
) -> None:
    values = [round(nd.ndcg(grades, k, gain=gain), 4) for gain in ("linear", "exponential", "binary")]
    assert values == [linear, exponential, binary]


def test_ndcg_agrees_with_the_oracle_for_every_k() -> None:
    for k in range(1, 10):
        assert close(nd.ndcg(RANKING, k, judged=JUDGED), float(oracle.ndcg(RANKING, k, JUDGED)))
