"""How much a submission may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Seconds, bytes and tries for one submission."""

    call: float = 2.0
    task: float = 4.0  # for all calls of one task together, once one of them had to be stopped twice
    cell: float = 5.0
    submission: float = 15.0
    memory: int = 512 << 20
    folder: int = 32 << 20  # what it may leave in its temporary folder
    files: int = 200
    notebook: int = 64 << 20  # the largest notebook that is read, with its outputs
    code: int = 1 << 20  # and the longest code in it
    cells: int = 1000
    restarts: int = 5  # after a crash, for what comes behind it

    @property
    def rlimits(self) -> dict[str, int]:
        """What the kernel enforces.

        >>> Limits().rlimits["CORE"]
        0
        """
        return {
            "CPU": int(self.submission) + 2,
            "FSIZE": 1 << 20,
            "CORE": 0,
            "NOFILE": 64,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
        }
