"""Finds the place of a mistake in a student's code: the small change after which its answers are right.

It is a proof and no guess: every answer is computed again with the change. The change itself is not told, its place is.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ndcg_course.checks import calling
from ndcg_course.checks.faults import fault, said
from ndcg_course.checks.outcome import Outcome
from ndcg_course.tasks.task import Case, FunctionTask

MOST_FIRST = 900  # changes that are tried; numbers and not times, so that a slow machine says the same
MOST_SECOND = 900
MOST_WRONG = 6  # answers that show whether a change helps
MOST_STARTS = 6  # first changes that help some answers, and may need a second one
LONGEST_PART = 60
_OFTEN_HIDDEN = {"sum", "list", "max", "min", "len", "sorted", "range", "dict", "set", "input", "round", "id"}
_SHORT = 0.3  # seconds for a call that may loop
_RAISED = ("error", "none", "finite")

LOOK_AT = {
    "number": "the number `{}`",
    "range": "where `{}` begins and ends",
    "slice": "the bounds of `{}`",
    "one": "`{}`, which is one too many or one too few",
    "order": "the order of `{}`",
    "cut": "`{}`, of which another part counts",
    "function": "the function in `{}`",
    "operator": "the operator in `{}`",
    "brackets": "the brackets of `{}`: what is computed first",
    "turned": "which side of `{}` is which",
    "assign": "whether `{}` adds to its variable or replaces it",
    "indent": "how far `{}` is indented: whether it belongs into the loop",
    "comparison": "the comparison `{}`",
    "condition": "the condition `{}`",
    "zero": "`{}`, where it divides by 0",
    "name": "the name `{}`, where another one is meant",
    "missing": "`{}`, in which something is missing",
    "too-much": "`{}`, of which not everything is needed",
    "sequence": "the place of `{}` among its neighbours",
    "line": "`{}`, which may not be needed",
}  # by kind, the most telling first


def remark(function: Callable[..., Any]) -> list[str]:
    """A matter of taste in an answer that is right: one remark at most, and never a point off."""
    read = Code.of(function)
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


def cuts(function: Callable[..., Any]) -> bool:
    """Whether something in the code may drop the decimals; so too where the code cannot be read."""
    read = Code.of(function)
    nodes = list(ast.walk(read.tree)) if read else []
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in nodes}
    return (
        read is None
        or any(isinstance(node, ast.FloorDiv) for node in nodes)
        or bool(names & {"int", "floor", "trunc", "round", "rint", "astype", "divmod", "floor_divide", "format"})
    )


class Change(NamedTuple):
    """A small change: its kind, and where it is."""

    kind: str
    line: str
    part: str

    @property
    def words(self) -> str:
        """Where to look."""
        part = self.part if len(self.part) <= LONGEST_PART else self.part[:LONGEST_PART] + " …"
        within = "" if self.line == self.part else f"in the line `{self.line}` "
        return f"{within}look at {LOOK_AT[self.kind].format(part)}"


def told(changes: Sequence[Change]) -> list[str]:
    """The sentences for one change, or for two at once.

    >>> told([Change("operator", "return a + b", "a + b")])[0]
    'One small change makes your answers right: in the line `return a + b` look at the operator in `a + b`.'
    """
    number = "One small change makes" if len(changes) == 1 else "Two small changes make"
    return [said("small-change", number, "; and ".join(change.words for change in changes))]


def repair(
    task: FunctionTask, function: Callable[..., Any], cases: Sequence[Case], faults: dict[int, Any], most: int = 2
) -> list[Change]:
    """The change, or two, after which the answers are right; calls that raised may go on to raise."""
    read = Code.of(function)
    if read is None:
        return []
    bad = [i for i in faults if faults[i].code not in _RAISED] or list(faults)
    order = [*sorted(bad, key=lambda i: len(repr(cases[i].args)))[:MOST_WRONG], *range(len(cases))]
    trial = _Trial(task, cases, list(dict.fromkeys(order)), faults, len(bad))
    found: list[Change] = []
    starts: list[tuple[int, int]] = []
    for at, change in enumerate(read.changes()):
        if at >= MOST_FIRST or trial.hanging > 4:
            break
        helped = trial.helped(read)
        if helped < 0:
            found.append(change)
        elif helped:
            starts.append((-helped, at))
    if found:
        return [min(found, key=_telling)]
    return _second(read, trial, sorted(starts)[:MOST_STARTS]) if most > 1 else []


def _second(read: Code, trial: _Trial, starts: Sequence[tuple[int, int]]) -> list[Change]:
    """A change that makes right what another one left wrong."""
    attempts, wanted = 0, {at for _, at in starts}
    best: list[Change] = []
    for at, first in enumerate(read.changes()):
        if at >= MOST_FIRST:
            break
        if at not in wanted:
            continue
        for second in read.changes():
            attempts += 1
            if attempts > MOST_SECOND or trial.hanging > 8:
                break
            if second.line != first.line or second.part != first.part:
                both = [first, second]
                if trial.helped(read) < 0 and (not best or sum(map(_telling, both)) < sum(map(_telling, best))):
                    best = both
    return best


def _telling(change: Change) -> int:
    return list(LOOK_AT).index(change.kind)


class _Trial:
    """Whether changed code is right, case by case."""

    def __init__(
        self, task: FunctionTask, cases: Sequence[Case], order: Sequence[int], faults: dict[int, Any], bad: int
    ):
        self.task, self.cases, self.order, self.faults = task, cases, order, faults
        self.targets = [task.target(case.args) for case in cases]
        self.values = 2 * sum(wrong.code in ("value", "order", "shape") for wrong in faults.values()) > len(faults)
        self.sample = min(bad, MOST_WRONG)
        self.hanging = 0

    def helped(self, read: Code) -> int:
        """-1: all is right. Else how many of the first wrong answers it puts right."""
        function = read.compiled()
        if function is None:
            return 0
        right = 0
        for n, i in enumerate(self.order):
            outcome = calling.call(function, self.cases[i].args, _SHORT)
            if outcome.error == "Stopped":
                self.hanging += 1
                return 0
            right += self._right(i, outcome)
            if (n == 2 and not right) or (n >= self.sample - 1 and right <= n):
                return right
        return -1

    def _right(self, i: int, outcome: Outcome) -> bool:
        wrong = fault(outcome, self.targets[i], self.task.tolerance)
        if wrong is None:
            return outcome.changed is None
        if i not in self.faults or not self.values:
            return False
        return self.faults[i].code in _RAISED and wrong.code in _RAISED  # told apart, beside what explains the values


class Code:
    """The functions of an answer as a tree that is changed in place."""

    def __init__(self, tree: ast.Module, lines: Sequence[str], name: str, names: dict[str, Any]):
        self.tree, self.lines, self.name = tree, lines, name
        self.names = {key: getattr(math, key) for key in ("log", "log2", "log10", "ceil", "floor")} | names

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Code | None:
        """The function and those of the same cell that it calls; None where their code is not at hand."""
        code = getattr(function, "__code__", None)
        if code is None or code.co_freevars:
            return None
        lines = linecache.getlines(code.co_filename)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:
            try:
                lines = textwrap.dedent(inspect.getsource(function)).splitlines(True)
                tree = ast.parse("".join(lines))
            except (OSError, TypeError, SyntaxError, IndentationError):
                return None
        defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        for node in tree.body:  # a lambda with a name
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                name = getattr(node.targets[0], "id", "")
                body = ast.copy_location(ast.Return(node.value.body), node)
                made = ast.FunctionDef(name, node.value.args, [body], [], type_params=[])  # type: ignore[call-arg,unused-ignore]
                defined[name] = ast.fix_missing_locations(ast.copy_location(made, node))
        name = function.__name__
        if name == "<lambda>":
            name = next((n for n, d in defined.items() if d.lineno == code.co_firstlineno), "")
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
        return cls(tree, lines, name, dict(getattr(function, "__globals__", {})))

    def compiled(self) -> Callable[..., Any] | None:
        """The function as it stands now."""
        names = dict(self.names)
        try:
            with warnings.catch_warnings():  # about code that nobody wrote
                warnings.simplefilter("ignore")
                exec(compile(ast.fix_missing_locations(self.tree), "<changed>", "exec"), names)
        except (SyntaxError, ValueError, TypeError, NameError):
            return None
        return names[self.name]  # type: ignore[no-any-return]

    def changes(self) -> Iterator[Change]:
        """Each small change in turn; it is undone when the next one is asked for."""
        for top in list(self.tree.body):
            taken = [arg.arg for arg in top.args.args] if isinstance(top, ast.FunctionDef) else []
            stored = [n.id for n in ast.walk(top) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            local = list(dict.fromkeys([*taken, *stored]))
            for owner in list(ast.walk(top)):
                for field, old in list(ast.iter_fields(owner)):
                    if isinstance(old, ast.expr):
                        for kind, new in _instead(old, taken, local):
                            setattr(owner, field, ast.copy_location(new, old))
                            yield self._change(kind, old)
                        setattr(owner, field, old)
                    elif isinstance(old, list) and old and isinstance(old[0], ast.expr):
                        for i, item in enumerate(old):
                            for kind, new in _instead(item, taken, local):
                                setattr(owner, field, [*old[:i], ast.copy_location(new, item), *old[i + 1 :]])
                                yield self._change(kind, item)
                        if field == "ifs":
                            setattr(owner, field, [])
                            yield self._change("condition", old[0])
                        setattr(owner, field, old)
                    elif isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                        for kind, place, new_list in _lines_instead(old):
                            setattr(owner, field, new_list)
                            yield self._change(kind, place)
                        setattr(owner, field, old)

    def _change(self, kind: str, node: ast.AST) -> Change:
        number = getattr(node, "lineno", 1) - 1
        line = self.lines[number].strip() if number < len(self.lines) else ""
        part = line if isinstance(node, ast.stmt) else ast.unparse(node)
        return Change(kind, line, part)


_LIKE = (
    ("sum", "max", "min", "len", "mean", "average", "median", "prod", "cumsum"),
    ("log", "log2", "log10", "log1p"),
    ("keys", "values", "items"),
    ("append", "extend"),
    ("all", "any"),
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def _instead(node: ast.expr, taken: Sequence[str], local: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    """What may have been meant in place of an expression, with the kind of the change."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield "condition", ast.Constant(not node.value)
        elif isinstance(node.value, (int, float)):
            for value in (node.value + 1, node.value - 1):
                yield "number", ast.Constant(value)
            yield from (("name", ast.Name(other, ast.Load())) for other in local)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id not in local:
            return
        yield "one", _sum(node, 1)
        yield "one", _sum(node, -1)
        for other in local:
            if other != node.id:
                yield "name", ast.Name(other, ast.Load())
                yield "missing", ast.BinOp(node, ast.Add(), ast.Name(other, ast.Load()))
                yield "missing", ast.BinOp(node, ast.Mult(), ast.Name(other, ast.Load()))
                yield "missing", ast.BinOp(node, ast.Div(), ast.Name(other, ast.Load()))
        for bound in local if node.id in taken else ():
            if bound != node.id:
                yield "cut", _cut(node, ast.Name(bound, ast.Load()))
                yield "cut", _cut(node, _sum(ast.Name(bound, ast.Load()), 1))
        yield "order", _called("sorted", node, reverse=True)
        yield "order", ast.Subscript(node, ast.Slice(None, None, ast.Constant(-1)), ast.Load())
        yield "function", _called("len", node)
    elif isinstance(node, ast.BinOp):
        yield from _of_operation(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind in _COMPARISONS:
            if not isinstance(node.ops[0], kind):
                yield "comparison", ast.Compare(node.left, [kind()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "condition", ast.BoolOp(other_op, node.values)
        yield from (("condition", value) for value in node.values)
    elif isinstance(node, ast.UnaryOp):
        yield "condition" if isinstance(node.op, ast.Not) else "operator", node.operand
    elif isinstance(node, ast.IfExp):
        yield "condition", node.body
        yield "condition", node.orelse
        yield "condition", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.Slice):
            yield from _of_slice(node, taken)
        else:
            yield "one", ast.Subscript(node.value, _sum(node.slice, 1), node.ctx)
            yield "one", ast.Subscript(node.value, _sum(node.slice, -1), node.ctx)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, taken)
        if isinstance(node.func, ast.Name) and node.func.id == "len":
            yield from (("name", ast.Name(other, ast.Load())) for other in local)


def _of_operation(node: ast.BinOp) -> Iterator[tuple[str, ast.expr]]:
    for kind in _OPERATORS:
        if not isinstance(node.op, kind):
            yield "operator", ast.BinOp(node.left, kind(), node.right)
    left, right = node.left, node.right
    if isinstance(left, ast.BinOp):
        yield "brackets", ast.BinOp(left.left, left.op, ast.BinOp(left.right, node.op, right))
    if isinstance(right, ast.BinOp):
        yield "brackets", ast.BinOp(ast.BinOp(left, node.op, right.left), right.op, right.right)
        if isinstance(right.right, ast.Call) and len(right.right.args) == 1:
            within = ast.BinOp(right.left, right.op, right.right.args[0])
            yield "brackets", ast.BinOp(left, node.op, _again(right.right, within))
    for call, other, back in ((left, right, False), (right, left, True)):
        if isinstance(call, ast.Call) and call.args:
            first = call.args[0]
            yield (
                "brackets",
                _again(call, ast.BinOp(other, node.op, first) if back else ast.BinOp(first, node.op, other)),
            )
        if isinstance(call, ast.BinOp) and isinstance(call.right, ast.Call) and call.right.args and not back:
            inner = _again(call.right, ast.BinOp(call.right.args[0], node.op, right))
            yield "brackets", ast.BinOp(call.left, call.op, inner)
    yield "turned", ast.BinOp(right, node.op, left)
    if isinstance(node.op, ast.Div):
        for more in (0, 1):
            yield "missing", ast.BinOp(left, node.op, _called("log2", _sum(right, more)))
        yield "zero", ast.IfExp(right, node, ast.Constant(0.0))
    yield "too-much", left
    yield "too-much", right
    yield "one", _sum(node, 1)
    yield "one", _sum(node, -1)


def _of_slice(node: ast.Subscript, taken: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    cut = node.slice
    assert isinstance(cut, ast.Slice)
    yield "slice", node.value
    yield "order", _called("sorted", node.value, reverse=True)
    bounds = [None, *(ast.Name(name, ast.Load()) for name in taken)]
    for lower, upper, step in (
        (None, cut.upper, cut.step),
        *((cut.lower, bound, cut.step) for bound in bounds),
        *((None, bound, None) for bound in bounds),
        (cut.lower, cut.upper, ast.Constant(-1) if cut.step is None else None),
    ):
        yield "slice", ast.Subscript(node.value, ast.Slice(lower, upper, step), ast.Load())


def _of_call(node: ast.Call, taken: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    for family in _LIKE:
        for other in family if name in family else ():
            if other != name:
                func: ast.expr = ast.Name(other, ast.Load())
                if isinstance(node.func, ast.Attribute):
                    func = ast.Attribute(node.func.value, other, ast.Load())
                yield "function", ast.Call(func, node.args, node.keywords)
    if name == "sorted":
        backwards = any(word.arg == "reverse" for word in node.keywords)
        rest = [word for word in node.keywords if word.arg != "reverse"]
        turned = [] if backwards else [ast.keyword("reverse", ast.Constant(True))]
        yield "order", ast.Call(node.func, node.args, [*rest, *turned])
        yield "order", node.args[0] if node.args else node
    if name in ("range", "enumerate"):
        if name == "range" and len(node.args) == 1:
            for low, more in ((1, 0), (1, 1), (0, 1), (0, -1)):
                yield "range", ast.Call(node.func, [ast.Constant(low), _sum(node.args[0], more)], [])
        elif name == "range" and len(node.args) >= 2:
            low_arg, high, *step = node.args
            for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1), (1, 1), (-1, 1)):
                yield "range", ast.Call(node.func, [_sum(low_arg, a), _sum(high, b), *step], [])
        else:
            for start in (0, 1, 2):
                yield "range", ast.Call(node.func, [*node.args[:1], ast.Constant(start)], [])
        if node.args:
            yield from (("name", _cut(ast.Name(other, ast.Load()), node.args[-1])) for other in taken)
    for word in node.keywords:
        kind = "order" if name == "sorted" else "too-much"
        yield kind, ast.Call(node.func, node.args, [other for other in node.keywords if other is not word])
    for arg in node.args:
        if not isinstance(arg, ast.Starred):
            yield "too-much", arg
            if isinstance(arg, ast.BinOp):  # a bracket that closes too late
                yield "brackets", ast.BinOp(_again(node, arg.left), arg.op, arg.right)
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield "too-much", node.func.value
    if name == "log" or name not in dir(builtins):
        yield from (
            ("missing", ast.Call(node.func, [*node.args, ast.Name(bound, ast.Load())], node.keywords))
            for bound in taken
        )
    if name in ("sorted", "list", "values", "zip", "reversed"):
        for bound in taken:
            yield "cut", _cut(node, ast.Name(bound, ast.Load()))
    if name in ("len", "sum", "index"):
        yield "one", _sum(node, 1)
        yield "one", _sum(node, -1)


def _lines_instead(lines: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt, list[ast.stmt]]]:
    """What may have been meant in place of some lines, with the kind and the line of the change."""
    for i, line in enumerate(lines):
        before, after = lines[:i], lines[i + 1 :]
        if isinstance(line, ast.AugAssign):
            for kind in _OPERATORS[:4]:
                if not isinstance(line.op, kind):
                    yield "assign", line, [*before, _at(ast.AugAssign(line.target, kind(), line.value), line), *after]
            yield "assign", line, [*before, _at(ast.Assign([line.target], line.value), line), *after]
        if isinstance(line, ast.Assign) and len(line.targets) == 1 and isinstance(line.targets[0], ast.Name):
            grown = ast.AugAssign(line.targets[0], ast.Add(), line.value)
            yield "assign", line, [*before, _at(grown, line), *after]
        if isinstance(line, ast.If):
            negated = ast.If(ast.UnaryOp(ast.Not(), line.test), line.body, line.orelse)
            yield "condition", line, [*before, _at(negated, line), *after]
            yield "condition", line, [*before, *line.body, *after]
        if isinstance(line, (ast.For, ast.While)):
            if len(line.body) > 1:
                yield "indent", line.body[-1], [*before, _loop(line, line.body[:-1]), line.body[-1], *after]
                yield "indent", line.body[0], [*before, line.body[0], _loop(line, line.body[1:]), *after]
            if after:
                yield "indent", after[0], [*before, _loop(line, [*line.body, after[0]]), *after[1:]]
        if after:
            yield "sequence", line, [*before, after[0], line, *after[1:]]
        if len(lines) > 1:
            yield "line", line, [*before, *after]


def _loop(loop: ast.For | ast.While, body: list[ast.stmt]) -> ast.stmt:
    if isinstance(loop, ast.While):
        return _at(ast.While(loop.test, body, loop.orelse), loop)
    return _at(ast.For(loop.target, loop.iter, body, loop.orelse), loop)


def _at(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    return ast.copy_location(new, old)


def _sum(node: ast.expr, more: int) -> ast.expr:
    if not more:
        return node
    return ast.BinOp(node, ast.Add() if more > 0 else ast.Sub(), ast.Constant(abs(more)))


def _cut(node: ast.expr, bound: ast.expr) -> ast.expr:
    return ast.Subscript(node, ast.Slice(None, bound, None), ast.Load())


def _called(name: str, node: ast.expr, **words: Any) -> ast.expr:
    return ast.Call(
        ast.Name(name, ast.Load()), [node], [ast.keyword(word, ast.Constant(value)) for word, value in words.items()]
    )


def _again(call: ast.Call, first: ast.expr) -> ast.expr:
    return ast.Call(call.func, [first, *call.args[1:]], call.keywords)
