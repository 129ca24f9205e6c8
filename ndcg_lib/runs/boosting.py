"""Any convention as the evaluation function of LightGBM and XGBoost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from ndcg_lib.convention import Convention, takes
from ndcg_lib.scores import mean, ndcg_scores
from ndcg_lib.types import ConventionLike, OfScores


@takes("scores")
def feval(
    k: int | None = None, *, name: str = "", convention: ConventionLike = None, **choices: Unpack[OfScores]
) -> Callable[..., Any]:
    """A function that LightGBM takes as `feval` or `eval_metric`, and XGBoost as `custom_metric`.

    It computes the mean NDCG@k over the groups of the data under any convention. Without a name it is called
    ndcg_lib@k, because both tools would mix it up with an ndcg@k of their own. For XGBoost pass `maximize=True` to what
    stops early, since a larger value is better. Weights of queries do not count.

    >>> measure = feval(k=2, gain="exponential")
    >>> measure([3.0, 0.0, 1.0], [0.9, 0.2, 0.4], None, [3])
    ('ndcg_lib@2', 1.0, True)
    """
    chosen = Convention(k=k, **choices)
    title = name or ("ndcg_lib" if k is None else f"ndcg_lib@{k}")

    def measured(labels: Any, scores: Any, group: Any) -> float:
        sizes = [len(np.asarray(labels))] if group is None or not len(group) else group
        offsets = np.append(0, np.cumsum(np.asarray(sizes, dtype=np.intp)))
        found = ndcg_scores(np.asarray(labels), np.asarray(scores), offsets=offsets, convention=chosen)
        return mean(found, convention=chosen)

    def evaluate(first: Any, second: Any, _weight: Any = None, group: Any = None) -> Any:
        if hasattr(second, "get_uint_info"):  # scores, and a DMatrix of XGBoost
            return title, measured(second.get_label(), first, np.diff(second.get_uint_info("group_ptr")))
        if hasattr(second, "get_group"):  # scores, and a Dataset of LightGBM
            return title, measured(second.get_label(), first, second.get_group()), True
        return title, measured(first, second, group), True  # labels and scores, as LGBMRanker calls it

    evaluate.__name__ = title
    return evaluate
