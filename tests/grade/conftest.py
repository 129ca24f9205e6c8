"""The tests of grading share their clean processes: a new one for each run would be a third of all that they cost."""

import pytest

from ndcg_course.grade import marking, run


@pytest.fixture(scope="session")
def _tried():
    yield {}
    run_close()


run_close, run_works = marking.close, run.works


@pytest.fixture(autouse=True)
def _one_clean_process(request, _tried, monkeypatch):
    """Keep the clean processes from test to test, and try the doors of each kind once; not with `own_processes`."""
    if request.node.get_closest_marker("own_processes"):
        run_close()
        yield
        return

    def works(settings):
        key = (settings.locked, settings.limits, settings.packages)
        if key not in _tried:
            if lacking := run_works(settings):
                return lacking
            _tried[key] = ""
        return _tried[key]

    monkeypatch.setattr(marking, "close", lambda: None)
    monkeypatch.setattr(run, "works", works)
    yield
