"""What the book says that other tools answer agrees with what the library's presets for these tools compute."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from _ext import terminal
from book_pages import BOOK, PAGES

import ndcg_lib as nd

DATA = yaml.safe_load((BOOK / "data" / "tools-on-awkward-cases.yml").read_text("utf8"))
TOOLS, CASES = DATA["tools"], DATA["cases"]


def in_effect(case: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """What the tool in effect scored; empty where the data do not say it."""
    return {"grades": answer["as-if"]} if "as-if" in answer else case.get("input", {})


def computed(convention: str, grades: Any, scores: Any = None, k: int | None = None) -> float:
    """The mean over the queries, by a preset. The documents are d0, d1, … in the order of the rows."""
    rows = grades if isinstance(grades[0], list) else [grades]
    values = [
        nd.ndcg_scores(row, scores or range(len(row), 0, -1), k, ids=[f"d{i:02}" for i in range(len(row))],
                       convention=convention, allow_negative=True)
        for row in rows
    ]  # fmt: skip
    return float(np.mean(values))


NUMBERS = [
    (name, case, answer, tool)
    for name, case in CASES.items()
    for answer in case["answers"]
    for tool in answer["tools"]
    if tool in TOOLS and isinstance(answer["gives"], float) and in_effect(case, answer)
]


def test_the_preset_of_a_tool_gives_its_answer() -> None:
    for name, case, answer, tool in NUMBERS:
        value = computed(TOOLS[tool]["convention"], **in_effect(case, answer))
        assert value == pytest.approx(answer["gives"], abs=5.01e-5), (name, tool)


def test_most_numbers_are_checked() -> None:
    all_numbers = sum(isinstance(a["gives"], float) * len(a["tools"]) for c in CASES.values() for a in c["answers"])
    assert len(NUMBERS) > 0.8 * all_numbers


def test_every_tool_that_was_asked_has_one_answer() -> None:
    for name, case in CASES.items():
        answered = [tool for answer in case["answers"] for tool in answer["tools"]]
        assert sorted(answered) == sorted(case.get("of", TOOLS)), name


def test_every_case_is_used_on_a_page() -> None:
    text = "".join(page.read_text("utf8") for page in PAGES)
    unused = [name for name in CASES if name not in text]
    assert not unused


def test_a_comma_in_a_reason_made_no_entry_of_its_own() -> None:
    for name, case in CASES.items():
        assert case.keys() <= {"given", "input", "of", "answers"}, name
        assert all(answer.keys() <= {"gives", "tools", "because", "as-if"} for answer in case["answers"]), name


def test_a_transcript_is_what_the_command_prints(tmp_path: Path) -> None:
    terminal.lay("qrels.txt", "qrels.dl20", tmp_path)
    terminal.lay("part.txt", "bm25.dl20", tmp_path, 3)
    whole = gzip.decompress((BOOK / "data" / "trec" / "bm25.dl20.txt.gz").read_bytes()).decode()
    part = (tmp_path / "part.txt").read_text()
    assert whole.startswith(part) and len({line.split()[0] for line in part.splitlines()}) == 3
    said = terminal.printed("ndcg eval qrels.txt part.txt -m nDCG@10 --at-least .9", tmp_path)
    mean = nd.evaluate(tmp_path / "qrels.txt", tmp_path / "part.txt", 10)["ndcg@10"]
    assert said[2].split() == ["part.txt", f"{mean:.4f}"] and said[-2:] == ["$ echo $?", "1"]
    kept = terminal.printed("ndcg gate save qrels.txt part.txt -m AP=.001 > kept.json", tmp_path)
    assert "AP: " in kept[1] and nd.load(tmp_path / "kept.json")["AP"]
    with pytest.raises(ValueError, match="only ndcg"):
        terminal.printed("rm part.txt", tmp_path)
