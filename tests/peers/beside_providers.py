"""The provider beside those of ir_measures, and the calls of ranx beside ranx itself, on random runs with equal scores.

PYTHONPATH=. python -m pytest --noconftest -o addopts= tests/peers/beside_providers.py
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from ndcg_lib.runs import ir_measures as as_provider
from ndcg_lib.runs import ranx as shim

MEASURES = (
    "nDCG nDCG@10 nDCG(judged_only=True)@5 nDCG(dcg='exp-log2')@10 AP MAP AP(rel=2)@5 RR RR@10 RR(rel=2)@5 P@5"
    " P(rel=2)@10 R@10 Success@5 Rprec Bpref infAP Judged@10 SetP SetR SetF SetAP SetP(relative=True) ERR@10 RBP(rel=1)"
    " RBP(p=0.5,rel=2)"
)
METRICS = ["ndcg", "ndcg@5", "ndcg_burges@3", "dcg@4", "map", "mrr@5", "precision@3", "recall@5-l2", "f1@5", "hits@5",
           "hit_rate@2", "r-precision"]  # fmt: skip


def drawn(seed: int, documents: int = 12) -> tuple[dict[str, Any], dict[str, Any]]:
    draw = random.Random(seed)
    names = [f"d{at}" for at in range(documents)]
    some = lambda: draw.sample(names, draw.randrange(1, documents))  # noqa: E731
    qrels = {str(q): {d: draw.randrange(4) for d in some()} for q in draw.sample(range(9), 5)}
    score = (lambda: float(draw.randrange(6))) if seed % 2 else draw.random
    return qrels, {q: {d: score() for d in some()} for q in qrels}


def test_the_provider_gives_the_values_of_the_others() -> None:
    theirs = pytest.importorskip("ir_measures")
    measures = [theirs.parse_measure(name) for name in MEASURES.split()]
    assert theirs.providers.registry["nd"] if as_provider.provider else None
    for seed in range(40):
        qrels, run = drawn(seed)
        run = {} if seed == 1 else run
        run = {
            ("77" if seed % 3 == 0 and not at else f"{at}0" if seed == 2 else q): each
            for at, (q, each) in enumerate(run.items())
        }
        mine, wanted = (one.calc(measures, qrels, run) for one in (as_provider.provider, theirs))
        assert mine.aggregated == pytest.approx(wanted.aggregated, abs=1e-5)  # gdeval's are rounded
        mine, wanted = ({(m.measure, m.query_id): m.value for m in each.per_query} for each in (mine, wanted))
        assert mine == pytest.approx(wanted, abs=1e-5), seed


def test_what_it_lacks_is_another_providers() -> None:
    theirs = pytest.importorskip("ir_measures")
    lacks = theirs.parse_measure("IPrec@0.5")
    assert as_provider.provider.supports(theirs.nDCG @ 10) and not as_provider.provider.supports(lacks)
    with pytest.raises(ValueError, match="does not compute it"):
        as_provider.provider.calc_aggregate([lacks], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    both = theirs.providers.FallbackProvider([as_provider.provider, theirs.pytrec_eval])
    assert both.calc_aggregate([lacks, theirs.RR], {"1": {"a": 1}}, {"1": {"a": 1.0}}) == {lacks: 1.0, theirs.RR: 1.0}


def test_the_calls_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    for seed in range(30):
        qrels, run = drawn(seed, 40 if seed % 5 == 0 else 12)
        made = ranx.Qrels(qrels), ranx.Run(run)
        for given in ((qrels, run), made) if seed % 5 else (made,):
            wanted = ranx.evaluate(*given, METRICS, return_mean=False)
            mine = shim.evaluate(*given, METRICS, return_mean=False)
            for metric in METRICS:
                assert mine[metric] == pytest.approx(wanted[metric], abs=1e-12), (seed, metric)
        lost = ranx.Run(dict(list(run.items())[1:]))
        options: dict[str, Any] = {"return_std": True, "make_comparable": True}
        if seed % 10 == 5:
            with pytest.raises(ValueError, match="no certain order"):
                shim.evaluate(made[0], lost, "ndcg@5", **options)
            continue
        mine = shim.evaluate(made[0], lost, "ndcg@5", **options)
        assert mine == pytest.approx(ranx.evaluate(made[0], lost, "ndcg@5", **options), abs=1e-12)


def test_a_comparison_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    qrels, run = drawn(2)
    runs = [ranx.Run(run, name="one"), ranx.Run({q: drawn(4)[1].get(q, {"d1": 1.0}) for q in run}, name="two")]
    mine, wanted = (one(ranx.Qrels(qrels), runs, ["ndcg@5", "map"]) for one in (shim.compare, ranx.compare))
    assert {name: dict(each) for name, each in mine.items()} == {n: pytest.approx(e) for n, e in wanted.results.items()}
    for pair in mine.pairs:
        theirs = wanted.comparisons[frozenset((pair.run, pair.other))][pair.measure]["p_value"]
        assert pair.t_p == pytest.approx(theirs, abs=1e-9)


def test_why_dictionaries_in_another_order_are_refused() -> None:
    ranx = pytest.importorskip("ranx")
    qrels, run = {"b": {"x": 2}, "a": {"z": 1}}, {"a": {"z": 1.0}, "b": {"x": 1.0}}
    assert ranx.evaluate(qrels, run, "mrr") == 0
    with pytest.raises(ValueError, match="in another order"):
        shim.evaluate(qrels, run, "mrr")
