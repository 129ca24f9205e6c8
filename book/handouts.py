"""Two A4 pages for each chapter, with questions and without answers, the key apart, and a reference card of one page.

`python book/handouts.py [CHAPTER…] [-o FOLDER]`. Without chapters all of them, and the card. Each line is read from the
chapter, from the table of notation, or from the tables of choices and slips in ndcg_lib.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

import pdf
from _ext import options
from _ext.sheets import ROOT, block, document, figure, formulas, imprint, inline, logo, shown
from pypdf import PdfReader

import ndcg_lib as nd
from ndcg_course.make import printing
from ndcg_course.make.chapters import Chapter, Question, chapters
from ndcg_lib.definition import TABLE
from ndcg_lib.grid import Html, joined, tag, tags
from ndcg_lib.slips import SLIPS

BOOK = Path(__file__).resolve().parent
SIZES = (11, 10.2, 9.4, 8.7, 8, 7.4)  # of letters in points, until all stands on the pages that there are
RULE = tag("p", class_="rule")
CELL = re.compile(r"(<td[^>]*>)(.*?)</td>", re.DOTALL)
BLANK = tag("span", class_="blank")


def handout(chapter: Chapter, key: bool = False) -> Html:
    """The two pages: what was shown, with room to write, and the questions; or the same with all answers."""
    parts = [part for heading, below in chapter.sections() for part in below]
    opening = parts if key else [part for part in chapter.parts if part.kind in ("table", "figure", "formula")]
    body = [
        tag("header", logo(), tag("h1", inline(chapter.title)), tag("p", "Key" if key else "Name")),
        None if key else tag("p", inline(chapter.opening)),
    ]
    if guess := chapter.prediction:
        told = [block(part.text) for part in chapter.boxes("guessed")] if key else [RULE] * 3
        body += [tag("h2", "Decide first"), block(guess.text), *told]
    tables = [part for part in opening if part.kind == "table" and _emptied(block(part.text)).count(BLANK) > 1][:1]
    figures = [
        tag("figure", figure(part.text), tag("figcaption", inline(part.title))) for part in chapter.boxes("figure")[:1]
    ]
    if key == bool(chapter.prediction):  # it shows what is to be guessed
        body += figures
    if not key:
        shows = (part.text for part in opening if part.kind == "formula" and not _worked_out(part.text))
        body += [block(f"$$\n{text}\n$$") for text in shows][:3]
        body.append(formulas(" ".join(part.text for part in chapter.parts)))
    for table in tables:
        filled = block(table.text)
        body += [tag("h2", "By hand" if key else "By hand: fill in"), filled if key else _emptied(filled)]
    below = [tag("h2", "Answers" if key else "Questions")]
    below += [_answered(question) if key else _asked(question) for question in chapter.questions]
    for belief in chapter.boxes("misconception"):
        if belief.title and belief.text:
            below.append(tag("h3", "True or not? “", inline(belief.title), "”"))
            below += [block(belief.text)] if key else [RULE] * 3
    if not key:
        below += [tag("h2", "In short"), tag("ul", tags("li", map(inline, chapter.summary)))]
        below += [tag("h2", "My notes"), *[RULE] * 4]
    return joined(body, tag("div", below, class_=None if key else "questions"))


def _emptied(table: Html) -> Html:
    """The table without what its reader is to work out: a cell that holds a decimal or a calculation."""
    return Html(CELL.sub(lambda cell: "".join([cell[1], BLANK, "</td>"]) if _worked_out(cell[2]) else cell[0], table))


def _worked_out(cell: str) -> bool:
    return "<code" not in cell and re.search(r"\d\.\d| = ", re.sub("<.*?>", "", cell)) is not None


def _asked(question: Question) -> Html:
    answers = shown(question)
    if question.kind == "number":
        room = [tag("p", "Answer: ", BLANK), RULE]
    else:
        order, box = question.kind == "order", tag("span", class_="box")
        boxes = [
            tag("li", box, " ", None if order else [tag("b", letter), " "], inline(answer.text))
            for letter, answer in zip("ABCDEFG", answers, strict=False)
        ]
        room = [tag("ul", boxes, class_="boxes"), tag("p", "Write 1, 2, 3, … into the boxes.") if order else RULE]
    return tag("div", _stem(question), room, class_="question")


def _stem(question: Question) -> Html:
    return joined(tag("b", f"{question.number}."), " ", block(question.stem))


def _answered(question: Question) -> Html:
    if question.kind == "order":
        right = tag("ol", tags("li", [inline(answer.text) for answer in question.answers]))
        return tag("div", _stem(question), right, tag("p", inline(question.answers[0].feedback)), class_="question")
    told = []
    for letter, answer in zip("ABCDEFG", shown(question), strict=False):
        name = joined(None if question.kind == "number" else f"{letter} ", inline(answer.text))
        named = [tag("strong", name), ", right"] if answer.right else name
        told.append(tag("li", named, ": ", inline(answer.feedback)))
    return tag("div", _stem(question), tag("ul", told), class_="question")


def card() -> Html:
    """Formulas, choices, presets and pitfalls on one page."""
    levels = [
        tag("tr", tag("td", tag("code", option.key)), tag("td", inline(f"${options.formula(option)}$")))
        for name in ("gain", "discount")
        for option in TABLE[name].options
        if not option.wrong and options.formula(option)
    ]
    usual = nd.Convention().card().split("; ")
    alike: dict[str, list[str]] = {}
    for name, convention in nd.CONVENTIONS.items():
        others = [said.removeprefix("NDCG: ") for said in convention.card().split("; ") if said not in usual]
        alike.setdefault("; ".join(others) or convention.card(), []).append(name)
    presets = [
        tag("li", [[", " if at else "", tag("code", name)] for at, name in enumerate(names)], f": {said}")
        for said, names in alike.items()
    ]
    slips = {slip.family: slip for slip in reversed(SLIPS.values()) if slip.rarity == 1 and not slip.choice}
    pitfalls = [
        tag("li", tag("i", f"“{slip.belief.rstrip('.')}”"), ": ", inline(slip.why)) for slip in reversed(slips.values())
    ]
    parts = {
        "Formulas": formulas("CG CG DCG DCG NDCG NDCG", most=9),
        "Gains and discounts": tag("table", tag("tbody", levels)),
        "Say which you took": block("\n".join(options.overview())),
        "Presets, and what differs from the first": tag("ul", presets),
        "Wrong, and why": tag("ul", pitfalls),
    }
    body = [[tag("h2", heading), part] for heading, part in parts.items()]
    return joined(tag("header", logo(), tag("h1", "NDCG on one page"), tag("p")), tag("div", body, class_="card"))


def printed(title: str, body: Html, target: Path, pages: int, program: str, told: str | None = None) -> None:
    """Print onto so many pages, in the largest letters with which all of it stands on them."""
    foot, count = json.dumps(imprint(told), ensure_ascii=False), 0
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            file = Path(folder, "sheet.html")
            more = f":root {{ --size: {size}pt }} @page {{ @bottom-left {{ content: {foot} }} }}"
            file.write_text(document(title, "handouts.css", body, more), "utf8")
            printing.print_page(program, file, target)
            count = len(PdfReader(target).pages)
            if count <= pages:
                return
    raise SystemExit(f"handouts: {title} takes {count} pages even in small letters; shorten a question or the opening")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kit.py handouts", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("chapter", nargs="*", help="pages as in book/_toc.yml, such as discounting (default: all)")
    parser.add_argument("-o", "--output", type=Path, default=BOOK / "_build" / "handouts", metavar="FOLDER")
    asked = parser.parse_args(arguments)
    program = printing.needed("handouts")
    asked.output.mkdir(parents=True, exist_ok=True)
    for chapter in chapters(ROOT, pdf.named(asked.chapter)):
        file = asked.output / f"{chapter.name.rpartition('/')[2]}.pdf"
        printed(chapter.title, handout(chapter), file, 2, program, chapter.convention)
        key = file.with_name(f"{file.stem}-key.pdf")
        printed(f"{chapter.title}: key", handout(chapter, key=True), key, 9, program, chapter.convention)
        print(file, key, sep="\n", flush=True)
    file = asked.output / "reference-card.pdf"
    printed("NDCG on one page", card(), file, 1, program)
    print(file)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
