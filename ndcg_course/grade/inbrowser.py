"""Grading in a browser: what `workers` and `process` are on a system with processes.

The page makes workers and moves lines. One worker, the clerk, holds what was handed in and what was written, in a file
system of its own memory; another one, the judge, knows the answers and talks with the students' workers, each behind
a port. Marks, claims and pages come from the same code as in the command.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ndcg_course import course
from ndcg_course.explain import codec, forbidden
from ndcg_course.grade import claims, marking, notebooks
from ndcg_course.grade.gradebook import Asked
from ndcg_course.grade.inside import child, kit, worker, zygote
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.options import from_course
from ndcg_course.grade.process import CRASHED, REFUSED, STOPPED, Broken, Gone
from ndcg_course.grade.run import Options, run
from ndcg_course.grade.submissions import Job

PLACE = Path("/class")
INPUT, OUTPUT = PLACE / "handed-in", PLACE / "marks"
LOOK = 0.1  # seconds between two looks at the clock
FORMS = ("canvas", "moodle")


def inside() -> str:
    """The files of the student's side, by name: all that its worker gets of ours."""
    files = [Path(str(module.__file__)) for module in (child, kit, worker, zygote, codec, forbidden)]
    return json.dumps({file.stem: file.read_text("utf8") for file in files})


class Channel:
    """Lines to and from one student's worker. Its time is counted in looks: a machine that stood still costs little."""

    def __init__(self, port: Any):
        self._port, self._had, self._looked = port, 0.0, time.monotonic()
        self._done = b""

    async def send(self, message: Mapping[str, Any], end: float) -> None:
        """Give a line."""
        self._port.send(json.dumps(message))

    async def line(self, end: Callable[[], float]) -> dict[str, Any]:
        """The next line. Its end is asked for again and again: cells that are done move it."""
        while True:
            told = self._port.take()  # first: what is said already was said in time
            if told is None:
                if end() - self.had() <= 0:
                    raise Gone(STOPPED)
                await self._port.wait(1000 * LOOK)
            elif told[:1] == "d":
                self._done += told[1:].encode(errors="replace")
            elif told[:1] == "l":
                try:
                    return claims.read(told[1:].encode(errors="replace"))
                except ValueError:
                    raise Gone(REFUSED) from None
            else:
                raise Gone(CRASHED if told == "ended" else REFUSED)

    def done(self) -> bytes:
        """What was told since the last look about the cells that are done."""
        told, self._done = self._done, b""
        return told

    def had(self) -> float:
        """The seconds that it had, of a processor that runs its code at the pace of a browser."""
        now = time.monotonic()
        self._had += min(now - self._looked, 2 * LOOK)
        self._looked = now
        return self._had / 3

    spent = had

    def close(self) -> float:
        """End the worker; the seconds that it had."""
        self._port.end()
        return self.had()


class Workers:
    """Makes the students' workers of one kind, as a clean process forks."""

    def __init__(self, magics: bool, many: bool):
        self._kind = magics, many

    async def fork(self) -> Channel:
        """A new worker; the page begins it, and says when it is there."""
        port = await _here.get()[0](*self._kind)
        if not port:
            raise Broken("a student's worker could not be begun")
        return Channel(port)

    def close(self) -> None:
        """Nothing stays: each worker has ended with its notebook."""


_here: ContextVar[tuple[Any, Any]] = ContextVar("here")


def _begin(settings: Settings, magics: bool, many: bool) -> Any:
    return Workers(magics, many)


def _said(task: str) -> None:
    _here.get()[1](task)


async def judge(fork: Any, at: Any, job: str, settings: str, data: Any, lost: str) -> str:
    """The result of one submission, as JSON."""
    _here.set((fork, at))  # two submissions are judged at a time, each in a task of its own
    marking.here = marking.Place(_begin, _said)
    text = bytes(data.to_py())
    digest = hashlib.sha256(text).hexdigest()
    told = await marking.judging(
        Job(**json.loads(job)), digest, lambda: text, Settings.of(json.loads(settings)), json.loads(lost)
    )
    return json.dumps(told)


class Todo(Exception):
    """What is to be marked; the clerk does not mark."""


class Clerk:
    """Reads what was handed in, keeps results, writes everything."""

    def __init__(self) -> None:
        self.jobs: Sequence[Job] = ()
        self.results: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.settings = Settings("")

    def put(self, name: str, data: Any) -> None:
        """Keep a file: one that was dropped, or of what was written before."""
        path = PLACE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.to_py())

    def begin(self, given: str) -> str:
        """What is to be marked, as JSON."""
        self.given = json.loads(given)
        with contextlib.suppress(Todo, Asked):  # what would change is asked where all is written
            self._run(self._refuse)
        return json.dumps({"jobs": [asdict(job) for job in self.jobs], "settings": self.settings.kept()})

    def _refuse(self, jobs: Sequence[Job], settings: Settings, **more: Any) -> Iterator[dict[str, Any]]:
        self.jobs, self.settings = list(jobs), settings
        if jobs:
            raise Todo
        yield from ()

    def notebook(self, number: int) -> bytes | str:
        """The bytes of a submission; its result as JSON where they cannot be read."""
        loaded = marking.taken(self.jobs[number], self.settings)
        if isinstance(loaded, notebooks.Loaded):
            with loaded.file as file:
                file.seek(0)
                data: bytes = file.read()
            return data
        return json.dumps(loaded)

    def keep(self, result: str) -> bool:
        """A result, where it is one of what was handed in now."""
        told = json.loads(result)
        job = next((job for job in self.jobs if marking.key_of(told) == (job.student, job.file, job.attempt)), None)
        if job is None or told["sha256"] not in ("", marking.digest(job, self.settings)):
            return False
        self.results[marking.key_of(told)] = told
        return True

    def failed(self, number: int, reason: str) -> str:
        """The result of a submission whose judge ended."""
        return json.dumps(marking.failed(self.jobs[number], reason))

    def finish(self, given: str) -> str:
        """Write everything from the results; what a teacher should know, and the files, as JSON."""
        self.given = json.loads(given)
        book = self._run(self._known)
        files = sorted(file.relative_to(OUTPUT).as_posix() for file in OUTPUT.rglob("*") if file.is_file())
        waiting = sum(bool(row.waiting) for row in book.rows)
        return json.dumps({"said": book.said, "files": files, "students": len(book.rows), "waiting": waiting})

    def _known(self, jobs: Sequence[Job], settings: Settings, **more: Any) -> Iterator[dict[str, Any]]:
        for job in jobs:
            key = (job.student, job.file, job.attempt)
            yield self.results.get(key) or marking.failed(job, "it was stopped before")

    def file(self, name: str) -> bytes:
        """A file that was written."""
        return (OUTPUT / name).read_bytes()

    def _run(self, mark: Any) -> Any:
        asked: dict[str, Any] = {"forms": FORMS, **self.given}
        for name in ("worksheet", "roster", "extensions"):
            if asked.get(name):
                asked[name] = PLACE / asked[name]
        asked["marks"] = tuple(PLACE / name for name in asked.get("marks", ()))
        if (PLACE / course.FILE).is_file():
            taught = course.load(PLACE)
            asked = from_course(taught) | {"course": taught} | asked
        found = sorted(INPUT.iterdir())
        place = found[0] if len(found) == 1 and found[0].suffix.lower() == ".zip" else INPUT
        return run(Options(place, OUTPUT, mark=mark, **asked))

    def whole(self) -> bytes:
        """All that was written, as a zip."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(OUTPUT.rglob("[!.]*")):
                archive.write(file, f"marks/{file.relative_to(OUTPUT).as_posix()}")
        return packed.getvalue()
