"""The search of the book: the page finds what the ranker of the chapter finds, and what was judged is still there."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

import search  # noqa: E402

import ndcg_lib as nd  # noqa: E402

NODE = shutil.which("node")


@pytest.fixture(scope="module")
def index() -> dict[str, Any]:
    return json.loads(search.index())


@pytest.mark.skipif(NODE is None, reason="Node is not installed; tests/browser uses the search in Chromium")
def test_the_page_finds_what_the_ranker_of_the_chapter_finds(index: dict[str, Any]) -> None:
    asked = [*search.questions().values(), "TIES tied tie", "", "the of", "zzz", "log2(i + 1)!", "naïve 2^rel − 1"]
    asked += [section.title for section in search.sections()[::7]]
    script = (
        "globalThis.document = { addEventListener() {} };"
        f"const {{ ready }} = require({json.dumps(str(ROOT / 'book' / '_static' / 'search.js'))});"
        "const { index, asked } = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "const made = ready(index);"
        "console.log(JSON.stringify(asked.map((question) => made.find(question).slice(0, 10))));"
    )
    given = json.dumps({"index": index, "asked": asked})
    ran = subprocess.run([NODE or "", "-e", script], input=given, capture_output=True, encoding="utf8", check=True)
    names = [section.name for section in search.sections()]
    ranker = search.RANKERS[search.BEST]()
    for question, places in zip(asked, json.loads(ran.stdout), strict=True):
        assert [names[at] for at in places] == search.found(ranker, question), question


def test_a_word_finds_its_other_forms() -> None:
    for words in (
        ("tie", "ties", "tied"),
        ("query", "queries"),
        ("discount", "discounted"),
        ("normalised", "normalization"),
    ):
        assert len({search.stem(word) for word in words}) == 1, words


def test_every_section_is_there_once_and_says_something() -> None:
    names = [section.name for section in search.sections()]
    assert len(names) == len(set(names))
    assert all(section.title.strip() for section in search.sections())
    assert not [s.name for s in search.sections() if "{" in s.text and "}`" in s.text]


def test_what_was_judged_is_still_in_the_book() -> None:
    """A heading that was renamed is renamed in data/search, too; where much is new, the pool is made again."""
    names = {section.name for section in search.sections()}
    gone = {section for judge in "ab" for grades in search.qrels(judge).values() for section in grades} - names
    assert not gone, f"no longer in the book, so rename or remove them in book/data/search: {sorted(gone)}"
    assert search.qrels("a").keys() == search.qrels("b").keys() == search.questions().keys()
    seen = search.share_judged(search.run(search.BEST), search.qrels())
    assert seen > 0.8, f"only {seen:.0%} of what the search shows was judged: make the pool again"


def test_the_search_box_has_the_ranker_that_won() -> None:
    values = {name: nd.evaluate(search.qrels(), search.run(name), 5)["ndcg@5"] for name in search.RANKERS}
    assert max(values, key=values.__getitem__) == search.BEST


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("wrong NDCG", "reference/misconceptions"),
        ("wrong NDCG", "chapters/which-ndcg"),
        ("which ndcg", "chapters/which-ndcg"),
        ("tie", "chapters/awkward-grades#ties-in-scores"),
    ],
)
def test_what_a_reader_looks_for_is_among_the_first(question: str, wanted: str) -> None:
    assert any(name.startswith(wanted) for name in search.found(search.RANKERS[search.BEST](), question, 3))


def test_the_index_is_light() -> None:
    assert len(search.index().encode()) < 150_000
