"""The student's side in a browser: what `zygote` does elsewhere. A worker is the wall, and ends with the notebook.

All but `begin` is done once, before any notebook: what is in memory then is where every worker starts from.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any

HOME = "/home/student"
BRIDGE = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "micropip")


def prepare(modules: dict[str, Any]) -> None:
    """Load what most notebooks ask for. `modules` are the files beside this one, and codec and forbidden."""
    globals().update(modules)
    _load(modules["zygote"].FEW)


def begin(send: Callable[[str], None], magics: bool, many: bool) -> Callable[[str], None]:
    """What takes the lines that come, after which the worker belongs to the notebook. `send` takes lines away.

    The bridge to the browser goes from among the modules, which keeps honest code honest; a wall is the worker alone.
    """
    here = globals()
    if many:
        _load(here["zygote"].MANY)
    shell = here["zygote"]._shell() if magics else None
    here["zygote"].seeded()
    os.makedirs(HOME, exist_ok=True)
    os.chdir(HOME)
    os.environ.clear()
    os.environ.update(LANG="C.UTF-8", HOME=HOME, TMPDIR=HOME)
    sys.path[:] = [place for place in sys.path if place.startswith("/lib/") and "site-packages" not in place]
    sys.meta_path[:] = [one for one in sys.meta_path if "pyodide" not in type(one).__module__]
    here["refusal"] = here["forbidden"].refusing()  # as long as it is held
    here["refusal"].__enter__()
    os.fork = _no_process
    sys.stdin = io.StringIO()
    pipes = [os.open(f"{HOME}/../pipe{n}", os.O_RDWR | os.O_CREAT) for n in range(3)]  # where they lie elsewhere
    for name in {*BRIDGE, *(name for name in sys.modules if name.partition(".")[0] in BRIDGE)}:
        sys.modules[name] = None  # type: ignore[assignment]
    gc.collect()
    gc.freeze()

    def said(line: str) -> None:  # what a notebook wrote by itself comes before, as it does there
        send("forged" if any(os.fstat(pipe).st_size for pipe in pipes) else line)

    port = here["child"].Port(lambda line: said(f"l{line.rstrip()}"))
    work = here["child"].working(
        port, lambda told: said(f"d{told.decode()}"), here["codec"].encode, here["kit"].install, shell
    )
    next(work)
    return lambda line: work.send(line.encode())


def _no_process() -> int:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def _load(names: str) -> None:
    for name in names.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
