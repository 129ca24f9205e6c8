"""The assignments themselves: what `ndcg exercises verify` proves, task by task, and in a real kernel."""

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
from ndcg_course.tasks.task import TextTask
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
    for at, system in list(enumerate(systems))[::5]:
        for year, rows in years.items():
            values = nd.evaluate(trec.qrels(year), trec.run(system, year), 10, convention="trec_eval").per_query()
            assert [row[at] for row in rows] == pytest.approx(list(values.values()), abs=0.0005), system


def test_generated_files_are_what_the_sources_make():
    assert list(proof.drift(ROOT)) == []


@pytest.mark.parametrize("name", assignments())
def test_solutions_get_full_points_and_unsolved_exercises_none(name):
    assert list(proof.solved_and_unsolved(ROOT, assignments()[name])) == []


@pytest.mark.parametrize("name", assignments())
def test_no_solution_in_what_students_get(name):
    assert list(proof.leaks(ROOT, assignments()[name])) == []


@pytest.mark.parametrize("name", some_of(list(tasks()), one_in=6))
def test_every_slip_is_rejected_and_named(name):
    results = list(proof.wrong_answers(tasks()[name]))
    assert [result.slip for result in results if not result.rejected] == []
    assert [result.slip for result in results if not result.named] == []


@pytest.mark.parametrize("name", tasks())
def test_right_answers_pass_for_every_id(name):
    assert list(proof.right_answers(tasks()[name])) == []


@pytest.mark.parametrize("name", tasks())
def test_a_task_is_complete(name):
    """Words say what whoever marks looks for; everything else knows at least one mistake by name."""
    task = tasks()[name]
    assert task.look_for if isinstance(task, TextTask) else task.slip_names


@pytest.mark.parametrize("name", tasks())
def test_places_are_places_in_the_book(name):
    task = tasks()[name]
    own = {slip.place for slip in task.slips if slip.place and slip.name not in SLIPS}
    for place in {task.place, *own}:
        page, _, anchor = place.partition("#")
        file = ROOT / "book" / f"{page}.md"
        assert file.is_file(), place
        assert not anchor or anchor in ANCHOR.findall(file.read_text("utf8")), place


@pytest.mark.parametrize("name", assignments())
def test_the_page_is_in_the_book(name):
    contents = (ROOT / "book" / "_toc.yml").read_text("utf8")
    assert f"assignments/{name.split('-', 1)[1]}" in contents


@pytest.mark.parametrize("name", assignments())
def test_solutions_do_not_import_the_library_that_answers(name):
    for cell in read_source(ROOT, name).cells:
        if cell.role == "answer":
            assert "ndcg_lib" not in source.solved_code(cell)


@pytest.mark.parametrize("name", assignments())
def test_nbgrader_finds_answers_and_checks(name):
    notebook = json.loads((ROOT / "exercises" / f"{name}.ipynb").read_text("utf8"))
    marked = [cell["metadata"]["nbgrader"] for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    assert len({about["grade_id"] for about in marked}) == len(marked) == 2 * len(assignments()[name].tasks)
    assert sum(about.get("points", 0) for about in marked) == assignments()[name].points
    assert all(about["schema_version"] == 3 for about in marked)


def test_nbval_catches_a_changed_output_and_a_changed_number(tmp_path):
    notebook = json.loads((ROOT / "solutions" / "02-cumulative-gain.ipynb").read_text("utf8"))
    notebook["cells"] = notebook["cells"][:10]
    own, first = (notebook["cells"][i]["outputs"][0]["data"] for i in (4, 6))
    own["text/plain"] = [line.replace("'k': ", "'k': 1") for line in own["text/plain"]]
    first["text/html"] = [line.replace("2 of 2 points", "2 of 3 points") for line in first["text/html"]]
    file = tmp_path / "changed.ipynb"
    file.write_text(json.dumps(notebook), "utf8")
    patient = "--nbval-kernel-startup-timeout=600"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        patient,
        file,
        "-q",
        "--rootdir",
        tmp_path,
        "-p",
        "no:cacheprovider",
    ]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False).stdout
    assert "2 failed, 5 passed" in told, told
    assert "mismatch 'text/plain'" in told
    assert "2 of 3 points" in told


def test_the_values_of_real_systems_are_those_of_their_runs():
    """The own numbers of "Compare two systems" are what trec_eval and the library give."""
    import trec

    from ndcg_course.tasks.comparing_systems import _values
    from ndcg_lib import evaluate

    systems, years = _values()
    for year, rows in years.items():
        for system, values in zip(systems, zip(*rows, strict=True), strict=True):
            found = evaluate(trec.qrels(year), trec.run(system, year), 10, convention="trec_eval").per_query().values()
            assert list(values) == [round(value, 4) for value in found], (system, year)
