"""Makes all files from the sources: student notebooks, solved notebooks, pages of the book, the table of solutions."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ndcg_course import __version__, course
from ndcg_course.explain.record import record
from ndcg_course.make import source
from ndcg_course.make.source import Cell, Source, SourceError
from ndcg_course.tasks import nearest, read_from, refuse_one_name_twice
from ndcg_course.tasks.task import Assignment, Task, TextTask
from ndcg_course.tasks.worth import spelled

SOLUTIONS = "ndcg_course/solutions"
SEALED = "ndcg_course/sealed"
TASKS = "ndcg_course/tasks"  # what an installed copy knows of the sources
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
INSTALL = """\
# Installs the kit where it is missing, and does nothing where it is there.
try:
    import ndcg_course
except ModuleNotFoundError:
    import os

    site = ""
    kit = [f"../{name}" for name in sorted(os.listdir("..")) if name.startswith("ndcg_") and name.endswith(".whl")]
    if os.path.exists("../ndcg_course/pyproject.toml"):
        kit = ["..[cli]", "../ndcg_course"]
    elif site and not kit:
        kit = [f"{site}wheels/{name}-VERSION-py3-none-any.whl" for name in ("ndcg_lib", "ndcg_course")]
    if not kit:
        told = "The kit is not installed here. Open this notebook with `python3 kit.py lab`, or in the folder"
        raise ModuleNotFoundError(f"{told} `notebooks` of the pack that your teacher hands out.") from None
    get_ipython().run_line_magic("pip", "install -q " + " ".join(kit))""".replace("VERSION", __version__)
FOLDED: dict[str, Any] = {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
OWN_RECORD = "nbval-ignore-output"  # the last cell shows the reader's record of all assignments, no fixed output


def root_from(start: Path) -> Path:
    """The checkout that a folder lies in.

    >>> root_from(Path("/"))
    Traceback (most recent call last):
    ...
    ValueError: there is no folder solutions/ here or above: run this in a checkout of the book, or pass --root
    """
    for folder in (start, *start.parents):
        if (folder / "solutions").is_dir() and (folder / "pyproject.toml").is_file():
            return folder
    raise ValueError("there is no folder solutions/ here or above: run this in a checkout of the book, or pass --root")


def source_names(root: Path) -> list[str]:
    """The names of all assignments; one of which only what was made of it is left is named too, and then missed."""
    return sorted({file.stem for file in [*(root / "solutions").glob("[0-9]*.md"), *(root / TASKS).glob("*.json")]})


def read_source(root: Path, name: str) -> Source:
    """The text notebook of an assignment."""
    file = root / "solutions" / f"{name}.md"
    try:
        text = file.read_text("utf8")
    except FileNotFoundError:
        if name in source_names(root):
            raise SourceError(f"solutions/{name}.md: no such file, and {TASKS}/{name}.json is made from it") from None
        raise SourceError(f"there is no assignment {name!r}{nearest(name, source_names(root))}") from None
    except OSError as error:
        raise SourceError(f"solutions/{name}.md: {(error.strerror or 'cannot be read').lower()}") from None
    except UnicodeDecodeError:
        raise SourceError(f"solutions/{name}.md: this is not UTF-8 text") from None
    found = source.read(name, spelled(text))
    found.check()
    taught = course.load(root)
    return source.as_given(found, taught.given(name), taught.tries)


@contextmanager
def sources(root: Path, only: Sequence[str] = ()) -> Iterator[dict[str, Source]]:
    """The sources by name; until the end of it, the tasks are those that they describe."""
    texts = {name: read_source(root, name) for name in only or source_names(root)}
    with read_from({name: facts(text) for name, text in texts.items()}):
        refuse_one_name_twice()
        yield texts


def begin(root: Path, name: str) -> Path:
    """Write the source of a new assignment, with a task of each of the two usual kinds, to be changed."""
    if not re.fullmatch(r"\d\d(-[a-z0-9]+)+", name):
        raise ValueError(f"{name!r} is no name for an assignment: two digits and words, as in 12-comparing-systems")
    file = root / "solutions" / f"{name}.md"
    if file.exists():
        raise ValueError(f"solutions/{name}.md exists: choose another name, or change that file")
    words = slug(name)
    text = Path(__file__).with_name("skeleton.md").read_text("utf8").replace("NAME", name)
    text = text.replace("TITLE", words.replace("-", " ").capitalize()).replace("TASK", words.replace("-", "_"))
    write({file: text})
    return file


def facts(text: Source) -> dict[str, dict[str, Any]]:
    """By task, what is known about it, and the code that a repair begins with."""
    starters = {cell.task: source.starter_code(cell) for cell in text.cells if cell.role == "answer"}
    return {task: known | ({"starter": starters[task]} if starters[task] else {}) for task, known in text.facts.items()}


def write(texts: Mapping[Path, str]) -> list[Path]:
    """Write what differs, each file whole or not at all. Returns what was written."""
    changed = [path for path, text in texts.items() if not path.is_file() or path.read_text("utf8") != text]
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in changed}
    try:
        for path, beside in temporary.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(texts[path], "utf8", newline="\n")
        for path, beside in temporary.items():
            os.replace(beside, path)
    except OSError as error:
        raise ValueError(f"{path}: {(error.strerror or 'cannot be written').lower()}") from None
    finally:
        for beside in temporary.values():
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    return changed


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    """A zip that is the same for the same files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def slug(name: str) -> str:
    """The name of an assignment's page: without its number, so that links survive a new one.

    >>> slug("05-the-ideal-ranking")
    'the-ideal-ranking'
    """
    return re.sub(r"^\d+-", "", name)


def notebook(text: Source, assignment: Assignment, *, solved: bool) -> dict[str, Any]:
    """The notebook as JSON: the solved one with the outputs of a run from top to bottom, a student's without any.

    What a student reads below a cell was computed for that student.
    """
    tasks = {task.name: task for task in assignment.tasks}
    cells: list[dict[str, Any]] = []
    counted: Counter[str] = Counter()
    for cell in text.cells:
        if cell.role != "text" and all(made["cell_type"] == "markdown" for made in cells):
            cells.append(_cell("code", INSTALL, "install", FOLDED))
        identity = _id(cell, counted)
        if cell.role == "text":
            cells.append(_cell("markdown", source.text_of(cell, assignment), identity, {}))
            continue
        code = cell.text
        if cell.role == "answer":
            task = tasks[cell.task]
            code = source.solved_code(cell, markers=True) if solved else source.student_code(cell, task)
        metadata: dict[str, Any] = (
            {"nbgrader": _nbgrader(cell, tasks)} if cell.task in tasks and cell.role in ("answer", "check") else {}
        )
        tags = list(cell.tags) + ([OWN_RECORD] if re.search(r"\b(progress|recall)\(", code) else [])
        tags += ["parameters"] * code.endswith('student_id = "demo"')  # papermill puts its own below
        cells.append(_cell("code", code, identity, metadata | ({"tags": tags} if tags else {})))
    coded = [cell for cell in cells if cell["cell_type"] == "code"]
    try:
        outputs = run_fresh(["".join(cell["source"]) for cell in coded])
    except CellError as error:
        which = "with its solutions" if solved else "unsolved"
        told = f"code cell {error.index} raises {type(error.__cause__).__name__}: {error.__cause__}"  # after the first
        raise SourceError(f"solutions/{assignment.name}.md, run {which}: {told}") from None
    for number, (made, out) in enumerate(zip(coded, outputs, strict=True) if solved else (), start=1):
        made["outputs"], made["execution_count"] = out, number
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def run_fresh(codes: Sequence[str], variables: dict[str, Any] | None = None) -> list[list[dict[str, Any]]]:
    """Run cells as on a machine where nothing was done before, and leave the own record alone."""
    with _no_record():
        return run(codes, variables)


@contextmanager
def _no_record() -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in ("NDCG_PROGRESS", "NDCG_BOOK", "NBGRADER_EXECUTION")}
    os.environ["NDCG_PROGRESS"] = "off"
    os.environ["NDCG_BOOK"] = ""  # what is committed knows no address
    os.environ.pop("NBGRADER_EXECUTION", None)
    record.forget()
    try:
        yield
    finally:
        record.forget()
        for name, value in kept.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def page(text: Source, assignment: Assignment) -> str:
    """The page of the book: the student's notebook as text, with links into the book."""
    note = f"% Made from solutions/{assignment.name}.md by: ndcg exercises build. Change that file, not this one."
    download = f"{{download}}`Download the notebook <../../exercises/{assignment.name}.ipynb>`"
    parts = [text.header, note]
    tasks = {task.name: task for task in assignment.tasks}
    for cell in text.cells:
        if cell.role == "text":
            parts.append(source.text_of(cell, assignment, for_book=True))
        else:
            code = source.student_code(cell, tasks[cell.task]) if cell.role == "answer" else cell.text
            parts.append(f"```{{code-cell}} python\n{code}\n```")
        if cell is text.cells[0]:
            parts.append(f"{download} to work on it in Jupyter.")
    return "\n\n".join(parts) + "\n"


def handed_out(notebook: str, address: str) -> str:
    """The text of a student's notebook that finds the kit where the book is published."""
    return notebook.replace('"    site = \\"\\"\\n"', json.dumps(f'    site = "{address}"\n'), 1)


def _cell(kind: str, text: str, identity: str, metadata: dict[str, Any]) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": identity, "metadata": metadata, "source": text.splitlines(True)}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def _id(cell: Cell, counted: Counter[str]) -> str:
    """By the task that a cell belongs to, so that a paragraph more renames no cell of another task."""
    named = f"{cell.role}-{cell.task or 'start'}".replace("_", "-")[:60]
    counted[named] += 1
    return named if counted[named] == 1 else f"{named}-{counted[named]}"


def _nbgrader(cell: Cell, tasks: Mapping[str, Task]) -> dict[str, Any]:
    """What nbgrader needs to know about an answer cell or a check."""
    task = tasks[cell.task]
    by_hand = isinstance(task, TextTask)
    answer = cell.role == "answer"
    graded = answer if by_hand else not answer
    about: dict[str, Any] = {
        "grade": graded,
        "grade_id": f"{cell.role}_{task.name}",
        "locked": not answer,
        "schema_version": 3,
        "solution": answer,
        "task": False,
    }
    return about | ({"points": task.points} if graded else {})


def as_json(content: Mapping[str, Any]) -> str:
    """A notebook, or another of the generated files, as it is written."""
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


class CellError(Exception):
    """A cell raised; `index` is its place among the code cells."""

    def __init__(self, index: int, error: BaseException):
        super().__init__(f"code cell {index + 1} raises {type(error).__name__}: {error}")
        self.index = index


def run(codes: Sequence[str], names: dict[str, Any] | None = None) -> list[list[dict[str, Any]]]:
    """The outputs of each cell, in the notebook format.

    >>> run(["x = 2", "print(x); x + 1"])[1][1]["data"]
    {'text/plain': ['3']}
    """
    names = {"__name__": "__main__"} if names is None else names
    return [_run_cell(code, names, i) for i, code in enumerate(codes)]


def _run_cell(code: str, names: dict[str, Any], index: int) -> list[dict[str, Any]]:
    printed = io.StringIO()
    value: Any = None
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        file = f"<cell {index + 1}>"
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, file, "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), file, "eval"), names)
    except Exception as error:
        raise CellError(index, error) from error
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None and not code.rstrip().endswith(";"):
        data = {"text/plain": _pretty(value).splitlines(True)}
        if (html := getattr(value, "_repr_html_", None)) is not None:
            data = {"text/html": html().splitlines(True)} | data
        outputs.append({"data": data, "execution_count": index + 1, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _pretty(value: Any) -> str:
    """As IPython writes it."""
    try:
        from IPython.lib.pretty import pretty
    except ImportError:
        return repr(value)
    return str(pretty(value))  # type: ignore[no-untyped-call, unused-ignore]
