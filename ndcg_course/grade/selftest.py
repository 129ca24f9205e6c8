"""Tries the sandbox before a class is marked: each door, from inside."""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib.machinery import PathFinder

import numpy

from ndcg_course.grade import marking, notebooks
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.process import INSIDE, Broken, Gone
from ndcg_course.grade.session import Batch


def works(settings: Settings) -> str:
    """Try the sandbox once: what is wrong with it, or nothing. Each door is tried from inside.

    The clean process stays, for this process to mark with, where nothing is wrong.
    """
    lacking = _lacking(settings)
    if lacking:
        marking.close()
    return lacking


def _lacking(settings: Settings) -> str:
    if settings.locked and (lacking := sandbox.missing()):
        return lacking
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    return _tried(_importable(), settings) or _tried([], settings)


def _tried(modules: list[str], settings: Settings) -> str:
    """Try the doors in the large clean process, of which modules are asked, or in the small one."""
    doors = _DOORS % (str(INSIDE), os.getpid()) if settings.locked else "doors = []"
    lacking = _LACKING % modules if modules and settings.locked else "lacking = []"
    trial = (doors, lacking, "import numpy" if modules else "")
    try:
        answers = marking.asked(notebooks.Notebook(trial), {}, [Batch("doors"), Batch("lacking")], settings)
    except (Broken, Gone, OSError) as error:
        return str(error)
    if answers.ended or "doors" in answers.missing:
        return "a first child did not answer"
    doors, lacking = (answers.outcomes[name][0].value for name in ("doors", "lacking"))
    if type(doors) is not list:
        return "a first child gave no answer"
    if settings.locked and doors:
        return f"not closed in the sandbox: {', '.join(map(str, doors))}"
    if type(lacking) is not list or lacking:
        named = ", ".join(map(str, (lacking or ["modules"])[:12]))
        return f"notebooks could not import {named}; are they in a folder that others may not read?"
    return ""


def _importable() -> list[str]:
    """The modules of the standard library and of numpy that a check in a notebook can import here."""
    inner = [f"numpy.{module.name}" for module in pkgutil.iter_modules(numpy.__path__)]
    names = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))
    return [n for n in names if n not in ("this", "antigravity") and PathFinder.find_spec(n) is not None] + inner


_DOORS = """
import os, socket
doors = []
def attempt(name, work):
    try:
        work()
    except BaseException:
        return
    doors.append(name)
attempt("files", lambda: os.listdir(%r))
attempt("processes", os.fork)
attempt("network", socket.socket)
attempt("signals", lambda: os.kill(%d, 0))
"""
_LACKING = """
from importlib.util import find_spec
lacking = []
for name in %s:
    try:
        place = find_spec(name).origin
        if place not in (None, "built-in", "frozen"):
            open(place, "rb").close()
    except Exception:
        lacking.append(name)
"""
