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
entered = set()
left = {}  # of a code and a test, the lines that it has not run yet: what is left alone runs fast


def note(frame, event, _):
    code, line, test = frame.f_code, frame.f_lineno, os.environ.get("PYTEST_CURRENT_TEST", "")
    unseen = left.setdefault((code, test), set(holds(code)))
    if line in unseen:
        unseen.remove(line)
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{code.co_filename}\t{line}\t{test}\n")
    return note if unseen else None


@functools.cache
def holds(code):
    return LINES.get(code.co_filename, set()).intersection(line for _, _, line in code.co_lines())


def enter(frame, event, _):
    code = frame.f_code
    if code.co_filename not in LINES:
        return None
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    if (code.co_filename, test) not in entered:
        entered.add((code.co_filename, test))
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{code.co_filename}\t0\t{test}\n")  # of its file, any line
    return note if holds(code) and left.get((code, test), True) else None


threading.settrace(enter)
sys.settrace(enter)
