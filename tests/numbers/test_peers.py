"""What other implementations answer, from book/data/peers.json, against the presets that stand for them.

The weekly workflow asks the implementations themselves again, as pinned and the newest: tests/peers/measure.py --check.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ndcg_lib as nd
from ndcg_lib.presets import DIFFERS

HERE = Path(__file__).parents[1] / "peers"
TABLE = json.loads((HERE.parents[1] / "book" / "data" / "peers.json").read_text("utf8"))
ENTRIES: dict[str, dict[str, Any]] = TABLE["peers"]


def load(name: str) -> Any:
    """A module of tests/peers; they import each other by their short names."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = load("cases").CASES
load("frameworks")
restated = load("restated")
PEERS = load("adapters").PEERS
measure = load("measure")


def by_preset(peer: str, case: Any) -> float | None:
    """What ndcg_lib gives under a peer's preset or choices, from what the peer sees; None where it refuses."""
    entry = ENTRIES[peer]
    convention = nd.CONVENTIONS[entry["preset"]] if entry["preset"] else nd.Convention(**entry["choices"])
    keywords = {} if case.k is None else {"k": case.k}
    try:
        if entry["sees"] != "arrays":
            (value,) = nd.evaluate(case.qrels(), case.run(), convention=convention, **keywords).values()
            return value
        rows = [row for row in case.rows() if row[0]]
        values = [nd.ndcg_scores(*row, convention=convention, **keywords) for row in rows]
        return nd.mean(values, convention=convention)
    except ValueError:
        return None


NAMED = [peer for peer, entry in ENTRIES.items() if entry["preset"]]
REPRODUCED = [peer for peer, entry in ENTRIES.items() if entry["preset"] or entry["choices"] is not None]


def answered(peer: str) -> list[str]:
    """The cases to which a peer gives the same answer on every machine."""
    return [case for case in CASES if case not in ENTRIES[peer]["varies"]]


@pytest.mark.parametrize("peer", REPRODUCED)
def test_the_preset_gives_what_the_peer_gives_or_the_table_says_why_not(peer: str) -> None:
    entry = ENTRIES[peer]
    for case in answered(peer):
        theirs, ours = entry["values"][case], by_preset(peer, CASES[case])
        if isinstance(theirs, str) and case not in entry["differs"]:
            continue  # an error, a crash or nan: no number to compare, and the table shows which
        same = isinstance(theirs, float) and ours is not None and abs(ours - theirs) <= entry["within"]
        if case in entry["differs"]:
            assert not same, f"{case}: the table says that they differ, and they do not"
            assert len(entry["differs"][case]) > 20
        else:
            assert same, f"{case}: {peer} gives {theirs}, {entry['preset'] or entry['choices']} gives {ours}"


@pytest.mark.parametrize("peer", NAMED)
def test_a_report_says_where_the_tool_gives_something_else(peer: str) -> None:
    entry = ENTRIES[peer]
    convention = nd.CONVENTIONS[entry["preset"]]
    tool = convention.stands_for.split()[0].rstrip(",")
    said = {text.format(tool) for text in DIFFERS.get(entry["preset"], {}).values()}
    for case in answered(peer):
        theirs, asked = entry["values"][case], CASES[case]
        if isinstance(theirs, str) and not asked.run():
            continue  # both have nothing to say about nothing
        try:
            result = nd.evaluate(asked.qrels(), asked.run(), asked.k, convention=convention)
        except ValueError:
            continue  # which says more than a report
        if isinstance(theirs, str) or abs(next(iter(result.values())) - theirs) > entry["within"]:
            assert any(text in result.report for text in said), (case, theirs)


def test_every_preset_that_differs_is_one() -> None:
    assert nd.CONVENTIONS.keys() >= DIFFERS.keys()


@pytest.mark.parametrize("ties", ["average", "order", "worst", "id-descending"])
def test_a_tool_that_rounds_scores_is_found_out(ties: str) -> None:
    """Whichever way a tool breaks ties, its answer to nearly-tied tells whether it saw one."""
    found = []
    for case in (CASES["nearly-tied"], CASES["nearly-tied"].mirrored()):
        (query,) = case.queries
        scores = [np.array(query.scores, kind) for kind in (np.float32, np.float64)]
        found.append({nd.ndcg_scores(query.grades, each, ids=list(query.run()), ties=ties) for each in scores})
    assert max(map(len, found)) == 2


def test_the_table_holds_every_case_of_each_implementation() -> None:
    assert list(TABLE["cases"]) == list(CASES)
    assert list(ENTRIES) == list(PEERS)
    for entry in ENTRIES.values():
        assert list(entry["values"]) == list(CASES)
        numbers = sum(isinstance(value, float) for value in entry["values"].values())
        assert numbers > 0.7 * len(CASES), "an adapter that answers little says little"


def test_an_answer_that_varies_between_machines_is_explained() -> None:
    varying = {(name, case) for name, entry in ENTRIES.items() for case in entry["varies"]}
    assert {name for name, _ in varying} == {"scikit-learn, ignore_ties", "Keras-RS", "TensorFlow Ranking"}
    assert all(re.search("processor|at random", ENTRIES[name]["differs"][case]) for name, case in varying)


def test_only_float32_tools_are_compared_in_single_precision() -> None:
    """Where a tool computes in double precision, 1e-9 is asked, unless it rounds; a mean of two has a digit more."""
    loose = {entry["package"] for entry in ENTRIES.values() if 1e-9 < entry["within"] <= 1e-6}
    assert loose == {"xgboost", "catboost", "torchmetrics", "pytorch-ignite", "keras-rs", "tensorflow-ranking"}
    for name, entry in ENTRIES.items():
        if entry["within"] > 1e-6:
            digits = {"BEIR": 5, "MTEB": 5, "gdeval": 5, "RecBole": 4, "OpenSearch workbench": 3}[name]
            values = [value for value in entry["values"].values() if isinstance(value, float)]
            assert values == pytest.approx([round(value, digits) for value in values], rel=0, abs=1e-12), name


def test_the_restated_trec_eval_9_answers_as_the_code_of_trec_eval_in_pytrec_eval() -> None:
    theirs, ours = (ENTRIES[name]["values"] for name in ("pytrec_eval", "trec_eval 9"))
    numbers = [case for case, value in theirs.items() if isinstance(value, float)]
    assert {case: ours[case] for case in numbers} == pytest.approx({case: theirs[case] for case in numbers}, abs=1e-12)


@pytest.mark.parametrize("peer", [peer for peer, entry in ENTRIES.items() if entry["preset"]])
def test_the_preset_names_the_version_that_was_measured(peer: str) -> None:
    entry = ENTRIES[peer]
    assert entry["version"] in nd.CONVENTIONS[entry["preset"]].stands_for.split()[1].rstrip(",")


def test_the_restated_spark_gives_what_spark_shell_printed() -> None:
    """RankingMetrics of Spark 4.3.0, asked in Scala; the labels are in the order given, the predictions before them."""
    asked = [
        ("abcdef", "abcdef", (3, 2, 3, 0, 1, 2), 6, 1.0),
        ("abcdef", "abcdef", (0, 0, 0, 0, 0, 3), 6, 1.0),
        ("fedcba", "abcdef", (0, 1, 2, 3, 3, 3), 6, 1.6038710188695633),
        ("abc", "abcmn", (3, 0, 2, 3, 1), 3, 1.0),
        ("dcba", "abcd", (0, 1, 2, 3), 2, 14.094737505048094),
    ]
    for predicted, labels, grades, k, printed in asked:
        judged, run = dict(zip(labels, grades, strict=True)), {d: -float(at) for at, d in enumerate(predicted)}
        query = SimpleNamespace(qrels=lambda judged=judged: judged, run=lambda run=run: run)
        assert restated.spark(SimpleNamespace(queries=[query], k=k)) == pytest.approx(printed, abs=1e-12)


def test_presets_that_stand_for_tools_were_measured() -> None:
    papers = {"textbook", "jarvelin-kekalainen", "burges"}
    measured = {entry["preset"] for entry in ENTRIES.values()}
    missing = ", ".join(nd.CONVENTIONS.keys() - papers - measured)
    assert not missing, (
        f"{missing}: ask the tool itself. Add it to PEERS in tests/peers/adapters.py with preset={missing!r} and run"
        " tests/peers/measure.py in an environment that has it; a definition of a paper goes into `papers` here"
    )


def test_an_ideal_of_k_relevant_documents_is_a_slip_and_no_convention() -> None:
    """RecTools as it comes."""
    values = ENTRIES["RecTools"]["values"]
    for name in ("six-grades", "k-beyond-list", "missed", "cut-at-3"):
        case = CASES[name]
        k = case.k or case.longest()
        hits = [float(grade > 0) for grade in case.queries[0].grades][:k]
        assert values[name] == pytest.approx(nd.dcg(hits) / nd.dcg([1] * k), abs=1e-9)
        assert name == "cut-at-3" or values[name] < nd.ndcg(hits, judged=[1] * sum(map(bool, hits)))


@pytest.mark.parametrize("peer", ENTRIES)
def test_the_table_states_every_choice(peer: str) -> None:
    choices = {"gain", "discount", "ties", "ideal", "empty", "missing", "default k"}
    assert ENTRIES[peer]["semantics"].keys() == choices
    assert ENTRIES[peer]["semantics"] == measure.semantics(PEERS[peer])


def test_a_changed_answer_is_found() -> None:
    old = ENTRIES["scikit-learn"]
    for case, value in (("six-grades", 0.9608), ("six-grades", "nan"), ("one-document", 1.0), ("one-document", "nan")):
        new = old | {"values": old["values"] | {case: value}}
        assert measure.difference("scikit-learn", old, new)
    assert measure.difference("scikit-learn", old, old | {"preset": None})
    assert not measure.difference("scikit-learn", old, old | {"version": "2.0"}), "it answers as before"
    assert not measure.difference("scikit-learn", old, old)


def test_a_crash_is_recorded_and_the_other_cases_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent reads one line per case, and starts again behind the case that ended the process."""
    started = []

    def child(command: list[str], **_: Any) -> Any:
        started.append(command[4:])
        lines = [f'{measure.MARK}{{"{name}": 0.5}}' for name in command[4:7]]
        return measure.subprocess.CompletedProcess(command, -11 if len(command) > 7 else 0, "\n".join(lines), "")

    monkeypatch.setattr(measure.subprocess, "run", child)
    found = measure.answers(PEERS["scikit-learn"])
    names = list(CASES)
    assert started[:2] == [names, names[4:]]
    assert found[names[3]] == "crash: signal 11"
    assert found[names[2]] == found[names[4]] == 0.5
    assert list(found) == names
    assert not any(math.isnan(value) for value in found.values() if isinstance(value, float))
