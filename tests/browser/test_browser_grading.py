"""A class graded in the browser has the marks of the command, behind a wall that is tried from inside."""

from __future__ import annotations

import base64
import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import class_of
import pytest
from test_browser_engines import Reader, reader
from test_browser_site import AXE

from ndcg_course.grade.run import Options, run

PAGE = "teaching/grade-a-class.html"
__all__ = ["reader"]
PART = """
  const part = (name) => one("script[src*=gradepage]").src.replace(/gradepage[.]mjs.*/, `${name}.mjs`);
"""

# The frame as the page makes it, with such a worker in the place of Python; the smallest module that has a memory.
TRY = (
    PART
    + """
  const { Frame } = await import(part("grade"));
  const heard = [];
  new BroadcastChannel("ndcg").onmessage = ({ data }) => heard.push(data);
  addEventListener("message", ({ data }) => "marks" in data && heard.push("a message to the page"));
  const text = await (await fetch(part("frame"))).text();
  const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 5, 4, 1, 1, 1, 4]).buffer;
  const frame = new Frame(text, { source: SOURCE, wasm, pages: 3, given: {} });
  await frame.ready;
  const { port } = await frame.ask("fork", { many: location.href.replace(/teaching.*/, "") });
  const told = await new Promise((resolve) => (port.onmessage = ({ data }) => resolve(JSON.parse(data))));
  frame.end();
  return { ...told, heard };
"""
)


# WebKit opens a cache for an origin that is none; a student's worker finds it empty, and then has no way to it left.
KNOWN = {"WebKit": ["a shelf"]}


def test_a_worker_that_has_reached_the_browser_gains_nothing(reader: Reader) -> None:
    reader.read(PAGE)
    source = Path(__file__).with_name("wall.mjs").read_text("utf8")
    told = reader.engine.do(TRY.replace("SOURCE", json.dumps(source)))
    asked = [path for path, _ in reader.server.asked if "stolen" in path]
    gained = sorted(set(told["gained"]) - set(KNOWN.get(type(reader.engine).__name__, [])))
    assert (gained, told["heard"], asked, told["origin"]) == ([], [], [], "null"), told


# A class goes the way of the page without its buttons; what a teacher presses is tried below, in Chromium.
GRADE = (
    PART
    + """
  const { Class } = await import(part("grade"));
  const graded = (globalThis.graded = { steps: 0, seen: 0 });
  const all = new Class(() => (graded.steps += 1));
  const work = async () => {
    await all.open();
    for (const [name, text] of Object.entries(FILES)) {
      const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      await all.ask("put", `handed-in/${name}`, data);
    }
    await all.mark({ seed: "a-seed" }, [], async () => {});
    const told = await all.finish({ seed: "a-seed" });
    const made = {};
    for (const name of told.files)
      if (/(csv|jsonl|html)$/.test(name)) made[name] = new TextDecoder().decode(await all.ask("file", name));
    all.close();
    return made;
  };
  work().then((made) => Object.assign(graded, { made }), (error) => Object.assign(graded, { error }));
"""
)
STEP = """
  await until(() => graded.made || graded.error || graded.steps > graded.seen);
  if (graded.error) throw graded.error;
  graded.seen = graded.steps;
  return graded.made;
"""
SHORT = [
    "Solved 02", "A wrong one, called by the next", "No end in a function", "Forges", "The bridge is asked for",
    "Broken", "Numpy",
]  # fmt: skip


def results(text: str) -> dict[str, Any]:
    """What decides a mark and what a student is told, by student."""
    found = {}
    for line in text.splitlines():
        one = json.loads(line)
        told = {
            name: [mark[key] for key in ("status", "points", "slips", "sentences")]
            for name, mark in one.get("tasks", {}).items()
        }
        found[one["student"]] = [one["status"], one["reason"], one.get("points"), told]
    return found


def the_same(reader: Reader, files: dict[str, bytes], place: Path, output: Path) -> None:
    reader.read(PAGE)
    coded = {name: base64.b64encode(data).decode() for name, data in files.items()}
    reader.engine.do(GRADE.replace("FILES", json.dumps(coded)))
    while (made := reader.engine.do(STEP)) is None:
        pass  # one more notebook, or its name
    run(Options(place, output, seed="a-seed", forms=("canvas", "moodle")))
    kept = [file for kind in ("csv", "jsonl", "html") for file in output.rglob(f"*.{kind}")]
    here = {file.relative_to(output).as_posix(): file.read_bytes().decode() for file in kept}
    assert results(made["results.jsonl"]) == results(here["results.jsonl"])
    rows = [list(csv.DictReader(io.StringIO(text))) for text in (made["grades.csv"], here["grades.csv"])]
    for row in (*rows[0], *rows[1]):
        row.pop("late", None)  # of a folder, by the times of its files
    assert rows[0] == rows[1]
    assert {name for name in made if "feedback" in name} == {
        name for name in here if "feedback" in name and name.endswith("html")
    }


@pytest.mark.weekly
def test_a_class_has_the_marks_of_the_command(reader: Reader, tmp_path: Path) -> None:
    people = {name: one for name, one in class_of.handed_in().items() if name in SHORT}
    assert len(people) == len(SHORT)
    class_of.as_zip(tmp_path / "moodle.zip", people, canvas=False)
    the_same(reader, {"moodle.zip": (tmp_path / "moodle.zip").read_bytes()}, tmp_path / "moodle.zip", tmp_path / "out")


@pytest.mark.weekly
@pytest.mark.parametrize("layout", [0, 1, 2], ids=["folders", "Moodle", "Canvas"])
def test_sixty_with_odd_and_hostile_notebooks_have_the_marks_of_the_command(
    layout: int, reader: Reader, tmp_path: Path
) -> None:
    if type(reader.engine).__name__ != "Chromium":
        pytest.skip("of sixty in one engine, and of the others the short form")
    people = dict(list(class_of.handed_in().items())[layout::3])
    if layout:
        class_of.as_zip(place := tmp_path / "class.zip", people, canvas=layout == 2)
        files = {"class.zip": place.read_bytes()}
    else:
        class_of.as_folders(place := tmp_path / "in", people)
        files = {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.is_file()}
    the_same(reader, files, place, tmp_path / "out")


def grade(page: Any, words: str) -> None:
    """Press Grade with the keyboard, and wait until the page says this."""
    page.get_by_role("button", name="Grade", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_function("(words) => document.querySelector('.grade-status').textContent.match(words)", arg=words)


def opened(page: Any, book: str) -> None:
    page.goto(book + PAGE)
    page.wait_for_selector(".grade-status", state="attached")


@pytest.mark.weekly
def test_a_teacher_closes_the_tab_goes_on_marks_by_hand_and_takes_all_of_it(
    live: Any, book: str, tmp_path: Path
) -> None:
    people = {
        name: one
        for name, one in class_of.handed_in().items()
        if name in ("Solved 02", "No end in a function", "Broken")
    }
    class_of.as_zip(tmp_path / "moodle.zip", people, canvas=False)
    page, context = live.page, live.page.context
    opened(page, book)
    page.locator("ndcg-grade input").first.set_input_files(tmp_path / "moodle.zip")
    page.evaluate(AXE)
    assert (
        page.evaluate("async () => (await axe.run(document.querySelector('ndcg-grade'))).violations.map((x) => x.id)")
        == []
    )
    grade(page, "[12] of 3 marked")
    other = context.new_page()
    opened(other, book)
    assert "open in another tab" in other.locator("ndcg-grade").inner_text()
    other.close()
    page.close()
    page = context.new_page()
    opened(page, book)
    page.wait_for_function(
        "() => /A class is kept on this device, [12] result/.test(document.querySelector('.grade-status').textContent)"
    )
    grade(page, "3 students marked")
    view = page.frame_locator(".grade-view")
    view.get_by_role("link", name="Solved 02").click()
    view.get_by_text("A person still reads part of it").wait_for()
    page.evaluate(AXE)
    assert (
        page.evaluate("async () => (await axe.run(document.querySelector('ndcg-grade'))).violations.map((x) => x.id)")
        == []
    )
    page.get_by_role("button", name="To mark by hand").click()
    view.locator(".mark").first.fill("1")
    view.get_by_role("button", name="Save the list of marks").click()
    page.wait_for_function(
        "() => /3 students marked\\.(?! The answers)/.test(document.querySelector('.grade-status').textContent)"
    )
    with page.expect_download() as saved:
        page.get_by_role("button", name="All of it (zip)").click()
    with zipfile.ZipFile(saved.value.path()) as archive:
        made = {name.removeprefix("marks/"): archive.read(name) for name in archive.namelist()}
    assert {"grades.csv", "exports/canvas.csv", "exports/moodle-feedback.zip"} <= made.keys()
    (tmp_path / "marks.csv").write_bytes(made["to-mark.csv"])
    seed = json.loads(made["run.json"])["settings"]["seed"]
    run(
        Options(
            tmp_path / "moodle.zip",
            tmp_path / "out",
            seed=seed,
            marks=(tmp_path / "marks.csv",),
            forms=("canvas", "moodle"),
        )
    )
    rows = [
        list(csv.DictReader(io.StringIO(text)))
        for text in (made["grades.csv"].decode(), (tmp_path / "out/grades.csv").read_text("utf8"))
    ]
    assert [{**row, "seal": ""} for row in rows[0]] == [{**row, "seal": ""} for row in rows[1]]
    assert {row["by hand"] for row in rows[0]} == {"", "1"}
    page.get_by_role("button", name="Remove what is kept here").click()
    page.wait_for_function(
        "() => /Nothing of the class is kept/.test(document.querySelector('.grade-status').textContent)"
    )
    opened(page, book)
    page.wait_for_selector("ndcg-grade[data-ready]")
    assert page.locator(".grade-files li").count() == 0 and page.locator(".grade-status").inner_text() == ""
