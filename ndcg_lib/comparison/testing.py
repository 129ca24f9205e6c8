"""For tests and pipelines: is a run worse than a baseline, and does a function compute what a tool does?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ndcg_lib.comparison.gate import Unsure, gate
from ndcg_lib.identification.functions import computed_by
from ndcg_lib.types import Preset

__all__ = ["assert_computes", "assert_not_worse", "gate"]


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


def assert_computes(function: Callable[..., Any], convention: Preset) -> None:
    """For pytest: that a function gives what a preset gives for the same input, on all lists that are tried.

    It fails with the card of the function. Of what a function never sees, such as judged documents that it is not
    given, nothing is asserted.

    >>> def ndcg(grades, k):
    ...     return float(nd.ndcg(grades, k))
    >>> import ndcg_lib as nd
    >>> assert_computes(ndcg, "trec_eval")
    """
    card = computed_by(function, (convention,))
    if convention not in card.same:
        raise AssertionError(f"it does not compute what {convention} does\n{card}")
