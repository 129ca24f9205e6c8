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
from urllib.parse import urlencode, urlsplit

import nbformat
import yaml
from _ext import lite
from _ext.notebook_page import HELD, IMPORT, Page

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make import chapters, pages, release
from ndcg_course.make.files import handed_out, slug, zipped
from ndcg_lib.grid import tag

BOOK = Path(__file__).resolve().parents[1]
EXERCISES = BOOK.parent / "exercises"
MADE = re.compile(r"index$|chapters/|notes/")
GUESSED = '''"""What was guessed on a page, beside what the page says."""


def guessed(guess, truth=None):
    """Say what was guessed, and how far it is from what is true."""
    for name, own in (guess if isinstance(guess, dict) else {"": guess}).items():
        right = truth.get(name) if isinstance(truth, dict) else truth
        told = f"you guessed {own}"
        if own is ...:
            told = "no guess yet. Put one into the cell above, and run both"
        elif own == right:
            told += ", and so it is"
        elif right is not None:
            told += f", and it is {right}"
            if isinstance(own, (int, float)) and isinstance(right, (int, float)):
                told += f": {abs(own - right):.3g} too {'much' if own > right else 'little'}"
        print(f"{name}: {told}." if name else f"{told[:1].upper()}{told[1:]}.")
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
                self.runs[name], wrong = pages.run_page(BOOK, pages.for_a_notebook(text), name)
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
        files = [f for f in EXERCISES.glob("*.ipynb") if course.load().names([f.stem])]
        return {slug(file.stem): file.name for file in files}

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
    return {**made, f"ndcg_book-{nd.__version__}-py3-none-any.whl": book_wheel()}


def book_wheel(needed: tuple[str, ...] = ("ndcg-lib", "matplotlib>=3.8", "anywidget>=0.9")) -> bytes:
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
    for page in ("chapters/beyond-one-machine.md", "handbook.md"):  # what cells of pages read
        files[f"ndcg_book/{page}"] = (BOOK / page).read_bytes()
    info = f"ndcg_book-{nd.__version__}.dist-info"
    about = f"Metadata-Version: 2.1\nName: ndcg-book\nVersion: {nd.__version__}\n"
    about += "".join(f"Requires-Dist: {name}\n" for name in needed)
    files |= {"ndcg_book/__init__.py": GUESSED, f"{info}/METADATA": about, f"{info}/RECORD": ""}
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: ndcg\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return zipped(files)


def write(folder: Path, *, alone: bool = False, book: Book | None = None) -> list[Path]:
    """The notebooks of a book's pages. Returns what was written."""
    book, made = book or Book(), []
    for name in book.made:
        file = folder / f"{name}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(written(book.notebook(name, alone=alone), book.site), "utf8")
        made.append(file)
    return made


def written(notebook: Any, site: str) -> str:
    return handed_out(nbformat.writes(notebook, version=4) + "\n", site)


def put_beside(app: Any, error: Exception | None) -> None:
    """Notebooks of the pages that were built, and the wheels that they and the assignments install, in the site."""
    if error or app.builder.name not in ("html", "dirhtml"):
        return
    out, book, given = Path(app.outdir), Book(tuple(sorted(app.env.found_docs))), wheels()
    write(out / "notebooks", alone=True, book=book)
    near = {f"{name}.ipynb": book.notebook(name) for name in book.made}
    tasks = {file: (EXERCISES / file).read_text("utf8") for file in sorted(book.exercises.values())}
    texts = {name: written(notebook, book.site) for name, notebook in near.items()}
    texts |= {f"exercises/{file}": handed_out(text, book.site) for file, text in tasks.items()}
    binder = "".join(f"./wheels/{name}\n" for name in given) + "jupyterlab>=4\n"
    files: dict[str, bytes | str] = {f"wheels/{name}": data for name, data in given.items()}
    files |= {"notebooks/all.zip": zipped({**texts, **given}), "binder/requirements.txt": binder}
    files |= {f"notebooks/{name}": text for name, text in texts.items() if name.startswith("exercises/")}
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data.encode() if isinstance(data, str) else data)
    if getattr(app, "lite", False):
        lite.add_notebooks(out / "lite", near, {file: json.loads(text) for file, text in tasks.items()})
    for download in out.glob("_downloads/*/*.ipynb"):
        download.write_text(handed_out(download.read_text("utf8"), book.site), "utf8", newline="\n")


# ---- the menu ----


def launched(place: str, told: course.Course) -> dict[str, str]:
    """What opens a notebook of the published site, by its name: links as Colab, Binder and nbgitpuller document them.

    >>> told = course.Course(notebooks=("https://github.com/you/ndcg/tree/gh-pages", "colab"))
    >>> launched("notebooks/index.ipynb", told)
    {'Colab': 'https://colab.research.google.com/github/you/ndcg/blob/gh-pages/notebooks/index.ipynb'}
    """
    where, *doors = told.notebooks or ("",)
    links = {}
    for door in doors:
        owner, name, _, branch = where.removeprefix("https://github.com/").split("/")
        if door == "colab":
            links["Colab"] = f"https://colab.research.google.com/github/{owner}/{name}/blob/{branch}/{place}"
        elif door == "binder":
            links["Binder"] = f"https://mybinder.org/v2/gh/{owner}/{name}/{branch}?{urlencode({'labpath': place})}"
        else:
            pulled = {"repo": where.partition("/tree/")[0], "branch": branch, "urlpath": f"lab/tree/{name}/{place}"}
            links[urlsplit(door).netloc] = f"{door.rstrip('/')}/hub/user-redirect/git-pull?{urlencode(pulled)}"
    return links


def offer(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Below a page, one small menu: its notebook to download, here, and where the course file says."""
    folder, _, name = pagename.rpartition("/")
    told = course.load()
    given = (f for f in EXERCISES.glob(f"*-{name}.ipynb") if folder == "assignments" and told.names([f.stem]))
    file = next((one for one in given if slug(one.stem) == name), None)
    if doctree is None or not (file or MADE.match(pagename)):
        return
    place, up = f"exercises/{file.name}" if file else f"{pagename}.ipynb", "../" * pagename.count("/")
    here = f"{up}lite/notebooks/index.html?path={file.name if file else place}"
    links = {"Download": f"{up}notebooks/{place}"} | ({"In this browser": here} if getattr(app, "lite", False) else {})
    links |= launched(f"notebooks/{place}", told)
    links |= {"All pages and assignments (zip)": f"{up}notebooks/all.zip"}
    items = [
        tag("li", tag("a", words, href=link, download="" if link.startswith(f"{up}notebooks/") else None))
        for words, link in links.items()
    ]
    context["body"] += tag("details", tag("summary", "As a notebook"), tag("ul", items), class_="as-notebook")


def setup(app: Any) -> dict[str, bool]:
    app.connect("html-page-context", offer)
    app.connect("build-finished", put_beside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    target = Path(sys.argv[1])
    write(target, book=Book(tuple(sys.argv[2:])))
    (target / "wheels").mkdir(exist_ok=True)
    for wheel, content in wheels().items():
        (target / "wheels" / wheel).write_bytes(content)
