"""How often the gate is wrong, on populations of real differences and over a year of commits, beside two others.

    python tests/benchmarks/gate.py [SAMPLES]

The others: the gate before (it failed where the mean was beyond its limit and p, for no difference at all, below 0.05)
and a plain limit on the mean. Both see no loss in a run that lost its queries, where a convention leaves these out.
"""

from __future__ import annotations

import collections
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from real_differences import COMMITS, MEASURES, asked, commits, drawn, populations, typical

from ndcg_lib.comparison.loss import LEVEL, loss

LIMIT = 0.02
Rates = dict[str, float]


def levels(samples: int) -> None:
    """With a true loss exactly at the limit either word is wrong; the mean and the worst of 24 populations."""
    draw = np.random.default_rng(3)
    print("queries   not worse (worst)   worse (worst)   no loss: not worse   three times the limit: worse")
    for n in (10, 25, 50, 100, 200, 1000):
        found = []
        for measure in MEASURES:
            for kind in populations(measure):
                for limit in (0.01, 0.02, 0.05):
                    row = []
                    for mean, many in ((-limit, samples), (0.0, samples // 4), (-3 * limit, samples // 4)):
                        each = [loss(d, limit, typical(measure)) for d in drawn(measure, kind, mean, many, n, draw)]
                        row += [np.mean([f.low > -limit for f in each]), np.mean([f.p_beyond <= LEVEL for f in each])]
                    found.append(row)
        mean, worst = np.mean(found, axis=0), np.max(found, axis=0)
        told = f"{mean[0]:9.3f} ({worst[0]:.3f})   {mean[1]:5.3f} ({worst[1]:.3f})"
        print(f"{n:7}   {told}   {mean[2]:18.3f}   {mean[5]:28.3f}")


def blocked(d: Any, kind: str, flips: Any) -> Rates:
    """Which gate stops a commit with these differences. Where queries are lost, the others leave them out."""
    found, seen = asked(d, kind, LIMIT), d[~np.isnan(d)]
    mean, signs = float(seen.mean()), flips[:, : len(seen)]
    chance = (np.count_nonzero(abs(signs @ seen) >= abs(seen.sum()) - 1e-10) + 1) / (len(signs) + 1)
    return {
        "the mean must not fall": mean < -1e-9,
        "the mean may fall by the limit": mean < -LIMIT,
        "before": mean < -LIMIT and chance < 0.05,
        "unsure passes": found.exit("pass") != 0,
        "unsure asks the mean": found.exit("mean") != 0,
        "unsure blocks": found.exit("block") != 0,
    }


def year(samples: int) -> None:
    """False alarms of 235 allowed commits, and how many of 15 harmful ones pass."""
    draw = np.random.default_rng(11)
    for n in (50, 200, 1000):
        wrong: dict[str, list[float]] = collections.defaultdict(lambda: [0.0, 0.0])
        flips = draw.integers(0, 2, (1000, n)) * 2.0 - 1
        for many, _, kind, mean in COMMITS:
            rates = [blocked(d, kind, flips) for d in commits(kind, mean, samples, n, draw)]
            for gate in rates[0]:
                share = float(np.mean([each[gate] for each in rates]))
                harmful = mean < -LIMIT
                wrong[gate][harmful] += many * (1 - share if harmful else share)
        print(f"{n} queries: " + "; ".join(f"{gate} {a:.1f} / {b:.1f}" for gate, (a, b) in wrong.items()))


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    levels(many)
    print("\nA year of 250 commits: false alarms of 235 / missed of 15")
    year(max(many // 10, 50))
