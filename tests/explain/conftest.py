"""The tests of what a check knows see all of it; at which try it is told is seen by those that are about it."""

import pytest

BY_TRY = ("test_by_try", "test_robots", "test_tries")


@pytest.fixture(autouse=True)
def _in_full(request, monkeypatch):
    if request.module.__name__ not in BY_TRY:
        monkeypatch.setattr("ndcg_course.explain.by_try.tell", lambda *given: None)
