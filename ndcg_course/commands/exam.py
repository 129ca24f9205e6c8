"""`ndcg exam`: an exam in two versions, a test before and after the course, and what it says."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from ndcg_course.tasks.draw import tidy_id


@click.command(name="exam")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="The folder to write.")
@click.option("--seed", default="1", help="What questions and numbers are drawn from; keep it to yourself.")
@click.option("--minutes", default=60, type=click.IntRange(1), help="How long it takes; a point is a minute.")
@click.option("--test", "form", type=click.Choice(["pre", "post"]), help="The test of twelve items before, or after.")
@click.option("--gain", nargs=2, type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="PRE POST",
              help="Two lists of answers to the tests of this seed: what the course changed.")  # fmt: skip
@click.option("--pdf/--no-pdf", default=True, help="Print through Chromium, Chrome or Edge, where there is one.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@click.option("--root", type=click.Path(path_type=Path, file_okay=False, exists=True), help="The checkout of the book.")
def command(
    output: Path | None, seed: str, minutes: int, form: str | None, gain: tuple[Path, Path] | None, pdf: bool,
    overwrite: bool, root: Path | None,
) -> None:  # fmt: skip
    """Write an exam: versions A and B, marking scheme, key, and a sheet for the answers.

    \b
    Examples:
      ndcg exam --seed autumn --minutes 60 -o exam/
      ndcg exam --seed autumn --test pre -o before/
      ndcg exam --seed autumn --gain before.csv after.csv
    """
    from ndcg_course import course
    from ndcg_course.make import bank, concepts, exam, files
    from ndcg_course.make.bank import formats

    top = files.root_from((root or Path()).resolve())
    seed = tidy_id(seed)
    if gain:
        forms = [concepts.form(top, seed, name) for name in concepts.FORMS]
        before, after = (concepts.answers(file) for file in gain)
        click.echo(concepts.report(before, after, forms))
        return
    if output is None:
        raise ValueError("say where to write: -o exam/")
    given = course.load(top)
    title = given.title
    if form:
        items = concepts.form(top, seed, form)
        made = {f"test-{form}.html": concepts.printed(items, f"{title}: {form}-test").encode(),
                "key.csv": concepts.key_csv(items).encode(),
                "answers.csv": exam.as_csv([("student", *range(1, len(items) + 1))]).encode()}  # fmt: skip
        titles = {item.page: f"{form}-test" for item in items}
        for name in formats.FORMATS:
            made |= formats.packed(items, titles, name)
    else:
        papers = exam.files(seed, minutes, f"{title}: exam", given.units)
        made = {name: text.encode() for name, text in papers.items()}
    bank.write(output, made | (_printed(top, made) if pdf else {}), overwrite=overwrite)
    click.echo(f"{output}: {', '.join(sorted(file.name for file in output.iterdir()))}")


def _printed(root: Path, made: dict[str, bytes]) -> dict[str, bytes]:
    """The pages as PDF; a line to say so where no browser can print."""
    sys.path.append(str(root / "book"))
    import pdf  # type: ignore[import-not-found]  # the book's own way of printing

    program = pdf.browser()
    if program is None:
        click.echo("no Chromium, Chrome or Edge is here, so there is no PDF: print the HTML files", err=True)
        return {}
    held: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in made.items():
            if name.endswith(".html"):
                page = Path(folder, name)
                page.write_bytes(text)
                pdf.print_page(program, page, page.with_suffix(".pdf"))
                held[page.with_suffix(".pdf").name] = page.with_suffix(".pdf").read_bytes()
    return held
