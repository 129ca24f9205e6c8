"""Live cells: every code cell that a reader sees can be edited and run in the page, and so can a {pycell}.

Where there is no runtime (_ext/runtime.py says why), the build says so in one line and the cells stay as they are.
A {pycell} is a cell that the build does not run, for code whose outcome the reader is to find out. One that ends in
`nd.which(a_function)` is a box to paste into: whatever is in it is asked what it computes, by itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from _ext import place, runtime
from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ndcg_course.make.files import slug
from ndcg_course.make.pages import as_notebook, standing
from ndcg_course.make.workplace import carried
from ndcg_course.tasks import assignment_named, assignments

LIVE = Path(__file__).resolve().parents[1] / "_live"
EXAMPLES = [LIVE.parent / "examples.py", LIVE.parent / "data" / "examples.json"]
PARTS = [*sorted({*LIVE.glob("*.mjs")} - {runtime.START}), *sorted(LIVE.glob("*.css")), LIVE / "run_cell.py", *EXAMPLES]
PYCELL = re.compile(r"^(```+|:::+)\{pycell\}[ \t]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
ASKS = re.compile(r"^nd\.which\(.*\)\Z", re.MULTILINE)
# The places of the buttons are kept free until the script has made them, so that nothing moves below the reader's eye.
# All other words about Python stand in states.mjs; these are for a page to which no module comes.
WAITS = """<script>
{
  const page = document.documentElement.dataset, file = location.protocol === "file:";
  if (!file) page.waits = "";
  const told = () => {
    if ("live" in page || document.querySelector(".live-absent")) return;
    delete page.waits;
    delete page.place;
    const line = Object.assign(document.createElement("p"), { className: "live-absent", role: "status" });
    line.textContent = file
      ? "The code below cannot run here: this page was opened as a file, and a browser starts no Python from a file. " +
        "Served by any web server it runs, for example by “python3 -m http.server” in the folder of the book."
      : "The code below cannot run: a script of this page did not come whole. ";
    const again = Object.assign(document.createElement("button"), { className: "live-button" });
    again.textContent = "Load the page again";
    again.onclick = () => {
      const parts = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/live-"));
      const asked = { cache: "reload", signal: AbortSignal.timeout(20000) };
      Promise.allSettled(parts.map(({ name }) => fetch(name, asked))).then(() => location.reload());
    };
    if (!file) line.append(again);
    (document.querySelector(".bd-article .cell") ?? document.querySelector(".bd-article").lastChild).before(line);
  };
  addEventListener("load", told);
  setTimeout(told, 20000);
}
</script>
"""
UNSEEN = {"remove-cell", "remove-input", "remove_cell", "remove_input"}

logger = logging.getLogger(__name__)


class PyCell(SphinxDirective):
    """Code that can be run and changed in the page."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content).rstrip()
        if not code:
            raise self.error("pycell: there is no code in it")
        block = nodes.literal_block(code, code, language="python")
        cell = nodes.container(classes=["cell", "pycell"])
        cell += nodes.container("", block, classes=["cell_input"])
        return [cell]


def version() -> str:
    total = hashlib.sha256()
    for part in PARTS:
        total.update(part.read_bytes())
    return total.hexdigest()[:8]


def prepare(app: Any) -> None:
    """Put the runtime and the scripts into the site, or say why there are none."""
    app.live_folder = app.live_lock = ""
    app.live_bytes = {}
    if app.builder.format != "html" or app.builder.name == "singlehtml":
        return
    static = Path(app.outdir) / "_static"
    try:
        how = runtime.install(static / "pyodide")
    except runtime.Missing as missing:
        if os.environ.get("NDCG_LIVE") == "required":
            raise ExtensionError(f"live cells: {missing}, and NDCG_LIVE=required was asked for") from missing
        shutil.rmtree(static / "pyodide", ignore_errors=True)
        logger.info("live cells: left out, the code stays as it is: %s", missing)
        return
    app.live_lock, app.live_bytes = how["lock"], how["bytes"]
    app.live_folder = f"live-{app.config.live_version}"
    folder = static / app.live_folder
    for old in static.glob("live-*"):
        if old != folder:
            shutil.rmtree(old)
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        shutil.copyfile(part, folder / part.name)
    how["sums"] |= {part.name: runtime.sum_of(part) for part in PARTS if part.suffix in (".py", ".json")}
    (folder / "runtime.json").write_text(json.dumps(how), "utf8")


def add_to_page(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if not app.live_folder or doctree is None:
        return
    file = app.env.doc2path(pagename)
    cells = _cells(file)
    if all(cell["hidden"] for cell in cells):
        return
    if assignment := workplace(pagename):
        text = re.sub(r"</", r"<\\/", json.dumps({"path": pagename, **assignment}))
        told = f'\n<script type="application/json" id="workplace">{text}</script>'
        waits = WAITS.replace('page.waits = ""', 'page.place = "soon"')
        context["body"] = waits + place.laid_out(context["body"], assignment) + told
        app.add_js_file(f"{app.live_folder}/place.mjs", type="module")
        for sheet in ("live", "place"):
            app.add_css_file(f"{app.live_folder}/{sheet}.css")
        return
    if cells[0]["hidden"]:  # as the page was computed
        cells[0]["code"] = standing(as_notebook(Path(file).read_text("utf8"))) + cells[0]["code"]
    python = {"lock": app.live_lock, "bytes": app.live_bytes}
    told = {"path": pagename, "open": pagename.startswith("assignments/"), "python": python, "cells": cells}
    text = re.sub(r"</", r"<\\/", json.dumps(told))
    context["body"] = WAITS + context["body"] + f'\n<script type="application/json" id="live-page">{text}</script>'
    app.add_js_file(f"{app.live_folder}/cells.mjs", type="module")
    app.add_css_file(f"{app.live_folder}/live.css")


def workplace(pagename: str) -> dict[str, Any] | None:
    """What the page of an assignment works with; nothing for any other page."""
    folder, _, page = pagename.partition("/")
    name = next((name for name in assignments() if slug(name) == page), "") if folder == "assignments" else ""
    file = LIVE.parents[1] / "exercises" / f"{name}.ipynb"
    return carried(assignment_named(name), json.loads(file.read_text("utf8"))) if name and file.is_file() else None


def _cells(file: str) -> list[dict[str, Any]]:
    """The code cells of a page in order; hidden are those whose code is not shown."""
    if not file.endswith(".md"):
        return []
    found = []
    for cell in as_notebook(Path(file).read_text("utf8")).cells:
        if cell.cell_type == "code":
            hidden = bool(UNSEEN & set(cell.metadata.get("tags", [])))
            found.append({"code": cell.source, "hidden": hidden})
        else:
            codes = [code.rstrip() for _, code in PYCELL.findall(cell.source)]
            found += [{"code": c, "hidden": False} | ({"asks": True} if ASKS.search(c) else {}) for c in codes]
    return found


def setup(app: Any) -> dict[str, bool]:
    app.add_config_value("live_version", version(), "html")  # a new version writes all pages anew
    app.add_directive("pycell", PyCell)
    app.connect("builder-inited", prepare)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
