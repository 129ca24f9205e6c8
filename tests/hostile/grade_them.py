"""Grades a folder with short limits; a process of its own, so that its memory and its end can be watched."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import resource
import struct
import sys
from pathlib import Path
from typing import Any

from ndcg_course.grade import claims
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.run import Options, run

SHORT = Limits(call=0.4, task=0.8, cell=0.8, submission=2.5, memory=256 << 20)


def without_namespaces() -> None:
    """Take from this process, and those that it starts, what many systems give to no ordinary user."""
    unshare = {"x86_64": 272, "aarch64": 97}[platform.machine()]
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, unshare), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("=HBBI", *line) for line in code)
    held = ctypes.create_string_buffer(program, len(program))
    c = ctypes.CDLL(None)
    assert (
        c.prctl(38, 1, 0, 0, 0) == 0 and c.prctl(22, 2, struct.pack("HP", len(code), ctypes.addressof(held)), 0, 0) == 0
    )
    assert c.unshare(0x10000000) == -1


def told_apart() -> None:
    """What comes of the inputs of every check, which may be told, is written in another way than hidden ones."""
    openly = claims.openly

    def renamed(claim: Any, seconds: float) -> Any:
        return openly(json.loads(json.dumps(claim).replace("HIDDEN", "PUBLIC")), seconds)

    claims.openly = renamed


told_apart()  # in each process, for each reads this file anew


def main() -> None:
    """Print what the run took."""
    if "without-namespaces" in sys.argv:
        without_namespaces()
    submissions, output, workers = sys.argv[1:4]
    run(Options(Path(submissions), Path(output), seed="attacked", workers=int(workers), limits=SHORT))
    # Not ru_maxrss: that counts what the process was before it became this one, a copy of pytest.
    own = int(Path("/proc/self/status").read_text("ascii").partition("VmHWM:")[2].split()[0])
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({"own_kb": own, "largest_kb": largest, "uid": os.getuid()}))


if __name__ == "__main__":
    main()
