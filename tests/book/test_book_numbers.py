"""No number in the text that code can compute is typed by hand."""

from __future__ import annotations

import re

import pytest
import yaml
from book_pages import BOOK, DECIMAL, PAGES, name, prose

ALLOWED = yaml.safe_load((BOOK / "typed-numbers.yml").read_text("utf8"))


def typed(text: str) -> list[tuple[int, str]]:
    return [(text.count("\n", 0, m.start()) + 1, m[0]) for m in DECIMAL.finditer(text)]


def test_no_decimal_is_typed() -> None:
    found = [
        f"{name(page)}.md, line {line}: {number}"
        for page in PAGES
        for line, number in typed(prose(page))
        if number not in map(str, ALLOWED.get(name(page), {}))
    ]
    assert not found, "write typed decimals as {eval}`…` (AUTHORS.md)"


def test_eval_is_no_way_to_type_a_number() -> None:
    """A number and nothing else computes nothing: give it a name in a cell, or write {printed}."""
    bare = re.compile(r"\{eval\}`(-?[\d.]+(?::[^`]*)?)`")
    assert {name(page): found for page in PAGES if (found := bare.findall(page.read_text("utf8")))} == {}


def test_each_allowed_number_has_a_reason_and_is_used() -> None:
    for page, numbers in ALLOWED.items():
        used = {number for _, number in typed(prose(BOOK / f"{page}.md"))}
        for number, reason in numbers.items():
            assert str(number) in used, f"typed-numbers.yml: {page} no longer has {number}"
            assert len(str(reason)) > 15, f"typed-numbers.yml: {page}, {number}: say why it is typed"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("its discount is 0.631, so", ["0.631"]),
        ("$= 1.893$ and 99.5%", ["1.893", "99.5%"]),
        ("version 1.0.4 of 2026, ranks 1 to 3, arXiv:1304.6480", []),
    ],
)
def test_what_counts_as_a_typed_decimal(text: str, found: list[str]) -> None:
    assert [number for _, number in typed(text)] == found
