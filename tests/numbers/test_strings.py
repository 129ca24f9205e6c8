"""A measure is one string: printed, read again, and in the dialects of other tools what these tools were asked to give.

`tests/peers/strings.py` asks the tools; the names are from their tests and documents, and some are made.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import ndcg_lib as nd
from ndcg_lib.comparison.moves import moves
from ndcg_lib.convention import CONVENTIONS
from ndcg_lib.definition import PARAMETERS, TABLE
from ndcg_lib.measures import EVERY, MEASURES
from ndcg_lib.runs.dialects import DIALECTS, as_columns, read

PEERS = Path(__file__).parents[1] / "peers"
sys.path.append(str(PEERS))
import strings  # noqa: E402 - tests/peers/strings.py

STORED = json.loads((PEERS / "strings.json").read_text())


@pytest.mark.parametrize("tool", strings.ASK)
def test_a_name_of_a_tool_is_the_tools_number_or_refused(tool: str) -> None:
    asked = [name for owner, name in strings.names() if owner == tool]
    assert len(asked) > 40 and {f"{tool} {name}" for name in asked} <= STORED.keys()
    compared = 0
    for name in asked:
        for number, theirs in enumerate(STORED[f"{tool} {name}"]):
            mine = strings.ours(tool, name, *strings.table(number))
            if isinstance(mine, str):
                assert theirs is None and len(mine) > 20, "a refusal has a reason"
            elif theirs is not None:
                assert not strings.differing(tool, name, theirs, mine), name
                compared += sum(map(len, theirs.values()))
    assert compared > 1000


def drawn(draw: random.Random) -> str | None:
    """A measure with some of the choices that it takes, as the tables of choices list them."""
    name = draw.choice(list(MEASURES))
    kind, said = MEASURES[name], []
    for key in (*kind.takes.split(), *EVERY.split()):
        needed = kind.needs.startswith(f"{key}:")
        if not needed and draw.random() > 0.35:
            continue
        if key in ("rel", "max", "beta"):
            word = draw.choice(["1", "2", "0.5"])
        elif key in PARAMETERS or (key == "p" and name == "rbp"):
            word = draw.choice(["0.5", "0.95"]) if key == "p" else draw.choice(["2", "3", "10"])
        else:
            word = draw.choice(
                [*TABLE[key].names, *(["0.5"] if TABLE[key].number else []), *(["0:0;2:10;1:1"] * (key == "gain"))]
            )
        said.append(f"{key}={word}")
    cut = draw.choice(["", "@1", "@10", "@100"]) if kind.cut else ""
    cut = cut or "@5" if name == "hits" else cut
    return kind.heading + (f"({','.join(said)})" if said else "") + cut


def test_what_is_printed_is_read_as_the_same_measure() -> None:
    draw, seen = random.Random(5), set()
    for _ in range(1500):
        text = drawn(draw)
        try:
            column = as_columns(text, None)[0]
        except ValueError as error:  # a parameter of a discount that has none
            assert "takes no" in str(error) or "is not a parameter" in str(error) or "discount" in str(error), error
            continue
        assert column.key == text and column.card().startswith(f"{column}: ")
        again = as_columns(str(column), None)[0]
        assert str(again) == str(column) and again == column
        assert str(as_columns(str(column).lower().replace(",", ", "), None)[0]) == str(column)
        seen.add(str(column))
    assert len(seen) > 500


def test_what_decides_a_value_decides_the_string() -> None:
    """Two strings that print alike give the same values, whatever convention they came from."""
    draw = random.Random(9)
    qrels, run = strings.table(11)
    for name in CONVENTIONS:
        column = as_columns("ndcg@3", None, CONVENTIONS[name].but(k=None))[0]
        try:
            wanted = nd.evaluate(qrels, run, measures="ndcg@3", convention=CONVENTIONS[name].but(k=None)).per_query()
        except ValueError:
            continue
        assert nd.evaluate(qrels, run, measures=str(column)).per_query() == wanted, name
    several = [
        text for text in (drawn(draw) for _ in range(40)) if text and "raise" not in text and "infAP" not in text
    ]
    kept = []
    for text in several:
        try:
            kept.append((text, nd.evaluate(qrels, run, measures=text).per_query()))
        except ValueError:
            continue
    together = nd.evaluate(qrels, run, measures=[text for text, _ in kept])
    assert len(kept) > 15 and all(together.per_query(text) == values for text, values in kept)


def test_without_the_tool_a_name_is_one_number_or_refused_with_every_reading() -> None:
    refused = 0
    for name in sorted({name for _, name in strings.names()}):
        readings = {}
        for tool, reader in DIALECTS.items():
            with contextlib.suppress(ValueError):
                if reader(name) is not None:
                    readings[tool] = [str(one) for one in read(name, CONVENTIONS[tool])]
        mine = re.fullmatch(r"[A-Za-z']+(\((rel|p)=[^)]*\))?(@\d+)?", name)  # this library's own grammar
        try:
            found = [str(one) for one in read(name)]
        except ValueError as error:
            refused += 1
            several = len({str(each) for each in readings.values()}) > 1
            assert not several or all(tool in str(error) for tool in readings), (name, str(error))
            continue
        assert mine or all(found == each for each in readings.values()), (name, found, readings)
    assert refused > 100


# ---- how far ties and holes could move a number ----

NAMES = (
    "nDCG@3",
    "nDCG(gain=exp)@3",
    "RR@3",
    "P(rel=2)@3",
    "ERR(max=3)@3",
    "RBP(p=0.8,rel=2)@3",
    "Recall@3",
    "AP@3",
    "DCG@3",
)


def test_the_sentence_on_ties_is_the_span_of_all_orders() -> None:
    for seed in range(8):
        draw = random.Random(seed)
        documents = [f"d{at}" for at in range(4)]
        qrels = {"q": {d: draw.choice([0, 1, 2, 3]) for d in documents} | {"d0": 2}}
        scores = {d: float(draw.randrange(2)) for d in documents}
        said = moves(nd.evaluate(qrels, {"q": scores}, measures=NAMES))
        orders = [
            {d: scores[d] - 1e-6 * order.index(d) for d in documents} for order in itertools.permutations(documents)
        ]
        spans = [nd.evaluate(qrels, {"q": each}, measures=NAMES) for each in orders]
        value = nd.evaluate(qrels, {"q": scores}, measures=NAMES)
        for name in NAMES:
            low, high = min(each[name] for each in spans), max(each[name] for each in spans)
            told = re.search(r"another: ([\d.]+) \(.*?\) to ([\d.]+) \(", said.get(name, ""))
            ends = (float(told[1]), float(told[2])) if told else (value[name], value[name])
            assert ends == pytest.approx((low, high), abs=6e-4), (seed, name, said)


def test_the_sentence_on_holes_is_the_span_of_all_grades() -> None:
    for seed in range(8):
        draw = random.Random(seed)
        documents = [f"d{at}" for at in range(5)]
        qrels: Any = {"q": {d: draw.choice([0, 1, 2, 3]) for d in draw.sample(documents, 3)} | {"z": 3}}
        run = {"q": {d: round(draw.random(), 3) for d in documents}}
        top = sorted(run["q"], key=run["q"].__getitem__, reverse=True)[:3]
        holes = [d for d in top if d not in qrels["q"]]
        value = nd.evaluate(qrels, run, measures=NAMES)
        said = moves(value)
        cases = [dict(zip(holes, grades, strict=True)) for grades in itertools.product([0, 1, 2, 3], repeat=len(holes))]
        filled = [nd.evaluate({"q": qrels["q"] | each}, run, measures=NAMES) for each in cases] + [value]
        for name in NAMES:
            told = re.search(r"judged: ([\d.]+) to ([\d.]+) if", said.get(name, ""))
            low, high = (float(told[1]), float(told[2])) if told else (value[name], value[name])
            each = [one[name] for one in filled]
            assert (low, high) == pytest.approx((min(each), max(each)), abs=6e-4), (seed, name, said)


def test_every_old_spelling_is_what_the_changelog_says() -> None:
    """The tables of the changelog, in which the last column says "refused" or whose number it is."""
    told = (Path(nd.__file__).parents[1] / "CHANGELOG.md").read_text("utf8").partition("Every old spelling")[2]
    rows = [re.split(r" *\| *", line.strip())[1:-1] for line in told.split("\n- ")[0].splitlines() if "`" in line]
    for old, now, how in (row for row in rows if len(row) == 3):
        (written,) = re.findall("`([^`]*)`", now) or [""]
        assert not written or str(as_columns(written, None)[0]) == written
        for spelling in re.findall("`([^`]*)`", old):
            if how.startswith("refused"):
                with pytest.raises(ValueError, match=" "):
                    as_columns(spelling, None)
            else:
                found = as_columns(spelling, None)[0]
                assert str(found) == written or (
                    now == "the same" and str(found).lower() in (spelling.lower(), "recall")
                )
    options = {cell for row in rows if len(row) == 4 for cell in (row[1], row[3])}
    assert len(options) > 10
    for text in options - {"the same, or `--as ranx`"}:
        assert as_columns(text.strip("`"), None)[0].choices()
