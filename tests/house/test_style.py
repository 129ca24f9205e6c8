"""The form of the code: lint, layout, types, and an example under each public name."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import distributions, packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import ndcg_course
import ndcg_lib

ROOT = Path(__file__).resolve().parents[2]
MADE = "ndcg_lib/plots/playing.js"  # of modules of the site


@pytest.mark.parametrize("tool", ["ruff check", "ruff format --check", pytest.param("mypy", marks=pytest.mark.sweep)])
def test_code_is_clean(tool: str) -> None:
    found = subprocess.run([sys.executable, "-m", *tool.split()], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def test_a_module_and_a_function_can_be_read_in_one_sitting() -> None:
    """No module above 500 lines, no function above 60. A longer one has two subjects: part them by subject."""
    files = [
        ROOT / "kit.py",
        *(file for top in ("ndcg_lib", "ndcg_course", "book") for file in (ROOT / top).rglob("*.*")),
    ]
    sizes: dict[str, int] = {}
    for file in files:
        if file.suffix in (".py", ".js", ".mjs") and "_build" not in file.parts:
            text, name = file.read_text("utf-8"), file.relative_to(ROOT).as_posix()
            sizes[name] = len(text.splitlines()) - 500
            for node in ast.walk(tree(file)) if file.suffix == ".py" else ():
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    sizes[f"{name}, {node.name}"] = (node.end_lineno or 0) - node.lineno + 1 - 60
    assert {name for name, over in sizes.items() if over > 0} - {MADE} == set()


def test_a_public_function_shows_an_example() -> None:
    public = {name: getattr(ndcg_lib, name) for name in ndcg_lib.__all__}
    assert [name for name, one in public.items() if inspect.isroutine(one) and ">>> " not in (one.__doc__ or "")] == []


def test_the_pins_are_those_of_the_groups_that_are_asked_for() -> None:
    """`kit.py pin` was run after the last change of a group."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    pins = (ROOT / "requirements.txt").read_text("utf-8")
    pinned: dict[str, str] = {}  # a group is installed with those before it, and does not pin again what they pin
    for name, requirements in asked.items():
        part = re.split("^# ==== ", pins.partition(f"# ==== {name} ====\n")[2], maxsplit=1, flags=re.M)[0]
        part = re.sub(r"^([\w.-]+)\[.*?\]==", r"\1==", part, flags=re.M)
        own = dict(re.findall(r"^([\w.-]+)==(\S+)", part, re.M))
        pinned |= own
        for requirement in map(Requirement, requirements):
            assert requirement.specifier.contains(pinned[normal(requirement.name)]), requirement
        assert own.keys() <= set(re.findall(r"^([\w.-]+)==.*\\\n +--hash=sha256:", part, re.M)), "without a hash"


def test_a_pin_carries_each_extra_that_another_asks_of_it() -> None:
    """The pip of Python 3.11 looks for the newest `name[extra]` beside a pinned `name`, and finds no hash for it."""
    pins = re.findall(r"^([\w.-]+)(?:\[(.*?)\])?==", (ROOT / "requirements.txt").read_text("utf-8"), re.M)
    extras = {normal(name): set(extra.split(",")) for name, extra in pins}
    for installed in distributions():
        for asked in map(Requirement, installed.requires or () if normal(installed.name) in extras else ()):
            if normal(asked.name) in extras and (asked.marker is None or asked.marker.evaluate({"extra": ""})):
                assert asked.extras <= extras[normal(asked.name)], f"{installed.name} asks for {asked}"


def test_whatever_is_imported_is_pinned_or_an_extra() -> None:
    """A package that happens to be installed here is missing in a fresh clone."""
    pinned = {normal(name) for name in re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text("utf-8"), re.M)}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    pinned |= {normal(re.split(r"[^\w.-]", asked)[0]) for asked in chain(*extras.values())}
    providers = packages_distributions()
    tops = ("ndcg_lib", "ndcg_course", "book", "solutions", "tests")
    files = [file for top in tops for file in (ROOT / top).rglob("*.py")]
    own = {"ndcg_lib", "ndcg_course", "kit"}.union(*({file.stem, file.parent.name} for file in files))
    for file in files:
        if list(file.parent.glob("requirements*.txt")):  # run in an environment of its own, which that file pins
            continue
        for module in imported(file) - own - sys.stdlib_module_names:
            assert {normal(name) for name in providers.get(module, [module])} & pinned, f"{file} imports {module}"


def imported(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_citation_is_of_this_version() -> None:
    assert ndcg_course.__version__ == ndcg_lib.__version__
    assert f"\nversion: {ndcg_lib.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_license_texts_are_there() -> None:
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text("utf-8")
    assert "Creative Commons Attribution 4.0" in (ROOT / "LICENSE-TEXT.md").read_text("utf-8")
