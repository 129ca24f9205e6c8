"""What an answer shows without being called: its arguments, its description, its code. No line of it is run here."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from ndcg_course.explain.outcome import call_text
from ndcg_course.tasks.task import FROM_DESCRIPTION, Case, FunctionTask, Task

if TYPE_CHECKING:
    from ndcg_course.explain.changes import Code

LONGEST = 20_000  # letters of a cell that is read
_KINDS = inspect.Parameter


class Shown(NamedTuple):
    """What is known of a function in a notebook here, or of the text of one that is handed in."""

    name: str
    signature: inspect.Signature | None
    description: str
    names: frozenset[str]
    code: Callable[[], Code | None]

    @classmethod
    def by(cls, name: str, function: Any) -> Shown:
        """By a function."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            signature = None
        names = frozenset(getattr(getattr(function, "__code__", None), "co_names", ()))
        return cls(name, signature, inspect.getdoc(function) or "", names, lambda: _changes().Code.of(function))

    @classmethod
    def in_cells(cls, name: str, cells: Sequence[str]) -> Shown:
        """In the last cell that defines it.

        >>> Shown.in_cells("f", ["def f(a, k=None):\\n    return sum(a[:k])"]).signature
        <Signature (a, k=None)>
        """
        written = re.compile(rf"(?m)^(?:def {name}\b|{name}[ \t]{{0,9}}=(?!=))")
        text = next((cell for cell in reversed(cells) if len(cell) < LONGEST and written.search(cell)), "")
        node = _definition(name, text)
        if node is None:
            return cls(name, None, "", frozenset(), lambda: None)
        used = frozenset(
            getattr(part, "attr", getattr(part, "id", ""))
            for part in ast.walk(node)
            if isinstance(part, (ast.Attribute, ast.Name))
        )
        described = ast.get_docstring(node) or "" if isinstance(node, ast.FunctionDef) else ""
        return cls(name, _signature(node.args), described, used, lambda: _changes().Code.of_text(name, text))

    def examples(self) -> list[Case]:
        """The calls in the description."""
        cases = []
        try:
            for shown in re.findall("^>>> (.*)", self.description, re.MULTILINE):
                call = ast.parse(shown.strip(), mode="eval").body
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == self.name:
                    cases.append(Case([ast.literal_eval(arg) for arg in call.args], FROM_DESCRIPTION))
        except (ValueError, SyntaxError, TypeError):
            pass
        return cases

    def cannot_take(self, cases: Iterable[Case]) -> str:
        """What to say where some of the calls do not fit the line `def …`."""
        brief = sorted(cases, key=lambda case: len(repr(case.args)))
        for case in (min(brief, key=lambda c: len(c.args)), max(brief, key=lambda c: len(c.args))):
            try:
                if self.signature is not None:
                    self.signature.bind(*case.args)
            except TypeError as error:
                call = call_text(self.name, case.args)
                told = f"Your function cannot be called as `{call}`: {error}."
                return f"{told} Keep the arguments in the line `def …` as given."
        return ""

    def in_other_order(self, task: FunctionTask) -> str:
        """A word about the same arguments in another order."""
        both = (self.signature, inspect.signature(task.reference))
        if both[0] is None:
            return ""
        mine, asked = (
            [p.name for p in one.parameters.values() if p.kind is _KINDS.POSITIONAL_OR_KEYWORD] for one in both if one
        )
        if mine == asked or sorted(mine) != sorted(asked):
            return ""
        return f"The line `def …` has the arguments in another order: ({', '.join(asked)}) is asked."


def _definition(name: str, text: str) -> ast.FunctionDef | ast.Lambda | None:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in reversed(body):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return None if node.decorator_list else node
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return node.value if isinstance(node.value, ast.Lambda) else None
    return None


def _signature(args: ast.arguments) -> inspect.Signature:
    """The arguments; what they are without a value is not worked out, only that they may be left out."""
    plain = [*args.posonlyargs, *args.args]
    least = len(plain) - len(args.defaults)
    made = [
        _KINDS(
            arg.arg,
            _KINDS.POSITIONAL_ONLY if i < len(args.posonlyargs) else _KINDS.POSITIONAL_OR_KEYWORD,
            default=_KINDS.empty if i < least else None,
        )
        for i, arg in enumerate(plain)
    ]
    made += [_KINDS(args.vararg.arg, _KINDS.VAR_POSITIONAL)] if args.vararg else []
    made += [
        _KINDS(arg.arg, _KINDS.KEYWORD_ONLY, default=_KINDS.empty if default is None else None)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    return inspect.Signature([*made, *([_KINDS(args.kwarg.arg, _KINDS.VAR_KEYWORD)] if args.kwarg else [])])


def _changes() -> Any:
    """The code of answers as trees, which most answers do not need."""
    from ndcg_course.explain import changes

    return changes


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
