"""Asks a function of a file in a process of its own, with limits of time, memory and files; as a program, the child.

The limits are for mistakes such as an endless loop. They are no protection against code that means harm.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ndcg_lib.identification.card import Card

PROCESSOR, PATIENCE = 60, 180
"""Seconds of the processor, and by the clock."""
MEMORY = 4 * 2**30
OPEN_FILES = 256
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
REFUSED = frozenset(
    [
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.mkdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "os.system",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.spawn",
        "os.posix_spawn",
        "os.kill",
        "subprocess.Popen",
        "socket.connect",
        "socket.bind",
        "shutil.rmtree",
    ]
)
RUN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
"""What is run of a file: imports, definitions and constants."""
LONGEST, MOST_TOLD = 60, 5


def ask(file: str, name: str, beside: Sequence[str]) -> Card:
    """The card of a function of a file, "Class.method" for one of an object that needs nothing to be made."""
    path = Path(file).resolve()
    path.read_bytes()  # the error says which file it is
    if not name:
        raise ValueError(f"{file} holds many functions: write {file}:function")
    with tempfile.TemporaryDirectory(prefix="ndcg-which-") as folder:
        environment = {
            **{"PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(path.parent)])},
            **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HOME": folder, "TMPDIR": folder},
            **{name: os.environ.get(name, "") for name in ("PATH", "SYSTEMROOT")},
        }
        settings = json.dumps([str(path), file, name, list(beside)])
        command = [sys.executable, "-B", "-m", "ndcg_lib.identification.apart", settings]
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
            cwd=folder, start_new_session=True,
        )  # fmt: skip
        try:
            told, _ = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            told = b""
        finally:
            _end(child)
    return _card(told, file, name)


def _end(child: subprocess.Popen[bytes]) -> None:
    """The child, and what it may have started, are gone."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()


def _card(told: bytes, file: str, name: str) -> Card:
    try:
        answer = json.loads(told)
        if "wrong" in answer:
            raise Refused(str(answer["wrong"]))
        return Card.of(answer)
    except Refused:
        raise
    except (ValueError, TypeError):
        limits = f"{PROCESSOR} s of processor, {PATIENCE} s or {MEMORY >> 30} GB of memory"
        raise ValueError(f"{file}:{name}: its process ended without an answer (after {limits} it is stopped)") from None


class Refused(ValueError):
    """The child says why there is no card."""


# ---- the child ----


def load(path: Path, name: str) -> tuple[Any, list[str]]:
    """A function of a file of which only imports, definitions and constants are run; and what was not run."""
    space: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    left = []
    for node in ast.parse(path.read_bytes(), path.name).body:
        code = ast.unparse(node).partition("\n")[0][:LONGEST]
        guarded = isinstance(node, ast.Try) and all(isinstance(n, RUN) for n in node.body)  # imports that may fail
        if isinstance(node, RUN) or guarded:
            try:
                exec(compile(ast.Module([node], []), str(path), "exec"), space)
            except (Exception, SystemExit) as error:  # a package that is not here, a file that a constant reads
                left.append(f"line {node.lineno} failed: {code} ({type(error).__name__}: {str(error)[:LONGEST]})")
        elif not _says_nothing(node):
            left.append(f"line {node.lineno} was not run: {code}")
    owner, _, method = name.rpartition(".")
    if (owner or name) not in space:
        own = [n for n, value in space.items() if callable(value) and getattr(value, "__module__", "") == path.stem]
        raise ValueError("; ".join([f"{path.name} has no {name}: it has {', '.join(own) or 'no function'}", *left]))
    return (getattr(space[owner](), method) if owner else space[name]), left


def _says_nothing(node: ast.stmt) -> bool:
    """A text, or what an import would not run either."""
    main = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
    return main or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    """Of what Python does: no file is written, removed or renamed, no program started, nobody called."""
    written = event == "open" and isinstance(args[2], int) and args[2] & WRITES and args[0] != os.devnull
    if written or event in REFUSED:
        raise PermissionError(f"{event} is refused while a function is asked")


def _limited() -> None:
    """No more than so much; from here on."""
    sys.addaudithook(_refuse)
    try:
        import resource
    except ImportError:  # Windows: the parent ends it by the clock
        return
    limits = {resource.RLIMIT_CPU: PROCESSOR, resource.RLIMIT_AS: MEMORY, resource.RLIMIT_FSIZE: 0,
              resource.RLIMIT_NOFILE: OPEN_FILES, resource.RLIMIT_CORE: 0}  # fmt: skip
    for what, most in limits.items():
        resource.setrlimit(what, (most, most))


def main(settings: str) -> None:
    """Ask the function, and write its card, or what is wrong, to the standard output."""
    from ndcg_lib.identification.functions import computed_by

    path, file, name, beside = json.loads(settings)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the file prints is no card
    _limited()
    told: dict[str, Any]
    try:
        function, left = load(Path(path), name)
        card = computed_by(function, beside)
        card.function = f"{file}:{name}"
        more = [f"… and {len(left) - MOST_TOLD} lines more."] if len(left) > MOST_TOLD else []
        card.lines += [f"Of the file, {one}." for one in left[:MOST_TOLD]] + more
        told = card.as_dict()
    except (Exception, SystemExit) as error:
        ours = isinstance(error, ValueError)
        told = {"wrong": str(error) if ours else f"{file}:{name}: {type(error).__name__}: {error}"}
    os.write(out, json.dumps(told).encode())


if __name__ == "__main__":
    main(sys.argv[1])
