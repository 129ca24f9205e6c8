"""The Python of assignment 7: what its tasks draw and compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ndcg_lib as nd
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.recipe import by_recipe

K = 5


def _sheet(draw: Draw) -> dict[str, Any]:
    """The query of the sheet."""
    middle = [3, draw.integer(0, 2), draw.integer(1, 2), draw.integer(0, 1)]
    returned = [draw.integer(1, 2), *draw.shuffled(middle), draw.integer(2, 3)]
    return {"returned": returned, "judged": draw.shuffled([*returned, 3, draw.integer(2, 3)]), "k": K}


def _of_the_sheet(quantity: str, **choices: Any) -> Callable[..., Any]:
    recipe = by_recipe(quantity, "grades", "judged", "k", **choices)

    def reference(returned: list[float], judged: list[float], k: int, **changes: Any) -> Any:
        return recipe(returned, judged, k, **changes)

    reference.recipe = quantity  # type: ignore[attr-defined]
    return reference


MISPRINTS = (0.018, 0.1, -0.1, 0.27, -0.09)


def _printed(draw: Draw) -> dict[str, Any]:
    returned = draw.shuffled([3, 2, 1, 3, 2])
    terms = [round(float(grade * d), 3) for grade, d in zip(returned, nd.discounts(K), strict=True)]
    wrong = draw.integer(2, K) - 1
    terms[wrong] = round(terms[wrong] + draw.choice(MISPRINTS), 3)
    return {"returned": returned, "terms": terms}


def _off(returned: list[float], terms: list[float]) -> list[float]:
    return [abs(float(grade * d) - term) for grade, d, term in zip(returned, nd.discounts(K), terms, strict=True)]


def _list_of_five(draw: Draw) -> dict[str, Any]:
    grades = [*draw.shuffled([3, 2, 0, 1, draw.integer(0, 3)])[:4], draw.integer(1, 3)]
    return {"curve": [round(float(x), 3) for x in nd.curve(grades).dcg]}
