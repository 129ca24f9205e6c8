"""What runs on GitHub: when, and nothing that somebody else can change under our feet."""

from __future__ import annotations

import re

import pytest
import yaml

import kit

FOLDER = kit.ROOT / ".github" / "workflows"


def read(name: str) -> dict:
    return yaml.load((FOLDER / name).read_text("utf8"), yaml.BaseLoader)  # else "on" is read as true


@pytest.mark.parametrize("name", sorted(file.name for file in FOLDER.glob("*.yml")))
def test_actions_are_pinned_by_commit_and_may_only_read(name: str) -> None:
    used = re.findall(r"uses: (\S+)(.*)", (FOLDER / name).read_text("utf8"))
    assert used and not [action for action, _ in used if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action)]
    assert all(re.fullmatch(r" # v\d+\.\d+\.\d+", version) for _, version in used), "say which version the commit is"
    assert read(name)["permissions"]["contents"] == "read"


def test_each_runs_when_it_should() -> None:
    assert "main" in read("test.yml")["on"]["push"]["branches"] and "pull_request" in read("test.yml")["on"]
    assert read("publish.yml")["on"]["push"]["tags"] == ["v*"]
    _minute, _hour, day, month, weekday = read("links.yml")["on"]["schedule"][0]["cron"].split()
    assert (day, month) == ("*", "*") and weekday.isdigit(), "once a week"


def test_they_run_commands_that_there_are() -> None:
    for file in FOLDER.glob("*.yml"):
        for command in re.findall(r"run: python3? kit\.py (\w+)", file.read_text("utf8")):
            assert command in kit.COMMANDS
