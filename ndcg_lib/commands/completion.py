"""`ndcg completion`: a script for the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ndcg_lib.commands import terminal


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script that lets your shell complete commands, options and presets.

    \b
    Put this into ~/.bashrc or ~/.zshrc:
      eval "$(ndcg completion bash)"
      eval "$(ndcg completion zsh)"
    For fish:
      ndcg completion fish > ~/.config/fish/completions/ndcg.fish
    """
    from ndcg_lib.commands.group import group

    kind = get_completion_class(shell)
    assert kind is not None
    terminal.say(kind(group, {}, "ndcg", "_NDCG_COMPLETE").source())
