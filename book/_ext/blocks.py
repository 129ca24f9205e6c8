"""The boxes of a page: page-meta, prediction, quiz, summary, assignment. AUTHORS.md shows each in use."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective


class details(nodes.General, nodes.Element):
    """A fold that opens without a script."""


class fold_title(nodes.General, nodes.TextElement):
    """What one clicks to open a fold."""


class Box(SphinxDirective):
    """A titled box: an admonition with a class of its own."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    title = ""
    css = ""

    def run(self) -> list[nodes.Node]:
        return [self.box(self.title, self.css, self.content)]

    def box(self, title: str, css: str, content: Any) -> nodes.admonition:
        box = nodes.admonition(classes=["box", css])
        parts, messages = self.state.inline_text(title, self.lineno)
        box += nodes.title(title, "", *parts, *messages)
        self.state.nested_parse(content, self.content_offset, box)
        self.set_source_info(box)
        return box


class Prediction(Box):
    title, css = "Decide before you read on", "prediction"


class Summary(Box):
    title, css = "In short", "summary"


class PageMeta(Box):
    """What the page is for: a list of objectives, and :minutes: and :needs: as options."""

    css = "page-meta"
    option_spec: ClassVar = {"minutes": directives.positive_int, "needs": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        for name in ("minutes", "needs"):
            if name not in self.options:
                raise self.error(f"page-meta needs the option :{name}:")
        box = self.box("After this page you can", self.css, self.content)
        line = f"Takes about {self.options['minutes']} minutes. Needs: {self.options['needs']}"
        parts, messages = self.state.inline_text(line, self.lineno)
        box += nodes.paragraph(line, "", *parts, *messages, classes=["page-meta-line"])
        return [box]


class Quiz(SphinxDirective):
    """A question and a list of answers, [x] for the right ones, each followed by a quoted feedback."""

    has_content = True
    MARK = re.compile(r"\[([ xX])\]\s*")

    def run(self) -> list[nodes.Node]:
        number = self.env.temp_data["quiz"] = self.env.temp_data.get("quiz", 0) + 1
        holder = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, holder)
        quiz = nodes.container(classes=["quiz"])
        quiz += nodes.paragraph("", "", nodes.strong("", f"Question {number}."), classes=["quiz-number"])
        answers = 0
        for child in list(holder.children):
            if isinstance(child, nodes.bullet_list):
                folds = [self._answer(item) for item in child.children]
                if not any(fold["right"] for fold in folds):
                    raise self.error("quiz: no answer is marked [x]")
                answers += len(folds)
                quiz += folds
            else:
                quiz += child
        if answers < 2:
            raise self.error("quiz: needs a list of at least two answers, '- [ ] …' or '- [x] …'")
        return [quiz]

    def _answer(self, item: Any) -> details:
        first = item.children[0] if item.children else None
        lead = first.children[0] if isinstance(first, nodes.paragraph) and first.children else None
        match = self.MARK.match(lead.astext()) if isinstance(lead, nodes.Text) else None
        feedback = item.children[1:]
        if match is None:
            raise self.error(f"quiz: an answer must begin with [ ] or [x]: {item.astext()[:60]!r}")
        if not feedback:
            raise self.error(f"quiz: no feedback (a line that begins with >) under {first.astext()[:60]!r}")
        right = match[1] in "xX"
        title = fold_title("", "", nodes.Text(lead.astext()[match.end() :]), *first.children[1:])
        body = nodes.container(classes=["quiz-feedback"])
        inner = feedback[0].children if isinstance(feedback[0], nodes.block_quote) else feedback
        verdict = nodes.strong("", "Yes. " if right else "Not quite. ")
        inner = [node.deepcopy() for node in inner]
        if inner and isinstance(inner[0], nodes.paragraph):
            inner[0].insert(0, verdict)
        else:
            body += nodes.paragraph("", "", verdict)
        body += inner
        fold = details("", title, body, right=right)
        fold["classes"] = ["quiz-answer", "right" if right else "wrong"]
        return fold


class Assignment(SphinxDirective):
    """A link to an assignment's page; nothing while that page does not exist."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = f"assignments/{self.arguments[0]}"
        if name not in self.env.found_docs:
            return []
        box = nodes.admonition(classes=["box", "assignment"])
        box += nodes.title("", "Now you")
        link = pending_xref("", nodes.inline("", ""), refdomain="std", reftype="doc", reftarget=f"/{name}",
                            refdoc=self.env.docname, refexplicit=False, refwarn=True)  # fmt: skip
        box += nodes.paragraph("", "", nodes.Text("Assignment: "), link)
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def printed(name: str, rawtext: str, text: str, *rest: Any, **options: Any) -> tuple[list[nodes.Node], list[Any]]:
    """A number as somebody printed it: typed on purpose, so the test for typed numbers passes it over."""
    return [nodes.inline(rawtext, text, classes=["printed"])], []


def _open_details(self: Any, node: Any) -> None:
    self.body.append(f'<details class="{" ".join(node["classes"])}">\n')


def _close_details(self: Any, node: Any) -> None:
    self.body.append("</details>\n")


def _open_title(self: Any, node: Any) -> None:
    words = any(child.astext().strip() for child in node.children if not isinstance(child, nodes.math))
    # A formula alone gives no name that every screen reader reads.
    self.body.append("<summary>" if words else '<summary><span class="visually-hidden">Answer: </span>')


def _close_title(self: Any, node: Any) -> None:
    self.body.append("</summary>\n")


def _nothing(self: Any, node: Any) -> None:
    pass


def setup(app: Any) -> dict[str, bool]:
    plain = (_nothing, _nothing)
    app.add_node(details, html=(_open_details, _close_details), latex=plain, text=plain)
    app.add_node(fold_title, html=(_open_title, _close_title), latex=plain, text=plain)
    app.add_role("printed", printed)
    app.add_directive("page-meta", PageMeta)
    app.add_directive("prediction", Prediction)
    app.add_directive("summary", Summary)
    app.add_directive("quiz", Quiz)
    app.add_directive("assignment", Assignment)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
