"""Grading: what passes between students, what an honest student keeps, what a teacher's ordinary actions change."""

import csv
import dataclasses
import html
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import unicodedata
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from grade.test_grading_run import ndcg, put, rows
from hostile.course import NAME, ROOT, notebook, solved
from hostile.grade_them import without_namespaces
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import draws

from ndcg_course import course, sealed
from ndcg_course.explain import codec, forbidden
from ndcg_course.grade import (
    byhand,
    claims,
    exports,
    gradebook,
    gradescope,
    lateness,
    marking,
    notebooks,
    similarity,
    submissions,
    summary,
)
from ndcg_course.grade.gradebook import harmless, unquoted
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.lateness import Lateness, Rules
from ndcg_course.grade.marking import Settings
from ndcg_course.grade.notebooks import Limits
from ndcg_course.grade.process import Gone, Zygote
from ndcg_course.grade.replay import explain
from ndcg_course.grade.run import Options, run
from ndcg_course.grade.selftest import works
from ndcg_course.grade.session import Batch, ask
from ndcg_course.grade.submissions import Job
from ndcg_course.grade.worksheet import Worksheet, moment
from ndcg_course.tasks import assignment_named, task_named
from ndcg_lib.convention import Convention

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
CG = "def cg_at(grades, k=None):\n    return sum(grades[:k])"
CG_ONLY, RIGHT = notebook(CG), notebook(*solved())


def results(output):
    return {(r := json.loads(line))["student"]: r for line in (output / "results.jsonl").read_text("utf8").splitlines()}


def marked(*cells, assignment=NAME, **settings):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.ipynb"
        path.write_text(notebook(*cells), "utf8")
        try:
            return marking.mark(Job("ana", "a", str(path)), Settings("a seed", assignment, **settings))
        finally:
            marking.close()


# ---- nothing passes between students -------------------------------------------------------------

LEAVE = """
import os
seen = []
for top, folders, files in os.walk('.'):
    seen += [os.path.join(top, name) for name in folders + files]
here = os.getcwd()
def leave(work):
    try: work()
    except OSError: pass
leave(lambda: os.makedirs('a/' * 60))
leave(lambda: open('a/' * 20 + 'answers', 'w').write('1'))
leave(lambda: os.makedirs('.hidden/x'))
os.umask(0o777)
leave(lambda: os.mkdir('closed'))
leave(lambda: open('closed-file', 'w'))
for top in ('..', '../..', '../../ipython', '../../ipython/profile_default', '../../ipython/profile_default/db'):
    leave(lambda: open(top + '/left', 'w').write('1'))
    leave(lambda: seen.append(top + '/left') if os.path.exists(top + '/left') else None)
"""


@pytest.mark.parametrize("magics", [False, True])
def test_each_child_begins_in_an_empty_folder_and_nothing_stays_behind(magics):
    if magics:
        pytest.importorskip("IPython", reason="IPython is not installed")
    zygote = Zygote(Limits(), magics=magics)
    try:
        for _ in range(3):
            answers = ask(zygote, [LEAVE], {}, [Batch("seen")], Limits())
            assert not answers.cells and answers.outcomes["seen"][0].value == []
    finally:
        zygote.close()
    assert not os.path.exists(zygote._begun.folder)


def in_a_process_of_its_own(work):
    pid = os.fork()
    if not pid:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def test_where_the_system_gives_no_namespace_the_limits_hold_and_nothing_stays_behind():
    def work():
        without_namespaces()
        zygote = Zygote(Limits())
        assert zygote.watched
        for _ in range(2):
            answers = ask(zygote, [LEAVE], {}, [Batch("seen")], Limits())
            assert not answers.cells and answers.outcomes["seen"][0].value == []
        answers = ask(zygote, [FILL], {}, [Batch("told")], Limits(restarts=0))
        assert answers.ended
        found = ask(zygote, ["import os"], {}, [Batch("os")], Limits())
        assert not found.ended and os.listdir(os.path.join(zygote._begun.folder, "room")) == []
        zygote.close()
        assert not os.path.exists(zygote._begun.folder)

    in_a_process_of_its_own(work)


LIMITS = """
import resource
kept = {n: resource.getrlimit(getattr(resource, 'RLIMIT_' + n)) for n in %r}
"""


def test_the_kernel_keeps_every_limit_in_each_child():
    names = [*Limits().rlimits, "NPROC", "AS"]
    zygote = Zygote(Limits())
    try:
        kept = ask(zygote, [LIMITS % names], {}, [Batch("kept")], Limits()).outcomes["kept"][0].value
        for name, value in Limits().rlimits.items():
            assert kept[name] == [value, value], name
        assert kept["NPROC"] == [0, 0]
        assert Limits().memory < kept["AS"][1] < Limits().memory + (1 << 30)
    finally:
        zygote.close()


def test_an_ordinary_user_empties_what_a_child_has_closed(tmp_path):
    def work():
        os.chdir(folder)
        if not os.getuid():
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        os.makedirs("room/a/b/c")
        for path in ("room/a/b/c", "room/a/b", "room/a"):
            os.chmod(path, 0)
        os.mkdir("room/read-only", 0o500)
        sandbox.empty("room")
        assert os.listdir("room") == []

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        in_a_process_of_its_own(work)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["t" * 90])  # a socket has no room below it; the tests of a killed grader have others
def test_the_folders_of_several_processes_are_gone_after_the_run(tmp_path, name):
    for i in range(6):
        put(tmp_path / "in", f"s{i}/a.ipynb")
    (tmp_path / name).mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / name)}
    command = [sys.executable, "-m", "ndcg_lib", "grade", tmp_path / "in", "-o", tmp_path / "out", "--jobs", "3"]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out")) == 6 and not [p for p in (tmp_path / name).iterdir() if "ndcg" in p.name]


def test_a_folder_is_emptied_however_deep_and_closed(tmp_path):
    deep = tmp_path / "room"
    deep.mkdir()
    here = os.getcwd()
    os.chdir(deep)
    try:
        for _ in range(1500):
            os.mkdir("d" * 20)
            os.chdir("d" * 20)
        os.mkdir("closed", 0o700)
        os.mkdir("closed/inner", 0)
        os.chmod("closed", 0)
    finally:
        os.chdir(here)
    sandbox.empty(str(deep))
    assert list(deep.iterdir()) == []


FILL = """
import os, time
written = made = 0
def more(n):
    global written, made
    try:
        for i in range(n):
            with open(f'f{made}', 'wb') as file: written += file.write(b'x' * 900_000)
            made += 1
    except OSError: pass
for _ in range(30):
    more(20)
    os.write(4, b' ')
try:
    for i in range(5000): open(f'e{i}', 'w').close(); made += 1
except OSError: pass
told = [written, made]
"""


def test_the_limit_on_files_and_bytes_holds_while_a_child_sends(monkeypatch):
    zygote = Zygote(Limits())
    try:
        if zygote.watched:
            pytest.skip("this system allows no disk of one's own")
        answers = ask(zygote, [FILL], {}, [Batch("told")], Limits())
        written, made = answers.outcomes["told"][0].value
        assert written <= Limits().folder and made <= Limits().files
    finally:
        zygote.close()


def test_where_the_kernel_keeps_no_limit_the_parent_looks_by_the_clock(monkeypatch):
    zygote = Zygote(Limits())
    looks = []
    monkeypatch.setattr(zygote, "full", lambda: looks.append(1) or len(looks) > 3)
    try:
        blanks = "import os, time\nfor _ in range(200):\n    os.write(4, b' '); time.sleep(0.01)"
        answers = ask(zygote, [blanks], {}, [Batch("x")], Limits(restarts=0))
        assert answers.ended and looks
    finally:
        zygote.close()
    assert issubclass(Gone, Exception)


def test_a_cell_that_says_that_all_have_run_costs_itself_alone():
    zygote = Zygote(Limits())
    try:
        forged = "import os\nos.write(4, b'{\"ready\": true}\\n')\nwhile True: pass"
        answers = ask(zygote, ["x = 3", forged], {}, [Batch("x")], Limits())
        assert (answers.outcomes["x"][0].value, answers.cells) == (3, {1: "broke the rules"})
    finally:
        zygote.close()


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"1", b'"x"', b"null", b"{", b"[" * 60_000, b'{"x": "' + b"1" * claims.LONGEST_LINE + b'"}', b"\xff"],
)
def test_what_is_no_short_object_is_no_line(line):
    with pytest.raises(ValueError, match="a line is"):
        claims.read(line)


def test_a_claim_gives_no_word_of_a_student():
    found = [
        claims.outcome({"error": name, "message": "HIDDEN"}) for name in ("HIDDEN", "KeyError", "Stopped", 7, None)
    ]
    assert [one.error for one in found] == ["Exception", "KeyError", "Stopped", "Exception", "Exception"]
    assert "HIDDEN" not in str(found) and [one.message for one in found if one.message] == [claims.LIMIT]
    for kind in ("HIDDEN", "numpy.HIDDEN", "numpy.float64HIDDEN", 3, ["int"]):
        told = claims.outcome({"value": {"type": kind, "number": 1}, "printed": "HIDDEN", "changed": "HIDDEN"})
        assert told.type == "object" and not told.printed and told.changed is None
    assert claims.outcome({"value": {"type": "numpy.float64", "number": 1}}).type == "numpy.float64"
    told = claims.outcome({"value": {"type": "int", "number": 1}, "printed": True, "changed": True})
    assert told.printed and told.changed == [] and "HIDDEN" not in str(told)


def test_of_the_errors_that_a_function_raises_one_is_told():
    kinds = "[KeyError, TypeError, IndexError, ZeroDivisionError, AttributeError, NameError, LookupError]"
    told = marked(f"def cg_at(g, k=None):\n    raise {kinds}[int(sum(g)) % 7]('x')")["tasks"]["cg_at"]
    assert len(re.findall(r"raises \w+Error", " ".join(told["sentences"]))) == 1


def test_a_notebook_handed_in_anew_gets_new_inputs_and_an_unchanged_one_the_same(tmp_path):
    put(tmp_path / "in", "ana/a.ipynb")
    put(tmp_path / "in", "bob/a.ipynb")
    options = Options(tmp_path / "in", tmp_path / "out")
    run(options)
    before = results(tmp_path / "out")
    put(tmp_path / "in", "ana/a.ipynb", notebook(CG, "# again"))
    run(options)
    after = results(tmp_path / "out")
    assert after["bob"] == before["bob"] and after["ana"]["draw"] != before["ana"]["draw"]
    settings = Settings("s")
    drawn = [marking.cases_of(NAME, marking.inputs_of(settings, draw))["cg_at"] for draw in (0, 1)]
    assert [case.args for case in drawn[0]] != [case.args for case in drawn[1]]


def _points(result):
    result["tasks"]["cg_at"]["points"] = 99


def _one_more(result):
    result["tasks"]["cg_at"]["points"] -= 1


CHANGES = [_points, _one_more, lambda r: r.pop("tasks"), lambda r: r.update(student="eva"), lambda r: r.pop("sha256")]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_a_line_of_results_that_was_changed_is_refused_by_name_and_line(change, tmp_path):
    put(tmp_path / "in", "ana/a.ipynb")
    put(tmp_path / "in", "bob/a.ipynb")
    run(Options(tmp_path / "in", tmp_path / "out"))
    file = tmp_path / "out/results.jsonl"
    lines = file.read_text("utf8").splitlines(keepends=True)
    changed = json.loads(lines[1])
    change(changed)
    file.write_text(lines[0] + json.dumps(changed) + "\n", "utf8")
    before = (tmp_path / "out/grades.csv").read_bytes()
    with pytest.raises(ValueError, match=rf"line 2 \({changed['student']}"):
        run(Options(None, tmp_path / "out"))
    assert (tmp_path / "out/grades.csv").read_bytes() == before
    file.write_text(lines[0], "utf8")
    with pytest.raises(ValueError, match="1 lines are missing"):
        run(Options(None, tmp_path / "out"))


MANY = {"dictionaries": "{}", "numbers": "1", "nested": "[[[[]]]]"}


@pytest.mark.sweep
@pytest.mark.parametrize("what", MANY)
def test_a_large_notebook_fills_no_memory_of_the_grader(what, tmp_path):
    size = notebooks.LARGE * 19
    text = '{"cells": [' + ",".join([MANY[what]] * (size // (len(MANY[what]) + 1))) + "]}"
    path = put(tmp_path, "a.ipynb", text)
    code = (
        "import sys\nfrom ndcg_course.grade import notebooks\nfrom ndcg_course.grade.notebooks import Limits\n"
        "try: notebooks.parse(notebooks.load(sys.argv[1], None, Limits()).text(Limits()), Limits())\n"
        "except notebooks.Unreadable as error: pass\n"
        "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True, cwd=ROOT, timeout=120
    )
    assert int(done.stdout) < 150_000


def test_what_is_taken_out_of_a_large_notebook_is_what_is_marked(tmp_path, monkeypatch):
    cells = json.loads(notebook(*solved()))
    cells["metadata"]["much"] = "x" * (2 << 20)
    path = put(tmp_path, "a.ipynb", json.dumps(cells))
    large = notebooks.load(str(path), None, Limits()).text(Limits())
    monkeypatch.setattr(notebooks, "LARGE", 100 << 20)
    whole = notebooks.load(str(path), None, Limits()).text(Limits())
    assert len(large) < len(whole) / 10 and notebooks.parse(large, Limits()) == notebooks.parse(whole, Limits())


def test_an_archive_of_very_many_files_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_MEMBERS", 1000)
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        for i in range(1200):
            archive.writestr(f"s{i}/x.txt", "")
    with pytest.raises(ValueError, match="1200 files, more than 1000"):
        submissions.find(tmp_path / "z.zip")
    for i in range(100):
        put(tmp_path / "in", f"bob/x{i}.txt", "")
    assert len(submissions.find(tmp_path / "in").others) == submissions.MOST_OTHERS


# ---- an honest student never loses by accident ---------------------------------------------------


@pytest.mark.parametrize("change", ["grades.sort()", "grades.reverse()", "grades.append(1)", "grades.clear()"])
def test_right_answers_with_a_changed_argument_have_the_points_of_the_check(change):
    told = marked(f"def cg_at(grades, k=None):\n    answer = sum(grades[:k])\n    {change}\n    return answer")
    mark = told["tasks"]["cg_at"]
    assert (mark["status"], mark["points"], mark["fault"]) == ("wrong", 1, "input-changed")
    assert "changes what it is given" in mark["sentences"][0]


def test_what_a_check_can_import_a_child_can_import_and_the_trial_says_what_is_missing(monkeypatch):
    assert works(Settings("a seed")) == ""
    marking.close()
    monkeypatch.setattr("ndcg_course.grade.selftest._importable", lambda: ["json", "no_such_module"])
    assert "could not import no_such_module;" in works(Settings("a seed"))


@pytest.mark.parametrize(
    "work",
    [
        "open(os.devnull, 'w').write('x')",
        "tempfile.TemporaryDirectory().cleanup()",
        "sys.stdout.buffer.write(b'x')",
        "__import__('sqlite3'), __import__('xml.dom.minidom'), __import__('numpy.testing')",
    ],
)
def test_ordinary_things_work_in_an_answer(work):
    told = marked("import os, sys, tempfile", f"def cg_at(g, k=None):\n    {work}\n    return sum(g[:k])")
    assert told["tasks"]["cg_at"]["points"] == 2, told["tasks"]["cg_at"]


@pytest.mark.parametrize(
    "line",
    [
        "display('x')",
        "help(sum)",
        "exit()",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "!pip install numpy",
        "%pip install numpy",
        "found = !ls",
        "import sys; sys.stdout.reconfigure(encoding='utf8'); sys.stderr.fileno(); assert not sys.stdout.closed",
        "import faulthandler; faulthandler.enable()",
        "import platform; platform.platform()",
        "import locale; locale.setlocale(locale.LC_ALL, '')",
    ],
)
def test_what_runs_in_jupyter_costs_nothing_that_stands_below_it_in_the_cell(line):
    told = marked(f"{line}\n{CG}")
    assert not told["cells"] and told["tasks"]["cg_at"]["points"] == 2


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(
    "work",
    [
        "threading.Thread(target=print).start()",
        "asyncio.run(asyncio.sleep(0))",
        "subprocess.run(['true'])",
        "concurrent.futures.ThreadPoolExecutor().submit(print)",
        "_thread.start_new_thread(print, ())",
        "multiprocessing.Pool(2).map(float, g)",
    ],
)
def test_what_is_not_available_is_told_in_words_by_grader_and_check(work):
    from ndcg_course.explain import calls

    code = f"import _thread, threading, asyncio, subprocess, multiprocessing, concurrent.futures\ndef cg_at(g, k=None):\n    {work}\n"
    code += "    return sum(g[:k])"
    told = marked(code)["tasks"]["cg_at"]
    assert told["points"] == 0 and "not available while you are graded" in told["sentences"][0]
    names: dict = {}
    exec(code, names)
    assert "not available while you are graded" in calls.call(names["cg_at"], [[1]]).message


@pytest.mark.parametrize(
    "module", sorted({module.partition(".")[0] for module, _ in forbidden.PLACES} | {"concurrent"})
)
@pytest.mark.parametrize("how", ["import {}", "import {} as other", "from {} import *"])
def test_what_a_cell_uses_outside_of_a_function_is_told_by_the_check_before_the_grader(module, how):
    names = {"answer": lambda grades, k=None: sum(grades[:k])}
    code = how.format("concurrent.futures" if module == "concurrent" else module)
    try:
        exec(code, names)
    except ModuleNotFoundError:
        pytest.skip("there is no such module")
    exec("from ndcg_course import check\nverdict = check('cg_at', answer)", names)
    assert names["verdict"].passed and [note for note in names["verdict"].notes if f"`{module}`" in note], names
    plain = {"check": names["check"], "answer": names["answer"]}
    exec("verdict = check('cg_at', answer)", plain)
    assert not [note for note in plain["verdict"].notes if "graded" in note]


def test_names_that_nearly_agree_are_different_students_and_the_summary_says_so(tmp_path):
    names = ["Zoé", unicodedata.normalize("NFD", "Zoé"), "zoé", "Zoé ", "Zo\u200bé", ".dot"]
    for i, name in enumerate(names):
        put(tmp_path / "in", f"{name}/a.ipynb", notebook(CG, f"# {i}"))
    put(tmp_path / "in", "cy/.ipynb_checkpoints/a-checkpoint.ipynb")
    found = run(Options(tmp_path / "in", tmp_path / "out"))
    assert len(found.rows) == len(names) + 1
    assert rows(tmp_path / "out")["cy"]["status"] == "no notebook"
    assert all(row["cg_at"] == "2" for name, row in rows(tmp_path / "out").items() if name != "cy")
    assert "handed in as" in (tmp_path / "out/summary.html").read_text("utf8")


def test_of_two_files_of_one_time_the_one_that_earns_more_counts(tmp_path):
    for name, text in (
        ("02-x.ipynb", notebook("cg_at = 1")),
        ("02-x-Copy1.ipynb", CG_ONLY),
        ("01-x.ipynb", notebook("cg_at = 2")),
    ):
        os.utime(put(tmp_path / "in", f"tom/{name}", text), (1_700_000_000, 1_700_000_000))
    run(Options(tmp_path / "in", tmp_path / "out"))
    assert rows(tmp_path / "out")["tom"]["total"] == "2"
    assert "3 files of one time" in (tmp_path / "out/summary.html").read_text("utf8")
    os.utime(put(tmp_path / "in", "tom/03-x.ipynb", notebook("cg_at = 3")), (1_700_000_000, 1_700_000_000))
    os.utime(put(tmp_path / "in", "tom/04-x.ipynb", notebook("cg_at = 3")), (1_700_000_000, 1_700_000_000))
    run(Options(tmp_path / "in", tmp_path / "out"))
    assert rows(tmp_path / "out")["tom"]["total"] == "0"  # nine guesses in nine files find nothing


SLIP = """
def ndcg_at(grades, k=None):
    from math import log2
    dcg = lambda x: sum(g / log2(i + 2) for i, g in enumerate(x))
    top = grades[:k]
    best = dcg(sorted(top, reverse=True))
    return dcg(top) / best if best else 0.0
"""


def test_one_slip_costs_its_task_once():
    whole, slip = (
        marked(*solved("06-ndcg"), assignment="06-ndcg"),
        marked(*solved("06-ndcg"), SLIP, assignment="06-ndcg"),
    )
    worth = {task.name: task.points for task in assignment_named("06-ndcg").tasks}
    assert slip["points"] == whole["points"] - worth["ndcg_at"]
    for name in ("ndcg_curve", "mean_ndcg"):
        told = slip["tasks"][name]
        assert told["sentences"][0].startswith("Right, given your `ndcg_at`") and not told["slips"]


@pytest.mark.parametrize(
    "cells",
    [
        ["def cg_at(g, k=None): return 0", "def cg_with_loop(g, k): return cg_at(g, k)"],  # the same task twice
        ["def cg_at(g, k=None): return cg_with_loop(g, k)", "def cg_with_loop(g, k): return cg_at(g, k)"],
        ["def cg_at(g, k=None): return cg_curve(g)[-1]", "def cg_curve(g): return cg_curve(g)"],  # itself
        ["def cg_at(g, k=None): return 0", "def cg_with_loop(g, k): return 0 * cg_at(g, k)"],
    ],
)
def test_the_right_function_in_the_place_of_a_wrong_one_earns_nothing_alone(cells):
    assert marked(*cells)["points"] == 0


def test_a_function_that_is_slow_once_is_right():
    once = "import time\ndone = []\ndef cg_at(g, k=None):\n    if not done:\n        done.append(1); time.sleep(9)\n"
    assert marked(once + "    return sum(g[:k])")["tasks"]["cg_at"]["points"] == 2


SLOWLY = """
import copy
def slowly(function):
    def call(*args):
        for _ in range(100):
            answer = function(*copy.deepcopy(args))
        return answer
    return call
"""


def test_every_function_is_right_a_hundred_times_slower():
    functions = [task.name for task in assignment_named(NAME).tasks if task.calls]
    slow = SLOWLY + "\n".join(f"{name} = slowly({name})" for name in functions)
    there, here = marked(*solved())["tasks"], marked(*solved(), slow)["tasks"]
    assert {name: here[name]["points"] for name in functions} == {name: there[name]["points"] for name in functions}


def test_what_the_standard_library_holds_can_be_imported():
    """Whatever imports here does so there; left out are modules that act when they are imported, or need a screen."""
    acting = {"antigravity", "this", "idlelib", "turtledemo", "turtle", "tkinter"}
    names = sorted(name for name in sys.stdlib_module_names - acting if not name.startswith("_"))
    code = f"""
import importlib
lost = []
for name in {names}:
    try: importlib.import_module(name)
    except BaseException: lost.append(name)
import numpy.fft, numpy.linalg, numpy.ma, numpy.polynomial, numpy.random
what_cg_misses = ' '.join(lost) + ' word' * 20
"""
    lost = set(marked(code)["tasks"]["what_cg_misses"]["text"].split()) - {"word"}
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    for name in lost:  # modules of other systems
        assert subprocess.run([sys.executable, "-c", program, name], capture_output=True, check=False).returncode, name


def test_does_a_loop_never_end_is_asked_where_the_deadline_was_reached():
    endless = marked("def cg_at(g, k=None):\n    while True: pass", limits=Limits(call=0.3, task=0.6))
    assert "loop never end" in endless["tasks"]["cg_at"]["sentences"][0]
    cut = marked(
        "import time\ndef cg_at(g, k=None):\n    time.sleep(0.2)\n    return sum(g[:k])", limits=Limits(submission=2)
    )
    assert "loop never end" not in " ".join(cut["tasks"]["cg_at"]["sentences"])


# ---- a teacher's ordinary actions ----------------------------------------------------------------


def test_one_file_of_another_assignment_changes_nothing_for_the_others(tmp_path):
    for i in range(5):
        put(tmp_path / "in", f"s{i}/a.ipynb")
    put(tmp_path / "in", "eva/a.ipynb", notebook(*solved("03-discounting")))
    for assignment in (None, NAME):
        run(Options(tmp_path / "in", tmp_path / f"out{assignment}", assignment=assignment))
        found = rows(tmp_path / f"out{assignment}")
        assert {row["max"] for row in found.values()} == {"14"}
        assert found["eva"]["status"] == "another assignment" and found["s1"]["total"] == "2"
        assert "eva" in (tmp_path / f"out{assignment}/summary.html").read_text("utf8").partition("Look at these")[2]


def test_a_run_with_the_wrong_assignment_stops_before_marks_are_written(tmp_path):
    for i in range(3):
        put(tmp_path / "in", f"s{i}/a.ipynb")
    with pytest.raises(ValueError, match="3 of 3 notebooks hold no task of 06-ndcg"):
        run(Options(tmp_path / "in", tmp_path / "out", assignment="06-ndcg"))
    assert not (tmp_path / "out/grades.csv").exists()


def test_options_are_kept_and_a_change_is_said(tmp_path):
    put(tmp_path / "in", "ana/a.ipynb", RIGHT)
    os.utime(tmp_path / "in/ana/a.ipynb", (1_700_000_000, 1_700_000_000))
    late = Lateness(due=1_700_000_000 - 3600.0, cost=50, per="day")
    run(Options(tmp_path / "in", tmp_path / "out", lateness=late, forms=("canvas",), title="Week 2", points=140.0))
    assert rows(tmp_path / "out")["ana"]["total"] == "6"
    (tmp_path / "m.csv").write_text("student,task,mark\nana,what_cg_misses,2\n")
    book = run(Options(None, tmp_path / "out", marks=(tmp_path / "m.csv",)))
    row = rows(tmp_path / "out")["ana"]
    assert (row["total"], row["machine"], row["by hand"], row["late"]) == ("7", "12", "2", "1")
    assert any(line.startswith("--due and --late as before: due 2023") for line in book.said)
    exported = list(csv.DictReader((tmp_path / "out/exports/canvas.csv").open(encoding="utf8")))
    assert [row["Week 2"] for row in exported] == ["140", "70"]  # rewritten
    book = run(Options(tmp_path / "in", tmp_path / "out", forms=(), lateness=Lateness(), accept=True))
    assert not (tmp_path / "out/exports/canvas.csv").exists() and rows(tmp_path / "out")["ana"]["total"] == "14"
    assert any("changes from due 2023" in line for line in book.said)


def worksheet(people, language="en"):
    heads = {
        "en": "Identifier,Full name,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
        "Last modified (grade),Feedback comments",
        "de": "ID,Vollständiger Name,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
        "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar",
    }
    lines = [",".join(f'"{head}"' for head in heads[language].split(","))]
    word, most = ("Participant ", "100.00") if language == "en" else ("Teilnehmer/in", '"100,00"')
    lines += [f'"{word}{number}","{name}",ok,,{most},Yes,"{when}",-,' for number, name, when in people]
    return "\ufeff" + "\r\n".join(lines) + "\r\n"


def moodle_zip(path, people):
    with zipfile.ZipFile(path, "w") as archive:
        for number, name, text in people:
            info = zipfile.ZipInfo(f"{name}_{number}_assignsubmission_file/{NAME}.ipynb", (2026, 11, 20, 10, 0, 0))
            archive.writestr(info, text)
    return path


@pytest.mark.parametrize("language", ["en", "de"])
def test_lateness_of_moodle_comes_from_the_worksheet_which_is_filled_in_place(language, tmp_path):
    times = {
        "en": ("Wednesday, 18 November 2026, 11:00 PM", "Friday, 20 November 2026, 1:00 AM"),
        "de": ("Mittwoch, 18. November 2026, 23:00", "Freitag, 20. November 2026, 01:00"),
    }[language]
    place = moodle_zip(tmp_path / "m.zip", [(1001, 'Ana "A" Lima', RIGHT), (1002, "Bob_O", RIGHT)])
    late = Lateness(due=moment("18 November 2026, 23:59"), cost=10, per="day")
    with pytest.raises(ValueError, match=r"time of the download.*--worksheet Grades.csv"):
        run(Options(place, tmp_path / "refused", lateness=late))
    people = [(1001, "Ana, Lima", times[0]), (1002, "Bob", times[1]), (1003, "Cy", "-")]
    text = worksheet(people, language)
    sheet = tmp_path / "Grades.csv"
    sheet.write_bytes(text.encode())
    run(Options(place, tmp_path / "out", lateness=late, worksheet=sheet, forms=("moodle",)))
    assert [row["total"] for row in rows(tmp_path / "out").values()] == ["12", "9.6"]
    filled = (tmp_path / "out/exports/moodle.csv").read_bytes().decode()
    assert filled.startswith(text.partition("\r\n")[0])
    before, after = (list(csv.reader(io.StringIO(t.removeprefix("\ufeff")))) for t in (text, filled))
    assert after[1][3] == ("85.71" if language == "en" else "85,71") and "cg_at: 2 of 2" in after[1][8]
    for one, other in zip(before, after, strict=True):
        assert [cell for i, cell in enumerate(one) if i not in (3, 8)] == [
            cell for i, cell in enumerate(other) if i not in (3, 8)
        ]
    assert after[3] == before[3]
    cleared = Worksheet.of(filled)
    assert Worksheet.of(text).filled({}) == text and cleared.people().keys() == {"1001", "1002", "1003"}
    with zipfile.ZipFile(tmp_path / "out/exports/moodle-feedback.zip") as archive:
        for name in archive.namelist():  # the importer's own rules for a name
            parts = name.split("/")[0].split("_", 4)  # five before Moodle 4.1, four since then
            assert (
                len(parts) == 5
                and parts[4] == ""
                and parts[1] in ("1001", "1002")
                and parts[2:4] == ["assignfeedback", "file"]
            )
            assert not name.rpartition("/")[2].startswith((".", "~"))
        assert len(archive.namelist()) == 2


# What the importer of Moodle looks for, by language: the heads of the id, the grade and its time, and the word before a
# number; then heads that stand between them, and how a number is written.
# ruff: noqa: E501 (a language is easier to read in one line)
MOODLE = {
    "en": ("Identifier", "Grade", "Last modified (grade)", "Participant ", "Last modified (submission)", "."),
    "de": ("ID", "Bewertung", "Zuletzt geändert (Bewertung)", "Teilnehmer/in", "Zuletzt geändert (Abgabe)", ","),
    "fr": ("Identifiant", "Note", "Dernière modification (note)", "Participant ", "Dernière modification (travail remis)", ","),
    "es": ("Identificador", "Calificación", "Última modificación (calificación)", "Participante ", "Última modificación (entrega)", ","),
    "cs": ("Identifikátor", "Známka", "Poslední změna (hodnocení)", "Účastník", "Poslední změna (odevzdaný úkol)", ","),
    "ru": ("Идентификатор", "Оценка", "Последнее изменение оценки", "Участник ", "Последнее изменение работы", ","),
    "zh_tw": ("識別符", "成績", "最後修改（老師）", "參與者", "最後修改（學生）", "."),
}  # fmt: skip


def as_php_reads(text, between):
    """Rows as `fgetcsv` of PHP gives them: in quotes, a backslash takes the meaning of the quote behind it."""
    rows, row, cell, quoted, at = [], [], "", False, 0
    while at < len(text):
        c = text[at]
        if quoted and c == "\\" and text[at + 1 : at + 2] == '"':
            cell, at = cell + '\\"', at + 1
        elif quoted and text[at : at + 2] == '""':
            cell, at = cell + '"', at + 1
        elif c == '"':
            quoted = not quoted
        elif not quoted and c in (between, "\n"):
            row, cell = [*row, cell], ""
            if c == "\n":
                rows, row = [*rows, row], []
        elif quoted or c != "\r":
            cell += c
        at += 1
    return rows


@draws(30)
@given(st.data(), st.sampled_from(sorted(MOODLE)), st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))
def test_a_worksheet_of_any_language_and_settings_is_filled_as_the_importer_reads_it(data, language, between, end):
    identity, grade, changed, word, handed_in, point = MOODLE[language]
    known = [("Name",), ("E-mail",), ("No.",), ("Study (major)", "Study (minor)"), ("Status",), ("Team",)]
    before = [name for names in data.draw(st.lists(st.sampled_from(known), unique=True)) for name in names]
    after_most = data.draw(st.lists(st.sampled_from(["Workflow", "Can be changed"]), unique=True))
    dated = data.draw(st.booleans())  # what a school keeps of a student may be times, too
    alone = [[]] if set("(（") & set(changed) and not dated else []  # without files to hand in
    submitted = data.draw(st.sampled_from([*alone, [handed_in], [handed_in, "Online text"]]))
    comments = data.draw(st.sampled_from([[], ["Feedback"], ["Feedback", "Outcomes"]]))
    head = [identity, *before, grade, "Most", *after_most, *submitted, changed, *comments]
    anything = st.text(st.characters(codec="utf8", exclude_characters="\r\n\0\\"), max_size=9)
    numbers = data.draw(st.lists(st.integers(100, 10**6), min_size=1, max_size=5, unique=True))

    def cell(name, number):
        known = {
            handed_in: "18 11 2026, 23:00" if number % 2 else "-",
            identity: f"{word}{number}",
            grade: "",
            "Most": f"40{point}00",
            changed: "-",
            "No.": str(number + 7),
        } | (dict.fromkeys(["Study (major)", "Study (minor)"], "1 10 2026") if dated else {})
        return known.get(name) if name in known else "x" + data.draw(anything)

    def written(cell):
        return (
            '"' + cell.replace('"', '""') + '"' if data.draw(st.booleans()) or set(cell) & set(f'"{between} ') else cell
        )

    rows = [head, *([cell(name, number) for name in head] for number in numbers)]
    text = "\ufeff" * data.draw(st.booleans()) + "".join(between.join(map(written, row)) + end for row in rows)
    told = {str(n): (data.draw(st.floats(0, 1)), data.draw(anything) + '\\", <b>&' + end) for n in numbers[::2]}
    sheet = Worksheet.of(text.encode())
    filled = sheet.filled(told)
    assert sheet.filled({}) == text and Worksheet.of(filled).filled({}) == filled
    found, original = (as_php_reads(t.removeprefix("\ufeff"), between) for t in (filled, text))
    assert [len(row) for row in found] == [len(head)] * len(rows) and found[0] == original[0]
    assert len({identity, grade, changed} & set(found[0])) == 3
    for row, old, number in zip(found[1:], original[1:], map(str, numbers), strict=True):
        place = {name: row[i] for i, name in enumerate(head)}
        expected = dict(zip(head, old, strict=True))
        if number in told:
            share, comment = told[number]
            expected[grade] = place[grade]
            assert (
                float(place[grade].replace(point, ".")) == pytest.approx(40 * share, abs=0.005)
                and point in place[grade]
            )
            if comments:
                expected["Feedback"] = place["Feedback"]
                assert html.unescape(place["Feedback"]).split() == comment.split() and "<b>" not in place["Feedback"]
        assert place == expected


@settings(deadline=None)
@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_is_the_same_with_and_without_a_m_and_p_m(hour, minute):
    half = f"{(hour + 11) % 12 + 1}:{minute:02} {'AM' if hour < 12 else 'PM'}"
    told = moment(f"Wednesday, 18 November 2026, {half}"), moment(f"2026-11-18 {hour}:{minute:02}")
    when = time.localtime(told[0])
    assert told[0] == told[1] and (when.tm_hour, when.tm_min, when.tm_mday) == (hour, minute, 18)


@settings(deadline=None)
@given(
    st.sampled_from(sorted(lateness.SECONDS)), st.integers(0, 120), st.integers(1, 40), st.integers(0, 9), st.booleans()
)
def test_nothing_is_taken_off_until_the_last_second_and_then_for_each_unit_begun(per, grace, cost, units, just):
    rule = Lateness.of("2026-11-18T12:00+00:00", f"{cost}%/{per},grace {grace}min")
    last = rule.due + 60 * grace
    assert (rule.factor(last), rule.hours(last)) == (1.0, 0.0)
    assert rule.factor(last + 1) < 1 and rule.hours(last + 1) > 0
    late = rule.due + max(units * lateness.SECONDS[per], 60 * grace) + 1 - just
    begun = -(-(late - rule.due) // lateness.SECONDS[per]) if late > last else 0
    assert rule.factor(late) == pytest.approx(1 - min(cost * begun, 100) / 100)


def test_a_worksheet_without_its_columns_is_refused():
    with pytest.raises(ValueError, match="no column of times of grades was found among Identifier, Grade; download"):
        Worksheet.of("Identifier,Grade\r\nParticipant 1,2\r\n")


NOT_BUILT = {
    "points": (course.Given(NAME, points={"cg_at": 4}), {}, "points.cg_at"),
    "without": (course.Given(NAME, without=("blind_pair",)), {}, "blind_pair"),
    "gain": (course.Given(NAME), {"gain": "exponential"}, "gain = 'exponential'"),
}


@pytest.mark.parametrize("assignment", [NAME, None])
@pytest.mark.parametrize("what", NOT_BUILT)
def test_what_a_course_says_and_nobody_built_stops_a_run_and_is_named(what, assignment, tmp_path):
    given, chosen, told = NOT_BUILT[what]
    put(tmp_path / "in", "ana/a.ipynb")
    built = course.Course(assignments={NAME: course.Given(NAME)})
    run(options := Options(tmp_path / "in", tmp_path / "out", assignment=assignment, course=built))
    before = (tmp_path / "out/grades.csv").read_bytes()
    said = course.Course(assignments={NAME: given}, chosen=chosen)
    for output in ("out", "new"):
        with pytest.raises(ValueError, match=f"{re.escape(told)}.*run `ndcg exercises build`"):
            run(dataclasses.replace(options, output=tmp_path / output, course=said))
    assert (tmp_path / "out/grades.csv").read_bytes() == before and not (tmp_path / "new/grades.csv").exists()


def answer_of(identity):
    task = next(task for task in assignment_named(NAME).tasks if task.name == "cg_by_hand")
    return task.target(task.data(identity))


def own_answers(identity):
    return [f'student_id = "{identity}"', f"cg_by_hand = {answer_of(identity)!r}"]


def test_an_id_that_was_typed_costs_nothing_and_the_teacher_decides(tmp_path):
    ids = [f"id-{i}" for i in range(200)]
    lima = next(one for one in ids if answer_of(one) != answer_of("anna-1"))
    bobs = next(one for one in ids if answer_of(f"x{one}") != answer_of("anna-1"))
    put(tmp_path / "in", "ana/a.ipynb", notebook(*own_answers(lima), CG))
    put(tmp_path / "in", "bob/a.ipynb", notebook(*own_answers("anna-1"), CG))  # the id of another
    (tmp_path / "roster.csv").write_text(f"student,id\nana,anna-1\nbob,x{bobs}\n")
    options = Options(tmp_path / "in", tmp_path / "out", roster=tmp_path / "roster.csv")
    run(options)
    assert {row["cg_by_hand"] for row in rows(tmp_path / "out").values()} == {"0"}
    assert "--typed-ids count lets it count" in (tmp_path / "out/summary.html").read_text("utf8")
    run(dataclasses.replace(options, typed_ids="count", accept=True))
    found = rows(tmp_path / "out")
    assert (found["ana"]["cg_by_hand"], found["bob"]["cg_by_hand"]) == ("2", "0")
    mark = results(tmp_path / "out")["ana"]["tasks"]["cg_by_hand"]
    assert not mark["slips"] and f"Right for the id {lima!r}" in mark["sentences"][0]
    assert lima in (tmp_path / "out/summary.html").read_text("utf8")
    run(Options(tmp_path / "in", tmp_path / "out", typed_ids="refuse", accept=True))
    assert rows(tmp_path / "out")["ana"]["cg_by_hand"] == "0"
    (tmp_path / "roster.csv").write_text("student,id\n")
    with pytest.raises(ValueError, match="'ana', 'bob'"):
        run(Options(tmp_path / "in", tmp_path / "other", roster=tmp_path / "roster.csv"))


# ---- complaints, marks by hand, likeness ---------------------------------------------------------


def test_a_complaint_is_answered_with_the_first_case_that_failed(tmp_path):
    put(tmp_path / "in", "ana/a.ipynb", notebook("def cg_at(grades, k=None):\n    return sum(grades)"))
    run(Options(tmp_path / "in", tmp_path / "out", book="https://book.example/"))
    told = explain(tmp_path / "out", "ana", "cg_at")
    call = re.search(r": cg_at\((\[[^\]]*\]), (\d+)\)\nexpected: (\S+)\ngiven: +(\S+)", told)
    assert call, told
    grades, k = json.loads(call[1]), int(call[2])
    assert (float(call[3]), float(call[4])) == pytest.approx((sum(grades[:k]), sum(grades)), rel=1e-3)
    assert call[3] != call[4] and "return sum(grades)" in told
    page = (tmp_path / "out/feedback/ana.html").read_text("utf8")
    assert "return sum(grades)" in page and 'href="https://book.example/chapters/' in page
    assert "The same for any list" in page and re.search(r"<li>[^<]*: 0 of 1</li>", page)
    for student, task, said in (("eva", "cg_at", "no student"), ("ana", "ndcg_at", "no marks")):
        with pytest.raises(ValueError, match=said):
            explain(tmp_path / "out", student, task)


def test_equal_texts_are_one_box_and_several_lists_merge(tmp_path):
    words = (
        "The order of the first k documents does not matter to it at all, since it only adds up what they are worth."
    )
    text = f"what_cg_misses = {words!r}"
    for i in range(40):
        put(tmp_path / "in", f"s{i:02}/a.ipynb", notebook(text.replace("at all", "AT  ALL") if i % 2 else text))
    run(Options(tmp_path / "in", tmp_path / "out", anonymous=True))
    page = (tmp_path / "out/to-mark.html").read_text("utf8")
    assert page.count('class="answer"') == 1 and "40 equal answers" in page and "s01" not in page
    codes = byhand.codes_of([f"s{i:02}" for i in range(40)], results_seed(tmp_path / "out"))
    assert "s01" not in (tmp_path / "out/to-mark.csv").read_text("utf8")
    for n, half in enumerate((range(20), range(20, 40))):
        lines = [f"{codes[f's{i:02}']},what_cg_misses,{n + 1}\n" for i in half]
        (tmp_path / f"tutor{n}.csv").write_text("student,task,mark\n" + "".join(lines))
    lists = (tmp_path / "tutor0.csv", tmp_path / "tutor1.csv")
    run(Options(None, tmp_path / "out", marks=lists))
    assert [rows(tmp_path / "out")[s]["by hand"] for s in ("s00", "s39")] == ["1", "2"]
    (tmp_path / "tutor1.csv").write_text(f"student,task,mark\n{codes['s00']},what_cg_misses,2\n")
    with pytest.raises(ValueError, match="a second mark for s00"):
        run(Options(None, tmp_path / "out", marks=lists))


def results_seed(output):
    return json.loads((output / "run.json").read_text())["settings"]["seed"]


def shape(*cells):
    return {"assignment": NAME, "shape": similarity.fingerprint(cells, NAME)}


OWN = """
def cg_at(grades, k=None):
    total, place = 0, 0
    limit = len(grades) if k is None else min(k, len(grades))
    while place < limit:
        total = total + grades[place]
        place = place + 1
    return total
"""


@pytest.mark.parametrize(
    ("code", "same"),
    [
        (
            "def cg_at(a, b=None):  # mine\n    c = 7\n    return 'z' + sum(a[:b])",
            True,
        ),  # names, numbers, texts, layout
        ('def cg_at(grades,k=None):\n\n    n = 3.5\n    return "" + sum( grades[:k] )', True),
        ("def cg_at(grades, k=None):\n    n = 3\n    return 'x' - sum(grades[:k])", False),  # another sign
        ("def cg_at(grades, k=None):\n    n = 3\n    return 'x' + max(grades[:k])", False),  # another function
        ("def cg_at(grades, k=None):\n    n = 'x'\n    return 'x' + sum(grades[:k])", False),  # a text for a number
        ("def cg_at(grades, k=None):\n    n = 3\n    yield 'x' + sum(grades[:k])", False),  # another word of Python
    ],
)
def test_renamed_code_is_the_same_and_other_code_is_not(code, same):
    own = "def cg_at(grades, k=None):\n    n = 3\n    return 'x' + sum(grades[:k])"
    assert (similarity.pieces([code]) == similarity.pieces([own])) == same


@pytest.mark.parametrize(
    ("both", "of", "paired", "elsewhere"),
    [(14, 20, True, False), (13, 20, False, False), (12, 12, True, True), (11, 11, False, False),
     (18, 20, True, True), (17, 20, True, False)],
)  # fmt: skip
def test_a_pair_shares_seven_tenths_with_another_student_and_nine_with_other_work(both, of, paired, elsewhere):
    numbers = [f"{n:012x}" for n in range(100)]
    one, other = "".join(numbers[:both]), "".join(numbers[:of])
    made = [
        {"assignment": NAME, "student": "bob", "shape": one},
        {"assignment": NAME, "student": "ana", "shape": other},
    ]
    expected = [{"assignment": NAME, "one": "ana", "other": "bob", "share": round(both / of, 2), "pieces": both}]
    assert similarity.alike(made).pairs == (expected if paired else [])
    found = similarity.alike(made[1:], [(NAME, "earlier: bob", one), ("06-ndcg", "earlier: cy", other)])
    assert [(pair["one"], pair["other"]) for pair in found.pairs] == [("ana", "earlier: bob")] * elsewhere
    crowd = [{"assignment": NAME, "student": f"s{i}", "shape": one} for i in range(4)]
    assert len(similarity.alike(crowd[:3]).pairs) == 3 * (both >= 12) and not similarity.alike(crowd[:3]).left_out
    assert similarity.alike(crowd).pairs == [] and "in more than 3 notebooks" in similarity.alike(crowd).left_out[0]
    solved_so = similarity.alike(made, [(NAME, similarity.SOLUTION, other)])
    assert (
        solved_so.pairs == []
        and ("2 (ana, bob)" if elsewhere or both >= 0.9 * of else "1 (ana)") in solved_so.left_out[0]
    )


def test_the_words_beside_a_grade_are_those_of_its_marks():
    def task(status, sentences=(), **more):
        return {"status": status, "sentences": list(sentences), "out_of": 2, **more}

    tasks = {"a": task("right", ["Well."]), "b": task("wrong", ["No.", "Because."]), "c": task("not attempted", ["x"]),
             "d": task("collected", ["x"]), "e": task("right", ["Given that."], given="f")}  # fmt: skip
    points = {"a": 2.0, "b": 0.5, "c": 0.0, "d": None, "e": 2.0}
    row = SimpleNamespace(status="graded", results=[{"tasks": tasks}], points=points, total=4.5, reached=4.5, late="")
    told = "a: 2 of 2. b: 0.5 of 2. No. Because. c: 0 of 2. Not attempted. d: a person still reads it. e: 2 of 2. Given that."
    assert exports.comments(row) == told
    row.status, row.total, row.late = "stopped", 3.5, "30"
    assert exports.comments(row) == f"Stopped. {told} 1 taken off for 30 hours late."


def test_what_many_have_on_their_own_is_no_likeness_and_it_is_said():
    honest = [{"student": f"s{i}", **shape(OWN, f"extra_{i} = [{', '.join('1' * (i + 1))}]")} for i in range(12)]
    found = similarity.alike(honest)
    assert found.pairs == [] and "left out" in found.left_out[0]
    large = [
        {"student": f"s{i}", **shape(OWN if i < 60 else f"x = [{', '.join('ab'[j % 2] for j in range(i))}]")}
        for i in range(200)
    ]
    assert f"more than {similarity.MOST_HOLDERS} notebooks" in similarity.alike(large).left_out[0]
    assert found.left_out[0] in html.unescape(summary.summary(gradebook.Gradebook([], []), found, {}, []))
    two = [{"student": name, **shape(OWN)} for name in ("ana", "bob")]
    assert [(p["one"], p["other"]) for p in similarity.alike(two).pairs] == [("ana", "bob")]


def test_copies_of_the_published_solution_and_of_an_earlier_year_are_found(tmp_path):
    put(tmp_path / "earlier", "zed/a.ipynb", notebook(OWN, "what_cg_misses = ''"))
    class_ = [{"student": f"s{i}", **shape(*solved())} for i in range(500)] + [{"student": "ana", **shape(OWN)}]
    found = similarity.alike(class_, similarity.elsewhere([str(tmp_path / "earlier")], [NAME]))
    assert [(p["one"], p["other"]) for p in found.pairs] == [("ana", "earlier: zed")]
    assert any("the published solution" in said and "500 (s0, s1, s10," in said for said in found.left_out)


def a_class(told: dict[str, dict[str, list[str]]]) -> gradebook.Gradebook:
    """Students with the mistakes that they made in each task; "-" is a task that was left empty."""

    def mark(names: list[str]) -> dict[str, Any]:
        faults = [name for name in names if name in summary.SAID]
        known = [name for name in names if name not in (*faults, "-")]
        return {"status": "not attempted" if "-" in names else "wrong", "slips": known, "fault": "".join(faults),
                "sentences": ["It is so."] * len(known), "place": "chapters/cumulative-gain#cg-definition"}  # fmt: skip

    rows = [
        SimpleNamespace(student=who, results=[{"tasks": {task: mark(names) for task, names in tasks.items()}}])
        for who, tasks in told.items()
    ]
    return gradebook.Gradebook([task_named("cg_at"), task_named("ndcg_at")], rows)


def test_what_to_teach_is_put_together_across_tasks_and_the_unknown_comes_last():
    kinds = ["k-one-more", "k-one-less", "k-ignored", "natural-log", "value", "first-lost", "-"]
    for seed in range(40):
        draw = random.Random(seed)
        told = {
            f"s{i}": {task: draw.sample(kinds, draw.randint(0, 2)) for task in ("cg_at", "ndcg_at")} for i in range(12)
        }
        found = summary.topics(a_class(told))
        family = {"k-one-more": "k", "k-one-less": "k", "k-ignored": "k"}
        for topic in found:
            names = {name for name, *_ in topic.mistakes}
            of = {family.get(name, name) for name in names}
            assert len(of) == 1, "one kind of mistake makes one topic"
            made = {who for who, own in told.items() for made in own.values() if names & {*made}}
            assert topic.made == len(made) <= len(told), "a student counts once"
            assert topic.known == ("value" not in names)
        assert [topic.known for topic in found] == sorted((topic.known for topic in found), reverse=True)
        counts = [topic.made for topic in found if topic.known]
        assert counts == sorted(counts, reverse=True)
        every = {name for own in told.values() for made in own.values() for name in made} - {"-"}
        assert sorted(name for topic in found for name, *_ in topic.mistakes) == sorted(every)


def test_the_page_to_project_names_tasks_by_title_and_nobody():
    book = a_class({"Ana <Lima>": {"cg_at": ["k-ignored"]}, "Ben": {"ndcg_at": ["k-one-less", "value"]}})
    shown = summary.projected(book)
    assert (
        "2 of 2" in shown
        and "k only labels the result" in shown
        and "The same for any list (cumulative gain)" in shown
        and "cg_at" not in shown
    )
    assert "Ana" not in shown and "Ben" not in shown and summary.SAID["value"] not in shown


# ---- exports -------------------------------------------------------------------------------------


def on_gradescope(place, *files):
    """What results.json says after the autograder ran as the container runs it: its folders, and nothing of ours."""
    with zipfile.ZipFile(io.BytesIO(gradescope.autograder(NAME, "seed"))) as archive:
        assert not [name for name in archive.namelist() if "solutions" in name]
        archive.extractall(place / "source")
    for name, text in files:
        put(place / "submission", name, text)
    (place / "results").mkdir()
    (place / "venv/bin").mkdir(parents=True)
    (place / "venv/bin/python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for script in (place / "venv/bin/python", place / "source/setup.sh", place / "source/run_autograder"):
        script.chmod(0o755)
        subprocess.run(["sh", "-n", script], check=True)
    shutil.copy(place / "source/run_autograder", place / "run_autograder")
    environment = {"PATH": os.environ["PATH"], "AUTOGRADER": str(place)}
    subprocess.run([place / "run_autograder"], cwd=place, env=environment, check=True, timeout=600)
    return json.loads((place / "results/results.json").read_text())


def test_gradescope_gets_an_autograder_that_marks_one_submission(tmp_path):
    files = {"a.ipynb": CG_ONLY, "b.ipynb": RIGHT, "c.ipynb": notebook("x = 1", "cg_at = 1")}
    told = on_gradescope(tmp_path, *files.items())
    assert told["score"] == 12 and sum(test["score"] for test in told["tests"]) == 12
    assert "The same for any list" in [test["name"] for test in told["tests"]]
    assert told["output"].startswith("3 files; b is the one that counts."), "of many, the last two by name"
    submitted = sorted(text.encode() for text in files.values())
    drawn = json.loads((tmp_path / "marks/run.json").read_text("utf8"))["settings"]["seed"]
    assert drawn == gradescope.drawn_from("seed", submitted) != gradescope.drawn_from("seed", submitted[:1])
    for test in told["tests"]:
        assert 0 <= test["score"] <= test["max_score"] and test["output_format"] == "text"
        assert test["visibility"] in ("hidden", "visible", "after_due_date", "after_published")


def test_gradescope_grades_by_the_gain_of_the_course(tmp_path, monkeypatch):
    taught = course.Course(convention=Convention(gain="exponential"), chosen={"gain": "exponential"})
    monkeypatch.setattr(course, "load", lambda root=None: taught)
    with pytest.raises(ValueError, match=r"course.toml here says gain = 'exponential': run"):
        gradescope.autograder(NAME, "seed")
    facts = (ROOT / f"ndcg_course/tasks/{NAME}.json").read_text("utf8")
    built = json.dumps(sealed.made(facts, taught, NAME, {}, ()))
    monkeypatch.setattr(sealed, "checked", lambda name: "")
    monkeypatch.setattr(
        gradescope,
        "_put",
        lambda archive, name, data, mode, put=gradescope._put: put(
            archive, name, built.encode() if name.endswith(f"sealed/{NAME}.json") else data, mode
        ),
    )
    told = on_gradescope(tmp_path, ("homework.ipynb", RIGHT))
    assert (
        not told["output"].startswith("1 files")
        and 0 < told["score"] < 12
        and {test["number"]: test["score"] for test in told["tests"]}["cg_at"] == 0
    )


@pytest.mark.parametrize("files", [[("a.txt", "x")], [("a.ipynb", "{")]], ids=["no notebook", "broken"])
def test_gradescope_tells_what_cannot_be_marked(files, tmp_path):
    told = on_gradescope(tmp_path, *files)
    assert (
        told["score"] == 0 and told["tests"] == [] and len(told["output"]) > 20 and "that counts" not in told["output"]
    )


def test_formulas_are_defused_behind_every_separator_and_in_full_width():
    draw = random.Random(5)
    for _ in range(2000):
        cell = "".join(draw.choice("=+-@\uff1d\uff0b,;\t|' ax1") for _ in range(draw.randint(1, 8)))
        safe = harmless(cell)
        for part in re.split(r"[,;\t\r\n|]", safe):
            assert not part.strip(" '\"").startswith(tuple("=+-@\uff1d\uff0b")) or part.lstrip(' "').startswith("'"), (
                cell
            )
        assert unquoted(safe) == cell


def test_nbgrader_s_columns_say_what_lateness_took(tmp_path):
    late = put(tmp_path / "in", "ana/a.ipynb", RIGHT)
    os.utime(late, (1_000_000 + 90_000,) * 2)
    os.utime(put(tmp_path / "in", "bob/a.ipynb", RIGHT), (1_000_000,) * 2)
    run(Options(tmp_path / "in", tmp_path / "out", lateness=Lateness(1_000_000.0, 10.0), forms=("nbgrader",)))
    told = list(csv.DictReader((tmp_path / "out/exports/nbgrader.csv").open(encoding="utf8")))
    columns = "student_id", "raw_score", "late_submission_penalty", "score", "max_score", "timestamp"
    assert [[row[name] for name in columns] for row in told] == [
        ["ana", "12", "2.4", "9.6", "14", "1970-01-13 14:46:40"],
        ["bob", "12", "0", "12", "14", "1970-01-12 13:46:40"],
    ]


def test_a_command_ends_with_1_where_a_person_has_to_look(tmp_path):
    put(tmp_path / "in", "ana/a.ipynb")
    for text, code in ((None, 0), ("{", 1), (CG_ONLY, 0)):
        if text is not None:
            put(tmp_path / "in", "bob/a.ipynb", text)
        assert ndcg(tmp_path / "in", "-o", tmp_path / "out").returncode == code


# ---- a class in each layout, against a table made by hand ----------------------------------------

KINDS = {
    "whole": (RIGHT, "12"),
    "cg": (CG_ONLY, "2"),
    "k ignored": (notebook("def cg_at(grades, k=None):\n    return sum(grades)"), "0"),
    "sorts": (notebook("def cg_at(grades, k=None):\n    a = sum(grades[:k]); grades.sort(); return a"), "1"),
    "two": (notebook(CG, "def cg_curve(grades):\n    return [sum(grades[:i + 1]) for i in range(len(grades))]"), "4"),
    "raises": (notebook("def cg_at(grades, k=None):\n    raise KeyError"), "0"),
    "nothing": (notebook("x = 1", "# cg_at"), "0"),
    "broken": ("{", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "workers"), [("folders", 2), ("moodle", 0), ("canvas", 0)])
def test_a_class_of_sixty_in_each_layout(layout, workers, tmp_path):
    kinds = [list(KINDS)[i % len(KINDS)] for i in range(64)]
    place = tmp_path / "in.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for i, kind in enumerate(kinds):
            text = KINDS[kind][0]
            if layout == "folders":
                put(tmp_path / "in", f"Student {i:02}/{NAME}.ipynb", text)
            elif layout == "moodle":
                archive.writestr(f"Student {i:02}_{5000 + i}_assignsubmission_file/{NAME}.ipynb", text)
            else:
                archive.writestr(f"student{i:02}_{7000 + i}_{8000 + i}_{NAME}.ipynb", text)
        archive.writestr(
            {"moodle": "Zed_9999_assignsubmission_file/a.docx", "canvas": "zed_9999_9998_a.docx"}.get(
                layout, "x/x.docx"
            ),
            "x",
        )
    source = tmp_path / "in" if layout == "folders" else place
    book = run(Options(source, tmp_path / "out", assignment=NAME, workers=workers, forms=exports.FORMS))
    found = list(rows(tmp_path / "out").values())
    assert [row["total"] for row in found[:64]] == [KINDS[kind][1] for kind in kinds]
    if layout != "folders":
        assert found[64]["status"] == "no notebook"
        canvas = list(csv.reader((tmp_path / "out/exports/canvas.csv").open(encoding="utf8")))
        assert canvas[2 + 64][1] == "9999" and all(row[1] for row in canvas[2:])
    assert book.out_of == 14 and len(list((tmp_path / "out/feedback").iterdir())) == len(found)


def test_an_anonymous_canvas_name_is_known():
    split = submissions.student_and_rest
    assert split([f"anon_aB3dE_8830_{NAME}.ipynb"])[:2] == ("anon_aB3dE", "")
    assert split([f"anon_aB3dE_LATE_8830_{NAME}.ipynb"])[3]


@settings(deadline=None)
@given(st.integers(0, 10), st.integers(0, 10), st.integers(0, 20))
def test_the_best_attempt_is_the_one_that_earns_most_after_what_lateness_costs(early, late, days):
    def attempt(points, time):
        told = {"points": points, "status": "wrong", "out_of": 10, "sentences": []}
        about = {
            "sha256": "",
            "draw": 0,
            "student": "ana",
            "assignment": NAME,
            "time": time,
            "attempt": 0,
            "file": f"{time}.ipynb",
            "id": "ana",
        }
        return about | {
            "tasks": {"cg_at": told},
            "points": points,
            "status": "graded",
            "late_mark": False,
            "platform_id": "",
        }

    rule = Lateness(due=1000.0, cost=10.0, per="day")
    results = [attempt(early, 1000.0), attempt(late, 1000.0 + 86400 * days)]
    row = gradebook.make(results, {}, Rules({"": rule}), attempts="best").rows[0]
    assert row.total == pytest.approx(max(early, late * max(0.0, 1 - days / 10)))


@settings(deadline=None)
@given(st.integers(1, 30))
def test_few_pieces_of_code_in_common_are_no_likeness(pieces):
    own = "".join(f"{n:012x}" for n in range(pieces))
    found = similarity.alike([{"assignment": NAME, "student": who, "shape": own} for who in ("ana", "bob")])
    assert bool(found.pairs) == (pieces >= 12)


# ---- the small clean process and the large one ---------------------------------------------------

SLIPS_OF_CG = [
    "return sum(grades)",
    "return sum(grades[:k]) + 1",
    "raise KeyError",
    "grades.sort(); return sum(grades[:k])",
]


@pytest.mark.parametrize("body", ["return sum(grades[:k])", *SLIPS_OF_CG])
@pytest.mark.parametrize(
    "how",
    [
        "import numpy as np",
        "from numpy import log2",
        "import asyncio, numpy",
        "x = __import__('numpy')",
        "import decimal",
    ],
)
def test_a_mark_is_the_same_whether_few_modules_are_loaded_or_many(body, how):
    code = f"def cg_at(grades, k=None):\n    {body}"
    few, many = marked(code), marked(how, code)
    assert not many["cells"]  # numpy could be imported
    assert few["tasks"]["cg_at"] | {"code": ""} == many["tasks"]["cg_at"] | {"code": ""}


def test_every_door_is_tried_in_the_small_clean_process_too(monkeypatch):
    real = marking.asked

    def opened(notebook, *more):
        answers = real(notebook, *more)
        if not notebook.imports_more:
            answers.outcomes["doors"][0].value.append("network")
        return answers

    monkeypatch.setattr(marking, "asked", opened)
    assert "not closed in the sandbox: network" in works(Settings("a seed"))
    marking.close()


@pytest.mark.parametrize("claims_", [[1, 1.0, True], [0.0, -0.0], ["1", 1], [[1], [1.0], [True]], [None, []]])
def test_a_claim_that_was_made_before_is_not_taken_for_one_that_only_equals_it(claims_):
    for _ in range(2):
        for value in claims_:
            known = claims.known({"value": codec.encode(value)})
            assert repr(known.value) == repr(value) and known.type == type(value).__name__


# ---- what a teacher does, or a file that is not as it should be -----------------------------------


@pytest.fixture(scope="module")
def kept_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    put(folder / "in", "ana/a.ipynb")
    put(folder / "in", "ben/a.ipynb", RIGHT)
    run(Options(folder / "in", folder / "out", forms=("canvas",), title="One", points=3.0))
    return folder


@draws(15)
@given(st.data())
def test_a_record_that_was_changed_by_hand_is_refused_in_one_line_or_used(kept_run, data):
    told = json.loads((kept_run / "out/run.json").read_text("utf8"))
    inner = data.draw(st.sampled_from([told, told["settings"], told["options"], told["settings"]["limits"]]))
    key = data.draw(st.sampled_from(sorted(inner)))
    if data.draw(st.booleans()):
        del inner[key]
    else:
        inner[key] = data.draw(st.sampled_from([None, 7, "x", [], ["x"], {}, {"x": 1}, True, 0.5]))
    with tempfile.TemporaryDirectory() as place:
        out = Path(shutil.copytree(kept_run / "out", Path(place) / "out"))
        (out / "run.json").write_text(json.dumps(told), "utf8")
        try:
            assert len(run(Options(None, out)).rows) == 2
        except ValueError as error:
            assert "run.json" in str(error) or "--" in str(error) or "to-mark" in str(error), error


@pytest.mark.parametrize("place", ["a folder", "a zip"])
@pytest.mark.parametrize("strays", [0, 1])
def test_files_that_carry_the_time_of_the_download_make_nobody_late(place, strays, tmp_path):
    due = Lateness.of("2026-11-18T12:00", None)
    for i in range(12):
        when = due.due + 86400 + 20 * i if i >= strays else due.due - 5000
        os.utime(put(tmp_path / "in", f"s{i}/a.ipynb", notebook(CG, f"# {i}")), (when, when))
    handed_in = tmp_path / "in"
    if place == "a zip":
        handed_in = tmp_path / "in.zip"
        with zipfile.ZipFile(handed_in, "w") as archive:
            for file in sorted((tmp_path / "in").rglob("*.ipynb")):
                archive.write(file, file.relative_to(tmp_path / "in"))
    with pytest.raises(ValueError, match="the time of the download"):
        run(Options(handed_in, tmp_path / "out", lateness=due))
    assert not (tmp_path / "out/grades.csv").exists()


def test_two_who_hand_in_late_are_late(tmp_path):
    due = Lateness.of("2026-11-18T12:00", "10%/day")
    for i, days in enumerate((0.5, 3)):
        when = due.due + 86400 * days
        os.utime(put(tmp_path / "in", f"s{i}/a.ipynb", notebook(CG, f"# {i}")), (when, when))
    run(Options(tmp_path / "in", tmp_path / "out", lateness=due))
    assert [row["total"] for row in rows(tmp_path / "out").values()] == ["1.8", "1.4"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("student,id\nZoé,1\nben,2\nben,3\n", "line 4: ben has the id 3 here, and 2 above"),
        ("student,id\nZoé,1\nben,\n", "line 3: a student and an id"),
        ("student,id\nZoé\nben,2\n", "line 2: a student and an id"),
        ("student,name\nZoé,1\n", "line 1: the column 'id' is missing"),
        ("student,id\nben,2\n", "lacks 1 of the students: 'Zoé'"),
        ("Student;ID\nZoe\u0301;1\nben;2\n", ""),
        ("\ufeffid,student,more\n1,Zoé ,x\n2,ben,\n", ""),
    ],
)
def test_a_roster_ties_each_student_to_one_id_or_says_the_line(text, told, tmp_path):
    for name in ("Zoé", "ben"):
        put(tmp_path / "in", f"{name}/a.ipynb", notebook(CG, f"student_id = '{name}'"))
    (tmp_path / "roster.csv").write_text(text, "utf8")
    options = Options(tmp_path / "in", tmp_path / "out", roster=tmp_path / "roster.csv")
    if told:
        with pytest.raises(ValueError, match=re.escape(told)):
            run(options)
        return
    run(options)
    assert {name: result["id"] for name, result in results(tmp_path / "out").items()} == {"Zoé": "1", "ben": "2"}
    (tmp_path / "roster.csv").write_bytes("student,id\nZoé,1".encode("cp1252"))
    with pytest.raises(ValueError, match=r"roster\.csv: this is not UTF-8"):
        run(options)


@pytest.mark.parametrize("attempts", ["newest", "best"])
def test_a_complaint_is_answered_for_the_attempt_that_counts(attempts, tmp_path):
    for n, body in enumerate(("sum(grades[:k])", "0")):
        file = put(tmp_path / "in", f"ana/a ({n + 1}).ipynb", notebook(f"def cg_at(grades, k=None): return {body}"))
        os.utime(file, (1000 + n, 1000 + n))
    run(Options(tmp_path / "in", tmp_path / "out", attempts=attempts))
    points = rows(tmp_path / "out")["ana"]["cg_at"]
    assert points == {"newest": "0", "best": "2"}[attempts]
    assert f"cg_at: {points} of 2 points" in explain(tmp_path / "out", "ana", "cg_at")


@pytest.mark.parametrize("number", [3, 44, 555, 1234567])
@pytest.mark.parametrize("folders", [True, False])
def test_a_moodle_of_few_people_has_short_numbers(number, folders):
    file = "02-cumulative-gain.ipynb"
    whole = f"Ana_B Lima_{number}_assignsubmission_file_"
    parts = [whole, file] if folders else [whole + file]
    assert submissions.student_and_rest(parts)[:2] == ("Ana_B Lima", str(number))


def test_one_student_is_named_in_either_form_of_unicode(tmp_path):
    put(tmp_path / "in", "Zoé/a.ipynb")
    put(tmp_path / "in", "ana/a.ipynb", RIGHT)
    run(Options(tmp_path / "in", tmp_path / "out", only=("Zoe\u0301",)))
    assert list(rows(tmp_path / "out")) == ["Zoé"]
    assert "All" in explain(tmp_path / "out", "Zoe\u0301", "cg_at")


def test_marks_are_not_written_among_what_was_handed_in(tmp_path):
    put(tmp_path / "in", "ana/a.ipynb")
    with pytest.raises(ValueError, match="among what was handed in"):
        run(Options(tmp_path / "in", tmp_path / "x" / ".." / "in"))
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["ana"]


@pytest.mark.parametrize("unseen", ["\ufe0f", "\u3164", "\u034f", "\u2800", "\U000e0100"])
def test_a_name_with_a_letter_that_shows_nothing_is_noted(unseen, tmp_path):
    for name in ("Ana", f"An{unseen}a"):
        put(tmp_path / "in", f"{name}/a.ipynb", notebook(CG, ascii(name)))
    found = submissions.find(tmp_path / "in")
    assert len({job.student for job in found.jobs}) == 2
    assert len([note for note in found.notes if note[2].startswith("another student than")]) == 2


def test_the_tasks_are_those_of_the_assignment_that_was_named_even_if_no_notebook_can_be_read(tmp_path):
    put(tmp_path / "in", "ana/a.ipynb")
    put(tmp_path / "in", "bob/a.ipynb", "{")
    run(Options(tmp_path / "in", tmp_path / "out", assignment=NAME))
    before = rows(tmp_path / "out")["bob"]
    shutil.rmtree(tmp_path / "in/ana")
    run(Options(tmp_path / "in", tmp_path / "out", accept=True))
    assert (
        rows(tmp_path / "out")["bob"] == before | {"seal": rows(tmp_path / "out")["bob"]["seal"]}
        and before["max"] == "14"
    )
