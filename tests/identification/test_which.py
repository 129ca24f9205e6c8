"""Which NDCG is it: the definition behind a number is named, and nothing is named where nothing fits."""

import json
import math
import os
import pickle
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import EXPLORES, draws, some_of

import ndcg_lib as nd
from ndcg_lib.engine import recipe_of
from ndcg_lib.identification.candidates import Candidate, merged, table
from ndcg_lib.identification.rankings import rankings
from ndcg_lib.identification.reported import NO_FIT, Chance, fits, reported
from ndcg_lib.identification.search import COST_OF_FIT
from ndcg_lib.presets import PRESETS, TOOLS
from ndcg_lib.slips import value as value_of

DATA = Path(__file__).parents[1] / "data"
DISPUTES = json.loads((DATA / "disputes.json").read_text("utf8"))
MORE = json.loads((DATA / "more_disputes.json").read_text("utf8"))
CASES = [(dispute, case) for dispute in DISPUTES for case in dispute["cases"]]
FILMS = [4, 2, 5, 3, 5]
WIKIPEDIA = {"grades": [3, 2, 3, 0, 1, 2], "k": 6, "judged": [3, 2, 3, 0, 1, 2, 3, 2]}


def explains(answer, because):
    if "name" in because:
        return answer.name == because["name"]
    choices_agree = all(answer.choices.get(name) == level for name, level in because.get("choices", {}).items())
    if not because.get("slips"):
        return choices_agree and not answer.slips
    return choices_agree and set(because["slips"]) <= set(answer.slips)


# the disputes


@pytest.mark.parametrize(("dispute", "case"), CASES, ids=[f"{d['id']} {c['who']}" for d, c in CASES])
def test_the_cause_of_a_dispute_is_among_the_first_three_answers(dispute, case):
    reported = case["value"]
    answers = nd.which(reported, **case["ask"])
    assert any(explains(answer, case["because"]) for answer in answers[:3]), answers
    values = list(reported.values()) if isinstance(reported, dict) else np.atleast_1d(reported)
    for answer in answers:
        assert ": ." not in answer.sentence and "  " not in answer.sentence and answer.sentence.endswith(".")
        for predicted, value in zip(np.atleast_1d(answer.value), values, strict=True):
            digits = len(str(value).partition(".")[2])
            assert abs(predicted - value) < max(1.001 * 10.0**-digits, 1e-9)


@pytest.mark.sweep
@pytest.mark.parametrize("case", MORE, ids=[f"{case['source'][19:]} {case['who']}" for case in MORE])
def test_the_cause_of_another_public_dispute_is_among_the_first_three_answers(case):
    """Values that are quoted stand in the source; the others are what the code that it quotes gives."""
    answers = nd.which(case["value"], **case["ask"])
    assert any(explains(answer, case["because"]) for answer in answers[:3]), answers


# what an answer says


def test_a_convention_is_named_with_the_libraries_that_use_it():
    answer = nd.which(0.785, **WIKIPEDIA)[0]
    assert answer.kind == "convention"
    assert answer.choices["ideal"] == "judged"
    assert answer.value == pytest.approx(0.785002, abs=5e-7)
    assert answer.difference == pytest.approx(0.000002, abs=5e-7)
    assert {"textbook", "trec_eval", "ranx"} <= set(answer.libraries)
    some, more = answer.libraries[:4], len(answer.libraries) - 4
    assert f" {'; '.join(some)} and {more} more." in answer.sentence
    assert "sklearn" not in answer.libraries, "scikit-learn never sees the two documents that were missed"


def known_options():
    """The levels of the table that a value alone can show, for one ranking without ties."""
    return [tried for tried in table() if tried.choice in ("gain", "discount", "ideal")]


@pytest.mark.parametrize("tried", known_options(), ids=lambda tried: f"{tried.choice} {tried.name}")
def test_every_option_of_the_table_is_known(tried):
    grades, judged = [2, 0, 3, 1, 0, 2], [2, 0, 3, 1, 0, 2, 3, 1]
    value = value_of(grades, 5, judged=judged, changes=tried.changes)
    answer = nd.which(value, grades, 5, judged=judged)[0]
    assert answer.kind == "convention"
    assert answer.choices[tried.choice] == tried.name
    assert tried.words in answer.sentence


L = 1 / math.log2(3)  # what rank 2 counts


@pytest.mark.parametrize(("choice", "level", "value", "ask", "without"), [
    ("fractions", "cut", 2 / (2 + L), {"grades": [1.5, 0.6, 2.0]}, [1, 0, 2]),
    ("negative", "clipped", 2.5 / (2 + L), {"grades": [2, -1, 1]}, [2, 0, 1]),
    ("unjudged", "removed", (1 + 2 * L) / (2 + L), {"qrels": {"a": 1, "b": 2}, "run": ["x", "a", "b"]}, [1, 2]),
    ("strangers", "zero", (1 + 2 * L) / (2 + L) / 2,
     {"qrels": {"q": {"a": 1, "b": 2}}, "run": {"q": ["a", "b"], "r": ["a"]}}, None),
    ("missing", "skip", (1 + 2 * L) / (2 + L),
     {"qrels": {"q": {"a": 1, "b": 2}, "r": {"a": 1}}, "run": {"q": ["a", "b"]}}, None),
    ("score_precision", "single", (1 + L) / 2, {"grades": [0, 1], "scores": [1 + 1e-9, 1]}, [0, 1]),
])  # fmt: skip
def test_a_choice_that_only_some_data_show_is_asked_for_these_alone(choice, level, value, ask, without):
    first = nd.which(f"{value:.6f}", **ask)[0]
    assert first.choices[choice] == level and not first.slips
    if without:
        assert all(choice not in answer.choices for answer in nd.which(f"{nd.ndcg(without):.6f}", without))


def test_a_list_and_an_ideal_of_two_definitions_keep_what_is_said_of_each():
    top, bottom = (
        Candidate(recipe_of(**changes), (), (), 0.0) for changes in ({"ties": "order"}, {"ideal_gain": "exponential"})
    )
    sheet = rankings([0, 3, 1, 2], scores=[0.9, 0.5, 0.5, 0.5]).sheet(None)
    recipe = merged(top, bottom).recipe
    assert sheet("dcg", recipe)[0] == pytest.approx(3 / math.log2(3) + 1 / 2 + 2 / math.log2(5))
    assert sheet("idcg", recipe)[0] == pytest.approx(7 + 3 / math.log2(3) + 1 / 2)


def test_a_gain_that_the_data_cannot_show_is_left_open():
    assert "any gain (the grades are 0 and 1)" in nd.which(0.63093, [0, 1])[0].name
    assert "any gain (the grades are 1)" in nd.which(1.0, [1, 1, 1])[0].name


def test_answers_survive_pickling():
    answers = nd.which(nd.SLIPS["k-one-less"](FILMS, 3, quantity="ndcg"), FILMS, 3)
    assert str(pickle.loads(pickle.dumps(answers))) == str(answers)


@pytest.mark.parametrize("quantity", ["mean", "dcg"])
def test_a_large_collection_is_explained_as_a_small_one_is(monkeypatch, quantity):
    random = np.random.default_rng(1)
    rows = [random.integers(0, 4, random.integers(1, 9)).tolist() for _ in range(12)]
    asked = {"judged": [[*row, 3, 1] for row in rows], "scores": [random.integers(0, 5, len(row)) for row in rows]}
    changes = {"averaging": "ratio-of-means"} if quantity == "mean" else nd.SLIPS["k-one-less"].changes
    value = np.mean(value_of(rows, 5, **asked, quantity=quantity, changes=changes))
    at_once = nd.which(value, rows, 5, **asked, quantity=quantity)
    assert at_once[0].slips == (("ratio-of-means",) if quantity == "mean" else ("k-one-less",))
    monkeypatch.setattr("ndcg_lib.identification.search.BLOCK", 10)
    assert str(nd.which(value, rows, 5, **asked, quantity=quantity)) == str(at_once)


def test_json_has_the_chance_the_reading_and_what_is_nearest():
    answers = nd.which(0.785, **WIKIPEDIA)
    told = json.loads(json.dumps(answers.as_dict()))
    assert told["answers"] == answers.rows()
    for answer in told["answers"]:
        assert set(answer) == {
            "kind",
            "name",
            "value",
            "difference",
            "rivals",
            "sentence",
            "chance",
            "reading",
            "alike",
        }
        assert answer["rivals"] == len(answers) - 1
    assert told["chance"] == told["answers"][0]["chance"] < 0.05
    assert told["answers"][0]["reading"] == "from 0.7845 to 0.7855"
    nothing = json.loads(json.dumps(nd.which(0.1234567, **WIKIPEDIA).as_dict()))
    assert (nothing["answers"], nothing["chance"], nothing["fitting"]) == ([], None, 0)
    assert nothing["nearest"]["kind"] == "convention"
    assert nothing["tried"] > 1000


def test_a_slip_comes_with_its_sentence_and_the_convention_it_was_made_under():
    answer = nd.which(nd.SLIPS["ideal-not-cut"](FILMS, 3, quantity="ndcg", gain="exponential"), FILMS, 3)[0]
    assert (answer.kind, answer.slips) == ("slip", ("ideal-not-cut",))
    assert "not cut at k while the returned list is" in answer.sentence
    assert "exponential gain" in answer.sentence


def test_two_slips_at_once():
    wrong = nd.SLIPS["k-one-less"].changes | nd.SLIPS["power-without-minus-one"].changes
    value = value_of([3, 0, 2, 1, 2], 4, judged=[3, 0, 2, 1, 2, 3], changes=wrong)
    answer = nd.which(value, [3, 0, 2, 1, 2], 4, judged=[3, 0, 2, 1, 2, 3])[0]
    assert answer.kind == "slips"
    assert set(answer.slips) == {"k-one-less", "power-without-minus-one"}


def test_list_and_ideal_with_slips_of_their_own_are_found():
    """Three things at once: scores as gains, two different discounts, and an ideal that is not sorted."""
    answer = nd.which(
        9.347055 / 2.061606,
        digits=4,
        qrels={"p3": 1, "p4": 1, "p7": 0, "p9": 1},
        run={"p1": 3.0, "p2": 2.7, "p3": 2.1, "p4": 1.99, "p5": 1.59, "p6": 1.2, "p7": 0.5},
    )[0]
    assert set(answer.slips) == {"scores-as-gains", "ideal-not-sorted"}
    assert "In the list" in answer.sentence


def test_a_slip_that_is_not_needed_is_not_offered():
    """0.785 to three digits is also what rounded terms give, but nobody needs rounding to explain it."""
    answers = nd.which(0.785, **WIKIPEDIA, limit=1000)
    assert not [answer.name for answer in answers if "rounded" in answer.name or answer.kind == "slips"]
    assert nd.SLIPS["terms-rounded-3"](**WIKIPEDIA, quantity="ndcg") == pytest.approx(0.785, abs=0.0005)


def test_the_text_leads_with_the_count_and_numbers_the_answers():
    text = str(nd.which(0.785, **WIKIPEDIA))
    assert text.startswith("0.785: ")
    assert "definitions fit" in text.splitlines()[0]
    assert "coincidence" not in text.splitlines()[0]
    assert text.splitlines()[1].strip().startswith("1. 0.785002, off by 2e-06: convention")


# how sure it is


def test_a_value_with_all_digits_has_no_rivals():
    value = nd.ndcg([3, 0, 2, 1, 2], 4, judged=[3, 0, 2, 1, 2, 3], gain="exponential")
    answers = nd.which(value, [3, 0, 2, 1, 2], 4, judged=[3, 0, 2, 1, 2, 3])
    assert answers[0].choices["gain"] == "exponential"
    assert answers[0].rivals == 0
    assert "no other does" in str(answers)


def test_a_value_that_many_definitions_give_is_said_to_be_ambiguous():
    answers = nd.which("1.00000", [0, 1, 0], k=3)
    assert answers[0].rivals >= 5
    assert "ambiguous" in str(answers).splitlines()[0]


def test_the_data_it_asks_for_tell_the_first_answers_apart():
    """One document returned of five: DCG, IDCG and every k leave some of the four first answers alike."""
    answers = nd.which(1.0, [1], k=5, judged=[1] * 5)
    told = answers.tell_apart
    assert "the ranking 2, 0, 3, 1 with 3 judged but not returned, at k = 2" in told
    assert answers[0].choices["ideal"] == "returned"
    assert f"answer 1 gives {nd.ndcg([2, 0, 3, 1], 2):.3f}," in told
    assert answers[1].slips == ("ideal-cut-at-list",)
    assert f"answer 2 gives {nd.ndcg([2, 0, 3, 1], 2, judged=[2, 0, 3, 1, 3]):.3f}," in told
    numbers = [part.rstrip(".").split(",")[0] for part in told.split("gives ")[1:]]
    assert len(numbers) == len(set(numbers)) == 4
    assert str(answers).endswith(told)


@pytest.mark.parametrize("value", [0.1234567, -0.5])
def test_it_says_plainly_when_nothing_fits(value):
    answers = nd.which(value, **WIKIPEDIA)
    assert not answers
    assert answers.rows() == []
    assert "nothing fits" in str(answers)
    assert "The nearest convention gives" in str(answers)


def drawn(random, decimals, queries=1, k=None):
    """A random value and lists that have nothing to do with it."""
    rows = [random.integers(0, 4, random.integers(5, 11)).tolist() for _ in range(queries)]
    judged = [[*row, *random.integers(0, 4, 2).tolist()] for row in rows]
    value = f"{random.uniform(*random.choice([[0, 1], [0.3, 0.95], [0.6, 1]])):.{decimals}f}"
    return nd.which(value, rows[0] if queries == 1 else rows, k, judged=judged[0] if queries == 1 else judged)


def claims(random, number, *kind):
    """How many random values get an answer that claims a chance of 5 % or less."""
    chances = [drawn(random, *kind).chance for _ in range(number)]
    return sum(chance is not None and chance <= 0.05 for chance in chances)


DRAWS = int(os.environ.get("NDCG_DRAWS", "60"))  # of each kind; 1,000 take ten minutes


def generator():
    """The same numbers each time, and new ones where they are explored."""
    return np.random.default_rng(None if EXPLORES else 4)


@pytest.mark.weekly
@pytest.mark.parametrize("kind", [(3,), (2,), (4,), (6,), (3, 1, 4), (3, 1, 8)], ids=str)
def test_of_many_random_values_no_more_claim_it_than_they_say(kind):
    """At most 5 % in truth, so more than `most` would happen less than once in 10,000 runs."""
    assert claims(generator(), DRAWS, *kind) <= most(DRAWS)


@pytest.mark.weekly
def test_means_of_random_queries_claim_no_more_than_they_say():
    random = generator()
    found = sum(claims(random, 1, 3, int(random.integers(2, 51))) for _ in range(DRAWS // 5))
    assert found <= most(DRAWS // 5)


def most(number):
    return 0.05 * number + 4.5 * (0.05 * 0.95 * number) ** 0.5


def test_a_coincidence_is_not_told_as_a_fact():
    six = [3, 2, 3, 0, 1, 2]
    for value, grades in (("0.8606", [2, 1, 0, 2, 0, 0, 3, 2]), ("0.12346", six), ("0.123457", six), ("0.123", six)):
        answers = nd.which(value, grades)
        first = str(answers).splitlines()[0]
        assert "nothing fits" in first or "may be a coincidence" in first
        assert f"The nearest convention gives {answers.nearest.value:.6g}: {answers.nearest.name}" in first
        assert answers.nearest.kind == "convention"
        assert all(answer.chance < 0.5 for answer in answers if "over an ideal" in answer.name)


@pytest.mark.parametrize(("chance", "said"), [(0.25, "One in four random values"), (0.004, "One in 250 random values")])
def test_the_first_line_says_the_chance_in_words(monkeypatch, chance, said):
    found = Chance.up_to
    monkeypatch.setattr(Chance, "up_to", lambda self, costs: found(self, costs) * 0 + chance)
    assert f"{said} would find such a story" in str(nd.which(0.961, [3, 2, 3, 0, 1, 2])).splitlines()[0]


@pytest.mark.sweep
def test_the_chance_is_the_share_of_the_values_that_have_an_answer_as_simple():
    """Asked for every value of two decimals between a half and three quarters."""
    grades = generator().integers(0, 4, 4).tolist()
    asked = [nd.which(f"{cents / 100:.2f}", [*grades, 1], quantity="ndcg") for cents in range(51, 76)]
    chances = [1.0 if answers.chance is None else answers.chance for answers in asked]
    for chance in (c for c in chances if c < 0.5):
        assert np.mean(np.array(chances) <= chance + 1e-9) <= chance + 1e-9


@pytest.mark.parametrize(
    ("decimals", "low", "high"), [(1, 0.75, 1), (2, 0, 0.25), (2, 1, 2), (3, 0.5, 0.75), (3, 4, 8)]
)
def test_the_chance_counts_every_value_that_could_have_been_reported(decimals, low, high):
    """All values of this form are tried, one by one, on numbers that are drawn."""
    random, unit = generator(), 10.0**-decimals
    special = [random.integers(0, 80, (5, 1)) / 10, random.integers(int(16 * low), int(16 * high), (8, 1)) / 16]
    predicted = np.concatenate([random.uniform(low, high, (40, 1)), *special])
    costs = random.integers(0, 6, len(predicted)) * 1.0

    def cheapest(value):
        seen = reported(f"{value:.{decimals}f}", None, None, [None], rankings([1, 0]))
        fit = fits(predicted, seen)
        return min((costs[at] + COST_OF_FIT[fit[at]] for at in np.flatnonzero(fit < NO_FIT)), default=math.inf)

    def share(cost, low, high):
        first = 0 if low == 0 else round(low / unit // 1) + 1
        return np.mean([cheapest(value * unit) <= cost for value in range(first, math.floor(high / unit + 1e-9) + 1)])

    seen = reported(f"{high - unit:.{decimals}f}", None, None, [None], rankings([1, 0]))
    chance = Chance(seen)
    chance.add(predicted, costs, COST_OF_FIT)
    for cost in (-2.0, 0.0, 2.5, 5.0):
        expected = max(share(cost, low, high), share(cost, 0, 1) if high <= 1 else 0)
        assert chance.up_to(np.array([cost]))[0] == pytest.approx(expected)


def test_a_second_value_makes_a_coincidence_rarer():
    dcg, idcg = 6.86, 7.14
    assert (
        nd.which({"dcg": dcg, "idcg": idcg}, [3, 2, 3, 0, 1, 2]).chance
        < nd.which({"dcg": dcg}, [3, 2, 3, 0, 1, 2]).chance / 5
    )


def test_digits_decide_what_fits():
    value = nd.ndcg(FILMS, 3)
    rounded = nd.which(round(value, 2), FILMS, 3, digits=2)
    exact = nd.which(value, FILMS, 3)
    assert rounded[0].choices == exact[0].choices
    assert rounded.fitting > exact.fitting


def test_text_keeps_the_zeros():
    assert nd.which("0.50", [0, 0, 1])[0].choices["discount"] == "modern"
    assert nd.which("0.50", [0, 0, 1])[0].reading == "from 0.495 to 0.505"


def test_few_decimals_are_read_as_written_first_and_exactly_only_then():
    answers = nd.which(0.9, [3, 2, 3, 0, 1, 2])
    assert [answer.choices["gain"] for answer in answers[:2]] == ["exponential", "linear"]
    assert {answer.reading for answer in answers[:5]} == {"from 0.85 to 0.95"}
    assert "The value is read as from 0.85 to 0.95." in str(answers)
    answers = nd.which(1.0, **WIKIPEDIA)
    assert (answers[0].reading, answers[1].reading) == ("from 0.95 to 1.05", "exactly 1.0")
    assert 0.95 < answers[0].value < 0.999
    assert answers[1].value == pytest.approx(1, abs=1e-9)
    assert nd.which(0.9, [3, 2, 3, 0, 1, 2], digits=1)[0].sentence.count("read as") == 0


def test_a_value_that_was_cut_and_not_rounded_is_found_and_called_so():
    value = nd.ndcg([3, 0, 2, 1, 3], discount="original")
    cut = math.floor(value * 1e4) / 1e4
    assert round(value, 4) != cut
    answer = nd.which(cut, [3, 0, 2, 1, 3])[0]
    assert answer.choices["discount"] == "original"
    assert "cut off" in answer.sentence


def test_single_precision_is_forgiven():
    value = float(np.float32(nd.ndcg([3, 0, 2, 1, 2], gain="exponential")))
    answer = nd.which(value, [3, 0, 2, 1, 2])[0]
    assert answer.choices["gain"] == "exponential"
    assert "single precision" in answer.sentence


# what can be asked


@pytest.mark.parametrize(
    ("value", "quantity"), [(9.898513, "dcg"), (6.861127, "dcg"), (7.140995, "idcg"), (11.0, "cg"), (96.081, "ndcg")]
)
def test_dcg_idcg_cg_and_percentages_are_recognised(value, quantity):
    assert nd.which(value, [3, 2, 3, 0, 1, 2])[0].quantity == quantity


def test_the_natural_logarithm_of_a_dcg():
    assert nd.which(9.899, [3, 2, 3, 0, 1, 2])[0].slips == ("natural-log",)
    assert nd.which(22.792, [3, 2, 3, 0, 1, 2], quantity="dcg")[0].slips == ("common-log",)


def test_dcg_and_idcg_together_leave_less_room():
    alone = nd.which(6.15, [3, 2, 3, 0, 1], quantity="dcg", limit=100)
    together = nd.which({"dcg": 6.15, "idcg": 6.33}, [3, 2, 3, 0, 1], limit=100)
    assert together[0].slips == ("logs-rounded",)
    assert len(together) < len(alone)


def test_a_value_for_each_k():
    answers = nd.which([0.667, 0.613, 0.819], [2, 3, 1, 3, 0], k=[1, 3, 5])
    assert not answers or answers[0].slips
    exponential = [round(nd.ndcg([2, 3, 1, 3, 0], k, gain="exponential"), 3) for k in (1, 3, 5)]
    assert nd.which(exponential, [2, 3, 1, 3, 0], k=[1, 3, 5])[0].choices["gain"] == "exponential"


ROWS, POOLS = [[3, 0, 2], [1, 2, 0, 3]], [[3, 0, 2, 3], [1, 2, 0, 3]]


def test_mean_dcg_and_idcg():
    dcg = sum(nd.dcg(row, gain="exponential") for row in ROWS) / 2
    idcg = sum(nd.idcg(pool, gain="exponential") for pool in POOLS) / 2
    for value in (round(dcg, 4), {"dcg": round(dcg, 4)}, {"dcg": round(dcg, 3), "idcg": round(idcg, 3)}):
        answer = nd.which(value, ROWS, judged=POOLS)[0]
        assert (answer.quantity, answer.choices["gain"]) == ("dcg", "exponential")
        assert answer.sentence.startswith("mean DCG with exponential gain")
    answer = nd.which(round(idcg, 4), ROWS, judged=POOLS, quantity="idcg")[0]
    assert (answer.choices["gain"], answer.choices["ideal"]) == ("exponential", "judged")
    assert "ask for the mean NDCG" in nd.which(round(dcg, 4), ROWS, judged=POOLS).tell_apart


def test_queries_that_were_ranked_as_one_list():
    grades, scores = [[0, 1, 0], [1, 0, 0]], [[0.1, 0.2, 0.3], [0.8, 0.1, 0.05]]
    one = nd.ndcg_scores([*grades[0], *grades[1]], [*scores[0], *scores[1]])
    answer = nd.which(one, y_true=grades, y_score=scores)[0]
    assert answer.choices["rows"] == "joined"
    assert answer.libraries == ("torchmetrics 1.9, function given several rows",)


@pytest.mark.parametrize("lower", [0, 3])
def test_missed_documents_that_stand_behind_the_list(lower):
    qrels = {"a": 3, "b": 2, "c": 1, "d": 0}
    filled = nd.ndcg_scores([2, 0, 3, 1, 0], [0.7, 0.5, 0, 0, 0])  # b, x, and what was missed with 0
    answer = nd.which(filled, qrels=qrels, run={"b": 0.7 - lower, "x": 0.5 - lower})[0]
    assert answer.choices["unreturned"] == "last"
    assert "put behind the list" in answer.sentence


def test_binary_hits_over_a_graded_ideal():
    answer = nd.which(nd.dcg([0, 1, 1]) / nd.dcg([3, 3]), [0, 3, 3], judged=[3, 3, 0])[0]
    assert answer.kind == "slip"
    assert answer.sentence.startswith("In the list: NDCG with binary gain")
    assert "In the ideal: NDCG with linear gain" in answer.sentence


def test_a_value_for_each_query_and_the_mean():
    rows, judged = [[1, 0, 2], [0, 3, 1]], [[1, 0, 2, 2], [0, 3, 1, 1]]
    each = [nd.ndcg(row, judged=pool, gain="exponential") for row, pool in zip(rows, judged, strict=True)]
    assert nd.which(each, rows, judged=judged)[0].choices["gain"] == "exponential"
    assert nd.which(sum(each) / 2, rows, judged=judged)[0].choices["gain"] == "exponential"


QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 2, "e": 1}, "q3": {"f": 3, "g": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.5, "c": 0.5}, "q2": {"e": 2.0, "d": 1.0}}


def test_means_with_and_without_the_query_that_returned_nothing():
    ndcg = {
        name: nd.ndcg_scores(
            [QRELS[name][d] for d in RUN[name]], list(RUN[name].values()), judged=list(QRELS[name].values()),
            ids=list(RUN[name]), ties="id-descending",
        )
        for name in RUN
    }  # fmt: skip
    all_judged, run_only = sum(ndcg.values()) / 3, sum(ndcg.values()) / 2
    first = nd.which(all_judged, qrels=QRELS, run=RUN)[0]
    assert (first.choices["missing"], first.choices["ties"]) == ("zero", "id-descending")
    assert "trec_eval" in first.libraries
    first = nd.which(run_only, qrels=QRELS, run=RUN)[0]
    assert (first.choices["missing"], first.choices["ties"]) == ("skip", "id-descending")
    assert "pytrec_eval" in first.libraries
    assert "trec_eval" not in first.libraries


def test_values_by_name_of_the_query():
    value = nd.ndcg([1, 2], discount="original")
    answer = nd.which({"q2": value}, qrels=QRELS, run=RUN)[0]
    assert answer.choices["discount"] == "original"


def test_files_and_frames_stand_for_dictionaries(tmp_path):
    for name, data in (("qrels.json", QRELS), ("run.json", RUN)):
        (tmp_path / name).write_text(json.dumps(data))
    lines = {name: [(q, d, v) for q, each in table.items() for d, v in each.items()] for name, table in
             (("grade", QRELS), ("score", RUN))}  # fmt: skip
    frames = [polars.DataFrame(rows, ["query", "doc", value], orient="row") for value, rows in lines.items()]
    (tmp_path / "run.txt").write_text("".join(f"{q} Q0 {d} 1 {v} me\n" for q, d, v in lines["score"]))
    value = np.mean([nd.ndcg_scores([1, 0, 2], [0.5] * 3), nd.ndcg([1, 2]), 0])
    wanted = str(nd.which(value, qrels=QRELS, run=RUN))
    assert "nothing fits" not in wanted
    runs = str(tmp_path / "run.txt"), tmp_path / "run.json", frames[1]
    for qrels, run in zip((tmp_path / "qrels.json", frames[0], frames[0].lazy()), runs, strict=True):
        assert str(nd.which(value, qrels=qrels, run=run)) == wanted


def test_y_true_and_y_score():
    answer = nd.which(0.690979, y_true=[10, 0, 0, 1, 5], y_score=[1, 1, 1, 1, 1])[0]
    assert answer.choices["ties"] == "average"
    assert nd.which(0.690979, y_true=[[10, 0, 0, 1, 5]], y_score=[[1, 1, 1, 1, 1]])[0].choices == answer.choices


def test_nan_has_causes_of_its_own():
    answers = nd.which(math.nan, [0, 0])
    assert "no-zero-guard" in answers[1].slips
    assert "here a query has none" in answers.reason
    assert json.loads(json.dumps(answers.as_dict()))["answers"][0]["value"] is None
    assert nd.which(math.nan, [0, 0, 3], k=2)[0].slips == ("ideal-from-top-k", "no-zero-guard")
    nothing = nd.which(math.nan, [3, 2])
    assert not nothing
    assert "look for a nan" in str(nothing)


def test_infinity_and_values_above_1_have_causes_of_their_own():
    assert not nd.which(math.inf, [3, 2])
    assert "Only a division by 0 gives infinity" in str(nd.which("inf", [3, 2]))
    doubled = nd.which(1.6309297535714575, qrels={"A": 1}, run=["A", "A"])
    assert doubled[0].slips == ("duplicates-counted",)
    assert "NDCG passes 1 only if" in str(doubled).splitlines()[0]
    for value in (9.898513, 96.081):  # a DCG, and a percentage
        assert not nd.which(value, [3, 2, 3, 0, 1, 2]).reason


@pytest.mark.parametrize(
    ("ask", "because"),
    [
        ({"grades": [1, 1, 1, 1]}, "Every order is ideal, because all grades of a query are equal (1)."),
        ({"grades": [[2, 2], [1, 1, 1]]}, "Every order is ideal, because all grades of a query are equal (1 and 2)."),
        ({"grades": [3], "k": 10}, "Every order is ideal, because there is only one document."),
    ],
)
def test_every_order_is_ideal_is_said_first(ask, because):
    assert str(nd.which(1.0, **ask)).startswith(f"1.0: {because}")
    assert "coincidence" not in str(nd.which(1.0, **ask))
    assert not nd.which(1.0, [1, 1], judged=[1, 1, 1]).reason


def test_a_list_in_the_best_order_is_said_to_be_one():
    for ask in ({}, {"scores": [3, 2, 1, 1]}, {"judged": [1, 3, 2, 1]}):
        answers = nd.which(1.0, [3, 2, 1, 1], **ask)
        assert str(answers).startswith(
            "1.0: The best documents stand first already, and none was missed. So every conv"
        )
        assert not any("random values" in answer.sentence for answer in answers)
    for ask in ({"scores": [3, 2, 2, 1]}, {"judged": [3, 3, 2, 1, 1]}, {"scores": [1, 2, 3, 4]}):
        assert not nd.which(1.0, [3, 2, 1, 1], **ask).reason
    assert not nd.which(0.98, [3, 2, 1, 1]).reason
    assert not nd.which(1.0, [[3, 2], [1, 3, 0]]).reason


def test_where_nothing_is_relevant_the_value_was_agreed_on():
    assert nd.which("0.0", qrels={"a": 1}, run=[])[0].value == 0, "a list that returned nothing has a value"
    for value in (0, 1):
        said = str(nd.which(value, [0, 0, 0])).splitlines()[0]
        assert said.startswith(f"{value}: No document has a gain, so the value is what was agreed on")
        assert "coincidence" not in said


def test_a_cut_off_beyond_the_list_is_said_first():
    ask = {"y_true": [[0, 0, 1], [0, 1, 0, 1]], "y_score": [[0.2, 0.3, 0.5], [0.1, 0.3, 0.5, 0.2]]}
    assert str(nd.which(0.8467, **ask, k=5)).startswith("0.8467: k = 5 is beyond the list")
    assert "beyond" not in str(nd.which(0.8467, **ask, k=4))


def test_two_values_that_nothing_gives_together_are_explained_one_by_one():
    """From a public answer: the DCG was cut off, and the ideal rounded on the way."""
    answers = nd.which({"dcg": 10.43, "idcg": 11.437}, [4, 3, 1, 0, 3, 2, 1, 4, 0, 2])
    assert not answers
    dcg, idcg = answers.apart
    assert (dcg[0].kind, dcg[0].choices["gain"]) == ("convention", "linear")
    assert not idcg
    assert "One by one:\n10.43 as DCG: 2 of" in str(answers)
    assert [one["value"] for one in answers.as_dict()["apart"]] == ["10.43 as DCG", "11.437 as IDCG"]


def test_simple_slips_come_before_cut_offs_that_nobody_asked_for():
    """tensorflow/ranking#178: the gain was multiplied by the rank."""
    answers = nd.which(2.0, [0, 1], scores=[2.0, 1.0])
    assert answers[0].slips == ("multiplied-by-rank",)
    assert all(answer.choices.get("cut", "k") == "k" for answer in answers[:5])
    perfect = nd.which("1.000000", [3, 0, 2, 1])
    assert perfect[0].slips
    assert any(answer.choices["cut"] == 1 and not answer.slips for answer in perfect)


def test_a_document_that_comes_twice_is_not_taken_for_one_that_was_missed():
    first = nd.which("1.000000", qrels={"A": 1, "B": 0}, run=["A", "A", "B"])[0]
    assert "ideal" not in first.name


def test_result_that_was_rounded_early_is_found():
    grades = [3, 0, 2, 1, 2]
    assert nd.which(f"{nd.ndcg(grades):.2f}00", grades)[0].slips == ("result-rounded",)


def test_ratio_of_means_is_told_from_the_mean_of_ratios():
    rows = [[0, 1], [3, 2, 3], [1, 1, 0, 2]]
    value = sum(nd.dcg(row) for row in rows) / sum(nd.idcg(row) for row in rows)
    assert nd.which(value, rows)[0].slips == ("ratio-of-means",)


def test_the_order_of_judgements_does_not_matter_to_a_convention():
    for judged in ([3, 2, 3, 0, 1, 2, 3, 2], [2, 3, 2, 1, 0, 3, 2, 3], dict(enumerate([0, 1, 2, 2, 2, 3, 3, 3]))):
        assert nd.which(0.785002, [3, 2, 3, 0, 1, 2], judged=judged)[0].kind == "convention"


@pytest.mark.parametrize("name", some_of(list(nd.CONVENTIONS)))
def test_every_preset_is_recognised_by_the_value_of_the_library(name):
    """On data where the choices differ: ties across grades, missed documents, more documents than any default k."""
    random = np.random.default_rng(11)
    grades = random.integers(0, 4, 45)
    scores = random.integers(0, 9, 45) / 2
    ids = [f"d{number:02}" for number in random.permutation(45)]
    judged = [*grades.tolist(), 3, 3, 2, 1]
    preset = nd.CONVENTIONS[name]
    value = nd.ndcg_scores(grades, scores, judged=judged, ids=ids, convention=preset)
    answer = nd.which(value, grades, judged=judged, scores=scores, ids=ids)[0]
    assert answer.kind == "convention"
    assert name in answer.libraries


def test_a_library_is_named_although_its_choice_is_of_no_account():
    """The tie stands below k, so every way to break it gives the same."""
    answer = nd.which("0.3333", [1, 3, 2, 0], 1, scores=[3, 2, 1, 1], ids=list("abcd"))[0]
    assert answer.choices["ties"] == "average"
    assert {"textbook", "sklearn", "trec_eval", "ranx", "catboost"} <= set(answer.libraries)
    assert "lightgbm" not in answer.libraries
    assert "defined otherwise, give the same with these data and digits." in answer.sentence


@pytest.mark.sweep
def test_the_library_behind_four_digits_is_named_on_random_data():
    random = np.random.default_rng(4)
    found = []
    for name in list(nd.CONVENTIONS) * 2:
        n = int(random.integers(5, 20))
        grades, scores = random.integers(0, 4, n), random.integers(0, n, n) / 2
        ids = [f"d{number:02}" for number in random.permutation(n)]
        judged = [*grades.tolist(), *random.integers(0, 4, int(random.integers(0, 5))).tolist()]
        k = int(random.integers(2, n + 1))
        value = nd.ndcg_scores(grades, scores, k, judged=judged, ids=ids, convention=name)
        answers = nd.which(f"{value:.4f}", grades, k, judged=judged, scores=scores, ids=ids)
        found.append(any(name in answer.libraries for answer in answers[:3]))
    assert sum(found) >= len(found) - 1


def test_the_definition_behind_four_digits_is_named_whatever_was_chosen():
    """Levels that the data cannot tell from those of an answer stand beside it, and do give the same value."""
    random, drawn, found = generator(), 200 if EXPLORES else 10, 0
    levels = {
        "gain": ["linear", "linear", "exponential", "binary"],
        "discount": ["modern", "modern", "original", "reciprocal", "geometric"],
        "ideal": ["judged", "judged", "returned"],
        "ties": ["average", "order", "reverse", "best", "worst", "id", "id-descending"],
    }
    for _ in range(drawn):
        n = int(random.integers(5, 20))
        grades, scores = random.integers(0, 4, n), random.integers(0, n, n) / 2
        ids = [f"d{number:02}" for number in random.permutation(n)]
        data = {"judged": [*grades.tolist(), *random.integers(0, 4, int(random.integers(0, 5))).tolist()], "ids": ids}
        k = int(random.integers(2, n + 1))
        true = {choice: str(random.choice(each)) for choice, each in levels.items()}
        value = nd.ndcg_scores(grades, scores, k, **data, **true)
        answers = nd.which(f"{value:.4f}", grades, k, scores=scores, **data)
        for answer in answers:
            named = {choice: level for choice, level in answer.choices.items() if choice in levels}
            if answer.choices["cut"] == "k" and all(level in levels[choice] for choice, level in named.items()):
                for choice, each in levels.items():
                    for level in set(answer.alike.get(choice, ())) & set(each):
                        other = nd.ndcg_scores(grades, scores, k, **data, **(named | {choice: level}))
                        assert other == pytest.approx(answer.value)
        found += value in (0, 1) or any(
            all(level in (one.choices.get(c, level), *one.alike.get(c, ())) for c, level in true.items())
            for one in answers[:3]
        )
    assert found >= 0.9 * drawn


def test_what_the_data_cannot_tell_apart_is_one_answer():
    """The missed document is not in the first two of either ideal, and the list without it ends behind k."""
    answer = nd.which("0.6173", [2, 1, 3, 0, 1, 2], 2, judged=[2, 1, 3, 0, 1, 2, 1])[0]
    assert (answer.choices["ideal"], answer.alike["ideal"]) == ("judged", ["returned"])
    assert "ideal over the returned documents only" in answer.sentence.partition("These data cannot tell it from: ")[2]
    assert answer.as_dict()["alike"] == answer.alike
    two = nd.which("0.961", [3, 2, 3, 0, 1, 2])
    assert {one.choices["discount"] for one in two if one.kind == "convention"} >= {"modern", "geometric(0.9)"}
    assert not any(one.alike for one in two), "0.9608 and 0.9611 are two values, though both are 0.961"
    first = nd.which("0.6667", [2, 3, 0], 1)[0]
    assert "cannot tell it from: 7 other discounts." in first.sentence
    assert len(first.alike["discount"]) == 7


def test_scores_that_are_equal_in_single_precision():
    near = [1, 1 + 1e-9]
    assert "torchmetrics" in nd.which(0.815465, [0, 1], scores=near)[0].libraries
    lost = nd.which(0.63093, [0, 1], scores=near)
    assert any("xgboost" in answer.libraries for answer in lost[:3])


@pytest.mark.parametrize(
    ("value", "ask", "library"),
    [
        (0.8697, {"grades": [3, 2, 3, 0, 1, 2]}, "rectools, default"),
        (0.7039, {"grades": [3, 0, 2], "judged": [3, 0, 2, 3, 1]}, "recbole 1.2"),
        (0.5856, {"grades": [3, 0, 2], "judged": [3, 0, 2, 3, 1]}, "cornac"),
        (0.5869, {"grades": [3, 0, 1], "scores": [1, 1, 1]}, "catboost"),
        (0.6885, {"grades": [3, 0, 1], "scores": [1, 1, 1]}, "sklearn_ignore_ties"),
        (0.5897, {"grades": [1, 0, 3], "scores": [1, 1, 1]}, "lightgbm"),
        (0.3066, {"grades": [[1, 0], []], "judged": [[1, 0], [1]]}, "rectools, default"),
    ],
)
def test_values_that_libraries_were_measured_to_give(value, ask, library):
    assert library in nd.which(value, **ask)[0].libraries


CUT_THEMSELVES = {  # what recommenders 1.2.1 and XGBoost 3.2.0 gave for GRADED and LISTED, asked without a k
    "recommenders, default": "0.548135",
    "recommenders, raw": "0.404287",
    "recommenders, exp": "0.338633",
    "xgboost": "0.500457",
    "xgboost, ndcg-": "0.500457",
    "xgboost_linear": "0.548666",
}
LISTED = {f"d{place}": 100.0 - place for place in range(45)}
GRADED = {f"d{place}": 7 * place**2 % 11 % 4 for place in range(49) if place % 3}  # a third is unjudged, two are missed


@pytest.mark.parametrize(
    "tool",
    sorted({tool for tool, (chosen, _) in (PRESETS | TOOLS).items() if "k" in chosen} | CUT_THEMSELVES.keys()),
)
def test_a_tool_is_known_by_the_cut_off_that_it_takes_by_itself(tool):
    assert tool in nd.which(CUT_THEMSELVES[tool], qrels=GRADED, run=LISTED)[0].libraries


def truth_and_answers(random):
    """A dispute with a known cause: a slip or a choice under a convention, four digits."""
    n = int(random.integers(4, 15))
    grades = random.integers(0, 4, n)
    judged = np.concatenate([grades, random.integers(0, 4, random.integers(0, 5))])
    random.shuffle(judged)
    k = int(random.integers(2, n + 1)) if random.random() < 0.6 else None
    gain = str(random.choice(["linear", "exponential"]))
    slip = random.choice([s for s in nd.SLIPS.values() if "ndcg" in s.quantities and not s.choice and s.rarity == 1])
    with np.errstate(all="ignore"):
        wrong = slip(grades, k, judged=judged, gain=gain, quantity="ndcg")
        right = slip.right(grades, k, judged=judged, gain=gain, quantity="ndcg")
    if not math.isfinite(wrong) or abs(wrong - right) < 1e-3 or abs(wrong - 1) < 1e-3 or slip.name == "not-normalised":
        return None
    return slip, nd.which(round(wrong, 4), grades, k, judged=judged, digits=4)


def test_common_slips_on_random_data_are_found():
    random = np.random.default_rng(2)
    tries = [t for t in (truth_and_answers(random) for _ in range(14)) if t is not None]
    recipe = {name: dict(slip.changes) for name, slip in nd.SLIPS.items()}
    hits = [
        any(
            any(recipe[s] == recipe[slip.name] for s in answer.slips)
            or (slip.name == "k-ignored" and answer.choices.get("cut") == "none")  # the convention of the same name
            for answer in found[:3]
        )
        for slip, found in tries
    ]
    assert len(hits) >= 6
    assert sum(hits) / len(hits) >= 0.95


# refusals


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: nd.which("abc", [1]), "value is 'abc', not a number"),
        (lambda: nd.which(True, [1]), "value is True, not a number"),
        (lambda: nd.which(0.5, []), "there are no grades"),
        (lambda: nd.which(0.5), "give either grades, or y_true and y_score, or qrels and run"),
        (lambda: nd.which(0.5, [1], y_true=[1], y_score=[1]), "stand in place of grades and scores"),
        (lambda: nd.which(0.5, y_score=[1]), "stand in place of grades and scores"),
        (lambda: nd.which(0.5, qrels={"a": 1}), "belong together"),
        (lambda: nd.which(0.5, [1, "x"]), r"grades\[1\] is 'x'"),
        (lambda: nd.which(0.5, [1, math.nan]), r"grades\[1\] is nan"),
        (lambda: nd.which(0.5, [1], k=0), "k is 0"),
        (lambda: nd.which(0.5, [1], k=[]), "k is an empty list"),
        (lambda: nd.which(0.5, [1], digits=-1), "digits is -1"),
        (lambda: nd.which(0.5, [1, 0], scores=[1]), "scores has 1 entries but grades has 2"),
        (lambda: nd.which(0.5, [1, 0], scores=[1, math.nan]), "scores"),
        (lambda: nd.which(0.5, [[1], [0]], judged=[1]), "judged has 1 rows but grades has 2"),
        (lambda: nd.which(0.5, [1, 0], judged=[[1, 0]]), "judged or scores has several rows"),
        (lambda: nd.which([0.5, 0.6], [1, 0]), "value has 2 numbers"),
        (lambda: nd.which(0.5, [1, 0], k=[1, 2]), "2 cut-offs but value is one number"),
        (lambda: nd.which(0.5, [1, 0], quantity="map"), "quantity is 'map'"),
        (lambda: nd.which({}, [1]), "empty mapping"),
        (lambda: nd.which(0.5, qrels=QRELS, run=["a", "b"]), "run is one list"),
    ],
)
def test_wrong_input_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


GRADES = st.lists(
    st.one_of(st.none(), st.integers(-1, 5), st.floats(-2, 1200, allow_nan=False)), min_size=1, max_size=6
)


@draws(6)
@given(
    st.one_of(st.floats(allow_infinity=False), st.floats(0, 2).map(lambda v: round(v, 3))),
    GRADES,
    st.one_of(st.none(), st.integers(1, 8)),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_whatever_comes_there_is_an_answer_and_no_warning(value, grades, k, scored, random):
    scores = [random.randint(0, 2) for _ in grades] if scored else None
    answers = nd.which(value, grades, k, scores=scores)
    assert str(answers)
    for answer in answers:
        assert answer.sentence.endswith(".")
