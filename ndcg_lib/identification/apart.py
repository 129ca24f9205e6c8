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
REFUSED = frozenset([
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "os.system", "os.exec", "os.fork", "os.forkpty", "os.spawn", "os.posix_spawn", "os.kill", "subprocess.Popen",
    "socket.connect", "socket.bind", "shutil.rmtree",
])  # fmt: skip
RUN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
"""What is run of a file: imports, definitions and constants."""
LONGEST, MOST_TOLD = 60, 5


def ask(file: str, name: str, beside: Sequence[str]) -> Card:
    """The card of a function of a file, "Class.method" for one of an object that needs nothing to be made."""
    path = Path(file).resolve()
    path.read_bytes()  # the error says which file it is
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


def load(source: str | bytes, path: Path) -> tuple[dict[str, Any], list[str]]:
    """What imports, definitions and constants of a source make, the rest of it not run; and what was not run."""
    space: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    left = []
    for node in _read(source, path.name).body:
        code = ast.unparse(node).partition("\n")[0][:LONGEST]
        guarded = isinstance(node, ast.Try) and all(isinstance(n, RUN) for n in node.body)  # imports that may fail
        if isinstance(node, RUN) or guarded:
            try:
                exec(compile(ast.Module([node], []), str(path), "exec"), space)
            except (Exception, SystemExit) as error:  # a package that is not here, a file that a constant reads
                left.append(f"line {node.lineno} failed: {code} ({type(error).__name__}: {str(error)[:LONGEST]})")
        elif not _says_nothing(node):
            left.append(f"line {node.lineno} was not run: {code}")
    return space, left


def _read(source: str | bytes, name: str) -> ast.Module:
    try:
        return ast.parse(source, name)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise ValueError(f"{name}{line} cannot be read as Python 3: {getattr(error, 'msg', error)}") from None


def _named(space: dict[str, Any], name: str, left: Sequence[str]) -> Any:
    """The function or method of this name; without a name the last that is called after NDCG, after DCG, or any."""
    home = space["__name__"]
    own = [n for n, value in space.items() if callable(value) and getattr(value, "__module__", "") == home]
    functions = [n for n in own if not isinstance(space[n], type)]
    if not name and functions:
        name = next(n for word in ("ndcg", "dcg", "") for n in reversed(functions) if word in n.lower())
    owner, _, method = name.rpartition(".")
    if (owner or name) not in space:
        of = f"{Path(space['__file__']).name} has no {name or 'function'}: it has {', '.join(own) or 'no function'}"
        raise ValueError("; ".join([of, *left]))
    return getattr(space[owner](), method) if owner else space[name]


def pasted(text: str) -> Card:
    """The card of a function of a text, in this process: of the one that its last line names, or `which` asks there.

    >>> str(pasted("def ndcg(g, k=5):\\n    return sum(g[:k])\\nprint(ndcg([1]))")).splitlines()[-1]
    '  Of the text, line 3 was not run: print(ndcg([1])).'
    """
    body = _read(text, "the text").body
    asked, beside, name = body[-1].value if body and isinstance(body[-1], ast.Expr) else None, None, ""
    if isinstance(asked, ast.Call) and ast.unparse(asked.func).rpartition(".")[2] == "which" and asked.args:
        with contextlib.suppress(ValueError):
            beside = next((ast.literal_eval(word.value) for word in asked.keywords if word.arg == "beside"), None)
        asked = asked.args[0]
    if isinstance(asked, (ast.Name, ast.Attribute)):
        name = ast.unparse(asked).replace("()", "")
        text = "\n".join(text.splitlines()[: body[-1].lineno - 1])
    space, left = load(text, Path("the text"))
    return _asked(space, name, left, "text", [beside] if isinstance(beside, str) else beside)


def _asked(space: dict[str, Any], name: str, left: Sequence[str], where: str, beside: Sequence[str] | None) -> Card:
    from ndcg_lib.identification.functions import BESIDE, computed_by

    card = computed_by(_named(space, name, left), BESIDE if beside is None else beside)
    more = [f"… and {len(left) - MOST_TOLD} lines more."] if len(left) > MOST_TOLD else []
    card.lines += [f"Of the {where}, {one}." for one in left[:MOST_TOLD]] + more
    return card


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
    path, file, name, beside = json.loads(settings)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the file prints is no card
    _limited()
    told: dict[str, Any]
    try:
        space, left = load(Path(path).read_bytes(), Path(path))
        card = _asked(space, name, left, "file", beside)
        card.function = f"{file}:{name or card.function}"
        told = card.as_dict()
    except (Exception, SystemExit) as error:
        ours = isinstance(error, ValueError)
        told = {"wrong": str(error) if ours else f"{file}:{name}: {type(error).__name__}: {error}"}
    os.write(out, json.dumps(told).encode())


if __name__ == "__main__":
    main(sys.argv[1])
