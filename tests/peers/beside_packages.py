"""What needs other packages: the data frames of three libraries, and untidy TREC files read beside pytrec_eval.

    peers/bin/python -m pytest --noconftest -o addopts= tests/peers/beside_packages.py

The weekly workflow does this in the environment of requirements.txt; no other test needs these packages.
"""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import ir_measures
import lightgbm
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import pytrec_eval
import ranx
import xgboost
from catboost.utils import eval_metric
from sklearn.metrics import ndcg_score

import ndcg_lib as nd

RUN = {"51": {"d7": 12.5, "d9": 11.25}, "52": {"d7": -3.0}}
QRELS = {"51": {"d7": 3, "d8": 0}, "52": {"d7": 1}}
MEASURES = {
    "ndcg": "ndcg", "ndcg@1": "ndcg_cut_1", "ndcg@5": "ndcg_cut_5", "ndcg@10": "ndcg_cut_10", "ap": "map",
    "rr": "recip_rank", "p@5": "P_5", "recall@10": "recall_10",
}  # fmt: skip

# ---- data frames ----

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pandas.DataFrame,
    "pandas, pyarrow types": lambda columns: pandas.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, categories": lambda columns: pandas.DataFrame(columns).astype({"qid": "category", "docno": "category"}),
    "polars": polars.DataFrame,
    "polars, lazy": lambda columns: polars.DataFrame(columns).lazy(),
    "pyarrow": pyarrow.table,
    "duckdb, by narwhals": lambda columns: duckdb.from_arrow(pyarrow.table(columns)),
}


def columns(table: Any, value: str) -> dict[str, list[Any]]:
    rows = [(query, document, one) for query, each in table.items() for document, one in each.items()]
    return dict(zip(("qid", "docno", value), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_data_frame(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    run, qrels = make(columns(RUN, "score")), make(columns(QRELS, "label"))
    assert nd.read_run(run) == RUN
    assert nd.read_qrels(qrels) == QRELS
    assert nd.evaluate(qrels, run)["ndcg"] == nd.evaluate(QRELS, RUN)["ndcg"] == 1.0
    assert nd.evaluate(QRELS, run, ties="id").per_query() == {"51": 1.0, "52": 1.0}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_bad_data_frame(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    bad = {
        "run, rows 0 and 1: document a comes twice in query 1": (["1", "1"], ["a", "a"], [1.0, 2.0]),
        "run, row 1: the document is missing": (["1", "1"], ["a", None], [1.0, 2.0]),
        "run, row 1: score": (["1", "1"], ["a", "b"], [1.0, None]),
    }
    for said, (queries, documents, scores) in bad.items():
        with pytest.raises(ValueError) as error:
            nd.evaluate({"1": {"a": 1}}, make({"qid": queries, "docno": documents, "score": scores}))
        assert str(error.value).startswith(said)


def test_parquet(tmp_path: Path) -> None:
    made = {"run": pandas.DataFrame(columns(RUN, "score")), "qrels": pandas.DataFrame(columns(QRELS, "label"))}
    for name, frame in made.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    run, qrels = tmp_path / "run.parquet", tmp_path / "qrels.parquet"
    assert nd.read_run(run) == nd.read_run(io.BytesIO(run.read_bytes())) == RUN
    assert nd.evaluate(str(qrels), run)["ndcg"] == 1.0
    with pytest.raises(ValueError, match="not Parquet"):
        nd.read_run(io.BytesIO(run.read_bytes()[:100]))


# ---- untidy files ----

BLANKS = [" ", "\t", "  ", " \t ", "    "]
ENDS = ["\n", "\r\n", " \n", "\n\n", "\t\n"]
LETTERS = "abzABZ019-_.:/#é文"


def id_of(drawn: random.Random) -> str:
    length = drawn.choice([1, 2, 7, 8, 9, 16, 17, 40, 300])
    return "d" + "".join(drawn.choices(LETTERS, k=length))


def score_of(drawn: random.Random) -> str:
    value = drawn.choice(
        [drawn.gauss(0, 10), drawn.choice([0.5, 1.5, -1.0]), drawn.randrange(4), 10 ** drawn.gauss(0, 9)]
    )
    return drawn.choice(
        [
            f"{value:.6f}",
            f"{value:.1f}",
            f"{value:.3e}",
            f"{value:+.2f}",
            repr(value),
            f"{value:.17g}",
            "1e-5",
            "-0",
            "inf",
        ]
    )


def untidy(seed: int) -> tuple[bytes, bytes]:
    """Judgements and a run as trec_eval takes them: any blanks, negative grades, huge ranks, ties, strangers."""
    drawn = random.Random(seed)
    qrels, run = [], []
    for query in range(drawn.randrange(1, 8)):
        documents = list({id_of(drawn) for _ in range(drawn.randrange(2, 60))})
        name = f"q{query}" * drawn.choice([1, 1, 9])
        if drawn.random() < 0.9:
            grades = [drawn.choice([0, 1])]  # pytrec_eval 0.5.11 crashes where all grades are -2
            for document in drawn.sample(documents, drawn.randrange(1, len(documents) + 1)):
                qrels.append([name, drawn.choice(["0", "Q0", "x"]), document, str(grades[-1])])
                grades.append(drawn.choice([-2, -1, 0, 0, 1, 2, 3, 50]))
        if drawn.random() < 0.9:
            for document in drawn.sample(documents, drawn.randrange(1, len(documents) + 1)):
                rank = str(drawn.choice([0, 1, -3, 10**12]))
                run.append([name, "Q0", document, rank, score_of(drawn), drawn.choice(["me", "é", "run-1"])])
    qrels = qrels or [["q0", "0", "d", "1"]]
    run = run or [["q0", "Q0", "d", "1", "1", "me"]]
    if drawn.random() < 0.3:
        drawn.shuffle(run)
    if drawn.random() < 0.3:
        drawn.shuffle(qrels)
    return text(drawn, qrels), text(drawn, run)


def text(drawn: random.Random, rows: list[list[str]]) -> bytes:
    tidy = drawn.random() < 0.3
    lines = []
    for row in rows:
        blank, end = (" ", "\n") if tidy else (drawn.choice(BLANKS), drawn.choice(ENDS))
        lines.append(("" if tidy or drawn.random() < 0.8 else drawn.choice(BLANKS)) + blank.join(row) + end)
    whole = "".join(lines)
    return (whole.rstrip() if drawn.random() < 0.3 else whole).encode()


def by_pytrec_eval(judged: bytes, found: bytes) -> dict[str, dict[str, float]]:
    """Split at blanks by Python itself, so that nothing of the readers is shared."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for line in judged.decode().splitlines():
        if words := line.split():
            qrels.setdefault(words[0], {})[words[2]] = int(words[3])
    for line in found.decode().splitlines():
        if words := line.split():
            run.setdefault(words[0], {})[words[2]] = float(words[4])
    measures = {"ndcg", "ndcg_cut.1,5,10", "map", "recip_rank", "P.5", "recall.10"}
    values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    return {query: each for query, each in values.items() if query in qrels}


@pytest.mark.parametrize("block", range(20))
def test_untidy_files_give_what_pytrec_eval_gives(block: int) -> None:
    compared = 0
    for seed in range(block * 50, block * 50 + 50):
        judged, found = untidy(seed)
        wanted = by_pytrec_eval(judged, found)
        if not wanted:
            continue
        packed = gzip.compress(found) if seed % 2 else found
        ours = nd.evaluate(io.BytesIO(judged), io.BytesIO(packed), measures=list(MEASURES), convention="pytrec_eval")
        assert set(ours.per_query()) == set(wanted), seed
        for measure, theirs in MEASURES.items():
            values = ours.per_query(measure)
            for query, each in wanted.items():
                assert values[query] == pytest.approx(each[theirs], abs=1e-12), (seed, query, measure)
                compared += 1
    assert compared > 500


# ---- how to get the number of another tool: the table of "Which NDCG is it?" ----

GRADES, MISSED = [3, 2, 3, 0, 1, 2], [3, 2]
SCORES = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
HOLE = (  # nobody judged c
    [ir_measures.Qrel("q", *each) for each in (("a", 1), ("b", 3), ("d", 2))],
    [ir_measures.ScoredDoc("q", *each) for each in (("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0))],
)


def by_lightgbm(label_gain: list[int]) -> float:
    data = lightgbm.Dataset(np.arange(6.0)[:, None], GRADES, group=[6], init_score=SCORES, free_raw_data=False)
    told: dict[str, Any] = {}
    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [6], "verbose": -1, "label_gain": label_gain,
              "num_iterations": 1, "learning_rate": 1e-9, "min_data_in_leaf": 1, "min_data_in_bin": 1}  # fmt: skip
    watch = [lightgbm.record_evaluation(told)]
    lightgbm.train(params, data, valid_sets=[data], valid_names=["all"], callbacks=watch)
    return float(told["all"]["ndcg@6"][0])


def by_xgboost(grades: list[int], metric: str, **params: Any) -> float:
    data = xgboost.DMatrix(np.zeros((len(grades), 1)), grades, base_margin=SCORES[: len(grades)])
    data.set_group([len(grades)])
    booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": metric, **params}, [data])
    return float(booster.eval(data).split(":")[-1])


def by_ir_measures(measure: Any) -> float:
    (value,) = ir_measures.calc_aggregate([measure], *HOLE).values()
    return float(value)


RECIPES: dict[str, tuple[Callable[[], float], float]] = {
    "a cut-off, pytrec_eval": (
        lambda: pytrec_eval.RelevanceEvaluator({"q": {"a": 1, "b": 3}}, {"ndcg_cut.1"}).evaluate(
            {"q": {"a": 2.0, "b": 1.0}}
        )["q"]["ndcg_cut_1"],
        nd.ndcg([1, 3], 1),
    ),
    "exponential gain, scikit-learn": (
        lambda: ndcg_score([2 ** np.array(GRADES) - 1], [SCORES]), nd.ndcg(GRADES, gain="exponential")),
    "exponential gain, ir_measures": (
        lambda: by_ir_measures(ir_measures.nDCG(gains={1: 1, 2: 3, 3: 7}) @ 3),
        nd.ndcg([1, 3, 0, 2], 3, gain="exponential")),
    "exponential gain, CatBoost": (
        lambda: eval_metric(np.array(GRADES, float), SCORES, "NDCG:type=Exp", group_id=[0] * 6)[0],
        nd.ndcg(GRADES, gain="exponential")),
    "linear gain, LightGBM": (lambda: by_lightgbm([0, 1, 2, 3]), nd.ndcg(GRADES)),
    "linear gain, XGBoost": (lambda: by_xgboost(GRADES, "ndcg", ndcg_exp_gain=False), nd.ndcg(GRADES)),
    "the ideal of all judged, scikit-learn": (
        lambda: ndcg_score([GRADES + MISSED], [[*SCORES, -1, -1]], k=6), nd.ndcg(GRADES, 6, judged=GRADES + MISSED)),
    "nothing relevant counts 0, XGBoost": (lambda: by_xgboost([0, 0, 0], "ndcg-"), 0),
    "without the unjudged, ir_measures": (
        lambda: by_ir_measures(ir_measures.nDCG(judged_only=True) @ 3), nd.ndcg([1, 3, 2], 3)),
}  # fmt: skip


@pytest.mark.parametrize(("by_the_tool", "ours"), RECIPES.values(), ids=RECIPES)
def test_a_tool_can_be_made_to_agree(by_the_tool: Callable[[], float], ours: float) -> None:
    assert by_the_tool() == pytest.approx(ours, abs=1e-6)


# ---- any convention as the evaluation function of a booster ----

SIZES = [7, 12, 3, 30, 1, 18]


def graded() -> tuple[Any, Any]:
    drawn = np.random.default_rng(3)
    features = drawn.random((sum(SIZES), 4))
    return features, np.clip((3 * features[:, 0] + drawn.normal(0, 0.8, len(features))).round(), 0, 3)


@pytest.mark.parametrize("convention", ["lightgbm", "burges", "ignite", "trec_eval_by_position"])
def test_lightgbm_evaluates_by_any_convention(convention: str) -> None:
    features, labels = graded()
    chosen = nd.CONVENTIONS.get(convention, nd.Convention(ties="order"))
    data = lightgbm.Dataset(features, labels, group=SIZES, free_raw_data=False)
    told: dict[str, Any] = {}
    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "verbose": -1, "min_data_in_leaf": 3}
    watch = [lightgbm.record_evaluation(told)]
    model = lightgbm.train(
        params, data, 8, [data], ["all"], feval=nd.feval(5, name="ours", convention=chosen), callbacks=watch
    )
    offsets = np.append(0, np.cumsum(SIZES))
    values = nd.ndcg_scores(labels, model.predict(features), 5, offsets=offsets, convention=chosen.but(k=5))
    assert told["all"]["ours"][-1] == pytest.approx(nd.mean(values, convention=chosen), abs=1e-12)
    if convention == "lightgbm":
        assert told["all"]["ours"] == pytest.approx(told["all"]["ndcg@5"], abs=1e-9)
    ranker = lightgbm.LGBMRanker(n_estimators=3, min_child_samples=3, verbose=-1)
    measure = nd.feval(5, name="ours", convention=chosen)
    ranker.fit(features, labels, group=SIZES, eval_set=[(features, labels)], eval_group=[SIZES], eval_metric=measure)
    values = nd.ndcg_scores(labels, ranker.predict(features), 5, offsets=offsets, convention=chosen.but(k=5))
    assert next(iter(ranker.evals_result_.values()))["ours"][-1] == pytest.approx(nd.mean(values, convention=chosen))


@pytest.mark.parametrize("convention", ["xgboost", "burges", "ignite"])
def test_xgboost_evaluates_by_any_convention(convention: str) -> None:
    features, labels = graded()
    data = xgboost.DMatrix(features, labels)
    data.set_group(SIZES)
    told: dict[str, Any] = {}
    params = {"objective": "rank:ndcg", "eval_metric": "ndcg@5", "max_depth": 3, "nthread": 1}
    measure = nd.feval(5, name="ours", convention=convention)
    model = xgboost.train(
        params, data, 6, evals=[(data, "all")], custom_metric=measure, evals_result=told, verbose_eval=False
    )
    offsets = np.append(0, np.cumsum(SIZES))
    values = nd.ndcg_scores(
        labels, model.predict(data), 5, offsets=offsets, convention=nd.CONVENTIONS[convention].but(k=5)
    )
    assert told["all"]["ours"][-1] == pytest.approx(nd.mean(values, convention=convention), abs=1e-6)
    if convention == "xgboost":
        assert told["all"]["ours"] == pytest.approx(told["all"]["ndcg@5"], abs=1e-6)


# ---- a comparison ----


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_are_compared_and_a_comparison_is_a_frame(make: Callable[[dict[str, list[Any]]], Any]) -> None:
    runs = {"one": RUN, "other": {"51": {"d9": 2.0, "d7": 1.0}, "52": {"d7": 1.0}}}
    frames = {name: make(columns(run, "score")) for name, run in runs.items()}
    comparison = nd.compare(make(columns(QRELS, "label")), frames, 5)
    assert comparison.rows() == nd.compare(QRELS, runs, 5).rows()
    assert comparison.frame()["mean"].tolist() == [row["mean"] for row in comparison.rows()]


def test_a_comparison_is_that_of_ranx() -> None:
    drawn = np.random.default_rng(4)
    queries = [f"q{at}" for at in range(40)]
    qrels = {query: {f"d{at}": int(grade) for at, grade in enumerate(drawn.integers(1, 4, 9))} for query in queries}
    runs = {
        name: {q: {d: float(skill * g + drawn.normal(0, 3)) for d, g in each.items()} for q, each in qrels.items()}
        for name, skill in (("old", 0.6), ("new", 1.8))
    }
    ours = nd.compare(qrels, runs, 5, convention="ranx").pairs[0]
    theirs = [ranx.Run(run, name=name) for name, run in runs.items()]
    for test, p, within in (("student", ours.t_p, 1e-9), ("fisher", ours.p, 0.03)):
        report = ranx.compare(ranx.Qrels(qrels), theirs, ["ndcg@5"], stat_test=test, n_permutations=10_000)
        found = next(iter(report.comparisons.values()))["ndcg@5"]["p_value"]
        assert p == pytest.approx(float(found), abs=within), test
