"""Reads the one source of an assignment, a MyST text notebook with facts, and makes from it what others see."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ndcg_course.course import Course, Given
from ndcg_course.explain.messages import where
from ndcg_course.tasks.task import KINDS, OF_A_FEW, Assignment, FunctionTask, Task, TextTask, ValueTask
from ndcg_course.tasks.worth import said

BEGIN, END, STARTER = "### BEGIN SOLUTION", "### END SOLUTION", "#~ "
LABEL = re.compile(r"^\(([\w-]+)\)=$")
CHECK = re.compile(r"""\bcheck\(\s*["'](\w+)["']""")
PLACE = re.compile(r"\{place\}`([\w/#-]+)`")
FENCE = re.compile(r"^```\{(code-cell|task)\}.*$")


class SourceError(ValueError):
    """The text notebook cannot be understood; says which file and line."""


class Cell(NamedTuple):
    """A cell of the text notebook. `role` is text, code, answer or check; `task` is the task that it belongs to."""

    role: str
    text: str
    task: str = ""
    tags: tuple[str, ...] = ()
    line: int = 0


@dataclass
class Source:
    """An assignment's text notebook, read."""

    name: str
    title: str
    header: str  # the lines that make it a notebook
    cells: list[Cell] = field(default_factory=list)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)  # by task, what is known about it

    def check(self) -> None:
        """Refuse a notebook in which a task lacks a part, has it twice, or has it at another task."""
        wanted = [label for cell in self.cells if cell.role == "text" for label in _labels(cell)]
        for role, what in _PARTS.items():
            found = [*self.facts] if role == "facts" else [cell.task for cell in self.cells if cell.role == role]
            if found == wanted:
                continue
            missing = [name for name in wanted if name not in found]
            extra = [name for name in found if name not in wanted]
            twice = [name for name in wanted if found.count(name) > 1]
            raise SourceError(
                f"solutions/{self.name}.md: "
                + (f"{what} stands before the first label (name)=" if "" in found
                   else f"{', '.join(missing)} without {what}" if missing
                   else f"{', '.join(extra)} has {what}, but no label ({extra[0]})= before a heading" if extra
                   else f"{', '.join(twice)} has {what} twice" if twice
                   else f"the tasks come as {', '.join(wanted)}, but what follows them as {', '.join(found)}")
            )  # fmt: skip


_PARTS = {"answer": "a cell with a solution", "check": "a check", "facts": "its facts, a block ```{task}"}


def read(name: str, text: str) -> Source:
    """The text notebook as cells.

    >>> read("x", "---\\n---\\n# Title\\n\\n```{code-cell} python\\n1 + 1\\n```\\n").cells[1].text
    '1 + 1'
    """
    lines = text.splitlines()
    if not lines or lines[0] != "---" or "---" not in lines[1:]:
        raise SourceError(f"solutions/{name}.md, line 1: the header between two lines --- is missing")
    start = lines.index("---", 1) + 1
    cells: list[Cell] = []
    facts: dict[str, dict[str, Any]] = {}
    task = ""
    for role, body, tags, line in _blocks(name, lines, start):
        if role == "text":
            labels = _labels(Cell(role, body))
            if len(labels) > 1:
                raise SourceError(
                    f"solutions/{name}.md, line {line}: two tasks in one text cell; put a line +++ between them"
                )
            task = labels[0] if labels else task
            cells.append(Cell("text", body, task, tags, line))
        elif role == "task":
            if task in facts:
                raise SourceError(f"solutions/{name}.md, line {line}: {task or 'no task'} has its facts twice")
            facts[task] = _facts(name, body, line)
        elif (match := CHECK.search(body)) and BEGIN not in body:
            cells.append(Cell("check", body, match[1], tags, line))
        elif BEGIN in body:
            cells.append(Cell("answer", body, task, tags, line))
        else:
            cells.append(Cell("code", body, task, tags, line))
    title = next(
        (m[1] for cell in cells if (m := re.search(r"^# (.+)$", cell.text, re.MULTILINE)) and cell.role == "text"), ""
    )
    if not title:
        raise SourceError(f"solutions/{name}.md: there is no title, a line that begins with '# '")
    return Source(name, title, "\n".join(lines[:start]), cells, facts)


def _facts(name: str, text: str, line: int) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SourceError(f"solutions/{name}.md, the block at line {line}: {error}") from None


def _blocks(name: str, lines: Sequence[str], start: int) -> Iterator[tuple[str, str, tuple[str, ...], int]]:
    prose: list[str] = []
    begun, i = start, start
    while i < len(lines):
        if FENCE.match(lines[i]) or lines[i].strip() == "+++":
            if "\n".join(prose).strip():
                yield "text", "\n".join(prose).strip(), (), begun + 1
            prose = []
        if fence := FENCE.match(lines[i]):
            opened, body, tags = i, list[str](), tuple[str, ...]()
            while (i := i + 1) < len(lines) and lines[i] != "```":
                body.append(lines[i])
            if i == len(lines):
                raise SourceError(f"solutions/{name}.md, line {opened + 1}: this block is never closed with ```")
            while body and (option := re.match(r":tags: *\[(.*)\]$", body[0])):
                tags = tuple(tag.strip() for tag in option[1].split(","))
                body = body[1:]
            yield fence[1].removesuffix("-cell"), "\n".join(body).strip("\n"), tags, opened + 1
            begun = i + 1
        elif lines[i].strip() == "+++":
            begun = i + 1
        else:
            prose.append(lines[i])
        i += 1
    if "\n".join(prose).strip():
        yield "text", "\n".join(prose).strip(), (), begun + 1


def _labels(cell: Cell) -> list[str]:
    return [found[1] for row in cell.text.splitlines() if (found := LABEL.match(row))]


# ---- as the course gives it ------------------------------------------------------------------


def as_given(text: Source, given: Given, tries: Sequence[float] = Course.tries) -> Source:
    """The source without the tasks that the course leaves out, and with its points at each try."""
    cells, out = [], ""
    for cell in text.cells:
        label = next(iter(_labels(cell)), "") if cell.role == "text" else ""
        out = label if label in given.without else "" if label else out
        if not out:
            cells.append(cell)
        if cell.role == "check":
            out = ""  # what follows belongs to the notebook
    facts = {
        task: _with_points(known, given.points[task]) if task in given.points else known
        for task, known in text.facts.items()
        if task not in given.without
    }
    if tries != Course.tries:
        few = {task for task, known in facts.items() if "options" in known or known["kind"] in OF_A_FEW}
        facts = {task: known | ({"tries": [*tries]} if task in few else {}) for task, known in facts.items()}
    if not facts:
        raise SourceError(f"course.toml leaves out every task of {text.name}: leave out the assignment instead")
    for gone in given.without:
        told = f"course.toml leaves out {gone}"
        sheet = next((known["sheet"] for known in facts.values() if gone in known.get("sheet", ())), None)
        if sheet:
            raise SourceError(f"{told}, whose data are those of others: leave out all or none of {', '.join(sheet)}")
        user = next((cell for cell in cells if cell.role != "text" and re.search(rf"\b{gone}\b", cell.text)), None)
        if user:
            place = f"solutions/{text.name}.md, line {user.line}"
            raise SourceError(f"{told}, and {place}, needs it: keep it, or leave out {user.task} too")
    return replace(text, cells=cells, facts=facts)


def _with_points(known: dict[str, Any], points: int) -> dict[str, Any]:
    """The facts of a task that is worth so many points; its families share them as they shared those of before."""
    parts = next((name for name in ("families", "conditions") if name in known), "")
    if not parts:
        return known | {"points": points}
    worth = [part.get("points", 1) for part in known[parts]]
    ends = [round(points * sum(worth[:n]) / sum(worth)) for n in range(len(worth) + 1)]
    shares = [end - begin for begin, end in itertools.pairwise(ends)]
    return known | {parts: [part | {"points": share} for part, share in zip(known[parts], shares, strict=True)]}


# ---- the text, for a notebook and for the book ----------------------------------------------


def heading_facts(task: Task) -> str:
    """What stands under the heading of a task.

    >>> from ndcg_course.tasks import task_named
    >>> heading_facts(task_named("best_first"))
    '*Write a function · `best_first` · 2 points · about 4 minutes*'
    """
    points = f"{task.points} point{'' if task.points == 1 else 's'}{_at_each_try(task)}"
    points += ", marked by hand" if task.by_hand else ""
    gain = f" · {told}" if (told := said(task.gains)) else ""
    return f"*{KINDS[task.kind]} · `{task.name}` · {points} · about {task.minutes} minutes{gain}*"


def _at_each_try(task: Task) -> str:
    """What further tries earn, told before the first.

    >>> from ndcg_course.tasks import task_named
    >>> _at_each_try(task_named("which_test")), _at_each_try(task_named("one_added"))
    (', 1 at the second try, then 0', ' for the first answer')
    """
    if task.shares == (1.0,):
        return ""
    if task.kind == "predict":
        return " for the first answer"
    *further, last = (f"{task.earned(n):g}" for n in range(1, len(task.shares)))
    told = [f"{earned} at the {NTH[n]} try" for n, earned in enumerate(further)]
    return ", " + ", ".join([*told, f"then {last}"])


def _asked_beside(task: Task, *, for_book: bool) -> list[str]:
    """That two numbers are asked, where one alone cannot tell what went wrong; the page has a field for each."""
    if not isinstance(task, ValueTask) or not task.beside:
        return []
    numbers = "[1.5, 4.25]" if task.decimals else "[2, 11]"
    told = (
        f"Give two numbers, {task.beside} and then the answer" + (f", as in `{task.name} = {numbers}`:", ":")[for_book]
    )
    return ["", f"{told} so the check can say where to look. The answer alone earns the points, too."]


NTH = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def text_of(cell: Cell, assignment: Assignment, *, for_book: bool = False) -> str:
    """A text cell with the facts of the assignment and its tasks filled in."""
    by_name = {task.name: task for task in assignment.tasks}
    number = {task.name: i for i, task in enumerate(assignment.tasks, start=1)}
    out: list[str] = []
    labelled, beside = "", list[str]()
    for line in cell.text.splitlines():
        if (match := LABEL.match(line)) and match[1] in by_name:
            labelled = match[1]
            if for_book:
                out.append(f"(task-{labelled.replace('_', '-')})=")
            continue
        if labelled and line.startswith("## "):
            out += [f"## Task {number[labelled]}: {line[3:]}", "", heading_facts(by_name[labelled])]
            beside = _asked_beside(by_name[labelled], for_book=for_book)
            labelled = ""
            continue
        out.append(line)
        if line.startswith("# "):
            by_hand = sum(task.points for task in assignment.tasks if task.by_hand)
            facts = f"{len(assignment.tasks)} tasks · {assignment.points} points · about {assignment.minutes} minutes"
            out += ["", f"*{facts}" + (f" · {by_hand} points are given by a person*" if by_hand else "*")]
    return PLACE.sub(lambda m: _book_link(m[1]) if for_book else where(m[1]), "\n".join([*out, *beside]))


def _book_link(place: str) -> str:
    page, _, anchor = place.partition("#")
    return f"[]({f'#{anchor}' if anchor else f'../{page}.md'})"


# ---- the code, with and without the solution -------------------------------------------------


def student_code(cell: Cell, task: Task) -> str:
    """The answer cell as a student gets it: the starter where there is one, else dots in place of the solution."""
    out: list[str] = []
    for inside, lines in _regions(cell):
        if not inside:
            out += lines
            continue
        starter = [_unmarked(line) for line in lines if _is_starter(line)]
        out += starter or _dots(lines, task)
    return "\n".join(out)


def starter_code(cell: Cell) -> str:
    """The code that a repair begins with; "" where there are only dots."""
    regions = list(_regions(cell))
    given = [[_unmarked(line) for line in lines if _is_starter(line)] if inside else lines for inside, lines in regions]
    marked = any(inside and lines for (inside, _), lines in zip(regions, given, strict=True))
    return "\n".join(line for lines in given for line in lines) if marked else ""


def solved_code(cell: Cell, *, markers: bool = False) -> str:
    """The answer cell with its solution, with or without the marks around it."""
    out: list[str] = []
    for inside, lines in _regions(cell):
        kept = [line for line in lines if not (inside and _is_starter(line))]
        indent = _indent(lines[0]) if lines else ""
        out += [f"{indent}{BEGIN}", *kept, f"{indent}{END}"] if inside and markers else kept
    return "\n".join(out)


def solution_lines(cell: Cell) -> list[str]:
    """The lines that a student may not find in any file."""
    return [
        line.strip()
        for inside, lines in _regions(cell)
        for line in lines
        if inside and not _is_starter(line) and len(line.strip()) > 12
    ]


def _regions(cell: Cell) -> Iterator[tuple[bool, list[str]]]:
    inside, lines = False, list[str]()
    for line in cell.text.splitlines():
        if line.strip() in (BEGIN, END):
            if (line.strip() == BEGIN) == inside:
                raise SourceError(f"task {cell.task}, cell at line {cell.line}: {line.strip()!r} is out of place")
            yield inside, lines
            inside, lines = not inside, []
        else:
            lines.append(line)
    if inside:
        raise SourceError(f"task {cell.task}, cell at line {cell.line}: {END!r} is missing")
    yield inside, lines


def _dots(lines: Sequence[str], task: Task) -> list[str]:
    indent = _indent(next((line for line in lines if line.strip()), ""))
    if indent:
        return [f"{indent}# your code here", f"{indent}return ..."]
    if isinstance(task, FunctionTask):
        raise SourceError(f"task {task.name}: mark the body of the function, so that its line `def` stays")
    if isinstance(task, TextTask):  # between three quotes, one that the student writes breaks nothing
        return [f'{task.name} = r"""', "...", '"""']
    return [f"{task.name} = ..."]


def _is_starter(line: str) -> bool:
    return line.lstrip().startswith(STARTER.rstrip())


def _unmarked(line: str) -> str:
    return re.sub(rf"^(\s*){STARTER.rstrip()} ?", r"\1", line).rstrip()


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
