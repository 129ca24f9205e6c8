"""Nothing written in a page is lost: drawn edits, republished assignments, storage that breaks, two tabs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sweeps import swept_once

import kit

PROVER = Path(__file__).with_name("losses.mjs")


def losses(seed: int, runs: int, *, whole: bool) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    command = [node, str(PROVER), str(kit.ROOT / "book" / "_live"), str(seed), str(runs), *["whole"] * whole]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def nothing_is_lost(table: list[list[Any]]) -> None:
    lost = [row for row in table if row[5]]
    assert not lost, lost
    said = {fault for _, fault, *_, said in table if said}
    assert {"full", "refused"} <= said, "the faults did not reach the store"
    assert "fine" not in said


def test_each_change_with_each_fault_in_one_tab_and_in_two_loses_nothing() -> None:
    nothing_is_lost(losses(1, 1, whole=False)["table"])


@pytest.mark.parametrize("seed", swept_once([2, 3]))
def test_no_letter_is_lost_in_drawn_runs_and_with_storage_full_at_any_byte(seed: int) -> None:
    told = losses(seed, 4, whole=True)
    nothing_is_lost(told["table"])
    assert told["bytes"], "no quota was tried"
