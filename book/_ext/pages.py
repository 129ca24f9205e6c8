"""Runs the code of the pages before Sphinx reads them, two at a time: `ndcg_course.make.pages` says how."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from sphinx.util import logging

from ndcg_course.make import pages

BOOK = Path(__file__).resolve().parents[1]

logger = logging.getLogger(__name__)
_files: dict[str, str] = {}  # the names of pages by their text, for messages


def read_page(text: str) -> Any:
    """The page as a notebook that has been run (what `nb_custom_formats` asks for)."""
    page, wrong = pages.run_page(BOOK, text, _files.get(text, ""))
    for line in wrong:
        logger.warning(line, type="pages", subtype="run")
    return page


def _outdated(app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """All pages are read again when the library is another one, those that read the others when any page is."""
    before = getattr(env, "ndcg_fingerprint", None)
    env.ndcg_fingerprint = pages.fingerprint(BOOK, pages.LIBRARY, pages.COURSE)
    if before != env.ndcg_fingerprint:
        return sorted(env.found_docs)
    files = {name: Path(env.doc2path(name)) for name in env.found_docs} if added or changed or removed else {}
    texts = {name: file.read_text("utf8") for name, file in files.items() if file.suffix == ".md"}
    return [name for name, text in texts.items() if pages.READS_PAGES.search(text)]


def _run_two_at_a_time(app: Any, env: Any, docnames: list[str]) -> None:
    files = {name: Path(env.doc2path(name)) for name in docnames if env.doc2path(name).endswith(".md")}
    _files.update({file.read_text("utf8"): f"{name}.md" for name, file in files.items()})
    every = [pages.as_notebook(file.read_text("utf8")) for file in files.values()]
    todo = [page for page in every if pages.has_code(page) and not pages.kept_at(BOOK, page).exists()]
    if todo:
        logger.info("running %s page(s), two at a time", len(todo))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(partial(pages.run, BOOK), todo))


def _read_again_after_warnings(app: Any, error: Exception | None) -> None:
    """Sphinx would not repeat a warning about a page that did not change, and call the next build a success."""
    if error or app._warncount:
        (Path(app.doctreedir) / "environment.pickle").unlink(missing_ok=True)


def _forget_old(app: Any, error: Exception | None) -> None:
    """Keep the newest 200 results, so that the folder does not grow for ever."""
    for file in sorted((BOOK / pages.KEPT).glob("*.ipynb"), key=lambda f: f.stat().st_mtime)[:-200]:
        file.unlink(missing_ok=True)


def setup(app: Any) -> dict[str, bool]:
    app.connect("env-get-outdated", _outdated)
    app.connect("env-before-read-docs", _run_two_at_a_time)
    app.connect("build-finished", _read_again_after_warnings)
    app.connect("build-finished", _forget_old)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
