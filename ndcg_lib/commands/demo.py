"""`ndcg demo`: the commands of README, run as they stand on small real runs that the package brings."""

from __future__ import annotations

import contextlib
import gzip
import shlex
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import click

from ndcg_lib.commands import terminal
from ndcg_lib.commands.cli import FINE, main

LINES = """
ndcg score 3 2 3 0 1 2 -k 5 --show     # the value, its convention, and the calculation by hand
ndcg which 0.961 3 2 3 0 1 2           # which definition or which slip gives this number
ndcg which metrics.py:ndcg_at_k        # which definition a function computes; this one has a mistake
ndcg eval qrels.txt old.txt -k 10      # a run against judgements, as trec_eval, scikit-learn, … would
ndcg compare qrels.txt old.txt new.txt -k 10 --html report.html   # is new better? a table, a sentence and a page
ndcg next qrels.txt old.txt new.txt -k 10 --most 5   # which documents to judge, so that it is decided
ndcg gate save qrels.txt old.txt -m nDCG@10=.02 > baseline.json   # the run that you have, and the loss that you allow
ndcg gate qrels.txt baseline.json new.txt   # may new replace it? 0 not worse, 1 worse, 3 cannot tell, 4 not comparable
""".strip().splitlines()
"""What is shown; README has the same lines."""


@click.command(name="demo")
@click.argument("folder", type=click.Path(file_okay=False), required=False)
def command(folder: str | None) -> int:
    """Run the commands of README, each with what it prints, on small real runs.

    With FOLDER the files (qrels.txt, old.txt, new.txt, metrics.py) are written there for you to go on with, and
    nothing is written over; without it they are gone afterwards.

    \b
    Examples:
      ndcg demo
      ndcg demo here
    """
    with contextlib.ExitStack() as stack:
        place = Path(folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="ndcg-demo-")))
        place.mkdir(parents=True, exist_ok=True)
        _lay(place)
        stack.enter_context(contextlib.chdir(place))
        for line in LINES:
            _run(line)
    if folder:
        terminal.say(f"The files are in {folder}: go there and change a line.")
    return FINE


def _lay(place: Path) -> None:
    texts = {}
    for source in files("ndcg_lib").joinpath("demo").iterdir():
        if source.name.endswith(".txt.gz"):
            texts[source.name.removesuffix(".gz")] = gzip.decompress(source.read_bytes()).decode()
        elif source.name == "metrics.txt":
            texts["metrics.py"] = source.read_text("utf8")
    for name in [*texts, "baseline.json", "report.html"]:
        if (place / name).exists():
            raise ValueError(f"{place / name} is there already: name another folder, or remove it")
    for name, text in texts.items():
        (place / name).write_text(text, "utf8")


def _run(line: str) -> None:
    words, _, comment = line.partition("#")
    asked, _, target = words.strip().partition(" > ")
    terminal.say(terminal.bold(f"$ {words.strip()}") + terminal.dim(f"   # {comment.strip()}"))
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stderr(sys.stdout))
        if target:
            stack.enter_context(contextlib.redirect_stdout(stack.enter_context(open(target, "w", encoding="utf8"))))
        code = main(shlex.split(asked)[1:])
    terminal.say(f"(exit code {code})\n" if code else "")
