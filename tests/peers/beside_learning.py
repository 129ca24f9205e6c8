"""LambdaRank beside LightGBM's: the same slopes, and both models on the same split.

    peers/bin/python -m pytest --noconftest -o addopts= tests/peers/beside_learning.py
    peers/bin/python tests/peers/beside_learning.py --write      # what the chapter shows, measured again

The weekly workflow does the first in the environment of requirements.txt.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "book")]

import learning  # noqa: E402
import trec  # noqa: E402

import ndcg_lib as nd  # noqa: E402

STORED = ROOT / "book" / "data" / "learning.json"
BIN = 50 / 2**20  # LightGBM looks the sigmoid up in a table with so wide bins


def slopes(scores: Any, grades: Any, sizes: list[int]) -> Any:
    """LightGBM's slopes at some scores. A tree of one split tells the sum over some documents, as L2 * leaf."""
    n, l2, draw = len(scores), 1e8, np.random.default_rng(0)
    settings = {
        "objective": "lambdarank", "lambdarank_norm": False, "lambdarank_truncation_level": n, "num_leaves": 2,
        "min_data_in_leaf": 1, "min_data_in_bin": 1, "min_sum_hessian_in_leaf": 0, "lambda_l2": l2, "learning_rate": 1,
        "feature_pre_filter": False, "num_threads": 1, "verbose": -1,
    }  # fmt: skip
    sums, members = [0.0], [np.ones(n)]
    for _ in range(3 * n):
        chosen = draw.permutation(n) < n // 2
        data = lightgbm.Dataset(chosen[:, None] * 1.0, grades, group=sizes, init_score=scores, params=settings)
        leaf = lightgbm.train(settings, data, 1).predict(chosen[:, None] * 1.0, raw_score=True)
        assert len(set(leaf)) == 2
        sums.append(-l2 * leaf[chosen][0])
        members.append(chosen * 1.0)
    return np.linalg.lstsq(np.array(members), np.array(sums), rcond=None)[0]


@pytest.mark.parametrize("seed", range(3))
def test_the_slopes_are_those_of_lightgbm(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = [12, 18]
    grades = draw.integers(0, 4, 30).astype(float)
    # every difference of two grades' scores lies just above the edge of a bin, so that the table is exact there
    scores = draw.integers(-40_000, 40_000, 30) * BIN + grades * 1e-9
    ours = [
        learning.lambdarank(scores[rows], grades[rows], gain="exponential")[1] for rows in (slice(12), slice(12, 30))
    ]
    np.testing.assert_allclose(np.concatenate(ours), slopes(scores, grades, sizes), rtol=0, atol=1e-6)


def measured() -> dict[str, Any]:
    """NDCG@10 on dl20 of LightGBM's lambdarank, trained on dl19 with the same features, a value per query."""
    data = {
        year: learning.rankings(
            nd.read_qrels(trec.qrels(year)), [nd.read_run(trec.run(s, year)) for s in trec.FIRST_STAGE], 20
        )
        for year in ("dl19", "dl20")
    }
    lists = data["dl19"].values()
    settings = {
        "objective": "lambdarank", "num_leaves": 7, "learning_rate": 0.1, "min_data_in_leaf": 20, "verbose": -1,
        "num_threads": 1, "deterministic": True, "seed": 0, "label_gain": [0, 1, 2, 3],
        "lambdarank_truncation_level": 10,
    }  # fmt: skip
    table = lightgbm.Dataset(
        np.vstack([one.features for one in lists]),
        np.concatenate([one.grades for one in lists]),
        group=[len(one.documents) for one in lists],
    )
    model = lightgbm.train(settings, table, 60)
    run = {
        query: dict(zip(one.documents, model.predict(one.features).tolist(), strict=True))
        for query, one in data["dl20"].items()
    }
    values = nd.evaluate(trec.qrels("dl20"), run, k=10).per_query()
    return {
        "tool": f"LightGBM {lightgbm.__version__}, lambdarank, 60 trees of 7 leaves",
        "dl20": {query: round(value, 6) for query, value in values.items()},
    }


def test_what_the_chapter_shows_of_lightgbm_is_what_it_gives() -> None:
    now, stored = measured(), json.loads(STORED.read_text("utf-8"))
    assert now["tool"] == stored["tool"]
    assert now["dl20"] == pytest.approx(stored["dl20"], abs=0.02)


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    STORED.write_text(json.dumps(measured(), indent=1) + "\n", "utf-8")
