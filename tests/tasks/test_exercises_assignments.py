"""The assignments themselves: what `ndcg exercises verify` proves, task by task, and in a real kernel."""

import functools
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sweeps import some_of

import ndcg_lib as nd
from ndcg_course.make import proof, source
from ndcg_course.make.files import read_source
from ndcg_course.tasks import assignments, comparing_systems, judging, tasks
from ndcg_course.tasks.task import FunctionTask, TextTask
from ndcg_lib.slips import SLIPS

ROOT = Path(__file__).parents[2]
import trec  # noqa: E402

ANCHOR = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)


def test_the_lists_and_grades_that_are_drawn_are_those_of_the_real_runs():
    people, model = (nd.read_qrels(trec.qrels(f"rag25-{judge}")) for judge in ("a", "umbrela"))
    counts = [[0] * 5 for _ in range(5)]
    for query, grades in people.items():
        for document, grade in grades.items():
            counts[int(grade)][int(model[query][document])] += 1
    assert counts == judging.PEOPLE_AND_MODEL
    lists = set()
    for year, system in itertools.product(
        ("dl19", "dl20"), ("tasb", "ada2", "repllama", "splade", "tasb-vicuna", "ada2-vicuna")
    ):
        judged, found = nd.read_qrels(trec.qrels(year)), nd.read_run(trec.run(system, year))
        for query, grades in judged.items():
            first = sorted(found[query].items(), key=lambda one: (one[1], one[0]), reverse=True)[:10]
            lists.add("".join(f"{grades[d]:.0f}" if d in grades else "-" for d, _ in first))
    assert lists >= set(judging.LISTS) and len(set(judging.LISTS)) == len(judging.LISTS)
    systems, years = comparing_systems._values()
    for year, rows in years.items():
        for system, values in zip(systems, zip(*rows, strict=True), strict=True):
            found = nd.evaluate(trec.qrels(year), trec.run(system, year), 10, convention="trec_eval").per_query()
            assert list(values) == [round(value, 4) for value in found.values()], (system, year)


def test_generated_files_are_what_the_sources_make():
    assert list(proof.drift(ROOT)) == []


@pytest.mark.parametrize("name", assignments())
def test_solutions_get_full_points_and_unsolved_exercises_none(name):
    assert list(proof.solved_and_unsolved(ROOT, assignments()[name])) == []


def test_no_solution_in_what_students_get():
    assert [problem for one in assignments().values() for problem in proof.leaks(ROOT, one)] == []


SLIPPED = [name for name, task in tasks().items() if not isinstance(task, TextTask)]


@pytest.mark.parametrize("name", some_of(SLIPPED, one_in=12))
def test_every_slip_is_rejected_and_named(name):
    task = tasks()[name]
    results = list(proof.wrong_answers(task))
    assert [result.slip for result in results if not result.rejected] == []
    assert [result.slip for result in results if not result.named] == []
    known = (
        {slip.name for slip in task.slips} if isinstance(task, FunctionTask) else {result.slip for result in results}
    )
    assert known & {result.slip for result in results}, "at least one mistake is known by name"


def test_right_answers_pass_for_every_id_and_words_say_what_whoever_marks_looks_for():
    assert [problem for task in tasks().values() for problem in proof.right_answers(task)] == []
    assert [task.name for task in tasks().values() if isinstance(task, TextTask) and not task.look_for] == []


def test_places_are_places_in_the_book():
    anchors = functools.cache(lambda file: ANCHOR.findall(file.read_text("utf8")))
    for task in tasks().values():
        for place in {task.place, *(slip.place for slip in task.slips if slip.place and slip.name not in SLIPS)}:
            page, _, anchor = place.partition("#")
            file = ROOT / "book" / f"{page}.md"
            assert file.is_file() and (not anchor or anchor in anchors(file)), (task.name, place)


def test_the_pages_are_in_the_book():
    contents = (ROOT / "book" / "_toc.yml").read_text("utf8")
    assert [name for name in assignments() if f"assignments/{name.split('-', 1)[1]}" not in contents] == []


def test_solutions_do_not_import_the_library_that_answers():
    for name in assignments():
        for cell in read_source(ROOT, name).cells:
            assert cell.role != "answer" or "ndcg_lib" not in source.solved_code(cell), (name, cell.task)


def test_nbgrader_finds_answers_and_checks():
    for name, assignment in assignments().items():
        notebook = json.loads((ROOT / "exercises" / f"{name}.ipynb").read_text("utf8"))
        marked = [cell["metadata"]["nbgrader"] for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
        assert len({about["grade_id"] for about in marked}) == len(marked) == 2 * len(assignment.tasks), name
        assert sum(about.get("points", 0) for about in marked) == assignment.points, name
        assert all(about["schema_version"] == 3 for about in marked), name


@pytest.mark.sweep
def test_nbval_catches_a_changed_output_and_a_changed_number(tmp_path):
    notebook = json.loads((ROOT / "solutions" / "02-cumulative-gain.ipynb").read_text("utf8"))
    notebook["cells"] = notebook["cells"][:10]
    own, first = (notebook["cells"][i]["outputs"][0]["data"] for i in (4, 6))
    own["text/plain"] = [line.replace("'k': ", "'k': 1") for line in own["text/plain"]]
    first["text/html"] = [line.replace("2 of 2 points", "2 of 3 points") for line in first["text/html"]]
    file = tmp_path / "changed.ipynb"
    file.write_text(json.dumps(notebook), "utf8")
    patient = "--nbval-kernel-startup-timeout=600"
    command = [sys.executable, "-m", "pytest", "--nbval", patient, file, "-q", "--rootdir", tmp_path]
    command += ["-p", "no:cacheprovider"]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False).stdout
    assert "2 failed, 5 passed" in told, told
    assert "mismatch 'text/plain'" in told
    assert "2 of 3 points" in told
