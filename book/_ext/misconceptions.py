"""Misconception boxes, and the page of all of them, made from the table of slips in ndcg_lib.

``{misconception} words`` is a box with these words as title and a body of its own. ``{misconception} name-of-a-slip``
takes the belief, the numbers and the reason from the table; a body is added to it. ``{misconceptions} mistakes`` and
``{misconceptions} choices`` are the two halves of the table: what is wrong under every convention, and what is right
under some.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from _ext.blocks import Box
from docutils import nodes
from docutils.statemachine import StringList

from ndcg_lib.slips import SLIPS, Slip, slip_families

QUANTITIES = {"cg": "CG", "dcg": "DCG", "idcg": "IDCG", "ndcg": "NDCG", "mean": "mean NDCG"}


class Misconception(Box):
    """A belief, the number that it gives, and why it is wrong."""

    css = "misconception"
    required_arguments, optional_arguments = 1, 0

    def run(self) -> list[nodes.Node]:
        slip = SLIPS.get(self.arguments[0])
        if slip is None:
            return [self.box(quoted(self.arguments[0]), self.css, self.content)]
        return [slip_box(self, slip, [slip.why, "", *self.content])]


class Misconceptions(Box):
    """The slips of one half, family by family, each with an anchor of its own."""

    has_content = False
    required_arguments, optional_arguments = 1, 0
    HALVES: ClassVar = {"mistakes": False, "choices": True}

    def run(self) -> list[nodes.Node]:
        if self.arguments[0] not in self.HALVES:
            raise self.error(f"misconceptions: say {' or '.join(self.HALVES)}, not {self.arguments[0]!r}")
        shown: list[nodes.Node] = []
        for family, slips in slip_families().items():
            chosen = [slip for slip in slips if slip.choice == self.HALVES[self.arguments[0]]]
            if chosen:
                shown.append(nodes.rubric("", family[0].upper() + family[1:]))
            for slip in chosen:
                box = slip_box(self, slip, [] if slip.choice else [slip.why])
                box["ids"] = [f"slip-{slip.name}"]
                shown.append(box)
        return shown


def slip_box(directive: Box, slip: Slip, body: Iterable[str]) -> nodes.admonition:
    page, anchor = slip.page.split("#")
    text = [on_its_example(slip), *body]
    if page != directive.env.docname:
        text += ["", f"{'Told' if slip.choice else 'Put right'} in [](#{anchor})."]
    source = directive.get_source_info()[0]
    return directive.box(quoted(slip.belief), Misconception.css, StringList(text, source))


def quoted(belief: str) -> str:
    return f"“{belief}”"


def on_its_example(slip: Slip) -> str:
    """The example of a slip in words, with its number and that of the right definition, or of the other choice."""
    given = dict(slip.example)
    for_grades = f"For the grades {listed(given.pop('grades'))}"
    k = f"@{given.pop('k')}" if "k" in given else ""
    others = "".join(f", {name} {listed(value)}" for name, value in given.items())
    right, wrong = apart(*slip.on_example())
    measure = f"{QUANTITIES[slip.quantity]}{k}"
    if slip.choice:
        return f"{for_grades}{others} this choice gives {measure} = **{wrong}**, and the other choice **{right}**."
    return f"{for_grades}{others} it gives {measure} = **{wrong}**; right is **{right}**."


def listed(value: Any) -> str:
    if not isinstance(value, (list, tuple)):
        return "unjudged" if value is None else str(value)
    if value and isinstance(value[0], (list, tuple)):
        return " and ".join(f"({listed(row) or 'none'})" for row in value)
    return ", ".join(map(listed, value))


def apart(*values: float) -> list[str]:
    """The values with as few decimals, four or more, as tell them from one another."""
    for digits in range(4, 17):
        texts = ["nan" if math.isnan(value) else f"{value:.{digits}f}".rstrip("0").rstrip(".") for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("misconception", Misconception)
    app.add_directive("misconceptions", Misconceptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
