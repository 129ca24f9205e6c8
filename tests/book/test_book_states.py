"""The table of what a page's Python goes through, without a browser: nothing waits for ever, every end has words."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

BOOK = Path(__file__).parents[2] / "book"
TABLE = """
import { ENDS, next, STATES } from %s;
const told = { where: "WHERE", file: "FILE", status: "STATUS", what: "WHAT", text: "TEXT" };
const events = [...new Set(Object.values(STATES).flatMap(({ on }) => Object.keys(on))), ...Object.keys(ENDS)];
const of = (state) => Object.fromEntries(events.map((event) => [event, next(state, event)]));
const moves = Object.keys(STATES).map((state) => [state, of(state)]);
const words = Object.fromEntries(Object.entries(ENDS).map(([name, say]) => [name, say(told)]));
console.log(JSON.stringify({ states: STATES, moves: Object.fromEntries(moves), words }));
"""
QUIET = {"off", "ready"}  # in these nobody waits
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


@cache
def table() -> Any:
    source = TABLE % json.dumps((BOOK / "_live" / "states.mjs").as_uri())
    command = ["node", "--input-type=module", "-"]
    return json.loads(subprocess.run(command, input=source, capture_output=True, encoding="utf8", check=True).stdout)


def test_each_event_in_each_state_leads_to_a_state_or_changes_nothing() -> None:
    states = set(table()["states"])
    for moves in table()["moves"].values():
        assert set(moves.values()) <= {*states, None}


def test_whatever_goes_wrong_while_somebody_waits_ends_it_with_words_and_a_way_on() -> None:
    for state, fault in itertools.product(table()["states"], table()["words"]):
        assert table()["moves"][state][fault] == (None if state == "off" else "off"), (state, fault)
    for fault, words in table()["words"].items():
        assert re.search(r"Run again|The next run|another Run", words), fault
        assert "undefined" not in words and words[0].isupper() and words.endswith("."), words
    assert table()["moves"]["off"]["begin"] not in QUIET, "and Run begins anew"


def test_each_wait_ends_by_itself() -> None:
    """A state comes to its end by being late alone; what counts the time anew are bytes."""
    for state, how in table()["states"].items():
        if state in QUIET:
            assert "limit" not in how
            continue
        assert 0 < how["limit"] <= 10 * 60_000 and table()["moves"][state][how["late"]] == "off", state
        again = [event for event, to in table()["moves"][state].items() if to == state]
        assert again in ([], ["bytes"]), state


def test_no_walk_ends_in_a_place_without_a_way_on() -> None:
    reached, todo = {"off"}, ["off"]
    while todo:
        for to in table()["moves"][todo.pop()].values():
            if to and to not in reached:
                reached.add(to)
                todo.append(to)
    assert reached == set(table()["states"])
    for state in reached - {"off"}:
        assert "off" in table()["moves"][state].values()


def test_what_ends_python_is_named_in_the_table_and_each_name_is_used() -> None:
    code = "".join((BOOK / "_live" / f"{name}.mjs").read_text("utf8") for name in ("python", "worker"))
    names = {*table()["words"], *(event for moves in table()["moves"].values() for event in moves)}
    assert {name for name in names if f'"{name}"' not in code} == {"endless", "slow"}, "time alone brings these"
    assert set(re.findall(r'(?:fail|failure|#happen)\("(\w+)"', code)) <= names
