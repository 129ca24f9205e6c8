"""`ndcg which`: where a number comes from, and what a function computes."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import NO


@click.command(name="which")
@click.argument("value")
@click.argument("grades", nargs=-1)
@click.option("-k", metavar="K", help="The cut-off that was asked for; several as 5,10.")
@click.option("--judged", metavar="GRADES", help="The grades of all judged documents, the returned ones included.")
@click.option("--scores", metavar="SCORES", help="The score of each document, if GRADES are not in ranked order.")
@click.option("--qrels", type=click.Path(allow_dash=True), help="A file of judgements, with --run, in place of GRADES.")
@click.option(
    "--run",
    type=click.Path(allow_dash=True),
    help="A file of results, with --qrels; VALUE is then the mean over queries.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    metavar="N",
    help="How many decimals of VALUE are right; without it all that it shows.",
)
@click.option(
    "--quantity",
    type=click.Choice(["ndcg", "dcg", "idcg", "cg", "mean"]),
    help="What VALUE is; without it all are tried.",
)
@click.option("--beside", metavar="NAMES", help="Of FILE:FUNCTION: the presets to compare it with; trec_eval,sklearn.")
@click.option("--limit", type=click.IntRange(1), default=10, metavar="N", help="Show at most N answers; 10.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def command(
    value: str,
    grades: tuple[str, ...],
    k: str | None,
    judged: str | None,
    scores: str | None,
    qrels: str | None,
    run: str | None,
    digits: int | None,
    quantity: str | None,
    beside: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """Which definitions or slips give this VALUE for these GRADES? Or, for FILE:FUNCTION, what does it compute?

    VALUE is the number that you want explained, as it was printed, also in percent. It can be several parted by
    commas (one per query or cut-off), or names and numbers such as dcg=6.861,idcg=7.141. GRADES are those of the
    returned documents, best rank first; if more were judged, give all of them as --judged. A slip is a known
    mistake of programs. The exit code is 1 when nothing fits.

    In place of VALUE, FILE:FUNCTION names a function of a Python file; FILE alone, the last named after NDCG. It is
    called on a few lists, in a process of its own with limits of time, memory and files, which stop a mistake and not a
    malice: imports, definitions and constants of the file are run, and what is not run is said. The card says which
    NDCG it computes.

    \b
    Examples:
      ndcg which 0.961 3 2 3 0 1 2
      ndcg which 0.7992 1 2 3 3 -k 4 --judged "1 2 3 3 3 3"
      ndcg which dcg=6.861 3 2 3 0 1 2 --json
      ndcg which metrics.py:ndcg_at_k --beside trec_eval
    """
    from ndcg_lib.identification import which

    if named := re.fullmatch(r"(.+\.py)(?::([\w.]*))?", value, re.DOTALL):
        if any(one not in (None, ()) for one in (grades, k, judged, scores, qrels, run, digits, quantity)):
            raise click.UsageError("a function takes --beside and --json alone", click.get_current_context())
        return _of_function(named[1], named[2] or "", beside, as_json)
    if beside is not None:
        raise click.UsageError("--beside goes with FILE:FUNCTION", click.get_current_context())
    if bool(grades) == (qrels is not None or run is not None):
        raise click.UsageError("give GRADES, or --qrels and --run", click.get_current_context())
    cuts: Any = None if k is None else options.cutoffs([k])
    if grades and (cuts is None or len(cuts) == 1) and re.fullmatch(r"\d+,\d+%?", value, re.ASCII):
        raise ValueError(f"VALUE is {value!r}: write {value.replace(',', '.')}, with a point")
    answers = which(
        _value(value),
        options.numbers(grades, "grade") if grades else None,
        cuts[0] if cuts and len(cuts) == 1 else cuts,
        None if judged is None else options.numbers([judged], "judged grade"),
        None if scores is None else options.numbers([scores], "score"),
        digits,
        qrels=None if qrels is None else options.stream(qrels),
        run=None if run is None else options.stream(run),
        quantity=quantity,
        limit=limit,
    )
    terminal.say(json.dumps(answers.as_dict(), ensure_ascii=False) if as_json else str(answers))
    return 0 if answers or any(answers.apart) else NO


def _of_function(file: str, name: str, beside: str | None, as_json: bool) -> int:
    from ndcg_lib.convention import as_convention
    from ndcg_lib.identification.apart import ask

    tools = ["trec_eval", "sklearn"] if beside is None else options.parts([beside])
    for tool in tools:
        as_convention(tool)
    card = ask(file, name, tools)
    terminal.say(card.to_json() if as_json else str(card))
    return 0 if card.identified else NO


def _value(text: str) -> Any:
    """What was given, as text, which keeps the zeros at the end."""
    words = options.parts([text])
    if any("=" in word for word in words):
        pairs = [word.partition("=") for word in words]
        return {name.strip().lower(): _number(number) for name, _, number in pairs}
    values = [_number(word) for word in words]
    return values[0] if len(values) == 1 else values


def _number(text: str) -> str:
    number = text.removesuffix("%")  # a value in percent is recognised by its size
    if not options.NUMBER.fullmatch(number) and number.lower() not in ("nan", "inf", "-inf"):
        raise ValueError(f"VALUE is {text!r}, not a number")
    return number
