"""Tries the sandbox before a class is marked: each door, from inside."""

from __future__ import annotations

import os

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
        trial = _TRIAL % (str(INSIDE), os.getpid()) if locked else "doors = []"
        answers = ask(zygote, [trial], {}, [Batch("doors")], limits)
        if answers.ended or "doors" in answers.missing:
            return "a first child did not answer"
        found = answers.outcomes["doors"][0]
        if type(found.value) is not list:
            return "a first child gave no answer"
        if locked and found.value:
            return f"not closed in the sandbox: {', '.join(map(str, found.value))}"
    finally:
        zygote.close()
    return ""


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
"""
