"""Tries an answer: calls a function on the inputs of its task, and looks for the smallest case that fails."""

from __future__ import annotations

import ast
import inspect
import re
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ndcg_course.checks import calling
from ndcg_course.checks.diagnosis import example
from ndcg_course.checks.faults import close, fault
from ndcg_course.checks.outcome import seen
from ndcg_course.checks.starters import is_starter
from ndcg_course.checks.verdict import OPEN, WRONG, Verdict
from ndcg_course.checks.words import call_text, described
from ndcg_course.tasks.task import FROM_DESCRIPTION, Case, FunctionTask, Task

LOCAL_SEED = "check"
MOST_ATTEMPTS = 300  # at a smaller case
PATIENCE = 1.0  # seconds


def verdict_on(task: Task, value: Any, student: str) -> Verdict:
    """The verdict on the answer itself, without a trace in the record.

    >>> from ndcg_course.tasks import task_named
    >>> verdict_on(task_named("best_first"), None, "demo").sentences
    ['`best_first` is `None`; a function is asked. Keep the line that begins with `def`.']
    """
    if isinstance(task, FunctionTask):
        return _verdict_on_function(task, value)
    return task.judge(task.cases(student), [seen(value)])


def _verdict_on_function(task: FunctionTask, function: Any) -> Verdict:
    verdict = Verdict(task.name, WRONG, 0, task.points, place=task.place)
    if function is ... or _is_stub(function):
        return replace(verdict, status=OPEN)
    if not callable(function):
        told = f"`{task.name}` is {described(seen(function))}; a function is asked."
        verdict.sentences = [f"{told} Keep the line that begins with `def`."]
        return verdict
    if task.starter and is_starter(task, function):
        told = "The code is still as it was given. Find what is wrong in it, change that, and run the cell again."
        return replace(verdict, status=OPEN, sentences=[told])
    cases = [*_shown(task, function), *task.cases(LOCAL_SEED)]
    if not_callable := _cannot_take(task.name, function, cases):
        verdict.sentences = [not_callable]
        return verdict
    verdict = task.judge(cases, calling.call_all(function, [case.args for case in cases]))
    if verdict.status == WRONG and (order := _other_order(task, function)):
        verdict.sentences.insert(0, order)
    if verdict.fault == "none" and _names_in(function) & {"sort", "reverse", "append"}:
        verdict.notes.append("`x.sort()`, `x.reverse()` and `x.append(…)` change x and return `None`.")
    if verdict.example is not None and verdict.case is not None:
        _shrink(task, function, verdict, cases[verdict.case].args)
    return verdict


def _shrink(task: FunctionTask, function: Callable[..., Any], verdict: Verdict, args: list[Any]) -> None:
    """Put the smallest case that shows the same into the verdict."""
    if task.valid is None and sum(isinstance(arg, list) for arg in args) != 1:
        return
    slips = [slip for slip in task.slips if slip.name in verdict.slips][: 1 if len(verdict.slips) == 1 else 2]
    first, aim = calling.call(function, args), task.target(args)
    code = getattr(fault(first, aim, task.tolerance), "code", "")
    within = _numbers_drawn(task)

    def still_fails(fewer: list[Any]) -> bool:
        if task.valid is not None and not task.valid(*fewer):
            return False
        if any(value not in within.get(at, ()) for at, value in enumerate(fewer) if isinstance(value, (int, float))):
            return False
        target = task.target(fewer)
        if target.error or not target.finite:
            return False
        outcome = calling.call(function, fewer, 0.2)
        wrong = fault(outcome, target, task.tolerance)
        if wrong is None or wrong.code != code:
            return False
        return not slips or close(outcome.value, task.wrong(slips, fewer).value, task.tolerance)

    small = smallest(args, still_fails)
    if small != args:
        verdict.example = example(task, Case(small), calling.call(function, small), task.target(small))


def _numbers_drawn(task: FunctionTask) -> dict[int, Container[float]]:
    """By place, the numbers that make sense as an argument: whole ones in the range drawn, others as drawn."""
    drawn: dict[int, list[float]] = {}
    for case in task.cases(LOCAL_SEED):
        for at, value in enumerate(case.args):
            if isinstance(value, (int, float)):
                drawn.setdefault(at, []).append(value)
    return {
        at: range(int(min(values)), int(max(values)) + 1) if all(isinstance(v, int) for v in values) else set(values)
        for at, values in drawn.items()
    }


def _shown(task: FunctionTask, function: Any) -> list[Case]:
    """The calls in the function's own description."""
    cases = []
    try:
        for shown in re.findall("^>>> (.*)", inspect.getdoc(function) or "", re.MULTILINE):
            call = ast.parse(shown.strip(), mode="eval").body
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == task.name:
                cases.append(Case([ast.literal_eval(arg) for arg in call.args], FROM_DESCRIPTION))
    except (ValueError, SyntaxError, TypeError):
        pass
    return cases


def _is_stub(function: Any) -> bool:
    """Whether the body is nothing but a description and dots."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_names or set(code.co_varnames) - set(inspect.signature(function).parameters):
        return False
    rest = [const for const in code.co_consts if const not in (None, function.__doc__)]
    return (not rest or rest == [...]) and len(code.co_code) <= 16 and _gives_nothing(function, code)


def _gives_nothing(function: Any, code: Any) -> bool:
    try:
        outcome = calling.call(function, [[] for _ in range(code.co_argcount)], 0.2)
    except TypeError:
        return False
    return not outcome.error and outcome.value in (None, ...)


def _cannot_take(name: str, function: Any, cases: list[Case]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    brief = sorted(cases, key=lambda case: len(repr(case.args)))
    for case in (min(brief, key=lambda c: len(c.args)), max(brief, key=lambda c: len(c.args))):
        try:
            signature.bind(*case.args)
        except TypeError as error:
            call = call_text(name, case.args)
            return (
                f"Your function cannot be called as `{call}`: {error}. Keep the arguments in the line `def …` as given."
            )
    return ""


def _names_in(function: Any) -> set[str]:
    return set(getattr(getattr(function, "__code__", None), "co_names", ()))


def _other_order(task: FunctionTask, function: Any) -> str:
    """A word about the same arguments in another order."""
    try:
        mine, asked = (
            [p.name for p in inspect.signature(f).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            for f in (function, task.reference)
        )
    except (TypeError, ValueError):
        return ""
    if mine == asked or sorted(mine) != sorted(asked):
        return ""
    return f"The line `def …` has the arguments in another order: ({', '.join(asked)}) is asked."


def smallest(args: Sequence[Any], still_fails: Callable[[list[Any]], bool]) -> list[Any]:
    """The smallest arguments found by leaving out items and lowering numbers, on which it still fails.

    It ends after so many attempts, so that a slow machine shows the same case; the time is for a slow function.

    >>> smallest([[3, 1, 2, 0], 3], lambda args: len(args[0]) > 1)
    [[0, 0], 0]
    """
    best, end, attempts = list(args), time.perf_counter() + PATIENCE, 0
    while True:
        for candidate in _smaller(best):
            attempts += 1
            if attempts > MOST_ATTEMPTS or time.perf_counter() > end:
                return best
            if still_fails(candidate):
                best = candidate
                break
        else:
            return best


def _smaller(args: Sequence[Any]) -> Iterator[list[Any]]:
    for at, value in enumerate(args):
        for less in _less(value):
            yield [*args[:at], less, *args[at + 1 :]]


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, list):
        if len(value) > 1:
            for i in reversed(range(len(value))):
                yield value[:i] + value[i + 1 :]
        for i, item in enumerate(value):
            if not isinstance(item, list):
                for less in _less(item):
                    yield [*value[:i], less, *value[i + 1 :]]
    elif isinstance(value, int) and value > 0:
        yield from sorted({v for v in (0, 1, value - 1) if v < value})
    elif isinstance(value, float) and value > 0 and value != int(value):
        yield float(int(value))
