"""The code that a repair begins with: a check knows it again, and does not give the mistake away."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

STARTERS = Path(__file__).parents[1] / "tasks" / "starters"


def is_starter(name: str, function: Any) -> bool:
    """Whether the function is the one that the task gives, comments and blanks aside.

    >>> is_starter("cg_with_loop", lambda grades, k: sum(grades[:k]))
    False
    """
    text, code = known().get(name), getattr(function, "__code__", None)
    if text is None or code is None:
        return False
    return any(_what_it_does(given) == _what_it_does(code) for given in _codes(compile(text, name, "exec"), name))


def stands_in(name: str, cells: Sequence[str]) -> bool:
    """Whether the notebook has the code that the task gives, untouched; nothing is run or parsed.

    >>> stands_in("cg_with_loop", ["def cg_with_loop(grades, k):\\n    return sum(grades[:k])"])
    False
    """
    holding = [cell.strip() for cell in cells if f"def {name}(" in cell]
    return set(holding) == {known().get(name)}


@cache
def known() -> dict[str, str]:
    """By task, the code that it gives."""
    return code_by_task(STARTERS)


def code_by_task(folder: Path) -> dict[str, str]:
    """What the tables of all assignments in a folder hold."""
    found: dict[str, str] = {}
    for file in sorted(folder.glob("*.json")):
        found |= json.loads(file.read_text("utf8"))
    return found


def _codes(code: CodeType, name: str) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType) and const.co_name == name:
            yield const


def _what_it_does(code: CodeType) -> tuple[object, ...]:
    consts = [_what_it_does(const) if isinstance(const, CodeType) else _unindented(const) for const in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, consts


def _unindented(const: object) -> str:
    """A description has the indentation of its function in some versions of Python."""
    return repr(inspect.cleandoc(const) if isinstance(const, str) else const)
