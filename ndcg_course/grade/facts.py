"""What a teacher knows of a class besides the notebooks: times from the worksheet, the roster, who has more time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ndcg_course.grade import byhand, submissions
from ndcg_course.grade.lateness import Rules
from ndcg_course.grade.worksheet import Worksheet
from ndcg_course.tasks import assignment_named

SAME_TIME = 600.0  # seconds between the first and the last member of an archive that has lost its times


def joined(found: submissions.Class, kept: dict[str, Any], place: Path) -> submissions.Class:
    """The class with the times of the worksheet and the ids of the roster."""
    jobs = list(found.jobs)
    rules = Rules.kept(kept)
    if kept["worksheet"] is not None:
        times = Worksheet.of(kept["worksheet"]).times()
        free = {student for student, granted in rules.extensions.items() if None in granted.values()}
        lost = sorted({job.student for job in jobs if job.platform_id not in times and job.student not in free})
        if lost and any(rule.due is not None for rule in rules.dates.values()):
            raise ValueError(
                f"the worksheet has no time for {len(lost)} who handed in ({few(lost)}), and that of the archive says"
                " nothing: download the worksheet again, or give each a line `student,until` in --extensions, with none"
            )
        jobs = [replace(job, time=times.get(job.platform_id, job.time)) for job in jobs]
    if kept["roster"] is not None:
        unknown = sorted({job.student for job in jobs} - kept["roster"].keys())
        if unknown:
            raise ValueError(f"the roster lacks {len(unknown)} of the students: {', '.join(map(repr, unknown[:100]))}")
        jobs = [replace(job, roster_id=kept["roster"][job.student]) for job in jobs]
    return replace(found, jobs=tuple(jobs))


def stop_if_of_the_download(results: Sequence[Mapping[str, Any]], kept: Mapping[str, Any], place: Path) -> None:
    """Stop where the times of the files say nothing about who was late."""
    rules = Rules.kept(kept)
    read = [result for result in results if "tasks" in result and kept["worksheet"] is None]
    for name in sorted({result["assignment"] for result in read}):
        own, due = [result for result in read if result["assignment"] == name], rules.of("", name).due
        several = len({result["student"] for result in own}) > 1
        if due is not None and several and _of_the_download([result["time"] for result in own], due):
            raise ValueError(
                f"{place}: nearly all files carry one time, the time of the download, so --due would make all late"
                " or nobody; give the grading worksheet that Moodle exports with --worksheet Grades.csv, unpack the"
                " archive so that times are kept, or say --due none"
            )


def _of_the_download(times: Sequence[float], due: float) -> bool:
    """Whether nine of ten files carry nearly the same time, at which nobody can have handed in in time."""
    times = sorted(times)
    many = math.ceil(0.9 * len(times))
    return any(
        last - first < SAME_TIME and not 1e9 < last <= due
        for first, last in zip(times, times[many - 1 :], strict=False)
    )


def extensions(file: Path) -> dict[str, dict[str, float | None]]:
    """What was granted, by student and assignment; "" for every one."""
    granted: dict[str, dict[str, float | None]] = {}
    for line, row in byhand.table_in(file, ("student", "until")):
        name, until = row.get("assignment", ""), row["until"]
        try:
            if name:
                assignment_named(name)
            moment = None if until == "none" else datetime.fromisoformat(until).timestamp()
        except ValueError as error:
            told = str(error) if name and "assignment" in str(error) else f"{until!r} is no time, as 2026-11-18T23:59"
            raise ValueError(f"{file}, line {line}: {told}") from None
        own = granted.setdefault(submissions.tidy(row["student"]), {})
        if own.setdefault(name, moment) != moment:
            raise ValueError(f"{file}, line {line}: {row['student']} has another time above")
    return granted


def roster(file: Path) -> dict[str, str]:
    """The id of each student."""
    held: dict[str, str] = {}
    for line, row in byhand.table_in(file, ("student", "id")):
        student = submissions.tidy(row["student"])
        if not row["student"] or not row["id"]:
            raise ValueError(f"{file}, line {line}: a student and an id are asked in each line")
        if held.setdefault(student, row["id"]) != row["id"]:
            raise ValueError(f"{file}, line {line}: {student} has the id {row['id']} here, and {held[student]} above")
    return held


def few(students: Iterable[str]) -> str:
    """Names, not more than a line holds.

    >>> few(["ben", "ana", "ben"])
    'ana, ben'
    """
    names = sorted(set(students))
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
