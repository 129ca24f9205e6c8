"""`ndcg diff`: what two tools give each query, side by side, and the conventions that explain it."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import click

from ndcg_lib import grid
from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import FINE, NO
from ndcg_lib.files.values import Values, measure_name, read_values


@click.command(name="diff")
@click.argument("first", metavar="A", type=click.Path())
@click.argument("second", metavar="B", type=click.Path())
@click.option("-m", "--measure", metavar="NAME", help="Which one; without it the first that both files hold.")
@click.option("--qrels", type=click.Path(), help="The judgements, with --run: which conventions gave the values?")
@click.option("--run", type=click.Path(), help="The results that both tools evaluated, with --qrels.")
@click.option("--limit", type=click.IntRange(0), default=10, metavar="N", help="Show at most N queries; 10.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    first: str, second: str, measure: str | None, qrels: str | None, run: str | None, limit: int, as_json: bool
) -> int:
    """Lay the values that two tools give each query side by side.

    A and B are outputs per query: of ndcg eval -q, trec_eval -q or ir_measures, CSV with a column of queries, or JSON
    such as {measure: {query: value}}, which ranx keeps in run.scores. With --qrels and --run the command looks for the
    definitions behind the values, and its last line names every cause for which they differ, the largest first. The
    exit code is 1 when the values differ by more than their rounding.

    \b
    Examples:
      ndcg diff trec_eval.txt ir_measures.txt
      ndcg diff trec_eval.txt sklearn.csv --measure ndcg@10 --qrels qrels.txt --run run.txt
    """
    if (qrels is None) != (run is None):
        raise click.UsageError("give --qrels and --run, or neither", click.get_current_context())
    names = _names(first, second)
    held = [read_values(first), read_values(second)]
    asked = [_chosen(each, other, measure, name) for each, other, name in zip(held, held[::-1], names, strict=True)]
    ours, theirs = (values[name] for values, name in zip(held, asked, strict=True))
    both = [query for query in ours if query in theirs]
    if not both:
        raise ValueError(f"{first} and {second} have no query in common: the first is {next(iter(ours))!r} in one and"
                         f" {next(iter(theirs))!r} in the other")  # fmt: skip
    off = {query: float(theirs[query]) - float(ours[query]) for query in both}
    rounding = (_unit(ours) + _unit(theirs)) / 2 * 1.000001
    apart = sorted((query for query in both if abs(off[query]) > rounding), key=lambda query: -abs(off[query]))
    alone = [[query for query in one if query not in other] for one, other in ((ours, theirs), (theirs, ours))]
    causes = _causes(names, (ours, theirs), asked, qrels, run) if qrels is not None and run is not None else []
    if as_json:
        terminal.say(json.dumps({
            "measure": asked, "queries": len(both), "rounding": rounding,
            "differ": {query: [float(ours[query]), float(theirs[query])] for query in apart},
            "only": dict(zip(names, alone, strict=True)), "causes": causes,
        }, ensure_ascii=False))  # fmt: skip
        return NO if apart else FINE
    means = [sum(float(values[query]) for query in both) / len(both) for values in (ours, theirs)]
    rows = [[query, _short(ours[query]), _short(theirs[query]), f"{off[query]:+.4g}"] for query in apart[:limit]]
    rows.append([f"mean of {len(both)}", *(grid.fixed(mean) for mean in means), f"{means[1] - means[0]:+.4g}"])
    said = [grid.text([["query", *names, "difference"], *rows])]
    same = f"{len(both) - len(apart)} of {len(both)} queries agree to their last digit"
    said.append(f"{same}; {len(apart)} differ{f', {limit} are shown' if len(apart) > limit else ''}.")
    for name, queries in zip(names, alone, strict=True):
        if queries:
            listed = ", ".join(queries[:5]) + (", …" if len(queries) > 5 else "")
            said.append(f"Only {name} has {len(queries)} of the queries: {listed}.")
    terminal.say("\n".join([*said, *causes]))
    return NO if apart else FINE


def _short(text: str) -> str:
    """A number as it was printed, unless that is too long for a table."""
    return text if len(text) <= 24 else f"{float(text):.6g}"


def _names(first: str, second: str) -> tuple[str, str]:
    short = os.path.basename(first), os.path.basename(second)
    return short if short[0] != short[1] else (first, second)


def _chosen(values: Values, other: Values, measure: str | None, name: str) -> str:
    """The measure of a file that is compared."""
    if measure is not None:
        wanted = measure_name(measure)
        if wanted not in values and list(values) != [""]:
            raise ValueError(f"{name} has no {wanted}, but {', '.join(values)}")
        return wanted if wanted in values else ""
    common = [each for each in values if each in other]
    if not common and (len(values) > 1 or len(other) > 1):
        raise ValueError(f"{name} holds {', '.join(values)}, the other {', '.join(other)}: choose one with --measure")
    return common[0] if common else next(iter(values))


def _unit(values: dict[str, str]) -> float:
    """The last decimal of numbers as they were printed."""
    return min(10.0 ** -len(text.partition(".")[2].partition("e")[0]) for text in values.values())


def _causes(names: tuple[str, str], values: Any, asked: list[str], qrels: str, run: str) -> list[str]:
    """The convention behind each file, and every cause for which the two differ, the largest first."""
    from ndcg_lib.files.reading import read_qrels, read_run
    from ndcg_lib.identification import which
    from ndcg_lib.identification.answers import differences

    judged, results = read_qrels(options.stream(qrels)), read_run(options.stream(run))
    said, found = list[str](), list[Any]()
    for name, each, measure in zip(names, values, asked, strict=True):
        quantity, _, k = re.sub(r"\(.*\)", "", measure).partition("@")
        if quantity not in ("", "ndcg", "dcg", "cg"):
            return [f"The conventions of NDCG, DCG and CG can be told from their values, those of {measure} cannot."]
        some = {query: value for query, value in each.items() if query in judged}
        answers = which(some, qrels=judged, run=results, k=int(k) if k else None, quantity=quantity or None)
        said.append(f"{name}: {answers[0].sentence if answers else f'no definition gives these values ({answers})'}")
        found += [answers] if answers else []
    if len(found) == 2:
        causes = differences(found[0], found[1], names)
        said.append(f"They differ in {', '.join(causes)}." if causes else "Both are one definition.")
    return said
