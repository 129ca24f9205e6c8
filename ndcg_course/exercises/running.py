"""Runs the cells of a notebook in this process, as a kernel would: outputs are what a cell prints and its last value.

A kernel takes seconds to start, this takes milliseconds, so that every notebook can be proved on every change. That a
real kernel gives the same outputs is what nbval tests.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
from collections.abc import Sequence
from typing import Any


class CellError(Exception):
    """A cell raised; `index` is its place among the code cells."""

    def __init__(self, index: int, error: BaseException):
        super().__init__(f"code cell {index + 1} raises {type(error).__name__}: {error}")
        self.index = index


def run(codes: Sequence[str], names: dict[str, Any] | None = None) -> list[list[dict[str, Any]]]:
    """The outputs of each cell, in the notebook format.

    >>> run(["x = 2", "print(x); x + 1"])[1][1]["data"]
    {'text/plain': ['3']}
    """
    names = {"__name__": "__main__"} if names is None else names
    return [_run_cell(code, names, i) for i, code in enumerate(codes)]


def _run_cell(code: str, names: dict[str, Any], index: int) -> list[dict[str, Any]]:
    printed = io.StringIO()
    value: Any = None
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        linecache.cache[f"<cell {index + 1}>"] = (len(code), None, code.splitlines(True), f"<cell {index + 1}>")
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"<cell {index + 1}>", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), f"<cell {index + 1}>", "eval"), names)
    except Exception as error:
        raise CellError(index, error) from error
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None and not code.rstrip().endswith(";"):
        data = {"text/plain": _pretty(value).splitlines(True)}
        if (html := getattr(value, "_repr_html_", None)) is not None:
            data = {"text/html": html().splitlines(True)} | data
        outputs.append({"data": data, "execution_count": index + 1, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _pretty(value: Any) -> str:
    """As IPython writes it."""
    try:
        from IPython.lib.pretty import pretty
    except ImportError:
        return repr(value)
    return str(pretty(value))  # type: ignore[no-untyped-call, unused-ignore]
