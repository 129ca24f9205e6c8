"""For tests and pipelines: is a run worse than a baseline?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ndcg_lib.comparison.gate import Unsure, gate

__all__ = ["assert_not_worse", "gate"]


def assert_not_worse(
    qrels: Any, baseline: Any, run: Any, limits: Mapping[str, float] | None = None, *, unsure: Unsure = "mean",
    **options: Any,
) -> None:  # fmt: skip
    """For pytest: `gate`, as an assertion that says what was found, with the queries.

    Where nothing can be told, a mean beyond its limit fails; with `unsure` "pass" it passes, with "block" all fail.

    >>> qrels = {"51": {"a": 1}}
    >>> assert_not_worse(qrels, {"51": ["b", "a"]}, {"51": ["a", "b"]}, {"rr": 0.02})
    """
    answer = gate(qrels, baseline, run, limits, **options)
    if answer.exit(unsure):
        raise AssertionError(str(answer))
