"""Locks a process in, for good: Landlock for files, seccomp for system calls, rlimits, another uid where it is root.

Only the standard library, and no libseccomp: the filter is made by hand in `syscalls`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # Landlock; the same numbers on every machine
_EXECUTE, _WRITE, _READ, _LIST, _REMOVE_FILE, _MAKE_FILE, _REFER, _TRUNCATE = (
    1 << i for i in (0, 1, 2, 3, 5, 8, 13, 14)
)
_NOBODY = 65534
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _SET_DUMPABLE, _SET_PDEATHSIG, _CAP_DROP = 38, 22, 4, 1, 24


@cache
def _c() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def landlock_abi() -> int:
    """The version of Landlock in this kernel; 0 without it.

    >>> landlock_abi() >= 0
    True
    """
    if sys.platform != "linux":
        return 0
    return max(0, int(_c().syscall(_CREATE, None, ctypes.c_size_t(0), 1)))


def missing() -> str:
    """What this machine lacks to lock a process in, or nothing.

    >>> isinstance(missing(), str)
    True
    """
    if sys.platform != "linux":
        return f"{platform.system()} has neither Landlock nor seccomp"
    if platform.machine() not in ("x86_64", "aarch64"):
        return f"no system call table for {platform.machine()}"
    if landlock_abi() < 1:
        return f"the kernel ({platform.release()}) has no Landlock, or it is switched off"
    return ""


def ruleset(readable: Iterable[str], writable: Iterable[str]) -> int:
    """A Landlock ruleset as a file descriptor: everything else is closed. Made once, used by every child."""
    abi = landlock_abi()
    files = (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1
    network, scope = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
    attributes = struct.pack("QQQ", files, network, scope)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    rules = int(_c().syscall(_CREATE, attributes, ctypes.c_size_t(size), 0))
    if rules < 0:
        raise OSError(ctypes.get_errno(), "Landlock refused the rules")
    for paths, access in (
        (readable, _READ | _LIST | _EXECUTE),
        (writable, _READ | _LIST | _WRITE | _REMOVE_FILE | _MAKE_FILE | _TRUNCATE),
    ):
        for path in paths:
            _add(rules, path, access & files)
    return rules


def _add(rules: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return  # what is not there needs no permission
    try:
        if not os.path.isdir(path):
            access &= _EXECUTE | _WRITE | _READ | _TRUNCATE
        if _c().syscall(_ADD, rules, 1, struct.pack("=Qi", access, place), 0):
            raise OSError(ctypes.get_errno(), "Landlock refused a rule", path)
    finally:
        os.close(place)


class Filter(NamedTuple):
    """A filter of system calls in memory: the program, and the head that points to it."""

    program: Any
    head: Any


def prepared(program: bytes) -> Filter:
    """The filter of system calls as the kernel takes it, made once for every child; and no capability to come back."""
    if os.getuid() == 0:
        for capability in range(64):
            if _c().prctl(_CAP_DROP, capability, 0, 0, 0):
                break
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HP", len(program) // 8, ctypes.addressof(buffer))
    return Filter(buffer, ctypes.create_string_buffer(head))


def lock(rules: int, limits: dict[str, int], filter_: Filter) -> None:
    """Lock this process in. Whatever fails raises: nothing may run half locked."""
    _limit(limits)
    if os.getuid() == 0:
        _become_nobody()
    # Limits of processes count for the uid; seccomp below refuses every new one anyway.
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    _check(_c().prctl(_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")
    _check(_c().prctl(_SET_PDEATHSIG, 9, 0, 0, 0), "to end with the parent")  # a change of uid would undo it
    if os.getppid() == 1:
        os._exit(71)  # the parent ended before that
    _check(_c().prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    _check(_c().syscall(_RESTRICT, rules, 0), "Landlock")
    os.close(rules)
    _check(_c().prctl(_SET_SECCOMP, 2, filter_.head, 0, 0), "seccomp")


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        most = resource.getrlimit(kind)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (value, value))


def _become_nobody() -> None:
    """Give up root, its groups and every capability, also where the kernel was told to keep them."""
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    number = {"x86_64": 126, "aarch64": 91}[platform.machine()]
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    _check(_c().syscall(number, header, nothing), "capabilities")


def _check(result: int, what: str) -> None:
    if result:
        raise OSError(ctypes.get_errno(), f"cannot be set: {what}")
