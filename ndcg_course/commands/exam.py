"""`ndcg exam`: an exam in versions, its marks, a test before and after the course, and what it says."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ndcg_course.tasks.draw import tidy_id

_file = click.Path(path_type=Path, dir_okay=False)
_there = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.group(name="exam", invoke_without_command=True)
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="The folder to write.")
@click.option("--seed", default="1", help="What questions and numbers are drawn from; keep it to yourself.")
@click.option("--minutes", default=60, type=click.IntRange(1), help="How long it takes; a point is a minute.")
@click.option("--list", "listing", is_flag=True, help="Name the questions, with page, points and how often asked.")
@click.option("--ask", multiple=True, metavar="NAME", help="A question that must be there; a seed keeps its numbers.")
@click.option("--without", multiple=True, metavar="NAME", help="A question to leave out; again for more.")
@click.option("--own", type=_there, help="A TOML file with questions of your own, checked like the others.")
@click.option("--history", type=_file, help="What was asked before; read, and written when the exam is.")
@click.option("--roster", type=_there, help="A CSV with the column student: a version for each.")
@click.option("--test", "form", type=click.Choice(["pre", "post"]), help="The test of twelve items before, or after.")
@click.option("--gain", nargs=2, type=_there, metavar="PRE POST",
              help="Two lists of answers to the tests of this seed: what the course changed.")  # fmt: skip
@click.option("--pdf/--no-pdf", default=True, help="Print through Chromium, Chrome or Edge, where there is one.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@click.option("--root", type=click.Path(path_type=Path, file_okay=False, exists=True), help="The checkout of the book.")
@click.pass_context
def command(context: click.Context, /, **asked: Any) -> None:
    """Write an exam: versions A and B, marking scheme, key, and a sheet for the answers.

    A solver that knows nothing of the kit works each paper from its print and must come to the key, before it is
    written. If one question does not please you, ask for all others with --ask and leave it out with --without.

    \b
    Examples:
      ndcg exam --seed autumn --minutes 60 -o exam/ --history history.json
      ndcg exam --seed autumn --ask perfect --without share --own mine.toml -o exam/
      ndcg exam mark exam/answers.csv --history history.json
      ndcg exam --seed autumn --test pre -o before/
      ndcg exam --seed autumn --gain before.csv after.csv
    """
    if context.invoked_subcommand is not None:
        return
    from ndcg_course import course
    from ndcg_course.make import bank, concepts, files

    seed = tidy_id(asked["seed"])
    if asked["gain"]:
        forms = [concepts.form(seed, name) for name in concepts.FORMS]
        before, after = (concepts.answers(file) for file in asked["gain"])
        click.echo(concepts.report(before, after, forms))
        return
    top = files.root_from((asked["root"] or Path()).resolve())
    given = course.load(top)
    if asked["listing"]:
        _list(given.units, asked["own"], asked["history"])
        return
    output: Path | None = asked["output"]
    if output is None:
        raise ValueError("say where to write: -o exam/")
    history: dict[Path, str] = {}
    if asked["form"]:
        made = _test(seed, asked["form"], given.title)
        made |= _printed(top, made) if asked["pdf"] else {}
    else:
        made, history = _exam(top, given, seed, asked)
    bank.write(output, made, overwrite=asked["overwrite"])
    for file, text in history.items():
        _replaced(file, text)
    click.echo(f"{output}: {', '.join(sorted(file.name for file in output.iterdir()))}")


@command.command()
@click.argument("answers", type=_there)
@click.option("--exam", "exam_file", type=_there, help="The exam.json of this exam (default: beside the answers).")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Where marks.csv and more go.")
@click.option("--history", type=_file, help="The history of the exam; what the class wrote is kept there, too.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
def mark(answers: Path, exam_file: Path | None, output: Path | None, history: Path | None, overwrite: bool) -> None:
    """Turn typed answers into points, by the marking scheme with its carried errors.

    A cell holds what the student wrote, or the points that you give, as in 2p; the columns of words hold points.

    Example: ndcg exam mark exam/answers.csv -o marks/ --history history.json
    """
    from ndcg_course.make import bank, exam
    from ndcg_course.make.exam import marking

    held = exam.Exam.read(exam_file or answers.with_name("exam.json"))
    marked = marking.read(answers, held)
    if output:
        made = {name: text.encode() for name, text in marking.files(held, marked).items()}
        bank.write(output, made, overwrite=overwrite)
    if history:
        kept = exam.history(history)
        entries = [one for one in kept if one["seed"] == held.seed]
        if not entries:
            raise ValueError(f"{history}: it does not know the exam of the seed {held.seed!r}; was it another file?")
        entries[-1]["results"] = marking.statistics_of(held, marked)
        _replaced(history, exam.as_history(kept))
    click.echo(marking.report(held, marked))


def _exam(top: Path, given: Any, seed: str, asked: Mapping[str, Any]) -> tuple[dict[str, bytes], dict[Path, str]]:
    """The files of an exam that the solver agrees to, and the history with it."""
    from ndcg_course.make import exam
    from ndcg_course.make.exam import questions, solver

    students = _students(asked["roster"]) if asked["roster"] else {}
    known = questions.load(asked["own"])
    wish = exam.Wish(
        seed, asked["minutes"], given.units, asked["ask"], asked["without"], tuple(students.values()) or exam.VERSIONS,
        f"{given.title}: exam",
    )  # fmt: skip
    before = exam.history(asked["history"]) if asked["history"] and asked["history"].exists() else []
    made, told = exam.made(wish, known, before)
    if told:
        click.echo(told, err=True)
    pages = exam.files(made, students)
    held = {name: text.encode() for name, text in pages.items()}
    printed = _printed(top, held) if asked["pdf"] else {}
    texts = {
        version: _text(printed[f"exam-{version}.pdf"]) if printed else solver.text_of(pages[f"exam-{version}.html"])
        for version in made.versions
    }
    exam.solved(made, known, texts, solver.text_of(pages["marking.html"]))
    entry = exam.entry(made)
    kept = [entry if one["seed"] == seed else one for one in before]
    kept += [] if entry in kept else [entry]
    return held | printed, {asked["history"]: exam.as_history(kept)} if asked["history"] else {}


def _test(seed: str, form: str, title: str) -> dict[str, bytes]:
    from ndcg_course.make import concepts, exam
    from ndcg_course.make.bank import formats

    items = concepts.form(seed, form)
    made = {
        f"test-{form}.html": concepts.printed(items, f"{title}: {form}-test").encode(),
        "key.csv": concepts.key_csv(items).encode(),
        "answers.csv": exam.as_csv([("student", *range(1, len(items) + 1))]).encode(),
    }
    titles = {item.page: f"{form}-test" for item in items}
    for name in formats.FORMATS:
        made |= formats.packed(items, titles, name)
    return made


def _list(units: Sequence[str], own: Path | None, history: Path | None) -> None:
    from ndcg_course.make import exam
    from ndcg_course.make.exam import questions

    asked = [
        name for one in (exam.history(history) if history and history.exists() else []) for name in one["questions"]
    ]
    for name, question in questions.load(own).items():
        if not units or not question.page or question.page in units:
            times = f"  asked {asked.count(name)} times" if name in asked else ""
            page = question.page.rpartition("/")[2] or "own"
            click.echo(f"{name:<18}{page:<24}{question.points:>2} points  {question.title}{times}")


def _students(file: Path) -> dict[str, str]:
    """The students of a roster, each with the name of a version, which is that of files too."""
    rows = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    names = [(row.get("student") or "").strip() for row in rows]
    if not names or not all(names):
        raise ValueError(f"{file}: each line needs a name in the column student")
    if len(set(names)) < len(names):
        raise ValueError(f"{file}: two lines have the same student; give each a name of its own")
    plain = [re.sub(r"\W+", "-", name).strip("-") for name in names]
    return {name: f"{number:03d}-{short}" for number, (name, short) in enumerate(zip(names, plain, strict=True), 1)}


def _replaced(file: Path, text: str) -> None:
    """Write a file whole, or leave the old one."""
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(text, "utf8")
    fresh.replace(file)


def _text(pdf: bytes) -> str:
    import io

    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def _printed(root: Path, made: Mapping[str, bytes]) -> dict[str, bytes]:
    """The pages as PDF; a line to say so where no browser can print."""
    from ndcg_course.make import printing

    program = printing.browser()
    if program is None:
        click.echo("no Chromium, Chrome or Edge is here, so there is no PDF: print the HTML files", err=True)
        return {}
    held: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in made.items():
            if name.endswith(".html"):
                page = Path(folder, name)
                page.write_bytes(text)
                printing.print_page(program, page, page.with_suffix(".pdf"))
                held[page.with_suffix(".pdf").name] = page.with_suffix(".pdf").read_bytes()
    return held
