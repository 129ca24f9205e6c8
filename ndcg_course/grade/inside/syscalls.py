"""Which system calls a student's process may make; whatever is not here is refused.

Missing on purpose: anything that makes a process, a thread or a socket, sends a signal, makes a link, changes who may
read a file, or looks at another process.
"""

from __future__ import annotations

import struct

X86_64, AARCH64 = 0xC000003E, 0xC00000B7

# name: number on x86_64, on aarch64 (None where it has none). The frequent ones come first.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63), "write": (1, 64), "mmap": (9, 222), "munmap": (11, 215), "brk": (12, 214), "futex": (202, 98),
    "setitimer": (38, 103), "rt_sigreturn": (15, 139), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "mremap": (25, 216), "mprotect": (10, 226), "madvise": (28, 233), "openat": (257, 56), "open": (2, None),
    "close": (3, 57), "fstat": (5, 80), "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79),
    "statx": (332, 291), "lseek": (8, 62), "getdents64": (217, 61), "getdents": (78, None), "readv": (19, 65),
    "writev": (20, 66), "pread64": (17, 67), "pwrite64": (18, 68), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "readlink": (89, None), "readlinkat": (267, 78), "getcwd": (79, 17),
    "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
    "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "chdir": (80, 49), "fchdir": (81, 50),
    "ftruncate": (77, 46), "fsync": (74, 82), "fdatasync": (75, 83), "fadvise64": (221, 223), "umask": (95, 166),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "poll": (7, None), "ppoll": (271, 73),
    "select": (23, None), "pselect6": (270, 72), "sched_yield": (24, 124), "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getitimer": (36, 102), "alarm": (37, None),
    "pause": (34, None), "getrandom": (318, 278), "getpid": (39, 172), "gettid": (186, 178), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getrusage": (98, 165),
    "getrlimit": (97, 163), "sysinfo": (99, 179), "uname": (63, 160), "getcpu": (309, 168),
    "sched_getaffinity": (204, 123), "membarrier": (324, 283), "sigaltstack": (131, 132),
    "restart_syscall": (219, 128), "rseq": (334, 293), "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
# A judge talks to clean processes through what it was given: it makes pipes, and hands them on.
JUDGE: dict[str, tuple[int | None, int | None]] = {
    "pipe2": (293, 59), "sendmsg": (46, 211), "recvmsg": (47, 212), "sendto": (44, 206), "recvfrom": (45, 207),
}  # fmt: skip
FCNTL, IOCTL, PRLIMIT, CLONE3 = (72, 25), (16, 29), (302, 261), (435, 435)

# F_SETFL is allowed without O_ASYNC: with it, and an owner, data in a pipe would send a signal to the parent.
FCNTL_COMMANDS = (0, 1, 2, 3, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
F_SETFL, O_ASYNC = 4, 0x2000
IOCTLS = (0x5401, 0x5413, 0x5450, 0x5451)  # is it a terminal, its size, close on exec or not
FIONBIO = 0x5421  # a pipe on which nobody waits

_ALLOW, _KILL, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH = 0, 4


def program(machine: str, *, judge: bool = False) -> bytes:
    """The filter for `platform.machine()`, as the kernel takes it: for a student's process, or for that of a judge.

    >>> len(program("x86_64")) % 8
    0
    """
    if machine not in ("x86_64", "aarch64"):
        raise OSError(f"no system call table for {machine}")
    column, arch = (0, X86_64) if machine == "x86_64" else (1, AARCH64)
    code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    code += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _EPERM)]  # the x32 numbering
    for numbers in (ALLOWED | (JUDGE if judge else {})).values():
        if (number := numbers[column]) is not None:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    code += _with_arguments(FCNTL[column], _one_of(1, FCNTL_COMMANDS) + _setfl())
    code += _with_arguments(IOCTL[column], _one_of(1, (*IOCTLS, *([FIONBIO] if judge else []))))
    code += _with_arguments(PRLIMIT[column], _one_of(0, (0,)))  # its own limits only
    code += [(_EQUAL, 0, 1, CLONE3[column]), (_RETURN, 0, 0, _ENOSYS)]
    code += [(_RETURN, 0, 0, _EPERM)]
    return b"".join(struct.pack("=HBBI", *line) for line in code)


Line = tuple[int, int, int, int]


def _with_arguments(number: int, lines: list[Line]) -> list[Line]:
    """The lines for one system call; they end in a refusal."""
    return [(_EQUAL, 0, len(lines) + 1, number), *lines, (_RETURN, 0, 0, _EPERM)]


def _argument(index: int) -> Line:
    return (_LOAD, 0, 0, 16 + 8 * index)


def _one_of(index: int, values: tuple[int, ...]) -> list[Line]:
    lines = [_argument(index)]
    for value in values:
        lines += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return lines


def _setfl() -> list[Line]:
    return [(_EQUAL, 0, 3, F_SETFL), _argument(2), (_ANY_BIT, 1, 0, O_ASYNC), (_RETURN, 0, 0, _ALLOW)]
