"""All commands; a command is imported when it is run."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

import click

import ndcg_lib

COMMANDS = {
    "score": "NDCG of one ranking, with its convention and the hand calculation.",
    "which": "Which definition or slip gives this number?",
    "eval": "Evaluate runs against judgements.",
    "compare": "Is one run better than another? Differences, intervals and tests.",
    "diff": "Lay the values that two tools give each query side by side.",
    "gate": "May this run replace the baseline? Coverage, then losses against limits.",
    "next": "What to judge, so that it is decided which run is better.",
    "demo": "The commands of README, run on small real runs.",
    "verify": "Check a saved result against judgements and run.",
    "completion": "Completion of commands and options for your shell.",
}
"""Each is the `command` of the module of the same name."""


class Commands(click.Group):
    """A group that knows its commands by name and loads them late."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names."""
        return [*COMMANDS, *sorted(entry_points(group="ndcg.commands").names)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command itself."""
        command: click.Command | None = None
        if name in COMMANDS:
            command = import_module(f"ndcg_lib.commands.{name}").command
        for entry in entry_points(group="ndcg.commands", name=name):
            command = entry.load()
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help; the commands of other packages are loaded for their first sentence."""
        rows = dict(COMMANDS)
        for name in self.list_commands(context):
            if name not in rows and (command := self.get_command(context, name)):
                rows[name] = command.get_short_help_str(limit=80)
        with formatter.section("Commands"):
            formatter.write_dl(list(rows.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=False,
    invoke_without_command=True,
)
@click.version_option(ndcg_lib.__version__, "--version", prog_name="ndcg", message="%(prog)s %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """CG, DCG, IDCG and NDCG under a named convention.

    \b
    Examples:
      ndcg score 3 2 3 0 1 2 -k 5 --show
      ndcg which 0.961 3 2 3 0 1 2
      ndcg eval qrels.txt run.txt -k 10 --convention trec_eval
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
