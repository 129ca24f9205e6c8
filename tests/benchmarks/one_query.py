"""How long NDCG of one query with 10 grades takes, checks included, in microseconds.

python tests/benchmarks/one_query.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from timeit import Timer
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import ndcg_lib as nd

GRADES = [3, 2, 3, 0, 1, 2, 0, 4, 1, 0]
SCORES = [round(1 - rank / 10, 1) for rank in range(10)]
JUDGED = [*GRADES, 3, 1, 0]


def entries() -> dict[str, Callable[[], Any]]:
    array, scores = np.array(GRADES), np.array(SCORES)
    found: dict[str, Callable[[], Any]] = {
        "nd.ndcg(list)": lambda: nd.ndcg(GRADES),
        "nd.ndcg(array)": lambda: nd.ndcg(array),
        "nd.ndcg(list, k=5)": lambda: nd.ndcg(GRADES, 5),
        "nd.ndcg(list, judged=list)": lambda: nd.ndcg(GRADES, judged=JUDGED),
        'nd.ndcg(list, gain="exponential")': lambda: nd.ndcg(GRADES, gain="exponential"),
        "nd.ndcg_scores(list, list)": lambda: nd.ndcg_scores(GRADES, SCORES),
    }
    if find_spec("sklearn"):
        ndcg_score = import_module("sklearn.metrics").ndcg_score
        found["sklearn ndcg_score"] = lambda: ndcg_score(array[None], scores[None])
    return found


def main() -> None:
    calls = 200
    timers = {name: Timer(call) for name, call in entries().items()}
    times: dict[str, list[float]] = {name: [] for name in timers}
    for timer in timers.values():
        timer.timeit(calls)
    for _ in range(50):  # in turn, so that a busy machine slows all of them alike
        for name, timer in timers.items():
            times[name].append(timer.timeit(calls) / calls * 1e6)
    print(f"{'':36}{'best':>8}{'median':>8} microseconds")
    for name, found in times.items():
        print(f"{name:36}{min(found):8.1f}{median(found):8.1f}")


if __name__ == "__main__":
    main()
