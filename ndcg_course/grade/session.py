"""One submission: a child runs its cells, gives its values and answers the calls; what ends it costs little else."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ndcg_course.explain.outcome import Outcome
from ndcg_course.grade import claims
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.process import CRASHED, REFUSED, STOPPED, UNSURE, Channel, Gone, Zygote

T = TypeVar("T")


@dataclass
class Batch:
    """What one task asks of the child: calls of a function, or with None the value of a variable."""

    task: str
    calls: Sequence[Sequence[Any]] | None = None
    text: bool = False  # a long text is wanted
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)  # functions to replace, with their parameters
    codes: Sequence[
        str
    ] = ()  # changed codes in place of the function; each call is then a number of one and its inputs
    seconds: float = 0.0  # for a call of these
    open: bool = False  # the inputs are those of every check, and no others are asked: what came may be told

    @property
    def size(self) -> int:
        """How many answers are due."""
        return 1 if self.calls is None else len(self.calls)


@dataclass
class Answers:
    """What came back, padded to what was asked, and what was lost on the way."""

    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    lost: dict[str, str] = field(default_factory=dict)  # task: how the child ended in it
    cells: dict[int, str] = field(default_factory=dict)  # cell: the error that ended it, or a statement of it
    cut: dict[int, list[int]] = field(default_factory=dict)  # cell: the lines of the statements that were left out
    given: dict[str, set[str]] = field(default_factory=dict)  # task: the functions that were right in place of its own
    ended: str = ""
    seconds: float = 0.0  # of processor time


Right = Callable[[str, list[Any]], dict[str, Any]]  # the right answer of a function, for a child that asks for it
MOST_ASKED, MOST_CUT = 5000, 20


class Cells:
    """How far a child is with its cells: a line of their own pipe for each, its number and the error that ended it."""

    def __init__(self, child: Channel, order: Sequence[int], limit: float):
        self._child, self._order, self._limit = child, order, limit
        self._rest = b""
        self._since = child.spent()
        self.errors: dict[int, str] = {}
        self.cut: dict[int, list[int]] = {}

    def look(self) -> float:
        """Read what is there; when the cell that now runs has to be done."""
        told = self._child.done()
        self._rest += told
        while b"\n" in self._rest and len(self.errors) < len(self._order):
            line, _, self._rest = self._rest.partition(b"\n")
            index, _, error = line.partition(b" ")
            if index != b"%d" % self.at:
                raise Gone(REFUSED)
            name, *lines = error.decode(errors="replace").split() or [""]
            if all(n.isascii() and n.isdigit() and len(n) < 6 for n in lines[:MOST_CUT]):
                self.cut[self.at] = [int(n) for n in lines[:MOST_CUT]]
            self.errors[self.at] = claims.error_name(name) if name else ""
            self._since = self._child.spent()
        if len(self._rest) > claims.LONGEST_LINE:
            raise Gone(REFUSED)
        return self._since + self._limit + 0.5

    @property
    def whole(self) -> bool:
        """Whether each cell has been told as done."""
        return len(self.errors) == len(self._order)

    @property
    def at(self) -> int:
        """The cell that now runs, or the last; -1 where there is none."""
        return self._order[min(len(self.errors), len(self._order) - 1)] if self._order else -1


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """What comes of work that waits for lines where it asks for them, as it does beside a clean process.

    In a browser, whose scripts may not wait, the same work is awaited.
    """
    try:
        work.send(None)
    except StopIteration as done:
        whole: T = done.value
        return whole
    raise RuntimeError("this waits for something else")


def ask(*given: Any) -> Answers:
    """The same as `asking`, with a clean process of this machine."""
    return at_once(asking(*given))


async def asking(
    zygote: Zygote,
    cells: Sequence[str],
    data: Mapping[str, Any],
    batches: Sequence[Batch],
    limits: Limits,
    right: Right | None = None,
) -> Answers:
    """Run the cells in a child and have it answer the batches.

    What ends the child, and ends it again, costs the cell or the call in which it happened: a new child runs the other
    cells and goes on behind that call. All of it together has one deadline.
    """
    answers = Answers(outcomes={batch.task: [] for batch in batches})
    left, skipped, careful, crashed = list(batches), set[int](), False, False
    had = 0.0  # by the children before
    for _ in range(limits.restarts + 2):
        if not left or had >= limits.submission:
            break
        child = await zygote.fork()
        end = limits.submission - had
        coded = [(i, cell) for i, cell in enumerate(cells) if i not in skipped]
        running, all_ran = Cells(child, [i for i, _ in coded], limits.cell), False
        try:
            values = [batch for batch in left if batch.calls is None]
            names = [batch.task for batch in batches]
            asked = _question(values, answers, limits, careful)
            await child.send({"cells": coded, "own": data, "tasks": names, "cell_seconds": limits.cell} | asked, end)
            await _hear_cells(child, running, end)
            answers.cells.update({index: error for index, error in running.errors.items() if error})
            answers.cut.update({index: lines for index, lines in running.cut.items() if lines})
            all_ran = True
            await _hear(child, left, len(values), asked["mark"], answers, end, limits, right)
            if left:
                asked = _question(left, answers, limits, careful)
                await child.send(asked, end)
                await _hear(child, left, len(left), asked["mark"], answers, end, limits, right)
        except Gone as gone:
            if str(gone) == UNSURE:
                raise
            if str(gone) == CRASHED and not crashed:
                crashed = careful = True  # it may have been killed from outside, once: what it does itself comes again
                continue
            answers.ended = answers.ended or str(gone)
            if not all_ran:
                with contextlib.suppress(Gone):
                    running.look()
                skipped.add(running.at)
                answers.cells[running.at] = str(gone)
                if running.at < 0:
                    break
            elif careful or (left and any(one.error == "Stopped" for one in answers.outcomes[left[0].task])):
                _lose(answers, left, str(gone), in_time=child.had() < end)
            else:
                careful = True  # which call it was shows when each answer comes at once
        finally:
            had += child.had()
            answers.seconds += child.close()
    return _padded(answers, batches, left)


def _padded(answers: Answers, batches: Sequence[Batch], left: Sequence[Batch]) -> Answers:
    """An outcome for each call; those that are left, and those that were not reached, say how it ended."""
    for batch in left:
        answers.lost.setdefault(batch.task, answers.ended or STOPPED)
        answers.ended = answers.ended or STOPPED
    for batch in batches:
        if batch.task not in answers.missing:
            given = answers.outcomes[batch.task]
            how = "Stopped" if answers.lost.get(batch.task) == STOPPED else "Crash"
            given += [Outcome(error=how) for _ in range(batch.size - len(given))]
    return answers


def _question(batches: Sequence[Batch], answers: Answers, limits: Limits, careful: bool) -> dict[str, Any]:
    """What is still to be asked of these batches."""
    asked: list[dict[str, Any]] = []
    for batch in batches:
        asked.append({"task": batch.task})
        if batch.calls is not None:
            asked[-1]["calls"] = batch.calls[len(answers.outcomes[batch.task]) :]
        if batch.text:
            asked[-1]["text"] = True
        if batch.given:
            asked[-1]["given"] = dict(batch.given)
        if batch.codes:
            asked[-1] |= {"codes": list(batch.codes), "seconds": batch.seconds}
    # An answer that was written before its question does not have the mark.
    return {"mark": secrets.token_hex(8), "careful": careful, "seconds": limits.call, "batches": asked}


async def _hear_cells(child: Channel, running: Cells, end: float) -> None:
    ready = await child.line(lambda: min(end, running.look())) == {"ready": True}
    running.look()
    if not ready or not running.whole:  # a cell said so itself: each is told before it, on a way that is read here
        raise Gone(REFUSED)


async def _hear(
    child: Channel,
    left: list[Batch],
    number: int,
    mark: str,
    answers: Answers,
    end: float,
    limits: Limits,
    right: Right | None,
) -> None:
    """Take the answers to the first so many batches, and each batch off the list when it is done."""
    stay = len(left) - number
    last, replies = end, 0
    while len(left) > stay:
        until = min(last, end, child.spent() + 2 * limits.call + 0.5)
        line = await child.line(lambda until=until: until)  # type: ignore[misc]
        told = line.get("answers")
        if right is not None and line.get("mark") == mark and (function := line.get("function")) in left[0].given:
            replies += 1
            if replies > MOST_ASKED or type(line.get("args")) is not list:
                raise Gone(REFUSED)
            answers.given.setdefault(left[0].task, set()).add(str(function))
            await child.send(right(str(function), line["args"]) | {"number": line.get("number")}, until)
            continue
        if line.get("mark") != mark or type(told) is not list or not told:
            raise Gone(REFUSED)
        for one in told:
            if type(one) is not dict or len(left) <= stay:
                raise Gone(REFUSED)
            stopped = _take(one, left[0], answers, limits) and not left[0].codes
            if len(answers.outcomes[left[0].task]) >= left[0].size or left[0].task in answers.missing:
                left.pop(0)
                last = end
            elif stopped:
                last = min(last, child.spent() + limits.task - limits.call)


def _take(told: dict[str, Any], batch: Batch, answers: Answers, limits: Limits) -> bool:
    """Note one answer; whether it is that of a call that was stopped."""
    given = answers.outcomes[batch.task]
    if told.get("missing") is True and not given:
        answers.missing.add(batch.task)
        return False
    if batch.open:
        outcome = claims.openly(told, limits.call)
    else:
        outcome = claims.outcome(told) if batch.calls is None else claims.known(told)
    given += [outcome] * (batch.size - len(given) if told.get("uncallable") is True else 1)
    return outcome.error == "Stopped"


def _lose(answers: Answers, left: list[Batch], how: str, *, in_time: bool) -> None:
    """Note the call in which the child ended; the next child goes on behind it."""
    batch = left[0]
    answers.lost[batch.task] = how
    given = answers.outcomes[batch.task]
    if len(given) < batch.size:
        given.append(Outcome(error="Stopped" if how == STOPPED else "Crash", message=claims.LIMIT if in_time else ""))
    # A second end in the same task, or its time being up, is the end of this task.
    enough = sum(outcome.error in ("Stopped", "Crash") for outcome in given) > 1
    if enough or len(given) >= batch.size:
        left.pop(0)
