"""What is wrong with one value beside the one that is asked, and of many: by hand, without a student's function."""

import math

import pytest

from ndcg_course import check
from ndcg_course.explain.codec import ODD, decode, encode
from ndcg_course.explain.faults import close, fault, pattern, remembered
from ndcg_course.explain.first_wrong_rank import apart, places, rows, up_to
from ndcg_course.explain.outcome import Outcome, described, different, of_type, show, show_both, unlike, with_article
from ndcg_course.tasks import tasks
from ndcg_course.tasks.task import Case, TextTask

NAN, INF = math.nan, math.inf
SAYS = {
    # target: what came back, its type if it is another than Python says, the code, words of the sentence
    2.0: [
        (2, "", "", ""), (2.0 + 1e-10, "", "", ""), (2.1, "", "value", ""), (True, "", "type", "one number is asked"),
        (None, "", "none", "`None`"), (..., "", "dots", "..."), (NAN, "", "finite", "nan"), (-INF, "", "finite", "inf"),
        ("2.0", "", "type", "leave out the quotes or the formatting"), ("2,0", "", "type", "decimals after a point"),
        ([1.0, 1.0], "", "type", "its items add up to the right one"), ([2.0], "", "type", "without brackets"),
        ([2, 0], "tuple", "type", "a comma makes two numbers"), ([2.5, 0], "tuple", "type", "a tuple of 2, but"),
        ([1, 1], "generator", "type", "`sum(…)` adds it up"), ({"a": 2}, "", "type", "a dictionary of 1"),
        ([], "", "type", "a list of 0"),
    ],
    True: [
        (True, "", "", ""), (1, "", "", ""), (1.0, "", "", ""), (0, "", "value", ""), (False, "", "value", ""),
        (2, "", "type", "`True` or `False` is asked"), (0.5, "", "type", ""), ("yes", "", "type", ""),
    ],
    False: [(0, "", "", ""), (False, "", "", ""), (1, "", "value", ""), (-1, "", "type", "")],
    (3, 1, 2): [
        ([3, 1, 2], "", "", ""), ([3.0, 1.0, 2.0], "tuple", "", ""), ([2, 1, 3], "", "order", "the reverse"),
        ([1, 3, 2], "", "order", "another"), ([3, 1], "", "shape", "a list of 2; asked is a list of 3"),
        ([3, 1, 4], "", "value", ""), ([3, NAN, 2], "", "finite", "nan in it"), (3, "", "type", "a list is asked"),
        ([3, "1", 2], "", "type", "`'1'` in it, but a list of numbers"), ([3, True, 4], "", "type", "`True` in it"),
        ([3, [1], 2], "", "type", "a pair or list"), ([3, None, 2], "", "type", "`None` in it"),
        (ODD, "pandas.Series", "type", "`list(…)` makes one of it"),
    ],
    ("d1", "d2"): [
        (["d1", "d2"], "", "", ""), (["d2", "d1"], "", "order", ""), (["d1", 2], "", "type", "a list of texts"),
        (["D1", "d2"], "", "value", ""),
    ],
    "rises": [(" Rises", "", "", ""), ("falls", "", "value", ""), (1, "", "type", "a text in quotes")],
}  # fmt: skip


@pytest.mark.parametrize("target", SAYS, ids=repr)
def test_a_value_is_right_or_its_fault_is_named(target):
    for value, kind, code, words in SAYS[target]:
        found = fault(Outcome(value, kind), Outcome(target), 1e-6)
        assert (found.code if found else "") == code and words in (found.sentence if found else ""), (value, found)


def test_a_dictionary_is_compared_by_its_keys():
    asked = Outcome({"a": 1.0, "b": 2.0})
    for value, code in (({"b": 2, "a": 1}, ""), ({"a": 1}, "shape"), ({"a": 1, "b": 3}, "value"), ([1, 2], "type")):
        found = fault(Outcome(value), asked, 1e-6)
        assert (found.code if found else "") == code


def test_where_an_error_is_asked_another_answer_is_none():
    asked = Outcome(error="ValueError", says="d7")
    for given, code, words in (
        (Outcome(error="ValueError", says="no d7 here"), "", ""),
        (Outcome(error="ValueError"), "", ""),  # nobody knows its text
        (Outcome(error="ValueError", says="bad"), "unnamed", "without naming 'd7'"),
        (
            Outcome(error="KeyError", message="'d7'"),
            "no-error",
            "raises KeyError ('d7'); a ValueError should be raised",
        ),
        (Outcome(0.5), "no-error", "returns the number 0.5; a ValueError should be raised"),
        (Outcome(type="ValueError", value=ODD), "no-error", "write `raise` in place of `return`"),
        (Outcome(error="Stopped"), "loop", "stopped"),
    ):
        found = fault(given, asked, 1e-6)
        assert (found.code if found else "") == code and words in (found.sentence if found else "")


def test_values_are_close_in_every_part():
    same = [(1, 1.0), (0.0, 1e-10), ([1, [2]], (1, (2,))), (None, None), ({"a": 1}, {"a": 1.0}), ("A ", "a"), (True, 1)]
    other = [
        (0.0, 1e-8),
        (1, "1"),
        (INF, INF),
        ([1], [1, 1]),
        ({"a": 1}, {"b": 1}),
        (None, 0),
        (True, 1.0),
        (["a"], ["A"]),
    ]
    assert all(close(a, b, 1e-6) for a, b in same) and not any(close(a, b, 1e-6) for a, b in other)
    assert close(100.0, 100.00009, 1e-6) and not close(100.0, 100.0002, 1e-6) and close(1.0, 1.004, 0, 0.005)


RIGHT = [0.51724, 1.38613, 2.0, 0.24567, 3.14159]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ([round(x, 2) for x in RIGHT], "rounded"), ([math.trunc(x * 100) / 100 for x in RIGHT], "cut-short"),
        ([int(x) for x in RIGHT], "cut-short"), ([100 * x for x in RIGHT], "percent"), ([-x for x in RIGHT], "sign"),
        ([3 * x for x in RIGHT], "factor"), ([x + 0.25 for x in RIGHT], "shifted"),
        ([1 - x for x in RIGHT], "one-minus"),
        ([1 / x for x in RIGHT], "inverse"), ([x * (-1) ** i for i, x in enumerate([*RIGHT, 7.7])], "sign-in-places"),
        (RIGHT, ""), ([*RIGHT[:4], 3.0], ""), ([x**2 for x in RIGHT], ""),
        ([3 * x for x in RIGHT[:4]] + [9.4], ""), ([-RIGHT[0], -RIGHT[1], *RIGHT[2:]], ""),
    ],
)  # fmt: skip
def test_what_relates_all_numbers_to_their_targets_is_seen(given, name):
    targets = [*RIGHT, 7.7][: len(given)]
    in_lists = [(given[:2], targets[:2]), *([a, b] for a, b in zip(given[2:], targets[2:], strict=True))]
    for pairs in (list(zip(given, targets, strict=True)), in_lists):
        found = pattern([Outcome(a) for a, _ in pairs], [Outcome(b) for _, b in pairs])
        assert (found.name if found else "") == name


def test_two_numbers_show_no_pattern_nor_do_two_targets():
    def name(given, targets):
        found = pattern([Outcome(a) for a in given], [Outcome(b) for b in targets])
        return found.name if found else ""

    assert name([3.3, 6.6], [1.1, 2.2]) == "" and name([3.3, 6.6, 3.3, 6.6], [1.1, 2.2, 1.1, 2.2]) == ""
    assert name([2.1, 3.2, 2.1], [1.1, 2.2, 1.1]) == name([-0.1, -1.2, -0.1], [1.1, 2.2, 1.1]) == ""
    assert name([7.0] * 3, [1.1, 2.2, 3.3]) == "constant" and name([7.0] * 3, [7.0] * 3) == ""
    assert name([0.0, 3.3, 6.6, 9.9, 12.3], [0.0, 1.1, 2.2, 3.3, 4.1]) == "factor"
    assert name([0.1, 3.3, 6.6, 9.9, 12.3], [0.0, 1.1, 2.2, 3.3, 4.1]) == ""
    assert name([-1.1, -2.2, -3.3, 9.9], [1.1, 2.2, 3.3, 4.4]) == ""
    assert name([True, False, True], [0.1, 0.2, 0.3]) == name(["a", "b", "c"], [0.1, 0.2, 0.3]) == ""


def test_the_same_call_with_two_values_is_remembered():
    cases = [Case([[1]]), Case([[2]]), Case([[1]]), Case([[2]])]
    assert remembered(cases, [Outcome(v) for v in (1, 2, 1, 5)]) == (1, 3)
    assert remembered(cases, [Outcome(v) for v in (1, 2, 1, 2)]) is None
    assert remembered(cases, [Outcome(1), Outcome(2), Outcome(NAN), Outcome(error="KeyError")]) is None


def test_two_outcomes_differ_where_a_check_would_show_it():
    raised, half = Outcome(error="KeyError"), Outcome(0.5)
    apart = [(raised, half), (raised, Outcome(error="TypeError")), (Outcome(NAN), half), (Outcome(NAN), raised),
             (half, Outcome(0.5001)), (half, Outcome(0.5, changed=[1])), (Outcome([1, 2]), Outcome([1]))]  # fmt: skip
    alike = [
        (raised, Outcome(error="KeyError")),
        (Outcome(NAN), Outcome(INF)),
        (half, Outcome(0.5 + 1e-7)),
        (half, half),
    ]
    assert all(unlike(a, b) and unlike(b, a) for a, b in apart) and not any(unlike(a, b) for a, b in alike)
    assert (
        different("A", "B", 9) and different(1, 2, 0.5) and not different(1, 2, 1) and different([1, "a"], [1, "b"], 9)
    )


def test_values_as_words():
    assert [show(v) for v in (0.00012345678, 0.12345678, 3.0, [0.5] * 13)][:3] == ["0.0001235", "0.1235", "3.0"]
    assert show([1] * 13).count("1") == 12 and show([1] * 13).endswith(", …]") and show([1] * 12).endswith("1]")
    assert show_both(1.0, 1.00002) == ("1.0", "1.00002") and show({"a": 0.5}) == "{'a': 0.5}"
    words = [
        described(Outcome(v, kind)) for v, kind in ((True, ""), ("x" * 50, ""), ([1], "numpy.ndarray"), (ODD, "set"))
    ]
    assert words == ["`True`", f"the text {'x' * 40!r}", "an array of 1", "a set (it forgets order and repetitions)"]
    assert [with_article(w) for w in ("IndexError", "UnboundLocalError", "UserWarning", "tuple")] == [
        "an IndexError", "an UnboundLocalError", "a UserWarning", "a tuple"]  # fmt: skip
    assert of_type("pandas.Series") == "an object"


def test_what_is_deep_or_long_is_cut_on_the_wire():
    def nested(value, levels):
        return value if not levels else [nested(value, levels - 1)]

    def mapped(value, levels):
        return value if not levels else {"a": mapped(value, levels - 1)}

    for into, levels in ((nested, 5), (mapped, 4)):
        assert decode(encode(into(7, levels))) == into(7, levels)
        assert decode(encode(into(7, levels + 1))) != into(7, levels + 1), "what lies deeper is not looked at"
    assert all(decode(encode(n)) == n for n in (2**53 - 1, 2**53, 1 - 2**53, -(2**53)))
    assert len(decode(encode([1] * 3000))) == len(decode(encode("x" * 3000))) == 2000
    assert len(decode(encode({i: i for i in range(3000)}))) == 2000
    deep = {"type": "int", "number": 1}
    for _ in range(9):
        deep = {"type": "list", "items": [deep]}
    assert decode(deep) is ODD


def test_a_text_is_collected_when_it_is_long_enough():
    task = next(task for task in tasks().values() if isinstance(task, TextTask))
    told = {text: check(task.name, text, student_id="demo") for text in ("…  ", "word", "two words", "word " * 200)}
    assert [verdict.status for verdict in told.values()] == ["not attempted", "wrong", "wrong", "collected"]
    assert "1 word so far." in told["word"].text() and "2 words so far." in told["two words"].text()
    assert "200 words. A person reads this" in told["word " * 200].text()
    assert "is the number 3; a text in quotes" in check(task.name, 3, student_id="demo").text()
    assert "0.1235" in check("which_gain", 0.123456789, student_id="demo").text()


def dcg(items):
    return sum(grade / math.log2(i + 2) for i, grade in enumerate(items))


def test_a_case_is_shown_rank_by_rank_with_the_first_row_that_differs():
    table = rows([3, 0, 2], dcg, sum)
    assert table.head == ["rank", "grade", "divisor", "term", "sum", "your divisor", "your term", "your sum"]
    first, *others = (" ".join(row) for row in table.rows)
    assert first == "1 3 1.0 3.0 3.0 1.0 3 3" and others == ["2 0 – 0.0 3.0 – 0 3", "3 2 2.0 1.0 4.0 1.0 2 5"]
    assert table.marked == 2
    assert rows([3, 2], dcg).head == ["rank", "grade", "divisor", "term", "sum"]
    assert rows([0.2, 0.4], lambda ps: 2 * sum(ps), sum, "p-value").head[:4] == [
        "place",
        "p-value",
        "term",
        "sum",
    ]
    assert rows([1] * 12, sum, dcg) is not None and rows([1] * 13, sum, dcg) is None and rows([], sum, dcg) is None
    assert rows([1, "a"], len, len) is None and rows([1, 2], lambda x: "a", sum) is None


def test_what_does_not_add_up_is_shown_up_to_each_rank():
    table = rows([3, 2, 4], max, sum)
    assert table.head == ["rank", "grade", "right so far", "yours so far"] and table.marked == 1
    assert table.rows == [["1", "3", "3", "3"], ["2", "2", "3", "5"], ["3", "4", "4", "9"]]
    assert rows([3, 2, 4], max) is None
    assert up_to([3], max, sum) is None and up_to([3, 2], max).head == ["rank", "grade", "right so far"]
    assert up_to([3, 1], lambda x: 1.0, lambda x: 1.00002).rows[0][2:] == ["1.0", "1.00002"]


def test_lists_and_parts_are_shown_side_by_side():
    assert places([1, 2], [1, 3]).marked == 1 and places([1, 2], [1, 2]).marked is None and places([1, 2], 3) is None
    assert places([1], [1, 5]).rows == [["1", "1", "1"], ["2", "–", "5"]] and places([1] * 13, []) is None
    parts = apart(["q1", "q2"], lambda at: sum(at) / len(at), max)
    assert parts.rows == [["q1", "0.0", "0", "0.0", "0"], ["q2", "1.0", "1", "0.5", "1"]] and parts.marked == 1
    assert apart(["q1"], len, len) is None and apart(["a", "b"], lambda at: None, len) is None
    assert apart(["a", "b"], len, len).marked is None
    assert parts.text()[2].startswith("→") and "→ differs" in parts.html() and parts.html().count("<tr>") == 3
