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


def test_a_right_value_is_reproduced_at_its_printed_decimals():
    assert [name((e, p)) for e, p in RIGHT if p.written(e.exact(p.quantity, p.rank)) != p.text] == []
    assert {e.note for e, _ in RIGHT} == {*NOTES} and not [p for _, p in RIGHT if p.right or p.erratum]


def test_a_wrong_value_is_not_reproduced_and_its_correction_follows_from_the_oracle_too():
    assert {p.erratum for _, p in WRONG} == {*errata()}
    for e, p in WRONG:
        assert (
            p.text != p.right == p.written(e.exact(p.quantity, p.rank)) == p.written(by_oracle(e, p.quantity, p.rank))
        )
        assert len(p.right) == len(p.text), "the correction has as many decimals as the slip"


def test_no_verdict_hangs_on_how_a_tie_is_rounded():
    for e, p in CHECKED:
        if "/" in p.text:
            continue
        scaled = Decimal(repr(e.exact(p.quantity, p.rank))).scaleb(p.decimals)
        assert abs(scaled % 1 - Decimal("0.5")) > Decimal("1e-6"), name((e, p))


def test_truncated_means_that_cutting_off_gives_the_printed_text():
    truncated = [(e, p) for e, p in WRONG if p.verdict == "truncated"]
    assert truncated
    for e, p in truncated:
        assert format(e.exact(p.quantity, p.rank), ".9f").startswith(p.text)


def test_the_library_meets_the_independent_oracle():
    for id, quantities in ORACLE.items():
        for quantity, values in quantities.items():
            for rank, value in values.items():
                assert example(id).exact(quantity, int(rank)) == pytest.approx(value, rel=1e-12, abs=0), (id, quantity)
    assert [name((e, p)) for e, p in CHECKED if str(p.rank) not in ORACLE[e.id].get(p.quantity, {})] == []


def test_grades_below_zero_can_leave_nothing_to_divide_by():
    assert example("003-shifted").exact("ndcg") == 0
    with pytest.raises(ValueError, match="ideal DCG is below 0"):
        example("003-shifted-bad").exact("ndcg")


def test_the_founding_papers_example():
    paper = example("jarvelin-kekalainen")
    assert [p.text for p in paper.printed] == ["3", "5", "6.89", "6.89", "6.89", "7.28", "7.99", "8.66", "9.61", "9.61"]
    assert [p.written(paper.exact("dcg", p.rank)) for p in paper.printed] == [p.text for p in paper.printed]


def test_the_slips_reverse_the_comparison_of_note_000():
    for form in ("regular", "alternative"):
        first, second = (example(f"000-{q}-{form}") for q in ("q1", "q2"))
        assert float(first.value("ndcg").text) > float(second.value("ndcg").text)
        assert first.exact("ndcg") < second.exact("ndcg")


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
