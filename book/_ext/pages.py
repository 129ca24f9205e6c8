"""Runs the code of a page and puts computed numbers into its text.

A page is a MyST text notebook. Before Sphinx reads it, its code cells run in a Jupyter kernel, and each
``{eval}`expression` `` in the text is replaced by its value, wherever it stands: prose, table, formula, feedback.
``{eval}`x` `` shows a float with 3 decimals; ``{eval}`x:.4f` `` takes a format as in an f-string.

What a page gave is kept under its code and a fingerprint of ndcg_lib, so that a number in the book is never older
than the library, and pages that did not change are not run again. Two pages run at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from sphinx.util import logging

BOOK = Path(__file__).resolve().parents[1]
KEPT = BOOK / "_build" / ".executed"
PACKAGES = [BOOK.parent / "ndcg_lib", BOOK.parent / "ndcg_course"]
EVAL = re.compile(r"\{eval\}`([^`]+)`")
WITH_FORMAT = re.compile(r"(.+):([<>=+,]*\d*(?:\.\d+)?[defg%])", re.DOTALL)
SYNTAX = MdParserConfig(enable_extensions={"amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"})
# Defined in the kernel, out of the page's sight: a value as the text shows it.
FORMAT = (
    "def __shown(value, form=None):\n"
    "    import json\n"
    "    form = form or ('.3f' if isinstance(value, float) else '')\n"
    "    print(json.dumps(format(value, form) if form else str(value)))\n"
)

logger = logging.getLogger(__name__)


def read_page(text: str) -> Any:
    """The page as a notebook that has been run (what `nb_custom_formats` asks for)."""
    page = read_myst_markdown_notebook(text, config=SYNTAX, add_source_map=True)
    if not _has_code(page):
        return page
    page, problems = _run(page)
    title = next(iter(re.findall(r"^# .*", text, re.MULTILINE)), "a page without a title")
    for problem in problems:
        logger.warning("%s: the code of this page complains:\n%s", title, problem, type="pages", subtype="run")
    return page


def _has_code(page: Any) -> bool:
    return any(cell.cell_type == "code" or EVAL.search(cell.source) for cell in page.cells)


def _run(page: Any) -> tuple[Any, list[str]]:
    """The page with outputs and values, from what was kept or from a kernel; and what went wrong."""
    kept = KEPT / f"{_key(page)}.ipynb"
    problems: list[str] = []
    if kept.exists():
        os.utime(kept)
        return _merge(page, nbformat.read(kept, as_version=4)), problems
    work = _with_values_cells(page)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NDCG_PROGRESS": "off"}
    client = NotebookClient(work, timeout=120, kernel_name="python3", extra_arguments=["--log-level=ERROR"],
                            resources={"metadata": {"path": str(BOOK)}})  # fmt: skip
    try:
        client.execute(env=environment)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        problems.append(re.sub(r"\x1b\[[0-9;]*m", "", str(error)))
    for cell in work.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                problems.append(output.text)
    if not problems:
        KEPT.mkdir(parents=True, exist_ok=True)
        temporary = kept.with_suffix(f".{os.getpid()}")
        nbformat.write(work, temporary)
        temporary.replace(kept)
    return _merge(page, work), problems


def _with_values_cells(page: Any) -> Any:
    """A copy in which each text cell with {eval} is followed by a code cell that computes the values."""
    work = nbformat.v4.new_notebook(metadata=page.metadata)
    work.cells.append(nbformat.v4.new_code_cell(FORMAT, metadata={"page": "setup"}))
    for cell in page.cells:
        if cell.cell_type == "code":
            work.cells.append(nbformat.v4.new_code_cell(cell.source, metadata={"page": "code"}))
        elif expressions := EVAL.findall(cell.source):
            lines = [f"__shown({_call(expression)})" for expression in expressions]
            work.cells.append(nbformat.v4.new_code_cell("\n".join(lines), metadata={"page": "values"}))
    return work


def _call(expression: str) -> str:
    match = WITH_FORMAT.fullmatch(expression.strip())
    return f"{match[1]}, {match[2]!r}" if match else expression


def _merge(page: Any, work: Any) -> Any:
    codes = [c for c in work.cells if c.metadata.get("page") == "code"]
    values = iter([c for c in work.cells if c.metadata.get("page") == "values"])
    for cell, ran in zip((c for c in page.cells if c.cell_type == "code"), codes, strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    for cell in page.cells:
        if cell.cell_type != "code" and EVAL.search(cell.source):
            printed = "".join(output.text for output in next(values).outputs if output.get("name") == "stdout")
            cell.source = _filled_in(cell.source, [json.loads(line) for line in printed.splitlines()])
    page.metadata["language_info"] = work.metadata.get("language_info", {"name": "python"})
    return page


def _filled_in(text: str, values: list[str]) -> str:
    rest = iter(values)
    return EVAL.sub(lambda match: next(rest, "(no value)"), text)


def _key(page: Any) -> str:
    parts = [_fingerprint()]
    for cell in page.cells:
        parts += ["code", cell.source] if cell.cell_type == "code" else ["text", *EVAL.findall(cell.source)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


@cache
def _fingerprint() -> str:
    """Whatever else can change an output: the library, this file, and the versions below them."""
    parts = [platform.python_version(), *(version(name) for name in ("numpy", "matplotlib"))]
    ours = [file for folder in PACKAGES for suffix in ("py", "json") for file in sorted(folder.rglob(f"*.{suffix}"))]
    for file in [Path(__file__), BOOK / "examples.py", BOOK / "data" / "examples.json", *ours]:
        parts.append(hashlib.sha256(file.read_bytes()).hexdigest())
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _outdated(app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """All pages are read again when the library is not the one that they were read with."""
    before, env.ndcg_fingerprint = getattr(env, "ndcg_fingerprint", None), _fingerprint()
    return [] if before == env.ndcg_fingerprint else sorted(env.found_docs)


def _run_two_at_a_time(app: Any, env: Any, docnames: list[str]) -> None:
    pages = [read_myst_markdown_notebook(Path(env.doc2path(name)).read_text("utf8"), config=SYNTAX)
             for name in docnames if env.doc2path(name).endswith(".md")]  # fmt: skip
    todo = [page for page in pages if _has_code(page) and not (KEPT / f"{_key(page)}.ipynb").exists()]
    if todo:
        logger.info("running %s page(s), two at a time", len(todo))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(_run, todo))


def _read_again_after_warnings(app: Any, error: Exception | None) -> None:
    """Sphinx would not repeat a warning about a page that did not change, and call the next build a success."""
    if error or app._warncount:
        (Path(app.doctreedir) / "environment.pickle").unlink(missing_ok=True)


def _forget_old(app: Any, error: Exception | None) -> None:
    """Keep the newest 200 results, so that the folder does not grow for ever."""
    for file in sorted(KEPT.glob("*.ipynb"), key=lambda f: f.stat().st_mtime)[:-200]:
        file.unlink(missing_ok=True)


def setup(app: Any) -> dict[str, bool]:
    app.connect("env-get-outdated", _outdated)
    app.connect("env-before-read-docs", _run_two_at_a_time)
    app.connect("build-finished", _read_again_after_warnings)
    app.connect("build-finished", _forget_old)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
