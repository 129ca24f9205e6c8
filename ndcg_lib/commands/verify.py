"""`ndcg verify`: does a saved result belong to these judgements and this run?"""

from __future__ import annotations

from pathlib import Path

import click

from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import FINE, NO
from ndcg_lib.comparison.difference import counted
from ndcg_lib.files.plain import named
from ndcg_lib.runs.saved import record_of, verify


@click.command(name="verify")
@click.argument("result", type=click.Path())
@click.argument("qrels", type=click.Path())
@click.argument("run", type=click.Path())
@options.files
def command(result: str, qrels: str, run: str, qrels_format: str | None, run_format: str | None) -> int:
    """Check a saved RESULT against judgements and run: the same files, the same values?

    RESULT is a file of nd.save or `ndcg gate save`. The exit code is 1 where something differs.

    \b
    Examples:
      ndcg verify result.json qrels.txt run.txt
    """
    record = record_of(Path(result).read_text("utf8"), result)
    found = verify(record, qrels, run, qrels_format=qrels_format, run_format=run_format)
    if found:
        lines = [f"  {each.what}: {counted(len(each.queries))}{named(each.queries)}" for each in found]
        terminal.say("\n".join([f"{result} is not the result of these files", *lines]))
        return NO
    terminal.say(f"{result} is the result of these files: {counted(len(record.lines))}, {', '.join(record.measures)}")
    return FINE
