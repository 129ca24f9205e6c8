"""A clean process with modules loaded, which forks one locked child per student. It never sees a student's text.

Run as a program. It knows no task, no test and no right answer, so that no child can find them in its memory; and it
reads nothing but single letters from its parent, so that no child can find a fellow student's work there either.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import importlib
import importlib.util
import json
import os
import platform
import re
import signal
import socket
import struct
import sys
import sysconfig
from typing import Any

# What is loaded is copied with each fork: most notebooks ask for no more than FEW, and cost half as much by that.
FEW = (
    "bisect cmath collections.abc contextlib copy functools heapq inspect io itertools json math operator os random re"
    " socket statistics string sys time types typing"
)
MANY = (
    "array calendar csv dataclasses datetime decimal enum fractions html linecache locale multiprocessing.context"
    " multiprocessing.process numbers pathlib pprint subprocess tempfile textwrap threading timeit traceback"
    " unittest uuid warnings asyncio encodings.idna encodings.ascii encodings.latin_1 encodings.utf_16 _strptime"
    " numpy numpy.random numpy.linalg numpy.fft numpy.polynomial numpy.ma"
)
HIDDEN = {"site-packages", "dist-packages"}
STATUS = struct.Struct("<iddq")


def main(settings: dict[str, Any]) -> None:
    """Load, then serve until the parent is gone."""
    here = os.path.dirname(os.path.abspath(__file__))
    sandbox, syscalls, kit, child = (_load(here, name) for name in ("sandbox", "syscalls", "kit", "child"))
    codec, forbidden = (_load(settings["explain"], name) for name in ("codec", "forbidden"))
    base, room = settings["folder"], os.path.join(settings["folder"], "room")  # what IPython needs is in the first only
    above = os.open(os.path.dirname(base), os.O_RDONLY | os.O_DIRECTORY)
    own_disk = settings["locked"] and sandbox.own_disk(room, settings["size"], settings["files"] + 2)
    home = os.path.join(room, "home")  # made anew for each child
    shell = _loaded(settings, home)
    rules, filter_, covered = -1, None, list[str]()
    if settings["locked"]:
        readable = _readable(base)
        if own_disk and os.getuid() == 0:
            covered = sandbox.open_to_nobody([sysconfig.get_path("stdlib"), *settings["packages"], base])
        rules = sandbox.ruleset(readable, [room, os.devnull])
        filter_ = sandbox.prepared(syscalls.program(platform.machine()))
    control = socket.socket(fileno=settings["control"])
    limits = dict(settings["limits"], AS=_address_space() + settings["memory"]) if settings["locked"] else {}
    fork, refusal = _plain_fork(), forbidden.refusing()
    refusal.__enter__()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # few notebooks make so much that is to be collected
    pid = 0
    with contextlib.suppress(ConnectionError):  # the grader is gone
        control.sendall(b"r" if own_disk else b"w")  # ready; where the system has no such disk, the parent watches
        while True:
            order, descriptors, _, _ = socket.recv_fds(control, 1, 3)
            if not order:
                break
            if order == b"s":  # where no disk of one's own keeps its limits; and whether the child waits
                control.sendall(_state(pid) + (b"1" if not own_disk and _full(room, settings) else b"0"))
            elif order == b"e":
                status, pid = _end(pid), 0
                sandbox.empty(room)  # or raises: this process ends, and another one begins with a new folder
                control.sendall(status)
            elif order == b"f":
                os.mkdir(home, 0o700)
                if settings["locked"] and os.getuid() == 0:
                    os.chown(home, sandbox.NOBODY, sandbox.NOBODY)
                pid = fork()
                if pid < 0:
                    raise RuntimeError("the system makes no more processes")
                if pid == 0:
                    try:
                        os.chdir(home)
                        fd = control.detach()
                        _become_child(descriptors, fd, rules, sandbox, limits, filter_)
                        child.serve(3, 4, 5, codec.encode, kit.install, shell)
                    finally:
                        os._exit(70)
                for descriptor in descriptors:
                    os.close(descriptor)
                control.sendall(struct.pack("<i", pid))
    _end(pid)
    with contextlib.suppress(OSError):
        _tidied(sandbox, base, room, [*covered, *([room] if own_disk else [])])
        os.rmdir(os.path.basename(base), dir_fd=above)
    os._exit(0)


def _loaded(settings: dict[str, Any], home: str) -> Any:
    """Import what notebooks may use, then forget whose process this is; the shell, where magics are allowed."""
    sys.path[:] = [*settings["packages"], *_standard()]
    for name in [*FEW.split(), *(MANY.split() if settings["many"] else ()), *settings["preload"]]:
        importlib.import_module(name)
    shell = _shell() if settings["magics"] else None
    sys.path[:] = _standard()
    os.environ.clear()
    os.environ.update(LANG="C.UTF-8", HOME=home, TMPDIR=home)
    if settings["locked"] and "tempfile" in sys.modules:
        sys.modules["tempfile"].tempdir = home  # type: ignore[attr-defined]
    return shell


def _tidied(sandbox: Any, base: str, room: str, covered: list[str]) -> None:
    """Empty the folder, and give back what was covered."""
    sandbox.empty(room)
    os.chdir("/")
    for place in covered:
        sandbox.give_back(place)
    sandbox.empty(base)


def _become_child(descriptors: list[int], control: int, rules: int, sandbox: Any, limits: Any, filter_: Any) -> None:
    """Close everything but the three pipes, and lock the door."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    wanted = [nothing, nothing, nothing, *descriptors, *([rules] if rules >= 0 else [])]
    for place, descriptor in enumerate([_above(descriptor) for descriptor in wanted]):
        os.dup2(descriptor, place)
    os.closerange(len(wanted), 4096)
    if rules >= 0:
        sandbox.lock(len(wanted) - 1, limits, filter_)


def _plain_fork() -> Any:
    """The system's fork. That of Python calls hooks of many modules in the child, which a process without threads does
    not need; they take as long as a tenth of a submission, and would give every child another `random`."""
    seeded()
    return ctypes.PyDLL(None).fork


def seeded() -> None:
    """A notebook that leaves something to chance has the same luck when it is marked again."""
    for name in {"random", "numpy.random"} & sys.modules.keys():
        sys.modules[name].seed(0)


def _above(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD, 64)


def _end(pid: int) -> bytes:
    """Kill the child, and how it had ended."""
    if pid <= 0:
        return STATUS.pack(0, 0.0, 0.0, 0)
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    return STATUS.pack(status, used.ru_utime, used.ru_stime, used.ru_maxrss)


def _state(pid: int) -> bytes:
    """What the system says that a child does: R for running or ready to run, D for a disk; S where that is unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] or b"S"
    except OSError:
        return b"S"


def _full(room: str, most: dict[str, Any]) -> bool:
    """Whether a child has left more in its folder than it may."""
    size = count = 0
    for folder, folders, files in os.walk(room):
        count += len(folders) + len(files)
        for name in files:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_blocks * 512
        if count > most["files"] or size > most["size"]:
            return True
    return False


def _load(folder: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _standard() -> list[str]:
    """The folders of the standard library."""
    own = sysconfig.get_path("stdlib")
    return [own, os.path.join(own, "lib-dynload")]


def _readable(base: str) -> list[str]:
    """The standard library, entry by entry because other packages lie inside it; what is loaded; no more."""
    own = sysconfig.get_path("stdlib")
    found = [os.path.join(own, name) for name in sorted(os.listdir(own)) if name not in HIDDEN]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if "." not in name and file and not file.startswith(own) and name != "__main__":
            top = os.path.dirname(file) if os.path.basename(file).startswith("__init__.") else file
            found += [top, f"{top}.libs"]
    with open("/proc/self/maps") as maps:
        found += sorted({m[1] for line in maps if (m := re.search(r"(/\S+\.so[\d.]*)$", line))})
    triplet = sysconfig.get_config_var("MULTIARCH") or ""
    if triplet:
        found += [f"/lib/{triplet}", f"/usr/lib/{triplet}"]
    for folder in ("/lib64", "/usr/lib64"):  # the libraries alone: packages for Python may lie below
        if os.path.isdir(folder):
            found += [os.path.join(folder, name) for name in os.listdir(folder) if ".so" in name]
    return [
        *found,
        os.path.join(base, "ipython"),
        "/dev/urandom",
        "/usr/share/zoneinfo",
        "/usr/lib/locale",
        "/etc/localtime",
    ]


def _shell() -> Any:
    """An IPython shell without history and without output."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    shell: Any = InteractiveShell.instance(config=config)
    shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
    shell.system = lambda line: None  # `!pip install …` is not done, and costs nothing that stands below it
    shell.getoutput = lambda line, *args, **kwargs: []
    shell.run_cell("pass", store_history=False, silent=True)
    return shell


def _address_space() -> int:
    import resource

    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
