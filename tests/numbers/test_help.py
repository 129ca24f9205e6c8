"""What a stranger reads first: help() of the public functions, and the first screen of the README."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import ndcg_lib as nd
from ndcg_lib import choices
from ndcg_lib.definition import PUBLIC, TABLE

ROOT = Path(__file__).parents[2]
HELPED = [
    "cg",
    "dcg",
    "idcg",
    "ndcg",
    "ndcg_scores",
    "curve",
    "working",
    "feval",
    "evaluate",
    "compare",
    "which",
    "precision",
    "recall",
    "rbp",
    "err",
]


@pytest.mark.parametrize("name", HELPED)
def test_help_gives_each_parameter_its_line(name: str) -> None:
    function = getattr(nd, name)
    lines = inspect.getdoc(function).splitlines()
    for parameter in inspect.signature(function).parameters.values():
        default = "" if parameter.default is parameter.empty else f" (default {parameter.default!r})"
        line = lines[lines.index(f"{parameter.name}{default}") + 1]
        assert len(line.strip()) > 10, "say in choices.ARGUMENTS what the parameter means"
        if parameter.name in PUBLIC:
            names = TABLE[parameter.name].names
            assert line.strip().startswith(TABLE[parameter.name].heading) and all(repr(key) in line for key in names)


def test_no_line_of_help_is_for_nobody() -> None:
    asked = {parameter for name in nd.__all__ if callable(getattr(nd, name)) and name != "SLIPS"
             for parameter in inspect.signature(getattr(nd, name)).parameters}  # fmt: skip
    assert asked >= choices.ARGUMENTS.keys()


def test_the_readme_begins_with_the_pocket_edition() -> None:
    pocket = (ROOT / "ndcg_lib" / "pocket.py").read_text("utf8").partition("from math import log2")
    first = (ROOT / "ndcg_lib" / "README.md").read_text("utf8").split("```python\n")[1].split("```")[0]
    assert first == "".join(pocket[1:]), "copy pocket.py into the README, from its import on"
