"""How long NDCG@10 of a TREC run takes, from files and from dictionaries, here and elsewhere; and how much memory.

    python tests/benchmarks/files.py            # 10,000 queries of 1,000 documents; some minutes for each pass
    python tests/benchmarks/files.py --quick    # a tenth of the queries

Whichever of requirements.txt is installed takes part, and trec_eval where it is on the path. Every measurement is a
process of its own; the passes go over all entries in turn, so a busy machine slows all of them alike: read the ratios.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
QUERIES, DEPTH, JUDGED, K = 10_000, 1000, 50, 10
YARDSTICK = {"files": "pytrec_eval", "dictionaries": "pytrec_eval, dictionaries"}

Work = Callable[[], float]


class Entry(NamedTuple):
    """Something to measure: `prepare` gets the folder and gives what is timed, which returns the mean NDCG."""

    group: str
    prepare: Callable[[Path], Work]
    package: str = "ndcg_lib"
    repeat: int = 1


def ours(run: str = "run.txt", qrels: str = "qrels.txt", **choices: Any) -> Callable[[Path], Work]:
    def prepare(folder: Path) -> Work:
        evaluate = import_module("ndcg_lib.runs.evaluation").evaluate
        return lambda: float(evaluate(folder / qrels, folder / run, K, **choices)[f"ndcg@{K}"])

    return prepare


def ours_in_one_thread(folder: Path) -> Work:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return ours()(folder)


def tables(folder: Path) -> tuple[Any, Any]:
    """Both as dictionaries whose texts are nobody else's."""
    reading = import_module("ndcg_lib.files.reading")
    return reading.read_qrels(folder / "qrels.txt"), reading.read_run(folder / "run.txt")


def ours_from_dictionaries(k: int | None, convention: str | None = None) -> Callable[[Path], Work]:
    def prepare(folder: Path) -> Work:
        evaluate = import_module("ndcg_lib.runs.evaluation").evaluate
        qrels, run = tables(folder)
        return lambda: float(next(iter(evaluate(qrels, run, k, convention=convention).values())))

    return prepare


def reading_alone(folder: Path) -> Work:
    read_run = import_module("ndcg_lib.files.reading").read_run
    return lambda: float(len(read_run(folder / "run.txt")))


def mean(values: Any, measure: str) -> float:
    return sum(value[measure] for value in values.values()) / len(values)


def pytrec_eval(folder: Path) -> Work:
    library = import_module("pytrec_eval")

    def work() -> float:
        with open(folder / "qrels.txt") as qrels, open(folder / "run.txt") as run:
            judged, found = library.parse_qrel(qrels), library.parse_run(run)
        return mean(library.RelevanceEvaluator(judged, {f"ndcg_cut.{K}"}).evaluate(found), f"ndcg_cut_{K}")

    return work


def pytrec_eval_from_dictionaries(measure: str) -> Callable[[Path], Work]:
    def prepare(folder: Path) -> Work:
        library = import_module("pytrec_eval")
        qrels, run = tables(folder)
        key = measure.replace(".", "_")
        return lambda: mean(library.RelevanceEvaluator(qrels, {measure}).evaluate(run), key)

    return prepare


def ir_measures(folder: Path) -> Work:
    library = import_module("ir_measures")

    def work() -> float:
        qrels = library.read_trec_qrels(str(folder / "qrels.txt"))
        run = library.read_trec_run(str(folder / "run.txt"))
        return float(library.calc_aggregate([library.nDCG @ K], qrels, run)[library.nDCG @ K])

    return work


def ranx(folder: Path) -> Work:
    library = import_module("ranx")

    def of(name: str) -> float:
        qrels = library.Qrels.from_file(str(folder / f"{name}qrels.txt"), kind="trec")
        run = library.Run.from_file(str(folder / f"{name}run.txt"), kind="trec")
        return float(library.evaluate(qrels, run, f"ndcg@{K}"))

    of("few-")  # compiles
    return lambda: of("")


def trec_eval(folder: Path) -> Work:
    command = ["trec_eval", "-m", f"ndcg_cut.{K}", str(folder / "qrels.txt"), str(folder / "run.txt")]
    return lambda: float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


ENTRIES = {
    "ndcg_lib": Entry("files", ours()),
    "ndcg_lib, convention trec_eval": Entry("files", ours(convention="trec_eval")),
    "ndcg_lib, one processor": Entry("files", ours_in_one_thread),
    "pytrec_eval": Entry("files", pytrec_eval, "pytrec_eval"),
    "trec_eval": Entry("files", trec_eval, "trec_eval"),
    "ir_measures": Entry("files", ir_measures, "ir_measures"),
    "ranx": Entry("files", ranx, "ranx"),
    "ndcg_lib, lines shuffled": Entry("files", ours("shuffled.txt")),
    "ndcg_lib, gzip": Entry("files", ours("run.txt.gz")),
    "ndcg_lib, spaces in columns, \\r\\n": Entry("files", ours("aligned.txt")),
    "ndcg_lib, ids of 28 letters, 17 digits": Entry("files", ours("long.txt", "long-qrels.txt")),
    "ndcg_lib, read_run": Entry("files", reading_alone),
    "ndcg_lib, dictionaries": Entry("dictionaries", ours_from_dictionaries(K), repeat=3),
    "ndcg_lib, dictionaries, trec_eval": Entry("dictionaries", ours_from_dictionaries(K, "trec_eval"), repeat=3),
    "pytrec_eval, dictionaries": Entry(
        "dictionaries", pytrec_eval_from_dictionaries(f"ndcg_cut.{K}"), "pytrec_eval", repeat=3
    ),
    "ndcg_lib, dictionaries, full depth": Entry("dictionaries", ours_from_dictionaries(None), repeat=3),
    "pytrec_eval, dictionaries, full depth": Entry(
        "dictionaries", pytrec_eval_from_dictionaries("ndcg"), "pytrec_eval", repeat=3
    ),
}


# ---- the data ----


def generate(folder: Path, queries: int) -> None:
    """Judgements and runs, the same every time."""
    drawn = random.Random(7)
    files = {name: open(folder / name, "w") for name in ("run.txt", "aligned.txt", "long.txt")}  # noqa: SIM115
    judged = {name: open(folder / name, "w") for name in ("qrels.txt", "long-qrels.txt")}  # noqa: SIM115
    for query in range(queries):
        documents = [(query * 104_729 + at * 7_919) % 99_999_989 for at in range(DEPTH + JUDGED)]
        score = 30.0
        lines: dict[str, list[str]] = {name: [] for name in files}
        for rank, document in enumerate(documents[:DEPTH], 1):
            score -= drawn.random() * 0.03
            lines["run.txt"].append(f"q{query} Q0 D{document:08d} {rank} {score:.5f} run\n")
            lines["aligned.txt"].append(f"q{query:<5} Q0 D{document:08d} {rank:>4} {score:>8.5f} run\r\n")
            lines["long.txt"].append(f"q{query} Q0 {long_id(document)} {rank} {score!r} run\n")
        for name, text in lines.items():
            files[name].write("".join(text))
        for at in range(JUDGED):
            found = drawn.randrange(DEPTH // JUDGED) + at // 2 * (DEPTH // (JUDGED // 2))
            document, grade = documents[DEPTH + at if at % 2 else found], drawn.choice([0, 0, 1, 2, 3])
            judged["qrels.txt"].write(f"q{query} 0 D{document:08d} {grade}\n")
            judged["long-qrels.txt"].write(f"q{query} 0 {long_id(document)} {grade}\n")
    for file in [*files.values(), *judged.values()]:
        file.close()
    with open(folder / "run.txt", "rb") as run, gzip.open(folder / "run.txt.gz", "wb", 1) as packed:
        shutil.copyfileobj(run, packed)
    with open(folder / "run.txt", "rb") as run:
        all_lines = run.readlines()
    drawn.shuffle(all_lines)
    (folder / "shuffled.txt").write_bytes(b"".join(all_lines))
    for name in ("qrels.txt", "run.txt"):
        few = [line for line in open(folder / name) if line.startswith("q0 ")]  # noqa: SIM115
        (folder / f"few-{name}").write_text("".join(few))
    (folder / "complete").write_text(str(queries))


def long_id(document: int) -> str:
    return f"clueweb09-en{document % 1000:04d}-{document % 100:02d}-{document:08d}"


# ---- measuring ----


def measure(name: str, folder: Path) -> None:
    """Run an entry in this process and print what it took."""
    entry = ENTRIES[name]
    work = entry.prepare(folder)
    best, processor = float("inf"), 0.0
    for _ in range(entry.repeat):
        before, began = os.times(), time.perf_counter()
        value = work()
        took, after = time.perf_counter() - began, os.times()
        if took < best:
            best = took
            processor = sum(after[:4]) - sum(before[:4])
    print(json.dumps({"seconds": best, "processor": processor, "peak": peak_memory(), "value": value}))


def peak_memory() -> float:
    """In MiB; what Linux says of this process alone, not of the one that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def installed(entry: Entry) -> bool:
    return bool(shutil.which("trec_eval") if entry.package == "trec_eval" else find_spec(entry.package))


def show(results: dict[str, list[dict[str, float]]], size: float) -> None:
    heading = f"{'':<40} {'best s':>7} {'median':>7} {'CPU s':>6} {'peak MiB':>8} {'of file':>7} {'x yardstick':>11}"
    print(f"\n{heading}  NDCG@{K}")
    for name, runs in results.items():
        seconds = [run["seconds"] for run in runs]
        yardstick = results.get(YARDSTICK[ENTRIES[name].group])
        if yardstick and name.endswith("full depth"):
            yardstick = results.get("pytrec_eval, dictionaries, full depth")
        ratios = [theirs["seconds"] / run["seconds"] for theirs, run in zip(yardstick or [], runs, strict=False)]
        faster = f"{median(ratios):>10.1f}x" if ratios else ""
        peak = max(run["peak"] for run in runs)
        print(
            f"{name:<40} {min(seconds):>7.3f} {median(seconds):>7.3f} {min(run['processor'] for run in runs):>6.2f}"
            f" {peak:>8.0f} {peak / size:>7.2f} {faster:>11}  {runs[0]['value']:.6f}"
        )
    print("\nx yardstick: how many times faster than pytrec_eval in the same pass, the median of the passes.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the queries, one pass")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the data are, or are to be")
    parser.add_argument("--only", action="append", help="entries whose name holds this")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.measure:
        measure(options.measure, options.folder)
        return
    queries = QUERIES // 10 if options.quick else QUERIES
    folder = options.folder or Path(tempfile.gettempdir()) / f"ndcg-benchmark-{queries}"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "complete").exists() or (folder / "complete").read_text() != str(queries):
        print(f"making the data in {folder} …", flush=True)
        generate(folder, queries)
    size = (folder / "run.txt").stat().st_size / 2**20
    print(f"{queries:,} queries of {DEPTH:,} documents, {JUDGED} judged each: {size:,.0f} MiB")
    chosen = {
        name: entry
        for name, entry in ENTRIES.items()
        if installed(entry) and (not options.only or any(part in name for part in options.only))
    }
    results: dict[str, list[dict[str, float]]] = {name: [] for name in chosen}
    for number in range(1 if options.quick else options.passes):
        for name in chosen:
            command = [sys.executable, __file__, "--folder", str(folder), "--measure", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            results[name].append(json.loads(done.stdout.splitlines()[-1]))
            print(f"pass {number + 1}  {name:<40} {results[name][-1]['seconds']:8.3f} s", flush=True)
    show(results, size)


if __name__ == "__main__":
    main()
