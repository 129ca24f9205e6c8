"""Ask every installed implementation the cases, and write or check book/data/peers.json.

    python tests/peers/measure.py            # measure what is installed, keep what is not, write the table
    python tests/peers/measure.py --check    # compare what is installed with the table; exit code 1 if it differs

Each implementation runs in a process of its own. When it crashes, the case is recorded as a crash and the next follows.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

from adapters import PEERS, Peer  # noqa: E402
from cases import CASES, MIRRORED  # noqa: E402

from ndcg_lib import CONVENTIONS, Convention  # noqa: E402

TABLE = ROOT / "book" / "data" / "peers.json"
SECONDS = 1200  # for all cases of one implementation; imports and compilation are the most of it
TIES = {
    "average": "averaged", "order": "order of the rows", "reverse": "reverse order of the rows", "worst": "worst first",
    "best": "best first", "id": "by id, ascending", "id-descending": "by id, descending",
}  # fmt: skip
LEFT_OUT = {"skip": "left out", "raise": "an error", "zero": "0"}


def installed(peer: Peer) -> str | None:
    """The version that is installed here, if any, or that was restated."""
    if peer.restated:
        return peer.restated
    if not all(map(find_spec, peer.needs)):
        return None
    for package in peer.packages:
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None


def answers(peer: Peer) -> dict[str, float | str]:
    """The value of each case; where there is none, "nan", "error: " with its type or "crash: " with the signal."""
    found: dict[str, float | str] = {}
    while waiting := [name for name in CASES if name not in found]:
        child = subprocess.run(
            [sys.executable, __file__, "--child", peer.name, *waiting],
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        lines = [line.removeprefix(MARK) for line in child.stdout.splitlines() if line.startswith(MARK)]
        found |= {name: value for line in lines for name, value in json.loads(line).items()}
        if child.returncode < 0 and (left := [name for name in CASES if name not in found]):
            found[left[0]] = f"crash: signal {-child.returncode}"
        elif child.returncode:
            raise RuntimeError(f"{peer.name} cannot be asked:\n{child.stderr[-2000:]}")
    return {name: found[name] for name in CASES}


MARK = "answer "


def answer_here(peer: Peer, names: list[str]) -> None:
    """In the child: one line per case, written at once, for the next case may end the process."""
    warnings.simplefilter("ignore")
    for name in names:
        try:
            value: Any = float(peer.ask(CASES[name]))
            value = value if math.isfinite(value) else str(value)
        except Exception as error:
            value = f"error: {type(error).__name__}"
            if isinstance(error, ImportError):
                raise
        print(MARK + json.dumps({name: value}), flush=True)


def recipe(peer: Peer) -> Convention | None:
    """The preset that stands for it, or the convention that gives its number, if one does."""
    if peer.preset:
        return CONVENTIONS[peer.preset]
    return None if peer.choices is None else Convention(**peer.choices)


def semantics(peer: Peer) -> dict[str, str]:
    """The choices in words: those of the preset, and what only words can say."""
    stands = recipe(peer)
    words = {} if stands is None else _words(stands)
    if peer.sees == "arrays":
        words["missing"] = "has no row"
    return words | dict(peer.says) | {"default k": peer.default_k}


def _words(convention: Convention) -> dict[str, str]:
    empty, base = convention.empty, f"log{convention.base:g}"
    discounts = {"modern": f"1/{base}(i+1)", "original": f"1/max(1, {base}(i))", "reciprocal": "1/i", "none": "none"}
    return {
        "gain": str(convention.gain),
        "discount": discounts[str(convention.discount)],
        "ties": TIES[convention.ties],
        "ideal": "all judged" if convention.ideal == "judged" else "the returned list",
        "empty": LEFT_OUT[empty] if isinstance(empty, str) else f"{float(empty):g}",
        "missing": LEFT_OUT[convention.missing],
    }


def entry(peer: Peer, values: dict[str, float | str], installed_version: str) -> dict[str, Any]:
    return {
        "package": peer.packages[-1],
        "version": installed_version,
        "sees": peer.sees,
        "preset": peer.preset,
        "choices": peer.choices and dict(peer.choices),
        "how": peer.how,
        "within": peer.within,
        "semantics": semantics(peer),
        "values": values,
        "differs": {
            case: peer.differs[case.removesuffix(MIRRORED)]
            for case in CASES
            if case.removesuffix(MIRRORED) in peer.differs
        },
        "varies": [case for case in CASES if case.removesuffix(MIRRORED) in peer.varies],
    }


def difference(name: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What has drifted, in words. A newer version that answers as before has not."""
    told = new.keys() - {"values", "version"}
    drift = [f"{name}: {key} was {old.get(key)}, is {new[key]}" for key in sorted(told) if old.get(key) != new[key]]
    for case in CASES.keys() - set(new["varies"]):
        was, now = old["values"].get(case), new["values"][case]
        if type(was) is not type(now) or (abs(was - now) > new["within"] if isinstance(now, float) else was != now):
            drift.append(f"{name}, {case}: was {was}, is {now}")
    return drift


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only; exit code 1 if anything differs")
    parser.add_argument("peers", nargs="*", metavar="NAME", help="ask only these")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        answer_here(PEERS[given.child[0]], given.child[1:])
        return 0
    old = json.loads(TABLE.read_text("utf8"))["peers"] if TABLE.exists() else {}
    measured = {}
    for name, peer in PEERS.items():
        if given.peers and name not in given.peers:
            continue
        if here := installed(peer):
            measured[name] = entry(peer, answers(peer), here)
            table = old.get(name, {}).get("version", here)
            print(f"{name} {here}" + (f", in the table {table}" if table != here else ""), flush=True)
        else:
            print(f"{name}: not installed here, not asked")
    if not measured:
        print("no implementation is installed: pip install -r tests/peers/requirements.txt", file=sys.stderr)
        return 2
    if given.check:
        drift = [f"{name} is not in the table" for name in measured if name not in old]
        for name in measured.keys() & old.keys():
            drift += difference(name, old[name], measured[name])
        print("\n".join(drift) or f"{len(measured)} implementations answer as in {TABLE.relative_to(ROOT)}")
        return bool(drift)
    cases = {case.name: {"about": case.about, "k": case.k} for case in CASES.values()}
    peers = {name: measured.get(name) or old[name] for name in PEERS if name in measured or name in old}
    TABLE.write_text(json.dumps({"cases": cases, "peers": peers}, indent=1, ensure_ascii=False) + "\n", "utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
