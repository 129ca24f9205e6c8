"""A task's reference that is the library's engine, so that a slip is a change of its recipe."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any


def by_recipe(quantity: str, *takes: str, **choices: Any) -> Callable[..., Any]:
    """A reference that takes the named arguments and gives one quantity of the library; keywords change its recipe.

    The keyword `quantity` asks for another quantity.

    >>> dcg = by_recipe("dcg", "grades", "k")
    >>> round(dcg([3, 2, 0], 2), 3), dcg([3, 2, 0], discount="none")
    (4.262, 5.0)
    """
    import numpy as np

    from ndcg_lib.engine import following, recipe_of
    from ndcg_lib.inputs import of_rows

    right = following(**choices)
    recipe = cache(lambda *changes: recipe_of(right, **dict(changes)))
    sheets: dict[str, Any] = {}  # the same inputs come again with every slip

    def values(given: dict[str, Any], changes: Sequence[Mapping[str, Any]]) -> list[float]:
        key = repr(given)
        if key not in sheets:
            if len(sheets) > 200:
                sheets.clear()
            sheets[key] = of_rows(given.pop("grades", given.get("judged")), **given)[0]
        found: dict[int, float] = {}
        groups = itertools.groupby(range(len(changes)), lambda i: changes[i].get("quantity", quantity))
        for asked, places in groups:
            at = list(places)
            recipes = [recipe(*((k, v) for k, v in changes[i].items() if k != "quantity")) for i in at]
            with np.errstate(all="ignore"):
                if asked == "loss":
                    table = sheets[key].many("idcg", recipes) - sheets[key].many("dcg", recipes)
                else:
                    table = sheets[key].many(asked, recipes)
            found |= zip(at, table[:, 0].tolist(), strict=True)
        return list(found.values())

    def reference(*args: Any, **changes: Any) -> float:
        given = dict(zip(takes, args, strict=False))
        given |= {name: changes.pop(name) for name in takes if name in changes}
        return values(given, [changes])[0]

    def sheet(inputs: Sequence[Sequence[Any]]) -> Any:
        """All inputs as queries of one sheet."""
        given: dict[str, Any] = {name: [args[at] for args in inputs] for at, name in enumerate(takes)}
        k = given.pop("k", None)
        made = of_rows(given.pop("grades", given.get("judged")), **given)[0]
        made.given["k"] = None if k is None else k[0] if len(k) == 1 else np.array(k)
        return made

    def many(args: Sequence[Any], changes: Sequence[Mapping[str, Any]]) -> list[float]:
        return values(dict(zip(takes, args, strict=False)), changes)

    reference.many = many  # type: ignore[attr-defined]  # for many changes at once
    reference.recipe = quantity  # type: ignore[attr-defined]
    reference.right, reference.takes, reference.sheet = right, takes, sheet  # type: ignore[attr-defined]
    named = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in takes]
    reference.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return reference
