"""The tests of ir_measures itself, with this library in the place of its providers.

    PYTHONPATH=. python tests/peers/ir_measures_own.py [FOLDER]

FOLDER holds its tests; without it they come out of its source package, which pip fetches. An assertion counts where it
is about a value that this library computed; what it does not compute comes from ir_measures, and is named.
"""

from __future__ import annotations

import collections
import functools
import importlib
import io
import math
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np

import ndcg_lib as nd

PASSED: collections.Counter[str] = collections.Counter()
FAILED: list[str] = []
MISSING: dict[str, str] = {}


class Ours(float):
    """A value of this library."""


class Evaluator(ir_measures.providers.Evaluator):
    def __init__(self, provider: Any, measures: Any, qrels: Any) -> None:
        self.theirs, self.preset, self.qrels = provider, getattr(provider, "preset", "ir_measures"), list(qrels)
        super().__init__(list(measures), {one.query_id for one in self.qrels})

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        run = list(run)
        for measure in self.measures:
            values = of(measure, self.preset, nested(self.qrels, "relevance"), nested(run, "score"))
            if values is None:
                yield from self.theirs(measure, self.qrels, run)
            else:
                returned = {one.query_id for one in run}
                yield from (ir_measures.Metric(q, measure, v) for q, v in values.items() if q in returned)

    def calc_aggregate(self, run: Any) -> Any:
        ours = all(isinstance(one.value, Ours) for one in self.iter_calc(run))
        return {m: Ours(v) if ours else v for m, v in super().calc_aggregate(run).items()}


def nested(rows: list[Any], value: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row.query_id, {})[row.doc_id] = getattr(row, value)
    return found


def of(measure: Any, preset: str, qrels: Any, run: Any) -> dict[str, Ours] | None:
    """The values by query, or None with a reason; gdeval prints five decimals."""
    name = f"{measure.NAME}@{measure['cutoff']}" if preset == "gdeval" else str(measure)
    try:
        columns = nd.evaluate({"q": {"d": 1}}, {"q": ["d"]}, measures=name, convention=preset)
        if not run:
            return {}
        values = nd.evaluate(qrels, run, measures=next(iter(columns)), convention=preset).per_query()
    except ValueError as error:
        MISSING[str(measure)] = str(error)
        return None
    return {query: Ours(round(value, 5) if preset == "gdeval" else value) for query, value in values.items()}


def stand_in(provider: Any, preset: str) -> None:
    """Let a provider compute with this library; what it lacks stays the provider's."""
    theirs = provider._evaluator

    def evaluator(measures: Any, qrels: Any) -> Evaluator:
        made = Evaluator(lambda m, q, r: theirs([m], q).iter_calc(r), measures, qrels)
        made.preset = preset
        return made

    provider._evaluator = evaluator


def holds_ours(value: Any) -> bool:
    if isinstance(value, Ours):
        return True
    return isinstance(value, (set, list, tuple, dict)) and any(map(holds_ours, value))


def counted(name: str, test: Any) -> Any:
    """An assertion that counts, and fails without ending its test, where it is about a value of this library."""

    def check(*given: Any, **more: Any) -> None:
        if not any(map(holds_ours, given)):
            return test(*given, **more)
        try:
            numbers = all(isinstance(each, (int, float)) for each in given[:2])
            if not (numbers and math.isclose(*given[:2], rel_tol=1e-12)):
                test(*given, **more)
            PASSED[name] += 1
        except AssertionError as error:
            FAILED.append(f"{name}: {str(error).strip().splitlines()[0]}")

    return check


def in_a_test(test: Any) -> Any:
    """A method of tests that counts, by the name of the test."""

    def check(self: Any, *given: Any, **more: Any) -> None:
        name = f"{type(self).__module__}.{self._testMethodName}"
        counted(name, functools.partial(test, self))(*given, **more)

    return check


class Case(unittest.TestCase):
    """`tests/base.py`, which the source package lacks."""

    def assertMetrics(self, found: Any, wanted: Any, not_equal: bool = False) -> None:
        found, wanted = ({(str(one.measure), one.query_id): one.value for one in each} for each in (found, wanted))
        if not_equal:
            return self.assertNotEqual(found, wanted)
        for key, value in found.items():
            self.assertAlmostEqual(value, wanted[key], places=4)


def tests(folder: str | None) -> Path:
    """The folder with the tests of the version that is installed."""
    if folder:
        return Path(folder)
    into = tempfile.mkdtemp()
    package = f"ir-measures=={ir_measures.__version__}"
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", into, package]
    subprocess.run(pip, check=True)
    with tarfile.open(next(Path(into).glob("*.tar.gz"))) as archive:
        archive.extractall(into, filter="data")
    return next(Path(into).glob("*/test*/"))


def main(arguments: list[str]) -> int:
    folder = tests(arguments[0] if arguments else None)
    providers = {"pytrec_eval": "ir_measures", "gdeval": "gdeval", "judged": "ir_measures", "ranx": "ir_measures",
                 "msmarco": "ir_measures", "trectools": "ir_measures"}  # fmt: skip
    for name, preset in providers.items():
        provider = getattr(ir_measures, name)
        provider._is_available = provider.is_available() or True  # even where its program is not installed
        stand_in(provider, preset)
    kind = ir_measures.providers.PytrecEvalProvider
    ir_measures.providers.PytrecEvalProvider = lambda: (made := kind(), stand_in(made, "ir_measures"))[0]
    for name in ("assertEqual", "assertAlmostEqual", "assertNotEqual"):
        setattr(unittest.TestCase, name, in_a_test(getattr(unittest.TestCase, name)))
    np.testing.assert_equal = counted("numpy", np.testing.assert_equal)
    package = types.ModuleType("irm_tests")
    package.__path__ = [str(folder)]
    sys.modules |= {"irm_tests": package, "irm_tests.base": types.ModuleType("irm_tests.base")}
    sys.modules["irm_tests.base"].BaseMeasureTest = Case
    suite = unittest.TestSuite()
    for file in sorted(folder.glob("test_*.py")):
        suite.addTests(
            unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"irm_tests.{file.stem}"))
        )
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
    for case, told in result.failures + result.errors:
        print("not run to its end:", str(case)[:70], "-", told.strip().splitlines()[-1][:110])
    print(*FAILED, sep="\n")
    print(f"{PASSED.total()} assertions pass, {len(FAILED)} fail; {result.testsRun} tests; not computed here:")
    names = collections.defaultdict(list)
    for measure, why in sorted(MISSING.items()):
        names[why.partition(": ")[2] or why].append(measure)
    for why, each in names.items():
        print(f"  {', '.join(each)}: {why[:100]}")
    return bool(FAILED) or PASSED.total() < 200


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
