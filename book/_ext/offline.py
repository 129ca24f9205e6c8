"""No page asks an outside host for anything, and the whole book can be kept for the time without a network.

Drops what a theme or an extension would load from elsewhere, puts the service worker (offline_worker.js) beside
the first page, and writes offline.json: the mark of this build, each file to keep with its fingerprint, the titles of
the pages, and the files of Python.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

from _ext import runtime

WORKER = Path(__file__).with_name("offline_worker.js")
KEPT = {".html", ".css", ".js", ".mjs", ".json", ".woff2", ".svg", ".png", ".py"}
NOT_KEPT = (
    "lite/",
    "_static/pyodide/",
    "_downloads/",
    "notebooks/",
    "wheels/",
    "_sources/",
    "offline.js",
    "_static/share/",
)


def _is_outside(asset: Any) -> bool:
    name = str(getattr(asset, "filename", asset) or "")
    return name.startswith(("http:", "https:", "//"))


def no_outside_hosts(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    for kind in ("css_files", "script_files"):
        context[kind] = [asset for asset in context[kind] if not _is_outside(asset)]


def write_list(app: Any, error: Exception | None) -> None:
    if error or app.builder.name not in ("html", "dirhtml"):
        return
    out = Path(app.outdir)
    shutil.copyfile(WORKER, out / "offline.js")  # a worker may serve no more than what lies below it
    names = (path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if path.suffix in KEPT)
    kept = {name: (out / name).read_bytes() for name in names if not name.startswith((*NOT_KEPT, "offline.json"))}
    files = {name: hashlib.sha256(data).hexdigest()[:16] for name, data in kept.items()}
    how = {
        "build": hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16],
        "files": files,
        "titles": {f"{name}.html": _plain(app.env.titles[name].astext()) for name in sorted(app.env.found_docs)},
        "size": sum(map(len, kept.values())),
    }
    if lock := getattr(app, "live_lock", ""):
        folder = out / "_static" / "pyodide"
        packages = json.loads((folder / lock).read_text("utf8"))["packages"].values()
        parts = [runtime.PACKED, "python_stdlib.zip", *(package["file_name"] for package in packages), lock]
        parts += [path.name for path in sorted(folder.glob("pyodide*.mjs"))]
        sizes = {f"_static/pyodide/{name}": (folder / name).stat().st_size for name in parts}
        how["python"] = {"shelf": f"ndcg-python-{lock}", "files": sizes, "size": sum(sizes.values())}
        how["jupyter"] = jupyter(out, {*sizes})
    (out / "offline.json").write_text(json.dumps(how), "utf8")


def jupyter(out: Path, had: set[str]) -> dict[str, Any]:
    """JupyterLite and what its Python has besides that of the pages, to be kept when the reader asks for the whole."""
    pyodide = out / "_static" / "pyodide"
    more = [pyodide / package["file_name"] for lock in pyodide.glob("pyodide-lock-lite-*.json")
            for package in json.loads(lock.read_text("utf8"))["packages"].values()]  # fmt: skip
    whole = [*sorted(p for p in (out / "lite").rglob("*") if p.is_file()), *sorted(pyodide.glob("pyodide-lock-lite-*"))]
    sizes = {path.relative_to(out).as_posix(): path.stat().st_size for path in [*whole, *more]}
    files = {name: size for name, size in sizes.items() if name not in had}
    mark = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:10]
    return {"shelf": f"ndcg-jupyter-{mark}", "files": files, "size": sum(files.values())}


def _plain(title: str) -> str:
    return unescape(re.sub("<.*?>", "", title))


def setup(app: Any) -> dict[str, bool]:
    app.add_config_value("comments_config", {}, "env")  # Jupyter Book sets it for an extension that is left out
    app.connect("html-page-context", no_outside_hosts, priority=900)
    app.add_js_file("offline.mjs", type="module")
    app.connect("build-finished", write_list, priority=900)  # when all other files are there
    return {"parallel_read_safe": True, "parallel_write_safe": True}
