"""What other implementations compute, from data/peers.json (written by tests/peers/measure.py).

- ``{peers-compared} six-grades; missed`` a row per implementation, a column per case; ``:peers:`` names some of them
- ``{peers-choices}`` the choices of each; ``{peers-values}`` who gives which value in each case;
  ``{peers-differences}`` where the preset of the library gives another number, and why
- ``{peers-filter}`` a field that filters the rows of the tables above; a page without scripts shows them all
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

DATA = Path(__file__).resolve().parents[1] / "data" / "peers.json"
SCRIPT = Path(__file__).with_name("peers_filter.js")
FIELD = (
    '<p class="peers-filter" hidden><label for="peers-filter">Show the rows with</label> '
    '<input type="search" id="peers-filter" placeholder="tied xgboost" autocomplete="off" spellcheck="false"> '
    '<output for="peers-filter" aria-live="polite"></output></p>\n<script>\n{}</script>'
)


def shown(value: float | str) -> str:
    if isinstance(value, float):
        return f"{value:.4f}".replace("-", "−")
    kind, _, detail = value.partition(": ")
    return {"error": f"`{detail}`", "crash": "a crash", "nan": "nan"}[kind]


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    header = list(header)
    return [f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)]


class Peers(SphinxDirective):
    """Makes MyST text from the data and lets the page read it."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(DATA))
        self.env.note_dependency(__file__)
        self.data: dict[str, Any] = json.loads(DATA.read_text("utf8"))
        holder = nodes.container(classes=["peers"])
        self.state.nested_parse(StringList(self.text(), source=""), self.content_offset, holder)
        return [holder]

    def text(self) -> list[str]:
        raise NotImplementedError

    def known(self, names: str, of: str) -> list[str]:
        asked = [name.strip() for name in names.split(";")]
        if unknown := [name for name in asked if name not in self.data[of]]:
            raise self.error(f"{self.name}: {unknown[0]!r} is not one of {'; '.join(self.data[of])}")
        return asked


class Compared(Peers):
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"peers": directives.unchanged_required}

    def text(self) -> list[str]:
        cases = self.known(self.arguments[0], "cases")
        peers = self.known(self.options.get("peers", ";".join(self.data["peers"])), "peers")
        rows = []
        for name in peers:
            peer = self.data["peers"][name]
            rows.append([f"{name} {peer['version']}", *(shown(peer["values"][case]) for case in cases)])
        return table(["", *(case.replace("-", " ") for case in cases)], rows)


class Choices(Peers):
    def text(self) -> list[str]:
        rows = []
        for name, peer in self.data["peers"].items():
            choices = peer["semantics"]
            preset = f"`{peer['preset']}`" if peer["preset"] else "none"
            said = [choices[choice] for choice in ("gain", "ties", "ideal", "empty", "missing", "default k")]
            rows.append([name, peer["version"], *said, peer["sees"], preset])
        header = ["implementation", "version", "gain", "equal scores", "ideal from", "nothing relevant",
                  "judged, no results", "k unless given", "is given", "preset"]  # fmt: skip
        return table(header, rows)


class Values(Peers):
    def text(self) -> list[str]:
        rows = []
        for name, case in self.data["cases"].items():
            who: dict[str, list[str]] = defaultdict(list)
            for peer, entry in self.data["peers"].items():
                who[shown(entry["values"][name])].append(peer)
            for value, peers in sorted(who.items(), key=lambda item: -len(item[1])):
                rows.append([name, case["about"], value, "; ".join(peers)])
        return table(["case", "given", "answer", "implementations"], rows)


class Differences(Peers):
    def text(self) -> list[str]:
        rows = [
            [name, case, shown(peer["values"][case]), why]
            for name, peer in self.data["peers"].items()
            for case, why in peer["differs"].items()
        ]
        return table(["implementation", "case", "answer", "why the preset gives something else"], rows)


class Filter(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(SCRIPT))
        return [nodes.raw("", FIELD.format(SCRIPT.read_text("utf8")), format="html")]


def setup(app: Any) -> dict[str, bool]:
    for name, directive in (("compared", Compared), ("choices", Choices), ("values", Values),
                            ("differences", Differences), ("filter", Filter)):  # fmt: skip
        app.add_directive(f"peers-{name}", directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
