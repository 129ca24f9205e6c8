"""Grades a folder with short limits; a process of its own, so that its memory and its end can be watched."""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

from ndcg_course.grading.limits import Limits
from ndcg_course.grading.run import Options, run

SHORT = Limits(call=0.4, task=0.8, cell=0.8, submission=2.5, memory=256 << 20)


def main() -> None:
    """Print what the run took."""
    submissions, output, workers = sys.argv[1:4]
    run(Options(Path(submissions), Path(output), seed="attacked", workers=int(workers), limits=SHORT))
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({"own_kb": own, "largest_kb": largest, "uid": os.getuid()}))


if __name__ == "__main__":
    main()
