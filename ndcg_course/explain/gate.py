"""The gate that every sentence about a cause passes: it is said where it was measured to be true, and nowhere else.

`ndcg exercises calibrate` draws wrong answers whose cause is known, and counts by kind of sentence and task how often
one was told and how often it was true. Where that is too rarely, the place or the case is shown and nothing is claimed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources

ASKED = 0.95  # of what is told, as much has to be true
LEAST = 10  # sentences of a family of kinds that were measured, before any is believed
WEIGHT = 30  # what the kind counts beside the task's own sentences, of which there are few

FAMILY = 10  # what all kinds of the family count beside a kind that is rarely told
NUMBERS = ("rounded", "cut-short", "percent", "sign", "sign-in-places", "one-minus", "inverse", "factor", "shifted")
ALIKE = dict.fromkeys(("slip", "guard", "definition"), "slip") | dict.fromkeys(NUMBERS, "numbers")
"""Families of one claim: a choice of the task is changed; the same was done with all right numbers."""
Counts = dict[str, dict[str, tuple[int, int]]]  # kind of sentence: task: true ones, and all


@cache
def table() -> Counts:
    """What was measured, by kind of sentence and task."""
    text = resources.files(__package__).joinpath("earned.json").read_text("utf8")
    kinds = json.loads(text)["kinds"]
    return {kind: {task: (n[0], n[1]) for task, n in tasks.items()} for kind, tasks in kinds.items()}


def share(kind: str, task: str, counts: Counts) -> float:
    """How much of what such a sentence tells about the task is true: its own count, and that of the kind beside it."""
    family = [of for other, of in counts.items() if _family(other) == _family(kind)]
    all_true, all_told = (sum(n[i] for of in family for n in of.values()) for i in (0, 1))
    if all_told < LEAST:
        return 0.0
    of_kind = counts.get(kind, {})
    true, told = (sum(n[i] for n in of_kind.values()) for i in (0, 1))
    of_all = (true + FAMILY * all_true / all_told) / (told + FAMILY)
    mine, all_mine = of_kind.get(task, (0, 0))
    return (mine + WEIGHT * of_all) / (all_mine + WEIGHT)


def _family(kind: str) -> str:
    return ALIKE.get(kind, kind.partition(":")[0])


_measuring: list[Counts | None] = []


@contextmanager
def using(counts: Counts | None) -> Iterator[None]:
    """Other counts than those of the table, while they are measured; with None everything may be said."""
    _measuring.append(counts)
    try:
        yield
    finally:
        _measuring.pop()


def earned(kind: str, task: str) -> bool:
    """Whether a sentence of this kind may say what is meant, about this task.

    >>> earned("a kind that nobody measured", "dcg_at")
    False
    """
    counts = _measuring[-1] if _measuring else table()
    return counts is None or share(kind, task, counts) >= ASKED
