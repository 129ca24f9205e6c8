"""Questions of the bank: from the quizzes of the chapters, and from the tasks with data drawn by a seed."""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from ndcg_course.explain.messages import where
from ndcg_course.explain.outcome import different
from ndcg_course.make.bank.words import bare
from ndcg_course.make.chapters import Answer, Chapter, Question
from ndcg_course.make.source import LABEL, Source
from ndcg_course.tasks.draw import Draw
from ndcg_course.tasks.task import FunctionTask, Task, ValueTask, off_by
from ndcg_course.tasks.worth import said

DECIMALS = 3  # of what a function gives
MOST = 6  # wrong answers beside the right one that are worth reading
LONGEST = 6  # documents in a list that is worked out by hand
IN_A_NOTEBOOK = re.compile(  # what is said to somebody who answers in a notebook
    r"\*This task is for after .*?\*\s*|[ ]?(Your first answer is kept|The next six tasks are about one query|"
    r"Decide before you\s+compute( anything)?|Answer with a dictionary such as `[^`]*`)\.|"
    r"(; use|\. Use) Python( for the sum)?|\s+before you\s+compute( anything)?(?=\.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Item:
    """A question in the bank. `kind` is choose, number or match; the right answer of a number stands first."""

    name: str
    page: str  # the chapter, as book/_toc.yml names it
    group: str  # variants of one task have the same
    title: str
    kind: str
    stem: str  # Markdown
    answers: tuple[Answer, ...]
    tolerance: float = 0.0
    figure: Any = None  # a plot with html() and text()
    slips: tuple[str, ...] = ()  # the name of the slip behind each answer, "" for the right one

    @property
    def right(self) -> Answer:
        """The right answer of a question to choose or to type."""
        return next(answer for answer in self.answers if answer.right)

    def slack(self, answer: Answer) -> float:
        """How far a typed number may lie from this one; a mistake in whole numbers can have decimals."""
        decimals = len(bare(answer.text).partition(".")[2])
        return max(self.tolerance, 0.0 if answer.right else off_by(decimals))

    @property
    def places(self) -> list[str]:
        """The place of each thing that is to be matched; neighbours that may change places share theirs."""
        runs: list[int] = []
        for answer in self.answers:
            runs += [0] if not answer.free else []
            runs[-1] += 1
        ends = [sum(runs[: i + 1]) for i in range(len(runs))]
        return [
            " or ".join(map(str, range(end - run + 1, end + 1)))
            for run, end in zip(runs, ends, strict=True)
            for _ in range(run)
        ]


def number(text: str) -> float:
    """The number that an answer is.

    >>> number("−0.5"), number("1 000")
    (-0.5, 1000.0)
    """
    try:
        return float(bare(text).replace("−", "-").replace(" ", "").replace("\u202f", ""))
    except ValueError:
        raise ValueError(f"the answer {text!r} is not a number") from None


def of_quizzes(chapters: Iterable[Chapter]) -> list[Item]:
    """The questions that the chapters ask, as they are written."""
    return [_of_quiz(chapter, asked) for chapter in chapters for asked in chapter.questions]


def _of_quiz(chapter: Chapter, asked: Question) -> Item:
    short = asked.place.rpartition("/")[2]
    answers, tolerance = asked.answers, 0.0
    if asked.kind == "number":
        answers = tuple(sorted(answers, key=lambda answer: not answer.right))
        tolerance = off_by(len(bare(answers[0].text).partition(".")[2]))
    return Item(
        name=f"{short}-q{asked.number}", page=chapter.name, group=f"{short}-q{asked.number}",
        title=f"{chapter.title}, question {asked.number}", kind="match" if asked.kind == "order" else asked.kind,
        stem=asked.stem + _computed(chapter, asked), answers=answers, tolerance=tolerance,
    )  # fmt: skip


def _computed(chapter: Chapter, asked: Question) -> str:
    """What a question with numbers says, in a course with another convention, about the one that they have."""
    numbers = any(re.search(r"\d", answer.text) for answer in asked.answers)
    return f"\n\n({chapter.convention})" if chapter.convention and numbers else ""


def of_tasks(sources: Mapping[str, Source], tasks: Iterable[Task], seed: str, variants: int) -> Iterator[Item]:
    """Every task that has numbers of its own or gives a number, each in as many variants as its data allow."""
    home = {label: source for source in sources.values() for label in source.facts}
    for task in tasks:
        if isinstance(task, (ValueTask, FunctionTask)):
            yield from variants_of(task, home[task.name], seed, variants)


def variants_of(task: ValueTask | FunctionTask, source: Source, seed: str, variants: int) -> list[Item]:
    """Different variants of one task, none with the data that the book shows to everybody."""
    made: dict[str, Item] = {}
    shown = key_of(task.data("demo")) if isinstance(task, ValueTask) else ""
    for i in range(3 * variants):
        found = (
            of_value(task, source, f"{seed} {i}") if isinstance(task, ValueTask) else _of_call(task, source, seed, i)
        )
        if len(made) == variants:
            break
        if found is None:
            continue
        data, item = found
        if (key := key_of(data)) != shown and key not in made:
            made[key] = replace(item, name=f"{task.name}-{len(made) + 1:02d}")
    return list(made.values())


def key_of(data: object) -> str:
    """The data as a text, to compare them."""
    return json.dumps(data, sort_keys=True, default=str)


def of_value(task: ValueTask, source: Source, seed: str) -> tuple[object, Item]:
    """A value task with the data of a seed, and these data."""
    data = task.data(seed)
    right = task.target(data)
    kind = "number" if isinstance(right, (int, float)) and not isinstance(right, bool) else "choose"
    why = task.why(**data) if task.why else _read_on(task)
    told = {"": right} | {slip.name: task.wrong([slip], data) for slip in task.slips}
    if task.options:  # to choose from these, whatever else is known
        told = {"" if option == right else option: option for option in task.options}
    sentences = {slip.name: slip.sentence for slip in task.slips} | dict(task.options)
    answers = tuple(
        Answer(shown(value, _decimals(task, value)), not name, sentences[name] or why if name else why)
        for name, value in told.items()
    )
    words, title, shows = _told(task, source)
    stem = f"**{title}**\n\n{words}"  # platforms do not show the name of a question, and often only the title asks
    if "own(" in shows:
        stem += "\n\n" + listed(data)
    item = Item(
        name=task.name, page=task.place.partition("#")[0], group=task.name, title=title, kind=kind, stem=stem,
        answers=answers, tolerance=0.0 if task.decimals is None else task.tolerance,
        figure=task.figure(**data) if task.figure else None, slips=tuple(told),
    )  # fmt: skip
    return data, item if kind == "number" else mixed(item, seed)


def _of_call(task: FunctionTask, source: Source, seed: str, i: int) -> tuple[object, Item] | None:
    """What a function gives for drawn arguments; None where that is no number."""
    draw = task.families[0].draw
    if draw is None:
        return None
    args = list(draw(Draw("bank", task.name, seed, i), 3 + i % (LONGEST - 4)))
    outcome = task.target(args)
    nested = any(isinstance(arg, dict) and not all(map(_is_number, arg.values())) for arg in args)
    if outcome.error or not _is_number(outcome.value) or nested or max(map(_length, args), default=0) > LONGEST:
        return None
    answers, names, apart = [Answer(shown(outcome.value, DECIMALS), True, _read_on(task))], [""], [outcome.value]
    for slip in task.slips:
        wrong = task.wrong([slip], args)
        if wrong.error or not _is_number(wrong.value) or len(answers) > MOST:
            continue
        if all(different(wrong.value, other, 5 * 10.0**-DECIMALS) for other in apart):
            apart.append(wrong.value)
            names.append(slip.name)
            answers.append(Answer(shown(wrong.value, DECIMALS), False, slip.sentence))
    if len(answers) < 2:
        return None
    function = next(
        node
        for cell in source.cells
        if cell.role == "answer" and cell.task == task.name
        for node in ast.walk(ast.parse(cell.text))
        if isinstance(node, ast.FunctionDef) and node.name == task.name
    )
    names_of = [name for name in inspect.signature(task.reference).parameters]
    about = (ast.get_docstring(function) or "").partition(">>>")[0].strip() + _gain(task)
    stem = f"{about}\n\nWhat is it for these, with {DECIMALS} decimals?\n\n" + listed(
        dict(zip(names_of, args, strict=False))
    )
    item = Item(
        name=task.name, page=task.place.partition("#")[0], group=task.name, title=_told(task, source)[1], kind="number",
        stem=stem, answers=tuple(answers), tolerance=off_by(DECIMALS), slips=tuple(names),
    )  # fmt: skip
    return args, item


def mixed(item: Item, seed: str) -> Item:
    """The item with its answers in an order drawn by the seed."""
    return _ordered(item, Draw("answers", item.name, seed).shuffled(range(len(item.answers))))


def _ordered(item: Item, order: Sequence[int]) -> Item:
    slips = tuple(item.slips[i] for i in order) if item.slips else ()
    return replace(item, answers=tuple(item.answers[i] for i in order), slips=slips)


def evenly(items: Iterable[Item], seed: str) -> list[Item]:
    """The items, those to choose with the right answer at each place equally often."""
    turns: dict[int, list[int]] = {}
    placed: list[Item] = []
    for item in items:
        if item.kind == "choose":
            n = len(item.answers)
            if not turns.get(n):
                turns[n] = Draw("places", seed, n, len(placed)).shuffled(range(n))
            item = mixed(item, seed)
            here, there = item.answers.index(item.right), turns[n].pop()
            order = [*range(n)]
            order[here], order[there] = order[there], order[here]
            item = _ordered(item, order)
        placed.append(item)
    return placed


def listed(data: Mapping[str, Any]) -> str:
    """The data of a task, a line each."""
    return "\n".join(f"- {name}: {shown(value)}" for name, value in data.items())


def _decimals(task: ValueTask, value: object) -> int | None:
    """As many as the answer has; a mistake in whole numbers may need two."""
    return 2 if task.decimals is None and _is_number(value) and value != int(value) else task.decimals


def _read_on(task: Task) -> str:
    return f"Read on in {where(task.place)}."


def _told(task: Task, source: Source) -> tuple[str, str, str]:
    """The words of a task without what is said in a notebook alone, its title, and the code that shows its data."""
    cells = [cell for cell in source.cells if cell.task == task.name]
    first = next(iter(source.facts))
    before = ""
    if getattr(task, "sheet", None):  # what is said once, for all of the tasks about one query
        start = next(cell.text for cell in source.cells if any(map(LABEL.match, cell.text.splitlines())))
        before = start[: start.index(f"({first})=")]
    words = "\n\n".join(cell.text for cell in cells if cell.role == "text")
    _, _, words = words.partition(f"({task.name})=")
    title, _, words = words.strip().partition("\n")
    shows = "\n".join(cell.text for cell in cells if cell.role == "code")
    words = IN_A_NOTEBOOK.sub("", before + words) + _gain(task)
    return re.sub(r"\n{3,}", "\n\n", words).strip(), title.lstrip("# "), shows


def _gain(task: Task) -> str:
    """What a course with another gain says about it in each question."""
    return f"\n\n({told[0].upper()}{told[1:]}.)" if (told := said(task.gains)) else ""


def shown(value: object, decimals: int | None = None) -> str:
    """A value of the data, or an answer, as it is read."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {shown(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        inner = [f"[{shown(one)}]" if isinstance(one, (list, tuple)) else shown(one) for one in value]
        return ", ".join(inner)
    if _is_number(value):
        if decimals is not None:
            return f"{value:.{decimals}f}"
        return f"{value:.10g}"
    return str(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _length(value: object) -> int:
    return len(value) if isinstance(value, (list, tuple, dict)) else 0
