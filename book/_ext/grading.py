"""{grade-class}: the place of the page on which a class is graded; inside it stands what a reader without scripts sees.

Its scripts are in _live/, beside those of the cells, and run the same Python.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class GradeClass(SphinxDirective):
    """Where files are dropped and marks come out."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["grades"] = True
        inside = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, inside)
        return [nodes.raw("", "<ndcg-grade>", format="html"), *inside, nodes.raw("", "</ndcg-grade>", format="html")]


def add_to_page(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    folder = getattr(app, "live_folder", "")
    if folder and doctree is not None and "grades" in app.env.metadata[pagename]:
        app.add_js_file(f"{folder}/gradepage.mjs", type="module")
        for sheet in ("live", "grade"):
            app.add_css_file(f"{folder}/{sheet}.css")


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("grade-class", GradeClass)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
