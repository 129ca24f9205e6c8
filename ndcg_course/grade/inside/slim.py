"""Takes what is marked out of a large notebook, in a process of its own, so that it fills no grader's memory.

Run as a program: the notebook comes in by stdin, a small one goes out by stdout; `{"broken": true}` where it is no
JSON, and nothing where it takes too much. It is locked in like a student's process, and has a clock of its own.
"""

from __future__ import annotations

import codecs
import importlib.util
import json
import os
import platform
import sys
from typing import Any

MOST_PICTURES = 4 << 20  # of text, in all
MOST_TRIES, LONGEST_ENTRY = 3000, 2000  # entries in all, and letters of one


def slim(content: Any) -> dict[str, Any]:
    """The code cells and their PNG pictures, the seal, and what is noted of tries.

    >>> slim({"cells": [{"cell_type": "code", "source": "x", "metadata": {"long": 1}}, {"cell_type": "markdown"}]})
    {'cells': [{'cell_type': 'code', 'source': 'x', 'outputs': []}], 'metadata': {'ndcg': {}}}
    """
    cells = content.get("cells") if isinstance(content, dict) else None
    if cells is None and isinstance(content, dict) and isinstance(content.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in content["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(cells, list):
        return {}
    kept, room = [], MOST_PICTURES
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source, outputs = cell.get("source", cell.get("input", "")), cell.get("outputs")
        if isinstance(source, list):
            source = "".join(line for line in source if isinstance(line, str))
        shown = []
        for output in outputs if isinstance(outputs, list) else ():
            data = output.get("data") if isinstance(output, dict) else None
            picture = data.get("image/png") if isinstance(data, dict) else None
            if isinstance(picture, list):
                picture = "".join(line for line in picture if isinstance(line, str))
            if isinstance(picture, str) and len(picture) <= room:
                room -= len(picture)
                shown.append({"data": {"image/png": picture}})
        kept.append({"cell_type": "code", "source": source if isinstance(source, str) else "", "outputs": shown})
    seal, ours = _ours(content).get("seal"), dict[str, Any]()
    if isinstance(seal, str) and seal.isalnum():
        ours["seal"] = seal[:12]
    if noted := _tries(content, cells):
        ours["tries"] = noted
    return {"cells": kept, "metadata": {"ndcg": ours}}


def _ours(part: Any) -> dict[str, Any]:
    about = part.get("metadata") if isinstance(part, dict) else None
    ours = about.get("ndcg") if isinstance(about, dict) else None
    return ours if isinstance(ours, dict) else {}


def _tries(content: Any, cells: list[Any]) -> list[Any]:
    """What stands as tries in the metadata of the notebook, its cells and their outputs; the last ones of very many."""
    parts = [content]
    for cell in cells:
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        parts += [cell, *(outputs if isinstance(outputs, list) else ())]
    lists = [found for part in parts if isinstance(found := _ours(part).get("tries"), list)]
    entries = [entry for found in lists for entry in found[-MOST_TRIES:] if isinstance(entry, dict)]
    return [entry for entry in entries[-MOST_TRIES:] if len(json.dumps(entry)) < LONGEST_ENTRY]


def main() -> None:
    """Read, take out, write."""
    codecs.lookup("utf-8-sig")  # it is a file, and none can be read later
    _lock_in(memory=int(sys.argv[1]), locked=sys.argv[2] == "locked")
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
        content = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 30 else 0)
    except (ValueError, RecursionError):
        content = None
    text = ""
    sys.stdout.buffer.write(json.dumps({"broken": True} if content is None else slim(content)).encode())
    sys.stdout.buffer.flush()
    os._exit(0)  # what was read is given back whole, not piece by piece


def _lock_in(memory: int, *, locked: bool) -> None:
    limits = {"AS": memory, "CPU": 20, "CORE": 0}
    if not locked:
        import resource

        for name, most in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        return
    here = os.path.dirname(os.path.abspath(__file__))
    sandbox, syscalls = (_load(here, name) for name in ("sandbox", "syscalls"))
    sandbox.lock(sandbox.ruleset([], []), limits, sandbox.prepared(syscalls.program(platform.machine())))


def _load(folder: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
