"""Every topic, claim and erratum of the notes has its place in the book, and the place exists."""

from __future__ import annotations

import runpy

import yaml
from book_pages import BOOK

from ndcg_lib.slips import SLIPS

coverage = runpy.run_path(str(BOOK / "covered.py"))
TABLE = yaml.safe_load((BOOK / "coverage.yml").read_text("utf8"))
WANTED = coverage["wanted"]()


def test_every_anchor_exists() -> None:
    for page, wanted in WANTED.items():
        missing = sorted(set(wanted) - coverage["anchors"](page))
        needed_for = "; ".join(f"{anchor} ({', '.join(wanted[anchor])})" for anchor in missing)
        assert not missing, f"{page}.md has no label for: {needed_for}"


def test_every_slip_is_put_right_somewhere() -> None:
    for slip in SLIPS.values():
        page, anchor = slip.page.split("#")
        assert (BOOK / f"{page}.md").exists(), slip.name
        assert anchor in coverage["anchors"](page.split("/")[-1]), f"{slip.name}: {slip.page}"


def test_no_claim_or_erratum_is_left_out() -> None:
    assert list(TABLE["claims"]) == [f"C{n}" for n in range(1, 37)]
    assert list(TABLE["errata"]) == [*(f"N{n}" for n in range(1, 11)), *(f"F{n}" for n in range(1, 31))]


def test_only_planned_chapters_are_left_for_later() -> None:
    later = {v for rows in TABLE.values() for v in rows.values() if isinstance(v, str) and v.startswith("later: ")}
    assert later <= {"later: learning to rank"}
