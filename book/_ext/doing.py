"""What a reader does on a page: fields that know the right number, sheets to fill in, and one to print.

In the text, computed when the page is run (pages.py):

- ``{blank}`expr` `` a field; right is the value of the expression, to three decimals
- ``{noted}`expr` `` what somebody printed; it is uncovered when the field in its row is right
- ``{sealed}`expr` `` the same, under a seal that the reader lifts

Boxes: by-hand (fields with the slips that they know), sheet, your-row, replies with reply, grading, paragraph, ticked
(which by-hand boxes of another page are right), certificate. AUTHORS.md shows each in use; _playground/doing.js is the
browser's half. Without a script all of it can be read, and the answers of a by-hand box stand in a fold below it.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from ndcg_lib.grid import Html, around, tag

RIGHT = re.compile(r'<ndcg-blank right="([^"]*)"')


class Holder(SphinxDirective):
    """An element around Markdown, for the script."""

    has_content, optional_arguments, final_argument_whitespace = True, 1, True
    option_spec: ClassVar = {"slips": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["doing"] = True
        held = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, held)
        given = {"of": self.arguments[0] if self.arguments else "", **self.options}
        opening, ending = around(f"ndcg-{self.name}", **{name: value or None for name, value in given.items()})
        return [self.raw(opening), *held.children, *self.below(), self.raw(ending)]

    def below(self) -> list[nodes.Node]:
        return []

    def raw(self, text: Html) -> nodes.raw:
        return nodes.raw("", text, format="html")


class ByHand(Holder):
    """Fields in tables, with the numbers that a known slip gives: `:slips: 9 = You added the grades. | …`."""

    required_arguments, optional_arguments = 1, 0

    def run(self) -> list[nodes.Node]:
        for slip in self.options.get("slips", "").split(" | "):
            value, _, words = slip.partition(" = ")
            if slip and not (words and re.fullmatch(r"-?[\d.]+", value.strip())):
                raise self.error(f"by-hand: a slip is written 'number = what was done', not {slip!r}")
        return super().run()

    def below(self) -> list[nodes.Node]:
        rights = RIGHT.findall("\n".join(self.content))
        if not rights:
            raise self.error("by-hand: there is no {blank} in it")
        told = ", ".join(f"{float(right):.3f}".rstrip("0").rstrip(".") for right in rights)
        answers = [tag("summary", "The answers, row by row"), tag("p", told)]
        return [self.raw(tag("details", answers, class_="answers"))]


class Sheet(SphinxDirective):
    """Lines `name = form`, which the browser makes into fields; without a script, a list to fill in on paper."""

    has_content, optional_arguments = True, 1

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["doing"] = True
        lines = [line.lstrip("- ").partition(" = ") for line in self.content if line.strip()]
        if wrong := [name for name, _, form in lines if not form]:
            raise self.error(f"{self.name}: write 'name = form', not {wrong[0]!r}")
        items = tag("ul", [tag("li", name, data_form=form) for name, _, form in lines])
        made = tag(f"ndcg-{self.name}", items, of=self.arguments[0] if self.arguments else "")
        return [nodes.raw("", made, format="html")]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("by-hand", ByHand)
    for name in ("your-row", "replies", "reply", "certificate", "grading"):
        app.add_directive(name, Holder)
    for name in ("sheet", "paragraph", "ticked"):
        app.add_directive(name, Sheet)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
