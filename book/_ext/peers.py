"""What other implementations compute, from data/peers.json (written by tests/peers/measure.py).

- ``{peers-compared} six-grades; missed`` a row per implementation, a column per case; ``:peers:`` names some of them
- ``{peers-choices}`` the choices of each; ``{peers-asked}`` how it was asked, where there is something to say
- ``{peers-matrix}`` the answer of each to each case; ``{peers-differences}`` where the preset of the library gives
  another number, and why
- ``{peers-filter}`` a field that filters the rows of these tables, or the misconceptions of a page; what follows it is
  an example of what to type; a page without scripts shows all
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from ndcg_lib.grid import Html, joined, tag

DATA = Path(__file__).resolve().parents[1] / "data" / "peers.json"
SCRIPT = Path(__file__).with_name("peers_filter.js")


def shown(value: float | str) -> str:
    if isinstance(value, float):
        return f"{value:.4f}".replace("-", "−")
    kind, _, detail = value.partition(": ")
    return {"error": f"`{detail}`", "crash": "a crash", "nan": "nan"}[kind]


def plain(case: str) -> str:
    """The case with its ids in the first of the two orders that were asked."""
    return case.partition(", ids reversed")[0]


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
            recipe = ", ".join(f"{name}={value!r}" for name, value in (peer["choices"] or {}).items()).replace("'", '"')
            preset = f"`{peer['preset'] or recipe}`" if peer["preset"] or recipe else "none"
            said = [choices[choice] for choice in ("gain", "ties", "ideal", "empty", "missing", "default k")]
            rows.append([name, peer["version"], *said, peer["sees"], preset])
        header = ["implementation", "version", "gain", "equal scores", "ideal from", "nothing relevant",
                  "judged, no results", "k unless given", "is given", "preset, or choices"]  # fmt: skip
        return table(header, rows)


class Asked(Peers):
    def text(self) -> list[str]:
        rows = [[name, peer["version"], peer["how"]] for name, peer in self.data["peers"].items() if peer["how"]]
        return table(["implementation", "version", "how it was asked, and what was not confirmed"], rows)


class Matrix(SphinxDirective):
    """Tools by cases."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(DATA))
        self.env.note_dependency(__file__)
        choose = tag("p", tag("label", "Tool ", tag("select")), class_="matrix-choose", hidden="")
        table = matrix(json.loads(DATA.read_text("utf8")))
        region = tag("div", table, class_="matrix", role="region", aria_label="Tools by cases", tabindex=0)
        return [nodes.raw("", tag("div", choose, region, class_="peers"), format="html")]


def matrix(data: dict[str, Any]) -> Html:
    """A table in which an answer that is not the commonest has a ground, the same for those who give the same."""
    peers = data["peers"]

    def same(case: str) -> bool:  # the order of the ids changes nothing here
        return case != plain(case) and all(p["values"][case] == p["values"][plain(case)] for p in peers.values())

    cases = {case: told for case, told in data["cases"].items() if not same(case)}
    answers = {case: Counter(brief(peer["values"][case]) for peer in peers.values()) for case in cases}
    order = {case: [answer for answer, _ in answers[case].most_common()] for case in cases}
    names = {case: case.replace("-", " ") for case in cases}
    head = [tag("th", names[case], scope="col", title=cases[case]["about"]) for case in cases]
    rows = []
    for name, peer in peers.items():
        cells = []
        for case, value in ((case, peer["values"][case]) for case in cases):
            answer = brief(value)
            ground = f"answer-{min(order[case].index(answer), 5)}"
            title = value.partition(": ")[2] if isinstance(value, str) else None
            cells.append(tag("td", answer, data_case=names[case], class_=ground, title=title))
        rows.append(tag("tr", tag("th", name, " ", tag("small", peer["version"]), scope="row"), cells))
    return tag("table", tag("thead", tag("tr", tag("td"), head)), tag("tbody", rows))


def brief(value: float | str) -> str:
    return shown(value) if isinstance(value, float) else value.partition(": ")[0]


class Differences(Peers):
    def text(self) -> list[str]:
        rows = [
            [name, case, shown(peer["values"][case]), why]
            for name, peer in self.data["peers"].items()
            for case, why in peer["differs"].items()
            if case == plain(case)
        ]
        return table(["implementation", "case", "answer", "why the preset gives something else"], rows)


def field(example: str) -> Html:
    """Words to type, of which only the rows are shown that have them all; hidden where no script runs."""
    asked = {"placeholder": example, "autocomplete": "off", "spellcheck": "false"}
    label = tag("label", "Show what has", for_="peers-filter")
    words = tag("input", type="search", id="peers-filter", **asked)
    told = tag("output", for_="peers-filter", aria_live="polite")
    line = tag("p", [label, " ", words, " ", told], class_="peers-filter", hidden="")
    return joined(line, "\n", tag("script", Html(SCRIPT.read_text("utf8"))))


class Filter(SphinxDirective):
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(SCRIPT))
        return [nodes.raw("", field((self.arguments or ["tied xgboost"])[0]), format="html")]


def setup(app: Any) -> dict[str, bool]:
    for name, directive in (("compared", Compared), ("choices", Choices), ("asked", Asked),
                            ("matrix", Matrix), ("differences", Differences), ("filter", Filter)):  # fmt: skip
        app.add_directive(f"peers-{name}", directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
