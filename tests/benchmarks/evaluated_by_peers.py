"""What other tools make of some judgements and runs: written to tests/data/evaluated_by_peers.json.

    pip install -r tests/benchmarks/requirements.txt
    python tests/benchmarks/evaluated_by_peers.py

The cases hold tied scores, unjudged documents, grades below 0, queries that are missing on either side, and a query
without a relevant document. ranx sorts with an unstable sort from 16 documents on, so lists with ties are shorter.
"""

import json
import random
import tempfile
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

warnings.simplefilter("ignore")
OUT = Path(__file__).resolve().parent.parent / "data" / "evaluated_by_peers.json"
TREC = {
    "ndcg": "ndcg", "ndcg@5": "ndcg_cut_5", "ndcg@10": "ndcg_cut_10", "ap": "map", "ap@10": "map_cut_10",
    "rr": "recip_rank", "p@5": "P_5", "p@10": "P_10", "recall@5": "recall_5", "recall@10": "recall_10",
}  # fmt: skip
RANX = {
    "ndcg": "ndcg", "ndcg@5": "ndcg@5", "ap": "map", "rr": "mrr", "p@5": "precision@5", "recall@5": "recall@5",
}  # fmt: skip
CUTS = (5, 10, 20)

Table = dict[str, dict[str, float]]


def case(seed: int) -> tuple[dict[str, dict[str, int]], Table]:
    """Judgements and a run."""
    drawn = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: Table = {}
    for number in range(6):
        documents = drawn.sample([f"d{at}" for at in range(40)], 26)
        grades = [drawn.choice([-1, 0, 0, 1, 2, 3]) if number else 0 for _ in range(12)]
        qrels[f"q{number}"] = dict(zip(documents[:12], grades, strict=True))
        if number != 3:
            some = drawn.sample(documents, 14)
            run[f"q{number}"] = {document: drawn.choice([0.5, 1.5, drawn.random()]) for document in some}
    run["unjudged"] = {"d1": 1.0}
    return qrels, run


def trec_files(folder: str, qrels: dict[str, dict[str, int]], run: Table) -> tuple[str, str]:
    """Both as files."""
    judged = "".join(f"{q} 0 {d} {g}\n" for q, grades in qrels.items() for d, g in grades.items())
    found = "".join(f"{q} Q0 {d} 1 {s!r} me\n" for q, scores in run.items() for d, s in scores.items())
    Path(folder, "qrels.txt").write_text(judged)
    Path(folder, "run.txt").write_text(found)
    return judged, found


def by_pytrec_eval(qrels: dict[str, dict[str, int]], run: Table) -> dict[str, Table]:
    """Per query; a judged query without results is absent."""
    measures = {"ndcg", "ndcg_cut.5,10", "map", "map_cut.10", "recip_rank", "P.5,10", "recall.5,10"}
    values = import_module("pytrec_eval").RelevanceEvaluator(qrels, measures).evaluate(run)
    return {ours: {q: v[theirs] for q, v in values.items() if q in qrels} for ours, theirs in TREC.items()}


def by_ir_measures(qrels: dict[str, dict[str, int]], run: Table) -> dict[str, float]:
    """The means."""
    ir = import_module("ir_measures")
    asked = {"ndcg@10": ir.nDCG @ 10, "ndcg": ir.nDCG, "ap": ir.AP, "rr": ir.RR, "p@10": ir.P @ 10}
    means = ir.calc_aggregate(list(asked.values()), qrels, run)
    return {ours: means[theirs] for ours, theirs in asked.items()}


def by_ranx(folder: str) -> dict[str, float]:
    """The means, from files."""
    ranx = import_module("ranx")
    qrels = ranx.Qrels.from_file(f"{folder}/qrels.txt", kind="trec")
    run = ranx.Run.from_file(f"{folder}/run.txt", kind="trec")
    means = ranx.evaluate(qrels, run, list(RANX.values()), make_comparable=True)
    return {ours: float(means[theirs]) for ours, theirs in RANX.items()}


def by_ranx_burges(folder: str) -> dict[str, float]:
    """The mean with exponential gains."""
    ranx = import_module("ranx")
    qrels = ranx.Qrels.from_file(f"{folder}/qrels.txt", kind="trec")
    run = ranx.Run.from_file(f"{folder}/run.txt", kind="trec")
    return {"ndcg@5": float(ranx.evaluate(qrels, run, "ndcg_burges@5", make_comparable=True))}


def by_sklearn(qrels: dict[str, dict[str, int]], run: Table) -> dict[str, Table]:
    """Per query, on the returned documents alone, which is all that the function is given."""
    score = import_module("sklearn.metrics").ndcg_score
    values: dict[str, Table] = {f"ndcg@{k}": {} for k in CUTS}
    for query, judged in qrels.items():
        if query in run:
            grades = [max(judged.get(document, 0), 0) for document in run[query]]
            for k in CUTS:
                values[f"ndcg@{k}"][query] = float(score([grades], [list(run[query].values())], k=k))
    return values


def main() -> None:
    """Write the file."""
    cases = []
    for seed in range(4):
        qrels, run = case(seed)
        with tempfile.TemporaryDirectory() as folder:
            judged, found = trec_files(folder, qrels, run)
            peers = {
                "pytrec_eval": by_pytrec_eval(qrels, run),
                "ir_measures": by_ir_measures(qrels, run),
                "ranx": by_ranx(folder),
                "ranx_burges": by_ranx_burges(folder),
                "sklearn": by_sklearn(qrels, run),
            }
        cases.append({"qrels": judged, "run": found, "peers": peers})
    packages = ("pytrec-eval-terrier", "ir_measures", "ranx", "scikit-learn")
    OUT.write_text(
        json.dumps({"versions": {name: version(name) for name in packages}, "cases": cases}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
