"""Sees to it that each test is watched: a test that breaks `open`, or the trace itself, ends it for all that follow."""

import sys

import sitecustomize


def pytest_runtest_setup() -> None:
    sys.settrace(sitecustomize.enter)
