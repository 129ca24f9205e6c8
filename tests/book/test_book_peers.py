"""The tables of what other implementations compute: what they show, and the field that filters their rows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from _ext import peers
from book_pages import BOOK

from ndcg_course.make import printing

DATA = json.loads((BOOK / "data" / "peers.json").read_text("utf8"))


def rows(directive: Any) -> list[list[str]]:
    made = directive.__new__(directive)
    made.data = DATA
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.text()[2:]]


def test_every_answer_of_every_implementation_is_in_the_matrix_as_it_was_measured() -> None:
    table = ElementTree.fromstring(peers.matrix(DATA))
    found = table.findall("tbody/tr")
    named = {case.replace("-", " "): case for case in DATA["cases"]}
    entries = DATA["peers"].values()
    wanted = [
        case
        for case in DATA["cases"]
        if case == peers.plain(case) or any(e["values"][case] != e["values"][peers.plain(case)] for e in entries)
    ]
    assert len(found) == len(DATA["peers"])
    for row, (name, entry) in zip(found, DATA["peers"].items(), strict=True):
        head, *cells = list(row)
        assert head.text == f"{name} " and head[0].text == entry["version"]
        assert [named[cell.get("data-case")] for cell in cells] == wanted
        for cell, case in zip(cells, wanted, strict=True):
            measured = entry["values"][case]
            if isinstance(measured, float):
                assert abs(float(cell.text.replace("−", "-")) - measured) <= 5.01e-5
            else:
                assert cell.text == measured.partition(": ")[0]


def test_an_answer_that_is_not_the_commonest_has_the_ground_of_those_who_agree() -> None:
    columns = zip(
        *(list(row)[1:] for row in ElementTree.fromstring(peers.matrix(DATA)).findall("tbody/tr")), strict=True
    )
    for column in columns:
        grounds = {cell.text: cell.get("class") for cell in column}
        assert all(grounds[cell.text] == cell.get("class") for cell in column)
        usual = Counter(cell.text for cell in column).most_common(1)[0][1]
        assert sum(cell.get("class") == "answer-0" for cell in column) == usual


def test_every_implementation_has_a_row_of_choices_with_its_version() -> None:
    assert [row[:2] for row in rows(peers.Choices)] == [[n, entry["version"]] for n, entry in DATA["peers"].items()]


def test_what_was_restated_or_loaded_alone_is_said_beside_its_version() -> None:
    told = {name: (version, how) for name, version, how in rows(peers.Asked)}
    assert {"Elasticsearch rank_eval", "OpenSearch workbench", "Spark MLlib, with relevances"} <= told.keys()
    assert told == {n: (e["version"], e["how"]) for n, e in DATA["peers"].items() if e["how"]}


def test_the_page_says_where_presets_differ() -> None:
    expected = {(name, peers.plain(case)) for name, entry in DATA["peers"].items() for case in entry["differs"]}
    assert {(name, case) for name, case, *_ in rows(peers.Differences)} == expected


def test_the_field_is_labelled_and_hidden_until_its_script_runs() -> None:
    assert 'class="peers-filter" hidden' in peers.field("tied")
    assert re.search(
        r'<label for="([^"]+)">.+<input type="search" id="\1".+<output for="\1" aria-live', peers.field("tied")
    )


TYPE = """<script>document.addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector("input"); field.value = "TIED  xg"; field.dispatchEvent(new Event("input"));
  document.body.dataset.left = [...document.querySelectorAll("tbody tr")].filter((row) => !row.hidden).map((r) => r.id);
  document.body.dataset.said = document.querySelector("output").textContent;
});</script>"""


@pytest.mark.slow
def test_typing_words_leaves_the_rows_that_have_them_all(tmp_path: Path) -> None:
    program = printing.browser()
    if program is None:
        pytest.skip("needs Chromium, Chrome or Edge to run the script of the page")
    field = peers.field("tied")
    texts = {"a": "all tied, XGBoost", "b": "all tied, ranx", "c": "missed, XGBoost"}
    body = "".join(f'<tr id="{name}"><td>{text}</td></tr>' for name, text in texts.items())
    page = tmp_path / "page.html"
    page.write_text(f'<body>{field}<div class="peers"><table><tbody>{body}</tbody></table></div>{TYPE}', "utf8")
    command = [program, "--headless", "--disable-gpu", "--disable-background-networking", "--dump-dom",
               f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.insert(1, "--no-sandbox")
    drawn = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600).stdout
    assert 'data-left="a"' in drawn
    assert 'data-said="1 of 3 rows"' in drawn
    assert 'class="peers-filter" hidden' not in drawn
