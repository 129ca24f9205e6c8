"""`ndcg grade`: what is found, what is written, what survives a kill, and what a person's marks become."""

import base64
import contextlib
import csv
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
from hostile.course import NAME, ROOT, notebook, solved

from ndcg_course.grade import byhand, exports, gradebook, pages, similarity, submissions
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.journal import Journal
from ndcg_course.grade.lateness import Lateness
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.process import Zygote
from ndcg_course.grade.run import Options, run
from ndcg_lib.commands.cli import main

needs_sandbox = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
RIGHT = notebook(*solved())
EMPTY = (ROOT / "exercises" / f"{NAME}.ipynb").read_text("utf8")
CG_ONLY = notebook("def cg_at(grades, k=None):\n    return sum(grades[:k])")
IGNORES_K = notebook("def cg_at(grades, k=None):\n    return sum(grades)")


def ndcg(*arguments, cwd=ROOT):
    """The command in this process, which marks as well; those that are killed or stopped below run on their own."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(os, "sched_getaffinity", lambda _: (), raising=False)
        code = main(["grade", *map(str, arguments)])
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


def rows(output):
    with (output / "grades.csv").open(encoding="utf8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def put(folder, name, text=CG_ONLY):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf8")
    return path


def state(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files:
            archive.writestr(name, text)
    return path


@pytest.fixture
def handed_in(tmp_path):
    folder = tmp_path / "in"
    put(folder, f"Ana Müller/{NAME}.ipynb", RIGHT)
    put(folder, "bob/homework final.ipynb", EMPTY)
    put(folder, "Chloé d'Arc/x.ipynb", IGNORES_K)
    put(folder, "dan/x.ipynb", CG_ONLY)
    return folder


def grade(folder, output, **more):
    return run(Options(folder, output, seed="a-seed", **more))


# ---- the marks and the files --------------------------------------------------------------------


@needs_sandbox
def test_a_small_class(handed_in, tmp_path):
    done = ndcg(handed_in, "-o", tmp_path / "out", "--export", "all")
    assert done.returncode == 0, done.stderr
    marks = rows(tmp_path / "out")
    assert list(marks) == ["Ana Müller", "bob", "Chloé d'Arc", "dan"]
    row = marks["Ana Müller"]
    assert (row["total"], row["max"], row["machine"], row["by hand"], row["to mark"]) == ("12", "14", "12", "", "1")
    assert row["status"] == "graded"
    assert (marks["bob"]["total"], marks["bob"]["status"]) == ("0", "graded")
    assert marks["dan"]["cg_at"] == "2" and marks["dan"]["total"] == "2"
    assert marks["Chloé d'Arc"]["cg_at"] == "0"  # the points need the main property
    feedback = (tmp_path / "out/feedback/Chloé d'Arc.html").read_text("utf8")
    result = json.loads((tmp_path / "out/results.jsonl").read_text("utf8").splitlines()[1])["tasks"]["cg_at"]
    assert result["slips"] and result["sentences"][0] in feedback
    assert "Cumulative gain" in feedback
    summary = (tmp_path / "out/summary.html").read_text("utf8")
    assert "1 of 3" in summary and result["slips"][0] in summary


@needs_sandbox
def test_code_that_was_given_to_be_repaired_is_no_mistake_of_a_class(tmp_path):
    unsolved = (ROOT / "exercises" / "02-cumulative-gain.ipynb").read_text("utf8")
    put(tmp_path / "in", "untouched/a.ipynb", unsolved)
    put(tmp_path / "in", "touched/a.ipynb", unsolved.replace("total = total + grades[i]", "total += grades[i]"))
    grade(tmp_path / "in", tmp_path / "out")
    lines = (tmp_path / "out/results.jsonl").read_text("utf8").splitlines()
    told = {result["student"]: result["tasks"]["cg_with_loop"] for result in map(json.loads, lines)}
    assert told["untouched"]["status"] == "not attempted" and not told["untouched"]["slips"]
    assert told["touched"]["slips"] == ["first-lost"] and told["touched"]["points"] == 0
    assert "first-lost" in (tmp_path / "out/summary.html").read_text("utf8")


@needs_sandbox
def test_crash_unreadable_and_an_honest_zero_are_told_apart(tmp_path):
    folder = tmp_path / "in"
    put(folder, "zero/a.ipynb", EMPTY)
    put(folder, "crash/a.ipynb", notebook("def cg_at(g, k=None):\n    import os\n    os._exit(0)"))
    put(folder, "broken/a.ipynb", RIGHT[:1000])
    put(folder, "picture/a.ipynb", "\x89PNG not a notebook")
    put(folder, "paper/essay.docx", "words")
    (folder / "nothing").mkdir()
    grade(folder, tmp_path / "out")
    found = {name: (row["status"], row["total"]) for name, row in rows(tmp_path / "out").items()}
    assert found == {
        "zero": ("graded", "0"),
        "crash": ("crashed", "0"),
        "broken": ("unreadable", ""),
        "picture": ("unreadable", ""),
        "paper": ("no notebook", ""),
        "nothing": ("no notebook", ""),
    }


@needs_sandbox
@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        "[" * 200_000,
        '{"cells": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"cells": {"a": 1}}',
        '{"cells": "text"}',
        '{"cells": [1, null, {"cell_type": "code"}, {"cell_type": "code", "source": 7}]}',
        '{"cells": [{"cell_type": "code", "source": ["x", 1, null]}], "n": ' + "9" * 100_000 + "}",
        '{"cells": [{"cell_type": "code", "source": "\\ud800 = 1"}]}',
        json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}] * 5000}),
        json.dumps({"cells": [{"cell_type": "code", "source": "# cg_at\n" + "\n" * 900_000}]}),
        json.dumps({"cells": [{"cell_type": "code", "source": "#" * 3_000_000}]}),
    ],
    ids=range(14),
)
def test_a_broken_notebook_hurts_nobody(text, tmp_path):
    put(tmp_path / "in", "hostile/a.ipynb", text)
    put(tmp_path / "in", "neighbour/a.ipynb", CG_ONLY)
    grade(tmp_path / "in", tmp_path / "out", assignment=NAME)
    assert rows(tmp_path / "out")["neighbour"]["cg_at"] == "2"
    assert rows(tmp_path / "out")["hostile"]["status"] in ("unreadable", "graded")


@needs_sandbox
def test_an_enormous_file_is_not_read(tmp_path):
    with put(tmp_path / "in", "ana/a.ipynb", CG_ONLY).open("ab") as file:
        file.truncate(8 << 30)
    put(tmp_path / "in", "bob/a.ipynb", CG_ONLY)
    grade(tmp_path / "in", tmp_path / "out")
    assert rows(tmp_path / "out")["ana"]["status"] == "unreadable"
    assert rows(tmp_path / "out")["bob"]["cg_at"] == "2"


@needs_sandbox
def test_the_last_of_two_equal_keys_counts_as_in_jupyter(tmp_path):
    text = '{"cells": [], "cells": [{"cell_type": "code", "source": "def cg_at(g, k=None): return sum(g[:k])"}]}'
    put(tmp_path / "in", "ana/a.ipynb", text)
    grade(tmp_path / "in", tmp_path / "out")
    assert rows(tmp_path / "out")["ana"]["cg_at"] == "2"


@needs_sandbox
def test_links_pipes_and_devices_are_not_opened(tmp_path):
    secret = put(tmp_path, "secret.ipynb", CG_ONLY)
    folder = tmp_path / "in"
    put(folder, "ana/a.ipynb", CG_ONLY)
    for name in ("link", "folder-link", "pipe"):
        (folder / name).mkdir()
    (folder / "link/a.ipynb").symlink_to(secret)
    (folder / "folder-link/more").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe/a.ipynb")
    (folder / "student-is-a-link").symlink_to(folder / "ana")
    if os.getuid() == 0:
        (folder / "device").mkdir()
        os.mknod(folder / "device/a.ipynb", 0o600 | 0o20000, os.makedev(1, 5))
    grade(folder, tmp_path / "out")
    found = rows(tmp_path / "out")
    assert found.pop("ana")["cg_at"] == "2"
    assert {row["status"] for row in found.values()} == {"no notebook"}


@needs_sandbox
def test_names_are_neither_markup_nor_formulas_nor_paths(tmp_path):
    names = ["=HYPERLINK(1)", "+1", "@SUM(A1)", "-2", "<script>alert(1)<", "a'\"&", "Ünïcödé 学生", "CON", ".. dots"]
    folder = tmp_path / "in"
    for name in names:
        put(folder, f"{name}/a.ipynb", CG_ONLY)
    grade(folder, tmp_path / "out", forms=("canvas", "moodle", "nbgrader"))
    for file in (tmp_path / "out").rglob("*.csv"):
        for row in csv.reader(io.StringIO(file.read_text("utf8"))):
            assert not [cell for cell in row if cell[:1] in tuple("=+-@")], file
    for file in (tmp_path / "out").rglob("*.html"):
        assert "<script" not in file.read_text("utf8")
    assert len(list((tmp_path / "out/feedback").iterdir())) == len(names)


@needs_sandbox
def test_pages_stand_alone(handed_in, tmp_path):
    grade(handed_in, tmp_path / "out")
    found = list((tmp_path / "out").rglob("*.html"))
    assert {file.name for file in found if file.parent.name != "feedback"} == {
        "summary.html",
        "class.html",
        "to-mark.html",
    }
    for file in found:
        text = file.read_text("utf8")
        assert text.count("default-src 'none'") == 1
        own = byhand.SCRIPT if file.name == "to-mark.html" else None  # the one page with a script, whose hash it tells
        assert [own] * bool(own) == re.findall(r"<script>(.*?)</script>", text, re.S)
        assert ("script-src 'sha256-" in text) == bool(own)
        assert not re.search(r"https?:|//|@import|url\(|\bsrc=", text.replace(own or "-", "")), file
        assert '<html lang="en">' in text and "<main>" in text and text.count("<h1>") == 1
    summary = (tmp_path / "out/summary.html").read_text("utf8")
    for link in re.findall(r'href="([^"]+)"', summary):
        assert (tmp_path / "out" / unquote(link)).is_file(), link


def test_file_names_are_safe_and_different():
    names = pages.file_names(["a/b", "a\\b", "A", "a", "..", "", "x" * 300, "x" * 301, "NUL", "-rf"])
    assert len({name.casefold() for name in names.values()}) == 10
    assert all(0 < len(name.encode()) < 120 and not set('/\\:*?"<>|') & set(name) for name in names.values())
    assert not [name for name in names.values() if name.startswith((".", "-"))]


# ---- where submissions come from ------------------------------------------------------------------


def students(folder):
    return sorted((job.student, job.attempt, job.late_mark) for job in submissions.find(folder).jobs)


def test_a_flat_folder(tmp_path):
    for name in ("ana.ipynb", f"bob_{NAME}.ipynb", f"{NAME} - Chloé D.ipynb", f"bob_{NAME} (1).ipynb"):
        put(tmp_path, name, RIGHT)
    assert students(tmp_path) == [("Chloé D", 0, False), ("ana", 0, False), ("bob", 0, False), ("bob", 1, False)]


def test_the_folders_of_nbgrader(tmp_path):
    put(tmp_path, f"ana/{NAME}/{NAME}.ipynb", RIGHT)
    put(tmp_path, f"ana/{NAME}/.ipynb_checkpoints/{NAME}-checkpoint.ipynb", RIGHT)
    assert students(tmp_path) == [("ana", 0, False)]


def test_the_zip_of_moodle(tmp_path):
    files = [
        (f"Ana Lima_123456_assignsubmission_file_/{NAME}.ipynb", RIGHT),
        (f"Ana Lima_123999_assignsubmission_file_/{NAME}.ipynb", RIGHT),
        ("Zoë Ö_123457_assignsubmission_file_homework.ipynb", RIGHT),
        ("__MACOSX/._x.ipynb", "x"),
    ]
    found = students(zipped(tmp_path / "m.zip", files))
    assert found == [("Ana Lima (123456)", 0, False), ("Ana Lima (123999)", 0, False), ("Zoë Ö", 0, False)]


def test_the_zip_of_canvas(tmp_path):
    files = [
        (f"limaana_1201_8830_{NAME}.ipynb", RIGHT),
        (f"limaana_1201_8831_{NAME}-1.ipynb", RIGHT),
        (f"bobbob_LATE_1202_8832_{NAME}.ipynb", RIGHT),
    ]
    assert students(zipped(tmp_path / "c.zip", files)) == [
        ("bobbob", 0, True),
        ("limaana", 0, False),
        ("limaana", 1, False),
    ]


@needs_sandbox
def test_members_of_a_zip_that_climb_stay_in_it(tmp_path):
    files = [
        (f"../../escaped/{NAME}.ipynb", CG_ONLY),
        ("/etc/escaped.ipynb", CG_ONLY),
        ("C:\\escaped\\a.ipynb", CG_ONLY),
        ("ana/a.ipynb", CG_ONLY),
    ]
    path = zipped(tmp_path / "z.zip", files)
    link = zipfile.ZipInfo("bob/a.ipynb")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("bomb/a.ipynb", b" " * (30 << 20), zipfile.ZIP_DEFLATED)
        archive.writestr("secret/a.ipynb", CG_ONLY)
        archive.infolist()[-1].flag_bits |= 1  # it says that it is encrypted
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("ana/a.ipynb", EMPTY)
    before = state(tmp_path)
    grade(path, tmp_path / "out")
    assert {k: v for k, v in state(tmp_path).items() if k.parts[0] != "out"} == before
    found = rows(tmp_path / "out")
    assert found["escaped"]["cg_at"] == found["etc"]["cg_at"] == "2"
    assert (found["bob"]["status"], found["bomb"]["status"]) == ("no notebook", "unreadable")
    assert found["secret"]["status"] == "no notebook"
    assert len((tmp_path / "out/results.jsonl").read_text().splitlines()) == 8


@needs_sandbox
def test_wrong_names_stripped_metadata_and_copied_cells(tmp_path):
    cells = solved()
    given = ["".join(cell["source"]) for cell in json.loads(EMPTY)["cells"] if cell["cell_type"] == "code"]
    untouched = [cell for cell in given if "..." in cell]
    put(tmp_path / "in", "ana/Untitled (3).ipynb", notebook(*cells, *cells))
    put(tmp_path / "in", "bob/05-the-ideal-ranking.ipynb", RIGHT)  # the name of another assignment
    put(tmp_path / "in", "dan/x.ipynb", notebook(*cells, *untouched))  # the empty cells are still there, below
    grade(tmp_path / "in", tmp_path / "out")
    assert {row["total"] for row in rows(tmp_path / "out").values()} == {"12"}


@needs_sandbox
def test_cells_with_magics_and_await(tmp_path):
    pytest.importorskip("IPython", reason="IPython is not installed")
    cells = ["%matplotlib inline\n%time x = 1\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()", *solved()]
    put(tmp_path / "in", "ana/a.ipynb", notebook(*cells))
    put(tmp_path / "in", "bob/a.ipynb", notebook("async def f(): return 1\ny = await f()", *solved()))
    grade(tmp_path / "in", tmp_path / "out")
    assert {row["total"] for row in rows(tmp_path / "out").values()} == {"12"}


# ---- again, and after a kill ----------------------------------------------------------------------


@needs_sandbox
def test_the_second_run_changes_no_byte(handed_in, tmp_path):
    grade(handed_in, tmp_path / "out", forms=("canvas", "moodle", "nbgrader"))
    before = state(tmp_path / "out")
    grade(handed_in, tmp_path / "out", forms=("canvas", "moodle", "nbgrader"))
    assert state(tmp_path / "out") == before
    grade(handed_in, tmp_path / "other", forms=("canvas", "moodle", "nbgrader"), workers=2)
    assert state(tmp_path / "other") == before


@needs_sandbox
def test_a_changed_notebook_is_marked_again_and_a_lost_end_of_a_line_too(handed_in, tmp_path):
    grade(handed_in, tmp_path / "out")
    whole = state(tmp_path / "out")
    file = tmp_path / "out/results.jsonl"
    file.write_bytes(file.read_bytes()[:-300])
    grade(handed_in, tmp_path / "out")
    assert state(tmp_path / "out") == whole
    put(handed_in, "bob/homework final.ipynb", CG_ONLY)
    grade(handed_in, tmp_path / "out")
    assert rows(tmp_path / "out")["bob"]["cg_at"] == "2"


def lines_of(file):
    return file.read_bytes().count(b"\n") if file.is_file() else 0


@needs_sandbox
@pytest.mark.sweep
def test_killed_at_any_moment_it_goes_on_to_the_same_marks(tmp_path):
    for i in range(40):
        put(tmp_path / "in", f"s{i:02}/a.ipynb", [RIGHT, EMPTY, IGNORES_K][i % 3])
    grade(tmp_path / "in", tmp_path / "whole")
    command = [sys.executable, "-m", "ndcg_lib", "grade", tmp_path / "in", "-o", tmp_path / "out", "--seed", "a-seed"]
    kills = 0
    for marked in (3, 11, 20):
        process = subprocess.Popen([*command, "--jobs", "1"], cwd=ROOT, stdout=subprocess.DEVNULL)
        while process.poll() is None and lines_of(tmp_path / "out/results.jsonl") < marked:
            time.sleep(0.002)
        kills += process.poll() is None
        process.kill()
        process.wait()
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert kills
    after, whole = state(tmp_path / "out"), state(tmp_path / "whole")
    assert after == whole


def processes_with(word):
    """The processes that have a word in their environment or command."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word.encode() in (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


@needs_sandbox
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.sweep), 2])
def test_nothing_goes_on_behind_a_killed_grader(jobs, tmp_path):
    for i in range(200):
        put(tmp_path / "in", f"s{i:03}/a.ipynb", RIGHT)
    command = [sys.executable, "-m", "ndcg_lib", "grade", tmp_path / "in", "-o", tmp_path / "out", "--jobs", str(jobs)]
    own = {**os.environ, "NDCG_TEST_OF": str(tmp_path), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, cwd=ROOT, env=own, stdout=subprocess.DEVNULL)
    while process.poll() is None and lines_of(tmp_path / "out/results.jsonl") < 3:
        time.sleep(0.005)
    assert len(processes_with(str(tmp_path))) > jobs
    process.kill()
    process.wait()
    until = time.monotonic() + 300
    while (left := processes_with(str(tmp_path))) and time.monotonic() < until:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left
    assert list(tmp_path.glob("ndcg-grade-*")) == []


@needs_sandbox
@pytest.mark.slow
def test_ended_between_any_two_steps_of_writing_it_goes_on_to_the_same_files(tmp_path, monkeypatch):
    put(tmp_path / "in", "ana/a.ipynb", RIGHT)
    put(tmp_path / "in", "bob/a.ipynb", notebook(*solved()[:6]))
    forms = ("canvas", "moodle", "nbgrader")
    grade(tmp_path / "in", tmp_path / "whole", forms=forms)
    monkeypatch.setattr("ndcg_course.grade.run.works", lambda *_, **__: "")  # tried already, a few lines above
    for step in range(1, 60):
        output = tmp_path / f"out{step}"
        if not (pid := os.fork()):
            steps = iter(range(step))
            for name in ("fsync", "replace"):
                real = getattr(os, name)

                def counted(*arguments, real=real, steps=steps):
                    return real(*arguments) if next(steps, None) is not None else os._exit(9)

                monkeypatch.setattr(os, name, counted)
            try:
                grade(tmp_path / "in", output, forms=forms)
            finally:
                os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if not ended:
            break
        grade(tmp_path / "in", output, forms=forms)
        left = {path: data for path, data in state(output).items() if not path.name.startswith(".")}
        assert left == {p: d for p, d in state(tmp_path / "whole").items() if p.name != ".lock"}, step
    assert 15 < step < 59


@needs_sandbox
@pytest.mark.parametrize("whom", ["the clean process", "a student's process"])
def test_processes_that_somebody_kills_cost_nobody_a_point(whom, handed_in, tmp_path, monkeypatch):
    grade(handed_in, tmp_path / "whole")
    real, forks = Zygote.fork, []

    async def fork(zygote):
        forks.append(1)
        if len(forks) == 3 and whom == "the clean process":
            os.kill(zygote._begun.process.pid, signal.SIGKILL)
        channel = await real(zygote)
        if len(forks) == 3:
            os.kill(zygote.pid, signal.SIGKILL)
        return channel

    monkeypatch.setattr(Zygote, "fork", fork)
    grade(handed_in, tmp_path / "out")
    assert len(forks) > 3
    assert state(tmp_path / "out") == state(tmp_path / "whole")


@needs_sandbox
def test_a_full_disk_is_told_in_one_line_and_loses_nothing(handed_in, tmp_path):
    grade(handed_in, tmp_path / "whole")
    command = [sys.executable, "-m", "ndcg_lib", "grade", handed_in, "-o", tmp_path / "out", "--seed", "a-seed"]
    small = ["sh", "-c", 'ulimit -f 20; exec "$@"', "sh", *command, "--jobs", "1"]  # blocks of 512 bytes
    done = subprocess.run(small, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1
    assert "results.jsonl" in done.stderr and "the same command goes on" in done.stderr
    assert lines_of(tmp_path / "out/results.jsonl") >= 1
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert state(tmp_path / "out") == state(tmp_path / "whole")


@needs_sandbox
def test_a_second_run_into_the_same_folder_is_refused(handed_in, tmp_path):
    import fcntl

    (tmp_path / "out").mkdir()
    with (tmp_path / "out/.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = ndcg(handed_in, "-o", tmp_path / "out")
    assert done.returncode == 2 and "another run is writing there" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@needs_sandbox
def test_other_settings_do_not_mix_into_a_run(handed_in, tmp_path):
    grade(handed_in, tmp_path / "out")
    done = ndcg(handed_in, "-o", tmp_path / "out", "--seed", "another")
    assert done.returncode == 2 and "another seed" in done.stderr and "--regrade" in done.stderr


@needs_sandbox
def test_only_and_regrade(handed_in, tmp_path):
    run(Options(handed_in, tmp_path / "out", only=("bob",)))
    assert list(rows(tmp_path / "out")) == ["bob"]
    first = json.loads((tmp_path / "out/run.json").read_text())["settings"]["seed"]
    run(Options(handed_in, tmp_path / "out"))
    assert len(rows(tmp_path / "out")) == 4
    run(Options(handed_in, tmp_path / "out", regrade=True))
    assert json.loads((tmp_path / "out/run.json").read_text())["settings"]["seed"] != first
    assert (tmp_path / "out/before/1-results.jsonl").is_file()
    with pytest.raises(ValueError, match="no student is called"):
        run(Options(handed_in, tmp_path / "out", only=("nobody",)))


def test_the_command_makes_an_autograder_of_a_named_assignment(tmp_path):
    made = tmp_path / "autograder.zip"
    assert ndcg("autograder", NAME, made).returncode == 0
    assert "run_autograder" in zipfile.ZipFile(made).namelist()


@needs_sandbox
def test_a_regrade_that_is_killed_goes_on_and_a_finished_one_begins_anew(handed_in, tmp_path, monkeypatch):
    grade(handed_in, tmp_path / "out")
    real = Journal.add
    killed = []

    def add(journal, result):
        real(journal, result)
        if not killed:
            killed.append(result)
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", add)
    with pytest.raises(KeyboardInterrupt):
        run(Options(handed_in, tmp_path / "out", regrade=True))
    begun = json.loads((tmp_path / "out/run.json").read_text())["settings"]["seed"]
    run(Options(handed_in, tmp_path / "out", regrade=True))
    assert json.loads((tmp_path / "out/run.json").read_text())["settings"]["seed"] == begun
    assert not (tmp_path / "out/before/2-run.json").exists()
    run(Options(handed_in, tmp_path / "out", regrade=True))
    assert json.loads((tmp_path / "out/run.json").read_text())["settings"]["seed"] != begun


@needs_sandbox
def test_a_notebook_that_draws_lots_draws_the_same_ones_again(tmp_path):
    drawn = "import random, numpy as np\nwhat_cg_misses = f'{random.random()} {np.random.rand()}' + ' word' * 20"
    put(tmp_path / "in", "ana/a.ipynb", notebook(drawn))
    put(tmp_path / "in", "bob/a.ipynb", notebook("import random; random.random()", drawn))
    for name in ("one", "two"):
        grade(tmp_path / "in", tmp_path / name)
    assert state(tmp_path / "one") == state(tmp_path / "two")


# ---- a person's marks, lateness, likeness ---------------------------------------------------------


@needs_sandbox
def test_marks_by_hand_are_merged_and_kept(handed_in, tmp_path):
    output = tmp_path / "out"
    grade(handed_in, output)
    assert "Ana Müller" in (output / "to-mark.html").read_text("utf8")
    list_ = tmp_path / "mine.csv"
    list_.write_text("student,task,mark,comment\nAna Müller,what_cg_misses,1.5,Good <b>case</b>\n", "utf8")
    assert ndcg("-o", output, "--marks", list_).returncode == 0
    row = rows(output)["Ana Müller"]
    assert (row["what_cg_misses"], row["total"], row["status"]) == ("1.5", "13.5", "graded")
    to_mark = list(csv.reader((output / "to-mark.csv").open(encoding="utf8", newline="")))
    assert to_mark[0] == ["student", "task", "mark", "max", "comment"]
    assert ["Ana Müller", "what_cg_misses", "1.5", "2", "Good <b>case</b>"] in to_mark
    assert "Good &lt;b&gt;case" in (output / "feedback/Ana Müller.html").read_text("utf8")
    grade(handed_in, output)
    assert rows(output)["Ana Müller"]["total"] == "13.5"
    for wrong, told in (
        ("what_cg_misses,9,", "0 to 2 points"),
        ("cg,1,", "no task"),
        ("what_cg_misses,nan,", "0 to 2"),
    ):
        list_.write_text(f"student,task,mark,comment\nAna Müller,{wrong}\n", "utf8")
        done = ndcg("-o", output, "--marks", list_)
        assert done.returncode == 2 and "line 2" in done.stderr and told in done.stderr
    assert rows(output)["Ana Müller"]["total"] == "13.5"


def png(side=2):
    """A picture of four red dots, for what a notebook shows below a cell; it may say that it is larger."""
    rows = (b"\0" + b"\xff\0\0" * 2) * 2
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    made = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


@needs_sandbox
def test_a_figure_is_collected_for_marking_by_hand_and_nothing_in_it_can_run(tmp_path):
    coded = [base64.b64encode(picture).decode() for picture in (b"<svg onload=alert(1)>", png(), png(60_000))]
    shown = [{"image/png": text} for text in (*coded, ["iVBO", 7, None])]
    shown += [{"image/svg+xml": "<svg onload=alert(2)>"}, {"text/html": "<script>alert(3)</script>"}]
    content = json.loads(
        notebook("# what_cg_misses, as a plot\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])", "x = 1")
    )
    content["cells"][0]["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}} for data in shown]
    words = {"cell_type": "markdown", "metadata": {}, "source": "<script>alert(4)</script> what_cg_misses"}
    content["cells"].append(words | {"attachments": {"a.svg": {"image/svg+xml": "<svg onload=alert(5)>"}}})
    put(tmp_path / "in", "ana/a.ipynb", json.dumps(content))
    grade(tmp_path / "in", tmp_path / "out", assignment=NAME)
    for file in (tmp_path / "out").rglob("*.html"):
        assert "alert" not in file.read_text("utf8")
    page = (tmp_path / "out/to-mark.html").read_text("utf8")
    assert page.count("<img ") == 1 and base64.b64encode(png()).decode() in page
    assert "<svg" not in page and page.count("<script") == 1
    assert rows(tmp_path / "out")["ana"]["to mark"] == "1"
    (tmp_path / "mine.csv").write_text("student,task,mark\nana,what_cg_misses,2\n")
    run(Options(None, tmp_path / "out", marks=(tmp_path / "mine.csv",)))
    assert rows(tmp_path / "out")["ana"]["total"] == "2"
    assert base64.b64encode(png()).decode() in (tmp_path / "out/to-mark.html").read_text("utf8")


@needs_sandbox
def test_lateness(handed_in, tmp_path):
    for path in handed_in.rglob("*.ipynb"):
        os.utime(path, (1_000_000, 1_000_000))
    os.utime(handed_in / "dan/x.ipynb", (1_000_000 + 90_000, 1_000_000 + 90_000))
    grade(handed_in, tmp_path / "out", lateness=Lateness(due=1_000_000.0, cost=10, per="day"))
    row = rows(tmp_path / "out")["dan"]
    assert (row["late"], row["total"]) == ("25", "1.6")
    assert rows(tmp_path / "out")["Ana Müller"]["late"] == ""
    pages = {name: (tmp_path / "out/feedback" / f"{name}.html").read_text("utf8") for name in ("dan", "Ana Müller")}
    assert "2 before the deduction for 25 hours" in pages["dan"] and "deduction" not in pages["Ana Müller"]


@needs_sandbox
def test_renamed_copies_are_listed_and_honest_likeness_is_not(tmp_path):
    own = (
        "def cg_at(grades, k=None):\n    total, place = 0, 0\n    limit = len(grades) if k is None else min(k,"
        " len(grades))\n    while place < limit:\n        total = total + grades[place]\n        place = place + 1\n"
        "    return total"
    )
    copy = own.replace("total", "acc").replace("place", "i  ").replace("limit", "n") + "  # mine"
    put(tmp_path / "in", "ana/a.ipynb", notebook(own))
    put(tmp_path / "in", "bob/a.ipynb", notebook(copy))
    put(tmp_path / "in", "dan/a.ipynb", CG_ONLY)
    put(tmp_path / "in", "eva/a.ipynb", RIGHT)
    grade(tmp_path / "in", tmp_path / "out")
    found = list(csv.DictReader((tmp_path / "out/alike.csv").open(encoding="utf8")))
    assert [(row["one"], row["other"]) for row in found] == [("ana", "bob")]
    summary = (tmp_path / "out/summary.html").read_text("utf8")
    assert "nearly the published solution, and stand in no pair for it: 1 (eva)" in summary
    assert "<td>ana</td><td>bob</td>" in summary and "No pair was found" not in summary
    assert similarity.alike([]).pairs == []


def test_slips_are_exported_by_their_names_alone():
    """What three students did is counted; what two did is not, nor a name that the kit does not know."""
    told = [
        ["ideal-from-returned", "mine: Ada"],
        ["ideal-from-returned"],
        ["ideal-from-returned", "rare"],
        ["rare"],
        [],
    ]
    rows = [
        SimpleNamespace(student=f"s{n}", results=[{"tasks": {"t": {"slips": each}}}]) for n, each in enumerate(told)
    ]
    known = [SimpleNamespace(slips=[SimpleNamespace(name=name) for name in ("ideal-from-returned", "rare")])]
    made = json.loads(exports.slips(SimpleNamespace(tasks=known, rows=rows)))
    assert made == {"students": 5, "slips": {"ideal-from-returned": 3}}


@needs_sandbox
def test_slips_leave_a_class_only_when_asked(handed_in, tmp_path):
    assert ndcg(handed_in, "-o", tmp_path / "out", "--export", "slips").returncode in (0, 1)
    assert [file.name for file in (tmp_path / "out/exports").iterdir()] == ["slips.json"]
    made = json.loads((tmp_path / "out/exports/slips.json").read_text("utf8"))
    assert set(made) == {"students", "slips"} and all(count >= 3 for count in made["slips"].values())


def test_a_table_holds_no_formula():
    text = gradebook.table([["=1", " =1", "'=1", "\t=1", "+1", "-1", "@x", "fine"]])
    assert [cell[:1] for cell in next(csv.reader(io.StringIO(text)))] == ["'"] * 7 + ["f"]


@pytest.mark.parametrize(
    ("typed", "field", "value"),
    [
        ([], "locked", True), (["--unsafe"], "locked", False), (["--jobs", "3"], "workers", 3), ([], "workers", 0),
        (["--export", "all"], "forms", ("canvas", "moodle", "nbgrader")), (["--export", "none"], "forms", ()),
        (["--export", "slips", "--export", "slips"], "forms", ("slips",)), ([], "forms", None),
        (["--allow", "b.c", "--allow", "a", "--allow", "a"], "packages", ("a", "b.c")), ([], "packages", None),
        (["--deadline", "9"], "limits", Limits(submission=9, cell=5)), ([], "limits", None),
        (["--deadline", "2", "--memory", "64"], "limits", Limits(submission=2, cell=2, memory=64 * 1024 * 1024)),
        (["--due", "none"], "lateness", Lateness()), (["--compare", "last"], "compare", ("last",)), ([], "seed", None),
        (["--due", "1970-01-01T01:00+00:00", "--late", "10%/day"], "lateness", Lateness(3600.0, 10.0, "day")),
        (["--points", "0.01"], "points", 0.01), (["--title", "T"], "title", "T"), (["--only", "bo"], "only", ("bo",)),
        (["--accept"], "accept", True), ([], "regrade", False), (["--ids", "folder"], "ids", "folder"),
    ],
)  # fmt: skip
def test_what_is_typed_is_what_a_run_is_told(typed, field, value, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(
        "ndcg_course.grade.run.run", lambda options, seen: told.append(options) or gradebook.Gradebook([], [])
    )
    ndcg(".", "-o", tmp_path / "out", *typed, cwd=tmp_path)
    assert getattr(told[0], field) == value


@pytest.mark.parametrize(
    ("flag", "least", "most"),
    [("--jobs", 1, 256), ("--points", 0.01, 10_000), ("--deadline", 1, 3600), ("--memory", 64, 65_536)],
)
def test_a_number_that_is_typed_has_its_limits(flag, least, most, tmp_path, monkeypatch):
    monkeypatch.setattr("ndcg_course.grade.run.run", lambda options, seen: gradebook.Gradebook([], []))
    for typed, code in ((least, 0), (most, 0), (least - 0.005 if least < 1 else least - 1, 2), (most + 1, 2), ("x", 2)):
        assert ndcg(".", "-o", tmp_path / "out", flag, typed, cwd=tmp_path).returncode == code, typed


# ---- wrong use ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "no such folder"),
        ([], "give SUBMISSIONS"),
        ([".", "--export", "excel"], "canvas, moodle"),
        ([".", "--late", "much"], "10%/day"),
        ([".", "--late", "10%/day"], "needs --due"),
        ([".", "--due", "soon"], "2026-11-18T23:59"),
        ([".", "--assignment", "2"], "no assignment"),
        ([".", "--allow", "sklearn"], "answers the tasks"),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments, told, tmp_path):
    done = ndcg(*arguments, "-o", tmp_path / "out")
    assert done.returncode == 2, done
    assert told in done.stderr and len(done.stderr.strip().splitlines()) == 1


@pytest.mark.own_processes
@needs_sandbox
def test_without_a_sandbox_it_says_so_and_asks(handed_in, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "missing", lambda: "no Landlock")
    with pytest.raises(ValueError, match=r"no Landlock.*in a browser.*--unsafe"):
        grade(handed_in, tmp_path / "out")
    run(Options(handed_in, tmp_path / "unsafe", locked=False))
    assert rows(tmp_path / "unsafe")["Ana Müller"]["total"] == "12"
    assert "without a sandbox" in (tmp_path / "unsafe/summary.html").read_text("utf8")


@needs_sandbox
def test_a_hang_costs_its_deadline_and_no_one_elses(tmp_path, monkeypatch):
    put(
        tmp_path / "in",
        "a/a.ipynb",
        notebook("import signal; signal.signal(14, signal.SIG_IGN)\nwhile True: pass", CG_ONLY),
    )
    for i in range(12):
        put(tmp_path / "in", f"s{i}/a.ipynb", CG_ONLY)
    order = []
    real = Journal.add
    monkeypatch.setattr(Journal, "add", lambda self, one: (order.append(one["student"]), real(self, one)))
    grade(tmp_path / "in", tmp_path / "out", limits=Limits(cell=1.5, submission=2.5), workers=2)
    assert order.index("a") >= 6  # the other worker went on meanwhile
    assert rows(tmp_path / "out")["a"]["status"] == "stopped"
    assert [row["cg_at"] for name, row in rows(tmp_path / "out").items() if name != "a"] == ["2"] * 12


@needs_sandbox
def test_the_program_that_marks_never_loads_the_tasks_into_the_child(tmp_path):
    code = "import sys\nwhat_cg_misses = ' '.join(sorted(m for m in sys.modules if 'ndcg' in m)) + ' word' * 20"
    put(tmp_path / "in", "a/a.ipynb", notebook(code))
    grade(tmp_path / "in", tmp_path / "out")
    result = json.loads((tmp_path / "out/results.jsonl").read_text().splitlines()[0])
    assert result["tasks"]["what_cg_misses"]["text"].split(" word")[0] == (
        "ndcg_course ndcg_course.exercises ndcg_lib ndcg_lib.exercises"
    )


@needs_sandbox
def test_what_no_option_says_is_taken_from_the_course(handed_in, tmp_path, monkeypatch):
    monkeypatch.delenv("NDCG_SITE", raising=False)
    for day, file in enumerate(sorted(handed_in.rglob("*.ipynb"))):
        os.utime(file, (1.7e9 + 86400 * day, 1.7e9 + 86400 * day))
    (tmp_path / "course.toml").write_text(
        f'late = "10%/day"\naddress = "https://example.org"\n[assignments.{NAME}]\ndue = "2001-01-01T00:00+00:00"\n'
    )
    first = ndcg(handed_in, "-o", tmp_path / "out", cwd=tmp_path)
    assert "from course.toml: --assignment" in first.stderr and f"{NAME} due 2001-01-01 00:00 UTC; 10 %" in first.stderr
    assert rows(tmp_path / "out")["Ana Müller"]["total"] == "0"  # so many days late that nothing is left
    assert "https://example.org/chapters/" in (tmp_path / "out/feedback/dan.html").read_text("utf8")
    before = state(tmp_path / "out")
    (tmp_path / "course.toml").write_text(f'[assignments.{NAME}]\ndue = "2099-01-01T00:00+00:00"\n')
    asked = ndcg(handed_in, "-o", tmp_path / "out", cwd=tmp_path)
    assert asked.returncode == 2 and "Run the same command with --accept if they shall." in asked.stderr
    line = next(line.split() for line in asked.stderr.splitlines() if "Ana Müller" in line)
    assert line[2:9] == ["total", "0", "of", "14", "12", "of", "14"]
    after = state(tmp_path / "out")
    assert after.pop(Path("would-change.csv")) and after == before, "a mark that was returned stays"
    agreed = ndcg(handed_in, "-o", tmp_path / "out", "--accept", cwd=tmp_path)
    assert agreed.returncode == 0 and rows(tmp_path / "out")["Ana Müller"]["total"] == "12"
    assert "lateness leaves 0 % before, 100 % now" in (tmp_path / "out/changes.csv").read_text("utf8")
    wins = ndcg(handed_in, "-o", tmp_path / "new", "--due", "2098-01-01T00:00+00:00", cwd=tmp_path)
    assert "--due" not in wins.stderr
    assert rows(tmp_path / "new")["Ana Müller"]["total"] == "12"
