"""The index of the search box: the sections of book/search.py, and what its best ranker knows of their words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import search
from _ext.rooms import left_out


def write(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for name, value in (("SEARCH", search.index(left_out())), ("TEXTS", search.texts(left_out()))):
        file = out / "_static" / {"SEARCH": "search-index.js", "TEXTS": "search-texts.js"}[name]
        file.write_text(f"window.NDCG_{name} = {value};\n", "utf8", newline="\n")


def instead_of_sphinx(app: Any) -> None:
    """Sphinx makes no index of its own, and no page for it."""
    app.builder.search = False


def search_page(app: Any) -> list[tuple[str, dict[str, Any], str]]:
    return [("search", {}, "search.html")] if app.builder.format == "html" else []


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", instead_of_sphinx)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
