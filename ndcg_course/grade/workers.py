"""Who marks: judges, processes of this machine, each locked in and with a clock.

What came from a student is parsed, judged and compared nowhere else. The run itself reads files, begins clean
processes, takes results and writes. A judge that works on one task for longer than that can take, or ends in it, is
replaced, and costs this task of this submission: the next run tries again.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import platform
import signal
import socket
import sys
import sysconfig
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import connection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy

import ndcg_course
import ndcg_lib
from ndcg_course import course, sealed
from ndcg_course.grade import marking, notebooks
from ndcg_course.grade.inside import sandbox, syscalls
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.process import Begun, Lent, Spent, Zygote, ignore_signals_of_children
from ndcg_course.grade.submissions import Job
from ndcg_course.tasks import names

TRIES, LOOK = 3, 0.2
MORE = 30.0  # seconds of its processor that a judge may take to read and judge a submission, whatever is in it
TOO_LONG = "reading and judging it took longer than it may"
MEMORY = 1 << 30  # bytes that a judge may take besides those that it has when it begins


class Worker:
    """A judge who marks one submission after another, and what the run holds for it."""

    def __init__(self, context: Any, settings: Settings):
        self.job: Job | None = None
        self.settings = settings
        self.pipe, theirs = context.Pipe()
        there, self._alive = context.Pipe(duplex=False)
        self._steps, steps = context.Pipe(duplex=False)
        self._begun: list[Begun] = []
        self._slimming: Any = None
        self.process = context.Process(target=_serve, args=(theirs, there, steps, settings), daemon=True)
        self.process.start()
        for end in (theirs, there, steps):
            end.close()
        os.set_blocking(self._steps.fileno(), False)

    def give(self, job: Job, loaded: notebooks.Loaded, lost: Sequence[str]) -> None:
        """The next submission."""
        self.job, self.clock = job, Spent(self.process.pid)
        self.began = self.clock.processor()
        self.task()  # of the submission before
        small = loaded.size <= notebooks.LARGE
        with contextlib.suppress(OSError):  # it ended: that is seen where its results are awaited
            self.pipe.send((job, loaded.digest, loaded.text(self.settings.limits) if small else None, lost))
            if not small:
                self._slimming = loaded.slimming(self.settings.limits, locked=self.settings.locked)
                _hand(self.pipe, [self._slimming.stdout.fileno()])
                self._slimming.stdout.close()

    def answer(self) -> dict[str, Any] | None:
        """What it says: the result; nothing where it asked for a clean process, which it gets."""
        told: dict[str, Any] = json.loads(self.pipe.recv_bytes())
        if "begin" not in told:
            self._end_slimming()
            return told
        magics, many = (bool(one) for one in told["begin"])
        begun = Begun(
            self.settings.limits, locked=self.settings.locked, magics=magics, many=many,
            packages=self.settings.packages,
        )  # fmt: skip
        self._begun.append(begun)
        _hand(self.pipe, [begun.control.fileno(), begun.told.fileno()])
        begun.control.close()
        return None

    def task(self) -> str:
        """The task that it was at when it was looked at last."""
        try:
            told = os.read(self._steps.fileno(), 1 << 16)
        except OSError:
            return ""
        return told.decode(errors="replace").split("\n")[-2] if b"\n" in told else ""

    def late(self) -> bool:
        """Whether it has computed for longer than it may. The student's own process has a clock of its own."""
        return self.job is not None and self.clock.processor() - self.began > MORE

    def end(self) -> None:
        """End it, and the clean processes that were begun for it."""
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self._end_slimming()
        for begun in self._begun:
            begun.close()
        self._alive.close()
        self._steps.close()

    def _end_slimming(self) -> None:
        if self._slimming is not None:
            self._slimming.kill()
            self._slimming.wait()
            self._slimming = None


def mark(jobs: Sequence[Job], settings: Settings, *, workers: int = 1) -> Iterator[dict[str, Any]]:
    """The results of the jobs as they come. A judge that dies costs no result; none of them marks in this process.

    A judge is given its next submission only when its last result was taken, that is, when it is on disk.
    """
    if not workers:  # in this process: for tests, and where one submission is all there is
        try:
            for job in jobs:
                yield marking.mark(job, settings)
        finally:
            marking.close()
        return
    marking.close()  # of the trial: from here on others mark
    ignore_signals_of_children()
    # Not forked: a judge with threads or open files of its parent would be a poor keeper of a secret.
    short = len(os.fsencode(tempfile.gettempdir())) <= 70  # a socket stands below it, and its path may have 107 bytes
    context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" and short else "spawn")
    if hasattr(context, "set_forkserver_preload"):
        context.set_forkserver_preload(["ndcg_course.grade.workers"])
    waiting, tries, lost = list(jobs)[::-1], Counter[Job](), defaultdict[Job, list[str]](list)
    hands: list[Worker] = []
    try:
        while waiting or any(hand.job for hand in hands):
            hands += [Worker(context, settings) for _ in range(min(workers, len(waiting)) - len(hands))]
            for hand in hands:
                alone = any(tries[job] for job in [*waiting[-1:], *(hand.job for hand in hands if hand.job)])
                busy = any(hand.job for hand in hands)
                while hand.job is None and waiting and not (alone and busy):
                    job = waiting.pop()
                    loaded = marking.taken(job, settings)
                    if isinstance(loaded, dict):
                        yield loaded
                    else:
                        hand.give(job, loaded, lost[job])  # whoever may have ended a judge is tried alone
            yield from _taken(hands, waiting, tries, lost)
    finally:
        for hand in hands:
            hand.end()


def _taken(
    hands: list[Worker], waiting: list[Job], tries: Counter[Job], lost: dict[Job, list[str]]
) -> Iterator[dict[str, Any]]:
    """What the judges have done. The submission of one that ended, or took too long, waits again: without the task
    in which that happened twice, or for too long."""
    busy = {hand.pipe: hand for hand in hands if hand.job is not None}
    for pipe in connection.wait([*busy], LOOK):
        hand = busy[pipe]
        try:
            result = hand.answer()
        except (EOFError, OSError):
            job, task = hand.job, hand.task()
            assert job is not None
            hand.job = None
            hands.remove(hand)
            hand.end()
            tries[job] += 1
            if task and task not in lost[job] and tries[job] >= TRIES - 1:
                lost[job].append(task)
                waiting.append(job)
            elif tries[job] < TRIES:
                waiting.append(job)
            else:
                yield marking.failed(job, f"the judge ended ({hand.process.exitcode})")
            continue
        if result is not None:
            hand.job = None
            yield result
    for hand in [hand for hand in hands if hand.late()]:
        hands.remove(hand)
        job, task = hand.job, hand.task()
        hand.end()
        assert job is not None
        if task and task not in lost[job]:
            lost[job].append(task)
            waiting.append(job)
        else:
            yield marking.failed(job, TOO_LONG)


def _hand(pipe: Connection, descriptors: list[int]) -> None:
    """Give open files to the other side of a pipe."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=os.dup(pipe.fileno())) as way:
        socket.send_fds(way, [b"f"], descriptors)


class Judge:
    """The judge's side: what it may not do itself, it asks the run for."""

    def __init__(self, pipe: Connection, steps: Connection):
        self.pipe, self.steps = pipe, steps.fileno()
        self.way = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=os.dup(pipe.fileno()))

    def begin(self, settings: Settings, magics: bool, many: bool) -> Zygote:
        """A clean process that the run begins."""
        self.pipe.send_bytes(json.dumps({"begin": [magics, many]}).encode())
        control, told = self._handed(2)
        way = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=control)
        return Zygote(settings.limits, Lent(way, os.fdopen(told, "rb")))

    def at(self, task: str) -> None:
        """Say which task is next; the run reads it only where something takes long, or ends."""
        os.write(self.steps, f"{task}\n".encode())

    def slimmed(self, settings: Settings) -> bytes:
        """What a process of its own takes out of a large notebook."""
        with os.fdopen(self._handed(1)[0], "rb") as stream:
            return notebooks.slimmed(stream, settings.limits)

    def _handed(self, number: int) -> list[int]:
        word, descriptors, _, _ = socket.recv_fds(self.way, 1, number)
        if not word:
            raise EOFError
        return descriptors


def _serve(pipe: Connection, alive: Connection, steps: Connection, settings: Settings) -> None:
    """Mark what comes through the pipe until it is closed; end at once when the run is gone, however that came."""

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            alive.recv_bytes()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run is told, and ends its judges
    judge = Judge(pipe, steps)
    marking.here = marking.Place(judge.begin, judge.at)
    if settings.locked and not sandbox.missing():
        lock_in()  # which also ends it with the run
    else:
        threading.Thread(target=watch, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            job, digest, text, lost = pipe.recv()
            read = partial(judge.slimmed, settings) if text is None else partial(bytes, text)
            told = marking.judged(job, digest, read, settings, lost)
            pipe.send_bytes(json.dumps(told).encode())


def lock_in() -> None:
    """Lock this process in, for good: it reads its own program, and opens, makes and reaches nothing else."""
    for name in names():
        sealed.now(name)
    own = [Path(str(one.__file__)).parent for one in (ndcg_lib, ndcg_course)]
    stdlib, packages = sysconfig.get_path("stdlib"), str(Path(numpy.__file__).parents[1])
    rules = sandbox.ruleset([*map(str, own), str(own[1].parent / course.FILE), stdlib, packages], [])
    with open("/proc/self/statm") as file:
        has = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limits = {"AS": has + MEMORY, "CORE": 0}
    sandbox.lock(rules, limits, sandbox.prepared(syscalls.program(platform.machine(), judge=True)), as_nobody=False)
