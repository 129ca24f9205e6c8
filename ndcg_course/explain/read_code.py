"""The code of an answer as a tree: what it shows by itself, and a tree that can be changed in place and run again."""

from __future__ import annotations

import ast
import inspect
import linecache
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

from ndcg_course.explain.faults import said

_OFTEN_HIDDEN = {"sum", "list", "max", "min", "len", "sorted", "range", "dict", "set", "input", "round", "id"}


def remark(read: Read | None) -> list[str]:
    """A matter of taste in an answer that is right: one remark at most, and never a point off."""
    for node in ast.walk(read.tree) if read else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in _OFTEN_HIDDEN:
            return [f"A matter of taste: the name `{node.id}` hides Python's own; another name keeps both."]
    for node in ast.walk(read.tree) if read else ():
        over = ast.unparse(node.iter) if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else ""
        if isinstance(node, ast.For) and (found := re.fullmatch(r"range\(len\((\w+)\)\)", over)):
            place = ast.unparse(node.target)
            used = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == place]
            if len(used) == 1 + sum(isinstance(n, ast.Subscript) and n.slice in used for n in ast.walk(node)):
                return [f"A matter of taste: `for item in {found[1]}` gives the items without their places."]
    return []


def fact(read: Read | None, needs: Callable[[int], bool]) -> tuple[str, str] | None:
    """What the code shows by itself, where nothing explains the answers: a code and its words.

    `needs` says of an argument, by its place, whether the right answer depends on it.
    """
    for loop in ast.walk(read.tree) if read else ():
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name):
            name = loop.iter.id
            calls = [node.func for node in ast.walk(loop) if isinstance(node, ast.Call)]
            if any(
                isinstance(f, ast.Attribute) and f.attr in _RESIZING and ast.unparse(f.value) == name for f in calls
            ):
                return "changed-in-loop", said("changed-in-loop", f"`{name}`")
        if isinstance(loop, ast.For) and isinstance(loop.body[-1], ast.Return) and read is not None:
            return "return-in-loop", said("return-in-loop", f", in the line `{read.line(loop.body[-1])}`")
    used = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(read.tree)} if read else set()
    if drawn := used & {"random", "shuffle", "randint", "default_rng"}:
        return "random", said("random", f"`{min(drawn)}`")
    for top in read.tree.body if read else ():
        if kept := _written_outside(top):
            return "kept", said("kept", f"`{kept}`")
        if isinstance(top, ast.FunctionDef) and read is not None and top.name == read.name:
            used = {node.id for node in ast.walk(top) if isinstance(node, ast.Name)}
            if still := _stays_0(top):
                return "stays-0", said("stays-0", f"`{still}`")
            for at, arg in enumerate(top.args.args):
                if arg.arg not in used and needs(at):
                    return "argument-unused", said("argument-unused", f"`{arg.arg}`")
    return None


def _written_outside(top: ast.stmt) -> str:
    """A name into which a function writes although it does not make it: it lives on from call to call."""
    nodes = list(ast.walk(top))
    made = {node.arg for node in nodes if isinstance(node, ast.arg)}
    made |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    defaults = [*top.args.defaults, *top.args.kw_defaults] if isinstance(top, ast.FunctionDef) else []
    if any(isinstance(default, (ast.List, ast.Dict, ast.Set)) for default in defaults):
        return ast.unparse(next(d for d in defaults if isinstance(d, (ast.List, ast.Dict, ast.Set))))
    for node in nodes:
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return node.names[0]
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            owner = node.value
            if isinstance(owner, ast.Name) and owner.id not in made:
                return owner.id
    return ""


def _stays_0(top: ast.FunctionDef) -> str:
    """A variable that is set to 0 before a loop, is used, and never changes."""
    nodes = list(ast.walk(top))
    if not any(isinstance(node, (ast.For, ast.While)) for node in nodes):
        return ""
    names = [node for node in nodes if isinstance(node, ast.Name)]
    stored = [node.id for node in names if isinstance(node.ctx, ast.Store)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    zeros = [name for n in nodes if isinstance(n, ast.Assign) for name in _set_to_0(n.targets[0], n.value)]
    return next((name for name in zeros if stored.count(name) == 1 and name in read), "")


def _set_to_0(target: ast.expr, value: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            yield from _set_to_0(one, its)
    elif isinstance(target, ast.Name) and isinstance(value, ast.Constant) and value.value in (0, 0.0):
        yield target.id


_RESIZING = ("remove", "pop", "insert", "append", "clear")


def cuts(read: Read | None) -> bool:
    """Whether something in the code may drop the decimals; so too where the code cannot be read."""
    nodes = list(ast.walk(read.tree)) if read else []
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in nodes}
    return (
        read is None
        or any(isinstance(node, ast.FloorDiv) for node in nodes)
        or bool(names & {"int", "floor", "trunc", "round", "rint", "astype", "divmod", "floor_divide", "format"})
    )


class Read:
    """The functions of an answer as a tree that is changed in place."""

    def __init__(self, tree: ast.Module, lines: Sequence[str], name: str, names: dict[str, Any]):
        self.tree, self.lines, self.name = tree, lines, name
        self.names = {key: getattr(math, key) for key in ("log", "log2", "log10", "ceil", "floor")} | names

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self | None:
        """The function and those of the same cell that it calls; None where their code is not at hand."""
        code = getattr(function, "__code__", None)
        if code is None or code.co_freevars:
            return None
        lines = linecache.getlines(code.co_filename)
        tree = _parsed(lines)
        if tree is None:
            try:
                lines = textwrap.dedent(inspect.getsource(function)).splitlines(True)
            except (OSError, TypeError, SyntaxError, IndentationError):
                return None
            if (tree := _parsed(lines)) is None:
                return None
        name, names = function.__name__, dict(getattr(function, "__globals__", {}))
        if name == "<lambda>":
            name = next((n for n, d in _defined(tree).items() if d.lineno == code.co_firstlineno), "")
        return cls._reaching(tree, lines, name, names)

    @classmethod
    def of_text(cls, name: str, text: str) -> Self | None:
        """The function of this name in the text of a cell, and those that it calls; nothing is run."""
        lines = text.splitlines(True)
        tree = _parsed(lines)
        if tree is None or getattr(_defined(tree).get(name), "decorator_list", None):
            return None
        return cls._reaching(tree, lines, name, {})

    @classmethod
    def _reaching(cls, tree: ast.Module, lines: Sequence[str], name: str, names: dict[str, Any]) -> Self | None:
        defined = _defined(tree)
        reached, rest = dict[str, ast.FunctionDef](), [name]
        while rest and len(reached) < 5:
            if (one := rest.pop(0)) in defined and one not in reached:
                reached[one] = defined[one]
                rest += [node.id for node in ast.walk(defined[one]) if isinstance(node, ast.Name)]
        if name not in reached:
            return None
        for node in reached.values():
            node.decorator_list = []
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                node.body = node.body[1:]
        tree.body = list(reached.values())
        return cls(tree, lines, name, names)

    def compiled(self) -> Callable[..., Any] | None:
        """The function as it stands now."""
        names = dict(self.names)
        try:
            with warnings.catch_warnings():  # about code that nobody wrote
                warnings.simplefilter("ignore")
                exec(compile(self.tree, "<changed>", "exec"), names)
        except (SyntaxError, ValueError, TypeError, NameError):
            return None
        return names[self.name]  # type: ignore[no-any-return]

    def line(self, node: ast.AST) -> str:
        """The line in which a part of the tree stands."""
        number = getattr(node, "lineno", 1) - 1
        return self.lines[number].strip() if number < len(self.lines) else ""


def _parsed(lines: Sequence[str]) -> ast.Module | None:
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):  # the last: a fault of Python 3.11
        return None


def _defined(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of a cell by name, and each lambda that has one."""
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            name = getattr(node.targets[0], "id", "")
            body = ast.copy_location(ast.Return(node.value.body), node)
            made = ast.FunctionDef(name, node.value.args, [body], [], type_params=[])  # type: ignore[call-arg,unused-ignore]
            defined[name] = ast.fix_missing_locations(ast.copy_location(made, node))
    return defined


class Slot(NamedTuple):
    """A place in the tree that holds an expression."""

    owner: ast.AST
    field: str
    at: int | None
    old: ast.expr

    def put(self, new: ast.expr) -> None:
        """Another expression in its place."""
        if self.at is None:
            setattr(self.owner, self.field, new)
        else:
            getattr(self.owner, self.field)[self.at] = new

    @property
    def now(self) -> ast.expr:
        """What stands in the place now."""
        held = getattr(self.owner, self.field)
        return held if self.at is None else held[self.at]  # type: ignore[no-any-return]


def slots(top: ast.AST) -> Iterator[Slot]:
    """Every place below a node that holds an expression."""
    for owner in ast.walk(top):
        for field, old in ast.iter_fields(owner):
            if isinstance(old, ast.expr):
                yield Slot(owner, field, None, old)
            elif isinstance(old, list):
                for at, item in enumerate(old):
                    if isinstance(item, ast.expr):
                        yield Slot(owner, field, at, item)


def settle(new: Any, old: ast.AST) -> Any:
    """The new node with the place of the old one, and what is new in it too."""
    ast.copy_location(new, old)
    for node in ast.iter_child_nodes(new):
        if not node._attributes or not hasattr(node, "lineno"):
            settle(node, old)
    return new


def runs_over_a_name(node: ast.AST) -> bool:
    """Whether a loop goes through something that has a name."""
    return isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Name)
