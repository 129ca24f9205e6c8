"""Who marks: processes on this machine, or those of a dask cluster. The code that uses them is the same."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from ndcg_lib.grading import marking
from ndcg_lib.grading.marking import Job, Settings

AHEAD = 3  # chunks in flight for each worker: enough to keep it busy, few enough to stay small
TRIES = 3


def mark(
    jobs: Sequence[Job], settings: Settings, *, workers: int = 1, scheduler: str = ""
) -> Iterator[list[dict[str, Any]]]:
    """The results of the jobs, some at a time, as they come. A worker that dies costs no result."""
    if workers == 1 and not scheduler:
        try:
            for job in jobs:
                yield [marking.mark(job, settings)]
        finally:
            marking.close()
        return
    waiting = list(enumerate(_chunks(jobs, workers)))[::-1]
    tries: dict[int, int] = {}
    while waiting:
        with _executor(workers, scheduler) as (executor, count):
            yield from _round(executor, count, waiting, tries, settings)


def _round(
    executor: Executor,
    count: int,
    waiting: list[tuple[int, list[Job]]],
    tries: dict[int, int],
    settings: Settings,
) -> Iterator[list[dict[str, Any]]]:
    """Hand out chunks until all are done or the executor breaks; what was not done waits again."""
    flying: dict[Future[Any], tuple[int, list[Job]]] = {}
    broken = False
    while (waiting or flying) and not (broken and not flying):
        while waiting and not broken and len(flying) < AHEAD * count:
            chunk = waiting.pop()
            try:
                flying[executor.submit(marking.mark_all, chunk[1], settings)] = chunk
            except BrokenProcessPool:
                waiting.append(chunk)
                broken = True
        done, _ = wait(flying, return_when=FIRST_COMPLETED)
        for future in done:
            number, chunk_jobs = flying.pop(future)
            error = future.exception()
            if error is None:
                yield future.result()
                continue
            broken = True
            tries[number] = tries.get(number, 0) + 1
            if tries[number] < TRIES:
                waiting.append((number, chunk_jobs))
            elif len(chunk_jobs) > 1:  # which of them is it? Each alone.
                waiting += [(-number * 1000 - i - 1, [job]) for i, job in enumerate(chunk_jobs)]
            else:
                yield [marking.failed(chunk_jobs[0], f"the worker ended ({type(error).__name__})")]


def _chunks(jobs: Sequence[Job], workers: int) -> Iterator[list[Job]]:
    """A few submissions at a time: a chunk is short beside the whole, and long beside its way to a worker."""
    size = max(1, min(20, len(jobs) // (workers * 4)))
    for start in range(0, len(jobs), size):
        yield list(jobs[start : start + size])


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
    context = multiprocessing.get_context("spawn" if sys.platform != "linux" else "forkserver")
    with ProcessPoolExecutor(workers, mp_context=context) as executor:
        try:
            yield executor, workers
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
