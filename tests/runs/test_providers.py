"""The provider for ir_measures and the calls of ranx.

The numbers of ranx itself are stored by tests/peers/strings.py; ir_measures is installed beside this environment.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ndcg_lib as nd
from ndcg_lib.runs import ir_measures as as_provider
from ndcg_lib.runs import ranx as shim

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "tests" / "peers"
sys.path.append(str(PEERS))
import strings  # noqa: E402 - tests/peers/strings.py

STORED: dict[str, Any] = json.loads((PEERS / "strings.json").read_text())


class Held:
    """What the shim sees of a Qrels or Run of ranx."""

    sorted = True

    def __init__(self, table: dict[str, Any], name: str = "") -> None:
        self.table, self.name = table, name

    def to_dict(self) -> dict[str, Any]:
        return self.table


def test_without_ir_measures_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)  # type: ignore[arg-type]
    as_provider._registered.cache_clear()
    with pytest.raises(ImportError, match="is not installed: pip install ir_measures"):
        from ndcg_lib.runs.ir_measures import provider  # noqa: F401
    with pytest.raises(AttributeError, match="provider_"):
        _ = as_provider.provider_


def test_equal_scores_keep_the_order_of_the_run_in_its_rbp() -> None:
    """cwl_eval computes that one, and sorts by score alone; the others go by the name of the document."""
    run, names = {"1": {"a": 1.0, "b": 1.0}}, ["RBP(rel=1)", "RR"]
    found = nd.evaluate({"1": {"a": 1, "b": 0}}, run, measures=names, convention="ir_measures")
    assert dict(found) == {"RBP(rel=1)": pytest.approx(0.2), "RR": 0.5}


@pytest.mark.sweep
def test_ir_measures_own_tests_hold_with_the_provider(tmp_path: Path) -> None:
    wanted = re.findall(
        r"^((?:ir_measures|pytrec_eval-terrier|cwl-eval)==\S+)", (PEERS / "requirements.txt").read_text(), re.M
    )
    assert len(wanted) == 3
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", tmp_path]
    subprocess.run([*pip, *wanted], check=True)
    there = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    pytest_words = ["-m", "pytest", "-q", "--noconftest", "-o", "addopts=", "-p", "no:cacheprovider", "-k", "not ranx"]
    for words in (["ir_measures_own.py"], [*pytest_words, "beside_providers.py"]):
        ran = subprocess.run(
            [sys.executable, *words], cwd=PEERS, env=there, capture_output=True, text=True, check=False
        )
        assert not ran.returncode, ran.stdout + ran.stderr
        assert re.search("[0-9]{3} assertions pass, 0 fail|2 passed", ran.stdout), ran.stdout


def test_the_calls_of_ranx_give_its_numbers_or_refuse() -> None:
    compared = 0
    for name in (each for tool, each in strings.names() if tool == "ranx"):
        for number, theirs in enumerate(STORED[f"ranx {name}"]):
            qrels, run = strings.table(number)
            try:
                mine = shim.evaluate(Held(qrels), Held(run), name, return_mean=False)
            except ValueError:
                continue
            if theirs:
                assert dict(zip(sorted(qrels), mine, strict=True)) == pytest.approx(theirs[""], abs=1e-12), name
                assert shim.evaluate(Held(qrels), Held(run), name) == pytest.approx(np.mean(mine))
                compared += 1
    assert compared > 100


QRELS, RUN = {"1": {"a": 1}, "2": {"b": 2}}, {"1": {"a": 1.0}, "2": {"b": 1.0, "c": 2.0}}
LONG = {"1": {f"d{at}": 1.0 for at in range(16)}}


@pytest.mark.parametrize(
    ("qrels", "run", "metrics", "said"),
    [
        (QRELS, RUN, "nDCG@10", "ranx has no metric 'nDCG@10'"),
        (QRELS, RUN, ["mrr", "bpref"], "differs from trec_eval's"),
        (QRELS, Held(RUN), "mrr", "two dictionaries"),
        (Held(QRELS), "run.txt", "mrr", "Qrels and Run of ranx"),
        (QRELS, {"1": RUN["1"]}, "mrr", "not the same queries.*add or leave out"),
        (Held(QRELS), Held({"1": RUN["1"]}), "mrr", "pass make_comparable=True"),
        (QRELS, dict(reversed(RUN.items())), "mrr", "in another order"),
        ({"1": {"a": 0.6}}, {"1": {"a": 1.0}}, "mrr", "query 1: a grade is fractional"),
        ({"1": {"d3": 1}}, LONG, "mrr", "query 1: scores are equal in a list of more than 15"),
    ],
)
def test_what_ranx_has_not_or_gets_wrong_is_refused(qrels: Any, run: Any, metrics: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        shim.evaluate(qrels, run, metrics)


def test_what_the_calls_return() -> None:
    lost = Held({"2": RUN["2"], "stranger": {"x": 1.0}})
    assert shim.evaluate(Held(QRELS), lost, "mrr", make_comparable=True, return_std=True) == {"mean": 0.25, "std": 0.25}
    apart = shim.evaluate(Held(dict(reversed(QRELS.items()))), Held(RUN), "mrr", return_mean=False)
    assert apart.tolist() == [1, 0.5], "sorted by query"
    equal = {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    assert [shim.evaluate(*equal, "mrr"), shim.evaluate(*map(Held, equal), "mrr")] == [0.5, 1], "which ranx turns round"
    assert shim.evaluate(Held({"1": {"d3": 1}}), Held(LONG), "mrr") == 0.25, "sorted: it says how"
    with pytest.raises(ValueError, match="no certain order"):
        shim.evaluate(Held({"1": {"d3": 1}}), Held(LONG), "mrr", make_comparable=True)
    with pytest.raises(ValueError, match="nothing is saved"):
        shim.evaluate(QRELS, RUN, "mrr", save_results_in_run=True)
    found = shim.compare(Held(QRELS), [Held(RUN, "old"), Held(QRELS)], ["mrr", "map"])
    assert {name: dict(each) for name, each in found.items()} == {
        "old": {"mrr": 0.75, "map": 0.75}, "run_2": {"mrr": 1.0, "map": 1.0}}  # fmt: skip
    with pytest.raises(ValueError, match="stat_test: the table and its tests"):
        shim.compare(QRELS, [RUN], "mrr", stat_test="fisher")
    with pytest.raises(ValueError, match="two runs have the same name"):
        shim.compare(Held(QRELS), [Held(RUN, "old"), Held(RUN, "old")], "mrr")
