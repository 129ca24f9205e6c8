"""A teacher changes the data of an example: the page is right, or the build stops with the sentence that is not."""

from __future__ import annotations

import math
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from _ext import playground, website
from sweeps import some_of

from ndcg_course.make import chapters, pages
from ndcg_course.make.bank import items
from ndcg_lib.convention import Convention

BOOK = Path(__file__).parents[2] / "book"

pytestmark = pytest.mark.slow

A, B = "A, B = [3, 0, 1, 0, 2], [0, 3, 2, 1, 0]", "A, B = [0, 3, 2, 1, 0], [3, 0, 1, 0, 2]"
THREE = ("A, B, C = [3, 0, 1, 0, 2]", "A, B, C = [3, 2, 1, 0, 0]")
HOURS = (
    "A, B, hours = [3, 0, 1, 0, 2], [0, 3, 2, 1, 0], [3, 0",
    "A, B, hours = [3, 0, 1, 0, 2], [3, 2, 0, 1, 0], [1, 3",
)
CHANGED = [
    ("two-rankings", ("A = [3, 0, 1, 0, 2]", "A = [0, 0, 1, 3, 2]"), "A serves you better, by 0 to 0."),
    ("cumulative-gain", (A, B), "B is ahead, as it is for a reader who stops at rank 3."),
    ("discounting", (A, B), "Engine A is ahead, as you may have felt when you first saw the two lists."),
    ("the-ideal-ranking", THREE, "A brings nine tenths of the best possible, B seven tenths, and C about a fifth."),
    ("ndcg", HOURS, "The worse list has the higher score, because there was more to find about kettles."),
    (
        "what-a-grade-is-worth",
        ("west = [3, 0, 0, 0], [0, 2, 2, 2]", "west = [3, 0, 0, 0], [0, 3, 2, 2]"),
        "East wins clearly:",
    ),
    ("ndcg-bounds", ("[0, 3, 2, 1, 0], [3, 0", "[3, 0, 0, 1, 2], [3, 0"), "spends the most precious rank on a page"),
    (
        "which-measure",
        ("cedar = [3, 0, 0, 0, 1], [0, 2, 1", "cedar = [3, 0, 0, 0, 1], [3, 2, 1"),
        "NDCG prefers Birch, and two",
    ),
    (
        "what-ndcg-does-not-see",
        ("[1, 1, 1, 0], [1, 1, 1, 1, 1]", "[1, 1, 1, 0], [1, 1, 1, 1]"),
        "good pages and missed two.",
    ),
    (
        "which-ndcg",
        ("judged = [3, 2, 3, 0, 1, 2, 3, 2]", "judged = [3, 2, 3, 0, 1, 2, 2, 2]"),
        "Two more, a 3 and a 2, were judged",
    ),
    (
        "awkward-grades",
        ("fractions = [1.0, 0.6, 0.0, 0.8]", "fractions = [1.0, 0.6, 0.9, 0.8]"),
        "a better page stands below a",
    ),
    (
        "rag",
        ("old, new = [0, 0, 0, 3, 2]", "old, new = [0, 0, 3, 0, 2]"),
        "The two useful passages used to stand at ranks 4",
    ),
    ("recommenders", ("seen = [0, 1, 0, 0, 0]", "seen = [0, 0, 1, 0, 0]"), "she has watched the second one."),
    (
        "why-a-logarithm",
        ("A, B = [3, 0, 1, 0, 2]", "A, B = [2, 0, 1, 0, 2]"),
        "With the logarithm and both reciprocals engine A is clearly ahead,",
    ),
    (
        "learning-to-rank",
        ("grades = [0, 3, 2, 1, 0]", "grades = [0, 1, 3, 1, 0]"),
        "The model should first learn to swap",
    ),
    ("judging", ("[3, 3, 1, 0, 0, 2,", "[1, 3, 1, 0, 0, 2,"), "where they differ, they differ by one step."),
]


def complaints(text: str) -> list[Any]:
    return list(pages.run(BOOK, pages.as_notebook(text))[1])


def test_each_chapter_says_which_sentences_depend_on_its_data() -> None:
    texts = {file.stem: file.read_text("utf8") for file in (BOOK / "chapters").glob("*.md")}
    assert texts and [name for name, text in texts.items() if "{holds}`" not in text] == []


@pytest.mark.parametrize(("name", "change", "sentence"), some_of([pytest.param(*each) for each in CHANGED], 6))
def test_a_changed_example_stops_with_the_sentence_that_it_makes_false(
    name: str, change: tuple[str, str], sentence: str
) -> None:
    text = (BOOK / "chapters" / f"{name}.md").read_text("utf8")
    assert change[0] in text
    told = [str(problem) for problem in complaints(text.replace(*change))]
    assert any(sentence in line for line in told), told
    assert not any("what a title or a sentence" in line for line in told), told


def test_what_is_made_of_a_chapter_stops_too(tmp_path: Path) -> None:
    text = (BOOK / "chapters" / "cumulative-gain.md").read_text("utf8")
    (tmp_path / "book" / "chapters").mkdir(parents=True)
    (tmp_path / "book" / "chapters" / "cumulative-gain.md").write_text(text.replace(A, B), "utf8")
    for file in BOOK.glob("*.py"):
        shutil.copy(file, tmp_path / "book")
    (tmp_path / "book" / "_toc.yml").write_text(
        "format: jb-book\nroot: index\nparts:\n- caption: One\n  chapters:\n  - file: chapters/cumulative-gain\n"
    )
    with pytest.raises(ValueError, match=r"^book/chapters/cumulative-gain\.md, line \d+: this is not so"):
        chapters.chapters(tmp_path)


def test_another_example_of_a_note_is_right_or_stops() -> None:
    """The film example with other grades, as from another file of examples."""
    text = (BOOK / "notes" / "note-001.md").read_text("utf8")
    first = text.index("```{code-cell}")
    other = """```{code-cell} python
:tags: [remove-cell]
import dataclasses
import examples
as_printed = examples.example
examples.example = lambda name: dataclasses.replace(as_printed(name), grades=(2.0, 1.0, 3.0, 0.0, 2.0))
```

"""
    told = [str(problem) for problem in complaints(text[:first] + other + text[first:])]
    assert any("The ideal order of the films is 5, 5, 4, 3, 2." in line for line in told), told


def test_a_claim_in_a_cell_says_the_same() -> None:
    header = (BOOK / "chapters" / "ndcg.md").read_text("utf8").split("# NDCG")[0]
    told = complaints(header + "# One\n\n```{code-cell} python\nlead = 1\nassert lead > 2\n```\n")
    assert [str(problem) for problem in told] == [
        "this is not so with these data: “what a title or a sentence beside it says” (assert lead > 2 fails)."
        " Change the sentence, or the data"
    ]


def test_what_a_slow_kernel_sends_in_pieces_is_one_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = nbformat.v4.new_output

    class Slow:
        def __init__(self, page: Any, **more: Any) -> None:
            self.cell = next(cell for cell in page.cells if cell.source == "print()")

        def execute(self, **more: Any) -> None:
            printed = [new("stream", text=text) for text in ("a\n", "b\n", "c\n")]
            self.cell.outputs = [*printed[:2], new("display_data"), printed[2]]

    monkeypatch.setattr(pages, "NotebookClient", Slow)
    monkeypatch.setattr(pages, "kept_at", lambda book, page: tmp_path / "kept.ipynb")
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print()")])
    run, problems = pages.run(tmp_path, page)
    assert [one.get("text") for one in run.cells[0].outputs] == ["a\nb\n", None, "c\n"] and problems == []


# ---- a course with a gain of its own ----

PAGES = [
    *BOOK.glob("*.md"),
    *(file for folder in ("chapters", "notes", "reference", "teaching") for file in BOOK.glob(f"{folder}/*.md")),
]
FOLLOW = sorted(str(file.relative_to(BOOK)) for file in PAGES if "\nconvention: course\n" in file.read_text("utf8"))
CORE = ("cumulative-gain", "discounting", "the-ideal-ranking", "ndcg", "ndcg-bounds")


@pytest.fixture
def exponential(monkeypatch: Any) -> None:
    """A course with a gain of its own, and with each choice that changes no number of the core."""
    take(monkeypatch, gain="exponential", empty="skip", ties="worst", missing="raise", score_precision="single")


def take(monkeypatch: Any, **choices: Any) -> None:
    other = pages.course.Course(convention=Convention(**choices), chosen=choices)
    monkeypatch.setattr(pages.course, "load", lambda *_: other)


def shown(name: str) -> str:
    """What a page says, its code and what the code prints."""
    page, wrong = pages.run_page(BOOK, (BOOK / name).read_text("utf8"), name)
    assert not wrong
    parts = []
    for cell in page.cells:
        parts.append(cell.source)
        for output in cell.get("outputs", []):
            parts += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
    return "\n".join(parts)


def test_the_core_and_its_lessons_follow_the_course() -> None:
    assert sorted(f"{folder}/{name}.md" for folder in ("chapters", "teaching") for name in CORE) == FOLLOW


@pytest.mark.parametrize("name", some_of([name for name in FOLLOW if name.startswith("teaching/")], 5))
def test_no_sentence_of_a_lesson_is_false_with_the_exponential_gain(name: str, exponential: None) -> None:
    assert complaints((BOOK / name).read_text("utf8")) == []


def test_the_core_says_what_its_course_computes(exponential: None) -> None:
    half, two, five = 1 / 2, 1 / math.log2(3), 1 / math.log2(6)
    a, b = 7 + half + 3 * five, 7 * two + 3 * half + 1 / math.log2(5)
    best, at_two = 7 + 3 * two + half, 7 + 3 * two
    said = {name: shown(f"chapters/{name}.md") for name in CORE}
    assert (
        "engine A that is 7 + 0 + 1 = 8" in said["cumulative-gain"]
        and "engine B 0 + 7 + 3 = 10" in said["cumulative-gain"]
    )
    assert f"| 2 · *Five steps* | 7 | {two:.3f} | {7 * two:.3f} |" in said["discounting"]
    assert f"| **sum** | 11 | | **{b:.3f}** |" in said["discounting"]
    assert "sum((2**grade - 1) / log2(i + 1) for i, grade in ranks)" in said["discounting"]
    assert f"({a}, {b})"[:12] in said["discounting"], "the page's own function computes with the same gain"
    assert (
        "A brings nine tenths of the best possible, B seven tenths, and C about a tenth." in said["the-ideal-ranking"]
    )
    assert f"| cut at 2 | sorted, then cut at 2 | **{7 / at_two:.3f}** |" in said["the-ideal-ranking"]
    assert a < at_two and "none of the slips gives itself away" in said["the-ideal-ranking"]
    assert "Here the gain is 2^grade − 1." in said["ndcg"] and f"[{a / best:.3f}, {b / best:.3f}" in said["ndcg"]
    assert 3 < b < 7 and "One page has a good part of the answer" in said["ndcg"], "the worse list has to score higher"
    chance = 11 / 5 * sum(1 / math.log2(rank + 1) for rank in range(1, 6)) / best
    assert (
        f"## Chance gets {chance:.3f}, and engine B gets less" in said["ndcg-bounds"] and b / best < chance < a / best
    )
    told = next(question for question in chapters_of("discounting").questions if "4, 2, 5" in question.stem)
    assert next(answer.text for answer in told.answers if answer.right) == f"{15 + 3 * two + 31 / 2:.3f}"


def test_a_page_that_is_about_a_convention_keeps_its_own_and_says_so(exponential: None) -> None:
    own = shown("chapters/what-a-grade-is-worth.md")
    assert "With the linear gain, East has 3" in own
    chapter = chapters_of("what-a-grade-is-worth")
    assert chapter.convention.startswith("Where nothing else is named, the book's definition holds here: gain g;")
    discounting = chapters_of("discounting")
    stems = [item.stem for item in items.of_quizzes([chapter, discounting])]
    assert any("DCG@3 of the grades 1, 0, 2" in stem and stem.endswith(f"({chapter.convention})") for stem in stems)
    assert any("4, 2, 5" in stem and stem.endswith(f"({discounting.convention})") for stem in stems)
    assert discounting.convention.startswith("This course computes NDCG: gain 2^g - 1;")
    assert all("book's definition" not in stem for stem in stems if "You want the first three ranks" in stem)


def test_a_course_as_the_book_says_nothing_about_conventions() -> None:
    asked = chapters_of("discounting")
    assert asked.convention == "" and items.of_quizzes([asked])[0].stem == asked.questions[0].stem


def below_the_title(name: str) -> str:
    context = {"body": "<h1>One</h1><p>Two</p>"}
    app = SimpleNamespace(env=SimpleNamespace(doc2path=lambda name: str(BOOK / f"{name}.md")))
    website.tell_convention(app, name, "page.html", context, object())
    return context["body"]


def test_below_its_title_a_page_with_the_book_s_convention_says_so(exponential: None) -> None:
    for name in ("chapters/why-a-logarithm", "notes/note-001", "teaching/rag", "index"):
        assert below_the_title(name).startswith(
            "<h1>One</h1>\n<p><em>Where nothing else is named, the book&#x27;s definition"
        )
    for name in ("chapters/ndcg", "teaching/ndcg", "assignments/ndcg", "reference/licences"):
        assert below_the_title(name) == "<h1>One</h1><p>Two</p>"


def test_the_playground_has_the_course_among_its_tools(monkeypatch: Any) -> None:
    assert "course" not in [preset["name"] for preset in playground.libraries()]
    take(monkeypatch, gain="exponential")
    assert playground.libraries()[-1] == {"name": "course", "whom": "The NDCG book", "gain": "exponential"}


def chapters_of(name: str) -> Any:
    return chapters.chapters(BOOK.parent, [f"chapters/{name}"])[0]


@pytest.mark.parametrize(
    ("choices", "name", "sentence"),
    some_of(
        [
            pytest.param(
                {"gain": "binary"}, "cumulative-gain", "B is ahead, as it is for a reader who stops at rank 3."
            ),
            pytest.param({"gain": "binary"}, "ndcg-bounds", "no gain is negative"),
            pytest.param({"ideal": "returned"}, "ndcg-bounds", "tells you why."),
            pytest.param(
                {"discount": "original"}, "discounting", "Rank 1 keeps everything, rank 3 a half, and rank 7 a third."
            ),
        ]
    ),
)
def test_a_convention_that_the_core_was_not_written_for_stops_with_the_sentence(
    choices: dict[str, str], name: str, sentence: str, monkeypatch: Any
) -> None:
    take(monkeypatch, **choices)
    page = (BOOK / "chapters" / f"{name}.md").read_text("utf8")
    told = pages.run_page(BOOK, page, f"book/chapters/{name}.md")[1][0]
    assert sentence in told and told.startswith(f"book/chapters/{name}.md, line "), told


def test_another_way_to_write_a_cell_has_to_fit_it() -> None:
    header = (BOOK / "chapters" / "ndcg.md").read_text("utf8").split("# NDCG")[0]
    cell = '# One\n\n```{code-cell} python\n:other-gain: {"grade * 2": "gain(grade) * 2"}\ngrade = 3\n```\n'
    with pytest.raises(ValueError, match=r"other-gain names 'grade \* 2', which is not in its code cell"):
        pages.as_notebook(header + cell)


@pytest.mark.parametrize("changed", ["chapters/discounting.md", "teaching/discounting.md", "_toc.yml"])
def test_what_reads_the_other_pages_is_computed_anew_when_one_changes(
    changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chapter on search ranks all sections, the guide lists all lessons: what was kept may be of an older text."""
    names = ("chapters/a-search-engine-of-our-own", "teaching/index", "chapters/ndcg")
    texts = [pages.as_notebook((BOOK / f"{name}.md").read_text("utf8")) for name in names]
    before = [pages._key(BOOK, text) for text in texts]
    pages._sources.cache_clear()
    read = Path.read_bytes
    file = BOOK / changed
    monkeypatch.setattr(Path, "read_bytes", lambda one: read(one) + (b"A word more." if one == file else b""))
    after = [pages._key(BOOK, text) for text in texts]
    pages._sources.cache_clear()
    assert [one != other for one, other in zip(before, after, strict=True)] == [True, True, False]


def test_pages_that_begin_at_once_share_a_folder_for_their_kernels_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> Any:
        time.sleep(0.1)  # so that both are in it at once
        return tempfile.TemporaryDirectory(prefix="kernels-")

    monkeypatch.setattr(pages, "_folder", cache(made))
    with ThreadPoolExecutor(2) as pool:
        held = list(pool.map(lambda _: pages.over_files(), range(2)))
    assert all(Path(one["connection_file"]).parent.is_dir() for one in held if one)
