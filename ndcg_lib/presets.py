"""Whose NDCG is which: the choices of known tools and papers that differ from the textbook's, and whom they stand for.

Data for `convention`. tests/numbers/test_peers.py holds the preset of a tool against what the tool itself was measured
to give.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Choices: TypeAlias = Mapping[str, Any]

ALSO_CALLED = {
    "linear": "textbook",
    "exponential": "burges",
    "original-discount": "jarvelin-kekalainen",
    "scikit-learn": "sklearn",
    "scikit": "sklearn",
    "ndcg_score": "sklearn",
    "järvelin-kekäläinen": "jarvelin-kekalainen",
    "jk": "jarvelin-kekalainen",
    "lgbm": "lightgbm",
    "xgb": "xgboost",
}

_EXP: Choices = {"gain": "exponential"}
_BINARY: Choices = {"gain": "binary"}
_ROWS: Choices = {"ideal": "returned"}  # an array interface never sees what was not returned
_ORDER: Choices = {"ties": "order"}
_BY_NAME: Choices = {"ties": "id-descending"}
_BOOSTED: Choices = {**_ROWS, **_ORDER, "empty": 1.0}
_NO_ZEROS: Choices = {"empty": "skip", "missing": "skip"}
_SINGLE: Choices = {"score_precision": "single"}
_CATBOOST: Choices = {**_ROWS, "ties": "worst", "empty": 1.0}

PRESETS: dict[str, tuple[Choices, str]] = {
    "textbook": ({}, "the default of this book, as in trec_eval: the grade as gain, 1/log2(i+1) as discount"),
    "jarvelin-kekalainen": (
        {"discount": "original"},
        "Järvelin & Kekäläinen 2002, b = 2: the grade as gain, ranks 1 and 2 count in full",
    ),
    "burges": (_EXP, "Burges et al. 2005, and Manning et al. 2008: 2^grade - 1 as gain"),
    "trec_eval": (_BY_NAME, "trec_eval 10.0 with -c"),
    "trec_eval_9": ({**_BY_NAME, **_SINGLE, "missing": "skip"}, "trec_eval 9.0.8, as it comes"),
    "pytrec_eval": ({**_BY_NAME, **_SINGLE, "missing": "skip"}, "pytrec_eval-terrier 0.5.11"),
    "ir_measures": ({**_BY_NAME, **_SINGLE}, "ir_measures 0.4.3, nDCG"),
    "beir": ({**_BY_NAME, **_SINGLE, "missing": "skip"}, "BEIR 2.2.0 (rounded to five decimals)"),
    "mteb": ({**_BY_NAME, **_SINGLE, "missing": "skip"}, "MTEB 2.26.24 (rounded to five decimals)"),
    "gdeval": ({**_EXP, **_BY_NAME, **_NO_ZEROS}, "ir_measures 0.4.3, its copy of gdeval.pl (TREC Web)"),
    "sklearn": (_ROWS, "scikit-learn 1.9.1, ndcg_score"),
    "sklearn_ignore_ties": ({**_ROWS, "ties": "reverse"}, "scikit-learn 1.9.1, ndcg_score with ignore_ties=True"),
    "torchmetrics": ({**_ROWS, **_SINGLE}, "torchmetrics 1.9.0"),
    "ignite": ({**_EXP, **_ROWS, **_ORDER, "empty": "skip"}, "pytorch-ignite 0.5.5, NDCG (results in float32)"),
    "ranx": (_ORDER, "ranx 0.3.21, ndcg of Qrels and Run"),
    "ranx_burges": ({**_EXP, **_ORDER}, "ranx 0.3.21, ndcg_burges of Qrels and Run"),
    "ranx_dicts": ({"ties": "reverse", "missing": "raise"}, "ranx 0.3.21, ndcg of plain dictionaries, paired by place"),
    "lightgbm": ({**_EXP, **_BOOSTED}, "LightGBM 4.7.0"),
    "xgboost": ({**_EXP, **_BOOSTED, **_SINGLE, "k": 32}, "XGBoost 3.2.0, 'ndcg' (at most 32 ranks)"),
    "xgboost_linear": ({**_BOOSTED, **_SINGLE, "k": 32}, "XGBoost 3.2.0, 'ndcg' with ndcg_exp_gain=False"),
    "catboost": (_CATBOOST, "CatBoost 1.2.10, NDCG:type=Base"),
    "catboost_exp": ({**_EXP, **_CATBOOST}, "CatBoost 1.2.10, NDCG:type=Exp"),
    "trectools": ({"ties": "id", "missing": "skip"}, "trectools 0.0.50, get_ndcg of files"),
    "trectools_exp": ({**_EXP, "ties": "id", "missing": "skip"}, "trectools 0.0.50, get_ndcg with trec_eval=False"),
    "rectools": ({**_BINARY, **_ORDER, "empty": "skip"}, "RecTools 0.19.0, NDCG with divide_by_achievable=True"),
    "cornac": ({**_BINARY, **_ORDER, "empty": "skip"}, "cornac 3.0.1, NDCG"),
    "ir_evaluation": ({**_BINARY, **_ORDER, "empty": "raise"}, "ir_evaluation 1.1.0, ndcg"),
    "lenskit": ({"discount": "original", **_ORDER, "missing": "skip"}, "LensKit 2025.8.1, NDCG with gain='rating'"),
}
"""By name: the choices that differ from `Convention()`, and the tool and version or the paper."""

_REFUSES, _NO_ROW = "{} refuses them", "{} has no row for such a query and leaves it out"
_ARRAYS = {"missing": _NO_ROW, "strangers": "{} counts such a query as one without a relevant document"}
_CUTS = {"fractional": "{} cuts 0.6 to 0", "tied": "{} keeps no order of equal scores in a list of more than 15"}
_SKLEARN = {**_ARRAYS, "single": "{} refuses a list of one document", "negative": _REFUSES}
_XGBOOST = {**_ARRAYS, "above 31": _REFUSES, "missing": "{} counts 1 for a query without documents"}
_AS_GAINS = {**_ARRAYS, "negative": "{} takes them as gains"}
_UNJUDGED = {"strangers": "{} counts 0 for each of them"}
_STOPS = "{} stops with an error"

DIFFERS: dict[str, dict[str, str]] = {
    "trec_eval": {"fractional": "{} reads 1.5 as 1"},
    "trec_eval_9": {"fractional": "{} reads 1.5 as 1"},
    "pytrec_eval": {"fractional": _REFUSES},
    "beir": {"fractional": _REFUSES, "own": "{} drops them unless it is told not to"},
    "mteb": {"fractional": _REFUSES, "strangers": _STOPS},
    "gdeval": {"fractional": "gdeval refuses them", "above 4": "gdeval refuses them"},
    "ir_measures": {"fractional": _REFUSES},
    "sklearn": _SKLEARN,
    "sklearn_ignore_ties": {**_SKLEARN, "tied": "in {} the processor and the version of numpy decide on their order"},
    "torchmetrics": {**_ARRAYS, "negative": "{} takes a query whose grades add up to 0 for one with nothing relevant"},
    "ignite": {**_ARRAYS, "fractional": "{} counts grades below 1 as 0"},
    "ranx": _CUTS,
    "ranx_burges": _CUTS,
    "ranx_dicts": {**_CUTS, "strangers": _STOPS},
    "lightgbm": {**_ARRAYS, "above 30": _REFUSES, "fractional": _REFUSES, "negative": _REFUSES},
    "xgboost": {**_XGBOOST, "fractional": _REFUSES, "negative": _REFUSES},
    "xgboost_linear": {**_XGBOOST, "negative": "{} takes them as gains"},
    "catboost": _AS_GAINS,
    "catboost_exp": _AS_GAINS,
    "trectools": _UNJUDGED,
    "trectools_exp": _UNJUDGED,
    "cornac": {"empty": "{} gives nan", "strangers": "{} gives nan"},
    "ir_evaluation": {
        **dict.fromkeys(("missing", "strangers", "short"), _STOPS),
        "whole": "{} wants a k, which cuts the ideal as well",
    },
    "lenskit": {"strangers": "{} counts 0 for each of them", "negative": "{} takes them as gains"},
}
"""Where a preset and its tool part company, by what the data hold. The report of an evaluation says it."""

_ROWS_IN_ORDER: Choices = {**_ROWS, **_ORDER}
_BINARY_IN_ORDER: Choices = {**_BINARY, **_ORDER}
TOOLS: dict[str, tuple[Choices, str]] = {
    "trec_eval without -c": ({**_BY_NAME, "missing": "skip"}, ""),
    "trec_eval of fractional grades": ({**_BY_NAME, "fractions": "cut"}, ""),
    "ranx of fractional grades": ({**_ORDER, "fractions": "cut"}, ""),
    "torchmetrics 1.9, function given several rows": ({**_ROWS, **_SINGLE, "rows": "joined"}, ""),
    "xgboost, ndcg-": ({**_EXP, **_ROWS_IN_ORDER, **_SINGLE, "k": 32}, ""),
    "rax 0.4": ({**_EXP, **_ROWS_IN_ORDER, **_SINGLE}, ""),
    "allRank 1.4": ({**_EXP, **_BOOSTED, **_SINGLE}, ""),
    "rankereval 0.2": ({**_ROWS_IN_ORDER, "empty": "skip"}, ""),
    "recommenders, raw": ({**_ORDER, "empty": "skip", "k": 10}, ""),
    "recommenders, exp": ({**_EXP, **_ORDER, "empty": "skip", "k": 10}, ""),
    "recommenders, default": ({**_ORDER, "empty": "skip", "k": 10}, "judged-means-relevant"),
    "pyspark, from Python": (_BINARY_IN_ORDER, ""),
    "replay 0.22": (_BINARY_IN_ORDER, ""),
    "recpack 0.3": (_BINARY_IN_ORDER, ""),
    "rectools, default": ({**_BINARY_IN_ORDER, "empty": "skip"}, "ideal-all-perfect"),
    "recbole 1.2": (_BINARY_IN_ORDER, "ideal-cut-at-list"),
}
"""What was measured too and no preset can say, for `which`: choices, and the slip that a tool has built in."""
