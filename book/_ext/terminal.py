"""``{terminal}``: commands of `ndcg` with what they print on real files, run while the book is built.

Each line of the body is a command. `:files:` names the files that they read, parted by commas: the name there, that in
data/trec, and how many queries, if not all.
"""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from textwrap import fill

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import ndcg_lib

TREC = Path(__file__).resolve().parents[1] / "data" / "trec"
WIDTH = 120
"""Of a line; a terminal breaks longer ones as well."""


def printed(command: str, folder: Path) -> list[str]:
    """A command with what it prints, its complaints too, and its exit code if that is not 0."""
    words, _, file = command.partition(" > ")
    program, *arguments = shlex.split(words)
    if program != "ndcg":
        raise ValueError(f"{command}: only ndcg can be run here")
    run = [sys.executable, "-X", "utf8", "-m", "ndcg_lib", *arguments]
    ran = subprocess.run(
        run,
        cwd=folder,
        capture_output=True,
        encoding="utf8",
        env=os.environ | {"PYTHONPATH": str(TREC.parents[2])},
        check=False,
    )
    if file:
        (folder / file).write_text(ran.stdout, "utf8")
    lines = (ran.stderr if file else ran.stdout + ran.stderr).rstrip("\n").split("\n")
    code = ["$ echo $?", str(ran.returncode)] if ran.returncode else []
    kept = [fill(line, WIDTH, break_on_hyphens=False) if len(line) > WIDTH and "  " not in line.strip() else line
            for line in lines]  # fmt: skip
    return [f"$ {command}", *kept, *code]


def lay(name: str, source: str, folder: Path, queries: int | None = None) -> None:
    """A file of data/trec under another name, or its first queries."""
    text = gzip.decompress((TREC / f"{source}.txt.gz").read_bytes()).decode()
    each = ["".join(lines) for _, lines in groupby(text.splitlines(keepends=True), lambda line: line.split()[0])]
    (folder / name).write_text("".join(each[:queries]))


class Terminal(SphinxDirective):
    has_content = True
    option_spec = {"files": directives.unchanged}  # noqa: RUF012 - of docutils

    def run(self) -> list[nodes.Node]:
        for file in (Path(__file__), *Path(ndcg_lib.__file__).parent.rglob("*.py")):
            self.env.note_dependency(str(file))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            try:
                for line in filter(None, self.options.get("files", "").split(",")):
                    called, source, *queries = line.split()
                    lay(called, source, folder, *map(int, queries))
                said = [line for command in self.content if command for line in printed(command, folder)]
            except (ValueError, OSError) as error:
                raise self.error(f"terminal: {error}") from None
        text = "\n".join(said)
        return [nodes.literal_block(text, text, language="text", classes=["terminal"])]


def setup(app: object) -> dict[str, bool]:
    app.add_directive("terminal", Terminal)  # type: ignore[attr-defined]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
