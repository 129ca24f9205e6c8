"""The order of the whole run: what is fast first, what takes long last; on several processors the other way round."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from report import Report

import kit

LONGEST = Path(__file__).with_name("longest.txt")  # files that take more than ten seconds in .ci/run, by their seconds

# Everybody draws the same cases, so a red run is about the code; NDCG_EXPLORE=1 draws new ones, and more of them.
settings.register_profile("everyday", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("explore" if os.environ.get("NDCG_EXPLORE") == "1" else "everyday")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Report(config))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Among the tests, only test_*.py is run; the other files are there to be imported by them."""
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sheets = sorted({item.path for item in items if item.path.parent == kit.ROOT / "exercises"})
    for item in items:
        if item.path in sheets and sheets.index(item.path) % 3:  # each costs a kernel, as its solution does
            item.add_marker(pytest.mark.sweep)
    # On several processors the longest files come first, so that none is left alone with one of them at the end.
    longest = LONGEST.read_text("utf-8").split()
    place = {kit.ROOT / name: number for number, name in enumerate(longest)}

    def late(item: pytest.Item) -> tuple[int, bool]:
        return place.get(item.path, len(place)), item.get_closest_marker("slow") is None

    items.sort(key=late if "PYTEST_XDIST_WORKER" in os.environ else lambda item: not late(item)[1])
    if any(item.path.suffix == ".ipynb" for item in items):
        without_ports()


def without_ports() -> None:
    """The kernels of nbval, as those of the pages."""
    from nbval import kernel

    from ndcg_course.make.pages import over_files

    given = kernel.KernelManager
    kernel.KernelManager = lambda **more: given(**over_files(), **more)


@pytest.fixture(scope="module", autouse=True)
def course_as_given() -> Iterator[None]:
    """Tasks that were read for another course than that of the checkout are forgotten with the file that did so.

    So is what it checked in this process, where the next file would find itself at its second try.
    """
    yield
    tasks = sys.modules.get("ndcg_course.tasks")
    for kept in ("_facts", "_loaded") if tasks else ():
        getattr(tasks, kept).cache_clear()
    if checked := sys.modules.get("ndcg_course.explain.record"):
        checked.record.forget()
