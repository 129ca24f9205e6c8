"""Two A4 pages for each chapter, with questions and without answers, the key apart, and a reference card of one page.

`python book/handouts.py [CHAPTER…] [-o FOLDER]`. Without chapters all of them, and the card. Each line is read from the
chapter, from the table of notation, or from the tables of choices and slips in ndcg_lib.
"""

from __future__ import annotations

import argparse
import html
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
from ndcg_lib.slips import SLIPS

BOOK = Path(__file__).resolve().parent
SIZES = (11, 10.2, 9.4, 8.7, 8, 7.4)  # of letters in points, until all stands on the pages that there are
RULE = "<p class=rule></p>"
CELL = re.compile(r"(<td[^>]*>)(.*?)</td>", re.DOTALL)
BLANK = "<span class=blank></span>"


def handout(chapter: Chapter, key: bool = False) -> str:
    """The two pages: what was shown, with room to write, and the questions; or the same with all answers."""
    parts = [part for heading, below in chapter.sections() for part in below]
    opening = parts if key else [part for part in chapter.parts if part.kind in ("table", "figure", "formula")]
    body = [
        f"<header>{logo()}<h1>{inline(chapter.title)}</h1><p>{'Key' if key else 'Name'}</p></header>",
        "" if key else f"<p>{inline(chapter.opening)}</p>",
    ]
    if guess := chapter.prediction:
        told = "".join(block(part.text) for part in chapter.boxes("guessed")) if key else RULE * 3
        body.append(f"<h2>Decide first</h2>{block(guess.text)}{told}")
    tables = [part for part in opening if part.kind == "table" and _emptied(block(part.text)).count(BLANK) > 1][:1]
    figures = [
        f"<figure>{figure(p.text)}<figcaption>{inline(p.title)}</figcaption></figure>"
        for p in chapter.boxes("figure")[:1]
    ]
    if key == bool(chapter.prediction):  # it shows what is to be guessed
        body += figures
    if not key:
        body += [
            block(f"$$\n{part.text}\n$$") for part in opening if part.kind == "formula" and not _worked_out(part.text)
        ][:3]
        body.append(formulas(" ".join(part.text for part in chapter.parts)))
    for table in tables:
        filled = block(table.text)
        body.append(f"<h2>By hand</h2>{filled}" if key else f"<h2>By hand: fill in</h2>{_emptied(filled)}")
    body.append("<div><h2>Answers</h2>" if key else "<div class=questions><h2>Questions</h2>")
    body += [_answered(question) if key else _asked(question) for question in chapter.questions]
    for belief in chapter.boxes("misconception"):
        if belief.title and belief.text:
            said = block(belief.text) if key else RULE * 3
            body.append(f"<h3>True or not? “{inline(belief.title)}”</h3>{said}")
    points = "".join(f"<li>{inline(point)}</li>" for point in chapter.summary)
    body.append("</div>" if key else f"<h2>In short</h2><ul>{points}</ul><h2>My notes</h2>{RULE * 4}</div>")
    return "\n".join(body)


def _emptied(table: str) -> str:
    """The table without what its reader is to work out: a cell that holds a decimal or a calculation."""
    return CELL.sub(lambda cell: f"{cell[1]}{BLANK}</td>" if _worked_out(cell[2]) else cell[0], table)


def _worked_out(cell: str) -> bool:
    return "<code" not in cell and re.search(r"\d\.\d| = ", re.sub("<.*?>", "", cell)) is not None


def _asked(question: Question) -> str:
    answers = shown(question)
    if question.kind == "number":
        room = f"<p>Answer: {BLANK}</p>{RULE}"
    else:
        order = question.kind == "order"
        boxes = "".join(
            f"<li><span class=box></span> {'' if order else f'<b>{letter}</b> '}{inline(answer.text)}</li>"
            for letter, answer in zip("ABCDEFG", answers, strict=False)
        )
        room = f"<ul class=boxes>{boxes}</ul>{'<p>Write 1, 2, 3, … into the boxes.</p>' if order else RULE}"
    return f"<div class=question><b>{question.number}.</b> {block(question.stem)}{room}</div>"


def _answered(question: Question) -> str:
    stem = f"<div class=question><b>{question.number}.</b> {block(question.stem)}"
    if question.kind == "order":
        listed = "".join(f"<li>{inline(answer.text)}</li>" for answer in question.answers)
        return f"{stem}<ol>{listed}</ol><p>{inline(question.answers[0].feedback)}</p></div>"
    told = ""
    for letter, answer in zip("ABCDEFG", shown(question), strict=False):
        name = inline(answer.text) if question.kind == "number" else f"{letter} {inline(answer.text)}"
        name = f"<strong>{name}</strong>, right" if answer.right else name
        told += f"<li>{name}: {inline(answer.feedback)}</li>"
    return f"{stem}<ul>{told}</ul></div>"


def card() -> str:
    """Formulas, choices, presets and pitfalls on one page."""
    choices = block("\n".join(options.overview()))
    levels = "".join(
        f"<tr><td><code>{option.key}</code></td><td>{inline(f'${options.formula(option)}$')}</td></tr>"
        for name in ("gain", "discount")
        for option in TABLE[name].options
        if not option.wrong and options.formula(option)
    )
    usual = nd.Convention().card().split("; ")
    alike: dict[str, list[str]] = {}
    for name, convention in nd.CONVENTIONS.items():
        others = [said.removeprefix("NDCG: ") for said in convention.card().split("; ") if said not in usual]
        alike.setdefault("; ".join(others) or convention.card(), []).append(f"<code>{name}</code>")
    presets = "".join(f"<li>{', '.join(names)}: {html.escape(said)}</li>" for said, names in alike.items())
    slips = {slip.family: slip for slip in reversed(SLIPS.values()) if slip.rarity == 1 and not slip.choice}
    pitfalls = "".join(
        f"<li><i>“{html.escape(slip.belief.rstrip('.'))}”</i>: {inline(slip.why)}</li>"
        for slip in reversed(slips.values())
    )
    return (
        f"<header>{logo()}<h1>NDCG on one page</h1><p></p></header><div class=card><h2>Formulas</h2>"
        f"{formulas('CG CG DCG DCG NDCG NDCG', most=9)}<h2>Gains and discounts</h2>"
        f"<table><tbody>{levels}</tbody></table>"
        f"<h2>Say which you took</h2>{choices}<h2>Presets, and what differs from the first</h2><ul>{presets}</ul>"
        f"<h2>Wrong, and why</h2><ul>{pitfalls}</ul></div>"
    )


def printed(title: str, body: str, target: Path, pages: int, program: str, told: str | None = None) -> None:
    """Print onto so many pages, in the largest letters with which all of it stands on them."""
    foot, count = json.dumps(imprint(told), ensure_ascii=False), 0
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            file = Path(folder, "sheet.html")
            more = f"<style>:root {{ --size: {size}pt }} @page {{ @bottom-left {{ content: {foot} }} }}</style>"
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
