"""Wrong input gets a ValueError that says what, where and what to do; no other exception, and never a number."""

import math
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import draws

import ndcg_lib as nd
from ndcg_lib.definition import TABLE

SUMS = [nd.cg, nd.dcg, nd.idcg, nd.ndcg]
on_every_sum = pytest.mark.parametrize("function", SUMS, ids=lambda function: function.__name__)


def message_of(function: Callable[..., Any], *args: Any, **keywords: Any) -> str:
    with pytest.raises(ValueError) as caught:
        function(*args, **keywords)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


# --- grades


@on_every_sum
@pytest.mark.parametrize(
    ("grades", "place", "remedy"),
    [
        ([3, math.nan, 1], "[1] is nan", "leave the document out, or give it a grade"),
        ([3, 2, math.inf], "[2] is inf", "finite"),
        ([3, -math.inf], "[1] is -inf", "finite"),
        ([3, 0, -0.5], "[2] is -0.5", "allow_negative=True"),
        ([3, None], "[1] is None, not a number", "give every document a grade"),
        ([3, "2", 1], "[1] is '2', not a number", "give every document a grade"),
        ([3, b"2"], "[1] is b'2', not a number", "give every document a grade"),
        ([3, 1j], "[1] is 1j, not a number", "give every document a grade"),
        ([3, [2]], "rows of", "differ in length"),
        ([Decimal("NaN")], "[0] is nan", "leave the document out"),
        ([1, Decimal("sNaN")], "[1] is Decimal('sNaN')", "not a number"),
        ([1, 10**400], "[1] is too large for a float", "divide the grades by their maximum"),
        ([1, Fraction(10**400)], "[1] is too large for a float", "divide the grades by their maximum"),
        (np.array([1, np.nan], dtype=np.float32), "[1] is nan", "leave the document out"),
        (np.array([1, 2], dtype=complex), "[0] is (1+0j), not a number", "give every document a grade"),
        (np.array(["1", "2"]), "[0] is '1', not a number", "give every document a grade"),
        (np.array([1, 2], dtype="datetime64[D]"), "[0] is ", "not a number"),
        (np.array([1, 2], dtype="timedelta64[ns]"), "[0] is ", "not a number"),
        ([[1, 2], [0, -3]], "[1, 1] is -3", "allow_negative=True"),
        ([[1, 2], [math.nan, 0]], "[1, 0] is nan", "leave the document out"),
        ([[1, 2], [0, "x"]], "[1, 1] is 'x'", "not a number"),
        ([[1, 2, 3], [1, 2]], "rows of", "differ in length"),
        ([[[1]]], "has 3 dimensions", "a table with a ranking per row"),
    ],
)
def test_a_wrong_grade_is_named_with_its_place_and_the_remedy(
    function: Callable[..., Any], grades: Any, place: str, remedy: str
) -> None:
    message = message_of(function, grades)
    name = "judged" if function is nd.idcg else "grades"
    assert (f"{name}{place}" if place.startswith("[") else place) in message
    assert remedy in message
    assert name in message


@on_every_sum
@pytest.mark.parametrize(
    "grades", [None, 3, 2.5, "321", b"321", {3, 2}, iter([3, 2]), (g for g in [3, 2]), object(), len]
)
def test_what_is_no_list_is_named_by_its_type(function: Callable[..., Any], grades: Any) -> None:
    message = message_of(function, grades)
    assert f"is of type {type(grades).__name__}" in message
    assert "pass a list" in message


def test_a_mapping_has_no_order_so_it_is_no_ranking() -> None:
    assert "is of type dict: pass a list" in message_of(nd.ndcg, {"d1": 3})
    assert nd.idcg({"d1": 3}) == 3


def test_masked_grades_are_not_read_through_the_mask() -> None:
    masked = np.ma.array([3, 9, 1], mask=[False, True, False])
    assert "masked array: pass grades.compressed()" in message_of(nd.ndcg, masked)
    assert "masked array: pass judged.compressed()" in message_of(nd.ndcg, [1], judged=masked)
    assert nd.ndcg(masked.compressed()) == nd.ndcg([3, 1])


def test_allow_negative_allows_nothing_else() -> None:
    for grades in ([math.nan], [1, -math.inf], [math.inf], ["a"]):
        message_of(nd.ndcg, grades, allow_negative=True)


def test_an_error_of_judged_names_judged() -> None:
    assert "judged[2] is nan" in message_of(nd.ndcg, [1], judged=[1, 2, math.nan])
    assert "judged[1] is -1" in message_of(nd.ndcg, [1], judged={"a": 1, "b": -1})
    assert "judged is of type set" in message_of(nd.ndcg, [1], judged={1, 2})
    assert "judged is of type NoneType" in message_of(nd.idcg, None)


# --- judged against returned


@pytest.mark.parametrize(
    ("grades", "judged", "where"),
    [
        ([3, 3], [3], "number 2 of its gains, best first, is 3; of the judged it is 0"),
        ([3, 3], [3, 2], "number 2 of its gains, best first, is 3; of the judged it is 2"),
        ([0, 2], [1, 1, 1], "number 1 of its gains, best first, is 2; of the judged it is 1"),
        ([1], [], "number 1 of its gains, best first, is 1; of the judged it is 0"),
        ([0.6000000238], [0.6], "is 0.6000000238; of the judged it is 0.6"),
    ],
)
def test_a_document_returned_twice_or_missing_in_judged_is_refused(grades: Any, judged: Any, where: str) -> None:
    message = message_of(nd.ndcg, grades, judged=judged)
    assert where in message
    assert "judged must hold every judged document once" in message
    assert "no document may be returned twice" in message


def test_the_row_of_a_document_returned_twice_is_named() -> None:
    assert "returned list of row 1 is better" in message_of(nd.ndcg, [[1, 0], [2, 2]], judged=[[1, 1], [2, 1]])


def test_a_returned_negative_grade_must_be_judged_too() -> None:
    message = message_of(nd.ndcg, [1, -1], judged=[1], allow_negative=True)
    assert "judged must hold every judged document" in message
    assert nd.ndcg([2, -1], judged=[2, -1], allow_negative=True) == 1


@pytest.mark.parametrize(("grades", "judged"), [([1], [[1]]), ([[1]], [1]), ([[1], [1]], [[1]]), ([[1]], [[1], [1]])])
def test_judged_needs_a_row_for_each_ranking(grades: Any, judged: Any) -> None:
    assert "give one row of judged grades for each ranking" in message_of(nd.ndcg, grades, judged=judged)


# --- k and base


@on_every_sum
@pytest.mark.parametrize("k", [0, -1, np.int64(0), -(10**30)])
def test_k_must_be_at_least_1(function: Callable[..., Any], k: Any) -> None:
    assert re.match(rf"k is {k}, but .* pass k >= 1, or None", message_of(function, [1, 2], k))


@on_every_sum
@pytest.mark.parametrize("k", [True, np.True_, 2.5, "3", math.nan, math.inf, [3], np.array([3]), object(), Fraction(3)])
def test_k_must_be_a_whole_number(function: Callable[..., Any], k: Any) -> None:
    assert "not a whole number: pass how many ranks count, or None for all" in message_of(function, [1, 2], k)


def test_k_with_a_decimal_point_gets_its_own_remedy() -> None:
    assert message_of(nd.ndcg, [1, 2], 2.0) == "k is 2.0: pass it without the decimal point, 2"


@pytest.mark.parametrize("discount", ["modern", "original"])
@pytest.mark.parametrize(
    "base", [1, 0, -2, 0.5, math.nan, math.inf, True, None, "2", 2j, [], np.array([2, 3]), 10**400]
)
def test_the_base_must_be_a_number_above_1(base: Any, discount: str) -> None:
    for function in (nd.dcg, nd.idcg, nd.ndcg):
        message = message_of(function, [1, 2], discount=discount, base=base)
        assert message.startswith("base is ")
        assert "must be a number above 1" in message


@pytest.mark.parametrize("base", [3, 3.0, np.float32(3), np.int64(3), Fraction(3), Decimal(3)])
def test_a_base_of_any_number_type_is_the_same_base(base: Any) -> None:
    assert nd.dcg([1, 2, 3], base=base) == nd.dcg([1, 2, 3], base=3)


@pytest.mark.parametrize("n", [-1, 2.5, "3", None, True])
def test_discounts_need_a_number_of_ranks(n: Any) -> None:
    assert message_of(nd.discounts, n).startswith("n is ")
    assert nd.discounts(0).size == 0


# --- gain


@pytest.mark.parametrize(
    ("given", "meant"),
    [("exp", "exponential"), ("Exponential", "exponential"), ("2^rel-1", "exponential"), ("lin", "linear"),
     ("liner", "linear"), ("bin", "binary"), ("identity", "linear")],
)  # fmt: skip
def test_a_gain_by_a_wrong_name_is_answered_with_the_right_one(given: str, meant: str) -> None:
    message = message_of(nd.ndcg, [1, 2], gain=given)
    assert f"gain is {given!r}. Did you mean {meant!r}?" in message
    assert f"{', '.join(map(repr, TABLE['gain'].names))}, a mapping from grade to gain, or a function" in message


@pytest.mark.parametrize(
    ("given", "meant"),
    [("log", "modern"), ("log2", "modern"), ("mordern", "modern"), ("jarvelin", "original"), ("1/i", "reciprocal"),
     ("recip", "reciprocal"), (None, "none"), ("None", "none"), ("zipf", "reciprocal")],
)  # fmt: skip
def test_a_discount_by_a_wrong_name_is_answered_with_the_right_one(given: Any, meant: str) -> None:
    message = message_of(nd.ndcg, [1, 2], discount=given)
    assert f"discount is {given!r}. Did you mean {meant!r}?" in message
    assert f"{', '.join(map(repr, TABLE['discount'].names))}, or a function of the rank" in message


@pytest.mark.parametrize(
    ("choice", "given"), [("gain", "xyzzy"), ("discount", ""), ("gain", 3), ("discount", [1.0, 0.6])]
)
def test_a_name_like_no_other_gets_the_list_of_names_and_no_guess(choice: str, given: Any) -> None:
    message = message_of(nd.ndcg, [1, 2], **{choice: given})
    assert f"{choice} is {given!r}. It can be " in message


@pytest.mark.parametrize("given", ["all", "corpus", "list", None, 1, ["judged"]])
def test_ideal_is_one_of_two_names(given: Any) -> None:
    assert "It can be 'judged', 'returned'" in message_of(nd.ndcg, [1, 2], ideal=given)


def test_a_gain_mapping_without_the_grade_names_grade_place_and_remedy() -> None:
    message = message_of(nd.ndcg, [0, 1, 7], gain={0: 0, 1: 1})
    assert message == "the gain mapping has no grade 7 (number 3 of its list), it knows 0, 1: add this grade to it"
    assert "number 1 of row 1" in message_of(nd.ndcg, [[0, 1], [7, 0]], gain={0: 0, 1: 1})
    assert "no grade 7 (number 2" in message_of(nd.ndcg, [0], judged=[0, 7], gain={0: 0, 1: 1})
    assert "it knows '0', '1'" in message_of(nd.ndcg, [0], gain={"0": 0, "1": 1})


@pytest.mark.parametrize(
    ("result", "words"),
    [(None, "is None: it must be a finite number (is a return missing?)"), (math.nan, "is nan: it must be"),
     (math.inf, "is inf: it must be"), ("7", "is '7': it must be"), (1j, "is 1j: it must be"),
     ([1], "is [1]: it must be"), (10**400, "it must be a finite number"),
     (-2, "is -2. A negative gain breaks the bounds 0 and 1")],
)  # fmt: skip
def test_a_gain_that_is_no_gain_is_named_with_its_grade(result: Any, words: str) -> None:
    gains: list[Any] = [lambda grade: grade if grade < 3 else result, {0: 0, 3: result}]
    for gain in gains[: 1 if result is None else 2]:
        for function in SUMS:
            message = message_of(function, [0, 3], gain=gain)
            assert "the gain of grade 3 (number 2 of its list)" in message
            assert words in message


def test_an_error_inside_a_gain_or_discount_function_is_placed_and_kept_as_the_cause() -> None:
    with pytest.raises(ValueError, match=r"gain of grade 0 \(number 2.*raises ZeroDivisionError") as caught:
        nd.ndcg([1, 0], gain=lambda grade: 1 / grade)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(ValueError, match=r"discount at rank 1 cannot be computed.*ZeroDivisionError"):
        nd.dcg([1, 0], discount=lambda i: 1 / math.log2(i))


# --- discount


@pytest.mark.parametrize(
    ("discount", "words"),
    [
        (lambda i: None, "discount at rank 1 is None: it must be a finite number (is a return missing?)"),
        (lambda i: math.nan, "discount at rank 1 is nan"),
        (lambda i: "1", "discount at rank 1 is '1'"),
        (lambda i: 2 - i, "discount at rank 3 is -1: it must be above 0 at rank 1, then at least 0"),
        (lambda i: 0, "discount at rank 1 is 0: it must be above 0"),
        (lambda i: 1.01 ** (i - 1), "discount grows from 1 at rank 1 to 1.01 at rank 2"),
        (lambda i: i, "discount grows from 1 at rank 1 to 2 at rank 2"),
        (lambda i: 1 if i == 1 else 1 / math.log10(i), "discount grows from 1 at rank 1 to 3.32192"),
    ],
)
def test_what_is_no_discount_is_named_with_its_rank(discount: Callable[[int], Any], words: str) -> None:
    for function in (nd.dcg, nd.idcg, nd.ndcg):
        assert words in message_of(function, [1, 2, 3], discount=discount)


def test_a_discount_may_stop_at_0() -> None:
    assert nd.dcg([1, 2, 3], discount=lambda i: i <= 2) == 3


# --- empty and convention


@pytest.mark.parametrize("empty", ["zero", "Skip", "nan", None, True, math.inf, -math.inf, [], 1j, 10**400])
@pytest.mark.parametrize("grades", [[0, 0], [1, 0], [[0, 0], [1, 0]]])
def test_a_wrong_empty_is_refused_even_when_no_query_is_empty(grades: Any, empty: Any) -> None:
    message = message_of(nd.ndcg, grades, empty=empty)
    assert message.startswith("empty is ")
    assert "'skip', 'raise', or the number that stands for such a query" in message


@pytest.mark.parametrize(
    ("given", "meant"), [("scikit-learn", "sklearn"), ("trec", "trec_eval"), ("lightgmb", "lightgbm")]
)
def test_a_convention_by_a_wrong_name_is_answered_with_the_right_one(given: str, meant: str) -> None:
    message = message_of(nd.ndcg, [1], convention=given)
    assert f"there is no convention {given!r}. Did you mean {meant!r}? " in message


@pytest.mark.parametrize("given", ["", 3, [], {}, object(), np.array([1, 2])])
def test_what_is_no_convention_is_refused(given: Any) -> None:
    for function in SUMS:
        assert "there is no convention" in message_of(function, [1], convention=given)


# --- whatever comes


class Hostile:
    """Raises whatever is asked of it."""

    def _no(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no")

    __float__ = __index__ = __array__ = __len__ = __iter__ = __getitem__ = __repr__ = __call__ = _no


SCALARS = st.one_of(
    st.integers(-3, 12),
    st.integers(),
    st.floats(),
    st.fractions(),
    st.decimals(),
    st.complex_numbers(),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.dates(),
    st.timedeltas(),
    st.builds(Hostile),
    st.sampled_from([np.float32(2), np.int8(3), np.bool_(True), np.complex64(1j), np.str_("a"), np.void(b"abc"),
                     np.datetime64("2020-01-01"), np.timedelta64(3, "D"), np.array(3), np.array([3]), np.ma.masked,
                     10**400, -(10**400), 5e-324, 1e308, -0.0, ..., NotImplemented, int, len, lambda: None]),
)  # fmt: skip
GOOD = st.lists(st.integers(0, 4) | st.floats(0, 5), max_size=6)
LISTS = st.one_of(
    GOOD,
    st.lists(SCALARS, max_size=5),
    st.lists(st.lists(SCALARS, max_size=3), max_size=3),
    st.lists(GOOD | SCALARS, max_size=3),
    st.dictionaries(st.text(max_size=2) | st.integers(), SCALARS, max_size=3),
    st.sets(st.integers(), max_size=3),
    SCALARS,
    st.sampled_from(["object", "U3", "c16", "M8[D]", "m8[s]", "f2", "f8", "g", "?", "i1"]).map(
        lambda d: np.ones(3, dtype=d)
    ),
    st.sampled_from([(0,), (1, 0), (0, 3), (2, 3), (1, 1, 1), (2, 0, 3)]).map(np.zeros),
)
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "k": st.none() | st.integers(-2, 9) | SCALARS,
    "judged": st.none() | LISTS,
    "gain": st.sampled_from(["linear", "exponential", "binary", "exp"]) | SCALARS | LISTS
    | st.functions(like=lambda grade: None, returns=SCALARS),
    "discount": st.sampled_from(["modern", "original", "reciprocal", "none", "log"]) | SCALARS
    | st.functions(like=lambda rank: None, returns=SCALARS),
    "base": st.sampled_from([2, 10]) | SCALARS,
    "ideal": st.sampled_from(["judged", "returned", "all"]) | SCALARS,
    "empty": st.sampled_from([0.0, 1.0, "skip", "raise"]) | SCALARS,
    "allow_negative": st.booleans(),
    "convention": st.sampled_from([None, "sklearn", "xgboost", "nobody"]) | SCALARS,
}  # fmt: skip
ACCEPTED = {
    nd.cg: {"k", "gain", "allow_negative", "convention"},
    nd.dcg: {"k", "gain", "discount", "base", "allow_negative", "convention"},
    nd.idcg: {"k", "gain", "discount", "base", "allow_negative", "convention"},
    nd.ndcg: set(CHOICES),
}


@draws(400)
@given(data=st.data(), grades=LISTS)
def test_anything_gives_a_finite_number_or_a_value_error(data: st.DataObject, grades: Any) -> None:
    function = data.draw(st.sampled_from(SUMS))
    some = data.draw(st.sets(st.sampled_from(sorted(ACCEPTED[function])), max_size=4))
    keywords = {name: data.draw(CHOICES[name], label=name) for name in sorted(some)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Warning: converting a masked element to nan")
        try:
            value = function(grades, **keywords)
        except ValueError as error:
            assert "\n" not in str(error)
            assert "ambiguous" not in str(error)
            return
    assert type(value) is float or (isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1)
    if keywords.get("empty", 0.0) == 0.0:
        assert np.isfinite(value).all()


@draws(200)
@given(data=st.data())
def test_a_convention_of_anything_is_a_convention_or_a_value_error(data: st.DataObject) -> None:
    names = ["gain", "discount", "base", "ideal", "k", "ties", "empty", "missing", "averaging"]
    some = data.draw(st.sets(st.sampled_from(names), max_size=3))
    chosen = {name: data.draw(CHOICES.get(name, SCALARS), label=name) for name in sorted(some)}
    try:
        convention = nd.Convention(**chosen)
    except ValueError:
        return
    assert "\n" not in convention.card()


def test_an_unknown_preset_is_a_key_error_that_names_the_nearest():
    with pytest.raises(KeyError) as caught:
        nd.CONVENTIONS["trec-eval"]
    assert str(caught.value).startswith("there is no convention 'trec-eval'. Did you mean 'trec_eval'?")
    assert nd.CONVENTIONS.get("trec-eval") is None


def test_a_card_shows_a_gain_that_cannot_be_shown_by_its_type():
    assert "gain of type dict" in nd.Convention(gain={1: Hostile()}).card()
