"""Lists with a convention, drawn at random, and what ndcg_lib says of them.

The playground computes in the reader's browser; its numbers are held against these, in Node and in Chromium.
"""

from __future__ import annotations

import math
import random
from typing import Any

import ndcg_lib as nd
from ndcg_lib.definition import PARAMETERS, TABLE

COUNT = 180
EVERY = 6  # so many vectors, one asks all presets


def vectors() -> list[dict[str, Any]]:
    draw = random.Random(20)
    return [vector(draw, number) for number in range(COUNT)]


def vector(draw: random.Random, number: int) -> dict[str, Any]:
    grade_of = draw.choice([lambda: draw.randint(0, 3), lambda: draw.randint(0, 1), lambda: draw.randint(0, 5),
                            lambda: draw.randint(0, 12) / 4, lambda: 0])  # fmt: skip
    returned = draw.choice([1, 2, 3, 5, 6, 8, 12, 34])  # XGBoost looks at 32 ranks
    grades = [grade_of() for _ in range(returned)]
    missed = [grade_of() for _ in range(draw.choice([0, 0, 1, 2, 5]))]
    tied = [number % 2 == 1 and i > 0 and draw.random() < 0.4 for i in range(returned)]
    order = draw.sample(range(1, returned + 1), returned)
    gain = draw.choice([*TABLE["gain"].names, "table"])
    table = (
        {grade: round(draw.uniform(0, 10), 2) for grade in dict.fromkeys(grades + missed)} if gain == "table" else {}
    )
    convention = {
        "gain": gain,
        "table": [[grade, worth] for grade, worth in table.items()],
        "discount": draw.choice(["modern", *TABLE["discount"].names]),
        **{p.name: draw.choice([p.default, p.default, *p.tried]) for p in PARAMETERS.values()},
        "ideal": draw.choice(TABLE["ideal"].names),
        "k": draw.choice([None, 1, 3, 5, returned, returned + 3]),
        "ties": draw.choice(["average", *TABLE["ties"].names]),
        "empty": draw.choice([0, 1, *TABLE["empty"].names]),
    }
    asked = {"names": [f"d{i}" for i in order], "grades": grades, "tied": tied, "missed": missed}
    asked["swaps"] = [(i, j) for j in range(returned) for i in range(j) if j - i in (1, number % 4 + 1)]
    return {**asked, "convention": convention, "is": answers(asked, convention, number % EVERY == 0)}


def answers(asked: dict[str, Any], told: dict[str, Any], with_libraries: bool) -> dict[str, Any]:
    grades, names, judged = asked["grades"], asked["names"], asked["grades"] + asked["missed"]
    table = {grade: worth for grade, worth in told["table"]}
    choices = {name: value for name, value in told.items() if name != "table"}
    choices["gain"] = table if told["gain"] == "table" else told["gain"]
    convention = nd.Convention(**choices)
    k = told["k"]
    pool = judged if told["ideal"] == "judged" else grades

    def value(
        grades: list[float], k: int | None, names: list[str], scores: list[int], how: nd.Convention
    ) -> float | None:
        if how.empty == "raise":  # the playground says so, and has no number either
            how = how.but(empty="skip")
        number = nd.ndcg_scores(grades, scores, judged=judged, ids=names, convention=how.but(k=k))
        return None if math.isnan(number) else number

    scores = [-sum(not tied for tied in asked["tied"][: i + 1]) for i in range(len(grades))]
    gain = nd.gains(grades, convention.gain)
    best = sorted(grades, key=lambda grade: -gain[grades.index(grade)])
    apart = [-i for i in range(len(grades))]
    swapped = []
    for i, j in asked["swaps"]:
        other, others = list(grades), list(names)
        other[i], other[j], others[i], others[j] = other[j], other[i], others[j], others[i]
        swapped.append(value(other, k, others, scores, convention))
    parameters = {name: told[name] for name in PARAMETERS}
    core = {"gain": convention.gain, "discount": told["discount"], **parameters}
    found = {
        "idcg": nd.idcg(pool, k, **core),
        "ndcg": value(grades, k, names, scores, convention),
        "at_each_k": [value(grades, j, names, scores, convention) for j in range(1, len(pool) + 1)],
        "random": value(grades, k, names, [0] * len(grades), convention.but(ties="average")),
        "best": value(best, k, names, apart, convention),
        "worst": value(best[::-1], k, names, apart, convention),
        "swapped": swapped,
        "gains": gain.tolist(),
        "discounts": nd.discounts(len(pool), told["discount"], **parameters).tolist(),
    }
    if not any(asked["tied"]):
        found |= {"cg": nd.cg(grades, k, gain=convention.gain), "dcg": nd.dcg(grades, k, **core)}
    if with_libraries:
        found["libraries"] = {}
        for name, preset in nd.CONVENTIONS.items():
            most = [number for number in (k, preset.k) if number is not None]
            found["libraries"][name] = value(grades, min(most, default=None), names, scores, preset)
    return found
