"""Frames beside the SQL that a good engineer writes, on the same engine: time, memory, and how both grow with the rows.

    python3 tests/benchmarks/frames.py               # 1, 10 and 50 million rows: some minutes, 200 MB on disk
    python3 tests/benchmarks/frames.py --rows 1      # millions

It needs the environment of `kit.py test`. Each way runs in a process of its own, one after the other, and must give
the same mean; the table gives wall time, processor time and the peak of memory. --write keeps it for the chapter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
DEPTH, JUDGED, K = 1000, 50, 10
MEMORY = "400MB"
MIX = "((i * 2654435761 % 4294967296 + i * 2654435761 % 4294967296 // 32768) * 48271 % 2147483647)"
DOC = "1000003 + ({place} * 7919 + {query} * 104729) % 1000003"  # as many digits each: as text they sort alike
RUN = f"""SELECT query, {DOC.format(place=f"i % {DEPTH}", query="query")} AS doc, {MIX} % 1000 / 1000e0 AS score
FROM (SELECT i, i // {DEPTH} AS query FROM (SELECT range * 1000000007 % {{rows}} AS i FROM range({{rows}})))
WHERE query % 100 <> 99"""
QRELS = f"""SELECT query, {DOC.format(place=f"i % {JUDGED} * {2 * DEPTH // JUDGED}", query="query")} AS doc,
  CASE WHEN query % 50 = 7 OR {MIX} % 10 < 6 THEN 0 WHEN {MIX} % 10 < 8 THEN 1 WHEN {MIX} % 10 < 9 THEN 2 ELSE 3 END
  AS grade
FROM (SELECT range AS i, range // {JUDGED} AS query FROM range({{rows}} // {DEPTH} * {JUDGED}))"""
"""Rows by arithmetic alone, shuffled and with ties: every engine makes the same, and no seed is needed."""


def sql() -> str:
    """The SQL of the chapter, which is what it says there."""
    page = (ROOT / "book" / "chapters" / "beyond-one-machine.md").read_text("utf-8")
    return page.split("```sql\n")[1].split("```")[0]


def opened(folder: str) -> Any:
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{MEMORY}'; SET threads = 2; SET preserve_insertion_order = false")
    for name in ("run", "qrels"):
        connection.execute(f"CREATE VIEW {name} AS FROM '{folder}/{name}.parquet'")
    return connection


def by_sql(folder: str) -> float:
    return opened(folder).sql(f"SELECT avg(ndcg) FROM ({sql()})").fetchall()[0][0]


def on_duckdb(folder: str) -> float:
    import ndcg_lib as nd

    connection = opened(folder)
    return nd.evaluate(connection.table("qrels"), connection.table("run"), K, ties="id-descending")[f"ndcg@{K}"]


def in_parts(folder: str) -> float:
    import polars

    import ndcg_lib as nd
    from ndcg_lib import frames

    qrels, run = (polars.scan_parquet(f"{folder}/{name}.parquet") for name in ("qrels", "run"))
    rows = int(run.select(polars.len()).collect().item())
    values: list[float] = []
    for part in frames.parts(qrels, run, max(1, rows // 2_000_000)):
        values += nd.evaluate(*part, K, ties="id-descending").per_query().values()
    return sum(values) / len(values)


WAYS = {
    "SQL on DuckDB": by_sql,
    "nd.evaluate on DuckDB": on_duckdb,
    "nd.evaluate on Polars, in parts": in_parts,
}


def measured(name: str, folder: str) -> dict[str, Any]:
    """One way in a process of its own."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, __file__, "--one", name, folder], check=False, capture_output=True, text=True
    )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1]}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout) | {"seconds": time.perf_counter() - started, "cpu": cpu}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1, 10, 50])
    parser.add_argument("--ways", nargs="*", default=list(WAYS))
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    if given.one:
        mean = WAYS[given.one[0]](given.one[1])
        print(json.dumps({"mean": mean, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}), flush=True)
        os._exit(0)  # DuckDB complains of what Python has not let go of
    found = []
    for millions in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("run", RUN), ("qrels", QRELS)):
                rows = text.format(rows=millions * 1_000_000)
                duckdb.sql(f"COPY ({rows}) TO '{folder}/{name}.parquet' (FORMAT parquet, COMPRESSION zstd)")
            for name in given.ways:
                one = {"rows": millions, "way": name} | measured(name, folder)
                found.append(one)
                print(*(f"{x:.6g}" if isinstance(x, float) else x for x in one.values()), sep="  ", flush=True)
    if given.write:
        keep = [
            {key: round(x, 2) if isinstance(x, float) else x for key, x in one.items() if key != "mean"}
            for one in found
        ]
        given.write.write_text("[\n" + ",\n".join(map(json.dumps, keep)) + "\n]\n", "utf-8")


if __name__ == "__main__":
    main()
