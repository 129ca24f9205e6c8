"""Who marks: processes on this machine, or those of a dask cluster. The code that uses them is the same."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import util
from multiprocessing.connection import Connection
from typing import Any

from ndcg_course.grade import marking
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.submissions import Job

TRIES = 3


def mark(jobs: Sequence[Job], settings: Settings, *, workers: int = 1, scheduler: str = "") -> Iterator[dict[str, Any]]:
    """The results of the jobs as they come. A worker that dies costs no result.

    A worker is given its next submission only when its last result was taken, that is, when it is on disk.
    """
    if workers == 1 and not scheduler:
        try:
            for job in jobs:
                yield marking.mark(job, settings)
        finally:
            marking.close()
        return
    marking.close()  # of the trial: from here on others mark
    waiting, tries = list(jobs)[::-1], Counter[Job]()
    while waiting:
        with _executor(workers, scheduler) as (executor, count):
            yield from _round(executor, count, waiting, tries, settings)


def _round(
    executor: Executor, count: int, waiting: list[Job], tries: Counter[Job], settings: Settings
) -> Iterator[dict[str, Any]]:
    """Hand out jobs until all are done or the executor breaks; what was not done waits again."""
    flying: dict[Future[Any], Job] = {}
    broken = False
    while flying or (waiting and not broken):
        while waiting and not broken and len(flying) < count:
            if flying and any(tries[job] for job in (waiting[-1], *flying.values())):
                break  # whoever may have ended a worker is tried alone: it shall not cost the others a try
            job = waiting.pop()
            try:
                flying[executor.submit(marking.mark, job, settings)] = job
            except BrokenProcessPool:
                waiting.append(job)
                broken = True
        done, _ = wait(flying, return_when=FIRST_COMPLETED)
        for future in done:
            job = flying.pop(future)
            error = future.exception()
            if error is None:
                yield future.result()
                continue
            broken = True
            tries[job] += 1
            if tries[job] < TRIES:
                waiting.append(job)
            else:
                yield marking.failed(job, f"the worker ended ({type(error).__name__})")


@contextmanager
def _executor(workers: int, scheduler: str) -> Iterator[tuple[Executor, int]]:
    if scheduler:
        try:
            from distributed import Client  # type: ignore[import-not-found, unused-ignore]
        except ModuleNotFoundError:
            raise ValueError("--scheduler needs dask: pip install 'ndcg-lib[grade]'") from None
        with Client(scheduler, timeout="20s") as client:  # type: ignore[no-untyped-call, unused-ignore]
            count = max(1, sum(client.nthreads().values()))
            with client.get_executor(pure=False, retries=TRIES) as executor:
                yield executor, count
        return
    # Not forked: a worker with threads or open files of its parent would be a poor keeper of a secret.
    short = len(os.fsencode(tempfile.gettempdir())) <= 70  # a socket stands below it, and its path may have 107 bytes
    context = multiprocessing.get_context("forkserver" if sys.platform == "linux" and short else "spawn")
    here, there = context.Pipe(duplex=False)
    with here, there, ProcessPoolExecutor(workers, context, _end_with, (here,)) as executor:
        try:
            yield executor, workers
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _end_with(grader: Connection) -> None:
    """End this worker when the grader is gone, however that came about: it alone holds the other end of the pipe."""

    def wait_for_it() -> None:
        with contextlib.suppress(EOFError, OSError):
            grader.recv_bytes()
        os._exit(1)

    threading.Thread(target=wait_for_it, daemon=True).start()
    util.Finalize(None, marking.close, exitpriority=1)  # the folders of the clean processes go before the worker goes
