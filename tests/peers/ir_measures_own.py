"""The tests of ir_measures itself, with the provider of ndcg_lib/runs/ir_measures.py in the place of its own.

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

from ndcg_lib.runs.ir_measures import provider as ours

PASSED: collections.Counter[str] = collections.Counter()
FAILED: list[str] = []
MISSING: dict[str, str] = {}


class Ours(float):
    """A value of this library."""


class Evaluator(ir_measures.providers.Evaluator):
    """In the place of a provider's: what this library lacks stays the provider's."""

    def __init__(self, theirs: Any, gdeval: bool, measures: Any, qrels: Any) -> None:
        self.theirs, self.gdeval, self.qrels = theirs, gdeval, list(qrels)
        super().__init__(list(measures), {one.query_id for one in self.qrels})

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        run = list(run)
        for measure in self.measures:
            asked = (
                measure(dcg="exp-log2") if self.gdeval and measure.NAME == "nDCG" else measure
            )  # whatever it is told
            try:
                found = list(ours.evaluator([asked], self.qrels)._iter_calc(run))
            except ValueError as error:
                MISSING[str(measure)] = str(error)
                yield from self.theirs([measure], self.qrels).iter_calc(run)
                continue
            for query, _, value in found:
                yield ir_measures.Metric(query, measure, Ours(round(value, 5) if self.gdeval else value))

    def calc_aggregate(self, run: Any) -> Any:
        computed = all(isinstance(one.value, Ours) for one in self.iter_calc(run))
        return {m: Ours(v) if computed else v for m, v in super().calc_aggregate(run).items()}


def stand_in(provider: Any) -> None:
    """Let this library compute what a provider is asked for; gdeval prints five decimals."""
    provider._evaluator = functools.partial(Evaluator, provider._evaluator, provider.NAME == "gdeval")


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
    for name in ("pytrec_eval", "gdeval", "judged", "ranx", "msmarco", "trectools"):
        provider = getattr(ir_measures, name)
        provider._is_available = provider.is_available() or True  # even where its program is not installed
        stand_in(provider)
    kind = ir_measures.providers.PytrecEvalProvider
    ir_measures.providers.PytrecEvalProvider = lambda: (made := kind(), stand_in(made))[0]
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
