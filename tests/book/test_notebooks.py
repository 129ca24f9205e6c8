"""The pages as notebooks: nothing of the site's own syntax is left in them; they run where a reader installs them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from _ext import notebooks
from _ext.notebook_page import Page, asked, right, still
from sweeps import A_QUARTER_NOW

from ndcg_course import course
from ndcg_course.make import pages
from ndcg_lib import plots

ROOT = Path(__file__).resolve().parents[2]
NBVAL = Path(__file__).with_name("nbval.cfg")
RAW = re.compile(
    r"\{[a-z][\w:-]*\}`|^\s*>?\s*:{3,}|<ndcg-|"
    r"^\(\w[\w-]*\)=$|^:[a-z-]+: |\]\([^)]*\.md[)#]|\(no value\)|^\s*>?\s*```\{",
    re.MULTILINE,
)
TEXT = """Some words, {term}`gain`, and {py:func}`ndcg <ndcg_lib.ndcg>` of [](#there).
{here}`Drag *it* <Change [it](#there)>`.

:::{prediction}
:guess: lead = 0 to 1
Which is it?
:::

(there)=
## A heading

:::{guessed}
:truth: 0.25
It is this.
:::

:::{claims} C2 C10
:::

::::{box-that-nobody-knows} one
:option: two
Its **words** stay.
:::{quiz}
What is 1 + 1?

- [ ] 3
  > One too many.
- [x] 2
  > So it is.
:::
::::

```{misconception} list-not-cut
Words.
```

:::{playground}
:grades: 3 0 1
:missed: 2
:measure: dcg
:goal: 3.5
Reach it.
:::

::::{by-hand} one
| 1 | <ndcg-blank right="1.2620000">…</ndcg-blank> | <ndcg-noted>1.26</ndcg-noted> |
| 2 | | <ndcg-noted sealed>0.99</ndcg-noted> |
::::
"""


def made(text: str) -> Page:
    known = {"there": ("chapters/one", "A heading"), "cg-definition": ("chapters/cumulative-gain", "The sum")}
    text = pages.for_a_notebook(text)
    book = SimpleNamespace(
        title="Book", site="", titles={}, anchors=known, made=["chapters/one"], exercises={}, left_out=()
    )
    page = Page(book, "chapters/one", False)
    page.text(text)
    return page


def test_boxes_become_markdown_and_code() -> None:
    cells = made(TEXT).cells
    text = "\n\n".join(cell.source for cell in cells)
    assert not RAW.search(text), RAW.search(text)
    assert "[A heading](#A-heading)" in text and "> Its **words** stay." in text and "____" in text
    assert "**b** is right. So it is." in text or "**a** is right. So it is." in text
    assert "guess = ...  # lead: a number from 0 to 1" in text and "guessed(guess, 0.25)" in text
    assert "\nChange [it](#A-heading).\n" in text and "Drag" not in text
    assert "**C2 ·" in text and "**C10 ·" in text  # each claim is a bet
    assert "<summary>sealed</summary>0.99</details> |" in text and "<ndcg-noted" not in text
    play = next(cell for cell in cells if "nd.play([3, 0, 1]" in cell.source)
    assert 'measure="dcg"' in play.source and "**DCG = 3.500**" in play.outputs[0].data["text/markdown"]
    assert len({cell.id for cell in cells}) == len(cells)


def test_an_edit_in_one_section_leaves_the_ids_of_the_others() -> None:
    before = {cell.id for cell in made(TEXT).cells}
    after = {cell.id for cell in made(TEXT.replace("Some words", ":::{summary}\nNew.\n:::\n\nSome words")).cells}
    assert {name for name in before if "-there-" in name} <= after


def test_a_figure_is_a_picture_with_its_words() -> None:
    chart = plots.bars({"discount": [1, 0.63]}, title="It falls & falls")._repr_html_()
    shown = still(nbformat.v4.new_output("display_data", data={"text/html": chart})).data["text/html"]
    found = re.search(r'<img alt="([^"]+)" width="\d+" src="data:image/svg\+xml;base64,([\w+/=]+)"/></figure>', shown)
    assert found and "0.63" in found[1] and "<svg" not in shown
    drawn = ElementTree.fromstring(b64decode(found[2]))  # a picture is XML, where a page forgives
    assert "background:#fff" in drawn.attrib["style"] and drawn.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_guess_is_compared_with_what_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    held: dict[str, Any] = {}
    exec(notebooks.GUESSED, held)
    held["guessed"](0.5, 0.743)
    held["guessed"]({"first": "A", "second": "B", "third": ..., "fourth": 2}, {"first": "B", "second": "B", "third": 1})
    assert capsys.readouterr().out.splitlines() == [
        "You guessed 0.5, and it is 0.743: 0.243 too little.",
        "first: you guessed A, and it is B.",
        "second: you guessed B, and so it is.",
        "third: no guess yet. Put one into the cell above, and run both.",
        "fourth: you guessed 2.",
    ]
    with pytest.raises(ValueError, match="C is none of the answers"):
        right('...  # "A" or "B"', [""], "C")


def test_a_form_is_the_comment_of_a_cell() -> None:
    assert asked("a = 0 to 1 by 0.1; b = yes, no") == (
        '{\n    "a": ...,  # a number from 0 to 1\n    "b": ...,  # "yes" or "no"\n}'
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The notebooks of all pages, outside of the checkout."""
    return notebooks.write(tmp_path_factory.mktemp("pages"))


@pytest.mark.sweep
def test_no_page_leaves_its_syntax_or_a_dead_link_behind(written: list[Path]) -> None:
    files: dict[Path, Any] = {file: json.loads(file.read_text("utf8")) for file in written}
    heads = {}
    for file, notebook in files.items():
        text = [(cell["id"], "".join(cell["source"])) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
        assert not [(cell, found[0]) for cell, words in text if (found := RAW.search(words))], file
        found = re.findall(r"^#+ (.*)$", "\n\n".join(words for _, words in text), re.MULTILINE)
        heads[file] = {re.sub(r"[$`*]", "", head).strip().replace(" ", "-") for head in found}, text
    for file, (_, text) in heads.items():
        for target in re.findall(r"\]\(([^()\s]+)\)", "\n".join(words for _, words in text)):
            name, _, spot = target.partition("#")
            if "://" in target or "exercises/" in target:
                continue
            there = (file.parent / name).resolve() if name else file
            assert there in heads and (not spot or spot in heads[there][0]), (file, target)


@pytest.mark.parametrize("part", A_QUARTER_NOW)
def test_a_page_runs_and_gives_what_it_shows_where_a_reader_installs_it(written: list[Path], part: slice) -> None:
    """With the site's wheels, from the package index what they ask for, as pinned; nothing of this checkout."""
    pages = written[0].parent
    wheels = {pages / "wheels" / name: data for name, data in notebooks.wheels().items()}
    next(iter(wheels)).parent.mkdir(exist_ok=True)
    for wheel, data in wheels.items():
        wheel.write_bytes(data)
    pinned = (ROOT / "requirements.txt").read_text("utf8")
    pins = re.findall(r"^([\w.-]+)(?:\[.*?\])?(==[^\\\n]+)", pinned, re.MULTILINE)
    (pages / "pins.txt").write_text("\n".join(map("".join, pins)))
    shutil.copy(NBVAL, pages)
    here: dict[str, Any] = {"cwd": pages, "text": True, "capture_output": True}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "reader"], check=True, **here)
    python = str(next(pages.glob("reader/[bS]*/python*")))
    install = ["pip", "--python", python, "install", "-q", "-c", "pins.txt"]
    wanted = [*map(str, wheels), "nbval", "pytest", "ipykernel"]
    done = subprocess.run([sys.executable, "-m", *install, *wanted], check=False, **here)
    assert done.returncode == 0, done.stderr
    nbval = ["--nbval", f"--nbval-sanitize-with={NBVAL.name}", "--nbval-kernel-startup-timeout=600"]
    run = [python, "-m", "pytest", "-q", *nbval, "-p", "no:cacheprovider", *map(str, written[part])]
    done = subprocess.run(run, check=False, **here)
    assert done.returncode == 0, done.stdout[-5000:]


def test_a_door_opens_where_its_maker_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The links of https://colab.research.google.com/github, mybinder.org's form, and nbgitpuller's link generator."""
    where = "https://github.com/you/ndcg/tree/gh-pages"
    told = course.Course(notebooks=(where, "colab", "binder", "https://hub.example.org/"))
    assert notebooks.launched("notebooks/index.ipynb", told) == {
        "Colab": "https://colab.research.google.com/github/you/ndcg/blob/gh-pages/notebooks/index.ipynb",
        "Binder": "https://mybinder.org/v2/gh/you/ndcg/gh-pages?labpath=notebooks%2Findex.ipynb",
        "hub.example.org": "https://hub.example.org/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgithub.com%2Fyou%2Fndcg"
        "&branch=gh-pages&urlpath=lab%2Ftree%2Fndcg%2Fnotebooks%2Findex.ipynb",
    }
    monkeypatch.setattr(course, "load", lambda: told)
    context = {"body": ""}
    notebooks.offer(SimpleNamespace(lite=True), "chapters/ndcg", "", context, object())
    assert re.findall(r'href="([^"]*)"', context["body"])[:2] == [
        "../notebooks/chapters/ndcg.ipynb",
        "../lite/notebooks/index.html?path=chapters/ndcg.ipynb",
    ]
    context = {"body": ""}
    notebooks.offer(SimpleNamespace(), "reference/glossary", "", context, object())
    assert not context["body"], "a page that is no notebook has no menu"
