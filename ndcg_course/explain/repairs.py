"""Finds the place of a mistake in a student's code: the small change after which its answers are right.

It is a proof and no guess: every answer is computed again with the change. What is told is what stands there.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import linecache
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ndcg_course.explain import calls
from ndcg_course.explain.faults import fault, said
from ndcg_course.explain.outcome import Outcome
from ndcg_course.tasks.task import Case, FunctionTask

MOST_FIRST = 2000  # changes that are tried; numbers and not times, so that a slow machine says the same
MOST_SECOND = 2500
MOST_MOVES = 300
MOST_BLIND = 600
MOST_WRONG = 6  # answers that show whether a change helps
MOST_STARTS = 6  # first changes that help some answers, and may need a second one
LONGEST_PART = 60
_OFTEN_HIDDEN = {"sum", "list", "max", "min", "len", "sorted", "range", "dict", "set", "input", "round", "id"}
_SHORT = 0.1  # seconds for a call that may loop
_RAISED = ("error", "none", "finite")

WRONG = {
    "too-large": "{old} is one too large",
    "too-small": "{old} is one too small",
    "begins-late": "{old} begins one too late",
    "begins-early": "{old} begins one too early",
    "ends-early": "{old} ends one too early",
    "ends-late": "{old} ends one too late",
    "runs-high": "{old} runs one too high",
    "runs-low": "{old} runs one too low",
    "range": "{old} begins or ends in the wrong place: {new} is meant",
    "slice": "{old} has the wrong bounds: {new} is meant",
    "falsy": "{old} takes a 0 for nothing: {new} is meant",
    "default": "{old} is the wrong value for an argument that is not given: {new} is meant",
    "order": "{old} is in the wrong order: {new} is meant",
    "unordered": "{old} loses the order: {new} keeps it",
    "cut": "{old} is not cut: {new} is meant",
    "line": "{old} does harm: without it the answers are right",
    "alias": "{old} is a second name for what is given, and no copy: {new} is one",
    "function": "{old} has the wrong function: {new} is meant",
    "operator": "{old} has the wrong operator: {new} is meant",
    "comparison": "{old} has the wrong comparison: {new} is meant",
    "brackets": "{old} is worked out in the wrong order: {new} is meant",
    "turned": "{old} is the wrong way round: {new} is meant",
    "moved": "{old} is done in the wrong place: {new} is meant",
    "added": "{old} replaces its variable, which has to grow",
    "assign": "{old} changes its variable in the wrong way: {new} is meant",
    "into-loop": "{old} stands behind the loop and belongs into it",
    "out-of-loop": "{old} stands in the loop and does not belong into it",
    "left-out": "{old} leaves out what should keep its place with a 0",
    "kept": "{old} keeps a place for what should be left out",
    "condition": "the condition {old} is not the one that counts: {new} is meant",
    "condition-off": "the condition {old} leaves out what counts",
    "zero": "{old} divides by 0 where there is nothing to divide by: a guard is missing",
    "stop": "{old} is the wrong way on: {new} is meant",
    "name": "{old} stands where {new} is meant",
    "missing": "{old} lacks a step: {new} is meant",
    "too-much": "{old} takes a step too many: {new} is meant",
    "number": "{old} is the wrong number: {new} is meant",
    "sequence": "{old} comes a line too early",
}  # what is wrong, by kind, the most telling first


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


def fact(function: Callable[..., Any]) -> tuple[str, str] | None:
    """What the code shows by itself, where nothing explains the answers: a code and its words."""
    read = Code.of(function)
    for loop in ast.walk(read.tree) if read else ():
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name):
            name = loop.iter.id
            calls = [node.func for node in ast.walk(loop) if isinstance(node, ast.Call)]
            if any(
                isinstance(f, ast.Attribute) and f.attr in _RESIZING and ast.unparse(f.value) == name for f in calls
            ):
                return "changed-in-loop", said("changed-in-loop", f"`{name}`")
    for top in read.tree.body if read else ():
        if isinstance(top, ast.FunctionDef) and read is not None and top.name == read.name:
            used = {node.id for node in ast.walk(top) if isinstance(node, ast.Name)}
            for arg in top.args.args:
                if arg.arg not in used:
                    return "argument-unused", said("argument-unused", f"`{arg.arg}`")
    return None


_RESIZING = ("remove", "pop", "insert", "append", "clear")


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
    """A small change: its kind, the line, what stands there and what is meant."""

    kind: str
    line: str
    old: str
    new: str = ""
    within: str = ""
    places: int = 1
    size: int = 0  # of the code after the change

    @property
    def words(self) -> str:
        """What is wrong, and where."""
        old = f"`{_short(self.old)}`" + (f" in `{_short(self.within)}`" if self.within else "")
        line = "" if self.line == self.old or self.line.startswith(self.old) else f"in the line `{self.line}` "
        told = WRONG[self.kind].format(old=old, new=f"`{_short(self.new)}`")
        return line + told + (f", in all its {self.places} places" if self.places > 1 else "")

    @property
    def rank(self) -> tuple[int, int]:
        """How little it tells: the kind first, then how long the code is that is right."""
        return list(WRONG).index(self.kind) + len(WRONG) * (self.places > 1), self.size


def _short(code: str) -> str:
    return code if len(code) <= LONGEST_PART else code[:LONGEST_PART] + " …"


def told(changes: Sequence[Change]) -> list[str]:
    """The sentences for one change, or for two at once.

    >>> told([Change("too-large", "return a + 2", "2")])[0]
    'One small change makes your answers right: in the line `return a + 2` `2` is one too large.'
    """
    number = "One small change makes" if len(changes) == 1 else "Two small changes make"
    return [said("small-change", number, "; and ".join(change.words for change in changes))]


def repair(
    task: FunctionTask,
    function: Callable[..., Any],
    cases: Sequence[Case],
    faults: dict[int, Any],
    most: int = 2,
    changing: bool = False,
) -> list[Change]:
    """The change, or two, after which the answers are right; calls that raised may go on to raise.

    So may an answer that changes its arguments: that is told apart.
    """
    read = Code.of(function)
    if read is None:
        return []
    bad = [i for i in faults if faults[i].code not in _RAISED] or list(faults)
    order = [*sorted(bad, key=lambda i: len(repr(cases[i].args)))[:MOST_WRONG], *range(len(cases))]
    trial = _Trial(task, cases, list(dict.fromkeys(order)), faults, len(bad), changing)
    with calls.alone():
        return _one(read, trial, most)


def _one(read: Code, trial: _Trial, most: int) -> list[Change]:
    found: list[Change] = []
    starts: list[tuple[int, int]] = []
    for at, draft in enumerate(read.changes()):
        if at >= MOST_FIRST or trial.hanging > 4:
            break
        helped = trial.helped(read)
        if helped < 0:
            found.append(read.told(draft))
        elif helped:
            starts.append((-helped, at))
    if found:
        return [min(found, key=lambda change: change.rank)]
    for draft in itertools.islice(read.moves(), MOST_MOVES):
        if trial.helped(read) < 0:
            return [read.told(draft)]
    if most == 1:
        return []
    return _second(read, trial, sorted(starts)[:MOST_STARTS]) or _blindly(read, trial)


def _second(read: Code, trial: _Trial, starts: Sequence[tuple[int, int]]) -> list[Change]:
    """A change that makes right, in another place, what a first one left wrong."""
    attempts, wanted = 0, {at for _, at in starts}
    best: list[Change] = []
    written = {id(node) for node in ast.walk(read.tree)}
    for at, first in enumerate(read.changes()):
        if at >= MOST_FIRST:
            break
        if at not in wanted:
            continue
        for second in read.changes():
            attempts += 1
            if attempts > MOST_SECOND or trial.hanging > 8:
                break
            if first.touches(second, written) or trial.helped(read) >= 0:
                continue
            both = [read.told(first), read.told(second)]
            best = min(both, best or both, key=_telling)
    return best


def _blindly(read: Code, trial: _Trial) -> list[Change]:
    """Two likely changes of which neither helps alone."""
    likely = [at for at, draft in enumerate(read.changes()) if draft.kind in _LIKELY and draft.places == 1]
    written, tried = {id(node) for node in ast.walk(read.tree)}, 0
    for at, first in enumerate(read.changes()):
        for n, second in enumerate(read.changes()) if at in likely else ():
            if n > at and n in likely and not first.touches(second, written):
                tried += 1
                if tried > MOST_BLIND or trial.hanging > 8:
                    return []
                if trial.helped(read) < 0:
                    return [read.told(first), read.told(second)]
    return []


_LIKELY = ("range", "begins-late", "begins-early", "runs-high", "runs-low", "turned", "brackets")


def _telling(changes: Sequence[Change]) -> tuple[int, int]:
    kinds, sizes = zip(*(change.rank for change in changes), strict=True)
    return sum(kinds), sum(sizes)


class _Trial:
    """Whether changed code is right, case by case."""

    def __init__(
        self,
        task: FunctionTask,
        cases: Sequence[Case],
        order: Sequence[int],
        faults: dict[int, Any],
        bad: int,
        changing: bool,
    ):
        self.task, self.cases, self.order, self.faults = task, cases, order, faults
        self.targets = [task.target(case.args) for case in cases]
        self.values = 2 * sum(wrong.code in ("value", "order", "shape") for wrong in faults.values()) > len(faults)
        self.sample = min(bad, MOST_WRONG)
        self.changing = changing
        self.hanging = 0

    def helped(self, read: Code) -> int:
        """-1: all is right. Else how many of the first wrong answers it puts right."""
        function = read.compiled()
        if function is None:
            return 0
        right = 0
        for n, i in enumerate(self.order):
            outcome = calls.tried(function, self.cases[i].args, _SHORT)
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
            return outcome.changed is None or self.changing
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
                exec(compile(self.tree, "<changed>", "exec"), names)
        except (SyntaxError, ValueError, TypeError, NameError):
            return None
        return names[self.name]  # type: ignore[no-any-return]

    def changes(self) -> Iterator[_Draft]:
        """Each small change in turn, the likely ones first; it is undone when the next one is asked for, or none is."""
        for top in self._tops():
            yield from self._of_lines(top)
            for instead in (_often, _everywhere, _seldom):
                alike: dict[object, list[tuple[_Slot, ast.expr, str]]] = {}
                for slot in list(_slots(top.node)):
                    for kind, new, *way in instead(slot, top):
                        _settle(new, slot.old)
                        if way:
                            alike.setdefault(tuple(way), []).append((slot, new, kind))
                        if instead is not _everywhere:
                            slot.put(new)
                            try:
                                yield _Draft(kind, slot.old, new, slot)
                            finally:
                                slot.put(slot.old)
                for places in alike.values():
                    if len(places) > 1:
                        for slot, new, _ in places:
                            slot.put(new)
                        slot, new, kind = places[0]
                        try:
                            yield _Draft(kind, slot.old, new, slot, len(places), [other for _, other, _ in places])
                        finally:
                            for slot, _, _ in reversed(places):
                                slot.put(slot.old)

    def moves(self) -> Iterator[_Draft]:
        """A cut, a sort or a sign that is taken from one place and put to another."""
        for top in self._tops():
            for slot in list(_slots(top.node)):
                taken = _taken_off(slot.old)
                if taken is None:
                    continue
                inner, again = taken
                slot.put(inner)
                for other in list(_slots(top.node)):
                    if other.old is not inner and isinstance(other.old, (ast.Name, ast.Call, ast.ListComp, ast.BinOp)):
                        new = _settle(again(other.old), other.old)
                        other.put(new)
                        try:
                            yield _Draft("moved", slot.old, new, slot)
                        finally:
                            other.put(other.old)
                            slot.put(slot.old)
                        slot.put(inner)
                slot.put(slot.old)

    def _tops(self) -> Iterator[_Top]:
        for node in list(self.tree.body):
            if isinstance(node, ast.FunctionDef):
                taken = [arg.arg for arg in node.args.args]
                stored = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
                iterated = [n.iter.id for n in ast.walk(node) if _runs_over_a_name(n)]  # type: ignore[attr-defined]
                yield _Top(node, taken, list(dict.fromkeys([*taken, *stored])), {*iterated})

    def _of_lines(self, top: _Top) -> Iterator[_Draft]:
        for owner in list(ast.walk(top.node)):
            for field, old in list(ast.iter_fields(owner)):
                if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                    for kind, place, new_list, *new in _lines_instead(old, owner):
                        setattr(owner, field, new_list)
                        try:
                            yield _Draft(kind, place, new[0] if new else None)
                        finally:
                            setattr(owner, field, old)

    def told(self, draft: _Draft) -> Change:
        """The change in words, while it is made."""
        size, line = len(ast.unparse(self.tree)), self._line(draft.old)
        new = ast.unparse(draft.new).partition("\n")[0] if draft.new else ""
        if draft.slot is None:
            return Change(draft.kind, line, line, new, size=size)
        old, parent, now = ast.unparse(draft.old), "", self.within(draft.slot)
        if len(old) < 3 and isinstance(draft.slot.owner, ast.expr):
            draft.slot.put(draft.slot.old)
            parent = ast.unparse(draft.slot.owner)
            draft.slot.put(now)
        return Change(draft.kind, line, old, new, parent if len(parent) < LONGEST_PART else "", draft.places, size)

    @staticmethod
    def within(slot: _Slot) -> ast.expr:
        """What stands in a place now."""
        held = getattr(slot.owner, slot.field)
        return held if slot.at is None else held[slot.at]  # type: ignore[no-any-return]

    def _line(self, node: ast.AST) -> str:
        number = getattr(node, "lineno", 1) - 1
        return self.lines[number].strip() if number < len(self.lines) else ""


class _Draft(NamedTuple):
    """A change that is made in the tree: its kind, what stood there and stands there now."""

    kind: str
    old: ast.AST
    new: ast.AST | None
    slot: _Slot | None = None
    places: int = 1
    others: Sequence[ast.AST] = ()  # what stands in all these places now

    def touches(self, other: _Draft, written: set[int]) -> bool:
        """Whether another one changes what this one made, or what is around it."""
        mine = {id(self.old), id(self.new), *map(id, self.others)}
        inside = any(id(node) in mine for node in ast.walk(other.old))
        return inside or id(other.old) not in written


class _Top(NamedTuple):
    """A function: its arguments, all its names, and those over which it runs."""

    node: ast.FunctionDef
    taken: Sequence[str]
    local: Sequence[str]
    iterated: set[str]


class _Slot(NamedTuple):
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


def _slots(top: ast.AST) -> Iterator[_Slot]:
    for owner in ast.walk(top):
        for field, old in ast.iter_fields(owner):
            if isinstance(old, ast.expr):
                yield _Slot(owner, field, None, old)
            elif isinstance(old, list):
                for at, item in enumerate(old):
                    if isinstance(item, ast.expr):
                        yield _Slot(owner, field, at, item)


def _settle(new: Any, old: ast.AST) -> Any:
    """The new node with the place of the old one, and what is new in it too."""
    ast.copy_location(new, old)
    for node in ast.iter_child_nodes(new):
        if not node._attributes or not hasattr(node, "lineno"):
            _settle(node, old)
    return new


def _runs_over_a_name(node: ast.AST) -> bool:
    return isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Name)


_Instead = Iterator[tuple[Any, ...]]  # the kind of a change, the new expression, what other places it would change too
_LIKE = (
    ("sum", "max", "min", "len", "mean", "average", "median", "prod", "cumsum"),
    ("log", "log2", "log10", "log1p"),
    ("keys", "values", "items"),
    ("append", "extend"),
    ("all", "any"),
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_LOGS = ("log", "log2", "log10", "log1p")


def _often(slot: _Slot, top: _Top) -> _Instead:
    """What may have been meant in place of an expression, with the kind of the change."""
    node = slot.old
    if isinstance(node, ast.Constant):
        yield from _of_constant(slot, node, top)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in top.local:
            yield from _of_name(slot, node, top)
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
        if len(node.values) > 2:
            for value in node.values:
                yield "condition", ast.BoolOp(node.op, [other for other in node.values if other is not value])
        elif isinstance(node.op, ast.Or):
            first, second = node.values
            yield "falsy", ast.IfExp(_is_none(first), second, first), "falsy"
    elif isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            yield "condition", node.operand
            yield "falsy", _is_none(node.operand), "falsy"
        else:
            yield "operator", node.operand
    elif isinstance(node, ast.IfExp):
        yield "condition-off", node.body
        yield "condition-off", node.orelse
        yield "condition", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.Slice):
            yield from _of_slice(node, top.taken)
        else:
            of = ast.unparse(node.value)
            yield "too-small", ast.Subscript(node.value, _sum(node.slice, 1), node.ctx), of, 1
            yield "too-large", ast.Subscript(node.value, _sum(node.slice, -1), node.ctx), of, -1
            get = ast.Attribute(node.value, "get", ast.Load())
            yield "missing", ast.Call(get, [node.slice, ast.Constant(0)], [])
    elif isinstance(node, ast.Call):
        yield from _of_call(node, top)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        for item in node.elts if len(node.elts) > 1 else ():
            rest = [other for other in node.elts if other is not item]
            yield "too-much", type(node)(rest, *([ast.Load()] if not isinstance(node, ast.Set) else []))
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield from _of_comprehension(node)
    asked = slot.field in ("test", "ifs") or isinstance(slot.owner, ast.BoolOp)
    if asked and not isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        yield "falsy", ast.Compare(node, [ast.IsNot()], [ast.Constant(None)]), "falsy"
    if slot.field == "ifs":
        yield "condition-off", ast.Constant(True)
    if slot.field == "value" and isinstance(slot.owner, ast.Return) and not isinstance(node, (ast.Constant, ast.Name)):
        yield "order", _called("sorted", node)
        yield "order", _called("sorted", node, reverse=True)


def _everywhere(slot: _Slot, top: _Top) -> _Instead:
    """What may have been meant in all places alike, and in one of them rarely."""
    node = slot.old
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in top.local:
        for more, kind in ((1, "too-small"), (-1, "too-large")):
            yield kind, _sum(node, more), node.id, more
        for other in top.local:
            if other != node.id:
                yield "name", ast.Name(other, ast.Load()), node.id, other
    elif isinstance(node, ast.BinOp):
        way = (type(node.op), ast.unparse(node.right))
        yield "too-much", node.left, "right", *way
        if isinstance(node.op, ast.Div):
            yield "operator", ast.BinOp(node.left, ast.Mult(), node.right), ast.Div
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        yield "too-much", node.func.value, node.func.attr
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq):
        far = ast.BinOp(node.left, ast.Sub(), node.comparators[0])
        yield "function", ast.BinOp(far, ast.Pow(), ast.Constant(2)), "far", 2
        yield "function", _called("abs", far), "far", 1
    elif isinstance(node, ast.Call) and len(node.args) == 1:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        yield "too-much", node.args[0], name
        if name in _LOGS:
            yield "missing", ast.BinOp(ast.Constant(1), ast.Div(), node), "inverse", name
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "too-small", ast.Constant(node.value + 1), node.value, 1
        yield "too-large", ast.Constant(node.value - 1), node.value, -1


def _seldom(slot: _Slot, top: _Top) -> _Instead:
    """What is tried after the rest, since there is much of it."""
    node = slot.old
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in top.local:
        for other in top.local:
            if other != node.id:
                for op in (ast.Add(), ast.Mult(), ast.Div()):
                    yield "missing", ast.BinOp(node, op, ast.Name(other, ast.Load()))
        for name in top.taken:
            if name != node.id:
                length = _called("len", ast.Name(name, ast.Load()))
                yield "missing", ast.BinOp(node, ast.Mult(), length)
                yield "missing", ast.BinOp(node, ast.Div(), length)
                yield "missing", _called("min", node, length)
        yield "missing", _called("abs", node)
    elif isinstance(node, ast.BinOp):
        yield "missing", _called("abs", node)
        yield "missing", ast.BinOp(node, ast.Pow(), ast.Constant(2))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("sum", *_LOGS):
            yield "missing", _called("abs", node)
            yield "missing", ast.BinOp(ast.Constant(1), ast.Div(), node)
        if node.func.id == "abs":
            yield "function", ast.BinOp(node.args[0], ast.Pow(), ast.Constant(2))
    elif isinstance(node, ast.ListComp):
        yield "order", _called("sorted", node, reverse=True)


def _of_constant(slot: _Slot, node: ast.Constant, top: _Top) -> _Instead:
    if isinstance(node.value, bool):
        yield "condition", ast.Constant(not node.value)
    elif isinstance(node.value, (int, float)):
        compared = isinstance(slot.owner, ast.Compare)
        yield "number" if compared else "too-small", ast.Constant(node.value + 1)
        yield "number" if compared else "too-large", ast.Constant(node.value - 1)
        for value in (0, 1, 2, 10, -node.value):
            if abs(value - node.value) > 1:
                yield "number", ast.Constant(value)
        for name in top.taken if node.value > 1 else ():
            length = _called("len", ast.Name(name, ast.Load()))
            yield "name", length
            yield "name", _sum(length, 1)
        if slot.field in ("defaults", "kw_defaults"):
            yield "default", ast.Constant(None)
        else:
            yield from (("name", ast.Name(other, ast.Load())) for other in top.local)


def _of_name(slot: _Slot, node: ast.Name, top: _Top) -> _Instead:
    compared = isinstance(slot.owner, ast.Compare)
    yield "number" if compared else "too-small", _sum(node, 1)
    yield "number" if compared else "too-large", _sum(node, -1)
    for other in top.local:
        if other != node.id:
            yield "name", ast.Name(other, ast.Load())
    if node.id in top.taken or slot.field == "iter" or node.id in top.iterated:
        for bound in top.taken:
            if bound != node.id:
                yield "cut", _cut(node, ast.Name(bound, ast.Load()))
                yield "cut", _cut(node, _sum(ast.Name(bound, ast.Load()), 1))
    yield "order", _called("sorted", node, reverse=True)
    yield "order", _called("sorted", node)
    yield "order", ast.Subscript(node, ast.Slice(None, None, ast.Constant(-1)), ast.Load())
    yield "function", _called("len", node)
    if slot.field == "value" and isinstance(slot.owner, ast.Assign):
        yield "alias", _called("list", node)
    if slot.field == "iter":
        yield "too-much", _called("dict.fromkeys", node)


def _of_operation(node: ast.BinOp) -> _Instead:
    for kind in _OPERATORS:
        if not isinstance(node.op, kind):
            yield "operator", ast.BinOp(node.left, kind(), node.right)
    left, right = node.left, node.right
    if isinstance(left, ast.BinOp):
        yield "brackets", ast.BinOp(left.left, left.op, ast.BinOp(left.right, node.op, right))
    if isinstance(right, ast.BinOp):
        yield "brackets", ast.BinOp(ast.BinOp(left, node.op, right.left), right.op, right.right)
    for call, other, back in ((left, right, False), (right, left, True)):
        for i, arg in enumerate(getattr(call, "args", ())):
            if isinstance(call, ast.Call) and not isinstance(arg, (ast.GeneratorExp, ast.ListComp, ast.Starred)):
                both = ast.BinOp(other, node.op, arg) if back else ast.BinOp(arg, node.op, other)
                yield "brackets", _again(call, both, i)
        if isinstance(call, ast.BinOp) and isinstance(call.right, ast.Call) and call.right.args and not back:
            inner = _again(call.right, ast.BinOp(call.right.args[0], node.op, right))
            yield "brackets", ast.BinOp(call.left, call.op, inner)
    if isinstance(right, ast.BinOp) and isinstance(right.right, ast.Call) and len(right.right.args) == 1:
        within = ast.BinOp(right.left, right.op, right.right.args[0])
        yield "brackets", ast.BinOp(left, node.op, _again(right.right, within))
    yield "turned", ast.BinOp(right, node.op, left)
    sums = left.left if isinstance(left, ast.BinOp) else left
    if isinstance(sums, ast.Call) and sums.args and isinstance(sums.args[0], (ast.GeneratorExp, ast.ListComp)):
        parts = sums.args[0]  # what is done to the sum in place of each of its parts
        each = _again(sums, type(parts)(ast.BinOp(parts.elt, node.op, right), parts.generators))
        yield "moved", ast.BinOp(each, left.op, left.right) if isinstance(left, ast.BinOp) else each
    if isinstance(node.op, ast.Div):
        for more in (0, 1):
            yield "missing", ast.BinOp(left, node.op, _called("log2", _sum(right, more)))
        yield "zero", ast.IfExp(right, node, ast.Constant(0.0))
    yield "too-much", left
    yield "too-much", right
    yield "too-small", _sum(node, 1)
    yield "too-large", _sum(node, -1)


def _of_comprehension(node: ast.ListComp | ast.GeneratorExp) -> _Instead:
    each = node.generators[-1]
    others = node.generators[:-1]
    if each.ifs:
        test = each.ifs[0] if len(each.ifs) == 1 else ast.BoolOp(ast.And(), each.ifs)
        every = ast.comprehension(each.target, each.iter, [], each.is_async)
        yield "left-out", type(node)(ast.IfExp(test, node.elt, ast.Constant(0)), [*others, every])
    if isinstance(node.elt, ast.IfExp):
        chosen = ast.comprehension(each.target, each.iter, [*each.ifs, node.elt.test], each.is_async)
        yield "kept", type(node)(node.elt.body, [*others, chosen])
        against = ast.UnaryOp(ast.Not(), node.elt.test)
        chosen = ast.comprehension(each.target, each.iter, [*each.ifs, against], each.is_async)
        yield "kept", type(node)(node.elt.orelse, [*others, chosen])


def _of_slice(node: ast.Subscript, taken: Sequence[str]) -> _Instead:
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


def _of_call(node: ast.Call, top: _Top) -> _Instead:
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
        for table in top.taken if not any(word.arg == "key" for word in node.keywords) else ():
            key = ast.keyword("key", ast.Attribute(ast.Name(table, ast.Load()), "get", ast.Load()))
            yield "order", ast.Call(node.func, node.args, [*node.keywords, key])
    if name == "set" and node.args:
        yield "unordered", _called("dict.fromkeys", *node.args)
    if len(node.args) == 2 and not node.keywords:
        yield "turned", ast.Call(node.func, node.args[::-1], [])
    if name in _RANGES and len(node.args) == 1:
        for low, more, kind in ((1, 0, "begins-early"), (1, 1, "runs-low"), (0, 1, "ends-early"), (0, -1, "ends-late")):
            yield kind, ast.Call(node.func, [ast.Constant(low), _sum(node.args[0], more)], [])
        for list_name in top.taken:
            shorter = _called("min", node.args[0], _called("len", ast.Name(list_name, ast.Load())))
            yield "range", ast.Call(node.func, [shorter], [])
    elif name in _RANGES and len(node.args) >= 2:
        low_arg, high, *step = node.args
        for (a, b), kind in _BOUNDS.items():
            yield kind, ast.Call(node.func, [_sum(low_arg, a), _sum(high, b), *step], [])
    elif name == "enumerate":
        for start in (0, 1, 2):
            yield "range", ast.Call(node.func, [*node.args[:1], ast.Constant(start)], [])
    if name in ("range", "enumerate") and node.args:
        yield from (("name", _cut(ast.Name(other, ast.Load()), node.args[-1])) for other in top.taken)
    for word in node.keywords:
        kind = "order" if name == "sorted" else "too-much"
        yield kind, ast.Call(node.func, node.args, [other for other in node.keywords if other is not word])
    yield from _of_arguments(node)
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield "too-much", node.func.value
    if name == "log" or name not in dir(builtins):
        yield from (
            ("missing", ast.Call(node.func, [*node.args, ast.Name(bound, ast.Load())], node.keywords))
            for bound in top.taken
        )
    if name in ("sorted", "list", "values", "zip", "reversed"):
        for bound in top.taken:
            yield "cut", _cut(node, ast.Name(bound, ast.Load()))
    if name in ("len", "sum", "index", "exp", "log", "log2"):
        yield "number", _sum(node, 1)
        yield "number", _sum(node, -1)
    if name == "len":
        yield from (("name", ast.Name(other, ast.Load())) for other in top.local)


def _of_arguments(node: ast.Call) -> _Instead:
    for i, arg in enumerate(node.args):
        if isinstance(arg, ast.Starred):
            continue
        yield "too-much", arg
        if isinstance(arg, ast.BinOp):  # a bracket that closes too late, or opens too early
            yield "brackets", ast.BinOp(_again(node, arg.left, i), arg.op, arg.right)
            yield "brackets", ast.BinOp(arg.left, arg.op, _again(node, arg.right, i))
    if len(node.args) != 1 or not isinstance(node.func, ast.Name):
        return
    inner = node.args[0]
    if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):  # what is done to each, and what to all of them
        each = inner.elt
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and len(each.args) == 1:
            yield "moved", ast.Call(each.func, [_again(node, type(inner)(each.args[0], inner.generators))], [])
        if isinstance(each, ast.BinOp):
            alone = type(inner)(each.left, inner.generators)
            yield "moved", ast.BinOp(_again(node, alone), each.op, each.right)
    elif isinstance(inner, ast.Call) and len(inner.args) == 1 and isinstance(inner.func, ast.Name):
        yield "moved", _again(inner, _again(node, inner.args[0]))
        if isinstance(inner.args[0], (ast.GeneratorExp, ast.ListComp)):
            parts = inner.args[0]
            yield "moved", _again(inner, type(parts)(ast.Call(node.func, [parts.elt], []), parts.generators))


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


def _lines_instead(lines: list[ast.stmt], owner: ast.AST) -> Iterator[tuple[Any, ...]]:
    """What may have been meant in place of some lines, with the kind and the line of the change."""
    for i, line in enumerate(lines):
        before, after = lines[:i], lines[i + 1 :]
        if isinstance(line, ast.AugAssign):
            for kind in _OPERATORS[:4]:
                if not isinstance(line.op, kind):
                    grown = _settle(ast.AugAssign(line.target, kind(), line.value), line)
                    yield "assign", line, [*before, grown, *after], grown
            put = _settle(ast.Assign([line.target], line.value), line)
            yield "assign", line, [*before, put, *after], put
            for name in _names_of_lists(owner) if isinstance(line.value, ast.Constant) else ():
                by = _settle(ast.AugAssign(line.target, line.op, _called("len", ast.Name(name, ast.Load()))), line)
                yield "assign", line, [*before, by, *after], by
        if isinstance(line, ast.Assign) and len(line.targets) == 1 and isinstance(line.targets[0], ast.Name):
            grown = _settle(ast.AugAssign(line.targets[0], ast.Add(), line.value), line)
            yield "added", line, [*before, grown, *after]
        if isinstance(line, ast.If):
            negated = _settle(ast.If(ast.UnaryOp(ast.Not(), line.test), line.body, line.orelse), line)
            yield "condition", line, [*before, negated, *after], negated
            yield "condition-off", line, [*before, *line.body, *after]
        if isinstance(line, (ast.Break, ast.Continue)):
            for other in (ast.Break(), ast.Continue(), ast.Pass()):
                if type(other) is not type(line):
                    yield "stop", line, [*before, _settle(other, line), *after], other
        if isinstance(line, ast.Return) and not after and isinstance(owner, ast.If) and not owner.orelse:
            for other in (ast.Break(), ast.Continue()):
                yield "stop", line, [*before, _settle(other, line)], other
        if isinstance(line, (ast.For, ast.While)):
            for j, inside in enumerate(line.body if len(line.body) > 1 else ()):
                rest = [*line.body[:j], *line.body[j + 1 :]]
                yield "out-of-loop", inside, [*before, _loop(line, rest), inside, *after]
                yield "out-of-loop", inside, [*before, inside, _loop(line, rest), *after]
            if after:
                yield "into-loop", after[0], [*before, _loop(line, [*line.body, after[0]]), *after[1:]]
        kept = line.value if isinstance(line, ast.Expr) else None
        if isinstance(kept, ast.Call) and len(kept.args) == 1 and isinstance(kept.args[0], ast.IfExp):
            choice = kept.args[0]
            for test, item in ((choice.test, choice.body), (ast.UnaryOp(ast.Not(), choice.test), choice.orelse)):
                chosen = ast.If(test, [_settle(ast.Expr(_again(kept, item)), line)], [])
                yield "kept", line, [*before, ast.fix_missing_locations(_settle(chosen, line)), *after]
        if after:
            yield "sequence", line, [*before, after[0], line, *after[1:]]
        if len(lines) > 1:
            yield "line", line, [*before, *after]


def _names_of_lists(owner: ast.AST) -> list[str]:
    made = [node for node in ast.walk(owner) if isinstance(node, ast.Assign) and isinstance(node.value, ast.ListComp)]
    return [node.targets[0].id for node in made if isinstance(node.targets[0], ast.Name)]


def _loop(loop: ast.For | ast.While, body: list[ast.stmt]) -> ast.stmt:
    if isinstance(loop, ast.While):
        return ast.copy_location(ast.While(loop.test, body, loop.orelse), loop)
    return ast.copy_location(ast.For(loop.target, loop.iter, body, loop.orelse), loop)


def _taken_off(node: ast.expr) -> tuple[ast.expr, Callable[[ast.expr], ast.expr]] | None:
    """What is left without a cut or a function of one thing, and how it is put elsewhere."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
        return node.value, lambda other: ast.Subscript(other, node.slice, ast.Load())
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MOVABLE and node.args:
        return node.args[0], lambda other: _again(node, other)
    return None


_MOVABLE = ("sorted", "abs", "set", "round", "reversed", "int", "list")


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
    func: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        func = ast.Attribute(func, part, ast.Load())
    return ast.Call(func, [*nodes], [ast.keyword(word, ast.Constant(value)) for word, value in words.items()])


def _again(call: ast.Call, arg: ast.expr, at: int = 0) -> ast.Call:
    return ast.Call(call.func, [*call.args[:at], arg, *call.args[at + 1 :]], call.keywords)
