"""What one student's process does once it is locked in: run the cells, then answer calls, a line of JSON each."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import functools
import gc
import inspect
import io
import json
import linecache
import math
import os
import re
import signal
import sys
import types
from collections.abc import Callable, Generator, Iterator
from time import monotonic, process_time
from typing import Any

try:
    import resource
except ImportError:  # in a browser, which rings by itself, and whose clock is that on the wall
    resource = None  # type: ignore[assignment]

LONGEST_LINE = 64_000
LONGEST_WAIT = 0.02  # seconds that an answer waits for others
LONGEST_TEXT = 5_000  # six bytes a letter at most
PACE = 1 if resource else 3  # how much longer the same takes in a browser


class Stopped(BaseException):
    """Raised in code that took too long. No Exception, so that `except Exception` does not catch it."""


class Clock:
    """Stops what takes too long. The parent has its own clock; this one saves what came before and after.

    It looks at the time again and again, which costs less than a new alarm for each call. What counts is the time of
    the processor, and that in which this process slept: a busy machine, or one that stands still, costs nobody a point.
    """

    EVERY = 0.02

    def __init__(self) -> None:
        self.end = self.asleep = 0.0
        self._looked, self._used, self._waits = monotonic(), process_time(), 0
        signal.signal(signal.SIGALRM, self.ring)
        if resource is not None:
            signal.setitimer(signal.ITIMER_REAL, self.EVERY, self.EVERY)

    def ring(self, number: int, frame: object) -> None:
        """Look at the time."""
        try:
            now, used, waits = monotonic(), process_time() / PACE, self._waits
            if resource is not None:
                waits = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        except MemoryError:  # the call that took it is told so; this may come at any moment
            return
        if waits != self._waits:  # it gave the processor away by itself
            self.asleep += max(0.0, min(now - self._looked, 10 * self.EVERY) - (used - self._used))
        self._looked, self._used, self._waits = now, used, waits
        if self.end and used + self.asleep > self.end:
            raise Stopped

    def start(self, seconds: float) -> None:
        """Allow so many seconds from now on."""
        self.end = process_time() / PACE + self.asleep + seconds

    def stop(self) -> None:
        """Nothing is watched now."""
        self.end = 0.0


class Printed(io.TextIOBase):
    """Takes what is printed and keeps only whether there was something."""

    encoding, errors, name, mode, line_buffering = "utf-8", "replace", "<stdout>", "w", False  # type: ignore[assignment, unused-ignore]
    any = False

    def write(self, text: str) -> int:
        """Forget the text."""
        self.any = self.any or bool(text.strip())
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Forget the lines."""
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> Any:
        """Takes bytes the same way."""
        return types.SimpleNamespace(write=lambda data: self.write(bytes(data).decode("latin-1")), flush=self.flush)

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """The descriptor of what is printed, behind which is nothing."""
        return 1

    def reconfigure(self, **options: Any) -> None:
        """As a text that goes nowhere needs no encoding."""


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

    def write(self, data: bytes) -> None:
        """Write all of it."""
        while data:
            data = data[os.write(self.out, data) :]

    def reply(self, question: dict[str, Any]) -> dict[str, Any]:
        """What the parent says to a question of a function that it gave."""
        self.write(json.dumps(question).encode() + b"\n")
        while (reply := json.loads(self.line())).get("number") != question["number"]:
            pass  # the reply to a call that was stopped meanwhile
        answer: dict[str, Any] = reply
        return answer

    def waits(self) -> bool:
        """Whether a question has no reply yet: then what came of the call is nothing. Here never."""
        return False


class Waits(BaseException):
    """Raised through a student's call, to be made again when the reply is there."""


class Port:
    """The same where nothing can be waited for, in a browser: `send` takes a line away, lines are brought."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self.send, self._known, self._asked = send, dict[str, Any](), ""

    def write(self, data: bytes) -> None:
        """Send lines."""
        self.send(data.decode())

    def reply(self, question: dict[str, Any]) -> dict[str, Any]:
        """What the parent has said to this question; else it is asked, and the call ends here."""
        key = json.dumps([question["function"], question["args"]])
        if not self._asked and key in self._known:
            answer: dict[str, Any] = self._known[key]
            return copy.deepcopy(answer)
        if not self._asked:
            self._asked = key
            self.send(json.dumps(question) + "\n")
        raise Waits

    def waits(self) -> bool:
        """Whether a question has no reply yet; a call that goes on in spite of that has no answer."""
        return bool(self._asked)

    def take(self, line: bytes) -> None:
        """The reply."""
        self._known[self._asked], self._asked = json.loads(line), ""


Work = Generator[None, bytes, Any]


def serve(into: int, out: int, done: int, encode: Callable[[Any], dict[str, Any]], install: Any, shell: Any) -> None:
    """Take lines as they come."""
    pipe = Pipe(into, out)
    work = working(pipe, lambda told: os.write(done, told), encode, install, shell)
    next(work)
    while True:
        work.send(pipe.line())


def working(pipe: Any, done: Callable[[bytes], Any], encode: Any, install: Any, shell: Any) -> Work:
    """Run the cells of the first line and give the values that it asks for, then the answers to the lines after it.

    Which cells are done goes a way of its own, at which the parent looks only now and then: it need not wake for
    each of them.
    """
    clock = Clock()
    job = json.loads((yield))
    main = shell.user_module if shell is not None else types.ModuleType("__main__")
    sys.modules["__main__"] = main
    names: dict[str, Any] = main.__dict__
    install(names, job["own"])
    sys.stdout = sys.stderr = Printed()  # type: ignore[assignment, unused-ignore]
    sys.path.insert(0, os.getcwd())  # a module that a cell wrote
    for index, code in job["cells"]:
        before = {name: names[name] for name in job["tasks"] if name in names}
        failed = _run(code, index, names, clock, job["cell_seconds"], shell)
        for name, value in before.items():
            if names.get(name) is not value and is_open(names.get(name)) and not is_open(value):
                names[name] = value  # a second copy of the cell, as it was handed out
        done(f"{index} {failed}\n".encode(errors="replace"))
    pipe.write(b'{"ready": true}\n')
    yield from _answer_all(job, job, names, pipe, clock, encode)
    while True:
        line = yield
        yield from _answer_all(json.loads(line), json.loads(line), names, pipe, clock, encode)


MOST_LEFT_OUT = 20  # statements of a cell


def _run(code: str, index: int, names: dict[str, Any], clock: Clock, seconds: float, shell: Any) -> str:
    """Run a cell, without the statements that fail; the type of the first error, and the lines where they began.

    Only an end that no statement of its own can have, as a loop without one, ends the cell.
    """
    file, first, lines = f"<cell {index + 1}>", "", list[int]()
    try:
        clock.start(seconds)
        if shell is not None:
            code = shell.transform_cell(code)
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        for part in _whole_or_in_parts(code, file):
            if isinstance(part, SyntaxError):
                first, lines = first or "SyntaxError", [*lines, part.lineno or 1]
                continue
            error = _executed(part, file, names)
            if error is None:
                continue
            first = first or type(error).__name__
            while error is not None and len(lines) < MOST_LEFT_OUT:
                at = _failed_at(error, part, file)
                lines.append(part[at].lineno)
                part, short = part[at + 1 :], isinstance(error, MemoryError)
                error = None  # and all that its traceback holds
                if short:
                    gc.collect()  # or what comes next has no memory, by no fault of its own
                error = _executed(part, file, names)
    except BaseException as error:
        first, lines = type(error).__name__, []
    clock.stop()
    if first in ("MemoryError", "Stopped"):
        gc.collect()
    return " ".join([first[:60], *map(str, lines[:MOST_LEFT_OUT])])


def _whole_or_in_parts(code: str, file: str) -> Iterator[list[ast.stmt] | SyntaxError]:
    """The statements of a cell; where it cannot be read, those of each part that begins at the margin, or its error."""
    try:
        yield ast.parse(code, file).body
        return
    except SyntaxError:
        pass
    lines = code.splitlines(True)
    begins = [i for i, line in enumerate(lines) if re.match(r"(?!else|elif|except|finally)[^\s#)\]}'\"]", line)] or [0]
    starts = [
        begin for before, begin in zip([-1, *begins], begins, strict=False) if before < 0 or lines[before][:1] != "@"
    ]
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        try:
            yield ast.parse("\n" * begin + "".join(lines[begin:end]), file).body
        except SyntaxError as error:
            yield SyntaxError(str(error), (file, begin + 1, 1, ""))


def _executed(part: list[ast.stmt], file: str, names: dict[str, Any]) -> Exception | None:
    """Run statements; the error that ended one of them."""
    try:
        compiled = compile(ast.Module(part, []), file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:  # that is found when it is compiled, as a return outside of a function
        wrong = (_executed([one], file, names) for one in part) if len(part) > 1 else [error]
        return next((one for one in wrong if one is not None), None)
    try:
        value = eval(compiled, names)
        if value is not None:
            _finish(value)
    except Exception as error:
        return error
    return None


def _failed_at(error: BaseException, part: list[ast.stmt], file: str) -> int:
    """Which of the statements raised the error."""
    trace, line, column = error.__traceback__, 0, 0
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == file and code.co_name == "<module>":
            at = list(code.co_positions())[trace.tb_lasti // 2]
            line, column = at[0] or trace.tb_lineno, at[2] or 0
        trace = trace.tb_next
    line = line or getattr(error, "lineno", 0) or 0
    before = [i for i, one in enumerate(part) if (one.lineno, one.col_offset) <= (line, column)]
    return before[-1] if before else 0


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
    raise type("Unavailable", (RuntimeError,), {})("this waits for something that does not come during grading")


def _answer_all(
    asked: dict[str, Any], spare: dict[str, Any], names: dict[str, Any], pipe: Any, clock: Clock, encode: Any
) -> Work:
    """Answer the batches of a line. `spare` is the same line read a second time, to see which inputs were changed."""
    out = Answers(pipe, asked["mark"], asked["careful"])
    for batch, same in zip(asked["batches"], spare["batches"], strict=True):
        given = batch.get("given", {})
        before = {name: names[name] for name in given if name in names}
        for name, parameters in given.items():
            names[name] = _given(name, names.get(name), parameters, asked["mark"], pipe, encode)
        yield from _answer(batch, same.get("calls", []), asked["seconds"], names, out, clock, encode)
        for name in given.keys() - before.keys():
            names.pop(name, None)
        names |= before
    out.flush()


def _given(name: str, function: Any, parameters: list[str], mark: str, pipe: Any, encode: Any) -> Callable[..., Any]:
    """A function in the place of one that failed, or is missing: it asks the parent for the right answer."""
    numbers = iter(range(1_000_000))
    kinds = [inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for one in parameters]

    def given(*args: Any, **named: Any) -> Any:
        try:
            bound = inspect.signature(function).bind(*args, **named).args
        except (TypeError, ValueError):  # it is none, or takes other arguments than the one that is asked for
            bound = inspect.Signature(kinds).bind(*args, **named).args
        number = next(numbers)
        question = {"mark": mark, "function": name, "number": number, "args": [encode(arg) for arg in bound]}
        reply = pipe.reply(question)
        if "error" in reply:
            raise getattr(builtins, reply["error"], ValueError)
        return reply["value"]

    return given


def _answer(
    batch: dict[str, Any],
    spare: list[Any],
    seconds: float,
    names: dict[str, Any],
    out: Answers,
    clock: Clock,
    encode: Any,
) -> Work:
    name, after_a_stop, stopped = batch["task"], seconds / 10, False
    if name not in names:
        out.add({"missing": True})
        return
    if "codes" in batch:
        _answer_changed(batch, spare, names, out, clock, encode)
        return
    answer = names[name]
    if batch.get("text") and type(answer) is str:
        out.add({"value": {"type": "str", "text": answer[:LONGEST_TEXT]}})
        return
    if "calls" not in batch:
        out.add(_told(lambda: {"value": encode(answer)}, clock, seconds))
        return
    if answer is ... or not builtins.callable(answer):
        out.add(_told(lambda: {"value": encode(answer), "uncallable": True}, clock, seconds))
        return
    for args, same in zip(batch["calls"], spare, strict=True):
        told = _told(lambda args=args, same=same: _call(answer, args, same, encode), clock, seconds)  # type: ignore[misc, unused-ignore]
        while out.pipe.waits():
            out.pipe.take((yield))
            args = copy.deepcopy(same)
            told = _told(lambda args=args, same=same: _call(answer, args, same, encode), clock, seconds)  # type: ignore[misc, unused-ignore]
        if told.get("error") == "Stopped" and not stopped:  # or was the machine busy? An endless loop comes again
            stopped, args = True, copy.deepcopy(same)
            told = _told(lambda args=args, same=same: _call(answer, args, same, encode), clock, seconds)  # type: ignore[misc, unused-ignore]
            seconds = after_a_stop if told.get("error") == "Stopped" else seconds
        out.add(told)


def _answer_changed(
    batch: dict[str, Any], spare: list[Any], names: dict[str, Any], out: Answers, clock: Clock, encode: Any
) -> None:
    """Answer with changed codes in the place of the function: each call says by number with which of them."""
    functions, hanging = dict[int, Any](), 0
    around = {key: getattr(math, key) for key in ("log", "log2", "log10", "ceil", "floor")} | names
    for (which, args), (_, same) in zip(batch["calls"], spare, strict=True):
        if which not in functions:
            own = dict(around)
            with contextlib.suppress(Exception):  # what cannot be run is no function
                exec(compile(batch["codes"][which], "<changed>", "exec"), own)
                functions[which] = own[batch["task"]]
        work = functools.partial(_call, functions.get(which), args, same, encode)
        told = _told(work, clock, batch["seconds"]) if hanging <= 4 else {"error": "Stopped"}
        hanging += told.get("error") == "Stopped"
        out.add(told)


def _call(function: Any, args: list[Any], same: list[Any], encode: Any) -> dict[str, Any]:
    printed = Printed()
    sys.stdout = printed  # type: ignore[assignment, unused-ignore]
    told = {"value": encode(function(*args))}
    try:
        if args != same:
            told |= {"changed": True, "left": encode(args)}
    except Exception:  # an array where a list was
        told["changed"] = True
    if printed.any:
        told["printed"] = True
    return told


def _told(work: Callable[[], dict[str, Any]], clock: Clock, seconds: float) -> dict[str, Any]:
    """What the work gives, or the type of its error."""
    try:
        clock.start(seconds)
        told = work()
        clock.stop()
    except Stopped:
        clock.stop()
        told = {"error": "Stopped"}
    except BaseException as error:
        clock.stop()
        name = "ValueError" if isinstance(error, ValueError) else type(error).__name__  # as the check
        told = {"error": name, "says": _text_of(error), "line": _line_of(error)}
    if told.get("error") in ("MemoryError", "Stopped"):
        gc.collect()
    return told


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:500]
    except Exception:  # an error of their own, whose text has an error
        return ""


def _line_of(error: BaseException) -> str:
    """The line of a cell in which it was raised."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if (file := trace.tb_frame.f_code.co_filename).startswith("<cell "):
            found = linecache.getline(file, trace.tb_lineno).strip()[:500]
        trace = trace.tb_next
    return found


class Answers:
    """Answers on their way out: some in a line, unless the parent wants to see each at once."""

    def __init__(self, pipe: Any, mark: str, careful: bool) -> None:
        self.pipe, self.mark, self.careful = pipe, mark, careful
        self.waiting: list[dict[str, Any]] = []
        self.since = monotonic()

    def add(self, told: dict[str, Any]) -> None:
        """One more answer."""
        self.waiting.append(told)
        if self.careful or monotonic() - self.since > LONGEST_WAIT:
            self.flush()

    def flush(self) -> None:
        """Send what waits."""
        if self.waiting:
            self._send(self.waiting)
        self.waiting, self.since = [], monotonic()

    def _send(self, told: list[dict[str, Any]]) -> None:
        text = json.dumps(told)
        if len(text) > LONGEST_LINE - 100 and len(told) > 1:
            self._send(told[: len(told) // 2])
            self._send(told[len(told) // 2 :])
            return
        if len(text) > LONGEST_LINE - 100:
            text = '[{"value": {"type": "object"}}]'
        self.pipe.write(f'{{"mark": "{self.mark}", "answers": {text}}}\n'.encode())
