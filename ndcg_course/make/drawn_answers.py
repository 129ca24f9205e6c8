"""Draws wrong programs and wrong numbers whose cause is known, to measure how often a check names it truly.

Nothing of `ndcg_course.explain` is used here: who measures shares no code with what is measured.
"""

from __future__ import annotations

import ast
import copy
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import FunctionTask, ValueTask

MOST_OF_A_KIND = 5  # mutants of one program that have the same cause
FREQUENT = {"off-by-one", "name", "order", "step-missing", "operator", "whole"}  # of which two are enough
PAIRS = 8  # programs with two mistakes, for each task


class Program(NamedTuple):
    """A wrong program: its causes, its text, and the lines in which they stand."""

    task: str
    causes: tuple[str, ...]
    code: str
    lines: tuple[str, ...]


class Number(NamedTuple):
    """A wrong number by hand: its cause, "pen" or the name of a slip, and the term that was asked beside a sum."""

    task: str
    student: str
    cause: str
    value: float
    term: float | None = None


# ---- programs ---------------------------------------------------------------------------------------


def programs(task: FunctionTask, right: Sequence[str]) -> Iterator[Program]:
    """Mutants of right programs by kind and place, pairs of them, and skeletons of programs that are half finished."""
    draw = Draw("wrong programs", task.name)
    single = [one for text in right for one in _of_each_kind(draw, list(_mutants(task.name, text)))]
    yield from single
    for text in right[:2]:
        first = [one for one in _mutants(task.name, text) if one.causes[0] not in ("memory", "random")]
        for _ in range(PAIRS // 2):
            one = draw.choice(first)
            others = [other for other in _mutants(task.name, one.code) if not set(other.causes) & set(one.causes)]
            if others:
                other = draw.choice(others)
                changed = _changed_lines(ast.unparse(ast.parse(text)), other.code)
                yield Program(task.name, (*one.causes, *other.causes), other.code, changed)
    yield from _skeletons(task.name, right[0])


def _of_each_kind(draw: Draw, found: list[Program]) -> Iterator[Program]:
    kinds = dict.fromkeys(one.causes for one in found)
    for kind in kinds:
        most = 2 if kind[0] in FREQUENT else MOST_OF_A_KIND
        yield from draw.sample([one for one in found if one.causes == kind], most)


def right_programs(root: Path) -> dict[str, list[str]]:
    """Right but unusual answers that stand with the tests, by task; none where there is no checkout."""
    file = root / "tests" / "wrong_answers" / "cells_right.txt"
    found: dict[str, list[str]] = {}
    for block in re.split(r"(?m)^## ", file.read_text("utf8"))[1:] if file.is_file() else []:
        name, _, code = block.partition("\n")
        if re.search(rf"(?m)^def {name}\(", code) and code.count("\ndef ") + code.startswith("def ") == 1:
            found.setdefault(name, []).append(code)
    return found


def _mutants(name: str, text: str) -> Iterator[Program]:
    tree = ast.parse(text)
    top = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    if ast.get_docstring(top):
        top.body = top.body[1:]
    plain = ast.unparse(tree)
    taken = [arg.arg for arg in top.args.args]
    stored = [n.id for n in ast.walk(top) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    names = list(dict.fromkeys([*taken, *stored]))
    seen = {plain}
    for at, node in enumerate(list(ast.walk(tree))):
        if isinstance(node, (ast.arg, ast.Module)) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            continue
        for cause, new in _instead(node, names):
            mutated = copy.deepcopy(tree)
            _replace(mutated, at, new)
            try:
                code = ast.unparse(ast.fix_missing_locations(mutated))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SyntaxWarning)
                    compile(code, "<mutant>", "exec")
            except (SyntaxError, ValueError, TypeError):
                continue
            if code not in seen:
                seen.add(code)
                yield Program(name, (cause,), code, _changed_lines(plain, code))
    yield from _wrapped(name, plain, taken)


def _replace(tree: ast.AST, at: int, new: Any) -> None:
    nodes = list(ast.walk(tree))
    old = nodes[at]
    for owner in nodes:
        for field, held in ast.iter_fields(owner):
            if held is old:
                setattr(owner, field, new)
            elif isinstance(held, list) and any(item is old for item in held):
                i = next(i for i, item in enumerate(held) if item is old)
                held[i : i + 1] = new if isinstance(new, list) else [new]
                if not held:
                    held.append(ast.Pass())


def _changed_lines(before: str, after: str) -> tuple[str, ...]:
    old = [line.strip() for line in before.splitlines()]
    return tuple(line.strip() for line in after.splitlines() if line.strip() not in old)


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _plus(node: ast.expr, more: int) -> ast.expr:
    return ast.BinOp(node, ast.Add() if more > 0 else ast.Sub(), ast.Constant(abs(more)))


_SWAPS: dict[type, list[tuple[str, type]]] = {
    ast.Lt: [("comparison", ast.LtE), ("comparison", ast.Gt)],
    ast.LtE: [("comparison", ast.Lt), ("comparison", ast.GtE)],
    ast.Gt: [("comparison", ast.GtE), ("comparison", ast.Lt)],
    ast.GtE: [("comparison", ast.Gt), ("comparison", ast.LtE)],
    ast.Eq: [("comparison", ast.NotEq), ("comparison", ast.GtE)],
    ast.NotEq: [("comparison", ast.Eq)],
    ast.In: [("condition", ast.NotIn)],
    ast.Is: [("condition", ast.IsNot)],
    ast.IsNot: [("condition", ast.Is)],
    ast.Add: [("operator", ast.Sub), ("operator", ast.Mult)],
    ast.Sub: [("operator", ast.Add)],
    ast.Mult: [("operator", ast.Add), ("operator", ast.Div)],
    ast.Div: [("operator", ast.Mult), ("whole", ast.FloorDiv)],
    ast.Pow: [("operator", ast.Mult)],
    ast.And: [("condition", ast.Or)],
    ast.Or: [("condition", ast.And)],
}
_COUNTED = {"k", "n", "i", "j", "r", "m", "rank", "depth", "relevant", "place", "start", "position"}
_LOGS = {"log2": ("log", "log10"), "log": ("log2",)}
_SUMS = {"sum": ("max", "len"), "max": ("min",), "min": ("max",), "mean": ("median",)}


def _with(node: ast.AST, **changed: Any) -> ast.AST:
    other = copy.copy(node)
    for field, value in changed.items():
        setattr(other, field, value)
    return other


def _instead(node: ast.AST, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What a person may have written in the place of a node, with the cause."""
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        yield from ((cause, _with(node, op=kind())) for cause, kind in _SWAPS.get(type(node.op), ()))
    elif isinstance(node, ast.arguments) and any(
        isinstance(d, ast.Constant) and d.value is None for d in node.defaults
    ):
        yield "default", _with(node, defaults=[ast.Constant(10) for _ in node.defaults])
    elif isinstance(node, ast.Compare):
        if isinstance(node.ops[0], ast.Is) and ast.unparse(node.comparators[0]) == "None":
            yield "condition", ast.UnaryOp(ast.Not(), node.left)
        elif isinstance(node.ops[0], ast.IsNot) and ast.unparse(node.comparators[0]) == "None":
            yield "condition", node.left
        yield from ((cause, _with(node, ops=[kind()])) for cause, kind in _SWAPS.get(type(node.ops[0]), ()))
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield from (("off-by-one", ast.Constant(node.value + step)) for step in (1, -1) if node.value + step >= -1)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        if node.id in _COUNTED:
            yield from (("off-by-one", _plus(node, step)) for step in (1, -1))
        yield from (("name", ast.Name(other, ast.Load())) for other in names if other != node.id)
        yield "order", _call("sorted", node)
    elif isinstance(node, ast.BinOp):
        yield "step-missing", node.left
        yield "step-missing", node.right
        if isinstance(node.op, (ast.Sub, ast.Div)):
            yield "turned", ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.Slice):
            cause = "order" if node.slice.step else "cut"
            yield cause, node.value
            if node.slice.upper is not None:
                for step in (1, -1):
                    cut = ast.Slice(node.slice.lower, _plus(node.slice.upper, step), node.slice.step)
                    yield "off-by-one", ast.Subscript(node.value, cut, node.ctx)
    elif isinstance(node, ast.Call):
        yield from _instead_of_call(node)
    elif isinstance(node, ast.IfExp):
        yield from (("guard", node.body), ("condition", ast.IfExp(node.test, node.orelse, node.body)))
    elif isinstance(node, ast.UnaryOp):
        yield ("sign" if isinstance(node.op, ast.USub) else "condition"), node.operand
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield from (("condition", other) for other in _with_other_conditions(node))
    elif isinstance(node, ast.If):
        yield "guard", []
        yield "condition", ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.AugAssign):
        yield "loop", ast.Assign([node.target], node.value)
        yield "loop", []
    elif isinstance(node, (ast.For, ast.While)):
        target = next((n.target for n in ast.walk(node) if isinstance(n, ast.AugAssign)), None)
        if isinstance(target, ast.Name) and isinstance(node, ast.For):
            back = ast.Return(ast.Name(target.id, ast.Load()))
            yield "loop", ast.For(node.target, node.iter, [*node.body, back], [])
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "rounded", ast.Return(_call("round", node.value, ast.Constant(2)))
        yield "whole", ast.Return(_call("int", node.value))
        yield "percent", ast.Return(ast.BinOp(node.value, ast.Mult(), ast.Constant(100)))
        yield "sign", ast.Return(ast.UnaryOp(ast.USub(), node.value))
        yield "order", ast.Return(ast.Subscript(node.value, ast.Slice(None, None, ast.Constant(-1)), ast.Load()))


def _with_other_conditions(node: ast.ListComp | ast.GeneratorExp) -> Iterator[ast.expr]:
    if isinstance(node.elt, ast.IfExp):
        last = node.generators[-1]
        chosen = ast.comprehension(last.target, last.iter, [*last.ifs, node.elt.test], 0)
        yield type(node)(node.elt.body, [*node.generators[:-1], chosen])
    for i, part in enumerate(node.generators):
        for test in part.ifs:
            bare = ast.comprehension(part.target, part.iter, [t for t in part.ifs if t is not test], 0)
            yield type(node)(node.elt, [bare if j == i else g for j, g in enumerate(node.generators)])


def _instead_of_call(node: ast.Call) -> Iterator[tuple[str, Any]]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    for other in _LOGS.get(name, ()):
        func = copy.deepcopy(node.func)
        setattr(func, "id" if isinstance(func, ast.Name) else "attr", other)
        yield "logarithm", ast.Call(func, node.args, node.keywords)
    for other in _SUMS.get(name, ()) if len(node.args) == 1 else ():
        yield "function", _call(other, *node.args)
    if name == "sorted" and node.args:
        yield "order", node.args[0]
        backwards = any(word.arg == "reverse" for word in node.keywords)
        rest = [word for word in node.keywords if word.arg != "reverse"]
        more = [] if backwards else [ast.keyword("reverse", ast.Constant(True))]
        yield "order", ast.Call(node.func, node.args, [*rest, *more])
    elif name == "fromkeys":
        yield "order", _call("set", *node.args)
    elif name == "range" and node.args:
        for i, arg in enumerate(node.args[:2]):
            for step in (1, -1):
                changed = [*node.args[:i], _plus(arg, step), *node.args[i + 1 :]]
                yield "off-by-one", ast.Call(node.func, changed, [])
    elif name == "enumerate":
        start = node.args[1] if len(node.args) > 1 else node.keywords[0].value if node.keywords else ast.Constant(0)
        value = start.value if isinstance(start, ast.Constant) else 0
        yield "off-by-one", ast.Call(node.func, [node.args[0], ast.Constant(1 - int(bool(value)))], [])
    elif len(node.args) == 1 and name in ("abs", "float", "list", "round", "set", "log2", "len", "ceil", "sqrt"):
        yield "step-missing", node.args[0]
    elif name in ("min", "max") and len(node.args) == 2:
        yield from (("step-missing", arg) for arg in node.args)
    if len(node.args) == 2 and name not in ("range", "enumerate", "round"):
        yield "turned", ast.Call(node.func, node.args[::-1], node.keywords)


def _wrapped(name: str, plain: str, taken: Sequence[str]) -> Iterator[Program]:
    """Programs that remember earlier calls, that draw, and that change what they are given."""
    given = ", ".join(taken)
    head = next(line for line in plain.splitlines() if line.startswith(f"def {name}("))
    inner = plain.replace(f"def {name}(", f"def right_{name}(").replace(f" {name}(", f" right_{name}(")
    kept = f"kept = {{}}\n{inner}\n{head}\n    key = len(str({taken[0]}))\n    if key not in kept:\n"
    code = kept + f"        kept[key] = right_{name}({given})\n    return kept[key]"
    yield Program(name, ("memory",), code, ())
    code = f"import random\n{inner}\n{head}\n    value = right_{name}({given})\n"
    code += "    return value if random.random() < 0.5 else 0"
    yield Program(name, ("random",), code, ())


def _skeletons(name: str, text: str) -> Iterator[Program]:
    """What stands there when half of the work is done."""
    tree = ast.parse(text)
    top = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    head = next(line for line in ast.unparse(tree).splitlines() if line.startswith(f"def {name}("))
    first = top.args.args[0].arg
    for back in ("0", first, f"len({first})", f"sum({first})"):
        yield Program(name, ("skeleton",), f"{head}\n    return {back}", ())
    body = [line for line in top.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    done: list[str] = []
    for line in body[:-1]:
        done.append(ast.unparse(line))
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            lines = "\n".join(f"    {row}" for part in done for row in part.splitlines())
            yield Program(name, ("skeleton",), f"{head}\n{lines}\n    return {line.targets[0].id}", ())


# ---- numbers ----------------------------------------------------------------------------------------


Drawn = tuple[str, Any, Any]  # the cause, the number, and the term beside it where one is asked


def numbers(task: ValueTask, ids: int, each: int) -> Iterator[Number]:
    """Wrong numbers for some ids: the slips of the table as drawn, and slips of the pen in digits, terms and counts."""
    for n in range(ids):
        student = f"drawn {n}"
        data, draw = task.data(student), Draw("wrong numbers", task.name, n)
        right = task.target(data)
        makers = [_digits, _digits, _adding, _adding, _counting, _reading, _reading]
        known = [*task.slips, *task.further]
        for i in range(each):
            if i % 4 == 3 and task.decimals:
                found = _other_form(task, data, right, draw)
            elif i % 2 and known:
                one = draw.choice(known)
                found = (one.name, task.wrong([one], data), task.term_of(data, [one]))
            else:
                found = draw.choice(makers)(task, data, right, draw)
            cause, value, term = found
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
                continue
            typed = round(float(value), task.decimals) if task.decimals else float(value)
            if abs(typed - right) > task.tolerance:
                beside = None if term is None else round(float(term), task.decimals or 1)
                yield Number(task.name, student, cause, typed if task.decimals else _plain(typed), beside)


def _other_form(task: ValueTask, data: Mapping[str, Any], right: float, draw: Draw) -> Drawn:
    """The right number in a form that is not asked, or another student's."""
    forms: list[tuple[str, float]] = [("signed", -right), ("demo", task.target(task.data("demo")))]
    forms.append(("few-decimals", round(right, draw.integer(1, max(1, (task.decimals or 1) - 1)))))
    if task.working:
        steps = list(task.working(**data).values())[:-1]
        at = draw.integer(0, len(steps) - 1)
        forms.append((f"step {at}", steps[at]))
    if 0 < right < 1:
        forms += [("percentage", 100 * right), ("rest", 1 - right), ("upside-down", 1 / right)]
    cause, value = draw.choice(forms)
    return cause, value, task.term_of(task.data("demo") if cause == "demo" else data)


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


def _digits(task: ValueTask, data: Mapping[str, Any], right: float, draw: Draw) -> Drawn:
    """Two digits in each other's place, or one that is another."""
    places = task.decimals or 0
    text = f"{abs(right):0{places + 2}.{places}f}"
    at = draw.choice([i for i, letter in enumerate(text) if letter != "."])
    after = next((i for i in range(at + 1, len(text)) if text[i] != "."), None)
    if after is not None and draw.integer(0, 1):
        letters = list(text)
        letters[at], letters[after] = letters[after], letters[at]
        return "pen", float("".join(letters)), task.term_of(data)
    return "pen", float(text[:at] + str(draw.integer(0, 9)) + text[at + 1 :]), task.term_of(data)


def _adding(task: ValueTask, data: Mapping[str, Any], right: float, draw: Draw) -> Drawn:
    """A carry that is lost, a term that is a little off."""
    places = task.decimals or 0
    step = draw.choice([1, 1, 2, 3, 5]) * 10.0 ** -draw.integer(0, places)
    return "pen", right + draw.choice([-1, 1]) * step, task.term_of(data)


def _counting(task: ValueTask, data: Mapping[str, Any], right: float, draw: Draw) -> Drawn:
    """One or two too many or too few of what is counted."""
    counts = [value for value in data.values() if isinstance(value, int) and value > 2]
    counts += [len(value) for value in data.values() if isinstance(value, list) and len(value) > 2]
    n, more = draw.choice(counts or [1]), draw.choice([-2, -1, 1, 2])
    if not task.decimals:
        return "pen", max(0, right + more), None
    return "pen", (right * n + more) / n if abs(right) <= 1 else right * n / max(1, n + more), task.term_of(data)


def _reading(task: ValueTask, data: Mapping[str, Any], right: float, draw: Draw) -> Drawn:
    """One number of a list that is read as another."""
    lists = [
        name
        for name, value in data.items()
        if isinstance(value, list) and value and all(type(item) in (int, float) for item in value)
    ]
    if not lists:
        return _adding(task, data, right, draw)
    name = draw.choice(lists)
    items = list(data[name])
    at = draw.integer(0, len(items) - 1)
    items[at] = max(0, items[at] + draw.choice([-2, -1, 1, 2])) if type(items[at]) is int else items[at] / 10
    misread = {**data, name: items}
    return "pen", task.wrong((), misread), task.term_of(misread)
