"""All commands; a command is imported when it is run."""

from __future__ import annotations

from importlib import import_module

import click

import ndcg_lib

COMMANDS = {
    "score": "NDCG of one ranking, with its convention and the hand calculation.",
    "which": "Which definition or slip gives this number?",
    "eval": "Evaluate runs against judgements.",
    "exercises": "The assignments: build them, prove them, hand them out.",
    "grade": "Mark the notebooks of a class.",
    "completion": "Completion of commands and options for your shell.",
}
"""Each is the `command` of the module of the same name."""


class Commands(click.Group):
    """A group that knows its commands by name and loads them late."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command itself."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"ndcg_lib.commands.{name}").command
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help, without loading anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


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
