"""The order of the whole run: what is fast first, what is marked slow last; and a line about what it leaves out."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.append(str(Path(__file__).parents[1] / "book"))
import pdf  # book/pdf.py knows where browsers are

import kit

BROWSER = Path(__file__).parent / "browser"
NO_BROWSER = "the tests in a browser are left out: there is no Chromium, Chrome or Edge (CHROME=/path/to/it names one)"
NO_SWEEP = "left out: most sweeps, and most tests in browsers; python3 kit.py test -m sweep runs them, as .ci/run does"

# Everybody draws the same cases, so a red run is about the code; NDCG_EXPLORE=1 draws new ones, and more of them.
settings.register_profile("everyday", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("explore" if os.environ.get("NDCG_EXPLORE") == "1" else "everyday")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    # Here, since on several processors the one that sums up never reads the folder's own conftest.py.
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    missing = os.environ.get("NDCG_BROWSER") != "required" and pdf.browser() is None
    if missing and any(BROWSER.is_relative_to(path) or path.is_relative_to(BROWSER) for path in asked):
        terminalreporter.write_line(f"tests/browser: {NO_BROWSER}")
    if config.option.markexpr == kit.EVERYDAY:
        terminalreporter.write_line(NO_SWEEP)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Among the tests, only test_*.py is run; the other files are there to be imported by them."""
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # On several processors the slow ones come first, so that none is left alone with a long file at the end.
    several = "PYTEST_XDIST_WORKER" in os.environ
    items.sort(key=lambda item: (item.get_closest_marker("slow") is None) == several)
