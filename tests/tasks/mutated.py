"""All one-step mutants of a function: one place of its code changed, or what it takes or gives.

Nothing of the course is imported here: the checks are tried by a stranger.
"""

from __future__ import annotations

import ast
import copy
import itertools
import json
import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

LEVELS = 1, 2, 3, 4, 5, 10, 100


def _each(change: Callable[[Any], Any], kinds: tuple[type, ...]) -> Callable[[Any], Any]:
    """The change, made to every item of these kinds inside a value."""

    def changed(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(map(changed, value))
        if isinstance(value, dict):
            return {changed(key): changed(item) for key, item in value.items()}
        return change(value) if type(value) in kinds else value

    return changed


def _lists(change: Callable[[list[Any]], list[Any]]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, list) else value


def _nearest(value: float) -> float:
    import numpy as np

    return float(np.float16(value))


NUMBERS: dict[str, Callable[[Any], Any]] = {
    **{f"round {d}": _each(lambda x, d=d: round(x, d), (float,)) for d in range(5)},  # type: ignore[misc]
    "int": _each(int, (float,)),
    "float16": _each(_nearest, (int, float)),
    "abs": _each(abs, (int, float)),
    "not below 0": _each(lambda x: max(x, 0), (int, float)),
    **{f"at most {most}": _each(lambda x, m=most: min(x, m), (int, float)) for most in LEVELS},  # type: ignore[misc]
    "at least 1": _each(lambda x: max(x, 1), (int, float)),
}
TEXTS: dict[str, Callable[[Any], Any]] = {
    "lower": _each(str.lower, (str,)),
    "upper": _each(str.upper, (str,)),
    "stripped": _each(str.strip, (str,)),
    "first letter": _each(lambda x: x[:1], (str,)),
    "digits as numbers": _each(lambda x: str(int(x)) if x.isdigit() else x, (str,)),
}
LISTS: dict[str, Callable[[Any], Any]] = {
    "sorted": _lists(lambda x: sorted(x, key=lambda i: i if isinstance(i, int | float) else 0)),
    "sorted down": _lists(lambda x: sorted(x, key=repr, reverse=True)),
    "reversed": _lists(lambda x: x[::-1]),
    "once each": _lists(lambda x: [one for at, one in enumerate(x) if one not in x[:at]]),
    "without the first": _lists(lambda x: x[1:]),
    "without the last": _lists(lambda x: x[:-1]),
    **{f"first {n}": _lists(lambda x, n=n: x[:n]) for n in (1, 3, 5, 10, 20)},  # type: ignore[misc]
    "without what is 0 or empty": _lists(lambda x: [one for one in x if one]),
}  # fmt: skip
VALUES = NUMBERS | TEXTS | LISTS
SWAPS: dict[type, list[type]] = {
    ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.Lt], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq, ast.GtE, ast.LtE], ast.NotEq: [ast.Eq], ast.In: [ast.NotIn], ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.Add: [ast.Sub, ast.Mult], ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add], ast.Div: [ast.Mult, ast.FloorDiv], ast.FloorDiv: [ast.Div], ast.Pow: [ast.Mult],
    ast.And: [ast.Or], ast.Or: [ast.And],
}  # fmt: skip


def mutants(name: str, code: str, names: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each mutant of the function of that name, with what is changed in it."""
    seen = set()
    for told, tree in _trees(ast.parse(code)):
        try:
            text = ast.unparse(tree)
        except (ValueError, AttributeError):
            continue
        if text in seen:
            continue
        seen.add(text)
        inside = {**names, "_VALUES": VALUES}
        try:
            with warnings.catch_warnings(action="ignore"):  # `is not 0`
                exec(compile(text, "<mutant>", "exec"), inside)
        except Exception:  # a mutant that is no program
            continue
        yield told, inside[name]
    yield from _around(names[name])


def _around(function: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The function, with what it takes or gives changed."""
    for told, change in VALUES.items():
        yield f"result: {told}", lambda *args, change=change: change(function(*args))
        for at in range(function.__code__.co_argcount):

            def other(*args: Any, at: int = at, change: Callable[[Any], Any] = change) -> Any:
                return function(*(change(arg) if i == at else arg for i, arg in enumerate(args)))

            yield f"argument {at + 1}: {told}", other

    def changing(act: Callable[[Any], Any]) -> Callable[..., Any]:
        def other(*args: Any) -> Any:
            result = copy.deepcopy(function(*args))
            for arg in args:
                if isinstance(arg, list | dict) and arg:
                    act(arg)
            return result

        return other

    yield (
        "takes the last item away from its argument",
        changing(lambda x: x.pop() if isinstance(x, list) else x.popitem()),
    )
    yield "turns its argument round", changing(lambda x: x.reverse() if isinstance(x, list) else None)
    for told, key in {"length": lambda args: str([len(a) if isinstance(a, list | dict) else a for a in args]),
                      "first argument": lambda args: json.dumps(args[:1])}.items():  # fmt: skip
        kept: dict[str, Any] = {}

        def remembers(*args: Any, key: Callable[..., str] = key, kept: dict[str, Any] = kept) -> Any:
            where = key(args)
            if where not in kept:
                kept[where] = function(*args)
            return kept[where]

        yield f"remembers by {told}", remembers


def _trees(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """The code with one place of one of its functions changed, until the next is asked for."""
    places = [
        (parent, field, at, node)
        for parent in ast.walk(tree)
        for field, held in ast.iter_fields(parent)
        for at, node in enumerate(held if isinstance(held, list) else [held])
        if isinstance(node, ast.AST) and not isinstance(node, ast.Import)
    ]
    for parent, field, at, node in places:
        before = ast.unparse(node) if not isinstance(node, ast.arguments | ast.operator | ast.cmpop) else "…"
        for told, new in _changes(node):
            held = getattr(parent, field)
            if isinstance(held, list):
                held[at] = new
            else:
                setattr(parent, field, new)
            yield f"{before[:60]!r}: {told}", tree
            if isinstance(held, list):
                held[at] = node
            else:
                setattr(parent, field, node)


def _changes(node: ast.AST) -> Iterable[tuple[str, ast.AST]]:
    """What one place can become. Made of a copy of the node, which stays as it is."""
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            yield "the other truth", ast.Constant(not value)
        elif isinstance(value, int | float):
            for new in (value + 1, value - 1, -value, value * 1.01, 0 if value else 0.5):
                yield f"{new}", ast.Constant(new)
        elif value is None:
            for new in (0, 1, 3, 10):
                yield f"{new}", ast.Constant(new)
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            for new in SWAPS.get(type(op), ()):
                other = copy.deepcopy(node)
                other.ops[at] = new()
                yield new.__name__, other
        if isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value in (None, 0):
            yield "truth alone", copy.deepcopy(node.left)
            yield "its contrary", ast.UnaryOp(ast.Not(), copy.deepcopy(node.left))
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        for new in SWAPS.get(type(node.op), ()):
            other = copy.deepcopy(node)
            other.op = new()
            yield new.__name__, other
    if isinstance(node, ast.BinOp):
        yield "left alone", copy.deepcopy(node.left)
        yield "right alone", copy.deepcopy(node.right)
        turned = copy.deepcopy(node)
        turned.left, turned.right = turned.right, turned.left
        yield "turned", turned
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield f"{ast.unparse(value)} alone", copy.deepcopy(value)
    if isinstance(node, ast.UnaryOp):
        yield "without", copy.deepcopy(node.operand)
    if isinstance(node, ast.IfExp):
        yield "always", copy.deepcopy(node.body)
        yield "never", copy.deepcopy(node.orelse)
    if isinstance(node, ast.If):
        for new in (True, False):
            other = copy.deepcopy(node)
            other.test = ast.Constant(new)
            yield f"if {new}", other
    if isinstance(node, ast.comprehension) and node.ifs:
        other = copy.deepcopy(node)
        other.ifs = []
        yield "without its if", other
    if isinstance(node, ast.Call):
        for at in range(len(node.keywords)):
            other = copy.deepcopy(node)
            del other.keywords[at]
            yield f"without {node.keywords[at].arg}", other
        if len(node.args) > 1:
            other = copy.deepcopy(node)
            other.args = [other.args[1], other.args[0], *other.args[2:]]
            yield "arguments turned", other
            shorter = copy.deepcopy(node)
            shorter.args.pop()
            yield "without its last argument", shorter
        if len(node.args) == 1 and not node.keywords:
            yield "without the call", copy.deepcopy(node.args[0])
        if isinstance(node.func, ast.Name):
            for new in {"min": ["max"], "max": ["min"], "sum": ["max", "len"]}.get(node.func.id, ()):
                other = copy.deepcopy(node)
                other.func = ast.Name(new, ast.Load())
                yield new, other
    if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
        for at in (0, 1):
            yield f"part {at + 1} alone", copy.deepcopy(node.elts[at])
            other = copy.deepcopy(node)
            other.elts[at] = ast.UnaryOp(ast.USub(), other.elts[at])
            yield f"minus part {at + 1}", other
        yield "turned", ast.Tuple([copy.deepcopy(node.elts[1]), copy.deepcopy(node.elts[0])], ast.Load())
    if isinstance(node, ast.Slice):
        for part in ("lower", "upper"):
            if getattr(node, part) is not None:
                other = copy.deepcopy(node)
                setattr(other, part, None)
                yield f"without {part}", other
                for by in (1, -1):
                    other = copy.deepcopy(node)
                    setattr(other, part, ast.BinOp(getattr(other, part), ast.Add(), ast.Constant(by)))
                    yield f"{part} {by:+}", other
    if isinstance(node, ast.Break):
        yield "continue", ast.Continue()
        yield "pass", ast.Pass()
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Raise):
        yield "left out", ast.Pass()
    if isinstance(node, ast.Return) and node.value is not None:
        other = copy.deepcopy(node)
        other.value = ast.BinOp(other.value, ast.Add(), ast.Constant(1))
        yield "one more", other
    if isinstance(node, ast.Name | ast.Subscript | ast.Call | ast.BinOp | ast.Attribute) and isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        for told in VALUES:
            reach = ast.Subscript(ast.Name("_VALUES", ast.Load()), ast.Constant(told), ast.Load())
            yield told, ast.Call(reach, [copy.deepcopy(node)], [])


class Chooser:
    """Makes the choices by which inputs are written: all small ones in turn, or large ones by a stored seed."""

    def __init__(self, seed: int | None = None):
        self.random = None if seed is None else random.Random(seed)
        self.path: list[list[int]] = []  # which option of how many
        self.at = 0

    def of(self, *options: Any) -> Any:
        if self.random:
            return self.random.choice(options)
        if self.at == len(self.path):
            self.path.append([0, len(options)])
        self.at += 1
        return options[self.path[self.at - 1][0]]

    def onward(self) -> bool:
        """Go to the next choices; False after the last."""
        self.at = 0
        if self.random:
            return True
        while self.path:
            self.path[-1][0] += 1
            if self.path[-1][0] < self.path[-1][1]:
                return True
            self.path.pop()
        return False

    def whole(self, low: int, high: int) -> int:
        return self.random.randint(low, high) if self.random else self.of(*range(low, min(high, low + 2) + 1))

    def grade(self) -> float:
        if not self.random:
            return self.of(0, 1, 2.5)  # type: ignore[no-any-return]
        r = self.random
        return r.choice(
            [r.randint(0, 3), r.randint(0, 12), r.randint(0, 150), round(r.uniform(0, 4), 6), r.randint(0, 60) / 16]
        )

    def score(self) -> float:
        if not self.random:
            return self.of(-0.25, 0, 1)  # type: ignore[no-any-return]
        r = self.random
        return r.choice(
            [r.randint(-3, 3), round(r.uniform(-20, 20), 6), 0.5 + r.randint(0, 2) * 1e-4, r.randint(0, 4) / 4]
        )

    def name(self) -> str:
        if not self.random:
            return self.of("a", "B", "b")  # type: ignore[no-any-return]
        r = self.random
        return r.choice(["d", "D", "x"]) + r.choice(["", "1", "2", "10", "1a"])

    def some(self, item: Callable[[], Any], least: int = 0, most: int = 14) -> list[Any]:
        return [item() for _ in range(self.whole(least, most))]


def inputs(write: Callable[[Chooser], list[Any] | None], small: int = 500, large: int = 150) -> Iterator[list[Any]]:
    """All small inputs that a writer writes (so many at most), then large ones by a stored seed."""
    for chooser, most in ((Chooser(), small), (Chooser(29), large)):
        for _ in range(most):
            args = write(chooser)
            if args is not None:
                yield args
            if not chooser.onward():
                break


def same(a: Any, b: Any, tolerance: float = 2e-6) -> bool:
    """Whether two answers are the same in the eyes of a person: numbers to the tolerance, all else exactly."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(itertools.starmap(lambda x, y: same(x, y, tolerance), zip(a, b, strict=True)))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or abs(a - b) <= max(1e-9, tolerance * abs(b))
    return bool(a == b)
