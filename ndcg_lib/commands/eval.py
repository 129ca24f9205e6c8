"""`ndcg eval`: runs against judgements."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import click

from ndcg_lib import grid
from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import FINE, NO
from ndcg_lib.commands.terminal import Bar
from ndcg_lib.comparison import moves
from ndcg_lib.comparison.systems import names_of
from ndcg_lib.comparison.table import Comparison, compare
from ndcg_lib.files.plain import show
from ndcg_lib.runs.evaluation import Evaluation


@click.command(name="eval", epilog=options.words())
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@options.evaluations
@click.option("-q", "--per-query", is_flag=True, help="Show the value of each query.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the result as CSV.")
@click.option("--decimals", type=click.IntRange(0, 15), default=grid.DECIMALS, metavar="N",
              help=f"Decimals in the table; {grid.DECIMALS}.")  # fmt: skip
@click.option("--at-least", type=float, metavar="X", help="Exit with 1 if the first measure of a run is below X.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    per_query: bool,
    as_json: bool,
    as_csv: bool,
    decimals: int,
    at_least: float | None,
    **given: Any,
) -> int:
    """Evaluate runs against judgements: QRELS, then one RUN or more.

    QRELS holds the judgements (a line is: query 0 document grade), a RUN the results (query Q0 document rank score
    name). These are TREC files; CSV, TSV and JSON are known by their names, any may be gzipped, and - is the
    standard input. Documents are ranked by their scores. Below the means stands what each measure is, how far ties
    and unjudged documents could move it, and which queries were missing, empty or left out.

    \b
    Examples:
      ndcg eval qrels.txt run.txt -k 5,10
      ndcg eval qrels.txt run.txt -m "nDCG(gain=exp)@10,AP,RR(rel=2)" -q
      ndcg eval qrels.txt run.txt -m ndcg_cut_10,map --as trec_eval
      ndcg eval qrels.txt old.txt new.txt -k 10 --json
    """
    if [qrels, *runs].count("-") > 1:
        raise click.UsageError("only one file can be the standard input", click.get_current_context())
    if as_json and as_csv:
        raise click.UsageError("--json or --csv, not both", click.get_current_context())
    with Bar() as bar:
        comparison = compare(
            options.stream(qrels),
            {name: options.stream(run) for name, run in names_of(runs).items()},
            progress=bar,
            **options.evaluated(**given),
        )
    if as_json:
        terminal.say(json.dumps(_plain(comparison, per_query), ensure_ascii=False))
    elif as_csv:
        terminal.say(_csv(comparison, per_query))
        terminal.complain("\n".join(_about(comparison)))
    else:
        terminal.say("\n".join([*_table(comparison, per_query, decimals), *map(terminal.dim, _about(comparison))]))
    if at_least is None:
        return FINE
    firsts = {show(name): next(iter(each.items())) for name, each in comparison.items()}
    low = [(name, measure, mean) for name, (measure, mean) in firsts.items() if not mean >= at_least]
    for name, measure, mean in low:
        terminal.complain(f"{measure} of {name} is {float(mean)!r}, below {at_least!r}")
    return NO if low else FINE


def _about(comparison: Comparison) -> list[str]:
    """The differences, the convention and the reports."""
    several = len(comparison) > 1
    lines = [*comparison.uneven(), *(each.counts() for each in comparison.differences())]
    lines += next(iter(comparison.values())).cards() + moves.lines(comparison)
    return lines + [f"{show(name)}: {each.report}" if several else each.report for name, each in comparison.items()]


def _table(comparison: Comparison, per_query: bool, decimals: int) -> list[str]:
    headings = [column.heading for column in next(iter(comparison.values())).columns]
    several, rows = len(comparison) > 1, list[tuple[list[str], list[float]]]()
    for name, evaluation in comparison.items():
        if per_query:
            values = zip(evaluation.queries, evaluation.table.tolist(), strict=True)
            rows += [([show(name)] * several + [show(query)], each) for query, each in values]
        rows.append(([show(name)] + ["mean"] * (per_query and several), list(evaluation.values())))
    cells = [[*labels, *(grid.fixed(value, decimals) for value in values)] for labels, values in rows]
    names = len(rows[-1][0])
    top, *lines = grid.text([[""] * names + headings, *cells], range(names)).split("\n")
    return [terminal.bold(top), *lines]


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
            "mean": {measure: grid.finite(value) for measure, value in evaluation.items()},
            "queries": len(evaluation.queries),
            "report": evaluation.report,
            "moves": moves.moves(evaluation),
        }
        if per_query:
            run["per_query"] = {
                query: dict(zip(evaluation, map(grid.finite, values), strict=True))
                for query, values in zip(evaluation.queries, evaluation.table.tolist(), strict=True)
            }
        runs.append(run)
    measures = dict(zip(first, map(str, first.columns), strict=True))
    result: dict[str, Any] = {"convention": options.as_json(first.convention), "measures": measures, "runs": runs}
    if len(comparison) > 1:
        names = ("measure", "mean", "better", "worse", "equal")
        result["differences"] = [
            {"run": each.run, "against": each.other, **{name: grid.finite(getattr(each, name)) for name in names}}
            for each in comparison.differences()
        ]
    return result
