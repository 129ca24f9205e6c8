"""Which submissions are alike in the structure of their code, whatever the names, comments and layout.

A hint for a person. It is no mark, and no proof: short tasks have few right answers.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<text>[rbfuRBFU]{0,2}(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*'))"""
    r"""|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>[^\s\w])"""
)
KEPT = set(keyword.kwlist) | {"sum", "sorted", "len", "range", "enumerate", "zip", "max", "min", "reversed", "list"}
LENGTH, MOST, LONGEST = 6, 400, 20_000  # tokens in a piece, pieces kept, tokens read


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


def alike(results: Sequence[Mapping[str, Any]], least: float = 0.7, fewest: int = 12) -> list[dict[str, Any]]:
    """Pairs that share most of their own code, the most alike first. What every third has is common, and left out."""
    pairs: list[dict[str, Any]] = []
    for assignment in sorted({str(r["assignment"]) for r in results if r.get("shape")}):
        own = [r for r in results if r["assignment"] == assignment and r.get("shape")]
        shapes = [[sys.intern(r["shape"][i : i + 12]) for i in range(0, len(r["shape"]), 12)] for r in own]
        spread = Counter(piece for shape in shapes for piece in shape)
        most = max(2, len(own) // 3, 3)
        rare = {i: {p for p in shape if spread[p] <= most} for i, shape in enumerate(shapes)}
        where: dict[str, list[int]] = {}
        for i, found in rare.items():
            for piece in found:
                where.setdefault(piece, []).append(i)
        shared: Counter[tuple[int, int]] = Counter()
        for holders in where.values():
            if len(holders) <= 50:
                shared.update((a, b) for n, a in enumerate(holders) for b in holders[n + 1 :])
        for (a, b), n in shared.items():
            if own[a]["student"] == own[b]["student"]:
                continue
            share = n / len(rare[a] | rare[b])
            if n >= fewest and share >= least:
                one, other = sorted((own[a]["student"], own[b]["student"]))
                pairs.append(
                    {"assignment": assignment, "one": one, "other": other, "share": round(share, 2), "pieces": n}
                )
    return sorted(pairs, key=lambda p: (-p["share"], -p["pieces"], p["one"], p["other"]))


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
    """The pieces of the notebook as every student got it, where this is a checkout that has it."""
    file = Path(__file__).parents[2] / "exercises" / f"{assignment}.ipynb"
    from ndcg_course.grading import notebooks
    from ndcg_course.grading.limits import Limits

    try:
        return frozenset(pieces(notebooks.parse(file.read_bytes(), Limits()).cells))
    except (OSError, ValueError):
        return frozenset()
