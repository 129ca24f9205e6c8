"""What a run of the tests leaves out, and why, what it would take, and where its time went: lines at its end."""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kit

# A tier is what it chooses; each takes in those before it.
TIERS = {
    kit.EVERYDAY: "left out: sweeps over rooms and engines, types (.ci/run); every page, what explores (weekly.yml)",
    kit.QUICK: "left out: what the change cannot reach, and what takes more than a few seconds (python3 kit.py test)",
    "sweep and not weekly": "left out: what explores, or walks for long (the weekly workflow)",
}
# What a machine may lack, by the words of a skip, and what to install. Other skips are of another kind of system.
LACKS = {
    r"Node is not": "Node.js (Debian, Ubuntu: nodejs)",
    r"Chromium|no browser": "Chromium, Chrome or Edge (Debian: chromium; the variable CHROME names one elsewhere)",
    r"Firefox": "Firefox (Debian: firefox-esr)",
    r"WebKit": "WebKit's driver and a screen for it (Debian, Ubuntu: webkit2gtk-driver xvfb)",
    r"built without the runtime": "nothing: build the book once with a network, python3 kit.py book",
    r"no sandbox|disk of one's own": "a Linux kernel with Landlock (5.13 or newer)",
    r"IPython|dask": "nothing: python3 kit.py test brings it",
}
BUDGET = {kit.EVERYDAY: "300 s of processor, 180 s of wall on two quiet cores"}


def used() -> float:
    """Seconds of processor of this process and of all its children that have ended."""
    return sum(os.times()[:4])


class Report:
    def __init__(self, config: pytest.Config) -> None:
        self.config, self.before, self.begun = config, used(), time.monotonic()
        self.last = used()
        self.took: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def pytest_collection_finish(self) -> None:
        self.last = used()  # what the collection took is not the first test's

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[Any]:
        report = yield
        now = used()
        report.user_properties.append(("processor", now - self.last))
        self.last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        took = self.took[report.nodeid]
        took[0] += report.duration
        took[1] += dict(report.user_properties).get("processor", 0.0)

    def lacking(self) -> Counter[tuple[str, str]]:
        """How many tests were left out for each reason, with what it would take; none for what no install brings."""
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        left: Counter[tuple[str, str]] = Counter()
        for report in terminal.stats.get("skipped", []) if terminal else []:
            reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
            reason = reason.removeprefix("Skipped: ")
            left[reason, next((what for words, what in LACKS.items() if re.search(words, reason)), "")] += 1
        return left

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In .ci/run a machine lacks nothing."""
        if os.environ.get("NDCG_ALL") == "required" and any(what for _, what in self.lacking()):
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        if words := TIERS.get(self.config.option.markexpr):
            write(words)
        missing = {pair: count for pair, count in self.lacking().items() if pair[1]}
        if missing:
            required = os.environ.get("NDCG_ALL") == "required"
            write(f"{'ERROR: ' if required else ''}left out on this machine:", red=required)
        for (reason, what), count in sorted(missing.items()):
            write(f"  {count} tests: {reason}; install {what}")
        if place := os.environ.get("NDCG_TIMES"):  # tests/mutants.py asks
            Path(place).write_text(json.dumps({name: processor for name, (_, processor) in self.took.items()}), "utf-8")
        write("the ten slowest (seconds, of these processor):")
        for name, (wall, processor) in sorted(self.took.items(), key=lambda pair: -pair[1][0])[:10]:
            write(f"  {wall:6.1f} {processor:6.1f}  {name}")
        budget = BUDGET.get(self.config.option.markexpr)
        beside = f" (the budget: {budget})" if budget else ""
        write(f"{used() - self.before:.0f} s of processor, {time.monotonic() - self.begun:.0f} s of wall{beside}")
