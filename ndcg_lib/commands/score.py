"""`ndcg score`: one ranking."""

from __future__ import annotations

import json
from typing import Any

import click

from ndcg_lib import grid
from ndcg_lib.commands import options, terminal
from ndcg_lib.core import ndcg
from ndcg_lib.workings import ASSUMED


@click.command(name="score")
@click.argument("grades", nargs=-1, required=True)
@click.option("-k", metavar="K", help="Only the first K ranks count.")
@click.option("--judged", metavar="GRADES", help="The grades of all judged documents, the returned ones included.")
@click.option("--scores", metavar="SCORES", help="Rank the documents by these, highest first.")
@options.convention
@options.choices
@click.option("--show", is_flag=True, help="Show the calculation rank by rank.")
@click.option("--decimals", type=click.IntRange(0, 15), default=None, metavar="N", help="Round what is shown; 3.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(
    grades: tuple[str, ...],
    k: str | None,
    judged: str | None,
    scores: str | None,
    convention: str | None,
    show: bool,
    decimals: int | None,
    as_json: bool,
    **choices: Any,
) -> None:
    """NDCG of one ranking: GRADES in ranked order, best rank first.

    \b
    Examples:
      ndcg score 3 2 3 0 1 2
      ndcg score 3 2 3 0 1 2 -k 5 --judged "3 2 3 0 1 2 3 2" --show
      ndcg score 3 0 1 --scores "0.5 0.5 0.1" --ties worst --convention burges --json
    """
    chosen = options.made(convention, options.as_choices(**choices))
    if k is not None:
        cutoff, *more = options.cutoffs([k])
        if more:
            raise ValueError(f"-k {k} is more than one cut-off: ndcg score takes one")
        chosen = chosen.but(k=cutoff)
    ranked = options.numbers(grades, "grade")
    pool = None if judged is None else options.numbers([judged], "judged grade")
    if scores is not None and show:
        raise click.UsageError(
            "--show works on grades in ranked order: leave out --scores", click.get_current_context()
        )
    if scores is None:
        value = ndcg(ranked, judged=pool, convention=chosen)
    else:
        from ndcg_lib.scores import ndcg_scores

        value = ndcg_scores(ranked, options.numbers([scores], "score"), judged=pool, convention=chosen)
    assumed = pool is None and chosen.ideal == "judged"
    if as_json:
        result: dict[str, Any] = {"value": grid.finite(value), "convention": options.as_json(chosen)}
        result |= {"assumed": ASSUMED.partition(": ")[2]} if assumed else {}
        terminal.say(json.dumps(result, ensure_ascii=False))
        return
    digits = 3 if decimals is None else decimals
    measure = "NDCG" if chosen.k is None else f"NDCG@{chosen.k}"
    card = chosen.definition() if scores is None else chosen.card()
    lines = [terminal.bold(f"{measure} = {grid.fixed(value, digits)}"), terminal.dim(card)]
    if assumed and not show:  # the working says it itself
        lines.append(terminal.dim(f"{ASSUMED} (otherwise pass all judged grades as --judged)"))
    if show:
        from ndcg_lib.workings import working

        lines += ["", working(ranked, judged=pool, decimals=digits, convention=chosen).text()]
    terminal.say("\n".join(lines))
