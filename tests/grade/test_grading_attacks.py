"""Hostile notebooks against the grader: no undeserved point, no escape, no lost result, nothing left running."""

import csv
import json
import os
import platform
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile.attacks import ATTACKS
from hostile.course import ROOT, write_class

from ndcg_course.grade import byhand
from ndcg_course.grade.inside import sandbox, syscalls

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}"),
]
SECRETS = ("CANARY-IN-A-FILE", "CANARY-IN-THE-ENVIRONMENT", "-SECRET", "root:x:0", "ESCAPED", "OPEN", "LEFT-BEHIND")
ORDINARY = 1001
MOST_MEMORY = 700_000  # kB, for the whole grader or any process below it


class Course:
    """What a run over all attacks left behind."""

    def __init__(self, folder: Path, uid: int, jobs: int, attacks: list[str], *more: str):
        self.folder, self.uid, self.jobs, self.attacks, self.more = folder, uid, jobs, attacks, more
        self.output, self.submissions, self.free = folder / "out", folder / "in", folder / "free"
        self.free.mkdir()
        self.free.chmod(0o777)
        self.canary = folder / "canary.txt"
        self.canary.write_text("CANARY-IN-A-FILE")
        self.canary.chmod(0o666)
        self.connected = 0
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind(f"\0{folder.name}-abstract")
            abstract.listen()
            for listening in (server, abstract):
                threading.Thread(target=self._count, args=(listening,), daemon=True).start()
            self._grade(server.getsockname()[1], f"{folder.name}-abstract")
        with (self.output / "grades.csv").open(encoding="utf8", newline="") as file:
            self.rows = {row["student"]: row for row in csv.DictReader(file)}
        self.written = {
            str(file.relative_to(self.output)): file.read_text("utf8")
            for file in sorted(self.output.rglob("*"))
            if file.is_file()
        }

    def _count(self, listening: socket.socket) -> None:
        try:
            while True:
                listening.accept()
                self.connected += 1
        except OSError:
            return

    def _grade(self, port: int, abstract: str) -> None:
        places = {
            "canary": self.canary, "folder": self.free, "port": port, "abstract": abstract, "kit": ROOT,
            "parent": os.getpid(), "submissions": self.submissions, "output": self.output,
            "neighbour": self.submissions / "b-honest-000" / "02-cumulative-gain.ipynb",
            "allowed": _allowed(), "calls": 480,
        }  # fmt: skip
        self.neighbours = write_class(self.submissions, self.attacks, places)
        if self.uid != os.getuid():
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.uid, self.uid)
        options = {"user": self.uid, "group": self.uid, "extra_groups": []} if self.uid != os.getuid() else {}
        site = [str(ROOT), str(ROOT / "tests"), *(p for p in sys.path if p.endswith("site-packages"))]
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "TMPDIR": str(self.folder), "PYTHONPATH": ":".join(site),
            "NDCG_SECRET": "CANARY-IN-THE-ENVIRONMENT", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        command = [interpreter(self.uid), str(ROOT / "tests/hostile/grade_them.py"), str(self.submissions)]
        self.process = subprocess.run(
            [*command, str(self.output), str(self.jobs), *self.more], capture_output=True, text=True, timeout=500,
            env=environment, cwd=self.folder, check=False, **options,
        )  # fmt: skip
        assert self.process.returncode == 0, self.process.stderr[-3000:]


def _allowed() -> list[int]:
    """The numbers of the system calls that a child may make on this machine, some with some arguments only."""
    column = 0 if platform.machine() == "x86_64" else 1
    numbers = [pair[column] for pair in syscalls.ALLOWED.values()]
    numbers += [pair[column] for pair in (syscalls.FCNTL, syscalls.IOCTL, syscalls.PRLIMIT)]
    probes = [335, 336]  # the kernel's own, on x86-64: it ends whoever else calls them
    return sorted(number for number in [*numbers, *probes] if number is not None)


def interpreter(uid: int) -> str:
    """A Python that this uid may run, with numpy in reach."""
    if uid == os.getuid():
        return sys.executable
    system = f"/usr/bin/python3.{sys.version_info.minor}"
    site = ":".join(p for p in sys.path if p.endswith("site-packages"))
    for python in (os.path.realpath(sys.executable), system):
        if not os.path.exists(python):
            continue
        try:
            done = subprocess.run(
                [python, "-c", "import numpy, click"], user=uid, group=uid, extra_groups=[], env={"PYTHONPATH": site},
                capture_output=True, check=False, cwd="/",
            )  # fmt: skip
        except PermissionError:
            continue
        if done.returncode == 0:
            return python
    pytest.skip("no Python here that an ordinary user may run")


# Each way in which a class is marked with some of the attacks, and what runs it; the first two are all of them.
EVERYDAY, SWEEP, WEEKLY = [], [pytest.mark.sweep], [pytest.mark.weekly]
NAMES = list(ATTACKS)
WAYS = [
    ("as an ordinary user", "one in 12", NAMES[::12], EVERYDAY),
    ("as an ordinary user", "the others", [name for at, name in enumerate(NAMES) if at % 12], SWEEP),
    ("as root", "one in 8", NAMES[3::8], SWEEP),
    ("without namespaces, one job", "one in 8", NAMES[7::8], SWEEP),
    ("as root", "all", NAMES, WEEKLY),
    ("without namespaces, one job", "all", NAMES, WEEKLY),
]


@pytest.fixture(
    scope="module",
    params=[pytest.param((way, some), id=f"{way}, {told}", marks=marks) for way, told, some, marks in WAYS],
)
def course(request: pytest.FixtureRequest) -> Iterator[Course]:
    way, attacks = request.param
    root = os.getuid() == 0
    if way == "as root" and not root:
        pytest.skip("only root can try this as root")
    with tempfile.TemporaryDirectory(prefix="attacked-") as name:  # pytest's own folders are closed to other users
        Path(name).chmod(0o755)
        uid = ORDINARY if root and way != "as root" else os.getuid()
        alone = "one job" in way
        yield Course(Path(name), uid, 1 if alone else 2, attacks, *(["without-namespaces"] if alone else []))


def test_an_attack_earns_what_its_answers_deserve(course: Course) -> None:
    wrong = []
    for name in course.attacks:
        row, attack = course.rows[name], ATTACKS[name]
        statuses, total = set(row["status"].split(", ")), float(row["total"])
        if not statuses & set(attack.statuses):
            wrong.append(row)
        elif attack.honest and statuses == {"graded"} and row["to mark"]:
            wrong += [row] if total != 12 else []  # an accident, and right answers after it
        elif not attack.honest:
            wrong += [row] if total != 0 else []
    assert not wrong


def test_every_honest_neighbour_has_all_points(course: Course) -> None:
    assert len(course.neighbours) >= len(course.attacks) / 6
    for name in course.neighbours:
        row = course.rows[name]
        assert (row["total"], row["status"], row["to mark"]) == ("12", "graded", "1"), name


def test_no_result_is_lost(course: Course) -> None:
    results = [json.loads(line) for line in course.written["results.jsonl"].splitlines()]
    assert {r["student"] for r in results} == {*course.attacks, *course.neighbours}
    assert not [r["student"] for r in results if r["status"] == "not graded"]


def test_nothing_was_taken(course: Course) -> None:
    for name, text in course.written.items():
        for secret in SECRETS:
            assert secret not in text, f"{secret} is in {name}"


def test_no_hidden_input_comes_back(course: Course) -> None:
    for name, text in course.written.items():
        if name.startswith(("feedback", "grades", "summary", "results")):
            shown = re.sub(r'<pre class="code">.*?</pre>|"code": "(?:[^"\\]|\\.)*"', "", text, flags=re.S)
            assert "HIDDEN" not in shown, name  # the student's own code is the student's to see


def test_nothing_outside_was_touched(course: Course) -> None:
    assert list(course.free.iterdir()) == []
    assert course.canary.read_text() == "CANARY-IN-A-FILE"
    assert course.canary.stat().st_mtime > 1
    assert not Path("/tmp/escaped-ndcg").exists()
    assert course.connected == 0


def test_nothing_is_left_running_or_lying_about(course: Course) -> None:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            folder = os.readlink(entry / "cwd")
        except OSError:
            continue
        assert str(course.folder).encode() not in command, command
        assert not folder.startswith(str(course.folder)), command
    assert [path.name for path in course.folder.glob("ndcg-grade-*")] == []


def test_the_memory_is_bounded(course: Course) -> None:
    told = json.loads(course.process.stdout)
    assert told["uid"] == course.uid
    assert told["own_kb"] < MOST_MEMORY and told["largest_kb"] < MOST_MEMORY


def test_no_script_is_live_in_a_page(course: Course) -> None:
    for name, text in course.written.items():
        if name.endswith(".html"):
            own = f"<script>{byhand.SCRIPT}</script>" if name == "to-mark.html" else "-"
            text = text.replace(own, "")
            assert "<script" not in text and "<img" not in text and "<svg" not in text, name


def test_no_cell_is_a_formula(course: Course) -> None:
    for name, text in course.written.items():
        if name.endswith(".csv"):
            for row in csv.reader(text.splitlines()):
                assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))], name
