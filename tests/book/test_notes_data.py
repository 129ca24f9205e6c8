"""What the book says about the five notes: nothing is left out, and every number in it is computed."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

import pytest
from _ext import notes
from book_pages import BOOK, DECIMAL, PAGES
from examples import example, examples
from spelling import misspelt

CLAIMS, ERRATA, DISAGREEMENTS = (notes.read(name) for name in ("claims", "errata", "disagreements"))
TEXTS = {
    **{f"{name} {part}": entry[part] for name, entry in CLAIMS.items() for part in ("claim", "why")},
    **{f"{name} {part}": entry[part] for name, entry in ERRATA.items() for part in ("stands", "right")},
    **{f"{entry['topic']}, {i}": str(text) for entry in DISAGREEMENTS
       for i, text in enumerate([entry["topic"], entry["changes"], *chain.from_iterable(entry["positions"])])},
}  # fmt: skip
DIRECTIVE = re.compile(r"^:::\{([a-z-]+)\} ?(.*)\n((?::[a-z-]+:.*\n)*):::$", re.MULTILINE)
ALL_DIRECTIVES = [found.groups() for page in PAGES for found in DIRECTIVE.finditer(page.read_text("utf8"))]


def test_each_claim_has_a_verdict_and_each_disagreement_two_sides() -> None:
    assert {entry["verdict"] for entry in CLAIMS.values()} == set(notes.BETS)
    assert all(len(entry["positions"]) > 1 for entry in DISAGREEMENTS)


def test_a_text_is_spelt_well_and_has_no_typed_decimal() -> None:
    for name, text in TEXTS.items():
        typed = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", notes.EVAL.sub(" ", text))
        assert not DECIMAL.findall(typed.replace("0.00", "")), name  # 0.00 is what note 002 prints, see F16
        assert not misspelt(re.sub(r"`[^`]*`", " ", typed)), name
        assert "{eval}" not in notes.filled(text), name


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("C2 why", ["1.631", "1.939"]),
        ("C3 why", ["0.817"]),
        ("C5 why", ["0.454", "0.961"]),
        ("C9 why", ["3.000", "3.123", "7.000", "4.685"]),
        ("C18 why", ["0.932", "0.958", "1.000"]),
        ("C27 why", ["6.861", "6.653"]),
        ("C28 why", ["0.655", "0.6", "0.906"]),
        ("F14 right", ["0.760"]),
        ("F18 right", ["0.470", "0.961", "0.949"]),
        ("F19 right", ["8.740", "0.785", "0.961"]),
    ],
)
def test_the_evidence_is_that_of_the_audit(name: str, numbers: list[str]) -> None:
    shown = re.findall(r"\d+\.\d+|\d+%", notes.filled(TEXTS[name]))
    assert shown == numbers


def test_every_printed_value_is_shown_beside_the_exact_one() -> None:
    shown = set()
    for kind, name, options in ALL_DIRECTIVES:
        if kind == "printed-values":
            places = dict(re.findall(r"^:([a-z-]+): *(.*)$", options, re.MULTILINE))
            shown |= {(name, p) for p in example(name).printed
                      if ("place" not in places or p.place in places["place"].split("; "))
                      and ("only" not in places or p.quantity in places["only"].split())}  # fmt: skip
    wanted = {(e.id, p) for e in examples() for p in e.printed if e.note != "paper" and p.counted}
    assert wanted - shown == set()


def test_every_erratum_and_claim_is_on_a_page() -> None:
    calls = Counter((kind, argument) for kind, argument, _ in ALL_DIRECTIVES)
    assert all(calls["errata", note] == 1 for note in ("000", "001", "002", "003", "004"))
    assert all(calls[kind, ""] == 1 for kind in ("claims-judged", "wrong-numbers", "disagreements", "notes-counted"))
    bets = [name for kind, names, _ in ALL_DIRECTIVES if kind == "claims" for name in names.split()]
    verdicts = Counter(CLAIMS[name]["verdict"] for name in bets)
    assert len(bets) == len(set(bets)) == 10 and max(verdicts.values()) < 5, "no answer may win by habit"


def test_a_reader_meets_cases_and_not_the_numbers_of_notes() -> None:
    assert notes.cased("Notes 000, 002 and 004, see [003](#note-003): 0.001 of 10,000 in note 001.") == (
        "case 1, case 2 and case 5, see [case 4](#note-003): 0.001 of 10,000 in case 3."
    )
    board = (BOOK / "chapters" / "the-notes-checked.md").read_text("utf8")
    rows = re.findall(r"^\| \[(\d)\]\(\.\./notes/note-(\d+)\.md\)", board, re.MULTILINE)
    assert {note: int(case) for case, note in rows} == notes.CASES


def test_a_wrong_value_is_marked_in_its_table() -> None:
    e = example("004")
    chosen = [p for p in e.printed if p.place == "steps of NDCG@5"]
    by_rank = "\n".join(notes.by_rank(e, [p for p in chosen if p.quantity == "contribution"]))
    assert "| 4 | **1.2924810** wrong | 1.2920296742 |" in by_rank
    assert "| DCG@5 | 52, 55, 84 | 5.6848189 | 5.6848189349 | right |" in notes.by_value(e, chosen)
    regular = example("000-q1-regular")
    assert "| NDCG@7 | 79 | 0.989 | 0.978682 | **wrong: 0.979** |" in notes.by_value(regular, regular.printed)
