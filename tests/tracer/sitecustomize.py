"""Notes which test runs which of some lines, in every Python that a test starts; tests/mutants.py reads it."""

import functools
import json
import os
import sys
import threading

WANTED, LOG = os.environ["NDCG_TRACE"].split(os.pathsep)
with open(WANTED, encoding="utf-8") as file:
    LINES = {}
    for path, line in json.load(file):
        LINES.setdefault(path, set()).add(line)
seen = set()


def note(frame, event, _):
    where = frame.f_code.co_filename, frame.f_lineno, os.environ.get("PYTEST_CURRENT_TEST", "")
    if where not in seen and frame.f_lineno in LINES[frame.f_code.co_filename]:
        seen.add(where)
        with open(LOG, "a", encoding="utf-8") as log:
            log.write("\t".join(map(str, where)) + "\n")
    return note


@functools.cache
def holds(code):
    wanted = LINES.get(code.co_filename, ())
    return any(line in wanted for _, _, line in code.co_lines())


def enter(frame, event, _):
    return note if holds(frame.f_code) else None


threading.settrace(enter)
sys.settrace(enter)
