"""Tries an answer: calls a function on the inputs of its task, and looks for the smallest case that fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ndcg_course.explain import calls
from ndcg_course.explain.causes import SEEN, Diagnosis, example
from ndcg_course.explain.faults import close, fault, is_number
from ndcg_course.explain.first_wrong_rank import Rows, apart, places, rows, word_for
from ndcg_course.explain.gate import earned
from ndcg_course.explain.judge import judge
from ndcg_course.explain.messages import OPEN, WRONG, Verdict, brief
from ndcg_course.explain.outcome import SLOW, Outcome, described, seen
from ndcg_course.explain.repairs import Repair, Trial
from ndcg_course.explain.shown import Shown, is_starter
from ndcg_course.tasks.task import Case, FunctionTask, Task, ValueTask

LOCAL_SEED = "check"
MOST_ATTEMPTS = 300  # at a smaller case
OF_A_SLOW_FUNCTION = 20
UNEXPLAINED = {"value", "order", "shape", "finite", "error", "no-error", "only-example", "factor", "shifted"} | SEEN


def verdict_on(task: Task, value: Any, student: str, draw: int = 0) -> Verdict:
    """The verdict on the answer itself, in full, without a trace in the record.

    >>> from ndcg_course.tasks import task_named
    >>> verdict_on(task_named("best_first"), None, "demo").sentences
    ['`best_first` is `None`; a function is asked. Keep the line that begins with `def`.']
    """
    if isinstance(task, FunctionTask):
        return _verdict_on_function(task, value)
    cases = task.cases(student, draw) if isinstance(task, ValueTask) else task.cases(student)
    return judge(task, cases, [seen(value)])


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
    shown = Shown.by(task.name, function)
    cases = public(task, shown)
    outcomes = calls.call_all(function, [case.args for case in cases])
    verdict, trial = first_word(task, shown, cases, outcomes)
    repaired = None
    if trial is not None:
        from ndcg_course.explain.repairs import repair  # the search for a place in the code, which few answers need

        repaired = repair(trial, shown.code())
    last_word(task, shown, verdict, trial, repaired)
    if verdict.passed:
        verdict.notes += _code().remark(shown.code())
    if verdict.fault == "none" and shown.names & {"sort", "reverse", "append"}:
        verdict.notes.append("`x.sort()`, `x.reverse()` and `x.append(…)` change x and return `None`.")
    if verdict.example is not None and verdict.case is not None:
        args = _shrink(task, function, verdict, cases[verdict.case].args)
        verdict.example = verdict.example._replace(rows=_rows(task, function, args))
    return verdict


def public(task: FunctionTask, shown: Shown) -> list[Case]:
    """The cases of every check: those in the answer's own description, and those of the task, which are nobody's."""
    return [*shown.examples(), *task.cases(LOCAL_SEED)]


def first_word(
    task: FunctionTask, shown: Shown, cases: list[Case], outcomes: list[Outcome]
) -> tuple[Verdict, Trial | None]:
    """The verdict as far as the answers tell it; and where nothing explains them, by what a change is to be tried."""
    verdict = judge(task, cases, outcomes)
    if verdict.status != WRONG:
        return verdict, None
    if cannot := shown.cannot_take(cases):
        verdict.fault, verdict.cause, verdict.slips, verdict.example = "error", "", (), None
        verdict.sentences = [cannot]
        return verdict, None
    if verdict.fault == "cut-short" and not _code().cuts(shown.code()):  # 0 and 1 alone have many other causes
        verdict.fault, verdict.cause = "value", ""
        verdict.sentences = ["Your numbers are whole where fractions are asked."]
    if verdict.slips or verdict.fault not in UNEXPLAINED:
        return verdict, None
    found = Diagnosis(task, cases, outcomes)
    if all(wrong.code == "error" for wrong in found.faults.values()):
        return verdict, None  # the line is told already
    fact = _code().fact(shown.code(), lambda at: False)
    if fact and fact[0] in ("kept", "random"):  # any change that helps would help by accident
        verdict.fault, verdict.sentences = fact[0], [fact[1], *_kept(verdict)]
        return verdict, None
    return verdict, Trial(task, found.cases, found.faults, changing=found.changed() is not None)


def last_word(task: FunctionTask, shown: Shown, verdict: Verdict, trial: Trial | None, repaired: Repair | None) -> None:
    """The place in the code, and what is wrong there if that is sure enough; and what the line `def …` shows."""
    if repaired is not None:
        change, kind = repaired.change, repaired.kind
        if earned(kind, task.name):
            verdict.fault, verdict.cause, verdict.line, words = "thought", kind, change.line, change.words
            fact = _code().fact(shown.code(), lambda at: False)
            if fact and fact[0] == "return-in-loop" and f"`{change.line}`" in fact[1]:
                verdict.fault, words = fact
            verdict.sentences = [words, *_kept(verdict)]
        elif repaired.one_line and earned("line", task.name):
            verdict.fault, verdict.cause, verdict.line = "line", "line", change.line
            verdict.sentences = [change.place, *_kept(verdict)]
    if trial is not None and not verdict.line and (fact := _code().fact(shown.code(), partial(_needs, task))):
        verdict.fault, verdict.sentences = fact[0], [fact[1], *verdict.sentences[-1:]]
    if verdict.status == WRONG and (order := shown.in_other_order(task)):
        verdict.sentences.insert(0, order)
    verdict.sentences = brief(verdict.sentences)


def _needs(task: FunctionTask, at: int) -> bool:
    """Whether the right answer depends on the argument in this place."""
    given = [case.args for case in task.cases(LOCAL_SEED) if len(case.args) > at][:10]
    targets = [[task.target([*args[:at], other[at], *args[at + 1 :]]).value for other in given] for args in given]
    return any(value != of[0] for of in targets for value in of)


def _kept(verdict: Verdict) -> list[str]:
    return [told for told in verdict.sentences if told.startswith("Besides") or " raises " in told]


def _code() -> Any:
    """What the code shows by itself."""
    from ndcg_course.explain import read_code

    return read_code


def _rows(task: FunctionTask, function: Callable[..., Any], args: list[Any]) -> Rows | None:
    """The case worked out: place by place, rank by rank along a list, or part by part."""

    def right(*given: Any) -> Any:
        return task.target(given).value

    def yours(*given: Any) -> Any:
        return calls.call(function, given, 0.2).value

    target = right(*args)
    if isinstance(target, (list, tuple)):
        return places(list(target), yours(*args))
    for at, arg in enumerate(args):
        if isinstance(arg, list) and arg and all(map(is_number, arg)):

            def put(items: list[Any], at: int = at) -> list[Any]:
                return _put(args, at, items)

            def asked(of: Callable[..., Any], put: Callable[..., Any] = put) -> Callable[..., Any]:
                return lambda items: of(*put(items))

            if found := rows(arg, asked(right), asked(yours), _word(task, at)):
                return found
    return _parts(args, right, yours)


def _word(task: FunctionTask, at: int) -> str:
    names = list(inspect.signature(task.reference).parameters)
    return word_for(names[at] if at < len(names) else "")


def _put(args: Sequence[Any], at: int, items: list[Any]) -> list[Any]:
    """The arguments with other items at one place; a list beside them that is as long is cut with them."""
    n, length = len(items), len(args[at])
    cut = [arg[:n] if isinstance(arg, list) and len(arg) == length else arg for arg in args]
    return [*cut[:at], items, *cut[at + 1 :]]


def _parts(args: list[Any], right: Callable[..., Any], yours: Callable[..., Any]) -> Rows | None:
    """A case of several queries, documents or parts, each of them alone and the first ones together."""
    at = next((at for at, arg in enumerate(args) if isinstance(arg, (list, dict)) and len(arg) > 1), None)
    if at is None:
        return None
    keys = list(args[at])

    def some(which: list[int]) -> list[Any]:
        if isinstance(args[at], list):
            return [*args[:at], [keys[i] for i in which], *args[at + 1 :]]
        left = {key for i, key in enumerate(keys) if i not in which}
        return [{k: v for k, v in arg.items() if k not in left} if isinstance(arg, dict) else arg for arg in args]

    names = [key if isinstance(key, str) else str(i) for i, key in enumerate(keys, start=1)]
    return apart(names, lambda which: right(*some(which)), lambda which: yours(*some(which)))


def _shrink(task: FunctionTask, function: Callable[..., Any], verdict: Verdict, args: list[Any]) -> list[Any]:
    """Put the smallest case that shows the same into the verdict, and return it."""
    if task.valid is None and sum(isinstance(arg, list) for arg in args) != 1:
        return args
    slips = [slip for slip in task.slips if slip.name in verdict.slips]
    first, aim = calls.call(function, args), task.target(args)
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
        outcome = calls.call(function, fewer, 0.2)
        wrong = fault(outcome, target, task.tolerance)
        if wrong is None or wrong.code != code:
            return False
        return not slips or close(outcome.value, task.wrong(slips, fewer).value, task.tolerance)

    small = smallest(args, still_fails, OF_A_SLOW_FUNCTION if first.seconds > SLOW else MOST_ATTEMPTS)
    if small != args:
        verdict.example = example(task, Case(small), calls.call(function, small), task.target(small))
    return small


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


def _is_stub(function: Any) -> bool:
    """Whether the body is nothing but a description and dots."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_names or set(code.co_varnames) - set(inspect.signature(function).parameters):
        return False
    rest = [const for const in code.co_consts if const not in (None, function.__doc__)]
    return (not rest or rest == [...]) and len(code.co_code) <= 16 and _gives_nothing(function, code)


def _gives_nothing(function: Any, code: Any) -> bool:
    try:
        outcome = calls.call(function, [[] for _ in range(code.co_argcount)], 0.2)
    except TypeError:
        return False
    return not outcome.error and outcome.value in (None, ...)


def smallest(args: Sequence[Any], still_fails: Callable[[list[Any]], bool], most: int = MOST_ATTEMPTS) -> list[Any]:
    """The smallest arguments found by leaving out items and lowering numbers, on which it still fails.

    It ends after so many attempts and not after a time, so that page and notebook show the same case.

    >>> smallest([[3, 1, 2, 0], 3], lambda args: len(args[0]) > 1)
    [[0, 0], 0]
    """
    best, attempts = list(args), 0
    while True:
        for candidate in _smaller(best):
            attempts += 1
            if attempts > most:
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
