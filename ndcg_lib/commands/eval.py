"""`ndcg eval`: runs against judgements."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import click

from ndcg_lib import terminal
from ndcg_lib.cli import FINE, NO
from ndcg_lib.commands import options
from ndcg_lib.commands.progress import Bar
from ndcg_lib.comparison import Comparison, compare, names_of
from ndcg_lib.evaluation import Evaluation
from ndcg_lib.files.plain import show
from ndcg_lib.files.reading import FORMATS
from ndcg_lib.measures import MEASURES

FORMAT = click.Choice(FORMATS)


@click.command(name="eval")
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-k", multiple=True, metavar="K", help="Cut-off; several as -k 5,10. Without it the whole list counts.")
@click.option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME",
    help=f"Measures, also with their own cut-off (ap@100): {', '.join(MEASURES)}, or all. Without it: ndcg.",
)
@options.conventions("queries")
@click.option("--relevant", type=float, metavar="GRADE", help="The lowest grade that counts as relevant.")
@click.option("--persistence", type=float, default=0.8, metavar="P", help="Of RBP; 0.8.")
@click.option("--max-grade", type=float, metavar="GRADE", help="The top of the scale of grades, for ERR and RBP.")
@click.option("-q", "--per-query", is_flag=True, help="Show each query.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the result as CSV.")
@click.option("--decimals", type=click.IntRange(0, 15), default=4, metavar="N", help="Decimals in the table; 4.")
@click.option("--qrels-format", type=FORMAT, help="If the name of the file does not say it.")
@click.option("--run-format", type=FORMAT, help="If the name of the file does not say it.")
@click.option("--at-least", type=float, metavar="X", help="Exit with 1 if the first measure of a run is below X.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    k: tuple[str, ...],
    measures: tuple[str, ...],
    convention: str | None,
    relevant: float | None,
    persistence: float,
    max_grade: float | None,
    per_query: bool,
    as_json: bool,
    as_csv: bool,
    decimals: int,
    qrels_format: str | None,
    run_format: str | None,
    at_least: float | None,
    **choices: Any,
) -> int:
    """Evaluate runs against judgements: QRELS, then one RUN or more.

    Files are TREC files, or CSV, TSV or JSON by their names; any may be gzipped, and - is the standard input. Documents
    are ranked by their scores. What was missing, empty or left out is said in one line.

    \b
    Examples:
      ndcg eval qrels.txt run.txt -k 5,10
      ndcg eval qrels.txt run.txt -k 10 -m ndcg,ap,rr --convention trec_eval -q
      ndcg eval qrels.txt old.txt new.txt -k 10 --json
    """
    if [qrels, *runs].count("-") > 1:
        raise click.UsageError("only one file can be the standard input", click.get_current_context())
    if as_json and as_csv:
        raise click.UsageError("--json or --csv, not both", click.get_current_context())
    names = options.parts(measures) or ["ndcg"]
    with Bar() as bar:
        comparison = compare(
            options.stream(qrels),
            {name: options.stream(run) for name, run in names_of(runs).items()},
            options.cutoffs(k) or None,
            measures=list(MEASURES) if names == ["all"] else names,
            convention=convention,
            relevant=relevant,
            persistence=persistence,
            max_grade=max_grade,
            qrels_format=qrels_format,
            run_format=run_format,
            progress=bar,
            **options.as_choices(**choices),
        )
    if as_json:
        terminal.say(json.dumps(_plain(comparison, per_query), ensure_ascii=False))
    elif as_csv:
        terminal.say(_csv(comparison, per_query))
        terminal.complain("\n".join(_about(comparison)))
    else:
        terminal.say("\n".join([*_table(comparison, per_query, decimals), *map(terminal.dim, _about(comparison))]))
    if at_least is not None and not all(next(iter(each.values())) >= at_least for each in comparison.values()):
        return NO
    return FINE


def _about(comparison: Comparison) -> list[str]:
    """The differences, the convention and the reports."""
    several = len(comparison) > 1
    lines = [str(difference) for difference in comparison.differences()]
    lines.append(next(iter(comparison.values())).convention.card())
    return lines + [f"{show(name)}: {each.report}" if several else each.report for name, each in comparison.items()]


def _table(comparison: Comparison, per_query: bool, decimals: int) -> list[str]:
    headings = [column.heading for column in next(iter(comparison.values())).columns]
    rows = []
    for name, evaluation in comparison.items():
        if per_query:
            rows += [
                ([show(name)] * (len(comparison) > 1) + [show(query)], values)
                for query, values in zip(evaluation.queries, evaluation.table.tolist(), strict=True)
            ]
        rows.append(([show(name)] + ["mean"] * (per_query and len(comparison) > 1), list(evaluation.values())))
    names = [0] * len(rows[-1][0])
    for labels, _ in rows:
        names = [max(width, len(label)) for width, label in zip(names, labels, strict=True)]
    widths = [max(len(heading), decimals + 2) for heading in headings]
    for _, values in rows:
        widths = [max(width, len(f"{value:.{decimals}f}")) for width, value in zip(widths, values, strict=True)]
    top = [" " * width for width in names] + [f"{h:>{w}}" for h, w in zip(headings, widths, strict=True)]
    lines = [terminal.bold("  ".join(top))]
    for labels, values in rows:
        cells = [f"{label:<{width}}" for label, width in zip(labels, names, strict=True)]
        cells += [f"{value:>{width}.{decimals}f}" for value, width in zip(values, widths, strict=True)]
        lines.append("  ".join(cells))
    return lines


def _csv(comparison: Comparison, per_query: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", *(["query"] if per_query else []), *next(iter(comparison.values()))])
    for name, evaluation in comparison.items():
        if per_query:
            for query, values in zip(evaluation.queries, evaluation.table.tolist(), strict=True):
                writer.writerow([name, query, *values])
        else:
            writer.writerow([name, *evaluation.values()])
    return text.getvalue().rstrip("\n")


def _plain(comparison: Comparison, per_query: bool) -> dict[str, Any]:
    """The result for JSON."""
    first: Evaluation = next(iter(comparison.values()))
    runs = []
    for name, evaluation in comparison.items():
        run: dict[str, Any] = {
            "run": name,
            "mean": {measure: _or_none(value) for measure, value in evaluation.items()},
            "queries": len(evaluation.queries),
            "report": evaluation.report,
        }
        if per_query:
            run["per_query"] = {
                query: dict(zip(evaluation, map(_or_none, values), strict=True))
                for query, values in zip(evaluation.queries, evaluation.table.tolist(), strict=True)
            }
        runs.append(run)
    result: dict[str, Any] = {"convention": options.as_json(first.convention), "runs": runs}
    if len(comparison) > 1:
        result["differences"] = [
            {
                "run": each.run,
                "against": each.other,
                "measure": each.measure,
                "mean": _or_none(each.mean),
                "better": each.better,
                "worse": each.worse,
                "equal": each.equal,
                "p": each.p,
            }
            for each in comparison.differences()
        ]
    return result


def _or_none(value: float) -> float | None:
    return value if value == value else None
