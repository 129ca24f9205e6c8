"""Many queries at once against one query at a time; every form of input; what is refused, and how."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import draws

import ndcg_lib as nd

RNG = np.random.default_rng(20080101)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def the_same_draws_whatever_ran_before() -> None:
    RNG.bit_generator.state = START


GAINS: list[Any] = ["linear", "exponential", "binary", np.square]


def one_by_one(grades: Any, scores: Any, k: int | None = None, judged: Any = None, **choices: Any) -> Any:
    """The heart, asked row by row."""
    values = []
    for i, (row, row_scores) in enumerate(zip(grades, scores, strict=True)):
        ranked = [row[j] for j in sorted(range(len(row)), key=lambda j: (-row_scores[j], j))]
        values.append(nd.ndcg(ranked, k, judged=None if judged is None else judged[i], **choices))
    return np.array(values)


def same(values: Any, expected: Any) -> None:
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=0)


# --- the same numbers as the heart


@pytest.mark.parametrize("gain", [*GAINS, "mapping"], ids=str)
@pytest.mark.parametrize(
    "grades",
    [
        RNG.integers(0, 5, (20, 30)),
        RNG.integers(0, 2, (20, 30)).astype(bool),
        RNG.integers(0, 100, (20, 30)).astype(np.int8),
        RNG.integers(0, 64, (20, 30)).astype(np.uint64),
        RNG.integers(0, 5, (20, 30)).astype(np.float64),
        RNG.integers(0, 5, (20, 30)).astype(np.float32),
        RNG.integers(0, 9, (20, 30)) / 2,
        RNG.random((20, 30)) ** 9,
        np.zeros((3, 30)),
    ],
    ids=lambda grades: f"{grades.dtype}-{grades.max():.3g}",
)
def test_each_row_is_what_the_heart_says(grades: Any, gain: Any) -> None:
    if gain == "mapping":
        gain = {g: (g * 7 % 5) / 3 for g in np.unique(grades).tolist()}
    scores = RNG.normal(size=grades.shape)
    for k, discount in ((None, "modern"), (1, "modern"), (10, lambda i: 0.7**i), (31, lambda i: 0.7**i)):
        expected = one_by_one(grades.tolist(), scores, k, gain=gain, discount=discount)
        for ties in ("average", "order", "best"):
            same(nd.ndcg_scores(grades, scores, k, gain=gain, discount=discount, ties=ties), expected)


@pytest.mark.parametrize("shape", [(5000, 1), (1, 5000), (7, 2500), (40, 251), (3, 40_000), (20_000, 2)])
@pytest.mark.parametrize("k", [None, 1, 10, 2000])
def test_any_number_of_rows_and_documents(shape: tuple[int, int], k: int | None) -> None:
    rng = np.random.default_rng(shape)
    grades, scores = rng.integers(0, 5, shape), rng.random(shape)
    in_order = np.take_along_axis(grades, np.argsort(-scores, axis=1), axis=1)
    same(nd.ndcg_scores(grades, scores, k), nd.ndcg(in_order, k))
    same(nd.ndcg_scores(grades / 7, scores, k, ties="order"), nd.ndcg(in_order, k))


def test_one_ranking_gives_a_float_and_rows_give_an_array() -> None:
    value = nd.ndcg_scores([3, 0, 2], [0.1, 0.3, 0.2])
    assert type(value) is float
    assert value == nd.ndcg([0, 2, 3])
    values = nd.ndcg_scores([[3, 0, 2]], [[0.1, 0.3, 0.2]])
    assert isinstance(values, np.ndarray)
    assert values.tolist() == [value]


def test_nothing_in_nothing_out() -> None:
    assert nd.ndcg_scores(np.empty((0, 5)), np.empty((0, 5))).shape == (0,)
    assert nd.ndcg_scores([[], []], [[], []], 3, empty=1.0).tolist() == [1.0, 1.0]
    assert nd.ndcg_scores([], []) == 0.0
    assert nd.ndcg_scores([], [], judged=[2, 1]) == 0.0
    assert math.isnan(nd.ndcg_scores([], [], judged=[0], empty="skip"))


def test_the_ideal_order_has_exactly_1() -> None:
    rng = np.random.default_rng(1)
    for grades in (rng.integers(0, 5, (2000, 37)), rng.random((2000, 37))):
        for ties in ("average", "order"):
            assert (nd.ndcg_scores(grades, grades, ties=ties, gain="exponential") == 1).all()
            assert (nd.ndcg_scores(np.ones_like(grades), grades, 9, ties=ties) == 1).all()


def test_strides_byte_orders_and_read_only_input() -> None:
    grades, scores = RNG.integers(0, 5, (50, 60)), RNG.random((50, 60))
    expected = nd.ndcg_scores(grades[:, ::2], scores[:, ::2], 7)
    forms = [np.asfortranarray, lambda x: x.astype(x.dtype.newbyteorder()), np.ascontiguousarray]
    for form in forms:
        a, b = form(grades)[:, ::2], form(scores)[:, ::2]
        a.flags.writeable = b.flags.writeable = False
        same(nd.ndcg_scores(a, b, 7), expected)


def test_input_is_left_alone() -> None:
    grades, scores = np.array([[3.0, 0, 1], [0, 1, 2]]), np.array([[-1.0, -1, 5], [2, 1, 0]])
    before = grades.copy(), scores.copy()
    for ties in ("average", "order", "best", "worst", "reverse"):
        nd.ndcg_scores(grades, scores, 2, ties=ties)
    assert (grades == before[0]).all()
    assert (scores == before[1]).all()


def test_huge_grades_and_gains_are_scaled_row_by_row() -> None:
    grades = [[5000, 4999, 0], [3, 2, 0], [901, 0, 0]]
    scores = [[1, 2, 3], [1, 2, 3], [1, 2, 3]]
    same(nd.ndcg_scores(grades, scores, gain="exponential"), one_by_one(grades, scores, gain="exponential"))
    judged = [[5000, 4999, 0, 5001], [3, 2, 0, 2000], [901, 0, 0]]
    choices: dict[str, Any] = {"gain": "exponential", "judged": judged}
    same(nd.ndcg_scores(grades, scores, **choices), one_by_one(grades, scores, **choices))
    for gain in ({0: 0, 1: 1e308, 2: 1.7e308}, {0: 0, 1: 1e-320, 2: 3e-320}):
        rows = [[1, 2, 2, 0]] * 2
        same(nd.ndcg_scores(rows, [[4, 3, 2, 1], [1, 1, 1, 1]], gain=gain)[0], nd.ndcg(rows[0], gain=gain))


@draws(80)
@given(
    rows=st.lists(
        st.lists(st.tuples(st.floats(0, 1e6), st.floats(allow_nan=False)), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    ),
    k=st.none() | st.integers(1, 6),
)
def test_any_floats_as_grades_and_scores(rows: Any, k: int | None) -> None:
    grades, scores = [[g for g, _ in row] for row in rows], [[s for _, s in row] for row in rows]
    same(nd.ndcg_scores(grades, scores, k, ties="order"), one_by_one(grades, scores, k))


# --- judged documents that were not returned


def test_judged_documents_that_were_not_returned_lower_the_value() -> None:
    value = nd.ndcg_scores([[2, 0, 3]], [[1, 2, 3]], judged=[[3, 0, 2, 1, 3]])
    assert value[0] == nd.ndcg([3, 0, 2], judged=[3, 3, 2, 1, 0])
    assert nd.ndcg_scores([2, 0, 3], [1, 2, 3], judged={"d1": 3, "d2": 0, "d3": 2, "d4": 3}) == pytest.approx(
        nd.ndcg([3, 0, 2], judged=[3, 3, 2, 0]), rel=1e-14
    )


@pytest.mark.parametrize("gain", GAINS, ids=str)
@pytest.mark.parametrize("k", [None, 1, 5, 50])
def test_judged_lists_of_any_length(gain: Any, k: int | None) -> None:
    grades, scores = RNG.integers(0, 4, (300, 8)), RNG.random((300, 8))
    judged = [[*row, *RNG.integers(0, 6, int(RNG.integers(0, 40) ** 2 / 4)).tolist()] for row in grades.tolist()]
    expected = one_by_one(grades.tolist(), scores, k, judged, gain=gain)
    same(nd.ndcg_scores(grades, scores, k, judged=judged, gain=gain), expected)
    same(nd.ndcg_scores(grades, scores, k, judged=judged, gain=gain, ideal="returned"),
         one_by_one(grades.tolist(), scores, k, gain=gain))  # fmt: skip
    padded = np.zeros((300, max(map(len, judged))))
    for row, pool in zip(padded, judged, strict=True):
        row[: len(pool)] = pool
    same(nd.ndcg_scores(grades, scores, k, judged=padded, gain=gain), expected)


def test_a_judged_list_that_lacks_what_was_returned_is_refused_by_row() -> None:
    grades, scores = [[1, 0], [3, 2], [1, 1]], [[2, 1]] * 3
    with pytest.raises(ValueError, match=r"^row 1: the returned list is better than its ideal: number 2 of its gains"):
        nd.ndcg_scores(grades, scores, judged=[[1, 0], [3, 0], [1, 1]])
    with pytest.raises(ValueError, match=r"^row 0: the returned list is better than its ideal"):
        nd.ndcg_scores([[1, 1], [3, 3]], [[2, 1]] * 2, judged=[[1], [3, 3]])  # what the next query has is not its own
    with pytest.raises(ValueError, match=r"^row 2: the returned list is better than its ideal"):
        nd.ndcg_scores(grades, scores, judged=[[1, 0], [3, 2], [1]])
    with pytest.raises(ValueError, match=r"^the returned list is better than its ideal"):
        nd.ndcg_scores([1, 1], [2, 1], judged=[1])
    with pytest.raises(ValueError, match=r"^row 0: grades holds a negative grade that judged lacks"):
        nd.ndcg_scores([[-1, 2]], [[2, 1]], judged=[[2, 0]], allow_negative=True)


# --- rows of different length


def ragged(rng: np.random.Generator, rows: int) -> tuple[list[list[int]], list[list[float]]]:
    lengths = rng.integers(0, 30, rows)
    return ([rng.integers(0, 4, n).tolist() for n in lengths], [rng.integers(0, 20, n).tolist() for n in lengths])


@pytest.mark.parametrize("k", [None, 4, 100])
@pytest.mark.parametrize("with_judged", [False, True])
def test_offsets_give_what_each_row_gives(k: int | None, with_judged: bool) -> None:
    rng = np.random.default_rng(11)
    grades, scores = ragged(rng, 400)
    judged = [[*row, 2, 1] for row in grades] if with_judged else None
    expected = one_by_one(grades, scores, k, judged, empty=0.5)
    choices: dict[str, Any] = {"ties": "order", "judged": judged, "empty": 0.5}
    offsets = np.cumsum([0, *map(len, grades)])
    flat, flat_scores = [g for row in grades for g in row], [s for row in scores for s in row]
    same(nd.ndcg_scores(flat, flat_scores, k, offsets=offsets, **choices), expected)
    ids = [f"d{i}" for row in grades for i in range(len(row), 0, -1)]
    by_id = nd.ndcg_scores(flat, flat_scores, k, offsets=offsets, ids=ids, **choices | {"ties": "id-descending"})
    assert with_judged or k == 4 or not np.array_equal(by_id, expected)


def test_very_long_and_very_short_queries_side_by_side() -> None:
    rng = np.random.default_rng(2)
    lengths = [1, 50_000, 2, 0, 17_000, 2]
    offsets = np.cumsum([0, *lengths])
    grades, scores = rng.integers(0, 3, offsets[-1]), rng.random(offsets[-1])
    parts = zip(np.split(grades, offsets[1:-1]), np.split(scores, offsets[1:-1]), strict=True)
    expected = [nd.ndcg(g[np.argsort(-s)], 100) for g, s in parts]
    same(nd.ndcg_scores(grades, scores, 100, offsets=offsets), expected)
    judged = [[3] * 40_000, grades[1 : 1 + 50_000], [2, 2, 2], [], grades[50_003:67_003], [3, 3]]
    values = nd.ndcg_scores(grades, scores, 100, offsets=offsets, judged=judged)
    same(values[[1, 4]], np.array(expected)[[1, 4]])
    assert values[0] < 0.1


# --- what is refused


def message_of(*args: Any, **keywords: Any) -> str:
    with pytest.raises(ValueError) as caught:
        nd.ndcg_scores(*args, **keywords)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_score_that_is_nan_is_refused_with_its_place() -> None:
    scores = np.ones((300, 100))
    scores[217, 31] = math.nan
    grades = np.ones((300, 100))
    assert message_of(grades, scores).startswith("scores[217, 31] is nan. A document without a score has no rank")
    assert message_of([1, 0, 2], [1, math.nan, 2]).startswith("scores[1] is nan")
    assert message_of([1, 0, 2], [1, 2, None]).startswith(
        "scores[2] is None, not a number: give every document a score"
    )
    offsets = np.arange(0, 30_001, 100)
    assert message_of(grades.ravel(), scores.ravel(), offsets=offsets).startswith("scores[21731] is nan")


@pytest.mark.parametrize(
    ("value", "words"), [(math.nan, "leave the document out"), (-1, "allow_negative=True"), (math.inf, "finite")]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_wrong_grade_is_refused_with_its_place(value: float, words: str, dtype: Any) -> None:
    grades = np.ones((300, 100), dtype=dtype)
    grades[217, 31] = value
    message = message_of(grades, np.ones((300, 100)))
    assert message.startswith(f"grades[217, 31] is {value:g}")
    assert words in message
    assert message_of(grades[217], np.ones(100)).startswith("grades[31] is")


def test_negative_grades_where_they_are_allowed() -> None:
    grades, scores = RNG.integers(-2, 5, (40, 12)), RNG.random((40, 12))
    for gain in ("linear", "exponential"):
        expected = one_by_one(grades.tolist(), scores, 5, gain=gain, allow_negative=True)
        same(nd.ndcg_scores(grades, scores, 5, gain=gain, allow_negative=True), expected)


def test_negative_judged_grades_are_not_mixed_with_the_end_of_a_shorter_list() -> None:
    judged = [[-1, 2], [-1, 2, 1, 0]]
    values = nd.ndcg_scores([[2, -1]] * 2, [[2, 1]] * 2, judged=judged, allow_negative=True)
    same(values, [nd.ndcg([2, -1], judged=pool, allow_negative=True) for pool in judged])


TWO = {"grades": [[1, 0], [0, 1]], "scores": [[2, 1], [2, 1]]}
ONE = {"grades": [1, 0, 0, 1], "scores": [2, 1, 2, 1]}
REFUSED: list[tuple[dict[str, Any], str]] = [
    (TWO | {"judged": [[1, 0]]}, "judged has 1 rows but there are 2 queries"),
    (TWO | {"judged": [1, 0, 2]}, "judged has 3 rows but there are 2 queries"),
    (TWO | {"judged": {"q1": [1, 0], "q2": [1, 0]}}, "judged is of type dict: give a list of judged grades for each"),
    (TWO | {"judged": 3}, "judged is of type int"),
    (TWO | {"judged": [1, 0]}, "row 0: judged is of type int"),
    (TWO | {"judged": [[1, 0], [2, math.nan]]}, "row 1: judged[1] is nan"),
    (TWO | {"judged": [[1, 0], [[2]]]}, "row 1: judged has shape (1, 1)"),
    (TWO | {"judged": np.array([[1, 0], [2, -1]])}, "judged[1, 1] is -1"),
    (TWO | {"offsets": [0, 2, 4]}, "offsets part one flat list"),
    (TWO | {"ids": [["a", "b"]]}, "ids has shape (1, 2) but grades has (2, 2)"),
    (TWO | {"ids": [["a", "b"], ["c"]]}, "ids has rows of different length"),
    (TWO | {"ids": np.array([["a", 1], ["c", "d"]], dtype=object)}, "texts only, or numbers only"),
    *[
        (ONE | {"offsets": wrong}, "offsets ")
        for wrong in ([0, 3, 2, 4], [1, 4], [0, 3], [0.0, 4.0], [], [[0, 4]], 4, [0, -1, 4])
    ],
    *[(ONE | {"ties": wrong}, "It can be 'average', 'order'") for wrong in ("mean", None, 3, ["average"])],
    (TWO | {"grades": [[1, 0, 2]]}, "grades has shape (1, 3) but scores has (2, 2): give each document one grade and"),
    (TWO | {"grades": [1, 0]}, "grades has shape (2,) but scores has (2, 2)"),
    (TWO | {"grades": [[1, 0], [1]]}, "one after another, with offsets="),
    (TWO | {"grades": np.ones((1, 2, 2))}, "3 dimensions"),
    (ONE | {"grades": np.ma.array([1, 2], mask=[0, 1])}, "masked array"),
    (ONE | {"scores": np.ma.array([1, 2], mask=[0, 1])}, "masked array"),
]


@pytest.mark.parametrize(("given", "expected"), REFUSED)
def test_what_does_not_fit_together_is_refused(given: dict[str, Any], expected: str) -> None:
    assert expected in message_of(**given)


@pytest.mark.parametrize(
    "keywords", [{"gain": "exp"}, {"discount": "log"}, {"ideal": "all"}, {"empty": "zero"}, {"k": 0}, {"base": 1}]
)
def test_choices_are_checked_even_without_a_query(keywords: Any) -> None:
    (name,) = keywords
    assert message_of([[1, 0]], [[1, 2]], **keywords).startswith(f"{name} is")
    if name != "base":
        assert message_of(np.empty((0, 2)), np.empty((0, 2)), **keywords).startswith(f"{name} is")


def test_a_grade_without_a_gain_is_named_with_its_row() -> None:
    message = message_of([[1, 0], [0, 2]], [[1, 2], [1, 2]], gain={0: 0, 1: 1})
    assert message.startswith("row 1: the gain mapping has no grade 2 (number 2 of its list)")
    assert message_of([[0.5, 0]], [[1, 2]], gain={0: 0}).startswith("row 0: the gain mapping has no grade 0.5")
    assert message_of([[0, 1]], [[1, 2]], gain=lambda g: -g).startswith("row 0: the gain of grade 1")


def test_the_row_without_a_relevant_document_is_named() -> None:
    assert "of row 1 has a gain" in message_of([[1, 0], [0, 0], [2, 1]], [[1, 2]] * 3, empty="raise")


# --- conventions


def test_a_convention_fills_in_what_is_not_given() -> None:
    grades, scores = [[3, 0, 1], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]]
    lightgbm = nd.ndcg_scores(grades, scores, convention="lightgbm")
    assert lightgbm.tolist() == [nd.ndcg([3, 0, 1], gain="exponential"), 1.0]
    assert nd.ndcg_scores(grades, scores, convention="lightgbm", empty=0.0)[1] == 0.0
    catboost = nd.ndcg_scores(grades, scores, convention="catboost")
    assert catboost[0] == nd.ndcg([0, 1, 3])
    assert nd.ndcg_scores(grades, scores, 1, convention=nd.Convention(k=3))[0] == pytest.approx(4 / 9)


# --- memory


@pytest.mark.parametrize("ties", ["average", "order"])
@pytest.mark.parametrize("levels", [10**9, 5])
def test_little_memory_beyond_the_input(ties: str, levels: int) -> None:
    grades, scores = RNG.integers(0, 5, (20_000, 100)), RNG.integers(0, levels, (20_000, 100)) / levels
    tracemalloc.start()
    nd.ndcg_scores(grades, scores, ties=ties)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20, f"{peak / 2**20:.1f} MiB for 32 MiB of input"


def test_one_query_with_very_many_judged_documents_does_not_widen_all_others() -> None:
    judged = [[1, 0]] * 500 + [[1] * 50_000]
    tracemalloc.start()
    values = nd.ndcg_scores([[1, 0]] * 501, [[2, 1]] * 501, judged=judged)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (values[:500] == 1).all()
    assert values[500] < 0.001
    assert peak < 16 * 2**20, f"{peak / 2**20:.1f} MiB"


# --- the mean over queries


def test_the_mean_leaves_out_what_was_skipped_and_only_that() -> None:
    rows = [[1, 0], [0, 0]], [[2, 1]] * 2
    assert nd.mean(nd.ndcg_scores(*rows)) == 0.5
    values = nd.ndcg_scores(*rows, empty="skip")
    assert nd.mean(values, empty="skip") == nd.mean(values, convention=nd.Convention(empty="skip")) == 1.0
    assert math.isnan(nd.mean(values))
    assert math.isnan(nd.mean(values, empty="raise", convention=nd.Convention(empty="skip")))


@pytest.mark.parametrize(
    ("values", "empty", "words"),
    [
        ([], "skip", "no query has a value"),
        ([math.nan, math.nan], "skip", "no query has a value"),
        ([[1, 0]], None, "shape"),
        (["a"], None, "not a number: give every query a value"),
        ([1, math.inf], None, r"values\[1\] is infinite"),
        (0.5, None, "is of type float: pass a list with a value per query"),
        ([1], "zero", "empty is 'zero'"),
    ],
)
def test_the_mean_of_what_is_no_list_of_numbers(values: Any, empty: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        nd.mean(values, empty=empty)
