"""What a teacher hands out: one zip with the notebooks, the library, the requirements and a page how to begin."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import ModuleType

import ndcg_course
import ndcg_lib
from ndcg_course import course
from ndcg_course.make import proof
from ndcg_course.make.files import handed_out, slug, zipped
from ndcg_course.notebook import SOLUTIONS
from ndcg_course.tasks import assignments

PAGES = "book/_build/html/notebooks/all.zip"  # of the built book
HOW_TO = """\
# {title}: how to begin
{computed}{in_the_browser}
## On your own computer

You need Python 3.11 or later. In a terminal, in this folder:

    python -m venv .venv
    .venv/bin/pip install -r requirements.txt        (Windows: .venv\\Scripts\\pip)
    .venv/bin/jupyter lab                            (Windows: .venv\\Scripts\\jupyter)

Open the notebooks in `notebooks/` in the order of their numbers. VS Code works as well.{pages}

## How it works

1. **Your id.** In the first code cell put your own id in place of "demo". Some tasks have numbers of your own, drawn
   from it: whoever has another id has other numbers.
2. **Answers.** Replace the dots `...`, and keep the names of functions and variables: answers are found by their names.
3. **Checks.** Run the cell with `check("...")` below an answer. At the first wrong try it tells what is right and the
   direction, at the second the place, at the third the idea, with other numbers. You can check as often as you
   like, but a choice earns less at each try, and a prediction counts its first answer: the heading of the task says
   so. Your notebook holds the tries, so hand it in with its outputs. Answers may use Python's own library and
   numpy. No other package, such as pandas or tqdm, is there while they are graded, and neither is `ndcg_lib`; a
   check tells you where you use one.
4. **Hints.** `hint("name")` gives the first of three; run it again for the next. {solutions}
5. **Practice.** `another("name")` draws other numbers for a task of your own data; after three wrong tries they are
   your new ones, and count. With the id "demo" everything works,
   and is not handed in under a name. `ndcg exercises reset name` begins a task anew.
6. **Progress.** `check_all("…")` and `missing("…")` at the end of a notebook check every answer and say what is not
   there yet. `progress()` shows where you stand in all notebooks. The record stays on your computer, in
   {record}
7. **Handing in.** Save the notebook and hand in the `.ipynb` file. Run it once from top to bottom before
   ("Restart Kernel and Run All Cells").

A loop that never ends is stopped within two seconds. A loop inside a function of Python itself, such as
`sum(itertools.count())`, cannot be stopped from outside: if a check says nothing for ten seconds, restart the kernel.
"""
_RECORD = "`~/.local/share/ndcg` (Windows: `%APPDATA%\\ndcg`, macOS: `~/Library/Application Support/ndcg`)."
_READ = """
The pages of the book are notebooks, too: begin with `index.ipynb`; the chapters lie in `chapters/`."""
_COMPUTED = """
The pages of this course compute {}. Each task says itself what a grade is worth in it.
"""
_LIVE = """
## In the browser, without installation

Each assignment is a page of the book, with a place to write and a check for each task. Open it, put your id at the top,
and after the last task save the notebook: that file is the one to hand in.

{pages}
"""
_WITH = '`solution("name")` shows a solution once the task is passed, `solution("name", really=True)` at once.'
_WITHOUT = (
    "Worked solutions are not in this package{where}.\n   What a check compares with is computed on your own"
    " computer, so whoever reads its code finds every right number there,\n   yours included. An assignment therefore"
    " shows you what you can do; it is the exam that shows it to others."
)


def write(root: Path, output: Path, *, with_solutions: bool = False) -> list[str]:
    """Write the zip, whole or not at all. Returns the names of its files."""
    files = contents(root, with_solutions=with_solutions)
    beside = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        beside.write_bytes(zipped(files))
        os.replace(beside, output)
    except OSError as error:
        raise ValueError(f"{output}: {(error.strerror or 'cannot be written').lower()}; nothing was packed") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
    return list(files)


def contents(root: Path, *, with_solutions: bool = False) -> dict[str, bytes]:
    """The files of the zip by name. A notebook that is not as its source makes it is refused."""
    told = course.load(root)
    if with_solutions and not told.solutions:
        raise ValueError("nothing was packed: the course holds no solutions (solutions = false, or NDCG_SOLUTIONS=off)")
    wrong = list(proof.drift(root)) or [line for a in assignments().values() for line in proof.leaks(root, a)]
    if wrong:
        raise ValueError(
            f"nothing was packed: {wrong[0]}" + (f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else "")
        )
    if not (names := told.names([*assignments()])):
        raise ValueError("nothing was packed: no chapter of the units has an assignment; name one in course.toml")
    beside = pages(root)
    how_to = HOW_TO.format(
        title=told.title, in_the_browser=_in_the_browser(root, told, names), record=_RECORD,
        pages=_READ if beside else "",
        computed=_COMPUTED.format(told.convention.definition()) if told.chosen else "",
        solutions=_WITH if with_solutions else _WITHOUT.format(
            where="; the pages of the book show one of a task that is passed" if told.solutions and told.address
            else "; your teacher has them"
        ),
    )  # fmt: skip
    made = wheels(told, solutions=with_solutions) | {n: data for n, data in beside.items() if n.endswith(".whl")}
    needed = [*(f"./{name}" for name in made), "numpy>=1.26", "jupyterlab>=4", ""]
    files = {"HOW-TO.md": how_to.encode(), "requirements.txt": "\n".join(needed).encode(), **made, **beside}
    for name in names:
        given = (root / "exercises" / f"{name}.ipynb").read_text("utf8")
        files[f"notebooks/{name}.ipynb"] = handed_out(given, told.address).encode()
        if with_solutions:
            files[f"solutions/{name}.ipynb"] = (root / "solutions" / f"{name}.ipynb").read_bytes()
    return files


def pages(root: Path) -> dict[str, bytes]:
    """The pages of the built book as notebooks beside `notebooks/`, and their wheel; nothing where it is not built."""
    packed = root / PAGES
    if not packed.is_file():
        return {}
    with zipfile.ZipFile(packed) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if not name.startswith("exercises/")}
    texts = {
        n: data.replace(b"](../exercises/", b"](../notebooks/") for n, data in held.items() if n.endswith(".ipynb")
    }
    return texts | {name: data for name, data in held.items() if name.startswith("ndcg_book-")}


def wheels(told: course.Course, *, solutions: bool) -> dict[str, bytes]:
    """Both packages as students of this course get them, by the names of their files."""
    names = told.names([*assignments()])
    about = {f"ndcg_course/{course.FILE}": course.packed(told, solutions=solutions).encode()}
    return {
        _wheel_name(ndcg_lib): wheel(ndcg_lib),
        _wheel_name(ndcg_course): wheel(ndcg_course, about, lambda file: _is_for_students(file, names, solutions)),
    }


NBGRADER = """\
# Made by `ndcg exercises release --nbgrader`: `nbgrader generate_assignment NAME` in this folder writes release/NAME.
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

c = get_config()  # noqa: F821
# source/ holds what students get. ClearSolutions would take the code that they are to repair, and the names of answers.
steps = GenerateAssignment.class_traits()["preprocessors"].default()
c.GenerateAssignment.preprocessors = [step for step in steps if step is not ClearSolutions]
"""


def write_nbgrader(root: Path, folder: Path, *, overwrite: bool = False) -> list[str]:
    """Write a folder that nbgrader takes as a course. Returns the names of its files."""
    from ndcg_course.make.files import write

    packed = contents(root)
    held = {
        f"source/{Path(name).stem}/{Path(name).name}": data.decode()
        for name, data in packed.items()
        if name.startswith("notebooks/")
    } | {"nbgrader_config.py": NBGRADER}
    there = [name for name in held if (folder / name).exists()]
    if there and not overwrite:
        raise ValueError(f"{folder / there[0]} exists: choose another folder, or pass --overwrite")
    write({folder / name: text for name, text in held.items()})
    return list(held)


def _in_the_browser(root: Path, told: course.Course, names: Sequence[str]) -> str:
    """Where the assignments are pages that need nothing but a browser; "" where the book has no address."""
    if not told.address:
        return ""
    titles = {name: _title(root / "exercises" / f"{name}.ipynb") for name in names}
    pages = [f"- {title}: {told.address}assignments/{slug(name)}.html" for name, title in titles.items()]
    return _LIVE.format(pages="\n".join(pages))


def _title(notebook: Path) -> str:
    first = "".join(json.loads(notebook.read_text("utf8"))["cells"][0]["source"])
    return first.splitlines()[0].removeprefix("# ")


def _is_for_students(file: Path, names: Sequence[str], with_solutions: bool) -> bool:
    """Whether a file of the course goes to students: nothing of assignments that the course does not name."""
    others = [name for name in assignments() if name not in names]
    if file.parent == SOLUTIONS:
        return with_solutions and file.stem not in others
    of_others = {*others, *(slug(name).replace("-", "_") for name in others)}
    return file.stem not in of_others or file.parent.name not in ("tasks", "sealed")


def wheel(
    module: ModuleType, more: Mapping[str, bytes] | None = None, taken: Callable[[Path], bool] = lambda file: True
) -> bytes:
    """A package of ours as a wheel: those of its files that are taken, and more."""
    name, package = module.__name__, Path(str(module.__file__)).parent
    info = f"{name}-{module.__version__}.dist-info"
    files = {
        f"{name}/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.parts[-2].endswith(".egg-info")
        and taken(path)
    } | dict(more or {})  # fmt: skip
    files[f"{info}/METADATA"] = _metadata(module).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: ndcg_course\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return zipped(files)


def _wheel_name(module: ModuleType) -> str:
    return f"{module.__name__}-{module.__version__}-py3-none-any.whl"


def _metadata(module: ModuleType) -> str:
    """What the installed package says about itself; where it only lies in a folder, what pip needs."""
    name = module.__name__.replace("_", "-")
    needed = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {module.__version__}"]
    try:
        about = metadata.metadata(name)
        needed += [
            f"{field}: {about[field]}" for field in ("Summary", "License-Expression", "Requires-Python") if about[field]
        ]
        needed += [f"Requires-Dist: {line}" for line in about.get_all("Requires-Dist") or []]
        needed += [f"Provides-Extra: {line}" for line in about.get_all("Provides-Extra") or []]
    except metadata.PackageNotFoundError:
        needed += ["Requires-Dist: numpy"]
    return "\n".join(needed) + "\n"


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
