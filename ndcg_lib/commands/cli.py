"""The `ndcg` command: runs a command and turns whatever goes wrong into one line and an exit code.

0: fine; 1: the answer is no; 2: wrong use or wrong input; 130: interrupted; 141: nobody reads the output any more.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from ndcg_lib.commands import terminal

FINE, NO, WRONG, INTERRUPTED, UNREAD = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `ndcg` with these arguments, or those of the process; the exit code."""
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return UNREAD
    except ModuleNotFoundError as error:
        if error.name is None:  # raised by the library, with what to install
            return _wrong(str(error))
        if error.name not in ("click", "rich"):
            raise
        return _wrong(f"the command line needs {error.name}: pip install click rich")
    except OSError as error:
        _forget_output()
        named = "" if error.filename is None else f"{os.fsdecode(error.filename) or repr('')}: "
        return _wrong(f"{named}{error.strerror or error}")
    except (ValueError, OverflowError) as error:
        return _wrong(str(error))
    except MemoryError:
        return _wrong("there is not enough memory for this")
    except Exception as error:
        if os.environ.get("NDCG_TRACEBACK"):
            raise
        return _wrong(f"a mistake of ndcg itself, {type(error).__name__}: {error} (NDCG_TRACEBACK=1 shows where)")


def _run(arguments: list[str]) -> int:
    import click
    import rich  # noqa: F401 - the bar needs it, but only after a second

    from ndcg_lib.commands.group import group

    if "_NDCG_COMPLETE" in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(group, {}, "ndcg", "_NDCG_COMPLETE", os.environ["_NDCG_COMPLETE"])
    try:
        with group.make_context("ndcg", arguments) as context:
            result = group.invoke(context)
    except click.exceptions.Exit as exit:
        result = exit.exit_code
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        return _wrong_use(error)
    sys.stdout.flush()
    return result if isinstance(result, int) else FINE


def _wrong_use(error: Exception) -> int:
    import click

    assert isinstance(error, click.ClickException)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "ndcg"
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.option_name[1:2].isdigit():
        return _wrong(
            f"{error.option_name} is below 0: grades and values are numbers from 0 (one that is meant goes behind --)",
            command,
        )
    message = message[:1].lower() + message[1:].rstrip(".")
    if isinstance(error, click.NoSuchOption) and (word := _in_measures(error.option_name, context)):
        message = f"there is no {error.option_name}: what decides a value stands in its measure, as -m '{word}'"
    return _wrong(f"{message} (see {command} --help)", command)


def _in_measures(option: str, context: Any) -> str:
    """The string of a measure that says what is asked for as an option of a command that takes measures."""
    from ndcg_lib.measures import EVERY, MEASURES

    name = option.lstrip("-").replace("-", "_")
    own = {"relevant": "RR(rel=…)", "persistence": "RBP(p=…)", "max_grade": "ERR(max=…)"}
    takes = context is not None and any("--measures" in each.opts for each in context.command.params)
    kinds = [each.heading for each in MEASURES.values() if name in f"{each.takes} {EVERY}".split()]
    return own.get(name, f"{kinds[0]}({name}=…)" if kinds else "") if takes else ""


def _wrong(message: str, command: str = "ndcg") -> int:
    printable = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in " ".join(message.split()))
    terminal.complain(f"{command}: {printable}")
    return WRONG


def _forget_output() -> None:
    """Let the interpreter end without another complaint about a pipe that is closed or a disk that is full."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
