"""Runs the code of a page and puts computed numbers into its text.

A page is a MyST text notebook. Before Sphinx reads it, its code cells run in a Jupyter kernel, and each
``{eval}`expression` `` in the text is replaced by its value, wherever it stands: prose, table, formula, feedback.
``{eval}`x` `` shows a float with 3 decimals; ``{eval}`x:.4f` `` takes a format as in an f-string.

After a sentence that is true of these data alone stands its condition, ``{holds}`nd.ndcg(A) > nd.ndcg(B)` ``. It shows
nothing; where it is false, the build stops with the file, the line and the sentence. A failed `assert` in a cell does
the same. A {blank}, a {noted} or a {sealed} number is a field, or what stands behind one (book/_ext/doing.py).

A page whose header says `convention: course` is computed with the convention of course.toml, all others with that of
the book. There `the_gain` and `gain_of(3)` say in words and numbers what a grade is worth, and a code cell tells in its
option `other-gain` how it is written in a course with another gain.

``{here}`Drag it <Change it>` `` says the first on the page and the second in the notebook that is made of it.

What a page gave is kept under its code and a fingerprint of ndcg_lib, so that a number in the book is never older
than the library, and pages that did not change are not run again. Two pages run at a time.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
import re
import tempfile
import threading
import uuid
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from myst_nb.core.read import read_myst_markdown_notebook  # type: ignore[import-untyped]
from myst_parser.config.main import MdParserConfig
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

import ndcg_course
import ndcg_lib
from ndcg_course import course
from ndcg_course.tasks import worth

LIBRARY, COURSE = (Path(str(package.__file__)).parent for package in (ndcg_lib, ndcg_course))
KEPT = Path("_build") / ".executed"
EVAL = re.compile(r"\{(eval|holds|blank|noted|sealed)\}`([^`]+)`")
HERE = re.compile(r"\{here\}`([^`<]*?) ?<([^`>]*)>`")
READS_PAGES = re.compile(r"^(import search|from ndcg_course\.make\.chapters import .*)$", re.MULTILINE)
COMPUTING = re.compile(r"\{(playground|misconceptions)\}")
SENTENCE = re.compile(r"(?<=[.?!:])[*_)”\"]*\s+(?=\S)")
WITH_FORMAT = re.compile(r"(.+):([<>=+,]*\d*(?:\.\d+)?[defg%])", re.DOTALL)
SYNTAX = MdParserConfig(enable_extensions={"amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"})


def shown(value: Any, form: str = "") -> str:
    """A value as the text shows it: here alone is a number of the book rounded, and nowhere before.

    >>> shown(2 / 3), shown(2 / 3, ".1f"), shown(7)
    ('0.667', '0.7', '7')
    """
    form = form or (".3f" if isinstance(value, float) else "")
    return format(value, form) if form else str(value)


# Defined in the kernel, out of the page's sight.
FORMAT = (
    inspect.getsource(shown).replace('shown(value: Any, form: str = "") -> str', "__text(value, form='')")
    + "def __shown(value, form=''):\n"
    "    import json\n"
    "    print(json.dumps(__text(value, form)))\n"
    "def __holds(condition):\n"
    "    print('true' if condition else 'false')\n"
    "def __field(kind, value):\n"
    "    import json\n"
    "    fields = {\n"
    "        'blank': '<ndcg-blank right=\"{:.7f}\">…</ndcg-blank>',\n"
    "        'noted': '<ndcg-noted>{}</ndcg-noted>',\n"
    "        'sealed': '<ndcg-noted sealed>{}</ndcg-noted>',\n"
    "    }\n"
    "    print(json.dumps(fields[kind].format(value)))\n"
    "def gain_of(grade):\n"
    "    import ndcg_lib\n"
    "    return f'{ndcg_lib.gains([grade])[0]:g}'\n"
)


def run_page(book: Path, text: str, name: str = "") -> tuple[Any, list[str]]:
    """A page of the book in a folder as a notebook that has been run, and what is wrong with it."""
    page = as_notebook(text)
    if not has_code(page):
        return page, []
    page, problems = run(book, page)
    problems.sort(key=lambda problem: not isinstance(problem, False_))  # code may fail because a sentence does not hold
    title = next(iter(re.findall(r"^# .*", text, re.MULTILINE)), "a page without a title")
    return page, [
        f"{_place(text, name or title, problem.source)}: {problem}" if isinstance(problem, False_)
        else f"{name or title}: the code of this page complains:\n{problem}"
        for problem in problems
    ]  # fmt: skip


def for_a_notebook(text: str) -> str:
    """The page with the words for its notebook.

    >>> for_a_notebook("{here}`Drag the card <Change the list>` and look.")
    'Change the list and look.'
    """
    return HERE.sub(r"\2", text)


def as_notebook(text: str) -> Any:
    """The page as a notebook that was not run, with the code of a course that has another gain."""
    page = read_myst_markdown_notebook(HERE.sub(r"\1", text), config=SYNTAX, add_source_map=True)
    for cell in page.cells:
        for plain, other in cell.metadata.pop("other-gain", {}).items():
            if plain not in cell.source:
                raise ValueError(f"other-gain names {plain!r}, which is not in its code cell:\n{cell.source}")
            if not gain_is_grade(page):
                cell.source = cell.source.replace(plain, worth.spelled(other))
    return page


def computes(page: Any) -> bool:
    """Whether a number of the page comes from the library, by its code or by a box that computes."""
    code = "".join(cell.source for cell in page.cells if cell.cell_type == "code")
    return LIBRARY.name in code or bool(COMPUTING.search(_code_of(page)))


def follows(page: Any) -> bool:
    """Whether a page takes the convention of the course."""
    return bool(page.metadata.get("convention") == "course")


def gain_is_grade(page: Any) -> bool:
    """Whether a page takes the gain of the book: it keeps its own convention, or the course has none with another."""
    return not follows(page) or worth.taught() is worth.LINEAR


class False_(str):
    """A problem: a sentence that its data do not bear out; `source` is its condition as the page has it."""

    source = ""

    @classmethod
    def of(cls, source: str, before: str) -> False_:
        """The problem of a condition, with the sentence that stands before it."""
        paragraph = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|>]|\d+\.|:::)\s?)", before)[-1]
        lines = [line for line in paragraph.splitlines() if not line.startswith(":")]  # of a box
        said = " ".join(" ".join(lines).split()).lstrip("-*|> ") or "what stands above it"
        found = cls(f"this is not so with these data: “{SENTENCE.split(said)[-1]}” ({source} fails)."
                    " Change the sentence, or the data")  # fmt: skip
        found.source = source
        return found


def _place(text: str, title: str, source: str) -> str:
    """File and line of a condition."""
    return f"{title}, line {1 + text[: text.find(source)].count(chr(10))}"


def has_code(page: Any) -> bool:
    """Whether anything of a page has to be run."""
    return any(cell.cell_type == "code" or EVAL.search(cell.source) for cell in page.cells)


def run(book: Path, page: Any) -> tuple[Any, list[str]]:
    """The page with outputs and values, from what was kept or from a kernel; and what went wrong."""
    kept = kept_at(book, page)
    problems: list[str] = []
    if kept.exists():
        os.utime(kept)
        return _merge(page, nbformat.read(kept, as_version=4), problems), problems
    work = _with_values_cells(page)
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NDCG_PROGRESS": "off",
        "NDCG_BOOK": "",
    }
    client = NotebookClient(work, timeout=120, kernel_name="python3", extra_arguments=["--log-level=ERROR"],
                            resources={"metadata": {"path": str(book)}}, kernel_manager_class=Kernel)  # fmt: skip
    try:
        client.execute(env=environment)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        told = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        failed = re.search(r"^-+> *\d+ +(assert .+)", told, re.MULTILINE)
        problems.append(False_.of(failed[1], "what a title or a sentence beside it says") if failed else told)
    for cell in work.cells:
        cell.outputs = whole(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                problems.append(output.text)
    merged = _merge(page, work, problems)
    if not problems:
        kept.parent.mkdir(parents=True, exist_ok=True)
        temporary = kept.with_suffix(f".{os.getpid()}")
        nbformat.write(work, temporary)
        temporary.replace(kept)
    return merged, problems


def whole(outputs: list[Any]) -> list[Any]:
    """Outputs in which what was printed in a row is one text, in however many pieces a slow kernel sent it."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


_one_at_a_time = threading.Lock()


@cache
def _folder() -> Any:
    return tempfile.TemporaryDirectory(prefix="kernels-")


def _sockets() -> Any:
    with _one_at_a_time:  # of two that a cache is given at once, one is forgotten, and its folder goes
        return _folder()


def over_files() -> dict[str, str]:
    """How to speak to a kernel without ports: one that was free when it was chosen may be taken when it is used."""
    file = os.path.join(_sockets().name, f"{uuid.uuid4().hex[:12]}.json")
    short = os.name != "nt" and len(file) < 90  # the system takes about a hundred letters
    return {"transport": "ipc", "connection_file": file} if short else {}


class Kernel(AsyncKernelManager):
    """Of a page that is run."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**over_files(), **given)


def standing(page: Any) -> str:
    """The code by which the course's convention stands on a page that follows it."""
    chosen = course.load().chosen if follows(page) else {}
    return f"from ndcg_lib.core import stand\n\nstand(**{dict(chosen)!r})\n" if chosen else ""


def _setup(page: Any) -> str:
    return f"{standing(page)}{FORMAT}the_gain = {(worth.taught() if follows(page) else worth.LINEAR).label!r}\n"


def _with_values_cells(page: Any) -> Any:
    """A copy in which each text cell with {eval} or {holds} is followed by a code cell that computes the values."""
    work = nbformat.v4.new_notebook(metadata=page.metadata)
    work.cells.append(nbformat.v4.new_code_cell(_setup(page), metadata={"page": "setup"}))
    for cell in page.cells:
        if cell.cell_type == "code":
            work.cells.append(nbformat.v4.new_code_cell(cell.source, metadata={"page": "code"}))
        elif expressions := EVAL.findall(cell.source):
            lines = [
                f"__shown({_call(e)})" if kind == "eval" else f"__holds({e})" if kind == "holds"
                else f"__field({kind!r}, {e})" for kind, e in expressions
            ]  # fmt: skip
            work.cells.append(nbformat.v4.new_code_cell("\n".join(lines), metadata={"page": "values"}))
    return work


def _call(expression: str) -> str:
    match = WITH_FORMAT.fullmatch(expression.strip())
    return f"{match[1]}, {match[2]!r}" if match else expression


def _merge(page: Any, work: Any, problems: list[str]) -> Any:
    codes = [c for c in work.cells if c.metadata.get("page") == "code"]
    values = iter([c for c in work.cells if c.metadata.get("page") == "values"])
    for cell, ran in zip((c for c in page.cells if c.cell_type == "code"), codes, strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    for cell in page.cells:
        if cell.cell_type != "code" and EVAL.search(cell.source):
            printed = "".join(output.text for output in next(values).outputs if output.get("name") == "stdout")
            values_here = [json.loads(line) for line in printed.splitlines()]
            cell.source = _filled_in(cell.source, values_here, problems)
    page.metadata["language_info"] = work.metadata.get("language_info", {"name": "python"})
    return page


def _filled_in(text: str, values: list[Any], problems: list[str]) -> str:
    """The text with its values; each sentence whose condition is false becomes a problem."""
    rest, filled, end = iter(values), "", 0
    for match in EVAL.finditer(text):
        filled += text[end : match.start()]
        value, end = next(rest, "(no value)"), match.end()
        if match[1] != "holds":
            filled += value
        else:
            if value is False:
                problems.append(False_.of(match[0], filled))
            filled = filled.rstrip(" ")
    return filled + text[end:]


def _code_of(page: Any) -> str:
    return "\n".join(cell.source for cell in page.cells)


def kept_at(book: Path, page: Any) -> Path:
    """Where the outputs of a page are kept, under the fingerprint of all that they hang on."""
    return book / KEPT / f"{_key(book, page)}.ipynb"


def _key(book: Path, page: Any) -> str:
    text = _code_of(page)
    parts = [fingerprint(book, LIBRARY, *([COURSE] if COURSE.name in text else [])), _setup(page)]
    for cell in page.cells:
        parts += ["code", cell.source] if cell.cell_type == "code" else ["text", *map(str, EVAL.findall(cell.source))]
    if READS_PAGES.search(text):
        parts.append(_sources(book))
    if COURSE.name in text:
        told = course.load(book.parent)
        parts += [*told.units, *told.assignments]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


@cache
def _sources(book: Path) -> str:
    """All pages and their order, which the book's own search engine ranks and the teacher's guide lists."""
    pages = [book / "_toc.yml", *sorted(file for file in book.rglob("*.md") if "_build" not in file.parts)]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in pages)).hexdigest()


@cache
def fingerprint(book: Path, *packages: Path) -> str:
    """Whatever else can change an output: these packages, this file, and the versions below them."""
    parts = [platform.python_version(), *(version(name) for name in ("numpy", "matplotlib"))]
    ours = [file for folder in packages for suffix in ("py", "json") for file in sorted(folder.rglob(f"*.{suffix}"))]
    data = [
        *(book / f"{name}.py" for name in ("examples", "facts", "learning", "trec", "search")),
        *sorted(file for file in (book / "data").rglob("*") if file.is_file()),
    ]
    for file in [Path(__file__), *data, *ours]:
        parts.append(hashlib.sha256(file.read_bytes()).hexdigest())
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()
