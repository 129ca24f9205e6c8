"""What an answer cannot use while it is graded, refused in the same words by the check in the notebook.

Only the standard library is needed, so that a grader can run this file where nothing else of the kit is.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Unavailable(RuntimeError, OSError):
    """An answer asked for something that it does not get while it is graded; a library sees an error of the system."""


PLACES = {
    ("threading", "Thread.start"): "threads are",
    ("_thread", "start_new_thread"): "threads are",
    ("subprocess", "Popen.__init__"): "other programs are",
    ("multiprocessing.process", "BaseProcess.start"): "other processes are",
    ("multiprocessing.context", "DefaultContext.get_context"): "other processes are",
    ("asyncio", "run"): "`asyncio.run` is",
    ("asyncio", "Runner.run"): "`asyncio.Runner` is",
}  # by module and name: what to say; only what is loaded can be used


# What a notebook may hold besides Python's own library: what is there, or what something that does nothing stands for.
THERE = {"", "__main__", "builtins", "numpy", "ndcg_course", "IPython", "ipykernel", "google", "matplotlib", "seaborn",
         "pyodide", "pyodide_kernel", "piplite", "js"}  # fmt: skip


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """Whatever is not available raises.

    >>> import threading
    >>> with refusing():
    ...     threading.Thread(target=print).start()
    Traceback (most recent call last):
    ...
    ndcg_course.explain.forbidden.Unavailable: threads are not available while you are graded
    """
    kept: list[tuple[Any, str, Any]] = []
    try:
        for (module, path), what in PLACES.items():
            holder: Any = sys.modules.get(module)
            *outer, name = path.split(".")
            for part in outer:
                holder = getattr(holder, part, None)
            if holder is not None and hasattr(holder, name):
                kept.append((holder, name, getattr(holder, name)))
                setattr(holder, name, _refuse(what))
        yield
    finally:
        for holder, name, before in reversed(kept):
            setattr(holder, name, before)


def noticed(names: Mapping[str, Any]) -> list[str]:
    """A word about what a notebook holds that a grader refuses: a cell may use it outside of any function.

    >>> import threading
    >>> noticed({"x": 1}), noticed({"threading": threading})[0][:45]
    ([], 'This notebook uses `threading`. Threads, othe')
    """
    refused = {module.partition(".")[0] for module, _ in PLACES} | {"concurrent"}  # whose pools are of these
    held = {_module_of(value).partition(".")[0] for value in list(names.values())} & refused
    uses = " and ".join(f"`{name}`" for name in sorted(held))
    told = (
        "Threads, other programs and `asyncio.run` are not available while you are graded: a cell that starts one ends"
    )
    said = [f"This notebook uses {uses}. {told} there, and what it would define is missing then."] if held else []
    if lacking := " and ".join(f"`{name}`" for name in sorted(_lacking(names))):
        said.append(
            f"This notebook uses {lacking}. Python's own library and numpy are there while you are graded, and no other"
            " package: an answer that needs one has no points then."
        )
    return said


def _lacking(names: Mapping[str, Any]) -> set[str]:
    """The packages that a notebook holds something of, or imports in a function of its own, and a grader has not."""
    held, own = set[str](), names.get("__name__", "__main__")
    for value in list(names.values()):
        held.add(_module_of(value))
        if isinstance(value, types.FunctionType) and value.__module__ == own:
            held |= _imported(value.__code__)
    tops = {module.partition(".")[0] for module in held}
    return {top for top in tops - THERE - sys.stdlib_module_names if top == "ndcg_lib" or _is_installed(top)}


def _is_installed(name: str) -> bool:
    """Whether a module is of a package that was installed, and not a file of the student's own, which can be used."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    places = [spec.origin or "", *(spec.submodule_search_locations or ())] if spec else []
    return any("-packages" in place for place in places)


def _imported(code: types.CodeType) -> set[str]:
    """What a function imports when it is called."""
    import dis  # only for functions that a student wrote

    found = {str(one.argval) for one in dis.get_instructions(code) if one.opname == "IMPORT_NAME"}
    return found.union(*(_imported(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _module_of(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return value.__name__
    own = getattr(value if isinstance(value, (type, types.FunctionType)) else type(value), "__module__", "")
    return own if isinstance(own, str) else ""


def _refuse(what: str) -> Callable[..., None]:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise Unavailable(f"{what} not available while you are graded")

    return refuse
