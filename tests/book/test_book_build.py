"""The book builds: every page runs, no reference is broken, and a warning is an error."""

import sys

import pytest

import kit


@pytest.mark.slow
def test_the_book_builds_without_a_warning() -> None:
    index = kit.build(sys.executable)
    assert index == kit.SITE / "index.html"
    assert "<html" in index.read_text("utf-8")
