"""The slides: made from the chapter alone, complete in one file, and no slide is fuller than the screen."""

from __future__ import annotations

import base64
import math
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import handouts
import pytest
import slides
from _ext import look, paper, sheets
from book_pages import BOOK

from ndcg_course import course
from ndcg_course.make import chapters as chapters_of
from ndcg_course.make import printing
from ndcg_course.make.chapters import Answer, Chapter, Question, chapters

REPO = BOOK.parent
needs_browser = pytest.mark.skipif(printing.browser() is None, reason="no Chromium, Chrome or Edge on this machine")
NOT_RIGHT = """() => Reveal.getSlides().flatMap((slide) => {
  const { h, v } = Reveal.getIndices(slide), name = slide.querySelector("h1, h2").textContent;
  Reveal.slide(h, v, 99);
  const wide = (box) => box.scrollWidth > box.clientWidth + (box === slide ? 0 : 1);
  const tall = slide.clientHeight !== 720 || slide.scrollHeight > 720;
  const over = tall || [slide, ...slide.querySelectorAll("td, th")].some(wide);
  const words = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT), range = document.createRange();
  const boxes = [...slide.querySelectorAll("svg, i, pre")].map((one) => one.getBoundingClientRect());
  while (words.nextNode()) {
    range.selectNodeContents(words.currentNode);
    boxes.push(...range.getClientRects());
  }
  const used = Math.max(...boxes.map((box) => box.bottom)) * Math.max(...boxes.map((box) => box.right));
  const empty = !slide.classList.contains("title") && used < 0.45 * 1280 * 720;
  return [...(over ? [`too full: ${name}`] : []), ...(empty ? [`half empty: ${name}`] : [])];
})"""


@pytest.fixture(scope="module")
def discounting() -> Chapter:
    return chapters(REPO, ["chapters/discounting"])[0]


def test_a_deck_shows_what_the_chapter_shows(discounting: Chapter) -> None:
    deck = slides.deck(discounting, {})
    assert 12 <= len(deck) <= 20
    shown = {kind: [slide for slide in deck if slide.kind == kind] for kind in ("figure", "poll", "formula", "table")}
    assert [slide.title for slide in shown["figure"]] == [figure.title for figure in discounting.boxes("figure")]
    assert len(shown["poll"]) == len(discounting.questions)
    assert len(shown["formula"]) == 3
    by_hand = shown["table"][0].body
    assert by_hand.count('<tr class="fragment">') == 6 and "3.323" in by_hand  # five ranks and their sum
    assert deck[1].body.startswith("<p>Both found") and "sliders" not in deck[2].body and "from 0 to 3" in deck[2].body


def test_the_right_answer_of_a_poll_comes_with_the_next_step(discounting: Chapter) -> None:
    question = Question("here", 1, "choose", "Which?", (Answer("this", True, "Because."), Answer("that", False, "No.")))
    body = slides._poll(question, {}).body
    (marked,) = re.findall(r'<span class="fragment[^>]*right[^>]*><b>.</b> (\w+)', body)
    assert marked == "this"
    assert re.sub(r'<p class="fragment".*?</p>', "", body).find("Because") == -1
    assert "50 %" in body
    assert "has not been counted" in slides._poll(question, {}).notes


def test_numbers_of_a_poll_stand_by_size_and_an_order_is_never_given_away() -> None:
    three = tuple(Answer(text, text == "7.762", "") for text in ("7.762", "11.000", "9.155"))
    assert [a.text for a in sheets.shown(Question("", 1, "number", "?", three))] == ["7.762", "9.155", "11.000"]
    for stem in map(str, range(60)):
        assert sheets.shown(Question("", 1, "order", stem, three)) != list(three)


def test_the_speaker_reads_the_guide(discounting: Chapter) -> None:
    deck = slides.deck(
        discounting, {"Ask": "Ask them first.", "Show": "Point at the drop.", "Discuss": "Whose reader?"}
    )
    page = slides.page(discounting, deck)
    told = dict(re.findall(r'<section id="[\w-]+" class="(\w+)".*?<aside class="notes">(.*?)</aside>', page, re.DOTALL))
    assert "Point at the drop." in told["figure"] and "Whose reader?" in told["list"]
    assert any("Ask them first." in slide.notes for slide in deck[:3])


def test_a_deck_asks_no_other_host(discounting: Chapter) -> None:
    page = slides.page(discounting, slides.deck(discounting, {}))
    assert not re.findall(
        r"""(?:<(?:script|img|iframe)[^>]*src=|<link[^>]*href=|url\(["']?|@import )["']?https?:""", page
    )


def test_only_whole_sentences_and_none_that_leads_to_nothing() -> None:
    assert sheets.sentences("of the worth. One more. Python reads it so:", 200) == "One more."
    assert sheets.sentences("A first one. " + "B" * 300 + ".", 100) == "A first one."


def test_title_logo_licence_and_colour_of_the_course_leave_the_site_with_each_file(
    discounting: Chapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "logo.svg"
    picture.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf8")
    taught = course.Course(title="Search & find", licence="CC BY <us>", logo=picture)
    monkeypatch.setattr(course, "load", lambda *_: taught)
    monkeypatch.setitem(look.LIGHT, "link", "#7a1f3d")
    sheets.style.cache_clear()
    monkeypatch.setattr(paper.Pages, "__init__", lambda self: vars(self).update(listed=[], figures=[], tables=[]))
    made = {
        "slides.css": slides.page(discounting, slides.deck(discounting, {})),
        "handouts.css": sheets.document("Sheet", "handouts.css", handouts.handout(discounting)),
        "book.css": f"<title>{taught.title}</title><style>{sheets.style()}</style>" + paper.Pages()._front(),
    }
    sheets.style.cache_clear()
    for sheet, page in made.items():
        rules = (BOOK / "_paper" / sheet).read_text("utf8")
        assert f"base64,{base64.b64encode(picture.read_bytes()).decode()}" in page, sheet
        assert "--link: #7a1f3d;" in page and "var(--link)" in rules and ".logo" in rules, sheet
        assert "Search &" in page.partition("</title>")[0], sheet
    assert "CC BY &lt;us&gt;" in made["slides.css"] and "CC BY &lt;us&gt;" in made["book.css"]
    assert "CC BY <us>" in sheets.imprint(), "the foot of each sheet"


def test_a_teacher_s_deck_has_its_order_its_own_slides_and_no_others(
    discounting: Chapter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = slides.deck(discounting, {})
    file = tmp_path / "discounting.md"
    file.write_text(slides.source(discounting, deck), "utf8")
    assert slides.arranged(file, deck) == deck and capsys.readouterr().err == ""
    (tmp_path / "shelf.png").write_bytes(b"a picture")
    lines = [line for line in file.read_text("utf8").splitlines() if line.startswith("[")]
    own = "## A *library*\n\n- one shelf\n\n![the shelf](shelf.png)\n\nNotes:\nWait.\n"
    file.write_text("\n".join(["# Mine", lines[3], own, lines[1], "[text: Gone]"]), "utf8")
    first, mine, last = slides.arranged(file, deck)
    assert (first, last) == (deck[3], deck[1])
    assert mine.title == "A <em>library</em>" and "<li>one shelf</li>" in mine.body and "data:image/png" in mine.body
    assert "Wait." in mine.notes and "Wait." not in mine.body
    told = capsys.readouterr().err
    assert "no such slide any more: [text: Gone]" in told and lines[0] in told.partition("left out")[2]
    file.write_text("# Mine\n\n## One\n\n![it](gone.png)\n", "utf8")
    with pytest.raises(SystemExit, match=r"there is no picture .*gone\.png"):
        slides.arranged(file, deck)


def test_words_that_a_teacher_changed_stay_and_the_others_follow_the_book(
    discounting: Chapter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = slides.deck(discounting, {})
    file = tmp_path / "discounting.md"
    written = slides.source(discounting, deck)
    mine = written.replace("- compute DCG@k by hand and in code", "- compute *our* DCG\n\nNotes:\nNot yet.")
    mine = mine.replace(deck[-1].words, "Read what you like.")
    mine = mine.replace("[case: Decide before we go on]", "[case: Decide before we go on]\n\nHands *up*.")
    file.write_text(mine, "utf8")
    (goals,) = [slide for slide in slides.arranged(file, deck) if slide.title == "Afterwards you can"]
    assert "Hands <em>up</em>." in slides.arranged(file, deck)[2].body
    assert "<em>our</em>" in goals.body and "Not yet." in goals.notes and capsys.readouterr().err == ""
    later = [slide.saying(f"{slide.words} And more.") if slide.words else slide for slide in deck]
    held = slides.arranged(file, later)
    assert [slide.body for slide in held[:2]] == [slide.body for slide in later[:2]], "what was left follows the book"
    assert "Read what you like." in held[-1].body and "And more" not in held[-1].body
    told = capsys.readouterr().err
    assert told.count("behind it when you have seen them") == 2 and "[title: Now you]" in told
    for line, new in re.findall(r"(\[.*?\]) \(write (<!-- \w+ -->) behind", told):
        mine = re.sub(re.escape(line) + " <!-- .* -->", f"{line} {new}", mine)
    file.write_text(mine, "utf8")
    assert slides.arranged(file, later)[-1].body == held[-1].body and capsys.readouterr().err == ""
    assert "Read what you like." in slides.arranged(file, deck[:-1])[-1].body, "own words outlive the slide of the book"
    file.write_text("# Mine\n\n[text: One\n", "utf8")
    with pytest.raises(SystemExit, match=r"'\[text: One' is no slide; a line in brackets ends with \]"):
        slides.arranged(file, deck)


def test_a_list_is_worked_out_step_by_step_the_teacher_s_too(discounting: Chapter, tmp_path: Path) -> None:
    (shown,) = [slide for slide in slides.deck(discounting, {}) if slide.kind == "walk"]
    steps = [int(step) for step in re.findall(r'data-fragment-index="(\d+)"', shown.body)]
    said = re.sub("<.*?>", " ", shown.body).split()
    assert sorted({*steps}) == [1, 2, 3, 4, 5, 6], "five ranks, and their sum"
    grades, expected = [0, 3, 2, 1, 0], 0.0
    for rank, grade in enumerate(grades, start=1):
        expected += grade / math.log2(rank + 1)
        assert f"{1 / math.log2(rank + 1):.3f}" in said and f"{grade / math.log2(rank + 1):.3f}" in said
    assert f"{expected:.3f}" in said
    file = tmp_path / "own.md"
    file.write_text("# Mine\n\n[example: *My* shelf | 0 2 1 | Ada; Bob; Eve]\n", "utf8")
    (own,) = slides.arranged(file, [])
    dcg, ideal = 2 / math.log2(3) + 1 / 2, 2 + 1 / math.log2(3)
    assert own.title == "<em>My</em> shelf" and "Bob" in own.body and f"{dcg:.3f} / {ideal:.3f}" in own.body
    file.write_text("# Mine\n\n[example: Mine | 0 two 1 | ]\n", "utf8")
    with pytest.raises(SystemExit, match=r"own\.md: \[example: Mine .*two"):
        slides.arranged(file, [])


def test_the_minutes_of_the_slides_are_those_of_the_lesson_and_a_slide_has_one_list(discounting: Chapter) -> None:
    plan = chapters_of.lessons(REPO)["discounting"]
    deck = slides.timed(slides.deck(discounting, {}), plan)
    told = [re.match(r"<p><b>([\d.]+) minutes</b>, from (\d+) to (\d+) of (\d+)", slide.notes) for slide in deck]
    assert all(told) and told[0] and told[-1] and (told[0][2], told[-1][3]) == ("0", str(plan.minutes))
    assert [one[2] for one in told[1:] if one] == [one[3] for one in told[:-1] if one], (
        "each begins where the last ends"
    )
    seconds = sum(map(int, re.findall(r'data-timing="(\d+)"', slides.page(discounting, deck))))
    assert seconds == pytest.approx(60 * plan.minutes, abs=len(deck)), "what the presenter's clock counts"
    assert all(len(re.findall("<[uo]l", slide.body)) <= 1 for slide in deck)


def test_the_figures_of_a_deck_are_files_that_stand_alone(discounting: Chapter) -> None:
    made = slides.figures(slides.deck(discounting, {}))
    assert len(made) == len(discounting.boxes("figure"))
    for svg in made:
        assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
        assert {*re.findall(r"var\((--[\w-]+)", svg)} <= {*re.findall(r"(--[\w-]+):", svg)}


def test_an_unknown_chapter_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="did you mean 'chapters/discounting'"):
        slides.main(["chapters/discuonting", "--html"])


@pytest.mark.slow
@pytest.mark.sweep
@needs_browser
def test_no_slide_of_any_chapter_is_fuller_than_the_screen_or_half_empty(tmp_path: Path) -> None:
    assert slides.main(["--html", "-o", str(tmp_path)]) == 0
    with ThreadPoolExecutor(1) as apart:  # another test may have a browser of its own in this thread
        full = apart.submit(not_right, tmp_path).result()
    assert len(full) == len(chapters(REPO)) and not {name: found for name, found in full.items() if found}


def not_right(folder: Path) -> dict[str, list[str]]:
    """What does not fit or fill its slide, by the file of the deck."""
    from playwright.sync_api import sync_playwright

    full: dict[str, list[str]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=printing.browser(), args=["--no-sandbox"])
        for file in sorted(folder.glob("*.html")):
            view = browser.new_page(viewport={"width": 1280, "height": 720})
            view.goto(file.as_uri())
            view.wait_for_function("window.Reveal && Reveal.isReady()")
            full[file.name] = view.evaluate(NOT_RIGHT)
            assert 12 <= view.evaluate("Reveal.getTotalSlides()") <= 20, file.name
            view.close()
        browser.close()
    return full


@pytest.mark.slow
@needs_browser
def test_the_printed_deck_has_a_page_for_each_step(tmp_path: Path) -> None:
    from pypdf import PdfReader

    assert slides.main(["discounting", "-o", str(tmp_path)]) == 0
    printed = PdfReader(tmp_path / "discounting.pdf")
    deck = slides.deck(chapters(REPO, ["chapters/discounting"])[0], {})
    assert len(printed.pages) > len(deck)
    assert {tuple(map(float, page.mediabox[2:])) for page in printed.pages} == {(960.0, 540.0)}  # 1280 by 720 pixels
    assert "Now you" in printed.pages[-1].extract_text()
