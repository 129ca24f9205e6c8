"""The search of the book: the page finds what the ranker of the chapter finds, and what was judged is still there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

import search  # noqa: E402

import ndcg_lib as nd  # noqa: E402

NODE = shutil.which("node")


def fresh() -> dict[str, tuple[str, str]]:
    """The sixty questions that were not written from the book: words, with number and half."""
    lines = (search.DATA / "fresh.tsv").read_text("utf8").splitlines()
    return {words: (number, half) for number, words, half in (line.split("\t") for line in lines)}


@pytest.fixture(scope="module")
def index() -> dict[str, Any]:
    return json.loads(search.index())


@pytest.mark.skipif(NODE is None, reason="Node is not installed; tests/browser uses the search in Chromium")
def test_the_box_finds_what_the_python_beside_it_finds(index: dict[str, Any]) -> None:
    asked = [*search.questions().values(), "TIES tied tie", "", "the of", "zzz", "log2(i + 1)!", "naïve 2^rel − 1"]
    asked += fresh()
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
    for question, places in zip(asked, json.loads(ran.stdout), strict=True):
        assert [names[at] for at in places] == search.found(search.boxed, question), question


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
        ("who invented ndcg", "chapters/names-and-history"),
        ("ndcg vs map", "chapters/which-measure"),
        ("install", "reference/install"),
        ("wrong NDCG", "reference/misconceptions"),
        ("wrong NDCG", "chapters/which-ndcg"),
        ("which ndcg", "chapters/which-ndcg"),
        ("tie", "chapters/awkward-grades#ties-in-scores"),
    ],
)
def test_what_a_reader_looks_for_is_among_the_first(question: str, wanted: str) -> None:
    assert any(name.startswith(wanted) for name in search.found(search.boxed, question, 3))


def test_each_term_of_the_glossary_is_found() -> None:
    text = (ROOT / "book" / "reference" / "glossary.md").read_text("utf8").partition(":::{glossary}\n")[2]
    terms = re.findall(r"^(\w.*)\n  ", text, re.MULTILINE)
    found = {term: search.found(search.boxed, term) for term in terms}
    assert terms and [term for term, names in found.items() if not any("glossary" in name for name in names)] == []


def test_the_index_is_light() -> None:
    assert len(search.index().encode()) < 150_000


@pytest.mark.parametrize(("half", "value", "first"), [("tune", 0.6, 24), ("kept", 0.38, 12)])
def test_fresh_questions_are_answered(half: str, value: float, first: int) -> None:
    """The words and weights of the box were set by one half; of the other, no list was looked at."""
    grades = nd.read_qrels(str(search.DATA / "qrels-fresh.txt"))
    lost = {name for graded in grades.values() for name in graded} - {section.name for section in search.sections()}
    assert not lost, f"rename them in book/data/search/qrels-fresh.txt, too: {sorted(lost)}"
    lists = {number: search.found(search.boxed, words) for words, (number, of) in fresh().items() if of == half}
    run = {number: {name: -float(place) for place, name in enumerate(found)} for number, found in lists.items()}
    assert nd.evaluate({number: grades[number] for number in lists}, run, 10)["ndcg@10"] > value
    assert sum(grades[number].get(found[0], 0) == 3 for number, found in lists.items()) >= first


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_an_unfinished_word_is_expanded_and_a_finished_one_is_not() -> None:
    script = (
        "globalThis.document = { addEventListener() {} };"
        f"const {{ ready }} = require({json.dumps(str(ROOT / 'book' / '_static' / 'search.js'))});"
        "const made = ready(JSON.parse(require('fs').readFileSync(0, 'utf8')));"
        "const count = (asked) => [true, false].map((typing) => made.find(asked, typing).length);"
        "console.log(JSON.stringify(['rag', 'rag ', 'logari'].map(count)));"
    )
    ran = subprocess.run(
        [NODE or "", "-e", script], input=search.index(), capture_output=True, encoding="utf8", check=True
    )
    finished, spaced, (begun, sent) = json.loads(ran.stdout)
    assert finished == spaced and finished[0] == finished[1]
    assert begun > sent == 0
