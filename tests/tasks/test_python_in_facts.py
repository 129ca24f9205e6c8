"""The Python that stands in quotes in the facts of a task is linted and typed as if it stood in its module."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ndcg_course.make.files import read_source
from ndcg_course.tasks import reading

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path.stem for path in (ROOT / "solutions").glob("[0-9]*.md"))
GIVEN = (
    "from collections.abc import Callable, Mapping, Sequence",
    "from typing import Any",
    "import math",
    "import ndcg_lib as nd",
    "from ndcg_course.tasks.draw import Draw",
    "from ndcg_course.tasks.plots import Steps",
    "from ndcg_course.tasks.reading import grades_in",
    "from ndcg_course.tasks.recipe import by_recipe",
)
NO_MATTER = "B905,D,E402,E501,E731,F401,F811,I001"  # what a line of a text notebook cannot help, and of its place here


def lambdas(facts: Any, where: str) -> Iterator[tuple[str, str, str]]:
    """Each lambda, with its fact and the place in which it stands."""
    for key, value in facts.items() if isinstance(facts, dict) else enumerate(facts):
        if isinstance(value, dict | list):
            yield from lambdas(value, f"{where}, {key}")
        elif key in (*reading._FUNCTIONS, "broken_by") and "lambda" in str(value):
            yield key, value, where


def module(name: str) -> str:
    """The module of an assignment, and below it the lambdas of its facts with the types that its tasks ask for."""
    path = ROOT / "ndcg_course" / "tasks" / f"{name[3:].replace('-', '_')}.py"
    lines = [path.read_text("utf-8")] if path.exists() else []
    lines += GIVEN
    for task, facts in read_source(ROOT, name).facts.items():
        own = "draw" in facts or "sheet" in facts  # a condition takes own data after the answer
        value = not {"families", "conditions", "look_for"} & facts.keys()
        types = {
            "draw": "Callable[[Draw], dict[str, Any]]" if value else "Callable[[Draw, int], Sequence[Any]]",
            "holds": f"Callable[[Any{', Any' * own}], bool]",
            "broken_by": "Callable[[Any], Any]",
            "ways": "Callable[..., Mapping[Any, float]]",
            "working": "Callable[..., Mapping[str, float]]",
        }
        for key, code, where in lambdas(facts, task):
            lines.append(f"lambda_{len(lines)}: {types.get(key, 'Callable[..., Any]')} = {code}  # {where}, {key}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("facts")
    for name in SOURCES:
        (found / f"of_{name[3:].replace('-', '_')}.py").write_text(module(name), "utf-8")
    return found


@pytest.mark.parametrize(
    "tool", ["mypy", f"ruff check --config pyproject.toml --output-format concise --ignore {NO_MATTER}"]
)
def test_python_in_quotes_is_clean(tool: str, folder: Path) -> None:
    command = [sys.executable, "-m", *tool.split(), *map(str, folder.glob("*.py"))]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
