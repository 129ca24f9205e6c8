"""`ndcg next`: what to judge, so that it is decided which of two runs is better."""

from __future__ import annotations

import json
from typing import Any

import click

from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import FINE, NO
from ndcg_lib.commands.compare import named
from ndcg_lib.comparison.judging import what_next
from ndcg_lib.comparison.table import compare


@click.command(name="next", epilog=options.words())
@click.argument("qrels", type=click.Path())
@click.argument("runs", metavar="RUN RUN", nargs=-1, required=True)
@options.evaluations
@click.option("--limit", type=float, default=0.01, metavar="X", help="How far the rest may move the difference; 0.01.")
@click.option(
    "--most", type=click.IntRange(0), metavar="N", help="Show at most N documents; those that should settle it."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(qrels: str, runs: tuple[str, ...], limit: float, most: int | None, as_json: bool, **given: Any) -> int:
    """Which documents should be judged next, so that it is decided which of two RUNs is better?

    Printed are the unjudged documents that the measure looks at, those first whose grade should settle most, with the
    ranks that the runs give them; what the difference could be with all of them judged, and what it should be if they
    are like the judged beside them; how many of them should settle its sign with a chance of 95 %, and how many are
    enough if the rest may move it by no more than --limit together; which queries decide; and how many queries of this
    kind show the difference. The exit code is 1 where a grade of theirs can still turn the sign.

    \b
    Examples:
      ndcg next qrels.txt old.txt new.txt -k 10 --limit 0.01
    """
    if len(runs) != 2:
        raise click.UsageError("give two runs", click.get_current_context())
    found = what_next(compare(qrels, named(runs), **options.evaluated(**given)), limit)
    shown = (found.likely or found.enough) if most is None else most
    terminal.say(json.dumps(found.as_dict(), ensure_ascii=False) if as_json else found.text(shown))
    return FINE if found.decided else NO
