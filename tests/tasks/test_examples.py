"""Every printed value of the five notes: the right ones are reproduced, the wrong ones are shown to be wrong."""

import doctest
import json
from decimal import Decimal
from pathlib import Path

import pytest
from examples import errata, example, examples, notes, rounded

ORACLE = json.loads((Path(__file__).parents[1] / "data" / "examples_oracle.json").read_text("utf8"))["values"]
NOTES = ("000", "001", "002", "003", "004")
CHECKED = [(e, p) for e in examples() for p in e.printed if e.note in NOTES and p.counted]
RIGHT = [(e, p) for e, p in CHECKED if p.verdict == "ok"]
WRONG = [(e, p) for e, p in CHECKED if p.verdict != "ok"]


def name(case):
    e, p = case
    return f"{e.id}:{p.quantity}@{p.rank}={p.text}"


def by_oracle(e, quantity, rank):
    return ORACLE[e.id][quantity][str(rank)]


def test_all_233_printed_values_are_here_and_11_are_wrong():
    assert len(CHECKED) == 233
    assert len(WRONG) == 11
    assert {note: sum(e.note == note for e, _ in WRONG) for note in NOTES} == {
        "000": 6, "001": 0, "002": 0, "003": 0, "004": 5}  # fmt: skip


@pytest.mark.parametrize("case", RIGHT, ids=name)
def test_a_right_value_is_reproduced_at_its_printed_decimals(case):
    e, p = case
    assert p.written(e.exact(p.quantity, p.rank)) == p.text


@pytest.mark.parametrize("case", WRONG, ids=name)
def test_a_wrong_value_is_not_reproduced_and_its_correction_is(case):
    e, p = case
    exact = e.exact(p.quantity, p.rank)
    assert p.written(exact) != p.text
    assert p.written(exact) == p.right
    assert len(p.right) == len(p.text), "the correction has as many decimals as the slip"


def test_no_verdict_hangs_on_how_a_tie_is_rounded():
    for e, p in CHECKED:
        if "/" in p.text:
            continue
        scaled = Decimal(repr(e.exact(p.quantity, p.rank))).scaleb(p.decimals)
        assert abs(scaled % 1 - Decimal("0.5")) > Decimal("1e-6"), name((e, p))


def test_truncated_means_that_cutting_off_gives_the_printed_text():
    truncated = [(e, p) for e, p in WRONG if p.verdict == "truncated"]
    assert len(truncated) == 3
    for e, p in truncated:
        assert format(e.exact(p.quantity, p.rank), ".9f").startswith(p.text)


def test_the_library_meets_the_independent_oracle():
    seen = 0
    for id, quantities in ORACLE.items():
        for quantity, values in quantities.items():
            for rank, value in values.items():
                assert example(id).exact(quantity, int(rank)) == pytest.approx(value, rel=1e-12, abs=0), (id, quantity)
                seen += 1
    assert seen == 476


def test_grades_below_zero_can_leave_nothing_to_divide_by():
    assert example("003-shifted").exact("ndcg") == 0
    with pytest.raises(ValueError, match="ideal DCG is below 0"):
        example("003-shifted-bad").exact("ndcg")


def test_every_printed_value_has_an_oracle():
    missing = [name((e, p)) for e, p in CHECKED if str(p.rank) not in ORACLE[e.id].get(p.quantity, {})]
    assert missing == []


def test_corrections_also_follow_from_the_oracle_alone():
    for e, p in WRONG:
        assert p.written(by_oracle(e, p.quantity, p.rank)) == p.right


def test_the_founding_papers_example():
    paper = example("jarvelin-kekalainen")
    assert [p.text for p in paper.printed] == ["3", "5", "6.89", "6.89", "6.89", "7.28", "7.99", "8.66", "9.61", "9.61"]
    assert [p.written(paper.exact("dcg", p.rank)) for p in paper.printed] == [p.text for p in paper.printed]


def test_the_slips_reverse_the_comparison_of_note_000():
    for form in ("regular", "alternative"):
        first, second = (example(f"000-{q}-{form}") for q in ("q1", "q2"))
        assert float(first.value("ndcg").text) > float(second.value("ndcg").text)
        assert first.exact("ndcg") < second.exact("ndcg")


def test_every_wrong_value_names_its_cause_and_no_right_one_does():
    assert {p.erratum for _, p in WRONG} == set(errata()) == {f"N{i}" for i in range(1, 11)}
    for _, p in RIGHT:
        assert not p.right and not p.erratum


def test_the_users_table_is_kept_but_has_no_value_to_check():
    seen = example("004-user-table")
    assert [p.verdict for p in seen.printed] == ["unsupported"] * 5
    with pytest.raises(ValueError, match="no quantity 'seen'"):
        seen.exact("seen", 1)


def test_the_file_is_consistent():
    assert {e.note for e in examples()} == set(notes())
    for e in examples():
        if e.grades is not None and e.documents is not None:
            assert len(e.documents) == len(set(e.documents)) == len(e.grades), e.id
        for p in e.printed:
            assert p.verdict in ("ok", "wrong", "truncated", "unsupported")
            assert p.rank >= 1 and (p.lines or e.note == "paper")
            assert e.grades is None or p.rank <= len(e.grades), name((e, p))


def test_ideal_order_of_the_documents():
    assert example("000-q1-regular").ideal_documents == ("d2", "d1", "d4", "d3", "d5", "d7", "d6")
    assert example("000-q2-regular").ideal_documents == ("d1", "d2", "d3", "d5", "d4", "d6", "d9", "d7", "d8")
    assert example("003-corpus").ideal_documents is None


def test_rounding_is_half_up_in_decimal():
    assert rounded(0.5, 0) == "1"
    assert rounded(1.005, 2) == "1.01"
    assert rounded(10, 0) == "10"


def test_unknown_names_say_what_there_is():
    with pytest.raises(ValueError, match=r"no example '000-q1'.*Did you mean '000-q1-regular'"):
        example("000-q1")
    with pytest.raises(ValueError, match="has no grades"):
        example("004-log-table").exact("dcg", 3)
    with pytest.raises(ValueError, match="give a rank"):
        example("004-log-table").exact("discount")
    with pytest.raises(ValueError, match="prints no ndcg"):
        example("003").value("ndcg", 2)


def test_the_examples_in_its_descriptions_work():
    import examples

    assert doctest.testmod(examples).failed == 0
