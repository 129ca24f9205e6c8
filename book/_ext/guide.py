"""What the teacher's guide shows of other sources: known mistakes, and lists to open in the playground.

``{stumbles} chapters/ndcg`` lists the mistakes that this page puts right, those first that your last class made
(slips.json of `ndcg grade --export slips` beside course.toml), then those that most tasks can meet.
``{demo}`3 0 1 | 2 | k=3` `` is a link into the playground: the returned grades, those missed, and the cut-off.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from ndcg_course.tasks import tasks
from ndcg_lib.slips import SLIPS

SHOWN = 4
LAST = Path(__file__).resolve().parents[2] / "slips.json"
DIGITS = re.compile("round|whole|-cut")  # slips of the pen, which say nothing about the idea


class Stumbles(SphinxDirective):
    """The mistakes that a page puts right, as its students make them."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(LAST))
        lines = stumbles(self.arguments[0])
        if not lines:
            return []
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), self.content_offset, holder)
        return list(holder.children)


def stumbles(page: str) -> list[str]:
    """A line of Markdown for each of the mistakes of the last class, or else of those that most tasks can meet."""
    last = json.loads(LAST.read_text("utf8")) if LAST.is_file() else {"slips": {}, "students": 0}
    made = last["slips"]
    meet = Counter(slip.name for task in tasks().values() for slip in getattr(task, "slips", None) or ())
    found = [(name, sentence) for name, sentence in slips_of(page).items() if not DIGITS.search(name)]
    found.sort(key=lambda slip: (-made.get(slip[0], 0), -meet[slip[0]], slip[0]))
    said = {name: f" (your last class: {made[name]} of {last['students']})" for name in made}
    lines = [
        (SLIPS[name].belief if name in SLIPS else sentence, said.get(name, "")) for name, sentence in found[:SHOWN]
    ]
    return [f"- {belief}{counted}" for belief, counted in lines]


def slips_of(page: str) -> dict[str, str]:
    """The mistakes of all tasks that are put right on a page, each with its sentence."""
    found: dict[str, str] = {}
    for task in tasks().values():
        for slip in getattr(task, "slips", None) or ():
            if (slip.place or task.place).partition("#")[0] == page:
                found.setdefault(slip.name, slip.sentence)
    return found


def demo(name: str, rawtext: str, text: str, line: int, inliner: Any, *rest: Any) -> tuple[list[nodes.Node], list[Any]]:
    returned, missed, *choices = [part.split() for part in (text + "|").split("|")]
    entries = [f"{n}-{grade}" for n, grade in enumerate(returned + missed, start=1)]
    state = [f"r={','.join(entries[: len(returned)])}"]
    if missed:
        state.append(f"m={','.join(entries[len(returned) :])}")
    state += [word for words in choices for word in words]
    here = inliner.document.settings.env.docname
    address = "../" * here.count("/") + "playground.html#ndcg:" + ";".join(state)
    return [nodes.reference(rawtext, ", ".join(returned), refuri=address)], []


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("stumbles", Stumbles)
    app.add_role("demo", demo)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
