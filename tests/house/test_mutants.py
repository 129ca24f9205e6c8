"""`kit.py mutants` in a project of two files: what is tested dies, what is not is shown, the tree stays."""

from __future__ import annotations

import ast
import fnmatch
import os
import re
import subprocess
import sys
from pathlib import Path

import mutants
import pytest

import kit

EQUAL = {"    if a <= b:", "def most(a: int = 2, b: int = 2) -> int:"}  # no test can tell
CODE = """\
def most(a: int = 1, b: int = 2) -> int:
    if a < b:
        return b
    return a


def unseen(a):
    return a + 1


from functools import cache
LIMIT = 3


@cache
def twice():
    return LIMIT * 2
"""
TEST = """\
import sys
from ndcg_lib import core
def test_what_ends_the_watch(): sys.settrace(None)
def test_what_alone_runs_a_line_that_runs_once(): core.twice()
def test_what_notices_it(): assert core.twice() == 6
def test_most(): assert (core.most(1, 3), core.most(3, 1), core.most()) == (3, 3, 2)
"""
REPORT = kit.ROOT / "tests" / "report.py"
CONFTEST = "from report import Report\ndef pytest_configure(config): config.pluginmanager.register(Report(config))\n"


@pytest.mark.sweep
def test_what_a_test_notices_dies_and_the_rest_is_shown(tmp_path: Path) -> None:
    for name, text in {
        "ndcg_lib/__init__.py": "", "ndcg_lib/core.py": CODE, "tests/numbers/test_core.py": TEST,
        "tests/conftest.py": CONFTEST, "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = [".", "tests"]\n',
        "kit.py": 'EVERYDAY, QUICK = "not sweep and not weekly", ""\n', "tests/report.py": REPORT.read_text("utf8"),
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    path = os.pathsep.join([str(kit.ROOT), str(kit.ROOT / "tests")])
    command = [sys.executable, kit.ROOT / "tests" / "mutants.py", "numbers", "--count", "99", "--jobs", "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = set(re.findall(r"^\+(.*)", done.stdout, re.MULTILINE))
    assert shown == {"    return a - 1", "    return a + 2", *EQUAL}
    assert "ndcg_lib/core.py:8  (no test runs this line)" in done.stdout
    assert (tmp_path / "ndcg_lib" / "core.py").read_text("utf8") == CODE


def test_the_command_starts_as_it_is_called() -> None:
    command = [sys.executable, kit.ROOT / "kit.py", "mutants", "house", "--count", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.rstrip().endswith("nothing to draw"), done.stderr


PYTHON = {
    "if a < b: pass": {"if a <= b: pass"},
    "x = not a": {"x = a"},
    "x = a and b": {"x = a or b"},
    "x = a - b": {"x = a + b"},
    "x = (a) - (b)": {"x = (a) + (b)"},
    "x = a is not (b)": {"x = a is (b)"},
    "x = True": {"x = False"},
    "f(a, b)": {"pass"},
    "x = f(a)": {"x = a"},
    "x = a if b else c": {"x = a if not (b) else c"},
    "x: int | None = a": set(),
    '"""A text."""': set(),
}


@pytest.mark.parametrize("line", PYTHON)
def test_python_is_broken_where_a_run_would_see_it(line: str) -> None:
    made = {one.new for one in mutants.python_mutants("x.py", line)}
    assert made == PYTHON[line]
    assert all(map(ast.parse, made))


SCRIPTS = {
    "  if (a === b) return;": {"  if (a !== b) return;"},
    "const x = !a && b;": {"const x = a && b;", "const x = !a || b;"},
    'say("a + b"); // a + b': set(),
    "  this.draw(a);": {"  "},
    "const x = 3;": {"const x = 4;"},
}


@pytest.mark.parametrize("line", SCRIPTS)
def test_a_script_is_broken_in_its_code_and_not_in_its_words(line: str) -> None:
    assert {one.new for one in mutants.script_mutants("x.mjs", line)} == SCRIPTS[line]


def test_each_change_that_is_called_equal_is_one_of_a_line_that_there_is() -> None:
    for one in mutants.listed()["equal"]:
        found = mutants.python_mutants if one["path"].endswith(".py") else mutants.script_mutants
        made = {
            (each.old.strip(), each.new.strip()) for each in found(one["path"], (kit.ROOT / one["path"]).read_text())
        }
        assert one["why"] and (one["line"], one["becomes"]) in made, one


def test_each_kind_that_nobody_notices_is_one_of_lines_that_there_are() -> None:
    paths = {path for patterns in mutants.ROOMS.values() for pattern in patterns for path in kit.ROOT.glob(pattern)}
    for one in mutants.listed()["kind"]:
        fitting = [path for path in paths if fnmatch.fnmatch(path.relative_to(kit.ROOT).as_posix(), one["path"])]
        lines = (line for path in fitting for line in path.read_text("utf8").splitlines())
        assert one["why"] and any(re.search(one["change"], line) for line in lines), one


def test_of_a_line_of_a_kind_only_what_the_kind_names_is_left_out() -> None:
    """How thick a line is, and not what decides whether it is drawn."""
    line = "ax.axhline(y, linewidth=2) if a < b else None"
    made = {one.new for one in mutants.python_mutants("ndcg_lib/plots/x.py", line) if not mutants.unnoticed(one)}
    assert made == {line.replace("<", "<="), line.replace("a < b", "not (a < b)")}
