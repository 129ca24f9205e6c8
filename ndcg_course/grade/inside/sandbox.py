"""Locks a process in, for good: Landlock for files, seccomp for system calls, rlimits, another uid where it is root.

Only the standard library, and no libseccomp: the filter is made by hand in `syscalls`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

try:
    import resource
except ImportError:  # in a browser, where nothing of this is asked
    resource = None  # type: ignore[assignment]

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # Landlock; the same numbers on every machine
_EXECUTE, _WRITE, _READ, _LIST, _REMOVE_FOLDER, _REMOVE_FILE, _MAKE_FOLDER, _MAKE_FILE, _REFER, _TRUNCATE = (
    1 << i for i in (0, 1, 2, 3, 4, 5, 7, 8, 13, 14)
)
_CHANGE = _READ | _LIST | _WRITE | _REMOVE_FOLDER | _REMOVE_FILE | _MAKE_FOLDER | _MAKE_FILE | _REFER | _TRUNCATE
NOBODY = 65534
_NEW_MOUNTS, _NEW_USER = 0x20000, 0x10000000
_PRIVATE, _BIND, _DETACH = 0x44000, 0x5000, 2  # of mounts: for this process alone, with all below; the same place again
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
        (writable, _CHANGE),
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
    for capability in range(64):
        if _c().prctl(_CAP_DROP, capability, 0, 0, 0):
            break
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HP", len(program) // 8, ctypes.addressof(buffer))
    return Filter(buffer, ctypes.create_string_buffer(head))


def lock(rules: int, limits: dict[str, int], filter_: Filter, *, as_nobody: bool = True) -> None:
    """Lock this process in. Whatever fails raises: nothing may run half locked.

    What reads its own program later on, from a folder that may be closed to others, stays who it is.
    """
    _limit(limits)
    if as_nobody and os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    # Every capability goes, also those of a namespace of its own, and where the kernel was told to keep them.
    number = {"x86_64": 126, "aarch64": 91}[platform.machine()]
    _check(_c().syscall(number, struct.pack("Ii", 0x20080522, 0), bytes(24)), "capabilities")
    # Limits of processes count for the uid; seccomp below refuses every new one anyway.
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    _check(_c().prctl(_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")
    _check(_c().prctl(_SET_PDEATHSIG, 9, 0, 0, 0), "to end with the parent")  # a change of uid would undo it
    if as_nobody and os.getppid() == 1:
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


def _check(result: int, what: str) -> None:
    if result:
        raise OSError(ctypes.get_errno(), f"cannot be set: {what}")


def own_disk(folder: str, size: int, files: int) -> bool:
    """Put a disk in memory at the folder, of so many bytes and files, which this process and its children alone see.

    It is a limit that the kernel keeps, whatever a child does meanwhile. False where the system allows no such disk.
    """
    pid = os.fork()  # tried in another process first: half of it done cannot be undone
    if not pid:
        try:
            _own_disk(folder, size, files)
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        return False
    _own_disk(folder, size, files)
    return True


def _own_disk(folder: str, size: int, files: int) -> None:
    user, group = os.getuid(), os.getgid()
    _check(_c().unshare(_NEW_MOUNTS | (_NEW_USER if user else 0)), "mounts of its own")
    if user:
        lines = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for name, line in lines.items():
            with open(f"/proc/self/{name}", "w") as file:
                file.write(line)
    _mount("none", "/", "", _PRIVATE, "")
    _mount("none", folder, "tmpfs", 0, f"size={size},nr_inodes={files},mode=0711")


def give_back(folder: str) -> None:
    """Take a disk in memory, or a cover, away."""
    _c().umount2(folder.encode(), _DETACH)


def open_to_nobody(paths: Iterable[str]) -> list[str]:
    """Make folders reachable that lie in a home that is closed to others, for a process that will not be root.

    What is closed is covered, and in the cover only these paths are shown again; only this process and its children
    see it. Needs `own_disk`; gives what was covered.
    """
    covers: dict[str, list[tuple[str, int]]] = {}
    for path in map(os.path.realpath, paths):
        parts = path.split("/")
        above = ["/".join(parts[:n]) for n in range(2, len(parts))]
        closed = next((place for place in above if not os.stat(place).st_mode & 1), None)
        if closed is not None:
            covers.setdefault(closed, []).append((path, os.open(path, os.O_PATH)))  # type: ignore[attr-defined, unused-ignore]
    for closed, shown in covers.items():
        _mount("none", closed, "tmpfs", 0, "size=64k,mode=0755")
        for path, place in shown:
            os.makedirs(path, 0o755, exist_ok=True)
            _mount(f"/proc/self/fd/{place}", path, "", _BIND, "")
            os.close(place)
    return list(covers)


def _mount(source: str, place: str, kind: str, flags: int, options: str) -> None:
    words = (ctypes.c_char_p(word.encode()) for word in (source, place, kind, options))
    source_, place_, kind_, options_ = words
    _check(_c().mount(source_, place_, kind_, ctypes.c_ulong(flags), options_), f"a mount at {place}")


def empty(folder: str) -> None:
    """Remove everything in the folder, however deep, however long its path, whatever its rights.

    What lies in a folder is moved up before that one is removed, so that no path grows long. Raises an OSError where
    something stays.
    """
    count = 0
    while names := os.listdir(folder):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.isdir(path) or os.path.islink(path):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for below in os.listdir(path):
                inner = os.path.join(path, below)
                if os.path.isdir(inner) and not os.path.islink(inner):
                    os.chmod(inner, 0o700)  # a folder that is moved is written to
                    count += 1
                    os.rename(inner, os.path.join(folder, f".{count}-{os.getpid()}"))
                else:
                    os.unlink(inner)
            os.rmdir(path)
