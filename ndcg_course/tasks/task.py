"""What a task is: its inputs, its right answer, its slips, its hints. What an answer is told: `ndcg_course.explain`.

Four kinds of answer, each found in the notebook by its name: a function (`FunctionTask`), a value worked out for the
student's own data (`ValueTask`), something built to meet conditions (`BuildTask`), and words (`TextTask`).
What is built may be built from own data too.

A check calls the student's function itself. A grader need not: it takes `task.cases(seed)`, has the `args` of each case
(plain JSON) answered elsewhere if `task.calls`, or else has the variable `task.name` read; brings what came back
through `codec.encode` and `codec.decode` (or makes an `Outcome` with an error); and gives all to
`explain.judge.judge(task, cases, outcomes)`. Where a task has own data the seed is the student's id.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from ndcg_course.explain.outcome import Outcome, answer, different, unlike
from ndcg_course.tasks.draw import Draw, tidy_id
from ndcg_course.tasks.slips import TaskSlip, slipped


def off_by(decimals: int) -> float:
    """What a typed number may be off: one in its last decimal from the third on; before that no neighbour passes.

    >>> round(off_by(3), 4), round(off_by(1), 2), off_by(0)
    (0.001, 0.05, 0.0)
    """
    return (1.001 if decimals > 2 else 0.5005) * 10.0**-decimals if decimals else 0.0


KINDS = {
    "compute": "Compute by hand",
    "predict": "Predict before you run",
    "implement": "Write a function",
    "repair": "Repair the code",
    "choose": "Choose the answer",
    "counterexample": "Build a counterexample",
    "explain": "Explain in words",
    "read": "Read a plot",
    "report": "Make it from your data",
}


OF_A_FEW = ("predict", "choose", "read")  # whose answer is one of a few

APART = 0.01 - 1e-9  # between the numbers that a report may hold
LARGEST = 12  # a cut-off at 10 that nobody asked for shows only in longer lists
FROM_DESCRIPTION = "the example in the description"  # the family of the calls in a function's docstring


class Case(NamedTuple):
    """One input: the arguments (plain JSON) and the property that they try."""

    args: list[Any]
    family: str = ""


@dataclass(frozen=True)
class Family:
    """Inputs that try one property, and what the property is worth.

    `draw(draw, n)` gives the arguments for lists of about n items, n from 1 to 12; `cases` are fixed ones. A family is
    worth its points only if every answer in it is right, and those after the first only if the first is right too. One
    without points still costs one if it fails.
    """

    name: str
    points: int = 1
    draw: Callable[[Draw, int], Sequence[Any]] | None = None
    cases: Sequence[Sequence[Any]] = ()
    times: int = 12

    def inputs(self, *seed: object) -> list[list[Any]]:
        """The inputs, small ones first.

        >>> Family("lists", draw=lambda draw, n: [draw.grades(n)]).inputs("seed")[0]
        [[0]]
        """
        drawn: list[list[Any]] = []
        if self.draw is not None:
            for i in range(self.times):
                drawn.append(list(self.draw(Draw(*seed, self.name, i), 1 + i * LARGEST // self.times)))
        return [list(case) for case in self.cases] + drawn


@dataclass(frozen=True, kw_only=True)
class Task:
    """What all tasks have. `name` is also the name of the variable or function that holds the answer."""

    name: str
    kind: str
    minutes: int
    place: str  # in the book: page#anchor
    hints: Sequence[str] = ()
    slips: Sequence[TaskSlip] = ()
    starter: str = ""  # the code that a repair begins with
    was: Sequence[str] = ()  # the names that it had before: a student's answer to them is one to it
    gains: Sequence[str] | str = ()  # what holds grades that are worth what the course says, or "own"
    calls = False  # whether the answer is a function
    by_hand = False  # whether a person gives the marks
    has_data = False  # whether each student has own data for it

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"task {self.name}: kind is {self.kind!r}, it can be {', '.join(KINDS)}")
        if len(self.hints) != 3:
            raise ValueError(f"task {self.name}: {len(self.hints)} hints, but a task has three")
        names = [s.name for s in self.slips]
        if len(set(names)) != len(names):
            raise ValueError(f"task {self.name}: a slip is listed twice")

    @property
    def points(self) -> int:
        """What the whole task is worth."""
        raise NotImplementedError

    @property
    def shares(self) -> tuple[float, ...]:
        """What part of its points a right answer earns at the first try, the second, …; the last holds on."""
        return (1.0,)

    def earned(self, wrong: int | None) -> float:
        """What a right answer earns after so many wrong ones; None where nobody knows how many there were."""
        points = round(self.points * self.shares[-1 if wrong is None else min(wrong, len(self.shares) - 1)], 2)
        return int(points) if points == int(points) else points

    @property
    def slip_names(self) -> list[str]:
        """The mistakes that the check knows by name."""
        return [s.name for s in self.slips]

    def data(self, student_id: object, draw: int = 0) -> dict[str, Any]:
        """The student's own data, where the task has some."""
        raise NotImplementedError

    def cases(self, seed: object) -> list[Case]:
        """The inputs for a seed; for a value, the seed is the student's id."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class FunctionTask(Task):
    """The answer is a function that gives what `reference` gives."""

    reference: Callable[..., Any]
    families: Sequence[Family]
    tolerance: float = 2e-6  # relative; float32 passes, five decimals do not
    low: float | None = None
    high: float | None = None
    names: Callable[..., str] | None = None  # what the text of an error must hold
    valid: Callable[..., bool] | None = None  # whether smaller arguments, tried to shorten an example, make sense
    calls = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len({family.name for family in self.families}) != len(self.families) or not self.families:
            raise ValueError(f"task {self.name}: give at least one family of inputs, each with its own name")

    @property
    def points(self) -> int:
        """The points of all families."""
        return sum(family.points for family in self.families)

    def cases(self, seed: object) -> list[Case]:
        """Inputs of all families in turn, small ones first; at the end some come again, also with another number."""
        columns = [[Case(args, family.name) for args in family.inputs(self.name, seed)] for family in self.families]
        turns = [case for row in itertools.zip_longest(*columns) for case in row if case is not None]
        return turns + turns[: min(5, len(turns))] + self._with_other_numbers(columns[0])

    def _with_other_numbers(self, cases: Sequence[Case]) -> list[Case]:
        """Pairs of inputs in a row that differ in a number alone: a function that remembers the list forgets it."""
        pairs: list[Case] = []
        for case, other in zip(cases[4::4], cases[5::4], strict=False):
            args = [b if _is_number(a) and _is_number(b) else a for a, b in zip(case.args, other.args, strict=False)]
            if args != case.args and (self.valid is None or self.valid(*args)):
                pairs += [case, Case(args, case.family)]
        return pairs

    def target(self, args: Sequence[Any]) -> Outcome:
        """The right answer, or the error that is asked for."""
        found = answer(self.reference, args)
        if found.error and self.names is not None:
            found.says = self.names(*args)
        return found

    def wrong(self, slips: Sequence[TaskSlip], args: Sequence[Any]) -> Outcome:
        """What someone gives who makes these slips."""
        return answer(slipped(self.reference, slips), args)

    def applicable(self) -> list[TaskSlip]:
        """The slips that give something wrong here, and something else than those before them."""
        inputs = [case.args for case in self.cases("applicable")]
        seen, kept = [[self.target(args) for args in inputs]], list[TaskSlip]()
        for one in self.slips:
            outcomes = [self.wrong([one], args) for args in inputs]
            if all(any(unlike(a, b) for a, b in zip(outcomes, before, strict=True)) for before in seen):
                seen.append(outcomes)
                kept.append(one)
        return kept

    @property
    def slip_names(self) -> list[str]:
        """The slips that apply."""
        return [one.name for one in self.applicable()]


def _the_way(*, way: Any) -> Any:
    return way


_HOW_MANY = ("k-ignored", "k-one-less", "k-one-more", "k-default-10", "list-not-cut", "ideal-not-cut")


@dataclass(frozen=True, kw_only=True)
class ValueTask(Task):
    """The answer is a number, a word or a list, worked out for data that are the student's own.

    `draw` gives the data as keywords of `reference`. They are drawn again until every slip gives another answer.
    """

    draw: Callable[[Draw], dict[str, Any]]
    reference: Callable[..., Any]
    worth: int = 1
    decimals: int | None = None  # None: a whole number, a word, or a list of them
    options: Mapping[str, str] = field(default_factory=dict)  # what to say to each answer where it is wrong
    why: Callable[..., str] | None = None  # said once it is right, or after a prediction
    figure: Callable[..., Any] | None = None
    sheet: Callable[[], Sequence[ValueTask]] | None = None  # all tasks that ask about the same data
    working: Callable[..., Mapping[str, float]] | None = None  # the steps to the answer, the last of them last
    further: Sequence[TaskSlip] = ()  # known by name too, but the data are not drawn to tell them apart
    term: int | None = None  # of a sum up to k: the rank whose term is asked beside it, as [term, sum]
    part: str = ""  # of what is no sum: what is asked beside it, in words,
    part_is: Mapping[str, Any] = field(default_factory=dict)  # and the keywords that make it of the reference
    tries: Sequence[float] = (2, 1, 0)  # what the first try, the second and so on earn, as parts of the first
    has_data = True

    @property
    def of_a_few(self) -> bool:
        """Whether the answer is one of a few, so that trying finds it."""
        return bool(self.options) or self.kind in OF_A_FEW

    @property
    def shares(self) -> tuple[float, ...]:
        """Of what is chosen among a few, less at each try; of a prediction, nothing after the first.

        >>> task = ValueTask(name="a", kind="choose", minutes=1, place="", hints=("a", "b", "c"), draw=lambda draw: {},
        ...                  reference=lambda: "A", options={"A": "", "B": ""}, worth=2)
        >>> task.shares, task.earned(0), task.earned(1), task.earned(7), task.earned(None)
        ((1.0, 0.5, 0.0), 2, 1, 0, 0)
        """
        if len(self.tries) == 1 or not self.of_a_few:
            return (1.0,)
        return (1.0, 0.0) if self.kind == "predict" else tuple(one / self.tries[0] for one in self.tries)

    @property
    def points(self) -> int:
        """What the answer is worth."""
        return self.worth

    @property
    def slip_names(self) -> list[str]:
        """The slips, or the answers to choose from."""
        return [s.name for s in self.slips] + [option for option, sentence in self.options.items() if sentence]

    @property
    def tolerance(self) -> float:
        """What the number may be off."""
        return 1e-9 if self.decimals is None else off_by(self.decimals)

    def data(self, student_id: object, draw: int = 0) -> dict[str, Any]:
        """The student's own data, or those of a later draw, which belong to no id that somebody could type.

        >>> task = ValueTask(name="total", kind="compute", minutes=1, place="", hints=("a", "b", "c"),
        ...                  draw=lambda draw: {"grades": draw.grades(4)}, reference=lambda grades: sum(grades))
        >>> task.data("demo") == task.data(" DEMO ")
        True
        """
        seed = tidy_id(student_id) + f"\x1e{draw}" * (draw > 0)
        tasks = self.sheet() if self.sheet else [self]
        for attempt in range(400):
            data = tasks[0]._drawn(Draw(tasks[0].name, seed, attempt))
            if all(task._tells_apart(data) for task in tasks):
                return data
        raise ValueError(f"task {self.name}: no data found on which every slip gives another answer")

    def cases(self, seed: object, draw: int = 0) -> list[Case]:
        """One case, with the student's data."""
        return [Case([self.data(seed, draw)])]

    def target(self, data: Mapping[str, Any]) -> Any:
        """The right answer."""
        return self.reference(**data)

    def wrong(self, slips: Sequence[TaskSlip], data: Mapping[str, Any]) -> Any:
        """What someone gives who makes these slips; None where it has no value."""
        try:
            return slipped(self.reference, slips)(**data)
        except (ArithmeticError, ValueError, LookupError, TypeError):
            return None

    @property
    def part_off(self) -> float:
        """What the number beside the answer may be off."""
        return off_by(self.decimals or 1)

    @property
    def beside(self) -> str:
        """What is asked beside the answer, in words; "" where the answer alone is asked."""
        return f"the term of rank {self.term}" if self.term is not None else self.part

    def term_of(self, data: Mapping[str, Any], slips: Sequence[TaskSlip] = ()) -> Any:
        """What is asked beside the answer, with these slips; None where nobody can tell, or none is asked.

        How many terms count makes no difference to one of them.
        """
        if self.term is None:
            if not self.part or any(one.wrong is not None and not one.changes for one in slips):
                return None
            plain = [TaskSlip(one.name, changes=one.changes) for one in slips]
            return self.wrong([*plain, TaskSlip("", changes=self.part_is)], data)
        named = [one for one in slips if one.name not in _HOW_MANY]
        sums = [self.wrong(named, {**data, "k": k}) for k in (self.term, self.term - 1)]
        return None if None in sums else sums[0] - sums[1]

    def _drawn(self, draw: Draw) -> dict[str, Any]:
        return self.draw(draw)

    def _tells_apart(self, data: Mapping[str, Any]) -> bool:
        """Whether right and slips differ from each other by five units of the last decimal."""
        answers = [self.target(data), *(self.wrong([s], data) for s in self.slips)]
        if any(a is None for a in answers):
            return False
        return all(
            different(a, b, 0.0 if self.decimals is None else 5 * 10.0**-self.decimals)
            for a, b in itertools.combinations(answers, 2)
        )


@dataclass(frozen=True, kw_only=True)
class ReportTask(ValueTask):
    """Which of several ways gives the number that somebody reports? One of them is drawn for each student.

    `draw` gives the data, `ways` the number of each way for them; the drawn one's is added to the data as `reported`.
    The answer is the name of the way, or what `reference` makes of this `way`.
    """

    ways: Callable[..., Mapping[Any, float]]
    reference: Callable[..., Any] = _the_way
    digits: int = 3  # of the reported number

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "reference", partial(self._answer, self.reference))
        if self.why is None:
            object.__setattr__(self, "why", self._every_way)

    def _answer(self, of_way: Callable[..., Any], *, reported: float, **given: Any) -> Any:
        data = {name: given.pop(name) for name in inspect.signature(self.ways).parameters}
        ways = self.ways(**data)
        return of_way(way=min(ways, key=lambda way: abs(ways[way] - reported)), **given)

    def _every_way(self, *, reported: float, **data: Any) -> str:
        numbers = self.ways(**data).items()
        return "; ".join(f"{way}: {n if type(n) is int else f'{n:.{self.digits}f}'}" for way, n in numbers) + "."

    def _drawn(self, draw: Draw) -> dict[str, Any]:
        data = self.draw(draw)
        ways = self.ways(**data)
        return data | {"reported": round(ways[draw.choice(list(ways))], self.digits)}

    def _tells_apart(self, data: Mapping[str, Any]) -> bool:
        """Whether the ways' numbers are far enough apart as well."""
        numbers = sorted(self.ways(**{name: value for name, value in data.items() if name != "reported"}).values())
        return all(b - a >= APART for a, b in itertools.pairwise(numbers)) and super()._tells_apart(data)


class Condition(NamedTuple):
    """Something that a built answer must meet; `broken_by` is an answer that breaks this one and none before it.

    Where the task has own data, `holds` takes them beside the answer, and `broken_by` makes its answer from them.
    """

    name: str
    holds: Callable[..., bool]
    says: str
    broken_by: Any
    points: int = 1


@dataclass(frozen=True, kw_only=True)
class BuildTask(Task):
    """The answer is any thing that meets the conditions, such as a counterexample."""

    conditions: Sequence[Condition]
    says: Callable[[Any], str] | None = None  # the numbers of an answer, in a sentence
    draw: Callable[[Draw], dict[str, Any]] | None = None  # own data, if the answer is built from some
    sheet: Callable[[], Sequence[BuildTask]] | None = None  # all tasks about the same data, which the first draws

    @property
    def has_data(self) -> bool:  # type: ignore[override]
        """Whether the answer is built from own data."""
        return self.draw is not None or self.sheet is not None

    @property
    def points(self) -> int:
        """The points of all conditions."""
        return sum(condition.points for condition in self.conditions)

    @property
    def slip_names(self) -> list[str]:
        """The conditions."""
        return [condition.name for condition in self.conditions]

    def data(self, student_id: object, draw: int = 0) -> dict[str, Any]:
        """The student's own data, which stay as they are."""
        first = self.sheet()[0] if self.sheet else self
        assert first.draw is not None
        return first.draw(Draw(first.name, tidy_id(student_id)))

    def cases(self, seed: object) -> list[Case]:
        """One case, with the student's data if there are some."""
        return [Case([self.data(seed)] if self.has_data else [])]


@dataclass(frozen=True, kw_only=True)
class TextTask(Task):
    """The answer is a text that a person reads and marks."""

    worth: int = 2
    words: int = 15  # fewer are sent back
    look_for: Sequence[str] = ()  # for the person who marks
    by_hand = True

    @property
    def points(self) -> int:
        """What the text can be worth."""
        return self.worth

    def cases(self, seed: object) -> list[Case]:
        """One case without data."""
        return [Case([])]


@dataclass(frozen=True)
class Assignment:
    """A notebook's worth of tasks, in the order of the notebook."""

    name: str  # numbered, as 05-the-ideal-ranking
    tasks: Sequence[Task]

    @property
    def points(self) -> int:
        """The points of all tasks."""
        return sum(task.points for task in self.tasks)

    @property
    def minutes(self) -> int:
        """How long it takes."""
        return sum(task.minutes for task in self.tasks)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
