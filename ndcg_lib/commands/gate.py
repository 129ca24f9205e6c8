"""`ndcg gate`: may this run replace the baseline?"""

from __future__ import annotations

import json
from typing import Any

import click

from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import FINE, NO
from ndcg_lib.comparison.testing import gate


@click.command(name="gate")
@click.argument("qrels", type=click.Path())
@click.argument("baseline", type=click.Path())
@click.argument("run", type=click.Path())
@options.evaluations
@click.option("--max-loss", type=float, default=0.0, metavar="X", help="The loss on average that is accepted; 0.")
@click.option("--strict", is_flag=True, help="Fail as well where a larger loss cannot be ruled out.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
def command(qrels: str, baseline: str, run: str, max_loss: float, strict: bool, as_json: bool, **given: Any) -> int:
    """Fail when RUN is worse than BASELINE: by more than --max-loss on average, and beyond chance.

    The exit code is 1 then, with the reason and the queries that lost most. Files are those of `ndcg eval`.

    \b
    Examples:
      ndcg gate qrels.txt old.txt new.txt --measure ndcg@10 --max-loss 0.01
      ndcg gate qrels.txt old.txt new.txt --measure rr --strict --max-loss 0.5 --json
    """
    asked = options.evaluated(**given)
    measures = asked.pop("measures")
    if len(measures) != 1:
        raise click.UsageError("give one --measure", click.get_current_context())
    if measures == ["ndcg"] and asked["k"] is None:
        asked["k"] = 10
    verdict = gate(qrels, baseline, run, measures[0], max_loss=max_loss, strict=strict, **asked)
    if as_json:
        about = {"passed": verdict.passed, "reason": verdict.reason, "worst": dict(verdict.worst)}
        terminal.say(json.dumps(about | {"difference": verdict.difference.as_dict()}, ensure_ascii=False))
    else:
        terminal.say(str(verdict) if not verdict.passed else verdict.reason)
    return FINE if verdict.passed else NO
