"""Populations of real differences between runs, weighted so that the true mean is known, and a year of commits.

What the gate decides is held against what is true of these; `asked` puts such differences to it as files would.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import ndcg_lib as nd
from ndcg_lib.comparison.gate import Answer, answer
from ndcg_lib.runs.saved import Line, Record, as_baseline

TREC = Path(__file__).parents[1] / "book" / "data" / "trec"
REPEATS = [f"bm25-gpt35-{at}" for at in range(1, 6)]
OTHERS = [("splade", "tasb"), ("ada2", "repllama"), ("bm25", "bm25-rm3")]
MEASURES = {"NDCG": "nDCG(ties=id-desc)@10", "RR": "RR(rel=2,ties=id-desc)@10"}
YEARS = ("dl19", "dl20")
Population = Callable[[float], tuple[Any, Any]]

COMMITS = (  # how many a year, what they are, which differences, their true mean
    (150, "no ranking changes", "", 0.0),
    (30, "harmless, 5 % of queries move", "5 % of queries change", 0.0),
    (30, "harmless, 40 % of queries move", "same system again", 0.0),
    (15, "better by 0.02", "same system again", 0.02),
    (10, "allowed loss of 0.01", "same system again", -0.01),
    (5, "loss of 0.04, spread", "same system again", -0.04),
    (5, "loss of 0.04, few queries break", "some queries break", -0.04),
    (3, "loss of 0.10, few queries break", "some queries break", -0.10),
    (2, "crash: half of the queries lost", "crash", -0.36),
)


@cache
def values(measure: str, system: str) -> Any:
    """The values of a system on the 97 questions of two years."""
    found = []
    for year in YEARS:
        files = (TREC / f"{each}.{year}.txt.gz" for each in ("qrels", system))
        result = nd.evaluate(*files, measures=MEASURES[measure])
        found += [value for _, value in sorted(result.per_query().items())]
    return np.array(found)


def typical(measure: str) -> float:
    """The mean of a good system."""
    return float(values(measure, "splade").mean())


def tilted(atoms: Any, mean: float, base: Any) -> Any:
    """Exponential weights that give this mean: every difference and every zero stays as it was measured."""
    low, high, weights = -200.0, 200.0, base
    for _ in range(100):
        middle = (low + high) / 2
        weights = base * np.exp(middle * atoms - np.max(middle * atoms))
        weights = weights / weights.sum()
        low, high = (middle, high) if weights @ atoms < mean else (low, middle)
    return weights


@cache
def populations(measure: str) -> dict[str, Population]:
    """Kinds of change: given a true mean, the differences and how often each comes."""

    def both(pairs: Any) -> Any:
        return np.concatenate([s * (values(measure, b) - values(measure, a)) for a, b in pairs for s in (1, -1)])

    repeats, others, lost = both(combinations(REPEATS, 2)), both(OTHERS), -values(measure, "splade")

    def few(mean: float) -> tuple[Any, Any]:
        atoms = np.append(others, 0.0)
        return atoms, tilted(atoms, mean, np.append(np.full(len(others), 0.05 / len(others)), 0.95))

    def broken(mean: float) -> tuple[Any, Any]:
        share = mean / lost.mean() if mean < 0 else 0.0
        parts = ((repeats, 0.3 * (1 - share)), (np.zeros(1), 0.7 * (1 - share)), (lost, share))
        weights = np.concatenate([np.full(len(each), weight / len(each)) for each, weight in parts])
        return np.concatenate([each for each, _ in parts]), weights

    def plain(atoms: Any) -> Population:
        return lambda mean: (atoms, tilted(atoms, mean, np.full(len(atoms), 1 / len(atoms))))

    return {
        "same system again": plain(repeats), "another system": plain(others), "5 % of queries change": few,
        "some queries break": broken,
    }  # fmt: skip


def drawn(measure: str, kind: str, mean: float, samples: int, n: int, random: Any) -> Any:
    """Samples of so many queries: a row each."""
    atoms, weights = populations(measure)[kind](mean)
    return random.choice(atoms, p=weights, size=(samples, n))


def commits(kind: str, mean: float, samples: int, n: int, random: Any) -> Any:
    """Samples of what such a commit does to each query; nan: the query is lost."""
    if not kind:
        return np.zeros((1, n))
    if kind == "crash":
        return np.where(random.random((samples, n)) < 0.5, np.nan, 0.0)
    return drawn("NDCG", kind, mean, samples, n, random)


def asked(differences: Any, kind: str, limit: float) -> Answer:
    """What the gate says of a run with these differences. Where queries break, what they had is gone to the last."""
    base = typical("NDCG")
    gone = np.nan_to_num(-differences)
    was = np.where(gone >= 0.5, gone, base) if "break" in kind else np.maximum(base, gone + 1e-6)

    def record(values: Any, lists: Any) -> Record:
        lines = {
            f"q{at}": Line((float(value),), *((0, 0, 0) if np.isnan(value) else (10, 10, 10)), "", lists[at])
            for at, value in enumerate(values)
        }
        return Record({"nDCG@10": "nDCG@10"}, lines)

    now = record(was + differences, np.where(differences == 0, "old", "new").tolist())
    return answer(as_baseline(record(was, ["old"] * len(was)), {"nDCG@10": limit}, 0.05), now, {})
