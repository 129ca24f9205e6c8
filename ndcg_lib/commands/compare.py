"""`ndcg compare`: is one run better than another?"""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from typing import Any

import click

from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.terminal import Bar
from ndcg_lib.comparison import moves
from ndcg_lib.comparison.report import read_texts, report
from ndcg_lib.comparison.systems import names_of
from ndcg_lib.comparison.table import Settings, compare

KINDS = ("differences", "intervals", "curves", "heat")


@click.command(name="compare", epilog=options.words())
@click.argument("qrels", type=click.Path())
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@options.evaluations
@click.option("--against", metavar="NAME", help="Compare all others with this run. Without it: all pairs.")
@click.option(
    "--correction",
    type=click.Choice(["holm", "tukey", "none"]),
    default="holm",
    help="Of p, where there are several pairs; holm.",
)
@click.option("--confidence", type=float, default=0.95, metavar="X", help="Of the intervals; 0.95.")
@click.option(
    "--resamples",
    type=int,
    default=10_000,
    metavar="N",
    help="Exchanges that p is counted from, where more than 15 queries differ; 10000.",
)
@click.option(
    "--seed", type=int, default=0, metavar="N", help="With which these are drawn: the same seed, the same p; 0."
)
@click.option(
    "--changed", type=int, default=0, metavar="N", help="Show the N queries that moved most, with both lists."
)
@click.option("--under", is_flag=True, help="Say what would be concluded with other gains, discounts and cut-offs.")
@click.option("--plot", metavar="FILE.svg", type=click.Path(), help="Draw a figure into a file.")
@click.option("--kind", type=click.Choice(KINDS), help="Of the figure; without it differences, or intervals of many.")
@click.option("--html", "page", metavar="FILE", type=click.Path(), help="Write a report of two runs: one page for all.")
@click.option("--texts", metavar="FILE", type=click.Path(), help="For --html: id, tab, words of queries and documents.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX, for the package booktabs.")
@click.option("--json", "form", flag_value="json", help="Print the result as JSON.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    changed: int,
    under: bool,
    plot: str | None,
    kind: Any,
    page: str | None,
    texts: str | None,
    form: str | None,
    **given: Any,
) -> None:
    """Compare runs query by query: QRELS, then two RUNs or more.

    Printed are the mean of each run, and for each pair the difference, the interval in which the true one lies, how
    often chance alone makes one as large (p, paired randomisation test), and in how many queries which run is
    better. Judged@10 is the share of the first ten results that somebody judged, and beside it stands how far a value
    could move if somebody judged the rest; of two runs it is also said how far the order of equal scores moves it.

    A run can have a name, as in new=runs/bm25.txt. Several files under one name, new='runs/bm25-*.txt' or the name
    given twice, are one system that was run several times. Files are those of `ndcg eval`.

    \b
    Examples:
      ndcg compare qrels.txt old.txt new.txt -k 10
      ndcg compare qrels.txt old=run.txt new=new.txt -m ndcg@10,rr --against old --latex
      ndcg compare qrels.txt old.txt new.txt -k 10 --changed 3 --under
      ndcg compare qrels.txt old.txt new.txt -k 10 --html report.html
    """
    if form == "json" and (changed or under):
        raise click.UsageError("--changed and --under are texts: leave out --json", click.get_current_context())
    if texts and not page:
        raise click.UsageError("--texts goes with --html", click.get_current_context())
    words = read_texts(texts) if texts else None
    with Bar() as bar:
        how = {name: given.pop(name) for name in Settings._fields} | {"progress": bar}
        how["correction"] = None if how["correction"] == "none" else how["correction"]
        comparison = compare(qrels, named(runs), **how, **options.evaluated(**given))
        forms = {"markdown": comparison.to_markdown, "latex": comparison.to_latex, "json": comparison.to_json}
        told = [forms[form]() if form else str(comparison)]
        if form is None and len(comparison) == 2:
            told += filter(None, ["\n".join(moves.lines(comparison, holes=False))])
            told += [one.sentence() for one in comparison.pairs]
        told += [str(comparison.under())] if under else []
        told += [str(comparison.changed(changed))] if changed else []
    terminal.say("\n\n".join(told))
    if page is not None:
        Path(page).write_text(report(comparison, words), "utf8")
    if plot is not None:
        Path(plot).write_text(comparison.plot(kind).svg + "\n", "utf8")


def named(texts: tuple[str, ...]) -> dict[str, Any]:
    """The runs by name; NAME=FILE names one, and files of the same name are runs of one system.

    >>> named(("old.txt", "new=a.txt", "new=b.txt"))
    {'old.txt': 'old.txt', 'new': ['a.txt', 'b.txt']}
    """
    plain = [text for text in texts if "=" not in text or os.path.exists(text)]
    given = {**names_of(plain)} if plain else {}
    found: dict[str, list[str]] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if text in plain:
            found[next(name for name, other in given.items() if other == text)] = [text]
        else:
            found.setdefault(name, []).extend(sorted(glob(path)) or [path])
    return {name: files if len(files) > 1 else files[0] for name, files in found.items()}
