"""How fast a class is graded, beside nbgrader and otter-grader, in processor time.

python3 -m venv peers && peers/bin/pip install nbgrader==0.9.6 otter-grader ipykernel numpy
python tests/benchmarks/grading.py --peers peers/bin            # 1000 notebooks here, 20 with nbgrader, 5 with otter
python tests/benchmarks/grading.py --many 10000 --jobs 2        # a large course: time, and memory on the way

All grade the same solved notebook of the assignment that lies in the middle by the number of its calls. Processor time
counts every process below; wall time depends on what else the machine does. For this kit it is the whole command, from
its start to the pages of feedback and the summary; `--export` costs some more.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ndcg_course.tasks import assignments  # noqa: E402


def median_assignment() -> str:
    """The assignment with the median number of calls."""
    calls = {
        name: sum(len(task.cases("benchmark")) for task in one.tasks if task.calls)
        for name, one in assignments().items()
        if (ROOT / "solutions" / f"{name}.ipynb").is_file()
    }
    return sorted(calls, key=lambda name: (calls[name], name))[len(calls) // 2]


def measured(
    command: list[str], cwd: Path, watch: tuple[Path, int] | None = None, **environment: str
) -> tuple[float, float, int]:
    """Wall seconds, processor seconds of the command and all below it, and its largest process in kB."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # whose parent ends becomes a child of this process
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    if watch:
        threading.Thread(target=watched, args=(process.pid, *watch), daemon=True).start()
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall, spent, largest = time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{command[0]} failed: {told.decode()[-1500:]}")
    with contextlib.suppress(ChildProcessError):  # what it left to itself, as the process that begins its judges
        while True:
            _, _, used = os.wait4(-1, 0)
            spent, largest = spent + used.ru_utime + used.ru_stime, max(largest, used.ru_maxrss)
    return wall, spent, largest


def resident(pid: int) -> dict[str, int]:
    """The memory in MB of the largest grader and the largest clean process at or below a process."""
    below: dict[int, list[int]] = {}
    facts: dict[int, tuple[str, int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "stat").read_text().rpartition(")")[2].split()
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        below.setdefault(int(words[1]), []).append(int(entry.name))
        facts[int(entry.name)] = ("clean process" if b"zygote.py" in line else "grader"), int(words[21]) * 4 // 1024
    found: dict[str, int] = {}
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        waiting += below.get(one, [])
        kind, size = facts.get(one, ("grader", 0))
        found[kind] = max(found.get(kind, 0), size)
    return found


def watched(pid: int, results: Path, number: int) -> None:
    """Print the memory at a tenth, at a half and near the end of a large course."""
    for share in (0.1, 0.5, 0.98):
        while not results.is_file() or results.read_bytes().count(b"\n") < share * number:
            if not Path(f"/proc/{pid}").exists():
                return
            time.sleep(0.5)
        print(f"after {share * number:.0f}: {resident(pid)} MB", flush=True)


def copies(folder: Path, notebook: Path, number: int) -> Path:
    """A class that hands in the same notebook."""
    for i in range(number):
        (folder / f"student{i:05}").mkdir(parents=True)
        shutil.copy(notebook, folder / f"student{i:05}" / notebook.name)
    return folder


def own(work: Path, notebook: Path, number: int, jobs: int) -> tuple[float, float, int]:
    """Grade with this kit."""
    folder = copies(work / "own", notebook, number)
    code = "import sys; from ndcg_lib.commands.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "grade", str(folder), "-o", str(work / "marks"), "--jobs", str(jobs)]
    watch = (work / "marks" / "results.jsonl", number) if number >= 5000 else None
    return measured(command, work, watch, PYTHONPATH=str(ROOT))


def nbgrader(work: Path, notebook: Path, number: int, peers: Path) -> tuple[float, float, int]:
    """Grade the same notebook, with its checks, by `nbgrader autograde`: one batch."""
    course = work / "course"
    name = notebook.stem
    (course / "source" / name).mkdir(parents=True)
    shutil.copy(notebook, course / "source" / name / notebook.name)
    config = "c = get_config()\nc.CourseDirectory.course_id = 'x'\nc.ClearSolutions.enforce_metadata = False\n"
    (course / "nbgrader_config.py").write_text(config)
    environment = {"PATH": f"{peers}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NDCG_PROGRESS": "off"}
    measured([str(peers / "nbgrader"), "generate_assignment", name, "--create", "--force"], course, **environment)
    for i in range(number):
        place = course / "submitted" / f"student{i:05}" / name
        place.mkdir(parents=True)
        shutil.copy(notebook, place / notebook.name)
    return measured([str(peers / "nbgrader"), "autograde", name], course, **environment)


OTTER_TEST = """OK_FORMAT = True
case = {{
    "code": ">>> from ndcg_course import check\\n>>> check('{task}', {task}).passed\\nTrue",
    "hidden": False,
    "locked": False,
}}
suite = {{"type": "doctest", "scored": True, "setup": "", "teardown": "", "cases": [case]}}
test = {{"name": "{task}", "points": {points}, "suites": [suite]}}
"""


def otter(work: Path, notebook: Path, number: int, peers: Path) -> tuple[float, float, int]:
    """Grade the same notebook by `otter run`, a process each, with a test per task that calls the same check."""
    folder = work / "otter"
    (folder / "tests").mkdir(parents=True)
    for task in assignments()[notebook.stem].tasks:
        if task.calls:
            text = OTTER_TEST.format(task=task.name, points=task.points)
            (folder / "tests" / f"{task.name}.py").write_text(text)
    (folder / "requirements.txt").write_text("numpy\n")
    (folder / "out").mkdir()
    environment = {"PATH": f"{peers}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NDCG_PROGRESS": "off"}
    measured(
        [str(peers / "otter"), "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"],
        folder,
        **environment,
    )
    wall = cpu = 0.0
    largest = 0
    shutil.copy(notebook, folder / "submission.ipynb")
    for _ in range(number):
        took = measured(
            [str(peers / "otter"), "run", "-a", "autograder.zip", "-o", "out", "submission.ipynb"],
            folder,
            **environment,
        )
        wall, cpu, largest = wall + took[0], cpu + took[1], max(largest, took[2])
    return wall, cpu, largest


def main() -> None:
    """Print a table."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--peers", type=Path, help="the bin folder with nbgrader and otter")
    reader.add_argument("--number", type=int, default=1000)
    reader.add_argument("--many", type=int, help="only this kit, with so many notebooks")
    reader.add_argument("--jobs", type=int, default=1)
    chosen = reader.parse_args()
    name = median_assignment()
    notebook = ROOT / "solutions" / f"{name}.ipynb"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        number = chosen.many or chosen.number
        rows.append(("ndcg grade", number, *own(work, notebook, number, chosen.jobs)))
        if chosen.peers and not chosen.many:
            peers = chosen.peers.absolute()
            rows.append(("nbgrader, batch", 20, *nbgrader(work, notebook, 20, peers)))
            rows.append(("otter run", 5, *otter(work, notebook, 5, peers)))
    print(f"{name}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    head = ("", "notebooks", "wall s", "cpu s each", "per s and core", "times", "largest MB")
    print("{:16} {:>9} {:>8} {:>10} {:>14} {:>6} {:>10}".format(*head))
    first = rows[0][3] / rows[0][1] if chosen.jobs == 1 else float("nan")
    for label, count, wall, cpu, largest in rows:
        each = cpu / count if chosen.jobs == 1 else float("nan")  # workers of a pool are not counted
        print(
            f"{label:16} {count:9} {wall:8.1f} {each:10.4f} {1 / each:14.1f} {each / first:6.1f} {largest / 1024:10.0f}"
        )
    print(json.dumps([dict(zip(("tool", "n", "wall", "cpu", "kb"), row, strict=True)) for row in rows]))


if __name__ == "__main__":
    main()
