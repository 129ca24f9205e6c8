"""Strange command lines for `ndcg`: an exit code of 0, 1 or 2, one line where it is 2, and never a number from garbage.

python tests/fuzz_arguments.py            # 100,000 command lines
python tests/fuzz_arguments.py 5000 7     # another number of them, another seed
"""

import contextlib
import io
import json
import math
import os
import random
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz_files import LIMIT, damaged, lines, no_longer_than

from ndcg_lib.commands.cli import main as ndcg
from ndcg_lib.convention import CONVENTIONS
from ndcg_lib.files.plain import KINDS

FILES = ("qrels.txt", "run.txt", "other.csv", "qrels.json", "empty.txt", ".", "missing.txt", "/dev/null", "")
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "score": {
        "-k": ("1", "5", "0", "-1", "1.5", "1,2", "x", "9" * 30),
        "--judged": ("3 2 1", "3,3,3", "", "x", "1"),
        "--scores": ("1 2 3", "0.5,0.5", "nan", ""),
        "--decimals": ("0", "15", "99", "x"),
        "--show": (),
        "--json": (),
    },
    "which": {
        "-k": ("1", "2,3", "0", "x"),
        "--judged": ("3 2 1", "x"),
        "--scores": ("1 2 3", "1"),
        "--qrels": FILES,
        "--run": FILES,
        "--digits": ("0", "3", "17", "18", "-1", "x"),
        "--quantity": ("dcg", "idcg", "cg", "mean", "map"),
        "--limit": ("1", "0"),
        "--json": (),
    },
    "eval": {
        "-k": ("1", "5,10", "0", ",", "x"),
        "-m": ("ndcg,ap", "nDCG(missing=skip,gain=exp)", "all", "p@3", "map", "ndcg@0", "RBP(p=1)", "AP(rel=x)", "@"),
        "--decimals": ("0", "x"),
        "--run-format": ("csv", "json", "xml"),
        "--qrels-format": ("trec", "tsv"),
        "--at-least": ("0.5", "nan"),
        "-q": (),
        "--json": (),
        "--csv": (),
    },
    "compare": {
        "-k": ("1", "5,10", "0"),
        "-m": ("ndcg,ap", "dcg", "cg@2,dcg", "idcg"),
        "--resamples": ("20", "0"),
        "--changed": ("2", "0", "-1"),
        "--correction": ("none", "holm", "tukey"),
        "--confidence": ("0.5", "1", "nan"),
        "--seed": ("3", "-1"),
        "--under": (),
        "--markdown": (),
        "--latex": (),
        "--json": (),
    },
    "diff": {
        "-m": ("ndcg", "ndcg@10", "dcg", "x"),
        "--limit": ("1", "0"),
        "--json": (),
    },
}
NAMED = {
    "eval": ("qrels.txt", "run.txt"),
    "compare": ("qrels.txt", "run.txt", "second.txt"),
    "diff": ("ours.csv", "theirs.csv"),
}
CONVENTION: dict[str, tuple[str, ...]] = {
    "--convention": (*CONVENTIONS, "sklern", ""),
    "--gain": ("exponential", "binary", "0:0,1:1,2:5,3:9", "1:x", "1:", "x"),
    "--discount": ("original", "none", "log"),
    "--base": ("3", "1", "0", "nan", "inf"),
    "--ideal": ("returned", "judged", "x"),
    "--ties": ("best", "id", "id-descending", "x"),
    "--empty": ("skip", "raise", "1", "nan", "x"),
}
WORDS = (
    "3", "2", "1", "0", "0.5", "1e3", "1e999", "nan", "inf", "-1", "1,2", "3 2 0", "", " ", "1_0", "٣", "½", "0x1",
    "9" * 400, "é", "\x00", "\x1b[31m", "--", "-", "96.1%", "0,5", "dcg=3", "idcg=x", "=", "1000", "1e-320",
)  # fmt: skip


def number(drawn: random.Random) -> str:
    """A number of any size, with any number of digits."""
    size = drawn.choice([1, 1, 5, 1100, 10.0 ** drawn.randrange(-12, 40), 10.0 ** drawn.randrange(-300, 308)])
    value = drawn.uniform(0, size)
    return drawn.choice(
        [f"{value:.{drawn.randrange(7)}f}", f"{value:.{drawn.randrange(1, 17)}g}", f"{drawn.randrange(6)}"]
    )


def numbers(seed: int) -> list[str]:
    """A command line of numbers that nobody would refuse, for `ndcg score` or `ndcg which`."""
    drawn = random.Random(seed)
    command = drawn.choice(["score", "which", "which"])
    kinds = [lambda: number(drawn), lambda: drawn.choice("01233"), lambda: str(drawn.randrange(1200))]
    one, count = drawn.choice(kinds), drawn.randrange(1, 7)
    grades = [one() for _ in range(count)]
    options = {
        "-k": lambda: str(drawn.randrange(1, 9)),
        "--judged": lambda: " ".join([*grades, one()]),
        "--scores": lambda: " ".join(drawn.choice(kinds)() for _ in grades),
    }
    if command == "which":
        names = ["ndcg=", "dcg=", "idcg=", "cg="]
        value = ",".join(name + number(drawn) for name in drawn.sample(names, drawn.choice([1, 2])))
        words = [drawn.choice([number(drawn), number(drawn), number(drawn) + "%", value]), *grades]
        options["--digits"] = lambda: str(drawn.randrange(18))
        options["--quantity"] = lambda: drawn.choice(["ndcg", "dcg", "idcg", "cg", "mean"])
    else:
        words = grades
        options["--gain"] = lambda: drawn.choice(["exponential", "binary", "linear"])
        options["--discount"] = lambda: drawn.choice(["original", "none", "reciprocal"])
        options["--decimals"] = lambda: str(drawn.randrange(16))
    for option in drawn.sample(sorted(options), drawn.randrange(4)):
        words += [option, options[option]()]
    words += drawn.choice([[], [], ["--json"], ["--show"] if command == "score" and "--scores" not in words else []])
    return [command, *words]


def arguments(seed: int) -> list[str]:
    """A command line, more or less."""
    drawn = random.Random(seed)
    command = drawn.choice([*OPTIONS] * 9 + ["", "evl", "completion", "--version"])
    options = dict(OPTIONS.get(command, {}))
    if command == "score":
        options |= CONVENTION
    elif command in ("eval", "compare"):
        options |= {"--as": CONVENTION["--convention"], "--gain": CONVENTION["--gain"]}  # there is no --gain
    wild = drawn.choice([0.05, 0.3])
    words = []
    if command in NAMED:
        words += NAMED[command] if drawn.random() > wild else drawn.choices(FILES, k=drawn.choice([2, 3, 1]))
    elif command in OPTIONS:
        count = drawn.randrange(1, 7)
        words += [drawn.choice(WORDS[:5] if drawn.random() > wild else WORDS) for _ in range(count)]
    for option in drawn.sample(sorted(options), min(len(options), drawn.choice([0, 1, 1, 2, 3]))):
        at = drawn.randrange(len(words) + 1)
        values = options[option] if drawn.random() < 2 * wild else options[option][:2]
        words[at:at] = [option, drawn.choice(values)] if values else [option]
    if drawn.random() < wild / 3:
        words.insert(drawn.randrange(len(words) + 1), drawn.choice(WORDS))
    if drawn.random() < wild / 5:
        words.pop(drawn.randrange(len(words))) if words else None
    return [command, *words] if command else words


def write_files(seed: int) -> None:
    """Files to name on the command line, here, now and then damaged."""
    drawn = random.Random(seed)
    judged, found = (lines(drawn, KINDS[each], drawn.choice([0, 0, 0.1])) for each in ("qrels", "run"))
    Path("qrels.txt").write_bytes(judged)
    Path("run.txt").write_bytes(found)
    Path("second.txt").write_bytes(lines(drawn, KINDS["run"], drawn.choice([0, 0, 0.1])))
    for name in ("ours.csv", "theirs.csv"):
        values = [f"{query},{number(drawn)}" for query in range(drawn.randrange(1, 5))]
        Path(name).write_text("\n".join(["query,ndcg", *values]) + "\n")
    table = b"query,document,score\n51,d1,2\n51,d2,1\n"
    Path("other.csv").write_bytes(damaged(drawn, table) if drawn.random() < 0.5 else table)
    Path("qrels.json").write_text(json.dumps({"51": {"d1": drawn.choice([1, 3, -1, "x"]), "d2": 0}}))
    Path("empty.txt").write_bytes(b"")


def check(words: list[str]) -> int:
    """Run a command line in this process; its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("error")
        code = ndcg(words)
    said = err.getvalue()
    long = re.search(r"\d{61,}", out.getvalue() + said)
    assert not long or any(long[0] in word for word in words), f"a number of {len(long[0])} digits"
    assert code in (0, 1, 2), code
    assert "a mistake of ndcg itself" not in said, said
    if code == 2:
        assert not out.getvalue(), "something on stdout although it failed"
        assert said.count("\n") == 1, f"not one line: {said!r}"
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", said), f"control characters: {said!r}"
        assert len(said) < 1000, f"{len(said)} letters"
    elif "--json" in words and words[0] in OPTIONS and out.getvalue().startswith(("{", "[")):
        result = json.loads(out.getvalue(), parse_constant=_no_constant)
        if words[0] == "score" and result["value"] is not None:
            assert 0 <= result["value"] <= 1 + 1e-12 or "--empty" in words, result["value"]
            assert math.isfinite(result["value"])
    return code


def _no_constant(text: str) -> None:
    raise AssertionError(f"{text} in JSON")


def main() -> None:
    """Try many command lines and stop at the first that fails."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    codes: Counter[str] = Counter()
    began, slowest = time.monotonic(), (0.0, 0)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for at in range(seed * 10**9, seed * 10**9 + count):
            if at % 100 == 0:
                write_files(at)
            words = (numbers if at % 3 == 1 else arguments)(at)
            start = time.process_time()
            try:
                with no_longer_than(LIMIT):
                    codes[f"{words[0] if words else ''} {check(words)}"] += 1
                assert time.process_time() - start < LIMIT, "too slow"  # the command itself catches the alarm
            except BaseException:
                print(f"command line {at} fails: {words!r}", file=sys.stderr)
                raise
            slowest = max(slowest, (time.process_time() - start, at))
        os.chdir("/")
    print(f"{count:,} lines in {time.monotonic() - began:.0f} s, the slowest (number {slowest[1]}) {slowest[0]:.3f} s")
    for name, times in sorted(codes.items()):
        print(f"  {name:<16} {times:>8,}")


if __name__ == "__main__":
    main()
