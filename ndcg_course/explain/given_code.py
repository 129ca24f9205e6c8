"""The code that a repair begins with: a check knows it again, and does not give the mistake away."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from ndcg_course.tasks.task import Task


def is_starter(task: Task, function: Any) -> bool:
    """Whether the function and its helpers are those that the task gives, comments and blanks aside."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    names = getattr(function, "__globals__", {}) | {task.name: function}  # its helpers may be what is to be repaired
    given = _codes(compile(task.starter, task.name, "exec"))
    return all(
        (live := getattr(names.get(one.co_name), "__code__", None)) and _what_it_does(one) == _what_it_does(live)
        for one in given
    )


def stands_in(task: Task, cells: Sequence[str]) -> bool:
    """Whether the notebook has the code that the task gives, untouched; nothing is run or parsed."""
    holding = {cell.strip() for cell in cells if f"def {task.name}(" in cell}
    return holding == {task.starter}


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType) and const.co_name.isidentifier():
            yield const


def _what_it_does(code: CodeType) -> tuple[object, ...]:
    consts = [_what_it_does(const) if isinstance(const, CodeType) else _unindented(const) for const in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, consts


def _unindented(const: object) -> str:
    """A description has the indentation of its function in some versions of Python."""
    return repr(inspect.cleandoc(const) if isinstance(const, str) else const)
