"""What is shipped marks as the checkout does: the two wheels in a clean environment, and Gradescope's folder."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from grade.test_grading_judge import students
from grade.test_grading_meant import solved
from grade.test_grading_rules import KINDS, on_gradescope
from hostile.course import NAME, ROOT, notebook

from ndcg_course.grade import gradescope
from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.run import Options, run

pytestmark = [
    pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}"),
    pytest.mark.sweep,
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The grader of the two wheels, as a command: by the bare Python, to which this checkout is unknown."""
    place = tmp_path_factory.mktemp("installed")
    packed = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (place / "kit").mkdir(exist_ok=True)
        shutil.copy(ROOT / name, place / "kit" / name)
    for name in ("ndcg_lib", "ndcg_course", "exercises"):
        shutil.copytree(ROOT / name, place / "kit" / name, ignore=packed)
    for package in (place / "kit", place / "kit/ndcg_course"):
        how = ["install", "-q", "--no-deps", "--no-build-isolation", "--target", place / "site", package]
        done = subprocess.run([sys.executable, "-m", "pip", *how], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no wheel can be built here: {done.stderr[-200:]}")
    bare = Path(sys.base_prefix) / "bin/python3"
    code = "import sys; from ndcg_lib.commands.cli import main; sys.exit(main())"
    folders = [place / "site", Path(numpy.__file__).parents[1]]

    def grade(*arguments, cwd=place):
        own = {**os.environ, "PYTHONPATH": ":".join(map(str, folders))}
        command = [bare if bare.is_file() else sys.executable, "-c", code, "grade", *arguments]
        done = subprocess.run(list(map(str, command)), cwd=cwd, env=own, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return done

    return grade


def a_class():
    """Sixty-four who answer in eight ways, a copy of the published solution, and three who changed nothing."""
    texts = {f"Student {i:02}": KINDS[[*KINDS][i % len(KINDS)]][0] for i in range(64)}
    untouched = (ROOT / f"exercises/{NAME}.ipynb").read_text("utf8")
    return texts | {"copy": notebook(*solved(NAME)), **{f"untouched {i}": untouched for i in range(3)}}


@pytest.mark.parametrize("assignment", [NAME, "06-ndcg"])
def test_the_installed_packages_mark_a_class_as_the_checkout_does(assignment, installed, tmp_path):
    drawn = solved(assignment)
    texts = a_class() if assignment == NAME else {f"s{i}": notebook(*drawn[: 3 + i]) for i in range(len(drawn) - 2)}
    place = students(tmp_path / "in", texts)
    forms = ("canvas", "moodle", "nbgrader")
    run(Options(place, tmp_path / "here", seed="s", assignment=assignment, forms=forms))
    installed(place, "-o", tmp_path / "there", "--seed", "s", "--assignment", assignment, "--export", "all")
    made = {
        name: {
            str(file.relative_to(tmp_path / name)): file.read_bytes()
            for file in sorted((tmp_path / name).rglob("*"))
            if file.is_file() and file.name not in (".lock", "run.json")
        }
        for name in ("here", "there")
    }
    assert made["here"] == made["there"] and len(made["here"]) > len(texts) + 4
    alike = list(csv.DictReader((tmp_path / "there/alike.csv").open(encoding="utf8", newline="")))
    assert not [row for row in alike if "untouched" in row["one"] + row["other"]]
    if assignment == NAME:
        assert "nearly the published solution" in (tmp_path / "there/summary.html").read_text("utf8")
        assert "The same for any list" in made["there"]["feedback/copy.html"].decode()


def test_gradescope_s_folder_marks_each_of_a_class_as_the_checkout_does(tmp_path):
    for number, (kind, (text, total)) in enumerate(KINDS.items()):
        place = tmp_path / str(number)
        place.mkdir()
        told = on_gradescope(place, ("homework.ipynb", text))
        assert told["score"] == float(total or 0), kind
        seed = gradescope.drawn_from("seed", [text.encode()])
        run(Options(place / "submission", place / "here", seed=seed, assignment=NAME, ids="notebook"))
        for page in ("feedback/homework.html", "grades.csv", "results.jsonl"):
            assert (place / "here" / page).read_bytes() == (place / "marks" / page).read_bytes(), (kind, page)
        marks = json.loads((place / "here/results.jsonl").read_text("utf8")).get("tasks", {})
        assert [(test["number"], test["score"]) for test in told["tests"]] == [
            (n, m["points"]) for n, m in marks.items()
        ]
