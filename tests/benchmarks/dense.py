"""How long NDCG of 100,000 queries with 100 documents takes, here and elsewhere.

    python tests/benchmarks/dense.py            # some minutes; whichever of requirements.txt is installed takes part
    python tests/benchmarks/dense.py --quick    # a tenth of the queries, one pass

Every measurement is a process of its own that loads the same arrays, warms up and repeats. The passes go over all
entries in turn, so a busy machine slows all of them alike: read the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = 100
CASES = {  # name: which scores, cut-off
    "scores all different, NDCG@10": ("scores", 10),
    "scores all different, full depth": ("scores", None),
    "scores of 5 levels, NDCG@10": ("tied", 10),
    "scores of 5 levels, full depth": ("tied", None),
    "scores of 100 levels, full depth": ("rounded", None),
}
UNTIED = [name for name in CASES if "different" in name]
BASIS = "ndcg_lib"

Evaluate = Callable[[], Any]


@dataclass
class Entry:
    """Something to measure: `prepare` gets scores, grades and k, and gives back what is timed."""

    prepare: Callable[[np.ndarray, np.ndarray, int | None], Evaluate]
    package: str = "ndcg_lib"
    cases: tuple[str, ...] = tuple(UNTIED)
    share: int = 1  # one in so many queries is evaluated, and the time multiplied
    grades: str = "grades"


def ours(**choices: Any) -> Callable[[np.ndarray, np.ndarray, int | None], Evaluate]:
    def prepare(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
        nd = import_module("ndcg_lib")
        return lambda: nd.ndcg_scores(grades, scores, k, **choices)

    return prepare


def sklearn(ignore_ties: bool) -> Callable[[np.ndarray, np.ndarray, int | None], Evaluate]:
    def prepare(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
        metrics = import_module("sklearn.metrics")
        return lambda: metrics.ndcg_score(grades, scores, k=k, ignore_ties=ignore_ties)

    return prepare


def ranx(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
    kernel = import_module("ranx.metrics").ndcg
    order = np.argsort(-scores, axis=1)
    run = np.stack([order, np.take_along_axis(scores, order, axis=1)], axis=2)
    order = np.argsort(-grades, axis=1)
    qrels = np.stack([order, np.take_along_axis(grades, order, axis=1)], axis=2).astype(np.float64)
    return lambda: kernel(qrels, run, k or 0)


def ranx_sorting(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
    def evaluate() -> Any:
        return ranx(scores, grades, k)()

    return evaluate


def lightgbm(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
    lgb = import_module("lightgbm")
    rows, documents = scores.shape
    parameters = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [k or documents], "verbosity": -1}
    parameters["num_threads"] = threads()
    data = lgb.Dataset(
        np.zeros((scores.size, 1)), grades.ravel(), group=np.full(rows, documents), init_score=scores.ravel(),
        params={"verbosity": -1},
    )  # fmt: skip
    booster = lgb.Booster(parameters, data)
    return lambda: booster.eval_train()[0][2]


def xgboost(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
    xgb = import_module("xgboost")
    rows, documents = scores.shape
    data = xgb.DMatrix(np.zeros((scores.size, 1)), grades.ravel(), base_margin=scores.ravel(), nthread=threads())
    data.set_group(np.full(rows, documents))
    parameters = {"objective": "rank:ndcg", "eval_metric": f"ndcg@{k or documents}", "ndcg_exp_gain": False}
    booster = xgb.Booster(parameters | {"nthread": threads(), "base_score": 0.0}, [data])
    return lambda: float(booster.eval(data).split(":")[-1])


def catboost(scores: np.ndarray, grades: np.ndarray, k: int | None) -> Evaluate:
    evaluate = import_module("catboost.utils").eval_metric
    groups = np.repeat(np.arange(len(scores)), scores.shape[1])
    metric = f"NDCG:top={k or -1};type=Base"
    return lambda: evaluate(grades.ravel(), scores.ravel(), metric, group_id=groups, thread_count=threads())[0]


ENTRIES = {
    BASIS: Entry(ours(), cases=tuple(CASES)),
    'ndcg_lib, ties="order"': Entry(ours(ties="order"), cases=tuple(CASES)),
    'ndcg_lib, ties="best"': Entry(ours(ties="best")),
    "ndcg_lib, grades int8": Entry(ours(), grades="int8"),
    "ndcg_lib, grades float64": Entry(ours(), grades="float64"),
    "ndcg_lib, grades with fractions": Entry(ours(), grades="fractions"),
    "ndcg_lib, gain exponential": Entry(ours(gain="exponential")),
    "only np.sort(scores)": Entry(lambda scores, grades, k: lambda: np.sort(scores, axis=1)),
    "scikit-learn, ignore_ties=True": Entry(sklearn(True), "sklearn"),
    "scikit-learn": Entry(sklearn(False), "sklearn", tuple(CASES), share=10),
    "ranx, arrays sorted before": Entry(ranx, "ranx"),
    "ranx, sorting included": Entry(ranx_sorting, "ranx"),
    "LightGBM, dataset built before": Entry(lightgbm, "lightgbm"),
    "XGBoost, matrix built before": Entry(xgboost, "xgboost"),
    "CatBoost": Entry(catboost, "catboost"),
}


def threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))


def write_arrays(folder: Path, rows: int) -> None:
    rng = np.random.default_rng(7)
    grades = rng.integers(0, 5, (rows, DOCUMENTS))
    arrays = {
        "scores": rng.random((rows, DOCUMENTS)),
        "tied": rng.integers(0, 5, (rows, DOCUMENTS)) / 5,
        "rounded": rng.integers(0, 100, (rows, DOCUMENTS)) / 100,
        "grades": grades,
        "int8": grades.astype(np.int8),
        "float64": grades.astype(np.float64),
        "fractions": grades * 0.3,
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def measure(name: str, case: str, folder: Path, repeats: int) -> dict[str, Any]:
    """Time one entry in this process."""
    entry, (kind, k) = ENTRIES[name], CASES[case]
    scores, grades = (np.load(folder / f"{array}.npy") for array in (kind, entry.grades))
    few = slice(0, max(1, len(scores) // entry.share))
    evaluate = entry.prepare(scores[few], grades[few], k)
    resident = reset_peak()
    value = float(np.mean(evaluate()))
    extra = None if resident is None else memory("VmHWM") - resident
    clock = time.process_time if "NDCG_BENCHMARK_CPU" in os.environ else time.perf_counter
    times = []
    for _ in range(repeats):
        start = clock()
        evaluate()
        times.append((clock() - start) * entry.share)
    return {"times": times, "value": value, "extra": extra}


def reset_peak() -> float | None:
    """The memory in use now, from which on the peak is taken; Linux only."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return memory("VmRSS")
    except OSError:
        return None


def memory(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def in_own_process(name: str, case: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, __file__, "--measure", name, case, str(folder), str(options.repeats)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    if options.cpu:
        environment["NDCG_BENCHMARK_CPU"] = "1"
    if options.threads:
        count = str(options.threads)
        environment |= {f"{name}_NUM_THREADS": count for name in ("OMP", "NUMBA", "OPENBLAS", "MKL")}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        return {"failed": (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def table(case: str, passes: dict[str, list[dict[str, Any]]]) -> str:
    """The rows of one case, fastest first, with the time relative to ours in the same pass."""
    lines = [f"{case}", f"{'':34}{'best ms':>9}{'median':>9}{'x best':>9}{'x median':>9}{'MiB':>7}  mean NDCG"]
    rows = []
    for name, found in passes.items():
        failed = next((each["failed"] for each in found if "failed" in each), None)
        if failed:
            rows.append((float("inf"), f"{name:34} {failed[:80]}"))
            continue
        best = min(min(each["times"]) for each in found)
        middle = median(median(each["times"]) for each in found)
        basis = passes[BASIS]
        best_ratio = best / min(min(each["times"]) for each in basis)
        ratio = median(median(a["times"]) / median(b["times"]) for a, b in zip(found, basis, strict=True))
        extra = max(each["extra"] or 0 for each in found)
        numbers = f"{best * 1e3:9.1f}{middle * 1e3:9.1f}{best_ratio:9.2f}{ratio:9.2f}{extra:7.1f}"
        share = ENTRIES[name].share
        rows.append((best, f"{name:34}{numbers}  {found[0]['value']:.9f}" + (f" (1 in {share})" if share > 1 else "")))
    return "\n".join([*lines, *(row for _, row in sorted(rows))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10,000 queries, one pass")
    parser.add_argument("--passes", type=int, default=3, help="how often to go over all entries (3)")
    parser.add_argument("--repeats", type=int, default=5, help="how often to time an entry in a pass (5)")
    parser.add_argument("--threads", type=int, help="how many threads the peers may use (all)")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of the clock; use with --threads 1")
    parser.add_argument("--only", default="", help="only entries whose name holds this, and ndcg_lib")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, case, folder, repeats = options.measure
        print(json.dumps(measure(name, case, Path(folder), int(repeats))))
        return
    if options.quick:
        options.passes = 1
    sys.path.insert(0, str(ROOT))
    present = {name: entry for name, entry in ENTRIES.items() if find_spec(entry.package)}
    present = {name: entry for name, entry in present.items() if name == BASIS or options.only in name}
    packages = sorted({entry.package for entry in present.values()} - {"ndcg_lib"})
    absent = sorted({entry.package for entry in ENTRIES.values()} - {*packages, "ndcg_lib"})
    of = {"sklearn": "scikit-learn"}
    print("numpy", np.__version__, *(f"{of.get(p, p)} {version(of.get(p, p))}" for p in packages))
    if absent:
        print("left out, not installed:", *absent)
    rows = 10_000 if options.quick else 100_000
    clock = "processor time" if options.cpu else "clock"
    print(f"{rows:,} queries x {DOCUMENTS} documents, {options.passes} passes x {options.repeats} repeats, {clock};")
    print(f"the peers may use {options.threads or os.cpu_count()} threads, ndcg_lib uses 1\n")
    with tempfile.TemporaryDirectory() as folder:
        write_arrays(Path(folder), rows)
        results: dict[str, dict[str, list[dict[str, Any]]]] = {case: {} for case in CASES}
        for _ in range(options.passes):
            for case in CASES:
                for name, entry in present.items():
                    if case in entry.cases:
                        found = in_own_process(name, case, Path(folder), options)
                        results[case].setdefault(name, []).append(found)
        for case, passes in results.items():
            print(table(case, passes), end="\n\n")


if __name__ == "__main__":
    main()
