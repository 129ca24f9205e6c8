"""This library as a provider of ir_measures: the values of its other providers, or a refusal::

    import ir_measures
    from ndcg_lib.runs.ir_measures import provider

    provider.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)

The first use registers it under the name "nd". gdeval's five decimals are not rounded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from ndcg_lib.convention import CONVENTIONS
from ndcg_lib.runs.dialects import as_columns
from ndcg_lib.runs.evaluation import evaluate


def refusal(measure: Any) -> str:
    """Why a measure of ir_measures is not computed here, or "" where it is.

    >>> refusal("nDCG@10"), refusal("IPrec@0.5")
    ('', "'IPrec@0.5': ir_measures has it, and this library does not compute it")
    """
    try:
        as_columns(str(measure), None, CONVENTIONS["ir_measures"])
    except ValueError as error:
        return str(error)
    return ""


@cache
def _registered() -> Any:
    try:
        theirs: Any = import_module("ir_measures")
    except ModuleNotFoundError as error:
        if error.name != "ir_measures":
            raise
        raise ImportError("this is a provider for ir_measures, which is not installed: pip install ir_measures",
                          name="ir_measures") from None  # fmt: skip

    class Evaluator(theirs.providers.Evaluator):  # type: ignore[misc]
        """Computes its measures of any number of runs."""

        def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
            self.judged: dict[str, dict[str, float]] = theirs.util.QrelsConverter(qrels).as_dict_of_dict()
            super().__init__(list(dict.fromkeys(measures)), set(self.judged))  # AP and MAP are one, and count once

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            lists = theirs.util.RunConverter(run).as_dict_of_dict()
            returned = {query: each for query, each in lists.items() if query in self.judged}
            if not returned:  # what ir_measures takes for 0
                return
            found = evaluate(self.judged, returned, measures=list(map(str, self.measures)), convention="ir_measures")
            for measure in self.measures:
                yield from (theirs.Metric(q, measure, value) for q, value in found.per_query(str(measure)).items())

    class Provider(theirs.providers.Provider):  # type: ignore[misc]
        """What ir_measures asks: which measures, and an evaluator of them."""

        NAME = "nd"

        def supports(self, measure: Any) -> bool:
            measure.validate_params()
            return not refusal(measure)

        def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
            return Evaluator(measures, qrels)

    return theirs.providers.register(Provider())


def __getattr__(name: str) -> Any:
    if name == "provider":
        return _registered()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
