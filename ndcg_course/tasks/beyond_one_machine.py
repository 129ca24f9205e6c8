"""The Python of assignment 13: what its tasks draw and compute."""

from __future__ import annotations

from typing import Any

from ndcg_course.tasks.draw import Draw


def _parts(draw: Draw) -> dict[str, Any]:
    counts = draw.shuffled([draw.integer(5, 9), draw.integer(20, 30), draw.integer(50, 90)])
    return {"parts": [[count, draw.integer(30, 90) / 100] for count in counts]}


def _mean(parts: list[list[float]], *, by: str = "questions") -> float:
    total, count = sum(n * mean for n, mean in parts), sum(n for n, _ in parts)
    means = sum(mean for _, mean in parts) / len(parts)
    return {"questions": total / count, "means": means, "sum": total, "largest": max(parts)[1]}[by]


def _merged(parts: list[list[float]], *, by: str = "questions") -> float:
    held = [(count, total) for count, total in parts if count]
    if not held:
        raise ValueError("there is no question, so there is no mean")
    if by == "means":
        return sum(total / count for count, total in held) / len(held)
    return sum(total for _, total in held) / (len(parts) if by == "machines" else sum(count for count, _ in held))


def _minutes(
    seconds: float, billions: int, cores: int, *, shared: bool = True, unit: int = 60, thousand: int = 1000
) -> float:
    return seconds * thousand * billions / (cores if shared else 1) / unit
