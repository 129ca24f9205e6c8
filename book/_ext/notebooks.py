"""The pages as notebooks that stand alone: Markdown and code that any Jupyter shows and runs, outside of a checkout.

A page is what `ndcg_course.make.pages` has run: its text has numbers, its code cells have outputs. Here each
box of the text becomes Markdown (notebook_page.py). Nothing is run again: an output is that of the page, with its
figures as pictures, so that a notebook that was only opened shows them. nbval runs the notebooks in an environment of
their own and compares (.ci/run).

The modules and data that pages import (trec, search, examples, learning) come along as one package, ndcg_book.

    python -m _ext.notebooks FOLDER      # in book/: the notebooks and their wheels
"""

from __future__ import annotations

import json
import re
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
import yaml
from _ext.notebook_page import HELD, IMPORT, Page

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make import chapters, pages, release
from ndcg_course.make.files import handed_out, zipped

BOOK = Path(__file__).resolve().parents[1]
MADE = re.compile(r"index$|chapters/|notes/")
GUESSED = '''"""What was guessed on a page, beside what the page says."""


def guessed(guess):
    """Say what was guessed, so that it stands above the answer."""
    for name, own in (guess if isinstance(guess, dict) else {"": guess}).items():
        told = "no guess yet. Put one into the cell above, and run both." if own is ... else f"you guessed {own}."
        print(f"{name}: {told}" if name else told)
'''


class Book:
    """Titles of pages and sections by anchor, and the pages that become notebooks, run."""

    def __init__(self, only: tuple[str, ...] = ()) -> None:
        told = course.load()
        self.title, self.site = told.title, told.address
        files = {
            f.relative_to(BOOK).with_suffix("").as_posix(): f for f in BOOK.rglob("*.md") if "_build" not in f.parts
        }
        self.texts = {name: file.read_text("utf8") for name, file in files.items()}
        listed = (BOOK / "_toc.yml").read_text("utf8")
        self.parts = yaml.safe_load(listed)["parts"]
        known = {"index", *re.findall(r"file: (\S+)", listed)}
        self.left_out = chapters.left_out(BOOK.parent)
        self.made = [name for name in self.texts if MADE.match(name) and name in known and name in (only or known)]
        self.runs: dict[str, Any] = {}
        self.titles: dict[str, str] = {}
        self.anchors: dict[str, tuple[str, str]] = {}
        for name, text in self.texts.items():
            if name in self.made:  # a heading may hold a number
                self.runs[name], wrong = pages.run_page(BOOK, text, name)
                if wrong:
                    raise ValueError("\n".join(wrong))
                text = "\n".join(cell.source for cell in self.runs[name].cells if cell.cell_type == "markdown")
            self.titles[name] = next(iter(re.findall(r"^# (.*)", text, re.MULTILINE)), name)
            for labels, heading in re.findall(r"^((?:\([\w-]+\)=\n+)+)(?:#+ (.*))?", text, re.MULTILINE):
                self.anchors |= dict.fromkeys(re.findall(r"\(([\w-]+)\)=", labels), (name, heading or ""))
            self.anchors |= dict.fromkeys(re.findall(r'<span id="([\w-]+)"', text), (name, ""))

    @cached_property
    def exercises(self) -> dict[str, str]:
        """The files of the assignments by the names of their pages."""
        return {re.sub(r"^\d+-", "", f.stem): f.name for f in (BOOK.parent / "exercises").glob("*.ipynb")}

    def notebook(self, name: str, *, alone: bool = False) -> dict[str, Any]:
        """A page as a notebook; alone: its links go to the site, and not to the notebooks beside it."""
        made = Page(self, name, alone).notebook()
        nbformat.validate(made)
        return made


# ---- what comes along ----


def wheels() -> dict[str, bytes]:
    """Both packages of ours as readers and students of this course get them, and the book's data, by file name."""
    told = course.load()
    made = release.wheels(told, solutions=told.solutions)
    info, name = f"ndcg_book-{nd.__version__}.dist-info", f"ndcg_book-{nd.__version__}-py3-none-any.whl"
    from search import sections

    data = [file for file in sorted((BOOK / "data").rglob("*")) if file.is_file()]
    files: dict[str, bytes | str] = {
        f"ndcg_book/{file.relative_to(BOOK).as_posix()}": file.read_bytes() for file in data
    }
    files |= {
        f"ndcg_book/{module}.py": IMPORT.sub(r"\1\2 ndcg_book.\3", (BOOK / f"{module}.py").read_text("utf8"))
        for module in HELD
    }
    files["ndcg_book/data/search/sections.json"] = json.dumps(sections())
    files["ndcg_book/chapters/beyond-one-machine.md"] = (BOOK / "chapters/beyond-one-machine.md").read_bytes()
    needed = "".join(f"Requires-Dist: {name}\n" for name in ("ndcg-lib", "matplotlib>=3.8", "anywidget>=0.9"))
    about = f"Metadata-Version: 2.1\nName: ndcg-book\nVersion: {nd.__version__}\n{needed}"
    files |= {"ndcg_book/__init__.py": GUESSED, f"{info}/METADATA": about, f"{info}/RECORD": ""}
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: ndcg\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return {**made, name: zipped(files)}


def write(folder: Path, *, alone: bool = False, only: tuple[str, ...] = ()) -> list[Path]:
    """The notebooks of all pages, or of these. Returns what was written."""
    book, made = Book(only), []
    for name in book.made:
        file = folder / f"{name}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = nbformat.writes(book.notebook(name, alone=alone), version=4) + "\n"
        file.write_text(handed_out(text, book.site), "utf8")
        made.append(file)
    return made


def put_beside(app: Any, error: Exception | None) -> None:
    """Notebooks of the pages that were built, and the wheels that they and the assignments install, in the site."""
    if error or app.builder.name not in ("html", "dirhtml"):
        return
    out, site = Path(app.outdir), course.load().address
    write(out / "notebooks", alone=True, only=tuple(sorted(app.env.found_docs)))
    (out / "wheels").mkdir(exist_ok=True)
    for name, data in wheels().items():
        (out / "wheels" / name).write_bytes(data)
    for file in out.glob("_downloads/*/*.ipynb"):
        file.write_text(handed_out(file.read_text("utf8"), site), "utf8", newline="\n")


def offer(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is not None and MADE.match(pagename):
        place = f"{'../' * pagename.count('/')}notebooks/{pagename}.ipynb"
        link = f'<a class="download" href="{place}" download>Download this page as a notebook</a>'
        told = f"<p>{link}. It runs in JupyterLab, VS Code or Colab, and installs there what it needs.</p>"
        context["body"] += f'\n<details class="as-notebook"><summary>As a notebook</summary>{told}</details>'


def setup(app: Any) -> dict[str, bool]:
    app.connect("html-page-context", offer)
    app.connect("build-finished", put_beside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    write(target, only=tuple(sys.argv[2:]))
    (target / "wheels").mkdir(exist_ok=True)
    for wheel, content in wheels().items():
        (target / "wheels" / wheel).write_bytes(content)
