"""More than one machine: the same marks from dask's executor, also when one of the workers is killed on the way."""

import csv
import os
import signal
import threading
import time

import pytest
from hostile.course import ROOT, neighbour, notebook, solved

from ndcg_course.grade.inside import sandbox
from ndcg_course.grade.run import Options, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(sandbox.missing()), reason=f"no sandbox on this system: {sandbox.missing()}"),
]


def test_two_workers_one_of_which_is_killed(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="dask is optional: pip install 'ndcg-lib[grade]'")
    for i in range(80):
        text = neighbour(i) if i % 2 else notebook(*solved()[:6])
        (tmp_path / f"in/s{i:02}").mkdir(parents=True)
        (tmp_path / f"in/s{i:02}/a.ipynb").write_text(text, "utf8")
    run(Options(tmp_path / "in", tmp_path / "alone", seed="same"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:
        killed = []

        def kill() -> None:
            until = time.monotonic() + 60
            while not (tmp_path / "out/results.jsonl").is_file() and time.monotonic() < until:
                time.sleep(0.01)
            pid = next(iter(cluster.workers.values())).pid
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

        killer = threading.Thread(target=kill)
        killer.start()
        run(Options(tmp_path / "in", tmp_path / "out", seed="same", scheduler=cluster.scheduler_address))
        killer.join()
    assert killed
    assert (tmp_path / "out/results.jsonl").read_bytes() == (tmp_path / "alone/results.jsonl").read_bytes()
    with (tmp_path / "out/grades.csv").open(encoding="utf8") as file:
        assert [row["total"] for row in csv.DictReader(file)][1::2] == ["12"] * 40
