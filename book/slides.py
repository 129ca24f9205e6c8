"""A deck of slides for each chapter, as one HTML file and as PDF: figures, formulas, hand calculation, polls, summary.

`python book/slides.py [CHAPTER…] [-o FOLDER] [--html] [--source]`. What is on a slide is read from the chapter, and
what the speaker sees besides (key S) from its page in the teacher's guide; slides/CHAPTER.md, which --source writes,
says which of them are shown, and holds the teacher's own. The slides are reveal.js, put whole into each file.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import importlib.util
import itertools
import mimetypes
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pdf
from _ext.guide import stumbles
from _ext.lists import named
from _ext.look import variables
from _ext.sheets import (
    ROOT,
    SENTENCE,
    block,
    document,
    figure,
    formulas,
    imprint,
    inline,
    logo,
    pieces,
    sentences,
    shown,
    titles,
)

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make import printing
from ndcg_course.make.chapters import PARTS, Chapter, Lesson, Part, Question, chapters, guide, lessons
from ndcg_lib.grid import Html, joined, tag, tags

BOOK = Path(__file__).resolve().parent
ROOM = (20, 20, 17, 13)  # a kind of slide is added while there are fewer than this
STEP = Html(' class="fragment"')
OWN = ROOT / "slides"  # decks that a teacher has changed
HOW = """\
<!-- Each line in brackets is a slide of the chapter. Change their order, delete what you do not show, and change the
words below a line: what you changed stays, what you left follows the book, and a build says where the book has other
words since. Slides of your own stand between them: a line "## Headline", then Markdown, with pictures from this folder.
Below a line "Notes:", here too on a slide of the chapter, stands what only you see. A list of your own is worked out
step by step where you write its grades and titles: [example: Two shelves | 2 0 3 1 | first book; second; third; fourth]
The figures of the chapter lie as SVG files beside the deck that is made. -->"""
WALK = tag("p", "Each step adds a rank. Ask for the next term before you show it.")
READERS = tag("p", "These readers follow the curve of the next pages; nobody counted them.")
STUMBLE = "Where students stumble"  # a heading of the teacher's guide
GAINS = ("gain", "discount")
MOST_LINES = 12  # of a table
SHORT = 14  # letters: answers that stand side by side
LOOKS = re.compile(r"\b(look|figure|bars?|lines?|curves?|dots?)\b", re.IGNORECASE)  # words that read a figure
LINE = re.compile(r"(\[\w+: .*\])(?: <!-- (\w+) -->)?")  # a slide of the chapter, and which words it had
START = """// A browser that prints draws no frames, and reveal.js waits for some.
if (location.search.includes("print-pdf")) requestAnimationFrame = (next) => setTimeout(next, 0);
const bottom = (element) => element.getBoundingClientRect().bottom;
const fits = (body) => body.scrollWidth <= body.clientWidth && bottom(body) <= bottom(body.parentElement) - 44;
document.fonts.ready.then(() => {
  for (const body of document.querySelectorAll("section:not(.figure) > .fill")) { // what is said fills its slide
    let size = MOST;
    do body.style.zoom = size; while (!fits(body) && (size -= 0.05) > 0.7);
  }
  Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, display: "flex", hash: true, slideNumber: "c/t",
  transition: "none", defaultTiming: 60,
  backgroundTransition: "none", plugins: [RevealNotes], pdfMaxPagesPerSlide: 1, pdfSeparateFragments: true });
});""".replace("MOST", "2.2")  # times the size of the letters
NONE = Html()
NOT_COUNTED = (
    "How a class votes has not been counted yet. If all guessed, each answer would get {share} of the votes; what is "
    "above that is knowledge, or the belief named here. Under a third right: explain again. From a third to two "
    "thirds: let neighbours argue, and vote again. Above: go on."
)


@dataclass(frozen=True)
class Slide:
    """A slide: its headline and body as HTML, how much it is wanted, and what the speaker reads beside it."""

    kind: str
    title: str
    body: Html
    notes: Html = NONE
    wanted: int = 0
    words: str = ""  # the body as Markdown, where a teacher may change it
    steps: str = ""  # which of its pieces come one by one: li, tr, pre, last, or rest (all but the first)
    minutes: float = 0.0

    def saying(self, words: str) -> Slide:
        """The slide with these words."""
        return replace(self, words=words, body=_stepwise(block(words), self.steps))


def _said(kind: str, title: str, words: str, notes: Html = NONE, wanted: int = 0, steps: str = "") -> Slide:
    return Slide(kind, title, NONE, notes, wanted, steps=steps).saying(words)


def _stepwise(shown: Html, steps: str) -> Html:
    return Html(_cut(shown, steps))


def _cut(shown: str, steps: str) -> str:
    """A body whose pieces come one by one."""
    if steps == "rest":
        first, end, rest = shown.partition("</blockquote>")
        return f"{first}{end}<div{STEP}>{rest}</div>"
    if steps == "last":
        head, _, rest = shown.rpartition("<p>")
        return f"{head}<p{STEP}>{rest}" if head else shown
    if steps == "pre":
        head, _, rest = shown.rpartition("<pre>")
        return f"{head}<pre{STEP}>{rest}" if "<pre>" in head else shown
    inside = re.compile(r"<tbody>.*</tbody>" if steps == "tr" else ".*", re.DOTALL)
    return inside.sub(lambda found: found[0].replace(f"<{steps}>", f"<{steps}{STEP}>"), shown) if steps else shown


def deck(chapter: Chapter, notes: dict[str, str]) -> list[Slide]:
    """The slides of a chapter, in the order of its page; from 12 to 20 of them."""
    head, *opening = chapter.opening.partition("** ")
    claim, rest = (head.strip("* "), opening[-1]) if chapter.opening.startswith("**") else ("", chapter.opening)
    where = f"{chapter.part} · {chapter.minutes} minutes"
    about = tags("p", [where, inline(f"Needs: {chapter.needs}"), imprint(chapter.convention)])
    slides = [
        Slide(
            "title",
            inline(chapter.title),
            logo() + about,
            block(notes.get("", "")),
        ),
    ]
    before = list(itertools.takewhile(lambda part: (part.kind, part.level) != ("heading", 2), chapter.parts))
    shows = [slide for slide in _section(before[0], before[1:], notes) if slide.kind in ("figure", "table")]
    case = _said("case", inline(claim), rest.strip(), block(notes.get("Ask", "")))
    if rest.rstrip().endswith(":") and shows and shows[0].words:  # the table is what it announces
        table = shows.pop(0)
        case = replace(table, title=case.title, notes=case.notes + table.notes).saying(f"{case.words}\n\n{table.words}")
    slides += [case, *shows]
    if chapter.prediction:
        slides.append(_guess(chapter.prediction, notes))
    slides.append(_said("list", "Afterwards you can", _list(chapter.objectives)))
    for heading, parts in chapter.sections():
        slides += _section(heading, parts, notes, _choices(chapter))
    shows_one = any(part.text.find("=") > 0 for part in chapter.boxes("formula"))
    if shows_one and (keep := formulas(" ".join(part.text for part in chapter.parts), row="fragment")):
        slides.append(Slide("table", "The formulas to keep", keep))
    slides += [_poll(question, notes) for question in chapter.questions]
    slides.append(_said("list", "In short", _list(chapter.summary), block(notes.get("Discuss", "")), steps="li"))
    task = titles().get(f"assignments/{chapter.assignment}", "")
    now = f"Assignment: **{task}**\n\n" if task else ""
    ahead = "".join(f"\n\nFor next time: {' '.join(part.text.split())}" for part in chapter.boxes("next"))
    now += f"To read: **{chapter.title}**, {chapter.minutes}\N{NO-BREAK SPACE}minutes{ahead}"
    slides.append(_said("title", "Now you", now, block(notes.get("Afterwards", ""))))
    kept = set()
    for wanted, room in enumerate(ROOM):
        for i, slide in enumerate(slides):
            if slide.wanted == wanted and len(kept) < room:
                kept.add(i)
    return [slides[i] for i in sorted(kept)]


def _list(points: tuple[str, ...]) -> str:
    return "\n".join(f"- {point}" for point in points)


def _guess(part: Part, notes: dict[str, str]) -> Slide:
    """The question before the chapter as a poll: words to choose from, or a number to write down."""
    asked: list[tuple[str, str, list[str]]] = []
    for one in filter(None, part.options.get("guess", "").split(";")):
        name, _, form = (said.strip() for said in one.rpartition(" = "))
        found = re.fullmatch(r"(\S+) to (\S+) by \S+", form)
        told = f"a number from {found[1]} to {found[2]}" if found else "a number" if form == "number" else ""
        asked.append((name, told, [] if told else form.split(",")))
    return Slide("case", "Decide before we go on", pieces().guess(part.text, asked), block(notes.get("Ask", "")))


def _section(
    heading: Part, parts: list[Part], notes: dict[str, str], choices: Mapping[str, Any] | None = None
) -> Iterator[Slide]:
    """What a section has to show, each with the text around it."""
    title = inline(heading.title)
    told = ""
    for i, part in enumerate(parts):
        before = parts[i - 1].text if i > (heading.level == 1) and parts[i - 1].kind == "text" else ""
        after = next((p.text for p in parts[i + 1 : i + 3] if p.kind in ("text", "guessed")), "")
        lead = SENTENCE.split(" ".join(before.split()))[-1]
        lead = "" if lead in told else f"{lead}\n\n"
        read = block(after)
        if part.kind == "text" and not told and "<span" not in part.text:
            told = sentences(part.text, 300)
            if len(told) > 80:
                yield _said("text", title, told, block(part.text), wanted=2)
        elif part.kind == "figure":
            shows = block(notes.get("Show", "")) + read
            reading = sentences(after, 180)
            drawn = _drawn(part.text, reading if LOOKS.search(reading) else "")
            yield Slide("figure", inline(part.title or heading.title), drawn, shows)
        elif part.kind == "formula":
            yield _said("formula", title, f"{lead}$$\n{part.text}\n$$\n\n{sentences(after, 200)}", read, steps="last")
        elif part.kind == "table" or "ndcg-working" in part.text:
            table = Html(part.text) if part.kind == "output" else block(part.text)
            rows = table.count("<tr") - 1
            if rows > 1 and _lines(table) <= MOST_LINES:
                wanted = 0 if "=" in table or rows > 3 else 1
                slide = _said("table", title, lead + part.text, block(notes.get("Do", "")) + read, wanted, "tr")
                made = block(lead) + _stepwise(table, "tr")
                yield replace(slide, body=made, words="") if part.kind == "output" else slide
        elif part.kind == "misconception" and part.text and part.title:
            words = f"> “{part.title}”\n\n{part.text}"
            yield _said("belief", "True or not?", words, block(notes.get(STUMBLE, "")), wanted=1, steps="rest")
        elif part.kind == "guessed":
            said = sentences(part.text.removeprefix("How close was your guess?"), 380)
            yield _said("text", "How close was your guess?", said, block(part.text), wanted=1)
        elif part.kind == "playground" and part.text:
            cards, measure = [*_cards(part)], part.options.get("measure")
            if measure in ("readers", "dcg", "ndcg") and "play" not in part.options:
                missed = list(map(float, part.options.get("missed", "").split()))
                said = joined(READERS if measure == "readers" else None, WALK)
                yield Slide("walk", "From grades to the number", walk(cards, measure, missed, choices), said)
            yield Slide("case", "Try it", pieces().cards(part.text, cards), block(notes.get("Live", "")), wanted=1)
        elif part.kind == "code" and not part.tags and part.text.count("\n") < 10:
            out = next(iter(p.text for p in parts[i + 1 : i + 2] if p.kind == "output" and not p.tags), "")
            if out.count("\n") < 8:
                words = f"{lead}```\n{part.text}\n```\n\n" + (f"```\n{out.rstrip()}\n```" if out else "")
                yield _said("code", title, words.rstrip(), read, wanted=2, steps="pre")
        elif part.kind == "list":
            yield _said("text", title, lead + part.text, read, wanted=3)


def _drawn(svg: str, reading: str) -> Html:
    """A figure over the whole slide: what it says stands beside one that is not wide, and below one that is."""
    box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', svg)
    wide = box is not None and float(box[1]) > 2 * float(box[2])
    said = tag("p", inline(reading), class_="fragment") if reading else None
    return tag("div", figure(svg), said, class_="alone" if not said else "below" if wide else "beside")


def _lines(table: str) -> int:
    """About how many lines a table takes on a slide."""
    rows = [
        [len(re.sub("<annotation.*?</annotation>|<.*?>", "", cell)) for cell in re.split("</t[dh]>", row)]
        for row in table.split("</tr>")
    ]
    wide = [max(column) for column in itertools.zip_longest(*rows, fillvalue=0)]
    room = max(sum(wide) / 72, 1)  # so many characters in a line
    return sum(
        max((-(-cell * room // max(w, 1)) for cell, w in zip(row, wide, strict=False)), default=0) for row in rows
    )


def _cards(part: Part) -> Iterator[tuple[str, str]]:
    options = named(part.options)
    grades = options.get("grades", "").split()
    names = [name.strip() for name in options.get("titles", "").split(";")]
    return ((grade, names[i] if i < len(names) else "") for i, grade in enumerate(grades))


def _choices(chapter: Chapter) -> Mapping[str, Any]:
    """The gain and the discount of a chapter: those of the course where it follows them."""
    return _taught() if chapter.convention.startswith("This course") else {}


def walk(cards: list[tuple[str, str]], measure: str, missed: list[float], choices: Mapping[str, Any] | None) -> Html:
    """The figure of the first page, worked out rank by rank; for NDCG with the best order below it."""
    given = [float(grade) for grade, _ in cards]
    gain, discount = ({name: value for name, value in (choices or {}).items() if name == of} for of in GAINS)
    shares = nd.discounts(len(given), **discount)
    terms = nd.gains(given, **gain) * shares
    best = sorted([*given, *missed], reverse=True)[: len(given)]
    ideal = float((nd.gains(best, **gain) * shares).sum()) if measure == "ndcg" else 0.0
    crowd = measure == "readers"
    ranks = [
        {"grade": grade, "title": title, "share": share, "term": term,
         "told": f"{100 * share:.0f} of 100" if crowd else f"× {share:.3f}"}
        for (grade, title), share, term in zip(cards, map(float, shares), map(float, terms), strict=True)
    ]  # fmt: skip
    total = float(terms.sum())
    worth = "readers who get here" if crowd else "discount"
    return joined(pieces().walk(ranks, worth, total, ideal, max(total, ideal) or 1.0))


def timed(slides: list[Slide], plan: Lesson | None) -> list[Slide]:
    """The slides with their minutes in what the speaker sees: the lesson asks, shows and does, each for so long."""
    if plan is None:
        return slides
    kinds = {"title": "ask", "case": "ask", "poll": "do", "walk": "do"}
    parts = [kinds.get(slide.kind, "show") for slide in slides]
    share = {part: getattr(plan, part) / max(parts.count(part), 1) for part in PARTS}
    told, passed = [], 0.0
    for slide, part in zip(slides, parts, strict=True):
        begun, passed = passed, passed + share[part]
        long, when = f"{share[part]:.1f} minutes", f", from {begun:.0f} to {passed:.0f} of {plan.minutes}"
        line = tag("p", tag("b", long), when)
        told.append(replace(slide, notes=line + slide.notes, minutes=share[part]))
    return told


def figures(slides: list[Slide]) -> list[str]:
    """The figures of a deck, each as a file that any program shows."""
    looks = tag("style", f"svg {{ {variables('light')} }} text {{ font-family: serif }}")
    found = [re.search(r"<svg.*</svg>", slide.body, re.DOTALL) for slide in slides if slide.kind == "figure"]
    drawn = [one[0] for one in found if one]
    named = [
        svg if "xmlns=" in svg else svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) for svg in drawn
    ]
    return [re.sub(r"(<svg[^>]*>)", lambda tag: tag[1] + looks, svg, count=1) for svg in named]


def _poll(question: Question, notes: dict[str, str]) -> Slide:
    """A question of the page; the next step shows the right answer and why."""
    answers = shown(question)
    name = f"Question {question.number}"
    if question.kind == "order":
        return Slide("poll", name, pieces().order(question, answers, STEP), block(question.answers[0].feedback))
    share = f"{1 / len(answers):.0%}".replace("%", " %")
    lettered = [*zip("ABCDEFG", answers, strict=False)]
    body = pieces().choose(question, lettered, share, all(len(answer.text) <= SHORT for answer in answers))
    told = joined(pieces().told(NOT_COUNTED.format(share=share), lettered), block(notes.get(STUMBLE, "")))
    return Slide("poll", name, body, told)


def _taught() -> Mapping[str, Any]:
    return {name: value for name, value in course.load(ROOT).chosen.items() if name in GAINS}


def _named(slides: list[Slide]) -> dict[str, Slide]:
    """The slides by the lines that stand for them."""
    held: dict[str, Slide] = {}
    for slide in slides:
        title = html.unescape(re.sub("<annotation.*?</annotation>|<.*?>", "", slide.title)).strip()
        name = f"[{slide.kind}: {title}]"
        for number in itertools.count(2):
            if name not in held:
                break
            name = f"[{slide.kind}: {title} ({number})]"
        held[name] = slide
    return held


def _mark(words: str) -> str:
    return hashlib.sha256(words.strip().encode()).hexdigest()[:6]


def source(chapter: Chapter, slides: list[Slide]) -> str:
    """The deck as Markdown that a teacher may change."""
    lines = [f"# {chapter.title}", "", HOW]
    for line, slide in _named(slides).items():
        lines += ["", *([f"{line} <!-- {_mark(slide.words)} -->", "", slide.words.strip()] if slide.words else [line])]
    return "\n".join([*lines, ""])


def arranged(file: Path, slides: list[Slide]) -> list[Slide]:
    """The slides as a teacher's file has them, with own ones and own words; what the chapter has otherwise is said."""
    made = _named(slides)
    held: list[Slide] = []
    gone, changed, left = [], [], dict(made)
    for piece in re.split(r"(?m)^(?=\[\w+: |## )", file.read_text("utf8").partition("\n")[2])[1:]:
        line, _, below = piece.partition("\n")
        words, _, notes = f"\n{below}".partition("\nNotes:")
        own = _with_pictures(file, words)
        if line.startswith("[example: "):
            slide = _example(file, line)
        elif line.startswith("## "):
            slide = Slide("text", inline(line[3:]), own)
        elif found := LINE.fullmatch(line.rstrip()):
            line, mark = found.groups()
            mine = own if mark != _mark(words) else ""
            left.pop(line, None)
            if line not in made:
                gone.append(line)
                if not mine:
                    continue
            slide = made.get(line, Slide("text", inline(line.partition(": ")[2][:-1]), NONE))
            if mine and slide.words and mark not in (None, new := _mark(slide.words)):
                changed.append(f"{line} (write <!-- {new} --> behind it when you have seen them)")
            if mine:
                slide = replace(slide, body=_stepwise(own, slide.steps) if slide.words else joined(slide.body, own))
        else:
            raise SystemExit(f"slides: {file}: {line!r} is no slide; a line in brackets ends with ]")
        held.append(replace(slide, notes=slide.notes + block(notes)))
    for what, lines in {
        "the chapter has no such slide any more": gone, "left out, or new in the chapter": [*left],
        "your words are kept, and the chapter has others now": changed,
    }.items():  # fmt: skip
        if lines:
            print(f"{file}: {what}: {'; '.join(lines)}", file=sys.stderr)
    if not held:
        raise SystemExit(f"slides: {file} names no slide; delete it, and `--source` writes it anew")
    return held


def _example(file: Path, line: str) -> Slide:
    """A list of the teacher's own, worked out."""
    title, grades, names = [*line[10:-1].split("|"), "", ""][:3]
    titles = [name.strip() for name in names.split(";")] + [""] * len(grades)
    try:
        body = walk(list(zip(grades.split(), titles, strict=False)), "ndcg", [], _taught())
    except ValueError as error:
        raise SystemExit(f"slides: {file}: {line}: {error}") from None
    return Slide("walk", inline(title.strip()), body, WALK)


def _with_pictures(file: Path, words: str) -> Html:
    """A teacher's Markdown with its pictures inside."""
    return Html(re.sub(r'src="([^":]+)"', lambda found: f'src="{_picture(file.parent / found[1])}"', block(words)))


def _picture(file: Path) -> str:
    if not file.is_file():
        raise SystemExit(f"slides: there is no picture {file}")
    kind = mimetypes.guess_type(file.name)[0] or "image/png"
    return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"


def page(chapter: Chapter, slides: list[Slide]) -> Html:
    """The deck as one file, reveal.js and fonts inside; no policy, since the speaker sees it in frames."""
    scripts = [_reveal(name) for name in ("dist/reveal.js", "plugin/notes/notes.js")]
    title = html.unescape(re.sub("<.*?>", "", slides[0].title))
    deck = joined(pieces().deck(slides, scripts, START))
    return document(title, "slides.css", deck, _reveal("dist/reveal.css"), policy=None)


def _reveal(name: str) -> str:
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None or found.origin is None:
        raise SystemExit("slides: reveal.js is missing; pip install sphinx-revealjs, which carries it")
    text = (Path(found.origin).parent / "_static" / "revealjs" / name).read_text("utf8")
    return text.replace("</script", "<\\/script")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kit.py slides", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("chapter", nargs="*", help="pages as in book/_toc.yml, such as discounting (default: all)")
    parser.add_argument("-o", "--output", type=Path, default=BOOK / "_build" / "slides", metavar="FOLDER")
    parser.add_argument("--source", action="store_true", help="write the deck as Markdown to change, into slides/")
    parser.add_argument("--html", action="store_true", help="no PDF beside it; then no browser is needed")
    asked = parser.parse_args(arguments)
    program = None if asked.html or asked.source else printing.needed("slides", "; --html goes without")
    asked.output.mkdir(parents=True, exist_ok=True)
    plans = lessons(ROOT)
    for chapter in chapters(ROOT, pdf.named(asked.chapter)):
        notes = guide(ROOT, chapter.name)
        if STUMBLE in notes:
            notes[STUMBLE] = "\n".join([*stumbles(chapter.name), "", notes[STUMBLE]])
        slides = deck(chapter, notes)
        own = OWN / f"{chapter.name.rpartition('/')[2]}.md"
        if asked.source:
            if own.exists():
                raise SystemExit(f"slides: {own} is there already; the deck is made from it")
            OWN.mkdir(exist_ok=True)
            own.write_text(source(chapter, slides), "utf8")
            print(own)
            continue
        slides = timed(arranged(own, slides) if own.exists() else slides, plans.get(own.stem))
        for number, svg in enumerate(figures(slides), start=1):
            (asked.output / f"{own.stem}-figure-{number}.svg").write_text(svg, "utf8", newline="\n")
        file = (asked.output / chapter.name.rpartition("/")[2]).with_suffix(".html")
        file.write_text(page(chapter, slides), "utf8", newline="\n")
        if program:
            printing.print_page(program, file, file.with_suffix(".pdf"), "?print-pdf")
        print(f"{file}: {len(slides)} slides", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
