"""nbgrader's points beside those of `ndcg grade`: solved, wrong, broken, renamed, untouched and part-right hand-ins.

    peers/bin/python -m pytest --noconftest -o addopts= tests/peers/beside_nbgrader.py

The weekly workflow does so in the environment of requirements.txt.
"""

from __future__ import annotations

import csv
import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from nbgrader.api import Gradebook  # noqa: E402
from nbgrader.apps.api import NbGraderAPI  # noqa: E402
from traitlets.config import PyFileConfigLoader  # noqa: E402
from wrong_answers import cells  # noqa: E402

from ndcg_course.grade.run import Options, run  # noqa: E402
from ndcg_course.make import release  # noqa: E402
from ndcg_course.tasks import assignments  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of nbgrader's database
ONE = "02-cumulative-gain"
WRONG = [cell for name in ("cells_wrong.txt", "fresh_wrong.txt") for cell in cells.read(name)]
HOW = ("solved", "wrong", "broken", "renamed", "untouched")
# Of these each is one hand-in whole; the others answer each task in a way that is drawn.
WHOLE = [(ONE, how) for how in HOW]


def answers(name: str, folder: str) -> dict[str, str]:
    """The code of the answer cells by grade_id."""
    content = json.loads((ROOT / folder / f"{name}.ipynb").read_text("utf8"))
    marked = [cell for cell in content["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")]
    return {cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"]) for cell in marked}


def answered(text: str, name: str, how: str, draw: random.Random) -> str:
    """A student's release with its answers given in this way, or each in a drawn one."""
    notebook, solved = json.loads(text), answers(name, "solutions")
    for cell in notebook["cells"]:
        place = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if place not in solved:
            continue
        task, way = place.removeprefix("answer_"), how if how != "drawn" else draw.choice(HOW)
        known = [one.code for one in WRONG if one.task == task]
        if way == "wrong" and known:
            cell["source"] = draw.choice(known)
        elif way == "wrong":
            cell["source"] = f"{task} = -1"
        elif way != "untouched":
            cell["source"] = solved[place] + ("\n)" if way == "broken" else "")
        if way == "renamed":
            cell["source"] = re.sub(rf"\b{task}\b", f"my_{task}", cell["source"])
    return json.dumps(notebook)


@pytest.fixture(scope="module")
def course(tmp_path_factory: Any) -> Any:
    """A course of nbgrader as the kit releases it, with a class that has handed in, graded by both."""
    top = tmp_path_factory.mktemp("course")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
    os.environ["PYTHONPATH"] = str(ROOT)
    release.write_nbgrader(ROOT, top)
    draw, before = random.Random(27), Path.cwd()
    os.chdir(top)
    try:
        api = NbGraderAPI(config=PyFileConfigLoader("nbgrader_config.py", path=str(top)).load_config())
        told = {}
        for name in assignments():
            assert api.generate_assignment(name)["success"], name
            text = (top / "release" / name / f"{name}.ipynb").read_text("utf8")
            for how in [one for assignment, one in WHOLE if assignment == name] + ["drawn"]:
                student = f"{name[:2]}-{how}"
                for file in (top / "submitted" / student / name, top / "in" / name / student):
                    file.mkdir(parents=True)
                handed_in = answered(text, name, how, draw)
                (top / "submitted" / student / name / f"{name}.ipynb").write_text(handed_in, "utf8")
                (top / "in" / name / student / f"{name}.ipynb").write_text(handed_in, "utf8")
                done = api.autograde(name, student, create=True)
                assert done["success"], done["log"]
                told[student] = done["log"]
        yield top, told
    finally:
        os.chdir(before)


def given_by_nbgrader(top: Path, name: str, student: str) -> float:
    with Gradebook(f"sqlite:///{top}/gradebook.db") as book:
        grades = [grade for one in book.find_submission(name, student).notebooks for grade in one.grades]
        return sum(grade.auto_score for grade in grades if grade.auto_score is not None)


def test_both_give_the_same(course: Any) -> None:
    top, told = course
    differ, seen, parts = {}, {}, []
    for name, assignment in assignments().items():
        run(Options(top / "in" / name, top / "out" / name, seed="1", assignment=name))
        with (top / "out" / name / "grades.csv").open(encoding="utf8", newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        for student, row in rows.items():
            points = {task.name: float(row[task.name] or 0) for task in assignment.tasks if not task.by_hand}
            parts += [task.name for task in assignment.tasks if 0 < points.get(task.name, 0) < task.points]
            seen[student] = theirs, ours = given_by_nbgrader(top, name, student), sum(points.values())
            differ |= {student: seen[student]} if theirs != ours else {}
    assert len(seen) == len(told) and not differ, (differ, seen)
    machine = sum(task.points for task in assignments()[ONE].tasks if not task.by_hand)
    assert seen["02-solved"][0] == machine and parts, parts  # some of the wrong ones have a part of the points
    assert seen["02-broken"][0] == seen["02-renamed"][0] == seen["02-untouched"][0] == 0


def test_nbgrader_has_nothing_to_warn_of(course: Any) -> None:
    warned = [line for log in course[1].values() for line in log.splitlines() if "WARNING" in line or "float" in line]
    assert warned == []
