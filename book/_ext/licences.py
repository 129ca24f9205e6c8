"""{licences}: what the site ships of other people's work, as the packages' own metadata has it."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

from _ext import lite, runtime
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

# Parts of the pages themselves come from these packages of the build.
IN_PAGES = {
    "sphinx": "scripts of the search and of the pages",
    "pydata-sphinx-theme": "style sheets and scripts, with Bootstrap and Font Awesome in them",
    "sphinx-book-theme": "style sheets and scripts",
    "sphinx-copybutton": "the button that copies code, with clipboard.js in it",
    "sphinx-design": "style sheet of the cards",
    "myst-nb": "style sheet of the cells",
    "ziamath": "the font of the formulas, STIX Two Math",
}
# The wheel that Python for the browser is taken from says nothing of these two; they say it of themselves.
PYTHON = [
    ("pyodide", "MPL-2.0", "Python's bridge to the browser"),
    ("CPython", "PSF-2.0", "Python and its standard library, compiled for the browser"),
]
WHEELS = ("package", "version", "licence", "where it lives")
Row = tuple[str, ...]


def licence(about: Any) -> str:
    """What a package says of its licence: the expression, the classifiers, or the first line of the text."""
    if expression := about.get("License-Expression"):
        return str(expression)
    lines = about.get_all("Classifier") or []
    classified = [line.rpartition(" :: ")[2] for line in lines if line.startswith("License ::")]
    free = (about.get("License") or "").strip().splitlines()
    named = [name for name in classified if name != "OSI Approved"] or free[:1]
    return "; ".join(named) or "see its files"


def home(about: Any) -> str:
    links = dict(line.split(", ", 1) for line in about.get_all("Project-URL") or [] if ", " in line)
    named = {name.lower(): link for name, link in links.items()}
    return about.get("Home-page") or next((named[n] for n in ("homepage", "source", "repository") if n in named), "")


def of_wheels(files: Iterable[Path | BinaryIO]) -> list[tuple[str, str, str, str]]:
    rows = []
    for file in files:
        with zipfile.ZipFile(file) as wheel:
            inside = next(entry for entry in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", entry))
            about = HeaderParser().parsestr(wheel.read(inside).decode("utf8", "replace"))
        rows.append((about["Name"], about["Version"], licence(about), home(about)))
    return sorted(rows, key=lambda row: row[0].lower())


class Licences(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        shown: list[nodes.Node] = []
        here = [(name, metadata.metadata(name), what) for name, what in IN_PAGES.items()]
        rows = [(name, about["Version"], licence(about), what) for name, about, what in here]
        shown.append(table(("package", "version", "licence", "what the pages have of it"), rows))
        try:
            folder, pins = runtime.runtime(), runtime.pins()
        except runtime.Missing:
            words = "This copy of the site was built without Python for the browser, so it ships nothing more."
            return [*shown, nodes.paragraph("", words)]
        words = f"Python in the page is Pyodide {pins['pyodide']}, with these packages, as they came, unchanged:"
        shown.append(nodes.paragraph("", words))
        core = [(name, pins["pyodide"] if name == "pyodide" else "3.14", terms, what) for name, terms, what in PYTHON]
        wheels = of_wheels(folder / name for name in pins["files"] if name.endswith(".whl"))
        shown.append(table(WHEELS, [*core, *wheels]))
        with contextlib.suppress(runtime.Missing):
            shown += self.of_jupyterlite()
        return shown

    def of_jupyterlite(self) -> list[nodes.Node]:
        makers = of_wheels(map(lite.wheel_of, ("jupyterlite_core", *lite.EXTENSIONS)))
        inside = of_wheels(map(io.BytesIO, lite.extra_wheels().values()))
        by_licence: dict[str, list[str]] = {}
        for name, version, terms in lite.scripts():
            by_licence.setdefault(terms, []).append(f"{name} {version}")
        scripts = [(terms, ", ".join(names)) for terms, names in by_licence.items()]
        return [
            nodes.paragraph("", "An assignment opened as a notebook runs in JupyterLite, with these packages:"),
            table(WHEELS, list(dict.fromkeys([*makers, *inside]))),
            nodes.paragraph("", "The scripts of JupyterLite are made of these, as its own list of them has it:"),
            table(("licence", "scripts"), scripts, (20, 80)),
        ]


def table(head: Row, rows: Sequence[Row], widths: Sequence[int] = (20, 12, 30, 38)) -> nodes.table:
    made, group = nodes.table(), nodes.tgroup(cols=len(head))
    made += group
    for width in widths:
        group += nodes.colspec(colwidth=width)
    for part, lines in ((nodes.thead(), [head]), (nodes.tbody(), rows)):
        group += part
        for line in lines:
            row = nodes.row()
            part += row
            for text in line:
                words = nodes.reference(text, text, refuri=text) if text.startswith("http") else nodes.Text(text)
                row += nodes.entry("", nodes.paragraph("", "", words))
    return made


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("licences", Licences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
