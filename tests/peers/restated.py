"""Programs that no package index carries, restated from their sources: tests/peers/adapters.py says from which."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import fmean

from cases import Case, Query, ranked


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


def elasticsearch(case: Case) -> float:
    """DiscountedCumulativeGain.evaluate with normalize, and the mean of EvaluationMetric.combine."""
    if any(grade != int(grade) or grade < 0 for query in case.queries for grade in query.qrels().values()):
        raise TypeError("a rating is a whole number")

    def value(query: Query) -> float:
        judged, found = query.qrels(), ranked(query.run())[: case.k or 10]
        best = sorted(judged.values(), reverse=True)[: len(found)]
        ideal = _dcg(best)
        return _dcg(judged.get(d, 0) for d in found) / ideal if ideal else 0.0

    return fmean(value(query) for query in case.queries)


def opensearch(case: Case) -> float:
    """Evaluation.calculateNDCGAtK, and the mean of its rounded values."""

    def value(query: Query) -> float:
        judged, k = query.qrels(), case.k or case.longest()
        ideal = _dcg(sorted(judged.values(), reverse=True)[:k])
        whole = _dcg(judged.get(d, 0) for d in ranked(query.run())[:k]) / ideal if ideal > 0 else 0.0
        return math.floor(whole * 100 + 0.5) / 100

    return fmean(value(query) for query in case.queries)


def spark(case: Case) -> float:
    """RankingMetrics.ndcgAt of predictions, labels and relevances."""

    def value(query: Query) -> float:
        judged, k = query.qrels(), case.k or case.longest()
        ideal = _dcg(list(judged.values())[:k])
        return _dcg(judged.get(d, 0) for d in ranked(query.run())[:k]) / ideal if ideal else 0.0

    return fmean(value(query) for query in case.queries)


def _dcg(grades: Iterable[float]) -> float:
    return sum((2**grade - 1) / math.log2(at + 1) for at, grade in enumerate(grades, 1))
