"""Runs against judgements: the right numbers, the same from every input, and a word about what is missing."""

import inspect
import io
import itertools
import json
import math
import random
import re
import sys
from pathlib import Path
from typing import Any

import evaluation_oracle as oracle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweeps import draws

import ndcg_lib as nd
from ndcg_lib.files import source
from ndcg_lib.files.fast import Ids
from ndcg_lib.measures import MEASURES
from ndcg_lib.runs import hits

PEERS = json.loads((Path(__file__).parents[1] / "data" / "evaluated_by_peers.json").read_text("utf-8"))
QRELS = {"51": {"a": 3, "b": 1, "c": 0}, "52": {"a": 1}, "53": {"c": 0}}
RUN = {"51": {"b": 0.9, "a": 0.3, "x": 0.1}, "53": {"a": 1.0}, "99": {"a": 1.0}}


def streams(qrels: Any, run: Any) -> tuple[io.BytesIO, io.BytesIO]:
    judged, found = oracle.as_lines(qrels, run)
    return io.BytesIO(judged), io.BytesIO(found)


# ---- the right numbers ----


@pytest.mark.parametrize("ties", ["average", "order", "reverse", "best", "worst", "id", "id-descending"])
@pytest.mark.parametrize("seed", range(4))
def test_every_measure_against_all_orders_written_out(seed: int, ties: str) -> None:
    drawn = random.Random(f"{seed} {ties}")
    qrels, run = oracle.example(drawn.random())
    convention = nd.Convention(
        gain=drawn.choice(["linear", "exponential", "binary"]),
        discount=drawn.choice(["modern", "original", "reciprocal", "none"]),
        base=drawn.choice([2, 3]),
        ideal=drawn.choice(["judged", "returned"]),
        ties=ties,
        empty=drawn.choice([0.0, 1.0]),
    )
    for k in (None, 1, 3):
        measures = [*oracle.MEASURES, *(oracle.WITHOUT_CUT if k is None else ())]
        if ties == "average":
            measures = [measure for measure in measures if measure != "infap"]  # it reads one order
        if ties in ("best", "worst"):  # which say nothing about documents without a gain
            measures = [measure for measure in measures if measure not in ("judged", "bpref", "infap")]
        names = [said(name, k, qrels) for name in measures]
        judged, found = streams(qrels, run)
        results = [
            nd.evaluate(qrels, run, measures=names, convention=convention),
            nd.evaluate(judged, found, measures=names, convention=convention),
            nd.evaluate(qrels, streams(qrels, run)[1], measures=names, convention=convention),
            nd.evaluate(streams(qrels, run)[0], run, measures=names, convention=convention),
        ]
        for measure, name in zip(measures, names, strict=True):
            wanted = oracle.evaluate(qrels, run, measure, k, convention)
            alone = [nd.evaluate(qrels, run, measures=name, convention=convention)] if seed == 0 else []
            for result in [*results, *alone]:
                got = result.per_query(name)
                assert list(got) == list(qrels)
                assert got == pytest.approx({query: wanted.get(query, 0.0) for query in qrels}, abs=1e-12)
                assert result[name] == pytest.approx(sum(got.values()) / len(got), abs=1e-12)


def test_measures_of_tied_judged_documents_are_the_mean_over_all_orders() -> None:
    drawn, convention = random.Random(11), nd.Convention()
    for _ in range(40):
        qrels = {"q": {f"d{at}": drawn.choice([-1, 0, 0, 1, 2]) for at in range(8)}}
        run = {"q": {f"d{at}": drawn.choice([0.5, 1.0]) for at in range(1, 8)}}
        for measure in ("bpref", "rprec", "success", "judged", "ndcg'"):
            result = nd.evaluate(qrels, run, measures=measure)
            assert result.per_query() == pytest.approx(
                oracle.evaluate(qrels, run, measure, None, convention), abs=1e-12
            )


def test_every_measure_is_held_to_the_orders_written_out() -> None:
    known = {*oracle.MEASURES, *oracle.WITHOUT_CUT, "hits"}  # ranx says what Hits is: tests/numbers/test_strings.py
    assert known >= MEASURES.keys(), (
        f"tests/evaluation_oracle.py: write {', '.join(MEASURES.keys() - known)} for one order of the documents"
        " in `value` and name it in MEASURES; one without a cut-off goes into `without_cut` and WITHOUT_CUT"
    )
    assert known <= MEASURES.keys(), "the oracle has a measure that ndcg_lib/measures.py lacks"


def said(measure: str, k: int | None, qrels: Any) -> str:
    """A measure with what it is no number without, as the oracle has it."""
    top = max([grade for each in qrels.values() for grade in each.values() if grade > 0], default=1)
    name = {"rbp": "RBP(p=0.8)", "err": f"ERR(max={top})"}.get(measure, measure)
    return name if k is None else f"{name}@{k}"


WRITTEN = {  # as trec_eval and ir_measures write them: our name, and the lowest relevant grade
    "ndcg_cut_10": ("ndcg@10", 1), "ndcg_cut.5": ("ndcg@5", 1), "P_5": ("p@5", 1), "P.5": ("p@5", 1), "map": ("ap", 1),
    "recall_100": ("recall@100", 1), "recip_rank": ("rr", 1), "success_1": ("success@1", 1), "Rprec": ("rprec", 1),
    "infAP": ("infap", 1), "map_cut_3": ("ap@3", 1), "nDCG@10": ("ndcg@10", 1), "P(rel=2)@5": ("p@5", 2),
    "RR": ("rr", 1), "RR(rel=2)@10": ("rr@10", 2), "AP(rel=2)": ("ap", 2), "R@3": ("recall@3", 1),
    "Judged@2": ("judged@2", 1),
    "nDCG(judged_only=True)@3": ("ndcg'@3", 1), "Bpref(rel=2)": ("bpref", 2), "AP(cutoff=3)": ("ap@3", 1),
}  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_a_measure_by_the_name_that_other_tools_give_it(written: str) -> None:
    qrels, run = oracle.example(7)
    ours, relevant = WRITTEN[written]
    tool = "trec_eval" if re.search("[_.]|^map|^Rprec|^infAP", written) and "(" not in written else "ir_measures"
    name, _, k = ours.partition("@")
    choices = [f"rel={relevant}"] * (relevant > 1) + [
        "ties=id" if written in ("Judged@2", "RR(rel=2)@10") else "ties=id-desc"
    ]
    same = nd.evaluate(qrels, run, measures=f"{name}({','.join(choices)})" + (f"@{k}" if k else ""))
    theirs = nd.evaluate(qrels, run, measures=written, convention=tool)
    assert theirs.per_query() == same.per_query() and list(theirs) == [written]


def test_one_evaluation_takes_several_levels_and_cut_offs_of_one_measure() -> None:
    result = nd.evaluate(QRELS, RUN, measures=["ndcg_cut.1", "2", "P@2", "P(rel=2)@2", "RBP(p=0.5)", "rbp(p=.8)"])
    assert list(result) == ["ndcg_cut.1", "nDCG(ties=id-descending)@2", "P@2", "P(rel=2)@2", "RBP(p=0.5)", "rbp(p=.8)"]
    assert result["P(rel=2)@2"] < result["P@2"] == result["p@2"] and result["RBP(p=0.5)"] != result["rbp(p=0.8)"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("nDCG(dcg='exp-log4')@10", "dcg='exp-log4' is not computed here"),
        ("nDCG(dcg='exp-log2')", "\"nDCG(dcg='exp-log2')\": ir_measures wants a cut-off; add one, as in nDCG("),
        ("nDCG(rel=2)@10", "nDCG does not depend on rel; it takes gain, discount"),
        ("rbp", "RBP is no number without p (ir_measures takes 0.8"),
        ("err@20", "ERR is no number without max (gdeval takes 4"),
        ("map", "trec_eval means AP(ties=id-descending); ranx means AP(ties=order)"),
        ("Hits", "Hits needs a cut-off"),
        ("nDCG(gain=exp,gain=linear)", "gain is said twice"),
        ("nDCG(gain=expo,ties=i)", "ties is 'i'; it can be average, order"),
        ("P(rel=0)@5", "relevant is 0"),
        ("RBP(p=2)", "persistence is 2"),
        ("P(rel=x)@5", "relevant is 'x': give a number"),
        ("Rprec@5", "Rprec has no cut-off"),
        ("ndcg_cut_0", "there is no measure 'ndcg_cut_0'"),
        ("ndcg@0", "the cut-off in 'ndcg@0' is not a whole number"),
        ("set_F_2", "'set_F_2': trec_eval has it, and this library does not compute it"),
    ],
)
def test_what_a_name_cannot_say_is_refused(written: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        nd.evaluate(QRELS, RUN, measures=written)


def test_a_card_says_what_counts_where_nothing_can_be_found() -> None:
    for written, says in {"nDCG@5": True, "Recall@5": True, "AP": True, "P@5": False, "DCG@5": False}.items():
        assert ("no relevant document: 0;" in nd.evaluate(QRELS, RUN, measures=written).cards()[0]) is says
        assert "no relevant document: left out;" in nd.evaluate(QRELS, RUN, measures=written, empty="skip").cards()[0]


def test_infap_of_ties_asks_for_an_order() -> None:
    with pytest.raises(ValueError, match="choose ties='id-descending'"):
        nd.evaluate({"q": {"a": 1, "b": -1}}, {"q": {"a": 1.0, "b": 1.0}}, measures="infap")


@pytest.mark.parametrize("case", PEERS["cases"])
@pytest.mark.parametrize("name", ["pytrec_eval", "ir_measures", "ranx", "ranx_burges", "sklearn"])
def test_a_preset_is_its_library(name: str, case: dict[str, Any]) -> None:
    wanted = case["peers"][name]
    files = [io.BytesIO(case[each].encode()) for each in ("qrels", "run")]
    result = nd.evaluate(*files, measures=list(wanted), convention=name)
    tables = nd.read_qrels(io.BytesIO(case["qrels"].encode())), nd.read_run(io.BytesIO(case["run"].encode()))
    same = nd.evaluate(*tables, measures=list(wanted), convention=name)
    for measure, value in wanted.items():
        if isinstance(value, dict):
            ours = result.per_query(measure)
            assert {query: ours[query] for query in value} == pytest.approx(value, abs=1e-9)
            if name == "pytrec_eval":
                assert set(ours) == set(value)
        else:
            assert result[measure] == pytest.approx(value, abs=1e-9)
        assert same[measure] == pytest.approx(result[measure], abs=1e-12)


def test_trec_eval_with_c_counts_a_missing_query_as_0() -> None:
    for case in PEERS["cases"]:
        files = [io.BytesIO(case[each].encode()) for each in ("qrels", "run")]
        per_query = case["peers"]["pytrec_eval"]["ndcg@10"]
        assert nd.evaluate(*files, 10, convention="trec_eval")["ndcg@10"] == pytest.approx(sum(per_query.values()) / 6)


def test_the_evaluation_of_untied_scores_is_ndcg_itself_to_the_last_bit() -> None:
    drawn = random.Random(3)
    documents = [f"d{at}" for at in range(60)]
    qrels = {f"q{at}": {d: drawn.choice([0, 1, 2, 3, 0.5]) for d in drawn.sample(documents, 30)} for at in range(20)}
    run = {query: {d: drawn.random() for d in drawn.sample(documents, 40)} for query in qrels}
    for gain, k in itertools.product(["linear", "exponential"], [5, 10, None]):
        values = nd.evaluate(*streams(qrels, run), k, gain=gain).per_query()
        for query, results in run.items():
            ranked = sorted(results, key=lambda document: -results[document])
            grades = [qrels[query].get(document, 0) for document in ranked]
            pool = [*qrels[query].values(), *[0] * (len(ranked))]
            assert values[query] == nd.ndcg(grades, k, judged=pool, gain=gain)


def test_a_perfect_run_has_exactly_1() -> None:
    drawn = random.Random(5)
    qrels = {f"q{at}": {f"d{d}": drawn.randrange(5) for d in range(40)} for at in range(30)}
    qrels = {query: grades | {"d0": 4} for query, grades in qrels.items()}
    for ties in ("average", "id", "worst"):
        assert set(nd.evaluate(*streams(qrels, qrels), 10, ties=ties).per_query().values()) == {1.0}


@pytest.mark.parametrize(("gain", "top"), [("exponential", 5000), ("linear", 1.7e308), ("linear", 1e-300)])
def test_huge_and_tiny_gains_are_scaled_within_their_query(gain: str, top: float) -> None:
    qrels = {"big": {f"d{d}": top * (1 - d * 2**-12) for d in range(20)}, "small": {"d1": 3, "d2": 2}}
    run = {query: {"d2": 2.0, "d1": 1.0} for query in qrels}
    values = nd.evaluate(*streams(qrels, run), gain=gain).per_query()
    assert values["small"] == nd.evaluate({"s": qrels["small"]}, {"s": run["small"]}, gain=gain)["ndcg"]
    grades, pool = [qrels["big"]["d2"], qrels["big"]["d1"]], list(qrels["big"].values())
    assert values["big"] == pytest.approx(nd.ndcg(grades, judged=pool, gain=gain))


def test_gains_from_a_table_or_a_function() -> None:
    expected = (1 + 10 / math.log2(3)) / (10 + 1 / math.log2(3))
    for gain in ({0: 0, 1: 1, 3: 10}, lambda grade: {0: 0, 1: 1, 3: 10}[grade]):
        assert nd.evaluate(QRELS, RUN, gain=gain).per_query()["51"] == pytest.approx(expected)
    with pytest.raises(ValueError, match="gain"):
        nd.evaluate(QRELS, RUN, gain={0: -1, 1: 1, 3: 10})


def test_a_document_of_grade_0_can_have_a_gain() -> None:
    result = nd.evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, gain={0: 1, 1: 2}, k=1)
    assert result["ndcg@1"] == 0.5
    assert nd.evaluate({"q": {"a": 0, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, gain={0: 1, 1: 2})["ndcg"] < 1


@pytest.mark.parametrize("ties", ["average", "order", "worst", "id"])
@pytest.mark.parametrize("ideal", ["judged", "returned"])
@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_long_rankings_from_dictionaries_are_those_from_files(ties: str, ideal: str, levels: int) -> None:
    drawn = random.Random(levels)
    documents = [f"d{at}" for at in range(400)]
    qrels = {f"q{at}": {d: drawn.choice([0, 1, 2, 3]) for d in drawn.sample(documents, 60)} for at in range(5)}
    run = {query: {d: drawn.randrange(levels) / 8 for d in drawn.sample(documents, 200)} for query in qrels}
    run["q1"] = dict(sorted(run["q1"].items(), key=lambda pair: -pair[1]))
    for measures in ("ndcg@10", "ndcg", "ap@5", ["p@3", "rr"]):
        table = nd.evaluate(qrels, run, measures=measures, ties=ties, ideal=ideal)
        files = nd.evaluate(*streams(qrels, run), measures=measures, ties=ties, ideal=ideal)
        for measure in table:
            assert table.per_query(measure) == pytest.approx(files.per_query(measure), abs=1e-12)


@pytest.mark.parametrize("from_files", [False, True])
def test_scores_in_single_precision(from_files: bool) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0 + 1e-12, "a": 1.0}}
    inputs = streams(qrels, run) if from_files else (qrels, run)
    assert nd.evaluate(*inputs)["ndcg"] == pytest.approx(1 / math.log2(3))
    inputs = streams(qrels, run) if from_files else (qrels, run)
    assert nd.evaluate(*inputs, score_precision="single")["ndcg"] == pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert nd.ndcg_scores([0, 1], [1.0 + 1e-12, 1.0], score_precision="single") == pytest.approx(
        (1 + 1 / math.log2(3)) / 2
    )


def test_scores_that_single_precision_cannot_tell_apart_tie(tmp_path: Path) -> None:
    tied = (1 + 1 / math.log2(3)) / 2
    (tmp_path / "run.txt").write_text("q Q0 a 1 1e300 me\nq Q0 b 2 1e299 me\n")
    for run in ({"q": {"a": 1e300, "b": 1e299}}, tmp_path / "run.txt"):
        found = nd.evaluate({"q": {"a": 0, "b": 1}}, run, score_precision="single")
        assert found["ndcg"] == pytest.approx(tied)
        assert "2 scores tie in single precision" in found.report
    for scores in ([1e300, 1e299], [2**60 + 1, 2**60]):
        for gain in ("linear", lambda grade: grade):  # the fast form, and the engine
            assert nd.ndcg_scores([0, 1], scores, gain=gain, score_precision="single") == pytest.approx(tied)
    assert nd.which(f"{tied:.6f}", [0, 1], scores=[1e300, 1e299])


# ---- files as they come ----


def shuffled(lines: bytes, seed: int) -> io.BytesIO:
    split = lines.splitlines(keepends=True)
    random.Random(seed).shuffle(split)
    return io.BytesIO(b"".join(split))


@pytest.mark.parametrize("size", [40, 1000, 1 << 20])
@pytest.mark.parametrize("ties", ["average", "best", "id", "id-descending"])
def test_scattered_queries_give_the_same(ties: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = oracle.example(11, most_documents=10, queries=12)
    judged, found = oracle.as_lines(qrels, run)
    names = ["ndcg@5", "ap", "rr", "ERR(max=4)"]
    wanted = nd.evaluate(io.BytesIO(judged), io.BytesIO(found), measures=names, ties=ties)
    monkeypatch.setattr(source, "BLOCK", size)
    for seed in range(5):
        got = nd.evaluate(shuffled(judged, seed), shuffled(found, seed), measures=names, ties=ties)
        for name in names:
            ours = got.per_query(name)
            assert {query: ours[query] for query in wanted.queries} == pytest.approx(wanted.per_query(name), abs=1e-12)
        assert "1 query of the run is not judged: left out." in got.report


def test_a_browser_has_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = dict(nd.evaluate(*streams(QRELS, RUN)))
    monkeypatch.setattr(hits, "ThreadPoolExecutor", lambda *_: pytest.fail("a thread is started"))
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert dict(nd.evaluate(*streams(QRELS, RUN))) == wanted


def test_scattered_queries_keep_the_order_of_their_lines() -> None:
    lines = b"1 Q0 a 1 5 me\n2 Q0 a 1 5 me\n1 Q0 b 2 5 me\n2 Q0 b 2 5 me\n1 Q0 c 3 5 me\n"
    for ties, value in (("order", 1 / math.log2(3)), ("reverse", 1 / math.log2(3)), ("id", 1 / math.log2(3))):
        assert nd.evaluate({"1": {"b": 1}}, io.BytesIO(lines), ties=ties)["ndcg"] == pytest.approx(value)
    assert nd.evaluate({"1": {"c": 1}}, io.BytesIO(lines), ties="order")["ndcg"] == 0.5
    assert nd.evaluate({"1": {"c": 1}}, io.BytesIO(lines), ties="reverse")["ndcg"] == 1.0


@pytest.mark.parametrize("wrong", ["run", "judged"])
def test_no_number_comes_from_ids_that_the_reader_cannot_tell_apart(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key stands for an id; where two ids have one key, the file is refused and not misread."""
    true_keys = Ids.keys.func  # type: ignore[attr-defined]
    twins = (b"good", b"other") if wrong == "run" else (b"good", b"d")

    def keys(ids: Ids) -> Any:
        return np.where([one in twins for one in ids.at()], np.uint64(7), true_keys(ids))

    monkeypatch.setattr(Ids, "keys", property(keys))
    lines = b"1 Q0 other 1 3 me\n1 Q0 d 2 2 me\n"
    with pytest.raises(ValueError, match="cannot be told apart"):
        nd.evaluate(io.BytesIO(b"1 0 good 1\n1 0 d 1\n"), io.BytesIO(lines), measures="recall")


def test_a_misspelt_option_is_named_with_the_one_that_was_meant() -> None:
    for function, runs in ((nd.evaluate, RUN), (nd.compare, {"run": RUN})):
        with pytest.raises(TypeError, match=r"there is no option 'gian'\. Did you mean 'gain'"):
            function(QRELS, runs, gian="linear")  # type: ignore[operator]
        assert {"gain", "ties", "convention", "measures"} <= inspect.signature(function).parameters.keys()


def test_numbers_and_texts_as_names() -> None:
    qrels = {51: {7: 3, 8: 1}}
    assert nd.evaluate(qrels, {51: {8: 0.5, 7: 0.25}})["ndcg"] == pytest.approx(nd.ndcg([1, 3]))
    assert nd.evaluate(qrels, io.BytesIO(b"51 Q0 8 1 0.5 me\n51 Q0 7 1 0.25 me\n"))["ndcg"] == pytest.approx(
        nd.ndcg([1, 3])
    )
    with pytest.raises(ValueError) as error:
        nd.evaluate({"51": {"7": 3}}, {51: {7: 0.5}})
    assert "its queries are like '51', the judged ones like '51' (of type int and str)" in str(error.value)


def test_rankings_and_relevant_documents_as_lists() -> None:
    assert nd.evaluate({"q": ["a", "b"]}, {"q": ["x", "a", "b"]}, measures=["ap", "p@2"])["ap"] == pytest.approx(7 / 12)


# ---- what is missing ----


def test_what_is_missing_is_said_in_one_line() -> None:
    result = nd.evaluate(QRELS, RUN, 10)
    assert result.report == (
        "3 judged queries. 1 judged query returned nothing: counted 0. 1 query has no relevant document: counted 0."
        " 1 query of the run is not judged: left out."
    )
    assert list(result.per_query()) == ["51", "52", "53"]
    full = nd.evaluate({"51": QRELS["51"]}, {"51": RUN["51"]})
    assert full.report == "1 judged query, none without results, none without a relevant document."


@pytest.mark.parametrize(
    ("choices", "queries", "values", "said"),
    [
        ({"missing": "skip"}, ["51", "53"], [None, 0.0], "1 judged query returned nothing: left out (52)."),
        ({"empty": "skip"}, ["51", "52"], [None, 0.0], "1 query has no relevant document: left out."),
        ({"empty": 1.0}, ["51", "52", "53"], [None, 0.0, 1.0], "1 query has no relevant document: counted 1."),
        ({"empty": 0.5, "ideal": "returned"}, ["51", "52", "53"], [None, 0.0, 0.5], "returned no relevant document"),
    ],
)
@pytest.mark.parametrize("from_files", [False, True])
def test_missing_and_empty_queries_as_the_convention_says(
    choices: dict[str, Any], queries: list[str], values: list[float | None], said: str, from_files: bool
) -> None:
    result = nd.evaluate(*(streams(QRELS, RUN) if from_files else (QRELS, RUN)), **choices)
    assert result.queries == queries
    got = list(result.per_query().values())
    assert [g for g, v in zip(got, values, strict=True) if v is not None] == [v for v in values if v is not None]
    assert result["ndcg"] == pytest.approx(sum(got) / len(got))
    assert said in result.report


@pytest.mark.parametrize(("choice", "name"), [("missing", "52"), ("empty", "53")])
def test_missing_and_empty_queries_can_be_errors(choice: str, name: str) -> None:
    with pytest.raises(ValueError, match=f"the judged query {name}, and {choice}='raise'"):
        nd.evaluate(QRELS, RUN, **{choice: "raise"})  # type: ignore[arg-type]


def test_an_unknown_value_stays_unknown_in_the_mean() -> None:
    assert math.isnan(nd.evaluate(QRELS, RUN, empty=math.nan)["ndcg"])


def test_no_query_counts() -> None:
    with pytest.raises(ValueError, match="no query has a value"):
        nd.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, empty="skip")


def test_a_run_of_other_queries_is_an_error_and_not_0() -> None:
    for qrels, run in ((QRELS, {"q1": {"a": 1.0}}), streams(QRELS, {"q1": {"a": 1.0}})):
        with pytest.raises(ValueError, match="its queries are like 'q1', the judged ones like '51'"):
            nd.evaluate(qrels, run)


def test_a_run_of_other_documents_is_0_and_a_question() -> None:
    for qrels, run in ((QRELS, {"51": {"A": 1.0}}), streams(QRELS, {"51": {"A": 1.0}})):
        result = nd.evaluate(qrels, run, 5)
        assert result["ndcg@5"] == 0
        assert "No returned document is judged: are the document ids the same?" in result.report


def test_an_empty_run_counts_0_for_every_query() -> None:
    assert nd.evaluate(QRELS, {})["ndcg"] == 0
    assert (
        "2 judged queries returned nothing"
        in nd.evaluate({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"1": ["a"]}).report
    )
    assert nd.evaluate({"1": {"a": 1}, "2": {}}, {"1": ["a"], "2": ["a"]}).per_query() == {"1": 1.0, "2": 0.0}


def test_grades_below_0_have_no_gain_and_are_counted() -> None:
    result = nd.evaluate({"q": {"a": -2, "b": 1}}, {"q": ["a", "b"]}, measures=["ndcg", "ap"])
    assert (result["ndcg"], result["ap"]) == (pytest.approx(1 / math.log2(3)), 0.5)
    assert "1 grade is below 0: no gain." in result.report


def test_lines_out_of_order_are_ranked_by_score_and_counted() -> None:
    lines = b"51 Q0 b 1 1.5 me\n51 Q0 a 2 2.5 me\n53 Q0 a 1 1 me\n"
    result = nd.evaluate(QRELS, io.BytesIO(lines))
    assert result.per_query()["51"] == 1.0
    assert "The lines of 1 query are not in the order of their scores: ranked by score." in result.report
    in_order = {"51": {"a": 2.5, "b": 1.5}, "53": {"a": 9.0, "b": 8.0}}
    assert "not in the order" not in nd.evaluate(*streams(QRELS, in_order)).report


def test_comments_are_counted() -> None:
    result = nd.evaluate(io.BytesIO(b"# pooled to 100\n51 0 a 1\n"), io.BytesIO(b"51 Q0 a 1 1 me\n# end\n"))
    assert "2 lines begin with #: not read." in result.report


# ---- what is asked ----


def test_measures_and_cutoffs() -> None:
    result = nd.evaluate(QRELS, RUN, [1, 5], measures=["NDCG", "ap", "p", "recall@2", "mrr@3"])
    assert list(result) == ["NDCG@1", "NDCG@5", "ap", "p@1", "p@5", "recall@2", "mrr@3"]
    assert str(result).splitlines()[0].split() == ["nDCG@1", "0.1111"] and result["ndcg@1"] == result["NDCG@1"]
    assert list(nd.evaluate(QRELS, RUN, convention="xgboost")) == ["ndcg@32"]


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"measures": "ndgc"}, "there is no measure 'ndgc'. Did you mean 'ndcg'?"),
        ({"measures": "ndcg@ten"}, "the cut-off in 'ndcg@ten'"),
        ({"measures": []}, "no measure is asked for"),
        ({"k": 0}, "k is 0"),
        ({"k": []}, "k is an empty list"),
        ({"convention": "sklern"}, "Did you mean 'sklearn'?"),
        ({"ties": "random"}, "ties is 'random'"),
        ({"measures": "ERR(max=2)"}, "max_grade is 2 but there is a grade of 3"),
        ({"measures": "ap", "convention": "sklearn"}, "sklearn has no AP"),
        ({"measures": "dcg@5", "convention": "trec_eval"}, "trec_eval has no DCG"),
    ],
)
def test_wrong_wishes(keywords: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError) as error:
        nd.evaluate(QRELS, RUN, **keywords)
    assert expected in str(error.value)


@pytest.mark.parametrize(
    ("qrels", "run", "expected"),
    [
        ({"51": {"a": "3"}}, RUN, "qrels, query 51, document a: grade '3' is not a number"),
        ({"51": {"a": math.nan}}, RUN, "qrels, query 51, document a: grade nan is not a number"),
        ({"51": {"a": math.inf}}, RUN, "grade inf is not a number"),
        ({"a": 3}, RUN, "qrels, query a: 3 is not a table"),
        ({}, RUN, "qrels holds no queries"),
        (QRELS, {"51": {"a": "0.5"}}, "run, query 51, document a: score '0.5' is not a number"),
        (QRELS, {"51": {"a": 1.0, "b": math.nan}}, "run, query 51, document b: score nan is not a number"),
        (QRELS, {"51": {f"d{at}": 1.0 for at in range(200)} | {"b": "7"}}, "document b: score '7' is not a number"),
        (QRELS, {"51": {"a": None}}, "score None is not a number"),
        (QRELS, {"51": 0.5}, "run, query 51: 0.5 is not a table"),
        (QRELS, {"51": ["a", "b", "a"]}, "run, query 51: document a comes twice"),
        (QRELS, {"51": {"a", "b"}}, "a set has no order"),
        (QRELS, 3, "run is of type int"),
        (None, RUN, "qrels is of type NoneType"),
    ],
)
def test_bad_tables(qrels: Any, run: Any, expected: str) -> None:
    with pytest.raises(ValueError) as error:
        nd.evaluate(qrels, run)
    assert expected in str(error.value)


def test_a_measure_that_was_not_computed() -> None:
    with pytest.raises(KeyError, match="ndcg@5 was not computed, but ndcg@10"):
        nd.evaluate(QRELS, RUN, 10)["ndcg@5"]


# ---- several runs ----


def test_runs_side_by_side(tmp_path: Path) -> None:
    judged, found = oracle.as_lines(QRELS, RUN)
    (tmp_path / "qrels.txt").write_bytes(judged)
    (tmp_path / "old.txt").write_bytes(found)
    (tmp_path / "new.txt").write_bytes(oracle.as_lines({}, {"51": {"a": 2.0, "b": 1.0}, "52": {"a": 1.0}})[1])
    comparison = nd.compare(tmp_path / "qrels.txt", [tmp_path / "old.txt", tmp_path / "new.txt"], 10)
    assert list(comparison) == ["old.txt", "new.txt"]
    difference = comparison.difference("new.txt", "old.txt")
    assert difference.per_query == pytest.approx({"51": 1 - nd.ndcg([1, 3]), "52": 1.0, "53": 0.0})
    assert (difference.better, difference.worse, difference.equal) == (2, 0, 1)
    assert difference.mean == pytest.approx(comparison["new.txt"]["ndcg@10"] - comparison["old.txt"]["ndcg@10"])
    assert str(comparison).splitlines()[0].split()[0] == "nDCG@10"


@draws(60)
@given(st.lists(st.sampled_from([0.0, 1e-15, -1e-15, 0.25, -0.25]), min_size=1, max_size=12))
def test_a_query_that_differs_by_rounding_alone_is_neither_better_nor_worse(values: list[float]) -> None:
    runs = {"old": [0.0] * len(values), "new": values}
    difference = nd.compare(runs).pairs[0]
    assert difference.better == sum(value == 0.25 for value in values)
    assert difference.worse == sum(value == -0.25 for value in values)
    assert difference.better + difference.worse + difference.equal == len(values)


@draws(60)
@given(st.lists(st.integers(0, 3), min_size=40, max_size=60), st.sets(st.integers(1, 50), min_size=2, max_size=4))
def test_several_cut_offs_at_once_give_what_each_gives_alone(grades: list[int], cuts: set[int]) -> None:
    qrels = {"51": {f"d{at}": grade for at, grade in enumerate(grades)} | {"missed": 2}}
    run = {"51": {f"d{at}": float(-at) for at in range(len(grades))}}
    together = nd.evaluate(qrels, run, sorted(cuts))
    assert dict(together) == {f"ndcg@{k}": nd.evaluate(qrels, run, k)[f"ndcg@{k}"] for k in cuts}


@pytest.mark.parametrize("runs", [{}, [], [RUN], ["a.txt", "a.txt"]])
def test_runs_need_names(runs: Any) -> None:
    with pytest.raises(ValueError, match="run"):
        nd.compare(QRELS, runs)


def test_the_report_says_what_the_tool_of_a_preset_would_do() -> None:
    qrels = {"q": {"a": 1.5, "b": 1, "c": 0.5}, "r": {"x": 1}}
    run = {"q": {"a": 0.98765432101, "b": 0.98765432100, "c": 0.1, "d": 0.1}, "s": {"x": 1.0, "y": 1 + 1e-12}}

    def told(convention: Any) -> str:
        files = [nd.evaluate(*streams(qrels, each), convention=convention).report for each in (run,)]
        assert nd.evaluate(qrels, run, convention=convention).report == files[0]
        return files[0]

    assert "2 grades are fractional: counted in full (trec_eval reads 1.5 as 1)." in told("trec_eval")
    assert "2 scores tie in single precision: ties by descending id." in told(
        "trec_eval_9"
    )  # and not 4: s is not judged
    assert "counted 0 (LightGBM has no row for such a query and leaves it out)." in told("lightgbm")
    assert "single precision" not in told("trec_eval")
    own = {"q": {"q": 1.0, "a": 0.5}}, {"q": {"q": 1, "a": 1}}
    for judged, found in ((own[1], own[0]), streams(own[1], own[0])):
        report = nd.evaluate(judged, found, convention="beir").report
        assert "1 document has the id of its query: counted (BEIR drops them unless it is told not to)." in report
    assert "(" not in told("textbook") + told(nd.CONVENTIONS["trec_eval"].but(ties="id", name="", stands_for=""))
