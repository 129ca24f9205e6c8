"""Damaged files for the readers: no traceback, no hang, no number from garbage; fast and plain reading agree.

python tests/fuzz_files.py            # 120,000 inputs
python tests/fuzz_files.py 5000 7     # another number of inputs, another seed
"""

import contextlib
import gzip
import io
import json
import math
import random
import re
import signal
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import ndcg_lib as nd
from ndcg_lib.files import fast, source
from ndcg_lib.files.fast import Lines
from ndcg_lib.files.plain import KINDS, Kind
from ndcg_lib.files.source import open_source

LIMIT = 5  # seconds of processor for one input

Rows = list[tuple[bytes, bytes, float, int]]

QUERIES = ["1", "2", "51", "ü", "q-8", "a query", "frage", "q" * 9, "Q" * 40]
DOCUMENTS = [*(f"d{at}" for at in range(9)), "WT03-B12-9", "clueweb09-en0000-00-00000", "文書", "x" * 300, "#5", "{}"]
NUMBERS = [
    "0", "1", "2", "3", "-1", "+2", "0.5", "12.375", "1e3", "-2.5E-3", ".5", "7.", "0012", "1e-320", "inf", "-inf",
    "nan", "n/a", "1,5", "1_0", "0x1", "--1", "1e", "٣", "1e999", "12345678901234567890", "0.12345678901234567", "",
    "1.2.3",
]  # fmt: skip
SEPARATORS = [" ", "\t", "  ", " \t ", "\v", "\f", "\xa0", "\u2003", ",", ";", "\r"]
ENDS = ["\n", "\r\n", "\n\n", " \n", "\r", "", "\n# note\n", "\n \t\n"]
BYTES = [
    b"\0",
    b"\xff",
    b"\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\n",
    b"\r",
    b" ",
    b"#",
    b'"',
    b"{",
    b"[",
    b"\x1f\x8b",
    b"\x1b",
]


def rows(drawn: random.Random, wild: float) -> list[tuple[str, str, str]]:
    """Query, document and number, the queries mostly together and the documents mostly different."""
    queries = drawn.sample(QUERIES[:4], 2) if drawn.random() > wild else drawn.choices(QUERIES, k=3)
    found = []
    for query in queries:
        documents = drawn.sample(DOCUMENTS, drawn.randrange(1, 8))
        for document in documents:
            again = drawn.random() < wild / 10
            number = drawn.choice(NUMBERS[:7]) if drawn.random() > wild / 5 else drawn.choice(NUMBERS)
            found.append((query, documents[0] if again else document, number))
    if drawn.random() < 0.3:
        drawn.shuffle(found)
    return found


def lines(drawn: random.Random, kind: Kind, wild: float) -> bytes:
    """A TREC file, more or less."""
    parts = []
    end, separator = drawn.choice(ENDS[:2]), drawn.choice(SEPARATORS[:3])
    for query, document, number in rows(drawn, wild):
        columns = [query, "Q0", document, "1", number, "me"] if kind.name == "run" else [query, "0", document, number]
        if drawn.random() < wild / 20:
            drawn.shuffle(columns)
        if drawn.random() < wild / 20:
            columns.pop(drawn.randrange(len(columns)))
        parts.append((separator if drawn.random() > wild else drawn.choice(SEPARATORS[:6])).join(columns))
        parts.append(end if drawn.random() > wild / 2 else drawn.choice(ENDS))
    if drawn.random() < 0.1:
        parts = parts[:-1]
    return "".join(parts).encode("latin-1" if drawn.random() < wild / 20 else "utf-8", "replace")


def table(drawn: random.Random, kind: Kind, wild: float, format: str) -> bytes:
    """A CSV, TSV or JSON file, more or less."""
    found = rows(drawn, wild)
    shape = drawn.choice([format] * 9 + ["csv", "json", "jsonl"])
    if shape in ("csv", "tsv"):
        separator = "\t" if shape == "tsv" else drawn.choice(",;")
        return "\n".join(map(separator.join, [("query", "document", kind.value), *found])).encode()
    if shape == "json":
        nested: dict[str, Any] = {}
        for query, document, number in found:
            nested.setdefault(query, {})[document] = as_json(number)
        return json.dumps(nested).encode()
    return "\n".join(json.dumps({"qid": q, "docno": d, kind.value: as_json(v)}) for q, d, v in found).encode()


def as_json(number: str) -> Any:
    """A number, or the text as it is."""
    try:
        return float(number)
    except ValueError:
        return number


def damaged(drawn: random.Random, data: bytes) -> bytes:
    """The same with some bytes changed, lost, doubled or put in."""
    for _ in range(drawn.randrange(1, 4)):
        at, to = sorted(drawn.choices(range(len(data) + 1), k=2))
        what = drawn.randrange(7)
        if what == 0:
            data = data[:at] + drawn.choice(BYTES) + data[at:]
        elif what == 1:
            data = data[:at] + data[min(to, at + 20) :]
        elif what == 2:
            data = data[:to] + data[at:to] + data[to:]
        elif what == 3 and data:
            at = drawn.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ 1 << drawn.randrange(8)]) + data[at + 1 :]
        elif what == 4:
            data = data[:to]
        elif what == 5:
            data = data[:at] + drawn.randbytes(drawn.randrange(1, 30)) + data[at:]
        else:
            data = data[:at] + drawn.choice(NUMBERS).encode() + data[to:]
    return data


def inputs(seed: int) -> tuple[str, bytes, bytes]:
    """A format, judgements and a run."""
    drawn = random.Random(seed)
    wild = drawn.choice([0, 0.02, 0.1, 0.5])
    kind = drawn.choice(["trec"] * 6 + ["csv", "tsv", "json", "jsonl"])
    judged, found = (
        lines(drawn, KINDS[each], wild) if kind == "trec" else table(drawn, KINDS[each], wild, kind)
        for each in ("qrels", "run")
    )
    if drawn.random() < 0.4:
        found = damaged(drawn, found)
    if drawn.random() < 0.1:
        judged = damaged(drawn, judged)
    if drawn.random() < 0.05:
        found = gzip.compress(found, mtime=0)
        if drawn.random() < 0.5:
            found = damaged(drawn, found)
    return kind, judged, found


def outcome(work: Callable[[], Any]) -> Any:
    """What a piece of work gives, or what it says."""
    try:
        return work()
    except ValueError as error:
        said = str(error)
        assert "\n" not in said, f"more than a line: {said!r}"
        assert len(said) < 600, f"{len(said)} letters: {said!r}"
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", said), f"control characters: {said!r}"
        return said


def read_by(reader: Callable[..., Lines], data: bytes, kind: Kind) -> Rows:
    """All lines of a file."""
    rows: Rows = []
    for text, line in open_source(io.BytesIO(data)).blocks(kind):
        found = reader(text, kind, "the stream", line)
        groups = list(pairwise(found.bounds.tolist()))
        queries = found.query.at()
        assert all(len(set(queries[start:end])) == 1 for start, end in groups)
        assert all(queries[a] != queries[b] for (a, _), (b, _) in pairwise(groups))
        rows += zip(queries, found.document.at(), found.value.tolist(), found.document.keys.tolist(), strict=True)
        rows.append((b"", b"", 0.0, found.comments))
    return rows


def by_hand(data: bytes, kind: Kind) -> dict[bytes, dict[bytes, float]] | None:
    """What a file means, in a few lines that share nothing with the library; None if it is a bad one."""
    found: dict[bytes, dict[bytes, float]] = {}
    try:
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, zlib.error):
        return None
    data = data.removeprefix(b"\xef\xbb\xbf")
    number = re.compile(
        rb"[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?|[-+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
    )
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    for line in data.split(b"\n"):
        words = line.split()
        long_tag = len(words) > 6 and kind.name == "run" and re.fullmatch(rb"-*[0-9]+", words[3])
        if long_tag and not number.fullmatch(words[5].replace(b"inf", b"x")):
            words = words[:6]
        if b"\0" in line or (words and not words[0].startswith(b"#") and len(words) != len(kind.columns)):
            return None
        if words and not words[0].startswith(b"#"):
            text = words[kind.value_column]
            if not number.fullmatch(text) or (
                math.isinf(float(text)) and (text[-1:].isdigit() or kind.name == "qrels")
            ):
                return None
            documents = found.setdefault(words[0], {})
            if words[2] in documents:
                return None
            documents[words[2]] = float(text)
    return found or None


def check(kind: str, judged: bytes, found: bytes) -> str:
    """Read both in every way; the kind of outcome."""
    if kind == "trec":
        for data, columns in ((judged, KINDS["qrels"]), (found, KINDS["run"])):
            for size in (1 << 20, 60):
                with mock.patch.object(source, "BLOCK", size):
                    quick = outcome(lambda: read_by(fast.read_lines, data, columns))  # noqa: B023
                    plain = outcome(lambda: read_by(fast.by_plain, data, columns))  # noqa: B023
                assert quick == plain, f"fast {quick!r} but plain {plain!r}"
            reader = nd.read_qrels if columns.name == "qrels" else nd.read_run
            table = outcome(lambda: reader(io.BytesIO(data)))  # noqa: B023
            wanted = by_hand(data, columns)
            if not isinstance(table, str):
                assert {q.encode(): {d.encode(): v for d, v in r.items()} for q, r in table.items()} == wanted
            else:
                assert wanted is None or "cut short" in table, f"refused: {table}"
    result = outcome(
        lambda: nd.evaluate(
            io.BytesIO(judged),
            io.BytesIO(found),
            5,
            measures=["ndcg", "ap@5", "rr"],
            ties="id-descending",
            qrels_format=kind,
            run_format=kind,
        )
    )
    if isinstance(result, str):
        return "refused"
    for measure in result:
        for value in result.per_query(measure).values():
            assert 0 <= value <= 1, f"{measure} is {value}"
    tables = [
        outcome(lambda: reader(io.BytesIO(data), format=kind))  # noqa: B023
        for reader, data in ((nd.read_qrels, judged), (nd.read_run, found))
    ]
    assert not any(isinstance(each, str) for each in tables), f"evaluated, but not read: {tables}"
    again = nd.evaluate(*tables, 5, measures=["ndcg", "ap@5", "rr"], ties="id-descending")
    assert all(math.isclose(again[measure], result[measure], abs_tol=1e-12) for measure in result)
    return "evaluated"


@contextlib.contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    """An error where the body takes so much of the processor."""

    def late(*_: object) -> None:
        raise TimeoutError(f"longer than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main() -> None:
    """Try many inputs and stop at the first that fails."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 120_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    outcomes: Counter[str] = Counter()
    began, slowest = time.monotonic(), (0.0, 0)
    for number in range(seed * 10**9, seed * 10**9 + count):
        kind, judged, found = inputs(number)
        start = time.monotonic()
        try:
            with no_longer_than(LIMIT):
                outcomes[f"{kind} {check(kind, judged, found)}"] += 1
        except BaseException:
            print(f"input {number} fails: {kind}\n{judged!r}\n{found!r}", file=sys.stderr)
            raise
        slowest = max(slowest, (time.monotonic() - start, number))
    print(f"{count:,} inputs in {time.monotonic() - began:.0f} s, the slowest (number {slowest[1]}) {slowest[0]:.3f} s")
    for name, times in sorted(outcomes.items()):
        print(f"  {name:<16} {times:>8,}")


if __name__ == "__main__":
    main()
