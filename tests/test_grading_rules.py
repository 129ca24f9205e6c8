"""Grading: what passes between students, what an honest student keeps, what a teacher's ordinary actions change."""

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hostile.course import NAME, ROOT, notebook, solved
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_course.grading import byhand, exports, gradebook, gradescope, marking, notebooks, similarity, submissions
from ndcg_course.grading.explain import explain
from ndcg_course.grading.gradebook import harmless, unquoted
from ndcg_course.grading.inside import sandbox
from ndcg_course.grading.lateness import Lateness
from ndcg_course.grading.limits import Limits
from ndcg_course.grading.marking import Job, Settings
from ndcg_course.grading.process import Gone, Zygote
from ndcg_course.grading.run import Options, run
from ndcg_course.grading.session import Batch, ask
from ndcg_course.grading.trial import works
from ndcg_course.grading.worksheet import Worksheet, moment
from ndcg_course.tasks import assignment_named

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}")
CG = "def cg_at(grades, k=None):\n    return sum(grades[:k])"
CG_ONLY, RIGHT = notebook(CG), notebook(*solved())


def put(folder, name, text=CG_ONLY):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf8")
    return path


def rows(output):
    with (output / "grades.csv").open(encoding="utf8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


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
    assert not os.path.exists(zygote.folder)


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


def test_of_the_errors_that_a_function_raises_one_type_is_named():
    kinds = "[KeyError, TypeError, IndexError, ZeroDivisionError, AttributeError, NameError, LookupError]"
    told = marked(f"def cg_at(g, k=None):\n    raise {kinds}[int(sum(g)) % 7]('x')")["tasks"]["cg_at"]
    assert len(re.findall(r"\w+Error", " ".join(told["sentences"]))) == 1


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


MANY = {"dictionaries": "{}", "lists": "[]", "numbers": "1", "texts": '""', "nested": "[[[[]]]]"}


@pytest.mark.slow
@pytest.mark.parametrize("what", MANY)
def test_a_large_notebook_fills_no_memory_of_the_grader(what, tmp_path):
    size = notebooks.LARGE * 19
    text = '{"cells": [' + ",".join([MANY[what]] * (size // (len(MANY[what]) + 1))) + "]}"
    path = put(tmp_path, "a.ipynb", text)
    code = (
        "import sys\nfrom ndcg_course.grading import notebooks\nfrom ndcg_course.grading.limits import Limits\n"
        "try: notebooks.parse(notebooks.load(sys.argv[1], None, Limits()), Limits())\n"
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
    whole = notebooks.parse(json.dumps(cells).encode(), Limits())
    monkeypatch.setattr(notebooks, "LARGE", 100 << 20)
    assert notebooks.parse(json.dumps(cells).encode(), Limits()) == whole


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
    assert works(Limits()) == ""
    monkeypatch.setattr("ndcg_course.grading.trial._importable", lambda: ["json", "no_such_module"])
    assert "could not import no_such_module;" in works(Limits())


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


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize(
    "work",
    [
        "threading.Thread(target=print).start()",
        "asyncio.run(asyncio.sleep(0))",
        "subprocess.run(['true'])",
        "concurrent.futures.ThreadPoolExecutor().submit(print)",
    ],
)
def test_what_is_not_available_is_told_in_words_by_grader_and_check(work):
    from ndcg_course.checks import calling

    code = f"import threading, asyncio, subprocess, concurrent.futures\ndef cg_at(g, k=None):\n    {work}\n"
    code += "    return sum(g[:k])"
    told = marked(code)["tasks"]["cg_at"]
    assert told["points"] == 0 and "not available while you are graded" in told["sentences"][0]
    names: dict = {}
    exec(code, names)
    assert "not available while you are graded" in calling.call(names["cg_at"], [[1]]).message


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
        ("z.ipynb", notebook("cg_at = 2")),
    ):
        os.utime(put(tmp_path / "in", f"tom/{name}", text), (1_700_000_000, 1_700_000_000))
    run(Options(tmp_path / "in", tmp_path / "out"))
    assert rows(tmp_path / "out")["tom"]["total"] == "2"
    assert "3 files of one time" in (tmp_path / "out/summary.html").read_text("utf8")


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


def test_a_function_that_is_slow_once_or_slow_throughout_is_right():
    once = "import time\ndone = []\ndef cg_at(g, k=None):\n    if not done:\n        done.append(1); time.sleep(9)\n"
    assert marked(once + "    return sum(g[:k])")["tasks"]["cg_at"]["points"] == 2
    slow = "def cg_at(g, k=None):\n    for _ in range(100): answer = sum(list(g)[:k])\n    return answer"
    assert marked(slow)["tasks"]["cg_at"]["points"] == 2


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
    run(Options(tmp_path / "in", tmp_path / "out", lateness=late, forms=("canvas",), title="Week 2"))
    assert rows(tmp_path / "out")["ana"]["total"] == "6"
    (tmp_path / "m.csv").write_text("student,task,mark\nana,what_cg_misses,2\n")
    book = run(Options(None, tmp_path / "out", marks=(tmp_path / "m.csv",)))
    row = rows(tmp_path / "out")["ana"]
    assert (row["total"], row["machine"], row["by hand"], row["late"]) == ("7", "12", "2", "1")
    assert any(line.startswith("--due and --late as before: due 2023") for line in book.said)
    exported = list(csv.DictReader((tmp_path / "out/exports/canvas.csv").open(encoding="utf8")))
    assert exported[1]["Week 2"] == "7"  # rewritten
    book = run(Options(tmp_path / "in", tmp_path / "out", forms=(), lateness=Lateness()))
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
    place = moodle_zip(tmp_path / "m.zip", [(1001, 'Ana "A" Lima', RIGHT), (1002, "Bob", RIGHT)])
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
            parts = name.split("/")[0].split("_", 4)
            assert len(parts) >= 4 and parts[1] in ("1001", "1002") and parts[2:4] == ["assignfeedback", "file"]
            assert not name.rpartition("/")[2].startswith((".", "~"))
        assert len(archive.namelist()) == 2


def test_a_worksheet_without_its_columns_is_refused():
    with pytest.raises(ValueError, match="no column of times of grades"):
        Worksheet.of("Identifier,Grade\r\nParticipant 1,2\r\n")


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
    found = rows(tmp_path / "out")
    assert (found["ana"]["cg_by_hand"], found["bob"]["cg_by_hand"]) == ("1", "0")
    mark = results(tmp_path / "out")["ana"]["tasks"]["cg_by_hand"]
    assert not mark["slips"] and f"Right for the id {lima!r}" in mark["sentences"][0]
    assert lima in (tmp_path / "out/summary.html").read_text("utf8")
    run(Options(tmp_path / "in", tmp_path / "out", typed_ids="refuse"))
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


def test_what_many_have_on_their_own_is_no_likeness_and_it_is_said():
    honest = [{"student": f"s{i}", **shape(OWN, f"extra_{i} = [{', '.join('1' * (i + 1))}]")} for i in range(12)]
    found = similarity.alike(honest)
    assert found.pairs == [] and "left out" in found.left_out[0]
    two = [{"student": name, **shape(OWN)} for name in ("ana", "bob")]
    assert [(p["one"], p["other"]) for p in similarity.alike(two).pairs] == [("ana", "bob")]


def test_copies_of_the_published_solution_and_of_an_earlier_year_are_found(tmp_path):
    put(tmp_path / "earlier", "zed/a.ipynb", notebook(OWN, "what_cg_misses = ''"))
    class_ = [{"student": f"s{i}", **shape(*solved())} for i in range(500)] + [{"student": "ana", **shape(OWN)}]
    found = similarity.alike(class_, similarity.elsewhere([str(tmp_path / "earlier")], [NAME]))
    assert len({p["one"] for p in found.pairs if p["other"] == "the published solution"}) == 500
    assert ("ana", "earlier: zed") in [(p["one"], p["other"]) for p in found.pairs]


# ---- exports -------------------------------------------------------------------------------------


def test_gradescope_gets_an_autograder_that_marks_one_submission(tmp_path):
    with zipfile.ZipFile(io.BytesIO(gradescope.autograder(NAME, "seed"))) as archive:
        assert {"setup.sh", "run_autograder"} <= set(archive.namelist())
        archive.extractall(tmp_path / "source")
    put(tmp_path / "submission", "homework.ipynb", RIGHT)
    code = (
        "import sys, pathlib\nfrom ndcg_course.grading import gradescope\ngradescope.main(pathlib.Path(sys.argv.pop()))"
    )
    command = [sys.executable, "-c", code, NAME, "seed", tmp_path]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "source")}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
    told = json.loads((tmp_path / "results/results.json").read_text())
    assert told["score"] == 12 and sum(test["score"] for test in told["tests"]) == 12
    for test in told["tests"]:
        assert 0 <= test["score"] <= test["max_score"] and test["output_format"] == "text"
        assert test["visibility"] in ("hidden", "visible", "after_due_date", "after_published")


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
@pytest.mark.parametrize("layout", ["folders", "moodle", "canvas"])
@pytest.mark.parametrize("workers", [1, 2])
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
        about = {"student": "ana", "assignment": NAME, "time": time, "attempt": 0, "file": f"{time}.ipynb", "id": "ana"}
        return about | {
            "tasks": {"cg_at": told},
            "points": points,
            "status": "graded",
            "late_mark": False,
            "platform_id": "",
        }

    rule = Lateness(due=1000.0, cost=10.0, per="day")
    results = [attempt(early, 1000.0), attempt(late, 1000.0 + 86400 * days)]
    row = gradebook.make(results, {}, rule, attempts="best").rows[0]
    assert row.total == pytest.approx(max(early, late * max(0.0, 1 - days / 10)))


@settings(deadline=None)
@given(st.integers(1, 30))
def test_few_pieces_of_code_in_common_are_no_likeness(pieces):
    own = "".join(f"{n:012x}" for n in range(pieces))
    found = similarity.alike([{"assignment": NAME, "student": who, "shape": own} for who in ("ana", "bob")])
    assert bool(found.pairs) == (pieces >= 12)
