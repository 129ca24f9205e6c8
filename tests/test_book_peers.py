"""The tables of what other implementations compute: what they show, and the field that filters their rows."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from book_pages import BOOK


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"book_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


peers = load(BOOK / "_ext" / "peers.py")
DATA = json.loads((BOOK / "data" / "peers.json").read_text("utf8"))


def rows(directive: Any) -> list[list[str]]:
    made = directive.__new__(directive)
    made.data = DATA
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.text()[2:]]


def test_every_answer_of_every_implementation_is_in_the_table_once() -> None:
    shown = [(case, peer) for case, _, _, who in rows(peers.Values) for peer in who.split("; ")]
    assert sorted(shown) == sorted((case, peer) for case in DATA["cases"] for peer in DATA["peers"])


def test_an_answer_is_shown_as_it_was_measured() -> None:
    for case, _, answer, who in rows(peers.Values):
        for peer in who.split("; "):
            measured = DATA["peers"][peer]["values"][case]
            if isinstance(measured, float):
                assert abs(float(answer.replace("−", "-")) - measured) <= 5.01e-5
            else:
                assert answer.strip("`") in (*measured.split(": "), "a crash")


def test_every_implementation_has_a_row_of_choices_with_its_version() -> None:
    assert [row[:2] for row in rows(peers.Choices)] == [[n, entry["version"]] for n, entry in DATA["peers"].items()]


def test_the_page_says_where_presets_differ() -> None:
    expected = {(name, case) for name, entry in DATA["peers"].items() for case in entry["differs"]}
    assert {(name, case) for name, case, *_ in rows(peers.Differences)} == expected


def test_the_field_is_labelled_and_hidden_until_its_script_runs() -> None:
    assert 'class="peers-filter" hidden' in peers.FIELD
    assert re.search(r'<label for="([^"]+)">.+<input type="search" id="\1".+<output for="\1" aria-live', peers.FIELD)


TYPE = """<script>document.addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector("input"); field.value = "TIED  xg"; field.dispatchEvent(new Event("input"));
  document.body.dataset.left = [...document.querySelectorAll("tbody tr")].filter((row) => !row.hidden).map((r) => r.id);
  document.body.dataset.said = document.querySelector("output").textContent;
});</script>"""


@pytest.mark.slow
def test_typing_words_leaves_the_rows_that_have_them_all(tmp_path: Path) -> None:
    program = load(BOOK / "pdf.py").browser()
    if program is None:
        pytest.skip("needs Chromium, Chrome or Edge to run the script of the page")
    field = peers.FIELD.format(peers.SCRIPT.read_text("utf8"))
    texts = {"a": "all tied, XGBoost", "b": "all tied, ranx", "c": "missed, XGBoost"}
    body = "".join(f'<tr id="{name}"><td>{text}</td></tr>' for name, text in texts.items())
    page = tmp_path / "page.html"
    page.write_text(f'<body>{field}<div class="peers"><table><tbody>{body}</tbody></table></div>{TYPE}', "utf8")
    command = [program, "--headless", "--disable-gpu", "--disable-background-networking", "--dump-dom",
               f"--user-data-dir={tmp_path / 'profile'}", page.as_uri()]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.insert(1, "--no-sandbox")
    drawn = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120).stdout
    assert 'data-left="a"' in drawn
    assert 'data-said="1 of 3 rows"' in drawn
    assert 'class="peers-filter" hidden' not in drawn
