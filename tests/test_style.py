"""The form of the code: lint, layout, types, and an example under each public name."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import ndcg_lib

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("tool", ["ruff check", "ruff format --check", "mypy"])
def test_code_is_clean(tool: str) -> None:
    found = subprocess.run([sys.executable, "-m", *tool.split()], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", [name for name in ndcg_lib.__all__ if callable(getattr(ndcg_lib, name))])
def test_a_public_function_shows_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(getattr(ndcg_lib, name)) or "")


def test_the_license_texts_are_there() -> None:
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text("utf-8")
    assert "Creative Commons Attribution 4.0" in (ROOT / "LICENSE-TEXT.md").read_text("utf-8")
