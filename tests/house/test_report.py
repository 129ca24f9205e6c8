"""What a run says at its end, and when a test that was left out is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kit

CONFTEST = "from report import Report\ndef pytest_configure(config): config.pluginmanager.register(Report(config))\n"
TESTS = """
import pytest, subprocess, sys
@pytest.mark.skip(reason="Node is not installed")
def test_script(): ...
@pytest.mark.skip(reason="named pipes are a thing of Unix")
def test_pipe(): ...
def test_child(): subprocess.run([sys.executable, "-c", "sum(range(3 * 10**6))"], check=True)
"""


@pytest.mark.parametrize(("required", "code"), [("", 0), ("required", 1)])
def test_what_a_machine_lacks_is_listed_and_in_the_whole_proof_an_error(
    tmp_path: Path, required: str, code: int
) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf8")
    (tmp_path / "test_some.py").write_text(TESTS, "utf8")
    told = os.environ | {"PYTHONPATH": os.pathsep.join([str(kit.ROOT), str(kit.ROOT / "tests")]), "NDCG_ALL": required}
    told["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", kit.EVERYDAY, str(tmp_path)]
    done = subprocess.run(command, env=told, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert "1 tests: Node is not installed; install Node.js" in done.stdout
    assert "named pipes" not in done.stdout, "no install brings that"
    assert ("ERROR: left out on this machine" in done.stdout) == bool(required)
    assert (
        "left out: sweeps" in done.stdout
        and "budget: 300 s" in done.stdout
        and "test_some.py::test_child" in done.stdout
    )
