"""What `kit.py test --changed` chooses, in a small project with a file in each room, and in this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import reach

import kit

LAZY = "from ndcg_lib.core import dcg\ndef __getattr__(name):\n    from ndcg_lib.identification import which\n"
SMALL = {
    "kit.py": "",
    "ndcg_lib/__init__.py": LAZY,
    "ndcg_lib/commands/__init__.py": "",
    "ndcg_course/__init__.py": "",
    "ndcg_lib/core.py": "from ndcg_lib import engine\ndef dcg(): ...\n",
    "ndcg_lib/engine.py": "",
    "ndcg_lib/identification/__init__.py": "from ndcg_lib.identification.search import which\n",
    "ndcg_lib/identification/search.py": "",
    "ndcg_lib/commands/group.py": "import_module(f'ndcg_lib.commands.{name}')\n",
    "ndcg_lib/commands/gate.py": "",
    "ndcg_lib/__main__.py": "from ndcg_lib.commands import group\n",
    "ndcg_course/grade.py": "def mark():\n    from ndcg_lib import core\n",
    "book/pdf.py": "",
    "tests/sweeps.py": "",
    "tests/numbers/test_core.py": "import ndcg_lib as nd\nnd.dcg()\n",
    "tests/identification/test_which.py": "import sweeps\nimport ndcg_lib as nd\nnd.which()\n",
    "tests/commands/test_cli.py": 'run(["-m", "ndcg_lib"])\n',
    "tests/grade/test_grade.py": "from ndcg_course import grade\n",
    "tests/book/test_pdf.py": "import pdf\n",
    "tests/make/test_data.py": 'DATA = ROOT / "book" / "data"\n',
    "tests/house/test_kit.py": "import kit\n",
}
CHOSEN = {
    "ndcg_lib/engine.py": ["core", "grade"],
    "ndcg_lib/identification/search.py": ["which"],
    "ndcg_lib/commands/gate.py": ["cli"],
    "ndcg_course/grade.py": ["grade"],
    "book/pdf.py": ["pdf"],
    "book/chapters/ndcg.md": ["pdf"],
    "book/data/peers.json": ["data", "pdf"],
    "tests/sweeps.py": ["which"],
    "tests/numbers/test_core.py": ["core"],
    "kit.py": ["kit"],
    "README.md": [],
}


def write(root: Path) -> None:
    for name, text in SMALL.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf8")


@pytest.mark.parametrize("changed", CHOSEN)
def test_a_change_chooses_the_tests_that_can_see_it(tmp_path: Path, changed: str) -> None:
    write(tmp_path)
    chosen = [name for name in reach.Project(tmp_path).chosen([changed]) if name.startswith("tests/")]
    assert {Path(name).stem.removeprefix("test_") for name in chosen} == set(CHOSEN[changed])


def test_the_examples_of_a_module_and_a_notebook_are_tests_themselves(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "one.ipynb").write_text("{}", "utf8")
    assert reach.Project(tmp_path).chosen(["exercises/one.ipynb", "ndcg_lib/commands/gate.py"]) == [
        "exercises/one.ipynb", "ndcg_lib/commands/gate.py", "tests/commands/test_cli.py",
    ]  # fmt: skip
    assert reach.Project(tmp_path).chosen(["pyproject.toml"]) == ["."]


def test_a_revision_that_git_does_not_know_is_told() -> None:
    command = [sys.executable, kit.ROOT / "kit.py", "test", "--since", "no-such-revision"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 2 and "no-such-revision" in said.stderr and "Traceback" not in said.stderr
