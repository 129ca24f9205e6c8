"""A course on NDCG: assignments, checks that name the mistake, and the grading of a class.

A notebook needs twelve names, each of which loads on its first use.

>>> from ndcg_course import check
>>> print(check("best_first", lambda judged: judged))
Not yet: best_first, 0 of 2 points...
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ndcg_course.notebook import (
        another,
        check,
        check_all,
        figure,
        hint,
        missing,
        own,
        progress,
        recall,
        solution,
    )
    from ndcg_course.tasks.plots import Axes, page_of

__version__ = "0.1.0"
__all__ = [
    "Axes",
    "another",
    "check",
    "check_all",
    "figure",
    "hint",
    "missing",
    "own",
    "page_of",
    "progress",
    "recall",
    "solution",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ndcg_course' has no attribute {name!r}")
    from ndcg_course import notebook
    from ndcg_course.tasks import plots

    return getattr(plots if name in ("Axes", "page_of") else notebook, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
