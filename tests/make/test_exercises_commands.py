"""`ndcg exercises …`: what each command gives, and one clear line and exit code 2 for bad input."""

import base64
import contextlib
import hashlib
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from solved import solutions_in

from ndcg_course.make import files, release
from ndcg_course.make.proof import drift
from ndcg_course.tasks import assignments, tasks
from ndcg_lib.commands.cli import main

ROOT = Path(__file__).parents[2]
MADE = {}  # notebooks by source


@pytest.fixture(autouse=True, scope="module")
def run_once():
    """A notebook is made and run once for all tests: a build of all takes seconds, and most change one file."""
    once = files.notebook

    def notebook(text, assignment, *, solved):
        key = (repr(text), assignment.name, solved)
        if key not in MADE:
            MADE[key] = json.dumps(once(text, assignment, solved=solved))
        return json.loads(MADE[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "notebook", notebook)
        yield


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    """A release."""
    place = copied(tmp_path_factory.mktemp("pack"))
    made = run("release", "-o", file := place / "pack.zip", "--root", place)
    assert made.returncode == 0, made.stderr
    return file


class Ran(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments, cwd=ROOT):
    """The command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["exercises", *map(str, arguments)])
    return Ran(code, out.getvalue(), err.getvalue())


FOLDERS = (
    "solutions",
    "exercises",
    "book/assignments",
    "ndcg_course/solutions",
    "ndcg_course/tasks",
    "ndcg_course/sealed",
)


@pytest.fixture
def checkout(tmp_path):
    return copied(tmp_path)


def copied(place):
    """The folders that the commands read and write."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, place / name)
    shutil.copy(ROOT / "pyproject.toml", place)
    return place


def state(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(*arguments, root=None, **options):
    """One line on stderr, exit code 2, nothing on stdout, and the folder as it was."""
    before = state(root) if root else None
    result = run(*arguments, *(("--root", root) if root else ()), **options)
    assert result.returncode == 2, result
    assert result.stdout == ""
    assert before is None or state(root) == before
    line = result.stderr.strip()
    assert "\n" not in line and "Traceback" not in line
    return line


def test_build_changes_nothing_where_all_is_up_to_date(checkout):
    before = state(checkout)
    assert "up to date" in run("build", "--root", checkout).stdout
    assert state(checkout) == before


def test_build_writes_what_is_missing(checkout):
    before = state(checkout)
    (checkout / "exercises/05-the-ideal-ranking.ipynb").unlink()
    (checkout / "book/assignments/the-ideal-ranking.md").write_text("changed", "utf8")
    verified = run("verify", "--root", checkout, "05-the-ideal-ranking")
    assert (verified.returncode, verified.stdout) == (2, "")
    assert verified.stderr.strip() == (
        "ndcg: exercises/05-the-ideal-ranking.ipynb is missing: run `ndcg exercises build`"
    )
    built = run("build", "--root", checkout)
    assert built.stdout.split() == ["exercises/05-the-ideal-ranking.ipynb", "book/assignments/the-ideal-ranking.md"]
    assert state(checkout) == before


def test_a_place_where_nothing_can_be_written_is_named_and_no_file_left(checkout, tmp_path):
    line = refused("release", "-o", tmp_path / "not there" / "pack.zip", root=checkout)
    assert line.endswith("pack.zip: no such file or directory; nothing was packed")
    shutil.rmtree(checkout / "exercises")
    (checkout / "exercises").write_text("a file, and no folder", "utf8")
    line = refused("build", root=checkout)
    assert "exercises/02-cumulative-gain.ipynb: " in line and f".{os.getpid()}" not in line


def test_verify_finds_a_solution_that_is_wrong_or_left_in_a_file(checkout):
    text = checkout / "solutions/02-cumulative-gain.md"
    wrong = text.read_text("utf8").replace("return sum(gains(grades[:k]))", "return sum(grades[:k]) + 1")
    text.write_text(wrong, "utf8")
    exercise = checkout / "exercises/02-cumulative-gain.ipynb"
    exercise.write_text(exercise.read_text("utf8").replace("# your code here", "sums, total = [], 0"), "utf8")
    told = run("verify", "--root", checkout, "02-cumulative-gain").stdout
    assert "exercises/02-cumulative-gain.ipynb holds a line of the solution of cg_curve" in told
    assert "solutions/02-cumulative-gain.ipynb differs" in told
    run("build", "--root", checkout)
    told = run("verify", "--root", checkout, "02-cumulative-gain").stdout
    assert "solutions/02-cumulative-gain.ipynb: cg_at is wrong, not right" in told


def test_verify_finds_a_file_without_a_source(checkout):
    (checkout / "exercises/99-old.ipynb").write_text("{}", "utf8")
    assert any("exercises/99-old.ipynb has no source" in problem for problem in drift(checkout))


def test_list_names_every_task(monkeypatch):
    some = {name: assignments()[name] for name in ("02-cumulative-gain", "05-the-ideal-ranking")}  # slips take a while
    monkeypatch.setattr("ndcg_course.commands.exercises.assignments", lambda: some)
    rows = json.loads(run("list", "--json").stdout)
    assert [row["task"] for row in rows] == [task.name for one in some.values() for task in one.tasks]
    assert all({"assignment", "kind", "points", "slips"} <= row.keys() for row in rows)
    assert next(row for row in rows if row["task"] == "best_first")["slips"][0] == "ideal-not-sorted"
    assert f"{len(rows)} tasks, {sum(row['points'] for row in rows)} points" in run("list").stdout


def test_a_teacher_sees_the_data_and_answers_of_any_student():
    told = json.loads(run("data", "--id", " Zoë ", "--json").stdout)
    assert told["id"] == "zoë"
    task = tasks()["idcg_by_hand"]
    assert told["tasks"]["idcg_by_hand"] == {"data": task.data("zoë"), "answer": task.target(task.data("zoë"))}
    assert "cg_by_hand: " in run("data", "--id", "7", "--task", "cg_by_hand").stdout


def told_to_students(pack):
    """The files of a release by name, those in its wheels too."""
    with zipfile.ZipFile(pack) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for name in [name for name in files if name.endswith(".whl")]:
        with zipfile.ZipFile(io.BytesIO(files.pop(name))) as wheel:
            files |= {inner: wheel.read(inner) for inner in wheel.namelist()}
    return {name: data.decode("utf8", "replace") for name, data in files.items()}


def test_a_release_has_everything_and_no_solution(pack):
    told = told_to_students(pack)
    assert {"HOW-TO.md", "requirements.txt", *(f"notebooks/{name}.ipynb" for name in assignments())} <= set(told)
    assert {"ndcg_lib/slips.py", "ndcg_course/notebook.py"} <= set(told)
    assert "./ndcg_course-" in told["requirements.txt"]
    assert not [text for name, text in told.items() if name.endswith(".ipynb") and "SOLUTION" in text]
    assert solutions_in(told) == []
    assert "your teacher has them" in told["HOW-TO.md"]


def test_a_course_leaves_tasks_out_and_gives_other_points(checkout):
    name = "02-cumulative-gain"
    (checkout / "course.toml").write_text(
        f"[assignments.{name}]\nwithout = ['useless_rank']\npoints.cg_at = 7\npoints.cg_by_hand = 5\n"
    )
    made = run("build", name, "--root", checkout)
    assert made.returncode == 0, made.stderr
    notebook = (checkout / f"exercises/{name}.ipynb").read_text("utf8")
    before = (ROOT / f"exercises/{name}.ipynb").read_text("utf8")
    assert "useless_rank" in before and "useless_rank" not in notebook
    assert "check_all(" in notebook, "the end of the notebook stays"
    facts = json.loads((checkout / f"ndcg_course/tasks/{name}.json").read_text("utf8"))
    assert sum(family["points"] for family in facts["cg_at"]["families"]) == 7
    assert facts["cg_by_hand"]["points"] == 5
    assert "`cg_at` · 7 points" in notebook
    assert "useless_rank" not in (checkout / "book/assignments/cumulative-gain.md").read_text("utf8")


@pytest.mark.parametrize(
    ("name", "task", "told"),
    [
        ("06-ndcg", "dcg_of", "there is no task 'dcg_of'"),
        ("06-ndcg", "ndcg_at", "course.toml leaves out ndcg_at, and solutions/06-ndcg.md, line"),
        ("07-hand-calculation", "sheet_dcg", "leave out all or none of sheet_dcg, sheet_idcg,"),
    ],
)
def test_a_task_that_others_need_is_not_left_out(checkout, name, task, told):
    (checkout / "course.toml").write_text(f"[assignments.{name}]\nwithout = ['{task}']\n")
    assert told in refused("build", name, root=checkout)


def test_a_release_holds_what_the_course_names(checkout, tmp_path):
    (checkout / "course.toml").write_text(
        "title = 'Ranking in winter'\naddress = 'https://example.org/ndcg'\nconvention = 'burges'\n"
        "[assignments.06-ndcg]\n"
    )
    pack = tmp_path / "pack.zip"
    assert "run `ndcg exercises build`" in refused("release", "-o", pack, root=checkout)
    assert run("build", "--root", checkout).returncode == 0
    assert run("release", "-o", pack, "--root", checkout).returncode == 0
    told = told_to_students(pack)
    assert [name for name in told if name.startswith("notebooks/")] == ["notebooks/06-ndcg.ipynb"]
    others = [name for name in told if "discounting" in name or "03-" in name]
    assert others == []
    how_to = told["HOW-TO.md"]
    page, install = how_to.index("https://example.org/ndcg/assignments/ndcg.html"), how_to.index("pip install")
    assert page < install, "the way without an installation comes first"
    assert how_to.startswith("# Ranking in winter")
    assert "gain 2^g - 1" in how_to
    assert "the pages of the book show one" in how_to
    assert "whoever reads its code finds every right number" in how_to
    assert "it is the exam" in how_to
    assert "https://example.org/ndcg/" in told["ndcg_course/course.toml"]


def test_a_course_without_solutions_hands_out_none(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("NDCG_SOLUTIONS", "off")
    line = refused("release", "-o", tmp_path / "pack.zip", "--with-solutions", root=checkout)
    assert "the course holds no solutions" in line


def test_a_release_with_solutions_has_them(checkout, tmp_path):
    pack = tmp_path / "pack.zip"
    run("release", "-o", pack, "--root", checkout, "--with-solutions")
    with zipfile.ZipFile(pack) as archive:
        assert "solutions/05-the-ideal-ranking.ipynb" in archive.namelist()
        wheel = next(name for name in archive.namelist() if name.startswith("ndcg_course"))
        inside = zipfile.ZipFile(io.BytesIO(archive.read(wheel)))
        assert "ndcg_course/solutions/05-the-ideal-ranking.json" in inside.namelist()


def test_a_wheel_holds_the_files_of_a_package_and_its_record_is_true(tmp_path, monkeypatch):
    """Held against the rules of a wheel: each file once in RECORD, with its digest and size, and RECORD without."""
    package = tmp_path / "small_kit"
    for name in ("__init__.py", "sub/a.py", "sub/a.json", "__pycache__/a.pyc", "sub/__pycache__/b.pyc",
                 "small_kit.egg-info/PKG-INFO", "secret.txt"):  # fmt: skip
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(f"# {name}\n" if name != "__init__.py" else "__version__ = '1.2'\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = release.wheel(
        importlib.import_module("small_kit"), {"small_kit/more": b"m"}, lambda file: "secret" not in file.name
    )
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    own = {"small_kit/__init__.py", "small_kit/sub/a.py", "small_kit/sub/a.json", "small_kit/more"}
    info = {f"small_kit-1.2.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD")}
    assert held.keys() == own | info and held["small_kit/sub/a.py"] == b"# sub/a.py\n"
    for line in held["small_kit-1.2.dist-info/RECORD"].decode().splitlines():
        name, digest, size = line.split(",")
        data = held.pop(name)
        if not name.endswith("RECORD"):
            right = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (digest, size) == (f"sha256={right}", str(len(data)))
        else:
            assert digest == size == ""
        if name.endswith("METADATA"):
            assert {"Name: small-kit", "Version: 1.2", "Requires-Dist: numpy"} <= set(data.decode().splitlines())
    assert not held


def test_two_releases_are_the_same_file(pack, checkout, tmp_path):
    run("release", "-o", tmp_path / "b.zip", "--root", checkout)
    assert pack.read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.slow
def test_the_wheels_of_a_release_work_alone(pack, tmp_path):
    with zipfile.ZipFile(pack) as archive:
        archive.extractall(tmp_path / "pack")
    wheels = [str(wheel) for wheel in (tmp_path / "pack").glob("*.whl")]
    code = (
        "from ndcg_course import check, solution\n"
        "print(check('best_first', sorted)); print(solution('best_first', really=True))\n"
        "import ndcg_lib; print(ndcg_lib.__file__)"
    )
    told = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {wheels}\n{code}"],
        capture_output=True, text=True, cwd=tmp_path, check=False, env={"NDCG_PROGRESS": "off"},
    )  # fmt: skip
    assert "it gives something else than what is asked" in told.stdout, told.stderr
    assert "comes without solutions" in told.stdout
    assert any(wheel in told.stdout for wheel in wheels)


# ---- bad input --------------------------------------------------------------------------------


def test_a_new_assignment_builds_and_proves_itself(checkout):
    assert "solutions/12-two-systems.md" in run("new", "12-two-systems", "--root", checkout).stdout
    assert "exists" in refused("new", "12-two-systems", root=checkout)
    assert "exercises/12-two-systems.ipynb" in run("build", "12-two-systems", "--root", checkout).stdout
    verified = run("verify", "12-two-systems", "--root", checkout)
    assert verified.returncode == 0, verified
    assert "two_systems_at" not in tasks()  # of another checkout nothing stays


@pytest.mark.parametrize("name", ["two-systems", "1-two", "12_two", "12-Two", "../12-two", ""])
def test_a_new_assignment_needs_a_name_that_can_be_its_own(checkout, name):
    assert "is no name for an assignment" in refused("new", name, root=checkout)


def test_a_name_stands_once_in_all_assignments(checkout):
    run("new", "12-two-systems", "--root", checkout)
    file = checkout / "solutions/12-two-systems.md"
    file.write_text(file.read_text("utf8").replace("two_systems_at", "cg_at"), "utf8")
    assert "two tasks are called cg_at, in 02-cumulative-gain and 12-two-systems" in refused("build", root=checkout)


def test_an_unknown_assignment():
    assert "Did you mean '05-the-ideal-ranking'" in refused("build", "05-the-ideal-rankin")
    assert "there is no assignment" in refused("verify", "nonsense")


def test_an_unknown_task_or_one_without_data():
    assert "Did you mean 'cg_by_hand'" in refused("data", "--id", "7", "--task", "cg_by_hnd")
    assert "has no data of its own" in refused("data", "--id", "7", "--task", "cg_at")


@pytest.mark.parametrize("bad", ["", "   ", "x" * 300])
def test_a_wrong_id(bad):
    assert "the student id is empty or too long" in refused("data", "--id", bad)


def test_a_folder_that_is_no_checkout(tmp_path):
    assert "there is no folder solutions/" in refused("build", cwd=tmp_path)


@pytest.mark.parametrize("command", ["build", "verify"])
def test_a_missing_source(checkout, command):
    (checkout / "solutions/05-the-ideal-ranking.md").unlink()
    assert "solutions/05-the-ideal-ranking.md: no such file" in refused(command, root=checkout)


def test_a_source_that_is_no_text(checkout):
    (checkout / "solutions/05-the-ideal-ranking.md").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in refused("build", root=checkout)


def test_a_source_with_a_fault_leaves_all_files_alone(checkout):
    text = checkout / "solutions/05-the-ideal-ranking.md"
    text.write_text(text.read_text("utf8").replace("### END SOLUTION", "", 1), "utf8")
    assert "'### END SOLUTION' is missing" in refused("build", root=checkout)


def test_a_source_whose_code_raises(checkout):
    text = checkout / "solutions/02-cumulative-gain.md"
    text.write_text(text.read_text("utf8").replace('student_id = "demo"', "student_id = 1 / 0"), "utf8")
    line = refused("build", root=checkout)
    assert "02-cumulative-gain.md, run unsolved: code cell 1 raises ZeroDivisionError" in line


def test_a_broken_notebook(checkout):
    (checkout / "exercises/05-the-ideal-ranking.ipynb").write_text('{"cells": [', "utf8")
    result = run("verify", "--root", checkout, "05-the-ideal-ranking")
    assert result.returncode == 2
    assert result.stderr.startswith("ndcg: exercises/05-the-ideal-ranking.ipynb is not a notebook")
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_release_does_not_overwrite(checkout, tmp_path):
    kept = tmp_path / "kept.zip"
    kept.write_text("mine", "utf8")
    assert "exists: choose another name, or pass --overwrite" in refused("release", "-o", kept, root=checkout)
    assert kept.read_text("utf8") == "mine"
    assert run("release", "-o", kept, "--overwrite", "--root", checkout).returncode == 0
    assert zipfile.is_zipfile(kept)


def test_a_folder_for_nbgrader(checkout, tmp_path):
    """That its marks are those of `ndcg grade` says tests/peers/beside_nbgrader.py."""
    folder = tmp_path / "course"
    assert run("release", "--nbgrader", folder, "--root", checkout).returncode == 0
    notebook = json.loads((folder / "source/06-ndcg/06-ndcg.ipynb").read_text("utf8"))
    assert any("nbgrader" in cell["metadata"] for cell in notebook["cells"])
    assert "ClearSolutions" in (folder / "nbgrader_config.py").read_text("utf8")
    assert "exists: choose another folder" in refused("release", "--nbgrader", folder, root=checkout)
    assert "either -o ZIP or --nbgrader" in refused("release", root=checkout)


def test_a_release_of_files_that_are_not_up_to_date_is_refused(checkout, tmp_path):
    (checkout / "exercises/05-the-ideal-ranking.ipynb").write_text("{}", "utf8")
    line = refused("release", "-o", tmp_path / "pack.zip", root=checkout)
    assert "nothing was packed: exercises/05-the-ideal-ranking.ipynb differs" in line
    assert not (tmp_path / "pack.zip").exists()


@pytest.mark.parametrize("command", ["build", "verify", "list", "data", "release"])
def test_help_has_an_example(command):
    assert f"Example: ndcg exercises {command}" in run(command, "--help").stdout
