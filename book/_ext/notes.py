"""The five notes in the book: their printed numbers beside the exact ones, errata, claims, disagreements.

Directives, fed by data/examples.json and data/*.yml:

- ``{printed-values} 001`` with ``:place: table; worked formula`` (only the values of these places), ``:only: dcg idcg``
  (only these quantities) and ``:by-rank:`` (a row for each rank)
- ``{wrong-numbers}`` all printed numbers that are wrong, or those of one note
- ``{notes-counted}`` what each note is, and how many of its numbers are right
- ``{errata} 000`` formulas and sentences; ``{claims} C2 C5`` each with a bet on its verdict
- ``{claims-judged}`` all claims with their verdicts; ``{disagreements}``
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from examples import Example, Printed, errata, example, examples, notes, rounded
from sphinx.util.docutils import SphinxDirective

import ndcg_lib
from ndcg_course.make.pages import WITH_FORMAT, shown

DATA = Path(__file__).resolve().parents[1] / "data"
COVERAGE = DATA.parent / "coverage.yml"
EVAL = re.compile(r"\{eval\}`([^`]+)`")
LABELS = {
    "cg": "CG", "dcg": "DCG", "idcg": "IDCG", "ndcg": "NDCG", "ideal_cg": "CG of the ideal", "log": "log",
    "contribution": "contribution", "ideal_contribution": "ideal contribution", "discount": "discount", "seen": "seen",
}  # fmt: skip
BETS = {"T": "true", "F": "false", "C": "it depends", "U": "nobody has shown it"}
VERDICTS = {"ok": "right", "wrong": "wrong", "truncated": "cut off", "unsupported": "no source"}


def random_order(grades: Sequence[float]) -> float:
    """The mean NDCG of all orders of the grades."""
    return float(np.mean(grades) * ndcg_lib.discounts(len(grades)).sum() / ndcg_lib.idcg(grades))


NAMES: dict[str, Any] = {
    **{name: getattr(ndcg_lib, name) for name in ("cg", "curve", "dcg", "discounts", "idcg", "ndcg")},
    "example": example, "np": np, "random_order": random_order,
}  # fmt: skip


CASES = {"000": 1, "002": 2, "001": 3, "003": 4, "004": 5}
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z$])")
OF_A_NOTE = re.compile(r"(?<![\w#/.,-])(?:[Nn]otes? )?(00[0-4])(?![\w-]|\.\d)")


def cased(text: str) -> str:
    """The text with each note under the number of its case, which is the only one that a reader meets.

    >>> cased("Notes 000, 002 and 004, see [003](#note-003): 10,000")
    'case 1, case 2 and case 5, see [case 4](#note-003): 10,000'
    """
    return OF_A_NOTE.sub(lambda found: f"case {CASES[found[1]]}", text)


def filled(text: str) -> str:
    """The text with each {eval}`…` replaced by its value, as on the pages."""

    def value(match: re.Match[str]) -> str:
        expression = match[1].strip()
        split = WITH_FORMAT.fullmatch(expression)
        return shown(eval(split[1] if split else expression, dict(NAMES)), split[2] if split else "")

    return EVAL.sub(value, text)


@cache
def read(name: str) -> Any:
    return yaml.safe_load((DATA / f"{name}.yml").read_text("utf8"))


@cache
def places() -> dict[str, list[str]]:
    """For each claim the anchors that treat it."""
    rows = yaml.safe_load(COVERAGE.read_text("utf8"))["claims"]
    listed = {name: [p] if isinstance(p, str) else p for name, p in rows.items()}
    return {name: [p.partition("#")[2] for p in ps if "#" in p] for name, ps in listed.items()}


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """A MyST table; the first columns are aligned to the left, the others to the right."""
    rule = [":--" if i < left else "--:" for i in range(len(headings))]
    return ["| " + " | ".join(cells) + " |" for cells in (headings, rule, *rows)]


def printed_text(p: Printed) -> str:
    return p.text if p.verdict == "ok" or not p.counted else f"**{p.text}** {VERDICTS[p.verdict]}"


def exact_text(e: Example, p: Printed) -> str:
    """The exact value with three decimals more than the printed one, without idle zeros."""
    if not p.counted:
        return "–"
    value = e.exact(p.quantity, p.rank)
    if "/" in p.text:
        return p.written(value)
    percent = "%" if p.text.endswith("%") else ""
    shown = rounded(value * 100 if percent else value, p.decimals + 3)
    return shown.rstrip("0").rstrip(".") + percent


def lines_text(lines: Sequence[int]) -> str:
    """Line numbers, neighbours drawn together: 112–116, 119."""
    runs: list[list[int]] = []
    for line in sorted(lines):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in runs)


def what(p: Printed) -> str:
    """A value by its name and place: DCG@3, or contribution of rank 3."""
    total = p.quantity in ("cg", "dcg", "idcg", "ndcg", "ideal_cg")
    return f"{LABELS[p.quantity]}@{p.rank}" if total else f"{LABELS[p.quantity]} at rank {p.rank}"


def by_value(e: Example, chosen: Sequence[Printed]) -> list[str]:
    rows = []
    for p in chosen:
        verdict = f"**{VERDICTS[p.verdict]}: {p.right}**" if p.right else VERDICTS[p.verdict]
        rows.append((what(p), lines_text(p.lines), p.text, exact_text(e, p), verdict))
    return table(("value", "line", "printed", "exact", "verdict"), rows, left=2)


def by_rank(e: Example, chosen: Sequence[Printed]) -> list[str]:
    columns = list(dict.fromkeys(p.quantity for p in chosen))
    at = {(p.quantity, p.rank): p for p in chosen}
    ranks = sorted({p.rank for p in chosen})
    log = "log2(i)" if e.discount == "original" else "log2(i+1)"
    headings = ["rank"]
    for c in columns:
        label = log if c == "log" else LABELS[c]
        headings += [f"{label} printed", f"{label} exact"]
    rows = []
    for rank in ranks:
        row = [str(rank)]
        for c in columns:
            p = at.get((c, rank))
            row += [printed_text(p), exact_text(e, p)] if p else ["–", "–"]
        rows.append(row)
    return table(headings, rows)


class FromTheNotes(SphinxDirective):
    """Makes MyST text from the data and lets the page read it."""

    optional_arguments = 1
    css = ""

    def run(self) -> list[nodes.Node]:
        for file in (*DATA.glob("*.yml"), COVERAGE, Path(__file__)):
            self.env.note_dependency(str(file))
        holder = nodes.container(classes=["notes", self.css])
        lines = [cased(line) for line in self.text()]
        if self.env.docname.startswith("notes/"):  # there the label of a case is also the name of its page
            lines = [re.sub(r"\(#(note-\d+)\)", r"(\1.md)", line) for line in lines]
        self.state.nested_parse(StringList(lines, source=""), self.content_offset, holder)
        return [holder]

    def text(self) -> list[str]:
        raise NotImplementedError


class PrintedValues(FromTheNotes):
    required_arguments, optional_arguments = 1, 0
    css = "printed-values"
    option_spec: ClassVar = {"place": directives.unchanged, "by-rank": directives.flag, "only": directives.unchanged}

    def text(self) -> list[str]:
        e = example(self.arguments[0])
        wanted, places = self.options.get("only", "").split(), self.options.get("place", "").split("; ")
        chosen = [p for p in e.printed if (places == [""] or p.place in places)
                  and (not wanted or p.quantity in wanted)]  # fmt: skip
        if not chosen:
            raise self.error(f"printed-values: {e.id} prints nothing at {self.options}")
        return (by_rank if "by-rank" in self.options else by_value)(e, chosen)


class WrongNumbers(FromTheNotes):
    """All wrong numbers in a table, and below it the causes."""

    css = "wrong-numbers"

    def text(self) -> list[str]:
        found = [(e, p) for e in examples(self.arguments[0] if self.arguments else None) for p in e.wrong]
        found.sort(key=lambda pair: int(pair[1].erratum[1:]))
        rows = []
        for e, p in found:
            place = f"[{e.note}](#note-{e.note}), {lines_text(p.lines)}"
            rows.append((p.erratum, p.text, p.right, f"{e.title}: {what(p)}", place))
        rule = ("| | printed | right | value | case, line |", "| :-- | --: | --: | :-- | :-- |")
        out = [*rule, *table((), rows)[2:], ""]
        for name in dict.fromkeys(p.erratum for _, p in found):
            out += [name, f": {errata()[name]}", ""]
        return out


class NotesCounted(FromTheNotes):
    def text(self) -> list[str]:
        rows = []
        for note in CASES:
            values = [p for e in examples(note) for p in e.printed if p.counted]
            wrong = sum(bool(p.right) for p in values)
            rows.append((f"[{note}](#note-{note})", notes()[note], str(len(values)), str(wrong)))
        return table(("case", "what it is", "checked", "wrong"), rows, left=2)


class Errata(FromTheNotes):
    css = "errata"

    def text(self) -> list[str]:
        note, out = self.arguments[0], []
        for name, entry in read("errata").items():
            if entry["note"] == note:
                out += [f"{name} · line {lines_text(entry['lines'])}", f": {filled(entry['stands'])}", "",
                        f"  **Better:** {filled(entry['right'])}", ""]  # fmt: skip
        return out


class Claims(FromTheNotes):
    """Some claims, each with a bet on its verdict."""

    required_arguments, optional_arguments, final_argument_whitespace = 1, 0, True
    css = "claims"

    def text(self) -> list[str]:
        out = ['<p class="bet-score" role="status"></p>', ""]
        for name in self.arguments[0].split():
            entry = read("claims")[name]
            who = ", ".join(sorted(entry["notes"], key=CASES.get))
            out += [f":::{{bet}} {name} · {who}", f"“{entry['claim']}”", ""]
            why = filled(entry["why"])
            for verdict, words in BETS.items():
                right = verdict == entry["verdict"]
                lost = f"It is *{BETS[entry['verdict']]}*. {SENTENCE.split(why)[0]}"
                told = f"{why} See {_links(name)}." if right else lost
                out += [f"- [{'x' if right else ' '}] {words}", f"  > {told}"]
            out += [":::", ""]
        return out


class ClaimsJudged(FromTheNotes):
    """All claims with their verdicts and reasons."""

    css = "wide"

    def text(self) -> list[str]:
        rows = []
        for name, entry in read("claims").items():
            why = f"{filled(entry['why'])} See {_links(name)}."
            rows.append((name, f"“{entry['claim']}”", f"*{BETS[entry['verdict']]}*: {why}"))
        return table(("", "the claim", "verdict, and why"), rows, left=3)


def _links(claim: str) -> str:
    return " and ".join(f"[](#{anchor})" for anchor in places()[claim])


class Disagreements(FromTheNotes):
    css = "wide"

    def text(self) -> list[str]:
        rows = []
        for entry in read("disagreements"):
            sides = " <br> ".join(f"**{who}:** {filled(str(says))}" for who, says in entry["positions"])
            rows.append((entry["topic"], sides, filled(entry["changes"])))
        return table(("about", "who says what", "what it changes"), rows, left=3)


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("printed-values", PrintedValues)
    app.add_directive("wrong-numbers", WrongNumbers)
    app.add_directive("notes-counted", NotesCounted)
    app.add_directive("errata", Errata)
    app.add_directive("claims", Claims)
    app.add_directive("claims-judged", ClaimsJudged)
    app.add_directive("disagreements", Disagreements)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
