"""Who marks: processes of this machine, each with a clock. What came from a student is computed on nowhere else.

The run itself hands out names of files, takes results and writes. A worker that works on one submission for longer than
that can take is ended, and costs this submission alone: it has no marks now, and the next run tries again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing import connection
from multiprocessing.connection import Connection
from typing import Any

from ndcg_course.grade import marking
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.process import Spent
from ndcg_course.grade.submissions import Job

TRIES, LOOK = 3, 0.2
MORE = 30.0  # seconds of its processor that a worker may take to read and judge a submission, whatever is in it
TOO_LONG = "reading and judging it took longer than it may"


class Worker:
    """A process that marks one submission after another."""

    def __init__(self, context: Any, settings: Settings):
        self.job: Job | None = None
        self.pipe, theirs = context.Pipe()
        there, self._alive = context.Pipe(duplex=False)
        self.process = context.Process(target=_serve, args=(theirs, there, settings), daemon=True)
        self.process.start()
        theirs.close()
        there.close()

    def give(self, job: Job) -> None:
        """The next submission."""
        self.job, self.clock = job, Spent(self.process.pid)
        self.began = self.clock.processor()
        self.pipe.send(job)

    def late(self) -> bool:
        """Whether it has computed for longer than it may. The student's own process has a clock of its own."""
        return self.job is not None and self.clock.processor() - self.began > MORE

    def end(self) -> None:
        """End it; the clean processes that it began end with it, and empty their folders."""
        self.pipe.close()
        if self.job is None:
            self.process.join(5)
        self.process.kill()
        self.process.join()
        self._alive.close()


def mark(jobs: Sequence[Job], settings: Settings, *, workers: int = 1) -> Iterator[dict[str, Any]]:
    """The results of the jobs as they come. A worker that dies costs no result; none of them marks in this process.

    A worker is given its next submission only when its last result was taken, that is, when it is on disk.
    """
    if not workers:  # in this process: for tests, and where one submission is all there is
        try:
            for job in jobs:
                yield marking.mark(job, settings)
        finally:
            marking.close()
        return
    marking.close()  # of the trial: from here on others mark
    # Not forked: a worker with threads or open files of its parent would be a poor keeper of a secret.
    short = len(os.fsencode(tempfile.gettempdir())) <= 70  # a socket stands below it, and its path may have 107 bytes
    context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" and short else "spawn")
    if hasattr(context, "set_forkserver_preload"):
        context.set_forkserver_preload(["ndcg_course.grade.marking"])
    waiting, tries = list(jobs)[::-1], Counter[Job]()
    hands: list[Worker] = []
    try:
        while waiting or any(hand.job for hand in hands):
            hands += [Worker(context, settings) for _ in range(min(workers, len(waiting)) - len(hands))]
            for hand in hands:
                alone = any(tries[job] for job in [*waiting[-1:], *(hand.job for hand in hands if hand.job)])
                busy = any(hand.job for hand in hands)
                if hand.job is None and waiting and not (alone and busy):
                    hand.give(waiting.pop())  # whoever may have ended a worker is tried alone
            yield from _taken(hands, waiting, tries)
    finally:
        for hand in hands:
            hand.end()


def _taken(hands: list[Worker], waiting: list[Job], tries: Counter[Job]) -> Iterator[dict[str, Any]]:
    """What the workers have done. The job of one that ended waits again; that of one that took too long does not."""
    busy = {hand.pipe: hand for hand in hands if hand.job is not None}
    ready = connection.wait([*busy], LOOK)
    for pipe in ready:
        hand = busy[pipe]
        job, hand.job = hand.job, None
        assert job is not None
        try:
            result = hand.pipe.recv()
        except (EOFError, OSError):
            hands.remove(hand)
            hand.end()
            tries[job] += 1
            if tries[job] < TRIES:
                waiting.append(job)
                continue
            result = marking.failed(job, f"the worker ended ({hand.process.exitcode})")
        yield result
    for hand in [hand for hand in hands if hand.late()]:
        hands.remove(hand)
        hand.end()
        assert hand.job is not None
        yield marking.failed(hand.job, TOO_LONG)


def _serve(pipe: Connection, alive: Connection, settings: Settings) -> None:
    """Mark what comes through the pipe until it is closed; end at once when the run is gone, however that came."""

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            alive.recv_bytes()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run is told, and ends its workers
    threading.Thread(target=watch, daemon=True).start()
    try:
        with contextlib.suppress(EOFError, OSError):
            while True:
                pipe.send(marking.mark(pipe.recv(), settings))
    finally:
        marking.close()  # the folders of the clean processes go before the worker goes
