"""Which submissions are alike in the structure of their code, whatever the names, comments and layout.

A hint for a person. It is no mark, and no proof: short tasks have few right answers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ndcg_course import sealed
from ndcg_course.grade import notebooks, submissions
from ndcg_course.grade.notebooks import Limits

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<text>[rbfuRBFU]{0,2}(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*'))"""
    r"""|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>[^\s\w])"""
)
KEPT = set(keyword.kwlist) | {"sum", "sorted", "len", "range", "enumerate", "zip", "max", "min", "reversed", "list"}
LENGTH, MOST, LONGEST = 6, 400, 20_000  # tokens in a piece, pieces kept, tokens read
SOLUTION, NAMED = "the published solution", 30  # how many names a line holds
MOST_HOLDERS = 50  # of a piece that is compared; the pairs of more would take long


def pieces(cells: Iterable[str]) -> list[int]:
    """The runs of six tokens, as numbers, after renaming.

    >>> pieces(["total = sum(grades[:k])"]) == pieces(["s=sum( x[ : n ])  # mine"])
    True
    """
    return [piece for cell in cells for piece in _of_cell(cell)]


@lru_cache(maxsize=2048)
def _of_cell(cell: str) -> list[int]:
    words = list(islice(_words(cell), LONGEST))
    runs = (" ".join(words[i : i + LENGTH]) for i in range(max(0, len(words) - LENGTH + 1)))
    return [_number(run) for run in runs]


def fingerprint(cells: Sequence[str], assignment: str) -> str:
    """The pieces of a notebook that are not in the one that was handed out, twelve letters each."""
    given = _handed_out(assignment)
    found = sorted(set(pieces(cells)) - given)
    return "".join(f"{piece:012x}" for piece in found[:MOST])


class Likeness(NamedTuple):
    """Pairs that are alike, and what was left out because many have it."""

    pairs: list[dict[str, Any]]
    left_out: list[str]


def alike(
    results: Sequence[Mapping[str, Any]],
    others: Sequence[tuple[str, str, str]] = (),
    least: float = 0.7,
    fewest: int = 12,
    as_good_as_equal: float = 0.9,
) -> Likeness:
    """Pairs that share most of their own code, the most alike first; `others` are assignment, name and fingerprint.

    What every third has is common and left out, and said to be: short tasks have few right answers. So is what the
    published solution has; whose notebook is that solution is said, and is no pair. Against other work from elsewhere
    nothing is left out, and nearly all has to be the same.
    """
    pairs: list[dict[str, Any]] = []
    left_out: list[str] = []

    def add(assignment: str, one: str, other: str, n: int, of: int, enough: float) -> None:
        if n >= fewest and n >= enough * of:
            share = round(n / of, 2)
            pairs.append({"assignment": assignment, "one": one, "other": other, "share": share, "pieces": n})

    for assignment in sorted({str(r["assignment"]) for r in results if r.get("shape")}):
        own = [r for r in results if r["assignment"] == assignment and r.get("shape")]
        spread = Counter(piece for r in own for piece in _cut(r["shape"]))
        most = min(max(3, len(own) // 3), MOST_HOLDERS)
        common = {piece for piece, n in spread.items() if n > most}
        if common:
            left_out.append(
                f"In {assignment}, {len(common)} of {len(spread)} pieces of code are in more than {most} notebooks."
                " They are left out when students are compared, since many find the same few right answers alone."
            )
        published = set().union(*(_cut(shape) for at, name, shape in others if (at, name) == (assignment, SOLUTION)))
        if same := sorted(r["student"] for r in own if _is(_cut(r["shape"]), published)):
            left_out.append(
                f"In {assignment}, so many are nearly the published solution, and stand in no pair for it: {len(same)}"
                f" ({', '.join(same[:NAMED])}{' …' * (len(same) > NAMED)})."
            )
        beside = [(n, _cut(shape)) for at, n, shape in others if at == assignment and n != SOLUTION]
        where, sizes = dict[str, list[int]](), list[int]()  # the pieces themselves would fill the memory
        for i, r in enumerate(own):
            mine = _cut(r["shape"])
            for name, shape in beside:
                add(assignment, r["student"], name, len(mine & shape), len(mine | shape), as_good_as_equal)
            rare = mine - common - published
            sizes.append(len(rare))
            for piece in rare:
                where.setdefault(piece, []).append(i)
        shared: Counter[tuple[int, int]] = Counter()
        for holders in where.values():
            shared.update((a, b) for n, a in enumerate(holders) for b in holders[n + 1 :])
        for (a, b), n in shared.items():
            one, other = sorted((own[a]["student"], own[b]["student"]))
            if one != other:
                add(assignment, one, other, n, sizes[a] + sizes[b] - n, least)
    return Likeness(sorted(pairs, key=lambda p: (-p["share"], -p["pieces"], p["one"], p["other"])), left_out)


def _is(shape: set[str], published: set[str], enough: float = 0.9) -> bool:
    return bool(published) and len(shape & published) >= enough * len(shape | published)


def elsewhere(folders: Iterable[str], assignments: Iterable[str]) -> list[tuple[str, str, str]]:
    """Assignment, name and fingerprint of the published solutions, and of the notebooks in some folders."""
    wanted, limits = set(assignments), Limits()
    found = []
    for folder in map(Path, folders):
        for job in submissions.find(folder).jobs:
            with contextlib.suppress(notebooks.Unreadable):
                notebook = notebooks.parse(notebooks.load(job.path, job.member, limits).text(limits), limits)
                name = notebooks.assignment_of(notebook, job.file)
                if name in wanted:
                    found.append((name, f"{folder.name}: {job.student}", fingerprint(notebook.cells, name)))
    for name in sorted(wanted):
        if code := _solution(name):
            found.append((name, SOLUTION, fingerprint(code, name)))
    return found


def _cut(shape: str) -> set[str]:
    return {shape[i : i + 12] for i in range(0, len(shape), 12)}


def _words(code: str) -> Iterable[str]:
    for match in TOKEN.finditer(code):
        kind, word = match.lastgroup, match[0]
        if kind == "name":
            yield word if word in KEPT else "n"
        elif kind == "number":
            yield "0"
        elif kind == "text":
            yield "s"
        elif kind == "sign":
            yield word


@lru_cache(maxsize=1 << 16)
def _number(run: str) -> int:
    return int.from_bytes(hashlib.blake2b(run.encode("utf8", "replace"), digest_size=6).digest(), "big")


@lru_cache(maxsize=64)
def _handed_out(assignment: str) -> frozenset[int]:
    """The pieces of the notebook as every student got it, and of each answer that a task begins with."""
    return frozenset(pieces(sealed.of(assignment).get("cells", ())))


@lru_cache(maxsize=64)
def _solution(assignment: str) -> tuple[str, ...]:
    """The code of the published solution; nothing where it is not packed."""
    file = resources.files("ndcg_course") / "solutions" / f"{assignment}.json"
    return tuple(json.loads(file.read_text("utf8")).values()) if file.is_file() else ()
