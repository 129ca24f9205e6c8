"""Assignments and pages as notebooks in the browser: JupyterLite, put together from two pinned wheels of its makers.

The cards of nd.play are a widget there, by the scripts of two wheels more.

It runs the Python of the pages' cells, in the folder where that lies. What a notebook needs besides, IPython above all,
comes from the other wheels of _live/lite.json; as all of it is in one lock, nothing is asked of a package index.
That file has the sha256 of each wheel; `pip hash` prints it for a new one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import tarfile
import zipfile
from email.parser import HeaderParser
from functools import cache
from pathlib import Path
from typing import Any

from _ext import runtime
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename
from sphinx.errors import ExtensionError
from sphinx.util import logging

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make.files import zipped

PINS = runtime.BOOK / "_live" / "lite.json"
HERE = Path(__file__).parent
OTHER_APPS = {"lab", "repl", "edit", "consoles"}  # what stays are "notebooks", for one, and "tree", their list
DROPPED = (".map", ".eot", ".svg", "package.json", "schema.v0.json")  # its fonts are there in a better form
ICONS = ("favicon", "favicon-notebook", "favicon-file", "favicon-busy-1", "favicon-busy-2", "favicon-busy-3")
EXTENSION = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = {  # by the wheel that has its scripts
    "jupyterlite_pyodide_kernel": EXTENSION,
    "jupyterlab_widgets": "@jupyter-widgets/jupyterlab-manager",
    "anywidget": "anywidget",
}
SCRIPTS = {"jupyterlab-widgets", "widgetsnbextension"}  # asked for by widgets; of them a browser needs no Python
KERNEL = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
AT_START = ["micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython", "ndcg-lib", "ndcg-course"]
BROWSER = {"sys_platform": "emscripten", "platform_system": "Emscripten", "os_name": "posix", "extra": "",
           "python_version": "3.14", "python_full_version": "3.14.0", "platform_machine": "wasm32"}  # fmt: skip
REFUSAL = {  # of piplite, for what is not in the lock: one sentence, without a screen of its own lines
    'could not be installed: PyPI fallback is disabled"':
        'is not here, and a browser installs nothing. Here are numpy, matplotlib, ndcg_lib and ndcg_course; for more, '
        'open this notebook in JupyterLab, on a hub or in Colab."',
    '    attempted."""\n':
        '    attempted."""\n\n    def _render_traceback_(self):\n        return [str(self)]\n',
}  # fmt: skip
DOWNLOAD = re.compile(
    r'(<a class="reference download[^>]*href="[^"]*?([\w-]+\.ipynb)"[^>]*>.*?</a>[^<.]*)\.', re.DOTALL
)

logger = logging.getLogger(__name__)


@cache
def wheels() -> Path:
    """The folder with the verified wheels; fetched where it is not in the cache."""
    pins = json.loads(PINS.read_text("utf8"))
    packages = {"{}=={}".format(*parse_wheel_filename(name)[:2]): pin for name, pin in pins.items()}
    mark = hashlib.sha256(PINS.read_bytes()).hexdigest()[:8]
    return runtime.from_cache(f"jupyterlite-{mark}", pins, lambda folder: runtime.fetch(packages, folder))


def wheel_of(package: str) -> Path:
    return next(wheels().glob(f"{package}-*.whl"))


def install(target: Path, pyodide: Path, lock: str) -> None:
    """Put JupyterLite with the notebooks into `target`; its Python is the one in `pyodide`, with this lock."""
    shutil.rmtree(target, ignore_errors=True)
    unpack_app(target)
    loaded = [unpack_extension(target / "extensions" / name, name, wheel) for wheel, name in EXTENSIONS.items()]
    own_lock = add_packages(pyodide, lock)
    settings = {
        "pyodideUrl": f"./../_static/pyodide/{runtime.START.name}",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": AT_START, "lockFileURL": f"../_static/pyodide/{own_lock}"},
    }
    answers = {
        "api/translations/all.json": {
            "data": {"en": {"displayName": "English", "nativeName": "English"}},
            "message": "",
        },
        "api/translations/en.json": {"data": {}, "message": ""},
        "build/schemas/all_federated.json": [],
        f"extensions/{EXTENSION}/static/pypi/all.json": {},
    }
    for name, answer in answers.items():
        write(target / name, json.dumps(answer).encode())
    for icon in ICONS:
        write(target / "static" / "favicons" / f"{icon}.ico", (target / "notebooks" / "favicon.ico").read_bytes())
    file = target / "jupyter-lite.json"
    config = json.loads(file.read_text("utf8"))
    config["jupyter-config-data"] |= {
        "appName": course.load().title,
        "appUrl": "./tree",
        "faviconUrl": "./tree/favicon.ico",
        "contentsAllJsonFile": "all.json",
        "exposeAppInBrowser": True,
        "federated_extensions": loaded,
        "litePluginSettings": {f"{EXTENSION}:kernel": settings},
    }
    file.write_text(json.dumps(config, indent=1), "utf8")


def unpack_app(target: Path) -> None:
    """The pages and scripts of JupyterLite, without the applications that the site does not offer."""
    with zipfile.ZipFile(wheel_of("jupyterlite_core")) as wheel:
        inside = next(
            name for name in wheel.namelist() if re.fullmatch(r"jupyterlite_core/jupyterlite-app-.*\.tgz", name)
        )
        packed = io.BytesIO(wheel.read(inside))
    with tarfile.open(fileobj=packed) as app:
        for member in app:
            path = Path(member.name).relative_to("package")
            named = path.parts[1] if path.parts[0] == "build" and len(path.parts) > 2 else path.parts[0]
            kept = not path.name.endswith(DROPPED) and not path.name.startswith("rspack.")
            if member.isfile() and kept and named not in OTHER_APPS:
                data = app.extractfile(member).read()  # type: ignore[union-attr]
                if path.name == "index.html" and len(path.parts) == 2:
                    script = (HERE / "lite_page.js").read_bytes()
                    data = data.replace(b"</body>", b"<script>\n" + script + b"</script>\n</body>")
                elif path.as_posix() == "service-worker.js":
                    data += (HERE / "lite_worker.js").read_bytes()
                write(target / path, data)


def write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def unpack_extension(target: Path, called: str, package: str) -> dict[str, str]:
    """The part that runs Python, or that shows widgets. Gives how JupyterLite finds it."""
    with zipfile.ZipFile(wheel_of(package)) as wheel:
        for name in wheel.namelist():
            path = name.partition(f"/labextensions/{called}/")[2]
            if path.startswith("static/") and not path.startswith("static/pypi/") and not path.endswith(".map"):
                write(target / path, wheel.read(name))
            elif path == "package.json":
                loaded = json.loads(wheel.read(name))["jupyterlab"]["_build"]
    return {"name": called, **{key: loaded[key] for key in ("extension", "load", "style") if key in loaded}}


def add_packages(pyodide: Path, lock: str) -> str:
    """Put what a notebook needs beside the packages of the pages. Gives the name of the lock with all of them."""
    whole = json.loads((pyodide / lock).read_text("utf8"))
    for old in pyodide.glob("ndcg_book-*.whl"):
        old.unlink()
    for name, data in (extra_wheels() | book_wheel()).items():
        (pyodide / name).write_bytes(data)
        entry = lock_entry(name, data)
        whole["packages"].setdefault(entry["name"], entry)
    lost = {need for package in whole["packages"].values() for need in package["depends"]} - set(whole["packages"])
    if lost:
        raise ExtensionError(f"JupyterLite: no wheel in _live/lite.json provides {', '.join(sorted(lost))}")
    text = json.dumps(whole)
    name = f"pyodide-lock-lite-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
    (pyodide / name).write_text(text, "utf8")
    return name


def extra_wheels() -> dict[str, bytes]:
    """Wheels by file name: IPython with all that it needs, and those that lie inside the wheel of the kernel."""
    front = ("jupyterlite", "jupyterlab_widgets")
    found = {f.name: f.read_bytes() for f in sorted(wheels().glob("*.whl")) if not f.name.startswith(front)}
    with zipfile.ZipFile(wheel_of("jupyterlite_pyodide_kernel")) as wheel:
        for name in wheel.namelist():
            if re.search(r"/static/pypi/(ipykernel|piplite|pyodide_kernel)-[^/]*\.whl$", name):
                found[name.rpartition("/")[2]] = wheel.read(name)
    piplite = next(name for name in found if name.startswith("piplite-"))
    found[piplite] = in_words(found[piplite])
    return found


def in_words(piplite: bytes) -> bytes:
    """The same wheel, whose refusal of what is not in the lock is one sentence."""
    with zipfile.ZipFile(io.BytesIO(piplite)) as wheel:
        files: dict[str, bytes | str] = {name: wheel.read(name) for name in wheel.namelist()}
    text = bytes(files["piplite/piplite.py"]).decode()
    for theirs, ours in REFUSAL.items():
        if theirs not in text:
            raise ExtensionError("JupyterLite: piplite refuses in other words now; see REFUSAL in _ext/lite.py")
        text = text.replace(theirs, ours)
    return zipped({**files, "piplite/piplite.py": text})


def book_wheel() -> dict[str, bytes]:
    """The data of the pages, named by what is in it, so that no browser takes an old one out of its cache."""
    from _ext import notebooks

    data = notebooks.book_wheel(needed=("ndcg-lib", "matplotlib", "anywidget"))
    mark = hashlib.sha256(data).hexdigest()[:10]
    return {f"ndcg_book-{nd.__version__}-1{mark}-py3-none-any.whl": data}


def lock_entry(file_name: str, data: bytes) -> dict[str, Any]:
    """What a lock says of a wheel."""
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        names = wheel.namelist()
        about = HeaderParser().parsestr(
            wheel.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode()
        )
    needs = [
        r for r in map(Requirement, about.get_all("Requires-Dist") or []) if canonicalize_name(r.name) not in SCRIPTS
    ]
    tops = {name.split("/")[0].removesuffix(".py") for name in names if name.endswith(".py") and ".data/" not in name}
    return {
        "name": canonicalize_name(about["Name"]), "version": about["Version"], "file_name": file_name,
        "install_dir": "site", "sha256": hashlib.sha256(data).hexdigest(), "package_type": "package",
        "imports": sorted(tops), "unvendored_tests": False,
        "depends": sorted(canonicalize_name(r.name) for r in needs if not r.marker or r.marker.evaluate(BROWSER)),
    }  # fmt: skip


def add_notebooks(target: Path, pages: dict[str, Any], assignments: dict[str, Any]) -> None:
    """Pages beside the assignments, for this kernel: by the name of another, the browser would ask which to take."""
    listed: dict[str, list[dict[str, Any]]] = {"": []}
    for name, notebook in sorted({**pages, **assignments}.items()):
        notebook["metadata"]["kernelspec"] = KERNEL
        text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
        data = text.replace("](../exercises/", "](../").replace("](exercises/", "](").encode()
        write(target / "files" / name, data)
        folder = name.rpartition("/")[0]
        listed.setdefault(folder, []).append(_entry(name, type="notebook", size=len(data)))
    listed[""] += [_entry(folder, type="directory") for folder in listed if folder]
    for folder, entries in listed.items():
        whole = _entry(folder, type="directory", format="json", content=entries)
        write(target / "api" / "contents" / folder / "all.json", json.dumps(whole).encode())


def _entry(name: str, **more: Any) -> dict[str, Any]:
    day = "2026-01-01T00:00:00Z"  # any: it is shown nowhere
    plain = {"name": name.rpartition("/")[2], "path": name, "created": day, "last_modified": day, "writable": True}
    return {**plain, "content": None, "format": None, "mimetype": None, **more}


def scripts() -> list[tuple[str, str, str]]:
    """Name, version and licence of every script in the bundles, as these list them."""
    listed = {
        (about["name"], about["versionInfo"], about["licenseId"] or "see its text")
        for package in ("jupyterlite_core", *EXTENSIONS)
        for about in _bundled(package)
    }
    return sorted(listed, key=lambda row: (row[2], row[0].lower(), row[1]))


def _bundled(package: str) -> list[dict[str, str]]:
    with zipfile.ZipFile(wheel_of(package)) as wheel:
        packed = [name for name in wheel.namelist() if name.endswith((".tgz", "/static/third-party-licenses.json"))]
        data = next((wheel.read(name) for name in packed if "tests/" not in name), b'{"packages": []}')
    if package == "jupyterlite_core":
        with tarfile.open(fileobj=io.BytesIO(data)) as app:
            data = app.extractfile("package/build/third-party-licenses.json").read()  # type: ignore[union-attr]
    return list(json.loads(data)["packages"])


def prepare(app: Any) -> None:
    """Put it beside the pages, where these have live cells; pycell.prepare has run before."""
    app.lite = False
    target = Path(app.outdir) / "lite"
    try:
        if app.live_lock:
            install(target, Path(app.outdir) / "_static" / "pyodide", app.live_lock)
            app.lite = True
    except runtime.Missing as missing:
        if os.environ.get("NDCG_LIVE") == "required":
            raise ExtensionError(
                f"live cells: no JupyterLite ({missing}), and NDCG_LIVE=required was asked for"
            ) from missing
        logger.info("live cells: there, but no assignment opens as a notebook: %s", missing)
    if not app.lite:
        shutil.rmtree(target, ignore_errors=True)


def add_link(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Offer to open an assignment as a notebook, beside its download; notebooks.py has the menu of all pages."""
    if app.lite and pagename.startswith("assignments/"):
        link = '<a class="open-notebook" href="../lite/notebooks/index.html?path=\\2">open it as a notebook</a>'
        context["body"], found = DOWNLOAD.subn(rf"\1, or {link} in this browser.", context["body"], count=1)
        if not found:
            raise ExtensionError(f"{pagename}: there is no download beside which 'open it as a notebook' could stand")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", prepare, priority=600)
    app.connect("html-page-context", add_link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
