"""Every tool that is installed, asked for random runs: the preset that stands for it gives the same number.

peers/bin/python -m pytest --noconftest -o addopts= tests/peers/random_runs.py
"""

from __future__ import annotations

import importlib.util
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

import frameworks  # noqa: E402
import numpy as np  # noqa: E402
from adapters import PEERS, ROUNDED, Peer  # noqa: E402
from cases import Case, Query, ranked  # noqa: E402
from measure import installed, recipe  # noqa: E402

import ndcg_lib as nd  # noqa: E402

RUNS = 60


def drawn(seed: int, peer: Peer) -> Case:
    """Whole grades, ties, scores that differ in the eighth digit, documents that nobody judged or returned."""
    draw = random.Random(seed)
    k = draw.choice([1, 3, 5, 10])
    queries = []
    size = draw.randrange(max(2, k), 30)  # ir_evaluation wants k documents, scikit-learn two, and rows of one length
    for _ in range(draw.randrange(1, 3)):
        grades = [draw.choice([0, 0, 1, 2, 3, 4]) for _ in range(size)]
        missed = [draw.choice([0, 1, 2, 3]) for _ in range(draw.randrange(4))]
        levels = [draw.choice([0.25, 0.5, 1.0]) for _ in range(size)]
        scores = draw.choice([levels, [level + 1e-9 * at for at, level in enumerate(levels)]])
        if size > peer.keeps_order or draw.random() < 0.3:
            scores = [float(score) for score in draw.sample(range(1000), size)]
        ids = [f"d{at}" for at in draw.sample(range(1000), size)]
        unjudged = [None if peer.sees != "arrays" and draw.random() < 0.2 else grade for grade in grades]
        if not any([*filter(None, unjudged), *missed]):
            unjudged[0] = 1
        queries.append(Query(tuple(unjudged), tuple(scores), tuple(missed), tuple(ids)))
    return Case(str(seed), "drawn", tuple(queries), k)


def by_preset(peer: Peer, case: Case) -> float:
    convention = recipe(peer) or nd.Convention()
    if peer.default_k.startswith("none"):
        cut = {q: {d: case.run()[q][d] for d in ranked(case.run()[q])[: case.k]} for q in case.run()}
        return nd.evaluate(case.qrels(), cut, convention=convention)["ndcg"]
    if peer.sees != "arrays":
        return nd.evaluate(case.qrels(), case.run(), case.k, convention=convention)[f"ndcg@{case.k}"]
    values = [nd.ndcg_scores(*row, k=case.k, convention=convention) for row in case.rows()]
    return nd.mean(values, convention=convention)


@pytest.mark.parametrize("name", [name for name, peer in PEERS.items() if recipe(peer) and installed(peer)])
def test_a_preset_gives_the_number_of_its_tool_on_random_runs(name: str) -> None:
    peer, compared = PEERS[name], 0
    for seed in range(RUNS):
        case = drawn(seed, peer)
        if peer.sees == "arrays" and not all(any(grades) for grades, _ in case.rows()):
            continue  # the cases of the table tell what each does then
        theirs, ours = peer.ask(case), by_preset(peer, case)
        assert np.isclose(ours, theirs, rtol=0, atol=peer.within), (seed, theirs, ours)
        compared += 1
    assert compared > RUNS / 2


@pytest.mark.parametrize(("name", "value"), [("LlamaIndex", 1 + 1 / np.log2(3)), ("Haystack", 1)])
def test_a_document_that_is_returned_twice(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    if not installed(PEERS[name]):
        pytest.skip(f"needs {name}")
    monkeypatch.setattr(frameworks, "ranked", lambda run: [*run, *run])
    assert PEERS[name].ask(Case("twice", "one, twice", (Query((1,)),))) == pytest.approx(value, abs=1e-12)


# ---- the recipes of the chapter "Make two tools agree", on its data ----

PAGE = Path(__file__).parents[2] / "book" / "chapters" / "make-two-tools-agree.md"


class Given(Case):
    """Judgements and a run as they are; arrays get a row for each question with results."""

    def __init__(self, judged: dict[str, dict[str, float]], found: dict[str, dict[str, float]], k: int) -> None:
        self.__dict__.update(name="given", k=k, judged=judged, found=found)

    def qrels(self) -> dict[str, dict[str, float]]:
        return {query: {d: int(grade) for d, grade in each.items()} for query, each in self.judged.items()}

    def run(self) -> dict[str, dict[str, float]]:
        return {query: dict(each) for query, each in self.found.items()}

    def rows(self) -> list[tuple[list[float], list[float]]]:
        return [([self.judged[q].get(d, 0) for d in each], list(each.values())) for q, each in self.found.items()]


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the cells of the page define, up to the table."""
    spec = importlib.util.spec_from_file_location("trec", PAGE.parents[1] / "trec.py")
    assert spec and spec.loader
    sys.modules["trec"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["trec"])
    text, names = PAGE.read_text("utf8"), dict[str, Any]()
    for cell in re.findall(r"```\{code-cell\} python\n((?::tags: [^\n]*\n)?)(.*?)```", text, re.DOTALL):
        if "hide-input" not in cell[0] and "Markdown(" not in cell[1]:
            exec(cell[1], names)
    return names


def asked(peer: Peer, case: Given, settings: dict[str, Any]) -> float:
    if peer.preset != "sklearn":
        return peer.ask(case, **settings) if settings else peer.ask(case)
    return float(np.mean([peer.ask(Given({q: case.judged[q]}, {q: each}, case.k)) for q, each in case.found.items()]))


def test_each_recipe_of_the_book_makes_its_tool_agree(page: dict[str, Any]) -> None:
    """Where a tool is installed, it is the tool that is asked."""
    by_preset = {peer.preset: peer for peer in PEERS.values() if peer.preset and installed(peer)}
    done = 0
    for tool, preset, _, _, steps, settings, _ in page["RECIPES"]:
        if peer := by_preset.get(preset):
            judged, found = page["after"](steps, page["nist"], page["found"])
            assert asked(peer, Given(judged, found, 10), settings) == pytest.approx(page["goal"], abs=1.01e-5), tool
            done += 1
    assert done >= 2


def test_trec_eval_follows_gdeval_and_ms_marco(page: dict[str, Any]) -> None:
    if not (installed(PEERS["gdeval"]) and installed(PEERS["pytrec_eval"])):
        pytest.skip("needs ir_measures and pytrec_eval")
    ranks = page["ranks"]
    assert PEERS["gdeval"].ask(Given(page["nist"], ranks, 10)) == pytest.approx(page["web"], abs=ROUNDED)
    assert PEERS["pytrec_eval"].ask(Given(page["double"], ranks, 10)) == pytest.approx(page["web"], abs=1e-9)
    lines = nd.read_run(page["run"]("bm25", "covid"))  # the script of MS MARCO reads the lines as they stand
    firsts = [[page["nist"][q].get(d, 0) >= 2 for d in list(results)[:10]] for q, results in lines.items()]
    by_hand = [1 / (hits.index(True) + 1) if any(hits) else 0 for hits in firsts]
    assert sum(by_hand) / len(page["nist"]) == pytest.approx(page["rr10"], abs=1e-12)
