"""NDCG, exact and explicit: every choice that changes the number is a keyword.

>>> import ndcg_lib as nd
>>> round(nd.ndcg([3, 2, 3, 0, 1, 2]), 3)
0.961
"""

import typing as _typing
from importlib import import_module as _import_module

from ndcg_lib.convention import CONVENTIONS, Convention
from ndcg_lib.core import cg, dcg, discounts, gains, idcg, ndcg
from ndcg_lib.workings import curve, graded, working

if _typing.TYPE_CHECKING:
    from ndcg_lib.comparison import significance as significance
    from ndcg_lib.comparison import testing
    from ndcg_lib.comparison.table import compare
    from ndcg_lib.files.reading import read_qrels, read_run
    from ndcg_lib.identification import which
    from ndcg_lib.measures import average_precision, err, precision, rbp, recall, reciprocal_rank
    from ndcg_lib.plots.playing import play
    from ndcg_lib.runs import frames as frames
    from ndcg_lib.runs.boosting import feval
    from ndcg_lib.runs.evaluation import evaluate
    from ndcg_lib.runs.saved import load, save
    from ndcg_lib.scores import mean, ndcg_scores
    from ndcg_lib.slips import SLIPS

__version__ = "0.1.0"

__all__ = [
    "CONVENTIONS",
    "SLIPS",
    "Convention",
    "average_precision",
    "cg",
    "compare",
    "curve",
    "dcg",
    "discounts",
    "err",
    "evaluate",
    "feval",
    "gains",
    "graded",
    "idcg",
    "load",
    "mean",
    "ndcg",
    "ndcg_scores",
    "play",
    "precision",
    "rbp",
    "read_qrels",
    "read_run",
    "recall",
    "reciprocal_rank",
    "save",
    "testing",
    "which",
    "working",
]

_ON_FIRST_USE = {
    "runs.boosting": ("feval",),
    "comparison.table": ("compare",),
    "runs.evaluation": ("evaluate",),
    "runs.saved": ("load", "save"),
    "files.reading": ("read_qrels", "read_run"),
    "identification": ("which",),
    "measures": ("average_precision", "err", "precision", "rbp", "recall", "reciprocal_rank"),
    "scores": ("mean", "ndcg_scores"),
    "plots.playing": ("play",),
    "slips": ("SLIPS",),
}

_ROOMS = {"frames": "runs.frames", "significance": "comparison.significance", "testing": "comparison.testing"}


def __dir__() -> list[str]:
    return __all__


if not _typing.TYPE_CHECKING:  # a type checker sees the names above, and so a misspelt one

    def __getattr__(name: str) -> object:
        if name in _ROOMS:
            return _import_module(f"ndcg_lib.{_ROOMS[name]}")
        for module, names in _ON_FIRST_USE.items():
            if name in names:
                return getattr(_import_module(f"ndcg_lib.{module}"), name)
        raise AttributeError(f"module 'ndcg_lib' has no attribute {name!r}")
