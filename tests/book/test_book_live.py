"""Live cells as far as no browser is needed: which pages have them, and what the build does to get their Python."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from _ext import lite, pycell, runtime

from ndcg_course.make.files import slug
from ndcg_course.tasks import assignments

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"


def pages(folder: str) -> list[str]:
    found = sorted(file.relative_to(BOOK).as_posix() for file in (BOOK / folder).glob("*.md"))
    assert len(found) >= 10
    return found


def test_a_chapter_has_a_live_cell_that_is_worth_a_change() -> None:
    """A cell with a number or a text in it can be tried with another."""
    for page in pages("chapters"):
        codes = [cell["code"] for cell in pycell._cells(str(BOOK / page)) if not cell["hidden"]]
        bare = [re.sub(r"^(import|from) .*|#.*", "", code, flags=re.M) for code in codes]
        assert any(re.search(r"\d|[\"']", code) for code in bare), page


def test_the_page_of_an_assignment_has_the_cells_of_its_notebook() -> None:
    for page in pages("assignments"):
        shown = [cell["code"] for cell in pycell._cells(str(BOOK / page)) if not cell["hidden"]]
        link = re.search(r"exercises/([\w-]+\.ipynb)>", (BOOK / page).read_text("utf8"))
        notebook = json.loads((ROOT / "exercises" / link[1]).read_text("utf8"))
        install, *codes = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert shown == codes and "ModuleNotFoundError" in install, page


def test_cells_that_the_build_does_not_run_stand_in_their_place(tmp_path: Path) -> None:
    head = "---\njupytext:\n  text_representation:\n    format_name: myst\nkernelspec:\n  name: python3\n---\n"
    cells = ["{code-cell} python\na", "{pycell}\nb\n\nc", "{code-cell} python\n:tags: [remove-input]\nd", "{pycell}\ne"]
    text = "\n".join(f"Words.\n\n```{cell}\n```\n" for cell in cells)
    (tmp_path / "page.md").write_text(f"{head}# One\n\n{text}", "utf8")
    found = [(cell["code"], cell["hidden"]) for cell in pycell._cells(str(tmp_path / "page.md"))]
    assert found == [("a", False), ("b\n\nc", False), ("d", True), ("e", False)]


@pytest.mark.parametrize("pins", [runtime.pins()["files"], json.loads(lite.PINS.read_text("utf8"))])
def test_every_file_is_pinned(pins: dict[str, str]) -> None:
    assert len(pins) > 10
    assert all(re.fullmatch(r"[\da-f]{64}", pin) for pin in pins.values())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NDCG_CACHE", str(tmp_path))
    monkeypatch.delenv("NDCG_LIVE", raising=False)
    return tmp_path


HELLO = {"hello.txt": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}  # sha256 of "hello"


def test_what_was_fetched_is_used_again_and_a_damaged_file_is_not(cache: Path) -> None:
    fetched = []

    def fill(folder: Path) -> None:
        fetched.append(folder)
        (folder / "hello.txt").write_text("hello")

    for _ in range(2):
        kept = runtime.from_cache("name", HELLO, fill)
    assert (kept / "hello.txt").read_text() == "hello" and len(fetched) == 1
    (kept / "hello.txt").write_text("hallo")
    assert (runtime.from_cache("name", HELLO, fill) / "hello.txt").read_text() == "hello"
    assert len(fetched) == 2


def test_other_bytes_than_the_pinned_ones_are_refused(cache: Path) -> None:
    with pytest.raises(runtime.Missing, match="not the pinned one"):
        runtime.from_cache("name", HELLO, lambda folder: (folder / "hello.txt").write_text("hullo"))
    assert list(cache.iterdir()) == [], "nothing of it is kept"


def test_no_network_and_other_wheels_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"NO_INDEX": "1", "FIND_LINKS": str(tmp_path), "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(runtime.Missing, match="tiny==1 cannot be fetched"):
        runtime.fetch({"tiny==1": "0" * 64}, tmp_path)
    (tmp_path / "tiny-1-py3-none-any.whl").write_bytes(wheel("tiny"))
    with pytest.raises(runtime.Missing, match="tiny==1 is not the pinned file"):
        runtime.fetch({"tiny==1": "0" * 64}, tmp_path / "there")


def test_a_packed_file_is_the_plain_one_and_one_that_broke_off_is_made_anew(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"hello" * 1000)
    for there in (None, b"", b"other", gzip.compress(b"old"), gzip.compress(plain.read_bytes())[:-9]):
        if there is not None:
            packed.write_bytes(there)
        runtime.pack(plain, packed)
        assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert packed.stat().st_size < 100


def wheel(name: str, *needs: str) -> bytes:
    data = io.BytesIO()
    about = "\n".join(
        [f"Metadata-Version: 2.1\nName: {name}\nVersion: 1", *(f"Requires-Dist: {need}" for need in needs)]
    )
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(f"{name}-1.dist-info/METADATA", about + "\n")
        archive.writestr(f"{name}-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{name}/__init__.py", "")
    return data.getvalue()


def test_a_lock_names_what_a_wheel_needs_in_the_browser() -> None:
    needs = ["Some_Thing>=2", 'pexpect; sys_platform != "emscripten"', 'extra-thing; extra == "more"']
    entry = lite.lock_entry("tiny-1-py3-none-any.whl", wheel("tiny", *needs))
    assert (entry["name"], entry["imports"], entry["depends"]) == ("tiny", ["tiny"], ["some-thing"])


def add_link(page: str, *, there: bool) -> str:
    context = {
        "body": '<p><a class="reference download internal" href="../x/02-a.ipynb">Download</a> to work on it.</p>'
    }
    lite.add_link(SimpleNamespace(lite=there), page, "", context, None)
    return context["body"]


def test_an_assignment_is_offered_as_a_notebook_where_there_is_jupyterlite() -> None:
    assert '<a class="open-notebook" href="../lite/notebooks/index.html?path=02-a.ipynb">' in add_link(
        "assignments/a", there=True
    )
    assert "lite" not in add_link("assignments/a", there=False)
    assert "lite" not in add_link("chapters/a", there=True)


def test_without_live_cells_the_build_says_so_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NDCG_LIVE", "off")
    runtime.runtime.cache_clear()
    said: list[str] = []
    for module in (pycell, lite):
        monkeypatch.setattr(module.logger, "info", lambda text, *values: said.append(text % values))
    for left in ("_static/pyodide/pyodide.mjs", "lite/index.html"):  # of an earlier build
        (tmp_path / left).parent.mkdir(parents=True)
        (tmp_path / left).touch()
    app: Any = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html", name="html"), config=None)
    pycell.prepare(app)
    lite.prepare(app)
    assert said == ["live cells: left out, the code stays as it is: NDCG_LIVE=off was asked for"]
    assert not app.live_folder and not app.lite
    assert not (tmp_path / "lite").exists() and not (tmp_path / "_static" / "pyodide").exists()


def test_a_page_can_fetch_the_data_of_the_chapters(tmp_path: Path) -> None:
    """What a first import brings into the browser is what lies beside the pages, and the lock names it."""
    packed = [runtime.data_wheel(package, tmp_path) for package in runtime.DATA]
    assert [runtime.data_wheel(package, tmp_path) for package in runtime.DATA] == packed
    assert sorted(tmp_path.iterdir()) == sorted(packed)
    for wheel in packed:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(tmp_path / "site")
    for file in [
        BOOK / "trec.py",
        BOOK / "search.py",
        BOOK / "learning.py",
        BOOK / "facts.py",
        *BOOK.glob("data/trec/*.gz"),
    ]:
        assert (tmp_path / "site" / file.relative_to(BOOK)).read_bytes() == file.read_bytes()
    official = {"packages": {name: {"depends": []} for name in runtime.WANTED}}
    ours = [tmp_path / "ndcg_lib-1-a.whl", tmp_path / "ndcg_course-1-a.whl"]
    for file in ours:
        file.touch()
    lock = runtime.lock_for(official, [*ours, *packed])
    for package, wheel in zip(runtime.DATA, packed, strict=True):
        assert lock["packages"][package]["imports"] == [package]
        assert lock["packages"][package]["file_name"] == wheel.name


@pytest.mark.sweep
def test_without_solutions_the_wheels_of_the_site_hold_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from solved import solutions_in

    monkeypatch.setenv("NDCG_SOLUTIONS", "off")
    monkeypatch.setenv("NDCG_SITE", "https://example.org/ndcg")
    held = {}
    for package in runtime.PACKAGES:
        with zipfile.ZipFile(runtime.own_wheel(package, tmp_path)) as wheel:
            held |= {name: wheel.read(name).decode("utf8", "replace") for name in wheel.namelist()}
    assert solutions_in(held) == []
    assert 'address = "https://example.org/ndcg/"' in held["ndcg_course/course.toml"]
    monkeypatch.setenv("NDCG_SOLUTIONS", "on")
    with zipfile.ZipFile(runtime.own_wheel("ndcg_course", tmp_path)) as wheel:
        assert "ndcg_course/solutions/05-the-ideal-ranking.json" in wheel.namelist()


def rewritten(notebook: dict, tool: str) -> dict:
    """A student's notebook as another tool writes it."""
    if tool == "Colab":  # the id goes into the metadata
        for cell in notebook["cells"]:
            cell["metadata"]["id"] = cell.pop("id")
    elif tool == "nbstripout":
        for number, cell in enumerate(notebook["cells"]):
            cell["id"] = str(number)
    else:  # jupytext's light scripts keep no metadata; and the student has put a helper first
        for number, cell in enumerate(notebook["cells"]):
            cell.update(id=f"new{number}", metadata={})
            cell["source"] = "".join(cell["source"]).replace("def ", "half = 0.5\ndef ", 1)
    return notebook


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize("tool", ["none", "Colab", "nbstripout", "jupytext"])
def test_a_notebook_that_another_tool_has_written_is_opened_and_saved_letter_by_letter(
    tool: str, tmp_path: Path
) -> None:
    asked = []
    for name in assignments():
        made = pycell.workplace(f"assignments/{slug(name)}")
        saved = json.loads((ROOT / f"solutions/{name}.ipynb").read_text("utf8"))
        other = rewritten(json.loads(json.dumps(saved)), tool) if tool != "none" else saved
        asked.append({"made": made, "saved": json.dumps(other)})
    (tmp_path / "asked.json").write_text(json.dumps(asked), "utf8")
    program = f"""import {{ notebookOf, readNotebook }} from {json.dumps((BOOK / "_live/answers.mjs").as_uri())};
    import {{ readFileSync }} from "node:fs";
    const asked = JSON.parse(readFileSync(process.argv[2], "utf8"));
    const refused = [[0, 1], [1, 0]].map(([one, other]) => {{
      try {{ return readNotebook(asked[one].saved, asked[other].made); }} catch ({{ message }}) {{ return message; }}
    }});
    const all = asked.map(({{ made, saved }}) => {{
      const {{ answers, extras, student }} = readNotebook(saved, made);
      return JSON.parse(notebookOf(made, (task) => ({{ text: null, ...answers.get(task) }}), student, extras));
    }});
    console.log(JSON.stringify([refused, all]));"""
    (tmp_path / "ask.mjs").write_text(program, "utf8")
    done = subprocess.run(
        ["node", tmp_path / "ask.mjs", tmp_path / "asked.json"], capture_output=True, encoding="utf8", check=True
    )
    refused, found = json.loads(done.stdout)
    assert tool == "jupytext" or refused == ["This is the notebook of another assignment."] * 2
    for name, again in zip(assignments(), found, strict=True):
        wanted = {
            cell["id"]: "".join(cell["source"])
            for cell in json.loads((ROOT / f"solutions/{name}.ipynb").read_text("utf8"))["cells"]
        }
        codes = {cell["id"]: "".join(cell["source"]) for cell in again["cells"]}
        answers = [identity for identity in wanted if identity.startswith("answer-")]
        changed = [identity for identity in answers if codes[identity] != wanted[identity]]
        if tool == "jupytext":  # whose student has put a helper into the cells
            changed = [one for one in changed if codes[one].replace("half = 0.5\n", "") != wanted[one]]
        assert not changed, (name, changed)
