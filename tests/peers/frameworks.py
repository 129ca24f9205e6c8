"""Adapters for NDCG as it comes inside something larger: retrieval for language models, recommenders, learning to rank.

Where the larger thing would bring gigabytes that its metric does not use, the metric's module is loaded without them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from statistics import fmean
from types import ModuleType
from typing import Any

from cases import Case, ranked, relevant

TORCH = {"torch": {"Tensor": object}}


@contextmanager
def without(packages: list[str], absent: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """In here the packages come without what their __init__ imports, and empty modules stand for the absent ones."""
    before = dict(sys.modules)
    try:
        for name in packages:
            spec = find_spec(name)
            if spec is None:
                raise ImportError(name)
            sys.modules[name] = bare = ModuleType(name)
            bare.__path__ = list(spec.submodule_search_locations or [])
        for name, attributes in absent.items():
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__dict__.update(attributes)
        yield
    finally:
        for name in sys.modules.keys() - before.keys():
            if name in absent or name.partition(".")[0] in {package.partition(".")[0] for package in packages}:
                del sys.modules[name]
        sys.modules.update({name: before[name] for name in absent if name in before})


# ---- retrieval for language models, and embeddings


def llamaindex(case: Case) -> float:
    """It has no k: the retriever's top_k ends the list."""
    from llama_index.core.evaluation.retrieval.metrics import NDCG

    return fmean(
        NDCG().compute(expected_ids=relevant(q.qrels()), retrieved_ids=ranked(q.run())[: case.k]).score
        for q in case.queries
    )


def haystack(case: Case) -> float:
    """It has no k: the retriever's top_k ends the list."""
    from haystack import Document
    from haystack.components.evaluators import DocumentNDCGEvaluator

    truth = [[Document(content=d, score=float(g)) for d, g in q.qrels().items()] for q in case.queries]
    found = [[Document(content=d) for d in ranked(q.run())[: case.k]] for q in case.queries]
    return DocumentNDCGEvaluator().run(ground_truth_documents=truth, retrieved_documents=found)["score"]


def sentence_transformers(case: Case) -> float:
    top = "sentence_transformers"
    packages = [top, *(f"{top}.{name}" for name in ("base", "base.evaluation", "util", "sentence_transformer",
                                                    "sentence_transformer.evaluation"))]  # fmt: skip
    with without(packages, {**TORCH, f"{top}.util.similarity": {"SimilarityFunction": object}}):
        module = import_module(f"{top}.sentence_transformer.evaluation.information_retrieval")
    liked = {q: set(relevant(row)) for q, row in case.qrels().items()}
    texts = {q: q for q in case.qrels() | case.run()}
    k = case.k or 10
    asked = module.InformationRetrievalEvaluator(texts, {}, liked, ndcg_at_k=[k])
    found = case.run()
    hits = [[{"corpus_id": d, "score": s} for d, s in found.get(q, {}).items()] for q in asked.queries_ids]
    return float(asked.compute_metrics(hits)["ndcg@k"][k])


def pyvespa(case: Case) -> float:
    """Grades above 1 are refused, so the adapter divides all by the greatest."""
    from vespa.evaluation import VespaEvaluator

    most = max([1.0, *(grade for row in case.qrels().values() for grade in row.values())])
    judged = {q: {d: grade / most for d, grade in row.items()} for q, row in case.qrels().items()}
    k = case.k or 10
    texts = {q: q for q in case.qrels() | case.run()}
    asked = VespaEvaluator(texts, judged, lambda text, hits: {}, app=None, ndcg_at_k=[k])
    found = case.run()
    return asked._compute_metrics([[(d, 0.0) for d in ranked(found.get(q, {}))] for q in asked.queries_ids])[
        f"ndcg@{k}"
    ]


# ---- recommenders


def recommenders(case: Case, kind: str = "binary") -> float:
    import pandas
    from recommenders.evaluation.python_evaluation import ndcg_at_k

    def frame(rows: Mapping[str, Mapping[str, float]], name: str) -> Any:
        flat = [(query, d, float(value)) for query, row in rows.items() for d, value in row.items()]
        return pandas.DataFrame(flat, columns=["userID", "itemID", name])

    k = {} if case.k is None else {"k": case.k}
    return float(ndcg_at_k(frame(case.qrels(), "rating"), frame(case.run(), "prediction"), score_type=kind, **k))


def recommenders_raw(case: Case) -> float:
    return recommenders(case, "raw")


def recommenders_exp(case: Case) -> float:
    return recommenders(case, "exp")


def recbole(case: Case) -> float:
    """Its own configuration gives numpy the name float again, which numpy 1.24 took away; so does this."""
    import numpy as np

    packages = ["recbole", "recbole.evaluator", "recbole.utils"]
    with without(packages, TORCH):
        sys.modules["recbole.utils"].__dict__.update(vars(import_module("recbole.utils.enum_type")))
        module = import_module("recbole.evaluator.metrics")
    np.__dict__["float"] = np.float64
    k = case.k or 10
    metric = module.NDCG({"topk": [k], "metric_decimal_place": 4})
    liked = [relevant(q.qrels()) for q in case.queries]
    found = [ranked(q.run())[:k] for q in case.queries]
    hits = [[d in good for d in row] + [False] * (k - len(row)) for row, good in zip(found, liked, strict=True)]
    values = metric.metric_info(np.array(hits, bool), np.array([len(good) for good in liked]))
    return float(metric.topk_result("ndcg", values)[f"ndcg@{k}"])


def evidently(case: Case) -> float:
    import pandas
    from evidently import DataDefinition, Dataset, Recsys, Report
    from evidently.metrics import NDCG

    rows = [
        (at, f"i{place}", grade, score)
        for at, (grades, scores) in enumerate(case.rows())
        for place, (grade, score) in enumerate(zip(grades, scores, strict=True))
    ]
    frame = pandas.DataFrame(rows, columns=["user", "item", "target", "prediction"])
    told = DataDefinition(ranking=[Recsys(user_id="user", item_id="item", target="target", prediction="prediction")])
    k = case.k or max(len(grades) for grades, _ in case.rows())
    result = Report([NDCG(k=k)]).run(Dataset.from_pandas(frame, data_definition=told), None)
    (table,) = (metric["value"] for metric in result.dict()["metrics"])
    return float(table["value"][k - 1])  # in the row that the tool calls k + 1


def spark(case: Case) -> float:
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    rows = [(ranked(query.run()), relevant(query.qrels())) for query in case.queries]
    return float(RankingMetrics(session.sparkContext.parallelize(rows, 1)).ndcgAt(case.k or case.longest()))


# ---- learning to rank


def keras_rs(case: Case) -> float:
    import keras_rs

    metric = keras_rs.metrics.NDCG(k=case.k)
    for grades, scores in case.rows():
        metric.update_state([[float(grade) for grade in grades]], [scores])
    return float(metric.result())


def tensorflow_ranking(case: Case) -> float:
    import tensorflow

    with without(["tensorflow_ranking", "tensorflow_ranking.python"], {}):
        module = import_module("tensorflow_ranking.python.metrics_impl")
    metric, values, weights = module.NDCGMetric("ndcg", case.k), [], []
    for grades, scores in case.rows():
        made = metric.compute(tensorflow.constant([[float(grade) for grade in grades]]), tensorflow.constant([scores]))
        value, weight = (float(each[0][0]) for each in made)
        values.append(value * weight)
        weights.append(weight)
    return sum(values) / sum(weights)
