"""Each chapter keeps the contract of a page: what it opens with, and the boxes that a reader can count on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from book_pages import CHAPTERS, MATH, PAGES, box, cells, name, prose


def breaches(page: Path) -> Iterator[str]:
    for kind in ("prediction", "page-meta", "summary"):
        if len(box(page, kind)) != 1:
            yield f"one box {{{kind}}}"
    for kind in ("misconception", "quiz"):
        if not box(page, kind):
            yield f"a box {{{kind}}}"
    opening = prose(page).partition("{page-meta}")[0]
    if "?" not in opening or MATH.search(opening):
        yield "begin with a question, not with a formula"
    objectives = re.findall(r"^- (\w+)", "".join(box(page, "page-meta")), re.MULTILINE)
    if not objectives or {"understand", "know", "learn", "be"} & set(objectives):
        yield "say what the reader can do, not what they know"
    for tags, source in cells(page):
        lines = source.splitlines()
        if re.search("remove-cell|remove-input", tags):
            continue
        if len(lines) > 8 or ("hide-input" not in tags and (len(lines) < 2 or max(map(len, lines)) > 76)):
            yield f"2 to 8 lines of at most 76 characters:\n{source}"


def test_each_chapter_keeps_the_contract() -> None:
    assert {name(page): found for page in CHAPTERS if (found := list(breaches(page)))} == {}


def test_a_guess_is_answered_on_its_page() -> None:
    keys = re.compile(r"^:key: (\S+)", re.MULTILINE)
    for page in PAGES:
        text = page.read_text("utf8")
        asked = re.findall(r"^:::+\{prediction\}\n((?::[a-z]+:.*\n)*)", text, re.MULTILINE)
        kept = sorted((keys.findall(options) or ["first"])[0] for options in asked if ":guess:" in options)
        told = sorted(words.strip() or "first" for words in re.findall(r"^:::+\{guessed\}(.*)$", text, re.MULTILINE))
        assert kept == told, f"{name(page)}.md keeps the guesses {kept} and tells {told}"
