"""`ndcg gate`: may this run replace the baseline?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ndcg_lib.commands import options, terminal
from ndcg_lib.commands.cli import FINE
from ndcg_lib.comparison.gate import SMALLEST, gate, promise
from ndcg_lib.comparison.loss import LEVEL
from ndcg_lib.runs.saved import as_baseline, measured, opened

SAVE = "save"


@click.command(name="gate", epilog=options.words())
@click.argument("qrels", type=click.Path())
@click.argument("baseline", type=click.Path())
@click.argument("run", type=click.Path())
@click.option(
    "-m",
    "--measures",
    "--measure",
    multiple=True,
    metavar="MEASURE=LIMIT",
    help="A measure and the loss of its mean that is allowed: nDCG@10=.02. Kept in a saved baseline.",
)
@options.convention
@options.files
@click.option(
    "--alpha",
    type=float,
    default=LEVEL,
    metavar="X",
    help="How often a loss at the limit may get either word; 0.05. Kept as well.",
)
@click.option(
    "--like",
    metavar="RUN",
    type=click.Path(),
    help="For save: another run, that differs as your changes do; says what they can show.",
)
@click.option(
    "--slices",
    metavar="FILE",
    type=click.Path(),
    help="A file of groups of queries, none of which may lose more than the limit: lines of a query and the name of its"
    f" group. Groups of {SMALLEST} queries or more are tested.",
)
@click.option(
    "--unsure",
    type=click.Choice(["mean", "pass", "block"]),
    default="mean",
    help="The exit code of 'cannot tell': 3 if the mean is beyond its limit, else 0 (mean); 0 (pass); 3 (block).",
)
@click.option("--summary", metavar="FILE", type=click.Path(), help="Add the answer to a file, in Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    qrels: str, baseline: str, run: str, measures: tuple[str, ...], alpha: float, like: str | None, slices: str | None,
    unsure: Any, summary: str | None, as_json: bool, convention: str | None, **formats: Any,
) -> int:  # fmt: skip
    """Say whether RUN may replace the run that you have, the BASELINE.

    First keep what you have: `ndcg gate save QRELS RUN -m nDCG@10=.02` prints a baseline, in which .02 is the loss
    of the mean that you allow. Then ask for each change: `ndcg gate QRELS BASELINE RUN`. (With -m, BASELINE can be
    a run.)

    What must agree comes first: queries lost, results fewer, documents repeated or unknown, other judgements. Then each
    loss is tested against its limit: is one above it ruled out (not worse), shown (worse), or neither (cannot tell)?
    A single query that had half of what a measure can give, or more, and now has 0, is worse by itself.

    \b
    Exit codes:
      0 not worse   1 worse   3 cannot tell   4 not comparable   2 wrong use
    \b
    Examples:
      ndcg gate save qrels.txt run.txt -m nDCG@10=.02,RR@10=.05 --like other.txt > baseline.json
      ndcg gate qrels.txt baseline.json new.txt
      ndcg gate qrels.txt baseline.json new.txt --unsure block --summary summary.md
    """
    how = {**formats, **({"convention": convention} if convention else {})}
    limits, context = _limits(measures), click.get_current_context()
    given = {name for name in context.params if context.get_parameter_source(name) == ParameterSource.COMMANDLINE}
    alone = given & ({"slices", "unsure", "summary", "as_json"} if qrels == SAVE else {"like"})
    if alone:
        option = "--json" if "as_json" in alone else f"--{min(alone)}"
        what = "belongs to the question, not to ndcg gate save" if qrels == SAVE else "belongs to ndcg gate save"
        raise click.UsageError(f"{option} {what}", context)
    if qrels == SAVE:
        if limits is None:
            raise click.UsageError("say what is measured and what may be lost: -m nDCG@10=.02", context)
        kept = as_baseline(measured(baseline, run, measures=list(limits), **how), limits, alpha)
        terminal.say(kept.text().rstrip("\n"))
        beside = measured(baseline, like, measures=list(limits), **how) if like else None
        terminal.complain("\n".join([*kept.cards(), *promise(kept, beside)]))
        return FINE
    saved = opened(baseline)
    if saved is None and limits is None:
        what = (
            f"{baseline} is no saved baseline: make one with ndcg gate save, or give -m nDCG@10=.02 to take it as a run"
        )
        raise click.UsageError(what, context)
    if saved is not None and given & {"measures", "convention", "alpha"}:
        raise click.UsageError("the baseline holds measures, limits and alpha: save it anew to change them", context)
    level = alpha if limits else None
    answer = gate(qrels, saved or baseline, run, limits, alpha=level, slices=_slices(slices) if slices else None, **how)
    if summary is not None:
        with Path(summary).open("a", encoding="utf8") as file:
            file.write(answer.to_markdown() + "\n")
    terminal.say(json.dumps(answer.as_dict(unsure), ensure_ascii=False) if as_json else str(answer))
    return answer.exit(unsure)


def _limits(measures: tuple[str, ...]) -> dict[str, float] | None:
    """The allowed losses by measure."""
    found = {}
    for text in (each for given in measures for each in options.MEASURE.findall(given)):
        name, _, limit = text.rpartition("=")
        if not name or not options.NUMBER.fullmatch(limit):
            raise ValueError(f"-m {text}: give the loss that is allowed behind the measure, such as nDCG@10=.02")
        if name in found:
            raise ValueError(f"-m {text}: {name} has a limit already; give it one")
        found[name] = float(limit)
    return found or None


def _slices(path: str) -> dict[str, list[str]]:
    """The queries by slice."""
    found: dict[str, list[str]] = {}
    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8: give lines of a query and the name of its slice") from None
    for at, line in enumerate(text.splitlines(), 1):
        query, _, name = line.strip().replace("\t", " ").partition(" ")
        if query and not name.strip():
            raise ValueError(f"{path}, line {at}: give a query and the name of its slice")
        if query:
            found.setdefault(name.strip(), []).append(query)
    return found
