"""What other tools answer in the awkward cases, from data/tools-on-awkward-cases.yml.

``{tools-on} ties`` is the table of one case: answer, reason, tools. ``{tools-measured}`` names the versions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

DATA = Path(__file__).resolve().parents[1] / "data" / "tools-on-awkward-cases.yml"


@cache
def measured() -> Any:
    return yaml.safe_load(DATA.read_text("utf8"))


def shown(answer: Any) -> str:
    text = f"{answer:.4f}" if isinstance(answer, float) and answer == answer else str(answer)
    return text.replace("-", "−")


class FromTheTools(SphinxDirective):
    """Makes MyST text from the data and lets the page read it."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(DATA))
        self.env.note_dependency(__file__)
        holder = nodes.container(classes=["tools"])
        self.state.nested_parse(StringList(self.text(), source=""), self.content_offset, holder)
        return [holder]

    def text(self) -> list[str]:
        raise NotImplementedError


class ToolsOn(FromTheTools):
    required_arguments = 1

    def text(self) -> list[str]:
        cases = measured()["cases"]
        if self.arguments[0] not in cases:
            raise self.error(f"tools-on: there is no case {self.arguments[0]!r}; the cases are {', '.join(cases)}")
        case = cases[self.arguments[0]]
        why = any("because" in answer for answer in case["answers"])
        rows = [f"*Measured for {case['given']}:*", ""]
        rows += [f"| answer | {'reason | ' if why else ''}tools |", f"|---|{'---|' if why else ''}---|"]
        for answer in case["answers"]:
            reason = f"{answer.get('because', '–')} | " if why else ""
            rows.append(f"| {shown(answer['gives'])} | {reason}{', '.join(answer['tools'])} |")
        return rows


class ToolsMeasured(FromTheTools):
    def text(self) -> list[str]:
        tools = [f"{name} {tool['version']} ({tool['asked']})" for name, tool in measured()["tools"].items()]
        return [f"{', '.join(tools[:-1])} and {tools[-1]}."]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("tools-on", ToolsOn)
    app.add_directive("tools-measured", ToolsMeasured)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
