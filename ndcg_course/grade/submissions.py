"""Finds the submissions: in folders, in a flat folder, in the zip of Moodle or Canvas. Nothing is ever unpacked."""

from __future__ import annotations

import os
import re
import stat
import time
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ndcg_course.grade.notebooks import Limits, stamp_of, stamp_of_file
from ndcg_course.tasks import names as assignment_names

MOODLE = re.compile(r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)$")
CANVAS = re.compile(
    r"^(?P<name>anon_[A-Za-z0-9]+|[^_/]+)_(?P<late>LATE_)?(?:(?P<id>\d{2,})_)?(?P<submission>\d{2,})_(?P<rest>.+)$"
)
ATTEMPT = re.compile(r"(?:[ _-]*\((\d{1,3})\)|[-_ ]attempt[-_ ]?(\d{1,3})|-(\d{1,2}))$", re.IGNORECASE)
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)  # letters without a form
SKIPPED = {"__MACOSX", ".ipynb_checkpoints", ".git", ".virtual_documents", ".DS_Store"}
NOTHING = "the folder is empty, or holds nothing but checkpoints and hidden files"
DEEPEST, MOST, MOST_MEMBERS, MOST_OTHERS = 12, 200_000, 15_000, 20


@dataclass(frozen=True)
class Job:
    """One notebook to mark."""

    student: str
    file: str  # as it is shown, from the folder of submissions on
    path: str
    member: int | None = None
    attempt: int = 0
    time: float = 0.0
    late_mark: bool = False
    platform_id: str = ""
    roster_id: str = ""
    stamp: str = ""  # of the file as it was found
    draw: int = 0  # which inputs: a notebook that is handed in anew gets new ones


@dataclass(frozen=True)
class Found:
    """A file among the submissions, with its place as parts."""

    parts: tuple[str, ...]
    path: str
    member: int | None = None
    time: float = 0.0
    refused: str = ""
    stamp: str = ""


@dataclass(frozen=True)
class Class:
    """The notebooks to mark, and what was handed in without one: student and reason."""

    jobs: tuple[Job, ...]
    others: tuple[tuple[str, str, str, str], ...]  # student, file, why it is not marked, id of the platform
    notes: tuple[tuple[str, str, str], ...] = ()  # student, file, what to look at


def find(place: Path, *, leave_out: Path | None = None) -> Class:
    """Everything that was handed in. Links are not followed, and only plain files count."""
    if place.is_file():
        found = list(_in_zip(place))
    elif place.is_dir():
        found = list(_in_folder(place, leave_out.resolve() if leave_out else None))
    else:
        raise ValueError(f"{place}: there is no such folder or zip")
    if len(found) >= MOST:
        raise ValueError(f"{place}: more than {MOST} files; is this the folder of submissions?")
    found = _without_common_root(found) if place.is_file() else found
    return _sorted_out(found)


def student_and_rest(parts: Sequence[str]) -> tuple[str, str, int, bool]:
    """Name, id of the platform, attempt and lateness from the place of a file.

    >>> student_and_rest(["Ana Lima_123456_assignsubmission_file_", "02-cumulative-gain.ipynb"])
    ('Ana Lima', '123456', 0, False)
    >>> student_and_rest(["limaana_LATE_1201_8830_02-cumulative-gain-2.ipynb"])
    ('limaana', '1201', 2, True)
    >>> student_and_rest(["ana_02-cumulative-gain (1).ipynb"])
    ('ana', '', 1, False)
    """
    first, last = parts[0], parts[-1]
    stem = re.sub(r"\.ipynb$", "", last, flags=re.IGNORECASE)
    if match := MOODLE.match(first):
        return tidy(match["name"]), match["id"], _attempt(stem), False
    match = CANVAS.match(first)
    if match and len(parts) == 1 and (match["id"] or match["name"].startswith("anon_")):
        return tidy(match["name"]), match["id"] or "", _attempt(stem), bool(match["late"])
    if len(parts) > 1:
        return first, "", _attempt(stem), False
    known = any(name in stem for name in assignment_names())
    attempt = _attempt(stem) if known or re.search(r"\(\d+\)$|attempt", stem, re.IGNORECASE) else 0
    if attempt:
        stem = ATTEMPT.sub("", stem)
    for name in assignment_names():
        shorter = re.sub(rf"[ _-]*{re.escape(name)}[ _-]*", "", stem, flags=re.IGNORECASE)
        stem = shorter or stem
    return tidy(stem), "", attempt, False


def _sorted_out(found: list[Found]) -> Class:
    people: dict[str, set[str]] = defaultdict(set)
    split = {one: student_and_rest(one.parts) for one in found}
    seen: dict[str, list[str]] = defaultdict(list)  # tidy name: the names as they were given, without an id
    for name, identity, _, _ in split.values():
        people[tidy(name)].add(identity)
        if not identity and name not in seen[tidy(name)]:
            seen[tidy(name)].append(name)
    named: dict[str, str] = {}
    alike = {name: sorted(given) for name, given in seen.items() if len(given) > 1}
    jobs, others, notes = list[Job](), list[tuple[str, str, str, str]](), list[tuple[str, str, str]]()
    for one in sorted(found, key=lambda f: f.parts):
        given, identity, attempt, late = split[one]
        name = tidy(given)
        student = f"{name} ({identity})" if identity and len(people[name]) > 1 else name
        if not identity and name in alike and alike[name].index(given):
            student = named.setdefault(given, f"{name} [{alike[name].index(given) + 1}]")
            while student in people:  # somebody is called so
                student = named[given] = f"{student}'"
        shown = tidy("/".join(one.parts))
        if student != given and not (identity and student.startswith(given)):
            notes.append((student, shown, f"handed in as {given!a}"))
        if one.refused or not one.parts[-1].lower().endswith(".ipynb"):
            others.append((student, shown, one.refused or "this is no notebook (.ipynb)", identity))
        else:
            jobs.append(Job(student, shown, one.path, one.member, attempt, one.time, late, identity, stamp=one.stamp))
    kept: dict[str, list[str]] = defaultdict(list)  # folded: students whose names differ in hardly anything
    for student in dict.fromkeys([job.student for job in jobs] + [other[0] for other in others]):
        plain = UNSEEN.sub("", unicodedata.normalize("NFKC", student).casefold())
        kept[re.sub(r" \[\d+\]$", "", plain)].append(student)
    for near in kept.values():
        if len(near) > 1:
            notes += [(one, "", f"another student than {', '.join(n for n in near if n != one)}") for one in near]
    marked = {job.student for job in jobs}
    told = Counter[str]()
    left = tuple(
        other
        for other in others
        if other[0] not in marked and not told.update([other[0]]) and told[other[0]] <= MOST_OTHERS
    )  # a student's thousands of files are no more than a row
    return Class(tuple(_told_apart(jobs)), left, tuple(dict.fromkeys(notes)))


def _told_apart(jobs: Sequence[Job]) -> Iterator[Job]:
    """A zip may hold the same name twice: each gets its own."""
    seen: Counter[tuple[str, str]] = Counter()
    for job in jobs:
        seen[job.student, job.file] += 1
        n = seen[job.student, job.file]
        yield job if n == 1 else replace(job, file=f"{job.file} [{n}]")


def _in_folder(top: Path, leave_out: Path | None) -> Iterator[Found]:
    """The files below a folder; a folder of a student in which there is none is found, too."""
    students, seen = set[str](), set[str]()
    for one in _below(top, leave_out, students):
        seen.add(one.parts[0])
        yield one
    for name in sorted(students - seen):
        yield Found((name, "(nothing)"), os.path.join(top, name), refused=NOTHING)


def _below(top: Path, leave_out: Path | None, students: set[str]) -> Iterator[Found]:
    waiting: list[tuple[str, ...]] = [()]
    count = 0
    while waiting:
        parts = waiting.pop()
        folder = os.path.join(top, *parts)
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda e: e.name)
        except OSError as error:
            if not parts:
                raise
            yield Found((*parts, "(closed)"), folder, refused=f"the folder cannot be read: {error.strerror}")
            continue
        for entry in listed:
            count += 1
            if count >= MOST:
                raise ValueError(f"{top}: more than {MOST} files; is this the folder of submissions?")
            here = (*parts, entry.name)
            a_student = not parts and entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED
            if _skipped(entry.name) and not a_student:
                continue
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode):
                if leave_out is not None and Path(entry.path).resolve() == leave_out:
                    continue
                if len(here) > DEEPEST:
                    yield Found(here, entry.path, refused="too many folders in one another")
                    continue
                if not parts:
                    students.add(entry.name)
                waiting.append(here)
            elif stat.S_ISREG(about.st_mode):
                read = entry.name.lower().endswith(".ipynb")
                stamp = stamp_of_file(entry.path, Limits()) if read else ""
                yield Found(here, entry.path, time=about.st_mtime, stamp=stamp)
            else:
                kind = "a link" if stat.S_ISLNK(about.st_mode) else "a device or a pipe"
                yield Found(here, entry.path, refused=f"this is {kind}, no plain file")


def _in_zip(path: Path) -> Iterator[Found]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ValueError(f"{path}: this is no zip that can be read ({error})") from None
    if len(members) >= MOST_MEMBERS:
        asked = "is this the zip of submissions? Unpack it to mark more"
        raise ValueError(f"{path}: {len(members)} files, more than {MOST_MEMBERS}; {asked}")
    seen, left_out = set[str](), dict[str, int]()
    for number, info in enumerate(members):
        if info.is_dir():
            top = info.filename.replace("\\", "/").strip("/")
            if top and "/" not in top and top not in SKIPPED:
                left_out.setdefault(top, number)
            continue
        # Names are only shown, never used as a path; those that climb lose what they climb with.
        parts = tuple(p for p in info.filename.replace("\\", "/").split("/") if p not in ("", ".", ".."))
        student = len(parts) > 1 and parts[0] not in SKIPPED
        if not parts or any(map(_skipped, parts[student:])) or (not student and _skipped(parts[0])):
            if student:
                left_out.setdefault(parts[0], number)
            continue
        seen.add(parts[0])
        kind = info.external_attr >> 16
        refused = "this is a link, no plain file" if stat.S_ISLNK(kind) else ""
        refused = "this member is encrypted" if info.flag_bits & 1 else refused
        yield Found(parts[: DEEPEST + 1], str(path), number, _zip_time(info), refused, stamp_of(info))
    for top in left_out.keys() - seen:
        yield Found((top, "(nothing)"), str(path), left_out[top], refused=NOTHING)


def _without_common_root(found: list[Found]) -> list[Found]:
    """Some platforms put everything below one folder."""
    roots = {one.parts[0] for one in found}
    if len(roots) != 1 or any(len(one.parts) < 2 for one in found) or MOODLE.match(next(iter(roots))):
        return found
    below = {one.parts[1] for one in found}
    if len(below) < 2:
        return found
    return [replace(one, parts=one.parts[1:]) for one in found]


def _zip_time(info: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _skipped(name: str) -> bool:
    """What systems leave behind; a student's name may well begin with a dot."""
    return (
        name in SKIPPED or name.startswith("._") or (name.startswith(".") and name.count(".") == 1 and " " not in name)
    )


def _attempt(stem: str) -> int:
    match = ATTEMPT.search(stem)
    return int(next(part for part in match.groups() if part)) if match else 0


def tidy(name: str) -> str:
    """A name without letters that cannot be written or seen."""
    name = name[:1000].encode("utf8", "replace").decode("utf8", "replace")  # cut first: the next step can take long
    name = unicodedata.normalize("NFC", name)
    name = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") else c for c in name)
    return " ".join(name.split())[:200] or "(no name)"
