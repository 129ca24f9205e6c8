"""Measures how often a sentence about a cause is true, on drawn wrong answers whose cause is known.

What an answer was told is true if its cause is the one that was drawn: a slip has to give the same on inputs that no
check uses, a thought about a line has to concern the quantity and the line that were changed, a slip on paper is the
one that was made. One half of the answers sets what may be said; the other half, never used for that, is reported.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ndcg_course.explain import calls, gate
from ndcg_course.explain.answer import verdict_on
from ndcg_course.explain.judge import judge
from ndcg_course.explain.messages import RIGHT, Verdict
from ndcg_course.explain.outcome import seen
from ndcg_course.make import drawn_answers
from ndcg_course.make.drawn_answers import Number, Program
from ndcg_course.make.files import run, run_fresh
from ndcg_course.make.proof import codes
from ndcg_course.notebook import solutions
from ndcg_course.tasks import assignments
from ndcg_course.tasks.task import FunctionTask, ValueTask

FILE = "ndcg_course/explain/earned.json"
UNUSUAL = 1  # right programs of other people that are made wrong, beside the solution
IDS, EACH = 12, 14  # of numbers for each task
MEANS = {
    "counting": {"off-by-one", "cut", "step-missing"},
    "cut": {"cut", "off-by-one"},
    "order": {"order", "turned", "sign"},
    "comparison": {"comparison", "condition", "off-by-one"},
    "operation": {"operator", "whole", "percent", "sign", "rounded"},
    "turned": {"turned"},
    "logarithm": {"logarithm"},
    "function": {"function", "step-missing"},
    "condition": {"condition", "guard", "comparison"},
    "guard": {"guard", "condition"},
    "loop": {"loop", "guard"},
    "number": {"off-by-one", "percent", "rounded", "sign"},
    "default": {"default"},
    "copy": {"copy"},
    "step": {"step-missing", "guard"},
    "extra": {"rounded", "whole", "percent", "sign", "order", "off-by-one", "operator"},
    "name": {"name"},
}  # what a thought about a quantity says, in causes as they are drawn


FACTS = {
    "error",
    "none",
    "type",
    "loop",
    "slow",
    "no-error",
    "unnamed",
    "kept",
    "random",
    "changed-in-loop",
    "return-in-loop",
    "stays-0",
    "argument-unused",
    "input-changed",
}
"""What is seen and needs no measure: the sentence says what happened, or what stands in the code."""
UNFINISHED = {"constant", "as-given"}  # what is seen of half a program, and of no other names what is wrong


SEEN_OF_A_NUMBER = {
    "few-decimals": {"few-decimals"},
    "given-twice": {"number-above"},
    "a-step-left": {"number-above"},
    "rounded-down": {"not-rounded-up"},
    "just-below": {"not-rounded-up"},
}
"""What is seen of a number, whatever made it, and the mistake of which it says what is wrong."""


@dataclass
class Tally:
    """What became of the wrong answers of a half."""

    answers: int = 0
    accepted: int = 0
    named: int = 0
    shown: int = 0
    false: int = 0
    pens: int = 0
    invented: int = 0  # a cause for a slip of the pen
    systematic: int = 0
    words: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrongly: list[str] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """The numbers that are kept."""
        words = sorted(self.words.elements())
        told = {"answers": self.answers, "accepted": self.accepted, "named": self.named, "shown": self.shown}
        told |= {"false": self.false, "words": words[len(words) // 2] if words else 0}
        return told | (
            {"systematic": self.systematic, "pens": self.pens, "invented": self.invented} if self.pens else {}
        )


@dataclass
class Report:
    """The counts by kind and task, and what the other half gave with them."""

    kinds: gate.Counts = field(default_factory=dict)
    functions: Tally = field(default_factory=Tally)
    numbers: Tally = field(default_factory=Tally)
    measured: Counter[str] = field(default_factory=Counter)  # answers of the first half, by task

    def note(self, kind: str, task: str, true: bool) -> None:
        """One sentence more of a kind."""
        good, told = self.kinds.setdefault(kind, {}).get(task, (0, 0))
        self.kinds[kind][task] = (good + true, told + 1)

    def text(self) -> str:
        """The table as it is kept: a line for each kind."""
        lines = [
            f"  {json.dumps(kind)}: {json.dumps({task: list(n) for task, n in sorted(tasks.items())})}"
            for kind, tasks in sorted(self.kinds.items())
        ]
        held = {"functions": self.functions.summary(), "numbers": self.numbers.summary()}
        measured = json.dumps(dict(sorted(self.measured.items())))
        table = "{\n " + ",\n ".join(lines).strip() + "\n }" if lines else "{}"
        return f'{{\n "measured": {measured},\n "held_out": {json.dumps(held)},\n "kinds": {table}\n}}\n'


def measured(root: Path, names: Sequence[str] = ()) -> Report:
    """Draw, ask, and count; first one half with everything allowed, then the other as the first half allows."""
    warnings.simplefilter("ignore", SyntaxWarning)
    report = Report()
    drawn = list(_drawn(root, names))
    for which in (0, 1):
        counts = report.kinds if which else None
        with gate.using(counts):
            for task, around, answers in drawn:
                for answer in answers[which::2]:
                    if isinstance(task, FunctionTask):
                        _ask_function(report, task, around, answer, held_out=bool(which))
                    else:
                        _ask_number(report, task, answer, held_out=bool(which))
    return report


def _drawn(root: Path, names: Sequence[str]) -> Iterator[tuple[Any, dict[str, Any], list[Any]]]:
    unusual, texts = drawn_answers.right_programs(root), solutions()
    for assignment in assignments().values():
        around: dict[str, Any] = {}
        for task in assignment.tasks:
            if names and task.name not in names:
                continue
            if isinstance(task, FunctionTask):
                around = around or _solved(root, assignment.name)
                right = [texts[task.name], *unusual.get(task.name, [])[:UNUSUAL]]
                yield task, around, list(drawn_answers.programs(task, right))
            elif isinstance(task, ValueTask) and task.kind == "compute" and not task.options:
                yield task, {}, list(drawn_answers.numbers(task, IDS, EACH))


def _solved(root: Path, assignment: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    run_fresh(codes(root / "solutions" / f"{assignment}.ipynb"), names)
    return names


# ---- programs ---------------------------------------------------------------------------------------


def _ask_function(
    report: Report, task: FunctionTask, around: Mapping[str, Any], program: Program, *, held_out: bool
) -> None:
    names = dict(around)
    run([program.code], names)
    random.seed(program.code)  # for those that draw: a measurement is the same each time
    before = time.process_time()
    verdict = verdict_on(task, names[task.name], "demo")
    seconds = time.process_time() - before
    true = bool(verdict.cause) and _is_true(task, names[task.name], verdict, program)
    if not held_out:
        report.measured[task.name] += 1
        if verdict.cause:
            report.note(verdict.cause, task.name, true)
        return
    tally = report.functions
    tally.seconds.append(seconds)
    _count(tally, verdict, true and verdict.cause != "line", f"{task.name} {program.causes}: {verdict.sentences}")
    if verdict.status != RIGHT and not (true and verdict.cause != "line"):
        seen_so = verdict.fault in FACTS or (verdict.fault in UNFINISHED and program.causes == ("skeleton",))
        tally.named += seen_so
        tally.shown += not seen_so and _shows(verdict)


def _count(tally: Tally, verdict: Verdict, true: bool, told: str) -> None:
    tally.answers += 1
    if verdict.status == RIGHT:
        tally.accepted += 1
        return
    tally.words[sum(len(_WORD.findall(re.sub(r"`[^`]*`", "code", said))) for said in verdict.sentences)] += 1
    tally.named += true
    if verdict.cause and verdict.cause != "line" and not true:
        tally.false += 1
        tally.wrongly.append(told)


_WORD = re.compile(r"[\w'’]+")


def _shows(verdict: Verdict) -> bool:
    """Whether a line, a rank or a part is marked, or the error with its line."""
    rows = verdict.example.rows if verdict.example else None
    marked = rows is not None and (rows.marked is not None or not verdict.example.own)  # type: ignore[union-attr]
    return bool(verdict.line or marked or verdict.fault not in ("value", "order", "shape"))


def _is_true(task: FunctionTask, function: Callable[..., Any], verdict: Verdict, program: Program) -> bool:
    kind, _, thought = verdict.cause.partition(": ")
    if kind == "line":
        return not program.lines or any(verdict.line in line or line in verdict.line for line in program.lines)
    if kind in ("thought", "place", "likely"):
        here = not program.lines or any(verdict.line in line or line in verdict.line for line in program.lines)
        return here and bool(MEANS[thought] & set(program.causes))
    if kind == "state-kept":
        return bool({"memory", "random"} & set(program.causes))
    fresh = [case.args for seed in ("calibrate 1", "calibrate 2") for case in task.cases(seed)]
    pairs = [(calls.call(function, args, 0.3), args) for args in fresh]
    if kind == "definition" and verdict.fault:  # the two sides differ, in one thing alone
        return len(program.causes) == 1
    if kind in ("slip", "guard", "definition"):
        slips = [slip for slip in task.slips if slip.name in verdict.slips]
        wrong = [(outcome, task.wrong(slips, args)) for outcome, args in pairs]
        return all(_alike(a.value, b.value) for a, b in wrong if a.finite and b.finite)
    values = [(o.value, task.target(args).value, args) for o, args in pairs if o.finite]
    return kind in _CLAIMS and _CLAIMS[kind](values)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-8)
    return bool(a == b)


Values = Sequence[tuple[Any, Any, Any]]  # what was returned, what is right, the arguments


def _flat(values: Values) -> Iterator[tuple[Any, Any]]:
    for yours, right, _ in values:
        yield from zip(yours, right, strict=False) if isinstance(yours, list) else [(yours, right)]


def _each(claim: Callable[[Any, Any], bool]) -> Callable[[Values], bool]:
    return lambda values: all(claim(yours, right) for yours, right in _flat(values))


def _ratios(values: Values) -> set[float]:
    return {round(yours / right, 6) for yours, right in _flat(values) if right}


_CLAIMS: dict[str, Callable[[Values], bool]] = {
    "rounded": lambda values: any(_each(lambda a, b, d=d: abs(a - round(b, d)) < 1e-9)(values) for d in range(6)),  # type: ignore[misc]
    "cut-short": lambda values: any(
        _each(lambda a, b, d=d: abs(a - math.trunc(b * 10**d) / 10**d) < 1e-9)(values)  # type: ignore[misc]
        for d in range(6)
    ),
    "percent": _each(lambda a, b: _alike(a, 100 * b)),
    "sign": _each(lambda a, b: _alike(a, -b)),
    "sign-in-places": _each(lambda a, b: _alike(abs(a), abs(b))),
    "one-minus": _each(lambda a, b: _alike(a, 1 - b)),
    "inverse": _each(lambda a, b: not b or _alike(a * b, 1)),
    "factor": lambda values: len(_ratios(values)) == 1,
    "shifted": lambda values: len({round(a - b, 6) for a, b in _flat(values)}) == 1,
}  # what a sentence about all the numbers says, by the name of its kind


# ---- numbers ----------------------------------------------------------------------------------------


def _ask_number(report: Report, task: ValueTask, number: Number, *, held_out: bool) -> None:
    given = number.value if number.term is None else [number.term, number.value]
    verdict = judge(task, task.cases(number.student), [seen(given)])
    told_as = next((name for name in (*verdict.slips, verdict.form, verdict.fault) if name), "")
    true = bool(verdict.cause) and _same_cause(task, number.cause, told_as)
    if not held_out:
        report.measured[task.name] += 1
        if verdict.cause:
            report.note(verdict.cause, task.name, true)
        return
    tally = report.numbers
    told = f"{task.name} {number.cause}: {verdict.sentences}"
    seen_so = not verdict.cause and number.cause in SEEN_OF_A_NUMBER.get(verdict.form, ())
    _count(tally, verdict, true or seen_so, told)
    tally.systematic += number.cause != "pen"
    tally.pens += number.cause == "pen"
    tally.invented += number.cause == "pen" and bool(verdict.cause)
    tally.shown += verdict.status != RIGHT and not true and not seen_so


def _same_cause(task: ValueTask, made: str, told_as: str) -> bool:
    """Whether two causes are one: by name, or because they give the same numbers to other students as well."""
    if made == told_as or "pen" in (made, told_as):
        return made == told_as
    pairs = [(_gives(task, made, data), _gives(task, told_as, data)) for data in map(task.data, range(OTHERS))]
    return all(a is not None and b is not None and _alike(a, b) for a, b in pairs)


def _gives(task: ValueTask, cause: str, data: Mapping[str, Any]) -> Any:
    right = task.target(data)
    if cause in _FORMS:
        return _FORMS[cause](right)
    if cause.startswith("step ") and task.working is not None:
        return list(task.working(**data).values())[int(cause.removeprefix("step "))]
    slip = next((slip for slip in (*task.slips, *task.further) if slip.name == cause), None)
    return slip and task.wrong([slip], data)


OTHERS = 6
_FORMS: dict[str, Callable[[float], float]] = {
    "signed": lambda right: -right,
    "percentage": lambda right: 100 * right,
    "rest": lambda right: 1 - right,
    "upside-down": lambda right: 1 / right,
}


def told(report: Report) -> Iterable[str]:
    """The report for a person: what may be said of each kind, and what the other half gave."""
    for kind, tasks in sorted(report.kinds.items()):
        good, said = (sum(n[i] for n in tasks.values()) for i in (0, 1))
        closed = sum(gate.share(kind, task, report.kinds) < gate.ASKED for task in tasks)
        yield f"{kind:20} {good:5} of {said:5} true; closed for {closed} of {len(tasks)} tasks"
    for what, tally in (("functions", report.functions), ("numbers", report.numbers)):
        yield f"held out, {what}: {json.dumps(tally.summary())}"
    if times := sorted(report.functions.seconds):
        told = ", ".join(f"{times[int(part * (len(times) - 1))]:.3f}" for part in (0.5, 0.95, 1.0))
        yield f"seconds of processor for a check of a wrong function, median, 95 %, worst: {told}"
