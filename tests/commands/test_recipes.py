"""The recipes run as they stand, in the folder that `ndcg demo` fills."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sweeps import some_of

from ndcg_lib.commands.cli import main

PAGE = (Path(__file__).parents[2] / "book" / "reference" / "recipes.md").read_text("utf8")
TESTED, HEAVY = PAGE.split("(recipes-heavy)=")
BLOCK = re.compile(r"^\*\*(.*)\.\*\*.*\n(?:(?!\*\*|```).*\n)*```python\n((?:.*\n)*?)```", re.MULTILINE)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes") / "here"
    assert main(["demo", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    ("name", "code"),
    some_of([pytest.param(*each) for each in BLOCK.findall(TESTED)], 5),
    ids=lambda text: text.partition("\n")[0],
)
def test_a_recipe_runs_as_it_stands(here, name, code):
    (here / f"test_{name}.py").write_text(code)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=."] if name == "pytest" else []
    ran = subprocess.run(
        [sys.executable, *words, f"test_{name}.py"], cwd=here, capture_output=True, text=True, check=False
    )
    shown = {
        "pandas": "ndcg@10, dtype",
        "Polars": "shape: (5, 2)",
        "DuckDB": "nDCG@10  0.7308",
        "pytest": "2 passed",
        "ranx": "run_2 - run_1     +0.0098",
    }
    assert shown[name] in ran.stdout, ran.stdout + ran.stderr
    assert not ran.returncode


def test_the_others_can_be_read_at_least():
    assert len(BLOCK.findall(HEAVY)) == 4
    for name, code in BLOCK.findall(HEAVY):
        compile(code, name, "exec")
