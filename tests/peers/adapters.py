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

from cases import Case

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


def trec_eval_9(case: Case, *, single: bool = True, complete: bool = False) -> float:
    """trec_eval restated: get_trec_results.c, form_res_rels.c and m_ndcg_cut.c, or m_ndcg.c without a k."""
    import numpy as np

    values = []
    for query, judged in case.qrels().items():
        run = {d: float(np.float32(score) if single else score) for d, score in case.run().get(query, {}).items()}
        if not run and not complete:
            continue
        ranked = sorted(run, key=lambda d: (run[d], d.encode()), reverse=True)
        sums = []
        for grades in ([judged.get(d, 0) for d in ranked], sorted(judged.values(), reverse=True)):
            whole = [max(math.trunc(grade), 0) for grade in grades[: case.k]]  # strtol reads 1.5 as 1
            sums.append(sum(grade / math.log2(at + 1) for at, grade in enumerate(whole, 1)))
        values.append(sums[0] / sums[1] if sums[1] else 0.0)
    return fmean(values) if values else math.nan


def trec_eval_10(case: Case) -> float:
    return trec_eval_9(case, single=False, complete=True)


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
    shown = [(query, d, at) for query, row in case.run().items() for at, d in enumerate(_ranked(row), 1)]
    recommended = pandas.DataFrame(shown, columns=[Columns.User, Columns.Item, Columns.Rank])
    interactions = pandas.DataFrame(liked, columns=[Columns.User, Columns.Item])
    return NDCG(k=case.k or case.longest(), divide_by_achievable=achievable).calc(recommended, interactions)


def rectools_achievable(case: Case) -> float:
    return rectools(case, achievable=True)


def ir_evaluation(case: Case) -> float:
    from ir_evaluation.metrics import ndcg

    return fmean(
        ndcg(_relevant(query.qrels()), _ranked(query.run()), case.k or len(query.grades)) for query in case.queries
    )


def lenskit(case: Case) -> float:
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import NDCG, RunAnalysis

    shown = {q: ItemList(item_ids=_ranked(row), ordered=True) for q, row in case.run().items()}
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
        relevant, ranked = ([number[d] for d in names] for names in (_relevant(query.qrels()), _ranked(query.run())))
        values.append(NDCG(k=case.k or -1).compute(gt_pos=np.array(relevant), pd_rank=np.array(ranked)))
    return fmean(values)


def _flat(case: Case) -> tuple[list[float], list[float], list[int]]:
    rows = case.rows()
    grades = [grade for row, _ in rows for grade in row]
    return grades, [score for _, row in rows for score in row], [len(row) for row, _ in rows]


def _at(name: str, sign: str, k: int | None) -> str:
    return name if k is None else f"{name}{sign}{k}"


def _ranked(run: Mapping[str, float]) -> list[str]:
    """The documents by score; equal scores in the order of the rows, which is then ours and not the tool's."""
    return sorted(run, key=lambda d: -run[d])


def _relevant(qrels: Mapping[str, float]) -> list[str]:
    return [d for d, grade in qrels.items() if grade > 0]


# ---- who is who

_CUT_TO_INT = {"fractional-grades": "grades are cut to whole numbers: 0.6 and 0.8 count 0"}
_READS_1 = {"fractional-grades": "grades are cut to whole numbers: 1.5 is read as 1"}
_NO_NEGATIVE = "grades below 0 are taken as gains; ndcg_lib refuses them"
_TWO_ROWS = "a query without documents counts as one without a relevant document"
_LIST = {"ties": "the list decides"}
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
        Peer("gdeval", ("ir_measures",), _FILES, gdeval, "gdeval", default_k="required", within=ROUNDED),
        Peer("trec_eval 9", ("trec_eval",), _FILES, trec_eval_9, "trec_eval_9", restated="9.0.8", differs=_READS_1),
        Peer("trec_eval 10 with -c", ("trec_eval",), _FILES, trec_eval_10, "trec_eval", restated="10.0-rc3",
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
             differs={"mean-with-unjudged": "a query that nobody judged counts 0"}),
        Peer("trectools, trec_eval=False", ("trectools",), _FILES, trectools_exp, "trectools_exp", default_k="1000",
             differs={"mean-with-unjudged": "a query that nobody judged counts 0"}),
        Peer("RecTools", ("RecTools",), "lists", rectools, None, default_k="required",
             says={"gain": "binary", "discount": "1/log2(i+1)", "empty": "left out", "missing": "0", **_LIST,
                   "ideal": "k relevant documents, even where there are fewer"}),
        Peer("RecTools, divide_by_achievable", ("RecTools",), "lists", rectools_achievable, "rectools",
             default_k="required", says=_LIST),
        Peer("ir_evaluation", ("ir_evaluation",), "lists", ir_evaluation, "ir_evaluation", default_k="required",
             says={"missing": "an error", **_LIST},
             differs={"missed": "k is required; at the length of the list it cuts the ideal too"}),
        Peer("LensKit, gain=rating", ("lenskit",), "lists", lenskit, "lenskit", says=_LIST, heavy=True,
             differs={"mean-with-unjudged": "a query that nobody judged counts 0", "negative-grade": _NO_NEGATIVE}),
        Peer("cornac", ("cornac",), "lists", cornac, "cornac", says=_LIST, heavy=True),
        Peer("TorchMetrics, the class", ("torchmetrics",), "arrays", torchmetrics, "torchmetrics",
             within=SINGLE, heavy=True,
             differs={"negative-grade": "grades whose sum is 0 count as nothing relevant; ndcg_lib refuses them"}),
        Peer("Ignite", ("pytorch-ignite",), "arrays", ignite, "ignite", default_k="required", within=SINGLE, heavy=True,
             differs={"fractional-grades": "grades below 1 count 0",
                      "negative-grade": "grades below 1 count 0; ndcg_lib refuses those below 0"}),
    )
}  # fmt: skip
