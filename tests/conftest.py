"""The order of the whole run: what is fast first, what is marked slow last."""

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Among the tests, only test_*.py is run; the other files are there to be imported by them."""
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
