"""A deck of slides for each chapter, as one HTML file and as PDF: figures, formulas, hand calculation, polls, summary.

`python book/slides.py [CHAPTER…] [-o FOLDER] [--html] [--source]`. What is on a slide is read from the chapter, and
what the speaker sees besides (key S) from its page in the teacher's guide; slides/CHAPTER.md, which --source writes,
says which of them are shown, and holds the teacher's own. The slides are reveal.js, put whole into each file.
"""

from __future__ import annotations

import argparse
import base64
import html
import importlib.util
import itertools
import mimetypes
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pdf
from _ext.guide import stumbles
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
    sentences,
    shown,
    titles,
)

import ndcg_lib as nd
from ndcg_course import course
from ndcg_course.make import printing
from ndcg_course.make.chapters import PARTS, Chapter, Lesson, Part, Question, chapters, guide, lessons

BOOK = Path(__file__).resolve().parent
MUST, GOOD, MORE, SPARE = ROOM = (20, 20, 17, 13)  # a kind of slide is added while there are fewer than this
STEP = ' class="fragment"'
OWN = ROOT / "slides"  # decks that a teacher has changed
HOW = """\
<!-- Each line in brackets is a slide that is made from the chapter, so that it follows the book. Change their order,
delete what you do not show, and write slides of your own between them: a line "## Headline", then Markdown, with
pictures from this folder, and after a line "Notes:" what only you see. A list of your own is worked out step by step
where you write its grades and titles: [example: Two shelves | 2 0 3 1 | first book; second; third; fourth]
The figures of the chapter lie as SVG files beside the deck that is made. -->"""
WALK = "<p>Each step adds a rank. Ask for the next term before you show it.</p>"
STUMBLE = "Where students stumble"  # a heading of the teacher's guide
GAINS = ("gain", "discount")
MOST_LINES = 12  # of a table
START = """// A browser that prints draws no frames, and reveal.js waits for some.
if (location.search.includes("print-pdf")) requestAnimationFrame = (next) => setTimeout(next, 0);
const bottom = (element) => element.getBoundingClientRect().bottom;
const fits = (body) => body.scrollWidth <= body.clientWidth && bottom(body) <= bottom(body.parentElement) - 44;
document.fonts.ready.then(() => {
  for (const body of document.querySelectorAll(".fill")) { // what is said fills its slide
    let size = MOST;
    do body.style.zoom = size; while (!fits(body) && (size -= 0.05) > 0.7);
  }
  Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, display: "flex", hash: true, slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none", plugins: [RevealNotes], pdfMaxPagesPerSlide: 1, pdfSeparateFragments: true });
});""".replace("MOST", "1.6")  # times the size of the letters
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
    body: str
    notes: str = ""
    wanted: int = 0


def deck(chapter: Chapter, notes: dict[str, str]) -> list[Slide]:
    """The slides of a chapter, in the order of its page; from 12 to 20 of them."""
    head, *opening = chapter.opening.partition("** ")
    claim, rest = (head.strip("* "), opening[-1]) if chapter.opening.startswith("**") else ("", chapter.opening)
    where = f"{html.escape(chapter.part)} · {chapter.minutes} minutes"
    needs = inline(f"Needs: {chapter.needs}")
    slides = [
        Slide(
            "title",
            inline(chapter.title),
            f"{logo()}<p>{where}</p><p>{needs}</p><p>{html.escape(imprint(chapter.convention))}</p>",
            block(notes.get("", "")),
        ),
    ]
    before = list(itertools.takewhile(lambda part: (part.kind, part.level) != ("heading", 2), chapter.parts))
    shows = [slide for slide in _section(before[0], before[1:], notes) if slide.kind in ("figure", "table")]
    case = Slide("case", inline(claim), f"<p>{inline(rest)}</p>", block(notes.get("Ask", "")))
    if rest.rstrip().endswith(":") and shows and shows[0].kind == "table":  # the table is what it announces
        table = shows.pop(0)
        case = replace(table, title=case.title, body=case.body + table.body, notes=case.notes + table.notes)
    slides += [case, *shows]
    if chapter.prediction:
        slides.append(_guess(chapter.prediction, notes))
    slides.append(Slide("list", "Afterwards you can", _list(chapter.objectives)))
    for heading, parts in chapter.sections():
        slides += _section(heading, parts, notes, _choices(chapter))
    if keep := formulas(" ".join(part.text for part in chapter.parts), row=STEP):
        slides.append(Slide("table", "The formulas to keep", keep))
    slides += [_poll(question, notes) for question in chapter.questions]
    slides.append(Slide("list", "In short", _list(chapter.summary, STEP), block(notes.get("Discuss", ""))))
    task = titles().get(f"assignments/{chapter.assignment}", "")
    now = f"<p>Assignment: <strong>{inline(task)}</strong></p>" if task else ""
    read = f"<p>To read: <strong>{inline(chapter.title)}</strong>, {chapter.minutes} minutes</p>"
    slides.append(Slide("title", "Now you", now + read, block(notes.get("Afterwards", ""))))
    kept = set()
    for wanted, room in enumerate(ROOM):
        for i, slide in enumerate(slides):
            if slide.wanted == wanted and len(kept) < room:
                kept.add(i)
    return [slides[i] for i in sorted(kept)]


def _list(points: tuple[str, ...], how: str = "") -> str:
    return "<ul>" + "".join(f"<li{how}>{inline(point)}</li>" for point in points) + "</ul>"


def _guess(part: Part, notes: dict[str, str]) -> Slide:
    """The question before the chapter as a poll: words to choose from, or a number to write down."""
    body = f"<p>{inline(part.text)}</p>"
    for asked in filter(None, part.options.get("guess", "").split(";")):
        name, _, form = asked.rpartition(" = ")
        label = f"<strong>{inline(name.strip())}</strong> " if name else ""
        if found := re.fullmatch(r"(\S+) to (\S+) by \S+", form.strip()):
            choices = f"a number from {found[1]} to {found[2]}"
        elif form.strip() == "number":
            choices = "a number"
        else:
            choices = "".join(f"<span class=choice>{inline(word)}</span>" for word in form.split(","))
        body += f"<p class=poll>{label}{choices}</p>"
    return Slide("case", "Decide before we go on", body, block(notes.get("Ask", "")))


def _section(
    heading: Part, parts: list[Part], notes: dict[str, str], choices: Mapping[str, Any] | None = None
) -> Iterator[Slide]:
    """What a section has to show, each with the text around it."""
    title = inline(heading.title)
    told = False
    for i, part in enumerate(parts):
        before = parts[i - 1].text if i > (heading.level == 1) and parts[i - 1].kind == "text" else ""
        after = next((p.text for p in parts[i + 1 : i + 3] if p.kind in ("text", "guessed")), "")
        lead = f"<p>{inline(SENTENCE.split(' '.join(before.split()))[-1])}</p>" if before else ""
        read = block(after)
        if part.kind == "text" and not told and "<span" not in part.text:
            told = True
            if len(said := sentences(part.text, 300)) > 80:
                yield Slide("text", title, f"<p>{inline(said)}</p>", block(part.text), wanted=2)
        elif part.kind == "figure":
            shows = block(notes.get("Show", "")) + read
            yield Slide("figure", inline(part.title or heading.title), figure(part.text), shows)
        elif part.kind == "formula":
            formula = block(f"$$\n{part.text}\n$$")
            reading = f"<p{STEP}>{inline(said)}</p>" if (said := sentences(after, 200)) else ""
            yield Slide("formula", title, lead + formula + reading, read)
        elif part.kind == "table" or "ndcg-working" in part.text:
            table = part.text if part.kind == "output" else block(part.text)
            rows = table.count("<tr") - 1
            if rows > 1 and _lines(table) <= MOST_LINES:
                stepwise = re.sub(
                    r"(<tbody>.*)</tbody>", lambda found: found[0].replace("<tr", f"<tr{STEP}"), table, flags=re.S
                )
                does = block(notes.get("Do", "")) + read
                yield Slide("table", title, lead + stepwise, does, wanted=0 if "=" in table or rows > 3 else 1)
        elif part.kind == "misconception" and part.text and part.title:
            body = f"<p class=belief>“{inline(part.title)}”</p><div{STEP}>{block(part.text)}</div>"
            yield Slide("belief", "True or not?", body, block(notes.get(STUMBLE, "")), wanted=1)
        elif part.kind == "guessed":
            said = sentences(part.text.removeprefix("How close was your guess?"), 380)
            yield Slide("text", "How close was your guess?", f"<p>{inline(said)}</p>", block(part.text), wanted=1)
        elif part.kind == "playground" and part.text:
            cards = [
                f"<span class=choice>{html.escape(grade)}{' · ' + inline(name) if name else ''}</span>"
                for grade, name in _cards(part)
            ]
            if (measure := part.options.get("measure")) in ("dcg", "ndcg") and "play" not in part.options:
                missed = list(map(float, part.options.get("missed", "").split()))
                yield Slide("walk", "From grades to the number", walk([*_cards(part)], measure, missed, choices), WALK)
            body = f"<p>{inline(part.text)}</p><p class=poll>{''.join(cards)}</p>"
            yield Slide("case", "Try it", body, block(notes.get("Live", "")), wanted=1)
        elif part.kind == "code" and not part.tags and part.text.count("\n") < 10:
            out = next(iter(p.text for p in parts[i + 1 : i + 2] if p.kind == "output" and not p.tags), "")
            if out.count("\n") < 8:
                told_out = f"<pre{STEP}>{html.escape(out)}</pre>" if out else ""
                yield Slide("code", title, f"{lead}<pre>{html.escape(part.text)}</pre>{told_out}", read, wanted=2)
        elif part.kind == "list":
            yield Slide("text", title, lead + block(part.text), read, wanted=3)


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
    grades = part.options.get("grades", "").split()
    names = [name.strip() for name in part.options.get("titles", "").split(";")]
    return ((grade, names[i] if i < len(names) else "") for i, grade in enumerate(grades))


def _choices(chapter: Chapter) -> Mapping[str, Any]:
    """The gain and the discount of a chapter: those of the course where it follows them."""
    return _taught() if chapter.convention.startswith("This course") else {}


def walk(cards: list[tuple[str, str]], measure: str, missed: list[float], choices: Mapping[str, Any] | None) -> str:
    """A list with its pages as cards, worked out rank by rank; for NDCG with the best order below it."""
    given = [float(grade) for grade, _ in cards]
    gain, discount = ({name: value for name, value in (choices or {}).items() if name == of} for of in GAINS)
    discounts = nd.discounts(len(given), **discount)
    terms = nd.gains(given, **gain) * discounts

    def row(name: str, cells: Iterable[str], last: str, steps: Iterable[int], end: int) -> str:
        told = "".join(f"<td>{_at(step)}{cell}</span></td>" for cell, step in zip(cells, steps, strict=False))
        return f"<tr><th>{name}</th>{told}<td>{_at(end)}<b>{last}</b></span></td></tr>"

    count = range(1, len(cards) + 1)
    shown = [f"<b class=grade>{html.escape(grade)}</b>{inline(title)}" for grade, title in cards]
    head = "".join(f"<td>{card}</td>" for card in shown)
    dcg = float(terms.sum())
    body = f"<tr><th>grade</th>{head}<td>sum</td></tr>"
    body += row("× discount", (f"{one:.3f}" for one in discounts), "", count, len(cards) + 1)
    body += row("=", (f"{one:.3f}" for one in terms), f"{dcg:.3f}", count, len(cards) + 1)
    below = ""
    if measure == "ndcg":
        best = sorted([*given, *missed], reverse=True)[: len(given)]
        ideal = float((nd.gains(best, **gain) * discounts).sum())
        after = len(cards) + 2
        body += row("best order", (f"{one:g}" for one in best), f"{ideal:.3f}", itertools.repeat(after), after)
        below = (
            f"<p>{_at(after + 1)}NDCG = {dcg:.3f} / {ideal:.3f} = <b>{dcg / ideal:.3f}</b></span></p>" if ideal else ""
        )
    return f"<table><tbody>{body}</tbody></table>{below}"


def _at(step: int) -> str:
    return f'<span class="fragment" data-fragment-index="{step}">'


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
        line = f"<p><b>{share[part]:.1f} minutes</b>, from {begun:.0f} to {passed:.0f} of {plan.minutes}</p>"
        told.append(replace(slide, notes=line + slide.notes))
    return told


def figures(slides: list[Slide]) -> list[str]:
    """The figures of a deck, each as a file that any program shows."""
    looks = f"<style>svg {{ {variables('light')} }} text {{ font-family: serif }}</style>"
    found = [re.search(r"<svg.*</svg>", slide.body, re.DOTALL) for slide in slides if slide.kind == "figure"]
    drawn = [one[0] for one in found if one]
    named = [
        svg if "xmlns=" in svg else svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) for svg in drawn
    ]
    return [re.sub(r"(<svg[^>]*>)", lambda tag: tag[1] + looks, svg, count=1) for svg in named]


def _poll(question: Question, notes: dict[str, str]) -> Slide:
    """A question of the page; the next step shows the right answer and why."""
    answers = shown(question)
    if question.kind == "order":
        items = "".join(f"<span class=choice>{inline(answer.text)}</span>" for answer in answers)
        key = "".join(f"<li>{inline(answer.text)}</li>" for answer in question.answers)
        why = inline(question.answers[0].feedback)
        body = f"{block(question.stem)}<p class=poll>{items}</p><div{STEP}><ol>{key}</ol><p>{why}</p></div>"
        return Slide("poll", f"Question {question.number}", body, block(question.answers[0].feedback))
    share = f"{1 / len(answers):.0%}".replace("%", " %")
    items, said = "", ""
    for letter, answer in zip("ABCDEFG", answers, strict=False):
        right = ' class="fragment custom right" data-fragment-index="0"' if answer.right else ""
        items += f"<li><span{right}><b>{letter}</b> {inline(answer.text)}</span></li>"
        said += f"<li><b>{letter}</b>: {'right. ' if answer.right else ''}{inline(answer.feedback)}</li>"
    why = next(inline(answer.feedback) for answer in answers if answer.right)
    reveal = f'<p class="fragment" data-fragment-index="0">{why} <small>By guessing alone: {share} each.</small></p>'
    body = f"{block(question.stem)}<ul class=answers>{items}</ul>{reveal}"
    told = f"<p>{NOT_COUNTED.format(share=share)}</p><ul>{said}</ul>" + block(notes.get(STUMBLE, ""))
    return Slide("poll", f"Question {question.number}", body, told)


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


def source(chapter: Chapter, slides: list[Slide]) -> str:
    """The deck as Markdown that a teacher may change."""
    return "\n".join([f"# {chapter.title}", "", HOW, "", *_named(slides), ""])


def arranged(file: Path, slides: list[Slide]) -> list[Slide]:
    """The slides as a teacher's file has them, with the own ones; what the chapter has otherwise is said."""
    made = _named(slides)
    held: list[Slide] = []
    missing, left = [], dict(made)
    for piece in re.split(r"(?m)^(?=\[\w+: .*\]$|## )", file.read_text("utf8").partition("\n")[2])[1:]:
        line, _, below = piece.partition("\n")
        if line.startswith("[example: "):
            title, grades, names = [*line[10:-1].split("|"), "", ""][:3]
            titles = [name.strip() for name in names.split(";")] + [""] * len(grades)
            try:
                body = walk(list(zip(grades.split(), titles, strict=False)), "ndcg", [], _taught())
            except ValueError as error:
                raise SystemExit(f"slides: {file}: {line}: {error}") from None
            held.append(Slide("walk", inline(title.strip()), body, WALK))
            continue
        if not line.startswith("## "):
            held += [made[line]] if line in made else []
            missing += [] if line in made else [line]
            left.pop(line, None)
            continue
        words, _, notes = below.partition("\nNotes:")
        pictures = re.sub(r'src="([^":]+)"', lambda found: f'src="{_picture(file.parent / found[1])}"', block(words))
        held.append(Slide("text", inline(line[3:]), pictures, block(notes)))
    if missing:
        print(f"{file}: the chapter has no such slide any more: {'; '.join(missing)}", file=sys.stderr)
    if left:
        print(f"{file}: left out, or new in the chapter: {'; '.join(left)}", file=sys.stderr)
    if not held:
        raise SystemExit(f"slides: {file} names no slide; delete it, and `--source` writes it anew")
    return held


def _picture(file: Path) -> str:
    if not file.is_file():
        raise SystemExit(f"slides: there is no picture {file}")
    kind = mimetypes.guess_type(file.name)[0] or "image/png"
    return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"


def page(chapter: Chapter, slides: list[Slide]) -> str:
    """The deck as one file, reveal.js and fonts inside."""
    sections = "".join(
        f'<section id="slide-{n}" class="{slide.kind}" aria-labelledby="title-{n}">'
        f'<h{1 if n == 1 else 2} id="title-{n}">{slide.title}</h{1 if n == 1 else 2}>'
        f'<div class="fill">{slide.body}</div>'
        f'<aside class="notes">{slide.notes}</aside></section>\n'
        for n, slide in enumerate(slides, start=1)
    )
    more = f"<style>{_reveal('dist/reveal.css')}</style>\n"
    scripts = "".join(f"<script>{_reveal(name)}</script>\n" for name in ("dist/reveal.js", "plugin/notes/notes.js"))
    body = f'<div class="reveal"><div class="slides">\n{sections}</div></div>\n{scripts}<script>{START}</script>'
    return document(re.sub("<.*?>", "", slides[0].title), "slides.css", body, more)


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
