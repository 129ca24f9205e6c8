"""The trusted side: starts the clean process, has it fork a child for a submission, and asks that child.

Nothing here believes the child. Whatever it sends is a line of at most 64 kB that arrives in time, or its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ndcg_lib.exercises import wire
from ndcg_lib.exercises.outcome import Outcome
from ndcg_lib.grading import claims
from ndcg_lib.grading.inside import sandbox
from ndcg_lib.grading.inside.zygote import STATUS
from ndcg_lib.grading.limits import Limits

INSIDE = Path(__file__).with_name("inside")
LOOK = 0.1  # seconds between two looks at the clock and the folder
STOPPED, CRASHED, REFUSED = "stopped", "crashed", "broke the rules"


class Gone(Exception):
    """The child cannot be asked any more: it ended, took too long, or sent what is no answer."""


class Broken(RuntimeError):
    """The clean process itself does not work."""


@dataclass
class Batch:
    """What one task asks of the child: calls of a function, or with None the value of a variable."""

    task: str
    calls: Sequence[Sequence[Any]] | None = None
    text: bool = False  # a long text is wanted

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
    cells: dict[int, str] = field(default_factory=dict)  # cell: the error that ended it
    ended: str = ""
    seconds: float = 0.0  # of processor time


class Zygote:
    """The clean process, and the folder that its children may write into."""

    def __init__(
        self,
        limits: Limits,
        *,
        locked: bool = True,
        magics: bool = False,
        packages: Sequence[str] = (),
    ):
        self.limits = limits
        self.folder = tempfile.mkdtemp(prefix="ndcg-grade-")
        if locked and hasattr(os, "getuid") and os.getuid() == 0:
            os.chown(self.folder, 65534, 65534)
        ours, theirs = socket.socketpair()
        self._control = ours
        ours.settimeout(30)
        settings = {
            "control": theirs.fileno(),
            "folder": self.folder,
            "locked": locked,
            "magics": magics,
            "wire": wire.__file__,
            "packages": _site_packages(),
            "preload": list(packages),
            "limits": limits.rlimits,
            "memory": limits.memory,
        }
        self._told = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(INSIDE / "zygote.py"), json.dumps(settings)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._told,
                env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "IPYTHONDIR": self.folder, "LANG": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
            )
        finally:
            theirs.close()
        self._expect(1)

    def fork(self) -> Channel:
        """A new child, and the pipes to it."""
        down, up, done = os.pipe(), os.pipe(), os.pipe()
        ours, theirs = (down[1], up[0], done[0]), (down[0], up[1], done[1])
        try:
            socket.send_fds(self._control, [b"f"], theirs)
            self.pid = struct.unpack("<i", self._expect(4))[0]
        except BaseException:
            _close(ours)
            raise
        finally:
            _close(theirs)
        return Channel(*ours, self)

    def end(self) -> tuple[int, float]:
        """Kill the child and empty its folder; how it had ended, and its processor time."""
        self._control.sendall(b"e")
        status, user, system, _ = STATUS.unpack(self._expect(STATUS.size))
        return status, user + system

    def close(self) -> None:
        """End the process; its children end with it."""
        self._control.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._told.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def full(self) -> bool:
        """Whether the child has left more in its folder than it may."""
        size = 0
        with os.scandir(self.folder) as entries:
            for count, entry in enumerate(entries):
                try:
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                except OSError:
                    continue
                if count > self.limits.files or size > self.limits.folder:
                    return True
        return False

    def _expect(self, n: int) -> bytes:
        data = b""
        try:
            while len(data) < n:
                more = self._control.recv(n - len(data))
                if not more:
                    raise OSError("it ended")
                data += more
        except OSError as error:
            self._told.seek(0)
            last = self._told.read()[-2000:].decode(errors="replace").strip().rpartition("\n")[2]
            self.close()
            raise Broken(f"the clean process does not work: {last or error}") from None
        return data


class Channel:
    """Lines to and from one child, with a deadline each."""

    def __init__(self, out: int, into: int, done: int, zygote: Zygote):
        self._out, self._into, self._done, self._zygote = out, into, done, zygote
        for descriptor in (out, into, done):
            os.set_blocking(descriptor, False)
        self._rest = b""
        self._poll = select.poll()
        self._poll.register(into, select.POLLIN)

    def send(self, message: Mapping[str, Any], end: float) -> None:
        """Write a line; the child may be slow to take it."""
        data = memoryview(json.dumps(message).encode() + b"\n")
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:
                if time.monotonic() > end:
                    raise Gone(STOPPED) from None
                select.select([], [self._out], [], LOOK)
            except OSError:
                raise Gone(CRASHED) from None

    def line(self, end: Callable[[], float]) -> dict[str, Any]:
        """The next line. Its end is asked for again and again: cells that are done move it."""
        while b"\n" not in self._rest:
            if len(self._rest) > claims.LONGEST_LINE:
                raise Gone(REFUSED)
            left = end() - time.monotonic()
            if left <= 0:
                raise Gone(STOPPED)
            if not self._poll.poll(1000 * min(left, LOOK) + 1):
                if self._zygote.full():
                    raise Gone(REFUSED)
                continue
            try:
                more = os.read(self._into, 1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                raise Gone(CRASHED) from None
            if not more:
                raise Gone(CRASHED)
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return claims.read(line)
        except ValueError:
            raise Gone(REFUSED) from None

    def done(self) -> bytes:
        """What the child has told since the last look about the cells that are done."""
        try:
            return os.read(self._done, 1 << 16)
        except OSError:
            return b""

    def close(self) -> None:
        """Close the pipes."""
        _close((self._out, self._into, self._done))


class Cells:
    """How far a child is with its cells: a line of their own pipe for each, its number and the error that ended it."""

    def __init__(self, child: Channel, order: Sequence[int], limit: float):
        self._child, self._order, self._limit = child, order, limit
        self._rest = b""
        self._since = time.monotonic()
        self.errors: dict[int, str] = {}

    def look(self) -> float:
        """Read what is there; when the cell that now runs has to be done."""
        told = self._child.done()
        self._rest += told
        while b"\n" in self._rest and len(self.errors) < len(self._order):
            line, _, self._rest = self._rest.partition(b"\n")
            index, _, error = line.partition(b" ")
            if index != b"%d" % self.at:
                raise Gone(REFUSED)
            self.errors[self.at] = claims.error_name(error.decode(errors="replace")) if error else ""
            self._since = time.monotonic()
        if len(self._rest) > claims.LONGEST_LINE:
            raise Gone(REFUSED)
        return self._since + self._limit + 0.5

    @property
    def at(self) -> int:
        """The cell that now runs, or the last; -1 where there is none."""
        return self._order[min(len(self.errors), len(self._order) - 1)] if self._order else -1


def ask(
    zygote: Zygote, cells: Sequence[str], data: Mapping[str, Any], batches: Sequence[Batch], limits: Limits
) -> Answers:
    """Run the cells in a child and have it answer the batches.

    What ends the child, and ends it again, costs the cell or the call in which it happened: a new child runs the other
    cells and goes on behind that call. All of it together has one deadline.
    """
    answers = Answers(outcomes={batch.task: [] for batch in batches})
    left, skipped, careful, crashed = list(batches), set[int](), False, False
    end = time.monotonic() + limits.submission
    for _ in range(limits.restarts + 2):
        if not left or time.monotonic() >= end:
            break
        child = zygote.fork()
        coded = [(i, cell) for i, cell in enumerate(cells) if i not in skipped]
        running, all_ran = Cells(child, [i for i, _ in coded], limits.cell), False
        try:
            values = [batch for batch in left if batch.calls is None]
            names = [batch.task for batch in batches]
            asked = _question(values, answers, limits, careful)
            child.send({"cells": coded, "own": data, "tasks": names, "cell_seconds": limits.cell} | asked, end)
            _hear_cells(child, running, end)
            answers.cells.update({index: error for index, error in running.errors.items() if error})
            all_ran = True
            _hear(child, left, len(values), asked["mark"], answers, end, limits)
            if left:
                asked = _question(left, answers, limits, careful)
                child.send(asked, end)
                _hear(child, left, len(left), asked["mark"], answers, end, limits)
        except Gone as gone:
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
                _lose(answers, left, str(gone))
            else:
                careful = True  # which call it was shows when each answer comes at once
        finally:
            child.close()
            answers.seconds += zygote.end()[1]
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
    # An answer that was written before its question does not have the mark.
    return {"mark": secrets.token_hex(8), "careful": careful, "seconds": limits.call, "batches": asked}


def _hear_cells(child: Channel, running: Cells, end: float) -> None:
    if child.line(lambda: min(end, running.look())) != {"ready": True}:
        raise Gone(REFUSED)
    running.look()


def _hear(
    child: Channel, left: list[Batch], number: int, mark: str, answers: Answers, end: float, limits: Limits
) -> None:
    """Take the answers to the first so many batches, and each batch off the list when it is done."""
    stay = len(left) - number
    last = end
    while len(left) > stay:
        until = min(last, end, time.monotonic() + limits.call + 0.5)
        line = child.line(lambda until=until: until)  # type: ignore[misc]
        told = line.get("answers")
        if line.get("mark") != mark or type(told) is not list or not told:
            raise Gone(REFUSED)
        for one in told:
            if type(one) is not dict or len(left) <= stay:
                raise Gone(REFUSED)
            stopped = _take(one, left[0], answers)
            if len(answers.outcomes[left[0].task]) >= left[0].size or left[0].task in answers.missing:
                left.pop(0)
                last = end
            elif stopped:
                last = min(last, time.monotonic() + limits.task - limits.call)


def _take(told: Mapping[str, Any], batch: Batch, answers: Answers) -> bool:
    """Note one answer; whether it is that of a call that was stopped."""
    given = answers.outcomes[batch.task]
    if told.get("missing") is True and not given:
        answers.missing.add(batch.task)
        return False
    outcome = claims.outcome(told)
    given += [outcome] * (batch.size - len(given) if told.get("uncallable") is True else 1)
    return outcome.error == "Stopped"


def _lose(answers: Answers, left: list[Batch], how: str) -> None:
    """Note the call in which the child ended; the next child goes on behind it."""
    batch = left[0]
    answers.lost[batch.task] = how
    given = answers.outcomes[batch.task]
    if len(given) < batch.size:
        given.append(Outcome(error="Stopped" if how == STOPPED else "Crash", message="its time limit"))
    # A second end in the same task, or its time being up, is the end of this task.
    enough = sum(outcome.error in ("Stopped", "Crash") for outcome in given) > 1
    if enough or len(given) >= batch.size:
        left.pop(0)


def _site_packages() -> list[str]:
    """Where numpy and what may be allowed besides it are installed."""
    import numpy

    return [str(Path(numpy.__file__).parents[1])]


def works(limits: Limits, *, locked: bool = True) -> str:
    """Try the sandbox once: what is wrong with it, or nothing. Each door is tried from inside."""
    if locked and (lacking := sandbox.missing()):
        return lacking
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    try:
        zygote = Zygote(limits, locked=locked)
    except (Broken, OSError) as error:
        return str(error)
    try:
        trial = _TRIAL % (str(INSIDE), os.getpid()) if locked else "doors = []"
        answers = ask(zygote, [trial], {}, [Batch("doors")], limits)
        if answers.ended or "doors" in answers.missing:
            return "a first child did not answer"
        found = answers.outcomes["doors"][0]
        if type(found.value) is not list:
            return "a first child gave no answer"
        if locked and found.value:
            return f"not closed in the sandbox: {', '.join(map(str, found.value))}"
    finally:
        zygote.close()
    return ""


_TRIAL = """
import os, socket, numpy.random
doors = []
def attempt(name, work):
    try:
        work()
    except BaseException:
        return
    doors.append(name)
attempt("files", lambda: os.listdir(%r))
attempt("processes", os.fork)
attempt("network", socket.socket)
attempt("signals", lambda: os.kill(%d, 0))
"""


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def ignore_signals_of_children() -> None:
    """A pipe that a child shares with us may never be the reason for our end."""
    for name in ("SIGIO", "SIGPIPE", "SIGURG"):
        if hasattr(signal, name):
            with contextlib.suppress(ValueError):  # in a thread of dask; the sandbox lets no such signal out anyway
                signal.signal(getattr(signal, name), signal.SIG_IGN)
