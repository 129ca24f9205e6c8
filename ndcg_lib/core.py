"""The public functions: they check what the caller gives, and `formula` computes it.

`grades` are the grades of the returned documents in ranked order. A list is one ranking and gives one number; a
two-dimensional array is one ranking per row and gives one number per row.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from ndcg_lib import formula
from ndcg_lib.checks import as_cutoff, as_grades, as_length, as_pool, defined, finite, no_better_than_ideal
from ndcg_lib.choices import ByGrade, Level, bind
from ndcg_lib.convention import STANDING, of_judged, of_lists
from ndcg_lib.definition import TABLE
from ndcg_lib.engine import AT, SAFE, Recipe, as_number, following, recipe_of
from ndcg_lib.inputs import of_table
from ndcg_lib.types import Array, ConventionLike, Discount, Gain, Grades, Judged, OfCg, OfDcg, OfNdcg, Value

GAIN, DISCOUNT, IDEAL, EMPTY = (AT[name] for name in ("gain", "discount", "ideal", "empty"))
LARGEST, SMALLEST = 2.0**SAFE, 2.0**-SAFE


def gains(grades: Grades, gain: Gain = "linear", *, allow_negative: bool = True) -> Array:
    """g_i, what the grade at rank i is worth.

    >>> gains([3, 2, 0], "exponential")
    array([7., 3., 0.])
    """
    return _finite_gains(as_grades(grades, allow_negative=allow_negative), bind("gain", gain), allow_negative)


def discounts(n: int, discount: Discount = "modern", base: float = 2, **parameters: float) -> Array:
    """d_1 … d_n, what each rank is worth.

    >>> discounts(3)
    array([1.        , 0.63092975, 0.5       ])
    """
    return np.array(formula.discounts(as_length(n), bind("discount", discount, {"base": base, **parameters})))


def stand(**choices: Any) -> None:
    """Let choices stand in this process where a caller makes none; without any, the textbook's stand again.

    Only the pages of a course do this, and the foot of each says which choices stand.

    >>> stand(gain="exponential")
    >>> dcg([3]), dcg([3], gain="linear")
    (7.0, 3.0)
    >>> stand()
    >>> dcg([3])
    3.0
    """
    following(**choices)
    STANDING.clear()
    STANDING.update(choices)
    gains.__defaults__ = (choices.get("gain", TABLE["gain"].default),)
    discounts.__defaults__ = (choices.get("discount", TABLE["discount"].default), choices.get("base", 2))


@of_lists("cg")
def cg(
    grades: Grades,
    k: int | None = None,
    *,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfCg],
) -> Value:
    """Cumulative gain: CG@k = g_1 + g_2 + … + g_k.

    >>> cg([4, 2, 5, 3, 5], k=3)
    11.0
    """
    g = _finite_gains(as_grades(grades, allow_negative=allow_negative), following(**choices)[GAIN], allow_negative)
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(formula.cg(g, as_cutoff(k)))


@of_lists("dcg")
def dcg(
    grades: Grades,
    k: int | None = None,
    *,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfDcg],
) -> Value:
    """Discounted cumulative gain: DCG@k = g_1 d_1 + g_2 d_2 + … + g_k d_k.

    >>> round(dcg([4, 2, 5, 3, 5], k=3), 3)
    7.762
    """
    recipe = following(**choices)
    g = _finite_gains(as_grades(grades, allow_negative=allow_negative), recipe[GAIN], allow_negative)
    return _discounted(g, recipe, as_cutoff(k))


@of_judged("dcg")
def idcg(
    judged: Judged,
    k: int | None = None,
    *,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfDcg],
) -> Value:
    """Ideal DCG: the DCG@k of all judged documents, best first. First everything is sorted, then cut at k.

    >>> round(idcg([4, 2, 5, 3, 5], k=3), 3)
    10.155
    """
    recipe = following(**choices)
    g = _finite_gains(as_pool(judged, allow_negative=allow_negative), recipe[GAIN], allow_negative)
    return _discounted(formula.ideal(g), recipe, as_cutoff(k))


@of_lists("ndcg")
def ndcg(
    grades: Grades,
    k: int | None = None,
    *,
    judged: Judged | None = None,
    allow_negative: bool = False,
    convention: ConventionLike = None,
    **choices: Unpack[OfNdcg],
) -> Value:
    """Normalised DCG: NDCG@k = DCG@k / IDCG@k.

    `judged` holds the grades of all judged documents of the query, the returned ones included. Without it the
    returned list is all there is. `empty` is the answer where no judged document has a gain.

    >>> round(ndcg([3, 2, 3, 0, 1, 2]), 3)
    0.961
    >>> round(ndcg([3, 2, 3, 0, 1, 2], k=6, judged=[3, 2, 3, 0, 1, 2, 3, 2]), 3)  # a 3 and a 2 were missed
    0.785
    """
    recipe, k = following(**choices), as_cutoff(k)
    returned = as_grades(grades, allow_negative=allow_negative)
    beyond = judged is not None and recipe[IDEAL].key == "judged"  # the ideal looks beyond the list
    pool = as_pool(judged, allow_negative=allow_negative, beside=returned) if beyond else returned
    with np.errstate(over="ignore", invalid="ignore"):
        g, pool, _ = sides(returned, pool, recipe, allow_negative)
        best = formula.ideal(pool)
        if beyond:
            no_better_than_ideal(g, best)
        d = formula.discounts(max(g.shape[-1], best.shape[-1]), recipe[DISCOUNT])
        up, down = formula.dcg(g, d, k), formula.dcg(best, d, k)
    if g.ndim == 1 and 0 <= up < 0.99 * down < LARGEST:  # nothing to refuse and nothing to round: half of the time
        return float(up / down)
    defined(up, down, recipe[EMPTY])
    value = formula.ndcg(up, down, as_number(recipe[EMPTY]))
    return float(value) if value.ndim == 0 else value


def sides(returned: Array, pool: Array, recipe: Recipe, allow_negative: bool) -> tuple[Array, Array, Any]:
    """The gains of the returned and of the judged, and None; or, where sums of them would lose digits, the gains
    divided by a power of 2, which cancels in the quotient, and the exponent of that power for each ranking."""
    g = _gains(returned, recipe[GAIN], allow_negative)
    best = g if pool is returned else _gains(pool, recipe[GAIN], allow_negative)
    if not best.size or _safe(best):
        return g, best, None
    sheet = of_table(returned, judged=pool)
    exponent = sheet("scale", recipe)
    best = sheet("ideal_list", recipe_of(recipe, ideal_order="given"))[1].reshape(pool.shape)
    return sheet("top_gains", recipe).reshape(returned.shape), best, exponent


def _gains(grades: Array, gain: Level, allow_negative: bool) -> Array:
    return gain(grades, allow_negative) if isinstance(gain, ByGrade) else formula.gains(grades, gain)


def _finite_gains(grades: Array, gain: Level, allow_negative: bool) -> Array:
    g = _gains(grades, gain, allow_negative)
    if g is not grades and np.isinf(g).any():
        raise ValueError(
            f"the {gain} gain 2^{grades.max():g} - 1 is too large to add up. NDCG can still be computed (ndcg scales"
            " both sides); for CG and DCG use gain='linear' or smaller grades"
        )
    return g


def _discounted(g: Array, recipe: Recipe, k: int | None) -> Value:
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(formula.dcg(g, formula.discounts(g.shape[-1], recipe[DISCOUNT]), k))


def _safe(g: Array) -> bool:
    """Whether sums of these gains keep all their digits."""
    if g.ndim == 1:
        top = np.maximum.reduce(g)
        return bool((SMALLEST < top < LARGEST or top == 0) and np.minimum.reduce(g) > -LARGEST)
    top = g.max(axis=-1)
    return bool((((top > SMALLEST) & (top < LARGEST)) | (top == 0)).all() and g.min() > -LARGEST)
