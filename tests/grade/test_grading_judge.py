"""The judge: locked in, with a clock; what goes wrong with it costs one student one task, and never the class."""

import contextlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile.course import NAME, ROOT, notebook

from ndcg_course.grade import marking, workers
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.run import Options, run

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
RIGHT = (
    "def cg_at(g, k=None):\n    return sum(g[:k])",
    "def cg_curve(g):\n    return [sum(g[: k + 1]) for k in range(len(g))]",
)


def students(folder, texts):
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "a.ipynb").write_text(text, "utf8")
        os.utime(folder / name / "a.ipynb", (1_700_000_000, 1_700_000_000))
    return folder


def results(output):
    return {told["student"]: told for told in map(json.loads, (output / "results.jsonl").open())}


def in_a_judge(work):
    """What a locked judge is told by its kernel, of each thing that it tries."""
    into, out = os.pipe()
    pid = os.fork()
    if not pid:
        told = {}
        with contextlib.suppress(BaseException):
            workers.lock_in()
            for name, one in work.items():
                try:
                    one()
                except OSError as error:
                    told[name] = type(error).__name__
                else:
                    told[name] = "done"
        os.write(out, json.dumps(told).encode())
        os._exit(0)
    os.close(out)
    os.waitpid(pid, 0)
    with os.fdopen(into) as file:
        return json.loads(file.read())


def test_a_judge_reads_no_file_of_the_class_writes_none_and_reaches_nothing(tmp_path):
    (tmp_path / "a.ipynb").write_text("{}")
    (tmp_path / "grades.csv").write_text("ana,1\n")
    told = in_a_judge(
        {
            "a notebook": (tmp_path / "a.ipynb").read_text,
            "the marks": (tmp_path / "grades.csv").read_text,
            "other marks": lambda: (tmp_path / "grades.csv").write_text("ana,22\n"),
            "a new file": lambda: (tmp_path / "new").write_text("x"),
            "its own program": lambda: Path(workers.__file__).write_text("x"),
            "a folder": lambda: os.listdir(tmp_path),
            "who is there": lambda: os.listdir("/proc"),
            "network": socket.socket,
            "a process": os.fork,
            "a program": lambda: os.execv("/bin/true", ["true"]),
            "a signal": lambda: os.kill(os.getppid(), 0),
            "reading its program": Path(marking.__file__).read_text,
            "a pipe": os.pipe,
        }
    )
    assert {name for name, how in told.items() if how == "done"} == {"reading its program", "a pipe"}
    assert set(told.values()) == {"done", "PermissionError"} and len(told) == 13
    assert (tmp_path / "grades.csv").read_text() == "ana,1\n"


def hang(task, cases, outcomes):
    while True:
        pass


def end(task, cases, outcomes):
    os._exit(3)


def slip(task, cases, outcomes):
    raise KeyError(task.name)


@pytest.mark.parametrize("fault", [hang, end, slip])
def test_a_fault_of_the_judge_costs_one_student_one_task_and_the_next_run_tries_again(fault, tmp_path, monkeypatch):
    texts = {"ana": notebook(*RIGHT), "odd": notebook(RIGHT[0].replace("sum(", "0.5 + sum("), RIGHT[1])}
    place = students(tmp_path / "in", texts | {"zoe": notebook(*RIGHT)})
    real = marking.judge

    def judge(task, cases, outcomes):
        odd = task.name == "cg_at" and isinstance(outcomes[0].value, float) and outcomes[0].value % 1 == 0.5
        return fault(task, cases, outcomes) if odd else real(task, cases, outcomes)

    with monkeypatch.context() as patch:
        forked = multiprocessing.get_context("fork")
        patch.setattr(workers.multiprocessing, "get_context", lambda _: forked)
        patch.setattr(marking, "judge", judge)
        patch.setattr(workers, "MORE", 0.7)
        options = Options(place, tmp_path / "out", seed="s", assignment=NAME, workers=1)
        book = run(options)
    rows = {row.student: row for row in book.rows}
    assert [rows[name].total for name in texts | {"zoe": ""}] == [4.0, 2.0, 4.0] and rows["odd"].waiting == 1
    told = results(tmp_path / "out")["odd"]["tasks"]["cg_at"]["sentences"][0]
    assert ("KeyError" if fault is slip else "took too long") in told and "tried again" in told
    again = {row.student: row for row in run(Options(place, tmp_path / "out", accept=True)).rows}
    assert again["odd"].waiting == 0 and again["odd"].points["cg_at"] == 0 and again["ana"].total == 4.0
    assert "again" not in results(tmp_path / "out")["odd"]


def test_a_class_in_a_locked_judge_has_the_marks_of_one_judged_here(tmp_path):
    more = [f"s{i}" for i in range(4)]
    texts = {name: notebook(*RIGHT[: i % 3], "import decimal" if i % 2 else "x = 1") for i, name in enumerate(more)}
    large = json.loads(notebook(*RIGHT))
    large["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * (21 << 20)}]
    place = students(tmp_path / "in", texts | {"large": json.dumps(large), "broken": "{" * (2 << 20), "empty": ""})
    for name, n in (("here", 0), ("there", 2)):
        run(Options(place, tmp_path / name, seed="s", assignment=NAME, workers=n))
    assert (tmp_path / "here/results.jsonl").read_bytes() == (tmp_path / "there/results.jsonl").read_bytes()
    found = results(tmp_path / "there")
    assert found["large"]["points"] == 4 and found["broken"]["status"] == found["empty"]["status"] == "unreadable"


@pytest.mark.parametrize("how", ["same size and time", "another size"])
def test_a_file_that_changes_during_the_run_is_refused(how, tmp_path, monkeypatch):
    place = students(tmp_path / "in", {name: notebook(*RIGHT) for name in ("ana", "ben")})
    text = notebook(RIGHT[0].replace("sum", "min"), RIGHT[1]) + " " * (how == "another size")
    real = marking.mark

    def mark(job, settings):
        (place / "ben/a.ipynb").write_text(text, "utf8")
        os.utime(place / "ben/a.ipynb", (1_700_000_000, 1_700_000_000))
        return real(job, settings)

    monkeypatch.setattr(marking, "mark", mark)
    book = run(Options(place, tmp_path / "out", seed="s", assignment=NAME))
    assert [row.status for row in book.rows] == ["graded", "not graded"]
    monkeypatch.undo()
    assert [row.total for row in run(Options(place, tmp_path / "out")).rows] == [4.0, 2.0]


def below(pid):
    """The processes below one, all the way down."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(") ")[2].split()[1])
    found, waiting = [], [pid]
    while waiting:
        own = [child for child, parent in parents.items() if parent == waiting[-1]]
        waiting[-1:] = own
        found += own
    return found


LOOP = "def cg_curve(g):\n    while True: pass"
SLOW = "def cg_at(g, k=None):\n    for _ in range(40_000): pass\n    return sum(g[:k])"
DISK = """
import os, sys, time
from pathlib import Path
from ndcg_course.grade import notebooks
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.run import Options, run
place, output, jobs, slow = sys.argv[1:]
if slow:
    def later(real):
        def work(*given, **more):
            time.sleep(0.03)
            return real(*given, **more)
        return work
    os.fsync, notebooks.load = later(os.fsync), later(notebooks.load)
limits = Limits(call=0.5, task=1.0, cell=1.0, submission=4.0)
if __name__ == "__main__":
    run(Options(Path(place), Path(output), seed="s", assignment="02-cumulative-gain", limits=limits, workers=int(jobs)))
"""


@pytest.mark.sweep
def test_a_class_is_marked_alike_with_one_job_and_eight_under_load_with_pauses_and_a_slow_disk(tmp_path):
    texts = {f"s{i}": notebook(SLOW, *RIGHT[1 : 1 + i % 2], "import decimal" * (i % 3 == 0)) for i in range(3)}
    texts |= {"loop": notebook(SLOW, LOOP), "sleep": notebook(SLOW, "import time\ntime.sleep(60)")}
    place = students(tmp_path / "in", texts)
    program = tmp_path / "grade.py"
    program.write_text(DISK)

    def graded(name, jobs, *, slow=False, paused=(), load=0):
        command = [sys.executable, program, place, tmp_path / name, str(jobs), "slow" if slow else ""]
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(load)]
        own = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(list(map(str, command)), env=own)
        try:
            for which in paused:
                stopped = [process.pid, *below(process.pid)] if which == "all" else below(process.pid)[-2:]
                for sign in (signal.SIGSTOP, signal.SIGCONT):
                    for pid in stopped:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, sign)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(0.7)  # that long the pause is, and that long the run goes on
            assert process.wait() == 0
        finally:
            for one in [process, *busy]:
                one.kill()
                one.wait()
        return {
            file.relative_to(tmp_path / name): file.read_bytes()
            for file in (tmp_path / name).rglob("*")
            if file.suffix in (".csv", ".html", ".jsonl")
        }

    quiet = graded("quiet", 1)
    assert len(quiet) > len(texts)
    assert graded("busy", 8, load=3) == quiet
    assert graded("paused", 2, paused=["all", "some"]) == quiet
    assert graded("slow", 8, slow=True, paused=["some", "all"]) == quiet


@pytest.mark.parametrize("held", ["while True: pass", "import time\ntime.sleep(60)"])
def test_ctrl_c_is_obeyed_at_once_whatever_a_notebook_holds(held, tmp_path):
    marks = "\u0301" * 200_000 + "\u0316" * 200_000
    place = students(tmp_path / "in", {"ana": notebook(f'student_id = "a{marks}"', RIGHT[0], held)})
    command = [sys.executable, "-m", "ndcg_lib", "grade", place, "-o", tmp_path / "out", "--jobs", "1"]
    own = {**os.environ, "TMPDIR": str(tmp_path)}
    command = ["env", "--default-signal=INT", *map(str, command)]  # tests in the background have it ignored
    process = subprocess.Popen(command, cwd=ROOT, env=own, stderr=subprocess.PIPE, text=True)
    while len(below(process.pid)) < 5 and process.poll() is None:  # up to the process of the student
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert "run the same command again to go on" in process.communicate(timeout=600)[1]
    assert process.returncode and not list(tmp_path.glob("ndcg-grade-*"))
