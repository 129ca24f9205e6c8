"""What takes minutes is parted: `kit.py test` runs some of it, `kit.py test -m sweep` the rest, and .ci/run both."""

from collections.abc import Sequence
from os import environ
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings

EXPLORES = environ.get("NDCG_EXPLORE") == "1"


def draws(number: int) -> settings:
    """So many stored cases each time; where new ones are explored, fifty times as many."""
    return settings(max_examples=number * (50 if EXPLORES else 1), suppress_health_check=list(HealthCheck))


def some_of(cases: Sequence[Any], one_in: int = 3) -> list[Any]:
    """Every third case as it is, or as many as asked for, and the others marked as a sweep."""
    return [_swept(case) if number % one_in else case for number, case in enumerate(cases)]


def _swept(case: Any) -> Any:
    given = case if isinstance(case, ParameterSet) else pytest.param(case)
    return pytest.param(*given.values, id=given.id, marks=[*given.marks, pytest.mark.sweep])


def swept_once(cases: Sequence[Any]) -> list[Any]:
    """The first as a sweep, the others weekly: walks and draws of which one more proves nothing new."""
    return [pytest.param(case, marks=pytest.mark.weekly if at else pytest.mark.sweep) for at, case in enumerate(cases)]


PARTS = some_of([slice(first, None, 12) for first in range(12)], one_in=12)  # of what only the test itself can list
A_QUARTER_NOW = [
    pytest.param(slice(0, None, 4), marks=pytest.mark.sweep, id="a quarter"),
    pytest.param(slice(None), marks=pytest.mark.weekly, id="all"),
]
