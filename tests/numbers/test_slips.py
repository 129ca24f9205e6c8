"""The table of slips: each differs from the right value and from every other slip, and leads to its place."""

import math
import re
from dataclasses import fields
from functools import cache
from itertools import combinations, groupby
from pathlib import Path

import numpy as np
import pytest

import ndcg_lib as nd
from ndcg_lib.slips import SLIPS, Slip, slip_families, slip_named, value

ALL = list(SLIPS.values())
NAMES = list(SLIPS)
BOOK = Path(__file__).parents[2] / "book"

ROWS = [[0, 2, 1, 3, 0, 1, 0, 2, 0, 1, 3, 0], [3, 2, 2, 1], [0, 0, 0], []]
POOLS = [[0, 3, 2, 1, 3, 0, 1, 0, 2, 0, 1, 3, 0, 2], [1, 2, 2, 3, 2], [0, 0, 0], [1, 0]]
PROBES = [
    {"grades": [2, 0, 3, 1, 2, 3], "k": 3, "judged": [1, 3, 2, 0, 2, 3, 3, 1]},
    {"grades": [2, 0, 3, 1, 2, 3], "k": 3, "judged": [1, 3, 2, 0, 2, 3, 3, 1], "gain": "exponential"},
    {"grades": [2, 0, 3, 1, 2, 3], "judged": [1, 3, 2, 0, 2, 3, 3, 1], "discount": "original", "base": 10},
    {"grades": [2, 0, 3, 1, 2, 3], "discount": "original"},
    {"grades": [1, 0, 3, 2], "scores": [0.5, 0.9, 0.5, 0.5], "k": 2},
    {"grades": [1, 0, 3, 2], "scores": [0.5, 0.9, 0.5, 0.5], "k": 2, "ties": "order"},
    {"grades": [0, 2, 1, 3, 0, 1, 0, 2, 0, 1, 3, 0, 2], "judged": [0, 2, 1, 3, 0, 1, 0, 2, 0, 1, 3, 0, 2, 3]},
    {"grades": [1, 0, 3, 2], "scores": [0.5, 0.9, 0.5, 0.5]},
    {"grades": [1, 0, 3, 2], "scores": [0.5, 0.9, 0.5, 0.5], "ties": "order"},
    {"grades": [2, None, 1.6, -1, 0.4], "ids": ["a", "b", "c", "a", "d"], "judged": [2, 1.6, -1, 0.4, 3]},
    {"grades": [2, 2, 1], "ids": ["a", "a", "b"], "judged": [2, 1, 1], "negative": "clipped"},
    {"grades": [2, None, -1, 3], "unjudged": "removed", "negative": "clipped", "k": 3},
    {"grades": [2, None, 1, 3], "k": 2},
    {"grades": [3, 1], "judged": [3, 2, 1, 1, 2], "k": 4},
    {"grades": [1, 0.62345]},
    {"grades": [0, 0], "empty": 1.0},
    {"grades": [0, 0]},
    {"grades": ROWS, "judged": POOLS, "k": 4, "quantity": "mean"},
    {"grades": ROWS, "judged": POOLS, "k": 4, "quantity": "mean", "missing": "skip"},
    {"grades": [[1, 2], [3, 1]], "judged": [[2, 1], []], "quantity": "mean"},
]


QUANTITIES = ("cg", "dcg", "idcg", "ndcg")


def calls(probes):
    """Every probe for its own quantity, or for all of them."""
    for probe in probes:
        for quantity in [probe["quantity"]] if "quantity" in probe else QUANTITIES:
            yield probe | {"quantity": quantity}


def values(function, probes):
    with np.errstate(all="ignore"):
        return [np.atleast_1d(function(**call)) for call in calls(probes)]


@cache
def on_probes(name):
    """What a slip gives; the right values, without a name."""
    return values(SLIPS[name] if name else value, PROBES)


IN_THE_HEART = [  # the heart takes no ties, no unjudged document, no negative grade, and gives no mean
    slip for slip in ALL
    if slip.quantity != "mean" and not {"ids", "scores", "unjudged", "negative"} & set(slip.example)
    and None not in slip.example["grades"] and min(slip.example["grades"]) >= 0
]  # fmt: skip


@pytest.mark.parametrize("slip", ALL, ids=NAMES)
def test_on_its_example_a_slip_differs_from_the_right_value(slip):
    right, wrong = slip.on_example()
    assert math.isfinite(right)
    assert math.isnan(wrong) or abs(right - wrong) > 1e-5, (right, wrong)


@pytest.mark.parametrize("slip", IN_THE_HEART, ids=[slip.name for slip in IN_THE_HEART])
def test_the_right_value_of_the_example_is_the_library_s(slip):
    example = dict(slip.example)
    quantity = slip.quantity
    grades, k = example.pop("grades"), example.pop("k", None)
    empty = {"empty": example.pop("empty")} if "empty" in example else {}
    if quantity == "idcg":
        expected = nd.idcg(example.pop("judged", grades), k, **example)
    elif quantity == "ndcg":
        expected = nd.ndcg(grades, k, **empty, **example)
    else:
        example.pop("judged", None)
        expected = getattr(nd, quantity)(grades, k, **example)
    assert slip.on_example()[0] == pytest.approx(expected, abs=1e-12)


def test_two_slips_differ_somewhere_or_say_that_they_are_the_same():
    told = {name: np.concatenate(on_probes(name)) for name in NAMES}
    same = {(a, b) for a, b in combinations(NAMES, 2) if np.allclose(told[a], told[b], atol=1e-9, equal_nan=True)}
    declared = {tuple(sorted((slip.name, slip.same_as), key=NAMES.index)) for slip in ALL if slip.same_as}
    assert same <= declared, f"ndcg_lib/slips.py: one of each pair says same_as the other: {same - declared}"
    assert declared <= same, f"ndcg_lib/slips.py: these say same_as, and give other values: {declared - same}"


@pytest.mark.parametrize("slip", ALL, ids=NAMES)
def test_a_slip_names_the_quantities_that_it_changes(slip):
    own = [dict(slip.example), dict(slip.example) | {"quantity": slip.quantity}]
    right = [*on_probes(None), *values(slip.right, own)]
    wrong = [*on_probes(slip.name), *values(slip, own)]
    changed = {
        call["quantity"]
        for call, one, other in zip(calls([*PROBES, *own]), right, wrong, strict=True)
        if not np.allclose(one, other, equal_nan=True, rtol=0, atol=1e-9)
    }
    assert changed <= set(slip.quantities)
    assert slip.quantity in changed
    assert set(slip.quantities) - changed <= {"mean"}


def test_no_two_slips_share_a_belief():
    assert len({slip.belief for slip in ALL}) == len(ALL)


def test_a_misspelt_level_is_refused_with_the_name_of_the_slip():
    parts = {field.name: getattr(SLIPS["reciprocal-of-next"], field.name) for field in fields(Slip) if field.init}
    for changes, says in (
        ({"discount": "reciprocall"}, "slip reciprocal-of-next: discount is 'reciprocall'. Did you mean 'reciprocal'?"),
        ({"discuont": "none"}, "slip reciprocal-of-next: there is no choice 'discuont'"),
        ({"ideal_cut": "nowhere"}, "slip reciprocal-of-next: cut is 'nowhere'"),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            Slip(**parts | {"changes": changes})


@pytest.mark.parametrize("page", sorted({slip.page for slip in ALL}))
def test_the_place_in_the_book_exists(page):
    file, anchor = page.split("#")
    assert f"({anchor})=" in (BOOK / f"{file}.md").read_text("utf8")


def test_the_table_cannot_be_changed_by_accident():
    slip = SLIPS["natural-log"]
    with pytest.raises(AttributeError):
        slip.name = "other"
    with pytest.raises(TypeError):
        slip.example["grades"] = [1]
    with pytest.raises(TypeError):
        SLIPS["natural-log"] = slip


def test_an_unknown_name_gets_the_nearest_ones():
    with pytest.raises(ValueError, match="natural-log"):
        slip_named("natural-logarithm")


def test_a_grade_without_a_gain_is_named_with_its_list_and_place():
    with pytest.raises(ValueError, match=r"no grade 9 \(number 2 of row 1\)"):
        value([[1, 2], [1, 9]], gain={1: 1, 2: 2}, quantity="dcg")


def test_what_slips_do_to_the_first_ranks_is_exact():
    lost, late = 2 / math.log2(3), 3 / math.log2(3) + 2 / 2
    assert SLIPS["first-rank-lost"]([3, 0, 2], quantity="dcg") == pytest.approx(lost)
    assert SLIPS["rank-too-late"]([3, 2], quantity="dcg") == pytest.approx(late)


def test_a_slip_stands_in_the_block_of_its_family():
    blocks = [(family, [slip.name for slip in each]) for family, each in groupby(ALL, key=lambda slip: slip.family)]
    own = {family: max((names for other, names in blocks if other == family), key=len) for family, _ in blocks}
    astray = [f"{name} to {family}" for family, names in blocks if names is not own[family] for name in names]
    assert not astray, f"ndcg_lib/slips.py: move it to the block of its family: {', '.join(astray)}"
    assert [slip for family in slip_families().values() for slip in family] == ALL


def near(expected, digits=6):
    return pytest.approx(expected, abs=0.5 * 10**-digits)


def test_known_wrong_values():
    """By hand, from public disputes and from the notes."""
    assert SLIPS["ideal-from-returned"]([1], k=5, judged=[1] * 5, quantity="ndcg") == 1.0
    assert SLIPS["duplicates-counted"]([1, 1], ids=["A", "A"], judged=[1], quantity="ndcg") == near(1.63093, 5)
    lenskit = {"judged": [3, 5, 4], "discount": "original", "quantity": "ndcg"}
    assert SLIPS["list-not-cut"]([5, 4, 3], 2, **lenskit) == near(1.21031, 5)
    assert SLIPS["ideal-from-top-k"]([4, 2, 5, 3, 5], 3, quantity="ndcg") == near(0.9106, 4)
    assert SLIPS["rank-from-zero"]([0, 1, 0], quantity="ndcg") == 1.0
    assert SLIPS["natural-log"]([1, 1, 0, 1], quantity="dcg") == near(2.974269)
    assert SLIPS["linear-over-exponential"]([3, 2, 3, 0, 1, 2]) == near(0.470088591876796, 12)
    assert SLIPS["exponential-over-linear"]([3, 2, 3, 0, 1, 2]) == near(1.939262)
    assert SLIPS["reciprocal-of-next"]([3, 2, 3, 0, 1, 2], quantity="ndcg") == near(0.944593)
    original = {"discount": "original", "quantity": "ndcg"}
    assert SLIPS["weight-above-one"]([2, 3], base=math.e, **original) == near(1.0752, 4)
    assert SLIPS["natural-log"]([3, 2, 3, 0, 1, 2], **original) == near(0.957890)
    assert SLIPS["logs-rounded"]([3, 2, 3, 0, 1], quantity="idcg") == near(6.33, 2)
    assert SLIPS["ties-best-first"]([10, 0, 0, 1, 5], scores=[1] * 5) == near(13.654649)
    assert value([10, 0, 0, 1, 5], scores=[1] * 5, quantity="dcg") == near(9.435069)


def test_the_mean_of_several_queries_without_a_slip():
    assert value([[1, 0], [0, 0]], quantity="mean") == 0.5
    assert value([[1, 0], [0, 0]], quantity="mean", empty="skip") == 1.0
    assert value([[1, 0], []], judged=[[1, 0], [1]], quantity="mean", missing="skip") == 1.0
