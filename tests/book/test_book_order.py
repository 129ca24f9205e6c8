"""The short book: one path with an end, a room for every page, no address lost."""

from __future__ import annotations

import re

import pytest
from book_pages import BOOK, box, name

import kit
from ndcg_course import course_keys
from ndcg_course.make.chapters import Chapter, contents, outlines, rooms
from ndcg_course.tasks import tasks

LISTED = [page for _, page in contents(kit.ROOT)]
PATH = list(course_keys.short_book(kit.ROOT))
SHORT = [chapter for chapter in outlines(kit.ROOT) if chapter.number]
WHY = next(chapter for chapter in outlines(kit.ROOT) if chapter.name == "chapters/why-a-logarithm")
MOVED = {  # anchors that moved to another page, each with the place where a signpost stands
    "chapters/the-notes-checked": ("conclusion-reversed", "wrong-numbers", "how-checked", "disagreements"),
    "chapters/why-a-logarithm": ("why-not-reciprocal", "three-reasons", "does-log2-work-best"),
    "chapters/which-ndcg": ("same-as-scikit-learn",),
}
LABEL = re.compile(r"^\(([a-z0-9-]+)\)=", re.MULTILINE)


def source(page: str) -> str:
    file = BOOK / f"{page}.md"
    return file.read_text("utf8") if file.exists() else ""


LABELS = {label: page for page in LISTED for label in LABEL.findall(source(page))}


def test_each_page_has_one_place_and_each_place_a_page() -> None:
    assert len(LISTED) == len(set(LISTED))
    there = {name(file) for file in (*BOOK.glob("[a-z]*.md"), *BOOK.glob("[a-z]*/*.md"))} - {"index"}
    assert there == set(LISTED)


def words(page: str) -> int:
    """The words before a reader's eyes: without code, formulas, folds, feedback, and what only the build reads."""
    text = re.sub(r"\A---\n.*?\n---\n", "", source(page), flags=re.DOTALL)
    text = re.sub(r"^(:{3,})\{(?:dropdown|page-meta)\}.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(`{3,}).*?^\1$|\$\$.*?\$\$|\{holds\}`[^`]*`|<[^>]+>", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\{\w+\}`[^`]*`|\$[^$]+\$", "x", re.sub(r"^(?:  >|:).*$", "", text, flags=re.MULTILINE))
    return sum(re.search("[A-Za-z]", word) is not None for word in text.split())


def test_the_path_can_be_read_and_practised_in_an_afternoon() -> None:
    assert [chapter.name for chapter in SHORT] == PATH
    first = int(re.findall(r"about (\d+) minutes, estimated", source("index"))[0])
    assert first + sum(chapter.minutes for chapter in SHORT) <= 110
    asked = [task for chapter in SHORT for task in chapter.practice]
    assert len(asked) == len(set(asked)) and not set(asked) - set(tasks())
    assert sum(tasks()[task].minutes for task in asked) + sum(chapter.by_hand for chapter in SHORT) <= 90


@pytest.mark.parametrize("page", [*SHORT, WHY], ids=lambda page: page.name)
def test_the_minutes_of_a_page_are_enough_for_its_words(page: Chapter) -> None:
    assert words(page.name) / 130 < page.minutes + 0.5, "at 130 words a minute"


def test_ndcg_is_defined_soon() -> None:
    before = PATH[: PATH.index("chapters/ndcg")]
    assert sum(map(words, before)) < 4000 and {"ndcg-definition"} <= set(LABEL.findall(source("chapters/ndcg")))


@pytest.mark.parametrize("page", PATH)
def test_a_page_of_the_path_goes_on_to_the_next(page: str) -> None:
    assert len(box(BOOK / f"{page}.md", "next")) == (page != PATH[-1])


def test_no_menu_is_longer_than_a_screen() -> None:
    for room, parts in rooms(kit.ROOT).items():
        first, *folded = parts.values()
        assert len(first) + len(folded) + (room == "Learn") <= 15, room


def test_a_page_behind_a_seal_stands_in_no_menu() -> None:
    shown = {page for parts in rooms(kit.ROOT).values() for pages in parts.values() for page in pages}
    assert set(LISTED) - shown == {page for page in LISTED if page.startswith("notes/")}


def test_the_puzzles_do_not_tell_the_solutions() -> None:
    boxes = r"^(:::+)\{(?:exhibit|quiz|claims|dropdown)\}.*?^\1$"
    open_ = re.sub(boxes, "", source("chapters/the-notes-checked"), flags=re.DOTALL | re.MULTILINE)
    assert "{wrong-numbers}" not in open_ and "{disagreements}" not in open_ and "notes/note-" not in open_


def test_an_old_anchor_has_a_signpost_and_a_new_home() -> None:
    for page, anchors in MOVED.items():
        for anchor in anchors:
            assert f'<span id="{anchor}">' in source(page), f"{page}#{anchor} leads nowhere"
            assert LABELS[anchor] != page


def test_the_needs_of_the_handbook_lead_somewhere() -> None:
    needs = re.findall(r"^- \[When [^\]]+\]\(#([a-z0-9-]+)\)$", source("handbook"), re.MULTILINE)
    assert len(needs) > 30 and not set(needs) - set(LABELS)
    handbook = rooms(kit.ROOT)["Handbook"]
    lost = {page for part, page in contents(kit.ROOT) if part in handbook and page.startswith("chapters/")}
    assert lost == {LABELS[need] for need in needs} & lost, "a page of the handbook that no need leads to"


def test_no_menu_lays_more_than_fifteen_entries_open() -> None:
    """Whichever fold is open: folds of one name shut each other. Counted in the HTML, by what a reader sees."""
    from types import SimpleNamespace

    from _ext import rooms as made
    from docutils.nodes import title

    app = SimpleNamespace(env=SimpleNamespace(titles={page: title("", page) for page in ("index", *LISTED)}))
    for here in LISTED:
        html = made.menu(app, {"pathto": lambda page: page}, here).partition("bd-sidenav")[2]
        folds = re.findall(r"<details([^>]*)>(.*?)</details>", html, re.DOTALL)
        assert all('name="part"' in given for given, _ in folds) and sum("open" in given for given, _ in folds) <= 1
        lying = re.sub(r"<details.*?</details>", "", html, flags=re.DOTALL).count("<a ")
        inside = [inner.count("<a ") for _, inner in folds]
        assert lying + len(folds) + max([0, *(n - 1 for n in inside)]) <= 15, here
        assert html.count("current active") == (here in str(made.rooms())), here
