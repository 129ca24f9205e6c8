"""The small changes that can be made in the code of an answer: what a person may have meant in its place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ndcg_course.explain.read_code import Read, Slot, runs_over_a_name, settle, slots
from ndcg_course.explain.repairs import Change


class Code(Read):
    """The functions of an answer as a tree that is changed in place."""

    def changes(self) -> Iterator[Draft]:
        """Each small change in turn, the likely ones first; it is undone when the next one is asked for, or none is."""
        for top in self._tops():
            yield from self._of_lines(top)
            for instead in (_often, _everywhere, _seldom):
                alike: dict[object, list[tuple[Slot, ast.expr, str]]] = {}
                for slot in list(slots(top.node)):
                    for kind, new, *way in instead(slot, top):
                        settle(new, slot.old)
                        if way:
                            alike.setdefault(tuple(way), []).append((slot, new, kind))
                        if instead is not _everywhere:
                            slot.put(new)
                            try:
                                yield Draft(kind, slot.old, slot)
                            finally:
                                slot.put(slot.old)
                for places in alike.values():
                    if len(places) > 1:
                        for slot, new, _ in places:
                            slot.put(new)
                        slot, new, kind = places[0]
                        try:
                            yield Draft(kind, slot.old, slot, len(places))
                        finally:
                            for slot, _, _ in reversed(places):
                                slot.put(slot.old)

    def _tops(self) -> Iterator[_Top]:
        for node in list(self.tree.body):
            if isinstance(node, ast.FunctionDef):
                taken = [arg.arg for arg in node.args.args]
                stored = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
                iterated = [n.iter.id for n in ast.walk(node) if runs_over_a_name(n)]  # type: ignore[attr-defined]
                yield _Top(node, taken, list(dict.fromkeys([*taken, *stored])), {*iterated})

    def _of_lines(self, top: _Top) -> Iterator[Draft]:
        for owner in list(ast.walk(top.node)):
            for field, old in list(ast.iter_fields(owner)):
                if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                    for kind, place, new_list in _lines_instead(old, owner):
                        setattr(owner, field, new_list)
                        try:
                            yield Draft(kind, place)
                        finally:
                            setattr(owner, field, old)

    def told(self, draft: Draft) -> Change:
        """The change in words, while it is made."""
        size, line = len(ast.unparse(self.tree)), self.line(draft.old)
        at = tuple(getattr(draft.old, name, 0) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
        span = (at[:2], at[2:])
        if draft.slot is None:
            return Change(draft.kind, line, line, size=size, span=span)
        old = ast.unparse(draft.old)
        if len(old) < 3 and isinstance(draft.slot.owner, ast.expr):  # too short to be found in its line
            now = draft.slot.now
            draft.slot.put(draft.slot.old)
            old = ast.unparse(draft.slot.owner)
            draft.slot.put(now)
        return Change(draft.kind, line, old, draft.places, size, span)


class Draft(NamedTuple):
    """A change that is made in the tree: its kind, what stood there, and where."""

    kind: str
    old: ast.AST
    slot: Slot | None = None
    places: int = 1


class _Top(NamedTuple):
    """A function: its arguments, all its names, and those over which it runs."""

    node: ast.FunctionDef
    taken: Sequence[str]
    local: Sequence[str]
    iterated: set[str]


_Instead = Iterator[tuple[Any, ...]]  # the kind of a change, the new expression, what other places it would change too
_SUMS = ("sum", "max", "min", "len", "mean", "median", "cumsum")
_LOGS = ("log", "log2", "log10", "log1p")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def _often(slot: Slot, top: _Top) -> _Instead:
    """What may have been meant in place of an expression, with the kind of the change."""
    node = slot.old
    of_kind = _BY_TYPE.get(type(node))
    if of_kind is not None:
        yield from of_kind(slot, node, top)
    asked = slot.field in ("test", "ifs") or isinstance(slot.owner, ast.BoolOp)
    if asked and not isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        yield "falsy", ast.Compare(node, [ast.IsNot()], [ast.Constant(None)]), "falsy"
    if slot.field == "ifs":
        yield "condition-off", ast.Constant(True)
    if slot.field == "value" and isinstance(slot.owner, ast.Return) and not isinstance(node, (ast.Constant, ast.Name)):
        yield from _sorted_otherwise(node)


def _everywhere(slot: Slot, top: _Top) -> _Instead:
    """What may have been meant in all places alike, and in one of them rarely."""
    node = slot.old
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in top.local:
        for more, kind in ((1, "too-small"), (-1, "too-large")):
            yield kind, _sum(node, more), node.id, more
        yield from (("name", _name(other), node.id, other) for other in top.local if other != node.id)
    elif isinstance(node, ast.BinOp):
        yield "too-much", node.left, "right", type(node.op), ast.unparse(node.right)
        if isinstance(node.op, ast.Div):
            yield "operator", ast.BinOp(node.left, ast.Mult(), node.right), ast.Div
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        yield "too-much", node.func.value, node.func.attr
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq):  # how far apart, and not whether
        far = ast.BinOp(node.left, ast.Sub(), node.comparators[0])
        yield "function", ast.BinOp(far, ast.Pow(), ast.Constant(2)), "far", 2
        yield "function", _called("abs", far), "far", 1
    elif isinstance(node, ast.Call) and len(node.args) == 1:
        yield "too-much", node.args[0], _name_of(node)
        if _name_of(node) in _LOGS:
            yield "missing", ast.BinOp(ast.Constant(1), ast.Div(), node), "inverse", _name_of(node)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "too-small", ast.Constant(node.value + 1), node.value, 1
        yield "too-large", ast.Constant(node.value - 1), node.value, -1


def _seldom(slot: Slot, top: _Top) -> _Instead:
    """What is tried after the rest, since there is much of it."""
    node = slot.old
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in top.local:
        for other in top.local if other_is_needed(slot) else ():
            if other != node.id:
                yield from (("missing", ast.BinOp(node, op(), _name(other))) for op in _OPERATORS[:4])
        for name in top.taken:
            if name != node.id:
                length = _called("len", _name(name))
                yield "missing", ast.BinOp(node, ast.Div(), length)
                yield "missing", _called("min", node, length)
        yield "missing", _called("abs", node)
    elif isinstance(node, ast.BinOp):
        yield "missing", _called("abs", node)
        yield "missing", ast.BinOp(node, ast.Pow(), ast.Constant(2))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("sum", *_LOGS):
            yield "missing", _called("abs", node)
            if not (isinstance(slot.owner, ast.BinOp) and isinstance(slot.owner.op, (ast.Mult, ast.Div))):
                yield "missing", ast.BinOp(ast.Constant(1), ast.Div(), node)  # there it is the other operator
        if node.func.id == "abs":
            yield "function", ast.BinOp(node.args[0], ast.Pow(), ast.Constant(2))


def other_is_needed(slot: Slot) -> bool:
    """Whether something may be multiplied or divided there: not what is called, indexed or run over."""
    return slot.field not in ("func", "iter") and not isinstance(slot.owner, (ast.Subscript, ast.Attribute))


def _of_constant(slot: Slot, node: ast.Constant, top: _Top) -> _Instead:
    if isinstance(node.value, bool):
        yield "condition", ast.Constant(not node.value)
    elif isinstance(node.value, (int, float)):
        compared = isinstance(slot.owner, ast.Compare)
        yield "number" if compared else "too-small", ast.Constant(node.value + 1)
        yield "number" if compared else "too-large", ast.Constant(node.value - 1)
        for value in (0, 1, 2, 10, -node.value):
            if abs(value - node.value) > 1:
                yield "number", ast.Constant(value)
        if slot.field in ("defaults", "kw_defaults"):
            yield "default", ast.Constant(None)
        elif node.value > 1:
            for name in top.taken:
                yield "number", _called("len", _name(name))
                yield "number", _name(name)


def _of_name(slot: Slot, node: ast.Name, top: _Top) -> _Instead:
    if not isinstance(node.ctx, ast.Load) or node.id not in top.local:
        return
    compared = isinstance(slot.owner, ast.Compare)
    yield "number" if compared else "too-small", _sum(node, 1)
    yield "number" if compared else "too-large", _sum(node, -1)
    yield from (("name", _name(other)) for other in top.local if other != node.id)
    if node.id in top.taken or slot.field == "iter" or node.id in top.iterated:
        for bound in top.taken:
            if bound != node.id:
                yield "cut", _cut(node, _name(bound))
                yield "cut", _cut(node, _sum(_name(bound), 1))
        yield from _sorted_otherwise(node)
        yield "order", ast.Subscript(node, ast.Slice(None, None, ast.Constant(-1)), ast.Load())
    if slot.field == "value" and isinstance(slot.owner, ast.Assign):
        yield "alias", _called("list", node)


def _of_operation(slot: Slot, node: ast.BinOp, top: _Top) -> _Instead:
    left, right = node.left, node.right
    by_one = isinstance(right, ast.Constant) and right.value == 1
    for kind in _OPERATORS[: 2 if by_one else None]:  # times 1 and the like are nothing
        if not isinstance(node.op, kind):
            yield "operator", ast.BinOp(left, kind(), right)
    if isinstance(node.op, (ast.Sub, ast.Div, ast.Pow)):
        yield "turned", ast.BinOp(right, node.op, left)
    if isinstance(node.op, ast.Div):
        for more in (0, 1):
            yield "missing", ast.BinOp(left, node.op, _called("log2", _sum(right, more)))
        yield "zero", ast.IfExp(right, node, ast.Constant(0.0))
    off = {ast.Add: "too-large", ast.Sub: "too-small"}.get(type(node.op), "") if by_one else ""
    yield off or "too-much", left
    yield "too-much", right
    if off != "too-small":
        yield "too-small", _sum(node, 1)
    if off != "too-large":
        yield "too-large", _sum(node, -1)


def _of_comparison(slot: Slot, node: ast.Compare, top: _Top) -> _Instead:
    for kind in _COMPARISONS if len(node.ops) == 1 else ():
        if not isinstance(node.ops[0], kind):
            yield "comparison", ast.Compare(node.left, [kind()], node.comparators)


def _of_alternative(slot: Slot, node: ast.BoolOp, top: _Top) -> _Instead:
    yield "condition", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    yield from (("condition", value) for value in node.values)
    if len(node.values) > 2:
        for value in node.values:
            yield "condition", ast.BoolOp(node.op, [other for other in node.values if other is not value])
    elif isinstance(node.op, ast.Or):
        first, second = node.values
        yield "falsy", ast.IfExp(_is_none(first), second, first), "falsy"


def _of_sign(slot: Slot, node: ast.UnaryOp, top: _Top) -> _Instead:
    if isinstance(node.op, ast.Not):
        yield "condition", node.operand
        if not isinstance(node.operand, (ast.Compare, ast.BoolOp)):
            yield "falsy", _is_none(node.operand), "falsy"
    else:
        yield "operator", node.operand


def _of_choice(slot: Slot, node: ast.IfExp, top: _Top) -> _Instead:
    yield "condition-off", node.body
    yield "condition-off", node.orelse
    yield "condition", ast.IfExp(node.test, node.orelse, node.body)


def _of_part(slot: Slot, node: ast.Subscript, top: _Top) -> _Instead:
    if not isinstance(node.ctx, ast.Load):
        return
    if isinstance(node.slice, ast.Slice):
        yield from _of_slice(node, node.slice, top.taken)
        return
    of = ast.unparse(node.value)
    yield "too-small", ast.Subscript(node.value, _sum(node.slice, 1), node.ctx), of, 1
    yield "too-large", ast.Subscript(node.value, _sum(node.slice, -1), node.ctx), of, -1
    yield "missing", ast.Call(ast.Attribute(node.value, "get", ast.Load()), [node.slice, ast.Constant(0)], [])


def _of_slice(node: ast.Subscript, cut: ast.Slice, taken: Sequence[str]) -> _Instead:
    if cut.step is not None:
        yield "order", ast.Subscript(node.value, ast.Slice(cut.lower, cut.upper, None), ast.Load())
        return
    bounds = [None, *map(_name, taken)]
    for lower, upper in ((None, None), (None, cut.upper), *((cut.lower, bound) for bound in bounds)):
        yield "slice", ast.Subscript(node.value, ast.Slice(lower, upper, None), ast.Load())
    yield from (("slice", ast.Subscript(node.value, ast.Slice(None, bound, None), ast.Load())) for bound in bounds)
    yield "order", ast.Subscript(node.value, ast.Slice(cut.lower, cut.upper, ast.Constant(-1)), ast.Load())
    yield "order", _called("sorted", node.value, reverse=True)


def _of_items(slot: Slot, node: Any, top: _Top) -> _Instead:
    for item in node.elts if len(node.elts) > 1 and isinstance(getattr(node, "ctx", ast.Load()), ast.Load) else ():
        rest = [other for other in node.elts if other is not item]
        yield "too-much", type(node)(rest, *([ast.Load()] if not isinstance(node, ast.Set) else []))


def _of_comprehension(slot: Slot, node: Any, top: _Top) -> _Instead:
    *others, each = node.generators
    if each.ifs:
        test = each.ifs[0] if len(each.ifs) == 1 else ast.BoolOp(ast.And(), each.ifs)
        every = ast.comprehension(each.target, each.iter, [], each.is_async)
        yield "left-out", type(node)(ast.IfExp(test, node.elt, ast.Constant(0)), [*others, every])
    if isinstance(node.elt, ast.IfExp):
        against = ast.UnaryOp(ast.Not(), node.elt.test)
        for test, item in ((node.elt.test, node.elt.body), (against, node.elt.orelse)):
            chosen = ast.comprehension(each.target, each.iter, [*each.ifs, test], each.is_async)
            yield "kept", type(node)(item, [*others, chosen])


def _of_call(slot: Slot, node: ast.Call, top: _Top) -> _Instead:
    name = _name_of(node)
    for kind, family in (("log", _LOGS), ("function", _SUMS), ("function", ("all", "any"))):
        for other in family if name in family and len(node.args) == 1 else ():
            if other != name:
                func: ast.expr = _name(other)
                if isinstance(node.func, ast.Attribute):
                    func = ast.Attribute(node.func.value, other, ast.Load())
                yield kind, ast.Call(func, node.args, node.keywords)
    if name == "sorted" and node.args:
        yield from _of_sorting(node, top)
    if name == "set" and node.args:
        yield "unordered", _called("dict.fromkeys", *node.args)
    if len(node.args) == 2 and not node.keywords and name not in _RANGES:
        yield "turned", ast.Call(node.func, node.args[::-1], [])
    if name in _RANGES and node.args:
        yield from _of_range(node, top)
    elif name == "enumerate":
        yield from (("range", ast.Call(node.func, [*node.args[:1], ast.Constant(start)], [])) for start in (0, 1, 2))
    for word in node.keywords if name != "sorted" else ():
        yield "too-much", ast.Call(node.func, node.args, [other for other in node.keywords if other is not word])
    yield from (("too-much", arg) for arg in node.args if not isinstance(arg, (ast.Starred, ast.GeneratorExp)))
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield "too-much", node.func.value
    if name in ("sorted", "list", "values", "zip", "reversed"):
        yield from (("cut", _cut(node, _name(bound))) for bound in top.taken)
    if name in ("len", "sum", "index", "exp", *_LOGS):
        yield "too-small", _sum(node, 1)
        yield "too-large", _sum(node, -1)
    if name == "len":
        yield from (("name", _name(other)) for other in top.local)


def _of_sorting(node: ast.Call, top: _Top) -> _Instead:
    backwards = any(word.arg == "reverse" for word in node.keywords)
    rest = [word for word in node.keywords if word.arg != "reverse"]
    turned = [] if backwards else [ast.keyword("reverse", ast.Constant(True))]
    yield "order", ast.Call(node.func, node.args, [*rest, *turned])
    yield "order", node.args[0]
    keyless = [word for word in node.keywords if word.arg != "key"]
    if len(keyless) < len(node.keywords):
        yield "order", ast.Call(node.func, node.args, keyless)
    for table in top.taken if len(keyless) == len(node.keywords) else ():
        key = ast.keyword("key", ast.Attribute(_name(table), "get", ast.Load()))
        yield "order", ast.Call(node.func, node.args, [*node.keywords, key])


def _of_range(node: ast.Call, top: _Top) -> _Instead:
    if len(node.args) == 1:
        for low, more, kind in ((1, 0, "begins-early"), (1, 1, "runs-low"), (0, 1, "ends-early"), (0, -1, "ends-late")):
            yield kind, ast.Call(node.func, [ast.Constant(low), _sum(node.args[0], more)], [])
        for list_name in top.taken:
            shorter = _called("min", node.args[0], _called("len", _name(list_name)))
            yield "range", ast.Call(node.func, [shorter], [])
        return
    low_arg, high, *step = node.args
    for (a, b), kind in _BOUNDS.items():
        yield kind, ast.Call(node.func, [_sum(low_arg, a), _sum(high, b), *step], [])


_RANGES = ("range", "arange")
_BOUNDS = {
    (1, 0): "begins-early",
    (-1, 0): "begins-late",
    (0, 1): "ends-early",
    (0, -1): "ends-late",
    (-1, -1): "runs-high",
    (1, 1): "runs-low",
    (-1, 1): "range",
}  # what a range with other bounds says about the one that stands there
_BY_TYPE: dict[type[ast.expr], Callable[[Slot, Any, _Top], _Instead]] = {
    ast.Constant: _of_constant,
    ast.Name: _of_name,
    ast.BinOp: _of_operation,
    ast.Compare: _of_comparison,
    ast.BoolOp: _of_alternative,
    ast.UnaryOp: _of_sign,
    ast.IfExp: _of_choice,
    ast.Subscript: _of_part,
    ast.Call: _of_call,
    ast.List: _of_items,
    ast.Tuple: _of_items,
    ast.Set: _of_items,
    ast.ListComp: _of_comprehension,
    ast.GeneratorExp: _of_comprehension,
}


def _lines_instead(lines: list[ast.stmt], owner: ast.AST) -> Iterator[tuple[str, ast.stmt, list[ast.stmt]]]:
    """What may have been meant in place of some lines: the kind of the change, the line, and the lines after it."""
    for i, line in enumerate(lines):
        before, after = lines[:i], lines[i + 1 :]

        def put(*new: ast.stmt, line: ast.stmt = line, around: Any = (before, after)) -> list[ast.stmt]:
            made = [one if hasattr(one, "lineno") else ast.fix_missing_locations(settle(one, line)) for one in new]
            return [*around[0], *made, *around[1]]

        if isinstance(line, ast.AugAssign):
            for kind in _OPERATORS[:4]:
                if not isinstance(line.op, kind):
                    yield "assign", line, put(ast.AugAssign(line.target, kind(), line.value))
            yield "assign", line, put(ast.Assign([line.target], line.value))
        if isinstance(line, ast.Assign) and len(line.targets) == 1 and isinstance(line.targets[0], ast.Name):
            for op in (ast.Add, ast.Mult):
                yield "added", line, put(ast.AugAssign(line.targets[0], op(), line.value))
        if isinstance(line, ast.If):
            yield "condition", line, put(ast.If(ast.UnaryOp(ast.Not(), line.test), line.body, line.orelse))
            yield "condition-off", line, put(*line.body)
        leaves = isinstance(line, (ast.Break, ast.Continue))
        if leaves or (isinstance(line, ast.Return) and not after and isinstance(owner, ast.If) and not owner.orelse):
            for way in (ast.Break, ast.Continue, ast.Pass)[: 3 if leaves else 2]:
                if not isinstance(line, way):
                    yield "stop", line, put(way())
        if isinstance(line, (ast.For, ast.While)):
            for j, inside in enumerate(line.body if len(line.body) > 1 else ()):
                rest = [*line.body[:j], *line.body[j + 1 :]]
                yield "out-of-loop", inside, put(_loop(line, rest), inside)
                yield "out-of-loop", inside, put(inside, _loop(line, rest))
            if after:
                yield "into-loop", after[0], [*before, _loop(line, [*line.body, after[0]]), *after[1:]]
        kept = line.value if isinstance(line, ast.Expr) else None
        if isinstance(kept, ast.Call) and len(kept.args) == 1 and isinstance(kept.args[0], ast.IfExp):
            choice = kept.args[0]
            for test, item in ((choice.test, choice.body), (ast.UnaryOp(ast.Not(), choice.test), choice.orelse)):
                yield "kept", line, put(ast.If(test, [ast.Expr(ast.Call(kept.func, [item], kept.keywords))], []))
        if after:
            yield "sequence", line, [*before, after[0], line, *after[1:]]
        if len(lines) > 1:
            leaving = isinstance(line, (ast.Return, ast.Break, ast.Continue))
            yield "stop" if leaving else "line", line, [*before, *after]


def _loop(loop: ast.For | ast.While, body: list[ast.stmt]) -> ast.stmt:
    if isinstance(loop, ast.While):
        return ast.copy_location(ast.While(loop.test, body, loop.orelse), loop)
    return ast.copy_location(ast.For(loop.target, loop.iter, body, loop.orelse), loop)


def _sorted_otherwise(node: ast.expr) -> _Instead:
    yield "order", _called("sorted", node, reverse=True)
    yield "order", _called("sorted", node)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _name_of(node: ast.Call) -> str:
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def _sum(node: ast.expr, more: int) -> ast.expr:
    if not more:
        return node
    return ast.BinOp(node, ast.Add() if more > 0 else ast.Sub(), ast.Constant(abs(more)))


def _cut(node: ast.expr, bound: ast.expr) -> ast.expr:
    return ast.Subscript(node, ast.Slice(None, bound, None), ast.Load())


def _is_none(node: ast.expr) -> ast.expr:
    return ast.Compare(node, [ast.Is()], [ast.Constant(None)])


def _called(name: str, *nodes: ast.expr, **words: Any) -> ast.expr:
    first, *rest = name.split(".")
    func: ast.expr = _name(first)
    for part in rest:
        func = ast.Attribute(func, part, ast.Load())
    return ast.Call(func, [*nodes], [ast.keyword(word, ast.Constant(value)) for word, value in words.items()])
