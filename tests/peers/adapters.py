"""One short adapter per implementation: how it is asked, which preset stands for it, and where the preset differs.

An adapter takes a case and returns the mean over its queries as the tool itself makes it, or the plain mean where the
tool gives one value per query. Arrays get the grade 0 for an unjudged document and never see what was not returned.
"""

from __future__ import annotations

import math
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import frameworks
import restated
from cases import Case, ranked, relevant

EXACT, SINGLE, ROUNDED = 1e-9, 1e-6, 1e-5


@dataclass(frozen=True)
class Peer:
    """An implementation: the distributions that hold it, what it sees, and the preset that stands for it."""

    name: str
    packages: tuple[str, ...]  # the first that is installed counts
    sees: str  # "arrays": grades and scores of the returned; "qrels and run"; "lists": what is relevant, and a list
    ask: Callable[[Case], float]
    preset: str | None
    default_k: str = "all"
    within: float = EXACT
    differs: Mapping[str, str] = field(default_factory=dict)  # case: why the preset gives another number
    varies: frozenset[str] = frozenset()  # cases whose answer depends on the machine
    says: Mapping[str, str] = field(default_factory=dict)  # choices, in words, that no preset can say
    heavy: bool = False
    keeps_order: float = math.inf  # the longest list of which the tool's sort keeps the order of equal scores
    restated: str = ""  # the version whose source was restated here, as no package index carries the program
    how: str = ""  # how it was asked, where that is more than calling what was installed, and what was not confirmed
    needs: tuple[str, ...] = ()  # modules that its distribution does not bring along
    choices: Mapping[str, Any] | None = None  # without a preset: the convention that gives its number, if one does


# ---- grades and scores of the returned documents


def sklearn(case: Case, **options: Any) -> float:
    from sklearn.metrics import ndcg_score

    grades, scores = zip(*case.rows(), strict=True)
    return ndcg_score(list(grades), list(scores), k=case.k, **options)


def sklearn_ignore_ties(case: Case) -> float:
    return sklearn(case, ignore_ties=True)


def lightgbm(case: Case, **options: Any) -> float:
    import lightgbm
    import numpy as np

    grades, scores, sizes = _flat(case)
    data = lightgbm.Dataset(
        np.zeros((len(grades), 1)), grades, group=sizes, init_score=scores,
        params={"min_data_in_bin": 1, "min_data_in_leaf": 1, "feature_pre_filter": False, "verbose": -1},
    )  # fmt: skip
    asked = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [case.k or 1000], "verbose": -1, **options}
    return lightgbm.Booster(asked, data).eval_train()[0][2]


def xgboost(case: Case, **options: Any) -> float:
    import numpy as np
    import xgboost

    grades, scores, sizes = _flat(case)
    data = xgboost.DMatrix(np.zeros((len(grades), 1)), label=grades)
    data.set_group(sizes)
    data.set_base_margin(scores)
    metric = "ndcg" if case.k is None else f"ndcg@{case.k}"
    asked = {"objective": "rank:ndcg", "eval_metric": metric, "verbosity": 0, **options}
    return float(xgboost.Booster(asked, [data]).eval(data).rsplit(":", 1)[1])


def xgboost_linear(case: Case) -> float:
    return xgboost(case, ndcg_exp_gain=False)


def catboost(case: Case, kind: str = "Base") -> float:
    from catboost.utils import eval_metric

    grades, scores, sizes = _flat(case)
    groups = [number for number, size in enumerate(sizes) for _ in range(size)]
    return eval_metric(grades, scores, f"NDCG:top={case.k or -1};type={kind}", group_id=groups)[0]


def catboost_exp(case: Case) -> float:
    return catboost(case, "Exp")


def torchmetrics(case: Case) -> float:
    import torch
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    grades, scores, sizes = _flat(case)
    rows = [number for number, size in enumerate(sizes) for _ in range(size)]
    target = torch.tensor(grades, dtype=None if all(isinstance(grade, int) for grade in grades) else torch.float64)
    metric = RetrievalNormalizedDCG(top_k=case.k)
    return float(metric(torch.tensor(scores, dtype=torch.float64), target, torch.tensor(rows, dtype=torch.long)))


def ignite(case: Case) -> float:
    import torch
    from ignite.metrics.rec_sys.ndcg import NDCG

    metric = NDCG(top_k=[case.k or case.longest()])
    for grades, scores in case.rows():
        metric.update((torch.tensor([scores], dtype=torch.float64), torch.tensor([grades], dtype=torch.float64)))
    return float(metric.compute()[0])


# ---- judgements and a run


def ranx(case: Case, metric: str = "ndcg") -> float:
    from ranx import Qrels, Run, evaluate

    qrels, run = Qrels.from_dict(case.qrels()), Run.from_dict(case.run())
    return float(evaluate(qrels, run, _at(metric, "@", case.k), make_comparable=True))


def ranx_burges(case: Case) -> float:
    return ranx(case, "ndcg_burges")


def ranx_dicts(case: Case) -> float:
    from ranx import evaluate

    return float(evaluate(case.qrels(), case.run(), _at("ndcg", "@", case.k)))


def pytrec_eval(case: Case) -> float:
    from pytrec_eval import RelevanceEvaluator

    measure = "ndcg" if case.k is None else f"ndcg_cut.{case.k}"
    found = RelevanceEvaluator(case.qrels(), {measure}).evaluate(case.run())
    values = [value for query in found.values() for value in query.values()]
    return fmean(values) if values else math.nan


def ir_measures(case: Case) -> float:
    import ir_measures

    measure = ir_measures.nDCG if case.k is None else ir_measures.nDCG @ case.k
    return ir_measures.calc_aggregate([measure], case.qrels(), case.run())[measure]


def beir(case: Case) -> float:
    from beir.retrieval.evaluation import EvaluateRetrieval

    k = case.k or case.longest()
    return EvaluateRetrieval.evaluate(case.qrels(), case.run(), [k])[0][f"NDCG@{k}"]


def mteb(case: Case) -> float:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    k = case.k or case.longest()
    return calculate_retrieval_scores(case.run(), case.qrels(), [k]).ndcg[f"NDCG@{k}"]


def gdeval(case: Case) -> float:
    """The script of the TREC Web tracks, as ir_measures carries it; it takes numbers for queries."""
    import ir_measures

    script = Path(ir_measures.__file__).parent / "bin" / "gdeval.pl"
    with tempfile.TemporaryDirectory() as folder:
        files = _as_files(case, folder, lambda query: query.removeprefix("q"))
        asked = ["perl", str(script), *map(str, files), str(case.k or case.longest())]
        lines = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
    return fmean(float(line.split(",")[2]) for line in lines[1:])


def trectools(case: Case, linear: bool = True) -> float:
    from trectools import TrecEval, TrecQrel, TrecRun

    with tempfile.TemporaryDirectory() as folder:
        qrels, run = _as_files(case, folder)
        return TrecEval(TrecRun(str(run)), TrecQrel(str(qrels))).get_ndcg(depth=case.k or 1000, trec_eval=linear)


def _as_files(case: Case, folder: str, name: Callable[[str], str] = str) -> tuple[Path, Path]:
    qrels, run = Path(folder, "qrels"), Path(folder, "run")
    judged = [(name(q), d, grade) for q, row in case.qrels().items() for d, grade in row.items()]
    found = [(name(q), d, score) for q, row in case.run().items() for d, score in row.items()]
    qrels.write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in judged), "utf8")
    run.write_text("".join(f"{q} Q0 {d} 1 {score!r} t\n" for q, d, score in found), "utf8")
    return qrels, run


def trectools_exp(case: Case) -> float:
    return trectools(case, linear=False)


# ---- what is relevant, and a ranked list


def rectools(case: Case, achievable: bool = False) -> float:
    import pandas
    from rectools import Columns
    from rectools.metrics import NDCG

    liked = [(query, d) for query, row in case.qrels().items() for d, grade in row.items() if grade > 0]
    shown = [(query, d, at) for query, row in case.run().items() for at, d in enumerate(ranked(row), 1)]
    recommended = pandas.DataFrame(shown, columns=[Columns.User, Columns.Item, Columns.Rank])
    interactions = pandas.DataFrame(liked, columns=[Columns.User, Columns.Item])
    return NDCG(k=case.k or case.longest(), divide_by_achievable=achievable).calc(recommended, interactions)


def rectools_achievable(case: Case) -> float:
    return rectools(case, achievable=True)


def ir_evaluation(case: Case) -> float:
    from ir_evaluation.metrics import ndcg

    return fmean(
        ndcg(relevant(query.qrels()), ranked(query.run()), case.k or len(query.grades)) for query in case.queries
    )


def lenskit(case: Case) -> float:
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import NDCG, RunAnalysis

    shown = {q: ItemList(item_ids=ranked(row), ordered=True) for q, row in case.run().items()}
    liked = {q: ItemList(item_ids=list(row), rating=list(row.values())) for q, row in case.qrels().items()}
    lists = [ItemListCollection.from_dict(each, key="user_id") for each in (shown, liked)]
    metric = NDCG(n=case.k, gain="rating")
    return float(RunAnalysis(metric).measure(*lists).list_summary().loc[metric.label, "mean"])


def cornac(case: Case) -> float:
    import numpy as np
    from cornac.metrics import NDCG

    values = []
    for query in case.queries:
        number = {d: at for at, d in enumerate(query.run() | query.qrels())}
        liked, shown = ([number[d] for d in names] for names in (relevant(query.qrels()), ranked(query.run())))
        values.append(NDCG(k=case.k or -1).compute(gt_pos=np.array(liked), pd_rank=np.array(shown)))
    return fmean(values)


def _flat(case: Case) -> tuple[list[float], list[float], list[int]]:
    rows = case.rows()
    grades = [grade for row, _ in rows for grade in row]
    return grades, [score for _, row in rows for score in row], [len(row) for row, _ in rows]


def _at(name: str, sign: str, k: int | None) -> str:
    return name if k is None else f"{name}{sign}{k}"


# ---- who is who

_CUT_TO_INT = {"fractional-grades": "grades are cut to whole numbers: 0.6 and 0.8 count 0"}
_READS_1 = {"fractional-grades": "grades are cut to whole numbers: 1.5 is read as 1"}
_NO_NEGATIVE = "grades below 0 are taken as gains; ndcg_lib refuses them"
_TWO_ROWS = "a query without documents counts as one without a relevant document"
_LIST = {"ties": "the list decides"}
_NO_K = dict.fromkeys(
    ("cut-at-3", "cut-at-1", "missed-at-3", "tied-at-1"), "there is no k: the list ends at k, and the ideal goes on"
)
_STRANGERS = {"mean-with-unjudged": "a query that nobody judged counts 0"}
_ALONE = "its class as installed, loaded without torch, which its sums do not use"
_DRAWN = {"ties": "drawn at random"}
_TIED = ("all-tied", "all-tied-reversed", "tied-at-1", "tied-by-twos", "nearly-tied")
_AT_RANDOM = dict.fromkeys(_TIED, "equal scores are ordered at random, and scores are of 32 bits")
_SKIPS_NEGATIVE = {"negative-grade": "a document with a grade below 0 is left out; ndcg_lib refuses it"}
_BINARY, _ORDER, _ROWS = {"gain": "binary"}, {"ties": "order"}, {"ideal": "returned"}
_EXP = {"gain": "exponential"}
_FILES = "qrels and run"

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("scikit-learn", ("scikit-learn",), "arrays", sklearn, "sklearn"),
        Peer("scikit-learn, ignore_ties", ("scikit-learn",), "arrays", sklearn_ignore_ties, "sklearn_ignore_ties",
             differs={"tied-by-twos": "the sort keeps no order among equal scores: numpy's version and the processor"
                                      " decide"},
             varies=frozenset({"tied-by-twos"}), keeps_order=0),
        Peer("ranx ndcg", ("ranx",), _FILES, ranx, "ranx", differs=_CUT_TO_INT, keeps_order=15),
        Peer("ranx ndcg_burges", ("ranx",), _FILES, ranx_burges, "ranx_burges", differs=_CUT_TO_INT, keeps_order=15),
        Peer("ranx ndcg, plain dictionaries", ("ranx",), _FILES, ranx_dicts, "ranx_dicts", differs=_CUT_TO_INT,
             keeps_order=15),
        Peer("pytrec_eval", ("pytrec_eval-terrier",), _FILES, pytrec_eval, "pytrec_eval"),
        Peer("ir_measures nDCG", ("ir_measures",), _FILES, ir_measures, "ir_measures"),
        Peer("BEIR", ("beir",), _FILES, beir, "beir", default_k="required", within=ROUNDED),
        Peer("MTEB", ("mteb",), _FILES, mteb, "mteb", default_k="required", within=ROUNDED, heavy=True),
        Peer("gdeval", ("ir_measures",), _FILES, gdeval, "gdeval", default_k="required", within=ROUNDED,
             how="the script that ir_measures brings; through ir_measures itself, a question without results counts 0"),
        Peer("trec_eval 9", ("trec_eval",), _FILES, restated.trec_eval_9, "trec_eval_9", restated="9.0.8",
             how="restated from form_res_rels.c, m_ndcg.c and m_ndcg_cut.c", differs=_READS_1),
        Peer("trec_eval 10 with -c", ("trec_eval",), _FILES, restated.trec_eval_10, "trec_eval", restated="10.0",
             how="restated from the same files at the tag v10.0, of June 2026; the program calls itself 10.0-rc3",
             differs=_READS_1),
        Peer("LightGBM", ("lightgbm",), "arrays", lightgbm, "lightgbm", default_k="1 to 5"),
        Peer("XGBoost", ("xgboost-cpu", "xgboost"), "arrays", xgboost, "xgboost", default_k="32",
             differs={"nothing-returned": _TWO_ROWS}),
        Peer("XGBoost, linear gain", ("xgboost-cpu", "xgboost"), "arrays", xgboost_linear, "xgboost_linear",
             default_k="32", within=SINGLE,
             differs={"nothing-returned": _TWO_ROWS, "negative-grade": _NO_NEGATIVE}),
        Peer("CatBoost, type=Base", ("catboost",), "arrays", catboost, "catboost", within=SINGLE,
             differs={"negative-grade": _NO_NEGATIVE}),
        Peer("CatBoost, type=Exp", ("catboost",), "arrays", catboost_exp, "catboost_exp", within=SINGLE,
             differs={"negative-grade": _NO_NEGATIVE}),
        Peer("trectools", ("trectools",), _FILES, trectools, "trectools", default_k="1000",
             differs=_STRANGERS),
        Peer("trectools, trec_eval=False", ("trectools",), _FILES, trectools_exp, "trectools_exp", default_k="1000",
             differs=_STRANGERS),
        Peer("RecTools", ("RecTools",), "lists", rectools, None, default_k="required",
             says={"gain": "binary", "discount": "1/log2(i+1)", "empty": "left out", "missing": "0", **_LIST,
                   "ideal": "k relevant documents, even where there are fewer"}),
        Peer("RecTools, divide_by_achievable", ("RecTools",), "lists", rectools_achievable, "rectools",
             default_k="required", says=_LIST),
        Peer("ir_evaluation", ("ir_evaluation",), "lists", ir_evaluation, "ir_evaluation", default_k="required",
             says={"missing": "an error", **_LIST},
             differs={"missed": "k is required; at the length of the list it cuts the ideal too"}),
        Peer("LensKit, gain=rating", ("lenskit",), "lists", lenskit, "lenskit", says=_LIST, heavy=True,
             how="asked by RunAnalysis; NDCG.measure_list alone gives nan where nothing is relevant",
             differs={**_STRANGERS, "negative-grade": _NO_NEGATIVE}),
        Peer("cornac", ("cornac",), "lists", cornac, "cornac", says=_LIST, heavy=True),
        Peer("TorchMetrics, the class", ("torchmetrics",), "arrays", torchmetrics, "torchmetrics",
             within=SINGLE, heavy=True,
             differs={"negative-grade": "grades whose sum is 0 count as nothing relevant; ndcg_lib refuses them"}),
        Peer("Ignite", ("pytorch-ignite",), "arrays", ignite, "ignite", default_k="required", within=SINGLE, heavy=True,
             differs={"fractional-grades": "grades below 1 count 0",
                      "negative-grade": "grades below 1 count 0; ndcg_lib refuses those below 0"}),
        Peer("LlamaIndex", ("llama-index-core",), "lists", frameworks.llamaindex, None,
             default_k="none: the whole list", says=_LIST, differs=_NO_K,
             choices={**_BINARY, **_ORDER, "empty": "raise", "missing": "raise"},
             how="a document counts each time it is returned: a single relevant one, returned twice, has 1.631"),
        Peer("Haystack", ("haystack-ai",), "lists", frameworks.haystack, None, default_k="none: the whole list",
             choices=_ORDER, says=_LIST, how="a document that is returned twice counts once",
             differs={**_NO_K, **_STRANGERS, "negative-grade": _NO_NEGATIVE}),
        Peer("sentence-transformers", ("sentence-transformers",), _FILES, frameworks.sentence_transformers, None,
             default_k="10", choices={**_BINARY, "ties": "id", "empty": "skip", "k": 10},
             how=f"{_ALONE}: InformationRetrievalEvaluator.compute_metrics"),
        Peer("Vespa, pyvespa", ("pyvespa",), "lists", frameworks.pyvespa, None, default_k="10",
             choices={**_ORDER, "k": 10}, says=_LIST,
             how="VespaEvaluator without a server; it refuses grades above 1, so they were divided by the greatest,"
                 " which changes no NDCG with the linear gain"),
        Peer("Elasticsearch rank_eval", ("elasticsearch",), "lists", restated.elasticsearch, None, default_k="10",
             restated="commit d04e400",
             says={"gain": "exponential", "discount": "1/log2(i+1)", "empty": "0", "missing": "0", **_LIST,
                   "ideal": "as many judged as were returned"},
             how="restated from DiscountedCumulativeGain.java with normalize=true, without which it gives DCG. Which"
                 " releases carry this text was not confirmed, nor what a server does with grades that are not whole"
                 " numbers or with a query without ratings"),
        Peer("OpenSearch workbench", ("opensearch-search-relevance",), "lists", restated.opensearch, None,
             default_k="required", within=0.005 + EXACT, restated="commit 0b75cf8", choices={**_EXP, **_ORDER},
             says=_LIST, differs={**_STRANGERS, "negative-grade": _NO_NEGATIVE},
             how="restated from metrics/calculator/Evaluation.java of the plugin search-relevance; each question is"
                 " rounded to two decimals. Which releases carry this text was not confirmed"),
        Peer("Microsoft recommenders", ("recommenders",), _FILES, frameworks.recommenders, None, default_k="10",
             says={"gain": "1 for each judged document", "discount": "1/ln(i+1)", "ties": "order of the rows",
                   "ideal": "all judged", "empty": "1", "missing": "0"}),
        Peer("Microsoft recommenders, raw", ("recommenders",), _FILES, frameworks.recommenders_raw, None,
             default_k="10", keeps_order=15, choices={**_ORDER, "empty": "skip", "k": 10},
             differs={"negative-grade": _NO_NEGATIVE}),
        Peer("Microsoft recommenders, exp", ("recommenders",), _FILES, frameworks.recommenders_exp, None,
             default_k="10", keeps_order=15, choices={**_EXP, **_ORDER, "empty": "skip", "k": 10},
             differs={"negative-grade": _NO_NEGATIVE}),
        Peer("RecBole", ("recbole",), "lists", frameworks.recbole, None, default_k="10", within=0.00005 + EXACT,
             choices={**_BINARY, **_ORDER, "k": 10}, says=_LIST, differs=_STRANGERS,
             how=f"{_ALONE}: NDCG.metric_info and topk_result, which rounds to four decimals as it is configured. As a"
                 " whole it does not run with numpy 2, which has no np.float_"),
        Peer("Evidently", ("evidently",), "arrays", frameworks.evidently, None, default_k="required",
             choices={**_ROWS, "empty": "skip"}, keeps_order=0,
             says={"ties": "all at their mean rank, cut to a whole number"},
             differs={"tied-at-1": "three equal scores have rank 2, so nothing stands at rank 1",
                      "negative-grade": _NO_NEGATIVE},
             how="a Report; its table names each k one too high: the row of rank 4 holds NDCG@3"),
        Peer("Spark MLlib, from Python", ("pyspark",), "lists", frameworks.spark, None, default_k="required",
             choices={**_BINARY, **_ORDER}, says=_LIST, differs=_STRANGERS,
             how="RankingMetrics(...).ndcgAt(k); relevances in a third column are taken and not used"),
        Peer("Spark MLlib, with relevances", ("pyspark",), "lists", restated.spark, None, default_k="required",
             restated="4.3.0",
             says={"gain": "exponential", "discount": "1/ln(i+1)", "empty": "0", "missing": "0", **_LIST,
                   "ideal": "all judged in the order given, not sorted: can pass 1"},
             how="restated from RankingMetrics.scala, and five lists asked of spark-shell"),
        Peer("Keras-RS", ("keras-rs",), "arrays", frameworks.keras_rs, None, within=SINGLE, heavy=True,
             needs=("tensorflow",), choices={**_EXP, **_ROWS}, says=_DRAWN, keeps_order=0, varies=frozenset(_TIED),
             differs={**_AT_RANDOM, **_SKIPS_NEGATIVE}, how="with TensorFlow below it"),
        Peer("TensorFlow Ranking", ("tensorflow-ranking",), "arrays", frameworks.tensorflow_ranking, None,
             within=SINGLE, heavy=True, needs=("tensorflow",), choices={**_EXP, **_ROWS}, says=_DRAWN, keeps_order=0,
             varies=frozenset(_TIED), differs={**_AT_RANDOM, **_SKIPS_NEGATIVE},
             how="NDCGMetric of metrics_impl.py as installed, loaded alone beside TensorFlow 2.21"),
    )
}  # fmt: skip
