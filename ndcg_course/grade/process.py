"""The clean process and the pipes to its children, from the trusted side. Nothing here believes what comes back.

Whatever a child sends is a line of at most 64 kB that arrives in time, or its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcg_course.explain import codec
from ndcg_course.grade import claims
from ndcg_course.grade.inside.sandbox import empty
from ndcg_course.grade.inside.zygote import STATUS
from ndcg_course.grade.notebooks import Limits

INSIDE = Path(__file__).with_name("inside")
LOOK = 0.1  # seconds between two looks at the clock and the folder
NET = 20  # times its limit that a submission may be alive, where the machine gives it hardly any processor time
STOPPED, CRASHED, REFUSED, UNSURE = "stopped", "crashed", "broke the rules", "not sure"


class Gone(Exception):
    """The child cannot be asked any more: it ended, took too long, or sent what is no answer."""


class Broken(RuntimeError):
    """The clean process itself does not work."""


class Begun:
    """A clean process that was begun, by who may begin one: the socket to it, what it says at its end, its folder."""

    def __init__(
        self,
        limits: Limits,
        *,
        locked: bool = True,
        magics: bool = False,
        many: bool = True,
        packages: Sequence[str] = (),
    ):
        self.process: subprocess.Popen[bytes] | None = None
        self.folder = tempfile.mkdtemp(prefix="ndcg-grade-")
        self.control, theirs = socket.socketpair()
        self.told = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the process)
        settings = {
            "control": theirs.fileno(),
            "folder": self.folder,
            "locked": locked,
            "magics": magics,
            "many": many,
            "explain": os.path.dirname(codec.__file__),
            "packages": _site_packages(),
            "preload": list(packages),
            "limits": limits.rlimits,
            "memory": limits.memory,
            "size": limits.folder,
            "files": limits.files,
        }
        try:
            os.chmod(self.folder, 0o711)
            for name in ("room", "ipython"):
                os.mkdir(os.path.join(self.folder, name), 0o755)
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(INSIDE / "zygote.py"), json.dumps(settings)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.told,
                env={
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                    "LANG": "C.UTF-8",
                    "IPYTHONDIR": os.path.join(self.folder, "ipython"),
                },
                cwd="/",
                start_new_session=True,
            )
        except BaseException:  # Ctrl-C, too: nothing is left lying
            self.close()
            raise
        finally:
            theirs.close()

    def close(self) -> None:
        """End the process; its children end with it."""
        self.control.close()
        if self.process is not None:
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.told.close()
        with contextlib.suppress(OSError):
            empty(self.folder)
            os.rmdir(self.folder)


@dataclass
class Lent:
    """A clean process that another one has begun, and ends."""

    control: socket.socket
    told: Any

    def close(self) -> None:
        """Let it go."""
        self.control.close()
        self.told.close()


class Zygote:
    """The clean process as who asks it has it: it forks a child, and ends it."""

    def __init__(self, limits: Limits, begun: Begun | Lent | None = None, **kind: Any):
        self.limits, self._begun = limits, begun or Begun(limits, **kind)
        self._control = self._begun.control
        self._control.settimeout(30)
        try:
            self.watched = self._expect(1) == b"w"  # who asks it looks at the folder
        except BaseException:
            self.close()
            raise

    async def fork(self) -> Channel:
        """A new child, and the pipes to it."""
        down, up, done = os.pipe(), os.pipe(), os.pipe()
        ours, theirs = (down[1], up[0], done[0]), (down[0], up[1], done[1])
        try:
            self._order(b"f", theirs)
            self.pid = struct.unpack("<i", self._expect(4))[0]
        except BaseException:
            _close(ours)
            raise
        finally:
            _close(theirs)
        return Channel(*ours, self)

    def end(self) -> tuple[int, float]:
        """Kill the child and empty its folder; how it had ended, and its processor time."""
        self._order(b"e")
        status, user, system, _ = STATUS.unpack(self._expect(STATUS.size))
        return status, user + system

    def close(self) -> None:
        """End the process, or let it go."""
        self._begun.close()

    def look(self) -> tuple[str, bool]:
        """What the system says that the child does, and whether it has left more in its folder than it may.

        R is running or ready to run, D is waiting for a disk; where it is unknown, S, as of what sleeps.
        """
        self._order(b"s")
        told = self._expect(2)
        return chr(told[0]), told[1:] == b"1"

    def full(self) -> bool:
        """Whether the child has left more in its folder than it may, where the kernel does not keep that limit."""
        return self.watched and self.look()[1]

    def _order(self, letter: bytes, descriptors: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._control, [letter], descriptors)
        except OSError as error:
            raise self._broken(error) from None

    def _expect(self, n: int) -> bytes:
        data = b""
        try:
            while len(data) < n:
                more = self._control.recv(n - len(data))
                if not more:
                    raise OSError("it ended")
                data += more
        except OSError as error:
            raise self._broken(error) from None
        return data

    def _broken(self, error: OSError) -> Broken:
        self._begun.told.seek(0)
        last = self._begun.told.read()[-2000:].decode(errors="replace").strip().rpartition("\n")[2]
        self.close()
        return Broken(f"the clean process does not work: {last or error}")


class Spent:
    """The seconds that a child had: its processor time, and what it slept or waited for.

    What it waited for a busy machine is not among them, nor a gap between two looks in which this process stood still.
    """

    def __init__(self, pid: int, state: Callable[[], str] = lambda: "S"):
        self._state, self._clock = state, (~pid << 3) | 2  # as Linux names the clock of another process
        self._asleep = self._before = 0.0
        self._looked = time.monotonic()
        self.alive = 0.0

    def seconds(self) -> float:
        """So far."""
        now, used = time.monotonic(), max(self.processor(), self._before)
        if now - self._looked >= LOOK / 2:
            passed = min(now - self._looked, 2 * LOOK)
            self.alive += passed
            if self._state() not in "RDTt":
                self._asleep += max(0.0, passed - (used - self._before))
            self._before, self._looked = used, now
        return used + self._asleep

    def processor(self) -> float:
        """Seconds of its processor; 0 where it ended, or where this system has no such clock."""
        try:
            return time.clock_gettime(self._clock)
        except (OSError, AttributeError):
            return 0.0


class Channel:
    """Lines to and from one child, with a deadline each, in the seconds that the child had."""

    def __init__(self, out: int, into: int, done: int, zygote: Zygote):
        self._out, self._into, self._done, self._zygote = out, into, done, zygote
        for descriptor in (out, into, done):
            os.set_blocking(descriptor, False)
        self._spent = Spent(zygote.pid, lambda: zygote.look()[0])
        self._rest, self._looked = b"", time.monotonic()
        self._poll = select.poll()
        self._poll.register(into, select.POLLIN)

    async def send(self, message: Mapping[str, Any], end: float) -> None:
        """Write a line; the child may be slow to take it."""
        data = memoryview(json.dumps(message).encode() + b"\n")
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:
                if self.spent() > end:
                    raise Gone(STOPPED) from None
                select.select([], [self._out], [], LOOK)
            except OSError:
                raise Gone(CRASHED) from None

    def spent(self) -> float:
        """The seconds that the child had; it is gone where the machine gives it next to none."""
        had = self.had()
        if self._spent.alive > NET * self._zygote.limits.submission:
            raise Gone(UNSURE)
        return had

    async def line(self, end: Callable[[], float]) -> dict[str, Any]:
        """The next line. Its end is asked for again and again: cells that are done move it."""
        while b"\n" not in self._rest:
            if len(self._rest) > claims.LONGEST_LINE:
                raise Gone(REFUSED)
            # The pipe first: what is said already was said in time, however long this process stood still.
            left = end() - self.spent()
            if not self._poll.poll(1000 * min(max(left, 0), LOOK) + 1):
                if left <= 0:
                    raise Gone(STOPPED)
                self._look()
                continue
            self._look()
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

    def _look(self) -> None:
        if time.monotonic() - self._looked > LOOK:  # by the clock: a child that sends on and on is looked at, too
            self._looked = time.monotonic()
            if self._zygote.full():
                raise Gone(REFUSED)

    def had(self) -> float:
        """The seconds that the child had."""
        return self._spent.seconds()

    def done(self) -> bytes:
        """What the child has told since the last look about the cells that are done."""
        try:
            return os.read(self._done, 1 << 16)
        except OSError:
            return b""

    def close(self) -> float:
        """Close the pipes and end the child; its processor time."""
        _close((self._out, self._into, self._done))
        return self._zygote.end()[1]


def _site_packages() -> list[str]:
    """Where numpy and what may be allowed besides it are installed."""
    import numpy

    return [str(Path(numpy.__file__).parents[1])]


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def ignore_signals_of_children() -> None:
    """A pipe that a child shares with us may never be the reason for our end."""
    for name in ("SIGIO", "SIGPIPE", "SIGURG"):
        if hasattr(signal, name):
            with contextlib.suppress(ValueError):  # in a thread; the sandbox lets no such signal out anyway
                signal.signal(getattr(signal, name), signal.SIG_IGN)
