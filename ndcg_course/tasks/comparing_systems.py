"""The Python of assignment 14: what its tasks draw and compute, from the values of real systems by question."""

from __future__ import annotations

import csv
import math
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import numpy as np

from ndcg_course.tasks.draw import Draw

LIMIT = 0.05


@cache
def _values() -> tuple[list[str], dict[str, list[list[float]]]]:
    """The systems, and for each year a row of NDCG@10 per question. The table is made from the runs of the book."""
    lines = csv.reader(files("ndcg_course.tasks").joinpath("values.csv").read_text("utf8").splitlines())
    systems = next(lines)[2:]
    years: dict[str, list[list[float]]] = {}
    for year, _, *row in lines:
        years.setdefault(year, []).append([float(value) for value in row])
    return systems, years


def _pair(draw: Draw, questions: int) -> dict[str, list[float]]:
    """Two systems on some questions of one year."""
    systems, years = _values()
    rows = draw.sample(years[draw.choice(sorted(years))], questions)
    a, b = draw.sample(range(len(systems)), 2)
    return {"A": [round(row[a], 3) for row in rows], "B": [round(row[b], 3) for row in rows]}


def _mean_lead(A: list[float], B: list[float], *, turned: bool = False, of: str = "mean", added: bool = False) -> float:
    leads = [(a - b if turned else b - a) for a, b in zip(A, B, strict=True)]
    if of in ("A", "B"):  # one system alone
        leads = A if of == "A" else B
    if added:
        return sum(map(abs, leads) if of == "distance" else leads)
    if of == "median":
        return float(np.median(leads))
    if of == "distance":
        return sum(map(abs, leads)) / len(leads)
    if of == "wins":
        return sum(lead > 0 for lead in leads) / len(leads)
    return sum(leads) / {"sum": 1, "relative": sum(A)}.get(of, len(leads))


def _leads(
    a: dict[str, float | None], b: dict[str, float | None], questions: list[str], *, silent: str = "zero",
    hopeless: str = "out", turned: bool = False, paired: str = "name", of: str = "both",
) -> list[float]:  # fmt: skip
    found = []
    if paired == "position":
        both = list(zip(a.values(), b.values(), strict=False))
    elif paired == "sorted":
        ordered = [sorted(v for v in values.values() if v is not None) for values in (a, b)]
        both = list(zip(*ordered, strict=False))
    else:
        named = [q for q in questions if silent == "zero" or (q in a and q in b)]
        both = [(a.get(q, 0), b.get(q, 0)) for q in named]
    for x, y in both:
        if x is None or y is None:
            found += [0.0] if hopeless == "zero" else []
        else:
            found.append(float({"A": x, "B": y, "both": x - y if turned else y - x}[of]))
    return found


def _answers(draw: Draw, n: int, *, silent: bool = False, hopeless: bool = False) -> list[Any]:
    questions = [f"q{i}" for i in range(1, n + 3)]
    a, b = ({q: draw.integer(0, 8) / 8 for q in draw.shuffled(questions)} for _ in range(2))
    if hopeless:
        q = draw.choice(questions)
        a[q] = b[q] = None  # type: ignore[assignment]
    if silent:
        for of, q in zip(
            draw.shuffled([a, b]), draw.sample([q for q in questions if a[q] is not None], 2), strict=True
        ):
            if draw.integer(0, 1) or of is a:
                del of[q]
    return [a, b, questions]


def _fine_answers(draw: Draw, n: int) -> list[Any]:
    questions = draw.sample([f"{letter}{i}" for letter in "qQ" for i in (1, 2, 3, 10, 11, 12, 20)], n)
    return [*({q: draw.integer(1, 10**6) / 1e6 for q in draw.shuffled(questions)} for _ in range(2)), questions]


@cache
def _flips(n: int) -> Any:
    return 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)


def _by_coins(
    leads: list[float], *, sides: int = 2, strict: bool = False, without: bool = False, seen: float | None = None,
    times: int = 1, most: float = math.inf,
) -> float:  # fmt: skip
    sums, observed = _flips(len(leads)) @ np.array(leads, dtype=float), sum(leads) if seen is None else seen
    far, least = (abs(sums), abs(observed)) if sides == 2 else (sums, observed)
    count = int(np.count_nonzero(far > least + 1e-9 if strict else far >= least - 1e-9))
    return (count - 1) / max(len(sums) - 1, 1) if without else min(most, times * count / len(sums))


def _by_signs(leads: list[float], *, ties: str = "out", sides: int = 2, of: str = "smaller") -> float:
    """The sign test by the binomial: which questions it has, and whether it takes the smaller tail or that of B."""
    wins, losses = sum(d > 0 for d in leads), sum(d < 0 for d in leads)
    n = wins + losses if ties == "out" else len(leads)
    if ties == "lost":
        losses = n - wins
    least = {"smaller": n - min(wins, losses), "larger": max(wins, losses), "B": wins}[of]
    ways = sum(math.comb(n, i) for i in range(least, n + 1))
    return float(min(1.0, sides * ways / 2**n))


@cache
def _halves(n: int) -> Any:
    return np.array([[i in half for i in range(2 * n)] for half in combinations(range(2 * n), n)])


def _unpaired(A: list[float], B: list[float]) -> float:
    """The same game with one heap of all values, dealt out anew."""
    heap, n = np.array([*A, *B]), len(A)
    of_b = _halves(n) @ heap
    far = abs(2 * of_b - heap.sum())
    return float(np.mean(far >= abs(sum(B) - sum(A)) - 1e-9))


def _tests(A: list[float], B: list[float]) -> dict[str, float]:
    leads = [b - a for a, b in zip(A, B, strict=True)]
    return {"paired": _by_coins(leads), "one-sided": _by_coins(leads, sides=1), "unpaired": _unpaired(A, B)}


def _errors(A: list[float], B: list[float]) -> dict[str, float]:
    leads, n = np.subtract(B, A), len(A)
    apart = math.sqrt(np.var(A, ddof=1) + np.var(B, ddof=1))
    spread = float(np.std(leads, ddof=1))
    return {"questions": spread / math.sqrt(n), "results": spread / math.sqrt(10 * n), "heaps": apart / math.sqrt(n)}


def _plan(draw: Draw) -> dict[str, float]:
    while True:
        plan = {"sd": draw.integer(8, 16) / 100, "lead": draw.integer(10, 40) / 1000}
        if all(0.05 < (c * plan["sd"] / plan["lead"]) ** 2 % 1 < 0.95 for c in (1, 1.96, 2.8)):
            return plan


def _enough(
    sd: float, lead: float, *, factor: float = 2.8, squared: bool = True, up: bool = True, whole: bool = True
) -> float:
    needed = (factor * sd / lead) ** (2 if squared else 1)
    return needed if not whole else math.ceil(needed) if up else math.floor(needed)


def _survivors(ps: list[float], limit: float, *, divide: str = "rest", order: str = "sorted", stop: bool = True) -> int:
    if divide == "share-or-equal":
        return max((i for i, p in enumerate(sorted(ps), start=1) if p <= limit * i / len(ps)), default=0)
    if divide == "share":
        return max((i for i, p in enumerate(sorted(ps), start=1) if p < limit * i / len(ps)), default=0)
    count, walk = 0, sorted(ps) if order == "sorted" else ps
    for i, p in enumerate(walk):
        parts = {"rest": len(ps) - i, "all": len(ps), "nothing": 1, "rank": i + 1, "grows": len(ps)}[divide]
        if p < limit * (i + 1 if divide == "grows" else 1) / parts:
            count += 1
        elif stop:
            break
    return count


def _ps(draw: Draw, n: int) -> list[Any]:
    small = [0.001, 0.004, 0.006, 0.0075, 0.009, 0.011, 0.015, 0.02, 0.03, 0.04]
    return [[draw.choice([*small, 0.2, 0.6]) for _ in range(n + 1)], LIMIT]


def _near_ties(draw: Draw, n: int) -> list[Any]:
    """Differences whose sums nearly agree, so that their last decimals decide."""
    leads = [draw.integer(1, 9) * draw.choice([-1, 1]) / 10 + draw.integer(-9, 9) / 1e5 for _ in range(min(n, 8))]
    return [[round(lead, 5) for lead in leads]]


def _near_limits(draw: Draw, n: int) -> list[Any]:
    """The first ones pass, one of them just misses its limit or just passes."""
    limit = draw.choice([0.05, 0.01, 0.1, 0.025])
    ps = [round(limit / (n - i) * (0.5 + i / 100), 7) for i in range(n)]
    at = draw.integer(0, n - 1)
    ps[at] = round(limit / (n - at) + draw.choice([-1e-6, 1e-6]), 7)
    return [draw.shuffled(ps), limit]


def _alarm(tries: int, *, how: str = "right") -> float:
    keep = (1 - LIMIT) ** tries
    return {"right": 1 - keep, "sum": LIMIT * tries, "quiet": keep, "one": LIMIT, "all": LIMIT**tries}[how]
