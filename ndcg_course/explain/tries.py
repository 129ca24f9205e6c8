"""The tries at a task: what is noted of them, where it stands in a notebook, and what they leave of the points.

**The shape.** A list of entries, one for each task that was checked:

    {"task": "which_gain", "draw": 0, "wrong": ["0-3f2a91c0"], "right": false, "seal": "a1b2c3d4e5f6"}

`wrong` holds the fingerprints of the different wrong answers, in the order in which they were checked, up to the first
right one; each begins with the draw that it was an answer to. `draw` says which of the student's numbers are the
present ones: 0 the first, then those that `another` gave after three wrong tries. `right` says that a right one was
checked. The `seal` is of all this and of the student's id: an entry that was changed, or taken from another student,
does not fit, and counts as none.

**Where it stands.** As `metadata.ndcg.tries`, of the notebook, of a cell or of an output. A kernel cannot write the
metadata of its notebook; what it can write is the metadata of an output, which Jupyter saves with the cell. So each
check that is shown carries the entries of its whole assignment. A page, which makes its notebook itself, writes them
into the metadata of the notebook or of the answer's cell: `noted` of each task in the record that Python gives it
(`students.ID.TASK.noted`), of any id, since the seal tells them apart; and it gives entries that it finds in a notebook
back to Python in the record's list `tries`. Who reads takes, of all that fit, the one with the most tries.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ndcg_course.explain.codec import encode
from ndcg_course.tasks.draw import tidy_id

MOST_WRONG, MOST_DRAWS = 50, 20  # noted
AT_ONE_DRAW = 3  # wrong tries, after which there are new numbers
Entry = dict[str, Any]


def fingerprint(value: Any, draw: int = 0) -> str:
    """What an answer is known by, so that the same one, checked again, is no further try.

    >>> fingerprint(3) == fingerprint(3.0), fingerprint("A") == fingerprint("B"), fingerprint(3, draw=1)[:2]
    (True, False, '1-')
    """
    if callable(value):
        code = getattr(value, "__code__", None)
        try:
            text = inspect.getsource(value)
        except (OSError, TypeError):
            text = repr((code.co_code, code.co_names, code.co_consts)) if code else repr(type(value))
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        text = f"{float(value):.6g}" if abs(value) < 1e15 else "large"
    else:
        text = json.dumps(encode(value), sort_keys=True)
    return f"{draw}-{hashlib.sha256(text.encode('utf8', 'replace')).hexdigest()[:8]}"


def sealed(student: str, task: str, draw: int, wrong: Sequence[str], right: bool) -> Entry:
    """An entry with its seal.

    >>> sealed("ana", "which_gain", 0, ["0-3f2a91c0"], False)["seal"]
    'b9d047ac6001'
    """
    entry = {"task": task, "draw": draw, "wrong": [*wrong], "right": right}
    text = json.dumps([tidy_id(student), *entry.values()])
    return entry | {"seal": hashlib.sha256(text.encode()).hexdigest()[:12]}


def fits(entry: Any, student: str) -> bool:
    """Whether this is an entry of the student, as it was written.

    >>> entry = sealed("ana", "which_gain", 0, ["0-3f2a91c0"], False)
    >>> fits(entry, "Ana"), fits(entry, "ben"), fits(entry | {"wrong": []}, "ana")
    (True, False, False)
    """
    if not well_formed(entry):
        return False
    *told, seal = (entry[key] for key in ("task", "draw", "wrong", "right", "seal"))
    return bool(sealed(student, *told)["seal"] == seal)


def well_formed(entry: Any) -> bool:
    """Whether this has the form of an entry, whoever's it is."""
    if not isinstance(entry, dict) or {*entry} != {"task", "draw", "wrong", "right", "seal"}:
        return False
    task, draw, wrong, right, seal = (entry[key] for key in ("task", "draw", "wrong", "right", "seal"))
    if not (isinstance(task, str) and type(draw) is int and type(right) is bool and isinstance(seal, str)):
        return False
    if not (isinstance(wrong, list) and len(wrong) <= MOST_WRONG and all(isinstance(one, str) for one in wrong)):
        return False
    return 0 <= draw <= MOST_DRAWS


def of_student(entries: Iterable[Any], student: str) -> dict[str, Entry]:
    """The entries of a student by task, each the one with the most tries."""
    found: dict[str, Entry] = {}
    for entry in entries:
        if fits(entry, student):
            found[entry["task"]] = further(found.get(entry["task"]), entry)
    return found


def further(one: Entry | None, other: Entry | None) -> Entry:
    """The entry of two that came later."""
    both = [entry for entry in (one, other) if entry]
    return max(both, key=lambda entry: (len(entry["wrong"]), entry["draw"], entry["right"]))


def begun(student: str, task: str) -> Entry:
    """The entry of a task that was never checked."""
    return sealed(student, task, 0, [], False)


def tried(entry: Entry, student: str, value: Any, *, right: bool) -> Entry:
    """The entry after an answer was checked; after the first right one it stays as it is.

    >>> entry = tried(begun("ana", "which_gain"), "ana", "A", right=False)
    >>> entry == tried(entry, "ana", "A", right=False), len(tried(entry, "ana", "B", right=False)["wrong"])
    (True, 2)
    """
    mark = fingerprint(value, entry["draw"])
    if entry["right"] or (not right and (mark in entry["wrong"] or len(entry["wrong"]) >= MOST_WRONG)):
        return entry
    wrong = entry["wrong"] if right else [*entry["wrong"], mark]
    return sealed(student, entry["task"], entry["draw"], wrong, right)


def at_these_numbers(entry: Entry) -> int:
    """The wrong tries at the present numbers."""
    return sum(mark.startswith(f"{entry['draw']}-") for mark in entry["wrong"])


def drawn_anew(entry: Entry, student: str) -> Entry:
    """The entry with the next numbers."""
    return sealed(student, entry["task"], min(entry["draw"] + 1, MOST_DRAWS), entry["wrong"], False)


def in_notebook(content: Mapping[str, Any]) -> list[Any]:
    """What a notebook's content holds of tries, whoever wrote it."""
    held = [content]
    for cell in content.get("cells") or ():
        held += [cell]
        held += [output for output in (cell.get("outputs") or ()) if isinstance(output, dict)]
    found: list[Any] = []
    for one in held:
        with suppress(AttributeError, TypeError, KeyError):
            found += one["metadata"]["ndcg"]["tries"]
    return found


def beside(session: str | None) -> list[Any]:
    """What the saved notebook of this session holds: a kernel that was started again goes on where it stood."""
    try:
        file = Path(session or "")
        file = (
            file if file.is_file() else Path(file.name)
        )  # Jupyter names it from its own folder, and runs it in the file's
        if file.suffix == ".ipynb" and file.stat().st_size < 20 << 20:
            return in_notebook(json.loads(file.read_text("utf8")))
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        pass
    return []
