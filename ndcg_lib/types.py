"""The types of the public functions, made by tests/numbers/test_types.py from the table of choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Never, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ndcg_lib.convention import Convention

Array: TypeAlias = NDArray[np.float64]
Grades: TypeAlias = Sequence[Any] | NDArray[Any]
Judged: TypeAlias = Grades | Mapping[Any, Any]
Unknown: TypeAlias = np.ndarray[tuple[Never, Never, Never], Any]  # an array of a shape that its type leaves open
Row: TypeAlias = np.ndarray[tuple[int], Any]
Rows: TypeAlias = Sequence[Sequence[float]] | np.ndarray[tuple[int, int], Any]
Value: TypeAlias = Any  # a float for one ranking, an array with a value per row for several
Preset: TypeAlias = Literal[
    "textbook",
    "jarvelin-kekalainen",
    "burges",
    "trec_eval",
    "trec_eval_9",
    "pytrec_eval",
    "ir_measures",
    "beir",
    "mteb",
    "gdeval",
    "sklearn",
    "sklearn_ignore_ties",
    "torchmetrics",
    "ignite",
    "ranx",
    "ranx_burges",
    "ranx_dicts",
    "lightgbm",
    "xgboost",
    "xgboost_linear",
    "catboost",
    "catboost_exp",
    "trectools",
    "trectools_exp",
    "rectools",
    "cornac",
    "ir_evaluation",
    "lenskit",
]
ConventionLike: TypeAlias = "Convention | Preset | None"

Gain: TypeAlias = Literal["linear", "exponential", "binary"] | Mapping[Any, float] | Callable[[float], float]
Discount: TypeAlias = Literal["modern", "original", "reciprocal", "geometric", "none"] | Callable[[int], float]
Ideal: TypeAlias = Literal["judged", "returned"]
Empty: TypeAlias = Literal["skip", "raise"] | float
Ties: TypeAlias = Literal["average", "order", "reverse", "best", "worst", "id", "id-descending"]
ScorePrecision: TypeAlias = Literal["double", "single"]
Missing: TypeAlias = Literal["zero", "skip", "raise"]
Averaging: TypeAlias = Literal["mean"]


class OfCg(TypedDict, total=False):
    """The choices that functions of the kind of `cg` take."""

    gain: Gain


class OfDcg(OfCg, total=False):
    """The choices that functions of the kind of `dcg` take."""

    discount: Discount
    base: float
    p: float


class OfNdcg(OfDcg, total=False):
    """The choices that functions of the kind of `ndcg` take."""

    ideal: Ideal
    empty: Empty


class OfScores(OfNdcg, total=False):
    """The choices that functions of the kind of `scores` take."""

    ties: Ties
    score_precision: ScorePrecision


class OfQueries(OfScores, total=False):
    """The choices that functions of the kind of `queries` take."""

    missing: Missing
    averaging: Averaging


@dataclass(frozen=True)
class Chosen:
    """Every public choice, the textbook's by default."""

    gain: Gain = "linear"
    discount: Discount = "modern"
    base: float = 2
    p: float = 0.8
    ideal: Ideal = "judged"
    empty: Empty = 0.0
    ties: Ties = "average"
    score_precision: ScorePrecision = "double"
    missing: Missing = "zero"
    averaging: Averaging = "mean"
