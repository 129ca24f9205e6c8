"""What one student's process does once it is locked in: run the cells, then answer calls, a line of JSON each."""

from __future__ import annotations

import ast
import builtins
import json
import linecache
import os
import signal
import sys
import types
from collections.abc import Callable
from typing import Any

LONGEST_LINE = 64_000
LONGEST_TEXT = 10_000  # six bytes a letter at most


class Stopped(BaseException):
    """Raised in code that took too long. No Exception, so that `except Exception` does not catch it."""


class Clock:
    """Stops what takes too long. The parent has its own clock; this one saves what came before and after."""

    def __init__(self) -> None:
        self.armed = False
        signal.signal(signal.SIGALRM, self.ring)

    def ring(self, number: int, frame: object) -> None:
        """The signal of the clock."""
        if self.armed:
            raise Stopped

    def start(self, seconds: float) -> None:
        """Ring after so many seconds, and again and again, for a loop with `except:` in it."""
        self.armed = True
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), 0.05)

    def stop(self) -> None:
        """Ring no more."""
        self.armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)


class Printed:
    """Takes what is printed and keeps only whether there was something."""

    encoding, errors = "utf-8", "replace"

    def __init__(self) -> None:
        self.any = False

    def write(self, text: str) -> int:
        """Forget the text."""
        self.any = self.any or bool(text.strip())
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        """No."""
        return False


class Pipe:
    """Lines in and out of two descriptors."""

    def __init__(self, into: int, out: int) -> None:
        self.into, self.out, self.rest = into, out, b""

    def line(self) -> bytes:
        """The next line; without one, this process has nothing left to do."""
        while b"\n" not in self.rest:
            more = os.read(self.into, 1 << 16)
            if not more:
                os._exit(0)
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def send(self, message: dict[str, Any]) -> bool:
        """Write a line, unless it is longer than agreed."""
        data = json.dumps(message).encode() + b"\n"
        if len(data) > LONGEST_LINE:
            return False
        while data:
            data = data[os.write(self.out, data) :]
        return True


def serve(into: int, out: int, encode: Callable[[Any], dict[str, Any]], install: Any, shell: Any) -> None:
    """Run the cells of the first line, then answer the batches of the lines after it."""
    pipe, clock = Pipe(into, out), Clock()
    job = json.loads(pipe.line())
    main = shell.user_module if shell is not None else types.ModuleType("__main__")
    sys.modules["__main__"] = main
    names: dict[str, Any] = main.__dict__
    install(names, job["own"])
    sys.stdout = sys.stderr = Printed()  # type: ignore[assignment, unused-ignore]
    for index, code in job["cells"]:
        before = {name: names[name] for name in job["tasks"] if name in names}
        failed = _run(code, index, names, clock, job["cell_seconds"], shell)
        for name, value in before.items():
            if names.get(name) is not value and is_open(names.get(name)) and not is_open(value):
                names[name] = value  # a second copy of the cell, as it was handed out
        pipe.send({"cell": index, "error": failed})
    pipe.send({"ready": True})
    while True:
        batch = json.loads(pipe.line())
        _answer(batch, names, pipe, clock, encode)


def _run(code: str, index: int, names: dict[str, Any], clock: Clock, seconds: float, shell: Any) -> str:
    """Run a cell; the name of the exception type that ended it."""
    try:
        clock.start(seconds)
        if shell is not None:
            result = shell.run_cell(code, store_history=False, silent=True)
            result.raise_error()
        else:
            file = f"<cell {index + 1}>"
            linecache.cache[file] = (len(code), None, code.splitlines(True), file)
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if "await" in code else 0
            value = eval(compile(code, file, "exec", flags), names)
            if flags and value is not None:
                _finish(value)
    except BaseException as error:
        return type(error).__name__
    finally:
        clock.stop()
    return ""


def is_open(value: Any) -> bool:
    """Whether a value is the dots that were handed out, or a function that returns nothing else.

    >>> is_open(...), is_open(lambda: ...), is_open(lambda x: x)
    (True, True, False)
    """
    if type(value) is not types.FunctionType:
        return value is ...
    code = value.__code__
    used = [const for const in code.co_consts if const is not None and const != value.__doc__]
    return used == [...] and not code.co_names and len(code.co_code) <= 16


def _finish(coroutine: Any) -> None:
    """Run a cell with `await` in it to its end. There is no event loop: what really waits is refused."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError("this waits for something that does not come during grading")


def _answer(batch: dict[str, Any], names: dict[str, Any], pipe: Pipe, clock: Clock, encode: Any) -> None:
    name, mark = batch["task"], batch["mark"]
    if name not in names:
        pipe.send({"mark": mark, "missing": True})
        return
    if batch.get("text") and type(names[name]) is str:
        _send(
            pipe, mark, lambda: {"value": {"type": "str", "text": names[name][:LONGEST_TEXT]}}, clock, batch["seconds"]
        )
        return
    if "calls" not in batch:
        _send(pipe, mark, lambda: {"value": encode(names[name])}, clock, batch["seconds"])
        return
    function = names[name]
    if function is ... or not builtins.callable(function):
        _send(pipe, mark, lambda: {"value": encode(function), "uncallable": True}, clock, batch["seconds"])
        return
    seconds = batch["seconds"]
    for args in batch["calls"]:
        stopped = _send(pipe, mark, lambda args=args: _call(function, args, encode), clock, seconds)  # type: ignore[misc, unused-ignore]
        if stopped:
            seconds = min(seconds, batch["seconds_after_a_stop"])


def _call(function: Any, args: list[Any], encode: Any) -> dict[str, Any]:
    printed = Printed()
    sys.stdout = printed  # type: ignore[assignment, unused-ignore]
    before = json.dumps(args)
    told = {"value": encode(function(*args))}
    try:
        changed = json.dumps(args) != before
    except (TypeError, ValueError):
        changed = True
    if printed.any:
        told["printed"] = True
    if changed:
        told["changed"] = True
    return told


def _send(pipe: Pipe, mark: str, work: Callable[[], dict[str, Any]], clock: Clock, seconds: float) -> bool:
    """Send what the work gives, or the type of its error; whether it had to be stopped."""
    stopped = False
    try:
        clock.start(seconds)
        told = work()
        clock.stop()
    except Stopped:
        clock.stop()
        told, stopped = {"error": "Stopped"}, True
    except BaseException as error:
        clock.stop()
        told = {"error": type(error).__name__}
    told["mark"] = mark
    if not pipe.send(told):
        pipe.send({"mark": mark, "value": {"type": "object"}})
    return stopped
