"""Imports go one way: no cycle, late imports included, and no folder that hides a public function."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import ndcg_lib as nd

ROOT = Path(__file__).parents[2]
PACKAGES = ("ndcg_lib", "ndcg_course")


def modules() -> dict[str, Path]:
    """Every module of the two packages by its dotted name."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imported(tree: ast.AST, known: dict[str, Path]) -> set[str]:
    """What a module imports when it runs, in functions too; what only mypy reads does not count."""
    if isinstance(tree, ast.If) and getattr(tree.test, "id", "") == "TYPE_CHECKING":
        return set()
    found: set[str] = set()
    if isinstance(tree, ast.Import):
        found = {alias.name for alias in tree.names}
    elif isinstance(tree, ast.ImportFrom):
        whole = {f"{tree.module}.{alias.name}" for alias in tree.names}
        found = {name if name in known else str(tree.module) for name in whole}
    elif isinstance(tree, ast.Call) and "import_module" in (
        getattr(tree.func, "id", ""),
        getattr(tree.func, "attr", ""),
    ):
        found = {str(argument.value) for argument in tree.args if isinstance(argument, ast.Constant)}
    return found.intersection(known).union(*(imported(part, known) for part in ast.iter_child_nodes(tree)))


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = modules()
    graph = {name: imported(ast.parse(file.read_text("utf8")), known) - {name} for name, file in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"move what both need into a module below them: {' <- '.join(error.args[1])}")


def test_no_folder_of_the_library_takes_the_name_of_a_function() -> None:
    """`import ndcg_lib.compare` would put a module where `nd.compare` was."""
    inside = {path.stem for path in (ROOT / "ndcg_lib").iterdir()}
    public = {name for name in dir(nd) if callable(getattr(nd, name))}
    assert not inside & public, "give the folder or the file another noun"


PAGES = [
    "README.md",
    "ndcg_lib/README.md",
    *(f"book/reference/{file.name}" for file in (ROOT / "book" / "reference").glob("api*.md")),
]


@pytest.mark.parametrize("page", PAGES)
def test_what_the_documentation_imports_is_there(page: str) -> None:
    text = (ROOT / page).read_text("utf8")
    for name in set(re.findall(r"\bnd\.(\w+)", text)):
        assert hasattr(nd, name), f"{page}: nd.{name}"
    for module, names in re.findall(r"^\s*(?:>>> )?from (ndcg_\w+(?:\.\w+)*) import ([\w, ]+)", text, flags=re.M):
        for name in map(str.strip, names.split(",")):
            assert hasattr(import_module(module), name) or import_module(f"{module}.{name}"), f"{page}: {name}"


def test_nobody_reaches_another_package_by_a_path() -> None:
    """Only kit.py and tests say where Python looks; the grader's child takes folders away before a student's code."""
    inside = ROOT / "ndcg_course" / "grade" / "inside"
    files = [file for folder in (*PACKAGES, "book") for file in (ROOT / folder).rglob("*.py")]
    edits = re.compile(r"sys\.path(\[.*\])? *[+=]|sys\.path\.(append|insert|extend)|addsitedir")
    found = [file for file in files if inside not in file.parents and "_build" not in file.parts
             and edits.search(file.read_text("utf8"))]  # fmt: skip
    assert not found, "let the book's folder be the one that Python looks in, or move what both need into a package"
