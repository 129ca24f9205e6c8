"""Tries the sandbox before a class is marked: each door, from inside."""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib.util import find_spec

import numpy

from ndcg_course.grading.inside import sandbox
from ndcg_course.grading.limits import Limits
from ndcg_course.grading.process import INSIDE, Broken, Zygote
from ndcg_course.grading.session import Batch, ask


def works(limits: Limits, *, locked: bool = True) -> str:
    """Try the sandbox once: what is wrong with it, or nothing. Each door is tried from inside."""
    if locked and (lacking := sandbox.missing()):
        return lacking
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    try:
        zygote = Zygote(limits, locked=locked)
    except (Broken, OSError) as error:
        return str(error)
    try:
        trial = _TRIAL % (str(INSIDE), os.getpid(), _importable()) if locked else "doors, lacking = [], []"
        answers = ask(zygote, [trial], {}, [Batch("doors"), Batch("lacking")], limits)
        if answers.ended or "doors" in answers.missing:
            return "a first child did not answer"
        found = answers.outcomes["doors"][0]
        if type(found.value) is not list:
            return "a first child gave no answer"
        if locked and found.value:
            return f"not closed in the sandbox: {', '.join(map(str, found.value))}"
        lacking = answers.outcomes["lacking"][0].value
        if type(lacking) is not list or lacking:
            named = ", ".join(map(str, (lacking or ["modules"])[:12]))
            return f"notebooks could not import {named}; are they in a folder that others may not read?"
    finally:
        zygote.close()
    return ""


def _importable() -> list[str]:
    """The modules of the standard library and of numpy that a check in a notebook can import here."""
    inner = [f"numpy.{module.name}" for module in pkgutil.iter_modules(numpy.__path__)]
    names = sorted(name for name in sys.stdlib_module_names if not name.startswith("_")) + inner
    return [name for name in names if name not in ("this", "antigravity") and find_spec(name) is not None]


_TRIAL = """
import os, socket, numpy.random
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
from importlib.util import find_spec
lacking = []
for name in %r:
    try:
        place = find_spec(name).origin
        if place not in (None, "built-in", "frozen"):
            open(place, "rb").close()
    except Exception:
        lacking.append(name)
"""
