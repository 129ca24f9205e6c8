"""What several commands take: numbers, cut-offs, and the choices of a convention."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, TypeVar

import click

from ndcg_lib.choices import NAMES
from ndcg_lib.convention import CONVENTIONS, Convention, as_convention

Command = TypeVar("Command", bound=Callable[..., Any])

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def conventions(command: Command) -> Command:
    """The options that make a convention."""
    for option in reversed(
        [
            click.option(
                "--convention",
                metavar="NAME",
                help=f"A preset: {', '.join(CONVENTIONS)}.",
                shell_complete=lambda _context, _option, begun: [
                    name for name in CONVENTIONS if name.startswith(begun)
                ],
            ),
            click.option(
                "--gain", metavar="GAIN", help="linear, exponential, binary, or a table such as 0:0,1:1,2:10."
            ),
            click.option("--discount", type=click.Choice(NAMES["discount"]), help="What a rank is worth."),
            click.option("--base", type=float, metavar="B", help="Base of the logarithm; 2 without it."),
            click.option("--ideal", type=click.Choice(NAMES["ideal"]), help="The ideal is made of these documents."),
            click.option("--ties", type=click.Choice(NAMES["ties"]), help="What equal scores mean."),
            click.option(
                "--empty", metavar="VALUE", help="Value without any relevant document: a number, skip, raise."
            ),
        ]
    ):
        command = option(command)
    return command


def as_choices(gain: str | None, empty: str | None, **others: Any) -> dict[str, Any]:
    """The choices that were given, as keywords of a convention."""
    given = {"gain": _gain(gain), "empty": _empty(empty), **others}
    return {name: value for name, value in given.items() if value is not None}


def made(convention: str | None, choices: dict[str, Any]) -> Convention:
    """The convention that the options describe."""
    chosen = Convention() if convention is None else as_convention(convention)
    return chosen.but(**choices, name="", stands_for="") if choices else chosen


def cutoffs(texts: Iterable[str]) -> list[int]:
    """The cut-offs in "-k 5 -k 10" and "-k 5,10".

    >>> cutoffs(["5,10", "20"])
    [5, 10, 20]
    """
    found = []
    for text in (part for given in texts for part in parts([given]) or [repr(given)]):
        if not re.fullmatch(r"[0-9]{1,18}", text, re.ASCII):
            raise ValueError(f"-k {text} is not a whole number from 1")
        found.append(int(text))
    return found


def numbers(texts: Iterable[str], what: str) -> list[float]:
    """Numbers parted by spaces or commas.

    >>> numbers(["3, 2", "0.5"], "grade")
    [3, 2, 0.5]
    """
    found: list[float] = []
    for text in parts(texts):
        if not NUMBER.fullmatch(text):
            raise ValueError(f"{what} number {len(found) + 1} is {text!r}, not a number")
        value = float(text)
        found.append(int(value) if re.fullmatch(r"[+-]?\d{1,15}", text, re.ASCII) else value)
    return found


def parts(texts: Iterable[str]) -> list[str]:
    """Words parted by spaces or commas."""
    return [part for text in texts for part in re.split(r"[\s,]+", text) if part]


def as_json(convention: Convention) -> dict[str, Any]:
    """A convention for JSON."""
    plain = asdict(convention)
    if isinstance(plain["gain"], dict):
        plain["gain"] = {f"{grade:g}": gain for grade, gain in plain["gain"].items()}
    if plain["empty"] != plain["empty"]:
        plain["empty"] = "nan"  # JSON has no such number
    return plain | {"card": convention.card()}


def stream(path: str) -> Any:
    """The file of this name; - is the standard input."""
    if path != "-":
        return path
    if sys.stdin is None:
        raise ValueError("the standard input is closed")
    return sys.stdin.buffer


def _gain(text: str | None) -> Any:
    if text is None or text in NAMES["gain"]:
        return text
    if ":" not in text:
        return text  # Convention says what it can be
    table = {}
    for part in parts([text]):
        grade, _, gain = part.partition(":")
        if not NUMBER.fullmatch(grade) or not NUMBER.fullmatch(gain):
            raise ValueError(f"--gain {text}: {part!r} is not grade:gain, such as 2:10")
        table[float(grade)] = float(gain)
    return table


def _empty(text: str | None) -> Any:
    if text is None or text in NAMES["empty"]:
        return text
    return float(text) if NUMBER.fullmatch(text) or text.lower() == "nan" else text
