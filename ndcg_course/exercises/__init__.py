"""The exercises: what a notebook needs is check, hint, own, progress and solution.

>>> from ndcg_course.exercises import check
>>> print(check("best_first", lambda judged: judged))
Not yet: best_first, 0 of 2 points.
...
"""

from ndcg_course.exercises.asking import check, figure, hint, own, progress, solution

__all__ = ["check", "figure", "hint", "own", "progress", "solution"]
