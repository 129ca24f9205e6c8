"""What the theme and docutils leave undone for readers who do not see the page or use no mouse, done at build time."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

WORKING = re.compile(r'(class="ndcg-working" role="region" aria-label="Working)"')
VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')
# The book has a search of its own (searching.py).
SPHINX_SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
THEME = """{ light: "light", dark: "dark" }[document.documentElement.dataset.mode]
      || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")"""
EDITS = [
    # A name that differs from the words on the thing: who speaks to the computer says the words, and nothing happens.
    (re.compile(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"'), r"\1"),
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    # The name of the book and the search stand outside of every landmark.
    (re.compile(r'<div (id="pst-primary-sidebar") class='), r'<div \1 role="navigation" aria-label="The book" class='),
    # Colours from the first letter on, without a script, too: the theme would set them when all scripts are there.
    (re.compile(r'(<html [^>]*data-theme=)"auto"'), r'\1"light"'),
    (re.compile(r'dataset\.theme = localStorage\.getItem\("theme"\) \|\| "auto"'), f"dataset.theme = {THEME}"),
    # The corner of a table with row headings is no heading.
    (re.compile(r'<th class="head[^"]*">(?:<p>\s*</p>|\s*)</th>'), "<td></td>"),
    # An empty place for advertisements.
    (re.compile(r'<div class="sidebar-primary-item">\s*<div id="ethical-ad-placement"[^>]*>\s*</div>\s*</div>'), ""),
]  # fmt: skip
# These scripts take the focus away from a button that was pressed: by keyboard, one would begin at the top again.
BLURS = {"scripts/sphinx-book-theme.js": "t.blur()", "clipboard.min.js": "document.activeElement.blur()"}


class RowHeadings(SphinxPostTransform):
    """A table whose first heading is empty names its rows in the first column."""

    default_priority = 200

    def run(self, **options: Any) -> None:
        for group in self.document.findall(nodes.tgroup):
            head = next(iter(group.findall(nodes.thead)), None)
            columns = [child for child in group.children if isinstance(child, nodes.colspec)]
            if head is not None and columns and not head[0][0].astext().strip():
                columns[0]["stub"] = 1


SIDEBAR = re.compile(r'<div id="pst-primary-sidebar".*?(?=<main id="main-content")', re.DOTALL)


def text_first(page: str) -> str:
    """By keyboard, the text comes before the forty links of the sidebar, which stands at its place all the same."""
    found = SIDEBAR.search(page)
    if found is None or found[0].count("<div") != found[0].count("</div"):
        return page
    end = page.index("</main>", found.end()) + len("</main>")
    return page[: found.start()] + page[found.end() : end] + found[0] + page[end:]


def mended(page: str) -> str:
    """The page with what its templates should have said; mending it again changes nothing."""
    for pattern, better in EDITS:
        page = pattern.sub(better, page)
    page = SPHINX_SEARCH.sub("", page)
    if page.find('id="pst-primary-sidebar"') < page.find('<main id="main-content"'):
        page = text_first(page)
    if len(WORKING.findall(page)) > 1:
        numbers = count(1)
        page = WORKING.sub(lambda working: f'{working[1]} {next(numbers)}"', page)
    if found := VIEWPORT.search(page):
        page = page[: found.end()] + VIEWPORT.sub("", page[found.end() :])
    return page


def finish(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for name in app.env.found_docs | {"genindex", "search"}:
        file = out / f"{name}.html"
        if file.exists():
            before = file.read_text("utf8")
            if (after := mended(before)) != before:
                file.write_text(after, "utf8", newline="\n")
    for name, blur in BLURS.items():
        script = out / "_static" / name
        script.write_text(script.read_text("utf8").replace(blur, "0"), "utf8", newline="\n")


def setup(app: Any) -> dict[str, bool]:
    app.add_post_transform(RowHeadings)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
