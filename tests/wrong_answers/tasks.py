"""Two tasks on the whole of NDCG, so that the wrong answers here do not hang on the wording of one assignment."""

from ndcg_course.tasks import tasks
from ndcg_course.tasks.recipe import by_recipe
from ndcg_course.tasks.slips import library
from ndcg_course.tasks.task import Family, FunctionTask, Task

HINTS = ("one", "two", "three")


def _query(draw, n):
    judged = [draw.choice([0, 1, 2, 2, 3]) for _ in range(n + 3)]
    return [judged[: draw.integer(2, n + 2)], judged, draw.integer(1, n + 3)]


def _fractions(draw, n):
    judged = [draw.integer(0, 12) / 4 for _ in range(n + 3)]
    return [judged[: draw.integer(1, n + 2)], judged, draw.integer(1, n + 1)]


def _scored(draw, n):
    grades = [draw.choice([0, 1, 2, 3, 3]) for _ in range(n + 2)]
    return [grades, [float(score) for score in draw.shuffled(range(n + 2))], draw.integer(1, n + 2)]


def _tied(draw, n):
    grades, scores, k = _scored(draw, n)
    return [grades, [score // 2 for score in scores], k]


NDCG_OF = FunctionTask(
    name="ndcg_of",
    kind="implement",
    minutes=8,
    place="chapters/ndcg#ndcg-definition",
    reference=by_recipe("ndcg", "grades", "judged", "k"),
    families=[
        Family("whole grades", points=2, draw=_query, times=24),
        Family("fractional grades", points=1, draw=_fractions),
        Family("no relevant document", points=1, cases=[[[0], [0, 0], 1], [[0, 0], [0, 0, 0], 3]]),
    ],
    low=0,
    high=1,
    slips=library("ndcg"),
    hints=HINTS,
    valid=lambda grades, judged, k: k >= 1 and judged[: len(grades)] == grades,
)

NDCG_SCORED = FunctionTask(
    name="ndcg_scored",
    kind="implement",
    minutes=8,
    place="chapters/awkward-grades#ties-in-scores",
    reference=by_recipe("ndcg", "grades", "scores", "k", ties="order"),
    families=[
        Family("scores that differ", points=2, draw=_scored, times=20),
        Family("tied scores", points=1, draw=_tied, times=20),
    ],
    low=0,
    high=1,
    slips=library("ndcg", scored=True),
    hints=HINTS,
)

OWN = {task.name: task for task in (NDCG_OF, NDCG_SCORED)}


def task_of(name: str) -> Task:
    return OWN.get(name) or tasks()[name]
