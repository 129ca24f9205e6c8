"""The Python of assignment 15: what its tasks draw and compute, from real grades of judges and lists of a system."""

from __future__ import annotations

import math
import statistics
from typing import Any

from ndcg_course.tasks.draw import Draw

PEOPLE_AND_MODEL = [[1690, 1074, 681, 150, 24], [348, 446, 566, 113, 26], [405, 735, 1971, 547, 102],
                    [80, 136, 554, 411, 137], [1, 8, 18, 42, 19]]  # fmt: skip
"""How often a person gave the grade of the row, and a model that of the column: 10,284 pairs of TREC RAG 2025."""
LISTS = ["---10--111", "1102-1001-", "222-----1-", "0000--3--0", "21-313-13-", "211-1111--", "23-22-2---",
         "3303-32000", "1221-02221", "313-131333", "32-222-21-", "22-3001-00", "-1100--11-", "2-0221----",
         "-2-222-222", "13-133-2--", "-13303122-", "221--21-02", "00-3333333", "21---12-1-", "2312-11001",
         "11-1113-3-", "3211----22", "3-01111122", "101-01----", "2200-2112-", "000-00-033", "21-0--1111",
         "1-011-20-1", "3300-31-0-", "1111-1-2-1", "3313---323", "3333-31330", "223-01-011", "3231-13113",
         "222--01--0", "220--121-1", "00-3003300", "331-010002", "22-11---2-"]  # fmt: skip
"""The first ten of six systems on TREC 2019 and 2020, where one of the first five has no judgement and something is
relevant below: a grade each, - where nobody judged."""


def _judges(draw: Draw, n: int) -> list[list[int]]:
    """The grades of two judges for some pairs, as often as in the table; not all alike."""
    every = [(a, b) for a, row in enumerate(PEOPLE_AND_MODEL) for b, count in enumerate(row) for _ in range(count)]
    while True:
        pairs = draw.choices(every, n + 3)
        if len({a for a, _ in pairs}) > 1 and len({b for _, b in pairs}) > 1:
            return [[a for a, _ in pairs], [b for _, b in pairs]]


def _kappa(ann: list[int], ben: list[int], *, power: int = 2, luck: str = "dealt") -> float:
    """Weighted kappa; the keywords are ways to get it wrong."""
    far: float = sum(abs(a - b) ** power for a, b in zip(ann, ben, strict=True)) / len(ann)
    any_two: float = sum(abs(a - b) ** power for a in ann for b in ben) / len(ann) ** 2
    if luck == "none":
        return 1 - far
    if luck == "share":
        return sum(a == b for a, b in zip(ann, ben, strict=True)) / len(ann)
    if luck == "ratio":
        return far / any_two
    if luck == "unweighted":
        same: float = sum(a == b for a, b in zip(ann, ben, strict=True)) / len(ann)
        meet: float = sum(a == b for a in ann for b in ben) / len(ann) ** 2
        return float((same - meet) / (1 - meet))
    if luck == "correlation":
        return float(statistics.correlation(ann, ben))
    if luck == "others":
        n = len(ann)
        others = sum(abs(ann[i] - ben[j]) ** power for i in range(n) for j in range(n) if i != j)
        return float(1 - far / (others / (n * n - n)))
    return 1 - far / any_two


def _list(draw: Draw) -> dict[str, Any]:
    """A real list in which something is judged below a hole among the first five."""
    return {"grades": [None if grade == "-" else int(grade) for grade in draw.choice(LISTS)]}


def _dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def _condensing(
    grades: list[int | None], *, cut: str = "after", alone: bool = False, turned: bool = False, discount: bool = True
) -> float:
    """What DCG@5 gains if the list is condensed."""
    total: Any = _dcg if discount else sum
    kept = [grade for grade in (grades[:5] if cut == "before" else grades) if grade is not None][
        : 99 if cut == "never" else 5
    ]
    gain = total(kept) - (0 if alone else total([grade or 0 for grade in grades[:5]]))
    return float(-gain if turned else gain)


def _bounds(grades: list[int | None], k: int, top: int, *, best: str = "top", cut: bool = True) -> list[float]:
    shown = grades[:k] if cut else grades
    high = max((g for g in shown if g is not None), default=0) if best == "seen" else top
    low = _dcg([grade or 0 for grade in shown])
    if best == "condensed":
        return [low, _dcg([grade for grade in shown if grade is not None])]
    return [low, _dcg([high if grade is None or best == "every" else grade for grade in shown])]


def _holes(draw: Draw, n: int) -> list[Any]:
    grades: list[int | None] = [draw.choice([0, 1, 2, 3, None]) for _ in range(n + 2)]
    grades[draw.integer(0, n)] = None
    return [grades, draw.integer(1, n + 1), 4]


def _pool(lists: list[list[str]], depth: int, *, of: str = "any", cut: bool = True, once: bool = True) -> list[str]:
    tops = [(sorted(each) if of == "names" else each)[:depth] if cut else each for each in lists]
    found = [name for top in tops for name in top]
    if of in ("joined", "pool"):
        joined = [name for each in lists for name in each]
        found = (joined if of == "joined" else sorted(set(joined)))[:depth]
    elif of == "all":
        found = [name for name in found if all(name in top for top in tops)]
    elif of == "first":
        found = list(tops[0]) if tops else []
    return sorted(set(found)) if once else sorted(found)


def _lists(draw: Draw, n: int) -> list[Any]:
    names = [f"s{at:02d}" for at in range(1, n + 4)]
    lists = [draw.sample(names, draw.integer(2, n + 2)) for _ in range(draw.integer(2, 4))]
    return [lists, draw.integer(1, 3)]


def _questions(draw: Draw) -> dict[str, Any]:
    values: list[float | None] = [draw.integer(4, 19) / 20 for _ in range(8)]
    return {"values": draw.shuffled([*values, *["silent"] * draw.integer(1, 3), *["hopeless"] * draw.integer(1, 2)])}


def _means(values: list[Any]) -> dict[str, float]:
    numbers = [value for value in values if not isinstance(value, str)]
    silent, hopeless = values.count("silent"), values.count("hopeless")
    return {
        "zero": sum(numbers) / len(values),
        "skip": sum(numbers) / (len(values) - silent),
        "one": (sum(numbers) + hopeless) / len(values),
    }


def _sampled(rank: int, films: int, sample: int, *, one: int = 1, first: int = 1, side: str = "above") -> float:
    """The expected rank of the hidden film among those that were drawn."""
    return one + sample * ((films - rank) if side == "below" else (rank - first)) / (films - first)


def _pages(chunks: list[str], grade: dict[str, int], *, repeat: str = "drop", keep: str = "first") -> list[int]:
    if repeat == "keep":
        return [grade[page] for page in chunks]
    if repeat == "zero":
        return [0 if page in chunks[:at] else grade[page] for at, page in enumerate(chunks)]
    if repeat == "sorted":
        return sorted((grade[page] for page in set(chunks)), reverse=True)
    if keep == "last":
        return [grade[page] for at, page in enumerate(chunks) if page not in chunks[at + 1 :]]
    return [grade[page] for page in dict.fromkeys(chunks)]


def _chunks(draw: Draw, n: int) -> list[Any]:
    titles = ["Five steps", "Vinegar", "Limescale", "Prices", "Steam engines"]
    pages = draw.sample(titles, min(n + 1, 5))
    grades = {page: draw.integer(0, 9) for page in pages}
    return [[draw.choice(pages) for _ in range(n + 2)], grades]
