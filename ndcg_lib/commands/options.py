"""What several commands take: numbers, cut-offs, and the choices of a convention."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, TypeVar

import click

from ndcg_lib.choices import keywords_of
from ndcg_lib.convention import CONVENTIONS, Convention, as_convention
from ndcg_lib.definition import PARAMETERS, TABLE

Command = TypeVar("Command", bound=Callable[..., Any])

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
MEASURE = re.compile(r"(?:[^\s,(]|\([^)]*\)?)+")  # a comma within parentheses parts no names


FORMS = {"gain": ", or a table such as 0:0,1:1,2:10", "empty": ", or a number"}
"""What may stand on the command line besides a name."""


def convention(command: Command) -> Command:
    """The presets by name."""
    return click.option(
        "--convention",
        "--as",
        "convention",
        metavar="NAME",
        help=f"A tool or paper: its choices and, where measures are named, its names. {', '.join(CONVENTIONS)}.",
        shell_complete=lambda _context, _option, begun: [name for name in CONVENTIONS if name.startswith(begun)],
    )(command)


def choices(command: Command) -> Command:
    """An option for each choice of a convention for scored lists, from the table of choices."""
    made = []
    for name in keywords_of("scores"):
        option = f"--{name.replace('_', '-')}"
        if name in PARAMETERS:
            text = f"{PARAMETERS[name].label}; {PARAMETERS[name].default:g} without it."
            made.append(click.option(option, type=float, metavar="X", help=text[0].upper() + text[1:]))
        elif len(names := TABLE[name].names) > 1:
            text = f"{name.replace('_', ' ').capitalize()}: {TABLE[name].about}"
            if name in FORMS:
                made.append(
                    click.option(option, metavar=name.upper(), help=f"{text}: {', '.join(names)}{FORMS[name]}.")
                )
            else:
                made.append(click.option(option, type=click.Choice(names), help=f"{text}."))
    return _all(made)(command)


def words() -> str:
    """The words that may stand in a measure's parentheses, for the end of a command's help."""
    from ndcg_lib.measures import EVERY, GAINS, MEASURES

    whose = {"p": "nDCG, nDCG', DCG", **dict.fromkeys(EVERY.split(), "all")}
    for word in (*GAINS.split(), "rel", "max"):
        whose.setdefault(word, ", ".join(each.heading for each in MEASURES.values() if word in each.takes.split()))
    said = [("rel", "the lowest grade that is relevant; without it every grade above 0", whose["rel"]),
            ("max", "the top of the scale of grades", whose["max"]),
            ("beta", "recall weighs beta squared times as much as precision; 1", "F"),
            ("p", "how likely the reader looks on", "RBP")]  # fmt: skip
    for name in (*GAINS.split(), *EVERY.split()):
        if name in TABLE:
            number = ", 0:0;1:1;2:10" if name == "gain" else ", a number" if TABLE[name].number else ""
            said.append((name, f"{TABLE[name].about}: {', '.join(TABLE[name].names)}{number}", whose[name]))
        else:
            said.append((name, f"{PARAMETERS[name].label}; {PARAMETERS[name].default:g}", whose[name]))
    lines = [f"  {word:16} {text} ({of})" for word, text, of in said]
    return "\b\nWords of a measure, which may be cut short (gain=exp):\n" + "\n".join(lines)


def _all(made: list[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(made):
            command = option(command)
        return command

    return decorate


def evaluations(command: Command) -> Command:
    """The options of commands that evaluate runs: what is measured, and how files are read."""
    from ndcg_lib.measures import MEASURES

    names = ", ".join(measure.heading for measure in MEASURES.values())
    made = [
        click.option("-k", multiple=True, metavar="K", help="Cut-off; several as -k 5,10. Without it: the whole list."),
        click.option("-m", "--measures", "--measure", multiple=True, metavar="NAME",
                     help=f"What is measured, as nDCG@10,AP. What differs from the textbook stands in parentheses:"
                     f" nDCG(gain=exp,ties=id)@10, RR(rel=2)@10, ERR(max=4)@20, RBP(p=.8). Names: {names};"
                     f" or all, those that need nothing said. Without it: nDCG."),
        convention,
        files,
    ]  # fmt: skip
    return _all(made)(command)


def files(command: Command) -> Command:
    """How files are read."""
    from ndcg_lib.files.reading import FORMATS

    kinds = ("--qrels-format", "--run-format")
    text = "If the name of the file does not say it."
    return _all([click.option(name, type=click.Choice(FORMATS), help=text) for name in kinds])(command)


def evaluated(k: Iterable[str], measures: Iterable[str], **given: Any) -> dict[str, Any]:
    """What was given for `evaluations`, as keywords of `evaluate` and `compare`."""
    from ndcg_lib.measures import MEASURES

    names = [name for text in measures for name in MEASURE.findall(text)] or ["ndcg"]
    every = [name for name, each in MEASURES.items() if not each.needs and name not in ("infap", "hits")]
    return {"k": cutoffs(k) or None, "measures": every if names == ["all"] else names, **given}


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
    if text is None or text in TABLE["gain"].names:
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
    if text is None or text in TABLE["empty"].names:
        return text
    return float(text) if NUMBER.fullmatch(text) or text.lower() == "nan" else text
